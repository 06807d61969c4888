//! `--report`: one HTML file about one run, with everything inside: pictures, legends, the histogram of every pixel,
//! parameters, time, log. It opens without a network or a server.

mod chart;
mod counts;
mod words;

use crate::app::Application;
use crate::blocks::{Digest, Source};
use crate::error::{Error, Result};
use crate::output::replace;
use crate::panels::{Bar, Legend, Panel, Shown, panels, wheel_picture};
use crate::summary::{Summary, with_prefix};
use crate::trace::EnergyTrace;
use crate::uncertainty::Scale;
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, RgbImage};
use serde::Serialize;
use spa_model::Count;
use spagen::plot::number;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Everything that a report tells.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a, C> {
    /// The summary of the run.
    pub summary: &'a Summary,
    /// What its pictures are made of.
    pub shown: Shown<'a>,
    /// How often every label was drawn.
    pub source: &'a dyn Source<C>,
    /// What that comes to.
    pub digest: &'a Digest,
    /// Temperatures and their iterations, as people gave them.
    pub schedule: &'a [(f64, u32)],
    /// Energy, if the run collected it.
    pub trace: Option<&'a EnergyTrace>,
    /// Command line that repeats the run.
    pub command: &'a str,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    subtitle: String,
    style: &'static str,
    script: &'static str,
    figures: Vec<Figure>,
    sure: Vec<(String, String)>,
    charts: Vec<(String, String)>,
    tables: Vec<(&'static str, Vec<(String, String)>)>,
    hashes: Vec<(&'static str, &'a str)>,
    command: &'a str,
    data: String,
    step: u32,
    version: &'a str,
}

/// A picture in the page.
struct Figure {
    name: &'static str,
    title: String,
    uri: String,
    legend: String,
    pixelated: bool,
}

/// What the script needs.
#[derive(Serialize)]
struct Data<'a> {
    application: String,
    width: u32,
    height: u32,
    labels: u16,
    collected: u32,
    step: u32,
    columns: u32,
    rows: u32,
    meanings: Vec<String>,
    colours: Vec<String>,
    window: Option<u16>,
    /// Values of the labels, where they are numbers.
    values: Option<&'a [f64]>,
    /// From a label of the window to the next one, in pixels.
    pitch: f64,
    /// From a place in the first picture to its match in the second, in units of the label's meaning: −1 or 1 of stereo; 1 of
    /// motions; none where labels do not tell.
    shift: Option<i8>,
    /// Picture that the labels are of: `first` or `second`.
    reference: &'static str,
    axis: &'static str,
    histogram: String,
}

/// Writes the report of `run`; a file that was there is replaced at the end.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn write<C: Count>(path: &Path, run: &Run<'_, C>) -> Result<()> {
    let fail = |cause: String| Error::file("write report", path, cause);
    let page = page(run).map_err(fail)?;
    replace("write report", path, |out| out.write_all(page.as_bytes()))
}

/// The text of the page.
fn page<C: Count>(run: &Run<'_, C>) -> Result<String, String> {
    let summary = run.summary;
    let shown = &run.shown;
    let panels = panels(shown);
    let figures = panels.iter().map(figure).collect::<Result<Vec<_>, _>>()?;
    let packed = counts::pack(run.source, &run.digest.entries).map_err(|e| e.to_string())?;
    let palette = shown.colours(panels.iter().find(|panel| panel.name == "mode").map(|panel| &panel.legend));
    let (values, axis) = match (shown.application, shown.scale) {
        (Application::Stereo { .. }, Scale::Line { values, .. }) => {
            (Some(values.as_slice()), "disparity (px)")
        }
        (Application::Restore, Scale::Line { values, .. }) => (Some(values.as_slice()), "grey value"),
        (_, Scale::Plane { base: Some(_), .. }) => {
            (None, "motion beyond that of the smaller size (px): right, down")
        }
        (_, Scale::Plane { .. }) => (None, "motion (px): right, down"),
        _ => (None, "label"),
    };
    let reference = summary.settings.as_ref().and_then(|settings| settings.get("reference")?.as_str());
    let mirrored = reference == Some("right");
    let data = Data {
        application: summary.application.clone(),
        width: summary.width,
        height: summary.height,
        labels: summary.labels,
        collected: summary.collected(),
        step: packed.step,
        columns: packed.columns,
        rows: packed.rows,
        meanings: (0..summary.labels).map(|l| shown.meaning(l)).collect(),
        colours: palette.iter().map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}")).collect(),
        window: summary.window,
        values,
        pitch: shown.scale.step(),
        shift: match (shown.application, shown.scale) {
            (Application::Stereo { .. }, _) if mirrored => Some(1),
            (Application::Stereo { .. }, _) => Some(-1),
            (_, Scale::Plane { base: None, .. }) => Some(1),
            _ => None,
        },
        reference: if mirrored { "second" } else { "first" },
        axis,
        histogram: STANDARD.encode(&packed.bytes),
    };
    // A '<' in the data must not end its element.
    let data = serde_json::to_string(&data).map_err(|e| e.to_string())?.replace('<', "\\u003c");
    let page = Page {
        title: format!("{} {}×{}", summary.application, summary.width, summary.height),
        subtitle: format!(
            "{} labels · {}{} iterations, {} of them collected · seed {} · {}",
            summary.labels,
            match summary.chains_done() {
                _ if !summary.partial => String::new(),
                Some(chains) => format!("stopped with {chains} · "),
                None => format!("stopped after {} of ", summary.iterations_done),
            },
            summary.iterations,
            summary.collected(),
            summary.seed,
            summary.backend
        ),
        style: include_str!("../templates/report.css"),
        script: include_str!("../templates/report.js"),
        figures,
        sure: sure(&run.digest.confidence),
        charts: charts(run.schedule, run.trace, (summary.iterations, summary.burn_in)),
        tables: vec![
            ("Parameters", words::parameters(summary, run.schedule)),
            ("Time and machine", time(summary)),
            ("Label log", log(summary)),
        ],
        hashes: vec![
            ("record", &summary.record_hash),
            ("labels", &summary.hashes.labels),
            ("histogram", &summary.hashes.histogram),
            ("messages", &summary.hashes.messages),
        ],
        command: run.command,
        data,
        step: packed.step,
        version: &summary.version,
    };
    page.render().map_err(|e| e.to_string())
}

