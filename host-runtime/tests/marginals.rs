//! Small lattices against enumeration: the sampler's marginals are those of the contract's chain, and how far those are from
//! exp(−E/T).
//!
//! One large field holds thousands of copies of a lattice, kept apart by edges of weight 0 or by walls of evidence. Copies are
//! independent, so every look at the field is as many independent samples; looks are apart by the autocorrelation time.
//!
//!     cargo test --release -p spa-runtime --test marginals -- --ignored --nocapture     # 30 models, a million samples each

#![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

use spa_model::job::line_vectors;
use spa_model::weights::WeightTable;
use spa_model::{
    Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start, Weights, energy, fast, rng, spec,
};
use spa_runtime::diagnostics::ess::ess;

/// exp(1/TEMPERATURE) = 1.05: one step of energy is 5% of a weight.
const TEMPERATURE: f64 = 20.495_934_5;
/// Groups of copies that the bootstrap draws from.
const GROUPS: usize = 128;
/// Iterations before the first look.
const WARM: u32 = 60;
/// Bootstrap samples.
const DRAWS: u32 = 400;

fn hardware(weights: Weights) -> Hardware {
    let energy_bits = if weights == Weights::Linear { 10 } else { 8 };
    Hardware { energy_bits, weights, ..Hardware::default() }
}

/// Deterministic numbers below `below`.
struct Random(u32, u32);

impl Random {
    fn below(&mut self, below: u32) -> u32 {
        self.1 += 1;
        ((u64::from(rng::word(99, 0, self.1, self.0, 0)) * u64::from(below)) >> 32) as u32
    }
}

/// Random model `n`: 2 to 5 labels, 4 to 9 RVs, every form of the pair term.
fn model(n: u32) -> Problem {
    let mut random = Random(n, 0);
    let labels = 2 + (n % 4) as u16;
    let (width, height) = [(3, 3), (3, 2), (2, 3), (2, 2)][(labels - 2) as usize];
    let size = usize::from(labels);
    let mut table = vec![0_u8; size * size];
    for l in 0..size {
        for m in 0..l {
            let value = random.below(8) as u8;
            (table[l * size + m], table[m * size + l]) = (value, value);
        }
    }
    let pair = [Pair::Abs, Pair::Squared, Pair::Potts, Pair::Table(table)][(n / 4 % 4) as usize].clone();
    Problem {
        width,
        height,
        labels,
        singleton: Singleton::Table {
            costs: (0..width * height * u32::from(labels)).map(|_| random.below(60) as u16).collect(),
        },
        data_cap: 65_535,
        s_outside: 0,
        pair,
        pair_cap: 1 + random.below(6) as u8,
        vectors: line_vectors(labels),
        alpha: 1,
        beta: 1 + random.below(12) as u8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    }
}

fn run(iterations: u32) -> Run {
    Run {
        schedule: Schedule::constant(TEMPERATURE, iterations).unwrap(),
        burn_in: iterations - 1,
        seed: 5,
        chain: 0,
        start: Start::Random,
        cutoff: None,
    }
}

/// Shares of every label of every RV, [RV][label].
type Marginals = Vec<Vec<f64>>;

