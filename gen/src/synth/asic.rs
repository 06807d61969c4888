//! Synthesis for the cells of a library: area, clock rate and power by component.
//!
//! Yosys maps the build on the cells of a Liberty file and leaves memories as black boxes ([`flow`]). [`netlist`] reads what it
//! wrote, [`liberty`] and [`function`] the library, [`memory`] is about the black boxes, [`sta`] has OpenSTA look at the
//! netlist, and [`models`], [`vcd`] and [`power`] have Icarus run the build's known job on it, which also proves the netlist.

mod assign;
pub mod flow;
pub mod function;
pub mod liberty;
pub mod memory;
pub mod models;
pub mod netlist;
pub mod power;
mod print;
pub mod sta;
pub mod vcd;

#[cfg(test)]
mod tests;

use std::ops::{AddAssign, Mul};

use serde::{Deserialize, Serialize};

pub use flow::{Request, run};
pub use memory::Macros;
pub use power::{Power, Watts};
pub use sta::Timing;

use liberty::Library;
use memory::Shape;
use netlist::Netlist;

use super::Component;

/// Result for one library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asic {
    /// What Yosys calls itself.
    pub yosys: String,
    /// Name of the library.
    pub library: String,
    /// SHA-256 of its text.
    pub liberty: String,
    /// Supply for which the library was made, in volts.
    pub volts: Option<f64>,
    /// Cells of the library that were not used, and why.
    pub avoided: Vec<Avoided>,
    /// Commands of the synthesis.
    pub command: String,
    /// Clock for which gates were sized, in MHz.
    pub clock_mhz: f64,
    /// Area of a NAND gate of two inputs.
    pub gate: Option<f64>,
    /// Whole design without memories.
    pub total: Cells,
    /// By component, in the order of their names.
    pub components: Vec<Component<Cells>>,
    /// What lies right below a SPE, by component, and its own cells: one SPE without memories.
    pub spe: Vec<Part>,
    /// Memories by shape.
    pub memories: Vec<Memory>,
    /// What is missing for the lack of a tool.
    pub left_out: Option<String>,
    /// Slowest path; `None` without OpenSTA. Paths from and to memories whose times are not known do not count.
    pub timing: Option<Timing>,
    /// Power; `None` if it was not asked for.
    pub power: Option<Power>,
}

/// Cells that were left alone for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avoided {
    /// The reason.
    pub reason: String,
    /// How many.
    pub cells: u64,
}

/// What cells take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// Area in the unit of the library, usually µm².
    pub area: f64,
    /// Number of cells, flip-flops included.
    pub cells: u64,
    /// Flip-flops.
    pub ffs: u64,
}

impl AddAssign for Cells {
    fn add_assign(&mut self, other: Self) {
        self.area += other.area;
        self.cells = self.cells.saturating_add(other.cells);
        self.ffs = self.ffs.saturating_add(other.ffs);
    }
}

impl Mul<u64> for Cells {
    type Output = Self;
    #[allow(clippy::cast_precision_loss, reason = "counts of cells are far below 2^52")]
    fn mul(self, times: u64) -> Self {
        Self {
            area: self.area * times as f64,
            cells: self.cells.saturating_mul(times),
            ffs: self.ffs.saturating_mul(times),
        }
    }
}

/// A part of a SPE.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Component.
    pub name: String,
    /// With everything below it.
    pub whole: Cells,
}

/// Memories of one shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Their form.
    pub shape: Shape,
    /// Components that use them, with the number in the whole design.
    pub within: Vec<(String, u64)>,
    /// Number in the whole design.
    pub instances: u64,
    /// Bits of all of them.
    pub bits: u64,
    /// Area of all of them; `None` if nobody told it.
    pub area: Option<f64>,
}

/// Component whose parts are shown.
const SPE: &str = "spa_spe";
/// Modules that only wrap a memory: what uses them is more telling.
const WRAPPERS: [&str; 2] = ["spa_ram_1r1w", "spa_lutram_1r1w"];

