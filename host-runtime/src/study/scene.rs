//! Pictures of a study: benchmark folders, folders of `spa synth`, or pairs; smaller and cropped where asked; with their
//! ground truth, if there is one.

use super::parameters::{Collect, ModelOptions, Parameters};
use crate::app::Application;
use crate::error::{Error, Result};
use crate::formats::middlebury::Scene;
use crate::formats::{Disparity, Field, Flow, ReadAs};
use crate::measure::answer::{Answer, Truth as TruthFile};
use crate::measure::mask::Mask;
use crate::measure::{flow, stereo};
use crate::options::RunOptions;
use crate::picture::Picture;
use crate::plan::{Inputs, Plan, plan};
use crate::synth::Size;
use clap::Args;
use std::path::{Path, PathBuf};

/// Reductions that are taken.
const REDUCE: std::ops::RangeInclusive<u32> = 1..=8;

/// Which pictures.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct SceneOptions {
    /// Folders with a stereo pair or two frames: of a benchmark, or of 'spa synth'; PATH@1/2 halves the pictures (1/3 …
    /// 1/8), PATH:28 takes 28 labels, PATH@1/2:28 both
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// A stereo pair; can be given several times
    #[arg(long, num_args = 2, value_names = ["LEFT", "RIGHT"], action = clap::ArgAction::Append)]
    pub stereo: Vec<PathBuf>,
    /// Two frames; can be given several times
    #[arg(long, num_args = 2, value_names = ["FRAME1", "FRAME2"], action = clap::ArgAction::Append)]
    pub flow: Vec<PathBuf>,
    /// Keep the middle of the pictures only, after any reduction
    #[arg(long, value_name = "WxH")]
    pub crop: Option<Size>,
}

/// A scene with its parameters, ready to be planned and run.
#[derive(Debug, Clone)]
pub struct Case {
    /// Short name.
    pub name: String,
    /// Stereo or flow.
    pub application: Application,
    /// Its pictures.
    pub inputs: Inputs,
    /// Options of its run.
    pub options: RunOptions,
    /// Ground truth.
    pub truth: Option<Truth>,
}

/// Ground truth, of the size of the pictures.
#[derive(Debug, Clone)]
pub enum Truth {
    /// Disparities, and the pixels that both views see.
    Stereo(Disparity, Option<Vec<bool>>),
    /// Motions.
    Flow(Flow),
}

/// Quality of a labelling against the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quality {
    /// Bad pixels > 1 in percent: all, and of those that both views see.
    BadPixels(f64, Option<f64>),
    /// Mean end-point error in pixels.
    EndPoint(f64),
}

impl Quality {
    /// The measure of Fig. 3.12.
    pub fn value(self) -> f64 {
        match self {
            Self::BadPixels(all, _) => all,
            Self::EndPoint(error) => error,
        }
    }
}

/// What [`Quality::value`] is.
pub fn measure_name(application: &Application) -> &'static str {
    match application {
        Application::Stereo { .. } => "bad pixels > 1, %",
        _ => "end-point error, pixels",
    }
}

impl Case {
    /// The job of these options.
    ///
    /// # Errors
    /// As [`plan`].
    pub fn plan(&self, options: &RunOptions) -> Result<Plan> {
        plan(&self.application, options, None, &self.inputs)
    }

    /// Measures `labels` of a job of this case; none without ground truth.
    pub fn quality(&self, application: &Application, labels: &[u8]) -> Option<Quality> {
        let size = (self.inputs.first.width, self.inputs.first.height);
        let everywhere = vec![true; labels.len()];
        match (self.truth.as_ref()?, Field::of_labels(application, size, labels)) {
            (Truth::Stereo(truth, seen), Field::Disparity(found)) => {
                let bad = |region: &[bool]| stereo::measure(&found, truth, region, &[1.0]).bad[0].percent;
                Some(Quality::BadPixels(bad(&everywhere)?, seen.as_deref().and_then(bad)))
            }
            (Truth::Flow(truth), Field::Flow(found)) => {
                flow::measure(&found, truth, &everywhere, &[]).end_point.mean.map(Quality::EndPoint)
            }
            _ => None,
        }
    }
}

