//! Scales beside pictures and along axes: round marks, numbers without needless digits.

use crate::colour::Map;

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

/// Round numbers between `low` and `high`, about `count` of them.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let range = high - low;
    if range.is_nan() || range <= 0.0 {
        return vec![low];
    }
    let rough = range / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

/// A number without needless digits, with a real minus.
pub fn number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    let text = if rounded == 0.0 { "0".to_string() } else { rounded.to_string() };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 59.0, 5), [0.0, 20.0, 40.0]);
        assert_eq!(ticks(-3.0, 3.0, 6), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(5.0, 5.0, 5), [5.0]);
        assert_eq!(
            (number(0.6000000000000001), number(-3.0), number(-0.0)),
            ("0.6".into(), "−3".into(), "0".into())
        );
    }
}
