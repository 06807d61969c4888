//! `spa flow`.

use super::run::{RunArgs, execute};
use crate::app::Application;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Motion from one frame to the next, within a square window
///
/// Labels are displacements, row-major: with a window of side 7, label 0 is (−3, −3), label 24 is no motion.
#[derive(Debug, Args)]
pub struct Flow {
    /// First frame (PNG, JPEG, TIFF or PNM)
    frame1: PathBuf,
    /// Second frame, of the same size
    frame2: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

impl Flow {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        execute(&Application::Flow { window: 7 }, &self.frame1, Some(&self.frame2), &self.run)
    }
}
