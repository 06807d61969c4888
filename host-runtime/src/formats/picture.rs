//! PNG, JPEG and PNM, by the `image` crate: palettes are looked up, 1, 2 and 4 bits scaled up to 8.

use super::{Raster, Samples, check_size};
use crate::error::{Error, Result};
use image::{DynamicImage, ImageDecoder as _, ImageError, ImageReader, Limits, metadata::Orientation};
use std::io::ErrorKind;
use std::path::Path;

/// Of a picture whose file ends too early.
pub(super) const CUT: &str = "it is cut off: the file ends before its picture does; copy or save it again";
/// Of a picture whose content makes no sense.
pub(super) const DAMAGED: &str =
    "it is damaged: its content is not what its format asks for; copy or save it again";

/// Reads a picture, upright.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged, has no pixels or more than 65,535 on a side, or is of a format that is
/// not read.
pub fn read(path: &Path) -> Result<Raster> {
    let fail = |cause: String| Error::file("read picture", path, cause);
    let bytes = std::fs::read(path).map_err(|e| Error::io("read picture", path, &e))?;
    if is_cut_jpeg(&bytes) {
        return Err(fail(CUT.to_string()));
    }
    let reader = ImageReader::new(std::io::Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| Error::io("read picture", path, &e))?;
    let (decoded, orientation) = decode(reader).map_err(|e| fail(cause_of(&e)))?;
    let (width, height) =
        check_size("read picture", path, (decoded.width().into(), decoded.height().into()))?;
    let (channels, samples) = match decoded {
        DynamicImage::ImageLuma8(i) => (1, Samples::U8(i.into_raw())),
        DynamicImage::ImageLumaA8(i) => (2, Samples::U8(i.into_raw())),
        DynamicImage::ImageRgb8(i) => (3, Samples::U8(i.into_raw())),
        DynamicImage::ImageRgba8(i) => (4, Samples::U8(i.into_raw())),
        DynamicImage::ImageLuma16(i) => (1, Samples::U16(i.into_raw())),
        DynamicImage::ImageLumaA16(i) => (2, Samples::U16(i.into_raw())),
        DynamicImage::ImageRgb16(i) => (3, Samples::U16(i.into_raw())),
        DynamicImage::ImageRgba16(i) => (4, Samples::U16(i.into_raw())),
        DynamicImage::ImageRgb32F(i) => (3, Samples::F32(i.into_raw())),
        DynamicImage::ImageRgba32F(i) => (4, Samples::F32(i.into_raw())),
        other => return Err(fail(format!("its samples ({:?}) are not read", other.color()))),
    };
    Ok(Raster { width, height, channels, samples, turned: false }.upright(orientation))
}

/// The picture as it is stored, and how it is to be turned.
fn decode(reader: ImageReader<std::io::Cursor<Vec<u8>>>) -> Result<(DynamicImage, Orientation), ImageError> {
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    // Else a damaged header could ask for any amount of memory.
    Limits::default().reserve(decoder.total_bytes())?;
    Ok((DynamicImage::from_decoder(decoder)?, orientation))
}

/// True for a JPEG file without an end-of-image marker after its first scan; the decoder fills in what is missing.
fn is_cut_jpeg(bytes: &[u8]) -> bool {
    if !bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        return false;
    }
    // Segments before the first scan are skipped by their lengths: a preview in one of them has an end of its own.
    let mut at = 2;
    while let Some(&[0xff, marker, high, low]) = bytes.get(at..at + 4) {
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
        if marker == 0xda {
            let scan = bytes.get(at..).unwrap_or_default();
            return !scan.windows(2).any(|pair| pair == [0xff, 0xd9]);
        }
    }
    // Fill bytes or damage before the scan: the decoder decides.
    at >= bytes.len()
}

/// Why a decoder could not read on.
pub(super) fn cause_of_reading(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => CUT.to_string(),
        ErrorKind::InvalidData | ErrorKind::InvalidInput => DAMAGED.to_string(),
        _ => format!("it cannot be read ({})", crate::error::plain(error)),
    }
}

fn cause_of(error: &ImageError) -> String {
    match error {
        ImageError::Unsupported(e) => format!("unsupported ({e}); PNG, JPEG, TIFF and PNM are read"),
        ImageError::Limits(_) => "it is too large to be decoded".to_string(),
        ImageError::IoError(e) => cause_of_reading(e),
        // What decoders say of damage is about chunks, markers and checksums, which help nobody to mend a picture.
        ImageError::Decoding(_) => DAMAGED.to_string(),
        other => format!("it cannot be decoded ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palettes_are_looked_up_and_few_bits_scaled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("palette.png");
        let file = std::fs::File::create(&path).unwrap();
        let mut encoder = png::Encoder::new(file, 4, 1);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Two);
        encoder.set_palette(vec![10, 20, 30, 0, 0, 0, 80, 80, 80, 255, 255, 255]);
        // Indices 0, 2, 3, 1 in two bits each.
        encoder.write_header().unwrap().write_image_data(&[0b0010_1101]).unwrap();
        let raster = read(&path).unwrap();
        assert_eq!(raster.channels, 3);
        assert_eq!(raster.samples, Samples::U8(vec![10, 20, 30, 80, 80, 80, 255, 255, 255, 0, 0, 0]));
        let path = folder.path().join("bits.pbm");
        std::fs::write(&path, b"P4\n8 1\n\x55").unwrap();
        let plane = read(&path).unwrap().plane().unwrap();
        assert_eq!(plane.iter().copied().fold(0.0, f32::max), 255.0, "white is 255");
    }
}
