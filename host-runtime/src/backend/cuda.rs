//! The CUDA backend: bit-identical with the specification on every job (docs/cuda.md).
//!
//! [`compile`] makes kernels for the card found, [`device`] owns the card's memory, [`generic`] runs every job;
//! [`packed`] is fast for the common configuration, [`plan`] says for which; [`sys`] holds all unsafe code.

pub mod baseline;
pub mod bench;
mod cards;
pub mod compile;
pub mod counters;
pub mod device;
pub mod edgs;
pub mod error;
pub mod generic;
pub mod nvml;
pub mod packed;
mod pieces;
pub mod plan;
pub mod sys;

use super::{Backend, LogReport, Progress, ProgressSink, RunReport, Session};
use crate::logfile::message_format;
use cudarc::driver::CudaEvent;
use device::Device;
pub use error::CudaError;
use nvml::EnergyMeter;
use spa_model::{ArrayShape, Histogram, Job, Message, Outcome, Snapshot, Step};
use std::ops::Range;
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
    /// Packed, every label of every RV of a small picture.
    Sites,
    /// Packed, only RVs that can change, dealt to blocks in turn.
    Dealt,
    /// Packed, only RVs that can change, of tiles.
    Sparse,
    /// Every form, table and width.
    Generic,
}

/// What a measurement leaves out of the packed kernels (`SPA_STRIPPED` of `kernels/common.cuh`); all results are wrong then, but without
/// skipping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stripped {
    /// Nothing.
    #[default]
    Nothing,
    /// Updates: what is left is waiting for other blocks.
    Updates,
    /// Waiting for other blocks: what is left is the updates.
    Waiting,
    /// Waiting and memory: what is left is arithmetic.
    Memory,
    /// Skipping: every RV is updated.
    Skipping,
}

/// How closely a run is looked at. Launches go on across the entries of a schedule, but not from one lap to the next, which costs small
/// pictures some percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    /// As one lap: what a run takes.
    #[default]
    Whole,
    /// By fifths of its schedule.
    Fifths,
    /// The same, and counters are read after each.
    Counters,
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
    /// Parts of the schedule ([`Look`]); none from the generic kernel.
    pub laps: Vec<Lap>,
    /// Energy of the whole card in these seconds, in joules, where NVML tells it.
    pub joules: Option<f64>,
}

/// Figures of a part of the schedule on the card.
#[derive(Debug, Clone, Default)]
pub struct Lap {
    /// Its entries.
    pub entries: Range<usize>,
    /// First and last temperature.
    pub temperatures: (f64, f64),
    /// Iterations.
    pub iterations: u32,
    /// Seconds on the card, by events.
    pub seconds: f64,
    /// Packed kernels that ran, in turn, and iterations of each.
    pub kernels: Vec<(Kernel, u32)>,
    /// With [`Look::Counters`], of all sparse launches so far: labels touched, RVs updated.
    pub counters: Vec<u64>,
}

