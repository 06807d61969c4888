//! Entries of any number of pairs: with two and the least recently picked one they are the contract's, and what must
//! hold of the others.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use proptest::prelude::*;
use spa_model::LabelEntry;
use spa_model::pairs::{Entries, Eviction, Sent};
use std::collections::HashMap;

/// Labels drawn for one RV: few different ones, often the same again.
fn picks() -> impl Strategy<Value = Vec<u8>> {
    (1..12_u8).prop_flat_map(|labels| prop::collection::vec((0..labels, 1..6_usize), 0..120)).prop_map(
        |runs| runs.into_iter().flat_map(|(label, times)| std::iter::repeat_n(label, times)).collect(),
    )
}

/// All that RV 1 of 3 sends: by pick, and at the end.
fn follow(picks: &[u8], pairs: usize, eviction: Eviction, max: u16) -> (Vec<Option<Sent>>, Vec<(u8, u16)>) {
    let mut entries = Entries::new(3, pairs, eviction, max);
    let sent = picks.iter().map(|&label| entries.pick(1, label)).collect();
    assert_eq!(entries.drain(0).chain(entries.drain(2)).count(), 0, "other RVs keep out");
    (sent, entries.drain(1).map(|pair| (pair.label, pair.count)).collect())
}

fn evictions(sent: &[Option<Sent>]) -> Vec<bool> {
    sent.iter().map(|sent| matches!(sent, Some(Sent::Evicted(_)))).collect()
}

fn messages(sent: &[Option<Sent>], drained: &[(u8, u16)]) -> usize {
    sent.iter().flatten().count() + drained.len()
}

const RULES: [Eviction; 2] = [Eviction::LeastRecent, Eviction::LeastFrequent];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn two_pairs_least_recently_picked_is_the_label_entry(picks in picks(), max in 1..9_u16) {
        let mut entry = LabelEntry::default();
        let expected: Vec<_> = picks.iter().map(|&label| entry.pick(label, max)).collect();
        let (sent, drained) = follow(&picks, 2, Eviction::LeastRecent, max);
        let plain: Vec<_> = sent.iter().map(|s| s.map(Sent::pair)).collect();
        prop_assert_eq!(plain, expected);
        prop_assert_eq!(drained, entry.drain().map(|pair| (pair.label, pair.count)).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_sent_is_the_histogram(picks in picks(), pairs in 1..9_usize, max in 1..9_u16) {
        let mut expected: HashMap<u8, u32> = HashMap::new();
        picks.iter().for_each(|&label| *expected.entry(label).or_default() += 1);
        for rule in RULES {
            let (sent, drained) = follow(&picks, pairs, rule, max);
            let mut found: HashMap<u8, u32> = HashMap::new();
            let pairs = sent.iter().flatten().map(|sent| (sent.pair().label, sent.pair().count));
            for (label, count) in pairs.chain(drained) {
                prop_assert!((1..=max).contains(&count));
                *found.entry(label).or_default() += u32::from(count);
            }
            prop_assert_eq!(&found, &expected);
        }
    }

    /// Least recently picked is a stack: what k pairs hold, k + 1 hold too.
    #[test]
    fn one_more_pair_evicts_at_no_pick_where_fewer_do_not(picks in picks(), pairs in 1..8_usize, max in 1..9_u16) {
        let few = follow(&picks, pairs, Eviction::LeastRecent, max);
        let more = follow(&picks, pairs + 1, Eviction::LeastRecent, max);
        for (few, more) in evictions(&few.0).into_iter().zip(evictions(&more.0)) {
            prop_assert!(few || !more);
        }
        prop_assert!(messages(&more.0, &more.1) <= messages(&few.0, &few.1));
    }

    #[test]
    fn one_pair_evicts_at_every_change_and_enough_pairs_never(picks in picks(), max in 1..9_u16) {
        for rule in RULES {
            let changes: Vec<bool> =
                (0..picks.len()).map(|n| n > 0 && picks[n] != picks[n - 1]).collect();
            prop_assert_eq!(evictions(&follow(&picks, 1, rule, max).0), changes);
            prop_assert!(!evictions(&follow(&picks, 12, rule, max).0).contains(&true));
        }
    }
}

#[test]
fn the_rarest_pair_goes_and_of_equal_ones_the_older() {
    let mut entries = Entries::new(1, 3, Eviction::LeastFrequent, 255);
    for label in [1, 1, 2, 3, 3, 1] {
        assert_eq!(entries.pick(0, label), None);
    }
    let pair = |sent: Option<Sent>| match sent {
        Some(Sent::Evicted(pair)) => (pair.label, pair.count),
        other => panic!("{other:?}"),
    };
    assert_eq!(pair(entries.pick(0, 4)), (2, 1), "although label 3 was picked before label 1");
    assert_eq!(pair(entries.pick(0, 5)), (4, 1));
    entries.pick(0, 5);
    assert_eq!(pair(entries.pick(0, 6)), (3, 2), "picked before label 5, which was picked as often");
}

#[test]
fn least_recently_picked_forgets_where_least_frequently_picked_keeps() {
    // A label of the warm-up, then two that alternate with a third: the reason of the dissertation's choice.
    let picks: Vec<u8> = std::iter::repeat_n(9, 50).chain((0..60).map(|n| n % 2)).collect();
    let count = |rule| evictions(&follow(&picks, 2, rule, 255).0).into_iter().filter(|&e| e).count();
    assert_eq!(count(Eviction::LeastRecent), 1);
    assert_eq!(count(Eviction::LeastFrequent), 59);
}
