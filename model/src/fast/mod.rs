//! The fast CPU sampler: the same bits as [`crate::spec`], hundreds of times as fast.
//!
//! What makes it fast, in the order of what it gives:
//! - energies as saturated bytes, the labels of a RV in the lanes of a vector ([`kernel`], [`block`]), or, with AVX-512,
//!   64 RVs in the lanes ([`across`]);
//! - pair costs as rows of a small table, singleton costs computed once ([`tables`], [`costs`]);
//! - no random number where only one label is live; eight blocks of the generator at a time elsewhere
//!   ([`threefry`]);
//! - the two colours in planes of their own with a border, so that rows are read and written in order and the
//!   field's edges cost nothing ([`field`]);
//! - several iterations in one sweep over the rows, so that costs come from a near cache; bands of rows for threads
//!   ([`sweep`]).
//!
//! What bytes cannot hold goes to the [`general`] sampler. Results depend neither on the
//! instruction set nor on the number of threads: a draw depends only on its RV, its neighbours and its iteration.

#[cfg(target_arch = "x86_64")]
mod across;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod costs;
mod edges;
mod field;
mod general;
mod kernel;
mod level;
mod log;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed;
mod singletons;
mod sweep;
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
use edges::EdgePlanes;
use field::{Encoding, Field};
use log::{Evidence, RowLog};
use sweep::{HalfStep, Plan, Sampling, Sweep};
use tables::ByteWeights;

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
/// `progress` is called with the number of finished iterations, once for each; as a sweep takes several iterations, the
/// calls come in bursts. Where it returns false, the run ends.
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
        state.iterate(1, progress)?;
    } else {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
            Error::Unsupported {
                feature: format!("{threads} threads ({error})"),
                remedy: "ask for fewer threads".into(),
            }
        })?;
        // The callback stays on the caller's thread; only sweeps go to the pool.
        pool.in_place_scope(|_| state.iterate(threads, progress))?;
    }
    state.finish()
}

/// A run in progress.
struct State<'a> {
    job: &'a Job,
    field: Field,
    packed: Option<packed::Sampler>,
    general: Option<general::General>,
    evidence: Option<Evidence>,
    edges: Option<EdgePlanes>,
    logs: [Vec<RowLog>; 2],
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
        let general = packed.is_none().then(|| general::General::new(job, level, argmin));
        let encoding = match (&packed, &general) {
            (Some(sampler), _) => sampler.encoding(),
            (_, Some(sampler)) => sampler.encoding(),
            (None, None) => Encoding::new(problem.labels, 1),
        };
        Self {
            job,
            field: Field::new(problem, encoding, &labels),
            packed,
            general,
            evidence: problem.fixed.as_ref().map(|fixed| Evidence::new(problem, fixed)),
            edges: EdgePlanes::new(problem),
            logs: [0, 1].map(|colour| RowLog::for_rows(problem, colour)),
        }
    }

    /// All iterations, in blocks that one sweep over the rows takes together.
    fn iterate(&mut self, threads: usize, progress: &mut dyn FnMut(u32) -> bool) -> Result<(), Error> {
        let (hardware, run, problem) = (self.job.hardware(), self.job.run(), self.job.problem());
        let bytes = match &self.packed {
            Some(sampler) => sampler.row_bytes(),
            None => usize::from(problem.labels) * 2 * problem.width.div_ceil(2) as usize,
        };
        let plan = Plan::new(problem.height as usize, bytes, threads);
        let entries: Vec<usize> = run.schedule.entry_of_iterations().collect();
        let mut samplings: Vec<(usize, Sampling<'_>)> = Vec::new();
        let mut iteration = 0;
        for block in entries.chunks(plan.iterations()) {
            samplings.retain(|(entry, _)| block.contains(entry));
            for &entry in block {
                if samplings.iter().all(|(known, _)| *known != entry) {
                    let temperature = run.schedule.steps()[entry].temperature;
                    let table = WeightTable::new(hardware, temperature, run.cutoff);
                    let sampling = match (&self.packed, &self.general) {
                        (Some(sampler), _) => Sampling::Packed(sampler, ByteWeights::new(hardware, &table)),
                        (_, Some(sampler)) => Sampling::General(sampler, table),
                        (None, None) => unreachable!("one sampler is always made"),
                    };
                    samplings.push((entry, sampling));
                }
            }
            let half_steps: Vec<HalfStep<'_>> = (iteration..)
                .zip(block)
                .flat_map(|(iteration, entry)| [0, 1].map(|colour| (iteration, entry, colour)))
                .filter_map(|(iteration, entry, colour)| {
                    let sampling = &samplings.iter().find(|(known, _)| known == entry)?.1;
                    let [_, c1] = rng::counter(0, 0, run.chain, iteration);
                    let count_max = (iteration >= run.burn_in).then_some(hardware.count_max() as u16);
                    Some(HalfStep { sampling, c1, colour, count_max })
                })
                .collect();
            let sweep = Sweep {
                half_steps: &half_steps,
                evidence: self.evidence.as_ref(),
                edges: self.edges.as_ref(),
                key: rng::key(run.seed),
                encoding: self.field.encoding(),
            };
            plan.run(&sweep, &mut self.field, &mut self.logs);
            for _ in block {
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
