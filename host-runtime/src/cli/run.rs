//! What `stereo`, `flow`, `segment`, `restore` and `infer` share: options, the run, the results.

use super::auto::Auto;
use super::batch;
use super::follow::{check_fit, open_checkpoint, run_pass};
use super::last::{Machine, Wanted, last_run};
use super::places;
use crate::app::Application;
use crate::app::infer::{self, Model};
use crate::app::prepare::{Prepared, prepare};
use crate::backend::{Backend, registry};
use crate::batch::Item;
use crate::chains;
use crate::error::Error;
use crate::formats::{Field, FileFormat, kitti};
use crate::interrupt;
use crate::memory::{self, Budget};
use crate::options::{Iterations, RunOptions};
use crate::output::{Output, check_file};
use crate::panels::Photographs;
use crate::picture::Picture;
use crate::plan::Inputs;
use crate::results::every_file;
use clap::Args;
use spagen::Build;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

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

    /// True if JSON is asked for.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// Runs `items` with these arguments, one after another.
    pub fn run_each(&self, items: &[Item]) -> anyhow::Result<ExitCode> {
        batch::run(items, &self.resolve()?, self.json)
    }

    /// Options of the command line and of the configuration file.
    fn resolve(&self) -> Result<RunOptions, Error> {
        let options = self.options.clone();
        match &self.config {
            Some(path) => Ok(options.or(RunOptions::from_file(path)?)),
            None => Ok(options),
        }
    }
}

/// Pictures and options of an application.
#[derive(Debug)]
pub struct Request {
    application: Application,
    first: PathBuf,
    second: Option<PathBuf>,
    args: RunArgs,
}

/// Why a command of two pictures cannot go on with `first` alone; `second` is what the other one is called.
pub fn no_second(first: &Path, second: &str) -> Error {
    match std::fs::metadata(first) {
        Err(cause) => Error::io("read picture", first, &cause),
        Ok(_) => Error::usage(format!(
            "'{}' has no {second}; give it as the second argument, or a folder with both",
            first.display()
        )),
    }
}

impl Request {
    /// What `args` ask of the pictures.
    pub fn new(application: Application, first: &Path, second: Option<&Path>, args: &RunArgs) -> Self {
        Self {
            application,
            first: first.to_path_buf(),
            second: second.map(Path::to_path_buf),
            args: args.clone(),
        }
    }

    /// Runs the application from its pictures to its results.
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        execute(&self.application, &self.first, self.second.as_deref(), &self.args)
    }

    /// The last job, after what has to run before it.
    pub fn prepare(&self) -> anyhow::Result<Prepared> {
        let options = self.args.resolve()?;
        let (build, mut backend) = open_machine(&options)?;
        let budget = budget(&options, backend.as_ref(), None);
        let inputs = open_inputs(&self.first, self.second.as_deref())?;
        prepare(&self.application, &options, build.as_ref(), &inputs, &mut |plan, pass| {
            run_pass(backend.as_mut(), plan, pass, &budget)
        })
    }
}

fn open_inputs(first: &Path, second: Option<&Path>) -> Result<Inputs, Error> {
    Ok(Inputs { first: Picture::open(first)?, second: second.map(Picture::open).transpose()? })
}

/// The job of the field that a file describes.
pub fn prepare_model(path: &Path, args: &RunArgs) -> anyhow::Result<Prepared> {
    let model = Model::open(path)?;
    let options = args.resolve()?.or(model.options.clone());
    let build = options.build.as_deref().map(open_build).transpose()?;
    Ok(infer::prepare(&model, options, build.as_ref())?.0)
}

fn execute(
    application: &Application,
    first: &Path,
    second: Option<&Path>,
    args: &RunArgs,
) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let options = args.resolve()?;
    let auto = Auto::of(application, &options)?;
    interrupt::listen();
    let (build, mut backend) = open_machine(&options)?;
    let resume = open_checkpoint(backend.as_ref(), &options)?;
    let output = open_output(application, &options)?;
    let read: Vec<&Path> = [first].into_iter().chain(second).chain(args.config.as_deref()).collect();
    places::protect(&options, &read)?;
    let budget = budget(&options, backend.as_ref(), output.as_ref());
    let inputs = open_inputs(first, second)?;
    let prepared = prepare(application, &options, build.as_ref(), &inputs, &mut |plan, pass| {
        eprintln!("{}, {}: {}", plan.application.name(), pass.what, plan.mapping);
        check_fit(build.as_ref(), &options, plan)?;
        run_pass(backend.as_mut(), plan, pass, &budget)
    })?;
    // The pictures are shown again with the results, reduced: they need no memory during the run.
    let photographs = Photographs::of(&inputs);
    drop(inputs);
    let machine = Machine { build, backend, resume, budget };
    let wanted = Wanted { options: &options, photographs: &photographs, output, json: args.json, begun };
    last_run(prepared, auto, machine, wanted)
}

