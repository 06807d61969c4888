//! Every way in which a parameter, a picture size or a log can be refused by the model.

use crate::fit::Lack;
use thiserror::Error;

/// A refusal by the model: names the thing, its value, what is allowed and what to do.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller ended a run before its last iteration.
    #[error("interrupted after {iterations} iterations")]
    Interrupted {
        /// Finished iterations.
        iterations: u32,
    },
    /// A log that cannot be what the array wrote.
    #[error("label log is damaged at {place}: {cause}")]
    Log {
        /// Line and slot, or the place in words.
        place: String,
        /// What is wrong there.
        cause: String,
    },
    /// A parameter outside its range.
    #[error("{name} is {value}, but must be {allowed}")]
    Range {
        /// Parameter name as people type it.
        name: &'static str,
        /// The value given.
        value: String,
        /// The allowed values.
        allowed: String,
    },
    /// Two things that must agree in size do not.
    #[error("{name} has {got} elements, but {expected} are needed ({why})")]
    Size {
        /// Which array.
        name: &'static str,
        /// Elements given.
        got: usize,
        /// Elements needed.
        expected: usize,
        /// Where the number comes from.
        why: String,
    },
    /// The job does not fit the array.
    #[error("the build is too small for a picture of {width}x{height}: it needs {}", listed(lacks))]
    Unfit {
        /// Field width in RVs.
        width: u32,
        /// Field height in RVs.
        height: u32,
        /// Everything that is missing.
        lacks: Vec<Lack>,
    },
    /// This machine lacks a feature that was asked for.
    #[error("this machine lacks {feature}; {remedy}")]
    Unsupported {
        /// The feature in words.
        feature: String,
        /// What to do.
        remedy: String,
    },
}

impl Error {
    /// A [`Error::Range`] from displayable parts.
    pub fn range(name: &'static str, value: impl ToString, allowed: impl Into<String>) -> Self {
        Self::Range { name, value: value.to_string(), allowed: allowed.into() }
    }
}

fn listed(lacks: &[Lack]) -> String {
    lacks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Refuses `value` unless it lies in `lo..=hi`.
pub(crate) fn check_range<T: PartialOrd + ToString + Copy>(
    name: &'static str,
    value: T,
    lo: T,
    hi: T,
) -> Result<(), Error> {
    if value < lo || value > hi {
        return Err(Error::range(name, value.to_string(), format!("{}…{}", lo.to_string(), hi.to_string())));
    }
    Ok(())
}
