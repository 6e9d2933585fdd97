//! File-level traces as file operations: which files there are, and what each event asks for.
//!
//! A trace is looked over once before it is replayed ([`TraceFiles::of`]): which files are there at its beginning
//! (those whose first event isn't their creation), how long they are, and where their blocks lie as far as the trace
//! tells. Then its events come again, as [`FileRecord`]s, for an open or a closed replay.
//!
//! Think time is kept per process, or per file where the trace doesn't know processes (S.-L. Lo, "Ivy", HPL-CSP-90-48,
//! 1990, §4.6).
//!
//! Left out: events that failed, program starts, device requests (they follow), and directories, of which one level
//! stands for all: files are placed by the path of their directory. In a trace that has device requests and no calls on
//! files, a file stands for each device ([`device_files`](super::device_files)).

use super::Record;
use super::device_files::as_file_call;
use crate::program::{FileEntry, FileTable, Placement, ProgramError, check_number_of_files};
use petrio_bounds::Headroom;
use petrio_colours::{
    AccessFlags, FileId, FileOp, IoClass, Operation, PlacedExtent, RequestId, SECTOR_BYTES,
};
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, FileKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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

/// A file that a trace speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFile {
    /// Its directory, counted from 0; `None` for the root.
    pub directory: Option<u32>,
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
    /// The directories' names, in order of appearance; they are numbered after the files.
    directories: Vec<Arc<str>>,
    /// The threads of the trace, in order of their numbers.
    processes: Vec<u32>,
    /// Where its files stand for devices: the room for each, in bytes.
    device_room: Option<u64>,
}

/// What is known only while a trace is looked over.
#[derive(Default)]
struct Survey {
    directories: BTreeMap<Arc<str>, u32>,
    processes: BTreeSet<u32>,
    /// Of each file whether it has been written, and where the last call ended.
    files: Vec<(bool, u64)>,
}

impl TraceFiles {
    /// Looks a trace over. In a run, files are numbered in order of appearance, and directories after them.
    ///
    /// # Errors
    /// An event that can't be read; more files than there is memory for.
    pub fn of(events: impl Iterator<Item = Result<Event, TraceError>>) -> Result<Self, TraceError> {
        Self::within(events, u64::MAX)
    }

    /// As [`TraceFiles::of`], where a file that stands for a device has at most `device_room` bytes.
    ///
    /// # Errors
    /// As of [`TraceFiles::of`].
    pub fn within(
        events: impl Iterator<Item = Result<Event, TraceError>>,
        device_room: u64,
    ) -> Result<Self, TraceError> {
        let (mut files, mut survey) = (Self::default(), Survey::default());
        let (mut devices, mut of_devices) = (Self::default(), Survey::default());
        devices.device_room = Some(device_room);
        let mut headroom = Headroom::default();
        for (before, event) in (0..).zip(events) {
            let event = event?;
            headroom.record().map_err(|cause| TraceError::TooMuch { events: before, cause })?;
            if event.error != 0 {
                continue;
            }
            if !event.kind.is_of_device() {
                if event.file.is_known() {
                    files.look_at(&event, &mut survey);
                }
            } else if files.files.is_empty()
                && let Some(call) = as_file_call(&event, device_room)
            {
                devices.look_at(&call, &mut of_devices);
                // A device is there as a whole, whatever is written to it first.
                if let Some(file) = devices.position(call.file).map(|at| &mut devices.files[at as usize]) {
                    file.size = file.size.max(call.offset.unwrap_or_default() + call.length);
                }
            }
        }
        if files.files.is_empty() {
            (files, survey) = (devices, of_devices);
        }
        for file in &mut files.files {
            tidy(&mut file.extents);
        }
        files.processes = survey.processes.into_iter().collect();
        Ok(files)
    }

