//! Workloads: what asks a storage system for something.
//!
//! A workload is a stream of block requests or of file operations. Block requests come from a recorded
//! [trace](petrio_trace), replayed [open](OpenReplay) (arrival times kept) or [closed](ClosedReplay) (think times
//! kept), or from [`synthetic`] generators, whose [distributions](petrio_distribution) are DiskSim's. File operations
//! come from [`program`]s: patterns such as iozone's and fio's, scripts, and captured requests; and from [`parallel`] ones,
//! whose ranks also compute and send each other messages. All of them are a [`RequestSource`]: the net that serves the
//! requests asks it what is due, and tells it what has completed.
//!
//! ```text
//!  trace file ─ TraceReader ─┬─ OpenReplay ────┐
//!  trace file ─ TraceReader ─┤                 ├─ RequestSource ── due / issue ──▶ the net
//!      (MergedTraces) ───────┴─ ClosedReplay ──┤                 ◀── complete ───
//!  Synthetic + random streams ─────────────────┤
//!  programs of file operations ─ FilePrograms ─┘
//! ```
//!
//! A drive measured with one request outstanding, replayed on a device that takes 5 ms for everything:
//!
//! ```
//! use petrio_time::Time;
//! use petrio_trace::{TraceOptions, TraceReader};
//! use petrio_workload::{ClosedReplay, ClosedReplayOptions, Due, RequestSource};
//!
//! // R or W, buffer action, block, blocks, measured access time in µs, idle time after it in µs.
//! let text = "R Hit 11392096 12 1686.0 40961.0\nR Hit 7563004 4 14368.0 28778.0\nW Hit 11589236 4 8724.0 33808.0\n";
//! let trace = TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?;
//! let mut source = ClosedReplay::of_trace(trace, ClosedReplayOptions::default())?;
//!
//! let service = Time::from_millis(5);
//! let mut issued = Vec::new();
//! while let Due::At(now) = source.due()? {
//!     let Some(item) = source.issue(now)? else { continue };
//!     issued.push(now);
//!     source.complete(item.request.id, now + service)?;
//! }
//! // Each request one idle time after the completion before: 5 + 40.961 ms, and 5 + 28.778 ms later.
//! assert_eq!(issued, [Time::ZERO, Time::from_micros(45_961), Time::from_micros(79_739)]);
//! # Ok::<(), petrio_workload::SourceError>(())
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod file_lives;
pub mod fio;
pub mod iozone;
pub mod measurement;
pub mod observed;
pub mod over_time;
pub mod parallel;
pub mod program;
pub mod replay;
pub mod synthetic;

mod drawn_pauses;
mod due;
mod earliest;
mod permutation;
mod popularity;
mod shell;
mod source;

pub use drawn_pauses::PausesDrawn;
pub use due::Due;
pub use popularity::{Popularity, Zone};
pub use replay::{ClosedReplay, ClosedReplayOptions, OpenReplay, Processes, ThinkPer};
pub use source::{Phase, RequestSource, SourceError, SourceItem, Sources};
