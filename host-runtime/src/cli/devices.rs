//! `spa devices`.

use super::print;
use crate::backend::registry::{Device, devices};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Lists backends and builds: what can be used here, and why not
#[derive(Debug, Args)]
pub struct Devices {
    /// Build folders to look at
    #[arg(long = "build", value_name = "DIR", default_value = "build")]
    builds: Vec<PathBuf>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

impl Devices {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let devices = devices(&self.builds);
        if self.json {
            print(&(serde_json::to_string_pretty(&devices)? + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let line = |device: &Device| {
            let usable = if device.usable { "usable" } else { "not usable" };
            format!("{:<8} {usable:<11} {}\n", device.name, device.detail)
        };
        print(&devices.iter().map(line).collect::<String>())?;
        Ok(ExitCode::SUCCESS)
    }
}
