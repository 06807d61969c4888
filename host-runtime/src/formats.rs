//! Files of computer vision, in and out: one file a format, one type for everything read.
//!
//! The content decides what a file is, never its name. [`Raster`] is a picture of samples as they are stored;
//! [`Disparity`] and [`Flow`] are measurements with a validity for every pixel; [`LabelMap`] holds classes.

pub mod field;
pub mod flo;
pub mod kitti;
pub mod middlebury;
pub mod npz;
pub mod numbers;
mod orientation;
pub mod output;
pub mod pfm;
pub mod picture;
pub mod tiff;

pub use field::{Disparity, Flow, LabelMap, ReadAs, open_disparity, open_flow, open_labels};
pub use output::{Field, FileFormat};

use crate::error::{Error, Result};
use std::io::Read as _;
use std::path::Path;

/// Values of this size or more, infinities and NaN are unknown in every floating-point file (Middlebury: 1e9 and more).
pub const UNKNOWN_FROM: f32 = 1e9;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Portable network graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// TIFF or BigTIFF.
    Tiff,
    /// PBM, PGM, PPM or PAM.
    Pnm,
    /// Portable float map.
    Pfm,
    /// Optical flow of the Middlebury benchmark.
    Flo,
    /// An array of NumPy.
    Npy,
    /// Named arrays of NumPy in a ZIP archive.
    Npz,
    /// None of these.
    Unknown,
}

impl Kind {
    /// What the file at `path` is.
    ///
    /// # Errors
    /// [`Error::File`] if it is missing, a directory or empty.
    pub fn of(path: &Path) -> Result<Self> {
        Self::for_action(path, "read")
    }

    /// As [`Kind::of`]; errors say that `action` failed, as in `read picture`.
    ///
    /// # Errors
    /// [`Error::File`] if the file is missing, a directory or empty.
    pub fn for_action(path: &Path, action: &'static str) -> Result<Self> {
        let mut start = Vec::new();
        let file = std::fs::File::open(path).map_err(|e| Error::io(action, path, &e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(Error::file(action, path, "is a directory"));
        }
        file.take(8).read_to_end(&mut start).map_err(|e| Error::io(action, path, &e))?;
        if start.is_empty() {
            return Err(Error::file(action, path, "the file is empty"));
        }
        Ok(Self::from_start(&start))
    }

    /// What starts with these bytes.
    pub fn from_start(start: &[u8]) -> Self {
        match start {
            [0x89, b'P', b'N', b'G', ..] => Self::Png,
            [0xff, 0xd8, 0xff, ..] => Self::Jpeg,
            [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => Self::Tiff,
            [b'P', b'1'..=b'7', space, ..] if space.is_ascii_whitespace() || *space == b'#' => Self::Pnm,
            [b'P', b'F' | b'f', space, ..] if space.is_ascii_whitespace() => Self::Pfm,
            [b'P', b'I', b'E', b'H', ..] => Self::Flo,
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Self::Npz,
            _ => Self::Unknown,
        }
    }

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "a PNG picture",
            Self::Jpeg => "a JPEG picture",
            Self::Tiff => "a TIFF picture",
            Self::Pnm => "a PNM picture",
            Self::Pfm => "a float map (PFM)",
            Self::Flo => "a flow field (.flo)",
            Self::Npy => "an array (.npy)",
            Self::Npz => "an archive of arrays (.npz)",
            Self::Unknown => "of an unknown format",
        }
    }
}

/// Samples as they are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Eight bits (fewer are scaled up to eight).
    U8(Vec<u8>),
    /// Sixteen bits.
    U16(Vec<u16>),
    /// Floating point; 64 bits are rounded to 32, integers of more than 16 bits are converted.
    F32(Vec<f32>),
}

/// A picture of any sample type: H×W×channels, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Raster {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Samples a pixel: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
    pub channels: u8,
    /// The samples.
    pub samples: Samples,
    /// True if the file said that it is stored turned or mirrored: the samples are upright.
    pub turned: bool,
}

