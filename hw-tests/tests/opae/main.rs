//! The backend of the real card against a library with OPAE's interface, whose card is the Verilated CCI-P wrapper of a
//! build: the driver's code is that of the real card, up to the last call of the library.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod library;
mod project;

use hw_tests::cosim;
use hw_tests::job::{Application, Evidence, Heat, JobSpec};
use library::{Machine, build, config};
use spa_model::{Job, Outcome, fast};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::opae::OpaeBackend;
use spa_runtime::card::accelerator::{Accelerator, Design, DriverOptions};
use spa_runtime::card::axi::MemoryOptions;
use spa_runtime::card::opae::{self, OpaeCard, OpaeOptions};
use spa_runtime::card::sim::{SimCard, SimOptions};
use spa_runtime::card::{Card as _, CardError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// A card at its worst, short of being broken: answers out of order and late, channels almost full, lines visible only
/// with their fence.
const ROUGH: [(&str, u64); 5] =
    [("jitter", 400), ("latency", 150), ("almost_full", 5), ("line_order", 1), ("seed", 7)];

fn spec() -> JobSpec {
    let stereo = JobSpec::new(Application::Stereo { dmin: 0 }, 30, 20, 4);
    JobSpec { iterations: 30, burn_in: 0, heat: Heat::Constant(2.0), ..stereo }
}

fn job(spec: &JobSpec) -> Job {
    let config = config();
    spec.job(&config.hardware, &config.array).unwrap()
}

fn options(machine: &Machine) -> OpaeOptions {
    OpaeOptions {
        library: Some(machine.library()),
        deadline: Duration::from_secs(60),
        ..OpaeOptions::default()
    }
}

fn cpu(job: &Job) -> Outcome {
    fast::run(job, &fast::Options::default(), &mut |_| true).unwrap()
}

/// Runs `job` and compares all three hashes with the CPU's.
fn check(backend: &mut OpaeBackend, job: &Job) {
    let report = backend.run(job, &mut |_| true).unwrap();
    cosim::compare(job, &cpu(job), &report.outcome).unwrap();
    assert!(report.array.is_some_and(|array| array.load_cycles > 0 && array.cycles > 0));
}

/// The error of a run on a machine with these settings, and that nothing was left behind.
fn failure(settings: &[(&str, u64)], deadline: Duration) -> CardError {
    let machine = Machine::new(settings);
    let mut backend = OpaeBackend::open(&build(), &OpaeOptions { deadline, ..options(&machine) }).unwrap();
    let error = backend.run(&job(&spec()), &mut |_| true).unwrap_err();
    drop(backend);
    assert_eq!(machine.live(), 0);
    error.downcast().unwrap()
}

/// The message of a machine on which no card can be opened.
fn refusal(settings: &[(&str, u64)]) -> String {
    let machine = Machine::new(settings);
    let error = OpaeBackend::open(&build(), &options(&machine)).unwrap_err();
    assert_eq!(machine.live(), 0);
    format!("{error:#}")
}

#[test]
fn a_well_behaved_card_agrees_with_the_cpu() {
    let machine = Machine::new(&[]);
    let mut backend = OpaeBackend::open(&build(), &options(&machine)).unwrap();
    let segment = JobSpec::new(Application::Segment, 31, 17, 3);
    let evidence = JobSpec { evidence: Evidence::TileEdges, burn_in: 5, ..spec() };
    for spec in [spec(), segment, evidence] {
        check(&mut backend, &job(&spec));
    }
    drop(backend);
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_rough_card_agrees_with_the_cpu() {
    for seed in 1..4 {
        let mut settings = ROUGH.to_vec();
        settings.push(("seed", seed));
        let machine = Machine::new(&settings);
        let mut backend = OpaeBackend::open(&build(), &options(&machine)).unwrap();
        check(&mut backend, &job(&spec()));
    }
}

#[test]
fn small_buffers_load_in_pieces_and_turn_the_ring() {
    let machine = Machine::new(&ROUGH);
    // Loading takes several starts, and the ring has 16 lines.
    let options = OpaeOptions { buffer_bytes: 1024, ..options(&machine) };
    let mut backend = OpaeBackend::open(&build(), &options).unwrap();
    check(&mut backend, &job(&spec()));
    check(&mut backend, &job(&JobSpec::new(Application::Stereo { dmin: 0 }, 29, 19, 7)));
}

#[test]
fn the_pim_wrapper_agrees_with_the_cpu() {
    let memory = MemoryOptions { idle_percent: 40, seed: 5, ..MemoryOptions::default() };
    let card = SimCard::open(&library::pim_library(), SimOptions { memory, power_up_seed: 3 }).unwrap();
    let config = config();
    let design =
        Design { shape: config.array.clone(), hardware: config.hardware, config_hash: config.hash() };
    let mut accelerator = Accelerator::open(card, design, DriverOptions::default()).unwrap();
    let segment = JobSpec::new(Application::Segment, 31, 17, 3);
    for spec in [spec(), segment] {
        let job = job(&spec);
        let report = accelerator.run(&job, &mut |_| true).unwrap();
        cosim::compare(&job, &cpu(&job), &report.outcome).unwrap();
    }
}

#[test]
fn the_address_chooses_the_card() {
    let machine = Machine::new(&[]);
    let at = |address: &str| OpaeOptions { address: Some(address.parse().unwrap()), ..options(&machine) };
    let mut backend = OpaeBackend::open(&build(), &at("0000:5e:00.0")).unwrap();
    assert_eq!(backend.accelerator().card().name(), "the card at 0000:5e:00.0");
    drop(backend);
    let error = OpaeBackend::open(&build(), &at("0000:5f:00.0")).unwrap_err();
    assert!(format!("{error:#}").contains("no card at 0000:5f:00.0 with AFU UUID"), "{error:#}");
}

#[test]
fn memory_that_falls_silent_ends_at_the_deadline() {
    for (requests, state) in [(20, "load"), (260, "run")] {
        let error = failure(&[("silent_after", requests)], Duration::from_millis(700));
        assert!(matches!(error, CardError::Stuck { .. }), "{error}");
        assert!(error.to_string().contains(&format!("state {state} for")), "{error}");
    }
}

#[test]
fn a_card_that_leaves_the_bus_is_named() {
    let error = failure(&[("gone_after", 60)], Duration::from_secs(60));
    assert!(matches!(error, CardError::Gone { .. }), "{error}");
    assert!(error.to_string().contains("0000:5e:00.0"), "{error}");
}

#[test]
fn register_accesses_that_fail_name_the_call() {
    let error = failure(&[("mmio_fails_after", 60)], Duration::from_secs(60));
    assert!(error.to_string().contains("fpgaReadMMIO64 failed: exception"), "{error}");
}

#[test]
fn a_stuck_card_is_reset_and_used_again() {
    // Memory falls silent after the 260th request since every reset: the shorter job stays below.
    let machine = Machine::new(&[("silent_after", 260)]);
    let options = OpaeOptions { deadline: Duration::from_millis(500), ..options(&machine) };
    let mut backend = OpaeBackend::open(&build(), &options).unwrap();
    let error = backend.run(&job(&spec()), &mut |_| true).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(CardError::Stuck { .. })), "{error}");
    check(
        &mut backend,
        &job(&JobSpec { iterations: 3, burn_in: 0, ..JobSpec::new(Application::Segment, 12, 8, 2) }),
    );
}

