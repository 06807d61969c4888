//! Event-driven Gibbs sampling skips only what would not change anything (docs/edgs.md).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]
#![allow(dead_code, reason = "other tests use the rest of the shared jobs")]

mod jobs;

use proptest::prelude::*;
use spa_model::fast::{self, Level, Options};
use spa_model::{Hardware, Job, Outcome, Problem, Run, Schedule, Step, spec};

/// Cold enough for single live labels, with entries that fall, stay and rise.
fn schedule() -> impl Strategy<Value = Schedule> {
    let temperature = prop_oneof![4 => 0.2..3.0, 2 => 3.0..12.0, 1 => 12.0..60.0];
    jobs::schedule(temperature, 1..14)
}

fn run(job: &Job, options: Options) -> Outcome {
    let mut outcome = fast::run(job, &options, &mut |_| true).unwrap();
    outcome.messages.sort_unstable();
    outcome
}

/// Every level, with threads, and with all updates made.
fn assert_equal(job: &Job) {
    let mut expected = spec::run(job).unwrap();
    expected.messages.sort_unstable();
    for level in Level::available() {
        for (threads, update_all) in [(1, false), (3, false), (1, true)] {
            let got = run(job, Options { threads, simd: Some(level), update_all, ..Options::default() });
            let text = format!("{level:?}, {threads} threads, all {update_all}");
            assert_eq!(got.labels, expected.labels, "labels, {text}");
            assert_eq!(got.messages, expected.messages, "messages, {text}");
            assert_eq!(got.histogram, expected.histogram, "histogram, {text}");
            assert!(got.labels_touched <= job.labels_evaluated(), "touched, {text}");
            assert!(!update_all || got.labels_touched == job.labels_evaluated(), "all, {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_jobs_equal_the_specification(job in jobs::job_of(300, schedule())) {
        assert_equal(&job);
    }
}

/// The scene of `iterations` annealed to 1, then the given entries; all of those are collected, in counters of two bits.
fn cold(extra: &[(f64, u32)], change: impl FnOnce(&mut Problem)) -> Job {
    let job = jobs::scene(197, 41, 24, 75);
    let mut steps = job.run().schedule.steps().to_vec();
    steps.extend(extra.iter().map(|&(temperature, iterations)| Step { temperature, iterations }));
    let schedule = Schedule::new(steps).unwrap();
    let run = Run { schedule, burn_in: 75, ..job.run().clone() };
    let mut problem = job.problem().clone();
    change(&mut problem);
    Job::new(Hardware { count_bits: 2, ..Hardware::default() }, problem, run).unwrap()
}

fn touched(job: &Job) -> f64 {
    run(job, Options { threads: 1, ..Options::default() }).labels_touched as f64
}

/// Every update of the first job and few of those that follow.
#[test]
fn a_cold_scene_skips_most_updates() {
    let (short, long) = (cold(&[(1.0, 1)], |_| ()), cold(&[(1.0, 101)], |_| ()));
    assert_equal(&long);
    for level in Level::available() {
        let count = |job| {
            let options = Options { simd: Some(level), threads: 1, ..Options::default() };
            run(job, options).labels_touched
        };
        let added = (count(&long) - count(&short)) as f64;
        let all = (long.labels_evaluated() - short.labels_evaluated()) as f64;
        // With 64 RVs in a register one that is awake takes the others along.
        let most = if level == Level::Avx512 { 0.9 } else { 0.3 };
        assert!(added < most * all, "{level:?}: {} of the updates", added / all);
    }
}

/// A rise of the temperature wakes all: without it the result would differ (the fall after it skips again).
#[test]
fn a_rising_temperature_wakes_every_rv() {
    let extra = [(1.0, 20), (6.0, 3), (0.8, 20), (2.0, 20), (1.0, 20)];
    let job = cold(&extra, |_| ());
    assert_equal(&job);
    assert!(touched(&job) < job.labels_evaluated() as f64);
}

#[test]
fn evidence_and_edge_weights_do_no_harm() {
    let mut bytes = jobs::Bytes(99);
    let extra = [(1.0, 60), (1.5, 30)];
    assert_equal(&cold(&extra, |problem| {
        problem.fixed = Some(bytes.vec(problem.rvs(), 3).iter().map(|&b| b == 0).collect());
    }));
    assert_equal(&cold(&extra, |problem| problem.edge_weights = Some(bytes.vec(2 * problem.rvs(), 4))));
}
