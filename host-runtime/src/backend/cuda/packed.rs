//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

mod choice;
mod cutting;
mod lane;
mod run;
mod spread;
mod tiling;

use super::compile::{PACKED, PREPARE, SPARSE, Source, Variant};
use super::device::{Device, MessageLog, driver};
use super::error::CudaError;
use super::generic;
use super::plan::{Plan, Step};
use super::sys;
use super::{Kernel, Stripped};
use choice::{Choice, SLOTS};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use cutting::Cutting;
use lane::{Batch, Lane, Planes, Shared};
pub use run::run;
use spa_model::{Job, Snapshot};
use spread::{Shape, Spread};
use tiling::Memory;

/// Threads of a block of the simple kernels.
const BLOCK: u32 = 256;

/// The variant of `source` that runs `job`.
fn variant(source: Source, job: &Job, plan: &Plan, shape: Shape) -> Variant {
    let problem = job.problem();
    Variant {
        source,
        defines: vec![
            ("SPA_LABELS", u32::from(problem.labels)),
            ("SPA_VOLUME", u32::from(plan.stereo.is_none())),
            ("SPA_RIGHTWARD", u32::from(plan.stereo.is_some_and(|dx| dx > 0))),
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
    /// `bytes`: of shared memory, beside what the kernel declares.
    fn new(
        device: &Device,
        function: CudaFunction,
        (shape, bytes): (Shape, usize),
        jobs: u32,
    ) -> Result<Self, CudaError> {
        use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as BYTES;
        function.set_attribute(BYTES, bytes as i32).map_err(driver("ask for shared memory"))?;
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(shape.threads, bytes, None)
            .map_err(driver("ask for the occupancy of a kernel"))?;
        // As many blocks for each job.
        let blocks = blocks.clamp(1, shape.blocks) * device.multiprocessors / jobs * jobs;
        if blocks == 0 {
            let why = format!("{jobs} jobs at once, the card holds fewer blocks");
            return Err(CudaError::Unsupported { kernel: "packed", why });
        }
        let (grid_dim, block_dim) = ((blocks, 1, 1), (shape.threads, 1, 1));
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: bytes as u32 };
        Ok(Self { function, config })
    }
}

/// Jobs of one launch, at most (SPA_BATCH of `kernels/packed.cuh`): their parameters fit 4 KB.
pub const BATCH: usize = 16;

/// Jobs of one launch on `device`, at most.
pub fn most_jobs(device: &Device) -> usize {
    BATCH.min(device.multiprocessors as usize)
}

/// Counters of a job: labels touched and RVs updated by the sparse kernel, open RVs found by the dense one.
const COUNTERS: usize = 2 + SLOTS;

/// Words from one flag to the next (FLAG of `kernels/packed.cuh`).
const FLAG: usize = 8;

/// A kernel of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Dense,
    DenseTable,
    Sparse,
    SparseTable,
}

impl Which {
    fn is_sparse(self) -> bool {
        matches!(self, Self::Sparse | Self::SparseTable)
    }
}

