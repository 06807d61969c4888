//! `spa study`: the dissertation's figures, for any pictures (docs/studies.md).

mod edgs;

use super::print;
use crate::error::Error;
use crate::interrupt;
use crate::options::ranges::{number, within};
use crate::output::Output;
use crate::study::parameters::{Collect, ModelOptions, Parameters};
use crate::study::scene::{self, Case, SceneOptions};
use crate::study::{Event, Report, Sink, label_changes, labels, log_bandwidth, log_memory, precision, runs};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The dissertation's figures, for any pictures: tables, JSON and plots
#[derive(Debug, Args)]
pub struct Study {
    #[command(subcommand)]
    which: Which,
}

#[derive(Debug, Subcommand)]
enum Which {
    /// How many different labels pixels take in the second half of a run (Fig. 3.2)
    Labels(Common),
    /// Bandwidth of the label log by the pairs of an entry, for two rules of eviction (Fig. 3.8, Eq. 3.5)
    ///
    /// A message is sent where a pair makes room for a new label. The largest number of them in any iteration of the second
    /// half of the run counts. Messages of full counters are told apart: their number depends on --count-bits.
    LogBandwidth(LogBandwidth),
    /// Quality in double precision and with every width of samples, energies, probabilities and random numbers (Fig. 3.12)
    ///
    /// With ground truth: bad pixels > 1 or end-point error of the most frequent labels. Always: pixels whose label differs
    /// from that of double precision.
    Precision(Precision),
    /// Memory of the label log and the entries, against one byte a label and iteration (Fig. 3.13)
    LogMemory(Common),
    /// How often a drawn label differs from the one before (Fig. 4.1)
    LabelChanges(Common),
    /// The dissertation's event-driven variants on a CUDA card: every configuration of Table 4.1, the best of each design, and
    /// what they gain, lose and skip (Figs. 4.4–4.17, Table 4.3)
    ///
    /// Research modes in floating point, not exact. Parameters of Table 4.2; cooled geometrically in 25 steps to T 1.
    Edgs(edgs::Edgs),
    /// The runs of Table 3.2: quality of the most frequent labels, and pictures of them
    Runs(Runs),
}

#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    scenes: SceneOptions,
    /// Where parameters come from that are not given
    #[arg(long, value_enum, value_name = "SET", default_value_t = Parameters::Table32)]
    parameters: Parameters,
    #[command(flatten)]
    model: ModelOptions,
    /// Threads [default: all]
    #[arg(long, value_name = "N", value_parser = number::<usize>("threads"))]
    threads: Option<usize>,
    /// Folder for the plot, the JSON and pictures
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print JSON on stdout instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct LogBandwidth {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    machine: log_bandwidth::Machine,
}

#[derive(Debug, Args)]
struct Precision {
    #[command(flatten)]
    common: Common,
    /// What is varied, as in 'p-bits' (all that are possible) or 'energy-bits=6,8,12'; can be given several times
    /// [default: singleton-bits, energy-bits, p-bits and u-bits, all that are possible]
    #[arg(long = "vary", value_name = "WIDTH[=N,N,…]")]
    variations: Vec<precision::Variation>,
    /// Runs of each variant, with consecutive seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(1, 1000, ""))]
    seeds: u64,
}

#[derive(Debug, Args)]
struct Runs {
    #[command(flatten)]
    common: Common,
    /// Runs of each scene, with consecutive seeds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u64>(1, 1000, ""))]
    seeds: u64,
}

impl Study {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        match &self.which {
            Which::Labels(common) => {
                common.run(Collect::SecondHalf, |cases, threads, sink| labels::run(cases, threads, sink))
            }
            Which::LogBandwidth(LogBandwidth { common, machine }) => {
                machine.check()?;
                common.run(Collect::SecondHalf, |cases, threads, sink| {
                    log_bandwidth::run(cases, machine, threads, sink)
                })
            }
            Which::Precision(Precision { common, variations, seeds }) => {
                let variations =
                    if variations.is_empty() { precision::everything() } else { variations.clone() };
                common.run(Collect::LastThousand, |cases, threads, sink| {
                    precision::run(cases, &variations, *seeds, threads, sink)
                })
            }
            Which::LogMemory(common) => common
                .run(Collect::LastThousand, |cases, threads, sink| log_memory::run(cases, threads, sink)),
            Which::LabelChanges(common) => common
                .run(Collect::SecondHalf, |cases, threads, sink| label_changes::run(cases, threads, sink)),
            Which::Edgs(edgs) => edgs.execute(),
            Which::Runs(Runs { common, seeds }) => common
                .run(Collect::LastThousand, |cases, threads, sink| runs::run(cases, *seeds, threads, sink)),
        }
    }
}

impl Common {
    fn run(
        &self,
        collect: Collect,
        study: impl Fn(&[Case], usize, Sink<'_>) -> anyhow::Result<Report>,
    ) -> anyhow::Result<ExitCode> {
        if self
            .model
            .start
            .as_ref()
            .is_some_and(|s| !["argmin", "zero", "random"].contains(&s.to_string_lossy().as_ref()))
        {
            return Err(Error::usage("start must be argmin, zero or random in a study").into());
        }
        let cases = scene::open(&self.scenes, &self.model, self.parameters, collect)?;
        // Without this Ctrl-C would leave the folder for unfinished results.
        interrupt::listen();
        let output = self.output.as_deref().map(|folder| Output::prepare::<&str>(folder, &[])).transpose()?;
        let report = watched(|sink| study(&cases, self.threads.unwrap_or(0), sink))?;
        present(report, output, self.output.as_deref(), self.json)
    }
}

/// Writes a report to where it is wanted.
fn present(
    report: Report,
    output: Option<Output>,
    folder: Option<&Path>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    if let Some(output) = output {
        report.write(output)?;
    }
    if json {
        print(&format!("{:#}\n", report.json()))?;
    } else {
        let place = folder.map(|folder| format!("\nresults in {}\n", folder.display()));
        print(&format!("{}{}", report.text(), place.unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What Ctrl-C has stopped is told as such.
fn stopped(report: anyhow::Result<Report>) -> anyhow::Result<Report> {
    match report {
        Err(_) if interrupt::stop_asked() => {
            Err(Error::Interrupted("a study keeps no part of its results".to_string()).into())
        }
        report => report,
    }
}

/// Runs `study` with a progress bar; Ctrl-C stops it and leaves nothing behind.
fn watched(study: impl FnOnce(Sink<'_>) -> anyhow::Result<Report>) -> anyhow::Result<Report> {
    interrupt::run_begins();
    let bar = ProgressBar::new(0);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} iterations, {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    let report = study(&mut |event| {
        match event {
            Event::Total(iterations) => bar.set_length(iterations),
            Event::Run(name) => bar.set_message(name.to_string()),
            Event::Iterations(more) => bar.inc(more),
        }
        !interrupt::stop_asked()
    });
    bar.finish_and_clear();
    stopped(report)
}
