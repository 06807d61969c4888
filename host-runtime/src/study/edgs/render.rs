//! What was explored as tables, figure and JSON.

use super::benchmark::Group;
use super::{Explored, Result, Space, design_name};
use crate::study::Report;
use crate::study::table::Table;
use serde_json::{Value, json};
use spagen::plot::{Axis, Bar, Content, Figure, Panel};

/// Everything of all applications.
pub fn report(settings: Value, card: &str, space: &Space, explored: &[Explored]) -> Report {
    let mut tables = vec![choices(card, space, explored)];
    tables.extend(explored.iter().map(results));
    let mut rows = Vec::new();
    for group in explored {
        rows.push(slowdowns(group, space));
        rows.push(outcomes(group));
    }
    Report {
        name: "edgs",
        figure: "4.4–4.17, Table 4.3",
        settings,
        tables,
        cases: explored.iter().map(|group| case(group, space)).collect(),
        plot: Figure { rows },
        pictures: Vec::new(),
    }
}

fn shape_name(space: &Space, configuration: usize) -> String {
    let shape = space.shapes()[configuration];
    format!("({}, {})", shape.region, shape.blocks)
}

/// Table 4.3: the best configuration of each design.
fn choices(card: &str, space: &Space, explored: &[Explored]) -> Table {
    let title = format!("best configurations (region, blocks a multiprocessor) on {card}");
    let mut table = Table::new(title, explored.iter().map(|group| group.group.to_string()).collect());
    for d in 0..explored.iter().map(|group| group.designs.len()).min().unwrap_or(0) {
        let cell = |group: &Explored| {
            let choice = &group.designs[d].2;
            let mean = choice.slowdowns[choice.configuration].map_or(f64::NAN, |s| s.mean);
            format!("{} {mean:.3}", shape_name(space, choice.configuration))
        };
        table.cells(design_name(explored[0].designs[d].0), explored.iter().map(cell).collect());
    }
    table
}

/// What the designs gain, lose and skip at their best configurations.
fn results(group: &Explored) -> Table {
    let columns = ["ms", "±", "speedup, %", group.group.measure(), "skipped, %", "G label/s"];
    let title = format!("{}, all iterations at the best configurations", group.group);
    let mut table = Table::new(title, columns.map(String::from).to_vec());
    for r in &group.results {
        let quality = r.quality.map_or("–".to_string(), |q| format!("{q:.3}"));
        let cells = vec![
            format!("{:.3}", r.seconds * 1e3),
            format!("{:.3}", r.deviation * 1e3),
            format!("{:+.1}", r.speedup_percent),
            quality,
            format!("{:.1}", r.skipped_percent),
            format!("{:.0}", r.giga_labels_per_second),
        ];
        table.cells(format!("{} {}", r.benchmark, r.design), cells);
    }
    table
}

/// Figs. 4.4–4.8, 4.10–4.14: slowdown of every configuration, a panel a design.
fn slowdowns(group: &Explored, space: &Space) -> Vec<Panel> {
    let panel = |(method, _, choice): &(_, _, super::Choice)| {
        let of = |region: usize, blocks: usize| choice.slowdowns[region * space.blocks.len() + blocks];
        let bars = space.blocks.iter().enumerate().map(|(b, blocks)| {
            let all = (0..space.regions.len()).map(|r| of(r, b));
            let (mean, error): (Vec<f64>, Vec<f64>) =
                all.map(|s| s.map_or((f64::NAN, f64::NAN), |s| (s.mean, s.deviation))).unzip();
            Bar::plain(&format!("{blocks} blocks"), mean).with_errors(error)
        });
        Panel {
            title: format!(
                "{}, {}: best {}",
                group.group,
                design_name(*method),
                shape_name(space, choice.configuration)
            ),
            x: Axis::auto("region"),
            y: Axis::auto("normalised slowdown"),
            content: Content::Bars {
                categories: space.regions.iter().map(ToString::to_string).collect(),
                bars: bars.collect(),
                limit: Some(("fastest".to_string(), 1.0)),
            },
        }
    };
    group.designs.iter().map(panel).collect()
}

/// Figs. 4.9, 4.15–4.17: speedup, quality and skipped updates, a bar a design.
fn outcomes(group: &Explored) -> Vec<Panel> {
    let designs: Vec<&str> = group
        .results
        .iter()
        .filter(|r| r.benchmark == group.benchmarks[0])
        .map(|r| r.design.as_str())
        .collect();
    let panel = |name: &str, of: &dyn Fn(&Result) -> f64| {
        let value = |benchmark: &String, design: &str| {
            let mut all = group.results.iter();
            all.find(|r| r.benchmark == *benchmark && r.design == design).map_or(f64::NAN, of)
        };
        let bar =
            |design: &&str| Bar::plain(design, group.benchmarks.iter().map(|b| value(b, design)).collect());
        Panel {
            title: format!("{}: {name}", group.group),
            x: Axis::auto(""),
            y: Axis::auto(name),
            content: Content::Bars {
                categories: group.benchmarks.clone(),
                bars: designs.iter().map(bar).collect(),
                limit: None,
            },
        }
    };
    vec![
        panel("time against the baseline, %", &|r| 100.0 / (1.0 + r.speedup_percent / 100.0)),
        panel(group.group.measure(), &|r| r.quality.unwrap_or(f64::NAN)),
        panel("skipped updates, %", &|r| r.skipped_percent),
    ]
}

fn case(group: &Explored, space: &Space) -> Value {
    let shapes = space.shapes();
    let designs = group.designs.iter().map(|(method, times, choice)| {
        let configurations =
            shapes.iter().zip(times).zip(&choice.slowdowns).map(|((shape, times), slowdown)| {
                json!({
                    "region": shape.region.to_string(),
                    "blocks_per_multiprocessor": shape.blocks,
                    "seconds": times,
                    "slowdown": slowdown,
                })
            });
        json!({
            "design": design_name(*method),
            "chosen": shape_name(space, choice.configuration),
            "configurations": configurations.collect::<Vec<_>>(),
        })
    });
    let name = match group.group {
        Group::Stereo => "stereo".to_string(),
        Group::Flow(side) => format!("flow-{side}"),
        Group::Segment => "segment".to_string(),
    };
    json!({
        "application": name,
        "benchmarks": group.benchmarks,
        "designs": designs.collect::<Vec<_>>(),
        "results": group.results,
    })
}
