//! Where the parameters of a study come from: the dissertation's tables, the defaults of `spa`, and the command line.

use crate::app::{Application, PairForm};
use crate::options::ranges::number;
use crate::options::{Anneal, Iterations, RunOptions};
use clap::{Args, ValueEnum};
use spa_model::Weights;
use std::path::PathBuf;

/// Bits of a sample in the dissertation; Table 3.2's weights count in their steps.
pub const SINGLETON_BITS: u8 = 6;

/// Sets of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Parameters {
    /// One temperature, 3000 iterations; stereo: alpha 6, beta 7, T 2; flow: 6, 6, 1; samples of 6 bits, no caps, random
    /// start
    #[value(name = "table-3.2")]
    Table32,
    /// Annealing, 1000 iterations; stereo: alpha 1, beta 2, T 10 → 1; flow: 1, 8 (225 labels: 2), 80 → 1; energies of 10
    /// bits, weights without rounding to powers of two, random start
    #[value(name = "table-4.2")]
    Table42,
    /// The defaults of 'spa stereo' and 'spa flow'
    Default,
}

/// Which iterations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collect {
    /// The second half of the run, as Fig. 3.2.
    SecondHalf,
    /// The last 1,000 iterations, as the evaluation; two thirds of the run at most, so that short runs are like the long
    /// ones. With the defaults of `spa`, what those collect.
    LastThousand,
}

/// Options of model and run that a study takes.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ModelOptions {
    /// Number of labels of stereo scenes that do not say
    #[arg(long, value_name = "N", value_parser = number::<u16>("labels"), help_heading = "Model")]
    pub labels: Option<u16>,
    /// Odd side of the search window of flow [default: 7]
    #[arg(long, value_name = "N", value_parser = number::<u16>("window"), help_heading = "Model")]
    pub window: Option<u16>,
    /// Weight of the data term
    #[arg(long, value_name = "A", help_heading = "Model")]
    pub alpha: Option<f64>,
    /// Weight of the smoothness term
    #[arg(long, value_name = "B", help_heading = "Model")]
    pub beta: Option<f64>,
    /// Cap of the smoothness term, 1…255
    #[arg(long, value_name = "C", value_parser = number::<u8>("cap"), help_heading = "Model")]
    pub cap: Option<u8>,
    /// Cap of the data term
    #[arg(long, value_name = "C", value_parser = number::<u16>("data-cap"), help_heading = "Model")]
    pub data_cap: Option<u16>,
    /// Data term of a sample outside the picture
    #[arg(long, value_name = "S", value_parser = number::<u16>("outside"), help_heading = "Model")]
    pub outside: Option<u16>,
    /// Form of the smoothness term
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Model")]
    pub pair: Option<PairForm>,
    /// Iterations
    #[arg(long, value_name = "N", value_parser = number::<u32>("iterations"), help_heading = "Sampling")]
    pub iterations: Option<u32>,
    /// First iteration that counts [default: as the figure]
    #[arg(long, value_name = "N", value_parser = number::<u32>("burn-in"), help_heading = "Sampling")]
    pub burn_in: Option<u32>,
    /// Seed
    #[arg(long, value_name = "N", help_heading = "Sampling")]
    pub seed: Option<u64>,
    /// Sample at one temperature
    #[arg(long, value_name = "T", conflicts_with = "anneal", help_heading = "Sampling")]
    pub temperature: Option<f64>,
    /// Cool geometrically
    #[arg(long, value_name = "T0:T1[:STEPS]", allow_hyphen_values = true, help_heading = "Sampling")]
    pub anneal: Option<Anneal>,
    /// Initial labels: argmin, zero or random [default: random, argmin with the defaults of spa]
    #[arg(long, value_name = "START", help_heading = "Sampling")]
    pub start: Option<PathBuf>,
    /// Leave out labels of weight w where w·C ≤ 2^(p_bits−1)
    #[arg(long, value_name = "C", value_parser = number::<u8>("cutoff"), help_heading = "Sampling")]
    pub cutoff: Option<u8>,
    /// Bits of a sample
    #[arg(long, value_name = "N", value_parser = number::<u8>("singleton-bits"), help_heading = "Widths")]
    pub singleton_bits: Option<u8>,
    /// Bits of an energy
    #[arg(long, value_name = "N", value_parser = number::<u8>("energy-bits"), help_heading = "Widths")]
    pub energy_bits: Option<u8>,
    /// Bits of a probability
    #[arg(long, value_name = "N", value_parser = number::<u8>("p-bits"), help_heading = "Widths")]
    pub p_bits: Option<u8>,
    /// Bits of a random number
    #[arg(long, value_name = "N", value_parser = number::<u8>("u-bits"), help_heading = "Widths")]
    pub u_bits: Option<u8>,
    /// Bits of a counter of the label log
    #[arg(long, value_name = "N", value_parser = number::<u8>("count-bits"), help_heading = "Widths")]
    pub count_bits: Option<u8>,
    /// Weights from probabilities: pow2 or linear
    #[arg(long, value_name = "FORM", value_parser = crate::options::weights, help_heading = "Widths")]
    pub weights: Option<Weights>,
}

