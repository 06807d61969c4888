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

    /// Algorithm 1 for `times` more picks of the label picked last; gives how often a full counter, {label, `max`}, must be
    /// sent. Of an entry without a pick nothing can be repeated: `times` must be 0.
    pub fn repeat(&mut self, times: u16, max: u16) -> u16 {
        debug_assert!(times == 0 || self.mrp.count > 0);
        let total = u32::from(self.mrp.count) + u32::from(times);
        if total <= u32::from(max) {
            self.mrp.count = total as u16;
            return 0;
        }
        // A hit on a full counter sends it and restarts at 1.
        self.mrp.count = ((total - 1) % u32::from(max)) as u16 + 1;
        ((total - 1) / u32::from(max)) as u16
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
    fn repeating_equals_one_pick_at_a_time() {
        for max in [1, 2, 3, 7, 255, u16::MAX] {
            for start in [1, 2, max / 2 + 1, max].into_iter().filter(|&start| start <= max) {
                for times in [0, 1, 2, 3, 6, 7, 300, 60_000] {
                    let mrp = Count { label: 4, count: start };
                    let mut one = LabelEntry { mrp, lrp: Count { label: 9, count: 1 } };
                    let mut many = one;
                    let sent = (0..times).filter_map(|_| one.pick(4, max)).count();
                    assert_eq!(usize::from(many.repeat(times, max)), sent, "{start} + {times} of {max}");
                    assert_eq!(many, one, "{start} + {times} of {max}");
                }
            }
        }
    }

    #[test]
    fn label_zero_on_an_empty_entry() {
        let mut e = LabelEntry::default();
        e.pick(1, 255);
        assert_eq!(e.pick(0, 255), None);
        assert_eq!(pairs(&e), [(0, 1), (1, 1)]);
    }
}
