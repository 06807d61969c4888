//! Which backends there are, and which can be used here.

use super::Backend;
use super::cpu::CpuBackend;
use super::cuda::{self, Cuda};
use super::opae::OpaeBackend;
use super::serial::SerialBackend;
use super::sim::SimBackend;
use crate::card::CardError;
use crate::card::opae::{self, OpaeCard, OpaeOptions};
use crate::card::serial::link;
use crate::card::{Card as _, registers as reg};
use crate::error::{Error, Result};
use crate::memory;
use crate::options::RunOptions;
use serde::Serialize;
use spagen::Build;
use spagen::parameters::counted;
use spagen::simbuild::{self, State};
use std::path::{Path, PathBuf};

/// Names that `--backend` takes.
pub const NAMES: [&str; 6] = ["auto", "cpu", "cuda", "sim", "opae", "serial"];

/// A backend or build found on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Device {
    /// Name as given to `--backend`.
    pub name: &'static str,
    /// Build folder, where one is looked at.
    pub build: Option<PathBuf>,
    /// True if a run could start.
    pub usable: bool,
    /// What it is, or why it cannot be used.
    pub detail: String,
}

/// Opens the backend `name`; of the options, those about threads, simulation and card are used. `auto` is `cuda` where there is a card, else `cpu`, and says
/// so.
///
/// # Errors
/// [`Error::Usage`] for an unknown name or a missing build, [`Error::Backend`] if it cannot be used here.
pub fn open(name: &str, build: Option<&Build>, options: &RunOptions) -> Result<Box<dyn Backend>> {
    let (threads, simulation) = (options.threads, &options.simulation);
    if name != "sim" && simulation.any() {
        return Err(Error::usage(format!(
            "options --sim-… are for the backend 'sim' only, not for '{name}'; add --backend sim or leave them out"
        )));
    }
    if let Some((option, takers)) = options.card.foreign(name) {
        return Err(Error::usage(format!(
            "option {option} is for the backend '{takers}', not for '{name}'; leave it out or name that backend"
        )));
    }
    if threads == Some(0) {
        return Err(spa_model::Error::range("threads", 0, "at least 1; leave it out for all").into());
    }
    let shape = build.map(|b| b.array().clone());
    let cpu = || {
        let limit = options.max_memory.map_or(memory::LIMIT, |limit| limit.0);
        let cpu = CpuBackend::new(threads.unwrap_or(0), shape.clone());
        Box::new(cpu.with_cost_bytes(memory::cost_bytes(limit)))
    };
    let card = |shape| Cuda::open_all(cuda::Kernel::Auto).map(|cuda| Box::new(cuda.with_shape(shape)));
    match name {
        "auto" => match card(shape.clone()) {
            Ok(cuda) => Ok(cuda),
            Err(error) => {
                eprintln!("backend: cpu ({error})");
                Ok(cpu())
            }
        },
        "cuda" => match card(shape) {
            Ok(cuda) => Ok(cuda),
            Err(error) => {
                let cause = format!("{error}, or use --backend cpu");
                Err(Error::Backend { name: name.to_string(), cause })
            }
        },
        "cpu" => Ok(cpu()),
        "sim" => {
            let build = build.ok_or_else(|| {
                Error::usage(
                    "backend 'sim' needs --build DIR; generate one with 'spagen --spe 16 --spu 2 -o build/'",
                )
            })?;
            Ok(Box::new(SimBackend::new(build.clone(), simulation.backend())))
        }
        "opae" => {
            let build = build.ok_or_else(|| {
                Error::usage("backend 'opae' needs --build DIR, the build whose bitstream the card holds")
            })?;
            match OpaeBackend::open(build, &options.card.opae()) {
                Ok(backend) => Ok(Box::new(backend)),
                Err(error) => Err(Error::Backend { name: name.to_string(), cause: format!("{error:#}") }),
            }
        }
        "serial" => {
            let build = build.ok_or_else(|| {
                Error::usage("backend 'serial' needs --build DIR, the build whose bitstream the board holds")
            })?;
            let port = options.card.port.as_deref().ok_or_else(|| {
                Error::usage(
                    "backend 'serial' needs --port PATH, the serial port of the board, such as /dev/ttyUSB0",
                )
            })?;
            match SerialBackend::open(build, &options.card.serial(port)) {
                Ok(backend) => Ok(Box::new(backend)),
                Err(error) => Err(Error::Backend { name: name.to_string(), cause: format!("{error:#}") }),
            }
        }
        _ => {
            let text = format!("backend is '{name}', but must be one of {}", NAMES.join(", "));
            Err(Error::usage(text))
        }
    }
}

