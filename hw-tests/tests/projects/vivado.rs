//! The Vivado script of the Zynq board, run by a plain Tcl interpreter with stand-ins for Vivado's commands.

use crate::{Moved, config, run};
use hw_tests::{builds, tool};
use spagen::emit;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = "fpga/pynq-z2/build.tcl";
const BOARD: &str = "tul.com.tw:pynq-z2:part0:1.0";

/// Runs the script of a build with a goal, from another folder.
fn vivado(build: &Moved, goal: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let stand_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("projects/vivado.tcl");
    let mut command = Command::new("tclsh");
    command.arg(stand_in).arg(build.path().join(SCRIPT)).arg(goal);
    command.env("BOARD_PARTS", BOARD).envs(environment.iter().copied());
    run(&mut command, &build.path())
}

#[test]
fn the_vivado_script_connects_everything() {
    if tool::find(&["tclsh"], "/dev/null").is_none() {
        return tool::skip("the_vivado_script_connects_everything", "tclsh is not installed");
    }
    let build = Moved::new(&config());
    let (passed, text) = vivado(&build, "bitstream", &[]);
    assert!(passed, "{text}");
    for line in [
        "bus ps/M_AXI_GP0 to_registers/S00_AXI",
        "bus to_registers/M00_AXI accelerator/s_axil",
        "bus accelerator/m_axi to_memory/S00_AXI",
        "bus to_memory/M00_AXI ps/S_AXI_HP0",
        "net ps/FCLK_CLK0 accelerator/aclk",
        "net reset/peripheral_aresetn accelerator/aresetn",
        "space ps/Data accelerator/s_axil/reg0 0x43C00000",
        "space accelerator/m_axi ps/S_AXI_HP0/HP0_DDR_LOWOCM -",
        "copy system_wrapper.bit spa_pynq_z2.bit",
        "copy system.hwh spa_pynq_z2.hwh",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    // Ends early, and in failure, as it should.
    let (passed, text) = vivado(&build, "synth", &[]);
    assert!(passed && !text.contains("copy"), "{text}");
    let refused = |goal: &str, environment: &[(&str, &str)], cause: &str| {
        let (passed, text) = vivado(&build, goal, environment);
        assert!(!passed && text.contains(cause), "{text}");
    };
    refused("everything", &[], "must be design, synth or bitstream");
    refused(
        "synth",
        &[("BOARD_PARTS", "")],
        "the board files of the PYNQ-Z2 (tul.com.tw:pynq-z2) are missing",
    );
    refused("synth", &[("RUN_FAILS", "1")], "synth_1 failed; see");
}

#[test]
fn the_stand_in_finds_faults_of_the_script() {
    if tool::find(&["tclsh"], "/dev/null").is_none() {
        return tool::skip("the_stand_in_finds_faults_of_the_script", "tclsh is not installed");
    }
    for (from, to, cause) in [
        ("ps/FCLK_RESET0_N", "ps/FCLK_RESET_N", "cell ps has no FCLK_RESET_N"),
        (" [get_bd_pins accelerator/aclk]", "", "accelerator/aclk is open"),
        (
            "[get_bd_intf_pins accelerator/m_axi] [get_bd_intf_pins to_memory/S00_AXI]",
            "[get_bd_intf_pins to_memory/S00_AXI] [get_bd_intf_pins accelerator/m_axi]",
            "to_memory/S00_AXI is no master",
        ),
        ("PCW_USE_S_AXI_HP0 1", "PCW_USE_AXI_HP0 1", "property PCW_USE_AXI_HP0 of ps"),
        ("smartconnect:1.0", "smartconnect:9.0", "no core xilinx.com:ip:smartconnect:9.0"),
        ("\nsave_bd_design\n", "\nsave_design\n", "save_design"),
        ("fpga axi spa_axi.v", "fpga axi spa.v", "no file"),
    ] {
        let build = Moved::new(&config());
        build.change(SCRIPT, from, to);
        let (passed, text) = vivado(&build, "bitstream", &[]);
        assert!(!passed && text.contains(cause), "{cause}: {text}");
    }
}

#[test]
fn builds_with_wide_lines_have_no_vivado_project() {
    let files = emit::render(&builds::config(&["grid=1x1"]).unwrap()).unwrap();
    assert!(!files.contains_key(SCRIPT) && !files["README.md"].contains("pynq"));
}
