//! The total energy of a labelling: what the sampler makes small on the way down a schedule (contract §3, "Total energy").
//!
//! E(x) = α·Σ_i S_i(x_i) + β·Σ_(i,n) w_in·V(x_i, x_n): every singleton once, also those of fixed RVs, and every pair of
//! neighbours once. Neither the shift nor the saturation of Eq. 3.1 applies: both round the conditional energy of one RV,
//! and no total has these roundings as its conditionals. So the unit is 2^−shift of that of E_i(l), and a temperature T of
//! the schedule is T·2^shift in units of the total.

use crate::error::{Error, check_range};
use crate::job::{Difference, Problem, Singleton, check_size};
use rayon::prelude::*;
use std::iter::Sum;
use std::ops::Add;

/// Both sums of the total energy, weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// α·ΣS
    pub singletons: u64,
    /// β·Σ w·V, every pair of neighbours once.
    pub pairs: u64,
}

impl Parts {
    /// The total energy. At most 2^32 · (255·65,535 + 2·255·15·255), below 2^57.
    pub fn total(self) -> u64 {
        self.singletons + self.pairs
    }
}

impl Add for Parts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { singletons: self.singletons + other.singletons, pairs: self.pairs + other.pairs }
    }
}

impl Sum for Parts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

/// The terms of a problem, made ready for many labellings.
#[derive(Debug)]
pub struct Terms<'a> {
    problem: &'a Problem,
    /// V(l, m), L×L by the label of the left or upper end.
    pairs: Vec<u8>,
}

impl<'a> Terms<'a> {
    /// Tabulates the pair term of `problem`, which must have passed [`crate::Job::new`].
    pub fn new(problem: &'a Problem) -> Self {
        let labels = usize::from(problem.labels);
        let pairs =
            (0..labels * labels).map(|at| problem.pair_cost(at / labels, at % labels) as u8).collect();
        Self { problem, pairs }
    }

    /// The energy of `labels`, H×W.
    ///
    /// # Errors
    /// [`Error::Size`] or [`Error::Range`] if they are not one label below L for every RV.
    pub fn of(&self, labels: &[u8]) -> Result<Parts, Error> {
        self.check(labels)?;
        Ok((0..self.problem.height).map(|y| self.of_row(y, labels)).sum())
    }

    /// The same with the threads of the current pool, where the field is large enough for them.
    ///
    /// # Errors
    /// As [`Terms::of`].
    pub fn of_in_parallel(&self, labels: &[u8]) -> Result<Parts, Error> {
        self.check(labels)?;
        Ok(self.of_rows_in_parallel(labels))
    }

    /// The same for `labels` that are checked.
    pub(crate) fn of_rows_in_parallel(&self, labels: &[u8]) -> Parts {
        let rows = 0..self.problem.height;
        // Below this size waking the threads costs more than it saves.
        if self.problem.rvs() < 1 << 20 {
            return rows.map(|y| self.of_row(y, labels)).sum();
        }
        rows.into_par_iter().map(|y| self.of_row(y, labels)).sum()
    }

    /// What every label of RV (x, y) would add to the total: its singleton and its pairs, into `costs`, one a label. `labels`
    /// must be one label below L for every RV. Below 2^25.
    pub fn local(&self, labels: &[u8], x: u32, y: u32, costs: &mut [u32]) {
        let problem = self.problem;
        let (width, stride) = (problem.width as usize, usize::from(problem.labels));
        let i = y as usize * width + x as usize;
        for (l, cost) in costs.iter_mut().enumerate() {
            *cost = u32::from(problem.alpha) * problem.singleton_cost(x, y, l);
        }
        for n in crate::spec::neighbours(problem.width, problem.height, x, y) {
            let weight = u32::from(problem.beta) * problem.edge_weight(i, n);
            let other = usize::from(labels[n]);
            for (l, cost) in costs.iter_mut().enumerate() {
                // The left or upper end is the row.
                let at = if n < i { other * stride + l } else { l * stride + other };
                *cost += weight * u32::from(self.pairs[at]);
            }
        }
    }

