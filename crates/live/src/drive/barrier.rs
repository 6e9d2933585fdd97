//! Where processes wait for each other, those that have ended not counted.

use std::sync::{Condvar, Mutex, PoisonError};

#[derive(Debug)]
struct State {
    running: usize,
    waiting: usize,
    opened: u64,
}

/// A barrier that opens when all that still run have come.
#[derive(Debug)]
pub(super) struct Barrier {
    state: Mutex<State>,
    changed: Condvar,
}

impl Barrier {
    pub(super) fn new(processes: usize) -> Self {
        Self {
            state: Mutex::new(State { running: processes, waiting: 0, opened: 0 }),
            changed: Condvar::new(),
        }
    }

    /// Waits until everybody has come or ended.
    pub(super) fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = state.opened;
        state.waiting += 1;
        self.open_if_complete(&mut state);
        while state.opened == mine {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// One that will not come again.
    pub(super) fn end(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running -= 1;
        self.open_if_complete(&mut state);
    }

    fn open_if_complete(&self, state: &mut State) {
        if state.waiting > 0 && state.waiting >= state.running {
            state.waiting = 0;
            state.opened += 1;
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn nobody_passes_before_the_last_has_come_and_the_ended_hold_nobody_up() {
        let (barrier, come) = (Barrier::new(4), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=50 {
                        come.fetch_add(1, Ordering::SeqCst);
                        barrier.wait();
                        assert!(come.load(Ordering::SeqCst) >= 3 * round);
                        barrier.wait();
                    }
                    barrier.end();
                });
            }
            barrier.end();
        });
        assert_eq!(come.into_inner(), 150);
    }
}
