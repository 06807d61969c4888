//! Stereo: either view as the reference, cost tables, sub-pixel disparities, occlusions.

use super::Application;
use super::prepare::{Extra, Pass, Prepared, Runner, Values, mean_labels, tabulate};
use crate::app::prepare;
use crate::blocks::{Source, map};
use crate::costs::matching::{Displacement, Matcher};
use crate::costs::planes::ColourPlane;
use crate::costs::{CostSettings, DataTerm, table};
use crate::error::Result;
use crate::formats::{Disparity, Field};
use crate::memory;
use crate::options::RunOptions;
use crate::options::application::{Occlusion, Side};
use crate::picture::Picture;
use crate::plan::{Inputs, Plan, Special, plan_with};
use crate::uncertainty::Scale;
use spa_model::histogram::mode_of;
use spa_model::job::stereo_offsets;
use spa_model::{Count, Difference, Offset, Singleton, Start};
use spagen::Build;

/// Distance, in pixels of disparity, at which the prior of an occluded pixel is at its most.
const FILL_REACH: u32 = 5;

/// Which part of the data cap that is. Nothing was seen of such a pixel: its prior has to decide between equals, and to leave the
/// answer as unsure as it is ("Risk and coverage" in docs/quality.md has both).
const FILL_PART: u16 = 8;

/// What is made of the histogram of disparity labels.
#[derive(Debug)]
pub struct Finish {
    dmin: f32,
    grid: u16,
    occluded: Occluded,
}

/// Pixels that the other view does not see.
#[derive(Debug)]
enum Occluded {
    /// Not asked for.
    Unknown,
    /// Found before the last run.
    Known(Vec<bool>),
    /// To be found from the labels of the other view.
    Against(View),
}

/// Labels of the other view and how the two views lie.
#[derive(Debug)]
struct View {
    labels: Vec<u8>,
    geometry: Geometry,
}

/// Where labels point: both views share width, least disparity and grid.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    width: usize,
    dmin: i32,
    grid: i32,
    reference: Side,
}

impl Geometry {
    /// Column in the other view of column `x` at label `l`, if inside.
    fn other(self, x: usize, l: u8) -> Option<usize> {
        // Rounded to the nearest pixel; halves towards less disparity.
        let steps = self.dmin * self.grid + i32::from(l);
        let d = (2 * steps + self.grid - 1).div_euclid(2 * self.grid);
        let x = x as i32 + if self.reference == Side::Left { -d } else { d };
        usize::try_from(x).ok().filter(|&x| x < self.width)
    }

    /// True where `other` has a disparity more than a pixel off, or does not reach.
    fn occluded(self, own: &[u8], other: &[u8]) -> Vec<bool> {
        let seen = |(i, &l): (usize, &u8)| {
            let (row, x) = (i - i % self.width, i % self.width);
            self.other(x, l)
                .is_some_and(|x| i32::from(other[row + x]).abs_diff(i32::from(l)) <= self.grid as u32)
        };
        own.iter().enumerate().map(|place| !seen(place)).collect()
    }
}

/// Fills what is occluded with the farther one of the nearest labels left and right.
fn fill_rows(labels: &[u8], occluded: &[bool], width: usize) -> Vec<u8> {
    let mut out = labels.to_vec();
    for (row, mask) in out.chunks_exact_mut(width).zip(occluded.chunks_exact(width)) {
        let mut x = 0;
        while x < width {
            if !mask[x] {
                x += 1;
                continue;
            }
            let end = (x..width).find(|&x| !mask[x]).unwrap_or(width);
            let left = x.checked_sub(1).map(|x| row[x]);
            let right = row.get(end).copied();
            if let Some(label) = left.into_iter().chain(right).min() {
                row[x..end].fill(label);
            }
            x = end;
        }
    }
    out
}

/// Costs that grow with the distance from `label`, up to `most` at `reach` labels.
fn prior(row: &mut [u16], label: u8, reach: u32, most: u16) {
    for (l, cost) in (0..).zip(row) {
        let distance = u32::from(label).abs_diff(l).min(reach);
        *cost = (u32::from(most) * distance / reach.max(1)) as u16;
    }
}

