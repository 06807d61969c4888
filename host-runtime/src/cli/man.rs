//! `spa man`.

use super::print;
use crate::error::Error;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes the man pages: spa.1 and one page a subcommand
#[derive(Debug, Args)]
pub struct Man {
    /// Folder for the pages
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
}

impl Man {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        std::fs::create_dir_all(&self.output).map_err(|e| Error::io("create folder", &self.output, &e))?;
        clap_mangen::generate_to(super::command(), &self.output)
            .map_err(|e| Error::io("write man pages into", &self.output, &e))?;
        print(&format!("man pages in {}\n", self.output.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
