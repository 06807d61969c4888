//! Generator of stochastic processing accelerators (SPA): Gibbs sampling on Markov random fields in FPGAs.
//!
//! A [`config::Config`] comes from a [`config::Draft`] (preset, file, options). [`emit`] renders it into files,
//! [`output`] writes them into a build folder, [`Build`] opens such a folder for the runtime and [`simbuild`] compiles
//! its simulated card. [`parameters`] is the one table behind parsing, checking, help and documentation; [`regmap`]
//! the one behind every form of the register map, [`runs`] a job in registers and memory, [`known`] one with its
//! outcome. [`report`] computes figures by model, [`synth`] has them from Yosys, [`plot`] draws them,
//! [`tools`] finds the foreign tools.

pub mod build;
pub mod cli;
pub mod config;
pub mod emit;
pub mod error;
pub mod known;
pub mod manifest;
pub mod output;
pub mod parameters;
pub mod plot;
pub mod presets;
pub mod regmap;
pub mod report;
pub mod runs;
pub mod simbuild;
pub mod synth;
pub mod tools;

pub use build::Build;
pub use config::{Config, Draft};
pub use error::{ConfigError, ConfigErrors, Error};
