//! The 16-bit PNG files of the KITTI benchmarks.
//!
//! Disparity: grey, value / 256 pixels, 0 is unknown. Flow: red and green hold (v − 2^15) / 64 pixels of u and v, blue is
//! not 0 where the vector is known.

use super::{Disparity, Flow, Raster, Samples};
use crate::error::{Error, Result};
use image::{ExtendedColorType, ImageFormat};
use std::path::Path;

/// Steps of a disparity in a pixel.
pub const DISPARITY_STEPS: f32 = 256.0;
/// Steps of a component of flow in a pixel.
pub const FLOW_STEPS: f32 = 64.0;

/// Refuses, before a run, disparities from `least` to `most` that a file could not hold after it.
///
/// # Errors
/// [`Error::Usage`] with both ranges.
pub fn check_disparities(least: f64, most: f64) -> Result<()> {
    let steps = |d: f64| (d * f64::from(DISPARITY_STEPS)).round();
    if steps(least) >= 0.0 && steps(most) <= f64::from(u16::MAX) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "format 'kitti' holds disparities of 0…255.99 pixels, but the labels of this run are disparities from {least} to {most}; \
         choose pfm, tiff or npz, or change --dmin and --labels"
    )))
}

/// The flow in a colour picture of 16 bits, if it is one.
pub fn flow(raster: &Raster) -> Option<Flow> {
    let (Samples::U16(samples), 3) = (&raster.samples, raster.channels) else { return None };
    let component = |v: u16| (f32::from(v) - 32_768.0) / FLOW_STEPS;
    let vector = |p: &[u16]| {
        if p[2] == 0 { [f32::NAN; 2] } else { [component(p[0]), component(p[1])] }
    };
    let vectors = samples.chunks_exact(3).map(vector).collect();
    Some(Flow::new(raster.width, raster.height, vectors))
}

/// True for a picture that holds flow rather than colours: 16 bits, its blue 0 or 1 everywhere.
pub fn looks_like_flow(raster: &Raster) -> bool {
    match (&raster.samples, raster.channels) {
        (Samples::U16(samples), 3) => samples.chunks_exact(3).all(|pixel| pixel[2] <= 1),
        _ => false,
    }
}

/// Writes a disparity map; a disparity below half a step is written as one step, because 0 is unknown.
///
/// # Errors
/// [`Error::File`] if a disparity is negative or 256 and more, which the format cannot hold, or the file cannot be written.
pub fn write_disparity(path: &Path, map: &Disparity) -> Result<()> {
    let mut samples = Vec::with_capacity(map.values.len());
    for i in 0..map.values.len() {
        samples.push(match map.get(i) {
            None => 0,
            Some(d) => match (d * DISPARITY_STEPS).round() {
                steps @ 0.0..=65_535.0 => (steps as u16).max(1),
                _ => {
                    let cause = format!(
                        "disparity {d} does not fit a KITTI PNG, which holds 0…255.99; choose another format"
                    );
                    return Err(Error::file("write", path, cause));
                }
            },
        });
    }
    write(path, map.width, map.height, ExtendedColorType::L16, &samples)
}

/// Writes a flow field.
///
/// # Errors
/// [`Error::File`] if a component is outside −512…511.98, which the format cannot hold, or the file cannot be written.
pub fn write_flow(path: &Path, flow: &Flow) -> Result<()> {
    let component = |v: f32| match (v * FLOW_STEPS).round() + 32_768.0 {
        steps @ 0.0..=65_535.0 => Ok(steps as u16),
        _ => {
            let cause = format!(
                "motion {v} does not fit a KITTI PNG, which holds −512…511.98; choose another format"
            );
            Err(Error::file("write", path, cause))
        }
    };
    let mut samples = Vec::with_capacity(flow.vectors.len() * 3);
    for i in 0..flow.vectors.len() {
        match flow.get(i) {
            None => samples.extend([0; 3]),
            Some([u, v]) => samples.extend([component(u)?, component(v)?, 1]),
        }
    }
    write(path, flow.width, flow.height, ExtendedColorType::Rgb16, &samples)
}

fn write(path: &Path, width: u32, height: u32, kind: ExtendedColorType, samples: &[u16]) -> Result<()> {
    let bytes: Vec<u8> = samples.iter().flat_map(|v| v.to_ne_bytes()).collect();
    image::save_buffer_with_format(path, &bytes, width, height, kind, ImageFormat::Png)
        .map_err(|e| Error::file("write", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disparities_come_back_and_zero_stays_known() {
        let file = tempfile::NamedTempFile::with_suffix(".png").unwrap();
        let map = Disparity::new(4, 1, vec![0.0, 7.25, f32::NAN, 200.5]);
        write_disparity(file.path(), &map).unwrap();
        let raster = Raster::open(file.path()).unwrap();
        assert_eq!(raster.samples, Samples::U16(vec![1, 1856, 0, 51_328]));
        let too_large = Disparity::new(1, 1, vec![-1.0]);
        let text = write_disparity(file.path(), &too_large).unwrap_err().to_string();
        assert!(text.contains("disparity -1 does not fit a KITTI PNG"), "{text}");
    }

    #[test]
    fn flow_comes_back() {
        let file = tempfile::NamedTempFile::with_suffix(".png").unwrap();
        let field = Flow::new(3, 1, vec![[0.0, -1.5], [f32::NAN, f32::NAN], [511.0, -512.0]]);
        write_flow(file.path(), &field).unwrap();
        let back = flow(&Raster::open(file.path()).unwrap()).unwrap();
        assert_eq!((back.get(0), back.get(1)), (Some([0.0, -1.5]), None));
        assert_eq!(back.get(2), Some([511.0, -512.0]));
        assert!(looks_like_flow(&Raster::open(file.path()).unwrap()));
        let too_far = Flow::new(1, 1, vec![[600.0, 0.0]]);
        assert!(
            write_flow(file.path(), &too_far).unwrap_err().to_string().contains("motion 600 does not fit")
        );
    }
}
