//! A run iteration by iteration: what the label memory of an array sees.

use super::{Event, Sink};
use crate::error::Result;
use spa_model::{Job, fast};

/// Runs `job` and shows `look` the labels after every iteration; first, with iteration 0, the initial ones.
///
/// # Errors
/// [`spa_model::Error::Interrupted`] if `sink` stops it; else as [`fast::Run::new`].
pub fn follow(job: &Job, threads: usize, sink: Sink<'_>, look: &mut dyn FnMut(u32, &[u8])) -> Result<()> {
    let mut run = fast::Run::new(job, &fast::Options { threads, ..fast::Options::default() })?;
    look(0, &run.labels());
    for iteration in 1..=job.iterations() {
        if !run.advance(iteration, &mut |_| sink(Event::Iterations(1))) {
            return Err(spa_model::Error::Interrupted { iterations: run.iteration() }.into());
        }
        // The labels say all that the log says.
        run.take_messages();
        look(iteration, &run.labels());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use spa_model::job::line_vectors;
    use spa_model::{Hardware, Pair, Problem, Run, Schedule, Singleton, Start};

    fn job() -> Job {
        let problem = Problem {
            width: 7,
            height: 5,
            labels: 4,
            singleton: Singleton::Table { costs: (0..140).map(|i| i * 37 % 11).collect() },
            data_cap: 20,
            s_outside: 20,
            pair: Pair::Abs,
            pair_cap: 3,
            vectors: line_vectors(4),
            alpha: 1,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
        let schedule = Schedule::constant(3.0, 20).unwrap();
        let run = Run { schedule, burn_in: 5, seed: 3, chain: 0, start: Start::Random, cutoff: None };
        Job::new(Hardware::default(), problem, run).unwrap()
    }

    #[test]
    fn the_labels_of_all_iterations_are_the_histogram() {
        let job = job();
        let mut counts = vec![0_u16; 140];
        let mut seen = Vec::new();
        follow(&job, 1, &mut |_| true, &mut |iteration, labels| {
            seen.push((iteration, labels.to_vec()));
            if iteration > job.run().burn_in {
                labels.iter().enumerate().for_each(|(i, &l)| counts[4 * i + usize::from(l)] += 1);
            }
        })
        .unwrap();
        let outcome = spa_model::spec::run(&job).unwrap();
        assert_eq!(counts, outcome.histogram.counts());
        assert_eq!((seen.len(), seen[0].0, &seen[0].1), (21, 0, &job.initial_labels()));
        assert_eq!(seen[20].1, outcome.labels);
    }

    #[test]
    fn it_stops_when_told_to() {
        let mut left = 7;
        let stopped = follow(&job(), 1, &mut |_| (left -= 1, left > 0).1, &mut |_, _| {});
        assert!(stopped.unwrap_err().to_string().contains('7'));
    }
}
