//! From real energies to whole numbers: the factor F, the shift, rounded costs and pair table, and what rounding loses.
//!
//! **The range that matters.** A RV has a label of cost 0 (costs are grounded), so its least energy is at most M, all that its
//! edges can add up to. A label whose energy saturates has Es ≥ Emax − M. Where Emax ≥ M + H, H the least Es whose weight is 0
//! at the hottest temperature (p of contract §4 falls with Es and rises with T), its weight is 0 at every temperature of the
//! run, and so it is without saturation, where Es is greater still; a cut-off only takes weights away. So costs need no more
//! range than M + H, in whole numbers as rounded: a cost of 1e6 or +∞ is never drawn, and makes no other cost coarser.

use crate::error::{Error, Result};
use spa_model::Pair;
use spa_model::real::IntegerParameters;

/// Integer temperature at which finer energies no longer change a probability by a percent.
const FINE: f64 = 64.0;
/// Largest shift: α = 2^shift has eight bits.
const SHIFT_MOST: u8 = 7;
/// By how much a larger shift must lessen the error: kernels of some backends need shift 0.
const WORTH: f64 = 1.1;

/// V before its scale.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pairs<'a> {
    /// Entries 0 or more, L×L.
    Table(&'a [f64]),
    /// A named form: its cap, and its largest value after the cap.
    Named { cap: u8, most: f64 },
}

impl Pairs<'_> {
    /// Largest V.
    pub(super) fn most(&self) -> f64 {
        match self {
            Self::Table(table) => table.iter().copied().fold(0.0, f64::max),
            Self::Named { most, .. } => *most,
        }
    }
}

/// Weights of edges, as they are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edges {
    /// Weight at which an edge has beta as given.
    pub unit: f64,
    /// The heaviest one.
    pub heaviest: u32,
    /// Largest sum of the weights around a RV.
    pub around: u32,
}

/// Energies and temperatures as people give them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Real<'a> {
    /// Costs, least of every RV 0; +∞ forbids a label.
    pub unary: &'a [f64],
    /// What [`data_most`] says of them.
    pub data: (f64, bool),
    pub alpha: f64,
    pub beta: f64,
    pub pairs: Pairs<'a>,
    pub edges: Edges,
    pub hottest: f64,
    pub coldest: f64,
}

/// The same in whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scaled {
    pub costs: Vec<u16>,
    /// The rounded table; none for a named form.
    pub pair: Option<Pair>,
    pub cap: u8,
    pub integers: IntegerParameters,
    /// Largest |rounded − real| of a cost and of V on the heaviest edge, and what the shift cuts off, in last temperatures.
    pub rounding: f64,
}

/// The smoothness term for one factor and shift.
struct Smooth {
    shift: u8,
    beta: u8,
    pair: Option<Pair>,
    /// Largest V as stored.
    most: f64,
    /// Largest error on the heaviest edge, in steps of energy.
    error: f64,
}

