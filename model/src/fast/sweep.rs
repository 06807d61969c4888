//! The order of rows and half-steps: several iterations in one sweep, and bands of rows for threads.
//!
//! Half-step k of a row needs half-step k − 1 of that row and of the rows above and below, and must not come before
//! they have been read by half-step k − 1. So a sweep may go down the field once for many half-steps: when half-step 0
//! is at row s, half-step k is at row s − k. The rows in between and their singleton costs stay in a near cache, where
//! an iteration at a time would fetch all costs of the field from far away.
//!
//! With threads the field is cut into bands twice. In the first pass every band loses a row at each cut edge with every
//! half-step, so that it needs nothing of its neighbours; the second pass fills the wedges around the cuts, with
//! bands from middle to middle. Both passes touch only their own rows, so that the compiler can check it.

use super::costs::Window;
use super::edges::{EdgePlanes, WeightedNear};
use super::events::{self, Events};
use super::field::{Band, Encoding, Field, Near, Row, cut};
use super::kernel;
use super::log::{Evidence, RowLog, Sink};
use super::tables::ByteWeights;
use super::threefry::RowStream;
use super::{general, packed};
use crate::job::Problem;
use crate::weights::WeightTable;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes of costs that should stay in a core's second-level cache.
const CACHE: usize = 384 << 10;
/// Iterations of a sweep: fewer do not pay, more only delay progress.
const ITERATIONS: Range<usize> = 4..17;

/// The kernel of an iteration with its weights.
#[derive(Debug, Clone, Copy)]
pub enum Sampling<'a> {
    /// In bytes.
    Packed(&'a packed::Sampler, &'a ByteWeights),
    /// Anything.
    General(&'a general::General, &'a WeightTable),
}

/// One half-step of one iteration.
#[derive(Debug)]
pub struct HalfStep<'a> {
    /// How.
    pub sampling: Sampling<'a>,
    /// Counter word of the iteration.
    pub c1: u32,
    /// 0 for black.
    pub colour: usize,
    /// The collected iterations before this one, from the first one on.
    pub collected: Option<u16>,
    /// All RVs are updated, not only those that are awake.
    pub all: bool,
}

/// The half-steps of a sweep.
pub struct Sweep<'a> {
    /// In order; colours alternate.
    pub half_steps: &'a [HalfStep<'a>],
    /// Fixed RVs.
    pub evidence: Option<&'a Evidence>,
    /// Edge weights.
    pub edges: Option<&'a EdgePlanes>,
    /// MAX of Algorithm 1.
    pub count_max: u16,
    /// Key of the seed.
    pub key: [u32; 2],
    /// How labels become cells.
    pub encoding: Encoding,
    /// What costs are made of where there is no table.
    pub problem: &'a Problem,
    /// Takes messages out of the way.
    pub sink: Option<&'a dyn Sink>,
}

/// The rows of a task: the band that it may touch and what half-step k does of it.
struct Task<'a> {
    band: Band<'a>,
    events: events::Band<'a>,
    logs: [&'a mut [RowLog]; 2],
    /// First row of the logs.
    top: usize,
    /// The rows of half-step 0.
    rows: Range<usize>,
    /// Rows that the range loses (or, negative, wins) at its top and bottom with every half-step.
    shrink: [isize; 2],
}

impl Task<'_> {
    fn rows(&self, k: usize) -> Range<usize> {
        let [top, bottom] = self.shrink.map(|rows| rows * k as isize);
        self.rows.start.saturating_add_signed(top)..self.rows.end.saturating_add_signed(-bottom)
    }

    fn run(mut self, sweep: &Sweep<'_>) {
        let last = sweep.half_steps.len() - 1;
        let first_row = self.rows(0).start.min(self.rows(last).start);
        let end = self.rows(0).end.max(self.rows(last).end) + last;
        let mut scratch = Scratch::default();
        for s in first_row..end {
            for (k, half_step) in sweep.half_steps.iter().enumerate() {
                let Some(y) = s.checked_sub(k).filter(|y| self.rows(k).contains(y)) else { continue };
                let log = &mut self.logs[half_step.colour][y - self.top];
                let rows = self.band.row(y, half_step.colour);
                sweep.row(half_step, y, rows, &mut self.events, &mut scratch, log);
            }
        }
    }
}

/// What rows need in turn.
#[derive(Debug, Default)]
struct Scratch<'a> {
    weighted: WeightedNear,
    awake: Vec<u64>,
    /// Costs, where there is no table.
    costs: Option<Window<'a>>,
}

/// Rows where more than this share of the RVs is awake are updated as a whole: walking bits costs more there.
const MOST: (u32, u32) = (3, 4);

