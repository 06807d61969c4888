//! Generator of stochastic processing accelerators.
