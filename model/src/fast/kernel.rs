//! The packed kernel: one colour of one row, the labels of a RV in the lanes of a vector, a byte each.
//!
//! Works on 16 RVs at a time, in passes. The first one computes all energies without a branch and settles every RV
//! with a single live label (Es ≤ θ): the draw has one outcome, so its random number is left out. The second one
//! draws for the others. Keeping them apart costs two stores a RV and saves a mispredicted branch a RV in the middle of
//! an annealing schedule, where one and several live labels mix. At high temperatures, where nearly all RVs draw,
//! labels are not counted at all (a draw with one live label gives that label).

// Indices run over several arrays at once; iterator chains over them do not always unroll.
#![allow(clippy::needless_range_loop)]

use super::block::{Block, Sums};
use super::events::{self, Bits};
use super::field::{Cell, Near, Row};
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
    /// The neighbours' cells.
    pub near: Near<'a>,
    /// True where a RV is fixed.
    pub fixed: Option<&'a [bool]>,
    /// The RVs to update, or all.
    pub awake: Option<&'a [u64]>,
    /// The bits to note.
    pub bits: Bits<'a>,
    /// The cells to write.
    pub out: Row<'a>,
}

/// What the passes hand on.
#[repr(align(64))]
struct Scratch<const M: usize> {
    /// Scaled energies (with their bias), replaced by weights where a draw is needed.
    labels: [[[u8; 64]; M]; CHUNK],
    /// Prefix sums of the weights.
    sums: [[Sums; M]; CHUNK],
    /// Live labels, for linear weights.
    live: [[u64; M]; CHUNK],
}

/// Chunks from one count of live labels to the next while nearly all RVs draw.
const RECOUNT: usize = 8;

/// Samples a row with the singleton costs of its RVs, a stride each; M is the number of blocks of a RV, PLAIN tells
/// [`Form::is_plain`].
#[inline(always)]
pub fn row<B: Block, const M: usize, const PLAIN: bool>(
    b: B,
    packed: &Packed,
    costs: &[u8],
    mut task: Task<'_>,
) {
    let kernel = Kernel::<B, M, PLAIN>::new(b, packed, task.weights);
    let stride = B::BYTES * M;
    let encoding = packed.pairs.encoding();
    let mut scratch =
        Scratch { labels: [[[0; 64]; M]; CHUNK], sums: [[Sums::default(); M]; CHUNK], live: [[0; M]; CHUNK] };
    if let Some(awake) = task.awake {
        kernel.row_of(awake, costs, &mut task, &mut scratch);
        return;
    }
    let mut dense = false;
    let [left, right, up, down] = task.near;
    let near = left.iter().zip(right).zip(up).zip(down);
    for (chunk, (out, (((left, right), up), down))) in task.out.chunks.iter_mut().zip(near).enumerate() {
        let first = chunk * CHUNK;
        let n = CHUNK.min(task.out.count.saturating_sub(first));
        let costs = &costs[first * stride..][..n * stride];
        let near = [left, right, up, down];
        let mut labels = [0_u8; CHUNK];
        let mut several = u32::MAX;
        if !dense || chunk % RECOUNT == 0 {
            several = kernel.energies::<true>(near, costs, n, &mut scratch, &mut labels);
            dense = kernel.by_ladder() && 4 * several.count_ones() as usize >= 3 * n;
        } else {
            kernel.energies::<false>(near, costs, n, &mut scratch, &mut labels);
        }
        let fixed = task.fixed.map(|fixed| &fixed[first..first + n]);
        if dense {
            let words = b.words(&task.stream, first);
            kernel.draw_all(&words, n, &mut scratch, &mut labels);
        } else {
            if let Some(fixed) = fixed {
                fixed.iter().enumerate().for_each(|(i, &fixed)| several &= !(u32::from(fixed) << i));
            }
            if several != 0 {
                let words = b.words(&task.stream, first);
                kernel.draw_some(several, &words, &mut scratch, &mut labels);
            }
        }
        if let Some(fixed) = fixed {
            for (i, _) in fixed.iter().enumerate().filter(|(_, fixed)| **fixed) {
                labels[i] = encoding.label(out[i]);
            }
        }
        let mut cells = labels.map(|label| Cell::from(label) * encoding.unit);
        cells[n..].fill(encoding.null());
        let all = (1 << n) - 1;
        // Where nearly all RVs draw, neither their live labels nor their changes are worth counting.
        let (open, changed) = if dense { (all, all) } else { (several, b.differences(out, &cells)) };
        task.bits.note(chunk, open, changed);
        *out = cells;
    }
}

