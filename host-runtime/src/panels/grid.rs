//! Which rows and columns of a large field pictures show.

use crate::picture::Picture;
use image::RgbImage;

/// Pictures are at most this wide and high: of larger fields every second, third … row and column is shown.
const SIDE: u32 = 1400;

/// The rows and columns that are shown.
#[derive(Debug)]
pub struct Grid {
    /// Width and height of the field.
    pub field: (u32, u32),
    /// Every so many rows and columns are shown.
    pub step: u32,
    /// Width and height of the pictures.
    pub size: (u32, u32),
}

impl Grid {
    /// Of a field so wide and high.
    pub fn of(field: (u32, u32)) -> Self {
        let step = field.0.max(field.1).div_ceil(SIDE).max(1);
        Self { field, step, size: (field.0.div_ceil(step), field.1.div_ceil(step)) }
    }

    /// Indices of the pixels that are shown, row-major.
    pub fn pixels(&self) -> impl Iterator<Item = usize> + '_ {
        let row = move |y: u32| {
            let at = move |x: u32| y as usize * self.field.0 as usize + x as usize;
            (0..self.field.0).step_by(self.step as usize).map(at)
        };
        (0..self.field.1).step_by(self.step as usize).flat_map(row)
    }

    /// A picture of the field, blocks of pixels averaged.
    pub fn photograph(&self, picture: &Picture) -> RgbImage {
        RgbImage::from_fn(self.size.0, self.size.1, |x, y| {
            let (mut sum, mut count) = ([0_u32; 3], 0);
            for y in y * self.step..((y + 1) * self.step).min(picture.height) {
                for x in x * self.step..((x + 1) * self.step).min(picture.width) {
                    let pixel = picture.rgb[y as usize * picture.width as usize + x as usize];
                    count += 1;
                    (0..3).for_each(|c| sum[c] += u32::from(pixel[c]));
                }
            }
            image::Rgb(sum.map(|s| (s / count.max(1)) as u8))
        })
    }
}
