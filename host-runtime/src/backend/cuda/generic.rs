//! The generic kernel: every job of the contract, one launch a half-step.

use super::compile::{GENERIC, Variant};
use super::device::{Device, LogAddress, MessageLog, driver};
use super::error::CudaError;
use super::pieces::{OnCard, entry_of_word, entry_word, fresh};
use super::sys::{self, KernelParams};
use super::{Finished, Watch};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use spa_model::weights::WeightTable;
use spa_model::{Difference, Job, LabelEntry, Singleton, Snapshot, Weights};

const BLOCK: u32 = 256;

/// `GenericParams` of `kernels/generic.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Params {
    labels: u64,
    entries: u64,
    first: u64,
    second: u64,
    offsets: u64,
    costs: u64,
    pair: u64,
    fixed: u64,
    edges: u64,
    limits: u64,
    weights: u64,
    log: LogAddress,
    width: u32,
    height: u32,
    data_cap: u32,
    s_outside: u32,
    pub alpha: u32,
    pub beta: u32,
    shift: u32,
    energy_max: u32,
    key0: u32,
    key1: u32,
    u_mask: u32,
    count_max: u32,
}

// SAFETY: the same fields in the same order and widths as `GenericParams`.
unsafe impl KernelParams for Params {}

/// Lanes that share a RV: enough for one label each, at least 4, at most a warp.
fn lanes(labels: u16) -> u32 {
    u32::from(labels).next_power_of_two().clamp(4, 32)
}

/// Macros of `kernels/singleton.cuh` for `job`.
pub fn singleton_defines(job: &Job) -> Vec<(&'static str, u32)> {
    let problem = job.problem();
    let (singleton, squared) = match &problem.singleton {
        Singleton::Pixels { form, .. } => (0, *form == Difference::Squared),
        Singleton::Values { form, .. } => (1, *form == Difference::Squared),
        Singleton::Table { .. } => (2, false),
    };
    vec![
        ("SPA_LABELS", u32::from(problem.labels)),
        ("SPA_SINGLETON", singleton),
        ("SPA_SQUARED", u32::from(squared)),
    ]
}

/// The variant of the generic kernel that runs `job`.
pub fn variant(job: &Job) -> Variant {
    let problem = job.problem();
    let lanes = lanes(problem.labels);
    let mut defines = singleton_defines(job);
    defines.extend([
        ("SPA_LANES", lanes),
        ("SPA_PER_LANE", u32::from(problem.labels).div_ceil(lanes)),
        ("SPA_LINEAR", u32::from(job.hardware().weights == Weights::Linear)),
        ("SPA_FIXED", u32::from(problem.fixed.is_some())),
    ]);
    if problem.edge_weights.is_some() {
        defines.push(("SPA_EDGES", 1));
    }
    Variant { source: GENERIC, defines }
}

/// Weights of all schedule entries as the kernel reads them: eight limits each, and with linear weights a table.
pub fn weight_words(job: &Job) -> (Vec<u32>, Vec<u8>) {
    let linear = job.hardware().weights == Weights::Linear;
    let (mut limits, mut tables) = (Vec::new(), Vec::new());
    for step in job.run().schedule.steps() {
        let table = WeightTable::new(job.hardware(), step.temperature, job.run().cutoff);
        let mut eight = table.limits.clone();
        eight.resize(8, 0);
        limits.extend(eight);
        if linear {
            let start = tables.len();
            tables.extend(&table.table);
            tables.resize(start + 1024, 0);
        }
    }
    (limits, tables)
}

/// V by [neighbour][own], capped.
pub fn pair_rows(job: &Job) -> Vec<u8> {
    let labels = usize::from(job.problem().labels);
    (0..labels).flat_map(|m| (0..labels).map(move |l| job.problem().pair_cost(l, m) as u8)).collect()
}

/// Offsets as the kernel's `short2`.
pub fn offset_words(offsets: &[spa_model::Offset]) -> Vec<u32> {
    offsets.iter().map(|o| u32::from(o.dx as u16) | u32::from(o.dy as u16) << 16).collect()
}

/// The job's data on the card, and the parameters that point to it.
pub(super) struct Uploaded {
    /// What kernels take.
    pub params: Params,
    /// Labels, H×W.
    pub labels: CudaSlice<u8>,
    /// Held so that the addresses in `params` stay valid.
    _bytes: Vec<CudaSlice<u8>>,
    _words: Vec<CudaSlice<u32>>,
    _costs: CudaSlice<u16>,
    /// Label entries, H×W ([`entry_word`]).
    entries: CudaSlice<u64>,
}

