//! Builds for tests: generated once for each configuration, kept below the cargo target folder.

use anyhow::{Context as _, Result};
use spa_model::hash::sha256_hex;
use spagen::{Build, Config, Draft, emit, output};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A configuration from `name=value` settings over small capacities, so that builds compile quickly.
///
/// # Errors
/// What is wrong with the settings.
pub fn config(settings: &[&str]) -> Result<Config> {
    let mut draft = Draft::new();
    let mut defaults = vec![
        ("rv_capacity", "1024"),
        ("s2_capacity", "4096"),
        ("tile_width_max", "64"),
        ("tile_height_max", "64"),
    ];
    defaults.retain(|(name, _)| !settings.iter().any(|setting| setting.starts_with(&format!("{name}="))));
    for (name, value) in defaults {
        draft.set("test", name, value);
    }
    for setting in settings {
        draft.assign("test", setting);
    }
    Ok(draft.finish()?)
}

/// The cargo target folder that the running program was built into.
///
/// # Errors
/// If the program is not in one.
pub fn target_folder() -> Result<PathBuf> {
    let program = std::env::current_exe().context("failed to find the running program")?;
    let is_target = |folder: &&Path| folder.join("CACHEDIR.TAG").is_file();
    let folder =
        program.ancestors().find(is_target).context("the program is not in a cargo target folder")?;
    Ok(folder.to_path_buf())
}

/// Generates `config` into the cache, unless it is there as it would be generated now.
///
/// # Errors
/// If rendering or writing fails.
pub fn build(config: &Config) -> Result<Build> {
    static GENERATING: Mutex<()> = Mutex::new(());
    let _guard = GENERATING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = target_folder()?.join("hw-tests").join(&config.hash()[..12]);
    output::write(&folder, &emit::render(config)?, true)?;
    Ok(Build::open(&folder)?)
}

/// Runs `make` unless `product` was made in `folder` from `sources` as they are now.
///
/// # Errors
/// If a source or the folder cannot be read or written.
pub fn when_changed(folder: &Path, product: &Path, sources: &[PathBuf], make: impl FnOnce()) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut text = String::new();
    for source in sources {
        let bytes =
            std::fs::read(source).with_context(|| format!("failed to read '{}'", source.display()))?;
        text += &(sha256_hex(&bytes) + "\n");
    }
    let (key, stamp) = (sha256_hex(text.as_bytes()), folder.join("stamp"));
    if !product.exists() || std::fs::read_to_string(&stamp).map_or(true, |text| text != key) {
        make();
        std::fs::write(stamp, key)?;
    }
    Ok(())
}
