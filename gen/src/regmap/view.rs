//! What the templates need of the table: decisions are made here, templates only loop.
#![allow(
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    reason = "templates call these as methods of `map`, by reference"
)]

use super::{Access, Field, GROUPS, Register, Source};

/// Longest expression of the emitted RTL that stays on one line.
const SV_LINE: usize = 80;

/// Registers that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Heading in the documentation.
    pub title: &'static str,
    /// Registers by ascending offset.
    pub registers: &'static [Register],
}

/// The whole map, as the `map` of every register template.
#[derive(Clone, Copy, Debug, Default)]
pub struct Map;

/// A register with its names in every language.
#[derive(Clone, Copy, Debug)]
pub struct RegisterView(pub &'static Register);

/// A field with its names in every language.
#[derive(Clone, Copy, Debug)]
pub struct FieldView {
    register: &'static Register,
    field: &'static Field,
}

/// A port of `spa_regs` that carries a field.
#[derive(Clone, Debug)]
pub struct SvPort {
    /// `input ` or `output`, padded.
    pub direction: &'static str,
    /// `[16:0]` or blanks, padded.
    pub range: String,
    /// Port name.
    pub name: String,
}

/// A parameter of `spa_regs` that a read-only field shows.
#[derive(Clone, Debug)]
pub struct SvParameter {
    /// Parameter name, padded.
    pub name: String,
}

impl Group {
    /// Registers in address order.
    #[must_use]
    pub fn views(&self) -> Vec<RegisterView> {
        self.registers.iter().map(RegisterView).collect()
    }
}

/// Registers of a multiplexer of the read channel.
const READ_SET: u32 = 16;

/// Up to sixteen registers whose numbers differ in the lowest four bits.
pub struct ReadSet {
    /// Upper bits of their numbers.
    number: u32,
    /// In address order.
    registers: Vec<RegisterView>,
}

/// Part of a field within one byte of its register.
pub struct Piece {
    /// Number of the byte.
    pub byte: u32,
    /// Its bits in the field: `[7:0]`, or nothing if the field is one bit.
    pub target: String,
    /// Its bits in the register.
    pub source: String,
}

impl ReadSet {
    /// Upper bits of the registers' numbers.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The same as a Verilog literal.
    #[must_use]
    pub fn sv_number(&self) -> String {
        format!("{}'d{}", super::MAP_BYTES.ilog2() - 3 - READ_SET.ilog2(), self.number)
    }

    /// Registers in address order.
    #[must_use]
    pub fn registers(&self) -> &[RegisterView] {
        &self.registers
    }
}

impl Map {
    /// Groups in address order.
    #[must_use]
    pub fn groups(&self) -> &'static [Group] {
        GROUPS
    }

    /// Registers in address order.
    #[must_use]
    pub fn registers(&self) -> Vec<RegisterView> {
        super::registers().map(RegisterView).collect()
    }

    /// Readable registers in sets of sixteen, by the upper bits of their numbers: what one multiplexer of the read channel
    /// chooses from. Sets without a register are left out.
    #[must_use]
    pub fn read_sets(&self) -> Vec<ReadSet> {
        let mut sets: Vec<ReadSet> = Vec::new();
        for register in self.registers().into_iter().filter(RegisterView::is_readable) {
            let number = register.0.offset / 8 / READ_SET;
            match sets.last_mut().filter(|set| set.number == number) {
                Some(set) => set.registers.push(register),
                None => sets.push(ReadSet { number, registers: vec![register] }),
            }
        }
        sets
    }

    /// Registers that the host writes and reads back.
    #[must_use]
    pub fn stored(&self) -> Vec<RegisterView> {
        self.registers().into_iter().filter(RegisterView::is_stored).collect()
    }

    /// Registers of commands.
    #[must_use]
    pub fn commands(&self) -> Vec<RegisterView> {
        self.registers().into_iter().filter(|register| register.0.access == Access::WriteOnly).collect()
    }

    /// Bits of a byte address within the map.
    #[must_use]
    pub fn address_bits(&self) -> u32 {
        super::MAP_BYTES.ilog2()
    }

    /// Bytes of the map.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        super::MAP_BYTES
    }

    /// Registers that are locked while the accelerator is busy.
    #[must_use]
    pub fn locked(&self) -> Vec<RegisterView> {
        self.registers().into_iter().filter(RegisterView::is_locked).collect()
    }

    /// Major number of the ABI.
    #[must_use]
    pub fn abi_major(&self) -> u64 {
        super::ABI_MAJOR
    }

    /// Minor number of the ABI.
    #[must_use]
    pub fn abi_minor(&self) -> u64 {
        super::ABI_MINOR
    }

    /// Magic number of the ABI.
    #[must_use]
    pub fn abi_magic(&self) -> String {
        format!("{:08X}", super::ABI_MAGIC)
    }

    /// The UUID as 32 hexadecimal digits.
    #[must_use]
    pub fn afu_id_digits(&self) -> String {
        format!("{:032x}", super::AFU_ID)
    }

    /// The UUID in its usual form.
    #[must_use]
    pub fn afu_id(&self) -> String {
        let d = self.afu_id_digits();
        format!("{}-{}-{}-{}-{}", &d[..8], &d[8..12], &d[12..16], &d[16..20], &d[20..])
    }

    /// Integer parameters of `spa_regs`, in address order.
    #[must_use]
    pub fn sv_parameters(&self) -> Vec<SvParameter> {
        let names: Vec<&str> = self
            .registers()
            .iter()
            .flat_map(|register| register.0.fields)
            .filter_map(|field| if let Source::Parameter(name) = field.source { Some(name) } else { None })
            .collect();
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        names.into_iter().map(|name| SvParameter { name: format!("{name:<width$}") }).collect()
    }

    /// Field ports of `spa_regs`, in address order.
    #[must_use]
    pub fn sv_ports(&self) -> Vec<SvPort> {
        self.registers().iter().flat_map(RegisterView::fields).filter_map(|field| field.sv_port()).collect()
    }
}

