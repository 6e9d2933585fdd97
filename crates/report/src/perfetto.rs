//! A time line of one run in the Chrome trace format, for ui.perfetto.dev.
//!
//! Each device is a process with two groups of tracks: `queue`, where requests wait, and `service`, where each request
//! is a slice that holds a slice a cause (overhead, seek, rotation, transfer, bus) in the order in which a request
//! meets them. Of file operations, each process of the workload is one, and its operations are slices that hold a slice
//! a cause (system call, page cache, copy, device reads …); beside them each device has tracks with the requests that
//! reached it, each with what it is for. Slices of one track never overlap: a request takes the
//! first track of its group that is free since before it began, so there are as many tracks as requests were in flight
//! together. Format: "Trace Event Format" (the Chromium project), complete events (`"ph":"X"`), times in microseconds.
//!
//! Left out: the moments at which a cause began more than once. A ledger holds sums, so two seeks of one request are
//! drawn as one.

use crate::error::ReportError;
use crate::sink::{DeviceSink, RequestSink};
use crate::subject::Reported;
use crate::whole_file::WholeFile;
use petrio_colours::{BlockRequest, Cause, Causes, FileOp, Ledger};
use petrio_engine::Visit;
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_models::host::kernel_thread;
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A colour whose requests can be drawn on a time line.
pub trait Timeline: Reported {
    /// What a process of the drawing is, where it has no name.
    const LANE: &'static str;
    /// The tracks on which requests are served.
    const GROUP: &'static str;

    /// Which process of the drawing it belongs to.
    fn lane(&self) -> u32;

    /// What it waited for before it was served.
    fn waited(&self) -> Time;

    /// Whether a cause is drawn within the slice of its service.
    fn is_service(cause: Self::Cause) -> bool;

    /// What is shown when it is selected, as a JSON object.
    fn arguments(&self) -> String;
}

impl Timeline for BlockRequest {
    const LANE: &'static str = "device";
    const GROUP: &'static str = "service";

    fn lane(&self) -> u32 {
        self.device
    }

    fn waited(&self) -> Time {
        self.ledger.of(Cause::Queue)
    }

    fn is_service(cause: Cause) -> bool {
        cause != Cause::Queue
    }

    fn arguments(&self) -> String {
        format!(
            "{{\"request\":{},\"process\":{},\"address\":{},\"blocks\":{}}}",
            self.id.0, self.process, self.address, self.blocks
        )
    }
}

impl Timeline for FileOp {
    const LANE: &'static str = "process";
    const GROUP: &'static str = "operations";

    fn lane(&self) -> u32 {
        self.process
    }

    fn waited(&self) -> Time {
        Time::ZERO
    }

    fn is_service(_: petrio_colours::FileCause) -> bool {
        true
    }

    fn arguments(&self) -> String {
        format!(
            "{{\"operation\":{},\"file_system\":{},\"file\":{},\"offset\":{},\"length\":{}}}",
            self.id.0, self.file_system, self.file.0, self.offset, self.length
        )
    }
}

/// Writes slices as requests complete, and as they leave the devices.
pub struct PerfettoTrace<R = BlockRequest> {
    file: Option<WholeFile>,
    lanes: Vec<String>,
    devices: Vec<String>,
    tracks: BTreeMap<u32, Tracks>,
    first: bool,
    colour: PhantomData<fn(R)>,
}

/// When each track of a device is free again.
#[derive(Default)]
struct Tracks {
    queue: Vec<Time>,
    service: Vec<Time>,
}

/// Track numbers of the service group begin here.
const SERVICE: usize = 1_000_000;
/// The numbers of devices begin here, behind all processes and parts that are asked.
const DEVICES: u32 = 1 << 30;

