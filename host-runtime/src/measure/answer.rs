//! What is measured: a result folder of `spa` or a file of anybody, and the truth beside it.

use crate::app::Application;
use crate::error::{Error, Result};
use crate::formats::field::Unknown;
use crate::formats::middlebury::{Masks, Scene};
use crate::formats::{
    Field, Kind, Raster, ReadAs, Samples, kitti, numbers::Numbers, open_disparity, open_flow, open_labels,
};
use crate::summary::Summary;
use std::path::{Path, PathBuf};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Disparities
    Stereo,
    /// Motions
    Flow,
    /// Classes
    Segment,
}

/// A result to be measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// File that was read.
    pub path: PathBuf,
    /// What it holds.
    pub field: Field,
    /// Application of the run, if it is one of `spa`.
    pub application: Option<Application>,
    /// Confidence of every pixel, row by row: what stands beside it as `confidence.npy`.
    pub confidence: Option<Vec<f32>>,
}

impl Answer {
    /// Reads a result folder of `spa` (its `mode.npy`, or `disparity.npy` and `flow.npy` where labels are parts of pixels), a
    /// file of one (labels are taken by the summary beside it), or any other file, as `subject` or as what its format tells; `scale` is the steps of a disparity in a pixel.
    ///
    /// # Errors
    /// [`Error::File`] if something is missing or damaged; [`Error::Usage`] if nothing tells what the file is.
    pub fn open(path: &Path, subject: Option<Subject>, scale: Option<f64>) -> Result<Self> {
        let (file, folder) = if path.is_dir() {
            (path.join(answer_file(path)?), path)
        } else {
            (path.to_path_buf(), path.parent().unwrap_or(Path::new("")))
        };
        let kind = Kind::for_action(&file, "read result")?;
        let mut beside = None;
        if kind == Kind::Npy && (path.is_dir() || folder.join(crate::output::SUMMARY).is_file()) {
            let application = application(&Summary::read(folder)?)?;
            // Labels of spa: only its summary knows what they mean.
            if Numbers::open(&file)?.integer {
                let (width, height, labels) = crate::npy::read_plane(&file)?;
                let field = Field::of_labels(&application, (width, height), &labels);
                let confidence = confidence(folder, (width, height))?;
                return Ok(Self { path: file, field, application: Some(application), confidence });
            }
            beside = Some(match application {
                Application::Stereo { .. } => Subject::Stereo,
                Application::Flow { .. } => Subject::Flow,
                _ => Subject::Segment,
            });
        }
        let subject = match subject.or(beside) {
            Some(subject) => subject,
            None => guess(&file, kind)?,
        };
        let field = match subject {
            Subject::Stereo => {
                let read_as = ReadAs { scale, unknown: Unknown::KittiOnly };
                Field::Disparity(open_disparity(&file, read_as)?)
            }
            Subject::Flow => Field::Flow(open_flow(&file)?),
            Subject::Segment => Field::Labels(open_labels(&file)?),
        };
        let confidence = if beside.is_some() { confidence(folder, size(&field))? } else { None };
        Ok(Self { path: file, field, application: None, confidence })
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        size(&self.field)
    }
}

fn size(field: &Field) -> (u32, u32) {
    match field {
        Field::Disparity(map) => (map.width, map.height),
        Field::Flow(flow) => (flow.width, flow.height),
        Field::Labels(map) => (map.width, map.height),
    }
}

/// `confidence.npy` of a result folder, if it has one.
fn confidence(folder: &Path, size: (u32, u32)) -> Result<Option<Vec<f32>>> {
    let path = folder.join(crate::uncertainty::files::CONFIDENCE);
    if !path.is_file() {
        return Ok(None);
    }
    let array = Numbers::open(&path)?;
    let (width, height, _) = array.plane().map_err(|cause| Error::file("use confidence", &path, cause))?;
    crate::picture::check_size("confidence", (&path, (width, height)), (folder, size))?;
    Ok(Some(array.values.iter().map(|&value| value as f32).collect()))
}

/// The file of a result folder that answers: labels, unless they are parts of pixels.
fn answer_file(folder: &Path) -> Result<&'static str> {
    let summary = Summary::read(folder)?;
    if summary.collected() == 0 {
        let cause = format!(
            "its run was stopped after {} of {} iterations, before the first collected one ({}), so there is no answer to \
             measure; let it run longer, or give its last labels, labels.npy",
            summary.iterations_done, summary.iterations, summary.burn_in
        );
        return Err(Error::file("read result", folder, cause));
    }
    let more = |key: &str| {
        let setting = summary.settings.as_ref().and_then(|settings| settings.get(key)?.as_u64());
        setting.is_some_and(|n| n > 1)
    };
    Ok(match summary.application.as_str() {
        "stereo" if more("grid") => "disparity.npy",
        "flow" if more("grid") || more("levels") => "flow.npy",
        _ => "mode.npy",
    })
}

