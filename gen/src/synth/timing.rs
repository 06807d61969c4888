//! What nextpnr reports of a placed and routed design: clock rate, critical path, parts used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A placed and routed design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Slowest clock, as nextpnr names it.
    pub clock: String,
    /// Highest frequency of that clock, in MHz.
    pub mhz: f64,
    /// Its slowest path.
    pub critical: Critical,
    /// Parts of the device in use, by their type; types of which none is used are left out.
    pub parts: BTreeMap<String, Part>,
}

/// The slowest path of a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Critical {
    /// Cell that it starts at.
    pub from: String,
    /// Cell that it ends at.
    pub to: String,
    /// Delay in cells, in ns, clock-to-output and set-up included.
    pub logic_ns: f64,
    /// Delay on wires, in ns.
    pub routing_ns: f64,
}

/// Parts of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// In the device.
    pub available: u64,
    /// In use.
    pub used: u64,
}

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Fmax>,
    critical_paths: Vec<Path>,
    utilization: BTreeMap<String, Part>,
}

#[derive(Deserialize)]
struct Fmax {
    achieved: f64,
}

#[derive(Deserialize)]
struct Path {
    from: String,
    to: String,
    path: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    #[serde(rename = "type")]
    kind: String,
    delay: f64,
    from: Pin,
    to: Pin,
}

#[derive(Deserialize)]
struct Pin {
    cell: String,
}

impl Timing {
    /// Reads the file that `nextpnr-ecp5 --report` writes.
    ///
    /// # Errors
    /// What is wrong with the text: no JSON of that form, no clock, or no path of the slowest clock.
    pub fn parse(text: &str) -> Result<Self, String> {
        let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let slowest = report.fmax.iter().min_by(|(_, a), (_, b)| a.achieved.total_cmp(&b.achieved));
        let (clock, fmax) = slowest.ok_or("it has no clock")?;
        // Events are named like 'posedge clk'; paths between clocks or from and to pins are none of the clock's own.
        let event = |text: &str| text.split_once(' ').is_some_and(|(_, name)| name == clock);
        let path = report.critical_paths.iter().find(|path| event(&path.from) && event(&path.to));
        let path = path.ok_or_else(|| format!("it has no critical path of clock '{clock}'"))?;
        let (Some(first), Some(last)) = (path.path.first(), path.path.last()) else {
            return Err(format!("the critical path of clock '{clock}' is empty"));
        };
        let delay = |routing: bool| {
            let of_kind = path.path.iter().filter(|segment| (segment.kind == "routing") == routing);
            thousandths(of_kind.map(|segment| segment.delay).sum())
        };
        Ok(Self {
            clock: clock.clone(),
            mhz: thousandths(fmax.achieved),
            critical: Critical {
                from: first.from.cell.clone(),
                to: last.to.cell.clone(),
                logic_ns: delay(false),
                routing_ns: delay(true),
            },
            parts: report.utilization.into_iter().filter(|(_, part)| part.used > 0).collect(),
        })
    }
}

/// Single precision in the report: more digits mean nothing.
fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
