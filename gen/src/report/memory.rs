//! Memory: every RAM of the RTL with its shape, in bits and in blocks of three device families.

use serde::Serialize;
use spa_model::Weights;

use super::MODEL;
use crate::config::Config;

/// What a RAM is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Block RAM, or cells where a small one is cheaper there.
    Block,
    /// Block RAM, whatever its size.
    #[serde(rename = "block")]
    AlwaysBlock,
    /// Distributed RAM in logic cells.
    Distributed,
}

/// RAMs of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Component, as in Fig. 3.5.
    pub component: &'static str,
    /// RTL module that holds it.
    pub module: &'static str,
    /// Copies in the whole array.
    pub copies: u32,
    /// Words of a copy.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Block or distributed.
    pub style: Style,
    /// Bits of all copies.
    pub bits: u64,
    /// 20-kbit blocks (Arria 10, Stratix 10), 0 for distributed RAM.
    pub m20k: u64,
    /// 10-kbit blocks (Cyclone V).
    pub m10k: u64,
    /// 18-kbit blocks (ECP5); 0 where 16x4 cells are cheaper.
    pub ebr: u64,
}

/// All memory of a build.
#[derive(Debug, Clone, Serialize)]
pub struct Memory {
    /// `model`.
    pub source: &'static str,
    /// By component.
    pub items: Vec<Item>,
    /// Bits in block RAM.
    pub block_bits: u64,
    /// Bits in distributed RAM.
    pub distributed_bits: u64,
    /// 20-kbit blocks.
    pub m20k: u64,
    /// 10-kbit blocks.
    pub m10k: u64,
    /// 18-kbit blocks.
    pub ebr: u64,
    /// Share of the bits of the M20K that is used, 0 to 1.
    pub m20k_use: f64,
}

/// Words x bits that a block can be set to with one read and one write port.
const M20K: &[(u32, u32)] = &[(512, 40), (1024, 20), (2048, 10), (4096, 5), (8192, 2), (16384, 1)];
const M10K: &[(u32, u32)] = &[(256, 40), (512, 20), (1024, 10), (2048, 5), (4096, 2), (8192, 1)];
/// Words x bits of a block RAM of the ECP5.
pub(crate) const EBR: &[(u32, u32)] = &[(512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1)];

/// What Yosys charges for an EBR, in halves of its unit (`brams_16kd.txt` of its ECP5 library).
const EBR_COST: u64 = 2 * 128;
/// The same for a 16x4 cell of distributed RAM (`lutrams_trellis.txt`).
const CELL_COST: u64 = 2 * 4;

/// Fewest blocks of a RAM if one shape is used for all of it.
#[must_use]
pub fn blocks(shapes: &[(u32, u32)], depth: u32, width: u32) -> u64 {
    let need = |(d, w): &(u32, u32)| u64::from(depth.div_ceil(*d)) * u64::from(width.div_ceil(*w));
    shapes.iter().map(need).min().unwrap_or(0)
}

/// EBR of a RAM whose style Yosys may choose: none if 16x4 cells, with half a unit for every two words of a bit that a
/// multiplexer joins and for every row that a write selects, cost no more.
fn ebr(depth: u32, width: u32) -> u64 {
    let (rows, width_bits) = (u64::from(depth.div_ceil(16)), u64::from(width));
    let select = if rows > 1 { rows } else { 0 };
    let cells = CELL_COST * rows * width_bits.div_ceil(4) + width_bits * (rows - 1) + select;
    let blocks = blocks(EBR, depth, width);
    if cells <= EBR_COST * blocks { 0 } else { blocks }
}

impl Memory {
    /// RAMs as instantiated in `templates/rtl`.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let items = items(config);
        let sum = |f: fn(&Item) -> u64| items.iter().map(f).sum::<u64>();
        let block_bits =
            items.iter().filter(|item| item.style != Style::Distributed).map(|item| item.bits).sum();
        let m20k = sum(|item| item.m20k);
        #[allow(clippy::cast_precision_loss)]
        let m20k_use = if m20k == 0 { 0.0 } else { round(block_bits as f64 / (m20k * 20480) as f64) };
        Self {
            source: MODEL,
            block_bits,
            distributed_bits: sum(|item| item.bits) - block_bits,
            m20k,
            m10k: sum(|item| item.m10k),
            ebr: sum(|item| item.ebr),
            m20k_use,
            items,
        }
    }
}

/// Four digits: enough for a model, and the same text everywhere.
pub(super) fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Component, module, copies, words, bits of a word and style of a RAM.
type Shape = (&'static str, &'static str, u32, u32, u32, Style);

