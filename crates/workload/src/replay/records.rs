//! The events of a file-level trace that has been looked over, as they are replayed.

use super::Record;
use super::device_files::as_file_call;
use super::files::{ThinkPer, TraceFiles};
use crate::program::Placement;
use petrio_colours::{AccessFlags, FileId, FileOp, IoClass, Operation, RequestId};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind};
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event as it is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct FileRecord {
    /// When it was issued, from the trace's origin.
    pub time: Time,
    /// How long it took on the machine that was traced.
    pub measured: Option<Time>,
    /// Who waits for it.
    pub waiter: u32,
    /// The process in the run.
    pub process: u32,
    /// The file system's number on its host.
    pub file_system: u32,
    /// The process' scheduling class.
    pub class: IoClass,
    /// Its priority within the class.
    pub priority: u8,
    /// What it asks for.
    pub operation: Operation,
    /// The file.
    pub file: FileId,
    /// Its directory.
    pub parent: FileId,
    /// First byte.
    pub offset: u64,
    /// Bytes, or the new length of a truncation.
    pub length: u64,
    /// O_SYNC.
    pub sync: bool,
    /// O_DIRECT.
    pub direct: bool,
}

impl Record for FileRecord {
    type Request = FileOp;

    fn time(&self) -> Time {
        self.time
    }

    fn measured(&self) -> Option<Time> {
        self.measured
    }

    fn waiter(&self) -> u32 {
        self.waiter
    }

    fn request(&self, id: RequestId, now: Time) -> FileOp {
        FileOp {
            id,
            process: self.process,
            file_system: self.file_system,
            class: self.class,
            priority: self.priority,
            operation: self.operation,
            file: self.file,
            parent: self.parent,
            offset: self.offset,
            length: self.length,
            flags: AccessFlags { sync: self.sync, direct: self.direct, ..AccessFlags::default() },
            issued: now,
            ..FileOp::default()
        }
    }
}

/// The events of a trace as they are replayed.
#[derive(Persist)]
pub struct FileRecords<R> {
    events: R,
    #[persist(shared)]
    files: Arc<TraceFiles>,
    think_per: ThinkPer,
    /// What a replayed operation has besides what the trace says: its first process' number, its file system, its
    /// urgency.
    placement: Placement,
    /// That of each file.
    file_systems: Vec<u32>,
    /// Only reads that missed, of a trace that says which did.
    only_misses: bool,
    at: BTreeMap<FileId, u64>,
}

impl<R: Iterator<Item = Result<Event, TraceError>> + Send> FileRecords<R> {
    /// The events of a trace that has been looked over. In the run, its processes are numbered from the placement's
    /// first.
    pub fn new(events: R, files: Arc<TraceFiles>, wanted: ThinkPer, placement: Placement) -> Self {
        let think_per = files.think_per(wanted);
        let file_systems = files.file_systems(&placement);
        Self { events, files, think_per, placement, file_systems, only_misses: false, at: BTreeMap::new() }
    }

    /// Leaves reads out of which the trace says that they were answered from the cache.
    #[must_use]
    pub fn only_misses(mut self) -> Self {
        self.only_misses = true;
        self
    }

    /// What an event is of a file system; nothing that is left out here, or no operation on a file that is known.
    fn operation(&self, event: &Event) -> Option<Operation> {
        Some(match event.kind {
            EventKind::Create => Operation::Create,
            EventKind::Open => Operation::Open,
            EventKind::Read if self.only_misses && event.hit == Some(true) => return None,
            EventKind::Read => Operation::Read,
            EventKind::Write => Operation::Write,
            EventKind::Close => Operation::Close,
            EventKind::Unlink => Operation::Unlink,
            // A flush of a device has no file's times to write.
            EventKind::Fsync if self.files.device_room.is_some() => Operation::Fdatasync,
            EventKind::Fsync => Operation::Fsync,
            EventKind::Fdatasync => Operation::Fdatasync,
            EventKind::Truncate => Operation::Truncate,
            EventKind::Rename => Operation::Rename,
            EventKind::Stat => Operation::Stat,
            EventKind::Exec
            | EventKind::Mkdir
            | EventKind::Queue
            | EventKind::Issue
            | EventKind::Complete
            | EventKind::List
            | EventKind::Allocate
            | EventKind::Rmdir
            | EventKind::SyncRange
            | EventKind::Sync
            | EventKind::Map
            | EventKind::Fork
            | EventKind::Join
            | EventKind::Exit
            | EventKind::Sleep
            | EventKind::Send
            | EventKind::Receive
            | EventKind::PostSend
            | EventKind::PostReceive
            | EventKind::Wait
            | EventKind::Collective => return None,
        })
    }

    fn record(&mut self, event: &Event) -> Option<FileRecord> {
        let call = self.files.device_room.map(|room| as_file_call(event, room));
        let event = match &call {
            Some(call) => call.as_ref()?,
            None => event,
        };
        if event.error != 0 || event.kind.is_of_device() {
            return None;
        }
        let position = self.files.position(event.file)?;
        let first = self.placement.first_file;
        let file = self.files.file_id(position, first);
        let operation = self.operation(event)?;
        let (mut offset, mut length) = (0, 0);
        match operation {
            Operation::Read | Operation::Write => {
                let at = self.at.entry(file).or_default();
                offset = event.offset.unwrap_or(*at);
                length = event.length;
                if length == 0 {
                    return None;
                }
                *at = offset + length;
            }
            Operation::Truncate => length = event.size.unwrap_or_default(),
            Operation::Unlink => {
                self.at.remove(&file);
            }
            _ => {}
        }
        let (waiter, process) = match self.think_per {
            ThinkPer::Process => {
                let number = self.files.processes.binary_search(&event.process).map_or(0, as_number);
                (number, number)
            }
            ThinkPer::File => (file.0, 0),
        };
        Some(FileRecord {
            time: event.time,
            measured: event.service,
            waiter,
            process: self.placement.first_process + process,
            file_system: self.file_systems[position as usize],
            class: self.placement.class,
            priority: self.placement.priority,
            operation,
            file,
            parent: self.files.directory_id(&self.files.files[position as usize], first),
            offset,
            length,
            sync: event.synchronous,
            direct: self.files.device_room.is_some(),
        })
    }
}

impl<R: Iterator<Item = Result<Event, TraceError>> + Send> Iterator for FileRecords<R> {
    type Item = Result<FileRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.events.next()? {
                Ok(event) => {
                    if let Some(record) = self.record(&event) {
                        return Some(Ok(record));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
