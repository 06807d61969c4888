//! `spa eval`: figures by hand, limits, masks, and what is refused.

use super::support::{Spa, data, texts};
use spa_runtime::formats::{Field, FileFormat, Flow, npz, pfm};
use spa_runtime::npy;

/// Ten disparities of 5 and one result: errors 0, 0, 0, 1, 2, 3, none, and three of unknown truth.
fn scene() -> Spa {
    let spa = Spa::new();
    let nan = f32::NAN;
    let truth = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, f32::INFINITY, nan, 1e9];
    pfm::write(&spa.path("truth.pfm"), 5, 2, 1, &truth).unwrap();
    let result = [5.0, 5.0, 5.0, 6.0, 7.0, 2.0, nan, 5.0, 5.0, 5.0];
    npy::write(&spa.path("result.npy"), &[2, 5], &result).unwrap();
    spa
}

const PAIR: [&str; 5] = ["eval", "result.npy", "truth.pfm", "--kind", "stereo"];

fn with(more: &[&str]) -> Vec<String> {
    PAIR.iter().chain(more).map(ToString::to_string).collect()
}

fn ok(spa: &Spa, more: &[&str]) -> String {
    let args = with(more);
    spa.ok(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn fails(spa: &Spa, code: i32, more: &[&str]) -> String {
    let args = with(more);
    spa.fails(code, &args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn stereo_by_hand() {
    let spa = scene();
    let text = ok(&spa, &[]);
    // Numbers that are no integers are disparities without a word.
    assert_eq!(text, spa.ok(&["eval", "result.npy", "truth.pfm"]));
    let expected = "disparity of result.npy against truth.pfm
  pixels with truth               7
  answered                    85.71 %
  bad pixels > 0.5            57.14 %
  bad pixels > 1              42.86 %
  bad pixels > 2              28.57 %
  bad pixels > 4              14.29 %
  outliers (3 px, 5%)         14.29 %
  mean error                  1.000 px
  root mean square error      1.528 px
";
    assert_eq!(text, expected);
    let json: serde_json::Value = serde_json::from_str(&ok(&spa, &["--json"])).unwrap();
    assert_eq!(json["regions"][0]["bad"][1]["threshold"], 1.0);
    assert!((json["regions"][0]["bad"][1]["percent"].as_f64().unwrap() - 300.0 / 7.0).abs() < 1e-9);
    assert_eq!((&json["passed"], &json["kind"]), (&true.into(), &"disparity".into()));
}

#[test]
fn limits_name_the_measure_its_value_and_the_limit() {
    let spa = scene();
    let kept =
        ok(&spa, &["--max-bad", "42.9", "--max-bad", "all@2=28.6", "--max-rmse", "1.6", "--max-error", "1"]);
    assert!(kept.contains("  kept      bad pixels > 1 (all) is 42.857 %, at most 42.9 %\n"), "{kept}");
    let args = with(&["--max-bad", "16.5", "--max-rmse", "all=2", "--max-outliers", "3"]);
    let output = spa.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        stderr,
        "error: bad pixels > 1 (all) is 42.857 %, above the limit of 16.5 %\n\
         error: outliers (all) is 14.286 %, above the limit of 3 %\n"
    );
    assert!(
        stdout.contains("  EXCEEDED  bad pixels > 1 (all)") && stdout.contains("  kept      root mean"),
        "{stdout}"
    );
    for (more, expected) in [
        (&["--max-bad", "nonocc=3"][..], "--max-bad nonocc=…: there is no such region; give --nonocc MASK"),
        (&["--max-bad", "all@3=5"], "threshold 3 is not measured; add it to --thresholds"),
        (&["--max-epe", "1"], "--max-epe does not fit: disparity has bad pixels"),
        (&["--max-rmse", "all@2=1"], "--max-rmse has no threshold; only --max-bad and --max-risk have"),
    ] {
        assert!(fails(&spa, 2, more).contains(expected), "{more:?}");
    }
    for more in [["--max-bad", "x"], ["--thresholds", "-1"], ["--truth-scale", "0"], ["--unknown", "soon"]] {
        fails(&spa, 2, &more);
    }
}

#[test]
fn masks_in_the_encodings_that_people_have() {
    let spa = scene();
    npy::write(
        &spa.path("bool.npy"),
        &[2, 5],
        &[true, true, false, true, false, false, false, true, true, true],
    )
    .unwrap();
    let mixed = [255, 255, 128, 255, 128, 128, 0, 255, 255, 255_u8];
    image::save_buffer(spa.path("mixed.png"), &mixed, 5, 2, image::ExtendedColorType::L8).unwrap();
    let a = ok(&spa, &["--nonocc", "bool.npy", "--max-bad", "0", "--max-bad", "nonocc@0.5=34"]);
    assert!(a.contains("bad pixels > 1 (nonocc) is 0.000 %, at most 0 %"), "{a}");
    let row = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_string();
        line.split_whitespace().rev().take(3).map(str::to_string).collect::<Vec<_>>()
    };
    let b = ok(&spa, &["--nonocc", "mixed.png", "--all", "mixed.png"]);
    // Non-occluded 3, all 6: what is 0 in the mask is out.
    assert_eq!(row(&b, "pixels with truth")[..2], ["6", "3"]);
    assert_eq!(
        row(&a, "bad pixels > 0.5")[1..],
        row(&ok(&spa, &["--nonocc", "mixed.png"]), "bad pixels > 0.5")[1..]
    );
    npy::write(&spa.path("small.npy"), &[1, 5], &[true; 5]).unwrap();
    assert_eq!(
        fails(&spa, 1, &["--disc", "small.npy"]),
        "error: mask 'small.npy' is 5x1, but 'result.npy' is 5x2; both must have the same size\n"
    );
    npy::write(&spa.path("odd.npy"), &[2, 5], &[7_u8; 10]).unwrap();
    assert!(
        fails(&spa, 1, &["--disc", "odd.npy"]).contains("it holds the value 7; masks are 0/1, 0/255, or")
    );
    npy::write(&spa.path("none.npy"), &[2, 5], &[false; 10]).unwrap();
    let text = ok(&spa, &["--disc", "none.npy"]);
    assert!(row(&text, "mean error").contains(&"–".to_string()), "{text}");
    let args = with(&["--disc", "none.npy", "--max-bad", "disc=1"]);
    let output = spa.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "nothing measured keeps no limit");
}

#[test]
fn unknown_truth_and_scales() {
    let spa = scene();
    let bytes = [0, 20, 20, 24, 20, 20, 20, 0, 0, 0_u8];
    image::save_buffer(spa.path("truth.png"), &bytes, 5, 2, image::ExtendedColorType::L8).unwrap();
    let pixels = |more: &[&str]| {
        let args: Vec<&str> = ["eval", "result.npy", "truth.png", "--kind", "stereo", "--json"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        let json: serde_json::Value = serde_json::from_str(&spa.ok(&args)).unwrap();
        (
            json["regions"][0]["pixels"].as_u64().unwrap(),
            json["regions"][0]["bad"][0]["percent"].as_f64().unwrap(),
        )
    };
    let (six, bad) = pixels(&["--truth-scale", "4"]);
    assert_eq!(six, 6);
    assert!((bad - 50.0).abs() < 1e-9, "6 is right where the truth is 24 / 4: {bad}");
    assert_eq!(pixels(&["--truth-scale", "4", "--unknown", "none"]).0, 10);
    assert_eq!(pixels(&["--truth-scale", "4", "--unknown", "24"]).0, 9);
    npy::write(&spa.path("whole.npy"), &[2, 5], &[5_u8; 10]).unwrap();
    let stderr = spa.fails(2, &["eval", "whole.npy", "truth.png"]);
    assert!(stderr.ends_with("give --kind disparity, flow or classes\n"), "{stderr}");
    let missing = spa.fails(1, &["eval", "nowhere.npy", "truth.png"]);
    assert_eq!(missing, "error: failed to read result 'nowhere.npy': no such file or directory\n");
}

#[test]
fn flow_by_hand() {
    let spa = Spa::new();
    let write = |name: &str, vectors: Vec<[f32; 2]>| {
        Field::Flow(Flow::new(3, 1, vectors)).write(&spa.path(name), FileFormat::Flo).unwrap();
    };
    write("truth.flo", vec![[0.0, 0.0], [3.0, 4.0], [f32::NAN, 0.0]]);
    write("result.flo", vec![[1.0, 0.0], [0.0, 0.0], [9.0, 9.0]]);
    let text = spa.ok(&["eval", "result.flo", "truth.flo", "--max-epe", "3"]);
    assert!(text.starts_with("flow of result.flo against truth.flo\n"), "{text}");
    assert!(text.contains("end-point error          3.000 px"), "{text}");
    assert!(text.contains("95% within             5.000 px"), "{text}");
    let output = spa.run(&["eval", "result.flo", "truth.flo", "--max-epe", "2.9", "--max-angle", "10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        texts(&output).1.starts_with("error: end-point error (all) is 3.000 px, above the limit of 2.9 px\n")
    );
}

#[test]
fn classes_against_several_people() {
    let spa = Spa::new();
    npy::write(&spa.path("a.npy"), &[1, 8], &[0_u8, 0, 0, 0, 1, 1, 1, 1]).unwrap();
    npy::write(&spa.path("b.npy"), &[1, 8], &[0_u8; 8]).unwrap();
    let text = spa.ok(&["eval", "a.npy", "a.npy", "b.npy", "--kind", "segment", "--max-vi", "0.5"]);
    assert!(text.starts_with("labels of a.npy against 2 segmentations\n"), "{text}");
    assert!(text.contains("variation of information       0.500 bits"), "{text}");
    let output = spa.run(&["eval", "b.npy", "a.npy", "--kind", "segment", "--min-recall", "50"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(texts(&output).1, "error: boundary recall is 0.000 %, below the least 50 %\n");
    assert!(
        spa.fails(2, &["eval", "a.npy", "b.npy", "--kind", "segment", "--all", "a.npy"])
            .contains("masks are for")
    );
}

#[test]
fn results_of_spa_against_synthetic_scenes() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&["stereo", "scene", "--labels", "12", "--iterations", "50", "-o", "out"]);
    let folder = spa.ok(&["eval", "out", "scene"]);
    assert!(folder.contains("nonocc") && folder.contains("all"), "{folder}");
    // The mask is visible.png; the file instead of its folder is the same.
    assert_eq!(spa.ok(&["eval", "out/mode.npy", "scene"]), folder);
    let spa = Spa::with_scene("flow", "25");
    spa.ok(&["flow", "scene", "--window", "5", "--iterations", "50", "-o", "out"]);
    assert!(spa.ok(&["eval", "out", "scene", "--max-epe", "2"]).contains("end-point error"));
    let spa = Spa::with_scene("segment", "3");
    spa.ok(&["segment", "scene/image.png", "--labels", "3", "--iterations", "50", "-o", "out"]);
    assert!(spa.ok(&["eval", "out", "scene", "--max-vi", "1.2"]).contains("boundary recall (2 px)"));
}

#[test]
fn a_kind_that_is_given_goes_before_a_summary() {
    let spa = Spa::with_scene("flow", "9");
    let run = ["flow", "scene/frame1.png", "scene/frame2.png", "--window", "3", "--iterations", "4"];
    spa.ok(&[&run[..], &["-o", "out"]].concat());
    npy::write(&spa.path("out/mine.npy"), &[1, 4], &[1_u16, 2, 3, 5]).unwrap();
    pfm::write(&spa.path("truth.pfm"), 4, 1, 1, &[1.0, 2.0, 3.0, 4.5]).unwrap();
    let output =
        spa.run(&["eval", "out/mine.npy", "truth.pfm", "--kind", "stereo", "--max-bad", "all@0.5=0"]);
    let (stdout, stderr) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stdout.starts_with("disparity of out/mine.npy"), "{stdout}");
    assert_eq!(
        stderr.replace('\\', "/"),
        "note: 'out/summary.json' is of 'flow', but --kind is disparity: 'mine.npy' is taken as it is\n"
    );
    // Labels of the run itself, asked for as what they are not.
    let stdout = spa.ok(&["eval", "out/mode.npy", "out/mode.npy", "--kind", "segment", "--max-vi", "0"]);
    assert!(stdout.starts_with("labels of out/mode.npy"), "{stdout}");
    // Without the option the summary decides: a file of the run or not.
    assert!(spa.ok(&["eval", "out/mode.npy", "scene/truth.flo"]).starts_with("flow of out/mode.npy"));
    assert!(
        spa.fails(1, &["eval", "out/mine.npy", "scene/truth.flo"]).contains("(height, width, 2) is needed")
    );
    // A summary of somebody else is no reason to stop where it is not asked.
    std::fs::write(spa.path("out/summary.json"), "{}").unwrap();
    spa.fails(1, &["eval", "out/mine.npy", "truth.pfm"]);
    spa.ok(&["eval", "out/mine.npy", "truth.pfm", "--kind", "stereo"]);
}

#[test]
fn labels_that_are_parts_of_pixels_are_no_pixels() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&["stereo", "scene", "--labels", "12", "--grid", "2", "--iterations", "4", "-o", "out"]);
    assert_eq!(
        spa.fails(1, &["eval", "out/mode.npy", "scene"]),
        "error: failed to use result 'out/mode.npy': its labels are parts of pixels (grid 2); take 'disparity.npy' or the folder\n"
    );
    assert_eq!(
        spa.ok(&["eval", "out/disparity.npy", "scene"]).replace("disparity.npy", ""),
        spa.ok(&["eval", "out", "scene"]).replace("disparity.npy", "")
    );
}

