//! A board on a serial line as a backend.

use super::{Backend, ProgressSink, RunReport};
use crate::card::accelerator::{Accelerator, Design, DriverOptions};
use crate::card::serial::{SerialCard, SerialOptions};
use anyhow::Context as _;
use spa_model::Job;
use spagen::Build;

/// Runs jobs on a board that holds the accelerator of a build.
#[derive(Debug)]
pub struct SerialBackend {
    accelerator: Accelerator<SerialCard>,
}

impl SerialBackend {
    /// Takes the board at the port of `options`.
    ///
    /// # Errors
    /// If there is no such port, nothing answers, or what answers holds something else than `build`.
    pub fn open(build: &Build, options: &SerialOptions) -> anyhow::Result<Self> {
        let design = Design {
            shape: build.array().clone(),
            hardware: *build.hardware(),
            config_hash: build.config_hash().to_string(),
        };
        let open = || {
            let card = SerialCard::open(options)?;
            let patience = Some(card.cycles_of(options.deadline));
            Accelerator::open(card, design, DriverOptions { patience, ..DriverOptions::default() })
        };
        let accelerator =
            open().with_context(|| format!("failed to open a board for '{}'", build.folder().display()))?;
        Ok(Self { accelerator })
    }

    /// The driver.
    pub fn accelerator(&mut self) -> &mut Accelerator<SerialCard> {
        &mut self.accelerator
    }
}

impl Backend for SerialBackend {
    fn name(&self) -> &'static str {
        "serial"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        Ok(self.accelerator.run(job, progress)?)
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        Some("a board runs a job from its start to its final drain")
    }
}
