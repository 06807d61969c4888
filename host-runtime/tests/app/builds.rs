//! Runs that a build was not made for: one message with everything that is missing, and a command that works.

use super::support::Spa;
use spagen::cli::Cli;
use spagen::{Build, Draft, emit, output};

/// A build in `b`, of the default configuration and `settings`.
fn generate(spa: &Spa, settings: &[(&str, &str)]) {
    let mut draft = Draft::new();
    settings.iter().for_each(|(name, value)| draft.set("test", name, value));
    output::write(&spa.path("b"), &emit::render(&draft.finish().unwrap()).unwrap(), false).unwrap();
}

/// Runs the `spagen` command that a message names, and gives the build that it makes.
fn follow(spa: &Spa, message: &str) -> Build {
    use clap::Parser as _;
    let line = message.lines().find_map(|line| line.split_once("generate one that fits: ")).unwrap().1;
    let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
    assert_eq!(cli.generate.output.to_str(), Some("b"));
    let files = emit::render(&cli.generate.build.config().unwrap()).unwrap();
    output::write(&spa.path("b"), &files, false).unwrap();
    Build::open(&spa.path("b")).unwrap()
}

const STEREO: [&str; 6] = ["stereo", "scene/left.png", "scene/right.png", "--build", "b", "--iterations"];

#[test]
fn everything_that_a_build_lacks_is_named_at_once() {
    let spa = Spa::with_scene("stereo", "12");
    generate(&spa, &[("grid", "1x2"), ("rvs", "64"), ("label_bits", "3"), ("count_bits", "4")]);
    let more =
        ["20", "--backend", "sim", "--labels", "12", "--data", "robust", "--contrast", "10", "-o", "out"];
    let text = spa.fails(2, &[&STEREO[..], &more[..]].concat());
    assert_eq!(
        text,
        "error: build 'b' does not fit this run (40x30 pixels, 12 labels):\n  \
         label_bits is 3, but 4 is needed (12 labels)\n  \
         it has no edge weights (--contrast; edge_weights)\n  \
         it has 32 RVs an SPE, but 600 are needed (a picture of 40x30; rv_capacity)\n  \
         it has 32 singleton-2 samples an SPE, but 600 are needed (the picture and how far its labels reach; s2_capacity)\n  \
         it has no singleton tables (--data; singleton_table)\n  \
         generate one that fits: spagen --grid 1x2 --spu 2 --rvs 1200 --set label_bits=4 --set count_bits=4 \
         --set singleton_table=true --set edge_weights=true -o b\n  \
         or run it on another backend (cpu, cuda)\n"
    );
    let build = follow(&spa, &text);
    assert!(build.array().singleton_table && build.array().edge_weights);
    assert_eq!((build.hardware().label_bits, build.array().rv_capacity), (4, 600));
    assert_eq!(build.array().cost_capacity, 600 << 4);
}

#[test]
fn widths_that_a_build_has_otherwise_are_usage() {
    let spa = Spa::with_scene("stereo", "12");
    generate(&spa, &[("grid", "1x1"), ("rvs", "64")]);
    // The cpu backend takes widths from a build, not its size.
    spa.ok(&[&STEREO[..], &["3", "--burn-in", "1"][..]].concat());
    let more = ["3", "--labels", "100", "--u-bits", "16", "--weights", "linear"];
    let text = spa.fails(2, &[&STEREO[..], &more[..]].concat());
    for part in [
        "label_bits is 6, but 7 is needed (100 labels)",
        "u_bits is 24, but 16 is needed (--u-bits)",
        "weights is pow2, but linear is needed (--weights)",
        "or leave --build out",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let build = follow(&spa, &text);
    assert_eq!((build.hardware().label_bits, build.hardware().u_bits), (7, 16));
    spa.ok(&[&STEREO[..], &more[..], &["--burn-in", "1"]].concat());
}

#[test]
fn a_picture_beyond_one_spe_grows_the_grid() {
    let spa = Spa::new();
    generate(&spa, &[("grid", "1x1"), ("rvs", "64")]);
    spa.ok(&["synth", "segment", "-o", "scene", "--size", "4100x8", "--labels", "2"]);
    let text = spa.fails(
        2,
        &[
            "segment",
            "scene/image.png",
            "--labels",
            "2",
            "--backend",
            "sim",
            "--build",
            "b",
            "--iterations",
            "2",
        ],
    );
    assert!(text.contains("columns of a tile, but 4100 are needed") && text.contains("--grid 1x2"), "{text}");
    let build = follow(&spa, &text);
    assert_eq!((build.array().cols, build.array().tile_width_max), (2, 4096));
}
