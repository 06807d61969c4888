//! The files of `--uncertainty`.

use super::boundary::{self, Source};
use super::{Moments, Scale, confidence, credible, entropy};
use crate::error::Result;
use crate::npy;
use crate::output::Output;
use serde::{Deserialize, Serialize};
use spa_model::{Count, Histogram};

/// Names of all files that `--uncertainty` may write.
pub const FILES: [&str; 10] = [
    "confidence.npy",
    "entropy.npy",
    "credible.npy",
    "credible_set.npy",
    "credible_interval.npy",
    "mean.npy",
    "variance.npy",
    "boundary.npy",
    "boundary_bounds.npy",
    PICTURE,
];

/// The pictures of them.
pub const PICTURE: &str = "uncertainty.png";

/// What the summary tells of uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overview {
    /// Share of the samples that credible sets have, 0…1.
    pub credible_share: f64,
    /// Mean number of labels in a credible set.
    pub mean_credible_size: f64,
    /// Mean entropy of a pixel, in bits.
    pub mean_entropy: f64,
    /// Mean standard deviation in units of the application; none where labels are names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_deviation: Option<f64>,
    /// Where boundaries come from; none but for segmentations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<Source>,
}

/// What is asked about a histogram.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a, C> {
    /// How often every label was drawn.
    pub histogram: &'a Histogram<C>,
    /// Width and height.
    pub size: (u32, u32),
    /// What labels measure.
    pub scale: &'a Scale,
    /// Share of credible sets.
    pub share: f64,
    /// True if boundaries of segments are of interest.
    pub boundaries: bool,
    /// Boundaries counted in samples, H·W, where they were.
    pub sampled: Option<&'a [f32]>,
}

/// Writes everything but the picture, and sums it up.
///
/// # Errors
/// [`crate::Error::File`] if a file cannot be written.
pub fn write<C: Count>(output: &Output, question: &Question<'_, C>) -> Result<Overview> {
    let Question { histogram, scale, share, .. } = *question;
    let plane = [u64::from(question.size.1), u64::from(question.size.0)];
    let deep = |depth: u64| [plane[0], plane[1], depth];
    let rows = || (0..histogram.rvs()).map(|i| histogram.rv(i));
    let pixels = histogram.rvs().max(1) as f64;

    npy::write(
        &output.path("confidence.npy"),
        &plane,
        &rows().map(|r| confidence(r) as f32).collect::<Vec<_>>(),
    )?;
    let entropies: Vec<f32> = rows().map(|r| entropy(r) as f32).collect();
    npy::write(&output.path("entropy.npy"), &plane, &entropies)?;

    let bytes = histogram.labels().div_ceil(8);
    let (mut sizes, mut members) = (Vec::new(), vec![0_u8; histogram.rvs() * bytes]);
    for (row, member) in rows().zip(members.chunks_exact_mut(bytes)) {
        let set = credible::smallest_set(row, share);
        set.iter().for_each(|&l| member[usize::from(l / 8)] |= 1 << (l % 8));
        sizes.push(set.len() as u16);
    }
    npy::write(&output.path("credible.npy"), &plane, &sizes)?;
    npy::write(&output.path("credible_set.npy"), &deep(bytes as u64), &members)?;

    let mean_deviation = write_moments(output, question)?;
    if let Scale::Line { values, .. } = scale {
        let ends = |row: &[C]| match credible::shortest_interval(row, share) {
            Some((first, last)) => [first, last].map(|l| values[usize::from(l)] as f32),
            None => [f32::NAN; 2],
        };
        let intervals: Vec<f32> = rows().flat_map(ends).collect();
        npy::write(&output.path("credible_interval.npy"), &deep(2), &intervals)?;
    }
    let mut source = None;
    if question.boundaries {
        let size = (question.size.0 as usize, question.size.1 as usize);
        let bounds = boundary::bounds(histogram, size).into_flattened();
        npy::write(&output.path("boundary_bounds.npy"), &deep(2), &bounds)?;
        let (values, from) = match question.sampled {
            Some(sampled) => (sampled.to_vec(), Source::Samples),
            None => (boundary::independent(histogram, size), Source::Independent),
        };
        npy::write(&output.path("boundary.npy"), &plane, &values)?;
        source = Some(from);
    }
    Ok(Overview {
        credible_share: share,
        mean_credible_size: sizes.iter().map(|&n| f64::from(n)).sum::<f64>() / pixels,
        mean_entropy: entropies.iter().map(|&e| f64::from(e)).sum::<f64>() / pixels,
        mean_deviation,
        boundary: source,
    })
}

/// `mean.npy` and `variance.npy` where labels are numbers; gives the mean deviation.
fn write_moments<C: Count>(output: &Output, question: &Question<'_, C>) -> Result<Option<f64>> {
    let Some(vectors) = question.scale.vectors() else { return Ok(None) };
    let (height, width) = (u64::from(question.size.1), u64::from(question.size.0));
    let histogram = question.histogram;
    let moments: Vec<Moments> =
        (0..histogram.rvs()).map(|i| Moments::of(histogram.rv(i), &vectors)).collect();
    let (mean_path, variance_path) = (output.path("mean.npy"), output.path("variance.npy"));
    if let Scale::Plane { base, .. } = question.scale {
        let mean = |(i, m): (usize, &Moments)| {
            let base = base.as_ref().map_or([0.0; 2], |base| base[i]);
            [m.mean[0] + base[0], m.mean[1] + base[1]].map(|v| v as f32)
        };
        let means: Vec<f32> = moments.iter().enumerate().flat_map(mean).collect();
        npy::write(&mean_path, &[height, width, 2], &means)?;
        let variances: Vec<f32> = moments.iter().flat_map(|m| m.variance.map(|v| v as f32)).collect();
        npy::write(&variance_path, &[height, width, 3], &variances)?;
    } else {
        npy::write(
            &mean_path,
            &[height, width],
            &moments.iter().map(|m| m.mean[0] as f32).collect::<Vec<_>>(),
        )?;
        let variances: Vec<f32> = moments.iter().map(|m| m.variance[0] as f32).collect();
        npy::write(&variance_path, &[height, width], &variances)?;
    }
    Ok(Some(moments.iter().map(Moments::deviation).sum::<f64>() / moments.len().max(1) as f64))
}
