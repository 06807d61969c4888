//! A result in the formats of others: `--formats`.

use super::{Disparity, Flow, LabelMap, flo, kitti, npz, pfm, tiff};
use crate::app::Application;
use crate::error::{Error, Result};
use crate::npy;
use serde::Deserialize;
use spa_model::job::window_offsets;
use spagen::parameters::counted;
use std::path::Path;

/// A format that results can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// Float map: disparity, or u, v, 0 of flow; unknown is infinite
    Pfm,
    /// TIFF of 32-bit floats: disparity; unknown is NaN
    Tiff,
    /// 16-bit PNG of KITTI: disparity × 256, or flow × 64 + 2^15 with validity
    Kitti,
    /// Flow field of Middlebury
    Flo,
    /// Arrays of NumPy: 'disparity', 'flow' or 'labels', and 'valid'
    Npz,
    /// PNG of the classes themselves: 8 bits, 16 where needed
    Png,
}

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Disparities.
    Disparity(Disparity),
    /// Motions.
    Flow(Flow),
    /// Classes.
    Labels(LabelMap),
}

/// Every file that [`Field::write`] may write.
pub const FILES: [&str; 10] = [
    "disparity.pfm",
    "disparity.tiff",
    "disparity_kitti.png",
    "disparity.npz",
    "flow.pfm",
    "flow.flo",
    "flow_kitti.png",
    "flow.npz",
    "classes.png",
    "classes.npz",
];

impl FileFormat {
    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pfm => "pfm",
            Self::Tiff => "tiff",
            Self::Kitti => "kitti",
            Self::Flo => "flo",
            Self::Npz => "npz",
            Self::Png => "png",
        }
    }
}

impl Field {
    /// What `labels` (H×W) of `application` mean.
    pub fn of_labels(application: &Application, (width, height): (u32, u32), labels: &[u8]) -> Self {
        match application {
            Application::Stereo { dmin } => {
                let value = |&l: &u8| f32::from(l) + f32::from(*dmin);
                Self::Disparity(Disparity::new(width, height, labels.iter().map(value).collect()))
            }
            Application::Flow { window } => {
                let offsets = window_offsets(*window);
                // A label beyond the window has no meaning.
                let vector = |&l: &u8| {
                    offsets.get(usize::from(l)).map_or([f32::NAN; 2], |o| [f32::from(o.dx), f32::from(o.dy)])
                };
                Self::Flow(Flow::new(width, height, labels.iter().map(vector).collect()))
            }
            // Classes, and whatever has no unit.
            _ => {
                let values = labels.iter().map(|&l| u32::from(l)).collect();
                Self::Labels(LabelMap { width, height, values })
            }
        }
    }

