//! The packed kernels: 8-bit energies, dense at high temperatures, sparse and event-driven at low ones.

use super::compile::{PACKED, PREPARE, SPARSE, Source, Variant};
use super::device::{Device, LogAddress, MessageLog, driver};
use super::error::CudaError;
use super::generic;
use super::plan::Plan;
use super::sys::{self, KernelParams};
use super::{Finished, Kernel, Lap, Watch};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use spa_model::{Job, Singleton};

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
    /// Words of 32 RVs that a warp of the sparse kernel takes.
    words: u32,
}

impl Spread {
    /// What was fastest of the shapes measured (docs/performance.md): small pictures want every RV in a thread of its
    /// own, large ones few blocks at the barrier and more work a thread.
    fn new(device: &Device, planes: &Planes) -> Self {
        let warps = device.multiprocessors as usize * 24;
        if planes.words * planes.height >= 4 * warps {
            return Self { dense: 768, sparse: 768, pairs: true, words: 4 };
        }
        Self { dense: 384, sparse: 384, pairs: false, words: 1 }
    }
}

/// Columns of the border left of a plane of labels.
const BORDER: usize = 32;

/// `PackedParams` of `kernels/packed.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Params {
    labels: [u64; 2],
    active: [u64; 2],
    valid: [u64; 2],
    least: [u64; 2],
    first: u64,
    second: u64,
    volume: [u64; 2],
    pair: u64,
    near: u64,
    steps: u64,
    entries: [u64; 2],
    log: LogAddress,
    barrier: u64,
    counters: u64,
    width: u32,
    height: u32,
    half: u32,
    pitch: u32,
    words: u32,
    second_pitch: u32,
    second_origin: u32,
    first_offset: i32,
    data_cap: u32,
    s_outside: u32,
    far: u32,
    key0: u32,
    key1: u32,
    u_mask: u32,
    count_max: u32,
    chain: u32,
    burn_in: u32,
}

// SAFETY: the same fields in the same order and widths as `PackedParams`.
unsafe impl KernelParams for Params {}

/// The field as two planes of one colour each.
#[derive(Debug, Clone, Copy)]
struct Planes {
    width: usize,
    height: usize,
    /// Columns.
    half: usize,
    /// Bytes of a row of labels, border included.
    pitch: usize,
    /// Words of a row of bits.
    words: usize,
}

impl Planes {
    fn new(job: &Job) -> Self {
        let (width, height) = (job.problem().width as usize, job.problem().height as usize);
        let half = width.div_ceil(2);
        Self {
            width,
            height,
            half,
            pitch: (half + 2 * BORDER).next_multiple_of(64),
            words: half.div_ceil(32),
        }
    }

    /// Every RV: (index, colour, row, column of its plane).
    fn rvs(self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..self.height)
            .flat_map(move |y| (0..self.width).map(move |x| (y * self.width + x, (x + y) % 2, y, x / 2)))
    }

    fn label_index(self, y: usize, j: usize) -> usize {
        (y + 1) * self.pitch + BORDER + j
    }
}

/// The variant of `source` that runs `job`.
fn variant(source: Source, job: &Job, plan: &Plan, threads: u32, own: (&'static str, u32)) -> Variant {
    let problem = job.problem();
    Variant {
        source,
        defines: vec![
            ("SPA_LABELS", u32::from(problem.labels)),
            ("SPA_VOLUME", u32::from(plan.stereo.is_none())),
            ("SPA_CAPPED", u32::from(problem.data_cap < 255)),
            ("SPA_THREADS", threads),
            own,
        ],
    }
}

/// A kernel with as many blocks as the card holds at once.
struct Resident {
    function: CudaFunction,
    config: LaunchConfig,
}

impl Resident {
    fn new(device: &Device, function: CudaFunction, threads: u32) -> Result<Self, CudaError> {
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)
            .map_err(driver("ask for the occupancy of a kernel"))?;
        let config = LaunchConfig {
            grid_dim: (blocks.max(1) * device.multiprocessors, 1, 1),
            block_dim: (threads, 1, 1),
            shared_mem_bytes: 0,
        };
        Ok(Self { function, config })
    }
}

