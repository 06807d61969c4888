//! The cocotb tests of the build, with the AXI models of cocotbext-axi.

use crate::known::FAULT;
use crate::{Moved, config, run};
use hw_tests::tool;
use std::process::Command;

fn cocotb(build: &Moved, tests: &str) -> (bool, String) {
    let folder = build.path().join("cocotb");
    run(Command::new("make").arg(format!("COCOTB_TESTCASE={tests}")), &folder)
}

#[test]
fn cocotb_gives_the_known_result_and_a_wrong_constant_fails_it() {
    let models = Command::new("python3").args(["-c", "import cocotb, cocotbext.axi"]).output();
    if !models.is_ok_and(|output| output.status.success()) || tool::find(&["iverilog"], "-V").is_none() {
        return tool::skip("the cocotb test", "cocotb, cocotbext-axi or iverilog is not installed");
    }
    let build = Moved::new(&config());
    let (passed, text) = cocotb(&build, "");
    assert!(passed && text.contains("TESTS=3 PASS=3 FAIL=0"), "{text}");
    let (file, from, to) = FAULT;
    build.change(file, from, to);
    let (passed, text) = cocotb(&build, "gives_the_known_result");
    assert!(!passed && text.contains("FAIL=1") && text.contains("are not expected"), "{text}");
}
