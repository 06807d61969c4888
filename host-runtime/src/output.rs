//! The result folder: everything is written beside it first and moved in at the end, so an error leaves nothing behind.

use crate::error::{Error, Result};
use crate::interrupt::Staged;
use crate::staging::{self, Staging};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// Name of the summary; written last, so a folder with a summary is whole.
pub const SUMMARY: &str = "summary.json";

/// A result folder in the making.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    staging: Staging<TempDir>,
    /// Every file that may be written.
    names: Vec<String>,
}

impl Output {
    /// Prepares to write files of `names` into `target`, which need not exist; refuses early what could not be written later.
    ///
    /// # Errors
    /// [`Error::File`] if `target` is no folder, it or its parent cannot be written, a name is too long, or a folder has the
    /// name of a file.
    pub fn prepare<S: AsRef<str>>(target: &Path, names: &[S]) -> Result<Self> {
        if target.exists() && !target.is_dir() {
            return Err(Error::file("write into", target, "it is not a folder; choose another place"));
        }
        // Inside an existing folder, else in the nearest one above it that exists: the same file system.
        let parent = nearest(target);
        if !parent.is_dir() {
            return Err(Error::file(
                "create folder",
                target,
                format!("'{}' is not a folder", parent.display()),
            ));
        }
        let names: Vec<String> = names.iter().map(|name| name.as_ref().to_string()).collect();
        let longest = names.iter().max_by_key(|name| name.len()).map_or(SUMMARY, String::as_str);
        check_names("create folder", target, longest)?;
        let folder = |name: &&String| target.join(name).is_dir();
        if let Some(name) = names.iter().find(folder) {
            let cause = "it is a folder, and a result has this name; move it away or choose another place";
            return Err(Error::file("write", &target.join(name), cause));
        }
        // An earlier run may have worked beside a folder that is there now.
        staging::sweep(&parent_of(target));
        let staging = Staging::folder_in(&parent).map_err(|e| Error::io("write into", &parent, &e))?;
        check_names("write into", staging.path(), longest).map_err(|error| named(error, &parent))?;
        Ok(Self { target: target.to_path_buf(), staging, names })
    }

    /// The folder nearest to the results that exists already, on the same file system.
    pub fn place(&self) -> PathBuf {
        parent_of(self.staging.path())
    }

    /// The folder where files are for now.
    pub fn folder(&self) -> &Path {
        self.staging.path()
    }

    /// Where to write the file `name` for now.
    pub fn path(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Does `work`, which writes files; those that it cannot write are named by their place in the end.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn write<T>(&self, work: impl FnOnce(&Self) -> anyhow::Result<T>) -> anyhow::Result<T> {
        work(self).map_err(|error| match error.downcast::<Error>() {
            Ok(Error::File { action, path, cause }) => {
                let place = path.strip_prefix(self.folder()).map(|name| self.target.join(name));
                Error::File { action, path: place.unwrap_or(path), cause }.into()
            }
            Ok(other) => other.into(),
            Err(other) => other,
        })
    }

    /// True if the folder has all the files `marks`, which nobody else writes together.
    pub fn follows(&self, marks: &[&str]) -> bool {
        marks.iter().all(|mark| self.target.join(mark).is_file())
    }

    /// True if the folder has results of an earlier run: files that this one does not write are then stale, else somebody's own.
    pub fn follows_a_run(&self) -> bool {
        self.follows(&[SUMMARY])
    }

    /// Moves everything into place. Files of the same names are replaced; with `follows`, those that could have been written
    /// and were not are stale and removed. Any other file of the folder stays.
    ///
    /// # Errors
    /// [`Error::File`] if a file cannot be moved.
    pub fn commit(self, follows: bool) -> Result<()> {
        let left = |name: &&String| self.target.join(name).is_file() && !self.path(name).exists();
        if !follows && let Some(first) = self.names.iter().find(left) {
            let (folder, all) = (self.target.display(), self.names.iter().filter(left).count());
            let more = if all > 1 { format!(" and {} more", all - 1) } else { String::new() };
            eprintln!(
                "note: '{first}'{more} in '{folder}' was there before and stays; it is not of this command"
            );
        }
        let Self { target, staging, mut names } = self;
        names.retain(|_| follows);
        let (staging, _guards) = staging.into_parts();
        // A signal must not come between two files.
        Staged::hold(|| Self::move_in(staging, &target, &names))
    }

    fn move_in(staging: TempDir, target: &Path, stale: &[String]) -> Result<()> {
        if !target.is_dir() {
            let parent = parent_of(target);
            std::fs::create_dir_all(&parent).map_err(|e| Error::io("create folder", &parent, &e))?;
            let staged = staging.keep();
            permit(&staged);
            return std::fs::rename(&staged, target).map_err(|e| {
                // The work is lost anyway; do not leave its folder.
                let _ = std::fs::remove_dir_all(&staged);
                Error::io("create folder", target, &e)
            });
        }
        for name in stale.iter().map(String::as_str).chain([SUMMARY]) {
            match std::fs::remove_file(target.join(name)) {
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return Err(Error::io("replace", &target.join(name), &e));
                }
                _ => {}
            }
        }
        let listing = std::fs::read_dir(staging.path());
        let entries = listing.map_err(|e| Error::io("write into", target, &e))?;
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort_by_key(|name| (name == SUMMARY, name.clone()));
        for name in names {
            let to = target.join(&name);
            std::fs::rename(staging.path().join(&name), &to).map_err(|e| Error::io("write", &to, &e))?;
        }
        Ok(())
    }
}

