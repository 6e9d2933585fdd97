//! Workloads of file-level traces: looked over when the scenario is loaded, replayed when it is run.

use crate::claim::{Claim, Sentence};
use crate::failure::RunFailure;
use crate::workload::{CachesAtBegin, EventReplay, PlacesOutOfRange, Reads, Replay, own_table};
use petrio_colours::{FileId, FileOp, PlacedExtent, SECTOR_BYTES};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_page::numbers::{bytes as shown_bytes, counted};
use petrio_trace::event::Event;
use petrio_trace::{EventReader, LeftOut, OneTrace, TraceOptions};
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use petrio_workload::program::{FileProgram, FileTable, Placement, Prepared, ProgramError, Tables};
use petrio_workload::replay::{
    ClosedReplay, EventProgram, FileRecords, OpenReplay, PossibleCalls, ThinkPer, TraceFiles, Unrecorded,
};
use petrio_workload::{RequestSource, SourceError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A replay, and how many of its calls had to be changed.
type CountedReplay = (Box<dyn RequestSource<FileOp>>, Arc<AtomicU64>);

/// Most processes of a trace on a real directory: each is a thread, and reads the trace by itself.
const PROCESSES_MAX: usize = 1 << 10;

/// A process of a trace that is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TracedProcess {
    /// The source that replays it.
    pub(crate) source: usize,
    /// Its number in the trace.
    pub(crate) number: u32,
    /// What it ran, where the trace tells.
    pub(crate) name: Option<String>,
}

/// A trace on one volume.
pub(crate) struct EventTrace {
    inputs: Inputs,
    options: TraceOptions,
    replay: EventReplay,
    files: Arc<TraceFiles>,
    placement: Placement,
}

impl EventTrace {
    /// Looks a workload's trace over, once for all volumes and replications.
    pub(crate) fn look_over(
        inputs: &Inputs,
        replay: &EventReplay,
        watch: &Watch,
    ) -> Result<TraceFiles, ProgramError> {
        let room = replay.device_room.map_or(u64::MAX, Bytes::get);
        let mut events = EventReader::open_in(inputs, &replay.file, &options(replay))?;
        let files = TraceFiles::within(events.by_ref().take_while(|_| !watch.is_stopped()), room);
        if watch.is_stopped() {
            return Err(ProgramError::Stopped);
        }
        let mut files = files?;
        files.name_processes(|process| events.process_name(process));
        files.note_left_out(events.summary().left_out);
        if files.files().is_empty() {
            let name = inputs.path_of(&replay.file).to_string_lossy().into();
            return Err(ProgramError::NoRequests { name });
        }
        Ok(files)
    }

    /// A workload's trace, which was looked over, on a volume.
    pub(crate) fn new(
        inputs: &Inputs,
        replay: &EventReplay,
        files: Arc<TraceFiles>,
        placement: Placement,
    ) -> Self {
        Self { inputs: inputs.clone(), options: options(replay), replay: replay.clone(), files, placement }
    }

    /// Its events as they are replayed.
    fn records(&self) -> Result<FileRecords<OneTrace<Event>>, SourceError> {
        let events = EventReader::open_in(&self.inputs, &self.replay.file, &self.options)?;
        let events = OneTrace::new(events)?;
        let (files, placement) = (self.files.clone(), self.placement.clone());
        let records = FileRecords::new(events, files, self.replay.think_per, placement);
        Ok(match self.replay.reads {
            Reads::All => records,
            Reads::Missed => records.only_misses(),
        })
    }

    /// Whether files are in memory when it begins, as they were on the machine that was traced.
    fn begins_warm(&self) -> bool {
        self.replay.caches == CachesAtBegin::AsTraced && self.replay.reads == Reads::All
    }

