//! The packed sampler of AVX-512: one colour of one row, 64 RVs in the lanes of a register, a label at a time.
//!
//! With the RVs in the lanes ([`super::kernel`] has the labels there) nothing is summed or searched across lanes, no
//! lane waits for another, and one table row serves 64 RVs: for own label l, β·V(l, m) for all m is one register, in
//! which the labels of 64 neighbours are looked up by one permutation of bytes (VBMI). Weights are looked up alike. So
//! the time of a RV depends neither on its temperature nor on the form of its weights.

use super::costs::{Costs, LANES, Layout};
use super::field::{Cell, Encoding};
use super::kernel::Task;
use super::tables::{ByteWeights, Form};
use super::threefry::{Lanes, RowStream};
use crate::job::Job;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// What does not change during a run.
#[derive(Debug)]
pub struct Across {
    encoding: Encoding,
    costs: Costs,
    /// Row l: min(β·V(l, m), 255) of every neighbour label m.
    pairs: Vec<Bytes>,
    form: Form,
    u_bits: u8,
}

/// A register in memory.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bytes([u8; LANES]);

/// What the passes over the labels hand on.
struct Scratch {
    energies: [MaybeUninit<__m512i>; LANES],
    /// Inclusive prefix sums of the weights, in the halves that unpacking bytes to words makes.
    sums: [[MaybeUninit<__m512i>; 2]; LANES],
}

impl Across {
    /// The sampler of `job`, or `None` if bytes cannot hold its energies, a register its labels, or edges have weights;
    /// costs are in a table of `limit` bytes at most; `argmin`, if there, takes the lowest label of least S of every RV.
    ///
    /// # Safety
    /// The CPU must have what [`super::Level::Avx512`] asks for.
    pub unsafe fn new(job: &Job, limit: usize, argmin: Option<&mut [u8]>) -> Option<Self> {
        let problem = job.problem();
        let labels = usize::from(problem.labels);
        // Weighted pair costs have no register of their own: such jobs have the labels in the lanes.
        if labels > LANES || problem.edge_weights.is_some() {
            return None;
        }
        let form = Form::new(job.hardware(), problem)?;
        let pairs = (0..labels).map(|l| {
            let mut row = Bytes([0; LANES]);
            for (m, cost) in row.0[..labels].iter_mut().enumerate() {
                *cost = (u32::from(problem.beta) * problem.pair_cost(l, m)).min(255) as u8;
            }
            row
        });
        Some(Self {
            encoding: Encoding::new(problem.labels, 1),
            costs: Costs::new(problem, Layout::Lanes(labels), limit, argmin),
            pairs: pairs.collect(),
            form,
            u_bits: job.hardware().u_bits,
        })
    }

    /// How labels become cells: they are their own cells.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Its singleton costs.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Samples a row with the costs of its RVs.
    pub fn row(&self, costs: &[u8], task: Task<'_>) {
        // Weights beyond θ_0 are 0, so a table may end there, with a 0 for everything that is larger.
        // SAFETY: by the contract of `new`.
        unsafe {
            match task.weights.theta {
                0..63 => self.sample::<6>(costs, task),
                63..127 => self.sample::<7>(costs, task),
                _ => self.sample::<8>(costs, task),
            }
        }
    }

