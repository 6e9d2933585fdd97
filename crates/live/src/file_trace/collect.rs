//! The capture itself: two trace instances are switched on, read and joined until the end, and the trace is written.

use super::command;
use super::error::FileTraceError;
use super::join::{Counts, Joiner};
use super::names::walk;
use super::output::{Output, Rotation};
use super::proc::{self, Look};
use super::tracefs::catalogue::{Listened, Meaning, Scope, listened};
use super::tracefs::decode::Decoder;
use super::tracefs::instance::{Instance, remove_left_behind};
use super::tracefs::page::PageLayout;
use super::tracefs::stream::Stream;
use crate::undo::Undo;
use petrio_kernel::Time;
use petrio_workload::trace::native::About;
use rustc_hash::FxHashSet;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Whose calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Those of a command and of all its children, until it ends.
    Command(Vec<OsString>),
    /// Everybody's, for so long or until it is interrupted.
    System(Option<Duration>),
}

/// What is captured, and where to.
#[derive(Clone, Debug)]
pub struct CaptureParameters {
    /// Whose calls.
    pub subject: Subject,
    /// The trace's file; with a rotation, the pattern of their names.
    pub out: PathBuf,
    /// Whether every call is kept; otherwise what Ivy kept.
    pub full: bool,
    /// When a new file begins.
    pub rotation: Option<Rotation>,
    /// Folders whose files' names are looked for, beside those that the capture itself meets.
    pub names: Vec<PathBuf>,
    /// Buffer for each processor and instance, in KiB.
    pub buffer_kib: u32,
}

/// KiB for each processor and each of the two instances: half a second of 500,000 events a second of 60 bytes.
pub const BUFFER_KIB: u32 = 16 << 10;

/// How a capture went.
#[derive(Clone, Debug)]
pub struct CaptureSummary {
    /// The trace's files.
    pub files: Vec<PathBuf>,
    /// Events in them.
    pub events: u64,
    /// Events of the kernel that were lost, at least.
    pub lost: u64,
    /// What was seen.
    pub counts: Counts,
    /// Processor time that it took to set up: clearing the buffers' memory, looking at folders and processes.
    pub set_up_time: Duration,
    /// Processor time of the collector after that, writing the trace and looking for names included.
    pub processor_time: Duration,
    /// From the beginning to the end of what was captured.
    pub run_time: Duration,
    /// How the command ended.
    pub status: Option<ExitStatus>,
    /// What this trace lacks and why, a line each.
    pub notes: Vec<String>,
}

/// How often the buffers are read while little happens: rarely enough to find whole pages, often enough for what /proc shows
/// to be of use.
const TURN: Duration = Duration::from_millis(100);
/// And while much happens: when a turn found more than a sixteenth of a buffer.
const QUICK_TURN: Duration = Duration::from_millis(20);
const MUCH: u64 = 16;
/// How long an event waits for what isn't known of it.
const PATIENCE_NS: u64 = 20_000_000_000;
/// How long folders are walked for names, before and after.
const WALK_BEFORE: Duration = Duration::from_secs(2);
const WALK_AFTER: Duration = Duration::from_secs(20);

/// Whether a capture runs, and whether it is to end now.
static RUNNING: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicBool = AtomicBool::new(false);

/// For a signal's handler: ends a running capture, which then completes its trace. False where none runs, or where it was told
/// already.
pub fn interrupt() -> bool {
    RUNNING.load(Ordering::SeqCst) && !ENDING.swap(true, Ordering::SeqCst)
}

/// Whether somebody wants it to end.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// While this runs, [`interrupt`] asks it to end instead of ending the process.
pub(crate) fn while_running<T>(run: impl FnOnce() -> T) -> T {
    ENDING.store(false, Ordering::SeqCst);
    RUNNING.store(true, Ordering::SeqCst);
    let result = run();
    RUNNING.store(false, Ordering::SeqCst);
    result
}

fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

fn nanoseconds(time: rustix::time::Timespec) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Processor time of this process so far.
pub(crate) fn processor_time() -> Duration {
    Duration::from_nanos(nanoseconds(clock_gettime(ClockId::ProcessCPUTime)))
}