#[test]
fn archives_tell_what_they_hold_by_names() {
    let spa = scene();
    let save = |arrays: &[(&str, &[u64], Vec<f32>)]| {
        let mut npz = npz::Writer::create(&spa.path("a.npz")).unwrap();
        for (name, shape, values) in arrays {
            npz.array(name, shape, values.iter().copied()).unwrap();
        }
        npz.finish().unwrap();
    };
    let values = vec![5.0; 10];
    save(&[("disp", &[2, 5], values.clone()), ("confidence", &[2, 5], values.clone())]);
    assert!(spa.ok(&["eval", "a.npz", "truth.pfm", "--max-bad", "0"]).starts_with("disparity of a.npz"));
    save(&[("flow_x", &[2, 5], values.clone()), ("flow_y", &[2, 5], values.clone())]);
    assert!(spa.ok(&["eval", "a.npz", "a.npz", "--max-epe", "0"]).starts_with("flow of a.npz"));
    save(&[("segmentation", &[2, 5], values.clone())]);
    assert!(spa.ok(&["eval", "a.npz", "a.npz", "--max-vi", "0"]).starts_with("labels of a.npz"));
    save(&[("left", &[2, 5], values.clone()), ("right", &[2, 5], values)]);
    assert_eq!(
        spa.fails(2, &["eval", "a.npz", "truth.pfm"]),
        "error: 'a.npz' holds the arrays left, right, which do not say whether it is disparity, flow or classes; give --kind \
         disparity, flow or classes\n"
    );
    assert_eq!(
        spa.fails(1, &["eval", "a.npz", "truth.pfm", "--kind", "stereo"]),
        "error: failed to read arrays 'a.npz': it holds the arrays left, right, but disparity or disp or disparities or \
         disparity_map or mode is needed\n"
    );
}

