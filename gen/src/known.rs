//! A small job with its outcome, for every build: what a simulation without the runtime is compared with.

use spa_model::job::{line_vectors, stereo_offsets};
use spa_model::message::MessageFormat;
use spa_model::placement::{self, Target};
use spa_model::{
    ArrayShape, Difference, Error, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Tiling,
    spec,
};

use crate::config::Config;
use crate::runs::{self, Buffer, Buffers};

/// Fields to try, the largest first.
const FIELDS: [(u32, u32); 3] = [(18, 10), (13, 7), (8, 4)];
/// A field that every build holds.
const SMALLEST: (u32, u32) = (4, 2);
/// Iterations, and those before collection.
const ITERATIONS: (u32, u32) = (12, 4);
/// Temperatures of the first and the second half.
const TEMPERATURES: (f64, f64) = (8.0, 2.0);

/// The job in memory and registers, and what must come of it.
#[derive(Debug, Clone)]
pub struct Known {
    /// The job.
    pub job: Job,
    /// Bytes of a memory line.
    pub line_bytes: usize,
    /// Memory before the run, whole lines from address 0: load records, ring, labels.
    pub memory: Vec<u8>,
    /// Register writes in order, the start command last.
    pub registers: Vec<(u32, u64)>,
    /// First line of the ring, which holds the whole log.
    pub ring_line: usize,
    /// Lines of the ring.
    pub ring_lines: usize,
    /// Lines of labels behind the ring.
    pub label_lines: usize,
    /// Bits of a message.
    pub message_bits: u32,
    /// Messages of the log as the array packs them, sorted; their order in the log means nothing.
    pub messages: Vec<u64>,
    /// Labels as readback writes them, whole lines; 0 for padding, which the load records clear.
    pub labels: Vec<u8>,
}

impl Known {
    /// The job for `config` and its outcome by the specification sampler.
    ///
    /// # Errors
    /// Those of the model; none for a checked configuration.
    pub fn new(config: &Config) -> Result<Self, Error> {
        let (array, hardware) = (&config.array, &config.hardware);
        let (job, tiling) = largest(array, hardware)?;
        let line_bytes = (array.line_bits / 8) as usize;
        let format = MessageFormat::new(array, hardware);
        let outcome = spec::run(&job)?;

        let mut messages: Vec<u64> = outcome
            .messages
            .iter()
            .map(|message| {
                let (x, y) = (message.rv % job.problem().width, message.rv / job.problem().width);
                let (spe, tx, ty) = tiling.locate(x, y);
                format.encode(spe, tiling.rv_address(tx, ty), message.label, message.count)
            })
            .collect();
        messages.sort_unstable();

        let mut memory = cleared_labels(&tiling, array.rv_capacity, line_bytes);
        memory.extend(runs::load_bytes(array, &tiling, &job, line_bytes));
        let ring_lines = messages.len().div_ceil(format.per_line()) + 1;
        let label_lines = runs::readback_bytes(&tiling).div_ceil(line_bytes);
        let load = Buffer { address: 0, bytes: memory.len() };
        let ring = Buffer { address: memory.len() as u64, bytes: ring_lines * line_bytes };
        let readback = Buffer { address: ring.address + ring.bytes as u64, bytes: label_lines * line_bytes };
        memory.resize(memory.len() + ring.bytes + readback.bytes, 0);
        let buffers = Buffers { load, ring, readback };
        let mut registers: Vec<_> = runs::values(&job, &tiling, &buffers, line_bytes).into_iter().collect();
        registers.push(runs::start(true));

        let mut labels = vec![0; readback.bytes];
        let field = (0..job.problem().height).flat_map(|y| (0..job.problem().width).map(move |x| (x, y)));
        for ((x, y), label) in field.zip(outcome.labels) {
            labels[runs::readback_index(&tiling, array.rv_capacity, x, y)] = label;
        }
        Ok(Self {
            ring_line: load.bytes / line_bytes,
            message_bits: format.bits,
            job,
            line_bytes,
            memory,
            registers,
            ring_lines,
            label_lines,
            messages,
            labels,
        })
    }

    /// Lines of memory.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.memory.len() / self.line_bytes
    }
}

/// Records that write label 0 into every RV of every tile, whole lines: simulators with unknown values would else read
/// these back for padding.
fn cleared_labels(tiling: &Tiling, rv_capacity: u32, line_bytes: usize) -> Vec<u8> {
    let rvs = (0..tiling.tile_height).flat_map(|y| (0..tiling.tile_width).map(move |x| (x, y)));
    let clear = |(x, y)| {
        let (bank, word) = tiling.label_address(x, y, rv_capacity);
        placement::record(Target::Label, placement::ALL_SPES, word << 2 | bank, 0)
    };
    runs::lines_of_records(rvs.map(clear).collect(), line_bytes)
}

/// The largest job that fits: two pictures, or one picture and values where S2Mem has no room for margins.
fn largest(array: &ArrayShape, hardware: &Hardware) -> Result<(Job, Tiling), Error> {
    for (width, height) in FIELDS {
        for two in [true, false] {
            let job = job(hardware, width, height, two)?;
            if let Ok(tiling) = Tiling::new(array, &job) {
                return Ok((job, tiling));
            }
        }
    }
    let (width, height) = SMALLEST;
    let job = job(hardware, width, height, false)?;
    let tiling = Tiling::new(array, &job)?;
    Ok((job, tiling))
}

fn job(hardware: &Hardware, width: u32, height: u32, two: bool) -> Result<Job, Error> {
    let labels = 1_u16 << hardware.label_bits.min(2);
    let bits = u32::from(hardware.singleton_bits);
    // Noise over a slope, so that labels are neither all certain nor all alike; the second picture lies a pixel further.
    let sample = |x: u32, y: u32| {
        let noise =
            (x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77)).wrapping_mul(0xC2B2_AE3D) >> 26;
        ((x * 5 + y * 3 + noise) & 0xFF) as u8 >> (8 - bits)
    };
    let picture = |shift: u32| {
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| sample(x + shift, y)).collect()
    };
    let top = (1_u32 << bits) - 1;
    let value = |label: u16| (u32::from(label) * top / u32::from(labels - 1)) as u8;
    let (form, first) = (Difference::Abs, picture(0));
    let singleton = if two {
        Singleton::Pixels { form, first, second: picture(1), offsets: stereo_offsets(labels, 0) }
    } else {
        Singleton::Values { form, first, values: (0..labels).map(value).collect() }
    };
    let problem = Problem {
        width,
        height,
        labels,
        singleton,
        data_cap: 40,
        s_outside: 40,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 4,
        shift: 0,
        fixed: Some((0..width * height).map(|i| i % 11 == 5).collect()),
        edge_weights: None,
    };
    let (iterations, burn_in) = ITERATIONS;
    let schedule = Schedule::anneal(TEMPERATURES.0, TEMPERATURES.1, 2, iterations)?;
    let run =
        Run { schedule, burn_in, seed: 0x0005_EED5_0FA5_B111, chain: 0, start: Start::Argmin, cutoff: None };
    Job::new(*hardware, problem, run)
}
