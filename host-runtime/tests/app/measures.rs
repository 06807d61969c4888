//! Measures of quality against ground truth, and the third-party formats it comes in.
use spa_runtime::picture::Picture;
use std::collections::BTreeMap;
use std::path::Path;

/// Disparities of a picture that stores them times `scale`, 0 for unknown.
pub fn disparities(path: &Path, scale: f64) -> Vec<Option<f64>> {
    let picture = Picture::open(path).unwrap();
    picture.rgb.iter().map(|p| (p[0] > 0).then(|| f64::from(p[0]) / scale)).collect()
}

/// Share of `mode` more than one pixel off, in percent, where `mask` says so and the truth is known.
pub fn bad_pixels(mode: &[u8], truth: &[Option<f64>], mask: &[bool]) -> f64 {
    let (mut bad, mut all) = (0, 0);
    for ((&label, truth), _) in mode.iter().zip(truth).zip(mask).filter(|(_, mask)| **mask) {
        if let Some(truth) = truth {
            all += 1;
            bad += u32::from((f64::from(label) - truth).abs() > 1.0);
        }
    }
    100.0 * f64::from(bad) / f64::from(all)
}

/// A mask of the stereo benchmark: `strict` takes white only, else everything that is not black.
pub fn mask(path: &Path, strict: bool) -> Vec<bool> {
    let picture = Picture::open(path).unwrap();
    let white = picture.rgb.iter().map(|p| p[0]).max().unwrap();
    picture.rgb.iter().map(|p| if strict { p[0] == white } else { p[0] > 0 }).collect()
}

/// Vectors of a `.flo` file, unknown ones left out.
pub fn flo(path: &Path) -> Vec<Option<(f64, f64)>> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..4], b"PIEH");
    let float = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let vector = |b: &[u8]| {
        let (u, v) = (float(b), float(&b[4..]));
        (u.abs() < 1e9 && v.abs() < 1e9).then_some((u, v))
    };
    bytes[12..].chunks_exact(8).map(vector).collect()
}

/// Mean length of the difference of label displacements (window of side `window`) and true ones.
pub fn end_point_error(mode: &[u8], truth: &[Option<(f64, f64)>], window: u16) -> f64 {
    let radius = f64::from(window / 2);
    let errors: Vec<f64> = mode
        .iter()
        .zip(truth)
        .filter_map(|(&label, truth)| {
            let (u, v) = (*truth)?;
            let label = u16::from(label);
            let (dx, dy) = (f64::from(label % window) - radius, f64::from(label / window) - radius);
            Some((dx - u).hypot(dy - v))
        })
        .collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// Variation of information of two labellings, in bits.
pub fn variation_of_information<A: Ord + Copy, B: Ord + Copy>(a: &[A], b: &[B]) -> f64 {
    let entropy = |counts: Vec<u64>| -> f64 {
        counts.iter().map(|&c| c as f64 / a.len() as f64).map(|p| -p * p.log2()).sum()
    };
    let (mut left, mut right, mut joint) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (&x, &y) in a.iter().zip(b) {
        *left.entry(x).or_insert(0) += 1;
        *right.entry(y).or_insert(0) += 1;
        *joint.entry((x, y)).or_insert(0) += 1;
    }
    let counts = |m: BTreeMap<_, u64>| m.into_values().collect();
    2.0 * entropy(joint.into_values().collect())
        - entropy(counts(left))
        - entropy(right.into_values().collect())
}
