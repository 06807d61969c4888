//! The parameters of a build: one table for parsing, checking, `spagen explain` and `docs/parameters.md`.

use std::fmt;

use spa_model::Weights;

use crate::config::Config;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A yes or no.
    Flag(bool),
    /// Rows and columns.
    Grid(u32, u32),
    /// A count.
    Integer(u32),
    /// A word.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(value) => write!(f, "{value}"),
            Self::Grid(rows, cols) => write!(f, "{rows}x{cols}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value}"),
        }
    }
}

/// What values a parameter takes by itself; rules between parameters are in `spa_model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// `RxC`.
    Grid,
    /// Every integer of this range.
    Integer(u32, u32),
    /// The multiples of the first number in the range of the other two.
    Multiple(u32, u32, u32),
    /// One of these integers.
    OneOf(&'static [u32]),
    /// An SPDX licence expression.
    Spdx,
}

/// Default of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// Derived from other parameters, as these words say.
    Derived(&'static str),
    /// This value.
    Value(&'static str),
}

/// A parameter of a build.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name in configuration files and of `--set`.
    pub name: &'static str,
    /// Parameter of the RTL top, if it has one.
    pub rtl: Option<&'static str>,
    /// Allowed values.
    pub kind: Kind,
    /// Value if nothing is said.
    pub default: Default,
    /// Unit of the value.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What more of it costs.
    pub cost: &'static str,
    /// Its value in a finished configuration; `None` for a shorthand of others.
    pub get: Option<fn(&Config) -> Value>,
}

macro_rules! get {
    ($part:ident . $field:ident) => {
        Some(|config: &Config| Value::Integer(u32::from(config.$part.$field)))
    };
    (flag $part:ident . $field:ident) => {
        Some(|config: &Config| Value::Flag(config.$part.$field))
    };
}

/// Largest number of RVs of a whole array: 4095 SPEs of 2^20.
const RVS_MAX: u32 = 4095 << 20;

