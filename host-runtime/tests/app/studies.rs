//! `spa study`: fields of the JSON, what must hold of each figure, files, and what is refused.

use super::support::{Spa, data};
use serde_json::Value;

const QUICK: [&str; 4] = ["--iterations", "60", "--threads", "1"];

/// A stereo and a flow scene, in `scene/` and `flow/`.
fn scenes() -> Spa {
    let spa = Spa::with_scene("stereo", "10");
    spa.ok(&["synth", "flow", "-o", "flow", "--size", "32x24", "--labels", "25", "--seed", "4"]);
    spa
}

fn study(spa: &Spa, args: &[&str]) -> Value {
    let args: Vec<&str> = ["study"].iter().chain(args).chain(&QUICK).chain(&["--json"]).copied().collect();
    serde_json::from_str(&spa.ok(&args)).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[test]
fn labels_is_a_distribution_and_that_of_the_histogram() {
    let spa = scenes();
    let found = study(&spa, &["labels", "scene:10", "flow", "--window", "5", "-o", "out"]);
    assert_eq!((&found["study"], &found["figure"]), (&"labels".into(), &"3.2".into()));
    for (case, labels) in found["cases"].as_array().unwrap().iter().zip([10, 25]) {
        let shares = numbers(&case["cumulative_percent"]);
        assert_eq!((shares.len(), &case["labels"]), (labels, &labels.into()));
        assert!(shares.is_sorted() && shares[0] >= 0.0 && (shares[labels - 1] - 100.0).abs() < 1e-9);
        assert!((number(&case["more_than_two_percent"]) - (100.0 - shares[1])).abs() < 1e-9);
        assert_eq!((&case["burn_in"], &case["collected"]), (&30.into(), &30.into()), "the second half");
    }
    // The same run by `spa stereo`.
    let run = [
        "stereo",
        "scene",
        "--labels",
        "10",
        "--alpha",
        "6",
        "--beta",
        "7",
        "--temperature",
        "2",
        "--cap",
        "255",
        "--data-cap",
        "65535",
        "--outside",
        "2",
        "--singleton-bits",
        "6",
        "--start",
        "random",
        "--iterations",
        "60",
        "--burn-in",
        "30",
        "-o",
        "run",
    ];
    spa.ok(&run);
    let summary = spa.json("run/summary.json");
    assert_eq!(found["cases"][0]["record_hash"], summary["record_hash"]);
    assert_eq!(spa.json("out/labels.json"), found);
    let svg = std::fs::read_to_string(spa.path("out/labels.svg")).unwrap();
    for text in ["scene", "flow", "different labels"] {
        assert!(svg.contains(text), "{text}");
    }
    let table = spa.ok(&["study", "labels", "scene", "--iterations", "60"]);
    assert!(table.starts_with("pixels with at most n different labels, %\n"), "{table}");
    assert!(table.contains("\n  more than two  "), "{table}");
}

#[test]
fn more_pairs_never_evict_more_and_one_pair_evicts_at_every_change() {
    let spa = scenes();
    let found = study(&spa, &["log-bandwidth", "scene:10", "--count-bits", "3", "--burn-in", "20"]);
    let case = &found["cases"][0];
    let rows = case["least_recently_picked"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for key in ["evictions", "evictions_max", "equation_3_5_max", "equation_3_5_mean"] {
        let values: Vec<f64> = rows.iter().map(|row| number(&row[key])).collect();
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]), "{key}: {values:?}");
        assert!(values[0] > 0.0);
    }
    // Equation 3.5 from its parts.
    let most = number(&rows[1]["evictions_max"]) / (40.0 * 30.0);
    let expected = 2048.0 / 10.0 * most * 32.0 / 512.0;
    assert!((number(&rows[1]["equation_3_5_max"]) - expected).abs() < 1e-9);
    assert!(number(&rows[1]["full_counters"]) > 0.0, "three bits count to seven");
    assert!(number(&rows[1]["equation_3_5_max_with_full_counters"]) >= number(&rows[1]["equation_3_5_max"]));
    // One pair: both rules are the same, and an eviction is a change of the label.
    assert_eq!(rows[0], case["least_frequently_picked"][0]);
    let changes = study(&spa, &["label-changes", "scene:10", "--count-bits", "3"]);
    let changes = numbers(&changes["cases"][0]["changes_by_iteration"]);
    // The first label that is entered makes no room for itself.
    assert_eq!(number(&rows[0]["evictions"]), changes[21..].iter().sum::<f64>());
    // Twice the SPUs, twice the share; one pair only.
    let twice = study(
        &spa,
        &[
            "log-bandwidth",
            "scene:10",
            "--count-bits",
            "3",
            "--burn-in",
            "20",
            "--spus",
            "4096",
            "--pairs",
            "1",
        ],
    );
    let row = &twice["cases"][0]["least_recently_picked"];
    assert_eq!(row.as_array().unwrap().len(), 1);
    assert!((number(&row[0]["equation_3_5_max"]) - 2.0 * number(&rows[0]["equation_3_5_max"])).abs() < 1e-9);
}

