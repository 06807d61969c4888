//! The packed kernel's operations on x86-64.
//!
//! Every `unsafe` block calls intrinsics that its type's token vouches for: a token is only made by the row
//! functions at the end, which [`super::packed`] calls where the CPU has the instructions ([`super::Level`]).

// An index that runs over several arrays of registers at once; iterator chains over them do not always unroll.
#![allow(clippy::needless_range_loop)]

use super::block::{Block, Sums};
use super::field::Cell;
use super::threefry::{CHUNK, Lanes, RowStream, STEPS};
use std::arch::x86_64::*;

/// 128 in every byte. Hidden from the optimizer, which would otherwise rebuild a constant for every RV because only
/// one byte of it is used.
#[derive(Debug, Clone, Copy)]
struct Bias(__m128i);

impl Bias {
    #[inline(always)]
    fn new() -> Self {
        // SAFETY: SSE2 is part of x86-64.
        Self(unsafe { _mm_set1_epi8(std::hint::black_box(-128)) })
    }
}

/// SSE4.1: blocks of K registers of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Sse41<const K: usize>(Bias);

impl<const K: usize> Sse41<K> {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have SSE4.1 and SSSE3.
    pub unsafe fn new() -> Self {
        Self(Bias::new())
    }
}

/// AVX2: blocks of K registers of 32 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Avx2<const K: usize>(Bias);

impl<const K: usize> Avx2<K> {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have AVX2.
    pub unsafe fn new() -> Self {
        Self(Bias::new())
    }
}

/// `$f` on every register of a block.
macro_rules! each {
    ($K:ident, $first:expr, |$i:ident| $f:expr) => {{
        let mut result = $first;
        for $i in 0..$K {
            // SAFETY: the token (`self`) exists, so the CPU has the instructions.
            result[$i] = unsafe { $f };
        }
        result
    }};
}

/// The least of 16 bytes, in the lowest byte.
///
/// # Safety
/// The CPU must have SSE4.1.
#[inline(always)]
pub unsafe fn least(v: __m128i) -> __m128i {
    // SAFETY: by contract. The shifted copy leaves in every u16 the smaller one of its two bytes, with a zero above.
    unsafe { _mm_minpos_epu16(_mm_min_epu8(v, _mm_srli_epi16::<8>(v))) }
}

/// Inclusive prefix sums of eight u16.
#[inline(always)]
fn prefix(v: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let v = _mm_add_epi16(v, _mm_slli_si128::<2>(v));
        let v = _mm_add_epi16(v, _mm_slli_si128::<4>(v));
        _mm_add_epi16(v, _mm_slli_si128::<8>(v))
    }
}

/// Twice the number of the first of eight ascending u16 that exceeds `r`, which one does. All are below 2^15.
#[inline(always)]
fn first_above(prefix: __m128i, r: u32) -> usize {
    // SAFETY: SSE2 is part of x86-64.
    let bits = unsafe { _mm_movemask_epi8(_mm_cmpgt_epi16(prefix, _mm_set1_epi16(r as i16))) };
    // The mask keeps what is impossible (no bit) inside the arrays.
    bits.trailing_zeros() as usize & 14
}

/// Stores the prefix sums of `groups`; gives the last one.
#[inline(always)]
pub fn store_sums(groups: __m128i, sums: &mut Sums) -> u32 {
    let sums: &mut [u16] = &mut sums.before[1..9];
    // SAFETY: SSE2 is part of x86-64; the slice has 16 bytes.
    unsafe {
        let groups = prefix(groups);
        _mm_storeu_si128(sums.as_mut_ptr().cast(), groups);
        _mm_extract_epi16::<7>(groups) as u32
    }
}

/// [`Block::differences`].
#[inline(always)]
pub fn differences(a: &[Cell; CHUNK], b: &[Cell; CHUNK]) -> u32 {
    // SAFETY: SSE2 is part of x86-64; the arrays have 32 bytes.
    unsafe {
        let equal = |i: usize| {
            let (a, b) = (a.as_ptr().add(i).cast(), b.as_ptr().add(i).cast());
            _mm_cmpeq_epi16(_mm_loadu_si128(a), _mm_loadu_si128(b))
        };
        !_mm_movemask_epi8(_mm_packs_epi16(equal(0), equal(8))) as u32 & 0xffff
    }
}

/// [`Block::find`].
///
/// # Safety
/// The CPU must have SSE4.1.
#[inline(always)]
pub unsafe fn find(sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
    let inclusive: &[u16] = &sums.before[1..9];
    // SAFETY: by contract; the slices have 16 and 8 bytes.
    unsafe {
        let g2 = first_above(_mm_loadu_si128(inclusive.as_ptr().cast()), r);
        let rest = r - u32::from(sums.before[g2 / 2]);
        let group = &weights[4 * g2..][..8];
        let wide = _mm_cvtepu8_epi16(_mm_loadl_epi64(group.as_ptr().cast()));
        (4 * g2 + first_above(prefix(wide), rest) / 2) as u32
    }
}

