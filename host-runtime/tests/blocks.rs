//! Histograms from messages on disk, block by block: in every respect those in memory.

#![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

#[allow(dead_code, reason = "shared with other tests")]
mod random_jobs;

use spa_model::Job;
use spa_model::hash::{Hasher, hash_messages, sha256_hex};
use spa_runtime::app::Application;
use spa_runtime::backend::cpu::CpuBackend;
use spa_runtime::backend::{DrainedReport, RunReport};
use spa_runtime::blocks::{Digest, Source, Whole};
use spa_runtime::drive::{Course, drive, drive_to};
use spa_runtime::logfile::{self, Kept};
use spa_runtime::output::Output;
use spa_runtime::panels::Seen;
use spa_runtime::results::{Drawn, HISTOGRAM, HISTOGRAM_SPARSE, write_histogram};
use spa_runtime::spill::{Spill, Spilled};
use spa_runtime::uncertainty::{Scale, files};
use std::path::Path;
use std::sync::Arc;

/// Runs `job` twice: in memory, and with its messages in `folder`, in blocks of `bytes`.
fn both(job: &Job, folder: &Path, bytes: u64) -> (RunReport, DrainedReport, Spilled) {
    let mut backend = CpuBackend::new(2, None);
    let whole = drive(&mut backend, "infer", job, Course::default(), &mut |_| true).unwrap().report;
    let size = (job.problem().width, job.problem().height);
    let spill = Arc::new(Spill::new(folder, size).unwrap());
    // The energy cuts the run into pieces.
    let course = Course { trace: Some(1.0), ..Course::default() };
    let drained = drive_to(&mut backend, "infer", job, (course, &spill), &mut |_| true).unwrap();
    let report = drained.report;
    let spilled = Spilled::new(spill, job, drained.iterations, &report.labels, bytes);
    (whole, report, spilled)
}

/// All files that a histogram alone makes, by name.
fn files<C: spa_runtime::npy::Counted>(
    source: &dyn Source<C>,
    application: &Application,
    scale: &Scale,
) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let output = Output::prepare::<&str>(&folder.path().join("out"), &[]).unwrap();
    let digest = Digest::of(source, None).unwrap();
    let boundaries = *application == Application::Segment;
    let question = files::Question { source, scale, share: 0.8, boundaries, sampled: None };
    let overview = files::write(&output, &question).unwrap();
    let drawn = Drawn { source, digest: &digest };
    for name in [HISTOGRAM, HISTOGRAM_SPARSE] {
        write_histogram(&output, application, &drawn, name).unwrap();
    }
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(output.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    let seen = Seen::of(source, (application, scale, 0.8), None).unwrap();
    files.push(("what is seen".to_string(), format!("{overview:?} {seen:?} {digest:?}").into_bytes()));
    files
}