#[test]
fn two_pairs_send_what_the_log_of_a_run_holds() {
    let spa = scenes();
    let same = ["scene", "--burn-in", "20", "--count-bits", "3"];
    let with = |name: &str| study(&spa, &[&[name], &same[..]].concat());
    let (bandwidth, memory) = (with("log-bandwidth"), with("log-memory"));
    let row = &bandwidth["cases"][0]["least_recently_picked"][1];
    let sent = number(&row["evictions"]) + number(&row["full_counters"]);
    let case = &memory["cases"][0];
    let messages = number(&case["messages"]);
    // What remains is the drain: one or two pairs a pixel.
    assert!((1200.0..=2400.0).contains(&(messages - sent)), "{messages} {sent}");
    assert_eq!(case["bytes_without_log"], 1200 * 40);
    assert_eq!(case["entry_bytes"], 1200 * 2 * (6 + 3) / 8);
    assert_eq!(case["log_bytes"], (messages / 16.0).ceil() * 64.0);
    let used = number(&case["log_bytes"]) + number(&case["entry_bytes"]);
    assert!((number(&case["saved_percent"]) - 100.0 * (1.0 - used / 48_000.0)).abs() < 1e-9);
    assert_eq!(memory["settings"]["mean_saved_percent"], case["saved_percent"]);
}

#[test]
fn label_changes_count_every_iteration_from_the_start() {
    let spa = scenes();
    let found =
        study(&spa, &["label-changes", "flow", "--window", "5", "--parameters", "table-4.2", "-o", "out"]);
    let case = &found["cases"][0];
    let changes = numbers(&case["changes_by_iteration"]);
    assert_eq!((changes.len(), &case["updates"]), (60, &(32 * 24 * 60).into()));
    assert_eq!(number(&case["changes"]), changes.iter().sum::<f64>());
    let share = 100.0 * number(&case["changes"]) / number(&case["updates"]);
    assert!((number(&case["changed_percent"]) - share).abs() < 1e-9);
    assert!(
        number(&case["changed_percent_second_half"]) < number(&case["changed_percent_first_half"]),
        "it cools: {case}"
    );
    assert_eq!(case["parameters"]["schedule"][0]["temperature"], 80.0);
    assert!(spa.path("out/label-changes.svg").is_file());
}

