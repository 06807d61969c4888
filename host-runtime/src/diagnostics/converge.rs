//! When may a run at one temperature stop? When several chains from random starts tell the same (docs/uncertainty.md).
//!
//! Every 100 iterations, from the 200th on, the newest iterations of all chains, at most half of them, are cut in two a chain. The chains agree if split-R̂ of
//! the total energy and, for nearly all RVs, split-R̂ of the indicator of every label are small. All of it is made of whole
//! numbers that every backend draws alike, so all of them stop at the same iteration.

use super::blocks::{Block, rhat_of_rv};
use super::split_rhat;
use crate::backend::{Backend, Session};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use spa_model::{Job, LabelEntry, Run, Schedule, Start, energy};
use std::collections::VecDeque;

/// Iterations from one check to the next.
pub const CHECK: u32 = 100;
/// Iterations before the first check: the first 100 are near the random starts, and are never collected.
pub const FIRST: u32 = 2 * CHECK;
/// Iterations of a block of counts.
const BLOCK: u32 = 50;
/// Iterations from one energy to the next.
const STEP: u32 = 10;
/// Largest R̂ of the total energy of chains that agree.
pub const ENERGY_LIMIT: f64 = 1.05;
/// Largest R̂ of a label of a RV that agrees.
pub const LABEL_LIMIT: f64 = 1.1;
/// Share of the free RVs that must agree.
pub const SHARE: f64 = 0.99;
/// Fewest chains.
pub const FEWEST: u16 = 4;
/// Chains unless people say how many: chains that pick one of two equal modes by chance all pick the same one in one run of
/// 2^(chains − 1).
pub const CHAINS: u16 = 8;
/// Iterations after which the search ends unless people say when.
pub const MOST: u32 = 10_000;

/// How a search for agreement ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convergence {
    /// True if the chains agree.
    pub converged: bool,
    /// Iterations of every chain.
    pub iterations: u32,
    /// First of the newest iterations that were looked at; the results are theirs.
    pub burn_in: u32,
    /// Iterations after which the search would have ended.
    pub max_iterations: u32,
    /// Split-R̂ of the total energy; none if it is infinite.
    pub energy_rhat: Option<f64>,
    /// Share of the free RVs of which no label has a split-R̂ above 1.1.
    pub label_share: f64,
}

impl std::fmt::Display for Convergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let energy = self.energy_rhat.map_or_else(|| "infinite".to_string(), |r| format!("{r:.3}"));
        write!(
            f,
            "R-hat of the energy {energy} (at most {ENERGY_LIMIT}), {:.2}% of the pixels with R-hat of every label of at most \
             {LABEL_LIMIT} ({:.0}% needed)",
            100.0 * self.label_share,
            100.0 * SHARE
        )
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// How it ended.
    pub convergence: Convergence,
    /// Labels of every chain at iteration `burn_in`, H×W each: the newest iterations can be run again from there, with their log. None from a
    /// machine that runs jobs in one piece.
    pub starts: Option<Vec<Vec<u8>>>,
    /// True if it was ended before the chains agreed and before their last iteration: all is of the last check until then.
    pub stopped: bool,
}

/// Called now and then with the iterations that all chains have done; returns false to end the search.
pub type Sink<'a> = &'a mut dyn FnMut(u32) -> bool;

/// Runs `chains` chains of `job` (its field, seed and first chain; one temperature) from random starts on `backend` until they
/// agree, at most `most` iterations (a multiple of 100, at least 200).
///
/// # Errors
/// Whatever the backend answers; [`spa_model::Error::Interrupted`] if `progress` ended the search before the first check.
pub fn converge(
    backend: &mut dyn Backend,
    job: &Job,
    (temperature, chains, most): (f64, u16, u32),
    progress: Sink<'_>,
) -> anyhow::Result<Found> {
    let first = job.run().chain;
    let jobs: Vec<Job> = (0..chains)
        .map(|n| job.with_run(run(job, temperature, (most, 0), first + n as u8)?))
        .collect::<Result<_, _>>()?;
    if backend.in_one_piece().is_none() {
        let backend: &dyn Backend = backend;
        let sessions: Vec<_> = jobs.iter().map(|job| backend.start(job, None)).collect::<Result<_, _>>()?;
        let entries = vec![vec![LabelEntry::default(); job.problem().rvs()]; sessions.len()];
        search(&mut Pieces { sessions, entries }, job, (chains, most), progress)
    } else {
        search(&mut Prefixes { backend, jobs, temperature }, job, (chains, most), progress)
    }
}

