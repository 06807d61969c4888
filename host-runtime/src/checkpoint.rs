//! Checkpoint files: a run between two iterations, and what it is a run of (docs/runs.md has the layout).

use crate::error::{Error, Result};
use crate::output::replace_for_good;
use crate::parts::{self, Reader};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spa_model::hash::sha256_hex;
use spa_model::{Job, LabelEntry, Message, Record, Singleton, Snapshot};
use std::io::Write;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"SPACKP\r\n";
const VERSION: u32 = 1;
/// Messages of a part.
const BLOCK: usize = 1 << 16;
const ENTRY_BYTES: usize = 6;
const MESSAGE_BYTES: usize = 7;

/// What a run is a run of: everything that decides about its bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Name of the application.
    pub application: String,
    /// W
    pub width: u32,
    /// H
    pub height: u32,
    /// Canonical text of the record (contract §1).
    pub record: String,
    /// SHA-256 of singleton 1; of nothing where costs come from a table, which the record names.
    pub first: String,
    /// SHA-256 of singleton 2 where it is a picture.
    pub second: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: String,
    run: Identity,
    iteration: u32,
    messages: u64,
    trace: Vec<(u32, u64)>,
}

/// A checkpoint that has been read; its parts have their checksums.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    snapshot: Snapshot,
    trace: Vec<(u32, u64)>,
}

impl Identity {
    /// Of a run of `job` for `application`.
    ///
    /// # Errors
    /// [`Error::Usage`] if the record has no canonical text, which a checked job rules out.
    pub fn new(application: &str, job: &Job) -> Result<Self> {
        let problem = job.problem();
        let (first, second): (&[u8], &[u8]) = match &problem.singleton {
            Singleton::Pixels { first, second, .. } => (first, second),
            Singleton::Values { first, .. } => (first, &[]),
            Singleton::Table { .. } => (&[], &[]),
        };
        Ok(Self {
            application: application.to_string(),
            width: problem.width,
            height: problem.height,
            record: Record::new(job).text().map_err(|e| Error::usage(e.to_string()))?,
            first: sha256_hex(first),
            second: sha256_hex(second),
        })
    }

    /// What of `self`, a checkpoint's, is not as in the run `now`; in words.
    fn difference(&self, now: &Self) -> Option<String> {
        let is = |name: &str, there: &dyn std::fmt::Display, here: &dyn std::fmt::Display| {
            Some(format!("it is of another run: {name} is {there} there and {here} here"))
        };
        if self.application != now.application {
            return is("the application", &self.application, &now.application);
        }
        if (self.width, self.height) != (now.width, now.height) {
            let size = |of: &Self| format!("{}x{}", of.width, of.height);
            return is("the size", &size(self), &size(now));
        }
        if self.record != now.record {
            let [there, here] = [self, now]
                .map(|of| serde_json::from_str::<Map<String, Value>>(&of.record).unwrap_or_default());
            let of = |record: &Map<String, Value>, key: &str| record.get(key).cloned().unwrap_or_default();
            let differs = |key: &&String| of(&there, key) != of(&here, key);
            return match there.keys().chain(here.keys()).find(differs) {
                Some(key) => {
                    let (name, there, here) = first_difference(key, of(&there, key), of(&here, key));
                    is(&name, &there, &here)
                }
                None => is("the record", &self.record, &now.record),
            };
        }
        let pictures = [("first", &self.first, &now.first), ("second", &self.second, &now.second)];
        pictures
            .iter()
            .find(|(_, there, here)| there != here)
            .map(|(name, ..)| format!("it is of other pictures: the {name} one differs"))
    }
}

/// What differs of two values of a record named `key`: of lists the first entry that does, as they may be long.
fn first_difference(key: &str, there: Value, here: Value) -> (String, Value, Value) {
    let (Value::Array(one), Value::Array(other)) = (&there, &here) else {
        return (key.to_string(), there, here);
    };
    let of = |list: &[Value], n: usize| list.get(n).cloned().unwrap_or_else(|| "missing".into());
    let longest = one.len().max(other.len());
    let n = (0..longest).find(|&n| one.get(n) != other.get(n)).unwrap_or_default();
    (format!("entry {} of {key}", n + 1), of(one, n), of(other, n))
}

