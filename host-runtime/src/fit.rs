//! Does a run fit a build? Everything that is missing in one message, with the options that ask for it and a command that
//! generates a build that fits.

use crate::costs::DataTerm;
use crate::error::{Error, Result};
use crate::options::RunOptions;
use crate::options::application::{Occlusion, Preset};
use spa_model::fit::{Lack, lacks};
use spa_model::{Hardware, Job, Singleton};
use spagen::{Build, Config};

/// A width or form that a build has otherwise than was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Parameter of the generator.
    pub parameter: &'static str,
    /// In the build.
    pub has: String,
    /// Asked for.
    pub wanted: String,
}

/// Where `asked` differs from `has`.
pub fn mismatches(has: &Hardware, asked: &Hardware) -> Vec<Mismatch> {
    let widths = [
        ("label_bits", has.label_bits, asked.label_bits),
        ("singleton_bits", has.singleton_bits, asked.singleton_bits),
        ("energy_bits", has.energy_bits, asked.energy_bits),
        ("p_bits", has.p_bits, asked.p_bits),
        ("u_bits", has.u_bits, asked.u_bits),
        ("count_bits", has.count_bits, asked.count_bits),
    ];
    let widths = widths.iter().map(|&(name, has, wanted)| (name, has.to_string(), wanted.to_string()));
    let weights = ("weights", has.weights.name().to_string(), asked.weights.name().to_string());
    widths
        .chain([weights])
        .filter(|(_, has, wanted)| has != wanted)
        .map(|(parameter, has, wanted)| Mismatch { parameter, has, wanted })
        .collect()
}

/// Refuses `job` unless it fits `build`: its hardware part always, its size and forms where the array itself is to run it.
///
/// # Errors
/// [`Error::Unfit`] names everything that is missing.
pub fn check(build: &Build, options: &RunOptions, job: &Job) -> Result<()> {
    let mismatches = mismatches(build.hardware(), job.hardware());
    let on_array = matches!(options.backend.as_deref(), Some("sim" | "opae" | "serial"));
    let missing = if on_array { needs(build.config(), options, job) } else { Vec::new() };
    if mismatches.is_empty() && missing.is_empty() {
        return Ok(());
    }
    let problem = job.problem();
    let mut causes: Vec<String> = mismatches
        .iter()
        .map(|m| {
            let reason = reason(m.parameter, options, job);
            format!("{} is {}, but {} is needed ({reason})", m.parameter, m.has, m.wanted)
        })
        .collect();
    causes.extend(missing.iter().map(|lack| sentence(lack, options, job)));
    let needed = |config: &Config| {
        let more = if on_array { needs(config, options, job) } else { Vec::new() };
        let unmet = |lack: Lack| {
            let value = lack.amount.map_or("true".to_string(), |(needed, _)| needed.to_string());
            (lack.parameter.unwrap_or(NO_PARAMETER), value)
        };
        let differing = self::mismatches(&config.hardware, job.hardware()).into_iter();
        differing.map(|m| (m.parameter, m.wanted)).chain(more.into_iter().map(unmet)).collect()
    };
    let generate = match build.config().raised(&needed) {
        Some(config) => format!("generate one that fits: {}", config.command_into(build.folder())),
        None => "no build can hold it".to_string(),
    };
    let other = if on_array { "run it on another backend (cpu, cuda)" } else { "leave --build out" };
    Err(Error::Unfit {
        path: build.folder().to_path_buf(),
        what: format!("{}x{} pixels, {} labels", problem.width, problem.height, problem.labels),
        causes,
        remedy: format!("{generate}\n  or {other}"),
    })
}

/// Stands for what no parameter gives: the generator refuses it.
const NO_PARAMETER: &str = "(none)";

/// What the array lacks, and the cost memory where options say that a table will come.
fn needs(config: &Config, options: &RunOptions, job: &Job) -> Vec<Lack> {
    let mut all = lacks(&config.array, job);
    let plain = !matches!(job.problem().singleton, Singleton::Table { .. });
    if plain && !config.array.singleton_table && !tables(options).is_empty() {
        all.push(Lack { what: "singleton tables", amount: None, parameter: Some("singleton_table") });
    }
    all
}

fn sentence(lack: &Lack, options: &RunOptions, job: &Job) -> String {
    let Some(parameter) = lack.parameter else { return format!("no build has {}", lack.what) };
    let reason = reason(parameter, options, job);
    match lack.amount {
        Some((needed, has)) => {
            format!("it has {has} {}, but {needed} are needed ({reason}; {parameter})", lack.what)
        }
        None => format!("it has no {} ({reason}; {parameter})", lack.what),
    }
}

/// What asks for a parameter of the generator.
fn reason(parameter: &str, options: &RunOptions, job: &Job) -> String {
    let problem = job.problem();
    let given = |given: bool, name: &str, otherwise: &str| {
        if given { format!("--{name}") } else { otherwise.to_string() }
    };
    match parameter {
        "rv_capacity" | "tile_width_max" | "tile_height_max" => {
            format!("a picture of {}x{}", problem.width, problem.height)
        }
        "s2_capacity" => "the picture and how far its labels reach".to_string(),
        "cost_capacity" => format!("a cost for every pixel and each of {} labels", problem.labels),
        "schedule_entries" => given(options.schedule.is_some(), "schedule", "steps of --anneal"),
        "pair_table" => given(options.pair_table.is_some(), "pair-table", "a table of the model"),
        "edge_weights" => given(options.edge_weights.is_some(), "edge-weights", "--contrast"),
        // What the preset sets was not given by anybody.
        "singleton_table" if options.application.preset == Some(Preset::Best) => "--preset best".to_string(),
        "singleton_table" => match tables(options).as_slice() {
            [] => "a table of costs".to_string(),
            names => names.join(", "),
        },
        "label_bits" if options.label_bits.is_none() => format!("{} labels", problem.labels),
        width => format!("--{}", width.replace('_', "-")),
    }
}

/// Options that are given and make the data term a table.
fn tables(options: &RunOptions) -> Vec<&'static str> {
    let o = &options.application;
    let all = [
        (options.costs.is_some(), "--costs"),
        (o.data.is_some_and(|term| term != DataTerm::Plain), "--data"),
        (o.support.is_some_and(|radius| radius > 0), "--support"),
        (o.grid.is_some_and(|grid| grid > 1), "--grid"),
        (o.levels.is_some_and(|levels| levels > 1), "--levels"),
        (o.occlusion == Some(Occlusion::Fill), "--occlusion fill"),
        (o.colour, "--colour"),
        (o.colours.is_some(), "--colours"),
        (o.mask.is_some(), "--mask"),
    ];
    all.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
}
