//! Chapter 4 on a card: every configuration of Table 4.1 on every benchmark, the best of each design by the
//! dissertation's rule, and what the designs gain, lose and skip (Figs. 4.4 to 4.17, Table 4.3; docs/edgs.md).

pub mod benchmark;
mod render;
pub mod select;

use super::Report;
use crate::backend::cuda::Cuda;
use crate::backend::cuda::edgs::{Design, Experiment, Method, Model, Region, Shape};
use benchmark::{Benchmark, Group};
use select::{Choice, Times};
use serde::Serialize;
use serde_json::json;

/// What is explored (Table 4.1) and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// Region sizes.
    pub regions: Vec<Region>,
    /// Blocks a multiprocessor.
    pub blocks: Vec<u32>,
    /// Cut-offs of the event-driven designs.
    pub cutoffs: Vec<u8>,
    /// Timed runs of each configuration.
    pub repeats: usize,
    /// Iterations of the exploration's runs; none: as many as the benchmark has.
    pub explore: Option<u32>,
}

impl Space {
    /// Configurations in the order of the figures.
    pub fn shapes(&self) -> Vec<Shape> {
        let of = |&region: &Region| self.blocks.iter().map(move |&blocks| Shape { region, blocks });
        self.regions.iter().flat_map(of).collect()
    }

    /// The baseline and the event-driven designs with queues.
    fn designs(&self) -> Vec<Method> {
        let edgs = self.cutoffs.iter().map(|&cutoff| Method { design: Design::Queues, cutoff: Some(cutoff) });
        std::iter::once(Method { design: Design::Plain, cutoff: None }).chain(edgs).collect()
    }
}

/// Name of a design as in the dissertation.
pub fn design_name(method: Method) -> String {
    match (method.design, method.cutoff) {
        (_, None) => "baseline".to_string(),
        (Design::Plain, Some(cutoff)) => format!("cut-off {cutoff}"),
        (Design::Queues, Some(cutoff)) => format!("EDGS-{cutoff}"),
        (Design::Flags, Some(cutoff)) => format!("RV-{cutoff}"),
    }
}

/// What a study of this kind tells while it works: what begins, and how many runs are done and to be done.
pub type Sink<'a> = &'a mut dyn FnMut(&str, u64, u64) -> bool;

/// One design on one benchmark at its chosen configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Result {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of the design.
    pub design: String,
    /// Mean of the repeats' seconds.
    pub seconds: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// Time of the baseline / time − 1, in percent.
    pub speedup_percent: f64,
    /// Bad pixels in percent, end-point error in pixels, or variation of information in bits.
    pub quality: Option<f64>,
    /// Updates left out, in percent.
    pub skipped_percent: f64,
    /// Nominal labels a second in units of 10^9.
    pub giga_labels_per_second: f64,
}

/// Everything of one application.
#[derive(Debug, Clone)]
pub struct Explored {
    /// The application.
    pub group: Group,
    /// Names of its benchmarks.
    pub benchmarks: Vec<String>,
    /// Of each design: its name, its times by configuration and benchmark, and the choice.
    pub designs: Vec<(Method, Times, Choice)>,
    /// At the chosen configurations, all iterations.
    pub results: Vec<Result>,
}

/// Explores `space` for each application of `benchmarks`.
///
/// # Errors
/// As [`Experiment::run`]; an error if no configuration can run, or if `sink` stops the study.
pub fn run(cuda: &Cuda, benchmarks: &[Benchmark], space: &Space, sink: Sink<'_>) -> anyhow::Result<Report> {
    let mut groups: Vec<Group> = benchmarks.iter().map(|b| b.group).collect();
    groups.dedup();
    let shapes = space.shapes();
    let total = (benchmarks.len() * space.designs().len() * shapes.len()) as u64;
    let mut progress = (0, total);
    let mut explored = Vec::new();
    for group in groups {
        let members: Vec<&Benchmark> = benchmarks.iter().filter(|b| b.group == group).collect();
        explored.push(explore(cuda, group, &members, space, &mut progress, sink)?);
    }
    let card = &cuda.device().name;
    let settings = json!({
        "card": card,
        "regions": space.regions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "blocks_per_multiprocessor": space.blocks,
        "cutoffs": space.cutoffs,
        "repeats": space.repeats,
        "explore_iterations": space.explore,
    });
    Ok(render::report(settings, card, space, &explored))
}

