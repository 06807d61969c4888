//! Log files: the label log of one run with all that is needed to read it again.
//!
//! Little endian. Every part has a checksum, so damage is placed:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | magic `SPALOG\r\n` |
//! | 4 | version, 1 |
//! | 4 | length of the header |
//! | length, 4 | header: JSON of [`Header`]; CRC-32 of the header |
//! | 5·fixed, 4 | evidence: RV (u32) and label (u8) of every fixed RV, ascending; CRC-32 of it |
//! | blocks | up to 1024 lines each, then the CRC-32 of block number (u32) and lines |
//!
//! Lines are packed as [`MessageFormat`] says (docs/array.md); the order of messages means nothing. The decoder also
//! compares the number of messages, their hash, and that the counts of every RV add up.

use crate::error::{Error, Result};
use crate::output::replace;
use crate::parts::{self, Reader};
use crate::spill::Spilled;
use serde::{Deserialize, Serialize};
use spa_model::geometry::S2Addressing;
use spa_model::hash::{hash_messages, sha256_hex};
use spa_model::message::MessageFormat;
use spa_model::{ArrayShape, Histogram, Job, Message, Record, Tiling};
use std::io::Write;
use std::path::Path;

const MAGIC: &[u8; 8] = b"SPALOG\r\n";
const VERSION: u32 = 1;
const BLOCK_LINES: usize = 1024;

/// What a log file says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// `stereo`, `flow` or `segment`.
    pub application: String,
    /// W
    pub width: u32,
    /// H
    pub height: u32,
    /// L
    pub labels: u16,
    /// Collected iterations: what the counts of a free RV add up to.
    pub collected: u16,
    /// Canonical record of the run (contract §1).
    pub record: serde_json::Value,
    /// SHA-256 of the canonical text of the record.
    pub record_hash: String,
    /// Tiles of the array.
    pub tiles: Tiles,
    /// Widths of the fields of a message.
    pub message: Fields,
    /// Fixed RVs.
    pub fixed: u64,
    /// Messages.
    pub messages: u64,
    /// Lines.
    pub lines: u64,
    /// Hash of the messages (contract §8).
    pub messages_hash: String,
}

/// How the field lies on the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiles {
    /// Columns of SPEs.
    pub cols: u32,
    /// Rows of SPEs.
    pub rows: u32,
    /// RVs of a tile in a row.
    pub width: u32,
    /// Rows of a tile.
    pub height: u32,
}

/// [`MessageFormat`] in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fields {
    /// Bits of a message, 32 or 64.
    pub bits: u32,
    /// Bits of the counter, lowest field.
    pub count_bits: u32,
    /// Bits of the label.
    pub label_bits: u32,
    /// Bits of the RV address in its SPE.
    pub rv_bits: u32,
    /// Bits of the SPE number.
    pub spe_bits: u32,
    /// Bits of a line.
    pub line_bits: u32,
}

/// A log file that has been read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Its header.
    pub header: Header,
    /// Messages, sorted.
    pub messages: Vec<Message>,
    /// The exact histogram.
    pub histogram: Histogram,
}

/// The message format of a run: that of the build's shape, else {RV, label, count} in 32 bits if they fit, else 64, and
/// lines of 512 bits.
pub fn message_format(job: &Job, shape: Option<&ArrayShape>) -> MessageFormat {
    if let Some(shape) = shape {
        return MessageFormat::new(shape, job.hardware());
    }
    let rv_bits = ArrayShape::bits_for(job.problem().rvs() as u32);
    let (label_bits, count_bits) = (job.hardware().label_bits.into(), job.hardware().count_bits.into());
    let bits = if rv_bits + label_bits + count_bits <= 32 { 32 } else { 64 };
    MessageFormat { bits, count_bits, label_bits, rv_bits, spe_bits: 0, line_bits: 512 }
}

/// Messages of a run, where they are.
#[derive(Debug, Clone, Copy)]
pub enum Kept<'a> {
    /// In memory.
    Memory(&'a [Message]),
    /// On disk.
    Disk(&'a Spilled),
}

impl Kept<'_> {
    /// Shows all messages to `work`, some at a time.
    fn each(self, work: &mut dyn FnMut(&[Message]) -> Result<()>) -> Result<()> {
        match self {
            Self::Memory(messages) => work(messages),
            Self::Disk(spilled) => spilled.each_messages(&mut |messages| work(messages)),
        }
    }
}

/// What a log is made of.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Labels after the last iteration, H×W.
    pub labels: &'a [u8],
    /// All messages.
    pub kept: Kept<'a>,
    /// How many, and their hash (contract §8).
    pub messages: (u64, &'a str),
}