/// Copies `job` to the card; `sampling` also makes room for label entries.
pub(super) fn upload(
    device: &Device,
    job: &Job,
    start: &[u8],
    log: LogAddress,
    sampling: bool,
) -> Result<Uploaded, CudaError> {
    let (problem, hardware) = (job.problem(), job.hardware());
    let empty: (Vec<u8>, Vec<u8>, Vec<u32>, Vec<u16>) = Default::default();
    let (first, second, offsets, costs) = match &problem.singleton {
        Singleton::Pixels { first, second, offsets, .. } => (first, second, offset_words(offsets), empty.3),
        Singleton::Values { first, values, .. } => (first, values, empty.2, empty.3),
        Singleton::Table { costs } => {
            let capped = costs.iter().map(|&c| c.min(problem.data_cap)).collect();
            (&empty.0, &empty.1, empty.2, capped)
        }
    };
    let mask: Vec<u8> = problem.fixed.iter().flatten().map(|&f| u8::from(f)).collect();
    let (limits, weights) = weight_words(job);
    let labels = device.upload("labels", start)?;
    let entries = device.zeros::<u64>("label entries", if sampling { problem.rvs() } else { 0 })?;
    let costs = device.upload("the singleton table", &costs)?;
    let bytes = vec![
        device.upload("singleton 1", first)?,
        device.upload("singleton 2", second)?,
        device.upload("the pair table", &pair_rows(job))?,
        device.upload("the evidence", &mask)?,
        device.upload("weights", &weights)?,
        device.upload("edge weights", problem.edge_weights.as_deref().unwrap_or_default())?,
    ];
    let words = vec![device.upload("label offsets", &offsets)?, device.upload("weights", &limits)?];
    let key = spa_model::rng::key(job.run().seed);
    let params = Params {
        labels: device.address(&labels),
        entries: device.address(&entries),
        first: device.address(&bytes[0]),
        second: device.address(&bytes[1]),
        offsets: device.address(&words[0]),
        costs: device.address(&costs),
        pair: device.address(&bytes[2]),
        fixed: if mask.is_empty() { 0 } else { device.address(&bytes[3]) },
        edges: if problem.edge_weights.is_some() { device.address(&bytes[5]) } else { 0 },
        limits: device.address(&words[1]),
        weights: device.address(&bytes[4]),
        log,
        width: problem.width,
        height: problem.height,
        data_cap: problem.data_cap.into(),
        s_outside: problem.s_outside.into(),
        alpha: problem.alpha.into(),
        beta: problem.beta.into(),
        shift: problem.shift.into(),
        energy_max: hardware.energy_max(),
        key0: key[0],
        key1: key[1],
        u_mask: super::u_mask(hardware.u_bits),
        count_max: hardware.count_max(),
    };
    Ok(Uploaded { params, labels, _bytes: bytes, _words: words, _costs: costs, entries })
}

/// Planes of the packed kernels that `prepare` fills (`kernels/prepare.cu`): their addresses.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Prepared {
    /// H×`half` bytes.
    pub least: [u64; 2],
    /// 0 for none.
    pub volume: [u64; 2],
    /// H×`words` words, 0 before: a bit for a RV with some α·S above `narrow` inside the picture.
    pub wide: [u64; 2],
    /// Columns of a plane.
    pub half: u32,
    /// Words of a row of bits.
    pub words: u32,
    /// The most that α·S may be for energies that are added as bytes.
    pub narrow: u32,
}

/// `PrepareParams` of `kernels/prepare.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct PrepareParams {
    job: Params,
    planes: Prepared,
}

// SAFETY: the same fields in the same order and widths as `PrepareParams` of the kernel.
unsafe impl KernelParams for PrepareParams {}

/// Fills `planes` for `job`.
///
/// # Errors
/// Out of memory or a failing driver.
pub fn prepare(
    device: &Device,
    function: &CudaFunction,
    job: &Job,
    planes: Prepared,
) -> Result<(), CudaError> {
    let uploaded = upload(device, job, &[], LogAddress::default(), false)?;
    let params = PrepareParams { job: uploaded.params, planes };
    let config = grid(job.problem().rvs() as u64);
    // SAFETY: `uploaded` lives until the kernel is done; the caller's planes have the sizes that their parameters say.
    unsafe { sys::launch(&device.stream, function, config, false, &params, &[]) }
        .map_err(driver("launch the preparation"))?;
    device.synchronize()
}

fn grid(threads: u64) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (threads.div_ceil(u64::from(BLOCK)) as u32, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// A job on the card between two iterations.
pub(super) struct Sampler<'a> {
    device: &'a Device,
    job: &'a Job,
    step: CudaFunction,
    drain: CudaFunction,
    config: LaunchConfig,
    uploaded: Uploaded,
    log: MessageLog,
    /// First iteration after each entry of the schedule.
    ends: Vec<u32>,
    iteration: u32,
    /// Iterations done before.
    begun_at: u32,
}

