//! Projects for other tools that every build holds (docs/projects.md): FuseSoC, cocotb, SystemRDL. Each test moves the
//! build first, and is skipped by name where its tool is missing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod cocotb;
mod fusesoc;
mod known;
mod registers;
mod vivado;

use hw_tests::builds;
use spagen::{Config, emit, output, tools};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two SPEs of two SPUs: small, with a tile border and two lanes.
fn config() -> Config {
    builds::config(&[
        "grid=1x2",
        "spus=2",
        "count_bits=3",
        "rv_capacity=256",
        "s2_capacity=512",
        "line_bits=128",
    ])
    .unwrap()
}

/// A build that was moved after it had been written; it goes with the folder.
struct Moved {
    folder: tempfile::TempDir,
}

impl Moved {
    fn new(config: &Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("made");
        output::write(&made, &emit::render(config).unwrap(), false).unwrap();
        std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
        let moved = Self { folder };
        std::fs::rename(made, moved.path()).unwrap();
        moved
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("elsewhere/b")
    }

    /// Replaces `from`, which must be there once, in a file.
    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
        std::fs::write(path, text.replace(from, to)).unwrap();
    }
}

/// Runs a command in `folder` with our Verilator on PATH; gives whether it succeeded, and what it said.
fn run(command: &mut Command, folder: &Path) -> (bool, String) {
    let mut path = OsString::new();
    if let Ok(verilator) = tools::verilator() {
        path.push(verilator.command().parent().unwrap());
        path.push(":");
    }
    path.push(std::env::var_os("PATH").unwrap());
    let output = command.current_dir(folder).env("PATH", path).env_remove("MAKEFLAGS").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text.into_owned())
}
