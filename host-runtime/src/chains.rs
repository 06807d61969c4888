//! Several independent chains of one job, one after another, and their sum (contract §8, "Chains").

use crate::backend::{ArrayReport, LogReport, RunReport};
use crate::drive::Kept;
use crate::error::Result;
use crate::summary::{ChainSummary, Hashes};
use spa_model::hash::{ChainHasher, hash_messages, sha256_hex};
use spa_model::{Error, Histogram, Job};

/// Most chains of a run: numbers of chains have eight bits.
pub const MOST: u16 = 256;

/// What several chains drew.
#[derive(Debug, Clone, PartialEq)]
pub struct Chains {
    /// Labels of every chain after its last iteration, H×W each.
    pub labels: Vec<Vec<u8>>,
    /// Sum of their histograms.
    pub histogram: Histogram<u32>,
    /// Each by itself.
    pub each: Vec<ChainSummary>,
    /// Hashes of them together.
    pub hashes: Hashes,
    /// Labels whose energy was computed, in all.
    pub labels_touched: u64,
    /// Seconds, in all.
    pub wall_seconds: f64,
    /// Figures of the array, in all.
    pub array: Option<ArrayReport>,
    /// The log, in all.
    pub log: LogReport,
}

/// Refuses numbers of chains that do not exist.
///
/// # Errors
/// [`Error::Range`] for none, or if the last one would be beyond 255.
pub fn check(first: u8, chains: u16) -> Result<()> {
    let most = MOST - u16::from(first);
    if chains == 0 || chains > most {
        let allowed = format!("1…{most} from chain {first} on (the last number is 255)");
        return Err(Error::range("chains", chains, allowed).into());
    }
    Ok(())
}

/// Runs some jobs, given how many went before.
pub type Runner<'a> = &'a mut dyn FnMut(&[Job], usize) -> anyhow::Result<Kept>;

/// Runs `chains` chains of `job` through `run`, at most `at_once` in a call. Where `run` was stopped, the chains until then are given.
///
/// # Errors
/// As [`check`], and whatever `run` answers; what it says of a stop if there is no chain to keep.
pub fn run(job: &Job, (chains, at_once): (u16, usize), run: Runner<'_>) -> anyhow::Result<Chains> {
    let first = job.run().chain;
    check(first, chains)?;
    let mut hasher = ChainHasher::default();
    let mut all: Option<Chains> = None;
    let numbers: Vec<u8> = (0..chains).map(|n| first + n as u8).collect();
    let mut done = 0;
    for batch in numbers.chunks(at_once.max(1)) {
        let jobs: Vec<Job> = batch.iter().map(|&chain| job.with_chain(chain)).collect();
        let Kept { reports, stopped } = run(&jobs, done)?;
        for (&chain, (mut report, iterations_done)) in batch.iter().zip(reports) {
            let outcome = &mut report.outcome;
            hasher.add(&outcome.labels, &mut outcome.messages);
            let summary = ChainSummary {
                chain,
                iterations_done,
                wall_seconds: report.wall_seconds,
                hashes: Hashes {
                    labels: sha256_hex(&outcome.labels),
                    histogram: outcome.histogram.hash(),
                    messages: hash_messages(&mut outcome.messages),
                },
            };
            match &mut all {
                None => all = Some(Chains::first(report, summary)?),
                Some(all) => all.add(report, summary)?,
            }
        }
        if let Some(stopped) = stopped {
            return Ok(finished(all.ok_or(stopped)?, hasher));
        }
        done += batch.len();
    }
    // `check` let at least one chain through.
    Ok(finished(all.ok_or_else(|| Error::range("chains", chains, "at least 1"))?, hasher))
}

/// The chains with their hashes together.
fn finished(mut all: Chains, hasher: ChainHasher) -> Chains {
    (all.hashes.labels, all.hashes.messages) = hasher.finish();
    all.hashes.histogram = all.histogram.hash();
    all
}

impl Chains {
    fn first(report: RunReport, summary: ChainSummary) -> Result<Self> {
        Ok(Self {
            histogram: Histogram::sum([&report.outcome.histogram])?,
            labels: vec![report.outcome.labels],
            hashes: summary.hashes.clone(),
            each: vec![summary],
            labels_touched: report.outcome.labels_touched,
            wall_seconds: report.wall_seconds,
            array: report.array,
            log: report.log,
        })
    }

    fn add(&mut self, report: RunReport, summary: ChainSummary) -> Result<()> {
        self.histogram.add(&report.outcome.histogram)?;
        self.labels.push(report.outcome.labels);
        self.each.push(summary);
        self.labels_touched += report.outcome.labels_touched;
        self.wall_seconds += report.wall_seconds;
        self.log.messages += report.log.messages;
        self.log.lines += report.log.lines;
        self.log.bytes += report.log.bytes;
        self.log.bytes_without_log += report.log.bytes_without_log;
        if let (Some(sum), Some(array)) = (&mut self.array, report.array) {
            *sum = together(sum, &array);
        }
        Ok(())
    }
}

/// Two runs on one array: sums, and means by their slots and cycles.
fn together(a: &ArrayReport, b: &ArrayReport) -> ArrayReport {
    let (slots, cycles) = ((a.slots + b.slots).max(1) as f64, (a.cycles + b.cycles).max(1) as f64);
    let by = |x: f64, n: u64, y: f64, m: u64, of: f64| (x * n as f64 + y * m as f64) / of;
    ArrayReport {
        cycles: a.cycles + b.cycles,
        slots: a.slots + b.slots,
        labels_per_cycle_per_spu: by(
            a.labels_per_cycle_per_spu,
            a.cycles,
            b.labels_per_cycle_per_spu,
            b.cycles,
            cycles,
        ),
        useful_fraction: by(a.useful_fraction, a.slots, b.useful_fraction, b.slots, slots),
        stall_cycles: a.stall_cycles + b.stall_cycles,
        load_cycles: a.load_cycles + b.load_cycles,
        drain_cycles: a.drain_cycles + b.drain_cycles,
        ..a.clone()
    }
}
