//! `spa eval`.

mod limits;
mod table;

use super::print;
use crate::error::Error;
use crate::formats::field::Unknown;
use crate::formats::{Field, ReadAs};
use crate::measure::answer::{Answer, Subject, Truth};
use crate::measure::mask::Mask;
use crate::measure::{flow, risk, scale, segment, stereo};
use crate::options::ranges::within;
use clap::Args;
use limits::Limits;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures a result against ground truth; exit code 1 if a limit is exceeded
///
/// Disparity: bad pixels, mean and root mean square error, by region. Flow: end-point and angular error. Classes: variation
/// of information in bits, boundary recall. A truth of NaN, infinity, or 1e9 and more is unknown and left out; so is 0 in
/// pictures. A pixel without an answer is bad, and left out of mean errors. A result folder made with '--uncertainty' is also
/// asked whether its confidence tells where it is wrong: the area under the curve of risk by coverage, 1 for a random order.
#[derive(Debug, Args)]
pub struct Eval {
    /// Result folder of spa (its mode.npy), or a file: .npy, .npz, PFM, TIFF, PNG (16 bits: KITTI), PGM, .flo
    result: PathBuf,
    /// Ground truth: a file of the same kinds, or a benchmark folder with its masks; of segmentations any number
    #[arg(required = true)]
    truth: Vec<PathBuf>,
    /// What is measured, where the files do not tell; goes before what a summary beside the result says
    #[arg(long, value_enum)]
    kind: Option<Subject>,
    /// Steps of a true disparity in a pixel [default: what a benchmark folder says, 256 for 16-bit PNG, else 1]
    #[arg(long, alias = "scale", value_name = "N", value_parser = steps)]
    truth_scale: Option<f64>,
    /// Steps of a disparity of the result in a pixel [default: 256 for 16-bit PNG, else 1]
    #[arg(long, value_name = "N", value_parser = steps)]
    result_scale: Option<f64>,
    /// Value of the truth's file that means unknown, or 'none' [default: 0 in pictures]
    #[arg(long, value_name = "V", value_parser = unknown)]
    unknown: Option<Unknown>,
    /// Mask of the pixels to measure: whatever is not 0 (grey picture, PFM or .npy of 0/1, 0/255, 0/128/255)
    #[arg(long, value_name = "MASK", help_heading = "Regions")]
    all: Option<PathBuf>,
    /// Mask of the pixels that both pictures see: 1 or 255; 128 is occluded
    #[arg(long, value_name = "MASK", help_heading = "Regions")]
    nonocc: Option<PathBuf>,
    /// Mask of the pixels near a discontinuity: 1 or 255
    #[arg(long, value_name = "MASK", help_heading = "Regions")]
    disc: Option<PathBuf>,
    /// Thresholds of bad pixels, in pixels
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', value_parser = threshold, default_value = "0.5,1,2,4")]
    thresholds: Vec<f64>,
    /// How far a boundary of classes may be off, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 2, value_parser = within::<u32>(0, 50, "pixels"))]
    tolerance: u32,
    #[command(flatten)]
    limits: Limits,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
struct Report {
    kind: &'static str,
    result: PathBuf,
    truth: Vec<PathBuf>,
    truth_scale: Option<f64>,
    regions: Vec<Region>,
    limits: Vec<limits::Check>,
    passed: bool,
}

/// Measures of one region.
#[derive(Debug, Serialize)]
struct Region {
    name: &'static str,
    #[serde(flatten)]
    measures: Measures,
    /// Risk by coverage at every threshold; null without a confidence.
    risk: Option<Vec<risk::Risk>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Measures {
    Stereo(stereo::Stereo),
    Flow(flow::Measures),
    Segment(Segment),
}

#[derive(Debug, Serialize)]
struct Segment {
    truths: usize,
    classes: usize,
    tolerance: u32,
    #[serde(flatten)]
    mean: segment::Measures,
    each: Vec<segment::Measures>,
}

impl Eval {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let answer = open(&self.result, self.kind, (self.result_scale, Unknown::KittiOnly))?;
        let read_as = ReadAs { scale: self.truth_scale, unknown: self.unknown.unwrap_or_default() };
        let truth = Truth::open(&self.truth, &answer, read_as)?;
        if truth.scale.is_none() {
            tell_steps(&answer, &truth);
        }
        let regions = self.regions(&answer, &truth)?;
        let limits = self.limits.check(&regions)?;
        let passed = limits.iter().all(|check| check.kept);
        let report = Report {
            kind: answer.field.what(),
            result: answer.path,
            truth: truth.paths,
            truth_scale: truth.scale,
            regions,
            limits,
            passed,
        };
        if self.json {
            print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
        } else {
            print(&table::text(&report))?;
        }
        for check in report.limits.iter().filter(|check| !check.kept) {
            eprintln!("error: {check}");
        }
        Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn regions(&self, answer: &Answer, truth: &Truth) -> Result<Vec<Region>, Error> {
        if let Field::Labels(result) = &answer.field {
            if [&self.all, &self.nonocc, &self.disc].iter().any(|mask| mask.is_some()) {
                return Err(Error::usage("masks are for disparity and flow, not for classes"));
            }
            let of = |field: &Field| match field {
                Field::Labels(truth) => Some(segment::measure(result, truth, self.tolerance)),
                _ => None,
            };
            let each: Vec<segment::Measures> = truth.fields.iter().filter_map(of).collect();
            let Some(mean) = segment::average(&each) else { return Ok(Vec::new()) };
            let mut classes = result.values.clone();
            classes.sort_unstable();
            classes.dedup();
            let (truths, classes) = (each.len(), classes.len());
            let measures = Segment { truths, classes, tolerance: self.tolerance, mean, each };
            return Ok(vec![Region { name: "all", measures: Measures::Segment(measures), risk: None }]);
        }
        let (width, height) = answer.size();
        let open = |given: &Option<PathBuf>, found: &Option<PathBuf>| -> Result<Option<Mask>, Error> {
            given.as_deref().or(found.as_deref()).map(|path| open_mask(path, answer)).transpose()
        };
        let everywhere = || vec![true; width as usize * height as usize];
        let all = open(&self.all, &truth.masks.all)?;
        let nonocc = open(&self.nonocc, &truth.masks.nonocc)?;
        let disc = open(&self.disc, &truth.masks.disc)?;
        let regions = [
            ("nonocc", nonocc.map(|mask| mask.inside())),
            ("all", Some(all.map_or_else(everywhere, |mask| mask.known()))),
            ("disc", disc.map(|mask| mask.inside())),
        ];
        let error = |i: usize| match (&answer.field, truth.fields.first()?) {
            (Field::Disparity(a), Field::Disparity(b)) => stereo::error(a, b, i),
            (Field::Flow(a), Field::Flow(b)) => flow::error(a, b, i),
            _ => None,
        };
        let mut found = Vec::new();
        for (name, region) in regions {
            let Some(region) = region else { continue };
            let measures = match (&answer.field, truth.fields.first()) {
                (Field::Disparity(a), Some(Field::Disparity(b))) => {
                    Measures::Stereo(stereo::measure(a, b, &region, &self.thresholds))
                }
                (Field::Flow(a), Some(Field::Flow(b))) => {
                    Measures::Flow(flow::measure(a, b, &region, &self.thresholds))
                }
                _ => continue,
            };
            let risk = answer.confidence.as_ref().and_then(|confidence| {
                let inside = confidence.iter().zip(&region).enumerate().filter(|(_, (_, inside))| **inside);
                let known = inside.filter_map(|(i, (&confidence, _))| Some((confidence, error(i)?)));
                risk::measure(known.collect(), &self.thresholds)
            });
            found.push(Region { name, measures, risk });
        }
        Ok(found)
    }
}

/// A result; how it was taken is told where that may surprise.
pub(super) fn open(
    path: &Path,
    kind: Option<Subject>,
    read_as: (Option<f64>, Unknown),
) -> Result<Answer, Error> {
    let answer = Answer::open(path, kind, read_as)?;
    if let Some(note) = &answer.note {
        eprintln!("note: {note}");
    }
    Ok(answer)
}

/// Says so where a truth without a scale seems to have one.
fn tell_steps(answer: &Answer, truth: &Truth) {
    let (Field::Disparity(result), Some(Field::Disparity(field))) = (&answer.field, truth.fields.first())
    else {
        return;
    };
    match scale::steps(result, field) {
        Some(scale::Steps::Times(steps)) => eprintln!(
            "note: the true disparities are about {steps} times those of the result; if the file counts {steps} steps to the pixel, \
             --truth-scale {steps} says so"
        ),
        Some(scale::Steps::Above(least, largest)) => eprintln!(
            "note: all true disparities ({least} and more) are above those of the result ({largest} at most); if the file counts \
             several steps to the pixel, --truth-scale N says how many"
        ),
        None => {}
    }
}

fn open_mask(path: &Path, answer: &Answer) -> Result<Mask, Error> {
    let mask = Mask::open(path)?;
    crate::picture::check_size("mask", (path, (mask.width, mask.height)), (&answer.path, answer.size()))?;
    Ok(mask)
}

/// A scale: any number but 0.
pub(super) fn steps(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n != 0.0);
    number.ok_or_else(|| "must be a number other than 0".to_string())
}

fn threshold(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| "must be a number of pixels, 0 or more".to_string())
}

pub(super) fn unknown(text: &str) -> Result<Unknown, String> {
    if text == "none" {
        return Ok(Unknown::Never);
    }
    let number = text.parse().ok().filter(|n: &f64| n.is_finite());
    number.map(Unknown::Value).ok_or_else(|| "must be a number or 'none'".to_string())
}
