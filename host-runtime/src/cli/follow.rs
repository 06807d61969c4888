//! Runs jobs with a progress bar, and lets signals stop them.

use crate::app::Application;
use crate::app::prepare::Pass;
use crate::backend::{Backend, DrainedReport, Progress, ProgressSink};
use crate::blocks::{Source, Whole};
use crate::checkpoint::Checkpoint;
use crate::drive::{
    Course, Driven, Kept, Saved, chain, chains, drive, drive_to, in_one_piece, nothing_to_keep,
};
use crate::error::{Error, Result};
use crate::fit;
use crate::interrupt;
use crate::memory::{Budget, Place};
use crate::options::{Iterations, RunOptions};
use crate::output::{check_file, part_of};
use crate::plan::Plan;
use crate::spill::{Spill, Spilled};
use crate::summary::{Summary, with_prefix};
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use spa_model::{Job, LabelEntry, Snapshot};
use spagen::Build;
use spagen::parameters::counted;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

/// A bar on a terminal for so many iterations of `labels` nominal labels each; from now on a signal asks to stop
/// ([`interrupt::stop_asked`]).
pub fn progress_bar(iterations: u64, labels: u64, name: String) -> ProgressBar {
    interrupt::run_begins();
    let bar = ProgressBar::new(iterations);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    let template = "{prefix} [{bar:40}] {pos}/{len} iterations, {rate}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A bar that cannot be drawn is no reason to stop.
            let _ = write!(out, "{}labels/s", with_prefix(state.per_sec() * labels as f64));
        };
        bar.set_style(style.with_key("rate", rate).progress_chars("=> "));
    }
    bar.set_prefix(name);
    bar
}

/// Tells on a terminal that results are written, until it is dropped.
pub struct Writing(ProgressBar);

