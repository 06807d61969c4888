//! A run of a job: its parameters as register values, its load records and its labels as they lie in memory (docs/array.md
//! §6 and the register map).

use crate::regmap::bits as reg;
use spa_model::placement::{self, Target};
use spa_model::{ArrayShape, Difference, Job, Pair, S2Addressing, Singleton, Tiling};
use std::collections::BTreeMap;

/// A piece of memory that card and host both see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Address as the card sees it, a multiple of 4096.
    pub address: u64,
    /// Bytes.
    pub bytes: usize,
}

/// Where a run finds and leaves its data.
#[derive(Debug, Clone, Copy)]
pub struct Buffers {
    /// Load records, whole lines.
    pub load: Buffer,
    /// Ring of log lines.
    pub ring: Buffer,
    /// Labels at the end.
    pub readback: Buffer,
}

/// Register values by offset.
pub type Values = BTreeMap<u32, u64>;

/// Every register that a run of `job` needs.
#[must_use]
pub fn values(job: &Job, tiling: &Tiling, buffers: &Buffers, line_bytes: usize) -> Values {
    let mut values = Values::new();
    let mut set = |field: reg::Bits, value: u64| {
        *values.entry(field.offset).or_insert(0) |= field.put(value);
    };
    let (problem, run) = (job.problem(), job.run());
    set(reg::FIELD_WIDTH, problem.width.into());
    set(reg::FIELD_HEIGHT, problem.height.into());
    set(reg::TILE_WIDTH, tiling.tile_width.into());
    set(reg::TILE_HEIGHT, tiling.tile_height.into());
    set(reg::TILE_GROUPS, tiling.groups().into());
    set(reg::LABELS, problem.labels.into());

    set(reg::ALPHA, problem.alpha.into());
    set(reg::BETA, problem.beta.into());
    set(reg::SHIFT, problem.shift.into());
    set(reg::DATA_CAP, problem.data_cap.into());
    set(reg::S_OUTSIDE, problem.s_outside.into());
    let (form, mode) = match &problem.singleton {
        Singleton::Pixels { form, .. } => (*form, 0),
        Singleton::Values { form, .. } => (*form, 1),
        Singleton::Table { .. } => (Difference::Abs, 2),
    };
    set(reg::SQUARED, u64::from(form == Difference::Squared));
    set(reg::S2_MODE, mode);
    let pair = match &problem.pair {
        Pair::Abs => 0,
        Pair::Squared => 1,
        Pair::Potts => 2,
        Pair::Table(_) => 3,
    };
    set(reg::PAIR_FORM, pair);
    set(reg::PAIR_CAP, problem.pair_cap.into());

    let stride = u64::from(tiling.s2_stride());
    set(reg::S2_STRIDE, stride);
    set(reg::S2_WRAP, stride * u64::from(tiling.tile_height));
    if let S2Addressing::Replicate { left, up } = tiling.s2 {
        set(reg::REPLICATE, 1);
        set(reg::MARGIN_LEFT, left.into());
        set(reg::MARGIN_UP, up.into());
        set(reg::MARGIN_BASE, stride * u64::from(up));
    }

    set(reg::SEED, run.seed);
    set(reg::CHAIN, run.chain.into());
    set(reg::ITERATIONS, job.iterations().into());
    set(reg::BURN_IN, run.burn_in.into());
    set(reg::SLOT_CYCLES, tiling.slot_cycles.into());
    set(reg::SWITCH_GAP, tiling.switch_gap.into());
    set(reg::SCHEDULE_ENTRIES, run.schedule.steps().len() as u64);

    set(reg::LOAD_BASE, buffers.load.address);
    set(reg::LOAD_LINES, (buffers.load.bytes / line_bytes) as u64);
    set(reg::RING_BASE, buffers.ring.address);
    set(reg::RING_LINES, (buffers.ring.bytes / line_bytes) as u64);
    set(reg::READBACK_BASE, buffers.readback.address);
    set(reg::READBACK_WORDS, readback_words(tiling).into());
    values
}

/// The register and the value that start the card: it loads, and if these are the `last` records it runs and reads labels
/// back.
#[must_use]
pub fn start(last: bool) -> (u32, u64) {
    let more = [reg::START_RUN, reg::START_READBACK];
    let bits = [reg::START, reg::START_LOAD].into_iter().chain(more.into_iter().filter(|_| last));
    (reg::START.offset, bits.map(|bit| bit.put(1)).sum())
}

/// The load records of `job` as bytes, filled up with NOP to whole lines.
#[must_use]
pub fn load_bytes(shape: &ArrayShape, tiling: &Tiling, job: &Job, line_bytes: usize) -> Vec<u8> {
    lines_of_records(placement::load_records(shape, tiling, job), line_bytes)
}

/// Load records as bytes, filled up with NOP to whole lines.
#[must_use]
pub fn lines_of_records(mut records: Vec<u64>, line_bytes: usize) -> Vec<u8> {
    let nop = placement::record(Target::Nop, placement::ALL_SPES, 0, 0);
    records.resize(records.len().next_multiple_of((line_bytes / 8).max(1)), nop);
    records.iter().flat_map(|record| record.to_le_bytes()).collect()
}

/// Words of a label bank that readback sends for each colour.
fn readback_words(tiling: &Tiling) -> u32 {
    tiling.tile_width * tiling.tile_height / 8
}

/// Bytes that readback writes, before rounding up to whole lines.
#[must_use]
pub fn readback_bytes(tiling: &Tiling) -> usize {
    let spes = tiling.rows as usize * tiling.cols as usize;
    spes * tiling.tile_width as usize * tiling.tile_height as usize
}

/// Where the label of global (x, y) stands in what readback writes: SPE by SPE two colours, `readback_words` words, four
/// banks, a byte each.
#[must_use]
pub fn readback_index(tiling: &Tiling, rv_capacity: u32, x: u32, y: u32) -> usize {
    let half = rv_capacity / 8;
    let (spe, tx, ty) = tiling.locate(x, y);
    let (bank, word) = tiling.label_address(tx, ty, rv_capacity);
    let (colour, word) = (word / half, word % half);
    (((spe * 2 + colour) * readback_words(tiling) + word) * 4 + bank) as usize
}

/// The labels of the field, without padding, from what readback wrote.
#[must_use]
pub fn labels_of_readback(job: &Job, tiling: &Tiling, rv_capacity: u32, bytes: &[u8]) -> Vec<u8> {
    let (width, height) = (job.problem().width, job.problem().height);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    places.map(|(x, y)| bytes[readback_index(tiling, rv_capacity, x, y)]).collect()
}
