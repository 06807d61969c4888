//! `spa flow`.

use super::run::{Request, RunArgs, no_second};
use crate::app::Application;
use crate::batch;
use crate::formats::middlebury::Scene;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Motion from one frame to the next, within a square window
///
/// Labels are displacements, row-major: with a window of side 7, label 0 is (−3, −3), label 24 is no motion.
#[derive(Debug, Args)]
pub struct Flow {
    /// First frame (PNG, JPEG, TIFF or PNM), or a Middlebury folder with two frames; a folder of frames, or one of such
    /// folders, means many runs
    frame1: PathBuf,
    /// Second frame, of the same size; none with a folder
    frame2: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Flow {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        match &self.frame2 {
            None if self.frame1.is_dir() => match Scene::flow(&self.frame1) {
                Ok(scene) => self.of_scene(&scene).execute(),
                Err(_) => self.run.run_each(&batch::frames(&self.frame1)?),
            },
            _ => self.request()?.execute(),
        }
    }

    /// Pictures and options.
    pub fn request(&self) -> anyhow::Result<Request> {
        let application = Application::Flow { window: 7 };
        match &self.frame2 {
            Some(frame2) => Ok(Request::new(application, &self.frame1, Some(frame2), &self.run)),
            None if self.frame1.is_dir() => Ok(self.of_scene(&Scene::flow(&self.frame1)?)),
            None => Err(no_second(&self.frame1, "second frame").into()),
        }
    }

    /// The frames of a folder.
    fn of_scene(&self, scene: &Scene) -> Request {
        Request::new(Application::Flow { window: 7 }, &scene.first, Some(&scene.second), &self.run)
    }
}
