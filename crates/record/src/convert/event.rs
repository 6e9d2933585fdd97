//! A record as an event of a trace.

use super::files::Files;
use super::threads::Threads;
use crate::raw::{Kind, NONE, Record, flag};
use petrio_time::Time;
use petrio_trace::event::{Access, CollectiveKind, Event, EventKind, FileKey, Recorded};
use std::sync::Arc;

/// Makes events, in the order of the records.
pub(super) struct Events<'t> {
    origin: u64,
    threads: &'t mut Threads,
    files: Files,
    /// Of each thread, who made it, until that is told.
    makers: Vec<Option<u32>>,
    /// Of each thread, computing before records that are no events.
    held: Vec<u64>,
}

/// The event of a kind of record, where it is one.
const fn kind_of(kind: Kind) -> Option<EventKind> {
    Some(match kind {
        Kind::Begin => EventKind::Exec,
        Kind::Fork | Kind::Thread => EventKind::Fork,
        Kind::Join | Kind::ThreadJoin => EventKind::Join,
        Kind::Exit => EventKind::Exit,
        Kind::Sleep => EventKind::Sleep,
        Kind::Open => EventKind::Open,
        Kind::Create => EventKind::Create,
        Kind::Read => EventKind::Read,
        Kind::Write => EventKind::Write,
        Kind::Close => EventKind::Close,
        Kind::Unlink => EventKind::Unlink,
        Kind::Rmdir => EventKind::Rmdir,
        Kind::Rename => EventKind::Rename,
        Kind::Mkdir => EventKind::Mkdir,
        Kind::Stat => EventKind::Stat,
        Kind::Fsync => EventKind::Fsync,
        Kind::Fdatasync => EventKind::Fdatasync,
        Kind::SyncRange => EventKind::SyncRange,
        Kind::Sync => EventKind::Sync,
        Kind::Truncate => EventKind::Truncate,
        Kind::Allocate => EventKind::Allocate,
        Kind::List => EventKind::List,
        Kind::Map => EventKind::Map,
        Kind::Send => EventKind::Send,
        Kind::Receive => EventKind::Receive,
        Kind::PostSend => EventKind::PostSend,
        Kind::PostReceive => EventKind::PostReceive,
        Kind::Wait => EventKind::Wait,
        Kind::Collective => EventKind::Collective,
        Kind::Exec | Kind::Name | Kind::Unseen | Kind::Rank | Kind::Mpi => return None,
    })
}

fn nanoseconds(time: u64) -> Time {
    Time::from_picos(time.saturating_mul(1_000))
}

fn known(number: u64) -> Option<u32> {
    if number == NONE { None } else { u32::try_from(number).ok() }
}

impl<'t> Events<'t> {
    pub(super) fn new(origin: u64, threads: &'t mut Threads) -> Self {
        let held = vec![0; threads.headers.len()];
        let makers = (0..threads.headers.len()).map(|stream| threads.made_by(stream)).collect();
        Self { origin, threads, files: Files::default(), makers, held }
    }

    /// That a thread's process was made, where its maker left no record of that: before its first event.
    pub(super) fn beginning(&mut self, thread: usize, record: &Record) -> Option<Event> {
        let maker = self.makers[thread].take()?;
        let header = &self.threads.headers[thread];
        let mut event = Event::new(nanoseconds(record.begin.saturating_sub(self.origin)), EventKind::Fork);
        event.process = maker;
        let rank = self.threads.rank(maker);
        event.recorded = Some(Box::new(Recorded { rank, child: Some(header.thread), ..Recorded::default() }));
        Some(event)
    }

    /// The event of a thread's record; `None` of what is none.
    pub(super) fn event(&mut self, thread: usize, record: &Record) -> Option<Event> {
        let compute = std::mem::take(&mut self.held[thread]).saturating_add(record.compute);
        let event = self.made(thread, record, compute);
        if event.is_none() {
            self.held[thread] = compute;
        }
        event
    }

