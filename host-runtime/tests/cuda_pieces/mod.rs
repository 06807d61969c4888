//! Random jobs cut into random pieces, on a kernel, on others and on the CPU in turn, against the CPU's state at every cut and the
//! specification at the end.

use crate::random_jobs::{self, Dice};
use spa_model::{Job, Message, Snapshot, energy, spec};
use spa_runtime::backend::cpu::CpuBackend;
use spa_runtime::backend::cuda::{Cuda, CudaError, Kernel, Look};
use spa_runtime::backend::{Backend, Session};
use spa_runtime::spill::{Spill, Spilled};
use std::sync::Arc;

fn sorted(mut messages: Vec<Message>) -> Vec<Message> {
    messages.sort_unstable();
    messages
}

fn in_order(snapshot: Snapshot) -> Snapshot {
    Snapshot { messages: sorted(snapshot.messages), ..snapshot }
}

/// Advances `session` and its twin on the CPU to `to`, and compares all that is told of them.
fn advance(
    session: &mut Box<dyn Session + '_>,
    twin: &mut Box<dyn Session + '_>,
    job: &Job,
    to: u32,
    text: &str,
) {
    // Nothing is told where nothing is done.
    let mut told = session.iteration();
    assert!(
        session
            .advance(to, &mut |now| {
                told = now.iteration;
                true
            })
            .unwrap()
    );
    assert_eq!((session.iteration(), told), (to, to), "{text}");
    twin.advance(to, &mut |_| true).unwrap();
    let labels = session.labels().unwrap();
    assert_eq!(session.energy().unwrap(), energy::total(job.problem(), &labels).unwrap(), "{text}");
    let (got, expected) = (in_order(session.snapshot().unwrap()), in_order(twin.snapshot().unwrap()));
    assert_eq!(got.labels, expected.labels, "{text}: labels after {to}");
    assert_eq!(got.entries, expected.entries, "{text}: label entries after {to}");
    assert!(got.messages == expected.messages, "{text}: messages after {to}");
    assert!(session.histogram().unwrap() == twin.histogram().unwrap(), "{text}: histogram after {to}");
}

/// Job `seed` in pieces that begin on each of `packed` in turn and go on on the others.
pub fn assert_equal_from_each(packed: &[Cuda], seed: u64, job: &Job) {
    for first in 0..packed.len() {
        let mut cards: Vec<&Cuda> = packed.iter().collect();
        cards.swap(0, first);
        assert_equal(&cards, seed + 1000 * first as u64, job);
    }
}

/// Runs `job`, job `seed` of the random ones, in pieces that begin on the first of `cards`; nothing if it cannot run the job.
pub fn assert_equal(cards: &[&Cuda], seed: u64, job: &Job) {
    let mut d = Dice(seed ^ 0x9e1ece);
    let cpu = CpuBackend::new(1, None);
    let first = match cards[0].start(job, None) {
        Ok(session) => session,
        Err(error) if matches!(error.downcast_ref(), Some(CudaError::Unsupported { .. })) => return,
        Err(error) => panic!("job {seed}: {error}"),
    };
    let text = format!("{:?}, job {seed}", cards[0].kernel());
    let iterations = job.iterations();
    let mut session: Box<dyn Session + '_> = first;
    let mut twin = cpu.start(job, None).unwrap();
    for _ in 0..d.within(1, 4) {
        if session.iteration() == iterations {
            break;
        }
        // A cut between the last but one and the last iteration now and then.
        let to = if d.once_in(4) {
            iterations - 1
        } else {
            d.within(session.iteration().into(), iterations.into()) as u32
        };
        let to = to.max(session.iteration());
        advance(&mut session, &mut twin, job, to, &text);
        // What it would leave if it was stopped here, and where it goes on.
        let snapshot = session.snapshot().unwrap();
        let mut part = cards[0].start(job, Some(snapshot.clone())).unwrap().finish().unwrap().outcome;
        assert_eq!(part.labels, snapshot.labels, "{text}: labels of a part");
        part.messages.sort_unstable();
        assert!(
            part.messages == sorted(snapshot.clone().outcome(job).unwrap().messages),
            "{text}: messages of a part"
        );
        match d.within(0, 3) {
            0 => {}
            1 => session = cpu.start(job, Some(snapshot)).unwrap(),
            n => {
                let card = cards[if n == 2 { 0 } else { d.within(0, cards.len() as u64 - 1) as usize }];
                session = match card.start(job, Some(snapshot.clone())) {
                    Ok(session) => session,
                    // A kernel that the job is not for.
                    Err(_) => cpu.start(job, Some(snapshot)).unwrap(),
                };
            }
        }
    }
    assert!(session.advance(u32::MAX, &mut |_| true).unwrap());
    let got = session.finish().unwrap();
    let expected = spec::run(job).unwrap();
    assert_eq!(got.outcome.labels, expected.labels, "{text}: labels");
    assert!(got.outcome.histogram == expected.histogram, "{text}: histogram");
    assert!(sorted(got.outcome.messages) == sorted(expected.messages), "{text}: messages");
    twin.advance(u32::MAX, &mut |_| true).unwrap();
    assert_eq!(got.log, twin.finish().unwrap().log, "{text}: log");
}

