//! Figures: panels of lines or bars in one look, as SVG.

use crate::error::Error;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// Size of a panel in pixels.
const PANEL: (u32, u32) = (520, 360);
/// Colours that differ for everybody (Okabe and Ito).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
    RGBColor(190, 180, 40),
];
/// Width of all bars of a category, of 1.
const BARS: f64 = 0.8;

/// Panels, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Rows of panels.
    pub rows: Vec<Vec<Panel>>,
}

/// One diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Above it.
    pub title: String,
    /// Horizontal axis; without a range for bars.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub content: Content,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    name: String,
    range: Option<(f64, f64)>,
}

/// What a panel shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Lines.
    Lines(Vec<Series>),
    /// Bars side by side, for each category.
    Bars {
        /// Names below the axis.
        categories: Vec<String>,
        /// Bars of each category.
        bars: Vec<Bar>,
        /// A level with its name, drawn dashed.
        limit: Option<(String, f64)>,
    },
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    /// Colour of the line with this number instead of its own, dashed, without a legend.
    companion_of: Option<usize>,
}

/// A bar of every category, in parts that are stacked.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Name and values by category of each part, the lowest first. A value that is not finite is not drawn.
    pub parts: Vec<(String, Vec<f64>)>,
    /// Half the length of the error bar by category; none where it is missing or not finite.
    pub errors: Vec<f64>,
}

impl Axis {
    /// An axis from 0 to its largest value.
    pub fn auto(name: &str) -> Self {
        Self { name: name.to_string(), range: None }
    }

    /// An axis with fixed ends.
    pub fn range(name: &str, from: f64, to: f64) -> Self {
        Self { name: name.to_string(), range: Some((from, to)) }
    }

    /// From end to end; without a range from 0 to `room` times the largest of `values`.
    fn fit(&self, values: impl Iterator<Item = f64>, room: f64) -> Range<f64> {
        let (from, to) = self.range.unwrap_or_else(|| {
            let most = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
            (0.0, if most > 0.0 { room * most } else { 1.0 })
        });
        if to > from { from..to } else { from..from + 1.0 }
    }
}

impl Series {
    /// A line through `points`.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_string(), points, companion_of: None }
    }

    /// A dashed level that belongs to the line with number `of`.
    pub fn level(of: usize, range: (f64, f64), value: f64) -> Self {
        Self { name: String::new(), points: vec![(range.0, value), (range.1, value)], companion_of: Some(of) }
    }
}

impl Bar {
    /// A bar of one part.
    pub fn plain(name: &str, values: Vec<f64>) -> Self {
        Self::stacked(vec![(name.to_string(), values)])
    }

    /// A bar of several parts.
    pub fn stacked(parts: Vec<(String, Vec<f64>)>) -> Self {
        Self { parts, errors: Vec::new() }
    }

    /// The same with error bars.
    #[must_use]
    pub fn with_errors(self, errors: Vec<f64>) -> Self {
        Self { errors, ..self }
    }

    fn heights(&self) -> impl Iterator<Item = f64> + '_ {
        let categories = self.parts.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        (0..categories).map(|c| self.parts.iter().filter_map(|(_, values)| values.get(c)).sum())
    }
}

impl Figure {
    /// A figure of one panel.
    pub fn one(panel: Panel) -> Self {
        Self { rows: vec![vec![panel]] }
    }

