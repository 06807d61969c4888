//! Singleton costs of RVs and labels, laid out as the half-steps read them: computed once for the whole field, or, where
//! that would take too much memory, row by row as sweeps pass.

use super::field::{count, half, parity};
use super::singletons::{self, Singletons};
use super::tables::AlignedBytes;
use crate::job::Problem;

/// RVs of a register of AVX-512.
pub const LANES: usize = 64;

/// Where the costs min(α·S, 255) of a row's RVs of one colour lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// So many bytes for each RV, 255 beyond the last label.
    Strides(usize),
    /// 64 RVs at a time, a label of all of them after the other, for so many labels; the last ones with lanes to spare.
    Lanes(usize),
}

impl Layout {
    /// Bytes of one colour of a row.
    pub fn row_bytes(self, width: usize) -> usize {
        match self {
            Self::Strides(stride) => half(width) * stride,
            Self::Lanes(labels) => half(width).div_ceil(LANES) * LANES * labels,
        }
    }

    /// What is where no cost is.
    fn blank(self) -> u8 {
        match self {
            Self::Strides(_) => 255,
            Self::Lanes(_) => 0,
        }
    }

    /// Writes the costs of the n-th RV of a row.
    fn put(self, row: &mut [u8], n: usize, costs: &[u8]) {
        match self {
            Self::Strides(stride) => row[n * stride..][..costs.len()].copy_from_slice(costs),
            Self::Lanes(labels) => {
                let lane = row[n / LANES * LANES * labels + n % LANES..].iter_mut().step_by(LANES);
                lane.zip(costs).for_each(|(place, &cost)| *place = cost);
            }
        }
    }

    /// Writes the costs of label `l` of the RVs from the n-th on, a multiple of [`LANES`]; [`LANES`] of them at most.
    fn put_label(self, row: &mut [u8], n: usize, l: usize, costs: &[u8]) {
        match self {
            Self::Strides(stride) => {
                let places = row[n * stride + l..].iter_mut().step_by(stride);
                places.zip(costs).for_each(|(place, &cost)| *place = cost);
            }
            Self::Lanes(labels) => row[n * labels + l * LANES..][..costs.len()].copy_from_slice(costs),
        }
    }
}

/// The costs of a job: all of them, or how to make them.
#[derive(Debug)]
pub struct Costs {
    layout: Layout,
    row_bytes: usize,
    /// All rows, one plane a colour.
    planes: Option<[AlignedBytes; 2]>,
}

impl Costs {
    /// The costs of `problem`, in a table if it takes `limit` bytes at most; `argmin`, if there, takes the lowest label of
    /// least S of every RV.
    pub fn new(problem: &Problem, layout: Layout, limit: usize, mut argmin: Option<&mut [u8]>) -> Self {
        let (width, height) = (problem.width as usize, problem.height as usize);
        let row_bytes = layout.row_bytes(width);
        let mut planes = (2 * row_bytes * height <= limit).then(|| {
            let plane = || AlignedBytes::new(row_bytes * height, layout.blank());
            [plane(), plane()]
        });
        let mut maker = Maker::new(problem, layout);
        let mut row = vec![0; row_bytes];
        for colour in 0..2 {
            for y in 0..height {
                let row = match &mut planes {
                    Some(planes) => &mut planes[colour].get_mut()[y * row_bytes..][..row_bytes],
                    // Only the least labels are wanted.
                    None if argmin.is_some() => &mut row,
                    None => continue,
                };
                maker.row(y, colour, row, argmin.as_deref_mut());
            }
        }
        Self { layout, row_bytes, planes }
    }

    /// Bytes of one colour of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The costs of the RVs of `colour` in row `y`, if there is a table.
    pub fn row(&self, y: usize, colour: usize) -> Option<&[u8]> {
        let plane = self.planes.as_ref()?[colour].get();
        Some(&plane[y * self.row_bytes..][..self.row_bytes])
    }
}

/// Makes the costs of a row.
#[derive(Debug)]
struct Maker<'a> {
    problem: &'a Problem,
    layout: Layout,
    /// Where S does not come from a table.
    rows: Option<singletons::Rows<'a>>,
}

impl<'a> Maker<'a> {
    fn new(problem: &'a Problem, layout: Layout) -> Self {
        Self { problem, layout, rows: singletons::Rows::new(problem) }
    }

