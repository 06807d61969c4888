//! The CPU benchmark: teddy, annealed, one core, process CPU time.
//!
//! `cargo run --release -p spa-model --example bench_cpu -- OPTIONS`, with [`USAGE`].
//!
//! DIR holds `im2.png` and `im6.png` (default `../shared/data/stereo/teddy`); without them a synthetic scene of the
//! same size is made. Runs a naive scalar sampler and the fast one at every instruction set of this CPU, and prints nominal
//! label rates (contract §9) of the whole run (set-up and histogram included) and of each fifth of the annealing.

mod naive;
mod scene;

use rustix::time::{ClockId, clock_gettime};
use spa_model::fast::{self, Level, Options};
use spa_model::weights::WeightTable;
use spa_model::{Error, Hardware, Job, Run, Schedule, Start, Step, spec};
use std::process::ExitCode;

const USAGE: &str = "usage: bench_cpu [--data DIR] [--repeat N] [--iterations N] [--only LEVEL] [--rows N] \
    [--energy-bits N] [--update-all] [--json]";

/// Process CPU time, all threads, in seconds.
pub fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

struct Arguments {
    data: String,
    repeat: usize,
    iterations: u32,
    json: bool,
    only: Option<String>,
    rows: u32,
    energy_bits: u8,
    update_all: bool,
}