/// Weights that are powers of two are kept as the number of their bit; few enough of them are distributed RAM
/// (`spa_weight_buffer`).
fn weight_buffer(config: &Config) -> Shape {
    let (array, hardware) = (&config.array, &config.hardware);
    let p = u32::from(hardware.p_bits);
    let address = (u32::from(hardware.label_bits) + 1).max(5);
    let coded = hardware.weights == Weights::Pow2 && address <= 7;
    let (bits, style) = if coded { (32 - p.leading_zeros(), Style::Distributed) } else { (p, Style::Block) };
    let labels = 1 << hardware.label_bits;
    let words = if coded && labels >= 16 { labels + 16 } else { 1 << address };
    ("weight buffer", "spa_weight_buffer", array.spes(), words, array.spus * bits, style)
}

fn items(config: &Config) -> Vec<Item> {
    let (array, hardware) = (&config.array, &config.hardware);
    let bits = |n: u8| u32::from(n);
    let (label, single, energy) =
        (bits(hardware.label_bits), bits(hardware.singleton_bits), bits(hardware.energy_bits));
    let (p, u, count) = (bits(hardware.p_bits), bits(hardware.u_bits), bits(hardware.count_bits));
    let (spes, spus, entries, line) = (array.spes(), array.spus, array.schedule_entries, array.line_bits);
    let labels = 1 << label;
    let vector = label + label.div_ceil(2);
    let log2 = |n: u32| (32 - (n.max(1) - 1).leading_zeros()).max(1);
    let (x_bits, y_bits) = (log2(array.tile_width_max), log2(array.tile_height_max));
    let rv_bits = log2(array.rv_capacity);
    let s2_bits = log2(array.s2_capacity / spus);

    use Style::{AlwaysBlock, Block, Distributed};
    let vector_style = if label <= 6 { Distributed } else { Block };
    let mut list: Vec<Shape> = vec![
        ("S1Mem", "spa_s1mem", spes, array.rv_capacity, single + 1, Block),
        ("S2Mem", "spa_s2mem", spes * spus, array.s2_capacity / spus, single, Block),
        ("BMem, WMem", "spa_label_mem", 4 * spes, array.rv_capacity / 4, label, Block),
        ("halo, left and right", "spa_label_mem", spes, 2 << y_bits, label, Block),
        ("halo, up and down", "spa_label_mem", spes, 2 << x_bits, label, Block),
        ("label entries", "spa_entry_mem", spes, array.rv_capacity, 2 * (label + count), Block),
        ("label vectors", "spa_vector_mem", 4 * spes, labels, vector, vector_style),
        ("energy buffer", "spa_spe", spes, labels, spus * energy, Block),
        weight_buffer(config),
        ("kept labels", "spa_spe", spes, 32, spus, Distributed),
        ("random numbers", "spa_draw", spes, 16, spus * u, Distributed),
        ("log FIFO", "spa_log_fifo", spes, array.log_fifo_depth, rv_bits + label + count, Block),
    ];
    if array.pair_table {
        list.push(("pair table", "spa_spu", 4 * spes * spus, 1 << (2 * label), 8, Block));
    }
    if array.edge_weights {
        list.push(("edge weights", "spa_edge_mem", spes, array.rv_capacity, 16, Block));
    }
    if array.singleton_table {
        list.push(("cost table", "spa_spe", spes * spus, array.cost_capacity / spus, 16, Block));
    }
    match hardware.weights {
        Weights::Linear => {
            list.push(("weight table", "spa_weight", spes * spus, entries << energy, p, Block));
        }
        Weights::Pow2 => {
            list.push(("thresholds", "spa_threshold_mem", 1, entries, p * (energy + 1), AlwaysBlock));
        }
    }
    list.extend([
        ("offset table", "spa_label_walk", 1, labels, 24, Block),
        ("offset rows", "spa_label_walk", 1, labels, s2_bits, Block),
        ("own label vectors", "spa_label_walk", 1, labels, vector, Block),
        ("values of labels", "spa_label_walk", 1, labels, 8, Block),
        ("slots in flight", "spa_pass_ctrl", 1, 32, log2(entries), Distributed),
        ("write-back records", "spa_write_ctrl", 1, 32, 3 + x_bits + y_bits + 2 * rv_bits - 2, Distributed),
        ("schedule", "spa_slot_issuer", 1, entries, 24, Block),
        ("read FIFO", "spa_axi_read", 1, 32, line, Block),
        ("line FIFO", "spa_log_writer", 1, 16, line, Block),
    ]);
    list.into_iter()
        .map(|(component, module, copies, depth, width, style)| {
            let count = |shapes| match style {
                Block | AlwaysBlock => u64::from(copies) * blocks(shapes, depth, width),
                Distributed => 0,
            };
            Item {
                component,
                module,
                copies,
                depth,
                width,
                style,
                bits: u64::from(copies) * u64::from(depth) * u64::from(width),
                m20k: count(M20K),
                m10k: count(M10K),
                ebr: match style {
                    Block => u64::from(copies) * ebr(depth, width),
                    AlwaysBlock => count(EBR),
                    Distributed => 0,
                },
            }
        })
        .collect()
}
