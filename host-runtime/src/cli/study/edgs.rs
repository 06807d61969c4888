//! `spa study edgs`: chapter 4 on a card.

use super::present;
use crate::backend::cuda::edgs::Region;
use crate::backend::cuda::{Cuda, Kernel};
use crate::interrupt;
use crate::options::ranges::{number, within};
use crate::output::Output;
use crate::study::edgs::benchmark::{self, Wanted};
use crate::study::edgs::{self, Space};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Edgs {
    /// Stereo and flow scenes, as in the other studies
    #[arg(value_name = "SCENE")]
    scenes: Vec<String>,
    /// Odd sides of the windows of flow
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "7,15", value_parser = number::<u16>("window"))]
    windows: Vec<u16>,
    /// A picture to segment, or a folder with image.jpg and human segmentations; can be given several times
    #[arg(long, value_name = "PICTURE")]
    segment: Vec<PathBuf>,
    /// Numbers of classes
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "2,4,8", value_parser = number::<u16>("labels"))]
    classes: Vec<u16>,
    /// Sizes of the regions
    #[arg(
        long,
        value_name = "WxH,…",
        value_delimiter = ',',
        default_value = "8x8,8x16,8x32,16x8,16x16,16x32,32x8,32x16,32x32"
    )]
    regions: Vec<Region>,
    /// Blocks a multiprocessor
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "1,2,4,8,16", value_parser = within::<u32>(1, 32, ""))]
    blocks: Vec<u32>,
    /// Cut-offs of the event-driven designs
    #[arg(long, value_name = "C,C,…", value_delimiter = ',', default_value = "2,4,8,16", value_parser = number::<u8>("cutoff"))]
    cutoffs: Vec<u8>,
    /// Timed runs of each configuration
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = within::<u16>(1, 1000, ""))]
    repeats: u16,
    /// Iterations [default: 1000, of segmentation 100]
    #[arg(long, value_name = "N", value_parser = number::<u32>("iterations"))]
    iterations: Option<u32>,
    /// Iterations of the exploration alone, cooled as fast as they are fewer [default: all]
    #[arg(long, value_name = "N", value_parser = number::<u32>("iterations"))]
    explore_iterations: Option<u32>,
    /// Card, as the driver numbers them
    #[arg(long, default_value_t = 0, value_parser = within::<usize>(0, 255, ""))]
    card: usize,
    /// Folder for the plot and the JSON
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print JSON on stdout instead of tables
    #[arg(long)]
    json: bool,
}

impl Edgs {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let benchmarks = benchmark::open(&Wanted {
            scenes: self.scenes.clone(),
            windows: self.windows.clone(),
            segment: self.segment.clone(),
            classes: self.classes.clone(),
            iterations: self.iterations,
        })?;
        let space = Space {
            regions: self.regions.clone(),
            blocks: self.blocks.clone(),
            cutoffs: self.cutoffs.clone(),
            repeats: self.repeats.into(),
            explore: self.explore_iterations,
        };
        // The event-driven kernels are of the baseline's kind; any kernel opens the card.
        let cuda = Cuda::open(self.card, Kernel::Baseline)?;
        interrupt::listen();
        interrupt::run_begins();
        let output = self.output.as_deref().map(|folder| Output::prepare::<&str>(folder, &[])).transpose()?;
        let bar = ProgressBar::new(0);
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) =
            ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} configurations, {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let report = edgs::run(&cuda, &benchmarks, &space, &mut |name, done, all| {
            bar.set_length(all);
            bar.set_position(done);
            bar.set_message(name.to_string());
            !interrupt::stop_asked()
        });
        bar.finish_and_clear();
        present(super::stopped(report)?, output, self.output.as_deref(), self.json)
    }
}