impl Writing {
    /// Draws the line.
    pub fn begin() -> Self {
        let line = ProgressBar::new_spinner();
        if std::io::stderr().is_terminal() {
            line.set_message("writing results …");
            line.enable_steady_tick(Duration::from_millis(100));
        } else {
            line.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self(line)
    }

    /// Says something that stays.
    pub fn note(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A job before the last one: its histogram. Until the next run begins there is nothing to keep, and a signal ends the program.
pub fn run_pass(
    backend: &mut dyn Backend,
    plan: &Plan,
    pass: Pass,
    budget: &Budget,
) -> anyhow::Result<Box<dyn Source<u16>>> {
    let drawn = draw(backend, plan, &pass.to_string(), budget)?;
    if interrupt::stop_asked() {
        return Err(Error::Interrupted(interrupt::nothing(&format!("after {pass}"))).into());
    }
    interrupt::nothing_yet(format!("after {pass}"));
    Ok(drawn)
}

fn draw(
    backend: &mut dyn Backend,
    plan: &Plan,
    part: &str,
    budget: &Budget,
) -> anyhow::Result<Box<dyn Source<u16>>> {
    let name = backend.name().to_string();
    let job = &plan.job;
    let size = (job.problem().width, job.problem().height);
    if budget.place(job)? == Place::Memory {
        let report = with_progress(backend, (job, 0), name, |backend, progress| {
            in_one_piece(backend, job, part, progress)
        })?;
        return Ok(Box::new(Whole::owned(size, report.outcome.histogram)));
    }
    let spill = Arc::new(Spill::new(&budget.folder, size)?);
    let Driven { report, iterations, .. } = follow_to(backend, plan, (Course::default(), &spill))?;
    if iterations < job.iterations() {
        return Err(nothing_to_keep((iterations, job.iterations()), part).into());
    }
    Ok(Box::new(Spilled::new(spill, job, iterations, &report.labels, budget.block())))
}

/// A job that a build cannot run is refused with the way to a build that can, before anything is compiled.
pub fn check_fit(build: Option<&Build>, options: &RunOptions, plan: &Plan) -> Result<()> {
    build.map_or(Ok(()), |build| fit::check(build, options, &plan.job))
}

/// Chains from their starts, as [`Backend::run_many`] takes them.
pub fn run_chains(backend: &mut dyn Backend, jobs: &[Job], name: String) -> anyhow::Result<Kept> {
    let Some(first) = jobs.first() else { return Ok(Kept::default()) };
    with_progress(backend, (first, 0), name, |backend, progress| chains(backend, jobs, progress))
}

/// Chains that go on from labels that they had at the end of burn-in, to their ends.
pub fn run_on(
    backend: &mut dyn Backend,
    jobs: &[Job],
    starts: &[Vec<u8>],
    name: String,
) -> anyhow::Result<Kept> {
    let Some(first) = jobs.first() else { return Ok(Kept::default()) };
    with_progress(backend, (first, first.run().burn_in), name, |backend, progress| {
        let mut all = Kept::default();
        for (job, labels) in jobs.iter().zip(starts) {
            let snapshot = Snapshot {
                iteration: job.run().burn_in,
                labels: labels.clone(),
                entries: vec![LabelEntry::default(); job.problem().rvs()],
                messages: Vec::new(),
            };
            let one = chain(backend, job, Some(snapshot), progress)?;
            all.reports.extend(one.reports);
            if one.stopped.is_some() {
                all.stopped = one.stopped;
                break;
            }
        }
        Ok(all)
    })
}

/// Runs the last job.
pub fn follow(backend: &mut dyn Backend, plan: &Plan, course: Course) -> anyhow::Result<Driven> {
    let from = course.resume.as_ref().map_or(0, Checkpoint::iteration);
    let name = backend.name().to_string();
    with_progress(backend, (&plan.job, from), name, |backend, progress| {
        drive(backend, plan.application.name(), &plan.job, course, progress)
    })
}

/// Runs a job with its messages going to disk.
pub fn follow_to(
    backend: &mut dyn Backend,
    plan: &Plan,
    kept: (Course, &Arc<Spill>),
) -> anyhow::Result<Driven<DrainedReport>> {
    let name = backend.name().to_string();
    with_progress(backend, (&plan.job, 0), name, |backend, progress| {
        drive_to(backend, plan.application.name(), &plan.job, kept, progress)
    })
}

/// Shows the progress of `run` from an iteration on and lets a signal stop it.
fn with_progress<T>(
    backend: &mut dyn Backend,
    (job, from): (&Job, u32),
    name: String,
    run: impl FnOnce(&mut dyn Backend, ProgressSink<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let bar = progress_bar(job.iterations().into(), job.labels_evaluated_by(1), name);
    bar.set_position(from.into());
    bar.reset_eta();
    let done = run(backend, &mut |progress: Progress| {
        bar.set_position(progress.iteration.into());
        !interrupt::stop_asked()
    });
    bar.finish_and_clear();
    // Refusals have messages of their own; anything else says which backend it came from.
    match done {
        Err(e) if e.is::<spa_model::Error>() || e.is::<Error>() => Err(e),
        other => other.with_context(|| format!("backend '{}' failed", backend.name())),
    }
}

/// The checkpoint to go on from, before the long work; refuses to save runs where that cannot be.
///
/// # Errors
/// [`Error::Usage`] for options that do not go together or a backend that runs jobs in one piece, [`Error::File`] and
/// [`Error::Damaged`] for files.
pub fn open_checkpoint(backend: &dyn Backend, options: &RunOptions) -> Result<Option<Checkpoint>> {
    if options.checkpoint_every.is_some() && options.checkpoint.is_none() {
        return Err(Error::usage("--checkpoint-every needs a file; give --checkpoint FILE"));
    }
    let many = options.iterations == Some(Iterations::Auto) || options.chains.is_some_and(|n| n > 1);
    for (given, option) in [(&options.checkpoint, "--checkpoint"), (&options.resume, "--resume")] {
        if given.is_none() {
            continue;
        }
        if many {
            return Err(Error::usage(format!(
                "{option} is for one chain; run each with --chain N instead of --chains or --iterations auto"
            )));
        }
        if backend.in_one_piece().is_some() {
            return Err(backend.refuse_pieces(option));
        }
    }
    if let Some(path) = &options.checkpoint {
        check_file("write checkpoint", path, None)?;
        check_file("write checkpoint", &part_of(path), None)?;
    }
    options.resume.as_deref().map(Checkpoint::read).transpose()
}

/// How the last run is to be followed; `resume` is where it goes on.
pub fn course(plan: &Plan, options: &RunOptions, resume: Option<Checkpoint>) -> Course {
    let wanted = options.output.is_some() || options.report.is_some();
    let every = options.checkpoint_every.unwrap_or_default();
    Course {
        trace: wanted.then(|| plan.energy_unit()),
        // A checkpoint does not hold them: a run that is cut has to give what one without a break gives.
        boundaries: plan.application == Application::Segment
            && options.uncertainty
            && options.checkpoint.is_none()
            && resume.is_none(),
        checkpoint: options.checkpoint.clone().map(|path| (path, every)),
        resume,
    }
}

/// Says what a stopped run left.
pub fn tell_partial(summary: &Summary, options: &RunOptions) {
    let done = match summary.chains_done() {
        Some(chains) => {
            let search = summary.convergence.filter(|found| !found.converged);
            let search = search.map_or_else(String::new, |found| format!(", not converged: {found}"));
            format!("stopped{search}; kept: {chains}")
        }
        None => format!("stopped after {} of {} iterations", summary.iterations_done, summary.iterations),
    };
    let kept = match (options.output.is_some(), summary.collected()) {
        (false, 0) => {
            "nothing was collected before the end of burn-in, and nothing was written (no -o)".to_string()
        }
        (false, _) => "no folder of results was written (no -o)".to_string(),
        (true, 0) => "nothing was collected before the end of burn-in: labels only".to_string(),
        (true, n) => match &summary.chains {
            Some(_) => "the results are their sum".to_string(),
            None => format!("the results are of {n} collected iterations"),
        },
    };
    // Both are made of what was collected.
    let asked = [("--report", &options.report), ("--keep-log", &options.keep_log)];
    let left: Vec<String> = asked
        .iter()
        .filter_map(|(option, path)| Some(format!("{option} '{}'", path.as_deref()?.display())))
        .filter(|_| summary.collected() == 0)
        .collect();
    let left = match left.as_slice() {
        [] => String::new(),
        left => format!("; not written: {}", left.join(", ")),
    };
    let rest = match (&options.checkpoint, &summary.checkpoint) {
        (_, Some(saved)) if saved.error.is_some() => format!("; {}", unsaved(saved)),
        (Some(path), _) => format!("; the same command with --resume '{}' goes on", path.display()),
        (None, _) => String::new(),
    };
    eprintln!("{done}; {kept}{left}{rest}");
}

/// Says that the newest checkpoint could not be written, and which one there is.
pub fn unsaved(saved: &Saved) -> String {
    let last = match saved.iteration {
        Some(iteration) => format!("the last one written is of iteration {iteration}"),
        None => "this run wrote none".to_string(),
    };
    format!("{} could not be written: {last}", counted(saved.failures, "checkpoint"))
}
