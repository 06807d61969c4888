//! Edge weights in the order of the planes, and neighbours' cells that lead to the pair rows of their weights.

use super::field::{Cell, Near, count, half, parity};
use super::threefry::CHUNK;
use crate::job::Problem;

/// Weights of the edges of the RVs of one colour in one row, in chunks: left, right, up, down.
pub type Edges<'a> = [&'a [[u8; CHUNK]]; 4];

/// The weights of all edges, each at both of its ends: one plane a colour and direction, 0 where there is no neighbour.
#[derive(Debug)]
pub struct EdgePlanes {
    /// Chunks of a row.
    pitch: usize,
    planes: [[Vec<[u8; CHUNK]>; 4]; 2],
}

impl EdgePlanes {
    /// The weights of `problem`, if it has any.
    pub fn new(problem: &Problem) -> Option<Self> {
        problem.edge_weights.as_ref()?;
        let width = problem.width as usize;
        let pitch = half(width).div_ceil(CHUNK);
        let plane = || vec![[0; CHUNK]; pitch * problem.height as usize];
        let mut planes = [0, 1].map(|_| [0; 4].map(|_| plane()));
        for (colour, planes) in planes.iter_mut().enumerate() {
            for y in 0..problem.height as usize {
                for n in 0..count(width, y, colour) {
                    let x = 2 * n + parity(y, colour);
                    let around = problem.edge_weights_around(x as u32, y as u32);
                    for (plane, weight) in planes.iter_mut().zip(around) {
                        plane[y * pitch + n / CHUNK][n % CHUNK] = weight;
                    }
                }
            }
        }
        Some(Self { pitch, planes })
    }

    /// The weights of the RVs of `colour` in row `y`.
    pub fn row(&self, y: usize, colour: usize) -> Edges<'_> {
        [0, 1, 2, 3].map(|n| &self.planes[colour][n][y * self.pitch..][..self.pitch])
    }
}

/// Room for the cells of a row's neighbours with their weights.
#[derive(Debug, Default)]
pub struct WeightedNear([Vec<[Cell; CHUNK]>; 4]);

impl WeightedNear {
    /// The cells `near`, each moved by its edge's weight times `plane`.
    pub fn shift(&mut self, near: Near<'_>, edges: Edges<'_>, plane: Cell) -> Near<'_> {
        for ((out, near), edges) in self.0.iter_mut().zip(near).zip(edges) {
            out.resize(near.len(), [0; CHUNK]);
            for ((out, near), edges) in out.iter_mut().zip(near).zip(edges) {
                for ((out, &cell), &weight) in out.iter_mut().zip(near).zip(edges) {
                    *out = cell + u16::from(weight) * plane;
                }
            }
        }
        [0, 1, 2, 3].map(|n| self.0[n].as_slice())
    }
}
