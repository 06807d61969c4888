//! What a folder means where a picture is expected: many runs, one after another (docs/batch.md).
//!
//! | command | folder | runs |
//! |---|---|---|
//! | `segment`, `restore` | pictures | one a picture |
//! | `flow` | pictures | one for each two frames that follow each other |
//! | `flow`, `stereo` | folders of the layouts of [`Scene`] | one a folder |
//! | `stereo LEFT RIGHT` | pictures of the same names in two folders | one a name |
//!
//! Names are in the order of people: 9 before 10.

use crate::error::{Error, Result};
use crate::formats::middlebury::Scene;
use std::path::{Path, PathBuf};

/// Endings of pictures, in lower case.
const PICTURES: [&str; 8] = ["png", "jpg", "jpeg", "tif", "tiff", "ppm", "pgm", "pnm"];

/// One run of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Name of its result folder: that of its folder, or of its first picture without the ending.
    pub name: String,
    /// What it is made of.
    pub source: Source,
}

/// What one run reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// One picture.
    Picture(PathBuf),
    /// Left and right, or a frame and the next.
    Pair(PathBuf, PathBuf),
    /// A folder with a pair.
    Scene(Box<Scene>),
    /// Nothing that can be run, and why: counted as failed.
    Nothing(String),
}

/// The pictures of `folder`, one run each.
///
/// # Errors
/// [`Error::File`] if the folder cannot be read or has no pictures.
pub fn pictures(folder: &Path) -> Result<Vec<Item>> {
    let files = list(folder)?.pictures;
    if files.is_empty() {
        return Err(no_pictures(folder));
    }
    Ok(named(files.into_iter().map(|file| (file.clone(), Source::Picture(file)))))
}

/// The pairs of frames in `folder` that follow each other, or the scenes in its folders.
///
/// # Errors
/// [`Error::File`] if the folder cannot be read or has neither.
pub fn frames(folder: &Path) -> Result<Vec<Item>> {
    let files = list(folder)?.pictures;
    if files.len() < 2 {
        let other = "or two pictures at least, in the order of their names";
        return scenes(folder, Scene::flow, other);
    }
    let pairs =
        files.windows(2).map(|pair| (pair[0].clone(), Source::Pair(pair[0].clone(), pair[1].clone())));
    Ok(named(pairs))
}

/// The stereo scenes in the folders of `folder`.
///
/// # Errors
/// [`Error::File`] if the folder cannot be read or none of its folders is a scene.
pub fn stereo_scenes(folder: &Path) -> Result<Vec<Item>> {
    scenes(folder, Scene::stereo, "or give a folder of left and one of right pictures")
}

/// Pictures of the same names in two folders.
///
/// # Errors
/// [`Error::File`] if a folder cannot be read or has no pictures.
pub fn stereo_pairs(left: &Path, right: &Path) -> Result<Vec<Item>> {
    let (lefts, rights) = (list(left)?.pictures, list(right)?.pictures);
    for (folder, files) in [(left, &lefts), (right, &rights)] {
        if files.is_empty() {
            return Err(no_pictures(folder));
        }
    }
    let name = |path: &PathBuf| path.file_stem().map(ToOwned::to_owned);
    let partner = |file: &PathBuf, others: &[PathBuf], folder: &Path| {
        others.iter().find(|other| name(other) == name(file)).cloned().ok_or_else(|| {
            format!("'{}' has no partner of that name in '{}'", file.display(), folder.display())
        })
    };
    let of_left = lefts.iter().map(|file| {
        let source = partner(file, &rights, right)
            .map_or_else(Source::Nothing, |other| Source::Pair(file.clone(), other));
        (file.clone(), source)
    });
    let alone = rights.iter().filter_map(|file| {
        partner(file, &lefts, left).err().map(|cause| (file.clone(), Source::Nothing(cause)))
    });
    Ok(named(of_left.chain(alone)))
}

/// The folders of `folder` as scenes; one that is none counts as failed, unless all are.
fn scenes(folder: &Path, open: impl Fn(&Path) -> Result<Scene>, other: &str) -> Result<Vec<Item>> {
    let mut found = false;
    let items: Vec<Item> = list(folder)?
        .folders
        .into_iter()
        .map(|path| {
            let source = match open(&path) {
                Ok(scene) => {
                    found = true;
                    Source::Scene(Box::new(scene))
                }
                Err(error) => Source::Nothing(error.to_string()),
            };
            Item { name: file_name(&path), source }
        })
        .collect();
    if found {
        return Ok(items);
    }
    // What the folder itself lacks is the best hint.
    let cause = match open(folder) {
        Err(Error::File { cause, .. }) => cause,
        _ => "it has no folders with pairs".to_string(),
    };
    Err(Error::file("use folder", folder, format!("{cause}; nor has any folder in it; {other}")))
}

