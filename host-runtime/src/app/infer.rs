//! Any first-order field: real costs in, a job of whole numbers out.
//!
//! A field is given by a TOML file: `unary` names the costs, every other key is an option of a run (docs/applications.md).
//! Energies α·U + β·V are scaled by one factor F so that rounding to whole numbers does not matter beside the temperature.

use super::prepare::{Prepared, refuse_foreign};
use super::{Application, is_foreign, takers};
use crate::app::PairForm;
use crate::contrast::EDGE_UNIT;
use crate::error::{Error, Result};
use crate::formats::numbers::Numbers;
use crate::formats::text_of;
use crate::options::{RunOptions, option_names, unknown_key};
use crate::picture::Picture;
use crate::plan::{Inputs, Special, check_weights, plan_with};
use spa_model::edges::EDGE_WEIGHT_MAX;
use spa_model::real::IntegerParameters;
use spa_model::{Pair, Singleton, Weights};
use spagen::Build;
use spagen::parameters::counted;
use std::path::{Path, PathBuf};

/// Integer temperature at which finer energies no longer change a probability by a percent.
const FINE: f64 = 64.0;
/// Integer temperature below which linear weights of ten bits would be too coarse.
const COARSE: f64 = 8.0;

/// Keys of a model that are no options of a run.
const KEYS: [&str; 3] = ["unary", "order", "neighbours"];

/// A field as its file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Costs, H×W×L.
    pub unary: PathBuf,
    /// Everything else.
    pub options: RunOptions,
}

impl Model {
    /// Reads the description of a field.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read; [`Error::Usage`] if it is no TOML, has no `unary`, asks for what a first-order
    /// field of four neighbours does not have, or as [`RunOptions::from_file`].
    pub fn open(path: &Path) -> Result<Self> {
        let text = text_of("read model", path)?;
        let refuse = |cause: String| Error::usage(format!("model '{}': {cause}", path.display()));
        let mut table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| refuse(e.to_string().trim_end().to_string()))?;
        let known: Vec<String> = KEYS.map(str::to_string).into_iter().chain(option_names()).collect();
        let known: Vec<String> = known.into_iter().filter(|key| !is_foreign(key, "infer")).collect();
        if let Some(key) = table.keys().find(|key| !known.contains(key) && takers(key).is_none()) {
            return Err(refuse(unknown_key(key, &known)));
        }
        for (key, only) in [("order", 1), ("neighbours", 4)] {
            match table.remove(key) {
                None => {}
                Some(toml::Value::Integer(n)) if n == only => {}
                Some(value) => {
                    return Err(refuse(format!(
                        "{key} is {value}, but only {only} can be run: a RV is drawn given its four neighbours left, \
                         right, above and below (a first-order field), and all RVs of a colour of the checkerboard at \
                         once; diagonal neighbours and cliques of three or more would break that"
                    )));
                }
            }
        }
        let unary = match table.remove("unary") {
            Some(toml::Value::String(name)) => path.parent().unwrap_or(Path::new("")).join(name),
            Some(other) => {
                return Err(refuse(format!("unary is {other}, but must be the name of a .npy file")));
            }
            None => return Err(refuse("it has no 'unary', the .npy file of the costs (H×W×L)".to_string())),
        };
        Ok(Self { unary, options: RunOptions::from_table(path, table)? })
    }
}

