//! `spagen synth`.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::args::{SynthArgs, Target};
use super::{Usage, print};
use crate::Build;
use crate::synth::{self, Flow, PlaceRequest, asic, sweep};

/// More seeds than anybody waits for.
const SEEDS_MAX: u64 = 1000;
/// Clock asked for, in MHz, of a placement and of cells.
const PLACE_MHZ: u32 = 120;
const CELLS_MHZ: u32 = 200;

pub(super) fn run(args: &SynthArgs) -> anyhow::Result<ExitCode> {
    let notice = |text: &str| {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let _ = writeln!(err, "{text}");
        }
    };
    if args.place {
        if let Some(target) = args.flow.filter(|target| *target != Target::Ecp5) {
            let name = target.flow().map_or("asic", Flow::name);
            let text = "only ecp5 has an open placer that reports a clock rate; leave out --flow or --place";
            return Err(Usage(format!("failed to place with --flow {name}: {text}")).into());
        }
        let request = PlaceRequest {
            device: args.device,
            speed: args.speed,
            target_mhz: args.clock.unwrap_or(PLACE_MHZ),
            seeds: seeds(&args.seeds)?,
            jobs: args.jobs.into(),
        };
        let result = synth::place(&Build::open(&args.folder)?, &request, &notice)?;
        return print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text() });
    }
    if let Some(list) = &args.sweep {
        let target = match args.flow.unwrap_or(Target::Intel).flow() {
            None => sweep::Target::Cells(cells(args)?),
            Some(flow) => {
                only_for_cells(args, flow)?;
                sweep::Target::Family(flow)
            }
        };
        let request = sweep::Request { sizes: sizes(list)?, preset: args.preset.clone(), target };
        let result = sweep::sweep(&args.folder, &request, &notice)?;
        return print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text() });
    }
    let Some(flow) = args.flow.unwrap_or(Target::Intel).flow() else {
        let result = asic::run(&Build::open(&args.folder)?, &cells(args)?, &notice)?;
        return print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text() });
    };
    only_for_cells(args, flow)?;
    let result = synth::run(&Build::open(&args.folder)?, flow, &mut |text| notice(text))?;
    print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text(flow) })
}

/// What is asked of cells.
fn cells(args: &SynthArgs) -> Result<asic::Request, Usage> {
    let Some(liberty) = args.liberty.clone() else {
        let text = "a cell library is needed; give one with --liberty FILE, such as osu018_stdcells.lib of Debian's qflow-tech-osu018";
        return Err(Usage(format!("failed to synthesise with --flow asic: {text}")));
    };
    Ok(asic::Request {
        liberty,
        macros: args.macros.clone(),
        clock_mhz: args.clock.unwrap_or(CELLS_MHZ).into(),
        power: args.power,
    })
}

/// Refuses options that a device family has no use for.
fn only_for_cells(args: &SynthArgs, flow: Flow) -> Result<(), Usage> {
    let given = [("--liberty", args.liberty.is_some()), ("--clock", args.clock.is_some())];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            let text =
                format!("it is for --flow asic{}", if *option == "--clock" { " and --place" } else { "" });
            Err(Usage(format!("failed to synthesise with --flow {} and {option}: {text}", flow.name())))
        }
        None => Ok(()),
    }
}

/// Pairs of SPEs and SPUs between commas, each once.
fn sizes(text: &str) -> Result<Vec<(u64, u64)>, Usage> {
    let mut sizes = Vec::new();
    for word in text.split(',') {
        let pair = word
            .trim()
            .split_once('x')
            .and_then(|(spes, spus)| Some((spes.parse().ok()?, spus.parse().ok()?)));
        let size: (u64, u64) = pair.filter(|(spes, spus)| (1..=1024).contains(spes) && (1..=8).contains(spus)).ok_or_else(|| {
            Usage(format!("failed to read --sweep '{text}': must be sizes between commas, SPEs x SPUs, such as 1x1,4x1,16x2"))
        })?;
        if !sizes.contains(&size) {
            sizes.push(size);
        }
    }
    Ok(sizes)
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

    use super::{seeds, sizes};

    #[test]
    fn sizes_are_pairs() {
        assert_eq!(sizes("1x1, 16x2,1x1").unwrap(), [(1, 1), (16, 2)]);
        for bad in ["", "4", "0x1", "4x9", "1x1,,2x1", "2000x1", "axb"] {
            let text = sizes(bad).unwrap_err().to_string();
            assert!(text.starts_with(&format!("failed to read --sweep '{bad}': must be sizes")), "{text}");
        }
    }

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
