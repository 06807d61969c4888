//! The hardware part of the record: widths that a build fixes (contract §1).

use crate::error::{Error, check_range};
use serde::{Deserialize, Serialize};

/// How a probability becomes a weight (contract §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// w = 2^⌊log2 p⌋ (Eq. 3.4).
    #[default]
    Pow2,
    /// w = p, from a table of 2^energy_bits entries a temperature.
    Linear,
}

impl Weights {
    /// The name as written in records and configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pow2 => "pow2",
            Self::Linear => "linear",
        }
    }
}

/// Widths that change bits and that a build fixes; `Default` is what holds without a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hardware {
    /// Bits of a label, 1…8.
    pub label_bits: u8,
    /// Bits of a singleton sample, 1…8.
    pub singleton_bits: u8,
    /// Bits of E and Es, 4…16 (at most 10 with linear weights).
    pub energy_bits: u8,
    /// Bits of the probability p, 1…8.
    pub p_bits: u8,
    /// Bits of the random number u, 8…32.
    pub u_bits: u8,
    /// Bits of a counter of a label entry, 1…16.
    pub count_bits: u8,
    /// Form of the weights.
    pub weights: Weights,
}

impl Default for Hardware {
    fn default() -> Self {
        Self {
            label_bits: 6,
            singleton_bits: 8,
            energy_bits: 8,
            p_bits: 8,
            u_bits: 24,
            count_bits: 8,
            weights: Weights::Pow2,
        }
    }
}

impl Hardware {
    /// Checks every range.
    ///
    /// # Errors
    /// [`Error::Range`] names the first width that is out of range.
    pub fn validate(&self) -> Result<(), Error> {
        check_range("label_bits", self.label_bits, 1, 8)?;
        check_range("singleton_bits", self.singleton_bits, 1, 8)?;
        check_range("energy_bits", self.energy_bits, 4, 16)?;
        check_range("p_bits", self.p_bits, 1, 8)?;
        check_range("u_bits", self.u_bits, 8, 32)?;
        check_range("count_bits", self.count_bits, 1, 16)?;
        if self.weights == Weights::Linear && self.energy_bits > 10 {
            return Err(Error::range("energy_bits", self.energy_bits, "at most 10 with linear weights"));
        }
        Ok(())
    }

    /// Largest energy, 2^energy_bits − 1.
    pub fn energy_max(&self) -> u32 {
        (1 << self.energy_bits) - 1
    }

    /// Largest number of labels, 2^label_bits.
    pub fn labels_max(&self) -> u32 {
        1 << self.label_bits
    }

    /// MAX of Algorithm 1, 2^count_bits − 1.
    pub fn count_max(&self) -> u32 {
        (1 << self.count_bits) - 1
    }

    /// A random word cut to u_bits (contract §5).
    pub fn u(&self, word: u32) -> u32 {
        word >> (32 - self.u_bits)
    }
}
