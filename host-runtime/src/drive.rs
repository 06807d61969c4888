//! Drives a job through a session: stops where its energy is wanted or a checkpoint is due, and where somebody asks it to.

use crate::backend::{Backend, DrainedReport, Progress, ProgressSink, RunReport, Session};
use crate::checkpoint::{self, Checkpoint, Identity};
use crate::error::{Error, Result};
use crate::spill::Spill;
use crate::trace::{EnergyTrace, period};
use crate::uncertainty::boundary::BoundaryCounts;
use anyhow::Context as _;
use serde::{Deserialize, Deserializer, Serialize};
use spa_model::{Job, Snapshot};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Distance of two checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Every {
    /// In iterations, at multiples of this number.
    Iterations(u32),
    /// In time.
    Time(Duration),
}

impl Default for Every {
    fn default() -> Self {
        Self::Time(Duration::from_secs(60))
    }
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be iterations, as in 100, or seconds, as in 30s; above 0");
        if let Some(seconds) = text.strip_suffix('s') {
            let seconds: f64 = seconds.trim().parse().map_err(|_| refuse())?;
            let time = Duration::try_from_secs_f64(seconds).map_err(|_| refuse())?;
            return if time.is_zero() { Err(refuse()) } else { Ok(Self::Time(time)) };
        }
        text.parse().ok().filter(|&n| n > 0).map(Self::Iterations).ok_or_else(refuse)
    }
}

impl<'de> Deserialize<'de> for Every {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::options::values::number_or_text(deserializer)
    }
}

/// What became of the checkpoints of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Iterations done in the checkpoint that this run wrote last; none if it wrote none.
    pub iteration: Option<u32>,
    /// How often one could not be written.
    pub failures: u32,
    /// Why the newest one could not be; none if it was written.
    pub error: Option<String>,
}

/// How a run is followed.
#[derive(Debug, Default)]
pub struct Course {
    /// Follow the energy, in this unit ([`EnergyTrace::unit`]).
    pub trace: Option<f64>,
    /// Count boundaries of segments in every collected field: the run then stops after each.
    pub boundaries: bool,
    /// Where to save the run, and how often.
    pub checkpoint: Option<(PathBuf, Every)>,
    /// Where to go on.
    pub resume: Option<Checkpoint>,
}

/// A run, whole or stopped.
#[derive(Debug)]
pub struct Driven<R = RunReport> {
    /// Its results so far.
    pub report: R,
    /// Iterations done.
    pub iterations: u32,
    /// Energies along the run, if they were wanted and the backend can stop for them.
    pub trace: Option<EnergyTrace>,
    /// Boundaries in the collected fields, if they were wanted and the backend can stop for them.
    pub boundaries: Option<BoundaryCounts>,
    /// What became of its checkpoints, if they were wanted.
    pub saved: Option<Saved>,
}

/// Runs `job` for `application` on `backend` along `course`. Where `progress` returns false the run stops and what it has so
/// far is given; a backend that runs jobs in one piece gives [`Error::Interrupted`].
///
/// # Errors
/// What [`Backend::run`] answers; [`Error::Usage`] if the backend cannot save runs; [`Error::File`] for a checkpoint to go
/// on from that is of another run. One that cannot be written is no error: the run goes on, and [`Driven::saved`] tells.
pub fn drive(
    backend: &mut dyn Backend,
    application: &str,
    job: &Job,
    course: Course,
    progress: ProgressSink<'_>,
) -> anyhow::Result<Driven> {
    if backend.in_one_piece().is_some() {
        let report = in_one_piece(backend, job, "the run", progress)?;
        return Ok(Driven {
            report,
            iterations: job.iterations(),
            trace: None,
            boundaries: None,
            saved: None,
        });
    }
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime only")]
    pursue(backend, (application, job), course, (None, progress), |session| session.finish())
}

/// The same with all messages going to `spill`, on a backend that runs jobs in pieces.
///
/// # Errors
/// As [`drive`]; [`Error::File`] if messages cannot be written.
pub fn drive_to(
    backend: &mut dyn Backend,
    application: &str,
    job: &Job,
    (course, spill): (Course, &Arc<Spill>),
    progress: ProgressSink<'_>,
) -> anyhow::Result<Driven<DrainedReport>> {
    pursue(backend, (application, job), course, (Some(spill), progress), |session| session.finish_to(spill))
}

