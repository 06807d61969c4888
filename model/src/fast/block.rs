//! The operations that the packed kernel needs of an instruction set, on a block of up to 64 labels, a byte each.
//!
//! An implementor is a token: it can only be made where the CPU is known to have its instructions, so that all
//! methods are safe. Methods are inlined into a function compiled for those instructions ([`super::x86`],
//! [`super::neon`]); called from anywhere else they are correct and slow.

use super::field::Cell;
use super::threefry::{CHUNK, RowStream};

/// Prefix sums over the groups of eight labels of a block: a zero, then eight inclusive ones.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct Sums {
    /// Entry g is the sum of the weights of labels below 8g; the last seven mean nothing.
    pub before: [u16; 16],
}

impl Sums {
    /// The sum of all weights.
    #[inline(always)]
    pub fn total(&self) -> u16 {
        self.before[8]
    }
}

/// The operations on one block of labels.
pub trait Block: Copy {
    /// Bytes of a block: 16, 32, 48 or 64.
    const BYTES: usize;
    /// What [`Block::scaled`] adds to Es, modulo 256: 128 where only signed bytes can be compared.
    const BIAS: u8;
    /// A block.
    type V: Copy;

    /// The first [`Block::BYTES`] of `bytes`.
    fn load(self, bytes: &[u8]) -> Self::V;
    /// Writes the block to the start of `bytes`.
    fn store(self, v: Self::V, bytes: &mut [u8]);
    /// `byte` everywhere.
    fn splat(self, byte: u8) -> Self::V;
    /// Sum that stops at 255.
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    /// The smaller one.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise and.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    /// Every byte shifted right, `shift` ≤ 8.
    fn shift_right(self, v: Self::V, shift: u8) -> Self::V;
    /// The least byte, less the bias, everywhere.
    fn base(self, v: Self::V) -> Self::V;
    /// Es with its bias: energies less [`Block::base`].
    fn scaled(self, e: Self::V, base: Self::V) -> Self::V;
    /// Bit l is set where Es(l) ≤ θ; both with their bias.
    fn at_most(self, es: Self::V, theta: Self::V) -> u64;
    /// `count` + 1 where Es > θ; both with their bias.
    fn count_above(self, count: Self::V, es: Self::V, theta: Self::V) -> Self::V;
    /// `table[i]` for every byte i < 16.
    fn lookup(self, table: &[u8; 16], i: Self::V) -> Self::V;
    /// Prefix sums of `weights` over groups of eight; gives the sum of all.
    fn sum_groups(self, weights: Self::V, sums: &mut Sums) -> u32;
    /// First label of the block whose inclusive prefix sum exceeds `r`, which must be below the sum of all.
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32;
    /// Bit i is set where cell i differs.
    #[inline(always)]
    fn differences(self, a: &[Cell; CHUNK], b: &[Cell; CHUNK]) -> u32 {
        let mut bits = 0;
        for i in 0..CHUNK {
            bits |= u32::from(a[i] != b[i]) << i;
        }
        bits
    }
    /// The random words of the chunk that starts at RV `first` of a row.
    #[inline(always)]
    fn words(self, stream: &RowStream, first: usize) -> [u32; CHUNK] {
        stream.words::<[u32; 8]>(first)
    }
}

/// Plain Rust.
#[derive(Debug, Clone, Copy)]
pub struct Portable<const N: usize>;

impl<const N: usize> Block for Portable<N> {
    const BYTES: usize = N;
    const BIAS: u8 = 0;
    type V = [u8; N];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> [u8; N] {
        let mut v = [0; N];
        v.copy_from_slice(&bytes[..N]);
        v
    }

    #[inline(always)]
    fn store(self, v: [u8; N], bytes: &mut [u8]) {
        bytes[..N].copy_from_slice(&v);
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> [u8; N] {
        [byte; N]
    }

    #[inline(always)]
    fn add_saturating(self, mut a: [u8; N], b: [u8; N]) -> [u8; N] {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.saturating_add(b));
        a
    }

    #[inline(always)]
    fn min(self, mut a: [u8; N], b: [u8; N]) -> [u8; N] {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
        a
    }

    #[inline(always)]
    fn and(self, mut a: [u8; N], b: [u8; N]) -> [u8; N] {
        a.iter_mut().zip(b).for_each(|(a, b)| *a &= b);
        a
    }

    #[inline(always)]
    fn shift_right(self, mut v: [u8; N], shift: u8) -> [u8; N] {
        v.iter_mut().for_each(|v| *v = (u16::from(*v) >> shift) as u8);
        v
    }

    #[inline(always)]
    fn base(self, v: [u8; N]) -> [u8; N] {
        // Halving keeps the loop free of a chain through one byte, so that it can be vectorised.
        let mut least = v;
        let mut half = N;
        while half > 8 && half.is_multiple_of(2) {
            half /= 2;
            for i in 0..half {
                least[i] = least[i].min(least[i + half]);
            }
        }
        [least[..half].iter().copied().min().unwrap_or(0); N]
    }

    #[inline(always)]
    fn scaled(self, mut e: [u8; N], base: [u8; N]) -> [u8; N] {
        e.iter_mut().zip(base).for_each(|(e, b)| *e = e.wrapping_sub(b));
        e
    }

    #[inline(always)]
    fn at_most(self, es: [u8; N], theta: [u8; N]) -> u64 {
        let mut bits = 0;
        for i in 0..N {
            bits |= u64::from(es[i] <= theta[i]) << i;
        }
        bits
    }

    #[inline(always)]
    fn count_above(self, mut count: [u8; N], es: [u8; N], theta: [u8; N]) -> [u8; N] {
        for i in 0..N {
            count[i] += u8::from(es[i] > theta[i]);
        }
        count
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], mut i: [u8; N]) -> [u8; N] {
        i.iter_mut().for_each(|i| *i = table[usize::from(*i & 15)]);
        i
    }

    #[inline(always)]
    fn sum_groups(self, weights: [u8; N], sums: &mut Sums) -> u32 {
        for g in 0..8 {
            let group = weights.get(8 * g..8 * g + 8).unwrap_or_default();
            sums.before[g + 1] = sums.before[g] + group.iter().map(|&w| u16::from(w)).sum::<u16>();
        }
        sums.total().into()
    }

    #[inline(always)]
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
        let g = sums.before[1..8].iter().filter(|&&sum| u32::from(sum) <= r).count();
        let mut rest = r - u32::from(sums.before[g]);
        let mut label = 8 * g;
        while u32::from(weights[label]) <= rest {
            rest -= u32::from(weights[label]);
            label += 1;
        }
        label as u32
    }
}