/// Jobs on the card between two iterations.
pub(super) struct Sampler<'a> {
    device: &'a Device,
    /// The first job: the others are like it ([`alike`]).
    job: &'a Job,
    plan: Plan,
    planes: Planes,
    lanes: Vec<Lane>,
    dense: Resident,
    dense_table: Resident,
    sparse: Resident,
    sparse_table: Resident,
    settle: CudaFunction,
    wake: CudaFunction,
    cutting: Option<Cutting>,
    flags: CudaSlice<u32>,
    /// The kernel that told last by the flags, and the half-steps or rounds that all of them have.
    told: Option<(Which, u32)>,
    counters: CudaSlice<u64>,
    log: MessageLog,
    /// Collected iterations since every entry was settled.
    unsettled: u32,
    /// Limit of the last sparse launch, if its bits still hold.
    bits_hold: Option<u32>,
    kernel: Kernel,
    /// Decides if no kernel was asked for.
    choice: Option<Choice>,
    /// First iteration after each entry of the schedule.
    ends: Vec<u32>,
    iteration: u32,
    /// Iterations run dense.
    dense_iterations: u64,
    /// Tables of all jobs, held so that their addresses stay valid.
    _bytes: Vec<CudaSlice<u8>>,
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
    /// `jobs` on the card as they stand in `begins`, after as many iterations each; which kernel, and what it leaves out.
    ///
    /// # Errors
    /// As [`run`].
    pub fn new(
        device: &'a Device,
        jobs: &[&'a Job],
        begins: Vec<Snapshot>,
        (kernel, stripped): (Kernel, Stripped),
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
        let spread = Spread::new(device, &planes, (job.problem().labels, plan.stereo.is_some()), jobs.len());
        let bands = (spread.dense.blocks * device.multiprocessors) as usize / jobs.len();
        let flags_each = FLAG * bands;
        let flags = device.zeros::<u32>("the flags", flags_each * jobs.len())?;
        let counters = device.zeros::<u64>("counters", COUNTERS * jobs.len())?;
        let rvs = (job.problem().rvs() * jobs.len()) as u64;
        let wish = rvs * (u64::from(job.collected()) + 3);
        let capacity = wish.min(1 << 27).min(device.free_memory() / 32).max(3 * rvs).max(1 << 16);
        let log = MessageLog::new(device, capacity as usize, jobs.len())?;
        let lanes = jobs.iter().zip(&begins).enumerate().map(|(n, (job, begin))| {
            let shared = Shared {
                pair: device.address(&pair),
                steps: device.address(&steps),
                log: log.address().of_job(n),
                flags: device.address(&flags) + (n * flags_each * size_of::<u32>()) as u64,
                counters: device.address(&counters) + (n * COUNTERS * size_of::<u64>()) as u64,
            };
            Lane::new(device, job, begin, (&plan, planes, &spread), &prepare, shared)
        });
        let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        let log = log.with(begins.into_iter().map(|begin| begin.messages).collect());
        let batch = if jobs.len() == 1 { 1 } else { BATCH as u32 };
        let load = |source, shape| {
            let mut variant = variant(source, job, &plan, shape);
            let pairs = source == PACKED && spread.pairs;
            variant.defines.push(("SPA_PAIRS", u32::from(pairs)));
            if source == SPARSE {
                let Memory { cells, left, right, costs, bytes } = spread.memory;
                let sizes = [
                    ("SPA_CELLS", cells),
                    ("SPA_LEFT", left),
                    ("SPA_RIGHT", right),
                    ("SPA_COSTS", costs),
                    ("SPA_SHARED", bytes),
                ];
                variant.defines.extend(sizes.map(|(name, size)| (name, size as u32)));
                variant.defines.push(("SPA_CUT", u32::from(spread.stretch > 1)));
            }
            variant.defines.push(("SPA_BATCH", batch));
            if stripped != Stripped::Nothing {
                variant.defines.push(("SPA_STRIPPED", stripped as u32));
            }
            device.load(&variant)
        };
        let packed = load(PACKED, spread.dense)?;
        let sparse = load(SPARSE, spread.sparse)?;
        let (dense, room) = ((spread.dense, 0), (spread.sparse, spread.memory.bytes));
        let jobs = jobs.len() as u32;
        let tiled = Resident::new(device, sparse.function("packed_sparse")?, room, jobs)?;
        let cutting = match spread.stretch {
            1 => None,
            _ => {
                let blocks = tiled.config.grid_dim.0 / jobs;
                let cut = sparse.function("packed_cut")?;
                Cutting::new(device, cut, (&planes, &spread.tiling), (jobs, blocks))?
            }
        };
        Ok(Self {
            dense: Resident::new(device, packed.function("packed_dense")?, dense, jobs)?,
            dense_table: Resident::new(device, packed.function("packed_dense_table")?, dense, jobs)?,
            sparse_table: Resident::new(device, sparse.function("packed_sparse_table")?, room, jobs)?,
            sparse: tiled,
            cutting,
            settle: packed.function("packed_settle")?,
            wake: sparse.function("packed_wake")?,
            device,
            job,
            plan,
            planes,
            lanes,
            flags,
            told: None,
            counters,
            log,
            unsettled: 0,
            bits_hold: None,
            choice: (kernel == Kernel::Auto).then(|| Choice::new(device, spread.few)).transpose()?,
            kernel,
            ends: super::ends(job),
            iteration,
            dense_iterations: 0,
            _bytes: vec![pair, steps],
        })
    }

    /// RVs of all jobs.
    fn rvs(&self) -> u64 {
        (self.job.problem().rvs() * self.lanes.len()) as u64
    }

    /// So many threads for every job.
    fn on_each(&self, threads: usize) -> LaunchConfig {
        let blocks = threads.div_ceil(BLOCK as usize) * self.lanes.len();
        LaunchConfig { grid_dim: (blocks as u32, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
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

    /// What runs schedule entry `step` now.
    fn choose(&mut self, step: usize) -> Result<Which, CudaError> {
        let entry = &self.plan.steps[step];
        let sparse = match (&mut self.choice, self.kernel) {
            (Some(choice), _) => choice.is_cold(entry.limit, &self.counters, COUNTERS)?,
            (None, kernel) => kernel == Kernel::Sparse,
        };
        Ok(match (sparse, entry.slope) {
            (true, 0) => Which::SparseTable,
            (true, _) => Which::Sparse,
            (false, 0) => Which::DenseTable,
            (false, _) => Which::Dense,
        })
    }

    /// Iterations that one launch may do from `iteration` on, at most `left`.
    fn span(&self, iteration: u32, left: u32) -> u32 {
        let (run, rvs) = (self.job.run(), self.rvs());
        // A launch should end after a tenth of a second or so, so that a wish to stop is heard.
        let labels = rvs * u64::from(self.job.problem().labels);
        let left = left.min((100_000_000_000 / labels).clamp(1, 100_000) as u32);
        // Of those that are collected, as many as the log has room for.
        let fit = (self.log.capacity() / rvs).saturating_sub(2);
        let collected = fit.clamp(1, self.job.hardware().count_max().into()) as u32;
        left.min(run.burn_in.saturating_sub(iteration).saturating_add(collected))
    }

    /// Brings all label entries up to date; if it is the `last` time, their pairs are sent, too.
    fn settle_entries(&mut self, last: bool) -> Result<(), CudaError> {
        let done = self.job.collected_by(self.iteration).into();
        self.log.reserve(3 * self.rvs())?;
        let config = self.on_each(2 * self.planes.half * self.planes.height);
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for three messages a
        // RV: since the last settling at most count_max picks are open, so one full counter and the two last pairs.
        unsafe { self.launch(&self.settle, config, false, &[done, u32::from(last)]) }?;
        self.unsettled = 0;
        Ok(())
    }

    /// First iteration after those that one launch of `which` can do from schedule entry `step` on: of the sparse kernel all of the
    /// entries that follow, as long as no RV must be woken; of the dense one the entry, or as many as may go by without another choice.
    fn launch_end(&mut self, which: Which, step: usize) -> u32 {
        if !which.is_sparse() {
            let patience = self.choice.as_mut().map_or(u32::MAX, |choice| choice.patience(step));
            return self.ends[step].min(self.iteration.saturating_add(patience));
        }
        let wakes = self.wakes(which, step);
        let left = self.cutting.as_ref().map_or(u32::MAX, |cutting| cutting.left(wakes));
        let pairs = self.plan.steps[step..].windows(2);
        let alike =
            |pair: &&[Step]| pair[1].limit <= pair[0].limit && (pair[1].slope == 0) == (pair[0].slope == 0);
        self.ends[step + pairs.take_while(alike).count()].min(self.iteration.saturating_add(left))
    }

    /// Whether `which` must begin schedule entry `step` with all RVs awake.
    fn wakes(&self, which: Which, step: usize) -> bool {
        which.is_sparse() && self.bits_hold.is_none_or(|before| self.plan.steps[step].limit > before)
    }

    /// The next `span` iterations, from schedule entry `step` on ([`Self::launch_end`]).
    fn launch_iterations(&mut self, which: Which, step: usize, span: u32) -> Result<(), CudaError> {
        let burn_in_left = self.job.run().burn_in.saturating_sub(self.iteration);
        if span > burn_in_left {
            let collected = span - burn_in_left;
            if self.unsettled + collected > self.job.hardware().count_max() && self.unsettled > 0 {
                self.settle_entries(false)?;
            }
            // At most one message a change, and two full counters, since the open picks fill at most one.
            self.log.reserve((u64::from(collected) + 2) * self.rvs())?;
            self.unsettled += collected;
        }
        let sparse = which.is_sparse();
        let entry = &self.plan.steps[step];
        let wakes = self.wakes(which, step);
        let last = super::entry_of(&self.ends, self.iteration + span - 1);
        self.bits_hold = sparse.then_some(self.plan.steps[last].limit);
        let told = match self.told {
            // Both sparse kernels go on from each other.
            Some((before, told)) if (before == which || (sparse && before.is_sparse())) && !wakes => told,
            _ => {
                // Tiles meet without flags.
                if !sparse {
                    self.device.stream.memset_zeros(&mut self.flags).map_err(driver("reset the flags"))?;
                }
                0
            }
        };
        if wakes {
            let config = self.on_each(2 * self.planes.groups() * self.planes.height);
            // SAFETY: as below; no other block is waited for.
            unsafe { self.launch(&self.wake, config, false, &[]) }?;
        }
        let cuts = sparse && self.cutting.as_mut().is_some_and(|cutting| cutting.before_launch(wakes, span));
        if let Some(Cutting { function, config, scalars, .. }) = self.cutting.as_ref().filter(|_| cuts) {
            // SAFETY: as above; the table has room for as many tiles as blocks.
            unsafe { self.launch(function, *config, false, scalars) }?;
        }
        let tells = if sparse { (2 * span).div_ceil(tiling::ROUND) } else { 2 * span };
        self.told = Some((which, told + tells));
        let resident = match which {
            Which::Dense => &self.dense,
            Which::DenseTable => &self.dense_table,
            Which::Sparse => &self.sparse,
            Which::SparseTable => &self.sparse_table,
        };
        let mut scalars = vec![self.iteration, span, step as u32, told];
        if !sparse {
            // In constant memory: the loops store labels, so that the compiler would read a `Step` again each time.
            scalars.extend([
                entry.limit,
                entry.scale,
                entry.slope,
                entry.start,
                entry.bias,
                entry.weight[0].into(),
                self.choice.as_ref().map_or(0, Choice::slot) as u32,
            ]);
        }
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for what the launch
        // can send; the grid is as large as the card holds at once, so its blocks may wait for each other.
        unsafe { self.launch(&resident.function, resident.config, true, &scalars) }?;
        if !sparse {
            self.dense_iterations += u64::from(span);
            let updates = self.rvs() * u64::from(span);
            if let Some(choice) = &mut self.choice {
                choice.launched(self.device, updates)?;
            }
        }
        self.iteration += span;
        Ok(())
    }

    /// Labels that the dense kernels evaluated of `job`, one of the jobs.
    fn dense_labels(&self, job: &Job) -> u64 {
        job.labels_evaluated_by(1) * self.dense_iterations
    }
}

fn step_bytes(step: &Step) -> Vec<u8> {
    let head = [step.limit, step.scale, step.slope, step.start, step.bias, step.end];
    head.iter().flat_map(|v| v.to_le_bytes()).chain(step.weight).collect()
}
