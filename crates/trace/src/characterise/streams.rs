//! Streams: what one process does with one file from its open to its close, or with one device.
//!
//! A call on a file by a process that hasn't opened it belongs to the stream of the process that opened it last, while
//! that one is open: threads and children use what others opened. Otherwise it begins a stream of its own (opened
//! before the trace began). A process that has a file open several times has one stream, which ends with the last
//! close.
//!
//! Memory grows with the streams that are open at once, with pairs of process and file that are never closed, and by
//! eight bytes a file.

use super::runs::{RunLengths, Runs};
use super::sequentiality::{Classes, Sequentiality, StreamSummary};
use super::transfer::{ByWay, Transfer, Way};
use crate::event::{Access, Totals};
use petrio_units::numbers::low_half;
use rustc_hash::FxHashMap;

#[derive(Debug)]
struct Stream {
    /// Where the next request begins if it continues.
    next: u64,
    requests: u64,
    continuing: u64,
    run_bytes: u64,
    run_way: Way,
    opens: u32,
    read_only_opens: u32,
    missed: bool,
    without_offset: bool,
    has_totals: bool,
    recorded: ByWay<(u64, u64)>,
    totals: ByWay<(u64, u64)>,
}

impl Default for Stream {
    fn default() -> Self {
        Self {
            next: 0,
            requests: 0,
            continuing: 0,
            run_bytes: 0,
            run_way: Way::Read,
            opens: 0,
            read_only_opens: 0,
            missed: false,
            without_offset: false,
            has_totals: false,
            recorded: ByWay::default(),
            totals: ByWay::default(),
        }
    }
}

/// Who opened a file last, and in how many streams it is open.
#[derive(Clone, Copy, Debug, Default)]
struct Opener {
    process: u32,
    streams: u32,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    open: FxHashMap<u64, Stream>,
    openers: Vec<Opener>,
    classes: Classes,
    runs: RunLengths,
}

/// What the end of a stream tells.
#[derive(Debug, Default)]
pub(super) struct Closed {
    /// Calls and bytes that its totals have beyond what was recorded.
    pub(super) unrecorded: ByWay<(u64, u64)>,
    /// It was opened for reading only, and a read missed the cache.
    pub(super) read_only_missed: bool,
}

const fn key(process: u32, subject: u32) -> u64 {
    (process as u64) << 32 | subject as u64
}

impl Streams {
    pub(super) fn opened(&mut self, process: u32, subject: u32, access: Option<Access>) {
        let stream = self.open.entry(key(process, subject)).or_default();
        stream.opens += 1;
        stream.read_only_opens += u32::from(access == Some(Access::Read));
        let index = subject as usize;
        if index >= self.openers.len() {
            self.openers.resize(index + 1, Opener::default());
        }
        let opener = &mut self.openers[index];
        opener.process = process;
        opener.streams += u32::from(stream.opens == 1);
    }

    /// The stream of a call, by its key.
    #[inline]
    fn of(&self, process: u32, subject: u32) -> u64 {
        let own = key(process, subject);
        match self.openers.get(subject as usize) {
            // Nearly always the process that opened the file uses it.
            Some(opener)
                if opener.streams > 0 && opener.process != process && !self.open.contains_key(&own) =>
            {
                let last = key(opener.process, subject);
                if self.open.contains_key(&last) { last } else { own }
            }
            _ => own,
        }
    }

    #[inline]
    pub(super) fn transfer(&mut self, subject: u32, transfer: &Transfer, missed: bool) {
        let stream = self.open.entry(self.of(transfer.process, subject)).or_default();
        stream.missed |= missed;
        let recorded = stream.recorded.of(transfer.way);
        recorded.0 += 1;
        recorded.1 = recorded.1.saturating_add(transfer.length);
        if transfer.length == 0 {
            return;
        }
        let Some(offset) = transfer.offset else {
            stream.requests += 1;
            stream.without_offset = true;
            return;
        };
        let continues = stream.requests > 0 && offset == stream.next;
        stream.requests += 1;
        stream.continuing += u64::from(continues);
        stream.next = offset.saturating_add(transfer.length);
        if continues && stream.run_way == transfer.way {
            stream.run_bytes += transfer.length;
        } else {
            self.runs.add(stream.run_way, stream.run_bytes);
            (stream.run_way, stream.run_bytes) = (transfer.way, transfer.length);
        }
    }

    /// A close. What it tells is known with the last one of a stream.
    pub(super) fn closed(
        &mut self,
        process: u32,
        subject: u32,
        totals: Option<&Totals>,
        hit: Option<bool>,
    ) -> Option<Closed> {
        let key = self.of(process, subject);
        let stream = self.open.entry(key).or_default();
        stream.missed |= hit == Some(false);
        if let Some(totals) = totals {
            stream.has_totals = true;
            for (sum, calls, bytes) in [
                (&mut stream.totals.read, totals.reads, totals.bytes_read),
                (&mut stream.totals.write, totals.writes, totals.bytes_written),
            ] {
                *sum = (sum.0.saturating_add(calls), sum.1.saturating_add(bytes));
            }
        }
        if stream.opens > 1 {
            stream.opens -= 1;
            return None;
        }
        let stream = self.open.remove(&key)?;
        if stream.opens > 0
            && let Some(opener) = self.openers.get_mut(subject as usize)
        {
            opener.streams = opener.streams.saturating_sub(1);
        }
        Some(self.over(&stream, false))
    }

