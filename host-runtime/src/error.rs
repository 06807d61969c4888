//! Every way in which the runtime refuses a parameter, a file or a build.

use crate::summary::with_prefix;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Short for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal: names the thing, its value, what is allowed and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend does not exist or cannot be used here.
    #[error("backend '{name}' cannot be used: {cause}")]
    Backend {
        /// Name as given to `--backend`.
        name: String,
        /// Why not, and what to do.
        cause: String,
    },
    /// The build folder cannot be opened, or was made for other parameters.
    #[error("build '{}' cannot be used: {cause}", path.display())]
    Build {
        /// Folder.
        path: PathBuf,
        /// Why not, and what to do.
        cause: String,
    },
    /// A file or folder that cannot be read or written.
    #[error("failed to {action} '{}': {cause}", path.display())]
    File {
        /// What was tried: `read`, `write`, `create`…
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: String,
    },
    /// A log or checkpoint that is none, or is damaged.
    #[error("failed to read {what} '{}': damaged at {place}: {cause}", path.display())]
    Damaged {
        /// What it should be.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Where the damage is.
        place: String,
        /// What is wrong there.
        cause: String,
    },
    /// Ctrl-C or SIGTERM ended the work, and nothing is kept.
    #[error("interrupted: {0}")]
    Interrupted(String),
    /// More memory is needed than there is.
    #[error("{what} needs about {}B of memory, but {}B are available; {remedy}",
        with_prefix(*needed as f64), with_prefix(*available as f64))]
    Memory {
        /// What needs it.
        what: String,
        /// Bytes.
        needed: u64,
        /// Bytes that there are.
        available: u64,
        /// What to do.
        remedy: String,
    },
    /// The model refused a parameter, a size or a log.
    #[error(transparent)]
    Model(#[from] spa_model::Error),
    /// Two pictures or arrays that must have the same size have not.
    #[error("{what} '{}' is {}x{}, but '{}' is {}x{}; both must have the same size",
        path.display(), size.0, size.1, reference.display(), expected.0, expected.1)]
    SizeMismatch {
        /// What is refused: `picture`, `start labels`…
        what: &'static str,
        /// Its file.
        path: PathBuf,
        /// Its width and height.
        size: (u32, u32),
        /// The file it must agree with.
        reference: PathBuf,
        /// Width and height of that file.
        expected: (u32, u32),
    },
    /// A run that a build was not made for.
    #[error("build '{}' does not fit this run ({what}):\n  {}\n  {remedy}", path.display(), causes.join("\n  "))]
    Unfit {
        /// Folder of the build.
        path: PathBuf,
        /// The run: its size and labels.
        what: String,
        /// Everything that is missing, a sentence each.
        causes: Vec<String>,
        /// A command that generates a build that fits, and other ways out.
        remedy: String,
    },
    /// A parameter or a combination of parameters that is refused.
    #[error("{0}")]
    Usage(String),
}

impl Error {
    /// A [`Error::File`] from anything that can be displayed.
    pub fn file(action: &'static str, path: &Path, cause: impl ToString) -> Self {
        Self::File { action, path: path.to_path_buf(), cause: without_code(&cause.to_string()) }
    }

    /// A [`Error::File`] from an I/O error, in plain words.
    pub fn io(action: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::file(action, path, plain(error))
    }

    /// A [`Error::Usage`].
    pub fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// True if the command line or a parameter is at fault (exit code 2), not the work (exit code 1).
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Usage(_) | Self::Unfit { .. } => true,
            Self::Model(error) => Self::is_parameter(error),
            _ => false,
        }
    }

    /// True if the model refuses a parameter, or a job for an array that is too small for it.
    pub fn is_parameter(error: &spa_model::Error) -> bool {
        matches!(error, spa_model::Error::Range { .. } | spa_model::Error::Unfit { .. })
    }
}

/// A text without ` (os error N)`, which tells people nothing.
fn without_code(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" (os error ") else { return text.to_string() };
    before.to_string() + rest.split_once(')').map_or("", |(_, after)| after)
}

/// An I/O error without its number, lower case, and without the hidden name that a file has on the way to its place.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = without_code(&error.to_string());
    let text = text.split_once(" at path \"").map_or(text.as_str(), |(cause, _)| cause);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_one_shape() {
        let missing = std::fs::read("/no/such/file").unwrap_err();
        let error = Error::io("read", Path::new("/no/such/file"), &missing);
        assert_eq!(error.to_string(), "failed to read '/no/such/file': no such file or directory");
        let nested = Error::file("write picture", Path::new("a"), format!("it failed: {missing}, twice"));
        assert!(nested.to_string().ends_with("it failed: No such file or directory, twice"), "{nested}");
        assert!(!error.is_usage());
        assert!(Error::usage("x").is_usage());
    }
}