/// Opens all scenes of `which`.
///
/// # Errors
/// [`Error::Usage`] without scenes, or if a reduction or a number of labels is none; [`Error::File`] for pictures and
/// truth that cannot be read.
pub fn open(
    which: &SceneOptions,
    model: &ModelOptions,
    parameters: Parameters,
    collect: Collect,
) -> Result<Vec<Case>> {
    let mut found = Vec::new();
    for text in &which.scenes {
        found.push(Found::folder(text, model)?);
    }
    for (pair, application) in
        pairs(&which.stereo, STEREO).chain(pairs(&which.flow, Application::Flow { window: 7 }))
    {
        found.push(Found::pair(pair, application, model)?);
    }
    if found.is_empty() {
        return Err(Error::usage(
            "no scene is given; name folders ('spa synth stereo -o DIR' makes one), or --stereo LEFT RIGHT, or --flow \
             FRAME1 FRAME2",
        ));
    }
    name_apart(&mut found);
    found
        .into_iter()
        .map(|found| {
            let mut options = model.resolve(&found.application, parameters, collect);
            if !matches!(found.application, Application::Flow { .. }) {
                options.window = None;
                options.labels = Some(found.labels);
            } else {
                options.labels = None;
            }
            found.crop(which.crop).case(options)
        })
        .collect()
}

const STEREO: Application = Application::Stereo { dmin: 0 };

fn pairs(files: &[PathBuf], application: Application) -> impl Iterator<Item = (&[PathBuf], Application)> {
    files.chunks_exact(2).map(move |pair| (pair, application.clone()))
}

/// A scene before its options.
struct Found {
    name: String,
    /// As it was named.
    text: String,
    application: Application,
    labels: u16,
    inputs: Inputs,
    truth: Option<Truth>,
}

impl Found {
    fn folder(text: &str, model: &ModelOptions) -> Result<Self> {
        let Named { path, reduce, labels } = Named::parse(text)?;
        let (application, scene) = kind(&path)?;
        let application = match application {
            Application::Flow { .. } => Application::Flow { window: model.window.unwrap_or(7) },
            other => other,
        };
        let labels = match (&application, labels.or(model.labels)) {
            (Application::Flow { .. }, Some(_)) if labels.is_some() => {
                return Err(Error::usage(format!(
                    "'{text}' is flow: its labels come from --window, not from ':N'"
                )));
            }
            (Application::Flow { .. }, _) => 0,
            (_, Some(labels)) => labels,
            (_, None) => reach(&scene, reduce)?,
        };
        let inputs =
            Inputs { first: Picture::open(&scene.first)?, second: Some(Picture::open(&scene.second)?) };
        let truth = truth(&scene, &application, &inputs)?;
        let name = path.file_name().map_or(text.to_string(), |name| name.to_string_lossy().into_owned());
        let mut found = Self { name, text: text.to_string(), application, labels, inputs, truth };
        if reduce > 1 {
            found.name += &format!("@1/{reduce}");
            found.reduce(reduce as usize)?;
        }
        Ok(found)
    }

