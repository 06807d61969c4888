//! Labellings from files of anybody: labels as they are, or measurements in pixels turned back into labels.

use crate::app::Application;
use crate::app::prepare::Prepared;
use crate::error::{Error, Result};
use crate::formats::field::Unknown;
use crate::formats::numbers::Numbers;
use crate::formats::{Kind, Raster, ReadAs, Samples, kitti, open_disparity, open_flow};
use crate::plan::read_plane;
use crate::uncertainty::Scale;
use std::path::Path;

/// A labelling; none where the file says nothing, or something that no label stands for.
pub type Labelling = Vec<Option<u8>>;

/// Reads a labelling for the job of `prepared`.
///
/// Whole numbers (`.npy` of integers, pictures of 8 bits) are labels. Anything else holds measurements, as ground truth does:
/// disparities (PFM, float TIFF, KITTI PNG, `.npy` of floats; `scale` steps to the pixel) or motions (`.flo`, KITTI PNG, `.npy` of
/// H×W×2), each taken for its nearest label. With `scale` given, an 8-bit picture holds disparities, too.
///
/// # Errors
/// [`Error::File`] if the file is damaged or of another size, or measures what this application does not.
pub fn read(path: &Path, prepared: &Prepared, scale: Option<f64>) -> Result<Labelling> {
    let problem = prepared.plan.job.problem();
    let kind = Kind::for_action(path, "read labelling")?;
    let fail = |cause: String| Error::file("use labelling", path, cause);
    let ((width, height), labels) = if is_labels(path, kind)? && scale.is_none() {
        let (width, height, values) = read_plane(path)?;
        let label = |v: u8| Some(v).filter(|&v| u16::from(v) < problem.labels);
        ((width, height), values.into_iter().map(label).collect::<Labelling>())
    } else {
        match (&prepared.plan.application, prepared.scale()) {
            (Application::Stereo { .. }, Scale::Line { values, .. }) => {
                let map = open_disparity(path, ReadAs { scale, unknown: Unknown::Pictures })?;
                let label = |i: usize| nearest_value(&values, f64::from(map.get(i)?));
                ((map.width, map.height), (0..map.values.len()).map(label).collect())
            }
            (_, Scale::Plane { vectors, base, .. }) => {
                let flow = open_flow(path)?;
                if (flow.width, flow.height) == (problem.width, problem.height) {
                    let label = |i: usize| {
                        let base = base.as_ref().map_or([0.0; 2], |base| base[i]);
                        let [u, v] = flow.get(i)?.map(f64::from);
                        nearest_vector(&vectors, [u - base[0], v - base[1]])
                    };
                    ((flow.width, flow.height), (0..flow.vectors.len()).map(label).collect())
                } else {
                    ((flow.width, flow.height), Labelling::new())
                }
            }
            _ => {
                let name = prepared.plan.application.name();
                return Err(fail(format!(
                    "it is {}, but '{name}' needs labels: .npy of integers, or a grey picture",
                    kind.name()
                )));
            }
        }
    };
    if (width, height) != (problem.width, problem.height) {
        let cause = format!("it is {width}x{height}, but the field is {}x{}", problem.width, problem.height);
        return Err(fail(cause));
    }
    Ok(labels)
}

/// True if the file holds whole numbers that can only be labels.
fn is_labels(path: &Path, kind: Kind) -> Result<bool> {
    Ok(match kind {
        Kind::Npy => Numbers::open(path)?.integer,
        Kind::Png | Kind::Pnm | Kind::Jpeg => {
            let raster = Raster::open(path)?;
            matches!(raster.samples, Samples::U8(_)) && kitti::flow(&raster).is_none()
        }
        _ => false,
    })
}

/// The label of nearest value, the lower one on a tie; none beyond half a step of the first and the last.
fn nearest_value(values: &[f64], value: f64) -> Option<u8> {
    let step = values.get(1)? - values[0];
    let label = ((value - values[0]) / step - 0.5).ceil();
    (label >= 0.0 && label < values.len() as f64).then_some(label as u8)
}

/// The label of nearest displacement, the lower one on a tie; none beyond half a step outside the window.
fn nearest_vector(vectors: &[[f64; 2]], [u, v]: [f64; 2]) -> Option<u8> {
    // Labels are row-major: the first two differ by a step to the right.
    let step = vectors.get(1)?[0] - vectors[0][0];
    let last = vectors[vectors.len() - 1];
    let inside = |value: f64, low: f64, high: f64| value >= low - step / 2.0 && value <= high + step / 2.0;
    if !inside(u, vectors[0][0], last[0]) || !inside(v, vectors[0][1], last[1]) {
        return None;
    }
    let distance = |w: &[f64; 2]| (w[0] - u).powi(2) + (w[1] - v).powi(2);
    let nearer = |a: &&[f64; 2], b: &&[f64; 2]| distance(a).total_cmp(&distance(b));
    let best = vectors.iter().min_by(nearer)?;
    vectors.iter().position(|w| w == best).map(|l| l as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_become_their_nearest_labels() {
        let values = [-1.0, -0.5, 0.0, 0.5];
        let of = |v: f64| nearest_value(&values, v);
        assert_eq!(
            [of(-1.2), of(-0.75), of(-0.7), of(0.74), of(0.76)],
            [Some(0), Some(0), Some(1), Some(3), None]
        );
        assert_eq!([of(-1.26), of(f64::NAN)], [None, None]);
        let window: Vec<[f64; 2]> =
            spa_model::job::window_offsets(3).iter().map(|o| [o.dx, o.dy].map(f64::from)).collect();
        let of = |v| nearest_vector(&window, v);
        assert_eq!([of([0.2, -0.9]), of([1.4, 1.4]), of([1.6, 0.0])], [Some(1), Some(8), None]);
    }
}
