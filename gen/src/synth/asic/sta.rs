//! OpenSTA over the netlist: the slowest path, and what a cell takes at the rate at which it switches.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::netlist::Netlist;
use super::power::Watts;
use super::vcd::Activities;

/// The slowest path from flip-flop to flip-flop, or through memories whose times are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// What the tool calls itself.
    pub opensta: String,
    /// Clock that was asked for, in MHz.
    pub clock_mhz: f64,
    /// What is left of a period, negative if it is too short, in ns.
    pub slack_ns: f64,
    /// Highest clock rate, in MHz.
    pub mhz: f64,
    /// Cell where the path begins.
    pub from: String,
    /// Cell where it ends.
    pub to: String,
    /// Cells on it, the first one included.
    pub cells: u64,
}

/// Commands that read the design; paths are relative to the folder of the build.
#[must_use]
pub fn design(libraries: &[&str], netlist: &str, top: &str, clock_mhz: f64) -> String {
    let mut text = String::new();
    for library in libraries {
        let _ = writeln!(text, "read_liberty {library}");
    }
    let period = 1000.0 / clock_mhz;
    let _ = write!(
        text,
        "read_verilog {netlist}\nlink_design {top}\ncreate_clock -name clk -period {period} [get_ports clk_i]\n"
    );
    text
}

/// Commands for the slowest path.
pub const CHECKS: &str = "report_checks -path_delay max -digits 4\n";

/// Reads what [`CHECKS`] printed.
///
/// # Errors
/// What is missing.
pub fn timing(text: &str, opensta: &str, clock_mhz: f64) -> Result<Timing, String> {
    let named = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        let word = line.and_then(|rest| rest.split_whitespace().next());
        word.map(ToOwned::to_owned).ok_or_else(|| format!("OpenSTA printed no '{key}'"))
    };
    let slack = text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse::<f64>().ok()?;
        (words.next() == Some("slack")).then_some(number)
    });
    let slack_ns = slack.ok_or("OpenSTA printed no slack")?;
    // Cells of the path stand before its arrival; behind it comes the clock of its end.
    let path = text.split("data arrival time").next().unwrap_or_default();
    let cells =
        path.lines().filter(|line| line.trim_end().ends_with(')') && line.contains('/')).count() as u64;
    let period = 1000.0 / clock_mhz;
    if slack_ns >= period {
        return Err(format!("OpenSTA found a slack of {slack_ns} ns in a period of {period} ns"));
    }
    Ok(Timing {
        opensta: opensta.to_owned(),
        clock_mhz,
        slack_ns,
        mhz: (1e4 / (period - slack_ns)).round() / 10.0,
        from: named("Startpoint: ")?,
        to: named("Endpoint: ")?,
        // The pin where the path ends is not one that it goes through.
        cells: cells.saturating_sub(2),
    })
}

/// Commands that write a line for every cell: internal power, power of switching, leakage and their sum, in watts.
///
/// This version takes no activity for single pins: what it is told for a pin, it overwrites with its own guess from the inputs
/// of the design. It does take one for all pins, so each cell is looked at with its own: transitions and duty of its output, as
/// the simulation counted them. Slews and loads are those of the netlist.
#[must_use]
pub fn power(netlist: &Netlist, top: &str, activities: &Activities, output: &str) -> (String, u64) {
    let mut text = format!(
        "set corner [sta::cmd_corner]\nset file [open {output} w]\nproc p {{path toggles duty}} {{\n  global corner file\n  \
         sta::set_power_global_activity $toggles $duty\n  \
         puts $file [sta::instance_power [sta::find_instance $path] $corner]\n}}\n"
    );
    let mut number = 0;
    netlist.leaves(top, |path, _, kind| {
        if !netlist.memories.contains_key(kind) {
            let activity = activities.of(path);
            let _ = writeln!(text, "p {path} {:.6} {:.4}", activity.toggles, activity.duty);
            number += 1;
        }
    });
    (text + "close $file\n", number)
}

/// Reads a line of that file.
///
/// # Errors
/// If it is none.
pub fn watts(line: &str) -> Result<Watts, String> {
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers.as_slice() {
        [internal, switching, leakage, _] if numbers.iter().all(|number| number.is_finite()) => {
            Ok(Watts { internal: *internal, switching: *switching, leakage: *leakage })
        }
        _ => Err(format!("OpenSTA printed '{line}' for the power of a cell")),
    }
}
