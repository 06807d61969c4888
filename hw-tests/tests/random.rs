//! A few random combinations; the long sweep is the program `cosim` (docs/cosim.md).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::cosim::Bench;
use hw_tests::draw::{self, JOBS_PER_BUILD};

/// Change it now and then; every seed must pass.
const SEED: u64 = 20260101;

#[test]
fn random_combinations_agree() {
    println!("seed {SEED}");
    for index in 0..2 * JOBS_PER_BUILD {
        let case = draw::case(SEED, index).unwrap();
        let words = format!("{}; {}", draw::build_words(&case.config), draw::job_words(&case.spec));
        let checked = Bench::new(case.config, case.options).and_then(|mut bench| {
            bench.check(&case.job)?;
            bench.check(&case.job)
        });
        if let Err(error) = checked {
            panic!("case {index} of seed {SEED}: {error:#}\n{words}\n{:?}", case.options);
        }
    }
}

#[test]
fn cases_are_reproducible() {
    let (a, b) = (draw::case(3, 5).unwrap(), draw::case(3, 5).unwrap());
    assert_eq!((a.config, a.job, a.options), (b.config, b.job, b.options));
    assert_ne!(draw::case(3, 6).unwrap().spec, a.spec);
}
