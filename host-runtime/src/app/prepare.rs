//! From options to the job whose results are written: cost tables, passes over other views or sizes, and what is made of the
//! histogram afterwards.

use super::{Application, flow, is_foreign, preset, restore, segment, stereo, takers};
use crate::blocks::{Source, map};
use crate::error::{Error, Result};
use crate::formats::{self, Field};
use crate::memory;
use crate::npy;
use crate::options::RunOptions;
use crate::output::{Output, write_png};
use crate::plan::{Inputs, Plan, plan};
use crate::uncertainty::Scale;
use spa_model::{Count, Singleton};
use spagen::Build;

/// A run before the last one: `run 1 of 3 (other view)`.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// What for.
    pub what: &'static str,
    /// Its number, from 1 on.
    pub number: u32,
    /// Runs in all, the last one included.
    pub of: u32,
}

impl std::fmt::Display for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "run {} of {} ({})", self.number, self.of, self.what)
    }
}

/// Runs a plan before the last one and gives its histogram.
pub type Runner<'a> = &'a mut dyn FnMut(&Plan, Pass) -> anyhow::Result<Box<dyn Source<u16>>>;

/// What is known before the last run.
#[derive(Debug)]
pub struct Prepared {
    /// The job whose results are written.
    pub plan: Plan,
    /// What is made of its histogram.
    pub finish: Finish,
    /// Runs that came before.
    pub passes: u32,
}

/// What is made of the last histogram.
#[derive(Debug)]
pub enum Finish {
    /// Nothing.
    Nothing,
    /// Disparities and occlusions.
    Stereo(stereo::Finish),
    /// Displacements.
    Flow(flow::Finish),
    /// Grey values.
    Restore(restore::Finish),
}

/// Values of an extra result.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Disparities in pixels, to `.npy`; what the formats of others hold in place of the mode.
    Disparities(Vec<f32>),
    /// Motion (x, y) in pixels, to `.npy`; what the formats of others hold in place of the mode.
    Vectors(Vec<[f32; 2]>),
    /// Other numbers, to `.npy`.
    Float(Vec<f32>),
    /// Small numbers, to `.npy`.
    Byte(Vec<u8>),
    /// A grey picture, to `.png`.
    Grey(Vec<u8>),
    /// A colour picture, to `.png`.
    Colour(Vec<[u8; 3]>),
}

/// A result beside labels and histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Extra {
    /// Name of its file.
    pub name: &'static str,
    /// Lengths of its dimensions: height, width, and further ones.
    pub shape: Vec<u64>,
    /// Its values, C order.
    pub values: Values,
}

/// Names of all extra results.
pub const FILES: [&str; 7] = [
    "disparity.npy",
    "occlusion.npy",
    "occlusion.png",
    "flow.npy",
    "flow.png",
    "restored.npy",
    "restored.png",
];

/// Above this share of motions at the edge of the window, there are probably longer ones: scenes that fit have less than 0.1%.
const AT_THE_EDGE: f64 = 0.02;

/// Writes extra results.
///
/// # Errors
/// [`Error::File`] if a file cannot be written.
pub fn write_extras(output: &Output, extras: &[Extra]) -> Result<()> {
    for extra in extras {
        let path = output.path(extra.name);
        match &extra.values {
            Values::Disparities(values) | Values::Float(values) => npy::write(&path, &extra.shape, values)?,
            Values::Vectors(vectors) => npy::write(&path, &extra.shape, vectors.as_flattened())?,
            Values::Byte(values) => npy::write(&path, &extra.shape, values)?,
            Values::Grey(values) => {
                write_png(&path, extra.shape[1] as u32, extra.shape[0] as u32, 1, values)?;
            }
            Values::Colour(values) => {
                let (width, height) = (extra.shape[1] as u32, extra.shape[0] as u32);
                write_png(&path, width, height, 3, values.as_flattened())?;
            }
        }
    }
    Ok(())
}

