//! Files of others: what people really have is read for what it is or refused with the reason; results in their formats.

use super::support::{Spa, data, texts};
use spa_runtime::formats::field::Unknown;
use spa_runtime::formats::{Kind, Raster, ReadAs, Samples, flo, open_disparity, open_flow, pfm, tiff};
use spa_runtime::picture::Picture;

#[test]
fn odd_files_are_read_for_what_they_are() {
    let Some(folder) = data("odd_files_are_read_for_what_they_are") else { return };
    let path = |name: &str| folder.join("odd").join(name);

    // Flow of KITTI: 16-bit colour, sparse, valid in blue.
    let flow = open_flow(&path("kitti_flow_gt_16bit.png")).unwrap();
    assert_eq!((flow.width, flow.height), (1242, 375));
    let known = (0..flow.vectors.len()).filter_map(|i| flow.get(i)).collect::<Vec<_>>();
    assert!(known.len() > 1000 && known.len() < flow.vectors.len() / 2, "{} known", known.len());
    assert!(known.iter().all(|v| v[0].abs() < 300.0 && v[1].abs() < 100.0));
    let refused =
        open_disparity(&path("kitti_flow_gt_16bit.png"), ReadAs::default()).unwrap_err().to_string();
    assert!(refused.contains("as KITTI keeps flow"), "{refused}");

    // RGBA.
    let wheel = Raster::open(&path("mmflow_color_wheel_rgba.png")).unwrap();
    assert_eq!((wheel.width, wheel.height, wheel.channels), (151, 151, 4));
    Picture::open(&path("mmflow_color_wheel_rgba.png")).unwrap();

    // The colours of the wheel are those of the benchmark, and ours are the same.
    let Samples::U8(pixels) = &wheel.samples else { panic!("eight bits") };
    for (i, pixel) in pixels.chunks_exact(4).enumerate() {
        let (x, y) = ((i % 151) as f64 - 75.0, (i / 151) as f64 - 75.0);
        let ours = spa_runtime::colour::motion(x, y, 75.0);
        // The picture's centre pixel is not white but for rounding.
        let far = ours.iter().zip(pixel).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(far <= 6, "({x}, {y}): {ours:?} is not {pixel:?}");
    }

    // A float map of 0 and 1 is a mask, too; it is no picture.
    let weights = Raster::open(&path("mmflow_occ_weights_01.pfm")).unwrap();
    assert_eq!((weights.width, weights.height, weights.channels), (50, 50, 1));
    let mask = spa_runtime::measure::mask::Mask::open(&path("mmflow_occ_weights_01.pfm")).unwrap();
    assert!(mask.inside().contains(&true) && mask.inside().contains(&false));
    let refused = Picture::open(&path("mmflow_occ_weights_01.pfm")).unwrap_err().to_string();
    assert!(refused.contains("it is a float map (PFM), not a picture; PNG, JPEG, TIFF and PNM are read"));

    let tiny = open_flow(&path("mmflow_tiny_flow_01.flo")).unwrap();
    assert_eq!((tiny.width, tiny.height), (50, 50));
    assert!(tiny.vectors.iter().all(|v| (-20.0..0.5).contains(&v[0]) && (-0.4..14.0).contains(&v[1])));
    let refused = Picture::open(&path("mmflow_tiny_flow_01.flo")).unwrap_err().to_string();
    assert!(refused.contains("it is a flow field (.flo), not a picture"), "{refused}");

    // Float TIFF: 0 is unknown there, 55 the largest disparity.
    let float = path("pandora_disp_left_float32.tif");
    let map = open_disparity(&float, ReadAs::default()).unwrap();
    assert_eq!((map.width, map.height), (450, 375));
    let known: Vec<f32> = (0..map.values.len()).filter_map(|i| map.get(i)).collect();
    assert!(known.len() < map.values.len() && known.iter().copied().fold(0.0, f32::max) == 55.0);
    let every = open_disparity(&float, ReadAs { unknown: Unknown::Never, ..ReadAs::default() }).unwrap();
    assert_eq!((0..every.values.len()).filter_map(|i| every.get(i)).count(), 450 * 375);
    assert!(Picture::open(&float).unwrap_err().to_string().contains("floating-point"));

    // TIFF files that are called .png, and JPEG.
    for (name, kind, size) in [
        ("pandora_left_gray.png", Kind::Tiff, (450, 375)),
        ("pandora_right_gray.png", Kind::Tiff, (450, 375)),
        ("xytong_aloeL.jpg", Kind::Jpeg, (1282, 1110)),
        ("xytong_aloeR.jpg", Kind::Jpeg, (1282, 1110)),
    ] {
        assert_eq!(Kind::of(&path(name)).unwrap(), kind, "{name}");
        let picture = Picture::open(&path(name)).unwrap();
        assert_eq!((picture.width, picture.height), size, "{name}");
        assert!(matches!(Raster::open(&path(name)).unwrap().samples, Samples::U8(_)));
    }
    assert_eq!(std::fs::read_dir(folder.join("odd")).unwrap().count(), 9, "a file without a test");
}

