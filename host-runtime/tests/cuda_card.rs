//! The CUDA backend against the specification, bit for bit. Needs a card; without one the tests say so and pass.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

mod cuda_many;
mod cuda_pieces;
mod edgs_jobs;
mod random_jobs;
mod stays;

use spa_model::hash::hash_messages;
use spa_model::reference::{self, RealParameters};
use spa_model::{Hardware, Histogram, Job, Run, Schedule, spec};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::cuda::edgs::{Design, Experiment, Method};
use spa_runtime::backend::cuda::{Cuda, CudaError, Kernel};

/// A card, or none with the reason on stderr.
fn card(kernel: Kernel) -> Option<Cuda> {
    match Cuda::open(0, kernel) {
        Ok(cuda) => Some(cuda),
        Err(
            error @ (CudaError::NoDriver { .. } | CudaError::NoCard { .. } | CudaError::NoCompiler { .. }),
        ) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn count() -> u64 {
    std::env::var("SPA_CUDA_JOBS").ok().and_then(|v| v.parse().ok()).unwrap_or(60)
}

/// Every difference is named before the test fails.
fn compare(kernel: Kernel, jobs: impl Iterator<Item = (u64, Job)>) {
    let Some(mut cuda) = card(kernel) else { return };
    let (mut failures, mut ran) = (Vec::new(), 0);
    for (seed, job) in jobs {
        let mut expected = spec::run(&job).unwrap();
        let report = match cuda.run(&job, &mut |_| true) {
            Ok(report) => report,
            Err(error) if matches!(error.downcast_ref(), Some(CudaError::Unsupported { .. })) => continue,
            Err(error) => {
                failures.push(format!("job {seed}: {error}"));
                continue;
            }
        };
        ran += 1;
        let mut outcome = report.outcome;
        let labels = outcome.labels == expected.labels;
        let histogram = outcome.histogram == expected.histogram;
        let messages = hash_messages(&mut outcome.messages) == hash_messages(&mut expected.messages);
        if !(labels && histogram && messages) {
            let p = job.problem();
            let text = format!(
                "job {seed} {}x{}x{}: labels {labels} histogram {histogram} messages {messages} {:?} {:?}",
                p.width,
                p.height,
                p.labels,
                job.hardware(),
                job.run().schedule
            );
            failures.push(text);
        }
    }
    eprintln!("{kernel:?}: {ran} jobs ran, {} differ", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(ran > 0, "no job could run");
}

#[test]
fn generic_equals_the_specification() {
    compare(Kernel::Generic, (0..count()).map(|seed| (seed, random_jobs::any(seed))));
}

#[test]
fn generic_equals_the_specification_on_common_jobs() {
    compare(Kernel::Generic, (0..count() / 4).map(|seed| (seed, random_jobs::common(seed))));
}

#[test]
fn dense_equals_the_specification() {
    for kernel in [Kernel::Dense, Kernel::Sites] {
        compare(kernel, (0..count()).map(|seed| (seed, random_jobs::common(seed))));
        compare(kernel, (0..count()).map(|seed| (seed, random_jobs::crowded(seed))));
    }
}

#[test]
fn sparse_equals_the_specification() {
    for kernel in [Kernel::Dealt, Kernel::Sparse] {
        compare(kernel, (0..count()).map(|seed| (seed, random_jobs::common(seed))));
        compare(kernel, (0..count()).map(|seed| (seed, random_jobs::crowded(seed))));
    }
    let Some(cuda) = card(Kernel::Dealt) else { return };
    for seed in 9000..9008 {
        stays::assert_few_are_updated(&cuda, seed, &random_jobs::warm(seed));
    }
}

#[test]
fn auto_equals_the_specification() {
    compare(Kernel::Auto, (0..count()).map(|seed| (seed, random_jobs::common(seed))));
}

#[test]
fn several_jobs_at_once_equal_the_specification() {
    for kernel in [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse, Kernel::Auto] {
        let Some(cuda) = card(kernel) else { return };
        for seed in 0..count() / 6 {
            cuda_many::assert_equal(&cuda, seed, &random_jobs::common(seed));
        }
    }
}

/// Runs that are cut, put back on the card, and moved between kernels and the CPU.
#[test]
fn pieces_equal_the_specification() {
    let kernels = [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse, Kernel::Auto];
    let packed: Vec<Cuda> = kernels.into_iter().filter_map(card).collect();
    let Some(generic) = card(Kernel::Generic).filter(|_| packed.len() == kernels.len()) else { return };
    // Most of the time goes into compiling kernels for each job.
    let jobs = count() / 6;
    for seed in 0..jobs {
        cuda_pieces::assert_equal(&[&generic], seed, &random_jobs::any(seed));
        let job = random_jobs::common(seed);
        cuda_pieces::assert_equal_from_each(&packed, seed, &job);
        for cuda in &packed {
            cuda_pieces::assert_messages_leave(cuda, seed, &job);
        }
        let weighted = random_jobs::weighted(seed, &job);
        cuda_pieces::assert_equal(&[&packed[4], &generic], seed, &weighted);
        cuda_pieces::assert_messages_leave(&generic, seed, &weighted);
    }
    packed.iter().for_each(cuda_pieces::assert_half_steps_are_counted_anew);
    for seed in 9000..9004 {
        cuda_pieces::assert_hands_over(&packed[4], seed, &random_jobs::cooling(seed));
        cuda_pieces::assert_hands_over(&packed[4], seed, &random_jobs::cooling_pair(seed));
    }
    cuda_pieces::assert_order(&packed[4]);
    eprintln!("{jobs} jobs in pieces on all kernels");
}

/// Mean distance (half the sum of differences) of two runs' label shares.
fn distance(a: &Histogram, b: &Histogram, collected: u16) -> f64 {
    let sum: u64 = a.counts().iter().zip(b.counts()).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
    sum as f64 / (2 * u64::from(collected)) as f64 / (a.counts().len() / a.labels()) as f64
}

/// Single precision is as far from double precision as two seeds are from each other, or nearer.
#[test]
fn baseline_equals_the_reference_within_monte_carlo_error() {
    let Some(mut cuda) = card(Kernel::Baseline) else { return };
    let mut ran = 0;
    for seed in 0..40 {
        let job = random_jobs::common(seed);
        let (problem, run) = (job.problem(), job.run());
        if problem.fixed.is_some() || job.run().cutoff.is_some() {
            continue;
        }
        let long = |seed| {
            let temperature = run.schedule.steps()[0].temperature;
            let schedule = Schedule::constant(temperature, 300).unwrap();
            let run = Run { burn_in: 100, schedule, seed, ..run.clone() };
            Job::new(Hardware { count_bits: 16, ..*job.hardware() }, problem.clone(), run).unwrap()
        };
        let real = RealParameters {
            alpha: problem.alpha.into(),
            beta: problem.beta.into(),
            temperature_factor: 1.0,
        };
        let seeds = [1, 2, 3].map(|seed| reference::run(&long(seed), real).unwrap().histogram);
        let float = cuda.run(&long(3), &mut |_| true).unwrap().outcome.histogram;
        // Some of these fields have several modes, so that seeds may lie far apart.
        let error = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| distance(&seeds[a], &seeds[b], 200));
        let error = error.into_iter().fold(0.0, f64::max);
        let found = distance(&seeds[0], &float, 200);
        assert!(
            found <= 1.3 * error + 0.01,
            "job {seed}: {found} from the reference, seeds differ by {error}"
        );
        ran += 1;
    }
    assert!(ran > 5);
}

#[test]
fn too_large_a_picture_is_refused_in_words() {
    let Some(cuda) = card(Kernel::Generic) else { return };
    let error = cuda.device().zeros::<u64>("a test", 1 << 45).unwrap_err();
    assert!(matches!(error, CudaError::OutOfMemory { .. } | CudaError::Driver { .. }), "{error}");
    eprintln!("{error}");
}

/// Invariants of the dissertation's event-driven variants; `cuda_emulated` compares them with a model.
#[test]
fn event_driven_variants_keep_their_invariants() {
    let Some(cuda) = card(Kernel::Baseline) else { return };
    for (name, job, model) in (0..10).flat_map(edgs_jobs::all) {
        let all = job.problem().free_rvs() as u64 * u64::from(job.iterations());
        let mut experiment = Experiment::new(cuda.device(), &job, &model).unwrap();
        let mut run = |design, cutoff| {
            let shapes = edgs_jobs::shapes(job.run().seed);
            let found =
                shapes.map(|shape| experiment.run(Method { design, cutoff }, shape).unwrap().unwrap());
            if design != Design::Queues {
                assert_eq!(found[0].labels, found[1].labels, "{name}: shapes change nothing");
                assert_eq!(found[0].updated, found[1].updated, "{name}: shapes change nothing");
            }
            found[0].clone()
        };
        let plain = run(Design::Plain, None);
        assert_eq!(plain.updated, all);
        if name != "segment" {
            let baseline = cuda.sample(&job, &mut |_| true).unwrap();
            assert_eq!(plain.labels, baseline.labels, "{name}: the arithmetic of the named baseline");
        }
        for cutoff in [2, 4, 8, 16] {
            let plain = run(Design::Plain, Some(cutoff));
            let flags = run(Design::Flags, Some(cutoff));
            let queues = run(Design::Queues, Some(cutoff));
            assert_eq!(
                flags.labels, plain.labels,
                "{name}, cut-off {cutoff}: only what cannot change is skipped"
            );
            assert!(flags.updated < all && queues.updated <= all, "{name}, cut-off {cutoff}");
        }
    }
}
