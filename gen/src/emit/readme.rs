//! README of a build folder.

use askama::Template;

use super::{TOP, pynq, run, ulx3s};
use crate::config::Config;
use crate::error::Error;
use crate::parameters::counted;

#[derive(Template)]
#[template(path = "build/README.md")]
struct Readme<'a> {
    config: &'a Config,
    top: &'static str,
    spus: String,
    rvs: u64,
    hash: String,
    command: String,
    links: &'static str,
    has_ulx3s: bool,
    has_pynq: bool,
}

pub(super) fn render(config: &Config) -> Result<String, Error> {
    let template = Readme {
        config,
        top: TOP,
        spus: counted(config.array.spus, "SPU"),
        rvs: config.rvs(),
        hash: config.hash(),
        command: config.command(),
        has_ulx3s: ulx3s::has_project(config),
        has_pynq: pynq::has_project(config),
        links: if config.array.s2_links { "links to the eight neighbours" } else { "replicated margins" },
    };
    run("README.md", &template)
}
