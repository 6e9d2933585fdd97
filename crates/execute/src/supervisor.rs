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
use crate::options::Options;
use crate::ranks::Ranks;
use crate::real_time::Wall;
use crate::signals::{FIRST_TIMER, SignalTimer};
use crate::standstill::Starts;
use crate::table::{Call, Counts, Table};
use crate::thread::{Birth, On, Process, SharedPage, State, Thread, Wait, Word};
use crate::timers::Timer;
use crate::told::Told;
use petrio_colours::{FileOp, RequestId};
use petrio_intercept::vdso::Clocks;
use petrio_intercept::{Answer, Started, memory};
use petrio_time::Time;
use petrio_workload::Due;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

/// Whoever computes is looked after so often, nanoseconds; and so often where somebody is about to end.
pub(crate) const LOOK: i64 = 1_000_000;
const LOOK_AT_ENDS: i64 = 30_000;
/// Where only the world outside can go on, one looks whether the run is still wanted.
const LOOK_OUTSIDE: i64 = 50_000_000;
/// After so many of these, ranks that wait for each other are let go on.
const LOOKS_FOR_OTHERS: u32 = 20;
/// Threads that do nothing but read clocks, or look without waiting, get on by so much each time after so many.
const IDLE: u32 = 64;
const IDLE_STEP: Time = Time::from_micros(1);

/// What is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Coming {
    Thread(u32),
    Late(u32),
    Alarm(u32),
    Timer(usize),
    Signal(u32, u64),
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
    pub(crate) table: Table,
    pub(crate) clocks: Clocks,
    pub(crate) files: Files,
    pub(crate) threads: BTreeMap<u32, Thread>,
    pub(crate) processes: BTreeMap<u32, Process>,
    pub(crate) births: Vec<Birth>,
    pub(crate) next_number: u32,
    pub(crate) slots: BTreeSet<u32>,
    pub(crate) in_flight: FxHashMap<RequestId, u32>,
    pub(crate) next_id: u64,
    /// Who waits at which word, in the order in which they came.
    pub(crate) words: FxHashMap<Word, VecDeque<u32>>,
    /// Pages of processes, and what file each is of and where in it, if several share it.
    pub(crate) shared_words: FxHashMap<(u32, u64), Option<SharedPage>>,
    pub(crate) timers: Vec<Timer>,
    /// Timers that send signals, by their process and their number there.
    pub(crate) signal_timers: FxHashMap<(u32, u64), SignalTimer>,
    /// The number of the next of these.
    pub(crate) next_timer: u32,
    /// The mark of the last descriptor that tells of time.
    pub(crate) next_mark: i64,
    /// Threads that have sent signals which nobody has looked for yet.
    pub(crate) signalling: BTreeSet<u32>,
    /// The time of what was looked at last.
    pub(crate) global: Time,
    /// The least processor time between two calls, which is the holding's own.
    pub(crate) shortest: u64,
    /// Starts of threads and processes at one instant.
    pub(crate) starts: Starts,
    pub(crate) looks: u32,
    /// Looks at which nothing came, in real time.
    pub(crate) idle_looks: u32,
    pub(crate) wall: Wall,
    /// Realtime and monotonic clock of the host at the beginning, nanoseconds.
    pub(crate) began: (u64, u64),
    /// Sets of descriptors that are emptied where a wait's time is over.
    pub(crate) clears: FxHashMap<u32, Vec<(u64, usize)>>,
    /// By how much files have grown.
    pub(crate) grown: u64,
    /// By how much since it was last asked whether the scratch directory's disk has room.
    pub(crate) unasked: u64,
    pub(crate) told: Arc<Mutex<Told>>,
    /// Calls that were seen, by their place among all, and what was computed between them: told when it is over.
    counts: Counts,
    pub(crate) computed: Time,
    pub(crate) over: bool,
    /// The program's own process, whose end is that of all.
    pub(crate) first: Option<u32>,
    /// Whether the program has been called.
    pub(crate) begun: bool,
    /// Ranks of MPI.
    pub(crate) ranks: Ranks,
}