    /// What its replay can't have of the program that was traced.
    pub(crate) fn warnings(&self, workload: &str) -> Vec<Sentence> {
        let Unrecorded { calls, bytes } = self.files.unrecorded();
        let left_out = (calls > 0 || bytes > 0).then(|| {
            Claim::LeftOut.says(format!(
                "workload \"{workload}\": its trace leaves out {} that moved {} (a compact trace has only the reads \
                 that the cache of its machine couldn't answer): they aren't played, so this shows what reached the disk \
                 there, and not how long the program takes; a trace captured with --full has them",
                counted(calls, "call", "calls"),
                shown_bytes(bytes)
            ))
        });
        let (count, size) = (self.files.files().iter())
            .filter(|file| file.was_cached)
            .fold((0, 0_u64), |(count, size), file| (count + 1, size.saturating_add(file.size)));
        let warm = (count > 0 && self.begins_warm()).then(|| {
            Claim::BeginsWarm.says(format!(
                "workload \"{workload}\": {count} of its files, {} in all, were in memory where it was traced and are so here \
                 when it begins; caches = \"cold\" begins without",
                shown_bytes(size)
            ))
        });
        left_out.into_iter().chain(self.unseen(workload)).chain(warm).collect()
    }

    /// What reading it left out that its replay lacks.
    fn unseen(&self, workload: &str) -> Vec<Sentence> {
        let LeftOut { unseen, untimed, .. } = self.files.left_out();
        let hidden = (unseen > 0).then(|| {
            format!(
                "workload \"{workload}\": its trace has {} whose files or bytes it doesn't show (io_uring's accesses; files opened \
                 before the trace, without strace -y): they aren't played",
                counted(unseen, "call", "calls")
            )
        });
        let timeless = (untimed > 0).then(|| {
            format!(
                "workload \"{workload}\": {} of its trace have no time: the calls follow each other at once, and what the \
                 program did between them isn't played; record with strace -ttt -T",
                counted(untimed, "line", "lines")
            )
        });
        hidden.into_iter().chain(timeless).map(|words| Claim::LeftOut.says(words)).collect()
    }

    /// How many processes it has.
    pub(crate) fn processes(&self) -> u32 {
        self.files.processes(self.replay.think_per)
    }

    /// Its processes in the run, where the source of this number replays it, each with its number and name in the trace.
    pub(crate) fn traced(&self, source: usize) -> impl Iterator<Item = (u32, TracedProcess)> {
        let of_trace = self.files.traced_processes(self.replay.think_per);
        let traced = move |(number, name): (u32, Option<&str>)| TracedProcess {
            source,
            number,
            name: name.map(str::to_owned),
        };
        (self.placement.first_process..).zip(of_trace.map(traced))
    }

    /// Its files, all together.
    pub(crate) fn table(&self) -> Result<FileTable, ProgramError> {
        self.files.table(&self.placement, self.begins_warm())
    }

    /// Its files by file system.
    pub(crate) fn tables(&self) -> Result<Tables, ProgramError> {
        self.files.tables(&self.placement, self.begins_warm())
    }

    /// Checks that files lie at each of its places.
    pub(crate) fn check_places(&self) -> Result<(), ProgramError> {
        match self.files.empty_place(&self.placement) {
            None => Ok(()),
            Some(place) => {
                let problem = format!(
                    "no file of the trace lies below \"{place}\", or on a device of that number; \
                     petrio trace info says where they lie"
                );
                Err(ProgramError::Parameter { parameter: "places", problem })
            }
        }
    }

    /// The number after that of its last file.
    pub(crate) fn next_file(&self) -> Result<u32, ProgramError> {
        self.files.next_file(&self.placement)
    }

