//! A run in pieces: the same bits however it is cut, and after every piece the results of a job that ends there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

#[allow(dead_code, reason = "shared with other tests")]
mod jobs;

use jobs::{job, scene};
use proptest::prelude::*;
use spa_model::fast::{self, Level, Options, Sink};
use spa_model::hash::Hasher;
use spa_model::{
    Error, Hardware, Histogram, Job, Message, Outcome, Run, Schedule, Snapshot, Step, energy, spec,
};
use std::sync::{Arc, Mutex};

/// `job` with its schedule cut off after `iterations`; burn-in as it was, or one iteration less than all.
fn truncated(job: &Job, iterations: u32) -> Job {
    let mut left = iterations;
    let mut steps: Vec<Step> = Vec::new();
    for step in job.run().schedule.steps() {
        let iterations = step.iterations.min(left);
        left -= iterations;
        if iterations > 0 {
            steps.push(Step { temperature: step.temperature, iterations });
        }
    }
    let burn_in = job.run().burn_in.min(iterations - 1);
    let run = Run { schedule: Schedule::new(steps).unwrap(), burn_in, ..job.run().clone() };
    Job::new(*job.hardware(), job.problem().clone(), run).unwrap()
}

/// A level and a number of threads by number.
fn options(n: usize) -> Options {
    let levels = Level::available();
    Options {
        threads: 1 + n / levels.len() % 3,
        simd: Some(levels[n % levels.len()]),
        update_all: n % 5 == 4,
        cost_bytes: if n.is_multiple_of(3) { 0 } else { usize::MAX },
    }
}

/// To compare; how much was evaluated is no part of the result.
fn sorted(mut outcome: Outcome) -> Outcome {
    outcome.messages.sort_unstable();
    outcome.labels_touched = 0;
    outcome
}

/// Runs `job` to `iteration` in the pieces of `cuts`, each a share of what is left in 256ths; where the cut is odd the
/// rest is done by a run restored from a snapshot, perhaps with other instructions and threads.
fn in_pieces<'a>(job: &'a Job, iteration: u32, cuts: &[u8]) -> fast::Run<'a> {
    let mut run = fast::Run::new(job, &options(cuts.len())).unwrap();
    for (n, &cut) in cuts.iter().enumerate() {
        let to = run.iteration() + u32::from(cut) * (iteration - run.iteration()) / 256;
        assert!(run.advance(to, &mut |_| true));
        if cut % 2 == 1 {
            let mut snapshot = run.snapshot();
            let again = fast::Run::restore(job, &options(n + usize::from(cut)), snapshot.clone()).unwrap();
            let mut copy = again.snapshot();
            copy.messages.sort_unstable();
            snapshot.messages.sort_unstable();
            assert_eq!(copy, snapshot);
            run = again;
        }
    }
    assert!(run.advance(iteration, &mut |_| true));
    assert_eq!(run.iteration(), iteration);
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_give_the_same_bits(job in job(), cuts in prop::collection::vec(any::<u8>(), 0..6)) {
        let expected = sorted(spec::run(&job).unwrap());
        let got = sorted(in_pieces(&job, job.iterations(), &cuts).finish().unwrap());
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn a_part_is_the_whole_of_a_shorter_job(
        job in job(), cuts in prop::collection::vec(any::<u8>(), 0..4), share in 0.0..1.0
    ) {
        let iteration = (f64::from(job.iterations()) * share) as u32;
        let mut run = in_pieces(&job, iteration, &cuts);
        prop_assert_eq!(run.energy(), energy::total(job.problem(), &run.labels()).unwrap());
        let histogram = run.histogram().unwrap();
        let snapshot = run.snapshot();
        let part = sorted(run.finish().unwrap());
        prop_assert_eq!(&histogram, &part.histogram);
        prop_assert_eq!(sorted(snapshot.clone().outcome(&job).unwrap()), part.clone());
        if iteration == 0 {
            prop_assert_eq!(&part.labels, &job.initial_labels());
        } else {
            let expected = sorted(spec::run(&truncated(&job, iteration)).unwrap());
            prop_assert_eq!(&part.labels, &expected.labels);
            if iteration > job.run().burn_in {
                prop_assert_eq!(&part, &expected);
            }
        }
        if iteration <= job.run().burn_in {
            prop_assert!(part.messages.is_empty() && histogram.counts().iter().all(|&count| count == 0));
        }
        // Looking did no harm.
        let mut whole = fast::Run::restore(&job, &options(cuts.len()), snapshot).unwrap();
        prop_assert!(whole.advance(u32::MAX, &mut |_| true));
        prop_assert_eq!(sorted(whole.finish().unwrap()), sorted(spec::run(&job).unwrap()));
    }
}

#[test]
fn an_annealed_scene_in_pieces_equals_the_specification() {
    let job = scene(161, 93, 56, 75);
    let expected = sorted(spec::run(&job).unwrap());
    for cuts in [&[255, 1, 3][..], &[9; 40], &[201, 128]] {
        assert_eq!(sorted(in_pieces(&job, 75, cuts).finish().unwrap()), expected);
    }
}

#[test]
fn a_wish_to_stop_is_heard_within_a_sweep_and_the_run_goes_on() {
    let job = scene(40, 30, 8, 100);
    let mut run = fast::Run::new(&job, &Options::default()).unwrap();
    let mut told = Vec::new();
    assert!(!run.advance(100, &mut |n| {
        told.push(n);
        n < 5
    }));
    assert_eq!(told, [1, 2, 3, 4, 5]);
    assert!((5..=16).contains(&run.iteration()), "{}", run.iteration());
    let stopped = run.iteration();
    assert!(run.advance(1000, &mut |n| {
        told.push(n);
        true
    }));
    assert_eq!(told[5..], (stopped + 1..=100).collect::<Vec<_>>());
    assert_eq!(sorted(run.finish().unwrap()), sorted(spec::run(&job).unwrap()));
}

