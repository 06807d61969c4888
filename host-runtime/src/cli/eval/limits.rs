//! Limits of `spa eval`: the measure, its value and the limit, one check each.

use super::{Measures, Region};
use crate::error::Error;
use clap::Args;
use serde::Serialize;
use std::str::FromStr;

/// What the measures must not exceed. REGION is nonocc, all or disc [default: nonocc where there is such a mask, else all]
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits (exit code 1 beyond them)")]
pub struct Limits {
    /// Bad pixels in percent, at a threshold [default: 1]: 16.5, all=23.7, nonocc@2=9
    #[arg(long, value_name = "[REGION[@T]=]PERCENT")]
    max_bad: Vec<Limit>,
    /// Root mean square error of disparities in pixels
    #[arg(long, value_name = "[REGION=]PIXELS")]
    max_rmse: Vec<Limit>,
    /// Mean absolute error of disparities in pixels
    #[arg(long, value_name = "[REGION=]PIXELS")]
    max_error: Vec<Limit>,
    /// Wrong by more than 3 pixels and 5%, in percent (KITTI)
    #[arg(long, value_name = "[REGION=]PERCENT")]
    max_outliers: Vec<Limit>,
    /// Mean end-point error of flow in pixels
    #[arg(long, value_name = "[REGION=]PIXELS")]
    max_epe: Vec<Limit>,
    /// Mean angular error of flow in degrees
    #[arg(long, value_name = "[REGION=]DEGREES")]
    max_angle: Vec<Limit>,
    /// Area under risk by coverage, of a random order's, at a threshold [default: 1]; needs a run with '--uncertainty'
    #[arg(long, value_name = "[REGION[@T]=]AREA")]
    max_risk: Vec<Limit>,
    /// Variation of information in bits
    #[arg(long, value_name = "BITS")]
    max_vi: Vec<Limit>,
    /// Least boundary recall in percent
    #[arg(long, value_name = "PERCENT")]
    min_recall: Vec<Limit>,
}

/// A limit as given: region and threshold if named.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    region: Option<String>,
    threshold: Option<f64>,
    value: f64,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let refuse = || format!("'{text}' must be a number, 0 or more, or REGION=NUMBER, as in nonocc=16.5");
        let (place, value) = match text.split_once('=') {
            Some((place, value)) => (Some(place), value),
            None => (None, text),
        };
        let value = number(value).ok_or_else(refuse)?;
        let (region, threshold) = match place.map(|place| place.split_once('@').unwrap_or((place, ""))) {
            None => (None, None),
            Some((region, "")) => (Some(region), None),
            Some((region, threshold)) => (Some(region), Some(number(threshold).ok_or_else(refuse)?)),
        };
        if region.is_some_and(|region| !["nonocc", "all", "disc"].contains(&region)) {
            return Err(format!("'{}' is no region; nonocc, all and disc are", region.unwrap_or_default()));
        }
        Ok(Self { region: region.map(str::to_string), threshold, value })
    }
}

/// A limit that was checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What was measured, region and threshold included.
    pub measure: String,
    /// Its value; none without a single pixel.
    pub value: Option<f64>,
    /// What it may be at most (at least, of a recall).
    pub limit: f64,
    /// Unit of both.
    pub unit: &'static str,
    /// True if the limit is kept.
    pub kept: bool,
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { measure, limit, unit, .. } = self;
        let least = measure.starts_with("boundary recall");
        let (beyond, within) =
            if least { ("below the least", "at least") } else { ("above the limit of", "at most") };
        match self.value {
            None => write!(f, "{measure} cannot be measured (no pixel), but must be {within} {limit} {unit}"),
            Some(value) if self.kept => write!(f, "{measure} is {value:.3} {unit}, {within} {limit} {unit}"),
            Some(value) => write!(f, "{measure} is {value:.3} {unit}, {beyond} {limit} {unit}"),
        }
    }
}

