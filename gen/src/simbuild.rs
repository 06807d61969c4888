//! Compiles the simulated card: the Makefile in the build's `sim` folder, run when it is needed and once at a time.

use std::fmt;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use spa_model::hash::sha256_hex;

use crate::build::Build;
use crate::error::{Error, plain};
use crate::tools;

/// Library of the simulated card, in the `sim` folder.
pub const LIBRARY: &str = "libspa_sim.so";
const LOG: &str = "compile.log";
const STAMP: &str = "libspa_sim.stamp";
const LOCK: &str = "compile.lock";
/// Lines of the log that an error shows.
const TAIL: usize = 15;

/// A compiled simulated card.
#[derive(Debug, Clone, PartialEq)]
pub struct SimLibrary {
    /// Path of the shared library.
    pub path: PathBuf,
    /// Seconds of compilation; none if the library was there.
    pub seconds: Option<f64>,
}

/// What the stamp beside a library says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    /// Verilator that made it.
    verilator: String,
    /// Compiler that made it.
    compiler: String,
    /// SHA-256 over names and hashes of everything that it was made from.
    sources: String,
    /// SHA-256 of the library itself.
    library: String,
}

/// Whether the library of a build can be used as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is what was compiled from the sources as they are now.
    Current,
    /// It is not what was compiled: cut off, damaged or replaced.
    Damaged,
    /// There is none, or nobody knows what it was made from.
    Missing,
    /// It was made from other sources.
    Outdated,
    /// It was made by a Verilator that is refused now.
    Untrusted,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "its library is up to date",
            Self::Damaged => "its library is damaged",
            Self::Missing => "it was not compiled yet",
            Self::Outdated => "its sources have changed",
            Self::Untrusted => "it was compiled by a Verilator that is too old",
        })
    }
}

/// Whether the library in `build` can be used as it is. Looks at files only: no tool is needed.
///
/// # Errors
/// [`Error::Open`] or [`Error::Io`] if a source is missing or cannot be read.
pub fn state(build: &Build) -> Result<State, Error> {
    let folder = build.folder().join("sim");
    let sources = sources(build, &folder)?;
    let Some(stamp) = read_stamp(&folder) else { return Ok(State::Missing) };
    let path = folder.join(LIBRARY);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(State::Missing),
        Err(error) => return Err(Error::io("read", &path, &error)),
    };
    Ok(if stamp.sources != sources {
        State::Outdated
    } else if sha256_hex(&bytes) != stamp.library {
        // Checked before it is loaded: a library that is cut off ends the whole program.
        State::Damaged
    } else if tools::is_too_old(&stamp.verilator) {
        State::Untrusted
    } else {
        State::Current
    })
}

/// Gives the simulated card of `build`, compiling it if it is missing, damaged or made from other sources. A library that
/// is up to date needs neither Verilator nor a compiler. Two processes wait for each other. `notice` hears of files that
/// were edited since they were generated, and that a compilation begins and why.
///
/// # Errors
/// [`Error::Tool`] if Verilator, make or a C++ compiler is missing or fails (with the end of the log and its path),
/// [`Error::Open`] if a source is missing, [`Error::Io`] if the folder cannot be written.
pub fn library(build: &Build, notice: &mut dyn FnMut(&str)) -> Result<SimLibrary, Error> {
    check_edited(build, notice)?;
    let folder = build.folder().join("sim");
    let path = folder.join(LIBRARY);
    if state(build)? == State::Current {
        return Ok(SimLibrary { path, seconds: None });
    }
    let lock_path = folder.join(LOCK);
    let lock = File::create(&lock_path).map_err(|error| Error::io("create", &lock_path, &error))?;
    lock.lock().map_err(|error| Error::io("lock", &lock_path, &error))?;
    // Another process may have been quicker.
    let state = state(build)?;
    if state == State::Current {
        return Ok(SimLibrary { path, seconds: None });
    }
    let verilator = tools::verilator().map_err(|error| match error {
        Error::Tool { tool, cause } => {
            let cause = format!("{cause} (the simulated card in '{}': {state})", folder.display());
            Error::Tool { tool, cause }
        }
        other => other,
    })?;
    let compiler = compiler();
    notice(&format!("compiling the simulated card in {}: {state}", folder.display()));
    let started = Instant::now();
    let stamp_path = folder.join(STAMP);
    // A failed compilation must not leave the stamp of an older library, and make cannot see what is wrong with that.
    remove(&stamp_path)?;
    if state != State::Missing {
        remove(&path)?;
    }
    make(&folder, verilator.command(), &compiler)?;
    let bytes = fs::read(&path).map_err(|error| Error::io("read", &path, &error))?;
    let stamp = Stamp {
        verilator: verilator.version().to_owned(),
        compiler,
        sources: sources(build, &folder)?,
        library: sha256_hex(&bytes),
    };
    let text = toml::to_string(&stamp).map_err(|error| Error::Io {
        action: "write",
        path: stamp_path.clone(),
        cause: error.to_string(),
    })?;
    fs::write(&stamp_path, text).map_err(|error| Error::io("write", &stamp_path, &error))?;
    Ok(SimLibrary { path, seconds: Some(started.elapsed().as_secs_f64()) })
}

