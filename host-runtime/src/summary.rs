//! The summary of a run: `summary.json`, and what `--json` prints.

use crate::app::Application;
use crate::backend::{ArrayReport, LogReport};
use crate::diagnostics::converge::Convergence;
use crate::drive::Saved;
use crate::error::{Error, Result};
use crate::formats::text_of;
use crate::lowest::Lowest;
use crate::plan::{Mapping, Plan};
use crate::uncertainty::files::Overview;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use spa_model::hash::sha256_hex;
use spa_model::{Job, Record};
use spagen::parameters::counted;
use std::path::Path;

/// Everything about one run. Keys that make no sense for a backend are null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// `stereo`, `flow` or `segment`.
    pub application: String,
    /// Name of the backend.
    pub backend: String,
    /// W
    pub width: u32,
    /// H
    pub height: u32,
    /// L
    pub labels: u16,
    /// Iterations, burn-in included.
    pub iterations: u32,
    /// First collected iteration.
    pub burn_in: u32,
    /// True if the run was stopped before its end: everything is of the iterations done, and of the chains that `chains` lists.
    #[serde(default)]
    pub partial: bool,
    /// Iterations done: all, unless the run was stopped; of several chains those of the one that has fewest.
    #[serde(default)]
    pub iterations_done: u32,
    /// Iterations that a checkpoint brought along; null if the run was not resumed.
    #[serde(default)]
    pub resumed_from: Option<u32>,
    /// What became of the checkpoints; null without `--checkpoint`.
    #[serde(default)]
    pub checkpoint: Option<Saved>,
    /// Seed.
    pub seed: u64,
    /// The record: every parameter that changes bits (contract §1).
    pub parameters: serde_json::Value,
    /// SHA-256 of the canonical text of the record.
    pub record_hash: String,
    /// From the parameters as given to integers.
    pub mapping: Mapping,
    /// Least disparity, of stereo.
    pub dmin: Option<i16>,
    /// Side of the window, of flow.
    pub window: Option<u16>,
    /// Grey value of every class, of segmentation.
    pub values: Option<Vec<u8>>,
    /// Preset, data term and other options of the application, and the runs before this one.
    pub settings: Option<serde_json::Value>,
    /// Nominal labels: free RVs · L · iterations done.
    pub labels_evaluated: u64,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
    /// Seconds of the run itself, the last one of the command.
    pub wall_seconds: f64,
    /// Seconds from the command's beginning to the end of that run: pictures, cost tables, the runs before it and the search of
    /// `--iterations auto`, too.
    #[serde(default)]
    pub total_seconds: f64,
    /// Those of this process / `wall_seconds`.
    pub labels_per_second: Option<f64>,
    /// Shape of the array.
    pub array: Option<Array>,
    /// Hash of the build's configuration, if one was given.
    pub build: Option<String>,
    /// Cycles from first issue to last write-back.
    pub cycles: Option<u64>,
    /// Labels of issued slots, by cycle and SPU.
    pub labels_per_cycle_per_spu: Option<f64>,
    /// Share of issued updates that were not padding.
    pub useful_fraction: Option<f64>,
    /// Cycles in which a slot was withheld.
    pub stall_cycles: Option<u64>,
    /// Cycles of loading.
    pub load_cycles: Option<u64>,
    /// Cycles of the final drain.
    pub drain_cycles: Option<u64>,
    /// The label log.
    pub log: Log,
    /// Hashes that backends are compared by (contract §8); of several chains together.
    pub hashes: Hashes,
    /// Each of several chains; of one there is no such key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chains: Option<Vec<ChainSummary>>,
    /// How `--iterations auto` ended; without it there is no such key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convergence: Option<Convergence>,
    /// What `--uncertainty` found; without it there is no such key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<Overview>,
    /// Total energy of `labels.npy`, in whole numbers (contract §3), where the run followed it.
    #[serde(default)]
    pub energy: Option<u64>,
    /// What `--lowest` found; without it there is no such key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowest: Option<Lowest>,
    /// Mean share of the mode among the collected iterations, 0…1; null if nothing was collected.
    pub mean_confidence: Option<f64>,
    /// `histogram.npy` or `histogram.npz`; null if nothing was collected.
    pub histogram_file: Option<String>,
    /// Version of spa.
    pub version: String,
}

/// Shape of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// SPEs.
    pub spe: u32,
    /// SPUs in each.
    pub spu: u32,
    /// Rows of SPEs.
    pub rows: u32,
    /// Columns of SPEs.
    pub cols: u32,
}

/// The label log; on software backends as the build, or the default format, would write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// Messages.
    pub messages: u64,
    /// Lines.
    pub lines: u64,
    /// Bytes of those lines.
    pub bytes: u64,
    /// One byte a label of a free RV and collected iteration.
    pub bytes_without_log: u64,
}

/// One of several chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSummary {
    /// Its number.
    pub chain: u8,
    /// Iterations done: all, unless it was stopped.
    #[serde(default)]
    pub iterations_done: u32,
    /// Seconds of its run.
    pub wall_seconds: f64,
    /// Its own hashes: those of a run of this chain alone.
    pub hashes: Hashes,
}