/// Makes the job of `model` with `options`, which go first.
///
/// # Errors
/// As [`prepare::prepare`]; [`Error::File`] for arrays of other shapes, with numbers that are none, or with more than 256
/// labels.
pub fn prepare(model: &Model, options: RunOptions, build: Option<&Build>) -> Result<(Prepared, RunOptions)> {
    let mut options = options.or(model.options.clone());
    refuse_foreign(&Application::Infer, &options)?;
    if options.costs.is_some() {
        return Err(Error::usage("--costs is 'unary' of the model; leave it out"));
    }
    let unary = Numbers::open(&model.unary)?;
    let (canvas, labels) = canvas(&unary, &model.unary)?;
    if let Some(given) = options.labels.filter(|&given| given != labels) {
        return Err(Error::usage(format!("labels is {given}, but '{}' has {labels}", model.unary.display())));
    }
    options.labels = Some(labels);
    let defaults = Application::Infer.defaults();
    let (alpha, beta) = (options.alpha.unwrap_or(defaults.alpha), options.beta.unwrap_or(defaults.beta));
    // Any ratio of the two can be run here.
    check_weights(alpha, beta)?;
    let unary = grounded(unary.values, (canvas.width as usize, labels.into()), &model.unary)?;
    let table = options.pair_table.as_deref().map(|path| read_pairs(path, labels)).transpose()?;
    if table.is_some() && options.pair.is_some() {
        return Err(Error::usage("pair and pair-table are two smoothness terms; give one of them"));
    }
    let form = options.pair.unwrap_or(defaults.pair);
    // Unequal labels then cost beta, as the formula says.
    let usual = if form == PairForm::Potts { 1 } else { defaults.cap };
    let cap = options.cap.unwrap_or(usual);
    options.cap = Some(cap);

    let most = |values: &[f64]| values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let pair_most = match &table {
        Some(table) => most(table),
        None => named_most(form, labels, cap),
    };
    if options.contrast.is_some() {
        return Err(Error::usage("--contrast needs a picture, and 'infer' has none; use --edge-weights"));
    }
    // An edge of weight EDGE_UNIT has beta as given.
    let unit = if options.edge_weights.is_some() { f64::from(EDGE_UNIT) } else { 1.0 };
    let heaviest = if options.edge_weights.is_some() { f64::from(EDGE_WEIGHT_MAX) / unit } else { 1.0 };
    let energy_most = alpha * most(&unary) + 4.0 * beta * heaviest * pair_most;
    let coldest = coldest(&options)?;
    let (bits, weights) = widths(&options, build, energy_most / coldest);
    if build.is_none() {
        (options.energy_bits, options.weights) = (Some(bits), Some(weights));
    }
    let limit = f64::from((1_u32 << bits) - 1);
    // A power of two, so that costs that are whole numbers stay exact.
    let wanted = (limit / energy_most.max(f64::MIN_POSITIVE)).min(FINE / coldest);
    let mut factor = libm::exp2(libm::floor(libm::log2(wanted)));
    let (pair, pair_weight, pair_cap) = loop {
        let scaled = beta * factor / unit;
        let (pair, weight, cap) = match &table {
            Some(table) => {
                let weight = libm::ceil(most(table) * scaled / 255.0).max(1.0);
                let whole = |v: &f64| (v * scaled / weight).round().min(255.0) as u8;
                (Some(Pair::Table(table.iter().map(whole).collect())), weight, 255)
            }
            None => (None, scaled.round().max(f64::from(u8::from(beta > 0.0))), cap),
        };
        if weight <= 255.0 {
            break (pair, weight as u8, cap);
        }
        factor /= 2.0;
    };
    let costs: Vec<u16> = unary.iter().map(|v| (alpha * factor * v).round().min(65_535.0) as u16).collect();
    let error = if table.is_some() || beta == 0.0 {
        0.0
    } else {
        (f64::from(pair_weight) * unit / (beta * factor) - 1.0).abs()
    };
    let integers = IntegerParameters {
        alpha: 1,
        beta: pair_weight,
        shift: 0,
        temperature_factor: factor,
        relative_error: error,
    };
    options.pair_table = None;
    options.data_cap = options.data_cap.or(Some(65_535));
    let special = Special {
        singleton: Some(Singleton::Table { costs }),
        pair,
        integers: Some((integers, pair_cap)),
        ..Special::default()
    };
    let inputs = Inputs { first: canvas, second: None };
    let plan = plan_with(&Application::Infer, &options, build, &inputs, special)?;
    Ok((Prepared::plain(plan), options))
}

/// A picture of the field's size, for messages and sizes.
fn canvas(unary: &Numbers, path: &Path) -> Result<(Picture, u16)> {
    let fail = |cause: String| Error::file("use unary costs", path, cause);
    let &[height, width, labels] = unary.shape.as_slice() else {
        let cause = format!("its shape is {:?}, but (height, width, labels) is needed", unary.shape);
        return Err(fail(cause));
    };
    if !(2..=256).contains(&labels) {
        let why = "a label has 8 bits at most, on every backend; merge labels or solve in two steps";
        let labels = counted(labels, "label");
        return Err(fail(format!("it has {labels}, but 2…256 can be run: {why}")));
    }
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width @ 1..=65_535), Ok(height @ 1..=65_535)) => {
            Ok((Picture { path: path.to_path_buf(), width, height, rgb: Vec::new() }, labels as u16))
        }
        _ => Err(fail(format!("it is {width}x{height}, but 1…65535 pixels a side can be run"))),
    }
}

