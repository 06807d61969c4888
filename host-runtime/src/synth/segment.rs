//! A segmentation scene: regions of a few classes under uneven light and heavy noise.

use super::noise::{Dice, fractal};
use super::surface::{Shape, hsv};
use super::{Canvas, Scene, Size, TruthKind};
use crate::app::Application;
use crate::picture::grey;

/// Makes the scene; classes are numbered by rising grey.
pub fn make(size: Size, labels: u16, seed: u64) -> Scene {
    let mut dice = Dice::new(seed, 0x5E63);
    let (w, h) = (f64::from(size.width), f64::from(size.height));
    let classes = usize::from(labels);
    let land = dice.word();
    let period = w.min(h) / 2.2;
    let shapes: Vec<(Shape, usize)> = (0..9.max(2 * classes))
        .map(|n| {
            let size = dice.range(0.2, 0.42);
            (Shape::draw(&mut dice, w, h, size), (n * 5 + 2) % classes)
        })
        .collect();
    let class = |x: f64, y: f64| {
        let on_shape = shapes.iter().rfind(|(shape, _)| shape.covers(x, y)).map(|&(_, class)| class);
        let contour = ((fractal(land, x / period, y / period, 3) - 0.25) * 2.0).clamp(0.0, 0.999);
        on_shape.unwrap_or((contour * classes.min(3) as f64) as usize)
    };
    let colours: Vec<[f64; 3]> = (0..classes)
        .map(|n| {
            let target = 38.0 + 180.0 * n as f64 / (classes as f64 - 1.0).max(1.0);
            let tint = hsv(1.1 + 2.6 * n as f64, 0.35, 0.7);
            let level = f64::from(grey(tint.map(|c| (c * 255.0) as u8))).max(1.0);
            tint.map(|c| (c * 255.0 * target / level).min(255.0))
        })
        .collect();
    let contrast = 180.0 / (classes as f64 - 1.0).max(1.0);
    let grain = (0.42 * contrast).clamp(6.0, 32.0);
    let image = Canvas::render_with_grain(size, seed, 1, grain, |x, y| {
        let light = 0.94 + 0.12 * fractal(land + 1, x / w, y / h, 2);
        colours[class(x, y)].map(|c| c * light)
    });
    let truth = (0..size.height)
        .flat_map(|y| (0..size.width).map(move |x| (f64::from(x) + 0.5, f64::from(y) + 0.5)))
        .map(|(x, y)| class(x, y) as u8)
        .collect();
    Scene {
        pictures: vec![("image.png", image)],
        truth,
        visible: None,
        kind: TruthKind { application: Application::Segment, labels },
        size,
    }
}
