//! Measurements: a job on a kernel, repeated, with its rates along the annealing (the core of `spa bench`).

use super::counters::Counters;
use super::error::CudaError;
use super::{Cuda, Finished, Kernel, Lap, Look, Stripped};
use serde::Serialize;
use spa_model::Job;
use spa_model::hash::{hash_messages, hash_u16, sha256_hex};
use std::fmt::Write as _;

/// Figures of one fifth of the schedule entries.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// First and last temperature.
    pub temperatures: (f64, f64),
    /// Nominal labels a second on the card, by events, in units of 10^9.
    pub giga_labels_per_second: f64,
    /// Packed kernels that ran, in turn, and iterations of each.
    pub kernels: Vec<(&'static str, u32)>,
    /// If only kernels that skip ran: RVs updated, as a share of all.
    pub updated: Option<f64>,
    /// Likewise: labels touched a RV updated; more than labels where halos are updated, too.
    pub touched: Option<f64>,
}

/// A job on a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// Name of the workload.
    pub workload: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the card.
    pub card: String,
    /// Chains at once.
    pub chains: usize,
    /// Nominal labels of a run, of all chains.
    pub labels: u64,
    /// Labels whose energy was computed.
    pub labels_touched: u64,
    /// Median of the runs' seconds, first launch to last message on the card.
    pub seconds: f64,
    /// All runs' seconds.
    pub runs: Vec<f64>,
    /// labels / seconds, in units of 10^9.
    pub giga_labels_per_second: f64,
    /// By fifths of the schedule, of runs of their own; empty for kernels that keep no laps.
    pub fifths: Vec<Part>,
    /// Joules of the median run, of the whole card; null where NVML does not tell.
    pub joules: Option<f64>,
    /// Nominal labels a joule, in units of 10^9.
    pub giga_labels_per_joule: Option<f64>,
    /// What was left out.
    pub stripped: &'static str,
    /// SHA-256 of labels, histogram and messages; null for kernels that are not exact.
    pub hashes: Option<[String; 3]>,
    /// Instructions and bytes a label; null unless asked for.
    pub counters: Option<Counters>,
}

/// Name of `kernel` as given to `--kernel`.
pub fn kernel_name(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::Auto => "auto",
        Kernel::Baseline => "baseline",
        Kernel::Sites => "sites",
        Kernel::Dealt => "dealt",
        Kernel::Dense => "dense",
        Kernel::Sparse => "sparse",
        Kernel::Generic => "generic",
    }
}

/// Name of what is left out, as given to `--without`; empty for nothing.
pub fn stripped_name(stripped: Stripped) -> &'static str {
    match stripped {
        Stripped::Nothing => "",
        Stripped::Updates => "updates",
        Stripped::Waiting => "waiting",
        Stripped::Memory => "memory",
        Stripped::Skipping => "skipping",
    }
}

/// Runs `chains` chains of `job` at once, `repeats` times, at least once, as a whole and again by fifths, after one run that warms up and
/// whose counters are read. Hashes are those of the last chain: with one chain, of `job` itself.
///
/// # Errors
/// As [`Cuda::sample_many`]; the chains of a launch only ([`super::packed::BATCH`]).
pub fn measure(
    cuda: &Cuda,
    workload: &str,
    job: &Job,
    (chains, repeats): (usize, usize),
) -> Result<Measurement, CudaError> {
    let jobs = all_chains(job, chains);
    let jobs: Vec<&Job> = jobs.iter().collect();
    let last = |mut all: Vec<Finished>| {
        let touched = all.iter().map(|finished| finished.touched).sum();
        let cause = "no result".to_string();
        let finished = all.pop().ok_or(CudaError::Driver { what: "run a job", cause })?;
        Ok(Finished { touched, ..finished })
    };
    let mut finished = last(cuda.look_at_many(&jobs, Look::Counters)?)?;
    let profiled = finished.laps.clone();
    let mut runs = Vec::new();
    let mut laps = Vec::new();
    let mut energies = Vec::new();
    for _ in 0..repeats.max(1) {
        let whole = last(cuda.look_at_many(&jobs, Look::Whole)?)?;
        runs.push(whole.seconds);
        energies.extend(whole.joules);
        laps.push(last(cuda.look_at_many(&jobs, Look::Fifths)?)?.laps);
    }
    let seconds = median(runs.clone());
    let job = jobs.last().copied().unwrap_or(job);
    let labels = job.labels_evaluated() * chains as u64;
    let joules = (energies.len() == runs.len()).then(|| median(energies)).filter(|&j| j > 0.0);
    let exact = cuda.kernel() != Kernel::Baseline
        && matches!(cuda.stripped(), Stripped::Nothing | Stripped::Skipping);
    let hashes = spa_model::Histogram::from_messages(job, &finished.messages, &finished.labels)
        .ok()
        .filter(|_| exact)
        .map(|h| [sha256_hex(&finished.labels), hash_u16(h.counts()), hash_messages(&mut finished.messages)]);
    Ok(Measurement {
        workload: workload.into(),
        kernel: kernel_name(cuda.kernel()).into(),
        card: cuda.device().name.clone(),
        chains,
        labels,
        labels_touched: finished.touched,
        seconds,
        runs,
        giga_labels_per_second: labels as f64 / seconds / 1e9,
        fifths: fifths(job, chains, &profiled, &laps),
        joules,
        giga_labels_per_joule: joules.map(|joules| labels as f64 / joules / 1e9),
        stripped: stripped_name(cuda.stripped()),
        hashes,
        counters: None,
    })
}

