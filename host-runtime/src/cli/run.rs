//! What `stereo`, `flow`, `segment`, `restore` and `infer` share: options, the run, the results.

use super::auto::Auto;
use super::batch;
use super::follow::{course, follow, open_checkpoint, run_pass, run_whole, tell_partial};
use crate::app::Application;
use crate::app::infer::{self, Model};
use crate::app::prepare::{Prepared, prepare, write_extras};
use crate::backend::{Backend, registry};
use crate::batch::Item;
use crate::checkpoint::Checkpoint;
use crate::drive::Driven;
use crate::error::Error;
use crate::fit;
use crate::formats::Field;
use crate::interrupt;
use crate::npy::Counted;
use crate::options::{Bytes, Iterations, RunOptions};
use crate::output::{Output, check_file};
use crate::panels::{Photographs, Shown};
use crate::picture::Picture;
use crate::plan::{Inputs, Plan};
use crate::report;
use crate::results::{FILES, histogram_file, write_figure, write_formats, write_run, write_uncertainty};
use crate::summary::Summary;
use crate::trace::{EnergyTrace, TRACE};
use crate::uncertainty::credible;
use crate::{chains, cli::print, logfile};
use clap::Args;
use spa_model::{ArrayShape, Histogram, Outcome, Start};
use spagen::Build;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Size of a dense histogram above which it is written sparse: 2 GB.
const MEMORY_DEFAULT: Bytes = Bytes(2_000_000_000);