/// Costs less the least one of each RV, which changes no probability. +∞ stays: it forbids a label.
fn grounded(mut unary: Vec<f64>, (width, labels): (usize, usize), path: &Path) -> Result<Vec<f64>> {
    for (i, row) in unary.chunks_exact_mut(labels).enumerate() {
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        let what = if let Some(label) = row.iter().position(|v| v.is_nan()) {
            format!("the cost of label {label} is NaN")
        } else if let Some(label) = row.iter().position(|&v| v == f64::NEG_INFINITY) {
            format!("the cost of label {label} is -inf")
        } else if least == f64::INFINITY {
            "every label has cost +inf, so none is allowed".to_string()
        } else {
            row.iter_mut().for_each(|v| *v -= least);
            continue;
        };
        let (y, x) = (i / width, i % width);
        let cause = format!("at row {y}, column {x} {what}; give finite costs, +inf only to forbid a label");
        return Err(Error::file("use unary costs", path, cause));
    }
    Ok(unary)
}

/// The pair table, L×L, less its least entry, which changes no probability.
fn read_pairs(path: &Path, labels: u16) -> Result<Vec<f64>> {
    let fail = |cause: String| Error::file("use pair table", path, cause);
    let array = Numbers::open(path)?;
    let n = usize::from(labels);
    if array.shape != [u64::from(labels); 2] {
        let cause = format!("its shape is {:?}, but {labels} labels need ({labels}, {labels})", array.shape);
        return Err(fail(cause));
    }
    let mut table = array.values;
    if table.iter().any(|v| !v.is_finite()) {
        return Err(fail("it holds a NaN or an infinity; give finite costs".to_string()));
    }
    for l in 0..n {
        for m in 0..l {
            let (a, b) = (table[l * n + m], table[m * n + l]);
            if (a - b).abs() > 1e-9 * a.abs().max(b.abs()) {
                return Err(fail(format!(
                    "entry ({l}, {m}) is {a}, but ({m}, {l}) is {b}; edges have no direction, so the table must be \
                     symmetric"
                )));
            }
        }
    }
    let least = table.iter().copied().fold(f64::INFINITY, f64::min);
    table.iter_mut().for_each(|v| *v -= least);
    Ok(table)
}

/// Largest V of a named form.
fn named_most(form: PairForm, labels: u16, cap: u8) -> f64 {
    let last = f64::from(labels - 1);
    let most = match form {
        PairForm::Abs => last,
        PairForm::Squared => last * last,
        PairForm::Potts => f64::from(cap),
    };
    most.min(f64::from(cap))
}

/// Last temperature of the run.
fn coldest(options: &RunOptions) -> Result<f64> {
    let given = match (&options.schedule, options.anneal, options.temperature) {
        (Some(path), ..) => {
            let schedule = crate::schedule_file::read(path)?;
            schedule.steps().iter().map(|step| step.temperature).fold(f64::INFINITY, f64::min)
        }
        (None, Some(anneal), _) => anneal.from.min(anneal.to),
        (None, None, temperature) => temperature.unwrap_or(1.0),
    };
    if given > 0.0 && given.is_finite() {
        return Ok(given);
    }
    Err(spa_model::Error::range("temperature", given, "a finite number above 0").into())
}

/// Energy width and weights: linear of ten bits where the range of energies, in temperatures, allows it, else powers of
/// two of sixteen bits.
fn widths(options: &RunOptions, build: Option<&Build>, range: f64) -> (u8, Weights) {
    if let Some(build) = build {
        return (build.hardware().energy_bits, build.hardware().weights);
    }
    let linear = COARSE * range <= 1023.0;
    match (options.energy_bits, options.weights) {
        (Some(bits), Some(weights)) => (bits, weights),
        (Some(bits), None) => (bits, if linear && bits <= 10 { Weights::Linear } else { Weights::Pow2 }),
        (None, Some(Weights::Linear)) => (10, Weights::Linear),
        (None, Some(Weights::Pow2)) => (16, Weights::Pow2),
        (None, None) if linear => (10, Weights::Linear),
        (None, None) => (16, Weights::Pow2),
    }
}
