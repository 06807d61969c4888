//! Placement: the load records that put a job into the memories of an array (docs/array.md §5).

use crate::geometry::{ArrayShape, S2Addressing, Tiling};
use crate::hardware::Weights;
use crate::job::{Job, Pair, Singleton};
use crate::weights::WeightTable;

/// Load targets, as in the RTL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Target {
    /// Singleton 1 and the evidence bit.
    S1 = 0,
    /// Singleton 2.
    S2 = 1,
    /// Current label.
    Label = 2,
    /// Label across the tile border.
    Halo = 3,
    /// Global coordinate of the tile.
    Origin = 4,
    /// Offset table.
    Offset = 5,
    /// Singleton 2 per label.
    Value = 6,
    /// Label vector of the pair term.
    Vector = 7,
    /// Thresholds or weight table.
    Weight = 8,
    /// Pair table.
    Pair = 9,
    /// Cost of a RV and label.
    Cost = 10,
    /// Iterations of a schedule entry.
    Schedule = 11,
    /// Weights of the four edges of a RV.
    Edge = 12,
    /// Padding of the last line.
    Nop = 15,
}

/// SPE field that addresses all SPEs.
pub const ALL_SPES: u32 = 0xFFF;

/// Sides of a halo.
const LEFT: u32 = 0;
const RIGHT: u32 = 1;
const UP: u32 = 2;
const DOWN: u32 = 3;

/// One 64-bit load record.
pub fn record(target: Target, spe: u32, address: u32, data: u32) -> u64 {
    u64::from(target as u8) << 60
        | u64::from(spe & 0xFFF) << 48
        | u64::from(address & 0xFF_FFFF) << 24
        | u64::from(data & 0xFF_FFFF)
}

/// All load records of `job`, in an order that needs no waits: tables, then every SPE's memories.
pub fn load_records(shape: &ArrayShape, tiling: &Tiling, job: &Job) -> Vec<u64> {
    let mut records = Vec::new();
    tables(&mut records, tiling, job);
    let labels = job.initial_labels();
    for spe in 0..shape.spes() {
        let (ox, oy) = tiling.origin(spe);
        records.push(record(Target::Origin, spe, 0, ox));
        records.push(record(Target::Origin, spe, 1, oy));
        tile(&mut records, shape, tiling, job, &labels, spe);
    }
    records
}

fn tables(records: &mut Vec<u64>, tiling: &Tiling, job: &Job) {
    let (problem, hardware) = (job.problem(), job.hardware());
    let mut all = |target, address, data| records.push(record(target, ALL_SPES, address, data));
    for (entry, step) in job.run().schedule.steps().iter().enumerate() {
        let entry = entry as u32;
        all(Target::Schedule, entry, step.iterations);
        let table = WeightTable::new(hardware, step.temperature, job.run().cutoff);
        match hardware.weights {
            Weights::Pow2 => {
                table
                    .limits
                    .iter()
                    .enumerate()
                    .for_each(|(k, &t)| all(Target::Weight, entry * 16 + k as u32, t));
            }
            Weights::Linear => {
                let base = entry << hardware.energy_bits;
                table
                    .table
                    .iter()
                    .enumerate()
                    .for_each(|(es, &w)| all(Target::Weight, base + es as u32, w.into()));
            }
        }
    }
    let least = |f: fn(&crate::job::Offset) -> i16| problem.vectors.iter().map(f).min().unwrap_or(0);
    let (vx0, vy0) = (least(|o| o.dx), least(|o| o.dy));
    for (l, v) in problem.vectors.iter().enumerate() {
        // Only differences matter: a bias makes both components unsigned.
        let data = u32::from(v.dy.abs_diff(vy0)) << 8 | u32::from(v.dx.abs_diff(vx0));
        all(Target::Vector, l as u32, data);
    }
    match &problem.singleton {
        Singleton::Pixels { offsets, .. } => {
            for (l, o) in offsets.iter().enumerate() {
                let (dx, dy) = (i32::from(o.dx), i32::from(o.dy));
                all(Target::Offset, 2 * l as u32, ((dy & 0xFFF) << 12 | (dx & 0xFFF)) as u32);
                all(Target::Offset, 2 * l as u32 + 1, (dy * tiling.s2_stride() as i32) as u32);
            }
        }
        Singleton::Values { values, .. } => {
            values.iter().enumerate().for_each(|(l, &v)| all(Target::Value, l as u32, v.into()));
        }
        Singleton::Table { .. } => {}
    }
    if let Pair::Table(table) = &problem.pair {
        for (i, &v) in table.iter().enumerate() {
            let (own, other) = (i / usize::from(problem.labels), i % usize::from(problem.labels));
            all(Target::Pair, (own << hardware.label_bits | other) as u32, v.into());
        }
    }
}

