//! The packed sampler: which kernel a job gets, and its compilation for each instruction set.

use super::block::{Block, Portable};
use super::costs::{Costs, Layout};
use super::field::{Cell, Encoding};
use super::kernel::{self, Packed, Task};
use super::level::Level;
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::tables::{Form, PairRows};
#[cfg(target_arch = "x86_64")]
use super::{
    across::Across,
    avx512::Avx512,
    x86::{Avx2, Sse41},
};
use crate::job::Job;

/// A job in bytes.
#[derive(Debug)]
pub enum Sampler {
    /// The labels of a RV in the lanes of a register.
    Labels(Labels),
    /// RVs in the lanes of a register.
    #[cfg(target_arch = "x86_64")]
    Across(Across),
}

impl Sampler {
    /// The sampler of `job`, or `None` if bytes cannot hold its energies; costs are in a table of `limit` bytes at most;
    /// `argmin`, if there, takes the lowest label of least S of every RV.
    pub fn new(job: &Job, level: Level, limit: usize, mut argmin: Option<&mut [u8]>) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if level == Level::Avx512 {
            // SAFETY: `Level::choose` found the instructions on this CPU.
            if let Some(across) = unsafe { Across::new(job, limit, argmin.as_deref_mut()) } {
                return Some(Self::Across(across));
            }
        }
        Labels::new(job, level, limit, argmin).map(Self::Labels)
    }

    /// How labels become cells.
    pub fn encoding(&self) -> Encoding {
        match self {
            Self::Labels(labels) => labels.packed.pairs.encoding(),
            #[cfg(target_arch = "x86_64")]
            Self::Across(across) => across.encoding(),
        }
    }

    /// Cells from weight to weight, where neighbours' cells lead to the rows of their edges' weights
    /// ([`super::edges::WeightedNear::shift`]): in every job with edge weights.
    pub fn plane(&self) -> Option<Cell> {
        match self {
            Self::Labels(labels) => Some(labels.packed.pairs.plane()),
            #[cfg(target_arch = "x86_64")]
            Self::Across(_) => None,
        }
    }

    /// True if a word of 64 RVs costs as much as one of them.
    pub fn takes_words(&self) -> bool {
        match self {
            Self::Labels(_) => false,
            #[cfg(target_arch = "x86_64")]
            Self::Across(_) => true,
        }
    }

    /// Its singleton costs.
    pub fn costs(&self) -> &Costs {
        match self {
            Self::Labels(labels) => &labels.costs,
            #[cfg(target_arch = "x86_64")]
            Self::Across(across) => across.costs(),
        }
    }

    /// Samples a row with the costs of its RVs.
    pub fn row(&self, costs: &[u8], task: Task<'_>) {
        match self {
            Self::Labels(labels) => labels.row(costs, task),
            #[cfg(target_arch = "x86_64")]
            Self::Across(across) => across.row(costs, task),
        }
    }
}

/// A job with the labels of a RV in the lanes of a register.
#[derive(Debug)]
pub struct Labels {
    packed: Packed,
    costs: Costs,
    level: Level,
}

impl Labels {
    fn new(job: &Job, level: Level, limit: usize, argmin: Option<&mut [u8]>) -> Option<Self> {
        let problem = job.problem();
        let form = Form::new(job.hardware(), problem)?;
        let labels = usize::from(problem.labels);
        let stride = stride(labels, level);
        Some(Self {
            packed: Packed {
                pairs: PairRows::new(problem, stride)?,
                form,
                labels,
                u_bits: job.hardware().u_bits,
            },
            costs: Costs::new(problem, Layout::Strides(stride), limit, argmin),
            level,
        })
    }

