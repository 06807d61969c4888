//! The run whose results are written, and its results.

use super::auto::Auto;
use super::follow::{
    Writing, check_fit, course, follow, follow_to, run_chains, run_on, tell_partial, unsaved,
};
use super::print;
use crate::app::prepare::{Prepared, write_extras};
use crate::backend::{ArrayReport, Backend, DrainedReport, RunReport};
use crate::blocks::{Digest, Source, Whole};
use crate::chains::{self, Chains};
use crate::checkpoint::Checkpoint;
use crate::diagnostics::converge::Found;
use crate::drive::Driven;
use crate::interrupt;
use crate::logfile::{self, Kept};
use crate::lowest;
use crate::memory::{Budget, Place, in_memory};
use crate::npy::Counted;
use crate::options::RunOptions;
use crate::output::Output;
use crate::panels::{Photographs, Seen, Shown};
use crate::plan::Plan;
use crate::report;
use crate::results::{Drawn, histogram_file, write_figure, write_formats, write_run, write_uncertainty};
use crate::spill::{Spill, Spilled};
use crate::summary::{Figures, Hashes, Summary, with_prefix};
use crate::trace::{EnergyTrace, TRACE};
use crate::uncertainty::{Scale, credible};
use anyhow::Context;
use spa_model::hash::{Hasher, hash_messages, sha256_hex};
use spa_model::{ArrayShape, Outcome, Start};
use spagen::Build;
use spagen::parameters::counted;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Collected iterations below which the histogram says little.
const FEW: u16 = 20;

/// What runs jobs.
pub struct Machine {
    pub build: Option<Build>,
    pub backend: Box<dyn Backend>,
    /// Where the last run goes on.
    pub resume: Option<Checkpoint>,
    /// Memory that runs may take.
    pub budget: Budget,
}

/// What people asked for of the results.
pub struct Wanted<'a> {
    pub options: &'a RunOptions,
    pub photographs: &'a Photographs,
    pub output: Option<Output>,
    pub json: bool,
    /// When the command began to read its pictures.
    pub begun: Instant,
}

/// Runs the job whose results are written, and writes them.
pub fn last_run(
    mut prepared: Prepared,
    auto: Option<Auto>,
    mut machine: Machine,
    wanted: Wanted<'_>,
) -> anyhow::Result<ExitCode> {
    let options = wanted.options;
    eprintln!("{}: {}", prepared.plan.application.name(), prepared.plan.mapping);
    check_fit(machine.build.as_ref(), options, &prepared.plan)?;
    if let Some((beyond, all)) = prepared.beyond_the_picture() {
        eprintln!(
            "warning: {beyond} of {all} disparities reach beyond the picture, which is {} pixels wide: nothing is seen of them, \
             so such an answer means nothing; choose --dmin and --labels by the scene",
            prepared.plan.job.problem().width
        );
    }
    let place = machine.budget.place(&prepared.plan.job)?;
    let mut found = None;
    if let Some(auto) = auto {
        let (job, end) = auto.search(machine.backend.as_mut(), &prepared.plan.job)?;
        prepared.plan.job = job;
        found = Some(end);
    }
    let plan = &prepared.plan;
    let collected = plan.job.collected();
    // What the defaults collect is said in the docs; a note about one's own choice is of use.
    let chosen = options.iterations.is_some() || options.burn_in.is_some() || options.schedule.is_some();
    if chosen && collected < FEW {
        eprintln!(
            "note: only {} of {} collected, so shares and confidence are coarse; lower --burn-in or raise --iterations",
            collected,
            counted(plan.job.iterations(), "iteration")
        );
    }
    let hash = machine.build.as_ref().map(|build| build.config_hash().to_string());
    let results = Results {
        prepared: &prepared,
        wanted,
        backend: machine.backend.name(),
        build: hash,
        histogram: histogram_file(
            options.histogram,
            plan.job.problem().rvs(),
            plan.job.problem().labels,
            machine.budget.limit,
        ),
    };
    let number = auto.map_or(options.chains.unwrap_or(1), Auto::chains);
    if number != 1 {
        return several(machine.backend.as_mut(), number, found, results);
    }
    match place {
        Place::Memory => in_one_histogram(machine, results),
        Place::Disk => in_blocks(machine, results),
    }
}

