//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

mod lane;
mod run;
mod tiling;

use super::compile::{PACKED, PREPARE, SPARSE, Source, TILES, TILES_DENSE, Variant};
use super::device::{Device, MessageLog, driver};
use super::error::CudaError;
use super::generic;
use super::plan::Plan;
use super::sys;
use super::{Kernel, Stripped};
use cudarc::driver::sys::CUfunction_attribute;
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use lane::{Batch, Lane, Planes, Shared};
pub use run::run;
use spa_model::{Job, Snapshot};
use tiling::Tiling;

/// Threads of a block of the simple kernels.
const BLOCK: u32 = 256;

/// How a picture is spread over the card.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// Threads of a block of the dense kernel.
    dense: u32,
    /// Threads of a block of the sparse kernel.
    sparse: u32,
    /// A thread of the dense kernel updates two RVs.
    pairs: bool,
    /// The dense kernel runs on resident tiles, where they fit.
    dense_tiles: bool,
    /// There are enough RVs for the sparse kernels to pay at low temperatures.
    sparse_pays: bool,
}

impl Spread {
    /// What was fastest of the shapes measured (docs/performance.md): small pictures want every RV in a thread of its
    /// own, large ones few blocks at the barrier and more work a thread. Tiles pay where waiting for all blocks is long beside
    /// the updates: with few labels, or several small pictures; not so many that some compute while others wait.
    fn new(device: &Device, planes: &Planes, labels: usize, jobs: usize) -> Self {
        let warps = device.multiprocessors as usize * 24;
        let words = planes.words * planes.height * jobs;
        let (large, sparse_pays) = (words >= 4 * warps, words >= 3 * warps);
        let small_picture = planes.half * planes.height <= 2 * 32 * warps;
        let dense_tiles = small_picture && jobs <= 8 && (labels <= 49 || jobs > 4);
        if large {
            return Self { dense: 768, sparse: 768, pairs: true, dense_tiles, sparse_pays };
        }
        Self { dense: 384, sparse: 384, pairs: false, dense_tiles, sparse_pays }
    }
}

/// The variant of `source` that runs `job`.
fn variant(source: Source, job: &Job, plan: &Plan, threads: u32) -> Variant {
    let problem = job.problem();
    Variant {
        source,
        defines: vec![
            ("SPA_LABELS", u32::from(problem.labels)),
            ("SPA_VOLUME", u32::from(plan.stereo.is_none())),
            ("SPA_CAPPED", u32::from(problem.data_cap < 255)),
            ("SPA_SUMS", plan.sums as u32),
            ("SPA_THREADS", threads),
        ],
    }
}

/// A kernel with as many blocks as the card holds at once.
struct Resident {
    function: CudaFunction,
    config: LaunchConfig,
}

impl Resident {
    fn new(device: &Device, function: CudaFunction, threads: u32, jobs: u32) -> Result<Self, CudaError> {
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)
            .map_err(driver("ask for the occupancy of a kernel"))?;
        // As many blocks for each job.
        let blocks = blocks.max(1) * device.multiprocessors / jobs * jobs;
        if blocks == 0 {
            let why = format!("{jobs} jobs at once, the card holds fewer blocks");
            return Err(CudaError::Unsupported { kernel: "packed", why });
        }
        let config =
            LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 };
        Ok(Self { function, config })
    }

    /// One block a multiprocessor, with its tile in `bytes` of shared memory.
    fn tiled(device: &Device, function: CudaFunction, bytes: usize, jobs: u32) -> Result<Self, CudaError> {
        function
            .set_attribute(
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                bytes as i32,
            )
            .map_err(driver("reserve shared memory for a kernel"))?;
        let config = LaunchConfig {
            grid_dim: (device.multiprocessors / jobs * jobs, 1, 1),
            block_dim: (TILE_THREADS, 1, 1),
            shared_mem_bytes: bytes as u32,
        };
        Ok(Self { function, config })
    }
}

/// The kernels on resident tiles.
struct Tiles {
    dense: Resident,
    dense_table: Resident,
    events: Resident,
}

/// Jobs of one launch, at most (SPA_BATCH of `kernels/packed.cuh`): their parameters fit 4 KB.
pub const BATCH: usize = 16;

/// Jobs of one launch on `device`, at most.
pub fn most_jobs(device: &Device) -> usize {
    BATCH.min(device.multiprocessors as usize)
}

/// Counters of a job.
const COUNTERS: usize = 4;

