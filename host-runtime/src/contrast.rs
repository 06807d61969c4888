//! Edge weights: from a file, or from the contrast of the reference picture (contract §3, "Edges").
//!
//! Where neighbouring pixels differ, labels may differ more cheaply: w = LOW + (HIGH − LOW)·exp(−d/SIGMA), rounded to the
//! nearest integer (half away from zero), d the largest difference of the red, green and blue 8-bit samples of the two pixels.
//! The pinned pure-Rust `libm::exp` makes it the same everywhere. Weights count in eighths of beta ([`EDGE_UNIT`]).

use crate::error::{Error, Result};
use crate::formats::numbers::Numbers;
use crate::picture::Picture;
use serde::Deserialize;
use spa_model::edges::EDGE_WEIGHT_MAX;
use std::path::Path;
use std::str::FromStr;

/// The edge weight at which the smoothness term has the weight that people gave; 4 is half of it.
pub const EDGE_UNIT: u8 = 8;

/// SIGMA[:LOW:HIGH].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Contrast {
    /// Difference, in grey levels, over which the weight falls to 1/e of its range; above 0.
    pub sigma: f64,
    /// Weight of an edge of infinite contrast, 0…15.
    pub low: u8,
    /// Weight of an edge without contrast, 0…15.
    pub high: u8,
}

impl FromStr for Contrast {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be SIGMA or SIGMA:LOW:HIGH, as in 10:2:12");
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let (sigma, low, high) = match *parts.as_slice() {
            [sigma] => (sigma, "2", "12"),
            [sigma, low, high] => (sigma, low, high),
            _ => return Err(refuse()),
        };
        let weight = |text: &str| text.parse().map_err(|_| refuse());
        let sigma = sigma.parse().map_err(|_| refuse())?;
        let (low, high) = (weight(low)?, weight(high)?);
        if low > high {
            return Err(format!(
                "'{text}' has LOW {low} above HIGH {high}: smoothness must not be stronger where there is contrast"
            ));
        }
        Ok(Self { sigma, low, high })
    }
}

impl TryFrom<String> for Contrast {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Contrast {
    /// Weight of an edge across which samples differ by `difference`.
    fn weight(&self, difference: u8) -> u8 {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        (low + (high - low) * libm::exp(-f64::from(difference) / self.sigma)).round() as u8
    }

