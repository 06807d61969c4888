//! Masks in the encodings that people have: 0/1, 0/255, 0/128/255 (128: occluded, or out of the region), booleans.

use crate::error::{Error, Result};
use crate::formats::{Kind, Raster, npz, numbers::Numbers};
use std::path::Path;

/// What a mask says of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// 0: nothing is known there.
    Out,
    /// 128: known, but occluded or not of the region.
    Half,
    /// 255, 1 or true: counts.
    In,
}

/// A mask, H×W.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Levels, row-major.
    pub levels: Vec<Level>,
}

impl Mask {
    /// Reads a mask from a grey picture of any sample type, a PFM, `.npy` or `.npz` with `mask` or `valid`.
    ///
    /// # Errors
    /// [`Error::File`] if the file is missing or damaged, in colour, or holds a value that no mask has.
    pub fn open(path: &Path) -> Result<Self> {
        let fail = |cause: String| Error::file("read mask", path, cause);
        let kind = Kind::for_action(path, "read mask")?;
        let (width, height, values) = match kind {
            Kind::Npy | Kind::Npz => {
                let array = match kind {
                    Kind::Npy => Numbers::open(path)?,
                    _ => npz::read(path, &["mask", "valid"])?,
                };
                let (width, height, channels) = array.plane().map_err(fail)?;
                if channels != 1 {
                    return Err(fail(format!("its shape is {:?}; (height, width) is needed", array.shape)));
                }
                (width, height, array.values)
            }
            _ => {
                let raster = Raster::open(path)?;
                let plane =
                    raster.plane().ok_or_else(|| fail("it is in colour; a mask is grey".to_string()))?;
                // Sixteen bits: 65,535 is white, 32,768 half.
                let full = plane.iter().copied().fold(0.0, f32::max);
                let shift = if full > 255.0 { 256.0 } else { 1.0 };
                (
                    raster.width,
                    raster.height,
                    plane.into_iter().map(|v| f64::from((v / shift).floor())).collect(),
                )
            }
        };
        Self::from_values(width, height, &values).map_err(fail)
    }

    /// A mask of values 0/1, 0/255 or 0/128/255.
    ///
    /// # Errors
    /// The value that does not fit, in words.
    pub fn from_values(width: u32, height: u32, values: &[f64]) -> Result<Self, String> {
        let ones = values.iter().all(|&v| v == 0.0 || v == 1.0);
        let level = |&v: &f64| match v {
            0.0 => Ok(Level::Out),
            1.0 if ones => Ok(Level::In),
            // Both 127 and 128 are in use for half.
            127.0 | 128.0 => Ok(Level::Half),
            255.0 => Ok(Level::In),
            _ => Err(format!(
                "it holds the value {v}; masks are 0/1, 0/255, or 0/128/255 with 128 for occluded"
            )),
        };
        let levels = values.iter().map(level).collect::<Result<_, _>>()?;
        Ok(Self { width, height, levels })
    }

    /// Pixels that count.
    pub fn inside(&self) -> Vec<bool> {
        self.levels.iter().map(|&l| l == Level::In).collect()
    }

    /// Pixels that are not out: those that count and the occluded ones.
    pub fn known(&self) -> Vec<bool> {
        self.levels.iter().map(|&l| l != Level::Out).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_encodings() {
        let inside = |values: &[f64]| Mask::from_values(values.len() as u32, 1, values).map(|m| m.inside());
        assert_eq!(inside(&[0.0, 1.0, 1.0]), Ok(vec![false, true, true]));
        assert_eq!(inside(&[0.0, 255.0, 128.0]), Ok(vec![false, true, false]));
        assert_eq!(inside(&[0.0, 128.0]), Ok(vec![false, false]), "128 alone is occluded everywhere");
        let known = Mask::from_values(3, 1, &[0.0, 255.0, 128.0]).unwrap().known();
        assert_eq!(known, [false, true, true]);
        assert!(inside(&[0.0, 1.0, 255.0]).unwrap_err().contains("it holds the value 1;"));
        assert!(inside(&[0.0, 37.0]).unwrap_err().contains("it holds the value 37;"));
    }

    #[test]
    fn files_of_all_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mask");
        crate::npy::write(&path, &[1, 2], &[true, false]).unwrap();
        assert_eq!(Mask::open(&path).unwrap().inside(), [true, false]);
        crate::formats::pfm::write(&path, 2, 1, 1, &[0.0, 1.0]).unwrap();
        assert_eq!(Mask::open(&path).unwrap().inside(), [false, true]);
        let save = |bytes: &[u8], kind| {
            image::save_buffer_with_format(&path, bytes, 2, 1, kind, image::ImageFormat::Png).unwrap();
        };
        save(&[128, 255], image::ExtendedColorType::L8);
        assert_eq!(Mask::open(&path).unwrap().levels, [Level::Half, Level::In]);
        let sixteen: Vec<u8> = [32_768_u16, 65_535].iter().flat_map(|v| v.to_ne_bytes()).collect();
        save(&sixteen, image::ExtendedColorType::L16);
        assert_eq!(Mask::open(&path).unwrap().levels, [Level::Half, Level::In]);
        save(&[1, 2, 3, 4, 5, 6], image::ExtendedColorType::Rgb8);
        assert!(Mask::open(&path).unwrap_err().to_string().contains("in colour"));
    }
}
