//! Every form of the register map.

use askama::Template;

use super::run;
use crate::config::Config;
use crate::error::Error;
use crate::regmap::Map;

#[derive(Template)]
#[template(path = "rtl/spa_regs.sv")]
struct Rtl {
    map: Map,
}

#[derive(Template)]
#[template(path = "sw/spa_regs.h")]
struct Header {
    map: Map,
}

#[derive(Template)]
#[template(path = "sw/spa_regs.rs")]
struct Rust {
    map: Map,
}

#[derive(Template)]
#[template(path = "sw/spa_regs.rdl")]
struct Rdl {
    map: Map,
}

#[derive(Template)]
#[template(path = "sw/registers.md")]
struct Markdown {
    map: Map,
}

pub(super) fn rtl(_config: &Config) -> Result<String, Error> {
    run("rtl/spa_regs.sv", &Rtl { map: Map })
}

pub(super) fn header(_config: &Config) -> Result<String, Error> {
    run("sw/spa_regs.h", &Header { map: Map })
}

pub(super) fn rust(_config: &Config) -> Result<String, Error> {
    run("sw/spa_regs.rs", &Rust { map: Map })
}

pub(super) fn rdl(_config: &Config) -> Result<String, Error> {
    run("sw/spa_regs.rdl", &Rdl { map: Map })
}

pub(super) fn markdown(_config: &Config) -> Result<String, Error> {
    run("sw/registers.md", &Markdown { map: Map })
}
