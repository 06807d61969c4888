//! Instruction sets of the packed sampler and their run-time detection.

use crate::error::Error;

/// An instruction set that the packed sampler is written for. All give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Plain Rust on byte arrays; every CPU has it.
    Portable,
    /// 128 bits, x86-64 (SSSE3 and SSE4.1).
    Sse41,
    /// 256 bits, x86-64 (with BMI1, BMI2, LZCNT and POPCNT).
    Avx2,
    /// 512 bits, x86-64 (AVX-512 F, BW, VL and VBMI, beside what [`Level::Avx2`] asks for): from Ice Lake and Zen 4 on.
    Avx512,
    /// 128 bits, 64-bit Arm.
    Neon,
}

impl Level {
    /// All levels, the best ones last within an architecture.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Sse41, Self::Avx2, Self::Avx512];

    /// The name, as in tables and summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse41 => "sse4.1",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx-512",
            Self::Neon => "neon",
        }
    }

    /// True if this CPU has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Sse41 => is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns, reason = "the levels of other architectures")]
            _ => false,
        }
    }

    /// The levels that this CPU has, the best one last.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|level| level.is_available()).collect()
    }

    /// `wanted` if this CPU has it; the best one if nothing is wanted.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the CPU lacks `wanted`.
    pub fn choose(wanted: Option<Self>) -> Result<Self, Error> {
        match wanted {
            None => Ok(Self::available().pop().unwrap_or(Self::Portable)),
            Some(level) if level.is_available() => Ok(level),
            Some(level) => Err(Error::Unsupported {
                feature: format!("{} (this CPU does not have it)", level.name()),
                remedy: "leave the choice of the instruction set to the sampler".into(),
            }),
        }
    }
}
