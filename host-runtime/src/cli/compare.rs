//! `spa compare`.

use super::print;
use crate::error::Error;
use crate::formats::numbers::Numbers;
use crate::npy;
use crate::results::{HISTOGRAM, chain_file};
use crate::summary::Summary;
use clap::Args;
use spa_model::hash::{hash_u16, hash_u32, sha256_hex};
use std::path::{Path, PathBuf};
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
        check_arrays(&self.first, &a)?;
        check_arrays(&self.second, &b)?;
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

/// The arrays of a folder must be those that its summary speaks of. A sparse histogram is not read.
fn check_arrays(folder: &Path, summary: &Summary) -> Result<(), Error> {
    let changed = |name: &str| {
        let cause = "it does not have the hash that summary.json names: damaged, or changed since the run";
        Err(Error::file("compare", &folder.join(name), cause))
    };
    let several = summary.chains.as_ref().map_or(0, Vec::len);
    let files: Vec<String> = match several {
        0 => vec!["labels.npy".to_string()],
        n => (0..n).map(chain_file).collect(),
    };
    let mut labels = Vec::new();
    for file in &files {
        labels.extend(npy::read_plane(&folder.join(file))?.2);
    }
    if sha256_hex(&labels) != summary.hashes.labels {
        return changed(&files.join(", "));
    }
    if summary.histogram_file.as_deref() == Some(HISTOGRAM) {
        let path = folder.join(HISTOGRAM);
        let found = match several {
            0 => hash_u16(&npy::read(&path)?.values),
            _ => hash_u32(&Numbers::open(&path)?.values.iter().map(|&v| v as u32).collect::<Vec<_>>()),
        };
        if found != summary.hashes.histogram {
            return changed(HISTOGRAM);
        }
    }
    Ok(())
}
