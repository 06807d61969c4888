//! Hardware counters of a run, by NVIDIA's profiler `ncu`: instructions and bytes a label, and how near the limits are.
//!
//! A child process runs the job once under the profiler, which counts every launch of a sampling kernel (a launch is repeated for
//! counters that cannot be read at once) and writes a table. Clocks stay as they are.

use super::error::CudaError;
use serde::Serialize;
use std::collections::HashMap;
use std::process::Command;

/// Kernels that are part of a run; others prepare it.
const KERNELS: &str = "regex:^(packed_|gibbs_|drain_)";

/// Sums that are read, in the order of [`Sums`].
const SUMS: [&str; 7] = [
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    "sm__inst_executed_pipe_alu.sum",
    "sm__inst_executed_pipe_fmaheavy.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "lts__t_bytes.sum",
    "dram__bytes.sum",
];

/// The time of a launch.
const TIME: &str = "gpu__time_duration.sum";

/// Shares of the most that there can be, in percent of a launch's time, with the limit's name.
const LIMITS: [(&str, &str); 6] = [
    ("smsp__issue_active.avg.pct_of_peak_sustained_elapsed", "instructions"),
    ("sm__inst_executed_pipe_alu.sum.pct_of_peak_sustained_elapsed", "integer and logic pipe"),
    ("sm__inst_executed_pipe_fmaheavy.sum.pct_of_peak_sustained_elapsed", "multiplication pipe"),
    (
        "l1tex__data_pipe_lsu_wavefronts.sum.pct_of_peak_sustained_elapsed",
        "shared memory and first-level cache",
    ),
    ("lts__t_bytes.sum.pct_of_peak_sustained_elapsed", "second-level cache"),
    ("dram__bytes.sum.pct_of_peak_sustained_elapsed", "memory"),
];

/// How much of a limit a run used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// What is limited.
    pub name: &'static str,
    /// Percent of the most that the card can do in the time of the launches, their mean weighted by time.
    pub percent: f64,
}

/// Counters of all launches of a run, by nominal label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counters {
    /// Launches counted.
    pub launches: usize,
    /// Their time together under the profiler, seconds: launches are apart, so that it is longer than that of a run.
    pub seconds: f64,
    /// Instructions of warps times 32.
    pub lane_instructions: f64,
    /// Instructions of lanes that took part.
    pub active_lane_instructions: f64,
    /// Of `lane_instructions`, those of the integer and logic pipe.
    pub alu: f64,
    /// Of `lane_instructions`, those of the pipe that also multiplies integers.
    pub multiplications: f64,
    /// Bytes through shared memory and the first-level cache: 128 an access.
    pub first_level_bytes: f64,
    /// Bytes of the second-level cache.
    pub second_level_bytes: f64,
    /// Bytes of the card's memory, read and written.
    pub memory_bytes: f64,
    /// How near the limits are.
    pub limits: Vec<Limit>,
}

/// All that the profiler is asked for.
fn metrics() -> Vec<&'static str> {
    SUMS.into_iter().chain([TIME]).chain(LIMITS.map(|(metric, _)| metric)).collect()
}

/// Runs `command` (a program and its arguments, which sample a job once) under the profiler; `labels` nominal labels in all.
///
/// # Errors
/// [`CudaError::Driver`] if there is no profiler, it fails, or its table lacks something.
pub fn count(command: &[String], labels: u64) -> Result<Counters, CudaError> {
    let what = "count instructions and bytes with NVIDIA's profiler 'ncu' (part of Nsight Compute)";
    let failed = |cause: String| CudaError::Driver { what, cause };
    let output = Command::new("ncu")
        .args(["--csv", "--page", "raw", "--print-units", "base"])
        // The card's clocks are not ours; caches are as the launch before left them.
        .args(["--clock-control", "none", "--cache-control", "none"])
        .args(["--kernel-name", KERNELS, "--metrics", &metrics().join(",")])
        .args(command)
        .output()
        .map_err(|e| failed(e.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("{}: {} {}", output.status, error.trim(), text.trim())));
    }
    read(&text, labels).map_err(failed)
}

