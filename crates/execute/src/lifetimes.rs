//! Threads and processes come and go.

use crate::failure::ExecuteError;
use crate::supervisor::Supervisor;
use crate::thread::{Birth, Letter, On, Process, State, Status, Thread, Wait, Word};
use crate::used::Used;
use petrio_intercept::{Answer, Held, memory};
use petrio_time::Time;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::{BTreeMap, VecDeque};

impl Process {
    /// One that has just been seen, and reads these signals from descriptors of its parent's.
    fn begins(status: Status, reads_signals: u64, place: usize) -> Self {
        let handle = i32::try_from(status.process).ok().and_then(Pid::from_raw);
        Self {
            parent: status.parent,
            inside: status.inside,
            handle: handle.and_then(|handle| pidfd_open(handle, PidfdFlags::empty()).ok()),
            ended: None,
            threads: 0,
            several: false,
            open: BTreeMap::new(),
            signalled: false,
            reads_signals,
            alarm: None,
            stopped: false,
            place,
        }
    }
}

impl Supervisor {
    /// A thread that was never seen before.
    pub(crate) fn adopt(&mut self, id: u32) {
        let Some(status) = Status::of(id) else { return };
        let is_thread = self.processes.contains_key(&status.process);
        let by = if is_thread { status.process } else { status.parent };
        let found = self.births.iter().position(|birth| birth.process == by);
        let found = found.or_else(|| (!self.births.is_empty() && !is_thread).then_some(0));
        let birth = found.map(|index| self.births.remove(index));
        if let Some(birth) = birth
            && let Some(parent) = self.threads.get_mut(&birth.by)
        {
            parent.births = parent.births.saturating_sub(1);
        }
        self.first.get_or_insert(status.process);
        let number = birth.map_or_else(|| self.number(), |birth| birth.number);
        let clock = birth.map_or(self.global, |birth| birth.clock);
        let slot = self.take_slot(number);
        let by = birth.and_then(|birth| Some((birth.by, self.threads.get(&birth.by)?)));
        let lender = by.and_then(|(id, thread)| thread.lends.then_some(id));
        let reads_signals = self.processes.get(&status.parent).map_or(0, |parent| parent.reads_signals);
        let place = self.processes.get(&status.parent).map_or(0, |parent| parent.place);
        let process = (self.processes.entry(status.process))
            .or_insert_with(|| Process::begins(status, reads_signals, place));
        process.threads += 1;
        process.several |= process.threads > 1;
        let alone = !process.several;
        let mut processor = Used::default();
        self.threads.insert(
            id,
            Thread {
                process: status.process,
                number,
                slot,
                clock,
                state: State::Running,
                asks: VecDeque::new(),
                // What it used before belongs to it: it began with nothing.
                used: if is_thread || birth.is_some() {
                    0
                } else {
                    processor.now(status.process, id, alone).unwrap_or(0)
                },
                processor,
                letter: Letter::default(),
                looked: None,
                lends: false,
                lender,
                has_run_long: false,
                settle: Vec::new(),
                nameless: None,
                grew: 0,
                idle: 0,
                is_new: birth.is_none(),
                births: 0,
            },
        );
        self.sorts(id, birth.map(|birth| birth.by));
        let (threads, all) = (self.threads.len(), self.next_number);
        self.tell(|told| {
            told.most_threads = told.most_threads.max(threads);
            told.threads = all.into();
            told.processes += u64::from(!is_thread);
        });
    }

