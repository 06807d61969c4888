//! Synthesis by Yosys: what a build costs on a device family, by component.
//!
//! [`run`] starts Yosys over the sources of a build, keeps the hierarchy, reads its statistics and stores the result in
//! `reports/synth.json`, one entry a [`Flow`]. [`hierarchy`] walks the modules, [`Area`] says what a cell weighs. These are
//! figures of a synthesis without placement: they say nothing about the clock rate, which is what [`place`] finds for ECP5.

pub mod area;
pub mod asic;
pub mod hierarchy;
mod place;
mod print;
mod run;
mod store;
pub mod sweep;
mod timing;

#[cfg(test)]
mod tests;

pub use area::{Amount, Area, Flow};
pub use asic::Asic;
pub use place::{Device, PLACEMENT, PlaceRequest, Placement, Seed, place};
pub use run::run;
pub use store::STORE;
pub use timing::{Critical, Part, Timing};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use hierarchy::Hierarchy;

/// Result of one flow over one build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Synthesis {
    /// What Yosys calls itself.
    pub yosys: String,
    /// The synthesis command.
    pub command: String,
    /// What `logic`, `ram` and `dsp` count.
    pub units: Units,
    /// The whole design.
    pub total: Total,
    /// By component, in the order of their names.
    pub components: Vec<Component>,
    /// Cells of the whole design that weigh something.
    pub cells: BTreeMap<String, u64>,
    /// Cells of the whole design that weigh nothing (inverters that a table absorbs, pins), or that are not known.
    pub not_counted: BTreeMap<String, u64>,
}

/// Names of the units of an [`Area`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Such as ALM.
    pub logic: String,
    /// Such as M10K.
    pub ram: String,
    /// Such as DSP block.
    pub dsp: String,
}

/// The whole design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// Every cell; logic from tables, arithmetic and distributed RAM alone.
    pub area: Area,
    /// Logic cells that the flip-flops alone fill: no design can be smaller.
    pub logic_floor: Amount,
    /// Logic cells if no module shares one with another: each instance takes its logic or its flip-flops, whichever
    /// is more.
    pub logic_apart: Amount,
    /// RAM in blocks of 20 kbit (bits of a block over 20,480).
    pub ram_20k: Amount,
}

/// All instances of modules that differ only in parameters; `A` is what their cells amount to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component<A = Area> {
    /// Name in the source.
    pub name: String,
    /// Instances in the whole design.
    pub instances: u64,
    /// Their own cells.
    pub own: A,
    /// With everything below them; nothing is counted twice if a component contains itself.
    pub whole: A,
}

impl Synthesis {
    /// From what `stat -json` printed.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_stat(flow: Flow, top: &str, text: &str) -> Result<Self, String> {
        let hierarchy = Hierarchy::parse(text, top)?;
        let areas: Vec<Area> = hierarchy.modules.iter().map(|module| flow.area(&module.cells)).collect();
        let counts = hierarchy.instances(None);
        let mut cells = BTreeMap::new();
        let (mut sum, mut apart) = (Area::default(), Amount::default());
        for ((module, area), count) in hierarchy.modules.iter().zip(&areas).zip(&counts) {
            for (cell, number) in &module.cells {
                let sum = cells.entry(cell.clone()).or_insert(0u64);
                *sum = sum.saturating_add(number.saturating_mul(*count));
            }
            sum += *area * *count;
            apart += area.logic.max(flow.floor(area.ffs)) * *count;
        }
        let components = hierarchy.components(&areas);
        let (not_counted, cells) =
            cells.into_iter().partition(|(cell, _)| flow.area(&[(cell.clone(), 1)]) == Area::default());
        Ok(Self {
            yosys: hierarchy.creator.split(" (").next().unwrap_or_default().to_owned(),
            command: flow.command(top),
            units: flow.units(),
            total: Total {
                area: sum,
                logic_floor: flow.floor(sum.ffs),
                logic_apart: apart,
                ram_20k: flow.ram_20k(sum.ram),
            },
            components,
            cells,
            not_counted,
        })
    }
}
