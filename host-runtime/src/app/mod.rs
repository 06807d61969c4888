//! Applications: what their labels mean, the parameters that hold unless people say otherwise, and what each of them does
//! around the job: cost tables, passes before it, results after it ([`prepare`]; docs/applications.md).

pub mod classes;
mod fill;
pub mod flow;
pub mod infer;
pub mod prepare;
pub mod preset;
pub mod restore;
pub mod segment;
pub mod stereo;

use serde::{Deserialize, Serialize};

/// What is asked of the pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Application {
    /// Disparity of the left picture of a rectified pair: label l is a disparity of l + dmin pixels.
    Stereo {
        /// Least disparity.
        dmin: i16,
    },
    /// Motion from frame 1 to frame 2: labels are displacements in a square window, row-major, dy outer.
    Flow {
        /// Side of the window, odd.
        window: u16,
    },
    /// Classes of pixels, by a value per class.
    Segment,
    /// A grey picture without its noise and with its holes filled: label l stands for a grey value.
    Restore,
    /// A field given by its costs.
    Infer,
}

/// A temperature schedule by its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cooling {
    /// One temperature.
    Constant(f64),
    /// Geometric from the first to the second temperature, in so many steps.
    Anneal(f64, f64, u32),
}

/// Form of the difference of two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SingletonForm {
    /// |a − b|
    Abs,
    /// (a − b)²
    Squared,
}

/// Form of the pair term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairForm {
    /// |Δ| of the labels, |dx| + |dy| for displacements
    Abs,
    /// Δ² of the labels, dx² + dy² for displacements
    Squared,
    /// 0 for equal labels, else the cap
    Potts,
}

/// Parameters of an application that hold unless given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Defaults {
    /// Labels L (at most what the build takes).
    pub labels: u16,
    /// Iterations.
    pub iterations: u32,
    /// Weight of the singleton.
    pub alpha: f64,
    /// Weight of the pair term.
    pub beta: f64,
    /// Cap of the pair term.
    pub cap: u8,
    /// Cap of the singleton.
    pub data_cap: u16,
    /// Singleton of a sample outside the picture; with a cap of one's own, that cap.
    pub outside: u16,
    /// Form of the singleton.
    pub singleton: SingletonForm,
    /// Form of the pair term.
    pub pair: PairForm,
    /// Temperatures.
    pub cooling: Cooling,
}

/// Options that only some applications take, and which.
const OPTIONS: [(&str, &[&str]); 17] = [
    ("data", &["stereo", "flow"]),
    ("support", &["stereo", "flow"]),
    ("grid", &["stereo", "flow"]),
    ("reference", &["stereo"]),
    ("occlusion", &["stereo"]),
    ("levels", &["flow"]),
    ("colours", &["segment"]),
    ("colour", &["segment"]),
    ("scribbles", &["segment"]),
    ("mask", &["restore"]),
    ("dmin", &["stereo"]),
    ("window", &["flow"]),
    ("values", &["segment"]),
    ("costs", PICTURES),
    ("contrast", PICTURES),
    ("outside", PICTURES),
    ("singleton", PICTURES),
];

/// Applications that have pictures.
const PICTURES: &[&str] = &["stereo", "flow", "segment", "restore"];

/// Applications that take `option` (its name without dashes); none if all do.
pub fn takers(option: &str) -> Option<&'static [&'static str]> {
    OPTIONS.iter().find(|(name, _)| *name == option).map(|&(_, takers)| takers)
}

/// True if `application` is one, and `option` is for others only.
pub fn is_foreign(option: &str, application: &str) -> bool {
    (PICTURES.contains(&application) || application == "infer")
        && takers(option).is_some_and(|takers| !takers.contains(&application))
}

impl Application {
    /// Name as on the command line and in summaries.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stereo { .. } => "stereo",
            Self::Flow { .. } => "flow",
            Self::Segment => "segment",
            Self::Restore => "restore",
            Self::Infer => "infer",
        }
    }

    /// Default parameters, chosen on the pictures named in docs/spa.md.
    pub fn defaults(&self) -> Defaults {
        match self {
            Self::Stereo { .. } => Defaults {
                labels: 64,
                iterations: 500,
                alpha: 1.0,
                beta: 8.0,
                cap: 2,
                data_cap: 30,
                outside: 9,
                singleton: SingletonForm::Abs,
                pair: PairForm::Abs,
                cooling: Cooling::Anneal(13.0, 3.4, 25),
            },
            Self::Flow { window } => Defaults {
                labels: window * window,
                iterations: 300,
                alpha: 2.0,
                beta: 5.0,
                cap: 255,
                data_cap: 10,
                outside: 10,
                singleton: SingletonForm::Abs,
                pair: PairForm::Abs,
                cooling: Cooling::Anneal(12.0, 2.0, 25),
            },
            Self::Segment => Defaults {
                labels: 4,
                iterations: 200,
                alpha: 1.0,
                beta: 60.0,
                cap: 1,
                data_cap: 255,
                outside: 255,
                singleton: SingletonForm::Abs,
                pair: PairForm::Potts,
                cooling: Cooling::Anneal(40.0, 4.0, 25),
            },
            Self::Restore => Defaults {
                labels: 64,
                iterations: 200,
                alpha: 1.0,
                beta: 4.0,
                cap: 8,
                data_cap: 255,
                outside: 255,
                singleton: SingletonForm::Abs,
                pair: PairForm::Abs,
                cooling: Cooling::Constant(10.0),
            },
            Self::Infer => Defaults {
                labels: 2,
                iterations: 1000,
                alpha: 1.0,
                beta: 1.0,
                cap: 255,
                data_cap: 65_535,
                outside: 65_535,
                singleton: SingletonForm::Abs,
                pair: PairForm::Abs,
                cooling: Cooling::Constant(1.0),
            },
        }
    }
}
