//! Options of a run: one definition for the command line and for configuration files.

pub mod application;

use crate::app::{PairForm, SingletonForm};
use crate::contrast::Contrast;
use crate::error::{Error, Result};
use crate::formats::FileFormat;
use clap::{Args, CommandFactory, Parser};
use serde::{Deserialize, Deserializer};
use spa_model::Weights;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use application::ApplicationOptions;

/// Everything that can be set for a run. What is not given has the default of the application.
#[derive(Debug, Clone, Default, PartialEq, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunOptions {
    /// Options of the applications.
    #[command(flatten)]
    #[serde(skip)]
    pub application: ApplicationOptions,
    /// Number of labels (flow: use --window)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Model")]
    pub labels: Option<u16>,
    /// Least disparity; label 0 stands for it (stereo)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Model")]
    pub dmin: Option<i16>,
    /// Odd side of the search window: 7 gives 49 labels within ±3 pixels (flow)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Model")]
    pub window: Option<u16>,
    /// Grey value of every class, instead of k-means (segment)
    #[arg(long, value_name = "V,V,…", value_delimiter = ',', help_heading = "Model")]
    pub values: Option<Vec<u8>>,
    /// Weight of the data term, a real number
    #[arg(long, value_name = "A", allow_negative_numbers = true, help_heading = "Model")]
    pub alpha: Option<f64>,
    /// Weight of the smoothness term, a real number
    #[arg(long, value_name = "B", allow_negative_numbers = true, help_heading = "Model")]
    pub beta: Option<f64>,
    /// Cap of the smoothness term, 1…255, in label units and before beta
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Model")]
    pub cap: Option<u8>,
    /// Cap of the data term, before alpha
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Model")]
    pub data_cap: Option<u16>,
    /// Data term of a sample outside the picture [default: the data cap where that is given, stereo 9]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "Model")]
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

    /// Iterations, burn-in included
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Sampling")]
    pub iterations: Option<u32>,
    /// First collected iteration [default: the first at the final temperature, half of the run for one temperature]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Sampling")]
    pub burn_in: Option<u32>,
    /// Seed, 0…2^64−1
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Sampling")]
    #[serde(deserialize_with = "seed")]
    pub seed: Option<u64>,
    /// Number of the chain: the same seed, other random numbers
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Sampling")]
    pub chain: Option<u8>,
    /// Sample at one temperature
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        conflicts_with_all = ["anneal", "schedule"],
        help_heading = "Sampling"
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
    /// Initial labels: argmin, zero, random, or a file (grey picture or .npy) [default: argmin]
    #[arg(long, value_name = "START", help_heading = "Sampling")]
    pub start: Option<PathBuf>,
    /// Leave out labels of weight w where w·C ≤ 2^(p_bits−1)
    #[arg(long, value_name = "C", allow_negative_numbers = true, help_heading = "Sampling")]
    pub cutoff: Option<u8>,

    /// Where to run: cpu, sim, … ('spa devices' lists them) [default: cpu]
    #[arg(long, value_name = "NAME", help_heading = "Machine")]
    pub backend: Option<String>,
    /// Build of spagen: the array of 'sim', and the hardware part of the parameters for every backend
    #[arg(long, value_name = "DIR", help_heading = "Machine")]
    pub build: Option<PathBuf>,
    /// Threads of the cpu backend [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Machine")]
    pub threads: Option<usize>,
    /// Bits of a label (must agree with a build; without one [default: 6, or what the labels need])
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub label_bits: Option<u8>,
    /// Bits of a sample [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub singleton_bits: Option<u8>,
    /// Bits of an energy [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub energy_bits: Option<u8>,
    /// Bits of a probability [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub p_bits: Option<u8>,
    /// Bits of a random number [default: 24]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub u_bits: Option<u8>,
    /// Bits of a counter of the label log [default: 8]
    #[arg(long, value_name = "N", help_heading = "Hardware part (a build fixes it)")]
    pub count_bits: Option<u8>,
    /// Weights from probabilities: pow2 or linear [default: pow2]
    #[arg(long, value_name = "FORM", value_parser = weights, help_heading = "Hardware part (a build fixes it)")]
    pub weights: Option<Weights>,

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
    /// Above this size the histogram is written sparse, as .npz (suffixes K, M, G) [default: 2G]
    #[arg(long, value_name = "SIZE", help_heading = "Output")]
    pub max_memory: Option<Bytes>,
    /// Write mean, variance, entropy, confidence and credible sets of every pixel, for segments boundaries, too
    #[arg(long, help_heading = "Output")]
    pub uncertainty: bool,
    /// Share of the samples that a credible set has, above 0 and at most 1 [default: 0.95]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, help_heading = "Output")]
    pub credible: Option<Share>,
    /// Write a report of the run: one HTML file with pictures, uncertainty, and the histogram of any pixel
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
}

/// A share above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Share(pub f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        if share > 0.0 && share <= 1.0 {
            Ok(Self(share))
        } else {
            Err(format!("'{share}' must be above 0 and at most 1"))
        }
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share: f64 =
            text.parse().map_err(|_| format!("'{text}' must be a number above 0 and at most 1"))?;
        Self::try_from(share)
    }
}

