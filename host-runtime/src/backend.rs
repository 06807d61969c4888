//! Backends: everything that can run a [`Job`], behind one trait.

pub mod cpu;
pub mod cuda;
pub mod registry;
pub mod sim;

use spa_model::{Job, Outcome};

/// What a long run tells while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u32,
    /// Iterations in all.
    pub iterations: u32,
}

/// Called now and then with the progress of a run; returns false to ask the backend to stop.
pub type ProgressSink<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// Figures of a run on an array of SPEs, simulated or real; counted by the hardware's own registers.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayReport {
    /// Rows of SPEs.
    pub rows: u32,
    /// Columns of SPEs.
    pub cols: u32,
    /// SPUs in each SPE.
    pub spu: u32,
    /// Cycles from first issue to last write-back.
    pub cycles: u64,
    /// Slots issued (each k labels-walks in every SPE).
    pub slots: u64,
    /// Labels per cycle and SPU, padding included: slots · L / cycles.
    pub labels_per_cycle_per_spu: f64,
    /// Share of issued RV updates that were not padding.
    pub useful_fraction: f64,
    /// Cycles in which a slot was withheld (full FIFO, ring or memory).
    pub stall_cycles: u64,
    /// Cycles of loading.
    pub load_cycles: u64,
    /// Cycles of the final drain, to the last write response.
    pub drain_cycles: u64,
}

/// The label log of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogReport {
    /// Messages.
    pub messages: u64,
    /// Lines written to memory.
    pub lines: u64,
    /// Bytes of those lines.
    pub bytes: u64,
    /// Bytes that one byte a label and collected iteration would have taken.
    pub bytes_without_log: u64,
}

/// Everything a backend reports.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// Labels, histogram, messages.
    pub outcome: Outcome,
    /// Seconds of the run itself, without building and loading files.
    pub wall_seconds: f64,
    /// Figures of the array; none for software backends.
    pub array: Option<ArrayReport>,
    /// Figures of the log.
    pub log: LogReport,
}

/// A machine that runs jobs.
pub trait Backend {
    /// Name as given to `--backend`.
    fn name(&self) -> &'static str;

    /// Runs `job`; `progress` is called a few times a second at most.
    ///
    /// # Errors
    /// If the machine cannot run this job, fails, or answers with a damaged log.
    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport>;
}
