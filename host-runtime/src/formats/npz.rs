//! Archives of NumPy: named arrays in a ZIP.

use super::numbers::Numbers;
use crate::error::{Error, Result};
use npyz::WriterBuilder as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, Write};
use std::path::Path;

/// Of a file that is no archive with a directory.
const NO_NPZ: &str =
    "it is no .npz file, or it is damaged or cut off (its directory is at its end); copy or save it again";

/// Arrays that say where others are known.
const BESIDE: [&str; 2] = ["valid", "mask"];

/// Reads the first of `names` (in any case) that the archive has, or its only array but for masks.
///
/// # Errors
/// [`Error::File`] if the archive is missing or damaged, or has several arrays and none of these names.
pub fn read(path: &Path, names: &[&str]) -> Result<Numbers> {
    let found = list(path)?;
    let named = names.iter().find_map(|name| found.iter().find(|f| f.eq_ignore_ascii_case(name)));
    let mut others = found.iter().filter(|f| !BESIDE.contains(&f.as_str()));
    match (named, others.next(), others.next()) {
        (Some(name), ..) | (None, Some(name), None) => entry(path, name),
        _ => {
            let cause =
                format!("it holds the arrays {}, but {} is needed", found.join(", "), names.join(" or "));
            Err(Error::file("read arrays", path, cause))
        }
    }
}

/// Reads the array `name` (in any case), if there is one.
///
/// # Errors
/// [`Error::File`] if the archive or the array is damaged.
pub fn read_if_any(path: &Path, name: &str) -> Result<Option<Numbers>> {
    let found = list(path)?.into_iter().find(|found| found.eq_ignore_ascii_case(name));
    found.map(|found| entry(path, &found)).transpose()
}

fn open(path: &Path) -> Result<zip::ZipArchive<BufReader<File>>> {
    let file = File::open(path).map_err(|e| Error::io("read arrays", path, &e))?;
    zip::ZipArchive::new(BufReader::new(file)).map_err(|_| Error::file("read arrays", path, NO_NPZ))
}

/// Names of the arrays, sorted.
///
/// # Errors
/// [`Error::File`] if the archive is missing or damaged.
pub fn list(path: &Path) -> Result<Vec<String>> {
    let archive = open(path)?;
    // A name that is no text can be none of those that are asked for.
    let names = archive.file_names().filter_map(Result::ok);
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".npy")?.to_string())).collect();
    names.sort();
    Ok(names)
}

fn entry(path: &Path, name: &str) -> Result<Numbers> {
    let fail = |cause: String| Error::file("read arrays", path, format!("array '{name}': {cause}"));
    let mut archive = open(path)?;
    let entry = archive.by_name(&format!("{name}.npy")).map_err(|e| fail(e.to_string()))?;
    let length = entry.size();
    Numbers::read(entry, length).map_err(fail)
}

/// A file whose first failure is the last: what comes after it goes nowhere and succeeds. The archive writes its directory even
/// when it is dropped after an error, and would put a failure of that on stderr, beside the error that is told.
struct Once<W> {
    file: W,
    failed: bool,
    /// Where a file that took everything would be, and its length.
    at: u64,
    length: u64,
}

impl<W: Seek> Once<W> {
    fn new(file: W) -> Self {
        Self { file, failed: false, at: 0, length: 0 }
    }

    /// The answer of the file to `work`, or `instead` once something has failed.
    fn ask<T>(&mut self, instead: T, work: impl FnOnce(&mut W) -> std::io::Result<T>) -> std::io::Result<T> {
        if self.failed {
            return Ok(instead);
        }
        let done = work(&mut self.file);
        // An interrupted call is repeated by whoever made it.
        self.failed = done.as_ref().is_err_and(|e| e.kind() != std::io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write + Seek> Write for Once<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let taken = self.ask(bytes.len(), |file| file.write(bytes))?;
        self.at += taken as u64;
        self.length = self.length.max(self.at);
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.ask((), Write::flush)
    }
}

impl<W: Seek> Seek for Once<W> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        let instead = match to {
            std::io::SeekFrom::Start(at) => Some(at),
            std::io::SeekFrom::End(by) => self.length.checked_add_signed(by),
            std::io::SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = self.ask(instead.unwrap_or(0), |file| file.seek(to))?;
        Ok(self.at)
    }
}

