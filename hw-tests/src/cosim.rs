//! Runs a job on the CPU and on the simulated card, and compares.

use crate::builds;
use anyhow::{Result, bail};
use spa_model::hash::{Hashes, hash_messages, hash_u16, sha256_hex};
use spa_model::{Job, Outcome, Tiling, fast};
use spa_runtime::backend::sim::{SimBackend, SimBackendOptions};
use spa_runtime::backend::{ArrayReport, Backend as _, LogReport};
use spa_runtime::card::accelerator::Accelerator;
use spa_runtime::card::sim::SimCard;
use spagen::Config;
use std::time::Instant;

/// The three hashes of an outcome (contract §8).
pub fn hashes(outcome: &Outcome) -> Hashes {
    Hashes {
        labels: sha256_hex(&outcome.labels),
        histogram: hash_u16(outcome.histogram.counts()),
        messages: hash_messages(&mut outcome.messages.clone()),
    }
}

/// A pair of equal runs.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// What both gave.
    pub hashes: Hashes,
    /// Figures of the array.
    pub array: ArrayReport,
    /// Figures of the log.
    pub log: LogReport,
    /// How the job lay on the array.
    pub tiling: Tiling,
    /// Seconds of the simulated run.
    pub seconds: f64,
}

/// A simulated card and the model beside it.
#[derive(Debug)]
pub struct Bench {
    /// The configuration.
    pub config: Config,
    sim: SimBackend,
}

impl Bench {
    /// Generates and compiles `config` where the cache does not have it.
    ///
    /// # Errors
    /// If generation or compilation fails.
    pub fn new(config: Config, options: SimBackendOptions) -> Result<Self> {
        let build = builds::build(&config)?;
        let mut sim = SimBackend::new(build, options);
        sim.accelerator(&mut |notice| eprintln!("{notice}"))?;
        Ok(Self { config, sim })
    }

    /// The driver of the simulated card.
    ///
    /// # Errors
    /// As [`Bench::new`].
    pub fn accelerator(&mut self) -> Result<&mut Accelerator<SimCard>> {
        self.sim.accelerator(&mut |_| ())
    }

    /// Runs `job` on both sides.
    ///
    /// # Errors
    /// If a run fails, or a hash differs.
    pub fn check(&mut self, job: &Job) -> Result<Agreement> {
        let tiling = Tiling::new(&self.config.array, job)?;
        let expected = fast::run(job, &fast::Options::default(), &mut |_| true)?;
        let started = Instant::now();
        let report = self.sim.run(job, &mut |_| true)?;
        let seconds = started.elapsed().as_secs_f64();
        compare(job, &expected, &report.outcome)?;
        let Some(array) = report.array else { bail!("the simulated card gave no figures of the array") };
        Ok(Agreement { hashes: hashes(&expected), array, log: report.log, tiling, seconds })
    }
}

/// Names the first thing in which two outcomes differ.
///
/// # Errors
/// What differs, with the first place.
pub fn compare(job: &Job, expected: &Outcome, got: &Outcome) -> Result<()> {
    let width = job.problem().width as usize;
    let place = |i: usize| format!("RV {i} (x {}, y {})", i % width, i / width);
    if let Some(i) = (0..expected.labels.len()).find(|&i| expected.labels[i] != got.labels[i]) {
        let wrong = (0..expected.labels.len()).filter(|&i| expected.labels[i] != got.labels[i]).count();
        bail!(
            "{wrong} of {} labels differ, the first at {}: cpu {}, sim {}",
            expected.labels.len(),
            place(i),
            expected.labels[i],
            got.labels[i]
        );
    }
    let labels = expected.histogram.labels();
    let (cpu, sim) = (expected.histogram.counts(), got.histogram.counts());
    if let Some(i) = (0..cpu.len()).find(|&i| cpu[i] != sim[i]) {
        bail!(
            "histograms differ at {}, label {}: cpu {}, sim {}",
            place(i / labels),
            i % labels,
            cpu[i],
            sim[i]
        );
    }
    let (cpu, sim) = (hashes(expected), hashes(got));
    if cpu != sim {
        bail!(
            "messages differ: cpu {} of hash {}, sim {} of hash {}",
            expected.messages.len(),
            cpu.messages,
            got.messages.len(),
            sim.messages
        );
    }
    Ok(())
}
