//! The files of `--uncertainty`.

use super::{Moments, Scale, boundary, confidence, credible, entropy};
use crate::blocks::Source;
use crate::error::Result;
use crate::npy::Stream;
use crate::output::Output;
use serde::{Deserialize, Serialize};
use spa_model::Count;

/// Share of the most frequent label, f32.
pub const CONFIDENCE: &str = "confidence.npy";

/// Names of all files that `--uncertainty` may write.
pub const FILES: [&str; 10] = [
    CONFIDENCE,
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
    pub boundary: Option<boundary::Source>,
}

/// What is asked about a histogram.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a, C> {
    /// How often every label was drawn.
    pub source: &'a dyn Source<C>,
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
/// [`crate::Error::File`] if a file cannot be written; as [`Source::each`].
pub fn write<C: Count>(output: &Output, question: &Question<'_, C>) -> Result<Overview> {
    let Question { source, scale, share, .. } = *question;
    let (width, height) = source.size();
    let size = (width as usize, height as usize);
    let plane = Plane { output, shape: [height.into(), width.into()] };
    let mut files = Files {
        confidence: plane.file(CONFIDENCE, &[])?,
        entropy: plane.file("entropy.npy", &[])?,
        sizes: plane.file("credible.npy", &[])?,
        members: plane.file("credible_set.npy", &[source.labels().div_ceil(8) as u64])?,
        intervals: match scale {
            Scale::Line { .. } => Some(plane.file("credible_interval.npy", &[2])?),
            _ => None,
        },
        moments: MomentFiles::new(&plane, scale)?,
        boundaries: match question.boundaries {
            true => Some([plane.file("boundary_bounds.npy", &[2])?, plane.file("boundary.npy", &[])?]),
            false => None,
        },
        sums: Sums::default(),
    };
    source.each(&mut |block| {
        block.rvs().try_for_each(|(i, counts)| files.add(question, (i, counts)))?;
        if let Some([bounds, values]) = &mut files.boundaries {
            for (i, _) in block.rvs() {
                bounds.extend(boundary::bounds(block, size, i))?;
                let independent = || boundary::independent(block, size, i);
                values.extend([question.sampled.map_or_else(independent, |sampled| sampled[i])])?;
            }
        }
        Ok(())
    })?;
    let of = |_| {
        if question.sampled.is_some() { boundary::Source::Samples } else { boundary::Source::Independent }
    };
    let boundary = files.boundaries.as_ref().map(of);
    let deviation = files.moments.as_ref().map(|moments| moments.deviation);
    let sums = files.finish()?;
    let pixels = (size.0 * size.1).max(1) as f64;
    Ok(Overview {
        credible_share: share,
        mean_credible_size: sums.size / pixels,
        mean_entropy: sums.entropy / pixels,
        mean_deviation: deviation.map(|sum| sum / pixels),
        boundary,
    })
}

/// Where files of a field go, and its shape.
struct Plane<'a> {
    output: &'a Output,
    shape: [u64; 2],
}

impl Plane<'_> {
    /// A file with so many values a pixel.
    fn file<T: npyz::AutoSerialize + npyz::Serialize>(&self, name: &str, depth: &[u64]) -> Result<Stream<T>> {
        Stream::create(&self.output.path(name), &[&self.shape[..], depth].concat())
    }
}

/// What is summed over all pixels.
#[derive(Default)]
struct Sums {
    size: f64,
    entropy: f64,
}

/// All files, side by side.
struct Files {
    confidence: Stream<f32>,
    entropy: Stream<f32>,
    sizes: Stream<u16>,
    members: Stream<u8>,
    intervals: Option<Stream<f32>>,
    moments: Option<MomentFiles>,
    /// Bounds, and the probability itself.
    boundaries: Option<[Stream<f32>; 2]>,
    sums: Sums,
}

impl Files {
    /// Adds a pixel.
    fn add<C: Count>(&mut self, question: &Question<'_, C>, (i, counts): (usize, &[C])) -> Result<()> {
        self.confidence.extend([confidence(counts) as f32])?;
        let entropy = entropy(counts) as f32;
        self.sums.entropy += f64::from(entropy);
        self.entropy.extend([entropy])?;
        let set = credible::smallest_set(counts, question.share);
        self.sums.size += set.len() as f64;
        self.sizes.extend([set.len() as u16])?;
        let mut members = [0_u8; 32];
        set.iter().for_each(|&l| members[usize::from(l / 8)] |= 1 << (l % 8));
        self.members.extend(members.into_iter().take(counts.len().div_ceil(8)))?;
        if let (Some(file), Scale::Line { values, .. }) = (&mut self.intervals, question.scale) {
            file.extend(match credible::shortest_interval(counts, question.share) {
                Some((first, last)) => [first, last].map(|l| values[usize::from(l)] as f32),
                None => [f32::NAN; 2],
            })?;
        }
        self.moments.as_mut().map_or(Ok(()), |moments| moments.add(question.scale, (i, counts)))
    }

    fn finish(self) -> Result<Sums> {
        self.confidence.finish()?;
        self.entropy.finish()?;
        self.sizes.finish()?;
        self.members.finish()?;
        self.intervals.map_or(Ok(()), Stream::finish)?;
        self.moments.map_or(Ok(()), MomentFiles::finish)?;
        self.boundaries.into_iter().flatten().try_for_each(Stream::finish)?;
        Ok(self.sums)
    }
}

/// `mean.npy` and `variance.npy`, where labels are numbers.
struct MomentFiles {
    vectors: Vec<[f64; 2]>,
    mean: Stream<f32>,
    variance: Stream<f32>,
    /// Sum of the deviations.
    deviation: f64,
}

impl MomentFiles {
    fn new(plane: &Plane<'_>, scale: &Scale) -> Result<Option<Self>> {
        let Some(vectors) = scale.vectors() else { return Ok(None) };
        let depths: [&[u64]; 2] = if let Scale::Plane { .. } = scale { [&[2], &[3]] } else { [&[], &[]] };
        let mean = plane.file("mean.npy", depths[0])?;
        Ok(Some(Self { vectors, mean, variance: plane.file("variance.npy", depths[1])?, deviation: 0.0 }))
    }

    fn add<C: Count>(&mut self, scale: &Scale, (i, counts): (usize, &[C])) -> Result<()> {
        let moments = Moments::of(counts, &self.vectors);
        self.deviation += moments.deviation();
        if let Scale::Plane { base, .. } = scale {
            let base = base.as_ref().map_or([0.0; 2], |base| base[i]);
            let mean = [moments.mean[0] + base[0], moments.mean[1] + base[1]];
            self.mean.extend(mean.map(|v| v as f32))?;
            self.variance.extend(moments.variance.map(|v| v as f32))
        } else {
            self.mean.extend([moments.mean[0] as f32])?;
            self.variance.extend([moments.variance[0] as f32])
        }
    }

    fn finish(self) -> Result<()> {
        self.mean.finish()?;
        self.variance.finish()
    }
}
