//! Descent to a local minimum of the total energy: iterated conditional modes, exact and in one order.
//!
//! Black RVs row by row, then white ones, over and over: each takes the label that adds least to the total energy if that is
//! strictly less than what its own adds, the lowest of several. The total falls with every change, so it ends; then no change
//! of a single RV lowers it.

use crate::energy::{Parts, Terms};
use crate::error::Error;
use crate::job::{Problem, check_size};
use crate::spec::neighbours;

/// Where a descent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descent {
    /// The labels, H×W.
    pub labels: Vec<u8>,
    /// Their total energy.
    pub energy: Parts,
    /// RVs whose label changed, counted each time.
    pub changes: u64,
}

/// Descends from `labels`, H×W. Fixed RVs keep their labels, and so do those where `free`, H×W, says false.
///
/// # Errors
/// [`Error::Size`] or [`Error::Range`] if `labels` or `free` do not fit `problem`, which must have passed [`crate::Job::new`].
pub fn descend(problem: &Problem, labels: &[u8], free: Option<&[bool]>) -> Result<Descent, Error> {
    let terms = Terms::new(problem);
    terms.check(labels)?;
    if let Some(free) = free {
        check_size(
            "mask of free RVs",
            free.len(),
            problem.rvs(),
            format!("{}x{}", problem.width, problem.height),
        )?;
    }
    let mut labels = labels.to_vec();
    let mut costs = vec![0_u32; problem.labels.into()];
    let movable = |i: usize| !problem.is_fixed(i) && free.is_none_or(|free| free[i]);
    // Only where a neighbour changed since the last look can a label have become better.
    let mut open: Vec<bool> = (0..problem.rvs()).map(movable).collect();
    let mut changes = 0;
    loop {
        let before = changes;
        for colour in [0, 1] {
            for y in 0..problem.height {
                for x in (0..problem.width).filter(|x| (x + y) % 2 == colour) {
                    let i = y as usize * problem.width as usize + x as usize;
                    if !std::mem::take(&mut open[i]) {
                        continue;
                    }
                    terms.local(&labels, x, y, &mut costs);
                    let best = (0..costs.len()).min_by_key(|&l| costs[l]).unwrap_or(0);
                    if costs[best] < costs[usize::from(labels[i])] {
                        labels[i] = best as u8;
                        changes += 1;
                        for n in neighbours(problem.width, problem.height, x, y) {
                            open[n] = movable(n);
                        }
                    }
                }
            }
        }
        if changes == before {
            break;
        }
    }
    let energy = terms.of(&labels)?;
    Ok(Descent { labels, energy, changes })
}

/// Number of RVs whose label alone could be changed for less total energy; fixed ones are not asked.
///
/// # Errors
/// As [`descend`].
pub fn improvable(problem: &Problem, labels: &[u8]) -> Result<u64, Error> {
    let terms = Terms::new(problem);
    terms.check(labels)?;
    let mut costs = vec![0_u32; problem.labels.into()];
    let mut count = 0;
    for y in 0..problem.height {
        for x in 0..problem.width {
            let i = y as usize * problem.width as usize + x as usize;
            if !problem.is_fixed(i) {
                terms.local(labels, x, y, &mut costs);
                count += u64::from(costs.iter().any(|&cost| cost < costs[usize::from(labels[i])]));
            }
        }
    }
    Ok(count)
}
