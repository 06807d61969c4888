//! The dissertation's event-driven variants (chapter 4): research modes in single precision, not exact (docs/edgs.md).
//!
//! An [`Experiment`] keeps one field on the card and runs it in any [`Shape`].

use super::compile::{EDGS, Variant};
use super::device::{Device, LogAddress, driver};
use super::error::CudaError;
use super::generic::{self, Params, Uploaded};
use super::sys::{self, KernelParams};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use spa_model::{Job, Offset, Pair, Schedule, job::window_offsets};
use std::fmt;
use std::str::FromStr;

/// Most labels whose pair table fits a block's shared memory.
const TABLE_LABELS: u16 = 200;

/// Largest weight in whole numbers: energies stay exact in single precision.
const WEIGHT_MAX: f64 = 65_535.0;

/// Which RVs are updated (`SPA_EDGS` of `kernels/edgs.cu`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// All of them.
    Plain,
    /// Those of the regions in a queue.
    Queues,
    /// Those that are not marked as concentrated.
    Flags,
}

/// A design with its cut-off C (Equation 4.1); none: no label is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Which RVs are updated.
    pub design: Design,
    /// Cut-off, at least 2.
    pub cutoff: Option<u8>,
}

/// Size of a region in RVs, powers of two: 32 to 512 RVs of a colour, at least two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    width: u32,
    height: u32,
}

impl Region {
    /// A region of so many columns and rows; none if its size is not allowed.
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let threads = width.checked_mul(height)? / 2;
        let good = width.is_power_of_two() && height.is_power_of_two() && width >= 2;
        (good && (32..=512).contains(&threads)).then_some(Self { width, height })
    }

    /// Threads of a block: RVs of one colour.
    pub fn threads(self) -> u32 {
        self.width * self.height / 2
    }

    /// Columns and rows.
    pub fn size(self) -> (u32, u32) {
        (self.width, self.height)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Region {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (width, height) = text.split_once('x')?;
            Self::new(width.parse().ok()?, height.parse().ok()?)
        };
        parse().ok_or_else(|| {
            format!("'{text}' is no region; WIDTHxHEIGHT in powers of two with 64 to 1024 RVs is, as in 32x8")
        })
    }
}

/// How the field is spread over the card (Table 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// A block's work.
    pub region: Region,
    /// Blocks that a multiprocessor holds.
    pub blocks: u32,
}

/// Energies and temperatures of a run; they replace those of its job, whose weights have fewer bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    alpha: u32,
    beta: u32,
    /// Of every iteration, in units of the whole-number energies.
    temperatures: Vec<f64>,
}

impl Model {
    /// α·S + β·ΣV at the temperatures of `schedule`, all as people give them. The weights are multiplied by the least power
    /// of ten that makes them whole numbers, and so are the temperatures.
    ///
    /// # Errors
    /// A text if no such numbers up to 65,535 exist.
    pub fn new(alpha: f64, beta: f64, schedule: &Schedule) -> Result<Self, String> {
        let whole = |v: f64| (v - v.round()).abs() < 1e-9 && (0.0..=WEIGHT_MAX).contains(&v);
        let factor = (0..=4).map(|n| 10_f64.powi(n)).find(|f| whole(alpha * f) && whole(beta * f));
        let factor = factor.ok_or_else(|| {
            format!("alpha {alpha} and beta {beta} are no whole numbers up to 65535 times a power of ten")
        })?;
        let steps = schedule.steps().iter();
        let temperatures =
            steps.flat_map(|s| std::iter::repeat_n(s.temperature * factor, s.iterations as usize));
        Ok(Self {
            alpha: (alpha * factor).round() as u32,
            beta: (beta * factor).round() as u32,
            temperatures: temperatures.collect(),
        })
    }

    /// Whole-number weights of S and ΣV.
    pub fn weights(&self) -> (u32, u32) {
        (self.alpha, self.beta)
    }

    /// 1/T and T·ln C of every iteration as the kernels take them; without a cut-off no energy reaches the second.
    pub fn cooling(&self, cutoff: Option<u8>) -> Vec<[f32; 2]> {
        let limit = |t: f64| cutoff.map_or(f32::INFINITY, |c| (t * libm::log(f64::from(c))) as f32);
        self.temperatures.iter().map(|&t| [(1.0 / t) as f32, limit(t)]).collect()
    }

