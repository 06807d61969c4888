//! Which packed kernel runs next: all RVs, or only those that are awake, in one way or another.
//!
//! The dense kernel counts the *open* RVs, those with more than one live label, kernels of small pictures those that change: where few do, few
//! must be updated. The counts of a launch are read on a stream of its own while the next launch runs, so that the card waits for nothing; a
//! decision is two launches late. Launches of small pictures, whose iterations are short, end by themselves (`Watch` of
//! `kernels/place.cuh`) unless they are too short for that.

use super::super::device::{Device, driver};
use super::super::error::CudaError;
use super::kernels::Which;
use super::order::{Course, Order, Stage};
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream};
use std::collections::VecDeque;
use std::sync::Arc;

/// Counters of a job of RVs that are open or change, for as many launches in turn.
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
    course: Course,
    launches: VecDeque<Launch>,
    /// Slots of launches that nobody asked for.
    unread: Vec<usize>,
    next_slot: usize,
    /// Of each slot, what it said last.
    counted: [u64; SLOTS],
    /// Schedule entry of the last dense launch, and how many iterations the next one of the same entry may have.
    patience: (usize, u32),
}

/// Iterations of a launch, at most, before it is asked again: of the dense kernel, in one entry, twice as many each time.
const PATIENCE: u32 = 32;

/// Shorter launches end before they know that they should.
const SHORT: u32 = 4 * super::WINDOW;

impl Choice {
    /// For a run that has not begun.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(device: &Device, order: Order) -> Result<Self, CudaError> {
        Ok(Self {
            stream: device.side_stream()?,
            course: Course::new(order),
            launches: VecDeque::new(),
            unread: Vec::new(),
            next_slot: 0,
            counted: [0; SLOTS],
            patience: (0, PATIENCE),
        })
    }

    /// What is to run an entry with these weights. `counters`: `each` of every job, the last [`SLOTS`] of RVs that are open or change.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn which(
        &mut self,
        weights: &[u8; 256],
        counters: &CudaSlice<u64>,
        each: usize,
    ) -> Result<Which, CudaError> {
        if self.course.enter(weights) {
            self.leave_unread();
        }
        if self.launches.len() > 1
            && let Some(launch) = self.launches.pop_front()
        {
            let share = self.share_of(&launch, counters, each)?;
            if self.course.hear(share) {
                self.leave_unread();
            }
        }
        Ok(self.course.now().which)
    }

    /// Nobody asks for what was counted: another kernel goes on.
    fn leave_unread(&mut self) {
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
        if self.course.is_last() || self.course.now().which.ends_by_itself() {
            return u32::MAX;
        }
        if self.patience.0 != step {
            self.patience = (step, PATIENCE);
        }
        self.patience.1
    }

    /// The share from which on a launch of `span` iterations of what is to run ends by itself, if it does so.
    pub fn few(&self, span: u32) -> Option<f64> {
        let Stage { which, few } = self.course.now();
        (which.ends_by_itself() && span >= SHORT && !self.course.is_last()).then_some(few)
    }

    /// A launch has ended by itself.
    pub fn ended(&mut self) {
        self.course.go_on();
        self.leave_unread();
    }

    /// The slot that the next launch counts in.
    pub fn slot(&self) -> usize {
        self.next_slot
    }

    /// A launch was made that does not end by itself, with so many updates.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn launched(&mut self, device: &Device, updates: u64) -> Result<(), CudaError> {
        let slot = self.next_slot;
        if self.course.is_last() {
            // Nobody asks for what it counts, but the slot has it.
            if self.course.now().which.counts() && !self.unread.contains(&slot) {
                self.unread.push(slot);
            }
            return Ok(());
        }
        let mixed = self.unread.contains(&slot);
        self.launches.push_back(Launch { end: device.milestone()?, slot, mixed, updates });
        self.next_slot = (self.next_slot + 1) % SLOTS;
        self.patience.1 = self.patience.1.saturating_mul(2);
        Ok(())
    }
}
