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
//! - no update at all of a RV that would take its label again for certain ([`events`]);
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
mod events;
mod field;
mod general;
mod kernel;
mod level;
mod log;
pub mod memory;
#[cfg(target_arch = "aarch64")]
mod neon;
mod packed;
mod run;
mod singletons;
mod sweep;
mod tables;
mod threefry;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use level::Level;
pub use log::Sink;
pub use run::{Drained, Run};

use crate::error::Error;
use crate::job::{Job, Outcome};

/// How to run; `Default` takes all threads, the best instruction set and a table of costs up to 1 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Threads; 0 for all that the machine has.
    pub threads: usize,
    /// Instruction set; `None` for the best one that this CPU has.
    pub simd: Option<Level>,
    /// Updates every RV in every iteration, also those that cannot change (docs/edgs.md): slower, with the same results.
    pub update_all: bool,
    /// Bytes that a table of all singleton costs may take. Costs that would take more are made row by row, again in
    /// every sweep; only jobs that bytes cannot hold ([`general`]) always have their table.
    pub cost_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 0, simd: None, update_all: false, cost_bytes: 1 << 30 }
    }
}

/// Runs `job` from its start to its histogram, with the labels, histogram and messages of [`crate::spec::run`].
///
/// `progress` is called with the number of finished iterations, once for each; as a sweep takes several iterations, the
/// calls come in bursts. Where it returns false, the run ends. [`Run`] is the same in pieces.
///
/// # Errors
/// [`Error::Interrupted`] if `progress` ended the run, [`Error::Unsupported`] if the CPU lacks the instruction set
/// asked for or threads cannot be started.
pub fn run(job: &Job, options: &Options, progress: &mut dyn FnMut(u32) -> bool) -> Result<Outcome, Error> {
    let mut run = Run::new(job, options)?;
    let mut told = 0;
    let whole = run.advance(job.iterations(), &mut |iteration| {
        told = iteration;
        progress(iteration)
    });
    if whole { run.finish() } else { Err(Error::Interrupted { iterations: told }) }
}
