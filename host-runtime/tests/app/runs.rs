//! Runs of the program: what it prints, what it writes.

use super::support::{Spa, listing, texts};
use serde_json::Value;
use spa_model::hash::{hash_u16, sha256_hex};
use spa_runtime::npy;
use spa_runtime::summary::Summary;

const STEREO: [&str; 8] =
    ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "30", "--seed=5"];

fn stereo<'a>(more: &[&'a str]) -> Vec<&'a str> {
    STEREO.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn the_folder_holds_what_the_summary_says() {
    let spa = Spa::with_scene("stereo", "12");
    let stdout = spa.ok(&stereo(&["-o", "out ö/run"]));
    let names: Vec<String> = listing(&spa.path("out ö/run"))
        .iter()
        .map(|p| p.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "confidence.png",
            "disparity.npy",
            "figure.png",
            "histogram.npy",
            "labels.npy",
            "labels.png",
            "mode.npy",
            "mode.png",
            "summary.json",
            "trace.json"
        ]
    );
    let summary = Summary::read(&spa.path("out ö/run")).unwrap();
    let (width, height, labels) = npy::read_plane(&spa.path("out ö/run/labels.npy")).unwrap();
    assert_eq!((width, height), (40, 30));
    assert_eq!(summary.hashes.labels, sha256_hex(&labels));
    let histogram = npy::read(&spa.path("out ö/run/histogram.npy")).unwrap();
    assert_eq!(histogram.shape, [30, 40, 12]);
    assert_eq!(summary.hashes.histogram, hash_u16(&histogram.values));
    let collected = summary.iterations - summary.burn_in;
    for row in histogram.values.chunks_exact(12) {
        assert_eq!(row.iter().map(|&c| u32::from(c)).sum::<u32>(), collected);
    }
    let (.., mode) = npy::read_plane(&spa.path("out ö/run/mode.npy")).unwrap();
    for (row, &mode) in histogram.values.chunks_exact(12).zip(&mode) {
        let most = row.iter().max().unwrap();
        assert_eq!(row.iter().position(|c| c == most).unwrap(), usize::from(mode));
    }
    assert!(stdout.starts_with("stereo 40x30, 12 labels, 30 iterations (12 burn-in), seed 5, on cpu\n"));
    assert!(stdout.ends_with("  results in  out ö/run\n"), "{stdout}");
}

#[test]
fn the_summary_has_every_key_that_is_promised() {
    let spa = Spa::with_scene("stereo", "12");
    let printed = spa.ok(&stereo(&["--json", "-o", "out"]));
    let summary: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(summary, spa.json("out/summary.json"));
    serde_json::from_str::<Summary>(&printed).unwrap();
    for key in "backend width height labels iterations burn_in seed parameters labels_evaluated labels_touched \
                wall_seconds labels_per_second array cycles labels_per_cycle_per_spu useful_fraction stall_cycles \
                load_cycles drain_cycles log hashes"
        .split_whitespace()
    {
        assert!(summary.get(key).is_some(), "{key}");
    }
    for key in ["array", "cycles", "stall_cycles", "load_cycles", "drain_cycles", "useful_fraction"] {
        assert!(summary[key].is_null(), "{key} makes no sense on a CPU");
    }
    for key in ["messages", "lines", "bytes", "bytes_without_log"] {
        assert!(summary["log"][key].is_u64(), "{key}");
    }
    for key in ["labels", "histogram", "messages"] {
        assert_eq!(summary["hashes"][key].as_str().unwrap().len(), 64);
    }
    assert_eq!(summary["labels_evaluated"], 40 * 30 * 12 * 30);
    assert_eq!(summary["parameters"]["seed"], 5);
    assert_eq!(summary["log"]["bytes_without_log"], 40 * 30 * 18);
}

