//! The columns of petrio's own trace file, and what its footer says about the trace.
//!
//! Parquet, because everything reads it: one row an [`Event`](crate::event::Event), flat columns for what most rows
//! have (of the extents, the first), a list for what few have (the extents after the first). A column is null where the
//! event has `None`; numbers that an event always has are zero where the trace doesn't know them, so that data frames
//! keep them whole numbers. `docs/trace-format.md` explains every column.

use super::more_extents::ExtentLists;
use crate::columns;
use crate::event::{Access, CollectiveKind, Event, Recorded};
use crate::table::{Column, Text, Word};
use petrio_colours::Direction;
use petrio_time::Time;

/// The version that is written, and the only one that is read.
pub(super) const VERSION: &str = "1";

/// The footer's keys.
pub(super) mod key {
    pub(in super::super) const VERSION: &str = "petrio.trace_version";
    pub(in super::super) const SCHEMA: &str = "petrio.schema";
    pub(in super::super) const ORIGIN: &str = "petrio.origin_unix_ns";
    pub(in super::super) const MACHINE: &str = "petrio.machine";
    pub(in super::super) const COMMAND: &str = "petrio.command";
    pub(in super::super) const CONTENTS: &str = "petrio.contents";
    pub(in super::super) const LOST: &str = "petrio.events_lost";
    pub(in super::super) const OUT_OF_ORDER: &str = "petrio.out_of_order";
    pub(in super::super) const NOTES: &str = "petrio.notes";
}

columns! {
    /// The columns of a trace file.
    pub(super) struct EventTable of "event": &'a Event as event => {
        time_ps: Column<i64> = picoseconds(event.time),
        kind: Column<Word> = event.kind.name(),
        process: Column<u32> = event.process,
        device: Column<u32> = event.file.device,
        inode: Column<u64> = event.file.inode,
        generation: Column<u32> = event.file.generation,
        path: Column<Option<Text>> = event.path.as_deref(),
        new_path: Column<Option<Text>> = event.new_path.as_deref(),
        offset: Column<Option<u64>> = event.offset,
        length: Column<u64> = event.length,
        service_ps: Column<Option<i64>> = event.service.map(picoseconds),
        error: Column<u16> = event.error,
        size: Column<Option<u64>> = event.size,
        since_modified_us: Column<Option<u64>> = event.ages.as_ref().and_then(|ages| ages.modified),
        since_accessed_us: Column<Option<u64>> = event.ages.as_ref().and_then(|ages| ages.accessed),
        since_changed_us: Column<Option<u64>> = event.ages.as_ref().and_then(|ages| ages.changed),
        access: Column<Option<Word>> = event.access.map(access_name),
        hit: Column<Option<bool>> = event.hit,
        bytes_read: Column<Option<u64>> = event.totals.map(|totals| totals.bytes_read),
        bytes_written: Column<Option<u64>> = event.totals.map(|totals| totals.bytes_written),
        reads: Column<Option<u64>> = event.totals.map(|totals| totals.reads),
        writes: Column<Option<u64>> = event.totals.map(|totals| totals.writes),
        extent_device: Column<Option<u32>> = event.extents.first().map(|extent| extent.device),
        extent_address: Column<Option<u64>> = event.extents.first().map(|extent| extent.address),
        extent_blocks: Column<Option<u32>> = event.extents.first().map(|extent| extent.blocks),
        extent_hit: Column<Option<bool>> = event.extents.first().map(|extent| extent.hit),
        more_extents: ExtentLists = event.extents.get(1..).unwrap_or_default(),
        direction: Column<Option<Word>> = event.direction.map(direction_name),
        request: Column<Option<u64>> = event.request,
        synchronous: Column<bool> = event.synchronous,
        force_unit_access: Column<bool> = event.force_unit_access,
        metadata: Column<bool> = event.metadata,
        compute_ps: Column<Option<i64>> = recorded(event).and_then(|more| more.compute).map(picoseconds),
        rank: Column<Option<u32>> = recorded(event).and_then(|more| more.rank),
        child: Column<Option<u32>> = recorded(event).and_then(|more| more.child),
        peer: Column<Option<u32>> = recorded(event).and_then(|more| more.peer),
        tag: Column<Option<u32>> = recorded(event).and_then(|more| more.tag),
        collective: Column<Option<Word>> = recorded(event).and_then(|more| more.collective).map(CollectiveKind::name),
        members: Column<Option<Text>> = recorded(event).and_then(|more| more.members.as_deref()),
        direct: Column<Option<bool>> = recorded(event).map(|more| more.direct),
    }
}

/// What a recording of a program knows besides.
fn recorded(event: &Event) -> Option<&Recorded> {
    event.recorded.as_deref()
}

/// Times are told in picoseconds, up to 106 days.
fn picoseconds(time: Time) -> i64 {
    i64::try_from(time.as_picos()).unwrap_or(i64::MAX)
}

/// What the footer says of the columns, for somebody who has the file and nothing else.
pub(super) const EXPLANATION: &str = "One row an event, in order of time_ps, picoseconds from time zero. kind: exec, create, open, \
read, write, close, unlink, fsync, truncate, rename, mkdir, stat, list, allocate, rmdir, \
fdatasync, sync-range, sync, map (calls on files); queue, issue, complete (requests to a device); fork, join, exit, sleep \
(threads); send, receive, post-send, post-receive, wait, collective (messages of ranks). process is the thread; device (major << 20 | minor), inode and generation name the file, 0 where unknown; offset, \
length and size are bytes; since_modified_us to \
since_changed_us are how long a file had been left alone at its unlink; \
service_ps is how long it took; error is an errno; bytes_read to writes are a close's totals; \
extents are ranges of a device in blocks of 512 bytes, the first in extent_*, the others in more_extents; request joins \
queue, issue and complete, or a message that was posted and the wait for it; compute_ps is processor time of the thread since its \
event before; rank, peer (also a collective's root) and members are ranks among all of the program's; child is the thread that was \
made or waited for; direct says O_DIRECT.";

/// The word for what a file was opened for.
pub(crate) const fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read-write",
    }
}

/// What a word says that a file was opened for.
pub(crate) fn access_named(name: &[u8]) -> Option<Access> {
    [Access::Read, Access::Write, Access::ReadWrite]
        .into_iter()
        .find(|&access| access_name(access).as_bytes() == name)
}

/// The word for which way data moves.
pub(crate) const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Flush => "flush",
        Direction::Discard => "discard",
    }
}

/// Which way a word says that data moves.
pub(crate) fn direction_named(name: &[u8]) -> Option<Direction> {
    [Direction::Read, Direction::Write, Direction::Flush, Direction::Discard]
        .into_iter()
        .find(|&direction| direction_name(direction).as_bytes() == name)
}

/// What is known of a trace as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The wall clock at time zero, in nanoseconds since 1970, where it is known.
    pub origin_unix_ns: Option<u64>,
    /// The machine that was traced, in words; empty where unknown.
    pub machine: String,
    /// What was run, or which file this was made from; empty where unknown.
    pub command: String,
    /// Whether it has what Ivy kept (reads that missed the cache, and totals at the close) instead of every call.
    pub compact: bool,
    /// Events that were lost while tracing.
    pub lost: u64,
    /// Remarks on what is missing or was brought into form, a line each.
    pub notes: Vec<String>,
}
