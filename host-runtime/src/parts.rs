//! Reading files made of parts, each with a CRC-32 after it, so that damage is placed: logs and checkpoints.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Read as _, Write};
use std::path::Path;

/// A header is a few kilobytes; anything above this is damage.
const HEADER_MAX: u32 = 1 << 24;

/// Magic number, version, and the JSON header with its length and checksum.
///
/// # Errors
/// If it cannot be written.
pub fn put_header(out: &mut impl Write, magic: &[u8; 8], version: u32, header: &[u8]) -> std::io::Result<()> {
    out.write_all(magic)?;
    out.write_all(&version.to_le_bytes())?;
    out.write_all(&(header.len() as u32).to_le_bytes())?;
    put(out, header)
}

/// A part and its checksum.
///
/// # Errors
/// If it cannot be written.
pub fn put(out: &mut impl Write, part: &[u8]) -> std::io::Result<()> {
    out.write_all(part)?;
    out.write_all(&crc32fast::hash(part).to_le_bytes())
}

/// The `number`-th of several parts of one kind and its checksum, which notices parts in the wrong order.
///
/// # Errors
/// If it cannot be written.
pub fn put_block(out: &mut impl Write, number: usize, part: &[u8]) -> std::io::Result<()> {
    out.write_all(part)?;
    out.write_all(&block_checksum(number, part).to_le_bytes())
}

fn block_checksum(number: usize, part: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&(number as u32).to_le_bytes());
    hasher.update(part);
    hasher.finalize()
}

/// A file that is read part by part.
#[derive(Debug)]
pub struct Reader<'a> {
    what: &'static str,
    path: &'a Path,
    input: BufReader<File>,
    /// Bytes read so far.
    at: u64,
}

impl<'a> Reader<'a> {
    /// Opens `path`, a `what` ("log").
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be opened.
    pub fn open(what: &'static str, path: &'a Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("read", path, &e))?;
        Ok(Self { what, path, input: BufReader::new(file), at: 0 })
    }

    /// The refusal of the part `place`.
    pub fn damaged(&self, place: &str, cause: impl Into<String>) -> Error {
        let (what, path) = (self.what, self.path.to_path_buf());
        Error::Damaged { what, path, place: place.to_string(), cause: cause.into() }
    }

    /// Magic number, version and header: the text of the header.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is another kind of file, another version, cut off, or does not have its checksum.
    pub fn header(&mut self, magic: &[u8; 8], version: u32) -> Result<Vec<u8>> {
        if self.take(magic.len(), "the magic number")? != magic {
            return Err(self.damaged("the magic number", format!("this is no {} of spa", self.what)));
        }
        let found = self.word("the version")?;
        if found != version {
            return Err(self.damaged("the version", format!("it is {found}, this program reads {version}")));
        }
        let length = self.word("the length of the header")?;
        if length > HEADER_MAX {
            return Err(self.damaged("the length of the header", format!("{length} bytes")));
        }
        self.part(length as usize, "the header")
    }

    /// A part of `length` bytes and its checksum.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is cut off or does not have its checksum.
    pub fn part(&mut self, length: usize, place: &str) -> Result<Vec<u8>> {
        let (bytes, damage) = self.checked(length, crc32fast::hash)?;
        damage.map_or(Ok(bytes), |cause| Err(self.damaged(place, cause)))
    }

    /// The `number`-th of several parts of one kind; where it is damaged, `closer` may look for the first thing in it, as far as it
    /// is there, that cannot be.
    ///
    /// # Errors
    /// As [`Reader::part`].
    pub fn block(
        &mut self,
        number: usize,
        length: usize,
        place: &str,
        closer: impl FnOnce(&[u8]) -> Option<String>,
    ) -> Result<Vec<u8>> {
        let (bytes, damage) = self.checked(length, |bytes| block_checksum(number, bytes))?;
        let Some(cause) = damage else { return Ok(bytes) };
        let closer = closer(&bytes).map_or_else(String::new, |text| format!("; {text}"));
        Err(self.damaged(place, cause + &closer))
    }

    /// Refuses a file that goes on; `place` is where it should have ended.
    ///
    /// # Errors
    /// [`Error::Damaged`].
    pub fn end(&mut self, place: &str, cause: &str) -> Result<()> {
        let mut rest = [0];
        match self.input.read(&mut rest) {
            Ok(n) if n > 0 => Err(self.damaged(place, cause)),
            _ => Ok(()),
        }
    }

    /// A part of `length` bytes, as far as it is there, and what is wrong with it or with its checksum.
    fn checked(&mut self, length: usize, sum: impl Fn(&[u8]) -> u32) -> Result<(Vec<u8>, Option<String>)> {
        let first = self.at;
        let (bytes, cut) = self.some(length)?;
        if cut.is_some() {
            return Ok((bytes, cut));
        }
        let (stored, cut) = self.some(4)?;
        let computed = sum(&bytes);
        let damage = cut.or_else(|| {
            let stored = stored.try_into().map_or(!computed, u32::from_le_bytes);
            (stored != computed).then(|| {
                let last = first + length as u64;
                format!("bytes {first} to {last} have checksum {computed:08x}, the file has {stored:08x}")
            })
        });
        Ok((bytes, damage))
    }

    /// Exactly `length` bytes of the part `place`.
    fn take(&mut self, length: usize, place: &str) -> Result<Vec<u8>> {
        let (bytes, cut) = self.some(length)?;
        cut.map_or(Ok(bytes), |cause| Err(self.damaged(place, cause)))
    }

    /// The next `length` bytes, as far as they are there, and where the file ends if they are not.
    fn some(&mut self, length: usize) -> Result<(Vec<u8>, Option<String>)> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(length as u64).read_to_end(&mut bytes);
        read.map_err(|e| Error::io("read", self.path, &e))?;
        self.at += bytes.len() as u64;
        let cut = (bytes.len() < length).then(|| {
            format!("the file is cut off at byte {}: {} of {length} bytes are there", self.at, bytes.len())
        });
        Ok((bytes, cut))
    }

    fn word(&mut self, place: &str) -> Result<u32> {
        let bytes = self.take(4, place)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}
