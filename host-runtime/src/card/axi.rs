//! AXI4 memory of the simulated card: the slave at the accelerator's AXI4 master, with latencies, random idle cycles
//! and back-pressure, and checks of everything that the master must hold to.

use super::memory::{Fault, Memory};
use super::sim::sys::{Inputs, Outputs};
use std::collections::VecDeque;

/// Behaviour of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryOptions {
    /// Cycles from an accepted read address to its first beat, at least 1.
    pub read_latency: u32,
    /// Cycles from the last beat of a write to its response, at least 1.
    pub write_latency: u32,
    /// Chance in percent, 0…99, that in a cycle a ready is withheld or a beat not offered, for each channel apart.
    pub idle_percent: u8,
    /// Seed of the idle cycles.
    pub seed: u64,
    /// After this many accepted addresses memory falls silent: accepts and answers nothing more. For tests of
    /// deadlines.
    pub silent_after: Option<u64>,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self { read_latency: 20, write_latency: 10, idle_percent: 0, seed: 1, silent_after: None }
    }
}

const RESPONSE_OKAY: u8 = 0;
const RESPONSE_DECODE_ERROR: u8 = 3;
const BURST_INCREMENT: u8 = 1;
/// Bursts that may wait in a queue.
const QUEUE: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Burst {
    address: u64,
    beats: u32,
    due: u64,
}

/// What the master showed on a channel while the slave was not ready: it must show the same in the next cycle.
#[derive(Debug, Default)]
struct Held {
    address_write: Option<(u64, u8)>,
    address_read: Option<(u64, u8)>,
    data: Option<([u8; 64], u64, u8)>,
}

/// The slave.
#[derive(Debug)]
pub struct AxiMemory {
    options: MemoryOptions,
    random: u64,
    line_bytes: usize,
    cycle: u64,
    accepted: u64,
    reads: VecDeque<Burst>,
    writes: VecDeque<Burst>,
    lines: VecDeque<([u8; 64], u64, bool)>,
    responses: VecDeque<u64>,
    offering_read: bool,
    offering_response: bool,
    held: Held,
}

impl AxiMemory {
    /// A memory with lines of `line_bytes` bytes.
    pub fn new(options: MemoryOptions, line_bytes: usize) -> Self {
        Self {
            random: options.seed ^ 0x9E37_79B9_7F4A_7C15,
            options,
            line_bytes,
            cycle: 0,
            accepted: 0,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            lines: VecDeque::new(),
            responses: VecDeque::new(),
            offering_read: false,
            offering_response: false,
            held: Held::default(),
        }
    }

    /// Forgets everything in flight, as reset does.
    pub fn reset(&mut self) {
        *self = Self { cycle: self.cycle, ..Self::new(self.options, self.line_bytes) };
    }

    /// True if nothing is in flight: until the master asks for something its inputs do not matter.
    pub fn quiet(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.lines.is_empty() && self.responses.is_empty()
    }

    /// Cycles that have passed, those skipped included.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Lets `cycles` quiet cycles pass.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// Sets the memory's side of the bus for the coming cycle.
    pub fn drive(&mut self, memory: &Memory, inputs: &mut Inputs) {
        let silent = self.options.silent_after.is_some_and(|most| self.accepted >= most);
        inputs.m_arready = u8::from(!silent && self.reads.len() < QUEUE && self.go());
        inputs.m_awready = u8::from(!silent && self.writes.len() < QUEUE && self.go());
        inputs.m_wready = u8::from(!silent && self.lines.len() < QUEUE && self.go());
        let due = self.reads.front().is_some_and(|burst| self.cycle >= burst.due);
        self.offering_read = !silent && (self.offering_read || due && self.go());
        inputs.m_rvalid = u8::from(self.offering_read);
        if let (true, Some(burst)) = (self.offering_read, self.reads.front()) {
            let line = memory.get(burst.address, self.line_bytes);
            inputs.m_rresp = if line.is_some() { RESPONSE_OKAY } else { RESPONSE_DECODE_ERROR };
            match line {
                Some(line) => inputs.m_rdata[..self.line_bytes].copy_from_slice(line),
                None => inputs.m_rdata.fill(0xDD),
            }
            inputs.m_rlast = u8::from(burst.beats == 1);
        }
        let due = self.responses.front().is_some_and(|&due| self.cycle >= due);
        self.offering_response = !silent && (self.offering_response || due && self.go());
        inputs.m_bvalid = u8::from(self.offering_response);
        inputs.m_bresp = RESPONSE_OKAY;
    }