/// Several chains, whose histograms are added up.
fn several(
    backend: &mut dyn Backend,
    number: u16,
    found: Option<Found>,
    results: Results<'_>,
) -> anyhow::Result<ExitCode> {
    let plan = &results.prepared.plan;
    if plan.job.run().start != Start::Random {
        eprintln!("note: all chains start from the same labels; --start random lets them start apart");
    }
    let (convergence, starts, stopped) =
        found.map_or((None, None, false), |found| (Some(found.convergence), found.starts, found.stopped));
    let Chains { labels, histogram, each, hashes, labels_touched, wall_seconds, array, log } =
        chains::run(&plan.job, (number, backend.at_once()), &mut |jobs, n| {
            let name = format!("{} {}/{number}", backend.name(), n + jobs.len());
            match starts.as_ref().and_then(|starts| starts.get(n..n + jobs.len())) {
                Some(starts) => run_on(backend, jobs, starts, name),
                None => run_chains(backend, jobs, name),
            }
        })?;
    let (options, json, writing) = (results.wanted.options, results.wanted.json, Writing::begin());
    let source = Whole::of(size(plan), &histogram);
    let digest = Digest::of(&source, None)?;
    let figures = Figures {
        hashes,
        mean_confidence: digest.mean_confidence(),
        labels_touched,
        wall_seconds,
        array,
        log,
        chains: Some(each),
        of_chains: number,
    };
    let mut summary = results.summary(figures)?;
    summary.convergence = convergence;
    // What a search drew before is not drawn again.
    let burn_in = starts.is_some().then(|| plan.job.run().burn_in);
    summary.set_part(&plan.job, plan.job.iterations(), burn_in);
    summary.partial |= stopped;
    let drawn = Drawn { source: &source, digest: &digest };
    let summary = results.write(summary, &labels, &drawn, (Beside::default(), &writing))?;
    drop(writing);
    tell(&summary, options, json)
}

/// One chain with its histogram in memory.
fn in_one_histogram(machine: Machine, results: Results<'_>) -> anyhow::Result<ExitCode> {
    let Machine { build, mut backend, resume, .. } = machine;
    let plan = &results.prepared.plan;
    let resumed_from = resume.as_ref().map(Checkpoint::iteration);
    let course = course(plan, results.wanted.options, resume);
    let Driven { report, iterations, trace, boundaries, saved } = follow(backend.as_mut(), plan, course)?;
    let writing = Writing::begin();
    let RunReport { outcome, wall_seconds, array, log } = report;
    let Outcome { labels, histogram, mut messages, labels_touched } = outcome;
    let messages_hash = hash_messages(&mut messages);
    let source = Whole::of(size(plan), &histogram);
    let report = DrainedReport { labels, labels_touched, wall_seconds, log };
    let driven = Driven { report, iterations, trace, boundaries, saved };
    let one = One { source: &source, kept: Kept::Memory(&messages), messages_hash, array, resumed_from };
    results.write_one(one, driven, (build.as_ref(), writing))
}

/// One chain with its messages on disk.
fn in_blocks(machine: Machine, results: Results<'_>) -> anyhow::Result<ExitCode> {
    let Machine { build, mut backend, budget, .. } = machine;
    let plan = &results.prepared.plan;
    eprintln!(
        "note: in memory this run would take about {}B, more than --max-memory ({}B) or this machine has: messages go to \
         disk ('{}'), results are made of them by blocks of rows",
        with_prefix(in_memory(&plan.job, budget.limit) as f64),
        with_prefix(budget.limit as f64),
        budget.folder.display()
    );
    let spill = Arc::new(Spill::new(&budget.folder, size(plan))?);
    let course = course(plan, results.wanted.options, None);
    let driven = follow_to(backend.as_mut(), plan, (course, &spill))?;
    let writing = Writing::begin();
    let source = Spilled::new(spill, &plan.job, driven.iterations, &driven.report.labels, budget.block());
    let messages_hash = source.hash_messages()?;
    let kept = Kept::Disk(&source);
    let one = One { source: &source, kept, messages_hash, array: None, resumed_from: None };
    results.write_one(one, driven, (build.as_ref(), writing))
}

