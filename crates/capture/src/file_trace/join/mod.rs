//! From the kernel's events to those of a file-level trace: who has which file open and where in it, which pages a call
//! missed, where they lie, what became of the device's requests.
//!
//! ```text
//! kernel events ─┬─ calls (call, finish) ──▶ table: descriptors, opened files, positions ─┐
//! in one order   ├─ pages: which file, hit or miss ──▶ the call in whose context           ├─▶ queue ─▶ events
//! of time        ├─ extents ──▶ places: file ⇄ device                                       │
//!                └─ requests ──▶ queued, issued, completed, whose ──────────────────────────┘
//! ```
//!
//! Pure: what /proc knows comes in as [`table::Shown`]. Nothing here panics or fails, whatever the events are: some may
//! have been lost.
//!
//! Source: S.-L. Lo, *Ivy*, HPL-CSP-90-48, 1990, §3.2: descriptors and positions are rebuilt from the calls, blocks are
//! attributed to the call in progress. There a flush in another's name spoilt 0.2 % of the reads; here the page cache's
//! events name their inode.

mod call;
mod fault;
mod files;
mod finish;
pub(crate) mod names;
pub(crate) mod naming;
pub(crate) mod places;
mod processes;
pub(crate) mod queue;
pub(crate) mod requests;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use crate::recorder::kernel_event::{Call, Inode, KernelEvent, Lookup, What};
use names::{Entry, Names};
use naming::Matching;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use places::{ExtentMap, Geometry};
use queue::{Position, Queue};
use requests::{RequestEvent, Requests};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use table::{Boxes, Open, OpenId, Table, TableId};

/// Bytes of a page.
pub(crate) const PAGE_BYTES: u64 = 4_096;

/// The first byte of a page.
const fn byte_of(page: u64) -> u64 {
    page.saturating_mul(PAGE_BYTES)
}

/// The kind of file in a mode, a regular one's and a directory's.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// Pages of a file, first and last.
type Pages = (Inode, u64, u64);

/// A call in progress.
#[derive(Debug)]
struct InCall {
    call: Call,
    arguments: [u64; 5],
    began_ns: u64,
    /// The opened files concerned: of a copy, from and to.
    opens: [Option<OpenId>; 2],
    /// The places of its events.
    places: [Option<Position>; 2],
    /// The file that was read, and its first page.
    read: Option<(Inode, u64)>,
    /// Pages that came into the cache.
    added: SmallVec<[Pages; 2]>,
    /// The file that was written, and the first byte.
    written: Option<(Inode, u64)>,
    /// A file that was made durable, truncated, unlinked, or whose extent was looked up.
    touched: Option<Inode>,
    looked_up: Option<Inode>,
    unlinked: Option<(FileKey, u64)>,
    allocated: Option<(Inode, u32)>,
    /// Of an exec: the program.
    path: Option<Arc<str>>,
}

#[derive(Debug)]
struct Thread {
    table: TableId,
    call: Option<InCall>,
    /// The page it last faulted on.
    fault: Option<(Inode, u64)>,
}

/// What was seen and what wasn't recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls that were traced.
    pub calls: u64,
    /// Reads of files.
    pub reads: u64,
    /// Those of them that missed.
    pub reads_missed: u64,
    /// Writes to files.
    pub writes: u64,
    /// Misses of mapped files.
    pub faults_missed: u64,
    /// Opened things that turned out to be no files of the page cache: directories, devices, /proc, tmpfs.
    pub other_opens: u64,
    /// Calls of asynchronous interfaces (io_uring, aio), whose reads and writes aren't seen.
    pub asynchronous_calls: u64,
    /// Calls whose end wasn't seen.
    pub unfinished: u64,
    /// Opened files that were closed without anybody knowing which they were.
    pub unknown_files: u64,
    /// Renames and new folders for which the names that were told don't fit the calls.
    pub unmatched_names: u64,
}

/// Joins.
#[derive(Debug)]
pub(crate) struct Joiner {
    /// Whether every call is kept.
    full: bool,
    origin_ns: u64,
    /// Threads that aren't traced: petrio's own.
    passed_over: Vec<u32>,
    threads: FxHashMap<u32, Thread>,
    tables: Boxes<Table>,
    opens: Boxes<Open>,
    generations: FxHashMap<Inode, u32>,
    sizes: FxHashMap<FileKey, u64>,
    pub(crate) names: Names,
    pub(crate) matching: Matching,
    geometries: FxHashMap<u32, Geometry>,
    places: ExtentMap,
    requests: Requests,
    pub(crate) queue: Queue,
    /// Threads that were met without having seen how they began.
    pub(crate) strangers: Vec<u32>,
    pub(crate) counts: Counts,
}

