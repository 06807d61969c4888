//! A line chart as SVG; colours are those of the page.

use spagen::plot::{number, ticks};
use std::fmt::Write as _;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 220.0;
/// Left, right, top and bottom of the plot.
const PLOT: (f64, f64, f64, f64) = (70.0, 530.0, 12.0, 184.0);

/// Draws `points` (iteration, value) over `total` iterations, of which the first `burn_in` were not collected. `from_zero`
/// starts the value axis at 0.
pub fn line(points: &[(f64, f64)], total: u32, burn_in: u32, from_zero: bool) -> String {
    let (left, right, top, bottom) = PLOT;
    let values = || points.iter().map(|p| p.1);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let low = if from_zero { 0.0 } else { values().fold(f64::INFINITY, f64::min) };
    let range = if high > low { high - low } else { high.abs().max(1.0) };
    let x = |iteration: f64| left + (right - left) * iteration / f64::from(total.max(1));
    let y = |value: f64| bottom - (bottom - top) * (value - low) / range;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" class=\"chart\">");
    if burn_in > 0 {
        let _ = write!(
            svg,
            "<rect class=\"burn\" x=\"{left}\" y=\"{top}\" width=\"{:.1}\" height=\"{:.1}\"/><text class=\"note\" \
             x=\"{:.1}\" y=\"{:.1}\">not collected</text>",
            x(burn_in.into()) - left,
            bottom - top,
            left + 6.0,
            bottom - 6.0
        );
    }
    let values = (4..=9).map(|count| ticks(low, low + range, count)).find(|ticks| ticks.len() >= 3);
    let values = values.unwrap_or_else(|| ticks(low, low + range, 10));
    for (tick, text) in values.iter().zip(texts(&values)) {
        let at = y(*tick);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text class=\"y\" x=\"{:.1}\" \
             y=\"{:.1}\">{text}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let iterations = ticks(0.0, total.into(), 6);
    for (tick, text) in iterations.iter().zip(texts(&iterations)) {
        let at = x(*tick);
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{bottom}\" y2=\"{:.1}\"/><text class=\"x\" x=\"{at:.1}\" \
             y=\"{:.1}\">{text}</text>",
            bottom + 4.0,
            bottom + 18.0
        );
    }
    let path: Vec<String> = points.iter().map(|&(i, v)| format!("{:.1},{:.1}", x(i), y(v))).collect();
    let _ = write!(
        svg,
        "<line class=\"axis\" x1=\"{left}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/><polyline class=\"line\" \
         points=\"{}\"/><text class=\"x\" x=\"{:.1}\" y=\"{:.1}\">iteration</text></svg>",
        path.join(" "),
        (left + right) / 2.0,
        HEIGHT - 2.0
    );
    svg
}

/// Texts of ticks: large numbers short, unless two would read the same.
fn texts(ticks: &[f64]) -> Vec<String> {
    let texts: Vec<String> = ticks.iter().map(|&tick| short(tick)).collect();
    let alike = texts.windows(2).any(|pair| pair[0] == pair[1]);
    if alike { ticks.iter().map(|&tick| number(tick)).collect() } else { texts }
}

/// Large numbers with a prefix.
fn short(value: f64) -> String {
    if value.abs() >= 10_000.0 {
        crate::summary::with_prefix(value).trim().to_string()
    } else {
        number(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_from_end_to_end() {
        let svg = line(&[(0.0, 20.0), (100.0, 10.0)], 100, 50, true);
        assert!(svg.contains("points=\"70.0,12.0 530.0,98.0\""), "{svg}");
        assert!(svg.contains("class=\"burn\"") && svg.contains(">iteration<"));
        // Half of the widest text stays inside: 12 px a digit would be too much for any font here.
        assert!(svg.contains("x=\"530.0\" y=\"202.0\">100<") && WIDTH - PLOT.1 >= 30.0);
        // Every axis has several marks, which differ.
        for (low, high) in [(5.1, 13.1), (1_234_000.0, 1_236_900.0), (0.0, 1.0), (99.0, 1001.0)] {
            let svg = line(&[(0.0, high), (9.0, low)], 9, 0, false);
            let mut marks: Vec<&str> =
                svg.split("class=\"y\"").skip(1).map(|text| text.split(['>', '<']).nth(1).unwrap()).collect();
            marks.dedup();
            assert!(
                marks.len() >= 3 && marks.len() == svg.matches("class=\"y\"").count(),
                "{low} {high}: {marks:?}"
            );
        }
        // Equal values and a single iteration are no division by zero.
        assert!(!line(&[(0.0, 5.0), (0.0, 5.0)], 0, 0, false).contains("NaN"));
    }
}
