//! The columns of petrio's own trace file, and what its footer says about the trace.
//!
//! Parquet, because everything reads it: one row an [`Event`](crate::trace::event::Event), flat columns for what most
//! rows have (of the extents, the first), a list for what few have (the extents after the first). A column is null where the
//! event has `None`; numbers that an event always has are zero where the trace doesn't know them, so that data frames keep
//! them whole numbers. `docs/trace-format.md` explains every column.

use crate::trace::event::Access;
use petrio_colours::Direction;

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

/// The schema, in Parquet's message syntax.
pub(super) const MESSAGE: &str = "message event {
  REQUIRED INT64 time_ps;
  REQUIRED BYTE_ARRAY kind (STRING);
  REQUIRED INT32 process (INTEGER(32, false));
  REQUIRED INT32 device (INTEGER(32, false));
  REQUIRED INT64 inode (INTEGER(64, false));
  REQUIRED INT32 generation (INTEGER(32, false));
  OPTIONAL BYTE_ARRAY path (STRING);
  OPTIONAL BYTE_ARRAY new_path (STRING);
  OPTIONAL INT64 offset (INTEGER(64, false));
  REQUIRED INT64 length (INTEGER(64, false));
  OPTIONAL INT64 service_ps;
  REQUIRED INT32 error (INTEGER(16, false));
  OPTIONAL INT64 size (INTEGER(64, false));
  OPTIONAL BYTE_ARRAY access (STRING);
  OPTIONAL BOOLEAN hit;
  OPTIONAL INT64 bytes_read (INTEGER(64, false));
  OPTIONAL INT64 bytes_written (INTEGER(64, false));
  OPTIONAL INT64 reads (INTEGER(64, false));
  OPTIONAL INT64 writes (INTEGER(64, false));
  OPTIONAL INT32 extent_device (INTEGER(32, false));
  OPTIONAL INT64 extent_address (INTEGER(64, false));
  OPTIONAL INT32 extent_blocks (INTEGER(32, false));
  OPTIONAL BOOLEAN extent_hit;
  OPTIONAL GROUP more_extents (LIST) {
    REPEATED GROUP list {
      REQUIRED GROUP element {
        REQUIRED INT32 device (INTEGER(32, false));
        REQUIRED INT64 address (INTEGER(64, false));
        REQUIRED INT32 blocks (INTEGER(32, false));
        REQUIRED BOOLEAN hit;
      }
    }
  }
  OPTIONAL BYTE_ARRAY direction (STRING);
  OPTIONAL INT64 request (INTEGER(64, false));
  REQUIRED BOOLEAN synchronous;
  REQUIRED BOOLEAN force_unit_access;
}";

/// What the footer says of the columns, for somebody who has the file and nothing else.
pub(super) const EXPLANATION: &str = "One row an event, in order of time_ps, picoseconds from time zero. kind: exec, create, open, \
read, write, close, unlink, fsync, truncate, rename, mkdir, stat (calls on files); queue, issue, complete (requests to a \
device). process is the thread; device (major << 20 | minor), inode and generation name the file, 0 where unknown; offset, \
length and size are bytes; service_ps is how long it took; error is an errno; bytes_read to writes are a close's totals; \
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
    }
}

/// Which way a word says that data moves.
pub(crate) fn direction_named(name: &[u8]) -> Option<Direction> {
    [Direction::Read, Direction::Write, Direction::Flush]
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
