//! Writes a rendered build into its folder, so that a failed run leaves the old build as it was.
//!
//! Everything is written into a temporary sibling first. Only then are files swapped in, each by a rename, with a way
//! back until the last one is in place. Only files that the old manifest owns and that are unchanged are overwritten
//! or removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use spa_model::hash::sha256_hex;

use crate::emit::Files;
use crate::error::Error;
use crate::manifest::{MANIFEST, Manifest};

/// What a run changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Files written anew or with other contents.
    pub changed: Vec<String>,
    /// Files that were already as they should be.
    pub unchanged: usize,
    /// Files that no longer belong to the build and were removed.
    pub removed: Vec<String>,
}

/// Writes `files` (with a manifest among them) into `folder`.
///
/// # Errors
/// [`Error::Foreign`] if a file that spagen must write or remove was edited, or belongs to somebody else, unless
/// `force`; [`Error::Io`] if writing fails. In both cases the folder is as before.
pub fn write(folder: &Path, files: &Files, force: bool) -> Result<Written, Error> {
    let plan = Plan::new(folder, files, force)?;
    if plan.is_empty() {
        return Ok(plan.written);
    }
    let (parent, name) = place(folder)?;
    fs::create_dir_all(&parent).map_err(|error| Error::io("create folder", &parent, &error))?;
    let staging = Staging::new(&parent, &name)?;
    for path in &plan.written.changed {
        let target = staging.new.join(path);
        make_parent(&target)?;
        fs::write(&target, &files[path]).map_err(|error| Error::io("write", &target, &error))?;
    }
    let mut swap = Swap { folder, staging: &staging, done: Vec::new(), made: Vec::new() };
    match swap.all(&plan.written) {
        Ok(()) => {
            remove_empty(folder, &plan.written.removed);
            Ok(plan.written)
        }
        Err(error) => {
            swap.back();
            Err(error)
        }
    }
}

/// What must be done.
struct Plan {
    written: Written,
}

impl Plan {
    fn new(folder: &Path, files: &Files, force: bool) -> Result<Self, Error> {
        if folder.exists() && !folder.is_dir() {
            return Err(Error::Io {
                action: "write build",
                path: folder.to_owned(),
                cause: "it is not a folder; name another with -o".to_owned(),
            });
        }
        let owned = owned(folder, force)?;
        let mut written = Written::default();
        let (mut edited, mut foreign) = (Vec::new(), Vec::new());
        let paths: BTreeSet<&String> = files.keys().chain(owned.keys()).collect();
        for path in paths {
            let current = read(&folder.join(path))?;
            let wanted = files.get(path);
            let Some(current) = current else {
                if wanted.is_some() {
                    written.changed.push(path.clone());
                }
                continue;
            };
            if wanted.is_some_and(|wanted| wanted.as_bytes() == current) {
                written.unchanged += 1;
                continue;
            }
            match owned.get(path) {
                Some(hash) if *hash == sha256_hex(&current) => {}
                Some(_) => edited.push(path.clone()),
                None => foreign.push(path.clone()),
            }
            match wanted {
                Some(_) => written.changed.push(path.clone()),
                None => written.removed.push(path.clone()),
            }
        }
        if !(force || edited.is_empty() && foreign.is_empty()) {
            return Err(Error::Foreign { folder: folder.to_owned(), edited, foreign });
        }
        // The manifest goes last: until then the old one describes the folder.
        written.changed.sort_by_key(|path| (path == MANIFEST, path.clone()));
        Ok(Self { written })
    }

    fn is_empty(&self) -> bool {
        self.written.changed.is_empty() && self.written.removed.is_empty()
    }
}

/// Files of the old manifest with their hashes. The manifest owns itself: what it says of the others protects them.
fn owned(folder: &Path, force: bool) -> Result<BTreeMap<String, String>, Error> {
    let path = folder.join(MANIFEST);
    let Some(bytes) = read(&path)? else { return Ok(BTreeMap::new()) };
    let text = String::from_utf8_lossy(&bytes);
    match Manifest::parse(&text) {
        Ok(manifest) => {
            let mut files = manifest.files;
            files.insert(MANIFEST.to_owned(), sha256_hex(&bytes));
            Ok(files)
        }
        // Without a manifest nothing is owned, so nothing is pruned.
        Err(_) if force => Ok(BTreeMap::new()),
        Err(cause) => Err(Error::Io {
            action: "write build",
            path: folder.to_owned(),
            cause: format!(
                "its manifest.toml is damaged ({cause}); remove the folder, or overwrite it with --force"
            ),
        }),
    }
}

