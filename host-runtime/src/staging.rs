//! Work on the way to its place: hidden files and folders beside it, so that nothing half-written is ever in its place.
//!
//! Each is locked while its process lives. A process that is killed cannot remove its own; the next one that works in the same
//! folder does, and knows by the lock that nobody uses it. File systems without locks keep such leftovers.

use crate::interrupt::Staged;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Result};
use std::path::Path;
use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

const PREFIX: &str = ".spa-";
/// Letters and digits after the prefix, at random.
const RANDOM: usize = 6;

/// A file or folder in the making; dropping it removes it.
#[derive(Debug)]
pub struct Staging<T> {
    // The order matters: what is dropped first is removed under the lock.
    work: T,
    lock: Option<File>,
    /// Removes it where a signal ends the program.
    staged: Staged,
}

impl Staging<TempDir> {
    /// A folder in `parent`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn folder_in(parent: &Path) -> Result<Self> {
        locked(parent, || builder().tempdir_in(parent), TempDir::path)
    }

    /// Where it is for now.
    pub fn path(&self) -> &Path {
        self.work.path()
    }
}

impl Staging<NamedTempFile> {
    /// A file in `parent`, as open as people's other files.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn file_in(parent: &Path) -> Result<Self> {
        locked(parent, || open_to_all(&mut builder()).tempfile_in(parent), NamedTempFile::path)
    }

    /// The file `path` itself; what a killed process left there is written over.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn file_at(path: &Path) -> Result<Self> {
        let staged = Staged::new(path);
        let work = NamedTempFile::from_parts(File::create(path)?, TempPath::try_from_path(path)?);
        Ok(Self { work, lock: None, staged })
    }

    /// To write to.
    pub fn as_file_mut(&mut self) -> &mut File {
        self.work.as_file_mut()
    }
}

impl<T> Staging<T> {
    /// Gives the work away, with what guards it until it is in its place.
    pub fn into_parts(self) -> (T, impl Sized) {
        (self.work, (self.lock, self.staged))
    }
}

/// Makes something new in `parent` and locks it, after what killed processes left there is gone.
fn locked<T>(parent: &Path, make: impl Fn() -> Result<T>, path: fn(&T) -> &Path) -> Result<Staging<T>> {
    sweep(parent);
    loop {
        let work = make()?;
        // Between its creation and the lock another process may take it for a leftover: then there is a next one.
        let lock = match File::open(path(&work)) {
            Ok(file) => match file.try_lock() {
                Ok(()) => Some(file),
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(_)) => None,
            },
            Err(e) if e.kind() == ErrorKind::NotFound => continue,
            Err(_) => None,
        };
        if path(&work).exists() {
            let staged = Staged::new(path(&work));
            return Ok(Staging { work, lock, staged });
        }
    }
}

/// Removes what killed processes left in `parent`; what cannot be removed or is in use stays.
pub fn sweep(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let ours = |rest: &str| rest.len() == RANDOM && rest.bytes().all(|b| b.is_ascii_alphanumeric());
        if !rest.is_some_and(ours) {
            continue;
        }
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let Ok(file) = File::open(&path) else { continue };
        if kind.is_symlink() || file.try_lock().is_err() {
            continue;
        }
        let removed =
            if kind.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        if removed.is_ok() {
            eprintln!("note: removed '{}', which a run that was killed had left behind", path.display());
        }
    }
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM);
    builder
}

/// Temporary files are private; those that stay are as open as other files.
fn open_to_all<'a, 'b>(builder: &'a mut Builder<'b, 'b>) -> &'a mut Builder<'b, 'b> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What the umask takes away from this is what people want taken away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn leftovers_go_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at(".spa-killed")).unwrap();
        std::fs::write(at(".spa-killed/part"), "").unwrap();
        std::fs::write(at(".spa-Klld01"), "").unwrap();
        // Names that this program does not make.
        let theirs = [".spa-notes.txt", ".spa-", ".spa-killed2", "spa-killed"];
        theirs.iter().for_each(|name| std::fs::write(at(name), "").unwrap());
        std::os::unix::fs::symlink(at("spa-killed"), at(".spa-linked")).unwrap();
        let used = Staging::folder_in(folder.path()).unwrap();
        let file = Staging::file_in(folder.path()).unwrap();
        let again = Staging::folder_in(folder.path()).unwrap();
        assert!(used.path().is_dir() && file.work.path().is_file() && again.path().is_dir());
        assert!(!at(".spa-killed").exists() && !at(".spa-Klld01").exists());
        assert!(theirs.iter().chain(&[".spa-linked"]).all(|name| at(name).exists()));
        let paths = [used.path(), file.work.path(), again.path()].map(Path::to_path_buf);
        drop((used, file, again));
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
