//! The configuration of a build, and how it comes from a preset, a TOML file and options.

mod draft;
mod fit;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::Path;

use spa_model::hash::sha256_hex;
use spa_model::{ArrayShape, Hardware};

pub use draft::Draft;

use crate::parameters::{PARAMETERS, Value, count_text};

/// Version of the numeric contract (docs/contract.md) that this generator implements.
pub const CONTRACT: u32 = 1;

/// A checked configuration: every value is legal, alone and together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Widths that change bits.
    pub hardware: Hardware,
    /// Shape and capacities.
    pub array: ArrayShape,
    /// SPDX licence expression for generated files.
    pub license: String,
}

impl Config {
    /// All parameters as a flat TOML table that [`Draft`] reads back, in the order of [`PARAMETERS`].
    #[must_use]
    pub fn to_toml(&self) -> String {
        self.text(|_| true)
    }

    /// What [`Config::hash`] hashes: contract version and every parameter that changes the hardware.
    #[must_use]
    pub fn canonical(&self) -> String {
        format!("contract = {CONTRACT}\n{}", self.text(|name| name != "license"))
    }

    /// SHA-256 of the canonical text, lower-case hex; the RTL carries it in `CONFIG_HASH_0…3`.
    #[must_use]
    pub fn hash(&self) -> String {
        sha256_hex(self.canonical().as_bytes())
    }

    fn text(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut text = String::new();
        for parameter in PARAMETERS.iter().filter(|parameter| wanted(parameter.name)) {
            let Some(get) = parameter.get else { continue };
            // Younger than the format: builds without it keep their text and hash.
            if parameter.name == "edge_weights" && !self.array.edge_weights {
                continue;
            }
            // Writing into a String cannot fail.
            let _ = match get(self) {
                Value::Text(word) => writeln!(text, "{} = \"{word}\"", parameter.name),
                value => writeln!(text, "{} = {value}", parameter.name),
            };
        }
        text
    }

    /// The shortest command that generates this configuration, in the folder `build`.
    #[must_use]
    pub fn command(&self) -> String {
        self.command_into(Path::new("build"))
    }

    /// The shortest command that generates this configuration in `folder`.
    #[must_use]
    pub fn command_into(&self, folder: &Path) -> String {
        let array = &self.array;
        let mut command = format!(
            "spagen --grid {}x{} --spu {} --rvs {}",
            array.rows,
            array.cols,
            array.spus,
            count_text(u64::from(array.rv_capacity) * u64::from(array.spes()))
        );
        let mut draft = Draft::new();
        let origin = "command";
        draft.set(origin, "grid", &format!("{}x{}", array.rows, array.cols));
        draft.set(origin, "spus", &array.spus.to_string());
        draft.set(origin, "rv_capacity", &array.rv_capacity.to_string());
        let base = draft.resolve();
        let settings = self.settings();
        for parameter in PARAMETERS {
            let Some(get) = parameter.get else { continue };
            let value = get(self);
            if value != get(&base) && settings.contains_key(parameter.name) {
                let quote = if matches!(&value, Value::Text(word) if word.contains(' ')) { "'" } else { "" };
                let _ = write!(command, " --set {quote}{}={value}{quote}", parameter.name);
            }
        }
        let folder = folder.display().to_string();
        let quote = if folder.contains(|c: char| c.is_whitespace()) { "'" } else { "" };
        command + &format!(" -o {quote}{folder}{quote}")
    }

    /// RVs of the whole array.
    #[must_use]
    pub fn rvs(&self) -> u64 {
        u64::from(self.array.rv_capacity) * u64::from(self.array.spes())
    }

    /// Bits of a log message.
    #[must_use]
    pub fn message_bits(&self) -> u32 {
        self.array.message_bits(&self.hardware)
    }
}
