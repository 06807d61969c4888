//! What applications do around the job: views, data terms, sub-pixel labels, sizes, classes, restoration.

use super::support::Spa;
use spa_runtime::formats::numbers::Numbers;
use spa_runtime::measure::mask::Mask;
use spa_runtime::npy;
use spa_runtime::picture::Picture;

/// Shifts a picture by whole pixels, the border repeated, and saves it.
fn save_shifted(spa: &Spa, from: &str, to: &str, (dx, dy): (i32, i32)) {
    let p = Picture::open(&spa.path(from)).unwrap();
    let (w, h) = (p.width as i32, p.height as i32);
    let at = |x: i32, y: i32| p.rgb[(y.clamp(0, h - 1) * w + x.clamp(0, w - 1)) as usize];
    let pixels: Vec<u8> = (0..h).flat_map(|y| (0..w).flat_map(move |x| at(x - dx, y - dy))).collect();
    image::save_buffer(spa.path(to), &pixels, p.width, p.height, image::ExtendedColorType::Rgb8).unwrap();
}

fn floats(spa: &Spa, name: &str) -> Vec<f64> {
    Numbers::open(&spa.path(name)).unwrap().values
}

/// Share of `mode`, in percent, more than a label off where `visible`.
fn bad_pixels(mode: &[u8], truth: &[u8], visible: &[bool]) -> f64 {
    let seen = || mode.iter().zip(truth).zip(visible).filter(|(_, v)| **v).map(|(pair, _)| pair);
    100.0 * seen().filter(|(a, b)| a.abs_diff(**b) > 1).count() as f64 / seen().count() as f64
}

/// Share of `values` within `tolerance` of `truth`.
fn near(values: impl Iterator<Item = f64>, truth: f64, tolerance: f64) -> f64 {
    let hits: Vec<bool> = values.map(|v| (v - truth).abs() <= tolerance).collect();
    hits.iter().filter(|&&hit| hit).count() as f64 / hits.len() as f64
}

#[test]
fn either_view_and_negative_disparities() {
    let spa = Spa::with_scene("segment", "5");
    save_shifted(&spa, "scene/image.png", "right.png", (3, 0));
    let run = |more: &[&str]| {
        let args = ["stereo", "scene/image.png", "right.png", "--labels", "7", "--dmin=-6", "-o", "o"];
        spa.ok(&args.iter().chain(more).copied().collect::<Vec<_>>());
        near(floats(&spa, "o/disparity.npy").into_iter(), -3.0, 0.5)
    };
    for more in [&[][..], &["--reference", "right"], &["--data", "colour", "--reference", "right"]] {
        let share = run(more);
        assert!(share > 0.9, "{more:?}: {share}");
    }
}

#[test]
fn every_data_term_solves_a_scene() {
    let spa = Spa::new();
    spa.ok(&["synth", "stereo", "-o", "s", "--size", "120x90", "--labels", "12", "--seed", "7"]);
    let truth = npy::read_plane(&spa.path("s/truth.npy")).unwrap().2;
    let visible = Mask::open(&spa.path("s/visible.png")).unwrap().inside();
    let run = |more: &[&str]| {
        let args = ["stereo", "s/left.png", "s/right.png", "--labels", "12", "-o", "o"];
        spa.ok(&args.iter().chain(more).copied().collect::<Vec<_>>());
        bad_pixels(&npy::read_plane(&spa.path("o/mode.npy")).unwrap().2, &truth, &visible)
    };
    let limits: [(&[&str], f64); 6] = [
        (&["--data", "colour"], 15.0),
        (&["--data", "bt"], 15.0),
        (&["--data", "census"], 15.0),
        (&["--data", "gradient"], 25.0),
        (&["--data", "robust"], 15.0),
        (&["--preset", "best"], 10.0),
    ];
    for (more, limit) in limits {
        let bad = run(more);
        assert!(bad < limit, "{more:?}: {bad:.1}% bad pixels");
    }
    assert_eq!(spa.json("o/summary.json")["settings"]["data"], "robust");
    let summary = spa.json("o/summary.json");
    assert_eq!(summary["settings"]["passes"], 2);
    let seconds = |key: &str| summary[key].as_f64().unwrap();
    assert!(seconds("total_seconds") > seconds("wall_seconds"), "{summary}");
    let text = spa.ok(&["stereo", "s", "--labels=12", "--preset=best", "--iterations=20"]);
    assert!(text.contains(" s with 2 runs before it\n"), "{text}");
}

