//! Checkpoints: killed and damaged runs, and what cannot be saved.

use super::pieces::{Started, long, with_big_scene};
use super::support::Spa;
use serde_json::Value;
use std::process::Command;
use std::time::Instant;

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
    let text = spa.fails(1, &with(&["--resume", "c", "--temperature", "3"]));
    let words = "it is of another run: entry 1 of schedule is {\"temperature\":";
    assert!(text.contains(words) && text.len() < 400, "{text}");
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
