//! A user at work: one process that logs in, uses files, logs out, and logs in again. A login looks at the user's own
//! directory.
//!
//! In a session any of the files in use may come next; its open, an access or its close is the next call. What is drawn
//! depends on the user alone, never on how long a call took or how it ended, so that the calls are the same on a real
//! file system and on a simulated one. The user's clock, by which hours and phases go, is the sum of his think times
//! and pauses.

use super::access::Using;
use super::crowd::Sleep;
use super::population::{Population, Type, time_of};
use super::readings::{Readings, ThinkAfter};
use super::session::{self, Whose};
use super::walk::Walk;
use crate::namespace::{FileKind, Namespace, Purpose};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_distribution::uniform;
use petrio_persist::Persist;
use petrio_random::{Generator, uniform_below};
use petrio_time::Time;
use petrio_units::numbers::as_index;
use petrio_workload::program::{FileProgram, Placement, ProgramError, Step, computing};
use std::collections::VecDeque;
use std::sync::Arc;

/// What all users of a workload share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) namespace: Arc<Namespace>,
    /// The file system on which each of its places lies.
    pub(super) file_systems: Vec<u32>,
    pub(super) population: Arc<Population>,
    pub(super) readings: Readings,
    pub(super) placement: Placement,
    /// Login sessions of each process.
    pub(super) sessions: u32,
    /// When the users begin, after midnight.
    pub(super) begins: Time,
    pub(super) sleep: Sleep,
}

/// Random numbers of a session.
#[derive(Persist)]
pub(super) struct Streams {
    pub(super) next: Generator,
    access: Generator,
    order: Generator,
    compute: Generator,
    pub(super) think: Generator,
}

/// One process of a user.
#[derive(Persist)]
pub(super) struct UserProgram {
    #[persist(shared)]
    shared: Arc<Shared>,
    state: State,
}

/// What changes in a process. What all share is lent to it for each step: to count who holds it would cost every
/// process of every processor the same cache line, at each call.
#[derive(Persist)]
pub(super) struct State {
    pub(super) user: u32,
    /// Which of the sessions that the user has at once.
    pub(super) at_once: u32,
    /// The process in the workload.
    process: u32,
    /// Numbers for files that are made, by use; those that are free.
    pub(super) free: Vec<Vec<FileId>>,
    /// New files that stay, with the session that made them and their use.
    kept: VecDeque<(u32, usize, FileId)>,
    pub(super) session: u32,
    pub(super) streams: Option<Streams>,
    /// Files not in use yet, by use.
    pub(super) waiting: Vec<VecDeque<session::Job>>,
    pub(super) using: Vec<Using>,
    /// Calls that must come next.
    pub(super) due: VecDeque<FileOp>,
    /// A think time that must come next.
    thinks: Time,
    /// What that costs has been spent.
    goes_to_sleep: bool,
    /// Where calls come in an order of their own: how far the session is in it, and what follows the think time.
    pub(super) walk: Walk,
    pub(super) after: VecDeque<FileOp>,
    clock: Time,
    /// The phase, and when it ends.
    phase: (usize, Time),
    phases: Generator,
}

impl UserProgram {
    pub(super) fn new(shared: Arc<Shared>, whose: (u32, u32, u32), free: Vec<Vec<FileId>>) -> Self {
        let state = State::new(&shared, whose, free);
        Self { shared, state }
    }
}

impl FileProgram for UserProgram {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        if self.shared.placement.watch.is_stopped() {
            return Err(ProgramError::Stopped);
        }
        Ok(self.state.next(&self.shared, now))
    }
}

impl State {
    fn new(shared: &Shared, (user, at_once, process): (u32, u32, u32), free: Vec<Vec<FileId>>) -> Self {
        let phases = whose(shared, user, at_once).stream(0, "phases");
        let clock = shared.begins;
        let mut program = Self {
            user,
            at_once,
            process,
            free,
            kept: VecDeque::new(),
            session: 0,
            streams: None,
            waiting: Vec::new(),
            using: Vec::new(),
            due: VecDeque::new(),
            thinks: Time::ZERO,
            goes_to_sleep: false,
            walk: Walk::default(),
            after: VecDeque::new(),
            clock,
            phase: (0, Time::ZERO),
            phases,
        };
        program.begin_phase(shared, 0);
        program
    }

