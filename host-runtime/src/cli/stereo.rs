//! `spa stereo`.

use super::run::{Request, RunArgs, no_second};
use crate::app::Application;
use crate::batch;
use crate::error::Error;
use crate::formats::middlebury::Scene;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Disparity of a rectified stereo pair; the left picture is the reference
///
/// Label l is a disparity of l + dmin: the pixel (x, y) of the left picture is seen at (x − l − dmin, y) of the right.
#[derive(Debug, Args)]
pub struct Stereo {
    /// Left picture (PNG, JPEG, TIFF or PNM), or a Middlebury folder: its pair and its range of disparities are taken; a folder
    /// of such folders, or one of left pictures, means many runs
    left: PathBuf,
    /// Right picture, of the same size; none with a Middlebury folder; a folder of right pictures of the same names
    right: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Stereo {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        match &self.right {
            Some(right) if self.left.is_dir() && right.is_dir() => {
                self.run.run_each(&batch::stereo_pairs(&self.left, right)?)
            }
            None if self.left.is_dir() => match Scene::stereo(&self.left) {
                Ok(scene) => self.of_scene(&scene)?.execute(),
                Err(_) => self.run.run_each(&batch::stereo_scenes(&self.left)?),
            },
            _ => self.request()?.execute(),
        }
    }

    /// Pictures and options.
    pub fn request(&self) -> anyhow::Result<Request> {
        let application = Application::Stereo { dmin: 0 };
        match &self.right {
            Some(right) => Ok(Request::new(application, &self.left, Some(right), &self.run)),
            None if self.left.is_dir() => Ok(self.of_scene(&Scene::stereo(&self.left)?)?),
            None => Err(no_second(&self.left, "right picture").into()),
        }
    }

    /// The pair of a folder, with its labels unless they are given.
    fn of_scene(&self, scene: &Scene) -> Result<Request, Error> {
        let run = self.run.with_default_labels(|| range(scene))?;
        Ok(Request::new(Application::Stereo { dmin: 0 }, &scene.first, Some(&scene.second), &run))
    }
}

/// Labels that the folder asks for.
fn range(scene: &Scene) -> Result<u16, Error> {
    let range = scene.range()?;
    let labels = u16::try_from(range.labels).ok().filter(|n| (2..=256).contains(n)).ok_or_else(|| {
        Error::usage(format!(
            "'{}' needs {} labels ({}), but 2…256 are possible; scale the pictures down, or give --labels and --dmin",
            scene.folder.display(),
            range.labels,
            range.source
        ))
    })?;
    eprintln!("stereo: {labels} labels, from {}", range.source);
    Ok(labels)
}
