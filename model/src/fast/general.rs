//! The general sampler: any parameters of the contract, with 32-bit sums and everything tabulated that can be.
//!
//! It serves what bytes cannot hold: wide energies, shifted sums above 255. No intrinsics: the loop over the energies is
//! one that compilers vectorise.

use super::edges::Edges;
use super::events::{self, Bits};
use super::field::{Encoding, Near, Row, count, half, parity};
use super::level::Level;
use super::singletons::{Singletons, argmin as argmin_of};
use super::threefry::{CHUNK, RowStream};
use crate::job::{Job, Problem};
use crate::weights::WeightTable;

/// Most labels.
const LABELS: usize = 256;

/// The tables of a job.
#[derive(Debug)]
pub struct General {
    level: Level,
    labels: usize,
    encoding: Encoding,
    alpha: u32,
    shift: u8,
    energy_max: u32,
    u_bits: u8,
    width: usize,
    /// S in rows of L labels a RV, one plane a colour.
    singletons: [Vec<u16>; 2],
    /// β·V(·, m) in rows of L, and a null row.
    pairs: Vec<u16>,
}

/// One colour of one row in one iteration.
#[derive(Debug)]
pub struct Task<'a> {
    /// The weights of the iteration.
    pub weights: &'a WeightTable,
    /// The random words of the row.
    pub stream: RowStream,
    /// Row and colour.
    pub at: (usize, usize),
    /// The neighbours' cells.
    pub near: Near<'a>,
    /// The weights of the edges to them.
    pub edges: Option<Edges<'a>>,
    /// True where a RV is fixed.
    pub fixed: Option<&'a [bool]>,
    /// The RVs to update, or all.
    pub awake: Option<&'a [u64]>,
    /// The bits to note.
    pub bits: Bits<'a>,
    /// The cells to write.
    pub out: Row<'a>,
}

impl General {
    /// The tables of `job`; `argmin`, if there, takes the lowest label of least S of every RV.
    pub fn new(job: &Job, level: Level, mut argmin: Option<&mut [u8]>) -> Self {
        let problem = job.problem();
        let labels = usize::from(problem.labels);
        let beta = u32::from(problem.beta);
        let mut pairs = vec![0; (labels + 1) * labels];
        for (m, row) in pairs.chunks_exact_mut(labels).take(labels).enumerate() {
            // β·V ≤ 255·255 fits.
            row.iter_mut().enumerate().for_each(|(l, cost)| *cost = (beta * problem.pair_cost(l, m)) as u16);
        }
        Self {
            level,
            labels,
            encoding: Encoding::new(problem.labels, 1),
            alpha: problem.alpha.into(),
            shift: problem.shift,
            energy_max: job.hardware().energy_max(),
            u_bits: job.hardware().u_bits,
            width: problem.width as usize,
            singletons: [0, 1].map(|colour| singletons(problem, colour, argmin.as_deref_mut())),
            pairs,
        }
    }

