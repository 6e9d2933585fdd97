//! Several programs as one source of requests: each waits for its operation, thinks, and meets the others at barriers.
//!
//! A program is asked for its next step as soon as the one before is over, so everything up to its next operation
//! (think times, phases, a barrier) is known before that operation is due. A step costs a push on a heap of due
//! programs and a binary search among the operations in flight; nothing is allocated once each program has issued an
//! operation.
//!
//! What a program submits it doesn't wait for: it goes on when it is told that the operation is on its way, and meets its
//! completion only where it reaps. What it leaves to its own threads (aio_read of the C library) these take in turn, one
//! operation for each file at a time, and so many files at once as there may be threads.

use super::error::ProgramError;
use super::{FileProgram, Phase, Step};
use crate::due::Due;
use crate::source::{RequestSource, SourceError, SourceItem};
use petrio_colours::{FileId, FileOp, Operation, RequestId, Submission};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

/// Threads that the C library makes for asynchronous accesses (glibc, `aio_threads` of aio_init(3)).
const THREADS_MAX: usize = 20;

/// What a process waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
enum Awaits {
    /// Nothing that is in flight: its next operation is due, it has come to a barrier, or ended.
    #[default]
    Nothing,
    /// The end of its operation.
    Completion,
    /// That what it submits is on its way.
    Submission(RequestId),
    /// That a number is said.
    Signal,
    /// That so many of what it submitted are done, of which it takes back so many at most.
    Done { least: u32, most: u32 },
}

/// Operations that a process has left to its threads.
#[derive(Default, Persist)]
struct Threads {
    /// Those that no thread has taken.
    queue: VecDeque<(FileOp, u32)>,
    /// Those that are due to be issued. With each goes how many the process had on their way with it.
    taken: VecDeque<(FileOp, u32)>,
    /// The files that threads work on.
    busy: Vec<FileId>,
}

impl Threads {
    /// The first operation for a file that nobody works on, if there is a thread for it.
    fn take(&mut self) -> bool {
        if self.busy.len() >= THREADS_MAX {
            return false;
        }
        let Some(position) = self.queue.iter().position(|(op, _)| !self.busy.contains(&op.file)) else {
            return false;
        };
        let Some(one) = self.queue.remove(position) else { return false };
        self.busy.push(one.0.file);
        self.taken.push_back(one);
        true
    }
}

/// One process at work.
#[derive(Persist)]
struct Process {
    program: Box<dyn FileProgram>,
    /// The operation to be issued, or the one in flight.
    operation: FileOp,
    phase: Phase,
    /// Whether it has issued any.
    has_begun: bool,
    /// Up to when its steps are known: when it issues its operation, has come to its barrier, or ended.
    at: Time,
    awaits: Awaits,
    /// Whether the operation to be issued is only submitted.
    submits: bool,
    /// Whether those held back go to the kernel now.
    releases: bool,
    /// What it submits, until as many are there as go together.
    held: VecDeque<FileOp>,
    /// The step behind these.
    put_off: Option<Step>,
    /// How many of those that it submitted are in flight, and how many are done and not taken back.
    submitted: u32,
    done: u32,
    threads: Option<Box<Threads>>,
}

impl Process {
    /// How many of those that it submitted, or is about to, it hasn't taken back.
    fn depth(&self) -> u32 {
        let held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        self.submitted.saturating_add(self.done).saturating_add(held)
    }

    fn take_back(&mut self, least: u32, most: u32) {
        self.done -= self.done.min(most.max(least));
    }
}

/// Who issues what is due.
const BY_PROCESS: u32 = 0;
const BY_THREAD: u32 = 1;
/// Nobody: a pause is over.
const BY_PAUSE: u32 = 2;

/// An operation in flight.
#[derive(Persist)]
struct InFlight {
    id: RequestId,
    process: u32,
    is_submitted: bool,
    issued: Time,
    /// Bytes that are read or written.
    bytes: u64,
    /// The file, where a thread of the process works on it.
    of_thread: Option<FileId>,
}

/// Programs of several processes as one source, closed: each process has one operation in flight, or as many as it submits.
///
/// Where several are due at the same time, the one with the lowest number goes first.
#[derive(Persist)]
pub struct FilePrograms {
    processes: Vec<Process>,
    /// Processes whose next operation is known, by when it is due.
    due: BinaryHeap<Reverse<(Time, u32, u32)>>,
    /// Operations in flight and whose they are, in order of issue and so of their numbers.
    in_flight: VecDeque<InFlight>,
    /// Processes that wait at a barrier.
    waiting: Vec<u32>,
    /// Numbers that were said, and who waits for which.
    said: BTreeSet<u64>,
    awaiting: BTreeMap<u64, Vec<u32>>,
    /// Processes that go on, each from a time.
    woken: Vec<(u32, Time)>,
    ended: usize,
    /// Those of them that nobody has been told of, by the numbers that their operations bear.
    untold: Vec<u32>,
    issued: u64,
    has_begun: bool,
}

