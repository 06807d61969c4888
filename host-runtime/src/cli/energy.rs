//! `spa energy`.

use super::run::RunArgs;
use super::{flow, infer, print, restore, segment, stereo};
use crate::app::prepare::Prepared;
use crate::error::Error;
use crate::labelling;
use crate::output::check_file;
use clap::{Args, Subcommand};
use serde::Serialize;
use spa_model::descent::{descend, improvable};
use spa_model::{Problem, energy};
use spagen::parameters::counted;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Energy of a labelling in the model of an application: its data and its smoothness
///
/// The labelling comes first, then the application with the pictures and options of the run whose model is meant:
///
///   spa energy out/mode.npy stereo left.png right.png --labels 64
///   spa energy truth.pfm stereo left.png right.png --labels 64 --fill
///
/// Labels are .npy of integers or 8-bit grey pictures; disparities (PFM, float TIFF, KITTI PNG, .npy of floats) and motions (.flo,
/// KITTI PNG, .npy) are taken for their nearest labels.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Energy {
    /// Labelling of every pixel
    labelling: PathBuf,
    /// Steps of a disparity in a pixel; makes an 8-bit picture one of disparities
    #[arg(long, alias = "truth-scale", value_name = "N", global = true, value_parser = super::eval::steps)]
    scale: Option<f64>,
    /// Pixels without a usable label take the one that costs least, given the others
    #[arg(long, global = true)]
    fill: bool,
    /// Go down to a local minimum and write its labels (.npy)
    #[arg(long, value_name = "FILE", global = true)]
    descend: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    model: Model,
}

/// Whose energy.
#[derive(Debug, Subcommand)]
enum Model {
    Stereo(stereo::Stereo),
    Flow(flow::Flow),
    Segment(segment::Segment),
    Restore(restore::Restore),
    Infer(infer::Infer),
}

impl Model {
    /// Options of the run that is meant.
    fn run(&self) -> &RunArgs {
        match self {
            Self::Stereo(command) => &command.run,
            Self::Flow(command) => &command.run,
            Self::Segment(command) => &command.run,
            Self::Restore(command) => &command.run,
            Self::Infer(command) => &command.run,
        }
    }
}

/// What is told of a labelling.
#[derive(Debug, Serialize)]
struct Report {
    labelling: PathBuf,
    application: &'static str,
    width: u32,
    height: u32,
    /// Pixels that took a label by `--fill`.
    filled: u64,
    /// Pixels that alone could lower the energy.
    improvable: u64,
    energy: Terms,
    /// Of the local minimum of `--descend`.
    #[serde(skip_serializing_if = "Option::is_none")]
    descended: Option<Descended>,
}

#[derive(Debug, Serialize)]
struct Descended {
    changes: u64,
    energy: Terms,
}

/// An energy: whole numbers of the model, and in the units of alpha and beta as given.
#[derive(Debug, Serialize)]
struct Terms {
    total: u64,
    singletons: u64,
    pairs: u64,
    real_total: f64,
    real_singletons: f64,
    real_pairs: f64,
}

impl Terms {
    fn new(parts: energy::Parts, prepared: &Prepared) -> Self {
        let unit = prepared.plan.energy_unit();
        Self {
            total: parts.total(),
            singletons: parts.singletons,
            pairs: parts.pairs,
            real_total: parts.total() as f64 / unit,
            real_singletons: parts.singletons as f64 / unit,
            real_pairs: parts.pairs as f64 / unit,
        }
    }

    fn line(&self) -> String {
        format!(
            "{:.6} = singletons {:.6} + pairs {:.6} (whole numbers {} = {} + {})",
            self.real_total, self.real_singletons, self.real_pairs, self.total, self.singletons, self.pairs
        )
    }
}