    fn pair(files: &[PathBuf], application: Application, model: &ModelOptions) -> Result<Self> {
        let labels = model.labels.unwrap_or(application.defaults().labels);
        let name = files[0].file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            name,
            text: files[0].display().to_string(),
            application,
            labels,
            inputs: Inputs { first: Picture::open(&files[0])?, second: Some(Picture::open(&files[1])?) },
            truth: None,
        })
    }

    /// Means of blocks of `n`×`n` pixels; the truth of a block is the mean of what is known, where half of it is.
    fn reduce(&mut self, n: usize) -> Result<()> {
        let (width, height) = (self.inputs.first.width as usize, self.inputs.first.height as usize);
        let (w, h) = (width / n, height / n);
        if w == 0 || h == 0 {
            let text = format!("'{}': {width}x{height} pixels cannot be reduced to 1/{n}", self.text);
            return Err(Error::usage(text));
        }
        let block = move |i: usize| {
            let (x, y) = (i % w * n, i / w * n);
            (y..y + n).flat_map(move |y| (x..x + n).map(move |x| y * width + x))
        };
        let count = (n * n) as u32;
        let smaller = |picture: &Picture| {
            let mean = |i: usize| {
                let mut sum = [0_u32; 3];
                for pixel in block(i) {
                    (0..3).for_each(|c| sum[c] += u32::from(picture.rgb[pixel][c]));
                }
                sum.map(|s| ((s + count / 2) / count) as u8)
            };
            let rgb = (0..w * h).map(mean).collect();
            Picture { path: picture.path.clone(), width: w as u32, height: h as u32, rgb }
        };
        let known = |values: Vec<f32>| {
            let enough = 2 * values.len() >= n * n;
            if enough { values.iter().sum::<f32>() / values.len() as f32 / n as f32 } else { f32::NAN }
        };
        let size = (w as u32, h as u32);
        self.truth = self.truth.take().map(|truth| match truth {
            Truth::Stereo(map, seen) => {
                let value = |i: usize| known(block(i).filter_map(|pixel| map.get(pixel)).collect());
                let seen = seen.map(|seen| (0..w * h).map(|i| block(i).all(|pixel| seen[pixel])).collect());
                Truth::Stereo(Disparity::new(size.0, size.1, (0..w * h).map(value).collect()), seen)
            }
            Truth::Flow(map) => {
                let part = |i: usize, c: usize| {
                    known(block(i).filter_map(|pixel| Some(map.get(pixel)?[c])).collect())
                };
                let vectors = (0..w * h).map(|i| [part(i, 0), part(i, 1)]).collect();
                Truth::Flow(Flow::new(size.0, size.1, vectors))
            }
        });
        self.inputs =
            Inputs { first: smaller(&self.inputs.first), second: self.inputs.second.as_ref().map(smaller) };
        Ok(())
    }

    fn crop(self, size: Option<Size>) -> Self {
        let (width, height) = (self.inputs.first.width, self.inputs.first.height);
        let Some(size) = size.filter(|size| size.width < width || size.height < height) else { return self };
        let (w, h) = (size.width.min(width), size.height.min(height));
        let (left, top) = ((width - w) / 2, (height - h) / 2);
        let rows = move |y: u32| {
            let start = ((top + y) * width + left) as usize;
            start..start + w as usize
        };
        fn keep<T: Copy>(values: &[T], rows: impl Iterator<Item = std::ops::Range<usize>>) -> Vec<T> {
            rows.flat_map(|row| values[row].iter().copied()).collect()
        }
        let all = || (0..h).map(rows);
        let picture = |p: Picture| Picture { width: w, height: h, rgb: keep(&p.rgb, all()), ..p };
        let truth = self.truth.map(|truth| match truth {
            Truth::Stereo(map, seen) => Truth::Stereo(
                Disparity::new(w, h, keep(&map.values, all())),
                seen.map(|seen| keep(&seen, all())),
            ),
            Truth::Flow(map) => Truth::Flow(Flow::new(w, h, keep(&map.vectors, all()))),
        });
        let inputs = Inputs { first: picture(self.inputs.first), second: self.inputs.second.map(picture) };
        Self { inputs, truth, ..self }
    }

    /// With its options, which are tried out.
    fn case(self, options: RunOptions) -> Result<Case> {
        let Self { name, application, inputs, truth, .. } = self;
        let case = Case { name, application, inputs, options, truth };
        case.plan(&case.options)?;
        Ok(case)
    }
}

/// Scenes of one name get the text that they were named by.
fn name_apart(found: &mut [Found]) {
    let names: Vec<String> = found.iter().map(|f| f.name.clone()).collect();
    for (n, one) in found.iter_mut().enumerate() {
        if names.iter().enumerate().any(|(m, name)| m != n && *name == names[n]) {
            one.name.clone_from(&one.text);
        }
    }
}

/// A folder and what was said with it.
#[derive(Debug, PartialEq)]
struct Named {
    path: PathBuf,
    reduce: u32,
    labels: Option<u16>,
}

impl Named {
    fn parse(text: &str) -> Result<Self> {
        let mut named = Self { path: text.into(), reduce: 1, labels: None };
        if named.path.exists() {
            return Ok(named);
        }
        let mut rest = text;
        if let Some((before, labels)) = rest.rsplit_once(':').filter(|(_, n)| !n.contains(['/', '\\'])) {
            let refuse = || Error::usage(format!("'{text}': '{labels}' is no number of labels, 2…256"));
            named.labels = Some(labels.parse().ok().filter(|n| (2..=256).contains(n)).ok_or_else(refuse)?);
            rest = before;
        }
        if let Some((before, factor)) = rest.rsplit_once('@') {
            let refuse = || {
                Error::usage(format!("'{text}': '{factor}' is no reduction; 1/2 to 1/{} are", REDUCE.end()))
            };
            let number = factor.strip_prefix("1/").and_then(|n| n.parse().ok());
            named.reduce = number.filter(|n| REDUCE.contains(n)).ok_or_else(refuse)?;
            rest = before;
        }
        named.path = rest.into();
        Ok(named)
    }
}

/// What the folder holds.
fn kind(folder: &Path) -> Result<(Application, Scene)> {
    if !folder.is_dir() {
        let cause = "no such folder; two pictures are given by --stereo LEFT RIGHT or --flow FRAME1 FRAME2";
        return Err(Error::file("open scene", folder, cause));
    }
    match (Scene::stereo(folder), Scene::flow(folder)) {
        (Ok(scene), _) => Ok((STEREO, scene)),
        (_, Ok(scene)) => Ok((Application::Flow { window: 7 }, scene)),
        (Err(_), Err(_)) => {
            let cause = "it has neither a stereo pair (im0 and im1, imL and imR, im2 and im6, view1 and view5, left and \
                         right) nor two frames (frame10 and frame11, frame1 and frame2)";
            Err(Error::file("use folder", folder, cause))
        }
    }
}

