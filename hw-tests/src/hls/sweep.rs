//! The long comparison of the emitted C++ with the CPU; the program `cosim hls`.

use super::{Emulation, Flavour, HostOptions, Tools};
use crate::draw::{self, JOBS_PER_BUILD};
use crate::{builds, matrix};
use anyhow::{Context as _, Result, bail};

/// A ring that never fills, and one that always does.
const HOSTS: [HostOptions; 2] =
    [HostOptions { ring_lines: 4096, interval: 0 }, HostOptions { ring_lines: 3, interval: 5 }];

/// Every job of the groups whose name contains `only`, each twice without a reset between.
///
/// # Errors
/// The first job that fails or differs.
pub fn fixed(flavour: Flavour, tools: &Tools, only: Option<&str>) -> Result<()> {
    let wanted = |group: &&matrix::Group| only.is_none_or(|text| group.name.contains(text));
    println!("| build | job | messages |\n|---|---|---|");
    for group in matrix::GROUPS.iter().filter(wanted) {
        let config = builds::config(group.settings)?;
        let mut emulation = Emulation::new(&config, flavour, tools, &|_, text| text)?;
        for spec in (group.jobs)() {
            let job = spec.job(&config.hardware, &config.array)?;
            let words = draw::job_words(&spec);
            for host in HOSTS {
                let checked = emulation.check(&job, host);
                let messages = checked.with_context(|| format!("{}: {words}", group.name))?;
                println!("| {} | {words} | {messages} |", group.name);
            }
        }
    }
    Ok(())
}

/// Random combinations `from`…`from + count − 1` of `seed`, those of the co-simulation.
///
/// # Errors
/// The combinations that fail or differ.
pub fn random(flavour: Flavour, tools: &Tools, seed: u64, from: u64, count: u64) -> Result<()> {
    println!("seed {seed}, cases {from}..{}", from + count);
    let mut emulation: Option<(u64, Emulation)> = None;
    let mut failed = Vec::new();
    for index in from..from + count {
        let case = draw::case(seed, index)?;
        let group = index / JOBS_PER_BUILD;
        if emulation.as_ref().is_none_or(|(of, _)| *of != group) {
            println!("build {group}: {}", draw::build_words(&case.config));
            emulation = Some((group, Emulation::new(&case.config, flavour, tools, &|_, text| text)?));
        }
        let Some((_, running)) = &mut emulation else { bail!("no emulation of build {group}") };
        let checked = HOSTS.iter().try_fold(0, |_, &host| running.check(&case.job, host));
        match checked {
            Ok(messages) => println!("  {index}: equal; {messages} messages"),
            Err(error) => {
                println!("  {index}: FAILED: {error:#}\n    {}", draw::job_words(&case.spec));
                failed.push(index);
                emulation = None;
            }
        }
    }
    println!("{} of {count} equal", count - failed.len() as u64);
    if !failed.is_empty() {
        bail!("cases {failed:?} of seed {seed} differ");
    }
    Ok(())
}
