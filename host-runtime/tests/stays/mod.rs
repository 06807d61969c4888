//! How many RVs a kernel updates that leaves out those whose random words draw the same label again.

use spa_model::hash::hash_messages;
use spa_model::weights::WeightTable;
use spa_model::{Job, spec};
use spa_runtime::backend::Backend as _;
use spa_runtime::backend::cpu::CpuBackend;
use spa_runtime::backend::cuda::Cuda;

/// Updates of `job`: at least as many as could not be left out, at most as many as are awake without a look at random words (but for those
/// on the border of the field, whose group may stand for neighbours that are missing).
struct Bounds {
    least: u64,
    most: u64,
}

fn bounds(job: &Job) -> Bounds {
    let (problem, run, hardware) = (job.problem(), job.run(), job.hardware());
    let (width, height) = (problem.width, problem.height);
    let tables: Vec<WeightTable> = run
        .schedule
        .steps()
        .iter()
        .map(|step| WeightTable::new(hardware, step.temperature, run.cutoff))
        .collect();
    let backend = CpuBackend::default();
    let mut session = backend.start(job, None).unwrap();
    let mut labels = job.initial_labels();
    // Whether other labels lived, and whether it changed, when the RV was looked at last.
    let (mut open, mut changed) = (vec![true; problem.rvs()], vec![false; problem.rvs()]);
    let mut bounds = Bounds { least: 0, most: 0 };
    let mut before = None;
    for (iteration, entry) in run.schedule.entry_of_iterations().enumerate() {
        session.advance(iteration as u32 + 1, &mut |_| true).unwrap();
        let after = session.labels().unwrap();
        for colour in [0, 1] {
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let i = (y * width + x) as usize;
                if (x + y) % 2 != colour || problem.is_fixed(i) {
                    continue;
                }
                let energies = spec::energies(job, &labels, x, y);
                let least = energies.iter().copied().min().unwrap();
                let live = energies.iter().filter(|&&e| tables[entry].weight(e - least) > 0).count();
                let changes = after[i] != labels[i];
                let touched = before.is_none() || spec::neighbours(width, height, x, y).any(|n| changed[n]);
                let others = open[i] && before != Some(entry);
                bounds.least += u64::from(touched || others || changes);
                bounds.most += u64::from(touched || open[i]);
                open[i] = live > 1;
                changed[i] = changes;
                labels[i] = after[i];
            }
        }
        before = Some(entry);
    }
    bounds
}

/// `card` has the kernel of dealt groups.
pub fn assert_few_are_updated(card: &Cuda, seed: u64, job: &Job) {
    let mut got = card.sample(job, &mut |_| true).unwrap();
    let mut expected = spec::run(job).unwrap();
    assert_eq!(got.labels, expected.labels, "job {seed}");
    assert_eq!(hash_messages(&mut got.messages), hash_messages(&mut expected.messages), "job {seed}");
    let bounds = bounds(job);
    let updated = got.touched / u64::from(job.problem().labels);
    let text = format!("job {seed}: {updated} updates, {} to {}", bounds.least, bounds.most);
    assert!((bounds.least..=bounds.most).contains(&updated), "{text}");
    // A tenth of all can be left out, and half of that is, at least: words are looked at by their top bits only.
    assert!(10 * (bounds.most - bounds.least) > bounds.most, "{text}");
    assert!(bounds.most - updated >= (bounds.most - bounds.least) / 2, "{text}");
}
