//! Synthesis of arrays of several sizes: figures by size, a line through them, and what it says of a size far beyond.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::asic::{self, Asic};
use super::store::replace;
use super::{Flow, Synthesis};
use crate::build::Build;
use crate::config::{Config, Draft};
use crate::error::Error;
use crate::plot::{Axis, Bar, Content, Figure, Panel, Series};
use crate::report::align;
use crate::{emit, output};

/// Sizes of the dissertation (Figures 3.14 to 3.16, Table 3.3) and those between them.
pub const SIZES: &str = "1x1,2x1,4x1,8x1,16x1,1x2,2x2,4x2,8x2,16x2";
/// RVs a SPU, as in Figure 3.14.
const RVS: u64 = 1024;
/// SPEs of the size that is extrapolated, as there.
const FAR: u64 = 1024;

/// What sizes are mapped on.
#[derive(Debug, Clone)]
pub enum Target {
    /// A device family.
    Family(Flow),
    /// Cells. Power, where it is asked for, is estimated for arrays of one SPE (Figure 3.16).
    Cells(asic::Request),
}

/// Which sizes, from what.
#[derive(Debug, Clone)]
pub struct Request {
    /// SPEs and SPUs of a SPE.
    pub sizes: Vec<(u64, u64)>,
    /// Preset to start from.
    pub preset: String,
    /// What they are mapped on.
    pub target: Target,
}

/// Figures of all sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Device family or name of the cell library.
    pub target: String,
    /// Unit of `area`.
    pub unit: String,
    /// Unit of `memory`.
    pub memory_unit: String,
    /// One entry a size.
    pub points: Vec<Point>,
    /// Lines through the points.
    pub lines: Vec<Line>,
}

/// An array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// SPEs.
    pub spes: u64,
    /// SPUs a SPE.
    pub spus: u64,
    /// RVs of the array.
    pub rvs: u64,
    /// Logic of the whole design: cells without memories, or ALM or tables if no module shares one with another.
    pub area: f64,
    /// Flip-flops.
    pub ffs: u64,
    /// Bits of memory, or RAM blocks.
    pub memory: f64,
    /// Multiplier blocks; none in cells.
    pub dsp: Option<u64>,
    /// Highest clock rate by OpenSTA, in MHz.
    pub mhz: Option<f64>,
    /// Area of one SPE by part, largest first; cells only.
    pub spe: Vec<(String, f64)>,
    /// Estimated power of all SPEs by part, in mW, in the order of `spe`.
    pub spe_milliwatts: Vec<(String, f64)>,
}

/// Area as a constant and an amount a SPE, by least squares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// SPUs a SPE.
    pub spus: u64,
    /// Area of no SPE at all.
    pub base: f64,
    /// Area of one more SPE.
    pub each: f64,
    /// Largest distance of a point from the line, as a share of its area.
    pub error: f64,
    /// SPEs of the size far beyond.
    pub far_spes: u64,
    /// Its area: **extrapolated**, not synthesised.
    pub far_area_extrapolated: f64,
}

/// Generates and synthesises every size in a folder of its own below `folder`, and writes `sweep-TARGET.json` and `.svg` beside
/// them. `notice` hears what begins.
///
/// # Errors
/// Those of generating, of synthesis and of writing.
pub fn sweep(folder: &Path, request: &Request, notice: &dyn Fn(&str)) -> Result<Sweep, Error> {
    // All configurations are checked before minutes are spent.
    let configs = request.sizes.iter().map(|size| Ok((*size, config(&request.preset, *size)?)));
    let configs = configs.collect::<Result<Vec<_>, Error>>()?;
    let mut sweep = Sweep {
        target: String::new(),
        unit: String::new(),
        memory_unit: String::new(),
        points: Vec::new(),
        lines: Vec::new(),
    };
    for ((spes, spus), config) in configs {
        let path = folder.join(format!("{spes}x{spus}"));
        output::write(&path, &emit::render(&config)?, false)?;
        let build = Build::open(&path)?;
        let point = Point::new((spes, spus), config.rvs());
        match &request.target {
            Target::Family(flow) => {
                let result = super::run(&build, *flow, &mut |text| notice(text))?;
                sweep.family(*flow, &result, point);
            }
            Target::Cells(cells) => {
                let cells = asic::Request { power: cells.power && spes == 1, ..cells.clone() };
                sweep.cells(&asic::run(&build, &cells, notice)?, point);
            }
        }
    }
    sweep.lines = lines(&sweep.points);
    replace(&sweep.path(folder, "json"), &sweep)?;
    sweep.figure().write(&sweep.path(folder, "svg"))?;
    Ok(sweep)
}

