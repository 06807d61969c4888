//! Segmentation: variation of information and boundary recall.

use super::{mean, percent};
use crate::formats::LabelMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Measures against one segmentation; of several, the means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measures {
    /// Variation of information in bits (Meilă 2003); 0 is equal.
    pub vi: f64,
    /// Percent of the true boundary within the tolerance of a boundary of the result.
    pub recall: Option<f64>,
    /// Percent of the boundary of the result within the tolerance of a true boundary.
    pub precision: Option<f64>,
}

/// Compares two segmentations of the same size; boundaries may be off by `tolerance` pixels.
pub fn measure(result: &LabelMap, truth: &LabelMap, tolerance: u32) -> Measures {
    let size = (result.width as usize, result.height as usize);
    let (found, wanted) = (boundary(&result.values, size), boundary(&truth.values, size));
    Measures {
        vi: variation_of_information(&result.values, &truth.values),
        recall: covered(&wanted, &found, size, tolerance),
        precision: covered(&found, &wanted, size, tolerance),
    }
}

/// Mean over several truths.
pub fn average(all: &[Measures]) -> Option<Measures> {
    let recall: Vec<f64> = all.iter().filter_map(|m| m.recall).collect();
    let precision: Vec<f64> = all.iter().filter_map(|m| m.precision).collect();
    let vi: Vec<f64> = all.iter().map(|m| m.vi).collect();
    Some(Measures { vi: mean(&vi)?, recall: mean(&recall), precision: mean(&precision) })
}

/// Variation of information of two labellings in bits: H(a|b) + H(b|a).
pub fn variation_of_information<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> f64 {
    let (mut left, mut right, mut joint) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (&x, &y) in a.iter().zip(b) {
        *left.entry(x).or_insert(0_u64) += 1;
        *right.entry(y).or_insert(0_u64) += 1;
        *joint.entry((x, y)).or_insert(0_u64) += 1;
    }
    let entropy = |counts: &mut dyn Iterator<Item = u64>| -> f64 {
        counts.map(|c| c as f64 / a.len() as f64).map(|p| -p * p.log2()).sum()
    };
    let joint = entropy(&mut joint.into_values());
    let (left, right) = (entropy(&mut left.into_values()), entropy(&mut right.into_values()));
    // Rounding must not make equal ones negative.
    (2.0 * joint - left - right).max(0.0)
}

/// Pixels whose right or lower neighbour has another label.
pub fn boundary<T: PartialEq>(labels: &[T], (width, height): (usize, usize)) -> Vec<bool> {
    let at = |i: usize| {
        let (x, y) = (i % width, i / width);
        x + 1 < width && labels[i] != labels[i + 1] || y + 1 < height && labels[i] != labels[i + width]
    };
    (0..width * height).map(at).collect()
}

/// Percent of `wanted` within `tolerance` (Euclidean) of a pixel of `found`.
fn covered(wanted: &[bool], found: &[bool], (width, height): (usize, usize), tolerance: u32) -> Option<f64> {
    let reach = i64::from(tolerance);
    let disc: Vec<(i64, i64)> = (-reach..=reach)
        .flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)))
        .filter(|(dx, dy)| dx * dx + dy * dy <= reach * reach)
        .collect();
    let near = |i: usize| {
        let (x, y) = ((i % width) as i64, (i / width) as i64);
        disc.iter().any(|(dx, dy)| {
            let (x, y) = (x + dx, y + dy);
            (0..width as i64).contains(&x)
                && (0..height as i64).contains(&y)
                && found[y as usize * width + x as usize]
        })
    };
    let all: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i]).collect();
    percent(all.iter().filter(|&&i| near(i)).count(), all.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: u32, values: Vec<u32>) -> LabelMap {
        LabelMap { width, height: values.len() as u32 / width, values }
    }

    #[test]
    fn variation_of_information_in_bits() {
        let vi = variation_of_information;
        assert_eq!(vi(&[1, 1, 2, 2], &[7, 7, 3, 3]), 0.0, "names of classes do not matter");
        assert_eq!(vi(&[0, 0, 0, 0], &[0, 0, 1, 1]), 1.0);
        assert_eq!(vi(&[0, 1, 0, 1], &[0, 0, 1, 1]), 2.0, "independent");
    }

    #[test]
    fn boundaries_may_be_off_by_the_tolerance() {
        // Boundaries of an 8x2 picture behind column 2 and behind column 4.
        let step = |at: u32| map(8, (0..16).map(|i| u32::from(i % 8 > at)).collect());
        let (truth, result) = (step(2), step(4));
        assert_eq!(measure(&result, &truth, 1).recall, Some(0.0));
        assert_eq!(measure(&result, &truth, 2).recall, Some(100.0));
        assert_eq!(measure(&result, &truth, 2).precision, Some(100.0));
        let flat = map(8, vec![0; 16]);
        assert_eq!(measure(&flat, &truth, 2).recall, Some(0.0));
        assert_eq!(measure(&result, &flat, 2).recall, None, "no boundary to find");
        let mean = average(&[measure(&result, &truth, 2), measure(&result, &flat, 2)]).unwrap();
        assert_eq!(mean.recall, Some(100.0));
        assert_eq!(average(&[]), None);
    }
}