/// Makes the last job of `application`, running others before it where options or preset ask for them.
///
/// # Errors
/// As [`plan`]; whatever `run` answers.
pub fn prepare(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
    run: Runner<'_>,
) -> anyhow::Result<Prepared> {
    refuse_foreign(application, options)?;
    let options = &options.clone().or(preset::options(application, options, inputs.first.size()));
    match application {
        Application::Stereo { .. } => stereo::prepare(application, options, build, inputs, run),
        Application::Flow { .. } => flow::prepare(application, options, build, inputs, run),
        Application::Segment => Ok(segment::prepare(application, options, build, inputs)?),
        Application::Restore => Ok(restore::prepare(application, options, build, inputs)?),
        Application::Infer => Ok(Prepared::plain(plan(application, options, build, inputs)?)),
    }
}

impl Prepared {
    /// A job without anything before or after it.
    pub fn plain(plan: Plan) -> Self {
        Self { plan, finish: Finish::Nothing, passes: 0 }
    }

    /// Options of the application as they were used, and how many runs came before the last one; for the summary.
    ///
    /// # Errors
    /// Never: names and numbers can always be written.
    pub fn settings(&self, options: &RunOptions) -> serde_json::Result<serde_json::Value> {
        let size = (self.plan.job.problem().width, self.plan.job.problem().height);
        let used = options.clone().or(preset::options(&self.plan.application, options, size));
        let mut settings = serde_json::to_value(used.application)?;
        if let Some(map) = settings.as_object_mut() {
            map.insert("passes".to_string(), self.passes.into());
        }
        Ok(settings)
    }

    /// True if a label is a whole number of pixels, as pictures and the report take it.
    pub fn labels_are_pixels(&self) -> bool {
        match &self.finish {
            Finish::Stereo(finish) => finish.labels_are_pixels(),
            Finish::Flow(finish) => finish.labels_are_pixels(),
            Finish::Nothing | Finish::Restore(_) => true,
        }
    }

    /// Labels whose every place lies outside the other picture: they cost the same everywhere, so nothing speaks for or against
    /// them. How many of how many, or none.
    pub fn beyond_the_picture(&self) -> Option<(usize, usize)> {
        let Finish::Stereo(finish) = &self.finish else { return None };
        let problem = self.plan.job.problem();
        let width = f64::from(problem.width);
        let all = usize::from(problem.labels);
        let beyond = (0..problem.labels).filter(|&l| finish.disparity(l).abs() >= width).count();
        (beyond > 0).then_some((beyond, all))
    }

    /// What the most frequent labels, `mode`, say against the parameters: motions that may be longer than the window holds.
    pub fn doubt(&self, mode: &[u8]) -> Option<String> {
        let Finish::Flow(finish) = &self.finish else { return None };
        let (share, far) = finish.at_the_edge(mode).filter(|&(share, _)| share > AT_THE_EDGE)?;
        Some(format!(
            "{:.1}% of the pixels move by {far} px, the edge of the window, so motions may be longer: --levels 2 finds them up to twice as \
             long, or take a larger --window",
            100.0 * share
        ))
    }

    /// What labels measure, in pixels or grey levels.
    pub fn scale(&self) -> Scale {
        let problem = self.plan.job.problem();
        match &self.finish {
            Finish::Stereo(finish) => finish.scale(problem.labels),
            Finish::Flow(finish) => finish.scale(),
            Finish::Nothing | Finish::Restore(_) => {
                Scale::of(&self.plan.application, problem.labels, &problem.pair)
            }
        }
    }

    /// What the most frequent labels, `mode`, mean.
    pub fn field(&self, mode: &[u8]) -> Field {
        let problem = self.plan.job.problem();
        let size = (problem.width, problem.height);
        match &self.finish {
            Finish::Stereo(finish) => finish.field(size, mode),
            Finish::Flow(finish) => finish.field(size, mode),
            _ => Field::of_labels(&self.plan.application, size, mode),
        }
    }

    /// What the formats of others hold: disparities or motion among `extras`, else classes, `mode`.
    pub fn measured(&self, extras: &[Extra], mode: &[u8]) -> Field {
        let problem = self.plan.job.problem();
        let (width, height) = (problem.width, problem.height);
        let found = extras.iter().find_map(|extra| match &extra.values {
            Values::Disparities(values) => {
                Some(Field::Disparity(formats::Disparity::new(width, height, values.clone())))
            }
            Values::Vectors(vectors) => Some(Field::Flow(formats::Flow::new(width, height, vectors.clone()))),
            _ => None,
        });
        found.unwrap_or_else(|| self.field(mode))
    }

