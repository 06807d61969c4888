//! The driver and the simulated card: what must be refused, detected, counted and survived.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

use hw_tests::builds;
use hw_tests::cosim::Bench;
use hw_tests::job::{Application, Heat, JobSpec};
use spa_model::Job;
use spa_runtime::backend::cpu::CpuBackend;
use spa_runtime::backend::sim::{SimBackend, SimBackendOptions};
use spa_runtime::card::accelerator::{Accelerator, Design, DriverOptions};
use spa_runtime::card::axi::MemoryOptions;
use spa_runtime::card::sim::{SimCard, SimOptions};
use spa_runtime::card::{Card, CardError};
use spa_runtime::diagnostics::converge;
use spagen::{Config, simbuild};

/// The build of these tests: counters of 3 bits saturate soon.
fn config() -> Config {
    builds::config(&["grid=1x2", "spus=2", "count_bits=3", "line_bits=128"]).unwrap()
}

fn spec() -> JobSpec {
    let stereo = JobSpec::new(Application::Stereo { dmin: 0 }, 30, 20, 4);
    JobSpec { iterations: 40, burn_in: 0, heat: Heat::Constant(2.0), ..stereo }
}

fn job(config: &Config) -> Job {
    spec().job(&config.hardware, &config.array).unwrap()
}

fn card(config: &Config, memory: MemoryOptions) -> SimCard {
    let build = builds::build(config).unwrap();
    let library = simbuild::library(&build, &mut |_| ()).unwrap();
    SimCard::open(&library.path, SimOptions { memory, power_up_seed: 9 }).unwrap()
}

fn design(config: &Config) -> Design {
    Design { shape: config.array.clone(), hardware: config.hardware, config_hash: config.hash() }
}

fn bench(memory: MemoryOptions, ring_lines: usize) -> Bench {
    let card = SimOptions { memory, power_up_seed: 0 };
    let driver = DriverOptions { ring_lines, ..DriverOptions::default() };
    Bench::new(config(), SimBackendOptions { card, driver }).unwrap()
}

#[test]
fn slow_memory_stalls_the_array_and_changes_nothing() {
    let job = job(&config());
    let fast = bench(MemoryOptions::default(), 4096).check(&job).unwrap();
    let slow = MemoryOptions { idle_percent: 99, write_latency: 20_000, ..MemoryOptions::default() };
    let slow = bench(slow, 4096).check(&job).unwrap();
    assert!(slow.array.stall_cycles > 10 * fast.array.stall_cycles.max(1000));
    assert_eq!(slow.hashes, fast.hashes);
    assert_eq!(slow.log, fast.log);
}

#[test]
fn a_ring_of_two_lines_wraps_hundreds_of_times() {
    let job = job(&config());
    let run = bench(MemoryOptions::default(), 2).check(&job).unwrap();
    assert!(run.log.lines > 600, "{} lines", run.log.lines);
    assert!(run.array.stall_cycles > 0);
    assert_eq!(run.log.bytes, run.log.lines * 16);
}

#[test]
fn full_counters_are_sent_and_add_up() {
    // 40 collected iterations and counters up to 7: at low temperature every RV sends at least five full counters.
    let config = config();
    let cold = JobSpec { heat: Heat::Constant(0.3), ..spec() }.job(&config.hardware, &config.array).unwrap();
    let run = bench(MemoryOptions::default(), 4096).check(&cold).unwrap();
    assert!(run.log.messages >= 30 * 20 * 6, "{} messages", run.log.messages);
}

#[test]
fn raw_log_lines_are_kept() {
    let config = config();
    let mut accelerator = Accelerator::open(
        card(&config, MemoryOptions::default()),
        design(&config),
        DriverOptions { keep_log: true, ring_lines: 3, ..DriverOptions::default() },
    )
    .unwrap();
    let report = accelerator.run(&job(&config), &mut |_| true).unwrap();
    assert_eq!(accelerator.log().len() as u64, report.log.bytes);
}

#[test]
fn another_configuration_is_refused() {
    let config = config();
    let wrong = Design { config_hash: "0".repeat(64), ..design(&config) };
    let card = card(&config, MemoryOptions::default());
    let error = Accelerator::open(card, wrong, DriverOptions::default()).unwrap_err();
    assert!(matches!(error, CardError::Configuration { .. }), "{error}");
    assert!(error.to_string().contains(&config.hash()));
}

