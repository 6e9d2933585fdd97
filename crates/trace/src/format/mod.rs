//! The formats: one file each behind one small trait (`parser.rs`), and the table that lists them.
//!
//! A new format is one file here, its name in `name.rs`, what it looks like in `examples.rs`,
//! and one line in the table, `facts.rs`. A table with columns in a known order needs no more than their list (`table.rs`).

mod alibaba;
mod biosnoop;
mod blkparse;
mod blktrace;
mod block_layer;
mod cloudphysics_csv;
mod commands;
mod darshan_dxt;
mod darshan_log;
mod disksim_ascii;
mod etw;
pub(crate) mod events_csv;
mod examples;
mod facts;
mod fio_iolog;
mod fiu;
mod hp_srt;
mod measured;
mod mqsim;
mod msr;
pub(crate) mod native;
pub(crate) mod native_events;
mod numbered;
mod oracle_general;
mod parser;
pub(crate) mod petrio;
mod requests;
mod scsi;
mod spc;
mod strace;
mod systor;
mod table;
mod tencent;
mod thesios;
mod trace_events;
mod vscsi;

pub use crate::format_name::FormatName;
pub(crate) use parser::{
    Facts, Fit, Format, Parser, PositionKind, RawEvent, ReadCounts, Sample, blocks_of, exactly,
};
