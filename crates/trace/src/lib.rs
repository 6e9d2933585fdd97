//! Traces of storage: what disks were asked for and what programs did to files, read from the formats that people have,
//! written, selected from, merged and characterised.
//!
//! ```
//! use petrio_trace::{FormatName, TraceOptions, TraceReader};
//! let text = "0.5 0 100 8 1\n1.75 0 4096 16 0\n";
//! let mut trace = TraceReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?;
//! assert_eq!(trace.format(), FormatName::DisksimAscii);
//! let second = trace.nth(1).unwrap()?;
//! assert_eq!((second.time.as_millis(), second.address, second.blocks), (1.25, 4096, 16));
//! # Ok::<(), petrio_trace::TraceError>(())
//! ```
//!
//! A [`Reader`] streams one trace: it unpacks (gzip, bzip2, xz, zstandard), tells the format from the content, brings the
//! first record to time zero and checks every one. What it reads is a [`Record`]: requests of a block trace
//! ([`TraceReader`]), or events of any trace ([`EventReader`]). [`MergedTraces`] and [`MergedEvents`] merge several by
//! time. [`mod@write`] writes the formats that other programs read, [`native`] petrio's own trace file in Parquet,
//! [`PetrioWriter`] its text. [`select`] takes a part, [`characterise`] says what a trace is like, and [`requests`]
//! reads lines of requests that have no arrival times.
//!
//! ```text
//! file ─ compression ─ input ─ format/* ─ Reader<R> ──┐
//!                        │                            ├─ merge ─▶ records in order of time
//!                      detect              Reader<R> ─┘
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

mod ahead;
pub(crate) mod begin;
pub mod characterise;
pub(crate) mod compression;
pub mod darshan;
mod detect;
mod device_names;
pub(crate) mod error;
pub mod event;
mod events;
pub(crate) mod field;
mod format;
mod format_name;
pub(crate) mod input;
mod merge;
mod merge_events;
mod named;
pub mod native;
mod options;
mod order;
pub mod overview;
pub(crate) mod reader;
mod record;
mod recording;
pub mod requests;
pub mod sample;
pub mod select;
mod summary;
pub mod table;
pub mod write;

pub use device_names::{device_name, device_number};
pub use error::{Position, Problem, TraceError};
pub use events::EventReader;
pub use format::FormatName;
pub use format::petrio::PetrioWriter;
pub use merge::{Alignment, DeviceMap, MergedRecord, MergedTraces, OneTrace, ProcessNumbers};
pub use merge_events::{MergeError, MergedEvents};
pub use named::{ColumnUnits, LengthUnit, NamedColumns, OwnTable, TimeUnit};
pub use options::TraceOptions;
pub use reader::{Reader, TraceReader};
pub use record::{BlockRecord, Record};
pub use recording::{RECORDING, of_recording};
pub use summary::{EventSummary, LeftOut, TraceSummary};
