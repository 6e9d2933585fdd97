//! Work that takes long: without Python's lock, and ended by Ctrl-C.

use crate::policy::Own;
use petrio_kernel::Watch;
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// So often it is looked whether somebody wants it to end.
const LOOK: Duration = Duration::from_millis(50);
/// As much as a program's own first thread has.
const STACK_BYTES: usize = 8 << 20;

/// Works on a thread of its own while others run Python. Where Python was told to stop (Ctrl-C), `watch` is told, and what Python raises
/// is the answer, once the work has ended.
pub(crate) fn waited<T: Send>(py: Python<'_>, watch: &Watch, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    waited_with(py, watch, &Own::default(), work)
}

/// As [`waited`], where Python decides in it, too: what that does when it is to end is interrupted.
pub(crate) fn waited_with<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    own: &Own,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (tell, told) = channel();
            let thread =
                std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || {
                    let outcome = work();
                    // Whoever waits may have given up.
                    let _ = tell.send(());
                    outcome
                })?;
            let mut stopped = None;
            while told.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if stopped.is_none() {
                    stopped = raised_by_signals();
                    if stopped.is_some() {
                        watch.stop();
                    }
                }
                if stopped.is_some() {
                    Python::attach(|py| own.interrupt(py));
                }
            }
            let outcome = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            stopped.map_or(Ok(outcome), Err)
        })
    })
}

/// What Python raises for the signals that came meanwhile.
fn raised_by_signals() -> Option<PyErr> {
    Python::attach(|py| {
        let checked = py.check_signals();
        checked.err()
    })
}
