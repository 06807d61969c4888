//! Walking the hierarchy and weighing cells, on statistics small enough to check by hand.

#![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

use std::collections::BTreeMap;

use super::hierarchy::{Hierarchy, plain_name};
use super::{Amount, Area, Component, Flow, Synthesis};

const STAT: &str = include_str!("../../tests/synth/stat.json");
const TOP: &str = "spa_accelerator";

fn result() -> Synthesis {
    Synthesis::from_stat(Flow::Intel, TOP, STAT).unwrap()
}

fn component(name: &str) -> Component {
    result().components.into_iter().find(|component| component.name == name).unwrap()
}

#[test]
fn names_lose_their_decoration() {
    for (decorated, plain) in [
        ("\\spa_top", "spa_top"),
        ("spa_counter", "spa_counter"),
        ("$paramod$aacd94\\spa_delay", "spa_delay"),
        ("$paramod\\spa_square\\Bits=s32'00000100", "spa_square"),
        ("$mul", "$mul"),
        ("", ""),
    ] {
        assert_eq!(plain_name(decorated), plain, "{decorated}");
    }
}

#[test]
fn instances_multiply_along_the_hierarchy() {
    let counts: Vec<(String, u64)> =
        result().components.into_iter().map(|component| (component.name, component.instances)).collect();
    // Two of one kind, one of the other with one more in it; a delay thrice in each of the first kind.
    let expected =
        [("spa_accelerator", 1), ("spa_counter", 3), ("spa_delay", 9), ("spa_spe", 4), ("spa_top", 1)];
    assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)));
}

#[test]
fn cells_of_the_design_are_those_that_yosys_counts() {
    let stat: serde_json::Value = serde_json::from_str(STAT).unwrap();
    let design: BTreeMap<String, u64> =
        serde_json::from_value(stat["design"]["num_cells_by_type"].clone()).unwrap();
    let mut ours = result().cells;
    ours.extend(result().not_counted);
    assert_eq!(ours, design);
    let left: Vec<String> = result().not_counted.into_keys().collect();
    assert_eq!(left, ["MISTRAL_IB", "MISTRAL_NOT", "MISTRAL_OB"]);
}

#[test]
fn a_component_has_its_own_cells_and_those_below() {
    let spe = component("spa_spe");
    // Three times four adder cells are 6 ALMs, seven bits of MLAB 3.5.
    assert_eq!(spe.own.logic, Amount::ratio(19, 2));
    assert_eq!(spe.own.ffs, 0);
    // Three MUL27X27, six MUL9X9 (2 blocks), three MUL18X18 (1.5).
    assert_eq!(spe.own.dsp, Amount::ratio(13, 2));
    // One SPE lies in another and is counted once; two counters of half an ALM come along.
    assert_eq!(spe.whole.logic, Amount::ratio(21, 2));
    assert_eq!((spe.whole.ffs, spe.whole.ram, spe.whole.dsp), (92, Amount::units(5), Amount::ratio(13, 2)));
    let total = result().total;
    assert_eq!(component(TOP).whole, total.area);
    let own: Area = result().components.iter().map(|component| component.own).sum();
    assert_eq!(own, total.area);
}

#[test]
fn totals_have_both_bounds() {
    let total = result().total;
    // SPEs 9.5, counters 1.5, top 2 + 1.5.
    assert_eq!(total.area.logic, Amount::ratio(29, 2));
    assert_eq!(total.logic_floor, Amount::ratio(93, 4));
    // Nine delays of 10 flip-flops take 2.5 each; elsewhere logic is more.
    assert_eq!(total.logic_apart, Amount::units(37));
    assert_eq!((total.ram_20k, total.ram_20k.ceil()), (Amount::ratio(5, 2), 3));
    assert_eq!(total.area.dsp.ceil(), 7);
}

