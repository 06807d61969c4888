//! The command `spagen`.

use std::process::ExitCode;

fn main() -> ExitCode {
    spagen::cli::main()
}