/// The run of a chain at one temperature, of so many iterations and so much burn-in.
///
/// # Errors
/// As [`Schedule::constant`].
pub fn run(
    job: &Job,
    temperature: f64,
    (iterations, burn_in): (u32, u32),
    chain: u8,
) -> Result<Run, spa_model::Error> {
    let schedule = Schedule::constant(temperature, iterations)?;
    Ok(Run { schedule, burn_in, chain, start: Start::Random, ..job.run().clone() })
}

/// What a chain drew in [`BLOCK`] iterations.
#[derive(Default)]
struct Piece {
    /// How often every label.
    counts: Block,
    /// Energies after every [`STEP`] iterations.
    energies: Vec<u64>,
    /// Labels before it, where a half can begin with it and the machine tells them.
    start: Option<Vec<u8>>,
}

/// Asked now and then during a block; false ends it.
type GoOn<'a> = &'a mut dyn FnMut() -> bool;

/// Chains that grow block by block.
trait Growing {
    /// Runs chain `n` on by a block from iteration `from`; none if `go_on` ended it.
    fn block(&mut self, n: usize, from: u32, go_on: GoOn<'_>) -> anyhow::Result<Option<Piece>>;
}

/// Chains that stand between iterations.
struct Pieces<'a> {
    sessions: Vec<Box<dyn Session + 'a>>,
    entries: Vec<Vec<LabelEntry>>,
}

impl Growing for Pieces<'_> {
    fn block(&mut self, n: usize, from: u32, go_on: GoOn<'_>) -> anyhow::Result<Option<Piece>> {
        let session = &mut self.sessions[n];
        // Halves begin at every second block.
        let start = from.is_multiple_of(CHECK).then(|| session.labels()).transpose()?;
        let mut energies = Vec::new();
        for step in 1..=BLOCK / STEP {
            if !go_on() || !session.advance(from + step * STEP, &mut |_| go_on())? {
                return Ok(None);
            }
            energies.push(session.energy()?);
        }
        let (messages, entries) = (session.take_messages()?, session.entries()?);
        let counts = Block::between(&self.entries[n], &messages, &entries);
        self.entries[n] = entries;
        Ok(Some(Piece { counts, energies, start }))
    }
}

/// Chains that are run again from their start every time, for a machine that runs jobs in one piece only.
struct Prefixes<'a> {
    backend: &'a mut dyn Backend,
    jobs: Vec<Job>,
    temperature: f64,
}

impl Growing for Prefixes<'_> {
    fn block(&mut self, n: usize, from: u32, go_on: GoOn<'_>) -> anyhow::Result<Option<Piece>> {
        let job = &self.jobs[n];
        let terms = energy::Terms::new(job.problem());
        let mut piece = Piece::default();
        for step in 1..=BLOCK / STEP {
            let to = from + step * STEP;
            // The last one collects the whole block; the others are there for their labels.
            let burn_in = if step * STEP == BLOCK { from } else { to - 1 };
            let prefix = job.with_run(run(job, self.temperature, (to, burn_in), job.run().chain)?)?;
            let mut stopped = !go_on();
            let report = self.backend.run(&prefix, &mut |_| {
                stopped |= !go_on();
                !stopped
            });
            let outcome = match report {
                Err(_) if stopped => return Ok(None),
                report => report?.outcome,
            };
            piece.energies.push(terms.of(&outcome.labels)?.total());
            piece.counts = Block::of_histogram(&outcome.histogram);
        }
        Ok(Some(piece))
    }
}

