//! Foreign tools that some tests need: where they are, or why a test is skipped.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The first of `names` that runs with `argument` (such as `--version`).
pub fn find(names: &[&str], argument: &str) -> Option<PathBuf> {
    let runs = |name: &&&str| {
        let mut command = Command::new(name);
        command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    names.iter().find(runs).map(PathBuf::from)
}

/// Says on standard error that a test is skipped, and why.
pub fn skip(test: &str, cause: &str) {
    eprintln!("skipped: {test}: {cause}");
}
