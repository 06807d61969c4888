//! `--uncertainty`: files against the histogram they come from.

use super::support::{Spa, listing};
use spa_runtime::formats::numbers::Numbers;

/// Shape and values of an array of the result folder `out`.
fn array(spa: &Spa, name: &str) -> (Vec<u64>, Vec<f64>) {
    let numbers = Numbers::open(&spa.path(&format!("out/{name}"))).unwrap();
    (numbers.shape, numbers.values)
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{what}: {a}, but {b}");
}

const STEREO: [&str; 9] = [
    "stereo",
    "scene",
    "--labels=12",
    "--dmin=-2",
    "--temperature=6",
    "--iterations=90",
    "-o",
    "out",
    "--uncertainty",
];

#[test]
fn every_file_follows_from_the_histogram() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&[&STEREO[..], &["--credible", "0.8"]].concat());
    let (shape, counts) = array(&spa, "histogram.npy");
    assert_eq!(shape, [30, 40, 12]);
    let [confidence, entropy, credible, sets, mean, variance, interval] = [
        "confidence.npy",
        "entropy.npy",
        "credible.npy",
        "credible_set.npy",
        "mean.npy",
        "variance.npy",
        "credible_interval.npy",
    ]
    .map(|name| array(&spa, name));
    assert_eq!((&confidence.0, &sets.0, &interval.0), (&vec![30, 40], &vec![30, 40, 2], &vec![30, 40, 2]));
    for (i, row) in counts.chunks_exact(12).enumerate() {
        let total: f64 = row.iter().sum();
        let p: Vec<f64> = row.iter().map(|c| c / total).collect();
        close(confidence.1[i], p.iter().copied().fold(0.0, f64::max), "confidence");
        close(entropy.1[i], p.iter().filter(|p| **p > 0.0).map(|p| -p * p.log2()).sum(), "entropy");
        let value = |l: usize| l as f64 - 2.0;
        let m: f64 = (0..12).map(|l| p[l] * value(l)).sum();
        close(mean.1[i], m, "mean");
        close(variance.1[i], (0..12).map(|l| p[l] * (value(l) - m).powi(2)).sum(), "variance");
        // No smaller set of labels reaches the share, and no label outside is drawn more often than one inside.
        let members: Vec<usize> =
            (0..12).filter(|l| sets.1[2 * i + l / 8] as u32 >> (l % 8) & 1 == 1).collect();
        assert_eq!(members.len(), credible.1[i] as usize);
        let inside: f64 = members.iter().map(|&l| row[l]).sum();
        let least = members.iter().map(|&l| row[l]).fold(f64::MAX, f64::min);
        assert!(inside >= 0.8 * total - 1e-9 && inside - least < 0.8 * total - 1e-9, "{row:?} {members:?}");
        assert!((0..12).all(|l| members.contains(&l) || row[l] <= least));
        let ends = [2 * i, 2 * i + 1].map(|n| (interval.1[n] + 2.0) as usize);
        let within = |a: usize, b: usize| row[a..=b].iter().sum::<f64>() >= 0.8 * total - 1e-9;
        assert!(within(ends[0], ends[1]));
        let length = ends[1] - ends[0];
        assert!(
            length == 0 || (0..12 - (length - 1)).all(|a| !within(a, a + length - 1)),
            "{row:?} {ends:?}"
        );
    }
    let overview = &spa.json("out/summary.json")["uncertainty"];
    let pixels = credible.1.len() as f64;
    close(overview["mean_credible_size"].as_f64().unwrap(), credible.1.iter().sum::<f64>() / pixels, "size");
    assert_eq!((overview["credible_share"].as_f64(), overview.get("boundary")), (Some(0.8), None));
    assert!(image::open(spa.path("out/uncertainty.png")).unwrap().width() > 1000);
    // The application's own mean is the same thing.
    let own = array(&spa, "disparity.npy").1;
    mean.1.iter().zip(&own).for_each(|(a, b)| close(*a, *b, "disparity"));
}

#[test]
fn a_run_without_the_option_removes_its_files() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&STEREO);
    spa.ok(&STEREO[..8]);
    let names: Vec<_> = listing(&spa.path("out")).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
    assert!(names.iter().all(|name| name != "entropy.npy" && name != "uncertainty.png"), "{names:?}");
    assert_eq!(spa.json("out/summary.json").get("uncertainty"), None);
}

