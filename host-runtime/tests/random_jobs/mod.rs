//! Random jobs that together reach every form, table and width of the contract.

use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::{
    Difference, Hardware, Job, Offset, Pair, Problem, Run, Schedule, Singleton, Start, Step, Weights,
};

/// A small generator of its own, so that a seed names a job for good (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `lo..=hi`.
    pub fn within(&mut self, lo: u64, hi: u64) -> u64 {
        lo + self.next() % (hi - lo + 1)
    }

    /// True once in `n` calls.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    fn bytes(&mut self, n: usize, below: u64) -> Vec<u8> {
        (0..n).map(|_| (self.next() % below) as u8).collect()
    }

    /// A picture with smooth parts, so that neighbours agree now and then.
    fn picture(&mut self, width: u32, height: u32, bits: u8) -> Vec<u8> {
        let (a, b, noise) = (self.within(0, 9), self.within(0, 9), self.within(1, 60));
        let mut picture = Vec::new();
        for y in 0..u64::from(height) {
            for x in 0..u64::from(width) {
                let v = (a * x + b * y + self.within(0, noise)) % 256;
                picture.push((v as u8) >> (8 - bits));
            }
        }
        picture
    }
}

/// Job `seed` of the whole contract.
pub fn any(seed: u64) -> Job {
    let mut d = Dice(seed);
    let linear = d.once_in(3);
    let hardware = Hardware {
        label_bits: d.within(1, 8) as u8,
        singleton_bits: d.within(4, 8) as u8,
        energy_bits: d.within(4, if linear { 10 } else { 16 }) as u8,
        p_bits: d.within(1, 8) as u8,
        u_bits: d.within(8, 32) as u8,
        count_bits: if d.once_in(2) { 8 } else { d.within(1, 16) as u8 },
        weights: if linear { Weights::Linear } else { Weights::Pow2 },
    };
    let labels = d.within(2, u64::from(hardware.labels_max())) as u16;
    let (width, height) = (d.within(1, 45) as u32, d.within(1, 30) as u32);
    let rvs = (width * height) as usize;
    let form = if d.once_in(2) { Difference::Abs } else { Difference::Squared };
    let first = d.picture(width, height, hardware.singleton_bits);
    let side = (1..=15).step_by(2).find(|n| n * n == labels);
    let vectors = side.map_or_else(|| line_vectors(labels), window_offsets);
    let singleton = match d.within(0, 2) {
        0 => Singleton::Table {
            costs: (0..rvs * usize::from(labels)).map(|_| d.within(0, 400) as u16).collect(),
        },
        1 => Singleton::Values { form, first, values: d.bytes(labels.into(), 1 << hardware.singleton_bits) },
        _ => {
            let offsets = match side {
                Some(n) => window_offsets(n),
                None if d.once_in(2) => stereo_offsets(labels, d.within(0, 12) as i16 - 6),
                None => (0..labels)
                    .map(|_| Offset { dx: d.within(0, 20) as i16 - 10, dy: d.within(0, 10) as i16 - 5 })
                    .collect(),
            };
            let second = d.picture(width, height, hardware.singleton_bits);
            Singleton::Pixels { form, first, second, offsets }
        }
    };
    let pair = match d.within(0, 3) {
        0 => Pair::Abs,
        1 => Pair::Squared,
        2 => Pair::Potts,
        _ => Pair::Table(d.bytes(usize::from(labels).pow(2), 256)),
    };
    let problem = Problem {
        width,
        height,
        labels,
        singleton,
        data_cap: if d.once_in(2) { d.within(1, 300) as u16 } else { u16::MAX },
        s_outside: d.within(0, 400) as u16,
        pair,
        pair_cap: d.within(1, 255) as u8,
        vectors,
        alpha: d.within(0, 40) as u8,
        beta: d.within(0, 40) as u8,
        shift: d.within(0, 6) as u8,
        fixed: d.once_in(3).then(|| (0..rvs).map(|_| d.once_in(6)).collect()),
        edge_weights: None,
    };
    let scale = f64::from(hardware.energy_max()) / 40.0;
    let run = run(&mut d, &problem, scale);
    Job::new(hardware, problem, run).unwrap()
}

/// Job `seed` of the common configuration: 8-bit energies, weights that are powers of two, up to 64 labels.
pub fn common(seed: u64) -> Job {
    of_size(seed, (1, 150), (1, 40))
}

/// The same on a field that is large for a card of two multiprocessors, so that a thread has two RVs.
#[allow(dead_code, reason = "not every test has such a card")]
pub fn large(seed: u64) -> Job {
    of_size(seed, (257, 270), (66, 70))
}

