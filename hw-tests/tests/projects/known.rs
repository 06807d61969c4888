//! The known-answer job with Icarus Verilog and the testbench of the build, as its README says.

use crate::{Moved, config, run};
use hw_tests::{builds, tool};
use spa_model::fast;
use spagen::known::Known;
use std::process::Command;

/// A wrong constant of the hardware: one rotation of the random-number generator.
pub(crate) const FAULT: (&str, &str, &str) = ("rtl/spa_rng.sv", "Round == 2 ? 26", "Round == 2 ? 25");

fn check(build: &Moved) -> (bool, String) {
    run(Command::new("make").arg("check"), &build.path().join("sim"))
}

#[test]
fn the_known_job_passes_in_icarus_and_a_wrong_constant_fails_it() {
    if tool::find(&["iverilog"], "-V").is_none() {
        return tool::skip("the known job", "iverilog is not installed");
    }
    let build = Moved::new(&config());
    let (passed, text) = check(&build);
    assert!(passed && text.contains("spa_tb: done") && text.contains("messages and"), "{text}");
    let (file, from, to) = FAULT;
    build.change(file, from, to);
    let (passed, text) = check(&build);
    assert!(!passed && text.contains("is missing") && text.contains("is not expected"), "{text}");
}

#[test]
fn the_known_job_is_that_of_the_fast_sampler_on_every_kind_of_build() {
    let kinds: [&[&str]; 6] = [
        &["grid=4x4", "spus=2"],
        &["grid=1x1", "spus=8", "rv_capacity=32", "s2_capacity=32", "s2_links=false"],
        &["grid=3x2", "spus=1", "label_bits=8", "energy_bits=12", "line_bits=512"],
        &["grid=2x2", "spus=4", "weights=linear", "singleton_bits=6"],
        &["grid=1x2", "spus=2", "singleton_table=true", "pair_table=true", "edge_weights=true"],
        &["grid=20x30", "spus=1", "label_bits=2", "count_bits=2"],
    ];
    for kind in kinds {
        let config = builds::config(kind).unwrap();
        let known = Known::new(&config).unwrap();
        let outcome = fast::run(&known.job, &fast::Options::default(), &mut |_| true).unwrap();
        let mask = (1 << config.hardware.count_bits) - 1;
        let ours: u64 = known.messages.iter().map(|word| word & mask).sum();
        let theirs: u64 = outcome.messages.iter().map(|message| u64::from(message.count)).sum();
        assert_eq!((known.messages.len(), ours), (outcome.messages.len(), theirs), "{kind:?}");
        assert!(known.job.problem().free_rvs() > 0 && known.messages.len() > 4, "{kind:?}");
    }
}
