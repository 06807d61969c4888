//! Data costs: how unlike two places are, for every pixel and label, as a table that any backend takes.
//!
//! The plain differences of [`crate::app::SingletonForm`] are computed by the array itself from two pictures. Everything
//! better (colour, sampling-insensitive, census, gradient, robust mixtures, sub-pixel labels, support windows) becomes a
//! cost volume here, one label's slice at a time: [`planes`] makes float pictures and their shifted copies, [`matching`]
//! compares two of them, [`guided`] spreads a slice over its support.
//!
//! One unit is one grey level, so caps and weights mean the same for all terms.

pub mod census;
pub mod guided;
pub mod matching;
pub mod planes;

use guided::GuidedFilter;
use matching::{Displacement, Matcher};
use planes::ColourPlane;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What two pixels are compared by. In grey levels, 0…255.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataTerm {
    /// The difference of the grey values (see --singleton), computed by the backend; no table
    Plain,
    /// Mean absolute difference of red, green and blue
    Colour,
    /// Difference of grey values that sampling cannot explain (Birchfield and Tomasi 1998)
    Bt,
    /// Share of the comparisons with the pixel's neighbours (9×7) that come out otherwise
    Census,
    /// Mean absolute difference of the two derivatives of the grey values
    Gradient,
    /// Capped differences of colour and gradient, and census, mixed; 0…100
    Robust,
}

impl DataTerm {
    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Colour => "colour",
            Self::Bt => "bt",
            Self::Census => "census",
            Self::Gradient => "gradient",
            Self::Robust => "robust",
        }
    }
}

/// How a cost table is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostSettings {
    /// What pixels are compared by.
    pub term: DataTerm,
    /// Radius of the support window that follows edges ([`guided`]); 0 for none.
    pub support: u16,
    /// Cost, in grey levels, of a sample outside the picture.
    pub outside: f32,
    /// Largest cost, in grey levels, before the support window.
    pub cap: f32,
}

/// The cost table of `displacements`, H×W×L, in whole grey levels.
///
/// `guide` is the picture whose edges bound the support windows.
pub fn table(
    matcher: &Matcher,
    displacements: &[Displacement],
    guide: &ColourPlane,
    settings: &CostSettings,
) -> Vec<u16> {
    let (width, height) = (guide.width, guide.height);
    let filter = (settings.support > 0).then(|| GuidedFilter::new(guide, settings.support));
    volume(width * height, displacements.len(), |l| {
        let slice = matcher.slice(displacements[l], settings);
        filter.as_ref().map_or_else(|| slice.clone(), |filter| filter.apply(&slice))
    })
}

/// Puts slices (one a label, H·W values each) together to H×W×L, rounded and cut to 0…65,535; some slices at a time, so
/// that only few of them are in memory.
pub fn volume(pixels: usize, labels: usize, slice: impl Fn(usize) -> Vec<f32> + Sync) -> Vec<u16> {
    let mut out = vec![0_u16; pixels * labels];
    let together = rayon::current_num_threads().clamp(1, 16);
    for first in (0..labels).step_by(together) {
        let last = labels.min(first + together);
        let slices: Vec<Vec<f32>> = (first..last).into_par_iter().map(&slice).collect();
        for (row, i) in out.chunks_exact_mut(labels).zip(0..) {
            for (value, slice) in row[first..last].iter_mut().zip(&slices) {
                // `as` saturates.
                *value = (slice[i as usize] + 0.5) as u16;
            }
        }
    }
    out
}
