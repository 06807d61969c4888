//! The histogram of labels and what is read off it (contract §7).

use crate::entry::Message;
use crate::error::Error;
use crate::hash::Hasher;
use crate::job::Job;
use std::ops::Range;

/// A count of a histogram: `u16` of one chain, `u32` of the sum of several.
pub trait Count: Copy + Ord + Default + std::fmt::Debug + Into<u32> + Send + Sync + 'static {
    /// Bytes of a count in hashes (contract §8).
    const BYTES: usize;

    /// Writes the count as so many bytes, little endian.
    fn put(self, bytes: &mut [u8]);
}

impl Count for u16 {
    const BYTES: usize = 2;

    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }
}

impl Count for u32 {
    const BYTES: usize = 4;

    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }
}

/// Counts of every label of every RV, H×W×L in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram<C = u16> {
    labels: usize,
    counts: Vec<C>,
}

impl Histogram {
    /// The exact histogram of `messages`, with the fixed RVs (at `final_labels`) filled in, checked: the counts of
    /// every RV must add up to the collected iterations.
    ///
    /// # Errors
    /// [`Error::Log`] names the first RV whose counts do not add up, or the message whose label or RV is outside the job.
    pub fn from_messages(job: &Job, messages: &[Message], final_labels: &[u8]) -> Result<Self, Error> {
        Self::by(job, job.iterations(), messages.iter().copied(), final_labels)
    }

    /// The histogram of a run of `job` after `iteration` iterations, from the messages sent and the pairs still held:
    /// the counts of every RV add up to [`Job::collected_by`]. All counts are 0 up to the end of burn-in.
    ///
    /// # Errors
    /// As [`Histogram::from_messages`].
    pub fn by(
        job: &Job,
        iteration: u32,
        messages: impl IntoIterator<Item = Message>,
        labels: &[u8],
    ) -> Result<Self, Error> {
        let problem = job.problem();
        let field = (problem.width, problem.height, problem.labels);
        let fixed = |i| problem.is_fixed(i).then(|| labels[i]);
        Self::collect(field, job.collected_by(iteration), fixed, messages)
    }