/// Reads the profiler's table: a line of names, one of units, one a launch; every value in quotes.
fn read(text: &str, labels: u64) -> Result<Counters, String> {
    let mut lines = text.lines().filter(|line| line.starts_with('"'));
    let names = lines.next().map(values).ok_or_else(|| format!("no table in '{}'", text.trim()))?;
    let columns: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let launches: Vec<Vec<&str>> = lines.skip(1).map(values).collect();
    let number = |launch: &[&str], metric: &str| -> Result<f64, String> {
        let value =
            columns.get(metric).and_then(|&at| launch.get(at)).ok_or_else(|| format!("no {metric}"))?;
        value.replace(',', "").parse().map_err(|_| format!("{metric} is '{value}', no number"))
    };
    let sum =
        |metric: &str| launches.iter().map(|launch| number(launch, metric)).sum::<Result<f64, String>>();
    let nanoseconds = sum(TIME)?;
    if nanoseconds <= 0.0 {
        return Err("no launch of a sampling kernel was seen".into());
    }
    let weighted = |metric: &str| {
        let parts = launches.iter().map(|launch| Ok(number(launch, metric)? * number(launch, TIME)?));
        Ok::<f64, String>(parts.sum::<Result<f64, String>>()? / nanoseconds)
    };
    let limits = LIMITS.map(|(metric, name)| Ok(Limit { name, percent: weighted(metric)? }));
    let mut sums = SUMS.map(sum).into_iter();
    let mut a_label = |factor: f64| -> Result<f64, String> {
        Ok(sums.next().ok_or("no more sums")?? * factor / labels as f64)
    };
    Ok(Counters {
        launches: launches.len(),
        seconds: nanoseconds / 1e9,
        lane_instructions: a_label(32.0)?,
        active_lane_instructions: a_label(1.0)?,
        alu: a_label(32.0)?,
        multiplications: a_label(32.0)?,
        first_level_bytes: a_label(128.0)?,
        second_level_bytes: a_label(1.0)?,
        memory_bytes: a_label(1.0)?,
        limits: limits.into_iter().collect::<Result<_, String>>()?,
    })
}

/// The values of a line of the table; none of them holds a quote.
fn values(line: &str) -> Vec<&str> {
    line.trim().trim_matches('"').split("\",\"").collect()
}

/// The counters as lines of text.
pub fn text(counters: &Counters) -> String {
    let limits: Vec<String> =
        counters.limits.iter().map(|limit| format!("{} {:.0}%", limit.name, limit.percent)).collect();
    format!(
        "    a label: {:.2} lane instructions, {:.2} of active lanes; integer and logic {:.2}, multiplication {:.2}\n    \
         bytes a label: shared and first level {:.3}, second level {:.3}, memory {:.4}\n    \
         of the limits, in {} launches of {:.3} ms: {}\n",
        counters.lane_instructions,
        counters.active_lane_instructions,
        counters.alu,
        counters.multiplications,
        counters.first_level_bytes,
        counters.second_level_bytes,
        counters.memory_bytes,
        counters.launches,
        counters.seconds * 1e3,
        limits.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two launches in the profiler's form.
    fn table(metrics: &[&str]) -> String {
        let quoted = |values: &[String]| format!("\"{}\"\n", values.join("\",\""));
        let names: Vec<String> =
            ["ID", "Kernel Name"].iter().chain(metrics).map(ToString::to_string).collect();
        let launch = |id: usize, scale: usize| -> Vec<String> {
            let values = (1..=metrics.len()).map(|n| match metrics[n - 1] {
                TIME => format!("{}", 1000 * scale),
                metric if metric.contains("pct") => format!("{}.5", 10 * n * scale),
                _ => format!("{n},{:03}", 64 * scale),
            });
            [id.to_string(), "packed_dense".into()].into_iter().chain(values).collect()
        };
        let units = vec![String::new(); names.len()];
        format!(
            "==PROF== Connected to process 7 (spa)\n{}{}{}{}==PROF== Disconnected\n",
            quoted(&names),
            quoted(&units),
            quoted(&launch(0, 1)),
            quoted(&launch(1, 3))
        )
    }

    #[test]
    fn a_table_becomes_counters_a_label() {
        let counters = read(&table(&metrics()), 64).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(counters.launches, 2);
        assert!((counters.seconds - 4e-6).abs() < 1e-12);
        // 1,064 and 1,192 instructions of warps.
        assert!((counters.lane_instructions - 2256.0 * 32.0 / 64.0).abs() < 1e-9);
        assert!((counters.memory_bytes - (7064.0 + 7192.0) / 64.0).abs() < 1e-9);
        // The ninth column: 90.5% for 1 µs, 270.5% for 3.
        assert!((counters.limits[0].percent - (90.5 + 3.0 * 270.5) / 4.0).abs() < 1e-9);
        assert!(text(&counters).contains("second level"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let less = &metrics()[1..];
        assert_eq!(read(&table(less), 64), Err("no smsp__inst_executed.sum".into()));
        assert!(read("==PROF== nothing\n", 64).is_err_and(|e| e.starts_with("no table")));
    }
}
