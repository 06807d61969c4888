//! The labelling of least energy that a run leads to.

use crate::error::Result;
use crate::npy;
use crate::output::Output;
use serde::{Deserialize, Serialize};
use spa_model::Problem;
use spa_model::descent::descend;

/// The labelling, H×W.
pub const LOWEST: &str = "lowest.npy";

/// What the summary tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lowest {
    /// Its total energy, in whole numbers (contract §3).
    pub energy: u64,
    /// Where the descent began: `mode`, `labels`, or `labels_C` of chain C.
    pub from: String,
}

/// Goes down ([`spa_model::descent`]) from the mode, where there is one, and from the labels of every chain, and writes the lowest
/// end; the first of equals. A function of the job and of what was drawn, so the same on every backend.
///
/// # Errors
/// [`crate::error::Error::File`] if it cannot be written.
pub fn write(output: &Output, problem: &Problem, mode: Option<&[u8]>, chains: &[Vec<u8>]) -> Result<Lowest> {
    let name = |c: usize| if chains.len() == 1 { "labels".to_string() } else { format!("labels_{c}") };
    let ends = chains.iter().enumerate().map(|(c, labels)| (name(c), labels.as_slice()));
    let mut best: Option<(Lowest, Vec<u8>)> = None;
    for (from, labels) in mode.map(|mode| ("mode".to_string(), mode)).into_iter().chain(ends) {
        let end = descend(problem, labels, None)?;
        let energy = end.energy.total();
        if best.as_ref().is_none_or(|(best, _)| energy < best.energy) {
            best = Some((Lowest { energy, from }, end.labels));
        }
    }
    let (lowest, labels) = best.ok_or_else(|| crate::error::Error::usage("no labels to descend from"))?;
    npy::write(&output.path(LOWEST), &[problem.height.into(), problem.width.into()], &labels)?;
    Ok(lowest)
}
