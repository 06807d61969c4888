//! Options of a run: one definition for the command line and for configuration files.

pub mod application;
pub mod card;
pub mod iterations;
pub mod ranges;
pub mod simulation;
pub(crate) mod values;

use crate::app::{PairForm, SingletonForm};
use crate::contrast::Contrast;
use crate::drive::Every;
use crate::error::{Error, Result};
use crate::formats::{FileFormat, text_of};
use clap::Args;
use ranges::{number, real};
use serde::Deserialize;
use spa_model::{Schedule, Weights};
use std::path::{Path, PathBuf};

use values::optional_seed;

pub use application::ApplicationOptions;
pub use card::CardOptions;
pub use iterations::Iterations;
pub use simulation::SimulationOptions;
pub(crate) use values::weights;
pub use values::{Anneal, Bytes, HistogramForm, Share};

/// Everything that can be set for a run. What is not given has the default of the application.
#[derive(Debug, Clone, Default, PartialEq, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunOptions {
    /// Options of the applications.
    #[command(flatten)]
    #[serde(skip)]
    pub application: ApplicationOptions,
    /// Options of the simulated card.
    #[command(flatten)]
    #[serde(skip)]
    pub simulation: SimulationOptions,
    /// Options of a real card.
    #[command(flatten)]
    #[serde(skip)]
    pub card: CardOptions,
    /// Number of labels (flow: use --window)
    #[arg(long, value_name = "N", help_heading = "Model", value_parser = number::<u16>("labels"))]
    pub labels: Option<u16>,
    /// Least disparity; label 0 stands for it (stereo)
    #[arg(long, value_name = "N", help_heading = "Model", value_parser = number::<i16>("dmin"))]
    pub dmin: Option<i16>,
    /// Odd side of the search window: 7 gives 49 labels within ±3 pixels (flow)
    #[arg(long, value_name = "N", help_heading = "Model", value_parser = number::<u16>("window"))]
    pub window: Option<u16>,
    /// Grey value of every class, instead of k-means (segment)
    #[arg(long, value_name = "V,V,…", value_delimiter = ',', help_heading = "Model", value_parser = number::<u8>("values"))]
    pub values: Option<Vec<u8>>,
    /// Weight of the data term, a real number
    #[arg(long, value_name = "A", help_heading = "Model", value_parser = real)]
    pub alpha: Option<f64>,
    /// Weight of the smoothness term, a real number
    #[arg(long, value_name = "B", help_heading = "Model", value_parser = real)]
    pub beta: Option<f64>,
    /// Cap of the smoothness term, 1…255, in label units and before beta
    #[arg(long, value_name = "C", help_heading = "Model", value_parser = number::<u8>("cap"))]
    pub cap: Option<u8>,
    /// Cap of the data term, before alpha
    #[arg(long, value_name = "C", help_heading = "Model", value_parser = number::<u16>("data-cap"))]
    pub data_cap: Option<u16>,
    /// Data term of a sample outside the picture [default: the data cap where that is given, stereo 9]
    #[arg(long, value_name = "S", help_heading = "Model", value_parser = number::<u16>("outside"))]
    pub outside: Option<u16>,
    /// Form of the data term
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Model")]
    pub singleton: Option<SingletonForm>,
    /// Form of the smoothness term
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Model")]
    pub pair: Option<PairForm>,
    /// Data term from a file: .npy, height × width × labels, integers
    #[arg(long, value_name = "FILE", conflicts_with = "singleton", help_heading = "Model")]
    pub costs: Option<PathBuf>,
    /// Smoothness term from a file: .npy, labels × labels, own label first
    #[arg(long, value_name = "FILE", conflicts_with = "pair", help_heading = "Model")]
    pub pair_table: Option<PathBuf>,
    /// Weights of the edges between pixels from a file: .npy, height × width × 2 (right, down), 0…15; 8 leaves beta as it is
    #[arg(long, value_name = "FILE", conflicts_with = "contrast", help_heading = "Model")]
    pub edge_weights: Option<PathBuf>,
    /// Weaker smoothness where the first picture has contrast: edge weight LOW + (HIGH − LOW)·exp(−difference/SIGMA)
    /// [default of LOW:HIGH: 2:12; 8 leaves beta as it is]
    #[arg(long, value_name = "SIGMA[:LOW:HIGH]", allow_hyphen_values = true, help_heading = "Model")]
    pub contrast: Option<Contrast>,
    /// Pixels that keep their start label: grey picture or .npy, nonzero is fixed
    #[arg(long, value_name = "MASK", help_heading = "Model")]
    pub fixed: Option<PathBuf>,

    /// Iterations, burn-in included; 'auto': at one temperature until several chains agree
    #[arg(long, value_name = "N", help_heading = "Sampling")]
    pub iterations: Option<Iterations>,
    /// Most iterations of '--iterations auto', a multiple of 100, at least 200 [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Sampling", value_parser = number::<u32>("max-iterations"))]
    pub max_iterations: Option<u32>,
    /// First collected iteration [default: the first from which on the temperature is at most twice the last one; half of the run for one temperature]
    #[arg(long, value_name = "N", help_heading = "Sampling", value_parser = number::<u32>("burn-in"))]
    pub burn_in: Option<u32>,
    /// Seed, 0…2^64−1
    #[arg(long, value_name = "N", help_heading = "Sampling", value_parser = number::<u64>("seed"))]
    #[serde(deserialize_with = "optional_seed")]
    pub seed: Option<u64>,
    /// Number of the chain: the same seed, other random numbers
    #[arg(long, value_name = "N", help_heading = "Sampling", value_parser = number::<u8>("chain"))]
    pub chain: Option<u8>,
    /// Number of independent chains, from --chain on: their histograms are added up [default: 1]
    #[arg(long, value_name = "N", help_heading = "Sampling", value_parser = number::<u16>("chains"))]
    pub chains: Option<u16>,
    /// Sample at one temperature
    #[arg(
        long,
        value_name = "T",
        conflicts_with_all = ["anneal", "schedule"],
        help_heading = "Sampling",
        value_parser = real
    )]
    pub temperature: Option<f64>,
    /// Cool geometrically from T0 to T1 [default of STEPS: 25]
    #[arg(
        long,
        value_name = "T0:T1[:STEPS]",
        allow_hyphen_values = true,
        conflicts_with = "schedule",
        help_heading = "Sampling"
    )]
    pub anneal: Option<Anneal>,
    /// Temperatures from a file: lines 'T iterations', or TOML with [[step]] temperature, iterations
    #[arg(long, value_name = "FILE", help_heading = "Sampling")]
    pub schedule: Option<PathBuf>,
    /// Initial labels: argmin, zero, random, a file (grey picture or .npy), or in a batch previous: the labels of the run before
    /// [default: argmin]
    #[arg(long, value_name = "START", help_heading = "Sampling")]
    pub start: Option<PathBuf>,
    /// Leave out labels of weight w where w·C ≤ 2^(p_bits−1)
    #[arg(long, value_name = "C", help_heading = "Sampling", value_parser = number::<u8>("cutoff"))]
    pub cutoff: Option<u8>,

    /// Where to run: cpu, sim, … ('spa devices' lists them) [default: cpu]
    #[arg(long, value_name = "NAME", help_heading = "Machine")]
    pub backend: Option<String>,
    /// Build of spagen: the array of 'sim', and the hardware part of the parameters for every backend
    #[arg(long, value_name = "DIR", help_heading = "Machine")]
    pub build: Option<PathBuf>,
    /// Threads of the cpu backend [default: all]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = number::<usize>("threads"))]
    pub threads: Option<usize>,
    /// Bits of a label (must agree with a build; without one [default: 6, or what the labels need])
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("label-bits"))]
    pub label_bits: Option<u8>,
    /// Bits of a sample [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("singleton-bits"))]
    pub singleton_bits: Option<u8>,
    /// Bits of an energy [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("energy-bits"))]
    pub energy_bits: Option<u8>,
    /// Bits of a probability [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("p-bits"))]
    pub p_bits: Option<u8>,
    /// Bits of a random number [default: 24]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("u-bits"))]
    pub u_bits: Option<u8>,
    /// Bits of a counter of the label log [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)", value_parser = number::<u8>("count-bits"))]
    pub count_bits: Option<u8>,
    /// Weights from probabilities: pow2 or linear [default: pow2]
    #[arg(long, value_name = "FORM", value_parser = weights, help_heading = "Hardware part (a build fixes it)")]
    pub weights: Option<Weights>,

    /// Save the run in this file now and then, to go on with --resume
    #[arg(long, value_name = "FILE", help_heading = "Long runs")]
    pub checkpoint: Option<PathBuf>,
    /// How often: a number of iterations, or seconds with an s [default: 60s]
    #[arg(long, value_name = "N|Ns", allow_hyphen_values = true, help_heading = "Long runs")]
    pub checkpoint_every: Option<Every>,
    /// Go on from a checkpoint of the same run: the same pictures and options, and the same results as without a break
    #[arg(long, value_name = "FILE", help_heading = "Long runs")]
    pub resume: Option<PathBuf>,

    /// Folder for the results
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Keep the label log in a file that 'spa decode' reads
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub keep_log: Option<PathBuf>,
    /// Write the result in formats of others, too: disparity as pfm, tiff, kitti, npz; flow as flo, kitti, pfm, npz;
    /// classes as png, npz
    #[arg(long, value_enum, value_name = "F,F,…", value_delimiter = ',', help_heading = "Output")]
    pub formats: Option<Vec<FileFormat>>,
    /// Memory that a run may take: one that needs more keeps its messages on disk and makes its results by blocks of rows; a
    /// histogram larger than this is written sparse, as .npz (suffixes K, M, G) [default: 2G]
    #[arg(long, value_name = "SIZE", help_heading = "Output")]
    pub max_memory: Option<Bytes>,
    /// Write the histogram dense (.npy, labels × 2 bytes a pixel) or sparse (.npz, what was drawn), whatever its size
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Output")]
    pub histogram: Option<HistogramForm>,
    /// Write mean, variance, entropy, confidence and credible sets of every pixel, for segments boundaries, too
    #[arg(long, help_heading = "Output")]
    pub uncertainty: bool,
    /// Write the labelling of least energy that descent from the results leads to, too: lowest.npy
    #[arg(long, help_heading = "Output")]
    pub lowest: bool,
    /// Share of the samples that a credible set has, above 0 and at most 1 [default: 0.95]
    #[arg(long, value_name = "SHARE", help_heading = "Output")]
    pub credible: Option<Share>,
    /// Write a report of the run: one HTML file with pictures, uncertainty, and the histogram of any pixel
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
}