#[test]
fn blocks_from_disk_are_the_histogram_in_memory() {
    let temp = tempfile::tempdir().unwrap();
    let mut cut = 0;
    for seed in 0..120 {
        let job = if seed % 2 == 0 { random_jobs::any(seed) } else { random_jobs::common(seed) };
        let bytes = [0, 1000, 20_000, u64::MAX][seed as usize / 2 % 4];
        let (mut whole, report, spilled) = both(&job, temp.path(), bytes);
        let outcome = &mut whole.outcome;
        assert_eq!(report.labels, outcome.labels, "seed {seed}");
        assert_eq!((report.labels_touched, report.log), (outcome.labels_touched, whole.log), "seed {seed}");
        // Counts, and the row below each block.
        let (mut counts, mut blocks) = (Vec::new(), 0);
        let row = job.problem().width as usize * usize::from(job.problem().labels);
        spilled
            .each(&mut |block| {
                blocks += 1;
                counts.extend_from_slice(block.counts());
                let below = block.rvs().map(|(i, _)| i + job.problem().width as usize);
                let below: Vec<u16> = below.flat_map(|i| block.rv(i).to_vec()).collect();
                let after = &outcome.histogram.counts()[row.min(counts.len())..];
                let from = counts.len() - block.counts().len();
                assert_eq!(below, after[from..][..below.len()], "seed {seed}");
                let rows = block.counts().len() / row;
                let last = usize::from(counts.len() == outcome.histogram.counts().len());
                assert_eq!(below.len(), (rows - last) * row, "seed {seed}");
                Ok(())
            })
            .unwrap();
        cut += usize::from(blocks > 1);
        assert_eq!(counts, outcome.histogram.counts(), "seed {seed}");
        // Hashes, with messages in their order.
        let mut hasher = Hasher::default();
        Digest::of(&spilled, Some(&mut hasher)).unwrap();
        assert_eq!(hasher.finish(), outcome.histogram.hash(), "seed {seed}");
        let hash = hash_messages(&mut outcome.messages);
        assert_eq!(spilled.hash_messages().unwrap(), hash, "seed {seed}");
        let mut messages = Vec::new();
        spilled
            .each_messages(&mut |part| {
                messages.extend_from_slice(part);
                Ok(())
            })
            .unwrap();
        assert_eq!(messages, outcome.messages, "seed {seed}");
        // The log that is kept reads the same.
        let iterations = job.iterations();
        let log = |kept| {
            let path = temp.path().join("log");
            let run = logfile::Run { labels: &report.labels, kept, messages: (messages.len() as u64, &hash) };
            logfile::write(&path, "infer", (&job, iterations), None, &run).unwrap();
            sha256_hex(&std::fs::read(&path).unwrap())
        };
        assert_eq!(log(Kept::Disk(&spilled)), log(Kept::Memory(&outcome.messages)), "seed {seed}");
        assert_eq!(logfile::read(&temp.path().join("log")).unwrap().histogram, outcome.histogram);
    }
    assert!(cut > 40, "only {cut} of the jobs had several blocks");
}

#[test]
fn files_from_disk_are_those_from_memory() {
    let temp = tempfile::tempdir().unwrap();
    for seed in 0..24 {
        let job = random_jobs::common(seed);
        let (whole, _, spilled) = both(&job, temp.path(), [0, 9000][seed as usize % 2]);
        let labels = job.problem().labels;
        let (application, scale) = match seed % 3 {
            0 => (Application::Segment, Scale::Names),
            1 => (Application::Stereo { dmin: -2 }, Scale::line(labels, "px", |l| f64::from(l) - 2.0)),
            _ => (
                Application::Infer,
                Scale::Plane {
                    vectors: (0..labels).map(|l| [f64::from(l % 7), f64::from(l / 7)]).collect(),
                    base: Some((0..job.problem().rvs()).map(|i| [i as f64, -0.5]).collect()),
                    unit: "px",
                },
            ),
        };
        let size = (job.problem().width, job.problem().height);
        let expected = files(&Whole::of(size, &whole.outcome.histogram), &application, &scale);
        let found = files(&spilled, &application, &scale);
        assert!(expected.len() >= 10, "{}", expected.len());
        for ((name, expected), (also, found)) in expected.iter().zip(&found) {
            assert_eq!(name, also);
            assert!(expected == found, "seed {seed}: {name}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_leaves_the_messages_of_its_iterations() {
    let temp = tempfile::tempdir().unwrap();
    let job = random_jobs::common(11);
    let size = (job.problem().width, job.problem().height);
    let stop = job.run().burn_in + 1;
    let mut backend = CpuBackend::new(1, None);
    let course = || Course { trace: Some(1.0), ..Course::default() };
    let whole = drive(&mut backend, "infer", &job, course(), &mut |now| now.iteration < stop).unwrap();
    let spill = Arc::new(Spill::new(temp.path(), size).unwrap());
    let part =
        drive_to(&mut backend, "infer", &job, (course(), &spill), &mut |now| now.iteration < stop).unwrap();
    assert_eq!(part.iterations, whole.iterations);
    let spilled = Spilled::new(spill, &job, part.iterations, &part.report.labels, 0);
    let mut hasher = Hasher::default();
    Digest::of(&spilled, Some(&mut hasher)).unwrap();
    assert_eq!(hasher.finish(), whole.report.outcome.histogram.hash());
}
