//! Known answers of the contract: a stranger's backend is right if it reproduces `golden/contract-v1.txt`.
//!
//! The jobs (`known/mod.rs`) are made of integers only, from one line of arithmetic each, so that they can be rebuilt in any
//! language.
//! `UPDATE_GOLDEN=1 cargo test -p spa-model --test golden` rewrites the file after a deliberate change of the contract.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod known;

use known::jobs;
use spa_model::hash::{hash_messages, hash_u16, sha256_hex};
use spa_model::spec;

#[test]
fn the_contract_has_not_changed() {
    let mut text = String::from("# job  labels  histogram  messages (SHA-256)\n");
    for (name, job) in jobs() {
        let mut o = spec::run(&job).unwrap();
        let hashes = (sha256_hex(&o.labels), hash_u16(o.histogram.counts()), hash_messages(&mut o.messages));
        text += &format!("{name}\n  {}\n  {}\n  {}\n", hashes.0, hashes.1, hashes.2);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/contract-v1.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(path).expect("golden file");
    assert_eq!(text, golden, "semantics changed: contract, docs and every backend must change together");
}

#[test]
fn every_free_rv_collects_every_iteration_and_fixed_ones_keep_their_label() {
    for (name, job) in jobs() {
        let o = spec::run(&job).unwrap();
        let start = job.initial_labels();
        for i in 0..job.problem().rvs() {
            let sum: u32 = o.histogram.rv(i).iter().map(|&c| u32::from(c)).sum();
            assert_eq!(sum, u32::from(job.collected()), "{name} RV {i}");
            if job.problem().is_fixed(i) {
                assert_eq!(o.labels[i], start[i], "{name} RV {i}");
                assert!(o.messages.iter().all(|m| m.rv != i as u32), "{name} RV {i}");
            }
        }
        let max = job.hardware().count_max();
        assert!(o.messages.iter().all(|m| m.count >= 1 && m.count <= max), "{name}");
    }
}
