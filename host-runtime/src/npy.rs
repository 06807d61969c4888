//! NumPy files: dense arrays in and out, and the sparse histogram.

use crate::blocks::Source;
use crate::error::{Error, Result};
use crate::formats::npz::Writer;
use npyz::{DType, NpyFile, TypeChar, WriterBuilder};
use spa_model::Count;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Of a file without the beginning of an array. What the parser of that Python text says would help nobody.
const NO_NPY: &str =
    "it is no .npy file, or its beginning is damaged or cut off; copy it again, or save it with numpy.save";

/// Counts that can be written.
pub trait Counted: Count + npyz::AutoSerialize + npyz::Serialize {}

impl<C: Count + npyz::AutoSerialize + npyz::Serialize> Counted for C {}

/// An array of small unsigned numbers, C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Lengths of the dimensions.
    pub shape: Vec<u64>,
    /// Values, C order.
    pub values: Vec<u16>,
}

/// An element of an array of any plain type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Element {
    /// Of booleans and integers.
    Integer(i128),
    /// Of f4 and f8.
    Float(f64),
}

/// Why an element is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// All elements are of a wrong kind.
    Kind(String),
    /// This one has a wrong value; the place is put before it.
    Value(String),
}

/// Where element `n` of an array of `shape` is, in words; elements are counted last index fastest, or first.
pub(crate) fn place(shape: &[u64], n: u64, first_fastest: bool) -> String {
    let mut index = vec![0; shape.len()];
    let mut rest = n;
    let mut take = |d: usize| {
        index[d] = rest % shape[d].max(1);
        rest /= shape[d].max(1);
    };
    if first_fastest {
        (0..shape.len()).for_each(&mut take);
    } else {
        (0..shape.len()).rev().for_each(&mut take);
    }
    match index.as_slice() {
        [y, x] => format!("row {y}, column {x}"),
        [y, x, more @ ..] if !more.is_empty() => format!("row {y}, column {x}, place {more:?}"),
        other => format!("place {other:?}"),
    }
}

/// Reads the bytes of a `.npy` file, of which there are `length`: its shape, and what `of` makes of its elements, C order.
///
/// # Errors
/// The cause, in words; also those of `of`.
pub(crate) fn elements<T: Copy>(
    reader: impl Read,
    length: u64,
    mut of: impl FnMut(Element) -> Result<T, Refusal>,
) -> Result<(Vec<u64>, Vec<T>), String> {
    let npy = NpyFile::new(reader).map_err(|_| NO_NPY.to_string())?;
    let shape = npy.shape().to_vec();
    let count = shape.iter().try_fold(1_u64, |n, &d| n.checked_mul(d)).filter(|&n| n <= length);
    let Some(count) = count else {
        return Err(format!("its shape {shape:?} does not fit its {length} bytes"));
    };
    let DType::Plain(kind) = npy.dtype() else {
        return Err("it holds records; an array of numbers is needed".to_string());
    };
    let order = npy.order();
    let mut values = Vec::with_capacity(count as usize);
    macro_rules! take {
        ($type:ty, $element:expr) => {{
            let data = npy.data::<$type>().map_err(|e| format!("it holds {kind} ({e})"))?;
            for value in data {
                let value = value.map_err(|e| cut(&e))?;
                values.push(of($element(value.into())).map_err(|refusal| match refusal {
                    Refusal::Kind(cause) => cause,
                    Refusal::Value(cause) => {
                        let first_fastest = order == npyz::Order::Fortran;
                        format!("at {} {cause}", place(&shape, values.len() as u64, first_fastest))
                    }
                })?);
            }
        }};
    }
    match (kind.type_char(), kind.size_field()) {
        (TypeChar::Bool, _) => take!(bool, |v: bool| Element::Integer(v.into())),
        (TypeChar::Uint, 1) => take!(u8, Element::Integer),
        (TypeChar::Uint, 2) => take!(u16, Element::Integer),
        (TypeChar::Uint, 4) => take!(u32, Element::Integer),
        (TypeChar::Uint, 8) => take!(u64, Element::Integer),
        (TypeChar::Int, 1) => take!(i8, Element::Integer),
        (TypeChar::Int, 2) => take!(i16, Element::Integer),
        (TypeChar::Int, 4) => take!(i32, Element::Integer),
        (TypeChar::Int, 8) => take!(i64, Element::Integer),
        (TypeChar::Float, 4) => take!(f32, Element::Float),
        (TypeChar::Float, 8) => take!(f64, Element::Float),
        _ => return Err(format!("it holds {kind}; booleans, integers, f4 and f8 are read")),
    }
    if order == npyz::Order::Fortran && shape.len() > 1 {
        values = to_c_order(&shape, &values);
    }
    Ok((shape, values))
}

