//! The packed kernels, loaded for a job.

use super::super::compile::{DEALT, PACKED, SPARSE, Source, Variant};
use super::super::device::{Device, driver};
use super::super::error::CudaError;
use super::super::plan::{Plan, Step};
use super::super::{Kernel, Stripped};
use super::BATCH;
use super::spread::{DEAL, Shape, Spread};
use super::tiling::Memory;
use cudarc::driver::{CudaFunction, LaunchConfig};
use spa_model::Job;

/// A kernel of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every RV.
    Dense,
    /// Those that can change, dealt to blocks in turn.
    Dealt,
    /// Those that can change, of tiles.
    Sparse,
}

impl Which {
    /// The one that runs every schedule entry if `kernel` was asked for.
    pub fn asked_for(kernel: Kernel) -> Self {
        match kernel {
            Kernel::Dealt => Self::Dealt,
            Kernel::Sparse => Self::Sparse,
            _ => Self::Dense,
        }
    }
}

/// A kernel with as many blocks as the card holds at once.
pub struct Resident {
    pub function: CudaFunction,
    pub config: LaunchConfig,
}

impl Resident {
    /// `bytes`: of shared memory, beside what the kernel declares.
    fn new(
        device: &Device,
        function: CudaFunction,
        (shape, bytes): (Shape, usize),
        jobs: u32,
    ) -> Result<Self, CudaError> {
        use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as BYTES;
        function.set_attribute(BYTES, bytes as i32).map_err(driver("ask for shared memory"))?;
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(shape.threads, bytes, None)
            .map_err(driver("ask for the occupancy of a kernel"))?;
        // As many blocks for each job.
        let blocks = blocks.clamp(1, shape.blocks) * device.multiprocessors / jobs * jobs;
        if blocks == 0 {
            let why = format!("{jobs} jobs at once, the card holds fewer blocks");
            return Err(CudaError::Unsupported { kernel: "packed", why });
        }
        let (grid_dim, block_dim) = ((blocks, 1, 1), (shape.threads, 1, 1));
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: bytes as u32 };
        Ok(Self { function, config })
    }
}

/// A kernel for temperatures whose thresholds lie on a line, and for all others.
struct Both {
    line: Resident,
    table: Resident,
}

/// A kernel that skips RVs, and the one that wakes all for it.
struct Skipping {
    which: Which,
    both: Both,
    wake: CudaFunction,
}

/// The kernels of a session.
pub struct Kernels {
    dense: Both,
    skipping: Vec<Skipping>,
    /// Brings label entries up to date.
    pub settle: CudaFunction,
}

impl Kernels {
    /// The dense kernel, and what `kernel` may run else, for `jobs` jobs like `job`.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] if the card does not hold them; a failing compiler or driver.
    pub fn new(
        device: &Device,
        (job, plan, jobs): (&Job, &Plan, usize),
        spread: &Spread,
        (kernel, stripped): (Kernel, Stripped),
    ) -> Result<Self, CudaError> {
        let load = |source, shape| {
            let mut variant = variant(source, job, plan, shape);
            variant.defines.extend(spread_defines(source, spread));
            variant.defines.push(("SPA_BATCH", if jobs == 1 { 1 } else { BATCH as u32 }));
            if stripped != Stripped::Nothing {
                variant.defines.push(("SPA_STRIPPED", stripped as u32));
            }
            device.load(&variant)
        };
        let resident = |function, room| Resident::new(device, function, room, jobs as u32);
        let packed = load(PACKED, spread.dense)?;
        let room = (spread.dense, 0);
        let dense = Both {
            line: resident(packed.function("packed_dense")?, room)?,
            table: resident(packed.function("packed_dense_table")?, room)?,
        };
        let wanted = match kernel {
            Kernel::Auto => spread.path.iter().map(|&(which, _)| which).collect(),
            kernel => vec![Which::asked_for(kernel)],
        };
        let mut skipping = Vec::new();
        for which in wanted {
            let (source, name, shape, bytes) = match which {
                Which::Dense => continue,
                Which::Dealt => (DEALT, "packed_dealt", spread.dealt.shape, spread.dealt.bytes),
                Which::Sparse => (SPARSE, "packed_sparse", spread.sparse, spread.memory.bytes),
            };
            if which == Which::Dealt && !spread.dealt.fits(device) {
                let why = "the picture has more RVs than its threads can hold".to_string();
                return Err(CudaError::Unsupported { kernel: "dealt", why });
            }
            let module = load(source, shape)?;
            let both = Both {
                line: resident(module.function(name)?, (shape, bytes))?,
                table: resident(module.function(&format!("{name}_table"))?, (shape, bytes))?,
            };
            skipping.push(Skipping { which, both, wake: module.function(&format!("{name}_wake"))? });
        }
        Ok(Self { dense, skipping, settle: packed.function("packed_settle")? })
    }

    fn find(&self, which: Which) -> Option<&Skipping> {
        self.skipping.iter().find(|skipping| skipping.which == which)
    }

    /// What runs schedule entry `entry`; the dense kernel in place of one that was not loaded.
    pub fn of(&self, which: Which, entry: &Step) -> &Resident {
        let both = self.find(which).map_or(&self.dense, |skipping| &skipping.both);
        if entry.slope == 0 { &both.table } else { &both.line }
    }

    /// What wakes all RVs for `which`; nothing for the dense kernel, which leaves none out.
    pub fn wake(&self, which: Which) -> Option<&CudaFunction> {
        self.find(which).map(|skipping| &skipping.wake)
    }
}

/// The variant of `source` that runs `job`.
fn variant(source: Source, job: &Job, plan: &Plan, shape: Shape) -> Variant {
    let problem = job.problem();
    Variant {
        source,
        defines: vec![
            ("SPA_LABELS", u32::from(problem.labels)),
            ("SPA_VOLUME", u32::from(plan.stereo.is_none())),
            ("SPA_RIGHTWARD", u32::from(plan.stereo.is_some_and(|dx| dx > 0))),
            ("SPA_CAPPED", u32::from(problem.data_cap < 255)),
            ("SPA_SUMS", plan.sums as u32),
            ("SPA_THREADS", shape.threads),
            ("SPA_BLOCKS", shape.blocks),
        ],
    }
}

/// Macros by how the job is spread over the card.
fn spread_defines(source: Source, spread: &Spread) -> Vec<(&'static str, u32)> {
    let mut defines = vec![
        ("SPA_PAIRS", u32::from(source == PACKED && spread.pairs)),
        ("SPA_COPIES", spread.copies as u32),
    ];
    if source == SPARSE {
        let Memory { cells, left, right, costs, bytes } = spread.memory;
        let sizes = [
            ("SPA_CELLS", cells),
            ("SPA_LEFT", left),
            ("SPA_RIGHT", right),
            ("SPA_COSTS", costs),
            ("SPA_SHARED", bytes),
        ];
        defines.extend(sizes.map(|(name, size)| (name, size as u32)));
    } else if source == DEALT {
        let sizes =
            [("SPA_DEAL", DEAL), ("SPA_GROUPS", spread.dealt.groups), ("SPA_SHARED", spread.dealt.bytes)];
        defines.extend(sizes.map(|(name, size)| (name, size as u32)));
    }
    defines
}