impl<const K: usize> Block for Sse41<K> {
    const BYTES: usize = 16 * K;
    const BIAS: u8 = 128;
    type V = [__m128i; K];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> Self::V {
        assert!(bytes.len() >= Self::BYTES);
        // The assertion covers every register.
        each!(K, self.splat(0), |i| _mm_loadu_si128(bytes.as_ptr().add(16 * i).cast()))
    }

    #[inline(always)]
    fn store(self, v: Self::V, bytes: &mut [u8]) {
        assert!(bytes.len() >= Self::BYTES);
        for i in 0..K {
            // SAFETY: SSE2 is part of x86-64; the assertion covers every register.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().add(16 * i).cast(), v[i]) };
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::V {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [_mm_set1_epi8(byte as i8); K] }
    }

    #[inline(always)]
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm_adds_epu8(a[i], b[i]))
    }

    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm_min_epu8(a[i], b[i]))
    }

    #[inline(always)]
    fn and(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm_and_si128(a[i], b[i]))
    }

    #[inline(always)]
    fn shift_right(self, v: Self::V, shift: u8) -> Self::V {
        let keep = self.splat((0xff_u16 >> shift) as u8);
        each!(K, v, |i| _mm_and_si128(_mm_srl_epi16(v[i], _mm_cvtsi32_si128(shift.into())), keep[i]))
    }

    #[inline(always)]
    fn base(self, v: Self::V) -> Self::V {
        // SAFETY: the token.
        unsafe {
            let mut least = v[0];
            for i in 1..K {
                least = _mm_min_epu8(least, v[i]);
            }
            let base = _mm_sub_epi8(self::least(least), self.0.0);
            [_mm_shuffle_epi8(base, _mm_setzero_si128()); K]
        }
    }

    #[inline(always)]
    fn scaled(self, e: Self::V, base: Self::V) -> Self::V {
        each!(K, e, |i| _mm_sub_epi8(e[i], base[i]))
    }

    #[inline(always)]
    fn at_most(self, es: Self::V, theta: Self::V) -> u64 {
        let mut above = 0;
        for i in 0..K {
            // SAFETY: SSE2 is part of x86-64.
            let bits = unsafe { _mm_movemask_epi8(_mm_cmpgt_epi8(es[i], theta[i])) };
            above |= u64::from(bits as u32) << (16 * i);
        }
        !above
    }

    #[inline(always)]
    fn count_above(self, count: Self::V, es: Self::V, theta: Self::V) -> Self::V {
        // True is −1.
        each!(K, count, |i| _mm_sub_epi8(count[i], _mm_cmpgt_epi8(es[i], theta[i])))
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], v: Self::V) -> Self::V {
        each!(K, v, |i| _mm_shuffle_epi8(_mm_loadu_si128(table.as_ptr().cast()), v[i]))
    }

    #[inline(always)]
    fn sum_groups(self, weights: Self::V, sums: &mut Sums) -> u32 {
        // SAFETY: the token. `_mm_sad_epu8` against 0 sums eight bytes; packing twice narrows and orders the sums.
        unsafe {
            let zero = _mm_setzero_si128();
            let mut sad = [zero; 4];
            for i in 0..K {
                sad[i] = _mm_sad_epu8(weights[i], zero);
            }
            let low = _mm_packus_epi32(sad[0], sad[1]);
            let high = _mm_packus_epi32(sad[2], sad[3]);
            store_sums(_mm_packus_epi32(low, high), sums)
        }
    }

    #[inline(always)]
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
        // SAFETY: the token.
        unsafe { find(sums, weights, r) }
    }

    #[inline(always)]
    fn differences(self, a: &[Cell; CHUNK], b: &[Cell; CHUNK]) -> u32 {
        differences(a, b)
    }
}

impl<const K: usize> Block for Avx2<K> {
    const BYTES: usize = 32 * K;
    const BIAS: u8 = 128;
    type V = [__m256i; K];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> Self::V {
        assert!(bytes.len() >= Self::BYTES);
        // The assertion covers every register.
        each!(K, self.splat(0), |i| _mm256_loadu_si256(bytes.as_ptr().add(32 * i).cast()))
    }

    #[inline(always)]
    fn store(self, v: Self::V, bytes: &mut [u8]) {
        assert!(bytes.len() >= Self::BYTES);
        for i in 0..K {
            // SAFETY: the token; the assertion covers every register.
            unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().add(32 * i).cast(), v[i]) };
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::V {
        // SAFETY: the token.
        unsafe { [_mm256_set1_epi8(byte as i8); K] }
    }

