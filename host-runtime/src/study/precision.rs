//! Fig. 3.12: quality in double precision and in integers of every width.
//!
//! One width at a time departs from the base; same pictures, model, schedule and random words. With fewer or more bits a
//! sample, its weight and caps grow or shrink, so that the model stays; with fewer bits an energy, it saturates earlier,
//! as it does in an array.

use super::runs::Spread;
use super::scene::{Case, measure_name};
use super::table::Table;
use super::{Event, Report, Sink, entry, names, percent, sample};
use crate::app::Application;
use crate::error::Result;
use crate::options::RunOptions;
use crate::plan::Plan;
use serde_json::{Value, json};
use spa_model::reference::{self, RealParameters};
use spa_model::{Hardware, Weights};
use spagen::plot::{Axis, Bar, Content, Figure, Panel, Series};
use std::str::FromStr;

/// A width of the hardware part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Bits of a sample.
    Singleton,
    /// Bits of an energy.
    Energy,
    /// Bits of a probability.
    P,
    /// Bits of a random number.
    U,
}

/// All of them.
pub const WIDTHS: [Width; 4] = [Width::Singleton, Width::Energy, Width::P, Width::U];

impl Width {
    /// Name as of its option.
    pub fn name(self) -> &'static str {
        match self {
            Self::Singleton => "singleton-bits",
            Self::Energy => "energy-bits",
            Self::P => "p-bits",
            Self::U => "u-bits",
        }
    }

    fn of(self, hardware: &Hardware) -> u8 {
        match self {
            Self::Singleton => hardware.singleton_bits,
            Self::Energy => hardware.energy_bits,
            Self::P => hardware.p_bits,
            Self::U => hardware.u_bits,
        }
    }

    /// What contract §1 allows; with linear weights energies are narrower.
    fn range(self, weights: Weights) -> std::ops::RangeInclusive<u8> {
        match self {
            Self::Singleton | Self::P => 1..=8,
            Self::Energy if weights == Weights::Linear => 4..=10,
            Self::Energy => 4..=16,
            Self::U => 8..=32,
        }
    }

    /// The base with `bits` bits.
    fn apply(self, base: &Plan, options: &RunOptions, bits: u8) -> RunOptions {
        let mut options = options.clone();
        match self {
            Self::Energy => options.energy_bits = Some(bits),
            Self::P => options.p_bits = Some(bits),
            Self::U => options.u_bits = Some(bits),
            Self::Singleton => {
                let problem = base.job.problem();
                let was = base.job.hardware().singleton_bits;
                let largest = |bits: u8| f64::from((1_u16 << bits) - 1);
                // At most 65,535, the least that a cap cannot pass.
                let scaled = |cost: u16| (f64::from(cost) * largest(bits) / largest(was)).round() as u16;
                options.singleton_bits = Some(bits);
                options.alpha = Some(base.mapping.real_alpha * f64::exp2(f64::from(was) - f64::from(bits)));
                options.data_cap = Some(scaled(problem.data_cap));
                options.outside = Some(scaled(problem.s_outside));
            }
        }
        options
    }
}

/// A width and its values; all that are allowed if none are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variation {
    width: Width,
    bits: Vec<u8>,
}

impl FromStr for Variation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, bits) = text.split_once('=').map_or((text, None), |(name, bits)| (name, Some(bits)));
        let width = WIDTHS
            .into_iter()
            .find(|width| width.name() == name)
            .ok_or_else(|| format!("'{name}' is no width; {} are", WIDTHS.map(Width::name).join(", ")))?;
        let bit = |text: &str| text.parse().map_err(|_| format!("'{text}' is no number of bits"));
        let bits = bits.map_or(Ok(Vec::new()), |bits| bits.split(',').map(bit).collect())?;
        Ok(Self { width, bits })
    }
}

/// All widths with all their values.
pub fn everything() -> Vec<Variation> {
    WIDTHS.map(|width| Variation { width, bits: Vec::new() }).to_vec()
}