impl RunOptions {
    /// Reads a configuration file: TOML with the names of the options as keys. Its relative paths start at its folder.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; [`Error::Usage`] if it is no TOML, has an unknown key (the nearest known
    /// one is named), a value of the wrong type, or options that exclude each other.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = text_of("read configuration", path)?;
        let refuse = |cause: String| Error::usage(format!("configuration '{}': {cause}", path.display()));
        let table =
            text.parse().map_err(|e: toml::de::Error| refuse(e.to_string().trim_end().to_string()))?;
        Self::from_parts(path, Some(&text), table)
    }

    /// The same from a table that was read from `path`.
    ///
    /// # Errors
    /// As [`Self::from_file`], but for reading.
    pub fn from_table(path: &Path, table: toml::Table) -> Result<Self> {
        Self::from_parts(path, None, table)
    }

    fn from_parts(path: &Path, text: Option<&str>, table: toml::Table) -> Result<Self> {
        let refuse = |cause: String| Error::usage(format!("configuration '{}': {cause}", path.display()));
        let known = option_names();
        for key in table.keys() {
            if !known.contains(key) {
                return Err(refuse(unknown_key(key, &known)));
            }
        }
        for (key, value) in &table {
            let numbers = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for number in numbers.iter().filter_map(toml::Value::as_integer) {
                ranges::check(key, number.into())
                    .map_err(|allowed| refuse(format!("{key} is {number}, but {allowed}")))?;
            }
            for number in numbers.iter().filter_map(toml::Value::as_float) {
                ranges::check_whole(key)
                    .map_err(|allowed| refuse(format!("{key} is {number}, but {allowed}")))?;
            }
        }
        let of_application = |key: &str| is_among::<ApplicationOptions>(key);
        let of_simulation = |key: &str| is_among::<SimulationOptions>(key);
        let of_card = |key: &str| is_among::<CardOptions>(key);
        let own = |key: &str| !of_application(key) && !of_simulation(key) && !of_card(key);
        let mut options: Self = part(text, &table, own).map_err(refuse)?;
        options.application = part(text, &table, of_application).map_err(refuse)?;
        options.simulation = part(text, &table, of_simulation).map_err(refuse)?;
        options.card = part(text, &table, of_card).map_err(refuse)?;
        let exclusive = [
            ("temperature", options.temperature.is_some()),
            ("anneal", options.anneal.is_some()),
            ("schedule", options.schedule.is_some()),
        ];
        let given: Vec<&str> = exclusive.iter().filter(|(_, given)| *given).map(|&(name, _)| name).collect();
        if given.len() > 1 {
            return Err(refuse(format!("{} exclude each other; keep one", given.join(" and "))));
        }
        if let Some(temperature) = options.temperature {
            Schedule::constant(temperature, 1).map_err(|error| refuse(error.to_string()))?;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let words = ["argmin", "zero", "random"].map(Path::new);
        let start = options.start.as_mut().filter(|start| !words.contains(&start.as_path()));
        let paths = [
            options.costs.as_mut(),
            options.pair_table.as_mut(),
            options.edge_weights.as_mut(),
            options.fixed.as_mut(),
            options.schedule.as_mut(),
            options.build.as_mut(),
            options.output.as_mut(),
            options.keep_log.as_mut(),
            options.checkpoint.as_mut(),
            options.resume.as_mut(),
            options.report.as_mut(),
            start,
        ];
        let paths = paths.into_iter().flatten().chain(options.application.paths());
        paths.for_each(|path| *path = folder.join(&path));
        Ok(options)
    }

    /// These options, and those of `base` where these say nothing.
    #[must_use]
    pub fn or(self, mut base: Self) -> Self {
        if self.temperature.is_some() || self.anneal.is_some() || self.schedule.is_some() {
            // The three exclude each other: the choice made here replaces that of the base.
            (base.temperature, base.anneal, base.schedule) = (None, None, None);
        }
        if self.singleton.is_some() || self.costs.is_some() {
            (base.singleton, base.costs) = (None, None);
        }
        if self.pair.is_some() || self.pair_table.is_some() {
            (base.pair, base.pair_table) = (None, None);
        }
        if self.edge_weights.is_some() || self.contrast.is_some() {
            (base.edge_weights, base.contrast) = (None, None);
        }
        Self {
            application: self.application.or(base.application),
            simulation: self.simulation.or(base.simulation),
            card: self.card.or(base.card),
            labels: self.labels.or(base.labels),
            dmin: self.dmin.or(base.dmin),
            window: self.window.or(base.window),
            values: self.values.or(base.values),
            alpha: self.alpha.or(base.alpha),
            beta: self.beta.or(base.beta),
            cap: self.cap.or(base.cap),
            data_cap: self.data_cap.or(base.data_cap),
            outside: self.outside.or(base.outside),
            singleton: self.singleton.or(base.singleton),
            pair: self.pair.or(base.pair),
            costs: self.costs.or(base.costs),
            pair_table: self.pair_table.or(base.pair_table),
            edge_weights: self.edge_weights.or(base.edge_weights),
            contrast: self.contrast.or(base.contrast),
            fixed: self.fixed.or(base.fixed),
            iterations: self.iterations.or(base.iterations),
            max_iterations: self.max_iterations.or(base.max_iterations),
            burn_in: self.burn_in.or(base.burn_in),
            seed: self.seed.or(base.seed),
            chain: self.chain.or(base.chain),
            chains: self.chains.or(base.chains),
            temperature: self.temperature.or(base.temperature),
            anneal: self.anneal.or(base.anneal),
            schedule: self.schedule.or(base.schedule),
            start: self.start.or(base.start),
            cutoff: self.cutoff.or(base.cutoff),
            backend: self.backend.or(base.backend),
            build: self.build.or(base.build),
            threads: self.threads.or(base.threads),
            label_bits: self.label_bits.or(base.label_bits),
            singleton_bits: self.singleton_bits.or(base.singleton_bits),
            energy_bits: self.energy_bits.or(base.energy_bits),
            p_bits: self.p_bits.or(base.p_bits),
            u_bits: self.u_bits.or(base.u_bits),
            count_bits: self.count_bits.or(base.count_bits),
            weights: self.weights.or(base.weights),
            checkpoint: self.checkpoint.or(base.checkpoint),
            checkpoint_every: self.checkpoint_every.or(base.checkpoint_every),
            resume: self.resume.or(base.resume),
            output: self.output.or(base.output),
            keep_log: self.keep_log.or(base.keep_log),
            formats: self.formats.or(base.formats),
            max_memory: self.max_memory.or(base.max_memory),
            histogram: self.histogram.or(base.histogram),
            uncertainty: self.uncertainty || base.uncertainty,
            lowest: self.lowest || base.lowest,
            credible: self.credible.or(base.credible),
            report: self.report.or(base.report),
        }
    }
}