#[test]
fn folders_are_taken_as_they_are() {
    let Some(folder) = data("folders_are_taken_as_they_are") else { return };
    let spa = Spa::new();
    for (name, labels, source) in [
        ("stereo/tsukuba", "16", "info.txt"),
        ("stereo/teddy", "60", "info.txt"),
        ("stereo/art", "76", "the largest disparity of disp1.png"),
    ] {
        let scene = folder.join(name);
        let output = spa.run(&["stereo", scene.to_str().unwrap(), "--iterations", "2", "-o", name]);
        let (stdout, stderr) = texts(&output);
        assert!(output.status.success(), "{stderr}");
        assert!(stderr.contains(&format!("{labels} labels, from {source}\n")), "{stderr}");
        assert!(stdout.contains(&format!(", {labels} labels, 2 iterations")), "{stdout}");
        let text = spa.ok(&["eval", name, scene.to_str().unwrap()]);
        assert!(text.contains("bad pixels > 1 "), "{text}");
    }
    let scene = folder.join("flow/rubberwhale");
    spa.ok(&["flow", scene.to_str().unwrap(), "--iterations", "2", "-o", "flow"]);
    assert!(spa.ok(&["eval", "flow", scene.to_str().unwrap()]).contains("angular error"));
}

#[test]
fn a_synthetic_scene_is_a_folder_too() {
    let spa = Spa::with_scene("stereo", "12");
    let stderr = spa.fails(2, &["stereo", "scene/left.png"]);
    assert_eq!(
        stderr,
        "error: 'scene/left.png' has no right picture; give it as the second argument, or a folder with both\n"
    );
    for command in ["stereo", "flow"] {
        let stderr = spa.fails(1, &[command, "nowhere"]);
        assert_eq!(stderr, "error: failed to read picture 'nowhere': no such file or directory\n");
    }
    std::fs::create_dir(spa.path("empty")).unwrap();
    assert!(
        spa.fails(1, &["stereo", "empty"]).contains("it has no stereo pair: im0 and im1, or imL and imR")
    );
    spa.ok(&["stereo", "scene", "--labels", "12", "--iterations", "30", "--seed", "5", "-o", "a"]);
    let pair = ["scene/left.png", "scene/right.png"];
    spa.ok(&["stereo", pair[0], pair[1], "--labels", "12", "--iterations", "30", "--seed", "5", "-o", "b"]);
    spa.ok(&["compare", "a", "b"]);
    // The configuration file says how many labels: the folder is not asked.
    std::fs::write(spa.path("run.toml"), "labels = 12\niterations = 30\nseed = 5\noutput = 'c'\n").unwrap();
    spa.ok(&["stereo", "scene", "--config", "run.toml"]);
    spa.ok(&["compare", "a", "c"]);
    std::fs::write(spa.path("scene/calib.txt"), "ndisp=300\n").unwrap();
    let stderr = spa.fails(2, &["stereo", "scene"]);
    assert!(stderr.contains("needs 300 labels (calib.txt), but 2…256 are possible"), "{stderr}");
}