fn all_chains(job: &Job, chains: usize) -> Vec<Job> {
    (0..chains).map(|n| job.with_chain(job.run().chain.wrapping_add(n as u8))).collect()
}

/// Runs `chains` chains of `job` at once, once and without measuring: what a profiler looks at.
///
/// # Errors
/// As [`measure`].
pub fn once(cuda: &Cuda, job: &Job, chains: usize) -> Result<(), CudaError> {
    let jobs = all_chains(job, chains);
    cuda.sample_many(&jobs.iter().collect::<Vec<_>>(), &mut |_| true)?;
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn fifths(job: &Job, chains: usize, profiled: &[Lap], runs: &[Vec<Lap>]) -> Vec<Part> {
    let free = (job.problem().free_rvs() * chains) as f64;
    let counter = |lap: &Lap, k: usize| lap.counters.get(k).copied().unwrap_or(0);
    let part = |(n, lap): (usize, &Lap)| {
        let seconds = median(runs.iter().map(|laps| laps[n].seconds).collect());
        let before = |k| if n == 0 { 0 } else { counter(&profiled[n - 1], k) };
        let count = |k: usize| (counter(lap, k) - before(k)) as f64;
        let kernels: Vec<_> =
            lap.kernels.iter().map(|&(kernel, iterations)| (kernel_name(kernel), iterations)).collect();
        // Of all iterations: only where all were such.
        let skips = |&(kernel, _): &(Kernel, u32)| matches!(kernel, Kernel::Dealt | Kernel::Sparse);
        let skipped = !lap.kernels.is_empty() && lap.kernels.iter().all(skips);
        let some = |value: f64| skipped.then_some(value);
        let iterations = f64::from(lap.iterations);
        Part {
            temperatures: lap.temperatures,
            giga_labels_per_second: free * f64::from(job.problem().labels) * iterations / seconds / 1e9,
            kernels,
            updated: some(count(1) / (free * iterations)),
            touched: some(count(0) / count(1)).filter(|touched| touched.is_finite()),
        }
    };
    profiled.iter().enumerate().map(part).collect()
}

/// The measurement as a few lines of text.
pub fn text(m: &Measurement) -> String {
    let spread = m.runs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        - m.runs.iter().copied().fold(f64::INFINITY, f64::min);
    let mut text = format!(
        "{:<14} {:<11}{} {:>2} at once {:>9.3} ms ± {:.3}  {:>8.1} G label/s{}  touched {:.1}%  {}\n",
        m.workload,
        m.kernel,
        if m.stripped.is_empty() { String::new() } else { format!(" without {}", m.stripped) },
        m.chains,
        m.seconds * 1e3,
        spread * 5e2,
        m.giga_labels_per_second,
        m.giga_labels_per_joule.map_or(String::new(), |rate| format!("  {rate:.2} G label/J")),
        100.0 * m.labels_touched as f64 / m.labels as f64,
        m.card
    );
    for part in &m.fifths {
        let _ = write!(
            text,
            "    T {:>6.2} to {:>6.2}  {:>8.1} G label/s",
            part.temperatures.0, part.temperatures.1, part.giga_labels_per_second
        );
        if part.kernels.len() > 1 {
            let of = |(kernel, iterations): &(&str, u32)| format!("{kernel} {iterations}");
            let all: Vec<String> = part.kernels.iter().map(of).collect();
            let _ = write!(text, "  {}", all.join(", "));
        }
        if let Some(updated) = part.updated {
            let _ = write!(text, "  {:.1}% of RVs updated", 100.0 * updated);
        }
        if let Some(touched) = part.touched {
            let _ = write!(text, ", {touched:.1} labels touched a RV");
        }
        text.push('\n');
    }
    if let Some(counters) = &m.counters {
        text += &super::counters::text(counters);
    }
    if let Some([labels, histogram, messages]) = &m.hashes {
        let _ = writeln!(text, "    labels {labels}\n    histogram {histogram}\n    messages {messages}");
    }
    text
}