/// Results of one variant over the seeds.
#[derive(Debug, Clone, Default)]
struct Findings {
    /// Against the truth; empty without one.
    quality: Vec<f64>,
    /// Percent of the pixels whose label differs from that of double precision with the same seed.
    differing: Vec<f64>,
}

impl Findings {
    fn add(&mut self, case: &Case, application: &Application, mode: &[u8], double: &[u8]) {
        self.quality.extend(case.quality(application, mode).map(super::scene::Quality::value));
        let differing = mode.iter().zip(double).filter(|(a, b)| a != b).count();
        self.differing.push(percent(differing as u64, mode.len() as u64));
    }

    fn json(&self) -> Value {
        json!({ "quality": Spread::of(&self.quality), "differing_percent": Spread::of(&self.differing) })
    }
}

/// All results of one case.
#[derive(Debug)]
struct Found {
    double: Findings,
    base: Findings,
    /// By variation and value.
    variants: Vec<Vec<(u8, Findings)>>,
}

/// Runs all cases in double precision, in integers, and with each width of `variations`, for each seed from the first
/// one on.
///
/// # Errors
/// As [`super::sample`] and [`crate::plan::plan`]; [`spa_model::Error::Range`] for a width that is not allowed.
pub fn run(
    cases: &[Case],
    variations: &[Variation],
    seeds: u64,
    threads: usize,
    sink: Sink<'_>,
) -> anyhow::Result<Report> {
    let plans = cases.iter().map(|case| case.plan(&case.options)).collect::<Result<Vec<_>>>()?;
    let studies = cases
        .iter()
        .zip(&plans)
        .map(|(case, plan)| Ok(Study { case, base: plan, bits: bits(plan, variations)?, threads }))
        .collect::<Result<Vec<_>>>()?;
    sink(Event::Total(
        studies.iter().map(|study| study.runs() * seeds * u64::from(study.iterations())).sum(),
    ));
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for study in &studies {
        let results = study.run(seeds, sink)?;
        entries.push(entry(study.case, &study.base.job, study.json(&results))?);
        found.push(results);
    }
    let bits = studies.first().map(|study| study.bits.clone()).unwrap_or_default();
    Ok(Report {
        name: "precision",
        figure: "3.12",
        settings: json!({ "seeds": seeds }),
        tables: tables(cases, &bits, &found),
        plot: plot(cases, &plans, &bits, &found),
        cases: entries,
        pictures: Vec::new(),
    })
}

/// Values of each variation; the same for all cases, as the hardware part is.
fn bits(plan: &Plan, variations: &[Variation]) -> Result<Vec<(Width, Vec<u8>)>> {
    let weights = plan.job.hardware().weights;
    let of = |variation: &Variation| {
        let range = variation.width.range(weights);
        if let Some(wrong) = variation.bits.iter().find(|bits| !range.contains(bits)) {
            let allowed = format!("{}…{} with {} weights", range.start(), range.end(), weights.name());
            return Err(spa_model::Error::range(variation.width.name(), wrong, allowed).into());
        }
        let bits = if variation.bits.is_empty() { range.collect() } else { variation.bits.clone() };
        Ok((variation.width, bits))
    };
    variations.iter().map(of).collect()
}

/// One case with what is varied.
struct Study<'a> {
    case: &'a Case,
    base: &'a Plan,
    bits: Vec<(Width, Vec<u8>)>,
    threads: usize,
}

