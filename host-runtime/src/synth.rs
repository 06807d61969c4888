//! Synthetic scenes with ground truth: the same size, labels and seed give the same bytes on every machine.

pub mod flow;
pub mod noise;
pub mod segment;
pub mod stereo;
pub mod surface;

use crate::app::Application;
use crate::error::{Error, Result};

/// Standard deviation of the camera noise, in grey levels.
const GRAIN: f64 = 2.0;

/// Size of a scene in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Width, 1…65,535.
    pub width: u32,
    /// Height, 1…65,535.
    pub height: u32,
}

impl Size {
    /// Number of pixels.
    pub fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |s: &str| s.parse::<u32>().ok().filter(|n| (1..=65_535).contains(n));
        text.split_once(['x', 'X', '×'])
            .and_then(|(w, h)| Some(Self { width: side(w)?, height: side(h)? }))
            .ok_or_else(|| "must be WIDTHxHEIGHT, each 1…65535, as in 450x375".to_string())
    }
}

/// What the ground truth of a scene means.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthKind {
    /// The application that should find it.
    pub application: Application,
    /// Labels L.
    pub labels: u16,
}

/// A picture being painted: H×W colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    /// Samples, H×W, row-major.
    pub rgb: Vec<[u8; 3]>,
}

impl Canvas {
    /// Paints `colour` (of pixel coordinates, 0…255 each), four samples a pixel, with camera noise.
    pub fn render(size: Size, seed: u64, number: u64, colour: impl Fn(f64, f64) -> [f64; 3]) -> Self {
        Self::render_with_grain(size, seed, number, GRAIN, colour)
    }

    /// The same with noise of standard deviation `grain`.
    pub fn render_with_grain(
        size: Size,
        seed: u64,
        number: u64,
        grain: f64,
        colour: impl Fn(f64, f64) -> [f64; 3],
    ) -> Self {
        let mut rgb = Vec::with_capacity(size.pixels());
        for y in 0..size.height {
            for x in 0..size.width {
                let mut sum = [0.0; 3];
                for (ox, oy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                    let sample = colour(f64::from(x) + ox, f64::from(y) + oy);
                    (0..3).for_each(|c| sum[c] += 0.25 * sample[c]);
                }
                // Shared by the channels, as the noise of the luminance of a camera mostly is.
                let noise = grain * noise::grain(seed ^ number.wrapping_mul(0x9E37_79B9), x, y);
                rgb.push(sum.map(|v| (v + noise + 0.5).clamp(0.0, 255.0) as u8));
            }
        }
        Self { rgb }
    }
}

/// A scene: its pictures and what is true of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// File names and pictures.
    pub pictures: Vec<(&'static str, Canvas)>,
    /// True label of every pixel of the first picture, H×W.
    pub truth: Vec<u8>,
    /// Pixels of the first picture that the second sees too; none where there is one picture.
    pub visible: Option<Vec<bool>>,
    /// What the truth means.
    pub kind: TruthKind,
    /// Size.
    pub size: Size,
}

/// Side of the window of `labels` labels.
///
/// # Errors
/// [`Error::Usage`] unless `labels` is the square of an odd number from 3 to 15.
pub fn window_of(labels: u16) -> Result<u16> {
    (3..=15).step_by(2).find(|n| n * n == labels).ok_or_else(|| {
        Error::usage(format!(
            "labels of flow is {labels}, but must be 9, 25, 49, 81, 121, 169 or 225 (a square window of odd side)"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn scenes_of_any_size_are_whole(w in 1_u32..40, h in 1_u32..40, labels in 2_u16..65, seed in any::<u64>()) {
            let size = Size { width: w, height: h };
            for scene in [
                stereo::make(size, labels, seed),
                flow::make(size, 7, seed),
                segment::make(size, labels, seed),
            ] {
                prop_assert_eq!(scene.truth.len(), size.pixels());
                prop_assert!(scene.truth.iter().all(|&l| u16::from(l) < scene.kind.labels));
                prop_assert!(scene.pictures.iter().all(|(_, canvas)| canvas.rgb.len() == size.pixels()));
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_scene_and_another_seed_another() {
        let size = Size { width: 48, height: 32 };
        assert_eq!(stereo::make(size, 16, 7), stereo::make(size, 16, 7));
        assert_ne!(stereo::make(size, 16, 7), stereo::make(size, 16, 8));
        assert_eq!(flow::make(size, 7, 7), flow::make(size, 7, 7));
        assert_eq!(segment::make(size, 4, 7), segment::make(size, 4, 7));
    }

    #[test]
    fn truth_explains_the_second_picture() {
        // Where both see a point, the colours differ by rounding of the disparity and by noise only.
        let size = Size { width: 160, height: 120 };
        let scene = stereo::make(size, 24, 3);
        let visible = scene.visible.unwrap();
        assert!(visible.iter().filter(|&&v| v).count() > size.pixels() / 2);
        let (mut sum, mut shuffled, mut n) = (0_u64, 0_u64, 0_u64);
        for y in 0..120_usize {
            for x in 24..160_usize {
                let i = y * 160 + x;
                if visible[i] {
                    let diff = |d: usize| {
                        let (a, b) = (scene.pictures[0].1.rgb[i][1], scene.pictures[1].1.rgb[i - d][1]);
                        u64::from(a.abs_diff(b))
                    };
                    sum += diff(usize::from(scene.truth[i]));
                    shuffled += diff((usize::from(scene.truth[i]) + 11) % 24);
                    n += 1;
                }
            }
        }
        assert!(sum * 2 < shuffled && sum < 12 * n, "{} against {}", sum / n, shuffled / n);
    }

    #[test]
    fn sizes_parse() {
        assert_eq!("450x375".parse(), Ok(Size { width: 450, height: 375 }));
        for bad in ["450", "0x3", "ax3", "3x", "70000x1"] {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
        assert_eq!(window_of(49).unwrap(), 7);
        assert!(window_of(16).is_err());
    }
}