#[test]
fn results_in_the_formats_of_others() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "10"];
    let with = |more: &[&'static str]| run.iter().chain(more).copied().collect::<Vec<_>>();
    spa.ok(&with(&["--dmin", "1", "-o", "out", "--formats", "pfm,tiff,kitti,npz"]));
    let mean = open_disparity(&spa.path("out/disparity.npy"), ReadAs::default()).unwrap().values;
    assert!(mean.iter().any(|v| v.fract() != 0.0), "means, not whole pixels");
    for name in ["disparity.pfm", "disparity.tiff", "disparity_kitti.png", "disparity.npz"] {
        let map = open_disparity(&spa.path("out").join(name), ReadAs::default()).unwrap();
        assert_eq!((map.width, map.height), (40, 30), "{name}");
        // KITTI has 256 steps to the pixel.
        let most = if name.ends_with("kitti.png") { 1.0 / 512.0 } else { 0.0 };
        assert!(map.values.iter().zip(&mean).all(|(a, b)| (a - b).abs() <= most), "{name}");
        // The same result, whatever file it is read from.
        let text = spa.ok(&["eval", &format!("out/{name}"), "out/disparity.npz", "--kind", "stereo"]);
        assert!(text.contains("bad pixels > 0.5") && text.contains("0.00 %"), "{text}");
    }
    // What is not asked for again goes, files of others stay.
    spa.ok(&with(&["-o", "out"]));
    assert!(!spa.path("out/disparity.pfm").exists() && spa.path("out/mode.npy").exists());
    assert_eq!(
        spa.fails(2, &with(&["-o", "other", "--formats", "flo"])),
        "error: format 'flo' cannot hold disparity; choose pfm, tiff, kitti or npz\n"
    );
    assert!(spa.fails(2, &with(&["--formats", "pfm"])).contains("give -o DIR"));
    let stderr = spa.fails(2, &with(&["--dmin", "-3", "-o", "other", "--formats", "kitti"]));
    assert!(stderr.contains("format 'kitti' holds disparities of 0…255.99 pixels"), "{stderr}");

    let spa = Spa::with_scene("flow", "25");
    let run = [
        "flow",
        "scene",
        "--window",
        "5",
        "--iterations",
        "10",
        "-o",
        "out",
        "--formats",
        "flo,kitti,pfm,npz",
    ];
    spa.ok(&run);
    let mean = open_flow(&spa.path("out/flow.npy")).unwrap();
    assert!(mean.vectors.as_flattened().iter().any(|v| v.fract() != 0.0), "means, not whole pixels");
    for name in ["flow.flo", "flow.pfm", "flow.npz"] {
        assert_eq!(open_flow(&spa.path("out").join(name)).unwrap(), mean, "{name}");
    }
    let kitti = open_flow(&spa.path("out/flow_kitti.png")).unwrap();
    let pairs = kitti.vectors.as_flattened().iter().zip(mean.vectors.as_flattened());
    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1.0 / 128.0));
    let spa = Spa::with_scene("segment", "3");
    spa.ok(&[
        "segment",
        "scene/image.png",
        "--labels",
        "3",
        "--iterations",
        "5",
        "-o",
        "out",
        "--formats",
        "png,npz",
    ]);
    let text = spa.ok(&["eval", "out/classes.png", "out/classes.npz", "--kind", "segment", "--max-vi", "0"]);
    assert!(text.contains("variation of information is 0.000 bits, at most 0 bits"), "{text}");
}

#[test]
fn flow_goes_from_format_to_format() {
    let spa = Spa::new();
    let vectors = vec![[1.5, -2.25], [f32::NAN, 0.0], [0.0, 0.0], [-100.0, 3.0]];
    let flow = spa_runtime::formats::Flow::new(2, 2, vectors);
    spa_runtime::formats::flo::write(&spa.path("a.flo"), &flow).unwrap();
    for pair in ["a.flo", "b.png", "c.npz", "d.pfm", "e.flo"].windows(2) {
        assert_eq!(spa.ok(&["convert", pair[0], pair[1], "--kind", "flow"]), "");
    }
    assert_eq!(std::fs::read(spa.path("a.flo")).unwrap(), std::fs::read(spa.path("e.flo")).unwrap());
    assert_eq!(
        spa.fails(2, &["convert", "a.flo", "a.jpg"]),
        "error: 'a.jpg' has the ending 'jpg', but must end in .pfm, .tif, .flo, .npy, .npz or .png\n"
    );
    assert!(spa.fails(2, &["convert", "a.flo", "a.tif"]).contains("format 'tiff' cannot hold flow"));
}

