//! Quality against ground truth over seeds 1–10: mean, deviation and worst of each measure (docs/quality.md).
//!
//!     cargo run --release -p spa-runtime --example quality -- [--data DIR] [--preset best] [--f64] [--seeds N] [NAME…]
//!
//! NAME is one of tsukuba, teddy, rubberwhale, dimetrodon, segment2, segment4, segment8; all of them unless given. With
//! `--f64` the double-precision sampler of the model runs instead of the integer one, same model, schedule and random words.
//! Pictures are third-party data and not part of the project: DIR (default ../shared/data) holds stereo/, flow/ and
//! segmentation/.

use rayon::prelude::*;
use spa_model::{Outcome, fast, reference};
use spa_runtime::app::Application;
use spa_runtime::app::prepare::{Prepared, Values, prepare};
use spa_runtime::blocks::Whole;
use spa_runtime::formats::{Field, Flow, ReadAs, flo, open_disparity, open_labels};
use spa_runtime::measure::mask::Mask;
use spa_runtime::measure::{flow, segment, stereo};
use spa_runtime::options::RunOptions;
use spa_runtime::options::application::{ApplicationOptions, Preset};
use spa_runtime::picture::Picture;
use spa_runtime::plan::{Inputs, Plan};
use std::path::{Path, PathBuf};
use std::time::Instant;

const NAMES: [&str; 7] =
    ["tsukuba", "teddy", "rubberwhale", "dimetrodon", "segment2", "segment4", "segment8"];

struct Settings {
    data: PathBuf,
    preset: Preset,
    double: bool,
    seeds: u64,
    names: Vec<String>,
}

fn main() -> anyhow::Result<()> {
    let settings = settings()?;
    println!("| run | measure | mean | standard error | deviation | worst | seconds a run |");
    println!("|---|---|---|---|---|---|---|");
    for name in &settings.names {
        let start = Instant::now();
        let runs: Vec<Vec<(&'static str, f64)>> = (1..=settings.seeds)
            .into_par_iter()
            .map(|seed| measure(&settings, name, seed))
            .collect::<anyhow::Result<_>>()?;
        let seconds = start.elapsed().as_secs_f64() / settings.seeds as f64;
        for n in 0..runs[0].len() {
            let values: Vec<f64> = runs.iter().map(|run| run[n].1).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
            let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
            let worst = values.iter().copied().fold(f64::MIN, f64::max);
            let error = deviation / count.sqrt();
            println!(
                "| {name} | {} | {mean:.3} | {error:.3} | {deviation:.3} | {worst:.3} | {seconds:.1} |",
                runs[0][n].0
            );
        }
    }
    Ok(())
}

fn settings() -> anyhow::Result<Settings> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let mut settings =
        Settings { data, preset: Preset::Default, double: false, seeds: 10, names: Vec::new() };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| anyhow::anyhow!("{arg} needs a value"));
        match arg.as_str() {
            "--data" => settings.data = value()?.into(),
            "--preset" => {
                let name = value()?;
                anyhow::ensure!(name == "best" || name == "default", "preset is '{name}': default or best");
                settings.preset = if name == "best" { Preset::Best } else { Preset::Default };
            }
            "--seeds" => settings.seeds = value()?.parse()?,
            "--f64" => settings.double = true,
            name if NAMES.contains(&name) => settings.names.push(name.to_string()),
            other => anyhow::bail!("'{other}' is none of {}", NAMES.join(", ")),
        }
    }
    if settings.names.is_empty() {
        settings.names = NAMES.map(String::from).to_vec();
    }
    Ok(settings)
}

/// All measures of one run.
fn measure(settings: &Settings, name: &str, seed: u64) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let labels = match name {
        "tsukuba" => Some(16),
        "teddy" => Some(60),
        _ => name.strip_prefix("segment").map(str::parse).transpose()?,
    };
    let options = RunOptions {
        application: ApplicationOptions { preset: Some(settings.preset), ..ApplicationOptions::default() },
        labels,
        seed: Some(seed),
        ..RunOptions::default()
    };
    match name {
        "tsukuba" | "teddy" => disparity(settings, name, &options),
        "rubberwhale" | "dimetrodon" => motion(settings, name, &options),
        _ => classes(settings, &options),
    }
}

