//! The label log: round trip, refusals, and that it is the exact histogram.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use proptest::prelude::*;
use spa_model::message::MessageFormat;
use spa_model::{Histogram, LabelEntry, Message, S2Addressing, Tiling};
use std::collections::HashMap;

fn tiling() -> Tiling {
    Tiling {
        cols: 3,
        rows: 2,
        spus: 2,
        tile_width: 8,
        tile_height: 6,
        slot_cycles: 4,
        switch_gap: 0,
        s2: S2Addressing::Links,
        s2_width: 8,
        s2_height: 6,
    }
}

fn format(bits: u32) -> MessageFormat {
    MessageFormat { bits, count_bits: 8, label_bits: 6, rv_bits: 12, spe_bits: 3, line_bits: 256 }
}

fn line(format: MessageFormat, words: &[u64]) -> Vec<u8> {
    let size = (format.bits / 8) as usize;
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()[..size].to_vec()).collect();
    bytes.resize(bytes.len().next_multiple_of(format.line_bytes()), 0);
    bytes
}

const FIELD: (u32, u32, u16) = (21, 11, 64);

proptest! {
    #[test]
    fn messages_survive_the_log(
        raw in proptest::collection::vec((0_u32..21, 0_u32..11, 0_u8..64, 1_u32..256), 0..60),
        wide: bool,
    ) {
        let (format, tiling) = (format(if wide { 64 } else { 32 }), tiling());
        let words: Vec<u64> = raw.iter().map(|&(x, y, label, count)| {
            let (spe, tx, ty) = tiling.locate(x, y);
            format.encode(spe, tiling.rv_address(tx, ty), label, count)
        }).collect();
        let mut decoded = Vec::new();
        format.decode(&tiling, FIELD, 0, &line(format, &words), &mut decoded).unwrap();
        let sent: Vec<Message> =
            raw.iter().map(|&(x, y, label, count)| Message { rv: y * 21 + x, label, count }).collect();
        prop_assert_eq!(decoded, sent);
    }

    #[test]
    fn algorithm_1_loses_no_pick(picks in proptest::collection::vec(0_u8..5, 0..400), count_bits in 1_u32..9) {
        let max = ((1_u32 << count_bits) - 1) as u16;
        let mut entry = LabelEntry::default();
        let mut counts: HashMap<u8, u32> = HashMap::new();
        let mut add = |pair: spa_model::entry::Count| {
            assert!(pair.count > 0 && pair.count <= max);
            *counts.entry(pair.label).or_default() += u32::from(pair.count);
        };
        for &label in &picks {
            entry.pick(label, max).into_iter().for_each(&mut add);
        }
        entry.drain().for_each(&mut add);
        for label in 0..5 {
            let expected = picks.iter().filter(|&&l| l == label).count() as u32;
            prop_assert_eq!(counts.get(&label).copied().unwrap_or(0), expected);
        }
    }
}

#[test]
fn a_damaged_log_is_refused_and_says_where() {
    let (format, tiling) = (format(32), tiling());
    let good = format.encode(0, 5, 3, 9);
    let refused = |words: &[u64]| {
        format.decode(&tiling, FIELD, 100, &line(format, words), &mut Vec::new()).unwrap_err().to_string()
    };
    assert!(refused(&[good, format.encode(7, 0, 0, 1)]).contains("line 100, slot 1"), "no such SPE");
    assert!(refused(&[format.encode(0, 48, 0, 1)]).contains("slot 0"), "no such RV");
    assert!(refused(&[good, good, format.encode(2, 7, 0, 1)]).contains("slot 2"), "padding");
    assert!(refused(&[format.encode(0, 1, 1, 0)]).contains("slot 0"), "count 0");
    assert!(refused(&[good | 1 << 31]).contains("slot 0"), "unused bits");
    let short = &line(format, &[good])[..20];
    let error = format.decode(&tiling, FIELD, 7, short, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("line 7") && error.contains("20 of 32"), "{error}");
}

#[test]
fn a_histogram_that_does_not_add_up_is_refused() {
    let job = spa_model_test_job();
    let outcome = spa_model::spec::run(&job).unwrap();
    let mut messages = outcome.messages.clone();
    assert_eq!(Histogram::from_messages(&job, &messages, &outcome.labels).unwrap(), outcome.histogram);
    messages.pop();
    assert!(Histogram::from_messages(&job, &messages, &outcome.labels).is_err());
}

fn spa_model_test_job() -> spa_model::Job {
    use spa_model::{Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start};
    let problem = Problem {
        width: 7,
        height: 5,
        labels: 4,
        singleton: Singleton::Values {
            form: Difference::Squared,
            first: (0..35).map(|i| i * 7 % 64).collect(),
            values: vec![0, 20, 40, 60],
        },
        data_cap: 2000,
        s_outside: 2000,
        pair: Pair::Potts,
        pair_cap: 20,
        vectors: spa_model::job::line_vectors(4),
        alpha: 1,
        beta: 16,
        shift: 3,
        fixed: None,
        edge_weights: None,
    };
    let run = Run {
        schedule: Schedule::anneal(40.0, 4.0, 4, 50).unwrap(),
        burn_in: 10,
        seed: u64::MAX,
        chain: 3,
        start: Start::Random,
        cutoff: Some(4),
    };
    Job::new(Hardware { count_bits: 3, ..Hardware::default() }, problem, run).unwrap()
}
