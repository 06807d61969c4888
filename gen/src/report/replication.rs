//! Replicate everything against links: the memory that margins of singleton 2 cost (Fig. 3.11), and what links cost.

use serde::Serialize;

use super::memory::round;
use super::{MODEL, network};
use crate::config::Config;

/// How far singleton 2 lies from its RV, in RVs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// To the left.
    pub left: u32,
    /// To the right.
    pub right: u32,
    /// Upwards.
    pub up: u32,
    /// Downwards.
    pub down: u32,
}

/// One tile size.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// w.
    pub tile_width: u32,
    /// h.
    pub tile_height: u32,
    /// Singleton-2 bits of the array with links.
    pub links_bits: u64,
    /// Singleton-2 bits of the array with margins in every SPE.
    pub replicate_bits: u64,
    /// The second over the first.
    pub ratio: f64,
    /// The reach stays within the neighbour tile, so links suffice.
    pub links_suffice: bool,
    /// The margins fit `s2_capacity` of this build.
    pub fits: bool,
}

/// The comparison for this build.
#[derive(Debug, Clone, Serialize)]
pub struct Replication {
    /// `model`.
    pub source: &'static str,
    /// Reach.
    pub reach: Reach,
    /// Singleton-2 links of the array, in words of one SPU (Eq. 3.6 without the label links).
    pub s2_links: u64,
    /// Inputs x outputs of the singleton-2 switches (Eq. 3.7 without the label switches).
    pub s2_crossbars: u64,
    /// Square tiles up to the largest.
    pub points: Vec<Point>,
}

impl Replication {
    /// Square tiles of 16 RVs and more, up to `rv_capacity`.
    #[must_use]
    pub fn new(config: &Config, reach: Reach) -> Self {
        let array = &config.array;
        let largest = array.rv_capacity.isqrt();
        let sides = (4..=12).map(|n| 1 << n).filter(|side| *side <= largest);
        let network = network::Point::new(array.rows.into(), array.cols.into(), array.spus.into());
        let labels = network::Point::new(array.rows.into(), array.cols.into(), 0);
        Self {
            source: MODEL,
            reach,
            s2_links: network.nn_links - labels.nn_links,
            s2_crossbars: network.nn_crossbars - labels.nn_crossbars,
            points: sides.map(|side| point(config, reach, side)).collect(),
        }
    }
}

fn point(config: &Config, reach: Reach, side: u32) -> Point {
    let array = &config.array;
    let tile_width = side.next_multiple_of(array.tile_step());
    let tile_height = side.next_multiple_of(2);
    let width = u64::from(reach.left) + u64::from(tile_width) + u64::from(reach.right);
    let region = width.next_multiple_of(u64::from(2 * array.spus))
        * (u64::from(reach.up) + u64::from(tile_height) + u64::from(reach.down));
    let tile = u64::from(tile_width) * u64::from(tile_height);
    let bits = u64::from(array.spes()) * u64::from(config.hardware.singleton_bits);
    #[allow(clippy::cast_precision_loss)]
    let ratio = round(region as f64 / tile as f64);
    Point {
        tile_width,
        tile_height,
        links_bits: tile * bits,
        replicate_bits: region * bits,
        ratio,
        links_suffice: reach.left.max(reach.right) <= tile_width && reach.up.max(reach.down) <= tile_height,
        fits: region <= u64::from(array.s2_capacity),
    }
}
