//! Where results go: what cannot be written is named before the run, and nothing of others is lost.

use super::support::{Spa, listing, texts};

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_named() {
    let spa = Spa::with_scene("stereo", "12");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spa"));
    command.args(["eval", "scene/truth.npy", "scene", "--kind", "stereo"]).current_dir(spa.folder.path());
    command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: failed to write 'standard output': no space left on device\n";
    assert_eq!(texts(&output).1, expected);
}

/// Neither decode nor synth may take away what others have put into a folder.
#[test]
fn folders_of_others_keep_their_files() {
    let spa = Spa::with_scene("stereo", "8");
    let pair = ["stereo", "scene/left.png", "scene/right.png", "--labels", "8", "--iterations", "20"];
    spa.ok(&[&pair[..], &["--keep-log", "run.log", "-o", "run"]].concat());
    std::fs::create_dir(spa.path("theirs")).unwrap();
    let others = ["histogram.npz", "entropy.npy", "left.png", "image.png"];
    others.iter().for_each(|name| std::fs::write(spa.path("theirs").join(name), "mine").unwrap());
    let (_, stderr) = texts(&spa.run(&["decode", "run.log", "-o", "theirs"]));
    assert_eq!(
        stderr,
        "note: 'histogram.npz' and 1 more in 'theirs' was there before and stays; it is not of this command\n"
    );
    spa.ok(&["synth", "flow", "-o", "theirs", "--size", "16x16", "--labels", "9"]);
    for name in others {
        assert_eq!(std::fs::read(spa.path("theirs").join(name)).unwrap(), b"mine", "{name}");
    }
    // In the folder of a run the other histogram is stale, and so is the picture of another kind of scene.
    std::fs::write(spa.path("run/histogram.npz"), "old").unwrap();
    spa.ok(&["decode", "run.log", "-o", "run"]);
    assert!(spa.path("run/histogram.npy").is_file() && !spa.path("run/histogram.npz").exists());
    spa.ok(&["synth", "flow", "-o", "scene", "--size", "16x16", "--labels", "9"]);
    assert!(spa.path("scene/frame1.png").is_file() && !spa.path("scene/left.png").exists());
}

/// The archive's own writer must not speak on stderr beside the error.
#[cfg(unix)]
#[test]
fn a_file_that_does_not_fit_is_one_error() {
    let spa = Spa::with_scene("segment", "3");
    let run = ["segment", "scene/image.png", "--labels", "3", "--iterations", "60"];
    spa.ok(&[&run[..], &["--keep-log", "run.log"]].concat());
    // 2 KiB: the labels fit, the archive does not. Ignored, the signal of the limit becomes an error of the write.
    let limit = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
    let output = std::process::Command::new("bash")
        .args(["-c", limit, "bash", env!("CARGO_BIN_EXE_spa")])
        .args(["decode", "run.log", "--max-memory", "0", "-o", "out"])
        .current_dir(spa.folder.path())
        .output()
        .unwrap();
    assert_eq!(texts(&output).1, "error: failed to write 'out/histogram.npz': file too large\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(!spa.path("out").exists());
}

/// A run that is killed cannot remove its folder; the next one in the same place does.
#[cfg(unix)]
#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next_one() {
    let spa = Spa::with_scene("segment", "3");
    let hidden = || {
        let names = listing(spa.folder.path()).into_iter();
        names.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".spa-")).count()
    };
    let start = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spa"));
        command.args(["segment", "scene/image.png", "--iterations", "16000000", "--burn-in", "15990000"]);
        command.args(["-o", "long"]).current_dir(spa.folder.path()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        while hidden() == 0 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child
    };
    let short = ["segment", "scene/image.png", "--iterations", "20", "-o", "short"];
    let mut child = start();
    let (_, stderr) = texts(&spa.run(&short));
    assert!(hidden() == 1 && !stderr.contains("removed"), "it is in use: {stderr}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(hidden(), 1);
    let (_, stderr) = texts(&spa.run(&short));
    assert!(stderr.contains("which a run that was killed had left behind"), "{stderr}");
    assert_eq!(hidden(), 0);
}