impl Real<'_> {
    /// M: the most that the edges of a RV add up to.
    fn smooth_most(&self) -> f64 {
        self.beta * self.pairs.most() * f64::from(self.edges.around) / self.edges.unit
    }

    /// Range of energies that has to be told apart; `p_bits` is the width of weights.
    pub(super) fn range(&self, p_bits: u8) -> f64 {
        let (most, forbidden) = self.data;
        let dead = self.hottest * dead(p_bits);
        self.smooth_most() + if forbidden { dead } else { (self.alpha * most).min(dead) }
    }

    /// Whole numbers for energies of `bits` and weights of `p_bits`.
    ///
    /// # Errors
    /// [`Error::Usage`] where all costs, or all of the smoothness term, would be rounded to 0.
    pub(super) fn scaled(&self, bits: u8, p_bits: u8) -> Result<Scaled> {
        let limit = f64::from((1_u32 << bits) - 1);
        let range = self.range(p_bits);
        if !range.is_finite() {
            return Err(self.lost("the smoothness term", range, (limit, range)));
        }
        let wanted = (FINE / self.coldest).min(limit / range.max(f64::MIN_POSITIVE));
        // A power of two, so that costs that are whole numbers stay exact.
        let mut factor = libm::exp2(libm::floor(libm::log2(wanted)));
        // Rounded numbers may need a little more than the real ones; where they need far more, nothing is left of them.
        for _ in 0..=SHIFT_MOST {
            let smooth: Vec<Smooth> = (0..=SHIFT_MOST)
                .filter_map(|shift| self.smooth(factor, shift))
                .filter(|smooth| self.fits(smooth, factor, (limit, p_bits)))
                .collect();
            if !smooth.is_empty() {
                return self.with(smooth, factor, (limit, range));
            }
            factor /= 2.0;
        }
        Err(self.lost("the smoothness term", self.smooth_most(), (limit, range)))
    }

    /// The smoothness term; none if β does not fit, or is lost.
    fn smooth(&self, factor: f64, shift: u8) -> Option<Smooth> {
        let scaled = libm::scalbn(self.beta * factor, shift.into()) / self.edges.unit;
        let heaviest = libm::scalbn(f64::from(self.edges.heaviest), -i32::from(shift));
        let (pair, beta, most, error) = match self.pairs {
            Pairs::Table(table) => {
                let beta = libm::ceil(self.pairs.most() * scaled / 255.0).max(1.0);
                let whole: Vec<f64> = table.iter().map(|v| (v * scaled / beta).round().min(255.0)).collect();
                let off = whole.iter().zip(table).map(|(whole, v)| (whole * beta - v * scaled).abs());
                let (error, most) = (off.fold(0.0, f64::max), whole.iter().copied().fold(0.0, f64::max));
                let whole = whole.into_iter().map(|v| v as u8).collect();
                (Some(Pair::Table(whole)), beta, most, error)
            }
            Pairs::Named { most, .. } => {
                let beta = scaled.round();
                if beta == 0.0 && self.beta > 0.0 {
                    return None;
                }
                (None, beta, most, (beta - scaled).abs() * most)
            }
        };
        (beta <= 255.0).then_some(Smooth { shift, beta: beta as u8, pair, most, error: error * heaviest })
    }

    /// True if no energy that could be drawn saturates: see the head of this file.
    fn fits(&self, smooth: &Smooth, factor: f64, (limit, p_bits): (f64, u8)) -> bool {
        let most = f64::from(smooth.beta) * smooth.most * f64::from(self.edges.around);
        let most = libm::floor(libm::scalbn(most, -i32::from(smooth.shift)));
        let (data, forbidden) = self.data;
        // One more than the floor for Es above H, one for rounding in floating point.
        let dead = libm::floor(factor * self.hottest * dead(p_bits)) + 2.0;
        let data = (self.alpha * data * factor).round();
        most + if forbidden { dead } else { data.min(dead) } <= limit
    }

    /// Costs as whole numbers with the best of `smooth`, which is not empty and goes by the shift.
    fn with(&self, smooth: Vec<Smooth>, factor: f64, (limit, range): (f64, f64)) -> Result<Scaled> {
        let (mut costs, mut error, mut kept) = (Vec::with_capacity(self.unary.len()), 0.0_f64, false);
        for v in self.unary {
            let exact = (self.alpha * v * factor).min(limit);
            let whole = exact.round();
            error = error.max((whole - exact).abs());
            kept |= whole > 0.0;
            costs.push(whole as u16);
        }
        let of = |smooth: &Smooth| {
            // A sum is cut to whole steps; half of what that takes away at most is the same for all labels.
            let cut = (1.0 - libm::scalbn(1.0, -i32::from(smooth.shift))) / 2.0;
            smooth.error.max(cut).max(error)
        };
        let least = smooth.iter().map(of).fold(f64::INFINITY, f64::min);
        let found = smooth.into_iter().find(|smooth| of(smooth) <= WORTH * least);
        let Some(smooth) = found else {
            return Err(self.lost("the smoothness term", self.smooth_most(), (limit, range)));
        };
        let rounding = of(&smooth) / (factor * self.coldest);
        // What is lost beside steps of the finest factor is too little to matter.
        let matters = |most: f64| most * FINE > self.coldest;
        let data = self.alpha * self.data.0;
        if !kept && matters(data) {
            return Err(self.lost("the data term, alpha times the largest cost,", data, (limit, range)));
        }
        let real = self.beta * self.pairs.most() * f64::from(self.edges.heaviest) / self.edges.unit;
        if smooth.most == 0.0 && matters(real) {
            let what = "the smoothness term, beta times the largest pair cost,";
            return Err(self.lost(what, real, (limit, range)));
        }
        let stored = libm::scalbn(real * factor, smooth.shift.into());
        let relative =
            if stored > 0.0 { libm::scalbn(smooth.error, smooth.shift.into()) / stored } else { 0.0 };
        let integers = IntegerParameters {
            alpha: 1 << smooth.shift,
            beta: smooth.beta,
            shift: smooth.shift,
            temperature_factor: factor,
            relative_error: relative,
        };
        let cap = match self.pairs {
            Pairs::Table(_) => 255,
            Pairs::Named { cap, .. } => cap,
        };
        Ok(Scaled { costs, pair: smooth.pair, cap, integers, rounding })
    }

    /// A refusal of energies of which nothing would be left.
    fn lost(&self, what: &str, value: f64, (limit, range): (f64, f64)) -> Error {
        Error::usage(format!(
            "{what} is {}, but would be rounded to 0: beside a smoothness term of up to {} around a RV and temperatures of \
             up to {} energies have {limit} steps, so it must be at least {}; make the greater ones less{}",
            shown(value),
            shown(self.smooth_most()),
            shown(self.hottest),
            shown(range / limit),
            if limit < 65_535.0 { ", or take --energy-bits 16 --weights pow2" } else { "" }
        ))
    }
}

