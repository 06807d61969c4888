//! Colours of labels: a perceptual ramp for disparity, the wheel for motion, distinct colours for classes.

use crate::app::Application;
use spa_model::job::window_offsets;

/// A colour, red, green, blue.
pub type Rgb = [u8; 3];

/// Labels of `infer` that get a colour each, with a name in a legend; more are shown on a scale.
pub const MOST_CLASSES: u16 = 16;

/// One colour for every label.
pub fn palette(application: &Application, labels: u16) -> Vec<Rgb> {
    match application {
        Application::Stereo { .. } => ramp(labels),
        Application::Infer if labels > MOST_CLASSES => ramp(labels),
        Application::Flow { window } => {
            let radius = f64::from((window / 2).max(1));
            window_offsets(*window).iter().map(|o| motion(o.dx.into(), o.dy.into(), radius)).collect()
        }
        Application::Segment | Application::Infer => (0..labels).map(class).collect(),
        Application::Restore => (0..labels).map(|l| [crate::app::restore::value(l, labels); 3]).collect(),
    }
}

/// The colours of a scale from the first label to the last.
fn ramp(labels: u16) -> Vec<Rgb> {
    let last = f64::from(labels.saturating_sub(1).max(1));
    (0..labels).map(|l| turbo(f64::from(l) / last)).collect()
}

/// Colours of a field of labels, H×W.
pub fn paint(palette: &[Rgb], labels: &[u8]) -> Vec<Rgb> {
    labels.iter().map(|&l| palette.get(usize::from(l)).copied().unwrap_or_default()).collect()
}

/// The Turbo map (A. Mikhailov, 2019), `t` in 0…1: far is blue, near is red. Its ends are very dark and left out.
pub fn turbo(t: f64) -> Rgb {
    scheme(colorous::TURBO, 0.05 + 0.92 * t.clamp(0.0, 1.0))
}

/// A colour map for numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Map {
    /// [`turbo`], for disparities.
    Turbo,
    /// [`viridis`], for confidence.
    Viridis,
    /// [`magma`], for uncertainty.
    Magma,
    /// Black to white, for grey values.
    Grey,
}

impl Map {
    /// Colour of `t` in 0…1.
    pub fn colour(self, t: f64) -> Rgb {
        match self {
            Self::Turbo => turbo(t),
            Self::Viridis => viridis(t),
            Self::Magma => magma(t),
            Self::Grey => [share(t as f32); 3],
        }
    }
}

/// Confidence, `t` in 0…1 (Viridis): dark is unsure, yellow is certain.
pub fn viridis(t: f64) -> Rgb {
    scheme(colorous::VIRIDIS, t)
}

/// Uncertainty, `t` in 0…1 (Magma): black is certain, bright is unsure.
pub fn magma(t: f64) -> Rgb {
    scheme(colorous::MAGMA, t)
}

fn scheme(gradient: colorous::Gradient, t: f64) -> Rgb {
    let colour = gradient.eval_continuous(t.clamp(0.0, 1.0));
    [colour.r, colour.g, colour.b]
}

/// Lengths of the segments of the colour wheel: from red over yellow, green, cyan, blue and magenta back to red.
const WHEEL: [usize; 6] = [15, 6, 4, 11, 13, 6];

/// Entry `k` of the 55 of the wheel.
fn wheel_entry(k: usize) -> [f64; 3] {
    const CORNERS: [[f64; 3]; 7] = [
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 1.0, 1.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
    ];
    let mut place = k;
    for (n, length) in WHEEL.into_iter().enumerate() {
        if place < length {
            // The corner that rises or falls moves in steps of 1/255, as in the benchmark's table.
            let step = (255 * place / length) as f64 / 255.0;
            return std::array::from_fn(|c| CORNERS[n][c] + (CORNERS[n + 1][c] - CORNERS[n][c]) * step);
        }
        place -= length;
    }
    CORNERS[0]
}

/// The colour wheel of the Middlebury flow benchmark (Baker et al. 2011): the hue is the direction, the saturation the
/// length; (dx, dy) relative to the largest displacement. To the right is red, down yellow, left cyan, up violet; longer ones
/// are darkened.
pub fn wheel(dx: f64, dy: f64) -> Rgb {
    let entries = WHEEL.iter().sum::<usize>();
    let length = libm::sqrt(dx * dx + dy * dy);
    let turn = libm::atan2(-dy, -dx) / std::f64::consts::PI;
    let place = (turn + 1.0) / 2.0 * (entries - 1) as f64;
    let (from, part) = (place.floor() as usize, place - place.floor());
    let (a, b) = (wheel_entry(from % entries), wheel_entry((from + 1) % entries));
    std::array::from_fn(|c| {
        let hue = (1.0 - part) * a[c] + part * b[c];
        let colour = if length <= 1.0 { 1.0 - length * (1.0 - hue) } else { 0.75 * hue };
        (colour.clamp(0.0, 1.0) * 255.0) as u8
    })
}

/// Colour of the motion (dx, dy) if `radius` is the largest component: corners of the square have the full colour.
pub fn motion(dx: f64, dy: f64, radius: f64) -> Rgb {
    let full = radius.max(f64::MIN_POSITIVE) * std::f64::consts::SQRT_2;
    wheel(dx / full, dy / full)
}

/// Colour of a class: ten hand-picked ones, then hues by the golden ratio.
pub fn class(label: u16) -> Rgb {
    const FIRST: [Rgb; 10] = [
        [0, 63, 92],
        [255, 166, 0],
        [0, 158, 115],
        [204, 80, 62],
        [86, 180, 233],
        [240, 228, 66],
        [148, 103, 189],
        [227, 119, 194],
        [140, 140, 140],
        [120, 70, 30],
    ];
    if let Some(&colour) = FIRST.get(usize::from(label)) {
        return colour;
    }
    let hue = f64::from(label) * 0.618_033_988_75 * 6.0;
    crate::synth::surface::hsv(hue, 0.65, 0.9).map(|c| (c * 255.0 + 0.5) as u8)
}

/// Grey of a share of 0…1.
pub fn share(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_its_own_colour() {
        for (application, labels) in [
            (Application::Stereo { dmin: 0 }, 64),
            (Application::Flow { window: 7 }, 49),
            (Application::Segment, 64),
            (Application::Infer, 16),
            (Application::Infer, 256),
        ] {
            let mut colours = palette(&application, labels);
            assert_eq!(colours.len(), usize::from(labels));
            colours.sort_unstable();
            colours.dedup();
            assert_eq!(colours.len(), usize::from(labels), "{application:?}");
        }
    }

    #[test]
    fn the_wheel_is_that_of_the_benchmark() {
        assert_eq!(wheel(0.0, 0.0), [255; 3]);
        let far = |dx, dy| wheel(dx, dy);
        assert_eq!(far(1.0, 0.0), [255, 0, 0], "right is red");
        assert_eq!(far(2.0, 0.0), [191, 0, 0], "beyond the largest is darker");
        let [down, left, up] = [far(0.0, 1.0), far(-1.0, 0.0), far(0.0, -1.0)];
        assert!(down[0] == 255 && down[1] > 200 && down[2] == 0, "down is yellow: {down:?}");
        assert!(left[0] == 0 && left[1] > 180 && left[2] == 255, "left is cyan: {left:?}");
        assert!(up[0] > 60 && up[1] == 0 && up[2] == 255, "up is violet: {up:?}");
        // Blue is far, red is near.
        assert!(turbo(0.0)[2] > turbo(0.0)[0] && turbo(1.0)[0] > turbo(1.0)[2]);
    }
}
