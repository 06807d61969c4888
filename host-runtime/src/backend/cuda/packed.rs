//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

mod choice;
mod lane;
mod run;
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
use lane::{Batch, Lane, Planes, Shared};
pub use run::run;
use spa_model::{Job, Snapshot};
use tiling::Tiling;

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
    /// A thread of the dense kernel updates two RVs at once.
    pairs: bool,
    sparse: Shape,
    tiling: Tiling,
    /// RVs among which a lane of the sparse kernel looks for those that are awake (`SPA_EACH`).
    each: u32,
    /// Share of open RVs from which on the sparse kernel is faster, two launches later ([`choice`]).
    few: f64,
}

/// Warps of a block of the dense kernel: one for each scheduler of a multiprocessor.
const WARPS: usize = 4;

/// RVs of a colour that a tile may have: 6.3 bytes each, and tables, are at most 48 KB.
const CELLS_MOST: usize = 6144;

impl Spread {
    /// What was fastest of the shapes measured (docs/performance.md).
    fn new(device: &Device, planes: &Planes, (labels, stereo): (u16, bool), jobs: usize) -> Self {
        let multiprocessors = device.multiprocessors as usize;
        let warps = (planes.half * planes.height).div_ceil(32) * jobs;
        let each = warps.div_ceil(multiprocessors);
        let shape = |threads: usize, blocks: usize| Shape { threads: threads as u32, blocks: blocks as u32 };

        // Small pictures want every RV in a thread of its own and all of them at once, or in few rounds of which the last is full;
        // large ones two RVs a thread, which do less together.
        let pairs = each >= 128;
        // Seven blocks leave 72 registers a thread: not enough for many labels.
        let most = if labels <= 52 { 7 } else { 6 };
        let slots = |blocks: &usize| (each.div_ceil(WARPS * blocks) * blocks, usize::MAX - blocks);
        let blocks = if pairs { 4 } else { (4..=most).min_by_key(slots).unwrap_or(4) };

        // One tile a multiprocessor has the least halo; several even out that some tiles have more to do. Motion has most of its
        // open RVs in few tiles, so that those of small pictures hold up all others.
        let large = each >= 72;
        let (sparse, few) = match (large, jobs > 8) {
            (true, true) => (shape(128, 5), 0.8),
            (true, false) => (shape(256, 2), 0.8),
            (false, _) if labels <= 16 => (shape(384, 1), 0.5),
            (false, _) => (shape(384, 1), if stereo { 0.33 } else { 0.03 }),
        };
        Self {
            dense: shape(32 * WARPS, blocks),
            pairs,
            sparse,
            tiling: Tiling::new(planes, sparse.blocks as usize * multiprocessors / jobs, CELLS_MOST),
            each: if large { 16 } else { 4 },
            few,
        }
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
            Lane::new(device, job, begin, (&plan, planes, spread.tiling), &prepare, shared)
        });
        let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        let log = log.with(begins.into_iter().map(|begin| begin.messages).collect());
        let batch = if jobs.len() == 1 { 1 } else { BATCH as u32 };
        let load = |source, shape| {
            let mut variant = variant(source, job, &plan, shape);
            let pairs = source == PACKED && spread.pairs;
            variant.defines.push(("SPA_PAIRS", u32::from(pairs)));
            if source == SPARSE {
                variant.defines.push(("SPA_CELLS", spread.tiling.cells().next_multiple_of(512) as u32));
                variant.defines.push(("SPA_EACH", spread.each));
            }
            variant.defines.push(("SPA_BATCH", batch));
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
            sparse_table: Resident::new(
                device,
                sparse.function("packed_sparse_table")?,
                spread.sparse,
                jobs,
            )?,
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
        let pairs = self.plan.steps[step..].windows(2);
        let alike =
            |pair: &&[Step]| pair[1].limit <= pair[0].limit && (pair[1].slope == 0) == (pair[0].slope == 0);
        self.ends[step + pairs.take_while(alike).count()]
    }

    /// The next `span` iterations, from schedule entry `step` on ([`Self::launch_end`]).
    fn launch_iterations(&mut self, which: Which, step: usize, span: u32) -> Result<(), CudaError> {
        if self.iteration >= self.job.run().burn_in {
            if self.unsettled + span > self.job.hardware().count_max() && self.unsettled > 0 {
                self.settle_entries(false)?;
            }
            // At most one message a change, and two full counters, since the open picks fill at most one.
            self.log.reserve((u64::from(span) + 2) * self.rvs())?;
            self.unsettled += span;
        }
        let sparse = which.is_sparse();
        let entry = &self.plan.steps[step];
        let wakes = sparse && self.bits_hold.is_none_or(|before| entry.limit > before);
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
