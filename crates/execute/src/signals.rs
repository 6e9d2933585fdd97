//! Signals: timers send them in virtual time, and they take threads out of calls that are held.

use crate::decide::GO_ON;
use crate::failure::ExecuteError;
use crate::supervisor::{Supervisor, Verdict};
use crate::thread::{On, Signals, State, Thread, Wait, has_signal_beside};
use petrio_intercept::{Answer, Held, expiry, memory};
use petrio_time::Time;
use rustix::process::Pid;
use std::collections::BTreeSet;

/// A signal is waited for so often, for so long each time: whom it takes out of a call needs a processor for that.
const SIGNAL_LOOKS: u32 = 1_000;
const SIGNAL_LOOK: std::time::Duration = std::time::Duration::from_micros(20);
/// Whoever is about to get one comes to a call first, if that is within so many times so many nanoseconds.
const CALL_LOOKS: u32 = 10;
const CALL_LOOK: i64 = 30_000;

/// What a call returns to the kernel that is made again, unless a handler wants it otherwise (`ERESTARTSYS`): no program sees it.
const RESTARTS: i32 = 512;

/// Numbers of timers begin here: far above those that the kernel gives, from 0 for each process.
pub(crate) const FIRST_TIMER: u32 = 1 << 20;

/// A timer that sends a signal (timer_create(2)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignalTimer {
    pub(crate) at: Option<Time>,
    pub(crate) every: Time,
    /// Which; none where it is zero.
    pub(crate) signal: i32,
    /// The thread that gets it, where it isn't any of its process's.
    pub(crate) thread: Option<u32>,
    /// What it brings with it.
    pub(crate) value: u64,
    /// Whether a time that it is set to is one of day.
    pub(crate) is_realtime: bool,
    /// How often it went off while its signal was still on its way.
    pub(crate) missed: i64,
}

impl SignalTimer {
    /// How often it goes off, and how long it is until it does.
    pub(crate) fn left(&self, clock: Time) -> (Time, Time) {
        let at = match self.at {
            // Nobody is told when its time has come.
            Some(at) if self.signal == 0 && at <= clock => {
                let turns = clock.saturating_sub(at).as_picos() / self.every.as_picos().max(1) + 1;
                let next = at.as_picos().saturating_add(turns.saturating_mul(self.every.as_picos()));
                (self.every > Time::ZERO).then(|| Time::from_picos(next))
            }
            at => at,
        };
        crate::timers::left((at, self.every), clock)
    }
}

impl Supervisor {
    /// Lets signals that threads have sent reach whom they take out of their calls; whether there were any.
    pub(crate) fn signals_arrive(&mut self) -> Result<bool, ExecuteError> {
        let sent = |thread: &u32| self.threads.get(thread).is_none_or(|it| !it.state.goes_on());
        if self.signalling.is_empty() || !self.signalling.iter().all(sent) {
            return Ok(false);
        }
        self.signalling.clear();
        let all: BTreeSet<u32> = self.threads.values().map(|thread| thread.process).collect();
        for process in all {
            self.signal_arrives(process)?;
        }
        Ok(true)
    }

    /// Waits until what is on its way to a process has reached those of its threads that run, and takes others out of their calls.
    pub(crate) fn signal_arrives(&mut self, process: u32) -> Result<(), ExecuteError> {
        for _ in 0..SIGNAL_LOOKS {
            if !self.getting(process).iter().any(|id| self.takes_by_itself(*id)) {
                break;
            }
            std::thread::sleep(SIGNAL_LOOK);
        }
        let (global, mut of_it) = (self.global, Vec::new());
        for (&id, thread) in self.threads.iter_mut().filter(|(_, thread)| thread.process == process) {
            of_it.push(id);
            // Those who wait in the kernel may go on: whether they do is seen when nothing comes of them.
            if !thread.lends && matches!(thread.state, State::Elsewhere) {
                thread.state = State::Running;
                thread.clock = thread.clock.max(global);
            }
        }
        self.takes_out(process)?;
        self.check_interrupted(&of_it)
    }

