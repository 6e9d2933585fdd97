//! System calls that aren't the program's own: of a library within its calls, of its threads, and of what starts ranks. They go by at
//! once, and take no time.
//!
//! A rank that waits within the library spins, and yields when it finds nothing. It may depend on what another is held at; so one that has
//! yielded some times, and done nothing else since anybody did something, holds nobody up any more. Its clock is then when it went on.

use super::tell::{AGAIN, LEAVE, ON};
use super::waiting::waits;
use super::{Inside, Mode};
use crate::failure::ExecuteError;
use crate::supervisor::Supervisor;
use crate::table::Call;
use crate::thread::{On, State, Thread, Wait};
use petrio_intercept::{Answer, Held, memory};
use petrio_record::mpi::is_launcher;
use std::ffi::OsStr;

/// After so many yields, those who are held at their waits look after what others want of them.
const NUDGE: u32 = 4;
/// After so many, who yields holds nobody up.
const IDLE: u32 = 12;
/// Who has used more processor time than this between two yields has done something, nanoseconds.
const BUSY: u64 = 60_000;
/// Who has used so much without a call is taken as one that spins, nanoseconds.
const SPUN: u64 = 3_000_000;

impl Supervisor {
    /// Lets a call by that is none of the program's own, or that only says where a rank is; whether it was one.
    pub(crate) fn passes(&mut self, held: &Held) -> Result<bool, ExecuteError> {
        let id = held.thread;
        let Some(thread) = self.threads.get(&id) else { return Ok(false) };
        let (process, is_outside) = (thread.process, matches!(thread.state, State::Outside));
        let call = self.table.call(held.call);
        self.ranks.has_spun = false;
        let Some(mode) = self.ranks.inside.get(&id).map(|inside| inside.mode) else {
            if is_outside {
                return self.passes_outside(id, held, call);
            }
            return self.of_rank_outside_library(id, process, held, call);
        };
        match call {
            Some(Call::Tell) if held.arguments[0] == LEAVE => self.leaves(id, held)?,
            Some(Call::Tell) if held.arguments[0] == ON => self.is_back(id, held)?,
            Some(Call::Yield) => self.yields_inside(id, held)?,
            Some(call) if is_of_lives(call) => return Ok(false),
            // A signal has taken it out of its wait: it makes the same call again.
            Some(Call::Tell) if self.ranks.inside.get(&id).is_some_and(|inside| inside.pending.is_some()) => {
                self.is_back(id, held)?;
            }
            Some(call) if mode == Mode::Files && is_librarys(id, call, &held.arguments) => {
                self.stirs();
                self.goes_by(held, Answer::GoOn)?;
            }
            Some(call)
                if call == Call::Tell || matches!(mode, Mode::Files | Mode::Unknown) && !polls(call) =>
            {
                self.stirs();
                self.has_waited(id);
                if mode == Mode::Unknown {
                    self.ranks.inside.remove(&id);
                }
                return Ok(false);
            }
            _ => {
                self.goes_by(held, Answer::GoOn)?;
            }
        }
        Ok(true)
    }

    /// Whoever has spun goes on at the time at which others let it.
    fn has_waited(&mut self, id: u32) {
        let global = self.global;
        if let (Some(inside), Some(thread)) = (self.ranks.inside.get_mut(&id), self.threads.get_mut(&id))
            && std::mem::take(&mut inside.has_idled)
        {
            let late = global.saturating_sub(thread.clock);
            thread.clock = thread.clock.max(global);
            let process = thread.process;
            if let Some(name) = self.ranks.name(process) {
                self.tell(|told| {
                    let told = told.ranks.entry(name).or_default();
                    told.messages = told.messages.saturating_add(late);
                });
            }
        }
    }

    fn goes_by(&mut self, held: &Held, answer: Answer) -> Result<(), ExecuteError> {
        self.started.listener.answer(held.id, answer).map(|_| ()).map_err(ExecuteError::Held)
    }

