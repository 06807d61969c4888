//! Every way in which the generator can refuse or fail, with its one-line wording.

use std::path::PathBuf;

use thiserror::Error;

/// A failure of the library; [`Error::is_usage`] tells a mistake of the caller from work that failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The simulated card did not compile.
    #[error("failed to compile the simulated card, log '{}': it ends with\n  {tail}", .log.display())]
    Compile {
        /// The whole log.
        log: PathBuf,
        /// Its last lines.
        tail: String,
    },
    /// The configuration has mistakes, all of which are listed.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// A file that the manifest owns was changed, or a file that it does not own is in the way.
    #[error("{}", refusal(.folder, .edited, .foreign))]
    Foreign {
        /// The output folder.
        folder: PathBuf,
        /// Owned files that differ from what was written.
        edited: Vec<String>,
        /// Files in the way that no manifest owns.
        foreign: Vec<String>,
    },
    /// An input or output operation failed.
    #[error("failed to {action} '{}': {cause}", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        cause: String,
    },
    /// A build folder that cannot be used.
    #[error("failed to open build '{}': {cause}", .path.display())]
    Open {
        /// The build folder.
        path: PathBuf,
        /// Why, and what to do.
        cause: String,
    },
    /// A template did not render: a fault of the generator.
    #[error("failed to render '{file}': {cause}")]
    Render {
        /// Output file.
        file: String,
        /// What the template engine says.
        cause: String,
    },
    /// Yosys failed over a build, or what it wrote cannot be used.
    #[error("failed to synthesise '{}', log '{}': {cause}", .build.display(), .log.display())]
    Synthesis {
        /// The build folder.
        build: PathBuf,
        /// What Yosys said.
        log: PathBuf,
        /// What went wrong.
        cause: String,
    },
    /// The workload of a report does not suit the build.
    #[error("failed to report on workload '{workload}': {cause}")]
    Workload {
        /// Size and labels as given.
        workload: String,
        /// Why, and what to do.
        cause: String,
    },
    /// A tool is missing, too old or computes wrongly.
    #[error("failed to find {tool}: {cause}")]
    Tool {
        /// What was looked for.
        tool: &'static str,
        /// What was tried, and how to install it.
        cause: String,
    },
}

impl Error {
    /// A mistake of the caller (exit code 2) rather than work that failed (1).
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_) | Self::Workload { .. })
    }

    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>, cause: &std::io::Error) -> Self {
        Self::Io { action, path: path.into(), cause: plain(cause) }
    }
}

/// All mistakes of a configuration, in the order in which they were found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// One mistake in a configuration. `origin` says where it stands: a file and line, or an option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Two settings that say the same thing.
    #[error("failed to configure '{key}' ({origin}): '{other}' is given as well; give one of them")]
    Conflict {
        /// The second setting.
        key: String,
        /// Where it stands.
        origin: String,
        /// The first setting.
        other: String,
    },
    /// Parameters that are legal alone but not together.
    #[error("failed to configure '{name}': {name} is {value}, but must be {allowed}")]
    Together {
        /// The parameter.
        name: String,
        /// Its value after presets and defaults.
        value: String,
        /// What the others leave possible.
        allowed: String,
    },
    /// The file cannot be read.
    #[error("failed to read configuration '{path}': {cause}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        cause: String,
    },
    /// The file is not TOML.
    #[error("failed to read configuration '{origin}': {cause}")]
    Syntax {
        /// File and line.
        origin: String,
        /// What the parser says.
        cause: String,
    },
    /// No parameter has this name.
    #[error("failed to configure '{key}' ({origin}): no such parameter; {}", hint(.nearest, "spagen explain"))]
    UnknownKey {
        /// The name as given.
        key: String,
        /// Where it stands.
        origin: String,
        /// The parameter with the most similar name.
        nearest: Option<&'static str>,
    },
    /// No preset has this name.
    #[error("failed to use preset '{name}' ({origin}): no such preset; {}", hint(.nearest, "spagen presets"))]
    UnknownPreset {
        /// The name as given.
        name: String,
        /// Where it stands.
        origin: String,
        /// The preset with the most similar name.
        nearest: Option<&'static str>,
    },
    /// A value outside the parameter's range.
    #[error(
        "failed to configure '{key}' ({origin}): '{value}' is not allowed, must be {allowed}; see 'spagen explain {key}'"
    )]
    Value {
        /// The parameter.
        key: &'static str,
        /// Where it stands.
        origin: String,
        /// The value as given.
        value: String,
        /// The allowed values.
        allowed: String,
    },
}

fn hint(nearest: &Option<&'static str>, list: &str) -> String {
    match nearest {
        Some(name) => format!("did you mean '{name}'?"),
        None => format!("'{list}' lists them all"),
    }
}

fn refusal(folder: &std::path::Path, edited: &[String], foreign: &[String]) -> String {
    let mut causes = Vec::new();
    if !edited.is_empty() {
        causes.push(format!("edited since it was generated: {}", edited.join(", ")));
    }
    if !foreign.is_empty() {
        causes.push(format!("not written by spagen: {}", foreign.join(", ")));
    }
    format!(
        "failed to write build '{}': {}; move it away, or overwrite it with --force",
        folder.display(),
        causes.join("; ")
    )
}

/// The system's message without Rust's "(os error N)".
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let cut = text.find(" (os error").unwrap_or(text.len());
    text[..cut].to_lowercase()
}
