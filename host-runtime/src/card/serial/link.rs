//! Requests and answers over a serial line, as `spa_serial_bridge` of a build speaks them (docs/projects.md). A damaged or
//! missing answer makes the request go out again; a write that was carried out is not repeated by the board, because
//! its number is that of the last one.

use crate::card::CardError;
use serial2::SerialPort;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// First byte of a request and of an answer.
const SYNC_REQUEST: u8 = 0xA5;
const SYNC_ANSWER: u8 = 0x5A;
const OP_READ: u8 = 1;
const OP_WRITE: u8 = 2;
/// States of an answer: carried out; the words arrived damaged; unknown operation or address.
const DONE: u8 = 0;
const DAMAGED: u8 = 1;
/// Words that one request reads, at most.
pub const READ_WORDS: usize = 256;
/// Words that one request writes, at most: with them it has 2,048 bytes, which Linux takes in one piece. Between two pieces this process
/// may lose its processor for longer than the board waits for the rest of a request.
pub const WRITE_WORDS: usize = 254;
/// Times that a request is sent before the board counts as silent.
const TRIES: u32 = 4;
/// One look at the line.
const LOOK: Duration = Duration::from_millis(20);
/// Where the number of the last write stands.
const LAST_WRITE: u32 = super::BRIDGE + 0x18;

/// A board at the other end of a serial port.
#[derive(Debug)]
pub struct Link {
    port: SerialPort,
    path: PathBuf,
    baud: u32,
    /// Time for the answer to one try.
    patience: Duration,
    /// Number of the last request, and of the last write.
    sequence: u8,
    last_write: u8,
    /// Requests that had to be sent again.
    repeats: u64,
}

/// What came of one try.
enum Answer {
    Words(Vec<u64>),
    /// Nothing, or nothing whole, came in time.
    Silence,
    /// Something came damaged.
    Damaged,
    Refused(u8),
}

impl Link {
    /// Opens the port for this process alone. The board is given `deadline` for an answer, in four tries.
    ///
    /// # Errors
    /// [`CardError::Serial`] if the port cannot be opened or another process has it, or nothing answers.
    pub fn open(path: &Path, baud: u32, deadline: Duration) -> Result<Self, CardError> {
        let fail = |cause: String| CardError::Serial { port: path.display().to_string(), cause };
        let mut port = SerialPort::open(path, baud).map_err(|error| fail(explain_open(&error, baud)))?;
        lock(&port).map_err(fail)?;
        port.set_read_timeout(LOOK).map_err(|error| fail(error.to_string()))?;
        port.set_write_timeout(deadline.max(LOOK)).map_err(|error| fail(error.to_string()))?;
        let patience = (deadline / TRIES).max(LOOK);
        let path = path.to_path_buf();
        let mut link = Self { port, path, baud, patience, sequence: 0, last_write: 0, repeats: 0 };
        // A write with the number of the last one would not be carried out.
        link.last_write = link.read(LAST_WRITE, 1)?[0] as u8;
        link.sequence = link.last_write;
        Ok(link)
    }

    /// Path of the port.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Requests that had to be sent again.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Reads `count` words of 64 bits, 1 to [`READ_WORDS`], from `address` on.
    ///
    /// # Errors
    /// [`CardError::Serial`] if no whole answer comes, or the board refuses.
    pub fn read(&mut self, address: u32, count: usize) -> Result<Vec<u64>, CardError> {
        let frame = request(OP_READ, self.next(), address, count, &[]);
        self.transact(&frame, count, || format!("a read of {count} words at {address:#x}"))
    }

    /// Writes 1 to [`WRITE_WORDS`] words from `address` on.
    ///
    /// # Errors
    /// As [`Link::read`].
    pub fn write(&mut self, address: u32, words: &[u64]) -> Result<(), CardError> {
        let sequence = self.next();
        let frame = request(OP_WRITE, sequence, address, words.len(), words);
        self.transact(&frame, 0, || format!("a write of {} words at {address:#x}", words.len()))?;
        self.last_write = sequence;
        Ok(())
    }

    /// A number that is neither that of the last request nor of the last write.
    fn next(&mut self) -> u8 {
        self.sequence = self.sequence.wrapping_add(1);
        if self.sequence == self.last_write {
            self.sequence = self.sequence.wrapping_add(1);
        }
        self.sequence
    }

    fn fail(&self, cause: String) -> CardError {
        CardError::Serial { port: self.path.display().to_string(), cause }
    }

    fn transact(
        &mut self,
        frame: &[u8],
        words: usize,
        what: impl Fn() -> String,
    ) -> Result<Vec<u64>, CardError> {
        let mut damaged = false;
        for attempt in 0..TRIES {
            if attempt > 0 {
                self.repeats += 1;
            }
            self.port.discard_input_buffer().map_err(|error| self.fail(error.to_string()))?;
            self.port.write_all(frame).map_err(|error| self.fail(format!("{}: {error}", what())))?;
            match self.answer(frame[2], words)? {
                Answer::Words(words) => return Ok(words),
                Answer::Refused(status) => {
                    return Err(self.fail(format!(
                        "the board refuses {} (status {status}); is its bitstream of another version?",
                        what()
                    )));
                }
                Answer::Silence => {}
                Answer::Damaged => damaged = true,
            }
        }
        let seconds = self.patience.as_secs_f64();
        Err(self.fail(if damaged {
            format!("only damaged answers to {} in {TRIES} tries; is the rate {} baud right?", what(), self.baud)
        } else {
            format!(
                "no answer to {} within {seconds} s, {TRIES} times; is the board on, does it hold the bitstream of the build, is \
                 the rate {} baud?",
                what(),
                self.baud
            )
        }))
    }

