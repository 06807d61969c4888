//! Figures against the dissertation and against sums done by hand.

use super::memory::blocks;
use super::{Report, Request, Workload, network};
use crate::config::{Config, Draft};

fn config(preset: &str) -> Config {
    let mut draft = Draft::new();
    draft.preset("test", preset);
    draft.finish().unwrap()
}

fn report(preset: &str) -> Report {
    Report::new(&config(preset), &Request::default()).unwrap()
}

#[test]
fn equations_of_the_network_by_hand() {
    // D = 4, S = 2: 2(2·3·4·3 + 2·9·2) and 16(64 + 36 + 32 + 36); NoC 2(2·3·4·3) and 16(64 + 20 + 32 + 100).
    let point = network::Point::new(4, 4, 2);
    assert_eq!((point.nn_links, point.nn_crossbars), (216, 2688));
    assert_eq!((point.noc_links, point.noc_crossbars), (144, 3456));
    assert_eq!(network::Point::new(1, 1, 2).nn_links, 0);
}

#[test]
fn equation_3_5_for_table_3_1() {
    let report = report("default");
    let point = &report.bandwidth.table_3_1[0];
    assert_eq!((point.labels, point.worst, point.load), (28, 4.5714, 0.4571));
    assert!(report.bandwidth.build.iter().all(|point| point.spus == 32));
}

#[test]
fn blocks_take_the_best_shape() {
    let m20k = [(512, 40), (1024, 20), (2048, 10), (4096, 5)];
    // Two of 2048x10, not eight of 512x40.
    assert_eq!(blocks(&m20k, 4096, 6), 2);
    assert_eq!(blocks(&m20k, 512, 40), 1);
    assert_eq!(blocks(&m20k, 513, 40), 2);
    assert_eq!(blocks(&m20k, 1, 1), 1);
}

#[test]
fn memory_of_the_default_is_within_the_target() {
    let memory = report("default").memory;
    // 256K RVs: 9 + 8 + 6 + 28 bits each.
    let large: u64 = memory.items.iter().take(3).map(|item| item.bits).sum::<u64>() + memory.items[5].bits;
    assert_eq!(large, (256 << 10) * 51);
    assert!(memory.m20k <= 1000, "{}", memory.m20k);
    assert!(report("default").logic.multipliers <= 100);
}

/// Block RAMs that Yosys 0.70 makes of `ecp5-85k` with 16, 4 and 1 SPE (`spagen synth --flow ecp5`).
#[test]
fn ecp5_block_rams_are_those_of_synthesis() {
    for (grid, rvs, blocks) in [("4x4", "32K", 196), ("2x2", "8K", 52), ("1x1", "2K", 16)] {
        let mut draft = Draft::new();
        draft.preset("test", "ecp5-85k");
        draft.set("test", "grid", grid);
        draft.set("test", "rvs", rvs);
        let config = draft.finish().unwrap();
        assert_eq!(super::memory::Memory::new(&config).ebr, blocks, "{grid}");
    }
}

#[test]
fn cycles_of_an_even_workload() {
    let request = Request {
        workloads: vec![Workload { width: 448, height: 376, labels: 56, iterations: 10 }],
        ..Request::default()
    };
    let report = Report::new(&config("default"), &request).unwrap();
    let figures = report.workloads.runs[0].figures.as_ref().unwrap();
    assert_eq!((figures.tile_width, figures.tile_height, figures.switch_gap), (112, 94, 0));
    assert_eq!(figures.issued_slots, 10 * 2 * 28 * 94);
    assert!((figures.useful_fraction - 1.0).abs() < 1e-9);
    assert!(figures.labels_per_cycle_per_spu > 0.99);
}

#[test]
fn impossible_workloads_say_what_they_need() {
    let ask = |width, labels| {
        let workload = Workload { width, height: 480, labels, iterations: 10 };
        let request = Request { workloads: vec![workload], ..Request::default() };
        Report::new(&config("default"), &request).unwrap_err().to_string()
    };
    assert_eq!(
        ask(640, 16),
        "failed to report on workload '640x480x16': needs rv_capacity = 19200, the build has 16384"
    );
    assert_eq!(
        ask(64, 65),
        "failed to report on workload '64x480x65': labels must be 2 to 64 with label_bits = 6"
    );
}

#[test]
fn text_and_markdown_have_every_section() {
    let report = report("small");
    for (heading, mark) in [(report.text(), ""), (report.markdown(), "## ")] {
        for title in ["Memory (model)", "Cycles (model)", "Log bandwidth, Equation 3.5 (model)"] {
            assert!(heading.contains(&format!("{mark}{title}")), "{title}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    for part in ["memory", "logic", "workloads", "bandwidth", "network", "replication"] {
        assert_eq!(json[part]["source"], "model", "{part}");
    }
}
