//! A run on a card in pieces (docs/cuda.md): what the kernels keep at the end of a launch, as every backend knows it.

use super::device::{Device, MessageLog};
use super::error::CudaError;
use super::{Cuda, Kernel, Watch, generic, packed};
use crate::backend::{DrainedReport, LogReport, ProgressSink, RunReport, Session};
use crate::logfile::message_format;
use crate::spill::Spill;
use spa_model::energy::Terms;
use spa_model::entry::Count;
use spa_model::message::MessageFormat;
use spa_model::{Histogram, Job, LabelEntry, Message, Outcome, Snapshot};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A job on a card between two iterations.
pub(super) trait OnCard {
    /// Iterations launched.
    fn iteration(&self) -> u32;

    /// Launches iterations until there are `to`, at most all of the job.
    ///
    /// # Errors
    /// The driver's failure; [`CudaError::Stopped`] if `watch` ended the run: it stands at [`OnCard::iteration`] and can go on.
    fn advance(&mut self, to: u32, watch: &mut Watch<'_>) -> Result<(), CudaError>;

    /// The labels now, H×W.
    ///
    /// # Errors
    /// The driver's failure.
    fn labels(&self) -> Result<Vec<u8>, CudaError>;

    /// Brings all label entries up to date.
    ///
    /// # Errors
    /// The driver's failure.
    fn settle(&mut self) -> Result<(), CudaError>;

    /// The label entries, H×W; they must be up to date.
    ///
    /// # Errors
    /// The driver's failure.
    fn entries(&self) -> Result<Vec<LabelEntry>, CudaError>;

    /// Sends the pairs of all entries, after bringing them up to date; the run cannot go on then.
    ///
    /// # Errors
    /// The driver's failure.
    fn send_entries(&mut self) -> Result<(), CudaError>;

    /// The messages sent so far.
    fn log(&mut self) -> &mut MessageLog;

    /// Labels whose energy was computed since the run was put on the card.
    ///
    /// # Errors
    /// The driver's failure.
    fn touched(&self) -> Result<u64, CudaError>;
}

/// `job` at its start; without label entries, which all are empty.
pub(super) fn fresh(job: &Job) -> Snapshot {
    Snapshot { iteration: 0, labels: job.initial_labels(), entries: Vec::new(), messages: Vec::new() }
}

/// `Entry` of `kernels/common.cuh` as it is packed there; it accounts for so many collected iterations.
pub(super) fn entry_word(entry: &LabelEntry, accounted: u16) -> u64 {
    let LabelEntry { mrp, lrp } = entry;
    u64::from(mrp.label)
        | u64::from(lrp.label) << 8
        | u64::from(mrp.count) << 16
        | u64::from(lrp.count) << 32
        | u64::from(accounted) << 48
}

/// The entry in a word of the card.
pub(super) fn entry_of_word(word: u64) -> LabelEntry {
    LabelEntry {
        mrp: Count { label: word as u8, count: (word >> 16) as u16 },
        lrp: Count { label: (word >> 8) as u8, count: (word >> 32) as u16 },
    }
}

/// A run in pieces on a card.
pub(super) struct CudaSession<'a> {
    device: &'a Device,
    job: &'a Job,
    sampler: Box<dyn OnCard + 'a>,
    format: MessageFormat,
    /// Time of the run itself so far.
    time: Duration,
    /// Made when the energy is first asked for.
    terms: Option<Terms<'a>>,
}

impl<'a> CudaSession<'a> {
    /// A run of `job` on the first card of `cuda`, from its start or from a snapshot.
    ///
    /// # Errors
    /// What [`Snapshot::check`] and the kernels refuse; out of memory or a failing driver.
    pub fn new(cuda: &'a Cuda, job: &'a Job, from: Option<Snapshot>) -> anyhow::Result<Self> {
        let begin = match from {
            Some(snapshot) => {
                snapshot.check(job)?;
                snapshot
            }
            None => fresh(job),
        };
        let device = &cuda.device;
        let sampler: Box<dyn OnCard + 'a> = match cuda.kernel_for(job) {
            Kernel::Generic => Box::new(generic::Sampler::new(device, job, begin)?),
            kernel => {
                let how = (kernel, cuda.stripped);
                Box::new(packed::Sampler::new(device, &[job], vec![begin], how)?)
            }
        };
        let format = message_format(job, cuda.shape.as_ref());
        Ok(Self { device, job, sampler, format, time: Duration::ZERO, terms: None })
    }

    /// All messages, those of a drain now included, and how long that took with all before.
    fn drained(&mut self) -> Result<f64, CudaError> {
        let begun = Instant::now();
        self.sampler.send_entries()?;
        self.device.synchronize()?;
        Ok((self.time + begun.elapsed()).as_secs_f64())
    }
}

