//! Jobs in a few words: what a test or a random case asks for, as plain data that prints well.

use crate::scene::{self, Random};
use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::{
    ArrayShape, Difference, Error, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Step,
};

/// What is done with the pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Application {
    /// Two pictures; label = disparity, the first being this one.
    Stereo {
        /// Smallest disparity.
        dmin: i16,
    },
    /// Two pictures; label = displacement in a square window; labels must be its area.
    Flow,
    /// One picture and a value per label.
    Segment,
    /// A random cost per RV and label.
    Table,
}

/// Form of the pair term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairForm {
    /// |Δ|
    Abs,
    /// Δ²
    Squared,
    /// 0 or cap
    Potts,
    /// A random table.
    Table,
}

/// Temperatures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Heat {
    /// One temperature.
    Constant(f64),
    /// Geometric from … to … in steps.
    Anneal(f64, f64, u32),
    /// Down, up again, down, an entry of two iterations each at least.
    Reheat,
}

/// Evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// None.
    None,
    /// A few RVs on both sides of every tile border.
    TileEdges,
    /// About a quarter, anywhere.
    Some,
    /// All.
    All,
}

/// A job in words.
#[derive(Debug, Clone, PartialEq)]
pub struct JobSpec {
    /// What for.
    pub application: Application,
    /// W
    pub width: u32,
    /// H
    pub height: u32,
    /// L
    pub labels: u16,
    /// Squared instead of absolute singleton differences.
    pub squared: bool,
    /// Pair term.
    pub pair: PairForm,
    /// Cap of the pair term.
    pub pair_cap: u8,
    /// Cap of the singleton.
    pub data_cap: u16,
    /// Singleton outside the field.
    pub s_outside: u16,
    /// α, β, shift.
    pub weights: (u8, u8, u8),
    /// Temperatures.
    pub heat: Heat,
    /// Iterations.
    pub iterations: u32,
    /// First collected iteration.
    pub burn_in: u32,
    /// Seed.
    pub seed: u64,
    /// Chain.
    pub chain: u8,
    /// Random start instead of argmin.
    pub random_start: bool,
    /// Cut-off.
    pub cutoff: Option<u8>,
    /// Evidence.
    pub evidence: Evidence,
    /// Random edge weights.
    pub edges: bool,
    /// Pictures in place of synthetic ones, W×H samples of 8 bits each.
    pub pictures: Option<(Vec<u8>, Vec<u8>)>,
}

impl JobSpec {
    /// A job with usual parameters.
    pub fn new(application: Application, width: u32, height: u32, labels: u16) -> Self {
        Self {
            application,
            width,
            height,
            labels,
            squared: false,
            pair: if application == Application::Segment { PairForm::Potts } else { PairForm::Abs },
            pair_cap: 2,
            data_cap: 60,
            s_outside: 60,
            weights: (1, 8, 0),
            heat: Heat::Anneal(16.0, 2.0, 3),
            iterations: 8,
            burn_in: 4,
            seed: 1,
            chain: 0,
            random_start: false,
            cutoff: None,
            evidence: Evidence::None,
            edges: false,
            pictures: None,
        }
    }

    /// The job itself; `shape` only tells where tile borders lie (for evidence there).
    ///
    /// # Errors
    /// As [`Job::new`].
    pub fn job(&self, hardware: &Hardware, shape: &ArrayShape) -> Result<Job, Error> {
        let run = Run {
            schedule: self.schedule()?,
            burn_in: self.burn_in,
            seed: self.seed,
            chain: self.chain,
            start: if self.random_start { Start::Random } else { Start::Argmin },
            cutoff: self.cutoff,
        };
        Job::new(*hardware, self.problem(hardware, shape), run)
    }

    fn schedule(&self) -> Result<Schedule, Error> {
        match self.heat {
            Heat::Constant(t) => Schedule::constant(t, self.iterations),
            Heat::Anneal(t0, t1, steps) => {
                Schedule::anneal(t0, t1, steps.min(self.iterations), self.iterations)
            }
            Heat::Reheat => {
                let quarter = (self.iterations / 4).max(1);
                let step = |temperature, iterations| Step { temperature, iterations };
                let rest = self.iterations.saturating_sub(3 * quarter).max(1);
                Schedule::new(vec![
                    step(20.0, quarter),
                    step(1.5, quarter),
                    step(12.0, quarter),
                    step(2.0, rest),
                ])
            }
        }
    }

