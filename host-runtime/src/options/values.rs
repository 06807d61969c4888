//! Values of options that are more than a number or a word.

use serde::{Deserialize, Deserializer};
use spa_model::Weights;
use std::str::FromStr;

/// A share above 0 and at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub struct Share(pub f64);

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(share: f64) -> Result<Self, String> {
        if share > 0.0 && share <= 1.0 {
            Ok(Self(share))
        } else {
            Err(format!("'{share}' must be above 0 and at most 1"))
        }
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share: f64 =
            text.parse().map_err(|_| format!("'{text}' must be a number above 0 and at most 1"))?;
        Self::try_from(share)
    }
}

/// T0:T1[:STEPS].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Anneal {
    /// First temperature.
    pub from: f64,
    /// Last temperature.
    pub to: f64,
    /// Steps, if given.
    pub steps: Option<u32>,
}

impl FromStr for Anneal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be T0:T1 or T0:T1:STEPS, as in 20:1:25");
        let mut parts = text.split(':');
        let mut number = || parts.next().and_then(|s| s.trim().parse::<f64>().ok()).ok_or_else(refuse);
        let (from, to) = (number()?, number()?);
        let steps = parts.next().map(|s| s.trim().parse().map_err(|_| refuse())).transpose()?;
        if parts.next().is_some() {
            return Err(refuse());
        }
        Ok(Self { from, to, steps })
    }
}

impl TryFrom<String> for Anneal {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// A number of bytes, as in 2G, 512Mi or 1000000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("'{text}' must be a whole number of bytes, as in 2G, 512Mi or 1000000");
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let unit: u64 = match text[digits..].trim().trim_end_matches(['b', 'B']) {
            "" => 1,
            "K" | "k" => 1000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "T" => 1_000_000_000_000,
            "Ki" => 1 << 10,
            "Mi" => 1 << 20,
            "Gi" => 1 << 30,
            "Ti" => 1 << 40,
            _ => return Err(refuse()),
        };
        let number: u64 = text[..digits].parse().map_err(|_| refuse())?;
        number.checked_mul(unit).map(Self).ok_or_else(refuse)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        number_or_text(deserializer)
    }
}

/// How a histogram is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistogramForm {
    /// All counts: histogram.npy
    Dense,
    /// Counts that are not zero: histogram.npz
    Sparse,
}

/// A seed, as a number or as text.
pub(super) fn optional_seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    number_or_text(deserializer).map(|Text(seed)| Some(seed))
}

struct Text(u64);

impl FromStr for Text {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("'{text}' must be 0…2^64−1"))
    }
}

/// TOML integers end at 2^63 − 1; larger ones come as text.
pub(crate) fn number_or_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
    }
    let text = match Either::deserialize(deserializer)? {
        Either::Number(number) => number.to_string(),
        Either::Text(text) => text,
    };
    text.parse().map_err(serde::de::Error::custom)
}

/// `pow2` or `linear`.
pub(crate) fn weights(text: &str) -> Result<Weights, String> {
    match text {
        "pow2" => Ok(Weights::Pow2),
        "linear" => Ok(Weights::Linear),
        _ => Err("must be pow2 or linear".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_anneals() {
        assert_eq!("2G".parse(), Ok(Bytes(2_000_000_000)));
        assert_eq!("1KiB".parse(), Ok(Bytes(1024)));
        for bad in ["", "G", "-1", "1.5G", "2X", "99999999999999999999"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        for bad in ["20", "20:", "a:1", "20:1:x", "20:1:2:3", "20:1:-2"] {
            assert!(bad.parse::<Anneal>().is_err(), "{bad}");
        }
    }
}
