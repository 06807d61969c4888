//! Motion: cost tables, sub-pixel windows, and small motions on large pictures from large motions on small ones.

use super::Application;
use super::prepare::{Extra, Pass, Prepared, Runner, Values};
use crate::app::prepare;
use crate::blocks::{Source, map};
use crate::colour;
use crate::costs::matching::{Displacement, Matcher};
use crate::costs::planes::ColourPlane;
use crate::costs::{CostSettings, DataTerm, table};
use crate::error::{Error, Result};
use crate::formats::{self, Field};
use crate::memory;
use crate::options::RunOptions;
use crate::picture::Picture;
use crate::plan::{Inputs, Plan, Special, plan_with};
use crate::uncertainty::Scale;
use spa_model::job::window_offsets;
use spa_model::{Count, Singleton};
use spagen::Build;
use std::path::PathBuf;

/// What is made of the histogram of displacement labels.
#[derive(Debug)]
pub struct Finish {
    window: u16,
    grid: u16,
    /// In grid steps, H·W.
    base: Option<Vec<Displacement>>,
}

impl Finish {
    /// Displacements in pixels, right and down, by pixel: base plus mean of the drawn labels.
    fn vectors<C: Count>(&self, source: &dyn Source<C>) -> Result<Vec<[f32; 2]>> {
        let offsets = window_offsets(self.window);
        let step = 1.0 / f64::from(self.grid);
        let mean = |i: usize, row: &[C]| {
            let (mut sum, mut dx, mut dy) = (0_i64, 0_i64, 0_i64);
            for (o, &count) in offsets.iter().zip(row) {
                let count = i64::from(count.into());
                sum += count;
                dx += count * i64::from(o.dx);
                dy += count * i64::from(o.dy);
            }
            let base = self.base.as_ref().map_or(Displacement::default(), |base| base[i]);
            let of =
                |total: i64, base: i32| ((total as f64 / sum.max(1) as f64 + f64::from(base)) * step) as f32;
            [of(dx, base.dx), of(dy, base.dy)]
        };
        map(source, mean)
    }

    /// True if a label is a whole number of pixels.
    pub fn labels_are_pixels(&self) -> bool {
        self.grid == 1 && self.base.is_none()
    }

    /// Share of `mode` whose label lies at the edge of the window, and how far that is in pixels; none where the window lies around
    /// a motion found before, which `--levels` does.
    pub fn at_the_edge(&self, mode: &[u8]) -> Option<(f64, f32)> {
        if self.base.is_some() {
            return None;
        }
        let offsets = window_offsets(self.window);
        let radius = i32::from(self.window / 2);
        let far = |&&l: &&u8| {
            let o = offsets[usize::from(l)];
            i32::from(o.dx).abs().max(i32::from(o.dy).abs()) == radius
        };
        let share = mode.iter().filter(far).count() as f64 / mode.len().max(1) as f64;
        Some((share, radius as f32 / f32::from(self.grid)))
    }

    /// What labels measure.
    pub fn scale(&self) -> Scale {
        let step = 1.0 / f64::from(self.grid);
        let offsets = window_offsets(self.window);
        let vectors = offsets.iter().map(|o| [o.dx, o.dy].map(|d| f64::from(d) * step));
        let base = self
            .base
            .as_ref()
            .map(|base| base.iter().map(|b| [b.dx, b.dy].map(|d| f64::from(d) * step)).collect());
        Scale::Plane { vectors: vectors.collect(), base, unit: "px" }
    }

    /// Motions of `labels`, in pixels.
    pub fn field(&self, (width, height): (u32, u32), labels: &[u8]) -> Field {
        let offsets = window_offsets(self.window);
        let step = 1.0 / f32::from(self.grid);
        let vector = |(i, &l): (usize, &u8)| {
            let base = self.base.as_ref().map_or(Displacement::default(), |base| base[i]);
            let o = offsets[usize::from(l)];
            [(base.dx + i32::from(o.dx)) as f32 * step, (base.dy + i32::from(o.dy)) as f32 * step]
        };
        Field::Flow(formats::Flow::new(width, height, labels.iter().enumerate().map(vector).collect()))
    }

    /// `flow.npy`, height × width × 2, and `flow.png`, the colour wheel; its rim is the longest motion.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn extras<C: Count>(&self, plane: [u64; 2], source: &dyn Source<C>) -> Result<Vec<Extra>> {
        let vectors = self.vectors(source)?;
        let longest = vectors.iter().map(|v| libm::hypotf(v[0], v[1])).fold(1e-6, f32::max);
        // The wheel is full at a displacement of (1, 1).
        let unit = std::f64::consts::SQRT_2 / f64::from(longest);
        let colour = |v: &[f32; 2]| colour::wheel(f64::from(v[0]) * unit, f64::from(v[1]) * unit);
        let picture = Values::Colour(vectors.iter().map(colour).collect());
        let values = Values::Vectors(vectors);
        Ok(vec![
            Extra { name: "flow.npy", shape: vec![plane[0], plane[1], 2], values },
            Extra { name: "flow.png", shape: plane.to_vec(), values: picture },
        ])
    }
}

