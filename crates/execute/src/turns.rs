//! Threads take turns where what a program does may not depend on this machine: with `--compute none` or `fixed` one of them runs at a
//! time, to its next call that is held, and then the one whose clock is earliest. So two that race each other in memory do so the same
//! way each time.
//!
//! Whoever runs for long without a call may be waiting in memory for another: then that one goes on, too, and it is counted. Ranks of MPI
//! wait for each other so all the time, and yield: one that has found nothing some times is held, and looks again when another has done
//! something. What starts them knows no turns.

use crate::failure::ExecuteError;
use crate::options::Compute;
use crate::supervisor::Supervisor;
use crate::thread::State;
use petrio_intercept::{Answer, Held};

impl Supervisor {
    pub(crate) const fn takes_turns(&self) -> bool {
        !matches!(self.options.compute, Compute::Measured) && !self.options.real_time
    }

    /// Whether somebody has the turn.
    fn somebody_runs(&self) -> bool {
        // Whoever ends clears a word in the kernel, at which others may look without a call.
        self.threads
            .values()
            .any(|thread| matches!(thread.state, State::Running | State::Ends) && !thread.has_run_long)
    }

    /// Whether somebody waits for the turn.
    pub(crate) fn somebody_waits_for_turn(&self) -> bool {
        self.takes_turns() && self.threads.values().any(|thread| matches!(thread.state, State::Ready(..)))
    }

    /// Answers a call, when it is its thread's turn.
    pub(crate) fn answer(&mut self, id: u32, held: Held, answer: Answer) -> Result<(), ExecuteError> {
        if self.takes_turns() && self.threads.len() > 1 {
            let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
            if matches!(thread.state, State::Outside) {
                return self.lets_go(id, held, answer);
            }
            thread.state = State::Ready(held, answer);
            return self.passes_turn();
        }
        self.lets_go(id, held, answer)
    }

    /// Answers a call at once.
    pub(crate) fn lets_go(&mut self, id: u32, held: Held, answer: Answer) -> Result<(), ExecuteError> {
        self.started.listener.answer(held.id, answer).map_err(ExecuteError::Held)?;
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Running;
        }
        self.leaves_program(id);
        Ok(())
    }

    /// Where nobody runs, the one goes on who is first by its clock.
    pub(crate) fn passes_turn(&mut self) -> Result<(), ExecuteError> {
        if self.somebody_runs() {
            return Ok(());
        }
        let ready = (self.threads.iter())
            .filter_map(|(&id, thread)| match thread.state {
                State::Ready(held, answer) => Some(((thread.clock, thread.number), id, held, answer)),
                _ => None,
            })
            .min_by_key(|(when, ..)| *when);
        match ready {
            Some((_, id, held, answer)) => self.lets_go(id, held, answer),
            None => Ok(()),
        }
    }
}
