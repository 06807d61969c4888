//! Support windows that follow edges: the guided filter (He, Sun and Tang 2010), used on slices of a cost volume as by
//! Rhemann et al. 2011. Time does not depend on the radius.

use super::planes::ColourPlane;

/// Regularisation for colours of 0…1: differences below about 0.01 (2.5 grey levels) count as the same surface.
const EPSILON: f32 = 1e-4;

/// A guide picture made ready: one pass a slice follows.
#[derive(Debug, Clone)]
pub struct GuidedFilter {
    width: usize,
    height: usize,
    radius: usize,
    /// Colours of 0…1, a plane a channel.
    guide: [Vec<f32>; 3],
    /// Window means of the guide.
    mean: [Vec<f32>; 3],
    /// Inverse of the window covariance: rr, rg, rb, gg, gb, bb.
    inverse: Vec<[f32; 6]>,
}

impl GuidedFilter {
    /// A filter along the edges of `guide` with windows of 2·`radius` + 1 pixels a side.
    pub fn new(guide: &ColourPlane, radius: u16) -> Self {
        let (width, height, radius) = (guide.width, guide.height, usize::from(radius));
        let channel = |c: usize| guide.values.iter().map(|p| p[c] / 255.0).collect::<Vec<f32>>();
        let planes = [channel(0), channel(1), channel(2)];
        let mean = planes.each_ref().map(|plane| box_mean(plane, width, height, radius));
        let covariance = |a: usize, b: usize| {
            let product: Vec<f32> = planes[a].iter().zip(&planes[b]).map(|(x, y)| x * y).collect();
            let mut of = box_mean(&product, width, height, radius);
            of.iter_mut().zip(mean[a].iter().zip(&mean[b])).for_each(|(v, (x, y))| *v -= x * y);
            of
        };
        let all = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(a, b)| covariance(a, b));
        let inverse = (0..width * height).map(|i| invert(all.each_ref().map(|plane| plane[i]))).collect();
        Self { width, height, radius, guide: planes, mean, inverse }
    }

    /// The slice `p`, H·W, averaged within its support windows.
    pub fn apply(&self, p: &[f32]) -> Vec<f32> {
        let smooth = |plane: &[f32]| box_mean(plane, self.width, self.height, self.radius);
        let mean_p = smooth(p);
        let mean_ip: [Vec<f32>; 3] = self.guide.each_ref().map(|guide| {
            let product: Vec<f32> = guide.iter().zip(p).map(|(g, p)| g * p).collect();
            smooth(&product)
        });
        let mut a: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; p.len()]);
        let mut b = mean_p.clone();
        for i in 0..p.len() {
            let cov: [f32; 3] = std::array::from_fn(|c| mean_ip[c][i] - self.mean[c][i] * mean_p[i]);
            let [rr, rg, rb, gg, gb, bb] = self.inverse[i];
            let line = [
                rr * cov[0] + rg * cov[1] + rb * cov[2],
                rg * cov[0] + gg * cov[1] + gb * cov[2],
                rb * cov[0] + gb * cov[1] + bb * cov[2],
            ];
            for c in 0..3 {
                a[c][i] = line[c];
                b[i] -= line[c] * self.mean[c][i];
            }
        }
        let a = a.map(|plane| smooth(&plane));
        let mut out = smooth(&b);
        for (i, out) in out.iter_mut().enumerate() {
            for c in 0..3 {
                *out += a[c][i] * self.guide[c][i];
            }
        }
        out
    }
}