#[test]
fn motions_have_vectors_and_classes_have_boundaries() {
    let spa = Spa::with_scene("flow", "25");
    spa.ok(&[
        "flow",
        "scene",
        "--window=5",
        "--temperature=9",
        "--iterations=60",
        "-o",
        "out",
        "--uncertainty",
    ]);
    assert_eq!(
        (array(&spa, "mean.npy").0, array(&spa, "variance.npy").0),
        (vec![30, 40, 2], vec![30, 40, 3])
    );
    let own = array(&spa, "flow.npy").1;
    array(&spa, "mean.npy").1.iter().zip(&own).for_each(|(a, b)| close(*a, *b, "flow"));
    let variance = array(&spa, "variance.npy").1;
    assert!(variance.chunks_exact(3).all(|v| v[0] >= 0.0 && v[2] * v[2] <= v[0] * v[1] + 1e-4));
    assert!(!spa.path("out/credible_interval.npy").exists());

    let spa = Spa::with_scene("segment", "3");
    let run = ["segment", "scene/image.png", "--labels=3", "--temperature=30", "--iterations=60"];
    spa.ok(&[&run[..], &["-o", "out", "--uncertainty", "--keep-log", "log"]].concat());
    assert!(!spa.path("out/mean.npy").exists() && !spa.path("out/credible_interval.npy").exists());
    let boundary = array(&spa, "boundary.npy").1;
    let bounds = array(&spa, "boundary_bounds.npy").1;
    for (p, bounds) in boundary.iter().zip(bounds.chunks_exact(2)) {
        assert!(bounds[0] - 1e-6 <= *p && *p <= bounds[1] + 1e-6, "{p} {bounds:?}");
    }
    // The log tells the same, as far as it goes.
    spa.ok(&["decode", "log", "-o", "decoded", "--uncertainty"]);
    for name in ["entropy.npy", "credible_set.npy", "boundary_bounds.npy"] {
        let read = |folder: &str| std::fs::read(spa.path(&format!("{folder}/{name}"))).unwrap();
        assert_eq!(read("out"), read("decoded"), "{name}");
    }
}

#[test]
fn files_that_no_run_left_stay() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::create_dir(spa.path("own")).unwrap();
    std::fs::write(spa.path("own/mean.npy"), "mine").unwrap();
    std::fs::write(spa.path("own/flow.npy"), "mine").unwrap();
    spa.ok(&[&STEREO[..6], &["-o", "own"]].concat());
    for name in ["own/mean.npy", "own/flow.npy"] {
        assert_eq!(std::fs::read_to_string(spa.path(name)).unwrap(), "mine", "{name}");
    }
}

#[test]
fn boundaries_are_counted_in_the_collected_fields() {
    let spa = Spa::with_scene("segment", "3");
    let run = |iterations: &str, more: &[&str]| {
        let args =
            ["segment", "scene/image.png", "--labels=3", "--temperature=30", "--iterations", iterations];
        spa.ok(&[&args[..], &["--burn-in=4", "--uncertainty", "-o"], more].concat());
    };
    run("9", &["out"]);
    let source =
        |folder: &str| spa.json(&format!("{folder}/summary.json"))["uncertainty"]["boundary"].clone();
    assert_eq!(source("out"), "samples");
    // The field after k iterations is that of the run that ends there.
    let mut counts = spa_runtime::uncertainty::boundary::BoundaryCounts::new((40, 30));
    for k in 5..=9 {
        run(&k.to_string(), &["part"]);
        let (.., labels) = spa_runtime::npy::read_plane(&spa.path("part/labels.npy")).unwrap();
        counts.add(&labels);
    }
    let expected: Vec<f64> = counts.shares().unwrap().into_iter().map(f64::from).collect();
    assert_eq!(array(&spa, "boundary.npy").1, expected);
    // What a checkpoint does not hold is not counted, and several chains are not watched.
    run("9", &["out", "--checkpoint", "run.ckp"]);
    assert_eq!(source("out"), "independent");
    run("9", &["many", "--chains=2"]);
    assert_eq!(source("many"), "independent");
}

#[test]
fn shares_and_folders_are_checked() {
    let spa = Spa::with_scene("stereo", "12");
    let refused = |more: &[&str]| spa.fails(2, &[&STEREO[..6], more].concat());
    assert!(refused(&["-o", "out", "--credible", "1.5"]).contains("'1.5' must be above 0 and at most 1"));
    assert!(refused(&["--uncertainty"]).contains("--uncertainty needs a folder for its files; give -o DIR"));
}
