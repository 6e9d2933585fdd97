//! A trace of a run, as a capture of a live system would give: petrio's own trace file, which every `petrio trace`
//! command reads, users' analyses too, and which another scenario can replay.

use crate::build::file_tables;
use crate::loaded::Loaded;
use crate::report::ReportError;
use crate::report::RequestSink;
use crate::report::Sinks;
use crate::report::Subject;
use petrio_colours::{BlockRequest, FileOp, Purpose, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, Extent};
use petrio_trace::native::{About, EventWriter};
use petrio_workload::program::{CarriedOut, OperationEvents};
use std::path::Path;

/// Writes a trace of all file operations, or of all block requests that programs send, beside what else a run's sinks
/// write, in the place of none of the scenario's inputs.
///
/// # Errors
/// When it can't be written, or when the files of the scenario can't be told.
pub fn write_trace(
    sinks: &mut Sinks,
    loaded: &Loaded,
    subject: Subject,
    path: &Path,
) -> Result<(), ReportError> {
    let about = About { command: format!("simulated: {}", loaded.scenario.title), ..About::default() };
    let failed = |path: &Path, error: TraceError| ReportError::trace(path, &error);
    let writer = EventWriter::create(path, loaded.inputs(), &about).map_err(|error| failed(path, error))?;
    listen(sinks, loaded, subject, TraceFile { writer: Some(writer), path: path.into() })
}

/// Tells somebody of every file operation, or, where there are none, of every block request, as an event of a trace; in order of
/// their ends.
///
/// # Errors
/// When the files of the scenario can't be told.
pub fn tell_events(
    sinks: &mut Sinks,
    loaded: &Loaded,
    tell: impl FnMut(&Event) -> Result<(), ReportError> + Send + 'static,
) -> Result<(), ReportError> {
    listen(sinks, loaded, loaded.subject(), Told(tell))
}

fn listen(
    sinks: &mut Sinks,
    loaded: &Loaded,
    subject: Subject,
    to: impl Listener + 'static,
) -> Result<(), ReportError> {
    match subject {
        Subject::BlockRequests => sinks.push(RequestEvents { to }),
        Subject::FileOperations => {
            let (files, hosts_of_processes) =
                file_tables(loaded).map_err(|error| ReportError::untold(&error))?;
            let volumes = loaded.hosts.volumes().map(|volume| (volume.host, volume.mount)).collect();
            let events = (1..).zip(&files).map(|(device, files)| OperationEvents::of(files, device));
            let events = events.collect();
            sinks.push(FileEvents { to, events, volumes, hosts_of_processes });
        }
    }
    Ok(())
}

/// Somebody who is told events.
trait Listener: Send {
    fn event(&mut self, event: &Event) -> Result<(), ReportError>;

    fn finish(&mut self) -> Result<(), ReportError>;
}

struct TraceFile {
    writer: Option<EventWriter>,
    path: Box<Path>,
}

impl Listener for TraceFile {
    fn event(&mut self, event: &Event) -> Result<(), ReportError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.push(event).map_err(|error| ReportError::trace(&self.path, &error))
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.finish().map(drop).map_err(|error| ReportError::trace(&self.path, &error))
    }
}

struct Told<F>(F);

impl<F: FnMut(&Event) -> Result<(), ReportError> + Send> Listener for Told<F> {
    fn event(&mut self, event: &Event) -> Result<(), ReportError> {
        (self.0)(event)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

struct FileEvents<L> {
    to: L,
    /// By volume.
    events: Vec<OperationEvents>,
    /// Each volume's host, and its number there.
    volumes: Vec<(usize, u32)>,
    hosts_of_processes: Vec<usize>,
}

impl<L: Listener> RequestSink<FileOp> for FileEvents<L> {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let host = self.hosts_of_processes.get(op.process as usize).copied().unwrap_or_default();
        let volume = self.volumes.iter().position(|volume| *volume == (host, op.file_system));
        let Some(events) = volume.and_then(|volume| self.events.get_mut(volume)) else { return Ok(()) };
        let done = CarriedOut {
            process: op.process,
            operation: op.operation,
            file: op.file,
            offset: op.offset,
            length: op.length,
            start: op.issued,
            took: at.saturating_sub(op.issued),
        };
        events.event(&done).map_or(Ok(()), |event| self.to.event(&event))
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.to.finish()
    }
}

struct RequestEvents<L> {
    to: L,
}

impl<L: Listener> RequestSink for RequestEvents<L> {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        let mut event = Event::new(request.issued, EventKind::Queue);
        event.process = request.process + 1;
        event.length = u64::from(request.blocks) * SECTOR_BYTES;
        event.service = Some(at.saturating_sub(request.issued));
        event.direction = Some(request.direction);
        event.request = Some(request.id.0);
        event.synchronous = request.synchronous;
        event.force_unit_access = request.force_unit_access;
        // What Linux marks as metadata: jbd2 writes its log so, too.
        event.metadata =
            [Purpose::Metadata, Purpose::Journal].into_iter().any(|one| request.purposes.has(one));
        let (device, address, blocks) = (request.device + 1, request.address, request.blocks);
        event.extents.push(Extent { device, address, blocks, hit: false });
        self.to.event(&event)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.to.finish()
    }
}
