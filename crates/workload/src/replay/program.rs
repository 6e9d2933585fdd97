//! A process of a file-level trace as a program of its own: what runs on a real directory.
//!
//! On a simulated System one reader serves all processes ([`super::ClosedReplay`]). On a real one each process is a
//! thread, which reads the trace by itself and plays its own part of it: the time between the end of one call and the
//! beginning of the next is thought.

use super::records::FileRecord;
use super::reread::Reread;
use super::{Record, checked_time_scale, scaled};
use crate::program::{FileProgram, ProgramError, Step};
use crate::source::SourceError;
use petrio_colours::RequestId;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::TraceError;

/// One process of a trace.
#[derive(Persist)]
#[persist(bound = "R: Iterator<Item = Result<FileRecord, TraceError>>")]
pub struct EventProgram<R> {
    records: Reread<R>,
    waiter: u32,
    time_scale: f64,
    /// When the call before was over in the trace.
    over: Time,
    pending: Option<FileRecord>,
    measured: Option<Time>,
}

impl<R: Iterator<Item = Result<FileRecord, TraceError>> + Send> EventProgram<R> {
    /// The part of `records` for which `waiter` waits.
    ///
    /// # Errors
    /// A `time_scale` that isn't a number greater than zero.
    pub fn new(records: R, waiter: u32, time_scale: f64) -> Result<Self, SourceError> {
        checked_time_scale(time_scale)?;
        Ok(Self {
            records: Reread::new(records),
            waiter,
            time_scale,
            over: Time::ZERO,
            pending: None,
            measured: None,
        })
    }
}

impl<R: Iterator<Item = Result<FileRecord, TraceError>> + Send> FileProgram for EventProgram<R> {
    fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
        if let Some(record) = self.pending.take() {
            self.over = record.time + record.measured.unwrap_or(Time::ZERO);
            self.measured = record.measured;
            return Ok(Step::Operation(record.request(RequestId(0), Time::ZERO)));
        }
        loop {
            let Some(record) = self.records.next().transpose()? else { return Ok(Step::End) };
            if record.waiter != self.waiter {
                continue;
            }
            self.pending = Some(record);
            let think = scaled(record.time.saturating_sub(self.over), self.time_scale);
            return Ok(Step::Think(think.unwrap_or(Time::NEVER)));
        }
    }

    fn measured(&self) -> Option<Time> {
        self.measured
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::program::Placement;
    use crate::replay::{FileRecords, ThinkPer, TraceFiles};
    use petrio_colours::Operation;
    use petrio_trace::event::{Event, EventKind, FileKey};
    use std::sync::Arc;

    #[test]
    fn a_process_thinks_from_the_end_of_one_call_to_the_beginning_of_the_next() {
        let event = |at: u64, process: u32, offset: u64| Event {
            process,
            file: FileKey { device: 1, inode: 7, generation: 0 },
            offset: Some(offset),
            length: 100,
            service: Some(Time::from_millis(2)),
            ..Event::new(Time::from_millis(at), EventKind::Read)
        };
        let events = [event(0, 5, 0), event(3, 6, 900), event(10, 5, 100)];
        let files = Arc::new(TraceFiles::of(events.iter().cloned().map(Ok)).unwrap());
        let records =
            FileRecords::new(events.into_iter().map(Ok), files, ThinkPer::Process, Placement::new("w"));
        let mut program = EventProgram::new(records, 0, 2.0).unwrap();
        let mut steps = Vec::new();
        loop {
            match program.next(Time::ZERO).unwrap() {
                Step::Think(time) => steps.push(time.as_millis()),
                Step::Operation(op) => {
                    assert_eq!(op.operation, Operation::Read);
                    steps.push(op.offset as f64);
                }
                Step::End => break,
                _ => unreachable!("a trace has no other steps"),
            }
        }
        // Twice the 8 ms between the first call's end at 2 ms and the second's beginning at 10 ms.
        assert_eq!(steps, [0.0, 0.0, 16.0, 100.0]);
    }
}
