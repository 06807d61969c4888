//! The packed kernel's operations on 64-bit Arm.
//!
//! Every `unsafe` block calls intrinsics that the token vouches for, as in the x86-64 modules.

// An index that runs over several arrays of registers at once; iterator chains over them do not always unroll.
#![allow(clippy::needless_range_loop)]

use super::block::{Block, Sums};
use std::arch::aarch64::*;

/// NEON: blocks of K registers of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Neon<const K: usize>(());

impl<const K: usize> Neon<K> {
    /// The token.
    ///
    /// # Safety
    /// The CPU must have NEON.
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
fn prefix(v: uint16x8_t) -> uint16x8_t {
    // SAFETY: only called with a token.
    unsafe {
        let zero = vdupq_n_u16(0);
        let v = vaddq_u16(v, vextq_u16::<7>(zero, v));
        let v = vaddq_u16(v, vextq_u16::<6>(zero, v));
        vaddq_u16(v, vextq_u16::<4>(zero, v))
    }
}

/// How many of eight ascending u16 do not exceed `r`.
#[inline(always)]
fn first_above(prefix: uint16x8_t, r: u32) -> u32 {
    // SAFETY: only called with a token.
    unsafe { u32::from(vaddvq_u16(vshrq_n_u16::<15>(vcleq_u16(prefix, vdupq_n_u16(r as u16))))) }
}

impl<const K: usize> Block for Neon<K> {
    const BYTES: usize = 16 * K;
    const BIAS: u8 = 0;
    type V = [uint8x16_t; K];

    #[inline(always)]
    fn load(self, bytes: &[u8]) -> Self::V {
        assert!(bytes.len() >= Self::BYTES);
        // The assertion covers every register.
        each!(K, self.splat(0), |i| vld1q_u8(bytes.as_ptr().add(16 * i)))
    }

    #[inline(always)]
    fn store(self, v: Self::V, bytes: &mut [u8]) {
        assert!(bytes.len() >= Self::BYTES);
        for i in 0..K {
            // SAFETY: the token; the assertion covers every register.
            unsafe { vst1q_u8(bytes.as_mut_ptr().add(16 * i), v[i]) };
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::V {
        // SAFETY: the token.
        unsafe { [vdupq_n_u8(byte); K] }
    }

    #[inline(always)]
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| vqaddq_u8(a[i], b[i]))
    }

    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| vminq_u8(a[i], b[i]))
    }

    #[inline(always)]
    fn and(self, a: Self::V, b: Self::V) -> Self::V {
        each!(K, a, |i| vandq_u8(a[i], b[i]))
    }

    #[inline(always)]
    fn shift_right(self, v: Self::V, shift: u8) -> Self::V {
        each!(K, v, |i| vshlq_u8(v[i], vdupq_n_s8(-(shift as i8))))
    }

    #[inline(always)]
    fn base(self, v: Self::V) -> Self::V {
        // SAFETY: the token.
        unsafe {
            let mut least = v[0];
            for i in 1..K {
                least = vminq_u8(least, v[i]);
            }
            [vdupq_n_u8(vminvq_u8(least)); K]
        }
    }

    #[inline(always)]
    fn scaled(self, e: Self::V, base: Self::V) -> Self::V {
        each!(K, e, |i| vsubq_u8(e[i], base[i]))
    }

    #[inline(always)]
    fn at_most(self, es: Self::V, theta: Self::V) -> u64 {
        const BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the token. Three pairwise additions bring the eight bits of every group of labels into one byte.
        unsafe {
            let bit = vld1q_u8(BIT.as_ptr());
            let mut bits = [vdupq_n_u8(0); 4];
            for i in 0..K {
                bits[i] = vandq_u8(vcleq_u8(es[i], theta[i]), bit);
            }
            let (low, high) = (vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
            let sums = vpaddq_u8(low, high);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
        }
    }

    #[inline(always)]
    fn count_above(self, count: Self::V, es: Self::V, theta: Self::V) -> Self::V {
        // True is −1.
        each!(K, count, |i| vsubq_u8(count[i], vcgtq_u8(es[i], theta[i])))
    }

    #[inline(always)]
    fn lookup(self, table: &[u8; 16], v: Self::V) -> Self::V {
        each!(K, v, |i| vqtbl1q_u8(vld1q_u8(table.as_ptr()), v[i]))
    }

    #[inline(always)]
    fn sum_groups(self, weights: Self::V, sums: &mut Sums) -> u32 {
        // SAFETY: the token. Pairwise additions sum eight bytes; they stay in order.
        unsafe {
            let mut pairs = [vdupq_n_u16(0); 4];
            for i in 0..K {
                pairs[i] = vpaddlq_u8(weights[i]);
            }
            let (low, high) = (vpaddq_u16(pairs[0], pairs[1]), vpaddq_u16(pairs[2], pairs[3]));
            let inclusive: &mut [u16] = &mut sums.before[1..9];
            vst1q_u16(inclusive.as_mut_ptr(), prefix(vpaddq_u16(low, high)));
            sums.total().into()
        }
    }

    #[inline(always)]
    fn find(self, sums: &Sums, weights: &[u8; 64], r: u32) -> u32 {
        let inclusive: &[u16] = &sums.before[1..9];
        // SAFETY: the token; the loads cover 16 and 8 bytes of the slices.
        unsafe {
            let g = first_above(vld1q_u16(inclusive.as_ptr()), r) & 7;
            let rest = r - u32::from(sums.before[g as usize]);
            let group = &weights[8 * g as usize..][..8];
            8 * g + first_above(prefix(vmovl_u8(vld1_u8(group.as_ptr()))), rest)
        }
    }
}
