//! A motion scene: a drifting background and objects that shift, turn and grow, each by less than the window.

use super::noise::Dice;
use super::surface::{Outline, Shape, Texture};
use super::{Canvas, Scene, Size, TruthKind};
use crate::app::Application;

struct Layer {
    shape: Shape,
    texture: Texture,
    shift: (f64, f64),
    /// Growth and turn: the position relative to the centre is multiplied by the complex number (1 + z, w).
    spin: (f64, f64),
}

impl Layer {
    /// Where a point of frame 1 is in frame 2.
    fn forward(&self, x: f64, y: f64) -> (f64, f64) {
        let (cx, cy) = self.shape.centre;
        let (a, b) = (1.0 + self.spin.0, self.spin.1);
        let (dx, dy) = (x - cx, y - cy);
        (cx + self.shift.0 + a * dx - b * dy, cy + self.shift.1 + b * dx + a * dy)
    }

    /// Where a point of frame 2 was in frame 1.
    fn backward(&self, x: f64, y: f64) -> (f64, f64) {
        let (cx, cy) = self.shape.centre;
        let (a, b) = (1.0 + self.spin.0, self.spin.1);
        let (dx, dy) = (x - cx - self.shift.0, y - cy - self.shift.1);
        let norm = a * a + b * b;
        (cx + (a * dx + b * dy) / norm, cy + (a * dy - b * dx) / norm)
    }
}

/// Makes the scene; displacements stay within a window of side `window`.
pub fn make(size: Size, window: u16, seed: u64) -> Scene {
    let layers = layers(size, window, seed);
    let top = |covers: &dyn Fn(&Layer) -> bool| layers.iter().rposition(covers).unwrap_or(0);
    let first = |x: f64, y: f64| top(&|layer| layer.shape.covers(x, y));
    let second = |x: f64, y: f64| {
        top(&|layer| {
            let (u, v) = layer.backward(x, y);
            layer.shape.covers(u, v)
        })
    };
    let frame1 = Canvas::render(size, seed, 1, |x, y| layers[first(x, y)].texture.colour(x, y));
    let frame2 = Canvas::render(size, seed, 2, |x, y| {
        let layer = &layers[second(x, y)];
        let (u, v) = layer.backward(x, y);
        layer.texture.colour(u, v)
    });
    let radius = f64::from(window / 2);
    let (w, h) = (f64::from(size.width), f64::from(size.height));
    let (mut truth, mut visible) = (Vec::with_capacity(size.pixels()), Vec::with_capacity(size.pixels()));
    for y in 0..size.height {
        for x in 0..size.width {
            let (fx, fy) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let n = first(fx, fy);
            let (tx, ty) = layers[n].forward(fx, fy);
            let step =
                |to: f64, from: f64| ((to - from + 0.5).floor().clamp(-radius, radius) + radius) as u16;
            truth.push((step(ty, fy) * window + step(tx, fx)) as u8);
            let inside = tx >= 0.0 && ty >= 0.0 && tx < w && ty < h;
            visible.push(inside && second(tx, ty) == n);
        }
    }
    Scene {
        pictures: vec![("frame1.png", frame1), ("frame2.png", frame2)],
        truth,
        visible: Some(visible),
        kind: TruthKind { application: Application::Flow { window }, labels: window * window },
        size,
    }
}

fn layers(size: Size, window: u16, seed: u64) -> Vec<Layer> {
    let mut dice = Dice::new(seed, 0xF10E);
    let (w, h) = (f64::from(size.width), f64::from(size.height));
    let radius = f64::from(window / 2);
    let pattern = w.min(h) / 9.0;
    let half = libm::sqrt(w * w + h * h) / 2.0;
    let mut layers = vec![Layer {
        shape: Shape { outline: Outline::Everywhere, centre: (w / 2.0, h / 2.0), turn: (1.0, 0.0) },
        texture: Texture::draw(&mut dice, pattern),
        shift: (dice.range(-0.3, 0.3) * radius, dice.range(-0.3, 0.3) * radius),
        spin: (0.25 * radius / half, dice.sign() * 0.2 * radius / half),
    }];
    for _ in 0..6 {
        let size = dice.range(0.35, 0.6);
        let shape = Shape::draw(&mut dice, w, h, size);
        let turn = 0.22 * radius / shape.radius().max(1.0);
        layers.push(Layer {
            texture: Texture::draw(&mut dice, pattern * 0.7),
            shift: (
                dice.sign() * dice.range(0.2, 0.75) * radius,
                dice.sign() * dice.range(0.2, 0.75) * radius,
            ),
            spin: (dice.range(-1.0, 1.0) * turn, dice.range(-1.0, 1.0) * turn),
            shape,
        });
    }
    layers
}