/// Prepares the job; see [`prepare::prepare`].
///
/// # Errors
/// As there.
pub fn prepare(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
    run: Runner<'_>,
) -> anyhow::Result<Prepared> {
    let o = &options.application;
    let reference = o.reference.unwrap_or_default();
    let occlusion = o.occlusion.unwrap_or(Occlusion::Ignore);
    let planner = Planner { application, options, build, inputs };
    let own = planner.plan(reference)?;
    let Application::Stereo { dmin } = own.application else { return Ok(Prepared::plain(own)) };
    let geometry = Geometry {
        width: own.job.problem().width as usize,
        dmin: dmin.into(),
        grid: o.grid.unwrap_or(1).into(),
        reference,
    };
    let finish =
        |occluded| prepare::Finish::Stereo(Finish { dmin: dmin.into(), grid: o.grid.unwrap_or(1), occluded });
    if occlusion == Occlusion::Ignore {
        return Ok(Prepared { plan: own, finish: finish(Occluded::Unknown), passes: 0 });
    }
    if occlusion == Occlusion::Fill {
        // Before the runs that it needs.
        memory::check_table((own.job.problem().width, own.job.problem().height), own.job.problem().labels)?;
    }
    let other_side = if reference == Side::Left { Side::Right } else { Side::Left };
    // Weights of a file belong to the edges of the reference.
    let without = RunOptions { edge_weights: None, ..options.clone() };
    let other = Planner { options: &without, ..planner }.plan(other_side)?;
    let mode = |source: Box<dyn Source<u16>>| map(source.as_ref(), |_, counts| mode_of(counts));
    let of = if occlusion == Occlusion::Fill { 3 } else { 2 };
    let other = mode(run(&other, Pass { what: "other view", number: 1, of })?)?;
    if occlusion == Occlusion::Check {
        let view = View { labels: other, geometry };
        return Ok(Prepared { plan: own, finish: finish(Occluded::Against(view)), passes: 1 });
    }
    let labels = mode(run(&own, Pass { what: "first labels", number: 2, of })?)?;
    let occluded = geometry.occluded(&labels, &other);
    let filled = fill_rows(&labels, &occluded, geometry.width);
    let mut costs = tabulate(&own)?;
    let rows = costs.chunks_exact_mut(own.job.problem().labels.into());
    for ((row, &label), _) in rows.zip(&filled).zip(&occluded).filter(|(_, o)| **o) {
        prior(row, label, FILL_REACH * geometry.grid as u32, own.job.problem().data_cap / FILL_PART);
    }
    let special = Special {
        singleton: Some(Singleton::Table { costs }),
        start: Some(Start::Labels(filled)),
        ..Special::default()
    };
    let plan = match (reference, &inputs.second) {
        (Side::Right, Some(second)) => {
            let mirrored = Inputs { first: second.clone(), second: Some(inputs.first.clone()) };
            plan_with(application, options, build, &mirrored, special)?
        }
        _ => plan_with(application, options, build, inputs, special)?,
    };
    Ok(Prepared { plan, finish: finish(Occluded::Known(occluded)), passes: 2 })
}

#[derive(Clone, Copy)]
struct Planner<'a> {
    application: &'a Application,
    options: &'a RunOptions,
    build: Option<&'a Build>,
    inputs: &'a Inputs,
}

impl Planner<'_> {
    /// The job with `reference` as its picture.
    fn plan(&self, reference: Side) -> Result<Plan> {
        let Some(second) = &self.inputs.second else {
            return plan_with(self.application, self.options, self.build, self.inputs, Special::default());
        };
        let pair = match reference {
            Side::Left => [&self.inputs.first, second],
            Side::Right => [second, &self.inputs.first],
        };
        // The plain plan checks sizes and ranges, and is all there is to do for the plain term on the left.
        let plain = plan_with(self.application, self.options, self.build, self.inputs, Special::default())?;
        let o = &self.options.application;
        let term = o.data.unwrap_or(DataTerm::Plain);
        let (support, grid) = (o.support.unwrap_or(0), o.grid.unwrap_or(1));
        let own_costs = self.options.costs.is_some();
        let needs_table = term != DataTerm::Plain || support > 0 || grid > 1;
        if own_costs || (!needs_table && reference == Side::Left) {
            return Ok(plain);
        }
        let Application::Stereo { dmin } = plain.application else { return Ok(plain) };
        let problem = plain.job.problem();
        let labels = problem.labels;
        let singleton = if needs_table {
            memory::check_table((problem.width, problem.height), labels)?;
            let settings = CostSettings {
                term,
                support,
                outside: f32::from(problem.s_outside),
                cap: f32::from(problem.data_cap),
            };
            Singleton::Table { costs: stereo_table(pair, (dmin, labels), (grid, reference), &settings) }
        } else {
            let bits = plain.job.hardware().singleton_bits;
            let form = match &problem.singleton {
                Singleton::Pixels { form, .. } => *form,
                _ => Difference::Abs,
            };
            // Seen from the right, the left view is `d` to the right.
            let last = i32::from(dmin) + i32::from(labels) - 1;
            if last > 2047 {
                let allowed = format!("at most {} with {labels} labels", 2048 - i32::from(labels));
                return Err(spa_model::Error::range("dmin", dmin, allowed).into());
            }
            let mirrored = |o: Offset| Offset { dx: -o.dx, dy: 0 };
            Singleton::Pixels {
                form,
                first: pair[0].grey(bits),
                second: pair[1].grey(bits),
                offsets: stereo_offsets(labels, dmin).into_iter().map(mirrored).collect(),
            }
        };
        let special = Special { singleton: Some(singleton), ..Special::default() };
        // Contrast is that of the reference.
        let [first, second] = pair.map(Clone::clone);
        let inputs = Inputs { first, second: Some(second) };
        plan_with(self.application, self.options, self.build, &inputs, special)
    }
}

