//! What cells weigh: the conversion from the cells of a flow to the units of its device family.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use serde::{Deserialize, Serialize};

use super::Units;

/// A device family with the Yosys command for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flow {
    /// Cyclone V, in ALMs, M10K and DSP blocks; the proxy for Arria 10, which no open tool targets.
    Intel,
    /// Lattice ECP5, in 4-input tables, 18-kbit EBR and 18x18 multipliers.
    Ecp5,
    /// Xilinx 7 series, in 6-input tables, 36-kbit RAMs and DSP48.
    Xilinx,
}

/// An amount in twelfths of a unit: a third of a DSP block, a half and a quarter of an ALM are exact. In JSON a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "f64", into = "f64")]
pub struct Amount(u64);

/// Parts of a unit.
const PARTS: u64 = 12;

impl Amount {
    /// Whole units.
    #[must_use]
    pub const fn units(number: u64) -> Self {
        Self(number.saturating_mul(PARTS))
    }

    /// A fraction of a unit; exact for divisors of 12, else rounded up to a twelfth.
    #[must_use]
    pub const fn ratio(number: u64, divisor: u64) -> Self {
        Self(number.saturating_mul(PARTS).div_ceil(divisor))
    }

    /// Units, rounded up.
    #[must_use]
    pub const fn ceil(self) -> u64 {
        self.0.div_ceil(PARTS)
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of cells are far below 2^52")]
impl From<Amount> for f64 {
    fn from(amount: Amount) -> Self {
        (amount.0 as Self / PARTS as Self * 1e3).round() / 1e3
    }
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a negative or huge number in a file saturates"
)]
impl From<f64> for Amount {
    fn from(units: f64) -> Self {
        Self((units * PARTS as f64).round() as u64)
    }
}

impl Add for Amount {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Amount {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

/// What cells take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Logic cells (ALM or tables), from tables, arithmetic and distributed RAM; flip-flops are counted apart.
    pub logic: Amount,
    /// Flip-flops.
    pub ffs: u64,
    /// RAM blocks.
    pub ram: Amount,
    /// Multiplier blocks.
    pub dsp: Amount,
}

impl AddAssign for Area {
    fn add_assign(&mut self, other: Self) {
        self.logic += other.logic;
        self.ffs = self.ffs.saturating_add(other.ffs);
        self.ram += other.ram;
        self.dsp += other.dsp;
    }
}

impl Mul<u64> for Area {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self {
            logic: self.logic * times,
            ffs: self.ffs.saturating_mul(times),
            ram: self.ram * times,
            dsp: self.dsp * times,
        }
    }
}

impl Sum for Area {
    fn sum<I: Iterator<Item = Self>>(areas: I) -> Self {
        areas.fold(Self::default(), |mut sum, area| {
            sum += area;
            sum
        })
    }
}

impl Flow {
    /// Name in options and in `reports/synth.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intel => "intel",
            Self::Ecp5 => "ecp5",
            Self::Xilinx => "xilinx",
        }
    }

    /// The synthesis command; every one keeps the hierarchy.
    #[must_use]
    pub fn command(self, top: &str) -> String {
        match self {
            Self::Intel => format!("synth_intel_alm -family cyclonev -noflatten -top {top}"),
            Self::Ecp5 => format!("synth_ecp5 -noflatten -top {top}"),
            // It flattens only where it is asked to.
            Self::Xilinx => format!("synth_xilinx -family xc7 -top {top}"),
        }
    }

    /// What the amounts count.
    #[must_use]
    pub fn units(self) -> Units {
        let [logic, ram, dsp] = match self {
            Self::Intel => ["ALM", "M10K", "DSP block"],
            Self::Ecp5 => ["LUT4", "EBR", "MULT18X18D"],
            Self::Xilinx => ["LUT6", "RAMB36", "DSP48"],
        };
        Units { logic: logic.to_owned(), ram: ram.to_owned(), dsp: dsp.to_owned() }
    }

    /// Logic cells that so many flip-flops fill: four flip-flops an ALM, one a table of an ECP5, two a table of a 7 series.
    #[must_use]
    pub const fn floor(self, ffs: u64) -> Amount {
        let each = match self {
            Self::Intel => 4,
            Self::Ecp5 => 1,
            Self::Xilinx => 2,
        };
        Amount::ratio(ffs, each)
    }

    /// RAM blocks as blocks of 20 kbit, by their bits: 10, 18 or 36 kbit.
    #[must_use]
    pub const fn ram_20k(self, ram: Amount) -> Amount {
        let kilobits = match self {
            Self::Intel => 10,
            Self::Ecp5 => 18,
            Self::Xilinx => 36,
        };
        Amount(ram.0.saturating_mul(kilobits).div_ceil(20))
    }

    /// What cells take; cells that are not known take nothing.
    #[must_use]
    pub fn area(self, cells: &[(String, u64)]) -> Area {
        cells.iter().map(|(cell, number)| self.cell(cell) * *number).sum()
    }

    fn cell(self, cell: &str) -> Area {
        let none = Area::default();
        let logic = |number, divisor| Area { logic: Amount::ratio(number, divisor), ..none };
        let ram = |number, divisor| Area { ram: Amount::ratio(number, divisor), ..none };
        let dsp = |number, divisor| Area { dsp: Amount::ratio(number, divisor), ..none };
        let ff = Area { ffs: 1, ..none };
        match (self, cell) {
            // An ALM is one table of six inputs, or two smaller ones that share inputs, or two bits of an adder.
            (Self::Intel, "MISTRAL_ALUT6") => logic(1, 1),
            (Self::Intel, "MISTRAL_ALUT2" | "MISTRAL_ALUT3" | "MISTRAL_ALUT4" | "MISTRAL_ALUT5") => {
                logic(1, 2)
            }
            (Self::Intel, "MISTRAL_ALUT_ARITH") => logic(1, 2),
            // One bit of a 32-word RAM: ten ALMs hold 20 of them.
            (Self::Intel, "MISTRAL_MLAB") => logic(1, 2),
            (Self::Intel, "MISTRAL_FF") => ff,
            (Self::Intel, "MISTRAL_M10K") => ram(1, 1),
            (Self::Intel, "MISTRAL_MUL27X27") => dsp(1, 1),
            (Self::Intel, "MISTRAL_MUL18X18") => dsp(1, 2),
            (Self::Intel, "MISTRAL_MUL9X9") => dsp(1, 3),

            (Self::Ecp5, "LUT4") => logic(1, 1),
            // Two bits of an adder.
            (Self::Ecp5, "CCU2C") => logic(2, 1),
            // Four tables that hold bits and two that serve the write port.
            (Self::Ecp5, "TRELLIS_DPR16X4") => logic(6, 1),
            (Self::Ecp5, "TRELLIS_FF") => ff,
            (Self::Ecp5, "DP16KD" | "PDPW16KD") => ram(1, 1),
            (Self::Ecp5, "MULT18X18D") => dsp(1, 1),

            (Self::Xilinx, "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6") => logic(1, 1),
            (Self::Xilinx, "SRL16E" | "SRLC16E" | "SRLC32E" | "RAM32X1S" | "RAM64X1S") => logic(1, 1),
            (Self::Xilinx, "RAM32X1D" | "RAM64X1D") => logic(2, 1),
            (Self::Xilinx, "RAM32M" | "RAM64M" | "RAM128X1D") => logic(4, 1),
            (Self::Xilinx, "FDRE" | "FDSE" | "FDCE" | "FDPE") => ff,
            (Self::Xilinx, "RAMB36E1") => ram(1, 1),
            (Self::Xilinx, "RAMB18E1") => ram(1, 2),
            (Self::Xilinx, "DSP48E1") => dsp(1, 1),
            _ => none,
        }
    }
}
