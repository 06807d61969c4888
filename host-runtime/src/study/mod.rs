//! The dissertation's figures, for any pictures (docs/studies.md): one file a study.
//!
//! A study takes [`scene::Case`]s, counts, and answers with a [`Report`]: tables, a figure and JSON.

pub mod edgs;
pub mod label_changes;
pub mod labels;
pub mod log_bandwidth;
pub mod log_memory;
pub mod parameters;
pub mod precision;
pub mod runs;
pub mod scene;
pub mod table;
pub mod trace;

use crate::error::Result;
use crate::output::{Output, write_png};
use scene::Case;
use serde_json::{Value, json};
use spa_model::{Job, Outcome, Record, fast};
use spagen::plot::Figure;
use table::Table;

/// What a study tells while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Iterations of all runs; before the first one.
    Total(u64),
    /// A run begins: of what.
    Run(&'a str),
    /// So many more iterations are done.
    Iterations(u64),
}

/// Called with every event; returns false to stop the study.
pub type Sink<'a> = &'a mut dyn FnMut(Event<'_>) -> bool;

/// What a study found.
#[derive(Debug)]
pub struct Report {
    /// Name of the study, and of its files.
    pub name: &'static str,
    /// Figure or table of the dissertation.
    pub figure: &'static str,
    /// Parameters of the study itself.
    pub settings: Value,
    /// For people.
    pub tables: Vec<Table>,
    /// What was found, one a case.
    pub cases: Vec<Value>,
    /// The figure.
    pub plot: Figure,
    /// Further pictures.
    pub pictures: Vec<Picture>,
}

/// A picture beside the figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Name of its file.
    pub name: String,
    /// Width and height.
    pub size: (u32, u32),
    /// Samples, H×W.
    pub rgb: Vec<[u8; 3]>,
}

impl Report {
    /// Everything as one JSON object.
    pub fn json(&self) -> Value {
        json!({
            "study": self.name,
            "figure": self.figure,
            "version": env!("CARGO_PKG_VERSION"),
            "settings": self.settings,
            "cases": self.cases,
        })
    }

    /// All tables.
    pub fn text(&self) -> String {
        self.tables.iter().map(Table::text).collect::<Vec<_>>().join("\n")
    }

    /// Writes figure, JSON and pictures into a folder.
    ///
    /// # Errors
    /// [`crate::Error::File`] if a file cannot be written.
    pub fn write(&self, output: Output) -> Result<()> {
        let file = |ending: &str| output.path(&format!("{}.{ending}", self.name));
        let plot = file("svg");
        let drawing = self.plot.svg().map_err(|error| crate::Error::file("draw", &plot, error))?;
        std::fs::write(&plot, drawing).map_err(|error| crate::Error::io("write", &plot, &error))?;
        for picture in &self.pictures {
            let (width, height) = picture.size;
            write_png(&output.path(&picture.name), width, height, 3, picture.rgb.as_flattened())?;
        }
        let path = file("json");
        std::fs::write(&path, format!("{:#}\n", self.json()))
            .map_err(|e| crate::Error::io("write", &path, &e))?;
        output.commit(false)
    }
}

/// The jobs of all cases; tells how many iterations they take together.
///
/// # Errors
/// If a case has options that make no job.
fn jobs(cases: &[Case], sink: Sink<'_>) -> Result<Vec<Job>> {
    let jobs = cases.iter().map(|case| Ok(case.plan(&case.options)?.job)).collect::<Result<Vec<_>>>()?;
    sink(Event::Total(jobs.iter().map(|job| u64::from(job.iterations())).sum()));
    Ok(jobs)
}

/// What every study says of a case; `found` are its own findings.
///
/// # Errors
/// Never: the record of a job can always be written.
pub fn entry(case: &Case, job: &Job, found: Value) -> anyhow::Result<Value> {
    let problem = job.problem();
    let record = Record::new(job);
    let mut entry = json!({
        "name": case.name,
        "application": case.application.name(),
        "width": problem.width,
        "height": problem.height,
        "labels": problem.labels,
        "iterations": job.iterations(),
        "burn_in": job.run().burn_in,
        "seed": job.run().seed,
        "record_hash": record.hash()?,
        "parameters": serde_json::to_value(&record)?,
    });
    if let (Some(map), Value::Object(found)) = (entry.as_object_mut(), found) {
        map.extend(found);
    }
    Ok(entry)
}

/// Runs `job` on the CPU.
///
/// # Errors
/// As [`fast::run`]; [`spa_model::Error::Interrupted`] if `sink` stops it.
pub fn sample(job: &Job, threads: usize, sink: Sink<'_>) -> Result<Outcome> {
    let options = fast::Options { threads, ..fast::Options::default() };
    Ok(fast::run(job, &options, &mut |_| sink(Event::Iterations(1)))?)
}

/// A share in percent.
fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Names of cases, in order.
fn names(cases: &[Case]) -> Vec<String> {
    cases.iter().map(|case| case.name.clone()).collect()
}
