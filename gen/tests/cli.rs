//! The command line end to end: arguments and files in; output, messages and exit codes out.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

mod common;

use common::Case;

#[test]
fn generates_a_build() {
    let case = Case::new();
    let line = case.run(&["--spe", "16", "--spu", "2", "-o", "build"]).ok();
    assert!(line.starts_with("build: 4x4 SPEs of 2 SPUs, 262144 RVs, configuration "), "{line}");
    for name in [
        "rtl/spa_accelerator.sv",
        "rtl/spa_top.sv",
        "rtl/files.f",
        "sw/spa_regs.h",
        "sim/Makefile",
        "reports/report.json",
        "manifest.toml",
        "README.md",
    ] {
        assert!(case.path("build").join(name).is_file(), "{name}");
    }
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(case.path("")).unwrap().count(), 1);
}

#[test]
fn the_same_command_changes_nothing() {
    let case = Case::new();
    case.run(&["--spe", "4", "-o", "b"]).ok();
    let before = case.tree("b");
    let line = case.run(&["--spe", "4", "-o", "b"]).ok();
    assert!(line.contains(" 0 changed, 0 removed"), "{line}");
    assert_eq!(case.tree("b"), before);
}

#[test]
fn unknown_key_in_a_file_names_the_nearest() {
    Case::new().file("a.toml", "spe = 4\nsingelton_bits = 6\n").run(&["--config", "a.toml"]).fails(
        2,
        "error: failed to configure 'singelton_bits' (a.toml, line 2): no such parameter; did you mean 'singleton_bits'?\n",
    );
}

#[test]
fn all_mistakes_are_listed() {
    Case::new()
        .file("a.toml", "spus = 3\n")
        .run(&["--config", "a.toml", "--set", "line_bits=100", "--set", "zzzzzz=1"])
        .fails(
            2,
            "error: failed to configure 'spus' (a.toml, line 1): '3' is not allowed, must be 1, 2, 4 or 8; see 'spagen explain spus'\n\
             error: failed to configure 'line_bits' (--set): '100' is not allowed, must be 128, 256 or 512; see 'spagen explain line_bits'\n\
             error: failed to configure 'zzzzzz' (--set): no such parameter; 'spagen explain' lists them all\n",
        );
}

#[test]
fn bad_values_are_usage_and_write_nothing() {
    for (arguments, message) in [
        (
            &["--spe", "0"][..],
            "error: failed to configure 'spe' (--spe): '0' is not allowed, must be 1 to 4095; see 'spagen explain spe'\n",
        ),
        (
            &["--grid", "2by3"],
            "error: failed to configure 'grid' (--grid): '2by3' is not allowed, must be ROWSxCOLS with at most 4095 SPEs, such as 2x3; see 'spagen explain grid'\n",
        ),
        (
            &["--rvs", "lots"],
            "error: failed to configure 'rvs' (--rvs): 'lots' is not allowed, must be 8 to 4293918720; see 'spagen explain rvs'\n",
        ),
        (
            &["--preset", "desertation"],
            "error: failed to use preset 'desertation' (--preset): no such preset; did you mean 'dissertation'?\n",
        ),
        (
            &["--config", "none.toml"],
            "error: failed to read configuration 'none.toml': no such file or directory\n",
        ),
        (
            &["--spe", "4", "--set", "rng_share=4", "--set", "spus=4"],
            "error: failed to configure 'rng_share': rng_share is 4, but must be 1…2 with spus = 4\n",
        ),
        (
            &["--spe", "1", "--rvs", "2M"],
            "error: failed to configure 'rv_capacity': rv_capacity is 2097152, but must be a multiple of 8 from 8 to 1048576; it is rvs divided by the SPEs, so take more SPEs or fewer rvs\n",
        ),
    ] {
        let case = Case::new();
        case.run(arguments).fails(2, message);
        assert!(!case.path("build").exists());
    }
}

#[test]
fn clap_mistakes_are_usage_too() {
    let case = Case::new();
    for arguments in [&["--no-such"][..], &["--spe", "4", "--grid", "2x2"], &[]] {
        let done = case.run(arguments);
        assert_eq!(done.code, 2, "{arguments:?}");
    }
    assert_eq!(case.run(&["--help"]).code, 0);
    assert!(case.run(&["--version"]).ok().starts_with("spagen "));
}

