//! Holes of pictures (`spa restore --mask`): what is in them afterwards, and how sure.

use super::support::{Spa, data};
use spa_runtime::formats::numbers::Numbers;
use spa_runtime::npy;
use spa_runtime::picture::Picture;
use std::path::Path;

/// Grey picture with a mask of its holes.
struct Damaged {
    width: usize,
    truth: Vec<f64>,
    seen: Vec<u8>,
    hole: Vec<bool>,
}

/// Restored values and their variance.
type Restored = (Vec<f64>, Vec<f64>);

/// Place of a hole: left, top, width, height.
type Hole = (usize, usize, usize, usize);

fn within(i: usize, width: usize, (x, y, w, h): Hole) -> bool {
    (x..x + w).contains(&(i % width)) && (y..y + h).contains(&(i / width))
}

/// Mean distance from the truth over the pixels that `of` picks, in grey levels.
fn error(damaged: &Damaged, found: &[f64], of: impl Fn(usize) -> bool) -> f64 {
    let picked: Vec<usize> = (0..found.len()).filter(|&i| of(i)).collect();
    picked.iter().map(|&i| (found[i] - damaged.truth[i]).abs()).sum::<f64>() / picked.len() as f64
}

impl Damaged {
    /// `truth` (H×W) with noise of about this deviation and with black holes.
    fn new(truth: &[u8], width: usize, noise: f64, holes: &[Hole]) -> Self {
        // Sums of 12 uniform numbers of 0…1023 have a deviation of 1023.
        let normal = |i: usize| {
            (0..12).map(|k| f64::from(spa_model::rng::word(k, 0, i as u32, 0, 0) >> 22)).sum::<f64>() / 1023.0
                - 6.0
        };
        let hole: Vec<bool> =
            (0..truth.len()).map(|i| holes.iter().any(|&hole| within(i, width, hole))).collect();
        let seen = truth.iter().zip(&hole).enumerate().map(|(i, (&v, &hole))| {
            if hole { 0 } else { (f64::from(v) + noise * normal(i)).round().clamp(0.0, 255.0) as u8 }
        });
        Self { width, seen: seen.collect(), truth: truth.iter().map(|&v| f64::from(v)).collect(), hole }
    }

    fn height(&self) -> usize {
        self.hole.len() / self.width
    }

    /// What `spa restore` makes of it, and its variance.
    fn restored(&self, spa: &Spa, more: &[&str]) -> Restored {
        let masked: Vec<u8> = self.hole.iter().map(|&hole| u8::from(hole) * 255).collect();
        for (name, values) in [("damaged.png", &self.seen), ("mask.png", &masked)] {
            let (w, h) = (self.width as u32, self.height() as u32);
            image::save_buffer(spa.path(name), values, w, h, image::ExtendedColorType::L8).unwrap();
        }
        let args = ["restore", "damaged.png", "--mask", "mask.png", "--uncertainty", "-o", "o"];
        spa.ok(&[&args[..], more].concat());
        let read = |name: &str| Numbers::open(&spa.path(name)).unwrap().values;
        (read("o/restored.npy"), read("o/variance.npy"))
    }

    /// Every pixel of a hole between the nearest known ones of its row.
    fn by_rows(&self) -> Vec<f64> {
        let at = |i: usize| f64::from(self.seen[i]);
        (0..self.hole.len())
            .map(|i| {
                let row = i - i % self.width;
                let left = (row..=i).rev().find(|&j| !self.hole[j]);
                let right = (i..row + self.width).find(|&j| !self.hole[j]);
                match (left, right) {
                    (Some(a), Some(b)) if a < b => at(a) + (at(b) - at(a)) * (i - a) as f64 / (b - a) as f64,
                    (Some(a), _) => at(a),
                    (None, b) => at(b.unwrap()),
                }
            })
            .collect()
    }

