//! Co-simulation and hardware tests.
