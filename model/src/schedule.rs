//! Temperature schedules (contract §6).

use crate::error::Error;
use crate::rng::START_ITERATION;
use serde::{Deserialize, Serialize};

/// Most entries of a schedule that the model takes; an array holds what it was built for.
pub const ENTRIES_MAX: usize = 4096;

/// Most iterations that a run can collect (contract §6).
pub const MAX_COLLECTED: u32 = 65_535;

/// Default number of steps of an annealing schedule.
pub const ANNEAL_STEPS: u32 = 25;

/// One entry: a temperature, in units of the integer energy, and how many iterations it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Temperature, > 0 and finite.
    pub temperature: f64,
    /// Iterations, ≥ 1.
    pub iterations: u32,
}

/// A checked list of entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schedule {
    steps: Vec<Step>,
}

impl Schedule {
    /// A schedule from its entries.
    ///
    /// # Errors
    /// [`Error::Range`] for an empty or overlong list, a temperature that is not positive and finite, an entry of
    /// no iterations, or more than 2^24 − 2 iterations in all.
    pub fn new(steps: Vec<Step>) -> Result<Self, Error> {
        if steps.is_empty() || steps.len() > ENTRIES_MAX {
            return Err(Error::range(
                "schedule",
                format!("{} entries", steps.len()),
                format!("1…{ENTRIES_MAX} entries"),
            ));
        }
        let mut total = 0_u64;
        for step in &steps {
            check_temperature(step.temperature)?;
            if step.iterations == 0 {
                return Err(Error::range("iterations of a schedule entry", 0, "at least 1"));
            }
            total += u64::from(step.iterations);
        }
        if total >= u64::from(START_ITERATION) {
            return Err(Error::range("iterations", total, format!("1…{}", START_ITERATION - 1)));
        }
        Ok(Self { steps })
    }

    /// Pure sampling: one temperature.
    ///
    /// # Errors
    /// As [`Schedule::new`].
    pub fn constant(temperature: f64, iterations: u32) -> Result<Self, Error> {
        if iterations == 0 {
            return Err(Error::range("iterations", 0, format!("1…{}", START_ITERATION - 1)));
        }
        Self::new(vec![Step { temperature, iterations }])
    }

    /// Geometric annealing from `t0` to `t1` in `steps` equal blocks, the remainder to the last.
    ///
    /// # Errors
    /// As [`Schedule::new`]; also if `steps` is 0 or above `iterations`, or 1 with two different temperatures.
    pub fn anneal(t0: f64, t1: f64, steps: u32, iterations: u32) -> Result<Self, Error> {
        check_temperature(t0)?;
        check_temperature(t1)?;
        if steps == 0 || steps > iterations || steps as usize > ENTRIES_MAX {
            let most = iterations.min(ENTRIES_MAX as u32);
            return Err(Error::range("annealing steps", steps, format!("1…{most} (at most the iterations)")));
        }
        if steps == 1 && t0 != t1 {
            return Err(Error::range("annealing steps", 1, "at least 2 between two different temperatures"));
        }
        let block = iterations / steps;
        let log_ratio = libm::log(t1 / t0);
        let temperature = |i: u32| match i {
            0 => t0,
            i if i == steps - 1 => t1,
            i => t0 * libm::exp(log_ratio * f64::from(i) / f64::from(steps - 1)),
        };
        let length = |i: u32| if i == steps - 1 { iterations - block * (steps - 1) } else { block };
        Self::new((0..steps).map(|i| Step { temperature: temperature(i), iterations: length(i) }).collect())
    }

    /// The entries, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// All iterations, burn-in included.
    pub fn iterations(&self) -> u32 {
        self.steps.iter().map(|step| step.iterations).sum()
    }

    /// First iteration of the last entry, or half of a run at one temperature.
    pub fn last_entry(&self) -> u32 {
        match self.steps.as_slice() {
            [only] => only.iterations / 2,
            steps => self.iterations() - steps[steps.len() - 1].iterations,
        }
    }

    /// Default start of collection: the first iteration from which on no temperature is above twice the last one. A field that
    /// cools keeps what it froze into, right or wrong: draws at the final temperature alone are sure of nearly everything, the last
    /// halving of the temperature shows what was last to be decided. Half of a run whose temperatures are all that low.
    ///
    /// Never more than [`MAX_COLLECTED`] iterations are left to collect.
    pub fn default_burn_in(&self) -> u32 {
        let total = self.iterations();
        let last = self.steps.last().map_or(0.0, |step| step.temperature);
        // A geometric schedule may pass through just twice the last temperature, give or take a rounding.
        let limit = 2.0 * last * (1.0 + 1e-9);
        let warm = self.steps.iter().rposition(|step| step.temperature > limit);
        let start = match warm {
            Some(index) => self.steps[..=index].iter().map(|step| step.iterations).sum(),
            None => total / 2,
        };
        start.max(total.saturating_sub(MAX_COLLECTED))
    }

    /// The same schedule with all temperatures multiplied by `factor` (see [`crate::real`]).
    ///
    /// # Errors
    /// As [`Schedule::new`], if a product leaves the range of f64.
    pub fn scaled(&self, factor: f64) -> Result<Self, Error> {
        Self::new(
            self.steps
                .iter()
                .map(|s| Step { temperature: s.temperature * factor, iterations: s.iterations })
                .collect(),
        )
    }

    /// Index of the entry of every iteration, in order.
    pub fn entry_of_iterations(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().enumerate().flat_map(|(e, step)| std::iter::repeat_n(e, step.iterations as usize))
    }
}

fn check_temperature(t: f64) -> Result<(), Error> {
    if t.is_finite() && t > 0.0 {
        return Ok(());
    }
    Err(Error::range("temperature", t, "a finite number above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annealing_ends_exactly_and_keeps_every_iteration() {
        let s = Schedule::anneal(20.0, 1.0, 25, 507).unwrap();
        assert_eq!(s.steps().len(), 25);
        assert_eq!(s.iterations(), 507);
        assert_eq!(s.steps()[0].temperature, 20.0);
        assert_eq!(s.steps()[24].temperature, 1.0);
        assert_eq!(s.steps()[24].iterations, 27);
        assert_eq!(s.last_entry(), 480);
    }

    #[test]
    fn collection_begins_at_twice_the_last_temperature() {
        let annealed =
            |from, to, iterations| Schedule::anneal(from, to, 25, iterations).unwrap().default_burn_in();
        // The thirteenth entry is at 6, twice the last.
        assert_eq!(annealed(12.0, 3.0, 500), 240);
        // 20 → 1: entries 0 to 18 are above 2.
        assert_eq!(annealed(20.0, 1.0, 500), 380);
        // Nowhere more than twice as warm: half.
        assert_eq!(annealed(3.0, 2.0, 500), 250);
        assert_eq!(Schedule::constant(4.0, 301).unwrap().default_burn_in(), 150);
        // No more than a run can collect.
        assert_eq!(Schedule::constant(4.0, 200_000).unwrap().default_burn_in(), 200_000 - MAX_COLLECTED);
        let warmer = [(2.0, 10), (9.0, 10), (2.5, 7), (2.0, 3)];
        let steps = warmer.map(|(temperature, iterations)| Step { temperature, iterations });
        assert_eq!(Schedule::new(steps.to_vec()).unwrap().default_burn_in(), 20);
    }

    #[test]
    fn bad_temperatures_are_refused() {
        for t in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Schedule::constant(t, 3).is_err());
        }
        assert!(Schedule::anneal(2.0, 1.0, 5, 4).is_err());
        assert!(Schedule::constant(1.0, 0).is_err());
    }
}
