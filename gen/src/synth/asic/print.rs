//! A result as text.

use super::{Asic, Cells, Watts};
use crate::report::align;

impl Asic {
    /// As tables: components, largest first; parts of a SPE; memories; totals, timing and power.
    #[must_use]
    pub fn text(&self) -> String {
        let volts = self.volts.map_or_else(String::new, |volts| format!(" at {volts} V"));
        let mut text = format!(
            "{}{volts}, {}, gates sized for {} MHz\nArea in the unit of the library (usually µm²), without memories; no placement, no \
             wires, no clock tree\n\n",
            self.library, self.yosys, self.clock_mhz
        );
        text += &align(self.component_rows().iter());
        text += &format!("\nOne SPE, without memories: {}\n", number(self.spe_area()));
        text += &align(self.spe_rows().iter());
        text += "\nMemories, which are black boxes here\n";
        text += &align(self.memory_rows().iter());
        text += "\nTotal\n";
        text += &align(self.totals().iter());
        if let Some(left_out) = &self.left_out {
            text += &format!("Left out: {left_out}\n");
        }
        if self.memory_area().is_none() {
            text += "Memories without a known area are not in any sum; --macros FILE tells them.\n";
        }
        text
    }

    fn component_rows(&self) -> Vec<Vec<String>> {
        let mut head =
            words(&["component", "instances", "own area", "own cells", "own FF", "whole area", "share"]);
        if self.power.is_some() {
            head.extend(words(&["own mW", "whole mW"]));
        }
        let mut rows = vec![head];
        let mut components: Vec<_> = self.components.iter().collect();
        components.sort_by(|a, b| b.own.area.total_cmp(&a.own.area).then_with(|| a.name.cmp(&b.name)));
        for component in components {
            let Cells { area, cells, ffs } = component.own;
            let mut row = vec![component.name.clone(), component.instances.to_string(), number(area)];
            row.extend([cells.to_string(), ffs.to_string(), number(component.whole.area)]);
            row.push(percent(component.whole.area, self.total.area));
            if let Some(power) = &self.power {
                let parts = power.components.get(&component.name).copied().unwrap_or_default();
                row.extend([milliwatts(parts.own.sum()), milliwatts(parts.whole.sum())]);
            }
            rows.push(row);
        }
        rows
    }

    fn spe_rows(&self) -> Vec<Vec<String>> {
        let total = self.spe_area();
        let mut head = words(&["part", "area", "share", "cells", "FF"]);
        let watts = self.power.as_ref().map_or(0.0, |power| power.spe.values().map(Watts::sum).sum());
        if self.power.is_some() {
            head.extend(words(&["mW, all SPEs", "share"]));
        }
        let mut rows = vec![head];
        rows.extend(self.spe.iter().map(|part| {
            let Cells { area, cells, ffs } = part.whole;
            let name = if part.name == super::SPE { "its own cells".to_owned() } else { part.name.clone() };
            let mut row = vec![name, number(area), percent(area, total), cells.to_string(), ffs.to_string()];
            if let Some(power) = &self.power {
                let part = power.spe.get(&part.name).copied().unwrap_or_default().sum();
                row.extend([milliwatts(part), percent(part, watts)]);
            }
            row
        }));
        rows
    }

    fn memory_rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![words(&["words x bits", "read", "instances", "bits", "area", "in"])];
        rows.extend(self.memories.iter().map(|memory| {
            let users: Vec<String> =
                memory.within.iter().map(|(name, number)| format!("{number} {name}")).collect();
            vec![
                format!("{}x{}", memory.shape.depth, memory.shape.width),
                if memory.shape.clocked { "clocked" } else { "direct" }.to_owned(),
                memory.instances.to_string(),
                memory.bits.to_string(),
                memory.area.map_or_else(|| "not known".to_owned(), number),
                users.join(", "),
            ]
        }));
        rows
    }

    fn totals(&self) -> Vec<Vec<String>> {
        let mut rows = vec![vec!["area without memories".to_owned(), number(self.total.area)]];
        if let Some(gate) = self.gate {
            rows.push(vec!["gates (NAND2) without memories".to_owned(), number(self.total.area / gate)]);
        }
        rows.push(vec!["cells".to_owned(), self.total.cells.to_string()]);
        rows.push(vec!["flip-flops".to_owned(), self.total.ffs.to_string()]);
        rows.push(vec!["bits of memory".to_owned(), self.memory_bits().to_string()]);
        if let Some(area) = self.memory_area() {
            rows.push(vec!["area of memories, as given".to_owned(), number(area)]);
        }
        if let Some(timing) = &self.timing {
            rows.push(vec![
                format!("MHz, slowest path {} to {}", timing.from, timing.to),
                format!("{:.1}", timing.mhz),
            ]);
            rows.push(vec![
                format!("ns of slack at {} MHz, OpenSTA {}", timing.clock_mhz, timing.opensta),
                format!("{:.3}", timing.slack_ns),
            ]);
        }
        if let Some(power) = &self.power {
            let name = |what: &str| format!("mW, {}, {what}", power.source);
            rows.push(vec![name(&format!("at {} MHz", power.clock_mhz)), milliwatts(power.total.sum())]);
            rows.push(vec![name("within cells"), milliwatts(power.total.internal)]);
            rows.push(vec![name("switching"), milliwatts(power.total.switching)]);
            rows.push(vec![name("leakage"), milliwatts(power.total.leakage)]);
            if let Some(memories) = power.memories {
                rows.push(vec![name("memories, as given"), milliwatts(memories)]);
            }
            rows.push(vec![
                "memories whose power is not known".to_owned(),
                power.memories_unknown.to_string(),
            ]);
            rows.push(vec![
                format!("transitions a cycle of an output, over {} cycles", power.cycles),
                format!("{:.4}", power.activity),
            ]);
        }
        rows
    }
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(ToString::to_string).collect()
}

fn number(value: f64) -> String {
    format!("{value:.0}")
}

fn percent(part: f64, of: f64) -> String {
    format!("{:.1}%", if of > 0.0 { 100.0 * part / of } else { 0.0 })
}

/// Watts in milliwatts.
fn milliwatts(watts: f64) -> String {
    format!("{:.3}", 1000.0 * watts)
}