#[test]
fn messages_can_be_taken_away_and_add_up_outside() {
    let job = scene(33, 21, 8, 100);
    let mut run = fast::Run::new(&job, &Options::default()).unwrap();
    let mut messages = Vec::new();
    for to in (7..=100).step_by(31).chain([100]) {
        run.advance(to, &mut |_| true);
        messages.extend(run.take_messages());
    }
    assert!(!messages.is_empty() && run.histogram().is_err());
    messages.extend(run.snapshot().pairs());
    let expected = spec::run(&job).unwrap();
    let histogram = Histogram::by(&job, 100, messages.iter().copied(), &run.labels()).unwrap();
    assert_eq!(histogram, expected.histogram);
    messages.sort_unstable();
    assert_eq!(messages, sorted(expected).messages);
}

/// Keeps what a run sends away, and how often it did.
#[derive(Default)]
struct Kept(Mutex<(Vec<Message>, usize)>);

impl Sink for Kept {
    fn take(&self, y: u32, messages: &[Message]) {
        let kept = &mut *self.0.lock().unwrap();
        assert!(messages.iter().all(|m| m.rv / WIDE == y));
        kept.0.extend(messages);
        kept.1 += 1;
    }
}

/// RVs of a row, enough for a row's messages to be sent away while the run goes on.
const WIDE: u32 = 700;

#[test]
fn a_sink_gets_every_message_once() {
    let job = scene(WIDE, 40, 16, 60);
    let hot = Run { schedule: Schedule::constant(30.0, 60).unwrap(), burn_in: 3, ..job.run().clone() };
    let job = Job::new(Hardware { count_bits: 2, ..*job.hardware() }, job.problem().clone(), hot).unwrap();
    let expected = sorted(spec::run(&job).unwrap());
    for n in 0..6 {
        let kept = Arc::new(Kept::default());
        let mut run = fast::Run::new(&job, &options(n)).unwrap();
        run.send_to(kept.clone());
        for to in [7, 30, 60] {
            run.advance(to, &mut |_| true);
        }
        let before = kept.0.lock().unwrap().1;
        let drained = run.finish_to(kept.as_ref());
        assert_eq!(drained.labels, expected.labels);
        let (mut messages, sent) = std::mem::take(&mut *kept.0.lock().unwrap());
        // All rows more than once on the way, and each colour of each row at the end.
        assert!(before > 80 && sent == before + 80, "{before} {sent}");
        messages.sort_unstable();
        assert_eq!(messages, expected.messages);
    }
}

#[test]
fn rows_of_a_histogram_are_those_of_the_whole() {
    let job = scene(21, 12, 8, 50);
    let outcome = spec::run(&job).unwrap();
    let whole = outcome.histogram;
    let mut hasher = Hasher::default();
    for rows in [0..1, 1..7, 7..12] {
        let messages = outcome.messages.iter().filter(|m| rows.contains(&(m.rv / 21))).copied();
        let part = Histogram::of_rows((21, 8), rows.clone(), job.collected(), |_| None, messages).unwrap();
        let of = |y: u32| y as usize * 21 * 8;
        assert_eq!(part.counts(), &whole.counts()[of(rows.start)..of(rows.end)]);
        hasher.counts(part.counts());
    }
    assert_eq!(hasher.finish(), whole.hash());
    let messages = outcome.messages.iter().copied();
    let error = Histogram::of_rows((21, 8), 1..2, job.collected(), |_| None, messages).unwrap_err();
    assert!(error.to_string().contains("is outside the job"), "{error}");
    let error = Histogram::of_rows((21, 8), 1..2, 3, |_| None, []).unwrap_err();
    assert!(error.to_string().contains("RV 21 (x 0, y 1)"), "{error}");
}

#[test]
fn snapshots_of_another_run_are_refused() {
    let job = scene(12, 9, 8, 100);
    let run = Run { burn_in: 5, ..job.run().clone() };
    let job = Job::new(*job.hardware(), job.problem().clone(), run).unwrap();
    let mut run = fast::Run::new(&job, &Options::default()).unwrap();
    run.advance(98, &mut |_| true);
    let good = run.snapshot();
    let refused = |change: &dyn Fn(&mut Snapshot), words: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = fast::Run::restore(&job, &Options::default(), bad).err().expect(words);
        assert!(error.to_string().contains(words), "{error}");
        error
    };
    refused(&|s| s.iteration = 101, "iteration of the snapshot is 101, but must be 0…100");
    refused(&|s| s.labels.truncate(3), "labels of the snapshot has 3 elements, but 108 are needed (12x9)");
    refused(&|s| s.entries.truncate(3), "label entries of the snapshot has 3 elements");
    refused(&|s| s.labels[5] = 8, "label of the snapshot is 8, but must be 0…7");
    refused(&|s| s.entries[0].mrp.label = 9, "label of the snapshot is 9");
    refused(&|s| s.messages[0].rv = 108, "RV of the snapshot is 108, but must be below 108");
    refused(&|s| s.messages[0].count = 256, "count of the snapshot is 256, but must be 1…255");
    let error = refused(&|s| s.iteration = 99, "counts add up to");
    assert!(matches!(error, Error::Log { .. }));
    fast::Run::restore(&job, &Options::default(), good.clone()).unwrap();
}