/// Parts of `job`'s schedule, fewer where it has fewer entries, without figures.
fn laps_of(job: &Job, look: Look) -> Vec<Lap> {
    let steps = job.run().schedule.steps();
    let laps = if look == Look::Whole { 1 } else { 5 };
    let parts = (0..laps).map(|n| n * steps.len() / laps..(n + 1) * steps.len() / laps);
    let lap = |entries: Range<usize>| Lap {
        temperatures: (steps[entries.start].temperature, steps[entries.end - 1].temperature),
        iterations: steps[entries.clone()].iter().map(|step| step.iterations).sum(),
        entries,
        ..Lap::default()
    };
    parts.filter(|entries| !entries.is_empty()).map(lap).collect()
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
    /// How closely.
    pub look: Look,
    /// Left out of the packed kernels.
    pub stripped: Stripped,
    meter: Option<(&'a EnergyMeter, f64)>,
    sink: ProgressSink<'a>,
    iterations: u32,
    /// Nominal labels of an iteration of all jobs.
    labels: u64,
    started: Instant,
    told: Instant,
    /// Iterations launched when the run was waited for last.
    waited_at: u32,
}

/// A run is waited for after so many labels: some tenths of a second, so that a wish to stop is heard while launches queue up.
const LABELS_AHEAD: u64 = 100_000_000_000;

impl<'a> Watch<'a> {
    /// For a run of `jobs` with as many iterations, from iteration `from` on.
    pub fn new(sink: ProgressSink<'a>, jobs: &[&Job], from: u32) -> Self {
        let now = Instant::now();
        let (look, stripped, meter) = (Look::default(), Stripped::default(), None);
        let iterations = jobs.first().map_or(0, |job| job.iterations());
        let labels = jobs.iter().map(|job| job.labels_evaluated_by(1)).sum();
        Self { look, stripped, meter, sink, iterations, labels, started: now, told: now, waited_at: from }
    }

    /// Measures the run's energy with `meter`.
    pub fn metered(&mut self, meter: Option<&'a EnergyMeter>) {
        self.meter = meter.map(|meter| (meter, 0.0));
    }

    /// The run itself starts now.
    pub fn start(&mut self) {
        if let Some((meter, before)) = &mut self.meter {
            *before = meter.joules().unwrap_or(f64::NAN);
        }
        self.started = Instant::now();
    }

    /// Joules since [`Watch::start`], if they are measured.
    pub fn joules(&self) -> Option<f64> {
        let (meter, before) = self.meter?;
        Some(meter.joules()? - before).filter(|joules| joules.is_finite())
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
        let ahead = u64::from(iteration - self.waited_at) * self.labels;
        if ahead < LABELS_AHEAD && self.told.elapsed() < Duration::from_millis(250) {
            return Ok(());
        }
        device.synchronize()?;
        self.told = Instant::now();
        self.waited_at = iteration;
        if self.tell(iteration) {
            return Ok(());
        }
        Err(CudaError::Stopped { iteration, iterations: self.iterations })
    }

    /// Tells that `iteration` iterations are done; false is a wish to stop.
    fn tell(&mut self, iteration: u32) -> bool {
        (self.sink)(Progress { iteration, iterations: self.iterations })
    }
}

/// First iteration after each entry of the schedule of `job`.
fn ends(job: &Job) -> Vec<u32> {
    let end = |end: &mut u32, step: &Step| {
        *end += step.iterations;
        Some(*end)
    };
    job.run().schedule.steps().iter().scan(0, end).collect()
}

/// The schedule entry of `iteration`, given the [`ends`].
fn entry_of(ends: &[u32], iteration: u32) -> usize {
    ends.partition_point(|&end| end <= iteration)
}

/// Bits of a random word that u is made of: the product's upper word is then r for every u_bits.
pub fn u_mask(u_bits: u8) -> u32 {
    u32::MAX << (32 - u32::from(u_bits))
}

/// The CUDA backend on one card, or on several of one host for many jobs.
#[derive(Debug)]
pub struct Cuda {
    device: Device,
    /// Cards that share the jobs of [`Cuda::sample_many`] with the first.
    others: Vec<Device>,
    kernel: Kernel,
    /// Shape of the build, whose message format counts the log; none for the default format.
    shape: Option<ArrayShape>,
    stripped: Stripped,
    meter: Option<EnergyMeter>,
}

impl Cuda {
    /// Opens card `ordinal` and checks that kernels can be compiled for it.
    ///
    /// # Errors
    /// No driver, no card or no compiler library: the error says what was tried.
    pub fn open(ordinal: usize, kernel: Kernel) -> Result<Self, CudaError> {
        let device = Device::open(ordinal)?;
        sys::load_compiler()?;
        Ok(Self { device, others: Vec::new(), kernel, shape: None, stripped: Stripped::Nothing, meter: None })
    }

    /// Opens every card that the driver shows (`CUDA_VISIBLE_DEVICES` says which); one job runs on the first.
    ///
    /// # Errors
    /// As [`Cuda::open`] for the first card; others that cannot be opened are left out.
    pub fn open_all(kernel: Kernel) -> Result<Self, CudaError> {
        let first = Self::open(0, kernel)?;
        let others = (1..Device::count()).filter_map(|ordinal| Device::open(ordinal).ok()).collect();
        Ok(Self { others, ..first })
    }

    /// All cards.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        std::iter::once(&self.device).chain(&self.others)
    }

    /// The same, counting its log as the build of `shape` would write it.
    #[must_use]
    pub fn with_shape(self, shape: Option<ArrayShape>) -> Self {
        Self { shape, ..self }
    }

    /// The same for measurements: without a part of the packed kernels, and with the energy of the card if NVML tells it.
    #[must_use]
    pub fn for_measurements(self, stripped: Stripped) -> Self {
        let meter = EnergyMeter::open(&self.device);
        Self { stripped, meter, ..self }
    }

    /// What is left out of its kernels.
    pub fn stripped(&self) -> Stripped {
        self.stripped
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
        self.sample_watched(&self.device, job, &mut Watch::new(progress, &[job], 0))
    }

    /// As [`Cuda::sample_many`], on the first card, looked at closely.
    ///
    /// # Errors
    /// As [`Cuda::sample_many`].
    pub fn look_at_many(&self, jobs: &[&Job], look: Look) -> Result<Vec<Finished>, CudaError> {
        self.many(&self.device, jobs, look, &mut |_| true)
    }

    fn report(&self, job: &Job, finished: Finished) -> anyhow::Result<RunReport> {
        let histogram = Histogram::from_messages(job, &finished.messages, &finished.labels)?;
        let format = message_format(job, self.shape.as_ref());
        let log = LogReport::packed(&format, finished.messages.len() as u64, (job, job.iterations()));
        let outcome = Outcome {
            labels: finished.labels,
            histogram,
            messages: finished.messages,
            labels_touched: finished.touched,
        };
        Ok(RunReport { outcome, wall_seconds: finished.seconds, array: None, log })
    }

    /// The kernel for `job`: the generic one where the fastest cannot run it.
    fn kernel_for(&self, job: &Job) -> Kernel {
        match self.kernel {
            Kernel::Auto if plan::Plan::new(job).is_err() => Kernel::Generic,
            kernel => kernel,
        }
    }

    fn sample_watched(
        &self,
        device: &Device,
        job: &Job,
        watch: &mut Watch<'_>,
    ) -> Result<Finished, CudaError> {
        match self.kernel_for(job) {
            Kernel::Baseline => baseline::run(device, job, &job.initial_labels(), watch),
            Kernel::Generic => generic::run(device, job, watch),
            kernel => {
                let mut finished = packed::run(device, &[job], kernel, watch)?;
                finished.pop().ok_or(CudaError::Driver { what: "run a job", cause: "no result".into() })
            }
        }
    }

    /// Runs several jobs that differ in nothing but their pictures, evidence, seeds, chains and starts; small ones at once,
    /// [`packed::BATCH`] a launch at most, which fills a card better than one after another; several cards share them.
    /// Seconds and laps are those of the launch that a job was in.
    ///
    /// # Errors
    /// As [`Cuda::sample`], and if the jobs are not alike.
    pub fn sample_many(&self, jobs: &[&Job], progress: ProgressSink<'_>) -> Result<Vec<Finished>, CudaError> {
        let cards: Vec<&Device> = self.devices().take(jobs.len()).collect();
        if cards.len() < 2 {
            return self.many(&self.device, jobs, Look::Whole, progress);
        }
        let each = jobs.len().div_ceil(cards.len());
        cards::share(&cards, jobs, each, progress, |card, jobs, sink| {
            self.many(card, jobs, Look::Whole, sink)
        })
    }

    fn many(
        &self,
        device: &Device,
        jobs: &[&Job],
        look: Look,
        progress: ProgressSink<'_>,
    ) -> Result<Vec<Finished>, CudaError> {
        let packed = !matches!(self.kernel, Kernel::Baseline | Kernel::Generic)
            && jobs.iter().all(|job| plan::Plan::new(job).is_ok());
        let mut finished = Vec::with_capacity(jobs.len());
        for batch in jobs.chunks(if packed { packed::most_jobs(device) } else { 1 }) {
            let mut watch = Watch::new(progress, batch, 0);
            watch.look = look;
            watch.stripped = self.stripped;
            watch.metered(self.meter.as_ref());
            if packed {
                finished.extend(packed::run(device, batch, self.kernel, &mut watch)?);
            } else {
                finished.push(self.sample_watched(device, batch[0], &mut watch)?);
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
        self.devices().map(packed::most_jobs).sum()
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
        (self.kernel == Kernel::Baseline).then_some("its baseline kernel keeps the histogram on the card")
    }

    fn start<'a>(&'a self, job: &'a Job, from: Option<Snapshot>) -> anyhow::Result<Box<dyn Session + 'a>> {
        if self.in_one_piece().is_some() {
            return Err(self.refuse_pieces("a run in pieces").into());
        }
        Ok(Box::new(pieces::CudaSession::new(self, job, from)?))
    }
}
