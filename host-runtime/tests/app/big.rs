//! Runs that keep their messages on disk (docs/big.md): the same files, in little memory.

use super::support::{Spa, listing, texts};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Summary of a result folder without what differs from run to run.
fn summary(spa: &Spa, folder: &str) -> Value {
    let mut summary = spa.json(&format!("{folder}/summary.json"));
    for key in ["wall_seconds", "total_seconds", "labels_per_second"] {
        summary[key] = Value::Null;
    }
    summary
}

/// The histograms in a report.
fn packed(report: &str) -> &str {
    let from = report.find("\"histogram\":\"").unwrap();
    report[from..].split('"').nth(3).unwrap()
}

#[test]
fn every_application_writes_the_same_from_blocks() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&["synth", "flow", "-o", "moving", "--size", "40x30", "--labels", "9", "--seed", "3"]);
    let costs: Vec<u16> = (0..40 * 30 * 5).map(|i| (i * 37 % 101) as u16).collect();
    spa_runtime::npy::write(&spa.path("unary.npy"), &[30, 40, 5], &costs).unwrap();
    std::fs::write(spa.path("model.toml"), "unary = \"unary.npy\"\npair = \"potts\"\n").unwrap();
    let (left, right) = ("scene/left.png", "scene/right.png");
    let runs: [&[&str]; 7] = [
        &["stereo", left, right, "--labels", "12", "--formats", "pfm,tiff,npz"],
        &["stereo", left, right, "--labels", "12", "--occlusion", "fill", "--data", "census"],
        &["stereo", left, right, "--labels", "12", "--occlusion", "check", "--reference", "right"],
        &["flow", "moving/frame1.png", "moving/frame2.png", "--window", "3", "--levels", "2"],
        &["segment", left, "--labels", "3"],
        &["restore", left, "--labels", "16"],
        &["infer", "model.toml"],
    ];
    for run in runs {
        let go = |folder: &str, more: &[&str]| {
            let (log, report) = (format!("{folder}.log"), format!("{folder}.html"));
            let mut args = run.to_vec();
            args.extend(["--iterations", "60", "--uncertainty", "-o", folder, "--keep-log", &log]);
            if run[0] != "infer" {
                args.extend(["--report", &report]);
            }
            args.extend(more);
            texts(&spa.run(&args))
        };
        let (_, told) = go("whole", &[]);
        assert!(!told.contains("to disk") && !told.contains("error:"), "{run:?}: {told}");
        let (_, told) = go("blocks", &["--max-memory", "1K", "--histogram", "dense"]);
        assert!(told.contains("messages go to disk"), "{run:?}: {told}");
        let names = |folder: &str| -> Vec<String> {
            let all = listing(&spa.path(folder));
            all.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names("blocks"), names("whole"), "{run:?}");
        assert!(names("whole").len() >= 13, "{run:?}: {:?}", names("whole"));
        let read = |name: String| std::fs::read(spa.path(&name)).unwrap();
        for name in names("whole").iter().filter(|name| *name != "summary.json") {
            let same = read(format!("whole/{name}")) == read(format!("blocks/{name}"));
            assert!(same, "{run:?}: {name}");
        }
        assert_eq!(summary(&spa, "blocks"), summary(&spa, "whole"), "{run:?}");
        spa.ok(&["compare", "whole", "blocks"]);
        if run[0] != "infer" {
            let [whole, blocks] =
                ["whole", "blocks"].map(|n| std::fs::read_to_string(spa.path(&format!("{n}.html"))).unwrap());
            assert_eq!(packed(&whole), packed(&blocks), "{run:?}");
        }
        let [whole, blocks] = ["whole.log", "blocks.log"].map(|log| spa.ok(&["decode", log]));
        assert_eq!(whole, blocks, "{run:?}");
        for name in ["whole", "blocks"] {
            std::fs::remove_dir_all(spa.path(name)).unwrap();
        }
    }
}

#[test]
fn what_cannot_go_to_disk_stays_in_memory_and_says_what_it_needs() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "20"];
    let with =
        |more: &[&'static str]| -> Vec<&str> { run.iter().copied().chain(more.iter().copied()).collect() };
    for more in [&["--chains", "2"][..], &["--checkpoint", "run.ckp"]] {
        let output = spa.run(&with(&[more, &["--max-memory", "1K", "-o", "out"]].concat()));
        assert!(output.status.success(), "{}", texts(&output).1);
        // The file is sparse all the same.
        assert!(spa.path("out/histogram.npz").exists());
    }
    let sparse = spa.path("out/histogram.npz");
    std::fs::remove_file(&sparse).unwrap();
    spa.ok(&with(&["-o", "out", "--histogram", "sparse"]));
    assert!(sparse.exists() && !spa.path("out/histogram.npy").exists());
}

