//! The accelerator with a synthesizable memory that is written in rust-hdl, exported to Verilog, and Verilated
//! together with the array: loads, runs, reads the log, and agrees with the CPU.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod card;
mod memory;

use card::HdlCard;
use hw_tests::job::{Application, Evidence, JobSpec};
use hw_tests::{builds, cosim};
use spa_runtime::card::accelerator::{Accelerator, Design, DriverOptions};
use spagen::{Build, tools};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles accelerator, memory and pins into a shared library.
fn compile(build: &Build) -> PathBuf {
    let folder = builds::target_folder().unwrap().join("hw-tests/rusthdl");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("memory.v"), memory::verilog()).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("rusthdl");
    let verilator = tools::verilator().unwrap();
    let run = |command: &mut Command| {
        let output = command.current_dir(&folder).env_remove("MAKEFLAGS").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}\n{text}");
        text.into_owned()
    };
    // rust-hdl's own Verilog has width warnings; ours is linted elsewhere. Packaged Verilators do not know how the
    // compiler takes a precompiled header.
    run(Command::new(verilator.command())
        .args([
            "--cc",
            "--build",
            "-j",
            "2",
            "--prefix",
            "Vcard",
            "--top-module",
            "card",
            "-Wno-fatal",
            "-Wno-lint",
        ])
        .args(["-Wno-style", "-O3", "--no-timing", "--output-split", "12000", "-CFLAGS", "-O1 -fPIC"])
        .args(["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include", "--Mdir", "obj", "-F"])
        .arg(build.folder().join("rtl/files.f"))
        .arg("memory.v")
        .arg(sources.join("card.sv")));
    let root = run(Command::new(verilator.command()).args(["--getenv", "VERILATOR_ROOT"]));
    let include = format!("{}/include", root.trim());
    run(Command::new("g++")
        .args(["-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Iobj"])
        .arg(format!("-I{include}"))
        .arg(format!("-I{include}/vltstd"))
        .arg(sources.join("card.cpp"))
        .args(["obj/libVcard.a", "obj/libverilated.a", "-pthread", "-o", "libcard.so"]));
    folder.join("libcard.so")
}

#[test]
fn a_memory_in_rust_hdl_agrees_with_the_cpu() {
    let config =
        builds::config(&["grid=1x2", "spus=2", "count_bits=3", "line_bits=128", "rv_capacity=256"]).unwrap();
    let library = compile(&builds::build(&config).unwrap());
    let design =
        Design { shape: config.array.clone(), hardware: config.hardware, config_hash: config.hash() };
    let options = DriverOptions { ring_lines: 64, ..DriverOptions::default() };
    let mut accelerator = Accelerator::open(HdlCard::open(&library), design, options).unwrap();
    let stereo = JobSpec::new(Application::Stereo { dmin: 0 }, 29, 13, 7);
    for spec in [
        stereo.clone(),
        JobSpec { evidence: Evidence::TileEdges, burn_in: 0, iterations: 20, ..stereo },
        JobSpec::new(Application::Segment, 31, 11, 3),
    ] {
        let job = spec.job(&config.hardware, &config.array).unwrap();
        let expected = spa_model::spec::run(&job).unwrap();
        let report = accelerator.run(&job, &mut |_| true).unwrap();
        cosim::compare(&job, &expected, &report.outcome).unwrap();
    }
}
