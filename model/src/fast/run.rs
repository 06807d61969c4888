//! A run in pieces: it stops between iterations, shows what it has, and goes on with the same bits.

use super::edges::EdgePlanes;
use super::events::Events;
use super::field::{Encoding, Field};
use super::log::{Evidence, RowLog, Sink};
use super::sweep::{HalfStep, Plan, Sampling, Sweep};
use super::tables::ByteWeights;
use super::{Level, Options, general, packed};
use crate::energy::Terms;
use crate::entry::{LabelEntry, Message};
use crate::error::Error;
use crate::histogram::Histogram;
use crate::job::{Job, Outcome, Start};
use crate::rng;
use crate::snapshot::Snapshot;
use crate::weights::WeightTable;
use rayon::prelude::*;
use std::sync::Arc;

/// A run of a job on this machine. However it is cut into calls of [`Run::advance`], into snapshots and restored runs,
/// with whatever [`Options`]: labels, histogram and messages are the same.
pub struct Run<'a> {
    job: &'a Job,
    iteration: u32,
    update_all: bool,
    field: Field,
    events: Events,
    /// In the last iteration live labels had Es below this.
    limit: Option<u32>,
    sampler: Sampler,
    evidence: Option<Evidence>,
    edges: Option<EdgePlanes>,
    logs: [Vec<RowLog>; 2],
    /// Takes their messages.
    sink: Option<Arc<dyn Sink>>,
    plan: Plan,
    /// Threads of its own, where the plan has work for several.
    pool: Option<rayon::ThreadPool>,
    /// First iteration after each entry of the schedule.
    ends: Vec<u32>,
    /// Weights of the entries of the last sweep.
    weights: Vec<Entry>,
    /// Made when the energy is first asked for.
    terms: Option<Terms<'a>>,
}

/// What holds the job's costs.
enum Sampler {
    Packed(Box<packed::Sampler>),
    General(Box<general::General>),
}

/// A schedule entry as its iterations need it.
struct Entry {
    /// Which one.
    entry: usize,
    /// Live labels have Es below this.
    limit: u32,
    weights: Weights,
}

/// The weights of one temperature.
enum Weights {
    Packed(ByteWeights),
    General(WeightTable),
}

impl<'a> Run<'a> {
    /// A run at its start; the time that this takes goes into tables of costs.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the CPU lacks the instruction set asked for or threads cannot be started.
    pub fn new(job: &'a Job, options: &Options) -> Result<Self, Error> {
        // The start that needs all singletons is read off them where they are tabulated anyway.
        match job.run().start {
            Start::Argmin => Self::with(job, options, vec![0; job.problem().rvs()], true),
            _ => Self::with(job, options, job.initial_labels(), false),
        }
    }

    /// A run that goes on from `snapshot`, which any backend may have taken of the same job.
    ///
    /// # Errors
    /// As [`Run::new`], and what [`Snapshot::check`] refuses.
    pub fn restore(job: &'a Job, options: &Options, snapshot: Snapshot) -> Result<Self, Error> {
        snapshot.check(job)?;
        let mut run = Self::with(job, options, snapshot.labels, false)?;
        run.iteration = snapshot.iteration;
        let collected = job.collected_by(snapshot.iteration);
        run.logs.iter_mut().flatten().for_each(|log| log.set_entries(&snapshot.entries, collected));
        let (width, messages) = (job.problem().width, snapshot.messages);
        for message in messages {
            let (x, y) = (message.rv % width, message.rv / width);
            run.logs[(x + y) as usize % 2][y as usize].messages().push(message);
        }
        Ok(run)
    }