    /// The same without a job: `field` is (W, H, L), `fixed` gives the label of a fixed RV (below L).
    ///
    /// # Errors
    /// As [`Histogram::from_messages`].
    pub fn collect(
        field: (u32, u32, u16),
        collected: u16,
        fixed: impl Fn(usize) -> Option<u8>,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<Self, Error> {
        Self::of_rows((field.0, field.2), 0..field.1, collected, fixed, messages)
    }

    /// Some rows of it: `field` is (W, L), and all `messages` are of RVs of `rows`.
    ///
    /// # Errors
    /// As [`Histogram::from_messages`].
    pub fn of_rows(
        field: (u32, u16),
        rows: Range<u32>,
        collected: u16,
        fixed: impl Fn(usize) -> Option<u8>,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<Self, Error> {
        let (width, labels) = (field.0 as usize, usize::from(field.1));
        let (first, rvs) = (rows.start as usize * width, rows.len() * width);
        let mut counts = vec![0_u16; rvs * labels];
        for (i, m) in messages.into_iter().enumerate() {
            let damaged = |cause: String| Error::Log { place: format!("message {i}"), cause };
            let rv = (m.rv as usize).checked_sub(first).filter(|&rv| rv < rvs);
            let (Some(rv), true) = (rv, usize::from(m.label) < labels) else {
                return Err(damaged(format!("RV {} label {} is outside the job", m.rv, m.label)));
            };
            let slot = &mut counts[rv * labels + usize::from(m.label)];
            let sum = u32::from(*slot) + m.count;
            *slot = u16::try_from(sum).map_err(|_| damaged(format!("RV {} counts above 65535", m.rv)))?;
        }
        for (i, row) in (first..).zip(counts.chunks_exact_mut(labels)) {
            let mut sum: u32 = row.iter().map(|&c| u32::from(c)).sum();
            let place = || format!("RV {i} (x {}, y {})", i % width, i / width);
            if let Some(label) = fixed(i) {
                if sum != 0 {
                    let cause = format!("it is fixed, but {sum} picks were sent");
                    return Err(Error::Log { place: place(), cause });
                }
                row[usize::from(label)] = collected;
                sum = collected.into();
            }
            if sum != u32::from(collected) {
                let cause = format!("counts add up to {sum}, not to the {collected} collected iterations");
                return Err(Error::Log { place: place(), cause });
            }
        }
        Ok(Self { labels, counts })
    }
}

impl Histogram<u32> {
    /// The sum of the histograms of several chains of one job.
    ///
    /// # Errors
    /// [`Error::Size`] if they are not of one shape; [`Error::Range`] if there is none.
    pub fn sum<'a>(chains: impl IntoIterator<Item = &'a Histogram>) -> Result<Self, Error> {
        let mut chains = chains.into_iter();
        let Some(first) = chains.next() else {
            return Err(Error::range("chains", 0, "at least 1"));
        };
        let counts = first.counts.iter().map(|&c| u32::from(c)).collect();
        let mut sum = Self { labels: first.labels, counts };
        chains.try_for_each(|chain| sum.add(chain))?;
        Ok(sum)
    }

    /// Adds the counts of one more chain. 256 chains of 65,535 iterations stay far below 2^32.
    ///
    /// # Errors
    /// [`Error::Size`] if its shape is another.
    pub fn add(&mut self, chain: &Histogram) -> Result<(), Error> {
        if chain.labels != self.labels || chain.counts.len() != self.counts.len() {
            return Err(Error::Size {
                name: "histogram of a chain",
                got: chain.counts.len(),
                expected: self.counts.len(),
                why: format!("{} labels", self.labels),
            });
        }
        for (sum, &count) in self.counts.iter_mut().zip(&chain.counts) {
            *sum += u32::from(count);
        }
        Ok(())
    }
}

impl<C: Count> Histogram<C> {
    /// A histogram of `labels` counts a RV, C order.
    ///
    /// # Errors
    /// [`Error::Size`] if the counts are not a whole number of RVs.
    pub fn new(labels: usize, counts: Vec<C>) -> Result<Self, Error> {
        if labels == 0 || !counts.len().is_multiple_of(labels) {
            let why = format!("a multiple of {labels} labels");
            let expected = counts.len().next_multiple_of(labels.max(1));
            return Err(Error::Size { name: "histogram", got: counts.len(), expected, why });
        }
        Ok(Self { labels, counts })
    }

    /// Number of RVs.
    pub fn rvs(&self) -> usize {
        self.counts.len() / self.labels
    }

    /// Labels L.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// All counts, H×W×L, C order.
    pub fn counts(&self) -> &[C] {
        &self.counts
    }

    /// The counts of RV `i`, one a label.
    pub fn rv(&self, i: usize) -> &[C] {
        &self.counts[i * self.labels..(i + 1) * self.labels]
    }

    /// Label of highest count of every RV; the lowest one on a tie.
    pub fn mode(&self) -> Vec<u8> {
        self.counts.chunks_exact(self.labels).map(mode_of).collect()
    }

    /// Share of the mode among the collected iterations of every RV, 0…1.
    pub fn confidence(&self) -> Vec<f32> {
        self.counts.chunks_exact(self.labels).map(confidence_of).collect()
    }

    /// SHA-256 of the counts (contract §8).
    pub fn hash(&self) -> String {
        let mut hasher = Hasher::default();
        hasher.counts(&self.counts);
        hasher.finish()
    }
}

/// Share of the mode among a RV's counts, 0…1.
pub fn confidence_of<C: Count>(row: &[C]) -> f32 {
    let sum: u32 = row.iter().map(|&c| c.into()).sum();
    let most: u32 = row.iter().copied().max().unwrap_or_default().into();
    most as f32 / sum.max(1) as f32
}

/// Label of highest count of a RV's counts, the lowest one on a tie.
pub fn mode_of<C: Count>(row: &[C]) -> u8 {
    let most = row.iter().copied().max().unwrap_or_default();
    row.iter().position(|&count| count == most).unwrap_or(0) as u8
}
