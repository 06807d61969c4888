//! `diagnostics::converge`: the same stop on machines that stand between iterations and on machines that do not, and no
//! agreement where there is none.

#![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

use spa_model::job::line_vectors;
use spa_model::{Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Weights};
use spa_runtime::backend::cpu::CpuBackend;
use spa_runtime::backend::{Backend, ProgressSink, RunReport};
use spa_runtime::diagnostics::converge::{Convergence, converge, run};
use spa_runtime::{chains, drive};

/// The cores, as a machine that runs jobs from their start to their end only.
struct OnePiece(CpuBackend);

impl Backend for OnePiece {
    fn name(&self) -> &'static str {
        "one piece"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        self.0.run(job, progress)
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        Some("it is made so for this test")
    }
}

/// A field of random costs up to `most`, smooth by `beta`, at temperature 20 in units of its energy.
fn job(side: u32, labels: u16, most: u32, beta: u8, seed: u64) -> Job {
    let costs = (0..side * side * u32::from(labels))
        .map(|n| if most == 0 { 0 } else { (spa_model::rng::word(seed, 0, n % 97, n / 97, 1) % most) as u16 })
        .collect();
    let problem = Problem {
        width: side,
        height: side,
        labels,
        singleton: Singleton::Table { costs },
        data_cap: 65_535,
        s_outside: 0,
        pair: Pair::Potts,
        pair_cap: 1,
        vectors: line_vectors(labels),
        alpha: 1,
        beta,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let hardware = Hardware { energy_bits: 10, weights: Weights::Linear, ..Hardware::default() };
    let run = Run {
        schedule: Schedule::constant(20.0, 2).unwrap(),
        burn_in: 0,
        seed,
        chain: 0,
        start: Start::Random,
        cutoff: None,
    };
    Job::new(hardware, problem, run).unwrap()
}

fn found(backend: &mut dyn Backend, job: &Job, chains: u16, most: u32) -> Convergence {
    converge(backend, job, (20.0, chains, most), &mut |_| true).unwrap().convergence
}

fn cpu() -> CpuBackend {
    CpuBackend::new(1, None)
}

#[test]
fn both_kinds_of_machines_stop_at_the_same_iteration() {
    for (beta, seed) in [(2, 1), (14, 2), (18, 3)] {
        let job = job(10, 3, 40, beta, seed);
        let pieces = found(&mut cpu(), &job, 4, 1500);
        assert_eq!(found(&mut OnePiece(cpu()), &job, 4, 1500), pieces, "beta {beta}");
        assert!(pieces.converged && pieces.burn_in >= 100, "{pieces}");
    }
}

/// The chains need not be drawn again from their start: they are told as they stood at the end of burn-in.
#[test]
fn the_newest_iterations_begin_where_their_chains_stood() {
    let job = job(10, 3, 40, 18, 3);
    let found = converge(&mut cpu(), &job, (20.0, 4, 1500), &mut |_| true).unwrap();
    let burn_in = found.convergence.burn_in;
    assert!(burn_in > 0, "{}", found.convergence);
    for (chain, start) in found.starts.unwrap().into_iter().enumerate() {
        let before = job.with_run(run(&job, 20.0, (burn_in, 0), chain as u8).unwrap()).unwrap();
        assert_eq!(cpu().run(&before, &mut |_| true).unwrap().outcome.labels, start, "chain {chain}");
    }
    let pieceless = converge(&mut OnePiece(cpu()), &job, (20.0, 4, 200), &mut |_| true).unwrap();
    assert_eq!(pieceless.starts, None);
}

/// Coupled more than twice as strongly as where an Ising field orders by itself (β/T = 0.88), without data: each chain falls
/// into one of two modes, or stays between them, and no chain changes sides. Eight chains take the same side by chance in one
/// run of 128.
#[test]
fn two_modes_are_never_called_converged() {
    for seed in 0..12 {
        let two = job(16, 2, 0, 40, seed);
        let verdict = found(&mut cpu(), &two, 8, 1000);
        assert!(!verdict.converged && verdict.iterations == 1000, "seed {seed}: {verdict}");
        assert!(verdict.label_share < 0.5, "seed {seed}: {verdict}");
    }
}

/// The same lattice with weak coupling, and with data that choose one side, is done soon.
#[test]
fn one_mode_is_called_converged() {
    for seed in 0..6 {
        let weak = job(16, 2, 0, 8, seed);
        let strong = job(16, 2, 0, 40, seed);
        let mut problem = strong.problem().clone();
        problem.singleton = Singleton::Table { costs: [0, 30].repeat(16 * 16) };
        let chosen = Job::new(*strong.hardware(), problem, strong.run().clone()).unwrap();
        for job in [weak, chosen] {
            let verdict = found(&mut cpu(), &job, 8, 5000);
            assert!(verdict.converged, "seed {seed}: {verdict}");
        }
    }
}

/// Chains without coupling and data agree at once: at the first check, which leaves the first 100 iterations out.
#[test]
fn the_first_hundred_iterations_are_never_collected() {
    let verdict = found(&mut cpu(), &job(8, 2, 0, 0, 1), 4, 1000);
    assert_eq!((verdict.converged, verdict.iterations, verdict.burn_in), (true, 200, 100), "{verdict}");
    for (most, burn_in) in [(200, 100), (300, 200), (400, 200), (500, 300), (600, 300)] {
        let verdict = found(&mut cpu(), &job(8, 2, 0, 40, 1), 4, most);
        assert_eq!((verdict.converged, verdict.burn_in), (false, burn_in), "{verdict}");
    }
}

#[test]
fn a_search_can_be_ended() {
    let ended =
        converge(&mut cpu(), &job(8, 2, 0, 40, 1), (20.0, 4, 1000), &mut |iterations| iterations < 100);
    assert_eq!(ended.unwrap_err().to_string(), "interrupted after 100 iterations");
    // From the first check on it leaves what the last check saw.
    let two = job(8, 2, 0, 40, 1);
    let whole = converge(&mut cpu(), &two, (20.0, 4, 300), &mut |_| true).unwrap();
    for backend in [&mut cpu() as &mut dyn Backend, &mut OnePiece(cpu())] {
        let ended = converge(backend, &two, (20.0, 4, 1000), &mut |iterations| iterations < 350).unwrap();
        assert!(ended.stopped && !whole.stopped);
        let expected = Convergence { max_iterations: 1000, ..whole.convergence };
        assert_eq!(ended.convergence, expected);
        if let Some(starts) = ended.starts {
            assert_eq!(Some(starts), whole.starts);
        }
    }
}

/// The first chain ends, the second is stopped with its first report of progress: both are kept, each as far as it came.
#[test]
fn a_stop_keeps_the_chains_until_then() {
    let one = job(48, 8, 40, 8, 5);
    let to_the_end =
        |burn_in| Run { schedule: Schedule::constant(20.0, 3000).unwrap(), burn_in, ..one.run().clone() };
    let stop_in = |at: usize, job: &Job| {
        let mut cpu = cpu();
        chains::run(job, (4, 1), &mut |jobs, n| drive::chains(&mut cpu, jobs, &mut |_| n != at))
    };
    let long = one.with_run(to_the_end(0)).unwrap();
    let kept = stop_in(1, &long).unwrap();
    let done: Vec<u32> = kept.each.iter().map(|chain| chain.iterations_done).collect();
    assert!(done.len() == 2 && done[0] == 3000 && (1..3000).contains(&done[1]), "{done:?}");
    for (chain, (&iterations, labels)) in done.iter().zip(&kept.labels).enumerate() {
        let short = one.with_run(run(&one, 20.0, (iterations, 0), chain as u8).unwrap());
        let outcome = cpu().run(&short.unwrap(), &mut |_| true).unwrap().outcome;
        assert_eq!(
            (&outcome.labels, outcome.histogram.hash()),
            (labels, kept.each[chain].hashes.histogram.clone())
        );
    }
    let drawn: u64 = kept.histogram.rv(0).iter().map(|&count| u64::from(count)).sum();
    assert_eq!(drawn, done.iter().map(|&done| u64::from(done)).sum::<u64>());
    // One that has collected nothing is left out; with no other there is nothing.
    let late = one.with_run(to_the_end(2999)).unwrap();
    assert_eq!(stop_in(1, &late).unwrap().each.len(), 1);
    let nothing = stop_in(0, &late).unwrap_err().to_string();
    assert!(
        nothing.ends_with(
            "of 3000 iterations are done of one of several chains, so there are no results to keep"
        ),
        "{nothing}"
    );
}
