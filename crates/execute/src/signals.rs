//! Signals: timers send them in virtual time, and they take threads out of calls that are held.

use crate::decide::GO_ON;
use crate::failure::ExecuteError;
use crate::supervisor::{Supervisor, Verdict};
use crate::thread::{On, State, Thread, Wait, has_signal, has_signal_beside};
use petrio_intercept::{Answer, memory};
use petrio_time::Time;
use rustix::process::Pid;
use std::collections::BTreeSet;

/// A signal is waited for so often, for so long each time: whom it takes out of a call needs a processor for that.
const SIGNAL_LOOKS: u32 = 1_000;
const SIGNAL_LOOK: std::time::Duration = std::time::Duration::from_micros(20);

/// Numbers of timers begin here: far above those that the kernel gives, from 0 for each process.
pub(crate) const FIRST_TIMER: u32 = 1 << 20;

/// A timer that sends a signal (timer_create(2)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignalTimer {
    pub(crate) at: Option<Time>,
    pub(crate) every: Time,
    pub(crate) signal: i32,
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

    /// Waits until what is on its way to a process has reached it, and sees who was taken out of a call.
    pub(crate) fn signal_arrives(&mut self, process: u32) -> Result<(), ExecuteError> {
        let of_it: Vec<u32> =
            self.threads.iter().filter(|(_, thread)| thread.process == process).map(|(&id, _)| id).collect();
        for _ in 0..SIGNAL_LOOKS {
            if !of_it.iter().any(|thread| has_signal(*thread)) {
                break;
            }
            std::thread::sleep(SIGNAL_LOOK);
        }
        for id in &of_it {
            // Those who wait in the kernel may go on: whether they do is seen when nothing comes of them.
            let global = self.global;
            if let Some(thread) = self.threads.get_mut(id)
                && !thread.lends
                && matches!(thread.state, State::Elsewhere)
            {
                thread.state = State::Running;
                thread.clock = thread.clock.max(global);
            }
        }
        self.let_signals_through(&of_it)?;
        self.check_interrupted(&of_it)
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

    /// Those of these threads that wait, and let a signal through meanwhile that they block else, go on: the kernel ends their waits.
    pub(crate) fn let_signals_through(&mut self, threads: &[u32]) -> Result<(), ExecuteError> {
        for &id in threads {
            if let Some(Thread { state: State::Waits(_, Wait { blocks: Some(blocked), .. }), .. }) =
                self.threads.get(&id)
                && has_signal_beside(id, *blocked)
            {
                self.clears.remove(&id);
                self.wake(id, Answer::GoOn, self.global)?;
            }
        }
        Ok(())
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
        self.send(id, libc::SIGALRM)
    }

    /// A timer goes off that sends a signal.
    pub(crate) fn signal(&mut self, process: u32, timer: u64) -> Result<(), ExecuteError> {
        let Some(it) = self.signal_timers.get_mut(&(process, timer)) else { return Ok(()) };
        it.at = it.at.filter(|_| it.every > Time::ZERO).map(|at| at.saturating_add(it.every));
        let signal = it.signal;
        self.send(process, signal)
    }

    fn send(&mut self, process: u32, signal: i32) -> Result<(), ExecuteError> {
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, rustix::process::Signal::from_named_raw(signal)) {
            // One that is gone needs none.
            let _ = rustix::process::kill_process(pid, signal);
        }
        self.signal_arrives(process)
    }

    /// A signal has taken a thread out of its call, which it makes again, or not.
    pub(crate) fn interrupted(&mut self, id: u32) {
        let global = self.global;
        for queue in self.words.values_mut() {
            queue.retain(|waiting| *waiting != id);
        }
        // What it had asked of storage goes on without it.
        self.in_flight.retain(|_, of| *of != id);
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.clock = thread.clock.max(global);
            thread.asks.clear();
            thread.state = State::Running;
        }
    }
}
