//! File systems of other hosts: NFS version 2 below the buffer cache.
//!
//! ```text
//!  call ─▶ what is dirty is written, where the server is asked about a file's end ─▶ calls, one after the other ─▶ as on a disk
//!  blocks ─▶ READ and WRITE of 8 KiB: ahead and behind by a biod, if one is idle; else whoever wants it waits for it himself
//! ```
//!
//! A block that is full is written behind, and so are all that are dirty when a file is closed, which waits for them: each WRITE is durable
//! at the server when it is answered. What couldn't be written is told whoever closes the file.
//!
//! Source: R. Sandberg et al., "Design and implementation of the Sun network filesystem", USENIX Summer 1985, and nfs(4), biod(8) of SunOS
//! 4.1. Left out: what other clients change of a file while it is mounted here, symbolic links, and that a block which isn't full is written
//! only as far as it is dirty.

use super::buffer_cache::{BlockKey, Content, VolumeFile};
use super::call::{Event, Job, Next};
use super::files::UnixFile;
use super::in_flight::Transfer;
use super::state::Host;
use crate::laid_out::PreparedFile;
use crate::nfs::{MountOptions, Remote};
use petrio_colours::{BlockRequest, Direction, Failure, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How a file system of another host is mounted.
#[derive(Clone, Debug)]
pub struct OverNfs {
    /// Its options; of version 2.
    pub options: MountOptions,
    /// What operations call it.
    pub number: u32,
}

/// A file system of another host.
#[derive(Clone, Debug, Persist)]
pub(super) struct Over {
    remote: Remote,
    number: u32,
    /// Its number here.
    volume: u32,
    /// Blocks that biods are busy with.
    by_biods: BTreeSet<BlockKey>,
    /// Files of which something couldn't be written, and why.
    lost: BTreeMap<VolumeFile, Failure>,
}

impl Over {
    /// With the files that are there.
    pub(super) fn new(over: &OverNfs, volume: u32, files: &[UnixFile]) -> Option<Self> {
        let prepared = files.iter().filter(|file| file.present).map(|file| PreparedFile {
            file: file.file,
            parent: file.parent,
            directory: file.directory,
            size: file.size,
            cached: false,
        });
        let prepared: Vec<PreparedFile> = prepared.collect();
        let mut random = petrio_random::generator(0, 0, "over nfs", "files");
        let remote = Remote::new(&over.options, &prepared, &mut random).ok()?;
        let (by_biods, lost) = (BTreeSet::new(), BTreeMap::new());
        Some(Self { remote, number: over.number, volume, by_biods, lost })
    }
}

impl Host {
    /// The number here of a file system as operations call it.
    pub(super) fn volume_called(&self, number: u32) -> u32 {
        self.over.iter().find(|over| over.number == number).map_or(number, |over| over.volume)
    }

    fn over_mut(&mut self, volume: u32) -> Option<&mut Over> {
        self.over.iter_mut().find(|over| over.volume == volume)
    }

    /// What an operation on a file system of another host waits for before it is carried out here.
    pub(super) fn over_nfs(&mut self, job: &mut Job, now: Time) -> Option<Next> {
        let volume = job.op.file_system;
        let file = VolumeFile::new(volume, job.op.file);
        if job.asks.is_none() {
            if Remote::flushes(job.op.operation)
                && let Some(next) = self.write_behind_all(job, file, now)
            {
                return Some(next);
            }
            let over = self.over_mut(volume)?;
            let lost = over.lost.remove(&file).filter(|_| Remote::flushes(job.op.operation));
            match over.remote.calls(&job.op, now) {
                Ok(calls) => job.asks = Some(VecDeque::from(calls)),
                Err(failure) => return Some(job.fail(failure)),
            }
            if let Some(failure) = lost {
                return Some(job.fail(failure));
            }
        }
        let request = job.asks.as_mut()?.pop_front()?;
        let id = job.caller();
        *self.metadata.entry(id).or_default() += 1;
        self.in_flight.send(Transfer::Metadata(id, volume), request, now);
        job.waited = true;
        Some(Next::Wait(Event::Metadata(id)))
    }

    /// Writes what is dirty of a file, as many blocks at a time as there are biods, and one by the process itself.
    fn write_behind_all(&mut self, job: &mut Job, file: VolumeFile, now: Time) -> Option<Next> {
        if !self.writes.contains_key(&file) {
            let at_a_time = self.parameters.biods as usize + 1;
            let dirty = self.cache.blocks_of(file, 0).into_iter().map(|block| BlockKey { file, block });
            let dirty =
                dirty.filter(|&key| self.cache.is_dirty(key) && self.cache.find(key) == Some(Content::Valid));
            for key in dirty.take(at_a_time).collect::<Vec<_>>() {
                self.start_write(key, true, job.op.process, now);
            }
        }
        let waits = self.writes.contains_key(&file);
        job.waited |= waits;
        waits.then_some(Next::Wait(Event::Written(file)))
    }

    /// Whether a block has to be waited for by whoever wants it: it is another host's, and no biod is idle.
    pub(super) fn is_without_biod(&self, key: BlockKey) -> bool {
        let volume = key.file.volume();
        let busy = self.over.iter().find(|over| over.volume == volume).map(|over| over.by_biods.len());
        busy.is_some_and(|busy| busy >= self.parameters.biods as usize)
    }

    /// The request for a block of a file system of another host.
    pub(super) fn request_over(
        &mut self,
        key: BlockKey,
        direction: Direction,
        synchronous: bool,
    ) -> Option<BlockRequest> {
        let size = self.files(key.file).size(key.file.file());
        let bytes = self.block_bytes;
        let over = self.over_mut(key.file.volume())?;
        if !synchronous {
            over.by_biods.insert(key);
        }
        Some(Remote::data(direction, key.file.file(), (key.block * bytes, bytes), size))
    }

    /// A block of a file system of another host has been read or written, or hasn't.
    pub(super) fn complete_over(
        &mut self,
        key: BlockKey,
        direction: Direction,
        failure: Option<Failure>,
        now: Time,
    ) {
        let size = self.files(key.file).size(key.file.file());
        let Some(over) = self.over_mut(key.file.volume()) else { return };
        over.by_biods.remove(&key);
        match (direction, failure) {
            (Direction::Write, None) => over.remote.wrote(key.file.file(), size, now),
            (Direction::Write, Some(failure)) => {
                over.lost.insert(key.file, failure);
            }
            _ => {}
        }
    }

    /// Whether an operation changes a file system of another host, whose server writes what that changes.
    pub(super) fn is_over(&self, volume: u32) -> bool {
        self.over.iter().any(|over| over.volume == volume)
    }

    /// Whether it is one that the host's own tables carry out.
    pub(super) const fn is_of_no_file(operation: Operation) -> bool {
        matches!(operation, Operation::Compute | Operation::Touch | Operation::Exchange | Operation::Sync)
    }
}
