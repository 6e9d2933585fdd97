//! A capture is asked to end, by a signal's handler.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a capture runs, and whether it is to end now.
static RUNNING: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicBool = AtomicBool::new(false);

/// For a signal's handler: ends a running capture, which then completes its trace. False where none runs, or where it
/// was told already.
pub fn interrupt() -> bool {
    RUNNING.load(Ordering::SeqCst) && !ENDING.swap(true, Ordering::SeqCst)
}

/// Whether somebody wants it to end.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// While this runs, [`interrupt`] asks it to end instead of ending the process.
pub(crate) fn while_running<T>(run: impl FnOnce() -> T) -> T {
    ENDING.store(false, Ordering::SeqCst);
    RUNNING.store(true, Ordering::SeqCst);
    let result = run();
    RUNNING.store(false, Ordering::SeqCst);
    result
}
