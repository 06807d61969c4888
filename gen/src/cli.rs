//! The command line: what `spagen` reads, prints and returns. Exit codes: 0 done, 1 the work failed, 2 usage.

mod args;
mod doctor;
mod explain;
mod generate;
mod report;
mod synth;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

pub use args::{Cli, Command};
pub use explain::markdown as parameters_markdown;

use crate::error::Error;
use crate::presets::PRESETS;
use crate::report::align;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; a closed pipe is none either.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            let closed = error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
            if closed {
                return ExitCode::SUCCESS;
            }
            complain(&error);
            let usage = error.downcast_ref::<Error>().is_some_and(Error::is_usage) || error.is::<Usage>();
            ExitCode::from(if usage { 2 } else { 1 })
        }
    }
}

/// Every mistake in a line of its own; nobody is left to tell if standard error is gone.
fn complain(error: &anyhow::Error) {
    let mut out = io::stderr().lock();
    let _ = match error.downcast_ref::<Error>() {
        Some(Error::Config(mistakes)) => {
            mistakes.0.iter().try_for_each(|mistake| writeln!(out, "error: {mistake}"))
        }
        _ => writeln!(out, "error: {error}"),
    };
}

/// A mistake on the command line that clap does not see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        None => generate::run(&cli.generate),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Synth(args)) => synth::run(&args),
        Some(Command::Doctor(args)) => doctor::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Presets) => presets(),
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "spagen", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Some(Command::Man) => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut text)?;
            print(&String::from_utf8_lossy(&text))
        }
    }
}

fn presets() -> anyhow::Result<ExitCode> {
    let rows: Vec<Vec<String>> =
        PRESETS.iter().map(|preset| vec![preset.name.to_owned(), preset.meaning.to_owned()]).collect();
    print(&align(rows.iter()))
}

/// Prints to standard output.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
