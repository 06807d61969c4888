//! The `spa` program on a card: end to end, several processes at once, killed in the middle, no card, no memory. Needs a
//! card; without one the tests say so and pass. `SPA_PROGRAM` names another `spa` than the one built with the tests.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A failure in a helper of a test is the message.

use spa_runtime::backend::cuda::{Cuda, CudaError, Kernel};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// True if there is a card; else the reason on stderr.
fn has_card(test: &str) -> bool {
    match Cuda::open(0, Kernel::Auto) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("skipped {test}: {error}");
            false
        }
    }
}

/// A folder with a stereo pair.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(size: &str, labels: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.ok(&["synth", "stereo", "-o", "pair", "--size", size, "--labels", labels, "--seed", "3"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `spa`, with a cache of kernels of its own.
    fn spa(&self, args: &[&str]) -> Command {
        let program = std::env::var_os("SPA_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_spa").into());
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        // NVRTC is looked for above the current folder.
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.tools/cuda/nvidia/cu13/lib");
        if std::env::var_os("SPA_NVRTC").is_none() && tools.is_dir() {
            command.env("SPA_NVRTC", tools);
        }
        command
    }

    fn ok(&self, args: &[&str]) -> Output {
        let output = self.spa(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn hashes(&self, folder: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path(folder).join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        summary.get("hashes").cloned().unwrap_or_else(|| panic!("no hashes in {text}"))
    }
}

const RUN: [&str; 6] = ["stereo", "pair/left.png", "pair/right.png", "--iterations", "300", "--backend"];

fn run<'a>(backend: &'a str, output: &'a str) -> Vec<&'a str> {
    RUN.iter().copied().chain([backend, "-o", output]).collect()
}

#[test]
fn the_program_gives_the_results_of_the_cpu() {
    if !has_card("the_program_gives_the_results_of_the_cpu") {
        return;
    }
    let place = Place::new("450x375", "56");
    place.ok(&run("cuda", "card"));
    place.ok(&run("cpu", "cpu"));
    assert_eq!(place.hashes("card"), place.hashes("cpu"));
    // Again, with kernels from the cache.
    place.ok(&run("cuda", "again"));
    assert_eq!(place.hashes("again"), place.hashes("cpu"));
    let chains: Vec<&str> = run("cuda", "chains").into_iter().chain(["--chains", "5"]).collect();
    place.ok(&chains);
    let chains: Vec<&str> = run("cpu", "chains-cpu").into_iter().chain(["--chains", "5"]).collect();
    place.ok(&chains);
    for file in ["mode.npy", "labels_3.npy"] {
        let read = |folder: &str| std::fs::read(place.path(folder).join(file)).unwrap();
        assert_eq!(read("chains"), read("chains-cpu"), "{file}");
    }
}

#[test]
fn two_processes_at_once_are_both_right() {
    if !has_card("two_processes_at_once_are_both_right") {
        return;
    }
    let place = Place::new("320x240", "48");
    place.ok(&run("cpu", "cpu"));
    let names = ["a", "b", "c"];
    let start = |name: &&str| place.spa(&run("cuda", name)).stdout(Stdio::null()).spawn().unwrap();
    let children: Vec<_> = names.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for name in names {
        assert_eq!(place.hashes(name), place.hashes("cpu"));
    }
}

#[test]
fn killed_in_the_middle_it_leaves_nothing_wrong() {
    if !has_card("killed_in_the_middle_it_leaves_nothing_wrong") {
        return;
    }
    let place = Place::new("320x240", "48");
    place.ok(&run("cpu", "cpu"));
    let long =
        ["stereo", "pair/left.png", "pair/right.png", "--iterations", "3000000", "--burn-in", "2999000"];
    let long: Vec<&str> = long.into_iter().chain(["--backend", "cuda", "-o", "killed"]).collect();
    // While kernels are compiled, and while they run.
    for milliseconds in [30, 200, 700, 3000] {
        let mut child = place.spa(&long).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it ended within {milliseconds} ms");
        assert!(!place.path("killed").exists(), "nothing is where the results would be");
        place.ok(&run("cuda", "after"));
        assert_eq!(place.hashes("after"), place.hashes("cpu"), "after {milliseconds} ms");
        std::fs::remove_dir_all(place.path("after")).unwrap();
    }
}

#[test]
fn without_a_card_it_says_so() {
    let place = Place::new("32x24", "8");
    let output = place.spa(&run("cuda", "none")).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no CUDA") && text.contains("cpu"), "{text}");
    assert!(!place.path("none").exists());
    let output = place.spa(&run("auto", "auto")).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && text.contains("backend: cpu"), "{text}");
}

#[test]
fn out_of_memory_is_told_and_passes() {
    let Ok(cuda) = Cuda::open(0, Kernel::Auto) else {
        has_card("out_of_memory_is_told_and_passes");
        return;
    };
    let place = Place::new("450x375", "56");
    place.ok(&run("cpu", "cpu"));
    // All but little of the card's memory, in pieces.
    let mut taken = Vec::new();
    let mut piece = 1_usize << 30;
    while piece >= 1 << 21 {
        match cuda.device().zeros::<u8>("a test", piece) {
            Ok(slice) => taken.push(slice),
            Err(CudaError::OutOfMemory { .. }) => piece /= 2,
            Err(error) => panic!("{error}"),
        }
    }
    let output = place.spa(&run("cuda", "full")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    eprintln!("{text}");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.to_lowercase().contains("memory"), "{text}");
    assert!(!place.path("full").exists());
    drop(taken);
    drop(cuda);
    place.ok(&run("cuda", "free"));
    assert_eq!(place.hashes("free"), place.hashes("cpu"));
}
