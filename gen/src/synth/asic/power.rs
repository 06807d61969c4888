//! Power of a netlist: the known job of the build simulated on it, then OpenSTA with what every cell did.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::SPE;
use super::memory::Macros;
use super::netlist::Netlist;
use super::vcd::Activities;

/// Power in watts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watts {
    /// Within cells, that of clock pins included.
    pub internal: f64,
    /// Loading what cells drive.
    pub switching: f64,
    /// Whether or not anything switches.
    pub leakage: f64,
}

impl Watts {
    /// All together.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.internal + self.switching + self.leakage
    }
}

impl AddAssign for Watts {
    fn add_assign(&mut self, other: Self) {
        self.internal += other.internal;
        self.switching += other.switching;
        self.leakage += other.leakage;
    }
}

/// Estimate of the power while the array samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// `estimate`: from a netlist without wires, clock tree and glitches, at the activity of one job.
    pub source: String,
    /// Clock, in MHz.
    pub clock_mhz: f64,
    /// Cycles of the job that were looked at, from the first slot to the last.
    pub cycles: u64,
    /// Mean transitions a cycle of an output.
    pub activity: f64,
    /// Cells without memories.
    pub total: Watts,
    /// What lies right below a SPE, by component, and its own cells: all SPEs, without memories.
    pub spe: BTreeMap<String, Watts>,
    /// By component, with what lies in it.
    pub components: BTreeMap<String, Parts>,
    /// Memories whose energies are given, in watts; `None` if none is.
    pub memories: Option<f64>,
    /// Instances of memories without energies, which are left out.
    pub memories_unknown: u64,
}

/// A component.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// Its own cells.
    pub own: Watts,
    /// With everything below.
    pub whole: Watts,
}

/// Marks a figure that nobody measured.
pub const ESTIMATE: &str = "estimate";

impl Power {
    /// Sums what the cells take, given in the order of [`Netlist::leaves`] without memories.
    ///
    /// # Errors
    /// If there are more or fewer of them than cells.
    pub fn new(
        netlist: &Netlist,
        top: &str,
        activities: &Activities,
        macros: &Macros,
        clock_mhz: f64,
        cells: &[Watts],
    ) -> Result<Self, String> {
        let mut power = Self {
            source: ESTIMATE.to_owned(),
            clock_mhz,
            cycles: activities.cycles,
            activity: 0.0,
            total: Watts::default(),
            spe: BTreeMap::new(),
            components: BTreeMap::new(),
            memories: None,
            memories_unknown: 0,
        };
        let mut left = cells.iter();
        let mut missing = false;
        netlist.leaves(top, |path, within, kind| {
            if let Some(shape) = netlist.memories.get(kind) {
                power.memory(macros.of(shape), activities.accesses(path));
                return;
            }
            let Some(watts) = left.next() else {
                missing = true;
                return;
            };
            power.activity += activities.of(path).toggles;
            power.total += *watts;
            let names: Vec<&str> =
                within.iter().map(|module| netlist.modules[*module].component.as_str()).collect();
            if let Some(spe) = names.iter().position(|name| *name == SPE) {
                let part = names.get(spe + 1).copied().unwrap_or(SPE);
                *power.spe.entry(part.to_owned()).or_default() += *watts;
            }
            let mut seen: Vec<&str> = Vec::new();
            for component in names.iter().copied() {
                if !seen.contains(&component) {
                    seen.push(component);
                    power.components.entry(component.to_owned()).or_default().whole += *watts;
                }
            }
            if let Some(last) = names.last() {
                power.components.entry((*last).to_owned()).or_default().own += *watts;
            }
        });
        if missing || left.next().is_some() {
            return Err(format!(
                "OpenSTA gave the power of {} cells, the netlist has another number",
                cells.len()
            ));
        }
        #[allow(clippy::cast_precision_loss, reason = "counts of cells are far below 2^52")]
        {
            power.activity /= cells.len().max(1) as f64;
        }
        Ok(power)
    }

    fn memory(&mut self, known: Option<&super::memory::Macro>, (reads, writes): (f64, f64)) {
        let energies =
            known.and_then(|known| Some((known.read_pj?, known.write_pj?, known.leakage_uw.unwrap_or(0.0))));
        let Some((read, write, leakage)) = energies else {
            self.memories_unknown += 1;
            return;
        };
        // pJ a cycle times MHz are microwatts.
        let watts = 1e-6 * ((reads * read + writes * write) * self.clock_mhz + leakage);
        *self.memories.get_or_insert(0.0) += watts;
    }
}
