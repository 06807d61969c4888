//! Every way in which the CUDA backend can fail.

use thiserror::Error;

/// A failure of the CUDA backend: what was tried, what was found, what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// NVRTC refused a kernel.
    #[error("failed to compile CUDA kernel '{kernel}' for {arch}: {log}")]
    Compile {
        /// File of the kernel.
        kernel: &'static str,
        /// Target, `sm_90` for instance.
        arch: String,
        /// What NVRTC said.
        log: String,
    },
    /// A driver call failed.
    #[error("failed to {what}: {cause}")]
    Driver {
        /// The step in words.
        what: &'static str,
        /// Name and text of the driver's error.
        cause: String,
    },
    /// No card.
    #[error(
        "no CUDA card found: the driver library is there, but it counts {count} devices ({cause}); check nvidia-smi and CUDA_VISIBLE_DEVICES"
    )]
    NoCard {
        /// Devices counted.
        count: i32,
        /// The driver's error, or `no error`.
        cause: String,
    },
    /// No libcuda.
    #[error("no CUDA driver found: tried to load {tried}; install the NVIDIA driver")]
    NoDriver {
        /// Names tried.
        tried: String,
    },
    /// No NVRTC.
    #[error(
        "no CUDA compiler library (NVRTC 13) found: tried {tried}; install it with scripts/gpu.sh --tools or set SPA_NVRTC to its folder"
    )]
    NoCompiler {
        /// Names and folders tried.
        tried: String,
    },
    /// The card's memory is too small.
    #[error(
        "out of GPU memory: {what} needs {needed} bytes, {free} of {total} are free on {card}; use a smaller picture, fewer labels or --backend cpu"
    )]
    OutOfMemory {
        /// What the memory was for.
        what: &'static str,
        /// Bytes asked for.
        needed: u64,
        /// Bytes free.
        free: u64,
        /// Bytes of the card.
        total: u64,
        /// Name of the card.
        card: String,
    },
    /// The kernel cannot run this job.
    #[error("kernel '{kernel}' cannot run this job: {why}; use another kernel or --backend cpu")]
    Unsupported {
        /// Name of the kernel.
        kernel: &'static str,
        /// The condition that does not hold.
        why: String,
    },
    /// Asked to stop.
    #[error("stopped after {iteration} of {iterations} iterations")]
    Stopped {
        /// Iterations done.
        iteration: u32,
        /// Iterations in all.
        iterations: u32,
    },
}