    /// Name of the file of `format`, or why there is none.
    ///
    /// # Errors
    /// [`Error::Usage`] if the format cannot hold what this is.
    pub fn file_name(&self, format: FileFormat) -> Result<&'static str> {
        file_name(self.what(), format)
    }

    /// `disparity`, `flow` or `labels`.
    pub fn what(&self) -> &'static str {
        match self {
            Self::Disparity(_) => "disparity",
            Self::Flow(_) => "flow",
            Self::Labels(_) => "labels",
        }
    }

    /// What readers of a file of `format` will take otherwise than it is, in words: the 0 of a float map is unknown to many.
    pub fn misread(&self, format: FileFormat) -> Option<String> {
        let (Self::Disparity(map), FileFormat::Pfm | FileFormat::Tiff) = (self, format) else { return None };
        let zeros = map.values.iter().filter(|&&v| v == 0.0).count();
        (zeros > 0).then(|| {
            format!(
                "{} with disparity 0: read it with --unknown none, or 0 means unknown",
                counted(zeros as u64, "pixel")
            )
        })
    }

    /// Writes the file `path` in `format`.
    ///
    /// # Errors
    /// [`Error::Usage`] if the format cannot hold what this is, [`Error::File`] if it cannot hold a value or the file cannot
    /// be written.
    pub fn write(&self, path: &Path, format: FileFormat) -> Result<()> {
        match (self, format) {
            (Self::Disparity(map), FileFormat::Pfm) => {
                // Infinite is what the stereo benchmarks write where nothing is known.
                let value = |&v: &f32| if v.is_nan() { f32::INFINITY } else { v };
                let values: Vec<f32> = map.values.iter().map(value).collect();
                pfm::write(path, map.width, map.height, 1, &values)
            }
            (Self::Flow(flow), FileFormat::Pfm) => {
                let pixel = |i: usize| match flow.get(i) {
                    Some([u, v]) => [u, v, 0.0],
                    None => [f32::INFINITY; 3],
                };
                let values: Vec<[f32; 3]> = (0..flow.vectors.len()).map(pixel).collect();
                pfm::write(path, flow.width, flow.height, 3, values.as_flattened())
            }
            (Self::Disparity(map), FileFormat::Tiff) => tiff::write(path, map.width, map.height, &map.values),
            (Self::Disparity(map), FileFormat::Kitti) => kitti::write_disparity(path, map),
            (Self::Flow(flow), FileFormat::Kitti) => kitti::write_flow(path, flow),
            (Self::Flow(flow), FileFormat::Flo) => flo::write(path, flow),
            (Self::Labels(map), FileFormat::Png) => write_labels(path, map),
            (_, FileFormat::Npz) => self.write_npz(path).map_err(|e| Error::io("write", path, &e)),
            _ => self.file_name(format).map(|_| ()),
        }
    }

    /// Writes one array: disparities H×W and motions H×W×2 as f32, NaN where they are unknown, classes H×W in the narrowest
    /// unsigned type that holds them.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written.
    pub fn write_npy(&self, path: &Path) -> Result<()> {
        let plane = |width: u32, height: u32| [u64::from(height), u64::from(width)];
        match self {
            Self::Disparity(map) => npy::write(path, &plane(map.width, map.height), &map.values),
            Self::Flow(flow) => {
                let [height, width] = plane(flow.width, flow.height);
                npy::write(path, &[height, width, 2], flow.vectors.as_flattened())
            }
            Self::Labels(map) => {
                let shape = plane(map.width, map.height);
                match map.values.iter().copied().max().unwrap_or(0) {
                    0..=0xff => npy::write(path, &shape, &narrow(&map.values, |v| v as u8)),
                    0x100..=0xffff => npy::write(path, &shape, &narrow(&map.values, |v| v as u16)),
                    _ => npy::write(path, &shape, &map.values),
                }
            }
        }
    }

    fn write_npz(&self, path: &Path) -> std::io::Result<()> {
        let mut npz = npz::Writer::create(path)?;
        let plane = |width: u32, height: u32| [u64::from(height), u64::from(width)];
        match self {
            Self::Disparity(map) => {
                let shape = plane(map.width, map.height);
                npz.array("disparity", &shape, map.values.iter().copied())?;
                npz.array("valid", &shape, map.values.iter().map(|v| !v.is_nan()))?;
            }
            Self::Flow(flow) => {
                let [height, width] = plane(flow.width, flow.height);
                npz.array("flow", &[height, width, 2], flow.vectors.as_flattened().iter().copied())?;
                npz.array("valid", &[height, width], flow.vectors.iter().map(|v| !v[0].is_nan()))?;
            }
            Self::Labels(map) => {
                npz.array("labels", &plane(map.width, map.height), map.values.iter().copied())?;
            }
        }
        npz.finish()
    }
}

