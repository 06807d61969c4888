//! Random combinations of build, job and memory, reproducible from a seed and an index.

use crate::builds;
use crate::job::{Application, Evidence, Heat, JobSpec, PairForm};
use crate::scene::Random;
use anyhow::{Result, bail};
use spa_model::{ArrayShape, Hardware, Job, Tiling, Weights};
use spa_runtime::backend::sim::SimBackendOptions;
use spa_runtime::card::accelerator::DriverOptions;
use spa_runtime::card::axi::MemoryOptions;
use spa_runtime::card::sim::SimOptions;
use spagen::Config;

/// Jobs that share a build, because a build takes longer than a job.
pub const JOBS_PER_BUILD: u64 = 8;

/// A random case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The build.
    pub config: Config,
    /// The job in words.
    pub spec: JobSpec,
    /// The job.
    pub job: Job,
    /// Memory, ring and power-up state.
    pub options: SimBackendOptions,
}

/// Case `index` of `seed`.
///
/// # Errors
/// If no legal case is found in a thousand draws, which would be a defect of this function.
pub fn case(seed: u64, index: u64) -> Result<Case> {
    let group = index / JOBS_PER_BUILD;
    // Edge weights come from streams of their own, so that cases from before them stay what they were.
    let edge_weights = Random::new(seed ^ group.wrapping_mul(0xD1B5_4A32_D192_ED03)).chance(25);
    let edges = edge_weights && Random::new(seed ^ index.wrapping_mul(0xD6E8_FEB8_6659_FD93)).chance(75);
    let config = build(&mut Random::new(seed ^ group.wrapping_mul(0xA24B_AED4_963E_E407)), edge_weights)?;
    let mut random = Random::new(seed.rotate_left(32) ^ index.wrapping_mul(0x9FB2_1C65_1E98_DF25));
    for _ in 0..1000 {
        let spec = JobSpec { edges, ..job(&mut random, &config.array, &config.hardware) };
        let Ok(job) = spec.job(&config.hardware, &config.array) else { continue };
        if Tiling::new(&config.array, &job).is_ok() {
            let options = options(&mut random);
            return Ok(Case { config, spec, job, options });
        }
    }
    bail!("no job fits build {}", config.command())
}

fn build(random: &mut Random, edge_weights: bool) -> Result<Config> {
    for _ in 0..1000 {
        let mut settings: Vec<String> = Vec::new();
        let mut set = |name: &str, value: &dyn std::fmt::Display| settings.push(format!("{name}={value}"));
        set("grid", &random.pick(&["1x1", "1x2", "2x1", "2x2", "4x1", "2x3", "3x2", "1x5", "4x2", "8x1"]));
        let spus = random.pick(&[1, 2, 2, 2, 4]);
        set("spus", &spus);
        set("rng_share", &random.pick(&[1, 2, 4]));
        let linear = random.chance(20);
        set("weights", &if linear { "linear" } else { "pow2" });
        let label_bits = random.pick(&[2, 4, 6, 6, 6, 8]);
        set("label_bits", &label_bits);
        set("singleton_bits", &random.pick(&[8, 8, 6, 4]));
        set("energy_bits", &random.pick(if linear { &[6, 8, 10] } else { &[6, 8, 8, 10, 12, 16] }));
        set("p_bits", &random.pick(&[8, 8, 8, 4, 2]));
        set("u_bits", &random.pick(&[24, 24, 24, 32, 16, 8]));
        set("count_bits", &random.pick(&[8, 8, 3, 1, 5, 16]));
        set("s2_links", &random.chance(70));
        set("pair_table", &(label_bits <= 6 && random.chance(25)));
        let table = random.chance(25);
        set("singleton_table", &table);
        if table {
            set("cost_capacity", &16384);
        }
        set("line_bits", &random.pick(&[128, 256, 512]));
        set("log_fifo_depth", &random.pick(&[64, 64, 128]));
        set("schedule_entries", &random.pick(&[64, 64, 100]));
        set("rv_capacity", &random.pick(&[512, 1024, 1024, 1048]));
        set("tile_width_max", &random.pick(&[32, 64, 68]));
        set("tile_height_max", &random.pick(&[32, 64, 50]));
        set("s2_capacity", &random.pick(&[2048, 4096, 4096]));
        set("edge_weights", &edge_weights);
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        if let Ok(config) = builds::config(&settings) {
            return Ok(config);
        }
    }
    bail!("no legal build in a thousand draws")
}

