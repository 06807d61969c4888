//! A job: the field, its energies, and how it is sampled. [`Job::new`] is the one validator that every backend
//! relies on: what it accepts, every sampler can run.

use crate::entry::Message;
use crate::error::{Error, check_range};
use crate::hardware::Hardware;
use crate::histogram::Histogram;
use crate::schedule::Schedule;

/// Form of the difference of two samples (contract §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Difference {
    /// |a − b|
    #[default]
    Abs,
    /// (a − b)²
    Squared,
}

/// A displacement in pixels, or a label vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offset {
    /// To the right.
    pub dx: i16,
    /// Downwards.
    pub dy: i16,
}

/// Where S comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Singleton {
    /// Singleton 2 is a pixel at the label's offset: stereo, motion.
    Pixels {
        /// Form of the difference.
        form: Difference,
        /// Singleton 1, H×W, below 2^singleton_bits.
        first: Vec<u8>,
        /// Singleton 2, H×W, below 2^singleton_bits.
        second: Vec<u8>,
        /// Offset of each label, L.
        offsets: Vec<Offset>,
    },
    /// Singleton 2 is a value per label: segmentation, restoration.
    Values {
        /// Form of the difference.
        form: Difference,
        /// Singleton 1, H×W.
        first: Vec<u8>,
        /// Value of each label, L.
        values: Vec<u8>,
    },
    /// A cost per RV and label.
    Table {
        /// H×W×L, before data_cap.
        costs: Vec<u16>,
    },
}

/// The pair term V before its cap.
#[derive(Debug, Clone, PartialEq)]
pub enum Pair {
    /// |Δx| + |Δy| of the label vectors, |Δl| for one-dimensional labels.
    Abs,
    /// Δx² + Δy².
    Squared,
    /// 0 for equal labels, else the cap.
    Potts,
    /// V(own, neighbour), L×L row-major by the own label.
    Table(Vec<u8>),
}

/// The field and its energies (contract §2, §3). Plain data; checked by [`Job::new`].
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// W, 1…65,535.
    pub width: u32,
    /// H, 1…65,535.
    pub height: u32,
    /// L, 2…2^label_bits.
    pub labels: u16,
    /// Singleton term.
    pub singleton: Singleton,
    /// Cap of S.
    pub data_cap: u16,
    /// S of a sample outside the field.
    pub s_outside: u16,
    /// Pair term.
    pub pair: Pair,
    /// Cap of V, 1…255.
    pub pair_cap: u8,
    /// Label vectors of the pair term, L.
    pub vectors: Vec<Offset>,
    /// Integer weight of S.
    pub alpha: u8,
    /// Integer weight of ΣV.
    pub beta: u8,
    /// Right shift of the sum, 0…15.
    pub shift: u8,
    /// Evidence: true where the RV keeps its initial label; H×W.
    pub fixed: Option<Vec<bool>>,
    /// Weights of the edges to the right and down, 0…15; H×W×2. See [`crate::edges`].
    pub edge_weights: Option<Vec<u8>>,
}

