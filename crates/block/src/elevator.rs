//! The contract between a request queue and its I/O scheduler ("elevator").
//!
//! Requests go in one by one, as a file system makes them; what comes out goes to the device: unions of adjacent
//! requests, in the scheduler's order. The hooks are those of block/elevator.c and block/blk-mq-sched.c: merge or
//! insert, dispatch, and completed. A scheduler keeps no clock and no timer: it is told the time, and answers until
//! when it wants to idle. Leaves out requeueing after errors, and I/O contexts that outlive their process.

use petrio_colours::{BlockRequest, Direction, Hint, IoClass, Purpose, Purposes};
use petrio_device::Discards;
use petrio_kernel::Time;
use petrio_persist::{Kept, Persist, persist_boxed};
use smallvec::SmallVec;

/// A request to the device: a `BlockRequest`, or the union of several adjacent ones.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct IoRequest {
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in device blocks.
    pub blocks: u32,
    /// Read, write, flush or discard.
    pub direction: Direction,
    /// The scheduling class of the process.
    pub class: IoClass,
    /// I/O priority within the class, 0 the most urgent.
    pub priority: u8,
    /// Whether somebody waits for one of its constituents.
    pub synchronous: bool,
    /// Which process made the first constituent.
    pub process: u32,
    /// When the first of its constituents came to the scheduler: expiry counts from here.
    pub queued: Time,
    /// When the scheduler gave it out; [`Time::ZERO`] while it waits.
    pub dispatched: Time,
    /// A handle of the scheduler's own: which of its queues the request belongs to.
    pub note: u64,
    /// What it was made of: at least one.
    pub constituents: SmallVec<[BlockRequest; 1]>,
}

impl IoRequest {
    /// A request of one constituent.
    pub fn new(request: BlockRequest, now: Time) -> Self {
        Self {
            address: request.address,
            blocks: request.blocks,
            direction: request.direction,
            class: request.class,
            priority: request.priority,
            synchronous: request.synchronous,
            process: request.process,
            queued: now,
            dispatched: Time::ZERO,
            note: 0,
            constituents: SmallVec::from_buf([request]),
        }
    }

    /// One past the last block.
    pub fn end(&self) -> u64 {
        self.address + u64::from(self.blocks)
    }

    /// What its constituents are for.
    pub fn purposes(&self) -> Purposes {
        self.constituents.iter().map(|request| request.purposes).collect()
    }

    /// Whether no more of its process is to be expected soon (REQ_NOIDLE), as its first constituent says.
    pub fn no_idle(&self) -> bool {
        self.constituents.first().is_some_and(|request| request.hint == Hint::NoIdle)
    }

    /// Whether its data must be on the medium before it completes.
    pub fn force_unit_access(&self) -> bool {
        self.constituents.first().is_some_and(|request| request.force_unit_access)
    }
}

/// Whether a write comes from the page cache, and so may be held for reads (wbt_should_throttle): not what is written past
/// it, nor a journal's, which bears the same marks (JBD2_JOURNAL_REQ_FLAGS).
pub(super) fn is_write_back(request: &BlockRequest) -> bool {
    let direct = request.synchronous && request.hint != Hint::NoIdle;
    request.direction == Direction::Write && !direct && !request.purposes.has(Purpose::Journal)
}

/// What became of a request that was given to a scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It waits as a request of its own: one more waits.
    Queued,
    /// It became part of one that waits: as many wait as before.
    Merged,
    /// It closed the gap between two that wait, which are one now: one fewer waits.
    Joined,
}

/// What a scheduler wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// This goes to the device.
    Dispatch(IoRequest),
    /// Nothing before this time, although something may wait; ask again then, or when something arrives or completes.
    IdleUntil(Time),
    /// Nothing until something arrives or completes.
    Empty,
}

/// An I/O scheduler.
///
/// Whoever holds one calls [`add`](Self::add) for every request, [`next`](Self::next) whenever the device takes
/// another, and [`completed`](Self::completed) when the device is done with one. `now` never goes back.
pub trait Elevator: Forked + Kept + Send + Sync {
    /// A read, a write or a discard arrives; it is merged with what waits, or waits itself. Flushes never come here: the flush
    /// machinery of the queue keeps them.
    fn add(&mut self, request: BlockRequest, now: Time) -> Added;

    /// Whether [`add`](Self::add) would merge the request, so that it needs no place of its own in a full queue.
    fn would_merge(&self, request: &BlockRequest) -> bool;

    /// What goes to the device now.
    fn next(&mut self, now: Time) -> Next;

    /// The device is done with a request that [`next`](Self::next) gave out.
    fn completed(&mut self, request: &IoRequest, now: Time);

    /// A process has ended: it will ask for nothing more, and isn't waited for.
    fn exited(&mut self, _process: u32, _now: Time) {}

    /// Whether a request of this kind may come in now; if not, it waits in front, though the queue isn't full (limit_depth).
    fn room(&self, _request: &BlockRequest) -> bool {
        true
    }

    /// Whether this request of a process is waited for, and so comes in though the queue is full (elv_may_queue's
    /// ELV_MQUEUE_MUST). Asked of each request that isn't merged, before it is added.
    fn must_come_in(&mut self, _request: &BlockRequest) -> bool {
        false
    }

    /// Whether [`room`](Self::room) ever says no.
    fn limits_places(&self) -> bool {
        false
    }

    /// Requests that wait: those that were merged count as one.
    fn waiting(&self) -> usize;
}

/// What every scheduler has by itself, as a marking is forked.
pub trait Forked {
    /// A copy, for a copy of the marking.
    fn clone_box(&self) -> Box<dyn Elevator>;
}

impl<E: Elevator + Clone + 'static> Forked for E {
    fn clone_box(&self) -> Box<dyn Elevator> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Elevator> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

persist_boxed!(dyn Elevator, "a scheduler");

/// What a scheduler must know of the queue that it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// The largest request in device blocks (`max_sectors_kb`); merging stops there.
    pub largest_request: u32,
    /// The discards that the device takes: merging stops at the longest.
    pub discards: Discards,
    /// Most requests that are merged into one (`max_segments`, counting one for each request).
    pub most_merged: u32,
    /// Requests in the queue before others wait in front of it (`nr_requests`).
    pub requests: u32,
    /// Requests that the device takes at a time.
    pub depth: u32,
    /// Whether the device has an arm that moves and a platter that turns (`rotational`).
    pub rotational: bool,
    /// Whether the kernel's cfq has service trees (from 2.6.33 on).
    pub service_trees: bool,
    /// Whether what somebody waits for stays apart from other writes, because it is counted.
    pub awaited_apart: bool,
    /// Whether write-back stays apart from other writes, because it is counted.
    pub write_back_apart: bool,
    /// Whether requests of different files stay apart, because what lies below keeps each file elsewhere.
    pub files_apart: bool,
    /// Whether what processes ask for at the same instant stays apart, because each has a plug of its own.
    pub plugs_apart: bool,
}

impl Default for QueueLimits {
    /// A disk without command queueing under Linux' defaults: 512 KiB requests, 128 segments, 128 requests.
    fn default() -> Self {
        Self {
            largest_request: 1_024,
            discards: Discards::default(),
            most_merged: 128,
            requests: 128,
            depth: 1,
            rotational: true,
            service_trees: false,
            awaited_apart: false,
            write_back_apart: false,
            files_apart: false,
            plugs_apart: false,
        }
    }
}