/// Runs `job` in pieces along `course`; `finish` makes the report.
fn pursue<R>(
    backend: &mut dyn Backend,
    (application, job): (&str, &Job),
    course: Course,
    (spill, progress): (Option<&Arc<Spill>>, ProgressSink<'_>),
    finish: impl FnOnce(Box<dyn Session + '_>) -> anyhow::Result<R>,
) -> anyhow::Result<Driven<R>> {
    let mut energies = course.trace.map(|unit| EnergyTrace { unit, points: Vec::new() });
    let saving = course.checkpoint.is_some() || course.resume.is_some();
    let identity = saving.then(|| Identity::new(application, job)).transpose()?;
    let mut from = None;
    if let (Some(checkpoint), Some(identity)) = (course.resume, &identity) {
        let (snapshot, points) = checkpoint.of(identity)?;
        if let Some(trace) = &mut energies {
            trace.points = points;
        }
        from = Some(snapshot);
    }
    let mut session = backend.start(job, from)?;
    if let Some(spill) = spill {
        session.send_to(Arc::clone(spill))?;
    }
    let saver = course.checkpoint.zip(identity).map(|((path, every), identity)| Saver {
        path,
        every,
        identity,
        tried: Instant::now(),
        saved: Saved::default(),
    });
    let problem = job.problem();
    let boundaries = course.boundaries.then(|| Fields {
        burn_in: job.run().burn_in,
        counts: BoundaryCounts::new((problem.width as usize, problem.height as usize)),
    });
    let mut course = Running { session, energies, saver, spill, boundaries };
    course.run(job.iterations(), progress)?;
    let iterations = course.session.iteration();
    let boundaries = course.boundaries.map(|fields| fields.counts);
    let saved = course.saver.map(|saver| saver.saved);
    Ok(Driven { report: finish(course.session)?, iterations, trace: course.energies, boundaries, saved })
}

/// Runs `job`, which is `part` of something greater, on any backend to its end.
///
/// # Errors
/// What [`Backend::run`] answers; [`Error::Interrupted`] where `progress` ended the run.
pub fn in_one_piece(
    backend: &mut dyn Backend,
    job: &Job,
    part: &str,
    progress: ProgressSink<'_>,
) -> anyhow::Result<RunReport> {
    let mut reports = all_in_one_piece(backend, std::slice::from_ref(job), part, progress)?;
    reports.pop().context("the backend answered nothing")
}

/// What some of several chains came to.
#[derive(Debug, Default)]
pub struct Kept {
    /// Reports of those that collected something, and the iterations that each is of.
    pub reports: Vec<(RunReport, u32)>,
    /// Somebody asked to stop: what is to be said if no chain at all is kept.
    pub stopped: Option<Error>,
}

/// Chains of one run; where `progress` returns false, those that have ended are given, and the one that runs, if it has collected something
/// by then. Chains that run at the same time, and those of a backend that runs jobs in one piece, are given whole or not at all.
///
/// # Errors
/// What the backend answers.
pub fn chains(backend: &mut dyn Backend, jobs: &[Job], progress: ProgressSink<'_>) -> anyhow::Result<Kept> {
    if let ([job], None) = (jobs, backend.in_one_piece()) {
        return chain(backend, job, None, progress);
    }
    match all_in_one_piece(backend, jobs, CHAIN, progress) {
        Ok(reports) => {
            let whole = |(report, job): (RunReport, &Job)| (report, job.iterations());
            Ok(Kept { reports: reports.into_iter().zip(jobs).map(whole).collect(), stopped: None })
        }
        Err(error) => match error.downcast() {
            Ok(stopped @ Error::Interrupted(_)) => Ok(Kept { stopped: Some(stopped), ..Kept::default() }),
            Ok(other) => Err(other.into()),
            Err(other) => Err(other),
        },
    }
}

/// What a stopped run was part of.
const CHAIN: &str = "one of several chains";

/// A chain from its start or from a snapshot, on a backend with sessions.
///
/// # Errors
/// As [`chains`].
pub fn chain(
    backend: &dyn Backend,
    job: &Job,
    from: Option<Snapshot>,
    progress: ProgressSink<'_>,
) -> anyhow::Result<Kept> {
    let mut session = backend.start(job, from)?;
    let ended = session.advance(job.iterations(), progress)?;
    let done = session.iteration();
    let stopped = (!ended).then(|| nothing_to_keep((done, job.iterations()), CHAIN));
    let reports =
        if ended || job.collected_by(done) > 0 { vec![(session.finish()?, done)] } else { Vec::new() };
    Ok(Kept { reports, stopped })
}

/// The same for jobs that [`Backend::run_many`] takes; one report each.
///
/// # Errors
/// As [`in_one_piece`].
pub fn all_in_one_piece(
    backend: &mut dyn Backend,
    jobs: &[Job],
    part: &str,
    progress: ProgressSink<'_>,
) -> anyhow::Result<Vec<RunReport>> {
    let iterations = jobs.first().map_or(0, Job::iterations);
    let mut stopped = None;
    let report = backend.run_many(jobs, &mut |now: Progress| {
        let go_on = progress(now);
        stopped = (!go_on).then_some(now.iteration).or(stopped);
        go_on
    });
    match (report, stopped) {
        (Err(_), Some(iteration)) => match backend.in_one_piece() {
            Some(why) => {
                let done = format!("{iteration} of {iterations} iterations are done");
                let keeps = format!("backend '{}' keeps no part of a run: {why}", backend.name());
                Err(Error::Interrupted(format!("{done}, and {keeps}")).into())
            }
            None => Err(nothing_to_keep((iteration, iterations), part).into()),
        },
        (report, _) => report,
    }
}

/// What is said of a run that was stopped after some of its iterations and is of no use then.
pub fn nothing_to_keep((done, iterations): (u32, u32), part: &str) -> Error {
    let done = format!("{done} of {iterations} iterations are done of {part}");
    Error::Interrupted(format!("{done}, so there are no results to keep"))
}

/// When and where checkpoints are written.
struct Saver {
    path: PathBuf,
    every: Every,
    identity: Identity,
    /// When one was written last, or could not be.
    tried: Instant,
    saved: Saved,
}

impl Saver {
    /// The iteration of the next checkpoint after `done`, if it is counted in iterations.
    fn next(&self, done: u32) -> u32 {
        match self.every {
            Every::Iterations(n) => (done / n).saturating_add(1).saturating_mul(n),
            Every::Time(_) => u32::MAX,
        }
    }

    fn is_due(&self, done: u32) -> bool {
        match self.every {
            Every::Iterations(n) => done.is_multiple_of(n),
            Every::Time(time) => self.tried.elapsed() >= time,
        }
    }

    /// Notes whether the checkpoint after `done` iterations was written; the same cause is told once in a row.
    fn note(&mut self, done: u32, written: Result<()>) {
        let Err(error) = written else {
            self.saved.iteration = Some(done);
            self.saved.error = None;
            return;
        };
        let error = error.to_string();
        if self.saved.error.as_ref() != Some(&error) {
            eprintln!("warning: {error}; the run goes on, and the next checkpoint is tried when it is due");
        }
        self.saved.failures += 1;
        self.saved.error = Some(error);
    }
}

/// Collected fields, seen one by one.
struct Fields {
    burn_in: u32,
    counts: BoundaryCounts,
}

impl Fields {
    /// The iteration to stop at after `done`: the next that is collected.
    fn next(&self, done: u32) -> u32 {
        done.max(self.burn_in).saturating_add(1)
    }
}

/// A run on its way.
struct Running<'a> {
    session: Box<dyn Session + 'a>,
    energies: Option<EnergyTrace>,
    saver: Option<Saver>,
    /// Where messages go.
    spill: Option<&'a Arc<Spill>>,
    boundaries: Option<Fields>,
}

impl Running<'_> {
    fn run(&mut self, iterations: u32, progress: ProgressSink<'_>) -> anyhow::Result<()> {
        let period = period(iterations);
        // A resumed run has that of its checkpoint's last point already.
        if self.energies.as_ref().is_some_and(|trace| trace.points.is_empty()) {
            self.note_energy()?;
        }
        let mut stop = false;
        while !stop && self.session.iteration() < iterations {
            let done = self.session.iteration();
            let point = if self.energies.is_some() { (done / period + 1) * period } else { u32::MAX };
            let (saver, spill) = (self.saver.as_ref(), self.spill);
            let field = self.boundaries.as_ref().map_or(u32::MAX, |fields| fields.next(done));
            let to = iterations.min(point).min(field).min(saver.map_or(u32::MAX, |saver| saver.next(done)));
            self.session.advance(to, &mut |now| {
                stop |= !progress(now);
                let save =
                    saver.is_some_and(|s| matches!(s.every, Every::Time(_)) && s.is_due(now.iteration));
                !stop && !save && spill.is_none_or(|spill| spill.is_whole())
            })?;
            spill.map_or(Ok(()), |spill| spill.check())?;
            let done = self.session.iteration();
            if let Some(fields) = self.boundaries.as_mut().filter(|fields| done > fields.burn_in) {
                fields.counts.add(&self.session.labels()?);
            }
            if done == iterations || done.is_multiple_of(period) {
                self.note_energy()?;
            }
            if done < iterations && self.saver.as_ref().is_some_and(|saver| stop || saver.is_due(done)) {
                self.save()?;
            }
        }
        // The end of a stopped run is no point of the run that goes on from its checkpoint.
        self.note_energy()
    }

    fn note_energy(&mut self) -> anyhow::Result<()> {
        let done = self.session.iteration();
        if let Some(trace) = &mut self.energies
            && trace.points.last().is_none_or(|&(last, _)| last < done)
        {
            trace.points.push((done, self.session.energy()?));
        }
        Ok(())
    }

    /// Writes a checkpoint. A disk that is full must not cost the run: it goes on, and tries again when the next one is due.
    fn save(&mut self) -> anyhow::Result<()> {
        let Some(saver) = &mut self.saver else { return Ok(()) };
        let points = self.energies.as_ref().map_or(&[][..], |trace| &trace.points);
        let snapshot = self.session.snapshot()?;
        let written = checkpoint::write(&saver.path, &saver.identity, &snapshot, points);
        saver.tried = Instant::now();
        saver.note(snapshot.iteration, written);
        Ok(())
    }
}