impl FilePrograms {
    /// From one program a process.
    ///
    /// # Errors
    /// A program that can't make its first step.
    pub fn new(programs: Vec<Box<dyn FileProgram>>) -> Result<Self, ProgramError> {
        let mut source = Self::later(programs);
        source.begin_all(Time::ZERO)?;
        Ok(source)
    }

    /// The same, to begin when it is [told to](RequestSource::begin).
    pub fn later(programs: Vec<Box<dyn FileProgram>>) -> Self {
        let count = programs.len();
        let process = |program| Process {
            program,
            operation: FileOp::default(),
            phase: Phase::default(),
            has_begun: false,
            at: Time::ZERO,
            awaits: Awaits::Nothing,
            submits: false,
            releases: false,
            held: VecDeque::new(),
            put_off: None,
            submitted: 0,
            done: 0,
            threads: None,
        };
        Self {
            processes: programs.into_iter().map(process).collect(),
            due: BinaryHeap::with_capacity(count),
            in_flight: VecDeque::with_capacity(count),
            waiting: Vec::with_capacity(count),
            said: BTreeSet::new(),
            awaiting: BTreeMap::new(),
            woken: Vec::new(),
            ended: 0,
            untold: Vec::new(),
            issued: 0,
            has_begun: false,
        }
    }

    fn begin_all(&mut self, at: Time) -> Result<(), ProgramError> {
        self.has_begun = true;
        for number in 0..self.processes.len() {
            self.processes[number].at = at;
            self.advance(as_number(number))?;
        }
        self.wake()?;
        self.open_barriers()
    }

    /// Takes a process from the end of its operation (or of a barrier) to its next operation, barrier or end.
    fn advance(&mut self, number: u32) -> Result<(), ProgramError> {
        self.processes[number as usize].awaits = Awaits::Nothing;
        loop {
            if self.release(number) {
                return Ok(());
            }
            let process = &mut self.processes[number as usize];
            let step = match process.put_off.take() {
                Some(step) => step,
                None => process.program.next(process.at)?,
            };
            // Nobody rests, or waits, before what is held back is on its way.
            let waits = match &step {
                Step::Reap { full, down_to, .. } => process.depth() >= (*full).max(down_to + 1),
                Step::Submit { .. } | Step::Phase(_) | Step::Signal(_) => false,
                _ => true,
            };
            if waits && !process.held.is_empty() {
                (process.releases, process.put_off) = (true, Some(step));
                continue;
            }
            match step {
                Step::Operation(operation) => {
                    (process.operation, process.submits) = (operation, false);
                    self.due.push(Reverse((process.at, number, BY_PROCESS)));
                    return Ok(());
                }
                Step::Submit { op, together } => self.submit(number, op, together),
                Step::Reap { down_to, most, .. } if waits => {
                    let least = process.depth() - down_to;
                    if process.done < least {
                        process.awaits = Awaits::Done { least, most };
                        return Ok(());
                    }
                    process.take_back(least, most);
                }
                Step::Reap { .. } => {}
                // A think time beyond the horizon never ends: `due` says so.
                Step::Think(time) => process.at = process.at.saturating_add(time),
                Step::Pause(time) => {
                    process.at = process.at.saturating_add(time);
                    self.due.push(Reverse((process.at, number, BY_PAUSE)));
                    return Ok(());
                }
                Step::Phase(phase) => process.phase = phase,
                Step::Signal(said) => {
                    let at = process.at;
                    self.signal(said, at);
                }
                Step::Await(said) if self.said.contains(&said) => {}
                Step::Await(said) => {
                    process.awaits = Awaits::Signal;
                    self.awaiting.entry(said).or_default().push(number);
                    return Ok(());
                }
                Step::Barrier => {
                    self.waiting.push(number);
                    return Ok(());
                }
                Step::End => {
                    self.ended += 1;
                    self.untold.extend(process.has_begun.then_some(process.operation.process));
                    return Ok(());
                }
            }
        }
    }

    /// A process submits an operation: a thread of its own takes it, or it is held back until so many are.
    fn submit(&mut self, number: u32, op: FileOp, together: u32) {
        let process = &mut self.processes[number as usize];
        if op.flags.submission != Submission::Threads {
            process.held.push_back(op);
            process.releases = process.held.len() as u64 >= u64::from(together);
            return;
        }
        process.submitted += 1;
        let depth = process.depth();
        let threads = process.threads.get_or_insert_default();
        threads.queue.push_back((op, depth));
        if threads.take() {
            self.due.push(Reverse((process.at, number, BY_THREAD)));
        }
    }

    /// The next of what a process has held back, if it is to let go of that; whether there was one.
    fn release(&mut self, number: u32) -> bool {
        let process = &mut self.processes[number as usize];
        if !process.releases {
            return false;
        }
        let Some(operation) = process.held.pop_front() else {
            process.releases = false;
            return false;
        };
        (process.operation, process.submits) = (operation, true);
        self.due.push(Reverse((process.at, number, BY_PROCESS)));
        true
    }

    /// A number is said: whoever waits for it is to go on.
    fn signal(&mut self, said: u64, at: Time) {
        self.said.insert(said);
        let released = self.awaiting.remove(&said).unwrap_or_default();
        self.woken.extend(released.into_iter().map(|number| (number, at)));
    }