    fn with(job: &'a Job, options: &Options, mut labels: Vec<u8>, argmin: bool) -> Result<Self, Error> {
        let level = Level::choose(options.simd)?;
        let threads = match options.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n,
        };
        let problem = job.problem();
        let sampler = Sampler::new(job, level, options.cost_bytes, argmin.then_some(labels.as_mut_slice()));
        let plan = Plan::new(problem.height as usize, sampler.row_bytes(job), threads);
        let schedule = &job.run().schedule;
        let ends = schedule.steps().iter().scan(0, |end, step| {
            *end += step.iterations;
            Some(*end)
        });
        let evidence = problem.fixed.as_ref().map(|fixed| Evidence::new(problem, fixed));
        Ok(Self {
            job,
            iteration: 0,
            update_all: options.update_all,
            field: Field::new(problem, sampler.encoding(), &labels),
            events: Events::new(problem, evidence.as_ref()),
            limit: None,
            sampler,
            evidence,
            edges: EdgePlanes::new(problem),
            logs: [0, 1].map(|colour| RowLog::for_rows(problem, colour)),
            sink: None,
            pool: plan.is_cut().then(|| pool(threads)).transpose()?,
            plan,
            ends: ends.collect(),
            weights: Vec::new(),
            terms: None,
        })
    }

    /// From now on `sink` takes messages while the run goes on; [`Run::histogram`], [`Run::snapshot`] and [`Run::finish`]
    /// then lack them. [`Run::finish_to`] brings the rest.
    pub fn send_to(&mut self, sink: Arc<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// The job.
    pub fn job(&self) -> &'a Job {
        self.job
    }

    /// Iterations done.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    /// Samples until `to` iterations are done (at most all of the job); true if they are.
    ///
    /// `progress` is called with the number of finished iterations, once for each. After it has returned false the run
    /// stops at the end of the sweep, up to 16 iterations later ([`Run::iteration`] tells), and can go on.
    pub fn advance(&mut self, to: u32, progress: &mut dyn FnMut(u32) -> bool) -> bool {
        let whole = self.advance_unsettled(to, progress);
        self.settle();
        whole
    }

    fn advance_unsettled(&mut self, to: u32, progress: &mut dyn FnMut(u32) -> bool) -> bool {
        let to = to.min(self.job.iterations());
        while self.iteration < to {
            let share = self.plan.share((to - self.iteration) as usize) as u32;
            self.sweep(share);
            let first = self.iteration + 1;
            self.iteration += share;
            if !(first..=self.iteration).all(&mut *progress) {
                return false;
            }
        }
        true
    }

    /// The next `count` iterations in one sweep over the rows.
    fn sweep(&mut self, count: u32) {
        let (hardware, run) = (self.job.hardware(), self.job.run());
        let entry_of = |iteration: u32| self.ends.partition_point(|&end| end <= iteration);
        let iterations = self.iteration..self.iteration + count;
        let (first, last) = (entry_of(iterations.start), entry_of(iterations.end - 1));
        self.weights.retain(|known| (first..=last).contains(&known.entry));
        for entry in first..=last {
            if self.weights.iter().all(|known| known.entry != entry) {
                let temperature = run.schedule.steps()[entry].temperature;
                let table = WeightTable::new(hardware, temperature, run.cutoff);
                let limit = table.table.partition_point(|&w| w > 0) as u32;
                let weights = match &self.sampler {
                    Sampler::Packed(_) => Weights::Packed(ByteWeights::new(hardware, &table)),
                    Sampler::General(_) => Weights::General(table),
                };
                self.weights.push(Entry { entry, limit, weights });
            }
        }
        let mut limit = self.limit;
        let mut half_steps: Vec<HalfStep<'_>> = Vec::with_capacity(2 * count as usize);
        for iteration in iterations {
            let entry = entry_of(iteration);
            let Some(known) = self.weights.iter().find(|known| known.entry == entry) else { continue };
            let sampling = match (&self.sampler, &known.weights) {
                (Sampler::Packed(sampler), Weights::Packed(weights)) => Sampling::Packed(sampler, weights),
                (Sampler::General(sampler), Weights::General(weights)) => Sampling::General(sampler, weights),
                _ => continue,
            };
            // Where more labels may be live than before, every RV may change.
            let all = self.update_all || limit.is_some_and(|limit| known.limit > limit);
            limit = Some(known.limit);
            let [_, c1] = rng::counter(0, 0, run.chain, iteration);
            let collected = iteration.checked_sub(run.burn_in).map(|n| n as u16);
            half_steps.extend([0, 1].map(|colour| HalfStep { sampling, c1, colour, collected, all }));
        }
        let sweep = Sweep {
            half_steps: &half_steps,
            evidence: self.evidence.as_ref(),
            edges: self.edges.as_ref(),
            count_max: hardware.count_max() as u16,
            key: rng::key(run.seed),
            encoding: self.field.encoding(),
            problem: self.job.problem(),
            sink: self.sink.as_deref(),
        };
        let (plan, field, events, logs) = (&self.plan, &mut self.field, &mut self.events, &mut self.logs);
        match &self.pool {
            Some(pool) => pool.install(|| plan.run(&sweep, field, events, logs)),
            None => plan.run(&sweep, field, events, logs),
        }
        self.limit = limit;
    }

    /// Brings all label entries up to date: they are entered when a label changes, not when it stays.
    fn settle(&mut self) {
        let collected = self.job.collected_by(self.iteration);
        if collected == 0 {
            return;
        }
        let (events, max) = (&self.events, self.job.hardware().count_max() as u16);
        let sink = self.sink.as_deref();
        for (colour, logs) in self.logs.iter_mut().enumerate() {
            let settle = |(y, log): (usize, &mut RowLog)| {
                log.settle_all(events.free(y, colour), max, collected);
                if let Some(sink) = sink {
                    log.hand_over(sink, y);
                }
            };
            match &self.pool {
                Some(pool) => pool.install(|| logs.par_iter_mut().enumerate().for_each(settle)),
                None => logs.iter_mut().enumerate().for_each(settle),
            }
        }
    }

    /// The labels now, H×W.
    pub fn labels(&self) -> Vec<u8> {
        self.field.labels()
    }

    /// The total energy of the labels now ([`crate::energy`]).
    pub fn energy(&mut self) -> u64 {
        let labels = self.field.labels();
        let problem = self.job.problem();
        let terms = self.terms.get_or_insert_with(|| Terms::new(problem));
        let parts: crate::energy::Parts = match &self.pool {
            Some(pool) => pool.install(|| terms.of_rows_in_parallel(&labels)),
            None => (0..problem.height).map(|y| terms.of_row(y, &labels)).sum(),
        };
        parts.total()
    }

    /// The histogram of the iterations collected so far: the counts of every RV add up to [`Job::collected_by`].
    ///
    /// # Errors
    /// [`Error::Log`] if messages were taken away ([`Run::take_messages`], [`Run::send_to`]).
    pub fn histogram(&self) -> Result<Histogram, Error> {
        let messages = self.logs.iter().flatten().flat_map(RowLog::drained);
        Histogram::by(self.job, self.iteration, messages, &self.field.labels())
    }

    /// Moves out the messages sent so far, for callers that add them up or store them elsewhere; [`Run::histogram`],
    /// [`Run::snapshot`] and [`Run::finish`] then lack them. The last pairs of every RV are not among them: see
    /// [`Run::entries`].
    pub fn take_messages(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        self.logs.iter_mut().flatten().for_each(|log| messages.append(log.messages()));
        messages
    }

    /// The label entries now, H×W.
    pub fn entries(&self) -> Vec<LabelEntry> {
        let mut entries = vec![LabelEntry::default(); self.job.problem().rvs()];
        for (rv, entry) in self.logs.iter().flatten().flat_map(RowLog::entries) {
            entries[rv as usize] = entry;
        }
        entries
    }

    /// Everything that [`Run::restore`] needs to go on from here.
    pub fn snapshot(&self) -> Snapshot {
        let messages = self.logs.iter().flatten().flat_map(RowLog::sent);
        Snapshot {
            iteration: self.iteration,
            labels: self.field.labels(),
            entries: self.entries(),
            messages: messages.copied().collect(),
        }
    }

    /// The results of the iterations done: at the end of the schedule those of the job, before it those of a job that
    /// ends here. `labels_touched` counts what this run evaluated itself, without what came before a snapshot.
    ///
    /// # Errors
    /// As [`Run::histogram`].
    pub fn finish(self) -> Result<Outcome, Error> {
        let mut messages = Vec::new();
        let mut updates = 0;
        let Self { job, iteration, field, sampler, logs, .. } = self;
        let labels = field.labels();
        // The costs may be as large as the histogram.
        drop(sampler);
        for log in logs.into_iter().flatten() {
            messages.extend(log.drained());
            updates += log.updates;
        }
        let labels_touched = updates * u64::from(job.problem().labels);
        let histogram = Histogram::by(job, iteration, messages.iter().copied(), &labels)?;
        Ok(Outcome { labels, histogram, messages, labels_touched })
    }

    /// The same where the messages go to `sink`: those that it has not taken yet, and the pairs of all entries. Together
    /// with what it took before they are the exact histogram.
    pub fn finish_to(self, sink: &dyn Sink) -> Drained {
        let labels = self.field.labels();
        let problem = self.job.problem();
        let mut updates = 0;
        let mut messages = Vec::new();
        for logs in self.logs {
            for (y, log) in (0..problem.height).zip(logs) {
                messages.clear();
                messages.extend(log.drained());
                updates += log.updates;
                if !messages.is_empty() {
                    sink.take(y, &messages);
                }
            }
        }
        Drained { labels, labels_touched: updates * u64::from(problem.labels) }
    }
}

/// What is left of a run whose messages are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drained {
    /// Labels after the last iteration, H×W.
    pub labels: Vec<u8>,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
}

impl Sampler {
    fn new(job: &Job, level: Level, cost_bytes: usize, mut argmin: Option<&mut [u8]>) -> Self {
        match packed::Sampler::new(job, level, cost_bytes, argmin.as_deref_mut()) {
            Some(sampler) => Self::Packed(Box::new(sampler)),
            None => Self::General(Box::new(general::General::new(job, level, argmin))),
        }
    }

    fn encoding(&self) -> Encoding {
        match self {
            Self::Packed(sampler) => sampler.encoding(),
            Self::General(sampler) => sampler.encoding(),
        }
    }

    /// Bytes of costs of one colour of a row.
    fn row_bytes(&self, job: &Job) -> usize {
        match self {
            Self::Packed(sampler) => sampler.costs().row_bytes(),
            Self::General(_) => {
                usize::from(job.problem().labels) * 2 * job.problem().width.div_ceil(2) as usize
            }
        }
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| Error::Unsupported {
        feature: format!("{threads} threads ({error})"),
        remedy: "ask for fewer threads".into(),
    })
}
