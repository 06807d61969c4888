//! `spa infer`.

use super::run::{RunArgs, execute_model, prepare_model};
use crate::app::prepare::Prepared;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Labels of any first-order Markov random field, given by its costs
///
/// MODEL.toml describes the field; file names in it start at its folder:
///
///   unary = "unary.npy"      costs U, height × width × labels (2…256), integers or floating point; +inf forbids a label
///   pair-table = "pair.npy"  costs V, labels × labels, symmetric, integers or floating point
///   pair = "potts"           or a named V instead: abs, squared, potts, with cap = 1…255
///   edge-weights = "w.npy"   height × width × 2 (right, down), 0…15; 8 leaves beta as it is
///   fixed = "known.npy"      height × width, nonzero where an RV keeps its start label
///   start = "labels.npy"     height × width, 0…labels − 1
///   alpha, beta, temperature, anneal, iterations, …: every option of this command
///
/// The energy of a labelling is the sum of alpha·U over all RVs and beta·V over all edges between horizontal and vertical
/// neighbours; labels are drawn in proportion to exp(−energy / temperature). Costs have no unit of their own: only their
/// ratio to the temperature (1 unless given) counts. They are rounded to whole numbers of a 64th of the last temperature,
/// or coarser where the range of energies asks for it; costs so large that their label is never drawn do not widen that
/// range. The true largest rounding is told in last temperatures, also in the summary's mapping; a run of which rounding
/// would leave nothing is refused. --data-cap caps costs, --cap the entries of a pair table, both in the unit of the file.
/// Refused: more than 256 labels (a label has 8 bits), order = 2 or neighbours = 8 (an RV is drawn given its four
/// neighbours).
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Infer {
    /// Description of the field, TOML
    model: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Infer {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        execute_model(&self.model, &self.run)
    }

    /// The job of the model.
    pub fn prepare(&self) -> anyhow::Result<Prepared> {
        prepare_model(&self.model, &self.run)
    }
}
