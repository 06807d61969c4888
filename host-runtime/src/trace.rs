//! The energy of the whole field along a run (contract §3, docs/runs.md).

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of its file in a result folder.
pub const TRACE: &str = "trace.json";

/// Most points that are wanted of a whole run.
const POINTS: u32 = 128;
/// Fewest iterations between two points: an energy takes up to half the time of an iteration (docs/runs.md), and sweeps over
/// several iterations must not be cut short.
const LEAST_PERIOD: u32 = 10;

/// Energy of the whole field during a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergyTrace {
    /// Steps of the whole numbers in one unit of alpha and beta as people give them.
    pub unit: f64,
    /// Iterations done and the total energy then, ascending; 0 is the start.
    pub points: Vec<(u32, u64)>,
}

/// Iterations from point to point of a run of `iterations`: the same on every backend, and however often the run was
/// resumed.
pub fn period(iterations: u32) -> u32 {
    iterations.div_ceil(POINTS).max(LEAST_PERIOD)
}

impl EnergyTrace {
    /// Writes it as JSON.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|e| Error::file("write", path, e))?;
        std::fs::write(path, text + "\n").map_err(|e| Error::io("write", path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn points_are_neither_many_nor_close() {
        for (iterations, expected) in
            [(1, 10), (500, 10), (1280, 10), (1281, 11), (3000, 24), (1 << 24, 1 << 17)]
        {
            assert_eq!(period(iterations), expected, "{iterations}");
            assert!(iterations.div_ceil(period(iterations)) <= 128);
        }
    }
}
