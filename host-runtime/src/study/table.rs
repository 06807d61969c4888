//! Tables of numbers on a terminal.

use std::fmt::Write as _;

/// A titled table: a name a row, a number a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: Vec<String>) -> Self {
        Self { title: title.into(), columns, rows: Vec::new() }
    }

    /// Adds a row of values with so many digits after the point; `None` is nothing to be told.
    pub fn row(&mut self, name: impl Into<String>, values: &[Option<f64>], digits: usize) {
        let cell = |value: &Option<f64>| value.map_or("–".to_string(), |v| format!("{v:.digits$}"));
        self.cells(name, values.iter().map(cell).collect());
    }

    /// Adds a row of texts.
    pub fn cells(&mut self, name: impl Into<String>, cells: Vec<String>) {
        self.rows.push((name.into(), cells));
    }

    /// Columns under their heads, numbers to the right.
    pub fn text(&self) -> String {
        let length = |text: &String| text.chars().count();
        let first = self.rows.iter().map(|(name, _)| length(name)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|n| {
                let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(n)).map(length);
                cells.chain([length(&self.columns[n])]).max().unwrap_or(0)
            })
            .collect();
        let mut out = format!("{}\n", self.title);
        let mut line = |name: &str, cells: &[String]| {
            let mut text = format!("  {name:<first$}");
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(text, "  {cell:>width$}");
            }
            let _ = writeln!(out, "{}", text.trim_end());
        };
        line("", &self.columns);
        self.rows.iter().for_each(|(name, cells)| line(name, cells));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new("shares, %", vec!["a".into(), "longer".into()]);
        table.row("n ≤ 1", &[Some(99.123), None], 2);
        table.row("all", &[Some(1.0), Some(100.0)], 2);
        let expected = "shares, %\n             a  longer\n  n ≤ 1  99.12       –\n  all     1.00  100.00\n";
        assert_eq!(table.text(), expected);
    }
}