    /// Every pixel of a hole as the median of the least square around it with eight known pixels.
    fn by_medians(&self) -> Vec<f64> {
        let median = |i: usize| {
            let (x, y) = ((i % self.width) as isize, (i / self.width) as isize);
            let near = |j: &usize, r: isize| {
                (*j % self.width).cast_signed().abs_diff(x) <= r.unsigned_abs()
                    && (*j / self.width).cast_signed().abs_diff(y) <= r.unsigned_abs()
            };
            let mut known = (1..)
                .map(|r| {
                    let all = (0..self.hole.len()).filter(|&j| !self.hole[j]);
                    all.filter(|j| near(j, r)).map(|j| self.seen[j]).collect::<Vec<u8>>()
                })
                .find(|known| known.len() >= 8)
                .unwrap();
            known.sort_unstable();
            f64::from(known[known.len() / 2])
        };
        (0..self.hole.len()).map(|i| if self.hole[i] { median(i) } else { self.seen[i].into() }).collect()
    }

    /// Every pixel of a hole as the mean of its neighbours.
    fn by_diffusion(&self) -> Vec<f64> {
        let mut found: Vec<f64> = self.by_rows();
        for _ in 0..2000 {
            for i in (0..found.len()).filter(|&i| self.hole[i]) {
                let (x, y) = (i % self.width, i / self.width);
                let sides = [
                    (x > 0).then(|| i - 1),
                    (x + 1 < self.width).then_some(i + 1),
                    (y > 0).then(|| i - self.width),
                    (y + 1 < self.height()).then_some(i + self.width),
                ];
                let near: Vec<f64> = sides.into_iter().flatten().map(|j| found[j]).collect();
                found[i] = near.iter().sum::<f64>() / near.len() as f64;
            }
        }
        found
    }
}

#[test]
fn slopes_and_edges_go_through_holes() {
    let spa = Spa::new();
    let (w, h) = (60, 44);
    let holes = [(4, 0, 3, h), (12, 8, 6, 6), (24, 12, 20, 20)];
    let of = |value: &dyn Fn(usize, usize) -> usize| -> Vec<u8> {
        (0..w * h).map(|i| value(i % w, i / w) as u8).collect()
    };
    let pictures = [
        ("slope", of(&|x, y| 30 + 2 * x + y)),
        ("edge", of(&|x, _| if x < 34 { 60 } else { 180 })),
        ("dark", of(&|_, _| 30)),
    ];
    for (name, truth) in pictures {
        for preset in ["default", "best"] {
            let damaged = Damaged::new(&truth, w, 0.0, &holes);
            let (found, variance) = damaged.restored(&spa, &["--preset", preset]);
            for hole in holes {
                let mean = error(&damaged, &found, |i| within(i, w, hole));
                assert!(mean < 5.0, "{name}, {preset}, hole {hole:?}: {mean:.1} grey levels");
            }
            let mean = |inside: bool| {
                let of: Vec<f64> = variance
                    .iter()
                    .zip(&damaged.hole)
                    .filter(|(_, h)| **h == inside)
                    .map(|(v, _)| *v)
                    .collect();
                of.iter().sum::<f64>() / of.len() as f64
            };
            let (inside, outside) = (mean(true), mean(false));
            assert!(
                inside > 1.5 * outside,
                "{name}, {preset}: variance {inside:.0} in holes, {outside:.0} elsewhere"
            );
        }
    }
}

/// Costs that say what the picture says give the same, whatever they say under the mask; then the picture itself says nothing.
#[test]
fn costs_of_ones_own_go_around_holes() {
    let spa = Spa::new();
    let (w, h) = (40, 30);
    let truth: Vec<u8> = (0..w * h).map(|i| (30 + 3 * (i % w) + i / w) as u8).collect();
    let damaged = Damaged::new(&truth, w, 6.0, &[(12, 8, 6, 6), (30, 0, 2, h)]);
    let cost = |i: usize, l: u8| {
        let unknown = damaged.hole[i];
        u16::from(if unknown { (l ^ 0x5a).wrapping_mul(7) } else { damaged.seen[i].abs_diff(l) })
    };
    let costs: Vec<u16> =
        (0..w * h).flat_map(|i| (0..=255).map(move |l| (i, l))).map(|(i, l)| cost(i, l)).collect();
    npy::write(&spa.path("costs.npy"), &[h as u64, w as u64, 256], &costs).unwrap();
    // All greys are labels, so that costs tell them exactly; the smoothness is not read off the picture.
    let more = ["--labels", "256", "--iterations", "60", "--beta", "2"];
    let expected = damaged.restored(&spa, &more);
    let blank = Damaged { seen: vec![128; w * h], ..damaged };
    let found = blank.restored(&spa, &[&more[..], &["--costs", "costs.npy"]].concat());
    assert!(found == expected, "costs and picture");
    assert!(blank.restored(&spa, &more) != expected, "the picture says nothing");
}

