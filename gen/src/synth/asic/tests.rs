//! Reading libraries, netlists, waveforms and reports, on texts small enough to check by hand.

#![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::function::Function;
use super::liberty::Library;
use super::memory::{Macros, Shape};
use super::netlist::Netlist;
use super::{Asic, Power, Watts, memory, models, sta, vcd};

const LIBRARY: &str = include_str!("../../../tests/synth/cells.lib");
const NETLIST: &str = include_str!("../../../tests/synth/netlist.v");
const WAVES: &str = include_str!("../../../tests/synth/waves.vcd");
const CHECKS: &str = include_str!("../../../tests/synth/sta.txt");
const TOP: &str = "spa_accelerator";

fn library() -> Library {
    Library::parse(LIBRARY).unwrap()
}

fn netlist() -> (Netlist, String) {
    Netlist::read(NETLIST).unwrap()
}

fn macros(text: &str) -> Result<Macros, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("macros.toml");
    std::fs::write(&path, text).unwrap();
    Macros::read(&path).map_err(|error| error.to_string())
}

const KNOWN: &str = "[[macro]]\ndepth = 64\nwidth = 9\narea = 500\naccess_ns = 1.25\nsetup_ns = 0.5\nread_pj = 2\nwrite_pj = 3\nleakage_uw = 4\n";

