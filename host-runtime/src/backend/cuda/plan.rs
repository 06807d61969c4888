//! What the packed kernels need of a job: whether they can run it, its tables, its weights as lines.

use super::error::CudaError;
use spa_model::weights::WeightTable;
use spa_model::{Difference, Job, Singleton, Weights};

/// Most labels of the packed kernels.
pub const LABELS_MAX: u16 = 64;

/// Most RVs of the packed kernels: their indices are 32-bit words.
const RVS_MAX: usize = 1 << 30;

/// `Step` of `kernels/packed.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Live labels have Es below this.
    pub limit: u32,
    /// The least weight is 2^scale.
    pub scale: u32,
    /// Slope of the line as half precision twice, 0 if there is none.
    pub slope: u32,
    /// Where it starts, likewise.
    pub start: u32,
    /// What it takes above Es.
    pub bias: u32,
    /// First iteration after it.
    pub end: u32,
    /// w(Es).
    pub weight: [u8; 256],
}

impl Step {
    /// The entry of one temperature, before iteration `end`.
    pub fn new(job: &Job, temperature: f64, end: u32) -> Self {
        let table = WeightTable::new(job.hardware(), temperature, job.run().cutoff);
        // A cut-off switches off the lowest comparators.
        let scale = table.limits.iter().position(|&limit| limit > 0).unwrap_or(0);
        let limits = &table.limits[scale..];
        let (slope, start, bias) = line(limits).map_or((0, 0, 0), Line::parameters);
        let mut weight = [0; 256];
        weight.copy_from_slice(&table.table[..256]);
        Self { limit: limits[0], scale: scale as u32, slope, start, bias, end, weight }
    }
}

/// Largest number that a line may start from: a subnormal half.
const LINE_TOP: u32 = 0x3ff;

/// Largest energy.
const ENERGY_MOST: u32 = 255;

/// Largest number whose bits as half precision are that number times 2^−24.
const LINE_MOST: u32 = 2047;

/// x ↦ round(top − slope·x), at least 0, by one multiply-add of half precision, with `slope` = `bits` as half precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    bits: u32,
    top: u32,
    bias: u32,
}

/// The value of a normal half, times 2^24: a whole number.
fn half_units(bits: u32) -> u64 {
    u64::from(bits & 0x3ff | 0x400) << ((bits >> 10) - 1)
}

impl Line {
    /// Slope, start and bias as kernels take them.
    fn parameters(self) -> (u32, u32, u32) {
        ((self.bits | 0x8000) * 0x1_0001, self.top * 0x1_0001, self.bias)
    }

    /// Its value at `es`, none where it is halfway between two.
    fn at(self, es: u32) -> Option<i64> {
        // In units of 2^-24: a half is below 2^16, an argument below 2^11.
        let units = (i64::from(self.top) << 24) - (half_units(self.bits) * u64::from(es + self.bias)) as i64;
        let (floor, rest) = (units >> 24, units & ((1 << 24) - 1));
        match rest.cmp(&(1 << 23)) {
            std::cmp::Ordering::Less => Some(floor.max(0)),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some((floor + 1).max(0)),
        }
    }

    /// Whether its value is the number of `limits` above Es, for every Es.
    fn fits(self, limits: &[u32]) -> bool {
        let level = |es: u32| limits.iter().filter(|&&limit| limit > es).count() as i64;
        let fits = |es: u32| self.at(es) == Some(level(es));
        // It falls, so that both ends of every step will do.
        let ends = || limits.iter().flat_map(|&limit| [limit - 1, limit]).chain([0]);
        ENERGY_MOST + self.bias <= LINE_MOST && ends().filter(|&es| es <= ENERGY_MOST).all(fits)
    }
}

