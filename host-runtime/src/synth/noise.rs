//! Deterministic randomness for scenes: only exact IEEE operations, so that every machine draws the same pictures.

/// A stream of numbers from a seed (SplitMix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A stream of its own for every pair of seed and purpose.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(mix(seed ^ mix(purpose)))
    }

    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Uniform in lo…hi.
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * unit(self.word())
    }

    /// −1 or 1.
    pub fn sign(&mut self) -> f64 {
        if self.word() & 1 == 0 { -1.0 } else { 1.0 }
    }

    /// Uniform in 0…n−1; n ≥ 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n.max(1) as u64) as usize
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1_u64 << 53) as f64
}

/// A number in 0…1 for every lattice point.
pub fn lattice(seed: u64, x: i64, y: i64) -> f64 {
    let key = seed
        ^ (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    unit(mix(mix(key).wrapping_add(y as u64)))
}

/// Smooth noise of period 1, 0…1.
pub fn value(seed: u64, x: f64, y: f64) -> f64 {
    let (fx, fy) = (x.floor(), y.floor());
    let (ix, iy) = (fx as i64, fy as i64);
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    let (sx, sy) = (smooth(x - fx), smooth(y - fy));
    let row = |y| {
        let (a, b) = (lattice(seed, ix, y), lattice(seed, ix + 1, y));
        a + (b - a) * sx
    };
    let (a, b) = (row(iy), row(iy + 1));
    a + (b - a) * sy
}

/// Smooth noise in `octaves` octaves, each half as large and half as strong, 0…1.
pub fn fractal(seed: u64, x: f64, y: f64, octaves: u32) -> f64 {
    let (mut sum, mut weight, mut scale, mut total) = (0.0, 1.0, 1.0, 0.0);
    for octave in 0..octaves {
        sum += weight * value(seed.wrapping_add(u64::from(octave) * 7919), x * scale, y * scale);
        total += weight;
        weight *= 0.5;
        scale *= 2.0;
    }
    sum / total
}

/// Nearly normal noise of standard deviation 1 (four uniform numbers, within ±3.5).
pub fn grain(seed: u64, x: u32, y: u32) -> f64 {
    let sum: f64 = (0..4).map(|n| lattice(seed.wrapping_add(n * 104_729), x.into(), y.into())).sum();
    (sum - 2.0) * 1.732
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grain_has_mean_0_and_deviation_1() {
        let samples: Vec<f64> = (0..100).flat_map(|y| (0..100).map(move |x| grain(3, x, y))).collect();
        let mean = samples.iter().sum::<f64>() / 1e4;
        let variance = samples.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    }

    #[test]
    fn noise_stays_within_0_and_1_and_is_smooth() {
        for i in 0..1000 {
            let x = f64::from(i) * 0.037 - 11.0;
            let (a, b) = (fractal(5, x, 2.5, 4), fractal(5, x + 1e-6, 2.5, 4));
            assert!((0.0..=1.0).contains(&a) && (a - b).abs() < 1e-3);
        }
    }
}
