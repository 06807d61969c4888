//! Assignments of a netlist bit by bit: OpenSTA takes no `assign {a, b} = {c, d};`.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Ranges of the signals of a module, from their declarations; `None` for those of one bit.
#[derive(Debug, Default)]
pub struct Ranges(HashMap<String, Option<(u32, u32)>>);

impl Ranges {
    /// Takes a line, if it declares a signal.
    pub fn declare(&mut self, line: &str) {
        let words = line.trim().strip_suffix(';').and_then(|text| text.split_once(' '));
        let Some((kind, rest)) = words else { return };
        if !["input", "output", "wire"].contains(&kind) {
            return;
        }
        let (range, name) = match rest.strip_prefix('[').and_then(|text| text.split_once("] ")) {
            Some((range, name)) => (pair(range), name),
            None => (None, rest),
        };
        self.0.insert(name.trim().to_owned(), range);
    }

    /// The lines in the place of one that assigns to several signals; `None` if it does not.
    ///
    /// # Errors
    /// If it cannot be taken apart.
    pub fn split(&self, line: &str) -> Result<Option<String>, String> {
        let Some((left, right)) = line.trim().strip_prefix("assign ").and_then(|text| text.split_once(" = "))
        else {
            return Ok(None);
        };
        if !left.starts_with('{') {
            return Ok(None);
        }
        let fail = || {
            format!(
                "the netlist has an assignment that cannot be taken apart: '{}'",
                &line.trim()[..40.min(line.trim().len())]
            )
        };
        let right = right.strip_suffix(';').ok_or_else(fail)?;
        let (left, right) = (self.bits(left).ok_or_else(fail)?, self.bits(right).ok_or_else(fail)?);
        if left.len() != right.len() {
            return Err(fail());
        }
        let mut text = String::new();
        for (to, from) in left.iter().zip(right) {
            let _ = writeln!(text, "  assign {to} = {from};");
        }
        Ok(Some(text))
    }

    /// The bits of an expression, the highest first.
    fn bits(&self, expression: &str) -> Option<Vec<String>> {
        let expression = expression.trim();
        if let Some(inner) = expression.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            let mut bits = Vec::new();
            for part in inner.split(", ") {
                bits.extend(self.bits(part)?);
            }
            return Some(bits);
        }
        if let Some((width, digits)) = expression.split_once("'b") {
            return (width.parse() == Ok(digits.len()))
                .then(|| digits.chars().map(|bit| format!("1'b{bit}")).collect());
        }
        let (name, range) = match expression.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, range)) => {
                let range = pair(range).or_else(|| range.parse().ok().map(|bit| (bit, bit)))?;
                (name, Some(range))
            }
            None => (expression, *self.0.get(expression)?),
        };
        Some(match range {
            None => vec![name.to_owned()],
            Some((high, low)) => (low..=high).rev().map(|bit| format!("{name}[{bit}]")).collect(),
        })
    }
}

fn pair(range: &str) -> Option<(u32, u32)> {
    let (high, low) = range.split_once(':')?;
    let (high, low) = (high.parse().ok()?, low.parse().ok()?);
    // More bits than any bus of a netlist has.
    (low <= high && high - low < 1 << 20).then_some((high, low))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

    use super::Ranges;

    fn ranges() -> Ranges {
        let mut ranges = Ranges::default();
        for line in
            ["  wire [3:0] bus;", "  input one;", "  output [9:8] two;", "  assign one = x;", "  FF _1_ ("]
        {
            ranges.declare(line);
        }
        ranges
    }

    #[test]
    fn an_assignment_to_several_is_taken_apart() {
        let text =
            ranges().split("  assign { bus[3:2], one, two } = { two, bus[0], 2'b0x };").unwrap().unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let expected = [
            "assign bus[3] = two[9];",
            "assign bus[2] = two[8];",
            "assign one = bus[0];",
            "assign two[9] = 1'b0;",
            "assign two[8] = 1'bx;",
        ];
        assert_eq!(lines, expected);
        for line in ["  assign bus = { one, one, one, one };", "  wire x;", ""] {
            assert_eq!(ranges().split(line).unwrap(), None);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for line in [
            "  assign { one, one } = bus;",
            "  assign { one } = other;",
            "  assign { one } = 2'b1;",
            "  assign { one } = one",
            "  assign { bus[0:3] } = bus;",
            "  assign { bus[9999999:0] } = bus;",
        ] {
            let error = ranges().split(line).unwrap_err();
            assert!(
                error.starts_with("the netlist has an assignment that cannot be taken apart: 'assign {"),
                "{error}"
            );
        }
    }
}