    fn made(&mut self, thread: usize, record: &Record, compute: u64) -> Option<Event> {
        if record.kind == Kind::Name {
            self.files.name(record);
        }
        let kind = kind_of(record.kind)?;
        // Opened and closed to be listed: what is listed is told.
        let is_opened = matches!(record.kind, Kind::Open | Kind::Close);
        if is_opened && record.has(flag::DIRECTORY) {
            return None;
        }
        let header = &self.threads.headers[thread];
        let (process, number) = (header.process, header.thread);
        let mut event = Event::new(nanoseconds(record.begin.saturating_sub(self.origin)), kind);
        event.process = number;
        event.service = Some(nanoseconds(record.took));
        event.error = record.error;
        event.synchronous = record.kind == Kind::Write && record.has(flag::DURABLE);
        let mut more = Recorded {
            compute: Some(nanoseconds(compute)),
            rank: self.threads.rank(process),
            direct: record.has(flag::DIRECT),
            ..Recorded::default()
        };
        match record.kind {
            Kind::Begin => event.path = Some(self.files.path(&record.words())),
            Kind::Fork | Kind::Join => more.child = known(record.offset),
            Kind::Thread => more.child = self.threads.made_thread(process, record.offset, record.length),
            Kind::ThreadJoin => more.child = self.threads.of_handle(process, record.length),
            Kind::Exit | Kind::Sleep | Kind::Sync => {}
            Kind::Unlink | Kind::Rmdir | Kind::Mkdir | Kind::Rename => self.on_name(record, &mut event),
            Kind::Stat | Kind::Truncate if !record.text.is_empty() => self.on_name(record, &mut event),
            Kind::Send
            | Kind::Receive
            | Kind::PostSend
            | Kind::PostReceive
            | Kind::Wait
            | Kind::Collective => {
                message(record, &mut event, &mut more);
            }
            Kind::Open if record.error != 0 => event.path = Some(self.files.path(&record.words())),
            _ => self.on_file(record, &mut event)?,
        }
        event.recorded = Some(Box::new(more));
        Some(event)
    }

    /// A call on an open file.
    fn on_file(&self, record: &Record, event: &mut Event) -> Option<()> {
        let named = self.files.of(record.file)?;
        event.file = named.key;
        event.path = Some(Arc::clone(&named.path));
        match record.kind {
            Kind::Open | Kind::Create => {
                event.access = match (record.has(flag::READS), record.has(flag::WRITES)) {
                    (true, true) => Some(Access::ReadWrite),
                    (false, true) => Some(Access::Write),
                    _ => Some(Access::Read),
                };
                let before = if record.extra == NONE { named.size } else { record.extra };
                event.size = Some(if record.kind == Kind::Create { 0 } else { before });
            }
            Kind::Read | Kind::Write | Kind::SyncRange | Kind::Allocate | Kind::Map => {
                event.offset = Some(record.offset);
                event.length = record.length;
            }
            Kind::List => event.length = record.length,
            Kind::Truncate => event.size = Some(record.length),
            Kind::Stat if !record.has(flag::DIRECTORY) => event.size = Some(named.size),
            _ => {}
        }
        Some(())
    }

    /// A call on a name.
    fn on_name(&mut self, record: &Record, event: &mut Event) {
        let text = record.words();
        let (old, new) = text.split_once('\0').map_or((text.as_str(), None), |(old, new)| (old, Some(new)));
        event.path = Some(self.files.path(old));
        event.new_path = new.map(|new| self.files.path(new));
        let behind = self.files.behind_name(record);
        event.file = behind.unwrap_or(FileKey::UNKNOWN);
        match record.kind {
            Kind::Unlink | Kind::Rmdir if record.error == 0 => {
                event.size = Some(record.extra);
                self.files.gone(event.file);
            }
            Kind::Truncate => event.size = Some(record.extra),
            // Of a directory it says nothing.
            Kind::Stat if record.has(flag::DIRECTORY) => {}
            Kind::Stat => event.size = behind.map(|_| record.extra),
            Kind::Rename => event.size = Some(record.extra),
            _ => {}
        }
    }
}

/// A message, or an operation of several ranks.
fn message(record: &Record, event: &mut Event, more: &mut Recorded) {
    event.length = record.length;
    more.peer = known(record.offset);
    if record.kind == Kind::Collective {
        let which = usize::try_from(record.extra).ok();
        more.collective = which.and_then(|which| CollectiveKind::ALL.get(which)).copied();
        more.members = Some(record.words().into());
        // Posted, and waited for later.
        event.request = Some(record.file).filter(|request| *request != 0);
        return;
    }
    more.tag = known(record.extra);
    if matches!(record.kind, Kind::PostSend | Kind::PostReceive | Kind::Wait) {
        event.request = Some(record.file);
    }
}