fn tile(records: &mut Vec<u64>, shape: &ArrayShape, tiling: &Tiling, job: &Job, labels: &[u8], spe: u32) {
    let problem = job.problem();
    let (width, height) = (i64::from(problem.width), i64::from(problem.height));
    let (ox, oy) = tiling.origin(spe);
    let inside = |x: i64, y: i64| x >= 0 && y >= 0 && x < width && y < height;
    let index = |x: i64, y: i64| (y * width + x) as usize;
    let label_at = |x: i64, y: i64| if inside(x, y) { u32::from(labels[index(x, y)]) } else { 0 };
    let first = match &problem.singleton {
        Singleton::Pixels { first, .. } | Singleton::Values { first, .. } => Some(first),
        Singleton::Table { .. } => None,
    };
    let (w, h) = (tiling.tile_width, tiling.tile_height);
    for ty in 0..h {
        for tx in 0..w {
            let (x, y) = (i64::from(ox + tx), i64::from(oy + ty));
            if !inside(x, y) {
                continue;
            }
            let i = index(x, y);
            let sample = first.map_or(0, |first| u32::from(first[i]));
            let fixed = u32::from(problem.is_fixed(i));
            records.push(record(Target::S1, spe, tiling.rv_address(tx, ty), fixed << 8 | sample));
            let (bank, word) = tiling.label_address(tx, ty, shape.rv_capacity);
            records.push(record(Target::Label, spe, word << 2 | bank, labels[i].into()));
            if shape.edge_weights {
                // Without weights every edge has 1.
                let [left, right, up, down] = problem.edge_weights_around(x as u32, y as u32).map(u32::from);
                let data = down << 12 | up << 8 | right << 4 | left;
                records.push(record(Target::Edge, spe, tiling.rv_address(tx, ty), data));
            }
            if let Singleton::Table { costs } = &problem.singleton {
                let count = u32::from(problem.labels);
                for l in 0..count {
                    let (bank, word) = tiling.cost_address(tx, ty, l, count);
                    let address = word << tiling.spus.trailing_zeros() | bank;
                    let cost = costs[i * count as usize + l as usize];
                    records.push(record(Target::Cost, spe, address, cost.into()));
                }
            }
        }
    }
    let mut halo = |side: u32, i: u32, x: i64, y: i64| {
        records.push(record(Target::Halo, spe, side << 22 | i, label_at(x, y)));
    };
    let (ox, oy) = (i64::from(ox), i64::from(oy));
    for i in 0..h {
        halo(LEFT, i, ox - 1, oy + i64::from(i));
        halo(RIGHT, i, ox + i64::from(w), oy + i64::from(i));
    }
    for i in 0..w {
        halo(UP, i, ox + i64::from(i), oy - 1);
        halo(DOWN, i, ox + i64::from(i), oy + i64::from(h));
    }
    if let Singleton::Pixels { second, .. } = &problem.singleton {
        let (left, up) = match tiling.s2 {
            S2Addressing::Links => (0, 0),
            S2Addressing::Replicate { left, up } => (left, up),
        };
        for row in 0..tiling.s2_height {
            for column in 0..tiling.s2_width {
                let (x, y) = (ox + i64::from(column) - i64::from(left), oy + i64::from(row) - i64::from(up));
                if inside(x, y) {
                    let (bank, word) = tiling.s2_address(column, row);
                    let address = word << tiling.spus.trailing_zeros() | bank;
                    records.push(record(Target::S2, spe, address, second[index(x, y)].into()));
                }
            }
        }
    }
}
