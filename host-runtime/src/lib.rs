//! Runtime of the stochastic processing accelerator.
