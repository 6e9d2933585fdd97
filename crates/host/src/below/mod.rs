//! What lies below the page cache: a file system is what answers [`FileSystem`], and the cache asks no further of which kind it is.
//!
//! ```text
//!   page/: look up · read in · begin · copy · commit · balance · sync · change      flusher      completions
//!                 │  asks what is where, begins and ends changes,                      │              │
//!                 ▼  is told what waits for what                                       ▼              ▼
//!   FileSystem:  map   prepare ─▶ post   change_names   note_access   before_data ─▶ after_data   find_blocks   written
//!                 │        │  reads metadata, makes room, sends requests
//!                 ▼        ▼
//!   Kernel: memory and page cache, the mount's files in memory, its requests on their way, and what a firing leaves to be sent off
//! ```
//!
//! After what Linux splits the same way: `address_space_operations`, `iomap_begin` and `iomap_end`, `writepages` that finds blocks for
//! what is delayed, `fsync`, `sync_fs`, `write_inode`. What differs between journals (the handles and the commit thread of jbd2, the
//! delayed committed items of XFS) is behind three words: a *change* that is begun and ended, an *event* for which whoever can't go on
//! waits, and the file system's own *threads*.
//!
//! **What blocks whom, until what.** A method that can't go on gives a [`Stop`] with an [`Event`], having changed nothing that its
//! repetition would change again: the operation waits in the net and asks once more. An event is a group of requests
//! ([`Event::Group`], which happens when the last of them has come back), a write of cached pages, a transaction or checkpoint of a
//! log that is durable ([`Event::Committed`]), or just that it may try again ([`Event::Handle`]). Whoever makes it happen pushes it onto
//! `kernel.fs.events`: a thread of the file system, or `written`.
//!
//! **Threads** are pages of the net that a file system builds itself ([`FileSystem::threads`]). What steps want of them they say in
//! `kernel.fs.signals`: `began` (something has begun that a thread looks after when it is [`Nature::age`] old: place `ages`), `commit`
//! (the log is wanted on the device: `wanted`), `closed` (the last open change of what is being committed has ended: `closed`),
//! `checkpoint` (log space is short: `short`), `flush` (the flusher is). Their transitions update the same three states as the steps
//! (memory, files, system) and send off what they leave by `Leavings`.
//!
//! **Metadata** are pages of the device's own file in the cache, block by block. What a change touches it lists in `kernel.fs.touched`;
//! [`Kernel::bring_touched`] reads what isn't there. Those that are dirty for the write-back the flusher takes with the data: who keeps
//! them back until they are logged says so in [`FileSystem::pages_held`].
//!
//! # What would be asked of copy-on-write
//!
//! btrfs and ZFS write nothing where it lies. The trait leaves room for that:
//!
//! - *Blocks are found when data are written back*, also for those that have some: [`FileSystem::find_blocks`] is asked before the dirty
//!   pages of a file are sent, and `map` afterwards, so that it gives every dirty page a fresh block, drops the old one into the
//!   transaction's list of what becomes free at its end, and `map` answers with the new place. Reads between see the page itself.
//! - *Space is reserved when a page is written* (`prepare`), for the data and for the path of the tree above them, as `NoSpace` must be
//!   told to the writer: `Change::reserved` is that, in blocks; a change of a page that is dirty already needs none.
//! - *A transaction is the tree's generation.* `after_data` of sync(2) asks for it and waits for `Committed(generation)`; its thread writes
//!   data, then the changed blocks from the leaves up (which `find_blocks` of the device's file would place), flushes, writes the
//!   superblock (uberblock) with `force_unit_access`, and pushes the event. All changes are held up meanwhile by `Stop::Wait(Handle)`
//!   where the kernel holds them up (btrfs: while a transaction is blocked; ZFS: while its quiescing has no room).
//! - *fsync writes a log tree* (btrfs) or an intent log (ZFS): `after_data` of one file says for which event it waits, and whether a
//!   flush follows; neither needs the generation to end.
//! - *Blocks of a checksum tree* are metadata like others: `map` lists them beside the extent's own, and reading waits for them.
//! - *Compression and record sizes* make a request larger than the pages asked for: `Mapping`'s segments would say how many blocks of
//!   the device a run of pages takes, and `read_ahead` (whose windows `map` already cuts) would round to records. That is the one
//!   thing that the segments, of as many blocks as pages, can't say yet.

mod freed;
mod kernel;
mod leavings;
mod names;
mod thread;

pub(crate) use freed::Freed;
pub(crate) use kernel::Kernel;
pub(crate) use leavings::{Leaves, Leavings, MountPlaces, no_way, put};
pub(crate) use names::Names;
pub(crate) use thread::ThreadStep;

use super::file_system::{FileError, Mapping};
use super::kernel_profile::KernelParameters;
use super::laid_out::PreparedFile;
use super::mount::Mount;
use super::page_cache::FileKey;
use super::parameters::HostParameters;
use super::state::{Event, Inodes, Touch};
pub(crate) use super::state::{Nature, Posts};
use petrio_colours::{BlockRequest, Failure, FileCause, FileId, FileOp};
use petrio_kernel::{PageBuilder, Time};
use petrio_persist::{Kept, Persist, persist_boxed};
use petrio_random::Generator;
use std::any::Any;
use std::fmt::Debug;