fn config(preset: &str, (spes, spus): (u64, u64)) -> Result<Config, Error> {
    let mut draft = Draft::new();
    draft.preset("--preset", preset);
    draft.set("--sweep", "spe", &spes.to_string());
    draft.set("--sweep", "spus", &spus.to_string());
    draft.set("--sweep", "rvs", &(RVS * spes * spus).to_string());
    Ok(draft.finish()?)
}

/// Numbers of SPUs that there are, each once.
fn numbers_of_spus(points: &[Point]) -> BTreeSet<u64> {
    points.iter().map(|point| point.spus).collect()
}

/// Least squares for every number of SPUs that has two sizes or more.
#[allow(clippy::cast_precision_loss, reason = "numbers of SPEs are small")]
fn lines(points: &[Point]) -> Vec<Line> {
    let mut lines = Vec::new();
    for spus in numbers_of_spus(points) {
        let pairs: Vec<(f64, f64)> = points
            .iter()
            .filter(|point| point.spus == spus)
            .map(|point| (point.spes as f64, point.area))
            .collect();
        let count = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let spread: f64 = pairs.iter().map(|pair| (pair.0 - x).powi(2)).sum();
        if spread == 0.0 {
            continue;
        }
        let each = pairs.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum::<f64>() / spread;
        let base = y - each * x;
        let error =
            pairs.iter().map(|pair| ((base + each * pair.0) / pair.1 - 1.0).abs()).fold(0.0, f64::max);
        let far = base + each * FAR as f64;
        lines.push(Line { spus, base, each, error, far_spes: FAR, far_area_extrapolated: far });
    }
    lines
}

impl Point {
    fn new((spes, spus): (u64, u64), rvs: u64) -> Self {
        Self {
            spes,
            spus,
            rvs,
            area: 0.0,
            ffs: 0,
            memory: 0.0,
            dsp: None,
            mhz: None,
            spe: Vec::new(),
            spe_milliwatts: Vec::new(),
        }
    }

    fn name(&self) -> String {
        format!("{}x{}", self.spes, self.spus)
    }
}

impl Sweep {
    fn family(&mut self, flow: Flow, result: &Synthesis, point: Point) {
        flow.name().clone_into(&mut self.target);
        self.unit.clone_from(&result.units.logic);
        self.memory_unit.clone_from(&result.units.ram);
        let total = &result.total;
        self.points.push(Point {
            area: total.logic_apart.into(),
            ffs: total.area.ffs,
            memory: total.area.ram.into(),
            dsp: Some(total.area.dsp.ceil()),
            ..point
        });
    }

    #[allow(clippy::cast_precision_loss, reason = "bits of memory are far below 2^52")]
    fn cells(&mut self, result: &Asic, point: Point) {
        self.target.clone_from(&result.library);
        "area".clone_into(&mut self.unit);
        "bits".clone_into(&mut self.memory_unit);
        let milliwatts = |name: &String| {
            let watts = result.power.as_ref()?.spe.get(name)?;
            Some((name.clone(), 1000.0 * watts.sum()))
        };
        self.points.push(Point {
            area: result.total.area,
            ffs: result.total.ffs,
            memory: result.memory_bits() as f64,
            mhz: result.timing.as_ref().map(|timing| timing.mhz),
            spe: result.spe.iter().map(|part| (part.name.clone(), part.whole.area)).collect(),
            spe_milliwatts: result.spe.iter().filter_map(|part| milliwatts(&part.name)).collect(),
            ..point
        });
    }

