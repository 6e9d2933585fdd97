//! File-level traces as file operations: which files there are, and what each event asks for.
//!
//! A trace is looked over once before it is replayed ([`TraceFiles::of`]): which files are there at its beginning
//! (those whose first event isn't their creation), how long they are, and where their blocks lie as far as the trace
//! tells. Then its events come again, as [`FileRecord`](super::FileRecord)s, for an open or a closed replay.
//!
//! Think time is kept per process, or per file where the trace doesn't know processes (S.-L. Lo, "Ivy", HPL-CSP-90-48,
//! 1990, §4.6).
//!
//! Left out: events that failed, program starts, device requests (they follow), and directories, of which one level
//! stands for all: files are placed by the path of their directory. In a trace that has device requests and no calls on
//! files, a file stands for each device ([`device_files`](super::device_files)).

use super::device_files::as_file_call;
use crate::program::{FileEntry, FileTable, Placement, ProgramError, Tables, check_number_of_files};
use petrio_bounds::Headroom;
use petrio_colours::{FileId, PlacedExtent, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_trace::event::{Event, EventKind, FileKey};
use petrio_trace::{LeftOut, TraceError};
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// For whom think times are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkPer {
    /// Each process, where the trace knows processes; else each file.
    #[default]
    Process,
    /// Each file.
    File,
}

/// A file that a trace speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct TraceFile {
    /// Its directory, counted from 0; `None` for the root.
    pub directory: Option<u32>,
    /// The number of the device on which the trace saw it.
    pub device: u32,
    /// Whether it is there when the trace begins.
    pub present: bool,
    /// Its size in bytes then.
    pub size: u64,
    /// Whether its first read was answered from the cache of the machine that was traced: it was in memory before.
    pub was_cached: bool,
    /// Where it lies, by offset; pieces don't overlap.
    pub extents: Vec<PlacedExtent>,
}

/// Calls and bytes that a trace tells of only in the totals of closes: a compact one leaves out the reads that were
/// answered from memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Unrecorded {
    /// Calls.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: u64,
}

/// All files of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct TraceFiles {
    pub(super) files: Vec<TraceFile>,
    by_key: BTreeMap<FileKey, u32>,
    /// The directories' names, in order of appearance; they are numbered after the files.
    directories: Vec<Arc<str>>,
    /// The threads of the trace, in order of their numbers.
    pub(super) processes: Vec<u32>,
    /// What they ran, by their numbers, as far as the trace tells.
    commands: BTreeMap<u32, String>,
    /// Where its files stand for devices: the room for each, in bytes.
    pub(super) device_room: Option<u64>,
    /// What only the totals of closes tell of.
    unrecorded: Unrecorded,
    left_out: LeftOut,
    /// Whether it says of any read whether that was answered from the cache.
    knows_hits: bool,
}

/// What is known only while a trace is looked over.
#[derive(Default)]
struct Survey {
    directories: BTreeMap<Arc<str>, u32>,
    processes: BTreeSet<u32>,
    /// What is known of each file.
    files: Vec<Seen>,
    /// Reads and writes that were recorded since their file was opened, by process and file.
    recorded: BTreeMap<(u32, u32), Unrecorded>,
}