/// The application of a summary.
fn application(summary: &Summary) -> Result<Application> {
    Ok(match summary.application.as_str() {
        "stereo" => Application::Stereo { dmin: summary.dmin.unwrap_or(0) },
        "flow" => Application::Flow { window: summary.window.unwrap_or(7) },
        "segment" => Application::Segment,
        other => {
            let text = format!("results of '{other}' have no measure here; stereo, flow and segment have");
            return Err(Error::usage(text));
        }
    })
}

/// What a file is that no summary explains.
fn guess(path: &Path, kind: Kind) -> Result<Subject> {
    match kind {
        Kind::Flo => return Ok(Subject::Flow),
        Kind::Npy if Numbers::open(path)?.shape.len() == 3 => return Ok(Subject::Flow),
        Kind::Pfm | Kind::Tiff | Kind::Png => {
            let raster = Raster::open(path)?;
            if kind == Kind::Png && kitti::flow(&raster).is_some() {
                return Ok(Subject::Flow);
            }
            if raster.is_float() {
                return Ok(if raster.channels == 1 { Subject::Stereo } else { Subject::Flow });
            }
            if kind == Kind::Png && raster.channels == 1 && matches!(raster.samples, Samples::U16(_)) {
                return Ok(Subject::Stereo);
            }
        }
        _ => {}
    }
    Err(Error::usage(format!(
        "'{}' does not say whether it is disparity, flow or classes; give --kind stereo, flow or segment",
        path.display()
    )))
}

/// Ground truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Files that were read: one, or several segmentations.
    pub paths: Vec<PathBuf>,
    /// What they hold.
    pub fields: Vec<Field>,
    /// Steps of a disparity in a pixel, where they were not 1.
    pub scale: Option<f64>,
    /// Masks that were found with it.
    pub masks: Masks,
}

impl Truth {
    /// Reads the truth for `answer` from files or benchmark folders; `read_as` goes before what a folder says.
    ///
    /// # Errors
    /// [`Error::File`] if something is missing or damaged, [`Error::SizeMismatch`] if sizes differ, [`Error::Usage`] for
    /// several truths of disparity or flow.
    pub fn open(paths: &[PathBuf], answer: &Answer, mut read_as: ReadAs) -> Result<Self> {
        let mut files = Vec::new();
        let mut masks = Masks::default();
        for path in paths {
            if !path.is_dir() {
                files.push(path.clone());
                continue;
            }
            if let Field::Labels(_) = answer.field {
                files.extend(segmentations(path)?);
                continue;
            }
            let scene = match answer.field {
                Field::Flow(_) => Scene::flow(path)?,
                _ => Scene::stereo(path)?,
            };
            let none = || Error::file("use folder", path, "it has no ground truth");
            files.push(scene.truth.ok_or_else(none)?);
            read_as.scale = read_as.scale.or(scene.scale);
            masks = scene.masks;
        }
        if files.len() > 1 && !matches!(answer.field, Field::Labels(_)) {
            return Err(Error::usage("several ground truths are for segmentations only; give one"));
        }
        let fields = files.iter().map(|file| open(file, answer, read_as)).collect::<Result<_>>()?;
        Ok(Self { paths: files, fields, scale: read_as.scale, masks })
    }
}

fn open(file: &Path, answer: &Answer, read_as: ReadAs) -> Result<Field> {
    let (field, size) = match (&answer.field, &answer.application) {
        (Field::Disparity(_), _) => {
            let map = open_disparity(file, read_as)?;
            let size = (map.width, map.height);
            (Field::Disparity(map), size)
        }
        // Labels of a synthetic scene.
        (Field::Flow(_), Some(application)) if is_labels(file)? => {
            let (width, height, labels) = crate::npy::read_plane(file)?;
            (Field::of_labels(application, (width, height), &labels), (width, height))
        }
        (Field::Flow(_), _) => {
            let flow = open_flow(file)?;
            let size = (flow.width, flow.height);
            (Field::Flow(flow), size)
        }
        (Field::Labels(_), _) => {
            let map = open_labels(file)?;
            let size = (map.width, map.height);
            (Field::Labels(map), size)
        }
    };
    crate::picture::check_size("ground truth", (file, size), (&answer.path, answer.size()))?;
    Ok(field)
}

fn is_labels(file: &Path) -> Result<bool> {
    if Kind::for_action(file, "read ground truth")? != Kind::Npy {
        return Ok(false);
    }
    let array = Numbers::open(file)?;
    Ok(array.integer && array.shape.len() == 2)
}

/// All segmentations of a folder: `human_*` or `truth`, sorted.
fn segmentations(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io("read folder", folder, &e))?;
    let is = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let ending = path.extension().is_some_and(|e| e != "txt");
        path.is_file() && ending && (stem.starts_with("human_") || stem == "truth")
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is).collect();
    found.sort();
    // The same truth as an array and as a coloured picture: the array has the classes.
    if let Some(array) = found.iter().find(|path| path.file_name().is_some_and(|n| n == "truth.npy")) {
        return Ok(vec![array.clone()]);
    }
    if found.is_empty() {
        return Err(Error::file("use folder", folder, "it has no segmentation: human_*.png or truth.npy"));
    }
    Ok(found)
}
