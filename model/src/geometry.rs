//! Geometry of an array: SPE grid, tiles, banks, reach and addresses (docs/array.md §2–§4).

use crate::error::{Error, check_range};
use crate::fit::{self, Extent};
use crate::hardware::Hardware;
use crate::job::{Job, Offset, Singleton};
use serde::{Deserialize, Serialize};

/// Cycles from a slot's arrival at the SPEs until its labels can be read, minus 3·L, with `spus` SPUs an SPE; the same
/// number is the localparam `PipelineLatency` of the RTL (a test compares them).
pub const fn pipeline_latency(spus: u32) -> u32 {
    33 + 3 * spus
}

/// Shape of a build: what the generator fixes besides [`Hardware`]. Capacities are per SPE.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayShape {
    /// Rows of SPEs.
    pub rows: u32,
    /// Columns of SPEs.
    pub cols: u32,
    /// SPUs in each SPE, a power of two (k).
    pub spus: u32,
    /// RVs.
    pub rv_capacity: u32,
    /// Samples of S2Mem.
    pub s2_capacity: u32,
    /// Widest tile.
    pub tile_width_max: u32,
    /// Highest tile.
    pub tile_height_max: u32,
    /// One-hop S2 links; without them every S2Mem holds its margins.
    pub s2_links: bool,
    /// Has the square pair table.
    pub pair_table: bool,
    /// Has the cost memory for singleton tables.
    pub singleton_table: bool,
    /// Has the memory for edge weights. Left out of files where it has not, as builds from before were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edge_weights: bool,
    /// Costs of the cost memory.
    pub cost_capacity: u32,
    /// SPEs that share a random-number core.
    pub rng_share: u32,
    /// Entries of the schedule memory, ≥ 64.
    pub schedule_entries: u32,
    /// Places of a log FIFO.
    pub log_fifo_depth: u32,
    /// Bits of a line of the log and of the AXI data bus: 128, 256 or 512.
    pub line_bits: u32,
}

impl ArrayShape {
    /// Number of SPEs.
    pub fn spes(&self) -> u32 {
        self.rows * self.cols
    }

    /// Bits that hold 0…n−1, at least 1.
    pub fn bits_for(n: u32) -> u32 {
        (32 - n.saturating_sub(1).leading_zeros()).max(1)
    }

    /// Bits of the SPE number in a message.
    pub fn spe_bits(&self) -> u32 {
        Self::bits_for(self.spes())
    }

    /// Bits of the local RV address in a message.
    pub fn rv_bits(&self) -> u32 {
        Self::bits_for(self.rv_capacity)
    }

    /// 32 if {SPE, RV, label, count} fit, else 64.
    pub fn message_bits(&self, hardware: &Hardware) -> u32 {
        let used = self.spe_bits() + self.rv_bits() + u32::from(hardware.label_bits + hardware.count_bits);
        if used <= 32 { 32 } else { 64 }
    }

    /// RNG interval: cycles in which a core makes all blocks of one slot.
    pub fn rng_interval(&self) -> u32 {
        self.rng_share * self.spus.div_ceil(2)
    }

    /// Slot length S for L labels.
    pub fn slot_cycles(&self, labels: u32) -> u32 {
        labels.max(self.spus).max(self.rng_interval())
    }

