//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

mod choice;
mod kernels;
mod lane;
mod order;
mod run;
mod spread;
mod tiling;

use super::compile::{PREPARE, Variant};
use super::device::{Device, MessageLog, driver};
use super::error::CudaError;
use super::generic;
use super::plan::{Plan, Step};
use super::sys::{self, Mailbox};
use super::{Kernel, Stripped};
use choice::{Choice, SLOTS};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use kernels::{Kernels, Which};
use lane::{Batch, Lane, Planes, Shared};
pub use run::run;
use spa_model::{Job, Snapshot};
pub use spread::DEAL;
use spread::Spread;

/// Threads of a block of the simple kernels.
const BLOCK: u32 = 256;

/// Jobs of one launch, at most (SPA_BATCH of `kernels/packed.cuh`): their parameters are 4.5 KB, of 32 that kernels may have since CUDA 12.1.
pub const BATCH: usize = 16;

/// Jobs of one launch on `device`, at most.
pub fn most_jobs(device: &Device) -> usize {
    BATCH.min(device.multiprocessors as usize)
}

/// Counters of a job: labels touched and RVs updated by the kernels that skip, and what [`Which::counts`].
const COUNTERS: usize = 2 + SLOTS;

/// Words from one flag to the next (FLAG of `kernels/packed.cuh`).
const FLAG: usize = 8;

/// Iterations after which a launch that may end by itself asks whether it should (`SPA_WINDOW` of `kernels/place.cuh`), and how often it
/// may (`SPA_WINDOWS`).
pub const WINDOW: u32 = 8;
/// The latter.
pub const WINDOWS: u32 = 256;

/// It may not (NEVER of `kernels/place.cuh`).
const NEVER: u32 = u32::MAX;

/// Why it ended (FEW of `kernels/place.cuh`), beside the iterations done.
const FEW: u64 = 1 << 32;

/// Half-steps after which a launch begins to count anew: records have 24 bits for the count (`kernels/dealt.cu`), and a launch takes up to
/// 200,000 ([`Sampler::span`]). What it costs, all RVs awake once, is nothing in so many.
const MOST_TOLD: u32 = 1 << 12;

