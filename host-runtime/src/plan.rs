//! From options and pictures to a checked job: defaults, the mapping of real parameters, files that belong to it.

mod planes;

pub(crate) use self::planes::{read_mask, read_plane};

use self::planes::resolve_start;
use crate::app::{Application, Cooling, PairForm, SingletonForm, restore};
use crate::contrast::{self, EDGE_UNIT};
use crate::error::{Error, Result};
use crate::options::{Iterations, RunOptions};
use crate::picture::Picture;
use crate::{fit, kmeans, npy, schedule_file};
use serde::{Deserialize, Serialize};
use spa_model::job::{line_vectors, stereo_offsets, window_offsets};
use spa_model::real::{IntegerParameters, potts_to_integers, to_integers};
use spa_model::{ArrayShape, Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start};
use spagen::Build;

/// Pictures of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Left picture, frame 1, or the picture to segment.
    pub first: Picture,
    /// Right picture or frame 2.
    pub second: Option<Picture>,
}

/// What people gave and what the machine gets (contract §3, "Real parameters").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// Weight of the data term as given.
    pub real_alpha: f64,
    /// Weight of the smoothness term as given.
    pub real_beta: f64,
    /// Cap of the smoothness term as given.
    pub real_cap: u8,
    /// Integer α.
    pub alpha: u8,
    /// Integer β.
    pub beta: u8,
    /// Cap of V.
    pub cap: u8,
    /// Right shift.
    pub shift: u8,
    /// Factor from real to integer temperatures.
    pub temperature_factor: f64,
    /// Largest relative error of the weights.
    pub relative_error: f64,
    /// Where costs are real numbers (`infer`): largest |rounded − real| of a cost or a pair cost, in last temperatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<f64>,
    /// Edge weight at which the smoothness term has its weight as given; none without edge weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_unit: Option<u8>,
}

impl std::fmt::Display for Mapping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "alpha {}, beta {}, cap {} -> integers alpha {}, beta {}, cap {}, shift {}; temperatures x {} \
             ({})",
            self.real_alpha,
            self.real_beta,
            self.real_cap,
            self.alpha,
            self.beta,
            self.cap,
            self.shift,
            match self.temperature_factor {
                small @ ..1e-3 => format!("{small:.6e}"),
                factor => format!("{factor:.6}"),
            },
            match self.rounding {
                Some(rounding) => format!("rounding: at most {rounding:.1e} of the last temperature"),
                None => format!("relative error {:.1e}", self.relative_error),
            }
        )?;
        match self.edge_unit {
            Some(unit) => write!(f, ", beta for an edge weight of {unit}"),
            None => Ok(()),
        }
    }
}

/// A job ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Application with its own parameters.
    pub application: Application,
    /// The job.
    pub job: Job,
    /// How its parameters came about.
    pub mapping: Mapping,
    /// Grey value of every class, of a segmentation.
    pub values: Option<Vec<u8>>,
}

impl Plan {
    /// Steps of the total energy in one unit of alpha and beta as people give them.
    pub fn energy_unit(&self) -> f64 {
        libm::scalbn(self.mapping.temperature_factor, self.job.problem().shift.into())
    }
}

/// Parts of a job that an application works out itself; the rest comes from options and files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Special {
    /// Data term.
    pub singleton: Option<Singleton>,
    /// Initial labels.
    pub start: Option<Start>,
    /// Evidence, H×W.
    pub fixed: Option<Vec<bool>>,
    /// Grey values of classes, for the summary.
    pub values: Option<Vec<u8>>,
    /// Pair term.
    pub pair: Option<Pair>,
    /// Integer weights and the cap of V, instead of the mapping of contract §3.
    pub integers: Option<(IntegerParameters, u8)>,
    /// Largest rounding of real costs, in last temperatures.
    pub rounding: Option<f64>,
}

/// Makes the job of `options` for `inputs`; `application` carries the kind, options its details.
///
/// # Errors
/// [`Error::Usage`] and [`spa_model::Error::Range`] for parameters, [`Error::Unfit`] if the build was made for others,
/// [`Error::SizeMismatch`] and [`Error::File`] for files.
pub fn plan(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
) -> Result<Plan> {
    plan_with(application, options, build, inputs, Special::default())
}