/// The same on a small field, for 2,400 iterations.
#[allow(dead_code, reason = "not every test has use for so many")]
pub fn long(seed: u64) -> Job {
    let job = of_size(seed, (5, 9), (3, 5));
    let schedule = Schedule::anneal(20.0, 8.0, 4, 2400).unwrap();
    let run = Run { schedule, burn_in: 2380, ..job.run().clone() };
    Job::new(*job.hardware(), job.problem().clone(), run).unwrap()
}

/// A job that goes from many live labels to one of every RV, three times.
#[allow(dead_code, reason = "not every test has use for so many iterations")]
pub fn cooling(seed: u64) -> Job {
    let job = of_size(seed, (9, 40), (5, 20));
    let (rvs, labels) = (job.problem().rvs(), usize::from(job.problem().labels));
    let costs = (0..rvs * labels).map(|at| if at % labels == at / labels * 7 % labels { 0 } else { 120 });
    let singleton = Singleton::Table { costs: costs.collect() };
    let beta = job.problem().beta.min(4);
    let problem = Problem { singleton, data_cap: 120, alpha: 1, beta, ..job.problem().clone() };
    cooled(&job, problem, (40, job.run().start.clone()))
}

/// The same of a pair of pictures with many labels, at low temperatures for long enough that three kernels follow one another.
#[allow(dead_code, reason = "not every test has use for so many iterations")]
pub fn cooling_pair(seed: u64) -> Job {
    let job = of_size(seed, (9, 40), (5, 20));
    let mut d = Dice(seed ^ 0x9a1f);
    let (width, height, labels) = (job.problem().width, job.problem().height, 40);
    let singleton = Singleton::Pixels {
        form: Difference::Abs,
        first: d.picture(width, height, 8),
        second: d.picture(width, height, 8),
        offsets: stereo_offsets(labels, 0),
    };
    let (pair, vectors) = (Pair::Abs, line_vectors(labels));
    let problem = Problem { singleton, labels, pair, vectors, fixed: None, ..job.problem().clone() };
    cooled(&job, Problem { pair_cap: 2, alpha: 1, beta: 8, ..problem }, (150, Start::Zero))
}

/// `problem` with a schedule that goes from many live labels to few, three times, where it stays for so many iterations.
fn cooled(job: &Job, problem: Problem, (low, start): (u32, Start)) -> Job {
    // One entry of one iteration more, so that parts of the schedule have several.
    let temperatures = [30.0, 0.3, 30.0, 0.3, 0.25, 30.0, 0.3];
    let iterations = |temperature| match temperature {
        0.25 => 1,
        0.3 => low,
        _ => 40,
    };
    let step = |temperature| Step { temperature, iterations: iterations(temperature) };
    let schedule = Schedule::new(temperatures.map(step).to_vec()).unwrap();
    let run = Run { schedule, burn_in: 60, start, ..job.run().clone() };
    // Small counters make launches too short to end by themselves.
    Job::new(Hardware { count_bits: 8, ..*job.hardware() }, problem, run).unwrap()
}

/// A job of few labels at temperatures where RVs have several live ones, but seldom change, with random numbers of all widths.
#[allow(dead_code, reason = "not every test has use for it")]
pub fn warm(seed: u64) -> Job {
    let job = of_size(seed, (9, 40), (5, 20));
    let labels = 2 + seed as usize % 6;
    let costs =
        (0..job.problem().rvs() * labels).map(|at| if at % labels == at / labels % labels { 0 } else { 120 });
    let singleton = Singleton::Table { costs: costs.collect() };
    let (pair, vectors) = (Pair::Abs, line_vectors(labels as u16));
    let problem = Problem { singleton, labels: labels as u16, pair, vectors, ..job.problem().clone() };
    let problem = Problem { data_cap: 120, pair_cap: 2, alpha: 1, beta: 2, fixed: None, ..problem };
    // All other labels, 120 above the best, together weigh a twentieth of it at the end.
    let end = 120.0 / (20.0 * (labels - 1) as f64).ln();
    let schedule = Schedule::anneal(1.3 * end, end, 3, 30).unwrap();
    let run = Run { schedule, burn_in: 20, start: Start::Zero, cutoff: None, ..job.run().clone() };
    let hardware = Hardware { u_bits: [24, 8, 32, 11][seed as usize % 4], ..*job.hardware() };
    Job::new(hardware, problem, run).unwrap()
}

