//! `spagen explain`, and the page docs/parameters.md from the same table.

use std::fmt::Write as _;
use std::process::ExitCode;

use super::args::ExplainArgs;
use super::{Usage, print};
use crate::parameters::{self, PARAMETERS, Parameter};
use crate::presets::PRESETS;

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    if args.markdown {
        return print(&markdown());
    }
    let Some(name) = &args.parameter else { return print(&list()) };
    // The options of the command line are names too.
    let asked = match name.trim_start_matches('-') {
        "spu" => "spus",
        name => name,
    };
    match parameters::find(asked) {
        Some(parameter) => print(&one(parameter)),
        None => {
            let hint = match parameters::nearest(asked) {
                Some(nearest) => format!("did you mean '{nearest}'?"),
                None => "'spagen explain' lists them all".to_owned(),
            };
            Err(Usage(format!("failed to explain '{name}': no such parameter; {hint}")).into())
        }
    }
}

fn list() -> String {
    let about =
        |parameter: &Parameter| format!("{}; default {}", parameter.allowed(), parameter.default_text());
    table(&PARAMETERS.iter().map(|parameter| (parameter.name, about(parameter))).collect::<Vec<_>>())
}

fn one(parameter: &Parameter) -> String {
    let mut rows = vec![("allowed", parameter.allowed())];
    if !parameter.unit.is_empty() {
        rows.push(("unit", parameter.unit.to_owned()));
    }
    rows.push(("default", parameter.default_text()));
    rows.push(("meaning", parameter.meaning.to_owned()));
    rows.push(("cost", parameter.cost.to_owned()));
    if let Some(rtl) = parameter.rtl {
        rows.push(("in RTL", rtl.to_owned()));
    }
    format!("{}\n{}", parameter.name, table(&rows))
}

/// Names and texts, both from the left: a text that begins with a digit is no number.
fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, text)| format!("  {name:width$}  {text}\n")).collect()
}

/// The page docs/parameters.md.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from(
        "# Parameters of a build\n\n\
         Written by `spagen explain --markdown` from the table that checks them (`gen/src/parameters.rs`); a test keeps this page\n\
         current. Give them in a TOML file (`--config`), with `--set name=value`, or, the first few, as options. Numbers\n\
         may end in K (1024) or M (1024 x 1024) in options and in quotes.\n\n\
         | name | allowed | default | unit | RTL |\n|---|---|---|---|---|\n",
    );
    for parameter in PARAMETERS {
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "| [{0}](#{0}) | {1} | {2} | {3} | {4} |",
            parameter.name,
            parameter.allowed(),
            parameter.default_text(),
            parameter.unit,
            parameter.rtl.map(|name| format!("`{name}`")).unwrap_or_default()
        );
    }
    for parameter in PARAMETERS {
        let _ = write!(
            text,
            "\n## {}\n\n{}.\n\nAllowed: {}. Default: {}. Cost: {}.\n",
            parameter.name,
            sentence(parameter.meaning),
            parameter.allowed(),
            parameter.default_text(),
            parameter.cost
        );
    }
    text += "\n# Presets\n\n| name | what | settings |\n|---|---|---|\n";
    for preset in PRESETS {
        let settings: Vec<String> =
            preset.settings.iter().map(|(key, value)| format!("`{key} = {value}`")).collect();
        let _ = writeln!(text, "| {} | {} | {} |", preset.name, preset.meaning, settings.join(", "));
    }
    while text.contains("|  |") {
        text = text.replace("|  |", "| |");
    }
    text
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
