//! An existing build folder, opened for use.

use std::path::{Path, PathBuf};

use spa_model::hash::sha256_hex;
use spa_model::{ArrayShape, Hardware};

use crate::config::{CONTRACT, Config, Draft};
use crate::error::{Error, plain};
use crate::manifest::{MANIFEST, Manifest};
use crate::regmap;

/// A build folder whose manifest has been read and checked.
///
/// ```no_run
/// let build = spagen::Build::open("build".as_ref())?;
/// println!("{} SPEs, hash {}", build.array().spes(), build.config_hash());
/// # Ok::<(), spagen::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Build {
    folder: PathBuf,
    manifest: Manifest,
    config: Config,
}

impl Build {
    /// Opens the build in `folder`.
    ///
    /// # Errors
    /// [`Error::Open`] if there is none, or it is damaged, or another version of contract or register map made it.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let fail = |cause: String| Error::Open { path: folder.to_owned(), cause };
        let text = std::fs::read_to_string(folder.join(MANIFEST)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let what =
                    if folder.is_dir() { "it has no manifest.toml" } else { "there is no such folder" };
                fail(format!(
                    "{what}; generate a build with 'spagen --spe 16 --spu 2 -o {}'",
                    folder.display()
                ))
            }
            _ => fail(format!("manifest.toml: {}", plain(&error))),
        })?;
        let damaged = |cause: String| fail(format!("manifest.toml is damaged: {cause}"));
        let manifest = Manifest::parse(&text).map_err(|cause| {
            if cause.starts_with("manifest format") { fail(cause) } else { damaged(cause) }
        })?;
        if manifest.contract != CONTRACT {
            return Err(fail(format!(
                "it follows contract {}, this program {CONTRACT}; generate it again",
                manifest.contract
            )));
        }
        let major = manifest.abi.split('.').next().and_then(|major| major.parse().ok());
        if major != Some(regmap::ABI_MAJOR) {
            return Err(fail(format!(
                "its register map is {}, this program knows {}.{}; generate it again",
                manifest.abi,
                regmap::ABI_MAJOR,
                regmap::ABI_MINOR
            )));
        }
        let config = Draft::parse(&manifest.config.to_string(), MANIFEST)
            .map_err(|errors| damaged(errors.to_string().replace('\n', "; ")))?;
        if config.hash() != manifest.config_hash {
            return Err(damaged(format!(
                "its configuration has hash {}, but config_hash is {}",
                config.hash(),
                manifest.config_hash
            )));
        }
        Ok(Self { folder: folder.to_owned(), manifest, config })
    }

    /// The folder as given to [`Build::open`].
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The whole configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Widths that change bits.
    #[must_use]
    pub fn hardware(&self) -> &Hardware {
        &self.config.hardware
    }

    /// Shape and capacities.
    #[must_use]
    pub fn array(&self) -> &ArrayShape {
        &self.config.array
    }

    /// SHA-256 of the configuration, as in the registers `CONFIG_HASH_0…3`.
    #[must_use]
    pub fn config_hash(&self) -> &str {
        &self.manifest.config_hash
    }

    /// Version of spagen that generated it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.manifest.version
    }

    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// SHA-256 over names and hashes of the files under `prefix` (such as `rtl/`) as generated: a key for whatever
    /// is compiled from them.
    #[must_use]
    pub fn fingerprint(&self, prefix: &str) -> String {
        let files = self.manifest.files.iter().filter(|(path, _)| path.starts_with(prefix));
        let text: String = files.map(|(path, hash)| format!("{hash}  {path}\n")).collect();
        sha256_hex(text.as_bytes())
    }

    /// Owned files that are missing or differ from what was generated, sorted.
    #[must_use]
    pub fn modified(&self) -> Vec<String> {
        let differs = |(path, hash): &(&String, &String)| {
            std::fs::read(self.folder.join(path)).map_or(true, |bytes| sha256_hex(&bytes) != **hash)
        };
        self.manifest.files.iter().filter(differs).map(|(path, _)| path.clone()).collect()
    }

    /// Absolute or relative paths of the RTL sources in compile order (`rtl/files.f`).
    ///
    /// # Errors
    /// [`Error::Open`] if the list cannot be read.
    pub fn rtl_sources(&self) -> Result<Vec<PathBuf>, Error> {
        let list = self.folder.join("rtl/files.f");
        let text = std::fs::read_to_string(&list).map_err(|error| Error::Open {
            path: self.folder.clone(),
            cause: format!("rtl/files.f: {}; generate the build again", plain(&error)),
        })?;
        let names = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        Ok(names.map(|name| self.folder.join("rtl").join(name)).collect())
    }
}