impl<R: Timeline> PerfettoTrace<R> {
    /// Begins the file, in the place of none of those `inputs`. `lanes` are the names of the parts that are asked (or of
    /// the processes, for file operations), by number; `devices` are those of the devices whose requests are told apart from these.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(
        (path, inputs): (&Path, &Inputs),
        lanes: Vec<String>,
        devices: Vec<String>,
    ) -> Result<Self, ReportError> {
        let mut file = WholeFile::create(path, inputs)?;
        file.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")
            .map_err(|cause| ReportError::write(path, cause))?;
        Ok(Self {
            file: Some(file),
            lanes,
            devices,
            tracks: BTreeMap::new(),
            first: true,
            colour: PhantomData,
        })
    }

    fn write(&mut self, request: &R, at: Time) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let lane = request.lane();
        let mut events = Events { file, first: &mut self.first, lane };
        let tracks = self.tracks.entry(lane).or_default();
        if tracks.queue.is_empty() && tracks.service.is_empty() {
            let unnamed = format!("{} {lane}", R::LANE);
            events.process(self.lanes.get(lane as usize).unwrap_or(&unnamed))?;
        }
        let issued = request.issued();
        let waited = request.waited().min(at - issued);
        let began = issued + waited;
        let name = R::KINDS[request.kind()].name;
        let arguments = request.arguments();
        if waited > Time::ZERO {
            let track = free_track(&mut tracks.queue, issued, began);
            if track.is_new {
                events.track(track.number, "queue")?;
            }
            events.slice(track.number, name, issued, waited, Some(&arguments))?;
        }
        let track = free_track(&mut tracks.service, began, at);
        let number = SERVICE + track.number;
        if track.is_new {
            events.track(number, R::GROUP)?;
        }
        events.slice(number, name, began, at - began, Some(&arguments))?;
        events.causes(number, request.ledger(), R::is_service, (began, at))
    }

    /// Draws a request at a device.
    fn visit(&mut self, visit: &Visit) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let Visit { device, request, arrived, completed, spent } = visit;
        // What never came back has no length.
        let Some(completed) = *completed else { return Ok(()) };
        let lane = DEVICES + as_number(*device);
        let mut events = Events { file, first: &mut self.first, lane };
        let tracks = self.tracks.entry(lane).or_default();
        if tracks.service.is_empty() {
            let unnamed = format!("device {device}");
            events.process(&format!("requests at {}", self.devices.get(*device).unwrap_or(&unnamed)))?;
        }
        let track = free_track(&mut tracks.service, *arrived, completed);
        if track.is_new {
            events.track(track.number, "requests")?;
        }
        let name = format!("{} {}", BlockRequest::KINDS[request.kind()].name, request.purposes);
        let who = match kernel_thread(request.process) {
            Some(thread) => format!("\"{thread}\""),
            None => request.process.to_string(),
        };
        let arguments =
            format!("{{\"process\":{who},\"address\":{},\"blocks\":{}}}", request.address, request.blocks);
        events.slice(track.number, &name, *arrived, completed - *arrived, Some(&arguments))?;
        events.causes(track.number, spent, |_| true, (*arrived, completed))
    }

    fn told(&self, written: io::Result<()>) -> Result<(), ReportError> {
        written.map_err(|cause| {
            ReportError::write(self.file.as_ref().map_or(Path::new(""), WholeFile::path), cause)
        })
    }
}

struct Track {
    number: usize,
    is_new: bool,
}

fn free_track(free_since: &mut Vec<Time>, from: Time, to: Time) -> Track {
    match free_since.iter().position(|&free| free <= from) {
        Some(number) => {
            free_since[number] = to;
            Track { number, is_new: false }
        }
        None => {
            free_since.push(to);
            Track { number: free_since.len() - 1, is_new: true }
        }
    }
}

/// Writes events with the commas between them.
struct Events<'f> {
    file: &'f mut WholeFile,
    first: &'f mut bool,
    lane: u32,
}

impl Events<'_> {
    fn comma(&mut self) -> io::Result<()> {
        let comma: &[u8] = if std::mem::take(self.first) { b"\n" } else { b",\n" };
        self.file.write_all(comma)
    }

    fn process(&mut self, name: &str) -> io::Result<()> {
        self.comma()?;
        let name = serde_json::Value::from(name);
        write!(
            self.file,
            r#"{{"ph":"M","name":"process_name","pid":{},"args":{{"name":{name}}}}}"#,
            self.lane
        )
    }

    fn track(&mut self, track: usize, group: &str) -> io::Result<()> {
        let number = track % SERVICE;
        let name = if number == 0 { group.to_owned() } else { format!("{group} {}", number + 1) };
        let lane = self.lane;
        self.comma()?;
        write!(
            self.file,
            r#"{{"ph":"M","name":"thread_name","pid":{lane},"tid":{track},"args":{{"name":"{name}"}}}}"#
        )?;
        self.comma()?;
        write!(
            self.file,
            r#"{{"ph":"M","name":"thread_sort_index","pid":{lane},"tid":{track},"args":{{"sort_index":{track}}}}}"#
        )
    }

    /// Where the time of a request went, as slices within its own.
    fn causes<C: Causes>(
        &mut self,
        track: usize,
        ledger: &Ledger<C>,
        is_shown: impl Fn(C) -> bool,
        (began, ended): (Time, Time),
    ) -> io::Result<()> {
        let mut here = began;
        for cause in C::ALL.iter().copied().filter(|&cause| is_shown(cause)) {
            // A cause that overlaps others can't be drawn beyond the end of its request.
            let span = ledger.of(cause).min(ended - here);
            if span > Time::ZERO {
                self.slice(track, cause.name(), here, span, None)?;
                here += span;
            }
        }
        Ok(())
    }

    fn slice(
        &mut self,
        track: usize,
        name: &str,
        at: Time,
        span: Time,
        arguments: Option<&str>,
    ) -> io::Result<()> {
        self.comma()?;
        let (at, span) = (microseconds(at), microseconds(span));
        let lane = self.lane;
        write!(self.file, r#"{{"ph":"X","name":"{name}","pid":{lane},"tid":{track},"ts":{at},"dur":{span}"#)?;
        match arguments {
            Some(arguments) => write!(self.file, ",\"args\":{arguments}}}"),
            None => self.file.write_all(b"}"),
        }
    }
}