/// `path`, or the nearest above it that exists.
fn nearest(path: &Path) -> PathBuf {
    let mut nearest = path.to_path_buf();
    while !nearest.exists() {
        nearest = parent_of(&nearest);
    }
    nearest
}

/// Refuses a folder or a file in it, `name`, whose path has a part that is too long, or is too long itself. What exists only
/// later cannot be asked for: its parts are looked for in the nearest folder that exists.
fn check_names(action: &'static str, folder: &Path, name: &str) -> Result<()> {
    let parent = nearest(folder);
    let missing = folder.strip_prefix(&parent).unwrap_or(folder);
    for path in missing.components().map(|part| parent.join(part)).chain([folder.join(name)]) {
        if path.symlink_metadata().is_err_and(|e| e.kind() == ErrorKind::InvalidFilename) {
            let cause = "a name of its path, or all of it, is too long for the system; choose shorter names";
            return Err(Error::file(action, folder, cause));
        }
    }
    Ok(())
}

fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Temporary folders are private; a result folder is as open as the user's other folders.
fn permit(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The parent's permissions stand in for the umask, which cannot be read without setting it.
        if let Ok(parent) = std::fs::metadata(parent_of(folder)) {
            let mode = parent.permissions().mode() & 0o777 | 0o700;
            let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Refuses early, for `action`, a file at `path` that could not be written after the run. Its folder must be there, or be
/// the result folder `results`, which a run makes.
///
/// # Errors
/// [`Error::File`] if `path` is a folder, or the folder it is to be in is missing or cannot be written.
pub fn check_file(action: &'static str, path: &Path, results: Option<&Path>) -> Result<()> {
    let path = &destination(action, path)?;
    let parent = parent_of(path);
    check_names(action, path, "")?;
    if parent.is_dir() {
        return tempfile::tempfile_in(&parent).map(|_| ()).map_err(|e| Error::io(action, path, &e));
    }
    if results.is_some_and(|results| same(&parent, results)) {
        return Ok(());
    }
    let cause = format!("'{}' is no folder; create it, or choose another place", parent.display());
    Err(Error::file(action, path, cause))
}

/// True if both name one place, as far as their names tell: `./a` is `a`.
pub fn same(a: &Path, b: &Path) -> bool {
    let named =
        |path: &'_ Path| -> PathBuf { path.components().filter(|part| *part != Component::CurDir).collect() };
    named(a) == named(b)
}

/// The file that writing to `path` means: where it is a link, the file that it leads to.
///
/// # Errors
/// [`Error::File`] if it is a folder, a device or a pipe, or a link that leads nowhere.
fn destination(action: &'static str, path: &Path) -> Result<PathBuf> {
    let found = match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            let target = path.canonicalize().map_err(|e| Error::io(action, path, &e))?;
            return destination(action, &target);
        }
        Ok(found) => found,
        // There will be one.
        Err(_) => return Ok(path.to_path_buf()),
    };
    if found.is_dir() {
        return Err(Error::file(action, path, "it is a folder; give the name of a file"));
    }
    // A file would take the place of a device or a pipe.
    if !found.is_file() {
        return Err(Error::file(action, path, "it is no regular file; give the name of a file"));
    }
    Ok(path.to_path_buf())
}