/// Prints the table of docs/quality.md.
#[test]
#[ignore = "a measurement of a minute"]
fn holes_of_pictures() {
    let Some(folder) = data("holes_of_pictures") else { return };
    let (w, h) = (160, 120);
    let kinds: [(&str, &[Hole]); 3] = [
        ("scratch of 3 pixels", &[(12, 0, 3, h)]),
        (
            "6×6",
            &[
                (30, 10, 6, 6),
                (30, 50, 6, 6),
                (30, 90, 6, 6),
                (140, 20, 6, 6),
                (140, 60, 6, 6),
                (140, 100, 6, 6),
            ],
        ),
        ("20×20", &[(60, 15, 20, 20), (100, 15, 20, 20), (60, 70, 20, 20), (100, 70, 20, 20)]),
    ];
    let holes: Vec<Hole> = kinds.iter().flat_map(|(_, holes)| holes.iter().copied()).collect();
    let spa = Spa::new();
    for noise in [0.0, 20.0] {
        for name in ["stereo/tsukuba/imL.png", "flow/rubberwhale/frame10.png", "segmentation/42049/image.jpg"]
        {
            let truth = crop(&folder.join(name), (w, h));
            let damaged = Damaged::new(&truth, w, noise, &holes);
            let runs: Vec<_> =
                (1..4).map(|seed| damaged.restored(&spa, &["--seed", &seed.to_string()])).collect();
            let mean = |of: &dyn Fn(&Restored) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
            let fills = [damaged.by_rows(), damaged.by_medians(), damaged.by_diffusion()];
            println!("{name}, noise {noise}: hole | restore | rows | medians | diffusion | deviation");
            for (kind, holes) in kinds {
                let of = |i: usize| holes.iter().any(|&hole| within(i, w, hole));
                let deviation = mean(&|run| {
                    let picked: Vec<f64> = (0..w * h).filter(|&i| of(i)).map(|i| run.1[i].sqrt()).collect();
                    picked.iter().sum::<f64>() / picked.len() as f64
                });
                let restored = mean(&|run| error(&damaged, &run.0, of));
                let [rows, medians, diffusion] = [0, 1, 2].map(|n| error(&damaged, &fills[n], of));
                println!(
                    "| {kind} | {restored:.1} | {rows:.1} | {medians:.1} | {diffusion:.1} | {deviation:.1} |"
                );
            }
            let known = |i: usize| !damaged.hole[i];
            let deviation = mean(&|run| {
                let picked: Vec<f64> = (0..w * h).filter(|&i| known(i)).map(|i| run.1[i].sqrt()).collect();
                picked.iter().sum::<f64>() / picked.len() as f64
            });
            println!(
                "| elsewhere | {:.1} | | | | {deviation:.1} |",
                mean(&|run| error(&damaged, &run.0, known))
            );
        }
    }
}

/// Grey of the middle of a picture.
fn crop(path: &Path, (w, h): (usize, usize)) -> Vec<u8> {
    let picture = Picture::open(path).unwrap();
    let (width, height) = (picture.width as usize, picture.height as usize);
    let (left, top) = ((width - w) / 2, (height - h) / 2);
    let grey = picture.grey(8);
    (0..w * h).map(|i| grey[(top + i / w) * width + left + i % w]).collect()
}
