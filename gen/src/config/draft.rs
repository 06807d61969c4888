//! A configuration in the making: collects settings and mistakes, then resolves and checks them all at once.

use std::collections::BTreeMap;
use std::path::Path;

use spa_model::{ArrayShape, Hardware, Weights};
use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::error::{ConfigError, ConfigErrors, plain};
use crate::parameters::{self, Default as Standard, Parameter, Value, squarest};
use crate::presets;

/// Settings by parameter name. Options override the file, the file overrides the preset.
#[derive(Debug, Default)]
pub struct Draft {
    preset: Option<(String, String)>,
    file: Layer,
    options: Layer,
    errors: Vec<ConfigError>,
}

/// Settings of one source; what is given twice in it is a mistake.
#[derive(Debug, Default)]
struct Layer(BTreeMap<&'static str, Setting>);

#[derive(Debug, Clone)]
struct Setting {
    value: Value,
    /// The name under which it was given: `spe` for `rows`, and so on.
    given_as: &'static str,
}

impl Draft {
    /// Nothing given: the preset `default`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A configuration from the text of a file; `origin` names it in errors.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn parse(text: &str, origin: &str) -> Result<Config, ConfigErrors> {
        let mut draft = Self::new();
        draft.text(text, origin);
        draft.finish()
    }

    /// Starts from the preset `name`.
    pub fn preset(&mut self, origin: &str, name: &str) {
        self.preset = Some((name.to_owned(), origin.to_owned()));
    }

    /// Takes the settings of a configuration file.
    pub fn read(&mut self, path: &Path) {
        let origin = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => self.text(&text, &origin),
                Err(_) => {
                    self.errors
                        .push(ConfigError::Read { path: origin, cause: "it is not UTF-8 text".into() });
                }
            },
            Err(error) => self.errors.push(ConfigError::Read { path: origin, cause: plain(&error) }),
        }
    }

    /// Takes the settings of a configuration text; `origin` names it in errors.
    pub fn text(&mut self, text: &str, origin: &str) {
        let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let at = error.span().map_or(1, |span| line(span.start));
                self.errors.push(ConfigError::Syntax {
                    origin: format!("{origin}, line {at}"),
                    cause: error.message().replace('\n', " "),
                });
                return;
            }
        };
        for (key, value) in table {
            let origin = format!("{origin}, line {}", line(key.span().start));
            let text = match value.get_ref() {
                DeValue::String(word) => word.to_string(),
                DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| number.as_str().to_owned(), |number| number.to_string()),
                DeValue::Boolean(flag) => flag.to_string(),
                DeValue::Float(number) => number.as_str().to_owned(),
                DeValue::Datetime(date) => date.to_string(),
                DeValue::Array(_) => "an array".to_owned(),
                DeValue::Table(_) => "a table".to_owned(),
            };
            if key.get_ref() == "preset" {
                if self.preset.is_none() {
                    self.preset(&origin, &text);
                }
            } else {
                enter(&mut self.file, &mut self.errors, &origin, key.get_ref(), &text);
            }
        }
    }

    /// Takes one setting, overriding preset and file.
    pub fn set(&mut self, origin: &str, key: &str, value: &str) {
        enter(&mut self.options, &mut self.errors, origin, key, value);
    }

    /// Takes `KEY=VALUE`, overriding preset and file.
    pub fn assign(&mut self, origin: &str, assignment: &str) {
        let (key, value) = assignment.split_once('=').unwrap_or((assignment, ""));
        self.set(origin, key.trim(), value.trim());
    }

    /// Resolves the defaults and checks everything.
    ///
    /// # Errors
    /// All mistakes found so far; if there were none, the first rule between parameters that is broken.
    pub fn finish(mut self) -> Result<Config, ConfigErrors> {
        if let Some((name, origin)) = &self.preset
            && presets::find(name).is_none()
        {
            let nearest = presets::nearest(name);
            self.errors.push(ConfigError::UnknownPreset {
                name: name.clone(),
                origin: origin.clone(),
                nearest,
            });
        }
        if !self.errors.is_empty() {
            return Err(ConfigErrors(self.errors));
        }
        let config = self.resolve();
        let shared = [&self.options, &self.file].iter().any(|layer| layer.0.contains_key("rvs"));
        config.array.validate(&config.hardware).map_err(|error| {
            ConfigErrors(vec![match error {
                spa_model::Error::Range { name, value, mut allowed } => {
                    if name == "rv_capacity" && shared {
                        allowed += "; it is rvs divided by the SPEs, so take more SPEs or fewer rvs";
                    }
                    ConfigError::Together { name: name.to_owned(), value, allowed }
                }
                other => ConfigError::Together {
                    name: "build".to_owned(),
                    value: "unusable".to_owned(),
                    allowed: other.to_string(),
                },
            }])
        })?;
        Ok(config)
    }

    /// Fills in everything that was not said; checks nothing.
    pub(super) fn resolve(&self) -> Config {
        let mut merged: BTreeMap<&'static str, Setting> = BTreeMap::new();
        let mut preset = Layer::default();
        if let Some(found) = self.preset.as_ref().and_then(|(name, _)| presets::find(name)) {
            for (key, value) in found.settings {
                enter(&mut preset, &mut Vec::new(), "preset", key, value);
            }
        }
        for layer in [&preset, &self.file, &self.options] {
            for (name, setting) in &layer.0 {
                // rvs and rv_capacity are two ways to say the same thing.
                match *name {
                    "rvs" => drop(merged.remove("rv_capacity")),
                    "rv_capacity" => drop(merged.remove("rvs")),
                    _ => {}
                }
                merged.insert(name, setting.clone());
            }
        }
        Resolver(&merged).config()
    }
}

