//! Table 3.2's runs: quality of the most frequent labels, over seeds.

use super::scene::{Case, Quality, measure_name};
use super::table::Table;
use super::{Event, Picture, Report, Sink, entry, sample};
use crate::app::Application;
use crate::colour::{paint, palette};
use crate::error::Result;
use crate::options::RunOptions;
use crate::plan::Plan;
use serde::Serialize;
use serde_json::json;
use spa_model::hash::hash_u16;
use spagen::plot::{Axis, Bar, Content, Figure, Panel};
use std::time::Instant;

/// Mean of some runs and how far they scatter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard error of the mean; none for one run.
    pub standard_error: Option<f64>,
    /// Largest value.
    pub worst: f64,
    /// Runs.
    pub runs: usize,
}

impl Spread {
    /// Of `values`; none without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let error = (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        let worst = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (!values.is_empty()).then_some(Self { mean, standard_error: error, worst, runs: values.len() })
    }

    /// As text with so many digits after the point.
    pub fn text(&self, digits: usize) -> String {
        match self.standard_error {
            Some(error) => format!("{:.digits$} ± {error:.digits$}", self.mean),
            None => format!("{:.digits$}", self.mean),
        }
    }
}

/// All runs of one case.
#[derive(Debug, Default)]
struct Found {
    quality: Vec<f64>,
    seen: Vec<f64>,
    confidence: Vec<f64>,
    seconds: Vec<f64>,
    hashes: Vec<String>,
    mode: Vec<u8>,
}

/// Runs all cases for each seed from the first one on.
///
/// # Errors
/// As [`super::sample`].
pub fn run(cases: &[Case], seeds: u64, threads: usize, sink: Sink<'_>) -> anyhow::Result<Report> {
    let plans = cases.iter().map(|case| case.plan(&case.options)).collect::<Result<Vec<_>>>()?;
    sink(Event::Total(plans.iter().map(|plan| u64::from(plan.job.iterations()) * seeds).sum()));
    let mut found = Vec::new();
    let mut entries = Vec::new();
    let mut pictures = Vec::new();
    for (case, plan) in cases.iter().zip(&plans) {
        let results = sample_all(case, plan, seeds, threads, sink)?;
        let mapping = &plan.mapping;
        let measured = json!({
            "alpha": mapping.real_alpha,
            "beta": mapping.real_beta,
            "temperature": temperature(plan),
            "measure": measure_name(&case.application),
            "quality": Spread::of(&results.quality),
            "quality_by_seed": results.quality,
            "bad_pixels_non_occluded": Spread::of(&results.seen),
            "mean_confidence": Spread::of(&results.confidence),
            "seconds": Spread::of(&results.seconds),
            "histogram_hashes": results.hashes,
        });
        entries.push(entry(case, &plan.job, measured)?);
        let problem = plan.job.problem();
        pictures.push(Picture {
            name: format!("{}-mode.png", case.name.replace(['/', '\\', ':', '@'], "-")),
            size: (problem.width, problem.height),
            rgb: paint(&palette(&plan.application, problem.labels), &results.mode),
        });
        found.push(results);
    }
    Ok(Report {
        name: "runs",
        figure: "Table 3.2",
        settings: json!({ "seeds": seeds }),
        tables: vec![table(cases, &plans, &found)],
        plot: plot(cases, &found),
        cases: entries,
        pictures,
    })
}

fn sample_all(case: &Case, plan: &Plan, seeds: u64, threads: usize, sink: Sink<'_>) -> Result<Found> {
    let mut found = Found::default();
    let first = plan.job.run().seed;
    for seed in (first..first.saturating_add(seeds)).take(seeds as usize) {
        sink(Event::Run(&format!("{}, seed {seed}", case.name)));
        let plan = case.plan(&RunOptions { seed: Some(seed), ..case.options.clone() })?;
        let start = Instant::now();
        let outcome = sample(&plan.job, threads, sink)?;
        found.seconds.push(start.elapsed().as_secs_f64());
        let mode = outcome.histogram.mode();
        match case.quality(&plan.application, &mode) {
            Some(Quality::BadPixels(all, seen)) => {
                found.quality.push(all);
                found.seen.extend(seen);
            }
            Some(Quality::EndPoint(error)) => found.quality.push(error),
            None => {}
        }
        let confidence = outcome.histogram.confidence();
        let sum: f64 = confidence.iter().map(|&c| f64::from(c)).sum();
        found.confidence.push(sum / confidence.len().max(1) as f64);
        found.hashes.push(hash_u16(outcome.histogram.counts()));
        if found.mode.is_empty() {
            found.mode = mode;
        }
    }
    Ok(found)
}