#[test]
fn precision_compares_every_width_with_double_precision() {
    let spa = scenes();
    let args = [
        "precision",
        "scene",
        "--vary",
        "p-bits",
        "--vary",
        "energy-bits=4,8,12",
        "--seeds",
        "2",
        "-o",
        "out",
    ];
    let found = study(&spa, &args);
    let case = &found["cases"][0];
    assert_eq!(case["double"]["differing_percent"]["mean"], 0.0);
    assert_eq!(case["double"]["quality"]["runs"], 2);
    let widths = &case["widths"];
    let bits =
        |name: &str| numbers(&widths[name].as_array().unwrap().iter().map(|r| r["bits"].clone()).collect());
    assert_eq!(bits("p_bits"), (1..=8).map(f64::from).collect::<Vec<_>>());
    assert_eq!(bits("energy_bits"), [4.0, 8.0, 12.0]);
    assert!(widths.get("u_bits").is_none());
    // The base is one of the widths.
    assert_eq!(widths["p_bits"][7]["quality"], case["integers"]["quality"]);
    assert_eq!(widths["energy_bits"][1]["differing_percent"], case["integers"]["differing_percent"]);
    let four = number(&widths["energy_bits"][0]["differing_percent"]["mean"]);
    let eight = number(&case["integers"]["differing_percent"]["mean"]);
    assert!(four > eight, "four bits saturate: {four} {eight}");
    let svg = std::fs::read_to_string(spa.path("out/precision.svg")).unwrap();
    assert!(svg.contains("double precision") && svg.contains("p-bits (elsewhere 8"), "{svg}");
}

#[test]
fn samples_of_other_widths_keep_the_model() {
    let spa = scenes();
    let found =
        study(&spa, &["precision", "scene", "flow", "--vary", "singleton-bits=2,6,8", "--window", "5"]);
    for case in found["cases"].as_array().unwrap() {
        let row = &case["widths"]["singleton_bits"];
        assert_eq!(row[1]["quality"], case["integers"]["quality"]);
        let differing: Vec<f64> = (0..3).map(|n| number(&row[n]["differing_percent"]["mean"])).collect();
        assert!(differing[0] > differing[1], "{differing:?}");
    }
}

#[test]
fn runs_measure_what_eval_measures() {
    let spa = scenes();
    let found = study(
        &spa,
        &[
            "runs",
            "scene:10",
            "flow",
            "--window",
            "5",
            "--parameters",
            "default",
            "--seeds",
            "2",
            "-o",
            "out",
        ],
    );
    let case = &found["cases"][0];
    assert_eq!(case["quality_by_seed"].as_array().unwrap().len(), 2);
    assert_ne!(case["histogram_hashes"][0], case["histogram_hashes"][1], "two seeds");
    spa.ok(&["stereo", "scene", "--labels", "10", "--iterations", "60", "-o", "run"]);
    let summary = spa.json("run/summary.json");
    assert_eq!(case["histogram_hashes"][0], summary["hashes"]["histogram"]);
    let eval: Value = serde_json::from_str(&spa.ok(&["eval", "run", "scene", "--json"])).unwrap();
    let bad = |region: &str| {
        let regions = eval["regions"].as_array().unwrap();
        let region = regions.iter().find(|r| r["name"] == region).unwrap();
        region["bad"].as_array().unwrap().iter().find(|b| b["threshold"] == 1.0).unwrap()["percent"].clone()
    };
    assert_eq!(case["quality_by_seed"][0], bad("all"));
    assert!(case["bad_pixels_non_occluded"]["mean"].is_number());
    let pictures = ["scene-mode.png", "flow-mode.png", "runs.svg", "runs.json"];
    pictures.iter().for_each(|name| assert!(spa.path(&format!("out/{name}")).is_file(), "{name}"));
}

/// What the dissertation says of its figures in words: at most 14.7% of the pixels take more than two labels, two pairs need
/// at most 60% of the bandwidth, and the log saves 71% of the memory.
#[test]
fn real_pictures_show_what_the_dissertation_says() {
    let Some(folder) = data("real_pictures_show_what_the_dissertation_says") else { return };
    let spa = Spa::new();
    let scenes = ["flow/venus@1/2", "stereo/tsukuba"].map(|name| format!("{}/{name}", folder.display()));
    let study = |name: &str| -> Value {
        let args = ["study", name, &scenes[0], &scenes[1], "--iterations", "300", "--json"];
        serde_json::from_str(&spa.ok(&args)).unwrap()
    };
    let (labels, bandwidth, memory) = (study("labels"), study("log-bandwidth"), study("log-memory"));
    for n in 0..2 {
        assert!(number(&labels["cases"][n]["more_than_two_percent"]) <= 14.7, "{n}");
        let row = &bandwidth["cases"][n]["least_recently_picked"][1];
        assert!(number(&row["equation_3_5_max"]) <= 0.6, "{row}");
        assert!(number(&memory["cases"][n]["saved_percent"]) >= 71.0, "{n}");
    }
}

