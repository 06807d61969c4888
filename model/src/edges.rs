//! Weights of edges: contrast-sensitive smoothness (contract §3, "Edges").
//!
//! [`Problem::edge_weights`] holds two numbers a RV, for the edge to the right and the edge down. An edge has one weight
//! for both of its ends, so V(l, m) and V(m, l) scale alike.

use crate::error::{Error, check_range};
use crate::job::{Problem, check_size};

/// Largest weight of an edge: four bits.
pub const EDGE_WEIGHT_MAX: u8 = 15;

impl Problem {
    /// Weight of the edge between RV `i` and its neighbour `n`; 1 where the problem has none.
    pub fn edge_weight(&self, i: usize, n: usize) -> u32 {
        let Some(weights) = &self.edge_weights else { return 1 };
        let first = i.min(n);
        // Also right in a field of width 1, which has no edges to the right.
        let down = i.abs_diff(n) == self.width as usize;
        u32::from(weights[2 * first + usize::from(down)])
    }

    /// Weights of the edges of (x, y): left, right, up, down; 0 where there is no neighbour.
    pub fn edge_weights_around(&self, x: u32, y: u32) -> [u8; 4] {
        let (w, i) = (self.width as usize, y as usize * self.width as usize + x as usize);
        let of = |exists: bool, n: usize| if exists { self.edge_weight(i, n) as u8 } else { 0 };
        [
            of(x > 0, i.wrapping_sub(1)),
            of(x + 1 < self.width, i + 1),
            of(y > 0, i.wrapping_sub(w)),
            of(y + 1 < self.height, i + w),
        ]
    }

    /// The largest edge weight that is given; 1 where the problem has none.
    pub fn edge_weight_max(&self) -> u32 {
        self.edge_weights.as_ref().map_or(1, |weights| weights.iter().copied().max().unwrap_or(0).into())
    }
}

/// Refuses weights that are not two a RV, or above 15.
pub(crate) fn check(p: &Problem) -> Result<(), Error> {
    let Some(weights) = &p.edge_weights else { return Ok(()) };
    check_size(
        "edge weights",
        weights.len(),
        2 * p.rvs(),
        format!("{}x{}, right and down", p.width, p.height),
    )?;
    weights.iter().try_for_each(|&weight| check_range("edge weight", weight, 0, EDGE_WEIGHT_MAX))
}