impl RegisterView {
    /// `RING_BASE`
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// `ring_base`
    #[must_use]
    pub fn lower(&self) -> String {
        self.0.name.to_ascii_lowercase()
    }

    /// Byte offset as three hexadecimal digits.
    #[must_use]
    pub fn offset(&self) -> String {
        format!("{:03X}", self.0.offset)
    }

    /// What the register is for.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.0.doc
    }

    /// Access in words.
    #[must_use]
    pub fn access(&self) -> &'static str {
        match self.0.access {
            Access::ReadOnly => "read only",
            Access::ReadWrite => "read, write",
            Access::ReadWriteIdle => "read, write while idle",
            Access::WriteOnly => "write only",
        }
    }

    /// Access of software in `SystemRDL`.
    #[must_use]
    pub fn rdl_access(&self) -> &'static str {
        match self.0.access {
            Access::ReadOnly => "r",
            Access::ReadWrite | Access::ReadWriteIdle => "rw",
            Access::WriteOnly => "w",
        }
    }

    /// Does the register keep what the host writes?
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self.0.access, Access::ReadWrite | Access::ReadWriteIdle)
    }

    /// Is the register locked while the accelerator is busy?
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.0.access == Access::ReadWriteIdle
    }

    /// Does start clear the register?
    #[must_use]
    pub fn is_cleared_by_start(&self) -> bool {
        self.0.fields.iter().any(|field| field.source == Source::HostClearedByStart)
    }

    /// Can the host read the register?
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.0.access != Access::WriteOnly
    }

    /// Fields by ascending bit.
    #[must_use]
    pub fn fields(&self) -> Vec<FieldView> {
        self.0.fields.iter().map(|field| FieldView { register: self.0, field }).collect()
    }

    /// Number of the register in the map, as a Verilog literal.
    #[must_use]
    pub fn sv_index(&self) -> String {
        format!("{}'h{:02X}", super::MAP_BYTES.ilog2() - 3, self.0.offset / 8)
    }

    /// Number of the register in its [`ReadSet`], as a Verilog literal.
    #[must_use]
    pub fn sv_place(&self) -> String {
        format!("{}'h{:X}", READ_SET.ilog2(), self.0.offset / 8 % READ_SET)
    }

    /// The 64 bits that a read gives, as a Verilog expression.
    #[must_use]
    pub fn sv_read(&self) -> String {
        let mut parts = Vec::new();
        let mut bit = 0;
        for field in self.fields() {
            if field.field.lsb > bit {
                parts.push(format!("{}'b0", field.field.lsb - bit));
            }
            parts.push(field.sv_value());
            bit = field.field.lsb + field.field.width;
        }
        if bit < 64 {
            parts.push(format!("{}'b0", 64 - bit));
        }
        parts.reverse();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let line = format!("{{{}}}", parts.join(", "));
        if line.len() > SV_LINE {
            format!("{{\n        {}\n      }}", parts.join(",\n        "))
        } else {
            line
        }
    }
}

