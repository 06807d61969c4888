//! Histograms block of rows by block of rows: what is read off them needs no more of them at a time (docs/big.md).

use crate::error::Result;
use spa_model::hash::Hasher;
use spa_model::histogram::{confidence_of, mode_of};
use spa_model::{Count, Histogram};
use std::borrow::Cow;
use std::fmt::Debug;

/// Where the counts of a field come from.
pub trait Source<C: Count>: Debug {
    /// Width and height.
    fn size(&self) -> (u32, u32);

    /// Labels L.
    fn labels(&self) -> usize;

    /// Shows all rows to `work`, from the top to the bottom; each time from the start.
    ///
    /// # Errors
    /// Those of `work`, and whatever keeps the counts from being read.
    fn each(&self, work: &mut dyn FnMut(&Block<'_, C>) -> Result<()>) -> Result<()>;
}

/// Some rows of counts.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, C> {
    /// Index of the first RV.
    first: usize,
    labels: usize,
    /// Counts of the rows.
    counts: &'a [C],
    /// Counts of the row after them; empty after the last.
    below: &'a [C],
}

impl<'a, C: Count> Block<'a, C> {
    /// The rows from RV `first` on, `labels` counts a RV, and the row `below` them.
    pub fn new(first: usize, labels: usize, counts: &'a [C], below: &'a [C]) -> Self {
        Self { first, labels, counts, below }
    }

    /// Labels L.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// All counts of its rows, C order.
    pub fn counts(&self) -> &'a [C] {
        self.counts
    }

    /// The RVs of its rows: index in the field and counts.
    pub fn rvs(&self) -> impl Iterator<Item = (usize, &'a [C])> + use<'a, C> {
        (self.first..).zip(self.counts.chunks_exact(self.labels))
    }

    /// Counts of RV `i` of its rows; empty for all others.
    pub fn own(&self, i: usize) -> &'a [C] {
        of(self.counts, i.wrapping_sub(self.first), self.labels)
    }

    /// Counts of RV `i` of its rows or of the row below; empty for all others.
    pub fn rv(&self, i: usize) -> &'a [C] {
        let n = i.wrapping_sub(self.first);
        match n.checked_sub(self.counts.len() / self.labels) {
            Some(n) => of(self.below, n, self.labels),
            None => of(self.counts, n, self.labels),
        }
    }
}

/// The n-th row of `labels` counts; empty where there is none.
fn of<C>(counts: &[C], n: usize, labels: usize) -> &[C] {
    let from = n.saturating_mul(labels);
    counts.get(from..from.saturating_add(labels)).unwrap_or_default()
}

/// A histogram that is in memory as a whole.
#[derive(Debug, Clone)]
pub struct Whole<'a, C: Count> {
    size: (u32, u32),
    histogram: Cow<'a, Histogram<C>>,
}

impl<'a, C: Count> Whole<'a, C> {
    /// The histogram of a field of `size` (width, height).
    pub fn of(size: (u32, u32), histogram: &'a Histogram<C>) -> Self {
        Self { size, histogram: Cow::Borrowed(histogram) }
    }

    /// The same, kept.
    pub fn owned(size: (u32, u32), histogram: Histogram<C>) -> Self {
        Self { size, histogram: Cow::Owned(histogram) }
    }
}

impl<C: Count> Source<C> for Whole<'_, C> {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn labels(&self) -> usize {
        self.histogram.labels()
    }

    fn each(&self, work: &mut dyn FnMut(&Block<'_, C>) -> Result<()>) -> Result<()> {
        work(&Block::new(0, self.histogram.labels(), self.histogram.counts(), &[]))
    }
}

/// What `of` makes of every RV (its index and its counts), in their order.
///
/// # Errors
/// As [`Source::each`].
pub fn map<C: Count, T>(source: &dyn Source<C>, mut of: impl FnMut(usize, &[C]) -> T) -> Result<Vec<T>> {
    let (width, height) = source.size();
    let mut all = Vec::with_capacity(width as usize * height as usize);
    source.each(&mut |block| {
        all.extend(block.rvs().map(|(i, counts)| of(i, counts)));
        Ok(())
    })?;
    Ok(all)
}

/// What most results need of a histogram: a few bytes a RV.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// Label of highest count of every RV, the lowest one on a tie.
    pub mode: Vec<u8>,
    /// Share of the mode, 0…1.
    pub confidence: Vec<f32>,
    /// How many different labels were drawn.
    pub entries: Vec<u16>,
}

impl Digest {
    /// That of `source`; `hasher`, if there, takes all counts.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn of<C: Count>(source: &dyn Source<C>, mut hasher: Option<&mut Hasher>) -> Result<Self> {
        let (width, height) = source.size();
        let rvs = width as usize * height as usize;
        let mut digest = Self {
            mode: Vec::with_capacity(rvs),
            confidence: Vec::with_capacity(rvs),
            entries: Vec::with_capacity(rvs),
        };
        source.each(&mut |block| {
            match &mut hasher {
                // The hash takes as long as all the rest.
                Some(hasher) => {
                    rayon::join(|| hasher.counts(block.counts()), || digest.add(block));
                }
                None => digest.add(block),
            }
            Ok(())
        })?;
        Ok(digest)
    }

    /// Adds the RVs of the next rows.
    fn add<C: Count>(&mut self, block: &Block<'_, C>) {
        for (_, counts) in block.rvs() {
            self.mode.push(mode_of(counts));
            self.confidence.push(confidence_of(counts));
            self.entries.push(counts.iter().map(|&count| u16::from(count.into() > 0)).sum());
        }
    }

    /// Mean share of the mode.
    pub fn mean_confidence(&self) -> f64 {
        self.confidence.iter().map(|&c| f64::from(c)).sum::<f64>() / self.confidence.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_know_the_row_below() {
        let counts: Vec<u16> = (0..12).collect();
        let block = Block::new(4, 2, &counts[..8], &counts[8..]);
        assert_eq!(block.rvs().map(|(i, c)| (i, c[0])).collect::<Vec<_>>(), [(4, 0), (5, 2), (6, 4), (7, 6)]);
        assert_eq!((block.rv(4), block.rv(7), block.rv(9)), (&[0, 1][..], &[6, 7][..], &[10, 11][..]));
        assert!(block.rv(3).is_empty() && block.rv(10).is_empty());
    }
}
