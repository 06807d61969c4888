//! Restoration: grey pictures without their noise and with their holes filled. The weight of the smoothness follows the noise.

use super::Application;
use super::prepare::{Extra, Prepared, Values, tabulate};
use crate::app::prepare;
use crate::blocks::{Source, map};
use crate::error::{Error, Result};
use crate::options::RunOptions;
use crate::plan::{Inputs, Special, plan, plan_with, read_plane};
use spa_model::{Count, Singleton};
use spagen::Build;

/// Grey value that label `l` of `labels` stands for: evenly spread, the first is 0, the last 255.
pub fn value(l: u16, labels: u16) -> u8 {
    let last = u32::from(labels.saturating_sub(1).max(1));
    ((u32::from(l) * 255 + last / 2) / last).min(255) as u8
}

/// What is made of the histogram of grey labels.
#[derive(Debug)]
pub struct Finish {
    values: Vec<u8>,
}

/// Standard deviation of the noise of a grey picture, in grey levels: the mean response of a mask that is blind to flat and
/// tilted surfaces (Immerkær 1996). 0 below 3×3 pixels.
pub fn noise(grey: &[u8], width: usize, height: usize) -> f64 {
    if width < 3 || height < 3 {
        return 0.0;
    }
    let at = |x: usize, y: usize| i64::from(grey[y * width + x]);
    let mut sum = 0_i64;
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let row = |y: usize| [at(x - 1, y), at(x, y), at(x + 1, y)];
            let ([a, b, c], [d, e, f], [g, h, i]) = (row(y - 1), row(y), row(y + 1));
            sum += (a - 2 * b + c - 2 * d + 4 * e - 2 * f + g - 2 * h + i).abs();
        }
    }
    let pixels = (width - 2) as f64 * (height - 2) as f64;
    libm::sqrt(std::f64::consts::FRAC_PI_2) / 6.0 * sum as f64 / pixels
}

/// Weight of the smoothness for noise of this deviation: a sixth of it, a whole number, at least 1.
fn smoothness(noise: f64) -> f64 {
    (noise / 6.0).round().clamp(1.0, 16.0)
}

/// Prepares the job; see [`super::prepare::prepare`].
///
/// # Errors
/// As there.
pub fn prepare(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
) -> Result<Prepared> {
    let mut options = options.clone();
    if options.beta.is_none() {
        let (width, height) = (inputs.first.width as usize, inputs.first.height as usize);
        options.beta = Some(smoothness(noise(&inputs.first.grey(8), width, height)));
    }
    let options = &options;
    let first = plan(application, options, build, inputs)?;
    let labels = first.job.problem().labels;
    let values: Vec<u8> = (0..labels).map(|l| value(l, labels)).collect();
    let finish = prepare::Finish::Restore(Finish { values: values.clone() });
    let Some(path) = &options.application.mask else {
        return Ok(Prepared { plan: first, finish, passes: 0 });
    };
    let (width, height, mask) = read_plane(path)?;
    inputs.first.check_size("mask", path, (width, height))?;
    if mask.iter().all(|&m| m != 0) {
        return Err(Error::file("use mask", path, "it covers every pixel, so nothing is known"));
    }
    // Where nothing is known, every label costs the same.
    let mut costs = tabulate(&first)?;
    for (row, _) in costs.chunks_exact_mut(labels.into()).zip(&mask).filter(|(_, m)| **m != 0) {
        row.fill(0);
    }
    let special =
        Special { singleton: Some(Singleton::Table { costs }), values: Some(values), ..Special::default() };
    Ok(Prepared { plan: plan_with(application, options, build, inputs, special)?, finish, passes: 0 })
}

impl Finish {
    /// `restored.npy`, the mean grey value, and `restored.png`, the same rounded.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn extras<C: Count>(&self, plane: [u64; 2], source: &dyn Source<C>) -> Result<Vec<Extra>> {
        let mean = |_, row: &[C]| {
            let (mut sum, mut weighted) = (0_u64, 0_u64);
            for (&value, &count) in self.values.iter().zip(row) {
                let count = u64::from(count.into());
                sum += count;
                weighted += count * u64::from(value);
            }
            (weighted as f64 / sum.max(1) as f64) as f32
        };
        let greys: Vec<f32> = map(source, mean)?;
        let rounded = greys.iter().map(|&g| (g + 0.5) as u8).collect();
        let shape = plane.to_vec();
        Ok(vec![
            Extra { name: "restored.npy", shape: shape.clone(), values: Values::Float(greys) },
            Extra { name: "restored.png", shape, values: Values::Grey(rounded) },
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_estimated() {
        let flat: Vec<u8> = (0..60 * 40).map(|i| (i % 60 + i / 60) as u8).collect();
        assert_eq!(noise(&flat, 60, 40), 0.0, "a ramp has none");
        // Sums of 12 uniform numbers of 0…19: deviation √(12 · 399/12) ≈ 20.
        let sample = |i: u32| (0..12).map(|k| spa_model::rng::word(k, 0, i, 0, 0) % 20).sum::<u32>();
        let noisy: Vec<u8> = (0..60 * 40).map(|i| sample(i).min(255) as u8).collect();
        let found = noise(&noisy, 60, 40);
        assert!((found - 20.0).abs() < 2.0, "{found}");
        assert_eq!((smoothness(0.0), smoothness(25.0), smoothness(1e3)), (1.0, 4.0, 16.0));
    }

    #[test]
    fn labels_span_all_greys() {
        assert_eq!((value(0, 256), value(77, 256), value(255, 256)), (0, 77, 255));
        assert_eq!((value(0, 2), value(1, 2)), (0, 255));
        assert_eq!((value(0, 64), value(63, 64)), (0, 255));
    }
}
