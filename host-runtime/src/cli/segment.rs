//! `spa segment`.

use super::run::{Request, RunArgs};
use crate::app::Application;
use crate::batch;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Classes of pixels by their grey value
///
/// The values of the classes are the best k-means of the grey values, ascending, unless given.
#[derive(Debug, Args)]
pub struct Segment {
    /// Picture (PNG, JPEG, TIFF or PNM), or a folder of them
    image: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Segment {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        if self.image.is_dir() {
            return self.run.run_each(&batch::pictures(&self.image)?);
        }
        self.request()?.execute()
    }

    /// Pictures and options.
    pub fn request(&self) -> anyhow::Result<Request> {
        Ok(Request::new(Application::Segment, &self.image, None, &self.run))
    }
}
