//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

mod lane;
mod run;

use super::compile::{PACKED, PREPARE, SPARSE, Source, Variant};
use super::device::{Device, MessageLog, driver};
use super::error::CudaError;
use super::generic;
use super::plan::Plan;
use super::sys;
use super::{Kernel, Stripped};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use lane::{Batch, Lane, Planes, Shared};
pub use run::run;
use spa_model::{Job, Snapshot};

/// Threads of a block of the simple kernels.
const BLOCK: u32 = 256;

/// Threads of a block, and blocks of a multiprocessor.
#[derive(Debug, Clone, Copy)]
struct Shape {
    threads: u32,
    blocks: u32,
}

/// How a picture is spread over the card.
#[derive(Debug, Clone, Copy)]
struct Spread {
    dense: Shape,
    sparse: Shape,
    /// A thread of the dense kernel updates two RVs at once.
    pairs: bool,
    /// There are enough RVs for the sparse kernel to pay at low temperatures.
    sparse_pays: bool,
}

/// Warps of a block: one for each scheduler of a multiprocessor.
const WARPS: usize = 4;

impl Spread {
    /// What was fastest of the shapes measured (docs/performance.md). Small pictures want every RV in a thread of its own and all of
    /// them at once, or in few rounds of which the last is full; large ones two RVs a thread, which do less together.
    fn new(device: &Device, planes: &Planes, labels: u16, jobs: usize) -> Self {
        let multiprocessors = device.multiprocessors as usize;
        let warps = (planes.half * planes.height).div_ceil(32) * jobs;
        let each = warps.div_ceil(multiprocessors);
        let (pairs, sparse_pays) = (each >= 128, each >= 72);
        // Seven blocks leave 72 registers a thread: not enough for many labels.
        let most = if labels <= 52 { 7 } else { 6 };
        let slots = |blocks: &usize| (each.div_ceil(WARPS * blocks) * blocks, usize::MAX - blocks);
        let blocks = if pairs { 4 } else { (4..=most).min_by_key(slots).unwrap_or(4) };
        let shape = |blocks: usize| Shape { threads: 32 * WARPS as u32, blocks: blocks as u32 };
        Self { dense: shape(blocks), sparse: shape(7), pairs, sparse_pays }
    }
}

/// The variant of `source` that runs `job`.
fn variant(source: Source, job: &Job, plan: &Plan, shape: Shape) -> Variant {
    let problem = job.problem();
    Variant {
        source,
        defines: vec![
            ("SPA_LABELS", u32::from(problem.labels)),
            ("SPA_VOLUME", u32::from(plan.stereo.is_none())),
            ("SPA_CAPPED", u32::from(problem.data_cap < 255)),
            ("SPA_SUMS", plan.sums as u32),
            ("SPA_THREADS", shape.threads),
            ("SPA_BLOCKS", shape.blocks),
        ],
    }
}

/// A kernel with as many blocks as the card holds at once.
struct Resident {
    function: CudaFunction,
    config: LaunchConfig,
}

impl Resident {
    fn new(device: &Device, function: CudaFunction, shape: Shape, jobs: u32) -> Result<Self, CudaError> {
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(shape.threads, 0, None)
            .map_err(driver("ask for the occupancy of a kernel"))?;
        // As many blocks for each job.
        let blocks = blocks.clamp(1, shape.blocks) * device.multiprocessors / jobs * jobs;
        if blocks == 0 {
            let why = format!("{jobs} jobs at once, the card holds fewer blocks");
            return Err(CudaError::Unsupported { kernel: "packed", why });
        }
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (shape.threads, 1, 1), shared_mem_bytes: 0 };
        Ok(Self { function, config })
    }
}

/// Jobs of one launch, at most (SPA_BATCH of `kernels/packed.cuh`): their parameters fit 4 KB.
pub const BATCH: usize = 16;

/// Jobs of one launch on `device`, at most.
pub fn most_jobs(device: &Device) -> usize {
    BATCH.min(device.multiprocessors as usize)
}

/// Counters of a job.
const COUNTERS: usize = 4;

/// Words from one flag to the next (FLAG of `kernels/packed.cuh`).
const FLAG: usize = 8;