    fn row(&self, costs: &[u8], task: Task<'_>) {
        let packed = &self.packed;
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::choose` found the instructions on this CPU.
            Level::Sse41 => unsafe { row_sse41(packed, costs, task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { row_avx2(packed, costs, task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx512 => unsafe { row_avx512(packed, costs, task) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Level::Neon => unsafe { row_neon(packed, costs, task) },
            _ => row_portable(packed, costs, task),
        }
    }
}

/// Bytes of a row of labels: whole blocks, and no wider than needed up to 64 labels.
fn stride(labels: usize, level: Level) -> usize {
    match labels {
        // Not worth kernels of their own.
        0..=64 if level == Level::Portable => 64,
        0..=16 => 16,
        17..=32 => 32,
        33..=48 if matches!(level, Level::Sse41 | Level::Neon) => 48,
        33..=64 => 64,
        65..=128 => 128,
        _ => 256,
    }
}

/// Calls the kernel for the stride and form of a job, with the tokens of one instruction set. Every kernel is long to
/// compile, so the plain form has its own only up to 64 labels, and there are none for odd numbers of blocks.
macro_rules! dispatch {
    ($packed:ident, $costs:ident, $task:ident, $($bytes:literal => $block:expr,)* _ => $b64:expr) => {{
        #[inline(always)]
        fn form<B: Block>(b: B, packed: &Packed, costs: &[u8], task: Task<'_>) {
            if packed.form.is_plain() {
                kernel::row::<B, 1, true>(b, packed, costs, task);
            } else {
                kernel::row::<B, 1, false>(b, packed, costs, task);
            }
        }
        match usize::from($packed.pairs.encoding().unit) * 8 {
            $($bytes => form($block, $packed, $costs, $task),)*
            64 => form($b64, $packed, $costs, $task),
            128 => kernel::row::<_, 2, false>($b64, $packed, $costs, $task),
            _ => kernel::row::<_, 4, false>($b64, $packed, $costs, $task),
        }
    }};
}

/// The fallback; few kernels, as it is for CPUs that the others are not written for.
fn row_portable(packed: &Packed, costs: &[u8], task: Task<'_>) {
    let b = Portable::<64>;
    match packed.pairs.encoding().unit {
        8 => kernel::row::<_, 1, false>(b, packed, costs, task),
        16 => kernel::row::<_, 2, false>(b, packed, costs, task),
        _ => kernel::row::<_, 4, false>(b, packed, costs, task),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1,ssse3")]
fn row_sse41(packed: &Packed, costs: &[u8], task: Task<'_>) {
    // SAFETY: this function's own instructions.
    let (b16, b32, b48, b64) =
        unsafe { (Sse41::<1>::new(), Sse41::<2>::new(), Sse41::<3>::new(), Sse41::<4>::new()) };
    dispatch!(packed, costs, task, 16 => b16, 32 => b32, 48 => b48, _ => b64);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn row_avx2(packed: &Packed, costs: &[u8], task: Task<'_>) {
    // SAFETY: this function's own instructions; AVX2 implies SSE4.1. Half a register of labels is cheaper in SSE.
    let (b16, b32, b64) = unsafe { (Sse41::<1>::new(), Avx2::<1>::new(), Avx2::<2>::new()) };
    dispatch!(packed, costs, task, 16 => b16, 32 => b32, _ => b64);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn row_avx512(packed: &Packed, costs: &[u8], task: Task<'_>) {
    // SAFETY: this function's own instructions, which imply SSE4.1 and AVX2.
    let (b16, b32, b64) = unsafe { (Sse41::<1>::new(), Avx2::<1>::new(), Avx512::new()) };
    // Up to 64 labels only for what `Across` leaves: edge weights.
    dispatch!(packed, costs, task, 16 => b16, 32 => b32, _ => b64);
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn row_neon(packed: &Packed, costs: &[u8], task: Task<'_>) {
    // SAFETY: this function's own instructions.
    let (b16, b32, b48, b64) =
        unsafe { (Neon::<1>::new(), Neon::<2>::new(), Neon::<3>::new(), Neon::<4>::new()) };
    dispatch!(packed, costs, task, 16 => b16, 32 => b32, 48 => b48, _ => b64);
}
