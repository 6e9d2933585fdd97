//! Lustre as a file system below the page cache: what is asked of its servers, and who waits for what.
//!
//! ```text
//!   a call on names ─▶ rounds of calls to MDTs (and glimpses of OSTs), one after the other, none for what a lock lets it believe
//!   a read, a write ─▶ locks on extents of objects, all at once ─▶ pages of the cache ─▶ data, read ahead, or written when there is
//!                      enough for an RPC, when more is dirty than may be, or when a lock is called back
//! ```
//!
//! After lustre/llite, osc and mdc of Lustre 2.15. What is dirty stays in memory when a file is closed: a lock says that nobody else may
//! look at it. A lock that is called back has what was written under it sent, its pages dropped, and goes back (`locks.rs`).
//!
//! Left out: that what others cut off is known before the file is made anew; group locks, flock; a write past the cache without locks;
//! reading ahead that ends where a lock does.

mod data;
mod names;

use super::carried::{Asked, Call, Told, answered, complete};
use super::layout::{FILE_PAGES, Striping, Target};
use super::locks::Locks;
use super::procedure::{Bits, Procedure};
use crate::below::{
    AfterData, AnyFileSystem, Change, FileSystem, Kernel, Layout, Names, Nature, Piece, Posted, Posts,
    Prepared, Scope, Stop,
};
use crate::copy_cost::PAGE_BYTES;
use crate::daemon::Daemon;
use crate::file_system::{AccessTimes, FileError, Mapping};
use crate::laid_out::PreparedFile;
use crate::mount::Mount;
use crate::page_cache::FileKey;
use crate::parameters::HostParameters;
use crate::state::{Event, Inodes, Moves, Touch, file_of};
use petrio_colours::{BlockRequest, Direction, Failure, FileCause, FileId, FileOp};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_units::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// How a file system is mounted.
#[derive(Clone, Debug, PartialEq)]
pub struct LustreMount {
    /// Where files lie.
    pub striping: Arc<Striping>,
    /// Pages of an RPC (`max_pages_per_rpc`).
    pub rpc_pages: u64,
    /// Pages of one OST that may be dirty (`max_dirty_mb`).
    pub dirty_pages: u64,
    /// Pages that a client may write without asking for room, when it has just mounted it.
    pub granted_pages: u64,
    /// The largest window of read-ahead of a file (`max_read_ahead_per_file_mb`).
    pub read_ahead: Bytes,
    /// Attributes that are asked for ahead (`statahead_max`).
    pub stat_ahead: u32,
}

/// An operation under way, by its process and its number.
type Asking = (u32, u64);

/// What is known of a file.
#[derive(Clone, Copy, Debug, Persist)]
struct Known {
    parent: FileId,
    /// What may be believed.
    bits: Bits,
    /// Components that have objects.
    components: u32,
    /// Names of a directory are in memory.
    is_read: bool,
}

/// What is written to one target.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Written {
    /// Pages that aren't there yet.
    dirty: u64,
    /// Pages that may become dirty.
    grant: u64,
}

/// Pages prepared for a write, and the lock under which they are.
#[derive(Clone, Copy, Debug, Persist)]
struct Use {
    lock: u32,
    target: u16,
    /// In the object.
    from: u64,
    to: u64,
    /// How many weren't dirty.
    fresh: u64,
    /// The byte of the file behind the last that is written.
    end: u64,
}

/// A mounted file system.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Lustre {
    #[persist(keep)]
    is: Arc<LustreMount>,
    names: Names,
    known: BTreeMap<FileId, Known>,
    /// What is in each directory, in the order of its files' numbers.
    entries: BTreeMap<FileId, BTreeSet<FileId>>,
    locks: Locks,
    /// Locks that operations asked for, and use until they end.
    held: BTreeMap<Asking, Vec<u32>>,
    /// Rounds of calls that operations still have to make.
    asked: BTreeMap<Asking, VecDeque<Vec<Call>>>,
    /// Pages that are being written, by the number of their change.
    uses: BTreeMap<u64, Vec<Use>>,
    next_use: u64,
    targets: BTreeMap<u16, Written>,
    /// Since when operations wait for room to write.
    waiting: BTreeMap<Asking, Time>,
    /// Attributes asked for ahead: the group of their requests.
    ahead: BTreeMap<FileId, u64>,
    /// Files whose size was asked for ahead.
    sized: BTreeSet<FileId>,
    /// The file that each process looked at last, and how many of its directory one after the other.
    looked: BTreeMap<u32, (FileId, u32)>,
    /// Somebody listens to what servers ask.
    listens: bool,
}