    /// Takes what the cycle brought: handshakes of all channels, and the checks.
    ///
    /// # Errors
    /// A [`Fault`] for the first rule that the master broke.
    pub fn observe(&mut self, memory: &mut Memory, inputs: &Inputs, out: &Outputs) -> Result<(), Fault> {
        self.check_held(inputs, out)?;
        if out.m_arvalid & inputs.m_arready == 1 {
            let burst = self.address("read", out.m_araddr, out.m_arlen, out.m_arsize, out.m_arburst)?;
            if memory.get(burst.address, burst.beats as usize * self.line_bytes).is_none() {
                return self.fault(outside("reads", &burst));
            }
            let due = self.cycle + u64::from(self.options.read_latency.max(1));
            self.reads.push_back(Burst { due, ..burst });
        }
        if out.m_awvalid & inputs.m_awready == 1 {
            let burst = self.address("write", out.m_awaddr, out.m_awlen, out.m_awsize, out.m_awburst)?;
            if memory.get(burst.address, burst.beats as usize * self.line_bytes).is_none() {
                return self.fault(outside("writes", &burst));
            }
            self.writes.push_back(burst);
        }
        if out.m_wvalid & inputs.m_wready == 1 {
            self.lines.push_back((out.m_wdata, out.m_wstrb, out.m_wlast == 1));
        }
        if inputs.m_rvalid & out.m_rready == 1 {
            self.offering_read = false;
            if let Some(burst) = self.reads.front_mut() {
                burst.address += self.line_bytes as u64;
                burst.beats -= 1;
                if burst.beats == 0 {
                    self.reads.pop_front();
                }
            }
        }
        if inputs.m_bvalid & out.m_bready == 1 {
            self.offering_response = false;
            self.responses.pop_front();
        }
        self.write_lines(memory)?;
        self.cycle += 1;
        Ok(())
    }

    /// Brings address and data of writes together.
    fn write_lines(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        while let (Some(burst), Some(&(data, strobe, last))) = (self.writes.front_mut(), self.lines.front()) {
            let (address, end) = (burst.address, burst.beats == 1);
            burst.address += self.line_bytes as u64;
            burst.beats -= 1;
            if last != end {
                return self.fault(format!(
                    "WLAST is {} on the line at {address:#x}, which is {} of its burst",
                    u8::from(last),
                    if end { "the last" } else { "not the last" }
                ));
            }
            if let Some(line) = memory.get_mut(address, self.line_bytes) {
                for (i, byte) in line.iter_mut().enumerate() {
                    if strobe >> i & 1 == 1 {
                        *byte = data[i];
                    }
                }
            }
            self.lines.pop_front();
            if end {
                self.writes.pop_front();
                let due = self.cycle + u64::from(self.options.write_latency.max(1));
                self.responses.push_back(due);
            }
        }
        Ok(())
    }

    fn address(&mut self, kind: &str, address: u64, len: u8, size: u8, burst: u8) -> Result<Burst, Fault> {
        self.accepted += 1;
        let beats = u32::from(len) + 1;
        let bytes = u64::from(beats) * self.line_bytes as u64;
        if burst != BURST_INCREMENT {
            return self.fault(format!("a {kind} burst of type {burst}, not INCR"));
        }
        if 1_usize << (size & 7) != self.line_bytes {
            return self.fault(format!("a {kind} of size {size}, but a line has {} bytes", self.line_bytes));
        }
        if !address.is_multiple_of(self.line_bytes as u64) {
            return self.fault(format!("a {kind} at {address:#x}, which is not the start of a line"));
        }
        if address >> 12 != (address + bytes - 1) >> 12 {
            return self.fault(format!("a {kind} of {bytes} bytes at {address:#x} crosses a 4 KiB border"));
        }
        Ok(Burst { address, beats, due: 0 })
    }

    /// A valid that was not taken must stay, with the same payload.
    fn check_held(&mut self, inputs: &Inputs, out: &Outputs) -> Result<(), Fault> {
        let shown = Held {
            address_write: (out.m_awvalid == 1).then_some((out.m_awaddr, out.m_awlen)),
            address_read: (out.m_arvalid == 1).then_some((out.m_araddr, out.m_arlen)),
            data: (out.m_wvalid == 1).then_some((out.m_wdata, out.m_wstrb, out.m_wlast)),
        };
        let changed = if self.held.address_write.is_some() && self.held.address_write != shown.address_write {
            Some("AW")
        } else if self.held.address_read.is_some() && self.held.address_read != shown.address_read {
            Some("AR")
        } else if self.held.data.is_some() && self.held.data != shown.data {
            Some("W")
        } else {
            None
        };
        self.held = Held {
            address_write: shown.address_write.filter(|_| inputs.m_awready == 0),
            address_read: shown.address_read.filter(|_| inputs.m_arready == 0),
            data: shown.data.filter(|_| inputs.m_wready == 0),
        };
        match changed {
            Some(channel) => self.fault(format!("channel {channel} changed while memory was not ready")),
            None => Ok(()),
        }
    }

