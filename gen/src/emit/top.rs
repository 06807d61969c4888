//! The generated top: `spa_top` with the values of this build.

use askama::Template;
use spa_model::geometry::pipeline_latency;

use super::run;
use crate::config::Config;
use crate::error::Error;
use crate::parameters::{PARAMETERS, Value, counted};

#[derive(Template)]
#[template(path = "rtl/spa_accelerator.sv")]
struct Top {
    title: String,
    parameters: Vec<Assignment>,
    line_bits: u32,
    hash: String,
}

/// `.Name   (value)`, padded.
struct Assignment {
    name: String,
    value: String,
}

pub(super) fn render(config: &Config) -> Result<String, Error> {
    let array = &config.array;
    let template = Top {
        title: format!(
            "{}x{} SPEs of {}, {} RVs",
            array.rows,
            array.cols,
            counted(array.spus, "SPU"),
            config.rvs()
        ),
        parameters: assignments(config),
        line_bits: array.line_bits,
        hash: config.hash(),
    };
    run("rtl/spa_accelerator.sv", &template)
}

/// Parameters of `spa_top` in the order of the table, then those that follow from them.
fn assignments(config: &Config) -> Vec<Assignment> {
    let mut list: Vec<(&str, String)> = PARAMETERS
        .iter()
        .filter_map(|parameter| {
            let (name, get) = (parameter.rtl?, parameter.get?);
            // Without the memory the module's default gives its unused ports their width; the edge weights' is off.
            let array = &config.array;
            if name == "CostCapacity" && !array.singleton_table
                || name == "EdgeWeights" && !array.edge_weights
            {
                return None;
            }
            let value = match get(config) {
                Value::Flag(flag) => format!("1'b{}", u8::from(flag)),
                Value::Text(word) => format!("1'b{}", u8::from(word == "linear")),
                value => value.to_string(),
            };
            Some((name, value))
        })
        .collect();
    list.push(("MessageBits", config.message_bits().to_string()));
    list.push(("PipelineLatency", pipeline_latency(config.array.spus).to_string()));
    let width = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    list.into_iter().map(|(name, value)| Assignment { name: format!("{name:<width$}"), value }).collect()
}
