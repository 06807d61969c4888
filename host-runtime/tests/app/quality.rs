//! Quality of the defaults: on synthetic scenes always, on third-party pictures where they are, over ten seeds on demand.

use super::measures::*;
use super::support::{Spa, data};
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
    let truth = disparities(&folder.join(truth), scale);
    let bad = |file: &str, strict| bad_pixels(&mode, &truth, &mask(&folder.join(file), strict));
    (bad("nonocc.png", true), bad("all.png", false))
}

fn flow(folder: &Path, name: &str, seed: u64) -> f64 {
    let folder = folder.join("flow").join(name);
    let spa = Spa::new();
    let pictures = [folder.join("frame10.png"), folder.join("frame11.png")];
    let mode = mode(&spa, "flow", &[&pictures[0], &pictures[1]], &["--seed", &seed.to_string()]);
    end_point_error(&mode, &flo(&folder.join("flow10.flo")), 7)
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
                let human = image::open(path).unwrap().to_rgb16();
                let labels: Vec<[u16; 3]> = human.pixels().map(|p| p.0).collect();
                variation_of_information(&mode, &labels)
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
    let truth: Vec<_> = truth.into_iter().map(|v| Some(f64::from(v))).collect();
    let bad = bad_pixels(&found, &truth, &mask(&spa.path("s/visible.png"), true));
    assert!(bad < 12.0, "{bad:.1}% bad pixels");

    spa.ok(&["synth", "flow", "-o", "f", "--size", "160x120", "--seed", "7"]);
    let found = mode(&spa, "flow", &["f/frame1.png".as_ref(), "f/frame2.png".as_ref()], &[]);
    let truth = npy::read_plane(&spa.path("f/truth.npy")).unwrap().2;
    let visible = mask(&spa.path("f/visible.png"), true);
    let vector = |(&l, &seen): (&u8, &bool)| seen.then(|| (f64::from(l % 7) - 3.0, f64::from(l / 7) - 3.0));
    let truth: Vec<_> = truth.iter().zip(&visible).map(vector).collect();
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
fn rubberwhale() {
    let Some(folder) = data("rubberwhale") else { return };
    let error = flow(&folder, "rubberwhale", 1);
    assert!(error < 0.4, "end-point error {error:.3}");
}

#[test]
fn odd_pictures_are_read_or_refused() {
    let Some(folder) = data("odd_pictures_are_read_or_refused") else { return };
    let open = |name: &str| spa_runtime::picture::Picture::open(&folder.join("odd").join(name));
    for name in [
        "xytong_aloeL.jpg",
        "pandora_left_gray.png",
        "kitti_flow_gt_16bit.png",
        "mmflow_color_wheel_rgba.png",
    ] {
        let picture = open(name).unwrap();
        assert_eq!(picture.rgb.len(), picture.width as usize * picture.height as usize, "{name}");
    }
    let float = open("pandora_disp_left_float32.tif").unwrap_err().to_string();
    assert!(float.contains("floating-point") || float.contains("unsupported"), "{float}");
    for name in ["mmflow_tiny_flow_01.flo", "mmflow_occ_weights_01.pfm"] {
        assert!(open(name).unwrap_err().to_string().contains("PNG, JPEG, TIFF and PNM are read"), "{name}");
    }
}

/// The table of docs/spa.md.
#[test]
#[ignore = "minutes; prints the table of docs/spa.md"]
fn ten_seeds() {
    let Some(folder) = data("ten_seeds") else { return };
    let mean = |f: &dyn Fn(u64) -> f64| (1..=10).map(f).sum::<f64>() / 10.0;
    for name in ["tsukuba", "teddy"] {
        let runs: Vec<(f64, f64)> = (1..=10).map(|seed| stereo(&folder, name, seed)).collect();
        let nonocc = runs.iter().map(|r| r.0).sum::<f64>() / 10.0;
        let all = runs.iter().map(|r| r.1).sum::<f64>() / 10.0;
        println!("| stereo {name} | bad pixels > 1, non-occluded / all | {nonocc:.2} / {all:.2} % |");
    }
    for name in ["rubberwhale", "dimetrodon"] {
        println!("| flow {name} | end-point error | {:.3} |", mean(&|seed| flow(&folder, name, seed)));
    }
    for labels in ["2", "4", "8"] {
        let bits = mean(&|seed| segmentation(&folder, labels, seed));
        println!("| segment, {labels} classes, six pictures | variation of information | {bits:.2} bits |");
    }
}
