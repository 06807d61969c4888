//! When the sparse kernel's tiles are cut anew, so that all have about as much to do (`kernels/cut.cuh`).

use super::super::device::{Device, driver};
use super::super::error::CudaError;
use super::lane::Planes;
use super::tiling::Tiling;
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaFunction, LaunchConfig};

/// A tile may get so many times as high as those that a run begins with.
pub const STRETCH: usize = 2;

/// Iterations until tiles are cut for the first time: those that were only woken sleep by then.
const FIRST: u32 = 4;

/// Each time it is so many times as many until the next one, up to this.
const LATER: (u32, u32) = (6, 96);

/// Shared memory that `packed_cut` declares itself, at most.
const OWN: usize = 256;

/// When tiles are cut.
#[derive(Debug)]
struct Timing {
    /// Iterations since tiles were cut, and how many there are from one time to the next.
    since: u32,
    wait: u32,
}

impl Timing {
    fn new() -> Self {
        Self { since: 0, wait: FIRST }
    }

    /// Iterations that the next launch may have; `wakes`: it begins with all RVs awake.
    fn left(&self, wakes: bool) -> u32 {
        match wakes {
            true => FIRST,
            false if self.since < self.wait => self.wait - self.since,
            false => self.next_wait(),
        }
    }

    fn next_wait(&self) -> u32 {
        (self.wait * LATER.0).min(LATER.1)
    }

    /// A launch of `iterations` follows; whether tiles are to be cut before it.
    fn before_launch(&mut self, wakes: bool, iterations: u32) -> bool {
        let due = !wakes && self.since >= self.wait;
        if wakes {
            *self = Self::new();
        } else if due {
            *self = Self { since: 0, wait: self.next_wait() };
        }
        self.since += iterations;
        due
    }
}

/// Cuts the tiles of all jobs of a run anew from time to time.
#[derive(Debug)]
pub struct Cutting {
    /// `packed_cut`.
    pub function: CudaFunction,
    /// How it is launched.
    pub config: LaunchConfig,
    /// What it takes beside the jobs: blocks of a job, most lines of a tile.
    pub scalars: [u32; 2],
    timing: Timing,
}

impl Cutting {
    /// For jobs of `blocks` blocks each; none where tiles take turns or the picture is too high for it.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(
        device: &Device,
        function: CudaFunction,
        (planes, tiling): (&Planes, &Tiling),
        (jobs, blocks): (u32, u32),
    ) -> Result<Option<Self>, CudaError> {
        let bytes = size_of::<u32>() * planes.groups().div_ceil(tiling.groups) * (planes.height + 1);
        let room = device.shared as usize - OWN;
        if bytes > room || tiling.tiles() > blocks as usize {
            return Ok(None);
        }
        function
            .set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)
            .map_err(driver("ask for shared memory"))?;
        let config =
            LaunchConfig { grid_dim: (jobs, 1, 1), block_dim: (1024, 1, 1), shared_mem_bytes: bytes as u32 };
        let scalars = [blocks, (STRETCH * tiling.lines) as u32];
        Ok(Some(Self { function, config, scalars, timing: Timing::new() }))
    }

    /// Iterations that the next launch may have; `wakes`: it begins with all RVs awake.
    pub fn left(&self, wakes: bool) -> u32 {
        self.timing.left(wakes)
    }

    /// A launch of `iterations` follows; whether tiles are to be cut before it.
    pub fn before_launch(&mut self, wakes: bool, iterations: u32) -> bool {
        self.timing.before_launch(wakes, iterations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterations before which tiles are cut, if launches have as many iterations as they may, at most `most`.
    fn cuts(timing: &mut Timing, most: u32, all: u32) -> Vec<u32> {
        let (mut iteration, mut found) = (0, Vec::new());
        while iteration < all {
            let wakes = iteration == 0;
            let launch = timing.left(wakes).min(most);
            if timing.before_launch(wakes, launch) {
                found.push(iteration);
            }
            iteration += launch;
        }
        found
    }

    #[test]
    fn tiles_are_cut_seldom_and_again_after_waking() {
        let mut timing = Timing::new();
        assert_eq!(cuts(&mut timing, u32::MAX, 400), [4, 28, 124, 220, 316]);
        assert_eq!(cuts(&mut timing, 3, 200), [4, 28, 124], "after launches of three iterations");
    }
}
