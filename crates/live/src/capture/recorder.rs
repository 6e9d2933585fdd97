//! A trace instance that listens to one device.

use super::error::CaptureError;
use super::event::{BlockAccess, Commit, DeviceNumber, Event, Happening, Line};
use crate::undo::Undo;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where tracefs is found where it is mounted.
const USUAL_PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// What is listened to, each filtered by device.
const EVENTS: [&str; 4] =
    ["block/block_bio_queue", "block/block_rq_issue", "block/block_rq_complete", "jbd2/jbd2_run_stats"];

/// KiB a processor: about 100,000 events. A recording that needs more says so by what it lost.
const BUFFER_KIB: u32 = 8_192;

/// Numbers the instances of this process.
static INSTANCES: AtomicU64 = AtomicU64::new(0);

/// The directory where tracefs is mounted, if it is.
pub fn trace_directory() -> Option<PathBuf> {
    USUAL_PLACES.iter().map(PathBuf::from).find(|place| place.join("instances").is_dir())
}

/// A trace instance of its own, gone when this is dropped.
#[derive(Debug)]
pub struct Recorder {
    instance: PathBuf,
    // Dropped in this order: the instance before the mount that it lies in.
    _instance: Undo,
    _mount: Option<Undo>,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The events, in the order of the trace.
    pub events: Vec<Event>,
}

impl Recording {
    /// From the text of a trace.
    ///
    /// # Errors
    /// Events that were lost, and lines that can't be read: either would make a wrong count look right.
    pub fn parse(text: &[u8]) -> Result<Self, CaptureError> {
        let mut recording = Self::default();
        let (mut lost, mut count, mut first) = (0, 0, String::new());
        for line in text.split(|byte| *byte == b'\n') {
            match Line::parse(line) {
                Line::Event(event) => recording.events.push(event),
                Line::Lost(events) => lost += events,
                Line::Other => {}
                Line::Unreadable => {
                    if count == 0 {
                        first = String::from_utf8_lossy(line).into_owned();
                    }
                    count += 1;
                }
            }
        }
        match (lost, count) {
            (0, 0) => Ok(recording),
            (0, _) => Err(CaptureError::Unreadable { count, first }),
            _ => Err(CaptureError::Lost { lost }),
        }
    }

    /// Requests in the order in which they went to the device.
    pub fn issued(&self) -> impl Iterator<Item = &BlockAccess> {
        self.events.iter().filter_map(|event| match &event.what {
            Happening::Issued(access) => Some(access),
            _ => None,
        })
    }

    /// The journal's commits.
    pub fn commits(&self) -> impl Iterator<Item = &Commit> {
        self.events.iter().filter_map(|event| match &event.what {
            Happening::Commit(commit) => Some(commit),
            _ => None,
        })
    }

    /// What lies between the first mark `from` and the first mark `to` after it.
    pub fn between(&self, from: &str, to: &str) -> Self {
        let is_mark =
            |event: &&Event, text: &str| matches!(&event.what, Happening::Mark(mark) if mark == text);
        let events = self.events.iter().skip_while(|event| !is_mark(event, from)).skip(1);
        Self { events: events.take_while(|event| !is_mark(event, to)).cloned().collect() }
    }
}

impl Recorder {
    /// Listens to `device` from now on.
    ///
    /// # Errors
    /// No tracing, or no right to it.
    pub fn start(device: DeviceNumber) -> Result<Self, CaptureError> {
        let (tracing, mounted) = reach_tracing()?;
        let number = INSTANCES.fetch_add(1, Ordering::Relaxed);
        let instance = tracing.join("instances").join(format!("petrio-{}-{number}", std::process::id()));
        fs::create_dir(&instance)
            .map_err(|source| CaptureError::TraceFile { path: instance.clone(), source })?;
        let undo = {
            let instance = instance.clone();
            Undo::new(move || {
                // Nobody can be told where taking down fails; an instance that is busy stays with its events off.
                let _ = fs::write(instance.join("events/enable"), "0");
                let _ = fs::remove_dir(&instance);
            })
        };
        let recorder = Self { instance, _instance: undo, _mount: mounted };
        recorder.write("tracing_on", "0")?;
        recorder.write("buffer_size_kb", &BUFFER_KIB.to_string())?;
        recorder.write("trace_clock", "mono")?;
        for event in EVENTS {
            let filter = format!("dev == {}", device.in_kernel());
            recorder.write(&format!("events/{event}/filter"), &filter)?;
            recorder.write(&format!("events/{event}/enable"), "1")?;
        }
        recorder.write("tracing_on", "1")?;
        Ok(recorder)
    }

