//! NFS as a file system below the page cache: what is asked of its server, and who waits for what.
//!
//! Its data are pages of the cache like any file's: read-ahead, write-back and their limits are the kernel's, and what they send are READs
//! and WRITEs of at most `rsize` and `wsize`. An operation on names or attributes asks the client's state ([`Client`]) which calls it
//! costs now, sends them one after the other, and goes on when the last is answered. Closing a file, and whatever asks the server about
//! its size, writes what is dirty first; what took several WRITEs next to each other is committed.
//!
//! An operation that opens a file doesn't say what for: it is opened to be read, and anew to be written with its first write.
//!
//! A read asks first whether what is in memory still holds. What others do is told by replies ([`Others`]): how often they have changed a file
//! and its directory; a name that isn't known here is asked for, and may be there.
//!
//! Left out here: locks; and delegations where others mount the export, too, as nobody calls them back.

mod apart;
mod others;

use super::carried::{Effect, FILE_PAGES, Others, address, complete};
use super::client::Client;
use super::data::OpenFlags;
use super::names::Change;
use super::options::MountOptions;
use super::procedure::{Call, Procedure};
use super::server::{Export, Kind, Node};
use crate::below::{
    AfterData, AnyFileSystem, FileSystem, Kernel, Layout, Names, Nature, Piece, Posts, Prepared, Scope, Stop,
};
use crate::copy_cost::PAGE_BYTES;
use crate::file_system::{AccessTimes, FileError, Mapping, Segment};
use crate::laid_out::PreparedFile;
use crate::mount::Mount;
use crate::page_cache::FileKey;
use crate::parameters::HostParameters;
use crate::state::{Event, Inodes, Moves, Touch, file_of};
use others::Sought;
use petrio_colours::{BlockRequest, Direction, Failure, FileCause, FileId, FileOp, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_random::Generator;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Bytes of a host's name, as the credentials of each call have it.
const HOST_NAME: u64 = 8;

/// How far below the server's root the export lies.
const DEPTH: usize = 1;

/// An operation under way, by its process and its number.
type Asking = (u32, u64);

/// An export and the client that mounts it.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Nfs {
    names: Names,
    /// Of each file the directory that it is in, and what it is at the server.
    places: BTreeMap<FileId, (FileId, Node)>,
    client: Client,
    export: Export,
    /// The open files of each process, by the client's numbers; the last is open to be written where one is.
    opened: BTreeMap<(u32, FileId), Vec<(u32, bool)>>,
    /// Calls that operations still have to make.
    asked: BTreeMap<Asking, VecDeque<Call>>,
    /// Names that somebody looks for who believes others to have made them.
    sought: BTreeMap<FileId, Sought>,
    /// The operations that wait to hear of one, and of which.
    seeking: BTreeMap<Asking, FileId>,
    /// Changes by others, of files and directories, that are known.
    others: BTreeMap<FileId, u32>,
    /// Files of which the server has data that aren't durable before a COMMIT.
    unstable: BTreeSet<FileKey>,
}

impl Nfs {
    /// An empty export, mounted with these options.
    pub(crate) fn new(options: &MountOptions) -> Self {
        let mut nfs = Self {
            names: Names::default(),
            places: BTreeMap::from([(FileId::ROOT, (FileId::ROOT, Node::ROOT))]),
            client: Client::new(options.clone(), HOST_NAME),
            export: Export::new(options.delegations),
            opened: BTreeMap::new(),
            asked: BTreeMap::new(),
            sought: BTreeMap::new(),
            seeking: BTreeMap::new(),
            others: BTreeMap::new(),
            unstable: BTreeSet::new(),
        };
        nfs.client.on(&mut nfs.export).mount(DEPTH);
        nfs.client.take_calls();
        nfs
    }

    fn node(&self, file: FileId) -> Node {
        self.places.get(&file).map_or(Node::ROOT, |place| place.1)
    }

    /// The names that lead to a file.
    fn path(&self, file: FileId) -> Vec<String> {
        let (mut path, mut at) = (Vec::new(), file);
        while at != FileId::ROOT {
            path.push(name(at));
            at = self.places.get(&at).map_or(FileId::ROOT, |place| place.0);
        }
        path.reverse();
        path
    }

    /// What an operation asks of its server now, in this order: names have been changed here.
    pub(super) fn calls_of(&mut self, op: &FileOp, now: Time) -> Vec<Call> {
        let passed = now.saturating_sub(self.client.now);
        self.client.on(&mut self.export).advance(passed);
        let above = self.path(op.parent);
        let path = match op.operation {
            operation if operation.changes_names() && operation != Operation::Rename => {
                above.iter().cloned().chain([name(op.file)]).collect()
            }
            _ => self.path(op.file),
        };
        let new: Vec<String> = above.into_iter().chain([name(op.file)]).collect();
        self.does(op, &as_words(&path), &as_words(&new));
        if op.operation.makes() {
            let node = self.export.at(&as_words(&path)).unwrap_or_default();
            self.places.insert(op.file, (op.parent, node));
        }
        if op.operation == Operation::Rename {
            let node = self.node(op.file);
            self.places.insert(op.file, (op.parent, node));
        }
        self.client.take_calls()
    }