#[test]
fn other_accelerators_are_refused() {
    let text = refusal(&[("wrong_guid", 1)]);
    assert!(text.contains("no card with AFU UUID 6e1f4a52-8c07-4d39-b5f2-0d83a94c7e16"), "{text}");
    let text = refusal(&[("wrong_guid", 2)]);
    assert!(text.contains("AFU UUID (low half)"), "{text}");
}

#[test]
fn a_card_that_another_process_has_is_explained() {
    let text = refusal(&[("busy", 1)]);
    assert!(text.contains("fpgaOpen failed: resource busy (code 2); another process has the card"), "{text}");
}

#[test]
fn a_card_that_cannot_be_reset_is_not_used() {
    let text = refusal(&[("reset_fails", 1)]);
    assert!(text.contains("fpgaReset failed"), "{text}");
}

#[test]
fn a_card_of_ones_is_refused() {
    let text = refusal(&[("gone_after", 0)]);
    assert!(text.contains("does not answer any more"), "{text}");
}

#[test]
fn missing_huge_pages_are_explained() {
    let error = failure(&[("huge_pages", 0)], Duration::from_secs(60));
    let text = error.to_string();
    assert!(matches!(error, CardError::Allocation(_)), "{text}");
    assert!(
        text.contains("no huge page of 2 MiB") && text.contains("hugepages-2048kB/nr_hugepages"),
        "{text}"
    );
}