fn size(plan: &Plan) -> (u32, u32) {
    (plan.job.problem().width, plan.job.problem().height)
}

/// What results are made of beside what was drawn.
struct Results<'a> {
    prepared: &'a Prepared,
    wanted: Wanted<'a>,
    backend: &'static str,
    /// Hash of the build's configuration.
    build: Option<String>,
    /// Name of the histogram's file.
    histogram: &'static str,
}

/// What one chain left, in memory or on disk.
struct One<'a, C> {
    source: &'a dyn Source<C>,
    kept: Kept<'a>,
    messages_hash: String,
    array: Option<ArrayReport>,
    /// Iteration of the checkpoint that it went on from.
    resumed_from: Option<u32>,
}

/// What one chain left beside its histogram.
#[derive(Default)]
struct Beside<'a> {
    /// Its messages, and the array that their log is written for.
    log: Option<Kept<'a>>,
    shape: Option<&'a ArrayShape>,
    /// Its energy along the run.
    trace: Option<&'a EnergyTrace>,
    /// How often every pixel lay on a boundary in the fields that were watched, 0…1.
    boundaries: Option<Vec<f32>>,
}

impl Results<'_> {
    fn summary(&self, figures: Figures) -> anyhow::Result<Summary> {
        let plan = &self.prepared.plan;
        let mut summary = Summary::new(plan, self.backend, self.build.clone(), figures, self.histogram)?;
        summary.total_seconds = self.wanted.begun.elapsed().as_secs_f64();
        summary.settings = Some(self.prepared.settings(self.wanted.options)?);
        Ok(summary)
    }

    /// Writes all files of one chain, and prints the summary.
    fn write_one<C: Counted>(
        self,
        one: One<'_, C>,
        driven: Driven<DrainedReport>,
        (build, writing): (Option<&Build>, Writing),
    ) -> anyhow::Result<ExitCode> {
        let (options, json) = (self.wanted.options, self.wanted.json);
        let Driven { report, iterations, trace, boundaries, saved } = driven;
        let mut hasher = Hasher::default();
        let digest = Digest::of(one.source, Some(&mut hasher))?;
        let hashes = Hashes {
            labels: sha256_hex(&report.labels),
            histogram: hasher.finish(),
            messages: one.messages_hash,
        };
        let figures = Figures {
            hashes,
            mean_confidence: digest.mean_confidence(),
            labels_touched: report.labels_touched,
            wall_seconds: report.wall_seconds,
            array: one.array,
            log: report.log,
            chains: None,
            of_chains: 1,
        };
        let mut summary = self.summary(figures)?;
        summary.set_part(&self.prepared.plan.job, iterations, one.resumed_from);
        summary.checkpoint = saved;
        let beside = Beside {
            log: Some(one.kept),
            shape: build.map(Build::array),
            trace: trace.as_ref(),
            boundaries: boundaries.and_then(|counts| counts.shares()),
        };
        let drawn = Drawn { source: one.source, digest: &digest };
        let summary =
            self.write(summary, std::slice::from_ref(&report.labels), &drawn, (beside, &writing))?;
        drop(writing);
        tell(&summary, options, json)
    }

    /// Writes all files; `labels` are those of each chain. The summary then knows what they hold.
    fn write<C: Counted>(
        self,
        mut summary: Summary,
        labels: &[Vec<u8>],
        drawn: &Drawn<'_, C>,
        (beside, writing): (Beside<'_>, &Writing),
    ) -> anyhow::Result<Summary> {
        let Wanted { options, photographs, output, .. } = self.wanted;
        interrupt::run_ended();
        if interrupt::stop_asked() && !summary.partial {
            writing.note("the run had ended before it could be stopped: its results are whole");
        }
        let plan = &self.prepared.plan;
        summary.energy = beside.trace.and_then(|trace| Some(trace.points.last()?.1));
        let formats = options.formats.as_deref().unwrap_or_default();
        // Up to the end of burn-in a stopped run has labels and nothing else.
        let collected = summary.collected() > 0;
        if let Some(doubt) = collected.then(|| self.prepared.doubt(&drawn.digest.mode)).flatten() {
            eprintln!("note: {doubt}");
        }
        let scale = self.prepared.scale();
        let share = options.credible.map_or(credible::SHARE, |share| share.0);
        let in_pixels = self.prepared.labels_are_pixels();
        let pictures = output.is_some() || options.report.is_some();
        let seen = (pictures && collected)
            .then(|| Seen::of(drawn.source, (&plan.application, &scale, share), beside.boundaries.as_deref()))
            .transpose()?;
        let measured = (seen.is_some() && !in_pixels).then(|| self.prepared.field(&drawn.digest.mode));
        let shown = seen.as_ref().map(|seen| Shown {
            application: &plan.application,
            size: size(plan),
            labels: plan.job.problem().labels,
            values: plan.values.as_deref(),
            photographs,
            seen,
            measured: measured.as_ref(),
            scale: &scale,
            share,
        });
        if let Some(output) = output {
            output.write(|output| {
                if let Some(shown) = shown.as_ref().filter(|_| options.uncertainty) {
                    summary.uncertainty =
                        Some(write_uncertainty(output, shown, drawn.source, beside.boundaries.as_deref())?);
                }
                if collected {
                    let extras = self.prepared.extras(drawn.source, &drawn.digest.mode)?;
                    write_extras(output, &extras)?;
                    if !formats.is_empty() {
                        write_formats(output, &self.prepared.measured(&extras, &drawn.digest.mode), formats)?;
                    }
                }
                if let Some(shown) = &shown {
                    write_figure(output, shown)?;
                }
                if options.lowest {
                    let mode = collected.then_some(drawn.digest.mode.as_slice());
                    summary.lowest = Some(lowest::write(output, plan.job.problem(), mode, labels)?);
                }
                if let Some(trace) = beside.trace {
                    trace.write(&output.path(TRACE))?;
                }
                write_run(output, &plan.application, &summary, labels, drawn)?;
                Ok(())
            })?;
            let follows = output.follows_a_run();
            output.commit(follows)?;
        }
        // Its folder may be that of the results.
        if let (Some(path), Some(kept), true) = (&options.keep_log, beside.log, collected) {
            let job = (&plan.job, summary.iterations_done);
            let run = logfile::Run {
                labels: &labels[0],
                kept,
                messages: (summary.log.messages, &summary.hashes.messages),
            };
            logfile::write(path, plan.application.name(), job, beside.shape, &run)
                .with_context(|| results_are_there(options))?;
        }
        if let (Some(path), Some(shown)) = (&options.report, shown) {
            if matches!(scale, Scale::Plane { base: Some(_), .. }) {
                writing.note("note: histograms of the report hold motions beyond those of the smaller size");
            }
            let run = report::Run {
                summary: &summary,
                shown,
                source: drawn.source,
                digest: drawn.digest,
                schedule: &given_schedule(plan),
                trace: beside.trace,
                command: &command_line(),
            };
            report::write(path, &run).with_context(|| results_are_there(options))?;
        }
        Ok(summary)
    }
}