/// Contents of a file, `None` if there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Error::io("read", path, &error)),
    }
}

/// Parent folder and name of the output folder, also of `.` and `..`.
fn place(folder: &Path) -> Result<(PathBuf, String), Error> {
    let absolute = if folder.exists() { folder.canonicalize() } else { std::path::absolute(folder) };
    let absolute = absolute.map_err(|error| Error::io("find", folder, &error))?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(parent), Some(name)) => Ok((parent.to_owned(), name.to_string_lossy().into_owned())),
        _ => Err(Error::Io {
            action: "write build",
            path: folder.to_owned(),
            cause: "it has no parent folder; name another with -o".to_owned(),
        }),
    }
}

fn make_parent(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(parent) => {
            fs::create_dir_all(parent).map_err(|error| Error::io("create folder", parent, &error))
        }
        None => Ok(()),
    }
}

/// Temporary folder beside the output folder (same file system), removed when dropped.
struct Staging {
    root: PathBuf,
    new: PathBuf,
    old: PathBuf,
}

impl Staging {
    fn new(parent: &Path, name: &str) -> Result<Self, Error> {
        let mut attempt = 0;
        loop {
            let root = parent.join(format!(".{name}.spagen-{}-{attempt}", std::process::id()));
            match fs::create_dir(&root) {
                Ok(()) => {
                    return Ok(Self { new: root.join("new"), old: root.join("old"), root });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
                Err(error) => return Err(Error::io("write build", parent.join(name), &error)),
            }
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Nothing is left to do if the temporary folder cannot be removed.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Swaps files in, remembering the way back.
struct Swap<'a> {
    folder: &'a Path,
    staging: &'a Staging,
    /// Paths handled, and whether the old file was kept in the staging folder and a new one put in place.
    done: Vec<(String, bool, bool)>,
    /// Folders that were made.
    made: Vec<PathBuf>,
}

impl Swap<'_> {
    fn all(&mut self, written: &Written) -> Result<(), Error> {
        self.folder_of(self.folder)?;
        for path in &written.removed {
            self.one(path, false)?;
        }
        for path in &written.changed {
            self.one(path, true)?;
        }
        Ok(())
    }

    fn one(&mut self, path: &str, replace: bool) -> Result<(), Error> {
        let target = self.folder.join(path);
        let kept = target.symlink_metadata().is_ok();
        if kept {
            let old = self.staging.old.join(path);
            make_parent(&old)?;
            fs::rename(&target, &old).map_err(|error| Error::io("replace", &target, &error))?;
            self.done.push((path.to_owned(), true, false));
        } else {
            self.done.push((path.to_owned(), false, false));
        }
        if replace {
            if let Some(parent) = target.parent() {
                self.folder_of(parent)?;
            }
            fs::rename(self.staging.new.join(path), &target)
                .map_err(|error| Error::io("write", &target, &error))?;
            if let Some(last) = self.done.last_mut() {
                last.2 = true;
            }
        }
        Ok(())
    }

    /// Makes a folder and its parents, remembering those that are new.
    fn folder_of(&mut self, folder: &Path) -> Result<(), Error> {
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
            .map(Path::to_owned)
            .collect();
        for path in missing.into_iter().rev() {
            fs::create_dir(&path).map_err(|error| Error::io("create folder", &path, &error))?;
            self.made.push(path);
        }
        Ok(())
    }

    /// Undoes what was done, as far as the file system lets us.
    fn back(&mut self) {
        for (path, kept, placed) in self.done.drain(..).rev() {
            let target = self.folder.join(&path);
            if placed {
                let _ = fs::remove_file(&target);
            }
            if kept {
                let _ = fs::rename(self.staging.old.join(&path), &target);
            }
        }
        for path in self.made.drain(..).rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

/// Removes folders that pruning left empty.
fn remove_empty(folder: &Path, removed: &[String]) {
    for path in removed {
        for parent in Path::new(path).ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
            // Fails if something is left in it, and then it must stay.
            let _ = fs::remove_dir(folder.join(parent));
        }
    }
}
