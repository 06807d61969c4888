//! The packed kernel's operations on AVX-512: 64 labels in one register, comparisons into masks.
//!
//! Every `unsafe` block calls intrinsics that the token vouches for, as in [`super::x86`].

use super::block::{Block, Sums};
use super::field::Cell;
use super::threefry::{CHUNK, RowStream};
use super::x86;
use std::arch::x86_64::*;

/// AVX-512 F, BW and VL: a block of one register.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have AVX-512 F, BW and VL.
    pub unsafe fn new() -> Self {
        Self(())
    }
}

impl Block for Avx512 {
    const BYTES: usize = 64;
    const BIAS: u8 = 0;
    type V = __m512i;

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> __m512i {
        assert!(bytes.len() >= Self::BYTES);
        // SAFETY: the token; the assertion covers the register.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m512i, bytes: &mut [u8]) {
        assert!(bytes.len() >= Self::BYTES);
        // SAFETY: the token; the assertion covers the register.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> __m512i {
        // SAFETY: the token.
        unsafe { _mm512_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn add_saturating(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token.
        unsafe { _mm512_adds_epu8(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token.
        unsafe { _mm512_min_epu8(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the token.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn shift_right(self, v: __m512i, shift: u8) -> __m512i {
        let keep = self.splat((0xff_u16 >> shift) as u8);
        // SAFETY: the token.
        unsafe { _mm512_and_si512(_mm512_srl_epi16(v, _mm_cvtsi32_si128(shift.into())), keep) }
    }

    #[inline(always)]
    fn base(self, v: __m512i) -> __m512i {
        // SAFETY: the token; it implies SSE4.1.
        unsafe {
            let least = _mm256_min_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
            let least = _mm_min_epu8(_mm256_castsi256_si128(least), _mm256_extracti128_si256::<1>(least));
            _mm512_broadcastb_epi8(x86::least(least))
        }
    }

    #[inline(always)]
    fn scaled(self, e: __m512i, base: __m512i) -> __m512i {
        // SAFETY: the token.
        unsafe { _mm512_sub_epi8(e, base) }
    }

    #[inline(always)]
    fn at_most(self, es: __m512i, theta: __m512i) -> u64 {
        // SAFETY: the token.
        unsafe { _mm512_cmple_epu8_mask(es, theta) }
    }

    #[inline(always)]
    fn count_above(self, count: __m512i, es: __m512i, theta: __m512i) -> __m512i {
        // SAFETY: the token.
        unsafe {
            let above = _mm512_cmpgt_epu8_mask(es, theta);
            _mm512_mask_add_epi8(count, above, count, _mm512_set1_epi8(1))
        }
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], i: __m512i) -> __m512i {
        // SAFETY: the token; the table has 16 bytes.
        unsafe {
            let table = _mm_loadu_si128(table.as_ptr().cast());
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), i)
        }
    }

    #[inline(always)]
    fn sum_groups(self, weights: __m512i, sums: &mut Sums) -> u32 {
        // SAFETY: the token.
        unsafe {
            let groups = _mm512_sad_epu8(weights, _mm512_setzero_si512());
            x86::store_sums(_mm512_cvtepi64_epi16(groups), sums)
        }
    }

    #[inline(always)]
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
        // SAFETY: the token implies SSE4.1.
        unsafe { x86::find(sums, weights, r) }
    }

    #[inline(always)]
    fn differences(self, a: &[Cell; CHUNK], b: &[Cell; CHUNK]) -> u32 {
        x86::differences(a, b)
    }

    #[inline(always)]
    fn words(self, stream: &RowStream, first: usize) -> [u32; CHUNK] {
        // SAFETY: the token implies AVX2. LLVM makes one rotation of the two shifts.
        unsafe { x86::words(stream, first) }
    }
}
