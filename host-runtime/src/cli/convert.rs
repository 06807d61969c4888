//! `spa convert`.

use crate::error::Error;
use crate::formats::field::Unknown;
use crate::formats::{Field, FileFormat};
use crate::measure::answer::Subject;
use crate::output::replace_at;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Converts disparity, flow or classes between the formats that people keep them in
///
/// The content tells what the first file is, the ending of the second what it becomes: .pfm, .tif, .flo, .npy, .npz, and .png (16
/// bits as KITTI has them for disparity and flow, the numbers themselves for classes). Unknown pixels stay unknown.
#[derive(Debug, Args)]
pub struct Convert {
    /// Result folder of spa (its mode.npy; its disparity.npy or flow.npy has the means), or a file: .npy, .npz, PFM, TIFF, PNG, PGM, .flo
    from: PathBuf,
    /// File to write
    to: PathBuf,
    /// What it is, where the file does not tell (pictures of 8 bits never do); goes before what a summary beside it says
    #[arg(long, value_enum)]
    kind: Option<Subject>,
    /// Steps of a disparity in a pixel [default: 256 for 16-bit PNG, else 1]
    #[arg(long, value_name = "N", value_parser = super::eval::steps)]
    scale: Option<f64>,
    /// Value of a disparity file that means unknown, or 'none' [default: 0 in pictures]
    #[arg(long, value_name = "V", value_parser = super::eval::unknown)]
    unknown: Option<Unknown>,
}

impl Convert {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let ending = self.to.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let answer =
            super::eval::open(&self.from, self.kind, (self.scale, self.unknown.unwrap_or_default()))?;
        let format = match (ending.as_str(), &answer.field) {
            ("pfm", _) => FileFormat::Pfm,
            ("tif" | "tiff", _) => FileFormat::Tiff,
            ("flo", _) => FileFormat::Flo,
            ("npz", _) => FileFormat::Npz,
            ("npy", _) => {
                replace_at(&self.to, |place| answer.field.write_npy(place))?;
                return Ok(ExitCode::SUCCESS);
            }
            ("png", Field::Labels(_)) => FileFormat::Png,
            ("png", _) => FileFormat::Kitti,
            _ => {
                let text = format!(
                    "'{}' has the ending '{ending}', but must end in .pfm, .tif, .flo, .npy, .npz or .png",
                    self.to.display()
                );
                return Err(Error::usage(text).into());
            }
        };
        answer.field.file_name(format)?;
        replace_at(&self.to, |place| answer.field.write(place, format))?;
        if let Some(misread) = answer.field.misread(format) {
            eprintln!("note: '{}' has {misread}", self.to.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}
