//! The random words of a row, eight blocks of Threefry at a time (contract §5).

use crate::rng;

/// RVs of one colour in a row that one call serves: eight blocks of two words.
pub const CHUNK: usize = 16;

/// Blocks of a chunk.
pub const LANES: usize = CHUNK / 2;
// The rounds below are written out.
const _: () = assert!(rng::ROUNDS == 13);

/// Some u32, with the operations of the generator.
pub trait Lanes: Copy {
    /// `word` everywhere.
    fn splat(word: u32) -> Self;
    /// 0, 2, 4, …
    fn steps() -> Self;
    /// Sum modulo 2^32.
    fn add(self, other: Self) -> Self;
    /// Rotated to the left by `LEFT` = 32 − `RIGHT`, exclusive or `other`.
    fn rotate_xor<const LEFT: i32, const RIGHT: i32>(self, other: Self) -> Self;
}

/// [`Lanes::steps`] of eight.
pub const STEPS: [u32; LANES] = [0, 2, 4, 6, 8, 10, 12, 14];

impl Lanes for [u32; LANES] {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        [word; LANES]
    }

    #[inline(always)]
    fn steps() -> Self {
        STEPS
    }

    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        self.iter_mut().zip(other).for_each(|(a, b)| *a = a.wrapping_add(b));
        self
    }

    #[inline(always)]
    fn rotate_xor<const LEFT: i32, const RIGHT: i32>(mut self, other: Self) -> Self {
        self.iter_mut().zip(other).for_each(|(a, b)| *a = a.rotate_left(LEFT as u32) ^ b);
        self
    }
}

/// `$rotation`s, each a round on ($x0, $x1). Macro arguments are literals, so that rotations are constants.
macro_rules! rounds {
    ($x0:ident, $x1:ident; $($rotation:literal)*) => {$(
        $x0 = $x0.add($x1);
        $x1 = $x1.rotate_xor::<$rotation, { 32 - $rotation }>($x0);
    )*};
}

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

    /// Both words of the blocks that serve the RVs from `first` on, a multiple of 16, counted from the left among the
    /// row's RVs of the colour.
    ///
    /// The nth RV of a colour stands at x = 2n or 2n + 1, so x >> 2 is n / 2 and its word is n mod 2: two RVs share a
    /// block.
    #[inline(always)]
    pub fn blocks<L: Lanes>(&self, first: usize) -> [L; 2] {
        debug_assert!(first.is_multiple_of(CHUNK));
        let ks = [self.key[0], self.key[1], rng::PARITY ^ self.key[0] ^ self.key[1]];
        let c0 = self.c0.wrapping_add(first as u32).wrapping_add(ks[0]);
        let mut x0 = L::splat(c0).add(L::steps());
        let mut x1 = L::splat(self.c1.wrapping_add(ks[1]));
        rounds!(x0, x1; 13 15 26 6);
        x0 = x0.add(L::splat(ks[1]));
        x1 = x1.add(L::splat(ks[2].wrapping_add(1)));
        rounds!(x0, x1; 17 29 16 24);
        x0 = x0.add(L::splat(ks[2]));
        x1 = x1.add(L::splat(ks[0].wrapping_add(2)));
        rounds!(x0, x1; 13 15 26 6);
        x0 = x0.add(L::splat(ks[0]));
        x1 = x1.add(L::splat(ks[1].wrapping_add(3)));
        rounds!(x0, x1; 17);
        [x0, x1]
    }

    /// The words of the RVs `first`…`first` + 15, as for [`RowStream::blocks`].
    #[inline(always)]
    pub fn words<L: Lanes + Into<[u32; LANES]>>(&self, first: usize) -> [u32; CHUNK] {
        let [x0, x1] = self.blocks::<L>(first).map(Into::into);
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
                for (n, word) in stream.words::<[u32; 8]>(first).into_iter().enumerate() {
                    let x = 2 * (first + n) as u32 + ((y + colour) & 1);
                    assert_eq!(word, rng::word(seed, chain, x, y, iteration), "x {x} y {y}");
                }
            }
        }
    }
}