    fn fault<T>(&self, what: String) -> Result<T, Fault> {
        Err(Fault { cycle: self.cycle, what })
    }

    /// False in `idle_percent` of all calls.
    fn go(&mut self) -> bool {
        if self.options.idle_percent == 0 {
            return true;
        }
        // SplitMix64: good enough to be irregular, and the same everywhere.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % 100 >= u64::from(self.options.idle_percent)
    }
}

fn outside(verb: &str, burst: &Burst) -> String {
    format!("it {verb} {} lines at {:#x}, outside its buffers", burst.beats, burst.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_request(address: u64, len: u8) -> Outputs {
        Outputs {
            m_arvalid: 1,
            m_araddr: address,
            m_arlen: len,
            m_arsize: 6,
            m_arburst: 1,
            m_rready: 1,
            ..Outputs::default()
        }
    }

    fn slave() -> (AxiMemory, Memory, u64) {
        let mut memory = Memory::default();
        let address = memory.allocate(8192).address;
        (AxiMemory::new(MemoryOptions::default(), 64), memory, address)
    }

    fn refused(out: &Outputs) -> String {
        let (mut axi, mut memory, _) = slave();
        let mut inputs = Inputs::default();
        axi.drive(&memory, &mut inputs);
        axi.observe(&mut memory, &inputs, out).unwrap_err().to_string()
    }

    #[test]
    fn bad_bursts_are_refused() {
        let (_, _, base) = slave();
        assert!(refused(&read_request(base + 4032, 1)).contains("4 KiB"));
        assert!(refused(&read_request(base + 32, 0)).contains("start of a line"));
        assert!(refused(&read_request(base + 8192, 0)).contains("outside its buffers"));
        assert!(refused(&Outputs { m_arsize: 5, ..read_request(base, 0) }).contains("size"));
        assert!(refused(&Outputs { m_arburst: 0, ..read_request(base, 0) }).contains("INCR"));
        let write = Outputs {
            m_awvalid: 1,
            m_awaddr: base,
            m_awsize: 6,
            m_awburst: 1,
            m_wvalid: 1,
            m_wstrb: u64::MAX,
            ..Outputs::default()
        };
        assert!(refused(&write).contains("WLAST"));
    }

    #[test]
    fn bursts_of_any_length_and_place_read_what_was_written() {
        for idle_percent in [0, 50] {
            for (first, beats) in [(0, 64), (63, 1), (60, 4), (64, 64), (127, 1)] {
                let (mut axi, mut memory, base) = slave();
                axi.options.idle_percent = idle_percent;
                let bytes: Vec<u8> = (0..8192_u32).map(|i| (i * 7 + i / 64) as u8).collect();
                memory.get_mut(base, 8192).unwrap().copy_from_slice(&bytes);
                let mut asked = read_request(base + first * 64, (beats - 1) as u8);
                let mut got = Vec::new();
                for _ in 0..2000 {
                    let mut inputs = Inputs::default();
                    axi.drive(&memory, &mut inputs);
                    axi.observe(&mut memory, &inputs, &asked).unwrap();
                    if inputs.m_arready == 1 {
                        asked.m_arvalid = 0;
                    }
                    if inputs.m_rvalid == 1 {
                        got.extend_from_slice(&inputs.m_rdata);
                        assert_eq!(inputs.m_rlast == 1, got.len() as u64 == beats * 64);
                    }
                }
                assert_eq!(got, bytes[(first * 64) as usize..][..(beats * 64) as usize]);
                assert!(axi.quiet());
            }
        }
    }

    #[test]
    fn a_request_that_is_taken_back_is_refused() {
        let (mut axi, mut memory, base) = slave();
        axi.options.silent_after = Some(0);
        let mut inputs = Inputs::default();
        axi.drive(&memory, &mut inputs);
        axi.observe(&mut memory, &inputs, &read_request(base, 0)).unwrap();
        let fault = axi.observe(&mut memory, &inputs, &Outputs::default()).unwrap_err();
        assert!(fault.what.contains("channel AR changed"), "{fault}");
    }
}
