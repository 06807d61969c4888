//! Risk and coverage: does the confidence of an answer tell where it is wrong?
//!
//! Pixels are taken by falling confidence. The risk at a coverage of 30% is the share of wrong ones among the surest 30%; the area
//! under that curve, divided by the share of wrong pixels of all, is 1 for a confidence that knows nothing, and as near to 0 as it
//! knows more (El-Yaniv and Wiener 2010; "sparsification" in the literature on flow).

use serde::Serialize;

/// Risk and coverage at one threshold of an error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    /// A pixel is wrong beyond this error, in pixels, or without an answer.
    pub threshold: f64,
    /// Wrong pixels among the surest 10%, 20%, … 100%, in percent.
    pub curve: [f64; 10],
    /// Area under the curve at every pixel, divided by that of a random order; none where nothing is wrong.
    pub area: Option<f64>,
}

/// Orders `pixels` (confidence, error) and counts those beyond every threshold. Equally sure pixels are mixed: each counts as wrong
/// by the share of wrong ones among them. None without a single pixel.
pub fn measure(mut pixels: Vec<(f32, f64)>, thresholds: &[f64]) -> Option<Vec<Risk>> {
    if pixels.is_empty() {
        return None;
    }
    pixels.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(thresholds.iter().map(|&threshold| at(&pixels, threshold)).collect())
}

fn at(pixels: &[(f32, f64)], threshold: f64) -> Risk {
    let total = pixels.len();
    let (mut wrong, mut seen, mut sum) = (0.0, 0, 0.0);
    let mut curve = [0.0; 10];
    for equal in pixels.chunk_by(|a, b| a.0 == b.0) {
        let bad = equal.iter().filter(|(_, error)| *error > threshold).count();
        let share = bad as f64 / equal.len() as f64;
        for _ in equal {
            wrong += share;
            seen += 1;
            let risk = wrong / f64::from(seen);
            sum += risk;
            // Tenths that this pixel completes: several where there are fewer than ten pixels.
            let tenths = |n: usize| 10 * n / total;
            for tenth in tenths(seen as usize - 1)..tenths(seen as usize) {
                curve[tenth] = 100.0 * risk;
            }
        }
    }
    let all = wrong / total as f64;
    Risk { threshold, curve, area: (wrong > 0.0).then(|| sum / total as f64 / all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // The two least sure ones are wrong, of ten.
        let pixels = |wrong: [usize; 2]| {
            (0..10).map(|n| (1.0 - n as f32 / 10.0, if wrong.contains(&n) { 3.0 } else { 0.0 })).collect()
        };
        let found = measure(pixels([8, 9]), &[1.0, 3.0]).unwrap();
        assert_eq!(found[0].curve[..8], [0.0; 8]);
        assert!((found[0].curve[8] - 100.0 / 9.0).abs() < 1e-9 && (found[0].curve[9] - 20.0).abs() < 1e-9);
        assert!((found[0].area.unwrap() - (1.0 / 9.0 + 0.2) / 10.0 / 0.2).abs() < 1e-9);
        assert_eq!(
            (found[1].area, found[1].curve),
            (None, [0.0; 10]),
            "an error of a threshold is not beyond it"
        );
        assert!(measure(pixels([0, 1]), &[1.0]).unwrap()[0].area.unwrap() > 2.0, "surest and wrong");
        assert_eq!(measure(Vec::new(), &[1.0]), None);
    }

    #[test]
    fn equally_sure_pixels_are_mixed() {
        let pixels = (0..100).map(|n| (0.5, if n < 30 { 2.0 } else { 0.0 })).collect();
        let found = &measure(pixels, &[1.0]).unwrap()[0];
        assert!(found.curve.iter().all(|risk| (risk - 30.0).abs() < 1e-9));
        assert!((found.area.unwrap() - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_whole_is_the_share_of_wrong_pixels(pixels in prop::collection::vec((0.0_f32..1.0, 0.0_f64..4.0), 1..200)) {
            let wrong = pixels.iter().filter(|(_, error)| *error > 1.0).count();
            let share = 100.0 * wrong as f64 / pixels.len() as f64;
            let found = &measure(pixels, &[1.0]).unwrap()[0];
            prop_assert!((found.curve[9] - share).abs() < 1e-6);
            prop_assert!(found.curve.iter().all(|risk| (0.0..=100.0 + 1e-6).contains(risk)));
        }
    }
}
