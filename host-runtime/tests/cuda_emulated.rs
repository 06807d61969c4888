//! The CUDA backend without a card: kernels and host code as they are, on stand-ins for libcuda and NVRTC that run every
//! thread of a block on the CPU (`emulator/`). It shows that the kernels compute the right thing, not that they are fast,
//! nor that their memory ordering holds on a card. Needs g++; `SPA_EMULATED_JOBS` asks for more jobs than two.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A failure in a helper of a test is the message.

mod cuda_many;
mod cuda_pieces;
mod edgs_jobs;
mod edgs_model;
mod random_jobs;
mod stays;

use spa_model::hash::hash_messages;
use spa_model::{Job, spec};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::cuda::edgs::{Design, Experiment, Method};
use spa_runtime::backend::cuda::{Cuda, Kernel, Stripped};
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

/// The program saves runs and goes on with them, from one backend to the other; and what else needs a run in pieces.
#[test]
fn runs_are_saved_and_resumed_on_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    let spa = |code: i32, line: &str| {
        let mut command = on(folder.path(), env!("CARGO_BIN_EXE_spa").as_ref());
        let output = command.args(line.split(' ')).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{line}: {stderr}");
        stderr
    };
    let json = |file: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.path().join(file)).unwrap()).unwrap()
    };
    // Every file but the summary, which tells backend and seconds, and the pictures of it.
    let equal = |a: &str, b: &str| {
        for entry in std::fs::read_dir(folder.path().join(a)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let read = |from: &str| std::fs::read(folder.path().join(from).join(&name)).unwrap();
            assert!(name == "summary.json" || read(a) == read(b), "{a} and {b}: {name}");
        }
        let hashes = |of: &str| json(&format!("{of}/summary.json"))["hashes"].clone();
        assert_eq!(hashes(a), hashes(b));
    };
    spa(0, "synth stereo -o pair --size 40x24 --labels 6 --seed 2");
    let run = "stereo pair/left.png pair/right.png --labels 6 --iterations 30 --burn-in 5";
    spa(0, &format!("{run} --backend cpu --checkpoint c --checkpoint-every 20 -o cpu"));
    spa(0, &format!("{run} --backend cuda --resume c --checkpoint d --checkpoint-every 9 -o there"));
    equal("cpu", "there");
    assert_eq!(json("there/summary.json")["resumed_from"], 20);
    assert_eq!(json("there/summary.json")["checkpoint"]["iteration"], 27);
    assert_eq!(json("there/trace.json")["points"].as_array().unwrap().len(), 4);
    spa(0, &format!("{run} --backend cpu --resume d -o back"));
    equal("cpu", "back");
    assert!(
        spa(0, &format!("{run} --backend cuda --max-memory 1K --histogram dense -o disk"))
            .contains("messages go to disk")
    );
    equal("cpu", "disk");
    let refused = spa(2, &format!("{run} --backend cuda --chains 2 --resume c"));
    assert!(refused.contains("--resume is for one chain"), "{refused}");

    // Holes are costs from a table.
    let mask: Vec<u8> = (0..40 * 24).map(|i| u8::from((10..14).contains(&(i % 40)))).collect();
    image::save_buffer(folder.path().join("mask.png"), &mask, 40, 24, image::ExtendedColorType::L8).unwrap();
    for backend in ["cpu", "cuda"] {
        let restore = "restore pair/left.png --mask mask.png --labels 8 --iterations 20";
        spa(0, &format!("{restore} --backend {backend} -o holes-{backend}"));
    }
    equal("holes-cpu", "holes-cuda");

    spa(0, "synth segment -o picture --size 32x24 --labels 2 --seed 2");
    let segment = "segment picture/image.png --labels 2 --iterations 30 --uncertainty";
    spa(0, &format!("{segment} --backend cpu -o segment"));
    spa(0, &format!("{segment} --backend cuda -o segment-cuda"));
    equal("segment", "segment-cuda");
    assert_eq!(json("segment-cuda/summary.json")["uncertainty"]["boundary"], "samples");

    // No agreement after so few iterations.
    let auto = "stereo pair/left.png pair/right.png --labels 6 --temperature 3 --iterations auto --max-iterations 200 --chains 4";
    spa(1, &format!("{auto} --backend cpu -o auto"));
    spa(1, &format!("{auto} --backend cuda -o auto-cuda"));
    equal("auto", "auto-cuda");
    let found = |of: &str| json(&format!("{of}/summary.json"))["convergence"].clone();
    assert_eq!(found("auto"), found("auto-cuda"));
}

/// Random jobs asked for.
fn jobs() -> u64 {
    std::env::var("SPA_EMULATED_JOBS").ok().and_then(|v| v.parse().ok()).unwrap_or(2)
}

