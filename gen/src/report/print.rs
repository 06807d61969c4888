//! A report as text or Markdown: the same tables, two ways to draw them.

use super::Report;
use super::memory::Style;
use crate::parameters::counted;

/// A table with a heading.
pub(super) struct Section {
    title: String,
    note: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

pub(super) struct Document {
    title: String,
    sections: Vec<Section>,
}

pub(super) fn document(report: &Report) -> Document {
    let title = format!(
        "{}x{} SPEs of {}, {} RVs, {}-bit messages, configuration {}",
        report.rows,
        report.cols,
        counted(report.spus, "SPU"),
        report.rvs,
        report.message_bits,
        &report.config_hash[..16]
    );
    let sections = vec![
        memory(report),
        logic(report),
        workloads(report),
        bandwidth(report),
        network(report),
        replication(report),
    ];
    Document { title, sections }
}

fn memory(report: &Report) -> Section {
    let memory = &report.memory;
    let mut rows: Vec<Vec<String>> = memory
        .items
        .iter()
        .map(|item| {
            let blocks = |count: u64| match item.style {
                Style::Block | Style::AlwaysBlock if count > 0 => count.to_string(),
                _ => "logic".to_owned(),
            };
            vec![
                item.component.to_owned(),
                item.module.to_owned(),
                item.copies.to_string(),
                format!("{}x{}", item.depth, item.width),
                item.bits.to_string(),
                blocks(item.m20k),
                blocks(item.m10k),
                blocks(item.ebr),
            ]
        })
        .collect();
    rows.push(vec![
        "total in blocks".to_owned(),
        String::new(),
        String::new(),
        String::new(),
        memory.block_bits.to_string(),
        memory.m20k.to_string(),
        memory.m10k.to_string(),
        memory.ebr.to_string(),
    ]);
    Section {
        title: "Memory (model)".to_owned(),
        note: format!(
            "Blocks if one shape is used for a whole RAM; logic: distributed. M20K bits in use: {:.0}%. Distributed: {} bits.",
            100.0 * memory.m20k_use,
            memory.distributed_bits
        ),
        columns: vec!["component", "module", "copies", "words x bits", "bits", "M20K", "M10K", "EBR"],
        rows,
    }
}

fn logic(report: &Report) -> Section {
    let logic = &report.logic;
    let row = |what: &str, count: u32| vec![what.to_owned(), count.to_string()];
    Section {
        title: "Multipliers and random numbers (model)".to_owned(),
        note: format!("A slot lasts at least {} cycles, more labels longer.", logic.shortest_slot),
        columns: vec!["what", "count"],
        rows: vec![
            row("alpha x S, 16 x 8 bits", logic.multipliers_alpha),
            row("beta x sum of V, 10 x 8 bits", logic.multipliers_beta),
            row("u x sum of w", logic.multipliers_draw),
            row("multipliers in all", logic.multipliers),
            row("Threefry-2x32-13 cores", logic.rng_cores),
        ],
    }
}

fn workloads(report: &Report) -> Section {
    let rows = report
        .workloads
        .runs
        .iter()
        .map(|run| {
            let mut row = vec![run.workload.to_string(), run.workload.iterations.to_string()];
            match (&run.figures, &run.unfit) {
                (Some(figures), _) => row.extend([
                    format!("{}x{}", figures.tile_width, figures.tile_height),
                    figures.switch_gap.to_string(),
                    figures.issued_slots.to_string(),
                    format!("{:.4}", figures.useful_fraction),
                    format!("{:.4}", figures.labels_per_cycle_per_spu),
                    figures.run_cycles.to_string(),
                    (figures.load_cycles + figures.drain_cycles).to_string(),
                    format!("{:.3}", figures.seconds),
                    format!("{:.3}", figures.giga_labels_per_second),
                ]),
                (None, unfit) => {
                    row.push(unfit.clone().unwrap_or_default());
                    row.extend((0..8).map(|_| String::new()));
                }
            }
            row
        })
        .collect();
    Section {
        title: "Cycles (model)".to_owned(),
        note: format!(
            "At {} MHz, without stalls of memory. Rate: labels of RVs of the field. Load and drain are upper bounds.",
            report.workloads.clock_mhz
        ),
        columns: vec![
            "field x labels",
            "iterations",
            "tile",
            "gap",
            "slots",
            "useful",
            "label/cycle/SPU",
            "run cycles",
            "load + drain",
            "s",
            "G label/s",
        ],
        rows,
    }
}

fn bandwidth(report: &Report) -> Section {
    let bandwidth = &report.bandwidth;
    let row = |kind: &str, point: &super::bandwidth::Point| {
        vec![
            kind.to_owned(),
            point.spus.to_string(),
            point.labels.to_string(),
            point.message_bits.to_string(),
            point.bandwidth.to_string(),
            format!("{:.4}", point.load),
            format!("{:.4}", point.worst),
            if point.limit >= 1.0 { "never".to_owned() } else { format!("{:.4}", point.limit) },
        ]
    };
    let rows = bandwidth
        .table_3_1
        .iter()
        .map(|point| row("Table 3.1", point))
        .chain(bandwidth.build.iter().map(|point| row("this build", point)))
        .collect();
    Section {
        title: "Log bandwidth, Equation 3.5 (model)".to_owned(),
        note: format!(
            "Load at {} messages an update; it must stay below 1. Full at: the eviction rate that makes it 1.",
            bandwidth.eviction_rate
        ),
        columns: vec!["", "SPUs", "labels", "message", "bit/cycle", "load", "load at rate 1", "full at"],
        rows,
    }
}

fn network(report: &Report) -> Section {
    let row = |kind: &str, point: &super::network::Point| {
        vec![
            kind.to_owned(),
            format!("{}x{}", point.rows, point.cols),
            point.spus.to_string(),
            point.nn_links.to_string(),
            point.nn_crossbars.to_string(),
            point.nn().to_string(),
            point.noc_links.to_string(),
            point.noc_crossbars.to_string(),
            point.noc().to_string(),
        ]
    };
    let network = &report.network;
    let rows = std::iter::once(row("this build", &network.build))
        .chain(network.figure_3_10.iter().map(|point| row("Fig. 3.10", point)))
        .collect();
    Section {
        title: "Links and crossbars, Equations 3.6 to 3.9 (model)".to_owned(),
        note: "NN: the one-hop network; NoC: a 2-D mesh. A crossbar counts inputs x outputs.".to_owned(),
        columns: vec!["", "grid", "SPUs", "NN links", "NN xbars", "NN", "NoC links", "NoC xbars", "NoC"],
        rows,
    }
}

fn replication(report: &Report) -> Section {
    let replication = &report.replication;
    let reach = &replication.reach;
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    Section {
        title: "Links or replicated singleton 2, Figure 3.11 (model)".to_owned(),
        note: format!(
            "Reach {} left, {} right, {} up, {} down. Links for singleton 2: {} words, switches {} (Eq. 3.6, 3.7).",
            reach.left, reach.right, reach.up, reach.down, replication.s2_links, replication.s2_crossbars
        ),
        columns: vec!["tile", "bits, links", "bits, replicated", "ratio", "links suffice", "margins fit"],
        rows: replication
            .points
            .iter()
            .map(|point| {
                vec![
                    format!("{}x{}", point.tile_width, point.tile_height),
                    point.links_bits.to_string(),
                    point.replicate_bits.to_string(),
                    format!("{:.2}", point.ratio),
                    yes(point.links_suffice),
                    yes(point.fits),
                ]
            })
            .collect(),
    }
}

pub(super) fn markdown(document: &Document) -> String {
    let mut text = format!(
        "# Report\n\n{}. Every figure is computed by a model of the RTL; none is synthesised or measured.\n",
        document.title
    );
    for section in &document.sections {
        let line = |cells: &[String]| {
            format!("| {} |\n", cells.join(" | ")).replace("|  |", "| |").replace("|  |", "| |")
        };
        let head: Vec<String> = section.columns.iter().map(ToString::to_string).collect();
        text += &format!("\n## {}\n\n{}\n\n", section.title, section.note);
        text += &line(&head);
        text += &format!("|{}\n", "---|".repeat(head.len()));
        text.extend(section.rows.iter().map(|row| line(row)));
    }
    text
}

pub(super) fn text(document: &Document) -> String {
    let mut text = format!("{}\n", document.title);
    for section in &document.sections {
        let head: Vec<String> = section.columns.iter().map(ToString::to_string).collect();
        text += &format!("\n{}\n{}\n", section.title, section.note);
        text += &crate::report::align(std::iter::once(&head).chain(&section.rows));
    }
    text
}