    /// Iterations.
    pub fn iterations(&self) -> u32 {
        self.temperatures.len() as u32
    }
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Labels after the last iteration, H×W.
    pub labels: Vec<u8>,
    /// Seconds of the kernel, by events.
    pub seconds: f64,
    /// RVs updated, over all iterations.
    pub updated: u64,
}

/// `EdgsParams` of `kernels/edgs.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct EdgsParams {
    job: Params,
    cooling: u64,
    concentrated: u64,
    queues: [u64; 2],
    marks: [u64; 2],
    counts: u64,
    barrier: u64,
    updated: u64,
    chain: u32,
    iterations: u32,
    log_width: u32,
    log_height: u32,
}

// SAFETY: the same fields in the same order and widths as `EdgsParams` of the kernel.
unsafe impl KernelParams for EdgsParams {}

/// Side of the window whose labels and squared pair term the kernels work out themselves; 0 for a pair table.
pub fn window(job: &Job) -> u32 {
    let problem = job.problem();
    let side = (3..=15).step_by(2).find(|&side| problem.vectors == window_offsets(side));
    match (side, &problem.pair) {
        (Some(side), Pair::Squared) => side.into(),
        _ => 0,
    }
}

/// V as the kernels of this job have it: without a cap in a window.
pub fn pair_cost(job: &Job, own: usize, neighbour: usize) -> u32 {
    let problem = job.problem();
    if window(job) == 0 {
        return problem.pair_cost(own, neighbour);
    }
    let square = |a: i16, b: i16| u32::from(a.abs_diff(b)).pow(2);
    let (a, b): (Offset, Offset) = (problem.vectors[own], problem.vectors[neighbour]);
    square(a.dx, b.dx) + square(a.dy, b.dy)
}

/// One field on the card.
pub struct Experiment<'a> {
    device: &'a Device,
    job: &'a Job,
    model: &'a Model,
    uploaded: Uploaded,
    start: CudaSlice<u8>,
    functions: Vec<(Design, bool, CudaFunction)>,
}

impl<'a> Experiment<'a> {
    /// Copies the field to the card.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] for edge weights or too many labels; out of memory or a failing driver.
    pub fn new(device: &'a Device, job: &'a Job, model: &'a Model) -> Result<Self, CudaError> {
        let refuse = |why: String| Err(CudaError::Unsupported { kernel: "edgs", why });
        if job.problem().edge_weights.is_some() {
            return refuse("the job has edge weights".to_string());
        }
        if job.problem().labels > TABLE_LABELS && window(job) == 0 {
            return refuse(format!("{} labels, at most {TABLE_LABELS}", job.problem().labels));
        }
        let start = job.initial_labels();
        let mut uploaded = generic::upload(device, job, &start, LogAddress::default(), false)?;
        (uploaded.params.alpha, uploaded.params.beta) = model.weights();
        let start = device.upload("labels", &start)?;
        Ok(Self { device, job, model, uploaded, start, functions: Vec::new() })
    }

    fn function(&mut self, method: Method) -> Result<CudaFunction, CudaError> {
        let key = (method.design, method.cutoff.is_some());
        if let Some((_, _, function)) = self.functions.iter().find(|f| (f.0, f.1) == key) {
            return Ok(function.clone());
        }
        let mut defines = generic::singleton_defines(self.job);
        defines.extend([
            ("SPA_WINDOW", window(self.job)),
            ("SPA_EDGS", method.design as u32),
            ("SPA_CUT", u32::from(key.1)),
        ]);
        let function = self.device.load(&Variant { source: EDGS, defines })?.function("gibbs_edgs")?;
        self.functions.push((key.0, key.1, function.clone()));
        Ok(function)
    }

    /// Blocks with this region that a multiprocessor can hold.
    ///
    /// # Errors
    /// A failing compiler or driver.
    pub fn most_blocks(&mut self, method: Method, region: Region) -> Result<u32, CudaError> {
        self.function(method)?
            .occupancy_max_active_blocks_per_multiprocessor(region.threads(), 0, None)
            .map_err(driver("ask for the occupancy of a kernel"))
    }

