//! When the simulated card is compiled, and what is said about it; with a Verilator and a Makefile that do nothing else.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.
#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use common::Case;
use spagen::simbuild::{self, State};
use spagen::{Build, Draft, emit, output};

/// Passes the self-test: its "Verilated" module computes the XOR tree in C++.
const VERILATOR: &str = r#"#!/bin/sh
case "$1" in
  --version) echo "Verilator @VERSION@ of a test" ;;
  --getenv) echo "@ROOT@" ;;
  --cc)
    mkdir -p obj
    echo 'struct Vx { unsigned a; int fb; void eval() { unsigned q = a ^ 0xACE1u; fb = (q ^ q >> 2 ^ q >> 3 ^ q >> 5) & 1; } };' > obj/Vx.h ;;
esac
"#;
const MAKEFILE: &str = "libspa_sim.so: Makefile\n\techo library > $@\n\techo made >> made\n";
const WARNING: &str = "warning: build 'b' was edited since it was generated: sim/Makefile; what is simulated is the edited \
                       design ('spagen --grid 1x1 --spu 2 --rvs 64 -o b --force' restores the files)\n";

/// A build whose library is a line of text, and a Verilator to make it.
fn case() -> Case {
    let case = Case::new();
    let mut draft = Draft::new();
    for (name, value) in [("spe", "1"), ("rvs", "64")] {
        draft.set("test", name, value);
    }
    output::write(&case.path("b"), &emit::render(&draft.finish().unwrap()).unwrap(), false).unwrap();
    case.write("b/sim/Makefile", MAKEFILE);
    for name in ["verilated.cpp", "verilated_threads.cpp"] {
        case.write(&format!("root/include/{name}"), "");
    }
    verilator(&case, "5.048");
    case
}

fn verilator(case: &Case, version: &str) {
    let text =
        VERILATOR.replace("@VERSION@", version).replace("@ROOT@", &case.path("root").display().to_string());
    case.write("verilator", &text);
    std::fs::set_permissions(case.path("verilator"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What [`compile`] says in a process of its own, whose Verilator is the file `verilator`.
fn library(case: &Case, verilator: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "compile", "--ignored", "--nocapture"])
        .current_dir(case.path(""))
        .env("SPAGEN_VERILATOR", case.path(verilator))
        .env("SPAGEN_TOOLS", case.path("tools"))
        .env("XDG_CACHE_HOME", case.path("cache"))
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[ignore = "the other tests run it, each in a folder of its own"]
fn compile() {
    let build = Build::open("b".as_ref()).unwrap();
    match simbuild::library(&build, &mut |notice| eprintln!("{notice}")) {
        Ok(library) => eprintln!("{}", if library.seconds.is_some() { "compiled" } else { "there" }),
        Err(error) => eprintln!("{error}"),
    }
}

fn state(case: &Case) -> State {
    simbuild::state(&Build::open(&case.path("b")).unwrap()).unwrap()
}

#[test]
fn a_library_that_is_up_to_date_needs_no_verilator() {
    let case = case();
    assert_eq!(state(&case), State::Missing);
    let compiling = "compiling the simulated card in b/sim: it was not compiled yet\n";
    assert_eq!(library(&case, "verilator"), format!("{WARNING}{compiling}compiled\n"));
    assert_eq!(state(&case), State::Current);
    assert_eq!(library(&case, "none"), format!("{WARNING}there\n"));
    assert_eq!(case.read("b/sim/made"), "made\n");
    // Another Verilator is no reason to compile again.
    verilator(&case, "5.050");
    assert_eq!(library(&case, "verilator"), format!("{WARNING}there\n"));
}

#[test]
fn a_damaged_library_is_found_and_compiled_again() {
    let case = case();
    library(&case, "verilator");
    case.write("b/sim/libspa_sim.so", "lib");
    assert_eq!(state(&case), State::Damaged);
    let text = library(&case, "none");
    assert!(text.contains("'b/sim': its library is damaged)"), "{text}");
    assert!(text.contains("correct SPAGEN_VERILATOR, or unset it"), "{text}");
    assert!(!text.contains("--install"), "{text}");
    assert_eq!(case.read("b/sim/libspa_sim.so"), "lib");
    assert!(library(&case, "verilator").ends_with("its library is damaged\ncompiled\n"));
    assert_eq!((case.read("b/sim/libspa_sim.so"), state(&case)), ("library\n".to_owned(), State::Current));
}

#[test]
fn edited_and_missing_sources_are_named() {
    let case = case();
    library(&case, "verilator");
    let text = case.read("b/rtl/spa_top.sv") + "// edited\n";
    case.write("b/rtl/spa_top.sv", &text);
    assert_eq!(state(&case), State::Outdated);
    let said = library(&case, "verilator");
    assert!(said.contains("edited since it was generated: rtl/spa_top.sv, sim/Makefile;"), "{said}");
    assert!(said.ends_with("its sources have changed\ncompiled\n"), "{said}");
    std::fs::remove_file(case.path("b/rtl/spa_top.sv")).unwrap();
    assert_eq!(
        library(&case, "none"),
        "failed to open build 'b': rtl/spa_top.sv is missing; generate it again with 'spagen --grid 1x1 --spu 2 --rvs 64 -o b'\n"
    );
}

#[test]
fn a_library_of_an_old_verilator_is_not_trusted() {
    let case = case();
    library(&case, "verilator");
    let stamp = case.read("b/sim/libspa_sim.stamp").replace("5.048", "5.006");
    case.write("b/sim/libspa_sim.stamp", &stamp);
    assert_eq!(state(&case), State::Untrusted);
    assert!(library(&case, "verilator").ends_with("by a Verilator that is too old\ncompiled\n"));
}