/// Half of Σ|p − q|, RV by RV.
fn distances(p: &Marginals, q: &Marginals) -> Vec<f64> {
    let of = |(p, q): (&Vec<f64>, &Vec<f64>)| p.iter().zip(q).map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0;
    p.iter().zip(q).map(of).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Labellings of `count` RVs, the first one fastest.
fn labellings(count: usize, labels: u16) -> impl Iterator<Item = Vec<u8>> {
    let labels = usize::from(labels);
    (0..labels.pow(count as u32))
        .map(move |n| (0..count).map(|k| (n / labels.pow(k as u32) % labels) as u8).collect())
}

/// Marginals of exp(−E/T), E the total energy: every labelling counted.
fn boltzmann(problem: &Problem) -> Marginals {
    let mut sums = vec![vec![0.0; problem.labels.into()]; problem.rvs()];
    let least =
        labellings(problem.rvs(), problem.labels).map(|l| energy::total(problem, &l).unwrap()).min().unwrap();
    let mut all = 0.0;
    for labels in labellings(problem.rvs(), problem.labels) {
        let p = (-((energy::total(problem, &labels).unwrap() - least) as f64) / TEMPERATURE).exp();
        all += p;
        labels.iter().enumerate().for_each(|(i, &l)| sums[i][usize::from(l)] += p);
    }
    sums.iter().map(|row| row.iter().map(|p| p / all).collect()).collect()
}

/// Marginals of the chain of contract §4 to §6 after an iteration, in its equilibrium: black RVs are drawn given white ones, then
/// white ones given black ones, each with its whole-number weights.
fn chain(problem: &Problem, hardware: Hardware) -> Marginals {
    let job = Job::new(hardware, problem.clone(), run(1)).unwrap();
    let weights = WeightTable::new(&hardware, TEMPERATURE, None);
    let width = problem.width;
    let colours: [Vec<u32>; 2] =
        [0, 1].map(|c| (0..problem.rvs() as u32).filter(|i| (i % width + i / width) % 2 == c).collect());
    // kernel[c][other][own]: how likely the RVs of colour c become `own` if the others are `other`.
    let kernel = |c: usize| -> Vec<Vec<f64>> {
        let (own, other) = (&colours[c], &colours[1 - c]);
        let mut rows = Vec::new();
        for others in labellings(other.len(), problem.labels) {
            let mut field = vec![0; problem.rvs()];
            other.iter().zip(others).for_each(|(&i, l)| field[i as usize] = l);
            let shares: Vec<Vec<f64>> = own
                .iter()
                .map(|&i| {
                    let energies = spec::energies(&job, &field, i % width, i / width);
                    let least = energies.iter().min().unwrap();
                    let w: Vec<f64> = energies.iter().map(|e| f64::from(weights.weight(e - least))).collect();
                    let sum: f64 = w.iter().sum();
                    w.iter().map(|w| w / sum).collect()
                })
                .collect();
            let product =
                |labels: Vec<u8>| labels.iter().zip(&shares).map(|(&l, s)| s[usize::from(l)]).product();
            rows.push(labellings(own.len(), problem.labels).map(product).collect());
        }
        rows
    };
    let kernels = [kernel(0), kernel(1)];
    let step = |kernel: &[Vec<f64>], from: &[f64]| -> Vec<f64> {
        let mut to = vec![0.0; kernel[0].len()];
        for (row, p) in kernel.iter().zip(from) {
            to.iter_mut().zip(row).for_each(|(to, k)| *to += p * k);
        }
        to
    };
    let states = kernels[0].len();
    let mut white = vec![1.0 / states as f64; states];
    let mut black;
    loop {
        black = step(&kernels[0], &white);
        let next = step(&kernels[1], &black);
        let change: f64 = next.iter().zip(&white).map(|(a, b)| (a - b).abs()).sum();
        white = next;
        if change < 1e-12 {
            break;
        }
    }
    let mut marginals = vec![vec![0.0; problem.labels.into()]; problem.rvs()];
    for (own, shares) in colours.iter().zip([black, white]) {
        for (labels, p) in labellings(own.len(), problem.labels).zip(shares) {
            own.iter().zip(labels).for_each(|(&i, l)| marginals[i as usize][usize::from(l)] += p);
        }
    }
    marginals
}

/// A field of copies of a lattice.
struct Copies {
    job: Job,
    pitch: (usize, usize),
    across: usize,
    down: usize,
}

impl Copies {
    /// At least `count` copies of `problem`: kept apart by walls of evidence, or by edges of weight 0.
    fn new(problem: &Problem, count: usize, walls: bool) -> Self {
        let (w, h) = (problem.width as usize, problem.height as usize);
        // Even, so that the same RVs of every copy are black.
        let pitch =
            ((w + usize::from(walls)).next_multiple_of(2), (h + usize::from(walls)).next_multiple_of(2));
        let across = (count as f64).sqrt().ceil() as usize;
        let down = count.div_ceil(across);
        let (width, height) = (across * pitch.0, down * pitch.1);
        let labels = usize::from(problem.labels);
        let all = labels + usize::from(walls);
        let Singleton::Table { costs } = &problem.singleton else { panic!("models have tables") };
        let place = |i: usize| (i % width % pitch.0, i / width % pitch.1);
        let inside = |i: usize| place(i).0 < w && place(i).1 < h;
        let mut table = Vec::with_capacity(width * height * all);
        for i in 0..width * height {
            let (x, y) = place(i);
            match inside(i) {
                true => table.extend_from_slice(&costs[(y * w + x) * labels..][..labels]),
                false => table.extend(std::iter::repeat_n(0, labels)),
            }
            // No RV inside takes the label of walls.
            table.extend(std::iter::repeat_n(if inside(i) { 65_535 } else { 0 }, all - labels));
        }
        let pair = match (&problem.pair, walls) {
            // Beside a wall every label costs the same.
            (pair, true) => {
                let cost = |at: usize| match (at / all, at % all) {
                    (l, m) if l < labels && m < labels => problem.pair_cost(l, m) as u8,
                    _ => 3,
                };
                let _ = pair;
                Pair::Table((0..all * all).map(cost).collect())
            }
            (pair, false) => pair.clone(),
        };
        let weights = |i: usize| {
            let (x, y) = place(i);
            [u8::from(inside(i) && x + 1 < w), u8::from(inside(i) && y + 1 < h)]
        };
        let field = Problem {
            width: width as u32,
            height: height as u32,
            labels: all as u16,
            singleton: Singleton::Table { costs: table },
            pair,
            pair_cap: if walls { 255 } else { problem.pair_cap },
            vectors: line_vectors(all as u16),
            fixed: walls.then(|| (0..width * height).map(|i| !inside(i)).collect()),
            edge_weights: (!walls).then(|| (0..width * height).flat_map(weights).collect()),
            ..problem.clone()
        };
        let start = |i: usize| {
            if inside(i) {
                (rng::word(1, 0, i as u32, 0, 0) as usize % labels) as u8
            } else {
                (all - 1) as u8
            }
        };
        let start = Start::Labels((0..width * height).map(start).collect());
        let job = Job::new(hardware(Weights::Linear), field, Run { start, ..run(60_000) }).unwrap();
        Self { job, pitch, across, down }
    }

    fn count(&self) -> usize {
        self.across * self.down
    }

    /// Label of RV (x, y) of copy `n` in `labels`.
    fn label(&self, labels: &[u8], n: usize, (x, y): (usize, usize)) -> u8 {
        let row = n / self.across * self.pitch.1 + y;
        labels[row * self.across * self.pitch.0 + n % self.across * self.pitch.0 + x]
    }
}

/// What was drawn: counts by group of copies, RV and label.
struct Drawn {
    samples: usize,
    apart: u32,
    groups: Vec<Vec<Vec<u32>>>,
}

/// The run of a field of copies.
fn start(copies: &Copies) -> fast::Run<'_> {
    fast::Run::new(&copies.job, &fast::Options { threads: 1, ..fast::Options::default() }).unwrap()
}