/// Tells of sources that are not what the manifest lists: they are simulated as they are, but that is not the build that was
/// generated.
fn check_edited(build: &Build, notice: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let changed = build.modified();
    let sources =
        changed.iter().filter(|path| ["rtl/", "sim/"].iter().any(|prefix| path.starts_with(prefix)));
    let (edited, missing): (Vec<&str>, Vec<&str>) =
        sources.map(String::as_str).partition(|path| build.folder().join(path).exists());
    let command = build.config().command_into(build.folder());
    if !missing.is_empty() {
        let cause = format!("{} is missing; generate it again with '{command}'", missing.join(", "));
        return Err(Error::Open { path: build.folder().to_owned(), cause });
    }
    if !edited.is_empty() {
        notice(&format!(
            "warning: build '{}' was edited since it was generated: {}; what is simulated is the edited design ('{command} \
             --force' restores the files)",
            build.folder().display(),
            edited.join(", ")
        ));
    }
    Ok(())
}

fn read_stamp(folder: &Path) -> Option<Stamp> {
    toml::from_str(&fs::read_to_string(folder.join(STAMP)).ok()?).ok()
}

fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Hash of everything that the library is made from.
fn sources(build: &Build, folder: &Path) -> Result<String, Error> {
    let mut files = build.rtl_sources()?;
    files.extend(["spa_sim.cpp", "spa_sim.h", "Makefile"].map(|name| folder.join(name)));
    let mut text = String::new();
    for file in files {
        let bytes = fs::read(&file).map_err(|error| Error::io("read", &file, &error))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{} {name}\n", sha256_hex(&bytes));
    }
    Ok(sha256_hex(text.as_bytes()))
}

/// The C++ compiler: `$CXX`, else g++, else clang++.
pub(crate) fn compiler() -> String {
    if let Ok(name) = std::env::var("CXX")
        && !name.is_empty()
    {
        return name;
    }
    let found = |name: &&str| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    ["g++", "clang++"].iter().find(|name| found(name)).unwrap_or(&"g++").to_string()
}

/// Runs the Makefile; everything that it says goes to the log.
fn make(folder: &Path, verilator: &Path, compiler: &str) -> Result<(), Error> {
    let log_path = folder.join(LOG);
    let mut log = File::create(&log_path).map_err(|error| Error::io("create", &log_path, &error))?;
    let jobs = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
    // The first line names the command, for whoever reads the log.
    let _ = writeln!(log, "make -j{jobs} VERILATOR='{}' CXX='{compiler}'", verilator.display());
    let (out, err) = match (log.try_clone(), log.try_clone()) {
        (Ok(out), Ok(err)) => (out, err),
        (Err(error), _) | (_, Err(error)) => return Err(Error::io("write", &log_path, &error)),
    };
    let status = Command::new("make")
        .arg(format!("-j{jobs}"))
        .arg(format!("VERILATOR={}", verilator.display()))
        .arg(format!("CXX={compiler}"))
        .current_dir(folder)
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .status()
        .map_err(|error| Error::Tool {
            tool: "make",
            cause: format!("{}; install it ('apt-get install make g++')", plain(&error)),
        })?;
    if status.success() {
        return Ok(());
    }
    let text = fs::read_to_string(&log_path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL)..].join("\n  ");
    Err(Error::Compile { log: log_path, tail })
}
