//! `spa completions`.

use super::print;
use clap::Args;
use clap_complete::Shell;
use std::process::ExitCode;

/// Prints the completion script of a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// Shell
    shell: Shell,
}

impl Completions {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "spa", &mut script);
        print(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