impl Problem {
    /// Number of RVs, W·H.
    pub fn rvs(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// True if RV `i` is fixed.
    pub fn is_fixed(&self, i: usize) -> bool {
        self.fixed.as_ref().is_some_and(|fixed| fixed[i])
    }

    /// Number of RVs that are not fixed.
    pub fn free_rvs(&self) -> usize {
        self.rvs() - self.fixed.as_ref().map_or(0, |fixed| fixed.iter().filter(|&&f| f).count())
    }

    /// S of label `l` at (x, y), capped.
    pub fn singleton_cost(&self, x: u32, y: u32, l: usize) -> u32 {
        let i = y as usize * self.width as usize + x as usize;
        let (form, first, second) = match &self.singleton {
            Singleton::Table { costs } => {
                return u32::from(costs[i * usize::from(self.labels) + l].min(self.data_cap));
            }
            Singleton::Values { form, first, values } => (form, first[i], values[l]),
            Singleton::Pixels { form, first, second, offsets } => {
                let sx = i64::from(x) + i64::from(offsets[l].dx);
                let sy = i64::from(y) + i64::from(offsets[l].dy);
                if sx < 0 || sy < 0 || sx >= i64::from(self.width) || sy >= i64::from(self.height) {
                    return u32::from(self.s_outside);
                }
                (form, first[i], second[sy as usize * self.width as usize + sx as usize])
            }
        };
        let d = u32::from(first.abs_diff(second));
        let f = match form {
            Difference::Abs => d,
            Difference::Squared => d * d,
        };
        f.min(u32::from(self.data_cap))
    }

    /// V of own label `l` beside label `m`, capped.
    pub fn pair_cost(&self, l: usize, m: usize) -> u32 {
        let cap = u32::from(self.pair_cap);
        let dx = u32::from(self.vectors[l].dx.abs_diff(self.vectors[m].dx));
        let dy = u32::from(self.vectors[l].dy.abs_diff(self.vectors[m].dy));
        let f = match &self.pair {
            Pair::Abs => dx + dy,
            Pair::Squared => dx.saturating_mul(dx).saturating_add(dy.saturating_mul(dy)),
            Pair::Potts if l == m => 0,
            Pair::Potts => cap,
            Pair::Table(table) => u32::from(table[l * usize::from(self.labels) + m]),
        };
        f.min(cap)
    }

    /// E from S and Σ w·V (Eq. 3.1): unsigned, saturated once.
    pub fn energy(&self, s: u32, pairs: u32, energy_max: u32) -> u32 {
        ((u32::from(self.alpha) * s + u32::from(self.beta) * pairs) >> self.shift).min(energy_max)
    }
}

/// Vectors (l, 0): what the pair term sees of one-dimensional labels.
pub fn line_vectors(labels: u16) -> Vec<Offset> {
    (0..labels as i16).map(|dx| Offset { dx, dy: 0 }).collect()
}

/// Offsets of stereo, left image as the reference: dx = −(l + dmin).
pub fn stereo_offsets(labels: u16, dmin: i16) -> Vec<Offset> {
    (0..labels as i16).map(|l| Offset { dx: -(l + dmin), dy: 0 }).collect()
}

/// Offsets of a square window of odd side `n`: row-major, dy outer.
pub fn window_offsets(n: u16) -> Vec<Offset> {
    let r = (n as i16 - 1) / 2;
    (-r..=r).flat_map(|dy| (-r..=r).map(move |dx| Offset { dx, dy })).collect()
}

/// Initial labels (contract §6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Start {
    /// The lowest label of least S.
    #[default]
    Argmin,
    /// Label 0.
    Zero,
    /// Drawn uniformly with the reserved iteration number.
    Random,
    /// Given labels, H×W.
    Labels(Vec<u8>),
}

/// How the field is sampled (contract §5, §6).
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Temperatures, in units of the integer energy.
    pub schedule: Schedule,
    /// First collected iteration.
    pub burn_in: u32,
    /// Seed.
    pub seed: u64,
    /// Chain number.
    pub chain: u8,
    /// Initial labels.
    pub start: Start,
    /// Cut-off C of Eq. 4.1, 2…255.
    pub cutoff: Option<u8>,
}

/// A checked problem with its run and the hardware part of its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    hardware: Hardware,
    problem: Problem,
    run: Run,
}

/// What a sampler gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Labels after the last iteration, H×W.
    pub labels: Vec<u8>,
    /// Exact histogram of the collected iterations.
    pub histogram: Histogram,
    /// All messages, in any order.
    pub messages: Vec<Message>,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
}

impl Job {
    /// Checks everything that the contract limits.
    ///
    /// # Errors
    /// [`Error::Range`] or [`Error::Size`] for the first thing that is not as contract §1–§6 demand.
    pub fn new(hardware: Hardware, problem: Problem, run: Run) -> Result<Self, Error> {
        hardware.validate()?;
        check_problem(&hardware, &problem)?;
        check_run(&problem, &run)?;
        Ok(Self { hardware, problem, run })
    }

    /// The same field, sampled as `run` says.
    ///
    /// # Errors
    /// As [`Job::new`].
    pub fn with_run(&self, run: Run) -> Result<Self, Error> {
        check_run(&self.problem, &run)?;
        Ok(Self { hardware: self.hardware, problem: self.problem.clone(), run })
    }

    /// The same job as chain `chain`: other random numbers, and another random start.
    #[must_use]
    pub fn with_chain(&self, chain: u8) -> Self {
        let mut job = self.clone();
        job.run.chain = chain;
        job
    }

    /// The hardware part.
    pub fn hardware(&self) -> &Hardware {
        &self.hardware
    }

    /// The field and its energies.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// How it is sampled.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// All iterations, burn-in included.
    pub fn iterations(&self) -> u32 {
        self.run.schedule.iterations()
    }

    /// Collected iterations, 1…65,535.
    pub fn collected(&self) -> u16 {
        (self.iterations() - self.run.burn_in) as u16
    }

    /// Collected iterations among the first `iteration` ones, 0…[`Job::collected`].
    pub fn collected_by(&self, iteration: u32) -> u16 {
        iteration.min(self.iterations()).saturating_sub(self.run.burn_in) as u16
    }

    /// Nominal labels of the whole run: free RVs · L · iterations.
    pub fn labels_evaluated(&self) -> u64 {
        self.labels_evaluated_by(self.iterations())
    }

    /// Nominal labels of the first `iteration` iterations.
    pub fn labels_evaluated_by(&self, iteration: u32) -> u64 {
        self.problem.free_rvs() as u64 * u64::from(self.problem.labels) * u64::from(iteration)
    }

