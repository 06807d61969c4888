//! The workload: teddy, or a synthetic scene of its size.

use spa_model::job::{line_vectors, stereo_offsets};
use spa_model::{Difference, Pair, Problem, Singleton};
use std::fs::File;
use std::io::BufReader;

const LABELS: u16 = 56;

/// Where the pictures come from, and their problem at α 1, β 8, cap 2.
pub fn problem(data: &str, rows: u32) -> (String, Problem) {
    let read = |name: &str| grey(&format!("{data}/{name}"));
    let (source, width, height, first, second) = match (read("im2.png"), read("im6.png")) {
        (Some((w, h, first)), Some((w2, h2, second))) if (w, h) == (w2, h2) => {
            ("teddy".to_string(), w, h, first, second)
        }
        _ => {
            let (first, second) = synthetic(450, 375);
            (format!("synthetic scene (no pictures in {data})"), 450, 375, first, second)
        }
    };
    // Fewer rows show what a field that stays in a nearer cache gains.
    let height = height.min(rows);
    let top = |mut samples: Vec<u8>| {
        samples.truncate((width * height) as usize);
        samples
    };
    let (first, second) = (top(first), top(second));
    let problem = Problem {
        width,
        height,
        labels: LABELS,
        singleton: Singleton::Pixels {
            form: Difference::Abs,
            first,
            second,
            offsets: stereo_offsets(LABELS, 0),
        },
        data_cap: 255,
        s_outside: 255,
        pair: Pair::Abs,
        pair_cap: 2,
        vectors: line_vectors(LABELS),
        alpha: 1,
        beta: 8,
        shift: 0,
        fixed: None,
        edge_weights: None,
    };
    (source, problem)
}

/// An 8-bit PNG in grey (contract §3).
fn grey(path: &str) -> Option<(u32, u32, Vec<u8>)> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(path).ok()?));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    let grey = |p: &[u8]| match p {
        [r, g, b, ..] => {
            ((299 * u32::from(*r) + 587 * u32::from(*g) + 114 * u32::from(*b) + 500) / 1000) as u8
        }
        [v, ..] => *v,
        [] => 0,
    };
    let pixels = pixels.chunks_exact(info.color_type.samples()).map(grey).collect();
    Some((info.width, info.height, pixels))
}

/// A textured scene: a slanted background, boxes in front of it, smooth and rough texture, noise.
fn synthetic(width: u32, height: u32) -> (Vec<u8>, Vec<u8>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as u32
    };
    let cells: Vec<u32> = (0..64 * 64).map(|_| noise() % 200).collect();
    let right: Vec<u8> = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let cell = |s: u32| cells[((y / s % 64) * 64 + x / s % 64) as usize];
            (20 + (cell(23) + cell(7) / 2 + cell(2) / 4) / 2).min(255) as u8
        })
        .collect();
    let left = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let boxes = (x / 90 + y / 75) % 3 * 12;
            let disparity = (10 + y * 15 / height + boxes).min(x);
            right[(y * width + x - disparity) as usize].saturating_add((noise() % 7) as u8)
        })
        .collect();
    (left, right)
}