    /// Extra results of the last run, which drew `source` with the most frequent labels `mode`.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn extras<C: Count>(&self, source: &dyn Source<C>, mode: &[u8]) -> Result<Vec<Extra>> {
        let problem = self.plan.job.problem();
        let plane = [u64::from(problem.height), u64::from(problem.width)];
        match &self.finish {
            Finish::Nothing => Ok(Vec::new()),
            Finish::Stereo(finish) => finish.extras(plane, source, mode),
            Finish::Flow(finish) => finish.extras(plane, source),
            Finish::Restore(finish) => finish.extras(plane, source),
        }
    }
}

/// Refuses options of other applications.
pub(super) fn refuse_foreign(application: &Application, options: &RunOptions) -> Result<()> {
    let o = &options.application;
    let name = application.name();
    let all = [
        (o.data.is_some(), "data"),
        (o.support.is_some(), "support"),
        (o.grid.is_some(), "grid"),
        (o.reference.is_some(), "reference"),
        (o.occlusion.is_some(), "occlusion"),
        (o.levels.is_some(), "levels"),
        (o.colours.is_some(), "colours"),
        (o.colour, "colour"),
        (o.scribbles.is_some(), "scribbles"),
        (o.mask.is_some(), "mask"),
        (options.outside.is_some(), "outside"),
        (options.singleton.is_some(), "singleton"),
    ];
    if let Some((_, option)) = all.into_iter().find(|&(given, option)| given && is_foreign(option, name)) {
        let takers: Vec<String> =
            takers(option).unwrap_or_default().iter().map(|name| format!("'{name}'")).collect();
        let takers = takers.join(" and ");
        return Err(Error::usage(format!("--{option} is for {takers} only, not for '{name}'")));
    }
    let table = o.data.is_some_and(|term| term != crate::costs::DataTerm::Plain);
    if table && (options.costs.is_some() || options.singleton.is_some()) {
        return Err(Error::usage("--data, --costs and --singleton exclude each other; keep one"));
    }
    if o.support.unwrap_or(0) > 0 && options.costs.is_some() {
        return Err(Error::usage("--support and --costs exclude each other; keep one"));
    }
    let limits = [
        ("grid", o.grid, 1, 8, "1…8"),
        ("levels", o.levels, 1, 8, "1…8"),
        ("support", o.support, 0, 1000, "0…1000"),
    ];
    for (option, value, least, most, allowed) in limits {
        if let Some(value) = value.filter(|v| !(least..=most).contains(v)) {
            return Err(spa_model::Error::range(option, value, allowed).into());
        }
    }
    Ok(())
}

/// All costs of a problem as a table, capped.
///
/// # Errors
/// [`Error::Memory`] if there is too little for it.
pub fn tabulate(plan: &Plan) -> Result<Vec<u16>> {
    let problem = plan.job.problem();
    memory::check_table((problem.width, problem.height), problem.labels)?;
    if let Singleton::Table { costs } = &problem.singleton {
        return Ok(costs.clone());
    }
    let labels = usize::from(problem.labels);
    let mut costs = Vec::with_capacity(problem.rvs() * labels);
    for y in 0..problem.height {
        for x in 0..problem.width {
            // At most 65,535: caps are u16.
            costs.extend((0..labels).map(|l| problem.singleton_cost(x, y, l) as u16));
        }
    }
    Ok(costs)
}

/// Mean of the labels drawn for every RV.
///
/// # Errors
/// As [`Source::each`].
pub fn mean_labels<C: Count>(source: &dyn Source<C>) -> Result<Vec<f32>> {
    let of = |_, row: &[C]| {
        let (mut sum, mut weighted) = (0_u64, 0_u64);
        for (l, &count) in row.iter().enumerate() {
            let count = u64::from(count.into());
            sum += count;
            weighted += count * l as u64;
        }
        (weighted as f64 / sum.max(1) as f64) as f32
    };
    map(source, of)
}
