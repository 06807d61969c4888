//! A board that holds the accelerator with memory of its own behind a serial line (docs/projects.md). [`link`] carries
//! requests and answers, [`SerialCard`] is the card that the driver sees.

pub mod link;

use super::{Buffer, Card, CardError};
use link::Link;
use spagen::emit;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Registers of the bridge itself.
const BRIDGE: u32 = 0x4000_0000;
/// Memory of the board.
const MEMORY: u32 = 0x8000_0000;
/// "SPAU", and the version of the protocol.
const MAGIC: u64 = 1 << 32 | 0x5350_4155;
/// Bridge: memory and line in bytes; clock and clocks of a bit; reset.
const SIZES: u32 = BRIDGE + 8;
const CLOCK: u32 = BRIDGE + 0x10;
const CONTROL: u32 = BRIDGE + 0x20;
/// Buffers begin at multiples of this.
const PAGE: usize = 4096;
/// Bytes of a buffer for load records or for the log; labels take what they need.
const BUFFER_BYTES: usize = emit::SERIAL_BUFFER_BYTES as usize;
/// Waits shorter than this are shorter than any access.
const SHORT: Duration = Duration::from_micros(100);

/// What may be said about the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialOptions {
    /// Serial port, `/dev/ttyUSB0`.
    pub port: PathBuf,
    /// Bits a second.
    pub baud: u32,
    /// Time for an answer, and time without any sign of progress after which the board counts as stuck.
    pub deadline: Duration,
}

/// A board of this kind.
#[derive(Debug)]
pub struct SerialCard {
    // Reading memory takes requests, too.
    link: RefCell<Link>,
    opened: Instant,
    line_bytes: usize,
    memory_bytes: usize,
    clock_hz: u64,
    buffers: BTreeMap<u64, usize>,
}

impl SerialCard {
    /// Opens the board and resets it.
    ///
    /// # Errors
    /// [`CardError::Serial`] if the port cannot be opened or nothing answers, [`CardError::Identity`] if what answers is no
    /// board of ours.
    pub fn open(options: &SerialOptions) -> Result<Self, CardError> {
        let mut link = Link::open(&options.port, options.baud, options.deadline)?;
        let found = link.read(BRIDGE, 1)?[0];
        let card = format!("the board at {}", options.port.display());
        if found != MAGIC {
            let (found, expected) = (format!("{found:#x}"), format!("{MAGIC:#x}"));
            return Err(CardError::Identity { card, what: "serial protocol", found, expected });
        }
        let (sizes, clock) = (link.read(SIZES, 1)?[0], link.read(CLOCK, 1)?[0]);
        let card = Self {
            link: RefCell::new(link),
            opened: Instant::now(),
            line_bytes: (sizes >> 32) as usize,
            memory_bytes: (sizes & 0xFFFF_FFFF) as usize,
            clock_hz: clock & 0xFFFF_FFFF,
            buffers: BTreeMap::new(),
        };
        card.link.borrow_mut().write(CONTROL, &[1])?;
        Ok(card)
    }

    /// `deadline` in the cycles that [`Card::cycles`] of this board counts.
    pub fn cycles_of(&self, deadline: Duration) -> u64 {
        (u128::from(self.clock_hz) * deadline.as_micros() / 1_000_000) as u64
    }

    /// Requests that had to be sent again.
    pub fn repeats(&self) -> u64 {
        self.link.borrow().repeats()
    }

    /// Address on the line of a byte of a buffer, after checking that `bytes` from `offset` on lie in it.
    fn address(&self, buffer: Buffer, offset: usize, bytes: usize) -> Result<u32, CardError> {
        let end = offset.checked_add(bytes);
        match self.buffers.get(&buffer.address) {
            Some(&size) if end.is_some_and(|end| end <= size) => {
                Ok(MEMORY + (buffer.address as u32) + offset as u32)
            }
            _ => Err(CardError::Allocation(format!(
                "{bytes} bytes at {offset} do not lie in the buffer of {} bytes at {:#x}",
                buffer.bytes, buffer.address
            ))),
        }
    }
}

impl Card for SerialCard {
    fn name(&self) -> String {
        format!("the board at {}", self.link.borrow().path().display())
    }

