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
    pub fn new(problem: &Problem, stride: usize, mut argmin: Option<&mut [u8]>) -> Self {
        let (width, height) = (problem.width as usize, problem.height as usize);
        let plane = || AlignedBytes::new(half(width) * height * stride, 255);
        let mut costs = Self { width, stride, planes: [plane(), plane()] };
        let singletons = Singletons::new(problem);
        let mut s = vec![0_u16; problem.labels.into()];
        let alpha = u32::from(problem.alpha);
        for colour in 0..2 {
            for y in 0..height {
                let start = y * half(width) * stride;
                let row = &mut costs.planes[colour].get_mut()[start..][..count(width, y, colour) * stride];
                for (n, costs) in row.chunks_exact_mut(stride).enumerate() {
                    let x = (2 * n + parity(y, colour)) as u32;
                    singletons.fill(x, y as u32, &mut s);
                    for (cost, &s) in costs.iter_mut().zip(&s) {
                        *cost = (alpha * u32::from(s)).min(255) as u8;
                    }
                    if let Some(labels) = &mut argmin {
                        labels[y * width + x as usize] = singletons::argmin(&s);
                    }
                }
            }
        }
        costs
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
