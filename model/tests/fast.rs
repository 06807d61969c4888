//! The fast sampler equals the specification, whatever the job, the instruction set and the number of threads.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod jobs;

use jobs::{Bytes, job, scene};
use proptest::prelude::*;
use spa_model::fast::{self, Level, Options};
use spa_model::{Error, Job, Outcome, Problem, spec};

fn fast_run(job: &Job, simd: Option<Level>, threads: usize) -> Outcome {
    fast::run(job, &Options { threads, simd, ..Options::default() }, &mut |_| true).unwrap()
}

fn assert_equal(job: &Job, expected: &mut Outcome, simd: Option<Level>, threads: usize) {
    let mut got = fast_run(job, simd, threads);
    assert_eq!(got.labels, expected.labels, "labels, {simd:?}, {threads} threads");
    got.messages.sort_unstable();
    expected.messages.sort_unstable();
    assert_eq!(got.messages, expected.messages, "messages, {simd:?}, {threads} threads");
    assert_eq!(got.histogram, expected.histogram, "histogram, {simd:?}, {threads} threads");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equals_the_specification(job in job()) {
        let mut expected = spec::run(&job).unwrap();
        for level in Level::available() {
            assert_equal(&job, &mut expected, Some(level), 1);
        }
        for threads in [2, 3] {
            assert_equal(&job, &mut expected, None, threads);
        }
        for threads in [1, 2] {
            let options = Options { threads, cost_bytes: 0, ..Options::default() };
            let got = fast::run(&job, &options, &mut |_| true).unwrap();
            assert_eq!(got.labels, expected.labels, "labels, costs on the way, {threads} threads");
        }
    }
}

#[test]
fn an_annealed_scene_equals_the_specification() {
    assert_scene(&scene(161, 93, 56, 75));
}

#[test]
fn so_does_one_with_edge_weights_and_weights_of_one_change_nothing() {
    let job = scene(131, 63, 56, 75);
    let with = |edge_weights: Vec<u8>| {
        let problem = Problem { edge_weights: Some(edge_weights), ..job.problem().clone() };
        Job::new(*job.hardware(), problem, job.run().clone()).unwrap()
    };
    assert_scene(&with(Bytes(5).vec(2 * job.problem().rvs(), 16)));
    let plain = fast_run(&job, None, 1);
    let ones = fast_run(&with(vec![1; 2 * job.problem().rvs()]), None, 1);
    assert_eq!((plain.labels, plain.messages), (ones.labels, ones.messages));
}

fn assert_scene(job: &Job) {
    let mut expected = spec::run(job).unwrap();
    for level in Level::available() {
        for threads in [1, 2, 3] {
            assert_equal(job, &mut expected, Some(level), threads);
        }
    }
}

#[test]
fn progress_counts_iterations_and_can_interrupt() {
    let job = scene(20, 10, 8, 50);
    let mut seen = Vec::new();
    fast::run(&job, &Options::default(), &mut |n| {
        seen.push(n);
        true
    })
    .unwrap();
    assert_eq!(seen, (1..=50).collect::<Vec<_>>());
    let interrupted = fast::run(&job, &Options::default(), &mut |n| n < 3).unwrap_err();
    assert_eq!(interrupted, Error::Interrupted { iterations: 3 });
}

#[test]
fn a_level_that_the_cpu_lacks_is_refused_by_name() {
    for level in Level::ALL.into_iter().filter(|level| !level.is_available()) {
        let options = Options { simd: Some(level), ..Options::default() };
        let error = fast::run(&scene(4, 4, 4, 25), &options, &mut |_| true).unwrap_err();
        assert!(error.to_string().contains(level.name()), "{error}");
    }
}