/// Everything of a run on the card.
struct Session<'a> {
    device: &'a Device,
    job: &'a Job,
    plan: Plan,
    planes: Planes,
    spread: Spread,
    params: Params,
    dense: Resident,
    dense_table: Resident,
    sparse: Resident,
    settle: CudaFunction,
    labels: [CudaSlice<u8>; 2],
    active: [CudaSlice<u32>; 2],
    valid: [CudaSlice<u32>; 2],
    barrier: CudaSlice<u32>,
    counters: CudaSlice<u64>,
    log: MessageLog,
    /// Collected iterations since every entry was settled.
    unsettled: u32,
    /// Limit of the last sparse launch, if its bits still hold.
    bits_hold: Option<u32>,
    /// Held so that the addresses in `params` stay valid.
    _bytes: Vec<CudaSlice<u8>>,
    _words: Vec<CudaSlice<u64>>,
}

fn simple(threads: usize) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (threads.div_ceil(BLOCK as usize) as u32, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    }
}

impl<'a> Session<'a> {
    fn new(device: &'a Device, job: &'a Job, start: &[u8]) -> Result<Self, CudaError> {
        let plan = Plan::new(job)?;
        let (problem, hardware, run) = (job.problem(), job.hardware(), job.run());
        let planes = Planes::new(job);
        let plane = planes.half * planes.height;
        let labels_count = usize::from(problem.labels);

        let mut labels = [(); 2].map(|()| vec![problem.labels as u8; (planes.height + 2) * planes.pitch]);
        let mut valid = [(); 2].map(|()| vec![0_u32; planes.words * planes.height]);
        for (i, colour, y, j) in planes.rvs() {
            labels[colour][planes.label_index(y, j)] = start[i];
            valid[colour][y * planes.words + j / 32] |= u32::from(!problem.is_fixed(i)) << (j % 32);
        }

        let mut bytes = Vec::new();
        let mut words = Vec::new();
        let mut keep = |slice: CudaSlice<u8>| {
            let address = device.address(&slice);
            bytes.push(slice);
            address
        };
        let mut keep_words = |slice: CudaSlice<u64>| {
            let address = device.address(&slice);
            words.push(slice);
            address
        };

        let least = [keep(device.zeros("singletons", plane)?), keep(device.zeros("singletons", plane)?)];
        let mut volume = [0; 2];
        if plan.stereo.is_none() {
            for address in &mut volume {
                *address = keep(device.zeros("the cost volume", plane * labels_count.div_ceil(16) * 16)?);
            }
        }
        let prepare = device.load(&Variant { source: PREPARE, defines: generic::singleton_defines(job) })?;
        generic::prepare(device, &prepare.function("prepare")?, job, least, volume, planes.half as u32)?;

        let first_offset = plan.stereo.unwrap_or(0);
        // Labels reach to the left of the origin, whole words of four and one word of slack; and dx to the right.
        let origin = (72 - first_offset.min(0)) as usize;
        let second_pitch = (origin + planes.width + first_offset.max(0) as usize + 8).next_multiple_of(64);
        let (mut first, mut second) = (0, 0);
        if let (Some(_), Singleton::Pixels { first: one, second: two, .. }) =
            (plan.stereo, &problem.singleton)
        {
            let mut padded = vec![0; second_pitch * planes.height];
            for (row, line) in padded.chunks_exact_mut(second_pitch).zip(two.chunks_exact(planes.width)) {
                row[origin..origin + planes.width].copy_from_slice(line);
            }
            first = keep(device.upload("singleton 1", one)?);
            second = keep(device.upload("singleton 2", &padded)?);
        }
        let step_bytes: Vec<u8> = plan.steps.iter().flat_map(step_bytes).collect();
        let pair = keep(device.upload("the pair table", &plan.pair)?);
        let steps = keep(device.upload("weights", &step_bytes)?);
        let near = keep_words(device.upload("near sets", &plan.near)?);
        let entries = [
            keep_words(device.zeros("label entries", plane)?),
            keep_words(device.zeros("label entries", plane)?),
        ];

        let labels = [device.upload("labels", &labels[0])?, device.upload("labels", &labels[1])?];
        let active = [device.upload("update bits", &valid[0])?, device.upload("update bits", &valid[1])?];
        let valid = [device.upload("update bits", &valid[0])?, device.upload("update bits", &valid[1])?];
        let barrier = device.zeros("the barrier", 1)?;
        let counters = device.zeros("counters", 4)?;
        let rvs = problem.rvs() as u64;
        let wish = rvs * (u64::from(job.collected()) + 3);
        let capacity = wish.min(1 << 27).min(device.free_memory() / 32).max(3 * rvs).max(1 << 16);
        let log = MessageLog::new(device, capacity as usize)?;
        let key = spa_model::rng::key(run.seed);
        let params = Params {
            labels: [device.address(&labels[0]), device.address(&labels[1])],
            active: [device.address(&active[0]), device.address(&active[1])],
            valid: [device.address(&valid[0]), device.address(&valid[1])],
            least,
            first,
            second,
            volume,
            pair,
            near,
            steps,
            entries,
            log: log.address(),
            barrier: device.address(&barrier),
            counters: device.address(&counters),
            width: problem.width,
            height: problem.height,
            half: planes.half as u32,
            pitch: planes.pitch as u32,
            words: planes.words as u32,
            second_pitch: second_pitch as u32,
            second_origin: origin as u32,
            first_offset,
            data_cap: u32::from(problem.data_cap).min(255),
            s_outside: u32::from(problem.s_outside).min(255),
            far: plan.far,
            key0: key[0],
            key1: key[1],
            u_mask: super::u_mask(hardware.u_bits),
            count_max: hardware.count_max(),
            chain: run.chain.into(),
            burn_in: run.burn_in,
        };
        let spread = Spread::new(device, &planes);
        let own = ("SPA_PAIRS", u32::from(spread.pairs));
        let packed = device.load(&variant(PACKED, job, &plan, spread.dense, own))?;
        let sparse = device.load(&variant(SPARSE, job, &plan, spread.sparse, ("SPA_WORDS", spread.words)))?;
        Ok(Self {
            dense: Resident::new(device, packed.function("packed_dense")?, spread.dense)?,
            dense_table: Resident::new(device, packed.function("packed_dense_table")?, spread.dense)?,
            sparse: Resident::new(device, sparse.function("packed_sparse")?, spread.sparse)?,
            settle: packed.function("packed_settle")?,
            device,
            job,
            plan,
            planes,
            spread,
            params,
            labels,
            active,
            valid,
            barrier,
            counters,
            log,
            unsettled: 0,
            bits_hold: None,
            _bytes: bytes,
            _words: words,
        })
    }

