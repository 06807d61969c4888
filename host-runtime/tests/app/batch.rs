//! Folders of pictures: every run is done as if alone, failures are told at the end.

use crate::pieces::Started;
use crate::support::{Spa, listing, texts};
use rustix::process::Signal;

/// Two synthetic pairs, as scenes and as folders of left and right pictures, and a third one that is damaged.
fn scenes() -> Spa {
    let spa = Spa::new();
    for (folder, name) in [("left", "left.png"), ("right", "right.png")] {
        std::fs::create_dir(spa.path(folder)).unwrap();
        for n in ["9", "10"] {
            let scene = format!("scenes/{n}");
            spa.ok(&["synth", "stereo", "-o", &scene, "--size", "32x24", "--labels", "6", "--seed", n]);
            std::fs::copy(spa.path(&scene).join(name), spa.path(folder).join(format!("{n}.png"))).unwrap();
        }
        std::fs::write(spa.path(folder).join("damaged.png"), b"no picture").unwrap();
    }
    spa
}

const SHORT: [&str; 4] = ["--labels", "6", "--iterations", "60"];

fn hashes(spa: &Spa, summary: &str) -> serde_json::Value {
    spa.json(summary)["hashes"].clone()
}

#[test]
fn pairs_of_two_folders_are_run_like_single_ones_and_a_damaged_one_stops_none() {
    let spa = scenes();
    let batch =
        [&["stereo", "left", "right", "-o", "out", "--seed=5", "--report", "r.html"], &SHORT[..]].concat();
    let output = spa.run(&batch);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with("9 ") && lines[1].starts_with("10 "), "{stdout}");
    assert!(lines[2].contains("damaged  failed: ") && lines[2].contains("damaged.png"), "{stdout}");
    assert_eq!(lines[3], "2 of 3 runs done");
    assert!(!spa.path("out/damaged").exists());
    assert!(spa.path("out/10/r.html").is_file());
    let single =
        [&["stereo", "left/10.png", "right/10.png", "-o", "one", "--seed", "5"], &SHORT[..]].concat();
    spa.ok(&single);
    assert_eq!(hashes(&spa, "out/10/summary.json"), hashes(&spa, "one/summary.json"));
}

#[test]
fn folders_of_scenes_pictures_and_frames_are_batches_too() {
    let spa = scenes();
    let stdout = spa.ok(&["stereo", "scenes", "-o", "a", "--iterations", "20", "--json"]);
    let done: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((done[0]["name"].as_str(), done[1]["ok"].as_bool()), (Some("9"), Some(true)));
    assert_eq!(done[1]["iterations"], 20);
    std::fs::remove_file(spa.path("left/damaged.png")).unwrap();
    spa.ok(&["segment", "left", "-o", "b", "--labels", "3", "--iterations", "20"]);
    spa.ok(&["restore", "left", "-o", "c", "--labels", "16", "--iterations", "20"]);
    spa.ok(&["flow", "left", "-o", "d", "--window", "3", "--iterations", "20"]);
    for folder in ["b/9", "b/10", "c/9", "c/10", "d/9"] {
        assert!(spa.path(folder).join("summary.json").is_file(), "{folder}");
    }
    assert!(!spa.path("d/10").exists(), "the last frame has no next one");
}

#[test]
fn a_run_can_start_from_the_one_before() {
    let spa = scenes();
    std::fs::remove_file(spa.path("left/damaged.png")).unwrap();
    let common = ["--labels", "3", "--iterations", "20", "--temperature", "1"];
    spa.ok(&[&["segment", "left", "-o", "out", "--start", "previous"], &common[..]].concat());
    let single = |picture: &str, out: &str, start: &[&str]| {
        spa.ok(&[&["segment", picture, "-o", out], start, &common[..]].concat());
    };
    single("left/9.png", "first", &[]);
    single("left/10.png", "second", &["--start", "first/labels.npy"]);
    assert_eq!(hashes(&spa, "out/9/summary.json"), hashes(&spa, "first/summary.json"));
    assert_eq!(hashes(&spa, "out/10/summary.json"), hashes(&spa, "second/summary.json"));
}

#[test]
fn what_a_batch_cannot_do_is_refused_before_anything_runs() {
    let spa = scenes();
    let before = listing(spa.folder.path());
    assert!(spa.fails(2, &["segment", "left"]).contains("give -o DIR"));
    assert!(
        spa.fails(2, &["segment", "left", "-o", "out", "--report", "x/r.html"])
            .contains("--report is 'x/r.html'")
    );
    assert!(spa.fails(2, &["segment", "left", "-o", "out", "--checkpoint", "c"]).contains("--checkpoint"));
    std::fs::create_dir(spa.path("empty")).unwrap();
    assert!(spa.fails(1, &["segment", "empty", "-o", "out"]).contains("has no pictures"));
    assert!(spa.fails(1, &["stereo", "empty", "-o", "out"]).contains("im0 and im1"));
    std::fs::remove_dir(spa.path("empty")).unwrap();
    assert_eq!(listing(spa.folder.path()), before);
}

#[test]
fn ctrl_c_stops_the_run_in_progress_and_begins_no_other() {
    let spa = Spa::new();
    spa.ok(&["synth", "segment", "-o", "scene", "--size", "64x48", "--seed", "1"]);
    std::fs::create_dir(spa.path("left")).unwrap();
    for name in ["a.png", "b.png"] {
        std::fs::copy(spa.path("scene/image.png"), spa.path("left").join(name)).unwrap();
    }
    let run = ["segment", "left", "-o", "out", "--iterations", "5000000", "--burn-in", "4999000"];
    let batch = Started::in_a_group(&spa, &run);
    batch.wait_for_a_child();
    batch.signal_all(Signal::INT);
    let (code, stdout, stderr) = batch.end();
    assert_eq!(code, Some(130), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with("a  stopped"), "{stdout}");
    assert_eq!(lines[1..], ["b  not begun", "0 of 2 runs done"], "{stdout}");
}
