//! Flow: end-point and angular error (Baker et al. 2011).

use super::{Bad, bad, mean, outlier, percent, percentile};
use crate::formats::Flow;
use serde::Serialize;

/// Measures of one region.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measures {
    /// Pixels of the region whose truth is known.
    pub pixels: usize,
    /// Those with an answer, in percent.
    pub answered: Option<f64>,
    /// Length of the difference of the vectors, in pixels.
    pub end_point: Distribution,
    /// Angle between (u, v, 1) and the true one, in degrees.
    pub angular: Distribution,
    /// Percent wrong by more than 3 pixels and 5% of the true length, or without an answer (Fl of KITTI 2015).
    pub outliers: Option<f64>,
    /// Percent wrong by more than a threshold in pixels, or without an answer.
    pub bad: Vec<Bad>,
}

/// How errors are spread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation.
    pub deviation: Option<f64>,
    /// Half of the errors are at most this.
    pub median: Option<f64>,
    /// 75% are at most this.
    pub p75: Option<f64>,
    /// 95% are at most this.
    pub p95: Option<f64>,
}

impl Distribution {
    fn of(mut errors: Vec<f64>) -> Self {
        errors.sort_by(f64::total_cmp);
        let average = mean(&errors);
        let squares: Vec<f64> = errors.iter().map(|e| (e - average.unwrap_or(0.0)).powi(2)).collect();
        Self {
            mean: average,
            deviation: mean(&squares).map(f64::sqrt),
            median: percentile(&errors, 50.0),
            p75: percentile(&errors, 75.0),
            p95: percentile(&errors, 95.0),
        }
    }
}

/// End-point error of pixel `i` in pixels: none where the truth is unknown, infinite without an answer.
pub fn error(result: &Flow, truth: &Flow, i: usize) -> Option<f64> {
    let [tu, tv] = truth.get(i)?.map(f64::from);
    Some(result.get(i).map_or(f64::INFINITY, |v| {
        let [u, v] = v.map(f64::from);
        (u - tu).hypot(v - tv)
    }))
}

/// Compares `result` with `truth` where `region` says so. All have the same size.
pub fn measure(result: &Flow, truth: &Flow, region: &[bool], thresholds: &[f64]) -> Measures {
    let (mut pixels, mut outliers) = (0, 0);
    let (mut lengths, mut angles) = (Vec::new(), Vec::new());
    for (i, _) in region.iter().enumerate().filter(|(_, inside)| **inside) {
        let Some(error) = error(result, truth, i) else { continue };
        let [tu, tv] = truth.vectors[i].map(f64::from);
        pixels += 1;
        outliers += usize::from(outlier(error, tu.hypot(tv)));
        if let Some([u, v]) = result.get(i).map(|v| v.map(f64::from)) {
            lengths.push(error);
            let cosine =
                (1.0 + u * tu + v * tv) / ((1.0 + u * u + v * v).sqrt() * (1.0 + tu * tu + tv * tv).sqrt());
            angles.push(cosine.clamp(-1.0, 1.0).acos().to_degrees());
        }
    }
    Measures {
        pixels,
        answered: percent(lengths.len(), pixels),
        bad: bad(&lengths, pixels, thresholds),
        end_point: Distribution::of(lengths),
        angular: Distribution::of(angles),
        outliers: percent(outliers, pixels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let truth = Flow::new(4, 1, vec![[0.0, 0.0], [3.0, 4.0], [f32::NAN, 0.0], [1.0, 0.0]]);
        let result = Flow::new(4, 1, vec![[1.0, 0.0], [0.0, 0.0], [9.0, 9.0], [f32::INFINITY, 0.0]]);
        let found = measure(&result, &truth, &[true; 4], &[1.0]);
        assert_eq!((found.pixels, found.end_point.mean), (3, Some(3.0)));
        assert_eq!((found.end_point.median, found.end_point.p95), (Some(1.0), Some(5.0)));
        assert_eq!(found.end_point.deviation, Some(2.0));
        // 45 degrees, and the angle of (3, 4, 1) to (0, 0, 1).
        let second = (1.0 / 26.0_f64.sqrt()).acos().to_degrees();
        assert!((found.angular.mean.unwrap() - (45.0 + second) / 2.0).abs() < 1e-9);
        assert!((found.outliers.unwrap() - 200.0 / 3.0).abs() < 1e-9);
        assert!((found.bad[0].percent.unwrap() - 200.0 / 3.0).abs() < 1e-9);
    }
}