/// All parameters, by subject.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "spe",
        rtl: None,
        kind: Kind::Integer(1, 4095),
        default: Default::Value("16"),
        unit: "SPEs",
        meaning: "number of SPEs, laid out as the most square grid with no more rows than columns; a shorthand of rows and cols",
        cost: "logic and RNG cores grow in proportion; the memory for a given field hardly does",
        get: None,
    },
    Parameter {
        name: "grid",
        rtl: None,
        kind: Kind::Grid,
        default: Default::Derived("from spe"),
        unit: "rows x columns",
        meaning: "grid of SPEs, such as \"2x3\"; a shorthand of rows and cols",
        cost: "as spe",
        get: None,
    },
    Parameter {
        name: "rows",
        rtl: Some("Rows"),
        kind: Kind::Integer(1, 4095),
        default: Default::Derived("from spe"),
        unit: "SPEs",
        meaning: "rows of SPEs; the field's height is divided by it",
        cost: "as spe; tiles of a height that divides the field evenly waste no slots on padding",
        get: get!(array.rows),
    },
    Parameter {
        name: "cols",
        rtl: Some("Cols"),
        kind: Kind::Integer(1, 4095),
        default: Default::Derived("from spe"),
        unit: "SPEs",
        meaning: "columns of SPEs; the field's width is divided by it",
        cost: "as spe; tile widths are rounded up to a multiple of max(4, 2 x spus), the rest is padding",
        get: get!(array.cols),
    },
    Parameter {
        name: "spus",
        rtl: Some("Spus"),
        kind: Kind::OneOf(&[1, 2, 4, 8]),
        default: Default::Value("2"),
        unit: "SPUs an SPE",
        meaning: "SPUs in each SPE: RVs of a row that are sampled side by side",
        cost: "an SPU adds its pipeline and three multipliers and shares scheduler, memories and RNG; with fewer labels than SPUs some idle",
        get: get!(array.spus),
    },
    Parameter {
        name: "rvs",
        rtl: None,
        kind: Kind::Integer(8, RVS_MAX),
        default: Default::Value("256K"),
        unit: "RVs in all",
        meaning: "random variables (pixels) of the whole array, such as 256K or 2M; a shorthand: rv_capacity is this divided by the SPEs, rounded up to a multiple of 8",
        cost: "as rv_capacity",
        get: None,
    },
    Parameter {
        name: "rv_capacity",
        rtl: Some("RvCapacity"),
        kind: Kind::Multiple(8, 8, 1 << 20),
        default: Default::Derived("from rvs"),
        unit: "RVs an SPE",
        meaning: "largest tile: tile width x tile height, padding included",
        cost: "bits an RV: singleton_bits + 1 for singleton 1, label_bits for the label, 2 x (label_bits + count_bits) for the entry",
        get: get!(array.rv_capacity),
    },
    Parameter {
        name: "s2_capacity",
        rtl: Some("S2Capacity"),
        kind: Kind::Integer(8, 1 << 22),
        default: Default::Derived("rv_capacity with s2_links, twice that without"),
        unit: "samples an SPE",
        meaning: "room for singleton 2: the tile, or tile and margins where samples are replicated (a multiple of 2 x spus)",
        cost: "singleton_bits a sample",
        get: get!(array.s2_capacity),
    },
    Parameter {
        name: "tile_width_max",
        rtl: Some("TileWidthMax"),
        kind: Kind::Integer(4, 4096),
        default: Default::Derived("the power of two from 4 x sqrt(rv_capacity) on, at most 4096"),
        unit: "RVs",
        meaning: "widest tile",
        cost: "label_bits for each of the upper and lower halo",
        get: get!(array.tile_width_max),
    },
    Parameter {
        name: "tile_height_max",
        rtl: Some("TileHeightMax"),
        kind: Kind::Integer(2, 4096),
        default: Default::Derived("the power of two from 4 x sqrt(rv_capacity) on, at most 4096"),
        unit: "RVs",
        meaning: "highest tile",
        cost: "label_bits for each of the left and right halo",
        get: get!(array.tile_height_max),
    },
    Parameter {
        name: "s2_links",
        rtl: Some("S2Links"),
        kind: Kind::Flag,
        default: Default::Value("true"),
        unit: "",
        meaning: "links to the eight neighbours for singleton 2 (Eq. 3.6); false: every S2Mem holds its tile's margins too",
        cost: "links: wires and a 9-to-1 switch an SPU; without: more singleton-2 memory (see spagen report)",
        get: get!(flag array.s2_links),
    },
    Parameter {
        name: "label_bits",
        rtl: Some("LabelBits"),
        kind: Kind::Integer(1, 8),
        default: Default::Value("6"),
        unit: "bits",
        meaning: "width of a label; a run has at most 2^label_bits labels",
        cost: "three bits an RV for each; label buffers and tables double",
        get: get!(hardware.label_bits),
    },
    Parameter {
        name: "singleton_bits",
        rtl: Some("SingletonBits"),
        kind: Kind::Integer(1, 8),
        default: Default::Value("8"),
        unit: "bits",
        meaning: "width of singleton samples (grey levels)",
        cost: "one bit an RV and one a singleton-2 sample for each",
        get: get!(hardware.singleton_bits),
    },
    Parameter {
        name: "energy_bits",
        rtl: Some("EnergyBits"),
        kind: Kind::Integer(4, 16),
        default: Default::Value("8"),
        unit: "bits",
        meaning: "width of an energy; larger sums saturate (at most 10 with linear weights)",
        cost: "energy buffers and comparators; with linear weights the table doubles for each",
        get: get!(hardware.energy_bits),
    },
    Parameter {
        name: "p_bits",
        rtl: Some("PBits"),
        kind: Kind::Integer(1, 8),
        default: Default::Value("8"),
        unit: "bits",
        meaning: "width of a probability; with pow2 weights the number of comparators",
        cost: "a comparator and threshold an SPU for each; 4 loses 8 to 15 points of bad pixels",
        get: get!(hardware.p_bits),
    },
    Parameter {
        name: "u_bits",
        rtl: Some("UBits"),
        kind: Kind::Integer(8, 32),
        default: Default::Value("24"),
        unit: "bits",
        meaning: "width of the uniform random number that picks the label",
        cost: "width of one multiplier an SPU",
        get: get!(hardware.u_bits),
    },
    Parameter {
        name: "count_bits",
        rtl: Some("CountBits"),
        kind: Kind::Integer(1, 16),
        default: Default::Value("8"),
        unit: "bits",
        meaning: "width of a counter of a label entry; a full counter sends a message",
        cost: "two bits an RV for each; fewer make more messages; a message that no longer fits 32 bits takes 64",
        get: get!(hardware.count_bits),
    },
    Parameter {
        name: "weights",
        rtl: Some("Linear"),
        kind: Kind::Choice(&["pow2", "linear"]),
        default: Default::Value("pow2"),
        unit: "",
        meaning: "weight of a label: a power of two by comparators (Eq. 3.4), or p itself from a table",
        cost: "linear: a table of schedule_entries x 2^energy_bits weights",
        get: Some(|config| match config.hardware.weights {
            Weights::Pow2 => Value::Text("pow2".into()),
            Weights::Linear => Value::Text("linear".into()),
        }),
    },
    Parameter {
        name: "pair_table",
        rtl: Some("PairTable"),
        kind: Kind::Flag,
        default: Default::Value("false"),
        unit: "",
        meaning: "the pair term may come from a table V(own, neighbour) (label_bits at most 6)",
        cost: "tables of 2^(2 x label_bits) bytes for the four neighbours of every SPU",
        get: get!(flag array.pair_table),
    },
    Parameter {
        name: "singleton_table",
        rtl: Some("SingletonTable"),
        kind: Kind::Flag,
        default: Default::Value("false"),
        unit: "",
        meaning: "the singleton may come from a table of costs, one an RV and label",
        cost: "16 bits a cost, see cost_capacity",
        get: get!(flag array.singleton_table),
    },
    Parameter {
        name: "edge_weights",
        rtl: Some("EdgeWeights"),
        kind: Kind::Flag,
        default: Default::Value("false"),
        unit: "",
        meaning: "edges may have weights of 4 bits that scale the pair term: contrast-sensitive smoothness; left out of the configuration hash where false",
        cost: "16 bits an RV, and four 4 x 8 products of shifts and adds an SPU (no multipliers)",
        get: get!(flag array.edge_weights),
    },
    Parameter {
        name: "cost_capacity",
        rtl: Some("CostCapacity"),
        kind: Kind::Integer(0, 1 << 24),
        default: Default::Derived("rv_capacity x 2^label_bits with singleton_table, 0 without"),
        unit: "costs an SPE",
        meaning: "room for costs: RVs of a tile x labels",
        cost: "16 bits a cost",
        get: get!(array.cost_capacity),
    },
    Parameter {
        name: "rng_share",
        rtl: Some("RngShare"),
        kind: Kind::Integer(1, 4),
        default: Default::Derived(
            "the most that a slot of four cycles allows: 4 / ceil(spus / 2), and no more than there are SPEs",
        ),
        unit: "SPEs a core",
        meaning: "SPEs that share a random-number core; a slot lasts at least rng_share x ceil(spus / 2) cycles, at most 4",
        cost: "fewer cores, but with fewer labels than that interval the array waits for random numbers",
        get: get!(array.rng_share),
    },
    Parameter {
        name: "schedule_entries",
        rtl: Some("ScheduleEntries"),
        kind: Kind::Integer(64, 256),
        default: Default::Value("64"),
        unit: "entries",
        meaning: "temperatures of a schedule that the array holds",
        cost: "p_bits x (energy_bits + 1) bits an SPE and entry; with linear weights 2^energy_bits x p_bits",
        get: get!(array.schedule_entries),
    },
    Parameter {
        name: "log_fifo_depth",
        rtl: Some("LogFifoDepth"),
        kind: Kind::OneOf(&[64, 128, 256, 512, 1024]),
        default: Default::Value("64"),
        unit: "messages",
        meaning: "places of the log FIFO of an SPE; a fuller FIFO stalls the array, nothing is dropped",
        cost: "32 or 64 bits a place and SPE",
        get: get!(array.log_fifo_depth),
    },
    Parameter {
        name: "line_bits",
        rtl: Some("LineBits"),
        kind: Kind::OneOf(&[128, 256, 512]),
        default: Default::Value("512"),
        unit: "bits",
        meaning: "width of a memory line and of the AXI4 master",
        cost: "registers of line builder and writer; narrower means more lines a message",
        get: get!(array.line_bits),
    },
    Parameter {
        name: "license",
        rtl: None,
        kind: Kind::Spdx,
        default: Default::Value("Apache-2.0 OR MIT"),
        unit: "",
        meaning: "SPDX licence expression in the head of every generated file; what is generated is yours, so choose freely (LicenseRef-NAME for your own terms); not part of the configuration hash",
        cost: "none",
        get: Some(|config| Value::Text(config.license.clone())),
    },
];

