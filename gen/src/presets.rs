//! Presets: named sets of parameters to start from.

use crate::parameters::most_similar;

/// A named set of parameters; anything given besides overrides it.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Name for `--preset` and the `preset` key.
    pub name: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    /// Parameters that differ from their defaults, as people write them.
    pub settings: &'static [(&'static str, &'static str)],
}

/// All presets; the first is what holds without one.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", meaning: "16 SPEs of 2 SPUs for 256K RVs", settings: &[] },
    Preset {
        name: "dissertation",
        meaning: "the design point 16x2 of Table 3.3: 6-bit singletons, 256K RVs, 512-bit lines",
        settings: &[
            ("spe", "16"),
            ("spus", "2"),
            ("rvs", "256K"),
            ("singleton_bits", "6"),
            ("line_bits", "512"),
        ],
    },
    Preset {
        name: "ecp5-85k",
        meaning: "fits the memory of a Lattice ECP5-85 (3.8 Mbit): 16x2 with 32K RVs in tiles of at most 64x64, 128-bit lines",
        settings: &[
            ("spe", "16"),
            ("spus", "2"),
            ("rvs", "32K"),
            ("line_bits", "128"),
            ("tile_width_max", "64"),
            ("tile_height_max", "64"),
        ],
    },
    Preset {
        name: "edge-weights",
        meaning: "weights of 4 bits for the edges between pixels: contrast-sensitive smoothness, 16x2 for 256K RVs",
        settings: &[("edge_weights", "true")],
    },
    Preset {
        name: "full-hd",
        meaning: "64 SPEs of 2 SPUs, room for 1920x1080",
        settings: &[("grid", "8x8"), ("spus", "2"), ("rvs", "2M")],
    },
    Preset {
        name: "linear",
        meaning: "weights w = p from a table instead of powers of two",
        settings: &[("weights", "linear")],
    },
    Preset {
        name: "replicate",
        meaning: "no singleton-2 links: every SPE holds the margins of its tile",
        settings: &[("s2_links", "false")],
    },
    Preset {
        name: "small",
        meaning: "4 SPEs of 1 SPU for 16K RVs: quick to simulate and to synthesise",
        settings: &[("grid", "2x2"), ("spus", "1"), ("rvs", "16K"), ("line_bits", "128")],
    },
    Preset {
        name: "tables",
        meaning: "singleton and pair terms from tables: 16x2 for 16K RVs",
        settings: &[("rvs", "16K"), ("pair_table", "true"), ("singleton_table", "true")],
    },
    Preset {
        name: "wide-labels",
        meaning: "up to 256 labels: 8-bit labels, 12-bit energies, 64-bit messages",
        settings: &[("label_bits", "8"), ("energy_bits", "12")],
    },
];

/// The preset of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The most similar preset name, if any is similar.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    most_similar(name, PRESETS.iter().map(|preset| preset.name))
}
