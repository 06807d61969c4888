//! Kernels: their sources, the options that make a variant, compilation for the card found, the cache of cubins.

use super::error::CudaError;
use super::packed::{DEAL, WINDOW, WINDOWS};
use super::sys::{self, Compiled};
use spa_model::hash::sha256_hex;
use std::io::Write as _;
use std::path::PathBuf;

/// One kernel file and the parts that it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Its name in `kernels/`.
    pub name: &'static str,
    /// Names and texts, in order; the last is the file itself.
    pub parts: &'static [(&'static str, &'static str)],
}

macro_rules! parts {
    ($($name:literal),+) => { &[$(($name, include_str!(concat!("../../../kernels/", $name)))),+] };
}

/// Those of a packed kernel: what all have in common, then its own.
macro_rules! packed_parts {
    ($($name:literal),+) => { parts!("common.cuh", "packed.cuh", "samples.cuh", "ahead.cuh", "draw.cuh", $($name),+) };
}

/// The dissertation's kernel in floating point.
pub const BASELINE: Source =
    Source { name: "baseline.cu", parts: parts!("common.cuh", "singleton.cuh", "float.cuh", "baseline.cu") };

/// The dissertation's event-driven variants in floating point.
pub const EDGS: Source =
    Source { name: "edgs.cu", parts: parts!("common.cuh", "singleton.cuh", "float.cuh", "edgs.cu") };

/// Every form, table and width of the contract.
pub const GENERIC: Source =
    Source { name: "generic.cu", parts: parts!("common.cuh", "singleton.cuh", "generic.cu") };

/// Tables of the packed kernels.
pub const PREPARE: Source =
    Source { name: "prepare.cu", parts: parts!("common.cuh", "singleton.cuh", "prepare.cu") };

/// Every label, packed.
pub const PACKED: Source = Source { name: "packed.cu", parts: packed_parts!("packed.cu") };

/// Only RVs that can change, on tiles, packed.
pub const SPARSE: Source =
    Source { name: "sparse.cu", parts: packed_parts!("place.cuh", "tile.cuh", "sparse.cu") };

/// Every label, for small pictures, packed.
pub const SITES: Source =
    Source { name: "sites.cu", parts: packed_parts!("place.cuh", "outbox.cuh", "sites.cu") };

/// Only RVs that can change, dealt to blocks in turn, packed.
pub const DEALT: Source =
    Source { name: "dealt.cu", parts: packed_parts!("place.cuh", "outbox.cuh", "dealt.cu") };

/// A kernel file with the macros that make it a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The file.
    pub source: Source,
    /// `NAME=value` macros, in order.
    pub defines: Vec<(&'static str, u32)>,
}

impl Variant {
    /// The text handed to NVRTC.
    ///
    /// `SPA_KERNELS` names a folder whose files are read in place of the built-in ones: for work on kernels.
    fn text(&self) -> String {
        let folder = std::env::var_os("SPA_KERNELS").map(PathBuf::from);
        let read = |name: &str| std::fs::read_to_string(folder.as_ref()?.join(name)).ok();
        let part = |&(name, text): &(&str, &str)| {
            format!("#line 1 \"{name}\"\n{}\n", read(name).as_deref().unwrap_or(text))
        };
        self.source.parts.iter().map(part).collect()
    }

    /// NVRTC's options for `arch` (`sm_90`).
    fn options(&self, arch: &str) -> Vec<String> {
        let fixed = ["--std=c++17", "--ptxas-options=-v", "--extra-device-vectorization"];
        let mut options = vec![format!("--gpu-architecture={arch}")];
        options.extend(fixed.iter().map(ToString::to_string));
        options.extend(self.defines.iter().map(|(name, value)| format!("-D{name}={value}")));
        options
    }

    /// Compiles without looking into the cache; the log tells registers and spills.
    ///
    /// # Errors
    /// As [`sys::compile`].
    pub fn compile(&self, arch: &str) -> Result<Compiled, CudaError> {
        sys::compile(self.source.name, arch, &self.text(), &self.options(arch))
    }

    /// The cubin for `arch`, from the cache if it is there. A cache that cannot be read or written is not used.
    ///
    /// # Errors
    /// As [`sys::compile`].
    pub fn cubin(&self, arch: &str) -> Result<Vec<u8>, CudaError> {
        let key = format!("{}\n{}\n{}", sys::compiler_version()?, self.options(arch).join(" "), self.text());
        let path = cache_folder().map(|folder| folder.join(sha256_hex(key.as_bytes()) + ".cubin"));
        if let Some(cubin) = path.as_ref().and_then(|path| std::fs::read(path).ok()).and_then(checked) {
            return Ok(cubin);
        }
        let cubin = self.compile(arch)?.cubin;
        if let Some(path) = path {
            store(&path, &cubin);
        }
        Ok(cubin)
    }
}

