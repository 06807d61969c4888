//! The f64 reference sampler: Equations 3.1–3.3 without quantisation, the yardstick of Fig. 3.12.
//!
//! Same field, starts, order and random words as [`crate::spec`], but real energies without saturation,
//! p = exp(−Es/T), and u with all 32 bits of its word. It is not part of the contract.

use crate::error::Error;
use crate::histogram::Histogram;
use crate::job::{Job, Outcome};
use crate::{entry::Message, rng, spec};

/// Real parameters in place of a job's integer ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RealParameters {
    /// Weight of S.
    pub alpha: f64,
    /// Weight of ΣV.
    pub beta: f64,
    /// Factor from the job's temperatures to the real ones (1/c of contract §3).
    pub temperature_factor: f64,
}

/// Largest whole energy whose exponentials are tabulated.
const TABLE_MAX: f64 = 65_536.0;

/// Runs `job` in double precision with the parameters `real`.
///
/// Messages are one per RV and label with its count, so that hashes of the two samplers are never confused.
///
/// # Errors
/// [`Error::Log`] if the counts do not add up, which would be a defect of this function.
pub fn run(job: &Job, real: RealParameters) -> Result<Outcome, Error> {
    run_watched(job, real, &mut |_| true)
}

/// The same; `progress` is called with the number of finished iterations. Where it returns false, the run ends.
///
/// # Errors
/// [`Error::Interrupted`] if `progress` ended the run; else as [`run`].
pub fn run_watched(
    job: &Job,
    real: RealParameters,
    progress: &mut dyn FnMut(u32) -> bool,
) -> Result<Outcome, Error> {
    let (problem, run) = (job.problem(), job.run());
    let labels_count = usize::from(problem.labels);
    let mut labels = job.initial_labels();
    let mut counts = vec![0_u32; problem.rvs() * labels_count];
    let singleton: Vec<f64> = (0..problem.height)
        .flat_map(|y| (0..problem.width).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            (0..labels_count).map(move |l| real.alpha * f64::from(problem.singleton_cost(x, y, l)))
        })
        .collect();
    let pair: Vec<f64> = (0..labels_count)
        .flat_map(|l| (0..labels_count).map(move |m| real.beta * f64::from(problem.pair_cost(l, m))))
        .collect();
    let mut p = vec![0.0; labels_count];
    let mut exponentials = Exponentials::new(&singleton, &pair, real);

    for (iteration, entry) in run.schedule.entry_of_iterations().enumerate() {
        exponentials.set(run.schedule.steps()[entry].temperature * real.temperature_factor);
        for colour in [0, 1] {
            for y in 0..problem.height {
                for x in (0..problem.width).filter(|x| (x + y) % 2 == colour) {
                    let i = (y * problem.width + x) as usize;
                    if problem.is_fixed(i) {
                        continue;
                    }
                    for (l, p) in p.iter_mut().enumerate() {
                        *p = singleton[i * labels_count + l];
                        for n in spec::neighbours(problem.width, problem.height, x, y) {
                            let weight = f64::from(problem.edge_weight(i, n));
                            *p += weight * pair[l * labels_count + usize::from(labels[n])];
                        }
                    }
                    let least = p.iter().copied().fold(f64::INFINITY, f64::min);
                    exponentials.of(&mut p, least);
                    let word = rng::word(run.seed, run.chain, x, y, iteration as u32);
                    labels[i] = draw(&p, f64::from(word) / 4_294_967_296.0);
                    if iteration as u32 >= run.burn_in {
                        counts[i * labels_count + usize::from(labels[i])] += 1;
                    }
                }
            }
        }
        if !progress(iteration as u32 + 1) {
            return Err(Error::Interrupted { iterations: iteration as u32 + 1 });
        }
    }
    let messages: Vec<Message> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(k, &count)| Message { rv: (k / labels_count) as u32, label: (k % labels_count) as u8, count })
        .collect();
    let histogram = Histogram::from_messages(job, &messages, &labels)?;
    Ok(Outcome { labels, histogram, messages, labels_touched: job.labels_evaluated() })
}

/// exp(−Es/T), from a table where all energies are small whole numbers: the same values, sooner.
struct Exponentials {
    temperature: f64,
    table: Option<Vec<f64>>,
}

impl Exponentials {
    fn new(singleton: &[f64], pair: &[f64], real: RealParameters) -> Self {
        let whole = |weight: f64| weight.fract() == 0.0;
        // Edge weights reach 15, and there are four neighbours.
        let most = |costs: &[f64]| costs.iter().copied().fold(0.0, f64::max);
        let energies = most(singleton) + 4.0 * 15.0 * most(pair);
        let tabulated = whole(real.alpha) && whole(real.beta) && energies < TABLE_MAX;
        let table = tabulated.then(|| vec![0.0; energies as usize + 1]);
        Self { temperature: 0.0, table }
    }

    fn set(&mut self, temperature: f64) {
        if temperature == self.temperature {
            return;
        }
        self.temperature = temperature;
        if let Some(table) = &mut self.table {
            for (energy, p) in table.iter_mut().enumerate() {
                *p = libm::exp(-(energy as f64) / temperature);
            }
        }
    }

    /// Puts probabilities, up to their sum, in place of energies.
    fn of(&self, energies: &mut [f64], least: f64) {
        match &self.table {
            Some(table) => energies.iter_mut().for_each(|e| *e = table[(*e - least) as usize]),
            None => energies.iter_mut().for_each(|e| *e = libm::exp((least - *e) / self.temperature)),
        }
    }
}

/// The first label whose cumulated share exceeds `u`; the last one of positive weight if rounding leaves none.
fn draw(p: &[f64], u: f64) -> u8 {
    let r = u * p.iter().sum::<f64>();
    let mut prefix = 0.0;
    for (l, p) in p.iter().enumerate() {
        prefix += p;
        if prefix > r {
            return l as u8;
        }
    }
    p.iter().rposition(|&p| p > 0.0).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_what_is_computed_elsewhere() {
        let whole = RealParameters { alpha: 6.0, beta: 7.0, temperature_factor: 1.0 };
        let mut table = Exponentials::new(&[0.0, 378.0], &[0.0, 35.0], whole);
        let mut plain =
            Exponentials::new(&[0.0, 378.0], &[0.0, 35.0], RealParameters { alpha: 6.5, ..whole });
        assert!(table.table.is_some() && plain.table.is_none());
        for temperature in [2.0, 0.7] {
            table.set(temperature);
            plain.set(temperature);
            let energies: Vec<f64> = (5..1500).map(f64::from).collect();
            let (mut a, mut b) = (energies.clone(), energies);
            table.of(&mut a, 5.0);
            plain.of(&mut b, 5.0);
            assert_eq!(a, b, "bit for bit");
        }
    }
}
