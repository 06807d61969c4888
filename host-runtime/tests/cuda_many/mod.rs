//! Several jobs in one launch, against the specification one by one.

use crate::random_jobs::alike;
use spa_model::hash::hash_messages;
use spa_model::{Histogram, Job, spec};
use spa_runtime::backend::cuda::{Cuda, CudaError};

/// Runs jobs like `job`, job `seed` of the random ones, at once; nothing if the kernel cannot run them.
pub fn assert_equal(cuda: &Cuda, seed: u64, job: &Job) {
    let jobs = alike(seed, job, 5);
    let finished = match cuda.sample_many(&jobs.iter().collect::<Vec<_>>(), &mut |_| true) {
        Ok(finished) => finished,
        Err(CudaError::Unsupported { .. }) => return,
        Err(error) => panic!("job {seed}: {error}"),
    };
    assert_eq!(finished.len(), jobs.len());
    for (n, (job, mut got)) in jobs.iter().zip(finished).enumerate() {
        let text = format!("{:?}, job {seed}, {n} of the batch", cuda.kernel());
        let mut expected = spec::run(job).unwrap();
        assert_eq!(got.labels, expected.labels, "labels, {text}");
        let histogram = Histogram::from_messages(job, &got.messages, &got.labels).unwrap();
        assert!(histogram == expected.histogram, "histogram, {text}");
        let messages = hash_messages(&mut got.messages);
        assert_eq!(messages, hash_messages(&mut expected.messages), "messages, {text}");
    }
}
