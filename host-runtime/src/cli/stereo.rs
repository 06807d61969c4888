//! `spa stereo`.

use super::run::{RunArgs, execute};
use crate::app::Application;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Disparity of a rectified stereo pair; the left picture is the reference
///
/// Label l is a disparity of l + dmin: the pixel (x, y) of the left picture is seen at (x − l − dmin, y) of the right.
#[derive(Debug, Args)]
pub struct Stereo {
    /// Left picture (PNG, JPEG, TIFF or PNM)
    left: PathBuf,
    /// Right picture, of the same size
    right: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

impl Stereo {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        execute(&Application::Stereo { dmin: 0 }, &self.left, Some(&self.right), &self.run)
    }
}