    /// A call of a rank that isn't in a call of the library's, as far as is known: where it only yields, it waits in one all the same.
    fn of_rank_outside_library(
        &mut self,
        id: u32,
        process: u32,
        held: &Held,
        call: Option<Call>,
    ) -> Result<bool, ExecuteError> {
        if self.ranks.name(process).is_none() {
            return Ok(false);
        }
        self.stirs();
        match call {
            // It isn't known to be in a call that it leaves.
            Some(Call::Tell) if matches!(held.arguments[0], LEAVE | ON) => {
                self.goes_by(held, Answer::Value(0))?;
                Ok(true)
            }
            Some(Call::Yield) => {
                let Some(thread) = self.threads.get_mut(&id) else { return Ok(false) };
                thread.idle += 1;
                if thread.idle <= IDLE {
                    return Ok(false);
                }
                thread.idle = 0;
                self.ranks.inside.insert(id, Inside::new(Mode::Unknown));
                self.yields_inside(id, held)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A call of what starts ranks, or of a thread of the library's own.
    fn passes_outside(&mut self, id: u32, held: &Held, call: Option<Call>) -> Result<bool, ExecuteError> {
        if self.threads.get(&id).is_some_and(|thread| thread.births > 0) {
            self.find_born(id);
        }
        match call {
            Some(Call::Execve) => {
                let name = memory::name(id, held.arguments[0]).unwrap_or_default();
                let process = self.threads.get(&id).map_or(0, |thread| thread.process);
                if !is_launcher(name.as_os_str()) {
                    // It becomes a rank, or some other program of the user's.
                    self.ranks.outside.remove(&process);
                    if let Some(thread) = self.threads.get_mut(&id) {
                        thread.state = State::Running;
                    }
                    return Ok(false);
                }
                self.goes_by(held, Answer::GoOn)?;
            }
            Some(Call::Fork | Call::Vfork | Call::Clone | Call::Clone3) => {
                self.starts(id, *held, false)?;
                if let Some(thread) = self.threads.get_mut(&id) {
                    thread.state = State::Outside;
                }
            }
            Some(Call::Exit | Call::ExitGroup) => {
                self.ends(id, *held, call == Some(Call::ExitGroup))?;
            }
            _ => self.goes_by(held, Answer::GoOn)?,
        }
        Ok(true)
    }

    /// A program begins: whether it is one that starts ranks.
    pub(crate) fn begins_program(&mut self, id: u32, name: &OsStr) {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return };
        if is_launcher(name) {
            self.ranks.outside.insert(process);
        }
    }

    /// Puts a thread where its calls aren't looked at, if it is of what starts ranks, or begun by the library within a call of its.
    pub(crate) fn sorts(&mut self, id: u32, by: Option<u32>) {
        let Some(thread) = self.threads.get_mut(&id) else { return };
        let process = thread.process;
        let parent = self.processes.get(&process).map(|process| process.parent);
        let is_outside = self.ranks.outside.contains(&process);
        // A process begins as what its parent is; what it becomes later is seen then.
        let of_outside = id == process && parent.is_some_and(|parent| self.ranks.outside.contains(&parent));
        let by_library = by.is_some_and(|by| self.ranks.inside.contains_key(&by) && by != id)
            && by.and_then(|by| self.threads.get(&by)).is_some_and(|by| by.process == process);
        if of_outside {
            self.ranks.outside.insert(process);
        }
        if (is_outside || of_outside || by_library)
            && let Some(thread) = self.threads.get_mut(&id)
        {
            thread.state = State::Outside;
        }
    }

    /// After a call has been answered: what starts ranks isn't looked at from here on, nor a rank for which the library is set up, which
    /// waits for others to begin.
    pub(crate) fn leaves_program(&mut self, id: u32) {
        let is_set_up = self.ranks.inside.get(&id).is_some_and(|inside| inside.mode == Mode::Setup);
        let Some(thread) = self.threads.get_mut(&id) else { return };
        if matches!(thread.state, State::Running | State::Elsewhere)
            && (is_set_up || self.ranks.outside.contains(&thread.process))
        {
            thread.state = State::Outside;
        }
    }

    /// A rank leaves the library: it goes on from when it had what it came for, or from when others let it go.
    fn leaves(&mut self, id: u32, held: &Held) -> Result<(), ExecuteError> {
        if self.waits_for_its_message(id) {
            self.stirs();
            if let Some(thread) = self.threads.get_mut(&id) {
                thread.state = State::Waits(*held, waits());
            }
            return Ok(());
        }
        self.is_out(id);
        self.stirs();
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Running;
        }
        self.answer(id, *held, Answer::Value(0))
    }

    /// What a rank waited for before it leaves is there: it is out.
    pub(super) fn has_left(&mut self, id: u32) {
        if self.ranks.inside.get(&id).is_some_and(|inside| inside.leaves) {
            self.is_out(id);
        }
    }

    fn is_out(&mut self, id: u32) {
        let inside = self.ranks.inside.remove(&id);
        let global = self.global;
        if let Some(thread) = self.threads.get_mut(&id) {
            let is_exact = inside.as_ref().is_some_and(|inside| inside.is_exact);
            let has_spun = inside.is_some_and(|inside| inside.has_idled)
                || matches!(thread.state, State::Elsewhere | State::Outside);
            let waited = has_spun && !is_exact;
            let before = thread.clock;
            if waited {
                thread.clock = thread.clock.max(global);
            }
            let late = thread.clock.saturating_sub(before);
            let process = thread.process;
            let alone = self.processes.get(&process).is_none_or(|process| !process.several);
            thread.used = thread.processor.now(process, id, alone).unwrap_or(thread.used);
            thread.looked = None;
            if let Some(name) = self.ranks.name(process) {
                self.tell(|told| {
                    let told = told.ranks.entry(name).or_default();
                    told.messages = told.messages.saturating_add(late);
                });
            }
        }
    }

    /// A rank that was asked to look after others is back: it waits on.
    fn is_back(&mut self, id: u32, held: &Held) -> Result<(), ExecuteError> {
        if let Some(inside) = self.ranks.inside.get_mut(&id) {
            inside.is_away = false;
        }
        // Whoever spins is to see first what came of it.
        for inside in self.ranks.inside.values_mut() {
            inside.yields = inside.yields.min(NUDGE);
        }
        self.wakes_spinning();
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Waits(*held, waits());
        }
        if let Some(told) = self.result(id) {
            self.has_left(id);
            return self.answer(id, *held, Answer::Value(told));
        }
        Ok(())
    }

