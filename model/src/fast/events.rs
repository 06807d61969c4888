//! Who must be updated: event-driven Gibbs sampling without any difference (docs/edgs.md).
//!
//! A RV with one live label takes it again until a neighbour changes or the live set grows. Two bits a RV tell: *open*,
//! it had more than one live label, and *changed*, it took another label in its last half-step. Words of bits lie like
//! the labels ([`super::field`]), a plane a colour with an empty row above and below, and are read and written where labels
//! are, so that sweeps and bands need no other order.

use super::field::{self, cut, half, parity};
use super::log::Evidence;
use super::threefry::CHUNK;
use crate::job::Problem;

/// RVs of a word.
pub const WORD: usize = 64;

/// Chunks of a word.
const CHUNKS: usize = WORD / CHUNK;

/// Both bits of all RVs.
#[derive(Debug, Clone)]
pub struct Events {
    /// Words of a row.
    words: usize,
    /// RVs that are not fixed.
    free: [Vec<u64>; 2],
    open: [Vec<u64>; 2],
    changed: [Vec<u64>; 2],
}

impl Events {
    /// All RVs of `problem` that are not fixed must be updated.
    pub fn new(problem: &Problem, evidence: Option<&Evidence>) -> Self {
        let (width, height) = (problem.width as usize, problem.height as usize);
        let words = half(width).div_ceil(WORD);
        let free = [0, 1].map(|colour| {
            let mut plane = vec![0_u64; words * (height + 2)];
            for (y, row) in plane[words..].chunks_exact_mut(words).take(height).enumerate() {
                let fixed = evidence.map(|evidence| evidence.row(y, colour));
                for n in (0..field::count(width, y, colour)).filter(|&n| !fixed.is_some_and(|fixed| fixed[n]))
                {
                    row[n / WORD] |= 1 << (n % WORD);
                }
            }
            plane
        });
        let changed = [0, 1].map(|_| vec![0; words * (height + 2)]);
        Self { words, open: free.clone(), free, changed }
    }

    /// RVs of `colour` in row `y` that are not fixed.
    pub fn free(&self, y: usize, colour: usize) -> &[u64] {
        &self.free[colour][(y + 1) * self.words..][..self.words]
    }

    /// The bits in bands of whole rows, cut before the rows `cuts` (ascending, inside the field).
    pub fn bands(&mut self, cuts: &[usize]) -> Vec<Band<'_>> {
        let words = self.words;
        let places = || cuts.iter().map(|&y| (y + 1) * words);
        let mut open = self.open.iter_mut().map(|plane| cut(plane, places()).into_iter());
        let mut changed = self.changed.iter_mut().map(|plane| cut(plane, places()).into_iter());
        let (Some(mut open0), Some(mut open1)) = (open.next(), open.next()) else { return Vec::new() };
        let (Some(mut changed0), Some(mut changed1)) = (changed.next(), changed.next()) else {
            return Vec::new();
        };
        let free = &self.free;
        let tops = std::iter::once(0).chain(cuts.iter().map(|&y| y + 1));
        tops.filter_map(|top| {
            let open = [open0.next()?, open1.next()?];
            let changed = [changed0.next()?, changed1.next()?];
            Some(Band { words, top, free, open, changed })
        })
        .collect()
    }
}

/// Some rows of the bits.
#[derive(Debug)]
pub struct Band<'a> {
    words: usize,
    top: usize,
    free: &'a [Vec<u64>; 2],
    open: [&'a mut [u64]; 2],
    changed: [&'a mut [u64]; 2],
}

/// What a half-step notes of a row: empty before.
#[derive(Debug)]
pub struct Bits<'a> {
    /// RVs with more than one live label, or perhaps more than one.
    pub open: &'a mut [u64],
    /// RVs that changed, or perhaps did.
    pub changed: &'a mut [u64],
}

impl Bits<'_> {
    /// Notes the bits of the RVs of a chunk.
    #[inline(always)]
    pub fn note(&mut self, chunk: usize, open: u32, changed: u32) {
        let shift = CHUNK * (chunk % CHUNKS);
        self.open[chunk / CHUNKS] |= u64::from(open) << shift;
        self.changed[chunk / CHUNKS] |= u64::from(changed) << shift;
    }

    /// Notes the bits of the RVs of a word.
    #[inline(always)]
    pub fn note_word(&mut self, word: usize, open: u64, changed: u64) {
        self.open[word] = open;
        self.changed[word] = changed;
    }

    /// Keeps only the bits of RVs that are `free`.
    pub fn mask(&mut self, free: &[u64]) {
        for ((open, changed), free) in self.open.iter_mut().zip(&mut *self.changed).zip(free) {
            *open &= free;
            *changed &= free;
        }
    }

    /// The same bits, lent for a while.
    pub fn reborrow(&mut self) -> Bits<'_> {
        Bits { open: self.open, changed: self.changed }
    }
}