/// Parses a setting into a layer, or records what is wrong with it.
fn enter(layer: &mut Layer, errors: &mut Vec<ConfigError>, origin: &str, key: &str, text: &str) {
    let Some(parameter) = parameters::find(key) else {
        errors.push(ConfigError::UnknownKey {
            key: key.to_owned(),
            origin: origin.to_owned(),
            nearest: parameters::nearest(key),
        });
        return;
    };
    let value = match parameter.parse(text) {
        Ok(value) => value,
        Err(allowed) => {
            let (origin, value) = (origin.to_owned(), text.to_owned());
            errors.push(ConfigError::Value { key: parameter.name, origin, value, allowed });
            return;
        }
    };
    let given_as = parameter.name;
    let entries = match value {
        Value::Integer(spes) if given_as == "spe" => {
            let (rows, cols) = squarest(spes);
            vec![("rows", Value::Integer(rows)), ("cols", Value::Integer(cols))]
        }
        Value::Grid(rows, cols) => vec![("rows", Value::Integer(rows)), ("cols", Value::Integer(cols))],
        value => vec![(given_as, value)],
    };
    let twin = match given_as {
        "rvs" => "rv_capacity",
        "rv_capacity" => "rvs",
        other => other,
    };
    let earlier = entries.iter().map(|(name, _)| *name).chain([twin]).find_map(|name| layer.0.get(name));
    if let Some(earlier) = earlier {
        errors.push(ConfigError::Conflict {
            key: given_as.to_owned(),
            origin: origin.to_owned(),
            other: earlier.given_as.to_owned(),
        });
        return;
    }
    for (name, value) in entries {
        layer.0.insert(name, Setting { value, given_as });
    }
}

/// Turns settings into a configuration; every value has passed its own range check.
struct Resolver<'a>(&'a BTreeMap<&'static str, Setting>);

impl Resolver<'_> {
    /// The value given, or the fixed default.
    fn value(&self, name: &str) -> Option<Value> {
        if let Some(setting) = self.0.get(name) {
            return Some(setting.value.clone());
        }
        let standard = |parameter: &Parameter| match parameter.default {
            Standard::Value(text) => parameter.parse(text).ok(),
            Standard::Derived(_) => None,
        };
        parameters::find(name).and_then(standard)
    }

    fn integer(&self, name: &str) -> Option<u32> {
        match self.value(name) {
            Some(Value::Integer(value)) => Some(value),
            _ => None,
        }
    }

    fn bits(&self, name: &str) -> u8 {
        self.integer(name).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    fn flag(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Flag(true))
    }

    fn text(&self, name: &str) -> String {
        self.value(name).map(|value| value.to_string()).unwrap_or_default()
    }

    fn config(&self) -> Config {
        let hardware = Hardware {
            label_bits: self.bits("label_bits"),
            singleton_bits: self.bits("singleton_bits"),
            energy_bits: self.bits("energy_bits"),
            p_bits: self.bits("p_bits"),
            u_bits: self.bits("u_bits"),
            count_bits: self.bits("count_bits"),
            weights: if self.text("weights") == "linear" { Weights::Linear } else { Weights::Pow2 },
        };
        Config { hardware, array: self.array(&hardware), license: self.text("license") }
    }

    fn array(&self, hardware: &Hardware) -> ArrayShape {
        let squarest = squarest(self.integer("spe").unwrap_or(1));
        let (rows, cols) = match (self.integer("rows"), self.integer("cols")) {
            (Some(rows), Some(cols)) => (rows, cols),
            (Some(rows), None) => (rows, 1),
            (None, Some(cols)) => (1, cols),
            (None, None) => squarest,
        };
        let spes = rows.saturating_mul(cols);
        let spus = self.integer("spus").unwrap_or(1);
        let s2_links = self.flag("s2_links");
        let singleton_table = self.flag("singleton_table");

        let step = 8_u32.max(4 * spus);
        let share = self.integer("rvs").unwrap_or(8).div_ceil(spes.max(1));
        let rv_capacity = self.integer("rv_capacity").unwrap_or_else(|| share.next_multiple_of(8).max(step));
        let samples = if s2_links { rv_capacity } else { 2 * rv_capacity };
        let s2_default = samples.next_multiple_of(2 * spus).min(1 << 22);
        let side = (4 * rv_capacity.isqrt()).next_power_of_two().min(4096);
        let costs = u64::from(rv_capacity) << hardware.label_bits;
        let costs = if singleton_table { costs.min(1 << 24) } else { 0 };
        let share_most = (4 / spus.div_ceil(2)).clamp(1, 4).min(spes.max(1));
        ArrayShape {
            rows,
            cols,
            spus,
            rv_capacity,
            s2_capacity: self.integer("s2_capacity").unwrap_or(s2_default),
            tile_width_max: self.integer("tile_width_max").unwrap_or_else(|| side.max(2 * spus)),
            tile_height_max: self.integer("tile_height_max").unwrap_or(side),
            s2_links,
            pair_table: self.flag("pair_table"),
            singleton_table,
            edge_weights: self.flag("edge_weights"),
            cost_capacity: self
                .integer("cost_capacity")
                .unwrap_or_else(|| costs.try_into().unwrap_or(1 << 24)),
            rng_share: self.integer("rng_share").unwrap_or(share_most),
            schedule_entries: self.integer("schedule_entries").unwrap_or(64),
            log_fifo_depth: self.integer("log_fifo_depth").unwrap_or(64),
            line_bits: self.integer("line_bits").unwrap_or(512),
        }
    }
}
