//! The long co-simulation sweep, and the throughput figures of the array.

use anyhow::{Result, anyhow, bail};
use clap::{Parser, Subcommand};
use hw_tests::cosim::Bench;
use hw_tests::draw::{self, JOBS_PER_BUILD};
use hw_tests::hls::{self, Flavour, Tools};
use hw_tests::{matrix, throughput};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Compares the simulated card with the CPU on random combinations of build, job and memory.
#[derive(Debug, Parser)]
struct Arguments {
    /// Combinations
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// Seed of the combinations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run this combination alone
    #[arg(long, value_name = "INDEX")]
    case: Option<u64>,
    /// Start with this combination
    #[arg(long, default_value_t = 0, value_name = "INDEX")]
    from: u64,
    /// Write a Markdown table of the results
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the fixed list of combinations (the whole of it, CI runs a part)
    Matrix {
        /// Run only groups whose name contains this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
    /// Compile the emitted HLS C++ and compare it with the CPU: the fixed list, or random combinations
    Hls {
        /// Form of the vendor
        #[arg(long, value_enum, default_value = "intel")]
        flavour: Flavour,
        /// C++ compiler
        #[arg(long, default_value = "g++", value_name = "PROGRAM")]
        compiler: String,
        /// Run only groups whose name contains this
        #[arg(long, value_name = "TEXT", conflicts_with = "random")]
        only: Option<String>,
        /// Run this many random combinations (of --seed, from --from) in place of the fixed list
        #[arg(long, value_name = "N")]
        random: Option<u64>,
    },
    /// Measure labels per cycle and SPU on the sizes of docs/performance.md
    Throughput {
        /// Leave out the sizes that take minutes
        #[arg(long)]
        quick: bool,
        /// Measure only this grid, such as 4x4
        #[arg(long, value_name = "RxC")]
        grid: Option<String>,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Throughput { quick, grid }) => {
            throughput::measure(quick, grid.as_deref(), &mut std::io::stdout())
        }
        Some(Command::Matrix { only }) => fixed(only.as_deref()),
        Some(Command::Hls { flavour, ref compiler, ref only, random }) => {
            let tools = Tools::find(compiler).map_err(|cause| anyhow!("{cause}"))?;
            match random {
                Some(count) => hls::sweep::random(flavour, &tools, arguments.seed, arguments.from, count),
                None => hls::sweep::fixed(flavour, &tools, only.as_deref()),
            }
        }
        None => sweep(&arguments),
    }
}

fn fixed(only: Option<&str>) -> Result<()> {
    let wanted = |group: &&matrix::Group| only.is_none_or(|text| group.name.contains(text));
    println!("| build | job | messages | cycles | stalled | kcycles/s |\n|---|---|---|---|---|---|");
    for group in matrix::GROUPS.iter().filter(wanted) {
        matrix::run(group, &mut |spec, agreement| {
            let array = &agreement.array;
            let cycles = array.cycles + array.load_cycles + array.drain_cycles;
            println!(
                "| {} | {} | {} | {} | {} | {:.0} |",
                group.name,
                draw::job_words(spec),
                agreement.log.messages,
                array.cycles,
                array.stall_cycles,
                cycles as f64 / agreement.seconds / 1e3
            );
        })?;
    }
    Ok(())
}

fn sweep(arguments: &Arguments) -> Result<()> {
    let indices = match arguments.case {
        Some(index) => index..index + 1,
        None => arguments.from..arguments.from + arguments.count,
    };
    let mut table: Box<dyn Write> = match &arguments.table {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(std::io::sink()),
    };
    writeln!(table, "| case | build | job | messages | cycles | stalled | result |")?;
    writeln!(table, "|---|---|---|---|---|---|---|")?;
    println!("seed {}, cases {}..{}", arguments.seed, indices.start, indices.end);
    let (mut failed, mut cycles, started) = (Vec::new(), 0, Instant::now());
    for index in indices.clone() {
        let case = draw::case(arguments.seed, index)?;
        let (build, job) = (draw::build_words(&case.config), draw::job_words(&case.spec));
        if index % JOBS_PER_BUILD == 0 || arguments.case.is_some() {
            println!("build {}: {build}", index / JOBS_PER_BUILD);
        }
        let result = Bench::new(case.config, case.options).and_then(|mut bench| {
            // Twice, without a reset between: the second run must not see the first.
            bench.check(&case.job)?;
            bench.check(&case.job)
        });
        match result {
            Ok(agreement) => {
                let array = &agreement.array;
                cycles += 2 * (array.cycles + array.load_cycles + array.drain_cycles);
                println!("  {index}: equal; {} messages, {} cycles", agreement.log.messages, array.cycles);
                writeln!(
                    table,
                    "| {index} | {build} | {job} | {} | {} | {} | equal |",
                    agreement.log.messages, array.cycles, array.stall_cycles
                )?;
            }
            Err(error) => {
                println!("  {index}: FAILED: {error:#}\n    {job}\n    {:?}", case.options);
                writeln!(table, "| {index} | {build} | {job} | | | | **{error:#}** |")?;
                failed.push(index);
            }
        }
        table.flush()?;
    }
    let count = indices.end - indices.start;
    println!(
        "{} of {count} equal, {cycles} cycles simulated, {:.0} s",
        count - failed.len() as u64,
        started.elapsed().as_secs_f64()
    );
    if !failed.is_empty() {
        let (seed, first) = (arguments.seed, failed[0]);
        bail!("cases {failed:?} differ; repeat one with 'cosim --seed {seed} --case {first}'");
    }
    Ok(())
}