/// An archive in the making. The same arrays give the same bytes: every date is fixed.
pub struct Writer<W: Write + Seek> {
    zip: zip::ZipWriter<Once<W>>,
}

impl Writer<BufWriter<File>> {
    /// Creates the file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self { zip: zip::ZipWriter::new(Once::new(BufWriter::new(File::create(path)?))) })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> std::io::Result<()> {
        self.zip.finish().map_err(std::io::Error::from)?.flush()
    }
}

impl<W: Write + Seek> Writer<W> {
    /// Adds an array, C order, little endian.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn array<T>(
        &mut self,
        name: &str,
        shape: &[u64],
        mut values: impl Iterator<Item = T>,
    ) -> std::io::Result<()>
    where
        T: npyz::AutoSerialize + npyz::Serialize,
    {
        self.array_by(name, shape, |put| values.try_for_each(put))
    }

    /// The same; `fill` is given what takes its values.
    ///
    /// # Errors
    /// If it cannot be written, and those of `fill`.
    pub fn array_by<T>(
        &mut self,
        name: &str,
        shape: &[u64],
        fill: impl FnOnce(&mut dyn FnMut(T) -> std::io::Result<()>) -> std::io::Result<()>,
    ) -> std::io::Result<()>
    where
        T: npyz::AutoSerialize + npyz::Serialize,
    {
        let options = zip::write::SimpleFileOptions::default()
            .large_file(true)
            .last_modified_time(zip::DateTime::default());
        self.zip.start_file(format!("{name}.npy"), options)?;
        let mut writer =
            npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut self.zip).begin_nd()?;
        fill(&mut |value| writer.push(&value))?;
        writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_found_by_name_or_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = Writer::create(file.path()).unwrap();
        writer.array("u", &[1, 2], [1.0_f32, 2.0].into_iter()).unwrap();
        writer.array("valid", &[1, 2], [true, false].into_iter()).unwrap();
        writer.finish().unwrap();
        let first = std::fs::read(file.path()).unwrap();
        assert_eq!(read(file.path(), &["flow", "u"]).unwrap().values, [1.0, 2.0]);
        assert!(read_if_any(file.path(), "valid").unwrap().unwrap().integer);
        assert!(read_if_any(file.path(), "v").unwrap().is_none());
        assert_eq!(read(file.path(), &["U"]).unwrap().values, [1.0, 2.0]);
        assert_eq!(
            read(file.path(), &["disparity"]).unwrap().values,
            [1.0, 2.0],
            "the only one but for the mask"
        );
        let mut writer = Writer::create(file.path()).unwrap();
        for name in ["u", "v", "valid"] {
            writer.array(name, &[1, 2], [1.0_f32, 2.0].into_iter()).unwrap();
        }
        writer.finish().unwrap();
        let text = read(file.path(), &["disparity"]).unwrap_err().to_string();
        assert!(text.ends_with("it holds the arrays u, v, valid, but disparity is needed"), "{text}");
        let mut writer = Writer::create(file.path()).unwrap();
        writer.array("u", &[1, 2], [1.0_f32, 2.0].into_iter()).unwrap();
        writer.array("valid", &[1, 2], [true, false].into_iter()).unwrap();
        writer.finish().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), first, "no date in the file");
        std::fs::write(file.path(), b"PK\x03\x04 no archive").unwrap();
        assert!(read(file.path(), &["u"]).unwrap_err().to_string().contains("no .npz file"));
    }
}