/// A cached file is its cubin and the cubin's SHA-256; anything else is as good as missing.
fn checked(mut file: Vec<u8>) -> Option<Vec<u8>> {
    let hash = file.split_off(file.len().checked_sub(64)?);
    (sha256_hex(&file).as_bytes() == hash).then_some(file)
}

/// Writes beside and renames, so that two processes at once never see half a file.
fn store(path: &std::path::Path, cubin: &[u8]) {
    let write = || -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(cubin)?;
        file.write_all(sha256_hex(cubin).as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    // Without a cache the next run compiles again.
    let _ = write();
}

/// `$XDG_CACHE_HOME/spa/cuda` or `~/.cache/spa/cuda`.
fn cache_folder() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    Some(cache.or_else(home)?.join("spa").join("cuda"))
}

/// Variants that together hold every line of every kernel: what tests compile without a card.
pub fn representatives() -> Vec<(&'static str, Variant)> {
    let generic = |labels, lanes, per_lane, singleton, squared, linear, fixed| Variant {
        source: GENERIC,
        defines: vec![
            ("SPA_LABELS", labels),
            ("SPA_LANES", lanes),
            ("SPA_PER_LANE", per_lane),
            ("SPA_SINGLETON", singleton),
            ("SPA_SQUARED", squared),
            ("SPA_LINEAR", linear),
            ("SPA_FIXED", fixed),
        ],
    };
    let packed = |source, labels, volume, capped, large| Variant {
        source,
        defines: vec![
            ("SPA_LABELS", labels),
            ("SPA_VOLUME", volume),
            ("SPA_RIGHTWARD", 1 - capped),
            ("SPA_CAPPED", capped),
            (
                "SPA_SUMS",
                match (capped, labels) {
                    (1, _) => 0,
                    (_, 49) => 3,
                    _ => 1 + volume,
                },
            ),
            (
                "SPA_THREADS",
                match source {
                    DEALT => 512,
                    SITES => 640,
                    _ => 128,
                },
            ),
            (
                "SPA_BLOCKS",
                match source {
                    DEALT | SITES => 1,
                    SPARSE => 4,
                    _ => 5 - u32::from(large),
                },
            ),
            ("SPA_PAIRS", u32::from(large && source == PACKED)),
            ("SPA_CELLS", 2048),
            ("SPA_LEFT", if volume == 1 { 0 } else { 4096 }),
            ("SPA_RIGHT", if volume == 1 { 0 } else { 8192 }),
            (
                "SPA_COSTS",
                if volume == 1 && labels <= 16 { 2 * 2048 * labels.next_multiple_of(4) } else { 0 },
            ),
            ("SPA_SHARED", 128 << 10),
            ("SPA_COPIES", if labels == 4 { 1 } else { 8 }),
            ("SPA_EACH", 1),
            ("SPA_OUTBOX", 64),
            ("SPA_GROUPS", 512),
            ("SPA_DEAL", DEAL as u32),
            ("SPA_WINDOW", WINDOW),
            ("SPA_WINDOWS", WINDOWS),
            ("SPA_BATCH", 1),
        ],
    };
    let prepare = Variant {
        source: PREPARE,
        defines: vec![("SPA_LABELS", 49), ("SPA_SINGLETON", 0), ("SPA_SQUARED", 0)],
    };
    let batch = |source| {
        let mut variant = packed(source, 56, 0, 0, true);
        variant.defines.retain(|(name, _)| *name != "SPA_BATCH");
        variant.defines.push(("SPA_BATCH", super::packed::BATCH as u32));
        variant
    };
    let float = |source, labels, singleton, window, own: &[(&'static str, u32)]| {
        let mut defines = vec![
            ("SPA_LABELS", labels),
            ("SPA_SINGLETON", singleton),
            ("SPA_SQUARED", singleton),
            ("SPA_WINDOW", window),
        ];
        defines.extend(own);
        Variant { source, defines }
    };
    let edgs = |labels, singleton, window, edgs, cut| {
        float(EDGS, labels, singleton, window, &[("SPA_EDGS", edgs), ("SPA_CUT", cut)])
    };
    let mut with_edges = generic(64, 32, 2, 0, 0, 0, 0);
    with_edges.defines.push(("SPA_EDGES", 1));
    vec![
        ("prepare-49", prepare),
        ("baseline-49", float(BASELINE, 49, 0, 0, &[])),
        ("edgs-stereo-56-plain", edgs(56, 0, 0, 0, 0)),
        ("edgs-stereo-56-queues", edgs(56, 0, 0, 1, 1)),
        ("edgs-flow-49-queues", edgs(49, 0, 7, 1, 1)),
        ("edgs-flow-225-flags", edgs(225, 0, 15, 2, 1)),
        ("edgs-segment-8-flags", edgs(8, 1, 0, 2, 1)),
        ("packed-stereo-64-pairs", packed(PACKED, 64, 0, 0, true)),
        ("packed-stereo-56-capped", packed(PACKED, 56, 0, 1, false)),
        ("packed-volume-49", packed(PACKED, 49, 1, 0, false)),
        ("packed-volume-4", packed(PACKED, 4, 1, 0, false)),
        ("packed-stereo-56-batch", batch(PACKED)),
        ("sites-stereo-64", packed(SITES, 64, 0, 0, true)),
        ("sites-stereo-56-capped", packed(SITES, 56, 0, 1, false)),
        ("sites-volume-49", packed(SITES, 49, 1, 0, false)),
        ("sites-volume-4", packed(SITES, 4, 1, 0, false)),
        ("sites-stereo-56-batch", batch(SITES)),
        ("dealt-stereo-64", packed(DEALT, 64, 0, 0, true)),
        ("dealt-stereo-56-capped", packed(DEALT, 56, 0, 1, false)),
        ("dealt-volume-49", packed(DEALT, 49, 1, 0, false)),
        ("dealt-volume-4", packed(DEALT, 4, 1, 0, false)),
        ("dealt-stereo-56-batch", batch(DEALT)),
        ("sparse-stereo-56-batch", batch(SPARSE)),
        ("sparse-stereo-64", packed(SPARSE, 64, 0, 0, true)),
        ("sparse-stereo-56-capped", packed(SPARSE, 56, 0, 1, false)),
        ("sparse-volume-49", packed(SPARSE, 49, 1, 0, false)),
        ("sparse-volume-4", packed(SPARSE, 4, 1, 0, false)),
        ("stereo-64", generic(64, 32, 2, 0, 0, 0, 0)),
        ("flow-225", generic(225, 32, 8, 0, 1, 0, 0)),
        ("segment-4-linear-evidence", generic(4, 4, 1, 1, 1, 1, 1)),
        ("table-7", generic(7, 8, 1, 2, 0, 0, 0)),
        ("stereo-64-edges", with_edges),
    ]
}

/// Registers and spills of one kernel, as the assembler reports them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resources {
    /// Name of the kernel function.
    pub function: String,
    /// Registers a thread.
    pub registers: u32,
    /// Bytes of stack.
    pub stack: u32,
    /// Bytes of spill stores and loads.
    pub spills: u32,
}

