//! Random jobs of every form, and a scene of the kind that people run.

use proptest::prelude::*;
use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::{
    Difference, Hardware, Job, Offset, Pair, Problem, Run, Schedule, Singleton, Start, Step, Weights,
};

/// A small generator for bulk data, so that proptest shrinks over parameters only.
pub struct Bytes(pub u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    pub fn vec(&mut self, len: usize, below: u64) -> Vec<u8> {
        (0..len).map(|_| (self.next() % below) as u8).collect()
    }
}

fn hardware() -> impl Strategy<Value = Hardware> {
    let energy_bits = prop_oneof![3 => Just(8_u8), 1 => 4_u8..=7, 1 => 9_u8..=16];
    let widths = (1_u8..=8, energy_bits, 1_u8..=8, 8_u8..=32, 1_u8..=16);
    (widths, any::<bool>(), any::<bool>()).prop_map(
        |((singleton_bits, energy_bits, p_bits, u_bits, count_bits), linear, wide)| Hardware {
            label_bits: 8,
            singleton_bits: if wide { 8 } else { singleton_bits },
            energy_bits: if linear { energy_bits.min(10) } else { energy_bits },
            p_bits: if wide { 8 } else { p_bits },
            u_bits,
            count_bits,
            weights: if linear { Weights::Linear } else { Weights::Pow2 },
        },
    )
}

fn labels() -> impl Strategy<Value = u16> {
    prop_oneof![
        3 => 2_u16..=64,
        2 => prop::sample::select(vec![
            2, 3, 15, 16, 17, 31, 32, 33, 48, 49, 56, 63, 64, 65, 128, 129, 192, 225, 255, 256
        ]),
        1 => 65_u16..=256
    ]
}

/// A temperature of any kind.
pub fn temperature() -> impl Strategy<Value = f64> {
    prop_oneof![3 => 0.2..8.0, 2 => 8.0..60.0, 1 => 60.0..20_000.0, 1 => 0.001..0.2]
}

/// One to three entries.
pub fn schedule(
    temperatures: impl Strategy<Value = f64>,
    iterations: std::ops::Range<u32>,
) -> impl Strategy<Value = Schedule> {
    prop::collection::vec((temperatures, iterations), 1..4).prop_map(|steps| {
        let step = |(temperature, iterations)| Step { temperature, iterations };
        Schedule::new(steps.into_iter().map(step).collect()).unwrap()
    })
}

/// Any job that the contract allows, small.
pub fn job() -> impl Strategy<Value = Job> {
    job_of(40, schedule(temperature(), 1..4))
}

/// The same with at most `width` columns.
pub fn job_of(width: u32, schedule: impl Strategy<Value = Schedule>) -> impl Strategy<Value = Job> {
    let size = (1_u32..=width, 1_u32..=8);
    let caps = (any::<u16>(), any::<u16>(), 1_u8..=255, 0_u8..4);
    let scales = (any::<u8>(), any::<u8>(), prop_oneof![2 => Just(0_u8), 1 => 1_u8..=15], any::<bool>());
    let forms = (0..5, 0..4, any::<bool>(), 0..4);
    let run =
        (0.0..1.0, prop_oneof![any::<u64>(), Just(u64::MAX), Just(0)], any::<u8>(), prop::option::of(2_u8..));
    (hardware(), size, labels(), caps, scales, forms, schedule, run, any::<u64>()).prop_map(
        |(hardware, (width, height), labels, caps, scales, forms, schedule, run, data)| {
            let (data_cap, s_outside, pair_cap, small) = caps;
            let (alpha, beta, shift, modest) = scales;
            // Half of the jobs are of the kind that people run: small caps and weights.
            let problem = problem(
                (width, height, labels, &hardware),
                forms,
                if small > 0 {
                    (data_cap % 256, s_outside % 256, pair_cap % 8 + 1)
                } else {
                    (data_cap, s_outside, pair_cap)
                },
                if modest { (alpha % 4, beta % 16, shift) } else { (alpha, beta, shift) },
                data,
            );
            let (burn_in, seed, chain, cutoff) = run;
            let rvs = problem.rvs();
            let start = match forms.3 {
                0 => Start::Argmin,
                1 => Start::Zero,
                2 => Start::Random,
                _ => Start::Labels(Bytes(data | 1).vec(rvs, labels.into())),
            };
            let burn_in = (f64::from(schedule.iterations()) * burn_in) as u32;
            Job::new(hardware, problem, Run { schedule, burn_in, seed, chain, start, cutoff }).unwrap()
        },
    )
}

