//! Folders where pictures are expected: one run an item, each by a process of its own, so that whatever happens to one, the
//! others are done (docs/batch.md).

use super::print;
use crate::backend::cuda::device::Device;
use crate::batch::{Item, Source};
use crate::error::Error;
use crate::interrupt;
use crate::options::RunOptions;
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Word of `--start` for the labels of the run before.
const PREVIOUS: &str = "previous";

/// What became of an item.
#[derive(Debug, Serialize)]
struct Done {
    name: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// It did not fail but was stopped, or not begun.
    #[serde(skip)]
    stopped: bool,
}

impl Done {
    fn failed(name: &str, error: String) -> Self {
        let error = Some(error);
        Self {
            name: name.to_string(),
            ok: false,
            seconds: None,
            iterations: None,
            mean_confidence: None,
            error,
            stopped: false,
        }
    }

    fn not_begun(name: &str) -> Self {
        Self { stopped: true, ..Self::failed(name, "not begun".to_string()) }
    }
}

/// Runs `items` with the options of this process's command line, which are `options`; `json` as in a single run.
pub fn run(items: &[Item], options: &RunOptions, json: bool) -> anyhow::Result<ExitCode> {
    let output = check(options)?;
    interrupt::listen();
    interrupt::run_begins();
    let bar = ProgressBar::new(items.len() as u64);
    if !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("[{bar:40}] {pos}/{len} runs, {msg}, {eta} left") {
        bar.set_style(style.progress_chars("=> "));
    }
    let program = std::env::current_exe()?;
    let (subcommand, given) = given_arguments();
    let cards = cards(options);
    let mut done: Vec<Done> = Vec::with_capacity(items.len());
    let mut previous: Option<PathBuf> = None;
    for together in items.chunks(cards.len().max(1)) {
        let names: Vec<&str> = together.iter().map(|item| item.name.as_str()).collect();
        bar.set_message(names.join(", "));
        let child = |item: &Item| {
            let folder = output.join(&item.name);
            let mut child = Command::new(&program);
            child.arg(&subcommand).args(&given).arg("--json").arg("--output").arg(&folder);
            for (option, file) in [("--report", &options.report), ("--keep-log", &options.keep_log)] {
                if let Some(file) = file {
                    child.arg(option).arg(folder.join(file));
                }
            }
            if let (true, Some(labels)) = (starts_from_previous(options), &previous) {
                child.arg("--start").arg(labels);
            }
            child.arg("--").args(pictures(&item.source));
            child
        };
        let all: anyhow::Result<Vec<Done>> = std::thread::scope(|scope| {
            let threads: Vec<_> = together
                .iter()
                .enumerate()
                .map(|(n, item)| {
                    let mut child = child(item);
                    if let Some(card) = cards.get(n) {
                        child.env(VISIBLE, card);
                    }
                    scope.spawn(move || match &item.source {
                        _ if interrupt::stop_asked() => Ok(Done::not_begun(&item.name)),
                        Source::Nothing(cause) => Ok(Done::failed(&item.name, cause.clone())),
                        _ => one(&item.name, child),
                    })
                })
                .collect();
            let ended = |_| anyhow::anyhow!("a thread of the batch ended early");
            threads.into_iter().map(|thread| thread.join().map_err(ended)?).collect()
        });
        done.extend(all?);
        let last = together.last().filter(|_| done.last().is_some_and(|done| done.ok));
        previous = last.map(|item| output.join(&item.name).join("labels.npy"));
        bar.inc(together.len() as u64);
    }
    bar.finish_and_clear();
    tell(&done, json)?;
    Ok(match done.iter().all(|done| done.ok) {
        _ if interrupt::stop_asked() => ExitCode::from(interrupt::exit_code()),
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Which cards a process sees, for the driver.
const VISIBLE: &str = "CUDA_VISIBLE_DEVICES";

/// Cards that take a run each at the same time, as [`VISIBLE`] names them; fewer than two: one run after another.
fn cards(options: &RunOptions) -> Vec<String> {
    let on_cards = matches!(options.backend.as_deref(), Some("cuda" | "auto"));
    if !on_cards || starts_from_previous(options) {
        return Vec::new();
    }
    let count = Device::count();
    match std::env::var(VISIBLE) {
        Ok(names) => names.split(',').take(count).map(|name| name.trim().to_string()).collect(),
        Err(_) => (0..count).map(|n| n.to_string()).collect(),
    }
}

/// What a batch cannot do; the folder of its results.
fn check(options: &RunOptions) -> Result<&Path, Error> {
    for (name, given) in [("checkpoint", &options.checkpoint), ("resume", &options.resume)] {
        if given.is_some() {
            return Err(Error::usage(format!(
                "--{name} is for one run, not for a folder of pictures; leave it out"
            )));
        }
    }
    for (name, file) in [("report", &options.report), ("keep-log", &options.keep_log)] {
        if let Some(file) = file.as_ref().filter(|file| file.components().count() != 1) {
            return Err(Error::usage(format!(
                "--{name} is '{}'; with a folder of pictures it must be a name without folders, which every run uses in its own folder",
                file.display()
            )));
        }
    }
    options.output.as_deref().ok_or_else(|| {
        Error::usage("a folder of pictures needs a folder for the results of each; give -o DIR")
    })
}

fn starts_from_previous(options: &RunOptions) -> bool {
    options.start.as_deref() == Some(Path::new(PREVIOUS))
}

/// The arguments that name the pictures of a run.
fn pictures(source: &Source) -> Vec<&Path> {
    match source {
        Source::Picture(picture) => vec![picture],
        Source::Pair(first, second) => vec![first, second],
        Source::Scene(scene) => vec![&scene.folder],
        Source::Nothing(_) => Vec::new(),
    }
}

/// Subcommand and options of this process, less what every run has of its own.
fn given_arguments() -> (String, Vec<OsString>) {
    let command = super::command();
    let matches = command.clone().get_matches();
    let Some((name, matches)) = matches.subcommand() else { return (String::new(), Vec::new()) };
    let mut given = Vec::new();
    for argument in command.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments) {
        let id = argument.get_id().as_str();
        let own = ["output", "report", "keep_log", "json"].contains(&id);
        if let Some(long) = argument.get_long().filter(|_| !own && is_given(matches, id)) {
            if matches!(argument.get_action(), ArgAction::SetTrue) {
                given.push(format!("--{long}").into());
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                if id == "start" && value == PREVIOUS {
                    continue;
                }
                let mut option = OsString::from(format!("--{long}="));
                option.push(value);
                given.push(option);
            }
        }
    }
    (name.to_string(), given)
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// Runs one item; a failure of its own is part of the answer.
fn one(name: &str, mut child: Command) -> anyhow::Result<Done> {
    let answer = child.stdin(Stdio::null()).output()?;
    let summary = serde_json::from_slice::<serde_json::Value>(&answer.stdout).ok();
    let number = |key: &str| summary.as_ref().and_then(|summary| summary.get(key)?.as_f64());
    let stopped = interrupt::was_stopped(answer.status);
    let error = (!answer.status.success()).then(|| {
        if stopped {
            let kept = summary.is_some();
            return format!(
                "stopped{}",
                if kept { "; its folder has the results so far" } else { " before there were results" }
            );
        }
        let text = String::from_utf8_lossy(&answer.stderr);
        let told = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
        told.map_or_else(|| format!("ended with {}", answer.status), ToString::to_string)
    });
    Ok(Done {
        name: name.to_string(),
        ok: error.is_none(),
        seconds: number("total_seconds"),
        iterations: number("iterations").map(|n| n as u64),
        mean_confidence: number("mean_confidence"),
        error,
        stopped,
    })
}

/// Prints what became of all; failures come last.
fn tell(done: &[Done], json: bool) -> anyhow::Result<()> {
    if json {
        return print(&(serde_json::to_string_pretty(done)? + "\n"));
    }
    let width = done.iter().map(|done| done.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for done in done.iter().filter(|done| done.ok) {
        let seconds = done.seconds.map(|s| format!("{s:8.3} s")).unwrap_or_default();
        let confidence = done.mean_confidence.map(|c| format!("  confidence {c:.3}")).unwrap_or_default();
        text += &format!("{:width$}  {seconds}{confidence}\n", done.name);
    }
    for (done, error) in done.iter().filter_map(|done| Some((done, done.error.as_ref()?))) {
        let what = if done.stopped { "" } else { "failed: " };
        text += &format!("{:width$}  {what}{error}\n", done.name);
    }
    let good = done.iter().filter(|done| done.ok).count();
    text += &format!("{good} of {} runs done\n", done.len());
    print(&text)
}
