//! A model of the event-driven kernels on the CPU: what they update, with queues and marks by the words of the
//! dissertation (sections 4.2, 4.3), in the same single precision.

use spa_model::{Job, rng};
use spa_runtime::backend::cuda::edgs::{Design, Method, Model, Region, pair_cost};

/// Labels at the end, and how many RVs were updated.
pub fn run(job: &Job, model: &Model, method: Method, region: Region) -> (Vec<u8>, u64) {
    let (problem, run) = (job.problem(), job.run());
    let (width, height) = (problem.width, problem.height);
    let (region_width, region_height) = region.size();
    let across = width.div_ceil(region_width);
    let of = |i: usize| {
        let (x, y) = (i as u32 % width, i as u32 / width);
        (y / region_height * across + x / region_width) as usize
    };
    let regions = (across * height.div_ceil(region_height)) as usize;
    let beside = |i: usize| {
        let (x, y, w) = (i as u32 % width, i as u32 / width, width as usize);
        [(x > 0, 1), (y > 0, w)].into_iter().filter(|n| n.0).map(move |n| i - n.1).chain(
            [(x + 1 < width, 1), (y + 1 < height, w)].into_iter().filter(|n| n.0).map(move |n| i + n.1),
        )
    };
    let mut labels = job.initial_labels();
    let mut concentrated = vec![false; problem.rvs()];
    // Regions of this half-step and of the next.
    let (mut now, mut next) = (vec![true; regions], vec![true; regions]);
    let mut updated = 0;
    for (n, cooling) in model.cooling(method.cutoff).into_iter().enumerate() {
        for colour in 0..2 {
            let mut later = vec![false; regions];
            for i in 0..problem.rvs() {
                let (x, y) = (i as u32 % width, i as u32 / width);
                let left_out = match method.design {
                    Design::Plain => false,
                    Design::Queues => !now[of(i)],
                    Design::Flags => concentrated[i],
                };
                if (x + y) % 2 != colour || problem.is_fixed(i) || left_out {
                    continue;
                }
                updated += 1;
                let word = rng::word(run.seed, run.chain, x, y, n as u32);
                let (label, live) = draw(job, model, &labels, (x, y), beside(i), word, cooling);
                let changed = label != labels[i];
                labels[i] = label;
                concentrated[i] = live == 1;
                for neighbour in beside(i) {
                    match method.design {
                        Design::Plain => {}
                        // The next half-step's own regions were put in before it; these are of the other colour.
                        Design::Queues => later[of(neighbour)] |= changed || !concentrated[neighbour],
                        Design::Flags => concentrated[neighbour] &= !changed,
                    }
                }
            }
            let first = n == 0 && colour == 0;
            now = if first { std::mem::take(&mut next) } else { later };
        }
    }
    (labels, updated)
}

fn draw(
    job: &Job,
    model: &Model,
    labels: &[u8],
    (x, y): (u32, u32),
    beside: impl Iterator<Item = usize>,
    word: u32,
    [inverse_temperature, limit]: [f32; 2],
) -> (u8, usize) {
    let (alpha, beta) = model.weights();
    let neighbours: Vec<usize> = beside.map(|n| usize::from(labels[n])).collect();
    let energies: Vec<u32> = (0..usize::from(job.problem().labels))
        .map(|l| {
            let pairs: u32 = neighbours.iter().map(|&m| pair_cost(job, l, m)).sum();
            alpha * job.problem().singleton_cost(x, y, l) + beta * pairs
        })
        .collect();
    let least = energies.iter().copied().min().unwrap_or(0) as f32;
    let mut live = 0;
    let mut sum = 0.0_f32;
    let mut weights = Vec::new();
    for &energy in &energies {
        let minus = least - energy as f32;
        let on = -minus < limit;
        live += usize::from(on);
        let weight = if on { (minus * inverse_temperature).exp() } else { 0.0 };
        sum += weight;
        weights.push(weight);
    }
    let r = word as f32 * (1.0 / 4_294_967_296.0) * sum;
    let mut prefix = 0.0_f32;
    let mut label = 0;
    for weight in &weights[..weights.len() - 1] {
        prefix += weight;
        label += u8::from(prefix <= r);
    }
    (label, live)
}
