//! What a rank does next, in words that are larger than operations: a collective, an access of many pieces.
//!
//! A program gives acts; those that are made of others are gone through before the next one, so that a program of any length
//! is never written out. What is left at the bottom are the steps of a [`FileProgram`](crate::program::FileProgram).

use super::all_acts::AnyActs;
use super::collective::Rounds;
use crate::program::{PhaseName, ProgramError, Word, WorkDone};
use petrio_colours::{AccessFlags, Exchange, FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use std::collections::VecDeque;

/// What comes next.
#[derive(Persist)]
pub(super) enum Act {
    /// Keeps a processor busy.
    Compute(Time),
    /// Lets time pass.
    Think(Time),
    /// Asks the file system for something.
    Call(Call),
    /// Sends to other ranks and receives from them, by their ranks.
    Exchange(Exchange),
    /// The same, and goes on as soon as it is posted.
    Post(Exchange),
    /// With so many posted exchanges that aren't over, waits until one of them is.
    AwaitRoom(u32),
    /// Waits until all posted exchanges are over.
    AwaitAll,
    /// An operation with flags of its own.
    Detailed(Detailed),
    /// Lets time pass, and says only then what comes next: that depends on what others have done by then.
    Pause(Time),
    /// Says a number, for ranks of the same volume.
    Signal(u32),
    /// Waits until it was said.
    Await(u32),
    /// Says what a phase has come to, in no time.
    Measure(PhaseName, Word),
    /// All that this gives, before what follows.
    Within(AnyActs),
}

impl Act {
    /// All of these, before what follows.
    pub(super) fn within(acts: impl Into<AnyActs>) -> Self {
        Self::Within(acts.into())
    }

    /// A phase begins for this rank.
    pub(super) const fn begin(phase: PhaseName) -> Self {
        Self::Measure(phase, Word::Begin)
    }

    /// So many bytes and accesses (or files, or samples) more were done in it.
    pub(super) const fn did(phase: PhaseName, bytes: u64, operations: u64) -> Self {
        Self::Measure(phase, Word::Did(WorkDone { bytes, operations, busy: Time::ZERO }))
    }

    /// It is over for this rank.
    pub(super) const fn end(phase: PhaseName) -> Self {
        Self::Measure(phase, Word::End)
    }
}

/// An operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Call {
    pub(super) operation: Operation,
    pub(super) file: FileId,
    /// The directory of the name concerned.
    pub(super) parent: FileId,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Call {
    /// Of a file in the root directory, of no bytes.
    pub(super) const fn of(operation: Operation, file: FileId) -> Self {
        Self { operation, file, parent: FileId::ROOT, offset: 0, length: 0 }
    }

    /// A read or a write.
    pub(super) const fn access(direction: Direction, file: FileId, offset: u64, length: u64) -> Self {
        Self { operation: direction.operation(), file, parent: FileId::ROOT, offset, length }
    }
}

/// An operation on a file, and how it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Detailed {
    pub(super) call: Call,
    /// The file that a rename replaces.
    pub(super) replaced: Option<FileId>,
    pub(super) flags: AccessFlags,
}

/// Whether data go to a file or come from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Direction {
    Read,
    Write,
}

impl Direction {
    pub(super) const fn operation(self) -> Operation {
        match self {
            Self::Read => Operation::Read,
            Self::Write => Operation::Write,
        }
    }
}

/// Acts, one after the other.
pub(super) trait Acts: Send {
    /// The next one; `None` when there is no more.
    ///
    /// # Errors
    /// A recorded program that can't be read on.
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError>;
}

/// A few acts that are known.
#[derive(Default, Persist)]
pub(super) struct Sequence(pub(super) VecDeque<Act>);

impl Sequence {
    /// As one act.
    pub(super) fn act(acts: impl IntoIterator<Item = Act>) -> Act {
        Act::within(Self(acts.into_iter().collect()))
    }
}

impl Acts for Sequence {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        Ok(self.0.pop_front())
    }
}

impl Acts for Rounds {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        Ok(Iterator::next(self).map(Act::Exchange))
    }
}