/// `f` on the index of every set bit of a chunk.
#[inline(always)]
fn each(mut bits: u32, mut f: impl FnMut(usize)) {
    while bits != 0 {
        let i = bits.trailing_zeros() as usize % CHUNK;
        bits &= bits - 1;
        f(i);
    }
}

/// What the passes over a row share, in registers as far as they go.
struct Kernel<'a, B: Block, const M: usize, const PLAIN: bool> {
    b: B,
    packed: &'a Packed,
    weights: &'a ByteWeights,
    theta: B::V,
    thetas: [B::V; 8],
    /// Bit l of word m is set if label 64m + l exists.
    lanes: [u64; M],
    /// The same as bytes 0 and 255.
    lane_bytes: [[u8; 64]; M],
}

impl<'a, B: Block, const M: usize, const PLAIN: bool> Kernel<'a, B, M, PLAIN> {
    #[inline(always)]
    fn new(b: B, packed: &'a Packed, weights: &'a ByteWeights) -> Self {
        let biased = |theta: u8| theta.wrapping_add(B::BIAS);
        let mut thetas = [b.splat(0); 8];
        for (v, theta) in thetas.iter_mut().zip(weights.thetas) {
            *v = b.splat(biased(theta));
        }
        let mut lanes = [0; M];
        let mut lane_bytes = [[0; 64]; M];
        for (m, (lanes, bytes)) in lanes.iter_mut().zip(&mut lane_bytes).enumerate() {
            let left = packed.labels.saturating_sub(64 * m).min(64);
            bytes[..left].fill(255);
            *lanes = if left == 64 { u64::MAX } else { (1 << left) - 1 };
        }
        Self { b, packed, weights, theta: b.splat(biased(weights.theta)), thetas, lanes, lane_bytes }
    }

    /// True if weights come from counting thresholds.
    #[inline(always)]
    fn by_ladder(&self) -> bool {
        PLAIN || !self.packed.form.linear
    }

    /// Scaled energies of `n` RVs. With COUNT also the first live label of each, and the bits of those with several.
    #[inline(always)]
    fn energies<const COUNT: bool>(
        &self,
        near: [&[Cell; CHUNK]; 4],
        costs: &[u8],
        n: usize,
        scratch: &mut Scratch<M>,
        labels: &mut [u8; CHUNK],
    ) -> u32 {
        let stride = B::BYTES * M;
        let mut several = 0;
        for i in 0..n {
            let cost = &costs[i * stride..][..stride];
            several |= self.energy::<COUNT>(i, near.map(|near| near[i]), cost, scratch, labels) << i;
        }
        several
    }

    /// Scaled energies of RV `i` of a chunk. With COUNT also its first live label, and 1 if there are several.
    #[inline(always)]
    fn energy<const COUNT: bool>(
        &self,
        i: usize,
        near: [Cell; 4],
        cost: &[u8],
        scratch: &mut Scratch<M>,
        labels: &mut [u8; CHUNK],
    ) -> u32 {
        let b = self.b;
        let pairs = &self.packed.pairs;
        let (left, right) = (pairs.row(near[0]), pairs.row(near[1]));
        let (up, down) = (pairs.row(near[2]), pairs.row(near[3]));
        let mut e = [b.splat(0); M];
        for m in 0..M {
            let at = m * B::BYTES;
            // Two short chains of sums instead of one long one.
            let x = b.add_saturating(b.load(&left[at..]), b.load(&right[at..]));
            let y = b.add_saturating(b.load(&up[at..]), b.load(&down[at..]));
            e[m] = b.add_saturating(b.add_saturating(b.load(&cost[at..]), x), y);
            if !PLAIN {
                let shifted = b.shift_right(e[m], self.packed.form.shift);
                e[m] = b.min(shifted, b.splat(self.packed.form.energy_max));
            }
        }
        let mut least = e[0];
        for m in 1..M {
            least = b.min(least, e[m]);
        }
        let base = b.base(least);
        let (mut count, mut several) = (0, false);
        for m in (0..M).rev() {
            let es = b.scaled(e[m], base);
            b.store(es, &mut scratch.labels[i][m]);
            if !COUNT {
                continue;
            }
            let bits = b.at_most(es, self.theta) & self.lanes[m];
            if !PLAIN {
                scratch.live[i][m] = bits;
            }
            if M == 1 {
                labels[i] = bits.trailing_zeros() as u8;
                several = bits & bits.wrapping_sub(1) != 0;
            } else if bits != 0 {
                labels[i] = (64 * m) as u8 + bits.trailing_zeros() as u8;
                count += bits.count_ones();
                several = count > 1;
            }
        }
        u32::from(several)
    }

