//! The baseline: what one writes first. Scalar, with everything tabulated that the specification recomputes.

use crate::{Times, cpu_seconds};
use spa_model::weights::WeightTable;
use spa_model::{Job, rng, spec};

/// Runs `job`; gives its times and its labels.
pub fn run(job: &Job) -> (Times, Vec<u8>) {
    let (problem, run) = (job.problem(), job.run());
    let start = cpu_seconds();
    let (width, height, count) = (problem.width, problem.height, usize::from(problem.labels));
    let energy_max = job.hardware().energy_max();
    let mut singletons = Vec::with_capacity(problem.rvs() * count);
    for y in 0..height {
        for x in 0..width {
            for l in 0..count {
                singletons.push((u32::from(problem.alpha) * problem.singleton_cost(x, y, l)) as u16);
            }
        }
    }
    let mut pairs = vec![0_u16; count * count];
    for l in 0..count {
        for m in 0..count {
            pairs[m * count + l] = (u32::from(problem.beta) * problem.pair_cost(l, m)) as u16;
        }
    }
    let mut labels = job.initial_labels();
    let mut energies = vec![0_u32; count];
    let mut weights = vec![0_u32; count];
    let iterations = job.iterations();
    let mut marks = vec![cpu_seconds()];

    for (iteration, entry) in run.schedule.entry_of_iterations().enumerate() {
        let table = WeightTable::new(job.hardware(), run.schedule.steps()[entry].temperature, run.cutoff);
        for colour in [0, 1] {
            for y in 0..height {
                for x in ((y + colour) % 2..width).step_by(2) {
                    let i = (y * width + x) as usize;
                    for (l, e) in energies.iter_mut().enumerate() {
                        let mut sum = u32::from(singletons[i * count + l]);
                        for n in spec::neighbours(width, height, x, y) {
                            sum += u32::from(pairs[usize::from(labels[n]) * count + l]);
                        }
                        *e = (sum >> problem.shift).min(energy_max);
                    }
                    let least = energies.iter().copied().min().unwrap_or(0);
                    let mut sum = 0;
                    for (w, e) in weights.iter_mut().zip(&energies) {
                        *w = table.weight(e - least);
                        sum += *w;
                    }
                    let u = job.hardware().u(rng::word(run.seed, run.chain, x, y, iteration as u32));
                    let r = ((u64::from(u) * u64::from(sum)) >> job.hardware().u_bits) as u32;
                    let mut prefix = 0;
                    for (l, w) in weights.iter().enumerate() {
                        prefix += w;
                        if prefix > r {
                            labels[i] = l as u8;
                            break;
                        }
                    }
                }
            }
        }
        if (iteration + 1) % (iterations as usize / 5) == 0 {
            marks.push(cpu_seconds());
        }
    }
    let whole = cpu_seconds() - start;
    let around = whole - (marks[5] - marks[0]);
    (Times { whole, fifths: std::array::from_fn(|i| marks[i + 1] - marks[i]), around }, labels)
}
