//! A process at work: its passes, how many accesses it has in flight, rates, rests, and what makes its writes durable.

use super::course::{Access, Course, Origin};
use super::flow::{Flows, InFlow};
use super::paced::Paced;
use super::parameters::{AccessKind, AccessParameters, Pace, Submitting};
use super::search::{DepthSearch, Found};
use super::seeds::{Purpose, Seeds};
use super::steady::Steadiness;
use crate::program::{FileProgram, Phase, Placement, ProgramError, Step, computing};
use petrio_colours::{AccessFlags, FileId, FileOp, Operation, Submission};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a program is in its course.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum CourseState {
    /// Nothing has been done.
    Begin,
    /// It begins now.
    Epoch,
    /// A pass.
    Pass,
    /// What was written is read back.
    ReadBack,
    /// A pass is over.
    Between,
    /// Names of files, the one of this number next.
    Names(u32),
    /// Nothing more is issued.
    Closing,
    End,
}

/// One process.
#[derive(Clone, Debug, Persist)]
pub struct AccessProgram {
    #[persist(keep)]
    pub(super) parameters: AccessParameters,
    template: FileOp,
    /// Its files' numbers.
    first_file: u32,
    files: u32,
    course: Course,
    on_devices: bool,
    pub(super) queue: VecDeque<Step>,
    pub(super) stage: CourseState,
    began: Time,
    warms_up: bool,
    pass: u32,
    /// Bytes in this pass, and accesses in it.
    pass_bytes: u64,
    pass_count: u64,
    bytes: u64,
    count: u64,
    amount: u64,
    paces: [Option<Paced>; 2],
    /// What the next access is, where it waits for its time, and whether nothing is in flight since.
    chosen: Option<bool>,
    is_quiet: bool,
    /// What it has submitted and not taken back, and how many it has, of which so many when it rested last; where more may be taken back
    /// than are waited for, as if there weren't more.
    depth: u32,
    taken_back: u64,
    rested_at: u64,
    rested: Time,
    /// The file that was written last, where an fsync may follow.
    just_written: Option<usize>,
    to_read_back: BTreeMap<(usize, u64), u64>,
    search: Option<Box<DepthSearch>>,
    #[persist(inside)]
    steadiness: Option<Arc<Mutex<Steadiness>>>,
    flow: Option<InFlow>,
}