    fn next(&mut self, shared: &Shared, now: Time) -> Step {
        loop {
            // What is due comes before the thinking after it.
            if let Some(op) = self.due.pop_front() {
                return Step::Operation(op);
            }
            if self.thinks > Time::ZERO {
                let Sleep { costs, .. } = shared.sleep;
                if costs > Time::ZERO && !std::mem::replace(&mut self.goes_to_sleep, true) {
                    return Step::Operation(computing(&self.on(shared, FileId::ROOT), costs));
                }
                self.goes_to_sleep = false;
                let time = std::mem::replace(&mut self.thinks, Time::ZERO);
                return Step::Think(shared.sleep.until_tick(now, time));
            }
            if let Some(op) = self.after.pop_front() {
                return Step::Operation(op);
            }
            match (&self.streams, &kind(shared, self.user).calls) {
                (None, _) if self.session == shared.sessions => return Step::End,
                (None, _) => self.log_in(shared),
                (Some(_), Some(chain)) => {
                    if !self.walk(shared, chain) {
                        self.log_out(shared);
                    }
                }
                (Some(_), None) if self.using.is_empty() => self.log_out(shared),
                (Some(_), None) => self.call(shared),
            }
        }
    }

    fn begin_phase(&mut self, shared: &Shared, phase: usize) {
        if let Some(begun) = kind(shared, self.user).phases.get(phase) {
            let lasts = time_of(begun.lasts.sample(&mut self.phases));
            self.phase = (phase, self.clock.saturating_add(lasts));
        }
    }

    /// Passes into the phases that the clock has reached. At most so many at once: phases without length must not hold
    /// the clock.
    fn follow_phases(&mut self, shared: &Shared) {
        const AT_ONCE: u32 = 1_000;
        for _ in 0..AT_ONCE {
            let phases = &kind(shared, self.user).phases;
            let (at, ends) = self.phase;
            let Some(phase) = phases.get(at).filter(|_| self.clock >= ends) else { return };
            let draw = uniform(&mut self.phases);
            let next = phase.next.iter().position(|sum| draw < *sum).unwrap_or(phases.len() - 1);
            self.begin_phase(shared, next);
        }
    }

    /// A time stretched by how busy the hour is; where nobody is there, until somebody is, and then so long.
    fn by_the_hour(&self, shared: &Shared, time: Time) -> Time {
        const HOUR: Time = Time::from_micros(3_600_000_000);
        let hours = &kind(shared, self.user).hours;
        let hour_now = self.clock.as_picos() / HOUR.as_picos();
        let busy = |hour: u64| hours[as_index(hour % hours.len() as u64)];
        match busy(hour_now) {
            factor if factor > 0.0 => time_of(time.as_seconds() / factor),
            _ => {
                let opens = (hour_now + 1..).find(|hour| busy(*hour) > 0.0).unwrap_or(hour_now + 1);
                let until =
                    Time::from_picos(opens.saturating_mul(HOUR.as_picos())).saturating_sub(self.clock);
                until.saturating_add(time_of(time.as_seconds() / busy(opens)))
            }
        }
    }

    /// Thinks for so long, by the phase and the hour.
    pub(super) fn think(&mut self, shared: &Shared, time: Time) {
        let pace = kind(shared, self.user).phases.get(self.phase.0).map_or(1.0, |phase| phase.pace);
        let time = if pace == 1.0 { time } else { time_of(time.as_seconds() * pace) };
        let time = self.by_the_hour(shared, time);
        self.thinks = self.thinks.saturating_add(time);
        self.clock = self.clock.saturating_add(time);
        self.follow_phases(shared);
    }

