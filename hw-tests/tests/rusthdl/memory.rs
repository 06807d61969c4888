//! An AXI4 memory with random waits, written in rust-hdl and exported to Verilog.
#![allow(missing_docs)] // the ports are those of the bus

use rust_hdl::prelude::*;

/// Bits of a line.
pub const LINE: usize = 128;
/// Bits of a line address: 4,096 lines.
pub const LINES: usize = 12;

/// One burst of each kind at a time; host access to the lines beside it.
#[derive(LogicBlock)]
pub struct AxiMemory {
    pub clock: Signal<In, Clock>,
    pub reset_n: Signal<In, Bit>,
    // Host, while the bus is idle
    pub host_write: Signal<In, Bit>,
    pub host_address: Signal<In, Bits<LINES>>,
    pub host_data: Signal<In, Bits<LINE>>,
    pub host_result: Signal<Out, Bits<LINE>>,
    // Read channels
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub araddr: Signal<In, Bits<64>>,
    pub arlen: Signal<In, Bits<8>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<LINE>>,
    pub rlast: Signal<Out, Bit>,
    // Write channels, one line a burst
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub awaddr: Signal<In, Bits<64>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<LINE>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    // Inside
    ram: RAM<Bits<LINE>, LINES>,
    random: DFF<Bits<32>>,
    started: DFF<Bit>,
    seed: Constant<Bits<32>>,
    taps: Constant<Bits<32>>,
    reading: DFF<Bit>,
    fetched: DFF<Bit>,
    showing: DFF<Bit>,
    read_line: DFF<Bits<LINES>>,
    read_left: DFF<Bits<8>>,
    have_address: DFF<Bit>,
    write_line: DFF<Bits<LINES>>,
    have_data: DFF<Bit>,
    write_data: DFF<Bits<LINE>>,
    answering: DFF<Bit>,
}

impl AxiMemory {
    fn new(seed: u64) -> Self {
        Self {
            clock: Default::default(),
            reset_n: Default::default(),
            host_write: Default::default(),
            host_address: Default::default(),
            host_data: Default::default(),
            host_result: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            araddr: Default::default(),
            arlen: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            rdata: Default::default(),
            rlast: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            awaddr: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            wdata: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            ram: RAM::new(Default::default()),
            random: Default::default(),
            started: Default::default(),
            seed: Constant::new(seed.to_bits()),
            taps: Constant::new(0xA300_0000_u64.to_bits()),
            reading: Default::default(),
            fetched: Default::default(),
            showing: Default::default(),
            read_line: Default::default(),
            read_left: Default::default(),
            have_address: Default::default(),
            write_line: Default::default(),
            have_data: Default::default(),
            write_data: Default::default(),
            answering: Default::default(),
        }
    }
}

impl Logic for AxiMemory {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            random,
            started,
            reading,
            fetched,
            showing,
            read_line,
            read_left,
            have_address,
            write_line,
            have_data,
            write_data,
            answering
        );
        self.ram.read_clock.next = self.clock.val();
        self.ram.write_clock.next = self.clock.val();
        // Random bits: a Galois register.
        self.random.d.next = self.random.q.val() >> 1;
        if self.random.q.val().get_bit(0) {
            self.random.d.next = (self.random.q.val() >> 1) ^ self.taps.val();
        }
        if !self.started.q.val() {
            self.random.d.next = self.seed.val();
        }
        self.started.d.next = true;
        // Read: take an address, fetch a line, show it after a random wait, until the last.
        self.arready.next = self.reset_n.val() && !self.reading.q.val() && self.random.q.val().get_bit(3);
        self.rvalid.next = self.showing.q.val();
        self.rdata.next = self.ram.read_data.val();
        self.rlast.next = self.read_left.q.val() == 0;
        self.ram.read_address.next = self.read_line.q.val();
        if !self.reading.q.val() {
            self.ram.read_address.next = self.host_address.val();
        }
        self.host_result.next = self.ram.read_data.val();
        if self.arready.val() && self.arvalid.val() {
            self.reading.d.next = true;
            self.fetched.d.next = false;
            self.read_line.d.next = self.araddr.val().get_bits::<LINES>(4);
            self.read_left.d.next = self.arlen.val();
        }
        if self.reading.q.val() {
            self.fetched.d.next = true;
            if self.fetched.q.val() && !self.showing.q.val() && self.random.q.val().get_bit(7) {
                self.showing.d.next = true;
            }
        }
        if self.showing.q.val() && self.rready.val() {
            self.showing.d.next = false;
            self.fetched.d.next = false;
            self.read_line.d.next = self.read_line.q.val() + 1;
            self.read_left.d.next = self.read_left.q.val() - 1;
            if self.read_left.q.val() == 0 {
                self.reading.d.next = false;
            }
        }
        // Write: address and data in any order, then the line, then the answer.
        self.awready.next =
            self.reset_n.val() && !self.have_address.q.val() && self.random.q.val().get_bit(12);
        self.wready.next = self.reset_n.val() && !self.have_data.q.val() && self.random.q.val().get_bit(17);
        self.bvalid.next = self.answering.q.val();
        self.ram.write_address.next = self.write_line.q.val();
        self.ram.write_data.next = self.write_data.q.val();
        self.ram.write_enable.next = false;
        if self.awready.val() && self.awvalid.val() {
            self.have_address.d.next = true;
            self.write_line.d.next = self.awaddr.val().get_bits::<LINES>(4);
        }
        if self.wready.val() && self.wvalid.val() {
            self.have_data.d.next = true;
            self.write_data.d.next = self.wdata.val();
        }
        if self.answering.q.val() && self.bready.val() {
            self.answering.d.next = false;
        }
        if self.have_address.q.val()
            && self.have_data.q.val()
            && !self.answering.q.val()
            && self.random.q.val().get_bit(22)
        {
            self.ram.write_enable.next = true;
            self.have_address.d.next = false;
            self.have_data.d.next = false;
            self.answering.d.next = true;
        }
        if self.host_write.val() {
            self.ram.write_address.next = self.host_address.val();
            self.ram.write_data.next = self.host_data.val();
            self.ram.write_enable.next = true;
        }
        if !self.reset_n.val() {
            self.reading.d.next = false;
            self.fetched.d.next = false;
            self.showing.d.next = false;
            self.have_address.d.next = false;
            self.have_data.d.next = false;
            self.answering.d.next = false;
        }
    }
}

/// The Verilog of a memory; the module is called `top`.
pub fn verilog() -> String {
    let mut memory = AxiMemory::new(0x1234_5678);
    memory.connect_all();
    generate_verilog(&memory)
}