/// A line whose value is the number of `limits` above Es.
///
/// θ_k = ⌊T·ln((2^p_bits − 1)/2^k)⌋ falls linearly with k, so that such a line exists for nearly all T; the search is over
/// slopes, and the numbers that a line may start from: each gives one place for the first step, and the fraction of that place
/// decides.
fn line(limits: &[u32]) -> Option<Line> {
    let steps = limits.len() as u32;
    let span = limits[0] - limits[limits.len() - 1];
    // Distance of the first and the last step: more than span − 1 and less than span + 1, for steps − 1 units.
    let slope = |per: u32| f64::from(steps - 1) / f64::from(per.max(1));
    let (least, most) = (slope(span + 1) * 0.99, if span > 1 { slope(span - 1) * 1.01 } else { 15.9 });
    let of = |bits: u32| half_units(bits) as f64 / f64::from(1 << 24);
    // Halves are in the order of their bits.
    let (mut first, mut end) = (0x0400, 0x7c00_u32);
    while first < end {
        let middle = first.midpoint(end);
        (first, end) = if of(middle) < least { (middle + 1, end) } else { (first, middle) };
    }
    (first..0x7c00).take_while(|&bits| of(bits) <= most).find_map(|bits| {
        (steps..steps + 64).filter(|&top| top <= LINE_TOP).find_map(|top| {
            // The step from 1 to 0 lies between limits[0] − 1 and limits[0].
            let place = (f64::from(top) - 0.5) / of(bits);
            let bias = (place - f64::from(limits[0])).ceil().max(0.0) as u32;
            let line = Line { bits, top, bias };
            line.fits(limits).then_some(line)
        })
    })
}

/// How the dense kernels add α·S and β·ΣV (SPA_SUMS of `kernels/packed.cuh`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    /// Four labels at once, as bytes: no energy can pass 255.
    Bytes,
    /// The same, but for the few RVs where some energy can.
    Mostly,
    /// Two labels at once.
    Halves,
    /// Four labels at once, but for RVs beside whose neighbours some energy can pass 255: nearly all of them must have a label that is far
    /// from others.
    Seldom,
}

/// Differences of two pixels are seldom above this.
const NARROW_LEAST: u32 = 128;

/// Tables of a job that the packed kernels can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// dx of label 0 if singletons are |left − right| of a horizontal search, computed on the fly.
    pub stereo: Option<i32>,
    /// One entry a schedule entry.
    pub steps: Vec<Step>,
    /// β·V by [neighbour][own], rows of `row` bytes, a row of zeros at the end; with [`Sums::Seldom`] the most of a row behind it.
    pub pair: Vec<u8>,
    /// The most that α·S may be for an energy of at most 255 beside any neighbours; with [`Sums::Seldom`], that β·V of the neighbours may be
    /// for any α·S.
    pub narrow: u32,
    /// How energies are added.
    pub sums: Sums,
}

/// Bytes of a row of the pair table.
pub fn pair_row(labels: usize) -> usize {
    labels.next_multiple_of(16)
}

impl Plan {
    /// The tables of `job`.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] names what the packed kernels cannot do.
    pub fn new(job: &Job) -> Result<Self, CudaError> {
        let (hardware, problem) = (job.hardware(), job.problem());
        let refuse = |why: String| Err(CudaError::Unsupported { kernel: "packed", why });
        if hardware.energy_bits != 8 || hardware.weights != Weights::Pow2 {
            return refuse(format!(
                "energies have {} bits and weights are {}, it needs 8 and pow2",
                hardware.energy_bits,
                hardware.weights.name()
            ));
        }
        if problem.labels > LABELS_MAX {
            return refuse(format!("{} labels, at most {LABELS_MAX}", problem.labels));
        }
        if problem.shift != 0 {
            return refuse(format!("the shift is {}, it needs 0", problem.shift));
        }
        if problem.edge_weights.is_some() {
            return refuse("the job has edge weights".to_string());
        }
        if problem.rvs() > RVS_MAX {
            return refuse(format!("{} RVs, at most {RVS_MAX}", problem.rvs()));
        }
        let labels = usize::from(problem.labels);
        let beta = u32::from(problem.beta);
        let row = pair_row(labels);
        let mut pair = vec![0; (labels + 1) * row];
        let mut most = 0;
        for m in 0..labels {
            for l in 0..labels {
                let v = problem.pair_cost(l, m);
                most = most.max(beta * v);
                pair[m * row + l] = (beta * v).min(255) as u8;
            }
        }
        if 4 * most > 255 {
            return refuse(format!("beta times V of four neighbours reaches {}, at most 255", 4 * most));
        }
        let schedule = job.run().schedule.steps().iter().zip(super::ends(job));
        let steps = schedule.map(|(s, end)| Step::new(job, s.temperature, end)).collect();
        let narrow = 255 - 4 * most;
        let largest = u32::from(problem.alpha) * u32::from(problem.data_cap.max(problem.s_outside));
        let stereo = stereo(job);
        // Rows are whole words: there is room for a byte more unless the labels fill them.
        let seldom = largest + 3 * most <= 255 && labels % 4 != 0;
        let sums = if largest <= narrow {
            Sums::Bytes
        } else if stereo.is_some() && narrow >= NARROW_LEAST {
            Sums::Mostly
        } else if stereo.is_none() && seldom {
            for of_neighbour in pair.chunks_exact_mut(row) {
                of_neighbour[labels] = of_neighbour.iter().copied().max().unwrap_or(0);
            }
            Sums::Seldom
        } else {
            Sums::Halves
        };
        let narrow = if sums == Sums::Seldom { 255 - largest } else { narrow };
        Ok(Self { stereo, steps, pair, narrow, sums })
    }
}