/// Name of the file of `what` (`disparity`, `flow`, `labels`) in `format`.
///
/// # Errors
/// [`Error::Usage`] names the formats that can hold it.
pub fn file_name(what: &str, format: FileFormat) -> Result<&'static str> {
    use FileFormat::{Flo, Kitti, Npz, Pfm, Png, Tiff};
    Ok(match (what, format) {
        ("disparity", Pfm) => "disparity.pfm",
        ("disparity", Tiff) => "disparity.tiff",
        ("disparity", Kitti) => "disparity_kitti.png",
        ("disparity", Npz) => "disparity.npz",
        ("flow", Pfm) => "flow.pfm",
        ("flow", Flo) => "flow.flo",
        ("flow", Kitti) => "flow_kitti.png",
        ("flow", Npz) => "flow.npz",
        ("labels", Png) => "classes.png",
        ("labels", Npz) => "classes.npz",
        _ => {
            let allowed = match what {
                "disparity" => "pfm, tiff, kitti or npz",
                "flow" => "flo, kitti, pfm or npz",
                _ => "png or npz",
            };
            let text = format!("format '{}' cannot hold {what}; choose {allowed}", format.name());
            return Err(Error::usage(text));
        }
    })
}

fn narrow<T>(values: &[u32], of: impl Fn(u32) -> T) -> Vec<T> {
    values.iter().map(|&value| of(value)).collect()
}

fn write_labels(path: &Path, map: &LabelMap) -> Result<()> {
    let largest = map.values.iter().copied().max().unwrap_or(0);
    let save = |bytes: &[u8], kind| {
        image::save_buffer_with_format(path, bytes, map.width, map.height, kind, image::ImageFormat::Png)
            .map_err(|e| Error::file("write", path, e))
    };
    if largest <= 255 {
        let bytes: Vec<u8> = map.values.iter().map(|&v| v as u8).collect();
        return save(&bytes, image::ExtendedColorType::L8);
    }
    if largest > 65_535 {
        let cause = format!("class {largest} does not fit a PNG of 16 bits; .npz holds it");
        return Err(Error::file("write", path, cause));
    }
    let bytes: Vec<u8> = map.values.iter().flat_map(|&v| (v as u16).to_ne_bytes()).collect();
    save(&bytes, image::ExtendedColorType::L16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{open_disparity, open_flow, open_labels};
    use clap::ValueEnum as _;

    #[test]
    fn every_format_gives_back_what_it_was_given_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let map = Disparity::new(3, 1, vec![1.25, f32::NAN, 20.0]);
        let flow = Flow::new(2, 1, vec![[1.5, -2.25], [f32::NAN, 0.0]]);
        let labels = LabelMap { width: 2, height: 1, values: vec![0, 300] };
        let fields = [Field::Disparity(map), Field::Flow(flow), Field::Labels(labels)];
        let mut written = 0;
        for field in &fields {
            for &format in FileFormat::value_variants() {
                let path = folder.path().join(format!("{}-{}", field.what(), format.name()));
                match field.file_name(format) {
                    Ok(name) => {
                        let path = path.with_file_name(name);
                        field.write(&path, format).unwrap();
                        written += 1;
                        match field {
                            Field::Disparity(map) => {
                                let back = open_disparity(&path, Default::default()).unwrap();
                                assert_eq!(
                                    (0..3).map(|i| back.get(i)).collect::<Vec<_>>(),
                                    [Some(1.25), None, Some(20.0)],
                                    "{name}"
                                );
                                assert_eq!(back.width, map.width);
                            }
                            Field::Flow(flow) => {
                                let back = open_flow(&path).unwrap();
                                assert_eq!((back.get(0), back.get(1)), (flow.get(0), None), "{name}");
                            }
                            Field::Labels(labels) => {
                                assert_eq!(&open_labels(&path).unwrap(), labels, "{name}");
                            }
                        }
                    }
                    Err(e) => {
                        assert!(e.is_usage() && e.to_string().contains("; choose "), "{e}");
                        assert!(field.write(&path, format).is_err() && !path.exists());
                    }
                }
            }
        }
        assert_eq!(written, 10);
    }
}
