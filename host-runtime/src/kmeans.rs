//! Class values of a segmentation: the best k-means of the grey histogram, found exactly and so without a seed.

/// Means of `k` classes of `samples` that minimise the summed squared distance, ascending, rounded; `k` ≥ 1.
///
/// Optimal one-dimensional clusters are intervals, so dynamic programming over 256 grey levels finds them. With fewer
/// different levels than classes the last value repeats.
pub fn class_values(samples: &[u8], k: u16) -> Vec<u8> {
    let mut histogram = [0_u64; 256];
    samples.iter().for_each(|&v| histogram[usize::from(v)] += 1);
    let levels: Vec<(f64, f64)> =
        histogram.iter().enumerate().filter(|&(_, &n)| n > 0).map(|(v, &n)| (v as f64, n as f64)).collect();
    let classes = usize::from(k).min(levels.len()).max(1);
    let mut values: Vec<u8> = intervals(&levels, classes).into_iter().map(|r| mean(&levels[r])).collect();
    values.resize(usize::from(k), values.last().copied().unwrap_or(0));
    values
}

fn mean(levels: &[(f64, f64)]) -> u8 {
    let (sum, count) = levels.iter().fold((0.0, 0.0), |(s, c), &(v, n)| (s + v * n, c + n));
    if count > 0.0 { (sum / count + 0.5) as u8 } else { 0 }
}

/// The best split of `levels` (value, weight) into `classes` intervals.
fn intervals(levels: &[(f64, f64)], classes: usize) -> Vec<std::ops::Range<usize>> {
    let n = levels.len();
    // Prefix sums of weight, weight·v, weight·v²; whole numbers below 2^53, so exact.
    let mut prefix = vec![(0.0, 0.0, 0.0)];
    for &(v, w) in levels {
        let (a, b, c) = prefix[prefix.len() - 1];
        prefix.push((a + w, b + w * v, c + w * v * v));
    }
    let cost = |from: usize, to: usize| {
        let ((a0, b0, c0), (a1, b1, c1)) = (prefix[from], prefix[to]);
        let (weight, sum) = (a1 - a0, b1 - b0);
        if weight > 0.0 { (c1 - c0) - sum * sum / weight } else { 0.0 }
    };
    // best[j]: least cost of the first j levels; split[class][j]: where its last interval starts.
    let mut best: Vec<f64> = (0..=n).map(|j| cost(0, j)).collect();
    let mut split = vec![vec![0; n + 1]];
    for class in 1..classes {
        let mut next = vec![f64::INFINITY; n + 1];
        let mut starts = vec![0; n + 1];
        for j in class + 1..=n {
            for start in class..j {
                let total = best[start] + cost(start, j);
                if total < next[j] {
                    next[j] = total;
                    starts[j] = start;
                }
            }
        }
        best = next;
        split.push(starts);
    }
    let mut ranges = Vec::with_capacity(classes);
    let mut end = n;
    for starts in split.iter().rev() {
        ranges.push(starts[end]..end);
        end = starts[end];
    }
    ranges.reverse();
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_lumps_are_found() {
        let samples: Vec<u8> = [10, 11, 12, 100, 101, 102, 200, 200, 200].repeat(7);
        assert_eq!(class_values(&samples, 3), [11, 101, 200]);
        assert_eq!(class_values(&samples, 1), [104]);
    }

    #[test]
    fn fewer_levels_than_classes() {
        assert_eq!(class_values(&[5; 10], 4), [5, 5, 5, 5]);
        assert_eq!(class_values(&[0, 255], 3), [0, 255, 255]);
    }

    #[test]
    fn no_split_is_better() {
        let samples: Vec<u8> = (0..60_u32).map(|i| (i * i * 37 % 251) as u8).collect();
        let error = |values: &[u8]| -> u64 {
            let nearest = |s: u8| values.iter().map(|v| u64::from(v.abs_diff(s)).pow(2)).min().unwrap();
            samples.iter().map(|&s| nearest(s)).sum()
        };
        let found = error(&class_values(&samples, 2));
        for a in (0..=255).step_by(5) {
            for b in (a..=255).step_by(5) {
                // Rounding of the two means costs less than 1 a sample.
                assert!(found <= error(&[a, b]) + samples.len() as u64, "{a} {b}");
            }
        }
    }
}
