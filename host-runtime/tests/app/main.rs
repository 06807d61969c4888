//! The program as people use it: exact messages, exit codes, files, and quality.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod applications;
mod auto;
mod batch;
mod big;
mod builds;
mod chains;
mod checkpoints;
mod edges;
mod energy;
mod errors;
mod eval;
mod formats;
mod holes;
mod infer;
mod logs;
mod pieces;
mod places;
mod quality;
mod report;
mod risk;
mod runs;
mod studies;
mod support;
mod uncertainty;
