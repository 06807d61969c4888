//! Device feature header, ABI, configuration hash and the record of what was built.

use super::{ABI_MAGIC, ABI_MAJOR, ABI_MINOR, Register, Source, constant, field, parameter, read_only};

pub(super) const REGISTERS: &[Register] = &[
    read_only(
        "DFH",
        0x000,
        &[
            constant("feature_id", 0, 12, 0, "feature identifier: 0, an AFU has none"),
            constant("feature_revision", 12, 4, 0, "feature revision: 0"),
            constant("next_offset", 16, 24, 0, "byte offset of the next feature header: 0, there is none"),
            constant("end_of_list", 40, 1, 1, "1: last feature header of the list"),
            constant("feature_type", 60, 4, 1, "1: accelerator function unit"),
        ],
        "device feature header, as OPAE expects it at offset 0",
    ),
    read_only(
        "AFU_ID_L",
        0x008,
        &[field("value", 0, 64, Source::Slice("AfuId", 0), "last 16 hexadecimal digits of the AFU UUID")],
        "low half of the AFU UUID, which names the register-map ABI",
    ),
    read_only(
        "AFU_ID_H",
        0x010,
        &[field("value", 0, 64, Source::Slice("AfuId", 64), "first 16 hexadecimal digits of the AFU UUID")],
        "high half of the AFU UUID",
    ),
    read_only(
        "DFH_NEXT_AFU",
        0x018,
        &[constant("value", 0, 64, 0, "0: no next AFU")],
        "reserved by the feature-header format",
    ),
    read_only(
        "DFH_RESERVED",
        0x020,
        &[constant("value", 0, 64, 0, "0")],
        "reserved by the feature-header format",
    ),
    read_only(
        "ABI",
        0x028,
        &[
            constant(
                "minor",
                0,
                16,
                ABI_MINOR,
                "compatible additions; the host accepts its own or a larger number",
            ),
            constant(
                "major",
                16,
                16,
                ABI_MAJOR,
                "incompatible revisions; the host accepts only its own number",
            ),
            constant("magic", 32, 32, ABI_MAGIC, "0x53504147, the letters SPAG"),
        ],
        "version of this register map",
    ),
    read_only(
        "CONFIG_HASH_0",
        0x030,
        &[field("value", 0, 64, Source::Slice("ConfigHash", 0), "bits 63..0 of the hash")],
        "SHA-256 of the configuration that was built; the host refuses a build whose hash is not its own",
    ),
    read_only(
        "CONFIG_HASH_1",
        0x038,
        &[field("value", 0, 64, Source::Slice("ConfigHash", 64), "bits 127..64 of the hash")],
        "configuration hash, continued",
    ),
    read_only(
        "CONFIG_HASH_2",
        0x040,
        &[field("value", 0, 64, Source::Slice("ConfigHash", 128), "bits 191..128 of the hash")],
        "configuration hash, continued",
    ),
    read_only(
        "CONFIG_HASH_3",
        0x048,
        &[field(
            "value",
            0,
            64,
            Source::Slice("ConfigHash", 192),
            "bits 255..192 of the hash (its first 16 digits)",
        )],
        "configuration hash, continued",
    ),
    read_only(
        "BUILD_ARRAY",
        0x050,
        &[
            parameter("rows", 0, 16, "Rows", "rows of SPEs, 1 or more"),
            parameter("cols", 16, 16, "Cols", "columns of SPEs, 1 or more; rows x cols is 4096 at most"),
            parameter("spus", 32, 8, "Spus", "SPUs in an SPE, a power of two"),
            parameter(
                "rng_share",
                40,
                8,
                "RngShare",
                "SPEs that share one random number generator, 1 or more",
            ),
            parameter(
                "pipeline_latency",
                48,
                16,
                "PipelineLatency",
                "cycles from the start of a slot to its last label readable, beyond 3 L; the host derives switch_gap",
            ),
        ],
        "shape of the array",
    ),
    read_only(
        "BUILD_WIDTHS",
        0x058,
        &[
            parameter("label_bits", 0, 8, "LabelBits", "bits of a label, 1 to 8"),
            parameter("singleton_bits", 8, 8, "SingletonBits", "bits of a singleton sample"),
            parameter("energy_bits", 16, 8, "EnergyBits", "bits of an energy"),
            parameter("p_bits", 24, 8, "PBits", "bits of a weight"),
            parameter("u_bits", 32, 8, "UBits", "bits of a uniform random number"),
            parameter("count_bits", 40, 8, "CountBits", "bits of a count in a message"),
            parameter("message_bits", 48, 8, "MessageBits", "bits of a log message, 32 or 64"),
        ],
        "widths of numbers, in bits",
    ),
    read_only(
        "BUILD_MEMORY",
        0x060,
        &[
            parameter("line_bits", 0, 16, "LineBits", "bits of a memory line: 128, 256 or 512"),
            parameter(
                "schedule_entries",
                16,
                16,
                "ScheduleEntries",
                "entries of the temperature schedule, 1 to 256",
            ),
            parameter("log_fifo_depth", 32, 16, "LogFifoDepth", "messages a log FIFO of an SPE holds"),
        ],
        "memory interface and depths",
    ),
    read_only(
        "BUILD_CAPACITY",
        0x068,
        &[
            parameter("rv_capacity", 0, 24, "RvCapacity", "random variables an SPE has room for"),
            parameter("s2_capacity", 32, 24, "S2Capacity", "singleton-2 samples an SPE has room for"),
        ],
        "capacities of an SPE",
    ),
    read_only(
        "BUILD_TILE",
        0x070,
        &[
            parameter("tile_width_max", 0, 16, "TileWidthMax", "largest tile width, random variables"),
            parameter("tile_height_max", 16, 16, "TileHeightMax", "largest tile height, random variables"),
            parameter(
                "cost_capacity",
                32,
                32,
                "CostCapacity",
                "costs an SPE has room for; 0 without singleton_table",
            ),
        ],
        "largest tile",
    ),
    read_only(
        "BUILD_FEATURES",
        0x078,
        &[
            parameter(
                "links",
                0,
                1,
                "S2Links",
                "1: singleton-2 links to the eight neighbours; 0: replication only",
            ),
            parameter("linear", 1, 1, "Linear", "1: full weight table; 0: weights are powers of two"),
            parameter("pair_table", 2, 1, "PairTable", "1: the doubleton may come from a table"),
            parameter(
                "singleton_table",
                3,
                1,
                "SingletonTable",
                "1: the singleton may come from a cost table",
            ),
            parameter("edge_weights", 4, 1, "EdgeWeights", "1: edges have weights"),
        ],
        "what the build can do",
    ),
    Register {
        name: "SCRATCH",
        offset: 0x0F8,
        access: super::Access::ReadWrite,
        fields: &[super::host("value", 0, 64, "anything; the hardware does not look at it")],
        doc: "lets the host test its path to the registers",
    },
];
