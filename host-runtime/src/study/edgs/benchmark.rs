//! The benchmarks of chapter 4: their fields, the parameters of Table 4.2, and how good a labelling is.

use crate::app::{Application, PairForm, SingletonForm};
use crate::backend::cuda::edgs::Model;
use crate::error::{Error, Result};
use crate::formats::{Field, LabelMap, ReadAs};
use crate::measure::answer::{Answer, Truth};
use crate::measure::segment;
use crate::options::{Anneal, Iterations, RunOptions};
use crate::picture::Picture;
use crate::plan::{Inputs, Plan, plan};
use crate::study::parameters::{Collect, ModelOptions, Parameters};
use crate::study::scene::{self, Case, SceneOptions};
use spa_model::{Job, Schedule};
use std::fmt;
use std::path::{Path, PathBuf};

/// What is explored together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Stereo vision.
    Stereo,
    /// Motion estimation with a window of this side.
    Flow(u16),
    /// Image segmentation.
    Segment,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stereo => write!(f, "stereo vision"),
            Self::Flow(side) => write!(f, "motion {side}x{side}"),
            Self::Segment => write!(f, "segmentation"),
        }
    }
}

impl Group {
    /// Name of its measure of quality.
    pub fn measure(self) -> &'static str {
        match self {
            Self::Stereo => "bad pixels > 1, %",
            Self::Flow(_) => "end-point error, pixels",
            Self::Segment => "variation of information, bits",
        }
    }
}

/// A field to be run.
#[derive(Debug)]
pub struct Benchmark {
    /// Its name.
    pub name: String,
    /// Its application.
    pub group: Group,
    /// The field.
    pub job: Job,
    /// Energies and temperatures.
    pub model: Model,
    weights: (f64, f64),
    /// Temperatures as people give them.
    cooling: (f64, f64),
    application: Application,
    truth: Reference,
}

#[derive(Debug)]
enum Reference {
    Scene(Box<Case>),
    Segmentations(Vec<LabelMap>),
}

/// What `spa study edgs` runs.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Stereo and flow scenes, as [`scene::open`] takes them.
    pub scenes: Vec<String>,
    /// Sides of the windows of flow.
    pub windows: Vec<u16>,
    /// Pictures to segment, or folders with one and human segmentations.
    pub segment: Vec<PathBuf>,
    /// Numbers of classes.
    pub classes: Vec<u16>,
    /// Iterations in place of Table 4.2's.
    pub iterations: Option<u32>,
}

/// Weights and first temperature of segmentation, and its iterations (Table 4.2).
const SEGMENT: (f64, f64, f64, u32) = (0.01, 16.0, 10.0, 100);

/// Steps of the annealing: the dissertation does not say how it cools.
const STEPS: u32 = 25;

/// Opens all benchmarks, those of one application together.
///
/// # Errors
/// As [`scene::open`]; [`Error::Usage`] if nothing is named.
pub fn open(wanted: &Wanted) -> Result<Vec<Benchmark>> {
    let mut all = Vec::new();
    if !wanted.scenes.is_empty() {
        for (n, &window) in wanted.windows.iter().enumerate() {
            let scenes = SceneOptions { scenes: wanted.scenes.clone(), ..SceneOptions::default() };
            let model = ModelOptions {
                window: Some(window),
                iterations: wanted.iterations,
                ..ModelOptions::default()
            };
            for case in scene::open(&scenes, &model, Parameters::Table42, Collect::LastThousand)? {
                // Stereo does not depend on the window.
                if matches!(case.application, Application::Flow { .. }) || n == 0 {
                    all.push(of_scene(case, window)?);
                }
            }
        }
    }
    for path in &wanted.segment {
        for &classes in &wanted.classes {
            all.push(of_picture(path, classes, wanted.iterations)?);
        }
    }
    if all.is_empty() {
        return Err(Error::usage("no benchmark is given; name scenes, or pictures with --segment"));
    }
    let rank = |group: Group| match group {
        Group::Stereo => 0,
        Group::Flow(side) => side,
        Group::Segment => u16::MAX,
    };
    all.sort_by_key(|benchmark| rank(benchmark.group));
    Ok(all)
}