    /// Nobody can go on, as far as is known: those that have found nothing look again, for somebody outside may have done something.
    /// Whether there are such.
    pub(crate) fn looks_again(&mut self) -> bool {
        let is_held = |thread: &Thread| matches!(thread.state, State::Spins(_));
        let held = self.threads.values().filter(|thread| is_held(thread)).count();
        self.ranks.spins =
            self.ranks.spins.saturating_add(u32::try_from(held).unwrap_or(0).saturating_mul(IDLE));
        for inside in self.ranks.inside.values_mut() {
            inside.yields = 0;
        }
        self.wakes_spinning();
        held > 0
    }

    fn wakes_spinning(&mut self) {
        for (id, thread) in &mut self.threads {
            if let State::Spins(held) = thread.state {
                thread.state = State::Ready(held, Answer::Value(0));
                if let Some(inside) = self.ranks.inside.get_mut(id) {
                    inside.idles = false;
                }
            }
        }
        for (id, inside) in &mut self.ranks.inside {
            if std::mem::take(&mut inside.idles)
                && let Some(thread) = self.threads.get_mut(id)
                && matches!(thread.state, State::Outside)
            {
                thread.state = State::Running;
            }
        }
    }

    /// Somebody does something: those who spin may find something.
    fn stirs(&mut self) {
        for inside in self.ranks.inside.values_mut() {
            inside.yields = 0;
        }
        (self.ranks.nudged, self.ranks.spins) = (false, 0);
        self.wakes_spinning();
    }

    fn yields_inside(&mut self, id: u32, held: &Held) -> Result<(), ExecuteError> {
        let used =
            self.threads.get_mut(&id).and_then(|thread| thread.processor.now(thread.process, id, true));
        let now = used.unwrap_or(0);
        let Some(inside) = self.ranks.inside.get_mut(&id) else { return Ok(()) };
        let busy = now.saturating_sub(std::mem::replace(&mut inside.used, now)) > BUSY;
        if inside.is_away || inside.mode == Mode::Setup {
            return self.goes_by(held, Answer::GoOn);
        }
        if busy {
            self.stirs();
        }
        let Some(inside) = self.ranks.inside.get_mut(&id) else { return Ok(()) };
        inside.yields = inside.yields.saturating_add(1);
        let yields = inside.yields;
        if yields >= NUDGE && !self.ranks.nudged {
            self.ranks.nudged = true;
            self.nudges()?;
        }
        let turns = self.takes_turns();
        let some_away = self.ranks.inside.values().any(|inside| inside.is_away);
        if yields >= IDLE
            && !some_away
            && let (Some(inside), Some(thread)) = (self.ranks.inside.get_mut(&id), self.threads.get_mut(&id))
        {
            (inside.idles, inside.has_idled) = (true, true);
            self.ranks.has_spun = true;
            if turns {
                thread.state = State::Spins(*held);
                return Ok(());
            }
            thread.state = State::Outside;
            self.ranks.spins = self.ranks.spins.saturating_add(1);
        }
        self.goes_by(held, Answer::Value(0))
    }

