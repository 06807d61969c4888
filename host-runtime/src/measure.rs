//! Quality against ground truth: the measures of the stereo, flow and segmentation benchmarks.
//!
//! Unknown truth is left out; a pixel without an answer is a bad pixel, and is left out of mean errors. A measure without a
//! single pixel is none, never 0.

pub mod answer;
pub mod flow;
pub mod mask;
pub mod risk;
pub mod segment;
pub mod stereo;

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