/// [`plan`] with parts that are known already.
///
/// # Errors
/// As [`plan`].
pub fn plan_with(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
    special: Special,
) -> Result<Plan> {
    let application = resolve_application(application, options)?;
    if let Some(second) = &inputs.second {
        inputs.first.check_same_size(second)?;
    }
    let defaults = application.defaults();
    let limit = build.map_or(256, |build| build.hardware().labels_max() as u16);
    let wanted = options.label_bits.map_or(limit, |bits| 1 << bits.clamp(1, 8));
    let labels = options.labels.unwrap_or(match application {
        Application::Flow { .. } => defaults.labels,
        _ => defaults.labels.min(limit).min(wanted),
    });
    let hardware = resolve_hardware(options, build, labels)?;

    let (real_alpha, real_beta) =
        (options.alpha.unwrap_or(defaults.alpha), options.beta.unwrap_or(defaults.beta));
    check_weights(real_alpha, real_beta)?;
    let real_cap = options.cap.unwrap_or(defaults.cap);
    if real_cap == 0 {
        return Err(spa_model::Error::range("cap", 0, "1…255").into());
    }
    let form = options.pair.unwrap_or(defaults.pair);
    let pair = match special.pair {
        Some(pair) => pair,
        None => resolve_pair(options, form, labels)?,
    };
    let edge_weights = resolve_edges(options, &inputs.first)?;
    // Edge weights count in parts of the smoothness term as given.
    let edge_beta = if edge_weights.is_some() { real_beta / f64::from(EDGE_UNIT) } else { real_beta };
    let fail =
        |error| far_apart(error, (real_alpha, real_beta), (pair == Pair::Potts, edge_weights.is_some()));
    let (integers, cap) = match special.integers {
        Some(known) => known,
        None if matches!(pair, Pair::Potts) => {
            potts_to_integers(real_alpha, edge_beta * f64::from(real_cap)).map_err(fail)?
        }
        None => (to_integers(real_alpha, edge_beta).map_err(fail)?, real_cap),
    };

    let schedule = resolve_schedule(options, defaults.cooling, defaults.iterations)?;
    let run = Run {
        burn_in: options.burn_in.unwrap_or_else(|| schedule.default_burn_in()),
        schedule: schedule.scaled(integers.temperature_factor)?,
        seed: options.seed.unwrap_or(0),
        chain: options.chain.unwrap_or(0),
        start: match special.start {
            Some(start) => start,
            None => resolve_start(options, &inputs.first, labels)?,
        },
        cutoff: options.cutoff,
    };
    let data_cap = options.data_cap.unwrap_or(defaults.data_cap);
    let (singleton, values) = match special.singleton {
        Some(singleton) => (singleton, special.values),
        None => resolve_singleton(&application, options, defaults.singleton, &hardware, labels, inputs)?,
    };
    let vectors = match application {
        Application::Flow { window } => window_offsets(window),
        _ => line_vectors(labels),
    };
    let problem = Problem {
        width: inputs.first.width,
        height: inputs.first.height,
        labels,
        singleton,
        data_cap,
        s_outside: options.outside.or(options.data_cap).unwrap_or(defaults.outside),
        pair,
        pair_cap: cap,
        vectors,
        alpha: integers.alpha,
        beta: integers.beta,
        shift: integers.shift,
        fixed: match special.fixed {
            Some(fixed) => Some(fixed),
            None => options
                .fixed
                .as_deref()
                .map(|path| read_mask("evidence mask", path, &inputs.first))
                .transpose()?,
        },
        edge_weights,
    };
    let mapping = Mapping {
        real_alpha,
        real_beta,
        real_cap,
        alpha: integers.alpha,
        beta: integers.beta,
        cap,
        shift: integers.shift,
        temperature_factor: integers.temperature_factor,
        relative_error: integers.relative_error,
        rounding: special.rounding,
        edge_unit: problem.edge_weights.as_ref().map(|_| EDGE_UNIT),
    };
    let job = Job::new(hardware, problem, run)?;
    if let Some(build) = build.filter(|build| *build.hardware() != hardware) {
        fit::check(build, options, &job)?;
    }
    Ok(Plan { application, job, mapping, values })
}

/// A refusal of weights, in the numbers that people gave.
fn far_apart(error: spa_model::Error, (alpha, beta): (f64, f64), (potts, edges): (bool, bool)) -> Error {
    let sound = |weight: f64| weight.is_finite() && weight >= 0.0;
    if !sound(alpha) || !sound(beta) || alpha.max(beta) == 0.0 {
        return error.into();
    }
    let shown = |weight: f64| match weight {
        0.0 | 1e-4..1e7 => weight.to_string(),
        _ => format!("{weight:e}"),
    };
    let what = match (potts, edges) {
        (false, false) => "beta",
        (true, false) => "beta times cap",
        (false, true) => "an eighth of beta (with edge weights)",
        (true, true) => "an eighth of beta times cap (with edge weights)",
    };
    let most = if potts { 510 * 255 } else { 510 };
    Error::usage(format!(
        "alpha is {} and beta {}, but alpha and {what} may be a factor of {most} apart at most, and neither below \
         0.000016, for they are kept in eight bits; bring them nearer to each other, or multiply both and the temperature by \
         the same number",
        shown(alpha),
        shown(beta)
    ))
}