impl AccessProgram {
    /// A process of parameters that are sound, by its number in the workload, with its files (or disks) from `first_file` on,
    /// whose areas are given: where each begins, how long it is, and how large the file is.
    pub(super) fn new(
        parameters: &AccessParameters,
        placement: &Placement,
        (process, first_file): (u32, u32),
        areas: &[(u64, u64, u64)],
        on_devices: bool,
    ) -> Self {
        let flags = AccessFlags {
            direct: parameters.direct,
            sync: parameters.sync,
            data_sync: parameters.data_sync,
            mapped: parameters.mapped,
            submission: if parameters.mapped { Submission::Waits } else { parameters.engine.submission() },
            ..AccessFlags::default()
        };
        let mut own = placement.stream(process, "places");
        // The first replication of a seed that is told is the one that it is told for.
        let seed = match parameters.seed {
            Some(seed) => seed.wrapping_add(placement.replication.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            None => petrio_random::uniform_below(&mut own, u64::MAX),
        };
        let job = parameters.job_number.saturating_add(process);
        let seeds = Seeds::new(seed, job);
        let write_pace = parameters.write_pace.or(parameters.pace);
        let paced = |pace: Option<Pace>, purpose, least| {
            let random = seeds.short(purpose);
            pace.map(|pace| Paced { pace, random, bytes: 0, count: 0, next: Time::ZERO, least })
        };
        let paces = [
            paced(parameters.pace, Purpose::ReadArrivals, parameters.record.bounds().0),
            paced(write_pace, Purpose::WriteArrivals, parameters.writes().bounds().0),
        ];
        let repeats = parameters.seed.is_some() && parameters.same_passes && placement.replication == 0;
        let course = Course::new(parameters, areas, Origin { seed: Some(seed), job, repeats, own });
        let amount = parameters.amount.map_or(course.whole(), petrio_units::Bytes::get);
        Self {
            template: FileOp { flags, ..placement.operation(process) },
            first_file,
            files: as_number(areas.len()),
            course,
            on_devices,
            queue: VecDeque::new(),
            stage: CourseState::Begin,
            began: Time::ZERO,
            warms_up: parameters.warm_up.time() > Time::ZERO,
            pass: 0,
            pass_bytes: 0,
            pass_count: 0,
            bytes: 0,
            count: 0,
            amount,
            paces,
            chosen: None,
            is_quiet: false,
            depth: 0,
            taken_back: 0,
            rested_at: 0,
            rested: Time::ZERO,
            just_written: None,
            to_read_back: BTreeMap::new(),
            search: parameters
                .latency_target
                .map(|target| Box::new(DepthSearch::new(target, parameters.in_flight))),
            steadiness: parameters.until_steady.map(|wanted| Arc::new(Mutex::new(Steadiness::new(wanted)))),
            flow: None,
            parameters: parameters.clone(),
        }
    }

    /// Whether it goes on while its accesses are in flight.
    fn submits(&self) -> bool {
        self.template.flags.submission != Submission::Waits
    }

    fn file(&self, number: usize) -> FileId {
        FileId(self.first_file + as_number(number))
    }

    /// Asks for an operation, behind which it goes on at once or waits.
    fn ask(&mut self, op: FileOp) {
        if !self.submits() {
            self.queue.push_back(Step::Operation(op));
            self.taken_back += 1;
            return;
        }
        let full = self.search.as_ref().map_or(self.parameters.in_flight, |search| search.depth());
        let Submitting { waits_for, takes, refills_at, together } = self.parameters.submitting;
        let batch = full.saturating_sub(waits_for.max(1));
        let low = match refills_at {
            0 => full - 1,
            low => low.min(full - 1),
        };
        let down_to = batch.min(low);
        self.queue.push_back(Step::Submit { op, together: together.max(1) });
        self.queue.push_back(Step::Reap { full, down_to, most: takes.max(1) });
        self.depth += 1;
        if self.depth >= full {
            self.taken_back += u64::from(self.depth - down_to);
            self.depth = down_to;
        }
    }

    /// Waits for all that is in flight.
    fn reap_all(&mut self) {
        if self.submits() {
            self.taken_back += u64::from(std::mem::take(&mut self.depth));
            self.queue.push_back(Step::Reap { full: 1, down_to: 0, most: u32::MAX });
        }
    }

    fn on_file(&self, operation: Operation, file: usize) -> FileOp {
        FileOp { operation, file: self.file(file), ..self.template.clone() }
    }

    fn access(&self, Access { file, writes, offset, length }: Access) -> FileOp {
        let operation = match writes {
            true if self.parameters.truncates => {
                // The new length, and what is waited for.
                let mut op = self.waited(Operation::Truncate, file);
                op.length = offset;
                return op;
            }
            true => Operation::Write,
            false => Operation::Read,
        };
        FileOp { offset, length, ..self.on_file(operation, file) }
    }

    /// Puts what comes next into the queue, or goes one stage further.
    fn decide(&mut self, now: Time) {
        match self.stage {
            CourseState::Begin => {
                self.stage = CourseState::Epoch;
                if let Some(flow) = &mut self.flow {
                    flow.join();
                }
                let rest = self.parameters.starts_after.time();
                if rest > Time::ZERO {
                    self.queue.push_back(Step::Think(rest));
                }
            }
            CourseState::Epoch => {
                (self.began, self.rested) = (now, now);
                if let Some(steady) = &self.steadiness {
                    lock(steady).begin(now);
                }
                let moves = self.parameters.operation.moves_data();
                self.stage = if moves { CourseState::Pass } else { CourseState::Names(0) };
                if self.warms_up {
                    self.queue.push_back(Step::Phase(Phase::Preparation));
                }
            }
            CourseState::Names(number) if number < self.files => self.name(number),
            CourseState::Names(_) => self.stage = CourseState::Closing,
            CourseState::Pass => self.go_on(now),
            CourseState::ReadBack => match self.to_read_back.pop_first() {
                Some(((file, offset), length)) => {
                    let op = self.access(Access { file, writes: false, offset, length });
                    self.ask(op);
                }
                None => {
                    self.reap_all();
                    self.stage = CourseState::Between;
                }
            },
            CourseState::Between => self.next_pass(),
            CourseState::Closing => {
                self.reap_all();
                if self.parameters.fsync_at_end && self.parameters.operation.writes() {
                    self.queue.push_back(Step::Phase(Phase::Closing { counted: true }));
                    for file in 0..self.files as usize {
                        self.queue.push_back(Step::Operation(self.waited(Operation::Fsync, file)));
                    }
                }
                self.stage = CourseState::End;
            }
            CourseState::End => {
                if let Some(flow) = &mut self.flow {
                    flow.leave();
                }
                self.queue.push_back(Step::End);
            }
        }
    }

    /// An operation that is waited for, however others are asked for.
    pub(super) fn waited(&self, operation: Operation, file: usize) -> FileOp {
        let mut op = self.on_file(operation, file);
        op.flags.submission = Submission::Waits;
        op
    }

    /// Whether nothing more is to be issued.
    fn is_over(&self, now: Time) -> bool {
        let span =
            self.parameters.duration.map(|span| span.time().saturating_add(self.parameters.warm_up.time()));
        span.is_some_and(|span| now - self.began >= span)
            || self.parameters.accesses.is_some_and(|most| self.count >= most)
            || self.steadiness.as_ref().is_some_and(|steady| lock(steady).is_steady())
    }

    /// Among others that it shares with.
    pub(super) fn among(mut self, flows: &mut Flows) -> Self {
        self.flow = self.parameters.flow.map(|share| flows.place(share));
        self
    }

    /// Of several processes of one job, those that are steady together look at one thing.
    pub(super) fn steady_with(&mut self, other: &Self) {
        self.steadiness.clone_from(&other.steadiness);
    }

    /// The next access of a pass, or what comes before it.
    fn go_on(&mut self, now: Time) {
        if self.warms_up && now - self.began >= self.parameters.warm_up.time() {
            self.warms_up = false;
            self.queue.push_back(Step::Phase(Phase::Measured));
        }
        if self.is_over(now) {
            self.stage = CourseState::Closing;
            return;
        }
        if let Some((rest, is_quiet)) =
            self.flow.as_mut().filter(|_| self.chosen.is_none()).and_then(InFlow::waits)
        {
            if is_quiet {
                self.reap_all();
            }
            self.queue.push_back(Step::Pause(rest));
            return;
        }
        match self.search.as_mut().map(|search| search.check(now)) {
            Some(Found::Done) => {
                self.stage = CourseState::Closing;
                return;
            }
            Some(Found::Lower) => return self.reap_all(),
            Some(Found::Nothing) | None => {}
        }
        if self.pass_bytes >= self.amount && !self.parameters.keep_on {
            self.end_pass();
            return;
        }
        let mut writes = match self.chosen {
            Some(writes) => writes,
            None => self.course.direction(),
        };
        if let Some(wait) = self.wait_of(writes, now) {
            if self.parameters.operation == AccessKind::Mixed
                && self.paces.iter().all(Option::is_some)
                && self.wait_of(!writes, now).is_none()
            {
                writes = !writes;
                self.course.turn_to(writes);
            } else {
                self.chosen = Some(writes);
                if self.submits() && !std::mem::replace(&mut self.is_quiet, true) {
                    self.reap_all();
                } else {
                    self.queue.push_back(Step::Think(wait));
                }
                return;
            }
        }
        (self.chosen, self.is_quiet) = (None, false);
        match self.course.next(writes) {
            Some(access) => self.issue(access, now),
            None => self.end_pass(),
        }
    }

    /// How long an access of a sort has to wait for its time.
    fn wait_of(&self, writes: bool, now: Time) -> Option<Time> {
        let due = self.began.saturating_add(self.paces[usize::from(writes)].as_ref()?.next);
        (due > now).then(|| due - now)
    }

    fn issue(&mut self, access: Access, now: Time) {
        let Access { file, writes, offset, length } = access;
        let op = self.access(access);
        self.ask(op);
        if let Some(pace) = &mut self.paces[usize::from(writes)] {
            pace.issued(length);
        }
        (self.bytes, self.count) = (self.bytes + length, self.count + 1);
        (self.pass_bytes, self.pass_count) = (self.pass_bytes + length, self.pass_count + 1);
        self.just_written = writes.then_some(file);
        if writes && self.parameters.reads_back {
            self.to_read_back.insert((file, offset), length);
        }
        self.make_durable();
        if self.rests_now(now) {
            self.rest();
        }
    }

    /// Whether enough accesses are over, or enough time (fio's backend.c, `handle_thinktime`). What is taken back before the rest itself
    /// counts for the next.
    fn rests_now(&mut self, now: Time) -> bool {
        let AccessParameters { think_every, think_after, .. } = self.parameters;
        let count = if self.parameters.think_by_issue { self.count } else { self.taken_back };
        let by_time = think_after.is_some_and(|span| now.saturating_sub(self.rested) >= span.time());
        let by_count = think_every > 0 && count >= self.rested_at + think_every;
        if by_time || by_count {
            (self.rested_at, self.rested) = (count, now);
        }
        by_time || by_count
    }

    /// After so many writes a call makes them durable. The kernel's ring takes it like an access; otherwise it is waited for.
    fn make_durable(&mut self) {
        let Some(file) = self.just_written else { return };
        let writes = self.course.issued()[1];
        let due = |every: u64| every > 0 && writes.is_multiple_of(every);
        // A call of its own in fio's eyes: it is made on the file whose turn it is, and takes that turn (io_u.c, set_io_u_file).
        let mut turn = || self.course.take_turn().unwrap_or(file);
        let (operation, file) = match () {
            () if due(self.parameters.fsync_every) => (Operation::Fsync, turn()),
            () if due(self.parameters.fdatasync_every) => (Operation::Fdatasync, turn()),
            // A call that waits for its write to a disk makes the disk's cache durable behind it, and one that submits doesn't
            // (Linux 6.1, blkdev_write_iter: generic_write_sync).
            () if self.on_devices
                && !self.submits()
                && (self.parameters.sync || self.parameters.data_sync) =>
            {
                (Operation::Fdatasync, file)
            }
            () => return,
        };
        if self.template.flags.submission == Submission::Ring {
            let op = self.on_file(operation, file);
            self.ask(op);
        } else {
            self.queue.push_back(Step::Operation(self.waited(operation, file)));
        }
    }

    fn rest(&mut self) {
        let (computes, rests) = (self.parameters.compute_time.time(), self.parameters.think_time.time());
        if computes == Time::ZERO && rests == Time::ZERO {
            return;
        }
        self.reap_all();
        if computes > Time::ZERO {
            let mut op = computing(&self.template, computes);
            op.flags.submission = Submission::Waits;
            self.queue.push_back(if self.on_devices { Step::Think(computes) } else { Step::Operation(op) });
        }
        if rests > Time::ZERO {
            self.queue.push_back(Step::Think(rests));
        }
    }

    fn end_pass(&mut self) {
        self.reap_all();
        self.stage = if self.to_read_back.is_empty() { CourseState::Between } else { CourseState::ReadBack };
    }

    fn next_pass(&mut self) {
        let made_none = self.pass_count == 0;
        let short = self.pass_bytes > 0
            && self.parameters.amount.is_some()
            && self.pass_bytes.saturating_add(self.parameters.bounds().1) <= self.amount;
        if short && !self.parameters.keep_on {
            // More is to be accessed than there are places: once more through them.
            self.course.restart();
            self.pass_count = 0;
            self.stage = CourseState::Pass;
            return;
        }
        self.pass += 1;
        if made_none || (self.pass >= self.parameters.passes && !self.parameters.keep_on) {
            self.stage = CourseState::Closing;
            return;
        }
        (self.pass_bytes, self.pass_count) = (0, 0);
        self.course.restart();
        self.stage = CourseState::Pass;
    }
}

/// What processes of one run look at together; nobody leaves it half done.
fn lock(steady: &Mutex<Steadiness>) -> MutexGuard<'_, Steadiness> {
    steady.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileProgram for AccessProgram {
    fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        if bytes == 0 {
            return;
        }
        if let Some(search) = &mut self.search {
            search.completed(took);
        }
        if let Some(steady) = &self.steadiness {
            lock(steady).completed(bytes, took, now);
        }
    }

    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        loop {
            if let Some(step) = self.queue.pop_front() {
                return Ok(step);
            }
            self.decide(now);
        }
    }
}