    fn path(&self, folder: &Path, ending: &str) -> PathBuf {
        folder.join(format!("sweep-{}.{ending}", self.target))
    }

    /// As a table with a line a size, and what the lines say.
    #[must_use]
    pub fn text(&self) -> String {
        let head = [
            "size",
            "RVs",
            &self.unit,
            "FF",
            &self.memory_unit,
            "DSP",
            "MHz",
            "area of a SPE",
            "mW of a SPE",
        ];
        let mut rows = vec![head.map(ToOwned::to_owned).to_vec()];
        for point in &self.points {
            let sum = |parts: &[(String, f64)], digits: usize| {
                let sum: f64 = parts.iter().map(|part| part.1).sum();
                if parts.is_empty() { "-".to_owned() } else { format!("{sum:.digits$}") }
            };
            rows.push(vec![
                point.name(),
                point.rvs.to_string(),
                format!("{:.0}", point.area),
                point.ffs.to_string(),
                format!("{:.0}", point.memory),
                point.dsp.map_or_else(|| "-".to_owned(), |dsp| dsp.to_string()),
                point.mhz.map_or_else(|| "-".to_owned(), |mhz| format!("{mhz:.1}")),
                sum(&point.spe, 0),
                sum(&point.spe_milliwatts, 3),
            ]);
        }
        let mut text = format!(
            "{}: logic by size, without memories; power is an estimate\n\n{}\n",
            self.target,
            align(rows.iter())
        );
        for line in &self.lines {
            text += &format!(
                "{} SPUs: {:.0} and {:.0} for every SPE, all sizes within {:.1}%; {}x{} EXTRAPOLATED: {:.0} {}\n",
                line.spus,
                line.base,
                line.each,
                100.0 * line.error,
                line.far_spes,
                line.spus,
                line.far_area_extrapolated,
                self.unit
            );
        }
        text
    }

    /// Area by size, area of a SPE by part, power of a SPE by part: Figures 3.14, 3.15 and 3.16.
    fn figure(&self) -> Figure {
        let mut panels = vec![self.by_size()];
        let parts = |of: fn(&Point) -> &[(String, f64)]| {
            self.points.iter().filter(|point| point.spes == 1 && !of(point).is_empty()).collect::<Vec<_>>()
        };
        let areas = parts(|point| &point.spe);
        if !areas.is_empty() {
            panels.push(breakdown("One SPE without memories", "area", &areas, |point| &point.spe));
        }
        let powers = parts(|point| &point.spe_milliwatts);
        if !powers.is_empty() {
            let title = "One SPE without memories, estimate";
            panels.push(breakdown(title, "mW", &powers, |point| &point.spe_milliwatts));
        }
        Figure { rows: vec![panels] }
    }

