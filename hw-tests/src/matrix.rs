//! The combinations that must agree whatever happens: grids, SPUs, sizes, labels, forms, schedules, evidence, memory.
//! CI runs the builds marked so; `cosim matrix` runs all.

use crate::builds;
use crate::cosim::{Agreement, Bench};
use crate::job::{Application, Evidence, Heat, JobSpec, PairForm};
use anyhow::{Context as _, Result};
use spa_runtime::backend::sim::SimBackendOptions;
use spa_runtime::card::accelerator::DriverOptions;
use spa_runtime::card::axi::MemoryOptions;
use spa_runtime::card::sim::SimOptions;
use spa_runtime::picture::Picture;
use std::path::{Path, PathBuf};

/// A build and the jobs that run on it.
#[derive(Debug)]
pub struct Group {
    /// Name, for messages.
    pub name: &'static str,
    /// Settings of the build.
    pub settings: &'static [&'static str],
    /// Part of CI.
    pub ci: bool,
    /// The jobs, each twice without a reset between.
    pub jobs: fn() -> Vec<JobSpec>,
}

const STEREO: Application = Application::Stereo { dmin: 0 };

/// All groups.
pub const GROUPS: &[Group] = &[
    Group {
        name: "1x1, one SPU, linear weights",
        settings: &["grid=1x1", "spus=1", "weights=linear"],
        ci: true,
        jobs: small,
    },
    Group {
        name: "2x3, two SPUs, 3-bit counters",
        settings: &["grid=2x3", "spus=2", "count_bits=3", "line_bits=256"],
        ci: true,
        jobs: varied,
    },
    Group {
        name: "4x1, four SPUs, replicated margins",
        settings: &["grid=4x1", "spus=4", "s2_links=false", "line_bits=128", "rng_share=2"],
        ci: true,
        jobs: reaching,
    },
    Group {
        name: "1x2, 8-bit labels, 64-bit messages",
        settings: &["grid=1x2", "spus=2", "label_bits=8", "energy_bits=12", "count_bits=16"],
        ci: true,
        jobs: wide,
    },
    Group { name: "16x1, two SPUs", settings: &["grid=16x1", "spus=2"], ci: true, jobs: large },
    Group { name: "16x2, two SPUs", settings: &["grid=16x2", "spus=2"], ci: false, jobs: large },
    Group { name: "2x3, one SPU", settings: &["grid=2x3", "spus=1"], ci: false, jobs: varied },
    Group {
        name: "2x3, four SPUs",
        settings: &["grid=2x3", "spus=4", "rng_share=1"],
        ci: false,
        jobs: varied,
    },
    Group { name: "4x1, two SPUs, links", settings: &["grid=4x1", "spus=2"], ci: false, jobs: reaching },
    Group { name: "1x1, four SPUs", settings: &["grid=1x1", "spus=4"], ci: false, jobs: small },
    Group {
        name: "2x2, tables",
        settings: &["grid=2x2", "pair_table=true", "singleton_table=true", "cost_capacity=16384"],
        ci: false,
        jobs: tables,
    },
    Group {
        name: "2x3, two SPUs, edge weights",
        settings: &["grid=2x3", "spus=2", "edge_weights=true", "rv_capacity=1024"],
        ci: true,
        jobs: weighted,
    },
    Group {
        name: "1x1, one SPU, edge weights",
        settings: &["grid=1x1", "spus=1", "edge_weights=true", "pair_table=true", "energy_bits=16"],
        ci: false,
        jobs: weighted_small,
    },
    Group {
        name: "4x1, four SPUs, edge weights",
        settings: &["grid=4x1", "spus=4", "edge_weights=true", "line_bits=128", "rng_share=2"],
        ci: false,
        jobs: weighted,
    },
];