    /// Writes the costs of the RVs of `colour` in row `y` over those of another row, and their labels of least S.
    fn row(&mut self, y: usize, colour: usize, row: &mut [u8], argmin: Option<&mut [u8]>) {
        let width = self.problem.width as usize;
        let argmin = argmin.map(|labels| &mut labels[y * width..][..width]);
        match &mut self.rows {
            Some(rows) => {
                rows.turn_to(y, colour);
                by_label(self.problem, rows, (self.layout, parity(y, colour)), row, argmin);
            }
            None => by_rv(self.problem, (self.layout, y, colour), row, argmin),
        }
    }
}

/// The costs of a row, [`LANES`] RVs of one label at a time; `argmin` has the labels of the row.
fn by_label(
    problem: &Problem,
    rows: &singletons::Rows<'_>,
    (layout, parity): (Layout, usize),
    row: &mut [u8],
    mut argmin: Option<&mut [u8]>,
) {
    let (width, alpha) = (problem.width as usize, u16::from(problem.alpha));
    // From here on the cost is 255; so the product fits.
    let most = 255_u16.checked_div(alpha).map_or(0, |most| most + 1);
    let rvs = (width - parity).div_ceil(2);
    for from in (0..rvs).step_by(LANES) {
        let (mut s, mut costs) = ([0_u16; LANES], [0_u8; LANES]);
        let (mut least, mut best) = ([u16::MAX; LANES], [0_u8; LANES]);
        let n = LANES.min(rvs - from);
        for l in 0..usize::from(problem.labels) {
            rows.fill(l, from, &mut s[..n]);
            for (cost, s) in costs.iter_mut().zip(s) {
                *cost = (s.min(most) * alpha).min(255) as u8;
            }
            layout.put_label(row, from, l, &costs[..n]);
            if argmin.is_some() {
                for ((least, best), s) in least.iter_mut().zip(&mut best).zip(s) {
                    *best = if s < *least { l as u8 } else { *best };
                    *least = s.min(*least);
                }
            }
        }
        if let Some(labels) = &mut argmin {
            let places = labels[2 * from + parity..].iter_mut().step_by(2);
            places.zip(best).take(n).for_each(|(label, best)| *label = best);
        }
    }
}

/// The costs of a row whose S are in a table, a RV at a time.
fn by_rv(
    problem: &Problem,
    (layout, y, colour): (Layout, usize, usize),
    row: &mut [u8],
    mut argmin: Option<&mut [u8]>,
) {
    let (width, alpha) = (problem.width as usize, u32::from(problem.alpha));
    let singletons = Singletons::new(problem);
    let (mut s, mut costs) = (vec![0; problem.labels.into()], vec![0; problem.labels.into()]);
    for n in 0..count(width, y, colour) {
        let x = 2 * n + parity(y, colour);
        singletons.fill(x as u32, y as u32, &mut s);
        for (cost, &s) in costs.iter_mut().zip(&s) {
            *cost = (alpha * u32::from(s)).min(255) as u8;
        }
        layout.put(row, n, &costs);
        if let Some(labels) = &mut argmin {
            labels[x] = singletons::argmin(&s);
        }
    }
}

/// Rows of costs made where a sweep comes to them first, and kept until it has passed.
#[derive(Debug)]
pub struct Window<'a> {
    maker: Maker<'a>,
    /// Row y lies in slot y modulo their number: which one is there, and its costs.
    slots: [Vec<(Option<usize>, AlignedBytes)>; 2],
}

impl<'a> Window<'a> {
    /// Room for the rows of a sweep of `half_steps`.
    pub fn new(problem: &'a Problem, costs: &Costs, half_steps: usize) -> Self {
        let slot = || (None, AlignedBytes::new(costs.row_bytes, costs.layout.blank()));
        let slots = || (0..half_steps).map(|_| slot()).collect();
        Self { maker: Maker::new(problem, costs.layout), slots: [slots(), slots()] }
    }

