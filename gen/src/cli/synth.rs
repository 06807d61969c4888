//! `spagen synth`.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::args::SynthArgs;
use super::{Usage, print};
use crate::Build;
use crate::synth::{self, Flow, PlaceRequest};

/// More seeds than anybody waits for.
const SEEDS_MAX: u64 = 1000;

pub(super) fn run(args: &SynthArgs) -> anyhow::Result<ExitCode> {
    let notice = |text: &str| {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let _ = writeln!(err, "{text}");
        }
    };
    if args.place {
        if let Some(flow) = args.flow.filter(|flow| *flow != Flow::Ecp5) {
            let text = "only ecp5 has an open placer that reports a clock rate; leave out --flow or --place";
            return Err(Usage(format!("failed to place with --flow {}: {text}", flow.name())).into());
        }
        let request = PlaceRequest {
            device: args.device,
            speed: args.speed,
            target_mhz: args.clock,
            seeds: seeds(&args.seeds)?,
            jobs: args.jobs.into(),
        };
        let result = synth::place(&Build::open(&args.folder)?, &request, &notice)?;
        return print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text() });
    }
    let flow = args.flow.unwrap_or(Flow::Intel);
    let result = synth::run(&Build::open(&args.folder)?, flow, &mut |text| notice(text))?;
    print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text(flow) })
}

/// Numbers and ranges between commas, each seed once, in the order given.
fn seeds(text: &str) -> Result<Vec<u64>, Usage> {
    let fail = |cause: &str| Usage(format!("failed to read --seeds '{text}': {cause}, such as 1-5,9"));
    let mut seeds = Vec::new();
    for word in text.split(',') {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (Ok(first), Ok(last)) = (first.trim().parse::<u64>(), last.trim().parse::<u64>()) else {
            return Err(fail("must be numbers and ranges between commas"));
        };
        if first > last || last - first >= SEEDS_MAX {
            return Err(fail(&format!("a range must rise and have at most {SEEDS_MAX} numbers")));
        }
        for seed in first..=last {
            if !seeds.contains(&seed) {
                seeds.push(seed);
            }
        }
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

    use super::seeds;

    #[test]
    fn seeds_are_numbers_and_ranges() {
        assert_eq!(seeds("7").unwrap(), [7]);
        assert_eq!(seeds("3-5, 1,4").unwrap(), [3, 4, 5, 1]);
        for bad in ["", "x", "5-3", "1-2000", "1,,2", "-1"] {
            let text = seeds(bad).unwrap_err().to_string();
            assert!(text.starts_with(&format!("failed to read --seeds '{bad}': ")), "{text}");
        }
    }
}
