//! `spa bench`: the workloads of docs/performance.md on the kernels of a card.

use super::print;
use crate::app::Application;
use crate::backend::cuda::bench::{Measurement, measure, once, text};
use crate::backend::cuda::counters;
use crate::backend::cuda::{Cuda, CudaError, Kernel, Stripped};
use crate::options::ranges::{number, within};
use crate::options::{Iterations, RunOptions};
use crate::picture::Picture;
use crate::plan::{Inputs, plan};
use clap::{Args, ValueEnum};
use spa_model::job::{line_vectors, stereo_offsets};
use spa_model::{Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures the CUDA kernels: rates, by fifths of the annealing, with hashes
#[derive(Debug, Args)]
pub struct Bench {
    /// Folder of the pictures: stereo/teddy/im2.png, stereo/tsukuba/…, odd/xytong_aloeL.jpg, …
    #[arg(long, value_name = "DIR", default_value = "../shared/data")]
    data: PathBuf,
    /// Kernels to measure
    #[arg(long = "kernel", value_name = "NAME", value_delimiter = ',')]
    kernels: Vec<KernelName>,
    /// Workloads to measure; all by default
    #[arg(long = "workload", value_name = "NAME", value_delimiter = ',')]
    workloads: Vec<WorkloadName>,
    /// Iterations of the annealing in 25 steps
    #[arg(long, default_value_t = 500, value_parser = number::<u32>("iterations"))]
    iterations: u32,
    /// Chains of the workload in one launch
    #[arg(long, default_value_t = 1, value_parser = within::<u8>(1, 16, ""))]
    chains: u8,
    /// Timed runs a kernel; the median counts
    #[arg(long, default_value_t = 5, value_parser = within::<usize>(1, 1000, ""))]
    repeats: usize,
    /// Leave out a part of the packed kernels, to see what the rest takes; labels are wrong then, but without skipping
    #[arg(long, value_name = "PART")]
    without: Option<Part>,
    /// Also count instructions and bytes a label, by NVIDIA's profiler `ncu`, in a run of its own
    #[arg(long, conflicts_with = "without")]
    counters: bool,
    /// Run each kernel once and print nothing: what the profiler looks at
    #[arg(long, hide = true)]
    once: bool,
    /// Card, as the driver numbers them
    #[arg(long, default_value_t = 0, value_parser = within::<usize>(0, 255, ""))]
    card: usize,
    /// Write all figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KernelName {
    Auto,
    Baseline,
    Dealt,
    Dense,
    Generic,
    Sites,
    Sparse,
}

impl KernelName {
    fn kernel(self) -> Kernel {
        match self {
            Self::Auto => Kernel::Auto,
            Self::Baseline => Kernel::Baseline,
            Self::Sites => Kernel::Sites,
            Self::Dealt => Kernel::Dealt,
            Self::Dense => Kernel::Dense,
            Self::Generic => Kernel::Generic,
            Self::Sparse => Kernel::Sparse,
        }
    }
}

/// What a measurement leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Updates: waiting for other blocks is left
    Updates,
    /// Waiting for other blocks: updates are left
    Waiting,
    /// Waiting and memory: arithmetic is left
    Memory,
    /// Skipping: every RV is updated, and all labels are right
    Skipping,
}

impl Part {
    fn stripped(self) -> Stripped {
        match self {
            Self::Updates => Stripped::Updates,
            Self::Waiting => Stripped::Waiting,
            Self::Memory => Stripped::Memory,
            Self::Skipping => Stripped::Skipping,
        }
    }
}

/// The workloads, seed 1. Stereo pairs: α 1, β 8, absolute pair term with cap 2, no data cap, T 20 → 1. Motion and
/// segmentation: the parameters of `spa flow` and `spa segment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WorkloadName {
    /// The aloe pair resampled to 1920×1080, 64 labels (W1)
    Aloe,
    /// 450×375, 56 labels
    Teddy,
    /// 384×288, 16 labels
    Tsukuba,
    /// Motion, 584×388, 49 labels
    Rubberwhale,
    /// Motion, 420×380, 49 labels
    Venus,
    /// 481×321, 4 classes
    Segment,
}