/// What to say of the results where something beside them cannot be written.
fn results_are_there(options: &RunOptions) -> String {
    match &options.output {
        Some(folder) => {
            format!("the results in '{}' are complete, what goes beside them is not", folder.display())
        }
        None => "the run ended, but what was to be kept of it is missing".to_string(),
    }
}

/// Prints the summary and says what is missing; the exit code.
fn tell(summary: &Summary, options: &RunOptions, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        print(&summary.json()?)?;
    } else {
        let place = options.output.as_ref().map(|folder| format!("  results in  {}\n", folder.display()));
        let nowhere =
            || "  results     not written; -o DIR writes labels, histogram and pictures\n".to_string();
        print(&format!("{summary}{}", place.unwrap_or_else(nowhere)))?;
    }
    if summary.partial {
        tell_partial(summary, options);
        return Ok(ExitCode::from(interrupt::exit_code()));
    }
    if let Some(found) = summary.convergence.filter(|found| !found.converged) {
        let kept = format!("the results are those of the newest {}", found.iterations - found.burn_in);
        eprintln!("error: not converged after {} iterations: {found}; {kept}", found.iterations);
        return Ok(ExitCode::FAILURE);
    }
    if let Some(saved) = summary.checkpoint.as_ref().filter(|saved| saved.error.is_some()) {
        eprintln!("error: the results are whole, but {}", unsaved(saved));
        return Ok(ExitCode::FAILURE);
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
