//! The table of `spa eval`.

use super::{Measures, Report};
use std::fmt::Write as _;

/// The report for people.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    let truths = match report.truth.as_slice() {
        [one] => one.display().to_string(),
        more => format!("{} segmentations", more.len()),
    };
    let scale = report.truth_scale.filter(|&s| s != 1.0).map(|s| format!(" / {s}")).unwrap_or_default();
    let _ = writeln!(out, "{} of {} against {truths}{scale}", report.kind, report.result.display());
    let mut rows = Rows::default();
    for region in &report.regions {
        rows.column(region.name);
        match &region.measures {
            Measures::Stereo(m) => {
                rows.add("pixels with truth", Some(m.pixels as f64), 0, "");
                rows.add("answered", m.answered, 2, "%");
                for bad in &m.bad {
                    rows.add(&format!("bad pixels > {}", bad.threshold), bad.percent, 2, "%");
                }
                rows.add("outliers (3 px, 5%)", m.outliers, 2, "%");
                rows.add("mean error", m.error, 3, "px");
                rows.add("root mean square error", m.rmse, 3, "px");
            }
            Measures::Flow(m) => {
                rows.add("pixels with truth", Some(m.pixels as f64), 0, "");
                rows.add("answered", m.answered, 2, "%");
                rows.add("end-point error", m.end_point.mean, 3, "px");
                rows.add("  deviation", m.end_point.deviation, 3, "px");
                rows.add("  median", m.end_point.median, 3, "px");
                rows.add("  75% within", m.end_point.p75, 3, "px");
                rows.add("  95% within", m.end_point.p95, 3, "px");
                rows.add("angular error", m.angular.mean, 2, "degrees");
                rows.add("  deviation", m.angular.deviation, 2, "degrees");
                rows.add("  median", m.angular.median, 2, "degrees");
                rows.add("  75% within", m.angular.p75, 2, "degrees");
                rows.add("  95% within", m.angular.p95, 2, "degrees");
                for bad in &m.bad {
                    rows.add(&format!("wrong by > {}", bad.threshold), bad.percent, 2, "%");
                }
                rows.add("outliers (3 px, 5%)", m.outliers, 2, "%");
            }
            Measures::Segment(m) => {
                rows.add("classes found", Some(m.classes as f64), 0, "");
                rows.add("variation of information", Some(m.mean.vi), 3, "bits");
                rows.add(&format!("boundary recall ({} px)", m.tolerance), m.mean.recall, 2, "%");
                rows.add(&format!("boundary precision ({} px)", m.tolerance), m.mean.precision, 2, "%");
            }
        }
        for risk in region.risk.iter().flatten() {
            rows.add(&format!("area under risk > {} (random: 1)", risk.threshold), risk.area, 3, "");
        }
    }
    out += &rows.text();
    for check in &report.limits {
        let _ = writeln!(out, "  {}  {check}", if check.kept { "kept    " } else { "EXCEEDED" });
    }
    out
}

/// Rows of names with one value a column.
#[derive(Default)]
struct Rows {
    columns: Vec<&'static str>,
    rows: Vec<(String, Vec<String>, &'static str)>,
    next: usize,
}

impl Rows {
    fn column(&mut self, name: &'static str) {
        self.columns.push(name);
        self.next = 0;
    }

    /// The next value of the current column; every column has the same rows.
    fn add(&mut self, name: &str, value: Option<f64>, digits: usize, unit: &'static str) {
        let text = value.map_or_else(|| "–".to_string(), |value| format!("{value:.digits$}"));
        match self.rows.get_mut(self.next) {
            Some((_, values, _)) => values.push(text),
            None => self.rows.push((name.to_string(), vec![text], unit)),
        }
        self.next += 1;
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let wide = self.rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
        if self.columns.len() > 1 {
            let _ = write!(out, "  {:wide$}", "");
            for name in &self.columns {
                let _ = write!(out, "  {name:>9}");
            }
            out.push('\n');
        }
        for (name, values, unit) in &self.rows {
            let _ = write!(out, "  {name:wide$}");
            for value in values {
                let _ = write!(out, "  {value:>9}");
            }
            let _ = writeln!(out, "{}{unit}", if unit.is_empty() { "" } else { " " });
        }
        out
    }
}
