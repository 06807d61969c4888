//! The card whose memory is Verilated together with the accelerator: compiles it, loads it, and drives its pins.

use spa_runtime::card::{Buffer, Card, CardError};
use std::cell::RefCell;
use std::ffi::c_void;
use std::path::Path;

/// Bytes of a line.
const LINE: usize = 16;
/// Lines of the memory.
const LINES: usize = 4096;
/// Cycles within which a register access must be answered.
const PATIENCE: u64 = 1000;

#[derive(Debug, Clone, Default)]
#[repr(C)]
struct Pins {
    address: u64,
    data: u64,
    line: [u8; LINE],
    line_address: u16,
    awvalid: u8,
    wvalid: u8,
    arvalid: u8,
    host_write: u8,
    rst_n: u8,
    unused: u8,
}

#[derive(Debug, Clone, Default)]
#[repr(C)]
struct Answer {
    data: u64,
    line: [u8; LINE],
    awready: u8,
    wready: u8,
    bvalid: u8,
    arready: u8,
    rvalid: u8,
    unused: [u8; 3],
}

type Clock = unsafe extern "C" fn(*mut c_void, *const Pins, *mut Answer);

#[derive(Debug)]
struct Pinned {
    card: *mut c_void,
    clock: Clock,
    destroy: unsafe extern "C" fn(*mut c_void),
    cycles: u64,
    pins: Pins,
    answer: Answer,
    // Dropped last: the functions above live in it.
    _library: libloading::Library,
}

impl Pinned {
    fn clock(&mut self) {
        // SAFETY: `card` is alive, both structures have the layout of card.cpp and live through the call.
        unsafe { (self.clock)(self.card, &self.pins, &mut self.answer) }
        self.cycles += 1;
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: made by `card_create`, destroyed once.
        unsafe { (self.destroy)(self.card) }
    }
}

/// The card.
#[derive(Debug)]
pub struct HdlCard {
    pinned: RefCell<Pinned>,
    next: usize,
    buffers: usize,
}

impl HdlCard {
    /// Loads the library at `path` and resets the card.
    pub fn open(path: &Path) -> Self {
        // SAFETY: this test compiled the library; every function is declared as in card.cpp.
        let (library, card, clock, destroy) = unsafe {
            let library = libloading::Library::new(path).unwrap();
            let create = *library.get::<unsafe extern "C" fn() -> *mut c_void>(b"card_create\0").unwrap();
            let clock = *library.get::<Clock>(b"card_clock\0").unwrap();
            let destroy = *library.get::<unsafe extern "C" fn(*mut c_void)>(b"card_destroy\0").unwrap();
            let card = create();
            (library, card, clock, destroy)
        };
        let (pins, answer) = (Pins::default(), Answer::default());
        let pinned = Pinned { card, clock, destroy, cycles: 0, pins, answer, _library: library };
        let mut card = Self { pinned: RefCell::new(pinned), next: 0, buffers: 0 };
        card.reset().unwrap();
        card
    }
}

impl Card for HdlCard {
    fn name(&self) -> String {
        "the card with a rust-hdl memory".to_string()
    }

    fn line_bytes(&self) -> usize {
        LINE
    }

    fn read(&mut self, offset: u32) -> Result<u64, CardError> {
        let card = self.pinned.get_mut();
        card.pins.address = offset.into();
        card.pins.arvalid = 1;
        for _ in 0..PATIENCE {
            card.clock();
            if card.answer.arready == 1 {
                card.pins.arvalid = 0;
            }
            if card.answer.rvalid == 1 {
                return Ok(card.answer.data);
            }
        }
        Err(CardError::Silent { access: "read", offset, cycles: PATIENCE })
    }

    fn write(&mut self, offset: u32, value: u64) -> Result<(), CardError> {
        let card = self.pinned.get_mut();
        (card.pins.address, card.pins.data) = (offset.into(), value);
        (card.pins.awvalid, card.pins.wvalid) = (1, 1);
        for _ in 0..PATIENCE {
            card.clock();
            if card.answer.awready == 1 {
                card.pins.awvalid = 0;
            }
            if card.answer.wready == 1 {
                card.pins.wvalid = 0;
            }
            if card.answer.bvalid == 1 {
                return Ok(());
            }
        }
        Err(CardError::Silent { access: "write", offset, cycles: PATIENCE })
    }

    fn allocate(&mut self, bytes: usize) -> Result<Buffer, CardError> {
        let bytes = bytes.max(1).next_multiple_of(LINE);
        // Bursts of the loader end at blocks of 16 lines; a buffer may start anywhere.
        let address = self.next as u64;
        self.next += bytes;
        if self.next > LINES * LINE {
            return Err(CardError::Allocation(format!("{} bytes are too many", self.next)));
        }
        self.buffers += 1;
        Ok(Buffer { address, bytes })
    }

    fn release(&mut self, _buffer: Buffer) -> Result<(), CardError> {
        self.buffers -= 1;
        if self.buffers == 0 {
            self.next = 0;
        }
        Ok(())
    }

    fn read_memory(&self, buffer: Buffer, offset: usize, bytes: &mut [u8]) -> Result<(), CardError> {
        let mut card = self.pinned.borrow_mut();
        for (i, byte) in bytes.iter_mut().enumerate() {
            let address = buffer.address as usize + offset + i;
            if i == 0 || address.is_multiple_of(LINE) {
                card.pins.line_address = (address / LINE) as u16;
                // The address, its line, the line shown.
                card.clock();
                card.clock();
            }
            *byte = card.answer.line[address % LINE];
        }
        Ok(())
    }

    fn write_memory(&mut self, buffer: Buffer, offset: usize, bytes: &[u8]) -> Result<(), CardError> {
        let card = self.pinned.get_mut();
        let start = buffer.address as usize + offset;
        assert!(start.is_multiple_of(LINE) && bytes.len().is_multiple_of(LINE), "whole lines only");
        for (i, line) in bytes.chunks(LINE).enumerate() {
            card.pins.line_address = (start / LINE + i) as u16;
            card.pins.line.copy_from_slice(line);
            card.pins.host_write = 1;
            card.clock();
        }
        card.pins.host_write = 0;
        Ok(())
    }

    fn advance(&mut self, cycles: u64) -> Result<(), CardError> {
        (0..cycles).for_each(|_| self.pinned.get_mut().clock());
        Ok(())
    }

    fn cycles(&self) -> u64 {
        self.pinned.borrow().cycles
    }

    fn reset(&mut self) -> Result<(), CardError> {
        let card = self.pinned.get_mut();
        card.pins = Pins::default();
        (0..16).for_each(|_| card.clock());
        card.pins.rst_n = 1;
        Ok(())
    }
}
