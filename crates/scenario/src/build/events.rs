//! Workloads of file-level traces: looked over when the scenario is loaded, replayed when it is run.

use crate::load::Loaded;
use crate::schema::{EventReplay, Reads, Replay};
use petrio_colours::{FileId, FileOp};
use petrio_workload::program::{FileTable, Placement, ProgramError};
use petrio_workload::replay::{ClosedReplay, FileRecords, OpenReplay, PlacedExtent, TraceFiles};
use petrio_workload::trace::{EventReader, TraceOptions};
use petrio_workload::{RequestSource, SourceError};
use std::path::PathBuf;
use std::sync::Arc;

/// A trace on one volume.
pub(super) struct EventTrace {
    path: PathBuf,
    options: TraceOptions,
    replay: EventReplay,
    files: Arc<TraceFiles>,
    placement: Placement,
}

impl EventTrace {
    /// A workload's trace. It is looked over once for all volumes and replications.
    pub(super) fn open(
        loaded: &Loaded,
        workload: &str,
        replay: &EventReplay,
        placement: Placement,
    ) -> Result<Self, ProgramError> {
        let path = loaded.path_of(&replay.file);
        let options = TraceOptions { format: replay.format, ..TraceOptions::default() };
        let files = loaded.trace_files.get_or_survey(workload, || {
            TraceFiles::of(EventReader::open(&path, &options)?).map_err(ProgramError::from)
        })?;
        if files.files().is_empty() {
            return Err(ProgramError::NoRequests { name: path.to_string_lossy().into() });
        }
        Ok(Self { path, options, replay: replay.clone(), files, placement })
    }

    /// How many processes it has.
    pub(super) fn processes(&self) -> u32 {
        self.files.processes(self.replay.think_per)
    }

    /// Its files.
    pub(super) fn table(&self) -> Result<FileTable, ProgramError> {
        self.files.table(&self.placement)
    }

    /// Where its files lie, as far as the trace tells.
    pub(super) fn extents(&self) -> impl Iterator<Item = (FileId, Vec<PlacedExtent>)> + '_ {
        (0..)
            .zip(self.files.files())
            .map(|(position, file)| {
                (self.files.file_id(position, self.placement.first_file), file.extents.clone())
            })
            .filter(|(_, extents)| !extents.is_empty())
    }

    /// What issues its operations.
    pub(super) fn into_source(self) -> Result<Box<dyn RequestSource<FileOp>>, SourceError> {
        let events = EventReader::open(&self.path, &self.options)?;
        let mut records = FileRecords::new(events, self.files, self.replay.think_per, self.placement);
        if self.replay.reads == Reads::Missed {
            records = records.only_misses();
        }
        Ok(match self.replay.replay {
            Replay::Open => Box::new(OpenReplay::new(records, self.replay.time_scale)?),
            Replay::Closed => Box::new(ClosedReplay::new(records, self.replay.closed_options())?),
        })
    }
}

/// The replay in a few words.
pub(super) fn event_words(replay: &EventReplay) -> String {
    match replay.replay {
        Replay::Open => "file-level trace, times kept".to_owned(),
        Replay::Closed => "file-level trace, think times kept".to_owned(),
    }
}
