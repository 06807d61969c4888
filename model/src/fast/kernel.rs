//! The packed kernel: one colour of one row, the labels of a RV in the lanes of a vector, a byte each.
//!
//! Works on 16 RVs at a time, in two passes. The first one computes all energies without a branch and settles every
//! RV with a single live label (Es ≤ θ_0): the draw has one outcome, so its random number is left out. The second
//! one draws for the others. Keeping them apart costs two stores a RV and saves a mispredicted branch a RV in the
//! middle of an annealing schedule, where one and several live labels mix.

use super::block::Block;
use super::field::{Cell, Near};
use super::tables::{ByteWeights, Form, PairRows};
use super::threefry::{CHUNK, RowStream};

/// What does not change during a run.
#[derive(Debug)]
pub struct Packed {
    /// Pair costs.
    pub pairs: PairRows,
    /// From sums to energies and weights.
    pub form: Form,
    /// Labels L.
    pub labels: usize,
    /// Right shift of u.
    pub u_bits: u8,
}

/// One colour of one row in one iteration.
#[derive(Debug)]
pub struct Task<'a> {
    /// The weights of the iteration.
    pub weights: &'a ByteWeights,
    /// The random words of the row.
    pub stream: RowStream,
    /// Singleton costs, a stride a RV.
    pub costs: &'a [u8],
    /// The neighbours' cells.
    pub near: Near<'a>,
    /// True where a RV is fixed.
    pub fixed: Option<&'a [bool]>,
    /// The cells to write.
    pub out: &'a mut [Cell],
}

/// Scaled energies of a chunk, and the weights of one RV.
#[repr(align(64))]
struct Scratch<const M: usize> {
    es: [[[u8; 64]; M]; CHUNK],
    weights: [[u8; 64]; M],
}

/// Samples a row; M is the number of blocks of a RV, PLAIN tells [`Form::is_plain`].
#[inline(always)]
pub fn row<B: Block, const M: usize, const PLAIN: bool>(b: B, packed: &Packed, task: Task<'_>) {
    let stride = B::BYTES * M;
    let unit = packed.pairs.encoding().unit;
    let theta = b.splat(task.weights.theta.wrapping_add(B::BIAS));
    let lanes = lanes::<M>(packed.labels);
    let lane_bytes =
        lanes.map(|bits| std::array::from_fn::<u8, 64, _>(|l| ((bits >> l & 1) as u8).wrapping_neg()));
    let ladder = Ladder::new(b, task.weights);
    let mut scratch = Scratch { es: [[[0; 64]; M]; CHUNK], weights: [[0; 64]; M] };

    for first in (0..task.out.len()).step_by(CHUNK) {
        let n = CHUNK.min(task.out.len() - first);
        let costs = &task.costs[first * stride..][..n * stride];
        let near = task.near.map(|cells| &cells[first..][..n]);
        let mut labels = [0_u8; CHUNK];
        let mut live = [[0_u64; M]; CHUNK];
        let mut several = 0_u32;

        for i in 0..n {
            let rows = near.map(|cells| packed.pairs.row(cells[i]));
            let mut e = [b.splat(0); M];
            for (m, e) in e.iter_mut().enumerate() {
                let at = m * B::BYTES;
                // Two short chains of sums instead of one long one.
                let x = b.add_saturating(b.load(&rows[0][at..]), b.load(&rows[1][at..]));
                let y = b.add_saturating(b.load(&rows[2][at..]), b.load(&rows[3][at..]));
                let s = b.load(&costs[i * stride + at..]);
                *e = b.add_saturating(b.add_saturating(s, x), y);
                if !PLAIN {
                    let shifted = b.shift_right(*e, packed.form.shift);
                    *e = b.min(shifted, b.splat(packed.form.energy_max));
                }
            }
            let mut least = e[0];
            for e in &e[1..] {
                least = b.min(least, *e);
            }
            let base = b.base(least);
            let mut count = 0;
            for m in (0..M).rev() {
                let es = b.scaled(e[m], base);
                b.store(es, &mut scratch.es[i][m]);
                let bits = b.at_most(es, theta) & lanes[m];
                live[i][m] = bits;
                if M == 1 {
                    labels[i] = bits.trailing_zeros() as u8;
                    several |= u32::from(bits & bits.wrapping_sub(1) != 0) << i;
                } else if bits != 0 {
                    labels[i] = (64 * m) as u8 + bits.trailing_zeros() as u8;
                    count += bits.count_ones();
                }
            }
            if M > 1 {
                several |= u32::from(count > 1) << i;
            }
        }

        if let Some(fixed) = task.fixed {
            for (i, _) in fixed[first..][..n].iter().enumerate().filter(|(_, fixed)| **fixed) {
                several &= !(1 << i);
                labels[i] = packed.pairs.encoding().label(task.out[first + i]);
            }
        }
        if several != 0 {
            let words = task.stream.words(first);
            while several != 0 {
                let i = several.trailing_zeros() as usize;
                several &= several - 1;
                let mut w = [b.splat(0); M];
                if PLAIN || !packed.form.linear {
                    for m in 0..M {
                        w[m] = ladder.weights(b, b.load(&scratch.es[i][m]));
                        w[m] = b.and(w[m], b.load(&lane_bytes[m]));
                    }
                } else {
                    for m in 0..M {
                        let table = &task.weights.table;
                        look_up::<B>(table, &scratch.es[i][m], live[i][m], &mut scratch.weights[m]);
                        w[m] = b.load(&scratch.weights[m]);
                    }
                }
                let u = words[i] >> (32 - u32::from(packed.u_bits));
                labels[i] = draw::<B, M>(b, w, u, packed.u_bits, &mut scratch.weights);
            }
        }
        for (cell, label) in task.out[first..][..n].iter_mut().zip(labels) {
            *cell = Cell::from(label) * unit;
        }
    }
}