#[test]
fn what_is_unknown_stays_unknown_in_every_format() {
    let spa = Spa::new();
    // Known, and the three marks that float pictures have for unknown.
    let marks = [7.25, 0.0, f32::NAN, f32::INFINITY, 12.0, 3e9];
    tiff::write(&spa.path("a.tif"), 3, 2, &marks).unwrap();
    pfm::write(&spa.path("a.pfm"), 3, 2, 1, &marks).unwrap();
    let expected = [Some(7.25), None, None, None, Some(12.0), None];
    for from in ["a.tif", "a.pfm"] {
        for to in ["b.png", "b.tif", "b.pfm", "b.npz", "b.npy"] {
            spa.ok(&["convert", from, to]);
            // Nothing but NaN, infinities and the 0 of KITTI is unknown here.
            let unknown = Unknown::KittiOnly;
            let kind: &[&str] = if to == "b.npy" { &["--kind", "disparity"] } else { &[] };
            let map = open_disparity(&spa.path(to), ReadAs { unknown, ..ReadAs::default() }).unwrap();
            assert_eq!((0..6).map(|i| map.get(i)).collect::<Vec<_>>(), expected, "{from} to {to}");
            spa.ok(&[&["convert", to, "c.png"], kind].concat());
            let Samples::U16(steps) = Raster::open(&spa.path("c.png")).unwrap().samples else {
                panic!("{to}")
            };
            assert_eq!(steps, [1856, 0, 0, 0, 3072, 0], "{from} to {to} to KITTI");
        }
    }
    // A 0 that is known is told where it will be taken for unknown, and where it is not, not.
    spa_runtime::npy::write(&spa.path("zeros.npy"), &[2, 2], &[1.0_f32, 0.0, f32::NAN, 0.0]).unwrap();
    for (name, note) in [("z.pfm", true), ("z.tif", true), ("z.npz", false), ("z.png", false)] {
        let (_, stderr) = texts(&spa.run(&["convert", "zeros.npy", name, "--kind", "disparity"]));
        let words = format!(
            "note: '{name}' has 2 pixels with disparity 0: read it with --unknown none, or 0 means unknown\n"
        );
        assert_eq!(stderr, if note { words } else { String::new() });
    }
    // Where 0 is an answer, people say so.
    spa.ok(&["convert", "a.tif", "b.png", "--unknown", "none"]);
    let Samples::U16(steps) = Raster::open(&spa.path("b.png")).unwrap().samples else { panic!() };
    assert_eq!(steps, [1856, 1, 0, 0, 3072, 0]);
}

#[test]
fn arrays_come_out_of_every_kind() {
    let spa = Spa::with_scene("segment", "3");
    let vectors = vec![[1.5, -2.25], [f32::NAN, 0.0]];
    flo::write(&spa.path("a.flo"), &spa_runtime::formats::Flow::new(2, 1, vectors)).unwrap();
    spa.ok(&["convert", "a.flo", "a.npy"]);
    let flow = open_flow(&spa.path("a.npy")).unwrap();
    assert_eq!((flow.get(0), flow.get(1)), (Some([1.5, -2.25]), None));
    // The words of the messages and those of the commands are both taken.
    for (n, kind) in ["classes", "segment"].iter().enumerate() {
        let name = format!("{n}.npy");
        spa.ok(&["convert", "scene/truth.npy", &name, "--kind", kind]);
        let both = ["scene/truth.npy", &name].map(|name| spa_runtime::npy::read(&spa.path(name)).unwrap());
        assert_eq!(both[0], both[1]);
    }
}

#[test]
fn only_what_can_be_classes_becomes_classes() {
    let spa = Spa::with_scene("segment", "3");
    for name in ["scene/image.png", "scene/truth.png"] {
        assert!(spa.fails(2, &["convert", name, "a.npz"]).contains("give --kind disparity, flow or classes"));
    }
    assert_eq!(spa.ok(&["convert", "scene/truth.png", "a.npz", "--kind", "segment"]), "");
    image::open(spa.path("scene/image.png")).unwrap().to_rgb8().save(spa.path("photo.jpg")).unwrap();
    let text = spa.fails(1, &["convert", "photo.jpg", "b.npz", "--kind", "segment"]);
    assert!(text.ends_with("keep them as PNG. 'spa segment' makes classes of photographs\n"), "{text}");
}

#[test]
fn what_cannot_be_converted_leaves_its_place_as_it_was() {
    let spa = Spa::new();
    spa_runtime::npy::write(&spa.path("negative.npy"), &[1, 2], &[-3.0_f32, 1.0]).unwrap();
    std::fs::write(spa.path("old.png"), "old").unwrap();
    let text = spa.fails(1, &["convert", "negative.npy", "old.png", "--kind", "stereo"]);
    assert!(text.contains("old.png") && !text.contains(".spa-"), "{text}");
    assert_eq!(std::fs::read_to_string(spa.path("old.png")).unwrap(), "old");
}