    /// Those threads of a process that get what is on its way to it.
    fn getting(&self, process: u32) -> Vec<u32> {
        let of_it = self.threads.iter().filter(|(_, thread)| thread.process == process);
        let signals = of_it.filter_map(|(&id, thread)| {
            let signals = Signals::of(id)?;
            let blocked = match &thread.state {
                State::Waits(_, Wait { blocks: Some(blocked), .. }) => *blocked,
                _ => signals.blocked,
            };
            Some((id, Signals { blocked, ..signals }))
        });
        crate::thread::getting(&signals.collect::<Vec<_>>())
    }

    /// Whether a signal reaches a thread by the kernel alone: it isn't in a held call, or signals take it out of these.
    fn takes_by_itself(&self, id: u32) -> bool {
        self.threads.get(&id).is_some_and(|thread| match &thread.state {
            State::Running | State::Elsewhere | State::Ends | State::Outside => true,
            State::Waits(_, Wait { blocks: Some(_), .. }) => false,
            _ => !self.started.listener.holds_firmly(),
        })
    }

    /// Threads of a process that wait, and get a signal, go on: the kernel ends their calls. One that does something else gets it when its
    /// call is over, as in any kernel.
    pub(crate) fn takes_out(&mut self, process: u32) -> Result<(), ExecuteError> {
        let getting = self.getting(process);
        if let Some(process) = self.processes.get_mut(&process) {
            process.signalled = !getting.is_empty();
        }
        getting.into_iter().try_for_each(|id| self.is_taken_out(id))
    }

    /// A thread begins to wait: a signal that came before ends that at once.
    pub(crate) fn may_be_taken_out(&mut self, id: u32) -> Result<(), ExecuteError> {
        match self.threads.get(&id).map(|thread| thread.process) {
            Some(process) if self.processes.get(&process).is_some_and(|process| process.signalled) => {
                self.takes_out(process)
            }
            _ => Ok(()),
        }
    }

    fn is_taken_out(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(Thread { state: State::Waits(held, wait), .. }) = self.threads.get(&id) else {
            return Ok(());
        };
        let answer = match (&wait.on, wait.until) {
            // The library's ranks know of no signals.
            (On::Others, _) => return Ok(()),
            (On::Time, Some(until)) => self.sleeps_no_longer(id, held, until),
            _ => Answer::GoOn,
        };
        self.clears.remove(&id);
        self.leaves_words(id);
        self.wake(id, answer, self.global)
    }

    /// What sleeping returns that a signal has ended: how long it would have been is told where it is asked for.
    fn sleeps_no_longer(&self, id: u32, held: &Held, until: Time) -> Answer {
        let is_caught = Signals::of(id).is_some_and(|it| it.pending() & !it.blocked & it.caught != 0);
        if !is_caught {
            // It ends its process, or stops it, and it sleeps again when that is over.
            return Answer::Error(RESTARTS);
        }
        crate::clocks::tell_left(id, held, until.saturating_sub(self.global));
        Answer::Error(libc::EINTR)
    }

    /// Before a signal is sent to a process that catches it: those of its threads that run come to a call, if they do so soon. A call that
    /// was made and not yet told is interrupted by a signal, whichever it is; one that was told isn't.
    pub(crate) fn comes_to_a_call(&mut self, process: u32, signal: i32) -> Result<(), ExecuteError> {
        let runs = |this: &Self| {
            let mut of_it = this.threads.values().filter(|thread| thread.process == process);
            of_it.any(|thread| matches!(thread.state, State::Running))
        };
        let bit = 1u64 << (signal.unsigned_abs().clamp(1, 64) - 1);
        if !runs(self) || Signals::of(process).is_none_or(|signals| signals.caught & bit == 0) {
            return Ok(());
        }
        for _ in 0..CALL_LOOKS {
            self.receive(CALL_LOOK)?;
            if !runs(self) {
                break;
            }
        }
        Ok(())
    }

    /// A process gets a descriptor from which it reads these signals.
    pub(crate) fn reads_signals(&mut self, id: u32, set: u64) -> Verdict {
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        if let (Some(process), Ok([set])) = (self.processes.get_mut(&process), memory::words::<1>(id, set)) {
            process.reads_signals |= set;
        }
        GO_ON
    }