/// T0:T1[:STEPS].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Anneal {
    /// First temperature.
    pub from: f64,
    /// Last temperature.
    pub to: f64,
    /// Steps, if given.
    pub steps: Option<u32>,
}

impl FromStr for Anneal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be T0:T1 or T0:T1:STEPS, as in 20:1:25");
        let mut parts = text.split(':');
        let mut number = || parts.next().and_then(|s| s.trim().parse::<f64>().ok()).ok_or_else(refuse);
        let (from, to) = (number()?, number()?);
        let steps = parts.next().map(|s| s.trim().parse().map_err(|_| refuse())).transpose()?;
        if parts.next().is_some() {
            return Err(refuse());
        }
        Ok(Self { from, to, steps })
    }
}

impl TryFrom<String> for Anneal {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// A number of bytes, as in 2G, 512Mi or 1000000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be a whole number of bytes, as in 2G, 512Mi or 1000000");
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let unit: u64 = match text[digits..].trim().trim_end_matches(['b', 'B']) {
            "" => 1,
            "K" | "k" => 1000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "T" => 1_000_000_000_000,
            "Ki" => 1 << 10,
            "Mi" => 1 << 20,
            "Gi" => 1 << 30,
            "Ti" => 1 << 40,
            _ => return Err(refuse()),
        };
        let number: u64 = text[..digits].parse().map_err(|_| refuse())?;
        number.checked_mul(unit).map(Self).ok_or_else(refuse)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number_or_text(deserializer)
    }
}

fn seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    number_or_text(deserializer).map(|Text(seed)| Some(seed))
}

struct Text(u64);

impl FromStr for Text {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("'{text}' must be 0…2^64−1"))
    }
}

/// TOML integers end at 2^63 − 1; larger ones come as text.
fn number_or_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
    }
    let text = match Either::deserialize(deserializer)? {
        Either::Number(number) => number.to_string(),
        Either::Text(text) => text,
    };
    text.parse().map_err(serde::de::Error::custom)
}

fn weights(text: &str) -> Result<Weights, String> {
    match text {
        "pow2" => Ok(Weights::Pow2),
        "linear" => Ok(Weights::Linear),
        _ => Err("must be pow2 or linear".to_string()),
    }
}

impl RunOptions {
    /// Reads a configuration file: TOML with the names of the options as keys. Its relative paths start at its folder.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; [`Error::Usage`] if it is no TOML, has an unknown key (the nearest known
    /// one is named), a value of the wrong type, or options that exclude each other.
    pub fn from_file(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io("read configuration", path, &e))?;
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
        let mut options: Self = part(text, &table, |key| !of_application(key)).map_err(refuse)?;
        options.application = part(text, &table, of_application).map_err(refuse)?;
        let exclusive = [
            ("temperature", options.temperature.is_some()),
            ("anneal", options.anneal.is_some()),
            ("schedule", options.schedule.is_some()),
        ];
        let given: Vec<&str> = exclusive.iter().filter(|(_, given)| *given).map(|&(name, _)| name).collect();
        if given.len() > 1 {
            return Err(refuse(format!("{} exclude each other; keep one", given.join(" and "))));
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
            burn_in: self.burn_in.or(base.burn_in),
            seed: self.seed.or(base.seed),
            chain: self.chain.or(base.chain),
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
            output: self.output.or(base.output),
            keep_log: self.keep_log.or(base.keep_log),
            formats: self.formats.or(base.formats),
            max_memory: self.max_memory.or(base.max_memory),
            uncertainty: self.uncertainty || base.uncertainty,
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

/// True for the names of [`ApplicationOptions`].
fn of_application(key: &str) -> bool {
    #[derive(Parser)]
    struct Probe {
        #[command(flatten)]
        _options: ApplicationOptions,
    }
    Probe::command().get_arguments().any(|arg| arg.get_long() == Some(key))
}

/// Names of all options, as on the command line without the dashes.
pub fn option_names() -> Vec<String> {
    #[derive(Parser)]
    struct Probe {
        #[command(flatten)]
        _options: RunOptions,
    }
    Probe::command().get_arguments().filter_map(|arg| arg.get_long().map(str::to_string)).collect()
}

fn unknown_key(key: &str, known: &[String]) -> String {
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
            + &toml::from_str::<ApplicationOptions>("nonsense = 1").unwrap_err().to_string();
        for name in option_names() {
            assert!(error.contains(&format!("`{name}`")), "{name} is no key: {error}");
        }
        let fields = error.matches('`').count() / 2 - 2;
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

    #[test]
    fn sizes_and_anneals() {
        assert_eq!("2G".parse(), Ok(Bytes(2_000_000_000)));
        assert_eq!("1KiB".parse(), Ok(Bytes(1024)));
        for bad in ["", "G", "-1", "1.5G", "2X", "99999999999999999999"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        for bad in ["20", "20:", "a:1", "20:1:x", "20:1:2:3", "20:1:-2"] {
            assert!(bad.parse::<Anneal>().is_err(), "{bad}");
        }
    }
}