/// As people gave it: one number, or the ends of an annealing.
fn temperature(plan: &Plan) -> String {
    let steps = plan.job.run().schedule.steps();
    let of = |t: f64| spagen::plot::number(t / plan.mapping.temperature_factor);
    match steps {
        [only] => of(only.temperature),
        [first, .., last] => format!("{}:{}", of(first.temperature), of(last.temperature)),
        [] => String::new(),
    }
}

fn table(cases: &[Case], plans: &[Plan], found: &[Found]) -> Table {
    let head = [
        "size",
        "labels",
        "alpha",
        "beta",
        "T",
        "iterations",
        "counted",
        "bad pixels, %",
        "non-occluded, %",
        "end-point error",
        "confidence",
        "seconds",
    ];
    let mut table =
        Table::new("most frequent labels of the counted iterations", head.map(String::from).to_vec());
    for ((case, plan), found) in cases.iter().zip(plans).zip(found) {
        let (problem, mapping) = (plan.job.problem(), &plan.mapping);
        let text = |values: &[f64], digits| Spread::of(values).map_or("–".to_string(), |s| s.text(digits));
        let stereo = matches!(case.application, Application::Stereo { .. });
        let only = |wanted: bool, digits| {
            if wanted { text(&found.quality, digits) } else { "–".to_string() }
        };
        table.cells(
            &case.name,
            vec![
                format!("{}x{}", problem.width, problem.height),
                problem.labels.to_string(),
                mapping.real_alpha.to_string(),
                mapping.real_beta.to_string(),
                temperature(plan),
                plan.job.iterations().to_string(),
                plan.job.collected().to_string(),
                only(stereo, 2),
                text(&found.seen, 2),
                only(!stereo, 3),
                text(&found.confidence, 3),
                Spread::of(&found.seconds).map_or("–".to_string(), |s| format!("{:.1}", s.mean)),
            ],
        );
    }
    table
}

/// One panel a measure; without any truth the confidence.
fn plot(cases: &[Case], found: &[Found]) -> Figure {
    let panel = |title: &str, shown: &[usize], of: fn(&Found) -> &[f64]| Panel {
        title: title.to_string(),
        x: Axis::auto(""),
        y: Axis::auto(title),
        content: Content::Bars {
            categories: shown.iter().map(|&n| cases[n].name.clone()).collect(),
            bars: vec![Bar::plain(
                "",
                shown.iter().map(|&n| Spread::of(of(&found[n])).map_or(f64::NAN, |s| s.mean)).collect(),
            )],
            limit: None,
        },
    };
    let mut panels = Vec::new();
    for application in [Application::Stereo { dmin: 0 }, Application::Flow { window: 7 }] {
        let name = measure_name(&application);
        let measured =
            |&n: &usize| measure_name(&cases[n].application) == name && !found[n].quality.is_empty();
        let shown: Vec<usize> = (0..cases.len()).filter(measured).collect();
        if !shown.is_empty() {
            panels.push(panel(name, &shown, |f| &f.quality));
        }
    }
    if panels.is_empty() {
        let all: Vec<usize> = (0..cases.len()).collect();
        panels.push(panel("mean share of the most frequent label", &all, |f| &f.confidence));
    }
    Figure { rows: vec![panels] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_by_hand() {
        assert_eq!(Spread::of(&[]), None);
        let one = Spread::of(&[3.0]).unwrap();
        assert_eq!((one.mean, one.standard_error, one.text(1)), (3.0, None, "3.0".to_string()));
        let three = Spread::of(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((three.mean, three.worst, three.runs), (3.0, 6.0, 3));
        assert!((three.standard_error.unwrap() - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(three.text(2), "3.00 ± 1.53");
    }
}
