//! Colours of labels: a perceptual ramp for disparity, the wheel for motion, distinct colours for classes.

use crate::app::Application;
use spa_model::job::window_offsets;

/// A colour, red, green, blue.
pub type Rgb = [u8; 3];

/// One colour for every label.
pub fn palette(application: &Application, labels: u16) -> Vec<Rgb> {
    match application {
        Application::Stereo { .. } => {
            let last = f64::from(labels.saturating_sub(1).max(1));
            (0..labels).map(|l| turbo(f64::from(l) / last)).collect()
        }
        Application::Flow { window } => {
            let radius = f64::from((window / 2).max(1));
            let colour = |dx: i16, dy: i16| wheel(f64::from(dx) / radius, f64::from(dy) / radius);
            window_offsets(*window).iter().map(|o| colour(o.dx, o.dy)).collect()
        }
        Application::Segment => (0..labels).map(class).collect(),
    }
}

/// Colours of a field of labels, H×W.
pub fn paint(palette: &[Rgb], labels: &[u8]) -> Vec<Rgb> {
    labels.iter().map(|&l| palette.get(usize::from(l)).copied().unwrap_or_default()).collect()
}

/// The Turbo map (A. Mikhailov, Google, 2019; polynomial form), `t` in 0…1: far is blue, near is red.
pub fn turbo(t: f64) -> Rgb {
    // The ends of the map are very dark; they are left out.
    let t = 0.05 + 0.92 * t.clamp(0.0, 1.0);
    let polynomial = |c: [f64; 6]| {
        let v = c.iter().rev().fold(0.0, |sum, c| sum * t + c);
        (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
    };
    [
        polynomial([
            0.135_721_38,
            4.615_392_6,
            -42.660_322_58,
            132.131_082_34,
            -152.942_393_96,
            59.286_379_43,
        ]),
        polynomial([0.091_402_61, 2.194_188_39, 4.842_966_58, -14.185_033_33, 4.277_298_57, 2.829_566_04]),
        polynomial([
            0.106_673_3,
            12.641_946_08,
            -60.582_048_36,
            110.362_767_71,
            -89.903_109_12,
            27.348_249_73,
        ]),
    ]
}

/// The colour wheel of the Middlebury flow benchmark (Baker et al. 2011): the hue is the direction, the saturation the
/// length; (dx, dy) relative to the largest displacement.
pub fn wheel(dx: f64, dy: f64) -> Rgb {
    // Segment lengths between red, yellow, green, cyan, blue, magenta.
    const SEGMENTS: [(usize, Rgb, Rgb); 6] = [
        (15, [255, 0, 0], [255, 255, 0]),
        (6, [255, 255, 0], [0, 255, 0]),
        (4, [0, 255, 0], [0, 255, 255]),
        (11, [0, 255, 255], [0, 0, 255]),
        (13, [0, 0, 255], [255, 0, 255]),
        (6, [255, 0, 255], [255, 0, 0]),
    ];
    let length = libm::sqrt(dx * dx + dy * dy) / std::f64::consts::SQRT_2;
    let turn = libm::atan2(-dy, -dx) / std::f64::consts::PI;
    let mut place = (turn + 1.0) / 2.0 * 55.0;
    let mut hue = [255.0; 3];
    for (n, from, to) in SEGMENTS {
        if place <= n as f64 {
            let t = place / n as f64;
            hue = std::array::from_fn(|c| f64::from(from[c]) + (f64::from(to[c]) - f64::from(from[c])) * t);
            break;
        }
        place -= n as f64;
    }
    // Corners of the window reach the full colour; the square root keeps short steps visible.
    let strength = libm::sqrt(length.min(1.0));
    hue.map(|c| (255.0 - strength * (255.0 - c) + 0.5) as u8)
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
        ] {
            let mut colours = palette(&application, labels);
            assert_eq!(colours.len(), usize::from(labels));
            colours.sort_unstable();
            colours.dedup();
            assert_eq!(colours.len(), usize::from(labels), "{application:?}");
        }
    }

    #[test]
    fn no_motion_is_white_and_opposite_motions_differ() {
        assert_eq!(wheel(0.0, 0.0), [255; 3]);
        assert_ne!(wheel(1.0, 0.0), wheel(-1.0, 0.0));
        // Blue is far, red is near.
        assert!(turbo(0.0)[2] > turbo(0.0)[0] && turbo(1.0)[0] > turbo(1.0)[2]);
    }
}