impl<'a> Sweep<'a> {
    fn row(
        &self,
        half_step: &HalfStep<'_>,
        y: usize,
        (mut out, near): (Row<'_>, Near<'_>),
        events: &mut events::Band<'_>,
        scratch: &mut Scratch<'a>,
        log: &mut RowLog,
    ) {
        let colour = half_step.colour;
        let awake = &mut scratch.awake;
        let mut all = half_step.all;
        if !all {
            events.awake(y, colour, awake);
            if let Sampling::Packed(sampler, _) = half_step.sampling
                && sampler.takes_words()
            {
                events.whole_words(y, colour, awake);
            }
            let updates = events::count(awake);
            all = updates * MOST.1 > out.count as u32 * MOST.0;
            if !all {
                log.updates += u64::from(updates);
            }
        }
        if all {
            log.updates += u64::from(events::count(events.free(y, colour)));
        }
        let (mut bits, free) = events.row(y, colour);
        if all || awake.iter().any(|&word| word != 0) {
            let stream = RowStream::new(self.key, half_step.c1, y as u32, colour as u32);
            let fixed = self.evidence.map(|evidence| evidence.row(y, colour));
            let edges = self.edges.map(|edges| edges.row(y, colour));
            let awake = (!all).then_some(awake.as_slice());
            let (bits, out) = (bits.reborrow(), out.reborrow());
            match half_step.sampling {
                Sampling::Packed(sampler, weights) => {
                    let near = match (edges, sampler.plane()) {
                        (Some(edges), Some(plane)) => scratch.weighted.shift(near, edges, plane),
                        _ => near,
                    };
                    let costs = sampler.costs();
                    let row = costs.row(y, colour).unwrap_or_else(|| {
                        let window = || Window::new(self.problem, costs, self.half_steps.len());
                        scratch.costs.get_or_insert_with(window).row(y, colour)
                    });
                    sampler.row(row, kernel::Task { weights, stream, near, fixed, awake, bits, out });
                }
                Sampling::General(sampler, weights) => {
                    let at = (y, colour);
                    sampler.row(general::Task { weights, stream, at, near, edges, fixed, awake, bits, out });
                }
            }
        }
        bits.mask(free);
        if let Some(collected) = half_step.collected {
            let entered = if collected == 0 { free } else { &*bits.changed };
            log.enter(out.cells(), entered, self.encoding, self.count_max, collected);
            if let Some(sink) = self.sink {
                log.hand_over(sink, y);
            }
        }
    }
}

/// How many iterations a sweep takes, and where threads cut the field.
#[derive(Debug)]
pub struct Plan {
    height: usize,
    iterations: usize,
    cuts: Vec<usize>,
}

impl Plan {
    /// The plan for `height` rows with `row_bytes` of costs a colour.
    pub fn new(height: usize, row_bytes: usize, threads: usize) -> Self {
        // With k iterations 2k + 2 rows of both colours are in use.
        let fit = (CACHE / (2 * row_bytes)).saturating_sub(2) / 2;
        let mut iterations = fit.clamp(ITERATIONS.start, ITERATIONS.end - 1);
        let mut bands = 1;
        if threads > 1 {
            // Two bands a thread even out the load, where rows are many enough.
            bands = (height / least_band(iterations)).min(2 * threads);
            if bands < threads {
                iterations = (height / threads).saturating_sub(2) / 4;
                iterations = iterations.clamp(1, ITERATIONS.end - 1);
                bands = (height / least_band(iterations)).min(threads);
            }
        }
        let bands = bands.max(1);
        Self { height, iterations, cuts: (1..bands).map(|band| band * height / bands).collect() }
    }

    /// Iterations of a sweep where `left` are still to do: equal shares, so that none ends with a short one.
    pub fn share(&self, left: usize) -> usize {
        left.div_ceil(left.div_ceil(self.iterations).max(1))
    }

    /// True if threads have bands of their own.
    pub fn is_cut(&self) -> bool {
        !self.cuts.is_empty()
    }

    /// Runs a sweep of at most [`Plan::share`] iterations on the current thread pool.
    pub fn run(
        &self,
        sweep: &Sweep<'_>,
        field: &mut Field,
        events: &mut Events,
        logs: &mut [Vec<RowLog>; 2],
    ) {
        let bounds: Vec<usize> =
            std::iter::once(0).chain(self.cuts.iter().copied()).chain([self.height]).collect();
        let first = |j: usize| {
            let (top, bottom) = (bounds[j], bounds[j + 1]);
            let (cut_top, cut_bottom) = (usize::from(j > 0), usize::from(j + 2 < bounds.len()));
            (top + cut_top..bottom - cut_bottom, [cut_top as isize, cut_bottom as isize])
        };
        pass(sweep, (&mut *field, &mut *events, &mut *logs), &self.cuts, first);
        if !self.cuts.is_empty() {
            let middles: Vec<usize> = self.cuts.windows(2).map(|w| w[0].midpoint(w[1])).collect();
            pass(sweep, (field, events, logs), &middles, |j| (self.cuts[j] - 1..self.cuts[j] + 1, [-1, -1]));
        }
    }
}

/// Rows that a band needs for `iterations`: both passes lose, or win, a row and one more with every half-step at each
/// side of a cut, and read one row beyond.
fn least_band(iterations: usize) -> usize {
    2 * (2 * iterations + 1)
}

/// One pass over the bands between `cuts`; `rows` gives the rows of half-step 0 of a band and how they shrink.
fn pass(
    sweep: &Sweep<'_>,
    (field, events, logs): (&mut Field, &mut Events, &mut [Vec<RowLog>; 2]),
    cuts: &[usize],
    rows: impl Fn(usize) -> (Range<usize>, [isize; 2]),
) {
    let [black, white] = logs;
    let black = cut(black, cuts.iter().copied());
    let white = cut(white, cuts.iter().copied());
    let tops = std::iter::once(0).chain(cuts.iter().copied());
    let tasks: Vec<Task<'_>> = field
        .bands(cuts)
        .into_iter()
        .zip(events.bands(cuts))
        .zip(black.into_iter().zip(white))
        .zip(tops)
        .enumerate()
        .map(|(j, (((band, events), (black, white)), top))| {
            let (rows, shrink) = rows(j);
            Task { band, events, logs: [black, white], top, rows, shrink }
        })
        .collect();
    if tasks.len() == 1 {
        tasks.into_iter().for_each(|task| task.run(sweep));
    } else {
        tasks.into_par_iter().for_each(|task| task.run(sweep));
    }
}