impl Raster {
    /// Reads PNG, JPEG, TIFF, PNM or PFM, upright; palettes are looked up.
    ///
    /// # Errors
    /// [`Error::File`] if the file is missing, damaged, or something else; the message says what it is.
    pub fn open(path: &Path) -> Result<Self> {
        match Kind::of(path)? {
            Kind::Pfm => pfm::read(path),
            Kind::Tiff => tiff::read(path),
            Kind::Png | Kind::Jpeg | Kind::Pnm => picture::read(path),
            Kind::Unknown => {
                Err(Error::file("read", path, "unknown format; PNG, JPEG, TIFF, PNM and PFM are read"))
            }
            other => Err(Error::file("read", path, format!("it is {}, not a picture", other.name()))),
        }
    }

    /// Sample `n` of all, as a number.
    pub fn sample(&self, n: usize) -> f32 {
        match &self.samples {
            Samples::U8(v) => f32::from(v[n]),
            Samples::U16(v) => f32::from(v[n]),
            Samples::F32(v) => v[n],
        }
    }

    /// Number of pixels.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// One value a pixel, or none if the picture has several that differ: grey, or colour with equal channels. Alpha is
    /// left out.
    pub fn plane(&self) -> Option<Vec<f32>> {
        let channels = usize::from(self.channels);
        let colours = if channels >= 3 { 3 } else { 1 };
        let pixel = |i: usize| {
            let first = self.sample(i * channels);
            let equal = |c: usize| {
                let other = self.sample(i * channels + c);
                other == first || other.is_nan() && first.is_nan()
            };
            (1..colours).all(equal).then_some(first)
        };
        (0..self.pixels()).map(pixel).collect()
    }

    /// True for floating-point samples.
    pub fn is_float(&self) -> bool {
        matches!(self.samples, Samples::F32(_))
    }
}

/// Reads a whole file.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| Error::io("read", path, &e))
}

/// Reads a file of text; `action` as in `read schedule`.
///
/// # Errors
/// [`Error::File`] if it cannot be read, or is no text in UTF-8: what it is instead, or where it stops being text.
pub(crate) fn text_of(action: &'static str, path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(action, path, &e))?;
    let kind = Kind::from_start(&bytes);
    String::from_utf8(bytes).map_err(|error| {
        let cause = match kind {
            Kind::Unknown => {
                let at = error.utf8_error().valid_up_to();
                format!("it is no text: the byte at {at} is not UTF-8; give a text file, saved as UTF-8")
            }
            kind => format!("it is {}, not text; give a text file", kind.name()),
        };
        Error::file(action, path, cause)
    })
}

/// Refuses sizes that no picture has: 0 and above 65,535.
pub(crate) fn check_size(
    action: &'static str,
    path: &Path,
    (width, height): (u64, u64),
) -> Result<(u32, u32)> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(w @ 1..=65_535), Ok(h @ 1..=65_535)) => Ok((w, h)),
        _ if width == 0 || height == 0 => {
            Err(Error::file(action, path, format!("it has no pixels ({width}x{height})")))
        }
        _ => Err(Error::file(
            "read",
            path,
            format!("{width}x{height} is too large; 65535 is the most on a side"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides() {
        assert_eq!(Kind::from_start(b"\x89PNG\r\n"), Kind::Png);
        assert_eq!(Kind::from_start(b"II*\0"), Kind::Tiff);
        assert_eq!(Kind::from_start(b"MM\0+"), Kind::Tiff);
        assert_eq!(Kind::from_start(b"P5\n1 1"), Kind::Pnm);
        assert_eq!(Kind::from_start(b"Pf\n1 1"), Kind::Pfm);
        assert_eq!(Kind::from_start(b"PIEH"), Kind::Flo);
        assert_eq!(Kind::from_start(b"PK\x03\x04"), Kind::Npz);
        assert_eq!(Kind::from_start(b"P5"), Kind::Unknown);
        assert_eq!(Kind::from_start(b"hello"), Kind::Unknown);
    }

    #[test]
    fn a_plane_needs_equal_channels() {
        let raster = |width, channels, v: Vec<u8>| Raster {
            width,
            height: 1,
            channels,
            samples: Samples::U8(v),
            turned: false,
        };
        let grey = raster(2, 2, vec![7, 255, 9, 0]);
        assert_eq!(grey.plane(), Some(vec![7.0, 9.0]));
        let colour = |v: Vec<u8>| raster(1, 3, v);
        assert_eq!(colour(vec![5, 5, 5]).plane(), Some(vec![5.0]));
        assert_eq!(colour(vec![5, 5, 6]).plane(), None);
    }
}
