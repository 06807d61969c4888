//! From scaled energy to weight: thresholds and tables of one temperature (contract §4).

use crate::hardware::{Hardware, Weights};

/// p(Es) = ⌊(2^p_bits − 1)·exp(−Es/T)⌋ with the pinned exponential.
pub fn probability(es: u32, temperature: f64, p_bits: u8) -> u32 {
    let scale = f64::from((1_u32 << p_bits) - 1);
    (scale * libm::exp(-f64::from(es) / temperature)).floor() as u32
}

/// True if the cut-off C takes the weight away (Eq. 4.1).
fn cut(w: u32, cutoff: Option<u8>, p_bits: u8) -> bool {
    cutoff.is_some_and(|c| w * u32::from(c) <= 1 << (p_bits - 1))
}

/// The weights of every scaled energy at one temperature.
///
/// `limits` is what an array's comparators hold: `limits[k]` = θ_k + 1, so w = 2^k for the largest k with
/// Es < `limits[k]`; 0 switches a comparator off. With linear weights it is empty and `table` holds w(Es).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightTable {
    /// θ_k + 1 for k = 0…p_bits−1 (pow2), non-increasing where not switched off.
    pub limits: Vec<u32>,
    /// w(Es), 2^energy_bits entries, for both forms.
    pub table: Vec<u8>,
}

impl WeightTable {
    /// The table of `temperature` (> 0, checked by [`crate::Schedule`]).
    pub fn new(hardware: &Hardware, temperature: f64, cutoff: Option<u8>) -> Self {
        let probabilities: Vec<u32> =
            (0..=hardware.energy_max()).map(|es| probability(es, temperature, hardware.p_bits)).collect();
        match hardware.weights {
            Weights::Pow2 => Self::pow2(hardware, &probabilities, cutoff),
            Weights::Linear => Self::linear(hardware, &probabilities, cutoff),
        }
    }

    fn pow2(hardware: &Hardware, probabilities: &[u32], cutoff: Option<u8>) -> Self {
        let limit = |k: u8| match probabilities.iter().rposition(|&p| p >= 1 << k) {
            Some(es) if !cut(1 << k, cutoff, hardware.p_bits) => es as u32 + 1,
            _ => 0,
        };
        let limits: Vec<u32> = (0..hardware.p_bits).map(limit).collect();
        let table = (0..=hardware.energy_max())
            .map(|es| limits.iter().rposition(|&t| es < t).map_or(0, |k| 1_u8 << k))
            .collect();
        Self { limits, table }
    }

    fn linear(hardware: &Hardware, probabilities: &[u32], cutoff: Option<u8>) -> Self {
        let weight = |&p: &u32| if cut(p, cutoff, hardware.p_bits) { 0 } else { p as u8 };
        Self { limits: Vec::new(), table: probabilities.iter().map(weight).collect() }
    }

    /// w(Es); `es` ≤ 2^energy_bits − 1.
    pub fn weight(&self, es: u32) -> u32 {
        u32::from(self.table[es as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_agree_with_the_definition() {
        let hardware = Hardware::default();
        for t in [0.3, 1.0, 2.0, 20.0, 1000.0] {
            let table = WeightTable::new(&hardware, t, None);
            for es in 0..256 {
                let p = probability(es, t, 8);
                let expected = if p == 0 { 0 } else { 1 << p.ilog2() };
                assert_eq!(table.weight(es), expected, "T {t} Es {es}");
            }
        }
    }

    #[test]
    fn cutoff_keeps_the_best_label() {
        for weights in [Weights::Pow2, Weights::Linear] {
            let hardware = Hardware { weights, ..Hardware::default() };
            for c in [2, 4, 8, 16, 255] {
                let plain = WeightTable::new(&hardware, 5.0, None);
                let table = WeightTable::new(&hardware, 5.0, Some(c));
                assert!(table.weight(0) > 0);
                for es in 0..256 {
                    let w = plain.weight(es);
                    let expected = if w * u32::from(c) <= 128 { 0 } else { w };
                    assert_eq!(table.weight(es), expected);
                }
            }
        }
    }
}
