//! Ctrl-C and SIGTERM (docs/runs.md): the first asks a run to stop and leave what it has, the second ends the program at once;
//! nothing is left half-written in either case.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Exit code after Ctrl-C: 128 + SIGINT.
pub const CTRL_C: u8 = 130;

/// Whether a run that ended so was stopped by SIGINT or SIGTERM: with 128 + the signal, or by the signal itself before it listened.
pub fn was_stopped(status: std::process::ExitStatus) -> bool {
    const TERM: i32 = 15;
    let signals = [i32::from(CTRL_C) - 128, TERM];
    #[cfg(unix)]
    let by_signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let by_signal = None;
    by_signal.or(status.code().map(|code| code - 128)).is_some_and(|signal| signals.contains(&signal))
}

/// Number of the first signal; 0 before it.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Nothing can be saved yet: the first signal ends the program, too.
const EARLY: i32 = -1;

/// The last run has ended and its results are being written: there is nothing left to stop.
const LATE: i32 = -2;
/// The same, and a signal has been heard since.
const LATE_HEARD: i32 = -3;

/// This less the signal: it was obeyed, and what it asked to keep is being made.
const OBEYED: i32 = -1000;

/// Files and folders that are not in place yet.
static STAGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// When a signal that ends the program at once comes, as long as there is nothing to keep.
static MOMENT: Mutex<Option<String>> = Mutex::new(None);

/// What is said of work that was stopped at a `moment` (`after run 1 of 3`) at which there are no results.
pub fn nothing(moment: &str) -> String {
    format!("stopped {moment}, so there are no results to keep")
}

/// From now on, and until [`run_begins`], a signal ends the program at once: nothing can be kept `moment`. Whether a stop was asked for stays.
pub fn nothing_yet(moment: String) {
    *MOMENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
    let _ = SIGNAL.compare_exchange(0, EARLY, Ordering::SeqCst, Ordering::SeqCst);
}

/// Starts listening, once; until [`run_begins`] a signal ends the program at once. Where the system refuses, signals do what
/// they always do.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        SIGNAL.store(EARLY, Ordering::SeqCst);
        if let Err(error) = spawn_listener() {
            eprintln!("note: Ctrl-C will not keep partial results ({error})");
        }
    });
}

#[cfg(unix)]
fn spawn_listener() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || signals.forever().for_each(hear))?;
    Ok(())
}

#[cfg(not(unix))]
fn spawn_listener() -> std::io::Result<()> {
    const SIGINT: i32 = 2;
    ctrlc::set_handler(|| hear(SIGINT)).map_err(std::io::Error::other)
}

fn hear(signal: i32) {
    if let Some(answer) = answer(&SIGNAL, signal) {
        // A stderr that is gone must not end this thread.
        let _ = writeln!(std::io::stderr(), "{answer}; once more ends at once and keeps nothing");
        return;
    }
    if SIGNAL.load(Ordering::SeqCst) == EARLY {
        let moment = MOMENT.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = nothing(moment.as_deref().unwrap_or("before the first run began"));
        let _ = writeln!(std::io::stderr(), "error: interrupted: {moment}");
    }
    // Whoever moves files into place holds the lock until all are there.
    for path in lock().drain(..) {
        // Best effort on the way out; there is nobody to tell.
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
    }
    std::process::exit(128 + signal);
}

/// What is said to a signal that the program outlives; none ends it.
fn answer(state: &AtomicI32, signal: i32) -> Option<&'static str> {
    let swap = |from, to| state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    if swap(0, signal) {
        Some("stopping")
    } else if swap(LATE, LATE_HEARD) {
        Some("the run has ended, and its results are being written")
    } else {
        None
    }
}

/// From now on there is nothing to stop, only results to write; whether a stop was asked for stays.
pub fn run_ended() {
    let _ = SIGNAL.compare_exchange(0, LATE, Ordering::SeqCst, Ordering::SeqCst);
}

/// From now on the first signal asks to stop.
pub fn run_begins() {
    let _ = SIGNAL.compare_exchange(EARLY, 0, Ordering::SeqCst, Ordering::SeqCst);
}

/// True once a signal has asked to stop.
pub fn stop_asked() -> bool {
    SIGNAL.load(Ordering::SeqCst) > 0
}

/// The work that was asked to stop has; what remains to be done for its results does not stop again. The next signal ends the program.
pub fn obeyed() {
    let signal = SIGNAL.load(Ordering::SeqCst);
    if signal > 0 {
        let _ = SIGNAL.compare_exchange(signal, OBEYED - signal, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// 128 + the number of the signal that asked to stop; [`CTRL_C`] if none did.
pub fn exit_code() -> u8 {
    let state = SIGNAL.load(Ordering::SeqCst);
    match if state < OBEYED { OBEYED - state } else { state } {
        signal @ 1..=127 => 128 + signal as u8,
        _ => CTRL_C,
    }
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something on the way to its place; if a signal ends the program before this is dropped, it is removed.
#[derive(Debug)]
pub struct Staged(PathBuf);

impl Staged {
    /// Registers a file or folder.
    pub fn new(path: &Path) -> Self {
        lock().push(path.to_path_buf());
        Self(path.to_path_buf())
    }

    /// Does `work`, which moves things into place: a signal waits until it is done.
    pub fn hold<T>(work: impl FnOnce() -> T) -> T {
        let _lock = lock();
        work()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        let mut staged = lock();
        if let Some(at) = staged.iter().position(|path| *path == self.0) {
            staged.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_obeyed_stops_nothing_more_and_keeps_its_code() {
        // Nothing else in these tests touches the state of the process.
        SIGNAL.store(15, Ordering::SeqCst);
        obeyed();
        assert!(!stop_asked());
        assert_eq!((exit_code(), answer(&SIGNAL, 2)), (143, None), "the next one ends the program");
        run_ended();
        assert_eq!(exit_code(), 143);
        SIGNAL.store(0, Ordering::SeqCst);
        nothing_yet("after run 1 of 2 (other view)".to_string());
        assert_eq!((SIGNAL.load(Ordering::SeqCst), exit_code()), (EARLY, CTRL_C));
        run_begins();
        assert_eq!(SIGNAL.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_signal_is_told_what_it_does() {
        let state = AtomicI32::new(EARLY);
        assert_eq!(answer(&state, 2), None);
        state.store(0, Ordering::SeqCst);
        assert_eq!(answer(&state, 15), Some("stopping"));
        assert_eq!((answer(&state, 15), state.load(Ordering::SeqCst)), (None, 15));
        state.store(LATE, Ordering::SeqCst);
        assert_eq!(answer(&state, 15), Some("the run has ended, and its results are being written"));
        assert!(state.load(Ordering::SeqCst) < 0, "it must not make the results partial");
        assert_eq!(answer(&state, 15), None);
    }
}
