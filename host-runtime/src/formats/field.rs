//! Measurements a pixel: disparity, flow, classes; each readable from every format that people keep them in.

use super::{Kind, Raster, Samples, UNKNOWN_FROM, flo, kitti, npz, numbers::Numbers};
use crate::error::{Error, Result};
use std::collections::HashSet;
use std::path::Path;

/// A disparity map, H×W, in pixels; NaN where it is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Disparity {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Disparities, row-major.
    pub values: Vec<f32>,
}

impl Disparity {
    /// A map of `values`; NaN, infinities and magnitudes of 1e9 and more become unknown.
    pub fn new(width: u32, height: u32, mut values: Vec<f32>) -> Self {
        for value in &mut values {
            if !known(*value) {
                *value = f32::NAN;
            }
        }
        Self { width, height, values }
    }

    /// Disparity of pixel `i`, if it is known.
    pub fn get(&self, i: usize) -> Option<f32> {
        Some(self.values[i]).filter(|v| !v.is_nan())
    }
}

/// A flow field, H×W, in pixels (x to the right, y down); both components NaN where it is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Vectors (u, v), row-major.
    pub vectors: Vec<[f32; 2]>,
}

impl Flow {
    /// A field of `vectors`; those with a component that is NaN, infinite, or 1e9 and more become unknown.
    pub fn new(width: u32, height: u32, mut vectors: Vec<[f32; 2]>) -> Self {
        for vector in &mut vectors {
            if !vector.iter().all(|&v| known(v)) {
                *vector = [f32::NAN; 2];
            }
        }
        Self { width, height, vectors }
    }

    /// Vector of pixel `i`, if it is known.
    pub fn get(&self, i: usize) -> Option<[f32; 2]> {
        Some(self.vectors[i]).filter(|[u, _]| !u.is_nan())
    }
}

fn known(value: f32) -> bool {
    value.is_finite() && value.abs() < UNKNOWN_FROM
}

/// Classes of pixels, H×W: any number a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelMap {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Class of every pixel, row-major.
    pub values: Vec<u32>,
}

/// How the numbers of a disparity file are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReadAs {
    /// Steps of the file in a pixel; none: 256 for 16-bit PNG (KITTI), else 1.
    pub scale: Option<f64>,
    /// A value of the file, before scaling, that means unknown, besides NaN, infinities and 1e9 and more.
    pub unknown: Unknown,
}

/// Which value of a file means unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Unknown {
    /// 0 in pictures, as every benchmark has it, none in arrays.
    #[default]
    Pictures,
    /// 0 in 16-bit PNG (KITTI) only: an answer of 0 pixels is an answer.
    KittiOnly,
    /// None.
    Never,
    /// This one.
    Value(f64),
}

/// Names that people give arrays of disparities in `.npz`, likeliest first.
pub const DISPARITY: [&str; 4] = ["disparity", "disp", "disparities", "disparity_map"];
/// Names of arrays H×W×2 of motions.
pub const FLOW: [&str; 4] = ["flow", "uv", "optical_flow", "flow_uv"];
/// Names of two arrays H×W of motions, to the right and down.
pub const FLOW_PAIRS: [(&str, &str); 4] =
    [("u", "v"), ("flow_x", "flow_y"), ("flow_u", "flow_v"), ("dx", "dy")];
/// Names of arrays of classes.
pub const LABELS: [&str; 6] = ["labels", "label", "classes", "segmentation", "segments", "mode"];

