//! Files of a result folder.

use crate::app::Application;
use crate::blocks::{Digest, Source};
use crate::colour::{paint, palette, share};
use crate::error::{Error, Result};
use crate::figure;
use crate::formats::{self, Field, FileFormat};
use crate::lowest::LOWEST;
use crate::npy::{self, Counted};
use crate::options::HistogramForm;
use crate::output::{Output, SUMMARY, write_png};
use crate::panels::{self, Shown};
use crate::summary::Summary;
use crate::trace::TRACE;
use crate::uncertainty::{
    self,
    files::{Overview, Question},
};

/// Dense histogram.
pub const HISTOGRAM: &str = "histogram.npy";
/// Sparse histogram, above the memory limit.
pub const HISTOGRAM_SPARSE: &str = "histogram.npz";
/// Every file that a run may write besides the summary.
pub const FILES: [&str; 7] =
    ["labels.npy", "mode.npy", HISTOGRAM, HISTOGRAM_SPARSE, "labels.png", "mode.png", "confidence.png"];

/// Labels of the `n`-th of several chains.
pub fn chain_file(n: usize) -> String {
    format!("labels_{n}.npy")
}

/// Every file that a run may write.
pub fn every_file() -> Vec<String> {
    let fixed = [
        &[SUMMARY][..],
        &FILES,
        &formats::output::FILES,
        &[FIGURE, TRACE, LOWEST],
        &crate::app::prepare::FILES,
        &uncertainty::files::FILES,
    ];
    let of_chains = (0..crate::chains::MOST.into()).map(chain_file);
    fixed.concat().into_iter().map(str::to_string).chain(of_chains).collect()
}

/// Name of the histogram file of a field of `rvs` RVs: in the form that is asked for, else sparse above `limit` bytes.
pub fn histogram_file(form: Option<HistogramForm>, rvs: usize, labels: u16, limit: u64) -> &'static str {
    let large = rvs as u64 * u64::from(labels) * 2 > limit;
    match form {
        Some(HistogramForm::Sparse) => HISTOGRAM_SPARSE,
        None if large => HISTOGRAM_SPARSE,
        Some(HistogramForm::Dense) | None => HISTOGRAM,
    }
}

/// A histogram, and what most results need of it.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a, C> {
    /// How often every label was drawn.
    pub source: &'a dyn Source<C>,
    /// What that comes to.
    pub digest: &'a Digest,
}

/// Writes what a histogram tells: `mode.npy`, `mode.png`, `confidence.png` and the histogram itself under `name`.
///
/// # Errors
/// [`Error::File`] if a file cannot be written; as [`Source::each`].
pub fn write_histogram<C: Counted>(
    output: &Output,
    application: &Application,
    drawn: &Drawn<'_, C>,
    name: &str,
) -> Result<()> {
    let Drawn { source, digest } = drawn;
    let (width, height) = source.size();
    npy::write(&output.path("mode.npy"), &[height.into(), width.into()], &digest.mode)?;
    if name == HISTOGRAM {
        npy::write_dense(&output.path(name), *source)?;
    } else {
        npy::write_sparse(&output.path(name), *source, &digest.entries)?;
    }
    let colours = palette(application, source.labels() as u16);
    write_png(&output.path("mode.png"), width, height, 3, paint(&colours, &digest.mode).as_flattened())?;
    let confidence: Vec<u8> = digest.confidence.iter().map(|&c| share(c)).collect();
    write_png(&output.path("confidence.png"), width, height, 1, &confidence)
}

/// Writes `field` in every one of `formats`.
///
/// # Errors
/// [`Error::Usage`] if a format cannot hold it, [`Error::File`] if a file cannot be written.
pub fn write_formats(output: &Output, field: &Field, formats: &[FileFormat]) -> Result<()> {
    for &format in formats {
        let name = field.file_name(format)?;
        field.write(&output.path(name), format)?;
        if let Some(misread) = field.misread(format) {
            eprintln!("note: {name} has {misread}");
        }
    }
    Ok(())
}

/// The figure for people.
pub const FIGURE: &str = "figure.png";

/// Writes the figure: input, result, how sure it is.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn write_figure(output: &Output, shown: &Shown<'_>) -> Result<()> {
    let names = match shown.application {
        Application::Segment => ["overlay", "mode", "confidence"],
        Application::Infer => ["mode", "confidence", "entropy"],
        _ => ["first", "mode", "confidence"],
    };
    figure::write(&output.path(FIGURE), &panels::panels(shown), &names)
}

/// Writes the files of `--uncertainty`, and sums them up. `sampled` are shares of boundaries, H·W, where fields were watched.
///
/// # Errors
/// [`Error::File`] if one cannot be written.
pub fn write_uncertainty<C: Counted>(
    output: &Output,
    shown: &Shown<'_>,
    source: &dyn Source<C>,
    sampled: Option<&[f32]>,
) -> Result<Overview> {
    let question = Question {
        source,
        scale: shown.scale,
        share: shown.share,
        boundaries: *shown.application == Application::Segment,
        sampled,
    };
    let overview = uncertainty::files::write(output, &question)?;
    let names = ["confidence", "entropy", "deviation", "credible", "boundary"];
    figure::write(&output.path(uncertainty::files::PICTURE), &panels::uncertainty(shown), &names)?;
    Ok(overview)
}

/// Writes labels, histogram and, last, the summary of a run. `chains` are the labels of each.
///
/// # Errors
/// [`Error::File`] if a file cannot be written.
pub fn write_run<C: Counted>(
    output: &Output,
    application: &Application,
    summary: &Summary,
    chains: &[Vec<u8>],
    drawn: &Drawn<'_, C>,
) -> Result<()> {
    let (width, height) = (summary.width, summary.height);
    let plane = [u64::from(height), u64::from(width)];
    if let (None, [labels]) = (&summary.chains, chains) {
        npy::write(&output.path("labels.npy"), &plane, labels)?;
        let colours = palette(application, summary.labels);
        write_png(&output.path("labels.png"), width, height, 3, paint(&colours, labels).as_flattened())?;
    } else {
        for (n, labels) in chains.iter().enumerate() {
            npy::write(&output.path(&chain_file(n)), &plane, labels)?;
        }
    }
    if let Some(name) = &summary.histogram_file {
        write_histogram(output, application, drawn, name)?;
    }
    let path = output.path(SUMMARY);
    let text = summary.json().map_err(|e| Error::file("write", &path, e))?;
    std::fs::write(&path, text).map_err(|e| Error::io("write", &path, &e))
}
