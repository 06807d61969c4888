//! Places and routes a build on an ECP5: clock rate by seed.
//!
//! Yosys flattens the build into a netlist, nextpnr places and routes it once for every seed. The accelerator stands alone:
//! its ports are not pins (`--out-of-context`), so these are figures of the array and its shell, not of a board.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use serde::{Deserialize, Serialize};

use super::run::{REPORTS, execute, forget, lock, read_sources};
use super::store::{fingerprint, replace};
use super::timing::Timing;
use crate::build::Build;
use crate::emit::TOP;
use crate::emit::floorplan::FLOORPLAN;
use crate::error::{Error, plain};
use crate::tools;

/// Path of the result in the build folder.
pub const PLACEMENT: &str = "reports/place.json";
/// Commands of the build that map it to ECP5.
const ECP5_SCRIPT: &str = "fpga/ecp5/synth.ys";
/// Netlist from Yosys, removed at the end.
const NETLIST: &str = "reports/.place-netlist.json";

/// Device and effort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceRequest {
    /// Device of the family.
    pub device: Device,
    /// Speed grade: 6, 7 or 8, the fastest.
    pub speed: u8,
    /// Clock that is asked for, in MHz.
    pub target_mhz: u32,
    /// Seeds of the placer, each placed and routed.
    pub seeds: Vec<u64>,
    /// How many seeds are worked on at a time.
    pub jobs: usize,
}

/// Devices of the ECP5 family, with a package that each is made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Device {
    /// LFE5U-25F
    #[value(name = "25k")]
    #[serde(rename = "LFE5U-25F")]
    Lfe5u25,
    /// LFE5U-45F
    #[value(name = "45k")]
    #[serde(rename = "LFE5U-45F")]
    Lfe5u45,
    /// LFE5U-85F
    #[value(name = "85k")]
    #[serde(rename = "LFE5U-85F")]
    Lfe5u85,
}

/// Result of placing one build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Hash of the configuration.
    pub config_hash: String,
    /// SHA-256 over names and contents of the sources.
    pub rtl: String,
    /// Synthesis command of Yosys.
    pub synthesis: String,
    /// The command of nextpnr, with SEED in the place of the seed.
    pub command: String,
    /// Device.
    pub device: Device,
    /// Speed grade.
    pub speed: u8,
    /// Clock that was asked for, in MHz.
    pub target_mhz: u32,
    /// One entry a seed, in the order asked for.
    pub seeds: Vec<Seed>,
}

/// Result of one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// Seed of the placer.
    pub seed: u64,
    /// What came of it.
    pub timing: Timing,
}

impl Device {
    const fn flag(self) -> &'static str {
        match self {
            Self::Lfe5u25 => "--25k",
            Self::Lfe5u45 => "--45k",
            Self::Lfe5u85 => "--85k",
        }
    }

    /// Name in its data sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lfe5u25 => "LFE5U-25F",
            Self::Lfe5u45 => "LFE5U-45F",
            Self::Lfe5u85 => "LFE5U-85F",
        }
    }
}

/// Package that all three devices are made in; without pins it decides nothing.
const PACKAGE: &str = "CABGA381";

/// Places and routes `build` for every seed and stores the result in its `reports/place.json`. Logs stay in
/// `reports/place-yosys.log` and `reports/place-SEED.log`. `notice` hears what begins.
///
/// # Errors
/// [`Error::Tool`] without a good Yosys and nextpnr, before anything is done; [`Error::Synthesis`] if one fails (the build
/// does not fit, for one) or the report makes no sense; [`Error::Io`] if the folder cannot be written or another run works in it.
pub fn place(
    build: &Build,
    request: &PlaceRequest,
    notice: &(dyn Fn(&str) + Sync),
) -> Result<Placement, Error> {
    let yosys = tools::yosys()?;
    let nextpnr = tools::nextpnr_ecp5()?;
    let folder = build.folder();
    let _lock = lock(folder)?;
    let netlist = folder.join(NETLIST);
    forget(&netlist)?;
    notice(&format!("synthesising {} for ECP5 as a whole (minutes)", folder.display()));
    let mut synthesis = format!("hierarchy -top {TOP}; script {ECP5_SCRIPT}");
    if request.device == Device::Lfe5u85 && folder.join(FLOORPLAN).is_file() {
        let _ = write!(synthesis, "; script {FLOORPLAN}");
    }
    let script = format!("{}; {synthesis}; write_json {NETLIST}", read_sources(build)?);
    let log = folder.join(REPORTS).join("place-yosys.log");
    execute("Yosys", &yosys, folder, &["-q", "-p", &script], &log)?;
    let seeds = sweep(&nextpnr, folder, request, notice);
    let _ = fs::remove_file(&netlist);
    let placement = Placement {
        config_hash: build.config_hash().to_owned(),
        rtl: fingerprint(build)?,
        synthesis,
        command: format!("nextpnr-ecp5 {}", arguments(request, "SEED", "REPORT").join(" ")),
        device: request.device,
        speed: request.speed,
        target_mhz: request.target_mhz,
        seeds: seeds?,
    };
    replace(&folder.join(PLACEMENT), &placement)?;
    Ok(placement)
}

fn arguments(request: &PlaceRequest, seed: &str, report: &str) -> Vec<String> {
    let speed = request.speed.to_string();
    let target = request.target_mhz.to_string();
    let words = [
        request.device.flag(),
        "--package",
        PACKAGE,
        "--speed",
        &speed,
        "--json",
        NETLIST,
        "--freq",
        &target,
        "--lpf-allow-unconstrained",
        "--out-of-context",
        // A missed target is a result, not a failure.
        "--timing-allow-fail",
        "--seed",
        seed,
        "--report",
        report,
    ];
    words.iter().map(ToString::to_string).collect()
}

/// Works on all seeds, `jobs` at a time; after a failure no further one is begun.
fn sweep(
    nextpnr: &Path,
    folder: &Path,
    request: &PlaceRequest,
    notice: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Seed>, Error> {
    let waiting: Mutex<VecDeque<(usize, u64)>> =
        Mutex::new(request.seeds.iter().copied().enumerate().collect());
    let done: Mutex<Vec<(usize, Result<Seed, Error>)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..request.jobs.clamp(1, request.seeds.len().max(1)) {
            scope.spawn(|| {
                while let Some((place, seed)) = take(&waiting) {
                    notice(&format!("placing and routing with seed {seed} (minutes)"));
                    let result = one(nextpnr, folder, request, seed);
                    if result.is_err() {
                        held(&waiting).clear();
                    }
                    held(&done).push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take(waiting: &Mutex<VecDeque<(usize, u64)>>) -> Option<(usize, u64)> {
    held(waiting).pop_front()
}

fn one(nextpnr: &Path, folder: &Path, request: &PlaceRequest, seed: u64) -> Result<Seed, Error> {
    let report_name = format!("{REPORTS}/.place-{seed}.json");
    let report = folder.join(&report_name);
    let log = folder.join(REPORTS).join(format!("place-{seed}.log"));
    forget(&report)?;
    let arguments = arguments(request, &seed.to_string(), &report_name);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    execute("nextpnr", nextpnr, folder, &words, &log)?;
    let fail = |cause: String| Error::Synthesis { build: folder.to_owned(), log: log.clone(), cause };
    let text = fs::read_to_string(&report)
        .map_err(|error| fail(format!("nextpnr wrote no report: {}", plain(&error))))?;
    let timing = Timing::parse(&text)
        .map_err(|cause| fail(format!("the report of nextpnr cannot be read: {cause}")))?;
    let _ = fs::remove_file(&report);
    Ok(Seed { seed, timing })
}
