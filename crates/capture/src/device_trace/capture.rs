//! The recording itself: it listens until a command ends, time is over or somebody interrupts, and writes requests as
//! they are over.

use super::device::Device;
use super::requests::{MatchCounts, Matcher, Request};
use crate::file_trace::Subject;
use crate::recorder::CaptureError;
use crate::recorder::catalogue::{REQUESTS, Scope};
use crate::recorder::command;
use crate::recorder::interrupt::{is_ending, while_running};
use crate::recorder::kernel_event::ThreadName;
use crate::recorder::listener::{Listener, Wanted, monotonic_ns, unix_ns};
use crate::recorder::machine::machine_in_words;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use petrio_time::Time;
use petrio_trace::TraceError;
use petrio_trace::event::{Event, EventKind, Extent};
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often the buffers are read.
const TURN: Duration = Duration::from_millis(50);

/// How long the device's last requests are waited for, so that they get their end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Processes whose names are told; a load that makes more says little by them.
const NAMES_MAX: usize = 4_096;

const SECTOR_BYTES: u64 = 512;

/// What is recorded, and where to.
#[derive(Clone, Debug)]
pub struct DeviceCapture {
    /// The device, or a file or folder on it.
    pub device: PathBuf,
    /// For how long: while a command runs, or for a time.
    pub subject: Subject,
    /// The trace's file, which is for this user alone.
    pub out: PathBuf,
    /// Its format.
    pub format: OutputFormat,
    /// A line on what was recorded; none where it is empty.
    pub title: String,
    /// Buffer for each processor, in KiB.
    pub buffer_kib: u32,
}

/// How it went.
#[derive(Clone, Debug)]
pub struct DeviceCaptureSummary {
    /// The device.
    pub device: String,
    /// Requests in the trace.
    pub requests: u64,
    /// Events of the kernel that were lost, at least: the trace has holes.
    pub lost: u64,
    /// What could not be used.
    pub tally: MatchCounts,
    /// From the beginning to the end of what was recorded.
    pub run_time: Duration,
    /// How the command ended.
    pub status: Option<ExitStatus>,
    /// What to know of this trace, a line each.
    pub notes: Vec<String>,
}

/// Records. `tell` hears now and then how many requests there are.
///
/// # Errors
/// Nothing that can be recorded, no tracing for this user on this machine, a command that can't be started, a trace
/// that can't be written or that would be empty.
pub fn capture(
    parameters: &DeviceCapture,
    tell: impl FnMut(u64),
) -> Result<DeviceCaptureSummary, CaptureError> {
    while_running(|| capture_now(parameters, tell))
}

fn capture_now(
    parameters: &DeviceCapture,
    tell: impl FnMut(u64),
) -> Result<DeviceCaptureSummary, CaptureError> {
    let device = Device::of(&parameters.device)?;
    let wanted = Wanted {
        scopes: &[Scope::Machine],
        events: &REQUESTS,
        devices: &device.numbers,
        buffer_kib: parameters.buffer_kib,
    };
    let listener = Listener::set_up(&wanted, |_| Ok(()))?.needs_all()?;
    let mut notes = Vec::new();
    if device.holds(&parameters.out) {
        notes.push(
            "the trace lies on the device that was recorded, so its own writes may be in it".to_owned(),
        );
    }
    let origin_ns = monotonic_ns();
    let output = Output::begin(parameters, &device, origin_ns)?;
    let mut recording = Recording { listener, matcher: Matcher::default(), output, tell };
    let status = match &parameters.subject {
        Subject::Command(words) => recording.run_command(words)?,
        Subject::System(time) => {
            recording.listener.switch_on()?;
            // Nobody ends but by time or an interrupt.
            let (_keep, never) = channel::<()>();
            recording.until(&never, *time)?;
            None
        }
    };
    let run_time = Duration::from_nanos(monotonic_ns() - origin_ns);
    recording.wait_until_idle(&device)?;
    recording.listener.switch_off();
    recording.turn(true)?;
    let Recording { listener, matcher, output, .. } = recording;
    let (lost, requests) = (listener.lost(), output.requests);
    // Before the trace is made durable, which is this process's own doing.
    drop(listener);
    let tally = MatchCounts { outside: output.outside, ..matcher.tally };
    if requests == 0 {
        return Err(CaptureError::Nothing { device: device.name });
    }
    output.finish(lost)?;
    Ok(DeviceCaptureSummary { device: device.name, requests, lost, tally, run_time, status, notes })
}

struct Recording<Tell> {
    listener: Listener,
    matcher: Matcher,
    output: Output,
    tell: Tell,
}

impl<Tell: FnMut(u64)> Recording<Tell> {
    fn run_command(&mut self, words: &[std::ffi::OsString]) -> Result<Option<ExitStatus>, CaptureError> {
        let started = command::prepare(words)?;
        self.listener.switch_on()?;
        started.go();
        match self.until(&started.ended, None)? {
            Some(status) => {
                started.join();
                status.map(Some)
            }
            // Interrupted: the command ends too, by this or with this process, and isn't waited for.
            None => {
                started.end();
                Ok(None)
            }
        }
    }

