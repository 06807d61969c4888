//! Jobs on the card from launch to launch: in pieces, or all at once from their start to their end.

use super::super::device::{Device, MessageLog};
use super::super::error::CudaError;
use super::super::pieces::{OnCard, fresh};
use super::super::{Finished, Kernel, Look, Watch, entry_of, fill_seconds, laps_of};
use super::{COUNTERS, Sampler};
use spa_model::{Job, LabelEntry};

impl OnCard for Sampler<'_> {
    fn iteration(&self) -> u32 {
        self.iteration
    }

    fn advance(&mut self, to: u32, watch: &mut Watch<'_>) -> Result<(), CudaError> {
        while self.iteration < to {
            let step = entry_of(&self.ends, self.iteration);
            let which = self.choose(step)?;
            let end = self.launch_end(which, step).min(to);
            let span = self.span(self.iteration, end - self.iteration);
            self.launch_iterations(which, step, span)?;
            watch.tick(self.device, self.iteration)?;
        }
        Ok(())
    }

    fn labels(&self) -> Result<Vec<u8>, CudaError> {
        self.lanes[0].labels(self.device, self.planes)
    }

    fn settle(&mut self) -> Result<(), CudaError> {
        if self.unsettled == 0 { Ok(()) } else { self.settle_entries(false) }
    }

    fn entries(&self) -> Result<Vec<LabelEntry>, CudaError> {
        self.lanes[0].entries(self.device, self.planes)
    }

    fn send_entries(&mut self) -> Result<(), CudaError> {
        self.settle_entries(true)
    }

    fn log(&mut self) -> &mut MessageLog {
        &mut self.log
    }

    fn touched(&self) -> Result<u64, CudaError> {
        Ok(self.dense_labels(self.job) + self.counters()?[0])
    }
}

/// Runs `jobs`, which differ in nothing but their pictures, evidence, seeds, chains and starts, all at once, at most
/// [`super::BATCH`]; with the dense kernel, the sparse one, or whichever suits each temperature (`Auto`). The seconds and laps are
/// those of all together.
///
/// # Errors
/// [`CudaError::Unsupported`] if the jobs are not for these kernels or not alike; out of memory, a failing driver, or
/// [`CudaError::Stopped`].
pub fn run(
    device: &Device,
    jobs: &[&Job],
    kernel: Kernel,
    watch: &mut Watch<'_>,
) -> Result<Vec<Finished>, CudaError> {
    let Some(job) = jobs.first() else { return Ok(Vec::new()) };
    let begins = jobs.iter().map(|job| fresh(job)).collect();
    let mut sampler = Sampler::new(device, jobs, begins, (kernel, watch.stripped))?;
    device.synchronize()?;

    watch.start();
    let mut marks = vec![device.mark()?];
    let mut laps = Vec::new();
    for mut lap in laps_of(job, watch.look) {
        let end = sampler.ends[lap.entries.end - 1];
        sampler.advance(end, watch)?;
        lap.kernels = sampler.ran.drain(..).map(|(which, iterations)| (which.kernel(), iterations)).collect();
        marks.push(device.mark()?);
        lap.counters = if watch.look == Look::Counters { sampler.counters()? } else { Vec::new() };
        laps.push(lap);
    }
    sampler.send_entries()?;
    device.synchronize()?;
    let (seconds, joules) = (watch.seconds(), watch.joules());
    fill_seconds(&mut laps, &marks)?;

    let counters = device.download(&sampler.counters, COUNTERS * jobs.len())?;
    let messages = sampler.log.take()?;
    let lanes = jobs.iter().zip(&sampler.lanes).zip(counters.chunks_exact(COUNTERS)).zip(messages);
    lanes
        .map(|(((job, lane), counters), messages)| {
            let labels = lane.labels(device, sampler.planes)?;
            let touched = sampler.dense_labels(job) + counters[0];
            Ok(Finished { labels, messages, seconds, touched, laps: laps.clone(), joules })
        })
        .collect()
}