/// Runs a group: every job with an ideal memory, and again with random waits and a small ring.
///
/// # Errors
/// The first job that fails or differs.
pub fn run(group: &Group, told: &mut dyn FnMut(&JobSpec, &Agreement)) -> Result<()> {
    let config = builds::config(group.settings)?;
    for options in [SimBackendOptions::default(), waiting()] {
        let mut bench = Bench::new(config.clone(), options)?;
        for spec in (group.jobs)() {
            let job = spec.job(&config.hardware, &config.array)?;
            for _ in 0..2 {
                let words = || format!("{}: {}", group.name, crate::draw::job_words(&spec));
                let agreement = bench.check(&job).with_context(words)?;
                told(&spec, &agreement);
            }
        }
    }
    Ok(())
}

/// Memory that waits at random, a ring of five lines, random contents at power-up.
pub fn waiting() -> SimBackendOptions {
    let memory =
        MemoryOptions { read_latency: 60, write_latency: 120, idle_percent: 50, seed: 3, silent_after: None };
    SimBackendOptions {
        card: SimOptions { memory, power_up_seed: 5 },
        driver: DriverOptions { ring_lines: 5, ..DriverOptions::default() },
    }
}

fn small() -> Vec<JobSpec> {
    let stereo = JobSpec::new(STEREO, 24, 18, 16);
    vec![
        stereo.clone(),
        JobSpec { cutoff: Some(4), burn_in: 0, heat: Heat::Constant(3.0), ..stereo.clone() },
        JobSpec { seed: u64::MAX, heat: Heat::Reheat, ..stereo },
        JobSpec::new(Application::Segment, 31, 17, 3),
        JobSpec::new(Application::Flow, 13, 11, 9),
        JobSpec::new(STEREO, 1, 1, 2),
    ]
}

fn varied() -> Vec<JobSpec> {
    let stereo = JobSpec::new(STEREO, 61, 37, 16);
    let mut jobs = vec![
        stereo.clone(),
        JobSpec { seed: 0, burn_in: 0, iterations: 20, heat: Heat::Constant(1.0), ..stereo.clone() },
        JobSpec { seed: u64::MAX, heat: Heat::Reheat, evidence: Evidence::TileEdges, ..stereo.clone() },
        JobSpec { evidence: Evidence::All, ..stereo.clone() },
        JobSpec { evidence: Evidence::Some, random_start: true, chain: 7, ..stereo },
        JobSpec::new(STEREO, 61, 37, 2),
        JobSpec::new(Application::Segment, 61, 37, 2),
        JobSpec { pair: PairForm::Squared, pair_cap: 9, squared: true, ..JobSpec::new(STEREO, 40, 20, 64) },
        JobSpec::new(Application::Flow, 37, 29, 49),
        JobSpec { cutoff: Some(4), ..JobSpec::new(Application::Segment, 53, 41, 3) },
    ];
    for (width, height) in [(1, 1), (2, 1), (1, 3), (3, 2), (4, 5)] {
        jobs.push(JobSpec { burn_in: 0, iterations: 12, ..JobSpec::new(STEREO, width, height, 3) });
    }
    let beach = "segmentation/3096/image.jpg";
    // A machine without the test pictures does without these three.
    jobs.extend(pictures(["stereo/teddy/im2.png", "stereo/teddy/im6.png"], STEREO, 16).ok());
    let frames = ["flow/rubberwhale/frame10.png", "flow/rubberwhale/frame11.png"];
    jobs.extend(pictures(frames, Application::Flow, 49).ok());
    jobs.extend(pictures([beach, beach], Application::Segment, 4).ok());
    jobs
}

fn reaching() -> Vec<JobSpec> {
    vec![
        // Tiles of 16 x 6: the reach of 64 labels passes several of them, the window of 15 rows both neighbours.
        JobSpec::new(STEREO, 13, 22, 64),
        JobSpec::new(Application::Stereo { dmin: -3 }, 61, 37, 16),
        JobSpec { iterations: 4, burn_in: 1, ..JobSpec::new(Application::Flow, 20, 22, 49) },
        JobSpec::new(STEREO, 61, 37, 3),
        JobSpec { evidence: Evidence::TileEdges, ..JobSpec::new(Application::Segment, 17, 53, 5) },
    ]
}