    /// Whoever has waited for this one to become a program (vfork) goes on, if it has: at the time of that, and before anything that is later.
    pub(crate) fn gives_back(&mut self, id: u32, at: Time) {
        let lender = self.threads.get(&id).and_then(|thread| thread.lender);
        // As long as it hasn't, they have one memory, and one place where its stack begins.
        let Some(lender) = lender.filter(|lender| stack_of(*lender) != stack_of(id)) else { return };
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.lender = None;
        }
        self.goes_on_from(lender, at);
    }

    fn goes_on_from(&mut self, lender: u32, at: Time) {
        if let Some(thread) = self.threads.get_mut(&lender)
            && thread.lends
            && matches!(thread.state, State::Elsewhere)
        {
            (thread.lends, thread.state) = (false, State::Running);
            thread.clock = thread.clock.max(at);
        }
    }

    /// A thread's number towards the simulated host follows from its place among all, as long as nobody has that one: when those before it
    /// were seen to have ended, which isn't the same each time, doesn't matter then.
    fn take_slot(&mut self, number: u32) -> u32 {
        let wanted = number % self.options.threads.max(1);
        let slot = self.slots.range(wanted..).next().or_else(|| self.slots.first()).copied();
        if let Some(slot) = slot {
            self.slots.remove(&slot);
        }
        slot.unwrap_or(0)
    }

    pub(crate) fn number(&mut self) -> u32 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// A thread that has started others is back: those that aren't seen yet are looked for, and if they aren't there, nothing came of them.
    pub(crate) fn find_born(&mut self, id: u32) {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return };
        let mut there: Vec<u32> = Vec::new();
        if let Ok(entries) = std::fs::read_dir(format!("/proc/{process}/task")) {
            let numbers =
                entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
            there.extend(numbers);
        }
        for thread in there.clone() {
            let children = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/children"));
            there.extend(
                children.unwrap_or_default().split_whitespace().filter_map(|word| word.parse::<u32>().ok()),
            );
        }
        there.sort_unstable();
        for new in there {
            if !self.threads.contains_key(&new) && !self.processes.contains_key(&new) {
                self.adopt(new);
            }
        }
        self.births.retain(|birth| birth.by != id);
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.births = 0;
        }
    }

    pub(crate) fn ends(&mut self, id: u32, held: Held, all: bool) -> Result<(), ExecuteError> {
        let parent = self.threads.get(&id).and_then(|thread| self.processes.get(&thread.process));
        if let Some(parent) = parent.map(|process| process.parent) {
            self.comes_to_a_call(parent, libc::SIGCHLD)?;
        }
        self.lets_go(id, held, Answer::GoOn)?;
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        thread.state = State::Ends;
        let (process, clock) = (thread.process, thread.clock);
        if all {
            for (_, other) in self.threads.iter_mut().filter(|(_, other)| other.process == process) {
                other.state = State::Ends;
                other.clock = other.clock.max(clock);
                other.asks.clear();
            }
        }
        Ok(())
    }

    pub(crate) fn starts(&mut self, id: u32, held: Held, waits: bool) -> Result<(), ExecuteError> {
        let is_refused = self.slots.is_empty();
        if let Some(starts) = self.starts.note(self.global, is_refused, self.options.threads) {
            return Err(ExecuteError::ForksWithoutEnd { starts });
        }
        if is_refused {
            self.tell(|told| told.refused_threads += 1);
            return self.answer(id, held, Answer::Error(libc::EAGAIN));
        }
        let number = self.number();
        // Whoever waits for a child to become a program has its turn then.
        match waits {
            true => self.lets_go(id, held, Answer::GoOn)?,
            false => self.answer(id, held, Answer::GoOn)?,
        }
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        self.births.push(Birth { by: id, process: thread.process, number, clock: thread.clock });
        thread.births += 1;
        if waits {
            thread.state = State::Elsewhere;
            thread.lends = true;
        }
        Ok(())
    }

    /// A thread has ended.
    pub(crate) fn gone(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(mut thread) = self.threads.remove(&id) else { return Ok(()) };
        if self.ranks.is_outside(thread.process) {
            // It has waited for those whom it had started.
            thread.clock = thread.clock.max(self.global);
        }
        if let Some(lender) = thread.lender {
            self.goes_on_from(lender, thread.clock);
        }
        self.leaves_words(id);
        self.in_flight.retain(|_, of| *of != id);
        self.slots.insert(thread.slot);
        self.births.retain(|birth| birth.by != id || birth.process != thread.process);
        self.global = self.global.max(thread.clock);
        let global = self.global;
        let mut parent = None;
        if let Some(process) = self.processes.get_mut(&thread.process) {
            process.threads = process.threads.saturating_sub(1);
            if process.threads == 0 {
                process.ended = Some(thread.clock);
                process.open.clear();
                (process.handle, process.alarm) = (None, None);
                self.signal_timers.retain(|(of, _), _| *of != thread.process);
                self.shared_words.retain(|(of, _), _| *of != thread.process);
                parent = Some(process.parent);
            }
        }
        if parent.is_some() {
            self.drops_timers(|_, _| false);
        }
        self.ranks.gone(id, parent.is_some().then_some(thread.process));
        // The kernel clears a word of whoever ends, and wakes those who wait for that.
        self.look_at_words(thread.process, global)?;
        if self.first == Some(thread.process) && parent.is_some() {
            // The kernel is about to end all that the program has left behind.
            self.ends_all();
            return Ok(());
        }
        if let Some(parent) = parent {
            self.child_ended(parent, thread.process, thread.clock)?;
        }
        Ok(())
    }

    /// Those who wait at words that have become others without anybody's telling.
    pub(crate) fn look_at_words(&mut self, process: u32, at: Time) -> Result<(), ExecuteError> {
        let waiting: Vec<(u32, Word, u32)> = (self.threads.iter())
            .filter_map(|(&id, thread)| match &thread.state {
                State::Waits(_, Wait { on: On::Word(word @ Word::Own(..), value), .. })
                    if thread.process == process =>
                {
                    Some((id, *word, *value))
                }
                _ => None,
            })
            .collect();
        for (id, word, value) in waiting {
            let Word::Own(_, address) = word else { continue };
            if memory::word(id, address).is_ok_and(|now| now != value) {
                self.words.entry(word).or_default().retain(|other| *other != id);
                self.wake(id, Answer::Value(0), at)?;
            }
        }
        Ok(())
    }

    /// Those who wait for a child of their process: its signal takes some out of their calls, which they make again then; others go on.
    fn child_ended(&mut self, parent: u32, child: u32, at: Time) -> Result<(), ExecuteError> {
        self.signal_arrives(parent)?;
        let inside = self.processes.get(&child).map(|process| process.inside);
        let waiting: Vec<u32> = (self.threads.iter())
            .filter(|(_, thread)| thread.process == parent)
            .filter(|(_, thread)| match &thread.state {
                State::Waits(_, Wait { on: On::Child(which, _), .. }) => which.is_none() || *which == inside,
                _ => false,
            })
            .map(|(&id, _)| id)
            .collect();
        waiting.into_iter().try_for_each(|id| self.wake(id, Answer::GoOn, at))
    }

    /// A thread was stopped by a signal: whoever waits for its process to stop goes on, and asks the kernel.
    pub(crate) fn stops(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return Ok(()) };
        let Some(child) = self.processes.get_mut(&process) else { return Ok(()) };
        child.stopped = true;
        let (parent, inside) = (child.parent, child.inside);
        let waiting: Vec<u32> = (self.threads.iter())
            .filter(|(_, thread)| thread.process == parent)
            .filter(|(_, thread)| match &thread.state {
                State::Waits(_, Wait { on: On::Child(which, true), .. }) => {
                    which.is_none_or(|which| which == inside)
                }
                _ => false,
            })
            .map(|(&id, _)| id)
            .collect();
        waiting.into_iter().try_for_each(|id| self.wake(id, Answer::GoOn, self.global))
    }
}

/// Where the stack of a thread's memory begins (proc(5), stat); nothing is known of one that is gone.
fn stack_of(id: u32) -> Option<u64> {
    let told = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The 28th word, where the second is a name that ends with the last bracket.
    told.rsplit_once(')')?.1.split_whitespace().nth(25)?.parse().ok()
}
