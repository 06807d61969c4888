//! `manifest.toml`: what a build is, and which files belong to it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// Name of the manifest in a build folder.
pub const MANIFEST: &str = "manifest.toml";
/// Version of the manifest's own layout.
pub const FORMAT: u32 = 1;

/// The manifest as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Layout of this file.
    pub format: u32,
    /// Version of spagen that wrote it.
    pub version: String,
    /// Version of the numeric contract.
    pub contract: u32,
    /// Version of the register map, `major.minor`.
    pub abi: String,
    /// SHA-256 of the canonical configuration.
    pub config_hash: String,
    /// Command that generates the build again.
    pub command: String,
    /// Every parameter.
    pub config: toml::Table,
    /// SHA-256 of every file of the build, by path with `/`; the manifest itself is not among them.
    pub files: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads a manifest; refuses one that is damaged or has paths that leave the folder.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: Option<u32>,
            version: Option<String>,
        }
        let head: Head = toml::from_str(text).map_err(|error| one_line(&error))?;
        match head.format {
            Some(FORMAT) => {}
            Some(format) => {
                let version = head.version.unwrap_or_else(|| "of an unknown version".to_owned());
                return Err(format!(
                    "manifest format is {format}, this program reads {FORMAT}; generate the build again with spagen {} (it was made by spagen {version})",
                    env!("CARGO_PKG_VERSION")
                ));
            }
            None => return Err("no 'format' in the manifest".to_owned()),
        }
        let manifest: Self = toml::from_str(text).map_err(|error| one_line(&error))?;
        if let Some(path) = manifest.files.keys().find(|path| !is_inside(path)) {
            return Err(format!("manifest names a file outside the build: '{path}'"));
        }
        Ok(manifest)
    }
}

/// A relative path of plain names.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().replace('\n', " ")
}