    /// Writes the figure as SVG.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        std::fs::write(path, self.svg()?).map_err(|e| Error::io("write figure", path, &e))
    }

    /// The figure as SVG.
    ///
    /// # Errors
    /// [`Error::Render`] if the library cannot draw it.
    pub fn svg(&self) -> Result<String, Error> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let size = (PANEL.0 * columns as u32, PANEL.1 * self.rows.len().max(1) as u32);
        let mut svg = String::new();
        let drawn = self.draw(SVGBackend::with_string(&mut svg, size), columns);
        drawn.map_err(|e| Error::Render { file: "figure".to_owned(), cause: e.to_string() })?;
        svg.push('\n');
        Ok(svg)
    }

    fn draw(&self, backend: SVGBackend<'_>, columns: usize) -> Result<(), Box<dyn std::error::Error>> {
        let root = backend.into_drawing_area();
        root.fill(&WHITE)?;
        let areas = root.split_evenly((self.rows.len().max(1), columns));
        for (row, panels) in self.rows.iter().enumerate() {
            for (column, panel) in panels.iter().enumerate() {
                panel.draw(&areas[row * columns + column])?;
            }
        }
        root.present()?;
        Ok(())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Panel {
    fn draw(&self, area: &Area<'_>) -> Drawn {
        match &self.content {
            Content::Lines(series) => self.lines(area, series),
            Content::Bars { categories, bars, limit } => self.bars(area, categories, bars, limit.as_ref()),
        }
    }

    fn lines(&self, area: &Area<'_>, series: &[Series]) -> Drawn {
        let points = || series.iter().flat_map(|s| s.points.iter());
        let x = self.x.fit(points().map(|p| p.0), 1.0);
        let y = self.y.fit(points().map(|p| p.1), 1.08);
        let corner = corner(series, &x, &y);
        let x = Ticked { ticks: ticks(x.start, x.end, 8), range: x.into() };
        let mut chart = self.chart(area).build_cartesian_2d(x, y)?;
        self.mesh(&mut chart, &|v: &f64| number(*v))?;
        for (n, line) in series.iter().enumerate() {
            let colour = COLOURS[line.companion_of.unwrap_or(n) % COLOURS.len()];
            let points = line.points.iter().copied().filter(|p| p.1.is_finite());
            if line.companion_of.is_some() {
                chart.draw_series(DashedLineSeries::new(points, 5, 4, colour.stroke_width(1)))?;
                continue;
            }
            chart
                .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
                .label(line.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
            // Few points are measurements of their own.
            if line.points.len() <= 40 {
                chart.draw_series(points.map(|p| Circle::new(p, 2, colour.filled())))?;
            }
        }
        legend(&mut chart, series.iter().any(|s| !s.name.is_empty()).then_some(corner))
    }

    fn bars(
        &self,
        area: &Area<'_>,
        categories: &[String],
        bars: &[Bar],
        limit: Option<&(String, f64)>,
    ) -> Drawn {
        let names = bars.iter().flat_map(|bar| &bar.parts).filter(|(name, _)| !name.is_empty()).count();
        let named = names > 0;
        // The legend lies above the bars, a line for each name.
        let lines = names + usize::from(limit.is_some());
        let room = if named { 1.1 + 0.12 * lines as f64 } else { 1.08 };
        let y = self.y.fit(bars.iter().flat_map(Bar::heights).chain(limit.map(|l| l.1)), room);
        let ends = (-0.5, categories.len().max(1) as f64 - 0.5);
        let ticks = (0..categories.len()).map(|n| n as f64).collect();
        let x = Ticked { ticks, range: (ends.0..ends.1).into() };
        let mut chart = self.chart(area).build_cartesian_2d(x, y)?;
        let name = |v: &f64| categories.get(v.round() as usize).cloned().unwrap_or_default();
        self.mesh(&mut chart, &name)?;
        let width = BARS / bars.len().max(1) as f64;
        let mut colours = COLOURS.iter().cycle();
        for (b, bar) in bars.iter().enumerate() {
            let mut bottom = vec![0.0; categories.len()];
            for (part, values) in &bar.parts {
                let colour = *colours.next().unwrap_or(&BLACK);
                let boxes: Vec<_> = values
                    .iter()
                    .zip(&mut bottom)
                    .enumerate()
                    .filter(|(_, (value, _))| value.is_finite())
                    .map(|(c, (value, bottom))| {
                        let left = c as f64 - BARS / 2.0 + b as f64 * width;
                        let from = *bottom;
                        *bottom += value;
                        Rectangle::new([(left, from), (left + 0.92 * width, *bottom)], colour.filled())
                    })
                    .collect();
                let series = chart.draw_series(boxes)?;
                if !part.is_empty() {
                    series
                        .label(part.clone())
                        .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
                }
            }
            let middle = |c: usize| c as f64 - BARS / 2.0 + (b as f64 + 0.46) * width;
            let errors = bar.errors.iter().zip(bar.heights()).enumerate();
            let errors = errors.filter(|(_, (error, height))| error.is_finite() && height.is_finite());
            chart.draw_series(errors.map(|(c, (error, height))| {
                PathElement::new(
                    [(middle(c), height - error), (middle(c), height + error)],
                    BLACK.stroke_width(1),
                )
            }))?;
        }
        draw_limit(&mut chart, ends, limit)?;
        legend(&mut chart, named.then_some(SeriesLabelPosition::UpperRight))
    }

    fn chart<'a, 'b>(&self, area: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
        let mut chart = ChartBuilder::on(area);
        chart
            .caption(&self.title, ("sans-serif", 17))
            .margin(10)
            .margin_right(18)
            .x_label_area_size(40)
            .y_label_area_size(58);
        chart
    }

    fn mesh(&self, chart: &mut Chart<'_, '_>, x_label: &dyn Fn(&f64) -> String) -> Drawn {
        let y_label = |v: &f64| number(*v);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .x_labels(8)
            .y_labels(7)
            .x_desc(self.x.name.as_str())
            .y_desc(self.y.name.as_str())
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .draw()?;
        Ok(())
    }
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticked, RangedCoordf64>>;

/// An axis with marks where they are wanted.
struct Ticked {
    range: RangedCoordf64,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

fn draw_limit(chart: &mut Chart<'_, '_>, ends: (f64, f64), limit: Option<&(String, f64)>) -> Drawn {
    if let Some((name, value)) = limit {
        let line = [(ends.0, *value), (ends.1, *value)];
        chart
            .draw_series(DashedLineSeries::new(line, 6, 4, BLACK.stroke_width(1)))?
            .label(name.clone())
            .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLACK.stroke_width(1)));
    }
    Ok(())
}

fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, corner: Option<SeriesLabelPosition>) -> Drawn {
    if let Some(corner) = corner {
        chart
            .configure_series_labels()
            .position(corner)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(200, 200, 200))
            .label_font(("sans-serif", 13))
            .draw()?;
    }
    Ok(())
}

