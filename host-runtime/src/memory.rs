//! How much memory a run takes, how much there is, and where its histogram is kept (docs/big.md).

use crate::error::{Error, Result};
use crate::summary::with_prefix;
use spa_model::fast::{self, memory};
use spa_model::{Job, Message};
use std::path::PathBuf;

/// Bytes a pixel of what is written of a histogram, at the most: mode, confidence, means, a picture.
const RESULTS: u64 = 24;
/// Bytes of the program, its buffers and the pictures of the figure.
const BASE: u64 = 64 << 20;
/// A block of rows takes this part of the memory that a run may take.
const BLOCK: u64 = 64;
/// Messages of a RV at the end of a run that is kept in memory, at least, and room for their array to grow.
const MESSAGES: u64 = 2;

/// Memory that a run may take unless people say otherwise: 2 GB.
pub const LIMIT: u64 = 2_000_000_000;

/// Where the histogram of a run is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// As a whole in memory.
    Memory,
    /// Its messages on disk.
    Disk,
}

/// What a run may take, and where it puts what does not fit.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Bytes of memory.
    pub limit: u64,
    /// Folder of temporary files.
    pub folder: PathBuf,
    /// Why messages cannot go to disk; none if they can.
    pub refused: Option<String>,
}

impl Budget {
    /// Where the histogram of `job` is to be kept.
    ///
    /// # Errors
    /// [`Error::Memory`] if this machine has too little memory for the job.
    pub fn place(&self, job: &Job) -> Result<Place> {
        self.place_with(job, available())
    }

    fn place_with(&self, job: &Job, available: Option<u64>) -> Result<Place> {
        let there = available.unwrap_or(u64::MAX);
        let (whole, disk) = (in_memory(job, self.limit), on_disk(job, self.limit));
        if whole <= self.limit.min(there) {
            return Ok(Place::Memory);
        }
        let problem = job.problem();
        let what = || format!("a run of {}x{} with {} labels", problem.width, problem.height, problem.labels);
        match &self.refused {
            None if disk <= there => Ok(Place::Disk),
            None => {
                let remedy = "fewer labels, or a smaller picture, need less".to_string();
                Err(Error::Memory { what: what(), needed: disk, available: there, remedy })
            }
            // As ever, while the machine has it.
            Some(_) if whole <= there => Ok(Place::Memory),
            Some(why) => {
                let remedy =
                    format!("{}B would do with its messages on disk, but {why}", with_prefix(disk as f64));
                Err(Error::Memory { what: what(), needed: whole, available: there, remedy })
            }
        }
    }

    /// Bytes of a block of rows.
    pub fn block(&self) -> u64 {
        self.limit / BLOCK
    }
}

/// Bytes that a table of costs may take: beyond, they are made on the way.
pub fn cost_bytes(limit: u64) -> usize {
    usize::try_from(limit / 2).unwrap_or(usize::MAX)
}

/// Bytes that the run itself takes.
fn of_run(job: &Job, limit: u64) -> u64 {
    memory::of_run(job, &fast::Options { cost_bytes: cost_bytes(limit), ..fast::Options::default() })
}

/// Bytes that `job` takes where its histogram is kept as a whole and a run may take `limit`: at least, for messages are not
/// known before.
pub fn in_memory(job: &Job, limit: u64) -> u64 {
    let rvs = job.problem().rvs() as u64;
    let histogram = rvs * u64::from(job.problem().labels) * size_of::<u16>() as u64;
    let messages = MESSAGES * rvs * size_of::<Message>() as u64;
    BASE + memory::of_job(job) + messages + of_run(job, limit).max(histogram + RESULTS * rvs)
}

/// Bytes that it takes where its messages go to disk.
pub fn on_disk(job: &Job, limit: u64) -> u64 {
    BASE + memory::of_job(job) + of_run(job, limit).max(limit / BLOCK + RESULTS * job.problem().rvs() as u64)
}

