//! Renders a configuration into the files of a build, in memory.

mod axi;
mod banner;
pub(crate) mod floorplan;
mod fusesoc;
mod hls;
mod known;
mod pac;
mod pynq;
mod readme;
mod registers;
mod top;
mod ulx3s;

use std::collections::BTreeMap;

use askama::Template;
use spa_model::hash::sha256_hex;

use crate::config::{CONTRACT, Config};
use crate::error::Error;
use crate::manifest::{FORMAT, MANIFEST, Manifest};
use crate::regmap::{ABI_MAJOR, ABI_MINOR};
use crate::report::{Report, Request};

include!(concat!(env!("OUT_DIR"), "/plain.rs"));

/// Files by path with `/`, relative to the build folder.
pub type Files = BTreeMap<String, String>;

/// Renders one file, without its banner.
type Renderer = fn(&Config) -> Result<String, Error>;

/// Files that depend on the configuration or the register map; all others are emitted as they are.
const RENDERED: &[(&str, Renderer)] = &[
    ("README.md", readme::render),
    ("fpga/axi/spa_axi.v", axi::render),
    ("hls/catapult/spa.tcl", hls::catapult),
    ("hls/intel/spa_array.tcl", hls::array),
    ("hls/intel/spa_s2_switch.cpp", hls::switch),
    ("hls/intel/spa_spe_hw.tcl", hls::spe),
    ("hls/spa_config.hpp", hls::constants),
    ("reports/report.json", |config| Ok(standard_report(config)?.json())),
    ("reports/report.md", |config| Ok(standard_report(config)?.markdown())),
    ("rtl/spa_accelerator.sv", top::render),
    ("rtl/spa_regs.sv", registers::rtl),
    ("sw/registers.md", registers::markdown),
    ("sw/spa_regs.h", registers::header),
    ("sw/spa_regs.rdl", registers::rdl),
    ("sw/spa_regs.rs", registers::rust),
];

/// Name of the generated top module.
pub const TOP: &str = "spa_accelerator";
/// File list of the RTL, for `-F` of Verilator and others.
pub const FILE_LIST: &str = "rtl/files.f";

/// Bits a second of the serial line of a board project, which the runtime assumes, too.
pub const SERIAL_BAUD: u32 = 3_000_000;
/// Bytes that such a board's memory has for load records and for the log each, beside the labels.
pub const SERIAL_BUFFER_BYTES: u32 = 8192;

/// Renders every file of the build, the manifest among them, and checks them.
///
/// # Errors
/// [`Error::Render`] if a template fails or renders something that cannot be right.
pub fn render(config: &Config) -> Result<Files, Error> {
    let mut bodies: BTreeMap<&str, String> = BTreeMap::new();
    for (path, text) in PLAIN {
        bodies.insert(path, (*text).to_owned());
    }
    for (path, renderer) in RENDERED {
        bodies.insert(path, renderer(config)?);
    }
    let mut files = Files::new();
    for (path, body) in bodies {
        files.insert(path.to_owned(), banner::with_banner(path, &body, config));
    }
    floorplan::add(config, &mut files);
    pac::add(config, &mut files)?;
    ulx3s::add(config, &mut files)?;
    pynq::add(config, &mut files)?;
    known::add(config, &mut files)?;
    let list = file_list(&files);
    files.insert(FILE_LIST.to_owned(), banner::with_banner(FILE_LIST, &list, config));
    fusesoc::add(config, &mut files)?;
    for (path, text) in &files {
        check(path, text)?;
    }
    let manifest = manifest(config, &files)?;
    files.insert(MANIFEST.to_owned(), banner::with_banner(MANIFEST, &manifest, config));
    Ok(files)
}

fn standard_report(config: &Config) -> Result<Report, Error> {
    Report::new(config, &Request::default())
}

/// RTL sources by name, the top last.
fn file_list(files: &Files) -> String {
    let names =
        files.keys().filter_map(|path| path.strip_prefix("rtl/")).filter(|name| name.ends_with(".sv"));
    let top = format!("{TOP}.sv");
    let mut list: Vec<&str> = names.filter(|name| *name != top).collect();
    list.push(&top);
    list.join("\n") + "\n"
}

fn manifest(config: &Config, files: &Files) -> Result<String, Error> {
    let fail = |cause: String| Error::Render { file: MANIFEST.to_owned(), cause };
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        contract: CONTRACT,
        abi: format!("{ABI_MAJOR}.{ABI_MINOR}"),
        config_hash: config.hash(),
        command: config.command(),
        config: config.to_toml().parse().map_err(|error: toml::de::Error| fail(error.to_string()))?,
        files: files.iter().map(|(path, text)| (path.clone(), sha256_hex(text.as_bytes()))).collect(),
    };
    toml::to_string(&manifest).map_err(|error| fail(error.to_string()))
}

/// What no emitted file may have.
fn check(path: &str, text: &str) -> Result<(), Error> {
    let fault = if text.contains('\r') {
        Some("a carriage return".to_owned())
    } else if !text.ends_with('\n') {
        Some("no newline at the end".to_owned())
    } else if text.contains("{%") {
        Some("a template tag".to_owned())
    } else {
        let bad = text.lines().position(|line| line.ends_with([' ', '\t']));
        bad.map(|line| format!("a blank at the end of line {}", line + 1))
    };
    match fault {
        Some(cause) => Err(Error::Render { file: path.to_owned(), cause: format!("it has {cause}") }),
        None => Ok(()),
    }
}

/// Runs a template.
fn run(file: &str, template: &impl Template) -> Result<String, Error> {
    let text = template
        .render()
        .map_err(|error| Error::Render { file: file.to_owned(), cause: error.to_string() })?;
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}