impl Bench {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let all = [
            KernelName::Baseline,
            KernelName::Generic,
            KernelName::Dense,
            KernelName::Sites,
            KernelName::Dealt,
            KernelName::Sparse,
            KernelName::Auto,
        ];
        let kernels = if self.kernels.is_empty() { &all[..] } else { &self.kernels };
        let all = WorkloadName::value_variants();
        let workloads = if self.workloads.is_empty() { all } else { &self.workloads };
        let stripped = self.without.map(Part::stripped).unwrap_or_default();
        let mut measurements: Vec<Measurement> = Vec::new();
        for &workload in workloads {
            let (name, job) = self.job(workload)?;
            for kernel in kernels {
                let cuda = Cuda::open(self.card, kernel.kernel())?.for_measurements(stripped);
                if self.once {
                    once(&cuda, &job, self.chains.into())?;
                    continue;
                }
                match measure(&cuda, name, &job, (self.chains.into(), self.repeats)) {
                    Ok(mut measurement) => {
                        if self.counters {
                            let command = self.once_command(workload, *kernel)?;
                            measurement.counters = Some(counters::count(&command, measurement.labels)?);
                        }
                        print(&text(&measurement))?;
                        measurements.push(measurement);
                    }
                    // Not every kernel takes every workload: those that were not asked for are left out.
                    Err(error @ CudaError::Unsupported { .. }) if self.kernels.is_empty() => {
                        print(&format!("{name}: {error}\n"))?;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if let Some(path) = &self.json {
            std::fs::write(path, serde_json::to_string_pretty(&measurements)? + "\n")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// This program with one workload and kernel, to run once.
    fn once_command(&self, workload: WorkloadName, kernel: KernelName) -> anyhow::Result<Vec<String>> {
        fn name(value: impl ValueEnum) -> String {
            value.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
        }
        let mut command =
            vec![std::env::current_exe()?.display().to_string(), "bench".into(), "--once".into()];
        let options = [
            ("--data", self.data.display().to_string()),
            ("--workload", name(workload)),
            ("--kernel", name(kernel)),
            ("--iterations", self.iterations.to_string()),
            ("--chains", self.chains.to_string()),
            ("--card", self.card.to_string()),
        ];
        command.extend(options.into_iter().flat_map(|(option, value)| [option.to_string(), value]));
        Ok(command)
    }

    fn job(&self, workload: WorkloadName) -> anyhow::Result<(&'static str, Job)> {
        let (name, left, right, labels, size) = match workload {
            WorkloadName::Aloe => {
                ("aloe-hd", "odd/xytong_aloeL.jpg", "odd/xytong_aloeR.jpg", 64, Some((1920, 1080)))
            }
            WorkloadName::Teddy => ("teddy", "stereo/teddy/im2.png", "stereo/teddy/im6.png", 56, None),
            WorkloadName::Tsukuba => {
                ("tsukuba", "stereo/tsukuba/imL.png", "stereo/tsukuba/imR.png", 16, None)
            }
            WorkloadName::Rubberwhale => return self.flow("rubberwhale"),
            WorkloadName::Venus => return self.flow("venus"),
            WorkloadName::Segment => {
                let inputs = Inputs { first: self.open("segmentation/3096/image.jpg")?, second: None };
                return self.planned("segment", &Application::Segment, &inputs);
            }
        };
        let (width, height, first) = self.grey(left, size)?;
        let (_, _, second) = self.grey(right, size)?;
        let problem = Problem {
            width,
            height,
            labels,
            singleton: Singleton::Pixels {
                form: Difference::Abs,
                first,
                second,
                offsets: stereo_offsets(labels, 0),
            },
            data_cap: u16::MAX,
            s_outside: 255,
            pair: Pair::Abs,
            pair_cap: 2,
            vectors: line_vectors(labels),
            alpha: 1,
            beta: 8,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
        let schedule = Schedule::anneal(20.0, 1.0, 25, self.iterations)?;
        let run = Run {
            burn_in: schedule.last_entry(),
            schedule,
            seed: 1,
            chain: 0,
            start: Start::Argmin,
            cutoff: None,
        };
        Ok((name, Job::new(Hardware::default(), problem, run)?))
    }

    fn flow(&self, name: &'static str) -> anyhow::Result<(&'static str, Job)> {
        let first = self.open(&format!("flow/{name}/frame10.png"))?;
        let second = Some(self.open(&format!("flow/{name}/frame11.png"))?);
        self.planned(name, &Application::Flow { window: 7 }, &Inputs { first, second })
    }

    /// The job of an application with its own parameters.
    fn planned(
        &self,
        name: &'static str,
        application: &Application,
        inputs: &Inputs,
    ) -> anyhow::Result<(&'static str, Job)> {
        let iterations = Some(Iterations::Count(self.iterations));
        let options = RunOptions { iterations, seed: Some(1), ..RunOptions::default() };
        Ok((name, plan(application, &options, None, inputs)?.job))
    }

    fn open(&self, file: &str) -> anyhow::Result<Picture> {
        Ok(Picture::open(&self.data.join(Path::new(file)))?)
    }

    fn grey(&self, file: &str, size: Option<(u32, u32)>) -> anyhow::Result<(u32, u32, Vec<u8>)> {
        let picture = self.open(file)?;
        let (from, grey) = ((picture.width, picture.height), picture.grey(8));
        Ok(match size {
            Some(to) => (to.0, to.1, resample(&grey, from, to)),
            None => (from.0, from.1, grey),
        })
    }
}

/// Bilinear, pixel centres on pixel centres, in integers with 16 fractional bits.
fn resample(grey: &[u8], from: (u32, u32), to: (u32, u32)) -> Vec<u8> {
    let position = |i: u32, from: u32, to: u32| -> (usize, usize, u64) {
        // (i + 1/2)·from/to − 1/2, inside the picture.
        let p = ((u64::from(2 * i + 1) * u64::from(from)) << 16) / u64::from(2 * to);
        let p = p.saturating_sub(1 << 15).min(u64::from(from - 1) << 16);
        let low = (p >> 16) as usize;
        (low, (low + 1).min(from as usize - 1), p & 0xffff)
    };
    let mut out = Vec::with_capacity((to.0 * to.1) as usize);
    for y in 0..to.1 {
        let (top, bottom, v) = position(y, from.1, to.1);
        for x in 0..to.0 {
            let (left, right, u) = position(x, from.0, to.0);
            let row = |y: usize| {
                let at = |x: usize| u64::from(grey[y * from.0 as usize + x]);
                at(left) * ((1 << 16) - u) + at(right) * u
            };
            let sum = row(top) * ((1 << 16) - v) + row(bottom) * v;
            out.push(((sum + (1 << 31)) >> 32) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::resample;

    #[test]
    fn resampling_keeps_a_picture_of_the_same_size_and_a_constant() {
        let grey: Vec<u8> = (0..35).map(|i| i * 7).collect();
        assert_eq!(resample(&grey, (7, 5), (7, 5)), grey);
        assert!(resample(&[9; 6], (3, 2), (17, 11)).iter().all(|&v| v == 9));
    }
}