    /// Reads until the command ends, time is over or somebody interrupts.
    fn until<T>(&mut self, ended: &Receiver<T>, time: Option<Duration>) -> Result<Option<T>, CaptureError> {
        let end = time.map(|time| Instant::now() + time);
        loop {
            let left = end.map_or(TURN, |end| end.saturating_duration_since(Instant::now()).min(TURN));
            match ended.recv_timeout(left) {
                Ok(ended) => return Ok(Some(ended)),
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_ending() || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
            self.turn(false)?;
        }
    }

    /// Waits until the device has nothing in flight.
    fn wait_until_idle(&mut self, device: &Device) -> Result<(), CaptureError> {
        let end = Instant::now() + PATIENCE;
        while !device.is_idle() && Instant::now() < end {
            std::thread::sleep(TURN);
            self.turn(false)?;
        }
        Ok(())
    }

    fn turn(&mut self, is_last: bool) -> Result<(), CaptureError> {
        let (matcher, output) = (&mut self.matcher, &mut self.output);
        let mut outcome = Ok(());
        let mut hand_on = |request: Request| {
            if outcome.is_ok() {
                outcome = output.push(&request);
            }
        };
        self.listener.drain(monotonic_ns(), is_last, |event| matcher.take(&event, &mut hand_on))?;
        if is_last {
            matcher.end(&mut hand_on);
        }
        (self.tell)(output.requests);
        outcome.map_err(CaptureError::from)
    }
}

/// The trace.
struct Output {
    writer: TraceWriter,
    /// What of the disk belongs to the device.
    first: u64,
    sectors: u64,
    device: u32,
    origin_ns: u64,
    requests: u64,
    outside: u64,
    /// Threads whose names were told.
    named: FxHashSet<u32>,
}

impl Output {
    fn begin(parameters: &DeviceCapture, device: &Device, origin_ns: u64) -> Result<Self, CaptureError> {
        let command = match &parameters.subject {
            Subject::Command(words) => {
                words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
            }
            Subject::System(_) => format!("requests to {}", device.name),
        };
        let about = About {
            origin_unix_ns: Some(unix_ns()),
            machine: machine_in_words(),
            command,
            ..About::default()
        };
        // Others may not learn what this device was asked for, and by whom.
        let whole = WholeFile::private(&parameters.out, &Inputs::none()).map_err(|source| {
            TraceError::Write { name: parameters.out.to_string_lossy().into(), source: Box::new(source) }
        })?;
        let mut writer = TraceWriter::into_file(whole, parameters.format, &about)?;
        if !parameters.title.trim().is_empty() {
            writer.note(parameters.title.clone())?;
        }
        let (first, sectors) = (device.first, device.sectors);
        let named = FxHashSet::default();
        Ok(Self { writer, first, sectors, device: device.number, origin_ns, requests: 0, outside: 0, named })
    }

    fn push(&mut self, request: &Request) -> Result<(), TraceError> {
        let address = match request.direction {
            petrio_colours::Direction::Flush => 0,
            _ => {
                let address = request.sector.checked_sub(self.first);
                let inside =
                    address.filter(|address| address.saturating_add(request.sectors) <= self.sectors);
                let Some(address) = inside else {
                    self.outside += 1;
                    return Ok(());
                };
                address
            }
        };
        self.name(request.asker.thread, request.asker.name)?;
        let mut event = Event::new(self.time(request.arrival_ns), EventKind::Queue);
        event.process = request.asker.thread;
        event.length = request.sectors.saturating_mul(SECTOR_BYTES);
        event.service = Some(Time::from_nanos(request.completion_ns.saturating_sub(request.arrival_ns)));
        event.error = request.error;
        event.direction = Some(request.direction);
        event.synchronous = request.synchronous;
        event.force_unit_access = request.force_unit_access;
        event.metadata = request.metadata;
        let blocks = u32::try_from(request.sectors).unwrap_or(u32::MAX);
        event.extents.push(Extent { device: self.device, address, blocks, hit: false });
        self.requests += 1;
        self.writer.push(&event)
    }

    /// Tells a thread's name when it is met first.
    fn name(&mut self, thread: u32, name: ThreadName) -> Result<(), TraceError> {
        if self.named.len() >= NAMES_MAX || !self.named.insert(thread) {
            return Ok(());
        }
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        if name.is_empty() {
            Ok(())
        } else {
            self.writer.note(format!("process {thread}: {}", String::from_utf8_lossy(name)))
        }
    }

    /// In the trace's own time.
    fn time(&self, time_ns: u64) -> Time {
        Time::from_nanos(time_ns.saturating_sub(self.origin_ns))
    }

    fn finish(mut self, lost: u64) -> Result<(), TraceError> {
        self.writer.set_lost(lost);
        self.writer.finish().map(drop)
    }
}
