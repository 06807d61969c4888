//! Effective sample size: how many independent draws would tell a mean as well as the correlated ones of a run.

use super::relative;

/// Effective sample size of the mean of several chains of one length (Vehtari and others 2021, section 3.2): chains are split in
/// halves, autocorrelations combined over them with var⁺, and added up as long as sums of neighbouring pairs stay positive and fall
/// (Geyer 1992). At most M·n·log10(M·n) for M halves of n values, as there.
///
/// None where it is not defined: fewer than four values a half, or all values equal. Up to 2^20 values a half do not overflow.
pub fn ess(chains: &[&[u64]]) -> Option<f64> {
    let length = chains.iter().map(|chain| chain.len()).min()?;
    let n = length / 2;
    if n < 4 {
        return None;
    }
    let values = relative(chains);
    let halves: Vec<&[u64]> = values.iter().flat_map(|s| [&s[..n], &s[length - n..length]]).collect();
    let m = halves.len();
    let sums: Vec<u128> = halves.iter().map(|h| h.iter().map(|&v| u128::from(v)).sum()).collect();
    // The autocovariance at a lag: an exact sum, then one division.
    let covariance = |half: &[u64], sum: u128, lag: usize| -> f64 {
        let product: i128 = half.iter().zip(&half[lag..]).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum();
        let head: i128 = half[..n - lag].iter().map(|&v| i128::from(v)).sum();
        let tail: i128 = half[lag..].iter().map(|&v| i128::from(v)).sum();
        let (sum, count) = (sum as i128, n as i128);
        let scaled = count * count * product - count * sum * (head + tail) + (n - lag) as i128 * sum * sum;
        scaled as f64 / (n as f64).powi(3)
    };
    let mean = |lag: usize| -> f64 {
        halves.iter().zip(&sums).map(|(half, &sum)| covariance(half, sum, lag)).sum::<f64>() / m as f64
    };
    // With one divided by n − 1 instead of n.
    let within = mean(0) * n as f64 / (n as f64 - 1.0);
    let grand: u128 = sums.iter().sum();
    let spread: u128 = m as u128 * sums.iter().map(|s| s * s).sum::<u128>() - grand * grand;
    let between = spread as f64 / (m as f64 * (m as f64 - 1.0) * (n as f64).powi(2));
    let variance = within * (n as f64 - 1.0) / n as f64 + between;
    if variance <= 0.0 {
        return None;
    }
    let rho = |lag: usize| 1.0 - (within - mean(lag) * n as f64 / (n as f64 - 1.0)) / variance;
    let (mut tau, mut last) = (-1.0, f64::INFINITY);
    let mut lag = 0;
    while lag + 1 < n - 1 {
        let pair = if lag == 0 { 1.0 + rho(1) } else { rho(lag) + rho(lag + 1) };
        if pair <= 0.0 {
            break;
        }
        last = pair.min(last);
        tau += 2.0 * last;
        lag += 2;
    }
    let total = (m * n) as f64;
    // A run that alternates tells more than independent draws, but not without end.
    Some(total / tau.max(1.0 / libm::log10(total)))
}

/// Effective sample size of a label's share from its counts in batches of `size` draws, by chain: the variance of the batches against
/// that of independent draws. None with fewer than two batches, or if the label was drawn always or never.
pub fn ess_of_batches(size: u32, chains: &[Vec<u32>]) -> Option<f64> {
    let counts: Vec<u64> = chains.iter().flatten().map(|&count| u64::from(count)).collect();
    let (batches, size) = (counts.len() as u64, u64::from(size));
    let sum: u64 = counts.iter().sum();
    let draws = batches * size;
    if batches < 2 || sum == 0 || sum == draws {
        return None;
    }
    // batches times the sum of squares around the mean: exact.
    let spread = u128::from(batches) * counts.iter().map(|&c| u128::from(c * c)).sum::<u128>()
        - u128::from(sum).pow(2);
    let independent = sum as f64 / draws as f64 * (1.0 - sum as f64 / draws as f64);
    let batch = spread as f64 / (batches as f64 * (batches - 1) as f64) / size as f64;
    let most = draws as f64 * libm::log10(draws as f64);
    Some(if batch > 0.0 { (draws as f64 * independent / batch).min(most) } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chains of a two-state process that keeps its state with probability `stay`; deterministic.
    fn chains(stay: f64, count: u32, length: u32) -> Vec<Vec<u64>> {
        (0..count)
            .map(|k| {
                let mut state = u64::from(k % 2);
                let step = |i: u32| {
                    let u = f64::from(spa_model::rng::word(8, 0, k, i, 0)) / 4_294_967_296.0;
                    state ^= u64::from(u >= stay);
                    state
                };
                (0..length).map(step).collect()
            })
            .collect()
    }

    fn found(chains: &[Vec<u64>]) -> f64 {
        ess(&chains.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn independent_and_sticky_draws() {
        // Of a two-state process with correlation ρ = 2·stay − 1: n·(1 − ρ)/(1 + ρ).
        for (stay, share) in [(0.5, 1.0), (0.75, 1.0 / 3.0), (0.9, 1.0 / 9.0), (0.95, 1.0 / 19.0)] {
            let chains = chains(stay, 4, 20_000);
            let wanted = 80_000.0 * share;
            let ratio = found(&chains) / wanted;
            assert!((0.85..1.15).contains(&ratio), "{stay}: {ratio}");
            let batches: Vec<Vec<u32>> = chains
                .iter()
                .map(|c| c.chunks_exact(500).map(|b| b.iter().sum::<u64>() as u32).collect())
                .collect();
            let ratio = ess_of_batches(500, &batches).unwrap() / wanted;
            assert!((0.7..1.3).contains(&ratio), "batches, {stay}: {ratio}");
        }
    }

    #[test]
    fn alternating_draws_tell_more_than_independent_ones() {
        let chains: Vec<Vec<u64>> = (0..4).map(|k| (0..1000).map(|i| (i + k) % 2).collect()).collect();
        assert_eq!(found(&chains), 4000.0 * libm::log10(4000.0));
    }

    #[test]
    fn where_it_is_not_defined() {
        assert_eq!(ess(&[&[3; 100], &[3; 100]]), None);
        assert_eq!(ess(&[&[1, 2, 3]]), None);
        assert_eq!(ess_of_batches(10, &[vec![10, 10]]), None);
        assert_eq!(ess_of_batches(10, &[vec![4]]), None);
    }

    #[test]
    fn chains_that_disagree_have_few_samples() {
        let stuck: Vec<Vec<u64>> = chains(0.5, 4, 2000)
            .iter()
            .enumerate()
            .map(|(k, c)| c.iter().map(|v| v + 10 * (k as u64 % 2)).collect())
            .collect();
        assert!(found(&stuck) < 20.0, "{}", found(&stuck));
    }
}
