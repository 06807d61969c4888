//! Float pictures: samples, derivatives, copies shifted by parts of a pixel, half and double size.

use crate::picture::Picture;

/// A plane of numbers, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Values, H·W.
    pub values: Vec<f32>,
}

/// A colour picture of 0…255, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourPlane {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green, blue; H·W.
    pub values: Vec<[f32; 3]>,
}

/// The four weights of cubic interpolation (Catmull–Rom) at the part `t` between the second and the third sample.
fn cubic(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (-t3 + 2.0 * t2 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (-3.0 * t3 + 4.0 * t2 + t),
        0.5 * (t3 - t2),
    ]
}

impl ColourPlane {
    /// Samples of a picture.
    pub fn of(picture: &Picture) -> Self {
        Self {
            width: picture.width as usize,
            height: picture.height as usize,
            values: picture.rgb.iter().map(|p| p.map(f32::from)).collect(),
        }
    }

    /// Grey values, 0.299 R + 0.587 G + 0.114 B.
    pub fn grey(&self) -> Plane {
        let values = self.values.iter().map(|[r, g, b]| 0.299 * r + 0.587 * g + 0.114 * b).collect();
        Plane { width: self.width, height: self.height, values }
    }

    /// The sample at (x, y), or the nearest one inside.
    fn at(&self, x: isize, y: isize) -> [f32; 3] {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.values[y * self.width + x]
    }

    /// The picture as seen `dx` pixels further right and `dy` further down, 0 ≤ dx, dy < 1, by cubic interpolation cut to
    /// 0…255: pixel (x, y) of the copy is the place (x + dx, y + dy) of this picture.
    #[must_use]
    pub fn shifted(&self, dx: f32, dy: f32) -> Self {
        let mut out = self.clone();
        if dx > 0.0 {
            let weights = cubic(dx);
            out = out.convolved(&weights, |x, y, k| (x + k - 1, y));
        }
        if dy > 0.0 {
            let weights = cubic(dy);
            out = out.convolved(&weights, |x, y, k| (x, y + k - 1));
        }
        out
    }

    /// Weighted sums of the samples at `place`(x, y, tap), cut to 0…255.
    fn convolved(&self, weights: &[f32], place: impl Fn(isize, isize, isize) -> (isize, isize)) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for y in 0..self.height as isize {
            for x in 0..self.width as isize {
                let mut sum = [0.0; 3];
                for (k, w) in weights.iter().enumerate() {
                    let (sx, sy) = place(x, y, k as isize);
                    let sample = self.at(sx, sy);
                    (0..3).for_each(|c| sum[c] += w * sample[c]);
                }
                values.push(sum.map(|v: f32| v.clamp(0.0, 255.0)));
            }
        }
        Self { width: self.width, height: self.height, values }
    }

    /// Half the size (rounded up), smoothed by the binomial filter 1 4 6 4 1 first.
    #[must_use]
    pub fn half(&self) -> Self {
        let weights = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w| w / 16.0);
        let smooth =
            self.convolved(&weights, |x, y, k| (x + k - 2, y)).convolved(&weights, |x, y, k| (x, y + k - 2));
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let values = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| smooth.values[2 * y * self.width + 2 * x])
            .collect();
        Self { width, height, values }
    }
}

impl Plane {
    /// The value at (x, y), or the nearest one inside.
    pub fn at(&self, x: isize, y: isize) -> f32 {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.values[y * self.width + x]
    }

    /// Derivatives to the right and downwards by central differences.
    pub fn gradient(&self) -> Vec<[f32; 2]> {
        let mut out = Vec::with_capacity(self.values.len());
        for y in 0..self.height as isize {
            for x in 0..self.width as isize {
                let dx = (self.at(x + 1, y) - self.at(x - 1, y)) * 0.5;
                let dy = (self.at(x, y + 1) - self.at(x, y - 1)) * 0.5;
                out.push([dx, dy]);
            }
        }
        out
    }

    /// Least and largest value within half a pixel, by linear interpolation (Birchfield and Tomasi 1998); with
    /// `vertical` also upwards and downwards.
    pub fn half_pixel_range(&self, vertical: bool) -> Vec<[f32; 2]> {
        let mut out = Vec::with_capacity(self.values.len());
        for y in 0..self.height as isize {
            for x in 0..self.width as isize {
                let centre = self.at(x, y);
                let mut range = [centre, centre];
                let steps: &[(isize, isize)] =
                    if vertical { &[(-1, 0), (1, 0), (0, -1), (0, 1)] } else { &[(-1, 0), (1, 0)] };
                for (dx, dy) in steps {
                    let half = (centre + self.at(x + dx, y + dy)) * 0.5;
                    range = [range[0].min(half), range[1].max(half)];
                }
                out.push(range);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> ColourPlane {
        let values = (0..height)
            .flat_map(|y| (0..width).map(move |x| [x as f32 * 4.0, y as f32 * 3.0, 100.0]))
            .collect();
        ColourPlane { width, height, values }
    }

    #[test]
    fn a_ramp_shifts_by_what_was_asked() {
        let shifted = ramp(20, 16).shifted(0.25, 0.5);
        let [r, g, b] = shifted.values[8 * 20 + 10];
        assert!((r - 41.0).abs() < 1e-3 && (g - 25.5).abs() < 1e-3 && (b - 100.0).abs() < 1e-3);
    }

    #[test]
    fn half_size_keeps_places() {
        let half = ramp(21, 17).half();
        assert_eq!((half.width, half.height), (11, 9));
        assert!((half.values[4 * 11 + 5][0] - 40.0).abs() < 1e-3, "pixel (5, 4) is (10, 8) of the original");
    }

    #[test]
    fn derivatives_and_ranges() {
        let plane = Plane { width: 3, height: 1, values: vec![0.0, 10.0, 40.0] };
        assert_eq!(plane.gradient()[1], [20.0, 0.0]);
        assert_eq!(plane.half_pixel_range(false)[1], [5.0, 25.0]);
    }
}