/// Reads a disparity map: PFM, TIFF, PNG or PNM of one channel, `.npy` of H×W, or `.npz` with one of [`DISPARITY`] (or one
/// array) and maybe `valid`.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged, or no disparity map.
pub fn open_disparity(path: &Path, read_as: ReadAs) -> Result<Disparity> {
    let fail = |cause: String| Error::file("read disparity", path, cause);
    let kind = Kind::of(path)?;
    if matches!(kind, Kind::Npy | Kind::Npz) {
        let array = match kind {
            Kind::Npy => Numbers::open(path)?,
            _ => npz::read(path, &[&DISPARITY[..], &["mode"]].concat())?,
        };
        let (width, height, channels) = array.plane().map_err(fail)?;
        let valid = if kind == Kind::Npz { valid(path, (width, height))? } else { None };
        if channels != 1 {
            return Err(fail(format!("its shape is {:?}; (height, width) is needed", array.shape)));
        }
        let unknown = match read_as.unknown {
            Unknown::Value(value) => Some(value),
            _ => None,
        };
        let scale = read_as.scale.unwrap_or(1.0);
        let out = |i: usize| valid.as_ref().is_some_and(|valid| valid[i] == 0.0);
        let value = |(i, v): (usize, f64)| {
            if Some(v) == unknown || out(i) { f32::NAN } else { (v / scale) as f32 }
        };
        return Ok(Disparity::new(width, height, array.values.into_iter().enumerate().map(value).collect()));
    }
    if kind == Kind::Flo {
        return Err(fail("it is a flow field (.flo), not a disparity map".to_string()));
    }
    let raster = Raster::open(path)?;
    raster.refuse_turned("disparities").map_err(fail)?;
    if kitti::flow(&raster).is_some() && kind == Kind::Png {
        return Err(fail(
            "it is a 16-bit colour PNG, as KITTI keeps flow; a disparity map is grey".to_string(),
        ));
    }
    let kitti = kind == Kind::Png && matches!(raster.samples, Samples::U16(_));
    let Some(plane) = raster.plane() else {
        return Err(fail("it is in colour; a disparity map has one value a pixel".to_string()));
    };
    let unknown = match read_as.unknown {
        Unknown::Pictures => Some(0.0),
        Unknown::KittiOnly => kitti.then_some(0.0),
        Unknown::Never => None,
        Unknown::Value(value) => Some(value),
    };
    let scale = read_as.scale.unwrap_or(if kitti { f64::from(kitti::DISPARITY_STEPS) } else { 1.0 });
    let value = |v: f32| {
        // Infinities and 1e9 are unknown whatever the scale.
        if Some(f64::from(v)) == unknown || !known(v) { f32::NAN } else { (f64::from(v) / scale) as f32 }
    };
    Ok(Disparity::new(raster.width, raster.height, plane.into_iter().map(value).collect()))
}

/// Reads a flow field: `.flo`, KITTI PNG (16-bit colour), PFM or float TIFF whose first two channels are u and v, `.npy` of
/// H×W×2, or `.npz` with one of [`FLOW`] or [`FLOW_PAIRS`], and maybe `valid`.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged, or no flow field.
pub fn open_flow(path: &Path) -> Result<Flow> {
    let fail = |cause: String| Error::file("read flow", path, cause);
    let kind = Kind::of(path)?;
    match kind {
        Kind::Flo => flo::read(path),
        Kind::Npz => {
            let mut flow = match flow_pair(path)? {
                Some(flow) => flow,
                None => flow_array(&npz::read(path, &FLOW)?).map_err(fail)?,
            };
            if let Some(valid) = valid(path, (flow.width, flow.height))? {
                let out = flow.vectors.iter_mut().zip(valid).filter(|(_, valid)| *valid == 0.0);
                out.for_each(|(vector, _)| *vector = [f32::NAN; 2]);
            }
            Ok(flow)
        }
        Kind::Npy => flow_array(&Numbers::open(path)?).map_err(fail),
        _ => {
            let raster = Raster::open(path)?;
            raster.refuse_turned("motions").map_err(fail)?;
            if let (Kind::Png, Some(flow)) = (kind, kitti::flow(&raster)) {
                return Ok(flow);
            }
            let channels = usize::from(raster.channels);
            if !raster.is_float() || channels < 2 {
                let cause = "a flow field is .flo, a 16-bit colour PNG (KITTI), a float picture of two or three channels, or an array";
                return Err(fail(cause.to_string()));
            }
            let vector = |i: usize| [raster.sample(i * channels), raster.sample(i * channels + 1)];
            Ok(Flow::new(raster.width, raster.height, (0..raster.pixels()).map(vector).collect()))
        }
    }
}

/// Motions from two arrays of an archive, if it has two of these names.
fn flow_pair(path: &Path) -> Result<Option<Flow>> {
    for (right, down) in FLOW_PAIRS {
        let (Some(u), Some(v)) = (npz::read_if_any(path, right)?, npz::read_if_any(path, down)?) else {
            continue;
        };
        if u.shape.len() != 2 || v.shape != u.shape {
            let cause = format!("{right} and {down} must both have the shape (height, width)");
            return Err(Error::file("read flow", path, cause));
        }
        let (width, height, _) = u.plane().map_err(|cause| Error::file("read flow", path, cause))?;
        let vectors = u.values.iter().zip(&v.values).map(|(&u, &v)| [u as f32, v as f32]);
        return Ok(Some(Flow::new(width, height, vectors.collect())));
    }
    Ok(None)
}

/// `valid` of an archive, H·W, if it has one: 0 where nothing is known.
fn valid(path: &Path, (width, height): (u32, u32)) -> Result<Option<Vec<f64>>> {
    let Some(valid) = npz::read_if_any(path, "valid")? else { return Ok(None) };
    if valid.shape != [u64::from(height), u64::from(width)] {
        let cause = format!("the shape of valid is {:?}; ({height}, {width}) is needed", valid.shape);
        return Err(Error::file("read arrays", path, cause));
    }
    Ok(Some(valid.values))
}

