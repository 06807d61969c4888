//! Project for the PYNQ-Z2, a board with a Zynq 7020: the accelerator beside its processing system, by Vivado.

use askama::Template;

use super::{Files, banner, run};
use crate::config::Config;
use crate::error::Error;

/// Folder of the project in a build.
const FOLDER: &str = "fpga/pynq-z2";
/// The part is small, and its memory ports have 64 bits: wider lines would be a waste.
const LINE_BITS: u32 = 128;

#[derive(Template)]
#[template(path = "fpga/pynq-z2/build.tcl")]
struct Script {
    line_bits: u32,
}

#[derive(Template)]
#[template(path = "fpga/pynq-z2/README.md")]
struct Readme;

/// Whether a build has the project.
pub(super) fn has_project(config: &Config) -> bool {
    config.array.line_bits == LINE_BITS
}

/// Adds the project to `files` of a build that has it.
pub(super) fn add(config: &Config, files: &mut Files) -> Result<(), Error> {
    if !has_project(config) {
        return Ok(());
    }
    let script = Script { line_bits: config.array.line_bits };
    for (name, body) in [("build.tcl", run("build.tcl", &script)?), ("README.md", run("README.md", &Readme)?)]
    {
        let path = format!("{FOLDER}/{name}");
        let text = banner::with_banner(&path, &body, config);
        files.insert(path, text);
    }
    Ok(())
}