/// Writes the log of `run`, the first `iteration` iterations of `job`, to `path`, whole or not at all. Messages are packed
/// as the build of `shape` does; without one, or if the job does not fit it, as one SPE with the whole field.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write(
    path: &Path,
    application: &str,
    (job, iteration): (&Job, u32),
    shape: Option<&ArrayShape>,
    run: &Run<'_>,
) -> Result<()> {
    let fitting = shape.and_then(|shape| Some((shape, Tiling::new(shape, job).ok()?)));
    let (format, tiling) = match fitting {
        Some((shape, tiling)) => (message_format(job, Some(shape)), tiling),
        None => {
            let whole = Tiles { cols: 1, rows: 1, width: job.problem().width, height: job.problem().height };
            (message_format(job, None), whole.tiling())
        }
    };
    let header = header(application, (job, iteration), &format, &tiling, run.messages)?;
    replace("write log", path, |out| put(out, job, &format, &tiling, &header, run))
}

fn header(
    application: &str,
    (job, iteration): (&Job, u32),
    format: &MessageFormat,
    tiling: &Tiling,
    (messages, hash): (u64, &str),
) -> Result<Header> {
    let problem = job.problem();
    let record = Record::new(job);
    let text = record.text().map_err(|e| Error::usage(e.to_string()))?;
    Ok(Header {
        application: application.to_string(),
        width: problem.width,
        height: problem.height,
        labels: problem.labels,
        collected: job.collected_by(iteration),
        record: serde_json::from_str(&text).map_err(|e| Error::usage(e.to_string()))?,
        record_hash: sha256_hex(text.as_bytes()),
        tiles: Tiles {
            cols: tiling.cols,
            rows: tiling.rows,
            width: tiling.tile_width,
            height: tiling.tile_height,
        },
        message: Fields {
            bits: format.bits,
            count_bits: format.count_bits,
            label_bits: format.label_bits,
            rv_bits: format.rv_bits,
            spe_bits: format.spe_bits,
            line_bits: format.line_bits,
        },
        fixed: (problem.rvs() - problem.free_rvs()) as u64,
        messages,
        lines: messages.div_ceil(format.per_line() as u64),
        messages_hash: hash.to_string(),
    })
}

fn put(
    out: &mut impl Write,
    job: &Job,
    format: &MessageFormat,
    tiling: &Tiling,
    header: &Header,
    run: &Run<'_>,
) -> std::io::Result<()> {
    parts::put_header(out, MAGIC, VERSION, &serde_json::to_vec(header)?)?;
    let mut evidence = Vec::new();
    for (i, label) in run.labels.iter().enumerate().filter(|&(i, _)| job.problem().is_fixed(i)) {
        evidence.extend_from_slice(&(i as u32).to_le_bytes());
        evidence.push(*label);
    }
    parts::put(out, &evidence)?;
    let width = job.problem().width;
    let block = BLOCK_LINES * format.line_bytes();
    let mut number = 0;
    let mut lines = Vec::with_capacity(block);
    let mut failed = Ok(());
    let walked = run.kept.each(&mut |messages| {
        for message in messages {
            let (spe, x, y) = tiling.locate(message.rv % width, message.rv / width);
            let word = format.encode(spe, tiling.rv_address(x, y), message.label, message.count);
            lines.extend_from_slice(&word.to_le_bytes()[..(format.bits / 8) as usize]);
            if lines.len() == block && failed.is_ok() {
                failed = parts::put_block(out, number, &lines);
                number += 1;
                lines.clear();
            }
        }
        Ok(())
    });
    failed.and(walked.map_err(std::io::Error::other))?;
    if !lines.is_empty() {
        lines.resize(lines.len().next_multiple_of(format.line_bytes()), 0);
        parts::put_block(out, number, &lines)?;
    }
    out.flush()
}

/// Reads and checks a log file.
///
/// # Errors
/// [`Error::File`] if it cannot be opened; [`Error::Damaged`] says where it is cut off or damaged.
pub fn read(path: &Path) -> Result<Log> {
    let mut reader = Reader::open("log", path)?;
    let header = read_header(&mut reader)?;
    let fixed = evidence(&mut reader, &header)?;
    let mut messages = lines(&mut reader, &header)?;
    let damaged = |place: &str, cause: String| reader.damaged(place, cause);
    if messages.len() as u64 != header.messages {
        let cause = format!("{} messages are there, the header counts {}", messages.len(), header.messages);
        return Err(damaged("the message counter", cause));
    }
    let hash = hash_messages(&mut messages);
    if hash != header.messages_hash {
        let cause = format!("hash {hash}, the header has {}", header.messages_hash);
        return Err(damaged("the messages", cause));
    }
    let of = |i: usize| fixed.binary_search_by_key(&(i as u32), |&(rv, _)| rv).ok().map(|n| fixed[n].1);
    let field = (header.width, header.height, header.labels);
    let histogram = Histogram::collect(field, header.collected, of, messages.iter().copied())
        .map_err(|error| of_model(&reader, error))?;
    Ok(Log { header, messages, histogram })
}

