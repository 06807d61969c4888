//! What a run takes of the machine's memory.

use super::Options;
use super::log::HELD;
use super::tables::Form;
use crate::entry::{LabelEntry, Message};
use crate::job::{Job, Singleton, Start};

/// Bytes of `job` itself: samples or costs, start, evidence, edge weights.
pub fn of_job(job: &Job) -> u64 {
    let problem = job.problem();
    let samples = match &problem.singleton {
        Singleton::Pixels { first, second, .. } => first.len() + second.len(),
        Singleton::Values { first, .. } => first.len(),
        Singleton::Table { costs } => size_of_val(costs.as_slice()),
    };
    let start = if let Start::Labels(labels) = &job.run().start { labels.len() } else { 0 };
    let fixed = problem.fixed.as_ref().map_or(0, Vec::len);
    (samples + start + fixed + problem.edge_weights.as_ref().map_or(0, Vec::len)) as u64
}

/// Bytes that a run of `job` holds besides, about: labels, label entries and costs; of messages only those that wait for a
/// [`super::Sink`].
pub fn of_run(job: &Job, options: &Options) -> u64 {
    let problem = job.problem();
    let (rvs, labels) = (problem.rvs() as u64, u64::from(problem.labels));
    let entry = (size_of::<LabelEntry>() + size_of::<u16>()) as u64;
    // A label as it was given and one as a cell, and three bits of events.
    let field = 3 * rvs + rvs / 2;
    let costs = match Form::new(job.hardware(), problem) {
        None => 2 * labels * rvs,
        Some(_) => Some(labels.next_multiple_of(16) * rvs)
            .filter(|&bytes| bytes <= options.cost_bytes as u64)
            .unwrap_or(0),
    };
    let edges = if problem.edge_weights.is_some() { 4 * rvs } else { 0 };
    let waiting = 2 * u64::from(problem.height) * (HELD * size_of::<Message>()) as u64;
    // No more can wait than are sent in all.
    let waiting = waiting.min(rvs * u64::from(job.collected()) * size_of::<Message>() as u64);
    entry * rvs + field + costs + edges + waiting
}