    fn problem(&self, hardware: &Hardware, shape: &ArrayShape) -> Problem {
        let (width, height, labels, bits) = (self.width, self.height, self.labels, hardware.singleton_bits);
        let rvs = width as usize * height as usize;
        let mut random = Random::new(self.seed ^ 0x5EED);
        let form = if self.squared { Difference::Squared } else { Difference::Abs };
        let side = (1..=15).find(|n| n * n == labels).unwrap_or(1);
        let cut = |samples: &[u8]| samples.iter().map(|v| v >> (8 - bits)).collect::<Vec<u8>>();
        let real = self.pictures.as_ref().map(|(first, second)| (cut(first), cut(second)));
        let first =
            real.as_ref().map_or_else(|| scene::texture(width, height, bits, self.seed), |r| r.0.clone());
        let second = |middle, rest| match &real {
            Some((_, second)) => second.clone(),
            None => scene::moved(&first, width, height, bits, middle, rest),
        };
        let (singleton, vectors) = match self.application {
            Application::Stereo { dmin } => {
                let shift = |d: u16| (-i64::from(dmin) - i64::from(d), 0);
                let second = second(shift(labels - 1), shift(labels / 2));
                let offsets = stereo_offsets(labels, dmin);
                (Singleton::Pixels { form, first, second, offsets }, line_vectors(labels))
            }
            Application::Flow => {
                let reach = i64::from(side / 2);
                let second = second((reach, -reach), (-1, 0));
                let offsets = window_offsets(side);
                (Singleton::Pixels { form, first, second, offsets: offsets.clone() }, offsets)
            }
            Application::Segment => {
                let top = (1_u32 << bits) - 1;
                let value = |l: u16| (u32::from(l) * top / u32::from(labels - 1)) as u8;
                let values = (0..labels).map(value).collect();
                (Singleton::Values { form, first, values }, line_vectors(labels))
            }
            Application::Table => {
                let costs = (0..rvs * usize::from(labels)).map(|_| random.below(100) as u16).collect();
                (Singleton::Table { costs }, line_vectors(labels))
            }
        };
        let pair = match self.pair {
            PairForm::Abs => Pair::Abs,
            PairForm::Squared => Pair::Squared,
            PairForm::Potts => Pair::Potts,
            PairForm::Table => {
                let cells = usize::from(labels) * usize::from(labels);
                Pair::Table((0..cells).map(|_| random.below(9) as u8).collect())
            }
        };
        let (alpha, beta, shift) = self.weights;
        Problem {
            width,
            height,
            labels,
            singleton,
            data_cap: self.data_cap,
            s_outside: self.s_outside,
            pair,
            pair_cap: self.pair_cap,
            vectors,
            alpha,
            beta,
            shift,
            fixed: self.fixed(shape, &mut random),
            edge_weights: self.edges.then(|| self.edge_weights(rvs)),
        }
    }

    /// From a stream of their own, so that the rest of a job does not depend on them.
    fn edge_weights(&self, rvs: usize) -> Vec<u8> {
        let mut random = Random::new(self.seed ^ 0xED6E);
        let below = random.pick(&[16, 16, 4, 2]);
        (0..2 * rvs).map(|_| random.below(below) as u8).collect()
    }

    fn fixed(&self, shape: &ArrayShape, random: &mut Random) -> Option<Vec<bool>> {
        let w = self.width.div_ceil(shape.cols).next_multiple_of(shape.tile_step());
        let h = self.height.div_ceil(shape.rows).next_multiple_of(2);
        let at_edge = |x: u32, y: u32| [0, w - 1].contains(&(x % w)) || [0, h - 1].contains(&(y % h));
        let mask = |fixed: &mut dyn FnMut(u32, u32) -> bool| {
            let (width, height) = (self.width, self.height);
            Some(
                (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| fixed(x, y)).collect(),
            )
        };
        match self.evidence {
            Evidence::None => None,
            Evidence::All => mask(&mut |_, _| true),
            Evidence::Some => mask(&mut |_, _| random.chance(25)),
            Evidence::TileEdges => mask(&mut |x, y| at_edge(x, y) && random.chance(30)),
        }
    }
}
