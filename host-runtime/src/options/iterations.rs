//! How many iterations: a number, or as many as the chains need to agree.

use super::ranges;
use serde::Deserialize;
use std::str::FromStr;

/// Iterations of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub enum Iterations {
    /// So many, burn-in included.
    Count(u32),
    /// Until several chains agree (docs/uncertainty.md).
    Auto,
}

impl Iterations {
    /// The number, if it is one.
    pub fn count(self) -> Option<u32> {
        match self {
            Self::Count(count) => Some(count),
            Self::Auto => None,
        }
    }
}

impl FromStr for Iterations {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "auto" {
            return Ok(Self::Auto);
        }
        let count = ranges::number::<u32>("iterations")(text);
        count.map(Self::Count).map_err(|e| if e.contains("whole") { format!("{e}, or 'auto'") } else { e })
    }
}

/// What a configuration file may say.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Count(u32),
    Word(String),
}

impl TryFrom<Written> for Iterations {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        match written {
            Written::Count(count) => Ok(Self::Count(count)),
            Written::Word(word) => word.parse(),
        }
    }
}
