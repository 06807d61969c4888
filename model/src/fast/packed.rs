//! The packed sampler: which kernel a job gets, and its compilation for each instruction set.

use super::block::{Block, Portable};
use super::costs::ByteCosts;
use super::kernel::{self, Packed, Task};
use super::level::Level;
use super::tables::{Form, PairRows};
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Sse41};
use crate::job::Job;

/// A job in bytes.
#[derive(Debug)]
pub struct Sampler {
    packed: Packed,
    costs: ByteCosts,
    level: Level,
}

impl Sampler {
    /// The sampler of `job`, or `None` if bytes cannot hold its energies.
    pub fn new(job: &Job, level: Level) -> Option<Self> {
        let problem = job.problem();
        let form = Form::new(job.hardware(), problem)?;
        let labels = usize::from(problem.labels);
        let stride = stride(labels, level);
        Some(Self {
            packed: Packed {
                pairs: PairRows::new(problem, stride),
                form,
                labels,
                u_bits: job.hardware().u_bits,
            },
            costs: ByteCosts::new(problem, stride),
            level,
        })
    }

    /// Its tables.
    pub fn packed(&self) -> &Packed {
        &self.packed
    }

    /// Its singleton costs.
    pub fn costs(&self) -> &ByteCosts {
        &self.costs
    }

    /// Samples a row.
    pub fn row(&self, task: Task<'_>) {
        match self.level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Level::choose` found the instructions on this CPU.
            Level::Sse41 => unsafe { row_sse41(&self.packed, task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { row_avx2(&self.packed, task) },
            _ => row_portable(&self.packed, task),
        }
    }
}

/// Bytes of a row of labels: whole blocks, and no wider than needed up to 64 labels.
fn stride(labels: usize, level: Level) -> usize {
    match labels {
        0..=16 => 16,
        17..=32 => 32,
        33..=48 if matches!(level, Level::Sse41 | Level::Neon) => 48,
        _ => labels.next_multiple_of(64),
    }
}

/// Calls the kernel for the stride and form of a job, with the tokens of one instruction set.
macro_rules! dispatch {
    ($packed:ident, $task:ident, $b16:expr, $b32:expr, $b48:expr, $b64:expr) => {{
        #[inline(always)]
        fn form<B: Block, const M: usize>(b: B, packed: &Packed, task: Task<'_>) {
            if packed.form.is_plain() {
                kernel::row::<B, M, true>(b, packed, task);
            } else {
                kernel::row::<B, M, false>(b, packed, task);
            }
        }
        match usize::from($packed.pairs.encoding().unit) * 8 {
            16 => form::<_, 1>($b16, $packed, $task),
            32 => form::<_, 1>($b32, $packed, $task),
            48 => form::<_, 1>($b48, $packed, $task),
            64 => form::<_, 1>($b64, $packed, $task),
            128 => form::<_, 2>($b64, $packed, $task),
            192 => form::<_, 3>($b64, $packed, $task),
            _ => form::<_, 4>($b64, $packed, $task),
        }
    }};
}

fn row_portable(packed: &Packed, task: Task<'_>) {
    dispatch!(packed, task, Portable::<16>, Portable::<32>, Portable::<48>, Portable::<64>);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1,ssse3")]
fn row_sse41(packed: &Packed, task: Task<'_>) {
    // SAFETY: this function's own instructions.
    let (b16, b32, b48, b64) =
        unsafe { (Sse41::<1>::new(), Sse41::<2>::new(), Sse41::<3>::new(), Sse41::<4>::new()) };
    dispatch!(packed, task, b16, b32, b48, b64);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn row_avx2(packed: &Packed, task: Task<'_>) {
    // SAFETY: this function's own instructions; AVX2 implies SSE4.1. Half a register of labels is cheaper in SSE.
    let (b16, b32, b48, b64) =
        unsafe { (Sse41::<1>::new(), Avx2::<1>::new(), Sse41::<3>::new(), Avx2::<2>::new()) };
    dispatch!(packed, task, b16, b32, b48, b64);
}