/// Captures.
///
/// # Errors
/// No tracing for this user on this machine; a command that can't be started; a trace that can't be written.
pub fn capture(parameters: &CaptureParameters) -> Result<CaptureSummary, FileTraceError> {
    if cfg!(target_endian = "big") {
        let reason = "its records are read on little-endian machines only".to_owned();
        return Err(FileTraceError::NoTracing { reason });
    }
    while_running(|| capture_now(parameters))
}

fn capture_now(parameters: &CaptureParameters) -> Result<CaptureSummary, FileTraceError> {
    let used_before = processor_time();
    let mut collector = Collector::set_up(parameters)?;
    let status = match &parameters.subject {
        Subject::Command(command) => Some(collector.run_command(command)?),
        Subject::System(time) => {
            collector.run_system(*time)?;
            None
        }
    };
    let run_time = collector.run_time;
    collector.finish()?;
    Ok(CaptureSummary {
        files: collector.output.complete,
        events: collector.output.events,
        lost: collector.stream.lost,
        counts: collector.joiner.counts,
        set_up_time: collector.set_up_at.saturating_sub(used_before),
        processor_time: processor_time().saturating_sub(collector.set_up_at),
        run_time,
        status,
        notes: collector.notes,
    })
}

struct Collector {
    decoder: Decoder,
    stream: Stream,
    joiner: Joiner,
    output: Output,
    traced: Instance,
    machine: Instance,
    _mount: Option<Undo>,
    origin_ns: u64,
    /// Processor time when all was set up.
    set_up_at: Duration,
    run_time: Duration,
    buffer_bytes: u64,
    lost_seen: u64,
    looked_at: FxHashSet<(usize, (u32, u32))>,
    folders: Vec<PathBuf>,
    notes: Vec<String>,
}

impl Collector {
    fn set_up(parameters: &CaptureParameters) -> Result<Self, FileTraceError> {
        let (tracing, mount) = crate::capture::reach_tracing()?;
        if !tracing.join("events/syscalls/sys_enter_read").is_dir() {
            let reason = "it has no events of system calls here, or this user may not see them".to_owned();
            return Err(FileTraceError::NoTracing { reason });
        }
        let mut notes = Vec::new();
        let left_behind = remove_left_behind(&tracing);
        if left_behind > 0 {
            notes.push(format!("{left_behind} trace instances of captures that were killed were removed"));
        }
        let traced = Instance::create(&tracing, "traced", parameters.buffer_kib)?;
        let machine = Instance::create(&tracing, "machine", parameters.buffer_kib)?;
        let devices = match parameters.subject {
            Subject::Command(_) => {
                proc::with_those_below(proc::mounts().into_iter().map(|mount| mount.device))
            }
            Subject::System(_) => Vec::new(),
        };
        let events = listened(parameters.full);
        let mut decoder = Decoder::default();
        let mut missing = traced.listen(Scope::Traced, &events, &devices, &mut decoder);
        missing.extend(machine.listen(Scope::Machine, &events, &devices, &mut decoder));
        notes.extend(lacks(&missing));
        let header = std::fs::read_to_string(tracing.join("events/header_page")).unwrap_or_default();
        let layout = PageLayout::parse(&header).unwrap_or(PageLayout::USUAL);
        let stream = Stream::open(&[&traced, &machine], layout)?;
        let origin_ns = monotonic_ns();
        let mut joiner = Joiner::new(parameters.full, origin_ns);
        for (device, geometry) in proc::geometries() {
            joiner.set_geometry(device, geometry);
        }
        let command = match &parameters.subject {
            Subject::Command(words) => {
                words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
            }
            Subject::System(_) => "the whole system".to_owned(),
        };
        let about = About {
            origin_unix_ns: Some(nanoseconds(clock_gettime(ClockId::Realtime))),
            machine: machine_in_words(),
            command,
            compact: !parameters.full,
            ..About::default()
        };
        let output = Output::create(&parameters.out, parameters.rotation, about)?;
        let folders = match &parameters.subject {
            Subject::Command(_) => std::env::current_dir().into_iter().collect(),
            Subject::System(_) => Vec::new(),
        };
        let mut collector = Self {
            decoder,
            stream,
            joiner,
            output,
            traced,
            machine,
            _mount: mount,
            origin_ns,
            set_up_at: Duration::ZERO,
            run_time: Duration::ZERO,
            buffer_bytes: u64::from(parameters.buffer_kib) << 10,
            lost_seen: 0,
            looked_at: FxHashSet::default(),
            folders: folders.into_iter().chain(parameters.names.iter().cloned()).collect(),
            notes,
        };
        collector.walk(WALK_BEFORE);
        Ok(collector)
    }

