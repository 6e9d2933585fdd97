//! A followed thread's call that is over, as records.

use super::before::{Before, Look};
use super::calls::{About, Asked};
use super::files::{Known, identity};
use super::thread::Span;
use crate::raw::{Kind, NONE, Record, flag};
use libc::{O_CREAT, O_TRUNC};
use petrio_intercept::memory;
use std::fs::Metadata;

/// A call that is over.
pub(super) struct Done<'a> {
    pub(super) look: Look<'a>,
    pub(super) span: Span,
    pub(super) result: i64,
}

impl Done<'_> {
    /// Writes down what is to be said of it.
    pub(super) fn write_down(mut self, about: About, before: Before) {
        match (about, before) {
            (About::Access { kind, file, asked, at, durable }, Before::File(known)) => {
                self.access(kind, (file, known), asked, at, durable);
            }
            (About::Open { flags, .. }, Before::Name(there, path)) => {
                self.opened(flags, there.as_ref(), path);
            }
            (About::File { kind, offset, length, extra, .. }, Before::File(known)) => {
                let length =
                    if kind == Kind::List { u64::try_from(self.result).unwrap_or(0) } else { length };
                let record = Record { offset, length, extra, ..self.of(kind, Some(known)) };
                self.write(&record);
            }
            (About::Close(_), Before::File(known)) => {
                let record = self.of(Kind::Close, Some(known));
                self.write(&record);
            }
            (About::Named { kind, size, .. }, Before::Name(there, path)) => {
                let is_other = there.as_ref().is_some_and(|about| !about.is_file() && !about.is_dir());
                if kind == Kind::Stat && is_other {
                    return;
                }
                self.named(kind, there.as_ref(), path, (kind == Kind::Truncate).then_some(size));
            }
            (About::Rename { .. }, Before::Name(there, paths)) => {
                self.named(Kind::Rename, there.as_ref(), paths, None);
            }
            (About::Copy { from, from_at, to, to_at }, Before::Both(read, written)) => {
                self.copied((from, from_at, read), (to, to_at, written));
            }
            (About::Plain(kind), _) => {
                let record = self.of(kind, None);
                self.write(&record);
            }
            (About::Join(place), _) => self.joined(place),
            (About::Duplicate(from), _) => {
                if let Ok(to) = i32::try_from(self.result)
                    && to >= 0
                    && to != from
                {
                    self.look.files.copied(from, to);
                }
            }
            _ => {}
        }
    }

    /// A record of it, without what is its kind's own.
    fn of(&mut self, kind: Kind, known: Option<Known>) -> Record {
        let took = self.look.thread.ended(self.span);
        let error = if self.result < 0 { u16::try_from(-self.result).unwrap_or(u16::MAX) } else { 0 };
        let (file, flags) = known.map_or((0, 0), |known| (known.number, known.flags));
        let Span { begin, compute } = self.span;
        Record { took, compute, error, file, flags, ..Record::new(kind, begin) }
    }

    fn write(&mut self, record: &Record) {
        self.look.thread.write(record);
    }

    fn bytes(&self) -> u64 {
        u64::try_from(self.result).unwrap_or(0)
    }

    fn access(
        &mut self,
        kind: Kind,
        (descriptor, known): (i32, Known),
        asked: Asked,
        at: Option<u64>,
        durable: bool,
    ) {
        let mut record = self.of(kind, Some(known));
        record.length = match asked {
            _ if self.result >= 0 => self.bytes(),
            Asked::Bytes(bytes) => bytes,
            Asked::Parts(place, count) => memory::bytes_of_parts(self.look.number, place, count).unwrap_or(0),
        };
        record.offset = at.unwrap_or_else(|| self.stood(descriptor));
        if durable {
            record.flags |= flag::DURABLE;
        }
        self.write(&record);
    }

    /// Where a file stood before as many bytes were read or written.
    fn stood(&mut self, descriptor: i32) -> u64 {
        self.look.files.position(descriptor).unwrap_or(0).saturating_sub(self.bytes())
    }

    fn opened(&mut self, flags: i32, there: Option<&Metadata>, path: Vec<u8>) {
        let mut record = self.of(Kind::Open, None);
        let Some(descriptor) = i32::try_from(self.result).ok().filter(|fd| *fd >= 0) else {
            record.text = path;
            return self.write(&record);
        };
        let (known, named) = self.look.files.look(descriptor, Some(flags));
        self.look.name(named);
        let Some(known) = known else { return };
        let is_new = flags & O_CREAT != 0 && there.is_none();
        let cut = there.filter(|_| flags & O_TRUNC != 0 && !is_new).map(Metadata::len);
        if is_new {
            record.kind = Kind::Create;
        }
        (record.file, record.flags, record.extra) = (known.number, known.flags, cut.unwrap_or(NONE));
        let end = record.begin + record.took;
        self.write(&record);
        if cut.is_some_and(|size| size > 0) {
            let (file, flags) = (known.number, known.flags);
            self.write(&Record { file, flags, ..Record::new(Kind::Truncate, end) });
        }
    }

    fn named(&mut self, kind: Kind, there: Option<&Metadata>, text: Vec<u8>, size: Option<u64>) {
        let mut record = Record { text, ..self.of(kind, None) };
        if let Some(about) = there {
            (record.offset, record.length, record.extra) = identity(about);
            record.flags = if about.is_dir() { flag::DIRECTORY } else { 0 };
        }
        record.extra = size.unwrap_or(record.extra);
        self.write(&record);
    }

    /// A read and a write of what the kernel carried over.
    fn copied(&mut self, from: (i32, u64, Option<Known>), to: (i32, u64, Option<Known>)) {
        let whole = Record { length: self.bytes(), ..self.of(Kind::Read, None) };
        let mut next = whole.clone();
        for (kind, (descriptor, place, known)) in [(Kind::Read, from), (Kind::Write, to)] {
            let Some(known) = known else { continue };
            // The place in memory is behind them by now.
            let told = (place != 0).then(|| memory::words::<1>(self.look.number, place).ok()).flatten();
            let offset = told.map_or_else(|| self.stood(descriptor), |[at]| at.saturating_sub(whole.length));
            self.write(&Record { kind, file: known.number, flags: known.flags, offset, ..next.clone() });
            (next.begin, next.took, next.compute) = (whole.begin + whole.took, 0, 0);
        }
    }

    fn joined(&mut self, place: Option<u64>) {
        /// Where a child's number stands in what waitid(2) tells (`siginfo_t`).
        const CHILD: u64 = 16;
        let child = match place {
            None => self.result,
            Some(place) if self.result == 0 => {
                memory::word(self.look.number, place + CHILD).map_or(0, i64::from)
            }
            Some(_) => 0,
        };
        let record = self.of(Kind::Join, None);
        // Nothing has ended, or nobody waits.
        match u64::try_from(child) {
            Ok(0) | Err(_) => {}
            Ok(offset) => self.write(&Record { offset, error: 0, ..record }),
        }
    }
}
