//! Credible sets: the fewest labels, and the shortest run of labels, that have a share of the samples.

use super::total;
use spa_model::Count;

/// Share of the samples that a set has unless people ask for another.
pub const SHARE: f64 = 0.95;

/// Samples that are at least `share` of `total`.
fn needed(share: f64, total: u64) -> u64 {
    // A product that rounding lifted just above a whole number is that number.
    libm::ceil(share * total as f64 - 1e-9).max(1.0) as u64
}

/// The fewest labels that together have at least `share` (0…1) of the samples: by falling count, the lower label first on a
/// tie; in that order. Empty without samples.
pub fn smallest_set<C: Count>(counts: &[C], share: f64) -> Vec<u8> {
    let needed = needed(share, total(counts));
    let mut order: Vec<(u32, usize)> =
        counts.iter().enumerate().map(|(l, &c)| (c.into(), l)).filter(|(count, _)| *count > 0).collect();
    order.sort_unstable_by_key(|&(count, l)| (u32::MAX - count, l));
    let mut sum = 0;
    let mut set = Vec::new();
    for (count, label) in order {
        if sum >= needed {
            break;
        }
        sum += u64::from(count);
        set.push(label as u8);
    }
    set
}

/// First and last label of the shortest run of labels with at least `share` of the samples; of equally long ones that with
/// most samples, then the lowest. None without samples.
pub fn shortest_interval<C: Count>(counts: &[C], share: f64) -> Option<(u8, u8)> {
    let all = total(counts);
    if all == 0 {
        return None;
    }
    let needed = needed(share, all);
    let count = |l: usize| -> u64 { u64::from(counts[l].into()) };
    let (mut best, mut first, mut sum) = (None, 0, 0);
    for last in 0..counts.len() {
        sum += count(last);
        while sum >= needed {
            // Shorter first, then fuller: the first of equals stays.
            let found = (last - first, u64::MAX - sum, first);
            best = Some(best.map_or(found, |best: (usize, u64, usize)| best.min(found)));
            sum -= count(first);
            first += 1;
        }
    }
    best.map(|(length, _, first)| (first as u8, (first + length) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_by_hand() {
        assert_eq!(smallest_set(&[10_u16, 50, 0, 40], 0.9), [1, 3]);
        assert_eq!(smallest_set(&[10_u16, 50, 0, 40], 0.91), [1, 3, 0]);
        assert_eq!(smallest_set(&[5_u16, 5, 5, 5], 0.5), [0, 1], "the lower label first");
        assert_eq!(smallest_set(&[0_u16, 7, 0], 1.0), [1]);
        assert_eq!(smallest_set(&[55_u32, 45], 0.55), [0], "0.55 · 100 is a little above 55 in binary");
        assert!(smallest_set(&[0_u16, 0], 0.95).is_empty());
    }

    #[test]
    fn intervals_by_hand() {
        assert_eq!(shortest_interval(&[10_u16, 50, 0, 40], 0.9), Some((1, 3)));
        assert_eq!(shortest_interval(&[1_u16, 8, 1, 8, 2], 0.8), Some((1, 3)));
        assert_eq!(shortest_interval(&[4_u16, 0, 6, 0, 5], 0.3), Some((2, 2)), "the fuller of equals");
        assert_eq!(shortest_interval(&[5_u16, 0, 5], 0.5), Some((0, 0)), "the lower of equals");
        assert_eq!(shortest_interval(&[0_u16, 0, 3], 1.0), Some((2, 2)));
        assert_eq!(shortest_interval(&[0_u16, 0], 0.5), None);
    }

    #[test]
    fn a_set_is_never_larger_than_an_interval() {
        for seed in 0..200_u32 {
            let counts: Vec<u16> =
                (0..9).map(|l| (spa_model::rng::word(7, 0, l, seed, 0) % 50) as u16).collect();
            for share in [0.5, 0.8, 0.95, 1.0] {
                let set = smallest_set(&counts, share);
                let (first, last) = shortest_interval(&counts, share).unwrap();
                assert!(set.len() <= usize::from(last - first) + 1, "{counts:?} {share}");
                let inside: u64 = set.iter().map(|&l| u64::from(counts[usize::from(l)])).sum();
                assert!(inside as f64 >= share * total(&counts) as f64 - 1e-6);
            }
        }
    }
}