#[test]
fn functions_are_those_of_liberty() {
    for (text, verilog) in [
        ("A", "A"),
        ("!A", "~A"),
        ("(!(A B))", "~(A & B)"),
        ("A+B C", "(A | (B & C))"),
        ("A^B*C", "((A ^ B) & C)"),
        ("(A&!B) | (!A & B)", "((A & ~B) | (~A & B))"),
        ("A' B''", "(~A & ~~B)"),
        ("(!((S A) + (!S B)))", "~((S & A) | (~S & B))"),
        ("1", "1'b1"),
    ] {
        assert_eq!(Function::parse(text).unwrap().verilog(), verilog, "{text}");
    }
    for bad in ["", "A+", "(A", "A)", "!", "A ? B", "+A", &"(".repeat(1000), &"!".repeat(100_000)] {
        assert!(Function::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_library_tells_areas_functions_and_what_to_avoid() {
    let library = library();
    assert_eq!((library.name.as_str(), library.volts, library.femtofarads), ("tiny", Some(1.8), 1000.0));
    let inverter = &library.cells["INV"];
    assert_eq!((inverter.area, inverter.pins.len(), inverter.avoid), (2.0, 2, None));
    assert_eq!(library.buffer(), Some(("BUF", 3.0)));
    assert_eq!(library.nand(), Some(3.0));
    let avoided: Vec<(&str, &str)> =
        library.cells.iter().filter_map(|(name, cell)| Some((name.as_str(), cell.avoid?))).collect();
    assert_eq!(
        avoided,
        [
            ("BUFKEEP", "it has two supplies"),
            ("FFE", "a flip-flop that is not plain"),
            ("FFR", "a latch, or a flip-flop with clear or preset"),
            ("ISO", "it is for power domains, or a macro"),
            ("LAT", "a latch, or a flip-flop with clear or preset"),
            ("TRI", "an output has no function"),
            ("XSAID", "the library says so"),
        ]
    );
    // The marks are where the groups begin, and nothing else has changed.
    let marked = library.restricted(LIBRARY);
    assert!(marked.contains("cell (FFE) { dont_use : true;"), "{marked}");
    assert_eq!(marked.replace(" dont_use : true;", ""), LIBRARY.replace(" dont_use : true;", ""));
    let again = Library::parse(&marked).unwrap();
    assert!(
        again.cells.values().filter(|cell| cell.avoid == Some("the library says so")).count()
            == avoided.len()
    );
}

#[test]
fn what_is_no_library_is_refused_with_its_line() {
    for (text, cause) in [
        ("", "it does not begin with library (…)"),
        ("module x; endmodule", "it does not begin with library (…)"),
        ("library (x) {\n}", "it has no cells"),
        ("library (x) {\n cell (A) {\n", "line 3: the text ends within a group"),
        ("library (x) {\n cell (A) { area : 1", "line 2: the text ends within a value"),
        ("library (x) {\n\n \"a", "line 3: a quotation mark has no partner"),
        ("library (x) { /* ", "line 1: a comment has no end"),
        ("library (x) { cell () { } }", "line 1: a cell has no name"),
        (
            "library (x) { capacitive_load_unit (1, mf); cell (A) { } }",
            "capacitive_load_unit is '1,mf', but must be",
        ),
        (
            "library (x) { cell (A) { pin (Y) { direction : output; function : \"A +\"; } } }",
            "cell 'A': its function 'A +' is no function",
        ),
    ] {
        let error = Library::parse(text).unwrap_err();
        assert!(error.starts_with(cause), "{text}: {error}");
    }
    let deep = format!("library (x) {{ {} }}", "g () { ".repeat(5000));
    assert!(Library::parse(&deep).unwrap_err().contains("too deep"));
}

proptest! {
    #[test]
    fn no_text_makes_the_readers_panic(text in "[ -~\n]{0,200}", cut in 0usize..4000) {
        let _ = Library::parse(&text);
        let _ = Library::parse(&format!("library (x) {{{text}}}"));
        let _ = Library::parse(LIBRARY.get(..cut.min(LIBRARY.len())).unwrap_or_default());
        let _ = Netlist::read(&text);
        let _ = Netlist::read(NETLIST.get(..cut.min(NETLIST.len())).unwrap_or_default());
        let _ = Function::parse(&text);
        let _ = sta::timing(&text, "2", 100.0);
    }
}

#[test]
fn a_netlist_gets_plain_names() {
    let (netlist, text) = netlist();
    let names: Vec<(&str, &str)> =
        netlist.modules.iter().map(|module| (module.name.as_str(), module.component.as_str())).collect();
    assert_eq!(
        names,
        [
            ("spa_ram_1r1w__1", "spa_ram_1r1w"),
            ("spa_spe__2", "spa_spe"),
            ("spa_accelerator", "spa_accelerator"),
            ("spa_scheduler__3", "spa_scheduler"),
        ]
    );
    assert!(!text.contains('$') && !text.contains("#("), "{text}");
    assert!(text.contains("\n  spa_memory_64x9_clocked mem (\n    .clk_i(clk_i),"), "{text}");
    assert!(text.contains("\n  spa_spe__2 g_spe_0__u_spe (\n"), "{text}");
    let shape = Shape { depth: 64, width: 9, address_bits: 6, clocked: true };
    assert_eq!(netlist.memories["spa_memory_64x9_clocked"], shape);
    let mut leaves = Vec::new();
    netlist.leaves(TOP, |path, within, kind| leaves.push((path.to_owned(), within.len(), kind.to_owned())));
    let expected = [
        ("g_spe_0__u_spe/_1_", 2, "NAND"),
        ("g_spe_0__u_spe/u_ram/_1_", 3, "FF"),
        ("g_spe_0__u_spe/u_ram/mem", 3, "spa_memory_64x9_clocked"),
        ("g_spe_1__u_spe/_1_", 2, "NAND"),
        ("g_spe_1__u_spe/u_ram/_1_", 3, "FF"),
        ("g_spe_1__u_spe/u_ram/mem", 3, "spa_memory_64x9_clocked"),
        ("_7_", 1, "INV"),
    ];
    assert_eq!(leaves, expected.map(|(path, depth, kind)| (path.to_owned(), depth, kind.to_owned())));
}

#[test]
fn a_netlist_that_is_odd_is_refused() {
    for (from, to, cause) in [
        ("    .Width(32'd9)\n", "", "a memory of the netlist has no Width"),
        ("32'd64", "many", "a memory of the netlist has Depth = 'many'"),
        ("  spa_memory #(", "  other #(", "the netlist has parameters at 'other'"),
        ("  INV _7_ (", "  INV \\x[0]  (", "the netlist has an instance '\\x[0]'"),
    ] {
        let error = Netlist::read(&NETLIST.replace(from, to)).unwrap_err();
        assert!(error.starts_with(cause), "{error}");
    }
}

#[test]
fn cells_are_weighed_and_memories_listed_apart() {
    let (netlist, _) = netlist();
    let asic = Asic::new(&netlist, &library(), &Macros::default(), TOP).unwrap();
    // Two NAND of 3, two FF of 8, an INV of 2.
    assert_eq!((asic.total.area, asic.total.cells, asic.total.ffs), (24.0, 5, 2));
    let of = |name: &str| asic.components.iter().find(|component| component.name == name).unwrap();
    assert_eq!((of("spa_spe").instances, of("spa_spe").own.area, of("spa_spe").whole.area), (2, 6.0, 22.0));
    assert_eq!((of("spa_ram_1r1w").instances, of("spa_ram_1r1w").own.ffs), (2, 2));
    // One SPE: a flip-flop of 8 and a gate of 3.
    let parts: Vec<(&str, f64)> = asic.spe.iter().map(|part| (part.name.as_str(), part.whole.area)).collect();
    assert_eq!(parts, [("spa_ram_1r1w", 8.0), ("spa_spe", 3.0)]);
    assert_eq!(asic.spe_area(), 11.0);
    let memory = &asic.memories[0];
    assert_eq!((memory.instances, memory.bits, memory.area), (2, 2 * 64 * 9, None));
    assert_eq!(memory.within, [("spa_spe".to_owned(), 2)]);
    assert_eq!(asic.memory_area(), None);
    assert!(asic.text().contains("Memories without a known area are not in any sum"), "{}", asic.text());
    let asic = Asic::new(&netlist, &library(), &macros(KNOWN).unwrap(), TOP).unwrap();
    assert_eq!(asic.memory_area(), Some(1000.0));
    let text = serde_json::to_string(&asic).unwrap();
    assert_eq!(serde_json::from_str::<Asic>(&text).unwrap(), asic);
    let (unknown, _) = Netlist::read(&NETLIST.replace("NAND", "NOR")).unwrap();
    let error = Asic::new(&unknown, &library(), &Macros::default(), TOP).unwrap_err();
    assert_eq!(error, "the netlist has a cell 'NOR', the library not");
}

#[test]
fn macros_are_what_their_file_says() {
    let shape = |clocked| Shape { depth: 64, width: 9, address_bits: 6, clocked };
    let known = macros(KNOWN).unwrap();
    assert_eq!(known.of(&shape(true)).unwrap().area, 500.0);
    assert_eq!(known.of(&shape(false)), None);
    for (text, cause) in [
        ("[[macro]]\ndepth = 1\n", "missing field"),
        (&KNOWN.replace("500", "-1"), "macro 1 has -1, but figures must be 0 or more"),
        (&KNOWN.replace("500", "nan"), "macro 1 has NaN"),
        (&KNOWN.replace("area", "size"), "unknown field `size`"),
        (&format!("{KNOWN}{KNOWN}"), "64x9 is there twice"),
    ] {
        let error = macros(text).unwrap_err();
        assert!(error.starts_with("failed to read '") && error.contains(cause), "{error}");
    }
    // Without times a memory has no arcs; with them it has.
    let shapes = netlist().0.memories;
    let blind = memory::liberty(&shapes, &Macros::default(), &library());
    let timed = memory::liberty(&shapes, &known, &library());
    assert!(!blind.contains("timing ()"));
    assert!(
        timed.contains("timing_type : setup_rising; rise_constraint (scalar) { values (\"0.5\"); }"),
        "{timed}"
    );
    assert!(
        timed.contains("timing_type : rising_edge; cell_rise (scalar) { values (\"1.25\"); }"),
        "{timed}"
    );
    for text in [blind, timed] {
        assert_eq!(Library::parse(&text).unwrap().cells.len(), 1);
    }
}

#[test]
fn models_compute_what_the_library_says() {
    let names: BTreeSet<&str> = ["FF", "NAND"].into();
    let text = models::verilog(&library(), &names).unwrap();
    assert!(
        text.contains("module NAND (input A, input B, output Y);\n  assign Y = ~(A & B);\nendmodule"),
        "{text}"
    );
    assert!(text.contains("spa_ff #1 u_ff (IQ, CK, D);\n  assign Q = IQ;"), "{text}");
    let error = models::verilog(&library(), &["LAT"].into()).unwrap_err();
    assert_eq!(error, "cell 'LAT' of the netlist cannot be simulated");
}

fn activities() -> vcd::Activities {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waves.vcd");
    std::fs::write(&path, WAVES).unwrap();
    vcd::read(&path, &netlist().0, &library(), TOP).unwrap()
}

#[test]
fn switching_is_counted_between_the_first_and_the_last_slot() {
    let activities = activities();
    // Slots begin at 100 and 140; the clock rises at 105, 115, 125 and 135.
    assert_eq!(activities.cycles, 4);
    // Up before the window, then down at 110, up at 130: two transitions, high for 20 of 40.
    let gate = activities.of("g_spe_0__u_spe/_1_");
    assert_eq!((gate.toggles, gate.duty), (0.5, 0.5));
    // High all the time, and only before and behind the window something else.
    let gate = activities.of("_7_");
    assert_eq!((gate.toggles, gate.duty), (0.0, 1.0));
    // Reads always, writes in a quarter of the time.
    assert_eq!(activities.accesses("g_spe_0__u_spe/u_ram/mem"), (1.0, 0.25));
    assert_eq!(activities.of("nothing").toggles, 0.0);
}

#[test]
fn waves_that_are_damaged_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waves.vcd");
    for (from, to, cause) in [
        ("$enddefinitions $end", "", "the waveform ends in its head"),
        ("clk_i", "clock", "the waveform has no clock"),
        ("slot_valid_i", "other", "the waveform has no slots of the scheduler"),
        ("#140", "#x", "the waveform has a time '#x'"),
        ("#140\n1s", "#140", "the waveform has no two slots"),
    ] {
        std::fs::write(&path, WAVES.replace(from, to)).unwrap();
        let error = vcd::read(&path, &netlist().0, &library(), TOP).unwrap_err();
        assert_eq!(error, cause);
    }
}

#[test]
fn power_is_summed_by_component() {
    let (netlist, _) = netlist();
    let activities = activities();
    let (commands, number) = sta::power(&netlist, TOP, &activities, "watts.txt");
    assert_eq!(number, 5);
    assert!(commands.contains("\np g_spe_0__u_spe/_1_ 0.500000 0.5000\n"), "{commands}");
    assert!(!commands.contains("/mem"), "{commands}");
    let lines = ["1e-3 0 0 1e-3", "2e-3 0 0 2e-3", "1e-3 1e-3 0 2e-3", "0 0 1e-3 1e-3", "5e-3 0 0 5e-3"];
    let watts: Vec<Watts> = lines.iter().map(|line| sta::watts(line).unwrap()).collect();
    let power = Power::new(&netlist, TOP, &activities, &Macros::default(), 100.0, &watts).unwrap();
    let milliwatts = |watts: Watts| (1e6 * watts.sum()).round() / 1e3;
    assert_eq!(milliwatts(power.total), 11.0);
    let spe = power.components["spa_spe"];
    assert_eq!((milliwatts(spe.own), milliwatts(spe.whole)), (3.0, 6.0));
    assert_eq!(milliwatts(power.spe["spa_ram_1r1w"]), 3.0);
    assert_eq!((power.memories, power.memories_unknown, power.source.as_str()), (None, 2, "estimate"));
    // A read each cycle of 2 pJ and a write in each fourth of 3 pJ at 100 MHz, with 4 µW: twice, of which one does nothing.
    let power = Power::new(&netlist, TOP, &activities, &macros(KNOWN).unwrap(), 100.0, &watts).unwrap();
    let expected = 1e-6 * ((2.0 + 0.75) * 100.0 + 4.0) + 1e-6 * 4.0;
    assert!((power.memories.unwrap() - expected).abs() < 1e-12, "{:?}", power.memories);
    assert_eq!(power.memories_unknown, 0);
    assert!(Power::new(&netlist, TOP, &activities, &Macros::default(), 100.0, &watts[..4]).is_err());
    for bad in ["", "1 2 3", "1 2 3 nan", "Error"] {
        assert!(sta::watts(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_slowest_path_is_read() {
    let timing = sta::timing(CHECKS, "2.0.17", 100.0).unwrap();
    assert_eq!((timing.slack_ns, timing.mhz, timing.cells), (5.1486, 206.1, 3));
    assert!(timing.from.ends_with("/_8589_") && timing.to.ends_with("/_8556_"), "{timing:?}");
    let violated = CHECKS.replace("5.1486   slack (MET)", "-2.5000   slack (VIOLATED)");
    assert_eq!(sta::timing(&violated, "2.0.17", 100.0).unwrap().mhz, 80.0);
    for (text, cause) in [
        ("", "OpenSTA printed no slack"),
        ("No paths found.", "OpenSTA printed no slack"),
        ("  5.0 slack (MET)", "OpenSTA printed no 'Startpoint: '"),
        ("  50 slack (MET)", "OpenSTA found a slack of 50 ns in a period of 10 ns"),
    ] {
        assert_eq!(sta::timing(text, "2.0.17", 100.0).unwrap_err(), cause);
    }
}
