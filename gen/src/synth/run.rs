//! Runs Yosys over a build.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::store::Store;
use super::{Flow, Synthesis};
use crate::build::Build;
use crate::emit::TOP;
use crate::error::{Error, plain};
use crate::tools;

/// Folder of logs and results, in the build folder.
const REPORTS: &str = "reports";
/// Lines of the log that an error shows.
const TAIL: usize = 15;

/// Synthesises `build` and stores the result in its `reports/synth.json`; the results of other flows over the same
/// sources stay. What Yosys says (warnings and errors) stays in `reports/synth-FLOW.log`. `notice` hears that Yosys begins.
///
/// # Errors
/// [`Error::Tool`] without a good Yosys, [`Error::Synthesis`] if it fails (with the end of the log and its path) or its
/// statistics make no sense, [`Error::Io`] if the folder cannot be written or another run works in it.
pub fn run(build: &Build, flow: Flow, notice: &mut dyn FnMut(&str)) -> Result<Synthesis, Error> {
    let yosys = tools::yosys()?;
    let folder = build.folder();
    let reports = folder.join(REPORTS);
    fs::create_dir_all(&reports).map_err(|error| Error::io("create folder", &reports, &error))?;
    let lock_path = reports.join(".synth.lock");
    let lock = File::create(&lock_path).map_err(|error| Error::io("create", &lock_path, &error))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Error::Io {
            action: "synthesise",
            path: folder.to_owned(),
            cause: "another 'spagen synth' works in it; wait for its end".to_owned(),
        },
        TryLockError::Error(error) => Error::io("lock", &lock_path, &error),
    })?;
    let store = Store::open(build)?;
    let log_path = reports.join(format!("synth-{}.log", flow.name()));
    notice(&format!(
        "synthesising {} for {} (minutes), log {}",
        folder.display(),
        flow.name(),
        log_path.display()
    ));
    // Relative, as a Yosys in WebAssembly sees nothing but its current folder.
    let stat_name = format!("{REPORTS}/.synth-{}.stat", flow.name());
    let script = script(build, flow, &stat_name)?;
    let stat_path = folder.join(&stat_name);
    // Nothing may be taken for the result of this run that is not.
    match fs::remove_file(&stat_path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("remove", &stat_path, &error));
        }
        _ => {}
    }
    let fail = |cause: String| Error::Synthesis { build: folder.to_owned(), log: log_path.clone(), cause };
    execute(&yosys, folder, &script, &log_path).map_err(|error| match error {
        Failure::Io(error) => error,
        Failure::Yosys(status) => {
            fail(format!("Yosys failed ({status}), the log ends with\n  {}", tail(&log_path)))
        }
    })?;
    let text = fs::read_to_string(&stat_path)
        .map_err(|error| fail(format!("Yosys wrote no statistics: {}", plain(&error))))?;
    let result = Synthesis::from_stat(flow, TOP, &text)
        .map_err(|cause| fail(format!("the statistics of Yosys cannot be read: {cause}")))?;
    store.put(folder, flow, result.clone())?;
    let _ = fs::remove_file(&stat_path);
    Ok(result)
}

/// The commands for Yosys.
fn script(build: &Build, flow: Flow, stat: &str) -> Result<String, Error> {
    let sources = build.rtl_sources()?;
    let names = sources.iter().filter_map(|path| path.strip_prefix(build.folder()).ok());
    let names: Vec<String> = names.map(|path| path.to_string_lossy().into_owned()).collect();
    Ok(format!("read_verilog -sv {}; {}; tee -q -o {stat} stat -json", names.join(" "), flow.command(TOP)))
}

enum Failure {
    Io(Error),
    Yosys(std::process::ExitStatus),
}

fn execute(yosys: &Path, folder: &Path, script: &str, log_path: &Path) -> Result<(), Failure> {
    let failed = |action, error: &std::io::Error| Failure::Io(Error::io(action, log_path, error));
    let mut log = File::create(log_path).map_err(|error| failed("create", &error))?;
    // The first line names the command, for whoever reads the log.
    writeln!(log, "{} -q -p '{script}'", yosys.display()).map_err(|error| failed("write", &error))?;
    let out = log.try_clone().map_err(|error| failed("write", &error))?;
    let status = Command::new(yosys)
        .args(["-q", "-p", script])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(log)
        .status()
        .map_err(|error| Failure::Io(Error::io("run", yosys, &error)))?;
    if status.success() { Ok(()) } else { Err(Failure::Yosys(status)) }
}

fn tail(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n  ")
}
