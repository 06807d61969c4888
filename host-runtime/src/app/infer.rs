//! Any first-order field: real costs in, a job of whole numbers out.
//!
//! A field is given by a TOML file: `unary` names the costs, every other key is an option of a run (docs/applications.md).
//! Energies α·U + β·V are scaled by one factor F so that rounding to whole numbers does not matter beside the temperature.

mod scale;

use self::scale::{Edges, Pairs, Real, Scaled, data_most};
use super::prepare::{Prepared, refuse_foreign};
use super::{Application, is_foreign, takers};
use crate::app::PairForm;
use crate::contrast::{self, EDGE_UNIT};
use crate::error::{Error, Result};
use crate::formats::numbers::Numbers;
use crate::formats::text_of;
use crate::options::{RunOptions, option_names, unknown_key};
use crate::picture::Picture;
use crate::plan::{Inputs, Special, check_weights, plan_with};
use spa_model::{Hardware, Singleton, Weights};
use spagen::Build;
use spagen::parameters::counted;
use std::path::{Path, PathBuf};

/// Rounding, in last temperatures, above which people are told.
const TOLD: f64 = 0.1;
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
/// As [`prepare::prepare`]; [`Error::File`] for arrays of other shapes or with numbers that are none; [`Error::Usage`] for other
/// than 2…256 labels, and for energies that would all be rounded away.
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
    let form = options.pair.unwrap_or(defaults.pair);
    let table =
        options.pair_table.as_deref().map(|path| read_pairs(path, labels, options.cap)).transpose()?;
    if table.is_some() && options.pair.is_some() {
        return Err(Error::usage("pair and pair-table are two smoothness terms; give one of them"));
    }
    // Unequal labels then cost beta, as the formula says.
    let usual = if form == PairForm::Potts { 1 } else { defaults.cap };
    let cap = options.cap.unwrap_or(usual);
    options.cap = Some(cap);
    if options.contrast.is_some() {
        return Err(Error::usage("--contrast needs a picture, and 'infer' has none; use --edge-weights"));
    }
    let unary = capped(unary.values, options.data_cap);
    let unary = grounded(unary, (canvas.width as usize, labels.into()), &model.unary)?;
    let (hottest, coldest) = temperatures(&options)?;
    let real = Real {
        unary: &unary,
        data: data_most(&unary),
        alpha,
        beta,
        pairs: match &table {
            Some(table) => Pairs::Table(table),
            None => Pairs::Named { cap, most: named_most(form, labels, cap) },
        },
        edges: edges(&options, &canvas)?,
        hottest,
        coldest,
    };
    // Widths that there are not are refused with the job.
    let p_bits = match build {
        Some(build) => build.hardware().p_bits,
        None => options.p_bits.unwrap_or(Hardware::default().p_bits).clamp(1, 8),
    };
    let (bits, weights) = widths(&options, build, real.range(p_bits) / coldest);
    if build.is_none() {
        (options.energy_bits, options.weights) = (Some(bits), Some(weights));
    }
    let Scaled { costs, pair, cap, integers, rounding } = real.scaled(bits.clamp(4, 16), p_bits)?;
    if rounding > TOLD {
        eprintln!(
            "note: energies are rounded by up to {rounding:.2} of the last temperature, so probabilities are coarse; the range \
             beside it is too wide to be held finely"
        );
    }
    options.pair_table = None;
    // The cap is in the costs.
    options.data_cap = None;
    let special = Special {
        singleton: Some(Singleton::Table { costs }),
        pair,
        integers: Some((integers, cap)),
        rounding: Some(rounding),
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
        let why = if labels < 2 {
            "with fewer than two there is nothing to choose from"
        } else {
            "a label has 8 bits at most, on every backend; merge labels or solve in two steps"
        };
        let labels = counted(labels, "label");
        let path = path.display();
        return Err(Error::usage(format!("unary costs '{path}' have {labels}, but 2…256 can be run: {why}")));
    }
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width @ 1..=65_535), Ok(height @ 1..=65_535)) => {
            Ok((Picture { path: path.to_path_buf(), width, height, rgb: Vec::new() }, labels as u16))
        }
        _ => Err(fail(format!("it is {width}x{height}, but 1…65535 pixels a side can be run"))),
    }
}

/// Costs up to `cap`, in the unit that people gave them. +∞ stays: it forbids a label.
fn capped(mut unary: Vec<f64>, cap: Option<u16>) -> Vec<f64> {
    if let Some(cap) = cap.map(f64::from) {
        unary.iter_mut().filter(|v| v.is_finite()).for_each(|v| *v = v.min(cap));
    }
    unary
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

/// The pair table, L×L, up to `cap`, less its least entry, which changes no probability.
fn read_pairs(path: &Path, labels: u16, cap: Option<u8>) -> Result<Vec<f64>> {
    let fail = |cause: String| Error::file("use pair table", path, cause);
    let array = Numbers::open(path)?;
    let n = usize::from(labels);
    if array.shape != [u64::from(labels); 2] {
        let cause = format!("its shape is {:?}, but {labels} labels need ({labels}, {labels})", array.shape);
        return Err(fail(cause));
    }
    let mut table = array.values;
    if let Some(i) = table.iter().position(|v| !v.is_finite()) {
        let cause = format!("entry ({}, {}) is {}, but must be a finite cost", i / n, i % n, table[i]);
        return Err(fail(cause));
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
    if let Some(cap) = cap.map(f64::from) {
        table.iter_mut().for_each(|v| *v = v.min(cap));
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

/// Highest and lowest temperature of the run.
fn temperatures(options: &RunOptions) -> Result<(f64, f64)> {
    let given = match (&options.schedule, options.anneal, options.temperature) {
        (Some(path), ..) => {
            let schedule = crate::schedule_file::read(path)?;
            schedule.steps().iter().map(|step| step.temperature).collect()
        }
        (None, Some(anneal), _) => vec![anneal.from, anneal.to],
        (None, None, temperature) => vec![temperature.unwrap_or(1.0)],
    };
    if let Some(&bad) = given.iter().find(|&&t| !(t > 0.0 && t.is_finite())) {
        return Err(spa_model::Error::range("temperature", bad, "a finite number above 0").into());
    }
    Ok((given.iter().copied().fold(0.0, f64::max), given.iter().copied().fold(f64::INFINITY, f64::min)))
}

/// What the weights of edges amount to.
fn edges(options: &RunOptions, canvas: &Picture) -> Result<Edges> {
    let (width, height) = (canvas.width as usize, canvas.height as usize);
    let Some(path) = &options.edge_weights else {
        // Neighbours along a side: none of 1, one of 2, else two.
        let around = (width.min(3) - 1 + height.min(3) - 1) as u32;
        return Ok(Edges { unit: 1.0, heaviest: 1, around });
    };
    let weights = contrast::read(path, canvas)?;
    let mut sums = vec![0_u32; width * height];
    let mut heaviest = 0;
    for i in 0..width * height {
        let ends = [(i % width + 1 < width, i + 1), (i / width + 1 < height, i + width)];
        for (side, (_, n)) in ends.into_iter().enumerate().filter(|(_, (inside, _))| *inside) {
            let weight = u32::from(weights[2 * i + side]);
            heaviest = heaviest.max(weight);
            sums[i] += weight;
            sums[n] += weight;
        }
    }
    let around = sums.into_iter().max().unwrap_or(0);
    Ok(Edges { unit: f64::from(EDGE_UNIT), heaviest, around })
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