impl Study<'_> {
    fn iterations(&self) -> u32 {
        self.base.job.iterations()
    }

    /// Runs a seed: double precision, the base, and whatever differs from it.
    fn runs(&self) -> u64 {
        let base = self.base.job.hardware();
        let differing =
            |(width, bits): &(Width, Vec<u8>)| bits.iter().filter(|&&b| b != width.of(base)).count();
        2 + self.bits.iter().map(differing).sum::<usize>() as u64
    }

    fn run(&self, seeds: u64, sink: Sink<'_>) -> Result<Found> {
        let name = &self.case.name;
        let empty = |(_, bits): &(Width, Vec<u8>)| bits.iter().map(|&b| (b, Findings::default())).collect();
        let mut found = Found {
            double: Findings::default(),
            base: Findings::default(),
            variants: self.bits.iter().map(empty).collect(),
        };
        let first = self.base.job.run().seed;
        for seed in (first..first.saturating_add(seeds)).take(seeds as usize) {
            let options = RunOptions { seed: Some(seed), ..self.case.options.clone() };
            let base = self.case.plan(&options)?;
            sink(Event::Run(&format!("{name}, double precision")));
            let double = double(&base, sink)?;
            found.double.add(self.case, &base.application, &double, &double);
            sink(Event::Run(&format!("{name}, integers")));
            let mode = sample(&base.job, self.threads, sink)?.histogram.mode();
            found.base.add(self.case, &base.application, &mode, &double);
            for ((width, _), variants) in self.bits.iter().zip(&mut found.variants) {
                for (bits, findings) in variants {
                    if *bits == width.of(base.job.hardware()) {
                        findings.add(self.case, &base.application, &mode, &double);
                        continue;
                    }
                    sink(Event::Run(&format!("{name}, {} {bits}", width.name())));
                    let plan = self.case.plan(&width.apply(&base, &options, *bits))?;
                    let mode = sample(&plan.job, self.threads, sink)?.histogram.mode();
                    findings.add(self.case, &base.application, &mode, &double);
                }
            }
        }
        Ok(found)
    }

    fn json(&self, found: &Found) -> Value {
        let mut widths = serde_json::Map::new();
        for ((width, _), variants) in self.bits.iter().zip(&found.variants) {
            let row = |(bits, findings): &(u8, Findings)| {
                let mut row = findings.json();
                row["bits"] = (*bits).into();
                row
            };
            widths.insert(width.name().replace('-', "_"), variants.iter().map(row).collect());
        }
        json!({
            "measure": measure_name(&self.case.application),
            "double": found.double.json(),
            "integers": found.base.json(),
            "widths": widths,
        })
    }
}

/// Labels of a run in double precision, with the parameters as people gave them.
fn double(plan: &Plan, sink: Sink<'_>) -> Result<Vec<u8>> {
    let mapping = &plan.mapping;
    let real = RealParameters {
        alpha: mapping.real_alpha,
        // The cap of a Potts term belongs to its weight.
        beta: mapping.real_beta * f64::from(mapping.real_cap) / f64::from(mapping.cap),
        temperature_factor: 1.0 / mapping.temperature_factor,
    };
    let outcome = reference::run_watched(&plan.job, real, &mut |_| sink(Event::Iterations(1)))?;
    Ok(outcome.histogram.mode())
}

fn tables(cases: &[Case], bits: &[(Width, Vec<u8>)], found: &[Found]) -> Vec<Table> {
    let table = |title: &str, of: &dyn Fn(&Findings) -> String| {
        let mut table = Table::new(title, names(cases));
        table.cells("double precision", found.iter().map(|f| of(&f.double)).collect());
        table.cells("integers", found.iter().map(|f| of(&f.base)).collect());
        for (n, (width, bits)) in bits.iter().enumerate() {
            for (m, b) in bits.iter().enumerate() {
                let cells = found.iter().map(|f| of(&f.variants[n][m].1)).collect();
                table.cells(format!("{} {b}", width.name()), cells);
            }
        }
        table
    };
    vec![
        table("bad pixels > 1 in percent (stereo), end-point error in pixels (flow)", &|f| {
            Spread::of(&f.quality).map_or("–".to_string(), |spread| spread.text(3))
        }),
        table("pixels whose label differs from that of double precision, %", &|f| {
            Spread::of(&f.differing).map_or("–".to_string(), |spread| spread.text(2))
        }),
    ]
}

