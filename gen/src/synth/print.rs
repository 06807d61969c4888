//! A result as text.

use super::area::{Amount, Area};
use super::{Flow, Placement, Synthesis};
use crate::report::align;

impl Synthesis {
    /// As a table with one line a component, largest first, and the totals.
    #[must_use]
    pub fn text(&self, flow: Flow) -> String {
        let units = &self.units;
        let words = |text: &[&str]| text.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut rows = vec![words(&[
            "component",
            "instances",
            &format!("{} each", units.logic),
            &format!("own {}", units.logic),
            "own FF",
            "own RAM",
            "own DSP",
            &format!("whole {}", units.logic),
            "whole FF",
            "whole RAM",
            "whole DSP",
        ])];
        let mut components: Vec<_> = self.components.iter().collect();
        components.sort_by(|a, b| b.own.logic.cmp(&a.own.logic).then_with(|| a.name.cmp(&b.name)));
        for component in components {
            let mut row = vec![component.name.clone(), component.instances.to_string()];
            row.push(format!(
                "{:.1}",
                f64::from(component.own.logic) / f64::from(Amount::units(component.instances))
            ));
            row.extend(cells(&component.own));
            row.extend(cells(&component.whole));
            rows.push(row);
        }
        let total = &self.total;
        let totals = [
            vec![
                format!("{}, from tables, adders and distributed RAM", units.logic),
                number(total.area.logic),
            ],
            vec![format!("{}, if no module shares one with another", units.logic), number(total.logic_apart)],
            vec![
                format!("{}, floor by {} flip-flops", units.logic, total.area.ffs),
                number(total.logic_floor),
            ],
            vec![
                format!("{} ({} blocks of 20 kbit)", units.ram, total.ram_20k.ceil()),
                total.area.ram.ceil().to_string(),
            ],
            vec![units.dsp.clone(), total.area.dsp.ceil().to_string()],
        ];
        let left: Vec<String> =
            self.not_counted.iter().map(|(cell, number)| format!("{number} {cell}")).collect();
        let left =
            if left.is_empty() { String::new() } else { format!("Not counted: {}.\n", left.join(", ")) };
        format!(
            "{}, {}: {}; RAM in {}, DSP in {}\n\n{}\nTotal\n{}{left}",
            flow.name(),
            self.yosys,
            self.command,
            units.ram,
            units.dsp,
            align(rows.iter()),
            align(totals.iter()),
        )
    }
}

impl Placement {
    /// As a table with one line a seed, and the parts that the first one uses.
    #[must_use]
    pub fn text(&self) -> String {
        let mut rows = vec![["seed", "MHz", "ns", "in cells", "from", "to"].map(ToOwned::to_owned).to_vec()];
        for seed in &self.seeds {
            let (timing, path) = (&seed.timing, &seed.timing.critical);
            rows.push(vec![
                seed.seed.to_string(),
                format!("{:.1}", timing.mhz),
                format!("{:.2}", path.logic_ns + path.routing_ns),
                format!("{:.2}", path.logic_ns),
                path.from.clone(),
                path.to.clone(),
            ]);
        }
        let mut rates: Vec<f64> = self.seeds.iter().map(|seed| seed.timing.mhz).collect();
        rates.sort_by(f64::total_cmp);
        let range = match rates.as_slice() {
            [] => String::new(),
            [one] => format!("{one:.1} MHz with this seed"),
            [first, .., last] => {
                let median = (rates[(rates.len() - 1) / 2] + rates[rates.len() / 2]) / 2.0;
                format!("{} seeds: {first:.1} to {last:.1} MHz, median {median:.1}", rates.len())
            }
        };
        let parts = self.seeds.first().map(|seed| &seed.timing.parts);
        let parts = parts.into_iter().flatten().map(|(name, part)| {
            #[allow(clippy::cast_precision_loss, reason = "counts of parts are far below 2^52")]
            let share = 100.0 * part.used as f64 / part.available.max(1) as f64;
            vec![
                name.clone(),
                part.used.to_string(),
                format!("of {}", part.available),
                format!("{share:.1}%"),
            ]
        });
        let parts: Vec<Vec<String>> = parts.collect();
        format!(
            "{} of speed grade {}, {} MHz asked for; the accelerator alone, no board\n\n{}\n{range}\n\n{}",
            self.device.name(),
            self.speed,
            self.target_mhz,
            align(rows.iter()),
            align(parts.iter()),
        )
    }
}

fn cells(area: &Area) -> [String; 4] {
    [number(area.logic), area.ffs.to_string(), number(area.ram), number(area.dsp)]
}

/// With as many digits as it needs, at most one after the point.
fn number(amount: Amount) -> String {
    let text = format!("{:.1}", f64::from(amount));
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}
