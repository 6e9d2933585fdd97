//! A time line of one run in the Chrome trace format, for ui.perfetto.dev.
//!
//! Each device is a process with two groups of tracks: `queue`, where requests wait, and `service`, where each request
//! is a slice that holds a slice a cause (overhead, seek, rotation, transfer, bus) in the order in which a request
//! meets them. Of file operations, each process of the workload is one, and its operations are slices that hold a slice
//! a cause (system call, page cache, copy, device reads …). Slices of one track never overlap: a request takes the
//! first track of its group that is free since before it began, so there are as many tracks as requests were in flight
//! together. Format: "Trace Event Format" (the Chromium project), complete events (`"ph":"X"`), times in microseconds.
//!
//! Left out: the moments at which a cause began more than once. A ledger holds sums, so two seeks of one request are
//! drawn as one.

use crate::report::error::ReportError;
use crate::report::sink::RequestSink;
use crate::report::subject::Reported;
use crate::report::whole_file::WholeFile;
use petrio_colours::{BlockRequest, Cause, Causes, FileOp};
use petrio_kernel::Time;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::Path;

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

/// Writes slices as requests complete.
pub struct PerfettoTrace<R = BlockRequest> {
    file: Option<WholeFile>,
    lanes: Vec<String>,
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

impl<R: Timeline> PerfettoTrace<R> {
    /// Begins the file. `lanes` are the names of the devices (or of the processes, for file operations), by number.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn create(path: &Path, lanes: Vec<String>) -> Result<Self, ReportError> {
        let mut file = WholeFile::create(path)?;
        file.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")
            .map_err(|cause| ReportError::write(path, cause))?;
        Ok(Self { file: Some(file), lanes, tracks: BTreeMap::new(), first: true, colour: PhantomData })
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
        let mut here = began;
        for cause in R::Cause::ALL.iter().copied().filter(|&cause| R::is_service(cause)) {
            // A cause that overlaps others can't be drawn beyond the end of its request.
            let span = request.ledger().of(cause).min(at - here);
            if span > Time::ZERO {
                events.slice(number, cause.name(), here, span, None)?;
                here += span;
            }
        }
        Ok(())
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

/// Exact decimal microseconds.
fn microseconds(time: Time) -> String {
    let ps = time.as_picos();
    format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000)
}

impl<R: Timeline> RequestSink<R> for PerfettoTrace<R> {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        self.write(request, at).map_err(|cause| match &self.file {
            Some(file) => ReportError::write(file.path(), cause),
            None => ReportError::write(Path::new(""), cause),
        })
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
    use serde_json::Value;

    #[test]
    fn slices_of_a_track_nest_or_follow_each_other_and_names_are_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.json");
        let mut trace = PerfettoTrace::create(&path, vec!["disk \"0\"".to_owned()]).unwrap();
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
}
