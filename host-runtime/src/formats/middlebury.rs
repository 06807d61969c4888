//! Folders of stereo and flow benchmarks as they come: the pair, the ground truth, its scale and the masks by their names.
//!
//! | pair | ground truth | from |
//! |---|---|---|
//! | `im0`, `im1` | `disp0`, `disp0GT`; mask `mask0nocc`; `calib.txt` | Middlebury 2014 and later, ETH3D |
//! | `imL`, `imR` | `groundtruth` | Middlebury evaluation |
//! | `im2`, `im6` | `disp2` | Middlebury 2001 and 2003 |
//! | `view1`, `view5` | `disp1` | Middlebury 2005 and 2006 |
//! | `left`, `right` | `truth`, `disparity` | `spa synth` |
//! | `frame10`, `frame11` | `flow10` | Middlebury flow |
//! | `frame1`, `frame2` | `truth` | `spa synth` |
//!
//! Masks are `nonocc`, `all` and `disc`, or `visible`. `info.txt` holds the scale of the truth and the largest disparity.

use super::{ReadAs, open_disparity, text_of};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Endings that are looked for, in this order: measurements before pictures of them.
const ENDINGS: [&str; 10] = ["npy", "flo", "pfm", "png", "ppm", "pgm", "jpg", "jpeg", "tif", "tiff"];

/// Names of first and second picture, and of the truth.
const STEREO: [(&str, &str, &[&str]); 5] = [
    ("im0", "im1", &["disp0", "disp0GT"]),
    ("imL", "imR", &["groundtruth"]),
    ("im2", "im6", &["disp2"]),
    ("view1", "view5", &["disp1"]),
    ("left", "right", &["truth", "disparity"]),
];
const FLOW: [(&str, &str, &[&str]); 2] =
    [("frame10", "frame11", &["flow10"]), ("frame1", "frame2", &["truth", "flow"])];

/// What a benchmark folder holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The folder.
    pub folder: PathBuf,
    /// Left picture or first frame.
    pub first: PathBuf,
    /// Right picture or second frame.
    pub second: PathBuf,
    /// Ground truth of the first picture.
    pub truth: Option<PathBuf>,
    /// Steps of the truth in a pixel, of stereo, where it is known.
    pub scale: Option<f64>,
    /// Regions that the truth is compared in.
    pub masks: Masks,
}

/// Mask files of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Masks {
    /// Pixels with a truth.
    pub all: Option<PathBuf>,
    /// Those that both pictures see.
    pub nonocc: Option<PathBuf>,
    /// Those near a depth discontinuity.
    pub disc: Option<PathBuf>,
}

/// Disparities of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Number of labels, from disparity 0.
    pub labels: u32,
    /// File that says so.
    pub source: String,
}

impl Scene {
    /// The stereo pair of `folder`.
    ///
    /// # Errors
    /// [`Error::File`] if there is none; the names that are looked for are listed.
    pub fn stereo(folder: &Path) -> Result<Self> {
        let mut scene = Self::find(folder, &STEREO, "stereo pair")?;
        if let Some(truth) = &scene.truth {
            scene.scale = scale_of(folder, &scene.first, truth)?;
        }
        Ok(scene)
    }

    /// The two frames of `folder`.
    ///
    /// # Errors
    /// [`Error::File`] if there are none; the names that are looked for are listed.
    pub fn flow(folder: &Path) -> Result<Self> {
        Self::find(folder, &FLOW, "pair of frames")
    }

    fn find(folder: &Path, layouts: &[(&str, &str, &[&str])], what: &str) -> Result<Self> {
        std::fs::read_dir(folder).map_err(|e| Error::io("read folder", folder, &e))?;
        for (first, second, truths) in layouts {
            let (Some(first), Some(second)) = (file(folder, first), file(folder, second)) else { continue };
            return Ok(Self {
                folder: folder.to_path_buf(),
                first,
                second,
                truth: truths.iter().find_map(|name| file(folder, name)),
                scale: None,
                masks: Masks {
                    all: file(folder, "all"),
                    nonocc: ["nonocc", "mask0nocc", "visible"].iter().find_map(|name| file(folder, name)),
                    disc: file(folder, "disc"),
                },
            });
        }
        let pairs: Vec<String> = layouts.iter().map(|(a, b, _)| format!("{a} and {b}")).collect();
        Err(Error::file("use folder", folder, format!("it has no {what}: {}", pairs.join(", or "))))
    }

    /// How far disparities reach: from `calib.txt` (`ndisp`), `info.txt` (second line), or else the largest true one.
    ///
    /// # Errors
    /// [`Error::File`] if a file is damaged; [`Error::Usage`] if nothing in the folder tells.
    pub fn range(&self) -> Result<Range> {
        if let Some(labels) = calib(&self.folder)? {
            return Ok(Range { labels, source: "calib.txt".to_string() });
        }
        if let Some((_, Some(largest))) = info(&self.folder)? {
            return Ok(Range { labels: largest.saturating_add(1), source: "info.txt".to_string() });
        }
        if let (Some(truth), Some(scale)) = (&self.truth, self.scale) {
            let map = open_disparity(truth, ReadAs { scale: Some(scale), ..ReadAs::default() })?;
            let largest = (0..map.values.len()).filter_map(|i| map.get(i)).fold(0.0, f32::max);
            let name = truth.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Range {
                labels: largest.ceil() as u32 + 1,
                source: format!("the largest disparity of {name}"),
            });
        }
        Err(Error::usage(format!(
            "'{}' does not say how large disparities are (calib.txt, info.txt or ground truth); give --labels",
            self.folder.display()
        )))
    }
}