#[test]
fn the_same_run_gives_the_same_hashes_whatever_the_threads() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&stereo(&["-o", "a", "--threads", "1"]));
    spa.ok(&stereo(&["-o", "b", "--threads", "3"]));
    let text = spa.ok(&["compare", "a", "b"]);
    assert_eq!(text.matches("equal").count(), 4, "{text}");
    spa.ok(&stereo(&["-o", "b", "--chain", "1"]));
    let output = spa.run(&["compare", "a", "b"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).0.contains("record     differ"));
}

#[test]
fn all_applications_run() {
    let spa = Spa::with_scene("flow", "25");
    let text =
        spa.ok(&["flow", "scene/frame1.png", "scene/frame2.png", "--window", "5", "--iterations", "10"]);
    assert!(text.starts_with("flow 40x30, 25 labels"));
    spa.ok(&[
        "flow",
        "scene/frame1.png",
        "scene/frame2.png",
        "--labels",
        "225",
        "--iterations",
        "2",
        "-o",
        "o",
    ]);
    let summary = spa.json("o/summary.json");
    assert_eq!((&summary["window"], &summary["labels"]), (&15.into(), &225.into()));
    assert_eq!(summary["parameters"]["hardware"]["label_bits"], 8, "grows with the labels");
    let spa = Spa::with_scene("segment", "3");
    let text = spa.ok(&["segment", "scene/image.png", "--labels", "3", "--iterations", "10", "-o", "o"]);
    assert!(text.starts_with("segment 40x30, 3 labels"));
    assert_eq!(spa.json("o/summary.json")["values"].as_array().unwrap().len(), 3);
}

#[test]
fn schedules_in_all_forms() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::write(spa.path("s.csv"), "4 10\n1 10\n").unwrap();
    let two = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "-o", "o"];
    let run = |more: &[&str]| {
        spa.ok(&two.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>());
        spa.json("o/summary.json")
    };
    let summary = run(&["--schedule", "s.csv"]);
    assert_eq!((&summary["iterations"], &summary["burn_in"]), (&20.into(), &10.into()));
    assert_eq!(run(&["--anneal", "4:1:2", "--iterations", "20"])["hashes"], summary["hashes"]);
    let summary = run(&["--temperature", "2", "--iterations", "9", "--burn-in", "0"]);
    assert_eq!((&summary["burn_in"], &summary["iterations"]), (&0.into(), &9.into()));
    assert_eq!(run(&["--iterations", "1"])["iterations"], 1);
    // Real weights use the shift; temperatures follow.
    let half = run(&["--temperature", "2", "--iterations", "9", "--alpha", "0.5", "--beta", "4"]);
    assert_eq!(half["parameters"]["shift"], 1);
    assert_eq!(half["mapping"]["real_alpha"], 0.5);
}

#[test]
fn a_file_sets_what_the_command_line_does_not() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::create_dir(spa.path("config")).unwrap();
    let text = "labels = 12\niterations = 30\nseed = 4\noutput = '../from file'\n";
    std::fs::write(spa.path("config/run.toml"), text).unwrap();
    spa.ok(&["stereo", "scene/left.png", "scene/right.png", "--config", "config/run.toml", "--seed", "5"]);
    spa.ok(&stereo(&["-o", "line"]));
    spa.ok(&["compare", "from file", "line"]);
}

#[test]
fn evidence_and_starts() {
    let spa = Spa::with_scene("stereo", "12");
    let mask: Vec<u8> = (0..1200).map(|i| u8::from(i % 7 == 0) * 255).collect();
    npy::write(&spa.path("mask.npy"), &[30, 40], &mask).unwrap();
    image::save_buffer(spa.path("mask.png"), &mask, 40, 30, image::ExtendedColorType::L8).unwrap();
    let start = ["--start", "scene/truth.npy", "-o", "a"];
    spa.ok(&stereo(&[&start[..], &["--fixed", "mask.npy"]].concat()));
    let (.., truth) = npy::read_plane(&spa.path("scene/truth.npy")).unwrap();
    let (.., labels) = npy::read_plane(&spa.path("a/labels.npy")).unwrap();
    for i in (0..1200).step_by(7) {
        assert_eq!(labels[i], truth[i]);
    }
    spa.ok(&stereo(&["--start", "scene/truth.npy", "-o", "b", "--fixed", "mask.png"]));
    spa.ok(&["compare", "a", "b"]);
    for start in ["argmin", "zero", "random"] {
        spa.ok(&stereo(&["--start", start]));
    }
}