/// A change of the file system that has begun and hasn't ended: an operation carries it from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) struct Change {
    /// Whose part it is: a transaction's number, or the like.
    pub(crate) id: u64,
    /// What is kept for it: blocks of a log, or the like.
    pub(crate) reserved: u64,
}

/// Why something can't go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Not before this has happened, which time is charged to a cause.
    Wait(Event, FileCause),
    /// Not at all.
    Fail(Failure),
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::Fail(error.failure())
    }
}

/// Pages of a file that are about to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    /// The operation: `flags.mapped` where pages become writable in somebody's memory, whose content comes later.
    pub(crate) op: &'a FileOp,
    /// The file's key.
    pub(crate) key: FileKey,
    /// The first page, and how many.
    pub(crate) first: u64,
    pub(crate) pages: u64,
    /// The byte behind the last that is written.
    pub(crate) end: u64,
    /// The file's size before.
    pub(crate) size: u64,
}

/// Pages are prepared for a write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prepared {
    /// The change that the operation carries until its pages are posted.
    pub(crate) change: Option<Change>,
    /// What it cost on a processor.
    pub(crate) work: Time,
    /// Requests for metadata that have to come back before.
    pub(crate) group: Option<u64>,
}

/// Pages of a file that have been written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) file: FileId,
    pub(crate) key: FileKey,
    /// The first page, and how many.
    pub(crate) first: u64,
    pub(crate) pages: u64,
    /// How many of them are dirty that weren't.
    pub(crate) dirtied: u64,
}

/// What is to be made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// One file; and whether only its data matter, and what is needed to find them.
    File { file: FileId, data_only: bool },
    /// All of the file system: sync(2).
    All,
}

/// What follows once data are on their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AfterData {
    /// What has to happen in the log.
    pub(crate) event: Option<Event>,
    /// Whether the device is to be flushed after that.
    pub(crate) flush: bool,
}

/// A mounted file system below the page cache.
///
/// All methods take no time. Those that are given a [`Kernel`] may read metadata, make room, send requests and leave events and
/// signals in it; the others only look. They are called at the instant of an operation's step, with these orders:
/// `prepare` → (pages are put into the cache, copied) → `post`, or `end` where the operation fails between; `before_data` → (data are
/// found blocks and written) → `after_data` → (a flush). Nothing else is in order: between two calls others come.
///
/// What has a body here is what a file system does that has neither a log nor metadata on its device, and finds the blocks of data when
/// they are written into the cache.
pub(crate) trait FileSystem: Forked + Kept + Any + Debug + Send + Sync {
    /// Whether there is such a file with a name.
    fn exists(&self, file: FileId) -> bool;