/// The file of `folder` with this stem and any of the known endings.
fn file(folder: &Path, stem: &str) -> Option<PathBuf> {
    ENDINGS.iter().map(|ending| folder.join(format!("{stem}.{ending}"))).find(|path| path.is_file())
}

fn text(folder: &Path, name: &str) -> Result<Option<String>> {
    let path = folder.join(name);
    if path.exists() { text_of("read", &path).map(Some) } else { Ok(None) }
}

/// `ndisp` of a `calib.txt`.
fn calib(folder: &Path) -> Result<Option<u32>> {
    let Some(text) = text(folder, "calib.txt")? else { return Ok(None) };
    let Some(value) = text.lines().find_map(|line| line.trim().strip_prefix("ndisp=")) else {
        return Ok(None);
    };
    let labels = value.trim().parse().map_err(|_| {
        Error::file("read", &folder.join("calib.txt"), format!("ndisp is '{value}', no whole number"))
    })?;
    Ok(Some(labels))
}

/// Scale and, if given, largest disparity of an `info.txt`.
fn info(folder: &Path) -> Result<Option<(f64, Option<u32>)>> {
    let Some(text) = text(folder, "info.txt")? else { return Ok(None) };
    let fail =
        |word: &str| Error::file("read", &folder.join("info.txt"), format!("'{word}' is no positive number"));
    let mut words = text.split_whitespace();
    let Some(word) = words.next() else { return Ok(None) };
    let scale: f64 = word.parse().map_err(|_| fail(word))?;
    if !scale.is_finite() || scale <= 0.0 {
        return Err(fail(word));
    }
    let largest = words.next().map(|word| word.parse::<u32>().map_err(|_| fail(word))).transpose()?;
    Ok(Some((scale, largest)))
}

/// Steps of the truth in a pixel.
fn scale_of(folder: &Path, first: &Path, truth: &Path) -> Result<Option<f64>> {
    if let Some((scale, _)) = info(folder)? {
        return Ok(Some(scale));
    }
    let is = |path: &Path, stem: &str| path.file_stem().is_some_and(|s| s == stem);
    if truth.extension().is_some_and(|e| e == "pfm" || e == "npy") {
        return Ok(Some(1.0));
    }
    let (width, height) = image::image_dimensions(first).unwrap_or((0, 0));
    Ok(if is(first, "view1") {
        // The sets of 2005 and 2006 are 1110 pixels high, or a half or a third of that; disparities are those of the full
        // size.
        [1.0, 2.0, 3.0].into_iter().find(|n| (1110.0 / n - f64::from(height)).abs() < 12.0)
    } else if is(first, "im2") {
        // 2003: full, half and quarter size; 2001: other sizes, eight steps.
        Some(match (width, height) {
            (1800, 1500) => 1.0,
            (900, 750) => 2.0,
            (450, 375) => 4.0,
            _ => 8.0,
        })
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    #[test]
    fn layouts_are_found_by_their_names() {
        let pgm: &[u8] = b"P5\n2 1\n255\n\x08\x10";
        let scene =
            folder(&[("im0.pgm", pgm), ("im1.pgm", pgm), ("calib.txt", b"cam0=[1]\nndisp=70\nvmin=3\n")]);
        let found = Scene::stereo(scene.path()).unwrap();
        assert!(found.second.ends_with("im1.pgm") && found.truth.is_none());
        assert_eq!(found.range().unwrap(), Range { labels: 70, source: "calib.txt".to_string() });

        let scene = folder(&[
            ("imL.ppm", pgm),
            ("imR.ppm", pgm),
            ("groundtruth.pgm", pgm),
            ("info.txt", b"16\n15\n"),
        ]);
        let found = Scene::stereo(scene.path()).unwrap();
        assert_eq!((found.scale, found.range().unwrap().labels), (Some(16.0), 16));

        let scene = folder(&[("im2.pgm", pgm), ("im6.pgm", pgm), ("disp2.pgm", pgm), ("nonocc.png", b"")]);
        let found = Scene::stereo(scene.path()).unwrap();
        assert_eq!(found.scale, Some(8.0));
        assert_eq!(found.range().unwrap().labels, 3, "16 of 8 steps a pixel: disparities 0 to 2");
        assert!(found.masks.nonocc.is_some() && found.masks.disc.is_none());
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let empty = folder(&[]);
        let text = Scene::stereo(empty.path()).unwrap_err().to_string();
        assert!(text.contains("it has no stereo pair: im0 and im1, or imL and imR"), "{text}");
        assert!(Scene::flow(empty.path()).unwrap_err().to_string().contains("frame10 and frame11"));
        let bare = folder(&[("left.png", b""), ("right.png", b"")]);
        let error = Scene::stereo(bare.path()).unwrap().range().unwrap_err();
        assert!(error.is_usage() && error.to_string().ends_with("give --labels"));
        let bad = folder(&[("left.png", b""), ("right.png", b""), ("calib.txt", b"ndisp=many")]);
        let text = Scene::stereo(bad.path()).unwrap().range().unwrap_err().to_string();
        assert!(text.ends_with("ndisp is 'many', no whole number"), "{text}");
    }
}