fn of_model(reader: &Reader<'_>, error: spa_model::Error) -> Error {
    match error {
        spa_model::Error::Log { place, cause } => reader.damaged(&place, cause),
        other => other.into(),
    }
}

fn read_header(reader: &mut Reader<'_>) -> Result<Header> {
    let text = reader.header(MAGIC, VERSION)?;
    let header: Header =
        serde_json::from_slice(&text).map_err(|e| reader.damaged("the header", e.to_string()))?;
    header.validate().map_err(|cause| reader.damaged("the header", cause))?;
    Ok(header)
}

fn evidence(reader: &mut Reader<'_>, header: &Header) -> Result<Vec<(u32, u8)>> {
    let bytes = reader.part(header.fixed as usize * 5, "the evidence")?;
    let pair = |b: &[u8]| (u32::from_le_bytes([b[0], b[1], b[2], b[3]]), b[4]);
    let fixed: Vec<(u32, u8)> = bytes.chunks_exact(5).map(pair).collect();
    let ascending = fixed.windows(2).all(|w| w[0].0 < w[1].0);
    if !ascending || fixed.iter().any(|&(_, label)| u16::from(label) >= header.labels) {
        return Err(reader.damaged("the evidence", "RVs do not ascend, or a label is too large"));
    }
    Ok(fixed)
}

fn lines(reader: &mut Reader<'_>, header: &Header) -> Result<Vec<Message>> {
    let (format, tiling) = (header.message.format(), header.tiles.tiling());
    let field = (header.width, header.height, header.labels);
    let mut messages = Vec::new();
    let mut first = 0;
    while first < header.lines {
        let count = (header.lines - first).min(BLOCK_LINES as u64);
        let place = format!("lines {first}…{}", first + count - 1);
        let number = (first / BLOCK_LINES as u64) as usize;
        let length = count as usize * format.line_bytes();
        // In a block whose checksum is wrong, most messages are right: one that cannot be tells where the damage is.
        let closer = |bytes: &[u8]| match format.decode(&tiling, field, first, bytes, &mut Vec::new()) {
            Err(spa_model::Error::Log { place, cause }) => Some(format!("{place}: {cause}")),
            _ => None,
        };
        let bytes = reader.block(number, length, &place, closer)?;
        format
            .decode(&tiling, field, first, &bytes, &mut messages)
            .map_err(|error| of_model(reader, error))?;
        first += count;
    }
    reader.end(&format!("line {}", header.lines), "the file goes on after its last line")?;
    Ok(messages)
}

impl Header {
    /// Refuses numbers that no run has, so that nothing after this can overflow.
    fn validate(&self) -> Result<(), String> {
        let m = &self.message;
        let rvs = u64::from(self.width) * u64::from(self.height);
        let tiles = &self.tiles;
        let sides = [tiles.cols, tiles.rows, tiles.width, tiles.height];
        let fields = [m.count_bits, m.label_bits, m.rv_bits, m.spe_bits];
        let sound = (1..=65_535).contains(&self.width)
            && (1..=65_535).contains(&self.height)
            && (2..=256).contains(&self.labels)
            && self.collected > 0
            && self.fixed <= rvs
            && self.lines <= self.messages
            && sides.iter().all(|side| (1..=1 << 16).contains(side))
            && u64::from(tiles.cols) * u64::from(tiles.rows) <= 4095
            && [32, 64].contains(&m.bits)
            && m.line_bits.is_multiple_of(m.bits)
            && (m.bits..=4096).contains(&m.line_bits)
            && fields.iter().all(|&bits| bits <= 32)
            && fields.iter().sum::<u32>() <= m.bits;
        if sound { Ok(()) } else { Err("it describes a run that cannot be".to_string()) }
    }
}

impl Fields {
    fn format(self) -> MessageFormat {
        MessageFormat {
            bits: self.bits,
            count_bits: self.count_bits,
            label_bits: self.label_bits,
            rv_bits: self.rv_bits,
            spe_bits: self.spe_bits,
            line_bits: self.line_bits,
        }
    }
}

impl Tiles {
    /// A tiling for addresses of RVs only.
    fn tiling(self) -> Tiling {
        Tiling {
            cols: self.cols,
            rows: self.rows,
            spus: 1,
            tile_width: self.width,
            tile_height: self.height,
            slot_cycles: 1,
            switch_gap: 0,
            s2: S2Addressing::Links,
            s2_width: 0,
            s2_height: 0,
        }
    }
}
