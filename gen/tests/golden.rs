//! Numbered configurations and what they render to. `UPDATE_GOLDEN=1 cargo test -p spagen` refreshes the files.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

use std::fs;
use std::path::{Path, PathBuf};

use spagen::{Draft, emit};

/// Files that differ from build to build; the others are the templates themselves.
const KEPT: [&str; 8] = [
    "rtl/spa_accelerator.sv",
    "README.md",
    "reports/report.md",
    "manifest.toml",
    "hls/spa_config.hpp",
    "hls/catapult/spa.tcl",
    "hls/intel/spa_array.tcl",
    "hls/intel/spa_s2_switch.cpp",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Compares with a golden file, or writes it.
fn compare(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    assert!(
        golden == text,
        "{} differs; if that is meant: UPDATE_GOLDEN=1 cargo test -p spagen",
        path.display()
    );
}

/// The manifest without the hashes of files, which change with every template.
fn without_files(text: &str) -> String {
    text.split("[files]").next().unwrap_or_default().to_owned()
}

#[test]
fn configurations_render_as_kept() {
    let mut configs: Vec<PathBuf> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    configs.sort();
    assert!(configs.len() >= 5);
    for config in configs {
        let text = fs::read_to_string(&config).unwrap();
        let files = Draft::parse(&text, "golden").map(|config| emit::render(&config).unwrap());
        let files = files.unwrap_or_else(|errors| panic!("{}: {errors}", config.display()));
        let folder = config.with_extension("");
        for name in KEPT {
            let text =
                if name == "manifest.toml" { without_files(&files[name]) } else { files[name].clone() };
            compare(&folder.join(name.replace('/', "-")), &text);
        }
    }
}

#[test]
fn parameter_page_is_current() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/parameters.md");
    compare(&page, &spagen::cli::parameters_markdown());
}