/// Bit l of word m is set if label 64m + l exists.
#[inline(always)]
fn lanes<const M: usize>(labels: usize) -> [u64; M] {
    let mut lanes = [0; M];
    for (m, lanes) in lanes.iter_mut().enumerate() {
        let left = labels.saturating_sub(64 * m);
        *lanes = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
    }
    lanes
}

/// Weights that are powers of two, by counting the thresholds that Es is above.
struct Ladder<B: Block> {
    thetas: [B::V; 8],
    by_count: [u8; 16],
}

impl<B: Block> Ladder<B> {
    #[inline(always)]
    fn new(b: B, weights: &ByteWeights) -> Self {
        let mut thetas = [b.splat(0); 8];
        for (v, theta) in thetas.iter_mut().zip(weights.thetas) {
            *v = b.splat(theta.wrapping_add(B::BIAS));
        }
        Self { thetas, by_count: weights.by_count }
    }

    #[inline(always)]
    fn weights(&self, b: B, es: B::V) -> B::V {
        let mut count = b.splat(0);
        for theta in self.thetas {
            count = b.count_above(count, es, theta);
        }
        b.lookup(&self.by_count, count)
    }
}

/// Weights from a table, label by label; only live labels have one.
#[inline(always)]
fn look_up<B: Block>(table: &[u8], es: &[u8; 64], mut live: u64, weights: &mut [u8; 64]) {
    *weights = [0; 64];
    while live != 0 {
        let l = live.trailing_zeros() as usize;
        live &= live - 1;
        weights[l] = table[usize::from(es[l].wrapping_sub(B::BIAS))];
    }
}

/// The first label whose prefix sum of weights exceeds r = (u·Σw) >> u_bits.
#[inline(always)]
fn draw<B: Block, const M: usize>(b: B, w: [B::V; M], u: u32, u_bits: u8, memory: &mut [[u8; 64]; M]) -> u8 {
    let groups = w.map(|w| b.groups(w));
    let sum: u32 = groups.iter().map(|&g| b.total(g)).sum();
    let mut r = ((u64::from(u) * u64::from(sum)) >> u_bits) as u32;
    let mut m = 0;
    while m + 1 < M && r >= b.total(groups[m]) {
        r -= b.total(groups[m]);
        m += 1;
    }
    b.store(w[m], &mut memory[m]);
    (64 * m) as u8 + b.find(groups[m], &memory[m], r) as u8
}