    /// [`Across::row`] with a table of 2^BITS weights.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn sample<const BITS: u32>(&self, costs: &[u8], mut task: Task<'_>) {
        let mut scratch =
            Scratch { energies: [MaybeUninit::uninit(); LANES], sums: [[MaybeUninit::uninit(); 2]; LANES] };
        let weights = Weights::<BITS>::new(task.weights);
        for (block, costs) in costs.chunks_exact(LANES * self.pairs.len()).enumerate() {
            if task.awake.is_some_and(|awake| awake[block] == 0) {
                continue;
            }
            let first = block * LANES;
            let near = [0, 1, 2, 3].map(|n| self.neighbours(task.near[n].as_flattened(), first));
            let least = self.energies(&near, costs, &mut scratch);
            let totals = self.weigh(least, &weights, &mut scratch);
            let labels = self.find(self.draw(&task.stream, first, totals), &scratch);
            let changed = self.write(labels, first, &mut task);
            task.bits.note_word(block, several(totals, task.weights), changed);
        }
    }

    /// The labels of the 64 neighbours that start at `first`, and the mask of those that exist.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi2")]
    #[inline]
    fn neighbours(&self, row: &[Cell], first: usize) -> (__m512i, __mmask64) {
        let row = &row[first..];
        let mask = first_lanes(row.len());
        // SAFETY: the masks leave out what the row does not have.
        let [low, high] = [0, 32].map(|i| unsafe {
            _mm512_maskz_loadu_epi16((mask >> i) as __mmask32, row.as_ptr().wrapping_add(i).cast())
        });
        let low = _mm512_castsi256_si512(_mm512_cvtepi16_epi8(low));
        let labels = _mm512_inserti64x4::<1>(low, _mm512_cvtepi16_epi8(high));
        (labels, _mm512_cmplt_epu8_mask(labels, _mm512_set1_epi8(self.encoding.null() as i8)))
    }

    /// All energies; gives the least of every lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    fn energies(&self, near: &[(__m512i, __mmask64); 4], costs: &[u8], scratch: &mut Scratch) -> __m512i {
        let plain = self.form.is_plain_sum();
        let keep = _mm512_set1_epi8((0xff_u16 >> self.form.shift) as u8 as i8);
        let most = _mm512_set1_epi8(self.form.energy_max as i8);
        let shift = _mm_cvtsi32_si128(self.form.shift.into());
        let mut least = _mm512_set1_epi8(-1);
        for ((row, cost), energy) in self.pairs.iter().zip(costs.as_chunks().0).zip(&mut scratch.energies) {
            let (row, cost) = (load(&row.0), load(cost));
            let pair = |n: usize| {
                let (labels, there) = near[n];
                _mm512_maskz_permutexvar_epi8(there, labels, row)
            };
            let across = _mm512_adds_epu8(pair(0), pair(1));
            let along = _mm512_adds_epu8(pair(2), pair(3));
            let mut e = _mm512_adds_epu8(_mm512_adds_epu8(cost, across), along);
            if !plain {
                e = _mm512_min_epu8(_mm512_and_si512(_mm512_srl_epi16(e, shift), keep), most);
            }
            energy.write(e);
            least = _mm512_min_epu8(least, e);
        }
        least
    }

    /// Prefix sums of the weights; gives the last ones.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    fn weigh<const BITS: u32>(
        &self,
        least: __m512i,
        weights: &Weights<BITS>,
        scratch: &mut Scratch,
    ) -> [__m512i; 2] {
        let zero = _mm512_setzero_si512();
        let mut sums = [zero; 2];
        let labels = self.pairs.len();
        for (energy, sum) in scratch.energies[..labels].iter().zip(&mut scratch.sums) {
            // SAFETY: `energies` wrote as many.
            let energy = unsafe { energy.assume_init() };
            let w = weights.of(_mm512_sub_epi8(energy, least));
            sums[0] = _mm512_add_epi16(sums[0], _mm512_unpacklo_epi8(w, zero));
            sums[1] = _mm512_add_epi16(sums[1], _mm512_unpackhi_epi8(w, zero));
            sum[0].write(sums[0]);
            sum[1].write(sums[1]);
        }
        sums
    }

    /// r = (u·Σw) >> u_bits of every lane, in the halves of the sums.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    fn draw(&self, stream: &RowStream, first: usize, totals: [__m512i; 2]) -> [__m512i; 2] {
        let u_shift = _mm_cvtsi32_si128(32 - i32::from(self.u_bits));
        let r_shift = _mm_cvtsi32_si128(self.u_bits.into());
        // Two RVs share a block: its words go to neighbouring lanes.
        let interleave = [
            _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0),
            _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8),
        ];
        let totals = [store_words(totals[0]), store_words(totals[1])];
        let mut r = [[0_u16; LANES / 2]; 2];
        for pair in 0..2 {
            let [x0, x1] = stream.blocks::<Words>(first + 32 * pair);
            for (i, order) in interleave.into_iter().enumerate() {
                // The 16 RVs of a group have eight words in each half.
                let at = 8 * (2 * pair + i);
                let u = _mm512_srl_epi32(_mm512_permutex2var_epi32(x0.0, order, x1.0), u_shift);
                let total = _mm256_set_m128i(load_eight(&totals[1][at..]), load_eight(&totals[0][at..]));
                let total = _mm512_cvtepu16_epi32(total);
                let even = _mm512_srl_epi64(_mm512_mul_epu32(u, total), r_shift);
                let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(u), _mm512_srli_epi64::<32>(total));
                let odd = _mm512_slli_epi64::<32>(_mm512_srl_epi64(odd, r_shift));
                let words = _mm512_cvtepi32_epi16(_mm512_or_si512(even, odd));
                store_eight(_mm256_castsi256_si128(words), &mut r[0][at..]);
                store_eight(_mm256_extracti128_si256::<1>(words), &mut r[1][at..]);
            }
        }
        [load_words(&r[0]), load_words(&r[1])]
    }

    /// The first label of every lane whose prefix sum exceeds r: as many as do not exceed it come before.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    fn find(&self, r: [__m512i; 2], scratch: &Scratch) -> __m512i {
        let one = _mm512_set1_epi16(1);
        let mut counts = [_mm512_setzero_si512(); 2];
        for sums in &scratch.sums[..self.pairs.len()] {
            for half in 0..2 {
                // SAFETY: `weigh` wrote as many.
                let sum = unsafe { sums[half].assume_init() };
                let below = _mm512_cmple_epu16_mask(sum, r[half]);
                counts[half] = _mm512_mask_add_epi16(counts[half], below, counts[half], one);
            }
        }
        _mm512_packus_epi16(counts[0], counts[1])
    }

    /// Writes the labels of the RVs from `first` on, but for fixed ones; tells which changed.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi2")]
    #[inline]
    fn write(&self, labels: __m512i, first: usize, task: &mut Task<'_>) -> u64 {
        let count = task.out.count - first;
        let mut mask = first_lanes(count);
        if let Some(fixed) = task.fixed {
            let fixed = &fixed[first..][..count];
            // SAFETY: the mask leaves out what the row does not have; a bool is a byte.
            let fixed = unsafe { _mm512_maskz_loadu_epi8(mask, fixed.as_ptr().cast()) };
            mask &= _mm512_testn_epi8_mask(fixed, fixed);
        }
        let cells = &mut task.out.chunks.as_flattened_mut()[first..][..count];
        let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(labels));
        let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(labels));
        // SAFETY: the masks leave out what the row does not have.
        unsafe {
            let (low_mask, high_mask) = (mask as __mmask32, (mask >> 32) as __mmask32);
            let high_cells = cells.as_mut_ptr().wrapping_add(32);
            let old = _mm512_maskz_loadu_epi16(low_mask, cells.as_ptr().cast());
            let low_changed = _mm512_mask_cmpneq_epi16_mask(low_mask, old, low);
            let old = _mm512_maskz_loadu_epi16(high_mask, high_cells.cast_const().cast());
            let high_changed = _mm512_mask_cmpneq_epi16_mask(high_mask, old, high);
            _mm512_mask_storeu_epi16(cells.as_mut_ptr().cast(), low_mask, low);
            _mm512_mask_storeu_epi16(high_cells.cast(), high_mask, high);
            u64::from(low_changed) | u64::from(high_changed) << 32
        }
    }
}

