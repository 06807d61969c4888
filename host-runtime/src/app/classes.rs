//! Colours of classes: k-means without chance.

/// Passes after which the means count as found.
const PASSES: u32 = 100;
/// Pixels that are looked at, evenly spread; more do not move the means.
const SAMPLES: usize = 1 << 18;

/// `k` mean colours of `pixels`, darkest first.
///
/// The start is the exact k-means of the grey values ([`crate::kmeans`]), each class with the mean colour of its pixels; then
/// Lloyd's passes until nothing moves. With fewer colours than classes some repeat.
pub fn class_colours(pixels: &[[u8; 3]], k: u16) -> Vec<[u8; 3]> {
    let step = pixels.len().div_ceil(SAMPLES).max(1);
    let pixels: Vec<[u8; 3]> = pixels.iter().copied().step_by(step).collect();
    let greys: Vec<u8> = pixels.iter().map(|&p| crate::picture::grey(p)).collect();
    let values = crate::kmeans::class_values(&greys, k);
    let nearest_grey =
        |g: u8| values.iter().enumerate().min_by_key(|(_, v)| v.abs_diff(g)).map_or(0, |(n, _)| n);
    let mut classes: Vec<usize> = greys.iter().map(|&g| nearest_grey(g)).collect();
    let mut means: Vec<[u8; 3]> = values.iter().map(|&v| [v; 3]).collect();
    for _ in 0..PASSES {
        let next = mean_colours(&pixels, &classes, &means);
        if next == means {
            break;
        }
        means = next;
        classes = pixels.iter().map(|&p| nearest(p, &means)).collect();
    }
    // A class without pixels is a copy of one that has some.
    let filled: Vec<bool> = (0..means.len()).map(|n| classes.contains(&n)).collect();
    if let Some(last) = filled.iter().rposition(|&filled| filled) {
        let copy = means[last];
        means.iter_mut().zip(&filled).filter(|(_, filled)| !**filled).for_each(|(mean, _)| *mean = copy);
    }
    means.sort_by_key(|&[r, g, b]| (crate::picture::grey([r, g, b]), r, g, b));
    means
}

/// Mean colour of every class, rounded; that of `otherwise` where it has no pixels.
pub fn mean_colours(pixels: &[[u8; 3]], classes: &[usize], otherwise: &[[u8; 3]]) -> Vec<[u8; 3]> {
    let mut sums = vec![([0_u64; 3], 0_u64); otherwise.len()];
    for (pixel, &class) in pixels.iter().zip(classes) {
        let (sum, count) = &mut sums[class];
        (0..3).for_each(|c| sum[c] += u64::from(pixel[c]));
        *count += 1;
    }
    let mean = |(&(sum, count), &otherwise): (&([u64; 3], u64), &[u8; 3])| {
        if count == 0 { otherwise } else { sum.map(|s| ((s + count / 2) / count) as u8) }
    };
    sums.iter().zip(otherwise).map(mean).collect()
}

/// Mean of the squared differences of red, green and blue, rounded: 0…65,025.
pub fn distance(a: [u8; 3], b: [u8; 3]) -> u16 {
    let square = |c: usize| u32::from(a[c].abs_diff(b[c])).pow(2);
    ((square(0) + square(1) + square(2) + 1) / 3) as u16
}

fn nearest(pixel: [u8; 3], means: &[[u8; 3]]) -> usize {
    means.iter().enumerate().min_by_key(|&(_, &mean)| distance(pixel, mean)).map_or(0, |(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_that_look_alike_in_grey_are_told_apart() {
        // Red and green of the same grey, and white.
        let red = [200, 0, 0];
        let green = [0, 102, 0];
        assert_eq!(crate::picture::grey(red), crate::picture::grey(green));
        let mut pixels = [red, [250, 250, 250]].repeat(50);
        pixels.extend([[0, 104, 0]].repeat(50));
        let found = class_colours(&pixels, 3);
        assert_eq!(found, [red, [0, 104, 0], [250, 250, 250]]);
    }

    #[test]
    fn few_colours_and_distances() {
        assert_eq!(class_colours(&[[9, 8, 7]; 5], 3), [[9, 8, 7]; 3]);
        assert_eq!(distance([0; 3], [255; 3]), 65_025);
        assert_eq!(distance([0, 0, 0], [3, 0, 0]), 3);
    }
}
