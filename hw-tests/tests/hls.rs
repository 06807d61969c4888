//! The emitted HLS C++, compiled here and compared with the CPU. The rest of the list: `cosim hls` (docs/hls.md).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::hls::{Emulation, Flavour, HostOptions, Tools};
use hw_tests::matrix::{GROUPS, Group};
use hw_tests::{builds, cosim, draw, tool};
use spa_model::{Hardware, Tiling};
use std::process::Command;

#[path = "../../model/tests/known/mod.rs"]
mod known;

const HOST: HostOptions = HostOptions { ring_lines: 4096, interval: 0 };

fn group(name: &str) -> &'static Group {
    GROUPS.iter().find(|group| group.name.starts_with(name)).unwrap()
}

/// Runs the jobs of a group, every one twice without a reset between.
fn run(name: &str, flavour: Flavour, compiler: &str) {
    let tools = match Tools::find(compiler) {
        Ok(tools) => tools,
        Err(cause) => return tool::skip(&format!("HLS C++ of {name}"), &cause),
    };
    let group = group(name);
    let config = builds::config(group.settings).unwrap();
    let mut emulation = Emulation::new(&config, flavour, &tools, &|_, text| text).unwrap();
    for spec in (group.jobs)() {
        let job = spec.job(&config.hardware, &config.array).unwrap();
        for host in [HOST, HostOptions { ring_lines: 2, interval: 7 }] {
            if let Err(error) = emulation.check(&job, host) {
                panic!("{name}: {}: {error:#}", draw::job_words(&spec));
            }
        }
    }
}

#[test]
fn one_spe_with_linear_weights() {
    run("1x1, one SPU, linear", Flavour::Intel, "g++");
}

#[test]
fn two_by_three_with_small_counters() {
    run("2x3, two SPUs, 3-bit", Flavour::Intel, "g++");
}

#[test]
fn catapult_with_replicated_margins() {
    run("4x1, four SPUs, replicated", Flavour::Catapult, "clang++");
}

/// Every known job that a build of the default widths holds, against the committed hashes themselves.
#[test]
fn known_answers() {
    let tools = match Tools::find("g++") {
        Ok(tools) => tools,
        Err(cause) => return tool::skip("known answers of the HLS C++", &cause),
    };
    let settings =
        ["grid=2x2", "pair_table=true", "singleton_table=true", "cost_capacity=16384", "edge_weights=true"];
    let config = builds::config(&settings).unwrap();
    let mut emulation = Emulation::new(&config, Flavour::Intel, &tools, &|_, text| text).unwrap();
    let golden = include_str!("../../model/tests/golden/contract-v1.txt");
    let mut checked = Vec::new();
    for (name, job) in known::jobs() {
        if *job.hardware() != Hardware::default() || Tiling::new(&config.array, &job).is_err() {
            continue;
        }
        let hashes = cosim::hashes(&emulation.run(&job, HOST).unwrap());
        let answer =
            format!("\n{name}\n  {}\n  {}\n  {}\n", hashes.labels, hashes.histogram, hashes.messages);
        assert!(golden.contains(&answer), "{name}: got {answer}");
        checked.push(name);
    }
    assert_eq!(checked, ["stereo", "one-rv", "tables-reheated", "cut-off-and-ties", "edge-weights"]);
}

/// The Catapult script goes through all of its steps, and every component that it names is a class of the design.
#[test]
fn the_catapult_script_runs() {
    let Some(tclsh) = tool::find(&["tclsh", "tclsh8.6"], "/dev/null") else {
        return tool::skip("the Catapult script", "no tclsh");
    };
    let build = builds::build(&builds::config(&["grid=2x2"]).unwrap()).unwrap();
    let stub = concat!(env!("CARGO_MANIFEST_DIR"), "/hls/catapult.tcl");
    let output = Command::new(tclsh).arg(stub).arg(build.folder().join("hls/catapult")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let steps = String::from_utf8(output.stdout).unwrap();
    assert!(steps.trim_end().ends_with("go extract"), "{steps}");
    let text = |path: &String| std::fs::read_to_string(build.folder().join(path)).unwrap();
    let headers: String =
        build.manifest().files.keys().filter(|path| path.ends_with(".hpp")).map(text).collect();
    let blocks: Vec<&str> =
        steps.lines().filter_map(|line| line.strip_prefix("solution design set spa::")).collect();
    assert!(blocks.len() > 10, "{steps}");
    for block in blocks {
        let class = block.split([' ', '<']).next().unwrap();
        assert!(headers.contains(&format!("class {class} {{")), "no class {class}");
    }
}

/// Runs the first job of the smallest group on C++ in which `file` has `wrong` in place of `right`; gives what came of it.
/// `None`: skipped.
fn run_edited(test: &str, file: &str, right: &str, wrong: &str) -> Option<anyhow::Result<usize>> {
    let tools = match Tools::find("g++") {
        Ok(tools) => tools,
        Err(cause) => {
            tool::skip(test, &cause);
            return None;
        }
    };
    let edit = |name: &str, text: String| {
        if name != file {
            return text;
        }
        assert!(text.contains(right), "{name} has no '{right}'");
        text.replace(right, wrong)
    };
    let group = group("1x1, one SPU, linear");
    let config = builds::config(group.settings).unwrap();
    let mut emulation = Emulation::new(&config, Flavour::Intel, &tools, &edit).unwrap();
    let job = (group.jobs)()[0].job(&config.hardware, &config.array).unwrap();
    Some(emulation.check(&job, HOST))
}

/// A rotation of the random number generator that is off by one must not pass.
#[test]
fn a_wrong_constant_is_caught() {
    let test = "a wrong constant in the HLS C++";
    let Some(result) = run_edited(test, "spa_rng.hpp", "{13, 15, 26, 6,", "{13, 15, 25, 6,") else { return };
    let error = result.unwrap_err();
    assert!(error.to_string().contains("labels differ"), "{error:#}");
}

/// The weights cannot start before a slot's least energy is known: its energies must have room to wait.
#[test]
fn a_stream_that_is_too_shallow_is_caught() {
    let test = "shallow streams in the HLS C++";
    let alias =
        ("using In = ihc::stream_in<T, ihc::buffer<Depth>>", "using In = ihc::stream_in<T, ihc::buffer<4>>");
    let Some(result) = run_edited(test, "intel/spa_platform.hpp", alias.0, alias.1) else { return };
    let error = result.unwrap_err();
    assert!(error.to_string().contains("the emulation has stopped"), "{error:#}");
}