fn cut(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "it is cut off: it has fewer numbers than its shape says".to_string(),
        _ => format!("it is damaged ({})", crate::error::plain(error)),
    }
}

/// Reads an array of booleans or integers whose values lie in 0…65,535.
///
/// # Errors
/// [`Error::File`] if the file is missing or corrupt, or holds anything else.
pub fn read(path: &Path) -> Result<Array> {
    let file = File::open(path).map_err(|e| Error::io("read array", path, &e))?;
    let length = file.metadata().map_err(|e| Error::io("read array", path, &e))?.len();
    let narrow = |element| match element {
        Element::Integer(value) => {
            u16::try_from(value).map_err(|_| Refusal::Value(format!("it holds {value}; 0…65535 is allowed")))
        }
        Element::Float(_) => Err(Refusal::Kind("it holds floating point, not integers".to_string())),
    };
    let read = elements(BufReader::new(file), length, narrow);
    let (shape, values) = read.map_err(|cause| Error::file("read array", path, cause))?;
    Ok(Array { shape, values })
}

/// Reads an H×W array of values below 256: (width, height, values).
///
/// # Errors
/// As [`read`]; also for any other number of dimensions and for values above 255.
pub fn read_plane(path: &Path) -> Result<(u32, u32, Vec<u8>)> {
    let array = read(path)?;
    let fail = |cause: String| Error::file("read array", path, cause);
    let (height, width) = match array.shape.as_slice() {
        &[height, width] => (u32::try_from(height).ok(), u32::try_from(width).ok()),
        other => return Err(fail(format!("its shape is {other:?}; (height, width) is needed"))),
    };
    let (Some(width), Some(height)) = (width, height) else {
        return Err(fail(format!("its shape {:?} is too large", array.shape)));
    };
    let byte = |(n, v): (usize, u16)| {
        let place = || place(&array.shape, n as u64, false);
        u8::try_from(v).map_err(|_| fail(format!("at {} it holds {v}; 0…255 is allowed", place())))
    };
    let values = array.values.iter().copied().enumerate().map(byte).collect::<Result<_>>()?;
    Ok((width, height, values))
}

