//! Cycles of a workload: slots, useful share, load and drain (docs/array.md §3, §4).

use serde::Serialize;
use spa_model::geometry::{pipeline_latency, switch_distance};

use super::memory::round;
use super::{MODEL, Request};
use crate::config::Config;
use crate::error::Error;

/// A field, its labels and how long it is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// W.
    pub width: u32,
    /// H.
    pub height: u32,
    /// L.
    pub labels: u32,
    /// Iterations, burn-in included.
    pub iterations: u32,
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.width, self.height, self.labels)
    }
}

/// Figures of a workload on a build.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// The workload.
    pub workload: Workload,
    /// Why it cannot run on this build; the other figures are null then.
    pub unfit: Option<String>,
    /// The rest.
    #[serde(flatten)]
    pub figures: Option<Figures>,
}

/// What a fitting workload takes.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// w.
    pub tile_width: u32,
    /// h.
    pub tile_height: u32,
    /// S, cycles.
    pub slot_cycles: u32,
    /// Cycles between half-steps.
    pub switch_gap: u32,
    /// Slots issued in each SPE.
    pub issued_slots: u64,
    /// Share of SPU slots that update a RV of the field.
    pub useful_fraction: f64,
    /// Labels a cycle and SPU, first issue to last write, padding counted as work.
    pub labels_per_cycle_per_spu: f64,
    /// The same without padding.
    pub useful_labels_per_cycle_per_spu: f64,
    /// Cycles of sampling.
    pub run_cycles: u64,
    /// Cycles of loading, at most (memory keeps up, singleton 2 without margins).
    pub load_cycles: u64,
    /// Cycles of draining, at most (two messages an RV).
    pub drain_cycles: u64,
    /// Seconds at the clock asked for.
    pub seconds: f64,
    /// Labels a second at that clock (10^9).
    pub giga_labels_per_second: f64,
}

/// Figures of several workloads.
#[derive(Debug, Clone, Serialize)]
pub struct Workloads {
    /// `model`.
    pub source: &'static str,
    /// Clock that seconds are given for.
    pub clock_mhz: f64,
    /// One by one.
    pub runs: Vec<Run>,
}

/// Tables 3.2 and the design targets: what is reported when nothing is asked for.
const STANDARD: &[Workload] = &[
    Workload { width: 128, height: 96, labels: 16, iterations: 30 },
    Workload { width: 348, height: 278, labels: 28, iterations: 3000 },
    Workload { width: 435, height: 383, labels: 30, iterations: 1500 },
    Workload { width: 448, height: 376, labels: 56, iterations: 3000 },
    Workload { width: 450, height: 375, labels: 56, iterations: 3000 },
    Workload { width: 584, height: 388, labels: 49, iterations: 3000 },
    Workload { width: 210, height: 190, labels: 49, iterations: 3000 },
];

impl Workloads {
    /// Figures of the requested workloads, or of the standard ones.
    ///
    /// # Errors
    /// [`Error::Workload`] if a requested workload is impossible on any build, or does not fit this one.
    pub fn new(config: &Config, request: &Request) -> Result<Self, Error> {
        let asked = !request.workloads.is_empty();
        let list = if asked { &request.workloads } else { STANDARD };
        let mut runs = Vec::new();
        for workload in list {
            let (unfit, figures) = match figures(config, *workload, request.clock_mhz) {
                Ok(figures) => (None, Some(figures)),
                Err(cause) if asked => {
                    return Err(Error::Workload { workload: workload.to_string(), cause });
                }
                Err(cause) => (Some(cause), None),
            };
            runs.push(Run { workload: *workload, unfit, figures });
        }
        Ok(Self { source: MODEL, clock_mhz: request.clock_mhz, runs })
    }
}

#[allow(clippy::cast_precision_loss)]
fn figures(config: &Config, workload: Workload, clock_mhz: f64) -> Result<Figures, String> {
    let (array, hardware) = (&config.array, &config.hardware);
    let Workload { width, height, labels, iterations } = workload;
    if !(1..=65535).contains(&width) || !(1..=65535).contains(&height) {
        return Err("sizes must be 1 to 65535".to_owned());
    }
    if labels < 2 || labels > hardware.labels_max() {
        return Err(format!(
            "labels must be 2 to {} with label_bits = {}",
            hardware.labels_max(),
            hardware.label_bits
        ));
    }
    if !(1..=(1 << 24) - 2).contains(&iterations) {
        return Err("iterations must be 1 to 16777214".to_owned());
    }
    let tile_width = width.div_ceil(array.cols).next_multiple_of(array.tile_step());
    let tile_height = height.div_ceil(array.rows).next_multiple_of(2);
    let rvs = u64::from(tile_width) * u64::from(tile_height);
    let needs = [
        ("rv_capacity", rvs, array.rv_capacity),
        ("s2_capacity", rvs, array.s2_capacity),
        ("tile_width_max", tile_width.into(), array.tile_width_max),
        ("tile_height_max", tile_height.into(), array.tile_height_max),
    ];
    if let Some((name, needed, has)) = needs.iter().find(|(_, needed, has)| *needed > u64::from(*has)) {
        return Err(format!("needs {name} = {needed}, the build has {has}"));
    }
    let slot = u64::from(array.slot_cycles(labels));
    let groups = tile_width / (2 * array.spus);
    let latency = 3 * u64::from(labels) + u64::from(pipeline_latency(array.spus));
    let covered = u64::from(switch_distance(groups, tile_height)) * slot;
    let gap = latency.saturating_sub(covered);
    let slots = 2 * u64::from(groups) * u64::from(tile_height);
    let steps = u64::from(iterations);
    let run_cycles = steps * (slots * slot + 2 * gap) + latency;

    let (spes, spus) = (f64::from(array.spes()), f64::from(array.spus));
    let field = f64::from(width) * f64::from(height);
    let useful_fraction = field / (rvs as f64 * spes);
    let per_cycle = steps as f64 * (slots * u64::from(labels)) as f64 / run_cycles as f64;
    let all = rvs * u64::from(array.spes());
    let halos = 2 * u64::from(tile_width + tile_height) * u64::from(array.spes());
    let tables = u64::from(4 * labels + 16 * array.schedule_entries);
    let leaves = u64::from(array.spes().div_ceil(4)).min(4);
    let per_line = u64::from(array.line_bits / config.message_bits());
    let load_cycles = 3 * all + halos + tables;
    let drain_cycles = (2 * all).div_ceil(leaves.min(per_line));
    let seconds = (run_cycles + load_cycles + drain_cycles) as f64 / (clock_mhz * 1e6);
    Ok(Figures {
        tile_width,
        tile_height,
        slot_cycles: array.slot_cycles(labels),
        switch_gap: gap.try_into().unwrap_or(u32::MAX),
        issued_slots: steps * slots,
        useful_fraction: round(useful_fraction),
        labels_per_cycle_per_spu: round(per_cycle),
        useful_labels_per_cycle_per_spu: round(per_cycle * useful_fraction),
        run_cycles,
        load_cycles,
        drain_cycles,
        seconds: round(seconds),
        giga_labels_per_second: round(per_cycle * useful_fraction * spes * spus * clock_mhz / 1e3),
    })
}