#[test]
fn a_job_for_other_widths_is_refused_by_name() {
    let config = config();
    let mut hardware = config.hardware;
    hardware.count_bits = 8;
    let job = spec().job(&hardware, &config.array).unwrap();
    let mut accelerator =
        Accelerator::open(card(&config, MemoryOptions::default()), design(&config), DriverOptions::default())
            .unwrap();
    let error = accelerator.run(&job, &mut |_| true).unwrap_err().to_string();
    assert!(error.contains("count_bits is 8 in the job and 3 in the build"), "{error}");
}

#[test]
fn a_memory_that_falls_silent_gives_the_deadline_error() {
    let config = config();
    // In the middle of loading, and in the middle of the log.
    for (accepted, state) in [(20, "load"), (400, "run")] {
        let memory = MemoryOptions { silent_after: Some(accepted), ..MemoryOptions::default() };
        let options = DriverOptions { patience: Some(20_000), ..DriverOptions::default() };
        let mut accelerator = Accelerator::open(card(&config, memory), design(&config), options).unwrap();
        let error = accelerator.run(&job(&config), &mut |_| true).unwrap_err();
        assert!(matches!(error, CardError::Stuck { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(&format!("state {state} for 20000 cycles")), "{text}");
    }
}

#[test]
fn a_stopped_run_leaves_a_card_that_works() {
    let config = config();
    let card = card(&config, MemoryOptions { idle_percent: 30, ..MemoryOptions::default() });
    let mut accelerator = Accelerator::open(card, design(&config), DriverOptions::default()).unwrap();
    let error = accelerator.run(&job(&config), &mut |_| false).unwrap_err();
    assert!(matches!(error, CardError::Stopped { .. }), "{error}");
    let expected = spa_model::spec::run(&job(&config)).unwrap();
    let report = accelerator.run(&job(&config), &mut |_| true).unwrap();
    hw_tests::cosim::compare(&job(&config), &expected, &report.outcome).unwrap();
}

#[test]
fn registers_answer_outside_the_map_and_keep_what_is_written() {
    let config = config();
    let mut card = card(&config, MemoryOptions::default());
    let scratch = spa_runtime::card::registers::SCRATCH.offset;
    card.write(scratch, 0x0123_4567_89AB_CDEF).unwrap();
    assert_eq!(card.read(scratch).unwrap(), 0x0123_4567_89AB_CDEF);
    assert_eq!(card.read(0xFFF8).unwrap(), 0);
    card.write(0xFFF8, 1).unwrap();
}

#[test]
fn a_job_that_is_too_large_names_the_capacity() {
    let config = config();
    let large = JobSpec::new(Application::Segment, 130, 64, 3);
    let job = large.job(&config.hardware, &config.array).unwrap();
    let mut bench = bench(MemoryOptions::default(), 64);
    let error = bench.check(&job).unwrap_err().to_string();
    assert!(error.contains("rv_capacity"), "{error}");
}

#[test]
fn chains_stop_on_the_card_where_they_stop_on_the_cpu() {
    let config = config();
    let field = JobSpec::new(Application::Segment, 12, 10, 3);
    // Warm enough to agree after some checks, and far too cold to agree at all.
    for (temperature, most) in [(40.0, 400), (0.5, 200)] {
        let job = JobSpec { heat: Heat::Constant(temperature), ..field.clone() };
        let job = job.job(&config.hardware, &config.array).unwrap();
        let options = SimBackendOptions::default();
        let mut sim = SimBackend::new(builds::build(&config).unwrap(), options);
        let mut cpu = CpuBackend::default();
        let chains = (temperature, converge::FEWEST, most);
        let expected = converge::converge(&mut cpu, &job, chains, &mut |_| true).unwrap().convergence;
        let found = converge::converge(&mut sim, &job, chains, &mut |_| true).unwrap().convergence;
        assert_eq!(found, expected, "at {temperature}");
        assert_eq!(found.converged, temperature > 1.0, "{found}");
    }
}