/// Bits that are set.
pub fn count(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

/// The indices of the bits that are set.
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(w, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let n = (rest != 0).then(|| WORD * w + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            n
        })
    })
}

/// The bits of a chunk.
#[inline(always)]
pub fn of_chunk(words: &[u64], chunk: usize) -> u32 {
    (words[chunk / CHUNKS] >> (CHUNK * (chunk % CHUNKS))) as u16 as u32
}

impl Band<'_> {
    /// RVs of `colour` in row `y` that are not fixed.
    pub fn free(&self, y: usize, colour: usize) -> &[u64] {
        &self.free[colour][(y + 1) * self.words..][..self.words]
    }

    /// Sets `awake` to the RVs of `colour` in row `y` that must be updated.
    pub fn awake(&self, y: usize, colour: usize, awake: &mut Vec<u64>) {
        let (words, at) = (self.words, (y + 1 - self.top) * self.words);
        let other = &*self.changed[1 - colour];
        let [up, same, down] = [at - words, at, at + words].map(|at| &other[at..][..words]);
        let open = &self.open[colour][at..][..words];
        awake.clear();
        awake.extend((0..words).map(|w| {
            // The neighbours in the row are numbers n − 1 + p and n + p of the other colour.
            let beside = if parity(y, colour) == 0 {
                same[w] << 1 | if w > 0 { same[w - 1] >> 63 } else { 0 }
            } else {
                same[w] >> 1 | same.get(w + 1).map_or(0, |next| next << 63)
            };
            open[w] | same[w] | beside | up[w] | down[w]
        }));
        for (awake, free) in awake.iter_mut().zip(self.free(y, colour)) {
            *awake &= free;
        }
    }

    /// Adds to `awake` all RVs of its words that are not 0, for a sampler that takes words.
    pub fn whole_words(&self, y: usize, colour: usize, awake: &mut [u64]) {
        for (awake, &free) in awake.iter_mut().zip(self.free(y, colour)) {
            *awake = if *awake == 0 { 0 } else { free };
        }
    }

    /// The bits of `colour` in row `y`, emptied, and its RVs that are not fixed.
    pub fn row(&mut self, y: usize, colour: usize) -> (Bits<'_>, &[u64]) {
        let at = (y + 1 - self.top) * self.words;
        let open = &mut self.open[colour][at..][..self.words];
        let changed = &mut self.changed[colour][at..][..self.words];
        open.fill(0);
        changed.fill(0);
        (Bits { open, changed }, &self.free[colour][(y + 1) * self.words..][..self.words])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    /// A change of one RV wakes its neighbours and nobody else.
    #[test]
    fn a_change_wakes_the_neighbours_of_the_specification() {
        for (width, height) in [(1, 1), (5, 3), (127, 3), (128, 3), (129, 2), (259, 3)] {
            let problem = problem(width, height);
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let mut events = Events::new(&problem, None);
                events.open.iter_mut().for_each(|plane| plane.fill(0));
                let colour = (x + y) as usize % 2;
                let mut bands = events.bands(&[]);
                let n = x as usize / 2;
                bands[0].row(y as usize, colour).0.changed[n / WORD] = 1 << (n % WORD);
                let mut awake = Vec::new();
                let mut found = Vec::new();
                for v in 0..height {
                    bands[0].awake(v as usize, 1 - colour, &mut awake);
                    let bit = |n: usize| awake[n / WORD] >> (n % WORD) & 1 == 1;
                    let first = parity(v as usize, 1 - colour);
                    let rvs = (0..field::count(width as usize, v as usize, 1 - colour)).filter(|&n| bit(n));
                    found.extend(rvs.map(|n| v as usize * width as usize + 2 * n + first));
                    assert!(super::count(&awake) <= 2);
                }
                let mut expected: Vec<usize> = spec::neighbours(width, height, x, y).collect();
                expected.sort_unstable();
                assert_eq!(found, expected, "{width}x{height} at {x}, {y}");
            }
        }
    }

    fn problem(width: u32, height: u32) -> Problem {
        Problem {
            width,
            height,
            labels: 2,
            singleton: crate::Singleton::Table { costs: vec![0; (width * height * 2) as usize] },
            data_cap: 1,
            s_outside: 1,
            pair: crate::Pair::Potts,
            pair_cap: 1,
            vectors: crate::job::line_vectors(2),
            alpha: 1,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        }
    }
}
