//! Where nobody calls: who has ended, who waits in the kernel, whose clock has gone on.

use crate::failure::ExecuteError;
use crate::options::Compute;
use crate::supervisor::Supervisor;
use crate::thread::State;
use petrio_time::Time;
use std::collections::BTreeSet;

/// Whoever computes for so long without a call, nanoseconds of processor time, while others wait for its clock, may be waiting for them:
/// where computing costs no time its clock would stand still for ever.
const PATIENCE: u64 = 2_000_000_000;

/// Whoever runs for so long without a call while others wait for their turn may be waiting for them.
const TURN: u64 = 20_000_000;

/// So many looks without a call are long for a disk.
const LONG: u32 = 50;

impl Supervisor {
    /// Nobody has called for a while: who has ended, who waits in the kernel, whose clock has gone on.
    pub(crate) fn examine(&mut self, somebody_waits: bool) -> Result<(), ExecuteError> {
        self.looks += 1;
        let all: Vec<u32> = self.threads.keys().copied().collect();
        for id in all {
            let Some(thread) = self.threads.get_mut(&id) else { continue };
            let (process, sees) = (thread.process, thread.letter.now(thread.process, id));
            if matches!(sees, None | Some(b'Z' | b'X')) {
                self.gone(id)?;
                continue;
            }
            let held = match &thread.state {
                State::Waits(held, _)
                | State::Works(held, _)
                | State::Ready(held, _)
                | State::Spins(held) => Some(held.id),
                _ => None,
            };
            if let Some(held) = held {
                let waits = self.started.listener.is_waiting(held).map_err(ExecuteError::Held)?;
                if !waits {
                    self.interrupted(id);
                }
            } else if matches!(thread.state, State::Running) {
                // What lets it wait so long in the kernel is another thread, and no disk of this machine.
                let waits =
                    matches!(sees, Some(b'S' | b'T' | b't')) || sees == Some(b'D') && self.looks > LONG;
                if !waits {
                    match self.ranks.is_inside(id) {
                        true => self.spins_without_yielding(id, process)?,
                        false => self.computes(id, process, somebody_waits),
                    }
                    continue;
                }
                // It may have called just now.
                let called = self.receive(0)?;
                let runs = self.threads.get(&id).is_some_and(|thread| matches!(thread.state, State::Running));
                if !called && runs {
                    self.elsewhere(id);
                    if matches!(sees, Some(b'T' | b't')) {
                        self.stops(id)?;
                    }
                }
            }
        }
        // Words that the kernel has changed, or signals from outside.
        let processes: BTreeSet<u32> = self.threads.values().map(|thread| thread.process).collect();
        // Whoever has the turn may have changed one and be about to wake those who wait at it.
        let may_tell = self.takes_turns() && self.threads.values().any(|thread| thread.state.goes_on());
        for process in processes {
            self.takes_out(process)?;
            if !may_tell {
                self.look_at_words(process, self.global)?;
            }
        }
        // What was started and has ended before it was ever seen.
        let seen: Vec<u32> = self.births.iter().map(|birth| birth.by).collect();
        self.births.retain(|birth| self.threads.contains_key(&birth.by));
        for by in seen {
            if self.looks > 2 && self.threads.get(&by).is_some_and(|it| !it.state.goes_on()) {
                self.find_born(by);
            }
        }
        Ok(())
    }

    pub(crate) fn elsewhere(&mut self, id: u32) {
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Elsewhere;
        }
    }

    /// The clock of whoever computes goes on, where that is measured.
    fn computes(&mut self, id: u32, process: u32, somebody_waits: bool) {
        let alone = self.processes.get(&process).is_none_or(|process| !process.several);
        let turns = self.somebody_waits_for_turn();
        let Some(thread) = self.threads.get_mut(&id) else { return };
        match self.options.compute {
            Compute::Measured => {
                if let Some(now) = thread.processor.now(process, id, alone) {
                    let span = Time::from_nanos(now.saturating_sub(thread.used));
                    thread.clock = thread.clock.saturating_add(span);
                    thread.used = now.max(thread.used);
                    self.computed(process, span);
                }
            }
            _ if somebody_waits || turns => {
                let Some(now) = thread.processor.now(process, id, alone) else { return };
                let has_run = now.saturating_sub(*thread.looked.get_or_insert(now));
                if turns && has_run > TURN && !thread.has_run_long {
                    thread.has_run_long = true;
                    self.tell(|told| told.uncertain += 1);
                    return;
                }
                if somebody_waits && has_run > PATIENCE {
                    thread.state = State::Elsewhere;
                    self.tell(|told| told.uncertain += 1);
                }
            }
            _ => {}
        }
    }
}