/// A picture at one of several sizes.
struct Size {
    first: ColourPlane,
    second: ColourPlane,
}

/// Prepares the job; see [`prepare::prepare`].
///
/// # Errors
/// As there; [`Error::Usage`] if the smallest size would have fewer than 8 pixels a side.
pub fn prepare(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
    run: Runner<'_>,
) -> anyhow::Result<Prepared> {
    let o = &options.application;
    let (grid, levels) = (o.grid.unwrap_or(1), o.levels.unwrap_or(1));
    let term = o.data.unwrap_or(DataTerm::Plain);
    let support = o.support.unwrap_or(0);
    let plain = plan_with(application, options, build, inputs, Special::default())?;
    let (Application::Flow { window }, Some(second)) = (&plain.application, &inputs.second) else {
        return Ok(Prepared::plain(plain));
    };
    let window = *window;
    let finish = move |base| Finish { window, grid, base };
    if options.costs.is_some() || (term == DataTerm::Plain && support == 0 && grid == 1 && levels == 1) {
        return Ok(Prepared { plan: plain, finish: prepare::Finish::Flow(finish(None)), passes: 0 });
    }
    let least = inputs.first.width.min(inputs.first.height) >> (levels - 1);
    if levels > 1 && least < 8 {
        let text = format!("levels is {levels}, but the smallest picture must have 8 pixels a side at least");
        return Err(Error::usage(format!("{text}; it would have {least}")).into());
    }
    if levels > 1 && (options.start.is_some() || options.fixed.is_some() || options.edge_weights.is_some()) {
        let text = "--start, --fixed and --edge-weights hold for one size only; leave --levels out";
        return Err(Error::usage(text).into());
    }
    let mut sizes = vec![Size { first: ColourPlane::of(&inputs.first), second: ColourPlane::of(second) }];
    for n in 1..usize::from(levels) {
        let half = Size { first: sizes[n - 1].first.half(), second: sizes[n - 1].second.half() };
        sizes.push(half);
    }
    let problem = plain.job.problem();
    memory::check_table((problem.width, problem.height), problem.labels)?;
    let settings = CostSettings {
        term,
        support,
        outside: f32::from(problem.s_outside),
        cap: f32::from(problem.data_cap),
    };
    let plan_at = |size: &Size, base: Option<Vec<Displacement>>| -> Result<(Plan, Finish)> {
        let displacements: Vec<Displacement> = window_offsets(window)
            .iter()
            .map(|o| Displacement { dx: o.dx.into(), dy: o.dy.into() })
            .collect();
        let matcher = Matcher::new(&size.first, &size.second, term, (grid, true), base.clone());
        let costs = table(&matcher, &displacements, &size.first, &settings);
        let special = Special { singleton: Some(Singleton::Table { costs }), ..Special::default() };
        let canvas = Inputs { first: canvas(&inputs.first, &size.first), second: None };
        Ok((plan_with(application, options, build, &canvas, special)?, finish(base)))
    };
    let mut base = None;
    for (n, size) in sizes.iter().enumerate().skip(1).rev() {
        let (plan, finish) = plan_at(size, base)?;
        let pass = Pass { what: "smaller size", number: sizes.len() as u32 - n as u32, of: levels.into() };
        let vectors = finish.vectors(run(&plan, pass)?.as_ref())?;
        base = Some(enlarge(&vectors, size.first.width, &sizes[n - 1].first, grid));
    }
    let (plan, finish) = plan_at(&sizes[0], base)?;
    Ok(Prepared { plan, finish: prepare::Finish::Flow(finish), passes: u32::from(levels) - 1 })
}

/// The samples of `plane`, rounded, as a picture: for sizes and contrast.
fn canvas(picture: &Picture, plane: &ColourPlane) -> Picture {
    Picture {
        path: PathBuf::from(&picture.path),
        width: plane.width as u32,
        height: plane.height as u32,
        rgb: plane.values.iter().map(|p| p.map(|v| (v + 0.5) as u8)).collect(),
    }
}

/// Motions of a picture half as large, as the base of `plane`, in grid steps: twice as long, and each where it was.
fn enlarge(vectors: &[[f32; 2]], width: usize, plane: &ColourPlane, grid: u16) -> Vec<Displacement> {
    let steps = |v: f32| (2.0 * v * f32::from(grid)).round() as i32;
    (0..plane.height)
        .flat_map(|y| (0..plane.width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let [dx, dy] = vectors[y / 2 * width + x / 2];
            Displacement { dx: steps(dx), dy: steps(dy) }
        })
        .collect()
}
