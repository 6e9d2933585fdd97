//! What must be taken down again: a list of undoings that each run once, whether their owner is dropped or a signal
//! ends the process.
//!
//! A command's signal handler calls [`take_down_all`] before it exits. After SIGKILL nothing runs; so what would
//! outlive the process is written down before it is made ([`Undo::recorded`]), and the next start clears it by its
//! record ([`petrio_files::under_way`]).
//!
//! ```text
//!  write down ─▶ make ─▶ register ─▶ … ─▶ undo ─▶ strike out
//!               └─ with no signal's handler in between: it waits, or what would be made waits for the end
//! ```

use petrio_files::under_way;
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

type Undoing = Box<dyn FnOnce() + Send>;

/// All that is pending in this process, in order of registration.
static PENDING: Mutex<Vec<(u64, Undoing)>> = Mutex::new(Vec::new());

/// Undoings that their owners' threads are at right now. Raised and looked at under the list's lock.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// What is being made, and whether nothing more is to be made.
static GATE: Mutex<Gate> = Mutex::new(Gate { makers: 0, is_closed: false });
static GATE_CHANGED: Condvar = Condvar::new();

/// How long a handler waits for whoever is making or taking down something.
const PATIENCE: Duration = Duration::from_secs(10);

struct Gate {
    makers: usize,
    is_closed: bool,
}

/// A thread that is making something; a handler waits for it.
struct Maker;

thread_local! {
    /// What is made in the course of making something else needs no entrance of its own.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

impl Maker {
    /// Waits for ever where everything is being taken down.
    fn enter() -> Self {
        if DEPTH.get() == 0 {
            let mut gate = GATE.lock().unwrap_or_else(PoisonError::into_inner);
            while gate.is_closed {
                gate = GATE_CHANGED.wait(gate).unwrap_or_else(PoisonError::into_inner);
            }
            gate.makers += 1;
        }
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if DEPTH.get() == 0 {
            GATE.lock().unwrap_or_else(PoisonError::into_inner).makers -= 1;
            GATE_CHANGED.notify_all();
        }
    }
}

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
    /// use petrio_capture::undo::Undo;
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let guard = Undo::new(move || tell.send("down").unwrap_or_default());
    /// assert!(told.try_recv().is_err());
    /// drop(guard);
    /// assert_eq!(told.try_recv(), Ok("down"));
    /// ```
    pub fn new(undo: impl FnOnce() + Send + 'static) -> Self {
        let _maker = Maker::enter();
        let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
        let number = pending.last().map_or(0, |(last, _)| last + 1);
        pending.push((number, Box::new(undo)));
        Self { number }
    }

    /// Makes something and registers how to take it down, with no handler of a signal in between. What has failed
    /// half-way is taken down too.
    ///
    /// # Errors
    /// That of `make`.
    pub fn made<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        undo: impl FnOnce() + Send + 'static,
    ) -> Result<(T, Self), E> {
        let _maker = Maker::enter();
        let guard = Self::new(undo);
        make().map(|made| (made, guard))
    }

    /// As [`Undo::made`], for what would outlive this process: it is written down before, by its kind and where it is,
    /// and struck out after `undo` says that it is gone.
    ///
    /// # Errors
    /// That of `make`.
    pub fn recorded<T, E>(
        kind: &'static str,
        path: &Path,
        make: impl FnOnce() -> Result<T, E>,
        undo: impl FnOnce(&Path) -> bool + Send + 'static,
    ) -> Result<(T, Self), E> {
        let recorded = under_way::begin(kind, path);
        let path = path.to_owned();
        Self::made(make, move || {
            if undo(&path) {
                drop(recorded);
            } else {
                recorded.keep();
            }
        })
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

/// Takes everything down, the latest first, and lets nothing more be made: whoever would make or register something
/// waits for the end. For the handler of SIGINT and SIGTERM, right before the process exits: whatever is still at work
/// finds its file system gone. What an owner's thread is making or taking down already is waited for, up to ten
/// seconds.
pub fn take_down_all() {
    {
        let mut gate = GATE.lock().unwrap_or_else(PoisonError::into_inner);
        gate.is_closed = true;
        // What a maker leaves behind after so long stands in the record.
        drop(GATE_CHANGED.wait_timeout_while(gate, PATIENCE, |gate| gate.makers > 0));
    }
    loop {
        let last = PENDING.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match last {
            Some((_, undo)) => undo(),
            None => break,
        }
    }
    let turns = PATIENCE.as_millis() / 10;
    for _ in 0..turns {
        if AT_WORK.load(Ordering::SeqCst) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
