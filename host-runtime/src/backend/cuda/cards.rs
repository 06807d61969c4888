//! Several cards of one host: each takes a share of the jobs, in a thread of its own.

use super::device::Device;
use super::error::CudaError;
use super::{Finished, Progress, ProgressSink};
use spa_model::Job;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// How often progress is told.
const INTERVAL: Duration = Duration::from_millis(50);

/// Gives `each` jobs to every card, the last one fewer; results are in the order of the jobs. Progress is that of the slowest.
///
/// # Errors
/// That of the first card that fails; the others finish their share.
pub fn share(
    cards: &[&Device],
    jobs: &[&Job],
    each: usize,
    progress: ProgressSink<'_>,
    run: impl Fn(&Device, &[&Job], ProgressSink<'_>) -> Result<Vec<Finished>, CudaError> + Sync,
) -> Result<Vec<Finished>, CudaError> {
    let stop = AtomicBool::new(false);
    let shares: Vec<(&Device, &[&Job], AtomicU32)> =
        cards.iter().zip(jobs.chunks(each)).map(|(&card, jobs)| (card, jobs, AtomicU32::new(0))).collect();
    let iterations = jobs.first().map_or(0, |job| job.iterations());
    std::thread::scope(|scope| {
        let (run, stop) = (&run, &stop);
        let threads: Vec<_> = shares
            .iter()
            .map(|(card, jobs, done)| {
                scope.spawn(move || {
                    run(card, jobs, &mut |now| {
                        done.store(now.iteration, Ordering::Relaxed);
                        !stop.load(Ordering::Relaxed)
                    })
                })
            })
            .collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(INTERVAL);
            let iteration = shares.iter().map(|(_, _, done)| done.load(Ordering::Relaxed)).min().unwrap_or(0);
            if !progress(Progress { iteration, iterations }) {
                stop.store(true, Ordering::Relaxed);
            }
        }
        let mut finished = Vec::with_capacity(jobs.len());
        for thread in threads {
            let cause = || "its thread ended early".to_string();
            finished.extend(
                thread
                    .join()
                    .map_err(|_| CudaError::Driver { what: "run jobs on a card", cause: cause() })??,
            );
        }
        Ok(finished)
    })
}
