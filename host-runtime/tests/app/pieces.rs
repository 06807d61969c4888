//! Runs that are followed and stopped.

use super::support::{Spa, listing};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use spa_runtime::npy;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// At one temperature, so that a stopped run is a run with fewer iterations.
const LONG: [&str; 9] =
    ["stereo", "big/left.png", "big/right.png", "--labels", "16", "--temperature", "3", "--seed", "7"];

pub fn with_big_scene(size: &str) -> Spa {
    let spa = Spa::new();
    spa.ok(&["synth", "stereo", "-o", "big", "--size", size, "--labels", "16", "--seed", "3"]);
    spa
}

pub fn long<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LONG.iter().copied().chain(more.iter().copied()).collect()
}

/// A run in the background; it is killed where a test fails.
pub struct Started(pub Child);

impl Started {
    pub fn new(spa: &Spa, args: &[&str]) -> Self {
        Self(Self::command(spa, args).spawn().unwrap())
    }

    fn command(spa: &Spa, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spa"));
        command.args(args).current_dir(spa.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The same with a process group of its own, as a shell starts it.
    pub fn in_a_group(spa: &Spa, args: &[&str]) -> Self {
        let mut command = Self::command(spa, args);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Self(command.spawn().unwrap())
    }

    /// To the run and all that it has started, as Ctrl-C does.
    pub fn signal_all(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.0), signal).unwrap();
    }