impl Energy {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        if let Some(path) = &self.descend {
            check_file("write labels", path, None)?;
            if path.canonicalize().is_ok_and(|to| self.labelling.canonicalize().is_ok_and(|from| from == to))
            {
                let name = path.display();
                return Err(Error::usage(format!(
                    "'{name}' is read and would be written over; choose another place for --descend"
                ))
                .into());
            }
        }
        let prepared = match &self.model {
            Model::Stereo(command) => command.request()?.prepare()?,
            Model::Flow(command) => command.request()?.prepare()?,
            Model::Segment(command) => command.request()?.prepare()?,
            Model::Restore(command) => command.request()?.prepare()?,
            Model::Infer(command) => command.prepare()?,
        };
        let problem = prepared.plan.job.problem();
        let labelling = labelling::read(&self.labelling, &prepared, self.scale)?;
        let filled = labelling.iter().filter(|label| label.is_none()).count() as u64;
        let labels = match self.fill {
            true => fill(&prepared, &labelling)?,
            false => complete(&self.labelling, problem, labelling)?,
        };
        let descent = self.descend.as_ref().map(|_| descend(problem, &labels, None)).transpose()?;
        if let (Some(path), Some(descent)) = (&self.descend, &descent) {
            crate::npy::write(path, &[problem.height.into(), problem.width.into()], &descent.labels)?;
        }
        let report = Report {
            labelling: self.labelling.clone(),
            application: prepared.plan.application.name(),
            width: problem.width,
            height: problem.height,
            filled,
            improvable: improvable(problem, &labels)?,
            energy: Terms::new(energy::Terms::new(problem).of(&labels)?, &prepared),
            descended: descent
                .map(|d| Descended { changes: d.changes, energy: Terms::new(d.energy, &prepared) }),
        };
        if self.json || self.model.run().wants_json() {
            print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        } else {
            print(&report.text())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// All labels, or a refusal that counts what is missing.
fn complete(path: &Path, problem: &Problem, labels: labelling::Labelling) -> Result<Vec<u8>, Error> {
    let missing = labels.iter().filter(|label| label.is_none()).count();
    if let Some(first) = labels.iter().position(Option::is_none) {
        let (x, y) = (first % problem.width as usize, first / problem.width as usize);
        let cause = format!(
            "{missing} of {} pixels {} no label below {} in it, the first at ({x}, {y}); --fill gives them the one that \
             costs least",
            labels.len(),
            if missing == 1 { "has" } else { "have" },
            problem.labels
        );
        return Err(Error::file("use labelling", path, cause));
    }
    Ok(labels.into_iter().flatten().collect())
}

/// All labels; those that are missing start from the best of the singletons and go down given the others.
fn fill(prepared: &Prepared, labelling: &[Option<u8>]) -> anyhow::Result<Vec<u8>> {
    let problem = prepared.plan.job.problem();
    let width = problem.width as usize;
    let label = |(i, label): (usize, &Option<u8>)| {
        let (x, y) = ((i % width) as u32, (i / width) as u32);
        let cost = |&l: &usize| problem.singleton_cost(x, y, l);
        label.unwrap_or_else(|| (0..usize::from(problem.labels)).min_by_key(cost).unwrap_or(0) as u8)
    };
    let start: Vec<u8> = labelling.iter().enumerate().map(label).collect();
    let missing: Vec<bool> = labelling.iter().map(Option::is_none).collect();
    Ok(descend(problem, &start, Some(&missing))?.labels)
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!(
            "energy of '{}' in {} {}x{}\n  energy      {}\n  minimum     {}\n",
            self.labelling.display(),
            self.application,
            self.width,
            self.height,
            self.energy.line(),
            match self.improvable {
                0 => "local: no change of one pixel lowers it".to_string(),
                1 => "1 pixel could lower it".to_string(),
                n => format!("{n} pixels could lower it, each alone"),
            }
        );
        if self.filled > 0 {
            text += &format!("  filled      {} without a label\n", counted(self.filled, "pixel"));
        }
        if let Some(descended) = &self.descended {
            text += &format!(
                "  descended   {} after {}\n",
                descended.energy.line(),
                counted(descended.changes, "change")
            );
        }
        text
    }
}