    #[allow(clippy::cast_precision_loss, reason = "numbers of SPEs are small")]
    fn by_size(&self) -> Panel {
        let mut series: Vec<Series> = Vec::new();
        for spus in numbers_of_spus(&self.points) {
            let of = self.points.iter().filter(|point| point.spus == spus);
            let mut points: Vec<(f64, f64)> = of.map(|point| (point.spes as f64, point.area)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            series.push(Series::new(&format!("{spus} SPUs a SPE"), points));
        }
        Panel {
            title: format!("Logic on {}", self.target),
            x: Axis::auto("SPEs"),
            y: Axis::auto(&self.unit),
            content: Content::Lines(series),
        }
    }
}

/// Parts of less than this share of the largest bar are shown together.
const SMALL: f64 = 0.03;

fn breakdown(title: &str, unit: &str, points: &[&Point], of: fn(&Point) -> &[(String, f64)]) -> Panel {
    let value =
        |point: &Point, name: &str| of(point).iter().find(|part| part.0 == name).map_or(0.0, |part| part.1);
    let sum = |point: &Point| of(point).iter().map(|part| part.1).sum::<f64>();
    let most = points.iter().map(|point| sum(point)).fold(0.0, f64::max);
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in points.iter().flat_map(|point| of(point)) {
        let large = points.iter().any(|point| value(point, name) >= SMALL * most);
        if large && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut parts: Vec<(String, Vec<f64>)> = names
        .iter()
        .map(|name| {
            let label = if *name == "spa_spe" { "its own cells" } else { name.trim_start_matches("spa_") };
            (label.to_owned(), points.iter().map(|point| value(point, name)).collect())
        })
        .collect();
    let rest =
        points.iter().map(|point| sum(point) - names.iter().map(|name| value(point, name)).sum::<f64>());
    parts.push(("others".to_owned(), rest.collect()));
    Panel {
        title: title.to_owned(),
        x: Axis::auto("SPEs x SPUs"),
        y: Axis::auto(unit),
        content: Content::Bars {
            categories: points.iter().map(|point| point.name()).collect(),
            bars: vec![Bar::stacked(parts)],
            limit: None,
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

    use super::*;

    fn sweep(areas: &[(u64, u64, f64)]) -> Sweep {
        let points: Vec<Point> = areas
            .iter()
            .map(|(spes, spus, area)| Point {
                area: *area,
                spe: vec![
                    ("spa_spu".into(), 60.0 * *spus as f64),
                    ("spa_spe".into(), 40.0),
                    ("spa_x".into(), 1.0),
                ],
                ..Point::new((*spes, *spus), RVS * spes * spus)
            })
            .collect();
        let lines = lines(&points);
        Sweep { target: "cells".into(), unit: "area".into(), memory_unit: "bits".into(), points, lines }
    }

    #[test]
    fn a_line_goes_through_the_sizes_and_beyond() {
        let sweep = sweep(&[
            (1, 1, 110.0),
            (4, 1, 140.0),
            (16, 1, 260.0),
            (1, 2, 115.0),
            (16, 2, 415.0),
            (3, 4, 7.0),
        ]);
        let found: Vec<(u64, f64, f64)> = sweep
            .lines
            .iter()
            .map(|line| (line.spus, line.each.round(), line.far_area_extrapolated.round()))
            .collect();
        // One size of four SPUs makes no line.
        assert_eq!(found, [(1, 10.0, 10340.0), (2, 20.0, 20575.0)]);
        assert!(sweep.lines[0].error < 1e-9);
        assert!(sweep.text().contains("1024x2 EXTRAPOLATED: 20575 area"), "{}", sweep.text());
        // A point off the line is told.
        let bent = lines(
            &[(1, 10.0), (2, 30.0), (3, 30.0)].map(|(n, area)| Point { area, ..Point::new((n, 1), 1) }),
        );
        assert!((bent[0].error - 1.0 / 3.0).abs() < 0.01, "{bent:?}");
    }

    #[test]
    fn the_figure_shows_sizes_and_parts() {
        let svg = sweep(&[(1, 1, 110.0), (4, 1, 140.0), (1, 2, 115.0)]).figure().svg().unwrap();
        for text in ["1 SPUs a SPE", "2 SPUs a SPE", "its own cells", "spu", "others", "1x2"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}: {svg}");
        }
        assert!(!svg.contains("\nmW\n"));
    }

    #[test]
    fn sizes_have_the_memory_of_the_dissertation() {
        let config = config("dissertation", (4, 2)).unwrap();
        assert_eq!((config.rvs(), config.array.spes(), config.array.spus), (8192, 4, 2));
        assert!(config_fails("dissertation", (4, 3)) && config_fails("nothing", (1, 1)));
    }

    fn config_fails(preset: &str, size: (u64, u64)) -> bool {
        config(preset, size).is_err()
    }
}
