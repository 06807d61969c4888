//! The histogram of labels and what is read off it (contract §7).

use crate::entry::Message;
use crate::error::Error;
use crate::job::Job;

/// Counts of every label of every RV, H×W×L in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    labels: usize,
    counts: Vec<u16>,
}

impl Histogram {
    /// The exact histogram of `messages`, with the fixed RVs (at `final_labels`) filled in, checked: the counts of
    /// every RV must add up to the collected iterations.
    ///
    /// # Errors
    /// [`Error::Log`] names the first RV whose counts do not add up, or the message whose label or RV is outside the job.
    pub fn from_messages(job: &Job, messages: &[Message], final_labels: &[u8]) -> Result<Self, Error> {
        let problem = job.problem();
        let field = (problem.width, problem.height, problem.labels);
        let fixed = |i| problem.is_fixed(i).then(|| final_labels[i]);
        Self::collect(field, job.collected(), fixed, messages)
    }

    /// The same without a job: `field` is (W, H, L), `fixed` gives the label of a fixed RV (below L).
    ///
    /// # Errors
    /// As [`Histogram::from_messages`].
    pub fn collect(
        field: (u32, u32, u16),
        collected: u16,
        fixed: impl Fn(usize) -> Option<u8>,
        messages: &[Message],
    ) -> Result<Self, Error> {
        let (width, labels) = (field.0 as usize, usize::from(field.2));
        let rvs = width * field.1 as usize;
        let mut counts = vec![0_u16; rvs * labels];
        for (i, m) in messages.iter().enumerate() {
            let damaged = |cause: String| Error::Log { place: format!("message {i}"), cause };
            if m.rv as usize >= rvs || usize::from(m.label) >= labels {
                return Err(damaged(format!("RV {} label {} is outside the job", m.rv, m.label)));
            }
            let slot = &mut counts[m.rv as usize * labels + usize::from(m.label)];
            let sum = u32::from(*slot) + m.count;
            *slot = u16::try_from(sum).map_err(|_| damaged(format!("RV {} counts above 65535", m.rv)))?;
        }
        for (i, row) in counts.chunks_exact_mut(labels).enumerate() {
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

    /// Labels L.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// All counts, H×W×L, C order.
    pub fn counts(&self) -> &[u16] {
        &self.counts
    }

    /// The counts of RV `i`, one a label.
    pub fn rv(&self, i: usize) -> &[u16] {
        &self.counts[i * self.labels..(i + 1) * self.labels]
    }

    /// Label of highest count of every RV; the lowest one on a tie.
    pub fn mode(&self) -> Vec<u8> {
        self.counts.chunks_exact(self.labels).map(mode_of).collect()
    }

    /// Share of the mode among the collected iterations of every RV, 0…1.
    pub fn confidence(&self) -> Vec<f32> {
        let share = |row: &[u16]| {
            let sum: u32 = row.iter().map(|&c| u32::from(c)).sum();
            f32::from(row.iter().copied().max().unwrap_or(0)) / sum.max(1) as f32
        };
        self.counts.chunks_exact(self.labels).map(share).collect()
    }
}

fn mode_of(row: &[u16]) -> u8 {
    let mut best = 0;
    for (label, &count) in row.iter().enumerate() {
        if count > row[best] {
            best = label;
        }
    }
    best as u8
}
