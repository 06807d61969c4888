//! How jobs are spread over a card: threads, blocks and tiles, and which kernel follows which.

use super::super::device::Device;
use super::super::plan::pair_row;
use super::kernels::Which;
use super::lane::Planes;
use super::order::{Order, Stage};
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
#[derive(Debug, Clone)]
pub struct Spread {
    /// The dense kernel.
    pub dense: Shape,
    /// A thread of the dense kernel updates two RVs at once.
    pub pairs: bool,
    /// Copies of the pair table in shared memory.
    pub copies: usize,
    /// The dense kernel of small pictures.
    pub sites: Sites,
    /// The kernel whose groups are dealt.
    pub dealt: Dealt,
    /// The sparse kernel.
    pub sparse: Shape,
    /// Its tiles.
    pub tiling: Tiling,
    /// What one of them takes.
    pub memory: Memory,
    /// What was fastest.
    pub order: Order,
}

/// Warps of a block of the dense kernel: one for each scheduler of a multiprocessor.
const WARPS: usize = 4;

/// Few labels: what they cost has room in shared memory.
const FEW: usize = 16;

/// Shared memory that the driver takes for each block.
const RESERVED: usize = 1 << 10;

/// Groups side by side that one block gets (`SPA_DEAL` of `kernels/dealt.cu`): fewer are spread more evenly, more read records that
/// lie together, and rows of the table that are alike.
pub const DEAL: usize = 32;

/// Weights of a table (`half_weight` of `kernels/packed.cuh`).
const WEIGHTS: usize = 264;

/// Copies of the pair table in shared memory, where a block can have `shared` bytes: with eight, lanes never meet in a bank (`PAIR_ROW` of
/// `kernels/packed.cuh`). Smaller cards have better use for what they take.
fn copies(shared: u32) -> usize {
    if shared >= 160 << 10 { 8 } else { 1 }
}

/// Shared memory for the tables of a kernel (`Tables` of `kernels/packed.cuh`), bytes.
pub fn tables(labels: usize, copies: usize) -> usize {
    let row = copies * pair_row(labels) + if copies == 1 { 16 } else { 0 };
    (labels + 1) * row + 2 * WEIGHTS
}

/// How warps of sites are dealt to blocks (`kernels/sites.cu`).
#[derive(Debug, Clone, Copy)]
pub struct Sites {
    /// Its threads; one block a multiprocessor.
    pub shape: Shape,
    /// Sites of a thread.
    pub each: usize,
    /// Shared memory of a block (`Shared`), bytes.
    pub bytes: usize,
}

impl Sites {
    /// Messages that wait in an outbox, a warp's.
    pub const OUTBOX: usize = 64;

    /// Sites of a thread, at most: more have too few registers.
    const EACH: usize = 2;

    fn new(planes: &Planes, blocks: usize, (labels, copies): (usize, usize)) -> Self {
        let all = (planes.record_pitch() * planes.height).div_ceil(32).div_ceil(blocks.max(1));
        // As many warps as have the registers that a draw takes.
        let most = match labels {
            _ if labels <= FEW => 32,
            _ if labels <= 52 => 28,
            _ => 21,
        };
        let each = all.div_ceil(most);
        let warps = all.div_ceil(each);
        // What is known of sites, messages, what lies between.
        let bytes = tables(labels, copies) + 32 * 16 * each * warps + (8 + 8 * Self::OUTBOX) * warps + 32;
        Self { shape: Shape { threads: 32 * warps as u32, blocks: 1 }, each, bytes }
    }

    /// Whether `device` can hold it.
    pub fn fits(&self, device: &Device) -> bool {
        self.each <= Self::EACH && self.bytes <= device.shared as usize
    }
}

/// How groups are dealt to blocks (`kernels/dealt.cu`).
#[derive(Debug, Clone, Copy)]
pub struct Dealt {
    /// Its threads; one block a multiprocessor.
    pub shape: Shape,
    /// Groups of a block, at most.
    pub groups: usize,
    /// Shared memory of a block (`Shared`), bytes.
    pub bytes: usize,
}

impl Dealt {
    /// Messages that wait in an outbox, a block's.
    pub const OUTBOX: usize = 512;