/// Runs the ignored tests below in a process whose library path leads to the stand-ins.
#[test]
fn kernels_equal_the_specification_on_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    // A small card, whose tiles take turns, and a large one, which has room for eight copies of the pair table.
    for (test, kilobytes) in
        [("on_stand_ins", "48"), ("pieces_on_stand_ins", "48"), ("pieces_on_stand_ins", "220")]
    {
        let status = on(folder.path(), std::env::current_exe().unwrap().as_ref())
            .args(["--ignored", "--exact", test, "--nocapture"])
            .env("SPA_EMULATOR_SHARED", kilobytes)
            .status()
            .unwrap();
        assert!(status.success(), "{test} with {kilobytes} KB");
    }
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

/// Runs that are cut, put back on the card, and moved between kernels and the CPU.
#[test]
#[ignore = "started by the test above"]
fn pieces_on_stand_ins() {
    let jobs = jobs();
    let open = |kernel| Cuda::open(0, kernel).unwrap();
    let kernels = [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse, Kernel::Auto];
    let packed = kernels.map(open);
    let generic = open(Kernel::Generic);
    for seed in 9000..9000 + jobs {
        cuda_pieces::assert_equal(&[&generic], seed, &random_jobs::any(seed));
        let job = random_jobs::common(seed);
        cuda_pieces::assert_equal_from_each(&packed, seed, &job);
        let weighted = random_jobs::weighted(seed, &job);
        cuda_pieces::assert_equal(&[&packed[4], &generic], seed, &weighted);
        if seed == 9000 {
            cuda_pieces::assert_messages_leave(&generic, seed, &weighted);
            cuda_pieces::assert_messages_leave(&packed[4], seed, &job);
        }
    }
    // Sites and dealt groups; tiles count rounds, of which these are too few.
    packed[1..3].iter().for_each(cuda_pieces::assert_half_steps_are_counted_anew);
    for seed in 9000..9004 {
        cuda_pieces::assert_hands_over(&packed[4], seed, &random_jobs::cooling(seed));
    }
    cuda_pieces::assert_hands_over(&packed[4], 9000, &random_jobs::cooling_pair(9000));
    cuda_pieces::assert_order(&packed[4]);
    let job = random_jobs::common(9000);
    let error = open(Kernel::Baseline).start(&job, None).err().unwrap().to_string();
    assert!(error.contains("backend 'cuda' does not do a run in pieces: its baseline kernel"), "{error}");
}

#[test]
#[ignore = "started by the test above"]
fn on_stand_ins() {
    let jobs = jobs();
    let check_as = |stripped, kernel, seed: u64, job: &Job| {
        let mut cuda = Cuda::open(0, kernel).unwrap().for_measurements(stripped);
        let mut outcome = cuda.run(job, &mut |_| true).unwrap().outcome;
        let mut expected = spec::run(job).unwrap();
        assert_eq!(outcome.labels, expected.labels, "{kernel:?}, job {seed}: labels");
        assert!(outcome.histogram == expected.histogram, "{kernel:?}, job {seed}: histogram");
        let messages = hash_messages(&mut outcome.messages);
        assert_eq!(messages, hash_messages(&mut expected.messages), "{kernel:?}, job {seed}: messages");
    };
    let check = |kernel, seed, job: &Job| check_as(Stripped::Nothing, kernel, seed, job);
    for seed in 9000..9000 + jobs {
        check(Kernel::Generic, seed, &random_jobs::any(seed));
        let job = random_jobs::common(seed);
        for kernel in [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse] {
            check(kernel, seed, &job);
            check(kernel, seed, &random_jobs::crowded(seed));
        }
        check_as(Stripped::Skipping, Kernel::Dealt, seed, &job);
        check_as(Stripped::Skipping, Kernel::Sparse, seed, &job);
        // Tiles in turn, and pairs of RVs.
        for kernel in [Kernel::Dense, Kernel::Sparse] {
            check(kernel, seed, &random_jobs::large(seed));
        }
        // Several jobs at once take long here; one seed shows what they share.
        if seed == 9000 {
            for kernel in [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse, Kernel::Auto] {
                let cuda = Cuda::open(0, kernel).unwrap();
                cuda_many::assert_equal(&cuda, seed, &job);
            }
        }
        check(Kernel::Generic, seed, &random_jobs::weighted(seed, &random_jobs::any(seed)));
        let weighted = random_jobs::weighted(seed, &job);
        check(Kernel::Auto, seed, &weighted);
        for kernel in [Kernel::Dense, Kernel::Sites, Kernel::Dealt, Kernel::Sparse, Kernel::Baseline] {
            let error = Cuda::open(0, kernel).unwrap().sample(&weighted, &mut |_| true).unwrap_err();
            assert!(error.to_string().contains("edge weights"), "{kernel:?}: {error}");
        }
    }
    for seed in 9000..9004 {
        stays::assert_few_are_updated(&Cuda::open(0, Kernel::Dealt).unwrap(), seed, &random_jobs::warm(seed));
    }
    for seed in 0..jobs {
        event_driven(seed);
    }
    let cuda = Cuda::open_all(Kernel::Auto).unwrap();
    assert_eq!(cuda.devices().count(), 2);
    cuda_many::assert_equal(&cuda, 9000, &random_jobs::common(9000));
    eprintln!("{jobs} jobs on all kernels equal the specification, with edge weights too");
}
