//! The parameters of a build: one table for parsing, checking, `spagen explain` and `docs/parameters.md`.

mod numbers;
mod table;

use std::fmt;

use crate::config::Config;

pub use numbers::{count_text, counted, parse_count, squarest};
pub use table::PARAMETERS;

use numbers::{is_spdx, parse_grid};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A yes or no.
    Flag(bool),
    /// Rows and columns.
    Grid(u32, u32),
    /// A count.
    Integer(u32),
    /// A word.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => write!(f, "{value}"),
            Self::Grid(rows, cols) => write!(f, "{rows}x{cols}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value}"),
        }
    }
}

/// What values a parameter takes by itself; rules between parameters are in `spa_model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// `RxC`.
    Grid,
    /// Every integer of this range.
    Integer(u32, u32),
    /// The multiples of the first number in the range of the other two.
    Multiple(u32, u32, u32),
    /// One of these integers.
    OneOf(&'static [u32]),
    /// An SPDX licence expression.
    Spdx,
}

/// Default of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// Derived from other parameters, as these words say.
    Derived(&'static str),
    /// This value.
    Value(&'static str),
}

/// A parameter of a build.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name in configuration files and of `--set`.
    pub name: &'static str,
    /// Parameter of the RTL top, if it has one.
    pub rtl: Option<&'static str>,
    /// Allowed values.
    pub kind: Kind,
    /// Value if nothing is said.
    pub default: Default,
    /// Unit of the value.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What more of it costs.
    pub cost: &'static str,
    /// Its value in a finished configuration; `None` for a shorthand of others.
    pub get: Option<fn(&Config) -> Value>,
}

/// The parameter of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}

/// The most similar parameter name, if any is similar.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    most_similar(name, PARAMETERS.iter().map(|parameter| parameter.name))
}

/// The most similar of `names`, if any is similar enough to be meant.
pub(crate) fn most_similar(given: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let given = given.to_lowercase().replace('-', "_");
    names
        .map(|name| (strsim::normalized_damerau_levenshtein(&given, &name.replace('-', "_")), name))
        .chain([(0.45, "")])
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
        .filter(|name| !name.is_empty())
}

impl Parameter {
    /// Reads a value as people write it.
    ///
    /// # Errors
    /// The allowed values in words.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let value = match self.kind {
            Kind::Flag => text.parse().ok().map(Value::Flag),
            Kind::Choice(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
            Kind::Grid => parse_grid(text).map(|(rows, cols)| Value::Grid(rows, cols)),
            Kind::Spdx => is_spdx(text).then(|| Value::Text(text.to_owned())),
            Kind::Integer(..) | Kind::Multiple(..) | Kind::OneOf(_) => parse_count(text).map(Value::Integer),
        };
        value.filter(|value| self.allows(value)).ok_or_else(|| self.allowed())
    }

    fn allows(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (Kind::Integer(lo, hi), Value::Integer(n)) => (lo..=hi).contains(n),
            (Kind::Multiple(step, lo, hi), Value::Integer(n)) => {
                (lo..=hi).contains(n) && n.is_multiple_of(step)
            }
            (Kind::OneOf(list), Value::Integer(n)) => list.contains(n),
            (Kind::Grid, Value::Grid(rows, cols)) => {
                *rows > 0 && *cols > 0 && rows.saturating_mul(*cols) <= 4095
            }
            _ => true,
        }
    }

    /// The allowed values in words.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Choice(words) => words.join(" or "),
            Kind::Flag => "true or false".to_owned(),
            Kind::Grid => "ROWSxCOLS with at most 4095 SPEs, such as 2x3".to_owned(),
            Kind::Integer(lo, hi) => format!("{lo} to {hi}"),
            Kind::Multiple(step, lo, hi) => format!("a multiple of {step} from {lo} to {hi}"),
            Kind::OneOf(list) => {
                let words: Vec<String> = list.iter().map(ToString::to_string).collect();
                match words.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => words.join(""),
                }
            }
            Kind::Spdx => "an SPDX licence expression, such as MIT or LicenseRef-Mine".to_owned(),
        }
    }

    /// The default in words.
    #[must_use]
    pub fn default_text(&self) -> String {
        match self.default {
            Default::Derived(words) => words.to_owned(),
            Default::Value(value) => value.to_owned(),
        }
    }
}
