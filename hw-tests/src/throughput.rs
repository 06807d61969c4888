//! Throughput of the array (design §7, first row): measured by the card's own counters.

use crate::builds;
use crate::cosim::Bench;
use crate::job::{Application, Heat, JobSpec};
use anyhow::Result;
use spa_runtime::backend::sim::SimBackendOptions;
use std::io::Write;

/// A size to measure.
struct Size {
    grid: &'static str,
    spus: u32,
    width: u32,
    height: u32,
    labels: u16,
    iterations: u32,
    /// Takes minutes.
    long: bool,
}

const SIZES: &[Size] = &[
    Size { grid: "4x4", spus: 2, width: 128, height: 96, labels: 16, iterations: 30, long: false },
    Size { grid: "4x4", spus: 2, width: 448, height: 376, labels: 56, iterations: 3, long: true },
    Size { grid: "4x4", spus: 2, width: 450, height: 375, labels: 56, iterations: 3, long: true },
    Size { grid: "4x4", spus: 2, width: 61, height: 37, labels: 56, iterations: 10, long: false },
    Size { grid: "16x1", spus: 2, width: 128, height: 96, labels: 16, iterations: 30, long: false },
    Size { grid: "16x1", spus: 2, width: 448, height: 376, labels: 56, iterations: 3, long: true },
    Size { grid: "16x1", spus: 2, width: 450, height: 375, labels: 56, iterations: 3, long: true },
    Size { grid: "16x1", spus: 2, width: 61, height: 37, labels: 56, iterations: 10, long: false },
    Size { grid: "16x1", spus: 2, width: 128, height: 96, labels: 2, iterations: 30, long: false },
    Size { grid: "16x1", spus: 2, width: 128, height: 96, labels: 4, iterations: 30, long: false },
    Size { grid: "1x1", spus: 2, width: 61, height: 37, labels: 56, iterations: 4, long: false },
    Size { grid: "1x1", spus: 2, width: 61, height: 37, labels: 2, iterations: 30, long: false },
];

/// Runs every size (of one grid, where it is named), compares it with the CPU, and prints a Markdown table.
///
/// # Errors
/// If a run fails or differs from the CPU.
pub fn measure(quick: bool, grid: Option<&str>, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "| grid | SPUs | field | L | iterations | cycles | labels/cycle/SPU | of issued slots | useful | switch gap | stalled | kcycles/s |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|---|")?;
    let wanted = |size: &&Size| !(quick && size.long) && grid.is_none_or(|grid| grid == size.grid);
    for size in SIZES.iter().filter(wanted) {
        let grid = format!("grid={}", size.grid);
        let spus = format!("spus={}", size.spus);
        let settings = [
            grid.as_str(),
            spus.as_str(),
            "rv_capacity=16384",
            "s2_capacity=16384",
            "tile_width_max=512",
            "tile_height_max=128",
        ];
        let mut bench = Bench::new(builds::config(&settings)?, SimBackendOptions::default())?;
        let mut spec = JobSpec::new(Application::Stereo { dmin: 0 }, size.width, size.height, size.labels);
        spec.iterations = size.iterations;
        spec.burn_in = size.iterations / 2;
        spec.heat = Heat::Anneal(16.0, 1.0, size.iterations.min(25));
        let job = spec.job(&bench.config.hardware, &bench.config.array)?;
        let run = bench.check(&job)?;
        let array = &run.array;
        // Of the cycles of issued slots, S a slot, L carry a label.
        let of_slots = array.slots as f64 * f64::from(run.tiling.slot_cycles) / array.cycles as f64;
        let cycles = array.cycles + array.load_cycles + array.drain_cycles;
        writeln!(
            out,
            "| {} | {} | {}x{} | {} | {} | {} | {:.4} | {of_slots:.4} | {:.4} | {} | {} | {:.0} |",
            size.grid,
            size.spus,
            size.width,
            size.height,
            size.labels,
            size.iterations,
            array.cycles,
            array.labels_per_cycle_per_spu,
            array.useful_fraction,
            run.tiling.switch_gap,
            array.stall_cycles,
            cycles as f64 / run.seconds / 1e3
        )?;
        out.flush()?;
    }
    Ok(())
}
