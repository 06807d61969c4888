//! Bad input: every case has a clear message, the right exit code, and leaves nothing behind.

use super::support::{Spa, texts};
use spa_runtime::npy;

/// Runs stereo on the scene with `more`, which must be refused as usage.
fn refused(spa: &Spa, more: &[&str]) -> String {
    let args: Vec<&str> = ["stereo", "scene/left.png", "scene/right.png", "-o", "out"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    spa.fails(2, &args)
}

#[test]
fn parameters_out_of_range() {
    let spa = Spa::with_scene("stereo", "12");
    let cases: &[(&[&str], &str)] = &[
        (&["--labels", "65", "--label-bits", "6"], "labels is 65, but must be 2…64 (label_bits is 6)"),
        (&["--temperature", "0"], "temperature is 0, but must be a finite number above 0"),
        (&["--temperature", "-2.5"], "temperature is -2.5, but must be a finite number above 0"),
        (&["--temperature", "NaN"], "temperature is NaN, but must be a finite number above 0"),
        (&["--temperature", "inf"], "temperature is inf, but must be a finite number above 0"),
        (&["--anneal", "0:1"], "temperature is 0, but must be a finite number above 0"),
        (&["--anneal", "20:-1"], "temperature is -1, but must be a finite number above 0"),
        (
            &["--anneal", "20:1:30", "--iterations", "20"],
            "annealing steps is 30, but must be 1…20 (at most the iterations)",
        ),
        (&["--iterations", "30", "--burn-in", "30"], "burn_in is 30, but must be below the 30 iterations"),
        (
            &["--iterations", "70000", "--burn-in", "0"],
            "burn_in is 0, but must be at least 4465, so that at most 65535 iterations are collected",
        ),
        (&["--alpha", "-1"], "alpha is -1, but must be a finite number, 0…1e9"),
        (&["--alpha", "0", "--beta", "0"], "alpha and beta is 0 and 0, but must be not both 0"),
        (
            &["--alpha", "1e9"],
            "alpha is 1e9 and beta 8, but alpha and beta may be a factor of 510 apart at most, and neither below \
             0.000016, for they are kept in eight bits; bring them nearer to each other, or multiply both and the \
             temperature by the same number",
        ),
        (&["--dmin", "2000"], "dmin is 2000, but must be -2047…1985 with 64 labels"),
        (
            &["--card-timeout", "5"],
            "option --card-timeout is for the backend 'opae' or 'serial', not for 'cpu'; leave it out or name that backend",
        ),
        (
            &["--backend", "opae", "--port", "/dev/ttyUSB0"],
            "option --port is for the backend 'serial', not for 'opae'; leave it out or name that backend",
        ),
        (
            &["--backend", "serial"],
            "backend 'serial' needs --build DIR, the build whose bitstream the board holds",
        ),
        (
            &["--backend", "opae"],
            "backend 'opae' needs --build DIR, the build whose bitstream the card holds",
        ),
        (
            &["--sim-idle", "5"],
            "options --sim-… are for the backend 'sim' only, not for 'cpu'; add --backend sim or leave them out",
        ),
        (
            &["--weights", "linear", "--energy-bits", "12"],
            "energy_bits is 12, but must be at most 10 with linear weights",
        ),
        (&["--window", "7"], "--window is for 'flow' only, not for 'stereo'"),
        (&["--values", "1,2"], "--values is for 'segment' only, not for 'stereo'"),
        (
            &["--backend", "sim"],
            "backend 'sim' needs --build DIR; generate one with 'spagen --spe 16 --spu 2 -o build/'",
        ),
        (
            &["--start", "nowhere"],
            "start is 'nowhere', but must be argmin, zero, random or a file that exists",
        ),
    ];
    for (more, expected) in cases {
        assert_eq!(refused(&spa, more), format!("error: {expected}\n"), "{more:?}");
    }
    let names = spa_runtime::backend::registry::NAMES.join(", ");
    assert_eq!(
        refused(&spa, &["--backend", "abacus"]),
        format!("error: backend is 'abacus', but must be one of {names}\n")
    );
}

#[test]
fn ranges_are_those_of_the_options_not_of_integers() {
    let spa = Spa::with_scene("stereo", "12");
    for (option, values, allowed) in [
        ("labels", &["1", "257", "70000", "-3"][..], "2…256"),
        ("iterations", &["0", "99999999999"], "1…16777214"),
        ("cap", &["0", "256", "300"], "1…255"),
        ("cutoff", &["1", "256"], "2…255"),
        ("threads", &["0", "1025"], "1…1024"),
        ("dmin", &["-3000", "40000"], "-2047…2047 pixels"),
        ("window", &["1", "4", "17"], "odd, 3…15"),
        ("card-timeout", &["-1", "0", "9999"], "1…3600 seconds"),
        ("energy-bits", &["3", "17", "400"], "4…16"),
        ("grid", &["0", "9"], "1…8 labels a pixel"),
        ("sim-idle", &["-1", "100", "256"], "0…99 percent"),
        ("sim-ring", &["1"], "2…1048576 lines"),
    ] {
        for value in values {
            let text = refused(&spa, &[&format!("--{option}"), value]);
            assert!(text.contains(&format!("invalid value '{value}' for '--{option} <")), "{text}");
            assert!(text.contains(&format!(": must be {allowed}\n")), "{text}");
            std::fs::write(spa.path("run.toml"), format!("{option} = {value}\n")).unwrap();
            let text = refused(&spa, &["--config", "run.toml"]);
            let expected = format!("configuration 'run.toml': {option} is {value}, but must be {allowed}\n");
            assert_eq!(text, format!("error: {expected}"));
        }
    }
}

#[test]
fn values_that_make_no_sense_together() {
    let spa = Spa::with_scene("segment", "3");
    let text = spa.fails(2, &["segment", "scene/image.png", "--values", "10,200,10"]);
    assert_eq!(
        text,
        "error: values has 10 twice, so two classes would be the same; give every class its own\n"
    );
    let text = spa.fails(2, &["segment", "scene/image.png", "--colours", "ff0000,00ff00,ff0000"]);
    assert!(text.contains("colours has ff0000 twice"), "{text}");
    let text = spa.fails(2, &["segment", "scene/image.png", "--contrast", "10:12:2"]);
    assert!(text.contains("'10:12:2' has LOW 12 above HIGH 2"), "{text}");
}

#[test]
fn words_that_the_command_line_does_not_know() {
    let spa = Spa::with_scene("stereo", "12");
    for (more, expected) in [
        (&["--labels", "many"][..], "invalid value 'many' for '--labels <N>'"),
        (&["--labels", "-3"], "invalid value '-3' for '--labels <N>'"),
        (&["--seed", "18446744073709551616"], "invalid value '18446744073709551616' for '--seed <N>'"),
        (&["--anneal", "20"], "'20' must be T0:T1 or T0:T1:STEPS, as in 20:1:25"),
        (&["--anneal", "20:1", "--temperature", "1"], "cannot be used with"),
        (&["--itterations", "3"], "a similar argument exists: '--iterations'"),
        (&["--max-memory", "lots"], "must be a whole number of bytes"),
        (&["--max-memory", "-1"], "'-1' must be a whole number of bytes, as in 2G, 512Mi or 1000000"),
    ] {
        let stderr = refused(&spa, more);
        assert!(stderr.contains(expected), "{more:?}: {stderr}");
    }
    spa.fails(2, &["stereo", "scene/left.png"]);
    spa.fails(2, &["synth", "flow", "-o", "x", "--labels", "16"]);
    spa.fails(2, &["synth", "stereo", "-o", "x", "--size", "0x5"]);
}

#[test]
fn pictures_that_cannot_be_used() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::write(spa.path("corrupt.png"), &std::fs::read(spa.path("scene/left.png")).unwrap()[..300])
        .unwrap();
    std::fs::write(spa.path("empty.png"), "").unwrap();
    std::fs::write(spa.path("text.png"), "hello, this is text").unwrap();
    std::fs::write(spa.path("zero.pgm"), "P5\n0 0\n255\n").unwrap();
    spa.ok(&["synth", "stereo", "-o", "other", "--size", "41x30"]);
    let run = |left: &str| spa.fails(1, &["stereo", left, "scene/right.png", "-o", "out"]);
    assert_eq!(run("none.png"), "error: failed to read picture 'none.png': no such file or directory\n");
    assert_eq!(run("empty.png"), "error: failed to read picture 'empty.png': the file is empty\n");
    assert_eq!(
        run("text.png"),
        "error: failed to read picture 'text.png': unknown format; PNG, JPEG, TIFF and PNM are read\n"
    );
    assert_eq!(
        run("corrupt.png"),
        "error: failed to read picture 'corrupt.png': it is cut off: the file ends before its picture does; \
         copy or save it again\n"
    );
    // In the header, and in the samples.
    for place in [20, 30, 100, 1500] {
        let mut bytes = std::fs::read(spa.path("scene/left.png")).unwrap();
        bytes[place] ^= 0x55;
        std::fs::write(spa.path("flipped.png"), bytes).unwrap();
        assert_eq!(
            run("flipped.png"),
            "error: failed to read picture 'flipped.png': it is damaged: its content is not what its format \
             asks for; copy or save it again\n",
            "{place}"
        );
    }
    assert!(run("zero.pgm").starts_with("error: failed to read picture 'zero.pgm': it "));
    assert_eq!(
        run("other/left.png"),
        "error: picture 'scene/right.png' is 40x30, but 'other/left.png' is 41x30; both must have the same size\n"
    );
}