/// Largest weight that is taken: more is a slip, and leaves nothing of the temperatures that people give beside it.
const WEIGHT_MOST: f64 = 1e9;

/// Refuses weights of the data and the smoothness term that are none.
///
/// # Errors
/// [`spa_model::Error::Range`] names the weight.
pub fn check_weights(alpha: f64, beta: f64) -> Result<()> {
    for (name, value) in [("alpha", alpha), ("beta", beta)] {
        if !(0.0..=WEIGHT_MOST).contains(&value) {
            let shown = if value.abs() < 1e7 { value.to_string() } else { format!("{value:e}") };
            return Err(spa_model::Error::range(name, shown, "a finite number, 0…1e9").into());
        }
    }
    Ok(())
}

fn resolve_application(application: &Application, options: &RunOptions) -> Result<Application> {
    let only = |given: bool, name: &str, of: &str| {
        if given {
            let text = format!("--{name} is for '{of}' only, not for '{}'", application.name());
            return Err(Error::usage(text));
        }
        Ok(())
    };
    if !matches!(application, Application::Stereo { .. }) {
        only(options.dmin.is_some(), "dmin", "stereo")?;
    }
    if !matches!(application, Application::Flow { .. }) {
        only(options.window.is_some(), "window", "flow")?;
    }
    if !matches!(application, Application::Segment) {
        only(options.values.is_some(), "values", "segment")?;
    }
    Ok(match application {
        Application::Stereo { dmin } => Application::Stereo { dmin: options.dmin.unwrap_or(*dmin) },
        Application::Segment | Application::Restore | Application::Infer => application.clone(),
        Application::Flow { window } => {
            let window = match (options.window, options.labels) {
                (Some(window), _) => window,
                (None, Some(labels)) => crate::synth::window_of(labels)?,
                (None, None) => *window,
            };
            if !(3..=15).contains(&window) || window % 2 == 0 {
                let allowed = "an odd side from 3 to 15 (9 to 225 labels)";
                return Err(spa_model::Error::range("window", window, allowed).into());
            }
            if let Some(labels) = options.labels.filter(|&labels| labels != window * window) {
                return Err(Error::usage(format!(
                    "labels is {labels}, but a window of side {window} has {}; give one of the two",
                    window * window
                )));
            }
            Application::Flow { window }
        }
    })
}

/// The hardware part: that of the build, or the defaults, with what was asked for; label_bits is what the labels need, at
/// least that of the build.
fn resolve_hardware(options: &RunOptions, build: Option<&Build>, labels: u16) -> Result<Hardware> {
    let base = build.map_or_else(Hardware::default, |build| *build.hardware());
    let asked = Hardware {
        label_bits: options.label_bits.unwrap_or(base.label_bits),
        singleton_bits: options.singleton_bits.unwrap_or(base.singleton_bits),
        energy_bits: options.energy_bits.unwrap_or(base.energy_bits),
        p_bits: options.p_bits.unwrap_or(base.p_bits),
        u_bits: options.u_bits.unwrap_or(base.u_bits),
        count_bits: options.count_bits.unwrap_or(base.count_bits),
        weights: options.weights.unwrap_or(base.weights),
    };
    if !(2..=256).contains(&labels) {
        return Err(spa_model::Error::range("labels", labels, "2…256").into());
    }
    let needed = ArrayShape::bits_for(labels.into()) as u8;
    // A build that is too narrow is refused with everything else that it lacks, once the job is known.
    let label_bits = options.label_bits.unwrap_or(base.label_bits.max(needed));
    Ok(Hardware { label_bits, ..asked })
}

/// The first value that another one repeats.
pub(crate) fn twice<T: PartialEq + Copy>(values: &[T]) -> Option<T> {
    (1..values.len()).find(|&i| values[..i].contains(&values[i])).map(|i| values[i])
}

fn resolve_edges(options: &RunOptions, picture: &Picture) -> Result<Option<Vec<u8>>> {
    Ok(match (&options.edge_weights, &options.contrast) {
        (Some(path), _) => Some(contrast::read(path, picture)?),
        (None, Some(contrast)) => Some(contrast.weights(picture)?),
        (None, None) => None,
    })
}

fn resolve_pair(options: &RunOptions, form: PairForm, labels: u16) -> Result<Pair> {
    let Some(path) = &options.pair_table else {
        return Ok(match form {
            PairForm::Abs => Pair::Abs,
            PairForm::Squared => Pair::Squared,
            PairForm::Potts => Pair::Potts,
        });
    };
    let (width, height, table) = npy::read_plane(path)?;
    if width != u32::from(labels) || height != u32::from(labels) {
        let cause =
            format!("its shape is ({height}, {width}), but {labels} labels need ({labels}, {labels})");
        return Err(Error::file("use pair table", path, cause));
    }
    Ok(Pair::Table(table))
}