    /// Waits for the answer to request number `sequence`.
    fn answer(&mut self, sequence: u8, words: usize) -> Result<Answer, CardError> {
        let end = Instant::now() + self.patience;
        let mut bytes = Vec::new();
        loop {
            // What lies before an answer, or cannot be one, is passed over.
            let start = bytes.iter().position(|&byte| byte == SYNC_ANSWER).unwrap_or(bytes.len());
            bytes.drain(..start);
            if bytes.len() >= 3 {
                let body = if bytes[1] == DONE { 8 * words } else { 0 };
                let length = 3 + body + 2;
                if bytes.len() >= length {
                    let check = u16::from_le_bytes([bytes[length - 2], bytes[length - 1]]);
                    if crc16(&bytes[1..length - 2]) == check && bytes[2] == sequence {
                        return Ok(match bytes[1] {
                            DONE => Answer::Words(words_of(&bytes[3..3 + body])),
                            DAMAGED => Answer::Damaged,
                            status => Answer::Refused(status),
                        });
                    }
                    bytes.remove(0);
                    continue;
                }
            }
            if Instant::now() >= end {
                return Ok(if bytes.is_empty() { Answer::Silence } else { Answer::Damaged });
            }
            let mut some = [0; 4096];
            match self.port.read(&mut some) {
                Ok(count) => bytes.extend_from_slice(&some[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(error) => return Err(self.fail(format!("the port is gone: {error}"))),
            }
        }
    }
}

/// Paths of the serial ports that the system knows, sorted.
pub fn ports() -> Vec<String> {
    let ports = SerialPort::available_ports().unwrap_or_default();
    let mut names: Vec<String> = ports.iter().map(|port| port.display().to_string()).collect();
    names.sort();
    names
}

/// A request as bytes.
fn request(op: u8, sequence: u8, address: u32, count: usize, words: &[u64]) -> Vec<u8> {
    let mut frame = vec![SYNC_REQUEST, op, sequence, (count - 1) as u8];
    frame.extend(address.to_le_bytes());
    frame.extend(crc16(&frame[1..]).to_le_bytes());
    if !words.is_empty() {
        let start = frame.len();
        frame.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        frame.extend(crc16(&frame[start..]).to_le_bytes());
    }
    frame
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks_exact(8).map(word).collect()
}

/// CRC-16 with polynomial 0x1021, from 0xFFFF.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, &byte| {
        let step = |crc: u16, _| if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        (0..8).fold(crc ^ u16::from(byte) << 8, step)
    })
}

/// Keeps other processes of ours away; two on one line would take each other's answers.
#[cfg(unix)]
fn lock(port: &SerialPort) -> Result<(), String> {
    use rustix::fs::{FlockOperation, flock};
    use std::os::fd::{AsRawFd as _, BorrowedFd};
    // SAFETY: the descriptor is open as long as `port` is borrowed.
    let descriptor = unsafe { BorrowedFd::borrow_raw(port.as_raw_fd()) };
    flock(descriptor, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
        rustix::io::Errno::WOULDBLOCK => "another process has the port".to_owned(),
        error => format!("it cannot be locked: {error}"),
    })
}

/// Other systems open a port for one process only.
#[cfg(not(unix))]
fn lock(_port: &SerialPort) -> Result<(), String> {
    Ok(())
}

fn explain_open(error: &std::io::Error, baud: u32) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            let names = ports();
            let there = if names.is_empty() {
                "there is none".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            format!("no such port; {there}")
        }
        ErrorKind::PermissionDenied => {
            "permission denied; on most systems members of the group 'dialout' may open it".to_owned()
        }
        _ => format!("it cannot be opened at {baud} baud: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_is_the_usual_one() {
        // Check value of CRC-16/IBM-3740.
        assert_eq!(crc16(b"123456789"), 0x29B1);
    }

    #[test]
    fn requests_have_the_documented_form() {
        let frame = request(OP_WRITE, 7, 0x8000_0010, 2, &[1, 0x0203]);
        assert_eq!(frame.len(), 10 + 16 + 2);
        assert_eq!(frame[..8], [0xA5, 2, 7, 1, 0x10, 0, 0, 0x80]);
        assert_eq!(words_of(&frame[10..26]), [1, 0x0203]);
        assert_eq!(request(OP_READ, 1, 8, READ_WORDS, &[])[3], 255);
        assert!(request(OP_WRITE, 1, 8, WRITE_WORDS, &[0; WRITE_WORDS]).len() <= 2048);
    }
}