    /// Checks the shape by itself and with `hardware`.
    ///
    /// # Errors
    /// [`Error::Range`] names the first parameter that is out of range.
    pub fn validate(&self, hardware: &Hardware) -> Result<(), Error> {
        hardware.validate()?;
        check_range("rows", self.rows, 1, 4095)?;
        check_range("cols", self.cols, 1, 4095)?;
        check_range("SPEs (rows x cols)", self.spes(), 1, 4095)?;
        if !self.spus.is_power_of_two() || self.spus > 8 {
            return Err(Error::range("spus", self.spus, "1, 2, 4 or 8"));
        }
        if self.rng_share == 0 || self.rng_interval() > 4 {
            let most = 4 / self.spus.div_ceil(2);
            return Err(Error::range(
                "rng_share",
                self.rng_share,
                format!("1…{most} with spus = {}", self.spus),
            ));
        }
        let step = 2 * self.tile_step();
        if self.rv_capacity < step || !self.rv_capacity.is_multiple_of(8) || self.rv_capacity > 1 << 20 {
            let allowed = format!("a multiple of 8 from {step} to {}", 1 << 20);
            return Err(Error::range("rv_capacity", self.rv_capacity, allowed));
        }
        check_range("s2_capacity", self.s2_capacity, step, 1 << 22)?;
        if !self.s2_capacity.is_multiple_of(2 * self.spus) {
            let allowed = format!("a multiple of {} (2 x spus)", 2 * self.spus);
            return Err(Error::range("s2_capacity", self.s2_capacity, allowed));
        }
        check_range("tile_width_max", self.tile_width_max, self.tile_step(), 4096)?;
        check_range("tile_height_max", self.tile_height_max, 2, 4096)?;
        check_range("schedule_entries", self.schedule_entries, 64, 256)?;
        if self.singleton_table {
            check_range("cost_capacity", self.cost_capacity, step, 1 << 24)?;
        }
        if !self.log_fifo_depth.is_power_of_two() || !(64..=1024).contains(&self.log_fifo_depth) {
            return Err(Error::range("log_fifo_depth", self.log_fifo_depth, "64, 128, 256, 512 or 1024"));
        }
        if self.pair_table && hardware.label_bits > 6 {
            return Err(Error::range("label_bits", hardware.label_bits, "at most 6 with pair_table"));
        }
        if ![128, 256, 512].contains(&self.line_bits) {
            return Err(Error::range("line_bits", self.line_bits, "128, 256 or 512"));
        }
        Ok(())
    }

    /// Width of a tile is a multiple of this: max(4, 2k).
    pub fn tile_step(&self) -> u32 {
        4.max(2 * self.spus)
    }
}

/// How S2Mem is addressed in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum S2Addressing {
    /// Region = tile; samples across the border come from a neighbour SPE.
    Links,
    /// Region = tile and margins (Fig. 3.11); everything is local.
    Replicate {
        /// Columns left of the tile.
        left: u32,
        /// Rows above the tile.
        up: u32,
    },
}

/// How a job lies on an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiling {
    /// Columns of SPEs (for origins).
    pub cols: u32,
    /// Rows of SPEs.
    pub rows: u32,
    /// SPUs an SPE.
    pub spus: u32,
    /// w
    pub tile_width: u32,
    /// h
    pub tile_height: u32,
    /// Slot length S in cycles.
    pub slot_cycles: u32,
    /// Cycles between two half-steps.
    pub switch_gap: u32,
    /// Addressing of S2Mem.
    pub s2: S2Addressing,
    /// Width of the S2 region in samples (a multiple of 2k).
    pub s2_width: u32,
    /// Height of the S2 region.
    pub s2_height: u32,
}

impl Tiling {
    /// Lays `job` on `shape`.
    ///
    /// # Errors
    /// [`Error::Unfit`] names everything that the build lacks.
    pub fn new(shape: &ArrayShape, job: &Job) -> Result<Self, Error> {
        let problem = job.problem();
        let (width, height, spus) = (problem.width, problem.height, shape.spus);
        let lacks = fit::lacks(shape, job);
        if !lacks.is_empty() {
            return Err(Error::Unfit { width, height, lacks });
        }
        let Extent { tile_width, tile_height } = Extent::new(shape, job);
        let (s2, s2_width, s2_height) = match &problem.singleton {
            Singleton::Pixels { offsets, .. } => s2_region(shape, offsets, tile_width, tile_height),
            Singleton::Values { .. } | Singleton::Table { .. } => {
                (S2Addressing::Links, tile_width, tile_height)
            }
        };
        let slot_cycles = shape.slot_cycles(problem.labels.into());
        let groups = tile_width / (2 * spus);
        let latency = 3 * u32::from(problem.labels) + pipeline_latency(spus);
        let covered = switch_distance(groups, tile_height) * slot_cycles;
        let switch_gap = latency.saturating_sub(covered);
        Ok(Self {
            cols: shape.cols,
            rows: shape.rows,
            spus,
            tile_width,
            tile_height,
            slot_cycles,
            switch_gap,
            s2,
            s2_width,
            s2_height,
        })
    }