/// dx of label 0, if S is |left − right| along a row, one pixel to the left a label, and α is 1.
fn stereo(job: &Job) -> Option<i32> {
    let problem = job.problem();
    let Singleton::Pixels { form: Difference::Abs, offsets, .. } = &problem.singleton else { return None };
    let start = i32::from(offsets[0].dx);
    let regular = offsets.iter().enumerate().all(|(l, o)| o.dy == 0 && i32::from(o.dx) == start - l as i32);
    (regular && problem.alpha == 1).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spa_model::job::line_vectors;
    use spa_model::{Hardware, Pair, Problem, Run, Schedule, Start};

    #[test]
    fn lines_give_the_number_of_limits_above() {
        let (mut found, mut asked) = (0, 0);
        for p_bits in 1..=8 {
            let hardware = Hardware { p_bits, ..Hardware::default() };
            for i in (1..=400).step_by(if p_bits == 8 { 1 } else { 8 }) {
                let t = f64::from(i) * 0.1;
                let limits = WeightTable::new(&hardware, t, None).limits;
                asked += 1;
                let Some(line) = line(&limits) else { continue };
                found += 1;
                for es in 0..=limits[0].min(255) {
                    let level = limits.iter().filter(|&&limit| limit > es).count() as i64;
                    assert_eq!(line.at(es), Some(level), "p_bits {p_bits}, T {t}, Es {es}");
                }
            }
        }
        assert!(found > asked * 99 / 100, "a line for {found} of {asked}");
    }

    /// Pair terms of `beta` · |l − m| up to `cap`, 3 RVs that cost `cost` at most.
    fn plan_of(labels: u16, beta: u8, cap: u8, cost: u16) -> Plan {
        let problem = Problem {
            width: 3,
            height: 1,
            labels,
            singleton: Singleton::Table { costs: vec![cost; 3 * usize::from(labels)] },
            data_cap: cost,
            s_outside: cost,
            pair: Pair::Abs,
            pair_cap: cap,
            vectors: line_vectors(labels),
            alpha: 1,
            beta,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
        let run = Run {
            schedule: Schedule::anneal(2.0, 1.0, 2, 10).unwrap(),
            burn_in: 5,
            seed: 1,
            chain: 0,
            start: Start::Argmin,
            cutoff: None,
        };
        Plan::new(&Job::new(Hardware::default(), problem, run).unwrap()).unwrap()
    }

    #[test]
    fn energies_are_added_as_bytes_where_they_fit() {
        // Four neighbours: at most 240, 15 are left.
        assert_eq!(plan_of(13, 5, 12, 15).sums, Sums::Bytes);
        // Three of them at the ends, and any fourth: 180 and 75.
        let plan = plan_of(13, 5, 12, 75);
        assert_eq!((plan.sums, plan.narrow), (Sums::Seldom, 180));
        let most: Vec<u8> = plan.pair.chunks(16).map(|row| row[13]).collect();
        assert_eq!(most, [60, 55, 50, 45, 40, 35, 30, 35, 40, 45, 50, 55, 60, 0]);
        assert_eq!(plan_of(13, 5, 12, 76).sums, Sums::Halves);
        // No room behind the labels of a row.
        assert_eq!(plan_of(12, 5, 12, 75).sums, Sums::Halves);
    }

    #[test]
    fn a_line_ends_at_zero_where_all_energies_are_live() {
        for i in 300..700 {
            let limits = WeightTable::new(&Hardware::default(), f64::from(i) * 0.1, None).limits;
            if let Some(line) = line(&limits) {
                assert_eq!(line.at(limits[0]), Some(0), "T {i}/10");
            }
        }
    }
}