/// The parameter of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}

/// The most similar parameter name, if any is similar.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    most_similar(name, PARAMETERS.iter().map(|parameter| parameter.name))
}

/// The most similar of `names`, if any is similar enough to be meant.
pub(crate) fn most_similar(given: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let given = given.to_lowercase().replace('-', "_");
    names
        .map(|name| (strsim::normalized_damerau_levenshtein(&given, &name.replace('-', "_")), name))
        .chain([(0.45, "")])
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
        .filter(|name| !name.is_empty())
}

impl Parameter {
    /// Reads a value as people write it.
    ///
    /// # Errors
    /// The allowed values in words.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let value = match self.kind {
            Kind::Flag => text.parse().ok().map(Value::Flag),
            Kind::Choice(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
            Kind::Grid => parse_grid(text).map(|(rows, cols)| Value::Grid(rows, cols)),
            Kind::Spdx => is_spdx(text).then(|| Value::Text(text.to_owned())),
            Kind::Integer(..) | Kind::Multiple(..) | Kind::OneOf(_) => parse_count(text).map(Value::Integer),
        };
        value.filter(|value| self.allows(value)).ok_or_else(|| self.allowed())
    }

    fn allows(&self, value: &Value) -> bool {
        match (self.kind, value) {
            (Kind::Integer(lo, hi), Value::Integer(n)) => (lo..=hi).contains(n),
            (Kind::Multiple(step, lo, hi), Value::Integer(n)) => {
                (lo..=hi).contains(n) && n.is_multiple_of(step)
            }
            (Kind::OneOf(list), Value::Integer(n)) => list.contains(n),
            (Kind::Grid, Value::Grid(rows, cols)) => {
                *rows > 0 && *cols > 0 && rows.saturating_mul(*cols) <= 4095
            }
            _ => true,
        }
    }

    /// The allowed values in words.
    #[must_use]
    pub fn allowed(&self) -> String {
        match self.kind {
            Kind::Choice(words) => words.join(" or "),
            Kind::Flag => "true or false".to_owned(),
            Kind::Grid => "ROWSxCOLS with at most 4095 SPEs, such as 2x3".to_owned(),
            Kind::Integer(lo, hi) => format!("{lo} to {hi}"),
            Kind::Multiple(step, lo, hi) => format!("a multiple of {step} from {lo} to {hi}"),
            Kind::OneOf(list) => {
                let words: Vec<String> = list.iter().map(ToString::to_string).collect();
                match words.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => words.join(""),
                }
            }
            Kind::Spdx => "an SPDX licence expression, such as MIT or LicenseRef-Mine".to_owned(),
        }
    }

    /// The default in words.
    #[must_use]
    pub fn default_text(&self) -> String {
        match self.default {
            Default::Derived(words) => words.to_owned(),
            Default::Value(value) => value.to_owned(),
        }
    }
}

