//! A thread that is followed: its records, and how long it computes between its calls.

use crate::raw::write::{StreamWriter, Whose, lose, now};
use crate::raw::{Kind, Record};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Processor time that the kernel takes of a thread for telling of a call, at most: nanoseconds. The least that was seen between two
/// calls is less.
const TELLING_MAX: u64 = 5_000;

/// When a call began, and what was computed before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) begin: u64,
    pub(super) compute: u64,
}

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) process: u32,
    thread: u32,
    raw: PathBuf,
    /// None once nothing more can be written: the program goes on unrecorded.
    stream: Option<StreamWriter>,
    /// What the kernel tells of its processor time.
    statistics: Option<File>,
    /// When its last record ended, and its processor time then.
    last: u64,
    base: u64,
    /// What telling of a call takes, as far as it is known.
    telling: u64,
}

impl Thread {
    pub(super) fn begin(raw: &Path, whose: Whose) -> Self {
        let Whose { process, thread, .. } = whose;
        let statistics = File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok();
        let stream = StreamWriter::create(raw, whose).ok();
        let mut begun = Self {
            process,
            thread,
            raw: raw.to_owned(),
            stream,
            statistics,
            last: now(),
            base: 0,
            telling: TELLING_MAX,
        };
        if begun.stream.is_none() {
            begun.lose();
        }
        begun.base = begun.processor_time().unwrap_or(0);
        begun
    }

    /// Nanoseconds that it has been on a processor; none where the kernel doesn't tell (`CONFIG_SCHED_INFO`).
    fn processor_time(&self) -> Option<u64> {
        let mut text = [0; 64];
        let length = self.statistics.as_ref()?.read_at(&mut text, 0).ok()?;
        std::str::from_utf8(text.get(..length)?).ok()?.split(' ').next()?.parse().ok()
    }

    /// A call begins.
    pub(super) fn started(&mut self) -> Span {
        let begin = now();
        let gap = begin.saturating_sub(self.last);
        let spent = self.processor_time().map_or(gap, |time| time.saturating_sub(self.base).min(gap));
        self.telling = self.telling.min(spent);
        let compute = spent - self.telling;
        Span { begin, compute }
    }

    /// It is over; how long it took.
    pub(super) fn ended(&mut self, span: Span) -> u64 {
        self.last = now();
        self.base = self.processor_time().unwrap_or(0);
        self.last - span.begin
    }

    /// Writes a record down.
    pub(super) fn write(&mut self, record: &Record) {
        if self.stream.as_mut().is_some_and(|stream| stream.push(record).is_err()) {
            self.lose();
        }
    }

    fn lose(&mut self) {
        self.stream = None;
        lose(&self.raw, self.process, self.thread);
    }

    /// Something that takes no time.
    pub(super) fn say(&mut self, kind: Kind, offset: u64, length: u64, text: &[u8]) {
        let span = self.started();
        self.ended(span);
        let text = text.to_vec();
        self.write(&Record { compute: span.compute, offset, length, text, ..Record::new(kind, span.begin) });
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if self.stream.as_mut().is_some_and(|stream| stream.flush().is_err()) {
            self.lose();
        }
    }
}
