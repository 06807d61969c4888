//! Log files: back and forth, and damage of every kind.

use super::support::Spa;
use spa_runtime::logfile;
use std::path::Path;

fn kept() -> (Spa, Vec<u8>) {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--temperature", "8"];
    let mask: Vec<u8> = (0..1200).map(|i| u8::from(i % 11 == 0)).collect();
    spa_runtime::npy::write(&spa.path("mask.npy"), &[30, 40], &mask).unwrap();
    let more = ["--iterations", "60", "--fixed", "mask.npy", "--keep-log", "run.log", "-o", "out"];
    spa.ok(&run.iter().chain(&more).copied().collect::<Vec<_>>());
    let bytes = std::fs::read(spa.path("run.log")).unwrap();
    (spa, bytes)
}

#[test]
fn a_log_gives_the_histogram_back() {
    let (spa, _) = kept();
    let summary = spa.json("out/summary.json");
    let text = spa.ok(&["decode", "run.log", "-o", "decoded"]);
    assert!(text.starts_with("log of stereo 40x30, 12 labels, 30 collected iterations\n"), "{text}");
    for hash in ["histogram", "messages"] {
        assert!(text.contains(summary["hashes"][hash].as_str().unwrap()), "{text}");
    }
    for name in ["histogram.npy", "mode.npy", "mode.png", "confidence.png"] {
        let read = |folder: &str| std::fs::read(spa.path(folder).join(name)).unwrap();
        assert_eq!(read("out"), read("decoded"), "{name}");
    }
    let json: serde_json::Value = serde_json::from_str(&spa.ok(&["decode", "run.log", "--json"])).unwrap();
    assert_eq!(json["header"]["record_hash"], summary["record_hash"]);
    assert_eq!(json["header"]["fixed"], 110);
}

fn read_error(path: &Path, bytes: &[u8]) -> String {
    std::fs::write(path, bytes).unwrap();
    logfile::read(path).expect_err("damage was not seen").to_string()
}

#[test]
fn a_cut_log_is_refused_wherever_it_is_cut() {
    let (spa, bytes) = kept();
    let path = spa.path("cut.log");
    for length in (0..bytes.len()).step_by(bytes.len() / 400 + 1).chain([bytes.len() - 1]) {
        let error = read_error(&path, &bytes[..length]);
        assert!(error.contains("damaged at ") && error.contains("cut off"), "{length}: {error}");
    }
    // Five bytes from the end: the checksum of four, and one of the last line.
    let length = bytes.len() - 5;
    let error = read_error(&path, &bytes[..length]);
    assert!(error.contains("damaged at lines 0…"), "{error}");
    assert!(error.contains(&format!("cut off at byte {length}: ")), "{error}");
    assert!(error.contains("; line ") && error.ends_with("only 63 of 64 bytes are there"), "{error}");
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    assert!(
        spa.fails(1, &["decode", "cut.log", "-o", "x"])
            .starts_with("error: failed to read log 'cut.log': damaged")
    );
}

#[test]
fn every_flipped_bit_is_found() {
    let (spa, bytes) = kept();
    let path = spa.path("flipped.log");
    for place in (0..bytes.len()).step_by(bytes.len() / 300 + 1) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let error = read_error(&path, &damaged);
        assert!(error.contains("damaged at "), "{place}: {error}");
    }
    // A message that cannot be is placed in its line: the lines end four bytes before the file does.
    let mut damaged = bytes.clone();
    let place = bytes.len() - 4 - 3 * 64 + 8;
    damaged[place..place + 4].fill(0xff);
    let lines = spa.json("out/summary.json")["log"]["lines"].as_u64().unwrap();
    let error = read_error(&path, &damaged);
    let first = bytes.len() - 4 - lines as usize * 64;
    assert!(error.contains(&format!("bytes {first} to {} have checksum ", bytes.len() - 4)), "{error}");
    assert!(error.contains(&format!("; line {}, slot 2: message 0xffffffff names ", lines - 3)), "{error}");
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(read_error(&path, &longer).contains("goes on after its last line"));
    assert!(read_error(&path, b"not a log at all").contains("this is no log of spa"));
}

#[test]
#[cfg(unix)]
fn a_log_that_finds_no_room_costs_no_results() {
    let spa = Spa::with_scene("stereo", "12");
    // Files of up to a megabyte: the results are smaller, the log is not.
    let limited = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"";
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--temperature", "20"];
    let more = ["--iterations", "4000", "--keep-log", "run.log", "-o", "out"];
    let output = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_spa")])
        .args(run.iter().chain(&more))
        .current_dir(spa.folder.path())
        .output()
        .unwrap();
    let (_, stderr) = super::support::texts(&output);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let said = "error: the results in 'out' are complete, what goes beside them is not: failed to write log 'run.log'";
    assert!(stderr.contains(said), "{stderr}");
    assert_eq!(spa.json("out/summary.json")["iterations"], 4000, "{stderr}");
    let left = std::fs::read_dir(spa.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut left: Vec<_> = left.collect();
    left.sort();
    assert_eq!(left, ["out", "scene"]);
}