/// What a chain drew lately.
#[derive(Default)]
struct Chain {
    /// Its newest blocks.
    blocks: VecDeque<Piece>,
}

impl Chain {
    /// Its older and its newer half, `half` blocks each.
    fn halves(&self, half: u32) -> [Vec<&Block>; 2] {
        let blocks = |from: u32| self.blocks.iter().skip(from as usize).take(half as usize);
        [0, half].map(|from| blocks(from).map(|piece| &piece.counts).collect())
    }
}

fn search(
    growing: &mut dyn Growing,
    job: &Job,
    (chains, most): (u16, u32),
    progress: Sink<'_>,
) -> anyhow::Result<Found> {
    let mut all: Vec<Chain> = (0..chains).map(|_| Chain::default()).collect();
    let mut iterations = 0;
    loop {
        let ended = !grow(growing, &mut all, iterations, progress)?;
        if !ended {
            iterations += CHECK;
        }
        if iterations < FIRST {
            if ended {
                return Err(spa_model::Error::Interrupted { iterations }.into());
            }
            continue;
        }
        // The newest ones, at most half of all, in two halves of whole blocks.
        let half = iterations / BLOCK / 4;
        for chain in &mut all {
            let old = chain.blocks.len() - 2 * half as usize;
            chain.blocks.drain(..old);
        }
        let last = ended || iterations + CHECK > most;
        let convergence = check(&all, job, (iterations, half), most, last);
        if convergence.converged || last {
            let starts = all.into_iter().map(|chain| chain.blocks.into_iter().next()?.start).collect();
            return Ok(Found { convergence, starts, stopped: ended });
        }
    }
}

/// Runs all chains on to the next check; false if `progress` ended that: then they are as they were.
fn grow(growing: &mut dyn Growing, all: &mut [Chain], from: u32, progress: Sink<'_>) -> anyhow::Result<bool> {
    let mut grown: Vec<Vec<Piece>> = all.iter().map(|_| Vec::new()).collect();
    for begin in (from..from + CHECK).step_by(BLOCK as usize) {
        for (n, pieces) in grown.iter_mut().enumerate() {
            match growing.block(n, begin, &mut || progress(begin))? {
                Some(piece) => pieces.push(piece),
                None => return Ok(false),
            }
        }
    }
    all.iter_mut().zip(grown).for_each(|(chain, pieces)| chain.blocks.extend(pieces));
    Ok(true)
}

/// Do the halves of all chains agree? The share of RVs is worked out where the energy agrees, and at the `last` check.
fn check(all: &[Chain], job: &Job, (iterations, half): (u32, u32), most: u32, last: bool) -> Convergence {
    let energies: Vec<Vec<u64>> = all
        .iter()
        .map(|c| c.blocks.iter().flat_map(|piece| piece.energies.iter().copied()).collect())
        .collect();
    let energy_rhat = split_rhat(&energies.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let agrees = energy_rhat <= ENERGY_LIMIT;
    let problem = job.problem();
    let label_share = if agrees || last {
        let sequences: Vec<Vec<&Block>> = all.iter().flat_map(|chain| chain.halves(half)).collect();
        let labels = usize::from(problem.labels);
        let good = |&i: &usize| {
            !problem.is_fixed(i) && rhat_of_rv(i, labels, half * BLOCK, &sequences) <= LABEL_LIMIT
        };
        let good = (0..problem.rvs()).into_par_iter().filter(good).count();
        match problem.free_rvs() {
            0 => 1.0,
            free => good as f64 / free as f64,
        }
    } else {
        0.0
    };
    Convergence {
        converged: agrees && label_share >= SHARE,
        iterations,
        burn_in: iterations - 2 * half * BLOCK,
        max_iterations: most,
        energy_rhat: energy_rhat.is_finite().then_some(energy_rhat),
        label_share,
    }
}