fn problem(
    (width, height, labels, hardware): (u32, u32, u16, &Hardware),
    (singleton, pair, squared, evidence): (i32, i32, bool, i32),
    (data_cap, s_outside, pair_cap): (u16, u16, u8),
    (alpha, beta, shift): (u8, u8, u8),
    data: u64,
) -> Problem {
    let mut bytes = Bytes(data | 1);
    let rvs = (width * height) as usize;
    let samples = 1 << hardware.singleton_bits;
    let form = if squared { Difference::Squared } else { Difference::Abs };
    let (first, second) = (bytes.vec(rvs, samples), bytes.vec(rvs, samples));
    let side = (1..=15).step_by(2).find(|n| n * n >= labels).unwrap_or(15);
    let window = |bytes: &mut Bytes| -> Vec<Offset> {
        let mut offsets = window_offsets(side);
        while offsets.len() < labels.into() {
            offsets.push(Offset {
                dx: (bytes.next() % 4096) as i16 - 2048,
                dy: (bytes.next() % 64) as i16 - 32,
            });
        }
        offsets.truncate(labels.into());
        offsets
    };
    let mut vectors = line_vectors(labels);
    let singleton = match singleton {
        0 => Singleton::Values { form, first, values: bytes.vec(labels.into(), samples) },
        1 => {
            let costs = (0..rvs * usize::from(labels)).map(|_| bytes.next() as u16 % 300).collect();
            Singleton::Table { costs }
        }
        2 => {
            let dmin = (bytes.next() % 20) as i16 - 10;
            Singleton::Pixels { form, first, second, offsets: stereo_offsets(labels, dmin) }
        }
        n => {
            let offsets = window(&mut bytes);
            if n == 3 {
                vectors = offsets.clone();
            }
            Singleton::Pixels { form, first, second, offsets }
        }
    };
    let pair = match pair {
        0 => Pair::Abs,
        1 => Pair::Squared,
        2 => Pair::Potts,
        _ => Pair::Table(bytes.vec(usize::from(labels).pow(2), 256)),
    };
    let fixed =
        (evidence > 1).then(|| (0..rvs).map(|_| bytes.next() % 8 < (evidence as u64 - 1) * 4).collect());
    // Small weights too: with few of them, more jobs fit the packed kernel.
    let edge_weights = match bytes.next() % 4 {
        0 => Some(bytes.vec(2 * rvs, 16)),
        1 => Some(bytes.vec(2 * rvs, 4)),
        _ => None,
    };
    Problem {
        width,
        height,
        labels,
        singleton,
        data_cap,
        s_outside,
        pair,
        pair_cap,
        vectors,
        alpha,
        beta,
        shift,
        fixed,
        edge_weights,
    }
}

/// A slanted scene with a step, as stereo at the benchmark's parameters.
pub fn scene(width: u32, height: u32, labels: u16, iterations: u32) -> Job {
    let mut bytes = Bytes(42);
    let second = bytes.vec((width * height) as usize, 256);
    let disparity = |x: u32, y: u32| (5 + x * 20 / width + if y > height / 2 { 15 } else { 0 }).min(x);
    let first = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| second[(y * width + x - disparity(x, y)) as usize].saturating_add((x * y % 5) as u8))
        .collect();
    let offsets = stereo_offsets(labels, 0);
    let problem = Problem {
        width,
        height,
        labels,
        singleton: Singleton::Pixels { form: Difference::Abs, first, second, offsets },
        data_cap: 255,
        s_outside: 255,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let schedule = Schedule::anneal(20.0, 1.0, 25, iterations).unwrap();
    let burn_in = schedule.last_entry();
    let run = Run { schedule, burn_in, seed: 7, chain: 0, start: Start::Argmin, cutoff: None };
    Job::new(Hardware::default(), problem, run).unwrap()
}
