//! Finds the tools of the table and asks them for their versions.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::table::{Need, TOOLS, Tool};
use super::{on_path, verilator};

/// Longest that a tool may take to print its version (WebAssembly builds compile themselves at first).
const PATIENCE: Duration = Duration::from_secs(180);

/// What became of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Found and good.
    Ok,
    /// Not found.
    Missing,
    /// Older than needed.
    Old,
    /// It does not run, or fails its self-test.
    Broken,
}

/// A line of `spagen doctor`.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Tool.
    pub tool: &'static str,
    /// Is it usable?
    pub state: State,
    /// Where it is.
    pub path: Option<PathBuf>,
    /// Its version.
    pub version: Option<String>,
    /// Version needed, in words.
    pub needed: String,
    /// How much is lost without it.
    pub need: Need,
    /// What for.
    pub purpose: &'static str,
    /// How to install it; none where another one would not be taken.
    pub install: Option<&'static str>,
    /// More about a fault.
    pub note: Option<String>,
}

/// Looks at every tool of the table.
#[must_use]
pub fn survey() -> Vec<Finding> {
    TOOLS.iter().map(look).collect()
}

/// Looks at one tool of the table.
pub(super) fn find(name: &str) -> Option<Finding> {
    TOOLS.iter().find(|tool| tool.name == name).map(look)
}

fn look(tool: &Tool) -> Finding {
    let mut finding = Finding {
        tool: tool.name,
        state: State::Missing,
        path: None,
        version: None,
        needed: tool
            .min
            .map_or_else(|| "any".to_owned(), |(major, minor)| format!(">= {}", show(tool, major, minor))),
        need: tool.need,
        purpose: tool.purpose,
        install: Some(tool.install),
        note: None,
    };
    match tool.name {
        "verilator" => {
            verilator::examine(&mut finding);
            return finding;
        }
        "pyslang" => {
            let Some(python) = on_path("python3") else { return finding };
            if let Ok(text) = output(&python, &["-c", tool.version[0]]) {
                finding.path = Some(python);
                judge(tool, &mut finding, &text);
            }
            return finding;
        }
        _ => {}
    }
    // The first that is good wins; if none is, the first one found is shown.
    for path in tool.commands.iter().filter_map(|command| on_path(command)) {
        let mut candidate = Finding { path: Some(path.clone()), note: None, ..finding.clone() };
        match output(&path, tool.version) {
            Ok(text) => judge(tool, &mut candidate, &text),
            Err(cause) => {
                candidate.state = State::Broken;
                candidate.note = Some(cause);
            }
        }
        if candidate.state == State::Ok || finding.path.is_none() {
            finding = candidate;
        }
        if finding.state == State::Ok {
            break;
        }
    }
    finding
}

fn judge(tool: &Tool, finding: &mut Finding, text: &str) {
    let version = version_in(text);
    finding.version = version.as_ref().map(|(words, _)| words.clone());
    finding.state = match (version, tool.min) {
        (Some((_, numbers)), Some(min)) if numbers < min => State::Old,
        (None, Some(_)) => {
            finding.note = Some("it prints no version".to_owned());
            State::Broken
        }
        _ => State::Ok,
    };
}

fn show(tool: &Tool, major: u32, minor: u32) -> String {
    if tool.name == "verilator" { format!("{major}.{minor:03}") } else { format!("{major}.{minor}") }
}

/// The first number with a dot in a text, as words and as (major, minor).
pub(super) fn version_in(text: &str) -> Option<(String, (u32, u32))> {
    let legal = |c: char| c.is_ascii_digit() || c == '.';
    text.split(|c| !legal(c)).map(|word| word.trim_matches('.')).find_map(|word| {
        let mut parts = word.split('.');
        let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((word.to_owned(), (major, minor)))
    })
}

/// Runs a command and gives what it printed on both streams.
pub(super) fn output(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("it does not start: {}", crate::error::plain(&error)))?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() > PATIENCE => {
                let _ = child.kill();
                return Err(format!("it did not answer within {} s", PATIENCE.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(error) => return Err(crate::error::plain(&error)),
        }
    }
    let output = child.wait_with_output().map_err(|error| crate::error::plain(&error))?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // Some tools print their version and exit with an error; what counts is the version.
    if output.status.success() || version_in(&text).is_some() {
        Ok(text)
    } else {
        Err(format!("it fails ({})", output.status))
    }
}
