//! The program under way: what its threads ask for, in the order of virtual time.
//!
//! Every thread has a clock. What it computes and what its operations on storage take moves it on; a call of it is looked at when no
//! other thread can do anything earlier any more: others wait, or their clocks are beyond. So what the program does depends on virtual
//! time alone, as far as its own computing does. Threads compute beside each other; nobody is made to take turns.
//!
//! ```text
//!   Running ──call──▶ Asks ──looked at, in order──▶ answered at once ─────────────▶ Running
//!                                       ├─▶ Works: operations in the engine ──done──▶┤
//!                                       └─▶ Waits: a child, a pipe, a word, time ────┘
//! ```

use crate::failure::ExecuteError;
use crate::files::Files;
use crate::options::{Compute, Options};
use crate::table::{Call, Table};
use crate::thread::{Birth, On, Process, State, Status, Thread, Wait, Word, has_signal, letter};
use crate::told::Told;
use crate::used::used;
use petrio_colours::{FileOp, RequestId};
use petrio_intercept::vdso::Clocks;
use petrio_intercept::{Answer, Held, Next, Started, memory};
use petrio_time::Time;
use petrio_workload::Due;
use rustc_hash::FxHashMap;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

/// Whoever computes is looked after so often, nanoseconds; and so often where somebody is about to end.
const LOOK: i64 = 1_000_000;
const LOOK_AT_ENDS: i64 = 30_000;
/// Where only the world outside can go on, one looks whether the run is still wanted.
const LOOK_OUTSIDE: i64 = 50_000_000;
/// Whoever computes for so many looks without a call, while others wait for its clock, may be waiting for them: where computing costs no
/// time its clock would stand still for ever.
const PATIENCE: u32 = 2_000;
/// A signal is waited for so often, for so long each time: whom it takes out of a call needs a processor for that.
const SIGNAL_LOOKS: u32 = 1_000;
const SIGNAL_LOOK: std::time::Duration = std::time::Duration::from_micros(20);
/// Threads that do nothing but read clocks, or look without waiting, get on by so much each time after so many.
const IDLE: u32 = 64;
const IDLE_STEP: Time = Time::from_micros(1);

/// What is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Coming {
    Thread(u32),
    Late(u32),
    Alarm(u32),
    Timer(usize),
    Signal(u32, u64),
}

/// A descriptor that tells of time (timerfd_create(2)).
#[derive(Debug)]
pub(crate) struct Timer {
    pub(crate) fd: OwnedFd,
    pub(crate) at: Time,
    pub(crate) every: Time,
    /// The process and the number by which that one knows it.
    pub(crate) of: (u32, i32),
}

/// A timer that sends a signal (timer_create(2)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignalTimer {
    pub(crate) at: Option<Time>,
    pub(crate) every: Time,
    pub(crate) signal: i32,
}

/// What became of a call that was looked at.
#[derive(Debug)]
pub(crate) enum Verdict {
    Now(Answer),
    Ask(Vec<FileOp>, Answer),
    Wait(Wait),
    /// The thread, or all of its process, is about to end.
    End {
        all: bool,
    },
    /// It starts another, and waits for it to become a program where it must.
    Start {
        waits: bool,
    },
}

/// All that is known of the program.
pub(crate) struct Supervisor {
    pub(crate) started: Started,
    pub(crate) options: Options,
    table: Table,
    clocks: Clocks,
    pub(crate) files: Files,
    pub(crate) threads: BTreeMap<u32, Thread>,
    pub(crate) processes: BTreeMap<u32, Process>,
    births: Vec<Birth>,
    next_number: u32,
    slots: BTreeSet<u32>,
    in_flight: FxHashMap<RequestId, u32>,
    next_id: u64,
    /// Who waits at which word, in the order in which they came.
    pub(crate) words: FxHashMap<Word, VecDeque<u32>>,
    pub(crate) shared_words: FxHashMap<(u32, u64), Option<(u64, u64, u64)>>,
    pub(crate) timers: Vec<Timer>,
    /// Timers that send signals, by their process and their number there.
    pub(crate) signal_timers: FxHashMap<(u32, u64), SignalTimer>,
    /// Threads that have sent signals which nobody has looked for yet.
    pub(crate) signalling: BTreeSet<u32>,
    /// The time of what was looked at last.
    pub(crate) global: Time,
    /// The least processor time between two calls, which is the holding's own.
    shortest: u64,
    looks: u32,
    pub(crate) file_system: u32,
    /// Realtime and monotonic clock of the host at the beginning, nanoseconds.
    pub(crate) began: (u64, u64),
    /// Sets of descriptors that are emptied where a wait's time is over.
    pub(crate) clears: FxHashMap<u32, Vec<(u64, usize)>>,
    /// By how much files have grown.
    pub(crate) grown: u64,
    pub(crate) told: Arc<Mutex<Told>>,
    over: bool,
    /// Whether the program has been called.
    begun: bool,
}

