//! Which packed kernel runs next: all RVs, or only those that are awake, in one way or another.
//!
//! The dense kernel counts the *open* RVs, those with more than one live label: where few are, few must be updated. The dealt kernel
//! counts those that it updates. The counts of a launch are read on a stream of its own while the next launch runs, so that the card waits
//! for nothing; a decision is two launches late.

use super::super::device::{Device, driver};
use super::super::error::CudaError;
use super::kernels::Which;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream};
use std::collections::VecDeque;
use std::sync::Arc;

/// Counters of open or awake RVs of a job, for as many launches in turn.
pub const SLOTS: usize = 4;

/// A launch that counts.
#[derive(Debug)]
struct Launch {
    end: CudaEvent,
    slot: usize,
    /// The slot also has what another launch counted that nobody asked for.
    mixed: bool,
    /// RVs, each as often as there were iterations.
    updates: u64,
}

/// Decides for `Kernel::Auto`.
#[derive(Debug)]
pub struct Choice {
    stream: Arc<CudaStream>,
    /// What begins.
    plain: Which,
    /// What follows it, each from such a share of RVs on.
    path: Vec<(Which, f64)>,
    /// How far that has come.
    stage: usize,
    /// Limit of the last entry asked for.
    limit: u32,
    launches: VecDeque<Launch>,
    /// Slots of launches that nobody asked for.
    unread: Vec<usize>,
    next_slot: usize,
    /// Of each slot, what it said last.
    counted: [u64; SLOTS],
    /// The share that was counted last, if any was.
    share: f64,
    /// Schedule entry of the last dense launch, and how many iterations the next one of the same entry may have.
    patience: (usize, u32),
}

/// Iterations of a launch, at most, before it is asked again: of the dense kernel, in one entry, twice as many each time.
const PATIENCE: u32 = 32;

/// Of the others, through all entries; twice as many while most RVs are open or awake, and again while the share that the next kernel waits
/// for is far.
const LATER_PATIENCE: u32 = 20;

/// Most RVs.
const MOST: f64 = 0.9;

impl Choice {
    /// For a run that has not begun; `path` as in [`super::spread::Spread`].
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(device: &Device, plain: Which, path: Vec<(Which, f64)>) -> Result<Self, CudaError> {
        Ok(Self {
            stream: device.side_stream()?,
            plain,
            path,
            stage: 0,
            limit: 0,
            launches: VecDeque::new(),
            unread: Vec::new(),
            next_slot: 0,
            counted: [0; SLOTS],
            share: 0.0,
            patience: (0, PATIENCE),
        })
    }

    /// What is to run an entry with this limit. `counters`: `each` of every job, the last [`SLOTS`] of open or awake RVs.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn which(&mut self, limit: u32, counters: &CudaSlice<u64>, each: usize) -> Result<Which, CudaError> {
        // More labels live when the limit rises.
        if limit > self.limit {
            self.move_to(0);
        }
        self.limit = limit;
        if let Some(&(_, few)) = self.path.get(self.stage)
            && self.launches.len() > 1
            && let Some(launch) = self.launches.pop_front()
        {
            self.share = self.share_of(&launch, counters, each)?;
            if self.share <= few {
                self.move_to(self.stage + 1);
            }
        }
        Ok(self.stage.checked_sub(1).map_or(self.plain, |before| self.path[before].0))
    }

    fn move_to(&mut self, stage: usize) {
        self.stage = stage;
        self.unread.extend(self.launches.drain(..).map(|launch| launch.slot));
    }

    /// What a launch counted, as a share of its updates.
    fn share_of(
        &mut self,
        launch: &Launch,
        counters: &CudaSlice<u64>,
        each: usize,
    ) -> Result<f64, CudaError> {
        let mut all = vec![0; counters.len()];
        self.stream.wait(&launch.end).map_err(driver("wait for a kernel"))?;
        self.stream.memcpy_dtoh(counters, &mut all).map_err(driver("copy from the card"))?;
        self.stream.synchronize().map_err(driver("wait for the card"))?;
        let count = |slot: usize| all.iter().skip(each - SLOTS + slot).step_by(each).sum::<u64>();
        let counted = count(launch.slot);
        let own = counted - std::mem::replace(&mut self.counted[launch.slot], counted);
        // Launches before it have ended, too, but their slots may be those of later ones.
        let in_use: Vec<usize> = self.launches.iter().map(|launch| launch.slot).collect();
        for slot in self.unread.extract_if(.., |slot| !in_use.contains(slot)) {
            self.counted[slot] = count(slot);
        }
        Ok(if launch.mixed { f64::INFINITY } else { own as f64 / launch.updates.max(1) as f64 })
    }

    /// Iterations that a launch which begins in schedule entry `step` may have.
    pub fn patience(&mut self, step: usize) -> u32 {
        if self.stage == self.path.len() {
            return u32::MAX;
        }
        if self.stage == 0 && self.plain == Which::Dense {
            if self.patience.0 != step {
                self.patience = (step, PATIENCE);
            }
            return self.patience.1;
        }
        let far = self.share > 2.0 * self.path[self.stage].1;
        LATER_PATIENCE << (u32::from(self.share > MOST) + u32::from(far))
    }

    /// The slot that the next launch counts in.
    pub fn slot(&self) -> usize {
        self.next_slot
    }

    /// A launch was made, with so many updates.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn launched(&mut self, device: &Device, updates: u64) -> Result<(), CudaError> {
        if self.stage == self.path.len() {
            return Ok(());
        }
        let slot = self.next_slot;
        let mixed = self.unread.contains(&slot);
        self.launches.push_back(Launch { end: device.milestone()?, slot, mixed, updates });
        self.next_slot = (self.next_slot + 1) % SLOTS;
        self.patience.1 = self.patience.1.saturating_mul(2);
        Ok(())
    }
}
