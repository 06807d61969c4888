//! Small fields for the event-driven kernels: stereo, a window of motions, classes; annealed.

use crate::random_jobs::Dice;
use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::{Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start};
use spa_runtime::backend::cuda::edgs::{Model, Region, Shape};

/// Two shapes, one of them of Table 4.1's smallest region.
pub fn shapes(seed: u64) -> [Shape; 2] {
    let wide = [(32, 8), (8, 32), (16, 16)][seed as usize % 3];
    [(8, 8), wide].map(|(w, h)| Shape { region: Region::new(w, h).unwrap(), blocks: 1 })
}

/// One job of each kind with its energies.
pub fn all(seed: u64) -> Vec<(&'static str, Job, Model)> {
    let mut dice = Dice(seed ^ 0xed65);
    let (width, height) = (dice.within(9, 50) as u32, dice.within(9, 40) as u32);
    let step = |x: u32| if x < width / 2 { 3 } else { 7 };
    let mut texture = Vec::new();
    for _ in 0..height * (width + 8) {
        texture.push(dice.within(0, 255) as u8);
    }
    let picture = |shift: &dyn Fn(u32) -> u32| -> Vec<u8> {
        let at = |x: u32, y: u32| texture[(y * (width + 8) + x + shift(x)) as usize];
        (0..height).flat_map(|y| (0..width).map(move |x| at(x, y))).collect()
    };
    let fixed: Vec<bool> = (0..width * height).map(|_| dice.once_in(40)).collect();
    let pixels = |offsets| Singleton::Pixels {
        form: Difference::Abs,
        first: picture(&|_| 0),
        second: picture(&step),
        offsets,
    };
    let classes = Singleton::Values {
        form: Difference::Squared,
        first: picture(&|_| 0),
        values: vec![10, 80, 160, 240],
    };
    let kinds = [
        ("stereo", 9, pixels(stereo_offsets(9, 0)), Pair::Abs, line_vectors(9), (1.0, 2.0), 10.0),
        ("flow", 9, pixels(window_offsets(3)), Pair::Squared, window_offsets(3), (1.0, 8.0), 40.0),
        ("segment", 4, classes, Pair::Potts, line_vectors(4), (0.01, 16.0), 10.0),
    ];
    kinds
        .into_iter()
        .map(|(name, labels, singleton, pair, vectors, (alpha, beta), t0)| {
            let problem = Problem {
                width,
                height,
                labels,
                singleton,
                data_cap: u16::MAX,
                s_outside: 30,
                pair_cap: if pair == Pair::Potts { 1 } else { u8::MAX },
                pair,
                vectors,
                // Those of the model where they have few enough bits.
                alpha: 1,
                beta: beta as u8,
                shift: 0,
                fixed: Some(fixed.clone()),
                edge_weights: None,
            };
            let schedule = Schedule::anneal(t0, 1.0, 5, 20).unwrap();
            let model = Model::new(alpha, beta, &schedule).unwrap();
            let run = Run { burn_in: 0, schedule, seed, chain: 1, start: Start::Random, cutoff: None };
            (name, Job::new(Hardware::default(), problem, run).unwrap(), model)
        })
        .collect()
}