/// Collected iterations below which the histogram says little.
const FEW: u16 = 20;

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
        let inputs = open_inputs(&self.first, self.second.as_deref())?;
        prepare(&self.application, &options, build.as_ref(), &inputs, &mut |plan, _| {
            run_pass(backend.as_mut(), plan)
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
    let options = args.resolve()?;
    let auto = Auto::of(application, &options)?;
    interrupt::listen();
    let (build, mut backend) = open_machine(&options)?;
    let resume = open_checkpoint(backend.as_ref(), &options)?;
    let output = open_output(application, &options)?;
    protect(&options, [Some(first), second])?;
    let inputs = open_inputs(first, second)?;
    let prepared = prepare(application, &options, build.as_ref(), &inputs, &mut |plan, what| {
        eprintln!("{}, {what}: {}", plan.application.name(), plan.mapping);
        check_fit(build.as_ref(), &options, plan)?;
        run_pass(backend.as_mut(), plan)
    })?;
    // The pictures are shown again with the results, reduced: they need no memory during the run.
    let photographs = Photographs::of(&inputs);
    drop(inputs);
    let machine = Machine { build, backend, resume };
    last_run(prepared, auto, Some(&photographs), &options, machine, output, args.json)
}

/// Runs the field that a file describes.
pub fn execute_model(path: &Path, args: &RunArgs) -> anyhow::Result<ExitCode> {
    let model = Model::open(path)?;
    let options = args.resolve()?.or(model.options.clone());
    let auto = Auto::of(&Application::Infer, &options)?;
    interrupt::listen();
    let (build, backend) = open_machine(&options)?;
    let resume = open_checkpoint(backend.as_ref(), &options)?;
    if options.report.is_some() {
        return Err(Error::usage("--report shows pictures, and 'infer' has none; leave it out").into());
    }
    let output = open_output(&Application::Infer, &options)?;
    let (prepared, options) = infer::prepare(&model, options, build.as_ref())?;
    last_run(prepared, auto, None, &options, Machine { build, backend, resume }, output, args.json)
}

/// Before the long work: can the formats hold the results, and is there a place for them?
fn open_output(application: &Application, options: &RunOptions) -> anyhow::Result<Option<Output>> {
    let formats = options.formats.as_deref().unwrap_or_default();
    if !formats.is_empty() {
        let what = Field::of_labels(application, (0, 0), &[]);
        formats.iter().try_for_each(|&format| what.file_name(format).map(|_| ()))?;
        if options.output.is_none() {
            return Err(Error::usage("--formats needs a folder for its files; give -o DIR").into());
        }
    }
    if options.uncertainty && options.output.is_none() {
        return Err(Error::usage("--uncertainty needs a folder for its files; give -o DIR").into());
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
    if let Some(path) = &options.report {
        check_file("write report", path, results)?;
    }
    if let Some(path) = &options.keep_log {
        check_file("write log", path, results)?;
    }
    Ok(options.output.as_deref().map(Output::prepare).transpose()?)
}

/// Refuses to write over one of the pictures that are read.
fn protect(options: &RunOptions, pictures: [Option<&Path>; 2]) -> Result<(), Error> {
    let results = options.output.iter().flat_map(|folder| FILES.map(|name| folder.join(name)));
    let single = options.report.iter().chain(&options.keep_log).chain(&options.checkpoint);
    for written in single.cloned().chain(results) {
        let Ok(written) = written.canonicalize() else { continue };
        for read in pictures.into_iter().flatten() {
            if read.canonicalize().is_ok_and(|read| read == written) {
                let name = read.display();
                return Err(Error::usage(format!(
                    "'{name}' is read and would be written over; choose another place for the results"
                )));
            }
        }
    }
    Ok(())
}

/// What runs jobs.
struct Machine {
    build: Option<Build>,
    backend: Box<dyn Backend>,
    /// Where the last run goes on.
    resume: Option<Checkpoint>,
}

/// The build and the backend that were asked for.
fn open_machine(options: &RunOptions) -> anyhow::Result<(Option<Build>, Box<dyn Backend>)> {
    let build = options.build.as_deref().map(open_build).transpose()?;
    let name = options.backend.as_deref().unwrap_or("cpu");
    let backend = registry::open(name, build.as_ref(), options)?;
    Ok((build, backend))
}

/// A job that a build cannot run is refused with the way to a build that can, before anything is compiled.
fn check_fit(build: Option<&Build>, options: &RunOptions, plan: &Plan) -> Result<(), Error> {
    build.map_or(Ok(()), |build| fit::check(build, options, &plan.job))
}

/// Runs the job whose results are written, and writes them.
fn last_run(
    mut prepared: Prepared,
    auto: Option<Auto>,
    photographs: Option<&Photographs>,
    options: &RunOptions,
    machine: Machine,
    output: Option<Output>,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let Machine { build, mut backend, resume } = machine;
    eprintln!("{}: {}", prepared.plan.application.name(), prepared.plan.mapping);
    check_fit(build.as_ref(), options, &prepared.plan)?;
    let mut convergence = None;
    if let Some(auto) = auto {
        let (job, found) = auto.search(backend.as_mut(), &prepared.plan.job)?;
        prepared.plan.job = job;
        convergence = Some(found);
    }
    let plan = &prepared.plan;
    let collected = plan.job.collected();
    // What the defaults collect is said in the docs; a note about one's own choice is of use.
    let chosen = options.iterations.is_some() || options.burn_in.is_some() || options.schedule.is_some();
    if chosen && collected < FEW {
        eprintln!(
            "note: only {collected} of {} iterations are collected, so shares and confidence are coarse; lower \
             --burn-in or raise --iterations",
            plan.job.iterations()
        );
    }
    let problem = plan.job.problem();
    let limit = options.max_memory.unwrap_or(MEMORY_DEFAULT).0;
    let file = histogram_file(problem.rvs(), problem.labels, limit);
    let hash = build.as_ref().map(|build| build.config_hash().to_string());
    let results = Results { prepared: &prepared, photographs, options, json, outcome: None, trace: None };
    let number = auto.map_or(options.chains.unwrap_or(1), Auto::chains);
    if number != 1 {
        warn_of_equal_starts(plan);
        let chains = chains::run(&plan.job, (number, backend.at_once()), &mut |jobs, n| {
            let name = format!("{} {}/{number}", backend.name(), n + jobs.len());
            run_whole(backend.as_mut(), jobs, name, "one of several chains")
        })?;
        let mut summary = Summary::of_chains(plan, backend.name(), hash, &chains, file)?;
        summary.convergence = convergence;
        let code = results.write(output, summary, &chains.labels, &chains.histogram)?;
        return match convergence.filter(|found| !found.converged) {
            Some(found) => {
                let kept = "the results are those of the newest half";
                eprintln!("error: not converged after {} iterations: {found}; {kept}", found.iterations);
                Ok(ExitCode::FAILURE)
            }
            None => Ok(code),
        };
    }
    let name = backend.name();
    let resumed_from = resume.as_ref().map(Checkpoint::iteration);
    let course = course(plan, options, resume);
    let Driven { mut report, iterations, trace } = follow(backend.as_mut(), plan, course)?;
    let mut summary = Summary::new(plan, name, hash, &mut report, file)?;
    summary.set_part(&plan.job, iterations, resumed_from);
    summary.energy = trace.as_ref().and_then(|trace| Some(trace.points.last()?.1));
    let shape = build.as_ref().map(Build::array);
    let results = Results { outcome: Some((&report.outcome, shape)), trace: trace.as_ref(), ..results };
    let labels = std::slice::from_ref(&report.outcome.labels);
    results.write(output, summary, labels, &report.outcome.histogram)
}

/// Several chains from one start look alike for longer than they should.
fn warn_of_equal_starts(plan: &Plan) {
    if plan.job.run().start != Start::Random {
        eprintln!("note: all chains start from the same labels; --start random lets them start apart");
    }
}

/// What results are made of beside what was drawn.
struct Results<'a> {
    prepared: &'a Prepared,
    photographs: Option<&'a Photographs>,
    options: &'a RunOptions,
    json: bool,
    /// What one chain answered, for its log, and the array that it is written for.
    outcome: Option<(&'a Outcome, Option<&'a ArrayShape>)>,
    /// Its energy along the run.
    trace: Option<&'a EnergyTrace>,
}

impl Results<'_> {
    /// Writes all files, and prints the summary. `labels` are those of each chain.
    fn write<C: Counted>(
        &self,
        output: Option<Output>,
        mut summary: Summary,
        labels: &[Vec<u8>],
        histogram: &Histogram<C>,
    ) -> anyhow::Result<ExitCode> {
        let (plan, options) = (&self.prepared.plan, self.options);
        summary.settings = Some(self.prepared.settings(options)?);
        let problem = plan.job.problem();
        let formats = options.formats.as_deref().unwrap_or_default();
        // Up to the end of burn-in a stopped run has labels and nothing else.
        let collected = summary.collected() > 0;
        let scale = self.prepared.scale();
        // Pictures and the report count in labels where those are parts of pixels.
        let shown = Shown {
            application: &plan.application,
            size: (problem.width, problem.height),
            values: plan.values.as_deref(),
            photographs: self.photographs.unwrap_or(&Photographs { first: None, second: None }),
            histogram,
            scale: &scale,
            share: options.credible.map_or(credible::SHARE, |share| share.0),
            boundary: None,
        };
        if let Some(output) = output {
            if options.uncertainty && collected {
                summary.uncertainty = Some(write_uncertainty(&output, &shown)?);
            }
            if collected {
                write_extras(&output, &self.prepared.extras(histogram))?;
            }
            if !formats.is_empty() && collected {
                write_formats(&output, &self.prepared.field(histogram), formats)?;
            }
            // Its legend is in pixels.
            if self.photographs.is_some() && self.prepared.labels_are_pixels() && collected {
                write_figure(&output, &shown)?;
            }
            if let Some(trace) = self.trace {
                trace.write(&output.path(TRACE))?;
            }
            write_run(output, &plan.application, &summary, labels, histogram)?;
        }
        // Its folder may be that of the results.
        if let (Some(path), Some((outcome, shape)), true) = (&options.keep_log, self.outcome, collected) {
            let job = (&plan.job, summary.iterations_done);
            logfile::write(path, plan.application.name(), job, shape, outcome)?;
        }
        if let Some(path) = options.report.as_ref().filter(|_| self.photographs.is_some() && collected) {
            if !self.prepared.labels_are_pixels() {
                eprintln!("note: the report counts in labels of the last size, not in pixels");
            }
            let run = report::Run {
                summary: &summary,
                shown,
                schedule: &given_schedule(plan),
                trace: self.trace,
                command: &command_line(),
            };
            report::write(path, &run)?;
        }
        if self.json {
            print(&summary.json()?)?;
        } else {
            let place = options.output.as_ref().map(|folder| format!("  results in  {}\n", folder.display()));
            let nowhere =
                || "  results     not written; -o DIR writes labels, histogram and pictures\n".to_string();
            print(&format!("{summary}{}", place.unwrap_or_else(nowhere)))?;
        }
        if summary.partial {
            tell_partial(&summary, options);
            return Ok(ExitCode::from(interrupt::exit_code()));
        }
        Ok(ExitCode::SUCCESS)
    }
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