#[test]
fn real_masks_count_the_pixels_they_should() {
    let Some(folder) = data("real_masks_count_the_pixels_they_should") else { return };
    let spa = Spa::new();
    for (name, truth, pixels) in [
        ("teddy", "disp2.png", [147_651, 165_344, 40_517]),
        ("tsukuba", "groundtruth.png", [85_438, 87_696, 15_790]),
    ] {
        let scene = folder.join("stereo").join(name);
        // The truth against itself.
        let scale = if name == "teddy" { "4" } else { "16" };
        let file = scene.join(truth);
        let args = ["eval", file.to_str().unwrap(), scene.to_str().unwrap(), "--kind", "stereo", "--json"];
        let args: Vec<&str> = args.into_iter().chain(["--result-scale", scale, "--max-bad", "0"]).collect();
        let json: serde_json::Value = serde_json::from_str(&spa.ok(&args)).unwrap();
        for (region, count) in ["nonocc", "all", "disc"].iter().zip(pixels) {
            let found = json["regions"].as_array().unwrap().iter().find(|r| r["name"] == *region).unwrap();
            assert_eq!(found["pixels"], count, "{name} {region}");
            assert_eq!(found["rmse"], 0.0);
        }
    }
}

/// Results finer than the labels are motions, and so is this truth.
#[test]
fn fine_motions_are_measured_against_a_synthetic_truth() {
    let spa = Spa::with_scene("flow", "9");
    let run = ["flow", "scene/frame1.png", "scene/frame2.png", "--window", "3", "--iterations", "40"];
    for (out, more) in [("plain", &[][..]), ("fine", &["--grid", "2"])] {
        spa.ok(&[&run[..], &["-o", out], more].concat());
        let text = spa.ok(&["eval", out, "scene/truth.flo", "--json"]);
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        let error = found["regions"][0]["end_point"]["mean"].as_f64().unwrap();
        // A guess in the window of 3 is more than a pixel off on average.
        assert!(error < 0.7, "{out}: {error}");
    }
    let stderr = spa.fails(1, &["eval", "fine", "scene/truth.npy"]);
    assert!(stderr.contains("truth.flo"), "{stderr}");
}

