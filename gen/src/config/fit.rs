//! The configuration to generate where one does not suffice.

use std::collections::BTreeMap;

use super::{Config, Draft};
use crate::parameters::{PARAMETERS, Value};

/// Parameters that follow from others unless they were given.
const DERIVED: [&str; 5] = ["s2_capacity", "tile_width_max", "tile_height_max", "cost_capacity", "rng_share"];
/// Rounds of raising parameters and growing the grid: 2^12 SPEs are more than is allowed.
const ROUNDS: usize = 40;

impl Config {
    /// This configuration with whatever is `needed` raised: `needed` names, for a configuration, parameters and the values
    /// that they must have at least (numbers) or exactly (words), and nothing if it suffices. Where one SPE cannot hold its
    /// part the grid grows. None if no configuration suffices.
    #[must_use]
    pub fn raised(&self, needed: &dyn Fn(&Self) -> Vec<(&'static str, String)>) -> Option<Self> {
        let original = self.settings();
        let (mut rows, mut cols) = (self.array.rows, self.array.cols);
        let mut settings = original.clone();
        for _ in 0..ROUNDS {
            settings.insert("rows", rows.to_string());
            settings.insert("cols", cols.to_string());
            let mut draft = Draft::new();
            settings.iter().for_each(|(name, value)| draft.set("raised", name, value));
            let Ok(config) = draft.finish() else {
                // Too much for one SPE: more of them, each with less.
                if rows < cols {
                    rows *= 2;
                } else {
                    cols *= 2;
                }
                settings.clone_from(&original);
                continue;
            };
            let more = needed(&config);
            if more.is_empty() {
                return Some(config);
            }
            settings.extend(more.into_iter().map(|(name, value)| (name, config.legal(name, value))));
        }
        None
    }

    /// Every parameter, but for those that follow from the others.
    pub(super) fn settings(&self) -> BTreeMap<&'static str, String> {
        let of = |config: &Self| -> BTreeMap<&'static str, Value> {
            PARAMETERS.iter().filter_map(|p| Some((p.name, p.get?(config)))).collect()
        };
        let own = of(self);
        let mut draft = Draft::new();
        for (name, value) in own.iter().filter(|(name, _)| !DERIVED.contains(name)) {
            draft.set("settings", name, &value.to_string());
        }
        let standard = of(&draft.resolve());
        own.into_iter()
            .filter(|(name, value)| !DERIVED.contains(name) || standard.get(name) != Some(value))
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    }

    /// The next legal value of a parameter.
    fn legal(&self, name: &str, value: String) -> String {
        let Ok(number) = value.parse::<u32>() else { return value };
        let number = match name {
            "rv_capacity" => number.checked_next_multiple_of(8),
            "s2_capacity" => number.checked_next_multiple_of(2 * self.array.spus),
            "tile_width_max" | "tile_height_max" => number.checked_next_power_of_two(),
            _ => Some(number),
        };
        number.map_or(value, |number| number.to_string())
    }
}
