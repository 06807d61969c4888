//! The simulated card: the generated accelerator under Verilator, compiled into the build folder as a shared library,
//! with its memory in [`super::axi`].

pub mod sys;

use super::axi::{AxiMemory, MemoryOptions};
use super::memory::Memory;
use super::{Buffer, Card, CardError};
use std::path::Path;
use sys::{Inputs, Model, Outputs};

/// Behaviour of a simulated card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SimOptions {
    /// Behaviour of its memory.
    pub memory: MemoryOptions,
    /// Decides the contents of registers and RAMs that reset does not reach; 0: all zero.
    pub power_up_seed: u32,
}

/// Cycles within which a register access must be answered.
const PATIENCE: u64 = 1000;
/// Cycles of reset.
const RESET_CYCLES: u32 = 16;

/// A simulated card.
#[derive(Debug)]
pub struct SimCard {
    model: Model,
    memory: Memory,
    axi: AxiMemory,
    inputs: Inputs,
    outputs: Outputs,
}

impl SimCard {
    /// Loads the library at `path` and resets the card.
    ///
    /// # Errors
    /// [`CardError::Library`] if the library is missing, damaged or of another revision.
    pub fn open(path: &Path, options: SimOptions) -> Result<Self, CardError> {
        let model = Model::load(path, options.power_up_seed)?;
        let axi = AxiMemory::new(options.memory, model.line_bytes());
        let mut card = Self {
            model,
            memory: Memory::default(),
            axi,
            inputs: Inputs::default(),
            outputs: Outputs::default(),
        };
        card.reset()?;
        Ok(card)
    }

    /// Starts an FST trace at `path`, on a library made by `make trace`.
    ///
    /// # Errors
    /// [`CardError::Library`] if the library cannot trace.
    pub fn trace(&mut self, path: &Path) -> Result<(), CardError> {
        if self.model.trace(path) {
            return Ok(());
        }
        Err(CardError::Library {
            path: path.display().to_string(),
            cause: "the library was compiled without traces; run 'make trace' in the sim folder of the build"
                .to_string(),
        })
    }

    /// One cycle with memory at work.
    fn clock(&mut self) -> Result<(), CardError> {
        self.axi.drive(&self.memory, &mut self.inputs);
        self.model.clock(&self.inputs, &mut self.outputs);
        self.axi.observe(&mut self.memory, &self.inputs, &self.outputs)?;
        Ok(())
    }
}

impl Card for SimCard {
    fn name(&self) -> String {
        "the simulated card".to_string()
    }

    fn line_bytes(&self) -> usize {
        self.model.line_bytes()
    }

    fn read(&mut self, offset: u32) -> Result<u64, CardError> {
        self.inputs.s_araddr = offset.into();
        self.inputs.s_arvalid = 1;
        self.inputs.s_rready = 1;
        for _ in 0..PATIENCE {
            self.clock()?;
            if self.inputs.s_arvalid == 1 && self.outputs.s_arready == 1 {
                self.inputs.s_arvalid = 0;
            }
            if self.outputs.s_rvalid == 1 {
                self.inputs.s_rready = 0;
                return Ok(self.outputs.s_rdata);
            }
        }
        self.inputs.s_arvalid = 0;
        Err(CardError::Silent { access: "read", offset, cycles: PATIENCE })
    }

    fn write(&mut self, offset: u32, value: u64) -> Result<(), CardError> {
        self.inputs.s_awaddr = offset.into();
        self.inputs.s_wdata = value;
        self.inputs.s_wstrb = 0xFF;
        self.inputs.s_awvalid = 1;
        self.inputs.s_wvalid = 1;
        self.inputs.s_bready = 1;
        for _ in 0..PATIENCE {
            self.clock()?;
            if self.outputs.s_awready == 1 {
                self.inputs.s_awvalid = 0;
            }
            if self.outputs.s_wready == 1 {
                self.inputs.s_wvalid = 0;
            }
            if self.outputs.s_bvalid == 1 {
                self.inputs.s_bready = 0;
                return Ok(());
            }
        }
        (self.inputs.s_awvalid, self.inputs.s_wvalid) = (0, 0);
        Err(CardError::Silent { access: "write", offset, cycles: PATIENCE })
    }

    fn allocate(&mut self, bytes: usize) -> Result<Buffer, CardError> {
        Ok(self.memory.allocate(bytes.max(1).next_multiple_of(self.line_bytes())))
    }

    fn release(&mut self, buffer: Buffer) -> Result<(), CardError> {
        if self.memory.release(buffer) {
            return Ok(());
        }
        Err(CardError::Allocation(format!("no intact buffer at {:#x} to release", buffer.address)))
    }

    fn read_memory(&self, buffer: Buffer, offset: usize, bytes: &mut [u8]) -> Result<(), CardError> {
        let source = self.memory.get(buffer.address + offset as u64, bytes.len());
        bytes.copy_from_slice(source.ok_or_else(|| outside(buffer, offset, bytes.len()))?);
        Ok(())
    }

    fn write_memory(&mut self, buffer: Buffer, offset: usize, bytes: &[u8]) -> Result<(), CardError> {
        let target = self.memory.get_mut(buffer.address + offset as u64, bytes.len());
        target.ok_or_else(|| outside(buffer, offset, bytes.len()))?.copy_from_slice(bytes);
        Ok(())
    }

    fn advance(&mut self, cycles: u64) -> Result<(), CardError> {
        let end = self.axi.cycle() + cycles;
        while self.axi.cycle() < end {
            if self.axi.quiet() {
                let idle = Inputs { rst_n: 1, ..Inputs::default() };
                let done = self.model.idle(&idle, &mut self.outputs, end - self.axi.cycle());
                self.axi.skip(done);
                if self.axi.cycle() >= end {
                    break;
                }
            }
            self.clock()?;
        }
        Ok(())
    }

    fn cycles(&self) -> u64 {
        self.axi.cycle()
    }

    fn reset(&mut self) -> Result<(), CardError> {
        self.axi.reset();
        self.inputs = Inputs::default();
        for _ in 0..RESET_CYCLES {
            self.model.clock(&self.inputs, &mut self.outputs);
            self.axi.skip(1);
        }
        self.inputs.rst_n = 1;
        Ok(())
    }
}

fn outside(buffer: Buffer, offset: usize, bytes: usize) -> CardError {
    CardError::Allocation(format!(
        "{bytes} bytes at {offset} do not lie in the buffer of {} bytes at {:#x}",
        buffer.bytes, buffer.address
    ))
}
