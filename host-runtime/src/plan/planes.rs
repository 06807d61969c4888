//! Planes of values that belong to a job: labels to start with, masks.

use crate::error::{Error, Result};
use crate::npy;
use crate::options::RunOptions;
use crate::picture::{Picture, open_values};
use spa_model::Start;
use std::path::Path;

/// Labels to start with.
pub fn resolve_start(options: &RunOptions, picture: &Picture, number: u16) -> Result<Start> {
    let Some(start) = &options.start else { return Ok(Start::Argmin) };
    Ok(match start.to_str() {
        Some("argmin") => Start::Argmin,
        Some("zero") => Start::Zero,
        Some("random") => Start::Random,
        _ => {
            if !start.exists() {
                let text = format!(
                    "start is '{}', but must be argmin, zero, random or a file that exists",
                    start.display()
                );
                return Err(Error::usage(text));
            }
            let (width, height, labels) = read_plane(start)?;
            picture.check_size("start labels", start, (width, height))?;
            if let Some(i) = labels.iter().position(|&label| u16::from(label) >= number) {
                let (x, y) = (i as u32 % width, i as u32 / width);
                let cause = format!(
                    "the label at row {y}, column {x} is {}, but must be 0…{}, for there are {number} labels",
                    labels[i],
                    number - 1
                );
                return Err(Error::file("use start labels", start, cause));
            }
            Start::Labels(labels)
        }
    })
}

/// Where the mask called `what` is not 0.
pub fn read_mask(what: &'static str, path: &Path, picture: &Picture) -> Result<Vec<bool>> {
    let (width, height, values) = read_plane(path)?;
    picture.check_size(what, path, (width, height))?;
    Ok(values.into_iter().map(|v| v != 0).collect())
}

/// A plane of values from `.npy` (by its content) or a grey picture.
pub fn read_plane(path: &Path) -> Result<(u32, u32, Vec<u8>)> {
    use std::io::Read as _;
    let mut magic = [0; 6];
    let is_npy = std::fs::File::open(path)
        .and_then(|mut file| file.read_exact(&mut magic))
        .is_ok_and(|()| magic == *b"\x93NUMPY");
    if is_npy || path.extension().is_some_and(|e| e == "npy") {
        npy::read_plane(path)
    } else {
        open_values(path)
    }
}