/// A kernel of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Dense,
    DenseTable,
    Sparse,
}

/// Jobs on the card between two iterations.
pub(super) struct Sampler<'a> {
    device: &'a Device,
    /// The first job: the others are like it ([`alike`]).
    job: &'a Job,
    plan: Plan,
    planes: Planes,
    spread: Spread,
    lanes: Vec<Lane>,
    dense: Resident,
    dense_table: Resident,
    sparse: Resident,
    settle: CudaFunction,
    flags: CudaSlice<u32>,
    /// The kernel that told last by the flags, and the half-steps that all of them have.
    told: Option<(Which, u32)>,
    counters: CudaSlice<u64>,
    log: MessageLog,
    /// Collected iterations since every entry was settled.
    unsettled: u32,
    /// Limit of the last sparse launch, if its bits still hold.
    bits_hold: Option<u32>,
    kernel: Kernel,
    /// First iteration after each entry of the schedule.
    ends: Vec<u32>,
    iteration: u32,
    /// Iterations run dense.
    dense_iterations: u64,
    /// Tables of all jobs, held so that their addresses stay valid.
    _bytes: Vec<CudaSlice<u8>>,
    _near: CudaSlice<u64>,
}

fn simple(threads: usize) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (threads.div_ceil(BLOCK as usize) as u32, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Refuses a batch of jobs that differ in more than their pictures, evidence, seeds, chains and starts.
fn alike(first: &Job, plan: &Plan, other: &Job) -> Result<(), CudaError> {
    let (a, b) = (first.problem(), other.problem());
    let different = if (a.width, a.height) != (b.width, b.height) {
        "sizes"
    } else if Plan::new(other)? != *plan
        || (a.labels, a.data_cap, a.s_outside) != (b.labels, b.data_cap, b.s_outside)
    {
        "energies or temperatures"
    } else if first.hardware() != other.hardware() {
        "numbers of bits"
    } else if (first.run().burn_in, &first.run().schedule) != (other.run().burn_in, &other.run().schedule) {
        "schedules"
    } else {
        return Ok(());
    };
    let why = format!("the jobs of a batch have different {different}; run them one by one");
    Err(CudaError::Unsupported { kernel: "packed", why })
}

impl<'a> Sampler<'a> {
    /// `jobs` on the card as they stand in `begins`, after as many iterations each; which kernel, whether it counts for a profile, and
    /// what it leaves out.
    ///
    /// # Errors
    /// As [`run`].
    pub fn new(
        device: &'a Device,
        jobs: &[&'a Job],
        begins: Vec<Snapshot>,
        (kernel, profile, stripped): (Kernel, bool, Stripped),
    ) -> Result<Self, CudaError> {
        let (Some(&job), Some(iteration)) = (jobs.first(), begins.first().map(|begin| begin.iteration))
        else {
            return Err(CudaError::Unsupported { kernel: "packed", why: "there is no job".to_string() });
        };
        let plan = Plan::new(job)?;
        jobs.iter().try_for_each(|other| alike(job, &plan, other))?;
        let planes = Planes::new(job);
        let prepare = device.load(&Variant { source: PREPARE, defines: generic::singleton_defines(job) })?;
        let prepare = prepare.function("prepare")?;
        let step_bytes: Vec<u8> = plan.steps.iter().flat_map(step_bytes).collect();
        let pair = device.upload("the pair table", &plan.pair)?;
        let steps = device.upload("weights", &step_bytes)?;
        let near = device.upload("near sets", &plan.near)?;
        let spread = Spread::new(device, &planes, job.problem().labels, jobs.len());
        let blocks = spread.dense.blocks.max(spread.sparse.blocks) * device.multiprocessors;
        let flags_each = FLAG * (blocks as usize / jobs.len());
        let flags = device.zeros::<u32>("the flags", flags_each * jobs.len())?;
        let counters = device.zeros::<u64>("counters", COUNTERS * jobs.len())?;
        let rvs = (job.problem().rvs() * jobs.len()) as u64;
        let wish = rvs * (u64::from(job.collected()) + 3);
        let capacity = wish.min(1 << 27).min(device.free_memory() / 32).max(3 * rvs).max(1 << 16);
        let log = MessageLog::new(device, capacity as usize, jobs.len())?;
        let lanes = jobs.iter().zip(&begins).enumerate().map(|(n, (job, begin))| {
            let shared = Shared {
                pair: device.address(&pair),
                near: device.address(&near),
                steps: device.address(&steps),
                log: log.address().of_job(n),
                flags: device.address(&flags) + (n * flags_each * size_of::<u32>()) as u64,
                counters: device.address(&counters) + (n * COUNTERS * size_of::<u64>()) as u64,
            };
            Lane::new(device, job, begin, (&plan, planes), &prepare, shared)
        });
        let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        let log = log.with(begins.into_iter().map(|begin| begin.messages).collect());
        let batch = if jobs.len() == 1 { 1 } else { BATCH as u32 };
        let load = |source, shape| {
            let mut variant = variant(source, job, &plan, shape);
            if source == PACKED {
                variant.defines.push(("SPA_PAIRS", u32::from(spread.pairs)));
            }
            variant.defines.push(("SPA_BATCH", batch));
            if profile {
                variant.defines.push(("SPA_PROFILE", 1));
            }
            if stripped != Stripped::Nothing {
                variant.defines.push(("SPA_STRIPPED", stripped as u32));
            }
            device.load(&variant)
        };
        let packed = load(PACKED, spread.dense)?;
        let sparse = load(SPARSE, spread.sparse)?;
        let jobs = jobs.len() as u32;
        Ok(Self {
            dense: Resident::new(device, packed.function("packed_dense")?, spread.dense, jobs)?,
            dense_table: Resident::new(device, packed.function("packed_dense_table")?, spread.dense, jobs)?,
            sparse: Resident::new(device, sparse.function("packed_sparse")?, spread.sparse, jobs)?,
            settle: packed.function("packed_settle")?,
            device,
            job,
            plan,
            planes,
            spread,
            lanes,
            flags,
            told: None,
            counters,
            log,
            unsettled: 0,
            bits_hold: None,
            kernel,
            ends: super::ends(job),
            iteration,
            dense_iterations: 0,
            _bytes: vec![pair, steps],
            _near: near,
        })
    }

    /// RVs of all jobs.
    fn rvs(&self) -> u64 {
        (self.job.problem().rvs() * self.lanes.len()) as u64
    }

    /// The counters, summed over all jobs.
    fn counters(&self) -> Result<Vec<u64>, CudaError> {
        let all = self.device.download(&self.counters, COUNTERS * self.lanes.len())?;
        Ok((0..COUNTERS).map(|k| all.iter().skip(k).step_by(COUNTERS).sum()).collect())
    }

    /// Launches `function` on all jobs.
    ///
    /// # Safety
    /// As [`sys::launch`].
    unsafe fn launch(
        &self,
        function: &CudaFunction,
        config: LaunchConfig,
        cooperative: bool,
        scalars: &[u32],
    ) -> Result<(), CudaError> {
        let stream = &self.device.stream;
        // SAFETY: the caller's promise; the kernel was compiled for a batch of this size.
        let launched = unsafe {
            match self.lanes.len() {
                1 => {
                    sys::launch(stream, function, config, cooperative, &Batch::<1>::new(&self.lanes), scalars)
                }
                _ => sys::launch(
                    stream,
                    function,
                    config,
                    cooperative,
                    &Batch::<BATCH>::new(&self.lanes),
                    scalars,
                ),
            }
        };
        launched.map_err(driver("launch a packed kernel"))
    }

    /// Sparse where it was measured to be faster (docs/performance.md): large pictures and batches, once few RVs can change and
    /// few of those have far live labels. On small ones waiting for others takes longer than all updates.
    fn prefers_sparse(&self, step: usize) -> bool {
        let eighths = if self.lanes.len() == 1 { 9 } else { 10 };
        self.spread.sparse_pays && 8 * self.plan.steps[step].limit <= eighths * self.plan.far
    }

    /// What runs schedule entry `step`.
    fn choose(&self, kernel: Kernel, step: usize) -> Which {
        let sparse = match kernel {
            Kernel::Dense => false,
            Kernel::Sparse => true,
            Kernel::Auto | Kernel::Baseline | Kernel::Generic => self.prefers_sparse(step),
        };
        match (sparse, self.plan.steps[step].slope) {
            (true, _) => Which::Sparse,
            (false, 0) => Which::DenseTable,
            (false, _) => Which::Dense,
        }
    }

    /// Iterations that one launch may do from `iteration` on, at most `left`.
    fn span(&self, iteration: u32, left: u32) -> u32 {
        let (run, rvs) = (self.job.run(), self.rvs());
        // A launch should end after a tenth of a second or so, so that a wish to stop is heard.
        let labels = rvs * u64::from(self.job.problem().labels);
        let left = left.min((100_000_000_000 / labels).clamp(1, 100_000) as u32);
        if iteration < run.burn_in {
            return left.min(run.burn_in - iteration);
        }
        let fit = (self.log.capacity() / rvs).saturating_sub(2);
        left.min(fit.clamp(1, self.job.hardware().count_max().into()) as u32)
    }

    /// Brings all label entries up to date; if it is the `last` time, their pairs are sent, too.
    fn settle_entries(&mut self, last: bool) -> Result<(), CudaError> {
        let done = self.job.collected_by(self.iteration).into();
        self.log.reserve(3 * self.rvs())?;
        let mut config = simple(2 * self.planes.half * self.planes.height);
        config.grid_dim.0 *= self.lanes.len() as u32;
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for three messages a
        // RV: since the last settling at most count_max picks are open, so one full counter and the two last pairs.
        unsafe { self.launch(&self.settle, config, false, &[done, u32::from(last)]) }?;
        self.unsettled = 0;
        Ok(())
    }

    /// The next `span` iterations, of schedule entry `step`.
    fn launch_iterations(&mut self, step: usize, span: u32) -> Result<(), CudaError> {
        if self.iteration >= self.job.run().burn_in {
            if self.unsettled + span > self.job.hardware().count_max() && self.unsettled > 0 {
                self.settle_entries(false)?;
            }
            // At most one message a change, and two full counters, since the open picks fill at most one.
            self.log.reserve((u64::from(span) + 2) * self.rvs())?;
            self.unsettled += span;
        }
        let which = self.choose(self.kernel, step);
        let sparse = which == Which::Sparse;
        let entry = &self.plan.steps[step];
        if sparse && self.bits_hold.is_none_or(|before| entry.limit > before) {
            self.lanes.iter_mut().try_for_each(|lane| lane.wake_all(self.device))?;
        }
        self.bits_hold = sparse.then_some(entry.limit);
        let told = match self.told {
            Some((before, told)) if before == which => told,
            _ => {
                self.device.stream.memset_zeros(&mut self.flags).map_err(driver("reset the flags"))?;
                0
            }
        };
        self.told = Some((which, told + 2 * span));
        let resident = match which {
            Which::Dense => &self.dense,
            Which::DenseTable => &self.dense_table,
            Which::Sparse => &self.sparse,
        };
        let line = [entry.limit, entry.scale, entry.slope, entry.start, entry.bias, entry.weight[0].into()];
        let scalars: Vec<u32> = [self.iteration, span, step as u32, told].into_iter().chain(line).collect();
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for what the launch
        // can send; the grid is as large as the card holds at once, so its blocks may wait for each other.
        unsafe { self.launch(&resident.function, resident.config, true, &scalars) }?;
        if !sparse {
            self.dense_iterations += u64::from(span);
        }
        self.iteration += span;
        Ok(())
    }

    /// Labels that the dense kernels evaluated of `job`, one of the jobs.
    fn dense_labels(&self, job: &Job) -> u64 {
        job.labels_evaluated_by(1) * self.dense_iterations
    }
}

fn step_bytes(step: &super::plan::Step) -> Vec<u8> {
    let head = [step.limit, step.scale, step.slope, step.start, step.bias];
    head.iter().flat_map(|v| v.to_le_bytes()).chain(step.weight).collect()
}
