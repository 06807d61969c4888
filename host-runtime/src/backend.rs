//! Backends: everything that can run a [`Job`], behind one trait.

pub mod cpu;
pub mod cuda;
pub mod opae;
pub mod registry;
pub mod serial;
pub mod sim;

use crate::error::Error;
use crate::spill::Spill;
use spa_model::message::MessageFormat;
use spa_model::{Histogram, Job, LabelEntry, Message, Outcome, Snapshot};
use std::sync::Arc;

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

impl LogReport {
    /// The log of so many messages of the first `iteration` iterations of `job`, packed without gaps.
    pub fn packed(format: &MessageFormat, messages: u64, (job, iteration): (&Job, u32)) -> Self {
        let lines = messages.div_ceil(format.per_line() as u64);
        Self {
            messages,
            lines,
            bytes: lines * format.line_bytes() as u64,
            bytes_without_log: job.problem().free_rvs() as u64 * u64::from(job.collected_by(iteration)),
        }
    }
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

/// What a run reports whose messages are elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct DrainedReport {
    /// Labels after the last iteration, H×W.
    pub labels: Vec<u8>,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
    /// Seconds of the run itself.
    pub wall_seconds: f64,
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
    /// If the machine cannot run this job, fails, or answers with a damaged log; and if `progress` ended the run.
    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport>;

    /// Jobs that [`Backend::run_many`] runs at the same time, at most; 1 where it takes one after another.
    fn at_once(&self) -> usize {
        1
    }

    /// Runs jobs that differ in nothing but their pictures, evidence, seeds, chains and starts: each with the results of
    /// [`Backend::run`], and its share of the seconds. `progress` is that of the jobs that run at the time.
    ///
    /// # Errors
    /// As [`Backend::run`], and where a backend that runs several at once finds them not alike.
    fn run_many(&mut self, jobs: &[Job], progress: ProgressSink<'_>) -> anyhow::Result<Vec<RunReport>> {
        jobs.iter().map(|job| self.run(job, progress)).collect()
    }

    /// Why this backend runs jobs in one piece only; `None` if [`Backend::start`] works.
    fn in_one_piece(&self) -> Option<&'static str>;

    /// Begins a run of `job` in pieces, from its start or from a snapshot that any backend took of the same job. Several
    /// may be open at a time.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the backend if it cannot, and what [`Backend::run`] and [`Snapshot::check`] refuse.
    fn start<'a>(&'a self, job: &'a Job, from: Option<Snapshot>) -> anyhow::Result<Box<dyn Session + 'a>> {
        let _ = (job, from);
        Err(self.refuse_pieces("a run in pieces").into())
    }

    /// The refusal of `what` by a backend that runs jobs in one piece.
    fn refuse_pieces(&self, what: &str) -> Error {
        let (name, why) = (self.name(), self.in_one_piece().unwrap_or("it cannot"));
        Error::usage(format!("backend '{name}' does not do {what}: {why}; use --backend cpu or cuda"))
    }
}

/// A run in pieces. However it is cut, its results are those of [`Backend::run`], bit for bit.
pub trait Session {
    /// Iterations done.
    fn iteration(&self) -> u32;

    /// Runs on until `to` iterations are done (at most all of the job), as [`Backend::run`] does; true if they are, false
    /// if `progress` asked to stop before. Then the run stands somewhat later, at [`Session::iteration`], and can go on.
    ///
    /// # Errors
    /// If the machine fails.
    fn advance(&mut self, to: u32, progress: ProgressSink<'_>) -> anyhow::Result<bool>;

    /// The labels now, H×W.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn labels(&mut self) -> anyhow::Result<Vec<u8>>;

    /// The total energy of the labels now (contract §3).
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn energy(&mut self) -> anyhow::Result<u64>;

    /// The histogram of the iterations collected so far, adding up to [`Job::collected_by`].
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn histogram(&mut self) -> anyhow::Result<Histogram>;

    /// Moves out the messages sent so far, for callers that add them up themselves; [`Session::histogram`],
    /// [`Session::snapshot`] and [`Session::finish`] then lack them.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn take_messages(&mut self) -> anyhow::Result<Vec<Message>>;

    /// The label entries now, H×W: picks that no message has told yet.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn entries(&mut self) -> anyhow::Result<Vec<LabelEntry>>;

    /// Everything that [`Backend::start`] needs to go on from here.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn snapshot(&mut self) -> anyhow::Result<Snapshot>;

    /// From now on messages go to `spill` while the run goes on; what needs them all here then lacks them.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn send_to(&mut self, spill: Arc<Spill>) -> anyhow::Result<()>;

    /// The report of the iterations done: at the end of the schedule that of [`Backend::run`], before it that of a job that
    /// ends here.
    ///
    /// # Errors
    /// As [`Session::advance`].
    fn finish(self: Box<Self>) -> anyhow::Result<RunReport>;

    /// The same after [`Session::send_to`] with this `spill`: it gets the messages that it lacks, and is the histogram then.
    ///
    /// # Errors
    /// As [`Session::advance`]; [`Error::File`] if messages could not be written.
    fn finish_to(self: Box<Self>, spill: &Spill) -> anyhow::Result<DrainedReport>;
}
