//! What comes: calls that threads make, and what is waited for.

use crate::failure::ExecuteError;
use crate::options::Compute;
use crate::supervisor::{LOOK, Supervisor};
use crate::thread::{On, State, Wait};
use petrio_intercept::{Answer, Held, Next};
use petrio_time::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::OwnedFd;
use std::sync::Arc;

impl Supervisor {
    /// Takes what has come, and waits for it for so many nanoseconds; whether anything had.
    pub(crate) fn pump(&mut self, wait: i64) -> Result<bool, ExecuteError> {
        let waiting: Vec<(u32, Arc<OwnedFd>, PollFlags)> = self.waiting();
        if waiting.is_empty() {
            return if wait == LOOK { self.receive_soon() } else { self.receive(wait) };
        }
        let mut fds = vec![PollFd::new(&self.started.listener, PollFlags::IN)];
        fds.extend(waiting.iter().map(|(_, fd, flags)| PollFd::new(&**fd, *flags)));
        let span = Timespec { tv_sec: 0, tv_nsec: wait };
        match poll(&mut fds, Some(&span)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(ExecuteError::Held(error.into())),
        }
        let called = !fds[0].revents().is_empty();
        let ready: Vec<usize> =
            (1..fds.len()).filter(|&index| !fds[index].revents().is_empty()).map(|index| index - 1).collect();
        drop(fds);
        let mut any = false;
        for index in ready {
            any |= self.ready(waiting[index].0)?;
        }
        if called {
            any |= self.receive(0)?;
        }
        Ok(any)
    }

    /// The descriptors that are waited for.
    fn waiting(&self) -> Vec<(u32, Arc<OwnedFd>, PollFlags)> {
        let mut all = Vec::new();
        for (&id, thread) in &self.threads {
            match &thread.state {
                State::Waits(_, Wait { on: On::Ready(fds), .. }) => {
                    all.extend(fds.iter().map(|(fd, flags)| (id, fd.clone(), *flags)));
                }
                State::Waits(_, Wait { on: On::Room(fd, _), .. }) => {
                    all.push((id, fd.clone(), PollFlags::OUT));
                }
                _ => {}
            }
        }
        all
    }

    pub(crate) fn receive(&mut self, wait: i64) -> Result<bool, ExecuteError> {
        let span = Timespec { tv_sec: 0, tv_nsec: wait };
        let next = self.started.listener.next(Some(span)).map_err(ExecuteError::Held)?;
        self.take(next)
    }

    /// Takes the next call, which is waited for so long as whoever computes is left alone.
    fn receive_soon(&mut self) -> Result<bool, ExecuteError> {
        let next = self.started.listener.next_soon().map_err(ExecuteError::Held)?;
        self.take(next)
    }

    fn take(&mut self, next: Next) -> Result<bool, ExecuteError> {
        match next {
            Next::Call(held) => self.arrive(held).map(|()| true),
            Next::Nothing => Ok(false),
            Next::End => {
                self.ends_all();
                Ok(true)
            }
        }
    }

    /// Nothing more comes of the program.
    pub(crate) fn ends_all(&mut self) {
        self.over = true;
        self.threads.clear();
        self.births.clear();
        self.timers.clear();
        self.in_flight.clear();
        self.ranks.carried.clear();
    }

    /// What a waiting thread waits for may be there.
    fn ready(&mut self, number: u32) -> Result<bool, ExecuteError> {
        let Some(thread) = self.threads.get(&number) else { return Ok(false) };
        if let State::Waits(_, Wait { on: On::Room(fd, bytes), .. }) = &thread.state
            && !crate::waits::has_room(fd, *bytes)
        {
            return Ok(false);
        }
        self.wake(number, Answer::GoOn, self.global)?;
        Ok(true)
    }

    /// Lets a waiting thread go on.
    pub(crate) fn wake(&mut self, number: u32, answer: Answer, at: Time) -> Result<(), ExecuteError> {
        let Some(thread) = self.threads.get_mut(&number) else { return Ok(()) };
        if let State::Waits(held, wait) = std::mem::replace(&mut thread.state, State::Running) {
            thread.clock = thread.clock.max(at);
            if let Some(until) = wait.until {
                crate::clocks::tell_rest(number, &held, until.saturating_sub(thread.clock));
            }
            self.answer(number, held, answer)?;
        }
        Ok(())
    }

    /// A call has come.
    fn arrive(&mut self, held: Held) -> Result<(), ExecuteError> {
        let id = held.thread;
        if !self.threads.contains_key(&id) {
            self.adopt(id);
        }
        self.looks = 0;
        if self.passes(&held)? {
            return Ok(());
        }
        let is_inside = self.ranks.is_inside(id);
        let (compute, global, shortest) = (self.options.compute, self.global, self.shortest);
        let since = self.threads.get(&id).filter(|thread| thread.is_new).map(|thread| thread.clock);
        if let Some(at) = since {
            self.gives_back(id, at);
        }
        let Some(thread) = self.threads.get_mut(&id) else {
            // It is gone again.
            return self
                .started
                .listener
                .answer(held.id, Answer::GoOn)
                .map(|_| ())
                .map_err(ExecuteError::Held);
        };
        let alone = self.processes.get(&thread.process).is_none_or(|process| !process.several);
        let mut computed = Time::ZERO;
        match compute {
            Compute::Measured => {
                let now = thread.processor.now(thread.process, id, alone).unwrap_or(thread.used);
                let span = now.saturating_sub(thread.used);
                self.shortest = shortest.min(span.max(1));
                computed = Time::from_nanos(span.saturating_sub(self.shortest));
                thread.used = now;
            }
            Compute::Fixed(each) => computed = each,
            Compute::None => {}
        }
        if is_inside {
            computed = Time::ZERO;
        }
        thread.clock = match thread.state {
            // Whoever let it go on did so at the latest now.
            State::Elsewhere | State::Waits(..) | State::Works(..) => thread.clock.max(global),
            _ => thread.clock,
        }
        .saturating_add(computed);
        if self.options.real_time {
            thread.clock = self.wall.now();
        }
        thread.asks.clear();
        (thread.looked, thread.grew) = (None, 0);
        self.clears.remove(&id);
        (thread.lends, thread.has_run_long) = (false, false);
        // One that was taken out of a call has left there what it asked of storage.
        if matches!(std::mem::replace(&mut thread.state, State::Asks(held)), State::Works(..)) {
            self.in_flight.retain(|_, of| *of != id);
        }
        let (settle, nameless) = (std::mem::take(&mut thread.settle), thread.nameless.take());
        let (process, is_new, births) = (thread.process, std::mem::take(&mut thread.is_new), thread.births);
        settle.iter().for_each(|(path, file)| self.files.settle(id, path, *file));
        nameless.iter().for_each(|(directory, file)| self.files.settle_nameless(id, directory, *file));
        if is_new && !self.options.real_time {
            // One that is gone needs none.
            let _ = self.clocks.write_over(process);
            // Another program has none of the timers of the one before, and none of the descriptors that are closed then.
            self.signal_timers.retain(|(of, _), _| *of != process);
            self.drops_timers(|_, _| false);
        }
        if births > 0 {
            self.find_born(id);
        }
        self.computed(process, computed);
        Ok(())
    }
}