impl ModelOptions {
    /// As options of a run.
    fn to_run(&self) -> RunOptions {
        RunOptions {
            labels: self.labels,
            window: self.window,
            alpha: self.alpha,
            beta: self.beta,
            cap: self.cap,
            data_cap: self.data_cap,
            outside: self.outside,
            pair: self.pair,
            iterations: self.iterations.map(Iterations::Count),
            burn_in: self.burn_in,
            seed: self.seed,
            temperature: self.temperature,
            anneal: self.anneal,
            start: self.start.clone(),
            cutoff: self.cutoff,
            singleton_bits: self.singleton_bits,
            energy_bits: self.energy_bits,
            p_bits: self.p_bits,
            u_bits: self.u_bits,
            count_bits: self.count_bits,
            weights: self.weights,
            ..RunOptions::default()
        }
    }

    /// The options of a run of `application`: these, and `parameters` where they say nothing.
    pub fn resolve(&self, application: &Application, parameters: Parameters, collect: Collect) -> RunOptions {
        let mut options = self.to_run().or(parameters.options(application, self.window));
        let given = options.iterations.and_then(Iterations::count);
        let iterations = given.unwrap_or(application.defaults().iterations);
        let collected = match (collect, parameters) {
            (Collect::SecondHalf, _) => Some(iterations.div_ceil(2)),
            (Collect::LastThousand, Parameters::Default) => None,
            (Collect::LastThousand, _) => Some((iterations - iterations / 3).min(1000)),
        };
        options.burn_in = options.burn_in.or(collected.map(|collected| iterations - collected));
        options
    }
}

impl Parameters {
    fn options(self, application: &Application, window: Option<u16>) -> RunOptions {
        let stereo = matches!(application, Application::Stereo { .. });
        let anneal = |from| Some(Anneal { from, to: 1.0, steps: None });
        let uncapped = RunOptions {
            cap: Some(u8::MAX),
            data_cap: Some(u16::MAX),
            pair: Some(PairForm::Abs),
            // The dissertation does not say; from the labels of least cost these cold runs hardly get away.
            start: Some("random".into()),
            ..RunOptions::default()
        };
        match self {
            Self::Default => RunOptions::default(),
            Self::Table32 => RunOptions {
                alpha: Some(6.0),
                beta: Some(if stereo { 7.0 } else { 6.0 }),
                temperature: Some(if stereo { 2.0 } else { 1.0 }),
                iterations: Some(Iterations::Count(3000)),
                singleton_bits: Some(SINGLETON_BITS),
                // As those of 'spa stereo' in steps of six bits; the largest difference of two samples.
                outside: Some(if stereo { 2 } else { (1 << SINGLETON_BITS) - 1 }),
                ..uncapped
            },
            Self::Table42 => RunOptions {
                alpha: Some(1.0),
                beta: Some(match window {
                    _ if stereo => 2.0,
                    Some(15) => 2.0,
                    _ => 8.0,
                }),
                anneal: if stereo { anneal(10.0) } else { anneal(80.0) },
                iterations: Some(Iterations::Count(1000)),
                outside: Some(if stereo { 9 } else { 255 }),
                energy_bits: Some(10),
                weights: Some(Weights::Linear),
                ..uncapped
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEREO: Application = Application::Stereo { dmin: 0 };
    const FLOW: Application = Application::Flow { window: 7 };

    #[test]
    fn the_tables_of_the_dissertation() {
        let none = ModelOptions::default();
        let of = |application, collect| none.resolve(application, Parameters::Table32, collect);
        let stereo = of(&STEREO, Collect::LastThousand);
        assert_eq!((stereo.alpha, stereo.beta, stereo.temperature), (Some(6.0), Some(7.0), Some(2.0)));
        assert_eq!((stereo.iterations, stereo.burn_in), (Some(Iterations::Count(3000)), Some(2000)));
        let flow = of(&FLOW, Collect::SecondHalf);
        assert_eq!((flow.alpha, flow.beta, flow.temperature), (Some(6.0), Some(6.0), Some(1.0)));
        assert_eq!(flow.burn_in, Some(1500));
        let wide = ModelOptions { window: Some(15), ..none };
        assert_eq!(wide.resolve(&FLOW, Parameters::Table42, Collect::LastThousand).beta, Some(2.0));
    }

    #[test]
    fn the_command_line_goes_first_and_short_runs_are_like_long_ones() {
        let options = ModelOptions {
            iterations: Some(30),
            anneal: Some(Anneal { from: 5.0, to: 1.0, steps: None }),
            ..ModelOptions::default()
        };
        let run = options.resolve(&STEREO, Parameters::Table32, Collect::LastThousand);
        assert_eq!(
            (run.iterations, run.burn_in, run.temperature),
            (Some(Iterations::Count(30)), Some(10), None)
        );
        let half = options.resolve(&STEREO, Parameters::Table32, Collect::SecondHalf);
        assert_eq!(half.burn_in, Some(15));
        let own = options.resolve(&STEREO, Parameters::Default, Collect::LastThousand);
        assert_eq!((own.burn_in, own.alpha), (None, None));
    }
}
