//! The command line: one file a subcommand.
//!
//! Exit codes: 0 done, 1 the work failed, 2 usage or a parameter, 130 and 143 stopped by Ctrl-C and SIGTERM. Results go to stdout, everything else to stderr.

mod auto;
mod batch;
mod bench;
mod compare;
mod completions;
mod convert;
mod decode;
mod devices;
mod energy;
mod eval;
mod flow;
mod follow;
mod infer;
mod last;
mod man;
mod places;
mod restore;
mod run;
mod segment;
mod stereo;
mod study;
mod synth;

use crate::error::Error;
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Labels pixels by Gibbs sampling on a Markov random field, and says how sure it is
#[derive(Debug, Parser)]
#[command(name = "spa", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 the work failed, 2 usage or a parameter, 130 stopped by Ctrl-C (143 by SIGTERM)."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stereo(stereo::Stereo),
    Flow(flow::Flow),
    Segment(segment::Segment),
    Restore(restore::Restore),
    Infer(infer::Infer),
    Synth(synth::Synth),
    Decode(decode::Decode),
    Compare(compare::Compare),
    Convert(convert::Convert),
    Eval(eval::Eval),
    Study(study::Study),
    Bench(bench::Bench),
    Devices(devices::Devices),
    Energy(energy::Energy),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    // Clap prints help and usage errors itself and exits with 0 or 2.
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    let done = match &cli.command {
        Command::Stereo(command) => command.execute(),
        Command::Flow(command) => command.execute(),
        Command::Segment(command) => command.execute(),
        Command::Restore(command) => command.execute(),
        Command::Infer(command) => command.execute(),
        Command::Synth(command) => command.execute(),
        Command::Decode(command) => command.execute(),
        Command::Compare(command) => command.execute(),
        Command::Convert(command) => command.execute(),
        Command::Eval(command) => command.execute(),
        Command::Study(command) => command.execute(),
        Command::Bench(command) => command.execute(),
        Command::Devices(command) => command.execute(),
        Command::Energy(command) => command.execute(),
        Command::Completions(command) => command.execute(),
        Command::Man(command) => command.execute(),
    };
    match done {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if stderr is gone too.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            match error.downcast_ref::<Error>() {
                Some(Error::Interrupted(_)) => ExitCode::from(crate::interrupt::exit_code()),
                _ => ExitCode::from(if is_usage(&error) { 2 } else { 1 }),
            }
        }
    }
}

/// The definition of the command line, for help, man pages and completions.
pub fn command() -> clap::Command {
    shaped(Cli::command())
}

/// What the definitions of single options cannot say: `-1` is a value everywhere, refused in the words of its option, and an
/// application lists no options of others.
fn shaped(command: clap::Command) -> clap::Command {
    let name = command.get_name().to_string();
    let with_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if with_value(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_args(|arg| {
            let foreign = arg.get_long().is_some_and(|option| crate::app::is_foreign(option, &name));
            if foreign { arg.hide(true) } else { arg }
        })
        .mut_subcommands(shaped)
}

/// Writes to stdout; a reader that has gone away is found by [`is_broken_pipe`].
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("write", Path::new("standard output"), &e).into())
        }
        done => Ok(done?),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(std::io::ErrorKind::BrokenPipe)
}

fn is_usage(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(Error::is_usage)
        || error.downcast_ref::<spa_model::Error>().is_some_and(Error::is_parameter)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definition_is_sound() {
        super::command().debug_assert();
    }
}