    fn over(&mut self, stream: &Stream, left_open: bool) -> Closed {
        self.runs.add(stream.run_way, stream.run_bytes);
        let beyond = |totals: (u64, u64), recorded: (u64, u64)| {
            (totals.0.saturating_sub(recorded.0), totals.1.saturating_sub(recorded.1))
        };
        let unrecorded = if stream.has_totals {
            ByWay {
                read: beyond(stream.totals.read, stream.recorded.read),
                write: beyond(stream.totals.write, stream.recorded.write),
            }
        } else {
            ByWay::default()
        };
        let summary = StreamSummary {
            requests: stream.requests,
            continuing: stream.continuing,
            bytes: stream.recorded.read.1.saturating_add(stream.recorded.write.1),
            unrecorded_requests: unrecorded.read.0.saturating_add(unrecorded.write.0),
            unrecorded_bytes: unrecorded.read.1.saturating_add(unrecorded.write.1),
            without_offset: stream.without_offset,
        };
        self.classes.add(&summary, left_open);
        Closed { unrecorded, read_only_missed: stream.read_only_opens > 0 && stream.missed }
    }

    /// Ends the streams that weren't closed; calls `told` with the subject of each and what it tells.
    pub(super) fn end(&mut self, mut told: impl FnMut(u32, Closed)) {
        // Sums and histograms don't depend on the order of the map.
        for (key, stream) in std::mem::take(&mut self.open) {
            let closed = self.over(&stream, true);
            told(low_half(key), closed);
        }
    }

    pub(super) fn finish(&self) -> (Sequentiality, Runs) {
        (self.classes.finish(), self.runs.finish())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::sequentiality::StreamClass;
    use super::*;
    use petrio_time::Time;

    fn call(streams: &mut Streams, process: u32, way: Way, offset: u64, length: u64) {
        let (time, subject, offset) = (Time::ZERO, Some(0), Some(offset));
        streams.transfer(0, &Transfer { time, process, subject, way, offset, length }, false);
    }

    #[test]
    fn runs_end_at_a_jump_at_a_turn_and_at_the_close() {
        let mut streams = Streams::default();
        streams.opened(1, 0, Some(Access::ReadWrite));
        for (way, offset, length) in [
            (Way::Read, 0, 10),
            (Way::Read, 10, 10),
            (Way::Write, 20, 5),
            (Way::Read, 100, 7),
            (Way::Read, 107, 0),
        ] {
            call(&mut streams, 1, way, offset, length);
        }
        streams.closed(1, 0, None, None).unwrap();
        let (classes, runs) = streams.finish();
        let reads = runs.reads.lengths_bytes.unwrap();
        assert_eq!((reads.count, reads.least, reads.greatest), (2, 7.0, 20.0));
        assert_eq!(runs.writes.lengths_bytes.unwrap().mean, 5.0);
        // Two of three requests after the first continue.
        let mixed = classes.of(StreamClass::Mixed).unwrap();
        assert_eq!((mixed.streams, mixed.requests, mixed.bytes), (1, 4, 32));
    }

    #[test]
    fn two_processes_that_read_one_file_have_a_stream_each() {
        let mut streams = Streams::default();
        for process in [1, 2] {
            streams.opened(process, 0, Some(Access::Read));
        }
        for step in 0..10 {
            call(&mut streams, 1, Way::Read, step << 16, 1 << 16);
            call(&mut streams, 2, Way::Read, (step + 50) << 16, 1 << 16);
        }
        streams.closed(1, 0, None, None);
        streams.closed(2, 0, None, None);
        assert_eq!(streams.finish().0.of(StreamClass::LargeSequential).unwrap().streams, 2);
    }

    #[test]
    fn a_thread_that_uses_another_s_file_shares_its_stream_until_the_close() {
        let mut streams = Streams::default();
        streams.opened(1, 0, Some(Access::Read));
        call(&mut streams, 1, Way::Read, 0, 4_096);
        call(&mut streams, 2, Way::Read, 4_096, 4_096);
        streams.closed(2, 0, None, None).unwrap();
        call(&mut streams, 2, Way::Read, 0, 4_096);
        streams.end(|_, _| {});
        let classes = streams.finish().0;
        assert_eq!(classes.of(StreamClass::SmallSequential).unwrap().streams, 1);
        assert_eq!(classes.of(StreamClass::Single).unwrap().streams, 1);
        assert_eq!(classes.left_open, 1);
    }

    #[test]
    fn totals_beyond_what_is_recorded_make_a_stream_unknown_and_are_told_once() {
        let mut streams = Streams::default();
        streams.opened(1, 0, Some(Access::Read));
        streams.opened(1, 0, Some(Access::Read));
        call(&mut streams, 1, Way::Read, 8_192, 8_192);
        let totals = Totals { bytes_read: 30_000, reads: 4, ..Totals::default() };
        assert!(streams.closed(1, 0, Some(&totals), None).is_none());
        let closed = streams.closed(1, 0, None, Some(false)).unwrap();
        assert_eq!(closed.unrecorded.read, (3, 21_808));
        assert!(closed.read_only_missed);
        let unknown = *streams.finish().0.of(StreamClass::Unknown).unwrap();
        assert_eq!((unknown.streams, unknown.requests, unknown.bytes), (1, 4, 30_000));
    }

    #[test]
    fn totals_that_agree_with_what_is_recorded_add_nothing() {
        let mut streams = Streams::default();
        streams.opened(1, 0, Some(Access::Write));
        call(&mut streams, 1, Way::Write, 0, 100);
        let totals = Totals { bytes_written: 100, writes: 1, ..Totals::default() };
        let closed = streams.closed(1, 0, Some(&totals), None).unwrap();
        assert_eq!(closed.unrecorded.write, (0, 0));
        assert_eq!(streams.finish().0.of(StreamClass::Single).unwrap().streams, 1);
    }
}