/// A session of `job`, `step` iterations at a time, against the specification; labels touched.
fn run_in_steps(card: &Cuda, seed: u64, job: &Job, step: u32) -> u64 {
    let text = format!("{:?}, job {seed} by {step} iterations", card.kernel());
    let mut session = card.start(job, None).unwrap();
    while session.iteration() < job.iterations() {
        session.advance(job.iterations().min(session.iteration() + step), &mut |_| true).unwrap();
    }
    let (got, expected) = (session.finish().unwrap().outcome, spec::run(job).unwrap());
    assert_eq!(got.labels, expected.labels, "{text}");
    assert!(got.histogram == expected.histogram, "{text}");
    got.labels_touched
}

/// More half-steps than blocks count: they begin anew, with the labels of before.
pub fn assert_half_steps_are_counted_anew(card: &Cuda) {
    let job = random_jobs::long(9000);
    run_in_steps(card, 9000, &job, job.iterations() / 2);
}

/// Jobs that cool down, two at once, and one in pieces of a few iterations: a kernel that skips RVs takes over, or all labels would be touched.
pub fn assert_hands_over(card: &Cuda, seed: u64, job: &Job) {
    let jobs = [job.with_chain(0), job.with_chain(1)];
    let all = card.sample_many(&[&jobs[0], &jobs[1]], &mut |_| true).unwrap();
    for (job, got) in jobs.iter().zip(all) {
        let text = format!("{:?}, job {seed}", card.kernel());
        let expected = spec::run(job).unwrap();
        assert_eq!(got.labels, expected.labels, "{text}");
        assert_eq!(sorted(got.messages), sorted(expected.messages), "{text}");
        assert!(got.touched < job.labels_evaluated(), "{text}: {} labels touched", got.touched);
    }
    for step in [10, 1000] {
        let touched = run_in_steps(card, seed, job, step);
        assert!(
            touched < job.labels_evaluated(),
            "job {seed} by {step} iterations: {touched} labels touched"
        );
    }
}

/// Of a pair of pictures that cools down three times three kernels take turns, each time in the same order.
pub fn assert_order(card: &Cuda) {
    let job = random_jobs::cooling_pair(9000);
    let laps = card.look_at_many(&[&job], Look::Whole).unwrap().remove(0).laps;
    let kernels: Vec<Kernel> = laps.iter().flat_map(|lap| &lap.kernels).map(|&(kernel, _)| kernel).collect();
    assert_eq!(kernels, [Kernel::Sites, Kernel::Dealt, Kernel::Sparse].repeat(3));
    let iterations: u32 = laps.iter().flat_map(|lap| &lap.kernels).map(|&(_, iterations)| iterations).sum();
    assert_eq!(iterations, job.iterations());
}

/// Messages that go to disk, are taken away, or stay: the same in the end. A wish to stop is heard, and the run goes on.
pub fn assert_messages_leave(card: &Cuda, seed: u64, job: &Job) {
    let text = format!("{:?}, job {seed}", card.kernel());
    let (problem, iterations) = (job.problem(), job.iterations());
    let expected = spec::run(job).unwrap();
    let all = sorted(expected.messages);

    let folder = tempfile::tempdir().unwrap();
    let spill = Arc::new(Spill::new(folder.path(), (problem.width, problem.height)).unwrap());
    let mut session = card.start(job, None).unwrap();
    session.advance(iterations / 2, &mut |_| true).unwrap();
    session.send_to(Arc::clone(&spill)).unwrap();
    session.advance(iterations, &mut |_| true).unwrap();
    let report = session.finish_to(&spill).unwrap();
    assert_eq!(report.log.messages, all.len() as u64, "{text}");
    let mut found = Vec::new();
    let spilled = Spilled::new(spill, job, iterations, &report.labels, 1000);
    spilled
        .each_messages(&mut |messages| {
            found.extend_from_slice(messages);
            Ok(())
        })
        .unwrap();
    assert!(report.labels == expected.labels && sorted(found) == all, "{text}: on disk");

    let mut session = card.start(job, None).unwrap();
    let mut taken = Vec::new();
    for to in [iterations / 3, iterations / 2, iterations] {
        session.advance(to, &mut |_| true).unwrap();
        taken.extend(session.take_messages().unwrap());
    }
    let last = session.snapshot().unwrap();
    assert!(last.messages.is_empty());
    taken.extend(last.pairs());
    assert!(sorted(taken) == all, "{text}: taken away");
}