/// The corner with the fewest points of lines near it.
fn corner(series: &[Series], x: &Range<f64>, y: &Range<f64>) -> SeriesLabelPosition {
    let middle = |range: &Range<f64>| f64::midpoint(range.start, range.end);
    let (x, y) = (middle(x), middle(y));
    let near = |right: bool, upper: bool| {
        let points = series.iter().flat_map(|line| &line.points);
        points.filter(|p| (p.0 > x) == right && (p.1 > y) == upper).count()
    };
    let corners = [
        (near(true, true), SeriesLabelPosition::UpperRight),
        (near(true, false), SeriesLabelPosition::LowerRight),
        (near(false, true), SeriesLabelPosition::UpperLeft),
        (near(false, false), SeriesLabelPosition::LowerLeft),
    ];
    corners
        .into_iter()
        .min_by_key(|corner| corner.0)
        .map_or(SeriesLabelPosition::UpperRight, |corner| corner.1)
}

/// Round numbers between `low` and `high`, about `count` of them.
pub fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let range = high - low;
    if range.is_nan() || range <= 0.0 {
        return vec![low];
    }
    let rough = range / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| n as f64 * step).collect()
}

/// A number without needless digits, with a real minus.
pub fn number(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    let text = if rounded == 0.0 { "0".to_string() } else { rounded.to_string() };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in a test, a failure is the message")]

    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0.0, 59.0, 5), [0.0, 20.0, 40.0]);
        assert_eq!(ticks(-3.0, 3.0, 6), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(5.0, 5.0, 5), [5.0]);
        assert_eq!(
            (number(0.6000000000000001), number(-3.0), number(-0.0)),
            ("0.6".into(), "−3".into(), "0".into())
        );
    }

    fn panel(content: Content) -> Panel {
        Panel { title: "Title".into(), x: Axis::auto("across"), y: Axis::auto("up"), content }
    }

    #[test]
    fn a_figure_has_its_names_and_as_many_shapes_as_values() {
        let lines = Content::Lines(vec![
            Series::new("first", vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN)]),
            Series::level(0, (0.0, 2.0), 1.5),
        ]);
        let bars = Content::Bars {
            categories: vec!["left".into(), "right".into()],
            bars: vec![
                Bar::plain("plain", vec![1.0, f64::NAN]),
                Bar::stacked(vec![("low".into(), vec![1.0, 2.0]), ("high".into(), vec![3.0, 4.0])])
                    .with_errors(vec![0.5, f64::NAN]),
            ],
            limit: Some(("most".into(), 8.0)),
        };
        let svg = Figure { rows: vec![vec![panel(lines), panel(bars)]] }.svg().unwrap();
        for text in ["Title", "across", "up", "first", "left", "right", "plain", "low", "high", "most"] {
            assert!(svg.contains(&format!("\n{text}\n")), "{text}: {svg}");
        }
        assert_eq!(svg.matches("<circle").count(), 2, "a value that is none is not drawn");
        let filled = |colour: &str| svg.matches(&format!("fill=\"{colour}\"")).count();
        // One more of each in the legend.
        assert_eq!((filled("#D55E00"), filled("#009E73")), (3, 3));
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn nothing_is_drawn_as_nothing() {
        let empty = Figure::one(panel(Content::Lines(Vec::new())));
        assert!(empty.svg().unwrap().starts_with("<svg"));
        let bars = Content::Bars { categories: Vec::new(), bars: Vec::new(), limit: None };
        assert!(Figure::one(panel(bars)).svg().is_ok());
        assert!(Figure { rows: Vec::new() }.svg().is_ok());
    }

    #[test]
    fn legends_keep_out_of_the_way() {
        let rising = [Series::new("a", (0..9).map(|n| (f64::from(n), f64::from(n))).collect())];
        let ends = 0.0..8.0;
        assert!(matches!(corner(&rising, &ends, &ends), SeriesLabelPosition::LowerRight));
    }
}