/// Iterations between independent samples: by the effective sample size of the sum of labels, in a few copies.
fn apart(problem: &Problem, places: &[(usize, usize)]) -> u32 {
    let (length, copies) = (400, Copies::new(problem, 64, false));
    let mut run = start(&copies);
    let mut series = vec![Vec::new(); copies.count()];
    run.advance(WARM, &mut |_| true);
    for iteration in 1..=length {
        run.advance(WARM + iteration, &mut |_| true);
        let labels = run.labels();
        for (n, series) in series.iter_mut().enumerate() {
            series.push(places.iter().map(|&place| u64::from(copies.label(&labels, n, place))).sum());
        }
    }
    let references: Vec<&[u64]> = series.iter().map(Vec::as_slice).collect();
    let independent = ess(&references).unwrap();
    (f64::from(length) * series.len() as f64 / independent).ceil().max(1.0) as u32
}

/// At least `samples` samples of the lattice from copies, looks apart by the autocorrelation time.
fn draw(problem: &Problem, samples: usize, walls: bool) -> Drawn {
    let (w, h) = (problem.width as usize, problem.height as usize);
    let places: Vec<(usize, usize)> = (0..w * h).map(|i| (i % w, i / w)).collect();
    let apart = apart(problem, &places);
    let copies = Copies::new(problem, samples.min(40_000), walls);
    let mut run = start(&copies);
    let looks = samples.div_ceil(copies.count());
    let mut groups = vec![vec![vec![0; problem.labels.into()]; places.len()]; GROUPS];
    for look in 0..looks as u32 {
        run.advance(WARM + look * apart, &mut |_| true);
        let labels = run.labels();
        for n in 0..copies.count() {
            for (counts, &place) in groups[n % GROUPS].iter_mut().zip(&places) {
                counts[usize::from(copies.label(&labels, n, place))] += 1;
            }
        }
    }
    Drawn { samples: looks * copies.count(), apart, groups }
}

