//! What is measured: a result folder of `spa` or a file of anybody, and the truth beside it.

use crate::app::Application;
use crate::error::{Error, Result};
use crate::formats::field::Unknown;
use crate::formats::middlebury::{Masks, Scene};
use crate::formats::{
    Field, Kind, Raster, ReadAs, Samples, field, kitti, npz, numbers::Numbers, open_disparity, open_flow,
    open_labels,
};
use crate::lowest::LOWEST;
use crate::summary::Summary;
use std::path::{Path, PathBuf};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    /// Disparities; or 'stereo'
    #[value(name = "disparity", alias = "stereo")]
    Stereo,
    /// Motions
    Flow,
    /// Classes; or 'segment'
    #[value(name = "classes", alias = "segment")]
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
    /// What people should know of how the file was taken.
    pub note: Option<String>,
}

impl Subject {
    /// What results of `application` are.
    fn of(application: &Application) -> Self {
        match application {
            Application::Stereo { .. } => Self::Stereo,
            Application::Flow { .. } => Self::Flow,
            _ => Self::Segment,
        }
    }

    /// Its word on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Stereo => "disparity",
            Self::Flow => "flow",
            Self::Segment => "classes",
        }
    }
}

impl Answer {
    /// Reads a result folder of `spa` (its `mode.npy`, or `disparity.npy` and `flow.npy` where labels are parts of pixels), a
    /// file of one (labels are taken by the summary beside it), or any other file, as `subject` or as what its format tells; `scale`
    /// is the steps of a disparity in a pixel. A `subject` goes before what a summary says; [`Answer::note`] tells of it. `unknown` is
    /// what a disparity of 0 means: for a measure an answer, except in files of KITTI; for a conversion what the file means by it.
    ///
    /// # Errors
    /// [`Error::File`] if something is missing or damaged, or labels are parts of pixels; [`Error::Usage`] if nothing tells what
    /// the file is.
    pub fn open(
        path: &Path,
        subject: Option<Subject>,
        (scale, unknown): (Option<f64>, Unknown),
    ) -> Result<Self> {
        let (file, folder) = if path.is_dir() {
            (path.join(answer_file(path)?), path)
        } else {
            (path.to_path_buf(), path.parent().unwrap_or(Path::new("")))
        };
        let kind = Kind::for_action(&file, "read result")?;
        let mut note = None;
        let run = match kind {
            Kind::Npy => Run::beside(&file, folder, subject, &mut note)?,
            _ => None,
        };
        if let Some(run) = run.as_ref().filter(|_| is_labels_of_run(&file)) {
            run.check_pixels(&file)?;
            let (width, height, labels) = crate::npy::read_plane(&file)?;
            let field = Field::of_labels(&run.application, (width, height), &labels);
            let confidence = confidence(folder, (width, height))?;
            return Ok(Self {
                path: file,
                field,
                application: Some(run.application.clone()),
                confidence,
                note,
            });
        }
        let subject = match subject.or(run.as_ref().map(|run| Subject::of(&run.application))) {
            Some(subject) => subject,
            None => guess(&file, kind)?,
        };
        let field = match subject {
            Subject::Stereo => {
                let read_as = ReadAs { scale, unknown };
                Field::Disparity(open_disparity(&file, read_as)?)
            }
            Subject::Flow => Field::Flow(open_flow(&file)?),
            Subject::Segment => Field::Labels(open_labels(&file)?),
        };
        let confidence = if run.is_some() { confidence(folder, size(&field))? } else { None };
        Ok(Self { path: file, field, application: None, confidence, note })
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

/// The run of `spa` that a file is of.
struct Run {
    application: Application,
    /// Option that made labels parts of pixels, and its value.
    parts: Option<(&'static str, u64)>,
}

impl Run {
    /// The run whose summary stands in `folder` beside `file`, unless `subject` says that the file is something else. `note` is set
    /// where that is so, or where the file is none of the run's.
    fn beside(
        file: &Path,
        folder: &Path,
        subject: Option<Subject>,
        note: &mut Option<String>,
    ) -> Result<Option<Self>> {
        let summary = folder.join(crate::output::SUMMARY);
        if !summary.is_file() {
            return Ok(None);
        }
        let found = Summary::read(folder).and_then(|summary| Self::of(&summary));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some(subject) = subject else {
            let run = found?;
            if !is_of_run(file) {
                *note = Some(format!(
                    "'{name}' is no file that a run writes, so it is taken as it is, for a result of '{}' as the summary beside it \
                     says; --kind says otherwise",
                    run.application.name()
                ));
            }
            return Ok(Some(run));
        };
        let why = match &found {
            Ok(run) if Subject::of(&run.application) == subject => return Ok(found.ok()),
            Ok(run) => format!("'{}' is of '{}'", summary.display(), run.application.name()),
            Err(error) => error.to_string(),
        };
        *note = Some(format!("{why}, but --kind is {}: '{name}' is taken as it is", subject.name()));
        Ok(None)
    }

    /// The run of a summary.
    fn of(summary: &Summary) -> Result<Self> {
        let application = match summary.application.as_str() {
            "stereo" => Application::Stereo { dmin: summary.dmin.unwrap_or(0) },
            "flow" => Application::Flow { window: summary.window.unwrap_or(7) },
            "segment" => Application::Segment,
            other => {
                let text =
                    format!("results of '{other}' have no measure here; stereo, flow and segment have");
                return Err(Error::usage(text));
            }
        };
        Ok(Self { application, parts: parts(summary) })
    }

    /// Refuses labels that are parts of pixels.
    fn check_pixels(&self, file: &Path) -> Result<()> {
        let Some((option, value)) = self.parts else { return Ok(()) };
        let measured = match self.application {
            Application::Stereo { .. } => "disparity.npy",
            _ => "flow.npy",
        };
        let cause =
            format!("its labels are parts of pixels ({option} {value}); take '{measured}' or the folder");
        Err(Error::file("use result", file, cause))
    }
}

/// The option of a run that makes its labels parts of pixels, and its value.
fn parts(summary: &Summary) -> Option<(&'static str, u64)> {
    let options: &[&'static str] = match summary.application.as_str() {
        "stereo" => &["grid"],
        "flow" => &["grid", "levels"],
        _ => &[],
    };
    let value = |option: &'static str| {
        let value = summary.settings.as_ref()?.get(option)?.as_u64()?;
        (value > 1).then_some((option, value))
    };
    options.iter().copied().find_map(value)
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
    Ok(match (parts(&summary), summary.application.as_str()) {
        (Some(_), "stereo") => "disparity.npy",
        (Some(_), _) => "flow.npy",
        (None, _) => "mode.npy",
    })
}

/// True for the names of files of labels in a result folder.
fn is_labels_of_run(file: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
    ["labels.npy", "mode.npy", LOWEST].contains(&name)
        || (0..usize::from(crate::chains::MOST)).any(|n| name == crate::results::chain_file(n))
}

/// True for the names of all that a run writes and that can be measured.
fn is_of_run(file: &Path) -> bool {
    let measured = ["disparity.npy", "flow.npy", "mean.npy"];
    is_labels_of_run(file) || file.file_name().is_some_and(|name| measured.iter().any(|own| name == *own))
}

/// What a file is that no summary explains.
fn guess(path: &Path, kind: Kind) -> Result<Subject> {
    match kind {
        Kind::Flo => return Ok(Subject::Flow),
        Kind::Npy => {
            // One number a pixel that is no whole number is a disparity, as in PFM and TIFF.
            let numbers = Numbers::open(path)?;
            match (numbers.shape.len(), numbers.integer) {
                (3, _) => return Ok(Subject::Flow),
                (2, false) => return Ok(Subject::Stereo),
                _ => {}
            }
        }
        Kind::Npz => return guess_arrays(path),
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
        "'{}' does not say whether it is disparity, flow or classes; give --kind disparity, flow or classes",
        path.display()
    )))
}

/// What an archive holds, by the names of its arrays; of one without a name by its shape.
fn guess_arrays(path: &Path) -> Result<Subject> {
    let names = npz::list(path)?;
    let of = |name: &str| {
        let is = |known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(name));
        if is(&field::DISPARITY) {
            Some(Subject::Stereo)
        } else if is(&field::FLOW) || field::FLOW_PAIRS.iter().any(|(u, _)| is(&[u])) {
            Some(Subject::Flow)
        } else {
            is(&field::LABELS).then_some(Subject::Segment)
        }
    };
    let mut found: Vec<Subject> = names.iter().filter_map(|name| of(name)).collect();
    found.dedup();
    match (found.as_slice(), names.as_slice()) {
        (&[subject], _) => return Ok(subject),
        ([], [_]) if npz::read(path, &[])?.shape.len() == 3 => return Ok(Subject::Flow),
        _ => {}
    }
    Err(Error::usage(format!(
        "'{}' holds the arrays {}, which do not say whether it is disparity, flow or classes; give --kind disparity, flow or classes",
        path.display(),
        names.join(", ")
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
