//! The `spa` program on a card: end to end, several processes at once, killed in the middle, no card, no memory. Needs a
//! card; without one the tests say so and pass. `SPA_PROGRAM` names another `spa` than the one built with the tests.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A failure in a helper of a test is the message.

use rustix::process::{Pid, Signal, kill_process};
use spa_runtime::backend::cuda::{Cuda, CudaError, Kernel};
use spa_runtime::checkpoint::Checkpoint;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The tests take turns: one of them leaves no memory on the card.
static TURN: Mutex<()> = Mutex::new(());

/// The turn of `test`, if there is a card; else the reason on stderr.
fn card(test: &str) -> Option<MutexGuard<'static, ()>> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match Cuda::open(0, Kernel::Auto) {
        Ok(_) => Some(turn),
        Err(error) => {
            eprintln!("skipped {test}: {error}");
            None
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

    fn json(&self, folder: &str, file: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path(folder).join(file)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn hashes(&self, folder: &str) -> serde_json::Value {
        let summary = self.json(folder, "summary.json");
        summary.get("hashes").cloned().unwrap_or_else(|| panic!("no hashes in {summary}"))
    }
}

const RUN: [&str; 6] = ["stereo", "pair/left.png", "pair/right.png", "--iterations", "300", "--backend"];

fn run<'a>(backend: &'a str, output: &'a str) -> Vec<&'a str> {
    RUN.iter().copied().chain([backend, "-o", output]).collect()
}

#[test]
fn the_program_gives_the_results_of_the_cpu() {
    let Some(_turn) = card("the_program_gives_the_results_of_the_cpu") else { return };
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
    let Some(_turn) = card("two_processes_at_once_are_both_right") else { return };
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
    let Some(_turn) = card("killed_in_the_middle_it_leaves_nothing_wrong") else { return };
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

/// A small generator (xorshift), seeded by the clock; the seed is printed, `SPA_SEED` repeats it.
fn shares() -> impl FnMut() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = std::env::var("SPA_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or(now.as_nanos() as u64 | 1);
    eprintln!("SPA_SEED={state}");
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// At one temperature, so that a stopped run is a run with fewer iterations.
const WARM: [&str; 5] = ["stereo", "pair/left.png", "pair/right.png", "--temperature", "3"];

#[test]
fn killed_twenty_times_and_resumed_it_has_the_same_hashes() {
    let Some(_turn) = card("killed_twenty_times_and_resumed_it_has_the_same_hashes") else { return };
    let place = Place::new("120x90", "16");
    let mut share = shares();
    let run = |backend, save, output, more: &[&'static str]| {
        let run = ["--iterations", "6000", "--burn-in", "2000", "--checkpoint-every", "50"];
        [&WARM[..], &run, &["--backend", backend, "--checkpoint", save, "-o", output], more].concat()
    };
    place.ok(&run("cpu", "cpu.ckp", "cpu", &[]));
    // Kernels are compiled here; then the program's start alone, and the whole.
    place.ok(&run("cuda", "uncut.ckp", "uncut", &[]));
    let timed = |args: &[&str]| {
        let begun = Instant::now();
        place.ok(args);
        begun.elapsed()
    };
    let start = timed(&[&WARM[..], &["--iterations", "2", "--backend", "cuda"]].concat());
    let whole = timed(&run("cuda", "uncut.ckp", "uncut", &[]));
    eprintln!("start {start:?}, whole {whole:?}");
    assert_eq!(place.hashes("uncut"), place.hashes("cpu"));

    let (mut kills, mut iterations) = (0, Vec::new());
    while kills < 20 {
        let resume: &[&str] = if place.path("c").exists() { &["--resume", "c"] } else { &[] };
        let args = run("cuda", "c", "killed", resume);
        let mut child = place.spa(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(start.mul_f64(0.7) + whole.saturating_sub(start).mul_f64(share() / 3.0));
        child.kill().unwrap();
        if let Some(code) = child.wait().unwrap().code() {
            // Through before it was killed: from the start again.
            assert_eq!(code, 0);
            assert_eq!(place.hashes("killed"), place.hashes("cpu"));
            std::fs::remove_file(place.path("c")).unwrap();
            continue;
        }
        kills += 1;
        if place.path("c").exists() {
            let at = Checkpoint::read(&place.path("c")).unwrap().iteration();
            iterations.push(at);
            // The last one: only the results are still to be written.
            if at == 5950 && kills < 20 {
                std::fs::remove_file(place.path("c")).unwrap();
            }
        }
    }
    eprintln!("killed 20 times, checkpoints at {iterations:?}");
    assert!(iterations.len() > 5 && iterations.iter().any(|&at| at > 2000), "{iterations:?}");
    let resume: &[&str] = if place.path("c").exists() { &["--resume", "c"] } else { &[] };
    for (backend, output) in [("cpu", "ended-cpu"), ("cuda", "ended")] {
        place.ok(&run(backend, "other.ckp", output, resume));
        assert_eq!(place.hashes(output), place.hashes("cpu"), "ended on {backend}");
        assert_eq!(place.json(output, "trace.json"), place.json("cpu", "trace.json"));
    }
}

#[test]
fn ctrl_c_leaves_the_results_so_far() {
    let Some(_turn) = card("ctrl_c_leaves_the_results_so_far") else { return };
    let place = Place::new("320x240", "48");
    let run = [&WARM[..], &["--backend", "cuda"]].concat();
    place.ok(&[&run[..], &["--iterations", "2"]].concat());
    // Far more launches than the card can be given at once.
    let long = ["--iterations", "6000000", "--burn-in", "5990000", "-o", "out"];
    let mut child = place.spa(&[&run[..], &long].concat()).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(5));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    eprintln!("stopped {:?} after it was asked to", asked.elapsed());
    let summary = place.json("out", "summary.json");
    let done = summary["iterations_done"].as_u64().unwrap();
    assert!(summary["partial"] == true && (1..5_990_000).contains(&done), "{done}");
    place.ok(&[
        &run[..],
        &["--iterations", &done.to_string(), "--burn-in", &(done - 1).to_string(), "-o", "short"],
    ]
    .concat());
    assert_eq!(place.hashes("short")["labels"], summary["hashes"]["labels"]);
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
    let Some(_turn) = card("out_of_memory_is_told_and_passes") else { return };
    let cuda = Cuda::open(0, Kernel::Auto).unwrap();
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
