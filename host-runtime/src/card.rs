//! Cards: what the driver needs of an accelerator card, simulated or real, and the driver itself.

pub mod accelerator;
pub mod axi;
pub mod memory;
pub mod opae;
pub mod serial;
pub mod sim;

pub use spagen::regmap::bits as registers;
pub use spagen::runs::Buffer;

use std::collections::BTreeMap;
use thiserror::Error;

/// A card: registers, memory, and time.
pub trait Card {
    /// What messages call it.
    fn name(&self) -> String;

    /// Bytes of a memory line (the width of the card's data bus).
    fn line_bytes(&self) -> usize;

    /// Bytes of one buffer, at most; more are refused or need special memory.
    fn buffer_bytes(&self) -> usize {
        usize::MAX
    }

    /// Reads a register.
    ///
    /// # Errors
    /// [`CardError::Silent`] if the card does not answer, [`CardError::Memory`] if it did something forbidden meanwhile.
    fn read(&mut self, offset: u32) -> Result<u64, CardError>;

    /// Writes a register.
    ///
    /// # Errors
    /// As [`Card::read`].
    fn write(&mut self, offset: u32, value: u64) -> Result<(), CardError>;

    /// Writes registers by ascending offset.
    ///
    /// # Errors
    /// As [`Card::read`].
    fn write_many(&mut self, values: &BTreeMap<u32, u64>) -> Result<(), CardError> {
        values.iter().try_for_each(|(&offset, &value)| self.write(offset, value))
    }

    /// Makes a buffer of at least `bytes` bytes, rounded up to whole lines.
    ///
    /// # Errors
    /// [`CardError::Allocation`] if there is no such memory.
    fn allocate(&mut self, bytes: usize) -> Result<Buffer, CardError>;

    /// Gives a buffer back. The card must be idle.
    ///
    /// # Errors
    /// [`CardError::Allocation`] for a buffer that this card does not have.
    fn release(&mut self, buffer: Buffer) -> Result<(), CardError>;

    /// Reads a buffer from `offset` on.
    ///
    /// # Errors
    /// [`CardError::Allocation`] if the buffer is not the card's or too short.
    fn read_memory(&self, buffer: Buffer, offset: usize, bytes: &mut [u8]) -> Result<(), CardError>;

    /// Writes a buffer from `offset` on.
    ///
    /// # Errors
    /// As [`Card::read_memory`].
    fn write_memory(&mut self, buffer: Buffer, offset: usize, bytes: &[u8]) -> Result<(), CardError>;

    /// Lets the card work for about `cycles` of its clock.
    ///
    /// # Errors
    /// [`CardError::Memory`] if the card did something forbidden.
    fn advance(&mut self, cycles: u64) -> Result<(), CardError>;

    /// Cycles of the card's clock since it was opened; a real card estimates them.
    fn cycles(&self) -> u64;

    /// Brings the whole card to its state after power-up; buffers stay.
    ///
    /// # Errors
    /// If the card does not answer.
    fn reset(&mut self) -> Result<(), CardError>;
}

/// Everything that can go wrong between driver and card.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CardError {
    /// No memory for a buffer, or a wrong buffer.
    #[error("card memory: {0}")]
    Allocation(String),
    /// The card has left the bus: everything reads as ones.
    #[error(
        "{card} does not answer any more: register {offset:#x} and the feature header read as all ones; see 'fpgainfo errors all' \
         and reload the bitstream"
    )]
    Gone {
        /// The card.
        card: String,
        /// Register.
        offset: u32,
    },
    /// The run was made for other hardware widths.
    #[error(
        "the job was made for other hardware than the build: {name} is {job} in the job and {build} in the build"
    )]
    Hardware {
        /// Parameter.
        name: &'static str,
        /// In the job.
        job: String,
        /// In the build.
        build: String,
    },
    /// The card is not one of ours, or of another register-map revision.
    #[error("{card} has {what} {found}, but {expected} is needed")]
    Identity {
        /// The card.
        card: String,
        /// What was compared.
        what: &'static str,
        /// On the card.
        found: String,
        /// In this program.
        expected: String,
    },
    /// The card was made from another configuration than the build folder.
    #[error(
        "{card} was built from configuration {found}, the build folder holds {expected}; load the matching bitstream or name the matching folder"
    )]
    Configuration {
        /// The card.
        card: String,
        /// Hash on the card.
        found: String,
        /// Hash of the build folder.
        expected: String,
    },
    /// The shared library of the simulated card.
    #[error("failed to load the simulated card '{path}': {cause}")]
    Library {
        /// Path of the library.
        path: String,
        /// Why.
        cause: String,
    },
    /// The card broke a rule of the bus or touched memory that is not its own.
    #[error("{0}")]
    Memory(#[from] memory::Fault),
    /// The log does not decode, or the job does not fit.
    #[error(transparent)]
    Model(#[from] spa_model::Error),
    /// No card holds our accelerator.
    #[error(
        "no card{place} with AFU UUID {uuid}; load the bitstream of the build ('fpgasupdate FILE.gbs') and see 'fpgainfo port'"
    )]
    NoCard {
        /// AFU UUID in text.
        uuid: String,
        /// ` at ADDRESS`, or nothing.
        place: String,
    },
    /// OPAE cannot be loaded.
    #[error("{0}")]
    NoOpae(String),
    /// A call of the OPAE library failed.
    #[error("{call} failed: {cause}")]
    Opae {
        /// Name of the function.
        call: &'static str,
        /// What the library says, and what to do.
        cause: String,
    },
    /// The card reports errors.
    #[error("the card reports errors in state {state}: {errors}")]
    Reported {
        /// State it was in.
        state: &'static str,
        /// Names of the bits.
        errors: String,
    },
    /// The serial port, or the board behind it.
    #[error("serial port '{port}': {cause}")]
    Serial {
        /// Path of the port.
        port: String,
        /// What is wrong, and what to do.
        cause: String,
    },
    /// A register access was not answered.
    #[error("the card did not answer a {access} of register {offset:#x} within {cycles} cycles")]
    Silent {
        /// `read` or `write`.
        access: &'static str,
        /// Register.
        offset: u32,
        /// Patience.
        cycles: u64,
    },
    /// The caller asked for an end.
    #[error("the run was stopped after {iteration} of {iterations} iterations")]
    Stopped {
        /// Iterations done.
        iteration: u32,
        /// Iterations asked for.
        iterations: u32,
    },
    /// Nothing happens any more.
    #[error("the card makes no progress: state {state} for {cycles} cycles, iteration {iteration}, {detail}")]
    Stuck {
        /// State it is in.
        state: &'static str,
        /// Cycles without progress.
        cycles: u64,
        /// Iteration it has reached.
        iteration: u64,
        /// What it waits for, as the status bits say, and the counters.
        detail: String,
    },
    /// Card and host counted differently.
    #[error("the label log is incomplete: the card counted {card} {what}, the host {host}")]
    Uncounted {
        /// Messages or lines.
        what: &'static str,
        /// On the card.
        card: u64,
        /// Here.
        host: u64,
    },
}
