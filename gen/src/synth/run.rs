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
pub(super) const REPORTS: &str = "reports";
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
    let _lock = lock(folder)?;
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
    forget(&stat_path)?;
    let fail = |cause: String| Error::Synthesis { build: folder.to_owned(), log: log_path.clone(), cause };
    execute("Yosys", &yosys, folder, &["-q", "-p", &script], &log_path)?;
    let text = fs::read_to_string(&stat_path)
        .map_err(|error| fail(format!("Yosys wrote no statistics: {}", plain(&error))))?;
    let result = Synthesis::from_stat(flow, TOP, &text)
        .map_err(|cause| fail(format!("the statistics of Yosys cannot be read: {cause}")))?;
    store.put(folder, flow, result.clone())?;
    let _ = fs::remove_file(&stat_path);
    Ok(result)
}

/// Keeps other runs out of a build folder, and creates its `reports/`, until it is dropped.
pub(super) fn lock(folder: &Path) -> Result<File, Error> {
    let reports = folder.join(REPORTS);
    fs::create_dir_all(&reports).map_err(|error| Error::io("create folder", &reports, &error))?;
    let path = reports.join(".synth.lock");
    let lock = File::create(&path).map_err(|error| Error::io("create", &path, &error))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => Error::Io {
            action: "synthesise",
            path: folder.to_owned(),
            cause: "another 'spagen synth' works in it; wait for its end".to_owned(),
        },
        TryLockError::Error(error) => Error::io("lock", &path, &error),
    })?;
    Ok(lock)
}

/// Removes what an earlier run left, so that nothing is taken for the result of this one that is not.
pub(super) fn forget(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("remove", path, &error)),
        _ => Ok(()),
    }
}

/// The commands for Yosys.
fn script(build: &Build, flow: Flow, stat: &str) -> Result<String, Error> {
    Ok(format!("{}; {}; tee -q -o {stat} stat -json", read_sources(build)?, flow.command(TOP)))
}

/// The command that reads the sources of a build, from its folder.
pub(super) fn read_sources(build: &Build) -> Result<String, Error> {
    let sources = build.rtl_sources()?;
    let names = sources.iter().filter_map(|path| path.strip_prefix(build.folder()).ok());
    let names: Vec<String> = names.map(|path| path.to_string_lossy().into_owned()).collect();
    Ok(format!("read_verilog -sv {}", names.join(" ")))
}

/// Runs the program called `name` in `folder`; what it prints becomes the log.
///
/// # Errors
/// [`Error::Synthesis`] with the end of the log if it fails, [`Error::Io`] if it does not start.
pub(super) fn execute(
    name: &str,
    program: &Path,
    folder: &Path,
    arguments: &[&str],
    log_path: &Path,
) -> Result<(), Error> {
    let mut log = File::create(log_path).map_err(|error| Error::io("create", log_path, &error))?;
    let quoted: Vec<String> = arguments
        .iter()
        .map(|word| if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() })
        .collect();
    // The first line names the command, for whoever reads the log.
    let written = writeln!(log, "{} {}", program.display(), quoted.join(" ")).and_then(|()| log.try_clone());
    let out = written.map_err(|error| Error::io("write", log_path, &error))?;
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(log)
        .status()
        .map_err(|error| Error::io("run", program, &error))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Synthesis {
        build: folder.to_owned(),
        log: log_path.to_owned(),
        cause: format!("{name} failed ({status}), the log ends with\n  {}", tail(log_path)),
    })
}

fn tail(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n  ")
}
