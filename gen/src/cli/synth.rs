//! `spagen synth`.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use super::args::SynthArgs;
use super::print;
use crate::Build;
use crate::synth;

pub(super) fn run(args: &SynthArgs) -> anyhow::Result<ExitCode> {
    let build = Build::open(&args.folder)?;
    let mut notice = |text: &str| {
        let mut err = std::io::stderr();
        if err.is_terminal() {
            let _ = writeln!(err, "{text}");
        }
    };
    let result = synth::run(&build, args.flow, &mut notice)?;
    print(&if args.json { serde_json::to_string_pretty(&result)? + "\n" } else { result.text(args.flow) })
}
