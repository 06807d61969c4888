//! The specification sampler: the semantics of every backend in one short scalar function.
//!
//! Read this first. Slow on purpose; [`run`] is what the fast sampler, the RTL and the CUDA kernels must equal.

use crate::entry::{LabelEntry, Message};
use crate::error::Error;
use crate::histogram::Histogram;
use crate::job::{Job, Outcome};
use crate::rng;
use crate::weights::WeightTable;

/// Runs `job` from its start to its histogram.
///
/// # Errors
/// [`Error::Log`] if the messages do not add up, which would be a defect of this function.
pub fn run(job: &Job) -> Result<Outcome, Error> {
    let (problem, run) = (job.problem(), job.run());
    let tables: Vec<WeightTable> = run
        .schedule
        .steps()
        .iter()
        .map(|step| WeightTable::new(job.hardware(), step.temperature, run.cutoff))
        .collect();
    let max = job.hardware().count_max() as u16;

    let mut labels = job.initial_labels();
    let mut entries = vec![LabelEntry::default(); problem.rvs()];
    let mut messages = Vec::new();
    let send = |i: usize, pair: crate::entry::Count| Message {
        rv: i as u32,
        label: pair.label,
        count: u32::from(pair.count),
    };

    for (iteration, entry) in run.schedule.entry_of_iterations().enumerate() {
        let iteration = iteration as u32;
        for colour in [0, 1] {
            for y in 0..problem.height {
                for x in (0..problem.width).filter(|x| (x + y) % 2 == colour) {
                    let i = (y * problem.width + x) as usize;
                    if problem.is_fixed(i) {
                        continue;
                    }
                    // All neighbours have the other colour, so the field can be updated in place.
                    let word = rng::word(run.seed, run.chain, x, y, iteration);
                    labels[i] = sample(job, &tables[entry], &labels, x, y, word);
                    if iteration >= run.burn_in {
                        messages.extend(entries[i].pick(labels[i], max).map(|pair| send(i, pair)));
                    }
                }
            }
        }
    }
    for (i, entry) in entries.iter().enumerate() {
        messages.extend(entry.drain().map(|pair| send(i, pair)));
    }
    let histogram = Histogram::from_messages(job, &messages, &labels)?;
    Ok(Outcome { labels, histogram, messages, labels_touched: job.labels_evaluated() })
}

/// One draw: the new label of RV (x, y) from its neighbours' labels and one random word.
fn sample(job: &Job, weights: &WeightTable, labels: &[u8], x: u32, y: u32, word: u32) -> u8 {
    let energies = energies(job, labels, x, y);
    let least = energies.iter().copied().min().unwrap_or(0);
    let w: Vec<u64> = energies.iter().map(|&e| u64::from(weights.weight(e - least))).collect();

    let sum: u64 = w.iter().sum();
    let r = (u64::from(job.hardware().u(word)) * sum) >> job.hardware().u_bits;
    let mut prefix = 0;
    for (l, w) in w.iter().enumerate() {
        prefix += w;
        if prefix > r {
            return l as u8;
        }
    }
    unreachable!("r < Σw because u < 2^u_bits")
}

/// E of every label of RV (x, y) (Eq. 3.1).
pub fn energies(job: &Job, labels: &[u8], x: u32, y: u32) -> Vec<u32> {
    let problem = job.problem();
    let i = y as usize * problem.width as usize + x as usize;
    let edges = neighbours(problem.width, problem.height, x, y).map(|n| (n, problem.edge_weight(i, n)));
    (0..usize::from(problem.labels))
        .map(|l| {
            let pairs = edges.clone().map(|(n, w)| w * problem.pair_cost(l, usize::from(labels[n]))).sum();
            problem.energy(problem.singleton_cost(x, y, l), pairs, job.hardware().energy_max())
        })
        .collect()
}

/// Indices of the neighbours of (x, y) inside the field: left, right, up, down.
pub fn neighbours(width: u32, height: u32, x: u32, y: u32) -> impl Iterator<Item = usize> + Clone {
    let i = y as usize * width as usize + x as usize;
    let w = width as usize;
    [
        (x > 0).then(|| i - 1),
        (x + 1 < width).then_some(i + 1),
        (y > 0).then(|| i - w),
        (y + 1 < height).then_some(i + w),
    ]
    .into_iter()
    .flatten()
}
