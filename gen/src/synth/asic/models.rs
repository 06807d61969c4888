//! Verilog models of the cells that a netlist uses, from their functions in the library.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::function::Function;
use super::liberty::{Cell, Library};

/// A flip-flop as a primitive, which Icarus evaluates much faster than a process. Its output comes a time unit after the
/// clock, so that nothing races with it. It begins as 0, which the array does not depend on, but gates would spread what is
/// unknown.
const FLIP_FLOP: &str = "\
`timescale 1ns / 1ps

primitive spa_ff (q, c, d);
  output q;
  reg    q;
  input  c, d;
  initial q = 0;
  table
    // c    d : q : next
       r    0 : ? : 0;
       r    1 : ? : 1;
       (0x) 0 : 0 : 0;
       (0x) 1 : 1 : 1;
       (?0) ? : ? : -;
       (1x) ? : ? : -;
       ?    * : ? : -;
  endtable
endprimitive
";

/// Models of the cells called `names`.
///
/// # Errors
/// If one has no model: a latch, or a flip-flop that is not plain.
pub fn verilog(library: &Library, names: &BTreeSet<&str>) -> Result<String, String> {
    let mut text = FLIP_FLOP.to_owned();
    for name in names {
        let cell = library
            .cells
            .get(*name)
            .ok_or_else(|| format!("the library has no cell '{name}', but the netlist"))?;
        let body = body(cell).ok_or_else(|| format!("cell '{name}' of the netlist cannot be simulated"))?;
        let ports = cell.pins.iter().map(|pin| {
            let direction = if pin.input { "input" } else { "output" };
            format!("{direction} {}", pin.name)
        });
        let ports: Vec<String> = ports.collect();
        let _ = write!(text, "\nmodule {name} ({});\n{body}endmodule\n", ports.join(", "));
    }
    Ok(text)
}

fn body(cell: &Cell) -> Option<String> {
    let mut text = String::new();
    if let Some(state) = &cell.state {
        let (next, clock) = state.plain.as_ref()?;
        let [name, inverse] = &state.names;
        let _ = writeln!(
            text,
            "  wire {name}, {inverse};\n  assign {inverse} = ~{name};\n  spa_ff #1 u_ff ({name}, {}, {});",
            clock.verilog(),
            next.verilog()
        );
    }
    for pin in cell.pins.iter().filter(|pin| !pin.input) {
        let function: &Function = pin.function.as_ref()?;
        let _ = writeln!(text, "  assign {} = {};", pin.name, function.verilog());
    }
    Some(text)
}
