//! Hashes that the card wrote, checked on the CPU: both backends give the same bits, also where there is no card.
//!
//! `SPA_WRITE_HASHES=1` on a machine with a card rewrites `gpu_hashes.txt` with the CUDA backend.

#![allow(clippy::unwrap_used)] // A failure in a helper of a test is the message.

mod random_jobs;

use spa_model::hash::{hash_messages, hash_u16, sha256_hex};
use spa_model::job::{line_vectors, stereo_offsets};
use spa_model::{Difference, Hardware, Job, Outcome, Pair, Problem, Run, Schedule, Singleton, Start, spec};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::cuda::{Cuda, Kernel};

/// A stereo pair of soft noise with a step in it, annealed as in docs/performance.md.
fn stereo(width: u32, height: u32, labels: u16, iterations: u32) -> Job {
    let texture = |x: i64, y: i64| {
        let at = |x: i64, y: i64| {
            (x as u64).wrapping_mul(2_654_435_761).wrapping_add(y as u64 * 40_503) >> 7 & 0xff
        };
        ((at(x, y) + at(x + 1, y) + at(x, y + 1)) / 3) as u8
    };
    let picture = |shift: &dyn Fn(i64) -> i64| {
        (0..i64::from(height))
            .flat_map(|y| (0..i64::from(width)).map(move |x| (x, y)))
            .map(|(x, y)| texture(x + shift(x), y))
            .collect()
    };
    let problem = Problem {
        width,
        height,
        labels,
        singleton: Singleton::Pixels {
            form: Difference::Abs,
            first: picture(&|_| 0),
            second: picture(&|x| if x < i64::from(width) / 2 { 5 } else { 9 }),
            offsets: stereo_offsets(labels, 0),
        },
        data_cap: u16::MAX,
        s_outside: 255,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let schedule = Schedule::anneal(20.0, 1.0, 25, iterations).unwrap();
    let burn_in = schedule.last_entry();
    let run = Run { burn_in, schedule, seed: 1, chain: 0, start: Start::Argmin, cutoff: None };
    Job::new(Hardware::default(), problem, run).unwrap()
}

fn jobs() -> Vec<(String, Job)> {
    let mut jobs = vec![
        ("stereo-192x144x32".to_string(), stereo(192, 144, 32, 100)),
        ("stereo-101x75x56".to_string(), stereo(101, 75, 56, 75)),
    ];
    jobs.extend((5000..5008).map(|seed| (format!("any-{seed}"), random_jobs::any(seed))));
    jobs.extend((5000..5008).map(|seed| (format!("common-{seed}"), random_jobs::common(seed))));
    jobs
}

fn table(mut run: impl FnMut(&Job) -> Outcome) -> String {
    let mut text = String::from("# job  labels  histogram  messages (SHA-256)\n");
    for (name, job) in jobs() {
        let mut o = run(&job);
        let hashes = (sha256_hex(&o.labels), hash_u16(o.histogram.counts()), hash_messages(&mut o.messages));
        text += &format!("{name}\n  {}\n  {}\n  {}\n", hashes.0, hashes.1, hashes.2);
    }
    text
}

#[test]
fn the_cpu_gives_the_hashes_of_the_card() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gpu_hashes.txt");
    if std::env::var_os("SPA_WRITE_HASHES").is_some() {
        let mut cuda = Cuda::open(0, Kernel::Auto).unwrap();
        let text = table(|job| cuda.run(job, &mut |_| true).unwrap().outcome);
        let path = std::env::var("SPA_HASHES_FILE").unwrap_or_else(|_| path.to_string());
        std::fs::write(path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(path).expect("tests/gpu_hashes.txt");
    assert_eq!(table(|job| spec::run(job).unwrap()), expected);
}