/// Labels of a stereo scene at 1/`reduce` of its size.
fn reach(scene: &Scene, reduce: u32) -> Result<u16> {
    let range = scene.range()?;
    let labels = (range.labels.saturating_sub(1)).div_ceil(reduce) + 1;
    u16::try_from(labels).ok().filter(|n| (2..=256).contains(n)).ok_or_else(|| {
        Error::usage(format!(
            "'{}' needs {labels} labels ({}), but 2…256 are possible; reduce it with '@1/2', or give ':N'",
            scene.folder.display(),
            range.source
        ))
    })
}

fn truth(scene: &Scene, application: &Application, inputs: &Inputs) -> Result<Option<Truth>> {
    if scene.truth.is_none() {
        return Ok(None);
    }
    let size = (inputs.first.width, inputs.first.height);
    let nothing = vec![0; size.0 as usize * size.1 as usize];
    let answer = Answer {
        path: scene.first.clone(),
        field: Field::of_labels(application, size, &nothing),
        application: Some(application.clone()),
        confidence: None,
        note: None,
    };
    let found = TruthFile::open(std::slice::from_ref(&scene.folder), &answer, ReadAs::default())?;
    Ok(match found.fields.into_iter().next() {
        Some(Field::Disparity(map)) => {
            let seen = scene.masks.nonocc.as_deref().map(|path| {
                let mask = Mask::open(path)?;
                inputs.first.check_size("mask", path, (mask.width, mask.height))?;
                Ok::<_, Error>(mask.inside())
            });
            Some(Truth::Stereo(map, seen.transpose()?))
        }
        Some(Field::Flow(map)) => Some(Truth::Flow(map)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_reduction_and_labels() {
        let named = |text: &str| Named::parse(text).unwrap();
        let of = |path: &str, reduce, labels| Named { path: path.into(), reduce, labels };
        assert_eq!(named("no/where"), of("no/where", 1, None));
        assert_eq!(named("no/where@1/3"), of("no/where", 3, None));
        assert_eq!(named("no/where@1/2:28"), of("no/where", 2, Some(28)));
        assert_eq!(named("C:/where"), of("C:/where", 1, None));
        for bad in ["a@1/9", "a@2", "a@1/0", "a:1", "a:257", "a:x", "a@1/2:"] {
            assert!(Named::parse(bad).unwrap_err().is_usage(), "{bad}");
        }
    }

    fn small() -> Found {
        let picture = |offset: u8| Picture {
            path: "p".into(),
            width: 5,
            height: 4,
            rgb: (0..20).map(|i| [i * 10 + offset, i, 255]).collect(),
        };
        let mut values: Vec<f32> = (0..20).map(|i| i as f32).collect();
        values[0] = f32::NAN;
        (values[2], values[3], values[7]) = (f32::NAN, f32::NAN, f32::NAN);
        let mut seen = vec![true; 20];
        seen[11] = false;
        Found {
            name: "p".into(),
            text: "p".into(),
            application: STEREO,
            labels: 5,
            inputs: Inputs { first: picture(0), second: Some(picture(1)) },
            truth: Some(Truth::Stereo(Disparity::new(5, 4, values), Some(seen))),
        }
    }

    #[test]
    fn blocks_have_the_mean_and_their_truth_shrinks() {
        let mut found = small();
        found.reduce(2).unwrap();
        let first = &found.inputs.first;
        assert_eq!((first.width, first.height), (2, 2));
        assert_eq!(first.rgb[0], [30, 3, 255], "of 0, 10, 50 and 60");
        let Some(Truth::Stereo(map, Some(seen))) = &found.truth else { panic!() };
        assert_eq!(map.get(0), Some(2.0), "(1 + 5 + 6) / 3 / 2");
        assert_eq!(map.get(1), None, "three of four are unknown");
        assert_eq!(seen, &[true, true, false, true]);
        assert!(small().reduce(5).is_err());
    }

    #[test]
    fn the_middle_is_kept() {
        let found = small().crop(Some(Size { width: 3, height: 9 }));
        assert_eq!((found.inputs.first.width, found.inputs.first.height), (3, 4));
        assert_eq!(found.inputs.first.rgb[0][0], 10);
        assert_eq!(found.inputs.first.rgb[3][0], 60);
        let Some(Truth::Stereo(map, Some(seen))) = &found.truth else { panic!() };
        assert_eq!((map.get(5), seen.len(), seen[6]), (Some(8.0), 12, false));
    }
}
