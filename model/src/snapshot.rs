//! A run between two iterations: what a backend must keep to go on with the same bits (docs/runs.md).

use crate::entry::{LabelEntry, Message};
use crate::error::{Error, check_range};
use crate::histogram::Histogram;
use crate::job::{Job, Outcome, check_size};

/// Everything that the contract knows of a run after `iteration` iterations. Random numbers need no state: they are
/// functions of seed, chain, RV and iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Iterations done.
    pub iteration: u32,
    /// Labels, H×W.
    pub labels: Vec<u8>,
    /// Label entries, H×W; empty (both counts 0) for fixed RVs and before the first collected iteration.
    pub entries: Vec<LabelEntry>,
    /// Messages sent so far, in any order, without the pairs that `entries` still hold.
    pub messages: Vec<Message>,
}

impl Snapshot {
    /// Refuses a snapshot that no run of `job` can have left: sizes, labels, counts, and that the counts of every RV add
    /// up to the iterations collected.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::Range`], or [`Error::Log`] for counts that do not add up.
    pub fn check(&self, job: &Job) -> Result<(), Error> {
        let problem = job.problem();
        let why = || format!("{}x{}", problem.width, problem.height);
        check_range("iteration of the snapshot", self.iteration, 0, job.iterations())?;
        check_size("labels of the snapshot", self.labels.len(), problem.rvs(), why())?;
        check_size("label entries of the snapshot", self.entries.len(), problem.rvs(), why())?;
        let greatest = self.labels.iter().copied().max().unwrap_or(0);
        check_range("label of the snapshot", u16::from(greatest), 0, problem.labels - 1)?;
        let mut sums = vec![0_u32; problem.rvs()];
        for message in self.messages.iter().copied().chain(self.pairs()) {
            let Some(sum) = sums.get_mut(message.rv as usize) else {
                return Err(Error::range(
                    "RV of the snapshot",
                    message.rv,
                    format!("below {}", problem.rvs()),
                ));
            };
            check_range("label of the snapshot", u16::from(message.label), 0, problem.labels - 1)?;
            check_range("count of the snapshot", message.count, 1, job.hardware().count_max())?;
            *sum = sum.saturating_add(message.count);
        }
        let collected = u32::from(job.collected_by(self.iteration));
        for (i, &sum) in sums.iter().enumerate() {
            let expected = if problem.is_fixed(i) { 0 } else { collected };
            if sum != expected {
                let place = format!("RV {i} of the snapshot");
                let cause =
                    format!("counts add up to {sum}, not to {expected} (after iteration {})", self.iteration);
                return Err(Error::Log { place, cause });
            }
        }
        Ok(())
    }

    /// What the final drain would send now: the pairs of all entries.
    pub fn pairs(&self) -> impl Iterator<Item = Message> + '_ {
        self.entries.iter().enumerate().flat_map(|(i, entry)| {
            entry.drain().map(move |pair| Message {
                rv: i as u32,
                label: pair.label,
                count: pair.count.into(),
            })
        })
    }

    /// The results of the iterations done so far; their histogram adds up to [`Job::collected_by`].
    ///
    /// # Errors
    /// [`Error::Log`] if the counts do not add up.
    pub fn outcome(self, job: &Job) -> Result<Outcome, Error> {
        let pairs: Vec<Message> = self.pairs().collect();
        let mut messages = self.messages;
        messages.extend(pairs);
        let histogram = Histogram::by(job, self.iteration, messages.iter().copied(), &self.labels)?;
        let labels_touched = job.labels_evaluated_by(self.iteration);
        Ok(Outcome { labels: self.labels, histogram, messages, labels_touched })
    }
}
