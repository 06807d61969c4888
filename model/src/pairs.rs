//! Label entries of any number of pairs: what the choice of two pairs and of the least recently picked one rests on (Fig. 3.8).
//!
//! The contract has only [`crate::LabelEntry`]; with two pairs and [`Eviction::LeastRecent`] the entries here send the
//! same messages.

use crate::entry::Count;

/// Which pair makes room for a new label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eviction {
    /// The one that was picked longest ago.
    LeastRecent,
    /// The one of least count; among equal ones that picked longest ago. A count that was sent starts again, so that a
    /// full counter makes its label rare.
    LeastFrequent,
}

/// What a pick sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// A pair that made room for a new label.
    Evicted(Count),
    /// A counter that was full; its pair stays, at 1.
    Full(Count),
}

impl Sent {
    /// The pair that was sent.
    pub fn pair(self) -> Count {
        match self {
            Self::Evicted(pair) | Self::Full(pair) => pair,
        }
    }
}

/// The entries of many RVs, all of the same number of pairs.
#[derive(Debug, Clone)]
pub struct Entries {
    pairs: usize,
    eviction: Eviction,
    max: u16,
    /// By RV, the most recently picked pair first; empty ones, of count 0, last.
    slots: Vec<Count>,
}

impl Entries {
    /// Empty entries of `rvs` RVs with `pairs` ≥ 1 pairs each; `max` ≥ 1 is the largest count, 2^count_bits − 1.
    pub fn new(rvs: usize, pairs: usize, eviction: Eviction, max: u16) -> Self {
        let pairs = pairs.max(1);
        Self { pairs, eviction, max: max.max(1), slots: vec![Count::default(); rvs * pairs] }
    }

    /// Pairs of an entry.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Enters `label`, drawn for RV `rv`.
    pub fn pick(&mut self, rv: usize, label: u8) -> Option<Sent> {
        let entry = &mut self.slots[rv * self.pairs..(rv + 1) * self.pairs];
        let (at, pair, sent) = match entry.iter().position(|pair| pair.count > 0 && pair.label == label) {
            Some(at) if entry[at].count == self.max => {
                (at, Count { label, count: 1 }, Some(Sent::Full(entry[at])))
            }
            Some(at) => (at, Count { label, count: entry[at].count + 1 }, None),
            None => {
                let at = victim(entry, self.eviction);
                let sent = (entry[at].count > 0).then_some(Sent::Evicted(entry[at]));
                (at, Count { label, count: 1 }, sent)
            }
        };
        entry[..=at].rotate_right(1);
        entry[0] = pair;
        sent
    }

    /// The pairs of RV `rv` with a count, the most recently picked first: what the final drain sends.
    pub fn drain(&self, rv: usize) -> impl Iterator<Item = Count> + '_ {
        self.slots[rv * self.pairs..(rv + 1) * self.pairs].iter().copied().filter(|pair| pair.count > 0)
    }
}

/// Place of the pair that goes: an empty one if there is any, as its count is least and it lies last.
fn victim(entry: &[Count], eviction: Eviction) -> usize {
    let last = entry.len() - 1;
    match eviction {
        Eviction::LeastRecent => last,
        Eviction::LeastFrequent => (0..=last).rev().min_by_key(|&at| entry[at].count).unwrap_or(last),
    }
}