impl Session for CudaSession<'_> {
    fn iteration(&self) -> u32 {
        self.sampler.iteration()
    }

    fn advance(&mut self, to: u32, progress: ProgressSink<'_>) -> anyhow::Result<bool> {
        let to = to.min(self.job.iterations());
        if self.iteration() >= to {
            return Ok(true);
        }
        let begun = Instant::now();
        let mut watch = Watch::new(progress, &[self.job], self.iteration());
        let reached = match self.sampler.advance(to, &mut watch) {
            Ok(()) => true,
            Err(CudaError::Stopped { .. }) => self.iteration() >= to,
            Err(error) => return Err(error.into()),
        };
        self.device.synchronize()?;
        self.time += begun.elapsed();
        if reached {
            watch.tell(to);
        }
        Ok(reached)
    }

    fn labels(&mut self) -> anyhow::Result<Vec<u8>> {
        Ok(self.sampler.labels()?)
    }

    fn energy(&mut self) -> anyhow::Result<u64> {
        let labels = self.sampler.labels()?;
        let problem = self.job.problem();
        Ok(self.terms.get_or_insert_with(|| Terms::new(problem)).of_in_parallel(&labels)?.total())
    }

    fn histogram(&mut self) -> anyhow::Result<Histogram> {
        let Snapshot { iteration, labels, entries, messages } = self.snapshot()?;
        let all = Snapshot { iteration, labels, entries, messages: Vec::new() };
        let messages = messages.into_iter().chain(all.pairs());
        Ok(Histogram::by(self.job, iteration, messages, &all.labels)?)
    }

    fn take_messages(&mut self) -> anyhow::Result<Vec<Message>> {
        // Settling sends messages: those that belong to the entries of now.
        self.sampler.settle()?;
        Ok(self.sampler.log().take()?.concat())
    }

    fn entries(&mut self) -> anyhow::Result<Vec<LabelEntry>> {
        self.sampler.settle()?;
        Ok(self.sampler.entries()?)
    }

    fn snapshot(&mut self) -> anyhow::Result<Snapshot> {
        self.sampler.settle()?;
        Ok(Snapshot {
            iteration: self.sampler.iteration(),
            labels: self.sampler.labels()?,
            entries: self.sampler.entries()?,
            messages: self.sampler.log().messages()?.to_vec(),
        })
    }

    fn send_to(&mut self, spill: Arc<Spill>) -> anyhow::Result<()> {
        self.sampler.log().send_to(spill, self.job.problem().width);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<RunReport> {
        let iteration = self.sampler.iteration();
        let wall_seconds = self.drained()?;
        let messages = self.sampler.log().take()?.concat();
        let (labels, labels_touched) = (self.sampler.labels()?, self.sampler.touched()?);
        let histogram = Histogram::by(self.job, iteration, messages.iter().copied(), &labels)?;
        let log = LogReport::packed(&self.format, messages.len() as u64, (self.job, iteration));
        let outcome = Outcome { labels, histogram, messages, labels_touched };
        Ok(RunReport { outcome, wall_seconds, array: None, log })
    }

    fn finish_to(mut self: Box<Self>, spill: &Spill) -> anyhow::Result<DrainedReport> {
        let iteration = self.sampler.iteration();
        let wall_seconds = self.drained()?;
        self.sampler.log().drain()?;
        let (labels, labels_touched) = (self.sampler.labels()?, self.sampler.touched()?);
        let log = LogReport::packed(&self.format, spill.messages()?, (self.job, iteration));
        Ok(DrainedReport { labels, labels_touched, wall_seconds, log })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_card_hold_whole_entries() {
        let entry =
            LabelEntry { mrp: Count { label: 255, count: 65_535 }, lrp: Count { label: 7, count: 300 } };
        let word = entry_word(&entry, 40_000);
        assert_eq!(word, 40_000 << 48 | 300 << 32 | 65_535 << 16 | 7 << 8 | 255);
        assert_eq!(entry_of_word(word), entry);
        assert_eq!(entry_word(&LabelEntry::default(), 0), 0, "a zeroed buffer holds empty entries");
    }
}
