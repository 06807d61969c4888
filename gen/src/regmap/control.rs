//! Commands and what became of them.

use super::{Access, Field, Register, Source, field, hardware, read_only};

const fn command(name: &'static str, lsb: u32, doc: &'static str) -> Field {
    field(name, lsb, 1, Source::Command, doc)
}

const fn flag(name: &'static str, lsb: u32, doc: &'static str) -> Field {
    field(name, lsb, 1, Source::Flag, doc)
}

pub(super) const REGISTERS: &[Register] = &[
    Register {
        name: "CONTROL",
        offset: 0x200,
        access: Access::WriteOnly,
        fields: &[
            command(
                "start",
                0,
                "1: start what load, run and readback of the same write ask for, in that order",
            ),
            flag("load", 1, "1: with start, read load records"),
            flag("run", 2, "1: with start, sample, drain and flush the log"),
            flag("readback", 3, "1: with start, write the current labels to memory at the end"),
            command("stop", 4, "1: end the run after the current iteration, as if it were the last"),
            command(
                "soft_reset",
                8,
                "1: abandon everything, wait for memory to answer, reset the array, be idle",
            ),
            command("clear_errors", 9, "1: clear ERRORS"),
        ],
        doc: "commands; start also clears the counters, the ring indices and ERRORS",
    },
    read_only(
        "STATUS",
        0x208,
        &[
            hardware(
                "state",
                0,
                4,
                "0 idle, 1 load, 2 run, 3 drain, 4 flush, 5 readback, 6 done, 7 reset, 8 check, 9 last slots",
            ),
            hardware("idle", 4, 1, "1: a start is accepted (idle or done)"),
            hardware("done", 5, 1, "1: the last start has ended and all its memory writes are complete"),
            hardware("stopped", 6, 1, "1: the run ended early because of stop"),
            hardware("error", 7, 1, "1: a bit of ERRORS is set"),
            hardware("stall_array", 8, 1, "1: now withholding a slot because log FIFOs are filling"),
            hardware("ring_full", 9, 1, "1: now waiting for RING_READ_INDEX"),
            hardware("memory_wait", 10, 1, "1: now waiting for memory to take a line"),
        ],
        "what is going on",
    ),
    read_only(
        "ERRORS",
        0x210,
        &[
            hardware(
                "read_response",
                0,
                1,
                "1: memory answered a read with an error; the run is not started",
            ),
            hardware(
                "write_response",
                1,
                1,
                "1: memory answered a write with an error; the log is incomplete",
            ),
            hardware(
                "parameter",
                2,
                1,
                "1: a run parameter is out of range (see bits 16 on); nothing was done",
            ),
            hardware("ring_index", 3, 1, "1: RING_READ_INDEX overtook RING_WRITE_INDEX"),
            hardware("start_busy", 4, 1, "1: start while busy; it was ignored"),
            hardware("locked_write", 5, 1, "1: a run parameter was written while busy; it was ignored"),
            hardware("bad_tile", 16, 1, "1: tile size 0, above its maximum or groups 0"),
            hardware("bad_labels", 17, 1, "1: labels 0 or above 2^label_bits"),
            hardware("bad_schedule", 18, 1, "1: schedule entries 0 or above schedule_entries"),
            hardware("bad_ring", 19, 1, "1: ring of 0 lines or ring base not a multiple of a line"),
            hardware("bad_load", 20, 1, "1: load base not a multiple of a line"),
            hardware("bad_readback", 21, 1, "1: readback base not a multiple of a line or readback words 0"),
        ],
        "sticky errors, cleared by start and by CONTROL.clear_errors",
    ),
    read_only(
        "RING_WRITE_INDEX",
        0x218,
        &[hardware("value", 0, 32, "lines of the log that memory has confirmed, modulo 2^32; 0 at start")],
        "how far the log has been written: lines below this index may be read",
    ),
    read_only(
        "PROGRESS",
        0x220,
        &[
            hardware("iteration", 0, 24, "iterations of which every slot has been started"),
            hardware("entry", 32, 8, "schedule entry of the current iteration"),
            hardware("colour", 40, 1, "colour of the current half-step"),
        ],
        "how far the run has come",
    ),
];
