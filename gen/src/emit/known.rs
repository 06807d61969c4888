//! The known-answer job as files for simulators.

use std::fmt::Write as _;

use askama::Template;

use super::{Files, banner, run};
use crate::config::Config;
use crate::error::Error;
use crate::known::Known;

/// Folder of the job in a build.
pub(super) const FOLDER: &str = "sim/known";
/// Testbench that runs it.
pub(super) const TESTBENCH: &str = "sim/spa_known_tb.sv";

#[derive(Template)]
#[template(path = "sim/known/spa_known_tb.sv")]
struct Testbench<'a> {
    known: &'a Known,
}

#[derive(Template)]
#[template(path = "sim/known/job.json")]
struct Description<'a> {
    known: &'a Known,
    config: &'a Config,
    hash: String,
}

/// Adds the job's files and its testbench to `files`.
pub(super) fn add(config: &Config, files: &mut Files) -> Result<(), Error> {
    let fail = |error: spa_model::Error| Error::Render { file: FOLDER.to_owned(), cause: error.to_string() };
    let known = &Known::new(config).map_err(fail)?;
    let digits = known.message_bits as usize / 4;
    let list = |render: &dyn Fn(&mut String)| {
        let mut text = String::new();
        render(&mut text);
        text
    };
    // Writing into a String cannot fail.
    let registers = list(&|text| {
        for (offset, value) in &known.registers {
            let _ = writeln!(text, "{offset:08x}{value:016x}");
        }
    });
    let messages = list(&|text| {
        for message in &known.messages {
            let _ = writeln!(text, "{message:0digits$x}");
        }
    });
    let bodies = [
        (format!("{FOLDER}/memory.hex"), lines(&known.memory, known.line_bytes)),
        (format!("{FOLDER}/registers.hex"), registers),
        (format!("{FOLDER}/messages.hex"), messages),
        (format!("{FOLDER}/labels.hex"), lines(&known.labels, known.line_bytes)),
        (
            format!("{FOLDER}/job.json"),
            run("sim/known/job.json", &Description { known, config, hash: config.hash() })?,
        ),
        (TESTBENCH.to_owned(), run(TESTBENCH, &Testbench { known })?),
    ];
    for (path, body) in bodies {
        let text = banner::with_banner(&path, &body, config);
        files.insert(path, text);
    }
    Ok(())
}

/// Memory as `$readmemh` takes it: a line a word, its last byte first.
fn lines(bytes: &[u8], line_bytes: usize) -> String {
    let mut text = String::new();
    for line in bytes.chunks(line_bytes) {
        for byte in line.iter().rev() {
            // Writing into a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    text
}
