//! Fig. 3.8: how much of the memory's bandwidth the label log needs, by the number of pairs an entry has and by what makes
//! room for a new label.
//!
//! Equation 3.5: (SPUs / labels · eviction rate · bits of a message) / bandwidth < 1, with the eviction rate in messages a
//! drawn label. The largest rate of any iteration counts.

use super::scene::Case;
use super::table::Table;
use super::{Event, Report, Sink, entry, jobs, names, trace};
use crate::error::{Error, Result};
use clap::Args;
use serde_json::{Value, json};
use spa_model::Job;
use spa_model::pairs::{Entries, Eviction, Sent};
use spagen::plot::{Axis, Bar, Content, Figure, Panel};

/// Most pairs that are tried.
const PAIRS_MAX: usize = 16;
const RULES: [(Eviction, &str, &str); 2] = [
    (Eviction::LeastRecent, "least_recently_picked", "least recently picked"),
    (Eviction::LeastFrequent, "least_frequently_picked", "least frequently picked"),
];

/// The array and its memory, as Table 3.1 unless given.
#[derive(Debug, Clone, Copy, PartialEq, Args)]
pub struct Machine {
    /// SPUs of the whole array
    #[arg(long, value_name = "N", default_value_t = 2048, help_heading = "Array and memory (Table 3.1)")]
    pub spus: u32,
    /// Bits of a message
    #[arg(long, value_name = "N", default_value_t = 32, help_heading = "Array and memory (Table 3.1)")]
    pub message_bits: u32,
    /// Bits that the memory takes in a cycle
    #[arg(long, value_name = "N", default_value_t = 512, help_heading = "Array and memory (Table 3.1)")]
    pub bandwidth: u32,
    /// Largest number of pairs of an entry
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Array and memory (Table 3.1)")]
    pub pairs: usize,
}

impl Machine {
    /// Refuses what Equation 3.5 is not made for.
    ///
    /// # Errors
    /// [`spa_model::Error::Range`] names the value and what is allowed.
    pub fn check(&self) -> Result<()> {
        let positive =
            [("spus", self.spus), ("message-bits", self.message_bits), ("bandwidth", self.bandwidth)];
        for (name, value) in positive {
            if value == 0 {
                return Err(spa_model::Error::range(name, 0, "at least 1").into());
            }
        }
        if !(1..=PAIRS_MAX).contains(&self.pairs) {
            let allowed = format!("1…{PAIRS_MAX}");
            return Err(spa_model::Error::range("pairs", self.pairs, allowed).into());
        }
        Ok(())
    }

    /// Equation 3.5's left side for `rate` messages a drawn label, with `labels` labels.
    pub fn share(&self, labels: u16, rate: f64) -> f64 {
        f64::from(self.spus) / f64::from(labels) * rate * f64::from(self.message_bits)
            / f64::from(self.bandwidth)
    }
}

/// Messages of the iterations that count, for one rule and size of entry.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    evicted_most: u64,
    sent_most: u64,
    evicted: u64,
    full: u64,
    /// Those of the iteration under way.
    now: (u64, u64),
}

impl Load {
    fn count(&mut self, sent: Option<Sent>) {
        match sent {
            Some(Sent::Evicted(_)) => self.now.0 += 1,
            Some(Sent::Full(_)) => self.now.1 += 1,
            None => {}
        }
    }

    fn end_of_iteration(&mut self) {
        let (evicted, full) = std::mem::take(&mut self.now);
        self.evicted_most = self.evicted_most.max(evicted);
        self.sent_most = self.sent_most.max(evicted + full);
        self.evicted += evicted;
        self.full += full;
    }
}

/// Equation 3.5 of one rule and size of entry.
#[derive(Debug, Clone, Copy)]
struct Shares {
    /// Largest of any iteration.
    most: f64,
    /// With the counters that were full.
    most_with_full: f64,
    /// Mean over the iterations.
    mean: f64,
}

/// Runs all cases and follows their entries.
///
/// # Errors
/// [`Error`] as [`trace::follow`] and [`Machine::check`].
pub fn run(cases: &[Case], machine: &Machine, threads: usize, sink: Sink<'_>) -> anyhow::Result<Report> {
    machine.check()?;
    let jobs = jobs(cases, sink)?;
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for (case, job) in cases.iter().zip(&jobs) {
        sink(Event::Run(&case.name));
        let loads = loads(job, machine.pairs, threads, sink)?;
        let shares: Vec<Vec<Shares>> =
            loads.iter().map(|rule| rule.iter().map(|load| share(job, machine, load)).collect()).collect();
        let mut measured = json!({ "collected": job.collected(), "count_bits": job.hardware().count_bits });
        for (((_, key, _), loads), shares) in RULES.iter().zip(&loads).zip(&shares) {
            measured[*key] =
                loads.iter().zip(shares).enumerate().map(|(n, (l, s))| row(n + 1, l, s)).collect();
        }
        entries.push(entry(case, job, measured)?);
        found.push(shares);
    }
    Ok(Report {
        name: "log-bandwidth",
        figure: "3.8",
        settings: json!({
            "spus": machine.spus,
            "message_bits": machine.message_bits,
            "bandwidth_bits_per_cycle": machine.bandwidth,
            "pairs": machine.pairs,
        }),
        tables: tables(cases, machine, &found),
        plot: plot(cases, machine, &found),
        cases: entries,
        pictures: Vec::new(),
    })
}

