//! The packed kernel's operations on x86-64.
//!
//! Every `unsafe` block calls intrinsics that its type's token vouches for: a token is only made by the row
//! functions at the end, which [`super::packed`] calls where the CPU has the instructions ([`super::Level`]).

// An index that runs over several arrays of registers at once; iterator chains over them do not always unroll.
#![allow(clippy::needless_range_loop)]

use super::block::Block;
use std::arch::x86_64::*;

/// SSE4.1: blocks of K registers of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Sse41<const K: usize>(());

impl<const K: usize> Sse41<K> {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have SSE4.1 and SSSE3.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

/// AVX2: blocks of K registers of 32 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Avx2<const K: usize>(());

impl<const K: usize> Avx2<K> {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have AVX2.
    pub unsafe fn new() -> Self {
        Self(())
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

/// Number of the first of eight ascending u16 that exceeds `r`; 8 if none does. All are below 2^15.
#[inline(always)]
fn first_above(prefix: __m128i, r: u32) -> u32 {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let above = _mm_cmpgt_epi16(prefix, _mm_set1_epi16(r as i16));
        let bits = _mm_movemask_epi8(_mm_packs_epi16(above, above)) as u32;
        (bits | 0x100).trailing_zeros()
    }
}

/// [`Block::find`] on prefix sums of the groups.
///
/// # Safety
/// The CPU must have SSE4.1.
#[inline(always)]
unsafe fn find(groups: __m128i, weights: &[u8], r: u32) -> u32 {
    let mut sums = [0_u16; 9];
    // SAFETY: the store covers sums[1..9]; the load covers the eight bytes of `group`.
    unsafe {
        _mm_storeu_si128(sums[1..].as_mut_ptr().cast(), groups);
        let g = first_above(groups, r) & 7;
        let rest = r - u32::from(sums[g as usize]);
        let group = &weights[8 * g as usize..][..8];
        let wide = _mm_cvtepu8_epi16(_mm_loadl_epi64(group.as_ptr().cast()));
        8 * g + first_above(prefix(wide), rest)
    }
}

impl<const K: usize> Block for Sse41<K> {
    const BYTES: usize = 16 * K;
    const BIAS: u8 = 128;
    type V = [__m128i; K];
    type Groups = __m128i;

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
            [_mm_shuffle_epi8(base(least), _mm_setzero_si128()); K]
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
    fn groups(self, weights: Self::V) -> __m128i {
        // SAFETY: the token. `_mm_sad_epu8` against 0 sums eight bytes; packing twice narrows and orders the sums.
        unsafe {
            let zero = _mm_setzero_si128();
            let mut sad = [zero; 4];
            for i in 0..K {
                sad[i] = _mm_sad_epu8(weights[i], zero);
            }
            let low = _mm_packus_epi32(sad[0], sad[1]);
            let high = _mm_packus_epi32(sad[2], sad[3]);
            prefix(_mm_packus_epi32(low, high))
        }
    }

    #[inline(always)]
    fn total(self, groups: __m128i) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_extract_epi16::<7>(groups) as u32 }
    }

    #[inline(always)]
    fn find(self, groups: __m128i, weights: &[u8], r: u32) -> u32 {
        // SAFETY: the token.
        unsafe { find(groups, weights, r) }
    }
}

/// The least of 16 bytes, less 128, in the lowest byte.
///
/// # Safety
/// The CPU must have SSE4.1.
#[inline(always)]
unsafe fn base(v: __m128i) -> __m128i {
    // SAFETY: by contract. The shifted copy leaves in every u16 the smaller one of its two bytes, with a zero above.
    unsafe {
        let pairs = _mm_min_epu8(v, _mm_srli_epi16::<8>(v));
        _mm_sub_epi8(_mm_minpos_epu16(pairs), _mm_set1_epi8(-128))
    }
}

impl<const K: usize> Block for Avx2<K> {
    const BYTES: usize = 32 * K;
    const BIAS: u8 = 128;
    type V = [__m256i; K];
    type Groups = __m128i;

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
            [_mm256_broadcastb_epi8(base(least)); K]
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
    fn groups(self, weights: Self::V) -> __m128i {
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
            prefix(_mm_unpacklo_epi32(low, high))
        }
    }

    #[inline(always)]
    fn total(self, groups: __m128i) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_extract_epi16::<7>(groups) as u32 }
    }

    #[inline(always)]
    fn find(self, groups: __m128i, weights: &[u8], r: u32) -> u32 {
        // SAFETY: AVX2 implies SSE4.1.
        unsafe { find(groups, weights, r) }
    }
}