    /// A wait for descriptors, of which some may tell of signals: that these are there the supervisor can't see by the descriptors. Whether
    /// one is there already.
    pub(crate) fn may_read_signals(&self, id: u32, wait: &mut Wait) -> bool {
        let process = self.threads.get(&id).and_then(|thread| self.processes.get(&thread.process));
        let read = process.map_or(0, |process| process.reads_signals);
        if read == 0 || !matches!(wait.on, On::Ready(_)) {
            return false;
        }
        let blocked = wait.blocks.unwrap_or(u64::MAX) & !read;
        wait.blocks = Some(blocked);
        has_signal_beside(id, blocked)
    }

    /// A wait for signals (sigtimedwait(2)): these aren't blocked meanwhile. One that is on its way, or that others send, ends it.
    pub(crate) fn waits_for_signals(&self, id: u32, a: &[u64; 6]) -> Verdict {
        let (Some(signals), Ok([set])) = (Signals::of(id), memory::words::<1>(id, a[0])) else {
            return GO_ON;
        };
        let blocked = signals.blocked & !set;
        let span = match a[2] {
            0 => None,
            at => match memory::words::<2>(id, at) {
                Ok([seconds, parts]) if (seconds > 0 || parts > 0) && parts < crate::clocks::NANOS => {
                    Some(crate::clocks::time(seconds, parts))
                }
                _ => return GO_ON,
            },
        };
        if has_signal_beside(id, blocked) {
            return GO_ON;
        }
        let until = span.map(|span| self.clock(id).saturating_add(span));
        let late = Answer::Error(libc::EAGAIN);
        Verdict::Wait(Wait { until, on: On::Signals, late, blocks: Some(blocked) })
    }

    /// Those of these threads whose calls a signal has ended.
    pub(crate) fn check_interrupted(&mut self, threads: &[u32]) -> Result<(), ExecuteError> {
        for &id in threads {
            let Some(Thread { state: State::Waits(held, _), .. }) = self.threads.get(&id) else { continue };
            if !self.started.listener.is_waiting(held.id).map_err(ExecuteError::Held)? {
                self.interrupted(id);
            }
        }
        Ok(())
    }

    /// An alarm goes off: the process gets its signal.
    pub(crate) fn alarm(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(process) = self.processes.get_mut(&id) else { return Ok(()) };
        let Some((at, every)) = process.alarm.take() else { return Ok(()) };
        if every > Time::ZERO {
            process.alarm = Some((at.saturating_add(every), every));
        }
        self.comes_to_a_call(id, libc::SIGALRM)?;
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
        // One that is gone needs none.
        let _ = pid.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::ALARM));
        self.signal_arrives(id)
    }

    /// A timer goes off that sends a signal.
    pub(crate) fn signal(&mut self, process: u32, timer: u64) -> Result<(), ExecuteError> {
        let Some(it) = self.signal_timers.get_mut(&(process, timer)) else { return Ok(()) };
        it.at = it.at.filter(|_| it.every > Time::ZERO).map(|at| at.saturating_add(it.every));
        // It has one signal: where that is still on its way, it is one more that was missed.
        let bit = 1u64 << (it.signal.unsigned_abs().clamp(1, 64) - 1);
        let on_its_way = Signals::of(it.thread.unwrap_or(process)).is_some_and(|signals| match it.thread {
            Some(_) => signals.own & bit != 0,
            None => signals.shared & bit != 0,
        });
        if on_its_way {
            it.missed += 1;
            return Ok(());
        }
        it.missed = 0;
        let it = *it;
        self.send(process, it.thread, (it.signal, it.value))
    }

    fn send(&mut self, process: u32, thread: Option<u32>, signal: (i32, u64)) -> Result<(), ExecuteError> {
        self.comes_to_a_call(process, signal.0)?;
        // One that is gone needs none.
        let _ = expiry::send(process, thread, signal);
        self.signal_arrives(process)
    }

    /// A thread waits at no word any more.
    pub(crate) fn leaves_words(&mut self, id: u32) {
        for queue in self.words.values_mut() {
            queue.retain(|waiting| *waiting != id);
        }
    }

    /// A signal has taken a thread out of its call, which it makes again, or not.
    pub(crate) fn interrupted(&mut self, id: u32) {
        let global = self.global;
        self.leaves_words(id);
        // What it had asked of storage goes on without it.
        self.in_flight.retain(|_, of| *of != id);
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.clock = thread.clock.max(global);
            thread.asks.clear();
            thread.state = State::Running;
        }
    }
}
