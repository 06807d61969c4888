//! `reports/synth.json`: the last result of every flow over the sources as they are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use spa_model::hash::sha256_hex;

use super::{Asic, Flow, Synthesis};
use crate::build::Build;
use crate::error::Error;

/// Path in the build folder.
pub const STORE: &str = "reports/synth.json";

/// What the file holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Store {
    /// Hash of the configuration.
    config_hash: String,
    /// SHA-256 over names and contents of the sources that were synthesised.
    rtl: String,
    /// By name of the flow.
    flows: BTreeMap<String, Synthesis>,
    /// By name of the cell library.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    asic: BTreeMap<String, Asic>,
}

impl Store {
    /// Reads the results of other flows; those of other sources are forgotten.
    ///
    /// # Errors
    /// If a source or the file cannot be read, or the file is damaged.
    pub(super) fn open(build: &Build) -> Result<Self, Error> {
        let empty = Self {
            config_hash: build.config_hash().to_owned(),
            rtl: fingerprint(build)?,
            flows: BTreeMap::new(),
            asic: BTreeMap::new(),
        };
        let path = build.folder().join(STORE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(empty),
            Err(error) => return Err(Error::io("read", path, &error)),
        };
        let store: Self = serde_json::from_str(&text).map_err(|error| Error::Io {
            action: "read",
            path,
            cause: format!("{error}; remove it, and the results of other flows with it"),
        })?;
        Ok(if store.rtl == empty.rtl && store.config_hash == empty.config_hash { store } else { empty })
    }

    /// Writes the file anew with the result of a flow: the old file stays until the new one is complete.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn put(mut self, folder: &Path, flow: Flow, result: Synthesis) -> Result<(), Error> {
        self.flows.insert(flow.name().to_owned(), result);
        replace(&folder.join(STORE), &self)
    }

    /// The same for a cell library.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn put_asic(mut self, folder: &Path, result: Asic) -> Result<(), Error> {
        self.asic.insert(result.library.clone(), result);
        replace(&folder.join(STORE), &self)
    }
}

/// Writes `value` as JSON; the old file stays until the new one is complete.
///
/// # Errors
/// If writing fails.
pub(super) fn replace(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let partial = path.with_extension(format!("json.{}", std::process::id()));
    let text = serde_json::to_string_pretty(value).map_err(|error| Error::Io {
        action: "write",
        path: path.to_owned(),
        cause: error.to_string(),
    })?;
    let written = fs::write(&partial, text + "\n").and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        Error::io("write", path, &error)
    })
}

/// SHA-256 over the sources as they are, edited or not.
pub(super) fn fingerprint(build: &Build) -> Result<String, Error> {
    let mut text = String::new();
    for file in build.rtl_sources()? {
        let bytes = fs::read(&file).map_err(|error| Error::io("read", &file, &error))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{}  {name}\n", sha256_hex(&bytes));
    }
    Ok(sha256_hex(text.as_bytes()))
}