#[test]
fn files_that_do_not_fit() {
    let spa = Spa::with_scene("stereo", "12");
    npy::write(&spa.path("small.npy"), &[3, 4], &[0_u8; 12]).unwrap();
    std::fs::write(spa.path("bad.csv"), "3 4\nwarm 5\n").unwrap();
    std::fs::write(spa.path("two.csv"), "3 4\n").unwrap();
    std::fs::write(spa.path("bad.toml"), "itterations = 3\n").unwrap();
    let run = |code: i32, more: &[&str]| {
        let args = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "-o", "out"];
        spa.fails(code, &args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    assert_eq!(
        run(1, &["--start", "small.npy"]),
        "error: start labels 'small.npy' is 4x3, but 'scene/left.png' is 40x30; both must have the same size\n"
    );
    assert_eq!(
        run(1, &["--fixed", "small.npy"]),
        "error: evidence mask 'small.npy' is 4x3, but 'scene/left.png' is 40x30; both must have the same size\n"
    );
    let mut start = vec![11_u8; 1200];
    start[3 * 40 + 7] = 12;
    npy::write(&spa.path("large.npy"), &[30, 40], &start).unwrap();
    assert_eq!(
        run(1, &["--start", "large.npy"]),
        "error: failed to use start labels 'large.npy': the label at row 3, column 7 is 12, but must be 0…11, for \
         there are 12 labels\n"
    );
    assert!(
        run(1, &["--fixed", "scene/left.png"]).contains("it is in colour; a grey picture or .npy is needed")
    );
    assert!(run(1, &["--costs", "small.npy"]).contains("(height, width, labels) is needed"));
    assert!(run(1, &["--pair-table", "small.npy"]).contains("12 labels need (12, 12)"));
    assert!(run(1, &["--schedule", "bad.csv"]).contains("line 2 is 'warm 5'"));
    assert!(
        run(2, &["--schedule", "two.csv", "--iterations", "7"]).contains("iterations is 7, but the schedule")
    );
    assert!(
        run(2, &["--config", "bad.toml"]).contains("unknown key 'itterations'; did you mean 'iterations'?")
    );
    assert!(run(1, &["--config", "none.toml"]).contains("no such file or directory"));
    assert!(
        run(1, &["--build", "scene"]).starts_with("error: build 'scene' cannot be used: it has no manifest")
    );
    assert!(run(1, &["--build", "none"]).contains("there is no such folder"));
}

#[test]
fn files_that_are_no_text() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::write(spa.path("a.toml"), b"# caf\xe9\nunary = 'u.npy'\n").unwrap();
    std::fs::create_dir(spa.path("run")).unwrap();
    std::fs::write(spa.path("run/summary.json"), b"{\xff}").unwrap();
    let pair = ["stereo", "scene/left.png", "scene/right.png"];
    for (what, args) in [
        ("schedule", &[&pair[..], &["--schedule", "a.toml"]].concat()[..]),
        ("configuration", &[&pair[..], &["--config", "a.toml"]].concat()),
        ("model", &["infer", "a.toml"]),
    ] {
        assert_eq!(
            spa.fails(1, args),
            format!(
                "error: failed to read {what} 'a.toml': it is no text: the byte at 5 is not UTF-8; give a text \
                 file, saved as UTF-8\n"
            )
        );
    }
    let text = spa.fails(1, &["infer", "scene/left.png"]);
    assert!(text.contains("model 'scene/left.png': it is a PNG picture, not text"), "{text}");
    for args in [&["eval", "run", "scene/truth.npy"][..], &["compare", "run", "run"]] {
        let text = spa.fails(1, args);
        assert!(text.contains("summary 'run/summary.json': it is no text: the byte at 1"), "{text}");
    }
    for (text, told) in [
        ("{\"application\": \"ste", "it is cut off at line 1, column 20; run the command again\n"),
        (
            "{\n\"application\" \"stereo\"}",
            "it is damaged: no JSON at line 2, column 15; run the command again\n",
        ),
        ("{\"answer\": 42}", "it is no summary of this version of spa (unknown field `answer`)\n"),
    ] {
        std::fs::write(spa.path("run/summary.json"), text).unwrap();
        let error = spa.fails(1, &["compare", "run", "run"]);
        assert!(error.ends_with(told), "{error}");
    }
}

