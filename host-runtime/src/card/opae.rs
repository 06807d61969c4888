//! A real card, reached through Intel's OPAE library: an Arria 10 GX PAC with the accelerator behind CCI-P (docs/card.md).
//! [`sys`] declares the C interface, [`result`] makes calls that succeed or say why not, [`OpaeCard`] is the card that the
//! driver sees.

pub mod result;
pub mod sys;

use super::{Buffer, Card, CardError, registers as reg};
use result::{Connection, PciAddress, Pinned, Token};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};
use sys::Api;

/// What may be said about the card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaeOptions {
    /// Library of OPAE's interface; none: that of the environment or of the system.
    pub library: Option<PathBuf>,
    /// Card to use; none: the first that holds the build.
    pub address: Option<PciAddress>,
    /// Time without any sign of progress after which the card counts as stuck.
    pub deadline: Duration,
    /// Bytes of a buffer, at most: OPAE gives memory in single pages.
    pub buffer_bytes: usize,
}

impl Default for OpaeOptions {
    fn default() -> Self {
        Self { library: None, address: None, deadline: Duration::from_secs(5), buffer_bytes: HUGE_PAGE }
    }
}

/// A page of 2 MiB: the largest that Linux gives without boot parameters.
pub const HUGE_PAGE: usize = 2 << 20;
/// An ordinary page.
const PAGE: usize = 4096;
/// CCI-P moves lines of 64 bytes.
const LINE_BYTES: usize = 64;
/// Cycles of the card's clock in a microsecond, for [`Card::cycles`]: 200 MHz, the clock of the platform.
const CYCLES_PER_MICROSECOND: u64 = 200;
/// Waits shorter than this are not worth a call of the scheduler.
const SPIN: Duration = Duration::from_micros(20);
/// What a card gives that has left the bus.
const GONE: u64 = u64::MAX;

/// `deadline` in the cycles that [`Card::cycles`] of these cards counts.
pub fn cycles(deadline: Duration) -> u64 {
    (deadline.as_micros() as u64).saturating_mul(CYCLES_PER_MICROSECOND)
}

/// AFU UUID as OPAE wants it, in the order of its text.
pub fn guid() -> [u8; 16] {
    spagen::regmap::AFU_ID.to_be_bytes()
}

/// A card of this kind.
#[derive(Debug)]
pub struct OpaeCard {
    connection: Connection,
    address: PciAddress,
    opened: Instant,
    buffers: BTreeMap<u64, Pinned>,
    buffer_bytes: usize,
    // Closed after the connection; the library goes last of all.
    _token: Token,
}

// SAFETY: OPAE's handles may be used by any thread, one at a time; `&mut self` of every access to card or memory ensures
// that, and reads of memory through `&self` do not call the library.
unsafe impl Send for OpaeCard {}

/// Cards with our UUID, in the library's order.
///
/// # Errors
/// [`CardError::Library`] if OPAE cannot be loaded, [`CardError::Opae`] if it fails.
pub fn find(options: &OpaeOptions) -> Result<Vec<Token>, CardError> {
    let api = Api::load(options.library.as_deref()).map_err(CardError::NoOpae)?;
    if std::env::var_os("OPAE_EXPLICIT_INITIALIZE").is_some() {
        // SAFETY: null asks for the library's own configuration.
        result::check(&api, "fpgaInitialize", unsafe { (api.initialize)(std::ptr::null()) })?;
    }
    Token::find(&Arc::new(api), &guid(), options.address)
}

impl OpaeCard {
    /// Opens the card of `token` and resets it.
    ///
    /// # Errors
    /// [`CardError::Opae`] if it cannot be opened or reset.
    pub fn open(token: Token, options: &OpaeOptions) -> Result<Self, CardError> {
        let connection = token.open()?;
        connection.reset()?;
        Ok(Self {
            connection,
            address: token.address,
            opened: Instant::now(),
            buffers: BTreeMap::new(),
            buffer_bytes: options.buffer_bytes.max(LINE_BYTES),
            _token: token,
        })
    }

