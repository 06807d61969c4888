//! The histogram of every pixel, or of every n-th where there are too many, packed for a page.
//!
//! A pixel is the number of its entries (a byte), then for every entry, most frequent first, the label (a byte) and the count
//! (LEB128), then the count of what was left out (LEB128). All of it is a zlib stream.

use crate::blocks::Source;
use crate::error::{Error, Result};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use spa_model::Count;
use std::io::Write as _;

/// Entries kept in all; beyond that only every second, third … row and column is.
const ENTRIES: usize = 1_500_000;
/// Entries kept of a pixel.
const ENTRIES_OF_PIXEL: usize = 64;

/// A packed histogram.
#[derive(Debug)]
pub struct Packed {
    /// Every so many rows and columns are kept.
    pub step: u32,
    /// Kept columns.
    pub columns: u32,
    /// Kept rows.
    pub rows: u32,
    /// The zlib stream.
    pub bytes: Vec<u8>,
}

/// Packs `source`; `entries` is how many counts of every pixel are not zero.
///
/// # Errors
/// As [`Source::each`]; the encoder's signature has one, too.
pub fn pack<C: Count>(source: &dyn Source<C>, entries: &[u16]) -> Result<Packed> {
    pack_at_most(source, entries, ENTRIES)
}

fn pack_at_most<C: Count>(source: &dyn Source<C>, filled: &[u16], entries: usize) -> Result<Packed> {
    let (width, height) = source.size();
    let filled = |i: usize| usize::from(filled[i]).min(ENTRIES_OF_PIXEL);
    let mut step = 1;
    while step < width.max(height) && kept(width, height, step).map(filled).sum::<usize>() > entries {
        step += 1;
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let fail = |e: std::io::Error| Error::usage(format!("the histogram cannot be packed: {e}"));
    let mut pixel = Vec::new();
    let mut pixels = kept(width, height, step).peekable();
    source.each(&mut |block| {
        while let Some(i) = pixels.next_if(|&i| !block.own(i).is_empty()) {
            put(&mut pixel, block.own(i));
            encoder.write_all(&pixel).map_err(fail)?;
        }
        Ok(())
    })?;
    let bytes = encoder.finish().map_err(fail)?;
    Ok(Packed { step, columns: width.div_ceil(step), rows: height.div_ceil(step), bytes })
}

/// Writes the counts of a pixel over `pixel`.
fn put<C: Count>(pixel: &mut Vec<u8>, counts: &[C]) {
    let counts = counts.iter().enumerate().map(|(l, &c)| (l, c.into()));
    let mut counts: Vec<(usize, u32)> = counts.filter(|&(_, c)| c > 0).collect();
    // The lowest label first on a tie, as the mode has it.
    counts.sort_by_key(|&(l, c)| (u32::MAX - c, l));
    let rest = counts.iter().skip(ENTRIES_OF_PIXEL).map(|(_, c)| c).sum();
    counts.truncate(ENTRIES_OF_PIXEL);
    pixel.clear();
    pixel.push(counts.len() as u8);
    for (label, count) in counts {
        pixel.push(label as u8);
        leb128(pixel, count);
    }
    leb128(pixel, rest);
}

/// Pixels that are kept, row-major.
fn kept(width: u32, height: u32, step: u32) -> impl Iterator<Item = usize> {
    let row = move |y: u32| {
        (0..width).step_by(step as usize).map(move |x| y as usize * width as usize + x as usize)
    };
    (0..height).step_by(step as usize).flat_map(row)
}

fn leb128(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{Digest, Whole};
    use spa_model::Histogram;
    use std::io::Read as _;

    fn unpacked(packed: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(packed.bytes.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn histogram() -> Histogram {
        use spa_model::{Difference, Hardware, Job, Pair, Problem, Run, Schedule, Singleton, Start};
        let problem = Problem {
            width: 4,
            height: 2,
            labels: 3,
            singleton: Singleton::Values { form: Difference::Abs, first: vec![0; 8], values: vec![0, 1, 2] },
            data_cap: 255,
            s_outside: 255,
            pair: Pair::Abs,
            pair_cap: 2,
            vectors: spa_model::job::line_vectors(3),
            alpha: 1,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        };
        let run = Run {
            schedule: Schedule::constant(4.0, 300).unwrap(),
            burn_in: 0,
            seed: 3,
            chain: 0,
            start: Start::Zero,
            cutoff: None,
        };
        let job = Job::new(Hardware::default(), problem, run).unwrap();
        spa_model::spec::run(&job).unwrap().histogram
    }

    #[test]
    fn every_count_is_there() {
        let histogram = histogram();
        let source = Whole::of((4, 2), &histogram);
        let packed = pack(&source, &Digest::of(&source, None).unwrap().entries).unwrap();
        assert_eq!((packed.step, packed.columns, packed.rows), (1, 4, 2));
        let bytes = unpacked(&packed);
        let mut place = 0;
        let mut next = || {
            place += 1;
            u32::from(bytes[place - 1])
        };
        for i in 0..8 {
            let mut found = vec![0; 3];
            let number = |next: &mut dyn FnMut() -> u32| {
                let (mut value, mut shift) = (0, 0);
                loop {
                    let byte = next();
                    value |= (byte & 0x7f) << shift;
                    shift += 7;
                    if byte < 0x80 {
                        return value;
                    }
                }
            };
            let mut last = u32::MAX;
            for _ in 0..next() {
                let label = next();
                let count = number(&mut next);
                assert!(count <= last, "most frequent first");
                last = count;
                found[label as usize] = count as u16;
            }
            assert_eq!(number(&mut next), 0, "nothing is left out");
            assert_eq!(found, histogram.rv(i), "pixel {i}");
        }
        assert_eq!(place, bytes.len());
    }

    #[test]
    fn too_much_is_thinned() {
        let histogram = histogram();
        let source = Whole::of((4, 2), &histogram);
        let packed = pack_at_most(&source, &Digest::of(&source, None).unwrap().entries, 7).unwrap();
        assert_eq!((packed.step, packed.columns, packed.rows), (2, 2, 1));
    }
}
