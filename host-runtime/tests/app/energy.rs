//! `spa energy`: labellings of every kind of file.

use super::support::Spa;
use serde_json::Value;
use spa_model::{energy, job};
use spa_runtime::formats::{flo, pfm};
use spa_runtime::npy;

const MODEL: [&str; 4] = ["stereo", "scene", "--labels=12", "--dmin=1"];

fn report(spa: &Spa, args: &[&str]) -> Value {
    serde_json::from_str(&spa.ok(&[&["energy", "--json"][..], args].concat())).unwrap()
}

#[test]
fn files_of_one_labelling_have_one_energy() {
    let spa = Spa::with_scene("stereo", "12");
    spa.ok(&[&MODEL[..], &["--iterations=40", "-o", "out"]].concat());
    let (width, height, labels) = npy::read_plane(&spa.path("out/mode.npy")).unwrap();
    let of = |file: &str| report(&spa, &[&[file][..], &MODEL[..]].concat())["energy"].clone();
    let mode = of("out/mode.npy");
    // The same from the model itself, α 1, β 8, cap 2, data cap 30, 9 outside.
    let grey = |name: &str| spa_runtime::picture::Picture::open(&spa.path(name)).unwrap().grey(8);
    let problem = spa_model::Problem {
        width,
        height,
        labels: 12,
        singleton: spa_model::Singleton::Pixels {
            form: spa_model::Difference::Abs,
            first: grey("scene/left.png"),
            second: grey("scene/right.png"),
            offsets: job::stereo_offsets(12, 1),
        },
        data_cap: 30,
        s_outside: 9,
        pair: spa_model::Pair::Abs,
        pair_cap: 2,
        vectors: job::line_vectors(12),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let parts = energy::Terms::new(&problem).of(&labels).unwrap();
    assert_eq!(
        (mode["singletons"].as_u64(), mode["pairs"].as_u64()),
        (Some(parts.singletons), Some(parts.pairs))
    );
    assert_eq!(mode["real_total"].as_f64(), Some(parts.total() as f64));
    // Options of 'energy' may follow the application, too.
    let after =
        [&["energy", "out/mode.npy"][..], &MODEL, &["--fill", "--descend=low.npy", "--json"]].concat();
    let after: Value = serde_json::from_str(&spa.ok(&after)).unwrap();
    let before = ["out/mode.npy", "--fill", "--descend=low2.npy"];
    assert_eq!(after, report(&spa, &[&before[..], &MODEL].concat()));
    assert_eq!(std::fs::read(spa.path("low.npy")).unwrap(), std::fs::read(spa.path("low2.npy")).unwrap());

    image::save_buffer(spa.path("labels.png"), &labels, width, height, image::ExtendedColorType::L8).unwrap();
    assert_eq!(of("labels.png"), mode);
    let pixels: Vec<f32> = labels.iter().map(|&l| f32::from(l) + 1.2).collect();
    pfm::write(&spa.path("d.pfm"), width, height, 1, &pixels).unwrap();
    npy::write(&spa.path("d.npy"), &[height.into(), width.into()], &pixels).unwrap();
    assert_eq!((of("d.pfm"), of("d.npy")), (mode.clone(), mode.clone()));
    let scaled: Vec<u8> = labels.iter().map(|&l| 16 * (l + 1)).collect();
    image::save_buffer(spa.path("d.png"), &scaled, width, height, image::ExtendedColorType::L8).unwrap();
    let scaled = report(&spa, &[&["d.png", "--scale=16"][..], &MODEL[..]].concat());
    assert_eq!((&scaled["energy"], scaled["filled"].as_u64()), (&mode, Some(0)));
    // Down from there, and again: nothing left to do.
    let down = report(&spa, &[&["out/mode.npy", "--descend=down.npy"][..], &MODEL[..]].concat());
    assert!(down["descended"]["energy"]["total"].as_u64() <= mode["total"].as_u64());
    let bottom = report(&spa, &[&["down.npy"][..], &MODEL[..]].concat());
    assert_eq!((&bottom["energy"], bottom["improvable"].as_u64()), (&down["descended"]["energy"], Some(0)));
}

#[test]
fn motions_and_holes() {
    let spa = Spa::with_scene("flow", "25");
    let model = ["flow", "scene", "--window=5"];
    spa.ok(&[&model[..], &["--iterations=20", "-o", "out"]].concat());
    let (width, height, labels) = npy::read_plane(&spa.path("out/mode.npy")).unwrap();
    let offsets = job::window_offsets(5);
    let mut vectors: Vec<[f32; 2]> =
        labels.iter().map(|&l| offsets[usize::from(l)]).map(|o| [o.dx.into(), o.dy.into()]).collect();
    let write = |vectors: &[[f32; 2]]| {
        let flow = spa_runtime::formats::Flow::new(width, height, vectors.to_vec());
        flo::write(&spa.path("a.flo"), &flow).unwrap();
    };
    write(&vectors);
    let of = |file: &str, more: &[&str]| report(&spa, &[&[file][..], more, &model[..]].concat());
    assert_eq!(of("a.flo", &[])["energy"], of("out/mode.npy", &[])["energy"]);
    (vectors[7], vectors[90]) = ([f32::NAN; 2], [2.6, 0.0]);
    write(&vectors);
    let refused = spa.fails(1, &[&["energy", "a.flo"][..], &model[..]].concat());
    assert!(
        refused.contains("2 of 1200 pixels have no label below 25 in it, the first at (7, 0); --fill"),
        "{refused}"
    );
    assert_eq!(of("a.flo", &["--fill"])["filled"].as_u64(), Some(2));
    let refused = spa.fails(1, &["energy", "a.flo", "segment", "scene/frame1.png"]);
    assert!(refused.contains("it is a flow field (.flo), but 'segment' needs labels"), "{refused}");
}

#[test]
fn the_lowest_labelling_is_below_all_that_a_run_leaves() {
    let spa = Spa::with_scene("stereo", "12");
    let of = |file: &str| report(&spa, &[&[file][..], &MODEL[..]].concat());
    let total = |file: &str| of(file)["energy"]["total"].as_u64().unwrap();
    spa.ok(&[&MODEL[..], &["--iterations=40", "--lowest", "-o", "out"]].concat());
    let found = spa.json("out/summary.json")["lowest"].clone();
    assert_eq!(found["energy"].as_u64(), Some(total("out/lowest.npy")));
    assert!(total("out/lowest.npy") < total("out/labels.npy").min(total("out/mode.npy")), "{found}");
    assert_eq!(of("out/lowest.npy")["improvable"], 0, "a local minimum");

    // Of several chains the lowest end of all; a run without the option takes the file away.
    let chains = ["--iterations=40", "--lowest", "--chains=3", "--start=random", "-o", "many"];
    spa.ok(&[&MODEL[..], &chains].concat());
    let found = spa.json("many/summary.json")["lowest"].clone();
    assert_eq!(found["energy"].as_u64(), Some(total("many/lowest.npy")));
    for c in 0..3 {
        let end = format!("many/labels_{c}.npy");
        let down = report(&spa, &[&[end.as_str(), "--descend=down.npy"][..], &MODEL[..]].concat());
        assert!(found["energy"].as_u64() <= down["descended"]["energy"]["total"].as_u64(), "{found} {down}");
    }
    spa.ok(&[&MODEL[..], &["--iterations=40", "-o", "many"]].concat());
    assert!(!spa.path("many/lowest.npy").exists());
    let text = spa.fails(2, &[&MODEL[..], &["--lowest"]].concat());
    assert!(text.contains("--lowest needs a folder for its files; give -o DIR"), "{text}");
}