/// A count with an optional K (1024) or M (1024²), and `_` between digits.
#[must_use]
pub fn parse_count(text: &str) -> Option<u32> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 1_u64 << 10),
        'm' | 'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(factor)?.try_into().ok()
}

/// A count as people write it: with K or M if it is a whole number of them.
#[must_use]
pub fn count_text(count: u64) -> String {
    if count > 0 && count.is_multiple_of(1 << 20) {
        format!("{}M", count >> 20)
    } else if count > 0 && count.is_multiple_of(1 << 10) {
        format!("{}K", count >> 10)
    } else {
        count.to_string()
    }
}

/// The most square grid of `spes` with no more rows than columns.
#[must_use]
pub fn squarest(spes: u32) -> (u32, u32) {
    let rows = (1..=spes.isqrt()).rev().find(|rows| spes.is_multiple_of(*rows)).unwrap_or(1);
    (rows, spes / rows)
}

fn parse_grid(text: &str) -> Option<(u32, u32)> {
    let (rows, cols) = text.split_once(['x', 'X', '×'])?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(rows) && digits(cols)).then(|| Some((rows.parse().ok()?, cols.parse().ok()?)))?
}

/// Shape of an SPDX expression; the list of licences is not ours to keep.
fn is_spdx(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '(' | ')' | ' ' | ':');
    !text.is_empty() && text.len() <= 100 && text.chars().all(legal) && text.starts_with(|c: char| c != ' ')
}
