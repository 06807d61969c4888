//! What `stereo`, `flow` and `segment` share: options, the run, the results.

use crate::app::Application;
use crate::backend::{Backend, Progress, RunReport, registry};
use crate::error::Error;
use crate::formats::Field;
use crate::options::{Bytes, RunOptions};
use crate::output::Output;
use crate::panels::Photographs;
use crate::picture::Picture;
use crate::plan::{Inputs, Plan, plan};
use crate::report;
use crate::results::{histogram_file, write_figure, write_formats, write_run};
use crate::summary::Summary;
use crate::{cli::print, logfile};
use anyhow::Context as _;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use spagen::Build;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Size of a dense histogram above which it is written sparse: 2 GB.
const MEMORY_DEFAULT: Bytes = Bytes(2_000_000_000);

/// Options of a run and how to talk about it.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    #[command(flatten)]
    options: RunOptions,
    /// Options from a TOML file; its keys are the names of the options, and the command line goes first
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the summary as JSON on stdout and nothing else there
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl RunArgs {
    /// These arguments with `labels`, unless the command line or the configuration file says how many.
    pub fn with_default_labels(&self, labels: impl FnOnce() -> Result<u16, Error>) -> Result<Self, Error> {
        let mut args = self.clone();
        let file = self.config.as_deref().map(RunOptions::from_file).transpose()?;
        if args.options.labels.is_none() && file.is_none_or(|file| file.labels.is_none()) {
            args.options.labels = Some(labels()?);
        }
        Ok(args)
    }
}

/// Runs one application from its pictures to its results.
pub fn execute(
    application: &Application,
    first: &Path,
    second: Option<&Path>,
    args: &RunArgs,
) -> anyhow::Result<ExitCode> {
    let mut options = args.options.clone();
    if let Some(path) = &args.config {
        options = options.or(RunOptions::from_file(path)?);
    }
    let build = options.build.as_deref().map(open_build).transpose()?;
    let name = options.backend.as_deref().unwrap_or("cpu");
    let mut backend = registry::open(name, build.as_ref(), options.threads)?;
    let inputs = Inputs { first: Picture::open(first)?, second: second.map(Picture::open).transpose()? };
    let plan = plan(application, &options, build.as_ref(), &inputs)?;
    // Before the long work: can the formats hold the results, and is there a place for them?
    let formats = options.formats.clone().unwrap_or_default();
    if !formats.is_empty() {
        let what = Field::of_labels(&plan.application, (0, 0), &[]);
        formats.iter().try_for_each(|&format| what.file_name(format).map(|_| ()))?;
        if options.output.is_none() {
            return Err(Error::usage("--formats needs a folder for its files; give -o DIR").into());
        }
    }
    let output = options.output.as_deref().map(Output::prepare).transpose()?;
    options.report.as_deref().map(report::check_place).transpose()?;
    // The pictures are shown again with the results, reduced: they need no memory during the run.
    let photographs = Photographs::of(&inputs);
    drop(inputs);
    eprintln!("{}: {}", plan.application.name(), plan.mapping);

    let mut report = run_with_progress(backend.as_mut(), &plan)?;
    let problem = plan.job.problem();
    let limit = options.max_memory.unwrap_or(MEMORY_DEFAULT).0;
    let histogram = histogram_file(problem.rvs(), problem.labels, limit);
    let hash = build.as_ref().map(|build| build.config_hash().to_string());
    let summary = Summary::new(&plan, backend.name(), hash, &mut report, histogram)?;
    if let Some(path) = &options.keep_log {
        let shape = build.as_ref().map(Build::array);
        logfile::write(path, plan.application.name(), &plan.job, shape, &report.outcome)?;
    }
    if let Some(output) = output {
        if !formats.is_empty() {
            let size = (summary.width, summary.height);
            let field = Field::of_labels(&plan.application, size, &report.outcome.histogram.mode());
            write_formats(&output, &field, &formats)?;
        }
        write_figure(&output, &plan, &photographs, &report.outcome.histogram)?;
        write_run(output, &plan.application, &summary, &report.outcome.labels, &report.outcome.histogram)?;
    }
    if let Some(path) = &options.report {
        let command = command_line();
        let run = report::Run {
            application: &plan.application,
            summary: &summary,
            photographs: &photographs,
            histogram: &report.outcome.histogram,
            schedule: &given_schedule(&plan),
            trace: None,
            command: &command,
        };
        report::write(path, &run)?;
    }
    if args.json {
        print(&summary.json()?)?;
    } else {
        let place = options.output.as_ref().map(|folder| format!("  results in  {}\n", folder.display()));
        print(&format!("{summary}{}", place.unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The command line of this process, quoted where a shell needs it.
fn command_line() -> String {
    let quoted = |arg: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
        if !arg.is_empty() && arg.chars().all(plain) {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    let args = std::env::args_os().skip(1).map(|arg| quoted(arg.to_string_lossy().into_owned()));
    std::iter::once("spa".to_string()).chain(args).collect::<Vec<_>>().join(" ")
}

/// Temperatures as people gave them, and their iterations.
fn given_schedule(plan: &Plan) -> Vec<(f64, u32)> {
    let factor = plan.mapping.temperature_factor;
    plan.job.run().schedule.steps().iter().map(|step| (step.temperature / factor, step.iterations)).collect()
}

/// Opens a build folder.
pub fn open_build(folder: &Path) -> Result<Build, Error> {
    Build::open(folder).map_err(|e| match e {
        spagen::Error::Open { path, cause } => Error::Build { path, cause },
        other => Error::Build { path: folder.to_path_buf(), cause: other.to_string() },
    })
}

fn run_with_progress(backend: &mut dyn Backend, plan: &Plan) -> anyhow::Result<RunReport> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    // The second Ctrl-C does not wait for the backend. Without a handler Ctrl-C still ends the program.
    let _ = ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::SeqCst) {
            std::process::exit(1);
        }
    });
    let bar = ProgressBar::new(plan.job.iterations().into());
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:40}] {pos}/{len} iterations, {eta} left")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(backend.name());
    let report = backend.run(&plan.job, &mut |progress: Progress| {
        bar.set_position(progress.iteration.into());
        !stop.load(Ordering::SeqCst)
    });
    bar.finish_and_clear();
    // A refusal of the model is a message of its own; anything else says which backend it came from.
    match report {
        Err(e) if e.downcast_ref::<spa_model::Error>().is_some() => Err(e),
        other => other.with_context(|| format!("backend '{}' failed", backend.name())),
    }
}
