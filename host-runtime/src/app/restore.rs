//! Restoration: grey pictures without their noise and with their holes filled. The weight of the smoothness follows the noise.

use super::Application;
use super::fill::fill;
use super::prepare::{Extra, Prepared, Values, tabulate};
use crate::app::prepare;
use crate::blocks::{Source, map};
use crate::error::{Error, Result};
use crate::options::RunOptions;
use crate::plan::{Inputs, Special, plan, plan_with, read_mask};
use spa_model::{Count, Singleton};
use spagen::Build;
use std::path::Path;

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
/// tilted surfaces (Immerkær 1996), where its 3×3 pixels touch no `hole` (H×W; empty: there is none). 0 if there is no such
/// place.
pub fn noise(grey: &[u8], width: usize, height: usize, hole: &[bool]) -> f64 {
    if width < 3 || height < 3 {
        return 0.0;
    }
    let at = |x: usize, y: usize| i64::from(grey[y * width + x]);
    let known = |x: usize, y: usize| {
        hole.is_empty()
            || (y - 1..=y + 1).all(|y| !hole[y * width + x - 1..=y * width + x + 1].contains(&true))
    };
    let (mut sum, mut pixels) = (0_i64, 0_u64);
    for y in 1..height - 1 {
        for x in (1..width - 1).filter(|&x| known(x, y)) {
            let row = |y: usize| [at(x - 1, y), at(x, y), at(x + 1, y)];
            let ([a, b, c], [d, e, f], [g, h, i]) = (row(y - 1), row(y), row(y + 1));
            sum += (a - 2 * b + c - 2 * d + 4 * e - 2 * f + g - 2 * h + i).abs();
            pixels += 1;
        }
    }
    libm::sqrt(std::f64::consts::FRAC_PI_2) / 6.0 * sum as f64 / pixels.max(1) as f64
}

/// How many times less the guess at a pixel under the mask counts than a pixel that was seen: it decides where the neighbours
/// leave all open, and the answer stays less sure than outside. A strong smoothness leaves little open, so the guess has to say
/// less (chosen on the pictures of docs/quality.md).
fn doubt(alpha: f64, beta: f64) -> u32 {
    let ratio = beta / alpha;
    ((2.0 * ratio * ratio).round() as u32).clamp(2, 64)
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
    let hole = match &options.application.mask {
        Some(path) => read_holes(path, inputs)?,
        None => Vec::new(),
    };
    let mut options = options.clone();
    if options.beta.is_none() {
        let (width, height) = (inputs.first.width as usize, inputs.first.height as usize);
        options.beta = Some(smoothness(noise(&inputs.first.grey(8), width, height, &hole)));
    }
    let options = &options;
    let first = plan(application, options, build, inputs)?;
    let labels = first.job.problem().labels;
    let values: Vec<u8> = (0..labels).map(|l| value(l, labels)).collect();
    let finish = prepare::Finish::Restore(Finish { values: values.clone() });
    if hole.is_empty() {
        return Ok(Prepared { plan: first, finish, passes: 0 });
    }
    let mut costs = tabulate(&first)?;
    let seen = match options.costs {
        Some(_) => costs.chunks_exact(labels.into()).map(|row| values[lowest(row)]).collect(),
        None => inputs.first.grey(8),
    };
    let inputs = &with_greys(inputs, &fill(&seen, inputs.first.width as usize, &hole), &hole);
    // Costs of one's own know nothing of holes.
    let guess = plan(application, &RunOptions { costs: None, ..options.clone() }, build, inputs)?.job;
    let doubt = doubt(first.mapping.real_alpha, first.mapping.real_beta);
    let width = inputs.first.width as usize;
    for (i, row) in costs.chunks_exact_mut(labels.into()).enumerate().filter(|&(i, _)| hole[i]) {
        for (l, cost) in row.iter_mut().enumerate() {
            // At most 65,535: caps are u16.
            *cost =
                (guess.problem().singleton_cost((i % width) as u32, (i / width) as u32, l) / doubt) as u16;
        }
    }
    let special =
        Special { singleton: Some(Singleton::Table { costs }), values: Some(values), ..Special::default() };
    Ok(Prepared { plan: plan_with(application, options, build, inputs, special)?, finish, passes: 0 })
}

/// The first label of least cost, as the start takes it.
fn lowest(costs: &[u16]) -> usize {
    costs.iter().enumerate().min_by_key(|&(_, cost)| cost).map_or(0, |(l, _)| l)
}

/// Where the mask is not 0.
fn read_holes(path: &Path, inputs: &Inputs) -> Result<Vec<bool>> {
    let hole = read_mask("mask", path, &inputs.first)?;
    if hole.iter().all(|&hole| hole) {
        return Err(Error::file("use mask", path, "it covers every pixel, so nothing is known"));
    }
    Ok(hole)
}

/// The inputs with these grey values under the holes.
fn with_greys(inputs: &Inputs, greys: &[u8], hole: &[bool]) -> Inputs {
    let mut filled = inputs.clone();
    for ((pixel, &grey), _) in filled.first.rgb.iter_mut().zip(greys).zip(hole).filter(|(_, hole)| **hole) {
        *pixel = [grey; 3];
    }
    filled
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
        assert_eq!(noise(&flat, 60, 40, &[]), 0.0, "a ramp has none");
        // Sums of 12 uniform numbers of 0…19: deviation √(12 · 399/12) ≈ 20.
        let sample = |i: u32| (0..12).map(|k| spa_model::rng::word(k, 0, i, 0, 0) % 20).sum::<u32>();
        let noisy: Vec<u8> = (0..60 * 40).map(|i| sample(i).min(255) as u8).collect();
        let found = noise(&noisy, 60, 40, &[]);
        assert!((found - 20.0).abs() < 2.0, "{found}");
        assert_eq!((smoothness(0.0), smoothness(25.0), smoothness(1e3)), (1.0, 4.0, 16.0));
    }

    #[test]
    fn guesses_count_less_where_the_smoothness_is_strong() {
        assert_eq!((doubt(1.0, 1.0), doubt(0.5, 0.5), doubt(1.0, 3.0)), (2, 2, 18));
        assert_eq!((doubt(1.0, 0.0), doubt(0.0, 1.0), doubt(0.0, 0.0)), (2, 64, 2));
    }

    #[test]
    fn labels_span_all_greys() {
        assert_eq!((value(0, 256), value(77, 256), value(255, 256)), (0, 77, 255));
        assert_eq!((value(0, 2), value(1, 2)), (0, 255));
        assert_eq!((value(0, 64), value(63, 64)), (0, 255));
    }
}
