//! Writes that are on the disk before they return: those of an NFS server, of files that are opened so (O_SYNC), and of names and inodes.
//!
//! ```text
//!  of each block:  what points to it, if it is new and not the inode's own ─▶ the block      then:  the inode, if the file has grown
//! ```
//!
//! One after the other, each waited for, and of one file by one process at a time, as its inode is locked meanwhile. So a write in place is one
//! write to the disk; one that makes the file longer is two, with the inode; and one of a new block behind the first twelve is three, with the
//! indirect block. That a file was written (its time) is no reason to write its inode.
//!
//! Source: `rwip` of SunOS 4's ufs, which writes the inode only where its size has changed or `bmap` has allocated, and `bmap`, which writes the
//! indirect block itself; C. Juszczak, "Improving the write performance of an NFS server", USENIX Winter 1994, of what a WRITE puts on a
//! server's disk: data, inode, and an indirect block where there is one. Left out: what points to indirect blocks themselves (double indirect
//! blocks, from 16 MiB on).

use super::buffer_cache::{BlockKey, Content, VolumeFile};
use super::call::{Event, Job, Next};
use super::in_flight::Transfer;
use super::state::Host;
use petrio_colours::{BlockRequest, Direction, FileId, Purpose, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;

impl Host {
    /// Whether what is written through of a file brings what its file system has about it.
    pub(super) fn writes_through(&self, file: VolumeFile) -> bool {
        self.parameters.metadata && !self.is_over(file.volume())
    }

    /// Locks a file, or goes on with the block that a call has begun with; what it waits for, if for anything.
    pub(super) fn go_on_through(&mut self, job: &mut Job, file: VolumeFile, now: Time) -> Option<Next> {
        if !self.writes_through(file) {
            return None;
        }
        if !job.holds {
            if self.locked.contains_key(&file) {
                job.waited = true;
                return Some(Next::Wait(Event::Unlocked(file)));
            }
            self.locked.insert(file, ());
            job.holds = true;
        }
        let key = job.then.take()?;
        match self.cache.find(key)? {
            Content::Valid if !self.cache.is_dirty(key) => None,
            Content::Valid => {
                self.start_write(key, true, job.op.process, now);
                Some(Next::Wait(Event::Block(key)))
            }
            // Somebody else has sent it off meanwhile.
            Content::Coming | Content::Going => Some(Next::Wait(Event::Block(key))),
        }
    }

    /// Sends a block that a call has written, of a file that was so long before; what it waits for, or nothing where there is no room for
    /// what points to the block.
    pub(super) fn write_through(
        &mut self,
        job: &mut Job,
        (key, was): (BlockKey, u64),
        now: Time,
    ) -> Option<Next> {
        let (file, bytes) = (key.file, self.block_bytes);
        job.waited = true;
        job.grown |= self.files(file).size(file.file()) > was;
        let is_new = key.block >= was.div_ceil(bytes);
        let number = file.file();
        if is_new && self.files(file).is_behind_indirect(key.block) {
            let address = self.files_mut(file).indirect(number, key.block)?;
            let blocks = as_number(bytes / SECTOR_BYTES);
            self.send_metadata(job, (address, blocks), now);
            job.then = Some(key);
            return Some(Next::Wait(Event::Metadata(job.caller())));
        }
        self.start_write(key, true, job.op.process, now);
        Some(Next::Wait(Event::Block(key)))
    }

    /// Writes the inode of a file that has grown, and waits for it.
    pub(super) fn inode_through(&mut self, job: &mut Job, file: VolumeFile, now: Time) -> Next {
        match job.grown {
            true => self.write_metadata(job, &[file.file()], now),
            false => Next::Return,
        }
    }

    /// A call is over: others may write through what is of its file.
    pub(super) fn unlock(&mut self, job: &mut Job) {
        if std::mem::take(&mut job.holds) {
            let file = VolumeFile::new(job.op.file_system, job.op.file);
            self.locked.remove(&file);
            self.events.push(Event::Unlocked(file));
        }
    }

    /// Writes the inodes (and directory blocks) of what a call has changed, and waits for it.
    pub(super) fn write_metadata(&mut self, job: &mut Job, of: &[FileId], now: Time) -> Next {
        if !self.parameters.metadata || self.is_over(job.op.file_system) {
            return Next::Return;
        }
        let (caller, volume) = (job.caller(), job.op.file_system);
        if !std::mem::replace(&mut job.sent, true) {
            let sectors = self.parameters.fragment.get() / SECTOR_BYTES;
            for &file in of {
                let address = self.volumes[volume as usize].inode(file) / sectors * sectors;
                self.send_metadata(job, (address, as_number(sectors)), now);
            }
        }
        job.waited = true;
        match self.metadata.contains_key(&caller) {
            true => Next::Wait(Event::Metadata(caller)),
            false => Next::Return,
        }
    }

    /// Writes what a call has changed about files, so many device blocks at an address.
    pub(super) fn send_metadata(&mut self, job: &Job, (address, blocks): (u64, u32), now: Time) {
        *self.metadata.entry(job.caller()).or_default() += 1;
        let request = BlockRequest {
            process: job.op.process,
            direction: Direction::Write,
            synchronous: true,
            purposes: Purpose::Metadata.into(),
            address,
            blocks,
            ..BlockRequest::default()
        };
        self.in_flight.send(Transfer::Metadata(job.caller(), job.op.file_system), request, now);
    }
}