impl Joiner {
    /// Begins at a time of the trace's clock.
    pub(crate) fn new(full: bool, origin_ns: u64) -> Self {
        Self {
            full,
            origin_ns,
            passed_over: Vec::new(),
            threads: FxHashMap::default(),
            tables: Boxes::default(),
            opens: Boxes::default(),
            generations: FxHashMap::default(),
            sizes: FxHashMap::default(),
            names: Names::default(),
            matching: Matching::default(),
            geometries: FxHashMap::default(),
            places: ExtentMap::default(),
            requests: Requests::default(),
            queue: Queue::default(),
            strangers: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// How a device lies on its disk.
    pub(crate) fn set_geometry(&mut self, device: u32, geometry: Geometry) {
        self.geometries.insert(device, geometry);
    }

    fn geometry(&self, device: u32) -> Geometry {
        self.geometries.get(&device).copied().unwrap_or(Geometry::plain(device))
    }

    fn time(&self, time_ns: u64) -> Time {
        Time::from_nanos(time_ns.saturating_sub(self.origin_ns))
    }

    fn event(&self, kind: EventKind, time_ns: u64, thread: u32) -> Event {
        Event { process: thread, ..Event::new(self.time(time_ns), kind) }
    }

    fn key(&self, inode: Inode) -> FileKey {
        places::key(inode, self.generations.get(&inode).copied().unwrap_or(0))
    }

    /// A file's path became known.
    pub(crate) fn learn_name(&mut self, inode: Inode, path: &str, size: u64) {
        let key = self.key(inode);
        self.names.put_file_by_path(key, path);
        self.sizes.entry(key).or_insert(size);
    }

    /// A file's place became known, and its length if somebody looked.
    pub(crate) fn learn_entry(&mut self, inode: Inode, entry: Entry, size: Option<u64>) {
        let key = self.key(inode);
        self.names.put_file(key, entry);
        if let Some(size) = size {
            self.sizes.entry(key).or_insert(size);
        }
    }

    /// Others among the device requests, which aren't recorded.
    pub(crate) const fn requests_passed_over(&self) -> u64 {
        self.requests.passed_over
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self, event: KernelEvent) {
        let KernelEvent { time_ns, thread, what } = event;
        match what {
            What::Enter(call, arguments) => self.enter(time_ns, thread, call, arguments),
            What::Exit(call, result) => self.exit(time_ns, thread, call, result),
            What::Fork { child, flags } => self.fork(time_ns, thread, child, flags),
            What::Executed { path, former } => self.executed(time_ns, thread, former, &path),
            What::Ended => self.ended(time_ns, thread),
            What::Pages { lookup, inode, first, .. } => {
                self.looked_for(time_ns, thread, lookup, inode, first);
            }
            What::Added { inode, first, last } => self.added(time_ns, thread, (inode, first, last)),
            What::WriteBegin { inode, position } => {
                if let Some(call) = self.call_of(thread) {
                    call.written.get_or_insert((inode, position));
                }
            }
            What::Extent { inode, block, blocks, device_block } => {
                let (key, geometry) = (self.key(inode), self.geometry(inode.device));
                self.places.learn(key, geometry, block, blocks, device_block);
                if let Some(call) = self.call_of(thread) {
                    call.looked_up.get_or_insert(inode);
                }
            }
            What::Allocated { inode, mode } => {
                if let Some(call) = self.call_of(thread) {
                    call.allocated = Some((inode, mode));
                }
                let key = self.key(inode);
                self.sizes.insert(key, 0);
                if mode & KIND != DIRECTORY {
                    self.matching.see_made(time_ns, thread, key);
                }
            }
            What::Freed(inode) => {
                self.matching.freed(time_ns, inode);
                self.freed(inode);
            }
            What::Touched(inode) => {
                if let Some(call) = self.call_of(thread) {
                    call.touched.get_or_insert(inode);
                }
            }
            What::Unlinked { inode, size } => {
                // Its inode may be free, and another file's, before the call is over.
                let key = self.key(inode);
                if let Some(call) = self.call_of(thread) {
                    call.unlinked = Some((key, size));
                }
                self.matching.see_gone(time_ns, thread, key);
            }
            What::Request { stage, device, sector, sectors, letters, .. } => {
                let disk = self.geometry(device).disk;
                let sectors = u64::from(sectors);
                let origin_ns = self.origin_ns;
                let step = RequestEvent { time_ns, origin_ns, thread, stage, disk, sector, sectors, letters };
                self.requests.step(step, &self.places, &mut self.queue);
            }
            // Nobody's call: its requests are seen as those of the journal's thread.
            What::Commit { .. } => {}
        }
    }

    fn call_of(&mut self, thread: u32) -> Option<&mut InCall> {
        self.threads.get_mut(&thread)?.call.as_mut()
    }

    /// The inode is free: whoever has it next is another file.
    fn freed(&mut self, inode: Inode) {
        let key = self.key(inode);
        self.places.forget(key);
        self.sizes.remove(&key);
        // Its name stays for those events that are still to come.
        *self.generations.entry(inode).or_insert(0) += 1;
    }

    fn looked_for(&mut self, time_ns: u64, thread: u32, lookup: Lookup, inode: Inode, first: u64) {
        match lookup {
            Lookup::Read => self.read_pages(time_ns, thread, inode, first),
            Lookup::Fault => {
                self.mapped(thread, inode);
                if let Some(thread) = self.threads.get_mut(&thread) {
                    thread.fault = Some((inode, first));
                }
            }
            Lookup::Around => self.mapped(thread, inode),
        }
    }
}
