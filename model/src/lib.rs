//! The contract of the stochastic processing accelerator as code.
//!
//! Start with [`spec`]: the short scalar sampler that defines the semantics. Everything else either feeds it
//! ([`job`], [`schedule`], [`weights`], [`rng`], [`real`]), collects from it ([`entry`], [`histogram`], [`hash`]),
//! or must agree with it ([`reference`] within Monte-Carlo error, every backend bit for bit). [`geometry`] and
//! [`placement`] say where a RV lives in an array of SPEs; [`message`] how the label log is written.
//!
//! The prose is `docs/contract.md`; section numbers in doc comments are its own.

pub mod descent;
pub mod edges;
pub mod energy;
pub mod entry;
pub mod error;
pub mod fast;
pub mod fit;
pub mod geometry;
pub mod hardware;
pub mod hash;
pub mod histogram;
pub mod job;
pub mod message;
pub mod pairs;
pub mod placement;
pub mod real;
pub mod record;
pub mod reference;
pub mod rng;
pub mod schedule;
pub mod snapshot;
pub mod spec;
pub mod weights;

pub use entry::{LabelEntry, Message};
pub use error::Error;
pub use geometry::{ArrayShape, S2Addressing, Tiling};
pub use hardware::{Hardware, Weights};
pub use histogram::{Count, Histogram};
pub use job::{Difference, Job, Offset, Outcome, Pair, Problem, Run, Singleton, Start};
pub use record::Record;
pub use schedule::{Schedule, Step};
pub use snapshot::Snapshot;