fn flow_array(array: &Numbers) -> Result<Flow, String> {
    let (width, height, channels) = array.plane()?;
    if !(2..=3).contains(&channels) {
        return Err(format!(
            "its shape is {:?}; (height, width, 2) is needed (labels are not motions: 'spa synth flow' writes those as truth.flo)",
            array.shape
        ));
    }
    let vectors = array.values.chunks_exact(channels).map(|p| {
        let valid = channels == 2 || p[2] != 0.0;
        if valid { [p[0] as f32, p[1] as f32] } else { [f32::NAN; 2] }
    });
    Ok(Flow::new(width, height, vectors.collect()))
}

/// Reads classes: a grey picture (the value is the class), a colour picture (the colour is the class), `.npy` of H×W
/// integers, or `.npz` with one of [`LABELS`] (or one array).
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged, holds fractions, or is a photograph.
pub fn open_labels(path: &Path) -> Result<LabelMap> {
    let fail = |cause: String| Error::file("read labels", path, cause);
    let kind = Kind::of(path)?;
    if matches!(kind, Kind::Npy | Kind::Npz) {
        let array = match kind {
            Kind::Npy => Numbers::open(path)?,
            _ => npz::read(path, &LABELS)?,
        };
        let (width, height, channels) = array.plane().map_err(fail)?;
        if channels != 1 {
            return Err(fail(format!("its shape is {:?}; (height, width) is needed", array.shape)));
        }
        let values: Option<Vec<u32>> = array.values.iter().map(|&v| whole(v)).collect();
        let values = values.ok_or_else(|| fail("labels are whole numbers from 0 to 2^32−1".to_string()))?;
        return Ok(LabelMap { width, height, values });
    }
    if kind == Kind::Jpeg {
        let cause = "JPEG changes values, so classes cannot be told apart; keep them as PNG";
        return Err(fail(format!("{cause}. {OF_PHOTOGRAPHS}")));
    }
    let raster = Raster::open(path)?;
    let (width, height, channels) = (raster.width, raster.height, usize::from(raster.channels));
    let values: Option<Vec<u32>> = match raster.plane() {
        Some(plane) => plane.into_iter().map(|v| whole(f64::from(v))).collect(),
        None if raster.is_float() => None,
        None => {
            // Sixteen bits a channel would not fit, and nobody needs them for classes: the high byte decides.
            let high = |n: usize| match &raster.samples {
                Samples::U16(v) => u32::from(v[n] >> 8),
                _ => raster.sample(n) as u32,
            };
            let colour = |i: usize| (0..3).fold(0, |c, n| c << 8 | high(i * channels + n));
            let colours: Vec<u32> = (0..raster.pixels()).map(colour).collect();
            let different = colours.iter().collect::<HashSet<_>>().len();
            if different > FEW_COLOURS.max(colours.len() / LEAST_CLASS) {
                let all = colours.len();
                let cause = format!(
                    "it has {different} colours in {all} pixels, so it is a picture, not a map of classes"
                );
                return Err(fail(format!("{cause}. {OF_PHOTOGRAPHS}")));
            }
            Some(colours)
        }
    };
    let values = values.ok_or_else(|| fail("labels are whole numbers, but it holds others".to_string()))?;
    Ok(LabelMap { width, height, values })
}

/// So many colours are classes whatever the size of a picture; more are if they have [`LEAST_CLASS`] pixels each on average.
const FEW_COLOURS: usize = 256;
const LEAST_CLASS: usize = 16;
/// What to do with a photograph.
const OF_PHOTOGRAPHS: &str = "'spa segment' makes classes of photographs";

