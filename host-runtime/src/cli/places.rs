//! Where results go: no two of them to one place, none over what is read.

use crate::error::Error;
use crate::options::RunOptions;
use crate::output::same;
use crate::results::every_file;
use std::path::Path;

/// Files that are written one by one, with their options.
fn single(options: &RunOptions) -> impl Iterator<Item = (&'static str, &Path)> {
    let given = [
        ("--report", &options.report),
        ("--keep-log", &options.keep_log),
        ("--checkpoint", &options.checkpoint),
    ];
    given.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)))
}

/// Refuses one place for two results: a file where the folder of the results is to be, two files of one name, or the name of a file that
/// a run may write into that folder.
///
/// # Errors
/// [`Error::Usage`] names both.
pub fn refuse_same(options: &RunOptions) -> Result<(), Error> {
    let folder = options.output.as_deref();
    let given: Vec<(&str, &Path)> =
        folder.map(|folder| ("-o", folder)).into_iter().chain(single(options)).collect();
    for (n, (name, path)) in given.iter().enumerate() {
        if let Some((other, _)) = given[..n].iter().find(|(_, other)| same(other, path)) {
            return Err(Error::usage(format!(
                "{name} and {other} are both '{}'; give {name} a file of its own",
                path.display()
            )));
        }
    }
    let Some(folder) = folder else { return Ok(()) };
    let taken = every_file();
    for (name, path) in single(options) {
        let inside = path.parent().is_some_and(|parent| is_folder(parent, folder));
        if inside && path.file_name().is_some_and(|file| taken.iter().any(|taken| file == taken.as_str())) {
            return Err(Error::usage(format!(
                "{name} is '{}', which is the name of a result in -o; give {name} another name",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Whether two names are of one folder, which need not be there.
fn is_folder(a: &Path, b: &Path) -> bool {
    let there = |path: &Path| {
        if path.as_os_str().is_empty() { Path::new(".").canonicalize() } else { path.canonicalize() }
    };
    same(a, b) || matches!((there(a), there(b)), (Ok(a), Ok(b)) if a == b)
}

/// Refuses to write over a file that is read: one of `inputs`, or one that an option names. A checkpoint may take the place of the one
/// that was resumed, and labels that of the start.
///
/// # Errors
/// [`Error::Usage`] names the file.
pub fn protect(options: &RunOptions, inputs: &[&Path]) -> Result<(), Error> {
    let application = &options.application;
    let named = [
        &options.costs,
        &options.pair_table,
        &options.edge_weights,
        &options.fixed,
        &options.schedule,
        &application.scribbles,
        &application.mask,
    ];
    let read: Vec<&Path> =
        inputs.iter().copied().chain(named.into_iter().filter_map(|path| path.as_deref())).collect();
    let (start, resume) = (options.start.as_deref(), options.resume.as_deref());
    for (name, written) in single(options) {
        let resume = resume.filter(|_| name != "--checkpoint");
        refuse_over(written, read.iter().copied().chain(start).chain(resume))?;
    }
    if let Some(folder) = &options.output {
        for name in every_file() {
            refuse_over(&folder.join(name), read.iter().copied().chain(resume))?;
        }
    }
    Ok(())
}

/// Refuses to write `written` where that is one of `read`.
///
/// # Errors
/// [`Error::Usage`] names the file.
pub fn refuse_over<'a>(written: &Path, mut read: impl Iterator<Item = &'a Path>) -> Result<(), Error> {
    // A file that is not there is not read.
    let Ok(place) = written.canonicalize() else { return Ok(()) };
    match read.find(|read| read.canonicalize().is_ok_and(|read| read == place)) {
        Some(read) => Err(Error::usage(format!(
            "'{}' is read and would be written over; choose another place for the results",
            read.display()
        ))),
        None => Ok(()),
    }
}
