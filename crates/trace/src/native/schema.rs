//! The columns of petrio's own trace file, and what its footer says about the trace.
//!
//! Parquet, because everything reads it: one row an [`Event`](crate::event::Event), flat columns for what most rows
//! have (of the extents, the first), a list for what few have (the extents after the first). A column is null where the
//! event has `None`; numbers that an event always has are zero where the trace doesn't know them, so that data frames
//! keep them whole numbers. `docs/trace-format.md` explains every column.

use crate::event::Access;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use petrio_colours::Direction;
use std::sync::Arc;

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

/// What the schema is called in the file.
pub(super) const ROOT: &str = "event";

/// The columns of a table of events, as record batches and trace files have them.
pub fn events_schema() -> SchemaRef {
    let column = |name: &str, of: DataType| Field::new(name, of, false);
    let known = |name: &str, of: DataType| Field::new(name, of, true);
    Arc::new(Schema::new(vec![
        column("time_ps", DataType::Int64),
        column("kind", DataType::Utf8),
        column("process", DataType::UInt32),
        column("device", DataType::UInt32),
        column("inode", DataType::UInt64),
        column("generation", DataType::UInt32),
        known("path", DataType::Utf8),
        known("new_path", DataType::Utf8),
        known("offset", DataType::UInt64),
        column("length", DataType::UInt64),
        known("service_ps", DataType::Int64),
        column("error", DataType::UInt16),
        known("size", DataType::UInt64),
        known("since_modified_us", DataType::UInt64),
        known("since_accessed_us", DataType::UInt64),
        known("since_changed_us", DataType::UInt64),
        known("access", DataType::Utf8),
        known("hit", DataType::Boolean),
        known("bytes_read", DataType::UInt64),
        known("bytes_written", DataType::UInt64),
        known("reads", DataType::UInt64),
        known("writes", DataType::UInt64),
        known("extent_device", DataType::UInt32),
        known("extent_address", DataType::UInt64),
        known("extent_blocks", DataType::UInt32),
        known("extent_hit", DataType::Boolean),
        known("more_extents", DataType::List(element())),
        known("direction", DataType::Utf8),
        known("request", DataType::UInt64),
        column("synchronous", DataType::Boolean),
        column("force_unit_access", DataType::Boolean),
        column("metadata", DataType::Boolean),
    ]))
}

/// What the list of extents has: the fields of one.
pub(super) fn extent_fields() -> Fields {
    let column = |name: &str, of: DataType| Field::new(name, of, false);
    Fields::from(vec![
        column("device", DataType::UInt32),
        column("address", DataType::UInt64),
        column("blocks", DataType::UInt32),
        column("hit", DataType::Boolean),
    ])
}

pub(super) fn element() -> FieldRef {
    Arc::new(Field::new("element", DataType::Struct(extent_fields()), false))
}

/// What the footer says of the columns, for somebody who has the file and nothing else.
pub(super) const EXPLANATION: &str = "One row an event, in order of time_ps, picoseconds from time zero. kind: exec, create, open, \
read, write, close, unlink, fsync, truncate, rename, mkdir, stat (calls on files); queue, issue, complete (requests to a \
device). process is the thread; device (major << 20 | minor), inode and generation name the file, 0 where unknown; offset, \
length and size are bytes; since_modified_us to \
since_changed_us are how long a file had been left alone at its unlink; \
service_ps is how long it took; error is an errno; bytes_read to writes are a close's totals; \
extents are ranges of a device in blocks of 512 bytes, the first in extent_*, the others in more_extents; request joins \
queue, issue and complete.";

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
