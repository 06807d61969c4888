//! Writing a build folder: nothing foreign is touched, a failed run leaves everything as it was.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

mod common;

use common::Case;
use spagen::Build;

fn generated(arguments: &[&str]) -> Case {
    let case = Case::new();
    case.run(&[arguments, &["-o", "build"]].concat()).ok();
    case
}

#[test]
fn generating_twice_gives_the_same_bytes() {
    let (a, b) = (generated(&["--grid", "2x3"]), generated(&["--grid", "2x3"]));
    assert_eq!(a.tree("build"), b.tree("build"));
}

#[test]
fn a_build_has_no_absolute_path_and_can_be_moved() {
    let case = generated(&["--spe", "2"]);
    let here = case.path("").to_string_lossy().into_owned();
    for (name, bytes) in case.tree("build") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(here.trim_end_matches('/')), "{name}");
        assert!(!text.contains("/home/") && !text.contains("/tmp/"), "{name}");
    }
    std::fs::create_dir(case.path("else where")).unwrap();
    std::fs::rename(case.path("build"), case.path("else where/käfig")).unwrap();
    let build = Build::open(&case.path("else where/käfig")).unwrap();
    assert_eq!(build.array().spes(), 2);
    assert!(build.modified().is_empty());
    assert!(build.rtl_sources().unwrap().iter().all(|path| path.is_file()));
}

#[test]
fn an_edited_file_is_refused_and_force_overwrites_it() {
    let case = generated(&["--spe", "2"]);
    let original = case.read("build/rtl/spa_accelerator.sv");
    case.write("build/rtl/spa_accelerator.sv", &(original.clone() + "// mine\n"));
    let before = case.tree("build");
    case.run(&["--spe", "4", "-o", "build"]).fails(
        1,
        "error: failed to write build 'build': edited since it was generated: rtl/spa_accelerator.sv; move it away, or overwrite it with --force\n",
    );
    assert_eq!(case.tree("build"), before);
    assert_eq!(Build::open(&case.path("build")).unwrap().modified(), ["rtl/spa_accelerator.sv"]);
    // The same configuration is refused too: the edit would be lost.
    assert_eq!(case.run(&["--spe", "2", "-o", "build"]).code, 1);
    case.run(&["--spe", "2", "-o", "build", "--force"]).ok();
    assert_eq!(case.read("build/rtl/spa_accelerator.sv"), original);
}

#[test]
fn a_foreign_file_in_the_way_is_refused() {
    let case = Case::new().file("build/rtl/spa_top.sv", "mine\n");
    case.run(&["--spe", "2", "-o", "build"]).fails(
        1,
        "error: failed to write build 'build': not written by spagen: rtl/spa_top.sv; move it away, or overwrite it with --force\n",
    );
    assert_eq!(case.tree("build").len(), 1);
}

#[test]
fn other_files_in_the_folder_stay() {
    let case = Case::new().file("build/notes.txt", "mine\n").file("build/sim/obj/x.o", "mine\n");
    case.run(&["--spe", "2", "-o", "build"]).ok();
    case.run(&["--spe", "4", "-o", "build"]).ok();
    assert_eq!(case.read("build/notes.txt"), "mine\n");
    assert_eq!(case.read("build/sim/obj/x.o"), "mine\n");
}

/// Makes the manifest own one more file, as a version of spagen with other templates would have.
fn adopt(case: &Case, name: &str, text: &str) {
    case.write(&format!("build/{name}"), text);
    let hash = spa_model::hash::sha256_hex(text.as_bytes());
    let manifest = case.read("build/manifest.toml") + &format!("\"{name}\" = \"{hash}\"\n");
    case.write("build/manifest.toml", &manifest);
}

#[test]
fn stale_owned_files_are_pruned_with_their_folder() {
    let case = generated(&["--spe", "2"]);
    adopt(&case, "old/spa_gone.sv", "module spa_gone; endmodule\n");
    let line = case.run(&["--spe", "2", "-o", "build"]).ok();
    assert!(line.contains("1 removed"), "{line}");
    assert!(!case.path("build/old").exists());
}

#[test]
fn an_edited_stale_file_is_refused() {
    let case = generated(&["--spe", "2"]);
    adopt(&case, "old/spa_gone.sv", "module spa_gone; endmodule\n");
    case.write("build/old/spa_gone.sv", "mine\n");
    case.run(&["--spe", "2", "-o", "build"]).fails(
        1,
        "error: failed to write build 'build': edited since it was generated: old/spa_gone.sv; move it away, or overwrite it with --force\n",
    );
    assert_eq!(case.read("build/old/spa_gone.sv"), "mine\n");
}