    /// Refuses labels that are not one below L for every RV.
    pub(crate) fn check(&self, labels: &[u8]) -> Result<(), Error> {
        let problem = self.problem;
        let size = format!("{}x{}", problem.width, problem.height);
        check_size("labelling", labels.len(), problem.rvs(), size)?;
        let greatest = labels.iter().copied().max().unwrap_or(0);
        check_range("label", u16::from(greatest), 0, problem.labels - 1)
    }

    /// The singletons of row `y`, its pairs to the right and those down to row y + 1. `labels` are checked.
    pub(crate) fn of_row(&self, y: u32, labels: &[u8]) -> Parts {
        let problem = self.problem;
        let (width, stride) = (problem.width as usize, usize::from(problem.labels));
        let first = y as usize * width;
        let row = &labels[first..first + width];
        let below = labels.get(first + width..first + 2 * width).unwrap_or_default();
        let pair = |l: u8, m: u8| u64::from(self.pairs[usize::from(l) * stride + usize::from(m)]);

        let singletons = self.singletons_of_row(y, row);
        let right = row.iter().zip(&row[1..]).map(|(&l, &m)| pair(l, m));
        let down = row.iter().zip(below).map(|(&l, &m)| pair(l, m));
        let pairs: u64 = match &problem.edge_weights {
            None => right.sum::<u64>() + down.sum::<u64>(),
            Some(weights) => {
                let weights = weights[2 * first..2 * (first + width)].as_chunks::<2>().0;
                right.zip(weights).map(|(v, w)| v * u64::from(w[0])).sum::<u64>()
                    + down.zip(weights).map(|(v, w)| v * u64::from(w[1])).sum::<u64>()
            }
        };
        Parts { singletons: u64::from(problem.alpha) * singletons, pairs: u64::from(problem.beta) * pairs }
    }

    /// ΣS of row `y` with the labels `row`: [`Problem::singleton_cost`] with the choice of the form outside the loop.
    fn singletons_of_row(&self, y: u32, row: &[u8]) -> u64 {
        let problem = self.problem;
        let (width, cap) = (problem.width as usize, u32::from(problem.data_cap));
        let first = y as usize * width;
        let difference = |form: Difference, a: u8, b: u8| {
            let d = u32::from(a.abs_diff(b));
            let f = if form == Difference::Abs { d } else { d * d };
            u64::from(f.min(cap))
        };
        match &problem.singleton {
            Singleton::Table { costs } => {
                let labels = usize::from(problem.labels);
                let costs = costs[first * labels..].chunks_exact(labels);
                costs.zip(row).map(|(costs, &l)| u64::from(costs[usize::from(l)].min(problem.data_cap))).sum()
            }
            Singleton::Values { form, first: samples, values } => samples[first..]
                .iter()
                .zip(row)
                .map(|(&sample, &l)| difference(*form, sample, values[usize::from(l)]))
                .sum(),
            Singleton::Pixels { form, first: samples, second, offsets } => samples[first..]
                .iter()
                .zip(row)
                .enumerate()
                .map(|(x, (&sample, &l))| {
                    let offset = offsets[usize::from(l)];
                    // Outside on the left or above becomes very large.
                    let sx = x.wrapping_add_signed(offset.dx.into());
                    let sy = (y as usize).wrapping_add_signed(offset.dy.into());
                    if sx < width && sy < problem.height as usize {
                        difference(*form, sample, second[sy * width + sx])
                    } else {
                        problem.s_outside.into()
                    }
                })
                .sum(),
        }
    }
}

/// The total energy of `labels` (H×W), in units of 2^−shift of E_i(l).
///
/// `problem` must have passed [`crate::Job::new`].
///
/// # Errors
/// [`Error::Size`] or [`Error::Range`] if `labels` are not one label below L for every RV.
pub fn total(problem: &Problem, labels: &[u8]) -> Result<u64, Error> {
    Ok(Terms::new(problem).of(labels)?.total())
}