/// Runs `args` with an address space of `kilobytes`.
#[cfg(target_os = "linux")]
fn confined(spa: &Spa, kilobytes: u32, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new("bash")
        .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$@\""), "bash", env!("CARGO_BIN_EXE_spa")])
        .args(args)
        .current_dir(spa.folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), texts(&output).1)
}

#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_told_before_the_run() {
    let spa = Spa::new();
    noise_pair(&spa, (2000, 1000));
    let run = ["stereo", "left.png", "right.png", "--labels", "200", "--iterations", "3", "-o", "out"];
    let (code, told) = confined(&spa, 400_000, &[&run[..], &["--chains", "2", "--threads", "1"]].concat());
    assert_eq!(code, Some(1), "{told}");
    let expected = "error: a run of 2000x1000 with 200 labels needs about ";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("several chains are added up in memory; run each with --chain N"), "{told}");
    assert!(!spa.path("out").exists());
    // Costs of a table.
    let (code, told) = confined(&spa, 400_000, &[&run[..], &["--data", "census"]].concat());
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("error: a table of costs (2000x1000x200) needs about 800 MB"), "{told}");
}

/// A pair of pictures of random dots, the right one shifted by a few columns in bands, 8 bits grey.
fn noise_pair(spa: &Spa, (width, height): (u32, u32)) {
    let dot = |x: u32, y: u32| {
        let mut v = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
        v = (v ^ (v >> 15)).wrapping_mul(0x2c1b_3c6d);
        (v >> 24) as u8
    };
    let write = |name: &str, of: &dyn Fn(u32, u32) -> u8| {
        let samples: Vec<u8> = (0..height).flat_map(|y| (0..width).map(move |x| of(x, y))).collect();
        spa_runtime::output::write_png(&spa.path(name), width, height, 1, &samples).unwrap();
    };
    let disparity = |y: u32| 5 + y * 40 / height;
    write("left.png", &|x, y| dot(x / 2, y / 2));
    write("right.png", &|x, y| dot((x + disparity(y)) / 2, y / 2));
}

/// Runs `args` and gives the most memory that the process had, in bytes.
#[cfg(target_os = "linux")]
fn peak(spa: &Spa, args: &[&str]) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_spa"))
        .args(args)
        .current_dir(spa.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        // The mark only rises; a process that has just ended has none.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark.and_then(|mark| mark.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(mark.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(child.wait().unwrap().success(), "{told}");
    let _ = writeln!(std::io::stderr(), "{args:?}: {} MB at the most", peak / 1_000_000);
    peak
}

/// All files that the run of a large pair writes.
#[cfg(target_os = "linux")]
fn check_files(folder: &Path, rvs: u64) {
    let size = |name: &str| std::fs::metadata(folder.join(name)).unwrap().len();
    assert_eq!((size("labels.npy"), size("mode.npy")), (rvs + 128, rvs + 128));
    assert_eq!(size("disparity.npy"), 4 * rvs + 128);
    assert!(size("histogram.npz") > rvs / 10);
    for name in ["labels.png", "mode.png", "confidence.png", "figure.png", "trace.json", "summary.json"] {
        assert!(size(name) > 0);
    }
}

/// A ninth of the large run below, in a ninth of its memory. The histogram alone would take 514 MB.
#[test]
#[cfg(target_os = "linux")]
fn four_megapixels_with_64_labels_take_a_ninth_of_two_gigabytes() {
    let spa = Spa::new();
    let size = (2453, 1637);
    noise_pair(&spa, size);
    let run =
        ["stereo", "left.png", "right.png", "--labels", "64", "--iterations", "10", "--temperature", "4"];
    let peak = peak(&spa, &[&run[..], &["--threads", "2", "-o", "out", "--max-memory", "222M"]].concat());
    assert!(peak < 222_000_000, "{peak}");
    check_files(&spa.path("out"), u64::from(size.0) * u64::from(size.1));
    assert!(spa.json("out/summary.json")["mean_confidence"].as_f64().unwrap() > 0.2);
}

/// `cargo test --release -p spa-runtime --test app -- --ignored --nocapture big`: minutes, and about 2 GB of disk.
#[test]
#[ignore = "minutes"]
#[cfg(target_os = "linux")]
fn thirty_six_megapixels_with_64_labels_take_two_gigabytes() {
    let spa = Spa::new();
    let size = (7360, 4912);
    noise_pair(&spa, size);
    let run = ["stereo", "left.png", "right.png", "--labels", "64", "--iterations", "100", "-o", "out"];
    let peak = peak(&spa, &run);
    assert!(peak <= 2_000_000_000, "{peak}");
    check_files(&spa.path("out"), u64::from(size.0) * u64::from(size.1));
}
