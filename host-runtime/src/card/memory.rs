//! Memory of the simulated card: buffers far apart in a 64-bit address space. Every access outside a buffer is a fault,
//! which is sharper than guard bytes; the buffers' own edges are still surrounded by guard bytes, checked on release,
//! against defects of this model.

use super::Buffer;
use std::collections::BTreeMap;
use thiserror::Error;

/// A rule of the bus that the card broke, or an access to memory that is not its own.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the card broke a rule of the memory bus in cycle {cycle}: {what}")]
pub struct Fault {
    /// Cycle since power-up.
    pub cycle: u64,
    /// What it did.
    pub what: String,
}

/// First buffer's address: above 4 GiB, so that cut addresses are found.
const BASE: u64 = 0x12_3400_0000;
/// Distance between the end of a buffer and the next one, at least.
const GAP: u64 = 1 << 20;
/// Guard bytes before and behind a buffer.
const GUARD: usize = 64;
const GUARD_BYTE: u8 = 0xA5;
/// What fresh memory holds; not zero, so that reading what was never written shows.
const FRESH_BYTE: u8 = 0xEB;

#[derive(Debug)]
struct Area {
    bytes: usize,
    data: Vec<u8>,
}

/// The buffers, by address.
#[derive(Debug, Default)]
pub struct Memory {
    areas: BTreeMap<u64, Area>,
    next: u64,
}

impl Memory {
    /// Makes a buffer of exactly `bytes` bytes.
    pub fn allocate(&mut self, bytes: usize) -> Buffer {
        let address = self.next.max(BASE);
        // The last line of a buffer whose size is a multiple of 4 KiB ends at a page border: the exact fit is the
        // usual case.
        self.next = (address + bytes as u64 + GAP).next_multiple_of(4096);
        let mut data = vec![GUARD_BYTE; bytes + 2 * GUARD];
        data[GUARD..GUARD + bytes].fill(FRESH_BYTE);
        self.areas.insert(address, Area { bytes, data });
        Buffer { address, bytes }
    }

    /// Ends a buffer; false if there is none or its guard bytes have changed.
    pub fn release(&mut self, buffer: Buffer) -> bool {
        let Some(area) = self.areas.remove(&buffer.address) else { return false };
        let guard = |bytes: &[u8]| bytes.iter().all(|&byte| byte == GUARD_BYTE);
        guard(&area.data[..GUARD]) && guard(&area.data[GUARD + area.bytes..])
    }

    /// The `bytes` bytes at `address`, if they lie in one buffer.
    pub fn get(&self, address: u64, bytes: usize) -> Option<&[u8]> {
        let (&start, area) = self.areas.range(..=address).next_back()?;
        let offset = (address - start) as usize;
        let end = offset.checked_add(bytes)?;
        (end <= area.bytes).then(|| &area.data[GUARD + offset..GUARD + end])
    }

    /// As [`Memory::get`], to be written.
    pub fn get_mut(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let (&start, area) = self.areas.range_mut(..=address).next_back()?;
        let offset = (address - start) as usize;
        let end = offset.checked_add(bytes)?;
        (end <= area.bytes).then(|| &mut area.data[GUARD + offset..GUARD + end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_must_lie_in_one_buffer() {
        let mut memory = Memory::default();
        let a = memory.allocate(4096);
        let b = memory.allocate(64);
        assert!(a.address >= 1 << 32 && b.address >= a.address + 4096 + GAP && b.address % 4096 == 0);
        assert!(memory.get(a.address, 4096).is_some());
        assert!(memory.get(a.address + 4032, 64).is_some());
        assert!(memory.get(a.address + 4033, 64).is_none());
        assert!(memory.get(a.address - 1, 1).is_none());
        assert!(memory.get_mut(b.address + 64, 1).is_none());
        memory.get_mut(b.address, 64).unwrap().fill(7);
        assert_eq!(memory.get(b.address, 2).unwrap(), [7, 7]);
        assert!(memory.release(b) && !memory.release(b));
    }
}
