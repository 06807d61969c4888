//! Memories of an ASIC: macros that somebody else makes. Nothing is invented about them: area, times and energies are those
//! that the user gives, or missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::liberty::Library;
use crate::error::{Error, plain};

/// Form of a memory with one write and one read port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Data a clock after the address, rather than at once.
    pub clocked: bool,
}

impl Shape {
    /// Name of its cell.
    #[must_use]
    pub fn cell(&self) -> String {
        format!(
            "spa_memory_{}x{}_{}",
            self.depth,
            self.width,
            if self.clocked { "clocked" } else { "direct" }
        )
    }

    /// Bits.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.depth as u64 * self.width as u64
    }
}

/// What a file says of a macro.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Macro {
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Data a clock after the address (the default), rather than at once.
    #[serde(default = "yes")]
    pub clocked: bool,
    /// Area in the unit of the library.
    pub area: f64,
    /// From the clock, or from the address of a direct one, to the data, in ns.
    pub access_ns: Option<f64>,
    /// Addresses, data and enables before the clock, in ns.
    pub setup_ns: Option<f64>,
    /// Energy of a read, in pJ.
    pub read_pj: Option<f64>,
    /// Energy of a write, in pJ.
    pub write_pj: Option<f64>,
    /// Leakage, in microwatts.
    pub leakage_uw: Option<f64>,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "macro")]
    macros: Vec<Macro>,
}

/// Macros that the user knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Macros(Vec<Macro>);

impl Macros {
    /// Reads a file of `[[macro]]` tables.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, is no such file, or a figure is negative.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let fail = |cause: String| Error::Io { action: "read", path: path.to_owned(), cause };
        let text = std::fs::read_to_string(path).map_err(|error| fail(plain(&error)))?;
        let file: File =
            toml::from_str(&text).map_err(|error| fail(error.to_string().trim_end().to_owned()))?;
        for (number, entry) in file.macros.iter().enumerate() {
            let optional = [entry.access_ns, entry.setup_ns, entry.read_pj, entry.write_pj, entry.leakage_uw];
            let bad =
                optional.into_iter().flatten().chain([entry.area]).find(|value| !(0.0..1e12).contains(value));
            if let Some(value) = bad {
                return Err(fail(format!("macro {} has {value}, but figures must be 0 or more", number + 1)));
            }
            let same = |other: &Macro| {
                (other.depth, other.width, other.clocked) == (entry.depth, entry.width, entry.clocked)
            };
            if file.macros[..number].iter().any(same) {
                return Err(fail(format!("{}x{} is there twice", entry.depth, entry.width)));
            }
        }
        Ok(Self(file.macros))
    }

    /// What is known of a shape.
    #[must_use]
    pub fn of(&self, shape: &Shape) -> Option<&Macro> {
        self.0.iter().find(|entry| {
            (entry.depth, entry.width, entry.clocked) == (shape.depth, shape.width, shape.clocked)
        })
    }
}

/// Cells for OpenSTA in the form of a library: pins, and arcs where times are known.
#[must_use]
pub fn liberty(shapes: &BTreeMap<String, Shape>, macros: &Macros, library: &Library) -> String {
    let mut text = String::from(
        "library (spa_memories) {\n  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  voltage_unit : \"1V\";\n  \
         current_unit : \"1uA\";\n  leakage_power_unit : \"1nW\";\n  pulling_resistance_unit : \"1kohm\";\n  \
         capacitive_load_unit (1, pf);\n",
    );
    let defaults = [
        ("input_threshold", 50),
        ("output_threshold", 50),
        ("slew_lower_threshold", 20),
        ("slew_upper_threshold", 80),
    ];
    for (name, percent) in defaults {
        for edge in ["rise", "fall"] {
            let name = format!("{name}_pct_{edge}");
            let given =
                library.thresholds.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
            let _ = writeln!(text, "  {name} : {};", given.unwrap_or_else(|| percent.to_string()));
        }
    }
    let mut widths: Vec<u32> = shapes.values().flat_map(|shape| [shape.width, shape.address_bits]).collect();
    widths.sort_unstable();
    widths.dedup();
    for width in widths {
        let _ = writeln!(
            text,
            "  type (bus{width}) {{ base_type : array; data_type : bit; bit_width : {width}; bit_from : {}; bit_to : 0; }}",
            width - 1
        );
    }
    for (name, shape) in shapes {
        cell(&mut text, name, shape, macros.of(shape));
    }
    text + "}\n"
}

