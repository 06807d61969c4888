//! Is a truth in other steps than the result? Ground truth of eight bits often counts 4, 8 or 16 steps to the pixel.

use crate::formats::Disparity;

/// Steps to the pixel that people use.
const USUAL: [f64; 11] = [2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 16.0, 32.0, 64.0, 128.0, 256.0];
/// Share of pixels that a scale has to explain.
const MANY: f64 = 0.4;
/// Disparities of the result from which a factor can be told.
const LEAST: f64 = 2.0;

/// What the values of a truth look like beside those of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Steps {
    /// So many times those of the result.
    Times(f64),
    /// All above the largest of the result: least true one, largest of the result.
    Above(f64, f64),
}

/// What `truth` looks like if its values cannot be pixels of `result`; none if they can. Both have the same size.
pub fn steps(result: &Disparity, truth: &Disparity) -> Option<Steps> {
    let both = |i: usize| Some((f64::from(result.get(i)?), f64::from(truth.get(i)?)));
    let pairs: Vec<(f64, f64)> = (0..truth.values.len()).filter_map(both).collect();
    let telling: Vec<(f64, f64)> = pairs.iter().copied().filter(|&(answer, _)| answer >= LEAST).collect();
    // Within a pixel, or a twentieth.
    let explained = |steps: f64| {
        let fits =
            |&&(answer, truth): &&(f64, f64)| (truth / steps - answer).abs() <= f64::max(1.0, 0.05 * answer);
        telling.iter().filter(fits).count() as f64 / telling.len().max(1) as f64
    };
    let best = USUAL.into_iter().max_by(|&a, &b| explained(a).total_cmp(&explained(b)))?;
    if explained(best) >= MANY && explained(1.0) < explained(best) / 4.0 {
        return Some(Steps::Times(best));
    }
    let largest = pairs.iter().map(|pair| pair.0).fold(f64::NEG_INFINITY, f64::max);
    let least = pairs.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min);
    (least > largest + 4.0 && largest > 0.0).then_some(Steps::Above(least, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_told_from_bad_results() {
        let map = |of: &dyn Fn(u32) -> f32| Disparity::new(40, 30, (0..1200).map(of).collect());
        let result = map(&|i| (i % 13) as f32);
        assert_eq!(steps(&result, &result), None);
        for scale in [2.0, 4.0, 8.0, 16.0, 256.0] {
            // Every third answer is wrong.
            let truth = map(&|i| scale * if i % 3 == 0 { 5.0 } else { (i % 13) as f32 });
            assert_eq!(steps(&result, &truth), Some(Steps::Times(f64::from(scale))));
        }
        // A bad result is no scale.
        assert_eq!(steps(&result, &map(&|i| (i * 7 % 31) as f32)), None);
        let far = map(&|i| 60.0 + (i * 7 % 131) as f32);
        assert_eq!(steps(&result, &far), Some(Steps::Above(60.0, 12.0)));
        assert_eq!(steps(&map(&|_| f32::NAN), &far), None);
    }
}
