//! The simulated card as a backend: the generated accelerator under Verilator, driven through the same registers and
//! memory as a real card.

use super::{Backend, ProgressSink, RunReport};
use crate::card::accelerator::{Accelerator, Design, DriverOptions};
use crate::card::sim::{SimCard, SimOptions};
use anyhow::Context as _;
use spa_model::Job;
use spagen::{Build, simbuild};

/// What a person may say about the simulated card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SimBackendOptions {
    /// The card: memory and state at power-up.
    pub card: SimOptions,
    /// The driver: ring, raw log, patience.
    pub driver: DriverOptions,
}

/// Runs jobs on a simulated card; the first run compiles the simulation into the build folder where necessary.
#[derive(Debug)]
pub struct SimBackend {
    build: Build,
    options: SimBackendOptions,
    accelerator: Option<Accelerator<SimCard>>,
}

impl SimBackend {
    /// A backend on `build`; nothing is compiled or loaded yet.
    pub fn new(build: Build, options: SimBackendOptions) -> Self {
        Self { build, options, accelerator: None }
    }

    /// The accelerator, compiled, loaded and checked against the build; `notice` hears of compilations.
    ///
    /// # Errors
    /// If a tool is missing, the compilation fails, or the library does not fit the build.
    pub fn accelerator(&mut self, notice: &mut dyn FnMut(&str)) -> anyhow::Result<&mut Accelerator<SimCard>> {
        let accelerator = match self.accelerator.take() {
            Some(accelerator) => accelerator,
            None => {
                let library = simbuild::library(&self.build, notice)?;
                let card = SimCard::open(&library.path, self.options.card)?;
                let design = Design {
                    shape: self.build.array().clone(),
                    hardware: *self.build.hardware(),
                    config_hash: self.build.config_hash().to_string(),
                };
                Accelerator::open(card, design, self.options.driver).with_context(|| {
                    format!("failed to open the simulated card of '{}'", self.build.folder().display())
                })?
            }
        };
        Ok(self.accelerator.insert(accelerator))
    }

    /// Raw lines of the last run's log, if [`DriverOptions::keep_log`] is set.
    pub fn log(&self) -> &[u8] {
        self.accelerator.as_ref().map_or(&[], Accelerator::log)
    }
}

impl Backend for SimBackend {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> anyhow::Result<RunReport> {
        // A job that cannot fit is refused before anything is compiled.
        spa_model::Tiling::new(self.build.array(), job)?;
        let accelerator = self.accelerator(&mut |notice| eprintln!("{notice}"))?;
        Ok(accelerator.run(job, progress)?)
    }

    fn in_one_piece(&self) -> Option<&'static str> {
        Some("a card runs a job from its start to its final drain")
    }
}