/// Reads the resources of every kernel from an assembler log.
pub fn resources(log: &str) -> Vec<Resources> {
    let number_before = |line: &str, unit: &str| -> Option<u32> {
        let words: Vec<&str> = line[..line.find(unit)?].split_whitespace().collect();
        words.last()?.parse().ok()
    };
    let mut all = Vec::new();
    let mut open: Option<Resources> = None;
    for line in log.lines() {
        if let Some(function) = line.split("Compiling entry function '").nth(1) {
            let function = function.split('\'').next().unwrap_or_default().to_string();
            open = Some(Resources { function, registers: 0, stack: 0, spills: 0 });
        } else if let Some(r) = open.as_mut() {
            if line.contains("bytes stack frame") {
                r.stack = number_before(line, " bytes stack frame").unwrap_or(0);
                r.spills = number_before(line, " bytes spill stores").unwrap_or(0)
                    + number_before(line, " bytes spill loads").unwrap_or(0);
            } else if let Some(registers) = number_before(line, " registers") {
                r.registers = registers;
                all.extend(open.take());
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_from_the_log() {
        let log = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
            ptxas info    : Function properties for a\n    8 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n\
            ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size\n";
        let expected = Resources { function: "a".into(), registers: 40, stack: 8, spills: 32 };
        assert_eq!(resources(log), vec![expected]);
    }

    #[test]
    fn a_damaged_cache_file_is_ignored() {
        let mut file = b"code".to_vec();
        file.extend(sha256_hex(b"code").bytes());
        assert_eq!(checked(file.clone()), Some(b"code".to_vec()));
        file[0] ^= 1;
        assert_eq!(checked(file), None);
        assert_eq!(checked(vec![1; 5]), None);
    }
}
