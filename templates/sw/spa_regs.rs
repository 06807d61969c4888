//! Register map of the accelerator. Registers are 64 bits wide; offsets are in bytes.

/// Incompatible revisions of the map.
pub const ABI_MAJOR: u64 = {{ map.abi_major() }};
/// Compatible additions to the map.
pub const ABI_MINOR: u64 = {{ map.abi_minor() }};
/// Value of the field `ABI.magic`.
pub const ABI_MAGIC: u64 = 0x{{ map.abi_magic() }};
/// UUID of the map, first digit most significant.
pub const AFU_ID: u128 = 0x{{ map.afu_id_digits() }};
/// Bytes of address space that are decoded.
pub const MAP_BYTES: u64 = 0x{{ "{:X}"|format(map.bytes()) }};

/// A bit field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Byte offset of the register.
    pub offset: u64,
    /// Lowest bit.
    pub lsb: u32,
    /// Number of bits.
    pub width: u32,
}

impl Field {
    /// The field's bits, in place.
    #[must_use]
    pub const fn mask(self) -> u64 {
        (u64::MAX >> (64 - self.width)) << self.lsb
    }

    /// The field of a register value.
    #[must_use]
    pub const fn get(self, register: u64) -> u64 {
        (register & self.mask()) >> self.lsb
    }

    /// A value, in place; bits that do not fit are cut.
    #[must_use]
    pub const fn put(self, value: u64) -> u64 {
        (value << self.lsb) & self.mask()
    }
}
{%- for register in map.registers() %}

/// {{ register.name() }} ({{ register.access() }}): {{ register.doc() }}.
pub mod {{ register.lower() }} {
    use super::Field;

    /// Byte offset.
    pub const OFFSET: u64 = 0x{{ register.offset() }};
{%- for field in register.fields() %}
    /// {{ field.doc() }}
    pub const {{ field.name()|upper }}: Field = Field { offset: OFFSET, lsb: {{ field.lsb() }}, width: {{ field.width() }} };
{%- endfor %}
}
{%- endfor %}
