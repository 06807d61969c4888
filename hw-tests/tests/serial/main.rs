//! The backend `serial` against the board project of a build: the driver, a pseudo-terminal, and the whole top of the board
//! under Verilator (docs/projects.md).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test, a failure is the message")]

mod board;
mod project;

use board::{Board, build, config};
use hw_tests::cosim;
use hw_tests::job::{Application, Evidence, Heat, JobSpec};
use spa_model::{Job, fast};
use spa_runtime::backend::registry;
use spa_runtime::backend::serial::SerialBackend;
use spa_runtime::backend::{Backend as _, LogReport};
use spa_runtime::card::accelerator::{Accelerator, Design, DriverOptions};
use spa_runtime::card::serial::{SerialCard, SerialOptions};
use spa_runtime::card::{Card as _, CardError, registers as reg};
use spa_runtime::options::{CardOptions, RunOptions};
use spagen::emit;
use std::path::Path;
use std::time::Duration;

/// A simulated line is a thousand times slower than a real one, on a busy machine slower still.
const PATIENCE: Duration = Duration::from_secs(120);

/// Bytes of the ring in the board's memory.
const RING_BYTES: u64 = emit::SERIAL_BUFFER_BYTES as u64;

fn options(port: &Path) -> SerialOptions {
    SerialOptions { port: port.to_path_buf(), baud: emit::SERIAL_BAUD, deadline: PATIENCE }
}

fn small() -> JobSpec {
    JobSpec { iterations: 6, burn_in: 2, ..JobSpec::new(Application::Segment, 14, 9, 3) }
}

/// Load records in several pieces, and more log than the ring holds.
fn long() -> JobSpec {
    JobSpec {
        iterations: 45,
        burn_in: 0,
        heat: Heat::Constant(2.0),
        evidence: Evidence::TileEdges,
        ..JobSpec::new(Application::Stereo { dmin: 0 }, 24, 17, 4)
    }
}

fn job(spec: &JobSpec) -> Job {
    let config = config();
    spec.job(&config.hardware, &config.array).unwrap()
}

/// Runs `spec` and compares all three hashes with the CPU's; gives the figures of the log.
fn check(backend: &mut SerialBackend, spec: &JobSpec) -> LogReport {
    let job = job(spec);
    let report = backend.run(&job, &mut |_| true).unwrap();
    let cpu = fast::run(&job, &fast::Options::default(), &mut |_| true).unwrap();
    cosim::compare(&job, &cpu, &report.outcome).unwrap();
    assert!(report.array.is_some_and(|array| array.load_cycles > 0 && array.cycles > 0));
    report.log
}

#[test]
fn a_board_agrees_with_the_cpu() {
    let board = Board::new(&[]);
    let mut backend = SerialBackend::open(&build(), &options(&board.port)).unwrap();
    let log = check(&mut backend, &long());
    assert!(log.bytes > RING_BYTES, "{log:?}");
    check(&mut backend, &small());
    assert_eq!(backend.accelerator().card().repeats(), 0);
}

#[test]
fn a_noisy_line_costs_time_only() {
    let board = Board::new(&["noise=400", "seed=3"]);
    let options = SerialOptions { deadline: Duration::from_secs(20), ..options(&board.port) };
    let mut backend = SerialBackend::open(&build(), &options).unwrap();
    check(&mut backend, &small());
    assert!(backend.accelerator().card().repeats() > 0);
}

#[test]
fn the_options_lead_to_the_board() {
    let board = Board::new(&[]);
    let card =
        CardOptions { port: Some(board.port.clone()), card_timeout: Some(120), ..CardOptions::default() };
    let options = RunOptions { card, ..RunOptions::default() };
    let mut backend = registry::open("serial", Some(&build()), &options).unwrap();
    let job = job(&small());
    let cpu = fast::run(&job, &fast::Options::default(), &mut |_| true).unwrap();
    cosim::compare(&job, &cpu, &backend.run(&job, &mut |_| true).unwrap().outcome).unwrap();
}

