//! File-level traces as file operations: which files there are, and what each event asks for.
//!
//! A trace is looked over once before it is replayed ([`TraceFiles::of`]): which files are there at its beginning (those whose first
//! event isn't their creation), how long they are, and where their blocks lie as far as the trace tells. Then its events come
//! again, as [`FileRecord`]s, for an open or a closed replay.
//!
//! Think time is kept per process, or per file where the trace doesn't know processes (S.-L. Lo, "Ivy", HPL-CSP-90-48, 1990, §4.6).
//!
//! Left out: events that failed, program starts, device requests (they follow), and directories, of which one level stands for
//! all: files are placed by the path of their directory.

use super::Record;
use crate::trace::TraceError;
use crate::trace::event::{Event, EventKind, FileKey};
use petrio_colours::{AccessFlags, FileId, FileOp, Operation, RequestId, SECTOR_BYTES};
use petrio_kernel::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// For whom think times are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkPer {
    /// Each process, where the trace knows processes; else each file.
    #[default]
    Process,
    /// Each file.
    File,
}

/// A piece of a file whose place on the device the trace tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedExtent {
    /// First byte in the file.
    pub offset: u64,
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
}

/// A file that a trace speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFile {
    /// Its number in the run.
    pub file: FileId,
    /// Its directory's number.
    pub directory: FileId,
    /// Whether it is there when the trace begins.
    pub present: bool,
    /// Its size in bytes then.
    pub size: u64,
    /// Where it lies, by offset; pieces don't overlap.
    pub extents: Vec<PlacedExtent>,
}

/// All files of a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceFiles {
    files: Vec<TraceFile>,
    by_key: BTreeMap<FileKey, u32>,
    directories: BTreeMap<Arc<str>, FileId>,
    knows_processes: bool,
    first: u32,
}

/// The number from which directories are numbered, downwards, so that they never meet the files.
const LAST_DIRECTORY: u32 = u32::MAX - 16;

impl TraceFiles {
    /// Looks a trace over. Files are numbered from `first` on, in order of appearance.
    ///
    /// # Errors
    /// An event that can't be read.
    pub fn of(
        events: impl Iterator<Item = Result<Event, TraceError>>,
        first: u32,
    ) -> Result<Self, TraceError> {
        let mut files = Self { first, ..Self::default() };
        let mut growing: BTreeMap<FileKey, (bool, u64)> = BTreeMap::new();
        for event in events {
            let event = event?;
            files.knows_processes |= event.process != 0 && !event.kind.is_of_device();
            if !event.file.is_known() || event.error != 0 || event.kind.is_of_device() {
                continue;
            }
            files.look_at(&event, &mut growing);
        }
        for file in &mut files.files {
            tidy(&mut file.extents);
        }
        Ok(files)
    }

