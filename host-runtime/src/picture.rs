//! Pictures: files in, eight-bit samples out.
//!
//! PNG, JPEG, TIFF and PNM are taken: palettes, 1 to 16 bits, grey or colour, with or without alpha (ignored). Samples of
//! 16 bits keep their high byte. Floating point is refused: it has no fixed range. [`crate::formats`] reads samples as they
//! are.

use crate::error::{Error, Result};
use crate::formats::{Kind, Raster, Samples, kitti};
use std::path::{Path, PathBuf};

/// A picture of eight-bit colour samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Where it came from; for messages.
    pub path: PathBuf,
    /// Width in pixels, 1…65,535.
    pub width: u32,
    /// Height in pixels, 1…65,535.
    pub height: u32,
    /// Samples, H×W, row-major.
    pub rgb: Vec<[u8; 3]>,
}

impl Picture {
    /// Reads a picture; its content decides the format, not the name.
    ///
    /// # Errors
    /// [`Error::File`] if the file is missing, corrupt, of a format or sample type that is not read, has no pixels,
    /// or is wider or higher than 65,535 pixels.
    pub fn open(path: &Path) -> Result<Self> {
        let raster = match Kind::for_action(path, "read picture")? {
            Kind::Png | Kind::Jpeg | Kind::Tiff | Kind::Pnm => Raster::open(path)?,
            Kind::Unknown => {
                let cause = "unknown format; PNG, JPEG, TIFF and PNM are read";
                return Err(Error::file("read picture", path, cause));
            }
            other => {
                let cause =
                    format!("it is {}, not a picture; PNG, JPEG, TIFF and PNM are read", other.name());
                return Err(Error::file("read picture", path, cause));
            }
        };
        let rgb = samples(&raster).ok_or_else(|| {
            let cause = "floating-point samples and integers of more than 16 bits are not read; convert it to 8 or 16";
            Error::file("read picture", path, cause)
        })?;
        if kitti::looks_like_flow(&raster) {
            eprintln!(
                "note: '{}' looks like a flow field of KITTI (16-bit colour, blue 0 or 1 everywhere), but is taken for a photograph",
                path.display()
            );
        }
        Ok(Self { path: path.to_path_buf(), width: raster.width, height: raster.height, rgb })
    }

    /// Grey samples cut to `bits` (contract §3), H×W.
    pub fn grey(&self, bits: u8) -> Vec<u8> {
        self.rgb.iter().map(|&pixel| grey(pixel) >> (8 - bits.clamp(1, 8))).collect()
    }

    /// Refuses `other` unless it has this picture's size.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] names both files and both sizes.
    pub fn check_same_size(&self, other: &Self) -> Result<()> {
        self.check_size("picture", &other.path, (other.width, other.height))
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Refuses something of `size` (width, height) unless it has this picture's size.
    ///
    /// # Errors
    /// [`Error::SizeMismatch`] names both files and both sizes.
    pub fn check_size(&self, what: &'static str, path: &Path, size: (u32, u32)) -> Result<()> {
        check_size(what, (path, size), (&self.path, self.size()))
    }
}

/// Refuses `what` of `size` (width, height) at `path` unless it has the `expected` size of `reference`.
///
/// # Errors
/// [`Error::SizeMismatch`] names both files and sizes.
pub fn check_size(
    what: &'static str,
    (path, size): (&Path, (u32, u32)),
    (reference, expected): (&Path, (u32, u32)),
) -> Result<()> {
    if size == expected {
        return Ok(());
    }
    Err(Error::SizeMismatch {
        what,
        path: path.to_path_buf(),
        size,
        reference: reference.to_path_buf(),
        expected,
    })
}

/// Grey of a colour (contract §3): (299 R + 587 G + 114 B + 500) / 1000.
pub fn grey([r, g, b]: [u8; 3]) -> u8 {
    // At most (1000·255 + 500) / 1000 = 255.
    ((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) + 500) / 1000) as u8
}