/// Shares of the groups that `chosen` names.
fn shares(drawn: &Drawn, chosen: impl Iterator<Item = usize>) -> Marginals {
    let mut sums: Marginals = drawn.groups[0].iter().map(|rv| vec![0.0; rv.len()]).collect();
    for group in chosen {
        for (sum, counts) in sums.iter_mut().zip(&drawn.groups[group]) {
            sum.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += f64::from(count));
        }
    }
    sums.iter().map(|row| row.iter().map(|v| v / row.iter().sum::<f64>()).collect()).collect()
}

/// Mean distance over the RVs from `exact`, and its bootstrap deviation: the root mean square of what resampled groups are away
/// from the whole.
fn compare(drawn: &Drawn, exact: &Marginals) -> (f64, f64) {
    let whole = shares(drawn, 0..GROUPS);
    let mut random = Random(1_000_000, 0);
    let squares: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let chosen: Vec<usize> = (0..GROUPS).map(|_| random.below(GROUPS as u32) as usize).collect();
            mean(&distances(&shares(drawn, chosen.into_iter()), &whole)).powi(2)
        })
        .collect();
    (mean(&distances(&whole, exact)), mean(&squares).sqrt())
}

/// Everything about models 0…`models`: they pass, and with the weight of one label off by 5% they do not.
fn check(models: u32, samples: usize) {
    println!(
        "| model | labels | RVs | apart by | samples | distance | deviation | ratio | weight off: ratio | from exp(-E/T): linear | pow2 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut worst, mut caught) = (0.0_f64, 0);
    let mut bias = [Vec::new(), Vec::new()];
    for n in 0..models {
        let problem = model(n);
        let walls = n % 2 == 1;
        let exact = chain(&problem, hardware(Weights::Linear));
        let real = boltzmann(&problem);
        let linear = distances(&exact, &real);
        let pow2 = distances(&chain(&problem, hardware(Weights::Pow2)), &real);
        let drawn = draw(&problem, samples, walls);
        let (distance, deviation) = compare(&drawn, &exact);
        // One label costs one step more in every RV: its weight is 5% too small. That which is drawn second most often.
        let mut off = problem.clone();
        let labels = usize::from(problem.labels);
        let drawn_of = |l: usize| -> f64 { exact.iter().map(|rv| rv[l]).sum() };
        let mut order: Vec<usize> = (0..labels).collect();
        order.sort_by(|&a, &b| drawn_of(b).total_cmp(&drawn_of(a)));
        if let Singleton::Table { costs } = &mut off.singleton {
            costs.iter_mut().skip(order[1]).step_by(labels).for_each(|cost| *cost += 1);
        }
        let (wrong, wrong_deviation) = compare(&draw(&off, samples, walls), &exact);
        println!(
            "| {n} | {} | {} | {} | {} | {distance:.5} | {deviation:.5} | {:.2} | {:.2} | {:.4} | {:.4} |",
            problem.labels,
            problem.rvs(),
            drawn.apart,
            drawn.samples,
            distance / deviation,
            wrong / wrong_deviation,
            mean(&linear),
            mean(&pow2)
        );
        worst = worst.max(distance / deviation);
        caught += u32::from(wrong > 3.0 * wrong_deviation);
        bias[0].extend(linear);
        bias[1].extend(pow2);
    }
    for (name, values) in ["linear, 10-bit energies", "pow2, 8-bit energies"].iter().zip(&bias) {
        let most = values.iter().copied().fold(0.0, f64::max);
        println!(
            "{name}: distance from exp(-E/T) {:.4} on average over RVs, {most:.4} at most",
            mean(values)
        );
    }
    println!("largest ratio {worst:.2}; one weight off by 5% is caught in {caught} of {models} models");
    assert!(worst <= 3.0, "a model is {worst:.2} deviations away");
    assert!(mean(&bias[0]) < 0.01, "linear weights");
    assert_eq!(caught, models, "models with one weight off by 5%");
}

#[test]
fn marginals_of_small_lattices() {
    check(3, 100_000);
}

#[test]
#[ignore = "minutes of processor time; docs/quality.md"]
fn marginals_of_thirty_lattices() {
    check(30, 1_000_000);
}
