//! The order in which the examples walk through the random words of the contract (§5).

use spa_model::rng;

/// A full-HD field: the odometer never comes to its end in a battery's lifetime.
const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;
/// Iterations of a run; the last number is reserved for random starts.
const ITERATIONS: u32 = rng::START_ITERATION;
/// Consecutive seeds.
const SEEDS: u32 = 1 << 24;

/// The odometer: digits x, y, iteration, seed, turned in the order given.
pub struct Odometer {
    digits: [u32; 4],
    order: [usize; 4],
}

const LIMITS: [u32; 4] = [WIDTH, HEIGHT, ITERATIONS, SEEDS];

impl Odometer {
    /// `x`, `y`, `iteration` or `seed` fastest; the others follow as in an odometer.
    pub fn new(name: &str) -> Option<Self> {
        let order = match name {
            "x" => [0, 1, 2, 3],
            "y" => [1, 0, 2, 3],
            "iteration" => [2, 0, 1, 3],
            "seed" => [3, 0, 1, 2],
            _ => return None,
        };
        Some(Self { digits: [0; 4], order })
    }

    /// The word at the present place.
    #[allow(dead_code, reason = "only one of the examples takes words one by one")]
    pub fn word(&self) -> u32 {
        let [x, y, iteration, seed] = self.digits;
        rng::word(seed.into(), 0, x, y, iteration)
    }

    /// On to the next place.
    pub fn turn(&mut self) {
        for digit in self.order {
            self.digits[digit] += 1;
            if self.digits[digit] < LIMITS[digit] {
                return;
            }
            self.digits[digit] = 0;
        }
    }

    /// Seed and block counter of the present place, and which word of the block it is.
    #[allow(dead_code, reason = "only one of the examples computes blocks itself")]
    pub fn block(&self) -> (u64, [u32; 2], usize) {
        let [x, y, iteration, seed] = self.digits;
        (seed.into(), rng::counter(x, y, 0, iteration), (x >> 1 & 1) as usize)
    }
}
