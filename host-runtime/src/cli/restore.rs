//! `spa restore`.

use super::run::{Request, RunArgs};
use crate::app::Application;
use crate::batch;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// A grey picture without its noise, and with its holes filled
///
/// Label l stands for the grey value 255·l/(labels − 1); 256 labels are all values. Pixels of --mask are filled from their
/// surroundings. restored.png holds the mean of the drawn values, mode.png the most frequent one.
#[derive(Debug, Args)]
pub struct Restore {
    /// Picture (PNG, JPEG, TIFF or PNM), or a folder of them; colour is turned to grey
    image: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Restore {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        if self.image.is_dir() {
            return self.run.run_each(&batch::pictures(&self.image)?);
        }
        self.request()?.execute()
    }

    /// Pictures and options.
    pub fn request(&self) -> anyhow::Result<Request> {
        Ok(Request::new(Application::Restore, &self.image, None, &self.run))
    }
}
