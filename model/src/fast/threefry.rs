//! The random words of a row, eight blocks of Threefry at a time (contract §5).

use crate::rng;

/// RVs of one colour in a row that one call serves: eight blocks of two words.
pub const CHUNK: usize = 16;

/// Seed, chain, iteration, row and colour: everything of a counter but x.
#[derive(Debug, Clone, Copy)]
pub struct RowStream {
    /// Key of the seed.
    pub key: [u32; 2],
    /// Second counter word: chain and iteration.
    pub c1: u32,
    /// First counter word of the row's first block: y and colour.
    pub c0: u32,
}

impl RowStream {
    /// The stream of row `y` and `colour` (0: black).
    pub fn new(key: [u32; 2], c1: u32, y: u32, colour: u32) -> Self {
        Self { key, c1, c0: y << 15 | colour }
    }

    /// The words of the RVs `first`…`first` + 15 of the row's colour, counted from the left; `first` is a multiple of 16.
    ///
    /// The nth RV of a colour stands at x = 2n or 2n + 1, so x >> 2 is n / 2 and its word is n mod 2: two RVs share a block.
    #[inline(always)]
    pub fn words(&self, first: usize) -> [u32; CHUNK] {
        debug_assert!(first.is_multiple_of(CHUNK));
        const LANES: usize = CHUNK / 2;
        let block = (first / 2) as u32;
        let ks = [self.key[0], self.key[1], rng::PARITY ^ self.key[0] ^ self.key[1]];
        let mut x0 = [0_u32; LANES];
        for (j, x0) in x0.iter_mut().enumerate() {
            *x0 = (self.c0 + ((block + j as u32) << 1)).wrapping_add(ks[0]);
        }
        let mut x1 = [self.c1.wrapping_add(ks[1]); LANES];
        for round in 0..rng::ROUNDS {
            let rotation = rng::ROTATIONS[(round % 8) as usize];
            for j in 0..LANES {
                x0[j] = x0[j].wrapping_add(x1[j]);
                x1[j] = x1[j].rotate_left(rotation) ^ x0[j];
            }
            if round % 4 == 3 {
                let s = round / 4 + 1;
                let (k0, k1) = (ks[(s % 3) as usize], ks[((s + 1) % 3) as usize].wrapping_add(s));
                for j in 0..LANES {
                    x0[j] = x0[j].wrapping_add(k0);
                    x1[j] = x1[j].wrapping_add(k1);
                }
            }
        }
        let mut words = [0; CHUNK];
        for j in 0..LANES {
            words[2 * j] = x0[j];
            words[2 * j + 1] = x1[j];
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_to_the_word_of_every_rv() {
        for (seed, chain, iteration, y, colour) in [
            (0_u64, 0_u8, 0_u32, 0_u32, 0_u32),
            (u64::MAX, 255, (1 << 24) - 2, 65_535, 1),
            (7 << 40 | 5, 3, 99, 17, 0),
        ] {
            let [_, c1] = rng::counter(0, y, chain, iteration);
            let stream = RowStream::new(rng::key(seed), c1, y, colour);
            for first in [0, 16, 32, 32_752] {
                for (n, word) in stream.words(first).into_iter().enumerate() {
                    let x = 2 * (first + n) as u32 + ((y + colour) & 1);
                    assert_eq!(word, rng::word(seed, chain, x, y, iteration), "x {x} y {y}");
                }
            }
        }
    }
}