/// Runs the field that a file describes.
pub fn execute_model(path: &Path, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let model = Model::open(path)?;
    let options = args.resolve()?.or(model.options.clone());
    let auto = Auto::of(&Application::Infer, &options)?;
    interrupt::listen();
    let (build, backend) = open_machine(&options)?;
    let resume = open_checkpoint(backend.as_ref(), &options)?;
    let output = open_output(&Application::Infer, &options)?;
    let read: Vec<&Path> = [path, &model.unary].into_iter().chain(args.config.as_deref()).collect();
    places::protect(&options, &read)?;
    let (prepared, options) = infer::prepare(&model, options, build.as_ref())?;
    let budget = budget(&options, backend.as_ref(), output.as_ref());
    // Costs have no picture.
    let photographs = Photographs::default();
    let wanted = Wanted { options: &options, photographs: &photographs, output, json: args.json, begun };
    last_run(prepared, auto, Machine { build, backend, resume, budget }, wanted)
}

/// Before the long work: can the formats hold the results, and is there a place for them?
fn open_output(application: &Application, options: &RunOptions) -> anyhow::Result<Option<Output>> {
    let formats = options.formats.as_deref().unwrap_or_default();
    if !formats.is_empty() {
        let what = Field::of_labels(application, (0, 0), &[]);
        formats.iter().try_for_each(|&format| what.file_name(format).map(|_| ()))?;
        if let (Application::Stereo { dmin }, true) = (application, formats.contains(&FileFormat::Kitti)) {
            let least = f64::from(options.dmin.unwrap_or(*dmin));
            let last = options.labels.unwrap_or(application.defaults().labels).saturating_sub(1);
            let grid = options.application.grid.unwrap_or(1);
            kitti::check_disparities(least, least + f64::from(last) / f64::from(grid))?;
        }
        if options.output.is_none() {
            return Err(Error::usage("--formats needs a folder for its files; give -o DIR").into());
        }
    }
    for (given, option) in [(options.uncertainty, "--uncertainty"), (options.lowest, "--lowest")] {
        if given && options.output.is_none() {
            return Err(Error::usage(format!("{option} needs a folder for its files; give -o DIR")).into());
        }
    }
    let many = options.iterations == Some(Iterations::Auto) || options.chains.is_some_and(|n| n > 1);
    if let Some(number) = options.chains.or(many.then_some(1)) {
        chains::check(options.chain.unwrap_or(0), number)?;
        if many && options.keep_log.is_some() {
            let text = "--keep-log keeps the log of one chain; run each with --chain N instead of --chains";
            return Err(Error::usage(text).into());
        }
    }
    let results = options.output.as_deref();
    places::refuse_same(options)?;
    if let Some(path) = &options.report {
        check_file("write report", path, results)?;
    }
    if let Some(path) = &options.keep_log {
        check_file("write log", path, results)?;
    }
    Ok(options.output.as_deref().map(|folder| Output::prepare(folder, &every_file())).transpose()?)
}

/// The build and the backend that were asked for.
fn open_machine(options: &RunOptions) -> anyhow::Result<(Option<Build>, Box<dyn Backend>)> {
    let build = options.build.as_deref().map(open_build).transpose()?;
    let name = options.backend.as_deref().unwrap_or("cpu");
    let backend = registry::open(name, build.as_ref(), options)?;
    Ok((build, backend))
}

/// What the runs of `options` may take; messages that do not fit go beside the results.
fn budget(options: &RunOptions, backend: &dyn Backend, output: Option<&Output>) -> Budget {
    let many = options.iterations == Some(Iterations::Auto) || options.chains.is_some_and(|n| n > 1);
    let refused = if let Some(why) = backend.in_one_piece() {
        Some(format!("backend '{}' cannot: {why}; --backend cpu can", backend.name()))
    } else if many {
        Some("several chains are added up in memory; run each with --chain N".to_string())
    } else if options.checkpoint.is_some() || options.resume.is_some() {
        Some("--checkpoint and --resume need them in memory; leave them out".to_string())
    } else {
        None
    };
    Budget {
        limit: options.max_memory.map_or(memory::LIMIT, |limit| limit.0),
        folder: output.map_or_else(std::env::temp_dir, Output::place),
        refused,
    }
}

/// Opens a build folder.
pub fn open_build(folder: &Path) -> Result<Build, Error> {
    Build::open(folder).map_err(|e| match e {
        spagen::Error::Open { path, cause } => Error::Build { path, cause },
        other => Error::Build { path: folder.to_path_buf(), cause: other.to_string() },
    })
}