    /// Where pages of a file lie, and which metadata must be in memory to know it; a hole where there is none. `out` is emptied
    /// before. In `read in` before a read, before a page is written in part, and when dirty pages are sent, to where it says.
    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping);

    /// The same for a read: blocks that hold no data yet are a hole.
    fn map_data(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.map(file, first, count, out);
    }

    /// The metadata block with what is known of a file, where there is one.
    fn inode_block(&self, _file: FileId) -> Option<u64> {
        None
    }

    /// The metadata blocks that are read together to know what is known of a file: the first, and how many.
    fn inode_blocks(&self, file: FileId) -> Option<(u64, u64)> {
        self.inode_block(file).map(|block| (block, 1))
    }

    /// Whether what is known of files is in memory when the run begins, also of those whose pages aren't.
    fn knows_inodes(&self) -> bool {
        true
    }

    /// Metadata that mounting has brought into memory.
    fn brought_by_mount(&self, _kernel: &KernelParameters) -> Vec<u64> {
        Vec::new()
    }

    /// Prepares pages for a write: begins the change that carries it where it needs one, finds blocks or keeps them, changes times,
    /// reads metadata. May be asked again after a [`Stop::Wait`].
    ///
    /// # Errors
    /// What has to happen before; why it can't be written, where no change is left open.
    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop>;

    /// Pages that were prepared have been written, and are in the cache; ends the change.
    fn post(&mut self, _kernel: &mut Kernel<'_>, _posted: &Posted, _change: Option<Change>) {}

    /// A file's data reach to so many bytes now, if they didn't before.
    fn grow(&mut self, _file: FileId, _size: u64) {}

    /// Prepares a write past the cache of the pages from `first` to `end`, as `prepare`, but all of the change is over when it
    /// returns. Whether the file becomes longer, or gets blocks, is the answer.
    ///
    /// # Errors
    /// As of `prepare`.
    fn prepare_past_cache(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        range: (u64, u64),
        end: u64,
    ) -> Result<bool, Stop>;

    /// An operation ends its change without having posted it.
    fn end(&mut self, _kernel: &mut Kernel<'_>, _change: Change) {}

    /// What is kept for changes that are open, of all of them.
    fn reserved(&self) -> u64 {
        0
    }

    /// A call reads a file that others may have changed: what isn't right any more leaves the cache. May be asked again after a
    /// [`Stop::Wait`].
    ///
    /// # Errors
    /// What has to happen before.
    fn before_read(&mut self, _kernel: &mut Kernel<'_>, _op: &FileOp) -> Result<(), Stop> {
        Ok(())
    }

    /// Changes the time of a file's last access.
    ///
    /// # Errors
    /// What has to happen before.
    fn note_access(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        kernel.touch_access(op.file);
        Ok(())
    }

    /// Carries out an operation on names, sizes or attributes; the group of requests for metadata that it has to wait for. The pages of
    /// what goes are still in the cache.
    ///
    /// # Errors
    /// What has to happen before; why it can't be done.
    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop>;

    /// An operation that was stopped is not carried out after all: something that it waited for has failed.
    fn given_up(&mut self, _op: &FileOp) {}

    /// Pages of a file, from one up to another, are no longer in the cache: it was cut or removed, or they were taken out of it.
    fn dropped(&mut self, _kernel: &mut Kernel<'_>, _file: FileId, _pages: (u64, u64)) {}

    /// Finds blocks for what of a file is dirty and has none, before it is sent. Metadata are read as `touch` says.
    ///
    /// # Errors
    /// What has to happen before; that there is no room: the data are lost, and whoever syncs the file next hears of it.
    fn find_blocks(&mut self, _kernel: &mut Kernel<'_>, _key: FileKey, _touch: Touch) -> Result<(), Stop> {
        Ok(())
    }

    /// Whether dirty pages of a file may be held back from being written, and how many at least are: none where none ever is.
    fn pages_held(&self, _key: FileKey) -> Option<u64> {
        None
    }

    /// Whether a page is held back.
    fn holds(&self, _key: FileKey, _index: u64) -> bool {
        false
    }

    /// The flusher has passed over a file, all of whose dirty pages are held back.
    fn passed_over(&mut self, _kernel: &mut Kernel<'_>, _key: FileKey) {}

    /// Pages that were sent have come back, and whether they could be written.
    fn written(&mut self, _kernel: &mut Kernel<'_>, _key: FileKey, _pages: (u64, u64), _done: bool) {}

    /// Requests for dirty pages of one run are about to be sent: what else is to be said of them.
    fn complete(&self, _inodes: &Inodes, _requests: &mut [BlockRequest]) {}

    /// A request of the mount has come back.
    fn answered(&mut self, _kernel: &mut Kernel<'_>, _request: &BlockRequest) {}

    /// A discard that it sent has come back.
    fn discarded(&mut self, _kernel: &mut Kernel<'_>) {}

    /// Somebody makes something durable: what has to happen before data are written.
    fn before_data(&mut self, _kernel: &mut Kernel<'_>, _scope: Scope) -> Option<Event> {
        None
    }

    /// All that a file system has dirty has been sent to be made durable, and isn't waited for yet.
    fn data_sent(&mut self, _kernel: &mut Kernel<'_>) {}

    /// His data have been written: what follows. Asked once.
    fn after_data(&mut self, _kernel: &mut Kernel<'_>, scope: Scope) -> AfterData {
        AfterData { event: None, flush: self.promises_flush(scope) }
    }

    /// Whether who makes something durable leaves nothing of it in the device's write cache.
    fn promises_flush(&self, scope: Scope) -> bool;

    /// What builds the pages of its own threads, of which all are idle at first.
    fn threads(&self) -> Threads {
        |_, _| {}
    }
}

/// A mounted file system, as the token of a state place.
pub(crate) type AnyFileSystem = Box<dyn FileSystem>;

persist_boxed!(dyn FileSystem, "a file system");

/// What every file system has by itself, as a marking is forked.
pub(crate) trait Forked {
    /// A copy, for a copy of the marking.
    fn boxed_clone(&self) -> AnyFileSystem;
}

impl<F: FileSystem + Clone> Forked for F {
    fn boxed_clone(&self) -> AnyFileSystem {
        Box::new(self.clone())
    }
}

impl Clone for AnyFileSystem {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// The file system of a kind: for its own threads, which are built for no other.
pub(crate) fn own<F: FileSystem>(system: &mut AnyFileSystem) -> &mut F {
    let system: &mut dyn Any = &mut **system;
    system.downcast_mut().unwrap_or_else(|| unreachable!("a file system's threads work on it alone"))
}

/// Builds the pages of a file system's own threads on the mount's page.
pub(crate) type Threads = fn(&mut PageBuilder<'_>, &MountPlaces);

/// A file system as it lies on its device before a run: what isn't mounted has no journal in use, and no time.
pub(crate) trait Layout {
    /// Adds a file that is there before the run begins.
    ///
    /// # Errors
    /// Where it can't be.
    fn add(&mut self, file: &PreparedFile, stream: &mut Generator) -> Result<(), FileError>;

    /// Where pages of a file lie.
    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping);

    /// Whether it is a directory.
    fn is_directory(&self, file: FileId) -> bool;

    /// Mounts a copy of it, as the host's mount of this number.
    fn mount(&self, number: u32, host: &HostParameters, mount: &Mount) -> (AnyFileSystem, Nature);
}