/// Writes a file by `work`: beside its place first, moved there when it is whole. A link stays and the file that it leads to
/// is replaced.
///
/// # Errors
/// [`Error::File`] if `path` is something else than a file, or cannot be written.
pub fn replace(
    action: &'static str,
    path: &Path,
    work: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<()> {
    let target = destination(action, path)?;
    let staged = Staging::file_in(&parent_of(&target)).map_err(|e| Error::io(action, path, &e))?;
    put(action, path, (staged, &target, Lasting::No), work)
}

/// The same for a file that is written again and again and has to outlive a power failure: its data are on the disk before its name
/// is, and what a killed program left beside it, `FILE.part`, is written over the next time.
///
/// # Errors
/// As [`replace`].
pub fn replace_for_good(
    action: &'static str,
    path: &Path,
    work: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(action, path, &e);
    let target = destination(action, path)?;
    let staged = Staging::file_at(&part_of(&target)).map_err(fail)?;
    put(action, path, (staged, &target, Lasting::Yes), work)
}

/// Where [`replace_for_good`] writes what is to be at `path`.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Whether data have to be on the disk before their name is.
#[derive(PartialEq)]
enum Lasting {
    Yes,
    No,
}

/// Writes `staged` by `work` and gives it the name `target`, which people know as `path`.
fn put(
    action: &'static str,
    path: &Path,
    (mut staged, target, lasting): (Staging<NamedTempFile>, &Path, Lasting),
    work: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(action, path, &e);
    let mut out = BufWriter::new(staged.as_file_mut());
    work(&mut out).and_then(|()| out.flush()).map_err(fail)?;
    drop(out);
    if lasting == Lasting::Yes {
        staged.as_file_mut().sync_all().map_err(fail)?;
    }
    let (staged, _guards) = staged.into_parts();
    Staged::hold(|| staged.persist(target)).map_err(|e| fail(e.error))?;
    Ok(())
}

/// The same for work that takes a path: it writes a file of that name in a folder beside the place.
///
/// # Errors
/// As [`replace`], and those of `work`, with `path` for its file.
pub fn replace_at(path: &Path, work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let target = destination("write", path)?;
    let fail = |e: std::io::Error| Error::io("write", path, &e);
    let folder = Staging::folder_in(&parent_of(&target)).map_err(fail)?;
    let staged = folder.path().join(target.file_name().unwrap_or_default());
    // Its place is what people know.
    work(&staged).map_err(|error| named(error, path))?;
    std::fs::rename(&staged, &target).map_err(fail)
}

/// `error` of a file with `path`, which people know, for its file.
fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::File { action, cause, .. } => Error::File { action, path: path.to_path_buf(), cause },
        other => other,
    }
}

