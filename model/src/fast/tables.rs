//! What the packed kernel looks up: pair costs, thresholds and label masks, in bytes.

use super::field::{Cell, Encoding};
use crate::hardware::{Hardware, Weights};
use crate::job::Problem;
use crate::weights::WeightTable;

/// Bytes that start at a multiple of 64, so that no load of a block crosses a cache line.
#[derive(Debug)]
pub struct AlignedBytes {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` bytes of value `fill`.
    pub fn new(len: usize, fill: u8) -> Self {
        let bytes = vec![fill; len + 63];
        let start = bytes.as_ptr().align_offset(64).min(63);
        Self { bytes, start, len }
    }

    /// To read.
    pub fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// To write.
    pub fn get_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// min(w·β·V(·, m), 255) as a row for every neighbour label m, and a null row of zeros: one plane of such rows for w = 1,
/// or with edge weights one for every w from 0 to the largest.
#[derive(Debug)]
pub struct PairRows {
    encoding: Encoding,
    /// Cells from a weight's rows to those of the next one.
    plane: Cell,
    rows: AlignedBytes,
}

impl PairRows {
    /// The rows of `problem`, `stride` bytes each: a multiple of 8, at least the labels. `None` if cells cannot address
    /// the rows of all its edge weights.
    pub fn new(problem: &Problem, stride: usize) -> Option<Self> {
        let labels = usize::from(problem.labels);
        let encoding = Encoding::new(problem.labels, (stride / 8) as u16);
        let weights = match problem.edge_weights {
            Some(_) => 0..=problem.edge_weight_max(),
            None => 1..=1,
        };
        let plane = (labels + 1) * stride / 8;
        let cells = plane * weights.clone().count();
        if cells > 1 << Cell::BITS {
            return None;
        }
        let mut rows = AlignedBytes::new(cells * 8, 0);
        for (plane, weight) in rows.get_mut().chunks_exact_mut(plane * 8).zip(weights) {
            for (m, row) in plane.chunks_exact_mut(stride).take(labels).enumerate() {
                for (l, cost) in row.iter_mut().take(labels).enumerate() {
                    *cost = (weight * u32::from(problem.beta) * problem.pair_cost(l, m)).min(255) as u8;
                }
            }
        }
        // At most 257 · 32.
        Some(Self { encoding, plane: plane as Cell, rows })
    }

    /// Cells from a weight's rows to those of the next one; a neighbour's cell plus w times this leads to its row for w.
    pub fn plane(&self) -> Cell {
        self.plane
    }

    /// How labels address the rows.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The row of a cell, as long as the stride.
    #[inline(always)]
    pub fn row(&self, cell: Cell) -> &[u8] {
        let stride = usize::from(self.encoding.unit) * 8;
        debug_assert!(
            usize::from(cell) * 8 + stride <= self.rows.len && cell.is_multiple_of(self.encoding.unit)
        );
        let start = self.rows.start + usize::from(cell) * 8;
        // SAFETY: every cell of a field is made by the field's `Encoding` from a label that `Job::new` checked, or
        // is the null cell: at most labels · unit. With edge weights whole planes are added, no more than the largest
        // weight of the job (`EdgePlanes` holds no other). So the row ends at or before the end of the last plane. This
        // is the one index in the innermost loop that the compiler cannot check for free (an eighth of the cold phase).
        unsafe { self.rows.bytes.get_unchecked(start..start + stride) }
    }
}

/// The weights of one temperature as the kernel wants them.
#[derive(Debug, Clone)]
pub struct ByteWeights {
    /// Largest Es of weight > 0.
    pub theta: u8,
    /// Largest Es that keeps each weight, the largest weight first; 255 (never passed) where there are fewer.
    pub thetas: [u8; 8],
    /// Weight by the number of `thetas` that Es is above.
    pub by_count: [u8; 16],
    /// w(Es), for linear weights: 256 entries.
    pub table: Vec<u8>,
}

impl ByteWeights {
    /// The weights of a table for Es up to 255.
    pub fn new(hardware: &Hardware, table: &WeightTable) -> Self {
        let theta = table.table.iter().rposition(|&w| w > 0).unwrap_or(0).min(255) as u8;
        let mut bytes = table.table.clone();
        bytes.resize(256, 0);
        let (mut thetas, mut by_count) = ([255; 8], [0; 16]);
        if hardware.weights == Weights::Pow2 {
            // Limits that a cut-off switched off are the lowest ones, so the others form a descending ladder.
            let active = table.limits.iter().rev().take_while(|&&limit| limit > 0);
            for (n, &limit) in active.enumerate() {
                thetas[n] = (limit - 1).min(255) as u8;
                by_count[n] = 1 << (usize::from(hardware.p_bits) - 1 - n);
            }
        }
        Self { theta, thetas, by_count, table: bytes }
    }
}

/// What turns a sum of bytes into an energy, and the form of the weights.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Right shift.
    pub shift: u8,
    /// Largest energy.
    pub energy_max: u8,
    /// Weights from a table instead of a ladder of powers of two.
    pub linear: bool,
}

impl Form {
    /// True if the sum is the energy and weights are powers of two: the default, and the fast form.
    pub fn is_plain(&self) -> bool {
        self.is_plain_sum() && !self.linear
    }

    /// True if the sum is the energy.
    pub fn is_plain_sum(&self) -> bool {
        self.shift == 0 && self.energy_max == 255
    }

    /// The byte form of `problem`, or `None` if bytes cannot hold it.
    ///
    /// Byte sums saturate at 255 after every addition. All terms are ≥ 0, so that equals one saturation of the whole
    /// sum: min(sum, 255). The energy min(sum >> shift, max) follows from it exactly if the sum never passes
    /// 255, or if 255 >> shift is at least max.
    pub fn new(hardware: &Hardware, problem: &Problem) -> Option<Self> {
        let linear = hardware.weights == Weights::Linear;
        let saturates_alike = 255_u32 >> problem.shift >= hardware.energy_max();
        if saturates_alike || largest_sum(problem) <= 255 {
            let energy_max = hardware.energy_max().min(255) as u8;
            return Some(Self { shift: problem.shift.min(8), energy_max, linear });
        }
        None
    }
}

/// A bound of α·S + β·Σ w·V.
pub fn largest_sum(problem: &Problem) -> u32 {
    let singleton = match problem.singleton {
        crate::Singleton::Pixels { .. } => problem.data_cap.max(problem.s_outside),
        _ => problem.data_cap,
    };
    u32::from(problem.alpha) * u32::from(singleton)
        + 4 * problem.edge_weight_max() * u32::from(problem.beta) * u32::from(problem.pair_cap)
}
