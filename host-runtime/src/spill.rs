//! Messages on disk while a run goes on, and its histogram from there, block of rows by block of rows (docs/big.md).
//!
//! A file of pieces. A piece holds messages of one row, five bytes each: column (u16), label (u8), count (u16), little
//! endian; before them stand place (u64) and number of messages (u32) of the row's piece before. So a row is read from its
//! last piece backwards, and memory holds a few bytes a row. The file has no name: it goes with the process, however that
//! ends.

use crate::blocks::{Block, Source};
use crate::error::{Error, Result};
use spa_model::hash::Hasher;
use spa_model::{Histogram, Job, Message, fast};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a message on disk.
const MESSAGE: usize = 5;
/// Bytes before the messages of a piece.
const HEAD: usize = 12;
/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// The messages of a run, on disk.
#[derive(Debug)]
pub struct Spill {
    /// Where the file is; for messages.
    folder: PathBuf,
    width: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    /// What is not written yet, and where it will be.
    buffer: Vec<u8>,
    written: u64,
    rows: Vec<Row>,
    /// What went wrong: from then on nothing is kept.
    error: Option<std::io::Error>,
}

/// A row's last piece, and its messages in all pieces.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    place: u64,
    count: u32,
    messages: u64,
}

impl Spill {
    /// An empty file in `folder`, for a field of `width` by `height` RVs.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be made.
    pub fn new(folder: &Path, (width, height): (u32, u32)) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| Error::io("write messages into", folder, &e))?;
        let rows = vec![Row::default(); height as usize];
        let state = State { file, buffer: Vec::with_capacity(BUFFER), written: 0, rows, error: None };
        Ok(Self { folder: folder.to_path_buf(), width, state: Mutex::new(state) })
    }

    /// Number of messages so far, all of them written.
    ///
    /// # Errors
    /// As [`Spill::check`].
    pub fn messages(&self) -> Result<u64> {
        {
            let state = &mut *self.lock();
            if state.error.is_none() {
                state.error = state.flush().err();
            }
        }
        self.check()?;
        Ok(self.lock().rows.iter().map(|row| row.messages).sum())
    }

    /// True as long as nothing was lost.
    pub fn is_whole(&self) -> bool {
        self.lock().error.is_none()
    }

    /// Says what was lost, if anything.
    ///
    /// # Errors
    /// [`Error::File`] if messages could not be written: the disk is full, as a rule.
    pub fn check(&self) -> Result<()> {
        match &self.lock().error {
            None => Ok(()),
            Some(error) => {
                let cause = format!(
                    "{}; the messages of a run with a large histogram are kept there while it goes on",
                    crate::error::plain(error)
                );
                Err(Error::file("write messages into", &self.folder, cause))
            }
        }
    }

    /// Adds the messages of row `y` to `out`.
    fn read(&self, y: u32, out: &mut Vec<Message>) -> Result<()> {
        let fail = |e: std::io::Error| Error::io("read messages in", &self.folder, &e);
        let mut state = self.lock();
        let Row { mut place, mut count, .. } = state.rows[y as usize];
        let mut bytes = Vec::new();
        while count > 0 {
            bytes.resize(HEAD + count as usize * MESSAGE, 0);
            state.file.seek(SeekFrom::Start(place)).map_err(fail)?;
            state.file.read_exact(&mut bytes).map_err(fail)?;
            let (head, messages) = bytes.split_at(HEAD);
            let message = |b: &[u8]| Message {
                rv: y * self.width + u32::from(u16::from_le_bytes([b[0], b[1]])),
                label: b[2],
                count: u16::from_le_bytes([b[3], b[4]]).into(),
            };
            out.extend(messages.chunks_exact(MESSAGE).map(message));
            let (before, number) = head.split_at(8);
            place = before.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
            count = number.iter().rev().fold(0, |n, &byte| n << 8 | u32::from(byte));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fast::Sink for Spill {
    fn take(&self, y: u32, messages: &[Message]) {
        let state = &mut *self.lock();
        if state.error.is_some() || messages.is_empty() {
            return;
        }
        let row = &mut state.rows[y as usize];
        let place = state.written + state.buffer.len() as u64;
        state.buffer.extend_from_slice(&row.place.to_le_bytes());
        state.buffer.extend_from_slice(&row.count.to_le_bytes());
        *row = Row { place, count: messages.len() as u32, messages: row.messages + messages.len() as u64 };
        let first = y * self.width;
        for message in messages {
            let [x0, x1, ..] = (message.rv - first).to_le_bytes();
            let [c0, c1, ..] = message.count.to_le_bytes();
            state.buffer.extend_from_slice(&[x0, x1, message.label, c0, c1]);
        }
        if state.buffer.len() >= BUFFER
            && let Err(error) = state.flush()
        {
            state.error = Some(error);
        }
    }
}

impl State {
    fn flush(&mut self) -> std::io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// The histogram of a run whose messages are all on disk.
#[derive(Debug)]
pub struct Spilled {
    spill: Arc<Spill>,
    size: (u32, u32),
    labels: u16,
    /// What the counts of a RV add up to.
    collected: u16,
    /// Labels of fixed RVs, H·W.
    fixed: Option<Vec<Option<u8>>>,
    /// Rows of every block.
    blocks: Vec<Range<u32>>,
}

impl Spilled {
    /// The histogram of the first `iteration` iterations of `job`, which ended with `labels`, in blocks of about `bytes`, of
    /// one row at least.
    pub fn new(spill: Arc<Spill>, job: &Job, iteration: u32, labels: &[u8], bytes: u64) -> Self {
        let problem = job.problem();
        let counts = u64::from(problem.width) * u64::from(problem.labels) * size_of::<u16>() as u64;
        let messages: Vec<u64> = spill.lock().rows.iter().map(|row| row.messages).collect();
        let (mut blocks, mut first, mut taken) = (Vec::new(), 0, 0);
        for (y, messages) in (0..problem.height).zip(messages) {
            let row = counts + messages * size_of::<Message>() as u64;
            if y > first && taken + row > bytes {
                blocks.push(first..y);
                (first, taken) = (y, 0);
            }
            taken += row;
        }
        blocks.push(first..problem.height);
        let of = |fixed: &Vec<bool>| fixed.iter().zip(labels).map(|(&f, &l)| f.then_some(l)).collect();
        Self {
            spill,
            size: (problem.width, problem.height),
            labels: problem.labels,
            collected: job.collected_by(iteration),
            fixed: problem.fixed.as_ref().map(of),
            blocks,
        }
    }

    /// Shows all messages to `work`, sorted, block by block.
    ///
    /// # Errors
    /// Those of `work`, and [`Error::File`] if they cannot be read.
    pub fn each_messages(&self, work: &mut dyn FnMut(&mut [Message]) -> Result<()>) -> Result<()> {
        let mut messages = Vec::new();
        for rows in &self.blocks {
            messages.clear();
            rows.clone().try_for_each(|y| self.spill.read(y, &mut messages))?;
            messages.sort_unstable();
            work(&mut messages)?;
        }
        Ok(())
    }

    /// Hash of all messages (contract §8).
    ///
    /// # Errors
    /// [`Error::File`] if they cannot be read.
    pub fn hash_messages(&self) -> Result<String> {
        let mut hasher = Hasher::default();
        self.each_messages(&mut |messages| {
            hasher.messages(messages);
            Ok(())
        })?;
        Ok(hasher.finish())
    }
}

impl Spilled {
    /// The counts of `rows` and of the row below them; `messages` is room for theirs.
    fn count(&self, rows: &Range<u32>, messages: &mut Vec<Message>) -> Result<Histogram> {
        let with_below = rows.start..(rows.end + 1).min(self.size.1);
        messages.clear();
        with_below.clone().try_for_each(|y| self.spill.read(y, messages))?;
        let fixed = |i: usize| self.fixed.as_ref().and_then(|fixed| fixed[i]);
        let (field, messages) = ((self.size.0, self.labels), messages.iter().copied());
        Ok(Histogram::of_rows(field, with_below, self.collected, fixed, messages)?)
    }
}

impl Source<u16> for Spilled {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn labels(&self) -> usize {
        self.labels.into()
    }

    fn each(&self, work: &mut dyn FnMut(&Block<'_, u16>) -> Result<()>) -> Result<()> {
        let row = self.size.0 as usize * self.labels();
        std::thread::scope(|scope| {
            // The next block is read and counted while `work` has this one.
            let (sender, receiver) = std::sync::mpsc::sync_channel(0);
            scope.spawn(move || {
                let mut messages = Vec::new();
                // It ends early where nobody takes blocks any more.
                let _ = self.blocks.iter().try_for_each(|rows| {
                    sender.send((rows.start as usize, rows.len(), self.count(rows, &mut messages)))
                });
            });
            for (first, rows, counts) in receiver {
                let counts = counts?;
                let (own, below) = counts.counts().split_at(rows * row);
                work(&Block::new(first * self.size.0 as usize, self.labels(), own, below))?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spa_model::fast::Sink as _;

    /// Messages of row `y` of three columns, `n` of them.
    fn row(y: u32, n: u32) -> Vec<Message> {
        (0..n)
            .map(|i| Message { rv: 3 * y + i % 3, label: (i % 251) as u8, count: 1 + i * 131 % 65_535 })
            .collect()
    }

    #[test]
    fn rows_come_back_piece_by_piece() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::new(folder.path(), (3, 4)).unwrap();
        // More than is held back before it is written.
        let pieces = [(2, 5), (0, 100_000), (2, 0), (2, 150_000), (3, 1), (0, 7)];
        pieces.iter().for_each(|&(y, n)| spill.take(y, &row(y, n)));
        assert_eq!(spill.messages().unwrap(), 250_013);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
        for y in 0..4 {
            let mut expected: Vec<Message> =
                pieces.iter().filter(|piece| piece.0 == y).flat_map(|&(y, n)| row(y, n)).collect();
            let mut found = Vec::new();
            spill.read(y, &mut found).unwrap();
            expected.sort_unstable();
            found.sort_unstable();
            assert!(found == expected, "row {y}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let spill = Spill::new(file.path().parent().unwrap(), (3, 4)).unwrap();
        spill.lock().file = File::open(file.path()).unwrap();
        spill.take(1, &row(1, 10));
        assert!(spill.is_whole() && spill.check().is_ok(), "it is still held back");
        spill.take(1, &row(1, 300_000));
        assert!(!spill.is_whole());
        let expected = "the messages of a run with a large histogram are kept there while it goes on";
        for told in [spill.check().unwrap_err(), spill.messages().unwrap_err()] {
            let told = told.to_string();
            assert!(
                told.starts_with("failed to write messages into '") && told.ends_with(expected),
                "{told}"
            );
        }
    }
}
