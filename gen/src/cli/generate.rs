//! `spagen [options] -o FOLDER`.

use std::process::ExitCode;

use serde::Serialize;

use super::args::GenerateArgs;
use super::print;
use crate::parameters::counted;
use crate::{emit, output};

#[derive(Serialize)]
struct Summary<'a> {
    folder: String,
    config_hash: String,
    files: usize,
    changed: &'a [String],
    removed: &'a [String],
}

pub(super) fn run(args: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let config = args.build.config()?;
    let files = emit::render(&config)?;
    let written = output::write(&args.output, &files, args.force)?;
    if args.json {
        let summary = Summary {
            folder: args.output.display().to_string(),
            config_hash: config.hash(),
            files: files.len(),
            changed: &written.changed,
            removed: &written.removed,
        };
        return print(&(serde_json::to_string_pretty(&summary)? + "\n"));
    }
    let array = &config.array;
    print(&format!(
        "{}: {}x{} SPEs of {}, {} RVs, configuration {}; {} files, {} changed, {} removed\n",
        args.output.display(),
        array.rows,
        array.cols,
        counted(array.spus, "SPU"),
        config.rvs(),
        &config.hash()[..16],
        files.len(),
        written.changed.len(),
        written.removed.len()
    ))
}
