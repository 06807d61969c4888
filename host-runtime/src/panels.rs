//! Pictures of a run with their legends, for the figure and for the report: the input, the result, how sure it is.

mod bar;
mod grid;

pub use self::bar::Bar;

use self::grid::Grid;
use crate::app::Application;
use crate::blocks::Source;
use crate::colour::{self, Map, Rgb};
use crate::error::Result;
use crate::formats::Field;
use crate::measure::segment::boundary;
use crate::picture::Picture;
use crate::plan::Inputs;
use crate::uncertainty::{Moments, Scale, boundary as boundaries, confidence, credible, entropy};
use image::RgbImage;
use spa_model::Count;
use spa_model::histogram::mode_of;
use spagen::plot::number;

/// What the pictures are made of.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// What the labels mean.
    pub application: &'a Application,
    /// Width and height.
    pub size: (u32, u32),
    /// Number of labels.
    pub labels: u16,
    /// Grey value of every class, of segmentation.
    pub values: Option<&'a [u8]>,
    /// The pictures of the run.
    pub photographs: &'a Photographs,
    /// What is known of the pixels that are shown.
    pub seen: &'a Seen,
    /// The result in pixels, where labels are parts of them.
    pub measured: Option<&'a Field>,
    /// What labels measure.
    pub scale: &'a Scale,
    /// Share of the samples that credible sets have, 0…1.
    pub share: f64,
}

/// What a histogram says of the pixels that are shown, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    mode: Vec<u8>,
    confidence: Vec<f64>,
    entropy: Vec<f64>,
    /// Standard deviation, where labels can be subtracted.
    deviation: Option<Vec<f64>>,
    /// Sizes of credible sets.
    sizes: Vec<f64>,
    /// Probability of a boundary of segments, and whether it was counted in samples.
    boundary: Option<(Vec<f64>, bool)>,
}

impl Seen {
    /// What `source` says; credible sets have `share` of the samples. Segments have boundaries: from `sampled`, H·W, where
    /// they were counted.
    ///
    /// # Errors
    /// As [`Source::each`].
    pub fn of<C: Count>(
        source: &dyn Source<C>,
        (application, scale, share): (&Application, &Scale, f64),
        sampled: Option<&[f32]>,
    ) -> Result<Self> {
        let (width, height) = source.size();
        let (grid, size) = (Grid::of(source.size()), (width as usize, height as usize));
        let vectors = scale.vectors();
        let mut seen = Self {
            mode: Vec::new(),
            confidence: Vec::new(),
            entropy: Vec::new(),
            deviation: vectors.is_some().then(Vec::new),
            sizes: Vec::new(),
            boundary: (*application == Application::Segment).then(|| (Vec::new(), sampled.is_some())),
        };
        let mut pixels = grid.pixels().peekable();
        source.each(&mut |block| {
            while let Some((i, counts)) =
                pixels.next_if(|&i| !block.own(i).is_empty()).map(|i| (i, block.own(i)))
            {
                seen.mode.push(mode_of(counts));
                seen.confidence.push(confidence(counts));
                seen.entropy.push(entropy(counts));
                if let (Some(deviation), Some(vectors)) = (&mut seen.deviation, &vectors) {
                    deviation.push(Moments::of(counts, vectors).deviation());
                }
                seen.sizes.push(credible::smallest_set(counts, share).len() as f64);
                if let Some((values, _)) = &mut seen.boundary {
                    let independent = || boundaries::independent(block, size, i);
                    values.push(f64::from(sampled.map_or_else(independent, |sampled| sampled[i])));
                }
            }
            Ok(())
        })?;
        Ok(seen)
    }
}

/// The pictures of a run, reduced to what is shown of them: large pictures need no memory while the run lasts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Photographs {
    /// Left picture, first frame, or the picture to segment; none of a field given by its costs.
    pub first: Option<RgbImage>,
    /// Right picture or second frame.
    pub second: Option<RgbImage>,
}

impl Photographs {
    /// Those of `inputs`.
    pub fn of(inputs: &Inputs) -> Self {
        let reduced = |picture: &Picture| Grid::of((picture.width, picture.height)).photograph(picture);
        Self { first: Some(reduced(&inputs.first)), second: inputs.second.as_ref().map(reduced) }
    }
}