#[test]
fn occlusions_are_found() {
    let spa = Spa::new();
    spa.ok(&["synth", "stereo", "-o", "s", "--size", "120x90", "--labels", "16", "--seed", "7"]);
    let visible = Mask::open(&spa.path("s/visible.png")).unwrap().inside();
    let hidden = visible.iter().filter(|v| !**v).count();
    for what in ["check", "fill"] {
        spa.ok(&["stereo", "s/left.png", "s/right.png", "--labels", "16", "--occlusion", what, "-o", "o"]);
        let found = npy::read_plane(&spa.path("o/occlusion.npy")).unwrap().2;
        let both = found.iter().zip(&visible).filter(|(f, v)| **f == 1 && !**v).count();
        let wrong = found.iter().zip(&visible).filter(|(f, v)| **f == 1 && **v).count();
        assert!(both * 10 > 6 * hidden, "{what}: {both} of {hidden} found");
        assert!(wrong * 10 < found.len(), "{what}: {wrong} visible pixels masked");
        assert!(spa.path("o/occlusion.png").exists());
    }
    // Without the check an older mask must not stay behind.
    spa.ok(&["stereo", "s/left.png", "s/right.png", "--labels", "16", "-o", "o", "--iterations", "5"]);
    assert!(!spa.path("o/occlusion.npy").exists() && spa.path("o/disparity.npy").exists());
}

#[test]
fn half_pixels_are_found() {
    let spa = Spa::new();
    // A picture of twice the width, seen from two places 5 of its pixels apart: a disparity of 2.5.
    spa.ok(&["synth", "segment", "-o", "s", "--size", "200x60", "--labels", "6"]);
    let p = Picture::open(&spa.path("s/image.png")).unwrap();
    let save = |name: &str, shift: usize| {
        let pixel = |x: usize, y: usize| {
            let at = |x: usize| p.rgb[y * 200 + x.min(199)].map(u16::from);
            let (a, b) = (at(2 * x + shift), at(2 * x + shift + 1));
            [0, 1, 2].map(|c| ((a[c] + b[c]) / 2) as u8)
        };
        let pixels: Vec<u8> = (0..60).flat_map(|y| (0..90).flat_map(move |x| pixel(x, y))).collect();
        image::save_buffer(spa.path(name), &pixels, 90, 60, image::ExtendedColorType::Rgb8).unwrap();
    };
    save("left.png", 0);
    save("right.png", 5);
    let args = ["stereo", "left.png", "right.png", "--labels", "16", "--grid", "2", "--data", "colour"];
    spa.ok(&[&args[..], &["-o", "o"]].concat());
    let inside = |(i, v): (usize, f64)| (i % 90 > 10).then_some(v);
    let share = near(floats(&spa, "o/disparity.npy").into_iter().enumerate().filter_map(inside), 2.5, 0.2);
    assert!(share > 0.85, "{share}");
}

#[test]
fn motions_in_wide_windows_and_beyond_them() {
    let spa = Spa::new();
    spa.ok(&["synth", "segment", "-o", "s", "--size", "96x80", "--labels", "6"]);
    let run = |(dx, dy): (i32, i32), more: &[&str]| {
        save_shifted(&spa, "s/image.png", "next.png", (dx, dy));
        spa.ok(&[&["flow", "s/image.png", "next.png", "-o", "o"][..], more].concat());
        let array = Numbers::open(&spa.path("o/flow.npy")).unwrap();
        assert_eq!(array.shape, [80, 96, 2]);
        let hits = array.values.chunks_exact(2);
        let hits = hits.filter(|v| (v[0] - f64::from(dx)).abs() < 0.6 && (v[1] - f64::from(dy)).abs() < 0.6);
        hits.count() as f64 / (80.0 * 96.0)
    };
    let share = run((6, -5), &["--window", "15", "--iterations", "100"]);
    assert!(share > 0.8, "window 15: {share}");
    let share = run((9, -7), &["--window", "7", "--levels", "3", "--data", "colour"]);
    assert!(share > 0.65, "three sizes: {share}");
    assert_eq!(spa.json("o/summary.json")["settings"]["passes"], 2);
}

