//! Log bandwidth, Equation 3.5: (SPUs / labels · eviction rate · message size) / bandwidth, which must stay below 1.

use serde::Serialize;

use super::memory::round;
use super::{MODEL, Request};
use crate::config::Config;

/// A line of the table.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// SPUs of the array.
    pub spus: u32,
    /// L.
    pub labels: u32,
    /// Bits of a message.
    pub message_bits: u32,
    /// Bits a cycle.
    pub bandwidth: u32,
    /// Equation 3.5 at the eviction rate asked for.
    pub load: f64,
    /// Equation 3.5 if every update sent a message: the most there can be.
    pub worst: f64,
    /// Eviction rate at which the bandwidth is used up; above 1: it never is.
    pub limit: f64,
}

/// Equation 3.5 for the parameters of Table 3.1 and for this build.
#[derive(Debug, Clone, Serialize)]
pub struct Bandwidth {
    /// `model`.
    pub source: &'static str,
    /// Messages for each RV update.
    pub eviction_rate: f64,
    /// Table 3.1.
    pub table_3_1: Vec<Point>,
    /// This build, one line a number of labels.
    pub build: Vec<Point>,
}

/// Labels of Table 3.1.
const LABELS: [u32; 4] = [28, 30, 49, 56];

impl Bandwidth {
    /// Both tables.
    #[must_use]
    pub fn new(config: &Config, request: &Request) -> Self {
        let rate = request.eviction_rate;
        let spus = config.array.spes() * config.array.spus;
        let (message, line) = (config.message_bits(), config.array.line_bits);
        let most = config.hardware.labels_max();
        let labels: Vec<u32> = if request.workloads.is_empty() {
            [2, 16].into_iter().chain(LABELS).filter(|labels| *labels <= most).collect()
        } else {
            let mut labels: Vec<u32> = request.workloads.iter().map(|workload| workload.labels).collect();
            labels.sort_unstable();
            labels.dedup();
            labels
        };
        Self {
            source: MODEL,
            eviction_rate: rate,
            table_3_1: LABELS.iter().map(|labels| point(2048, *labels, 32, 512, rate)).collect(),
            build: labels.into_iter().map(|labels| point(spus, labels, message, line, rate)).collect(),
        }
    }
}

fn point(spus: u32, labels: u32, message_bits: u32, bandwidth: u32, rate: f64) -> Point {
    let worst = f64::from(spus) / f64::from(labels) * f64::from(message_bits) / f64::from(bandwidth);
    Point {
        spus,
        labels,
        message_bits,
        bandwidth,
        load: round(worst * rate),
        worst: round(worst),
        limit: round(1.0 / worst),
    }
}
