//! The total energy against hand-made sums and against differences of conditional energies.

use spa_model::job::line_vectors;
use spa_model::{Difference, Error, Hardware, Job, Offset, Pair, Problem, Run, Schedule, Singleton, Start};
use spa_model::{descent, energy, rng, spec};

fn problem(width: u32, height: u32, labels: u16) -> Problem {
    let rvs = (width * height) as usize;
    Problem {
        width,
        height,
        labels,
        singleton: Singleton::Table { costs: vec![0; rvs * usize::from(labels)] },
        data_cap: 1000,
        s_outside: 1000,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(labels),
        alpha: 3,
        beta: 5,
        shift: 0,
        fixed: None,
        edge_weights: None,
    }
}

#[test]
fn a_field_that_is_added_up_by_hand() {
    let mut p = problem(2, 2, 4);
    p.singleton = Singleton::Table { costs: (0..16).map(|i| i * 10).collect() };
    // S of labels 0, 1, 3, 3: 0, 50, 110, 150. V: |0-1| 1, |3-3| 0, down |0-3| capped 2, |1-3| 2.
    let parts = energy::Terms::new(&p).of(&[0, 1, 3, 3]).unwrap();
    assert_eq!((parts.singletons, parts.pairs), (3 * 310, 5 * 5));
    assert_eq!(energy::total(&p, &[0, 1, 3, 3]).unwrap(), 955);
    // Weights: right of RV 0, down of RV 0, (border), down of RV 1, right of RV 2, the rest beyond the border.
    p.edge_weights = Some(vec![2, 3, 15, 0, 7, 15, 15, 15]);
    assert_eq!(energy::Terms::new(&p).of(&[0, 1, 3, 3]).unwrap().pairs, 5 * (2 + 3 * 2));
    // Neither the shift nor the saturation of one RV's energy touches the total; evidence counts too.
    p.shift = 9;
    p.fixed = Some(vec![true; 4]);
    assert_eq!(energy::total(&p, &[0, 1, 3, 3]).unwrap(), 3 * 310 + 5 * 8);
}

#[test]
fn a_table_that_is_not_symmetric_has_the_left_or_upper_label_as_its_row() {
    let mut p = problem(2, 1, 2);
    p.pair = Pair::Table(vec![0, 1, 2, 0]);
    assert_eq!(energy::total(&p, &[0, 1]).unwrap(), 5);
    assert_eq!(energy::total(&p, &[1, 0]).unwrap(), 10);
    (p.width, p.height) = (1, 2);
    assert_eq!(energy::total(&p, &[1, 0]).unwrap(), 10);
}

#[test]
fn the_largest_energy_does_not_overflow() {
    let mut p = problem(3, 1, 2);
    (p.alpha, p.beta, p.data_cap, p.pair_cap) = (255, 255, 65_535, 255);
    p.singleton = Singleton::Table { costs: vec![65_535; 6] };
    p.pair = Pair::Potts;
    p.edge_weights = Some(vec![15; 6]);
    assert_eq!(energy::total(&p, &[0, 1, 0]).unwrap(), 3 * 255 * 65_535 + 2 * 255 * 15 * 255);
}

#[test]
fn labels_that_are_none_are_refused() {
    let p = problem(2, 2, 4);
    assert!(matches!(energy::total(&p, &[0; 3]), Err(Error::Size { name: "labelling", got: 3, .. })));
    let error = energy::total(&p, &[0, 0, 4, 0]).unwrap_err().to_string();
    assert_eq!(error, "label is 4, but must be 0…3");
}