fn disparity(
    settings: &Settings,
    name: &str,
    options: &RunOptions,
) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let folder = settings.data.join("stereo").join(name);
    let (left, right, truth, scale) = match name {
        "tsukuba" => ("imL.png", "imR.png", "groundtruth.png", 16.0),
        _ => ("im2.png", "im6.png", "disp2.png", 4.0),
    };
    let pair = [folder.join(left), folder.join(right)];
    let (prepared, outcome) = run(settings, &Application::Stereo { dmin: 0 }, &pair, options)?;
    let Field::Disparity(found) = prepared.field(&outcome.histogram.mode()) else {
        anyhow::bail!("no disparities")
    };
    let truth = open_disparity(&folder.join(truth), ReadAs { scale: Some(scale), ..ReadAs::default() })?;
    let bad =
        |mask: &[bool]| stereo::measure(&found, &truth, mask, &[1.0]).bad[0].percent.unwrap_or(f64::NAN);
    Ok(vec![
        ("bad pixels > 1, non-occluded, %", bad(&Mask::open(&folder.join("nonocc.png"))?.inside())),
        ("bad pixels > 1, all, %", bad(&Mask::open(&folder.join("all.png"))?.known())),
    ])
}

fn motion(settings: &Settings, name: &str, options: &RunOptions) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let folder = settings.data.join("flow").join(name);
    let pair = [folder.join("frame10.png"), folder.join("frame11.png")];
    let (prepared, outcome) = run(settings, &Application::Flow { window: 7 }, &pair, options)?;
    let truth = flo::read(&folder.join("flow10.flo"))?;
    let everywhere = vec![true; truth.vectors.len()];
    let error =
        |found: &Flow| flow::measure(found, &truth, &everywhere, &[]).end_point.mean.unwrap_or(f64::NAN);
    let Field::Flow(mode) = prepared.field(&outcome.histogram.mode()) else { anyhow::bail!("no motions") };
    let extras = prepared
        .extras(&Whole::of((truth.width, truth.height), &outcome.histogram), &outcome.histogram.mode())?;
    let Some(Values::Float(mean)) = extras.first().map(|extra| &extra.values) else {
        anyhow::bail!("no mean motions")
    };
    let mean = mean.chunks_exact(2).map(|v| [v[0], v[1]]).collect();
    Ok(vec![
        ("end-point error of the mode, pixels", error(&mode)),
        (
            "end-point error of the mean (flow.npy), pixels",
            error(&Flow::new(truth.width, truth.height, mean)),
        ),
    ])
}

/// Mean over the pictures of the mean over the humans of each.
fn classes(settings: &Settings, options: &RunOptions) -> anyhow::Result<Vec<(&'static str, f64)>> {
    let listing = std::fs::read_dir(settings.data.join("segmentation"))?;
    let mut folders: Vec<PathBuf> = listing.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    folders.sort();
    let mut sum = 0.0;
    for folder in &folders {
        let (_, outcome) = run(settings, &Application::Segment, &[folder.join("image.jpg")], options)?;
        let mode = outcome.histogram.mode();
        let humans: Vec<PathBuf> =
            (1..10).map(|n| folder.join(format!("human_{n}.png"))).filter(|path| path.exists()).collect();
        let mut bits = 0.0;
        for human in &humans {
            bits += segment::variation_of_information(&mode, &open_labels(human)?.values);
        }
        sum += bits / humans.len() as f64;
    }
    Ok(vec![("variation of information, bits", sum / folders.len() as f64)])
}

/// One run with all passes of its preset.
fn run(
    settings: &Settings,
    application: &Application,
    pictures: &[PathBuf],
    options: &RunOptions,
) -> anyhow::Result<(Prepared, Outcome)> {
    let second = pictures.get(1).map(|path| Picture::open(path)).transpose()?;
    let inputs = Inputs { first: Picture::open(&pictures[0])?, second };
    let sample = |plan: &Plan| -> anyhow::Result<Outcome> {
        if settings.double {
            let real = reference::RealParameters {
                alpha: plan.mapping.real_alpha,
                // The cap of a Potts term belongs to its weight.
                beta: plan.mapping.real_beta * f64::from(plan.mapping.real_cap) / f64::from(plan.mapping.cap),
                temperature_factor: 1.0 / plan.mapping.temperature_factor,
            };
            return Ok(reference::run(&plan.job, real)?);
        }
        let one = fast::Options { threads: 1, ..fast::Options::default() };
        Ok(fast::run(&plan.job, &one, &mut |_| true)?)
    };
    let prepared = prepare(application, options, None, &inputs, &mut |plan, _| {
        let size = (plan.job.problem().width, plan.job.problem().height);
        Ok(Box::new(Whole::owned(size, sample(plan)?.histogram)))
    })?;
    let outcome = sample(&prepared.plan)?;
    Ok((prepared, outcome))
}