    /// How long the phase says that users think, where it does.
    pub(super) fn phase_think(&mut self, shared: &Shared) -> Option<Time> {
        let phase = kind(shared, self.user).phases.get(self.phase.0)?;
        let (think, streams) = (phase.think.as_ref()?, self.streams.as_mut()?);
        Some(time_of(think.sample(&mut streams.think)))
    }

    fn think_after(&mut self, shared: &Shared, moves_data: bool) {
        if !moves_data && shared.readings.think_after == ThinkAfter::Data {
            return;
        }
        let kind = kind(shared, self.user);
        let phase = kind.phases.get(self.phase.0);
        let think = phase.and_then(|phase| phase.think.as_ref()).unwrap_or(&kind.think);
        let compute = phase.and_then(|phase| phase.compute.as_ref()).or(kind.compute.as_ref());
        let Some(streams) = &mut self.streams else { return };
        let time = time_of(think.sample(&mut streams.think));
        let computed = compute.map_or(Time::ZERO, |compute| time_of(compute.sample(&mut streams.compute)));
        if computed > Time::ZERO {
            let op = computing(&self.on(shared, FileId::ROOT), computed);
            self.due.push_back(op);
            self.clock = self.clock.saturating_add(computed);
        }
        self.think(shared, time);
    }

    /// Logs in: draws what the session does, and deletes new files that have been there long enough.
    fn log_in(&mut self, shared: &Shared) {
        let (kind, whose) = (kind(shared, self.user), whose(shared, self.user, self.at_once));
        // As a shell does; and whoever reads a trace sees where a session begins.
        self.push(shared, Operation::Stat, self.home(shared), FileId::ROOT);
        let stream = |purpose| whose.stream(self.session, purpose);
        self.streams = Some(Streams {
            next: stream("next"),
            access: stream("access"),
            order: stream("order"),
            compute: stream("compute"),
            think: stream("think"),
        });
        while let Some(&(made, of, file)) = self.kept.front()
            && made + shared.readings.kept_sessions < self.session
        {
            self.kept.pop_front();
            self.push(shared, Operation::Unlink, file, self.home(shared));
            self.free[of].push(file);
        }
        self.waiting = vec![VecDeque::new(); kind.uses.len()];
        for job in session::draw(whose, self.session, kind, &shared.readings, &shared.namespace) {
            self.waiting[job.of as usize].push_back(job);
        }
        if kind.calls.is_some() {
            self.begin_walk(shared);
            return;
        }
        for of in 0..kind.uses.len() {
            for _ in 0..kind.open_files {
                self.take_up(shared, of);
            }
        }
    }

    fn log_out(&mut self, shared: &Shared) {
        self.streams = None;
        if let Some(pause) = &kind(shared, self.user).pause {
            let mut random = whose(shared, self.user, self.at_once).stream(self.session, "pause");
            self.think(shared, time_of(pause.sample(&mut random)));
        }
        self.session += 1;
    }

    /// The user's own directory.
    pub(super) fn home(&self, shared: &Shared) -> FileId {
        let position = shared.namespace.homes[self.user as usize];
        Namespace::file_id(position, &shared.placement)
    }

    /// Takes up the next file of a use; whether there was one.
    pub(super) fn take_up(&mut self, shared: &Shared, of: usize) -> bool {
        let Some(job) = self.waiting[of].pop_front() else { return false };
        let placement = &shared.placement;
        let using = match job.file {
            Some(position) => {
                let entry = &shared.namespace.entries[position as usize];
                let parent =
                    entry.parent.map_or(FileId::ROOT, |parent| Namespace::file_id(parent, placement));
                Using::new(job, Namespace::file_id(position, placement), parent)
            }
            None => {
                // There are as many numbers as the sessions need, so that this doesn't happen.
                let Some(file) = self.free[of].pop() else { return false };
                Using::new(job, file, self.home(shared))
            }
        };
        self.using.push(using);
        true
    }

