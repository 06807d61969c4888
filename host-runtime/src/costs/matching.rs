//! Two pictures made ready for comparison at displacements of whole pixels or of parts of them.

use super::planes::{ColourPlane, Plane};
use super::{CostSettings, DataTerm, census};

/// A displacement in grid steps: 1/grid pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Displacement {
    /// To the right.
    pub dx: i32,
    /// Downwards.
    pub dy: i32,
}

/// Caps of the robust mixture, in grey levels: of the colour difference and of the gradient difference.
const ROBUST_CAPS: [f32; 2] = [7.0, 2.0];
/// Share of the gradient beside the colour (Rhemann et al. 2011).
const ROBUST_GRADIENT: f32 = 0.89;
/// Largest mixture of the two before it is scaled.
const ROBUST_MOST: f32 = (1.0 - ROBUST_GRADIENT) * ROBUST_CAPS[0] + ROBUST_GRADIENT * ROBUST_CAPS[1];
/// Share of the census in the whole: it decides where brightness differs between the pictures.
const ROBUST_CENSUS: f32 = 0.15;
/// Largest robust difference, so that whole numbers resolve it.
const ROBUST_SCALE: f32 = 100.0;

/// What a picture is compared by; only what the term needs is filled.
#[derive(Debug, Clone)]
struct Features {
    colour: Vec<[f32; 3]>,
    grey: Plane,
    gradient: Vec<[f32; 2]>,
    range: Vec<[f32; 2]>,
    census: Vec<u64>,
}

impl Features {
    fn of(picture: &ColourPlane, term: DataTerm, vertical: bool) -> Self {
        let grey = picture.grey();
        let needs_gradient = matches!(term, DataTerm::Gradient | DataTerm::Robust);
        let needs_census = matches!(term, DataTerm::Census | DataTerm::Robust);
        Self {
            colour: picture.values.clone(),
            gradient: if needs_gradient { grey.gradient() } else { Vec::new() },
            range: if term == DataTerm::Bt { grey.half_pixel_range(vertical) } else { Vec::new() },
            census: if needs_census { census::transform(&grey) } else { Vec::new() },
            grey,
        }
    }
}

/// Two pictures, the second also between its pixels.
#[derive(Debug, Clone)]
pub struct Matcher {
    width: usize,
    height: usize,
    term: DataTerm,
    grid: i32,
    vertical: bool,
    first: Features,
    /// The second picture shifted by (column, row)/grid pixel, row-major.
    second: Vec<Features>,
    /// Displacement of every pixel to which those of labels are added, H·W.
    base: Option<Vec<Displacement>>,
}

impl Matcher {
    /// Prepares two pictures of the same size for displacements in steps of 1/`grid` pixel; `vertical` if some of them
    /// go up or down; `base` adds a displacement of its own to every pixel.
    pub fn new(
        first: &ColourPlane,
        second: &ColourPlane,
        term: DataTerm,
        (grid, vertical): (u16, bool),
        base: Option<Vec<Displacement>>,
    ) -> Self {
        let grid = i32::from(grid.max(1));
        let part = |n: i32| n as f32 / grid as f32;
        let rows = if vertical { grid } else { 1 };
        let second = (0..rows)
            .flat_map(|py| (0..grid).map(move |px| (px, py)))
            .map(|(px, py)| Features::of(&second.shifted(part(px), part(py)), term, vertical))
            .collect();
        Self {
            width: first.width,
            height: first.height,
            term,
            grid,
            vertical,
            first: Features::of(first, term, vertical),
            second,
            base,
        }
    }

    /// Costs of one displacement, H·W, in grey levels, capped.
    pub fn slice(&self, displacement: Displacement, settings: &CostSettings) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.width * self.height);
        for y in 0..self.height as i32 {
            for x in 0..self.width as i32 {
                let i = (y as usize) * self.width + x as usize;
                let base = self.base.as_ref().map_or(Displacement::default(), |base| base[i]);
                let (dx, dy) = (displacement.dx + base.dx, displacement.dy + base.dy);
                let (sx, sy) = (x + dx.div_euclid(self.grid), y + dy.div_euclid(self.grid));
                let inside = sx >= 0 && sy >= 0 && sx < self.width as i32 && sy < self.height as i32;
                out.push(if inside {
                    let row = if self.vertical { dy.rem_euclid(self.grid) } else { 0 };
                    let phase = row * self.grid + dx.rem_euclid(self.grid);
                    let j = sy as usize * self.width + sx as usize;
                    self.compare(i, &self.second[phase as usize], j).min(settings.cap)
                } else {
                    settings.outside
                });
            }
        }
        out
    }

    /// How unlike pixel `i` of the first picture and pixel `j` of `second` are.
    fn compare(&self, i: usize, second: &Features, j: usize) -> f32 {
        let first = &self.first;
        let colour = || {
            let (a, b) = (first.colour[i], second.colour[j]);
            ((a[0] - b[0]).abs() + (a[1] - b[1]).abs() + (a[2] - b[2]).abs()) / 3.0
        };
        let gradient = || {
            let (a, b) = (first.gradient[i], second.gradient[j]);
            ((a[0] - b[0]).abs() + (a[1] - b[1]).abs()) * 0.5
        };
        let census =
            || (first.census[i] ^ second.census[j]).count_ones() as f32 * (1.0 / census::BITS as f32);
        match self.term {
            DataTerm::Plain => (first.grey.values[i] - second.grey.values[j]).abs(),
            DataTerm::Colour => colour(),
            DataTerm::Gradient => gradient(),
            DataTerm::Bt => {
                let (a, b) = (first.grey.values[i], second.grey.values[j]);
                let ([a_low, a_high], [b_low, b_high]) = (first.range[i], second.range[j]);
                let outside = |v: f32, low: f32, high: f32| (v - high).max(low - v).max(0.0);
                outside(a, b_low, b_high).min(outside(b, a_low, a_high))
            }
            DataTerm::Census => 255.0 * census(),
            DataTerm::Robust => {
                let mixed = (1.0 - ROBUST_GRADIENT) * colour().min(ROBUST_CAPS[0])
                    + ROBUST_GRADIENT * gradient().min(ROBUST_CAPS[1]);
                // Half of the comparisons differ between places that have nothing to do with each other.
                let census = (census() / 0.5).min(1.0);
                ROBUST_SCALE * ((1.0 - ROBUST_CENSUS) * (mixed / ROBUST_MOST) + ROBUST_CENSUS * census)
            }
        }
    }
}