impl Supervisor {
    pub(crate) fn new(
        started: Started,
        options: Options,
        (files, file_system): (Files, u32),
        told: Arc<Mutex<Told>>,
    ) -> Result<Self, ExecuteError> {
        let slots = (0..options.threads).collect();
        Ok(Self {
            started,
            options,
            table: Table::new(),
            clocks: Clocks::find().map_err(ExecuteError::Clocks)?,
            files,
            threads: BTreeMap::new(),
            processes: BTreeMap::new(),
            births: Vec::new(),
            next_number: 0,
            slots,
            in_flight: FxHashMap::default(),
            next_id: 0,
            words: FxHashMap::default(),
            shared_words: FxHashMap::default(),
            timers: Vec::new(),
            signal_timers: FxHashMap::default(),
            signalling: BTreeSet::new(),
            global: Time::ZERO,
            shortest: u64::MAX,
            looks: 0,
            file_system,
            began: crate::clocks::now(),
            clears: FxHashMap::default(),
            grown: 0,
            told,
            over: false,
            begun: false,
        })
    }

    pub(crate) fn tell(&self, what: impl FnOnce(&mut Told)) {
        if let Ok(mut told) = self.told.lock() {
            what(&mut told);
        }
    }

    /// When something is next due, once nothing can come earlier any more.
    pub(crate) fn due(&mut self) -> Result<Due, ExecuteError> {
        loop {
            if self.over {
                return Ok(if self.in_flight.is_empty() { Due::Never } else { Due::AfterCompletion });
            }
            let mut next = self.next();
            if next.is_some() && self.somebody_may_come() {
                while self.pump(0)? {}
                next = self.next();
            }
            let bound = self.bound();
            if let Some((at, ..)) = next
                && (self.signals_arrive()? || at > self.global && self.goes_on())
            {
                continue;
            }
            match (next, bound) {
                (Some((at, ..)), None) => return Ok(Due::At(at)),
                (Some((at, number, _)), Some(bound)) if (at, number) < bound => return Ok(Due::At(at)),
                (_, Some(_)) => {
                    let ends = self.threads.values().any(|thread| matches!(thread.state, State::Ends));
                    if !self.pump(if ends { LOOK_AT_ENDS } else { LOOK })? {
                        self.examine(next.is_some())?;
                    }
                }
                (None, None) if !self.in_flight.is_empty() => return Ok(Due::AfterCompletion),
                (None, None) => {
                    // All wait for the world outside.
                    if !self.pump(LOOK_OUTSIDE)? {
                        self.examine(false)?;
                        if self.is_stopped() {
                            return Ok(Due::Never);
                        }
                    }
                }
            }
        }
    }

    /// Who waited in the kernel and does so no more, since somebody else has done something; whether there is such.
    fn goes_on(&mut self) -> bool {
        let (global, mut any) = (self.global, false);
        for (&id, thread) in &mut self.threads {
            if matches!(thread.state, State::Elsewhere)
                && !matches!(letter(thread.process, id), Some(b'S' | b'D' | b'T' | b't'))
            {
                thread.state = State::Running;
                thread.clock = thread.clock.max(global);
                any = true;
            }
        }
        any
    }