    /// How labels become cells.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Samples a row.
    pub fn row(&self, task: Task<'_>) {
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::choose` found the instructions on this CPU.
            Level::Avx2 | Level::Avx512 => unsafe { self.row_avx2(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Sse41 => unsafe { self.row_sse41(task) },
            _ => self.row_inline(task),
        }
    }

    /// [`General::row_inline`], its loops vectorised by the compiler for AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn row_avx2(&self, task: Task<'_>) {
        self.row_inline(task);
    }

    /// The same for SSE4.1.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse4.1,ssse3")]
    fn row_sse41(&self, task: Task<'_>) {
        self.row_inline(task);
    }

    #[inline(always)]
    fn row_inline(&self, task: Task<'_>) {
        match task.edges {
            Some(edges) => self.row_weighted(task, |n| {
                let (chunk, i) = (n / CHUNK, n % CHUNK);
                edges.map(|edges| u32::from(edges[chunk][i]))
            }),
            // Compiled on its own, so that jobs without weights do not multiply.
            None => self.row_weighted(task, |_| [1; 4]),
        }
    }

    /// Samples a row; `weights_of` gives the weights of the edges of the n-th RV.
    #[inline(always)]
    fn row_weighted(&self, mut task: Task<'_>, weights_of: impl Fn(usize) -> [u32; 4]) {
        let labels = self.labels;
        let (y, colour) = task.at;
        let costs = &self.singletons[colour][y * half(self.width) * labels..];
        let weights = task.weights.table.as_slice();
        // Weights do not grow with Es.
        let theta = weights.partition_point(|&w| w > 0) as u32;
        let mut energies = [0_u32; LABELS];
        let mut w = [0_u8; LABELS];
        let (energies, w) = (&mut energies[..labels], &mut w[..labels]);
        let mut words = [0; CHUNK];
        let mut active = u32::MAX;
        for n in 0..task.out.count {
            let (chunk, i) = (n / CHUNK, n % CHUNK);
            if i == 0 {
                active = task.awake.map_or(u32::MAX, |awake| events::of_chunk(awake, chunk));
                if active != 0 {
                    words = task.stream.words::<[u32; 8]>(n);
                }
            }
            if active >> i & 1 == 0 || task.fixed.is_some_and(|fixed| fixed[n]) {
                continue;
            }
            let rows = task.near.map(|near| &self.pairs[usize::from(near[chunk][i]) * labels..][..labels]);
            let least = self.energies(&costs[n * labels..][..labels], rows, weights_of(n), energies);
            let live: u32 = energies.iter().map(|&e| u32::from(e - least < theta)).sum();
            let label = if live == 1 {
                energies.iter().position(|&e| e == least).unwrap_or(0)
            } else {
                let mut sum = 0_u64;
                for (w, &e) in w.iter_mut().zip(&*energies) {
                    *w = if e - least < theta { weights[(e - least) as usize] } else { 0 };
                    sum += u64::from(*w);
                }
                let u = u64::from(words[i] >> (32 - u32::from(self.u_bits)));
                first_above(w, ((u * sum) >> self.u_bits) as u32)
            };
            let cell = self.encoding.cell(label as u8);
            let old = std::mem::replace(&mut task.out.chunks[chunk][i], cell);
            task.bits.note(chunk, u32::from(live > 1) << i, u32::from(old != cell) << i);
        }
    }

    /// All energies of a RV; gives the least one.
    #[inline(always)]
    fn energies(&self, singletons: &[u16], rows: [&[u16]; 4], edges: [u32; 4], energies: &mut [u32]) -> u32 {
        let labels = energies.len();
        let [left, right, up, down] = rows.map(|row| &row[..labels]);
        let singletons = &singletons[..labels];
        let mut least = u32::MAX;
        for l in 0..labels {
            // At most 4·15·255·255.
            let pairs = edges[0] * u32::from(left[l])
                + edges[1] * u32::from(right[l])
                + edges[2] * u32::from(up[l])
                + edges[3] * u32::from(down[l]);
            let e = ((self.alpha * u32::from(singletons[l]) + pairs) >> self.shift).min(self.energy_max);
            energies[l] = e;
            least = least.min(e);
        }
        least
    }
}

/// The first label whose prefix sum of weights exceeds `r`.
#[inline(always)]
fn first_above(weights: &[u8], mut r: u32) -> usize {
    for (label, &w) in weights.iter().enumerate() {
        if u32::from(w) > r {
            return label;
        }
        r -= u32::from(w);
    }
    unreachable!("r is below the sum of weights")
}

fn singletons(problem: &Problem, colour: usize, mut argmin: Option<&mut [u8]>) -> Vec<u16> {
    let fill = Singletons::new(problem);
    let (width, height, labels) =
        (problem.width as usize, problem.height as usize, usize::from(problem.labels));
    let mut plane = vec![0; half(width) * height * labels];
    for (y, row) in plane.chunks_exact_mut(half(width) * labels).enumerate() {
        for (n, row) in row.chunks_exact_mut(labels).take(count(width, y, colour)).enumerate() {
            let x = (2 * n + parity(y, colour)) as u32;
            fill.fill(x, y as u32, row);
            if let Some(start) = &mut argmin {
                start[y * width + x as usize] = argmin_of(row);
            }
        }
    }
    plane
}
