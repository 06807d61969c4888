//! The part of the fixed list of combinations that CI runs: every group compiles one build.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::matrix::{self, GROUPS};

fn run(name: &str) {
    let group = GROUPS.iter().find(|group| group.name.starts_with(name)).unwrap();
    assert!(group.ci, "'{name}' is for CI");
    if let Err(error) = matrix::run(group, &mut |_, _| ()) {
        panic!("{error:#}");
    }
}

#[test]
fn one_spe_with_linear_weights() {
    run("1x1, one SPU");
}

#[test]
fn two_by_three_with_small_counters() {
    run("2x3, two SPUs, 3-bit");
}

#[test]
fn four_spus_with_replicated_margins() {
    run("4x1, four SPUs");
}

#[test]
fn wide_labels_and_messages() {
    run("1x2, 8-bit");
}

#[test]
fn sixteen_spes() {
    run("16x1, two");
}