    #[inline(always)]
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm256_adds_epu8(a[i], b[i]))
    }

    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm256_min_epu8(a[i], b[i]))
    }

    #[inline(always)]
    fn and(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| _mm256_and_si256(a[i], b[i]))
    }

    #[inline(always)]
    fn shift_right(self, v: Self::V, shift: u8) -> Self::V {
        let keep = self.splat((0xff_u16 >> shift) as u8);
        each!(K, v, |i| _mm256_and_si256(_mm256_srl_epi16(v[i], _mm_cvtsi32_si128(shift.into())), keep[i]))
    }

    #[inline(always)]
    fn base(self, v: Self::V) -> Self::V {
        // SAFETY: the token.
        unsafe {
            let mut least = v[0];
            for i in 1..K {
                least = _mm256_min_epu8(least, v[i]);
            }
            let least = _mm_min_epu8(_mm256_castsi256_si128(least), _mm256_extracti128_si256::<1>(least));
            [_mm256_broadcastb_epi8(_mm_sub_epi8(self::least(least), self.0.0)); K]
        }
    }

    #[inline(always)]
    fn scaled(self, e: Self::V, base: Self::V) -> Self::V {
        each!(K, e, |i| _mm256_sub_epi8(e[i], base[i]))
    }

    #[inline(always)]
    fn at_most(self, es: Self::V, theta: Self::V) -> u64 {
        let mut above = 0;
        for i in 0..K {
            // SAFETY: the token.
            let bits = unsafe { _mm256_movemask_epi8(_mm256_cmpgt_epi8(es[i], theta[i])) };
            above |= u64::from(bits as u32) << (32 * i);
        }
        !above
    }

    #[inline(always)]
    fn count_above(self, count: Self::V, es: Self::V, theta: Self::V) -> Self::V {
        // True is −1.
        each!(K, count, |i| _mm256_sub_epi8(count[i], _mm256_cmpgt_epi8(es[i], theta[i])))
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], v: Self::V) -> Self::V {
        each!(K, v, |i| {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            _mm256_shuffle_epi8(table, v[i])
        })
    }

    #[inline(always)]
    fn sum_groups(self, weights: Self::V, sums: &mut Sums) -> u32 {
        // SAFETY: the token. `_mm256_sad_epu8` against 0 sums eight bytes; packing twice narrows the sums and leaves
        // groups 0, 1, 4, 5 in the low half and 2, 3, 6, 7 in the high one; unpacking brings them in order.
        unsafe {
            let zero = _mm256_setzero_si256();
            let mut sad = [zero; 2];
            for i in 0..K {
                sad[i] = _mm256_sad_epu8(weights[i], zero);
            }
            let packed = _mm256_packus_epi32(sad[0], sad[1]);
            let packed = _mm256_packus_epi32(packed, packed);
            let (low, high) = (_mm256_castsi256_si128(packed), _mm256_extracti128_si256::<1>(packed));
            store_sums(_mm_unpacklo_epi32(low, high), sums)
        }
    }

    #[inline(always)]
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
        // SAFETY: AVX2 implies SSE4.1.
        unsafe { find(sums, weights, r) }
    }

    #[inline(always)]
    fn differences(self, a: &[Cell; CHUNK], b: &[Cell; CHUNK]) -> u32 {
        differences(a, b)
    }

    #[inline(always)]
    fn words(self, stream: &RowStream, first: usize) -> [u32; CHUNK] {
        // SAFETY: the token.
        unsafe { words(stream, first) }
    }
}

/// Eight u32 in an AVX2 register. Only made by [`words`].
#[derive(Clone, Copy)]
struct Words(__m256i);

impl From<Words> for [u32; 8] {
    #[inline(always)]
    fn from(words: Words) -> Self {
        let mut array = [0; 8];
        // SAFETY: a token exists; the array has 32 bytes.
        unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), words.0) };
        array
    }
}

impl Lanes for Words {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: a token exists.
        Self(unsafe { _mm256_set1_epi32(word as i32) })
    }

    #[inline(always)]
    fn steps() -> Self {
        // SAFETY: a token exists; the array has 32 bytes.
        Self(unsafe { _mm256_loadu_si256(STEPS.as_ptr().cast()) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a token exists.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_xor<const LEFT: i32, const RIGHT: i32>(self, other: Self) -> Self {
        // SAFETY: a token exists.
        unsafe {
            let rotated =
                _mm256_or_si256(_mm256_slli_epi32::<LEFT>(self.0), _mm256_srli_epi32::<RIGHT>(self.0));
            Self(_mm256_xor_si256(rotated, other.0))
        }
    }
}

/// The random words of a chunk in AVX2.
///
/// # Safety
/// The CPU must have AVX2.
#[inline(always)]
pub unsafe fn words(stream: &RowStream, first: usize) -> [u32; CHUNK] {
    stream.words::<Words>(first)
}
