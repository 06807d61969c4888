//! Arrays of NumPy of any plain type, as numbers.

use crate::error::{Error, Result};
use crate::npy::{self, Element};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// An array of numbers, C order.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// True for booleans and integers.
    pub integer: bool,
    /// Values, C order; integers are exact up to 2^53.
    pub values: Vec<f64>,
}

impl Numbers {
    /// Reads a `.npy` file of booleans, integers or floating point, either memory order.
    ///
    /// # Errors
    /// [`Error::File`] if it is missing, damaged, or holds something else.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("read array", path, &e))?;
        let length = file.metadata().map_err(|e| Error::io("read array", path, &e))?.len();
        Self::read(BufReader::new(file), length).map_err(|cause| Error::file("read array", path, cause))
    }

    /// Reads the bytes of a `.npy` file, of which there are `length`.
    ///
    /// # Errors
    /// The cause, in words.
    pub fn read(reader: impl Read, length: u64) -> Result<Self, String> {
        let mut integer = true;
        let (shape, values) = npy::elements(reader, length, |element| {
            integer &= !matches!(element, Element::Float(_));
            match element {
                Element::Integer(value) => Ok(value as f64),
                Element::Float(value) => Ok(value),
            }
        })?;
        Ok(Self { shape, integer, values })
    }

    /// Width, height and numbers a pixel of an array of shape (H, W) or (H, W, C).
    ///
    /// # Errors
    /// The cause, in words.
    pub fn plane(&self) -> Result<(u32, u32, usize), String> {
        let side = |n: u64| {
            u32::try_from(n)
                .ok()
                .filter(|n| (1..=65_535).contains(n))
                .ok_or_else(|| format!("its shape is {:?}; sides must be 1…65535", self.shape))
        };
        match *self.shape.as_slice() {
            [height, width] => Ok((side(width)?, side(height)?, 1)),
            [height, width, channels] => Ok((side(width)?, side(height)?, channels as usize)),
            _ => Err(format!("its shape is {:?}; (height, width) is needed", self.shape)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_types_and_both_orders() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        crate::npy::write(path, &[1, 3], &[1.5_f32, f32::NAN, -2.0]).unwrap();
        let read = Numbers::open(path).unwrap();
        assert!(!read.integer && read.values[0] == 1.5 && read.values[1].is_nan());
        crate::npy::write(path, &[2, 2], &[true, false, false, true]).unwrap();
        let read = Numbers::open(path).unwrap();
        assert!(read.integer);
        assert_eq!((read.values.as_slice(), read.plane()), (&[1.0, 0.0, 0.0, 1.0][..], Ok((2, 2, 1))));
        // A Fortran array by hand: 2x3, columns first.
        let mut bytes =
            b"\x93NUMPY\x01\0\x46\0{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }".to_vec();
        bytes.resize(79, b' ');
        bytes.push(b'\n');
        for v in [0.0_f64, 3.0, 1.0, 4.0, 2.0, 5.0] {
            bytes.extend(v.to_le_bytes());
        }
        let read = Numbers::read(bytes.as_slice(), bytes.len() as u64).unwrap();
        assert_eq!(read.values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(Numbers::read(&bytes[..100], 100).unwrap_err().contains("cut off"));
        assert!(Numbers::read(&b"nonsense"[..], 8).unwrap_err().contains("no .npy file"));
    }
}