    /// Lets those go on whose numbers were said, at the time at which that was, unless they came later.
    fn wake(&mut self) -> Result<(), ProgramError> {
        while let Some((number, at)) = self.woken.pop() {
            let process = &mut self.processes[number as usize];
            process.at = process.at.max(at);
            self.advance(number)?;
        }
        Ok(())
    }

    /// Lets those at the barrier go on once everybody has come or ended, at the time at which the last one did; they
    /// may meet at the next one at once.
    fn open_barriers(&mut self) -> Result<(), ProgramError> {
        while !self.waiting.is_empty() && self.waiting.len() + self.ended == self.processes.len() {
            let last = self.processes.iter().map(|process| process.at).max().unwrap_or_default();
            let mut released = std::mem::take(&mut self.waiting);
            released.sort_unstable();
            for number in released {
                self.processes[number as usize].at = last;
                self.advance(number)?;
            }
            self.wake()?;
        }
        Ok(())
    }

    /// A process goes on at a time.
    fn go_on(&mut self, number: u32, now: Time) -> Result<(), ProgramError> {
        self.processes[number as usize].at = now;
        self.advance(number)?;
        self.wake()?;
        self.open_barriers()
    }
}

impl RequestSource<FileOp> for FilePrograms {
    fn due(&mut self) -> Result<Due, SourceError> {
        match self.due.peek() {
            Some(&Reverse((time, ..))) if time.is_never() => Err(SourceError::BeyondHorizon),
            Some(&Reverse((time, ..))) => Ok(Due::At(time)),
            None if self.in_flight.is_empty() => Ok(Due::Never),
            None => Ok(Due::AfterCompletion),
        }
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<FileOp>>, SourceError> {
        let (number, by) = loop {
            match self.due.peek() {
                Some(&Reverse((time, ..))) if time <= now => {}
                _ => return Ok(None),
            }
            let Some(Reverse((_, number, by))) = self.due.pop() else { return Ok(None) };
            if by != BY_PAUSE {
                break (number, by);
            }
            self.go_on(number, now)?;
        };
        let id = RequestId(self.issued);
        self.issued += 1;
        let process = &mut self.processes[number as usize];
        process.has_begun = true;
        let measured = process.program.measured();
        let threads = process.threads.as_mut().filter(|_| by == BY_THREAD);
        let (mut request, depth, is_submitted, of_thread) = match threads
            .and_then(|threads| threads.taken.pop_front())
        {
            Some((op, depth)) => {
                let file = op.file;
                (op, depth, true, Some(file))
            }
            None => {
                process.awaits = if process.submits { Awaits::Submission(id) } else { Awaits::Completion };
                process.submitted += u32::from(process.submits);
                let depth = process.depth() + u32::from(!process.submits);
                (process.operation.clone(), depth, process.submits, None)
            }
        };
        (request.id, request.issued) = (id, now);
        let moves = matches!(request.operation, Operation::Read | Operation::Write);
        let bytes = if moves { request.length } else { 0 };
        self.in_flight.push_back(InFlight {
            id,
            process: number,
            is_submitted,
            issued: now,
            bytes,
            of_thread,
        });
        Ok(Some(SourceItem { request, measured, phase: process.phase, depth }))
    }

    fn begin(&mut self, at: Time) -> Result<(), SourceError> {
        if self.has_begun { Ok(()) } else { Ok(self.begin_all(at)?) }
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let Ok(position) = self.in_flight.binary_search_by_key(&id, |flight| flight.id) else {
            return Ok(());
        };
        let number = self.in_flight[position].process;
        if self.processes[number as usize].awaits == Awaits::Submission(id) {
            self.go_on(number, now)?;
        }
        Ok(())
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let Ok(position) = self.in_flight.binary_search_by_key(&id, |flight| flight.id) else {
            return Ok(());
        };
        let Some(InFlight { process: number, is_submitted, issued, bytes, of_thread, .. }) =
            self.in_flight.remove(position)
        else {
            return Ok(());
        };
        let process = &mut self.processes[number as usize];
        process.program.completed(bytes, now.saturating_sub(issued), now);
        if !is_submitted {
            return Ok(self.go_on(number, now)?);
        }
        process.submitted = process.submitted.saturating_sub(1);
        process.done += 1;
        if let (Some(file), Some(threads)) = (of_thread, &mut process.threads) {
            threads.busy.retain(|busy| *busy != file);
            if threads.take() {
                self.due.push(Reverse((now, number, BY_THREAD)));
            }
        }
        let goes_on = match process.awaits {
            Awaits::Submission(awaited) => awaited == id,
            Awaits::Done { least, most } => {
                let enough = process.done >= least;
                if enough {
                    process.take_back(least, most);
                }
                enough
            }
            Awaits::Nothing | Awaits::Completion | Awaits::Signal => false,
        };
        if goes_on {
            self.go_on(number, now)?;
        }
        Ok(())
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.untold.pop()
    }
}
