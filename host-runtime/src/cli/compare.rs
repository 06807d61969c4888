//! `spa compare`.

use super::print;
use crate::summary::Summary;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Says whether two result folders hold the same labels, histogram and messages, bit for bit
///
/// Exit code 1 if they differ.
#[derive(Debug, Args)]
pub struct Compare {
    /// Result folder (-o) of one run
    first: PathBuf,
    /// Result folder of another run
    second: PathBuf,
}

impl Compare {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let (a, b) = (Summary::read(&self.first)?, Summary::read(&self.second)?);
        let rows = [
            ("record", &a.record_hash, &b.record_hash),
            ("labels", &a.hashes.labels, &b.hashes.labels),
            ("histogram", &a.hashes.histogram, &b.hashes.histogram),
            ("messages", &a.hashes.messages, &b.hashes.messages),
        ];
        let mut text = format!(
            "{} ({}) and {} ({})\n",
            self.first.display(),
            a.backend,
            self.second.display(),
            b.backend
        );
        for (name, a, b) in rows {
            let line = if a == b { format!("equal   {a}") } else { format!("differ  {a} {b}") };
            text += &format!("  {name:<10} {line}\n");
        }
        print(&text)?;
        let equal = rows.iter().all(|(_, a, b)| a == b);
        Ok(if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