/// Words from a job's barrier to the flags of its tiles (FLAGS of `kernels/packed.cuh`), and of each flag.
const FLAGS: usize = 32;
const FLAG: usize = 8;

/// Threads of a block that has a tile.
const TILE_THREADS: u32 = 768;

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
    /// None if a tile is too large for a block's shared memory.
    tiles: Option<Tiles>,
    settle: CudaFunction,
    barrier: CudaSlice<u32>,
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
        let tiling =
            Tiling::new(&planes, device.multiprocessors as usize / jobs.len(), device.shared_memory as usize);
        let flags = FLAGS + tiling.map_or(0, |tiling| FLAG * tiling.tiles()).next_multiple_of(FLAGS);
        let barrier = device.zeros::<u32>("the barrier", flags * jobs.len())?;
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
                barrier: device.address(&barrier) + (n * flags * size_of::<u32>()) as u64,
                counters: device.address(&counters) + (n * COUNTERS * size_of::<u64>()) as u64,
                tiling,
            };
            Lane::new(device, job, begin, (&plan, planes), &prepare, shared)
        });
        let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        let log = log.with(begins.into_iter().map(|begin| begin.messages).collect());
        let spread = Spread::new(device, &planes, job.problem().labels.into(), jobs.len());
        let batch = if jobs.len() == 1 { 1 } else { BATCH as u32 };
        let load = |source, threads| {
            let mut variant = variant(source, job, &plan, threads);
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
        let tiles = tiling.map(|tiling| -> Result<Tiles, CudaError> {
            let dense = load(TILES_DENSE, TILE_THREADS)?;
            let events = load(TILES, TILE_THREADS)?.function("packed_tiles")?;
            let bytes = tiling.labels_bytes();
            Ok(Tiles {
                dense: Resident::tiled(device, dense.function("packed_tiles_dense")?, bytes, jobs)?,
                dense_table: Resident::tiled(
                    device,
                    dense.function("packed_tiles_dense_table")?,
                    bytes,
                    jobs,
                )?,
                events: Resident::tiled(device, events, tiling.events_bytes(), jobs)?,
            })
        });
        Ok(Self {
            tiles: tiles.transpose()?,
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
            barrier,
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
        self.spread.sparse_pays && 4 * self.plan.steps[step].limit <= 5 * self.plan.far
    }

    /// Whether the kernel runs sparse, and on tiles; tiles balance a batch's load, not that of one picture.
    fn choose(&self, kernel: Kernel, step: usize) -> (bool, bool) {
        match kernel {
            Kernel::Dense => (false, false),
            Kernel::DenseTiles => (false, true),
            Kernel::Sparse => (true, false),
            Kernel::SparseTiles => (true, true),
            Kernel::Auto | Kernel::Baseline | Kernel::Generic => {
                let sparse = self.prefers_sparse(step);
                let tiled = if sparse { self.lanes.len() > 1 } else { self.spread.dense_tiles };
                (sparse, tiled && self.tiles.is_some())
            }
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
        let (sparse, tiled) = self.choose(self.kernel, step);
        let tiled = match &self.tiles {
            Some(tiles) if tiled => Some(tiles),
            None if tiled => {
                let why =
                    "a multiprocessor's share of the picture does not fit its shared memory".to_string();
                return Err(CudaError::Unsupported { kernel: "tiles", why });
            }
            _ => None,
        };
        let limit = self.plan.steps[step].limit;
        let wake_all = sparse && self.bits_hold.is_none_or(|before| limit > before);
        if wake_all && tiled.is_none() {
            self.lanes.iter_mut().try_for_each(|lane| lane.wake_all(self.device))?;
        }
        self.bits_hold = sparse.then_some(limit);
        let line = self.plan.steps[step].slope != 0;
        let (resident, awake) = match (tiled, sparse) {
            (None, true) => (&self.sparse, None),
            (None, false) => (if line { &self.dense } else { &self.dense_table }, None),
            (Some(tiles), true) => (&tiles.events, Some(u32::from(wake_all))),
            (Some(tiles), false) => (if line { &tiles.dense } else { &tiles.dense_table }, None),
        };
        let scalars: Vec<u32> = [self.iteration, span, step as u32].into_iter().chain(awake).collect();
        self.device.stream.memset_zeros(&mut self.barrier).map_err(driver("reset the barrier"))?;
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for what the launch
        // can send; the grid is as large as the card holds at once, so its blocks may wait for each other; tiles have the
        // shared memory that their tiling says.
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
