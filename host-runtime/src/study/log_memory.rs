//! Fig. 3.13: memory for the histogram of labels: the label log and the entries on the chip, against one byte a label and
//! iteration.

use super::scene::Case;
use super::table::Table;
use super::{Event, Report, Sink, entry, jobs, names, sample};
use crate::logfile::message_format;
use serde_json::json;
use spa_model::{Job, Outcome};
use spagen::plot::{Axis, Bar, Content, Figure, Panel};

/// Pairs of the contract's entry.
const PAIRS: u64 = 2;
const MEGABYTE: f64 = 1e6;

/// Bytes of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Memory {
    messages: u64,
    /// Bytes of its lines.
    log: u64,
    entries: u64,
    without: u64,
}

impl Memory {
    fn new(job: &Job, outcome: &Outcome) -> Self {
        let problem = job.problem();
        let format = message_format(job, None);
        let messages = outcome.messages.len() as u64;
        let hardware = job.hardware();
        let pair = u64::from(hardware.label_bits) + u64::from(hardware.count_bits);
        Self {
            messages,
            log: messages.div_ceil(format.per_line() as u64) * format.line_bytes() as u64,
            entries: (problem.rvs() as u64 * PAIRS * pair).div_ceil(8),
            without: problem.free_rvs() as u64 * u64::from(job.collected()),
        }
    }

    fn saved_percent(&self) -> f64 {
        100.0 * (1.0 - (self.log + self.entries) as f64 / self.without.max(1) as f64)
    }
}

/// Runs all cases and adds up.
///
/// # Errors
/// As [`super::sample`].
pub fn run(cases: &[Case], threads: usize, sink: Sink<'_>) -> anyhow::Result<Report> {
    let jobs = jobs(cases, sink)?;
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for (case, job) in cases.iter().zip(&jobs) {
        sink(Event::Run(&case.name));
        let memory = Memory::new(job, &sample(job, threads, sink)?);
        let measured = json!({
            "collected": job.collected(),
            "messages": memory.messages,
            "log_bytes": memory.log,
            "entry_bytes": memory.entries,
            "bytes_without_log": memory.without,
            "saved_percent": memory.saved_percent(),
        });
        entries.push(entry(case, job, measured)?);
        found.push(memory);
    }
    let mean = found.iter().map(Memory::saved_percent).sum::<f64>() / found.len().max(1) as f64;
    Ok(Report {
        name: "log-memory",
        figure: "3.13",
        settings: json!({ "pairs": PAIRS, "mean_saved_percent": mean }),
        tables: vec![table(cases, &found, mean)],
        plot: plot(cases, &found),
        cases: entries,
        pictures: Vec::new(),
    })
}

fn table(cases: &[Case], found: &[Memory], mean: f64) -> Table {
    let title = format!("memory for the histogram, MB; saved {mean:.1}% on average");
    let mut table = Table::new(title, names(cases));
    let mut row = |name: &str, of: fn(&Memory) -> f64, digits| {
        table.row(name, &found.iter().map(|m| Some(of(m))).collect::<Vec<_>>(), digits);
    };
    row("no log", |m| m.without as f64 / MEGABYTE, 2);
    row("log", |m| m.log as f64 / MEGABYTE, 2);
    row("entries on the chip", |m| m.entries as f64 / MEGABYTE, 2);
    row("saved, %", Memory::saved_percent, 1);
    row("messages for 1000 labels", |m| 1000.0 * m.messages as f64 / m.without.max(1) as f64, 1);
    table
}

fn plot(cases: &[Case], found: &[Memory]) -> Figure {
    let of = |bytes: fn(&Memory) -> u64| found.iter().map(|m| bytes(m) as f64 / MEGABYTE).collect();
    Figure::one(Panel {
        title: "Memory for the histogram of labels".to_string(),
        x: Axis::auto(""),
        y: Axis::auto("MB"),
        content: Content::Bars {
            categories: names(cases),
            bars: vec![
                Bar::plain("no log", of(|m| m.without)),
                Bar::stacked(vec![
                    ("label log".to_string(), of(|m| m.log)),
                    ("entries on the chip".to_string(), of(|m| m.entries)),
                ]),
            ],
            limit: None,
        },
    })
}
