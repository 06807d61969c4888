//! The dissertation's kernel, the named baseline: floating point, not bit-exact (section 3.4.3).

use super::compile::{BASELINE, Variant};
use super::device::{Device, LogAddress, driver};
use super::error::CudaError;
use super::generic::{self, Params};
use super::sys::{self, KernelParams};
use super::{Finished, Watch};
use cudarc::driver::LaunchConfig;
use spa_model::{Job, Message};

/// `BaselineParams` of `kernels/baseline.cu`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct BaselineParams {
    job: Params,
    inverse_temperatures: u64,
    counts: u64,
    barrier: u64,
    chain: u32,
    burn_in: u32,
}

// SAFETY: the same fields in the same order and widths as `BaselineParams` of the kernel.
unsafe impl KernelParams for BaselineParams {}

/// The variant that runs `job`.
pub fn variant(job: &Job) -> Variant {
    let mut defines = generic::singleton_defines(job);
    defines.push(("SPA_WINDOW", 0));
    Variant { source: BASELINE, defines }
}

/// Runs `job` from `start` in single precision; its messages are the histogram, one a RV and label.
///
/// # Errors
/// [`CudaError::Unsupported`] for a shift or more than 64 labels; out of memory, a failing driver, or
/// [`CudaError::Stopped`].
pub fn run(device: &Device, job: &Job, start: &[u8], watch: &mut Watch<'_>) -> Result<Finished, CudaError> {
    let (problem, run) = (job.problem(), job.run());
    if problem.shift != 0 || problem.labels > 64 {
        let why =
            format!("shift {} and {} labels, it takes shift 0 and 64 labels", problem.shift, problem.labels);
        return Err(CudaError::Unsupported { kernel: "baseline", why });
    }
    if problem.edge_weights.is_some() {
        let why = "the job has edge weights; --kernel generic takes them".to_string();
        return Err(CudaError::Unsupported { kernel: "baseline", why });
    }
    let (rvs, labels_count) = (problem.rvs(), usize::from(problem.labels));
    let function = device.load(&variant(job))?.function("gibbs_baseline")?;
    let uploaded = generic::upload(device, job, start, LogAddress::default(), false)?;
    let inverse: Vec<f32> = run.schedule.steps().iter().map(|s| (1.0 / s.temperature) as f32).collect();
    let inverse = device.upload("temperatures", &inverse)?;
    let counts = device.zeros::<u16>("the histogram", rvs * labels_count)?;
    let mut barrier = device.zeros::<u32>("the barrier", 1)?;
    let params = BaselineParams {
        job: uploaded.params,
        inverse_temperatures: device.address(&inverse),
        counts: device.address(&counts),
        barrier: device.address(&barrier),
        chain: run.chain.into(),
        burn_in: run.burn_in,
    };
    let blocks = function
        .occupancy_max_active_blocks_per_multiprocessor(256, 0, None)
        .map_err(driver("ask for the occupancy of a kernel"))?;
    let config = LaunchConfig {
        grid_dim: (blocks.max(1) * device.multiprocessors, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    device.synchronize()?;

    watch.start();
    let mut laps = super::laps_of(job, watch.look);
    let mut marks = vec![device.mark()?];
    let mut iteration = 0;
    for (step, entry) in run.schedule.steps().iter().enumerate() {
        let end = iteration + entry.iterations;
        while iteration < end {
            let span = (end - iteration).min(1000);
            device.stream.memset_zeros(&mut barrier).map_err(driver("reset the barrier"))?;
            let scalars = [iteration, span, step as u32];
            // SAFETY: all buffers of `params` live until the end of this function with the sizes that the kernel indexes;
            // the grid is as large as the card holds at once, so its blocks may wait for each other.
            unsafe { sys::launch(&device.stream, &function, config, true, &params, &scalars) }
                .map_err(driver("launch the baseline kernel"))?;
            iteration += span;
            watch.tick(device, iteration)?;
        }
        if laps.iter().any(|lap| lap.entries.end == step + 1) {
            marks.push(device.mark()?);
        }
    }
    device.synchronize()?;
    let (seconds, joules) = (watch.seconds(), watch.joules());
    super::fill_seconds(&mut laps, &marks)?;
    let labels = device.download(&uploaded.labels, rvs)?;
    let counts = device.download(&counts, rvs * labels_count)?;
    let messages = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(k, &count)| Message {
            rv: (k / labels_count) as u32,
            label: (k % labels_count) as u8,
            count: count.into(),
        })
        .collect();
    Ok(Finished { labels, messages, seconds, touched: job.labels_evaluated(), laps, joules })
}