/// Inverse of a symmetric 3×3 matrix plus [`EPSILON`] on its diagonal.
fn invert([rr, rg, rb, gg, gb, bb]: [f32; 6]) -> [f32; 6] {
    let (rr, gg, bb) = (rr + EPSILON, gg + EPSILON, bb + EPSILON);
    let minors = [gg * bb - gb * gb, gb * rb - rg * bb, rg * gb - gg * rb];
    let determinant = rr * minors[0] + rg * minors[1] + rb * minors[2];
    let inverse = 1.0 / determinant.max(f32::MIN_POSITIVE);
    [
        minors[0] * inverse,
        minors[1] * inverse,
        minors[2] * inverse,
        (rr * bb - rb * rb) * inverse,
        (rb * rg - rr * gb) * inverse,
        (rr * gg - rg * rg) * inverse,
    ]
}

/// Means over windows of 2·`radius` + 1 pixels a side, cut at the border.
pub fn box_mean(values: &[f32], width: usize, height: usize, radius: usize) -> Vec<f32> {
    let mut rows = vec![0.0_f32; values.len()];
    for (source, out) in values.chunks_exact(width).zip(rows.chunks_exact_mut(width)) {
        // f64: the running sum must not drift.
        let mut sum: f64 = source[..radius.min(width)].iter().map(|&v| f64::from(v)).sum();
        for x in 0..width {
            if x + radius < width {
                sum += f64::from(source[x + radius]);
            }
            if x > radius {
                sum -= f64::from(source[x - radius - 1]);
            }
            let count = (x + radius).min(width - 1) - x.saturating_sub(radius) + 1;
            out[x] = (sum / count as f64) as f32;
        }
    }
    let mut out = vec![0.0_f32; values.len()];
    let mut sums = vec![0.0_f64; width];
    for y in 0..radius.min(height) {
        add(&mut sums, &rows[y * width..][..width], 1.0);
    }
    for y in 0..height {
        if y + radius < height {
            add(&mut sums, &rows[(y + radius) * width..][..width], 1.0);
        }
        if y > radius {
            add(&mut sums, &rows[(y - radius - 1) * width..][..width], -1.0);
        }
        let count = (y + radius).min(height - 1) - y.saturating_sub(radius) + 1;
        let scale = 1.0 / count as f64;
        out[y * width..][..width].iter_mut().zip(&sums).for_each(|(o, s)| *o = (s * scale) as f32);
    }
    out
}

fn add(sums: &mut [f64], row: &[f32], sign: f64) {
    sums.iter_mut().zip(row).for_each(|(s, &v)| *s += sign * f64::from(v));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn box_means_are_means(w in 1_usize..12, h in 1_usize..12, r in 0_usize..6, seed in 1_u32..1000) {
            let values: Vec<f32> = (0..w * h).map(|i| ((i as u32 * seed) % 97) as f32).collect();
            let fast = box_mean(&values, w, h, r);
            for y in 0..h {
                for x in 0..w {
                    let rows = y.saturating_sub(r)..=(y + r).min(h - 1);
                    let window: Vec<f32> = rows
                        .flat_map(|y| (x.saturating_sub(r)..=(x + r).min(w - 1)).map(move |x| (x, y)))
                        .map(|(x, y)| values[y * w + x])
                        .collect();
                    let mean = window.iter().sum::<f32>() / window.len() as f32;
                    prop_assert!((fast[y * w + x] - mean).abs() < 1e-3);
                }
            }
        }
    }

    #[test]
    fn support_stops_at_edges() {
        // Left half black, right half white; the slice is noisy but differs between the halves.
        let (w, h) = (32, 16);
        let half = |i: usize| i % w >= w / 2;
        let values = (0..w * h).map(|i| if half(i) { [250.0; 3] } else { [10.0; 3] }).collect();
        let guide = ColourPlane { width: w, height: h, values };
        let slice: Vec<f32> =
            (0..w * h).map(|i| if half(i) { 40.0 } else { 10.0 } + (i * 31 % 7) as f32 - 3.0).collect();
        let out = GuidedFilter::new(&guide, 4).apply(&slice);
        for (i, v) in out.iter().enumerate() {
            let expected = if half(i) { 40.0 } else { 10.0 };
            assert!((v - expected).abs() < 1.5, "{i}: {v}");
        }
    }
}