impl FieldView {
    /// Field name, lower case.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.field.name
    }

    /// `RING_BASE` or `ENERGY_ALPHA`: the register alone if this is its only field.
    #[must_use]
    pub fn upper(&self) -> String {
        if self.field.name == "value" {
            self.register.name.to_owned()
        } else {
            format!("{}_{}", self.register.name, self.field.name.to_ascii_uppercase())
        }
    }

    /// `ring_base` or `energy_alpha`.
    #[must_use]
    pub fn signal(&self) -> String {
        self.upper().to_ascii_lowercase()
    }

    /// Lowest bit.
    #[must_use]
    pub fn lsb(&self) -> u32 {
        self.field.lsb
    }

    /// Highest bit.
    #[must_use]
    pub fn msb(&self) -> u32 {
        self.field.lsb + self.field.width - 1
    }

    /// Number of bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.field.width
    }

    /// Mask in place, 16 hexadecimal digits.
    #[must_use]
    pub fn mask(&self) -> String {
        format!("{:016X}", self.field.mask())
    }

    /// Value after reset, hexadecimal digits.
    #[must_use]
    pub fn reset(&self) -> String {
        format!("{:X}", self.field.reset)
    }

    /// Meaning, unit and range.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.field.doc
    }

    /// Meaning, with the bars of absolute values escaped for a Markdown table.
    #[must_use]
    pub fn doc_markdown(&self) -> String {
        self.field.doc.replace('|', "\\|")
    }

    /// `17..0` or `4`.
    #[must_use]
    pub fn bits(&self) -> String {
        if self.field.width == 1 { self.lsb().to_string() } else { format!("{}..{}", self.msb(), self.lsb()) }
    }

    /// `[16:0]`, or nothing for one bit; padded to the longest.
    #[must_use]
    pub fn sv_range(&self) -> String {
        let range =
            if self.field.width == 1 { String::new() } else { format!("[{}:0]", self.field.width - 1) };
        format!("{range:<6}")
    }

    /// `[48:32]` or `[4]`.
    #[must_use]
    pub fn sv_slice(&self) -> String {
        if self.field.width == 1 {
            format!("[{}]", self.lsb())
        } else {
            format!("[{}:{}]", self.msb(), self.lsb())
        }
    }

    /// Byte of the register that holds the field's lowest bit.
    #[must_use]
    pub fn byte(&self) -> u32 {
        self.lsb() / 8
    }

    /// The parts of the field that lie in one byte of the register each, lowest first.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        let slice =
            |high: u32, low: u32| if high == low { format!("[{low}]") } else { format!("[{high}:{low}]") };
        let (first, last) = (self.lsb(), self.msb());
        (first / 8..=last / 8)
            .map(|byte| {
                let (low, high) = (first.max(8 * byte), last.min(8 * byte + 7));
                let target = if first == last { String::new() } else { slice(high - first, low - first) };
                Piece { byte, target, source: slice(high, low) }
            })
            .collect()
    }

    /// Value after reset as a Verilog literal.
    #[must_use]
    pub fn sv_reset(&self) -> String {
        format!("{}'h{:X}", self.field.width, self.field.reset)
    }

    /// What a read of the field gives, as a Verilog expression.
    #[must_use]
    pub fn sv_value(&self) -> String {
        let width = self.field.width;
        match self.field.source {
            Source::Constant => self.sv_reset(),
            Source::Parameter(name) => {
                if width == 1 {
                    format!("{name}[0]")
                } else {
                    format!("{name}[{}:0]", width - 1)
                }
            }
            Source::Slice(name, lsb) => format!("{name}[{}:{lsb}]", lsb + width - 1),
            Source::Host | Source::HostClearedByStart => format!("{}_q", self.signal()),
            Source::Command | Source::Flag => format!("{width}'b0"),
            Source::Hardware => format!("{}_i", self.signal()),
        }
    }

    /// Hardware access in `SystemRDL`.
    #[must_use]
    pub fn rdl_hardware(&self) -> &'static str {
        match self.field.source {
            Source::Constant | Source::Parameter(_) | Source::Slice(..) => "na",
            Source::Host | Source::Command | Source::Flag => "r",
            Source::HostClearedByStart => "rw",
            Source::Hardware => "w",
        }
    }

    /// Is a write a pulse?
    #[must_use]
    pub fn is_command(&self) -> bool {
        matches!(self.field.source, Source::Command | Source::Flag)
    }

    /// The reset value is known when the map is written (not a parameter of the build).
    #[must_use]
    pub fn has_reset(&self) -> bool {
        !matches!(self.field.source, Source::Parameter(_) | Source::Slice(..))
    }

    fn sv_port(&self) -> Option<SvPort> {
        let (direction, suffix) = match self.field.source {
            Source::Constant | Source::Parameter(_) | Source::Slice(..) => return None,
            Source::Host | Source::HostClearedByStart | Source::Command | Source::Flag => ("output", "o"),
            Source::Hardware => ("input ", "i"),
        };
        Some(SvPort { direction, range: self.sv_range(), name: format!("{}_{suffix}", self.signal()) })
    }
}