/// Name, unit and the option that limits it.
type Kind = (&'static str, &'static str, &'static str);

impl Limits {
    /// Checks every limit.
    ///
    /// # Errors
    /// [`Error::Usage`] for a limit of something that was not measured.
    pub fn check(&self, regions: &[Region]) -> Result<Vec<Check>, Error> {
        let groups: [(&[Limit], Kind); 9] = [
            (&self.max_bad, ("bad pixels", "%", "--max-bad")),
            (&self.max_rmse, ("root mean square error", "px", "--max-rmse")),
            (&self.max_error, ("mean error", "px", "--max-error")),
            (&self.max_outliers, ("outliers", "%", "--max-outliers")),
            (&self.max_epe, ("end-point error", "px", "--max-epe")),
            (&self.max_angle, ("angular error", "degrees", "--max-angle")),
            (&self.max_risk, ("area under risk", "of random", "--max-risk")),
            (&self.max_vi, ("variation of information", "bits", "--max-vi")),
            (&self.min_recall, ("boundary recall", "%", "--min-recall")),
        ];
        let mut checks = Vec::new();
        for (limits, kind) in groups {
            for limit in limits {
                checks.push(one(limit, kind, regions)?);
            }
        }
        Ok(checks)
    }
}

fn one(limit: &Limit, (name, unit, option): Kind, regions: &[Region]) -> Result<Check, Error> {
    let region = match &limit.region {
        Some(wanted) => regions.iter().find(|region| region.name == wanted).ok_or_else(|| {
            Error::usage(format!("{option} {wanted}=…: there is no such region; give --{wanted} MASK"))
        })?,
        // The first one is nonocc, where there is a mask.
        None => regions.first().ok_or_else(|| Error::usage(format!("{option}: nothing was measured")))?,
    };
    let threshold = limit.threshold.unwrap_or(1.0);
    let by_threshold = ["bad pixels", "area under risk"].contains(&name);
    if limit.threshold.is_some() && !by_threshold {
        return Err(Error::usage(format!("{option} has no threshold; only --max-bad and --max-risk have")));
    }
    let unmeasured =
        || Error::usage(format!("{option}: threshold {threshold} is not measured; add it to --thresholds"));
    let bad = |all: &[crate::measure::Bad]| {
        all.iter().find(|bad| bad.threshold == threshold).map(|bad| bad.percent).ok_or_else(unmeasured)
    };
    let value = match (&region.measures, name) {
        (Measures::Stereo(m), "bad pixels") => bad(&m.bad)?,
        (Measures::Stereo(m), "root mean square error") => m.rmse,
        (Measures::Stereo(m), "mean error") => m.error,
        (Measures::Stereo(m), "outliers") => m.outliers,
        (Measures::Flow(m), "bad pixels") => bad(&m.bad)?,
        (Measures::Flow(m), "outliers") => m.outliers,
        (Measures::Flow(m), "end-point error") => m.end_point.mean,
        (Measures::Flow(m), "angular error") => m.angular.mean,
        (Measures::Stereo(_) | Measures::Flow(_), "area under risk") => {
            let risks = region.risk.as_ref().ok_or_else(|| {
                Error::usage(format!("{option}: the result has no confidence.npy; run with --uncertainty"))
            })?;
            let at = risks.iter().find(|risk| risk.threshold == threshold);
            at.ok_or_else(unmeasured)?.area
        }
        (Measures::Segment(m), "variation of information") => Some(m.mean.vi),
        (Measures::Segment(m), "boundary recall") => m.mean.recall,
        (measures, _) => {
            let what = match measures {
                Measures::Stereo(_) => {
                    "disparity has bad pixels, root mean square error, mean error, outliers"
                }
                Measures::Flow(_) => "flow has bad pixels, outliers, end-point and angular error",
                Measures::Segment(_) => "classes have variation of information and boundary recall",
            };
            return Err(Error::usage(format!("{option} does not fit: {what}")));
        }
    };
    let measure = match (name, &region.measures) {
        _ if by_threshold => format!("{name} > {threshold} ({})", region.name),
        (_, Measures::Segment(_)) => name.to_string(),
        _ => format!("{name} ({})", region.name),
    };
    let kept = value.is_some_and(|value| {
        if name == "boundary recall" { value >= limit.value } else { value <= limit.value }
    });
    Ok(Check { measure, value, limit: limit.value, unit, kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_with_a_place() {
        let limit = |text: &str| text.parse::<Limit>();
        assert_eq!(limit("16.5"), Ok(Limit { region: None, threshold: None, value: 16.5 }));
        let full = Limit { region: Some("nonocc".to_string()), threshold: Some(2.0), value: 9.0 };
        assert_eq!(limit("nonocc@2=9"), Ok(full));
        for bad in ["", "x", "-1", "NaN", "all=", "all@x=3", "inf"] {
            assert!(limit(bad).unwrap_err().contains("must be a number"), "{bad}");
        }
        assert_eq!(limit("edges=3").unwrap_err(), "'edges' is no region; nonocc, all and disc are");
    }
}
