//! Options of the applications: presets, data terms, views, windows, classes.

use super::ranges::number;
use crate::costs::DataTerm;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;

/// A set of parameters that gives good results without tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Fast; the backend computes the data term from the two pictures, so it runs on every build
    #[default]
    Default,
    /// The best results: cost tables, several passes; see docs/applications.md
    Best,
}

/// The view of a stereo pair that labels belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The left picture: (x, y) is seen at x − d in the right one
    #[default]
    Left,
    /// The right picture: (x, y) is seen at x + d in the left one
    Right,
}

/// What stereo does about pixels that the other view does not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occlusion {
    /// Nothing
    Ignore,
    /// Label the other view too and write a mask of the pixels on which the two disagree
    Check,
    /// Check, then label again without a data term on those pixels, so that their neighbours decide
    Fill,
}

/// A colour as RRGGBB, with or without #.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Colour(pub [u8; 3]);

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim().trim_start_matches('#');
        let value = (digits.len() == 6).then(|| u32::from_str_radix(digits, 16).ok()).flatten();
        let value = value.ok_or_else(|| format!("'{text}' must be six hexadecimal digits, as in ff8000"))?;
        let [_, r, g, b] = value.to_be_bytes();
        Ok(Self([r, g, b]))
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Colour> for String {
    fn from(Colour([r, g, b]): Colour) -> Self {
        format!("{r:02x}{g:02x}{b:02x}")
    }
}

/// What an application adds to the model and the sampling.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ApplicationOptions {
    /// Parameters to start from; every other option goes first [default: default]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Application")]
    pub preset: Option<Preset>,
    /// What pixels of the two pictures are compared by (stereo, flow); all but 'plain' make a cost table
    #[arg(long, value_enum, value_name = "TERM", help_heading = "Application")]
    pub data: Option<DataTerm>,
    /// Average costs over a window of this radius that follows the edges of the picture (stereo, flow) [default: 0]
    #[arg(long, value_name = "R", help_heading = "Application", value_parser = number::<u16>("support"))]
    pub support: Option<u16>,
    /// Labels a pixel, 1…8: 2 searches half pixels (stereo, flow) [default: 1]
    #[arg(long, value_name = "N", help_heading = "Application", value_parser = number::<u16>("grid"))]
    pub grid: Option<u16>,
    /// The view that labels belong to (stereo) [default: left]
    #[arg(long, value_enum, value_name = "SIDE", help_heading = "Application")]
    pub reference: Option<Side>,
    /// What to do about pixels that the other view does not see (stereo) [default: ignore]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Application")]
    pub occlusion: Option<Occlusion>,
    /// Sizes from coarse to fine, each half of the next, 1…8: motions beyond the window (flow) [default: 1]
    #[arg(long, value_name = "N", help_heading = "Application", value_parser = number::<u16>("levels"))]
    pub levels: Option<u16>,
    /// Colour of every class, instead of k-means (segment)
    #[arg(long, value_name = "RRGGBB,…", value_delimiter = ',', help_heading = "Application")]
    pub colours: Option<Vec<Colour>>,
    /// Classes by the colour of a pixel instead of its grey value (segment)
    #[arg(long, help_heading = "Application")]
    pub colour: bool,
    /// Pixels whose class is known: grey picture or .npy of class + 1, 0 where it is not known; or a picture in colour, where
    /// black is not known and every other colour is a class, the darkest first. Their mean values are those of the
    /// classes (segment)
    #[arg(long, value_name = "FILE", help_heading = "Application")]
    pub scribbles: Option<PathBuf>,
    /// Pixels without a value, nonzero: their neighbours decide (restore)
    #[arg(long, value_name = "FILE", help_heading = "Application")]
    pub mask: Option<PathBuf>,
}

impl ApplicationOptions {
    /// Paths that belong to these options.
    pub fn paths(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        [self.scribbles.as_mut(), self.mask.as_mut()].into_iter().flatten()
    }

    /// These options, and those of `base` where these say nothing.
    #[must_use]
    pub fn or(self, base: Self) -> Self {
        Self {
            preset: self.preset.or(base.preset),
            data: self.data.or(base.data),
            support: self.support.or(base.support),
            grid: self.grid.or(base.grid),
            reference: self.reference.or(base.reference),
            occlusion: self.occlusion.or(base.occlusion),
            levels: self.levels.or(base.levels),
            colours: self.colours.or(base.colours),
            colour: self.colour || base.colour,
            scribbles: self.scribbles.or(base.scribbles),
            mask: self.mask.or(base.mask),
        }
    }
}
