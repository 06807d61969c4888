//! HLS C++: what depends on the configuration; everything else below `templates/hls` is emitted as it is.

use askama::Template;
use spa_model::Weights;

use super::run;
use crate::config::Config;
use crate::error::Error;

/// Places of the stream of commands, one a component.
const CHAIN_DEPTH: u32 = 4;
/// Places of streams that carry something once a slot.
const SLOT_DEPTH: u32 = 8;
/// Places of streams that carry something once a label.
const LABEL_DEPTH: u32 = 16;
/// Places of streams between SPEs.
const LINK_DEPTH: u32 = 8;
/// Places of streams that wait for a slot to pass through the SPUs.
const WRITE_DEPTH: u32 = 32;

#[derive(Template)]
#[template(path = "hls/spa_config.hpp")]
struct Constants {
    title: String,
    constants: Vec<Constant>,
}

/// `constexpr KIND NAME = VALUE;`, padded.
struct Constant {
    kind: &'static str,
    name: String,
    value: String,
}

pub(super) fn constants(config: &Config) -> Result<String, Error> {
    let (array, hardware) = (&config.array, &config.hardware);
    let numbers = [
        ("kRows", array.rows),
        ("kCols", array.cols),
        ("kSpus", array.spus),
        ("kLabelBits", hardware.label_bits.into()),
        ("kSingletonBits", hardware.singleton_bits.into()),
        ("kEnergyBits", hardware.energy_bits.into()),
        ("kPBits", hardware.p_bits.into()),
        ("kUBits", hardware.u_bits.into()),
        ("kCountBits", hardware.count_bits.into()),
        ("kRvCapacity", array.rv_capacity),
        ("kS2Capacity", array.s2_capacity),
        ("kCostCapacity", array.cost_capacity),
        ("kTileWidthMax", array.tile_width_max),
        ("kTileHeightMax", array.tile_height_max),
        ("kScheduleEntries", array.schedule_entries),
        ("kLogFifoDepth", array.log_fifo_depth),
        ("kMessageBits", config.message_bits()),
        ("kLineBits", array.line_bits),
        ("kChainDepth", CHAIN_DEPTH),
        ("kSlotDepth", SLOT_DEPTH),
        ("kLabelDepth", LABEL_DEPTH),
        ("kLinkDepth", LINK_DEPTH),
        ("kWriteDepth", WRITE_DEPTH),
    ]
    .map(|(name, value)| ("int ", name, value.to_string()));
    let flags = [
        ("kS2Links", array.s2_links),
        ("kLinear", hardware.weights == Weights::Linear),
        ("kPairTable", array.pair_table),
        ("kSingletonTable", array.singleton_table),
        ("kEdgeWeights", array.edge_weights),
    ]
    .map(|(name, value)| ("bool", name, value.to_string()));
    let all = numbers.into_iter().chain(flags);
    let template = Constants {
        title: format!("{}x{} SPEs of {} SPUs", array.rows, array.cols, array.spus),
        constants: all
            .map(|(kind, name, value)| Constant { kind, name: format!("{name:<16}"), value })
            .collect(),
    };
    run("hls/spa_config.hpp", &template)
}

#[derive(Template)]
#[template(path = "hls/intel/spa_s2_switch.cpp")]
struct Switch {
    links: bool,
}

#[derive(Template)]
#[template(path = "hls/intel/spa_spe_hw.tcl")]
struct Spe {
    links: bool,
}

#[derive(Template)]
#[template(path = "hls/intel/spa_array.tcl")]
struct Array {
    rows: u32,
    cols: u32,
    line_bits: u32,
    links: bool,
}

#[derive(Template)]
#[template(path = "hls/catapult/spa.tcl")]
struct Catapult {
    spus: u32,
    /// Patterns of channels and their depths.
    streams: Vec<(&'static str, u32)>,
}

pub(super) fn switch(config: &Config) -> Result<String, Error> {
    run("hls/intel/spa_s2_switch.cpp", &Switch { links: config.array.s2_links })
}

pub(super) fn spe(config: &Config) -> Result<String, Error> {
    run("hls/intel/spa_spe_hw.tcl", &Spe { links: config.array.s2_links })
}

pub(super) fn array(config: &Config) -> Result<String, Error> {
    let array = &config.array;
    let template =
        Array { rows: array.rows, cols: array.cols, line_bits: array.line_bits, links: array.s2_links };
    run("hls/intel/spa_array.tcl", &template)
}

pub(super) fn catapult(config: &Config) -> Result<String, Error> {
    let labels = 2 * config.hardware.labels_max();
    let streams = vec![
        ("*:cns", SLOT_DEPTH),
        ("*chain*:cns", CHAIN_DEPTH),
        ("*s2*:cns", LABEL_DEPTH),
        ("*walk_:cns", LABEL_DEPTH),
        ("*to_*:cns", LINK_DEPTH),
        ("*_write_:cns", WRITE_DEPTH),
        ("*keep_:cns", WRITE_DEPTH),
        ("*energies_:cns", labels),
        ("*weights_:cns", labels),
        ("*messages*:cns", config.array.log_fifo_depth),
    ];
    run("hls/catapult/spa.tcl", &Catapult { spus: config.array.spus, streams })
}
