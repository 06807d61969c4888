//! The packed kernels, loaded for a job.

use super::super::compile::{DEALT, PACKED, SITES, SPARSE, Source, Variant};
use super::super::device::{Device, driver};
use super::super::error::CudaError;
use super::super::plan::{Plan, Step};
use super::super::{Kernel, Stripped};
use super::BATCH;
use super::spread::{DEAL, Dealt, Shape, Sites, Spread};
use super::tiling::Memory;
use cudarc::driver::{CudaFunction, LaunchConfig};
use spa_model::Job;

/// A kernel of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Every RV.
    Dense,
    /// Every RV, in small pictures.
    Sites,
    /// Those that can change, dealt to blocks in turn.
    Dealt,
    /// Those that can change, of tiles.
    Sparse,
}

impl Which {
    /// Whether its launches end by themselves when few of its RVs change, if something else can go on.
    pub fn ends_by_itself(self) -> bool {
        matches!(self, Self::Sites | Self::Dealt)
    }

    /// Whether it counts what tells how few RVs must be updated: the dense kernel those that are open, others those that change.
    pub fn counts(self) -> bool {
        self != Self::Sparse
    }

    /// Whether it updates every RV.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Dense | Self::Sites)
    }

    /// By what name it is asked for.
    pub fn kernel(self) -> Kernel {
        match self {
            Self::Dense => Kernel::Dense,
            Self::Sites => Kernel::Sites,
            Self::Dealt => Kernel::Dealt,
            Self::Sparse => Kernel::Sparse,
        }
    }

    /// The one that runs every schedule entry if `kernel` was asked for.
    pub fn asked_for(kernel: Kernel) -> Self {
        match kernel {
            Kernel::Sites => Self::Sites,
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

/// A kernel that has the labels in a form of its own, and the one that brings them into it, with all RVs awake.
struct Own {
    which: Which,
    both: Both,
    open: CudaFunction,
}

/// The kernels of a session.
pub struct Kernels {
    dense: Both,
    others: Vec<Own>,
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
            Kernel::Auto => spread.order.0.iter().map(|stage| stage.which).collect(),
            kernel => vec![Which::asked_for(kernel)],
        };
        let mut others = Vec::new();
        for which in wanted {
            let (source, name, shape, bytes) = match which {
                Which::Dense => continue,
                Which::Sites => (SITES, "packed_sites", spread.sites.shape, spread.sites.bytes),
                Which::Dealt => (DEALT, "packed_dealt", spread.dealt.shape, spread.dealt.bytes),
                Which::Sparse => (SPARSE, "packed_sparse", spread.sparse, spread.memory.bytes),
            };
            let kernel = match which {
                Which::Sites if spread.order.first() != Which::Sites => Some("sites"),
                Which::Dealt if !spread.dealt.fits(device) => Some("dealt"),
                _ => None,
            };
            if let Some(kernel) = kernel {
                let why = "the picture has more RVs than its threads can hold".to_string();
                return Err(CudaError::Unsupported { kernel, why });
            }
            let module = load(source, shape)?;
            let both = Both {
                line: resident(module.function(name)?, (shape, bytes))?,
                table: resident(module.function(&format!("{name}_table"))?, (shape, bytes))?,
            };
            others.push(Own { which, both, open: module.function(&format!("{name}_open"))? });
        }
        Ok(Self { dense, others, settle: packed.function("packed_settle")? })
    }

    fn find(&self, which: Which) -> Option<&Own> {
        self.others.iter().find(|own| own.which == which)
    }

    /// What runs schedule entry `entry`; the dense kernel in place of one that was not loaded.
    pub fn of(&self, which: Which, entry: &Step) -> &Resident {
        let both = self.find(which).map_or(&self.dense, |own| &own.both);
        if entry.slope == 0 { &both.table } else { &both.line }
    }

    /// What brings the labels into the form of `which`, with all RVs awake; nothing for the dense kernel, which reads and writes the planes.
    pub fn open(&self, which: Which) -> Option<&CudaFunction> {
        self.find(which).map(|own| &own.open)
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
            ("SPA_WINDOW", super::WINDOW),
            ("SPA_WINDOWS", super::WINDOWS),
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
    } else if source == SITES {
        let sizes = [
            ("SPA_EACH", spread.sites.each),
            ("SPA_OUTBOX", Sites::OUTBOX),
            ("SPA_SHARED", spread.sites.bytes),
        ];
        defines.extend(sizes.map(|(name, size)| (name, size as u32)));
    } else if source == DEALT {
        let sizes = [
            ("SPA_DEAL", DEAL),
            ("SPA_GROUPS", spread.dealt.groups),
            ("SPA_OUTBOX", Dealt::OUTBOX),
            ("SPA_SHARED", spread.dealt.bytes),
        ];
        defines.extend(sizes.map(|(name, size)| (name, size as u32)));
    }
    defines
}
