//! The accelerator with AXI's own port names, for tools that know buses by these.

use askama::Template;

use super::{TOP, run};
use crate::config::Config;
use crate::error::Error;

#[derive(Template)]
#[template(path = "fpga/axi/spa_axi.v")]
struct Wrapper {
    top: &'static str,
    line_bits: u32,
}

pub(super) fn render(config: &Config) -> Result<String, Error> {
    run("fpga/axi/spa_axi.v", &Wrapper { top: TOP, line_bits: config.array.line_bits })
}