/// The largest finite cost, and whether a label is forbidden.
pub(super) fn data_most(unary: &[f64]) -> (f64, bool) {
    unary.iter().fold(
        (0.0, false),
        |(most, forbidden), &v| {
            if v == f64::INFINITY { (most, true) } else { (v.max(most), forbidden) }
        },
    )
}

/// Es in temperatures above which a weight of `p_bits` is 0: (2^p_bits − 1)·exp(−Es/T) < 1.
fn dead(p_bits: u8) -> f64 {
    libm::log(f64::from((1_u32 << p_bits) - 1))
}

/// A number of a message: short, whatever its size.
fn shown(value: f64) -> String {
    match value {
        0.0 | 1e-3..1e7 => spagen::plot::number(value),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use spa_model::weights::probability;

    proptest! {
        /// Weights with caps and saturation are those without, at every temperature; the rounding is as told.
        #[test]
        fn nothing_that_could_be_drawn_is_changed(
            costs in prop::collection::vec(prop_oneof![Just(0.0), 0.0..3.0, 0.0..400.0, Just(1e9), Just(f64::INFINITY)], 4),
            table in prop::collection::vec(0.0..5.0, 3),
            sums in prop::collection::vec(0.0..=1.0, 5),
            (beta, heat, bits, p_bits) in (0.1..20.0, 1.0..30.0, 8_u8..=16, 1_u8..=8),
            weighted in any::<bool>(),
        ) {
            let unary: Vec<f64> = std::iter::once(0.0).chain(costs).collect();
            let edges = if weighted { Edges { unit: 8.0, heaviest: 15, around: 41 } } else { Edges { unit: 1.0, heaviest: 1, around: 4 } };
            let pairs = Pairs::Table(&table);
            let data = data_most(&unary);
            let real = Real { unary: &unary, data, alpha: 1.0, beta, pairs, edges, hottest: heat, coldest: 1.0 };
            // Eight bits may hold nothing of such a range.
            let Ok(scaled) = real.scaled(bits, p_bits) else { return Ok(()) };
            let Some(Pair::Table(whole)) = &scaled.pair else { return Err(TestCaseError::fail("no table")) };
            let p = scaled.integers;
            let most = u64::from(p.beta) * u64::from(*whole.iter().max().unwrap_or(&0)) * u64::from(edges.around);
            let limit = (1_u64 << bits) - 1;
            let factor = p.temperature_factor;
            let mut error = 0.0_f64;
            let of = |cost: u64, sum: f64| (u64::from(p.alpha) * cost + (sum * most as f64) as u64) >> p.shift;
            let (mut held, mut free) = (Vec::new(), Vec::new());
            for ((&cost, &v), &sum) in scaled.costs.iter().zip(&unary).zip(&sums) {
                held.push(of(cost.into(), sum).min(limit));
                free.push(of((v * factor).round().min(1e12) as u64, sum));
                if v * factor < limit as f64 {
                    error = error.max((f64::from(cost) / factor - v).abs());
                }
            }
            let weights = |energies: &[u64], t: f64| -> Vec<u32> {
                let least = energies.iter().min().copied().unwrap_or(0);
                energies.iter().map(|e| probability((e - least).min(1 << 31) as u32, t, p_bits)).collect()
            };
            for t in [factor * heat, factor * heat.sqrt(), factor] {
                prop_assert_eq!(weights(&held, t), weights(&free, t));
            }
            let heaviest = f64::from(edges.heaviest);
            for (&whole, v) in whole.iter().zip(&table) {
                let held = f64::from(p.beta) * f64::from(whole) * heaviest / f64::from(1_u32 << p.shift) / factor;
                error = error.max((held - beta * v * heaviest / edges.unit).abs());
            }
            prop_assert!(error <= scaled.rounding * (1.0 + 1e-9), "{} but {}", error, scaled.rounding);
            // Nothing but what the shift cuts off may be above it.
            prop_assert!(error >= scaled.rounding * (1.0 - 1e-9) || scaled.rounding < 0.5 / factor, "{}", scaled.rounding);
        }
    }

    #[test]
    fn a_smoothness_term_that_would_be_lost_is_refused() {
        let unary = [0.0, 5.0];
        let edges = Edges { unit: 1.0, heaviest: 1, around: 4 };
        let pairs = Pairs::Named { cap: 255, most: 255.0 };
        let data = data_most(&unary);
        let real =
            Real { unary: &unary, data, alpha: 1.0, beta: 1e4, pairs, edges, hottest: 1.0, coldest: 1.0 };
        let error = real.scaled(16, 8).unwrap_err().to_string();
        assert!(
            error.starts_with("the data term, alpha times the largest cost, is 5, but would be"),
            "{error}"
        );
        let unary = [0.0, f64::INFINITY];
        let pairs = Pairs::Named { cap: 1, most: 1.0 };
        let data = data_most(&unary);
        let real = Real { unary: &unary, data, beta: 1.0, hottest: 1e9, pairs, ..real };
        let error = real.scaled(16, 8).unwrap_err().to_string();
        assert!(error.contains("the smoothness term") && error.contains("would be rounded to 0"), "{error}");
    }
}
