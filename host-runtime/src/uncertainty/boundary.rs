//! How likely a pixel lies on a boundary of segments: its class differs from that of its right or lower neighbour.
//!
//! Marginals bound this probability and do not fix it; only samples of whole fields do (docs/uncertainty.md).

use spa_model::{Count, Histogram};

/// Where probabilities of boundaries come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Counted in the drawn fields.
    Samples,
    /// From marginals, as if neighbours were independent.
    Independent,
}

/// RVs whose labels decide: the pixel itself, its right and its lower neighbour where they exist.
fn clique(i: usize, (width, height): (usize, usize)) -> impl Iterator<Item = usize> + Clone {
    let (x, y) = (i % width, i / width);
    [Some(i), (x + 1 < width).then_some(i + 1), (y + 1 < height).then_some(i + width)].into_iter().flatten()
}

/// Σ over labels of what `fold` makes of the shares of the pixel and its neighbours.
fn equal<C: Count>(
    histogram: &Histogram<C>,
    size: (usize, usize),
    i: usize,
    fold: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> f64 {
    let totals: Vec<(usize, f64)> =
        clique(i, size).map(|n| (n, super::total(histogram.rv(n)).max(1) as f64)).collect();
    let share = |&(n, total): &(usize, f64), l: usize| f64::from(histogram.rv(n)[l].into()) / total;
    (0..histogram.labels()).map(|l| fold(&mut totals.iter().map(|n| share(n, l)))).sum()
}

/// Probability of a boundary in every pixel if neighbours were independent, H·W.
pub fn independent<C: Count>(histogram: &Histogram<C>, size: (usize, usize)) -> Vec<f32> {
    let at = |i: usize| 1.0 - equal(histogram, size, i, |shares| shares.product());
    (0..histogram.rvs()).map(|i| at(i).clamp(0.0, 1.0) as f32).collect()
}

/// Least and largest probability of a boundary that the marginals allow (Fréchet), H·W.
pub fn bounds<C: Count>(histogram: &Histogram<C>, size: (usize, usize)) -> Vec<[f32; 2]> {
    let at = |i: usize| {
        let others = clique(i, size).count() as f64 - 1.0;
        let most = equal(histogram, size, i, |shares| shares.fold(1.0, f64::min));
        // At most one label can have shares that overlap by necessity, so the sum is that label's.
        let least = equal(histogram, size, i, |shares| (shares.sum::<f64>() - others).max(0.0));
        [most, least].map(|p| (1.0 - p).clamp(0.0, 1.0) as f32)
    };
    (0..histogram.rvs()).map(at).collect()
}

/// Counts, field by field, how often every pixel lay on a boundary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryCounts {
    size: (usize, usize),
    fields: u32,
    counts: Vec<u32>,
}

impl BoundaryCounts {
    /// None yet, of a field of `size` (width, height).
    pub fn new(size: (usize, usize)) -> Self {
        Self { size, fields: 0, counts: vec![0; size.0 * size.1] }
    }

    /// One more field of labels, H·W.
    pub fn add(&mut self, labels: &[u8]) {
        let on = crate::measure::segment::boundary(labels, self.size);
        self.counts.iter_mut().zip(on).for_each(|(count, on)| *count += u32::from(on));
        self.fields += 1;
    }

    /// Share of the fields in which every pixel lay on a boundary, H·W; none without a field.
    pub fn shares(&self) -> Option<Vec<f32>> {
        let fields = f64::from(self.fields);
        (self.fields > 0).then(|| self.counts.iter().map(|&c| (f64::from(c) / fields) as f32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two RVs side by side, two labels.
    fn pair(a: [u16; 2], b: [u16; 2]) -> Histogram {
        Histogram::new(2, [a, b].concat()).unwrap()
    }

    #[test]
    fn marginals_do_not_fix_a_boundary() {
        // Fields 00 and 11 by turns: never a boundary. Fields 01 and 10: always one. The same marginals.
        let histogram = pair([5, 5], [5, 5]);
        assert_eq!(independent(&histogram, (2, 1)), [0.5, 0.0]);
        assert_eq!(bounds(&histogram, (2, 1)), [[0.0, 1.0], [0.0, 0.0]]);
        let shares = |fields: [[u8; 2]; 2]| {
            let mut counts = BoundaryCounts::new((2, 1));
            fields.iter().for_each(|field| counts.add(field));
            counts.shares().unwrap()
        };
        assert_eq!(shares([[0, 0], [1, 1]]), [0.0, 0.0]);
        assert_eq!(shares([[0, 1], [1, 0]]), [1.0, 0.0]);
        assert_eq!(BoundaryCounts::new((2, 1)).shares(), None);
    }

    #[test]
    fn certain_labels_leave_no_choice() {
        assert_eq!(bounds(&pair([9, 0], [0, 9]), (2, 1))[0], [1.0, 1.0]);
        assert_eq!(bounds(&pair([9, 0], [9, 0]), (2, 1))[0], [0.0, 0.0]);
        // 0.9 and 0.8: equal with at least 0.7 + 0 and at most 0.8 + 0.1.
        let [low, high] = bounds(&pair([9, 1], [8, 2]), (2, 1))[0];
        assert!((low - 0.1).abs() < 1e-6 && (high - 0.3).abs() < 1e-6, "{low} {high}");
    }

    #[test]
    fn samples_lie_within_the_bounds() {
        let (width, height, labels) = (4, 3, 3);
        let mut counts = BoundaryCounts::new((width, height));
        let mut histogram = vec![0_u16; width * height * labels];
        for n in 0..60 {
            let word = |i: u32| spa_model::rng::word(3, 0, i, n / 3, 0) % 3;
            let field: Vec<u8> =
                (0..12).map(|i| if word(i) == 0 { word(0) as u8 } else { word(i) as u8 }).collect();
            counts.add(&field);
            field.iter().enumerate().for_each(|(i, &l)| histogram[i * labels + usize::from(l)] += 1);
        }
        let histogram = Histogram::new(labels, histogram).unwrap();
        let shares = counts.shares().unwrap();
        for (share, [low, high]) in shares.iter().zip(bounds(&histogram, (width, height))) {
            assert!(low - 1e-6 <= *share && *share <= high + 1e-6, "{low} {share} {high}");
        }
    }
}