fn figure(panel: &Panel) -> Result<Figure, String> {
    let photograph = panel.legend == Legend::None;
    Ok(Figure {
        name: panel.name,
        title: panel.title.clone(),
        uri: uri(&panel.picture, photograph || panel.name == "overlay")?,
        legend: legend(&panel.legend)?,
        pixelated: panel.picture.width() < 700,
    })
}

/// The picture in the text of the page: JPEG for photographs, PNG for the rest.
fn uri(picture: &RgbImage, photograph: bool) -> Result<String, String> {
    let (width, height) = picture.dimensions();
    let mut bytes = Vec::new();
    let kind = if photograph {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, 90);
        encoder.write_image(picture, width, height, ExtendedColorType::Rgb8).map_err(|e| e.to_string())?;
        "jpeg"
    } else {
        let encoder = PngEncoder::new(&mut bytes);
        encoder.write_image(picture, width, height, ExtendedColorType::Rgb8).map_err(|e| e.to_string())?;
        "png"
    };
    Ok(format!("data:image/{kind};base64,{}", STANDARD.encode(bytes)))
}

fn legend(legend: &Legend) -> Result<String, String> {
    let mut html = String::new();
    match legend {
        Legend::None => {}
        Legend::Scale(bar) => {
            let stops: Vec<String> = (0..=24)
                .map(|n| bar.map.colour(f64::from(n) / 24.0))
                .map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"))
                .collect();
            let _ = write!(
                html,
                "<div class=\"bar\" style=\"background:linear-gradient(90deg,{})\"></div>",
                stops.join(",")
            );
            html += "<div class=\"ticks\">";
            // The unit has a line of its own.
            for (place, label) in (Bar { unit: "", ..*bar }).marks(6) {
                let _ = write!(html, "<span style=\"left:{:.2}%\">{label}</span>", 100.0 * place);
            }
            let _ = write!(html, "</div><div class=\"unit\">{}</div>", bar.unit);
        }
        Legend::Wheel { radius } => {
            let wheel = uri(&wheel_picture(96, *radius), false)?;
            let edge = number(*radius);
            let _ = write!(
                html,
                "<div class=\"wheel\"><img src=\"{wheel}\" alt=\"colour wheel\" width=\"96\" height=\"96\"><p>The colour \
                 is the direction, its strength the length. The centre stands still; the edges are {edge} px to the \
                 right, down, left and up.</p></div>"
            );
        }
        Legend::Classes(classes) => {
            html += "<ul class=\"classes\">";
            for ([r, g, b], name, share) in classes {
                let _ = write!(
                    html,
                    "<li><i style=\"background:#{r:02x}{g:02x}{b:02x}\"></i>{name} <small>{:.1}%</small></li>",
                    100.0 * share
                );
            }
            html += "</ul>";
        }
    }
    Ok(html)
}

/// How many pixels are how sure.
fn sure(confidence: &[f32]) -> Vec<(String, String)> {
    let share = |from: f32, to: f32| {
        let count = confidence.iter().filter(|&&c| c >= from && c < to).count();
        format!("{:.1}%", 100.0 * count as f64 / confidence.len().max(1) as f64)
    };
    vec![
        (share(0.95, 2.0), "certain: one label in 95% of the samples or more".to_string()),
        (share(0.5, 0.95), "likely: one label in 50 to 95%".to_string()),
        (share(0.0, 0.5), "open: no label in half of the samples".to_string()),
    ]
}

/// Captions of the charts.
const ENERGY: &str =
    "Energy of the field (alpha times the costs of the data plus beta times those of smoothness)";
