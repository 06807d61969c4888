//! Properties of the geometry that the RTL relies on: no bank conflict, unique addresses, the switch distance.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use proptest::prelude::*;
use spa_model::geometry::switch_distance;
use spa_model::job::{line_vectors, stereo_offsets};
use spa_model::placement::{self, load_records};
use spa_model::{
    ArrayShape, Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Tiling,
};
use std::collections::HashSet;

fn shape(rows: u32, cols: u32, spus: u32) -> ArrayShape {
    ArrayShape {
        rows,
        cols,
        spus,
        rv_capacity: 16384,
        s2_capacity: 65536,
        tile_width_max: 512,
        tile_height_max: 512,
        s2_links: true,
        pair_table: false,
        singleton_table: false,
        edge_weights: false,
        cost_capacity: 0,
        rng_share: 1,
        schedule_entries: 64,
        log_fifo_depth: 64,
        line_bits: 512,
    }
}

fn stereo_job(width: u32, height: u32, labels: u16) -> Job {
    let rvs = (width * height) as usize;
    let problem = Problem {
        width,
        height,
        labels,
        singleton: Singleton::Pixels {
            form: Difference::Abs,
            first: (0..rvs).map(|i| (i * 37 % 256) as u8).collect(),
            second: (0..rvs).map(|i| (i * 91 % 256) as u8).collect(),
            offsets: stereo_offsets(labels, 0),
        },
        data_cap: 40,
        s_outside: 40,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    let run = Run {
        schedule: Schedule::constant(4.0, 2).unwrap(),
        burn_in: 0,
        seed: 1,
        chain: 0,
        start: Start::Argmin,
        cutoff: None,
    };
    Job::new(Hardware::default(), problem, run).unwrap()
}

proptest! {
    #[test]
    fn every_rv_has_one_place_and_neighbours_have_four_banks(
        width in 1_u32..90, height in 1_u32..90, rows in 1_u32..5, cols in 1_u32..5, log_k in 0_u32..3, labels in 2_u16..33,
    ) {
        let shape = shape(rows, cols, 1 << log_k);
        let job = stereo_job(width, height, labels);
        let t = Tiling::new(&shape, &job).unwrap();
        prop_assert_eq!(t.tile_width % shape.tile_step(), 0);
        prop_assert!(t.tile_width * cols >= width && t.tile_height * rows >= height);
        let mut places = HashSet::new();
        for y in 0..height {
            for x in 0..width {
                let (spe, tx, ty) = t.locate(x, y);
                let (ox, oy) = t.origin(spe);
                prop_assert_eq!((ox + tx, oy + ty), (x, y));
                prop_assert_eq!((ox % 4, oy % 2), (0, 0));
                prop_assert!(t.rv_address(tx, ty) < shape.rv_capacity);
                let (bank, word) = t.label_address(tx, ty, shape.rv_capacity);
                prop_assert!(word < shape.rv_capacity / 4);
                prop_assert!(places.insert((spe, bank, word)), "two RVs share a label word");
            }
        }
        for y in 1..t.tile_height - 1 {
            for x in 1..t.tile_width - 1 {
                let bank = |x, y| t.label_address(x, y, shape.rv_capacity).0;
                let banks: HashSet<u32> = [bank(x - 1, y), bank(x + 1, y), bank(x, y - 1), bank(x, y + 1)].into();
                prop_assert_eq!(banks.len(), 4);
            }
        }
    }

    #[test]
    fn singleton_2_reads_of_a_slot_hit_different_banks(
        tile in 1_u32..12, log_k in 0_u32..4, dx in -300_i32..300, x0 in 0_u32..200,
    ) {
        let k = 1 << log_k;
        let width = tile * 4.max(2 * k);
        let t = Tiling {
            cols: 1, rows: 1, spus: k, tile_width: width, tile_height: 2, slot_cycles: 4, switch_gap: 0,
            s2: spa_model::S2Addressing::Links, s2_width: width, s2_height: 2,
        };
        let banks: HashSet<u32> = (0..k)
            .map(|j| (i64::from(x0 + 2 * j) + i64::from(dx)).rem_euclid(width.into()) as u32)
            .map(|column| t.s2_address(column, 1).0)
            .collect();
        prop_assert_eq!(banks.len(), k as usize);
        let words: HashSet<(u32, u32)> =
            (0..2).flat_map(|row| (0..width).map(move |c| (c, row))).map(|(c, row)| t.s2_address(c, row)).collect();
        prop_assert_eq!(words.len(), 2 * width as usize);
    }

    #[test]
    fn switch_distance_is_the_shortest_of_all(groups in 1_u32..6, half_height in 1_u32..6, log_k in 0_u32..3) {
        let (h, k) = (2 * half_height, 1 << log_k);
        let w = groups * 2 * k;
        prop_assume!(w % 4 == 0);
        prop_assert_eq!(switch_distance(groups, h), brute_force_distance(w, h, k));
    }

    #[test]
    fn load_records_stay_inside_the_memories(
        width in 1_u32..60, height in 1_u32..60, rows in 1_u32..4, cols in 1_u32..4, labels in 2_u16..65, links: bool,
        edge_weights: bool,
    ) {
        let shape = ArrayShape { s2_links: links, edge_weights, ..shape(rows, cols, 2) };
        let job = stereo_job(width, height, labels);
        let t = Tiling::new(&shape, &job).unwrap();
        let mut seen = HashSet::new();
        for r in load_records(&shape, &t, &job) {
            let (target, spe, address) = (r >> 60, (r >> 48 & 0xFFF) as u32, (r >> 24 & 0xFF_FFFF) as u32);
            prop_assert!(spe < shape.spes() || spe == placement::ALL_SPES);
            prop_assert!(seen.insert((target, spe, address)), "record {:#x} twice", r);
            let limit = match target {
                0 | 2 | 12 => shape.rv_capacity,
                1 => shape.s2_capacity,
                _ => u32::MAX,
            };
            prop_assert!(address < limit, "target {} address {}", target, address);
        }
    }
}

/// Replays two half-steps, every colour first, and measures from write issue to the first neighbour's read issue.
fn brute_force_distance(w: u32, h: u32, k: u32) -> u32 {
    let groups = w / (2 * k);
    // slot index of RV (x, y) in a half-step that starts at row0
    let slot = |x: u32, y: u32, row0: u32| (y + h - row0) % h * groups + x / (2 * k);
    let half = h * groups;
    let mut least = u32::MAX;
    for row0 in 0..h {
        for colour in 0..2 {
            for y in 0..h {
                for x in (0..w).filter(|x| (x + y) % 2 == colour) {
                    let neighbours =
                        [((x + w - 1) % w, y), ((x + 1) % w, y), (x, (y + h - 1) % h), (x, (y + 1) % h)];
                    for (nx, ny) in neighbours {
                        let written = slot(nx, ny, row0);
                        let read = half + slot(x, y, (row0 + 1) % h);
                        least = least.min(read - written);
                    }
                }
            }
        }
    }
    least
}

#[test]
fn a_picture_that_is_too_large_names_the_capacity() {
    let shape = ArrayShape { rv_capacity: 64, ..shape(1, 1, 1) };
    let error = Tiling::new(&shape, &stereo_job(20, 20, 4)).unwrap_err().to_string();
    assert_eq!(
        error,
        "the build is too small for a picture of 20x20: it needs 400 RVs an SPE instead of 64 (rv_capacity)"
    );
}

#[test]
fn everything_that_an_array_lacks_is_named_at_once() {
    let shape = ArrayShape { rv_capacity: 64, tile_width_max: 8, schedule_entries: 64, ..shape(1, 1, 1) };
    let plain = stereo_job(20, 20, 4);
    let steps = (1..=70).map(|t| spa_model::Step { temperature: f64::from(t), iterations: 1 }).collect();
    let problem = Problem {
        singleton: Singleton::Table { costs: vec![0; 20 * 20 * 4] },
        edge_weights: Some(vec![8; 20 * 20 * 2]),
        ..plain.problem().clone()
    };
    let run = Run { schedule: spa_model::Schedule::new(steps).unwrap(), burn_in: 69, ..plain.run().clone() };
    let job = Job::new(*plain.hardware(), problem, run).unwrap();
    let parameters: Vec<_> = spa_model::fit::lacks(&shape, &job).iter().map(|l| l.parameter).collect();
    let expected = ["singleton_table", "edge_weights", "rv_capacity", "tile_width_max", "schedule_entries"];
    assert_eq!(parameters, expected.map(Some));
}

#[test]
fn edges_are_loaded_at_both_ends_and_only_where_there_is_room() {
    let plain = stereo_job(9, 5, 4);
    let edge_weights: Vec<u8> = (0..90).map(|i| (i * 7 % 16) as u8).collect();
    let problem = Problem { edge_weights: Some(edge_weights.clone()), ..plain.problem().clone() };
    let weighted = Job::new(*plain.hardware(), problem, plain.run().clone()).unwrap();
    let without = shape(2, 2, 1);
    let with = ArrayShape { edge_weights: true, ..without.clone() };
    let error = Tiling::new(&without, &weighted).unwrap_err().to_string();
    assert_eq!(error, "the build is too small for a picture of 9x5: it needs edge weights (edge_weights)");
    let edges = |shape: &ArrayShape, job: &Job| -> Vec<(u32, u32, u32)> {
        let tiling = Tiling::new(shape, job).unwrap();
        let records = load_records(shape, &tiling, job);
        let parts = |r: u64| ((r >> 48 & 0xFFF) as u32, (r >> 24 & 0xFF_FFFF) as u32, (r & 0xFF_FFFF) as u32);
        records.into_iter().filter(|r| r >> 60 == 12).map(parts).collect()
    };
    assert!(edges(&without, &plain).is_empty());
    let (ones, given) = (edges(&with, &plain), edges(&with, &weighted));
    assert_eq!((ones.len(), given.len()), (45, 45));
    let tiling = Tiling::new(&with, &weighted).unwrap();
    let at = |list: &[(u32, u32, u32)], x: u32, y: u32| {
        let (spe, tx, ty) = tiling.locate(x, y);
        let address = tiling.rv_address(tx, ty);
        list.iter().find(|r| (r.0, r.1) == (spe, address)).unwrap().2
    };
    assert_eq!((at(&ones, 0, 0), at(&ones, 3, 2), at(&ones, 8, 4)), (0x1010, 0x1111, 0x0101));
    let weight = |x: u32, y: u32, down: usize| u32::from(edge_weights[2 * (y * 9 + x) as usize + down]);
    // (4, 2): its left neighbour may lie in another tile.
    let expected = weight(3, 2, 0) | weight(4, 2, 0) << 4 | weight(4, 1, 1) << 8 | weight(4, 2, 1) << 12;
    assert_eq!(at(&given, 4, 2), expected);
}
