//! What a job needs of an array that the array has not.

use crate::geometry::{ArrayShape, s2_region};
use crate::job::{Job, Offset, Pair, Singleton};
use std::fmt;

/// One thing that a job needs and a build has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// What it is, in words: `RVs an SPE`, `singleton tables`.
    pub what: &'static str,
    /// How many are needed and how many there are; none for what is there or not.
    pub amount: Option<(u64, u64)>,
    /// Parameter of the generator that gives it; none if no build can.
    pub parameter: Option<&'static str>,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.amount {
            Some((needed, available)) => write!(f, "{needed} {} instead of {available}", self.what)?,
            None => f.write_str(self.what)?,
        }
        match self.parameter {
            Some(parameter) => write!(f, " ({parameter})"),
            None => f.write_str(" (no build has that)"),
        }
    }
}

/// A job on an array, laid out as far as capacities are concerned (docs/array.md §2).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub tile_width: u32,
    pub tile_height: u32,
}

impl Extent {
    pub fn new(shape: &ArrayShape, job: &Job) -> Self {
        let problem = job.problem();
        Self {
            tile_width: problem.width.div_ceil(shape.cols).next_multiple_of(shape.tile_step()),
            tile_height: problem.height.div_ceil(shape.rows).next_multiple_of(2),
        }
    }
}

/// Everything that `shape` lacks for `job`, features first; nothing if the job fits.
pub fn lacks(shape: &ArrayShape, job: &Job) -> Vec<Lack> {
    let mut lacks = features(shape, job);
    lacks.extend(capacities(shape, job));
    lacks
}

fn features(shape: &ArrayShape, job: &Job) -> Vec<Lack> {
    let problem = job.problem();
    let table = matches!(problem.singleton, Singleton::Table { .. });
    let span = |f: fn(&Offset) -> i16| {
        let most = problem.vectors.iter().map(f).max().unwrap_or(0);
        let least = problem.vectors.iter().map(f).min().unwrap_or(0);
        most.abs_diff(least)
    };
    let far = span(|o| o.dx).max(span(|o| o.dy)) > 255;
    let wanted = [
        (table && !shape.singleton_table, "singleton tables", Some("singleton_table")),
        (matches!(problem.pair, Pair::Table(_)) && !shape.pair_table, "pair tables", Some("pair_table")),
        (problem.edge_weights.is_some() && !shape.edge_weights, "edge weights", Some("edge_weights")),
        (far, "label vectors that differ by more than 255", None),
    ];
    let missing = wanted.into_iter().filter(|(lacking, ..)| *lacking);
    missing.map(|(_, what, parameter)| Lack { what, amount: None, parameter }).collect()
}

fn capacities(shape: &ArrayShape, job: &Job) -> Vec<Lack> {
    let problem = job.problem();
    let Extent { tile_width, tile_height } = Extent::new(shape, job);
    let rvs = u64::from(tile_width) * u64::from(tile_height);
    let samples = match &problem.singleton {
        Singleton::Pixels { offsets, .. } => {
            let (_, width, height) = s2_region(shape, offsets, tile_width, tile_height);
            u64::from(width) * u64::from(height)
        }
        Singleton::Values { .. } | Singleton::Table { .. } => 0,
    };
    // Without a cost memory its size is no matter yet.
    let costs = match problem.singleton {
        Singleton::Table { .. } if shape.singleton_table => rvs * u64::from(problem.labels),
        _ => 0,
    };
    let steps = job.run().schedule.steps().len() as u64;
    let wanted = [
        (rvs, shape.rv_capacity, "RVs an SPE", "rv_capacity"),
        (tile_width.into(), shape.tile_width_max, "columns of a tile", "tile_width_max"),
        (tile_height.into(), shape.tile_height_max, "rows of a tile", "tile_height_max"),
        (samples, shape.s2_capacity, "singleton-2 samples an SPE", "s2_capacity"),
        (costs, shape.cost_capacity, "costs an SPE", "cost_capacity"),
        (steps, shape.schedule_entries, "schedule entries", "schedule_entries"),
    ];
    let beyond = wanted.into_iter().filter(|&(needed, available, ..)| needed > u64::from(available));
    beyond
        .map(|(needed, available, what, parameter)| Lack {
            what,
            amount: Some((needed, available.into())),
            parameter: Some(parameter),
        })
        .collect()
}
