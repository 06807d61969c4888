//! Fig. 3.2: how many different labels a pixel takes once the run has warmed up.

use super::scene::Case;
use super::table::Table;
use super::{Event, Report, Sink, entry, jobs, names, percent, sample};
use serde_json::json;
use spa_model::Histogram;
use spagen::plot::{Axis, Content, Figure, Panel, Series};

/// Runs all cases and counts.
///
/// # Errors
/// As [`super::sample`].
pub fn run(cases: &[Case], threads: usize, sink: Sink<'_>) -> anyhow::Result<Report> {
    let jobs = jobs(cases, sink)?;
    let mut found = Vec::new();
    let mut entries = Vec::new();
    for (case, job) in cases.iter().zip(&jobs) {
        sink(Event::Run(&case.name));
        let cumulative = cumulative(&sample(job, threads, sink)?.histogram);
        let more_than_two = 100.0 - cumulative.get(1).copied().unwrap_or(100.0);
        entries.push(entry(
            case,
            job,
            json!({ "collected": job.collected(), "cumulative_percent": cumulative, "more_than_two_percent": more_than_two }),
        )?);
        found.push(cumulative);
    }
    Ok(Report {
        name: "labels",
        figure: "3.2",
        settings: json!({}),
        tables: vec![table(cases, &found)],
        plot: plot(cases, &found),
        cases: entries,
        pictures: Vec::new(),
    })
}

/// Percent of the pixels with at most n + 1 different labels, n = 0…L − 1.
fn cumulative(histogram: &Histogram) -> Vec<f64> {
    let labels = histogram.labels();
    let mut pixels = vec![0_u64; labels];
    let rows = histogram.counts().chunks_exact(labels);
    let all = rows.len() as u64;
    for row in rows {
        // Every pixel was counted at least once.
        pixels[row.iter().filter(|&&count| count > 0).count().max(1) - 1] += 1;
    }
    let mut sum = 0;
    pixels
        .iter()
        .map(|&count| {
            sum += count;
            percent(sum, all)
        })
        .collect()
}

/// Different labels at which all shares are 100.
fn last(found: &[Vec<f64>]) -> usize {
    let needed = |shares: &Vec<f64>| shares.iter().position(|&s| s >= 100.0).unwrap_or(shares.len() - 1) + 1;
    found.iter().map(needed).max().unwrap_or(1)
}

fn table(cases: &[Case], found: &[Vec<f64>]) -> Table {
    let mut table = Table::new("pixels with at most n different labels, %", names(cases));
    for n in (1..=10).chain([15, 20, 30, 40, 50, 100, 200]).filter(|&n| n <= last(found)) {
        let of = |shares: &Vec<f64>| Some(shares.get(n - 1).copied().unwrap_or(100.0));
        table.row(n.to_string(), &found.iter().map(of).collect::<Vec<_>>(), 2);
    }
    let more = |shares: &Vec<f64>| Some(100.0 - shares.get(1).copied().unwrap_or(100.0));
    table.row("more than two", &found.iter().map(more).collect::<Vec<_>>(), 2);
    table
}

fn plot(cases: &[Case], found: &[Vec<f64>]) -> Figure {
    let last = last(found).max(2);
    let series = cases
        .iter()
        .zip(found)
        .map(|(case, shares)| {
            let share = |n: usize| shares.get(n - 1).copied().unwrap_or(100.0);
            Series::new(&case.name, (1..=last).map(|n| (n as f64, share(n))).collect())
        })
        .collect();
    Figure::one(Panel {
        title: "Pixels by their number of different labels".to_string(),
        x: Axis::range("different labels", 1.0, last as f64),
        y: Axis::range("pixels with at most so many, %", 0.0, 100.0),
        content: Content::Lines(series),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spa_model::Message;

    #[test]
    fn shares_add_up_to_all_pixels() {
        let picks = [(0, 0, 4), (1, 2, 3), (1, 0, 1), (2, 0, 1), (2, 1, 1), (2, 2, 2), (3, 1, 4)];
        let messages = picks.map(|(rv, label, count)| Message { rv, label, count });
        let histogram = Histogram::collect((2, 2, 3), 4, |_| None, messages).unwrap();
        assert_eq!(cumulative(&histogram), [50.0, 75.0, 100.0]);
        assert_eq!(last(&[vec![50.0, 100.0, 100.0], vec![100.0; 3]]), 2);
    }
}
