//! The dissertation's rule (section 4.4.1): the times of a benchmark are divided by that of its fastest configuration, the
//! slowdowns averaged over the benchmarks; the configuration with the least average is chosen.

use serde::Serialize;

/// Seconds of the repeats, by configuration and benchmark; none where it cannot run.
pub type Times = Vec<Vec<Option<Vec<f64>>>>;

/// Normalised slowdown of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slowdown {
    /// Mean over the benchmarks.
    pub mean: f64,
    /// Standard deviation over the repeats of that mean.
    pub deviation: f64,
}

/// What the rule says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// Number of the chosen configuration.
    pub configuration: usize,
    /// By configuration; none where a benchmark cannot run.
    pub slowdowns: Vec<Option<Slowdown>>,
}

/// Chooses among configurations that ran on every benchmark; none if there is none.
pub fn choose(times: &Times) -> Option<Choice> {
    let benchmarks = times.first()?.len();
    let mean = |seconds: &Vec<f64>| mean_and_deviation(seconds).0;
    let fastest: Vec<f64> = (0..benchmarks)
        .map(|b| times.iter().filter_map(|row| row[b].as_ref().map(mean)).fold(f64::INFINITY, f64::min))
        .collect();
    let slowdown = |row: &Vec<Option<Vec<f64>>>| -> Option<Slowdown> {
        let all: Vec<&Vec<f64>> = row.iter().map(Option::as_ref).collect::<Option<_>>()?;
        let repeats = all.iter().map(|seconds| seconds.len()).min()?;
        let of_repeat = |r: usize| {
            all.iter().zip(&fastest).map(|(seconds, fastest)| seconds[r] / fastest).sum::<f64>()
                / benchmarks as f64
        };
        let (mean, deviation) = mean_and_deviation(&(0..repeats).map(of_repeat).collect::<Vec<_>>());
        mean.is_finite().then_some(Slowdown { mean, deviation })
    };
    let slowdowns: Vec<Option<Slowdown>> = times.iter().map(slowdown).collect();
    let ranked = slowdowns.iter().enumerate().filter_map(|(n, s)| Some((n, s.as_ref()?.mean)));
    let (configuration, _) = ranked.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Choice { configuration, slowdowns })
}

/// Mean and standard deviation (of the sample; 0 for one value).
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_by_hand() {
        // Two benchmarks, three configurations; the last cannot run the second benchmark.
        let times: Times = vec![
            vec![Some(vec![1.0, 1.0]), Some(vec![6.0, 6.0])],
            vec![Some(vec![1.2, 1.4]), Some(vec![4.0, 4.0])],
            vec![Some(vec![0.5, 0.5]), None],
        ];
        let choice = choose(&times).unwrap();
        // The fastest of the first benchmark is the one that cannot run the second.
        let first = choice.slowdowns[0].unwrap();
        assert!((first.mean - (2.0 + 1.5) / 2.0).abs() < 1e-12 && first.deviation == 0.0);
        let second = choice.slowdowns[1].unwrap();
        assert!((second.mean - (2.6 + 1.0) / 2.0).abs() < 1e-12, "{second:?}");
        assert!((second.deviation - 0.2 / 2.0_f64.sqrt()).abs() < 1e-12, "{second:?}");
        assert_eq!((choice.slowdowns[2], choice.configuration), (None, 0));
        assert_eq!(choose(&vec![vec![None]]), None);
        assert_eq!(choose(&Vec::new()), None);
    }
}