/// SHA-256 of the three results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hashes {
    /// Labels after the last iteration.
    pub labels: String,
    /// Histogram.
    pub histogram: String,
    /// Sorted messages.
    pub messages: String,
}

impl Summary {
    /// The summary of what `backend` made of `plan`.
    ///
    /// # Errors
    /// [`Error::Usage`] if the record has no canonical text, which a checked job rules out.
    pub fn new(
        plan: &Plan,
        backend: &str,
        build: Option<String>,
        figures: Figures,
        histogram_file: &str,
    ) -> Result<Self> {
        let (problem, run) = (plan.job.problem(), plan.job.run());
        let chains = figures.chains.as_ref().map_or(1, Vec::len);
        let record = Record::of_chains(&plan.job, figures.of_chains);
        let text = record.text().map_err(|e| Error::usage(e.to_string()))?;
        let evaluated = plan.job.labels_evaluated() * chains as u64;
        let array = figures.array.as_ref();
        Ok(Self {
            application: plan.application.name().to_string(),
            backend: backend.to_string(),
            width: problem.width,
            height: problem.height,
            labels: problem.labels,
            iterations: plan.job.iterations(),
            burn_in: run.burn_in,
            partial: false,
            iterations_done: plan.job.iterations(),
            resumed_from: None,
            checkpoint: None,
            seed: run.seed,
            parameters: serde_json::from_str(&text).map_err(|e| Error::usage(e.to_string()))?,
            record_hash: sha256_hex(text.as_bytes()),
            mapping: plan.mapping.clone(),
            dmin: if let Application::Stereo { dmin } = plan.application { Some(dmin) } else { None },
            window: if let Application::Flow { window } = plan.application { Some(window) } else { None },
            values: plan.values.clone(),
            settings: None,
            labels_evaluated: evaluated,
            labels_touched: figures.labels_touched,
            wall_seconds: figures.wall_seconds,
            total_seconds: figures.wall_seconds,
            labels_per_second: (figures.wall_seconds > 0.0).then(|| evaluated as f64 / figures.wall_seconds),
            array: array.map(|a| Array { spe: a.rows * a.cols, spu: a.spu, rows: a.rows, cols: a.cols }),
            build,
            cycles: array.map(|a| a.cycles),
            labels_per_cycle_per_spu: array.map(|a| a.labels_per_cycle_per_spu),
            useful_fraction: array.map(|a| a.useful_fraction),
            stall_cycles: array.map(|a| a.stall_cycles),
            load_cycles: array.map(|a| a.load_cycles),
            drain_cycles: array.map(|a| a.drain_cycles),
            log: Log {
                messages: figures.log.messages,
                lines: figures.log.lines,
                bytes: figures.log.bytes,
                bytes_without_log: figures.log.bytes_without_log,
            },
            hashes: figures.hashes,
            chains: figures.chains,
            convergence: None,
            uncertainty: None,
            energy: None,
            lowest: None,
            mean_confidence: Some(figures.mean_confidence),
            histogram_file: Some(histogram_file.to_string()),
            version: env!("CARGO_PKG_VERSION").to_string(),
        })
    }

    /// Says that the run of `job` was stopped after `iterations`, or went on from iteration `resumed_from`. Of several chains each
    /// knows its iterations, and those that are not there make the run partial, too.
    pub fn set_part(&mut self, job: &Job, iterations: u32, resumed_from: Option<u32>) {
        let done: Vec<u32> = match &self.chains {
            Some(chains) => chains.iter().map(|chain| chain.iterations_done).collect(),
            None => vec![iterations],
        };
        self.iterations_done = done.iter().copied().min().unwrap_or(iterations);
        self.partial = self.iterations_done < job.iterations() || (done.len() as u64) < self.chains_asked();
        self.resumed_from = resumed_from;
        self.labels_evaluated = done.iter().map(|&done| job.labels_evaluated_by(done)).sum();
        let before = done.len() as u64 * job.labels_evaluated_by(resumed_from.unwrap_or(0));
        let here = self.labels_evaluated - before;
        self.labels_per_second = (self.wall_seconds > 0.0).then(|| here as f64 / self.wall_seconds);
        if self.collected() == 0 {
            (self.mean_confidence, self.histogram_file) = (None, None);
        }
    }

    /// Collected iterations; of several chains those of the one that has fewest.
    pub fn collected(&self) -> u32 {
        self.iterations_done.saturating_sub(self.burn_in)
    }

    /// Chains that were asked for.
    pub fn chains_asked(&self) -> u64 {
        self.parameters.get("chains").and_then(serde_json::Value::as_u64).unwrap_or(1)
    }

