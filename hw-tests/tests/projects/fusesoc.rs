//! The core description, with FuseSoC itself.

use crate::known::FAULT;
use crate::{Moved, config, run};
use hw_tests::tool;
use std::path::Path;
use std::process::Command;

/// Name of the core.
const CORE: &str = "spagen:accelerator:spa_accelerator";

/// Whether FuseSoC is there; else says that `test` is skipped.
fn there(test: &str) -> bool {
    let there = tool::find(&["fusesoc"], "--version").is_some();
    if !there {
        tool::skip(test, "fusesoc is not installed (pip install fusesoc)");
    }
    there
}

/// `fusesoc run --target TARGET` of the build, in a work folder below it.
fn fusesoc(build: &Moved, target: &str, more: &[&str]) -> (bool, String) {
    let mut command = Command::new("fusesoc");
    command.args(["--cores-root", ".", "run", "--work-root"]).arg(format!("work-{target}"));
    command.args(["--target", target]);
    // Options of FuseSoC come before the core, parameters of the core behind it.
    if more == ["--setup"] {
        command.args(more).arg(CORE);
    } else {
        command.arg(CORE).args(more);
    }
    run(&mut command, &build.path())
}

#[test]
fn fusesoc_lints_without_warnings() {
    if !there("fusesoc_lints_without_warnings") {
        return;
    }
    let build = Moved::new(&config());
    let (passed, text) = fusesoc(&build, "lint", &[]);
    assert!(passed && !text.contains("%Warning"), "{text}");
    // -Wall is at work: an unused signal is a warning, and a warning an error.
    build.change(
        "fpga/axi/spa_axi.v",
        "  wire unused_bits;\n",
        "  wire unused_bits;\n  wire extra = aresetn;\n",
    );
    let (passed, text) = fusesoc(&build, "lint", &[]);
    assert!(!passed && text.contains("extra"), "{text}");
}

#[test]
fn fusesoc_simulates_the_known_job() {
    if !there("fusesoc_simulates_the_known_job") || tool::find(&["iverilog"], "-V").is_none() {
        return;
    }
    let build = Moved::new(&config());
    let (passed, text) = fusesoc(&build, "sim", &["--Idle", "50", "--Seed", "9"]);
    assert!(passed && text.contains("spa_tb: done"), "{text}");
    let (file, from, to) = FAULT;
    build.change(file, from, to);
    let (passed, text) = fusesoc(&build, "sim", &[]);
    assert!(!passed && text.contains("is missing"), "{text}");
}

#[test]
fn fusesoc_sets_up_synthesis() {
    if !there("fusesoc_sets_up_synthesis") {
        return;
    }
    let build = Moved::new(&config());
    let made = |target: &str, file: &str| {
        let folder = build.path().join(format!("work-{target}"));
        let name = format!("spagen_accelerator_spa_accelerator_{}{file}", env!("CARGO_PKG_VERSION"));
        std::fs::read_to_string(Path::new(&folder).join(name)).unwrap()
    };
    for target in ["ecp5", "ulx3s", "xilinx"] {
        let (passed, text) = fusesoc(&build, target, &["--setup"]);
        assert!(passed, "{target}: {text}");
    }
    let ecp5 = made("ecp5", ".eda.yml");
    assert!(ecp5.contains("rtl/spa_top.sv") && ecp5.contains("toplevel: spa_accelerator"), "{ecp5}");
    let ulx3s = made("ulx3s", ".eda.yml");
    assert!(ulx3s.contains("hw/spa_serial_bridge.sv") && ulx3s.contains("toplevel: spa_ulx3s"), "{ulx3s}");
    let xilinx = made("xilinx", ".tcl");
    assert!(xilinx.contains("xc7z020clg400-1") && xilinx.contains("fpga/axi/spa_axi.v"), "{xilinx}");
}