fn of_size(seed: u64, widths: (u64, u64), heights: (u64, u64)) -> Job {
    let mut d = Dice(seed ^ 0x5eed);
    let hardware =
        Hardware { count_bits: if d.once_in(2) { 8 } else { d.within(1, 9) as u8 }, ..Hardware::default() };
    let labels = d.within(2, 64) as u16;
    let (width, height) = (d.within(widths.0, widths.1) as u32, d.within(heights.0, heights.1) as u32);
    let rvs = (width * height) as usize;
    let first = d.picture(width, height, 8);
    let form = Difference::Abs;
    let singleton = match d.within(0, 4) {
        0 => Singleton::Table {
            costs: (0..rvs * usize::from(labels)).map(|_| d.within(0, 300) as u16).collect(),
        },
        1 => Singleton::Values { form, first, values: d.bytes(labels.into(), 256) },
        _ => {
            let second = d.picture(width, height, 8);
            Singleton::Pixels {
                form,
                first,
                second,
                offsets: stereo_offsets(labels, d.within(0, 12) as i16 - 6),
            }
        }
    };
    let pair_cap = d.within(1, 4) as u8;
    let problem = Problem {
        width,
        height,
        labels,
        singleton,
        data_cap: if d.once_in(2) { d.within(1, 300) as u16 } else { u16::MAX },
        s_outside: d.within(0, 300) as u16,
        pair: if d.once_in(4) { Pair::Potts } else { Pair::Abs },
        pair_cap,
        vectors: line_vectors(labels),
        alpha: if d.once_in(2) { 1 } else { d.within(0, 3) as u8 },
        beta: d.within(0, 15) as u8,
        shift: 0,
        fixed: d.once_in(3).then(|| (0..rvs).map(|_| d.once_in(6)).collect()),
        edge_weights: None,
    };
    let run = run(&mut d, &problem, 8.0);
    Job::new(hardware, problem, run).unwrap()
}

/// Few costs and steep pair terms: an energy passes 255 only where nearly all neighbours have labels at an end of the row.
#[allow(dead_code, reason = "not every test runs kernels that make a difference of it")]
pub fn crowded(seed: u64) -> Job {
    let mut d = Dice(seed ^ 0xc80d);
    let job = common(seed);
    let labels = [5, 6, 7, 13][d.within(0, 3) as usize];
    let costs = (0..job.problem().rvs() * usize::from(labels)).map(|_| d.within(0, 24) as u16).collect();
    let problem = Problem {
        labels,
        singleton: Singleton::Table { costs },
        data_cap: 24,
        s_outside: 20,
        pair: Pair::Abs,
        pair_cap: labels as u8 - 1,
        vectors: line_vectors(labels),
        alpha: d.within(2, 3) as u8,
        beta: 60 / (labels as u8 - 1),
        ..job.problem().clone()
    };
    let run = run(&mut d, &problem, 8.0);
    Job::new(*job.hardware(), problem, run).unwrap()
}

/// `job` with edge weights, some of them all small.
#[allow(dead_code, reason = "not every test that includes this file has weighted jobs")]
pub fn weighted(seed: u64, job: &Job) -> Job {
    let mut d = Dice(seed ^ 0xed6e);
    let below = if d.once_in(2) { 16 } else { d.within(1, 15) };
    let edge_weights = Some(d.bytes(2 * job.problem().rvs(), below));
    let problem = Problem { edge_weights, ..job.problem().clone() };
    Job::new(*job.hardware(), problem, job.run().clone()).unwrap()
}

/// `count` jobs that differ from `job` in pictures, evidence, seeds, chains and starts.
#[allow(dead_code, reason = "not every test that includes this file runs several jobs at once")]
pub fn alike(seed: u64, job: &Job, count: usize) -> Vec<Job> {
    let mut d = Dice(seed ^ 0xa11ce);
    let one = |n: usize| {
        let (mut problem, mut run) = (job.problem().clone(), job.run().clone());
        if n > 0 {
            if let Singleton::Pixels { first, .. } | Singleton::Values { first, .. } = &mut problem.singleton
            {
                *first = d.picture(problem.width, problem.height, job.hardware().singleton_bits);
            }
            problem.fixed = d.once_in(2).then(|| (0..problem.rvs()).map(|_| d.once_in(6)).collect());
            run.start = if d.once_in(2) { Start::Random } else { Start::Argmin };
            run.seed = d.next();
            run.chain = d.within(0, 255) as u8;
        }
        Job::new(*job.hardware(), problem, run).unwrap()
    };
    (0..count).map(one).collect()
}

fn run(d: &mut Dice, problem: &Problem, scale: f64) -> Run {
    let steps = (0..d.within(1, 5))
        .map(|i| Step {
            temperature: scale * d.within(1, 400) as f64 / 100.0 / (1 + i) as f64,
            iterations: d.within(1, 9) as u32,
        })
        .collect();
    let schedule = Schedule::new(steps).unwrap();
    let start = match d.within(0, 3) {
        0 => Start::Zero,
        1 => Start::Random,
        2 => Start::Labels(d.bytes(problem.rvs(), problem.labels.into())),
        _ => Start::Argmin,
    };
    Run {
        burn_in: d.within(0, u64::from(schedule.iterations()) - 1) as u32,
        schedule,
        seed: d.next(),
        chain: d.within(0, 255) as u8,
        start,
        cutoff: d.once_in(3).then(|| d.within(2, 255) as u8),
    }
}
