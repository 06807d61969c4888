//! Runs that are followed, stopped, killed and taken up again.

use super::support::{Spa, listing};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use spa_runtime::npy;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

/// At one temperature, so that a stopped run is a run with fewer iterations.
const LONG: [&str; 9] =
    ["stereo", "big/left.png", "big/right.png", "--labels", "16", "--temperature", "3", "--seed", "7"];

fn with_big_scene(size: &str) -> Spa {
    let spa = Spa::new();
    spa.ok(&["synth", "stereo", "-o", "big", "--size", size, "--labels", "16", "--seed", "3"]);
    spa
}

fn long<'a>(more: &[&'a str]) -> Vec<&'a str> {
    LONG.iter().copied().chain(more.iter().copied()).collect()
}

/// A run in the background; it is killed where a test fails.
struct Started(Child);

impl Started {
    fn new(spa: &Spa, args: &[&str]) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_spa"))
            .args(args)
            .current_dir(spa.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    fn wait_for(&mut self, path: &Path) {
        let begun = Instant::now();
        while !path.exists() {
            assert!(self.0.try_wait().unwrap().is_none(), "the run ended before {}", path.display());
            assert!(begun.elapsed() < Duration::from_secs(120), "no {}", path.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Exit code, stdout and stderr.
    fn end(mut self) -> (Option<i32>, String, String) {
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
    let said = format!("1 of 3 chains (1 of {done} iterations)");
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
    assert!(stdout.contains("PARTIAL: 8 of 8 chains (8 of "), "{stdout}");
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

/// A small generator, seeded by the clock; the seed is printed.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let seed = std::env::var("SPA_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or(now.as_nanos() as u64 | 1);
        eprintln!("seed {seed} (SPA_SEED={seed} repeats it)");
        Self(seed)
    }

    /// 0…1
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn a_run_that_is_killed_twenty_times_has_the_same_hashes() {
    let spa = with_big_scene("120x90");
    let mut random = Random::new();
    let run = ["--iterations", "6000", "--burn-in", "2000", "--checkpoint-every", "100", "--checkpoint", "c"];
    let begun = Instant::now();
    spa.ok(&long(&[&run[..7], &["uncut.ckp", "-o", "uncut"]].concat()));
    let whole = begun.elapsed();
    let expected = spa.json("uncut/summary.json");
    let (mut kills, mut found, mut iterations) = (0, 0, Vec::new());
    while kills < 20 {
        let resumed = spa.path("c").exists();
        let resume: &[&str] = if resumed { &["--resume", "c"] } else { &[] };
        let mut child = Started::new(&spa, &long(&[&run[..], &["-o", "killed"], resume].concat()));
        std::thread::sleep(whole.mul_f64(random.share() / 6.0));
        if child.0.try_wait().unwrap().is_some() {
            // Through before it was killed: from the start again.
            let (code, _, stderr) = child.end();
            assert_eq!(code, Some(0), "{stderr}");
            assert_eq!(spa.json("killed/summary.json")["hashes"], expected["hashes"]);
            std::fs::remove_file(spa.path("c")).unwrap();
            continue;
        }
        child.0.kill().unwrap();
        let (code, ..) = child.end();
        assert_eq!(code, None, "killed by a signal");
        kills += 1;
        if spa.path("c").exists() {
            found += 1;
            let checkpoint = spa_runtime::checkpoint::Checkpoint::read(&spa.path("c")).unwrap();
            iterations.push(checkpoint.iteration());
            // The last one: only the results are still to be written, so from the start again.
            if checkpoint.iteration() == 5900 && kills < 20 {
                std::fs::remove_file(spa.path("c")).unwrap();
            }
        }
    }
    eprintln!("killed 20 times, checkpoints at {iterations:?}");
    assert!(found > 5 && iterations.iter().any(|&at| at > 2000), "{iterations:?}");
    let resume: &[&str] = if spa.path("c").exists() { &["--resume", "c"] } else { &[] };
    spa.ok(&long(&[&run[..], &["-o", "killed", "--threads", "1"], resume].concat()));
    let killed = spa.json("killed/summary.json");
    assert_eq!(killed["hashes"], expected["hashes"]);
    if !resume.is_empty() {
        assert_eq!(killed["resumed_from"], *iterations.last().unwrap());
    }
    assert_eq!(spa.json("killed/trace.json"), spa.json("uncut/trace.json"));
    assert_eq!(spa.ok(&["compare", "uncut", "killed"]).matches("equal").count(), 4);
}

#[test]
fn a_checkpoint_that_is_damaged_or_of_another_run_is_refused() {
    let spa = Spa::with_scene("stereo", "12");
    let run = [
        "stereo",
        "scene/left.png",
        "scene/right.png",
        "--labels",
        "12",
        "--iterations",
        "30",
        "--burn-in=3",
    ];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    spa.ok(&with(&["--checkpoint", "c", "--checkpoint-every", "25", "-o", "uncut"]));
    spa.ok(&with(&["--resume", "c", "-o", "resumed"]));
    spa.ok(&["compare", "uncut", "resumed"]);
    assert_eq!(spa.json("resumed/summary.json")["resumed_from"], 25);

    let good = std::fs::read(spa.path("c")).unwrap();
    let header = u32::from_le_bytes(good[12..16].try_into().unwrap()) as usize;
    let refused = |bytes: &[u8], words: &str| {
        std::fs::write(spa.path("bad"), bytes).unwrap();
        let text = spa.fails(1, &with(&["--resume", "bad"]));
        assert!(text.starts_with("error: failed to read checkpoint 'bad': damaged at "), "{text}");
        assert!(text.contains(words), "{text}");
    };
    let labels = 16 + header + 4;
    let entries = labels + 1200 + 4;
    let messages = entries + 7200 + 4;
    assert!(good.len() > messages, "the run sent messages");
    let parts = [(0, "no checkpoint of spa"), (8, "the version"), (20, "the header"), (labels, "the labels")];
    let rest = [(entries, "the label entries"), (messages, "the messages from 0")];
    for (at, words) in parts.into_iter().chain(rest) {
        let mut bytes = good.clone();
        bytes[at + 3] ^= 16;
        refused(&bytes, words);
        refused(&good[..at + 2], "cut off");
    }
    refused(&good[..good.len() - 1], "the messages from 0: the file is cut off");
    refused(&[&good[..], b"x"].concat(), "goes on after its last message");
    refused(b"", "cut off");

    let other = |args: &[&str], words: &str| {
        let text = spa.fails(1, args);
        let last = text.lines().last().unwrap();
        assert_eq!(last, format!("error: failed to resume 'c': {words}"), "{text}");
    };
    other(&with(&["--resume", "c", "--seed", "9"]), "it is of another run: seed is 0 there and 9 here");
    other(&with(&["--resume", "c", "--beta", "3"]), "it is of another run: beta is 8 there and 3 here");
    let more = &run[3..];
    let swapped = ["stereo", "scene/right.png", "scene/left.png"];
    other(
        &[&swapped[..], more, &["--resume", "c"]].concat(),
        "it is of other pictures: the first one differs",
    );
    spa.ok(&["synth", "stereo", "-o", "wide", "--size", "41x30", "--labels", "12"]);
    let wide = ["stereo", "wide/left.png", "wide/right.png"];
    other(
        &[&wide[..], more, &["--resume", "c"]].concat(),
        "it is of another run: the size is 40x30 there and 41x30 here",
    );
    let text = spa.fails(1, &with(&["--resume", "none"]));
    assert_eq!(text, "error: failed to read 'none': no such file or directory\n");
}

#[test]
fn what_cannot_be_saved_is_refused_early() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "30"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    let text = spa.fails(2, &with(&["--checkpoint-every", "5"]));
    assert_eq!(text, "error: --checkpoint-every needs a file; give --checkpoint FILE\n");
    let text = spa.fails(2, &with(&["--checkpoint", "c", "--checkpoint-every", "0"]));
    assert!(text.contains("'0' must be iterations, as in 100, or seconds, as in 30s; above 0"), "{text}");
    let text = spa.fails(2, &with(&["--checkpoint", "scene/left.png"]));
    assert!(text.contains("is read and would be written over"), "{text}");
    let text = spa.fails(1, &with(&["--checkpoint", "no/c"]));
    assert!(text.contains("is no folder"), "{text}");
    for many in [&["--chains", "2"][..], &["--temperature", "2", "--iterations", "auto"]] {
        let text = spa.fails(2, &[&run[..5], many, &["--resume", "c"]].concat());
        assert!(text.contains("--resume is for one chain"), "{text}");
    }
    // In time, and from a file of options.
    std::fs::write(spa.path("run.toml"), "checkpoint = 'c'\ncheckpoint-every = '0.001s'\n").unwrap();
    let more = ["--iterations", "30000", "--burn-in", "29000", "--config", "run.toml"];
    spa.ok(&[&run[..5], &more[..]].concat());
    assert!(spa.path("c").exists());
}

#[test]
fn the_simulated_card_keeps_no_part_of_a_run() {
    let spa = Spa::with_scene("stereo", "12");
    spagen::output::write(
        &spa.path("b"),
        &spagen::emit::render(&spagen::Draft::new().finish().unwrap()).unwrap(),
        false,
    )
    .unwrap();
    let run = ["stereo", "scene/left.png", "scene/right.png", "--backend", "sim", "--build", "b"];
    for option in ["--checkpoint", "--resume"] {
        assert_eq!(
            spa.fails(2, &[&run[..], &[option, "c"]].concat()),
            format!(
                "error: backend 'sim' does not do {option}: a card runs a job from its start to its final drain; use \
                 --backend cpu or cuda\n"
            )
        );
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_costs_no_results() {
    let spa = Spa::with_scene("stereo", "12");
    let run = "stereo scene/left.png scene/right.png --labels 12 --iterations 30 --checkpoint c --json";
    let whole = spa.ok(&[&run.split(' ').collect::<Vec<_>>()[..], &["--checkpoint-every", "20"]].concat());
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(whole["checkpoint"], serde_json::json!({ "iteration": 20, "failures": 0, "error": null }));
    let good = std::fs::read(spa.path("c")).unwrap();
    assert!(good.len() > 4096);
    // Files may have 512 or 1024 bytes: as on a full disk, a checkpoint is begun and cannot be ended.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{}' {run} --checkpoint-every 10",
        env!("CARGO_BIN_EXE_spa")
    );
    let output = Command::new("sh").args(["-c", &limited]).current_dir(spa.folder.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["hashes"], whole["hashes"]);
    let cause = "failed to write checkpoint 'c': file too large";
    // It was tried again at 20, and the same cause is told once.
    assert_eq!(found["checkpoint"], serde_json::json!({ "iteration": null, "failures": 2, "error": cause }));
    assert_eq!(stderr.matches(&format!("warning: {cause}; the run goes on")).count(), 1, "{stderr}");
    assert!(
        stderr.contains("error: the results are whole, but 2 checkpoints could not be written"),
        "{stderr}"
    );
    assert_eq!(std::fs::read(spa.path("c")).unwrap(), good, "the last good one stays");
    assert!(!spa.path("c.part").exists());
}