/// A time line that hears of requests and of devices.
pub(super) struct Shared<R>(Arc<Mutex<PerfettoTrace<R>>>);

impl<R: Timeline> Shared<R> {
    pub(super) fn new(trace: PerfettoTrace<R>) -> Self {
        Self(Arc::new(Mutex::new(trace)))
    }

    /// The same time line.
    pub(super) fn again(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    fn trace(&self) -> MutexGuard<'_, PerfettoTrace<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Timeline> RequestSink<R> for Shared<R> {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        self.trace().completed(request, at)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// Of the two it is told last that there is no more.
impl<R: Timeline> DeviceSink for Shared<R> {
    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        let mut trace = self.trace();
        let written = trace.visit(visit);
        trace.told(written)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        self.trace().finish()
    }
}

/// Exact decimal microseconds.
fn microseconds(time: Time) -> String {
    let ps = time.as_picos();
    format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000)
}

impl<R: Timeline> RequestSink<R> for PerfettoTrace<R> {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        let written = self.write(request, at);
        self.told(written)
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        match file.write_all(b"\n]}\n") {
            Ok(()) => file.finish(),
            Err(cause) => Err(ReportError::write(file.path(), cause)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::Purpose;
    use serde_json::Value;

    #[test]
    fn slices_of_a_track_nest_or_follow_each_other_and_names_are_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let mut trace =
            PerfettoTrace::create((&path, &Inputs::none()), vec!["disk \"0\"".to_owned()], Vec::new())
                .unwrap();
        // Three requests issued together and served one after the other, 4 ms each.
        for n in 0..3u64 {
            let mut request = BlockRequest { blocks: 8, ..BlockRequest::default() };
            request.ledger.charge(Cause::Queue, Time::from_millis(4 * n));
            request.ledger.charge(Cause::Seek, Time::from_millis(3));
            request.ledger.charge(Cause::Transfer, Time::from_millis(1));
            trace.completed(&request, Time::from_millis(4 * n + 4)).unwrap();
        }
        trace.finish().unwrap();
        let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let name = events.iter().find(|event| event["name"] == "process_name").unwrap();
        assert_eq!(name["args"]["name"], "disk \"0\"");
        let slices: Vec<(u64, f64, f64)> = events
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|event| {
                let (at, span) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
                (event["tid"].as_u64().unwrap(), at, at + span)
            })
            .collect();
        assert_eq!(slices.len(), 2 + 3 * 3);
        for (n, a) in slices.iter().enumerate() {
            for b in slices.iter().skip(n + 1).filter(|b| b.0 == a.0) {
                let apart = a.2 <= b.1 || b.2 <= a.1;
                let nested = (a.1 <= b.1 && b.2 <= a.2) || (b.1 <= a.1 && a.2 <= b.2);
                assert!(apart || nested, "{a:?} {b:?}");
            }
        }
        let queues = events.iter().filter(|e| {
            e["name"] == "thread_name" && e["args"]["name"].as_str().unwrap().starts_with("queue")
        });
        assert_eq!(queues.count(), 2, "two requests waited at the same time");
    }

    #[test]
    fn devices_have_tracks_of_their_own_beside_those_of_processes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let mut sinks = crate::Sinks::default();
        let parts = ["d0".to_owned(), "r".to_owned()];
        sinks.push_timeline(crate::Subject::FileOperations, (&path, &Inputs::none()), &parts, 1).unwrap();
        sinks.completed(&FileOp { process: 3, ..FileOp::default() }, Time::from_millis(9)).unwrap();
        // Two that overlap, and one that never came back.
        for (n, process) in [(0, u32::MAX - 2), (1, 5), (2, 5)] {
            let request =
                BlockRequest { process, purposes: Purpose::Journal.into(), ..BlockRequest::default() };
            let mut spent = Ledger::default();
            spent.charge(Cause::Seek, Time::from_millis(4));
            let arrived = Time::from_millis(n);
            let completed = (n < 2).then(|| arrived + spent.total());
            sinks.visited(&Visit { device: 0, request, arrived, completed, spent }).unwrap();
        }
        sinks.finish().unwrap();
        let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let names: Vec<&str> = events
            .iter()
            .filter(|event| event["name"] == "process_name")
            .map(|event| event["args"]["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["process 3", "requests at d0"]);
        let journal: Vec<&Value> = events.iter().filter(|event| event["name"] == "read journal").collect();
        assert_eq!(journal.len(), 2);
        assert_ne!(journal[0]["tid"], journal[1]["tid"]);
        assert_eq!(journal[0]["args"]["process"], "journal");
        assert_eq!(journal[1]["args"]["process"], 5);
        assert_eq!(events.iter().filter(|event| event["name"] == "seek").count(), 2);
    }
}