#[test]
fn explain_knows_every_name_and_suggests() {
    let case = Case::new();
    let text = case.run(&["explain", "line_bits"]).ok();
    assert!(text.contains("128, 256 or 512") && text.contains("LineBits"), "{text}");
    // Every line of every table: two blanks, a name, its column, two blanks, a text.
    let list = case.run(&["explain"]).ok();
    for text in [&list, &text, &case.run(&["explain", "spe"]).ok()] {
        let column = |line: &str| line.rfind("   ").map_or(0, |at| at + 3);
        let widest = text.lines().skip(1).map(column).max().unwrap();
        assert!(widest <= "  schedule_entries  ".len(), "{text}");
    }
    assert!(list.contains("\n  label_bits        1 to 8; default 6\n"), "{list}");
    assert_eq!(case.run(&["explain", "--", "--spu"]).ok(), case.run(&["explain", "spus"]).ok());
    case.run(&["explain", "lable_bits"])
        .fails(2, "error: failed to explain 'lable_bits': no such parameter; did you mean 'label_bits'?\n");
    for parameter in spagen::parameters::PARAMETERS {
        assert!(case.run(&["explain", parameter.name]).ok().starts_with(parameter.name));
    }
}

#[test]
fn presets_are_listed() {
    let text = Case::new().run(&["presets"]).ok();
    for preset in spagen::presets::PRESETS {
        assert!(text.contains(preset.name), "{}", preset.name);
    }
}

#[test]
fn report_is_text_or_json() {
    let case = Case::new();
    let text = case.run(&["report", "--spe", "16"]).ok();
    assert!(text.contains("Memory (model)") && text.contains("Table 3.1"), "{text}");
    let json = case
        .run(&["report", "--json", "--preset", "dissertation", "--size", "450x375", "--labels", "56"])
        .ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["workloads"]["runs"][0]["tile_width"], 116);
    case.run(&["report", "--size", "450"])
        .fails(2, "error: failed to read --size '450': must be WIDTHxHEIGHT, such as 450x375\n");
    case.run(&["report", "--rvs", "1K", "--size", "450x375"]).fails(
        2,
        "error: failed to report on workload '450x375x16': needs rv_capacity = 10904, the build has 64\n",
    );
}

#[test]
fn report_of_a_folder_is_that_of_its_options() {
    let case = Case::new();
    case.run(&["--preset", "small", "-o", "b"]).ok();
    assert_eq!(case.run(&["report", "--folder", "b"]).ok(), case.run(&["report", "--preset", "small"]).ok());
    case.run(&["report", "--folder", "c"]).fails(
        1,
        "error: failed to open build 'c': there is no such folder; generate a build with 'spagen --spe 16 --spu 2 -o c'\n",
    );
}

#[test]
fn completions_and_man_page() {
    let case = Case::new();
    assert!(case.run(&["completions", "bash"]).ok().contains("--spe"));
    assert!(case.run(&["man"]).ok().contains("spagen"));
}

#[test]
fn doctor_prints_json() {
    let case = Case::new();
    // Nothing on PATH: everything is missing, and that is a failure.
    let output = case
        .command(&["doctor", "--json"])
        .env("PATH", case.path("empty"))
        .env("SPAGEN_TOOLS", case.path("tools"))
        .env_remove("SPAGEN_VERILATOR")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let findings: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(findings.len() >= 8);
    assert!(findings.iter().all(|finding| finding["state"] == "missing"), "{findings:?}");
}

#[test]
#[cfg(unix)]
fn doctor_refuses_an_old_or_wrong_verilator() {
    use std::os::unix::fs::PermissionsExt as _;
    let case = Case::new();
    for (version, state, note) in [
        ("Verilator 5.006 2023-01-22 rev", "old", "version 5.006 is older than 5.028"),
        ("Verilator 5.040 2025-01-01 rev", "broken", "self-test"),
        (
            "true (GNU coreutils) 9.1",
            "broken",
            "it is no Verilator: its '--version' says 'true (GNU coreutils) 9.1'",
        ),
    ] {
        case.write(
            "bin/verilator",
            &format!("#!/bin/sh\ncase \"$1\" in --version) echo '{version}' ;; *) exit 1 ;; esac\n"),
        );
        let path = case.path("bin/verilator");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = case.command(&["doctor", "--json"]).env("SPAGEN_VERILATOR", &path).output().unwrap();
        let findings: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(findings[0]["state"], state);
        assert!(findings[0]["note"].as_str().unwrap().contains(note), "{}", findings[0]["note"]);
        // Another one would not be taken while the variable rules.
        let output = case.command(&["doctor"]).env("SPAGEN_VERILATOR", &path).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.starts_with("  verilator: ")).unwrap();
        assert!(line.contains("correct SPAGEN_VERILATOR") && !line.contains("install"), "{line}");
    }
}
