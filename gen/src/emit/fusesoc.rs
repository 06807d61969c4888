//! Core description for FuseSoC.

use askama::Template;

use super::{Files, TOP, banner, file_list, run, ulx3s};
use crate::config::Config;
use crate::error::Error;
use crate::parameters::counted;

/// At the root of the build: FuseSoC takes files beside and below a description only.
const PATH: &str = "spa_accelerator.core";

#[derive(Template)]
#[template(path = "fusesoc/spa_accelerator.core")]
struct Core<'a> {
    version: &'static str,
    title: String,
    license: &'a str,
    rtl: Vec<&'a str>,
    top: &'static str,
    /// Sources of the board's project, if the build has it.
    ulx3s: Vec<&'a str>,
}

/// Adds the description to `files`, which hold the RTL.
pub(super) fn add(config: &Config, files: &mut Files) -> Result<(), Error> {
    let array = &config.array;
    let title = format!(
        "Gibbs-sampling accelerator, {}x{} SPEs of {}",
        array.rows,
        array.cols,
        counted(array.spus, "SPU")
    );
    let list = file_list(files);
    let core = Core {
        version: env!("CARGO_PKG_VERSION"),
        title,
        license: &config.license,
        rtl: list.lines().collect(),
        top: TOP,
        ulx3s: ulx3s::sources(files),
    };
    let body = run(PATH, &core)?;
    files.insert(PATH.to_owned(), banner::with_banner(PATH, &body, config));
    Ok(())
}
