//! TIFF, by the `tiff` crate: integers of 8 and 16 bits, floating point of 16 to 64, grey or several bands; palettes by the
//! `image` crate.

use super::{Raster, Samples, check_size, picture};
use crate::error::{Error, Result};
use image::metadata::Orientation;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::encoder::{TiffEncoder, colortype::Gray32Float};
use tiff::{ColorType, TiffError, tags::Tag};

/// Reads the first picture of a file, upright.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged or of a kind that is not read.
pub fn read(path: &Path) -> Result<Raster> {
    let fail = |e: TiffError| Error::file("read TIFF", path, cause_of(&e));
    let file = File::open(path).map_err(|e| Error::io("read TIFF", path, &e))?;
    let mut decoder = Decoder::new(BufReader::new(file)).map_err(fail)?.with_limits(limits());
    let (width, height) = decoder.dimensions().map_err(fail)?;
    let (width, height) = check_size("read TIFF", path, (width.into(), height.into()))?;
    let colour = decoder.colortype().map_err(fail)?;
    let channels = match colour {
        ColorType::Gray(8 | 16 | 32 | 64) => 1,
        ColorType::GrayA(8 | 16 | 32 | 64) => 2,
        ColorType::RGB(8 | 16 | 32 | 64) => 3,
        ColorType::RGBA(8 | 16 | 32 | 64) => 4,
        ColorType::Multiband { bit_depth: 8 | 16 | 32 | 64, num_samples: n @ 1..=4 } => n as u8,
        // Fewer bits, palettes, CMYK and what else there is.
        _ => return picture::read(path),
    };
    let orientation = decoder.find_tag_unsigned::<u64>(Tag::Orientation).map_err(fail)?;
    let samples = match decoder.read_image().map_err(fail)? {
        DecodingResult::U8(v) => Samples::U8(v),
        DecodingResult::U16(v) => Samples::U16(v),
        DecodingResult::F32(v) => Samples::F32(v),
        DecodingResult::F64(v) => floats(v, |v| v as f32),
        DecodingResult::F16(v) => floats(v, f32::from),
        DecodingResult::U32(v) => floats(v, |v| v as f32),
        DecodingResult::U64(v) => floats(v, |v| v as f32),
        DecodingResult::I8(v) => floats(v, f32::from),
        DecodingResult::I16(v) => floats(v, f32::from),
        DecodingResult::I32(v) => floats(v, |v| v as f32),
        DecodingResult::I64(v) => floats(v, |v| v as f32),
    };
    let raster = Raster { width, height, channels, samples, turned: false };
    let (got, needed) = (length(&raster.samples), raster.pixels() * usize::from(channels));
    if got != needed {
        let cause = format!(
            "it has {got} samples, but {needed} are needed ({colour:?} in separate planes is not read)"
        );
        return Err(Error::file("read TIFF", path, cause));
    }
    let orientation = orientation.and_then(|n| Orientation::from_exif(u8::try_from(n).ok()?));
    Ok(raster.upright(orientation.unwrap_or(Orientation::NoTransforms)))
}

/// Writes one 32-bit float a pixel, uncompressed.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write(path: &Path, width: u32, height: u32, values: &[f32]) -> Result<()> {
    let file = File::create(path).map_err(|e| Error::io("write", path, &e))?;
    TiffEncoder::new(BufWriter::new(file))
        .and_then(|mut encoder| encoder.write_image::<Gray32Float>(width, height, values))
        .map_err(|e| Error::file("write", path, e))
}

fn limits() -> Limits {
    // The largest pictures that make sense here; more is a damaged header.
    let mut limits = Limits::default();
    limits.decoding_buffer_size = 4 << 30;
    limits.intermediate_buffer_size = 1 << 30;
    limits
}

fn floats<T>(values: Vec<T>, convert: impl Fn(T) -> f32) -> Samples {
    Samples::F32(values.into_iter().map(convert).collect())
}

fn length(samples: &Samples) -> usize {
    match samples {
        Samples::U8(v) => v.len(),
        Samples::U16(v) => v.len(),
        Samples::F32(v) => v.len(),
    }
}

fn cause_of(error: &TiffError) -> String {
    match error {
        TiffError::UnsupportedError(e) => format!("unsupported ({e})"),
        TiffError::LimitsExceeded => "it is too large to be decoded".to_string(),
        TiffError::IoError(e) => picture::cause_of_reading(e),
        TiffError::FormatError(_) => picture::DAMAGED.to_string(),
        other => format!("it cannot be decoded ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_come_back() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let values = [1.5_f32, -2.0, f32::NAN, 1e9, 0.0, f32::INFINITY];
        write(file.path(), 3, 2, &values).unwrap();
        let raster = read(file.path()).unwrap();
        assert_eq!((raster.width, raster.height, raster.channels), (3, 2, 1));
        let Samples::F32(read) = raster.samples else { panic!("not float") };
        assert_eq!(read.map_bits(), values.to_vec().map_bits());
        let bytes = std::fs::read(file.path()).unwrap();
        std::fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
        assert!(super::read(file.path()).is_err());
    }

    trait Bits {
        fn map_bits(self) -> Vec<u32>;
    }

    impl Bits for Vec<f32> {
        fn map_bits(self) -> Vec<u32> {
            self.into_iter().map(f32::to_bits).collect()
        }
    }

    #[test]
    fn integers_keep_their_width() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tiff");
        let image = image::ImageBuffer::from_fn(3, 2, |x, y| image::Luma([(x * 1000 + y) as u16]));
        image::DynamicImage::ImageLuma16(image).save(&path).unwrap();
        let raster = read(&path).unwrap();
        assert_eq!(raster.samples, Samples::U16(vec![0, 1000, 2000, 1, 1001, 2001]));
    }
}