    fn line_bytes(&self) -> usize {
        self.line_bytes
    }

    fn buffer_bytes(&self) -> usize {
        BUFFER_BYTES
    }

    fn read(&mut self, offset: u32) -> Result<u64, CardError> {
        Ok(self.link.get_mut().read(offset, 1)?[0])
    }

    fn write(&mut self, offset: u32, value: u64) -> Result<(), CardError> {
        self.link.get_mut().write(offset, &[value])
    }

    fn write_many(&mut self, values: &BTreeMap<u32, u64>) -> Result<(), CardError> {
        let mut run: Vec<u64> = Vec::new();
        let mut start = 0;
        for (&offset, &value) in values {
            if offset != start + 8 * run.len() as u32 || run.len() == link::WRITE_WORDS {
                if !run.is_empty() {
                    self.link.get_mut().write(start, &run)?;
                }
                run.clear();
                start = offset;
            }
            run.push(value);
        }
        if run.is_empty() { Ok(()) } else { self.link.get_mut().write(start, &run) }
    }

    fn allocate(&mut self, bytes: usize) -> Result<Buffer, CardError> {
        let bytes = bytes.max(1).next_multiple_of(self.line_bytes.max(8));
        // The first gap that is large enough.
        let mut address = 0;
        for (&start, &size) in &self.buffers {
            if address + bytes <= start as usize {
                break;
            }
            address = (start as usize + size).next_multiple_of(PAGE);
        }
        if address + bytes > self.memory_bytes {
            return Err(CardError::Allocation(format!(
                "no room for {bytes} bytes in the {} bytes of memory of {}, which are meant for the arrays of its build",
                self.memory_bytes,
                self.name()
            )));
        }
        self.buffers.insert(address as u64, bytes);
        Ok(Buffer { address: address as u64, bytes })
    }

    fn release(&mut self, buffer: Buffer) -> Result<(), CardError> {
        match self.buffers.remove(&buffer.address) {
            Some(_) => Ok(()),
            None => Err(CardError::Allocation(format!("no buffer at {:#x} to release", buffer.address))),
        }
    }

    fn read_memory(&self, buffer: Buffer, offset: usize, bytes: &mut [u8]) -> Result<(), CardError> {
        let address = self.address(buffer, offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        // Whole words, of which the first and the last may stick out.
        let first = address & !7;
        let skip = (address - first) as usize;
        let count = (skip + bytes.len()).div_ceil(8);
        let mut words = Vec::with_capacity(count);
        while words.len() < count {
            let some = (count - words.len()).min(link::READ_WORDS);
            words.extend(self.link.borrow_mut().read(first + 8 * words.len() as u32, some)?);
        }
        let all = words.iter().flat_map(|word| word.to_le_bytes()).skip(skip);
        bytes.iter_mut().zip(all).for_each(|(byte, value)| *byte = value);
        Ok(())
    }

    fn write_memory(&mut self, buffer: Buffer, offset: usize, bytes: &[u8]) -> Result<(), CardError> {
        let mut address = self.address(buffer, offset, bytes.len())?;
        if !address.is_multiple_of(8) || !bytes.len().is_multiple_of(8) {
            return Err(CardError::Allocation(format!(
                "{} bytes at {offset} are not whole words of 8 bytes, which this board's memory is written in",
                bytes.len()
            )));
        }
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        for piece in bytes.chunks(8 * link::WRITE_WORDS) {
            let words: Vec<u64> = piece.chunks_exact(8).map(word).collect();
            self.link.get_mut().write(address, &words)?;
            address += piece.len() as u32;
        }
        Ok(())
    }

    fn advance(&mut self, cycles: u64) -> Result<(), CardError> {
        let wait = Duration::from_nanos(cycles * 1_000_000_000 / self.clock_hz.max(1));
        if wait >= SHORT {
            std::thread::sleep(wait);
        }
        Ok(())
    }

    fn cycles(&self) -> u64 {
        self.cycles_of(self.opened.elapsed())
    }

    fn reset(&mut self) -> Result<(), CardError> {
        self.link.get_mut().write(CONTROL, &[1])
    }
}