#[test]
fn another_configuration_is_refused() {
    let machine = Machine::new(&[]);
    let options = options(&machine);
    let config = config();
    let design =
        Design { shape: config.array.clone(), hardware: config.hardware, config_hash: "0".repeat(64) };
    let token = opae::find(&options).unwrap().remove(0);
    let card = OpaeCard::open(token, &options).unwrap();
    let error = Accelerator::open(card, design, DriverOptions::default()).unwrap_err();
    assert!(matches!(error, CardError::Configuration { .. }), "{error}");
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_stopped_run_leaves_a_card_that_works() {
    // What Ctrl-C does: the progress sink says no.
    let machine = Machine::new(&ROUGH);
    let mut backend = OpaeBackend::open(&build(), &options(&machine)).unwrap();
    let error = backend.run(&job(&spec()), &mut |_| false).unwrap_err();
    assert!(error.to_string().contains("stopped after"), "{error}");
    check(&mut backend, &job(&spec()));
}

#[test]
fn a_panic_in_the_middle_of_a_run_resets_the_card() {
    let machine = Machine::new(&ROUGH);
    let mut backend = OpaeBackend::open(&build(), &options(&machine)).unwrap();
    let job = job(&spec());
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _ = backend.run(&job, &mut |_| panic!("the sink of this test"));
    }));
    assert!(result.is_err());
    drop(backend);
    assert_eq!(machine.live(), 0);
    check(&mut OpaeBackend::open(&build(), &options(&machine)).unwrap(), &job);
}

#[test]
fn registers_keep_what_is_written_and_memory_has_borders() {
    let machine = Machine::new(&[]);
    let options = options(&machine);
    let mut card = OpaeCard::open(opae::find(&options).unwrap().remove(0), &options).unwrap();
    let scratch = spa_runtime::card::registers::SCRATCH.offset;
    for value in [0x0123_4567_89AB_CDEF, u64::MAX] {
        card.write(scratch, value).unwrap();
        assert_eq!(card.read(scratch).unwrap(), value);
    }
    let buffer = card.allocate(100).unwrap();
    assert_eq!(buffer.bytes, 128);
    assert!(card.write_memory(buffer, 64, &[0; 65]).is_err());
    assert!(card.read_memory(buffer, usize::MAX, &mut [0; 2]).is_err());
    card.release(buffer).unwrap();
    assert!(card.release(buffer).is_err());
}

#[test]
fn a_missing_or_foreign_library_gives_one_clear_error() {
    let with = |path: &str| OpaeOptions { library: Some(path.into()), ..OpaeOptions::default() };
    let error = opae::find(&with("/no/such/libopae-c.so")).unwrap_err().to_string();
    assert!(error.contains("failed to load the OPAE library '/no/such/libopae-c.so'"), "{error}");
    let error = opae::find(&with("libc.so.6")).unwrap_err().to_string();
    assert!(error.contains("has no function fpgaInitialize"), "{error}");
}