    fn pinned(&self, buffer: Buffer, offset: usize, bytes: usize) -> Result<*mut u8, CardError> {
        let end = offset.checked_add(bytes);
        if let Some(pinned) = self.buffers.get(&buffer.address)
            && end.is_some_and(|end| end <= pinned.bytes)
        {
            // SAFETY: the range lies in the buffer, which lives as long as its entry.
            return Ok(unsafe { pinned.host.add(offset) });
        }
        Err(CardError::Allocation(format!(
            "{bytes} bytes at {offset} do not lie in the buffer of {} bytes at {:#x}",
            buffer.bytes, buffer.address
        )))
    }
}

/// Why there is no memory, and what to do.
fn explain(bytes: usize, error: CardError) -> CardError {
    let CardError::Opae { cause, .. } = error else { return error };
    if bytes <= PAGE {
        return CardError::Allocation(format!("no page of 4 KiB for {bytes} bytes: {cause}"));
    }
    let (size, count, pages) = if bytes <= HUGE_PAGE {
        ("2 MiB", 3, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
    } else {
        ("1 GiB", 1, "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages")
    };
    CardError::Allocation(format!(
        "no huge page of {size} for {bytes} bytes: {cause}; as root: echo {count} > {pages} (a run needs {count}; more if \
         other processes use them too)"
    ))
}

impl Card for OpaeCard {
    fn name(&self) -> String {
        format!("the card at {}", self.address)
    }

    fn line_bytes(&self) -> usize {
        LINE_BYTES
    }

    fn buffer_bytes(&self) -> usize {
        self.buffer_bytes
    }

    fn read(&mut self, offset: u32) -> Result<u64, CardError> {
        let value = self.connection.read(offset)?;
        // No device feature header is all ones; other registers may be.
        if value == GONE && self.connection.read(reg::DFH.offset)? == GONE {
            return Err(CardError::Gone { card: self.name(), offset });
        }
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u64) -> Result<(), CardError> {
        // What the host wrote to shared memory comes first.
        fence(Ordering::SeqCst);
        self.connection.write(offset, value)
    }

    fn allocate(&mut self, bytes: usize) -> Result<Buffer, CardError> {
        let bytes = bytes.max(1).next_multiple_of(LINE_BYTES);
        let pinned = self.connection.prepare(bytes).map_err(|error| explain(bytes, error))?;
        self.buffers.insert(pinned.card, pinned);
        Ok(Buffer { address: pinned.card, bytes })
    }

    fn release(&mut self, buffer: Buffer) -> Result<(), CardError> {
        let Some(pinned) = self.buffers.remove(&buffer.address) else {
            return Err(CardError::Allocation(format!("no buffer at {:#x} to release", buffer.address)));
        };
        self.connection.release(pinned)
    }

    fn read_memory(&self, buffer: Buffer, offset: usize, bytes: &mut [u8]) -> Result<(), CardError> {
        let source = self.pinned(buffer, offset, bytes.len())?;
        // The register that announced these bytes was read before them.
        fence(Ordering::SeqCst);
        // SAFETY: `pinned` checked the range; the card writes only lines that it has not announced yet.
        unsafe { std::ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn write_memory(&mut self, buffer: Buffer, offset: usize, bytes: &[u8]) -> Result<(), CardError> {
        let target = self.pinned(buffer, offset, bytes.len())?;
        // SAFETY: `pinned` checked the range; the card reads it only after a start.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        Ok(())
    }

    fn advance(&mut self, cycles: u64) -> Result<(), CardError> {
        let wait = Duration::from_nanos(cycles * 1000 / CYCLES_PER_MICROSECOND);
        if wait < SPIN {
            let end = Instant::now() + wait;
            while Instant::now() < end {
                std::hint::spin_loop();
            }
        } else {
            std::thread::sleep(wait);
        }
        Ok(())
    }

    fn cycles(&self) -> u64 {
        cycles(self.opened.elapsed())
    }

    fn reset(&mut self) -> Result<(), CardError> {
        self.connection.reset()
    }
}

impl Drop for OpaeCard {
    /// The card is reset before its memory is unpinned. If that fails the memory stays pinned until the connection is
    /// closed, which makes the kernel do both.
    fn drop(&mut self) {
        if self.connection.reset().is_err() {
            return;
        }
        for pinned in std::mem::take(&mut self.buffers).into_values() {
            // Nobody is left to tell; closing unpins what is left.
            let _ = self.connection.release(pinned);
        }
    }
}
