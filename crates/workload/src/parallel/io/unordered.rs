//! Shared file pointers in no order: each access begins where the one before has ended, whoever asked for it
//! (MPI_File_write_shared, MPI_File_read_shared).
//!
//! ```text
//!  wait for who has the lock ─▶ read the pointer ─▶ write it, further on ─▶ let the next one in ─▶ access
//! ```
//!
//! The pointer (`pointer.rs`) is read and overwritten under a lock on its file. Who waits for the lock gets it in the order of asking, by a message of no bytes from who had
//! it: what a server of locks would send.

use super::pointer::Pointer;
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::member::Member;
use crate::program::{ProgramError, Topic};
use petrio_colours::{Exchange, FileId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::borrow::Cow;

/// An access through a shared pointer.
#[derive(Persist)]
pub(in crate::parallel) struct Unordered {
    member: Member,
    pointer: Pointer,
    /// The rank's first opens the pointer.
    is_first: bool,
    file: FileId,
    direction: Direction,
    bytes: u64,
    offset: u64,
    stage: UnorderedState,
}

#[derive(Clone, Copy, Debug, Persist)]
enum UnorderedState {
    Lock,
    Read,
    Write,
    Unlock,
    Access,
    Over,
}

impl Unordered {
    pub(in crate::parallel) fn new(
        member: &Member,
        (pointer, is_first): (Pointer, bool),
        (direction, file): (Direction, FileId),
        bytes: u64,
    ) -> Self {
        let member = member.clone();
        Self { member, pointer, is_first, file, direction, bytes, offset: 0, stage: UnorderedState::Lock }
    }

    /// Who is the last in line for the lock, counted from 1; 0 is nobody.
    const fn last(&self) -> Topic {
        (self.pointer.0, Cow::Borrowed("last in line"), 0)
    }

    /// Who comes after a rank in line, counted likewise.
    const fn after(&self, rank: u32) -> Topic {
        (self.pointer.0, Cow::Borrowed("next in line"), rank as u64)
    }

    const fn own(&self) -> u64 {
        self.member.rank as u64 + 1
    }
}

impl Unordered {
    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let board = &self.member.board;
        let (act, stage) = match self.stage {
            UnorderedState::Lock => {
                let before = board.get(&self.last()).and_then(|last| last.checked_sub(1));
                board.put(self.last(), self.own());
                self.stage = UnorderedState::Read;
                let Some(before) = before.map(as_number) else { return self.advance() };
                board.put(self.after(before), self.own());
                (
                    Act::Exchange(Exchange { receives: vec![before], ..Exchange::default() }),
                    UnorderedState::Read,
                )
            }
            UnorderedState::Read if self.is_first => {
                // Each rank opens it once, and closes it before any opens it again.
                let opened = board.add((self.pointer.0, "opened".into(), 0), 1);
                let makes_it = opened.is_multiple_of(self.member.ranks().into());
                (Sequence::act(self.pointer.open_and_read(makes_it)), UnorderedState::Write)
            }
            UnorderedState::Read => (self.pointer.read(), UnorderedState::Write),
            UnorderedState::Write => {
                let what = if self.direction == Direction::Read { "read up to" } else { "written up to" };
                self.offset = board.add((self.pointer.0, what.into(), 0), self.bytes);
                (self.pointer.write(), UnorderedState::Unlock)
            }
            UnorderedState::Unlock => {
                self.stage = UnorderedState::Access;
                if board.get(&self.last()) == Some(self.own()) {
                    board.put(self.last(), 0);
                    return self.advance();
                }
                let next = board.get(&self.after(self.member.rank)).and_then(|next| next.checked_sub(1));
                let sends = next.map(|rank| (as_number(rank), 0)).into_iter().collect();
                (Act::Exchange(Exchange { sends, ..Exchange::default() }), UnorderedState::Access)
            }
            UnorderedState::Access => {
                let access = Call::access(self.direction, self.file, self.offset, self.bytes);
                (Act::Call(access), UnorderedState::Over)
            }
            UnorderedState::Over => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}

impl Acts for Unordered {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}
