//! Statistics of the generator: neighbours in x, y, iteration and seed must be independent.
//!
//! For many places, the words of the place are compared with those of its neighbour, bit by bit: bits i and j agree in
//! half of the samples if they are independent. Input differences of one are what breaks a generator of too few
//! rounds, and the very ones that neighbouring RVs, iterations and seeds have.

use spa_model::rng::{ROUNDS, counter, key, threefry2x32};

/// The directions in which counters and keys run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Direction {
    X,
    Y,
    Iteration,
    Seed,
}

const DIRECTIONS: [Direction; 4] = [Direction::X, Direction::Y, Direction::Iteration, Direction::Seed];

/// A place: seed, chain, x, y, iteration.
#[derive(Debug, Clone, Copy)]
struct Place {
    seed: u64,
    x: u32,
    y: u32,
    iteration: u32,
}

impl Place {
    /// Both words of the block that serves it.
    fn block(self, rounds: u32) -> [u32; 2] {
        threefry2x32(key(self.seed), counter(self.x, self.y, 0, self.iteration), rounds)
    }

    fn neighbour(self, direction: Direction) -> Self {
        match direction {
            // The next block of the same colour.
            Direction::X => Self { x: self.x + 4, ..self },
            // Two rows down, where the colour is the same.
            Direction::Y => Self { y: self.y + 2, ..self },
            Direction::Iteration => Self { iteration: self.iteration + 1, ..self },
            Direction::Seed => Self { seed: self.seed + 1, ..self },
        }
    }
}

/// Places of a small field in some iterations of a run with a small seed, as people use.
fn places(samples: u32) -> impl Iterator<Item = Place> {
    (0..samples).map(|n| Place { seed: 1, x: n % 64 * 8, y: n / 64 % 64 * 4, iteration: n / 4096 * 2 })
}

/// The largest deviation, in standard deviations, among: every bit of the difference of the two blocks is set half of
/// the time, every two bits of it are equal half of the time, and every bit of the one block agrees with every bit of
/// the other one half of the time.
fn worst(rounds: u32, direction: Direction, samples: u32) -> f64 {
    let mut flips = [0_u32; 64];
    let mut pairs = vec![0_u32; 64 * 64];
    let mut cross = vec![0_u32; 64 * 64];
    let join = |[a, b]: [u32; 2]| u64::from(a) << 32 | u64::from(b);
    for place in places(samples) {
        let here = join(place.block(rounds));
        let there = join(place.neighbour(direction).block(rounds));
        let difference = here ^ there;
        for i in 0..64 {
            flips[i] += (difference >> i & 1) as u32;
            // A word of ones where bit i is set, so that one exclusive or compares it with all others.
            let equal = |of: u64, with: u64| !(with ^ (of >> i & 1).wrapping_neg());
            let (d, c) = (equal(difference, difference), equal(here, there));
            for j in 0..64 {
                pairs[64 * i + j] += (d >> j & 1) as u32;
                cross[64 * i + j] += (c >> j & 1) as u32;
            }
        }
    }
    let n = f64::from(samples);
    let z = |count: u32| (f64::from(count) - n / 2.0).abs() / (n / 4.0).sqrt();
    let off_diagonal = |(k, _): &(usize, &u32)| k / 64 != k % 64;
    flips
        .iter()
        .chain(pairs.iter().enumerate().filter(off_diagonal).map(|(_, count)| count))
        .chain(&cross)
        .map(|&count| z(count))
        .fold(0.0, f64::max)
}

/// 8,256 deviations a direction: by chance one above 6 comes in 10^5 runs of this test (it is deterministic anyway).
const LIMIT: f64 = 6.0;
const SAMPLES: u32 = 1 << 17;

#[test]
fn neighbours_are_independent() {
    for direction in DIRECTIONS {
        let z = worst(ROUNDS, direction, SAMPLES);
        assert!(z < LIMIT, "{direction:?}: {z:.1} standard deviations");
    }
}

#[test]
fn a_generator_cut_to_eight_rounds_fails() {
    let worst = DIRECTIONS.map(|direction| worst(8, direction, SAMPLES));
    assert!(worst.iter().any(|&z| z > 2.0 * LIMIT), "8 rounds pass: {worst:?}");
}