fn no_pictures(folder: &Path) -> Error {
    let endings = PICTURES.join(", ");
    Error::file("use folder", folder, format!("it has no pictures (files that end in {endings})"))
}

/// What is in a folder, in the order of names.
struct Listing {
    pictures: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn list(folder: &Path) -> Result<Listing> {
    let refuse = |e: std::io::Error| Error::io("read folder", folder, &e);
    let mut listing = Listing { pictures: Vec::new(), folders: Vec::new() };
    for entry in std::fs::read_dir(folder).map_err(refuse)? {
        let path = entry.map_err(refuse)?.path();
        // Hidden files are of editors and systems.
        if file_name(&path).starts_with('.') {
            continue;
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if path.is_dir() {
            listing.folders.push(path);
        } else if ending.is_some_and(|ending| PICTURES.contains(&ending.as_str())) {
            listing.pictures.push(path);
        }
    }
    alphanumeric_sort::sort_path_slice(&mut listing.pictures);
    alphanumeric_sort::sort_path_slice(&mut listing.folders);
    Ok(listing)
}

/// Items with the names of their files; with the ending where two would be called alike.
fn named(sources: impl Iterator<Item = (PathBuf, Source)>) -> Vec<Item> {
    let sources: Vec<_> = sources.collect();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut seen = std::collections::HashMap::<String, usize>::new();
    for (path, _) in &sources {
        *seen.entry(stem(path)).or_default() += 1;
    }
    let name = |path: &Path| if seen[&stem(path)] > 1 { file_name(path) } else { stem(path) };
    sources.iter().map(|(path, source)| Item { name: name(path), source: source.clone() }).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, []).unwrap();
        }
        folder
    }

    fn names(items: &[Item]) -> Vec<&str> {
        items.iter().map(|item| item.name.as_str()).collect()
    }

    #[test]
    fn pictures_come_in_the_order_of_people() {
        let folder = folder(&["f10.png", "f9.PNG", "f9.txt", ".hidden.png", "sub/x.png"]);
        let items = pictures(folder.path()).unwrap();
        assert_eq!(names(&items), ["f9", "f10"]);
        assert_eq!(items[1].source, Source::Picture(folder.path().join("f10.png")));
    }

    #[test]
    fn two_files_of_one_stem_keep_their_endings() {
        let folder = folder(&["a.png", "a.jpg", "b.png"]);
        assert_eq!(names(&pictures(folder.path()).unwrap()), ["a.jpg", "a.png", "b"]);
    }

    #[test]
    fn frames_that_follow_each_other_are_pairs() {
        let folder = folder(&["2.png", "10.png", "1.png"]);
        let items = frames(folder.path()).unwrap();
        let path = |name| folder.path().join(name);
        assert_eq!(names(&items), ["1", "2"]);
        assert_eq!(items[1].source, Source::Pair(path("2.png"), path("10.png")));
    }

    #[test]
    fn folders_are_scenes_and_one_that_is_none_is_told() {
        let folder = folder(&["a/im0.png", "a/im1.png", "b/readme.png", "c/left.png", "c/right.png"]);
        let items = stereo_scenes(folder.path()).unwrap();
        assert_eq!(names(&items), ["a", "b", "c"]);
        assert!(matches!(&items[0].source, Source::Scene(scene) if scene.first.ends_with("im0.png")));
        assert!(matches!(&items[1].source, Source::Nothing(cause) if cause.contains("stereo pair")));
        assert!(matches!(&items[2].source, Source::Scene(_)));
    }

    #[test]
    fn a_folder_without_anything_says_what_was_looked_for() {
        let folder = folder(&["b/readme.txt"]);
        let cause = |items: Result<Vec<Item>>| items.unwrap_err().to_string();
        assert!(cause(stereo_scenes(folder.path())).contains("im0 and im1"));
        assert!(cause(frames(folder.path())).contains("two pictures"));
        assert!(cause(pictures(folder.path())).contains("png"));
    }

    #[test]
    fn pairs_go_by_name_and_a_lonely_picture_is_told() {
        let (left, right) = (folder(&["1.png", "2.png"]), folder(&["1.jpg", "3.png"]));
        let items = stereo_pairs(left.path(), right.path()).unwrap();
        assert_eq!(names(&items), ["1", "2", "3"]);
        let pair = Source::Pair(left.path().join("1.png"), right.path().join("1.jpg"));
        assert_eq!(items[0].source, pair);
        for item in &items[1..] {
            assert!(matches!(&item.source, Source::Nothing(cause) if cause.contains("no partner")));
        }
    }
}
