//! Project for the ULX3S, a board with an ECP5-85: the accelerator with block RAM as its memory, behind a serial line.

use askama::Template;

use super::{Files, SERIAL_BAUD, SERIAL_BUFFER_BYTES, banner, floorplan, run};
use crate::config::Config;
use crate::error::Error;
use crate::report::memory::{self, Memory};

/// Folder of the project in a build.
const FOLDER: &str = "fpga/ulx3s";
/// Narrow lines, as the part asks for.
const LINE_BITS: u32 = 128;
/// Block RAMs of 18 kbit of the LFE5U-85F.
const BLOCKS: u64 = 208;
/// Buffers begin at multiples of this.
const PAGE: u64 = 4096;
/// Where the top of the board has the accelerator's.
const PREFIX: &str = "u_card.u_accelerator.u_top.";
/// Clock for which the project is set up.
const CLOCK_MHZ: u32 = 75;

#[derive(Template)]
#[template(path = "fpga/ulx3s/spa_ulx3s.sv")]
struct Top {
    clock_mhz: u32,
    baud: u32,
    line_bits: u32,
    memory_bytes: u64,
}

#[derive(Template)]
#[template(path = "fpga/ulx3s/Makefile", escape = "none")]
struct Makefile<'a> {
    clock_mhz: u32,
    baud: u32,
    hw: &'a [&'a str],
    floorplan: bool,
}

#[derive(Template)]
#[template(path = "fpga/ulx3s/spa_ulx3s.lpf")]
struct Pins;

#[derive(Template)]
#[template(path = "fpga/ulx3s/README.md")]
struct Readme<'a> {
    config: &'a Config,
    clock_mhz: u32,
    baud: u32,
    memory_kib: u64,
    blocks: u64,
    of_blocks: u64,
}

/// Bytes of the board's memory: two buffers and the labels.
fn memory_bytes(config: &Config) -> u64 {
    2 * u64::from(SERIAL_BUFFER_BYTES) + config.rvs().next_multiple_of(PAGE)
}

/// Block RAMs of array and memory.
fn blocks(config: &Config) -> u64 {
    let lines = memory_bytes(config) / u64::from(LINE_BITS / 8);
    Memory::new(config).ebr + memory::blocks(memory::EBR, lines as u32, 64) * u64::from(LINE_BITS / 64)
}

/// Whether a build has the project: lines of this width, and block RAM enough. Logic is for the tools to count.
pub(super) fn has_project(config: &Config) -> bool {
    config.array.line_bits == LINE_BITS && blocks(config) <= BLOCKS
}

/// SystemVerilog of the project in `files`, relative to its folder; empty if it is not there.
pub(super) fn sources(files: &Files) -> Vec<&str> {
    let names = files.keys().filter_map(|path| path.strip_prefix(FOLDER)?.strip_prefix('/'));
    names.filter(|name| name.ends_with(".sv")).collect()
}

/// Adds the project to `files`; where the part is too small there is none.
pub(super) fn add(config: &Config, files: &mut Files) -> Result<(), Error> {
    if !has_project(config) {
        files.retain(|path, _| !path.starts_with(FOLDER));
        return Ok(());
    }
    let hw: Vec<String> = files
        .keys()
        .filter_map(|path| path.strip_prefix(&format!("{FOLDER}/hw/")))
        .map(str::to_owned)
        .collect();
    let hw: Vec<&str> = hw.iter().map(String::as_str).collect();
    let (clock_mhz, baud, memory_bytes) = (CLOCK_MHZ, SERIAL_BAUD, memory_bytes(config));
    let top = Top { clock_mhz, baud, line_bits: LINE_BITS, memory_bytes };
    let readme = Readme {
        config,
        clock_mhz,
        baud,
        memory_kib: memory_bytes / 1024,
        blocks: blocks(config),
        of_blocks: BLOCKS,
    };
    let plan = floorplan::text(config, PREFIX);
    let makefile = Makefile { clock_mhz, baud, hw: &hw, floorplan: plan.is_some() };
    let mut bodies = vec![
        ("spa_ulx3s.sv", run("spa_ulx3s.sv", &top)?),
        ("spa_ulx3s.lpf", run("spa_ulx3s.lpf", &Pins)?),
        ("Makefile", run("Makefile", &makefile)?),
        ("README.md", run("README.md", &readme)?),
    ];
    bodies.extend(plan.map(|text| ("floorplan.ys", text)));
    for (name, body) in bodies {
        let path = format!("{FOLDER}/{name}");
        let text = banner::with_banner(&path, &body, config);
        files.insert(path, text);
    }
    Ok(())
}