fn arguments() -> Option<Arguments> {
    let mut result = Arguments {
        data: "../shared/data/stereo/teddy".into(),
        repeat: 5,
        iterations: 500,
        json: false,
        only: None,
        rows: u32::MAX,
        energy_bits: 8,
        update_all: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--data" => result.data = args.next()?,
            "--repeat" => result.repeat = args.next()?.parse().ok().filter(|&n| n > 0)?,
            "--iterations" => result.iterations = args.next()?.parse().ok().filter(|&n| n >= 25)?,
            "--energy-bits" => result.energy_bits = args.next()?.parse().ok()?,
            "--rows" => result.rows = args.next()?.parse().ok().filter(|&n| n > 0)?,
            "--only" => result.only = Some(args.next()?),
            "--update-all" => result.update_all = true,
            "--json" => result.json = true,
            _ => return None,
        }
    }
    Some(result)
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match bench(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench_cpu failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// CPU seconds of a run: in all, and of each fifth of its iterations.
#[derive(Debug, Clone, Copy)]
struct Times {
    whole: f64,
    fifths: [f64; 5],
    /// Set-up with the first iteration, and histogram.
    around: f64,
}

impl Times {
    const WORST: Self = Self { whole: f64::INFINITY, fifths: [f64::INFINITY; 5], around: f64::INFINITY };

    fn improve(&mut self, other: &Self) {
        self.whole = self.whole.min(other.whole);
        self.around = self.around.min(other.around);
        self.fifths.iter_mut().zip(other.fifths).for_each(|(a, b)| *a = a.min(b));
    }
}

/// Giga-labels a second, nominal.
#[derive(Debug, Clone, serde::Serialize)]
struct Rates {
    sampler: &'static str,
    iterations: u32,
    whole: f64,
    fifths: [f64; 5],
    /// CPU seconds of set-up with the first iteration, and of the histogram.
    around_seconds: f64,
    labels_touched: u64,
    labels_evaluated: u64,
}

fn bench(arguments: &Arguments) -> Result<(), Error> {
    let (source, problem) = scene::problem(&arguments.data, arguments.rows);
    let job = |schedule: Schedule| {
        let burn_in = schedule.last_entry();
        let run = Run { schedule, burn_in, seed: 1, chain: 0, start: Start::Argmin, cutoff: None };
        Job::new(Hardware { energy_bits: arguments.energy_bits, ..Hardware::default() }, problem.clone(), run)
    };
    let full = job(Schedule::anneal(20.0, 1.0, 25, arguments.iterations)?)?;
    // The naive sampler takes the same temperatures, an iteration each.
    let short = job(Schedule::anneal(20.0, 1.0, 25, 25)?)?;

    let levels: Vec<Level> = Level::available()
        .into_iter()
        .filter(|level| arguments.only.as_ref().is_none_or(|n| n == level.name()))
        .collect();
    let update_all = arguments.update_all;
    let options = |level: Level| Options { threads: 1, simd: Some(level), update_all, ..Options::default() };
    let (mut naive, expected) = naive::run(&short);
    for level in &levels {
        let check = fast::run(&short, &options(*level), &mut |_| true)?;
        if check.labels != expected {
            return Err(Error::range("labels", level.name(), "those of the naive sampler"));
        }
    }
    // Noise only adds: the least time of each part is the best estimate. The samplers take turns, so that a noisy
    // minute strikes all of them.
    let mut best = vec![(Times::WORST, 0); levels.len()];
    for _ in 0..arguments.repeat {
        naive.improve(&naive::run(&short).0);
        for (level, (best, touched)) in levels.iter().zip(&mut best) {
            let (times, labels_touched) = timed(&full, &options(*level))?;
            best.improve(&times);
            *touched = labels_touched;
        }
    }
    let mut rates = vec![Rates::new("naive", &short, &naive, short.labels_evaluated())];
    for (level, (best, touched)) in levels.iter().zip(&best) {
        rates.push(Rates::new(level.name(), &full, best, *touched));
    }
    let live = live_labels(&full)?;
    if arguments.json {
        let problem = full.problem();
        let json = serde_json::json!({
            "cpu": cpu_model(), "scene": source, "width": problem.width, "height": problem.height,
            "labels": problem.labels, "mean_live_labels_by_fifth": live, "g_labels_per_cpu_second": rates,
        });
        println!("{json:#}");
    } else {
        print(&source, &full, &rates, &live);
    }
    Ok(())
}

fn timed(job: &Job, options: &Options) -> Result<(Times, u64), Error> {
    let iterations = job.iterations();
    let mut marks = [0.0; 6];
    let start = cpu_seconds();
    let mut progress = |n: u32| {
        // The first mark, after one iteration, leaves set-up out of the first fifth.
        if n == 1 {
            marks[0] = cpu_seconds();
        }
        if n.is_multiple_of(iterations / 5) && n / (iterations / 5) <= 5 {
            marks[(n / (iterations / 5)) as usize] = cpu_seconds();
        }
        true
    };
    let outcome = fast::run(job, options, &mut progress)?;
    let whole = cpu_seconds() - start;
    let mut fifths: [f64; 5] = std::array::from_fn(|i| marks[i + 1] - marks[i]);
    fifths[0] *= f64::from(iterations / 5) / f64::from(iterations / 5 - 1);
    let around = whole - (marks[5] - marks[0]);
    Ok((Times { whole, fifths, around }, outcome.labels_touched))
}

impl Rates {
    fn new(sampler: &'static str, job: &Job, times: &Times, labels_touched: u64) -> Self {
        let giga = job.labels_evaluated() as f64 * 1e-9;
        let per_fifth = giga / f64::from(job.iterations()) * f64::from(job.iterations() / 5);
        Self {
            sampler,
            iterations: job.iterations(),
            whole: giga / times.whole,
            fifths: times.fifths.map(|t| per_fifth / t),
            around_seconds: times.around,
            labels_touched,
            labels_evaluated: job.labels_evaluated(),
        }
    }
}

/// Mean number of labels with a weight in the middle of each fifth.
fn live_labels(job: &Job) -> Result<[f64; 5], Error> {
    let steps = job.run().schedule.steps();
    let iterations = job.iterations();
    let mut means = [0.0; 5];
    for (fifth, mean) in means.iter_mut().enumerate() {
        let mut left = iterations * (2 * fifth as u32 + 1) / 10;
        let mut head = Vec::new();
        for step in steps {
            let n = step.iterations.min(left);
            head.push(Step { iterations: n.max(1), ..*step });
            left -= n;
            if left == 0 {
                break;
            }
        }
        let temperature = head.last().map_or(1.0, |step| step.temperature);
        let run = Run { schedule: Schedule::new(head)?, burn_in: 0, ..job.run().clone() };
        let head = Job::new(*job.hardware(), job.problem().clone(), run)?;
        let labels = fast::run(&head, &Options::default(), &mut |_| true)?.labels;
        let weights = WeightTable::new(job.hardware(), temperature, None);
        let (width, height) = (job.problem().width, job.problem().height);
        let mut live = 0;
        // One RV in 7 is enough for a mean.
        for i in (0..width * height).step_by(7) {
            let energies = spec::energies(job, &labels, i % width, i / width);
            let least = energies.iter().copied().min().unwrap_or(0);
            live += energies.iter().filter(|&&e| weights.weight(e - least) > 0).count();
        }
        *mean = live as f64 / f64::from((width * height).div_ceil(7));
    }
    Ok(means)
}

fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(':').nth(1)).map_or("unknown", str::trim).to_string()
}

fn print(source: &str, job: &Job, rates: &[Rates], live: &[f64; 5]) {
    let problem = job.problem();
    println!("{}: {} x {}, {} labels", source, problem.width, problem.height, problem.labels);
    println!("CPU: {}; one core, G label/s nominal by process CPU time, best of the repeats", cpu_model());
    println!(
        "| sampler | iterations | whole run | fifth 1 | 2 | 3 | 4 | 5 | set-up, histogram | labels touched |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for r in rates {
        let [a, b, c, d, e] = r.fifths;
        let touched = 100.0 * r.labels_touched as f64 / r.labels_evaluated as f64;
        println!(
            "| {} | {} | {:.3} | {a:.3} | {b:.3} | {c:.3} | {d:.3} | {e:.3} | {:.0} ms | {touched:.1}% |",
            r.sampler,
            r.iterations,
            r.whole,
            1e3 * r.around_seconds
        );
    }
    let [a, b, c, d, e] = live;
    println!("| mean live labels | | | {a:.2} | {b:.2} | {c:.2} | {d:.2} | {e:.2} | | |");
}
