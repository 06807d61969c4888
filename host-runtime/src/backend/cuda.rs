//! The CUDA backend: bit-identical with the specification on every job (docs/cuda.md).
//!
//! [`compile`] makes kernels for the card found, [`device`] owns the card's memory, [`generic`] runs every job;
//! [`packed`] is fast for the common configuration, [`plan`] says for which; [`sys`] holds all unsafe code.

pub mod baseline;
pub mod bench;
pub mod compile;
pub mod device;
pub mod error;
pub mod generic;
pub mod packed;
pub mod plan;
pub mod sys;

use super::{Backend, LogReport, Progress, ProgressSink, RunReport};
use crate::logfile::message_format;
use cudarc::driver::CudaEvent;
use device::Device;
pub use error::CudaError;
use spa_model::{ArrayShape, Histogram, Job, Message, Outcome};
use std::time::{Duration, Instant};

/// Which kernel runs a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kernel {
    /// The fastest that can run it.
    #[default]
    Auto,
    /// The dissertation's, in floating point: a yardstick, not exact.
    Baseline,
    /// Packed, every label of every RV.
    Dense,
    /// Packed, only what can change.
    Sparse,
    /// Every form, table and width.
    Generic,
}

/// What a kernel's runner gives back.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Labels after the last iteration, H×W.
    pub labels: Vec<u8>,
    /// All messages, in any order.
    pub messages: Vec<Message>,
    /// Seconds from the first launch to the end of the last.
    pub seconds: f64,
    /// Labels whose energy was computed.
    pub touched: u64,
    /// One lap a schedule entry; none from the generic kernel.
    pub laps: Vec<Lap>,
}

/// Figures of one schedule entry on the card.
#[derive(Debug, Clone, Default)]
pub struct Lap {
    /// Its temperature.
    pub temperature: f64,
    /// Its iterations.
    pub iterations: u32,
    /// Seconds on the card, by events.
    pub seconds: f64,
    /// Run by the sparse kernel.
    pub sparse: bool,
    /// With profiling, of all sparse launches so far: labels touched, RVs updated, RVs drawn among all labels, live labels
    /// of the others.
    pub counters: Vec<u64>,
}

/// Sets the seconds of each lap from the marks before and after it.
fn fill_seconds(laps: &mut [Lap], marks: &[CudaEvent]) -> Result<(), CudaError> {
    for (lap, pair) in laps.iter_mut().zip(marks.windows(2)) {
        let milliseconds = pair[0].elapsed_ms(&pair[1]).map_err(device::driver("time an event"))?;
        lap.seconds = f64::from(milliseconds) / 1000.0;
    }
    Ok(())
}

/// Tells a run's progress a few times a second and carries the wish to stop.
pub struct Watch<'a> {
    /// Read the counters after every schedule entry.
    pub profile: bool,
    sink: ProgressSink<'a>,
    iterations: u32,
    started: Instant,
    told: Instant,
}

impl<'a> Watch<'a> {
    /// For a run of `iterations`.
    pub fn new(sink: ProgressSink<'a>, iterations: u32) -> Self {
        let now = Instant::now();
        Self { profile: false, sink, iterations, started: now, told: now }
    }

    /// The run itself starts now.
    pub fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Seconds since [`Watch::start`].
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// `iteration` iterations are launched; now and then waits for them and tells.
    ///
    /// # Errors
    /// [`CudaError::Stopped`] if the sink says so, or the driver's failure.
    pub fn tick(&mut self, device: &Device, iteration: u32) -> Result<(), CudaError> {
        if self.told.elapsed() < Duration::from_millis(250) {
            return Ok(());
        }
        device.synchronize()?;
        self.told = Instant::now();
        if (self.sink)(Progress { iteration, iterations: self.iterations }) {
            return Ok(());
        }
        Err(CudaError::Stopped { iteration, iterations: self.iterations })
    }
}

/// Bits of a random word that u is made of: the product's upper word is then r for every u_bits.
pub fn u_mask(u_bits: u8) -> u32 {
    u32::MAX << (32 - u32::from(u_bits))
}

/// The CUDA backend on one card.
#[derive(Debug)]
pub struct Cuda {
    device: Device,
    kernel: Kernel,
    /// Shape of the build, whose message format counts the log; none for the default format.
    shape: Option<ArrayShape>,
}

impl Cuda {
    /// Opens card `ordinal` and checks that kernels can be compiled for it.
    ///
    /// # Errors
    /// No driver, no card or no compiler library: the error says what was tried.
    pub fn open(ordinal: usize, kernel: Kernel) -> Result<Self, CudaError> {
        let device = Device::open(ordinal)?;
        sys::load_compiler()?;
        Ok(Self { device, kernel, shape: None })
    }