    /// Sparse where it was measured to be faster: large pictures, once few RVs can change and few of those have far live
    /// labels. On small ones its longer chain of loads costs more than it saves.
    fn prefers_sparse(&self, step: usize) -> bool {
        self.spread.pairs && 4 * self.plan.steps[step].limit <= 3 * self.plan.far
    }

    /// Iterations that one launch may do from `iteration` on, at most `left`.
    fn span(&self, iteration: u32, left: u32) -> u32 {
        let (run, rvs) = (self.job.run(), self.job.problem().rvs() as u64);
        // A launch should end after a tenth of a second or so, so that a wish to stop is heard.
        let labels = rvs * u64::from(self.job.problem().labels);
        let left = left.min((100_000_000_000 / labels).clamp(1, 100_000) as u32);
        if iteration < run.burn_in {
            return left.min(run.burn_in - iteration);
        }
        let fit = (self.log.capacity() / rvs).saturating_sub(2);
        left.min(fit.clamp(1, self.job.hardware().count_max().into()) as u32)
    }

    fn settle(&mut self, done: u32, last: bool) -> Result<(), CudaError> {
        self.log.reserve(3 * self.job.problem().rvs() as u64)?;
        let config = simple(2 * self.planes.half * self.planes.height);
        let scalars = [done, u32::from(last)];
        // SAFETY: all buffers of `params` are fields of self and live; the log has room for three messages a RV: since
        // the last settling at most count_max picks are open, so one full counter and the two last pairs.
        unsafe { sys::launch(&self.device.stream, &self.settle, config, false, &self.params, &scalars) }
            .map_err(driver("launch the settling kernel"))?;
        self.unsettled = 0;
        Ok(())
    }