    fn switch_on(&self) -> Result<(), FileTraceError> {
        self.machine.switch_on()?;
        self.traced.switch_on()
    }

    fn run_command(&mut self, words: &[OsString]) -> Result<ExitStatus, FileTraceError> {
        let started = command::prepare(words)?;
        self.traced.follow(&[started.starter])?;
        self.joiner.pass_over(started.starter);
        // Of what this process has open a command gets the first three; the others are closed by its exec.
        let mut inherited = proc::shown(std::process::id()).unwrap_or_default();
        inherited.retain(|shown| shown.descriptor < 3);
        for shown in &mut inherited {
            shown.close_on_exec = false;
        }
        self.joiner.adopt(&[started.starter], &inherited, true);
        self.switch_on()?;
        started.go();
        let status = self.turns(&started.ended, None)?;
        started.join();
        match status {
            Some(status) => status,
            // Interrupted; a command that doesn't end by the same signal runs on without being traced.
            None => Ok(ExitStatus::default()),
        }
    }

    fn run_system(&mut self, time: Option<Duration>) -> Result<(), FileTraceError> {
        let own = proc::threads(std::process::id());
        self.traced.pass_over(&own);
        for thread in own {
            self.joiner.pass_over(thread);
        }
        self.switch_on()?;
        for process in proc::processes() {
            self.adopt(process);
        }
        let (_keep, never) = channel::<()>();
        self.turns(&never, time)?;
        Ok(())
    }

    fn adopt(&mut self, process: u32) {
        if process == std::process::id() {
            return;
        }
        let (threads, shown) = (proc::threads(process), proc::shown(process));
        if let (Some(_), Some(shown)) = (threads.first(), shown) {
            self.joiner.adopt(&threads, &shown, false);
        }
    }