    fn new(planes: &Planes, blocks: usize, (labels, copies): (usize, usize)) -> Self {
        let deals = (planes.groups() * planes.height).div_ceil(DEAL);
        let groups = deals.div_ceil(blocks.max(1)) * DEAL;
        // All RVs of a block at once, if its registers allow that (96 a thread are too few for many labels); a group has a thread.
        let threads = if (4 * groups <= 640 && labels <= 52) || groups > 512 { 640 } else { 512 };
        // Of a group labels around, random words, entries, place, what was drawn and what keeps labels; in turn own labels and a list;
        // messages; what lies between.
        let bytes = tables(labels, copies)
            + groups * (16 + 4 * 4 + 4 * 8 + 4 + 4 + 4 * 4)
            + 2 * groups * (4 + 4 * 2)
            + 8 * Self::OUTBOX
            + 128;
        Self { shape: Shape { threads, blocks: 1 }, groups, bytes }
    }

    /// Whether `device` can hold it.
    pub fn fits(&self, device: &Device) -> bool {
        self.groups <= self.shape.threads as usize && self.bytes <= device.shared as usize
    }
}

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

        // One tile a multiprocessor has the least halo; two even out that some tiles have more to do.
        let large = each >= 72;
        let labels = usize::from(labels);
        let sparse = if large { shape(256, 2) } else { shape(384, 1) };
        let bytes = (device.shared as usize + RESERVED) / sparse.blocks as usize - RESERVED;
        let threads = sparse.threads as usize;
        let tiles_at_once = sparse.blocks as usize * multiprocessors / jobs;
        let keeps = match stereo {
            true => Keeps::Pictures,
            false if labels <= FEW => Keeps::Costs,
            false => Keeps::Nothing,
        };
        let copies = copies(device.shared);
        let mut room = Room { threads, bytes, labels, copies, keeps };
        let mut tiling = Tiling::new(planes, tiles_at_once, &room);
        if tiling.tiles() > tiles_at_once {
            // Tiles take turns: all that would be copied to shared memory again in every round.
            room.keeps = Keeps::Nothing;
            tiling = Tiling::new(planes, tiles_at_once, &room);
        }

        // Dealt groups have no halos and are spread evenly, but meet in every half-step. Tiles meet least, and keep what singletons are
        // made from, if that is small.
        let each = multiprocessors / jobs;
        let sites = Sites::new(planes, each, (labels, copies));
        let dealt = Dealt::new(planes, each, (labels, copies));
        let plain = if !large && sites.fits(device) { Which::Sites } else { Which::Dense };
        let order = order(plain, labels, stereo, dealt.fits(device));
        Self {
            dense: shape(32 * WARPS, blocks),
            pairs,
            copies,
            sites,
            dealt,
            sparse,
            tiling,
            memory: tiling.memory(&room),
            order,
        }
    }
}

/// What follows `plain`, and from which shares on: what was fastest on one H200, whole runs of the pictures of docs/performance.md. Half or
/// twice a share is 0 to 2% slower.
fn order(plain: Which, labels: usize, stereo: bool, dealt_fits: bool) -> Order {
    let stage = |which, few| Stage { which, few };
    let last = stage(Which::Sparse, 0.0);
    Order(match plain {
        Which::Dense => vec![stage(plain, 0.8), last],
        _ if labels <= FEW || !dealt_fits => vec![stage(plain, 0.07), last],
        _ if stereo => vec![stage(plain, 0.4), stage(Which::Dealt, 0.026), last],
        _ => vec![stage(plain, 0.12), stage(Which::Dealt, 0.0)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_site_is_dealt(width in 1_usize..2000, height in 1_usize..1500, blocks in 1_usize..200, labels in 1_usize..=64) {
            let half = width.div_ceil(2);
            let planes = Planes { width, height, half, pitch: 0, words: 0 };
            let sites = Sites::new(&planes, blocks, (labels, 8));
            let threads = sites.shape.threads as usize;
            prop_assert!(planes.record_pitch() > half && planes.record_pitch().is_multiple_of(2));
            prop_assert!(sites.each * threads * blocks >= planes.record_pitch() * height);
            prop_assert!(threads.is_multiple_of(32) && threads <= 1024);
        }

        #[test]
        fn every_group_is_dealt(width in 1_usize..2000, height in 1_usize..1500, blocks in 1_usize..200, labels in 1_usize..=64) {
            let half = width.div_ceil(2);
            let planes = Planes { width, height, half, pitch: 0, words: 0 };
            let dealt = Dealt::new(&planes, blocks, (labels, 8));
            let all = planes.groups() * height;
            prop_assert!(dealt.groups * blocks >= all && dealt.groups.is_multiple_of(DEAL));
            // No block has a deal more than it takes.
            prop_assert!((dealt.groups - DEAL) * blocks < all);
        }
    }
}
