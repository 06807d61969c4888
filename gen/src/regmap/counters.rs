//! Counters, cleared by start. 48 bits wide in hardware (16 days at 200 MHz).

use super::{Register, hardware, read_only};

macro_rules! counter {
    ($name:literal, $offset:literal, $unit:literal, $doc:literal) => {
        read_only($name, $offset, &[hardware("value", 0, 48, concat!($unit, ", modulo 2^48"))], $doc)
    };
}

pub(super) const REGISTERS: &[Register] = &[
    counter!("COUNT_TOTAL", 0x300, "cycles", "from start to done"),
    counter!("COUNT_LOAD", 0x308, "cycles", "in state load"),
    counter!(
        "COUNT_RUN",
        0x310,
        "cycles",
        "from the first slot to the last write-back (states run and last slots)"
    ),
    counter!("COUNT_DRAIN", 0x318, "cycles", "in state drain"),
    counter!("COUNT_FLUSH", 0x320, "cycles", "in state flush"),
    counter!("COUNT_READBACK", 0x328, "cycles", "in state readback"),
    counter!("COUNT_SLOTS", 0x330, "slots", "slots started"),
    counter!(
        "COUNT_STALL_FIFO",
        0x338,
        "cycles",
        "a slot was due and withheld: log FIFOs filling, hubs the limit"
    ),
    counter!(
        "COUNT_STALL_RING",
        0x340,
        "cycles",
        "a slot was due and withheld: log FIFOs filling, ring full"
    ),
    counter!(
        "COUNT_STALL_MEMORY",
        0x348,
        "cycles",
        "a slot was due and withheld: log FIFOs filling, memory slow"
    ),
    counter!(
        "COUNT_SWITCH_GAP",
        0x350,
        "cycles",
        "a slot was due and withheld: switch_gap between half-steps"
    ),
    counter!("COUNT_RECORDS", 0x358, "records", "load records put on the load bus (NOP records are not)"),
    counter!("COUNT_LINES", 0x360, "lines", "log lines that memory has confirmed"),
    counter!("COUNT_RECEIVED", 0x368, "messages", "messages packed into lines; equals COUNT_SENT when done"),
    read_only(
        "COUNT_SENT",
        0x370,
        &[hardware("value", 0, 40, "messages, modulo 2^40; counted from the first slot of a run")],
        "messages that the SPEs put into their log FIFOs",
    ),
];
