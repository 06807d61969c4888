//! What the packed kernels need of a job: whether they can run it, its tables, its weights as lines.

use super::error::CudaError;
use spa_model::weights::WeightTable;
use spa_model::{Difference, Job, Singleton, Weights};

/// Most labels of the packed kernels: a near set is one 64-bit word.
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
    /// Slope of the line, 0 if there is none.
    pub slope: u32,
    /// Offset of the line.
    pub offset: u32,
    /// w(Es).
    pub weight: [u8; 256],
}

impl Step {
    /// The entry of one temperature.
    pub fn new(job: &Job, temperature: f64) -> Self {
        let table = WeightTable::new(job.hardware(), temperature, job.run().cutoff);
        // A cut-off switches off the lowest comparators.
        let scale = table.limits.iter().position(|&limit| limit > 0).unwrap_or(0);
        let limits = &table.limits[scale..];
        let (slope, offset) = line(limits).unwrap_or((0, 0));
        let mut weight = [0; 256];
        weight.copy_from_slice(&table.table[..256]);
        Self { limit: limits[0], scale: scale as u32, slope, offset, weight }
    }
}

/// (slope, offset) with ⌊(offset − slope·Es)/1024⌋ = number of `limits` above Es, for Es ≤ `limits[0]`.
///
/// θ_k = ⌊T·ln((2^p_bits − 1)/2^k)⌋ falls linearly with k, so such a line exists unless T is large; integers make
/// it exact, and the search is over all slopes.
pub fn line(limits: &[u32]) -> Option<(u32, u32)> {
    let levels = limits.len() as u32;
    let top = 1024 * (levels + 1) - 1;
    (1..=top).find_map(|slope| {
        let mut least = slope * limits[0].min(255);
        let mut most = top;
        for (k, &limit) in limits.iter().enumerate() {
            let level = 1024 * (k as u32 + 1);
            least = least.max(level + slope * (limit - 1));
            if limit <= 255 {
                most = most.min(level + slope * limit - 1);
            }
        }
        (least <= most).then_some((slope, least))
    })
}

/// Tables of a job that the packed kernels can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// dx of label 0 if singletons are |left − right| of a horizontal search, computed on the fly.
    pub stereo: Option<i32>,
    /// One entry a schedule entry.
    pub steps: Vec<Step>,
    /// β·V by [neighbour][own], rows of `row` bytes, a row of zeros at the end.
    pub pair: Vec<u8>,
    /// Labels with V < cap beside each label; 0 at the end.
    pub near: Vec<u64>,
    /// β·cap.
    pub far: u32,
}

/// Bytes of a row of the pair table (`PAIR_ROW`).
fn pair_row(labels: usize) -> usize {
    labels.div_ceil(16) * 16 + 16
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
        let far = beta * u32::from(problem.pair_cap);
        let row = pair_row(labels);
        let mut pair = vec![0; (labels + 1) * row];
        let mut near = vec![0_u64; labels + 1];
        let mut most = 0;
        for m in 0..labels {
            for l in 0..labels {
                let v = problem.pair_cost(l, m);
                most = most.max(beta * v);
                pair[m * row + l] = (beta * v).min(255) as u8;
                near[m] |= u64::from(v < u32::from(problem.pair_cap)) << l;
            }
        }
        if 4 * most > 255 {
            return refuse(format!("beta times V of four neighbours reaches {}, at most 255", 4 * most));
        }
        let steps = job.run().schedule.steps().iter().map(|s| Step::new(job, s.temperature)).collect();
        Ok(Self { stereo: stereo(job), steps, pair, near, far })
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
    use spa_model::Hardware;

    #[test]
    fn lines_give_the_number_of_limits_above() {
        let mut found = 0;
        for i in 1..=400 {
            let t = f64::from(i) * 0.1;
            let limits = WeightTable::new(&Hardware::default(), t, None).limits;
            let Some((slope, offset)) = line(&limits) else { continue };
            found += 1;
            for es in 0..=limits[0].min(255) {
                let level = limits.iter().filter(|&&limit| limit > es).count() as u32;
                assert_eq!((offset - slope * es) / 1024, level, "T {t} Es {es}");
            }
        }
        assert!(found > 200, "a line for {found} of 400 temperatures");
    }
}