    /// How far the chains of a stopped run came: `2 of 3 chains (one with 500 iterations, one with 320)`; none for one chain.
    pub fn chains_done(&self) -> Option<String> {
        let chains = self.chains.as_ref()?;
        let groups = chains.chunk_by(|a, b| a.iterations_done == b.iterations_done);
        let words: Vec<String> = groups
            .enumerate()
            .map(|(n, same)| {
                let iterations = same[0].iterations_done;
                let iterations =
                    if n == 0 { counted(iterations, "iteration") } else { iterations.to_string() };
                let chains = if same.len() == 1 { "one".to_string() } else { same.len().to_string() };
                format!("{chains} with {iterations}")
            })
            .collect();
        Some(format!("{} of {} chains ({})", chains.len(), self.chains_asked(), words.join(", ")))
    }

    /// Reads the summary of a result folder.
    ///
    /// # Errors
    /// [`Error::File`] if there is none, or it is damaged.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(crate::output::SUMMARY);
        let text = text_of("read summary", &path)?;
        serde_json::from_str(&text).map_err(|e| {
            let place = format!("line {}, column {}", e.line(), e.column());
            // After the fault come all keys that there are.
            let fault = e.to_string();
            let fault = fault.split([',', ';']).next().unwrap_or_default();
            Error::file(
                "read summary",
                &path,
                match e.classify() {
                    Category::Eof => format!("it is cut off at {place}; run the command again"),
                    Category::Data => format!("it is no summary of this version of spa ({fault})"),
                    _ => format!("it is damaged: no JSON at {place}; run the command again"),
                },
            )
        })
    }

    /// The JSON text, indented, with a final line feed.
    ///
    /// # Errors
    /// Never: all keys are text and all numbers finite.
    pub fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// What one run or several chains came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Of the contract.
    pub hashes: Hashes,
    /// Mean share of the mode.
    pub mean_confidence: f64,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
    /// Seconds.
    pub wall_seconds: f64,
    /// Figures of the array; none for software backends.
    pub array: Option<ArrayReport>,
    /// The log.
    pub log: LogReport,
    /// Each of several chains.
    pub chains: Option<Vec<ChainSummary>>,
    /// Chains that were asked for: as many, unless the run was stopped.
    pub of_chains: u16,
}

/// A number with a prefix of three digits: 4.71 G, 350 k.
pub fn with_prefix(value: f64) -> String {
    let scales = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    let (scale, unit) = scales.into_iter().find(|&(scale, _)| value >= scale).unwrap_or((1.0, " "));
    let scaled = value / scale;
    let digits = if scaled >= 100.0 || value.fract() == 0.0 && scale == 1.0 {
        0
    } else if scaled >= 10.0 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$}{unit}")
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} {}x{}, {} labels, {}{} ({} burn-in), seed {}{}, on {}",
            self.application,
            self.width,
            self.height,
            self.labels,
            match &self.chains {
                None if self.partial => format!("PARTIAL: {} of ", self.iterations_done),
                _ => String::new(),
            },
            counted(self.iterations, "iteration"),
            self.burn_in,
            self.seed,
            match (&self.chains, self.chains_done()) {
                (Some(_), Some(done)) if self.partial => format!(", PARTIAL: {done}"),
                (Some(chains), _) => format!(", {} chains", chains.len()),
                (None, _) => String::new(),
            },
            self.backend
        )?;
        let rate =
            self.labels_per_second.map(|r| format!(", {}labels/s", with_prefix(r))).unwrap_or_default();
        let before =
            self.settings.as_ref().and_then(|settings| settings.get("passes")?.as_u64()).unwrap_or(0);
        let before = match (before, &self.convergence) {
            (0, None) => String::new(),
            (0, Some(_)) => format!("; {:.3} s with the search for it", self.total_seconds),
            (n, _) => format!("; {:.3} s with {} before it", self.total_seconds, counted(n, "run")),
        };
        writeln!(f, "  time        {:.3} s{rate}{before}", self.wall_seconds)?;
        if let (Some(array), Some(cycles), Some(rate), Some(useful)) =
            (self.array, self.cycles, self.labels_per_cycle_per_spu, self.useful_fraction)
        {
            writeln!(
                f,
                "  array       {}x{} SPEs of {}: {cycles} cycles, {rate:.4} labels a cycle and SPU, \
                 {:.1}% useful",
                array.rows,
                array.cols,
                counted(array.spu, "SPU"),
                100.0 * useful
            )?;
        }
        let log = &self.log;
        let saved = if log.bytes_without_log > 0 {
            let share = 100.0 - 100.0 * log.bytes as f64 / log.bytes_without_log as f64;
            let (share, word) = if share < 0.0 { (-share, "more") } else { (share, "less") };
            format!(", {share:.1}% {word} than a byte a label")
        } else {
            String::new()
        };
        writeln!(
            f,
            "  log         {}, {}B{saved}",
            counted(log.messages, "message"),
            with_prefix(log.bytes as f64)
        )?;
        match self.mean_confidence {
            Some(mean) => writeln!(f, "  confidence  {mean:.3} (mean share of the most frequent label)")?,
            None => writeln!(f, "  confidence  none: nothing was collected before the end of burn-in")?,
        }
        writeln!(f, "  labels      {}", self.hashes.labels)?;
        writeln!(f, "  histogram   {}", self.hashes.histogram)?;
        writeln!(f, "  messages    {}", self.hashes.messages)
    }
}
