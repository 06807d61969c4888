//! `spa synth`.

use super::print;
use crate::app::Application;
use crate::colour::{paint, palette};
use crate::error::Error;
use crate::formats::{Field, FileFormat};
use crate::npy;
use crate::options::ranges::number;
use crate::output::{Output, write_png};
use crate::synth::{Scene, Size, flow, segment, stereo, window_of};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Makes a synthetic scene with ground truth
///
/// The same kind, size, labels and seed give the same files on every machine. Writes the pictures (left.png and
/// right.png, frame1.png and frame2.png, or image.png), truth.npy (labels) and truth.png, for flow truth.flo (motions), and,
/// for two pictures, visible.png: white where the second picture sees the pixel too.
#[derive(Debug, Args)]
pub struct Synth {
    /// What to make
    kind: Kind,
    /// Folder for the files
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Size in pixels
    #[arg(long, value_name = "WxH", default_value = "320x240")]
    size: Size,
    /// Number of labels [default: stereo 32, flow 49, segment 4]
    #[arg(long, value_name = "N", value_parser = number::<u16>("labels"))]
    labels: Option<u16>,
    /// Seed of the scene
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u64>("seed"))]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A rectified pair: a room with tilted objects
    Stereo,
    /// Two frames: moving, turning objects
    Flow,
    /// One picture: regions of a few classes under noise
    Segment,
}

impl Synth {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let labels = self.labels.unwrap_or(match self.kind {
            Kind::Stereo => 32,
            Kind::Flow => 49,
            Kind::Segment => 4,
        });
        if !(2..=256).contains(&labels) {
            return Err(spa_model::Error::range("labels", labels, "2…256").into());
        }
        let window = if self.kind == Kind::Flow { window_of(labels)? } else { 0 };
        let output = Output::prepare(&self.output, &FILES)?;
        let (scene, command) = match self.kind {
            Kind::Stereo => (stereo::make(self.size, labels, self.seed), format!("--labels {labels}")),
            Kind::Flow => (flow::make(self.size, window, self.seed), format!("--window {window}")),
            Kind::Segment => (segment::make(self.size, labels, self.seed), format!("--labels {labels}")),
        };
        let names: Vec<&str> = scene.pictures.iter().map(|&(name, _)| name).collect();
        write(output, &scene)?;
        let folder = self.output.display();
        let pictures: String = names.iter().map(|name| format!(" '{folder}/{name}'")).collect();
        let kind = scene.kind.application.name();
        print(&format!(
            "{kind} scene of {}x{}, {labels} labels, seed {}, in {folder}\ntry: spa {kind}{pictures} {command} -o out\n",
            self.size.width, self.size.height, self.seed
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Every file that a scene may have.
const FILES: [&str; 9] = [
    "left.png",
    "right.png",
    "frame1.png",
    "frame2.png",
    "image.png",
    "visible.png",
    "truth.flo",
    "truth.npy",
    "truth.png",
];

fn write(output: Output, scene: &Scene) -> Result<(), Error> {
    let Size { width, height } = scene.size;
    for (name, canvas) in &scene.pictures {
        write_png(&output.path(name), width, height, 3, canvas.rgb.as_flattened())?;
    }
    npy::write(&output.path("truth.npy"), &[height.into(), width.into()], &scene.truth)?;
    if let Application::Flow { .. } = scene.kind.application {
        // As vectors: what results finer than the labels are measured against.
        let field = Field::of_labels(&scene.kind.application, (width, height), &scene.truth);
        field.write(&output.path("truth.flo"), FileFormat::Flo)?;
    }
    let colours = palette(&scene.kind.application, scene.kind.labels);
    write_png(&output.path("truth.png"), width, height, 3, paint(&colours, &scene.truth).as_flattened())?;
    if let Some(visible) = &scene.visible {
        let grey: Vec<u8> = visible.iter().map(|&v| if v { 255 } else { 0 }).collect();
        write_png(&output.path("visible.png"), width, height, 1, &grey)?;
    }
    // Pictures of another kind of scene are stale where this command wrote one, else somebody's own.
    let follows = output.follows(&["truth.npy", "truth.png"]);
    output.commit(follows)
}