#[test]
fn cells_weigh_what_the_page_says() {
    let logic = |flow: Flow, cell: &str, number| flow.area(&[(cell.to_owned(), number)]).logic;
    let other = |flow: Flow, cell: &str, number| {
        let area = flow.area(&[(cell.to_owned(), number)]);
        (area.ffs, area.ram, area.dsp)
    };
    assert_eq!(logic(Flow::Intel, "MISTRAL_ALUT6", 2), Amount::units(2));
    for cell in ["MISTRAL_ALUT2", "MISTRAL_ALUT5", "MISTRAL_ALUT_ARITH", "MISTRAL_MLAB"] {
        assert_eq!(logic(Flow::Intel, cell, 2), Amount::units(1), "{cell}");
    }
    assert_eq!(other(Flow::Intel, "MISTRAL_MUL9X9", 3).2, other(Flow::Intel, "MISTRAL_MUL18X18", 2).2);
    assert_eq!(logic(Flow::Ecp5, "CCU2C", 3), Amount::units(6));
    assert_eq!(other(Flow::Ecp5, "DP16KD", 3).1, Amount::units(3));
    assert_eq!(logic(Flow::Xilinx, "RAM32M", 1), Amount::units(4));
    assert_eq!(other(Flow::Xilinx, "RAMB18E1", 3).1, Amount::ratio(3, 2));
    assert_eq!(other(Flow::Xilinx, "FDRE", 3).0, 3);
    assert_eq!(Flow::Intel.area(&[("LUT4".to_owned(), 1)]), Area::default());
}

#[test]
fn damaged_statistics_are_refused() {
    let fails = |text: &str, word: &str| {
        let cause = Synthesis::from_stat(Flow::Intel, TOP, text).unwrap_err();
        assert!(cause.contains(word), "{cause}");
    };
    fails("", "EOF");
    fails("{\"modules\": {}}", "no module 'spa_accelerator'");
    fails("{\"modules\": {\"\\\\spa_accelerator\": {\"num_cells_by_type\": {\"LUT4\": -1}}}}", "-1");
    fails(
        "{\"modules\": {\"\\\\spa_accelerator\": {\"num_cells_by_type\": {\"spa_accelerator\": 1}}}}",
        "itself",
    );
    // Absurd numbers saturate.
    let huge = format!(
        "{{\"modules\": {{\"\\\\{TOP}\": {{\"num_cells_by_type\": {{\"MISTRAL_FF\": {0}, \"x\": {0}}}}}, \"\\\\x\": {{\"num_cells_by_type\": {{\"MISTRAL_ALUT6\": {0}}}}}}}}}",
        u64::MAX
    );
    assert_eq!(Synthesis::from_stat(Flow::Intel, TOP, &huge).unwrap().total.area.ffs, u64::MAX);
    // What the top does not reach may be anything.
    assert_eq!(Hierarchy::parse(STAT, "spa_counter").unwrap().modules.len(), 1);
}

#[test]
fn a_result_survives_its_file() {
    let text = serde_json::to_string(&result()).unwrap();
    assert_eq!(serde_json::from_str::<Synthesis>(&text).unwrap(), result());
}

#[test]
fn text_has_components_and_totals() {
    let text = result().text(Flow::Intel);
    for line in [
        "  spa_spe ",
        "  ALM, from tables, adders and distributed RAM  14.5",
        "Not counted: 7 MISTRAL_IB, 5 MISTRAL_NOT",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

mod timing {
    //! A report of nextpnr 0.11.1 over one SPE, cut down to four segments of its critical path.

    use super::super::{Part, Timing};

    const REPORT: &str = include_str!("../../tests/synth/nextpnr.json");

    #[test]
    fn rate_path_and_parts_are_read() {
        let timing = Timing::parse(REPORT).unwrap();
        assert_eq!((timing.clock.as_str(), timing.mhz), ("clk_i", 134.21));
        let path = &timing.critical;
        assert!(path.from.starts_with("u_top.u_control.u_regs.status_state_i"), "{}", path.from);
        assert!(path.to.starts_with("u_top.u_log_writer.low_q"), "{}", path.to);
        assert_eq!((path.logic_ns, path.routing_ns), (0.575, 0.676));
        assert_eq!(timing.parts["DP16KD"], Part { available: 208, used: 16 });
        // Parts that are not used are left out.
        assert!(!timing.parts.contains_key("EHXPLLL"));
        assert_eq!(timing.parts.len(), 5);
    }

    #[test]
    fn the_slowest_of_two_clocks_counts() {
        let two =
            REPORT.replace("\"fmax\": {", "\"fmax\": {\"usb\": {\"achieved\": 12.5, \"constraint\": 12},");
        let error = Timing::parse(&two).unwrap_err();
        assert_eq!(error, "it has no critical path of clock 'usb'");
        let two = two.replace("12.5", "212.5");
        assert_eq!(Timing::parse(&two).unwrap(), Timing::parse(REPORT).unwrap());
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for (text, cause) in [
            ("", "EOF while parsing"),
            ("{}", "missing field `fmax`"),
            (r#"{"fmax": {}, "critical_paths": [], "utilization": {}}"#, "it has no clock"),
        ] {
            let error = Timing::parse(text).unwrap_err();
            assert!(error.starts_with(cause), "{error}");
        }
    }
}