#[test]
fn classes_by_colour_and_by_scribbles() {
    let spa = Spa::with_scene("segment", "3");
    let truth = npy::read_plane(&spa.path("scene/truth.npy")).unwrap().2;
    let wrong = |labels: &[u8]| labels.iter().zip(&truth).filter(|(a, b)| a != b).count();
    // One marked pixel in twenty of every class.
    let marks: Vec<u8> =
        truth.iter().enumerate().map(|(i, &l)| if i % 20 == 0 { l + 1 } else { 0 }).collect();
    npy::write(&spa.path("marks.npy"), &[30, 40], &marks).unwrap();
    for more in [&[][..], &["--colour"]] {
        let args = ["segment", "scene/image.png", "--scribbles", "marks.npy", "-o", "o"];
        spa.ok(&[&args[..], more].concat());
        let labels = npy::read_plane(&spa.path("o/mode.npy")).unwrap().2;
        for i in (0..1200).step_by(20) {
            assert_eq!(labels[i], truth[i]);
        }
        assert!(wrong(&labels) < 150, "{more:?}: {} wrong", wrong(&labels));
        assert_eq!(spa.json("o/summary.json")["labels"], 3);
    }
    // The same marks as a paint program saves them: colours, the darkest is class 0.
    spa.ok(&["segment", "scene/image.png", "--scribbles", "marks.npy", "-o", "grey"]);
    let paint = [[0, 0, 0], [0, 0, 255], [255, 0, 0], [0, 255, 0]];
    let coloured = |name: &str, of: &dyn Fn(usize) -> [u8; 3]| {
        let bytes: Vec<u8> = (0..1200).flat_map(of).collect();
        image::save_buffer(spa.path(name), &bytes, 40, 30, image::ExtendedColorType::Rgb8).unwrap();
    };
    coloured("paint.png", &|i| paint[usize::from(marks[i])]);
    let output = spa.run(&["segment", "scene/image.png", "--scribbles", "paint.png", "-o", "colour"]);
    let note = "black marks nothing: #0000ff is 0, #ff0000 is 1, #00ff00 is 2";
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains(note));
    spa.ok(&["compare", "grey", "colour"]);
    coloured("soft.png", &|i| [i as u8, 7, 9]);
    let text = spa.fails(1, &["segment", "scene/image.png", "--scribbles", "soft.png"]);
    assert!(text.contains("it has 256 colours besides black") && text.contains("hard brush"), "{text}");
    spa.ok(&["segment", "scene/image.png", "--colours", "000000,ffffff", "-o", "o"]);
    assert_eq!(spa.json("o/summary.json")["values"], serde_json::json!([0, 255]));
}

