//! How likely a pixel lies on a boundary of segments: its class differs from that of its right or lower neighbour.
//!
//! Marginals bound this probability and do not fix it; only samples of whole fields do (docs/uncertainty.md).

use crate::blocks::Block;
use spa_model::Count;

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
    block: &Block<'_, C>,
    size: (usize, usize),
    i: usize,
    fold: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> f64 {
    let rows: Vec<(&[C], f64)> = clique(i, size)
        .map(|n| block.rv(n))
        .map(|counts| (counts, super::total(counts).max(1) as f64))
        .collect();
    let share = |&(counts, total): &(&[C], f64), l: usize| {
        counts.get(l).map_or(0.0, |&count| f64::from(count.into()) / total)
    };
    (0..block.labels()).map(|l| fold(&mut rows.iter().map(|row| share(row, l)))).sum()
}

/// Probability of a boundary in pixel `i` of a field of `size` (width, height) if neighbours were independent.
pub fn independent<C: Count>(block: &Block<'_, C>, size: (usize, usize), i: usize) -> f32 {
    (1.0 - equal(block, size, i, |shares| shares.product())).clamp(0.0, 1.0) as f32
}

/// Least and largest probability of a boundary there that the marginals allow (Fréchet).
pub fn bounds<C: Count>(block: &Block<'_, C>, size: (usize, usize), i: usize) -> [f32; 2] {
    let others = clique(i, size).count() as f64 - 1.0;
    let most = equal(block, size, i, |shares| shares.fold(1.0, f64::min));
    // At most one label can have shares that overlap by necessity, so the sum is that label's.
    let least = equal(block, size, i, |shares| (shares.sum::<f64>() - others).max(0.0));
    [most, least].map(|p| (1.0 - p).clamp(0.0, 1.0) as f32)
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
    fn pair(a: [u16; 2], b: [u16; 2]) -> Vec<u16> {
        [a, b].concat()
    }

    /// Of every pixel of a field with so many labels: what independence says, and the bounds.
    fn all(counts: &[u16], labels: usize, size: (usize, usize)) -> (Vec<f32>, Vec<[f32; 2]>) {
        let block = Block::new(0, labels, counts, &[]);
        (0..counts.len() / labels).map(|i| (independent(&block, size, i), bounds(&block, size, i))).unzip()
    }

    #[test]
    fn marginals_do_not_fix_a_boundary() {
        // Fields 00 and 11 by turns: never a boundary. Fields 01 and 10: always one. The same marginals.
        let (independent, bounds) = all(&pair([5, 5], [5, 5]), 2, (2, 1));
        assert_eq!(independent, [0.5, 0.0]);
        assert_eq!(bounds, [[0.0, 1.0], [0.0, 0.0]]);
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
        let bounds = |a, b| all(&pair(a, b), 2, (2, 1)).1[0];
        assert_eq!(bounds([9, 0], [0, 9]), [1.0, 1.0]);
        assert_eq!(bounds([9, 0], [9, 0]), [0.0, 0.0]);
        // 0.9 and 0.8: equal with at least 0.7 + 0 and at most 0.8 + 0.1.
        let [low, high] = bounds([9, 1], [8, 2]);
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
        let shares = counts.shares().unwrap();
        for (share, [low, high]) in shares.iter().zip(all(&histogram, labels, (width, height)).1) {
            assert!(low - 1e-6 <= *share && *share <= high + 1e-6, "{low} {share} {high}");
        }
    }
}