    /// What names say is possible has been looked at, so that what is refused here is refused by nobody else.
    fn does(&mut self, op: &FileOp, path: &[&str], new: &[&str]) {
        let root = Node::ROOT;
        let owner = (op.process, op.file);
        let read = OpenFlags { read: true, ..OpenFlags::default() };
        let mut process = self.client.on(&mut self.export);
        let refused = match op.operation {
            Operation::Open | Operation::Create | Operation::Tmpfile => {
                let makes = op.operation != Operation::Open;
                let flags = OpenFlags { create: makes, write: makes, ..read };
                process.open(root, path, flags).map(|number| {
                    self.opened.entry(owner).or_default().push((number, makes));
                })
            }
            Operation::Close => {
                let numbers = self.opened.remove(&owner).unwrap_or_default();
                numbers.into_iter().for_each(|(number, _)| process.close(number));
                Ok(())
            }
            Operation::Stat => process.stat(root, path).map(drop),
            Operation::SetAttributes => process.change(root, path, Change::Mode),
            Operation::Truncate => process.truncate(root, path, op.length),
            Operation::Unlink => process.unlink(root, path),
            Operation::Mkdir => process.make_directory(root, path).map(drop),
            Operation::Rmdir => process.remove_directory(root, path),
            Operation::Rename => process.rename(root, path, new),
            Operation::Symlink => process.symbolic_link(root, path, op.length).map(drop),
            Operation::Readdir => process.open_directory(root, path).map(|number| {
                while !process.entries(number).is_empty() {}
                process.close(number);
            }),
            _ => Ok(()),
        };
        debug_assert!(refused.is_ok(), "{:?} of {path:?}: {refused:?}", op.operation);
    }

    /// What a call of an operation does at the server that its procedure doesn't say.
    pub(super) fn effect(op: &FileOp, procedure: Procedure) -> Effect {
        match (procedure, op.operation) {
            (Procedure::Create | Procedure::Open, operation) if operation.makes() => Effect::Makes,
            (Procedure::SetAttributes, Operation::Truncate) => Effect::Cuts(op.length),
            (Procedure::Rename, Operation::Rename) => op.replaced.map_or(Effect::None, Effect::Replaces),
            _ => Effect::None,
        }
    }

    /// Puts a call into the mount's requests.
    fn put(
        kernel: &mut Kernel<'_>,
        (touch, group): (Touch, u64),
        call: u64,
        (file, parent): (FileId, FileId),
    ) {
        kernel.fs.send_metadata((call, 1), touch, group, kernel.now, Moves::Plain);
        if let Some(request) = kernel.fs.outbox.last_mut() {
            (request.file, request.device) = (file, parent.0);
        }
    }

    /// Sends a call; what whoever made it waits for.
    fn send(&self, kernel: &mut Kernel<'_>, op: &FileOp, call: &Call) -> Stop {
        let group = kernel.fs.transfers.group();
        let touch = Touch::of(op, Direction::Read, true);
        let known = self.places.get(&op.file).map(|place| place.0);
        let parent = if op.operation.changes_names() { op.parent } else { known.unwrap_or(op.parent) };
        let address = address(call, Self::effect(op, call.procedure));
        Self::put(kernel, (touch, group), address, (op.file, parent));
        Stop::Wait(Event::Group(group), FileCause::Network)
    }

    /// Sends the next call of an operation, if it has one left.
    fn ask(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let asking = asking(op);
        match self.asked.get_mut(&asking).and_then(VecDeque::pop_front) {
            Some(call) => Err(self.send(kernel, op, &call)),
            None => {
                self.asked.remove(&asking);
                Ok(())
            }
        }
    }

    /// COMMIT.
    fn commit(&mut self) -> Option<Call> {
        self.client.on(&mut self.export).commit();
        self.client.take_calls().pop()
    }

    /// Writes what is dirty of a file, and has it committed.
    fn flush(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let key = kernel.fs.key(op.file);
        if kernel.memory.cache.counts(key).dirty > 0 {
            let group = kernel.fs.transfers.group();
            let touch = Touch::of(op, Direction::Write, true);
            if kernel.write_pages(self, key, (0, u64::MAX), u64::MAX, touch, group).1 > 0 {
                return Err(Stop::Wait(Event::Group(group), FileCause::Write));
            }
        }
        let sent = kernel.fs.transfers.sent();
        if let Some(write) = kernel.fs.transfers.await_write(key, (0, u64::MAX), sent) {
            return Err(Stop::Wait(Event::Written(write), FileCause::Write));
        }
        match self.unstable.remove(&key).then(|| self.commit()).flatten() {
            Some(call) => Err(self.send(kernel, op, &call)),
            None => Ok(()),
        }
    }