    /// Where it saw those of its files that lie on a file system of its host, by that one's number there.
    pub(crate) fn seen_on(&self, file_system: u32) -> Seen<'_> {
        let on = self.files.file_systems(&self.placement);
        let files = (0..).zip(self.files.files()).zip(on);
        let files = files.filter(|((_, file), on)| *on == file_system && !file.extents.is_empty());
        let files = files.map(|((position, file), _)| {
            (self.files.file_id(position, self.placement.first_file), file.extents.as_slice())
        });
        Seen { files: files.collect(), replay: &self.replay }
    }

    /// On which file systems of its host its files lie, by their numbers there.
    pub(crate) fn file_systems(&self) -> BTreeSet<u32> {
        self.files.file_systems(&self.placement).into_iter().collect()
    }

    /// What becomes of places beyond the end of the device.
    pub(crate) fn out_of_range(&self) -> PlacesOutOfRange {
        self.replay.out_of_range
    }

    /// A program for each of its processes, to be run on a real directory.
    pub(crate) fn prepared(&self) -> Result<Prepared, RunFailure> {
        let files = self.table().map_err(SourceError::from)?;
        let waiters = match self.files.think_per(self.replay.think_per) {
            ThinkPer::Process => self.processes(),
            ThinkPer::File => as_number(self.files.files().len()),
        };
        if waiters as usize > PROCESSES_MAX {
            let error = ProgramError::TooManyProcesses { limit: PROCESSES_MAX };
            return Err(SourceError::from(error).into());
        }
        let program = |waiter| -> Result<Box<dyn FileProgram>, SourceError> {
            let program = EventProgram::new(self.records()?, waiter, self.replay.time_scale)?;
            Ok(Box::new(program))
        };
        let programs = (0..waiters).map(program).collect::<Result<_, _>>()?;
        Ok(Prepared::new(files, programs))
    }

    /// What issues its operations, and how many of them had to be changed to stay possible.
    pub(crate) fn source(&self) -> Result<CountedReplay, SourceError> {
        let records = self.records()?;
        let replay: Box<dyn RequestSource<FileOp>> = match self.replay.replay {
            Replay::Open => Box::new(OpenReplay::new(records, self.replay.time_scale)?.by_place()),
            Replay::Closed => Box::new(ClosedReplay::new(records, self.replay.closed_options())?.by_place()),
        };
        let possible = PossibleCalls::new(replay, &self.files, self.placement.first_file);
        let changed = possible.changed();
        Ok((Box::new(possible), changed))
    }
}

/// Where a trace saw files that lie on one file system.
pub(crate) struct Seen<'t> {
    files: Vec<(FileId, &'t [PlacedExtent])>,
    replay: &'t EventReplay,
}

impl Seen<'_> {
    /// Where they lie on a device of so many blocks, as far as that counts there.
    pub(crate) fn extents(&self, blocks: u64) -> BTreeMap<FileId, Vec<PlacedExtent>> {
        let files = self.files.iter();
        match (self.end() > blocks, self.replay.out_of_range) {
            (false, _) => files.map(|&(file, extents)| (file, extents.to_vec())).collect(),
            (true, PlacesOutOfRange::Wrap) => {
                files.map(|&(file, extents)| (file, wrapped(extents, blocks))).collect()
            }
            (true, _) => BTreeMap::new(),
        }
    }

    /// One past the last block at which the trace saw one of them.
    pub(crate) fn end(&self) -> u64 {
        let extents = self.files.iter().flat_map(|(_, extents)| *extents);
        extents.map(|extent| extent.address + extent.length.div_ceil(SECTOR_BYTES)).max().unwrap_or(0)
    }

    /// What should be known of places on a file system's device of so many blocks that don't count there as they were recorded.
    pub(crate) fn warning(&self, there: &str, blocks: u64) -> Option<Sentence> {
        let what = match self.replay.out_of_range {
            PlacesOutOfRange::Allocate => "the file system places its files itself",
            PlacesOutOfRange::Wrap => "their places wrap around",
            PlacesOutOfRange::Error => return None,
        };
        let (end, name) = (self.end(), self.replay.file.display());
        (end > blocks).then(|| {
            Claim::BeyondEnd.says(format!(
                "{name} saw files up to block {end}, and the device of \"{there}\" has {blocks}: {what}"
            ))
        })
    }
}

/// Places that lie beyond so many blocks, wrapped around there; what crosses the end goes on at the beginning.
fn wrapped(extents: &[PlacedExtent], blocks: u64) -> Vec<PlacedExtent> {
    let mut all = Vec::new();
    for extent in extents {
        let (mut offset, end) = (extent.offset, extent.offset + extent.length);
        let mut address = extent.address % blocks.max(1);
        while offset < end {
            let length = (end - offset).min((blocks - address) * SECTOR_BYTES).max(1);
            all.push(PlacedExtent { offset, address, length });
            (offset, address) = (offset + length, 0);
        }
    }
    all
}

fn options(replay: &EventReplay) -> TraceOptions {
    let own = own_table(replay.columns.as_ref(), replay.units);
    TraceOptions { format: replay.format, own, ..TraceOptions::default() }
}

/// The replay in a few words.
pub(crate) fn event_words(replay: &EventReplay) -> String {
    match replay.replay {
        Replay::Open => "file-level trace, times kept".to_owned(),
        Replay::Closed => "file-level trace, think times kept".to_owned(),
    }
}