    fn push(&mut self, shared: &Shared, operation: Operation, file: FileId, parent: FileId) {
        let op = self.op(shared, operation, file, parent);
        self.due.push_back(op);
    }

    /// A call that moves nothing.
    pub(super) fn op(&self, shared: &Shared, operation: Operation, file: FileId, parent: FileId) -> FileOp {
        FileOp { operation, file, parent, ..self.on(shared, file) }
    }

    /// The next access to one of the files in use.
    pub(super) fn access(&mut self, shared: &Shared, at: usize) -> Option<FileOp> {
        let kind = kind(shared, self.user);
        let phase = kind.phases.get(self.phase.0).and_then(|phase| phase.access.as_ref());
        let (using, streams) = (self.using.get_mut(at)?, self.streams.as_mut()?);
        let (file, parent, used) = (using.file, using.parent, &kind.uses[using.job.of as usize]);
        let always = kind.write_access.as_ref().filter(|_| using.is_writing()).unwrap_or(&kind.access);
        let sizes = phase.unwrap_or(always);
        let drawn = using.length(sizes, kind.access_correlation, &mut streams.access);
        let access = using.next(drawn, &used.order, shared.readings.cut, &mut streams.order);
        let operation = if used.kind == FileKind::Directory { Operation::Readdir } else { access.operation };
        let (offset, length) = (access.offset, access.length);
        Some(FileOp { operation, file, parent, offset, length, ..self.on(shared, file) })
    }

    /// What becomes of a file that a session has made and doesn't use any more; whether it deletes it.
    pub(super) fn keeps(&mut self, purpose: Purpose, of: usize, file: FileId) -> bool {
        match purpose {
            Purpose::Temporary => return true,
            Purpose::New => self.kept.push_back((self.session, of, file)),
            Purpose::ReadOnly | Purpose::ReadWrite => {}
        }
        false
    }

    /// What all calls on a file have in common. What users make lies where their own directories do.
    fn on(&self, shared: &Shared, file: FileId) -> FileOp {
        let (namespace, placement) = (&shared.namespace, &shared.placement);
        let position = file.0.wrapping_sub(placement.first_file) as usize;
        let entry = namespace.entries.get(position);
        let entry = entry.or_else(|| namespace.entries.get(namespace.homes[self.user as usize] as usize));
        let file_system =
            entry.map_or(placement.file_system, |entry| shared.file_systems[entry.place as usize]);
        FileOp { file_system, ..placement.operation(self.process) }
    }

    /// The next call on one of the files in use.
    fn call(&mut self, shared: &Shared) {
        let kind = kind(shared, self.user);
        let Some(streams) = &mut self.streams else { return };
        let at = as_index(uniform_below(&mut streams.next, self.using.len() as u64));
        let using = &mut self.using[at];
        let of = using.job.of as usize;
        let used = &kind.uses[of];
        let (file, parent) = (using.file, using.parent);
        if !using.is_open {
            using.is_open = true;
            let operation = using.opening(used.purpose);
            self.push(shared, operation, file, parent);
            return self.think_after(shared, false);
        }
        if using.is_done() {
            let is_over = !using.close();
            self.push(shared, Operation::Close, file, parent);
            self.think_after(shared, false);
            if is_over {
                self.using.swap_remove(at);
                if self.keeps(used.purpose, of, file) {
                    self.push(shared, Operation::Unlink, file, parent);
                    self.free[of].push(file);
                }
                self.take_up(shared, of);
            }
            return;
        }
        let access = self.access(shared, at);
        self.due.extend(access);
        self.think_after(shared, true);
    }
}

/// The type of a user.
pub(super) fn kind(shared: &Shared, user: u32) -> &Type {
    &shared.population.types[shared.population.of_user[user as usize]]
}

pub(super) fn whose(shared: &Shared, user: u32, process: u32) -> Whose<'_> {
    let placement = &shared.placement;
    let Placement { seed, replication, ref name, ref watch, .. } = *placement;
    Whose { seed, replication, name, user, process, watch }
}