impl Lustre {
    /// Without files.
    pub(crate) fn new(is: &LustreMount) -> Self {
        let root = Known { parent: FileId::ROOT, bits: Bits::LOOKUP, components: 0, is_read: false };
        Self {
            is: Arc::new(is.clone()),
            names: Names::default(),
            known: BTreeMap::from([(FileId::ROOT, root)]),
            entries: BTreeMap::new(),
            locks: Locks::default(),
            held: BTreeMap::new(),
            asked: BTreeMap::new(),
            uses: BTreeMap::new(),
            next_use: 0,
            targets: BTreeMap::new(),
            waiting: BTreeMap::new(),
            ahead: BTreeMap::new(),
            sized: BTreeSet::new(),
            looked: BTreeMap::new(),
            listens: false,
        }
    }

    fn parent(&self, file: FileId) -> FileId {
        self.known.get(&file).map_or(FileId::ROOT, |known| known.parent)
    }

    fn target(&self, file: FileId, object: u16) -> Target {
        self.is.striping.target((file, self.parent(file)), object)
    }

    fn know(&mut self, file: FileId, parent: FileId, size: u64) {
        let components = u32::try_from(self.is.striping.instantiated(size)).unwrap_or(u32::MAX);
        self.known.insert(file, Known { parent, bits: Bits::NONE, components, is_read: false });
        self.entries.entry(parent).or_default().insert(file);
    }

    /// What is written to a target.
    fn written_to(&mut self, code: u16) -> &mut Written {
        let grant = self.is.granted_pages;
        self.targets.entry(code).or_insert(Written { dirty: 0, grant })
    }

    /// Puts a call into the mount's requests, and listens if nobody does.
    fn put(&mut self, kernel: &mut Kernel<'_>, (touch, group): (Touch, u64), call: &Call) {
        if !std::mem::replace(&mut self.listens, true) {
            let own = kernel.fs.transfers.group();
            let listen = Call::of(Procedure::Listen, (FileId::ROOT, FileId::ROOT), Target::Mdt(0));
            Self::send(kernel, (daemon(kernel), own), &listen);
        }
        Self::send(kernel, (touch, group), call);
    }

    fn send(kernel: &mut Kernel<'_>, (touch, group): (Touch, u64), call: &Call) {
        kernel.fs.send_metadata((0, 1), touch, group, kernel.now, Moves::Plain);
        kernel.fs.outbox.last_mut().into_iter().for_each(|request| call.write(request));
    }

    /// Sends a call for which nobody waits.
    fn tell(&mut self, kernel: &mut Kernel<'_>, call: &Call) {
        let touch = (daemon(kernel), kernel.fs.transfers.group());
        self.put(kernel, touch, call);
    }

    /// Sends calls together; what whoever makes them waits for.
    fn ask_together(&mut self, kernel: &mut Kernel<'_>, op: &FileOp, calls: &[Call]) -> Stop {
        let group = kernel.fs.transfers.group();
        self.ask_in(kernel, op, calls, group)
    }

    fn ask_in(&mut self, kernel: &mut Kernel<'_>, op: &FileOp, calls: &[Call], group: u64) -> Stop {
        let touch = Touch::of(op, Direction::Read, true);
        calls.iter().for_each(|call| self.put(kernel, (touch, group), call));
        Stop::Wait(Event::Group(group), FileCause::Network)
    }

    /// Sends the next calls of an operation, if it has any left.
    fn ask(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        match self.asked.get_mut(&asking(op)).and_then(VecDeque::pop_front) {
            Some(calls) => Err(self.ask_together(kernel, op, &calls)),
            None => {
                self.asked.remove(&asking(op));
                Ok(())
            }
        }
    }

