//! The specification against exact enumeration: on tiny fields the histogram of a long chain approaches the
//! distribution of the model. Half-steps draw from exact conditionals, so that the chain has the Gibbs distribution of
//! its weights where these are functions of the energy alone: `linear` weights on energies that do not saturate.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use spa_model::job::line_vectors;
use spa_model::{
    Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Weights, fast, spec,
};

const WIDTH: u32 = 2;
const HEIGHT: u32 = 2;
const LABELS: usize = 3;
const TEMPERATURE: f64 = 9.0;

fn job(pair: Pair, iterations: u32, temperature: f64) -> Job {
    let hardware =
        Hardware { energy_bits: 10, weights: Weights::Linear, count_bits: 16, ..Hardware::default() };
    let problem = Problem {
        width: WIDTH,
        height: HEIGHT,
        labels: LABELS as u16,
        singleton: Singleton::Values {
            form: Difference::Abs,
            first: vec![10, 14, 22, 17],
            values: vec![8, 15, 24],
        },
        data_cap: 255,
        s_outside: 255,
        pair,
        pair_cap: 2,
        vectors: line_vectors(LABELS as u16),
        alpha: 1,
        beta: 4,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let run = Run {
        schedule: Schedule::constant(temperature, iterations).unwrap(),
        burn_in: 100,
        seed: 11,
        chain: 0,
        start: Start::Zero,
        cutoff: None,
    };
    Job::new(hardware, problem, run).unwrap()
}

/// Marginals by enumeration of all L^4 states: exp(−(αΣS + βΣV)/T), each edge once.
fn marginals(job: &Job) -> Vec<f64> {
    let problem = job.problem();
    let rvs = problem.rvs();
    let mut result = vec![0.0; rvs * LABELS];
    let mut total = 0.0;
    for state in 0..LABELS.pow(rvs as u32) {
        let label = |i: usize| state / LABELS.pow(i as u32) % LABELS;
        let mut energy = 0;
        for i in 0..rvs {
            let (x, y) = (i as u32 % WIDTH, i as u32 / WIDTH);
            energy += u32::from(problem.alpha) * problem.singleton_cost(x, y, label(i));
            for n in spec::neighbours(WIDTH, HEIGHT, x, y).filter(|&n| n > i) {
                energy += u32::from(problem.beta) * problem.pair_cost(label(i), label(n));
            }
        }
        let p = (-f64::from(energy) / TEMPERATURE).exp();
        total += p;
        for i in 0..rvs {
            result[i * LABELS + label(i)] += p;
        }
    }
    result.iter().map(|p| p / total).collect()
}

/// Largest total-variation distance of a RV between a histogram and the exact marginals.
fn distance(job: &Job, exact: &[f64]) -> f64 {
    let outcome =
        fast::run(job, &fast::Options { threads: 1, ..fast::Options::default() }, &mut |_| true).unwrap();
    let n = f64::from(job.collected());
    outcome
        .histogram
        .counts()
        .chunks(LABELS)
        .zip(exact.chunks(LABELS))
        .map(|(counts, p)| {
            counts.iter().zip(p).map(|(&c, p)| (f64::from(c) / n - p).abs()).sum::<f64>() / 2.0
        })
        .fold(0.0, f64::max)
}

/// 60,000 samples, correlated over a few iterations: about 0.005 of Monte-Carlo error; p in steps of 1/255 adds as much.
const CLOSE: f64 = 0.015;

#[test]
fn histograms_approach_the_exact_marginals() {
    for pair in [Pair::Abs, Pair::Potts, Pair::Squared] {
        let job = job(pair.clone(), 60_100, TEMPERATURE);
        let d = distance(&job, &marginals(&job));
        assert!(d < CLOSE, "{pair:?}: total variation {d:.4}");
    }
}

#[test]
fn the_fast_sampler_stands_for_the_specification_here() {
    let job = job(Pair::Abs, 2_000, TEMPERATURE);
    let fast = fast::run(&job, &fast::Options::default(), &mut |_| true).unwrap();
    assert_eq!(spec::run(&job).unwrap().histogram, fast.histogram);
}

#[test]
fn wrong_weights_are_noticed() {
    // Weights of a temperature a third too low against the marginals of the right one.
    let job = job(Pair::Abs, 60_100, TEMPERATURE * 0.67);
    let d = distance(&job, &marginals(&job));
    assert!(d > 3.0 * CLOSE, "total variation {d:.4}");
}