    /// The initial labels (contract §6), also of fixed RVs.
    pub fn initial_labels(&self) -> Vec<u8> {
        let problem = &self.problem;
        let of = |f: &dyn Fn(u32, u32) -> u8| {
            (0..problem.height).flat_map(|y| (0..problem.width).map(move |x| f(x, y))).collect()
        };
        match &self.run.start {
            Start::Labels(labels) => labels.clone(),
            Start::Zero => vec![0; problem.rvs()],
            Start::Argmin => of(&|x, y| {
                (0..usize::from(problem.labels)).min_by_key(|&l| problem.singleton_cost(x, y, l)).unwrap_or(0)
                    as u8
            }),
            Start::Random => of(&|x, y| {
                let word = crate::rng::word(self.run.seed, self.run.chain, x, y, crate::rng::START_ITERATION);
                let u = u64::from(self.hardware.u(word));
                ((u * u64::from(problem.labels)) >> self.hardware.u_bits) as u8
            }),
        }
    }
}

pub(crate) fn check_size(name: &'static str, got: usize, expected: usize, why: String) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Size { name, got, expected, why }) }
}

fn check_samples(name: &'static str, samples: &[u8], bits: u8) -> Result<(), Error> {
    match samples.iter().find(|&&v| u32::from(v) >= 1 << bits) {
        Some(v) => Err(Error::range(name, v, format!("below 2^singleton_bits = {}", 1_u32 << bits))),
        None => Ok(()),
    }
}

fn check_problem(hardware: &Hardware, p: &Problem) -> Result<(), Error> {
    check_range("width", p.width, 1, 65_535)?;
    check_range("height", p.height, 1, 65_535)?;
    if p.labels < 2 || u32::from(p.labels) > hardware.labels_max() {
        let allowed = format!("2…{} (label_bits is {})", hardware.labels_max(), hardware.label_bits);
        return Err(Error::range("labels", p.labels, allowed));
    }
    check_range("shift", p.shift, 0, 15)?;
    check_range("pair_cap", p.pair_cap, 1, 255)?;
    let (rvs, labels) = (p.rvs(), usize::from(p.labels));
    let per_rv = || format!("{}x{}", p.width, p.height);
    let per_label = || format!("one for each of {labels} labels");
    check_size("label vectors", p.vectors.len(), labels, per_label())?;
    match &p.singleton {
        Singleton::Table { costs } => {
            check_size("singleton table", costs.len(), rvs * labels, format!("{}x{labels}", per_rv()))?;
        }
        Singleton::Values { first, values, .. } => {
            check_size("singleton 1", first.len(), rvs, per_rv())?;
            check_size("singleton 2 values", values.len(), labels, per_label())?;
            check_samples("singleton 1", first, hardware.singleton_bits)?;
            check_samples("singleton 2", values, hardware.singleton_bits)?;
        }
        Singleton::Pixels { first, second, offsets, .. } => {
            check_size("singleton 1", first.len(), rvs, per_rv())?;
            check_size("singleton 2", second.len(), rvs, per_rv())?;
            check_size("label offsets", offsets.len(), labels, per_label())?;
            check_samples("singleton 1", first, hardware.singleton_bits)?;
            check_samples("singleton 2", second, hardware.singleton_bits)?;
            for o in offsets {
                check_range("label offset", o.dx.min(o.dy), -2048, 2047)?;
                check_range("label offset", o.dx.max(o.dy), -2048, 2047)?;
            }
        }
    }
    if let Pair::Table(table) = &p.pair {
        check_size("pair table", table.len(), labels * labels, format!("{labels}x{labels} labels"))?;
    }
    if let Some(fixed) = &p.fixed {
        check_size("evidence mask", fixed.len(), rvs, per_rv())?;
    }
    crate::edges::check(p)
}

fn check_run(p: &Problem, run: &Run) -> Result<(), Error> {
    let iterations = run.schedule.iterations();
    if run.burn_in >= iterations {
        let allowed = format!("below the {iterations} iterations");
        return Err(Error::range("burn_in", run.burn_in, allowed));
    }
    if iterations - run.burn_in > 65_535 {
        let least = iterations - 65_535;
        let allowed = format!("at least {least}, so that at most 65535 iterations are collected");
        return Err(Error::range("burn_in", run.burn_in, allowed));
    }
    if let Some(c) = run.cutoff {
        check_range("cutoff", c, 2, 255)?;
    }
    if let Start::Labels(labels) = &run.start {
        check_size("start labels", labels.len(), p.rvs(), format!("{}x{}", p.width, p.height))?;
        if let Some(l) = labels.iter().find(|&&l| u16::from(l) >= p.labels) {
            return Err(Error::range("start label", l, format!("below {} labels", p.labels)));
        }
    }
    Ok(())
}
