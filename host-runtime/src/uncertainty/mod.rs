//! How sure an answer is: statistics of one RV's counts, and what labels measure (docs/uncertainty.md).
//!
//! Everything here is a function of counts, so equal histograms give equal numbers. [`files`] writes them.

pub mod boundary;
pub mod credible;
pub mod files;

use crate::app::Application;
use crate::app::restore;
use spa_model::job::window_offsets;
use spa_model::{Count, Pair};

/// What labels measure.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Nothing: they are names of classes, without mean, variance or interval.
    Names,
    /// Numbers that rise with the label.
    Line {
        /// Value of every label.
        values: Vec<f64>,
        /// Unit, empty for none.
        unit: &'static str,
    },
    /// Displacements.
    Plane {
        /// Displacement of every label: to the right, down.
        vectors: Vec<[f64; 2]>,
        /// What is added in every pixel, H·W; none for zero everywhere.
        base: Option<Vec<[f64; 2]>>,
        /// Unit.
        unit: &'static str,
    },
}

impl Scale {
    /// What `labels` labels of `application` measure if they are whole pixels; `pair` tells of a field given by its costs.
    pub fn of(application: &Application, labels: u16, pair: &Pair) -> Self {
        match application {
            Application::Stereo { dmin } => Self::line(labels, "px", |l| f64::from(l) + f64::from(*dmin)),
            Application::Flow { window } => Self::Plane {
                vectors: window_offsets(*window).iter().map(|o| [o.dx.into(), o.dy.into()]).collect(),
                base: None,
                unit: "px",
            },
            Application::Segment => Self::Names,
            Application::Restore => {
                Self::line(labels, "grey levels", |l| f64::from(restore::value(l, labels)))
            }
            Application::Infer => match pair {
                Pair::Abs | Pair::Squared => Self::line(labels, "labels", f64::from),
                Pair::Potts | Pair::Table(_) => Self::Names,
            },
        }
    }

    /// Numbers `value` of the labels, rising.
    pub fn line(labels: u16, unit: &'static str, value: impl Fn(u16) -> f64) -> Self {
        Self::Line { values: (0..labels).map(value).collect(), unit }
    }

    /// Unit of the values, empty for names.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Names => "",
            Self::Line { unit, .. } | Self::Plane { unit, .. } => unit,
        }
    }

    /// From a label's value to the next one's; 1 of names and of a single label.
    pub fn step(&self) -> f64 {
        match self {
            Self::Line { values, .. } => values.get(1).map_or(1.0, |next| next - values[0]),
            // Labels are row-major: the first two differ by a step to the right.
            Self::Plane { vectors, .. } => vectors.get(1).map_or(1.0, |next| next[0] - vectors[0][0]),
            Self::Names => 1.0,
        }
    }

    /// Vectors of the labels, without the base: (value, 0) on a line; none of names.
    pub fn vectors(&self) -> Option<Vec<[f64; 2]>> {
        match self {
            Self::Names => None,
            Self::Line { values, .. } => Some(values.iter().map(|&v| [v, 0.0]).collect()),
            Self::Plane { vectors, .. } => Some(vectors.clone()),
        }
    }
}

/// Number of samples of a RV.
pub fn total<C: Count>(counts: &[C]) -> u64 {
    counts.iter().map(|&c| u64::from(c.into())).sum()
}

/// Share of the most frequent label, 0…1; 0 without samples.
pub fn confidence<C: Count>(counts: &[C]) -> f64 {
    let most: u32 = counts.iter().copied().max().unwrap_or_default().into();
    f64::from(most) / total(counts).max(1) as f64
}

/// Entropy of the labels in bits, 0…log2 L.
pub fn entropy<C: Count>(counts: &[C]) -> f64 {
    let total = total(counts) as f64;
    let shares = counts.iter().map(|&c| f64::from(c.into()) / total).filter(|&p| p > 0.0);
    shares.map(|p| -p * libm::log2(p)).sum::<f64>().max(0.0)
}

/// First and second moments of the vectors of drawn labels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Means of both components.
    pub mean: [f64; 2],
    /// Variances of both components, and their covariance; divided by the number of samples.
    pub variance: [f64; 3],
}

impl Moments {
    /// Moments of `counts` if label l stands for `vectors[l]`; zeros without samples.
    pub fn of<C: Count>(counts: &[C], vectors: &[[f64; 2]]) -> Self {
        let total = total(counts) as f64;
        if total == 0.0 {
            return Self::default();
        }
        let drawn = || {
            let counts = counts.iter().map(|&c| f64::from(c.into()));
            counts.zip(vectors).filter(|(count, _)| *count > 0.0)
        };
        let mut mean = [0.0; 2];
        for (count, vector) in drawn() {
            (0..2).for_each(|c| mean[c] += count * vector[c]);
        }
        let mean = mean.map(|sum| sum / total);
        // Around the mean, so that far values with a small spread lose no digits.
        let mut variance = [0.0; 3];
        for (count, vector) in drawn() {
            let [x, y] = [vector[0] - mean[0], vector[1] - mean[1]];
            for (sum, product) in variance.iter_mut().zip([x * x, y * y, x * y]) {
                *sum += count * product;
            }
        }
        Self { mean, variance: variance.map(|sum| sum / total) }
    }

    /// Root of the summed variances of both components.
    pub fn deviation(&self) -> f64 {
        (self.variance[0] + self.variance[1]).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        assert_eq!(entropy(&[4_u16, 0, 4, 0]), 1.0);
        assert_eq!(entropy(&[7_u32, 0]), 0.0);
        assert_eq!((confidence(&[3_u16, 5, 0]), confidence(&[0_u16, 0])), (0.625, 0.0));
        let line = Scale::line(4, "px", |l| f64::from(l) + 1000.0).vectors().unwrap();
        let moments = Moments::of(&[5_u16, 0, 5, 0], &line);
        assert_eq!((moments.mean[0], moments.variance), (1001.0, [1.0, 0.0, 0.0]));
        assert_eq!(Moments::of(&[0_u16, 9, 0, 0], &line).deviation(), 0.0);
        // Half at (-1, -1), half at (1, 1): a variance of one in x and one in y, and both move together.
        let window = Scale::of(&Application::Flow { window: 3 }, 9, &Pair::Abs).vectors().unwrap();
        let moments = Moments::of(&[3_u32, 0, 0, 0, 0, 0, 0, 0, 3], &window);
        assert_eq!((moments.mean, moments.variance), ([0.0, 0.0], [1.0, 1.0, 1.0]));
        assert_eq!(moments.deviation(), 2.0_f64.sqrt());
    }

    #[test]
    fn labels_measure_what_their_application_says() {
        let value = |application, l: usize| match Scale::of(&application, 3, &Pair::Abs) {
            Scale::Line { values, unit } => Some((values[l], unit)),
            _ => None,
        };
        assert_eq!(value(Application::Stereo { dmin: -2 }, 1), Some((-1.0, "px")));
        assert_eq!(value(Application::Restore, 2), Some((255.0, "grey levels")));
        assert_eq!(value(Application::Segment, 0), None);
        let step = |application| Scale::of(&application, 9, &Pair::Abs).step();
        assert_eq!((step(Application::Flow { window: 3 }), step(Application::Segment)), (1.0, 1.0));
        assert_eq!(Scale::line(3, "px", |l| f64::from(l) / 4.0).step(), 0.25);
        assert_eq!(value(Application::Infer, 2), Some((2.0, "labels")));
        assert_eq!(Scale::of(&Application::Infer, 3, &Pair::Potts), Scale::Names);
    }
}