    /// Updates the RVs of a row that are `awake`, none of them fixed.
    #[inline(always)]
    fn row_of(&self, awake: &[u64], costs: &[u8], task: &mut Task<'_>, scratch: &mut Scratch<M>) {
        let stride = B::BYTES * M;
        let unit = self.packed.pairs.encoding().unit;
        for (chunk, out) in task.out.chunks.iter_mut().enumerate() {
            let active = events::of_chunk(awake, chunk);
            if active == 0 {
                continue;
            }
            let near = [0, 1, 2, 3].map(|k| &task.near[k][chunk]);
            let first = chunk * CHUNK;
            let mut labels = [0_u8; CHUNK];
            let (mut several, mut changed) = (0, 0);
            each(active, |i| {
                let cost = &costs[(first + i) * stride..][..stride];
                several |= self.energy::<true>(i, near.map(|near| near[i]), cost, scratch, &mut labels) << i;
            });
            if several != 0 {
                let words = self.b.words(&task.stream, first);
                self.draw_some(several, &words, scratch, &mut labels);
            }
            each(active, |i| {
                let cell = Cell::from(labels[i]) * unit;
                changed |= u32::from(out[i] != cell) << i;
                out[i] = cell;
            });
            task.bits.note(chunk, several, changed);
        }
    }

    /// Draws for all `n` RVs, a stage at a time. The chain from energies to a label is some hundred cycles long; in
    /// stages a core overlaps a dozen of them instead of two.
    #[inline(always)]
    fn draw_all(&self, words: &[u32; CHUNK], n: usize, scratch: &mut Scratch<M>, labels: &mut [u8; CHUNK]) {
        let u_bits = self.packed.u_bits;
        let mut totals = [0_u32; CHUNK];
        for i in 0..n {
            totals[i] = self.weigh(i, scratch);
        }
        let mut r = [0_u32; CHUNK];
        for i in 0..CHUNK {
            let u = words[i] >> (32 - u32::from(u_bits));
            r[i] = ((u64::from(u) * u64::from(totals[i])) >> u_bits) as u32;
        }
        for i in 0..n {
            labels[i] = self.find(i, r[i], scratch);
        }
    }

    /// Draws for the RVs whose bits are set.
    #[inline(always)]
    fn draw_some(
        &self,
        mut several: u32,
        words: &[u32; CHUNK],
        scratch: &mut Scratch<M>,
        labels: &mut [u8; CHUNK],
    ) {
        let u_bits = self.packed.u_bits;
        while several != 0 {
            let i = several.trailing_zeros() as usize % CHUNK;
            several &= several - 1;
            let total = if self.by_ladder() { self.weigh(i, scratch) } else { self.look_up(i, scratch) };
            let u = words[i] >> (32 - u32::from(u_bits));
            let r = ((u64::from(u) * u64::from(total)) >> u_bits) as u32;
            labels[i] = self.find(i, r, scratch);
        }
    }

    /// Weights that are powers of two, by counting the thresholds that Es is above; gives their sum.
    #[inline(always)]
    fn weigh(&self, i: usize, scratch: &mut Scratch<M>) -> u32 {
        let b = self.b;
        let mut total = 0;
        for m in 0..M {
            let es = b.load(&scratch.labels[i][m]);
            let mut count = b.splat(0);
            for k in 0..8 {
                count = b.count_above(count, es, self.thetas[k]);
            }
            let w = b.and(b.lookup(&self.weights.by_count, count), b.load(&self.lane_bytes[m]));
            b.store(w, &mut scratch.labels[i][m]);
            total += b.sum_groups(w, &mut scratch.sums[i][m]);
        }
        total
    }

    /// Weights from a table, label by label; only live labels have one. Gives their sum.
    #[inline(always)]
    fn look_up(&self, i: usize, scratch: &mut Scratch<M>) -> u32 {
        let mut total = 0;
        for m in 0..M {
            let es = &mut scratch.labels[i][m];
            let mut weights = [0; 64];
            let mut live = scratch.live[i][m];
            while live != 0 {
                let l = live.trailing_zeros() as usize;
                live &= live - 1;
                weights[l] = self.weights.table[usize::from(es[l].wrapping_sub(B::BIAS))];
            }
            *es = weights;
            total += self.b.sum_groups(self.b.load(&weights), &mut scratch.sums[i][m]);
        }
        total
    }

    /// The first label whose prefix sum of weights exceeds `r`.
    #[inline(always)]
    fn find(&self, i: usize, mut r: u32, scratch: &Scratch<M>) -> u8 {
        let mut block = 0;
        for m in 0..M - 1 {
            let total = u32::from(scratch.sums[i][m].total());
            if block == m && r >= total {
                r -= total;
                block += 1;
            }
        }
        let (sums, weights) = (&scratch.sums[i][block], &scratch.labels[i][block]);
        (64 * block) as u8 + self.b.find(sums, weights, r) as u8
    }
}
