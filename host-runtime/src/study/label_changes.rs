//! Fig. 4.1: how often a drawn label differs from the one before it.

use super::scene::Case;
use super::table::Table;
use super::{Event, Report, Sink, entry, jobs, names, percent, trace};
use crate::error::Result;
use serde_json::json;
use spa_model::Job;
use spagen::plot::{Axis, Bar, Content, Figure, Panel, Series};

/// Points of the curve over the iterations.
const POINTS: usize = 100;

/// Runs all cases and compares the labels of every iteration with those before it.
///
/// # Errors
/// As [`trace::follow`].
pub fn run(cases: &[Case], threads: usize, sink: Sink<'_>) -> anyhow::Result<Report> {
    let jobs = jobs(cases, sink)?;
    let mut shares = Vec::new();
    let mut entries = Vec::new();
    for (case, job) in cases.iter().zip(&jobs) {
        sink(Event::Run(&case.name));
        let by_iteration = changes(job, threads, sink)?;
        let found = Shares::new(job, &by_iteration);
        let measured = json!({
            "changed_percent": found.all,
            "changed_percent_first_half": found.first,
            "changed_percent_second_half": found.second,
            "changes": by_iteration.iter().sum::<u64>(),
            "updates": job.problem().free_rvs() as u64 * u64::from(job.iterations()),
            "changes_by_iteration": by_iteration,
        });
        entries.push(entry(case, job, measured)?);
        shares.push(found);
    }
    Ok(Report {
        name: "label-changes",
        figure: "4.1",
        settings: json!({}),
        tables: vec![table(cases, &shares)],
        plot: plot(cases, &shares),
        cases: entries,
        pictures: Vec::new(),
    })
}

/// Changed labels of every iteration.
fn changes(job: &Job, threads: usize, sink: Sink<'_>) -> Result<Vec<u64>> {
    let mut before: Vec<u8> = Vec::new();
    let mut found = Vec::new();
    trace::follow(job, threads, sink, &mut |iteration, labels| {
        if iteration > 0 {
            found.push(before.iter().zip(labels).filter(|(a, b)| a != b).count() as u64);
        }
        before.clear();
        before.extend_from_slice(labels);
    })?;
    Ok(found)
}

/// Changed labels in percent of the drawn ones.
struct Shares {
    all: f64,
    first: f64,
    second: f64,
    /// Means of blocks of iterations: the middle of the block and its share.
    curve: Vec<(f64, f64)>,
    iterations: usize,
}

impl Shares {
    fn new(job: &Job, by_iteration: &[u64]) -> Self {
        let pixels = job.problem().free_rvs() as u64;
        let share = |part: &[u64]| percent(part.iter().sum(), pixels * part.len() as u64);
        let (first, second) = by_iteration.split_at(by_iteration.len() / 2);
        let block = by_iteration.len().div_ceil(POINTS).max(1);
        let point = |(n, part): (usize, &[u64])| {
            (n as f64 * block as f64 + (part.len() as f64 + 1.0) / 2.0, share(part))
        };
        Self {
            all: share(by_iteration),
            first: share(first),
            second: share(second),
            curve: by_iteration.chunks(block).enumerate().map(point).collect(),
            iterations: by_iteration.len(),
        }
    }
}

fn table(cases: &[Case], shares: &[Shares]) -> Table {
    let mut table = Table::new("changed labels in percent of the drawn ones", names(cases));
    let mut row = |name: &str, of: fn(&Shares) -> f64| {
        table.row(name, &shares.iter().map(|s| Some(of(s))).collect::<Vec<_>>(), 2);
    };
    row("all iterations", |s| s.all);
    row("first half", |s| s.first);
    row("second half", |s| s.second);
    table
}

fn plot(cases: &[Case], shares: &[Shares]) -> Figure {
    let bars = Panel {
        title: "Changed labels, whole run".to_string(),
        x: Axis::auto(""),
        y: Axis::auto("% of the drawn labels"),
        content: Content::Bars {
            categories: names(cases),
            bars: vec![Bar::plain("", shares.iter().map(|s| s.all).collect())],
            limit: None,
        },
    };
    let last = shares.iter().map(|s| s.iterations).max().unwrap_or(1);
    let curves = Panel {
        title: "Changed labels by iteration".to_string(),
        x: Axis::range("iteration", 0.0, last as f64),
        y: Axis::auto("% of the drawn labels"),
        content: Content::Lines(
            cases.iter().zip(shares).map(|(c, s)| Series::new(&c.name, s.curve.clone())).collect(),
        ),
    };
    Figure { rows: vec![vec![bars, curves]] }
}
