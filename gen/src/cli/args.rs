//! Options: one definition gives parsing, help, man page and completions. Values are checked by `config`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config::{Config, Draft};
use crate::error::Error;
use crate::synth::{Device, Flow};

/// What `spagen synth` maps on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// Cyclone V, in ALMs, M10K and DSP blocks; the proxy for Arria 10, which no open tool targets
    Intel,
    /// Lattice ECP5, in 4-input tables, 18-kbit EBR and 18x18 multipliers
    Ecp5,
    /// Xilinx 7 series, in 6-input tables, 36-kbit RAMs and DSP48
    Xilinx,
    /// Cells of a library, which --liberty names; memories are black boxes
    Asic,
}

impl Target {
    /// Its device family; `None` for cells.
    #[must_use]
    pub const fn flow(self) -> Option<Flow> {
        match self {
            Self::Intel => Some(Flow::Intel),
            Self::Ecp5 => Some(Flow::Ecp5),
            Self::Xilinx => Some(Flow::Xilinx),
            Self::Asic => None,
        }
    }
}

/// Generate FPGA accelerators for Gibbs sampling on Markov random fields
#[derive(Debug, Parser)]
#[command(name = "spagen", version, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(after_help = "\
Without a subcommand, spagen writes a build folder. Example:
  spagen --spe 16 --spu 2 -o build/

Exit codes: 0 done, 1 the work failed, 2 usage (also a configuration that is not allowed).")]
pub struct Cli {
    /// What to do; without it: generate
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of generating
    #[command(flatten)]
    pub generate: GenerateArgs,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print memory, multipliers, cycles, log bandwidth and links of a build, by model
    Report(Box<ReportArgs>),
    /// Synthesise a build with Yosys and print its area by component, or its clock rate on an ECP5
    Synth(SynthArgs),
    /// Check the foreign tools: found, version, needed for what, how to install
    Doctor(DoctorArgs),
    /// Explain a parameter: range, default, meaning, cost
    Explain(ExplainArgs),
    /// List the presets
    Presets,
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
}

/// Options that describe a build.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Build options")]
pub struct BuildArgs {
    /// Number of SPEs; the grid becomes as square as it can
    #[arg(long, value_name = "N", conflicts_with = "grid")]
    pub spe: Option<String>,
    /// SPUs in each SPE: 1, 2, 4 or 8
    #[arg(long, value_name = "K")]
    pub spu: Option<String>,
    /// Grid of SPEs, such as 2x3
    #[arg(long, value_name = "RxC")]
    pub grid: Option<String>,
    /// Random variables of the whole array, such as 256K
    #[arg(long, value_name = "N")]
    pub rvs: Option<String>,
    /// Read parameters from a TOML file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Start from a preset (see 'spagen presets')
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Set any parameter (see 'spagen explain'); may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl BuildArgs {
    /// The configuration that the options describe.
    ///
    /// # Errors
    /// Every mistake in the options and in the file.
    pub fn config(&self) -> Result<Config, Error> {
        let mut draft = Draft::new();
        if let Some(name) = &self.preset {
            draft.preset("--preset", name);
        }
        if let Some(path) = &self.config {
            draft.read(path);
        }
        let options = [
            ("--spe", "spe", &self.spe),
            ("--grid", "grid", &self.grid),
            ("--spu", "spus", &self.spu),
            ("--rvs", "rvs", &self.rvs),
        ];
        for (origin, key, value) in options {
            if let Some(value) = value {
                draft.set(origin, key, value);
            }
        }
        for assignment in &self.set {
            draft.assign("--set", assignment);
        }
        Ok(draft.finish()?)
    }
}

/// Options of generating.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The build
    #[command(flatten)]
    pub build: BuildArgs,
    /// Folder to write
    #[arg(short, long, value_name = "FOLDER", default_value = "build")]
    pub output: PathBuf,
    /// Overwrite files that were edited or that spagen does not own
    #[arg(long)]
    pub force: bool,
    /// Print what was written as JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `spagen report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The build
    #[command(flatten)]
    pub build: BuildArgs,
    /// Report on an existing build folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["spe", "spu", "grid", "rvs", "config", "preset", "set"])]
    pub folder: Option<PathBuf>,
    /// Size of the field, such as 450x375
    #[arg(long, value_name = "WxH")]
    pub size: Option<String>,
    /// Labels of the workload
    #[arg(long, value_name = "N", default_value = "16", requires = "size")]
    pub labels: u32,
    /// Iterations of the workload
    #[arg(long, value_name = "N", default_value = "1000", requires = "size")]
    pub iterations: u32,
    /// Clock for seconds, in MHz
    #[arg(long, value_name = "MHZ", default_value = "150")]
    pub clock: f64,
    /// Messages an update, 0 to 1, for Equation 3.5
    #[arg(long, value_name = "RATE", default_value = "0.1")]
    pub eviction_rate: f64,
    /// How far singleton 2 reaches: LEFT,RIGHT,UP,DOWN
    #[arg(long, value_name = "L,R,U,D", default_value = "63,0,0,0")]
    pub reach: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `spagen synth`.
#[derive(Debug, Args)]
pub struct SynthArgs {
    /// Build folder; with --sweep the folder for all builds
    pub folder: PathBuf,
    /// Device family, or cells [default: intel; ecp5 with --place]
    #[arg(long, value_enum)]
    pub flow: Option<Target>,
    /// Cell library, a Liberty file, also compressed by gzip [for asic]
    #[arg(long, value_name = "FILE")]
    pub liberty: Option<PathBuf>,
    /// What is known of memory macros: area, times, energies, as TOML [for asic]
    #[arg(long, value_name = "FILE", requires = "liberty")]
    pub macros: Option<PathBuf>,
    /// Estimate the power at the activity of the build's known job, simulated on the netlist [for asic]
    #[arg(long, requires = "liberty")]
    pub power: bool,
    /// Generate and synthesise arrays of several sizes, SPEs x SPUs, in FOLDER: area by size, extrapolated to 1024 SPEs
    #[arg(
        long,
        value_name = "SIZES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = crate::synth::sweep::SIZES,
        conflicts_with = "place"
    )]
    pub sweep: Option<String>,
    /// Preset of the sweep
    #[arg(long, value_name = "NAME", default_value = "dissertation", requires = "sweep")]
    pub preset: String,
    /// Place and route on an ECP5 with nextpnr and print the clock rate instead of the area
    #[arg(long)]
    pub place: bool,
    /// Seeds of the placer: numbers and ranges, such as 1-5,9
    #[arg(long, value_name = "LIST", default_value = "1", requires = "place")]
    pub seeds: String,
    /// Seeds that are worked on at a time
    #[arg(long, value_name = "N", default_value = "1", requires = "place", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Clock to ask for, in MHz [default: 120 with --place, 200 for asic]
    #[arg(long, value_name = "MHZ", value_parser = clap::value_parser!(u32).range(1..=10000))]
    pub clock: Option<u32>,
    /// Device to place on
    #[arg(long, value_enum, default_value = "85k", requires = "place")]
    pub device: Device,
    /// Speed grade: 6, 7 or 8 (the fastest)
    #[arg(long, value_name = "GRADE", default_value = "8", requires = "place", value_parser = clap::value_parser!(u8).range(6..=8))]
    pub speed: u8,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `spagen doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Install the pinned Verilator into the private folder if there is no good one
    #[arg(long)]
    pub install: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options of `spagen explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Parameter; without it all are listed
    pub parameter: Option<String>,
    /// Print docs/parameters.md
    #[arg(long, conflicts_with = "parameter")]
    pub markdown: bool,
}