/// A picture with a title and what its colours mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// One of a few words that stay: `first`, `second`, `mode`, `overlay`, `confidence`, `entropy`, `deviation`,
    /// `credible`, `boundary`.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// The picture: as large as the field, or reduced by a whole number.
    pub picture: RgbImage,
    /// Legend.
    pub legend: Legend,
}

/// What colours mean.
#[derive(Debug, Clone, PartialEq)]
pub enum Legend {
    /// They are those of a photograph.
    None,
    /// Colours of numbers.
    Scale(Bar),
    /// The wheel of motions up to `radius` pixels in each direction.
    Wheel {
        /// Largest component.
        radius: f64,
    },
    /// A colour a class, with a name and the share of its pixels.
    Classes(Vec<(Rgb, String, f64)>),
}

impl Shown<'_> {
    /// What label `l` means, for people: `23.5 px`, `(−3, 1) px`, `class 2, grey 140`. Where a smaller size was labelled before, motions
    /// are those beyond its own, the base of every pixel.
    pub fn meaning(&self, l: u16) -> String {
        let at = usize::from(l);
        match (self.application, self.scale) {
            (Application::Restore, Scale::Line { values, .. }) => format!("grey {}", number(values[at])),
            (Application::Infer, _) => format!("label {l}"),
            (_, Scale::Line { values, unit }) => format!("{} {unit}", number(values[at])),
            (_, Scale::Plane { vectors, base, unit }) => {
                let [right, down] = vectors[at].map(number);
                let base = if base.is_some() { "base + " } else { "" };
                format!("{base}({right}, {down}) {unit}")
            }
            (_, Scale::Names) => match self.values.and_then(|values| values.get(at)) {
                Some(value) => format!("class {l}, grey {value}"),
                None => format!("class {l}"),
            },
        }
    }

    /// A colour for every label, as `legend` has them where it is one of the labels' own values.
    pub fn colours(&self, legend: Option<&Legend>) -> Vec<Rgb> {
        match (legend, self.scale) {
            (Some(Legend::Scale(bar)), Scale::Line { values, .. }) => {
                let range = (bar.high - bar.low).max(f64::MIN_POSITIVE);
                values.iter().map(|value| bar.map.colour((value - bar.low) / range)).collect()
            }
            (Some(Legend::Wheel { radius }), Scale::Plane { vectors, base: None, .. }) => {
                vectors.iter().map(|[dx, dy]| colour::motion(*dx, *dy, *radius)).collect()
            }
            _ => colour::palette(self.application, self.labels),
        }
    }
}

/// All pictures of a run.
pub fn panels(shown: &Shown<'_>) -> Vec<Panel> {
    let (application, labels) = (shown.application, shown.labels);
    let palette = colour::palette(application, labels);
    let grid = Grid::of(shown.size);
    let mode = &shown.seen.mode;
    let mut panels = Vec::new();
    let (first, second, result) = match application {
        Application::Stereo { .. } => ("Left picture", "Right picture", "Disparity"),
        Application::Flow { .. } => ("First frame", "Second frame", "Motion"),
        Application::Segment => ("Picture", "", "Classes"),
        Application::Restore => ("Picture", "", "Grey values"),
        Application::Infer => ("", "", "Labels"),
    };
    let photographs =
        [("first", first, &shown.photographs.first), ("second", second, &shown.photographs.second)];
    for (name, title, picture) in photographs {
        if let Some(picture) = picture {
            panels.push(Panel {
                name,
                title: title.to_string(),
                picture: picture.clone(),
                legend: Legend::None,
            });
        }
    }
    let measured = shown.measured.and_then(|field| measured(field, &grid));
    let (legend, colours) = measured.unwrap_or_else(|| {
        let legend = of_labels(shown, &palette);
        (legend, colour::paint(&palette, mode))
    });
    let picture = image_of(grid.size, colours);
    panels.push(Panel { name: "mode", title: result.to_string(), picture, legend: legend.clone() });
    let under = shown.photographs.first.as_ref().filter(|picture| picture.dimensions() == grid.size);
    if let (Legend::Classes(_), Some(under)) = (&legend, under) {
        let picture = overlay(under.clone(), mode, &palette);
        panels.push(Panel { name: "overlay", title: "Classes on the picture".to_string(), picture, legend });
    }
    panels.extend(uncertainty(shown));
    panels
}