/// Jobs on the card between two iterations.
pub(super) struct Sampler<'a> {
    device: &'a Device,
    /// The first job: the others are like it ([`alike`]).
    job: &'a Job,
    plan: Plan,
    planes: Planes,
    lanes: Vec<Lane>,
    kernels: Kernels,
    flags: CudaSlice<u32>,
    /// The kernel that ran last, whether for a line, and the half-steps or rounds that all its blocks have told.
    told: Option<(Which, bool, u32)>,
    counters: CudaSlice<u64>,
    /// Launches that could end by themselves, and where they tell how far they come.
    watched: u32,
    mailbox: Mailbox,
    log: MessageLog,
    /// Collected iterations since every entry was settled.
    unsettled: u32,
    /// The last launch, if of a kernel that has the labels in a form of its own, and its last limit: what it left holds for the next one,
    /// and who is awake as well, unless the limit rises.
    holds: Option<(Which, u32)>,
    kernel: Kernel,
    /// Decides if no kernel was asked for.
    choice: Option<Choice>,
    /// First iteration after each entry of the schedule.
    ends: Vec<u32>,
    iteration: u32,
    /// Iterations run dense.
    dense_iterations: u64,
    /// Kernels that ran since somebody asked, in turn, and iterations of each.
    ran: Vec<(Which, u32)>,
    /// Tables of all jobs, held so that their addresses stay valid.
    _bytes: Vec<CudaSlice<u8>>,
    /// What launches that may end by themselves count.
    _windows: CudaSlice<u64>,
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
        let windows = device.zeros::<u64>("counters", 2 * WINDOWS as usize)?;
        let mailbox = device.mailbox()?;
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
                windows: device.address(&windows),
                mailbox: mailbox.address(),
            };
            Lane::new(device, job, begin, (&plan, planes, &spread), &prepare, shared)
        });
        let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
        let log = log.with(begins.into_iter().map(|begin| begin.messages).collect());
        let kernels = Kernels::new(device, (job, &plan, jobs.len()), &spread, (kernel, stripped))?;
        let choice =
            (kernel == Kernel::Auto).then(|| Choice::new(device, spread.order.clone())).transpose()?;
        Ok(Self {
            kernels,
            device,
            job,
            plan,
            planes,
            lanes,
            flags,
            told: None,
            counters,
            watched: 0,
            mailbox,
            log,
            unsettled: 0,
            holds: None,
            choice,
            kernel,
            ends: super::ends(job),
            iteration,
            dense_iterations: 0,
            ran: Vec::new(),
            _bytes: vec![pair, steps],
            _windows: windows,
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
        if let Some(choice) = &mut self.choice {
            return choice.which(&self.plan.steps[step].weight, &self.counters, COUNTERS);
        }
        Ok(Which::asked_for(self.kernel))
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
        unsafe { self.launch(&self.kernels.settle, config, false, &[done, u32::from(last)]) }?;
        self.unsettled = 0;
        Ok(())
    }

    /// First iteration after those that one launch of `which` can do from schedule entry `step` on: of the dense kernel the entry, of
    /// the others all of the entries that follow, as long as no RV must be woken; or as many as may go by without another choice.
    fn launch_end(&mut self, which: Which, step: usize) -> u32 {
        let patience = self.choice.as_mut().map_or(u32::MAX, |choice| choice.patience(step));
        let pairs = self.plan.steps[step..].windows(2);
        let alike =
            |pair: &&[Step]| pair[1].limit <= pair[0].limit && (pair[1].slope == 0) == (pair[0].slope == 0);
        let more = if which == Which::Dense { 0 } else { pairs.take_while(alike).count() };
        self.ends[step + more].min(self.iteration.saturating_add(patience))
    }

    /// Whether `which` must begin the next `span` iterations, from schedule entry `step` on, with labels in its own form and all RVs awake.
    fn opens(&self, which: Which, step: usize, span: u32) -> bool {
        let holds = |(before, limit)| before == which && self.plan.steps[step].limit <= limit;
        let room = |(_, _, told): (Which, bool, u32)| told.saturating_add(2 * span) < MOST_TOLD;
        which != Which::Dense && !(self.holds.is_some_and(holds) && self.told.is_some_and(room))
    }

    /// How many RVs may change in a window, all iterations together, for a launch to end by itself.
    fn few(&self, span: u32) -> u32 {
        let few = self.choice.as_ref().and_then(|choice| choice.few(span));
        few.map_or(NEVER, |share| (share * (self.rvs() * u64::from(WINDOW)) as f64) as u32)
    }

    /// The next `span` iterations, from schedule entry `step` on ([`Self::launch_end`]), or less, if the launch ends by itself.
    fn launch_iterations(&mut self, which: Which, step: usize, span: u32) -> Result<(), CudaError> {
        let few = self.few(span);
        let span = if few == NEVER { span } else { span.min(WINDOW * WINDOWS) };
        let burn_in_left = self.job.run().burn_in.saturating_sub(self.iteration);
        let planned = span.saturating_sub(burn_in_left);
        self.make_room(planned)?;
        let told = self.begin(which, step, span)?;
        let entry = &self.plan.steps[step];
        let resident = self.kernels.of(which, entry);
        let mut scalars = vec![self.iteration, span, step as u32, told];
        if which == Which::Dense {
            // In constant memory: the loops store labels, so that the compiler would read a `Step` again each time.
            let head = [entry.limit, entry.scale, entry.slope, entry.start, entry.bias];
            scalars.extend(head);
            scalars.push(entry.weight[0].into());
        }
        if which.counts() {
            scalars.push(self.choice.as_ref().map_or(0, Choice::slot) as u32);
        }
        if which.ends_by_itself() {
            scalars.extend([few, self.watched]);
        }
        let line = entry.slope != 0;
        if few != NEVER {
            self.mailbox.empty();
        }
        // SAFETY: all buffers of the lanes' parameters are fields of self and live; the log has room for what the launch
        // can send; the grid is as large as the card holds at once, so its blocks may wait for each other.
        unsafe { self.launch(&resident.function, resident.config, true, &scalars) }?;
        let done = if few == NEVER { self.launched(span)? } else { self.iterations_done(span)? };
        let collected = done.saturating_sub(burn_in_left);
        // What it cannot send any more.
        self.log.give_back(self.most_messages(planned) - self.most_messages(collected));
        match self.ran.last_mut() {
            Some((last, iterations)) if *last == which => *iterations += done,
            _ => self.ran.push((which, done)),
        }
        if which.is_plain() {
            self.dense_iterations += u64::from(done);
        }
        self.unsettled += collected;
        let last = super::entry_of(&self.ends, self.iteration + done - 1);
        self.holds = (which != Which::Dense).then_some((which, self.plan.steps[last].limit));
        let tells = if which == Which::Sparse { (2 * done).div_ceil(tiling::ROUND) } else { 2 * done };
        self.told = Some((which, line, told.wrapping_add(tells)));
        self.iteration += done;
        Ok(())
    }

    /// Messages that a launch sends with so many collected iterations, at most: one a change, and two full counters, since the open picks
    /// fill at most one.
    fn most_messages(&self, collected: u32) -> u64 {
        if collected == 0 { 0 } else { (u64::from(collected) + 2) * self.rvs() }
    }

    /// Room for what a launch with so many collected iterations sends and counts.
    fn make_room(&mut self, collected: u32) -> Result<(), CudaError> {
        if self.unsettled > 0 && self.unsettled + collected > self.job.hardware().count_max() {
            self.settle_entries(false)?;
        }
        self.log.reserve(self.most_messages(collected))
    }

    /// Makes ready what blocks of `which` tell each other for `span` iterations, and labels in its own form. What all have told before.
    fn begin(&mut self, which: Which, step: usize, span: u32) -> Result<u32, CudaError> {
        let opens = self.opens(which, step, span);
        let line = self.plan.steps[step].slope != 0;
        if let Some(open) = self.kernels.open(which).filter(|_| opens) {
            let config = self.on_each(2 * self.planes.records());
            // SAFETY: all buffers of the lanes' parameters are fields of self and live; no other block is waited for.
            unsafe { self.launch(open, config, false, &[]) }?;
        }
        match self.told {
            // Flags are of one kernel; what the others leave for their blocks is of both of a kind.
            Some((before, of, told))
                if before == which && !opens && (which != Which::Dense || of == line) =>
            {
                return Ok(told);
            }
            _ if which == Which::Dense => {
                self.device.stream.memset_zeros(&mut self.flags).map_err(driver("reset the flags"))?;
            }
            _ => {}
        }
        Ok(0)
    }

    /// A launch of `span` iterations was made that ends after all of them.
    fn launched(&mut self, span: u32) -> Result<u32, CudaError> {
        let updates = self.rvs() * u64::from(span);
        if let Some(choice) = &mut self.choice {
            choice.launched(self.device, updates)?;
        }
        Ok(span)
    }

    /// How many of `span` iterations the last launch will have done, which may end by itself.
    fn iterations_done(&mut self, span: u32) -> Result<u32, CudaError> {
        self.watched = self.watched.wrapping_add(1);
        let told = self.device.wait_for(&self.mailbox)?;
        let done =
            u32::try_from(told & !FEW).ok().filter(|done| (1..=span).contains(done)).ok_or_else(|| {
                let cause = format!("{told} in place of at most {span} iterations");
                CudaError::Driver { what: "hear how far a kernel comes", cause }
            })?;
        if let Some(choice) = self.choice.as_mut().filter(|_| told & FEW != 0) {
            choice.ended();
        }
        Ok(done)
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