#[test]
fn a_truth_that_counts_steps_is_told() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene", "--labels", "12", "--iterations", "40", "-o", "out"];
    spa.ok(&run);
    let (width, height, labels) = npy::read_plane(&spa.path("scene/truth.npy")).unwrap();
    let steps: Vec<u8> = labels.iter().map(|&l| 16 * (l + 1)).collect();
    image::save_buffer(spa.path("t.png"), &steps, width, height, image::ExtendedColorType::L8).unwrap();
    spa.ok(&[&run[..6], &["--dmin", "1", "-o", "out"]].concat());
    let stderr = |more: &[&str]| {
        let output = spa.run(&[&["eval", "out", "t.png"][..], more].concat());
        assert!(output.status.success());
        texts(&output).1
    };
    let note = "note: the true disparities are about 16 times those of the result; if the file counts 16 steps to the pixel, \
                --truth-scale 16 says so\n";
    assert_eq!(stderr(&[]), note);
    // One name is taken by both commands.
    let model = ["stereo", "scene", "--labels", "12", "--dmin", "1", "--fill"];
    for option in ["--scale", "--truth-scale"] {
        assert_eq!(stderr(&[option, "16"]), "");
        let energy = spa.ok(&[&["energy", "t.png", option, "16"], &model[..]].concat());
        assert!(!energy.contains("without a label"), "{energy}");
    }
}