const TEMPERATURE: &str = "Temperature (in the same unit as the energy)";

/// Energy, if it was collected, and temperature over the iterations.
fn charts(
    schedule: &[(f64, u32)],
    trace: Option<&EnergyTrace>,
    (total, burn_in): (u32, u32),
) -> Vec<(String, String)> {
    let mut charts = Vec::new();
    if let Some(trace) = trace.filter(|trace| trace.points.len() > 1) {
        let points: Vec<(f64, f64)> =
            trace.points.iter().map(|&(i, e)| (f64::from(i), e as f64 / trace.unit)).collect();
        charts.push((ENERGY.to_string(), chart::line(&points, total, burn_in, false)));
    }
    let mut at = 0_u32;
    let mut points = Vec::new();
    for &(temperature, iterations) in schedule {
        points.push((f64::from(at), temperature));
        at = at.saturating_add(iterations);
        points.push((f64::from(at), temperature));
    }
    if !points.is_empty() {
        charts.push((TEMPERATURE.to_string(), chart::line(&points, total, burn_in, true)));
    }
    charts
}

fn time(summary: &Summary) -> Vec<(String, String)> {
    let mut rows = vec![
        ("backend".to_string(), summary.backend.clone()),
        ("time of the run".to_string(), format!("{:.3} s", summary.wall_seconds)),
    ];
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            rows.push((name.to_string(), value));
        }
    };
    add("rate", summary.labels_per_second.map(|r| format!("{}labels/s", with_prefix(r))));
    add(
        "labels in all (pixels × labels × iterations)",
        Some(with_prefix(summary.labels_evaluated as f64).trim().to_string()),
    );
    add(
        "labels whose energy was worked out",
        Some(with_prefix(summary.labels_touched as f64).trim().to_string()),
    );
    add("array", summary.array.map(|a| format!("{}×{} SPEs of {} SPUs", a.rows, a.cols, a.spu)));
    add("cycles", summary.cycles.map(|c| c.to_string()));
    add("labels a cycle and SPU", summary.labels_per_cycle_per_spu.map(|v| format!("{v:.4}")));
    add("useful slots", summary.useful_fraction.map(|v| format!("{:.1}%", 100.0 * v)));
    add("stalled cycles", summary.stall_cycles.map(|c| c.to_string()));
    add("build", summary.build.as_ref().map(|hash| hash.chars().take(16).collect()));
    rows
}

fn log(summary: &Summary) -> Vec<(String, String)> {
    let log = &summary.log;
    let mut rows = vec![
        ("messages (a label and how often it was drawn in a row)".to_string(), log.messages.to_string()),
        ("lines of memory that hold them".to_string(), log.lines.to_string()),
        ("size".to_string(), format!("{}B", with_prefix(log.bytes as f64))),
    ];
    if log.bytes_without_log > 0 {
        rows.push((
            "size with a byte for every drawn label".to_string(),
            format!("{}B", with_prefix(log.bytes_without_log as f64)),
        ));
        let share = 100.0 * log.bytes as f64 / log.bytes_without_log as f64;
        rows.push(("share of that".to_string(), format!("{share:.1}%")));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_energy_trace_has_a_chart_of_its_own() {
        let schedule = [(20.0, 50), (1.0, 50)];
        assert_eq!(charts(&schedule, None, (100, 50)).len(), 1);
        let trace = EnergyTrace { unit: 1.0, points: vec![(0, 90_000), (50, 30_000), (99, 20_000)] };
        let charts = charts(&schedule, Some(&trace), (100, 50));
        assert_eq!(charts[0].0, ENERGY);
        assert!(charts[0].1.contains("70.0,12.0 ") && charts[0].1.contains(">80.0 k<"), "{}", charts[0].1);
        // Half of the iterations at 20, half at 1, with a step between.
        assert!(
            charts[1].1.contains("points=\"70.0,12.0 300.0,12.0 300.0,175.4 530.0,175.4\""),
            "{}",
            charts[1].1
        );
    }

    #[test]
    fn legends_name_their_ends() {
        let map = crate::colour::Map::Turbo;
        let bar = Bar { map, low: 0.0, high: 60.0, unit: "px", whole: true, beyond: false };
        let html = legend(&Legend::Scale(bar)).unwrap();
        assert!(
            html.contains(">0</span>") && html.contains("left:100.00%\">60</span>") && html.contains("px")
        );
        let html = legend(&Legend::Scale(Bar { beyond: true, ..bar })).unwrap();
        assert!(html.contains("left:100.00%\">≥ 60</span>"));
        let classes = legend(&Legend::Classes(vec![([1, 2, 3], "class 0".to_string(), 0.25)])).unwrap();
        assert!(classes.contains("#010203") && classes.contains("class 0 <small>25.0%</small>"));
        assert!(legend(&Legend::Wheel { radius: 3.0 }).unwrap().contains("the edges are 3 px"));
    }
}