#[test]
fn places_and_formats_are_checked_before_the_run() {
    let spa = Spa::with_scene("stereo", "12");
    let run = |code, more: &[&str]| {
        let pair = ["stereo", "scene/left.png", "scene/right.png", "--labels", "12", "--iterations", "2"];
        let stderr = spa.fails(code, &[&pair[..], more].concat());
        // The mapping is told when the run begins.
        assert!(!stderr.contains("stereo: "), "{stderr}");
        stderr
    };
    let long = "n".repeat(300);
    for more in [&["-o", &long][..], &["--report", &long], &["--keep-log", &long], &["--checkpoint", &long]] {
        assert!(run(1, more).contains("too long for the system; choose shorter names"));
    }
    // Short enough, but not with the ending of the checkpoint that is not whole yet.
    assert!(run(1, &["--checkpoint", &"n".repeat(252)]).contains("too long for the system"));
    std::fs::create_dir_all(spa.path("old/labels.npy")).unwrap();
    assert!(run(1, &["-o", "old"]).contains("'old/labels.npy': it is a folder, and a result has this name"));
    let text = run(2, &["-o", "out", "--formats", "kitti", "--dmin", "-5"]);
    assert!(text.contains("disparities from -5 to 6") && text.contains("0…255.99"), "{text}");
    let text = run(2, &["-o", "out", "--formats", "kitti", "--dmin", "250"]);
    assert!(text.contains("disparities from 250 to 261"), "{text}");
}

#[test]
fn folders_that_cannot_be_written() {
    let spa = Spa::with_scene("stereo", "12");
    std::fs::write(spa.path("file"), "").unwrap();
    let run = |out: &str| {
        spa.fails(1, &["stereo", "scene/left.png", "scene/right.png", "--iterations", "2", "-o", out])
    };
    assert_eq!(run("file"), "error: failed to write into 'file': it is not a folder; choose another place\n");
    assert_eq!(run("file/out"), "error: failed to create folder 'file/out': 'file' is not a folder\n");
    if cfg!(target_os = "linux") {
        // Nobody, not even root, can make a folder there.
        assert!(
            run("/proc/spa").starts_with("error: failed to write into '/proc': "),
            "{}",
            run("/proc/spa")
        );
    }
}

#[test]
fn results_never_replace_what_is_read() {
    let spa = Spa::with_scene("stereo", "8");
    let pair = ["stereo", "scene/left.png", "scene/right.png", "--labels", "8", "--iterations", "2"];
    for option in ["--report", "--keep-log"] {
        let text = spa.fails(2, &[&pair[..], &[option, "scene/right.png"]].concat());
        assert!(text.contains("scene/right.png") && text.contains("written over"), "{text}");
    }
    std::fs::copy(spa.path("scene/left.png"), spa.path("scene/mode.png")).unwrap();
    let mut swapped = pair;
    swapped[1] = "scene/mode.png";
    let text = spa.fails(2, &[&swapped[..], &["-o", "scene"]].concat());
    assert!(text.contains("written over"), "{text}");
}

#[test]
fn report_and_log_may_be_in_the_folder_that_the_run_makes() {
    let spa = Spa::with_scene("stereo", "8");
    let pair = ["stereo", "scene/left.png", "scene/right.png", "--labels", "8", "--iterations", "2"];
    spa.ok(&[&pair[..], &["-o", "new", "--report", "new/a.html", "--keep-log", "new/a.log"]].concat());
    assert!(spa.path("new/a.html").is_file() && spa.path("new/a.log").is_file());
    let text = spa.fails(1, &[&pair[..], &["-o", "other", "--keep-log", "missing/a.log"]].concat());
    assert!(text.contains("missing") && text.contains("no folder"), "{text}");
}

/// A file in the place of a device or a pipe would destroy it; a link is to stay one.
#[cfg(unix)]
#[test]
fn reports_and_logs_replace_regular_files_only() {
    let spa = Spa::with_scene("segment", "2");
    let picture = "scene/image.png";
    let pipe = spa.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for option in ["--report", "--keep-log", "--checkpoint"] {
        let stderr = spa.fails(1, &["segment", picture, "--iterations", "20", option, "pipe"]);
        assert!(stderr.contains("'pipe': it is no regular file"), "{stderr}");
    }
    std::fs::write(spa.path("kept"), "old").unwrap();
    std::os::unix::fs::symlink("kept", spa.path("link")).unwrap();
    spa.ok(&["segment", picture, "--iterations", "20", "--report", "link"]);
    assert!(spa.path("link").symlink_metadata().unwrap().is_symlink());
    assert!(std::fs::read_to_string(spa.path("kept")).unwrap().starts_with("<!"));
}

#[cfg(target_os = "linux")]
#[test]
fn places_that_cannot_be_written_are_named_as_people_know_them() {
    let spa = Spa::with_scene("stereo", "12");
    for args in [
        &["stereo", "scene", "--labels", "12", "-o", "/proc/q"][..],
        &["stereo", "scene", "--labels", "12", "--report", "/proc/r.html"],
        &["convert", "scene/truth.npy", "/proc/a.npz", "--kind", "classes"],
        &["synth", "stereo", "-o", "/proc"],
    ] {
        let text = spa.fails(1, args);
        assert!(text.starts_with("error: failed to ") && text.contains("'/proc"), "{text}");
        assert!(!text.contains(".spa-") && !text.contains("at path"), "{text}");
    }
}