fn wide() -> Vec<JobSpec> {
    let flow = JobSpec { iterations: 4, burn_in: 1, ..JobSpec::new(Application::Flow, 19, 13, 225) };
    vec![
        flow.clone(),
        JobSpec { weights: (3, 20, 0), heat: Heat::Anneal(90.0, 9.0, 3), pair: PairForm::Squared, ..flow },
        JobSpec::new(Application::Segment, 23, 19, 256),
        JobSpec { burn_in: 0, iterations: 30, ..JobSpec::new(STEREO, 29, 7, 2) },
    ]
}

fn large() -> Vec<JobSpec> {
    let stereo = JobSpec { iterations: 6, burn_in: 3, ..JobSpec::new(STEREO, 61, 37, 16) };
    vec![
        stereo.clone(),
        JobSpec { seed: 0, ..JobSpec::new(Application::Segment, 61, 37, 2) },
        JobSpec { evidence: Evidence::TileEdges, heat: Heat::Reheat, ..stereo },
        JobSpec { iterations: 3, burn_in: 0, ..JobSpec::new(Application::Flow, 48, 41, 49) },
        JobSpec::new(STEREO, 3, 5, 3),
    ]
}

fn tables() -> Vec<JobSpec> {
    let table = JobSpec::new(Application::Table, 30, 21, 16);
    vec![
        table.clone(),
        JobSpec { pair: PairForm::Table, burn_in: 0, ..table.clone() },
        JobSpec { evidence: Evidence::TileEdges, pair: PairForm::Squared, ..table },
        JobSpec { pair: PairForm::Table, ..JobSpec::new(STEREO, 25, 33, 13) },
    ]
}

fn weighted() -> Vec<JobSpec> {
    let edges = |spec: JobSpec| JobSpec { edges: true, weights: (1, 1, 0), ..spec };
    let stereo = edges(JobSpec::new(STEREO, 61, 37, 16));
    vec![
        stereo.clone(),
        JobSpec { evidence: Evidence::TileEdges, heat: Heat::Reheat, burn_in: 0, ..stereo.clone() },
        // Weights of 1 are loaded into a build that has room for others.
        JobSpec { edges: false, weights: (1, 8, 0), ..stereo },
        JobSpec { weights: (255, 255, 5), pair_cap: 255, ..edges(JobSpec::new(STEREO, 29, 31, 2)) },
        JobSpec {
            pair: PairForm::Squared,
            pair_cap: 200,
            ..edges(JobSpec::new(Application::Flow, 25, 18, 9))
        },
        edges(JobSpec::new(Application::Segment, 1, 33, 3)),
        edges(JobSpec::new(Application::Segment, 33, 1, 5)),
    ]
}

fn weighted_small() -> Vec<JobSpec> {
    let edges = |spec: JobSpec| JobSpec { edges: true, weights: (3, 7, 2), ..spec };
    vec![
        edges(JobSpec::new(STEREO, 24, 18, 16)),
        edges(JobSpec {
            pair: PairForm::Table,
            pair_cap: 255,
            ..JobSpec::new(Application::Segment, 17, 13, 5)
        }),
        edges(JobSpec::new(Application::Segment, 19, 15, 2)),
    ]
}

/// Folder of the test pictures, if this machine has them: `$SPA_DATA`, else `../shared/data`.
pub fn data_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os("SPA_DATA").map(PathBuf::from).or(Some(beside)).filter(|folder| folder.is_dir())
}

/// A job on a crop of 48x32 pixels in the middle of two pictures of the test data.
fn pictures(files: [&str; 2], application: Application, labels: u16) -> Result<JobSpec> {
    let folder = data_folder().context("no test pictures")?;
    let crop = |file: &str| -> Result<Vec<u8>> {
        let picture = Picture::open(&folder.join(file))?;
        let grey = picture.grey(8);
        let (x0, y0) = ((picture.width - 48) / 2, (picture.height - 32) / 2);
        let row = |y: u32| {
            let start = ((y0 + y) * picture.width + x0) as usize;
            grey[start..start + 48].to_vec()
        };
        Ok((0..32).flat_map(row).collect())
    };
    let mut spec = JobSpec::new(application, 48, 32, labels);
    spec.pictures = Some((crop(files[0])?, crop(files[1])?));
    Ok(spec)
}
