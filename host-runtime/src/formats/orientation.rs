//! Which side of a stored picture is up: cameras store what the sensor saw and a note how they were held (EXIF, TIFF tag 274).

use super::{Raster, Samples};
use image::metadata::Orientation;

impl Raster {
    /// The picture as it is meant to be seen, by what its file says of `orientation`.
    pub(super) fn upright(self, orientation: Orientation) -> Self {
        if orientation == Orientation::NoTransforms {
            return self;
        }
        let (width, height) = (self.width as usize, self.height as usize);
        let (right, down) = (width - 1, height - 1);
        // Where pixel (x, y) of the upright picture is stored.
        let stored = |x: usize, y: usize| match orientation {
            Orientation::NoTransforms => (x, y),
            Orientation::FlipHorizontal => (right - x, y),
            Orientation::Rotate180 => (right - x, down - y),
            Orientation::FlipVertical => (x, down - y),
            Orientation::Rotate90FlipH => (y, x),
            Orientation::Rotate90 => (y, down - x),
            Orientation::Rotate270FlipH => (right - y, down - x),
            Orientation::Rotate270 => (right - y, x),
        };
        let lies = matches!(
            orientation,
            Orientation::Rotate90
                | Orientation::Rotate270
                | Orientation::Rotate90FlipH
                | Orientation::Rotate270FlipH
        );
        let size = if lies { (height, width) } else { (width, height) };
        let channels = usize::from(self.channels);
        let place = |x: usize, y: usize| {
            let (x, y) = stored(x, y);
            (y * width + x) * channels
        };
        let samples = match &self.samples {
            Samples::U8(v) => Samples::U8(moved(v, channels, size, place)),
            Samples::U16(v) => Samples::U16(moved(v, channels, size, place)),
            Samples::F32(v) => Samples::F32(moved(v, channels, size, place)),
        };
        Self { width: size.0 as u32, height: size.1 as u32, samples, turned: true, ..self }
    }

    /// Refuses, as a cause, a turned file as measurements of direction: they would have to turn, too.
    pub(super) fn refuse_turned(&self, what: &str) -> Result<(), String> {
        if !self.turned {
            return Ok(());
        }
        Err(format!(
            "its EXIF orientation turns it, but {what} have directions that do not turn with it; store it upright, without \
             that note"
        ))
    }
}

/// The pixels of a picture of `size`, each from its `place`.
fn moved<T: Copy>(
    stored: &[T],
    channels: usize,
    (width, height): (usize, usize),
    place: impl Fn(usize, usize) -> usize,
) -> Vec<T> {
    let mut samples = Vec::with_capacity(stored.len());
    for y in 0..height {
        for x in 0..width {
            samples.extend_from_slice(&stored[place(x, y)..][..channels]);
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{open_disparity, open_flow};
    use crate::picture::Picture;
    use std::path::{Path, PathBuf};

    /// A TIFF header with one entry, the orientation: the body of every EXIF segment.
    fn exif(orientation: u8) -> Vec<u8> {
        let mut bytes = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        bytes.extend([orientation, 0, 0, 0, 0, 0, 0]);
        bytes
    }

    /// Three columns and two rows of grey: 0, 40, 80 and 120, 160, 200.
    fn grey() -> image::DynamicImage {
        image::GrayImage::from_fn(3, 2, |x, y| image::Luma([(40 * (3 * y + x)) as u8])).into()
    }

    fn png(folder: &Path, orientation: u8) -> PathBuf {
        let path = folder.join("a.png");
        let mut info = png::Info::with_size(3, 2);
        info.color_type = png::ColorType::Grayscale;
        info.exif_metadata = Some(exif(orientation).into());
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = png::Encoder::with_info(file, info).unwrap().write_header().unwrap();
        writer.write_image_data(grey().as_bytes()).unwrap();
        path
    }

    /// A JPEG with an APP1 segment after its first marker.
    fn jpeg(folder: &Path, orientation: u8) -> PathBuf {
        let path = folder.join("a.jpg");
        let mut plain = Vec::new();
        let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut plain, 100);
        grey().write_with_encoder(encoder).unwrap();
        let body = [b"Exif\0\0".to_vec(), exif(orientation)].concat();
        let length = (body.len() as u16 + 2).to_be_bytes();
        std::fs::write(&path, [&plain[..2], &[0xff, 0xe1], &length, &body, &plain[2..]].concat()).unwrap();
        path
    }

    fn tiff(folder: &Path, orientation: u8) -> PathBuf {
        use tiff::{encoder::TiffEncoder, encoder::colortype::Gray8, tags::Tag};
        let path = folder.join("a.tiff");
        let mut encoder = TiffEncoder::new(std::fs::File::create(&path).unwrap()).unwrap();
        let mut image = encoder.new_image::<Gray8>(3, 2).unwrap();
        image.encoder().write_tag(Tag::Orientation, u16::from(orientation)).unwrap();
        image.write_data(grey().as_bytes()).unwrap();
        path
    }

    #[test]
    fn pictures_are_read_as_they_were_seen() {
        let folder = tempfile::tempdir().unwrap();
        for orientation in 1..=8 {
            let mut expected = grey();
            expected.apply_orientation(Orientation::from_exif(orientation).unwrap());
            let (size, expected) = ((expected.width(), expected.height()), expected.to_luma8());
            for write in [png, jpeg, tiff] {
                let path = write(folder.path(), orientation);
                let picture = Picture::open(&path).unwrap();
                assert_eq!(picture.size(), size, "{} {orientation}", path.display());
                let close = |(a, b): (&[u8; 3], &u8)| a[0].abs_diff(*b) <= 4;
                assert!(
                    picture.rgb.iter().zip(expected.as_raw()).all(close),
                    "{} {orientation}: {:?}",
                    path.display(),
                    picture.rgb
                );
            }
        }
        // By hand: held so that the stored left side is down, the first column becomes the first row, backwards.
        let picture = Picture::open(&png(folder.path(), 6)).unwrap();
        assert_eq!(picture.rgb.iter().map(|p| p[0]).collect::<Vec<_>>(), [120, 0, 160, 40, 200, 80]);
        // A number that no orientation has is none.
        assert_eq!(Picture::open(&png(folder.path(), 9)).unwrap().size(), (3, 2));
    }

    #[test]
    fn measurements_do_not_turn() {
        let folder = tempfile::tempdir().unwrap();
        let upright = png(folder.path(), 1);
        assert!(open_disparity(&upright, Default::default()).is_ok());
        let turned = png(folder.path(), 3);
        let text = open_disparity(&turned, Default::default()).unwrap_err().to_string();
        assert!(text.contains("its EXIF orientation turns it, but disparities"), "{text}");
        let path = folder.path().join("flow.png");
        let mut info = png::Info::with_size(1, 1);
        (info.color_type, info.bit_depth) = (png::ColorType::Rgb, png::BitDepth::Sixteen);
        info.exif_metadata = Some(exif(6).into());
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = png::Encoder::with_info(file, info).unwrap().write_header().unwrap();
        writer.write_image_data(&[0x80, 0, 0x80, 0, 0, 1]).unwrap();
        drop(writer);
        let text = open_flow(&path).unwrap_err().to_string();
        assert!(text.contains("but motions have directions"), "{text}");
    }
}
