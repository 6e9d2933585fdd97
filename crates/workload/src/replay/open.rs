//! Open replay: every request at its arrival time, stretched by a factor.

use super::reread::Reread;
use super::{Record, checked_time_scale, scaled};
use crate::due::Due;
use crate::source::{Phase, RequestSource, SourceError, SourceItem};
use petrio_colours::RequestId;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::{BlockRecord, TraceError};

/// Issues each record of a trace at its arrival time × `time_scale`, one record read ahead.
#[derive(Persist)]
#[persist(bound = "T: Persist, R: Iterator<Item = Result<T, TraceError>>")]
pub struct OpenReplay<R, T = BlockRecord> {
    records: Reread<R>,
    time_scale: f64,
    /// The next record and when it is due; `None` before it is read, and at the end.
    next: Option<(T, Time)>,
    ended: bool,
    issued: u64,
}

impl<T: Record, R: Iterator<Item = Result<T, TraceError>> + Send> OpenReplay<R, T> {
    /// A replay of `records`, which come in order of time. A `time_scale` of 2 makes the trace take twice as long (half
    /// the load), one of 0.5 half as long.
    ///
    /// # Errors
    /// A `time_scale` that isn't a number greater than zero.
    pub fn new(records: R, time_scale: f64) -> Result<Self, SourceError> {
        checked_time_scale(time_scale)?;
        Ok(Self { records: Reread::new(records), time_scale, next: None, ended: false, issued: 0 })
    }

    /// The same, whose records know themselves where they are when a state is written and read: they aren't read again.
    #[must_use]
    pub fn by_place(self) -> Self
    where
        R: Persist,
    {
        Self { records: self.records.by_place(), ..self }
    }

    /// Gives back the records that have not been read, and with them the reader's summary.
    pub fn into_inner(self) -> R {
        self.records.records
    }

    /// The records, for a look at a reader's summary.
    pub const fn records(&self) -> &R {
        &self.records.records
    }
}

impl<T: Record + Persist, R: Iterator<Item = Result<T, TraceError>> + Send> RequestSource<T::Request>
    for OpenReplay<R, T>
{
    fn due(&mut self) -> Result<Due, SourceError> {
        if self.next.is_none() && !self.ended {
            match self.records.next().transpose()? {
                None => self.ended = true,
                Some(record) => {
                    let due = scaled(record.time(), self.time_scale).ok_or(SourceError::BeyondHorizon)?;
                    self.next = Some((record, due));
                }
            }
        }
        Ok(self.next.map_or(Due::Never, |(_, due)| Due::At(due)))
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<T::Request>>, SourceError> {
        self.due()?;
        let Some((record, _)) = self.next.take_if(|(_, due)| *due <= now) else { return Ok(None) };
        let id = RequestId(self.issued);
        self.issued += 1;
        Ok(Some(SourceItem {
            request: record.request(id, now),
            measured: record.measured(),
            phase: Phase::Measured,
            depth: 0,
        }))
    }

    fn complete(&mut self, _id: RequestId, _now: Time) -> Result<(), SourceError> {
        Ok(())
    }
}
