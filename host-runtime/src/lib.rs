//! Runtime of the stochastic processing accelerator: applications, backends, files.

pub mod backend;
