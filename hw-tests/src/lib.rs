//! Co-simulation of the generated hardware against the specification.
//!
//! [`builds`] generates and caches builds, [`job`] describes jobs in a few words, [`draw`] draws both at random,
//! [`hls`] runs the emitted C++, [`formal`] proves properties of modules,
//! [`cosim`] runs a job on the simulated card and on the CPU and compares the three hashes. The tests in `tests/` are
//! what CI runs; the program `cosim` runs the long sweep and the throughput figures.

pub mod builds;
pub mod cosim;
pub mod draw;
pub mod formal;
pub mod hls;
pub mod job;
pub mod matrix;
pub mod scene;
pub mod throughput;
pub mod tool;
