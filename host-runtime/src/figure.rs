//! `figure.png`: the pictures of a run side by side, with titles, scale bars and legends, ready to be shown.

use crate::error::{Error, Result};
use crate::panels::{Bar, Legend, Panel, wheel_picture};
use ab_glyph::{Font as _, FontRef, PxScale, ScaleFont as _, point};
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use spagen::plot::number;
use std::path::Path;

/// Text is this high, in pixels.
const TEXT: f32 = 15.0;
/// Space around and between panels.
const GAP: u32 = 16;
/// Height of a title, and of a legend of one line.
const TITLE: u32 = 26;
/// Height of a scale bar.
const BAR: u32 = 14;
/// Panels are drawn this wide at least and at most, where whole factors allow.
const WIDTH: (u32, u32) = (300, 720);
const INK: [u8; 3] = [34, 34, 34];

/// Draws those of `panels` that are named, in the order of `names`, and writes the figure.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn write(path: &Path, panels: &[Panel], names: &[&str]) -> Result<()> {
    let chosen: Vec<&Panel> =
        names.iter().filter_map(|name| panels.iter().find(|p| p.name == *name)).collect();
    draw(&chosen)?
        .save_with_format(path, image::ImageFormat::Png)
        .map_err(|e| Error::file("write figure", path, e))
}

/// Draws panels side by side.
///
/// # Errors
/// [`Error::Usage`] if the built-in font is damaged, which it is not.
pub fn draw(panels: &[&Panel]) -> Result<RgbImage> {
    let font = FontRef::try_from_slice(dejavu::sans::regular())
        .map_err(|e| Error::usage(format!("the built-in font cannot be used: {e}")))?;
    let drawn: Vec<RgbImage> = panels.iter().map(|panel| column(panel, &font)).collect();
    let width = drawn.iter().map(|c| c.width() + GAP).sum::<u32>() + GAP;
    let height = drawn.iter().map(RgbImage::height).max().unwrap_or(0) + 2 * GAP;
    let mut figure = RgbImage::from_pixel(width, height, Rgb([255; 3]));
    let mut x = GAP;
    for column in &drawn {
        imageops::replace(&mut figure, column, x.into(), GAP.into());
        x += column.width() + GAP;
    }
    Ok(figure)
}

/// One panel: title, picture, legend.
fn column(panel: &Panel, font: &FontRef<'_>) -> RgbImage {
    let picture = fitted(&panel.picture);
    let width = picture.width();
    let below = match &panel.legend {
        Legend::None => 0,
        Legend::Scale(_) => 8 + BAR + TITLE,
        Legend::Wheel { .. } => 8 + wheel_side(width) + TITLE,
        Legend::Classes(classes) => 8 + TITLE * classes.len().div_ceil(per_row(width)) as u32,
    };
    let mut canvas = RgbImage::from_pixel(width, TITLE + picture.height() + below, Rgb([255; 3]));
    let title = shortened(font, &panel.title, width as f32);
    text(&mut canvas, font, &title, 0.0, TEXT);
    imageops::replace(&mut canvas, &picture, 0, TITLE.into());
    let top = TITLE + picture.height() + 8;
    match &panel.legend {
        Legend::None => {}
        Legend::Scale(bar) => {
            for x in 0..width {
                let colour = bar.map.colour(f64::from(x) / f64::from(width.max(2) - 1));
                for y in top..top + BAR {
                    canvas.put_pixel(x, y, Rgb(colour));
                }
            }
            for (at, x, label) in placed(bar, width, font) {
                for y in top + BAR..top + BAR + 4 {
                    canvas.put_pixel(at, y, Rgb(INK));
                }
                text(&mut canvas, font, &label, x, (top + BAR) as f32 + 4.0 + TEXT);
            }
        }
        Legend::Wheel { radius } => {
            let side = wheel_side(width);
            imageops::replace(&mut canvas, &wheel_picture(side, *radius), 0, top.into());
            let lines = [
                "colour: direction".to_string(),
                "saturation: length".to_string(),
                format!("edges: {} px", number(*radius)),
            ];
            for (n, line) in lines.iter().enumerate() {
                let line = shortened(font, line, (width.saturating_sub(side + 10)) as f32);
                text(&mut canvas, font, &line, side as f32 + 10.0, top as f32 + TEXT + n as f32 * 22.0);
            }
        }
        Legend::Classes(classes) => {
            let columns = per_row(width);
            let cell = width / columns as u32;
            for (n, (colour, name, share)) in classes.iter().enumerate() {
                let (x, y) = ((n % columns) as u32 * cell, top + (n / columns) as u32 * TITLE);
                for (dx, dy) in (0..14).flat_map(|dy| (0..14).map(move |dx| (dx, dy))) {
                    canvas.put_pixel((x + dx).min(width - 1), y + dy + 2, Rgb(*colour));
                }
                let label = format!("{name} ({:.0}%)", 100.0 * share);
                let label = shortened(font, &label, cell as f32 - 26.0);
                text(&mut canvas, font, &label, x as f32 + 20.0, y as f32 + TEXT);
            }
        }
    }
    canvas
}

