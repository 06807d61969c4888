//! Singleton values S of all labels of a RV, quickly: the difference through a table of 256 entries, and the sample's
//! place as one index where all labels stay inside the field.

use super::field::parity;
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

/// S of one label after the other, for many RVs of one colour of a row: what they are compared with lies side by side.
#[derive(Debug)]
pub struct Rows<'a> {
    problem: &'a Problem,
    form: Difference,
    /// Samples of singleton 1 of the RVs.
    own: Vec<u8>,
    /// Vertical offsets that labels have.
    dys: Vec<i16>,
    /// The rows of singleton 2 that these lead to: even and odd columns; empty outside the field.
    others: Vec<[Vec<u8>; 2]>,
    /// For every label which of `dys`, which columns, and the place there of what the first RV is compared with.
    places: Vec<(usize, usize, isize)>,
}

impl<'a> Rows<'a> {
    /// Those of `problem`; none if its S come from a table.
    pub fn new(problem: &'a Problem) -> Option<Self> {
        let (form, offsets) = match &problem.singleton {
            Singleton::Pixels { form, offsets, .. } => (*form, offsets.as_slice()),
            Singleton::Values { form, .. } => (*form, [].as_slice()),
            Singleton::Table { .. } => return None,
        };
        let mut dys: Vec<i16> = offsets.iter().map(|o| o.dy).collect();
        dys.sort_unstable();
        dys.dedup();
        let others = dys.iter().map(|_| [Vec::new(), Vec::new()]).collect();
        Some(Self { problem, form, own: Vec::new(), dys, others, places: Vec::new() })
    }

    /// Turns to the RVs of `colour` in row `y`.
    pub fn turn_to(&mut self, y: usize, colour: usize) {
        let problem = self.problem;
        let (width, p) = (problem.width as usize, parity(y, colour));
        let columns = |samples: &[u8], parity: usize, out: &mut Vec<u8>| {
            out.clear();
            out.extend(samples[parity.min(samples.len())..].iter().step_by(2));
        };
        match &problem.singleton {
            Singleton::Table { .. } => {}
            Singleton::Values { first, .. } => columns(&first[y * width..][..width], p, &mut self.own),
            Singleton::Pixels { first, second, offsets, .. } => {
                columns(&first[y * width..][..width], p, &mut self.own);
                for (&dy, planes) in self.dys.iter().zip(&mut self.others) {
                    let row = y.checked_add_signed(dy.into()).filter(|&y| y < problem.height as usize);
                    let row = row.map_or(&[][..], |y| &second[y * width..][..width]);
                    planes.iter_mut().enumerate().for_each(|(parity, plane)| columns(row, parity, plane));
                }
                self.places.clear();
                self.places.extend(offsets.iter().map(|o| {
                    let x = p as isize + isize::from(o.dx);
                    let source = self.dys.partition_point(|&dy| dy < o.dy);
                    (source, x.rem_euclid(2) as usize, x.div_euclid(2))
                }));
            }
        }
    }

    /// S of label `l` of the RVs from the `from`-th on, one for each of `out`.
    pub fn fill(&self, l: usize, from: usize, out: &mut [u16]) {
        let own = &self.own[from..][..out.len()];
        match &self.problem.singleton {
            Singleton::Table { .. } => {}
            Singleton::Values { values, .. } => {
                self.differences(own.iter().map(|v| v.abs_diff(values[l])), out);
            }
            Singleton::Pixels { .. } => {
                let (source, columns, place) = self.places[l];
                let other = &self.others[source][columns];
                let first = place + from as isize;
                let inside =
                    usize::try_from(first).ok().and_then(|first| other.get(first..first + out.len()));
                if let Some(other) = inside {
                    return self.differences(own.iter().zip(other).map(|(a, b)| a.abs_diff(*b)), out);
                }
                for (n, (out, a)) in out.iter_mut().zip(own).enumerate() {
                    let other = usize::try_from(first + n as isize).ok().and_then(|n| other.get(n));
                    match other {
                        Some(b) => {
                            self.differences(std::iter::once(a.abs_diff(*b)), std::slice::from_mut(out));
                        }
                        None => *out = self.problem.s_outside,
                    }
                }
            }
        }
    }

    /// S of differences of samples.
    #[inline(always)]
    fn differences(&self, differences: impl Iterator<Item = u8>, out: &mut [u16]) {
        let cap = self.problem.data_cap;
        let pairs = out.iter_mut().zip(differences);
        match self.form {
            Difference::Abs => pairs.for_each(|(s, d)| *s = u16::from(d).min(cap)),
            // At most 255².
            Difference::Squared => pairs.for_each(|(s, d)| *s = (u16::from(d) * u16::from(d)).min(cap)),
        }
    }
}

/// The lowest label of least S.
pub fn argmin(singletons: &[u16]) -> u8 {
    let least = singletons.iter().copied().min().unwrap_or(0);
    singletons.iter().position(|&s| s == least).unwrap_or(0) as u8
}
