//! Has a run seen enough? Split-R̂ and effective sample sizes of integer series, from exact sums (docs/uncertainty.md).
//!
//! Sums are whole numbers and every result is one chain of IEEE operations on them, so equal draws give equal numbers on
//! every machine. [`blocks`] holds how often labels were drawn, [`converge`] decides when a run may stop.

pub mod blocks;
pub mod converge;

pub mod ess;

/// Sums of one sequence of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Σx
    pub sum: u128,
    /// Σx²
    pub squares: u128,
}

impl Sums {
    /// Those of `values`.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        values.into_iter().fold(Self::default(), |sums, value| Self {
            sum: sums.sum + u128::from(value),
            squares: sums.squares + u128::from(value) * u128::from(value),
        })
    }

    /// Those of the indicator of a label that was drawn `count` times.
    pub fn of_count(count: u32) -> Self {
        Self { sum: count.into(), squares: count.into() }
    }
}

/// R̂ of `sequences` (the halves of all chains), each of `n` values: √(var⁺ / W) of Gelman and others with W the mean variance
/// within sequences and var⁺ = (n − 1)/n · W + B/n (Vehtari and others 2021, equations 1 to 4, without ranks).
///
/// 1 if all values are equal, infinite if they differ between sequences and never within one; infinite, too, with fewer than two
/// sequences or values, which tell nothing. Values below 2^32, n below 2^24 and up to 512 sequences do not overflow.
pub fn rhat(n: u32, sequences: &[Sums]) -> f64 {
    let m = sequences.len() as u128;
    if m < 2 || n < 2 {
        return f64::INFINITY;
    }
    // n times the sum of squares around the means of the sequences, and m times that of the means around theirs.
    let within: u128 = sequences.iter().map(|s| u128::from(n) * s.squares - s.sum * s.sum).sum();
    let sum: u128 = sequences.iter().map(|s| s.sum).sum();
    let between = m * sequences.iter().map(|s| s.sum * s.sum).sum::<u128>() - sum * sum;
    match (within, between) {
        (0, 0) => 1.0,
        (0, _) => f64::INFINITY,
        _ => {
            let ratio = between as f64 / ((m - 1) as f64 * within as f64);
            (f64::from(n - 1) / f64::from(n) * (1.0 + ratio)).sqrt()
        }
    }
}

/// Split-R̂ of several series of one length, each cut in two halves (of an odd length the middle value is left out).
///
/// Values are taken relative to the least one, and coarser by a power of two where they span more than 32 bits.
pub fn split_rhat(series: &[&[u64]]) -> f64 {
    let length = series.iter().map(|s| s.len()).min().unwrap_or(0);
    let half = length / 2;
    let values = relative(series);
    let halves: Vec<Sums> = values
        .iter()
        .flat_map(|s| [&s[..half], &s[length - half..length]])
        .map(|half| Sums::of(half.iter().copied()))
        .collect();
    rhat(half as u32, &halves)
}

/// Series less their least value, within 32 bits.
fn relative(series: &[&[u64]]) -> Vec<Vec<u64>> {
    let all = || series.iter().flat_map(|s| s.iter().copied());
    let (least, most) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
    let shift = (64 - (most - least).leading_zeros()).saturating_sub(32);
    series.iter().map(|s| s.iter().map(|v| (v - least) >> shift).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook formula in floating point, from values.
    fn textbook(sequences: &[Vec<f64>]) -> f64 {
        let (m, n) = (sequences.len() as f64, sequences[0].len() as f64);
        let means: Vec<f64> = sequences.iter().map(|s| s.iter().sum::<f64>() / n).collect();
        let grand = means.iter().sum::<f64>() / m;
        let b = n / (m - 1.0) * means.iter().map(|x| (x - grand).powi(2)).sum::<f64>();
        let variance =
            |(s, mean): (&Vec<f64>, &f64)| s.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let w = sequences.iter().zip(&means).map(variance).sum::<f64>() / m;
        (((n - 1.0) / n * w + b / n) / w).sqrt()
    }

    #[test]
    fn the_textbook_formula() {
        for seed in 0..50_u32 {
            let (m, n) = (2 + seed % 7, 2 + seed % 13);
            let value =
                |k: u32, i: u32| u64::from(spa_model::rng::word(5, 0, k, i, seed) % (3 + 50 * (seed % 3)));
            let sequences: Vec<Vec<u64>> = (0..m).map(|k| (0..n).map(|i| value(k, i)).collect()).collect();
            let sums: Vec<Sums> = sequences.iter().map(|s| Sums::of(s.iter().copied())).collect();
            let floats: Vec<Vec<f64>> =
                sequences.iter().map(|s| s.iter().map(|&v| v as f64).collect()).collect();
            let (found, wanted) = (rhat(n, &sums), textbook(&floats));
            if wanted.is_finite() {
                assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
            }
        }
        // By hand: means 1 and 3, variances 2 and 2, n 2: W 2, B/n 2, var⁺ 3.
        assert_eq!(rhat(2, &[Sums::of([0, 2]), Sums::of([2, 4])]), 1.5_f64.sqrt());
    }

    #[test]
    fn constant_sequences() {
        let of = |counts: [u32; 3]| rhat(50, &counts.map(Sums::of_count));
        assert_eq!(of([0, 0, 0]), 1.0);
        assert_eq!(of([50, 50, 50]), 1.0, "always drawn in every sequence");
        assert_eq!(of([50, 50, 0]), f64::INFINITY, "always in two, never in the third");
        assert!(of([50, 50, 49]) < 1.1 && of([10, 11, 9]) < 1.1 && of([10, 40, 10]) > 1.1);
        assert_eq!(rhat(50, &[Sums::of_count(3)]), f64::INFINITY, "one sequence tells nothing");
    }

    #[test]
    fn halves_of_one_series_that_drifts_disagree() {
        let drift: Vec<u64> = (0..100).map(|i| 1_000_000 + i).collect();
        assert!(split_rhat(&[&drift, &drift]) > 1.5);
        let still: Vec<u64> = (0..101).map(|i| 1_000_000 + i % 7).collect();
        assert!(split_rhat(&[&still, &still]) < 1.05);
        assert_eq!(split_rhat(&[&[5; 10], &[5; 10]]), 1.0);
        assert_eq!(split_rhat(&[&[5; 10], &[6; 10]]), f64::INFINITY);
    }

    #[test]
    fn wide_values_do_not_overflow() {
        let series: Vec<Vec<u64>> = (0..8)
            .map(|k| (0..4000).map(|i| u64::from(spa_model::rng::word(6, 0, k, i, 0)) << 25).collect())
            .collect();
        let references: Vec<&[u64]> = series.iter().map(Vec::as_slice).collect();
        let found = split_rhat(&references);
        assert!((found - 1.0).abs() < 0.01, "{found}");
    }
}
