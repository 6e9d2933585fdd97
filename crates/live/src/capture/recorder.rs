//! A trace instance that listens to one device.

use super::error::CaptureError;
use super::event::{BlockAccess, Commit, DeviceNumber, Event, Happening, Line};
use crate::leftovers::{MOUNT, TRACE_INSTANCE};
use crate::undo::Undo;
use petrio_files::under_way::random_name;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, UnmountFlags, fsconfig_create, fsmount, fsopen,
    mount, unmount,
};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Where tracefs is found where it is mounted.
const USUAL_PLACES: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// What is listened to, each filtered by device.
const EVENTS: [&str; 4] =
    ["block/block_bio_queue", "block/block_rq_issue", "block/block_rq_complete", "jbd2/jbd2_run_stats"];

/// KiB a processor: about 100,000 events. A recording that needs more says so by what it lost.
const BUFFER_KIB: u32 = 8_192;

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
    _mount: Option<Reach>,
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
        let (instance, undo) = make_instance(&tracing, &format!("petrio-{}", random_name()))
            .map_err(|(path, source)| CaptureError::TraceFile { path, source })?;
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

/// What keeps tracefs within reach where it isn't mounted.
#[derive(Debug)]
pub(crate) enum Reach {
    /// A mount that has no place in the tree: it goes with this process, however that ends.
    Detached { _mount: OwnedFd },
    /// A mount on a directory of its own, on a kernel before 5.2.
    Mounted { _undo: Undo },
}

/// Where tracefs is mounted; reaches it, for as long as the guard lives, where it isn't.
pub(crate) fn reach_tracing() -> Result<(PathBuf, Option<Reach>), CaptureError> {
    if let Some(directory) = trace_directory() {
        return Ok((directory, None));
    }
    if let Ok(mount) = mount_nowhere() {
        let directory = PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd()));
        return Ok((directory, Some(Reach::Detached { _mount: mount })));
    }
    mount_privately()
        .map(|(directory, undo)| (directory, Some(Reach::Mounted { _undo: undo })))
        .map_err(|source| CaptureError::NoTraceFs { source })
}

fn mount_nowhere() -> rustix::io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(context.as_fd())?;
    fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

/// Mounts tracefs where nobody else looks.
fn mount_privately() -> io::Result<(PathBuf, Undo)> {
    let place = std::env::temp_dir().join(format!("petrio-tracing-{}", random_name()));
    let make = || {
        fs::create_dir(&place)?;
        Ok(mount("tracefs", &place, "tracefs", MountFlags::empty(), None::<&std::ffi::CStr>)?)
    };
    let undo = |place: &Path| {
        // Detached, so that a file still open in it doesn't keep the name.
        let _ = unmount(place, UnmountFlags::DETACH);
        fs::remove_dir(place).is_ok()
    };
    let made: io::Result<((), Undo)> = Undo::recorded(MOUNT, &place, make, undo);
    made.map(|((), undo)| (place, undo))
}

/// Makes a trace instance; its folder, for as long as the guard lives, or which folder can't be made and why.
pub(crate) fn make_instance(tracing: &Path, name: &str) -> Result<(PathBuf, Undo), (PathBuf, io::Error)> {
    let path = tracing.join("instances").join(name);
    let make = || fs::create_dir(&path).map_err(|source| (path.clone(), source));
    let undo = {
        let path = path.clone();
        move |_: &Path| remove_instance(&path).is_ok()
    };
    // Where it is reached by this process is nothing to any other.
    let usual = Path::new(USUAL_PLACES[0]).join("instances").join(name);
    let ((), undo) = Undo::recorded(TRACE_INSTANCE, &usual, make, undo)?;
    Ok((path, undo))
}

/// Removes an instance; whether it was there. One that is busy stays with its events off.
fn remove_instance(path: &Path) -> io::Result<bool> {
    if !path.is_dir() {
        return Ok(false);
    }
    let _ = fs::write(path.join("tracing_on"), "0");
    let _ = fs::write(path.join("events/enable"), "0");
    for _ in 0..50 {
        match fs::remove_dir(path) {
            // A process that is ending has its buffers open for a moment.
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            outcome => return outcome.map(|()| true),
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Clears a trace instance that was left.
pub(crate) fn clear_instance(usual: &Path) -> io::Result<bool> {
    let (tracing, _reach) = reach_tracing().map_err(io::Error::other)?;
    let name = usual.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    remove_instance(&tracing.join("instances").join(name))
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
