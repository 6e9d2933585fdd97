//! The workers' processes: none outlives whoever needs them.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Default)]
struct State {
    children: Vec<Child>,
    is_closed: bool,
}

/// Processes that are ended when the last who knows of them goes, or before.
#[derive(Clone, Debug, Default)]
pub(super) struct Children(Arc<Mutex<State>>);

impl Children {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts one; `false` where all are ended already.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<bool> {
        self.with(|state| {
            if !state.is_closed {
                state.children.push(command.spawn()?);
            }
            Ok(!state.is_closed)
        })
    }

    /// How one ended that has closed its end of the socket.
    pub(super) fn ended(&self, number: usize) -> Option<ExitStatus> {
        self.with(|state| {
            let child = state.children.get_mut(number)?;
            // What closes its socket is ending; should it not, nobody must wait for it.
            let _ = child.kill();
            child.wait().ok()
        })
    }

    /// Ends all, and waits until they have ended.
    pub(super) fn end(&self) {
        self.with(|state| {
            state.is_closed = true;
            state.children.iter_mut().for_each(|child| drop(child.kill()));
            state.children.iter_mut().for_each(|child| drop(child.wait()));
        });
    }
}