fn of_scene(mut case: Case, window: u16) -> Result<Benchmark> {
    let group = match case.application {
        Application::Flow { .. } => Group::Flow(window),
        _ => Group::Stereo,
    };
    if group != Group::Stereo {
        // Section 4.4.2: the square of the difference.
        case.options.pair = Some(PairForm::Squared);
    }
    let plan = case.plan(&case.options)?;
    let steps = plan.job.run().schedule.steps();
    let real = |t: f64| t / plan.mapping.temperature_factor;
    let cooling = match steps {
        [first, .., last] => (real(first.temperature), real(last.temperature)),
        _ => return Err(Error::usage("the exploration needs a falling temperature")),
    };
    let name = match group {
        Group::Flow(side) => format!("{} {side}x{side}", case.name),
        _ => case.name.clone(),
    };
    benchmark(
        name,
        group,
        plan.clone(),
        (plan.mapping.real_alpha, plan.mapping.real_beta),
        cooling,
        Reference::Scene(Box::new(case)),
    )
}

fn of_picture(path: &Path, classes: u16, iterations: Option<u32>) -> Result<Benchmark> {
    let (alpha, beta, t0, usual) = SEGMENT;
    let picture = if path.is_dir() { path.join("image.jpg") } else { path.to_path_buf() };
    let inputs = Inputs { first: Picture::open(&picture)?, second: None };
    let options = RunOptions {
        labels: Some(classes),
        // Those of Table 4.2 do not fit eight bits: the model has them.
        alpha: Some(1.0),
        beta: Some(1.0),
        cap: Some(1),
        data_cap: Some(u16::MAX),
        singleton: Some(SingletonForm::Squared),
        pair: Some(PairForm::Potts),
        anneal: Some(Anneal { from: t0, to: 1.0, steps: Some(STEPS) }),
        iterations: Some(Iterations::Count(iterations.unwrap_or(usual))),
        start: Some("random".into()),
        energy_bits: Some(16),
        ..RunOptions::default()
    };
    let plan = plan(&Application::Segment, &options, None, &inputs)?;
    let size = (inputs.first.width, inputs.first.height);
    let truth = segmentations(path, &picture, size)?;
    let stem = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let name = format!("{} {classes}", stem.unwrap_or_default().to_string_lossy());
    benchmark(name, Group::Segment, plan, (alpha, beta), (t0, 1.0), truth)
}

/// The human segmentations of a folder; none of a picture alone.
fn segmentations(path: &Path, picture: &Path, (width, height): (u32, u32)) -> Result<Reference> {
    if !path.is_dir() {
        return Ok(Reference::Segmentations(Vec::new()));
    }
    let nothing = LabelMap { width, height, values: vec![0; (width * height) as usize] };
    let answer = Answer {
        path: picture.to_path_buf(),
        field: Field::Labels(nothing),
        application: None,
        confidence: None,
        note: None,
    };
    let truth = Truth::open(&[path.to_path_buf()], &answer, ReadAs::default())?;
    let maps = truth.fields.into_iter().filter_map(|field| match field {
        Field::Labels(map) => Some(map),
        _ => None,
    });
    Ok(Reference::Segmentations(maps.collect()))
}

fn benchmark(
    name: String,
    group: Group,
    plan: Plan,
    weights: (f64, f64),
    cooling: (f64, f64),
    truth: Reference,
) -> Result<Benchmark> {
    let model = model(weights, cooling, plan.job.iterations())?;
    Ok(Benchmark {
        name,
        group,
        job: plan.job,
        model,
        weights,
        cooling,
        application: plan.application,
        truth,
    })
}

fn model((alpha, beta): (f64, f64), (from, to): (f64, f64), iterations: u32) -> Result<Model> {
    let schedule = Schedule::anneal(from, to, STEPS.min(iterations), iterations)?;
    Model::new(alpha, beta, &schedule).map_err(Error::usage)
}

impl Benchmark {
    /// Its model, cooled in so many iterations instead of its own.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn model_of(&self, iterations: Option<u32>) -> Result<Model> {
        model(self.weights, self.cooling, iterations.unwrap_or(self.job.iterations()))
    }

    /// Weights as people give them, and first and last temperature.
    pub fn parameters(&self) -> ((f64, f64), (f64, f64)) {
        (self.weights, self.cooling)
    }

    /// How good a labelling is, by [`Group::measure`]; none without ground truth.
    pub fn quality(&self, labels: &[u8]) -> Option<f64> {
        match &self.truth {
            Reference::Scene(case) => case.quality(&self.application, labels).map(scene::Quality::value),
            Reference::Segmentations(maps) => {
                let vi = |map: &LabelMap| segment::variation_of_information(labels, &map.values);
                (!maps.is_empty()).then(|| maps.iter().map(vi).sum::<f64>() / maps.len() as f64)
            }
        }
    }
}