/// What is known of a file while its trace is looked over.
#[derive(Clone, Copy, Default)]
struct Seen {
    was_written: bool,
    was_read: bool,
    /// Where the last call ended.
    at: u64,
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
            if let (EventKind::Exec, Some(path)) = (event.kind, &event.path) {
                files.executes(event.process, path);
            }
            if !event.kind.is_of_device() {
                if event.file.is_known() && event.kind.is_on_file() {
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
            devices.commands = std::mem::take(&mut files.commands);
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
        let next = as_number(self.files.len());
        let index = *self.by_key.entry(event.file).or_insert(next);
        if index == next {
            let present = event.kind != EventKind::Create;
            let device = event.file.device;
            self.files.push(TraceFile { present, device, ..TraceFile::default() });
            survey.files.push(Seen::default());
        }
        let file = &mut self.files[index as usize];
        if file.directory.is_none()
            && let Some((name, _)) = event.path.as_ref().and_then(|path| path.rsplit_once('/'))
        {
            let number = match survey.directories.get(name) {
                Some(&number) => number,
                None => {
                    let number = as_number(self.directories.len());
                    self.directories.push(name.into());
                    survey.directories.insert(name.into(), number);
                    number
                }
            };
            file.directory = Some(number);
        }
        self.unrecorded.add(event, survey.recorded.entry((event.process, index)));
        self.knows_hits |= event.hit.is_some();
        let seen = &mut survey.files[index as usize];
        let offset = event.offset.unwrap_or(seen.at);
        match event.kind {
            EventKind::Read | EventKind::Write => {
                let end = offset + event.length;
                seen.at = end;
                if event.kind == EventKind::Write {
                    seen.was_written = true;
                } else {
                    let is_first = !std::mem::replace(&mut seen.was_read, true);
                    if file.present && !seen.was_written {
                        file.size = file.size.max(end);
                        file.was_cached |= is_first && event.hit == Some(true);
                    }
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
            EventKind::Truncate => seen.was_written = true,
            _ if file.present && !seen.was_written => {
                file.size = file.size.max(event.size.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// A process is called by what it executed last.
    fn executes(&mut self, process: u32, path: &str) {
        if let Some(name) = path.rsplit('/').find(|part| !part.is_empty()) {
            self.commands.insert(process, name.to_owned());
        }
    }

    /// Keeps what reading the trace left out.
    pub const fn note_left_out(&mut self, left_out: LeftOut) {
        self.left_out = left_out;
    }

    /// What reading the trace left out.
    pub const fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Calls the processes by what the trace's reader knows them by, where it does.
    pub fn name_processes(&mut self, named: impl Fn(u32) -> Option<String>) {
        for &process in &self.processes {
            if let Some(name) = named(process) {
                self.commands.insert(process, name);
            }
        }
    }

    /// The processes of a replay in the order of their numbers there, each with its number in the trace and what it ran, where
    /// the trace tells; none where think times are kept per file.
    pub fn traced_processes(&self, wanted: ThinkPer) -> impl Iterator<Item = (u32, Option<&str>)> {
        let known = self.think_per(wanted) == ThinkPer::Process;
        let processes = self.processes.iter().filter(move |_| known);
        processes.map(|process| (*process, self.commands.get(process).map(String::as_str)))
    }

    /// The files, in order of their numbers.
    pub fn files(&self) -> &[TraceFile] {
        &self.files
    }

    /// Forgets where files lie, for a device on which they can't lie there.
    pub fn forget_places(&mut self) {
        self.files.iter_mut().for_each(|file| file.extents.clear());
    }

    /// What only the totals of closes tell of.
    pub const fn unrecorded(&self) -> Unrecorded {
        self.unrecorded
    }

    /// Whether it says of any read whether that was answered from the cache of the machine that was traced.
    pub const fn knows_hits(&self) -> bool {
        self.knows_hits
    }

    /// The number in a run of the file at this position, where the first one has the number `first`.
    pub const fn file_id(&self, position: u32, first: u32) -> FileId {
        FileId(first + position)
    }

    /// The number in a run of a file's directory.
    pub fn directory_id(&self, file: &TraceFile, first: u32) -> FileId {
        file.directory.map_or(FileId::ROOT, |number| FileId(first + as_number(self.files.len()) + number))
    }

    /// The number after the last that its files and directories take in a run.
    ///
    /// # Errors
    /// More of them than there are numbers left.
    pub fn next_file(&self, placement: &Placement) -> Result<u32, ProgramError> {
        let count = self.files.len() + self.directories.len();
        check_number_of_files(count as u64, placement)?;
        Ok(placement.first_file + as_number(count))
    }

    /// The files and directories as a table, each directory before what lies in it; `warm`, with those in the cache that
    /// were in memory on the machine that was traced.
    ///
    /// # Errors
    /// More of them than there are numbers left.
    pub fn table(&self, placement: &Placement, warm: bool) -> Result<FileTable, ProgramError> {
        let mut table = FileTable::new();
        let (first, prefix) = (placement.first_file, &placement.name);
        self.next_file(placement)?;
        let after_files = first + as_number(self.files.len());
        for number in 0..as_number(self.directories.len()) {
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
                cached: warm && file.was_cached,
            })?;
        }
        Ok(table)
    }

    /// The place of a file among those to which a trace's files are sent, by the beginning of its path, of several the
    /// longest, or by the number of the device on which the trace saw it: the place's name, a whole number for a device.
    fn place_of<'a, T>(&self, file: &TraceFile, places: &'a BTreeMap<String, T>) -> Option<(&'a str, &'a T)> {
        let directory = file.directory.map(|number| &*self.directories[number as usize]);
        let begins = |place: &str| {
            let place = place.trim_end_matches('/');
            directory
                .and_then(|name| name.strip_prefix(place))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || place.is_empty())
        };
        let by_path = places.iter().filter(|(place, _)| place.parse::<u32>().is_err() && begins(place));
        let device = file.device.to_string();
        let found = by_path.max_by_key(|(place, _)| place.len()).or_else(|| places.get_key_value(&device));
        found.map(|(place, there)| (place.as_str(), there))
    }

    /// The file system on which each file lies: that of its place, where it has one.
    pub fn file_systems(&self, placement: &Placement) -> Vec<u32> {
        let of =
            |file| self.place_of(file, &placement.places).map_or(placement.file_system, |(_, there)| *there);
        self.files.iter().map(of).collect()
    }

    /// A place at which none of the files lies.
    pub fn empty_place<'a>(&self, placement: &'a Placement) -> Option<&'a str> {
        let used: BTreeSet<&str> =
            self.files.iter().filter_map(|file| Some(self.place_of(file, &placement.places)?.0)).collect();
        placement.places.keys().map(String::as_str).find(|place| !used.contains(place))
    }

    /// As [`table`](Self::table), for each file system; a directory is on each on which a file lies in it.
    ///
    /// # Errors
    /// As of [`table`](Self::table).
    pub fn tables(&self, placement: &Placement, warm: bool) -> Result<Tables, ProgramError> {
        let whole = self.table(placement, warm)?;
        if placement.places.is_empty() {
            return Ok(Tables::from([(placement.file_system, whole)]));
        }
        let file_systems = self.file_systems(placement);
        let mut tables = Tables::from([(placement.file_system, FileTable::new())]);
        let mut there: BTreeSet<(u32, FileId)> = BTreeSet::new();
        for (file, file_system) in self.files.iter().zip(&file_systems) {
            there.insert((*file_system, self.directory_id(file, placement.first_file)));
        }
        let all: BTreeSet<u32> = file_systems.iter().copied().collect();
        for entry in whole.entries() {
            let position = (entry.file.0 - placement.first_file) as usize;
            match file_systems.get(position) {
                Some(file_system) => tables.entry(*file_system).or_default().add(entry.clone())?,
                None => {
                    for file_system in all.iter().filter(|number| there.contains(&(**number, entry.file))) {
                        tables.entry(*file_system).or_default().add(entry.clone())?;
                    }
                }
            }
        }
        Ok(tables)
    }

    /// How many processes a replay has.
    pub fn processes(&self, wanted: ThinkPer) -> u32 {
        match self.think_per(wanted) {
            ThinkPer::Process => as_number(self.processes.len()),
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

impl Unrecorded {
    /// Counts a call, or what the totals of a close tell of beside the calls since its file was opened.
    fn add(&mut self, event: &Event, mut recorded: Entry<'_, (u32, u32), Self>) {
        match (event.kind, event.totals) {
            (EventKind::Read | EventKind::Write, _) => {
                let recorded = recorded.or_default();
                recorded.calls += 1;
                recorded.bytes += event.length;
            }
            (EventKind::Close, Some(totals)) => {
                let known = match &mut recorded {
                    Entry::Occupied(entry) => std::mem::take(entry.get_mut()),
                    Entry::Vacant(_) => Self::default(),
                };
                self.calls += totals.reads.saturating_add(totals.writes).saturating_sub(known.calls);
                self.bytes +=
                    totals.bytes_read.saturating_add(totals.bytes_written).saturating_sub(known.bytes);
            }
            _ => {}
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