    fn look_at(&mut self, event: &Event, survey: &mut Survey) {
        survey.processes.insert(event.process);
        let next = self.files.len() as u32;
        let index = *self.by_key.entry(event.file).or_insert(next);
        if index == next {
            let present = event.kind != EventKind::Create;
            self.files.push(TraceFile { present, ..TraceFile::default() });
            survey.files.push((false, 0));
        }
        let file = &mut self.files[index as usize];
        if file.directory.is_none()
            && let Some((name, _)) = event.path.as_ref().and_then(|path| path.rsplit_once('/'))
        {
            let number = match survey.directories.get(name) {
                Some(&number) => number,
                None => {
                    let number = self.directories.len() as u32;
                    self.directories.push(name.into());
                    survey.directories.insert(name.into(), number);
                    number
                }
            };
            file.directory = Some(number);
        }
        let (was_written, at) = &mut survey.files[index as usize];
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
                    let placed = PlacedExtent { offset: offset + within, address: extent.address, length };
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

    /// The number in a run of the file at this position, where the first one has the number `first`.
    pub const fn file_id(&self, position: u32, first: u32) -> FileId {
        FileId(first + position)
    }

    /// The number in a run of a file's directory.
    pub fn directory_id(&self, file: &TraceFile, first: u32) -> FileId {
        file.directory.map_or(FileId::ROOT, |number| FileId(first + self.files.len() as u32 + number))
    }

    /// The number after the last that its files and directories take in a run.
    ///
    /// # Errors
    /// More of them than there are numbers left.
    pub fn next_file(&self, placement: &Placement) -> Result<u32, ProgramError> {
        let count = self.files.len() + self.directories.len();
        check_number_of_files(count as u64, placement)?;
        Ok(placement.first_file + count as u32)
    }

    /// The files and directories as a table, each directory before what lies in it.
    ///
    /// # Errors
    /// More of them than there are numbers left.
    pub fn table(&self, placement: &Placement) -> Result<FileTable, ProgramError> {
        let mut table = FileTable::new();
        let (first, prefix) = (placement.first_file, &placement.name);
        self.next_file(placement)?;
        let after_files = first + self.files.len() as u32;
        for number in 0..self.directories.len() as u32 {
            table.add(FileEntry {
                file: FileId(after_files + number),
                name: format!("{prefix}.d{number}"),
                parent: FileId::ROOT,
                is_directory: true,
                present: true,
                size: 0,
                cached: false,
            })?;
        }
        for (position, file) in (0..).zip(&self.files) {
            table.add(FileEntry {
                file: self.file_id(position, first),
                name: format!("{prefix}.{position}"),
                parent: self.directory_id(file, first),
                is_directory: false,
                present: file.present,
                size: if file.present { file.size } else { 0 },
                cached: false,
            })?;
        }
        Ok(table)
    }

    /// How many processes a replay has.
    pub fn processes(&self, wanted: ThinkPer) -> u32 {
        match self.think_per(wanted) {
            ThinkPer::Process => self.processes.len() as u32,
            ThinkPer::File => 1,
        }
    }

    /// A file's position.
    pub fn position(&self, key: FileKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// For whom think times can be kept.
    pub fn think_per(&self, wanted: ThinkPer) -> ThinkPer {
        match wanted {
            ThinkPer::Process if self.processes.iter().any(|process| *process != 0) => ThinkPer::Process,
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
pub struct FileRecords<R> {
    events: R,
    files: Arc<TraceFiles>,
    think_per: ThinkPer,
    /// What a replayed operation has besides what the trace says: its first process' number, its file system, its
    /// urgency.
    placement: Placement,
    /// Only reads that missed, of a trace that says which did.
    only_misses: bool,
    at: BTreeMap<FileId, u64>,
}

impl<R: Iterator<Item = Result<Event, TraceError>> + Send> FileRecords<R> {
    /// The events of a trace that has been looked over. In the run, its processes are numbered from the placement's
    /// first.
    pub fn new(events: R, files: Arc<TraceFiles>, wanted: ThinkPer, placement: Placement) -> Self {
        let think_per = files.think_per(wanted);
        Self { events, files, think_per, placement, only_misses: false, at: BTreeMap::new() }
    }

    /// Leaves reads out of which the trace says that they were answered from the cache.
    #[must_use]
    pub fn only_misses(mut self) -> Self {
        self.only_misses = true;
        self
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
        let operation = match event.kind {
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
        let (waiter, process) = match self.think_per {
            ThinkPer::Process => {
                let number = self.files.processes.binary_search(&event.process).unwrap_or_default() as u32;
                (number, number)
            }
            ThinkPer::File => (file.0, 0),
        };
        Some(FileRecord {
            time: event.time,
            measured: event.service,
            waiter,
            process: self.placement.first_process + process,
            file_system: self.placement.file_system,
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