/// The values of an array that is stored first index fastest, last index fastest.
fn to_c_order<T: Copy>(shape: &[u64], values: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    let mut index = vec![0_u64; shape.len()];
    for _ in 0..values.len() {
        let place = index.iter().zip(shape).rev().fold(0, |place, (&i, &n)| place * n + i);
        out.push(values[place as usize]);
        for d in (0..shape.len()).rev() {
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
    out
}

/// Writes `values` as a dense array of `shape`, C order, little endian.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write<T>(path: &Path, shape: &[u64], values: &[T]) -> Result<()>
where
    T: npyz::AutoSerialize + npyz::Serialize + Copy,
{
    let mut stream = Stream::create(path, shape)?;
    stream.extend(values.iter().copied())?;
    stream.finish()
}

/// An array that is written value by value.
pub struct Stream<T: npyz::Serialize> {
    path: PathBuf,
    file: Shared,
    writer: npyz::NpyWriter<T, Shared>,
}

impl<T: npyz::AutoSerialize + npyz::Serialize> Stream<T> {
    /// A dense array of `shape`, C order, little endian, without a value yet.
    ///
    /// # Errors
    /// [`Error::File`] if the file cannot be written.
    pub fn create(path: &Path, shape: &[u64]) -> Result<Self> {
        let fail = |e: std::io::Error| Error::io("write", path, &e);
        let file = File::create(path).map_err(fail)?;
        let file = Shared(Rc::new(RefCell::new(BufWriter::new(file))));
        let options = npyz::WriteOptions::new().default_dtype().shape(shape);
        let writer = options.writer(file.clone()).begin_nd().map_err(fail)?;
        Ok(Self { path: path.to_path_buf(), file, writer })
    }

    /// The next values.
    ///
    /// # Errors
    /// [`Error::File`] if they cannot be written.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) -> Result<()> {
        self.writer.extend(values).map_err(|e| Error::io("write", &self.path, &e))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be written, or has not as many values as its shape says.
    pub fn finish(self) -> Result<()> {
        let Self { path, mut file, writer } = self;
        writer.finish().and_then(|()| file.flush()).map_err(|e| Error::io("write", &path, &e))
    }
}

/// A file that the writer of an array uses up, and that is flushed after it.
#[derive(Clone)]
struct Shared(Rc<RefCell<BufWriter<File>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Writes a histogram as an array H×W×L.
///
/// # Errors
/// [`Error::File`] if the file cannot be written; as [`Source::each`].
pub fn write_dense<C: Counted>(path: &Path, source: &dyn Source<C>) -> Result<()> {
    let (width, height) = source.size();
    let mut stream = Stream::create(path, &[height.into(), width.into(), source.labels() as u64])?;
    source.each(&mut |block| stream.extend(block.counts().iter().copied()))?;
    stream.finish()
}

/// Writes a histogram in compressed rows: `shape` (u32: H, W, L), `indptr` (u64, H·W + 1), `labels` (u8) and `counts`
/// (u16) of the non-zero counts; those of RV i are at `indptr[i]..indptr[i + 1]`, labels ascending. `entries` is how many
/// each RV has.
///
/// # Errors
/// [`Error::File`] if the file cannot be written; as [`Source::each`].
pub fn write_sparse<C: Counted>(path: &Path, source: &dyn Source<C>, entries: &[u16]) -> Result<()> {
    let (width, height) = source.size();
    let shape = [height, width, source.labels() as u32];
    let ends = entries.iter().scan(0, |end, &n| {
        *end += u64::from(n);
        Some(*end)
    });
    let filled = entries.iter().map(|&n| u64::from(n)).sum();
    let put = || {
        let mut npz = Writer::create(path)?;
        npz.array("shape", &[3], shape.into_iter())?;
        npz.array("indptr", &[entries.len() as u64 + 1], std::iter::once(0).chain(ends))?;
        npz.array_by("labels", &[filled], |put| each_entry(source, entries, &mut |label, _| put(label)))?;
        npz.array_by("counts", &[filled], |put| each_entry(source, entries, &mut |_, count| put(count)))?;
        npz.finish()
    };
    put().map_err(|e| Error::io("write", path, &e))
}

/// Shows the label and the count of every count that is not zero; every RV has as many as `entries` says.
fn each_entry<C: Count>(
    source: &dyn Source<C>,
    entries: &[u16],
    work: &mut dyn FnMut(u8, C) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut failed = Ok(());
    let walked = source.each(&mut |block| {
        for (i, counts) in block.rvs() {
            let drawn = counts.iter().enumerate().filter(|(_, count)| (**count).into() > 0);
            for (label, &count) in drawn.take(entries[i].into()) {
                if failed.is_ok() {
                    failed = work(label as u8, count);
                }
            }
        }
        Ok(())
    });
    failed.and(walked.map_err(std::io::Error::other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fortran_order_is_turned() {
        // A 2x3 array 0 1 2 / 3 4 5 as NumPy stores it with order F.
        assert_eq!(to_c_order(&[2, 3], &[0, 3, 1, 4, 2, 5]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(place(&[2, 3], 3, true), "row 1, column 1");
        assert_eq!(place(&[2, 3], 3, false), "row 1, column 0");
        assert_eq!(place(&[2, 3, 4], 17, false), "row 1, column 1, place [1]");
        assert_eq!(place(&[5], 3, false), "place [3]");
    }

    #[test]
    fn other_integer_types_are_read_and_floats_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write(&path, &[2, 2], &[1_i64, 2, 3, 300]).unwrap();
        assert_eq!(read(&path).unwrap().values, [1, 2, 3, 300]);
        let error = read_plane(&path).unwrap_err().to_string();
        assert!(error.contains("at row 1, column 1 it holds 300; 0…255 is allowed"), "{error}");
        write(&path, &[2, 3], &[1, 2, 3, 4, -1_i32, 5]).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("at row 1, column 1 it holds -1; 0…65535 is allowed"), "{error}");
        write(&path, &[1, 1], &[1.0_f32]).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("not integers"));
        write(&path, &[4], &[1_u8; 4]).unwrap();
        assert!(read_plane(&path).unwrap_err().to_string().contains("(height, width) is needed"));
        std::fs::write(&path, b"nonsense").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("no .npy file"));
    }

    proptest! {
        #[test]
        fn arrays_come_back(w in 1_u32..20, h in 1_u32..20, seed in any::<u8>()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ä b.npy");
            let values: Vec<u8> = (0..w * h).map(|i| (i as u8).wrapping_mul(seed)).collect();
            write(&path, &[h.into(), w.into()], &values).unwrap();
            prop_assert_eq!(read_plane(&path).unwrap(), (w, h, values));
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            prop_assert!(read_plane(&path).is_err());
        }
    }
}
