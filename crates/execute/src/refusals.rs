//! What can't be done: the simulated file system is full or its device fails, or what the program writes has no room on this machine.

use crate::failure::ExecuteError;
use crate::files::size_of;
use crate::supervisor::Supervisor;
use crate::table::Call;
use crate::thread::State;
use petrio_colours::{Failure, RequestId};
use petrio_intercept::Answer;
use petrio_time::Time;
use rustix::fs::{Stat, fstatvfs};
use std::os::fd::OwnedFd;

/// Whether the scratch directory's disk has room is asked again after so many bytes; and so many stay free.
const ROOM: u64 = 32 << 20;

/// What the program is told of what the simulated storage couldn't do; of the rest the real kernel knows better.
const fn number(failure: Failure) -> Option<i32> {
    match failure {
        Failure::NoSpace | Failure::NoInode => Some(libc::ENOSPC),
        Failure::Device | Failure::BeyondEnd => Some(libc::EIO),
        Failure::ReadOnly => Some(libc::EROFS),
        Failure::TooLarge => Some(libc::EFBIG),
        _ => None,
    }
}

impl Supervisor {
    /// An operation of the engine's couldn't be done.
    pub(crate) fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), ExecuteError> {
        if self.carried(id, now)? {
            return Ok(());
        }
        let Some(error) = number(failure) else { return self.complete(id, now) };
        let Some(thread) = self.in_flight.remove(&id) else { return Ok(()) };
        self.global = self.global.max(now);
        self.tell(|told| match error {
            libc::ENOSPC => told.volume_full += 1,
            _ => told.device_failures += 1,
        });
        let Some(it) = self.threads.get_mut(&thread) else { return Ok(()) };
        it.clock = now;
        it.asks.clear();
        self.grown = self.grown.saturating_sub(std::mem::take(&mut it.grew));
        it.nameless = None;
        let settle = std::mem::take(&mut it.settle);
        if let State::Works(held, _) = std::mem::replace(&mut it.state, State::Running) {
            settle.iter().for_each(|(path, file)| self.files.never_was(path, *file));
            // What is closed is gone, whatever it says.
            let closes = matches!(self.table.call(held.call), Some(Call::Close | Call::Dup2));
            self.answer(thread, held, if closes { Answer::GoOn } else { Answer::Error(error) })?;
        }
        Ok(())
    }

    /// Whether there is room for so many bytes that a write makes a file longer by; if not, it is told.
    pub(crate) fn makes_room(&mut self, id: u32, fd: &OwnedFd, grows: u64) -> bool {
        if grows == 0 {
            return true;
        }
        if self.grown.saturating_add(grows) > self.options.limit {
            self.tell(|told| told.no_room += 1);
            return false;
        }
        self.unasked = self.unasked.saturating_add(grows);
        if self.options.scratch.is_some() && self.unasked >= ROOM {
            let free = fstatvfs(fd).map_or(u64::MAX, |told| told.f_bavail.saturating_mul(told.f_frsize));
            if free < grows.saturating_add(2 * ROOM) {
                self.tell(|told| told.scratch_full += 1);
                return false;
            }
            self.unasked = 0;
        }
        self.grown += grows;
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.grew = grows;
        }
        true
    }

    /// Whether there is room for a write into what may be a hole of a file, which makes it no longer.
    pub(crate) fn fills_hole(&mut self, fd: &OwnedFd, (stat, length): (&Stat, u64)) -> bool {
        let held = u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512);
        let room = held >= size_of(stat)
            || fstatvfs(fd).is_ok_and(|told| told.f_bavail.saturating_mul(told.f_frsize) >= length);
        if !room {
            self.tell(|told| told.no_room += 1);
        }
        room
    }

    /// By how much a write makes a file longer.
    pub(crate) fn growth(stat: &Stat, offset: u64, length: u64) -> u64 {
        offset.saturating_add(length).saturating_sub(size_of(stat))
    }
}
