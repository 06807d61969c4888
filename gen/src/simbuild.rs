//! Compiles the simulated card: the Makefile in the build's `sim` folder, run when it is needed and once at a time.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

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

/// Gives the simulated card of `build`, compiling it if it is missing or made from other sources or by another
/// Verilator. Two processes wait for each other. `notice` hears that a compilation begins.
///
/// # Errors
/// [`Error::Tool`] if Verilator, make or a C++ compiler is missing or fails (with the end of the log and its path),
/// [`Error::Io`] if the folder cannot be written.
pub fn library(build: &Build, notice: &mut dyn FnMut(&str)) -> Result<SimLibrary, Error> {
    let folder = build.folder().join("sim");
    let path = folder.join(LIBRARY);
    let compiler = compiler();
    let verilator = tools::verilator()?;
    let stamp = stamp(build, &folder, verilator.version(), &compiler)?;
    let current = || {
        path.is_file() && fs::read_to_string(folder.join(STAMP)).is_ok_and(|text| text.trim_end() == stamp)
    };
    if current() {
        return Ok(SimLibrary { path, seconds: None });
    }
    let lock_path = folder.join(LOCK);
    let lock = File::create(&lock_path).map_err(|error| Error::io("create", &lock_path, &error))?;
    lock.lock().map_err(|error| Error::io("lock", &lock_path, &error))?;
    // Another process may have been quicker.
    if current() {
        return Ok(SimLibrary { path, seconds: None });
    }
    notice(&format!("compiling the simulated card in {}", folder.display()));
    let started = Instant::now();
    let stamp_path = folder.join(STAMP);
    // A failed compilation must not leave the stamp of an older library.
    if let Err(error) = fs::remove_file(&stamp_path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(Error::io("remove", &stamp_path, &error));
    }
    make(&folder, verilator.command(), &compiler)?;
    fs::write(&stamp_path, stamp + "\n").map_err(|error| Error::io("write", &stamp_path, &error))?;
    Ok(SimLibrary { path, seconds: Some(started.elapsed().as_secs_f64()) })
}

/// Hash of everything that the library is made from.
fn stamp(build: &Build, folder: &Path, verilator: &str, compiler: &str) -> Result<String, Error> {
    let mut files = build.rtl_sources()?;
    files.extend(["spa_sim.cpp", "spa_sim.h", "Makefile"].map(|name| folder.join(name)));
    let mut text = format!("verilator {verilator}\ncompiler {compiler}\n");
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
