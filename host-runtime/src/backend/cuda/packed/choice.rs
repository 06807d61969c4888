//! Which packed kernel runs next: all RVs, or only those that are awake.
//!
//! The dense kernel counts the *open* RVs, those with more than one live label. Where few are, few must be updated. The counts of a
//! launch are read on a stream of its own while the next launch runs, so that the card waits for nothing; a decision is two launches
//! late.

use super::super::device::{Device, driver};
use super::super::error::CudaError;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream};
use std::collections::VecDeque;
use std::sync::Arc;

/// Counters of open RVs of a job, for as many launches in turn.
pub const SLOTS: usize = 4;

/// A launch of the dense kernel.
#[derive(Debug)]
struct Launch {
    end: CudaEvent,
    slot: usize,
    /// RVs that it updated, each as often as it did.
    updates: u64,
}

/// Decides for `Kernel::Auto`.
#[derive(Debug)]
pub struct Choice {
    stream: Arc<CudaStream>,
    /// Share of open RVs from which on the sparse kernel is faster.
    few: f64,
    /// The sparse kernel runs as long as limits are at most this.
    cold: Option<u32>,
    launches: VecDeque<Launch>,
    next_slot: usize,
    /// Of each slot, what it said last.
    counted: [u64; SLOTS],
    /// Schedule entry of the last dense launch, and how many iterations the next one of the same entry may have.
    patience: (usize, u32),
}

/// Iterations of a dense launch, at most, before it is asked again; twice as many each time.
const PATIENCE: u32 = 32;

impl Choice {
    /// For a run that has not begun; `few` as below.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(device: &Device, few: f64) -> Result<Self, CudaError> {
        Ok(Self {
            stream: device.side_stream()?,
            few,
            cold: None,
            launches: VecDeque::new(),
            next_slot: 0,
            counted: [0; SLOTS],
            patience: (0, PATIENCE),
        })
    }

    /// Whether the sparse kernel is to run an entry with this limit. `counters`: `each` of every job, the last [`SLOTS`] of open RVs.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn is_cold(&mut self, limit: u32, counters: &CudaSlice<u64>, each: usize) -> Result<bool, CudaError> {
        // More labels live when the limit rises.
        if self.cold.is_none_or(|at| limit > at) {
            self.cold = None;
            if self.launches.len() > 1
                && let Some(launch) = self.launches.pop_front()
                && self.open_share(&launch, counters, each)? <= self.few
            {
                self.launches.clear();
                self.cold = Some(limit);
            }
        }
        if let Some(at) = &mut self.cold {
            *at = limit;
        }
        Ok(self.cold.is_some())
    }

    /// Open RVs of a launch, as a share of its updates.
    fn open_share(
        &mut self,
        launch: &Launch,
        counters: &CudaSlice<u64>,
        each: usize,
    ) -> Result<f64, CudaError> {
        let mut all = vec![0; counters.len()];
        self.stream.wait(&launch.end).map_err(driver("wait for a kernel"))?;
        self.stream.memcpy_dtoh(counters, &mut all).map_err(driver("copy from the card"))?;
        self.stream.synchronize().map_err(driver("wait for the card"))?;
        let counted = all.iter().skip(each - SLOTS + launch.slot).step_by(each).sum::<u64>();
        let open = counted - std::mem::replace(&mut self.counted[launch.slot], counted);
        Ok(open as f64 / launch.updates.max(1) as f64)
    }

    /// Iterations that a dense launch of schedule entry `step` may have.
    pub fn patience(&mut self, step: usize) -> u32 {
        if self.patience.0 != step {
            self.patience = (step, PATIENCE);
        }
        self.patience.1
    }

    /// The slot that the next dense launch counts in.
    pub fn slot(&self) -> usize {
        self.next_slot
    }

    /// A dense launch was made, with so many updates.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn launched(&mut self, device: &Device, updates: u64) -> Result<(), CudaError> {
        self.launches.push_back(Launch { end: device.mark()?, slot: self.next_slot, updates });
        self.next_slot = (self.next_slot + 1) % SLOTS;
        self.patience.1 = self.patience.1.saturating_mul(2);
        Ok(())
    }
}
