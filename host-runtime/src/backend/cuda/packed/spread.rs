//! How jobs are spread over a card: threads, blocks and tiles.

use super::super::device::Device;
use super::cutting::STRETCH;
use super::lane::Planes;
use super::tiling::{Keeps, Memory, Room, Tiling};

/// How many threads a kernel has.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks of a multiprocessor.
    pub blocks: u32,
}

/// How a picture is spread over the card.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    /// The dense kernel.
    pub dense: Shape,
    /// A thread of the dense kernel updates two RVs at once.
    pub pairs: bool,
    /// The sparse kernel.
    pub sparse: Shape,
    /// Its blocks for each job, a tile each at a time.
    pub tiles_at_once: usize,
    /// Its tiles.
    pub tiling: Tiling,
    /// What one of them takes.
    pub memory: Memory,
    /// How many times as high tiles may get when they are cut anew; 1: they are not.
    pub stretch: usize,
    /// Share of open RVs from which on the sparse kernel is faster, two launches later ([`super::choice`]).
    pub few: f64,
}

/// Warps of a block of the dense kernel: one for each scheduler of a multiprocessor.
const WARPS: usize = 4;

/// Few labels: what they cost has room in shared memory.
const FEW: usize = 16;

/// Shared memory that the driver takes for each block.
const RESERVED: usize = 1 << 10;

impl Spread {
    /// For `jobs` jobs at once: what was fastest of the shapes measured (docs/performance.md).
    pub fn new(device: &Device, planes: &Planes, (labels, stereo): (u16, bool), jobs: usize) -> Self {
        let multiprocessors = device.multiprocessors as usize;
        let warps = (planes.half * planes.height).div_ceil(32) * jobs;
        let each = warps.div_ceil(multiprocessors);
        let shape = |threads: usize, blocks: usize| Shape { threads: threads as u32, blocks: blocks as u32 };

        // Small pictures want every RV in a thread of its own and all of them at once, or in few rounds of which the last is full;
        // large ones two RVs a thread, which do less together.
        let pairs = each >= 128;
        // Seven blocks leave 72 registers a thread: not enough for many labels.
        let most = if labels <= 52 { 7 } else { 6 };
        let slots = |blocks: &usize| (each.div_ceil(WARPS * blocks) * blocks, usize::MAX - blocks);
        let blocks = if pairs { 4 } else { (4..=most).min_by_key(slots).unwrap_or(4) };

        // One tile a multiprocessor has the least halo; two even out that some tiles have more to do. Motion has most of its open RVs in
        // few tiles: they are cut anew.
        let large = each >= 72;
        let labels = usize::from(labels);
        let motion = !stereo && labels > FEW;
        let (sparse, few) = match large {
            true => (shape(256, 2), 0.8),
            false if labels <= FEW => (shape(384, 1), 0.5),
            false => (shape(384, 1), 0.33),
        };
        let bytes = (device.shared as usize + RESERVED) / sparse.blocks as usize - RESERVED;
        let stretch = if motion && !large { STRETCH } else { 1 };
        let threads = sparse.threads as usize;
        let tiles_at_once = sparse.blocks as usize * multiprocessors / jobs;
        let keeps = match stereo {
            true => Keeps::Pictures,
            false if labels <= FEW => Keeps::Costs,
            false => Keeps::Nothing,
        };
        let mut room = Room { threads, bytes, labels, stretch, keeps };
        let mut tiling = Tiling::new(planes, tiles_at_once, &room);
        if tiling.tiles() > tiles_at_once {
            // Tiles take turns: all that would be copied to shared memory again in every round.
            room.keeps = Keeps::Nothing;
            tiling = Tiling::new(planes, tiles_at_once, &room);
        }
        Self {
            dense: shape(32 * WARPS, blocks),
            pairs,
            sparse,
            tiles_at_once,
            tiling,
            memory: tiling.memory(&room),
            stretch,
            few,
        }
    }
}
