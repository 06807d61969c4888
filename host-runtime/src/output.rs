//! The result folder: everything is written beside it first and moved in at the end, so an error leaves nothing behind.

use crate::error::{Error, Result};
use crate::interrupt::Staged;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Name of the summary; written last, so a folder with a summary is whole.
pub const SUMMARY: &str = "summary.json";

/// A result folder in the making.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    staging: TempDir,
    /// Removes the staging folder where a signal ends the program.
    _staged: Staged,
}

impl Output {
    /// Prepares to write into `target`, which need not exist; refuses early what could not be written later.
    ///
    /// # Errors
    /// [`Error::File`] if `target` is no folder, or it or its parent cannot be written.
    pub fn prepare(target: &Path) -> Result<Self> {
        if target.exists() && !target.is_dir() {
            return Err(Error::file("write into", target, "it is not a folder"));
        }
        // Inside an existing folder, else in the nearest one above it that exists: the same file system.
        let mut parent = target.to_path_buf();
        while !parent.exists() {
            parent = parent_of(&parent);
        }
        if !parent.is_dir() {
            return Err(Error::file(
                "create folder",
                target,
                format!("'{}' is not a folder", parent.display()),
            ));
        }
        let staging = tempfile::Builder::new()
            .prefix(".spa-")
            .tempdir_in(&parent)
            .map_err(|e| Error::io("write into", &parent, &e))?;
        let staged = Staged::new(staging.path());
        Ok(Self { target: target.to_path_buf(), staging, _staged: staged })
    }

    /// The folder where files are for now.
    pub fn folder(&self) -> &Path {
        self.staging.path()
    }

    /// Where to write the file `name` for now.
    pub fn path(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// True if the folder has results of an earlier run: files that this one does not write are then stale, else somebody's own.
    pub fn follows_a_run(&self) -> bool {
        self.target.join(SUMMARY).is_file()
    }

    /// Moves everything into place. Files of the same names are replaced and those named in `stale` removed; any other
    /// file of the folder stays.
    ///
    /// # Errors
    /// [`Error::File`] if a file cannot be moved.
    pub fn commit(self, stale: &[&str]) -> Result<()> {
        // A signal must not come between two files.
        let Self { target, staging, _staged } = self;
        Staged::hold(|| Self::move_in(staging, &target, stale))
    }

    fn move_in(staging: TempDir, target: &Path, stale: &[&str]) -> Result<()> {
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
        for name in stale.iter().chain([&SUMMARY]) {
            match std::fs::remove_file(target.join(name)) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("replace", &target.join(name), &e));
                }
                _ => {}
            }
        }
        let listing = std::fs::read_dir(staging.path());
        let entries = listing.map_err(|e| Error::io("read", staging.path(), &e))?;
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort_by_key(|name| (name == SUMMARY, name.clone()));
        for name in names {
            let to = target.join(&name);
            std::fs::rename(staging.path().join(&name), &to).map_err(|e| Error::io("write", &to, &e))?;
        }
        Ok(())
    }
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
    if parent.is_dir() {
        return tempfile::tempfile_in(&parent).map(|_| ()).map_err(|e| Error::io(action, path, &e));
    }
    if results.is_some_and(|results| parent.components().eq(results.components())) {
        return Ok(());
    }
    let cause = format!("'{}' is no folder; create it, or choose another place", parent.display());
    Err(Error::file(action, path, cause))
}

/// The file that writing to `path` means: where it is a link, the file that it leads to.
///
/// # Errors
/// [`Error::File`] if it is a folder, a device or a pipe, or a link that leads nowhere.
pub fn destination(action: &'static str, path: &Path) -> Result<PathBuf> {
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
    let fail = |e: std::io::Error| Error::io(action, path, &e);
    let target = destination(action, path)?;
    let mut staged = open_to_all(tempfile::Builder::new().prefix(".spa-"))
        .tempfile_in(parent_of(&target))
        .map_err(fail)?;
    let _staged = Staged::new(staged.path());
    let mut out = BufWriter::new(staged.as_file_mut());
    work(&mut out).and_then(|()| out.flush()).map_err(fail)?;
    drop(out);
    staged.persist(&target).map_err(|e| fail(e.error))?;
    Ok(())
}

/// The same for work that takes a path: it writes a file of that name in a folder beside the place.
///
/// # Errors
/// As [`replace`], and those of `work`, with `path` for its file.
pub fn replace_at(path: &Path, work: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let target = destination("write", path)?;
    let fail = |e: std::io::Error| Error::io("write", path, &e);
    let folder = tempfile::Builder::new().prefix(".spa-").tempdir_in(parent_of(&target)).map_err(fail)?;
    let _staged = Staged::new(folder.path());
    let staged = folder.path().join(target.file_name().unwrap_or_default());
    // Its place is what people know.
    work(&staged).map_err(|error| match error {
        Error::File { action, cause, .. } => Error::File { action, path: path.to_path_buf(), cause },
        other => other,
    })?;
    std::fs::rename(&staged, &target).map_err(fail)
}

/// Temporary files are private; those that stay are as open as other files.
fn open_to_all<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask takes away from this is what people want taken away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
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
        let output = Output::prepare(&folder.path().join("out")).unwrap();
        std::fs::write(output.path("a"), "a").unwrap();
        drop(output);
        assert!(listing(folder.path()).is_empty());
    }

    #[test]
    fn own_files_are_replaced_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("new/out ü");
        for _ in 0..2 {
            let output = Output::prepare(&target).unwrap();
            std::fs::write(output.path("a"), "a").unwrap();
            std::fs::write(output.path(SUMMARY), "{}").unwrap();
            output.commit(&["old"]).unwrap();
            assert_eq!(listing(&target), ["a", SUMMARY]);
        }
        std::fs::write(target.join("old"), "").unwrap();
        std::fs::write(target.join("theirs"), "").unwrap();
        let output = Output::prepare(&target).unwrap();
        std::fs::write(output.path("b"), "b").unwrap();
        output.commit(&["old", "a"]).unwrap();
        assert_eq!(listing(&target), ["b", "theirs"]);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Output::prepare(file.path()).unwrap_err().to_string();
        assert!(error.ends_with("it is not a folder"), "{error}");
        let error = Output::prepare(&file.path().join("out")).unwrap_err().to_string();
        assert!(error.ends_with("is not a folder"), "{error}");
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