    /// G: slots of a row in one half-step.
    pub fn groups(&self) -> u32 {
        self.tile_width / (2 * self.spus)
    }

    /// Slots of one iteration, padding included.
    pub fn slots_per_iteration(&self) -> u64 {
        2 * u64::from(self.groups()) * u64::from(self.tile_height)
    }

    /// Words of an S2 bank in one row.
    pub fn s2_stride(&self) -> u32 {
        self.s2_width / self.spus
    }

    /// Global coordinate of the first RV of SPE `spe` (row-major).
    pub fn origin(&self, spe: u32) -> (u32, u32) {
        (spe % self.cols * self.tile_width, spe / self.cols * self.tile_height)
    }

    /// SPE and tile coordinates of a global coordinate.
    pub fn locate(&self, x: u32, y: u32) -> (u32, u32, u32) {
        let spe = y / self.tile_height * self.cols + x / self.tile_width;
        (spe, x % self.tile_width, y % self.tile_height)
    }

    /// Local RV address a = y·w + x.
    pub fn rv_address(&self, x: u32, y: u32) -> u32 {
        y * self.tile_width + x
    }

    /// Bank and word of the label RAM, for a RAM of `rv_capacity` labels.
    pub fn label_address(&self, x: u32, y: u32, rv_capacity: u32) -> (u32, u32) {
        let bank = ((x + y) >> 1 & 1) << 1 | (y & 1);
        let colour = (x + y) & 1;
        let half = rv_capacity / 8;
        (bank, colour * half + (y >> 1) * (self.tile_width / 4) + (x >> 2))
    }

    /// Bank and word of an S2 sample at (column, row) of the region.
    pub fn s2_address(&self, column: u32, row: u32) -> (u32, u32) {
        let bank = (column >> 1) % self.spus;
        let log_k = self.spus.trailing_zeros();
        (bank, row * self.s2_stride() + ((column >> (1 + log_k)) << 1) + (column & 1))
    }

    /// Bank (SPU) and word of a cost.
    pub fn cost_address(&self, x: u32, y: u32, label: u32, labels: u32) -> (u32, u32) {
        let colour = (x + y) & 1;
        let group = x / (2 * self.spus);
        let spu = (x % (2 * self.spus)) >> 1;
        (spu, ((colour * self.tile_height + y) * self.groups() + group) * labels + label)
    }
}

/// Slots from the issue of a write to the issue of the first read that needs it (docs/array.md §4).
pub fn switch_distance(groups: u32, tile_height: u32) -> u32 {
    if tile_height == 2 {
        return 1;
    }
    ((tile_height - 2) * groups).min((tile_height - 1) * groups - (groups - 1))
}

/// Region of S2Mem: links where the reach stays within the neighbour tile, else tile and margins.
pub(crate) fn s2_region(shape: &ArrayShape, offsets: &[Offset], w: u32, h: u32) -> (S2Addressing, u32, u32) {
    let reach = |f: fn(&Offset) -> i16| {
        let most = offsets.iter().map(f).max().unwrap_or(0).max(0);
        let least = offsets.iter().map(f).min().unwrap_or(0).min(0);
        (u32::from(least.unsigned_abs()), u32::from(most.unsigned_abs()))
    };
    let (left, right) = reach(|o| o.dx);
    let (up, down) = reach(|o| o.dy);
    if shape.s2_links && left.max(right) <= w && up.max(down) <= h {
        return (S2Addressing::Links, w, h);
    }
    let width = (left + w + right).next_multiple_of(2 * shape.spus);
    (S2Addressing::Replicate { left, up }, width, up + h + down)
}
