//! A real card as a backend.

use super::{Backend, ProgressSink, RunReport};
use crate::card::CardError;
use crate::card::accelerator::{Accelerator, Design, DriverOptions};
use crate::card::opae::{self, OpaeCard, OpaeOptions};
use anyhow::Context as _;
use spa_model::Job;
use spagen::Build;

/// Runs jobs on a card that holds the accelerator of a build.
#[derive(Debug)]
pub struct OpaeBackend {
    accelerator: Accelerator<OpaeCard>,
}

impl OpaeBackend {
    /// Takes the first card that holds the accelerator of `build`.
    ///
    /// # Errors
    /// If OPAE is missing, there is no card with our UUID, or none of them holds this build; then the error is that of the
    /// last one.
    pub fn open(build: &Build, options: &OpaeOptions) -> anyhow::Result<Self> {
        let mut failure = CardError::NoCard {
            uuid: spagen::regmap::afu_uuid(),
            place: options.address.map_or(String::new(), |address| format!(" at {address}")),
        };
        let driver =
            DriverOptions { patience: Some(opae::cycles(options.deadline)), ..DriverOptions::default() };
        for token in opae::find(options)? {
            let design = Design {
                shape: build.array().clone(),
                hardware: *build.hardware(),
                config_hash: build.config_hash().to_string(),
            };
            let opened = OpaeCard::open(token, options);
            match opened.and_then(|card| Accelerator::open(card, design, driver)) {
                Ok(accelerator) => return Ok(Self { accelerator }),
                Err(error) => failure = error,
            }
        }
        Err(failure).with_context(|| format!("failed to open a card for '{}'", build.folder().display()))
    }

    /// The driver.
    pub fn accelerator(&mut self) -> &mut Accelerator<OpaeCard> {
        &mut self.accelerator
    }
}

impl Backend for OpaeBackend {
    fn name(&self) -> &'static str {
        "opae"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        Ok(self.accelerator.run(job, progress)?)
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        Some("a card runs a job from its start to its final drain")
    }
}