/// A mask or label picture: one eight-bit value a pixel.
///
/// # Errors
/// As [`Picture::open`]; colour is refused, because its grey would mean nothing.
pub fn open_values(path: &Path) -> Result<(u32, u32, Vec<u8>)> {
    let picture = Picture::open(path)?;
    if picture.rgb.iter().any(|[r, g, b]| r != g || g != b) {
        return Err(Error::file(
            "read values from",
            path,
            "it is in colour; a grey picture or .npy is needed",
        ));
    }
    Ok((picture.width, picture.height, picture.rgb.iter().map(|p| p[0]).collect()))
}

fn samples(raster: &Raster) -> Option<Vec<[u8; 3]>> {
    let channels = usize::from(raster.channels);
    let bytes: &[u8] = match &raster.samples {
        Samples::U8(v) => v,
        Samples::U16(v) => &v.iter().map(|v| (v >> 8) as u8).collect::<Vec<u8>>(),
        Samples::F32(_) => return None,
    };
    let pixel = |p: &[u8]| if channels >= 3 { [p[0], p[1], p[2]] } else { [p[0]; 3] };
    Some(bytes.chunks_exact(channels).map(pixel).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::DynamicImage;

    fn saved(name: &str, image: &DynamicImage) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        image.save(&path).unwrap();
        (folder, path)
    }

    #[test]
    fn grey_follows_the_contract() {
        assert_eq!(grey([255, 255, 255]), 255);
        assert_eq!(grey([255, 0, 0]), 76);
        assert_eq!(grey([0, 255, 0]), 150);
        assert_eq!(grey([0, 0, 255]), 29);
        for v in 0..=255 {
            assert_eq!(grey([v; 3]), v);
        }
    }

    #[test]
    fn all_sample_types_are_read() {
        let rgb = image::RgbImage::from_fn(5, 3, |x, y| image::Rgb([x as u8 * 40, y as u8 * 80, 200]));
        let rgb = DynamicImage::ImageRgb8(rgb);
        let (_keep, path) = saved("a.png", &rgb);
        let reference = Picture::open(&path).unwrap();
        assert_eq!((reference.width, reference.height), (5, 3));
        for (name, image) in [
            ("a.ppm", rgb.clone()),
            ("a.tiff", rgb.clone()),
            ("rgba.png", DynamicImage::ImageRgba8(rgb.to_rgba8())),
            ("16.png", DynamicImage::ImageRgb16(rgb.to_rgb16())),
            ("16.tiff", DynamicImage::ImageRgb16(rgb.to_rgb16())),
        ] {
            let (_keep, path) = saved(name, &image);
            assert_eq!(Picture::open(&path).unwrap().rgb, reference.rgb, "{name}");
        }
        for (name, image) in [
            ("g.png", DynamicImage::ImageLuma8(rgb.to_luma8())),
            ("g16.png", DynamicImage::ImageLuma16(rgb.to_luma16())),
            ("ga.png", DynamicImage::ImageLumaA8(rgb.to_luma_alpha8())),
        ] {
            let (_keep, path) = saved(name, &image);
            let picture = Picture::open(&path).unwrap();
            assert!(picture.rgb.iter().all(|[r, g, b]| r == g && g == b), "{name}");
        }
    }

    #[test]
    fn bad_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, bytes: &[u8], expected: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let text = Picture::open(&path).unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(expected), "{text}");
        };
        check("empty.png", b"", "the file is empty");
        check("text.png", b"not a picture at all", "unknown format");
        check("none.pgm", b"P5\n0 0\n255\n", "");
        check("short.pgm", b"P5\n10 10\n255\nabc", "");
        check("flow.flo", b"PIEH", "it is a flow field (.flo), not a picture");
        check("gif.gif", b"GIF89a\x01\0\x01\0\0\0\0;", "PNG, JPEG, TIFF and PNM are read");
        let missing = Picture::open(&folder.path().join("missing.png")).unwrap_err().to_string();
        assert!(missing.ends_with("missing.png': no such file or directory"), "{missing}");
        assert!(Picture::open(folder.path()).unwrap_err().to_string().contains("is a directory"));
        let float = DynamicImage::ImageRgb32F(image::ImageBuffer::new(2, 2));
        let path = folder.path().join("float.tiff");
        float.save(&path).unwrap();
        assert!(Picture::open(&path).unwrap_err().to_string().contains("floating-point"));
    }
}
