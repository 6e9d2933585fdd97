//! What must be taken down again: a list of undoings that each run once, whether their owner is dropped or a signal ends the
//! process.
//!
//! A command's signal handler calls [`take_down_all`] before it exits. After SIGKILL nothing runs; so the rig unlinks its
//! images and lets its loop devices go with the last user, and a mount is all that may remain.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

type Undoing = Box<dyn FnOnce() + Send>;

/// All that is pending in this process, in order of registration.
static PENDING: Mutex<Vec<(u64, Undoing)>> = Mutex::new(Vec::new());

/// Undoings that their owners' threads are at right now. Raised and looked at under the list's lock.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Something that is set up and will be taken down when this is dropped.
#[derive(Debug)]
#[must_use = "what it guards is taken down when it is dropped"]
pub struct Undo {
    number: u64,
}

impl Undo {
    /// Registers how to take something down. It runs once: when the guard is dropped, or in [`take_down_all`].
    ///
    /// It must not register or drop guards itself, and must not panic.
    ///
    /// ```
    /// use petrio_live::undo::Undo;
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let guard = Undo::new(move || tell.send("down").unwrap_or_default());
    /// assert!(told.try_recv().is_err());
    /// drop(guard);
    /// assert_eq!(told.try_recv(), Ok("down"));
    /// ```
    pub fn new(undo: impl FnOnce() + Send + 'static) -> Self {
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = pending.last().map_or(0, |(last, _)| last + 1);
        pending.push((number, Box::new(undo)));
        Self { number }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let undo = {
            let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
            let position = pending.iter().position(|(number, _)| *number == self.number);
            let undo = position.map(|position| pending.remove(position).1);
            AT_WORK.fetch_add(usize::from(undo.is_some()), Ordering::SeqCst);
            undo
        };
        if let Some(undo) = undo {
            undo();
            AT_WORK.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Takes everything down, the latest first. For the handler of SIGINT and SIGTERM, right before the process exits: whatever is
/// still at work finds its file system gone. What an owner's thread is taking down already is waited for, up to ten seconds.
pub fn take_down_all() {
    loop {
        let last = PENDING.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match last {
            Some((_, undo)) => undo(),
            None => break,
        }
    }
    for _ in 0..1_000 {
        if AT_WORK.load(Ordering::SeqCst) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