    /// `span` iterations of schedule entry `step` from `iteration` on.
    fn advance(&mut self, kernel: Kernel, step: usize, iteration: u32, span: u32) -> Result<bool, CudaError> {
        let burn_in = self.job.run().burn_in;
        if iteration >= burn_in {
            if self.unsettled + span > self.job.hardware().count_max() && self.unsettled > 0 {
                self.settle(iteration - burn_in, false)?;
            }
            // At most one message a change, and two full counters, since the open picks fill at most one.
            self.log.reserve((u64::from(span) + 2) * self.job.problem().rvs() as u64)?;
            self.unsettled += span;
        }
        let sparse = match kernel {
            Kernel::Dense => false,
            Kernel::Sparse => true,
            Kernel::Auto | Kernel::Baseline | Kernel::Generic => self.prefers_sparse(step),
        };
        let limit = self.plan.steps[step].limit;
        let stream = &self.device.stream;
        let what = "reset a buffer on the card";
        let resident = if sparse {
            if self.bits_hold.is_none_or(|before| limit > before) {
                for colour in 0..2 {
                    stream
                        .memcpy_dtod(&self.valid[colour], &mut self.active[colour])
                        .map_err(driver(what))?;
                }
            }
            self.bits_hold = Some(limit);
            &self.sparse
        } else {
            self.bits_hold = None;
            if self.plan.steps[step].slope > 0 { &self.dense } else { &self.dense_table }
        };
        stream.memset_zeros(&mut self.barrier).map_err(driver(what))?;
        let scalars = [iteration, span, step as u32];
        // SAFETY: all buffers of `params` are fields of self and live; the log has room for what the launch can send; the
        // grid is as large as the card holds at once, so its blocks may wait for each other.
        unsafe { sys::launch(stream, &resident.function, resident.config, true, &self.params, &scalars) }
            .map_err(driver("launch a packed kernel"))?;
        Ok(sparse)
    }
}

fn step_bytes(step: &super::plan::Step) -> Vec<u8> {
    let head = [step.limit, step.scale, step.slope, step.offset];
    head.iter().flat_map(|v| v.to_le_bytes()).chain(step.weight).collect()
}

/// Runs `job` from `start` with the dense kernel, the sparse one, or whichever suits each temperature (`Auto`).
///
/// # Errors
/// [`CudaError::Unsupported`] if the job is not for these kernels; out of memory, a failing driver, or
/// [`CudaError::Stopped`].
pub fn run(
    device: &Device,
    job: &Job,
    start: &[u8],
    kernel: Kernel,
    watch: &mut Watch<'_>,
) -> Result<Finished, CudaError> {
    let mut session = Session::new(device, job, start)?;
    device.synchronize()?;

    watch.start();
    let mut marks = vec![device.mark()?];
    let mut laps = Vec::new();
    let mut dense_touched = 0;
    let mut iteration = 0;
    let free = job.problem().free_rvs() as u64;
    for (step, entry) in job.run().schedule.steps().iter().enumerate() {
        let mut lap = Lap { temperature: entry.temperature, ..Lap::default() };
        let end = iteration + entry.iterations;
        while iteration < end {
            let span = session.span(iteration, end - iteration);
            lap.sparse = session.advance(kernel, step, iteration, span)?;
            if !lap.sparse {
                dense_touched += free * u64::from(job.problem().labels) * u64::from(span);
            }
            lap.iterations += span;
            iteration += span;
            watch.tick(device, iteration)?;
        }
        marks.push(device.mark()?);
        if watch.profile {
            lap.counters = device.download(&session.counters, 4)?;
        }
        laps.push(lap);
    }
    session.settle(job.collected().into(), true)?;
    device.synchronize()?;
    let seconds = watch.seconds();
    super::fill_seconds(&mut laps, &marks)?;
    let touched = dense_touched + device.download(&session.counters, 4)?[0];

    let planes = session.planes;
    let size = (planes.height + 2) * planes.pitch;
    let colours = [device.download(&session.labels[0], size)?, device.download(&session.labels[1], size)?];
    let labels = planes.rvs().map(|(_, colour, y, j)| colours[colour][planes.label_index(y, j)]).collect();
    Ok(Finished { labels, messages: session.log.finish()?, seconds, touched, laps })
}