    /// The weights of all edges of `picture`, H×W×2: right, down; 0 across the border.
    ///
    /// # Errors
    /// [`spa_model::Error::Range`] if sigma is not a finite number above 0, or a weight exceeds 15.
    pub fn weights(&self, picture: &Picture) -> Result<Vec<u8>> {
        if !self.sigma.is_finite() || self.sigma <= 0.0 {
            return Err(spa_model::Error::range("contrast", self.sigma, "a finite number above 0").into());
        }
        if let Some(weight) = [self.low, self.high].into_iter().find(|&w| w > EDGE_WEIGHT_MAX) {
            let allowed = format!("0…{EDGE_WEIGHT_MAX}");
            return Err(spa_model::Error::range("edge weight of contrast", weight, allowed).into());
        }
        let mut by_difference = [0; 256];
        for (difference, weight) in (0..=255).zip(&mut by_difference) {
            *weight = self.weight(difference);
        }
        let (width, height) = (picture.width as usize, picture.height as usize);
        let of = |i: usize, n: usize| {
            let (a, b) = (picture.rgb[i], picture.rgb[n]);
            let difference = a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
            by_difference[usize::from(difference)]
        };
        let edges = |i: usize| {
            let right = if i % width + 1 < width { of(i, i + 1) } else { 0 };
            let down = if i / width + 1 < height { of(i, i + width) } else { 0 };
            [right, down]
        };
        Ok((0..width * height).flat_map(edges).collect())
    }
}

/// Reads the weights for `picture` from an array H×W×2: right, down.
///
/// # Errors
/// [`Error::File`] if the file is no array of integers of that shape, or one of them exceeds 15.
pub fn read(path: &Path, picture: &Picture) -> Result<Vec<u8>> {
    let array = Numbers::open(path)?;
    let fail = |cause: String| Error::file("use edge weights", path, cause);
    let needed = [u64::from(picture.height), u64::from(picture.width), 2];
    if array.shape != needed {
        let cause = format!(
            "its shape is {:?}, but {needed:?} (height, width, right and down) is needed",
            array.shape
        );
        return Err(fail(cause));
    }
    if !array.integer {
        return Err(fail("it holds floating point, not integers".to_string()));
    }
    match array.values.iter().position(|weight| !(0.0..=EDGE_WEIGHT_MAX.into()).contains(weight)) {
        Some(n) => {
            let (i, side) = (n / 2, ["right", "down"][n % 2]);
            let (y, x) = (i / picture.width as usize, i % picture.width as usize);
            let weight = array.values[n];
            Err(fail(format!(
                "at row {y}, column {x} the edge {side} has weight {weight}; 0…{EDGE_WEIGHT_MAX} is allowed"
            )))
        }
        None => Ok(array.values.into_iter().map(|weight| weight as u8).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy;

    fn picture(width: u32, rgb: Vec<[u8; 3]>) -> Picture {
        Picture { path: "p.png".into(), width, height: rgb.len() as u32 / width, rgb }
    }

    #[test]
    fn weights_follow_the_formula() {
        let contrast: Contrast = "10:2:12".parse().unwrap();
        assert_eq!(contrast, "10".parse().unwrap());
        assert_eq!(contrast.weight(0), 12);
        // 2 + 10/e = 5.68, 2 + 10·exp(−0.5) = 8.07
        assert_eq!((contrast.weight(10), contrast.weight(5), contrast.weight(255)), (6, 8, 2));
        let p = picture(2, vec![[0; 3], [0, 10, 3], [5, 0, 0], [0, 10, 3]]);
        assert_eq!(contrast.weights(&p).unwrap(), [6, 8, 0, 12, 6, 0, 0, 0]);
        let rising = Contrast { sigma: 1.0, low: 15, high: 0 };
        assert_eq!((rising.weight(0), rising.weight(200)), (0, 15));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for bad in ["", "x", "10:2", "10:2:12:1", "10:-1:3", "10:2:256"] {
            assert!(bad.parse::<Contrast>().is_err(), "{bad}");
        }
        let p = picture(1, vec![[0; 3]]);
        for (text, expected) in [
            ("0", "contrast is 0, but must be a finite number above 0"),
            ("inf", "contrast is inf, but must be a finite number above 0"),
            ("9:2:16", "edge weight of contrast is 16, but must be 0…15"),
        ] {
            let error = text.parse::<Contrast>().unwrap().weights(&p).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn files_are_read_or_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w.npy");
        let p = picture(1, vec![[0; 3], [9; 3]]);
        npy::write(&path, &[2, 1, 2], &[1_u8, 15, 3, 0]).unwrap();
        assert_eq!(read(&path, &p).unwrap(), [1, 15, 3, 0]);
        for (weights, told) in
            [([1_i8, 15, 3, 24], "down has weight 24"), ([1, 15, -1, 0], "right has weight -1")]
        {
            npy::write(&path, &[2, 1, 2], &weights).unwrap();
            let error = read(&path, &p).unwrap_err().to_string();
            let told = format!("w.npy': at row 1, column 0 the edge {told}; 0…15 is allowed");
            assert!(error.ends_with(&told), "{error}");
        }
        npy::write(&path, &[2, 2], &[1_u8, 1, 3, 0]).unwrap();
        let error = read(&path, &p).unwrap_err().to_string();
        assert!(
            error.contains("its shape is [2, 2], but [2, 1, 2] (height, width, right and down)"),
            "{error}"
        );
    }
}
