//! `--chains`: several chains, their sum, and what each is by itself.

use super::support::{Spa, listing};
use spa_model::hash::{hash_u32, sha256_hex};
use spa_runtime::formats::numbers::Numbers;
use spa_runtime::npy;
use spa_runtime::summary::Summary;

const RUN: [&str; 7] =
    ["stereo", "scene", "--labels=12", "--temperature=5", "--iterations=30", "--seed=7", "--start=random"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    RUN.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn chains_are_the_runs_of_their_numbers_and_their_sum() {
    let spa = Spa::with_scene("stereo", "12");
    let text = spa.ok(&with(&["--chain=3", "--chains=4", "-o", "all", "--uncertainty"]));
    assert!(
        text.starts_with("stereo 40x30, 12 labels, 30 iterations (15 burn-in), seed 7, 4 chains, on cpu\n"),
        "{text}"
    );
    let all = Summary::read(&spa.path("all")).unwrap();
    let chains = all.chains.clone().unwrap();
    let (mut labels, mut sum) = (Vec::new(), vec![0_u32; 40 * 30 * 12]);
    for (n, chain) in chains.iter().enumerate() {
        let number = format!("--chain={}", n + 3);
        spa.ok(&with(&[&number, "-o", "one"]));
        let one = Summary::read(&spa.path("one")).unwrap();
        assert_eq!((chain.chain as usize, &chain.hashes), (n + 3, &one.hashes));
        let own = npy::read_plane(&spa.path(&format!("all/labels_{n}.npy"))).unwrap().2;
        assert_eq!(sha256_hex(&own), one.hashes.labels);
        labels.extend(own);
        let histogram = npy::read(&spa.path("one/histogram.npy")).unwrap();
        sum.iter_mut().zip(histogram.values).for_each(|(sum, count)| *sum += u32::from(count));
    }
    assert_eq!((all.hashes.labels, all.hashes.histogram), (sha256_hex(&labels), hash_u32(&sum)));
    let histogram = Numbers::open(&spa.path("all/histogram.npy")).unwrap();
    assert_eq!(histogram.shape, [30, 40, 12]);
    assert!(histogram.values.iter().zip(&sum).all(|(a, b)| *a == f64::from(*b)));
    assert_eq!((all.parameters["chain"].as_u64(), all.parameters["chains"].as_u64()), (Some(3), Some(4)));
    assert_eq!(all.labels_evaluated, 4 * 40 * 30 * 12 * 30);
    // The same folder compares equal with itself and notices a change.
    spa.ok(&["compare", "all", "all"]);
    spa.ok(&with(&["--chain=3", "--chains=4", "-o", "again", "--threads=1"]));
    spa.ok(&["compare", "all", "again"]);
    std::fs::copy(spa.path("all/labels_0.npy"), spa.path("again/labels_1.npy")).unwrap();
    assert!(spa.fails(1, &["compare", "all", "again"]).contains("labels_1.npy"));
    // One chain again: the files of many are gone.
    spa.ok(&with(&["--chains=1", "-o", "all"]));
    let names: Vec<_> = listing(&spa.path("all")).iter().map(|p| p.file_name().unwrap().to_owned()).collect();
    assert!(names.iter().any(|name| name == "labels.npy") && names.iter().all(|name| name != "labels_0.npy"));
    assert_eq!(Summary::read(&spa.path("all")).unwrap().parameters.get("chains"), None);
}

#[test]
fn what_chains_refuse() {
    let spa = Spa::with_scene("stereo", "12");
    let refused = |more: &[&str]| spa.fails(2, &with(more));
    assert!(refused(&["--chains=0"]).contains("must be 1…256"));
    assert!(
        refused(&["--chains=3", "--chain=254"]).contains("chains is 3, but must be 1…2 from chain 254 on")
    );
    assert!(refused(&["--chains=2", "--keep-log=log"]).contains("--keep-log keeps the log of one chain"));
}