/// What entries of 1 to `pairs` pairs send, by rule and size.
fn loads(job: &Job, pairs: usize, threads: usize, sink: Sink<'_>) -> Result<Vec<Vec<Load>>, Error> {
    let problem = job.problem();
    let free: Vec<usize> = (0..problem.rvs()).filter(|&i| !problem.is_fixed(i)).collect();
    let max = job.hardware().count_max() as u16;
    let make = |(rule, _, _): &(Eviction, _, _)| {
        (1..=pairs).map(|n| (Entries::new(problem.rvs(), n, *rule, max), Load::default())).collect()
    };
    let mut machines: Vec<Vec<(Entries, Load)>> = RULES.iter().map(make).collect();
    trace::follow(job, threads, sink, &mut |iteration, labels| {
        if iteration <= job.run().burn_in {
            return;
        }
        for (entries, load) in machines.iter_mut().flatten() {
            for &i in &free {
                load.count(entries.pick(i, labels[i]));
            }
            load.end_of_iteration();
        }
    })?;
    Ok(machines.into_iter().map(|rule| rule.into_iter().map(|(_, load)| load).collect()).collect())
}

fn share(job: &Job, machine: &Machine, load: &Load) -> Shares {
    let pixels = job.problem().free_rvs().max(1) as f64;
    let of = |messages: f64| machine.share(job.problem().labels, messages / pixels);
    Shares {
        most: of(load.evicted_most as f64),
        most_with_full: of(load.sent_most as f64),
        mean: of(load.evicted as f64 / f64::from(job.collected())),
    }
}

fn row(pairs: usize, load: &Load, shares: &Shares) -> Value {
    json!({
        "pairs": pairs,
        "equation_3_5_max": shares.most,
        "equation_3_5_max_with_full_counters": shares.most_with_full,
        "equation_3_5_mean": shares.mean,
        "evictions": load.evicted,
        "full_counters": load.full,
        "evictions_max": load.evicted_most,
        "messages_max": load.sent_most,
    })
}

fn tables(cases: &[Case], machine: &Machine, found: &[Vec<Vec<Shares>>]) -> Vec<Table> {
    let mut tables = Vec::new();
    for (r, (_, _, rule)) in RULES.iter().enumerate() {
        let mut add = |what: &str, of: fn(&Shares) -> f64| {
            let mut table = Table::new(format!("{rule}: Equation 3.5, {what}, by pairs"), names(cases));
            for n in 0..machine.pairs {
                let values: Vec<Option<f64>> = found.iter().map(|case| Some(of(&case[r][n]))).collect();
                table.row((n + 1).to_string(), &values, 4);
            }
            tables.push(table);
        };
        add("largest of any iteration", |s| s.most);
        add("mean", |s| s.mean);
        add("largest, with the counters that were full", |s| s.most_with_full);
    }
    tables
}

fn plot(cases: &[Case], machine: &Machine, found: &[Vec<Vec<Shares>>]) -> Figure {
    let panel = |(r, (_, _, rule)): (usize, &(Eviction, &str, &str))| Panel {
        title: format!("Log bandwidth, {rule}"),
        x: Axis::auto("pairs of an entry"),
        y: Axis::auto("Equation 3.5, largest of any iteration"),
        content: Content::Bars {
            categories: (1..=machine.pairs).map(|n| n.to_string()).collect(),
            bars: cases
                .iter()
                .zip(found)
                .map(|(case, shares)| Bar::plain(&case.name, shares[r].iter().map(|s| s.most).collect()))
                .collect(),
            limit: Some(("all of the bandwidth".to_string(), 1.0)),
        },
    };
    Figure { rows: vec![RULES.iter().enumerate().map(panel).collect()] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equation_3_5_by_hand() {
        let machine = Machine { spus: 2048, message_bits: 32, bandwidth: 512, pairs: 8 };
        assert_eq!(machine.share(32, 0.125), 0.5);
        assert!(machine.check().is_ok());
        assert!(Machine { pairs: 17, ..machine }.check().unwrap_err().to_string().contains("pairs is 17"));
        assert!(Machine { spus: 0, ..machine }.check().is_err());
    }

    #[test]
    fn the_largest_iteration_counts() {
        let pair = spa_model::entry::Count { label: 0, count: 1 };
        let mut load = Load::default();
        for sent in [Some(Sent::Evicted(pair)), None, Some(Sent::Full(pair)), Some(Sent::Evicted(pair))] {
            load.count(sent);
        }
        load.end_of_iteration();
        load.count(Some(Sent::Evicted(pair)));
        load.end_of_iteration();
        assert_eq!((load.evicted_most, load.sent_most, load.evicted, load.full), (2, 3, 3, 1));
    }
}
