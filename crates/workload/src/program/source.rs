//! Several programs as one source of requests: each waits for its operation, thinks, and meets the others at barriers.
//!
//! A program is asked for its next step as soon as the one before is over, so everything up to its next operation
//! (think times, phases, a barrier) is known before that operation is due. A step costs a push on a heap of due
//! programs and a binary search among the operations in flight; nothing is allocated once each program has issued an
//! operation.

use super::error::ProgramError;
use super::{FileProgram, Phase, Step};
use crate::due::Due;
use crate::source::{RequestSource, SourceError, SourceItem};
use petrio_colours::{FileOp, RequestId};
use petrio_time::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// One process at work.
struct Process {
    program: Box<dyn FileProgram>,
    /// The operation to be issued, or the one in flight.
    operation: FileOp,
    phase: Phase,
    /// Whether it has issued any.
    has_begun: bool,
    /// Up to when its steps are known: when it issues its operation, has come to its barrier, or ended.
    at: Time,
}

/// Programs of several processes as one source, closed: each process has one operation in flight.
///
/// Where several are due at the same time, the one with the lowest number goes first.
pub struct FilePrograms {
    processes: Vec<Process>,
    /// Processes whose next operation is known, by when it is due.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Operations in flight and whose they are, in order of issue and so of their numbers.
    in_flight: VecDeque<(RequestId, u32)>,
    /// Processes that wait at a barrier.
    waiting: Vec<u32>,
    ended: usize,
    /// Those of them that nobody has been told of, by the numbers that their operations bear.
    untold: Vec<u32>,
    issued: u64,
}

impl FilePrograms {
    /// From one program a process.
    ///
    /// # Errors
    /// A program that can't make its first step.
    pub fn new(programs: Vec<Box<dyn FileProgram>>) -> Result<Self, ProgramError> {
        let count = programs.len();
        let process = |program| Process {
            program,
            operation: FileOp::default(),
            phase: Phase::default(),
            has_begun: false,
            at: Time::ZERO,
        };
        let mut source = Self {
            processes: programs.into_iter().map(process).collect(),
            due: BinaryHeap::with_capacity(count),
            in_flight: VecDeque::with_capacity(count),
            waiting: Vec::with_capacity(count),
            ended: 0,
            untold: Vec::new(),
            issued: 0,
        };
        for process in 0..count {
            source.advance(process as u32)?;
        }
        source.open_barriers()?;
        Ok(source)
    }

    /// Takes a process from the end of its operation (or of a barrier) to its next operation, barrier or end.
    fn advance(&mut self, number: u32) -> Result<(), ProgramError> {
        let process = &mut self.processes[number as usize];
        loop {
            match process.program.next(process.at)? {
                Step::Operation(operation) => {
                    process.operation = operation;
                    self.due.push(Reverse((process.at, number)));
                    return Ok(());
                }
                // A think time beyond the horizon never ends: `due` says so.
                Step::Think(time) => process.at = process.at.saturating_add(time),
                Step::Phase(phase) => process.phase = phase,
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
        }
        Ok(())
    }
}

impl RequestSource<FileOp> for FilePrograms {
    fn due(&mut self) -> Result<Due, SourceError> {
        match self.due.peek() {
            Some(&Reverse((time, _))) if time.is_never() => Err(SourceError::BeyondHorizon),
            Some(&Reverse((time, _))) => Ok(Due::At(time)),
            None if self.in_flight.is_empty() => Ok(Due::Never),
            None => Ok(Due::AfterCompletion),
        }
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<FileOp>>, SourceError> {
        match self.due.peek() {
            Some(&Reverse((time, _))) if time <= now => {}
            _ => return Ok(None),
        }
        let Some(Reverse((_, number))) = self.due.pop() else { return Ok(None) };
        let id = RequestId(self.issued);
        self.issued += 1;
        self.in_flight.push_back((id, number));
        let process = &mut self.processes[number as usize];
        process.has_begun = true;
        process.operation.id = id;
        process.operation.issued = now;
        Ok(Some(SourceItem {
            request: process.operation.clone(),
            measured: process.program.measured(),
            phase: process.phase,
        }))
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        let Ok(position) = self.in_flight.binary_search_by_key(&id, |&(id, _)| id) else { return Ok(()) };
        let Some((_, number)) = self.in_flight.remove(position) else { return Ok(()) };
        self.processes[number as usize].at = now;
        self.advance(number)?;
        self.open_barriers()?;
        Ok(())
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.untold.pop()
    }
}