/// Marks of a scale that is `width` pixels wide, from its end: column, where the words begin, the words. The end is always told; what would
/// run into the words on its right is left out.
fn placed(bar: &Bar, width: u32, font: &FontRef<'_>) -> Vec<(u32, f32, String)> {
    let mut free = f32::INFINITY;
    let mut found = Vec::new();
    for (place, label) in bar.marks((width / 70).max(2) as usize).into_iter().rev() {
        let at = place * f64::from(width - 1);
        let wide = width_of(font, &label);
        let x = (at as f32 - wide / 2.0).clamp(0.0, (width as f32 - wide).max(0.0));
        if x + wide <= free {
            free = x - 8.0;
            found.push(((at as u32).min(width - 1), x, label));
        }
    }
    found
}

fn wheel_side(width: u32) -> u32 {
    (width / 3).clamp(60, 110)
}

fn per_row(width: u32) -> usize {
    (width / 190).max(1) as usize
}

/// Small pictures are enlarged by a whole factor, large ones reduced.
fn fitted(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    if width > WIDTH.1 {
        let height = (u64::from(height) * u64::from(WIDTH.1) / u64::from(width)).max(1) as u32;
        return imageops::resize(picture, WIDTH.1, height, FilterType::Triangle);
    }
    let factor = WIDTH.0.div_ceil(width.max(1));
    if factor == 1 {
        return picture.clone();
    }
    imageops::resize(picture, width * factor, height * factor, FilterType::Nearest)
}

fn width_of(font: &FontRef<'_>, line: &str) -> f32 {
    let font = font.as_scaled(PxScale::from(TEXT));
    line.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
}

/// The line, or its beginning and an ellipsis if it is wider than `width`.
fn shortened(font: &FontRef<'_>, line: &str, width: f32) -> String {
    if width_of(font, line) <= width {
        return line.to_string();
    }
    let mut short: String = line.to_string();
    while short.pop().is_some() {
        let tried = format!("{}…", short.trim_end());
        if width_of(font, &tried) <= width {
            return tried;
        }
    }
    String::new()
}

/// Writes a line with its baseline at `y`.
fn text(canvas: &mut RgbImage, font: &FontRef<'_>, line: &str, x: f32, y: f32) {
    let scaled = font.as_scaled(PxScale::from(TEXT));
    let mut x = x;
    for c in line.chars() {
        let id = scaled.glyph_id(c);
        let glyph = id.with_scale_and_position(PxScale::from(TEXT), point(x, y));
        x += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let bounds = outline.px_bounds();
        outline.draw(|px, py, coverage| {
            let at = (bounds.min.x + px as f32, bounds.min.y + py as f32);
            if at.0 < 0.0 || at.1 < 0.0 || at.0 >= canvas.width() as f32 || at.1 >= canvas.height() as f32 {
                return;
            }
            let pixel = canvas.get_pixel_mut(at.0 as u32, at.1 as u32);
            for (sample, ink) in pixel.0.iter_mut().zip(INK) {
                let mixed = f32::from(*sample) * (1.0 - coverage) + f32::from(ink) * coverage;
                *sample = mixed.round().clamp(0.0, 255.0) as u8;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour;

    #[test]
    fn words_of_a_scale_keep_apart() {
        let font = FontRef::try_from_slice(dejavu::sans::regular()).unwrap();
        let map = colour::Map::Magma;
        let bar = Bar { map, low: 0.0, high: 30.0, unit: "grey levels", whole: false, beyond: true };
        for width in [300, 481, 720] {
            let placed = placed(&bar, width, &font);
            assert_eq!((placed[0].0, placed[0].2.as_str()), (width - 1, "≥ 30 grey levels"));
            assert!(placed.len() > 2, "{placed:?}");
            for pair in placed.windows(2) {
                assert!(pair[1].1 + width_of(&font, &pair[1].2) < pair[0].1, "{placed:?}");
            }
        }
    }

    #[test]
    fn every_legend_is_drawn_whatever_the_size() {
        let scale = Legend::Scale(Bar {
            map: colour::Map::Turbo,
            low: -4.0,
            high: 59.0,
            unit: "px",
            whole: true,
            beyond: true,
        });
        let classes = (0..9).map(|l| (colour::class(l), format!("class {l}, grey {l}"), 0.1)).collect();
        for legend in [Legend::None, scale, Legend::Wheel { radius: 3.0 }, Legend::Classes(classes)] {
            for (width, height) in [(1, 1), (40, 30), (320, 200), (900, 100)] {
                let picture = RgbImage::from_pixel(width, height, Rgb([1, 2, 3]));
                let title = "A title that is longer than small pictures are wide".to_string();
                let panel = Panel { name: "mode", title, picture, legend: legend.clone() };
                let figure = draw(&[&panel, &panel]).unwrap();
                assert!((300..=720).contains(&((figure.width() - 3 * GAP) / 2)), "{}", figure.width());
                let ink = |y: std::ops::Range<u32>| {
                    y.flat_map(|y| (0..figure.width()).map(move |x| (x, y)))
                        .any(|(x, y)| figure.get_pixel(x, y).0.iter().all(|&v| v < 128))
                };
                assert!(ink(GAP..GAP + TITLE), "the title");
                assert!(!ink(0..GAP), "the margin");
            }
        }
    }
}
