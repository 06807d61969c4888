//! Flow fields of the Middlebury benchmark: `PIEH`, width and height (i32), then u and v of every pixel as f32, all little
//! endian, top row first. A component of 1e9 or more marks an unknown vector.

use super::{Flow, bytes_of, check_size};
use crate::error::{Error, Result};
use std::path::Path;

/// What an unknown vector is written as.
const UNKNOWN: f32 = 1_666_666_752.0;

/// Reads a field.
///
/// # Errors
/// [`Error::File`] if the file is missing, damaged or cut off.
pub fn read(path: &Path) -> Result<Flow> {
    parse(path, &bytes_of(path)?)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Flow> {
    let fail = |cause: String| Error::file("read flow", path, cause);
    let Some((head, data)) = bytes.split_at_checked(12).filter(|(head, _)| head.starts_with(b"PIEH")) else {
        return Err(fail("it is no .flo file; those start with PIEH".to_string()));
    };
    let side = |at: usize| {
        let n = i32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        u64::try_from(n).map_err(|_| fail(format!("its header has the size {n}")))
    };
    let (width, height) = check_size("read flow", path, (side(4)?, side(8)?))?;
    let needed = width as usize * height as usize * 8;
    if data.len() < needed {
        return Err(fail(format!("it is cut off: {} of {needed} bytes of vectors", data.len())));
    }
    let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let vectors = data[..needed].chunks_exact(8).map(|b| [float(b), float(&b[4..])]).collect();
    Ok(Flow::new(width, height, vectors))
}

/// Writes a field; unknown vectors as the benchmark's code does (above 1e9).
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write(path: &Path, flow: &Flow) -> Result<()> {
    let mut bytes = b"PIEH".to_vec();
    bytes.extend(flow.width.to_le_bytes());
    bytes.extend(flow.height.to_le_bytes());
    for i in 0..flow.vectors.len() {
        let [u, v] = flow.get(i).unwrap_or([UNKNOWN; 2]);
        bytes.extend(u.to_le_bytes());
        bytes.extend(v.to_le_bytes());
    }
    std::fs::write(path, bytes).map_err(|e| Error::io("write", path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_unknown_stays_unknown() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let flow = Flow::new(3, 1, vec![[1.5, -2.0], [f32::NAN, 0.0], [0.0, 2e9]]);
        write(file.path(), &flow).unwrap();
        let back = read(file.path()).unwrap();
        assert_eq!((back.get(0), back.get(1), back.get(2)), (Some([1.5, -2.0]), None, None));
        assert_eq!(std::fs::read(file.path()).unwrap().len(), 12 + 24);
    }

    #[test]
    fn damage_is_named() {
        let text = |bytes: &[u8]| parse(Path::new("a.flo"), bytes).unwrap_err().to_string();
        assert!(text(b"PIEH").contains("no .flo file"));
        assert!(text(b"HEIP\x01\0\0\0\x01\0\0\0").contains("no .flo file"));
        assert!(text(b"PIEH\x02\0\0\0\x01\0\0\x00123").ends_with("it is cut off: 3 of 16 bytes of vectors"));
        assert!(text(b"PIEH\xff\xff\xff\xff\x01\0\0\0").ends_with("its header has the size -1"));
        assert!(text(b"PIEH\0\0\0\0\x01\0\0\0").contains("no pixels"));
    }
}