    /// Lets signals that threads have sent reach whom they take out of their calls; whether there were any.
    fn signals_arrive(&mut self) -> Result<bool, ExecuteError> {
        let sent =
            |thread: &u32| self.threads.get(thread).is_none_or(|it| !matches!(it.state, State::Running));
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
                && matches!(thread.state, State::Elsewhere)
            {
                thread.state = State::Running;
                thread.clock = thread.clock.max(global);
            }
        }
        self.check_interrupted(&of_it)
    }

    fn is_stopped(&self) -> bool {
        self.told.lock().is_ok_and(|told| told.watch.is_stopped())
    }

    /// Looks at what is due by now, until an operation on storage comes of it.
    pub(crate) fn issue(&mut self, now: Time) -> Result<Option<FileOp>, ExecuteError> {
        loop {
            let Due::At(at) = self.due()? else { return Ok(None) };
            if at > now {
                return Ok(None);
            }
            let Some((at, _, what)) = self.next() else { return Ok(None) };
            self.global = self.global.max(at);
            match what {
                Coming::Thread(thread) => {
                    if let Some(op) = self.step(thread, now)? {
                        return Ok(Some(op));
                    }
                }
                Coming::Late(thread) => self.late(thread)?,
                Coming::Alarm(process) => self.alarm(process)?,
                Coming::Signal(process, timer) => self.signal(process, timer)?,
                Coming::Timer(timer) => self.timer(timer),
            }
        }
    }

    /// An operation of the engine's is done.
    pub(crate) fn complete(&mut self, id: RequestId, now: Time) -> Result<(), ExecuteError> {
        let Some(number) = self.in_flight.remove(&id) else { return Ok(()) };
        self.global = self.global.max(now);
        let Some(thread) = self.threads.get_mut(&number) else { return Ok(()) };
        thread.clock = now;
        if !thread.asks.is_empty() {
            return Ok(());
        }
        if let State::Works(held, answer) = std::mem::replace(&mut thread.state, State::Running) {
            self.answer(number, held, answer)?;
        }
        Ok(())
    }

    /// What comes first of all that could be looked at.
    fn next(&self) -> Option<(Time, u32, Coming)> {
        let of_thread = |(&id, thread): (&u32, &Thread)| match &thread.state {
            State::Asks(_) => Some((thread.clock, thread.number, Coming::Thread(id))),
            State::Works(..) if !thread.asks.is_empty() && !self.in_flight.values().any(|of| *of == id) => {
                Some((thread.clock, thread.number, Coming::Thread(id)))
            }
            State::Waits(_, Wait { until: Some(until), .. }) => {
                Some((*until, thread.number, Coming::Late(id)))
            }
            _ => None,
        };
        let alarms =
            self.processes.iter().filter_map(|(&id, process)| Some((process.alarm?.0, 0, Coming::Alarm(id))));
        let timers = self.timers.iter().enumerate().map(|(index, timer)| (timer.at, 0, Coming::Timer(index)));
        let signals = self
            .signal_timers
            .iter()
            .filter_map(|(&(process, timer), it)| Some((it.at?, 0, Coming::Signal(process, timer))));
        self.threads.iter().filter_map(of_thread).chain(alarms).chain(timers).chain(signals).min()
    }

    /// Before this nobody who computes, or is about to be seen, can do anything.
    fn bound(&self) -> Option<(Time, u32)> {
        let running =
            self.threads.values().filter(|thread| matches!(thread.state, State::Running | State::Ends));
        let born = self.births.iter().map(|birth| (birth.clock, birth.number));
        running.map(|thread| (thread.clock, thread.number)).chain(born).min()
    }

    /// Whether a call, or something that is waited for, may have come.
    fn somebody_may_come(&self) -> bool {
        !self.births.is_empty()
            || self.threads.values().any(|thread| match &thread.state {
                State::Running | State::Elsewhere | State::Ends => true,
                State::Waits(_, wait) => matches!(wait.on, On::Ready(_) | On::Room(..)),
                State::Asks(_) | State::Works(..) => false,
            })
    }

    /// Takes what has come, and waits for it for so many nanoseconds; whether anything had.
    fn pump(&mut self, wait: i64) -> Result<bool, ExecuteError> {
        let waiting: Vec<(u32, Arc<OwnedFd>, PollFlags)> = self.waiting();
        if waiting.is_empty() {
            return self.receive(wait);
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
                    all.push((id, fd.clone(), PollFlags::OUT))
                }
                _ => {}
            }
        }
        all
    }

    fn receive(&mut self, wait: i64) -> Result<bool, ExecuteError> {
        let span = Timespec { tv_sec: 0, tv_nsec: wait };
        match self.started.listener.next(Some(span)).map_err(ExecuteError::Held)? {
            Next::Call(held) => self.arrive(held).map(|()| true),
            Next::Nothing => Ok(false),
            Next::End => {
                self.over = true;
                self.threads.clear();
                self.births.clear();
                Ok(true)
            }
        }
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
        if let State::Waits(held, _) = std::mem::replace(&mut thread.state, State::Running) {
            thread.clock = thread.clock.max(at);
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
        let (compute, global, shortest) = (self.options.compute, self.global, self.shortest);
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
                let now = used(thread.process, id, alone).unwrap_or(thread.used);
                let span = now.saturating_sub(thread.used);
                self.shortest = shortest.min(span.max(1));
                computed = Time::from_nanos(span.saturating_sub(self.shortest));
                thread.used = now;
            }
            Compute::Fixed(each) => computed = each,
            Compute::None => {}
        }
        thread.clock = match thread.state {
            // Whoever let it go on did so at the latest now.
            State::Elsewhere | State::Waits(..) | State::Works(..) => thread.clock.max(global),
            _ => thread.clock,
        }
        .saturating_add(computed);
        thread.asks.clear();
        thread.state = State::Asks(held);
        let settle = std::mem::take(&mut thread.settle);
        if let Some((at, signal)) = thread.timer.take()
            && let Ok(number) = memory::word(id, at)
        {
            let timer = SignalTimer { at: None, every: Time::ZERO, signal };
            self.signal_timers.insert((thread.process, number.into()), timer);
        }
        let (process, is_new, births) = (thread.process, std::mem::take(&mut thread.is_new), thread.births);
        for (path, file) in settle {
            self.files.settle(id, &path, file);
        }
        if is_new {
            // One that is gone needs none.
            let _ = self.clocks.write_over(process);
        }
        if births > 0 {
            self.find_born(id);
        }
        self.tell(|told| told.computed = told.computed.saturating_add(computed));
        Ok(())
    }

    /// A thread that was never seen before.
    fn adopt(&mut self, id: u32) {
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
        let number = birth.map_or_else(|| self.number(), |birth| birth.number);
        let clock = birth.map_or(self.global, |birth| birth.clock);
        let slot = self.slots.pop_first().unwrap_or(0);
        let process = self.processes.entry(status.process).or_insert_with(|| {
            let handle = i32::try_from(status.process).ok().and_then(Pid::from_raw);
            Process {
                parent: status.parent,
                inside: status.inside,
                handle: handle.and_then(|handle| pidfd_open(handle, PidfdFlags::empty()).ok()),
                ended: None,
                threads: 0,
                several: false,
                open: BTreeMap::new(),
                alarm: None,
            }
        });
        process.threads += 1;
        process.several |= process.threads > 1;
        let alone = !process.several;
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
                    used(status.process, id, alone).unwrap_or(0)
                },
                settle: Vec::new(),
                idle: 0,
                is_new: birth.is_none(),
                births: 0,
                timer: None,
            },
        );
        let (threads, all) = (self.threads.len(), self.next_number);
        self.tell(|told| {
            told.most_threads = told.most_threads.max(threads);
            told.threads = all.into();
            told.processes += u64::from(!is_thread);
        });
    }

    fn number(&mut self) -> u32 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// A thread that has started others is back: those that aren't seen yet are looked for, and if they aren't there, nothing came of them.
    fn find_born(&mut self, id: u32) {
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

    /// Looks at a call, or goes on with one that needs further operations.
    fn step(&mut self, id: u32, now: Time) -> Result<Option<FileOp>, ExecuteError> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(None) };
        if let Some(mut op) = thread.asks.pop_front() {
            (op.id, op.process, op.issued) = (RequestId(self.next_id), thread.slot, now);
            op.file_system = self.file_system;
            self.next_id += 1;
            self.in_flight.insert(op.id, id);
            return Ok(Some(op));
        }
        let State::Asks(held) = &thread.state else { return Ok(None) };
        let held = *held;
        let call = self.table.call(held.call);
        if !self.begun {
            // What petrio does itself until it becomes the program is none of that.
            self.begun = call == Some(Call::Execve);
            thread.clock = Time::ZERO;
            thread.is_new = self.begun;
            self.tell(|told| (told.computed, told.programs) = (Time::ZERO, 1));
            self.answer(id, held, Answer::GoOn)?;
            return Ok(None);
        }
        let Some(call) = call else {
            self.answer(id, held, Answer::GoOn)?;
            return Ok(None);
        };
        self.tell(|told| *told.calls.entry(call.name()).or_default() += 1);
        let verdict = self.decide(id, call, &held);
        self.idles(id, call, &verdict);
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(None) };
        match verdict {
            Verdict::Now(answer) => self.answer(id, held, answer)?,
            Verdict::Ask(ops, answer) if ops.is_empty() => self.answer(id, held, answer)?,
            Verdict::Ask(ops, answer) => {
                thread.asks = ops.into();
                thread.state = State::Works(held, answer);
                return self.step(id, now);
            }
            Verdict::Wait(wait) => {
                if let On::Word(word, _) = wait.on {
                    self.words.entry(word).or_default().push_back(id);
                }
                if let Some(thread) = self.threads.get_mut(&id) {
                    thread.state = State::Waits(held, wait);
                }
            }
            Verdict::End { all } => self.ends(id, held, all)?,
            Verdict::Start { waits } => self.starts(id, held, waits)?,
        }
        Ok(None)
    }

    /// Whoever only looks at the clock gets on all the same.
    fn idles(&mut self, id: u32, call: Call, verdict: &Verdict) {
        let Some(thread) = self.threads.get_mut(&id) else { return };
        let looks =
            matches!(call, Call::ClockGettime | Call::Gettimeofday | Call::Time | Call::Poll | Call::Ppoll)
                || matches!(call, Call::EpollWait | Call::Select | Call::Pselect | Call::Yield | Call::Futex);
        if !looks || !matches!(verdict, Verdict::Now(_)) {
            thread.idle = 0;
            return;
        }
        thread.idle += 1;
        if thread.idle > IDLE {
            thread.clock = thread.clock.saturating_add(IDLE_STEP);
        }
    }

    /// Answers a call.
    pub(crate) fn answer(&mut self, id: u32, held: Held, answer: Answer) -> Result<(), ExecuteError> {
        self.started.listener.answer(held.id, answer).map_err(ExecuteError::Held)?;
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Running;
        }
        Ok(())
    }

    fn ends(&mut self, id: u32, held: Held, all: bool) -> Result<(), ExecuteError> {
        self.answer(id, held, Answer::GoOn)?;
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

    fn starts(&mut self, id: u32, held: Held, waits: bool) -> Result<(), ExecuteError> {
        if self.slots.is_empty() {
            self.tell(|told| told.refused_threads += 1);
            return self.answer(id, held, Answer::Error(libc::EAGAIN));
        }
        let number = self.number();
        self.answer(id, held, Answer::GoOn)?;
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        self.births.push(Birth { by: id, process: thread.process, number, clock: thread.clock });
        thread.births += 1;
        if waits {
            thread.state = State::Elsewhere;
        }
        Ok(())
    }

    /// Nobody has called for a while: who has ended, who waits in the kernel, whose clock has gone on.
    fn examine(&mut self, somebody_waits: bool) -> Result<(), ExecuteError> {
        self.looks += 1;
        let all: Vec<u32> = self.threads.keys().copied().collect();
        for id in all {
            let Some(thread) = self.threads.get(&id) else { continue };
            let (process, sees) = (thread.process, letter(thread.process, id));
            if matches!(sees, None | Some(b'Z' | b'X')) {
                self.gone(id)?;
                continue;
            }
            match &thread.state {
                State::Waits(held, _) | State::Works(held, _) => {
                    if !self.started.listener.is_waiting(held.id).map_err(ExecuteError::Held)? {
                        self.interrupted(id);
                    }
                }
                State::Running if matches!(sees, Some(b'S' | b'T' | b't')) => {
                    // It may have called just now.
                    if !self.receive(0)?
                        && self.threads.get(&id).is_some_and(|it| matches!(it.state, State::Running))
                    {
                        self.elsewhere(id);
                    }
                }
                State::Running => self.computes(id, process, somebody_waits),
                _ => {}
            }
        }
        // Words that the kernel has changed, or somebody who was never seen.
        let processes: BTreeSet<u32> = self.threads.values().map(|thread| thread.process).collect();
        for process in processes {
            self.look_at_words(process, self.global)?;
        }
        // What was started and has ended before it was ever seen.
        let seen: Vec<u32> = self.births.iter().map(|birth| birth.by).collect();
        self.births.retain(|birth| self.threads.contains_key(&birth.by));
        for by in seen {
            if self.looks > 2 && self.threads.get(&by).is_some_and(|it| !matches!(it.state, State::Running)) {
                self.find_born(by);
            }
        }
        Ok(())
    }

    fn elsewhere(&mut self, id: u32) {
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.state = State::Elsewhere;
        }
    }

    /// A signal has taken a thread out of its call, which it makes again, or not.
    fn interrupted(&mut self, id: u32) {
        let global = self.global;
        for queue in self.words.values_mut() {
            queue.retain(|waiting| *waiting != id);
        }
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.clock = thread.clock.max(global);
            thread.asks.clear();
            thread.state = State::Running;
        }
    }

    /// The clock of whoever computes goes on, where that is measured.
    fn computes(&mut self, id: u32, process: u32, somebody_waits: bool) {
        let alone = self.processes.get(&process).is_none_or(|process| !process.several);
        let Some(thread) = self.threads.get_mut(&id) else { return };
        match self.options.compute {
            Compute::Measured => {
                if let Some(now) = used(process, id, alone) {
                    let span = Time::from_nanos(now.saturating_sub(thread.used));
                    thread.clock = thread.clock.saturating_add(span);
                    thread.used = now.max(thread.used);
                    self.tell(|told| told.computed = told.computed.saturating_add(span));
                }
            }
            _ if somebody_waits && self.looks > PATIENCE => {
                thread.state = State::Elsewhere;
                self.tell(|told| told.uncertain += 1);
            }
            _ => {}
        }
    }

    /// A thread has ended.
    fn gone(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(thread) = self.threads.remove(&id) else { return Ok(()) };
        for queue in self.words.values_mut() {
            queue.retain(|waiting| *waiting != id);
        }
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
                self.timers.retain(|timer| timer.of.0 != thread.process);
                self.shared_words.retain(|(of, _), _| *of != thread.process);
                parent = Some(process.parent);
            }
        }
        // The kernel clears a word of whoever ends, and wakes those who wait for that.
        self.look_at_words(thread.process, global)?;
        if let Some(parent) = parent {
            self.child_ended(parent, thread.process, thread.clock)?;
        }
        Ok(())
    }

    /// Those who wait at words that have become others without anybody's telling.
    fn look_at_words(&mut self, process: u32, at: Time) -> Result<(), ExecuteError> {
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
                State::Waits(_, Wait { on: On::Child(which), .. }) => which.is_none() || *which == inside,
                _ => false,
            })
            .map(|(&id, _)| id)
            .collect();
        waiting.into_iter().try_for_each(|id| self.wake(id, Answer::GoOn, at))
    }

    /// Those of these threads whose calls a signal has ended.
    fn check_interrupted(&mut self, threads: &[u32]) -> Result<(), ExecuteError> {
        for &id in threads {
            let Some(Thread { state: State::Waits(held, _), .. }) = self.threads.get(&id) else { continue };
            if !self.started.listener.is_waiting(held.id).map_err(ExecuteError::Held)? {
                self.interrupted(id);
            }
        }
        Ok(())
    }

    /// The time of a wait is over.
    fn late(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        let State::Waits(held, Wait { until: Some(until), late, on }) =
            std::mem::replace(&mut thread.state, State::Running)
        else {
            return Ok(());
        };
        thread.clock = thread.clock.max(until);
        if let On::Word(word, _) = on {
            self.words.entry(word).or_default().retain(|other| *other != id);
        }
        for (set, bytes) in self.clears.remove(&id).unwrap_or_default() {
            let _ = memory::write(id, set, &vec![0; bytes]);
        }
        self.answer(id, held, late)
    }

    /// An alarm goes off: the process gets its signal.
    fn alarm(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(process) = self.processes.get_mut(&id) else { return Ok(()) };
        let Some((at, every)) = process.alarm.take() else { return Ok(()) };
        if every > Time::ZERO {
            process.alarm = Some((at.saturating_add(every), every));
        }
        self.send(id, libc::SIGALRM)
    }

    /// A timer goes off that sends a signal.
    fn signal(&mut self, process: u32, timer: u64) -> Result<(), ExecuteError> {
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

    /// A descriptor that tells of time becomes ready: by the kernel's own means, at once.
    fn timer(&mut self, index: usize) {
        let Some(timer) = self.timers.get_mut(index) else { return };
        crate::clocks::expire(&timer.fd);
        match timer.every > Time::ZERO {
            true => timer.at = timer.at.saturating_add(timer.every),
            false => drop(self.timers.remove(index)),
        }
    }
}