/// The keys of a configuration file that `wanted` takes, as options. A file without any other keys is read from its text,
/// so that messages name the line.
fn part<T: serde::de::DeserializeOwned>(
    text: Option<&str>,
    table: &toml::Table,
    wanted: impl Fn(&str) -> bool,
) -> Result<T, String> {
    let tidy = |e: toml::de::Error| e.to_string().trim_end().to_string();
    if let Some(text) = text.filter(|_| table.keys().all(|key| wanted(key))) {
        return toml::from_str(text).map_err(tidy);
    }
    let kept = table.iter().filter(|(key, _)| wanted(key)).map(|(k, v)| (k.clone(), v.clone()));
    T::deserialize(kept.collect::<toml::Table>()).map_err(tidy)
}

/// True for the names of the options `O`.
fn is_among<O: Args>(key: &str) -> bool {
    O::augment_args(clap::Command::new("")).get_arguments().any(|arg| arg.get_long() == Some(key))
}

/// Names of all options, as on the command line without the dashes.
pub fn option_names() -> Vec<String> {
    let options = RunOptions::augment_args(clap::Command::new(""));
    options.get_arguments().filter_map(|arg| arg.get_long().map(str::to_string)).collect()
}

/// What is wrong with `key`, and the nearest of those that are known, or all.
pub(crate) fn unknown_key(key: &str, known: &[String]) -> String {
    let nearest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&key.replace('_', "-"), name), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 3)
        .min();
    match nearest {
        Some((_, name)) => format!("unknown key '{key}'; did you mean '{name}'?"),
        None => format!("unknown key '{key}'; known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<RunOptions> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.toml");
        std::fs::write(&path, text).unwrap();
        RunOptions::from_file(&path)
    }

    #[test]
    fn every_option_has_a_key_and_every_key_an_option() {
        // deny_unknown_fields lists the fields in its message.
        let error = toml::from_str::<RunOptions>("nonsense = 1").unwrap_err().to_string()
            + &toml::from_str::<ApplicationOptions>("nonsense = 1").unwrap_err().to_string()
            + &toml::from_str::<SimulationOptions>("nonsense = 1").unwrap_err().to_string()
            + &toml::from_str::<CardOptions>("nonsense = 1").unwrap_err().to_string();
        for name in option_names() {
            assert!(error.contains(&format!("`{name}`")), "{name} is no key: {error}");
        }
        let fields = error.matches('`').count() / 2 - 4;
        assert!(fields >= option_names().len(), "{fields} fields");
    }

    #[test]
    fn files_are_read_with_paths_relative_to_them() {
        let options = parse(
            "labels = 16\nanneal = '20:1'\nseed = '18446744073709551615'\nmax-memory = '1M'\nfixed = 'm.png'\nstart = 'zero'",
        )
        .unwrap();
        assert_eq!(options.labels, Some(16));
        assert_eq!(options.anneal, Some(Anneal { from: 20.0, to: 1.0, steps: None }));
        assert_eq!(options.seed, Some(u64::MAX));
        assert_eq!(options.max_memory, Some(Bytes(1_000_000)));
        assert!(options.fixed.unwrap().is_absolute());
        assert_eq!(options.start, Some(PathBuf::from("zero")));
        assert_eq!(parse("seed = 5").unwrap().seed, Some(5));
    }

    #[test]
    fn mistakes_in_files_are_named() {
        let text = |t| parse(t).unwrap_err().to_string();
        assert!(text("itterations = 3").ends_with("unknown key 'itterations'; did you mean 'iterations'?"));
        assert!(text("burn_in = 3").contains("did you mean 'burn-in'?"));
        assert!(text("xyzzy = 3").contains("known are preset, "));
        assert!(
            text("temperature = 1.0\nanneal = '2:1'").contains("temperature and anneal exclude each other")
        );
        assert!(text("labels = 'many'").contains("line 1"));
        assert!(text("labels = 70000").ends_with(": labels is 70000, but must be 2…256"));
        assert!(text("values = [3, 256]").ends_with(": values is 256, but must be 0…255"));
        assert!(text("sim-idle = 100").ends_with(": sim-idle is 100, but must be 0…99 percent"));
        assert!(text("cap = 0.5").ends_with(": cap is 0.5, but must be a whole number, 1…255"));
        assert!(text("values = [3, 2.5]").ends_with(": values is 2.5, but must be a whole number, 0…255"));
        assert!(
            text("temperature = -1.0").ends_with(": temperature is -1, but must be a finite number above 0")
        );
        assert!(text("temperature = inf").contains("configuration '"));
        assert!(text("= 3").contains("configuration '"));
    }

    #[test]
    fn the_command_line_goes_first_and_replaces_the_schedule() {
        let file = parse("labels = 16\nanneal = '20:1'\nbeta = 3.0").unwrap();
        let line = RunOptions { temperature: Some(2.0), beta: Some(4.0), ..RunOptions::default() };
        let merged = line.or(file);
        assert_eq!((merged.labels, merged.anneal, merged.temperature), (Some(16), None, Some(2.0)));
        assert_eq!(merged.beta, Some(4.0));
    }
}