impl Supervisor {
    pub(crate) fn new(
        started: Started,
        options: Options,
        files: Files,
        told: Arc<Mutex<Told>>,
    ) -> Result<Self, ExecuteError> {
        let slots = (0..options.threads).collect();
        let mut ranks = Ranks::new(options.messages);
        ranks.carried.is_on = options.places.len() > 1;
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
            next_timer: FIRST_TIMER,
            next_mark: 0,
            signalling: BTreeSet::new(),
            global: Time::ZERO,
            shortest: u64::MAX,
            starts: Starts::default(),
            looks: 0,
            idle_looks: 0,
            wall: Wall::default(),
            began: crate::clocks::now(),
            clears: FxHashMap::default(),
            grown: 0,
            unasked: 0,
            told,
            counts: Counts::new(),
            computed: Time::ZERO,
            over: false,
            first: None,
            begun: false,
            ranks,
        })
    }

    pub(crate) fn tell(&self, what: impl FnOnce(&mut Told)) {
        if let Ok(mut told) = self.told.lock() {
            what(&mut told);
        }
    }

    /// Tells what was counted so far.
    pub(crate) fn tell_counts(&self) {
        self.tell(|told| {
            (told.calls, told.computed) = (self.counts.by_name(), self.computed);
            told.late = self.wall.late(0.5).zip(self.wall.late(0.99));
        });
    }

    /// When something is next due, once nothing can come earlier any more.
    pub(crate) fn due(&mut self) -> Result<Due, ExecuteError> {
        if self.options.real_time {
            return self.due_in_real_time();
        }
        loop {
            self.passes_turn()?;
            if self.over {
                return Ok(if self.engine_is_idle() { Due::Never } else { Due::AfterCompletion });
            }
            if self.ranks.carried.asks() {
                return Ok(Due::At(self.global));
            }
            let mut next = self.next();
            if next.is_some() && self.somebody_may_come() {
                while !self.over && self.pump(0)? && !self.ranks.has_spun() {}
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
                (None, None) if self.in_flight.is_empty() && self.receives_all() => {}
                (None, None) if !self.engine_is_idle() => return Ok(Due::AfterCompletion),
                (None, None) if self.looks_again() => {
                    if self.ranks.spins_in_vain() {
                        self.releases();
                    }
                    self.pump(LOOK)?;
                }
                (None, None) => {
                    // All wait for the world outside.
                    if self.ranks.spins_in_vain() {
                        self.releases();
                    }
                    if !self.pump(LOOK_OUTSIDE)? {
                        self.examine(false)?;
                        if self.looks > LOOKS_FOR_OTHERS {
                            self.releases();
                        }
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
            if !thread.lends
                && matches!(thread.state, State::Elsewhere)
                && !matches!(thread.letter.now(thread.process, id), Some(b'S' | b'D' | b'T' | b't'))
            {
                thread.state = State::Running;
                thread.clock = thread.clock.max(global);
                any = true;
            }
        }
        any
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.told.lock().is_ok_and(|told| told.watch.is_stopped())
    }

    /// Looks at what is due by now, until an operation on storage comes of it.
    pub(crate) fn issue(&mut self, now: Time) -> Result<Option<FileOp>, ExecuteError> {
        loop {
            if self.ranks.carried.asks() {
                let id = self.next_id();
                return Ok(self.ranks.carried.issue(id, now));
            }
            if !self.options.real_time && !matches!(self.due()?, Due::At(at) if at <= now) {
                return Ok(None);
            }
            let Some((at, _, what)) = self.next().filter(|(at, ..)| *at <= now) else { return Ok(None) };
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
        if self.carried(id, now)? {
            return Ok(());
        }
        let Some(number) = self.in_flight.remove(&id) else { return Ok(()) };
        self.global = self.global.max(now);
        self.stored(number, now);
        let Some(thread) = self.threads.get_mut(&number) else { return Ok(()) };
        thread.clock = now;
        if self.options.real_time {
            self.wall.returns(now);
        }
        if !thread.asks.is_empty() {
            return Ok(());
        }
        if let State::Works(held, answer) = std::mem::replace(&mut thread.state, State::Running) {
            self.answer(number, held, answer)?;
        }
        Ok(())
    }

    /// What comes first of all that could be looked at.
    pub(crate) fn next(&self) -> Option<(Time, u32, Coming)> {
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
        let timers = (self.timers.iter().enumerate())
            .filter_map(|(index, timer)| Some((timer.at?, 0, Coming::Timer(index))));
        let signals = self
            .signal_timers
            .iter()
            .filter(|(_, it)| it.signal != 0)
            .filter_map(|(&(process, timer), it)| Some((it.at?, 0, Coming::Signal(process, timer))));
        self.threads.iter().filter_map(of_thread).chain(alarms).chain(timers).chain(signals).min()
    }

    /// Before this nobody who computes, or is about to be seen, can do anything.
    fn bound(&self) -> Option<(Time, u32)> {
        let running = self
            .threads
            .values()
            .filter(|thread| thread.state.goes_on() || matches!(thread.state, State::Ends));
        let born = self.births.iter().map(|birth| (birth.clock, birth.number));
        running.map(|thread| (thread.clock, thread.number)).chain(born).min()
    }

    /// Whether a call, or something that is waited for, may have come.
    fn somebody_may_come(&self) -> bool {
        !self.births.is_empty()
            || self.threads.values().any(|thread| match &thread.state {
                State::Running | State::Elsewhere | State::Ends | State::Outside => true,
                State::Waits(_, wait) => matches!(wait.on, On::Ready(_) | On::Room(..)),
                State::Asks(_) | State::Works(..) | State::Ready(..) | State::Spins(_) => false,
            })
    }

    /// Looks at a call, or goes on with one that needs further operations.
    fn step(&mut self, id: u32, now: Time) -> Result<Option<FileOp>, ExecuteError> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(None) };
        if let Some(op) = thread.asks.pop_front() {
            let op = self.placed(id, op, now);
            self.in_flight.insert(op.id, id);
            self.stores(id, &op);
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
            self.wall.begin();
            self.computed = Time::ZERO;
            self.tell(|told| told.programs = 1);
            if self.begun {
                let program = self.options.program.clone();
                self.begins_program(id, program.as_os_str());
            }
            self.answer(id, held, Answer::GoOn)?;
            self.leaves_program(id);
            return Ok(None);
        }
        let Some(call) = call else {
            self.answer(id, held, Answer::GoOn)?;
            return Ok(None);
        };
        self.counts.count(call);
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
            Verdict::Wait(mut wait) => {
                if self.may_read_signals(id, &mut wait) {
                    self.answer(id, held, Answer::GoOn)?;
                    return Ok(None);
                }
                if let On::Word(word, _) = wait.on {
                    self.words.entry(word).or_default().push_back(id);
                }
                if let Some(thread) = self.threads.get_mut(&id) {
                    thread.state = State::Waits(held, wait);
                }
                self.may_be_taken_out(id)?;
            }
            Verdict::End { all } => self.ends(id, held, all)?,
            Verdict::Start { waits } => self.starts(id, held, waits)?,
        }
        self.leaves_program(id);
        Ok(None)
    }

    /// Whoever only looks at the clock gets on all the same.
    fn idles(&mut self, id: u32, call: Call, verdict: &Verdict) {
        let Some(thread) = self.threads.get_mut(&id) else { return };
        let looks =
            matches!(call, Call::ClockGettime | Call::Gettimeofday | Call::Time | Call::Poll | Call::Ppoll)
                || matches!(
                    call,
                    Call::EpollWait
                        | Call::EpollPwait
                        | Call::Select
                        | Call::Pselect
                        | Call::Yield
                        | Call::Futex
                );
        if !looks || !matches!(verdict, Verdict::Now(_)) {
            thread.idle = 0;
            return;
        }
        thread.idle += 1;
        if thread.idle > IDLE {
            thread.clock = thread.clock.saturating_add(IDLE_STEP);
        }
    }

    /// The time of a wait is over.
    fn late(&mut self, id: u32) -> Result<(), ExecuteError> {
        let Some(thread) = self.threads.get_mut(&id) else { return Ok(()) };
        let State::Waits(held, Wait { until: Some(until), late, on, .. }) =
            std::mem::replace(&mut thread.state, State::Running)
        else {
            return Ok(());
        };
        thread.clock = thread.clock.max(until);
        crate::clocks::tell_rest(id, &held, Time::ZERO);
        if let On::Word(word, _) = on {
            self.words.entry(word).or_default().retain(|other| *other != id);
        }
        for (set, bytes) in self.clears.remove(&id).unwrap_or_default() {
            let _ = memory::write(id, set, &vec![0; bytes]);
        }
        self.answer(id, held, late)
    }
}
