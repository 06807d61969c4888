//! The jobs whose answers are known (contract §10), made of integers only.
//!
//! sample(i, salt), in u32: h = i·2654435761 + salt·40503, h = (h ^ h>>15)·2246822519, ((h ^ h>>13) >> 16) & 255.

use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::{Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Weights};

fn sample(i: usize, salt: usize) -> u8 {
    let h = (i as u32).wrapping_mul(2_654_435_761).wrapping_add((salt as u32).wrapping_mul(40_503));
    let h = (h ^ (h >> 15)).wrapping_mul(2_246_822_519);
    ((h ^ (h >> 13)) >> 16) as u8
}

fn samples(n: usize, salt: usize, bits: u8) -> Vec<u8> {
    (0..n).map(|i| sample(i, salt) >> (8 - bits)).collect()
}

fn problem(width: u32, height: u32, labels: u16) -> Problem {
    let n = (width * height) as usize;
    Problem {
        width,
        height,
        labels,
        singleton: Singleton::Pixels {
            form: Difference::Abs,
            first: samples(n, 1, 8),
            second: samples(n, 2, 8),
            offsets: stereo_offsets(labels, 0),
        },
        data_cap: 40,
        s_outside: 47,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    }
}

fn run(schedule: Schedule) -> Run {
    Run { burn_in: schedule.last_entry(), schedule, seed: 1, chain: 0, start: Start::Argmin, cutoff: None }
}

/// Every known job by its name in `golden/contract-v1.txt`.
pub fn jobs() -> Vec<(&'static str, Job)> {
    let anneal = |t0, t1, n| Schedule::anneal(t0, t1, 5, n).unwrap();
    let hardware = Hardware::default();
    let mut jobs = Vec::new();
    let mut add = |name, hardware, problem, run| jobs.push((name, Job::new(hardware, problem, run).unwrap()));

    add("stereo", hardware, problem(61, 37, 16), run(anneal(20.0, 6.0, 40)));
    add("one-rv", hardware, problem(1, 1, 2), run(Schedule::constant(3.0, 9).unwrap()));
    let everything_collected =
        Run { burn_in: 0, seed: u64::MAX, ..run(Schedule::constant(30.0, 60).unwrap()) };
    let three_bits = Hardware { count_bits: 3, ..hardware };
    add("saturating-counters", three_bits, problem(13, 9, 3), everything_collected);
    let mut flow = problem(24, 20, 225);
    let n = flow.rvs();
    flow.singleton = Singleton::Pixels {
        form: Difference::Squared,
        first: samples(n, 3, 8),
        second: samples(n, 4, 8),
        offsets: window_offsets(15),
    };
    (flow.data_cap, flow.s_outside, flow.pair, flow.pair_cap) = (9000, 700, Pair::Squared, 50);
    (flow.vectors, flow.alpha, flow.beta, flow.shift) = (window_offsets(15), 3, 41, 2);
    let wide = Hardware { label_bits: 8, energy_bits: 12, ..hardware };
    let random =
        Run { start: Start::Random, chain: 255, ..run(Schedule::anneal(900.0, 60.0, 6, 20).unwrap()) };
    add("flow-15x15-squared", wide, flow, random);
    let mut segment = problem(30, 17, 4);
    segment.singleton = Singleton::Values {
        form: Difference::Squared,
        first: samples(segment.rvs(), 5, 6),
        values: vec![3, 20, 41, 60],
    };
    (segment.data_cap, segment.pair, segment.pair_cap, segment.beta, segment.shift) =
        (900, Pair::Potts, 20, 9, 3);
    segment.fixed = Some((0..segment.rvs()).map(|i| sample(i, 6) < 40).collect());
    let six = Hardware { singleton_bits: 6, weights: Weights::Linear, energy_bits: 10, ..hardware };
    let zero = Run { start: Start::Zero, cutoff: Some(4), ..run(anneal(60.0, 20.0, 30)) };
    add("segment-linear-evidence", six, segment, zero);
    let mut table = problem(11, 14, 7);
    table.singleton = Singleton::Table { costs: (0..11 * 14 * 7).map(|i| u16::from(sample(i, 7))).collect() };
    table.data_cap = 100;
    table.pair = Pair::Table((0..49).map(|i| if i % 8 == 0 { 0 } else { sample(i, 8) % 9 }).collect());
    table.pair_cap = 7;
    let reheat = Schedule::new(
        [(30.0, 5), (6.0, 5), (40.0, 4), (12.0, 6)]
            .map(|(temperature, iterations)| spa_model::Step { temperature, iterations })
            .to_vec(),
    );
    add("tables-reheated", hardware, table, run(reheat.unwrap()));
    let mut ties = problem(16, 12, 9);
    ties.singleton = Singleton::Values {
        form: Difference::Abs,
        first: samples(ties.rvs(), 9, 3),
        values: vec![0, 0, 2, 3, 3, 5, 6, 6, 7],
    };
    ties.data_cap = 4;
    let cut = Run { burn_in: 0, cutoff: Some(4), ..run(Schedule::constant(4.0, 3).unwrap()) };
    add("cut-off-and-ties", hardware, ties, cut);
    let weights = |n: usize, salt| Some((0..2 * n).map(|i| sample(i, salt) >> 4).collect());
    let mut edges = problem(29, 23, 16);
    (edges.beta, edges.edge_weights) = (1, weights(edges.rvs(), 10));
    add("edge-weights", hardware, edges, run(anneal(20.0, 6.0, 40)));
    // One column has no edges to the right; the largest sum of all passes 24 bits.
    let mut column = problem(1, 33, 5);
    column.singleton =
        Singleton::Table { costs: (0..33 * 5).map(|i| 257 * u16::from(sample(i, 11))).collect() };
    (column.data_cap, column.pair, column.pair_cap) = (u16::MAX, Pair::Squared, 255);
    (column.alpha, column.beta, column.shift) = (255, 255, 9);
    (column.edge_weights, column.fixed) = (weights(33, 12), Some((0..33).map(|i| i % 7 == 3).collect()));
    let sixteen = Hardware { energy_bits: 16, ..hardware };
    let hot = Run { start: Start::Random, ..run(anneal(9000.0, 900.0, 30)) };
    add("edge-weights-column", sixteen, column, hot);
    jobs
}