/// Writes a checkpoint of `snapshot`: beside `path` first, then renamed, so that `path` is whole at any time.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn write(path: &Path, identity: &Identity, snapshot: &Snapshot, trace: &[(u32, u64)]) -> Result<()> {
    replace_for_good("write checkpoint", path, |out| put(out, identity, snapshot, trace))
}

fn put(
    out: &mut impl Write,
    identity: &Identity,
    snapshot: &Snapshot,
    trace: &[(u32, u64)],
) -> std::io::Result<()> {
    let header = Header {
        version: env!("CARGO_PKG_VERSION").to_string(),
        run: identity.clone(),
        iteration: snapshot.iteration,
        messages: snapshot.messages.len() as u64,
        trace: trace.to_vec(),
    };
    parts::put_header(out, MAGIC, VERSION, &serde_json::to_vec(&header)?)?;
    parts::put(out, &snapshot.labels)?;
    let pairs = |entry: &LabelEntry| {
        let pair = |pair: spa_model::entry::Count| {
            let [low, high] = pair.count.to_le_bytes();
            [pair.label, low, high]
        };
        [pair(entry.mrp), pair(entry.lrp)]
    };
    let entries: Vec<[[u8; 3]; 2]> = snapshot.entries.iter().map(pairs).collect();
    parts::put(out, entries.as_flattened().as_flattened())?;
    for (number, messages) in snapshot.messages.chunks(BLOCK).enumerate() {
        let mut bytes = Vec::with_capacity(messages.len() * MESSAGE_BYTES);
        for message in messages {
            bytes.extend_from_slice(&message.rv.to_le_bytes());
            bytes.push(message.label);
            // Counters have 16 bits at most.
            bytes.extend_from_slice(&(message.count as u16).to_le_bytes());
        }
        parts::put_block(out, number, &bytes)?;
    }
    Ok(())
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be opened; [`Error::Damaged`] says where it is cut off or damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let mut reader = Reader::open("checkpoint", path)?;
        let text = reader.header(MAGIC, VERSION)?;
        let header: Header =
            serde_json::from_slice(&text).map_err(|e| reader.damaged("the header", e.to_string()))?;
        let rvs = header.run.width as usize * header.run.height as usize;
        let labels = reader.part(rvs, "the labels")?;
        let entries = reader.part(rvs * ENTRY_BYTES, "the label entries")?;
        let pair =
            |b: &[u8]| spa_model::entry::Count { label: b[0], count: u16::from_le_bytes([b[1], b[2]]) };
        let entries = entries
            .chunks_exact(ENTRY_BYTES)
            .map(|b| LabelEntry { mrp: pair(&b[..3]), lrp: pair(&b[3..]) })
            .collect();
        let mut messages = Vec::new();
        let mut left = header.messages;
        for number in 0.. {
            let count = left.min(BLOCK as u64) as usize;
            if count == 0 {
                break;
            }
            let place = format!("the messages from {}", header.messages - left);
            let bytes = reader.block(number, count * MESSAGE_BYTES, &place, |_| None)?;
            messages.extend(bytes.chunks_exact(MESSAGE_BYTES).map(|b| Message {
                rv: u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
                label: b[4],
                count: u16::from_le_bytes([b[5], b[6]]).into(),
            }));
            left -= count as u64;
        }
        reader.end("the end", "the file goes on after its last message")?;
        Ok(Self {
            path: path.to_path_buf(),
            identity: header.run,
            snapshot: Snapshot { iteration: header.iteration, labels, entries, messages },
            trace: header.trace,
        })
    }

    /// Iterations done.
    pub fn iteration(&self) -> u32 {
        self.snapshot.iteration
    }

    /// The state and the energies so far, for a run of `now`.
    ///
    /// # Errors
    /// [`Error::File`] if it is a checkpoint of anything else, naming the first difference.
    pub fn of(self, now: &Identity) -> Result<(Snapshot, Vec<(u32, u64)>)> {
        match self.identity.difference(now) {
            None => Ok((self.snapshot, self.trace)),
            Some(cause) => Err(Error::file("resume", &self.path, cause)),
        }
    }
}
