//! `spa convert`.

use crate::error::Error;
use crate::formats::{Field, FileFormat};
use crate::measure::answer::{Answer, Subject};
use crate::output::destination;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Converts disparity, flow or classes between the formats that people keep them in
///
/// The content tells what the first file is, the ending of the second what it becomes: .pfm, .tif, .flo, .npz, and .png (16
/// bits as KITTI has them for disparity and flow, the numbers themselves for classes). Unknown pixels stay unknown.
#[derive(Debug, Args)]
pub struct Convert {
    /// Result folder of spa, or a file: .npy, .npz, PFM, TIFF, PNG, PGM, .flo
    from: PathBuf,
    /// File to write
    to: PathBuf,
    /// What it is, where the file does not tell
    #[arg(long, value_enum)]
    kind: Option<Subject>,
    /// Steps of a disparity in a pixel [default: 256 for 16-bit PNG, else 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = super::eval::scale)]
    scale: Option<f64>,
}

impl Convert {
    pub fn execute(&self) -> anyhow::Result<ExitCode> {
        let ending = self.to.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let answer = Answer::open(&self.from, self.kind, self.scale)?;
        let format = match (ending.as_str(), &answer.field) {
            ("pfm", _) => FileFormat::Pfm,
            ("tif" | "tiff", _) => FileFormat::Tiff,
            ("flo", _) => FileFormat::Flo,
            ("npz", _) => FileFormat::Npz,
            ("png", Field::Labels(_)) => FileFormat::Png,
            ("png", _) => FileFormat::Kitti,
            _ => {
                let text = format!(
                    "'{}' has the ending '{ending}', but must end in .pfm, .tif, .flo, .npz or .png",
                    self.to.display()
                );
                return Err(Error::usage(text).into());
            }
        };
        answer.field.file_name(format)?;
        write_whole(&self.to, |place| answer.field.write(place, format))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes a file of one's own choice beside its place and moves it there when it is whole: what was there stays until then.
fn write_whole(path: &Path, write: impl FnOnce(&Path) -> Result<(), Error>) -> Result<(), Error> {
    let target = destination("write", path)?;
    let fail = |e: std::io::Error| Error::io("write", path, &e);
    let folder = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let staging = tempfile::Builder::new().prefix(".spa-").tempdir_in(folder).map_err(fail)?;
    let staged = staging.path().join(target.file_name().unwrap_or_default());
    // Its place is what people know.
    write(&staged).map_err(|error| match error {
        Error::File { action, cause, .. } => Error::File { action, path: path.to_path_buf(), cause },
        other => other,
    })?;
    std::fs::rename(&staged, &target).map_err(fail)
}