fn cell(text: &mut String, name: &str, shape: &Shape, known: Option<&Macro>) {
    let setup = known.and_then(|known| known.setup_ns).map_or_else(String::new, |time| {
        let scalar = |edge: &str| format!("{edge}_constraint (scalar) {{ values (\"{time}\"); }} ");
        format!(
            " timing () {{ related_pin : \"clk_i\"; timing_type : setup_rising; {}{}}}",
            scalar("rise"),
            scalar("fall")
        )
    });
    let access = known.and_then(|known| known.access_ns).map_or_else(String::new, |time| {
        let scalar = |name: &str, value: f64| format!("{name} (scalar) {{ values (\"{value}\"); }} ");
        let from = if shape.clocked {
            "related_pin : \"clk_i\"; timing_type : rising_edge; "
        } else {
            "related_pin : \"raddr_i\"; timing_sense : non_unate; "
        };
        // Edges as of a small driver.
        let edges = scalar("rise_transition", 0.1) + &scalar("fall_transition", 0.1);
        format!(" timing () {{ {from}{}{}{edges}}}", scalar("cell_rise", time), scalar("cell_fall", time))
    });
    let read_setup = if shape.clocked { setup.as_str() } else { "" };
    let _ = write!(
        text,
        "  cell ({name}) {{\n    area : 0;\n    pin (clk_i) {{ direction : input; clock : true; capacitance : 0; }}\n    \
         pin (we_i) {{ direction : input; capacitance : 0;{setup} }}\n    \
         pin (re_i) {{ direction : input; capacitance : 0;{read_setup} }}\n    \
         bus (waddr_i) {{ bus_type : bus{a}; direction : input; capacitance : 0;{setup} }}\n    \
         bus (mask_i) {{ bus_type : bus{w}; direction : input; capacitance : 0;{setup} }}\n    \
         bus (wdata_i) {{ bus_type : bus{w}; direction : input; capacitance : 0;{setup} }}\n    \
         bus (raddr_i) {{ bus_type : bus{a}; direction : input; capacitance : 0;{read_setup} }}\n    \
         bus (rdata_o) {{ bus_type : bus{w}; direction : output;{access} }}\n  }}\n",
        a = shape.address_bits,
        w = shape.width,
    );
}

/// A module for simulation. Words begin as 0: nothing reads one that was not written, but gates would spread what is unknown.
#[must_use]
pub fn model(name: &str, shape: &Shape) -> String {
    let (a, w) = (shape.address_bits - 1, shape.width - 1);
    let read = if shape.clocked {
        format!(
            "  reg  [{w}:0] read_q;\n  assign rdata_o = read_q;\n  \
             always @(posedge clk_i) if (re_i) read_q <= #1 mem[raddr_i];\n"
        )
    } else {
        "  assign rdata_o = mem[raddr_i];\n".to_owned()
    };
    format!(
        "module {name} (\n  input clk_i, we_i, re_i, input [{a}:0] waddr_i, raddr_i, input [{w}:0] mask_i, wdata_i, output [{w}:0] rdata_o\n);\n  \
         reg  [{w}:0] mem [0:{last}];\n  integer i;\n  initial for (i = 0; i < {depth}; i = i + 1) mem[i] = 0;\n  \
         always @(posedge clk_i) if (we_i) mem[waddr_i] <= #1 (mem[waddr_i] & ~mask_i) | (wdata_i & mask_i);\n{read}endmodule\n",
        last = shape.depth - 1,
        depth = shape.depth,
    )
}
