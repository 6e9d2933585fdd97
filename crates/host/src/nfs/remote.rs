//! What a client knows of an export whose data are in another cache than Linux' page cache: which calls an operation asks for, and the
//! requests for data.
//!
//! The rules of attributes and names are [`Nfs`]'s, which were those of SunOS before (Sandberg et al. 1985; nfs(5)): what a directory of names
//! and attributes knows for its time-outs isn't asked again.

use super::below::Nfs;
use super::carried::{FILE_PAGES, address};
use super::options::MountOptions;
use crate::below::Layout;
use crate::copy_cost::PAGE_BYTES;
use crate::file_system::FileError;
use crate::laid_out::PreparedFile;
use petrio_colours::{BlockRequest, Direction, Failure, FileId, FileOp, Operation, Purpose, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_units::numbers::{as_index, as_number};

/// An export that a host without Linux' page cache mounts.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Remote(Nfs);

impl Remote {
    /// Mounted with these options, and with these files on it.
    ///
    /// # Errors
    /// Files that can't be there.
    pub(crate) fn new(
        options: &MountOptions,
        files: &[PreparedFile],
        random: &mut Generator,
    ) -> Result<Self, FileError> {
        let mut nfs = Nfs::new(options);
        for file in files {
            nfs.add(file, random)?;
        }
        Ok(Self(nfs))
    }

    /// Whether closing a file writes what is dirty of it first, and so for whatever else asks the server about its size.
    pub(crate) const fn flushes(operation: Operation) -> bool {
        matches!(
            operation,
            Operation::Close
                | Operation::Stat
                | Operation::SetAttributes
                | Operation::Truncate
                | Operation::Rename
                | Operation::Fsync
                | Operation::Fdatasync
        )
    }

    /// The calls that an operation sends before it is carried out, one after the other.
    ///
    /// # Errors
    /// Why it can't be done, as far as names say that.
    pub(crate) fn calls(&mut self, op: &FileOp, now: Time) -> Result<Vec<BlockRequest>, Failure> {
        let calls = match op.operation {
            Operation::Read => self.0.revalidates(op.file, now),
            Operation::Write | Operation::Fsync | Operation::Fdatasync => Vec::new(),
            operation if operation.is_local() && operation != Operation::Symlink => {
                return Err(Failure::NotImplemented);
            }
            _ => {
                self.0.operates(op)?;
                self.0.calls_of(op, now)
            }
        };
        let parent = self.0.parent(op);
        let request = |call| BlockRequest {
            process: op.process,
            synchronous: true,
            purposes: Purpose::Metadata.into(),
            file: op.file,
            device: parent.0,
            address: address(&call, Nfs::effect(op, call.procedure)),
            blocks: 1,
            ..BlockRequest::default()
        };
        Ok(calls.into_iter().map(request).collect())
    }

    /// A READ of so many bytes of a file, or a WRITE of as many of them as lie before its end, which is durable when it is answered.
    pub(crate) fn data(
        direction: Direction,
        file: FileId,
        (offset, bytes): (u64, u64),
        size: u64,
    ) -> BlockRequest {
        let beyond = match direction {
            Direction::Write => (offset + bytes).saturating_sub(size).min(bytes.saturating_sub(1)),
            _ => 0,
        };
        BlockRequest {
            direction,
            purposes: Purpose::Data.into(),
            file,
            address: (u64::from(file.0) * FILE_PAGES * PAGE_BYTES + offset) / SECTOR_BYTES,
            blocks: as_number(bytes / SECTOR_BYTES),
            device: as_number(as_index(beyond)),
            force_unit_access: direction == Direction::Write,
            ..BlockRequest::default()
        }
    }

    /// WRITEs of a file have been answered, which is so long now.
    pub(crate) fn wrote(&mut self, file: FileId, size: u64, now: Time) {
        self.0.wrote_to(file, size, now);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::carried::Carried;
    use super::super::procedure::{Procedure, Stability};
    use super::*;

    #[test]
    fn a_write_of_a_last_block_brings_what_is_in_the_file() {
        let request = Remote::data(Direction::Write, FileId(3), (8_192, 8_192), 8_192 + 700);
        let (procedure, stability) = (Procedure::Write, Stability::FileSync);
        let wanted = Carried::Data { procedure, file: FileId(3), offset: 8_192, length: 700, stability };
        assert_eq!(Carried::of(&request), Some(wanted));
    }

    #[test]
    fn attributes_are_asked_for_once_until_they_are_old() {
        let options = MountOptions::parse("vers=2").unwrap();
        let file = PreparedFile {
            file: FileId(1),
            parent: FileId::ROOT,
            size: 5_000,
            directory: false,
            cached: false,
        };
        let mut random = petrio_random::generator(1, 0, "remote", "test");
        let mut remote = Remote::new(&options, &[file], &mut random).unwrap();
        let op = |operation| FileOp { operation, file: FileId(1), process: 1, ..FileOp::default() };
        let mut names = |operation, seconds| -> Vec<Procedure> {
            let calls = remote.calls(&op(operation), Time::from_whole_seconds(seconds)).unwrap();
            let procedure = |request: &BlockRequest| match Carried::of(request) {
                Some(Carried::Call { procedure, .. }) => procedure,
                _ => Procedure::Null,
            };
            calls.iter().map(procedure).collect()
        };
        assert!(names(Operation::Open, 0).contains(&Procedure::LookUp));
        assert_eq!(names(Operation::Read, 1), []);
        assert_eq!(names(Operation::Read, 100), [Procedure::GetAttributes]);
        assert_eq!(names(Operation::Close, 101), []);
    }
}