impl<'a> Sampler<'a> {
    /// `job` on the card as it stands in `begin`.
    ///
    /// # Errors
    /// Out of memory or a failing driver, and [`CudaError::Unsupported`] for too many threads.
    pub fn new(device: &'a Device, job: &'a Job, begin: Snapshot) -> Result<Self, CudaError> {
        let problem = job.problem();
        let rvs = problem.rvs();
        let a_colour = u64::from(problem.width).div_ceil(2) * u64::from(problem.height);
        let threads = a_colour * u64::from(lanes(problem.labels));
        if threads > u64::from(u32::MAX) - u64::from(BLOCK) {
            let why =
                format!("{rvs} RVs with {} labels need {threads} threads, at most 2^32", problem.labels);
            return Err(CudaError::Unsupported { kernel: "generic", why });
        }
        let kernels = device.load(&variant(job))?;
        let log = MessageLog::new(device, (4 * rvs).clamp(1 << 16, 1 << 28).max(2 * rvs), 1)?;
        let mut uploaded = upload(device, job, &begin.labels, log.address(), true)?;
        if !begin.entries.is_empty() {
            let words: Vec<u64> = begin.entries.iter().map(|entry| entry_word(entry, 0)).collect();
            device.stream.memcpy_htod(&words, &mut uploaded.entries).map_err(driver("copy to the card"))?;
        }
        device.synchronize()?;
        Ok(Self {
            device,
            job,
            step: kernels.function("gibbs_generic")?,
            drain: kernels.function("drain_generic")?,
            config: grid(threads),
            uploaded,
            log: log.with(vec![begin.messages]),
            ends: super::ends(job),
            iteration: begin.iteration,
            begun_at: begin.iteration,
        })
    }
}

impl OnCard for Sampler<'_> {
    fn iteration(&self) -> u32 {
        self.iteration
    }

    fn advance(&mut self, to: u32, watch: &mut Watch<'_>) -> Result<(), CudaError> {
        let (problem, run) = (self.job.problem(), self.job.run());
        let a_colour = u64::from(problem.width).div_ceil(2) * u64::from(problem.height);
        while self.iteration < to {
            let collect = self.iteration >= run.burn_in;
            let chain_iteration = u32::from(run.chain) << 24 | self.iteration;
            let entry = super::entry_of(&self.ends, self.iteration);
            for colour in [0, 1] {
                if collect {
                    self.log.reserve(a_colour)?;
                }
                let scalars = [chain_iteration, colour, u32::from(collect), entry as u32];
                let params = &self.uploaded.params;
                // SAFETY: `uploaded` lives as long as self and its buffers have the sizes that the kernel indexes; the log
                // has room for one message of every RV of this colour; the signature matches.
                unsafe { sys::launch(&self.device.stream, &self.step, self.config, false, params, &scalars) }
                    .map_err(driver("launch the generic kernel"))?;
            }
            self.iteration += 1;
            watch.tick(self.device, self.iteration)?;
        }
        Ok(())
    }

    fn labels(&self) -> Result<Vec<u8>, CudaError> {
        self.device.download(&self.uploaded.labels, self.job.problem().rvs())
    }

    fn settle(&mut self) -> Result<(), CudaError> {
        // Every pick is entered at once.
        Ok(())
    }

    fn entries(&self) -> Result<Vec<LabelEntry>, CudaError> {
        let words = self.device.download(&self.uploaded.entries, self.job.problem().rvs())?;
        Ok(words.into_iter().map(entry_of_word).collect())
    }

    fn send_entries(&mut self) -> Result<(), CudaError> {
        let rvs = self.job.problem().rvs() as u64;
        self.log.reserve(2 * rvs)?;
        let (stream, params) = (&self.device.stream, &self.uploaded.params);
        // SAFETY: as above; the log has room for two messages of every RV.
        unsafe { sys::launch(stream, &self.drain, grid(rvs), false, params, &[]) }
            .map_err(driver("launch the drain kernel"))
    }

    fn log(&mut self) -> &mut MessageLog {
        &mut self.log
    }

    fn touched(&self) -> Result<u64, CudaError> {
        Ok(self.job.labels_evaluated_by(self.iteration) - self.job.labels_evaluated_by(self.begun_at))
    }
}

/// Runs `job` from its start to its end.
///
/// # Errors
/// As [`Sampler::new`], or [`CudaError::Stopped`].
pub fn run(device: &Device, job: &Job, watch: &mut Watch<'_>) -> Result<Finished, CudaError> {
    let mut sampler = Sampler::new(device, job, fresh(job))?;
    watch.start();
    sampler.advance(job.iterations(), watch)?;
    sampler.send_entries()?;
    device.synchronize()?;
    let (seconds, joules) = (watch.seconds(), watch.joules());
    let messages = sampler.log.take()?.concat();
    let (labels, touched) = (sampler.labels()?, sampler.touched()?);
    Ok(Finished { labels, messages, seconds, touched, laps: Vec::new(), joules })
}