/// What the colours of labels mean.
fn of_labels(shown: &Shown<'_>, palette: &[Rgb]) -> Legend {
    let last = f64::from(shown.labels.saturating_sub(1));
    let scale = |map, low, range, unit| {
        Legend::Scale(Bar { map, low, high: low + range, unit, whole: true, beyond: false })
    };
    match shown.application {
        Application::Stereo { dmin } => scale(Map::Turbo, f64::from(*dmin), last, "px"),
        Application::Flow { window } => Legend::Wheel { radius: f64::from(window / 2) },
        Application::Restore => scale(Map::Grey, 0.0, 255.0, ""),
        Application::Infer if shown.labels > colour::MOST_CLASSES => scale(Map::Turbo, 0.0, last, "labels"),
        Application::Infer | Application::Segment => {
            Legend::Classes(classes(shown, palette, &shown.seen.mode))
        }
    }
}

/// Colours of the shown pixels of a field in pixels, and their legend: from the least to the largest disparity, or a wheel whose rim is
/// the largest component of a motion. None for labels.
fn measured(field: &Field, grid: &Grid) -> Option<(Legend, Vec<Rgb>)> {
    match field {
        Field::Disparity(map) => {
            let finite = || map.values.iter().copied().filter(|value| value.is_finite()).map(f64::from);
            let (low, high) =
                (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
            let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
            let range = if high > low { high - low } else { 1.0 };
            let colour = |i| map.get(i).map_or([0; 3], |d| colour::turbo((f64::from(d) - low) / range));
            let bar = Bar { map: Map::Turbo, low, high, unit: "px", whole: false, beyond: false };
            let legend = Legend::Scale(bar);
            Some((legend, grid.pixels().map(colour).collect()))
        }
        Field::Flow(flow) => {
            let known = (0..flow.vectors.len()).filter_map(|i| flow.get(i));
            let most = known.flatten().map(|v| f64::from(v.abs())).fold(0.0, f64::max);
            let radius = if most > 0.0 { most } else { 1.0 };
            let colour = |i| {
                flow.get(i).map_or([0; 3], |[dx, dy]| colour::motion(f64::from(dx), f64::from(dy), radius))
            };
            Some((Legend::Wheel { radius }, grid.pixels().map(colour).collect()))
        }
        Field::Labels(_) => None,
    }
}

/// Confidence, entropy, where labels can be subtracted the standard deviation, the size of credible sets, and for segments
/// how likely a boundary is.
pub fn uncertainty(shown: &Shown<'_>) -> Vec<Panel> {
    let (seen, grid) = (shown.seen, &Grid::of(shown.size));
    let mut panels = vec![
        scaled(
            grid,
            "confidence",
            "Confidence (share of the mode)",
            &seen.confidence,
            (Map::Viridis, (0.0, 1.0), "", false),
        ),
        scaled(
            grid,
            "entropy",
            "Entropy of the labels",
            &seen.entropy,
            (Map::Magma, (0.0, spread(&seen.entropy, 1.0)), "bits", false),
        ),
    ];
    if let Some(deviation) = &seen.deviation {
        let scale =
            (Map::Magma, (0.0, spread(deviation, shown.scale.step().min(1.0))), shown.scale.unit(), false);
        panels.push(scaled(grid, "deviation", "Standard deviation", deviation, scale));
    }
    let title = format!("Number of labels that hold {}% of the samples", number(100.0 * shown.share));
    panels.push(scaled(
        grid,
        "credible",
        &title,
        &seen.sizes,
        (Map::Magma, (1.0, spread(&seen.sizes, 2.0)), "labels", true),
    ));
    if let Some((values, counted)) = &seen.boundary {
        let title = if *counted {
            "Probability of a boundary"
        } else {
            "Probability of a boundary, were neighbours independent"
        };
        panels.push(scaled(grid, "boundary", title, values, (Map::Magma, (0.0, 1.0), "", false)));
    }
    panels
}

/// A panel of values from `low` to `high`; `whole` if they are counts.
fn scaled(
    grid: &Grid,
    name: &'static str,
    title: &str,
    values: &[f64],
    (map, (low, high), unit, whole): (Map, (f64, f64), &'static str, bool),
) -> Panel {
    let picture = image_of(grid.size, values.iter().map(|v| map.colour((v - low) / (high - low))).collect());
    let beyond = values.iter().any(|&v| v > high);
    let legend = Legend::Scale(Bar { map, low, high, unit, whole, beyond });
    Panel { name, title: title.to_string(), picture, legend }
}

/// A round end of the scale that 99% of the values stay below, at least `least`.
fn spread(values: &[f64], least: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let high = sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(0.0);
    [0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0, 300.0]
        .into_iter()
        .find(|&round| round >= high && round >= least)
        .unwrap_or(high)
}

fn classes(shown: &Shown<'_>, palette: &[Rgb], mode: &[u8]) -> Vec<(Rgb, String, f64)> {
    let mut counts = vec![0_usize; palette.len()];
    for &label in mode {
        counts[usize::from(label)] += 1;
    }
    let of = |(l, (&colour, count)): (usize, (&Rgb, usize))| {
        let share = count as f64 / mode.len().max(1) as f64;
        (colour, shown.meaning(l as u16), share)
    };
    palette.iter().zip(counts).enumerate().map(of).collect()
}

/// The picture tinted by its classes, with white lines between them.
fn overlay(mut picture: RgbImage, mode: &[u8], palette: &[Rgb]) -> RgbImage {
    let edges = boundary(mode, (picture.width() as usize, picture.height() as usize));
    for ((pixel, &label), edge) in picture.pixels_mut().zip(mode).zip(edges) {
        let tint = palette[usize::from(label)];
        let mixed = |c: usize| ((65 * u32::from(pixel.0[c]) + 35 * u32::from(tint[c])) / 100) as u8;
        pixel.0 = if edge { [255; 3] } else { std::array::from_fn(mixed) };
    }
    picture
}

/// A picture of H×W colours; black where there are too few.
pub fn image_of((width, height): (u32, u32), pixels: Vec<Rgb>) -> RgbImage {
    RgbImage::from_raw(width, height, pixels.into_flattened()).unwrap_or_else(|| RgbImage::new(width, height))
}

/// The wheel of motions up to `radius` pixels, a square of `side` pixels.
pub fn wheel_picture(side: u32, radius: f64) -> RgbImage {
    RgbImage::from_fn(side, side, |x, y| {
        let along = |v: u32| (f64::from(v) + 0.5) / f64::from(side) * 2.0 - 1.0;
        image::Rgb(colour::motion(along(x) * radius, along(y) * radius, radius))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_in_their_units() {
        let plane = |base| Scale::Plane { vectors: vec![[-0.25, 0.5]; 2], base, unit: "px" };
        for (application, scale, expected) in [
            (Application::Stereo { dmin: -2 }, Scale::line(2, "px", |l| f64::from(l) - 2.0), "−1 px"),
            (Application::Stereo { dmin: 0 }, Scale::line(2, "px", |l| f64::from(l) / 4.0), "0.25 px"),
            (Application::Flow { window: 3 }, plane(None), "(−0.25, 0.5) px"),
            (Application::Flow { window: 3 }, plane(Some(vec![[1.0; 2]])), "base + (−0.25, 0.5) px"),
            (Application::Segment, Scale::Names, "class 1, grey 140"),
            (Application::Restore, Scale::line(2, "grey levels", |l| f64::from(l) * 9.0), "grey 9"),
            (Application::Infer, Scale::Names, "label 1"),
        ] {
            let seen = Seen {
                mode: Vec::new(),
                confidence: Vec::new(),
                entropy: Vec::new(),
                deviation: None,
                sizes: Vec::new(),
                boundary: None,
            };
            let shown = Shown {
                application: &application,
                size: (1, 1),
                labels: 2,
                values: Some(&[9, 140]),
                photographs: &Photographs::default(),
                seen: &seen,
                measured: None,
                scale: &scale,
                share: 0.95,
            };
            assert_eq!(shown.meaning(1), expected);
            // In the colours of a picture from half a pixel to three quarters, a quarter is the least.
            let bar = Bar { map: Map::Turbo, low: 0.25, high: 0.75, unit: "px", whole: false, beyond: false };
            if expected == "0.25 px" {
                assert_eq!(shown.colours(Some(&Legend::Scale(bar)))[1], Map::Turbo.colour(0.0));
            }
        }
    }

    #[test]
    fn large_fields_are_shown_reduced() {
        let grid = Grid::of((2801, 4));
        assert_eq!((grid.step, grid.size), (3, (934, 2)));
        let shown: Vec<usize> = grid.pixels().collect();
        assert_eq!((shown[1], shown[933], shown[934]), (3, 2799, 3 * 2801));
        let rgb = (0..2801 * 4).map(|i| [if i % 3 == 0 { 30 } else { 0 }, 9, 0]).collect();
        let picture = Picture { path: "a".into(), width: 2801, height: 4, rgb };
        assert_eq!(grid.photograph(&picture).get_pixel(0, 0).0, [10, 9, 0]);
        assert_eq!((mode_of(&[2_u16, 5, 5]), confidence(&[2_u16, 6, 0])), (1, 0.75));
    }

    #[test]
    fn a_scale_says_what_its_end_hides_and_counts_in_whole_numbers() {
        let bar = Bar { map: Map::Magma, low: 0.0, high: 2.0, unit: "labels", whole: true, beyond: false };
        let words = |bar: &Bar, count| bar.marks(count).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(words(&bar, 6), ["0", "1", "2 labels"]);
        assert_eq!(words(&Bar { whole: false, ..bar }, 4), ["0", "0.5", "1", "1.5", "2 labels"]);
        assert_eq!(words(&Bar { high: 15.0, beyond: true, ..bar }, 4), ["0", "5", "10", "≥ 15 labels"]);
        // 8 is too near 9 to be told beside it.
        let near = Bar { high: 9.0, beyond: true, ..bar };
        assert_eq!(words(&near, 4), ["0", "5", "≥ 9 labels"]);
        assert_eq!(near.marks(4).last().unwrap().0, 1.0);
        let one = Bar { low: 1.0, ..bar };
        assert_eq!(words(&Bar { high: 20.0, ..one }, 6), ["1", "5", "10", "15", "20 labels"]);
        assert_eq!(words(&Bar { high: 3.0, beyond: true, ..one }, 6), ["1", "2", "≥ 3 labels"]);
        assert_eq!(words(&Bar { high: 1.0, unit: "bits", beyond: true, ..bar }, 1), ["0", "≥ 1 bit"]);
        // Deviations of labels that are quarters of a pixel.
        assert_eq!(
            (spread(&[0.1; 200], 0.25), spread(&[0.4; 200], 0.25), spread(&[0.1; 200], 1.0)),
            (0.3, 0.5, 1.0)
        );
        let panel = |values: &[f64]| {
            let high = spread(values, 2.0);
            match scaled(&Grid::of((200, 1)), "credible", "", values, (Map::Magma, (1.0, high), "", true))
                .legend
            {
                Legend::Scale(bar) => (bar.high, bar.beyond),
                other => panic!("{other:?}"),
            }
        };
        let mut values = vec![3.0; 200];
        assert_eq!(panel(&values), (3.0, false));
        values[7] = 40.0;
        assert_eq!(panel(&values), (3.0, true), "one of 200");
    }

    #[test]
    fn the_wheel_of_the_legend_is_that_of_the_result() {
        let wheel = wheel_picture(151, 3.0);
        assert_eq!(wheel.get_pixel(75, 75).0, [255; 3]);
        let corner = colour::palette(&Application::Flow { window: 7 }, 49)[48];
        let drawn = wheel.get_pixel(150, 150).0;
        assert!(corner.iter().zip(drawn).all(|(&a, b)| a.abs_diff(b) <= 3), "{corner:?} {drawn:?}");
    }
}
