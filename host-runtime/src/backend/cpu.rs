//! The software backend: the model's fast sampler on all cores.

use super::{Backend, DrainedReport, LogReport, Progress, ProgressSink, RunReport, Session};
use crate::logfile::message_format;
use crate::spill::Spill;
use spa_model::fast::Drained;
use spa_model::message::MessageFormat;
use spa_model::{ArrayShape, Histogram, Job, LabelEntry, Message, Snapshot, fast};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Least time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// Runs jobs on the cores of this machine.
#[derive(Debug, Clone, Default)]
pub struct CpuBackend {
    /// Threads; 0 for all.
    threads: usize,
    /// Shape of the build, whose message format counts the log; none for the default format.
    shape: Option<ArrayShape>,
    /// Bytes that a table of costs may take; none for the default.
    cost_bytes: Option<usize>,
}

impl CpuBackend {
    /// A backend with so many threads (0 for all) that counts its log as the build of `shape` would write it.
    pub fn new(threads: usize, shape: Option<ArrayShape>) -> Self {
        Self { threads, shape, cost_bytes: None }
    }

    /// The same with tables of costs of so many bytes at most: beyond, costs are made on the way.
    #[must_use]
    pub fn with_cost_bytes(self, bytes: usize) -> Self {
        Self { cost_bytes: Some(bytes), ..self }
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        let mut session = self.start(job, None)?;
        if session.advance(job.iterations(), progress)? {
            return session.finish();
        }
        Err(spa_model::Error::Interrupted { iterations: session.iteration() }.into())
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        None
    }

    fn start<'a>(&'a self, job: &'a Job, from: Option<Snapshot>) -> anyhow::Result<Box<dyn Session + 'a>> {
        let mut options = fast::Options { threads: self.threads, ..fast::Options::default() };
        options.cost_bytes = self.cost_bytes.unwrap_or(options.cost_bytes);
        let begun = Instant::now();
        let run = match from {
            None => fast::Run::new(job, &options)?,
            Some(snapshot) => fast::Run::restore(job, &options, snapshot)?,
        };
        let format = message_format(job, self.shape.as_ref());
        Ok(Box::new(CpuSession { run, format, time: begun.elapsed() }))
    }
}

/// A run in pieces on the cores of this machine.
struct CpuSession<'a> {
    run: fast::Run<'a>,
    format: MessageFormat,
    /// Time of the run itself so far.
    time: Duration,
}

impl Session for CpuSession<'_> {
    fn iteration(&self) -> u32 {
        self.run.iteration()
    }

    fn advance(&mut self, to: u32, progress: ProgressSink<'_>) -> anyhow::Result<bool> {
        let iterations = self.run.job().iterations();
        let to = to.min(iterations);
        let begun = Instant::now();
        let mut reported = begun;
        let reached = self.run.advance(to, &mut |iteration| {
            if reported.elapsed() < INTERVAL && iteration < to {
                return true;
            }
            reported = Instant::now();
            progress(Progress { iteration, iterations })
        });
        self.time += begun.elapsed();
        Ok(reached)
    }

    fn labels(&mut self) -> anyhow::Result<Vec<u8>> {
        Ok(self.run.labels())
    }

    fn energy(&mut self) -> anyhow::Result<u64> {
        Ok(self.run.energy())
    }

    fn histogram(&mut self) -> anyhow::Result<Histogram> {
        Ok(self.run.histogram()?)
    }

    fn take_messages(&mut self) -> anyhow::Result<Vec<Message>> {
        Ok(self.run.take_messages())
    }

    fn entries(&mut self) -> anyhow::Result<Vec<LabelEntry>> {
        Ok(self.run.entries())
    }

    fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
        Ok(self.run.snapshot())
    }

    fn send_to(&mut self, spill: Arc<Spill>) -> anyhow::Result<()> {
        self.run.send_to(spill);
        Ok(())
    }

    fn finish(self: Box<Self>) -> anyhow::Result<RunReport> {
        let (job, iteration, begun) = (self.run.job(), self.run.iteration(), Instant::now());
        let outcome = self.run.finish()?;
        let wall_seconds = (self.time + begun.elapsed()).as_secs_f64();
        let log = LogReport::packed(&self.format, outcome.messages.len() as u64, (job, iteration));
        Ok(RunReport { outcome, wall_seconds, array: None, log })
    }

    fn finish_to(self: Box<Self>, spill: &Spill) -> anyhow::Result<DrainedReport> {
        let (job, iteration, begun) = (self.run.job(), self.run.iteration(), Instant::now());
        let Drained { labels, labels_touched } = self.run.finish_to(spill);
        let wall_seconds = (self.time + begun.elapsed()).as_secs_f64();
        let log = LogReport::packed(&self.format, spill.messages()?, (job, iteration));
        Ok(DrainedReport { labels, labels_touched, wall_seconds, log })
    }
}