    /// A server tells how far a file was written.
    fn hears_size(kernel: &mut Kernel<'_>, file: FileId, size: u64) {
        let inode = kernel.fs.inodes.get_mut(file);
        inode.size = inode.size.max(size);
    }

    /// A server asks something.
    fn hears(&mut self, kernel: &mut Kernel<'_>, asked: Asked) {
        match asked {
            Asked::Extent { lock, file, target, object } => {
                if self.locks.called(lock) {
                    self.give_back(kernel, lock);
                } else if self.locks.get(lock).is_none() {
                    // It went with its file.
                    let cancel = Call { object, lock, ..Call::of(Procedure::Cancel, (file, file), target) };
                    self.tell(kernel, &cancel);
                }
            }
            Asked::Inode(file, bits, number) => {
                self.believes_no_longer(file, bits);
                let target = Target::Mdt(0);
                let cancel = Call { lock: number, ..Call::of(Procedure::Cancel, (file, file), target) };
                self.tell(kernel, &Call { object: u16::MAX, ..cancel });
            }
            Asked::Size(file, number) => {
                let size = kernel.fs.inodes.get(file).size.div_ceil(PAGE_BYTES);
                let call = Call::of(Procedure::TellSize, (file, file), Target::Mdt(0));
                let bytes = kernel.fs.inodes.get(file).size % PAGE_BYTES;
                self.tell(kernel, &Call { lock: number, numbers: (size, bytes), ..call });
            }
        }
    }

    fn believes_no_longer(&mut self, file: FileId, bits: Bits) {
        if let Some(known) = self.known.get_mut(&file) {
            known.bits = Bits(known.bits.0 & !bits.0);
            known.is_read &= !bits.has(Bits::UPDATE);
        }
    }

    /// A file as large as it may be.
    fn fits(end: u64) -> Result<(), Stop> {
        if end > FILE_PAGES * PAGE_BYTES { Err(Stop::Fail(Failure::NoSpace)) } else { Ok(()) }
    }
}

/// On behalf of the kernel, for which nobody waits.
fn daemon(kernel: &Kernel<'_>) -> Touch {
    Touch::daemon(kernel.fs.daemon(Daemon::Flusher), Direction::Read, false)
}

fn asking(op: &FileOp) -> Asking {
    (op.process, op.id.0)
}

impl Layout for Lustre {
    fn add(&mut self, file: &PreparedFile, _: &mut Generator) -> Result<(), FileError> {
        self.names.add(file.file, file.parent, file.directory)?;
        let pages = file.size.div_ceil(PAGE_BYTES);
        if pages > FILE_PAGES {
            return Err(FileError::NoSpace { file: file.file, wanted: pages, free: FILE_PAGES });
        }
        self.know(file.file, file.parent, file.size);
        Ok(())
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.is.striping.map((file, self.parent(file)), (first, count), out);
    }

    fn is_directory(&self, file: FileId) -> bool {
        self.names.is_directory(file)
    }

    fn mount(&self, _: u32, host: &HostParameters, _: &Mount) -> (AnyFileSystem, Nature) {
        let nature = Nature {
            delayed: false,
            posts: Posts::Dirty,
            direct: true,
            large_folios: false,
            access_times: AccessTimes::Never,
            tick: host.kernel.tick(),
            counts_rewrites: false,
            most_pages: self.is.rpc_pages,
            most_read_pages: self.is.rpc_pages,
            shared: true,
            synchronous: false,
            before_indirect_block: None,
            reads_ahead: true,
            age: Time::ZERO,
        };
        (Box::new(self.clone()), nature)
    }
}