#[test]
fn pairs_of_pictures_need_no_truth_and_scenes_shrink() {
    let spa = scenes();
    let pair = ["--stereo", "scene/left.png", "scene/right.png", "--labels", "10"];
    for name in ["runs", "precision"] {
        let vary: &[&str] = if name == "precision" { &["--vary", "p-bits=8"] } else { &[] };
        let found = study(&spa, &[&[name], &pair[..], vary, &["-o", "out"]].concat());
        let case = &found["cases"][0];
        assert_eq!(case["name"], "left");
        assert!(case["quality"].is_null(), "{case}");
        assert!(spa.path(&format!("out/{name}.svg")).is_file());
    }
    let found = study(&spa, &["labels", "scene@1/2", "scene:7", "scene@1/2", "--crop", "18x99"]);
    let sizes: Vec<[Value; 3]> = found["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| [c["width"].clone(), c["height"].clone(), c["labels"].clone()])
        .collect();
    // Half of nine disparities, and none; the crop comes after.
    assert_eq!(sizes[0][..2], [18, 15]);
    assert_eq!(sizes[1], [18, 30, 7]);
    assert_eq!(found["cases"][1]["name"], "scene");
}

#[test]
fn refusals_name_what_to_do() {
    let spa = scenes();
    spa.ok(&["synth", "segment", "-o", "classes", "--size", "16x12"]);
    for (code, args, expected) in [
        (2, &["labels"][..], "no scene is given; name folders"),
        (
            1,
            &["labels", "nowhere"],
            "failed to open scene 'nowhere': no such folder; two pictures are given by --stereo",
        ),
        (1, &["labels", "classes"], "it has neither a stereo pair (im0 and im1"),
        (2, &["labels", "scene@1/9"], "'scene@1/9': '1/9' is no reduction; 1/2 to 1/8 are"),
        (2, &["labels", "scene:1"], "'scene:1': '1' is no number of labels, 2…256"),
        (2, &["labels", "flow:9"], "'flow:9' is flow: its labels come from --window"),
        (2, &["labels", "scene", "--iterations", "0"], "must be 1…16777214"),
        (
            2,
            &["labels", "scene", "--burn-in", "3000"],
            "burn_in is 3000, but must be below the 3000 iterations",
        ),
        (2, &["labels", "scene", "--start", "file.npy"], "start must be argmin, zero or random in a study"),
        (2, &["log-bandwidth", "scene", "--pairs", "17"], "pairs is 17, but must be 1…16"),
        (2, &["log-bandwidth", "scene", "--bandwidth", "0"], "bandwidth is 0, but must be at least 1"),
        (2, &["precision", "scene", "--vary", "label-bits"], "'label-bits' is no width; singleton-bits, "),
        (
            2,
            &["precision", "scene", "--vary", "energy-bits=3"],
            "energy-bits is 3, but must be 4…16 with pow2 weights",
        ),
        (
            2,
            &["precision", "scene", "--weights", "linear", "--vary", "energy-bits=11"],
            "must be 4…10 with linear weights",
        ),
        (2, &["precision", "scene", "--seeds", "0"], "must be 1…1000"),
        (1, &["runs", "scene", "-o", "scene/left.png"], "it is not a folder"),
        (2, &["edgs"], "no benchmark is given; name scenes, or pictures with --segment"),
        (2, &["edgs", "scene", "--regions", "8x4"], "'8x4' is no region; WIDTHxHEIGHT"),
        (2, &["edgs", "scene", "--blocks", "0"], "must be 1…32"),
    ] {
        let args: Vec<&str> = ["study"].iter().chain(args).copied().collect();
        let stderr = spa.fails(code, &args);
        assert!(stderr.contains(expected), "{args:?}: {stderr}");
    }
}
