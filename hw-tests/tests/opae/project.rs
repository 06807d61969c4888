//! The project folder of the card: wrappers, lists, AFU descriptions.

use crate::library::{self, build, ccip, pim, run};
use hw_tests::builds;
use spagen::{emit, output, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROJECT: &str = "fpga/pac-a10";

/// Files that a list of sources names, relative to the folder of the list.
fn listed(list: &str) -> Vec<&str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Warnings of Verilator about files of the build, with all of them switched on.
fn warnings(top: &str, headers: &Path, files: Vec<PathBuf>) -> Vec<String> {
    let verilator = tools::verilator().unwrap();
    let build = build();
    let text = run(
        Command::new(verilator.command())
            .args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", top, "-F"])
            .arg(build.folder().join("rtl/files.f"))
            .arg(format!("-I{}", headers.display()))
            .args(files),
        build.folder(),
    );
    let build = build.folder().display().to_string();
    let of_build = |line: &&str| line.contains("%Warning") && line.contains(&build);
    text.lines().filter(of_build).map(str::to_owned).collect()
}

#[test]
fn wrappers_lint_without_warnings_against_stand_ins() {
    let sources = library::sources();
    assert_eq!(warnings("ccip_std_afu", &sources, ccip(&build())), [""; 0]);
    assert_eq!(warnings("pim", &sources.join("pim"), pim(&build())), [""; 0]);
}

#[test]
fn the_project_is_complete_wherever_it_lies() {
    let config = library::config();
    let files = emit::render(&config).unwrap();
    assert_eq!(files, emit::render(&config).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (made, moved) = (folder.path().join("a"), folder.path().join("elsewhere/b"));
    output::write(&made, &files, false).unwrap();
    fs::create_dir_all(moved.parent().unwrap()).unwrap();
    fs::rename(&made, &moved).unwrap();
    let project = moved.join(PROJECT);
    let read = |name: &str| fs::read_to_string(project.join(name)).unwrap();
    for list in ["sources_pim.txt", "sources_ccip.txt"] {
        let text = read(list);
        let names = listed(&text);
        assert!(names.len() > 30, "{list}");
        for name in names {
            assert!(Path::new(name).is_relative() && project.join(name).is_file(), "{list}: {name}");
        }
    }
    let settings = read("spa_core.qsf");
    let sources: Vec<&str> =
        settings.lines().filter_map(|line| line.split("SYSTEMVERILOG_FILE ").nth(1)).collect();
    assert_eq!(sources.len(), moved.join("rtl").read_dir().unwrap().count() - 1);
    assert!(sources.iter().all(|name| project.join(name).is_file()), "{settings}");
    assert!(settings.contains("SDC_FILE spa_core.sdc") && project.join("spa_core.sdc").is_file());
    assert!(read("spa_core.qpf").contains("PROJECT_REVISION = \"spa_core\""));
}

#[test]
fn afu_descriptions_have_the_form_that_opae_reads() {
    let files = emit::render(&library::config()).unwrap();
    for (name, class) in [("pim", "ofs_plat_afu"), ("ccip", "ccip_std_afu")] {
        let text = &files[&format!("{PROJECT}/spa_{name}.json")];
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(json["version"], 1);
        let image = &json["afu-image"];
        assert_eq!(image["afu-top-interface"]["class"], class);
        assert!(image["power"].is_u64());
        for key in ["clock-frequency-high", "clock-frequency-low"] {
            assert!(image[key].as_str().unwrap().starts_with("auto"), "{key}");
        }
        let clusters = image["accelerator-clusters"].as_array().unwrap();
        assert_eq!(clusters.len(), 1);
        assert_eq!(clusters[0]["total-contexts"], 1);
        let uuid = clusters[0]["accelerator-type-uuid"].as_str().unwrap();
        assert_eq!(u128::from_str_radix(&uuid.replace('-', ""), 16), Ok(spagen::regmap::AFU_ID));
        assert_eq!(uuid.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    }
}

#[test]
fn builds_with_narrow_lines_have_no_project() {
    let config = builds::config(&["grid=1x1", "line_bits=128"]).unwrap();
    let files = emit::render(&config).unwrap();
    assert!(!files.keys().any(|path| path.starts_with(PROJECT)));
    assert!(!files["README.md"].contains("pac-a10"));
}