impl FileSystem for Lustre {
    fn exists(&self, file: FileId) -> bool {
        self.names.exists(file)
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.is.striping.map((file, self.parent(file)), (first, count), out);
    }

    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        Self::fits(piece.end)?;
        self.prepare_pages(kernel, piece)
    }

    fn post(&mut self, kernel: &mut Kernel<'_>, posted: &Posted, change: Option<Change>) {
        let uses = change.and_then(|change| self.uses.remove(&change.id)).unwrap_or_default();
        self.wrote(kernel, posted.file, (&uses, posted.dirtied));
    }

    fn end(&mut self, kernel: &mut Kernel<'_>, change: Change) {
        let uses = self.uses.remove(&change.id).unwrap_or_default();
        uses.iter().for_each(|each| self.release(kernel, each.lock));
    }

    fn prepare_past_cache(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        (first, end): (u64, u64),
        size: u64,
    ) -> Result<bool, Stop> {
        Self::fits(size)?;
        self.instantiate(kernel, op, end)?;
        self.lock(kernel, op, true, (first, end))?;
        self.release_held(kernel, op);
        kernel.touch_times(op.file);
        Ok(size > kernel.fs.inodes.get(op.file).size)
    }

    fn before_read(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        self.prepare_read(kernel, op)
    }

    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        self.change(kernel, op).map(|()| None)
    }

    fn given_up(&mut self, op: &FileOp) {
        self.asked.remove(&asking(op));
        self.waiting.remove(&asking(op));
        let held = self.held.remove(&asking(op)).unwrap_or_default();
        for lock in held {
            self.locks.released(lock);
        }
    }

    fn dropped(&mut self, _: &mut Kernel<'_>, file: FileId, (first, _): (u64, u64)) {
        if first == 0 && !self.names.exists(file) {
            self.forget(file);
        }
    }

    fn complete(&self, inodes: &Inodes, requests: &mut [BlockRequest]) {
        let page_of = |object, at| self.is.striping.page_of(object, at);
        requests.iter_mut().for_each(|request| complete(request, page_of, |file| inodes.get(file).size));
    }

    fn answered(&mut self, kernel: &mut Kernel<'_>, request: &BlockRequest) {
        let Some(procedure) = answered(request) else {
            // The grant that comes with the answer to a write.
            if request.direction == Direction::Write {
                let code = u16::try_from(request.device).unwrap_or(0);
                self.written_to(code).grant += u64::from(request.process);
            }
            return;
        };
        let (file, told) = (request.file, Told::of(request));
        match procedure {
            Procedure::Listen => {
                self.listens = false;
                self.hears(kernel, Asked::of(request));
                if !self.listens {
                    let listen = Call::of(Procedure::Listen, (FileId::ROOT, FileId::ROOT), Target::Mdt(0));
                    self.listens = true;
                    let touch = (daemon(kernel), kernel.fs.transfers.group());
                    Self::send(kernel, touch, &listen);
                }
            }
            Procedure::LockToRead | Procedure::LockToWrite => {
                self.locks.granted(request.process, told.extent);
                Self::hears_size(kernel, file, told.size);
            }
            Procedure::Glimpse => Self::hears_size(kernel, file, told.size),
            _ if procedure.is_of_metadata() => self.hears_of(kernel, (procedure, file), told),
            _ => {}
        }
    }

    fn written(&mut self, kernel: &mut Kernel<'_>, key: FileKey, (first, pages): (u64, u64), _: bool) {
        let Some(file) = file_of(key) else { return };
        let is = Arc::clone(&self.is);
        for part in is.striping.parts(first, pages) {
            let found = self.locks.written((file, part.object), part.at, part.pages);
            let Some((lock, goes)) = found else { continue };
            let code = self.target(file, part.object).code();
            let written = self.written_to(code);
            written.dirty = written.dirty.saturating_sub(part.pages);
            if goes {
                self.give_back(kernel, lock);
            }
        }
    }

    fn after_data(&mut self, kernel: &mut Kernel<'_>, scope: Scope) -> AfterData {
        let Scope::File { file, .. } = scope else { return AfterData::default() };
        let calls = self.syncs(file);
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(Daemon::Flusher), Direction::Read, true);
        calls.iter().for_each(|call| self.put(kernel, (touch, group), call));
        AfterData { event: (!calls.is_empty()).then_some(Event::Group(group)), flush: false }
    }

    /// What servers sync is what there is of it.
    fn promises_flush(&self, _: Scope) -> bool {
        false
    }
}