/// Cost table of a pair, the reference first; labels are `grid` to the pixel, the first one is disparity `dmin`.
pub fn stereo_table(
    [reference, other]: [&Picture; 2],
    (dmin, labels): (i16, u16),
    (grid, side): (u16, Side),
    settings: &CostSettings,
) -> Vec<u16> {
    let (reference, other) = (ColourPlane::of(reference), ColourPlane::of(other));
    let sign = if side == Side::Left { -1 } else { 1 };
    let displacements: Vec<Displacement> = (0..i32::from(labels))
        .map(|l| Displacement { dx: sign * (l + i32::from(dmin) * i32::from(grid)), dy: 0 })
        .collect();
    let matcher = Matcher::new(&reference, &other, settings.term, (grid, false), None);
    table(&matcher, &displacements, &reference, settings)
}

impl Finish {
    /// True if a label is a whole number of pixels.
    pub fn labels_are_pixels(&self) -> bool {
        self.grid == 1
    }

    /// What labels measure.
    pub fn scale(&self, labels: u16) -> Scale {
        Scale::line(labels, "px", |l| self.disparity(l))
    }

    /// Disparity of label `l` in pixels.
    pub fn disparity(&self, l: u16) -> f64 {
        f64::from(self.dmin) + f64::from(l) / f64::from(self.grid)
    }

    /// Disparities of `labels`, in pixels.
    pub fn field(&self, (width, height): (u32, u32), labels: &[u8]) -> Field {
        let pixels = |&l: &u8| self.dmin + f32::from(l) / f32::from(self.grid);
        Field::Disparity(Disparity::new(width, height, labels.iter().map(pixels).collect()))
    }

    /// `disparity.npy`: pixels, from the mean of the drawn labels; `occlusion.npy` and `.png` where they were asked for.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn extras<C: Count>(
        &self,
        plane: [u64; 2],
        source: &dyn Source<C>,
        mode: &[u8],
    ) -> Result<Vec<Extra>> {
        let pixels = |l: f32| self.dmin + l / f32::from(self.grid);
        let disparity = mean_labels(source)?.into_iter().map(pixels).collect();
        let shape = plane.to_vec();
        let mut extras = vec![Extra {
            name: "disparity.npy",
            shape: shape.clone(),
            values: Values::Disparities(disparity),
        }];
        let occluded = match &self.occluded {
            Occluded::Unknown => return Ok(extras),
            Occluded::Known(occluded) => occluded.clone(),
            Occluded::Against(view) => view.geometry.occluded(mode, &view.labels),
        };
        let bytes = |white: u8| occluded.iter().map(|&o| u8::from(o) * white).collect::<Vec<u8>>();
        extras.push(Extra { name: "occlusion.npy", shape: shape.clone(), values: Values::Byte(bytes(1)) });
        extras.push(Extra { name: "occlusion.png", shape, values: Values::Grey(bytes(255)) });
        Ok(extras)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(reference: Side, grid: i32) -> Geometry {
        Geometry { width: 10, dmin: 1, grid, reference }
    }

    #[test]
    fn labels_point_into_the_other_view() {
        let left = geometry(Side::Left, 1);
        assert_eq!((left.other(5, 2), left.other(2, 2)), (Some(2), None));
        let right = geometry(Side::Right, 1);
        assert_eq!((right.other(5, 2), right.other(8, 2)), (Some(8), None));
        // Label 3 of half pixels from disparity 1 is 2.5: 2.
        assert_eq!(geometry(Side::Left, 2).other(5, 3), Some(3));
    }

    #[test]
    fn the_right_view_is_the_left_view_in_the_mirror() {
        let picture = |seed: u32| Picture {
            path: "p".into(),
            width: 17,
            height: 9,
            rgb: (0..17 * 9).map(|i: u32| [7, 11, 13].map(|f| (i * i * f + i * seed) as u8)).collect(),
        };
        let mirrored = |p: &Picture| Picture {
            rgb: p.rgb.chunks_exact(17).flat_map(|row| row.iter().rev().copied()).collect(),
            ..p.clone()
        };
        let (left, right) = (picture(3), picture(5));
        for term in [DataTerm::Colour, DataTerm::Bt, DataTerm::Gradient, DataTerm::Plain] {
            let settings = CostSettings { term, support: 0, outside: 9.0, cap: 200.0 };
            let from_right = stereo_table([&right, &left], (-2, 6), (1, Side::Right), &settings);
            let pair = [&mirrored(&right), &mirrored(&left)];
            let mirror = stereo_table(pair, (-2, 6), (1, Side::Left), &settings);
            for (row, other) in from_right.chunks_exact(17 * 6).zip(mirror.chunks_exact(17 * 6)) {
                let back: Vec<u16> = other.chunks_exact(6).rev().flatten().copied().collect();
                assert_eq!(row, back, "{term:?}");
            }
        }
    }

    #[test]
    fn disagreement_is_occlusion_and_filled_from_the_far_side() {
        let left = geometry(Side::Left, 1);
        let own = [0, 0, 0, 0, 5, 5, 5, 1, 1, 1];
        let other = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1];
        let occluded = left.occluded(&own, &other);
        assert_eq!(occluded, [true, false, false, false, true, true, true, false, false, false]);
        assert_eq!(fill_rows(&own, &occluded, 10), [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(fill_rows(&[7; 4], &[true; 4], 4), [7; 4]);
    }
}
