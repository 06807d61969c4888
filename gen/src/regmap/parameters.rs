//! Parameters of a run. The hardware trusts them, apart from the checks listed at `ERRORS`.

use super::{Access, Field, Register, Source, field, host, read_write_idle};

const READ_INDEX: Field = field(
    "value",
    0,
    32,
    Source::HostClearedByStart,
    "lines consumed, modulo 2^32: a line i is written only while i - read_index < ring_lines; never past \
     RING_WRITE_INDEX",
);

pub(super) const REGISTERS: &[Register] = &[
    read_write_idle(
        "FIELD_SIZE",
        0x100,
        &[
            host("width", 0, 17, "width of the field W, random variables, 1 to 65536"),
            host("height", 32, 17, "height of the field H, random variables, 1 to 65536"),
        ],
        "size of the random field, without padding",
    ),
    read_write_idle(
        "TILE_SIZE",
        0x108,
        &[
            host(
                "width",
                0,
                16,
                "tile width w, random variables: a multiple of max(4, 2 spus), 4 to tile_width_max",
            ),
            host("height", 16, 16, "tile height h, random variables: even, 2 to tile_height_max"),
            host("groups", 32, 16, "slots in a row of a half-step, G = w / (2 spus), 1 or more"),
        ],
        "size of the part of the field that one SPE holds",
    ),
    read_write_idle(
        "LABELS",
        0x110,
        &[host("value", 0, 9, "labels of a random variable L, 2 to 2^label_bits")],
        "number of labels",
    ),
    read_write_idle(
        "ENERGY",
        0x118,
        &[
            host("alpha", 0, 8, "weight of the singleton, 0 to 255"),
            host("beta", 8, 8, "weight of the doubleton, 0 to 255"),
            host("shift", 16, 5, "right shift of the sum, 0 to 31"),
            host("data_cap", 32, 16, "largest singleton, 0 to 65535"),
            host(
                "s_outside",
                48,
                16,
                "singleton where the label's sample lies outside the field, 0 to 65535",
            ),
        ],
        "numbers of the energy function (Eq. 3.1)",
    ),
    read_write_idle(
        "FORM",
        0x120,
        &[
            host("squared", 0, 1, "singleton form: 0 absolute difference, 1 squared difference"),
            host(
                "s2_mode",
                4,
                2,
                "second singleton: 0 pixel at the label's offset, 1 value of the label, 2 cost table",
            ),
            host("pair_form", 8, 2, "doubleton form: 0 |dx|+|dy|, 1 dx^2+dy^2, 2 Potts, 3 table"),
            host(
                "replicate",
                12,
                1,
                "singleton-2 addressing: 0 links to the neighbours, 1 replicated margins",
            ),
            host("pair_cap", 16, 8, "largest doubleton, 0 to 255"),
        ],
        "forms of the energy function",
    ),
    read_write_idle(
        "S2_LAYOUT",
        0x128,
        &[
            host("stride", 0, 16, "words of a singleton-2 bank in one row"),
            host("wrap", 32, 24, "words of a singleton-2 bank in a tile, h x stride (links addressing)"),
        ],
        "layout of the singleton-2 memory",
    ),
    read_write_idle(
        "S2_MARGIN",
        0x130,
        &[
            host("left", 0, 12, "margin to the left of the tile, random variables (replicate addressing)"),
            host("up", 16, 12, "margin above the tile, random variables (replicate addressing)"),
            host("base", 32, 24, "words of a bank above the tile, up x stride (replicate addressing)"),
        ],
        "margins of the singleton-2 memory",
    ),
    read_write_idle(
        "SEED",
        0x138,
        &[host("value", 0, 64, "any number; low half is word 0 of the Threefry key")],
        "seed of the random numbers",
    ),
    read_write_idle(
        "CHAIN",
        0x140,
        &[host("value", 0, 8, "number of the Markov chain, 0 to 255; chains are independent")],
        "chain number",
    ),
    read_write_idle(
        "ITERATIONS",
        0x148,
        &[
            host(
                "total",
                0,
                24,
                "iterations of a run, 0 to 2^24-1; an iteration updates every random variable once",
            ),
            host(
                "burn_in",
                32,
                24,
                "iterations before samples are collected, 0 to 2^24-1; total or more: none",
            ),
        ],
        "length of a run",
    ),
    read_write_idle(
        "SLOT_TIMING",
        0x150,
        &[
            host(
                "cycles",
                0,
                16,
                "cycles from slot to slot S = max(L, spus, rng_share x ceil(spus/2)); 0 means 1",
            ),
            host(
                "switch_gap",
                32,
                24,
                "extra cycles between two half-steps, 0 or more; 0 unless the tile is tiny",
            ),
        ],
        "timing of slots, computed by the host (hazards: see the array page)",
    ),
    read_write_idle(
        "SCHEDULE",
        0x158,
        &[host("entries", 0, 9, "entries of the temperature schedule in use, 1 to schedule_entries")],
        "temperature schedule; the iterations of each entry are load records of target 11, the last entry lasts on",
    ),
    read_write_idle(
        "LOAD_BASE",
        0x160,
        &[host("value", 0, 64, "byte address of the load records, a multiple of the bytes of a line")],
        "where the loader reads",
    ),
    read_write_idle(
        "LOAD_LINES",
        0x168,
        &[host(
            "value",
            0,
            32,
            "lines of load records, 0 to 2^32-1; unused records of the last are NOP (target 15)",
        )],
        "how much the loader reads",
    ),
    read_write_idle(
        "RING_BASE",
        0x170,
        &[host("value", 0, 64, "byte address of the log ring, a multiple of the bytes of a line")],
        "where the log goes",
    ),
    read_write_idle(
        "RING_LINES",
        0x178,
        &[host("value", 0, 24, "lines of the log ring, 1 to 2^24-1")],
        "how long the log ring is",
    ),
    Register {
        name: "RING_READ_INDEX",
        offset: 0x180,
        access: Access::ReadWrite,
        fields: &[READ_INDEX],
        doc: "how far the host has read the log; start sets it to 0",
    },
    read_write_idle(
        "READBACK_BASE",
        0x188,
        &[host("value", 0, 64, "byte address of the label buffer, a multiple of the bytes of a line")],
        "where label readback writes: rows x cols x w x h bytes, filled up to a whole line with zeros",
    ),
    read_write_idle(
        "READBACK_WORDS",
        0x190,
        &[host("value", 0, 24, "words of a label bank in use for each colour, w x h / 8, 1 or more")],
        "how much label readback writes of each SPE: two colours, this many words, four banks, a byte a label",
    ),
];
