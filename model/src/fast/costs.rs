//! Singleton costs of every RV and label, computed once and laid out as the half-steps read them.

use super::field::{count, half, parity};
use super::singletons::{self, Singletons};
use super::tables::AlignedBytes;
use crate::job::Problem;

/// min(α·S, 255) in rows of `stride` bytes a RV, one plane a colour; 255 beyond the last label.
#[derive(Debug)]
pub struct ByteCosts {
    width: usize,
    stride: usize,
    planes: [AlignedBytes; 2],
}

impl ByteCosts {
    /// The costs of `problem`; `argmin`, if there, takes the lowest label of least S of every RV.
    pub fn new(problem: &Problem, stride: usize, argmin: Option<&mut [u8]>) -> Self {
        let (width, height) = (problem.width as usize, problem.height as usize);
        let plane = || AlignedBytes::new(half(width) * height * stride, 255);
        let mut planes = [plane(), plane()];
        tabulate(problem, argmin, |y, colour, n, costs| {
            let start = (y * half(width) + n) * stride;
            planes[colour].get_mut()[start..start + costs.len()].copy_from_slice(costs);
        });
        Self { width, stride, planes }
    }

    /// Bytes of one colour of a row.
    pub fn row_bytes(&self) -> usize {
        half(self.width) * self.stride
    }

    /// The costs of the RVs of `colour` in row `y`.
    pub fn row(&self, y: usize, colour: usize) -> &[u8] {
        let start = y * half(self.width) * self.stride;
        &self.planes[colour].get()[start..][..count(self.width, y, colour) * self.stride]
    }
}

/// min(α·S, 255), a plane a colour: in a row of the field 64 RVs at a time, a label of all of them after the other.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub struct LaneCosts {
    row_bytes: usize,
    planes: [AlignedBytes; 2],
}

#[cfg(target_arch = "x86_64")]
impl LaneCosts {
    /// The costs of `problem`; `argmin`, if there, takes the lowest label of least S of every RV.
    pub fn new(problem: &Problem, argmin: Option<&mut [u8]>) -> Self {
        use super::across::LANES;
        let (width, height) = (problem.width as usize, problem.height as usize);
        let block = LANES * usize::from(problem.labels);
        let row_bytes = half(width).div_ceil(LANES) * block;
        let plane = || AlignedBytes::new(row_bytes * height, 0);
        let mut planes = [plane(), plane()];
        tabulate(problem, argmin, |y, colour, n, costs| {
            let start = y * row_bytes + n / LANES * block + n % LANES;
            let lane = planes[colour].get_mut()[start..].iter_mut().step_by(LANES);
            lane.zip(costs).for_each(|(place, &cost)| *place = cost);
        });
        Self { row_bytes, planes }
    }

    /// Bytes of one colour of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The costs of the RVs of `colour` in row `y`: L·64 bytes for each 64 RVs, the last ones with lanes to spare.
    pub fn row(&self, y: usize, colour: usize) -> &[u8] {
        &self.planes[colour].get()[y * self.row_bytes..][..self.row_bytes]
    }
}

/// Calls `put` with row, colour, number in the row and min(α·S, 255) of every label for every RV; `argmin`, if there,
/// takes the lowest label of least S.
fn tabulate(
    problem: &Problem,
    mut argmin: Option<&mut [u8]>,
    mut put: impl FnMut(usize, usize, usize, &[u8]),
) {
    let (width, height) = (problem.width as usize, problem.height as usize);
    let singletons = Singletons::new(problem);
    let mut s = vec![0_u16; problem.labels.into()];
    let mut costs = vec![0_u8; problem.labels.into()];
    let alpha = u32::from(problem.alpha);
    for colour in 0..2 {
        for y in 0..height {
            for n in 0..count(width, y, colour) {
                let x = (2 * n + parity(y, colour)) as u32;
                singletons.fill(x, y as u32, &mut s);
                for (cost, &s) in costs.iter_mut().zip(&s) {
                    *cost = (alpha * u32::from(s)).min(255) as u8;
                }
                put(y, colour, n, &costs);
                if let Some(labels) = &mut argmin {
                    labels[y * width + x as usize] = singletons::argmin(&s);
                }
            }
        }
    }
}