impl Asic {
    /// Counts and weighs what stands in a netlist.
    ///
    /// # Errors
    /// If the netlist has cells that the library has not.
    fn new(netlist: &Netlist, library: &Library, macros: &Macros, top: &str) -> Result<Self, String> {
        let hierarchy = netlist.hierarchy(top)?;
        let mut areas = Vec::new();
        for module in &hierarchy.modules {
            let mut sum = Cells::default();
            for (name, number) in &module.cells {
                if netlist.memories.contains_key(name) {
                    continue;
                }
                let cell = library
                    .cells
                    .get(name)
                    .ok_or_else(|| format!("the netlist has a cell '{name}', the library not"))?;
                sum += Cells { area: cell.area, cells: 1, ffs: u64::from(cell.state.is_some()) } * *number;
            }
            areas.push(sum);
        }
        let components = hierarchy.components(&areas);
        let total = components
            .iter()
            .find(|component| component.name == top)
            .map(|component| component.whole)
            .unwrap_or_default();
        Ok(Self {
            yosys: String::new(),
            library: library.name.clone(),
            liberty: String::new(),
            volts: library.volts,
            avoided: avoided(library),
            command: String::new(),
            clock_mhz: 0.0,
            gate: library.nand(),
            total,
            components,
            spe: parts(&hierarchy, &areas),
            memories: memories(netlist, macros, top),
            left_out: None,
            timing: None,
            power: None,
        })
    }

    /// Bits of all memories.
    #[must_use]
    pub fn memory_bits(&self) -> u64 {
        self.memories.iter().map(|memory| memory.bits).sum()
    }

    /// Area of all memories; `None` if that of one is not known.
    #[must_use]
    pub fn memory_area(&self) -> Option<f64> {
        self.memories.iter().map(|memory| memory.area).sum()
    }

    /// Area of a SPE without memories.
    #[must_use]
    pub fn spe_area(&self) -> f64 {
        self.spe.iter().map(|part| part.whole.area).sum()
    }
}

fn avoided(library: &Library) -> Vec<Avoided> {
    let mut reasons: Vec<Avoided> = Vec::new();
    for reason in library.cells.values().filter_map(|cell| cell.avoid) {
        match reasons.iter_mut().find(|known| known.reason == reason) {
            Some(known) => known.cells += 1,
            None => reasons.push(Avoided { reason: reason.to_owned(), cells: 1 }),
        }
    }
    reasons
}

fn parts(hierarchy: &super::hierarchy::Hierarchy, areas: &[Cells]) -> Vec<Part> {
    let whole = hierarchy.subtrees(areas);
    let Some(spe) = hierarchy.modules.iter().position(|module| module.name == SPE) else { return Vec::new() };
    let mut parts = vec![Part { name: SPE.to_owned(), whole: areas[spe] }];
    for (child, number) in &hierarchy.modules[spe].children {
        let name = &hierarchy.modules[*child].name;
        let amount = whole[*child] * *number;
        match parts.iter_mut().find(|part| part.name == *name) {
            Some(part) => part.whole += amount,
            None => parts.push(Part { name: name.clone(), whole: amount }),
        }
    }
    parts.sort_by(|a, b| b.whole.area.total_cmp(&a.whole.area).then_with(|| a.name.cmp(&b.name)));
    parts
}

fn memories(netlist: &Netlist, macros: &Macros, top: &str) -> Vec<Memory> {
    let mut found: Vec<Memory> = Vec::new();
    netlist.leaves(top, |_, within, kind| {
        let Some(shape) = netlist.memories.get(kind) else { return };
        let user = within.iter().rev().map(|module| netlist.modules[*module].component.as_str());
        let user = user.into_iter().find(|name| !WRAPPERS.contains(name)).unwrap_or(top);
        let at = found.iter().position(|memory| memory.shape == *shape).unwrap_or_else(|| {
            found.push(Memory { shape: *shape, within: Vec::new(), instances: 0, bits: 0, area: None });
            found.len() - 1
        });
        let memory = &mut found[at];
        memory.instances += 1;
        memory.bits += shape.bits();
        if let Some(known) = macros.of(shape) {
            *memory.area.get_or_insert(0.0) += known.area;
        }
        match memory.within.iter_mut().find(|(name, _)| name == user) {
            Some((_, number)) => *number += 1,
            None => memory.within.push((user.to_owned(), 1)),
        }
    });
    found.sort_by(|a, b| b.bits.cmp(&a.bits).then_with(|| a.shape.cmp(&b.shape)));
    found
}
