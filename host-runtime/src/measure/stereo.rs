//! Stereo: bad pixels, mean and root mean square error of disparities.

use super::{Bad, bad, mean, outlier, percent};
use crate::formats::Disparity;
use serde::Serialize;

/// Measures of one region; errors in pixels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stereo {
    /// Pixels of the region whose truth is known.
    pub pixels: usize,
    /// Those with an answer, in percent.
    pub answered: Option<f64>,
    /// Bad pixels by threshold: wrong by more than it, or without an answer.
    pub bad: Vec<Bad>,
    /// Root mean square error of the answers.
    pub rmse: Option<f64>,
    /// Mean absolute error of the answers.
    pub error: Option<f64>,
    /// Percent wrong by more than 3 pixels and 5% of the truth, or without an answer (D1 of KITTI 2015).
    pub outliers: Option<f64>,
}

/// Error of pixel `i` in pixels: none where the truth is unknown, infinite without an answer.
pub fn error(result: &Disparity, truth: &Disparity, i: usize) -> Option<f64> {
    let truth = f64::from(truth.get(i)?);
    Some(result.get(i).map_or(f64::INFINITY, |answer| (f64::from(answer) - truth).abs()))
}

/// Compares `result` with `truth` where `region` says so. All have the same size.
pub fn measure(result: &Disparity, truth: &Disparity, region: &[bool], thresholds: &[f64]) -> Stereo {
    let (mut pixels, mut outliers, mut errors) = (0, 0, Vec::new());
    for (i, _) in region.iter().enumerate().filter(|(_, inside)| **inside) {
        let Some(error) = error(result, truth, i) else { continue };
        pixels += 1;
        outliers += usize::from(outlier(error, f64::from(truth.values[i]).abs()));
        if error.is_finite() {
            errors.push(error);
        }
    }
    let squares: Vec<f64> = errors.iter().map(|e| e * e).collect();
    Stereo {
        pixels,
        answered: percent(errors.len(), pixels),
        bad: bad(&errors, pixels, thresholds),
        rmse: mean(&squares).map(f64::sqrt),
        error: mean(&errors),
        outliers: percent(outliers, pixels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let nan = f32::NAN;
        let truth = Disparity::new(6, 1, vec![10.0, 10.0, 10.0, nan, 10.0, 100.0]);
        let result = Disparity::new(6, 1, vec![10.0, 11.0, 14.0, 3.0, nan, 104.0]);
        let region = [true, true, true, true, true, true];
        let found = measure(&result, &truth, &region, &[0.5, 1.0, 4.0]);
        assert_eq!((found.pixels, found.answered), (5, Some(80.0)));
        // Errors 0, 1, 4, 4 and one without an answer; a threshold itself is not bad.
        let bad: Vec<_> = found.bad.iter().map(|b| b.percent.unwrap()).collect();
        assert_eq!(bad, [80.0, 60.0, 20.0]);
        assert_eq!(found.error, Some(9.0 / 4.0));
        assert_eq!(found.rmse, Some((33.0_f64 / 4.0).sqrt()));
        assert_eq!(found.outliers, Some(40.0), "4 of 100 is within 5%");
        let none = measure(&result, &truth, &[false; 6], &[1.0]);
        assert_eq!((none.pixels, none.bad[0].percent, none.rmse), (0, None, None));
    }
}