    /// Writes a mark into the trace: one line that [`Recording::between`] finds again.
    ///
    /// # Errors
    /// The trace can't be written.
    pub fn mark(&self, text: &str) -> Result<(), CaptureError> {
        self.write("trace_marker", text)
    }

    /// What has happened since the start, or since the last call; recording goes on with an empty buffer.
    ///
    /// # Errors
    /// The trace can't be read, or not completely.
    pub fn take(&self) -> Result<Recording, CaptureError> {
        self.write("tracing_on", "0")?;
        let path = self.instance.join("trace");
        let text = fs::read(&path).map_err(|source| CaptureError::TraceFile { path, source })?;
        self.write("trace", "")?;
        self.write("tracing_on", "1")?;
        Recording::parse(&text)
    }

    fn write(&self, file: &str, text: &str) -> Result<(), CaptureError> {
        let path = self.instance.join(file);
        // Opening `trace` with truncation empties it; the other files of tracefs ignore truncation.
        fs::write(&path, text).map_err(|source| CaptureError::TraceFile { path, source })
    }
}

/// Where tracefs is mounted; mounts it, for as long as the guard lives, where it isn't.
pub(crate) fn reach_tracing() -> Result<(PathBuf, Option<Undo>), CaptureError> {
    match trace_directory() {
        Some(directory) => Ok((directory, None)),
        None => mount_privately().map(|(directory, undo)| (directory, Some(undo))),
    }
}

/// Mounts tracefs where nobody else looks.
fn mount_privately() -> Result<(PathBuf, Undo), CaptureError> {
    let number = INSTANCES.fetch_add(1, Ordering::Relaxed);
    let place = std::env::temp_dir().join(format!("petrio-tracing-{}-{number}", std::process::id()));
    let failed = |source| CaptureError::NoTraceFs { source };
    fs::create_dir(&place).map_err(failed)?;
    let undo = {
        let place = place.clone();
        Undo::new(move || take_down_mount(&place))
    };
    mount("tracefs", &place, "tracefs", MountFlags::empty(), None::<&std::ffi::CStr>)
        .map_err(|errno| failed(io::Error::from(errno)))?;
    Ok((place, undo))
}

fn take_down_mount(place: &Path) {
    // Detached, so that a file still open in it doesn't keep the name.
    let _ = unmount(place, UnmountFlags::DETACH);
    let _ = fs::remove_dir(place);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{JournalArea, requests_text};
    use super::*;

    const TRACE: &str = "\
# tracer: nop
#
# entries-in-buffer/entries-written: 8/8   #P:2
#
         petrio-24702   [001] .....  2.000000: tracing_mark_write: begin
         petrio-24702   [001] .....  2.000100: block_bio_queue: 7,0 WS 160 + 8 [petrio]
         petrio-24702   [001] .....  2.000200: block_rq_issue: 7,0 WS 4096 () 160 + 8 none,0,0 [petrio]
    jbd2/loop0-8-24     [000] .....  2.000300: block_rq_issue: 7,0 WSM 16384 () 80000 + 32 none,0,0 [jbd2/loop0-8]
    jbd2/loop0-8-24     [000] .....  2.000400: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/0:1H]
    jbd2/loop0-8-24     [000] .....  2.000500: block_rq_issue: 7,0 WSM 4096 () 80032 + 8 none,0,0 [kworker/0:1H]
    jbd2/loop0-8-24     [000] .....  2.000600: jbd2_run_stats: dev 7,0 tid 3 wait 0 request_delay 0 running 0 locked 0 flushing 0 logging 0 handle_count 2 blocks 3 blocks_logged 5
         petrio-24702   [001] .....  2.000700: tracing_mark_write: end
";

    #[test]
    fn between_two_marks_lie_the_requests_of_one_operation() {
        let operation = Recording::parse(TRACE.as_bytes()).unwrap().between("begin", "end");
        let journal = JournalArea::new([(80_000, 90_000)]);
        assert_eq!(requests_text(operation.issued(), &journal), "W4D W16J F W4J");
        assert_eq!(operation.commits().map(|commit| commit.blocks_logged).collect::<Vec<_>>(), [5]);
        assert_eq!(operation.events.len(), 6);
        assert!(operation.between("end", "begin").events.is_empty());
    }

    #[test]
    fn a_trace_with_gaps_is_refused() {
        let lost = TRACE.replace("8/8", "8/20");
        assert!(matches!(Recording::parse(lost.as_bytes()), Err(CaptureError::Lost { lost: 12 })));
        let garbled = TRACE.replace("80032 + 8", "80032 +");
        assert!(matches!(
            Recording::parse(garbled.as_bytes()),
            Err(CaptureError::Unreadable { count: 1, .. })
        ));
    }
}
