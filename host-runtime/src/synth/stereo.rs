//! A stereo scene: a room with a slanted wall and floor, and tilted objects at several depths.
//!
//! Every surface is a plane of disparity d(x, y) in coordinates of the left picture; the right picture is rendered
//! from the same planes exactly, so occlusions are those of the geometry.

use super::noise::Dice;
use super::surface::{Outline, Shape, Texture};
use super::{Canvas, Scene, Size, TruthKind};
use crate::app::Application;

struct Layer {
    shape: Shape,
    texture: Texture,
    /// d = base + slope · (position − centre).
    base: f64,
    slope: (f64, f64),
    most: f64,
}

impl Layer {
    fn disparity(&self, x: f64, y: f64) -> f64 {
        let (cx, cy) = self.shape.centre;
        let d = self.base + self.slope.0 * (x - cx) + self.slope.1 * (y - cy);
        d.clamp(0.0, self.most)
    }

    /// Left column that is seen at column `x` of the right picture.
    fn left_of(&self, x: f64, y: f64) -> f64 {
        let (cx, cy) = self.shape.centre;
        let left = (x + self.base - self.slope.0 * cx + self.slope.1 * (y - cy)) / (1.0 - self.slope.0);
        // Where the plane is cut off at 0 or at the largest disparity, it is flat.
        x + self.disparity(left, y)
    }
}

/// Makes the scene; disparities are 0…labels − 1.
pub fn make(size: Size, labels: u16, seed: u64) -> Scene {
    let layers = layers(size, labels, seed);
    let (width, height) = (size.width, size.height);
    let seen_left = |x: f64, y: f64| nearest(layers.iter().map(|layer| (layer, x)), y);
    let seen_right = |x: f64, y: f64| nearest(layers.iter().map(|layer| (layer, layer.left_of(x, y))), y);
    let left = Canvas::render(size, seed, 1, |x, y| {
        let (n, u) = seen_left(x, y);
        layers[n].texture.colour(u, y)
    });
    let right = Canvas::render(size, seed, 2, |x, y| {
        let (n, u) = seen_right(x, y);
        layers[n].texture.colour(u, y)
    });
    let mut truth = Vec::with_capacity(size.pixels());
    let mut visible = Vec::with_capacity(size.pixels());
    for y in 0..height {
        for x in 0..width {
            let (fx, fy) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let (n, _) = seen_left(fx, fy);
            let d = layers[n].disparity(fx, fy);
            truth.push((d + 0.5).floor() as u8);
            let target = fx - d;
            visible.push(target >= 0.0 && seen_right(target, fy).0 == n);
        }
    }
    Scene {
        pictures: vec![("left.png", left), ("right.png", right)],
        truth,
        visible: Some(visible),
        kind: TruthKind { application: Application::Stereo { dmin: 0 }, labels },
        size,
    }
}

/// Index of the nearest layer, and its left column there.
fn nearest<'a>(candidates: impl Iterator<Item = (&'a Layer, f64)>, y: f64) -> (usize, f64) {
    let mut best = (0, 0.0);
    let mut best_disparity = f64::NEG_INFINITY;
    for (n, (layer, x)) in candidates.enumerate() {
        let d = layer.disparity(x, y);
        if d > best_disparity && layer.shape.covers(x, y) {
            best = (n, x);
            best_disparity = d;
        }
    }
    best
}

fn layers(size: Size, labels: u16, seed: u64) -> Vec<Layer> {
    let mut dice = Dice::new(seed, 0x57E8E0);
    let (w, h) = (f64::from(size.width), f64::from(size.height));
    let most = f64::from(labels) - 1.0;
    let upright = |outline, centre| Shape { outline, centre, turn: (1.0, 0.0) };
    let pattern = w.min(h) / 9.0;
    let wall_slope = dice.sign() * dice.range(0.08, 0.16) * most / w;
    let wall_base = 0.16 * most;
    let horizon = h * dice.range(0.55, 0.65);
    let mut layers = vec![
        Layer {
            shape: upright(Outline::Everywhere, (w / 2.0, h / 2.0)),
            texture: Texture::draw(&mut dice, pattern),
            base: wall_base,
            slope: (wall_slope, 0.0),
            most,
        },
        Layer {
            shape: upright(Outline::Below, (w / 2.0, horizon)),
            texture: Texture::draw(&mut dice, pattern),
            base: wall_base + 0.005 * most,
            slope: (wall_slope, 0.45 * most / (h - horizon)),
            most,
        },
    ];
    let objects = 7;
    for n in 0..objects {
        let nearness = (f64::from(n) + dice.range(0.2, 0.8)) / f64::from(objects);
        let size = dice.range(0.32, 0.52);
        let shape = Shape::draw(&mut dice, w, h, size);
        let tilt = 0.10 * most / shape.radius().max(1.0);
        let slope = |dice: &mut Dice| (dice.range(-1.0, 1.0) * tilt).clamp(-0.3, 0.3);
        layers.push(Layer {
            texture: Texture::draw(&mut dice, pattern * 0.7),
            base: most * (0.34 + 0.54 * nearness),
            slope: (slope(&mut dice), slope(&mut dice)),
            shape,
            most,
        });
    }
    layers
}