#[test]
fn a_cut_jpeg_is_refused() {
    let spa = Spa::with_scene("segment", "3");
    let picture = image::open(spa.path("scene/image.png")).unwrap().to_rgb8();
    picture.save(spa.path("whole.jpg")).unwrap();
    spa.ok(&["segment", "whole.jpg", "--iterations", "3", "--burn-in", "1"]);
    let bytes = std::fs::read(spa.path("whole.jpg")).unwrap();
    std::fs::write(spa.path("cut.jpg"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let text = spa.fails(1, &["segment", "cut.jpg", "--iterations", "3", "-o", "out"]);
    assert!(text.contains("cut.jpg") && text.contains("cut off"), "{text}");
}

#[test]
fn compare_looks_at_the_arrays() {
    let spa = Spa::with_scene("stereo", "8");
    let pair = ["stereo", "scene/left.png", "scene/right.png", "--labels", "8", "--iterations", "2"];
    spa.ok(&[&pair[..], &["-o", "a"]].concat());
    spa.ok(&["compare", "a", "a"]);
    for name in ["labels.npy", "histogram.npy"] {
        let mut bytes = std::fs::read(spa.path("a").join(name)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(spa.path("a").join(name), &bytes).unwrap();
        let text = spa.fails(1, &["compare", "a", "a"]);
        assert!(text.contains(name) && text.contains("changed"), "{text}");
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(spa.path("a").join(name), &bytes).unwrap();
    }
}

#[test]
fn a_machine_without_opae_says_so_once() {
    let spa = Spa::with_scene("stereo", "12");
    let config = spagen::Draft::new().finish().unwrap();
    let files = spagen::emit::render(&config).unwrap();
    spagen::output::write(&spa.path("build"), &files, false).unwrap();
    let missing = "failed to load the OPAE library '/no/such/libopae-c.so': ";
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spa"));
        command.args(args).current_dir(spa.folder.path()).env("SPA_OPAE_LIBRARY", "/no/such/libopae-c.so");
        command.output().unwrap()
    };
    let (left, right) = ("scene/left.png", "scene/right.png");
    let output = run(&["stereo", left, right, "-o", "out", "--backend", "opae", "--build", "build"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(text.matches(missing).count(), 1, "{text}");
    assert!(output.stdout.is_empty() && !spa.path("out").exists());
    let devices = String::from_utf8(run(&["devices"]).stdout).unwrap();
    let line = devices.lines().find(|line| line.starts_with("opae")).unwrap();
    assert!(line.contains("not usable") && line.contains(missing), "{devices}");
}

#[test]
fn disparities_beyond_the_picture_are_warned_of() {
    let spa = Spa::with_scene("stereo", "8");
    let run = |dmin: &str| {
        let pair = [
            "stereo",
            "scene/left.png",
            "scene/right.png",
            "--labels",
            "8",
            "--iterations",
            "20",
            "--dmin",
            dmin,
        ];
        texts(&spa.run(&pair)).1
    };
    // The scene is 40 pixels wide.
    assert!(
        run("-500").contains("warning: 8 of 8 disparities reach beyond the picture, which is 40 pixels wide")
    );
    assert!(run("35").contains("warning: 3 of 8 disparities reach beyond the picture"));
    assert!(!run("32").contains("warning"));
}

#[test]
fn what_is_no_number_is_told_what_it_must_be() {
    let spa = Spa::with_scene("stereo", "8");
    let fails = |option: &str, value: &str| spa.fails(2, &["stereo", "scene", option, value]);
    assert!(fails("--seed", "-1").contains("must be 0…18446744073709551615"));
    for (command, option, value, allowed) in [
        (&["synth", "stereo", "-o", "x"][..], "--seed", "-1", "must be 0…18446744073709551615"),
        (&["synth", "stereo", "-o", "x"], "--labels", "300", "must be 2…256"),
        (&["eval", "scene", "scene"], "--tolerance", "-1", "must be 0…50 pixels"),
        (&["bench"], "--repeats", "0", "must be 1…1000"),
        (&["study", "runs", "scene"], "--seeds", "-1", "must be 1…1000"),
    ] {
        let text = spa.fails(2, &[command, &[option, value]].concat());
        assert!(text.contains(&format!(": {allowed}\n")), "{text}");
    }
    assert!(fails("--seed", "x").contains("must be a whole number, 0…18446744073709551615"));
    for option in ["--alpha", "--beta", "--temperature"] {
        assert!(fails(option, "abc").contains("must be a number, such as 2.5"), "{option}");
    }
}

#[test]
fn results_take_no_place_of_what_is_read_nor_of_each_other() {
    let spa = Spa::with_scene("stereo", "12");
    let run = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "20"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    std::fs::write(spa.path("s.txt"), "4 20\n").unwrap();
    std::fs::write(spa.path("c.toml"), "seed = 2\n").unwrap();
    for more in [
        &["--schedule", "s.txt", "--report", "s.txt"][..],
        &["--schedule", "s.txt", "--keep-log", "./s.txt"],
        &["--config", "c.toml", "--report", "c.toml"],
    ] {
        // --iterations is the schedule's.
        let run = if more[0] == "--schedule" { &run[..5] } else { &run[..] };
        let text = spa.fails(2, &[run, more].concat());
        assert!(text.contains("is read and would be written over"), "{more:?}: {text}");
    }
    assert_eq!(std::fs::read_to_string(spa.path("s.txt")).unwrap(), "4 20\n");
    spa.ok(&with(&["--checkpoint", "k", "--checkpoint-every", "5"]));
    let text = spa.fails(2, &with(&["--resume", "k", "--report", "k"]));
    assert!(text.contains("'k' is read and would be written over"), "{text}");
    spa.ok(&with(&["--resume", "k", "--checkpoint", "k", "--checkpoint-every", "5"]));

    let refused = |folder: &'static str, option: &'static str, path: &'static str| {
        let text = spa.fails(2, &with(&["-o", folder, option, path]));
        let expected =
            format!("{option} is '{path}', which is the name of a result in -o; give {option} another name");
        assert!(text.contains(&expected), "{text}");
    };
    refused("out", "--report", "out/labels.npy");
    refused("out", "--keep-log", "./out/mode.png");
    assert!(!spa.path("out").exists());

    // Costs and a log in the folder of the results, by their names.
    spa.ok(&with(&["-o", "field", "--keep-log", "field/log"]));
    refused("field", "--checkpoint", "field/labels.npy");
    std::fs::rename(spa.path("field/log"), spa.path("field/mode.npy")).unwrap();
    let text = spa.fails(2, &["decode", "field/mode.npy", "-o", "field"]);
    assert!(text.contains("'field/mode.npy' is read and would be written over"), "{text}");
    std::fs::write(spa.path("field/m.toml"), "unary = 'labels.npy'\n").unwrap();
    let text = spa.fails(2, &["infer", "field/m.toml", "-o", "field"]);
    assert!(text.contains("labels.npy' is read and would be written over"), "{text}");
}
