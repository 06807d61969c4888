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
    singletons: Singletons<'a>,
    layout: Layout,
    alpha: u32,
    width: usize,
    s: Vec<u16>,
    costs: Vec<u8>,
}

impl<'a> Maker<'a> {
    fn new(problem: &'a Problem, layout: Layout) -> Self {
        let labels = problem.labels.into();
        Self {
            singletons: Singletons::new(problem),
            layout,
            alpha: problem.alpha.into(),
            width: problem.width as usize,
            s: vec![0; labels],
            costs: vec![0; labels],
        }
    }

    /// Writes the costs of the RVs of `colour` in row `y` over those of another row, and their labels of least S.
    fn row(&mut self, y: usize, colour: usize, row: &mut [u8], mut argmin: Option<&mut [u8]>) {
        for n in 0..count(self.width, y, colour) {
            let x = 2 * n + parity(y, colour);
            self.singletons.fill(x as u32, y as u32, &mut self.s);
            for (cost, &s) in self.costs.iter_mut().zip(&self.s) {
                *cost = (self.alpha * u32::from(s)).min(255) as u8;
            }
            self.layout.put(row, n, &self.costs);
            if let Some(labels) = &mut argmin {
                labels[y * self.width + x] = singletons::argmin(&self.s);
            }
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
    use crate::job::{Pair, Singleton, line_vectors};

    #[test]
    fn rows_made_on_the_way_are_those_of_the_table() {
        let (width, height) = (13, 9);
        let costs = (0..width * height * 3).map(|i| (i * 37 % 101) as u16).collect();
        let problem = Problem {
            width,
            height,
            labels: 3,
            singleton: Singleton::Table { costs },
            data_cap: 90,
            s_outside: 0,
            pair: Pair::Potts,
            pair_cap: 1,
            vectors: line_vectors(3),
            alpha: 3,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
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