#[test]
fn large_histograms_are_sparse_and_the_same() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&stereo(&["-o", "out"]));
    let dense = npy::read(&spa.path("out/histogram.npy")).unwrap().values;
    std::fs::write(spa.path("out/theirs.txt"), "keep me").unwrap();
    spa.ok(&stereo(&["-o", "out", "--max-memory", "1K"]));
    assert!(!spa.path("out/histogram.npy").exists() && spa.path("out/theirs.txt").exists());
    let file = std::fs::File::open(spa.path("out/histogram.npz")).unwrap();
    let mut npz = zip::ZipArchive::new(file).unwrap();
    let mut array = |name: &str| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut npz.by_name(name).unwrap(), &mut bytes).unwrap();
        std::fs::write(spa.path(name), bytes).unwrap();
        npy::read(&spa.path(name)).unwrap().values
    };
    let (shape, indptr) = (array("shape.npy"), array("indptr.npy"));
    let (labels, counts) = (array("labels.npy"), array("counts.npy"));
    assert_eq!(shape, [30, 40, 12]);
    let mut rebuilt = vec![0; dense.len()];
    for i in 0..1200 {
        for n in indptr[i]..indptr[i + 1] {
            rebuilt[i * 12 + usize::from(labels[usize::from(n)])] = counts[usize::from(n)];
        }
    }
    assert_eq!(rebuilt, dense);
}

#[test]
fn tables_from_files() {
    let spa = Spa::with_scene("stereo", "12");
    let costs: Vec<u16> = (0..30 * 40 * 12).map(|i| (i * 31 % 97) as u16).collect();
    npy::write(&spa.path("costs.npy"), &[30, 40, 12], &costs).unwrap();
    let pairs: Vec<u8> = (0..144).map(|i| ((i / 12_u8).abs_diff(i % 12)).min(3)).collect();
    npy::write(&spa.path("pairs.npy"), &[12, 12], &pairs).unwrap();
    spa.ok(&stereo(&["--costs", "costs.npy", "--pair-table", "pairs.npy", "--cap", "3", "-o", "a"]));
    spa.ok(&stereo(&["--costs", "costs.npy", "--cap", "3", "-o", "b"]));
    let (a, b) = (spa.json("a/summary.json"), spa.json("b/summary.json"));
    assert_eq!(a["hashes"], b["hashes"], "the table is that of the abs form");
    assert!(a["parameters"]["pair"].as_str().unwrap().starts_with("table:"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_spa"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn devices_pages_and_completions() {
    let spa = Spa::new();
    let text = spa.ok(&["devices"]);
    assert!(text.starts_with("cpu      usable      "), "{text}");
    assert!(text.contains("sim      not usable"), "{text}");
    let list: Value = serde_json::from_str(&spa.ok(&["devices", "--json"])).unwrap();
    assert_eq!(list[0]["name"], "cpu");
    spa.ok(&["man", "-o", "pages"]);
    assert!(spa.path("pages/spa-stereo.1").exists());
    assert!(spa.ok(&["completions", "zsh"]).contains("--burn-in"));
    assert!(spa.ok(&["stereo", "--help"]).contains("[default: argmin]"));
}

#[test]
fn a_run_without_a_folder_says_that_nothing_was_written() {
    let spa = Spa::with_scene("segment", "3");
    let run = ["segment", "scene/image.png", "--iterations", "3", "--burn-in", "1"];
    let text = spa.ok(&run);
    assert!(
        text.ends_with("results     not written; -o DIR writes labels, histogram and pictures\n"),
        "{text}"
    );
    let text = spa.ok(&[&run[..], &["-o", "out"]].concat());
    assert!(text.ends_with("results in  out\n"), "{text}");
}
