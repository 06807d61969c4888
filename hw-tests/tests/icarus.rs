//! The same small run under Icarus Verilog, an independent simulator, with the testbench that every build has.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::job::{Application, Evidence, JobSpec};
use hw_tests::{builds, cosim, tool};
use spa_model::message::MessageFormat;
use spa_model::placement::{self, Target};
use spa_model::{Histogram, Outcome, Tiling};
use spa_runtime::card::{Buffer, registers as reg};
use spagen::runs::{self, Buffers};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Lines of the ring: the whole log must fit.
const RING_LINES: usize = 1024;

fn hex_lines(bytes: &[u8], line_bytes: usize) -> String {
    let mut text = String::new();
    for line in bytes.chunks(line_bytes) {
        for byte in line.iter().rev() {
            write!(text, "{byte:02x}").unwrap();
        }
        text.push('\n');
    }
    text
}

/// Bytes of memory; unknown bits, which only the labels of padding may have, become 0.
fn bytes_of_hex(text: &str) -> Vec<u8> {
    let lines = text.lines().filter(|line| !line.starts_with("//"));
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap_or(0);
    lines.flat_map(|line| line.trim().as_bytes().chunks(2).rev().map(byte).collect::<Vec<u8>>()).collect()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text.into_owned()
}

#[test]
fn icarus_gives_the_same_hashes() {
    let Some(iverilog) = tool::find(&["iverilog"], "-V") else {
        return tool::skip("icarus_gives_the_same_hashes", "iverilog is not installed");
    };
    let config =
        builds::config(&["grid=1x2", "spus=2", "count_bits=3", "rv_capacity=128", "s2_capacity=512"])
            .unwrap();
    let build = builds::build(&config).unwrap();
    let spec = JobSpec {
        evidence: Evidence::TileEdges,
        iterations: 6,
        burn_in: 2,
        ..JobSpec::new(Application::Stereo { dmin: 0 }, 13, 9, 5)
    };
    let job = spec.job(&config.hardware, &config.array).unwrap();
    let tiling = Tiling::new(&config.array, &job).unwrap();

    // Memory: load records, ring, labels, one after the other from address 0.
    let line = config.array.line_bits as usize / 8;
    let mut records = placement::load_records(&config.array, &tiling, &job);
    let nop = placement::record(Target::Nop, placement::ALL_SPES, 0, 0);
    records.resize(records.len().next_multiple_of(line / 8), nop);
    let mut memory: Vec<u8> = records.iter().flat_map(|record| record.to_le_bytes()).collect();
    let load = Buffer { address: 0, bytes: memory.len() };
    let ring = Buffer { address: memory.len() as u64, bytes: RING_LINES * line };
    let labels_bytes = runs::readback_bytes(&tiling);
    let readback =
        Buffer { address: ring.address + ring.bytes as u64, bytes: labels_bytes.next_multiple_of(line) };
    memory.resize(memory.len() + ring.bytes + readback.bytes, 0);
    let mut writes = String::new();
    let mut count = 1;
    for (offset, value) in runs::values(&job, &tiling, &Buffers { load, ring, readback }, line) {
        writeln!(writes, "{offset:08x}{value:016x}").unwrap();
        count += 1;
    }
    let start: u64 =
        [reg::START, reg::START_LOAD, reg::START_RUN, reg::START_READBACK].iter().map(|bit| bit.put(1)).sum();
    writeln!(writes, "{:08x}{start:016x}", reg::START.offset).unwrap();

    let folder = builds::target_folder().unwrap().join("hw-tests/icarus");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("memory.hex"), hex_lines(&memory, line)).unwrap();
    std::fs::write(folder.join("registers.hex"), writes).unwrap();
    let parameters = [
        ("LineBits", config.array.line_bits as usize),
        ("Lines", memory.len() / line),
        ("Registers", count),
        ("FirstLine", load.bytes / line),
        ("LastLine", memory.len() / line - 1),
        ("Idle", 30),
        ("Seed", 7),
        ("Timeout", 10_000_000),
    ];
    compile(&iverilog, &build, &folder, &parameters);
    let told = run(Command::new("vvp").arg("-n").arg("tb.vvp").current_dir(&folder));
    assert!(told.contains("spa_tb: done"), "{told}");

    let result = std::fs::read_to_string(folder.join("result.hex")).unwrap();
    let unknown = |line: &str| line.contains(['x', 'X', 'z', 'Z']);
    let mut lines = result.lines().filter(|line| !line.starts_with("//"));
    assert!(!lines.by_ref().take(RING_LINES).any(unknown), "the log has unknown bits");
    let result = bytes_of_hex(&result);
    let (log, labels) = result.split_at(ring.bytes);
    let labels = runs::labels_of_readback(&job, &tiling, config.array.rv_capacity, labels);
    let mut messages = Vec::new();
    MessageFormat::new(&config.array, &config.hardware)
        .decode(&tiling, (spec.width, spec.height, spec.labels), 0, log, &mut messages)
        .unwrap();
    let histogram = Histogram::from_messages(&job, &messages, &labels).unwrap();
    let labels_touched = job.labels_evaluated();
    let got = Outcome { labels, histogram, messages, labels_touched };
    cosim::compare(&job, &spa_model::spec::run(&job).unwrap(), &got).unwrap();
}

fn compile(iverilog: &Path, build: &spagen::Build, folder: &Path, parameters: &[(&str, usize)]) {
    let mut command = Command::new(iverilog);
    command.args(["-g2012", "-s", "spa_tb", "-o", "tb.vvp"]).current_dir(folder);
    for (name, value) in parameters {
        command.arg(format!("-Pspa_tb.{name}={value}"));
    }
    command.args(build.rtl_sources().unwrap()).arg(build.folder().join("sim/spa_tb.sv"));
    run(&mut command);
}
