//! What the pixels of holes may have been: the surface of least total variation that meets the known pixels around them.
//!
//! Straight edges go straight through a hole, slopes stay slopes (Chan and Shen 2001). Solved by Gauss–Seidel sweeps with
//! weights from the newest gradients, from coarse to fine: the coarse picture brings the border to the middle of a large hole.
//! Arithmetic is that of IEEE 754 (with square roots) in a fixed order, so the same picture has the same surface everywhere.

/// Most sweeps over the holes of one size.
const SWEEPS: u32 = 300;

/// Sweeps end when no pixel changed by that many grey levels.
const STILL: f64 = 0.02;

/// Grey levels below which a difference is not taken for an edge; keeps weights finite.
const FLAT: f64 = 0.5;

/// A picture of one size.
struct Plane {
    width: usize,
    height: usize,
    values: Vec<f64>,
    hole: Vec<bool>,
}

/// Grey values `values` (H×W, `width` a row) with those under `hole` (H×W) replaced. Where all is hole nothing is known, and
/// nothing is replaced.
pub fn fill(values: &[u8], width: usize, hole: &[bool]) -> Vec<u8> {
    if width == 0 || hole.iter().all(|&hole| hole) {
        return values.to_vec();
    }
    let mut plane = Plane {
        width,
        height: values.len() / width,
        values: values.iter().map(|&v| f64::from(v)).collect(),
        hole: hole.to_vec(),
    };
    plane.solve();
    // Means of grey values are grey values.
    plane.values.iter().map(|&v| (v + 0.5) as u8).collect()
}

impl Plane {
    /// Fills the holes; something must be known.
    fn solve(&mut self) {
        let holes: Vec<usize> = (0..self.hole.len()).filter(|&i| self.hole[i]).collect();
        if holes.is_empty() {
            return;
        }
        let mut coarse = self.coarser();
        coarse.solve();
        for &i in &holes {
            let (x, y) = (i % self.width, i / self.width);
            self.values[i] = coarse.values[y / 2 * coarse.width + x / 2];
        }
        for sweep in 0..SWEEPS {
            let mut change = 0.0;
            for n in 0..holes.len() {
                // There and back: what changed must not travel one way only.
                let i = holes[if sweep % 2 == 0 { n } else { holes.len() - 1 - n }];
                let value = self.relaxed(i);
                change = f64::max(change, (value - self.values[i]).abs());
                self.values[i] = value;
            }
            if change < STILL {
                break;
            }
        }
    }

    /// Half the size: means of what is known of 2×2 pixels, a hole where nothing is.
    fn coarser(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let (mut values, mut known) = (vec![0.0; width * height], vec![0.0; width * height]);
        for (i, (&value, _)) in
            self.values.iter().zip(&self.hole).enumerate().filter(|(_, (_, hole))| !**hole)
        {
            let to = i / self.width / 2 * width + i % self.width / 2;
            values[to] += value;
            known[to] += 1.0;
        }
        let hole = known.iter().map(|&known| known == 0.0).collect();
        for (value, known) in values.iter_mut().zip(known) {
            *value /= f64::max(known, 1.0);
        }
        Self { width, height, values, hole }
    }

    /// Value of pixel `i` that fits its neighbours best: their mean, those across an edge counting little.
    fn relaxed(&self, i: usize) -> f64 {
        let (x, y) = (i % self.width, i / self.width);
        // Change along the axis that is across the step to a neighbour, at a pixel; beyond the border as at it.
        let down = |i: usize, y: usize| {
            let above = if y > 0 { i - self.width } else { i };
            let below = if y + 1 < self.height { i + self.width } else { i };
            self.values[below] - self.values[above]
        };
        let right = |i: usize, x: usize| {
            self.values[if x + 1 < self.width { i + 1 } else { i }]
                - self.values[if x > 0 { i - 1 } else { i }]
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut add = |to: usize, across: f64| {
            let along = self.values[to] - self.values[i];
            let weight = 1.0 / (FLAT * FLAT + along * along + across * across).sqrt();
            sum += weight * self.values[to];
            weights += weight;
        };
        if x > 0 {
            add(i - 1, (down(i, y) + down(i - 1, y)) / 4.0);
        }
        if x + 1 < self.width {
            add(i + 1, (down(i, y) + down(i + 1, y)) / 4.0);
        }
        if y > 0 {
            add(i - self.width, (right(i, x) + right(i - self.width, x)) / 4.0);
        }
        if y + 1 < self.height {
            add(i + self.width, (right(i, x) + right(i + self.width, x)) / 4.0);
        }
        if weights > 0.0 { sum / weights } else { self.values[i] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of 40×30 with holes of 6×6 and 12×16 in it and one at its corner.
    fn holes() -> Vec<bool> {
        let within = |x: usize, y: usize, (x0, y0, w, h): (usize, usize, usize, usize)| {
            (x0..x0 + w).contains(&x) && (y0..y0 + h).contains(&y)
        };
        let all = [(3, 12, 6, 6), (14, 7, 12, 16), (38, 28, 2, 2)];
        (0..1200).map(|i| all.iter().any(|&hole| within(i % 40, i / 40, hole))).collect()
    }

    /// Mean and largest error in the holes, in grey levels.
    fn errors(truth: impl Fn(usize, usize) -> u8) -> (f64, u8) {
        let truth: Vec<u8> = (0..1200).map(|i| truth(i % 40, i / 40)).collect();
        let hole = holes();
        let damaged: Vec<u8> = truth.iter().zip(&hole).map(|(&v, &hole)| if hole { 0 } else { v }).collect();
        let filled = fill(&damaged, 40, &hole);
        assert!((0..1200).all(|i| hole[i] || filled[i] == truth[i]), "known pixels stay");
        let errors = || (0..1200).filter(|&i| hole[i]).map(|i| filled[i].abs_diff(truth[i]));
        (errors().map(f64::from).sum::<f64>() / errors().count() as f64, errors().max().unwrap())
    }

    #[test]
    fn flats_slopes_and_straight_edges_go_through_holes() {
        assert_eq!(errors(|_, _| 77), (0.0, 0));
        let check = |name: &str, (mean, most): (f64, u8)| {
            assert!(mean < 4.0 && most <= 20, "{name}: {mean:.1}, {most} at most");
        };
        check("slope", errors(|x, y| (40 + 2 * x + y) as u8));
        check("edge down", errors(|x, _| if x < 20 { 60 } else { 180 }));
        check("edge across", errors(|_, y| if y < 15 { 180 } else { 60 }));
    }

    #[test]
    fn one_known_pixel_is_enough_and_none_changes_nothing() {
        let mut hole = vec![true; 35];
        assert_eq!(fill(&[9; 35], 7, &hole), [9; 35]);
        hole[17] = false;
        let mut values = vec![0; 35];
        values[17] = 200;
        assert_eq!(fill(&values, 7, &hole), [200; 35]);
        assert_eq!(fill(&[], 0, &[]), [0; 0]);
    }
}