#[test]
fn noise_goes_and_holes_are_filled() {
    let spa = Spa::new();
    let (w, h) = (64_usize, 48_usize);
    let truth = |i: usize| {
        let (x, y) = (i % w, i / w);
        if (x / 20 + y / 16) % 2 == 0 { 70.0 } else { 160.0 + x as f64 / 2.0 }
    };
    let noise = |i: usize| (i * 7919 % 61) as f64 - 30.0;
    let noisy: Vec<u8> = (0..w * h).map(|i| (truth(i) + noise(i)).clamp(0.0, 255.0) as u8).collect();
    let holes: Vec<u8> = (0..w * h).map(|i| u8::from(i % w % 16 == 7 && i / w > 3) * 255).collect();
    let damaged: Vec<u8> = noisy.iter().zip(&holes).map(|(&v, &hole)| if hole > 0 { 0 } else { v }).collect();
    for (name, values) in [("noisy.png", &noisy), ("damaged.png", &damaged), ("holes.png", &holes)] {
        image::save_buffer(spa.path(name), values, w as u32, h as u32, image::ExtendedColorType::L8).unwrap();
    }
    let rms = |values: &[f64]| {
        let sum: f64 = values.iter().enumerate().map(|(i, v)| (v - truth(i)).powi(2)).sum();
        (sum / values.len() as f64).sqrt()
    };
    let before = rms(&noisy.iter().map(|&v| f64::from(v)).collect::<Vec<_>>());
    spa.ok(&["restore", "noisy.png", "-o", "o"]);
    let after = rms(&floats(&spa, "o/restored.npy"));
    assert!(after < 0.6 * before, "{before:.1} to {after:.1}");
    spa.ok(&["restore", "damaged.png", "--mask", "holes.png", "--labels", "256", "-o", "o"]);
    let filled = rms(&floats(&spa, "o/restored.npy"));
    assert!(filled < 0.7 * before, "{before:.1} to {filled:.1}");
}

#[test]
fn options_of_other_applications_are_refused() {
    let spa = Spa::with_scene("stereo", "12");
    let refused =
        |more: &[&str]| spa.fails(2, &[&["stereo", "scene/left.png", "scene/right.png"][..], more].concat());
    assert!(refused(&["--levels", "2"]).contains("--levels is for 'flow' only, not for 'stereo'"));
    assert!(refused(&["--mask", "m.png"]).contains("--mask is for 'restore' only, not for 'stereo'"));
    assert!(refused(&["--grid", "9"]).contains("must be 1…8"));
    for (command, own, others) in [
        (
            "stereo",
            &["--dmin", "--occlusion", "--data"][..],
            &["--window", "--levels", "--colours", "--mask"][..],
        ),
        ("flow", &["--window", "--levels", "--data"], &["--dmin", "--occlusion", "--scribbles", "--mask"]),
        ("segment", &["--values", "--scribbles"], &["--dmin", "--window", "--data", "--grid", "--mask"]),
        ("restore", &["--mask", "--report"], &["--dmin", "--window", "--data", "--colours"]),
        (
            "infer",
            &["--edge-weights", "--report"],
            &["--dmin", "--mask", "--costs", "--contrast", "--outside", "--singleton"],
        ),
    ] {
        for help in [spa.ok(&[command, "--help"]), spa.ok(&["energy", "x.npy", command, "--help"])] {
            let lists = |option: &&str| help.contains(&format!(" {option} <"));
            assert!(own.iter().all(lists), "{command}: {help}");
            assert!(!others.iter().any(lists), "{command}: {help}");
        }
    }
    assert!(refused(&["--data", "bt", "--singleton", "abs"]).contains("exclude each other"));
    assert!(refused(&["--data", "mutual"]).contains("[possible values: plain, colour, bt, census"));
    let small = ["flow", "scene/left.png", "scene/right.png", "--levels", "4"];
    assert!(spa.fails(2, &small).contains("it would have 3"));
    let colours = ["segment", "scene/left.png", "--colours", "ff0000,00ff0"];
    assert!(spa.fails(2, &colours).contains("must be six hexadecimal digits"));
}

#[test]
fn motions_at_the_edge_of_the_window_are_told() {
    let spa = Spa::with_scene("flow", "49");
    let run = |window: &str| {
        let args = [
            "flow",
            "scene/frame1.png",
            "scene/frame2.png",
            "--window",
            window,
            "--iterations",
            "200",
            "-o",
            "out",
        ];
        spa.run(&args).stderr
    };
    let told = String::from_utf8(run("3")).unwrap();
    assert!(
        told.contains(
            "% of the pixels move by 1 px, the edge of the window, so motions may be longer: --levels 2"
        ),
        "{told}"
    );
    let told = String::from_utf8(run("9")).unwrap();
    assert!(!told.contains("edge of the window"), "{told}");
}
