//! The parameter record: everything that changes bits, in one canonical text with one hash (contract §1).

use crate::Hardware;
use crate::hash::sha256_hex;
use crate::job::{Difference, Job, Pair, Singleton, Start};
use crate::schedule::Step;
use serde::Serialize;

/// The canonical record of a job. Field order is the order of the canonical text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Version of the contract.
    pub contract: u32,
    /// The hardware part.
    pub hardware: Hardware,
    /// L.
    pub labels: u16,
    /// Integer α.
    pub alpha: u8,
    /// Integer β.
    pub beta: u8,
    /// Right shift.
    pub shift: u8,
    /// `abs`, `squared`, or `table:SHA-256` of the u16 LE costs.
    pub singleton: String,
    /// `pixels:SHA-256` of the offsets (i16 LE dx, dy), `values:SHA-256`, or `table`.
    pub singleton2: String,
    /// Cap of S.
    pub data_cap: u16,
    /// S outside the field.
    pub s_outside: u16,
    /// `abs`, `squared`, `potts`, or `table:SHA-256`.
    pub pair: String,
    /// Cap of V.
    pub pair_cap: u8,
    /// SHA-256 of the label vectors (i16 LE dx, dy).
    pub vectors: String,
    /// C, or null.
    pub cutoff: Option<u8>,
    /// Entries of the schedule.
    pub schedule: Vec<Step>,
    /// Iterations in all.
    pub iterations: u32,
    /// First collected iteration.
    pub burn_in: u32,
    /// Seed.
    pub seed: u64,
    /// Chain.
    pub chain: u8,
    /// Number of chains, from `chain` on, whose results are one; left out for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chains: Option<u16>,
    /// `argmin`, `zero`, `random`, or `labels:SHA-256`.
    pub start: String,
    /// `none` or SHA-256 of the evidence mask (u8, 0 or 1).
    pub evidence: String,
    /// SHA-256 of the edge weights (u8, H×W×2); left out where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_weights: Option<String>,
}

impl Record {
    /// The record of `job`.
    pub fn new(job: &Job) -> Self {
        let (problem, run) = (job.problem(), job.run());
        let form = |form: &Difference| match form {
            Difference::Abs => "abs".to_string(),
            Difference::Squared => "squared".to_string(),
        };
        let (singleton, singleton2) = match &problem.singleton {
            Singleton::Pixels { form: f, offsets, .. } => {
                (form(f), format!("pixels:{}", sha256_hex(&offset_bytes(offsets))))
            }
            Singleton::Values { form: f, values, .. } => (form(f), format!("values:{}", sha256_hex(values))),
            Singleton::Table { costs } => {
                (format!("table:{}", crate::hash::hash_u16(costs)), "table".to_string())
            }
        };
        let pair = match &problem.pair {
            Pair::Abs => "abs".to_string(),
            Pair::Squared => "squared".to_string(),
            Pair::Potts => "potts".to_string(),
            Pair::Table(table) => format!("table:{}", sha256_hex(table)),
        };
        let start = match &run.start {
            Start::Argmin => "argmin".to_string(),
            Start::Zero => "zero".to_string(),
            Start::Random => "random".to_string(),
            Start::Labels(labels) => format!("labels:{}", sha256_hex(labels)),
        };
        let evidence = problem.fixed.as_ref().map_or_else(
            || "none".to_string(),
            |fixed| sha256_hex(&fixed.iter().map(|&f| u8::from(f)).collect::<Vec<_>>()),
        );
        Self {
            contract: 1,
            hardware: *job.hardware(),
            labels: problem.labels,
            alpha: problem.alpha,
            beta: problem.beta,
            shift: problem.shift,
            singleton,
            singleton2,
            data_cap: problem.data_cap,
            s_outside: problem.s_outside,
            pair,
            pair_cap: problem.pair_cap,
            vectors: sha256_hex(&offset_bytes(&problem.vectors)),
            cutoff: run.cutoff,
            schedule: run.schedule.steps().to_vec(),
            iterations: job.iterations(),
            burn_in: run.burn_in,
            seed: run.seed,
            chain: run.chain,
            chains: None,
            start,
            evidence,
            edge_weights: problem.edge_weights.as_deref().map(sha256_hex),
        }
    }

    /// The record of `chains` chains that differ from `job`, the first of them, in nothing but their number.
    pub fn of_chains(job: &Job, chains: u16) -> Self {
        Self { chains: (chains > 1).then_some(chains), ..Self::new(job) }
    }

    /// Canonical text: JSON without spaces, keys in declaration order.
    ///
    /// # Errors
    /// Never for a record of a [`Job`]: temperatures are finite.
    pub fn text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// SHA-256 of the canonical text, lower-case hex.
    ///
    /// # Errors
    /// As [`Record::text`].
    pub fn hash(&self) -> serde_json::Result<String> {
        Ok(sha256_hex(self.text()?.as_bytes()))
    }
}

fn offset_bytes(offsets: &[crate::job::Offset]) -> Vec<u8> {
    offsets.iter().flat_map(|o| [o.dx.to_le_bytes(), o.dy.to_le_bytes()]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use crate::schedule::Step;

    #[test]
    fn temperatures_are_written_as_the_contract_says() {
        let text = |temperature| serde_json::to_string(&Step { temperature, iterations: 3 }).unwrap();
        for (temperature, words) in [
            (20.0, "20.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-5, "0.00001"),
            (1.5e-7, "1.5e-7"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (2.5e300, "2.5e+300"),
        ] {
            assert_eq!(text(temperature), format!("{{\"temperature\":{words},\"iterations\":3}}"));
        }
    }
}
