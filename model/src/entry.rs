//! The label entry of Algorithm 1 and its messages (contract §7).

/// {RV, label, count}: `count` picks of `label` by RV `rv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    /// Global index y·W + x.
    pub rv: u32,
    /// The label.
    pub label: u8,
    /// 1…2^count_bits − 1.
    pub count: u32,
}

/// A label and how often it was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// The label; means nothing while `count` is 0.
    pub label: u8,
    /// Picks since the pair was sent or made.
    pub count: u16,
}

/// Two label+count pairs of one RV (Fig. 3.9a).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelEntry {
    /// Most recently picked.
    pub mrp: Count,
    /// Least recently picked.
    pub lrp: Count,
}

impl LabelEntry {
    /// Algorithm 1: enters `label`; the returned pair, if any, must be sent. `max` is 2^count_bits − 1.
    pub fn pick(&mut self, label: u8, max: u16) -> Option<Count> {
        let Self { mrp, lrp } = *self;
        if label == mrp.label {
            let (count, sent) = increment(mrp, max);
            self.mrp = count;
            sent
        } else if label == lrp.label {
            let (count, sent) = increment(lrp, max);
            *self = Self { mrp: count, lrp: mrp };
            sent
        } else {
            *self = Self { mrp: Count { label, count: 1 }, lrp: mrp };
            (lrp.count > 0).then_some(lrp)
        }
    }

    /// The pairs that the final drain sends.
    pub fn drain(&self) -> impl Iterator<Item = Count> + use<> {
        [self.mrp, self.lrp].into_iter().filter(|pair| pair.count > 0)
    }
}

/// One more pick of `pair`; a full counter is sent and restarts at 1.
fn increment(pair: Count, max: u16) -> (Count, Option<Count>) {
    if pair.count == max {
        (Count { count: 1, ..pair }, Some(pair))
    } else {
        (Count { count: pair.count + 1, ..pair }, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(entry: &LabelEntry) -> [(u8, u16); 2] {
        [(entry.mrp.label, entry.mrp.count), (entry.lrp.label, entry.lrp.count)]
    }

    #[test]
    fn algorithm_1_line_by_line() {
        let mut e = LabelEntry::default();
        assert_eq!(e.pick(5, 3), None);
        assert_eq!(pairs(&e), [(5, 1), (0, 0)]);
        e.pick(5, 3);
        assert_eq!(e.pick(5, 3), None);
        assert_eq!(e.pick(5, 3), Some(Count { label: 5, count: 3 }), "lines 4-6");
        assert_eq!(pairs(&e), [(5, 1), (0, 0)]);
        assert_eq!(e.pick(7, 3), None, "a pair with count 0 is never sent");
        assert_eq!(pairs(&e), [(7, 1), (5, 1)]);
        assert_eq!(e.pick(5, 3), None);
        assert_eq!(pairs(&e), [(5, 2), (7, 1)], "line 14");
        assert_eq!(e.pick(9, 3), Some(Count { label: 7, count: 1 }), "line 16");
        assert_eq!(pairs(&e), [(9, 1), (5, 2)]);
        e.pick(5, 3);
        assert_eq!(pairs(&e), [(5, 3), (9, 1)]);
        e.pick(9, 3);
        assert_eq!(e.pick(5, 3), Some(Count { label: 5, count: 3 }), "lines 10-12");
        assert_eq!(pairs(&e), [(5, 1), (9, 2)]);
    }

    #[test]
    fn label_zero_on_an_empty_entry() {
        let mut e = LabelEntry::default();
        e.pick(1, 255);
        assert_eq!(e.pick(0, 255), None);
        assert_eq!(pairs(&e), [(0, 1), (1, 1)]);
    }
}
