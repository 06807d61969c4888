//! The scale beside a picture and its marks.

use crate::colour::Map;
use spagen::plot::{number, ticks};

/// A scale from `low` to `high` in `unit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Its colours.
    pub map: Map,
    /// Value of 0.
    pub low: f64,
    /// Value of 1.
    pub high: f64,
    /// Unit, empty for none.
    pub unit: &'static str,
    /// True if there are whole numbers only.
    pub whole: bool,
    /// True if the picture has values above `high`, in the colour of `high`.
    pub beyond: bool,
}

impl Bar {
    /// About `count` marks: their places, 0…1, and what they say. Counts are marked from the least on. The last mark has the unit; where
    /// values are beyond the end, it is the end.
    pub fn marks(&self, count: usize) -> Vec<(f64, String)> {
        let Self { low, high, unit, whole, beyond, .. } = *self;
        let mut marks = ticks(low, high, count);
        // Marks that are nearer would run into each other.
        let near = 0.6 * (high - low) / count.max(1) as f64;
        if whole {
            marks.retain(|mark| mark.fract() == 0.0);
            if marks.first().is_some_and(|first| first - low > near) {
                marks.insert(0, low);
            }
        }
        if beyond {
            marks.retain(|mark| high - mark > near);
            marks.push(high);
        }
        let last = marks.len().saturating_sub(1);
        let label = |(n, mark): (usize, f64)| {
            let most = if beyond && n == last { "≥ " } else { "" };
            let unit = match unit {
                _ if n < last || unit.is_empty() => String::new(),
                _ if mark == 1.0 => format!(" {}", unit.trim_end_matches('s')),
                _ => format!(" {unit}"),
            };
            ((mark - low) / (high - low).max(f64::MIN_POSITIVE), format!("{most}{}{unit}", number(mark)))
        };
        marks.into_iter().enumerate().map(label).collect()
    }
}