fn job(random: &mut Random, shape: &ArrayShape, hardware: &Hardware) -> JobSpec {
    let most = hardware.labels_max().min(256) as u16;
    let mut application = random.pick(&[
        Application::Stereo { dmin: 0 },
        Application::Stereo { dmin: 3 },
        Application::Stereo { dmin: -2 },
        Application::Flow,
        Application::Flow,
        Application::Segment,
        Application::Segment,
    ]);
    if shape.singleton_table && random.chance(30) {
        application = Application::Table;
    }
    let labels = match application {
        Application::Flow => random.pick(&[9, 25, 49, 81, 225]),
        _ => random.pick(&[2, 3, 4, 5, 7, 8, 13, 16, 32, 56, 64, 100, 200, 256]),
    };
    let (width, height) = match random.below(10) {
        0 => (1 + random.below(4) as u32, 1 + random.below(4) as u32),
        1 => random.pick(&[(61, 37), (37, 61), (31, 29), (17, 53)]),
        2 => (1 + random.below(64) as u32, 1),
        3 => (1, 1 + random.below(64) as u32),
        _ => {
            let (w, h) = (24 * u64::from(shape.cols), 24 * u64::from(shape.rows));
            (1 + random.below(w.min(96)) as u32, 1 + random.below(h.min(96)) as u32)
        }
    };
    // Hundreds of thousands of labels a case, so that a case takes a second or so.
    let work = u64::from(width) * u64::from(height) * u64::from(labels);
    let iterations = (600_000 / work.max(1)).clamp(2, 40) as u32;
    let iterations = 1 + random.below(u64::from(iterations)) as u32;
    let burn_in = if random.chance(30) { 0 } else { random.below(iterations.into()) as u32 };
    let heat = match random.below(4) {
        0 => Heat::Constant(random.pick(&[0.3, 1.0, 4.0, 30.0, 1000.0])),
        1 | 2 => Heat::Anneal(20.0, random.pick(&[0.5, 1.0, 2.0]), random.pick(&[2, 5, 25])),
        _ => Heat::Reheat,
    };
    let mut pair = random.pick(&[PairForm::Abs, PairForm::Abs, PairForm::Squared, PairForm::Potts]);
    if shape.pair_table && random.chance(40) {
        pair = PairForm::Table;
    }
    let iterations = if heat == Heat::Reheat { iterations.max(4) } else { iterations };
    JobSpec {
        application,
        width,
        height,
        labels: labels.min(if application == Application::Flow { labels } else { most }),
        squared: random.chance(25),
        pair,
        pair_cap: random.pick(&[1, 2, 2, 5, 17, 255]),
        data_cap: random.pick(&[60, 30, 255, 2000, 65535]),
        s_outside: random.pick(&[60, 0, 255, 65535]),
        weights: random.pick(&[
            (1, 8, 0),
            (1, 1, 0),
            (3, 20, 1),
            (255, 255, 4),
            (0, 5, 0),
            (4, 0, 2),
            (16, 100, 15),
        ]),
        heat,
        iterations,
        burn_in: burn_in.min(iterations - 1),
        seed: random.pick(&[0, 1, u64::MAX, 0xDEAD_BEEF_0123_4567, 1 << 32]),
        chain: random.pick(&[0, 0, 1, 255]),
        random_start: random.chance(30),
        cutoff: random.pick(&[None, None, None, Some(4), Some(2), Some(255)]),
        evidence: random.pick(&[
            Evidence::None,
            Evidence::None,
            Evidence::None,
            Evidence::TileEdges,
            Evidence::Some,
            Evidence::All,
        ]),
        edges: false,
        pictures: None,
    }
}

fn options(random: &mut Random) -> SimBackendOptions {
    let memory = MemoryOptions {
        read_latency: random.pick(&[1, 20, 100]),
        write_latency: random.pick(&[1, 10, 200]),
        idle_percent: random.pick(&[0, 0, 10, 50, 90]),
        seed: random.next(),
        silent_after: None,
    };
    let power_up_seed = random.pick(&[0, 1, 77]);
    let ring_lines = random.pick(&[4096, 4096, 64, 7, 2]);
    SimBackendOptions {
        card: SimOptions { memory, power_up_seed },
        driver: DriverOptions { ring_lines, ..DriverOptions::default() },
    }
}

/// One line about a build.
pub fn build_words(config: &Config) -> String {
    let (array, hardware) = (&config.array, &config.hardware);
    let mut words = format!(
        "{}x{} k{} l{} s{} e{} p{} u{} c{} line{} rng{} fifo{}",
        array.rows,
        array.cols,
        array.spus,
        hardware.label_bits,
        hardware.singleton_bits,
        hardware.energy_bits,
        hardware.p_bits,
        hardware.u_bits,
        hardware.count_bits,
        array.line_bits,
        array.rng_share,
        array.log_fifo_depth
    );
    for (has, word) in [
        (hardware.weights == Weights::Linear, " linear"),
        (!array.s2_links, " replicate"),
        (array.pair_table, " pair-table"),
        (array.singleton_table, " singleton-table"),
        (array.edge_weights, " edge-weights"),
        (config.message_bits() == 64, " 64-bit"),
    ] {
        if has {
            words += word;
        }
    }
    words
}

/// One line about a job.
pub fn job_words(spec: &JobSpec) -> String {
    let heat = match spec.heat {
        Heat::Constant(t) => format!("T{t}"),
        Heat::Anneal(a, b, n) => format!("T{a}:{b}:{n}"),
        Heat::Reheat => "reheat".to_string(),
    };
    format!(
        "{:?} {}x{}x{} {}{:?} caps {}/{}/{} w{:?} {heat} {}+{} seed {:x} chain {} start {} cut {:?} evidence {:?}{}",
        spec.application,
        spec.width,
        spec.height,
        spec.labels,
        if spec.squared { "sq " } else { "" },
        spec.pair,
        spec.data_cap,
        spec.s_outside,
        spec.pair_cap,
        spec.weights,
        spec.burn_in,
        spec.iterations - spec.burn_in,
        spec.seed,
        spec.chain,
        if spec.random_start { "random" } else { "argmin" },
        spec.cutoff,
        spec.evidence,
        if spec.edges { " edges" } else { "" }
    )
}
