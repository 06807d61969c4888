//! A Verilator that is new enough and computes rightly.

use std::path::{Path, PathBuf};

use super::probe::{Finding, State, output, version_in};
use super::table::VERILATOR_MIN;
use super::{on_path, private_folder, selftest};
use crate::error::Error;

/// A Verilator that has passed the self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerilatorTool {
    command: PathBuf,
    version: String,
}

impl VerilatorTool {
    /// The command to run.
    #[must_use]
    pub fn command(&self) -> &Path {
        &self.command
    }

    /// Its version, such as `5.049`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// Finds a Verilator: `$SPAGEN_VERILATOR`, the privately installed one, then `PATH`. The first that is new enough and
/// passes the self-test is taken; `$SPAGEN_VERILATOR`, if set, must be good.
///
/// # Errors
/// [`Error::Tool`] says what was tried, what is wrong with each, and how to install a good one.
pub fn verilator() -> Result<VerilatorTool, Error> {
    let mut tried = Vec::new();
    for (source, candidate) in candidates() {
        match candidate {
            Candidate::At(path) => match examine_one(&path) {
                Ok(tool) => return Ok(tool),
                Err((_, cause)) => tried.push(format!("'{}' ({source}): {cause}", path.display())),
            },
            Candidate::None(cause) => tried.push(format!("{source}: {cause}")),
        }
        if source == ENVIRONMENT {
            break;
        }
    }
    let (major, minor) = VERILATOR_MIN;
    // Installing another one would not help while the variable rules.
    let remedy = if from_environment().is_some() {
        format!("correct {ENVIRONMENT}, or unset it so that the private folder and PATH are searched")
    } else {
        "run 'spagen doctor --install'".to_owned()
    };
    Err(Error::Tool {
        tool: "a Verilator that computes rightly",
        cause: format!(
            "tried {}; need {major}.{minor:03} or newer that passes the self-test: {remedy}",
            tried.join(", ")
        ),
    })
}

/// True for versions that are refused, and for what is no version.
pub(crate) fn is_too_old(version: &str) -> bool {
    version_in(version).is_none_or(|(_, numbers)| numbers < VERILATOR_MIN)
}

/// Value of `$SPAGEN_VERILATOR`, if it says anything.
fn from_environment() -> Option<PathBuf> {
    std::env::var_os(ENVIRONMENT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

const ENVIRONMENT: &str = "SPAGEN_VERILATOR";

enum Candidate {
    At(PathBuf),
    None(String),
}

/// Where to look, in order.
fn candidates() -> Vec<(&'static str, Candidate)> {
    let mut list = Vec::new();
    if let Some(path) = from_environment() {
        let absent = || Candidate::None(format!("there is no '{}'", path.display()));
        // A bare name is looked up; a path is taken from the current folder.
        let found = if path.components().count() == 1 {
            path.to_str().and_then(on_path)
        } else {
            std::path::absolute(&path).ok().filter(|path| path.is_file())
        };
        list.push((ENVIRONMENT, found.map_or_else(absent, Candidate::At)));
    }
    let private = private_folder().map(|folder| folder.join("bin/verilator"));
    list.push((
        "private folder",
        match private {
            Some(path) if path.is_file() => Candidate::At(path),
            Some(path) => Candidate::None(format!("no '{}'", path.display())),
            None => Candidate::None("no home folder".to_owned()),
        },
    ));
    list.push((
        "PATH",
        on_path("verilator").map_or_else(|| Candidate::None("no 'verilator'".to_owned()), Candidate::At),
    ));
    list
}

/// Version and self-test of one candidate.
fn examine_one(path: &Path) -> Result<VerilatorTool, (State, String)> {
    let text = output(path, &["--version"]).map_err(|cause| (State::Broken, cause))?;
    if !text.contains("Verilator") {
        let first = text.lines().next().unwrap_or_default();
        return Err((State::Broken, format!("it is no Verilator: its '--version' says '{first}'")));
    }
    let (version, numbers) =
        version_in(&text).ok_or_else(|| (State::Broken, "it prints no version".to_owned()))?;
    let (major, minor) = VERILATOR_MIN;
    if numbers < VERILATOR_MIN {
        return Err((State::Old, format!("version {version} is older than {major}.{minor:03}")));
    }
    selftest::passes(path, &version).map_err(|cause| (State::Broken, cause))?;
    Ok(VerilatorTool { command: path.to_owned(), version })
}

/// Fills in the line of `spagen doctor`.
pub(super) fn examine(finding: &mut Finding) {
    match verilator() {
        Ok(tool) => {
            finding.state = State::Ok;
            finding.path = Some(tool.command);
            finding.version = Some(tool.version);
            finding.note = Some("self-test passed".to_owned());
        }
        Err(_) => {
            let variable = from_environment();
            if variable.is_some() {
                finding.install = None;
            }
            // Show the first one that is there at all.
            for (_, candidate) in candidates() {
                let Candidate::At(path) = candidate else { continue };
                if let Err((state, cause)) = examine_one(&path) {
                    finding.state = state;
                    finding.version = output(&path, &["--version"])
                        .ok()
                        .and_then(|text| version_in(&text))
                        .map(|(words, _)| words);
                    finding.path = Some(path);
                    finding.note = Some(match variable {
                        Some(_) => format!("{cause}; correct {ENVIRONMENT}, which names it, or unset it"),
                        None => cause,
                    });
                    return;
                }
            }
            finding.note = variable.map(|path| {
                let path = path.display();
                format!("{ENVIRONMENT} names '{path}', which is not there: correct or unset it")
            });
        }
    }
}