    /// The costs of the RVs of `colour` in row `y`. Of the rows that a sweep goes back and forth between, none takes
    /// another's slot: half-step k is k rows behind the first one.
    pub fn row(&mut self, y: usize, colour: usize) -> &[u8] {
        let slots = &mut self.slots[colour];
        let at = y % slots.len();
        let (held, bytes) = &mut slots[at];
        if *held != Some(y) {
            self.maker.row(y, colour, bytes.get_mut(), None);
            *held = Some(y);
        }
        bytes.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Difference, Offset, Pair, Singleton, line_vectors};

    fn problem((width, height): (u32, u32), singleton: Singleton, caps: (u16, u16), alpha: u8) -> Problem {
        Problem {
            width,
            height,
            labels: 3,
            singleton,
            data_cap: caps.0,
            s_outside: caps.1,
            pair: Pair::Potts,
            pair_cap: 1,
            vectors: line_vectors(3),
            alpha,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        }
    }

    /// Costs, labels of least S and their places, of all RVs of `problem`.
    fn check(problem: &Problem, layout: Layout) {
        let mut labels = vec![9; problem.rvs()];
        let costs = Costs::new(problem, layout, usize::MAX, Some(&mut labels));
        for (i, label) in labels.into_iter().enumerate() {
            let (x, y) = (i as u32 % problem.width, i as u32 / problem.width);
            let s = [0, 1, 2].map(|l| problem.singleton_cost(x, y, l));
            let row = costs.row(y as usize, (x + y) as usize % 2).unwrap();
            let n = x as usize / 2;
            for (l, s) in s.into_iter().enumerate() {
                let at = match layout {
                    Layout::Strides(stride) => n * stride + l,
                    Layout::Lanes(labels) => n / LANES * LANES * labels + l * LANES + n % LANES,
                };
                assert_eq!(u32::from(row[at]), (u32::from(problem.alpha) * s).min(255), "{x} {y} {l}");
            }
            let least = s.into_iter().min();
            assert_eq!(s.into_iter().position(|s| Some(s) == least), Some(label.into()), "{x} {y}");
        }
    }

    #[test]
    fn costs_are_those_of_the_contract_and_so_are_least_labels() {
        let size = (201, 5);
        let samples = |f: u32| (0..size.0 * size.1).map(|i| (i * i * f + i / 7) as u8).collect::<Vec<u8>>();
        let offsets =
            [[(0, 0), (-1, 0), (-2, 0)], [(-70, 1), (3, -1), (300, 0)], [(1, 4), (-2048, 2047), (0, -5)]];
        for form in [Difference::Abs, Difference::Squared] {
            let pixels = offsets.map(|all| {
                let offsets = all.map(|(dx, dy)| Offset { dx, dy }).to_vec();
                Singleton::Pixels { form, first: samples(5), second: samples(11), offsets }
            });
            let values = Singleton::Values { form, first: samples(3), values: vec![0, 100, 255] };
            let caps = [(30, 9), (u16::MAX, u16::MAX), (255, 0), (1, 300)];
            for (singleton, caps) in pixels.into_iter().chain([values]).zip(caps) {
                for alpha in [0, 1, 2, 255] {
                    let problem = problem(size, singleton.clone(), caps, alpha);
                    check(&problem, Layout::Strides(16));
                    check(&problem, Layout::Lanes(3));
                }
            }
        }
    }

    #[test]
    fn rows_made_on_the_way_are_those_of_the_table() {
        let (width, height) = (13, 9);
        let costs = (0..width * height * 3).map(|i| (i * 37 % 101) as u16).collect();
        let problem = problem((width, height), Singleton::Table { costs }, (90, 0), 3);
        check(&problem, Layout::Lanes(3));
        for layout in [Layout::Strides(16), Layout::Lanes(3)] {
            let mut labels = [vec![0; problem.rvs()], vec![0; problem.rvs()]];
            let table = Costs::new(&problem, layout, usize::MAX, Some(&mut labels[0]));
            let none = Costs::new(&problem, layout, 0, Some(&mut labels[1]));
            assert_eq!(labels[0], labels[1]);
            assert!(none.row(0, 0).is_none());
            let mut window = Window::new(&problem, &none, 4);
            for s in 0..height as usize + 3 {
                for k in 0..4 {
                    let Some(y) = s.checked_sub(k).filter(|y| *y < height as usize) else { continue };
                    assert_eq!(Some(window.row(y, k % 2)), table.row(y, k % 2), "{layout:?}, row {y}");
                }
            }
        }
    }
}
