//! Replays traces: **open** keeps arrival times, **closed** keeps think times.
//!
//! An open replay issues each request when the trace did, whether or not the device keeps up. A closed one lets a
//! process wait as it did: its next request comes one think time after the completion that it waited for, however long
//! that took on the simulated device. Both take any iterator of records: a [`TraceReader`](petrio_trace::TraceReader),
//! or several merged (`MergedTraces::open(…)?.map(|merged| merged.map(|merged| merged.record))`).

mod closed;
mod device_files;
mod files;
mod open;
mod possible;
mod process;
mod program;
mod records;
mod reread;

pub use closed::{ClosedReplay, ClosedReplayOptions, Processes};
pub use files::{ThinkPer, TraceFile, TraceFiles, Unrecorded};
pub use open::OpenReplay;
pub use possible::PossibleCalls;
pub use program::EventProgram;
pub use records::{FileRecord, FileRecords};

use crate::source::SourceError;
use petrio_colours::{BlockRequest, Purpose, Purposes, Request, RequestId};
use petrio_time::Time;
use petrio_trace::BlockRecord;

/// Refuses a factor on times that is none.
fn checked_time_scale(time_scale: f64) -> Result<(), SourceError> {
    match time_scale.is_finite() && time_scale > 0.0 {
        true => Ok(()),
        false => Err(SourceError::TimeScale(time_scale)),
    }
}

/// A point of trace time stretched or compressed; `None` beyond the horizon.
fn scaled(time: Time, time_scale: f64) -> Option<Time> {
    if time_scale == 1.0 {
        return Some(time);
    }
    let scaled = Time::from_seconds(time.as_seconds() * time_scale);
    (!scaled.is_never()).then_some(scaled)
}

/// A record of a trace that can be replayed.
pub trait Record: Copy + Send + Sync {
    /// What it is issued as.
    type Request: Request;

    /// When it was issued, from the trace's origin.
    fn time(&self) -> Time;

    /// How long it took on the machine that was traced, where the trace knows.
    fn measured(&self) -> Option<Time>;

    /// Who waited for it.
    fn waiter(&self) -> u32;

    /// The request, issued now.
    fn request(&self, id: RequestId, now: Time) -> Self::Request;
}

impl Record for BlockRecord {
    type Request = BlockRequest;

    fn time(&self) -> Time {
        self.time
    }

    fn measured(&self) -> Option<Time> {
        self.measured
    }

    fn waiter(&self) -> u32 {
        self.process
    }

    fn request(&self, id: RequestId, now: Time) -> BlockRequest {
        BlockRequest {
            id,
            process: self.process,
            device: self.device,
            direction: self.direction,
            force_unit_access: self.force_unit_access,
            synchronous: self.synchronous,
            purposes: if self.metadata { Purpose::Metadata.into() } else { Purposes::default() },
            address: self.address,
            blocks: self.blocks,
            issued: now,
            ..BlockRequest::default()
        }
    }
}
