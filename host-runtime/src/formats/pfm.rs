//! Portable float maps: text header `Pf` (grey) or `PF` (colour), width, height and a scale whose sign is the byte order
//! (negative is little endian), then 32-bit floats, bottom row first.

use super::{Raster, Samples, bytes_of, check_size};
use crate::error::{Error, Result};
use std::path::Path;

/// Reads a map of either byte order. The magnitude of the scale is a unit of the format's inventor that stereo files
/// leave at 1; it is ignored as everywhere.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged or cut off.
pub fn read(path: &Path) -> Result<Raster> {
    parse(path, &bytes_of(path)?)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Raster> {
    let fail = |cause: String| Error::file("read float map", path, cause);
    // Four words, then exactly one white space, then the samples.
    let mut place = 0;
    let mut word = |what: &str| -> Result<String> {
        while bytes.get(place).is_some_and(u8::is_ascii_whitespace) {
            place += 1;
        }
        let from = place;
        while bytes.get(place).is_some_and(|b| !b.is_ascii_whitespace()) && place - from < 64 {
            place += 1;
        }
        match std::str::from_utf8(&bytes[from..place]) {
            Ok(text) if !text.is_empty() && place < bytes.len() => Ok(text.to_string()),
            _ => Err(fail(format!("its header has no {what}"))),
        }
    };
    let channels = match word("type")?.as_str() {
        "PF" => 3,
        "Pf" => 1,
        other => return Err(fail(format!("its type is '{other}', not Pf or PF"))),
    };
    let size = |text: String| {
        text.parse::<u64>().map_err(|_| fail(format!("'{text}' in its header is no whole number")))
    };
    let (width, height) = (size(word("width")?)?, size(word("height")?)?);
    let (width, height) = check_size("read float map", path, (width, height))?;
    let text = word("scale")?;
    let scale: f64 = text.parse().map_err(|_| fail(format!("its scale is '{text}', no number")))?;
    if !scale.is_finite() || scale == 0.0 {
        return Err(fail(format!("its scale is {text}; the sign of a finite number gives the byte order")));
    }
    let data = bytes.get(place + 1..).unwrap_or_default();
    let row = width as usize * usize::from(channels) * 4;
    let needed = row * height as usize;
    if data.len() < needed {
        return Err(fail(format!("it is cut off: {} of {needed} bytes of samples", data.len())));
    }
    let float = |b: &[u8]| {
        let b = [b[0], b[1], b[2], b[3]];
        if scale < 0.0 { f32::from_le_bytes(b) } else { f32::from_be_bytes(b) }
    };
    let rows = data[..needed].chunks_exact(row).rev();
    let samples = rows.flat_map(|row| row.chunks_exact(4).map(float)).collect();
    Ok(Raster { width, height, channels, samples: Samples::F32(samples), turned: false })
}

/// Writes a map, little endian: `channels` is 1 or 3, `values` are H×W×channels, top row first.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write(path: &Path, width: u32, height: u32, channels: u8, values: &[f32]) -> Result<()> {
    let kind = if channels == 3 { "PF" } else { "Pf" };
    let mut bytes = format!("{kind}\n{width} {height}\n-1\n").into_bytes();
    let row = width as usize * usize::from(channels);
    for row in values.chunks_exact(row.max(1)).rev() {
        bytes.extend(row.iter().flat_map(|v| v.to_le_bytes()));
    }
    std::fs::write(path, bytes).map_err(|e| Error::io("write", path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(header: &str, values: impl IntoIterator<Item = [u8; 4]>) -> Vec<u8> {
        let mut bytes = header.as_bytes().to_vec();
        bytes.extend(values.into_iter().flatten());
        bytes
    }

    #[test]
    fn both_byte_orders_and_the_lowest_row_first() {
        let path = Path::new("a.pfm");
        let values = [1.0_f32, 2.0, 3.5, f32::INFINITY];
        let little = file("Pf\n2 2\n-1.0\n", values.map(f32::to_le_bytes));
        let big = file("Pf 2 2 1\n", values.map(f32::to_be_bytes));
        let expected = Samples::F32(vec![3.5, f32::INFINITY, 1.0, 2.0]);
        assert_eq!(parse(path, &little).unwrap().samples, expected);
        assert_eq!(parse(path, &big).unwrap().samples, expected);
        let colour = parse(path, &file("PF\n1 1\n-1\n", [1.0_f32, 2.0, 3.0].map(f32::to_le_bytes))).unwrap();
        assert_eq!((colour.channels, colour.samples), (3, Samples::F32(vec![1.0, 2.0, 3.0])));
    }

    #[test]
    fn damage_is_named() {
        let text = |bytes: &[u8]| parse(Path::new("a.pfm"), bytes).unwrap_err().to_string();
        assert!(text(b"Pf\n2 2\n0\n").ends_with("the sign of a finite number gives the byte order"));
        assert!(text(b"Pf\n2 x\n-1\n").ends_with("'x' in its header is no whole number"));
        assert!(text(b"Pf\n0 2\n-1\n").contains("no pixels (0x2)"));
        assert!(text(b"Pf\n2 2\n-1\n1234").ends_with("it is cut off: 4 of 16 bytes of samples"));
        assert!(text(b"Pf\n2").ends_with("its header has no width"));
        assert!(text(b"Pf\n99999 1\n-1\n").contains("too large"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(w in 1_u32..9, h in 1_u32..9, three: bool, seed: u32) {
            let channels = if three { 3 } else { 1 };
            let n = w * h * channels;
            let values: Vec<f32> = (0..n).map(|i| (i.wrapping_mul(seed) % 1000) as f32 / 8.0 - 60.0).collect();
            let file = tempfile::NamedTempFile::new().unwrap();
            write(file.path(), w, h, channels as u8, &values).unwrap();
            let read = read(file.path()).unwrap();
            prop_assert_eq!((read.width, read.height, u32::from(read.channels)), (w, h, channels));
            prop_assert_eq!(read.samples, Samples::F32(values));
        }

        #[test]
        fn no_bytes_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = parse(Path::new("a.pfm"), &bytes);
            bytes.splice(0..0, *b"Pf\n3 3 ");
            let _ = parse(Path::new("a.pfm"), &bytes);
        }
    }
}