    /// The same, counting its log as the build of `shape` would write it.
    #[must_use]
    pub fn with_shape(self, shape: Option<ArrayShape>) -> Self {
        Self { shape, ..self }
    }

    /// The kernel that runs jobs.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The card.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs `job` and returns what the card made of it, before the histogram.
    ///
    /// # Errors
    /// Out of memory, a failing driver, a kernel that cannot run the job, or [`CudaError::Stopped`].
    pub fn sample(&self, job: &Job, progress: ProgressSink<'_>) -> Result<Finished, CudaError> {
        self.sample_watched(job, &mut Watch::new(progress, job.iterations()))
    }

    /// As [`Cuda::sample_many`], with counters read after every schedule entry.
    ///
    /// # Errors
    /// As [`Cuda::sample_many`].
    pub fn profile_many(&self, jobs: &[&Job]) -> Result<Vec<Finished>, CudaError> {
        self.many(jobs, true, &mut |_| true)
    }

    fn report(&self, job: &Job, finished: Finished) -> anyhow::Result<RunReport> {
        let histogram = Histogram::from_messages(job, &finished.messages, &finished.labels)?;
        let format = message_format(job, self.shape.as_ref());
        let messages = finished.messages.len() as u64;
        let lines = messages.div_ceil(format.per_line() as u64);
        let log = LogReport {
            messages,
            lines,
            bytes: lines * format.line_bytes() as u64,
            bytes_without_log: job.problem().free_rvs() as u64 * u64::from(job.collected()),
        };
        let outcome = Outcome {
            labels: finished.labels,
            histogram,
            messages: finished.messages,
            labels_touched: finished.touched,
        };
        Ok(RunReport { outcome, wall_seconds: finished.seconds, array: None, log })
    }

    fn sample_watched(&self, job: &Job, watch: &mut Watch<'_>) -> Result<Finished, CudaError> {
        let device = &self.device;
        match self.kernel {
            Kernel::Baseline => baseline::run(device, job, &job.initial_labels(), watch),
            Kernel::Generic => generic::run(device, job, &job.initial_labels(), watch),
            Kernel::Auto if plan::Plan::new(job).is_err() => {
                generic::run(device, job, &job.initial_labels(), watch)
            }
            kernel => {
                let mut finished = packed::run(device, &[job], kernel, watch)?;
                finished.pop().ok_or(CudaError::Driver { what: "run a job", cause: "no result".into() })
            }
        }
    }

    /// Runs several jobs that differ in nothing but their pictures, evidence, seeds, chains and starts; small ones at once,
    /// [`packed::BATCH`] a launch at most, which fills the card better than one after another. Seconds and laps are those of
    /// the launch that a job was in.
    ///
    /// # Errors
    /// As [`Cuda::sample`], and if the jobs are not alike.
    pub fn sample_many(&self, jobs: &[&Job], progress: ProgressSink<'_>) -> Result<Vec<Finished>, CudaError> {
        self.many(jobs, false, progress)
    }

    fn many(
        &self,
        jobs: &[&Job],
        profile: bool,
        progress: ProgressSink<'_>,
    ) -> Result<Vec<Finished>, CudaError> {
        let packed = !matches!(self.kernel, Kernel::Baseline | Kernel::Generic)
            && jobs.iter().all(|job| plan::Plan::new(job).is_ok());
        let mut finished = Vec::with_capacity(jobs.len());
        for batch in jobs.chunks(if packed { self.at_once() } else { 1 }) {
            let mut watch = Watch::new(progress, batch[0].iterations());
            watch.profile = profile;
            if packed {
                finished.extend(packed::run(&self.device, batch, self.kernel, &mut watch)?);
            } else {
                finished.push(self.sample_watched(batch[0], &mut watch)?);
            }
        }
        Ok(finished)
    }
}

impl Backend for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        self.report(job, self.sample(job, progress)?)
    }

    fn at_once(&self) -> usize {
        packed::BATCH.min(self.device.multiprocessors as usize)
    }

    fn run_many(&mut self, jobs: &[Job], progress: ProgressSink<'_>) -> anyhow::Result<Vec<RunReport>> {
        let mut reports = Vec::with_capacity(jobs.len());
        for batch in jobs.chunks(self.at_once()) {
            let finished = self.sample_many(&batch.iter().collect::<Vec<_>>(), progress)?;
            for (job, finished) in batch.iter().zip(finished) {
                let mut report = self.report(job, finished)?;
                report.wall_seconds /= batch.len() as f64;
                reports.push(report);
            }
        }
        Ok(reports)
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        Some("its kernels go from the first iteration to the last")
    }
}
