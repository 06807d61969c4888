//! The CUDA backend without a card: kernels and host code as they are, on stand-ins for libcuda and NVRTC that run every
//! thread of a block on the CPU (`emulator/`). It shows that the kernels compute the right thing, not that they are fast,
//! nor that their memory ordering holds on a card. Needs g++; `SPA_EMULATED_JOBS` asks for more jobs than two.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A failure in a helper of a test is the message.

mod cuda_many;
mod edgs_jobs;
mod edgs_model;
mod random_jobs;

use spa_model::hash::hash_messages;
use spa_model::{Job, spec};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::cuda::edgs::{Design, Experiment, Method};
use spa_runtime::backend::cuda::{Cuda, Kernel};
use std::path::Path;
use std::process::Command;

/// Builds the stand-ins into `folder`.
fn build(folder: &Path) {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emulator");
    for (source, library) in [("driver.cpp", "libcuda.so"), ("compiler.cpp", "libnvrtc.so.13")] {
        let status = Command::new("g++")
            .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-pthread"])
            .arg(format!("-DSPA_EMULATOR_SOURCES=\"{sources}\""))
            .arg(format!("-Wl,-soname,{library}"))
            .arg("-o")
            .arg(folder.join(library))
            .arg(Path::new(sources).join(source))
            .arg("-ldl")
            .status()
            .expect("g++ builds the stand-ins");
        assert!(status.success(), "{source}");
    }
}

/// Designs with cut-offs.
const METHODS: [(Design, Option<u8>); 5] = [
    (Design::Plain, None),
    (Design::Plain, Some(4)),
    (Design::Queues, Some(4)),
    (Design::Flags, Some(4)),
    (Design::Queues, Some(16)),
];

/// The dissertation's event-driven variants against their model.
fn event_driven(seed: u64) {
    let cuda = Cuda::open(0, Kernel::Baseline).unwrap();
    for (name, job, model) in edgs_jobs::all(seed) {
        let mut experiment = Experiment::new(cuda.device(), &job, &model).unwrap();
        for (design, cutoff) in METHODS {
            let method = Method { design, cutoff };
            for shape in edgs_jobs::shapes(seed) {
                let found = experiment.run(method, shape).unwrap().unwrap();
                let (labels, updated) = edgs_model::run(&job, &model, method, shape.region);
                let text = format!("{name} {seed}, {method:?}, {shape:?}");
                assert_eq!(found.updated, updated, "{text}: updates");
                assert_eq!(found.labels, labels, "{text}: labels");
            }
        }
    }
}

/// Runs the ignored test below in a process whose library path leads to the stand-ins.
#[test]
fn kernels_equal_the_specification_on_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let status = on(folder.path(), std::env::current_exe().unwrap().as_ref())
        .args(["--ignored", "--exact", "on_stand_ins", "--nocapture"])
        .status()
        .unwrap();
    assert!(status.success());
}

/// `program` where the stand-ins in `folder` are the driver, of two cards, and the compiler.
fn on(folder: &Path, program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env("LD_LIBRARY_PATH", folder)
        .env("SPA_NVRTC", folder)
        .env("SPA_EMULATOR", folder)
        .env("SPA_EMULATOR_CARDS", "2")
        .env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

/// `spa study edgs` from pictures to its table, figure and JSON.
#[test]
fn the_exploration_runs_on_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let spa = |line: &str| {
        let mut command = on(folder.path(), env!("CARGO_BIN_EXE_spa").as_ref());
        let output = command.args(line.split(' ')).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    spa("synth stereo -o pair --size 40x24 --labels 6 --seed 2");
    spa("synth segment -o picture --size 32x24 --labels 2 --seed 2");
    let text = spa(
        "study edgs pair --segment picture/image.png --windows 7 --classes 2 --regions 8x8,16x8 --blocks 1,2 --cutoffs 4 \
         --repeats 2 --iterations 30 --explore-iterations 10 -o out",
    );
    assert!(
        text.starts_with("best configurations (region, blocks a multiprocessor) on emulated card"),
        "{text}"
    );
    let json = std::fs::read_to_string(folder.path().join("out/edgs.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for case in json["cases"].as_array().unwrap() {
        // The stand-in holds one block a multiprocessor: half of the configurations are missing.
        let configurations = case["designs"][1]["configurations"].as_array().unwrap();
        let missing: Vec<bool> = configurations.iter().map(|c| c["slowdown"].is_null()).collect();
        assert_eq!(missing, [false, true, false, true]);
        let results = case["results"].as_array().unwrap();
        let names: Vec<&str> = results.iter().map(|r| r["design"].as_str().unwrap()).collect();
        assert_eq!(names, ["baseline", "EDGS-4", "RV-4"]);
        let skipped = |n: usize| results[n]["skipped_percent"].as_f64().unwrap();
        assert!(skipped(0) == 0.0 && skipped(2) > 0.0 && skipped(1) >= 0.0, "{results:?}");
    }
    let svg = std::fs::read_to_string(folder.path().join("out/edgs.svg")).unwrap();
    for name in ["stereo vision, EDGS-4: best", "segmentation: skipped updates, %"] {
        assert!(svg.contains(name), "{name}");
    }
}

#[test]
#[ignore = "started by the test above"]
fn on_stand_ins() {
    let jobs = std::env::var("SPA_EMULATED_JOBS").ok().and_then(|v| v.parse().ok()).unwrap_or(2);
    let check = |kernel, seed: u64, job: &Job| {
        let mut cuda = Cuda::open(0, kernel).unwrap();
        let mut outcome = cuda.run(job, &mut |_| true).unwrap().outcome;
        let mut expected = spec::run(job).unwrap();
        assert_eq!(outcome.labels, expected.labels, "{kernel:?}, job {seed}: labels");
        assert!(outcome.histogram == expected.histogram, "{kernel:?}, job {seed}: histogram");
        let messages = hash_messages(&mut outcome.messages);
        assert_eq!(messages, hash_messages(&mut expected.messages), "{kernel:?}, job {seed}: messages");
    };
    for seed in 9000..9000 + jobs {
        check(Kernel::Generic, seed, &random_jobs::any(seed));
        let job = random_jobs::common(seed);
        check(Kernel::Dense, seed, &job);
        check(Kernel::DenseTiles, seed, &job);
        check(Kernel::Sparse, seed, &job);
        check(Kernel::SparseTiles, seed, &job);
        // Several jobs at once take long here; one seed shows what they share.
        if seed == 9000 {
            for kernel in
                [Kernel::Dense, Kernel::DenseTiles, Kernel::Sparse, Kernel::SparseTiles, Kernel::Auto]
            {
                let cuda = Cuda::open(0, kernel).unwrap();
                cuda_many::assert_equal(&cuda, seed, &job);
            }
        }
        check(Kernel::Generic, seed, &random_jobs::weighted(seed, &random_jobs::any(seed)));
        let weighted = random_jobs::weighted(seed, &job);
        check(Kernel::Auto, seed, &weighted);
        for kernel in [Kernel::Dense, Kernel::Sparse, Kernel::Baseline] {
            let error = Cuda::open(0, kernel).unwrap().sample(&weighted, &mut |_| true).unwrap_err();
            assert!(error.to_string().contains("edge weights"), "{kernel:?}: {error}");
        }
    }
    for seed in 0..jobs {
        event_driven(seed);
    }
    let cuda = Cuda::open_all(Kernel::Auto).unwrap();
    assert_eq!(cuda.devices().count(), 2);
    cuda_many::assert_equal(&cuda, 9000, &random_jobs::common(9000));
    eprintln!("{jobs} jobs on three kernels equal the specification, with edge weights too");
}
