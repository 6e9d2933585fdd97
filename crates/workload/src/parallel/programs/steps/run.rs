//! A rank on its way through its parts of the steps.

use super::super::Start;
use super::of_rank::{FilePart, Measure, Part, Repeat, of_rank};
use super::{Act, Acts, StepsPlan};
use crate::parallel::act::{Call, Direction, Sequence};
use crate::parallel::member::{Member, Opening};
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use std::sync::Arc;

/// Parts that it is in the middle of.
#[derive(Persist)]
struct Within {
    parts: Arc<[Part]>,
    next: usize,
    /// How often they are still to be done, this time among it.
    left: u64,
    /// How often altogether, and as what that is measured.
    times: u64,
    measured: Option<(PhaseName, u64)>,
}

/// A rank of such a program.
#[derive(Persist)]
pub(in crate::parallel) struct StepsRank {
    start: Start,
    within: Vec<Within>,
    /// Of each file, whether it is there.
    there: Vec<bool>,
    /// Of each name that is measured, how often it was.
    repetitions: Vec<u32>,
}

impl StepsRank {
    pub(super) fn new(plan: &StepsPlan, start: &Start) -> Self {
        let (parts, names) = of_rank(plan, start);
        let all = Within { parts, next: 0, left: 1, times: 1, measured: None };
        Self {
            start: start.clone(),
            within: vec![all],
            there: plan.files.iter().map(|file| file.is_there).collect(),
            repetitions: vec![0; names],
        }
    }

    /// How often something was done is said by one rank, and bytes by each of its own.
    const fn counted(&self, times: u64) -> u64 {
        if self.start.member.rank == 0 { times } else { 0 }
    }

    /// Begins what is repeated; what there is to do first.
    fn repeat(&mut self, Repeat { times, measure, parts }: Repeat) -> Option<Act> {
        let measured = measure.map(|Measure { phase, name, bytes }| {
            let repetition = self.repetitions[name];
            self.repetitions[name] += 1;
            (PhaseName { repetition, ..phase }, bytes)
        });
        // Who has no part in it isn't waited for by the clock.
        if parts.is_empty() {
            let (phase, _) = measured?;
            return Some(Act::did(phase, 0, self.counted(times)));
        }
        let begin = measured.as_ref().map(|(phase, _)| Act::begin(phase.clone()));
        self.within.push(Within { parts, next: 0, left: times, times, measured });
        begin
    }

    /// Ends what was repeated.
    fn end(&self, over: Within) -> Option<Act> {
        let (phase, bytes) = over.measured?;
        let did = Act::did(phase.clone(), bytes, self.counted(over.times));
        Some(Sequence::act([did, Act::end(phase)]))
    }

    fn file(&mut self, part: FilePart) -> Act {
        let was_there = std::mem::replace(&mut self.there[part.file], true);
        let opening = if was_there { Opening::Old } else { Opening::New };
        Act::within(FileAccess {
            member: self.start.member.clone(),
            file: self.start.file(part.number),
            part,
            stage: FileAccessState::Open(opening),
        })
    }
}

impl Acts for StepsRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        loop {
            let Some(within) = self.within.last_mut() else { return Ok(None) };
            let Some(part) = within.parts.get(within.next).cloned() else {
                (within.next, within.left) = (0, within.left - 1);
                if within.left == 0
                    && let Some(act) = self.within.pop().and_then(|over| self.end(over))
                {
                    return Ok(Some(act));
                }
                continue;
            };
            within.next += 1;
            return Ok(Some(match part {
                Part::Compute(time) => Act::Compute(time),
                Part::Exchange(exchange) => Act::Exchange(exchange),
                Part::Together(collective) => self.start.member.together(collective),
                Part::File(file) => self.file(file),
                Part::Repeat(repeat) => match self.repeat(repeat) {
                    Some(act) => act,
                    None => continue,
                },
            }));
        }
    }
}

#[derive(Clone, Copy, Debug, Persist)]
enum FileAccessState {
    Open(Opening),
    /// So many accesses are done.
    Access(u64),
    Over,
}

/// A file opened, accessed and closed.
#[derive(Persist)]
pub(in crate::parallel) struct FileAccess {
    member: Member,
    file: FileId,
    part: FilePart,
    stage: FileAccessState,
}

impl Acts for FileAccess {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let FilePart { direction, states, fsync, .. } = self.part;
        let (act, stage) = match self.stage {
            FileAccessState::Open(opening) => {
                (states.open(&self.member, self.file, opening), FileAccessState::Access(0))
            }
            FileAccessState::Access(over) if over < states.transfers() => {
                (states.access(&self.member, direction, self.file, over), FileAccessState::Access(over + 1))
            }
            FileAccessState::Access(_) => {
                let durable = fsync && direction == Direction::Write;
                let fsync = durable.then_some(Operation::Fsync).into_iter();
                let calls = fsync.chain([Operation::Close]).map(|what| Act::Call(Call::of(what, self.file)));
                (Sequence::act(calls), FileAccessState::Over)
            }
            FileAccessState::Over => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}