/// Writes a PNG of grey (`channels` 1) or colour (3) samples.
///
/// # Errors
/// [`Error::File`] if the file cannot be written.
pub fn write_png(path: &Path, width: u32, height: u32, channels: u8, samples: &[u8]) -> Result<()> {
    let kind = if channels == 1 { image::ExtendedColorType::L8 } else { image::ExtendedColorType::Rgb8 };
    image::save_buffer_with_format(path, samples, width, height, kind, image::ImageFormat::Png)
        .map_err(|e| Error::file("write picture", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_dropped_output_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::prepare(&folder.path().join("out"), &["a"]).unwrap();
        std::fs::write(output.path("a"), "a").unwrap();
        drop(output);
        assert!(listing(folder.path()).is_empty());
    }

    #[test]
    fn own_files_are_replaced_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("new/out ü");
        for _ in 0..2 {
            let output = Output::prepare(&target, &["old", "a"]).unwrap();
            std::fs::write(output.path("a"), "a").unwrap();
            std::fs::write(output.path(SUMMARY), "{}").unwrap();
            output.commit(true).unwrap();
            assert_eq!(listing(&target), ["a", SUMMARY]);
        }
        std::fs::write(target.join("old"), "").unwrap();
        std::fs::write(target.join("theirs"), "").unwrap();
        let output = Output::prepare(&target, &["old", "a", "b"]).unwrap();
        assert!(output.follows_a_run());
        std::fs::write(output.path("b"), "b").unwrap();
        output.commit(true).unwrap();
        assert_eq!(listing(&target), ["b", "theirs"]);
        // Without a mark of an earlier run, even files of these names are somebody's own.
        std::fs::write(target.join("old"), "").unwrap();
        let output = Output::prepare(&target, &["old", "a", "b"]).unwrap();
        assert!(!output.follows_a_run());
        output.commit(false).unwrap();
        assert_eq!(listing(&target), ["b", "old", "theirs"]);
    }

    #[test]
    fn names_that_cannot_be_are_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |target: &Path, names: &[&str]| Output::prepare(target, names).unwrap_err().to_string();
        let long = "x".repeat(300);
        for target in [folder.path().join(&long), folder.path().join("new").join(&long)] {
            assert!(refused(&target, &["a"]).contains("too long for the system; choose shorter names"));
        }
        // Each name is short enough, the whole path is not.
        let deep = (0..25).fold(folder.path().to_path_buf(), |path, _| path.join("y".repeat(200)));
        assert!(refused(&deep, &["a"]).contains("too long for the system"));
        let report = check_file("write report", &folder.path().join(&long), None).unwrap_err().to_string();
        assert!(report.starts_with("failed to write report ") && report.contains("too long"), "{report}");
        let later = folder.path().join("results").join(&long);
        assert!(check_file("write report", &later, Some(&folder.path().join("results"))).is_err());
        std::fs::create_dir(folder.path().join("mode.npy")).unwrap();
        let text = refused(folder.path(), &["labels.npy", "mode.npy"]);
        assert!(text.contains("mode.npy': it is a folder, and a result has this name"), "{text}");
        assert_eq!(listing(folder.path()), ["mode.npy"]);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Output::prepare(file.path(), &["a"]).unwrap_err().to_string();
        assert!(error.ends_with("it is not a folder; choose another place"), "{error}");
        let error = Output::prepare(&file.path().join("out"), &["a"]).unwrap_err().to_string();
        assert!(error.ends_with("is not a folder"), "{error}");
    }

    #[test]
    fn a_file_for_good_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // What a killed program left.
        std::fs::write(folder.path().join("a.part"), "longer than the new content").unwrap();
        replace_for_good("write", &path, |out| out.write_all(b"first")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        let full = |out: &mut BufWriter<&mut File>| {
            out.write_all(b"half")?;
            Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
        };
        replace_for_good("write", &path, full).unwrap_err();
        assert_eq!(
            (std::fs::read(&path).unwrap().as_slice(), listing(folder.path())),
            (&b"first"[..], vec!["a".into()])
        );
    }

    #[test]
    fn places_of_files_are_refused_early() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, results| check_file("write report", path, results);
        check(&folder.path().join("a.html"), None).unwrap();
        check(Path::new("a.html"), None).unwrap();
        assert!(check(folder.path(), None).unwrap_err().to_string().contains("it is a folder"));
        let inside = folder.path().join("no/a.html");
        let missing = check(&inside, None).unwrap_err().to_string();
        assert!(missing.contains("no' is no folder"), "{missing}");
        check(&inside, Some(&folder.path().join("no/"))).unwrap();
    }
}