/// A row of panels for each measure: bars of double precision and integers, and lines by width. Without any truth the
/// differing labels are shown.
fn plot(cases: &[Case], plans: &[Plan], bits: &[(Width, Vec<u8>)], found: &[Found]) -> Figure {
    let with_truth = |wanted: &str| {
        let measured =
            |&n: &usize| measure_name(&cases[n].application) == wanted && !found[n].double.quality.is_empty();
        (0..cases.len()).filter(measured).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    let measures =
        [Application::Stereo { dmin: 0 }, Application::Flow { window: 7 }].map(|a| measure_name(&a));
    for measure in measures {
        let shown = with_truth(measure);
        if !shown.is_empty() {
            let rows_of = Row { cases, plans, bits, found, shown };
            rows.push(rows_of.panels(measure, |f| Spread::of(&f.quality)));
        }
    }
    if rows.is_empty() {
        let all = Row { cases, plans, bits, found, shown: (0..cases.len()).collect() };
        rows.push(all.panels("labels unlike double precision, %", |f| Spread::of(&f.differing)));
    }
    Figure { rows }
}

struct Row<'a> {
    cases: &'a [Case],
    plans: &'a [Plan],
    bits: &'a [(Width, Vec<u8>)],
    found: &'a [Found],
    shown: Vec<usize>,
}

impl Row<'_> {
    fn panels(&self, measure: &str, of: fn(&Findings) -> Option<Spread>) -> Vec<Panel> {
        let value = |f: &Findings| of(f).map_or(f64::NAN, |spread| spread.mean);
        let values = |pick: fn(&Found) -> &Findings| -> Vec<f64> {
            self.shown.iter().map(|&n| value(pick(&self.found[n]))).collect()
        };
        let mut panels = vec![Panel {
            title: "Double precision and integers".to_string(),
            x: Axis::auto(""),
            y: Axis::auto(measure),
            content: Content::Bars {
                categories: self.shown.iter().map(|&n| self.cases[n].name.clone()).collect(),
                bars: vec![
                    Bar::plain("double precision", values(|f| &f.double)),
                    Bar::plain("integers", values(|f| &f.base)),
                ],
                limit: None,
            },
        }];
        for (w, (width, bits)) in self.bits.iter().enumerate() {
            let ends = (
                f64::from(bits.iter().copied().min().unwrap_or(0)),
                f64::from(bits.iter().copied().max().unwrap_or(1)),
            );
            let line = |&n: &usize| {
                let points = self.found[n].variants[w].iter().map(|(b, f)| (f64::from(*b), value(f)));
                let mut points: Vec<(f64, f64)> = points.collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                Series::new(&self.cases[n].name, points)
            };
            let mut series: Vec<Series> = self.shown.iter().map(line).collect();
            let levels = self.shown.iter().enumerate();
            series.extend(levels.map(|(k, &n)| Series::level(k, ends, value(&self.found[n].double))));
            let base = self.plans.first().map_or(0, |plan| width.of(plan.job.hardware()));
            panels.push(Panel {
                title: format!("{} (elsewhere {base}; dashed: double precision)", width.name()),
                x: Axis::range("bits", ends.0, ends.1),
                y: Axis::auto(measure),
                content: Content::Lines(series),
            });
        }
        panels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_are_read() {
        let read = |text: &str| text.parse::<Variation>();
        assert_eq!(read("u-bits"), Ok(Variation { width: Width::U, bits: Vec::new() }));
        assert_eq!(read("p-bits=4,8"), Ok(Variation { width: Width::P, bits: vec![4, 8] }));
        assert!(read("label-bits").unwrap_err().contains("singleton-bits, energy-bits, p-bits, u-bits are"));
        assert!(read("p-bits=").is_err() && read("p-bits=4,x").is_err());
        assert_eq!(everything().len(), 4);
    }
}