fn whole(value: f64) -> Option<u32> {
    (value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0).then_some(value as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{pfm, tiff};
    use crate::npy;

    #[test]
    fn unknown_disparities_in_every_encoding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let values = [8.0_f32, 0.0, f32::INFINITY, f32::NAN, 1e9, -4.0];
        let read = |read_as| open_disparity(&path, read_as).unwrap();
        let some = |map: &Disparity| (0..6).map(|i| map.get(i)).collect::<Vec<_>>();
        pfm::write(&path, 6, 1, 1, &values).unwrap();
        assert_eq!(some(&read(ReadAs::default())), [Some(8.0), None, None, None, None, Some(-4.0)]);
        let never = ReadAs { scale: Some(-2.0), unknown: Unknown::Never };
        assert_eq!(some(&read(never)), [Some(-4.0), Some(-0.0), None, None, None, Some(2.0)]);
        tiff::write(&path, 6, 1, &values).unwrap();
        let eight = ReadAs { unknown: Unknown::Value(8.0), ..ReadAs::default() };
        assert_eq!(some(&read(eight)), [None, Some(0.0), None, None, None, Some(-4.0)]);
        npy::write(&path, &[1, 6], &values).unwrap();
        assert_eq!(some(&read(ReadAs::default())), [Some(8.0), Some(0.0), None, None, None, Some(-4.0)]);
        image::save_buffer_with_format(
            &path,
            &[0, 4, 9],
            3,
            1,
            image::ExtendedColorType::L8,
            image::ImageFormat::Png,
        )
        .unwrap();
        let scaled = ReadAs { scale: Some(4.0), ..ReadAs::default() };
        let map = read(scaled);
        assert_eq!((map.get(0), map.get(1), map.get(2)), (None, Some(1.0), Some(2.25)));
        let answer = ReadAs { unknown: Unknown::KittiOnly, ..ReadAs::default() };
        assert_eq!(read(answer).get(0), Some(0.0));
    }

    #[test]
    fn flow_from_arrays_and_float_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        npy::write(&path, &[1, 2, 2], &[1.0_f32, 2.0, f32::NAN, 0.0]).unwrap();
        let flow = open_flow(&path).unwrap();
        assert_eq!((flow.get(0), flow.get(1)), (Some([1.0, 2.0]), None));
        pfm::write(&path, 1, 1, 3, &[3.0, 4.0, 0.0]).unwrap();
        assert_eq!(open_flow(&path).unwrap().get(0), Some([3.0, 4.0]));
        let mut npz = npz::Writer::create(&path).unwrap();
        npz.array("u", &[1, 2], [1.0_f64, 5.0].into_iter()).unwrap();
        npz.array("v", &[1, 2], [1.0_f64, 6.0].into_iter()).unwrap();
        npz.array("valid", &[1, 2], [false, true].into_iter()).unwrap();
        npz.finish().unwrap();
        let flow = open_flow(&path).unwrap();
        assert_eq!((flow.get(0), flow.get(1)), (None, Some([5.0, 6.0])));
        // One alone is no motion, and masks hold for whatever is beside them.
        let mut npz = npz::Writer::create(&path).unwrap();
        npz.array("u", &[1, 2], [1.0_f64, 5.0].into_iter()).unwrap();
        npz.finish().unwrap();
        assert!(open_flow(&path).unwrap_err().to_string().contains("(height, width, 2) is needed"));
        let mut npz = npz::Writer::create(&path).unwrap();
        npz.array("Disp", &[1, 2], [1.0_f64, 5.0].into_iter()).unwrap();
        npz.array("valid", &[1, 2], [true, false].into_iter()).unwrap();
        npz.finish().unwrap();
        let map = open_disparity(&path, ReadAs::default()).unwrap();
        assert_eq!((map.get(0), map.get(1)), (Some(1.0), None));
        npy::write(&path, &[2, 2], &[1_u8; 4]).unwrap();
        assert!(open_flow(&path).unwrap_err().to_string().contains("(height, width, 2) is needed"));
        tiff::write(&path, 1, 1, &[1.0]).unwrap();
        assert!(open_flow(&path).unwrap_err().to_string().contains("a flow field is .flo"));
    }

    #[test]
    fn labels_from_values_and_colours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let colours = [1, 2, 3, 1, 2, 4, 1, 2, 3];
        image::save_buffer(&path, &colours, 3, 1, image::ExtendedColorType::Rgb8).unwrap();
        assert_eq!(open_labels(&path).unwrap().values, [0x01_0203, 0x01_0204, 0x01_0203]);
        let photograph = image::RgbImage::from_fn(20, 20, |x, y| image::Rgb([x as u8, y as u8, 0]));
        photograph.save(&path).unwrap();
        let text = open_labels(&path).unwrap_err().to_string();
        assert!(
            text.contains("it has 400 colours in 400 pixels, so it is a picture, not a map of classes"),
            "{text}"
        );
        // As many pixels again of each.
        let large = image::imageops::resize(&photograph, 80, 80, image::imageops::FilterType::Nearest);
        large.save(&path).unwrap();
        assert!(open_labels(&path).is_ok());
        photograph.save_with_format(&path, image::ImageFormat::Jpeg).unwrap();
        assert!(open_labels(&path).unwrap_err().to_string().contains("keep them as PNG"));
        npy::write(&path, &[1, 2], &[3_i64, 70_000]).unwrap();
        assert_eq!(open_labels(&path).unwrap().values, [3, 70_000]);
        npy::write(&path, &[1, 1], &[0.5_f32]).unwrap();
        assert!(open_labels(&path).unwrap_err().to_string().contains("whole numbers"));
    }
}