    fn look_at(&mut self, event: &Event, growing: &mut BTreeMap<FileKey, (bool, u64)>) {
        let directory = event.path.as_ref().and_then(|path| path.rsplit_once('/')).map(|(name, _)| name);
        let directory = match directory {
            None => FileId::ROOT,
            Some(name) => match self.directories.get(name) {
                Some(&known) => known,
                None => {
                    let number = FileId(LAST_DIRECTORY - self.directories.len() as u32);
                    self.directories.insert(name.into(), number);
                    number
                }
            },
        };
        let next = self.files.len() as u32;
        let index = *self.by_key.entry(event.file).or_insert(next);
        if index == next {
            let present = event.kind != EventKind::Create;
            let file = FileId(self.first + next);
            self.files.push(TraceFile { file, directory, present, ..TraceFile::default() });
            growing.insert(event.file, (false, 0));
        }
        let file = &mut self.files[index as usize];
        let (was_written, at) = growing.entry(event.file).or_default();
        let offset = event.offset.unwrap_or(*at);
        match event.kind {
            EventKind::Read | EventKind::Write => {
                let end = offset + event.length;
                *at = end;
                if event.kind == EventKind::Write {
                    *was_written = true;
                } else if file.present && !*was_written {
                    file.size = file.size.max(end);
                }
                let mut within = 0;
                for extent in &event.extents {
                    let length = u64::from(extent.blocks) * SECTOR_BYTES;
                    let placed =
                        PlacedExtent { offset: offset + within, address: extent.address, length };
                    file.extents.push(placed);
                    within += length;
                }
                if file.extents.len() > 64 && file.extents.len().is_power_of_two() {
                    tidy(&mut file.extents);
                }
            }
            EventKind::Truncate => *was_written = true,
            _ if file.present && !*was_written => {
                file.size = file.size.max(event.size.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// The files, in order of their numbers.
    pub fn files(&self) -> &[TraceFile] {
        &self.files
    }

    /// The directories' numbers.
    pub fn directories(&self) -> impl Iterator<Item = FileId> + '_ {
        self.directories.values().copied()
    }

    /// A file's number in the run.
    pub fn get(&self, key: FileKey) -> Option<FileId> {
        self.by_key.get(&key).map(|&index| FileId(self.first + index))
    }

    /// For whom think times can be kept.
    pub const fn think_per(&self, wanted: ThinkPer) -> ThinkPer {
        match wanted {
            ThinkPer::Process if self.knows_processes => ThinkPer::Process,
            _ => ThinkPer::File,
        }
    }
}

/// Puts extents in order, without overlaps; neighbours become one. Of two for the same bytes, the later one counts.
fn tidy(extents: &mut Vec<PlacedExtent>) {
    let all = std::mem::take(extents);
    let mut kept: BTreeMap<u64, PlacedExtent> = BTreeMap::new();
    for extent in all {
        let end = extent.offset + extent.length;
        // Cut what lies under it.
        let over: Vec<u64> = kept
            .range(..end)
            .rev()
            .take_while(|(_, other)| other.offset + other.length > extent.offset)
            .map(|(offset, _)| *offset)
            .collect();
        for offset in over {
            let Some(other) = kept.remove(&offset) else { continue };
            let other_end = other.offset + other.length;
            if other.offset < extent.offset {
                kept.insert(other.offset, PlacedExtent { length: extent.offset - other.offset, ..other });
            }
            if other_end > end {
                let address = other.address + (end - other.offset) / SECTOR_BYTES;
                kept.insert(end, PlacedExtent { offset: end, address, length: other_end - end });
            }
        }
        kept.insert(extent.offset, extent);
    }
    for extent in kept.into_values() {
        match extents.last_mut() {
            Some(last)
                if last.offset + last.length == extent.offset
                    && last.address + last.length / SECTOR_BYTES == extent.address =>
            {
                last.length += extent.length;
            }
            _ => extents.push(extent),
        }
    }
}

/// An event as it is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// When it was issued, from the trace's origin.
    pub time: Time,
    /// How long it took on the machine that was traced.
    pub measured: Option<Time>,
    /// Who waits for it.
    pub waiter: u32,
    /// The process in the run.
    pub process: u32,
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
}

impl Record for FileRecord {
    type Request = FileOp;

    fn time(&self) -> Time {
        self.time
    }

    fn measured(&self) -> Option<Time> {
        self.measured
    }

    fn process(&self) -> u32 {
        self.waiter
    }

    fn request(&self, id: RequestId, now: Time) -> FileOp {
        FileOp {
            id,
            process: self.process,
            operation: self.operation,
            file: self.file,
            parent: self.parent,
            offset: self.offset,
            length: self.length,
            flags: AccessFlags { sync: self.sync, ..AccessFlags::default() },
            priority: 4,
            issued: now,
            ..FileOp::default()
        }
    }
}

/// The events of a trace as they are replayed.
pub struct FileRecords<R> {
    events: R,
    files: Arc<TraceFiles>,
    think_per: ThinkPer,
    /// The process number of the first process, and how many there are for the trace's to be folded onto.
    processes: (u32, u32),
    /// Only reads that missed, of a trace that says which did.
    only_misses: bool,
    at: BTreeMap<FileId, u64>,
}

impl<R: Iterator<Item = Result<Event, TraceError>> + Send> FileRecords<R> {
    /// The events of a trace that has been looked over. In the run, its processes are `processes.0` and on, folded onto
    /// `processes.1` of them.
    pub fn new(events: R, files: Arc<TraceFiles>, wanted: ThinkPer, processes: (u32, u32)) -> Self {
        let think_per = files.think_per(wanted);
        Self { events, files, think_per, processes, only_misses: false, at: BTreeMap::new() }
    }

    /// Leaves reads out of which the trace says that they were answered from the cache.
    #[must_use]
    pub fn only_misses(mut self) -> Self {
        self.only_misses = true;
        self
    }

    fn record(&mut self, event: &Event) -> Option<FileRecord> {
        if event.error != 0 || event.kind.is_of_device() {
            return None;
        }
        let file = self.files.get(event.file)?;
        let operation = match event.kind {
            EventKind::Create => Operation::Create,
            EventKind::Open => Operation::Open,
            EventKind::Read if self.only_misses && event.hit == Some(true) => return None,
            EventKind::Read => Operation::Read,
            EventKind::Write => Operation::Write,
            EventKind::Close => Operation::Close,
            EventKind::Unlink => Operation::Unlink,
            EventKind::Fsync => Operation::Fsync,
            EventKind::Truncate => Operation::Truncate,
            EventKind::Rename => Operation::Rename,
            EventKind::Stat => Operation::Stat,
            EventKind::Exec
            | EventKind::Mkdir
            | EventKind::Queue
            | EventKind::Issue
            | EventKind::Complete => return None,
        };
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
        let waiter = match self.think_per {
            ThinkPer::Process => event.process,
            ThinkPer::File => file.0,
        };
        let index = (file.0 - self.files.first) as usize;
        Some(FileRecord {
            time: event.time,
            measured: event.service,
            waiter,
            process: self.processes.0 + waiter % self.processes.1.max(1),
            operation,
            file,
            parent: self.files.files[index].directory,
            offset,
            length,
            sync: event.synchronous,
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
