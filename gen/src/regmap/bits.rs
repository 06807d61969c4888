//! The registers that a driver uses, looked up in the map when this crate is compiled: a name that the map does not have
//! does not compile.

use super::{Field, GROUPS, Register};

/// A bit field and the byte offset of its register.
#[derive(Debug, Clone, Copy)]
pub struct Bits {
    /// Byte offset of the register.
    pub offset: u32,
    /// Name of the register.
    pub register: &'static str,
    field: Field,
}

impl Bits {
    /// The field of a register value.
    #[must_use]
    pub const fn get(self, register: u64) -> u64 {
        register >> self.field.lsb & self.field.ones()
    }

    /// A value, in place; bits that do not fit are cut.
    #[must_use]
    pub const fn put(self, value: u64) -> u64 {
        (value & self.field.ones()) << self.field.lsb
    }

    /// Name of the field.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.field.name
    }
}

/// The field `field` of register `register`.
const fn bits(register: &str, field: &str) -> Bits {
    let register = find(register);
    let mut i = 0;
    while i < register.fields.len() {
        if equal(register.fields[i].name, field) {
            return Bits { offset: register.offset, register: register.name, field: register.fields[i] };
        }
        i += 1;
    }
    panic!("the register map has no such field")
}

const fn find(name: &str) -> &'static Register {
    let mut g = 0;
    while g < GROUPS.len() {
        let mut r = 0;
        while r < GROUPS[g].registers.len() {
            if equal(GROUPS[g].registers[r].name, name) {
                return &GROUPS[g].registers[r];
            }
            r += 1;
        }
        g += 1;
    }
    panic!("the register map has no such register")
}

const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

macro_rules! fields {
    ($($constant:ident = $register:literal . $field:literal;)*) => {
        $(
            #[doc = concat!("`", $register, ".", $field, "`")]
            pub const $constant: Bits = bits($register, $field);
        )*
    };
}