/// Refuses a table of the costs of a field of `size` (width, height) where there is too little memory for it.
///
/// # Errors
/// [`Error::Memory`].
pub fn check_table((width, height): (u32, u32), labels: u16) -> Result<()> {
    let needed = u64::from(width) * u64::from(height) * u64::from(labels) * size_of::<u16>() as u64;
    match available() {
        Some(available) if available < needed => {
            let what = format!("a table of costs ({width}x{height}x{labels})");
            let remedy = "without --data, --support, --grid, --levels, --mask, '--occlusion fill' and '--preset best' costs are \
                          made on the way";
            Err(Error::Memory { what, needed, available, remedy: remedy.to_string() })
        }
        _ => Ok(()),
    }
}

/// Bytes that this process may still take: what the machine has, what the container may have, what `ulimit -v` leaves. None
/// where the system does not tell.
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable:"));
    let container = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    let taken = read("/proc/self/status").and_then(|text| kilobytes(&text, "VmSize:")).unwrap_or(0);
    let space = read("/proc/self/limits").and_then(|text| address_space(&text));
    [machine, container, space.map(|space| space.saturating_sub(taken))].into_iter().flatten().min()
}

/// The number after `key`, in kilobytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The soft limit of the address space; none if it is unlimited.
fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spa_model::job::line_vectors;
    use spa_model::{Difference, Hardware, Pair, Problem, Run, Schedule, Singleton, Start};

    /// A megapixel with 64 labels.
    fn job() -> Job {
        let (width, height, labels) = (1000, 1000, 64);
        let first = vec![0; 1_000_000];
        let problem = Problem {
            width,
            height,
            labels,
            singleton: Singleton::Values { form: Difference::Abs, first, values: vec![0; 64] },
            data_cap: 255,
            s_outside: 255,
            pair: Pair::Abs,
            pair_cap: 2,
            vectors: line_vectors(labels),
            alpha: 1,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
        let run = Run {
            schedule: Schedule::constant(4.0, 300).unwrap(),
            burn_in: 0,
            seed: 3,
            chain: 0,
            start: Start::Zero,
            cutoff: None,
        };
        Job::new(Hardware::default(), problem, run).unwrap()
    }

    #[test]
    fn runs_go_to_disk_where_they_must() {
        let job = job();
        let budget = |limit, refused: Option<&str>| Budget {
            limit,
            folder: PathBuf::new(),
            refused: refused.map(ToString::to_string),
        };
        let histogram = 128_000_000;
        assert!((histogram + 64_000_000..histogram + 200_000_000).contains(&in_memory(&job, LIMIT)));
        // Without the table of costs.
        assert!(on_disk(&job, 100_000_000) < 130_000_000);
        let place = |budget: Budget, there| budget.place_with(&job, there);
        assert_eq!(place(budget(LIMIT, None), None).unwrap(), Place::Memory);
        assert_eq!(place(budget(200_000_000, None), None).unwrap(), Place::Disk);
        assert_eq!(place(budget(LIMIT, None), Some(200_000_000)).unwrap(), Place::Disk);
        assert_eq!(place(budget(1000, Some("no")), Some(LIMIT)).unwrap(), Place::Memory);
        let text = |budget, there| place(budget, Some(there)).unwrap_err().to_string();
        let refused = text(budget(LIMIT, Some("this is a test")), 150_000_000);
        assert!(refused.starts_with("a run of 1000x1000 with 64 labels needs about 2"), "{refused}");
        assert!(refused.contains("MB of memory, but 150 MB are available; "), "{refused}");
        assert!(refused.ends_with("would do with its messages on disk, but this is a test"), "{refused}");
        assert!(text(budget(1000, None), 50_000_000).contains("but 50.0 MB are available; fewer labels"));
    }

    #[test]
    fn what_the_system_tells_is_understood() {
        let info = "MemTotal:       24000000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(kilobytes(info, "MemAvailable:"), Some(1_024_000));
        assert_eq!(kilobytes(info, "VmSize:"), None);
        let limits = |soft: &str| {
            format!("Max locked memory   1  1  bytes\nMax address space         {soft}  unlimited  bytes\n")
        };
        assert_eq!(address_space(&limits("409600000")), Some(409_600_000));
        assert_eq!(address_space(&limits("unlimited")), None);
        #[cfg(target_os = "linux")]
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
