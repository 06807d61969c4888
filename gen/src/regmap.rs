//! The register map of the accelerator: one table for everybody.
//!
//! The RTL register file, the C header, the Rust constants, the `SystemRDL` description and the reference page are all
//! rendered from [`REGISTERS`], so they cannot drift apart. Registers are 64 bits wide at a stride of 8 bytes; 32-bit
//! accesses work too (byte strobes). Raise [`ABI_MAJOR`] for a change that old host software cannot survive and give
//! the new ABI a new [`AFU_ID`]; raise [`ABI_MINOR`] for an addition.

pub mod bits;
mod control;
mod counters;
mod identity;
mod parameters;
mod view;

pub use view::{FieldView, Group, Map, RegisterView, SvParameter, SvPort};

/// Incompatible revisions of the register map.
pub const ABI_MAJOR: u64 = 1;
/// Compatible additions to the register map.
pub const ABI_MINOR: u64 = 0;
/// "SPAG" in the high half of `ABI`: tells a foreign device from ours.
pub const ABI_MAGIC: u64 = 0x5350_4147;
/// UUID of this register-map ABI, first digit most significant; the same for every configuration.
pub const AFU_ID: u128 = 0x6e1f_4a52_8c07_4d39_b5f2_0d83_a94c_7e16;

/// [`AFU_ID`] as text: 8-4-4-4-12 lower-case hexadecimal digits.
#[must_use]
pub fn afu_uuid() -> String {
    let digits = format!("{AFU_ID:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}
/// Bytes of address space that the register file decodes; anything else reads 0 and ignores writes.
pub const MAP_BYTES: u32 = 0x400;

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The host reads.
    ReadOnly,
    /// The host reads and writes at any time.
    ReadWrite,
    /// The host reads, and writes while the accelerator is idle; a write while busy is ignored and sets
    /// `ERRORS.locked_write`.
    ReadWriteIdle,
    /// The host writes; reads give 0.
    WriteOnly,
}

/// Where the value of a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The reset value, for ever.
    Constant,
    /// An integer parameter of the RTL module.
    Parameter(&'static str),
    /// 64 bits of a wide vector parameter of the RTL module, from this bit on.
    Slice(&'static str, u32),
    /// A register that the host writes.
    Host,
    /// A register that the host writes and every start clears.
    HostClearedByStart,
    /// Writing 1 gives a pulse of one cycle.
    Command,
    /// A level that comes with the pulse of `CONTROL`: valid only while a command pulse of the same write is.
    Flag,
    /// Hardware drives it.
    Hardware,
}

/// A bit field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lower-case name; `value` if it is the only field of its register.
    pub name: &'static str,
    /// Lowest bit.
    pub lsb: u32,
    /// Number of bits, 1 to 64.
    pub width: u32,
    /// Value after reset (the value itself for [`Source::Constant`]).
    pub reset: u64,
    /// Where the value comes from.
    pub source: Source,
    /// Meaning, unit and range.
    pub doc: &'static str,
}

/// A 64-bit register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Upper-case name.
    pub name: &'static str,
    /// Byte offset, a multiple of 8.
    pub offset: u32,
    /// Who may do what.
    pub access: Access,
    /// Fields by ascending `lsb`; bits without a field read 0.
    pub fields: &'static [Field],
    /// What the register is for.
    pub doc: &'static str,
}

impl Field {
    /// The field's bits, shifted to bit 0.
    #[must_use]
    pub const fn ones(&self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    /// The field's bits, in place.
    #[must_use]
    pub const fn mask(&self) -> u64 {
        self.ones() << self.lsb
    }
}

/// The tables in address order.
pub const GROUPS: &[Group] = &[
    Group { title: "Identity and build record", registers: identity::REGISTERS },
    Group { title: "Run parameters", registers: parameters::REGISTERS },
    Group { title: "Control and status", registers: control::REGISTERS },
    Group { title: "Counters", registers: counters::REGISTERS },
];

/// All registers, by ascending offset.
pub fn registers() -> impl Iterator<Item = &'static Register> {
    GROUPS.iter().flat_map(|group| group.registers)
}

/// The register of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Register> {
    registers().find(|register| register.name == name)
}

const fn field(name: &'static str, lsb: u32, width: u32, source: Source, doc: &'static str) -> Field {
    Field { name, lsb, width, reset: 0, source, doc }
}

const fn constant(name: &'static str, lsb: u32, width: u32, value: u64, doc: &'static str) -> Field {
    Field { name, lsb, width, reset: value, source: Source::Constant, doc }
}

const fn parameter(name: &'static str, lsb: u32, width: u32, sv: &'static str, doc: &'static str) -> Field {
    field(name, lsb, width, Source::Parameter(sv), doc)
}

const fn host(name: &'static str, lsb: u32, width: u32, doc: &'static str) -> Field {
    field(name, lsb, width, Source::Host, doc)
}

const fn hardware(name: &'static str, lsb: u32, width: u32, doc: &'static str) -> Field {
    field(name, lsb, width, Source::Hardware, doc)
}

const fn read_only(name: &'static str, offset: u32, fields: &'static [Field], doc: &'static str) -> Register {
    Register { name, offset, access: Access::ReadOnly, fields, doc }
}

const fn read_write_idle(
    name: &'static str,
    offset: u32,
    fields: &'static [Field],
    doc: &'static str,
) -> Register {
    Register { name, offset, access: Access::ReadWriteIdle, fields, doc }
}

#[cfg(test)]
mod tests;