    /// Reads and joins until the command ends, time is over or somebody interrupts.
    fn turns<T>(&mut self, ended: &Receiver<T>, time: Option<Duration>) -> Result<Option<T>, FileTraceError> {
        let began_ns = monotonic_ns();
        self.set_up_at = processor_time();
        let end_ns = time.map(|time| began_ns + time.as_nanos() as u64);
        let mut turn = QUICK_TURN;
        let result = loop {
            match ended.recv_timeout(turn) {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(turn),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now_ns = monotonic_ns();
            if is_ending() || end_ns.is_some_and(|end| now_ns >= end) {
                break None;
            }
            let bytes = self.turn(now_ns, false)?;
            turn = if bytes > self.buffer_bytes / MUCH { QUICK_TURN } else { TURN };
            let now = Time::from_nanos(now_ns - self.origin_ns);
            if self.output.is_due(now) {
                self.complete_file()?;
                self.output.next(now)?;
            }
        };
        self.run_time = Duration::from_nanos(monotonic_ns() - began_ns);
        self.traced.switch_off();
        self.machine.switch_off();
        self.turn(monotonic_ns(), true)?;
        Ok(result)
    }

    fn turn(&mut self, now_ns: u64, is_last: bool) -> Result<u64, FileTraceError> {
        let joiner = &mut self.joiner;
        let bytes = self.stream.drain(&self.decoder, now_ns, is_last, |event| joiner.take(event))?;
        if self.stream.lost > self.lost_seen {
            self.lost_seen = self.stream.lost;
            self.joiner.gap();
        }
        self.look(now_ns);
        if is_last {
            self.joiner.end();
        }
        let patience_ns = if is_last { u64::MAX } else { now_ns.saturating_sub(PATIENCE_NS) };
        self.release(patience_ns)?;
        Ok(bytes)
    }

    fn release(&mut self, patience_ns: u64) -> Result<(), FileTraceError> {
        let mut outcome = Ok(());
        let mut queue = std::mem::take(&mut self.joiner.queue);
        let (joiner, output) = (&self.joiner, &mut self.output);
        queue.release(patience_ns, |event| {
            if outcome.is_ok() {
                outcome = output.push(event, |file| joiner.name(file));
            }
        });
        self.joiner.queue = queue;
        outcome
    }

    /// Looks at /proc for what the events don't tell: what strangers have open, and which files the opened ones are.
    fn look(&mut self, now_ns: u64) {
        for stranger in std::mem::take(&mut self.joiner.strangers) {
            if let Some((process, threads)) = proc::threads_beside(stranger) {
                let mut all = vec![stranger];
                all.extend(threads.into_iter().filter(|thread| *thread != stranger));
                let shown = proc::shown(process).unwrap_or_default();
                self.joiner.adopt(&all, &shown, false);
            }
        }
        let mut looked_at = FxHashSet::default();
        for (open, holder) in self.joiner.unknown_opens() {
            // What is still open in the events when it is looked at the second time was the same file at the first.
            if !self.looked_at.contains(&(open, holder)) {
                looked_at.insert((open, holder));
                continue;
            }
            let seen = proc::look(holder.0, holder.1);
            if !self.joiner.is_still(open, holder, now_ns) {
                continue;
            }
            match seen {
                Look::File(file) => {
                    if let Some(path) = &file.path {
                        self.joiner.learn_name(file.inode, path, file.size);
                    }
                    self.joiner.shown(open, Some(file.inode));
                }
                Look::Other => self.joiner.shown(open, None),
                Look::Gone => {}
            }
        }
        self.looked_at = looked_at;
    }

    /// Looks for the names of files below the known folders.
    fn walk(&mut self, limit: Duration) {
        for folder in self.folders.clone() {
            let joiner = &mut self.joiner;
            let seen = walk(&folder, limit, |inode, path, size| joiner.learn_name(inode, path, size));
            if seen.is_cut_short && limit == WALK_AFTER {
                let seconds = limit.as_secs();
                let folder = folder.display();
                self.notes.push(format!("names below {folder} were looked for no longer than {seconds} s"));
            }
        }
    }

    fn complete_file(&mut self) -> Result<(), FileTraceError> {
        if self.output.unnamed(|file| self.joiner.name(file)) > 0 {
            self.walk(WALK_AFTER);
        }
        let unnamed = self.output.unnamed(|file| self.joiner.name(file));
        let mut notes = self.notes.clone();
        if unnamed > 0 {
            notes.push(format!("the paths of {unnamed} files aren't known"));
        }
        let joiner = &self.joiner;
        self.output.complete(self.stream.lost, &notes, |file| joiner.name(file))?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FileTraceError> {
        let counts = self.joiner.counts;
        let remarks = [
            (
                counts.asynchronous_calls,
                "calls of io_uring or aio, whose reads and writes aren't in the trace",
            ),
            (self.joiner.requests_passed_over(), "discards and other requests without data were left out"),
            (
                counts.other_opens,
                "directories, devices and files without page cache (/proc, tmpfs) were opened",
            ),
            (
                counts.unknown_files,
                "files were opened and closed without anything that tells which they were",
            ),
            (counts.unfinished, "calls whose end wasn't seen"),
        ];
        for (count, what) in remarks {
            if count > 0 {
                self.notes.push(format!("{count} {what}"));
            }
        }
        self.complete_file()
    }
}

/// What a trace lacks without these events. A call that this machine doesn't have is no loss.
fn lacks(missing: &[Listened]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for event in missing.iter().filter(|event| !matches!(event.meaning, Meaning::Enter(_) | Meaning::Exit(_)))
    {
        lines.push(format!("this kernel has no {}: {} isn't known", event.folder(), event.gives));
    }
    lines
}

fn machine_in_words() -> String {
    let name = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (kernel, machine) = (text(name.release()), text(name.machine()));
    format!("{} {kernel} {machine}, {processors} processors", text(name.sysname()))
}