/// Sixteen u32. Only made by [`Across`].
#[derive(Clone, Copy)]
struct Words(__m512i);

impl Lanes for Words {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: an `Across` exists, so the CPU has the instructions.
        Self(unsafe { _mm512_set1_epi32(word as i32) })
    }

    #[inline(always)]
    fn steps() -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_xor<const LEFT: i32, const RIGHT: i32>(self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_xor_si512(_mm512_rol_epi32::<LEFT>(self.0), other.0) })
    }
}

/// A bit for each RV with more than one live label: its sum of weights is more than the one of least energy has.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn several(totals: [__m512i; 2], weights: &ByteWeights) -> u64 {
    let one = _mm512_set1_epi16(weights.table[0].into());
    // Packing undoes the unpacking of bytes to words.
    let more = totals.map(|totals| _mm512_sub_epi16(totals, one));
    let packed = _mm512_packus_epi16(clamp(more[0]), clamp(more[1]));
    _mm512_test_epi8_mask(packed, packed)
}

/// At most 255, of unsigned words.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn clamp(words: __m512i) -> __m512i {
    _mm512_min_epu16(words, _mm512_set1_epi16(255))
}

/// A bit for each of the first `count` lanes, at most all.
#[inline(always)]
fn first_lanes(count: usize) -> __mmask64 {
    if count >= LANES { u64::MAX } else { (1 << count) - 1 }
}

/// w(Es) for Es below 2^BITS, the last of which has none unless BITS is 8.
struct Weights<const BITS: u32>([__m512i; 4]);

impl<const BITS: u32> Weights<BITS> {
    #[target_feature(enable = "avx512f")]
    fn new(weights: &ByteWeights) -> Self {
        let rows = weights.table.as_chunks().0;
        Self([0, 1, 2, 3].map(|i| load(&rows[i])))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    #[inline]
    fn of(&self, es: __m512i) -> __m512i {
        let table = &self.0;
        match BITS {
            6 => _mm512_permutexvar_epi8(_mm512_min_epu8(es, _mm512_set1_epi8(63)), table[0]),
            7 => {
                let es = _mm512_min_epu8(es, _mm512_set1_epi8(127));
                _mm512_permutex2var_epi8(table[0], es, table[1])
            }
            _ => {
                let near = _mm512_permutex2var_epi8(table[0], es, table[1]);
                let far = _mm512_permutex2var_epi8(table[2], es, table[3]);
                _mm512_mask_mov_epi8(near, _mm512_movepi8_mask(es), far)
            }
        }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(bytes: &[u8; LANES]) -> __m512i {
    // SAFETY: the array has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_words(words: &[u16; LANES / 2]) -> __m512i {
    // SAFETY: the array has 64 bytes.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_words(v: __m512i) -> [u16; LANES / 2] {
    let mut words = [0; LANES / 2];
    // SAFETY: the array has 64 bytes.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), v) };
    words
}

#[target_feature(enable = "sse2")]
#[inline]
fn load_eight(words: &[u16]) -> __m128i {
    let words = &words[..8];
    // SAFETY: the slice has 16 bytes.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[target_feature(enable = "sse2")]
#[inline]
fn store_eight(v: __m128i, words: &mut [u16]) {
    let words = &mut words[..8];
    // SAFETY: the slice has 16 bytes.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), v) };
}