    /// A rank that computes in the library without any call, as MPICH's do that wait: after a while it is taken as one that spins.
    pub(crate) fn spins_without_yielding(&mut self, id: u32, process: u32) -> Result<(), ExecuteError> {
        let alone = self.processes.get(&process).is_none_or(|process| !process.several);
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        let Some(now) = thread.processor.now(process, id, alone) else { return Ok(()) };
        let Some(inside) = self.ranks.inside.get_mut(&id) else { return Ok(()) };
        if inside.is_away || inside.mode == Mode::Setup {
            return Ok(());
        }
        let before = if inside.used == 0 { now } else { inside.used };
        if now.saturating_sub(before) < SPUN {
            inside.used = before;
            return Ok(());
        }
        inside.used = now;
        if !self.ranks.nudged {
            self.ranks.nudged = true;
            return self.nudges();
        }
        let some_away = self.ranks.inside.values().any(|inside| inside.is_away);
        if !some_away
            && let (Some(inside), Some(thread)) = (self.ranks.inside.get_mut(&id), self.threads.get_mut(&id))
        {
            (inside.idles, inside.has_idled) = (true, true);
            thread.state = State::Outside;
        }
        Ok(())
    }

    /// Those who are held at their waits look after what others want of them.
    fn nudges(&mut self) -> Result<(), ExecuteError> {
        let waiting: Vec<(u32, Held)> = (self.threads.iter())
            .filter_map(|(&id, thread)| match &thread.state {
                State::Waits(held, Wait { on: On::Others, .. }) => Some((id, *held)),
                _ => None,
            })
            .collect();
        for (id, held) in waiting {
            self.goes_by(&held, Answer::Value(AGAIN))?;
            if let (Some(inside), Some(thread)) = (self.ranks.inside.get_mut(&id), self.threads.get_mut(&id))
            {
                inside.is_away = true;
                thread.state = State::Outside;
            }
        }
        Ok(())
    }
}

/// Whether it is about a file that the library has for itself: in Open MPI's directory of a session, or in shared memory.
fn is_librarys(id: u32, call: Call, a: &[u64; 6]) -> bool {
    let at = match call {
        Call::Open | Call::Creat | Call::Unlink | Call::Stat | Call::Lstat | Call::Truncate | Call::Rmdir => {
            a[0]
        }
        Call::Openat | Call::Openat2 | Call::Unlinkat | Call::Statat | Call::Statx => a[1],
        _ => return false,
    };
    let Ok(path) = memory::name(id, at) else { return false };
    let of_session = |part: &OsStr| part.as_encoded_bytes().starts_with(b"ompi.");
    path.starts_with("/dev/shm") || path.is_absolute() && path.iter().any(of_session)
}

/// Whether it makes or ends threads and programs: these are always looked at.
fn is_of_lives(call: Call) -> bool {
    use Call::{Clone, Clone3, Execve, Exit, ExitGroup, Fork, Vfork};
    matches!(call, Fork | Vfork | Clone | Clone3 | Execve | Exit | ExitGroup)
}

/// Whether it only looks for what others have sent, or what time it is: how often a library does so says nothing of the program, and who
/// looks after others meanwhile, held at that, would never be back, for which those wait who spin.
fn polls(call: Call) -> bool {
    use Call::{ClockGettime, EpollPwait, EpollPwait2, EpollWait, Futex, Gettimeofday, Time};
    use Call::{Poll, Ppoll, Pselect, Receive, Select, Send};
    matches!(call, Poll | Ppoll | Select | Pselect | EpollWait | EpollPwait | EpollPwait2 | Receive | Send)
        || matches!(call, Futex | ClockGettime | Gettimeofday | Time)
}
