//! The fast CPU sampler: the same bits as [`crate::spec`], hundreds of times as fast.
//!
//! What makes it fast, in the order of what it gives:
//! - energies as saturated bytes, the labels of a RV in the lanes of a vector ([`kernel`], [`block`]);
//! - pair costs as rows of a small table, singleton costs computed once ([`tables`], [`costs`]);
//! - no random number where only one label is live; eight blocks of the generator at a time elsewhere
//!   ([`threefry`]);
//! - the two colours in planes of their own with a border, so that rows are read and written in order and the
//!   field's edges cost nothing ([`field`]); threads over the rows of a half-step.
//!
//! Whatever bytes cannot hold goes to the [`general`] sampler, iteration by iteration. Results depend neither on the
//! instruction set nor on the number of threads: a draw depends only on its RV, its neighbours and its iteration.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod costs;
mod field;
mod general;
mod kernel;
mod level;
mod log;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed;
mod singletons;
mod tables;
mod threefry;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use level::Level;

use crate::error::Error;
use crate::histogram::Histogram;
use crate::job::{Job, Outcome, Start};
use crate::rng;
use crate::weights::WeightTable;
use field::{Encoding, Field, Neighbours, Row};
use log::{Evidence, RowLog};
use rayon::prelude::*;
use tables::ByteWeights;
use threefry::RowStream;

/// How to run; `Default` takes all threads and the best instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Threads; 0 for all that the machine has.
    pub threads: usize,
    /// Instruction set; `None` for the best one that this CPU has.
    pub simd: Option<Level>,
}

/// Runs `job` from its start to its histogram, with the labels, histogram and messages of [`crate::spec::run`].
///
/// `progress` is called after every iteration with the number of finished ones; where it returns false, the run ends.
///
/// # Errors
/// [`Error::Interrupted`] if `progress` ended the run, [`Error::Unsupported`] if the CPU lacks the instruction set
/// asked for or threads cannot be started.
pub fn run(job: &Job, options: &Options, progress: &mut dyn FnMut(u32) -> bool) -> Result<Outcome, Error> {
    let level = Level::choose(options.simd)?;
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let mut state = State::new(job, level);
    if threads == 1 {
        state.iterate(false, progress)?;
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
            Error::Unsupported {
                feature: format!("{threads} threads ({error})"),
                remedy: "ask for fewer threads".into(),
            }
        })?;
        // The callback stays on the caller's thread; only half-steps go to the pool.
        pool.in_place_scope(|_| state.iterate(true, progress))?;
    }
    state.finish()
}

/// The kernel of an iteration with its weights.
enum Sampling<'a> {
    Packed(&'a packed::Sampler, ByteWeights),
    General(&'a general::General, WeightTable),
}

/// A run in progress.
struct State<'a> {
    job: &'a Job,
    field: Field,
    packed: Option<packed::Sampler>,
    general: Option<general::General>,
    evidence: Option<Evidence>,
    logs: [Vec<RowLog>; 2],
}

/// One half-step of one iteration.
struct HalfStep<'a> {
    sampling: &'a Sampling<'a>,
    neighbours: Neighbours<'a>,
    evidence: Option<&'a Evidence>,
    key: [u32; 2],
    c1: u32,
    colour: usize,
    /// MAX of Algorithm 1, in collected iterations.
    count_max: Option<u16>,
    encoding: Encoding,
}

impl HalfStep<'_> {
    fn row(&self, y: usize, mut out: Row<'_>, log: &mut RowLog) {
        let colour = self.colour;
        let stream = RowStream::new(self.key, self.c1, y as u32, colour as u32);
        let near = self.neighbours.of_row(y);
        let fixed = self.evidence.map(|evidence| evidence.row(y, colour));
        match self.sampling {
            Sampling::Packed(sampler, weights) => {
                let costs = sampler.costs().row(y, colour);
                sampler.row(kernel::Task { weights, stream, costs, near, fixed, out: out.reborrow() });
            }
            Sampling::General(sampler, weights) => {
                let at = (y, colour);
                sampler.row(general::Task { weights, stream, at, near, fixed, out: out.reborrow() });
            }
        }
        if let Some(max) = self.count_max {
            log.enter(out.cells(), fixed, self.encoding, max);
        }
    }
}

impl<'a> State<'a> {
    fn new(job: &'a Job, level: Level) -> Self {
        let problem = job.problem();
        // The start that needs all singletons is read off them where they are tabulated anyway.
        let mut labels = match job.run().start {
            Start::Argmin => vec![0; problem.rvs()],
            _ => job.initial_labels(),
        };
        let mut argmin = (job.run().start == Start::Argmin).then_some(labels.as_mut_slice());
        let packed = packed::Sampler::new(job, level, argmin.as_deref_mut());
        let general = packed.is_none().then(|| general::General::new(job, argmin));
        let encoding = match (&packed, &general) {
            (Some(sampler), _) => sampler.packed().pairs.encoding(),
            (_, Some(sampler)) => sampler.encoding(),
            (None, None) => Encoding::new(problem.labels, 1),
        };
        Self {
            job,
            field: Field::new(problem, encoding, &labels),
            packed,
            general,
            evidence: problem.fixed.as_ref().map(|fixed| Evidence::new(problem, fixed)),
            logs: [0, 1].map(|colour| RowLog::for_rows(problem, colour)),
        }
    }

    fn iterate(&mut self, parallel: bool, progress: &mut dyn FnMut(u32) -> bool) -> Result<(), Error> {
        let (hardware, run) = (self.job.hardware(), self.job.run());
        let key = rng::key(run.seed);
        let mut iteration = 0;
        for step in run.schedule.steps() {
            let table = WeightTable::new(hardware, step.temperature, run.cutoff);
            let sampling = match (&self.packed, &self.general) {
                (Some(sampler), _) => Sampling::Packed(sampler, ByteWeights::new(hardware, &table)),
                (_, Some(sampler)) => Sampling::General(sampler, table),
                (None, None) => unreachable!("one sampler is always made"),
            };
            for _ in 0..step.iterations {
                let count_max = (iteration >= run.burn_in).then_some(hardware.count_max() as u16);
                let [_, c1] = rng::counter(0, 0, run.chain, iteration);
                for colour in 0..2 {
                    let encoding = self.field.encoding();
                    let (rows, neighbours) = self.field.half_step(colour);
                    let half_step = HalfStep {
                        sampling: &sampling,
                        neighbours,
                        evidence: self.evidence.as_ref(),
                        key,
                        c1,
                        colour,
                        count_max,
                        encoding,
                    };
                    let logs = &mut self.logs[colour];
                    if parallel {
                        let rows = rows.into_par_iter().zip(logs.par_iter_mut()).enumerate();
                        // Less than a few rows are not worth a hand-over.
                        rows.with_min_len(4).for_each(|(y, (row, log))| half_step.row(y, row, log));
                    } else {
                        let rows = rows.into_iter().zip(logs).enumerate();
                        rows.for_each(|(y, (row, log))| half_step.row(y, row, log));
                    }
                }
                iteration += 1;
                if !progress(iteration) {
                    return Err(Error::Interrupted { iterations: iteration });
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Outcome, Error> {
        let mut messages = Vec::new();
        for log in self.logs.iter_mut().flatten() {
            log.drain_into(&mut messages);
        }
        let labels = self.field.labels();
        let histogram = Histogram::from_messages(self.job, &messages, &labels)?;
        Ok(Outcome { labels, histogram, messages, labels_touched: self.job.labels_evaluated() })
    }
}