/// Temperatures as people give them, before the mapping.
fn resolve_schedule(options: &RunOptions, cooling: Cooling, default_iterations: u32) -> Result<Schedule> {
    if let Some(path) = &options.schedule {
        let schedule = schedule_file::read(path)?;
        let total = schedule.iterations();
        return match options.iterations.and_then(Iterations::count) {
            Some(given) if given != total => Err(Error::usage(format!(
                "iterations is {given}, but the schedule '{}' has {total}; leave --iterations out or change one",
                path.display()
            ))),
            _ => Ok(schedule),
        };
    }
    let iterations = options.iterations.and_then(Iterations::count).unwrap_or(default_iterations);
    if iterations == 0 {
        return Err(spa_model::Error::range("iterations", 0, "1…16777214").into());
    }
    let steps_default = spa_model::schedule::ANNEAL_STEPS.min(iterations);
    Ok(if let Some(temperature) = options.temperature {
        Schedule::constant(temperature, iterations)?
    } else if let Some(anneal) = options.anneal {
        Schedule::anneal(anneal.from, anneal.to, anneal.steps.unwrap_or(steps_default), iterations)?
    } else {
        match cooling {
            Cooling::Constant(temperature) => Schedule::constant(temperature, iterations)?,
            // One iteration cannot cool: it gets the final temperature.
            Cooling::Anneal(_, to, _) if iterations == 1 => Schedule::constant(to, 1)?,
            Cooling::Anneal(from, to, steps) => {
                Schedule::anneal(from, to, steps.min(iterations), iterations)?
            }
        }
    })
}

fn resolve_singleton(
    application: &Application,
    options: &RunOptions,
    default: SingletonForm,
    hardware: &Hardware,
    labels: u16,
    inputs: &Inputs,
) -> Result<(Singleton, Option<Vec<u8>>)> {
    let (width, height) = (inputs.first.width, inputs.first.height);
    if let Some(path) = &options.costs {
        let array = npy::read(path)?;
        let needed = [u64::from(height), u64::from(width), u64::from(labels)];
        if array.shape != needed {
            let cause =
                format!("its shape is {:?}, but {needed:?} (height, width, labels) is needed", array.shape);
            return Err(Error::file("use costs", path, cause));
        }
        return Ok((Singleton::Table { costs: array.values }, None));
    }
    let form = match options.singleton.unwrap_or(default) {
        SingletonForm::Abs => Difference::Abs,
        SingletonForm::Squared => Difference::Squared,
    };
    hardware.validate()?;
    let bits = hardware.singleton_bits;
    let first = inputs.first.grey(bits);
    let second = inputs.second.as_ref().map(|picture| picture.grey(bits)).unwrap_or_default();
    Ok(match application {
        Application::Stereo { dmin } => {
            // Offsets reach 2048 pixels; the sum cannot overflow after this check.
            let last = i32::from(*dmin) + i32::from(labels) - 1;
            if i32::from(*dmin) < -2047 || last > 2048 {
                let allowed = format!("-2047…{} with {labels} labels", 2049 - i32::from(labels));
                return Err(spa_model::Error::range("dmin", dmin, allowed).into());
            }
            let offsets = stereo_offsets(labels, *dmin);
            (Singleton::Pixels { form, first, second, offsets }, None)
        }
        Application::Flow { window } => {
            (Singleton::Pixels { form, first, second, offsets: window_offsets(*window) }, None)
        }
        Application::Restore => {
            let values: Vec<u8> = (0..labels).map(|l| restore::value(l, labels)).collect();
            let cut = values.iter().map(|v| v >> (8 - bits)).collect();
            (Singleton::Values { form, first, values: cut }, Some(values))
        }
        Application::Infer => return Err(Error::usage("a field needs its costs: unary or --costs")),
        Application::Segment => {
            let values = match &options.values {
                Some(values) if values.len() != usize::from(labels) => {
                    return Err(Error::usage(format!(
                        "values has {} numbers, but there are {labels} labels; give one for each",
                        values.len()
                    )));
                }
                Some(values) => {
                    if let Some(twice) = twice(values) {
                        return Err(Error::usage(format!(
                            "values has {twice} twice, so two classes would be the same; give every class its own"
                        )));
                    }
                    values.clone()
                }
                None => kmeans::class_values(&inputs.first.grey(8), labels),
            };
            let cut = values.iter().map(|v| v >> (8 - bits)).collect();
            (Singleton::Values { form, first, values: cut }, Some(values))
        }
    })
}
