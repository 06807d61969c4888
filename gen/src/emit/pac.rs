//! Project for the Arria 10 GX PAC: what wraps the core for that card, and the lists that its tools read.

use askama::Template;

use super::{Files, TOP, banner, file_list, run};
use crate::config::Config;
use crate::error::Error;
use crate::regmap::afu_uuid;

/// Folder of the project in a build.
const FOLDER: &str = "fpga/pac-a10";
/// CCI-P and the card's PIM move lines of this width only.
const LINE_BITS: u32 = 512;

/// A host interface.
struct Wrapper {
    name: &'static str,
    /// Its files in `hw/`, the top last.
    files: &'static [&'static str],
}

const WRAPPERS: [Wrapper; 2] = [
    Wrapper { name: "pim", files: &["ofs_plat_afu.sv"] },
    Wrapper {
        name: "ccip",
        files: &["spa_ccip_mmio.sv", "spa_ccip_read.sv", "spa_ccip_write.sv", "ccip_std_afu.sv"],
    },
];

#[derive(Template)]
#[template(path = "fpga/pac-a10/sources.txt")]
struct Sources<'a> {
    wrapper: &'a str,
    rtl: &'a [String],
    hw: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "fpga/pac-a10/spa_pim.json")]
struct PimJson<'a> {
    uuid: &'a str,
}

#[derive(Template)]
#[template(path = "fpga/pac-a10/spa_ccip.json")]
struct CcipJson<'a> {
    uuid: &'a str,
}

#[derive(Template)]
#[template(path = "fpga/pac-a10/spa_core.qsf")]
struct Settings<'a> {
    top: &'a str,
    rtl: &'a [String],
}

#[derive(Template)]
#[template(path = "fpga/pac-a10/spa_core.qpf")]
struct Project;

#[derive(Template)]
#[template(path = "fpga/pac-a10/spa_core.sdc")]
struct Constraints;

#[derive(Template)]
#[template(path = "fpga/pac-a10/README.md")]
struct Readme<'a> {
    uuid: &'a str,
    hash: &'a str,
}

/// Adds the project to `files`, which hold the RTL; a build with narrower lines has none.
pub(super) fn add(config: &Config, files: &mut Files) -> Result<(), Error> {
    let is_ours = |path: &&str| path.starts_with(FOLDER);
    if config.array.line_bits != LINE_BITS {
        files.retain(|path, _| !is_ours(&path.as_str()));
        return Ok(());
    }
    let (uuid, hash) = (&afu_uuid(), &config.hash());
    let list = file_list(files);
    let rtl: Vec<String> = list.lines().map(str::to_owned).collect();
    let mut put = |name: &str, body: Result<String, Error>| -> Result<(), Error> {
        let path = format!("{FOLDER}/{name}");
        let text = banner::with_banner(&path, &body?, config);
        files.insert(path, text);
        Ok(())
    };
    for wrapper in WRAPPERS {
        let name = format!("sources_{}.txt", wrapper.name);
        put(&name, run(&name, &Sources { wrapper: wrapper.name, rtl: &rtl, hw: wrapper.files }))?;
    }
    put("spa_pim.json", run("spa_pim.json", &PimJson { uuid }))?;
    put("spa_ccip.json", run("spa_ccip.json", &CcipJson { uuid }))?;
    put("spa_core.qpf", run("spa_core.qpf", &Project))?;
    put("spa_core.qsf", run("spa_core.qsf", &Settings { top: TOP, rtl: &rtl }))?;
    put("spa_core.sdc", run("spa_core.sdc", &Constraints))?;
    put("README.md", run("README.md", &Readme { uuid, hash }))
}
