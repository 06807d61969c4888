//! `spa decode`.

use super::places::refuse_over;
use super::print;
use crate::app::Application;
use crate::blocks::{Digest, Whole};
use crate::logfile::{self, Log};
use crate::options::{Bytes, Share};
use crate::output::Output;
use crate::panels::{Photographs, Seen, Shown};
use crate::results::{
    Drawn, HISTOGRAM, HISTOGRAM_SPARSE, histogram_file, write_histogram, write_uncertainty,
};
use crate::summary::with_prefix;
use crate::uncertainty::{self, Scale};
use clap::Args;
use serde::Serialize;
use spa_model::Pair;
use spa_model::hash::hash_u16;
use spagen::parameters::counted;
use std::path::PathBuf;
use std::process::ExitCode;

/// Reads a label log kept with --keep-log, checks it, and says what is in it
#[derive(Debug, Args)]
pub struct Decode {
    /// Log file
    log: PathBuf,
    /// Folder for mode.npy, mode.png, confidence.png and the histogram
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write mean, variance, entropy, confidence and credible sets of every pixel, too (in labels: a log knows no units)
    #[arg(long, requires = "output")]
    uncertainty: bool,
    /// Share of the samples that a credible set has, above 0 and at most 1
    #[arg(long, value_name = "SHARE", default_value = "0.95")]
    credible: Share,
    /// Above this size the histogram is written sparse, as .npz (suffixes K, M, G)
    #[arg(long, value_name = "SIZE", default_value = "2G")]
    max_memory: Bytes,
    /// Print the statistics as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Statistics {
    header: logfile::Header,
    bytes: u64,
    mean_count: f64,
    full_counters: u64,
    mean_confidence: f64,
    mean_labels_per_rv: f64,
    histogram_hash: String,
}

impl Decode {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let log = logfile::read(&self.log)?;
        let statistics = Statistics::of(&log);
        if let Some(folder) = &self.output {
            for name in files() {
                refuse_over(&folder.join(name), [self.log.as_path()].into_iter())?;
            }
            let output = Output::prepare(folder, &files())?;
            output.write(|output| self.write(output, &log))?;
            let follows = output.follows_a_run();
            output.commit(follows)?;
        }
        if self.json {
            print(&(serde_json::to_string_pretty(&statistics)? + "\n"))?;
        } else {
            print(&statistics.text())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn write(&self, output: &Output, log: &Log) -> anyhow::Result<()> {
        let header = &log.header;
        let size = (header.width, header.height);
        let source = Whole::of(size, &log.histogram);
        let digest = Digest::of(&source, None)?;
        let name = histogram_file(None, digest.mode.len(), header.labels, self.max_memory.0);
        let application = application(header);
        write_histogram(output, &application, &Drawn { source: &source, digest: &digest }, name)?;
        if self.uncertainty {
            let (scale, share) = (scale(&application, header), self.credible.0);
            let shown = Shown {
                application: &application,
                size,
                labels: header.labels,
                values: None,
                photographs: &Photographs::default(),
                seen: &Seen::of(&source, (&application, &scale, share), None)?,
                measured: None,
                scale: &scale,
                share,
            };
            write_uncertainty(output, &shown, &source, None)?;
        }
        Ok(())
    }
}

/// Every file that may be written.
fn files() -> Vec<&'static str> {
    let histogram = [HISTOGRAM, HISTOGRAM_SPARSE, "mode.npy", "mode.png", "confidence.png"];
    [&histogram[..], &uncertainty::files::FILES].concat()
}

/// What the labels mean, as far as colours need it.
fn application(header: &logfile::Header) -> Application {
    match (header.application.as_str(), crate::synth::window_of(header.labels)) {
        ("flow", Ok(window)) => Application::Flow { window },
        ("segment", _) => Application::Segment,
        ("restore", _) => Application::Restore,
        ("infer", _) => Application::Infer,
        _ => Application::Stereo { dmin: 0 },
    }
}

/// What labels measure: steps of labels, for a log knows neither the least disparity nor what a label is in pixels.
fn scale(application: &Application, header: &logfile::Header) -> Scale {
    let labels = header.labels;
    let subtracted = ["abs", "squared"].map(Some).contains(&header.record["pair"].as_str());
    match application {
        Application::Infer if !subtracted => Scale::Names,
        Application::Flow { .. } => match Scale::of(application, labels, &Pair::Abs) {
            Scale::Plane { vectors, .. } => Scale::Plane { vectors, base: None, unit: "labels" },
            other => other,
        },
        Application::Segment => Scale::Names,
        _ => Scale::line(labels, "labels", f64::from),
    }
}

impl Statistics {
    fn of(log: &Log) -> Self {
        let header = log.header.clone();
        let messages = log.messages.len().max(1) as f64;
        let max = (1_u32 << header.message.count_bits.min(31)) - 1;
        let picks: u64 = log.messages.iter().map(|m| u64::from(m.count)).sum();
        let confidence = log.histogram.confidence();
        let rvs = confidence.len() as f64;
        let filled = log.histogram.counts().iter().filter(|&&c| c > 0).count() as f64;
        Self {
            bytes: header.lines * u64::from(header.message.line_bits / 8),
            mean_count: picks as f64 / messages,
            full_counters: log.messages.iter().filter(|m| m.count == max).count() as u64,
            mean_confidence: confidence.iter().map(|&c| f64::from(c)).sum::<f64>() / rvs,
            mean_labels_per_rv: filled / rvs,
            histogram_hash: hash_u16(log.histogram.counts()),
            header,
        }
    }

    fn text(&self) -> String {
        let h = &self.header;
        format!(
            "log of {} {}x{}, {} labels, {}\n  \
             messages    {} of {} bits in {} of {} bits, {}B\n  \
             counts      {:.1} on average, {}\n  \
             labels      {:.2} different ones a RV, {}\n  \
             confidence  {:.3} (mean share of the most frequent label)\n  \
             record      {}\n  \
             histogram   {}\n  \
             messages    {}\n",
            h.application,
            h.width,
            h.height,
            h.labels,
            counted(h.collected, "collected iteration"),
            h.messages,
            h.message.bits,
            counted(h.lines, "line"),
            h.message.line_bits,
            with_prefix(self.bytes as f64),
            self.mean_count,
            counted(self.full_counters, "full counter"),
            self.mean_labels_per_rv,
            counted(h.fixed, "fixed RV"),
            self.mean_confidence,
            h.record_hash,
            self.histogram_hash,
            h.messages_hash
        )
    }
}
