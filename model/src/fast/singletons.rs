//! Singleton values S of all labels of a RV, quickly: the difference through a table of 256 entries, and the sample's
//! place as one index where all labels stay inside the field.

use crate::job::{Difference, Problem, Singleton};

/// S of a problem, a row of labels at a time.
#[derive(Debug)]
pub struct Singletons<'a> {
    problem: &'a Problem,
    /// S by the absolute difference of two samples.
    by_difference: [u16; 256],
    /// Offsets of the labels as distances in singleton 2.
    distances: Vec<isize>,
    /// x and y where the samples of all labels are inside the field.
    inside: [std::ops::Range<i64>; 2],
}

impl<'a> Singletons<'a> {
    /// The singletons of `problem`.
    pub fn new(problem: &'a Problem) -> Self {
        let (form, offsets) = match &problem.singleton {
            Singleton::Pixels { form, offsets, .. } => (*form, offsets.as_slice()),
            Singleton::Values { form, .. } => (*form, [].as_slice()),
            Singleton::Table { .. } => (Difference::Abs, [].as_slice()),
        };
        let mut by_difference = [0; 256];
        for (d, s) in by_difference.iter_mut().enumerate() {
            let f = match form {
                Difference::Abs => d,
                Difference::Squared => d * d,
            };
            *s = f.min(problem.data_cap.into()) as u16;
        }
        let width = problem.width as isize;
        let inside = |size: u32, offset: &dyn Fn(usize) -> i64| {
            let all = || (0..offsets.len()).map(offset);
            -all().min().unwrap_or(0).min(0)..i64::from(size) - all().max().unwrap_or(0).max(0)
        };
        Self {
            problem,
            by_difference,
            distances: offsets.iter().map(|o| isize::from(o.dy) * width + isize::from(o.dx)).collect(),
            inside: [
                inside(problem.width, &|l| offsets[l].dx.into()),
                inside(problem.height, &|l| offsets[l].dy.into()),
            ],
        }
    }

    /// S of every label of RV (x, y), as [`Problem::singleton_cost`]; `out` has L elements.
    pub fn fill(&self, x: u32, y: u32, out: &mut [u16]) {
        let labels = out.len();
        let i = y as usize * self.problem.width as usize + x as usize;
        match &self.problem.singleton {
            Singleton::Table { costs } => {
                let costs = &costs[i * labels..][..labels];
                out.iter_mut().zip(costs).for_each(|(s, &cost)| *s = cost.min(self.problem.data_cap));
            }
            Singleton::Values { first, values, .. } => {
                let first = first[i];
                out.iter_mut()
                    .zip(values)
                    .for_each(|(s, &value)| *s = self.by_difference[usize::from(first.abs_diff(value))]);
            }
            Singleton::Pixels { first, second, .. }
                if self.inside[0].contains(&x.into()) && self.inside[1].contains(&y.into()) =>
            {
                let first = first[i];
                out.iter_mut().zip(&self.distances).for_each(|(s, &distance)| {
                    let second = second[i.wrapping_add_signed(distance)];
                    *s = self.by_difference[usize::from(first.abs_diff(second))];
                });
            }
            // S is at most 65,535: data_cap and s_outside are u16.
            Singleton::Pixels { .. } => {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(l, s)| *s = self.problem.singleton_cost(x, y, l) as u16);
            }
        }
    }
}

/// The lowest label of least S.
pub fn argmin(singletons: &[u16]) -> u8 {
    let least = singletons.iter().copied().min().unwrap_or(0);
    singletons.iter().position(|&s| s == least).unwrap_or(0) as u8
}
