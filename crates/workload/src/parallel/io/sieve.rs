//! Independent access by one rank to pieces of a file: as they are, or by data sieving, which reads (and writes back) all that
//! lies between them.
//!
//! A window begins at the first piece that isn't in the one before and is as long as its buffer, or up to the end of the
//! access; a piece that goes beyond a window begins the next where the window ends. A written window is read first, under a lock
//! on its range: who asks for some of it meanwhile is told by a message of no bytes, as by a server of locks.
//! Source: Thakur, Gropp and Lusk 1999, section 3; ROMIO's adio/common/ad_read_str.c and ad_write_str.c (its macros
//! ADIOI_BUFFERED_READ and ADIOI_BUFFERED_WRITE). Where a file system has no locks, writes aren't sieved, whatever the hint says
//! (adio/ad_pvfs2/ad_pvfs2_write.c).

use super::hints::Switch;
use super::shares::Runs;
use crate::parallel::act::{Act, Acts, Call, Direction};
use crate::parallel::member::{Member, World};
use crate::program::ProgramError;
use petrio_colours::{Exchange, FileId};
use petrio_persist::Persist;
use petrio_time::Time;
use std::ops::Range;

/// An access by one rank.
#[derive(Persist)]
pub(in crate::parallel) struct Sieve {
    member: Member,
    direction: Direction,
    file: FileId,
    runs: Runs,
    /// What is still to be accessed of the piece that `runs` gave last.
    piece: Option<Range<u64>>,
    /// Bytes of a window, and one past the last byte of the access; `None` where each piece is a call of its own.
    window: Option<u64>,
    end: u64,
    stage: WindowState,
}

/// What is done to a window that is written.
#[derive(Clone, Debug, Persist)]
enum WindowState {
    /// The next one is locked.
    Next,
    Read(Range<u64>),
    Write(Range<u64>),
    Free,
}

impl Sieve {
    pub(in crate::parallel) fn new(
        member: &Member,
        direction: Direction,
        file: FileId,
        mut runs: Runs,
    ) -> Self {
        let World { hints, mounted, .. } = &*member.world;
        let (switch, buffer) = match direction {
            Direction::Read => (hints.romio_ds_read, hints.ind_rd_buffer_size),
            Direction::Write => (hints.romio_ds_write, hints.ind_wr_buffer_size),
        };
        let end = runs.end();
        let piece = runs.next();
        // What is one piece needs no sieve.
        let is_whole = piece.as_ref().is_none_or(|piece| piece.end == end);
        // Nobody else may write into a window between its reading and its writing.
        let may = direction == Direction::Read || mounted.has_locks;
        let sieves = may && switch != Switch::Disable && !is_whole;
        let window = sieves.then(|| buffer.get());
        Self { member: member.clone(), direction, file, runs, piece, window, end, stage: WindowState::Next }
    }

    fn call(&self, direction: Direction, range: &Range<u64>) -> Act {
        Act::Call(Call::access(direction, self.file, range.start, range.end - range.start))
    }

    /// The next window, past which no piece remains that lies in it.
    fn next_window(&mut self, buffer: u64) -> Option<Range<u64>> {
        let start = self.piece.as_ref()?.start;
        let window = start..start.saturating_add(buffer).min(self.end);
        while let Some(piece) = &mut self.piece {
            if piece.end > window.end {
                piece.start = piece.start.max(window.end);
                break;
            }
            self.piece = self.runs.next();
        }
        Some(window)
    }
}

impl Acts for Sieve {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let (board, rank) = (&self.member.board, self.member.rank);
        match std::mem::replace(&mut self.stage, WindowState::Next) {
            WindowState::Next => {}
            WindowState::Read(window) => {
                let act = self.call(Direction::Read, &window);
                self.stage = WindowState::Write(window);
                return Ok(Some(act));
            }
            WindowState::Write(window) => {
                self.stage = WindowState::Free;
                return Ok(Some(self.call(Direction::Write, &window)));
            }
            WindowState::Free => {
                let told = board.free(self.file, rank);
                if !told.is_empty() {
                    let sends = told.into_iter().map(|rank| (rank, 0)).collect();
                    return Ok(Some(Act::Exchange(Exchange { sends, ..Exchange::default() })));
                }
            }
        }
        let Some(buffer) = self.window else {
            let Some(piece) = self.piece.take() else { return Ok(None) };
            self.piece = self.runs.next();
            return Ok(Some(self.call(self.direction, &piece)));
        };
        let Some(window) = self.next_window(buffer) else { return Ok(None) };
        let act = self.call(Direction::Read, &window);
        if self.direction == Direction::Read {
            return Ok(Some(act));
        }
        let receives = self.member.board.lock(self.file, rank, window.clone());
        if receives.is_empty() {
            self.stage = WindowState::Write(window);
            return Ok(Some(act));
        }
        self.stage = WindowState::Read(window);
        Ok(Some(Act::Exchange(Exchange { receives, ..Exchange::default() })))
    }
}
