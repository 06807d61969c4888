//! The software backend: the model's fast sampler on all cores.

use super::{Backend, LogReport, Progress, ProgressSink, RunReport};
use crate::logfile::message_format;
use spa_model::{ArrayShape, Job, fast};
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
}

impl CpuBackend {
    /// A backend with so many threads (0 for all) that counts its log as the build of `shape` would write it.
    pub fn new(threads: usize, shape: Option<ArrayShape>) -> Self {
        Self { threads, shape }
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        let options = fast::Options { threads: self.threads, simd: None };
        let iterations = job.iterations();
        let start = Instant::now();
        let mut reported = start;
        let outcome = fast::run(job, &options, &mut |iteration| {
            if reported.elapsed() < INTERVAL && iteration < iterations {
                return true;
            }
            reported = Instant::now();
            progress(Progress { iteration, iterations })
        })?;
        let wall_seconds = start.elapsed().as_secs_f64();
        let format = message_format(job, self.shape.as_ref());
        let messages = outcome.messages.len() as u64;
        let lines = messages.div_ceil(format.per_line() as u64);
        let log = LogReport {
            messages,
            lines,
            bytes: lines * format.line_bytes() as u64,
            bytes_without_log: job.problem().free_rvs() as u64 * u64::from(job.collected()),
        };
        Ok(RunReport { outcome, wall_seconds, array: None, log })
    }
}
