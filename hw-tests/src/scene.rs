//! Small deterministic pictures with something to find in them.

/// A generator of irregular numbers (SplitMix64), the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "numbers without end, not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to n − 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// True in `percent` of 100 calls.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A textured picture of `bits`-bit samples, H×W.
pub fn texture(width: u32, height: u32, bits: u8, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let (fx, fy) = (3 + random.below(5), 5 + random.below(7));
    let pixel = |random: &mut Random, x: u64, y: u64| {
        let block = (x / 5 * 37 + y / 4 * 91) % 160;
        let value = block + (x * fx + y * fy) % 64 + random.below(24);
        (value.min(255) >> (8 - bits)) as u8
    };
    let mut samples = Vec::new();
    for y in 0..u64::from(height) {
        for x in 0..u64::from(width) {
            samples.push(pixel(&mut random, x, y));
        }
    }
    samples
}

/// `first` moved by (dx, dy), a different displacement in the middle, with noise: a second picture for stereo or motion.
pub fn moved(
    first: &[u8],
    width: u32,
    height: u32,
    bits: u8,
    middle: (i64, i64),
    rest: (i64, i64),
) -> Vec<u8> {
    let mut random = Random::new(u64::from(width) << 32 | u64::from(height));
    let (w, h) = (i64::from(width), i64::from(height));
    let top = (1_u64 << bits) - 1;
    let mut samples = Vec::new();
    for y in 0..h {
        for x in 0..w {
            let inside = (w / 4..3 * w / 4).contains(&x) && (h / 4..3 * h / 4).contains(&y);
            let (dx, dy) = if inside { middle } else { rest };
            // A sample at (x, y) + offset of the second picture is the sample at (x, y) of the first.
            let (sx, sy) = ((x - dx).clamp(0, w - 1), (y - dy).clamp(0, h - 1));
            let value = u64::from(first[(sy * w + sx) as usize]) + random.below(3);
            samples.push(value.min(top) as u8);
        }
    }
    samples
}