/// A descent lowers the total, keeps what is fixed or held, and ends where `local` and brute force see no better label.
#[test]
fn a_descent_ends_in_a_local_minimum() {
    let mut word = 0;
    let mut random = |below: u32| {
        word += 1;
        ((u64::from(rng::word(12, 0, word, 0, 0)) * u64::from(below)) >> 32) as u32
    };
    let mut lowered = 0;
    for n in 0..40 {
        let mut p = problem(2 + random(6), 2 + random(5), 2 + random(5) as u16);
        let (rvs, labels) = (p.rvs(), usize::from(p.labels));
        p.singleton = Singleton::Table { costs: (0..rvs * labels).map(|_| random(40) as u16).collect() };
        // Not symmetric: the left or upper label is the row, for the total as for the descent.
        p.pair = Pair::Table((0..labels * labels).map(|_| random(9) as u8).collect());
        p.pair_cap = 255;
        p.edge_weights = (n % 2 == 0).then(|| (0..2 * rvs).map(|_| random(4) as u8).collect());
        p.fixed = (n % 3 == 0).then(|| (0..rvs).map(|_| random(4) == 0).collect());
        let held: Vec<bool> = (0..rvs).map(|_| random(5) > 0).collect();
        let start: Vec<u8> = (0..rvs).map(|_| random(labels as u32) as u8).collect();
        let before = energy::total(&p, &start).unwrap();
        for free in [None, Some(held.as_slice())] {
            let end = descent::descend(&p, &start, free).unwrap();
            assert_eq!(end.energy.total(), energy::total(&p, &end.labels).unwrap());
            assert!(end.energy.total() <= before && (end.changes == 0) == (end.labels == start));
            lowered += before - end.energy.total();
            let movable = |i: usize| !p.is_fixed(i) && free.is_none_or(|free| free[i]);
            let mut better = 0;
            for i in 0..rvs {
                if !movable(i) {
                    assert_eq!(end.labels[i], start[i]);
                }
                let totals: Vec<u64> = (0..labels)
                    .map(|l| {
                        let mut changed = end.labels.clone();
                        changed[i] = l as u8;
                        energy::total(&p, &changed).unwrap()
                    })
                    .collect();
                let best = totals.iter().min().unwrap();
                assert!(!movable(i) || *best == end.energy.total(), "model {n}, RV {i}");
                better += u64::from(!p.is_fixed(i) && *best < end.energy.total());
            }
            assert_eq!(descent::improvable(&p, &end.labels).unwrap(), better);
        }
    }
    assert!(lowered > 1000, "{lowered}");
}

/// Changing one label changes the total by the difference of that RV's conditional energies, for symmetric pair terms
/// and energies that neither shift nor saturate: an independent road to the same numbers.
#[test]
fn differences_are_those_of_conditional_energies() {
    let mut word = 0;
    let mut random = |below: u32| {
        word += 1;
        ((u64::from(rng::word(11, 0, word, 0, 0)) * u64::from(below)) >> 32) as u32
    };
    let mut compared = 0;
    for n in 0..60 {
        let (width, height) = (1 + random(7), 1 + random(6));
        let labels = 2 + random(6) as u16;
        let mut p = problem(width, height, labels);
        let rvs = p.rvs();
        let mut samples = |count: usize| (0..count).map(|_| random(256) as u8).collect::<Vec<_>>();
        let form = if n % 2 == 0 { Difference::Abs } else { Difference::Squared };
        p.singleton = match n % 3 {
            0 => Singleton::Values { form, first: samples(rvs), values: samples(labels.into()) },
            1 => {
                let (first, second) = (samples(rvs), samples(rvs));
                let offsets = (0..labels as i16).map(|l| Offset { dx: -l, dy: l / 2 }).collect();
                Singleton::Pixels { form, first, second, offsets }
            }
            _ => Singleton::Table {
                costs: samples(rvs * usize::from(labels)).into_iter().map(u16::from).collect(),
            },
        };
        p.pair = [Pair::Abs, Pair::Squared, Pair::Potts][n / 3 % 3].clone();
        p.edge_weights = (n % 4 == 3).then(|| samples(2 * rvs).into_iter().map(|w| w % 16).collect());
        // 16 bits hold every energy: 2·1000 + 3·4·15·2 and less.
        (p.alpha, p.beta) = (2, 3);
        let hardware = Hardware { energy_bits: 16, ..Hardware::default() };
        let run = Run {
            schedule: Schedule::constant(1.0, 1).unwrap(),
            burn_in: 0,
            seed: 1,
            chain: 0,
            start: Start::Zero,
            cutoff: None,
        };
        let job = Job::new(hardware, p.clone(), run).unwrap();
        let field: Vec<u8> = (0..rvs).map(|_| random(labels.into()) as u8).collect();
        let before = energy::total(&p, &field).unwrap() as i64;
        for i in 0..rvs {
            let (x, y) = (i as u32 % width, i as u32 / width);
            let conditional = spec::energies(&job, &field, x, y);
            for l in 0..labels as u8 {
                let mut changed = field.clone();
                changed[i] = l;
                let after = energy::total(&p, &changed).unwrap() as i64;
                let expected =
                    i64::from(conditional[usize::from(l)]) - i64::from(conditional[usize::from(field[i])]);
                assert_eq!(after - before, expected, "model {n}, RV {i}, label {l}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}
