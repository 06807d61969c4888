//! `spagen report`.

use std::process::ExitCode;

use super::args::ReportArgs;
use super::{Usage, print};
use crate::Build;
use crate::report::replication::Reach;
use crate::report::{Report, Request, Workload};

pub(super) fn run(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let config = match &args.folder {
        Some(folder) => Build::open(folder)?.config().clone(),
        None => args.build.config()?,
    };
    let workloads = match &args.size {
        Some(size) => {
            let (width, height) = parse_size(size)?;
            vec![Workload { width, height, labels: args.labels, iterations: args.iterations }]
        }
        None => Vec::new(),
    };
    let request = Request {
        workloads,
        eviction_rate: args.eviction_rate,
        clock_mhz: args.clock,
        reach: parse_reach(&args.reach)?,
    };
    let report = Report::new(&config, &request)?;
    print(&if args.json { report.json() } else { report.text() })
}

fn parse_size(text: &str) -> Result<(u32, u32), Usage> {
    let size = text.split_once(['x', 'X']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    size.ok_or_else(|| {
        Usage(format!("failed to read --size '{text}': must be WIDTHxHEIGHT, such as 450x375"))
    })
}

fn parse_reach(text: &str) -> Result<Reach, Usage> {
    let numbers: Option<Vec<u32>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[left, right, up, down]) if [left, right, up, down].iter().all(|reach| *reach <= 2048) => {
            Ok(Reach { left, right, up, down })
        }
        _ => Err(Usage(format!(
            "failed to read --reach '{text}': must be LEFT,RIGHT,UP,DOWN, each 0 to 2048, such as 63,0,0,0"
        ))),
    }
}
