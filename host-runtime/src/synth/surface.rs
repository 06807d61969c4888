//! Shapes and textures that scenes are made of, in pixel coordinates of their own surface.

use super::noise::{Dice, fractal, lattice, value};

/// Outline of a layer, in coordinates relative to its centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outline {
    /// Covers everything.
    Everywhere,
    /// Everything below a height (y grows downwards).
    Below,
    /// An ellipse with half axes.
    Ellipse(f64, f64),
    /// A rectangle with half sides.
    Rectangle(f64, f64),
    /// An ellipse with a ragged edge, from a noise seed.
    Blob(f64, f64, u64),
}

/// A shape at a place, turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Outline in its own coordinates.
    pub outline: Outline,
    /// Centre in pixels.
    pub centre: (f64, f64),
    /// Cosine and sine of the turn.
    pub turn: (f64, f64),
}

impl Shape {
    /// An object somewhere in a `width`×`height` picture, of `size` times its smaller side.
    pub fn draw(dice: &mut Dice, width: f64, height: f64, size: f64) -> Self {
        let side = width.min(height) * size;
        let (a, b) = (side * dice.range(0.35, 0.55), side * dice.range(0.3, 0.5));
        let angle = dice.range(-0.7, 0.7);
        let outline = match dice.below(3) {
            0 => Outline::Ellipse(a, b),
            1 => Outline::Rectangle(a, b),
            _ => Outline::Blob(a, b, dice.word()),
        };
        let centre = (width * dice.range(0.12, 0.88), height * dice.range(0.15, 0.85));
        Self { outline, centre, turn: (libm::cos(angle), libm::sin(angle)) }
    }

    /// True where the shape covers (x, y).
    pub fn covers(&self, x: f64, y: f64) -> bool {
        let (dx, dy) = (x - self.centre.0, y - self.centre.1);
        let (c, s) = self.turn;
        let (u, v) = (c * dx + s * dy, c * dy - s * dx);
        match self.outline {
            Outline::Everywhere => true,
            Outline::Below => dy >= 0.0,
            Outline::Ellipse(a, b) => (u / a) * (u / a) + (v / b) * (v / b) < 1.0,
            Outline::Rectangle(a, b) => u.abs() < a && v.abs() < b,
            Outline::Blob(a, b, seed) => {
                let ragged = 0.9 * (fractal(seed, 3.0 * u / a, 3.0 * v / b, 2) - 0.5);
                (u / a) * (u / a) + (v / b) * (v / b) + ragged < 1.0
            }
        }
    }

    /// Largest distance of a covered point from the centre, about.
    pub fn radius(&self) -> f64 {
        match self.outline {
            Outline::Everywhere | Outline::Below => 0.0,
            Outline::Ellipse(a, b) => a.max(b),
            Outline::Rectangle(a, b) => a + b,
            Outline::Blob(a, b, _) => 1.25 * a.max(b),
        }
    }
}

/// What a surface is painted with.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pattern {
    Clouds,
    Bricks,
    Checks,
    Weave,
}

/// A painted surface: a pattern of two colours, with grit fine enough to be matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Texture {
    pattern: Pattern,
    seed: u64,
    scale: f64,
    colours: [[f64; 3]; 2],
}

impl Texture {
    /// A texture from the dice; `scale` is the size of its pattern in pixels.
    pub fn draw(dice: &mut Dice, scale: f64) -> Self {
        let pattern = [Pattern::Clouds, Pattern::Bricks, Pattern::Checks, Pattern::Weave][dice.below(4)];
        let hue = dice.range(0.0, 6.0);
        let (value, saturation) = (dice.range(0.45, 0.85), dice.range(0.25, 0.65));
        let first = hsv(hue, saturation, value);
        let second = hsv(hue + dice.range(-0.8, 0.8), saturation * 0.8, value * dice.range(0.45, 0.7));
        Self { pattern, seed: dice.word(), scale: scale.max(2.0), colours: [first, second] }
    }

    /// Colour at (x, y) of the surface, 0…255 each.
    pub fn colour(&self, x: f64, y: f64) -> [f64; 3] {
        let (u, v) = (x / self.scale, y / self.scale);
        let share = match self.pattern {
            Pattern::Clouds => fractal(self.seed, u, v, 4),
            Pattern::Bricks => {
                let row = (v * 1.6).floor();
                let shift = if row as i64 & 1 == 0 { 0.0 } else { 0.5 };
                let (fu, fv) = ((u + shift).rem_euclid(1.0), (v * 1.6).rem_euclid(1.0));
                let stone = lattice(self.seed, (u + shift).floor() as i64, row as i64);
                if fu < 0.08 || fv < 0.14 { 1.0 } else { 0.6 * stone }
            }
            Pattern::Checks => {
                let odd = (u.floor() as i64 + v.floor() as i64) & 1 == 1;
                let tile = lattice(self.seed, u.floor() as i64, v.floor() as i64);
                (if odd { 0.75 } else { 0.1 }) + 0.25 * tile
            }
            Pattern::Weave => {
                value(self.seed, 4.0 * u, 0.7 * v) * 0.6 + value(self.seed + 1, 0.7 * u, 4.0 * v) * 0.4
            }
        };
        let grit = fractal(self.seed ^ 0x5DEE_CE66, x / 2.3, y / 2.3, 2) - 0.5;
        let shade = 1.0 + 0.55 * grit;
        std::array::from_fn(|c| {
            let colour = self.colours[0][c] + (self.colours[1][c] - self.colours[0][c]) * share;
            (255.0 * colour * shade).clamp(0.0, 255.0)
        })
    }
}

/// A colour from hue (0…6, wraps), saturation and value; 0…1 each.
pub fn hsv(hue: f64, saturation: f64, value: f64) -> [f64; 3] {
    let hue = hue.rem_euclid(6.0);
    let channel = |n: f64| {
        let k = (n + hue).rem_euclid(6.0);
        value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hsv_corners() {
        assert_eq!(hsv(0.0, 1.0, 1.0), [1.0, 0.0, 0.0]);
        assert_eq!(hsv(2.0, 1.0, 1.0), [0.0, 1.0, 0.0]);
        assert_eq!(hsv(4.0, 1.0, 0.5), [0.0, 0.0, 0.5]);
        assert_eq!(hsv(6.0, 0.0, 0.5), [0.5; 3]);
    }

    #[test]
    fn shapes_cover_their_centre_and_nothing_beyond_their_radius() {
        let mut dice = Dice::new(1, 1);
        for _ in 0..50 {
            let shape = Shape::draw(&mut dice, 200.0, 100.0, 0.5);
            let (x, y) = shape.centre;
            assert!(shape.covers(x, y), "{shape:?}");
            assert!(!shape.covers(x + 1.3 * shape.radius(), y + 1.3 * shape.radius()), "{shape:?}");
        }
    }
}
