//! Quality of the defaults: on synthetic scenes always, on third-party pictures where they are. Ten seeds of
//! both presets are measured by the example `quality` (docs/quality.md).

use super::support::{Spa, data};
use spa_runtime::app::Application;
use spa_runtime::formats::middlebury::Scene;
use spa_runtime::formats::{Field, Flow, ReadAs, flo, open_disparity, open_labels};
use spa_runtime::measure::mask::Mask;
use spa_runtime::measure::{flow as flow_measure, segment, stereo as stereo_measure};
use spa_runtime::npy;
use std::path::Path;

/// Mode of a run with the defaults and `more`.
fn mode(spa: &Spa, command: &str, pictures: &[&Path], more: &[&str]) -> Vec<u8> {
    let mut args = vec![command];
    args.extend(pictures.iter().map(|p| p.to_str().unwrap()));
    args.extend(more);
    args.extend(["-o", "out"]);
    spa.ok(&args);
    npy::read_plane(&spa.path("out/mode.npy")).unwrap().2
}

/// Bad pixels without and with occlusions, in percent.
fn stereo(folder: &Path, name: &str, seed: u64) -> (f64, f64) {
    let (left, right, truth, scale, labels) = match name {
        "tsukuba" => ("imL.png", "imR.png", "groundtruth.png", 16.0, "16"),
        _ => ("im2.png", "im6.png", "disp2.png", 4.0, "60"),
    };
    let folder = folder.join("stereo").join(name);
    let spa = Spa::new();
    let seed = seed.to_string();
    let pictures = [folder.join(left), folder.join(right)];
    let mode = mode(&spa, "stereo", &[&pictures[0], &pictures[1]], &["--labels", labels, "--seed", &seed]);
    let read_as = ReadAs { scale: Some(scale), ..ReadAs::default() };
    let truth = open_disparity(&folder.join(truth), read_as).unwrap();
    let size = (truth.width, truth.height);
    let Field::Disparity(found) = Field::of_labels(&Application::Stereo { dmin: 0 }, size, &mode) else {
        panic!()
    };
    let bad = |mask: &[bool]| stereo_measure::measure(&found, &truth, mask, &[1.0]).bad[0].percent.unwrap();
    let mask = |file: &str| Mask::open(&folder.join(file)).unwrap();
    (bad(&mask("nonocc.png").inside()), bad(&mask("all.png").known()))
}

/// Mean length of the difference of label displacements (window of side `window`) and true ones.
fn end_point_error(mode: &[u8], truth: &Flow, window: u16) -> f64 {
    let size = (truth.width, truth.height);
    let Field::Flow(found) = Field::of_labels(&Application::Flow { window }, size, mode) else { panic!() };
    let everywhere = vec![true; mode.len()];
    flow_measure::measure(&found, truth, &everywhere, &[]).end_point.mean.unwrap()
}

fn flow(folder: &Path, name: &str, seed: u64) -> f64 {
    let folder = folder.join("flow").join(name);
    let spa = Spa::new();
    let pictures = [folder.join("frame10.png"), folder.join("frame11.png")];
    let mode = mode(&spa, "flow", &[&pictures[0], &pictures[1]], &["--seed", &seed.to_string()]);
    end_point_error(&mode, &flo::read(&Scene::flow(&folder).unwrap().truth.unwrap()).unwrap(), 7)
}

/// Mean over the pictures and their humans, in bits.
fn segmentation(folder: &Path, labels: &str, seed: u64) -> f64 {
    let mut folders: Vec<_> =
        std::fs::read_dir(folder.join("segmentation")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    let spa = Spa::new();
    let mut scores = Vec::new();
    for folder in &folders {
        let image = folder.join("image.jpg");
        let mode = mode(&spa, "segment", &[&image], &["--labels", labels, "--seed", &seed.to_string()]);
        let humans: Vec<f64> = (1..10)
            .map(|n| folder.join(format!("human_{n}.png")))
            .filter(|path| path.exists())
            .map(|path| {
                let human = open_labels(&path).unwrap();
                segment::variation_of_information(&mode, &human.values)
            })
            .collect();
        scores.push(humans.iter().sum::<f64>() / humans.len() as f64);
    }
    scores.iter().sum::<f64>() / scores.len() as f64
}

#[test]
fn synthetic_scenes_are_solved() {
    let spa = Spa::new();
    spa.ok(&["synth", "stereo", "-o", "s", "--size", "160x120", "--labels", "16", "--seed", "7"]);
    let found = mode(&spa, "stereo", &["s/left.png".as_ref(), "s/right.png".as_ref()], &["--labels", "16"]);
    let truth = npy::read_plane(&spa.path("s/truth.npy")).unwrap().2;
    let disparities =
        |labels: &[u8]| match Field::of_labels(&Application::Stereo { dmin: 0 }, (160, 120), labels) {
            Field::Disparity(map) => map,
            _ => unreachable!(),
        };
    let visible = Mask::open(&spa.path("s/visible.png")).unwrap().inside();
    let found = stereo_measure::measure(&disparities(&found), &disparities(&truth), &visible, &[1.0]);
    let bad = found.bad[0].percent.unwrap();
    assert!(bad < 12.0, "{bad:.1}% bad pixels");

    spa.ok(&["synth", "flow", "-o", "f", "--size", "160x120", "--seed", "7"]);
    let found = mode(&spa, "flow", &["f/frame1.png".as_ref(), "f/frame2.png".as_ref()], &[]);
    let truth = npy::read_plane(&spa.path("f/truth.npy")).unwrap().2;
    let visible = Mask::open(&spa.path("f/visible.png")).unwrap().inside();
    let vector = |(&l, &seen): (&u8, &bool)| {
        if seen { [f32::from(l % 7) - 3.0, f32::from(l / 7) - 3.0] } else { [f32::NAN; 2] }
    };
    let truth = Flow::new(160, 120, truth.iter().zip(&visible).map(vector).collect());
    let error = end_point_error(&found, &truth, 7);
    assert!(error < 0.5, "end-point error {error:.2}");

    spa.ok(&["synth", "segment", "-o", "g", "--size", "160x120", "--seed", "7"]);
    let found = mode(&spa, "segment", &["g/image.png".as_ref()], &["--labels", "4"]);
    let truth = npy::read_plane(&spa.path("g/truth.npy")).unwrap().2;
    let wrong = found.iter().zip(&truth).filter(|(a, b)| a != b).count();
    assert!(wrong * 100 < 8 * truth.len(), "{wrong} wrong pixels");
}

#[test]
fn teddy_and_tsukuba() {
    let Some(folder) = data("teddy_and_tsukuba") else { return };
    let (nonocc, all) = stereo(&folder, "tsukuba", 1);
    assert!(nonocc < 4.5 && all < 6.5, "tsukuba {nonocc:.2}/{all:.2}");
    let (nonocc, all) = stereo(&folder, "teddy", 1);
    assert!(nonocc < 18.0 && all < 25.5, "teddy {nonocc:.2}/{all:.2}");
}

#[test]
fn rubberwhale_and_six_segmentations() {
    let Some(folder) = data("rubberwhale_and_six_segmentations") else { return };
    let error = flow(&folder, "rubberwhale", 1);
    assert!(error < 0.38, "end-point error {error:.3}");
    let bits = segmentation(&folder, "4", 1);
    assert!(bits < 2.85, "{bits:.2} bits");
}