    /// Runs the field from its start; none if a multiprocessor cannot hold that many blocks.
    ///
    /// # Errors
    /// Out of memory or a failing driver.
    pub fn run(&mut self, method: Method, shape: Shape) -> Result<Option<Found>, CudaError> {
        if shape.blocks == 0 || shape.blocks > self.most_blocks(method, shape.region)? {
            return Ok(None);
        }
        let function = self.function(method)?;
        let (device, problem) = (self.device, self.job.problem());
        let (width, height) = shape.region.size();
        let regions = problem.width.div_ceil(width) * problem.height.div_ceil(height);
        let all: Vec<u32> = (0..regions).collect();
        let cooling = device.upload("temperatures", self.model.cooling(method.cutoff).as_flattened())?;
        let concentrated = device.zeros::<u8>("marks of RVs", problem.rvs())?;
        let queues = [device.upload("queues", &all)?, device.upload("queues", &all)?];
        let marks = [0, 1].map(|half: u32| vec![half; regions as usize]);
        let marks = [device.upload("marks", &marks[0])?, device.upload("marks", &marks[1])?];
        let mut counts = vec![0_u32; 2 * self.model.iterations() as usize + 1];
        counts[..2].fill(regions);
        let counts = device.upload("lengths of queues", &counts)?;
        let barrier = device.zeros::<u32>("the barrier", 1)?;
        let updated = device.zeros::<u64>("counters", 1)?;
        let params = EdgsParams {
            job: self.uploaded.params,
            cooling: device.address(&cooling),
            concentrated: device.address(&concentrated),
            queues: [device.address(&queues[0]), device.address(&queues[1])],
            marks: [device.address(&marks[0]), device.address(&marks[1])],
            counts: device.address(&counts),
            barrier: device.address(&barrier),
            updated: device.address(&updated),
            chain: self.job.run().chain.into(),
            iterations: self.model.iterations(),
            log_width: width.ilog2(),
            log_height: height.ilog2(),
        };
        let config = LaunchConfig {
            grid_dim: (shape.blocks * device.multiprocessors, 1, 1),
            block_dim: (shape.region.threads(), 1, 1),
            shared_mem_bytes: 0,
        };
        device
            .stream
            .memcpy_dtod(&self.start, &mut self.uploaded.labels)
            .map_err(driver("reset a buffer on the card"))?;
        let begin = device.mark()?;
        // SAFETY: all buffers of `params` live until the end of this function with the sizes that the kernel indexes: a
        // region enters a queue once a half-step; the grid is as large as the card holds at once, so its blocks may wait for
        // each other.
        unsafe { sys::launch(&device.stream, &function, config, true, &params, &[]) }
            .map_err(driver("launch an event-driven kernel"))?;
        let end = device.mark()?;
        device.synchronize()?;
        let milliseconds = begin.elapsed_ms(&end).map_err(driver("time an event"))?;
        Ok(Some(Found {
            labels: device.download(&self.uploaded.labels, problem.rvs())?,
            seconds: f64::from(milliseconds) / 1000.0,
            updated: device.download(&updated, 1)?[0],
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_table_4_1() {
        for text in ["8x8", "8x16", "8x32", "16x8", "16x16", "16x32", "32x8", "32x16", "32x32"] {
            let region: Region = text.parse().unwrap();
            assert_eq!(region.to_string(), text);
        }
        for bad in ["8x4", "64x32", "12x8", "8", "1x64", "x8"] {
            assert!(bad.parse::<Region>().is_err(), "{bad}");
        }
    }

    #[test]
    fn weights_become_whole_numbers() {
        let schedule = Schedule::anneal(10.0, 1.0, 2, 4).unwrap();
        let model = Model::new(0.01, 16.0, &schedule).unwrap();
        assert_eq!(model.weights(), (1, 1600));
        assert_eq!(model.temperatures, [1000.0, 1000.0, 100.0, 100.0]);
        let cooling = model.cooling(Some(2));
        assert!((f64::from(cooling[3][1]) - 100.0 * std::f64::consts::LN_2).abs() < 1e-5);
        assert!(model.cooling(None)[0][1].is_infinite());
        assert!(Model::new(0.123_456_7, 1.0, &schedule).is_err());
    }
}