#[test]
fn a_stopped_run_leaves_a_board_that_works() {
    let board = Board::new(&[]);
    let mut backend = SerialBackend::open(&build(), &options(&board.port)).unwrap();
    let error = backend.run(&job(&long()), &mut |_| false).unwrap_err();
    assert!(error.to_string().contains("stopped after"), "{error}");
    check(&mut backend, &small());
    // So does a process that ended in the middle: the next one resets the board.
    drop(backend);
    check(&mut SerialBackend::open(&build(), &options(&board.port)).unwrap(), &small());
}

#[test]
fn a_board_that_falls_silent_is_named() {
    let board = Board::new(&["silent_after=400"]);
    let options = SerialOptions { deadline: Duration::from_secs(4), ..options(&board.port) };
    let mut backend = SerialBackend::open(&build(), &options).unwrap();
    let error = backend.run(&job(&small()), &mut |_| true).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(CardError::Serial { .. })), "{error}");
    let text = error.to_string();
    assert!(text.contains("no answer to a ") && text.contains(board.port.to_str().unwrap()), "{text}");
}

#[test]
fn ports_that_cannot_be_used_are_explained() {
    let refused =
        |options: &SerialOptions| format!("{:#}", SerialBackend::open(&build(), options).unwrap_err());
    let text = refused(&options(Path::new("/dev/no-such-port")));
    assert!(text.contains("serial port '/dev/no-such-port': no such port; there"), "{text}");

    let deaf = Board::new(&["silent_after=0"]);
    let short = SerialOptions { deadline: Duration::from_millis(400), ..options(&deaf.port) };
    let text = refused(&short);
    assert!(text.contains("no answer to a read") && text.contains("is the board on"), "{text}");

    let noise = Board::new(&["noise=1000000"]);
    let short = SerialOptions { deadline: Duration::from_secs(8), ..options(&noise.port) };
    let text = refused(&short);
    assert!(text.contains("no answer to") || text.contains("only damaged answers to"), "{text}");
}

#[test]
fn one_process_at_a_time_has_a_port() {
    let board = Board::new(&[]);
    let first = SerialCard::open(&options(&board.port)).unwrap();
    let error = SerialCard::open(&options(&board.port)).unwrap_err();
    assert!(error.to_string().contains("another process has the port"), "{error}");
    drop(first);
    SerialCard::open(&options(&board.port)).unwrap();
}

#[test]
fn boards_of_other_builds_are_refused() {
    let board = Board::new(&[]);
    let config = config();
    let design =
        Design { shape: config.array.clone(), hardware: config.hardware, config_hash: "0".repeat(64) };
    let card = SerialCard::open(&options(&board.port)).unwrap();
    let error = Accelerator::open(card, design, DriverOptions::default()).unwrap_err();
    assert!(matches!(error, CardError::Configuration { .. }), "{error}");
}

#[test]
fn registers_keep_what_is_written_and_memory_has_borders() {
    let board = Board::new(&[]);
    let mut card = SerialCard::open(&options(&board.port)).unwrap();
    for value in [0x0123_4567_89AB_CDEF, u64::MAX] {
        card.write(reg::SCRATCH.offset, value).unwrap();
        assert_eq!(card.read(reg::SCRATCH.offset).unwrap(), value);
    }
    let (first, second) = (card.allocate(100).unwrap(), card.allocate(8192).unwrap());
    assert_eq!((first.address, first.bytes, second.address), (0, 112, 4096));
    let bytes: Vec<u8> = (0..5000_u32).map(|i| (i * 7 + i / 256) as u8).collect();
    card.write_memory(second, 16, &bytes).unwrap();
    // Over the border of a request, and from the middle of a word.
    let mut back = vec![0; 3001];
    card.read_memory(second, 16 + 13, &mut back).unwrap();
    assert_eq!(back, bytes[13..3014]);
    assert!(card.write_memory(first, 64, &[0; 56]).is_err());
    assert!(card.read_memory(first, usize::MAX, &mut [0; 2]).is_err());
    let error = card.allocate(1 << 20).unwrap_err();
    assert!(error.to_string().contains("no room for 1048576 bytes"), "{error}");
    card.release(first).unwrap();
    assert!(card.release(first).is_err());
}