#[test]
fn a_deleted_file_comes_back() {
    let case = generated(&["--spe", "2"]);
    std::fs::remove_file(case.path("build/rtl/spa_top.sv")).unwrap();
    assert_eq!(Build::open(&case.path("build")).unwrap().modified(), ["rtl/spa_top.sv"]);
    let line = case.run(&["--spe", "2", "-o", "build"]).ok();
    assert!(line.contains(" 1 changed"), "{line}");
}

#[test]
fn an_output_that_is_a_file_is_refused() {
    Case::new()
        .file("build", "x")
        .run(&["--spe", "2", "-o", "build"])
        .fails(1, "error: failed to write build 'build': it is not a folder; name another with -o\n");
}

#[test]
fn odd_paths_work() {
    let case = Case::new();
    for name in ["mit Leerzeichen", "größe/日本", "deep/er/still", "./dot/../dot"] {
        case.run(&["--spe", "2", "-o", name]).ok();
        assert!(Build::open(&case.path(name)).is_ok(), "{name}");
    }
    std::fs::create_dir(case.path("inside")).unwrap();
    let done = case.command(&["--spe", "2", "-o", "."]).current_dir(case.path("inside")).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(Build::open(&case.path("inside")).is_ok());
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_an_error_and_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let case = generated(&["--spe", "2"]);
    let before = case.tree("build");
    let rtl = case.path("build/rtl");
    let mode = |mode| std::fs::set_permissions(&rtl, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    if std::fs::write(rtl.join("probe"), "").is_ok() {
        // The superuser may write anywhere.
        std::fs::remove_file(rtl.join("probe")).unwrap();
        mode(0o755);
        eprintln!("skipped a_read_only_folder_is_an_error_and_stays: running as root");
        return;
    }
    let done = case.run(&["--spe", "4", "-o", "build"]);
    mode(0o755);
    assert_eq!(done.code, 1);
    assert!(
        done.stderr.starts_with("failed to replace '") && done.stderr.ends_with("permission denied\n"),
        "{}",
        done.stderr
    );
    assert_eq!(case.tree("build"), before);
    assert!(Build::open(&case.path("build")).unwrap().modified().is_empty());
}

#[test]
fn a_run_that_fails_in_the_middle_leaves_the_old_build() {
    let case = generated(&["--spe", "2"]);
    // A folder where a new file must go cannot be replaced by a rename of a file.
    std::fs::remove_file(case.path("build/sw/spa_regs.rs")).unwrap();
    std::fs::create_dir_all(case.path("build/sw/spa_regs.rs/x")).unwrap();
    let before = case.tree("build");
    let done = case.run(&["--spe", "4", "-o", "build"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("spa_regs.rs"), "{}", done.stderr);
    assert_eq!(case.tree("build"), before);
}

#[test]
fn damaged_manifests_are_refused() {
    for (damage, message) in [
        ("format = 1\n", "manifest.toml is damaged: "),
        (
            "format = 9\nversion = \"7.0.0\"\n",
            "manifest format is 9, this program reads 1; generate the build again",
        ),
        ("= =", "manifest.toml is damaged: "),
    ] {
        let case = generated(&["--spe", "2"]);
        case.write("build/manifest.toml", damage);
        let error = Build::open(&case.path("build")).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(case.run(&["--spe", "2", "-o", "build"]).code, 1);
    }
}

#[test]
fn manifests_that_lie_are_refused() {
    let case = generated(&["--spe", "2"]);
    let manifest = case.read("build/manifest.toml");
    for (from, to, message) in [
        ("rows = 1\n", "rows = 2\n", "its configuration has hash"),
        ("contract = 1\n", "contract = 2\n", "it follows contract 2, this program 1; generate it again"),
        ("abi = \"1.", "abi = \"9.", "its register map is 9."),
        ("[files]\n", "[files]\n\"../x\" = \"\"\n", "manifest names a file outside the build: '../x'"),
    ] {
        assert!(manifest.contains(from), "{from}");
        case.write("build/manifest.toml", &manifest.replace(from, to));
        let error = Build::open(&case.path("build")).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn makefiles_of_a_build_name_the_program_that_is_missing() {
    let case = Case::new();
    case.run(&["--grid", "1x1", "--rvs", "64", "-o", "b"]).ok();
    let cases = [
        ("sim", "VERILATOR", "compiled the accelerator"),
        ("sim", "IVERILOG", "compiled the accelerator and its testbench"),
        ("hls/intel", "IPP", "compiled the component spa_"),
        ("hls/catapult", "CATAPULT", "made RTL of the C++"),
    ];
    for (folder, program, would) in cases {
        let output = std::process::Command::new("make")
            .args(["-C", folder, &format!("{program}=absent-tool")])
            .args((program == "IVERILOG").then_some("check"))
            .current_dir(case.path("b"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{folder}");
        assert!(said.contains(&format!("absent-tool is missing: it would have {would}")), "{said}");
    }
    assert!(!case.path("b/hls/intel/prj").exists());
}
