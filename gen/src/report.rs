//! Figures of a build by model: memory, multipliers, cycles, log bandwidth (Eq. 3.5), links and crossbars
//! (Eq. 3.6–3.9). Nothing here is measured or synthesised, and every section says so.

pub mod bandwidth;
pub mod cycles;
pub mod memory;
pub mod network;
mod print;
pub mod replication;

use serde::Serialize;

use crate::config::Config;
use crate::error::Error;

pub use cycles::Workload;

/// What to report on besides the build itself.
#[derive(Debug, Clone)]
pub struct Request {
    /// Workloads; those of the dissertation and of the design targets if empty.
    pub workloads: Vec<Workload>,
    /// Messages for each RV update, 0 to 1 (Eq. 3.5).
    pub eviction_rate: f64,
    /// Clock for seconds, in MHz.
    pub clock_mhz: f64,
    /// How far singleton 2 reaches.
    pub reach: replication::Reach,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            workloads: Vec::new(),
            eviction_rate: 0.1,
            clock_mhz: 150.0,
            reach: replication::Reach { left: 63, right: 0, up: 0, down: 0 },
        }
    }
}

/// All figures; `source` of every part is `model`.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Version of spagen.
    pub version: String,
    /// Configuration hash.
    pub config_hash: String,
    /// Rows of SPEs.
    pub rows: u32,
    /// Columns of SPEs.
    pub cols: u32,
    /// SPUs an SPE.
    pub spus: u32,
    /// RVs of the array.
    pub rvs: u64,
    /// Bits of a log message.
    pub message_bits: u32,
    /// Memory by component.
    pub memory: memory::Memory,
    /// Multipliers and random-number cores.
    pub logic: Logic,
    /// Cycles of workloads.
    pub workloads: cycles::Workloads,
    /// Log bandwidth.
    pub bandwidth: bandwidth::Bandwidth,
    /// Links and crossbars.
    pub network: network::Network,
    /// Links against replicated margins.
    pub replication: replication::Replication,
}

/// Counted blocks of logic.
#[derive(Debug, Clone, Serialize)]
pub struct Logic {
    /// `model`.
    pub source: &'static str,
    /// Multipliers of α·S, 16 x 8 bits, one an SPU.
    pub multipliers_alpha: u32,
    /// Multipliers of β·ΣV, 10 x 8 bits, one an SPU.
    pub multipliers_beta: u32,
    /// Multipliers of u·Σw, one an SPE.
    pub multipliers_draw: u32,
    /// Their sum.
    pub multipliers: u32,
    /// Threefry cores.
    pub rng_cores: u32,
    /// Shortest slot, cycles.
    pub shortest_slot: u32,
}

/// Marks a figure that no tool has measured.
pub const MODEL: &str = "model";

impl Report {
    /// Computes every figure.
    ///
    /// # Errors
    /// [`Error::Workload`] if a requested workload is impossible or does not fit, or a rate is out of range.
    pub fn new(config: &Config, request: &Request) -> Result<Self, Error> {
        let array = &config.array;
        let spus = array.spes() * array.spus;
        let refuse =
            |what: String, cause: &str| Err(Error::Workload { workload: what, cause: cause.to_owned() });
        if !(0.0..=1.0).contains(&request.eviction_rate) {
            return refuse(
                format!("eviction rate {}", request.eviction_rate),
                "must be 0 to 1 messages an update",
            );
        }
        if !(request.clock_mhz > 0.0 && request.clock_mhz.is_finite()) {
            return refuse(format!("clock {}", request.clock_mhz), "must be more than 0 MHz");
        }
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config_hash: config.hash(),
            rows: array.rows,
            cols: array.cols,
            spus: array.spus,
            rvs: config.rvs(),
            message_bits: config.message_bits(),
            memory: memory::Memory::new(config),
            logic: Logic {
                source: MODEL,
                multipliers_alpha: spus,
                multipliers_beta: spus,
                multipliers_draw: array.spes(),
                multipliers: 2 * spus + array.spes(),
                rng_cores: array.spes().div_ceil(array.rng_share),
                shortest_slot: array.slot_cycles(2),
            },
            workloads: cycles::Workloads::new(config, request)?,
            bandwidth: bandwidth::Bandwidth::new(config, request),
            network: network::Network::new(config),
            replication: replication::Replication::new(config, request.reach),
        })
    }

    /// As JSON for machines.
    #[must_use]
    pub fn json(&self) -> String {
        // A structure of numbers and strings always serialises.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        print::markdown(&print::document(self))
    }

    /// As text with aligned columns.
    #[must_use]
    pub fn text(&self) -> String {
        print::text(&print::document(self))
    }
}

/// Rows with aligned columns: the first to the left, numbers to the right, indented by two.
pub(crate) fn align<'a>(rows: impl Iterator<Item = &'a Vec<String>>) -> String {
    let rows: Vec<&Vec<String>> = rows.collect();
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let size = |cell: &String| cell.chars().count();
    let widths: Vec<usize> =
        (0..columns).map(|c| rows.iter().filter_map(|row| row.get(c)).map(size).max().unwrap_or(0)).collect();
    let is_number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit());
    let right: Vec<bool> = (0..columns)
        .map(|c| rows.iter().skip(1).any(|row| row.get(c).is_some_and(|cell| is_number(cell))))
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (c, cell) in row.iter().enumerate() {
            let blanks = " ".repeat(widths[c] - size(cell));
            line.push(' ');
            line += &if right[c] && c > 0 { blanks + cell } else { cell.to_owned() + &blanks };
            line.push(' ');
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
