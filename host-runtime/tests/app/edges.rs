//! Edge weights: from files and from contrast, with every application.

use super::support::Spa;
use spa_runtime::npy;
use spa_runtime::summary::Summary;

const RUN: [&str; 7] =
    ["stereo", "scene/left.png", "scene/right.png", "--labels=12", "--iterations=30", "--seed=5", "-o"];

fn run(spa: &Spa, folder: &str, more: &[&str]) -> Summary {
    let args: Vec<&str> = RUN.into_iter().chain([folder]).chain(more.iter().copied()).collect();
    spa.ok(&args);
    Summary::read(&spa.path(folder)).unwrap()
}

#[test]
fn eights_change_nothing_but_the_record_and_zeros_leave_pixels_alone() {
    let spa = Spa::with_scene("stereo", "12");
    let file = |name: &str, weight: u8| npy::write(&spa.path(name), &[30, 40, 2], &[weight; 2400]).unwrap();
    file("eight.npy", 8);
    file("zero.npy", 0);
    let plain = run(&spa, "plain", &[]);
    assert!(plain.parameters.get("edge_weights").is_none() && plain.mapping.edge_unit.is_none());
    let eight = run(&spa, "eight", &["--edge-weights", "eight.npy"]);
    assert_eq!(eight.hashes, plain.hashes);
    assert_ne!(eight.record_hash, plain.record_hash);
    assert_eq!((eight.mapping.beta, eight.mapping.edge_unit), (1, Some(8)));
    let zero = run(&spa, "zero", &["--edge-weights", "zero.npy"]);
    let alone = run(&spa, "alone", &["--beta=0"]);
    assert_eq!(zero.hashes, alone.hashes);
}

#[test]
fn contrast_serves_every_application_and_is_a_file_in_disguise() {
    let spa = Spa::with_scene("stereo", "12");
    let plain = run(&spa, "plain", &[]);
    let contrast = run(&spa, "contrast", &["--contrast", "10"]);
    assert_ne!(contrast.hashes, plain.hashes);
    let picture = spa_runtime::picture::Picture::open(&spa.path("scene/left.png")).unwrap();
    let weights = "10:2:12".parse::<spa_runtime::contrast::Contrast>().unwrap().weights(&picture).unwrap();
    npy::write(&spa.path("w.npy"), &[30, 40, 2], &weights).unwrap();
    let file = run(&spa, "file", &["--edge-weights", "w.npy"]);
    assert_eq!((file.record_hash, file.hashes), (contrast.record_hash, contrast.hashes));
    for args in [
        &["flow", "scene/left.png", "scene/right.png", "--window=5"][..],
        &["segment", "scene/left.png", "--labels=3"],
    ] {
        let all: Vec<&str> =
            args.iter().copied().chain(["--iterations=4", "--contrast=6:0:15", "--json"]).collect();
        let summary: serde_json::Value = serde_json::from_str(&spa.ok(&all)).unwrap();
        assert_eq!(summary["parameters"]["edge_weights"].as_str().unwrap().len(), 64, "{args:?}");
    }
}

#[test]
fn wrong_weights_are_refused() {
    let spa = Spa::with_scene("stereo", "12");
    npy::write(&spa.path("flat.npy"), &[30, 40], &[8_u8; 1200]).unwrap();
    npy::write(&spa.path("large.npy"), &[30, 40, 2], &[16_u8; 2400]).unwrap();
    let refused = |code, more: &[&str]| {
        let args: Vec<&str> = RUN.into_iter().chain(["out"]).chain(more.iter().copied()).collect();
        spa.fails(code, &args)
    };
    let text = refused(1, &["--edge-weights", "flat.npy"]);
    assert!(text.contains("[30, 40, 2] (height, width, right and down) is needed"), "{text}");
    assert!(
        refused(1, &["--edge-weights", "large.npy"])
            .contains("at row 0, column 0 the edge right has weight 16; 0…15 is allowed")
    );
    assert!(
        refused(2, &["--contrast", "-1"]).contains("contrast is -1, but must be a finite number above 0")
    );
    assert!(refused(2, &["--contrast", "4:3"]).contains("must be SIGMA or SIGMA:LOW:HIGH"));
    assert!(refused(2, &["--contrast", "4", "--edge-weights", "flat.npy"]).contains("cannot be used with"));
}
