//! How often every label of every RV was drawn in a block of iterations, sparse: most RVs take few labels.

use super::{Sums, rhat};
use spa_model::{Histogram, LabelEntry, Message};

/// Counts of one block of at most 255 iterations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Where the picks of each RV start, rvs + 1.
    starts: Vec<u32>,
    /// Label and count.
    picks: Vec<(u8, u8)>,
}

impl Block {
    /// The counts of a run's histogram, of at most 255 iterations.
    pub fn of_histogram(histogram: &Histogram) -> Self {
        let mut block = Self { starts: vec![0], picks: Vec::new() };
        for i in 0..histogram.rvs() {
            let drawn = histogram.rv(i).iter().enumerate().filter(|(_, count)| **count > 0);
            block.picks.extend(drawn.map(|(label, &count)| (label as u8, count as u8)));
            block.starts.push(block.picks.len() as u32);
        }
        block
    }

    /// The counts between two moments of a run: the messages sent between them, and what the label entries held before and after.
    pub fn between(before: &[LabelEntry], messages: &[Message], after: &[LabelEntry]) -> Self {
        let held = |entries: &[LabelEntry], sign: i32| -> Vec<(u32, u8, i32)> {
            let pairs = entries.iter().enumerate();
            pairs
                .flat_map(|(i, e)| e.drain().map(move |p| (i as u32, p.label, sign * i32::from(p.count))))
                .collect()
        };
        let mut changes = held(before, -1);
        changes.extend(held(after, 1));
        changes.extend(messages.iter().map(|m| (m.rv, m.label, m.count as i32)));
        changes.sort_unstable_by_key(|&(rv, label, _)| (rv, label));
        let mut block = Self { starts: Vec::with_capacity(after.len() + 1), picks: Vec::new() };
        block.starts.push(0);
        let mut rest = changes.as_slice();
        for i in 0..after.len() as u32 {
            while let Some(&(rv, label, _)) = rest.first().filter(|change| change.0 == i) {
                let same = rest.iter().take_while(|c| (c.0, c.1) == (rv, label)).count();
                let count: i32 = rest[..same].iter().map(|c| c.2).sum();
                if count > 0 {
                    block.picks.push((label, count as u8));
                }
                rest = &rest[same..];
            }
            block.starts.push(block.picks.len() as u32);
        }
        block
    }

    /// Labels of RV `i` that were drawn, ascending, and how often.
    pub fn of_rv(&self, i: usize) -> &[(u8, u8)] {
        &self.picks[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        4 * self.starts.len() + 2 * self.picks.len()
    }
}

/// Largest R̂ of the indicators of all labels of RV `i`; `sequences` are blocks that belong together, `n` draws in all each.
pub fn rhat_of_rv(i: usize, labels: usize, n: u32, sequences: &[Vec<&Block>]) -> f64 {
    let mut counts = vec![0_u32; labels * sequences.len()];
    for (k, blocks) in sequences.iter().enumerate() {
        for &(label, count) in blocks.iter().flat_map(|block| block.of_rv(i)) {
            counts[usize::from(label) * sequences.len() + k] += u32::from(count);
        }
    }
    let of = |counts: &[u32]| -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 1.0;
        }
        rhat(n, &counts.iter().map(|&count| Sums::of_count(count)).collect::<Vec<_>>())
    };
    counts.chunks_exact(sequences.len()).map(of).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_between_two_moments() {
        // RV 0 picks 1 1 2 | 2 3 1, RV 1 picks 5 5 5 | 5 5 5, with full counters at 3.
        let (mut entries, mut messages) = (vec![LabelEntry::default(); 2], Vec::new());
        let pick = |entries: &mut Vec<LabelEntry>, rv: usize, label: u8, messages: &mut Vec<Message>| {
            let sent = entries[rv].pick(label, 3);
            messages.extend(sent.map(|p| Message { rv: rv as u32, label: p.label, count: p.count.into() }));
        };
        for label in [1, 1, 2] {
            pick(&mut entries, 0, label, &mut messages);
            pick(&mut entries, 1, 5, &mut messages);
        }
        let (before, first) = (entries.clone(), std::mem::take(&mut messages));
        let block = Block::between(&[LabelEntry::default(); 2], &first, &before);
        assert_eq!((block.of_rv(0), block.of_rv(1)), (&[(1, 2), (2, 1)][..], &[(5, 3)][..]));
        for label in [2, 3, 1] {
            pick(&mut entries, 0, label, &mut messages);
            pick(&mut entries, 1, 5, &mut messages);
        }
        let block = Block::between(&before, &messages, &entries);
        assert_eq!((block.of_rv(0), block.of_rv(1)), (&[(1, 1), (2, 1), (3, 1)][..], &[(5, 3)][..]));
        let histogram = Histogram::new(6, vec![0_u16, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3]).unwrap();
        assert_eq!(Block::of_histogram(&histogram), block);
    }

    #[test]
    fn the_worst_label_counts() {
        let block = |counts: [u16; 3]| Block::of_histogram(&Histogram::new(3, counts.to_vec()).unwrap());
        let (a, b, c) = (block([25, 25, 0]), block([24, 26, 0]), block([0, 0, 50]));
        assert!(rhat_of_rv(0, 3, 50, &[vec![&a], vec![&b]]) < 1.1);
        assert_eq!(rhat_of_rv(0, 3, 50, &[vec![&c], vec![&c]]), 1.0);
        assert_eq!(rhat_of_rv(0, 3, 50, &[vec![&a], vec![&c]]), f64::INFINITY);
        assert!(rhat_of_rv(0, 3, 100, &[vec![&a, &c], vec![&b, &c]]) < 1.1);
    }
}
