//! Runtime of the stochastic processing accelerator: applications, backends, files.
//!
//! A run goes from [`options`] and [`picture`]s through [`plan`] to a job, through a [`backend`] to a report, and through
//! [`summary`] and [`results`] to a folder (docs/spa.md).

pub mod app;
pub mod backend;
pub mod batch;
pub mod blocks;
pub mod card;
pub mod chains;
pub mod checkpoint;
pub mod cli;
pub mod colour;
pub mod contrast;
pub mod costs;
pub mod diagnostics;
pub mod drive;
pub mod error;
pub mod figure;
pub mod fit;
pub mod formats;
pub mod interrupt;
pub mod kmeans;
pub mod labelling;
pub mod logfile;
pub mod lowest;
pub mod measure;
pub mod memory;
pub mod npy;
pub mod options;
pub mod output;
pub mod panels;
pub mod parts;
pub mod picture;
pub mod plan;
pub mod report;
pub mod results;
pub mod schedule_file;
pub mod spill;
pub mod staging;
pub mod study;
pub mod summary;
pub mod synth;
pub mod trace;
pub mod uncertainty;

pub use error::{Error, Result};
