//! Links and crossbars of the one-hop SPE network against a 2-D mesh NoC, Equations 3.6 to 3.9.
//!
//! As in the dissertation a crossbar of I inputs and O outputs counts I·O. For an R×C grid the D·(D−1) pairs of
//! neighbours in each direction become R·(C−1) and (R−1)·C, and D² becomes R·C.

use serde::Serialize;

use super::MODEL;
use crate::config::Config;

/// Resources of both topologies for one grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Point {
    /// Rows of SPEs.
    pub rows: u64,
    /// Columns of SPEs.
    pub cols: u64,
    /// SPUs an SPE.
    pub spus: u64,
    /// Equation 3.6.
    pub nn_links: u64,
    /// Equation 3.7.
    pub nn_crossbars: u64,
    /// Equation 3.8.
    pub noc_links: u64,
    /// Equation 3.9.
    pub noc_crossbars: u64,
}

/// This build and the points of Figure 3.10.
#[derive(Debug, Clone, Serialize)]
pub struct Network {
    /// `model`.
    pub source: &'static str,
    /// This build.
    pub build: Point,
    /// Square grids with two SPUs an SPE (Fig. 3.10).
    pub figure_3_10: Vec<Point>,
}

impl Network {
    /// Both.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let array = &config.array;
        Self {
            source: MODEL,
            build: Point::new(array.rows.into(), array.cols.into(), array.spus.into()),
            figure_3_10: [4, 8, 16, 32].into_iter().map(|d| Point::new(d, d, 2)).collect(),
        }
    }
}

impl Point {
    /// Equations 3.6 to 3.9 for a grid of `rows` x `cols` SPEs of `s` SPUs.
    #[must_use]
    pub fn new(rows: u64, cols: u64, s: u64) -> Self {
        let straight = rows * (cols - 1) + (rows - 1) * cols;
        let diagonal = 2 * (rows - 1) * (cols - 1);
        let shared = 2 * (4 * 8) + 8 * (2 * s);
        Self {
            rows,
            cols,
            spus: s,
            nn_links: 2 * (straight * (s + 1) + diagonal * s),
            nn_crossbars: rows * cols * (shared + s * (9 * s) + (9 * s) * s),
            noc_links: 2 * (straight * (s + 1)),
            noc_crossbars: rows * cols * (shared + s * (5 * s) + (5 * s) * (5 * s)),
        }
    }

    /// Links and crossbars of the one-hop network, added as in Figure 3.10.
    #[must_use]
    pub fn nn(&self) -> u64 {
        self.nn_links + self.nn_crossbars
    }

    /// Links and crossbars of the mesh NoC, added as in Figure 3.10.
    #[must_use]
    pub fn noc(&self) -> u64 {
        self.noc_links + self.noc_crossbars
    }
}
