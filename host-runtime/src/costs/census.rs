//! The census transform (Zabih and Woodfill 1994): which neighbours are darker than the pixel.

use super::planes::Plane;

/// Columns of the neighbourhood.
const WIDTH: isize = 9;
/// Rows of the neighbourhood.
const HEIGHT: isize = 7;
/// Comparisons a pixel.
pub const BITS: u32 = (WIDTH * HEIGHT - 1) as u32;

/// One bit for every neighbour in a window of 9×7 (the centre left out), set where it is darker than the pixel; outside
/// the picture the nearest sample counts.
pub fn transform(plane: &Plane) -> Vec<u64> {
    let mut out = Vec::with_capacity(plane.values.len());
    for y in 0..plane.height as isize {
        for x in 0..plane.width as isize {
            let centre = plane.at(x, y);
            let mut bits = 0_u64;
            for dy in -HEIGHT / 2..=HEIGHT / 2 {
                for dx in -WIDTH / 2..=WIDTH / 2 {
                    if (dx, dy) != (0, 0) {
                        bits = bits << 1 | u64::from(plane.at(x + dx, y + dy) < centre);
                    }
                }
            }
            out.push(bits);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_and_contrast_do_not_matter() {
        let values: Vec<f32> = (0..12 * 10).map(|i| (i * 37 % 101) as f32).collect();
        let plane = Plane { width: 12, height: 10, values: values.clone() };
        let other = Plane { values: values.iter().map(|v| 0.5 * v + 20.0).collect(), ..plane.clone() };
        assert_eq!(transform(&plane), transform(&other));
        let ones: u32 = transform(&plane).iter().map(|b| b.count_ones()).sum();
        assert!(ones > 0 && transform(&plane).iter().all(|b| b.count_ones() <= BITS));
    }
}