/// Lists backends, and the builds of `folders`.
pub fn devices(folders: &[PathBuf]) -> Vec<Device> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let level = spa_model::fast::Level::choose(None).map_or_else(|e| e.to_string(), |l| format!("{l:?}"));
    let cpu = format!("{threads} threads, {}", level.to_lowercase());
    let mut devices = vec![Device { name: "cpu", build: None, usable: true, detail: cpu }];
    devices.extend(cuda_cards());
    devices.extend(opae_cards());
    devices.push(serial_ports());
    devices.extend(folders.iter().map(|folder| sim(folder)));
    devices
}

/// Every CUDA card, or one entry that says why there is none.
fn cuda_cards() -> Vec<Device> {
    let device = |usable, detail| Device { name: "cuda", build: None, usable, detail };
    match Cuda::open_all(cuda::Kernel::Auto) {
        Ok(cuda) => {
            let text = |card: &cuda::device::Device| format!("{}, {}", card.name, card.arch);
            cuda.devices().map(|card| device(true, text(card))).collect()
        }
        Err(error) => vec![device(false, error.to_string())],
    }
}

/// The serial ports. None is opened: bytes would disturb what else may listen there.
fn serial_ports() -> Device {
    let ports = link::ports();
    let detail = if ports.is_empty() {
        "no serial port".to_owned()
    } else {
        format!("ports that were not looked at: {}; name that of a board with --port", ports.join(", "))
    };
    Device { name: "serial", build: None, usable: false, detail }
}

/// Every card with our AFU, or one entry that says why there is none.
fn opae_cards() -> Vec<Device> {
    let device = |usable, detail| Device { name: "opae", build: None, usable, detail };
    let options = OpaeOptions::default();
    let tokens = match opae::find(&options) {
        Ok(tokens) => tokens,
        Err(error) => return vec![device(false, error.to_string())],
    };
    if tokens.is_empty() {
        let none = CardError::NoCard { uuid: spagen::regmap::afu_uuid(), place: String::new() };
        return vec![device(false, none.to_string())];
    }
    let look = |token: opae::result::Token| {
        let address = token.address;
        match OpaeCard::open(token, &options).and_then(|mut card| card.read(reg::CONFIG_HASH_3.offset)) {
            Ok(hash) => {
                device(true, format!("card at {address}, configuration {:.12}", format!("{hash:016x}")))
            }
            Err(error) => device(false, format!("card at {address}: {error}")),
        }
    };
    tokens.into_iter().map(look).collect()
}

fn sim(folder: &Path) -> Device {
    let device = |usable, detail| Device { name: "sim", build: Some(folder.to_path_buf()), usable, detail };
    let build = match Build::open(folder) {
        Ok(build) => build,
        Err(e) => return device(false, e.to_string()),
    };
    let array = build.array();
    let what = format!(
        "build '{}': {}x{} SPEs of {}, {} RVs, hash {:.12}",
        folder.display(),
        array.rows,
        array.cols,
        counted(array.spus, "SPU"),
        u64::from(array.rv_capacity) * u64::from(array.spes()),
        build.config_hash()
    );
    let state = match simbuild::state(&build) {
        Ok(State::Current) => return device(true, format!("{what}, compiled")),
        Ok(state) => state,
        Err(e) => return device(false, format!("{what}; {e}")),
    };
    // One self-test takes a second or two; nothing is compiled.
    match spagen::tools::verilator() {
        Ok(tool) => device(true, format!("{what}, verilator {} ({state})", tool.version())),
        Err(e) => device(false, format!("{what}; {e}")),
    }
}
