//! Quality against ground truth: the measures of the stereo, flow and segmentation benchmarks.
//!
//! Unknown truth is left out; a pixel without an answer is a bad pixel, and is left out of mean errors. A measure without a
//! single pixel is none, never 0.

pub mod answer;
pub mod flow;
pub mod mask;
pub mod risk;
pub mod scale;
pub mod segment;
pub mod stereo;

use serde::Serialize;

/// Mean of `values`, none without any.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value below or at which `percent` of the sorted values lie (nearest rank).
fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// `part` of `whole` in percent.
fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

/// True if an answer is wrong by more than 3 pixels and 5% of the truth (outliers of KITTI 2015); both in pixels.
fn outlier(error: f64, truth: f64) -> bool {
    error > 3.0 && error > 0.05 * truth
}

/// Bad pixels at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bad {
    /// Pixels.
    pub threshold: f64,
    /// Percent of the region.
    pub percent: Option<f64>,
}

/// Bad pixels of a region of `pixels` by threshold: wrong by more than it, or without one of the `errors`.
fn bad(errors: &[f64], pixels: usize, thresholds: &[f64]) -> Vec<Bad> {
    let silent = pixels - errors.len();
    let at = |&threshold: &f64| {
        let wrong = errors.iter().filter(|&&e| e > threshold).count();
        Bad { threshold, percent: percent(wrong + silent, pixels) }
    };
    thresholds.iter().map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_none_and_ranks_are_nearest() {
        assert_eq!((mean(&[]), percentile(&[], 50.0), percent(0, 0)), (None, None, None));
        let sorted: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(percentile(&sorted, 50.0), Some(5.0));
        assert_eq!(percentile(&sorted, 95.0), Some(10.0));
        assert_eq!(percentile(&sorted, 0.0), Some(1.0));
    }
}