    /// Waits until it has started a process.
    pub fn wait_for_a_child(&self) {
        let tasks = format!("/proc/{}/task", self.0.id());
        let has_child = |task: std::fs::DirEntry| {
            std::fs::read_to_string(task.path().join("children")).is_ok_and(|children| !children.is_empty())
        };
        let begun = Instant::now();
        while !std::fs::read_dir(&tasks).unwrap().flatten().any(has_child) {
            assert!(begun.elapsed() < Duration::from_secs(120), "no child");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    pub fn wait_for(&mut self, path: &Path) {
        let begun = Instant::now();
        while !path.exists() {
            assert!(self.0.try_wait().unwrap().is_none(), "the run ended before {}", path.display());
            assert!(begun.elapsed() < Duration::from_secs(120), "no {}", path.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Exit code, stdout and stderr.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        if let Some(mut out) = self.0.stdout.take() {
            std::io::Read::read_to_string(&mut out, &mut stdout).unwrap();
        }
        if let Some(mut err) = self.0.stderr.take() {
            std::io::Read::read_to_string(&mut err, &mut stderr).unwrap();
        }
        (self.0.wait().unwrap().code(), stdout, stderr)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn names(folder: &Path) -> Vec<String> {
    listing(folder).iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn the_energy_is_followed_from_start_to_end() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "30"];
    spa.ok(&[&run[..], &["-o", "out", "--report", "out.html"]].concat());
    let trace = spa.json("out/trace.json");
    let points: Vec<(u64, u64)> = serde_json::from_value(trace["points"].clone()).unwrap();
    assert_eq!(points.iter().map(|&(at, _)| at).collect::<Vec<_>>(), [0, 10, 20, 30]);
    // The first ten iterations of the schedule, on their own. 'spa energy' knows nothing of either run.
    std::fs::write(spa.path("s.txt"), schedule(&spa.json("out/summary.json"), 10)).unwrap();
    spa.ok(&[&run[..5], &["--schedule", "s.txt", "-o", "start"]].concat());
    for (labels, energy) in [("out/labels.npy", points[3].1), ("start/labels.npy", points[1].1)] {
        let text = spa.ok(&[&["energy", "--json", labels], &run[..5]].concat());
        let known: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(known["energy"]["total"], energy, "{labels}");
        let real = known["energy"]["real_total"].as_f64().unwrap();
        assert!((real * trace["unit"].as_f64().unwrap() - energy as f64).abs() < 1e-6 * energy as f64);
    }
    assert!(points[3].1 < points[1].1, "annealing goes down");
    assert_eq!(spa.json("out/summary.json")["energy"], points[3].1);
    assert!(std::fs::read_to_string(spa.path("out.html")).unwrap().contains("Energy of the field"));
    // Nobody wants it: nobody pays for it.
    assert!(spa.ok(&[&run[..], &["--json"]].concat()).contains("\"energy\": null"));
}

/// The first `count` iterations of the schedule in a summary, as a schedule file.
fn schedule(summary: &Value, mut count: u64) -> String {
    let factor = summary["mapping"]["temperature_factor"].as_f64().unwrap();
    let mut text = String::new();
    for step in summary["parameters"]["schedule"].as_array().unwrap() {
        let take = step["iterations"].as_u64().unwrap().min(count);
        count -= take;
        if take > 0 {
            text += &format!("{} {take}\n", step["temperature"].as_f64().unwrap() / factor);
        }
    }
    text
}

/// Starts a run that lasts for minutes, waits until it is under way and sends `signal`.
fn stopped(spa: &Spa, burn_in: &str, every: &str, signal: Signal, code: i32) -> (Value, String) {
    let more = ["--iterations", "66000", "--burn-in", burn_in, "-o", "out", "--keep-log", "out.log"];
    let save =
        ["--checkpoint", "run.ckp", "--checkpoint-every", every, "--formats", "pfm", "--report", "out.html"];
    let mut run = Started::new(spa, &long(&[&more[..], &save].concat()));
    run.wait_for(&spa.path("run.ckp"));
    run.signal(signal);
    let (ended, stdout, stderr) = run.end();
    assert_eq!(ended, Some(code), "{stdout}\n{stderr}");
    assert!(stdout.contains("PARTIAL: "), "{stdout}");
    (spa.json("out/summary.json"), stderr)
}

#[test]
fn ctrl_c_leaves_the_results_so_far() {
    let spa = with_big_scene("160x120");
    let (summary, stderr) = stopped(&spa, "500", "600", Signal::INT, 130);
    let done = summary["iterations_done"].as_u64().unwrap();
    assert!(summary["partial"] == true && (600..66000).contains(&done), "{done}");
    assert!(stderr.contains(&format!("stopped after {done} of 66000 iterations; ")), "{stderr}");
    assert!(stderr.contains("the same command with --resume 'run.ckp' goes on"), "{stderr}");
    let iterations = done.to_string();
    spa.ok(&long(&["--iterations", &iterations, "--burn-in", "500", "-o", "short"]));
    let short = spa.json("short/summary.json");
    assert_eq!((&short["hashes"], &short["energy"]), (&summary["hashes"], &summary["energy"]));
    let histogram = npy::read(&spa.path("out/histogram.npy")).unwrap();
    for row in histogram.values.chunks_exact(16) {
        assert_eq!(row.iter().map(|&count| u64::from(count)).sum::<u64>(), done - 500);
    }
    assert!(spa.path("out/disparity.pfm").exists());
    spa.ok(&["decode", "out.log"]);
    let report = std::fs::read_to_string(spa.path("out.html")).unwrap();
    assert!(report.contains(&format!("stopped after {done} of 66000 iterations, {} of them", done - 500)));
    // What is left can be taken up where it stopped.
    let mut run = Started::new(
        &spa,
        &long(&[
            "--iterations",
            "66000",
            "--burn-in",
            "500",
            "--checkpoint",
            "next.ckp",
            "--checkpoint-every",
            "1",
            "--resume",
            "run.ckp",
        ]),
    );
    run.wait_for(&spa.path("next.ckp"));
}

#[test]
fn before_the_end_of_burn_in_there_are_labels_only() {
    let spa = with_big_scene("160x120");
    let (summary, stderr) = stopped(&spa, "60000", "50", Signal::TERM, 143);
    assert!(stderr.contains("nothing was collected before the end of burn-in: labels only"), "{stderr}");
    assert!(stderr.contains("; not written: --report 'out.html', --keep-log 'out.log'; "), "{stderr}");
    assert_eq!(names(&spa.path("out")), ["labels.npy", "labels.png", "summary.json", "trace.json"]);
    assert!(!spa.path("out.log").exists() && !spa.path("out.html").exists());
    let eval = spa.fails(1, &["eval", "out", "scene/truth.npy"]);
    assert!(eval.contains("'out': its run was stopped after ") && eval.contains("labels.npy"), "{eval}");
    assert!(summary["mean_confidence"].is_null() && summary["histogram_file"].is_null());
    let done = summary["iterations_done"].to_string();
    spa.ok(&long(&["--iterations", &done, "--burn-in", "0", "-o", "short"]));
    assert_eq!(spa.json("short/summary.json")["hashes"]["labels"], summary["hashes"]["labels"]);
    assert_eq!(spa.ok(&["compare", "out", "out"]).matches("equal").count(), 4);
}

#[test]
fn a_second_signal_ends_at_once_and_leaves_nothing() {
    let spa = with_big_scene("900x700");
    let before = listing(spa.folder.path());
    let more = ["--iterations", "3000", "-o", "new/out", "--keep-log", "out.log", "--report", "out.html"];
    let mut run = Started::new(&spa, &long(&more));
    let mut stderr = BufReader::new(run.0.stderr.take().unwrap());
    let said = |stderr: &mut BufReader<ChildStderr>, words: &str| {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(stderr.read_line(&mut line).unwrap() > 0, "stderr ended without '{words}'");
        }
    };
    said(&mut stderr, "stereo: ");
    // The bar is hidden: nothing tells when the first sweep begins. A moment is enough, and no moment would be right, too.
    std::thread::sleep(Duration::from_millis(300));
    run.signal(Signal::INT);
    said(&mut stderr, "stopping; once more ends at once");
    run.signal(Signal::TERM);
    let (code, stdout, _) = run.end();
    assert_eq!((code, stdout.as_str()), (Some(143), ""));
    assert_eq!(listing(spa.folder.path()), before);
}

/// Starts a run, waits until `words` are said and a moment longer, and sends Ctrl-C: stdout and stderr. No moment is right on every
/// machine, so it is another one while `wanted` is not on stdout or stderr; at the last the caller sees what is.
fn stopped_soon(spa: &Spa, args: &[&str], (words, moment): (&str, u64), wanted: &str) -> (String, String) {
    let once = |moment: u64| {
        let mut run = Started::new(spa, args);
        let mut stderr = BufReader::new(run.0.stderr.take().unwrap());
        let mut text = String::new();
        while !text.contains(words) {
            assert!(stderr.read_line(&mut text).unwrap() > 0, "{text}");
        }
        std::thread::sleep(Duration::from_millis(moment));
        run.signal(Signal::INT);
        std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
        let (code, stdout, _) = run.end();
        (code, stdout, text)
    };
    let mut last = once(moment);
    for moment in [3 * moment, 8 * moment, moment / 3] {
        if last.0 == Some(130) && (last.1.contains(wanted) || last.2.contains(wanted)) {
            break;
        }
        last = once(moment);
    }
    assert_eq!(last.0, Some(130), "{}", last.2);
    (last.1, last.2)
}

#[test]
fn of_several_chains_those_until_then_are_kept() {
    let spa = with_big_scene("160x120");
    let before = listing(spa.folder.path());
    let chains = |burn_in| {
        long(&[
            "--chains",
            "3",
            "--iterations",
            "65000",
            "--burn-in",
            burn_in,
            "-o",
            "out",
            "--report",
            "out.html",
        ])
    };
    let begun = ("note: all chains start from the same labels", 400);
    let (stdout, text) = stopped_soon(&spa, &chains("60000"), begun, "of one of several chains");
    assert_eq!(stdout, "", "{text}");
    assert!(text.contains("of one of several chains, so there are no results to keep"), "{text}");
    assert_eq!(listing(spa.folder.path()), before);

    let (stdout, text) = stopped_soon(&spa, &chains("1"), begun, "PARTIAL: 1 of 3 chains");
    let summary = spa.json("out/summary.json");
    let done = summary["iterations_done"].as_u64().unwrap();
    let said = format!("1 of 3 chains (one with {done} iterations)");
    assert!(stdout.contains(&format!("PARTIAL: {said}")), "{stdout}");
    assert!(text.contains(&format!("\nstopped; kept: {said}; ")), "{text}");
    assert!(std::fs::read_to_string(spa.path("out.html")).unwrap().contains(&format!("stopped with {said}")));
    assert!(summary["partial"] == true && summary["parameters"]["chains"] == 3);
    let only = &summary["chains"].as_array().unwrap()[..];
    assert!(only.len() == 1 && only[0]["iterations_done"] == done);
    spa.ok(&long(&["--iterations", &done.to_string(), "--burn-in", "1", "-o", "short"]));
    let short = spa.json("short/summary.json");
    assert_eq!(
        (&short["hashes"], &short["labels_evaluated"]),
        (&only[0]["hashes"], &summary["labels_evaluated"])
    );
    assert!(spa.path("out/labels_0.npy").exists() && spa.path("out/mode.npy").exists());
    spa.ok(&["compare", "out", "out"]);
}

/// Before its first run a command says so; in a run before the last one it says which.
#[test]
fn stopped_before_the_last_run_it_says_where() {
    let spa = with_big_scene("160x120");
    let before = listing(spa.folder.path());
    let passes = ["--occlusion", "fill", "--iterations", "60000", "-o", "out"];
    let (stdout, text) =
        stopped_soon(&spa, &long(&passes), ("stereo, other view: ", 1000), "of run 1 of 3 (other view)");
    assert_eq!(stdout, "", "{text}");
    assert!(text.contains("\nerror: interrupted: "), "{text}");
    assert!(
        text.contains(
            "of 60000 iterations are done of run 1 of 3 (other view), so there are no results to keep\n"
        ),
        "{text}"
    );
    // Reading a picture from a pipe that nobody fills takes for ever.
    let pipe = spa.path("pipe.png");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    let run = Started::new(&spa, &["segment", "pipe.png", "--labels", "4"]);
    // Opens for writing as soon as somebody reads.
    let writer = || {
        use rustix::fs::OFlags;
        rustix::fs::open(&pipe, OFlags::WRONLY | OFlags::NONBLOCK, rustix::fs::Mode::empty()).ok()
    };
    let begun = Instant::now();
    let _writer = loop {
        if let Some(writer) = writer() {
            break writer;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "nobody reads the pipe");
        std::thread::sleep(Duration::from_millis(5));
    };
    run.signal(Signal::TERM);
    let (code, _, text) = run.end();
    assert_eq!(code, Some(143), "{text}");
    assert_eq!(
        text,
        "error: interrupted: stopped before the first run began, so there are no results to keep\n"
    );
    std::fs::remove_file(pipe).unwrap();
    assert_eq!(listing(spa.folder.path()), before);
}

#[test]
fn a_search_that_is_stopped_leaves_its_last_check() {
    let spa = Spa::new();
    npy::write(&spa.path("unary.npy"), &[12, 12, 2], &[0.0_f32; 288]).unwrap();
    let model = "unary = \"unary.npy\"\npair = \"potts\"\ncap = 1\nbeta = 2.0\n";
    std::fs::write(spa.path("model.toml"), model).unwrap();
    let search =
        ["infer", "model.toml", "--iterations=auto", "--max-iterations=65500", "--seed=3", "-o", "out"];
    let (stdout, text) = stopped_soon(&spa, &search, ("infer: ", 1500), "PARTIAL: 8 of 8 chains");
    assert!(text.contains("are drawn once more, for their log"), "{text}");
    assert!(text.contains("\nstopped, not converged: R-hat of the energy "), "{text}");
    assert!(stdout.contains("PARTIAL: 8 of 8 chains (8 with "), "{stdout}");
    let summary = spa.json("out/summary.json");
    let number = |key: &str| summary["convergence"][key].as_u64().unwrap();
    assert!(summary["partial"] == true && summary["convergence"]["converged"] == false);
    assert!(number("iterations") >= 200 && number("iterations") < 65500 && number("burn_in") >= 100);
    let (iterations, burn_in) =
        (format!("--iterations={}", number("iterations")), format!("--burn-in={}", number("burn_in")));
    let plain = ["infer", "model.toml", "--seed=3", "--chains=8", "--start=random", "-o", "plain"];
    spa.ok(&[&plain[..], &[&iterations, &burn_in]].concat());
    assert_eq!(spa.json("plain/summary.json")["hashes"], summary["hashes"]);
}

/// What a run says on a terminal, up to its end.
fn on_a_terminal(spa: &Spa, args: &[&str]) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let other_end = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_spa"))
        .args(args)
        .current_dir(spa.folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(other_end)
        .spawn()
        .unwrap();
    let (mut said, mut piece) = (Vec::new(), [0; 4096]);
    // Once nobody holds the other end, reading fails.
    let mut terminal = std::fs::File::from(terminal);
    while let Ok(count @ 1..) = std::io::Read::read(&mut terminal, &mut piece) {
        said.extend_from_slice(&piece[..count]);
    }
    assert!(child.wait().unwrap().success());
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_terminal_is_told_that_results_are_written() {
    let spa = with_big_scene("160x120");
    let args = long(&["--iterations", "20", "-o", "out", "--uncertainty", "--report", "out.html"]);
    let said = on_a_terminal(&spa, &args);
    let (before, after) = said.rsplit_once("writing results …").unwrap_or_else(|| panic!("{said}"));
    assert!(before.contains("/20 iterations"), "after the bar: {said}");
    // Clears the line at the end.
    assert!(after.contains("\u{1b}[2K"), "{said:?}");
    let output = spa.run(&args);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("writing"), "no terminal, no words");
}