fn explore(
    cuda: &Cuda,
    group: Group,
    members: &[&Benchmark],
    space: &Space,
    (done, total): &mut (u64, u64),
    sink: Sink<'_>,
) -> anyhow::Result<Explored> {
    let shapes = space.shapes();
    let designs = space.designs();
    // By design, configuration and benchmark.
    let mut times: Vec<Times> = vec![vec![vec![None; members.len()]; shapes.len()]; designs.len()];
    for (m, benchmark) in members.iter().enumerate() {
        let short = benchmark.model_of(space.explore)?;
        let mut experiment = Experiment::new(cuda.device(), &benchmark.job, &short)?;
        for (d, &method) in designs.iter().enumerate() {
            for (s, &shape) in shapes.iter().enumerate() {
                if !sink(&format!("{}, {}", benchmark.name, design_name(method)), *done, *total) {
                    anyhow::bail!("stopped");
                }
                times[d][s][m] = repeat(&mut experiment, method, shape, space.repeats)?;
                *done += 1;
            }
        }
    }
    let mut chosen = Vec::new();
    for (method, times) in designs.into_iter().zip(times) {
        let choice = select::choose(&times).ok_or_else(|| {
            anyhow::anyhow!("no configuration of {} runs on {}", design_name(method), cuda.device().name)
        })?;
        chosen.push((method, times, choice));
    }
    let results = measure(cuda, members, &chosen, &shapes, space.repeats)?;
    let benchmarks = members.iter().map(|b| b.name.clone()).collect();
    Ok(Explored { group, benchmarks, designs: chosen, results })
}

/// Seconds of `repeats` runs after one that warms up; none if the configuration cannot run.
fn repeat(
    experiment: &mut Experiment<'_>,
    method: Method,
    shape: Shape,
    repeats: usize,
) -> anyhow::Result<Option<Vec<f64>>> {
    if experiment.run(method, shape)?.is_none() {
        return Ok(None);
    }
    let mut seconds = Vec::with_capacity(repeats);
    for _ in 0..repeats.max(1) {
        seconds.extend(experiment.run(method, shape)?.map(|found| found.seconds));
    }
    Ok(Some(seconds))
}

/// All designs at their chosen configurations; each event-driven one also by RV, at the same configuration or one block
/// fewer where that needs more registers.
fn measure(
    cuda: &Cuda,
    members: &[&Benchmark],
    chosen: &[(Method, Times, Choice)],
    shapes: &[Shape],
    repeats: usize,
) -> anyhow::Result<Vec<Result>> {
    let mut results = Vec::new();
    for benchmark in members {
        let model: &Model = &benchmark.model;
        let mut experiment = Experiment::new(cuda.device(), &benchmark.job, model)?;
        let mut baseline = f64::NAN;
        let by_rv =
            chosen.iter().filter(|(method, ..)| method.cutoff.is_some()).map(|(method, _, choice)| {
                (Method { design: Design::Flags, cutoff: method.cutoff }, choice.configuration)
            });
        let all = chosen.iter().map(|(method, _, choice)| (*method, choice.configuration)).chain(by_rv);
        for (method, configuration) in all {
            let mut shape = shapes[configuration];
            shape.blocks = shape.blocks.min(experiment.most_blocks(method, shape.region)?);
            let Some(seconds) = repeat(&mut experiment, method, shape, repeats)? else { continue };
            let Some(found) = experiment.run(method, shape)? else { continue };
            let (mean, deviation) = select::mean_and_deviation(&seconds);
            if method.cutoff.is_none() {
                baseline = mean;
            }
            let nominal = benchmark.job.problem().free_rvs() as f64 * f64::from(model.iterations());
            results.push(Result {
                benchmark: benchmark.name.clone(),
                design: design_name(method),
                seconds: mean,
                deviation,
                speedup_percent: 100.0 * (baseline / mean - 1.0),
                quality: benchmark.quality(&found.labels),
                skipped_percent: 100.0 * (1.0 - found.updated as f64 / nominal),
                giga_labels_per_second: nominal * f64::from(benchmark.job.problem().labels) / mean / 1e9,
            });
        }
    }
    Ok(results)
}