    /// Whether a process' file is open to be written as far as its server knows; calls that make it so are left to be asked.
    fn opens_to_write(&mut self, op: &FileOp, now: Time) {
        let owner = (op.process, op.file);
        let is_open = self.opened.get(&owner).and_then(|numbers| numbers.last()).copied();
        if !self.client.options.version.is_4() || is_open.is_none_or(|(_, writes)| writes) {
            return;
        }
        let passed = now.saturating_sub(self.client.now);
        let path = self.path(op.file);
        let node = self.node(op.file);
        let mut process = self.client.on(&mut self.export);
        process.advance(passed);
        let numbers = self.opened.entry(owner).or_default();
        // What nobody was told of becomes what it should have been.
        if process.is_open_by_delegation(node) {
            numbers.drain(..).for_each(|(number, _)| process.close(number));
        }
        let both = OpenFlags { read: true, write: true, ..OpenFlags::default() };
        if let Ok(number) = process.open(Node::ROOT, &as_words(&path), both) {
            numbers.push((number, true));
        }
        let calls = self.client.take_calls();
        self.asked.insert(asking(op), calls.into());
    }

    /// A file as large as an area holds it.
    fn fits(end: u64) -> Result<(), Stop> {
        if end > FILE_PAGES * PAGE_BYTES { Err(Stop::Fail(Failure::NoSpace)) } else { Ok(()) }
    }
}

fn name(file: FileId) -> String {
    format!("f{}", file.0)
}

fn as_words(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn asking(op: &FileOp) -> Asking {
    (op.process, op.id.0)
}

/// All pages of a file lie in its area.
fn lies(file: FileId, first: u64, count: u64, out: &mut Mapping) {
    out.clear();
    let block = Some(u64::from(file.0) * FILE_PAGES + first);
    out.segments.extend((count > 0).then_some(Segment { first, block, count }));
}

impl Layout for Nfs {
    fn add(&mut self, file: &PreparedFile, _: &mut Generator) -> Result<(), FileError> {
        self.names.add(file.file, file.parent, file.directory)?;
        let pages = file.size.div_ceil(PAGE_BYTES);
        if pages > FILE_PAGES {
            return Err(FileError::NoSpace { file: file.file, wanted: pages, free: FILE_PAGES });
        }
        let kind = if file.directory { Kind::Directory(BTreeMap::new()) } else { Kind::File(file.size) };
        let parent = self.node(file.parent);
        let made = self.export.make(parent, &name(file.file), kind);
        let node = made.map_err(|_| FileError::Exists { file: file.file })?;
        self.places.insert(file.file, (file.parent, node));
        Ok(())
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        lies(file, first, count, out);
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
            most_pages: (self.client.options.write_size.get() / PAGE_BYTES).max(1),
            most_read_pages: (self.client.options.read_size.get() / PAGE_BYTES).max(1),
            shared: true,
            synchronous: self.client.options.sync,
            before_indirect_block: None,
            reads_ahead: true,
            age: Time::ZERO,
        };
        (Box::new(self.clone()), nature)
    }
}

impl FileSystem for Nfs {
    fn exists(&self, file: FileId) -> bool {
        self.names.exists(file)
    }

    fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        lies(file, first, count, out);
    }

    fn prepare(&mut self, kernel: &mut Kernel<'_>, piece: &Piece<'_>) -> Result<Prepared, Stop> {
        Self::fits(piece.end)?;
        if !self.asked.contains_key(&asking(piece.op)) {
            self.opens_to_write(piece.op, kernel.now);
        }
        self.ask(kernel, piece.op)?;
        kernel.touch_times(piece.op.file);
        Ok(Prepared::default())
    }

    /// WRITEs of their own, which are durable when they are answered.
    fn prepare_past_cache(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        _: (u64, u64),
        end: u64,
    ) -> Result<bool, Stop> {
        Self::fits(end)?;
        kernel.touch_times(op.file);
        Ok(end > kernel.fs.inodes.get(op.file).size)
    }

    fn before_read(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let node = self.node(op.file);
        if !self.asked.contains_key(&asking(op)) {
            let passed = kernel.now.saturating_sub(self.client.now);
            let mut process = self.client.on(&mut self.export);
            process.advance(passed);
            process.revalidate(node);
            let calls = self.client.take_calls();
            self.asked.insert(asking(op), calls.into());
        }
        self.ask(kernel, op)?;
        if self.client.on(&mut self.export).is_wrong(node) {
            self.flush(kernel, op)?;
            kernel.memory.cache.remove(kernel.fs.key(op.file), 0, u64::MAX);
            self.client.on(&mut self.export).made_right(node);
        }
        Ok(())
    }

    /// What is dirty is written before the server is asked about a file's end; then its calls follow each other.
    fn change_names(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<Option<u64>, Stop> {
        if !self.asked.contains_key(&asking(op)) {
            if op.operation.is_local() && op.operation != Operation::Symlink {
                return Err(Stop::Fail(Failure::NotImplemented));
            }
            self.seek(kernel, op)?;
            if matches!(
                op.operation,
                Operation::Close
                    | Operation::Stat
                    | Operation::SetAttributes
                    | Operation::Truncate
                    | Operation::Rename
            ) {
                self.flush(kernel, op)?;
            }
            self.leave_to_server(op);
            let is_new = self.names.operate(op)?;
            if is_new {
                *kernel.fs.inodes.get_mut(op.file) = Default::default();
            }
            let calls = self.calls_of(op, kernel.now);
            self.asked.insert(asking(op), calls.into());
        }
        self.ask(kernel, op)?;
        Ok(None)
    }

    fn given_up(&mut self, op: &FileOp) {
        self.asked.remove(&asking(op));
        self.seeking.remove(&asking(op));
    }

    fn dropped(&mut self, kernel: &mut Kernel<'_>, file: FileId, (first, _): (u64, u64)) {
        if first == 0 && !self.names.exists(file) {
            self.unstable.remove(&kernel.fs.key(file));
            self.places.remove(&file);
        }
    }

    /// A piece that goes in one WRITE for which somebody waits is durable with its answer, if nothing of its file waits for a COMMIT; all
    /// others are unstable (`nfs_pageio_doio`). Version 2 knows nothing else.
    fn complete(&self, inodes: &Inodes, requests: &mut [BlockRequest]) {
        let always = !self.client.options.version.is_3_or_later();
        let alone = requests.len() == 1;
        for request in requests {
            let waits = self.unstable.iter().all(|&key| file_of(key) != Some(request.file));
            let stable = always || alone && request.synchronous && waits;
            complete(request, |file| inodes.get(file).size, stable);
        }
    }

    fn answered(&mut self, kernel: &mut Kernel<'_>, request: &BlockRequest) {
        if let Some(Others { of_file, of_parent, size, is_cut, exists, is_directory }) = Others::of(request) {
            let file = request.file;
            match self.sought.get(&file).copied().filter(|_| exists && !self.names.exists(file)) {
                Some(sought) => self.finds(kernel, file, sought, (size, is_directory)),
                None => self.hears_of(kernel, file, of_file, Some((size, is_cut))),
            }
            if let Some(&(parent, _)) = self.places.get(&file).filter(|place| place.0 != file) {
                self.hears_of(kernel, parent, of_parent, None);
            }
        }
        let writes = request.direction == Direction::Write && request.status.failure().is_none();
        if writes && !request.force_unit_access {
            self.unstable.insert(kernel.fs.key(request.file));
        }
    }

    /// A WRITE is answered, with attributes.
    fn written(&mut self, kernel: &mut Kernel<'_>, key: FileKey, (first, pages): (u64, u64), done: bool) {
        let Some(file) = file_of(key).filter(|_| done) else { return };
        let end = kernel.fs.inodes.get(file).size.min((first + pages) * PAGE_BYTES);
        let node = self.node(file);
        let size = self.export.size(node).max(end);
        let passed = kernel.now.saturating_sub(self.client.now);
        self.client.on(&mut self.export).wrote(node, size, passed);
    }

    fn after_data(&mut self, kernel: &mut Kernel<'_>, scope: Scope) -> AfterData {
        let keys = match scope {
            Scope::File { file, .. } => vec![kernel.fs.key(file)],
            Scope::All => self.unstable.iter().copied().collect(),
        };
        let group = kernel.fs.transfers.group();
        let touch = Touch::daemon(kernel.fs.daemon(crate::daemon::Daemon::Flusher), Direction::Read, true);
        let mut event = None;
        for key in keys {
            if let Some(call) = self.unstable.remove(&key).then(|| self.commit()).flatten() {
                let file = file_of(key).unwrap_or(FileId::ROOT);
                let parent = self.places.get(&file).map_or(FileId::ROOT, |place| place.0);
                Self::put(kernel, (touch, group), address(&call, Effect::None), (file, parent));
                event = Some(Event::Group(group));
            }
        }
        AfterData { event, flush: false }
    }

    /// COMMIT is what there is of it.
    fn promises_flush(&self, _: Scope) -> bool {
        false
    }
}
