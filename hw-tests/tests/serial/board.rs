//! The board under Verilator as a process with a pseudo-terminal.

use hw_tests::builds;
use spagen::{Build, Config, tools};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Folder of the project in a build.
pub const PROJECT: &str = "fpga/ulx3s";
/// Clocks of a bit: few, so that the line does not take most of the simulation's time.
const CLOCKS_PER_BIT: u32 = 4;
const CLOCK_MHZ: u32 = 75;

/// The build of these tests: counters of 3 bits saturate soon, so that the log is long.
pub fn config() -> Config {
    builds::config(&[
        "grid=1x2",
        "spus=2",
        "count_bits=3",
        "rv_capacity=512",
        "s2_capacity=1024",
        "line_bits=128",
    ])
    .unwrap()
}

/// The build, generated.
pub fn build() -> Build {
    builds::build(&config()).unwrap()
}

/// Folder of the stand-ins.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("serial")
}

/// SystemVerilog of the project beside the core's, the top last.
pub fn verilog(build: &Build) -> Vec<PathBuf> {
    let project = build.folder().join(PROJECT);
    let names = ["spa_uart_rx", "spa_uart_tx", "spa_serial_bridge", "spa_serial_memory", "spa_serial_card"];
    let mut files: Vec<PathBuf> = names.iter().map(|name| project.join(format!("hw/{name}.sv"))).collect();
    files.push(sources().join("EHXPLLL.sv"));
    files.push(project.join("spa_ulx3s.sv"));
    files
}

/// Compiles the program, unless it is there and its sources are what they were.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let build = build();
            let folder = builds::target_folder().unwrap().join("hw-tests/serial");
            let mut files = build.rtl_sources().unwrap();
            files.extend(verilog(&build));
            files.push(sources().join("board.cpp"));
            let program = folder.join("obj/board");
            builds::when_changed(&folder, &program, &files, || compile(&folder, &files)).unwrap();
            program
        })
        .clone()
}

fn compile(folder: &Path, files: &[PathBuf]) {
    let baud = CLOCK_MHZ * 1_000_000 / CLOCKS_PER_BIT;
    let output = Command::new(tools::verilator().unwrap().command())
        .args([
            "--cc",
            "--exe",
            "--build",
            "-j",
            "2",
            "--prefix",
            "Vboard",
            "--top-module",
            "spa_ulx3s",
            "-O3",
        ])
        .args([
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
            "--no-timing",
            "--output-split",
            "12000",
            "-o",
            "board",
        ])
        .args([format!("-GBaud={baud}"), format!("-GClockMhz={CLOCK_MHZ}")])
        .args([
            "-GResetBits=8",
            "-GTimeoutBits=19",
            "-MAKEFLAGS",
            "CFG_CXXFLAGS_PCH_I=-include",
            "--Mdir",
            "obj",
        ])
        .args(["-CFLAGS".to_owned(), format!("-std=c++20 -O1 -DCLOCKS_PER_BIT={CLOCKS_PER_BIT}")])
        .args(files)
        .current_dir(folder)
        .env_remove("MAKEFLAGS")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

/// A board that works until it is dropped.
#[derive(Debug)]
pub struct Board {
    process: Child,
    /// Its terminal.
    pub port: PathBuf,
}

impl Board {
    /// Starts a board with settings of board.cpp.
    pub fn new(settings: &[&str]) -> Self {
        let mut process = Command::new(program())
            .args(settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, port: PathBuf::from(line.trim_end()) }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // It ends with its standard input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