fields! {
    DFH = "DFH"."feature_type";
    AFU_ID_L = "AFU_ID_L"."value";
    AFU_ID_H = "AFU_ID_H"."value";
    ABI_MAGIC = "ABI"."magic";
    ABI_MAJOR = "ABI"."major";
    ABI_MINOR = "ABI"."minor";
    CONFIG_HASH_0 = "CONFIG_HASH_0"."value";
    CONFIG_HASH_1 = "CONFIG_HASH_1"."value";
    CONFIG_HASH_2 = "CONFIG_HASH_2"."value";
    CONFIG_HASH_3 = "CONFIG_HASH_3"."value";
    PIPELINE_LATENCY = "BUILD_ARRAY"."pipeline_latency";
    SCRATCH = "SCRATCH"."value";

    FIELD_WIDTH = "FIELD_SIZE"."width";
    FIELD_HEIGHT = "FIELD_SIZE"."height";
    TILE_WIDTH = "TILE_SIZE"."width";
    TILE_HEIGHT = "TILE_SIZE"."height";
    TILE_GROUPS = "TILE_SIZE"."groups";
    LABELS = "LABELS"."value";
    ALPHA = "ENERGY"."alpha";
    BETA = "ENERGY"."beta";
    SHIFT = "ENERGY"."shift";
    DATA_CAP = "ENERGY"."data_cap";
    S_OUTSIDE = "ENERGY"."s_outside";
    SQUARED = "FORM"."squared";
    S2_MODE = "FORM"."s2_mode";
    PAIR_FORM = "FORM"."pair_form";
    REPLICATE = "FORM"."replicate";
    PAIR_CAP = "FORM"."pair_cap";
    S2_STRIDE = "S2_LAYOUT"."stride";
    S2_WRAP = "S2_LAYOUT"."wrap";
    MARGIN_LEFT = "S2_MARGIN"."left";
    MARGIN_UP = "S2_MARGIN"."up";
    MARGIN_BASE = "S2_MARGIN"."base";
    SEED = "SEED"."value";
    CHAIN = "CHAIN"."value";
    ITERATIONS = "ITERATIONS"."total";
    BURN_IN = "ITERATIONS"."burn_in";
    SLOT_CYCLES = "SLOT_TIMING"."cycles";
    SWITCH_GAP = "SLOT_TIMING"."switch_gap";
    SCHEDULE_ENTRIES = "SCHEDULE"."entries";
    LOAD_BASE = "LOAD_BASE"."value";
    LOAD_LINES = "LOAD_LINES"."value";
    RING_BASE = "RING_BASE"."value";
    RING_LINES = "RING_LINES"."value";
    RING_READ_INDEX = "RING_READ_INDEX"."value";
    READBACK_BASE = "READBACK_BASE"."value";
    READBACK_WORDS = "READBACK_WORDS"."value";

    START = "CONTROL"."start";
    START_LOAD = "CONTROL"."load";
    START_RUN = "CONTROL"."run";
    START_READBACK = "CONTROL"."readback";
    STOP = "CONTROL"."stop";
    SOFT_RESET = "CONTROL"."soft_reset";
    STATE = "STATUS"."state";
    IDLE = "STATUS"."idle";
    DONE = "STATUS"."done";
    ERROR = "STATUS"."error";
    STALL_ARRAY = "STATUS"."stall_array";
    RING_FULL = "STATUS"."ring_full";
    MEMORY_WAIT = "STATUS"."memory_wait";
    RING_WRITE_INDEX = "RING_WRITE_INDEX"."value";
    PROGRESS_ITERATION = "PROGRESS"."iteration";
    PROGRESS_ENTRY = "PROGRESS"."entry";
    PROGRESS_COLOUR = "PROGRESS"."colour";

    COUNT_LOAD = "COUNT_LOAD"."value";
    COUNT_RUN = "COUNT_RUN"."value";
    COUNT_DRAIN = "COUNT_DRAIN"."value";
    COUNT_FLUSH = "COUNT_FLUSH"."value";
    COUNT_SLOTS = "COUNT_SLOTS"."value";
    COUNT_STALL_FIFO = "COUNT_STALL_FIFO"."value";
    COUNT_STALL_RING = "COUNT_STALL_RING"."value";
    COUNT_STALL_MEMORY = "COUNT_STALL_MEMORY"."value";
    COUNT_SWITCH_GAP = "COUNT_SWITCH_GAP"."value";
    COUNT_RECORDS = "COUNT_RECORDS"."value";
    COUNT_LINES = "COUNT_LINES"."value";
    COUNT_RECEIVED = "COUNT_RECEIVED"."value";
    COUNT_SENT = "COUNT_SENT"."value";
}

/// Register `ERRORS`.
pub const ERRORS: &Register = find("ERRORS");

/// Names of the set bits of `ERRORS` with what they mean.
#[must_use]
pub fn error_names(value: u64) -> String {
    let set = ERRORS.fields.iter().filter(|field| value >> field.lsb & 1 == 1);
    set.map(|field| format!("{} ({})", field.name, field.doc.trim_start_matches("1: ")))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Name of a value of `STATUS.state`.
#[must_use]
pub fn state_name(state: u64) -> &'static str {
    const NAMES: [&str; 10] =
        ["idle", "load", "run", "drain", "flush", "readback", "done", "reset", "check", "last slots"];
    NAMES.get(state as usize).copied().unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_round_trip() {
        let value = TILE_WIDTH.put(48) | TILE_HEIGHT.put(96) | TILE_GROUPS.put(12);
        assert_eq!((TILE_WIDTH.get(value), TILE_HEIGHT.get(value), TILE_GROUPS.get(value)), (48, 96, 12));
        assert_eq!(SEED.put(u64::MAX), u64::MAX);
    }

    #[test]
    fn errors_and_states_have_names() {
        assert!(error_names(1 << 2 | 1 << 19).contains("parameter ("));
        assert!(error_names(1 << 19).starts_with("bad_ring"));
        assert_eq!(error_names(0), "");
        assert_eq!(state_name(4), "flush");
    }
}
