//! The capture itself: two trace instances are switched on, read and joined until the end, and the trace is written.

use super::fanotify::folders::{Folders, search};
use super::fanotify::watch::Watch;
use super::join::Joiner;
use super::join::names::Entry;
use super::join::naming::Border;
use super::names::{Met, Search, Walker};
use super::output::Output;
use super::parameters::{CaptureParameters, Subject};
use super::proc::{self, Look, Mount};
use super::summary::{CaptureSummary, lacks, remarks};
use crate::recorder::CaptureError;
use crate::recorder::catalogue::{Scope, listened};
use crate::recorder::command;
use crate::recorder::interrupt::{is_ending, while_running};
use crate::recorder::kernel_event::Inode;
use crate::recorder::listener::{Listener, Wanted, monotonic_ns, nanoseconds, unix_ns};
use crate::recorder::machine::machine_in_words;
use crate::recorder::stream::Stream;
use petrio_time::Time;
use petrio_trace::native::About;
use rustc_hash::FxHashSet;
use rustix::time::{ClockId, clock_gettime};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the buffers are read while little happens: rarely enough to find whole pages, often enough for what /proc
/// shows to be of use.
const TURN: Duration = Duration::from_millis(100);
/// And while much happens: when a turn found more than a sixteenth of a buffer.
const QUICK_TURN: Duration = Duration::from_millis(20);
const MUCH: u64 = 16;
/// How long an event waits for what isn't known of it.
const PATIENCE_NS: u64 = 20_000_000_000;
/// How long folders are walked for names, before and after.
const WALK_BEFORE: Duration = Duration::from_secs(2);
const WALK_AFTER: Duration = Duration::from_secs(20);

/// Processor time of this process so far.
fn processor_time() -> Duration {
    Duration::from_nanos(nanoseconds(clock_gettime(ClockId::ProcessCPUTime)))
}

/// Captures.
///
/// # Errors
/// No tracing for this user on this machine; a command that can't be started; a trace that can't be written.
pub fn capture(parameters: &CaptureParameters) -> Result<CaptureSummary, CaptureError> {
    while_running(|| capture_now(parameters))
}

fn capture_now(parameters: &CaptureParameters) -> Result<CaptureSummary, CaptureError> {
    let used_before = processor_time();
    let mut collector = Collector::set_up(parameters)?;
    let status = match &parameters.subject {
        Subject::Command(command) => Some(collector.run_command(command)?),
        Subject::System(time) => {
            collector.run_system(*time)?;
            None
        }
    };
    collector.finish()?;
    let ran_until = collector.ran_until;
    let mut summary = CaptureSummary {
        files: std::mem::take(&mut collector.output.complete),
        events: collector.output.events,
        lost: collector.listener.lost(),
        counts: collector.joiner.counts,
        set_up_time: collector.set_up_at.saturating_sub(used_before),
        processor_time: ran_until.saturating_sub(collector.set_up_at + collector.completing),
        completion_time: Duration::ZERO,
        run_time: collector.run_time,
        status,
        notes: std::mem::take(&mut collector.notes),
    };
    let completing = collector.completing;
    // The kernel frees its buffers now, in this process's time.
    drop(collector);
    summary.completion_time = completing + processor_time().saturating_sub(ran_until);
    Ok(summary)
}

struct Collector {
    listener: Listener,
    joiner: Joiner,
    output: Output,
    origin_ns: u64,
    /// Processor time when all was set up, and when the last of the events were joined; between the two, what
    /// completing files took.
    set_up_at: Duration,
    ran_until: Duration,
    completing: Duration,
    run_time: Duration,
    buffer_bytes: u64,
    with_background: bool,
    lost_seen: u64,
    looked_at: FxHashSet<(usize, (u32, u32))>,
    /// Where names are looked for.
    roots: Vec<PathBuf>,
    walker: Walker,
    /// Names as they change, where the kernel tells.
    watch: Option<Watch>,
    folders: Folders,
    /// Where folders are searched for.
    searched: Vec<Mount>,
    notes: Vec<String>,
}

impl Collector {
    #[expect(
        clippy::too_many_lines,
        reason = "a capture's parts in the order in which they are set up, and taken down again"
    )]
    fn set_up(parameters: &CaptureParameters) -> Result<Self, CaptureError> {
        let devices = match parameters.subject {
            Subject::Command(_) => {
                proc::with_those_below(proc::mounts().into_iter().map(|mount| mount.device))
            }
            Subject::System(_) => Vec::new(),
        };
        let wanted = Wanted {
            scopes: &[Scope::Traced, Scope::Machine],
            events: &listened(parameters.full),
            devices: &devices,
            buffer_kib: parameters.buffer_kib,
        };
        let listener = Listener::set_up(&wanted, |tracing| {
            let reason = "it has no events of system calls here, or this user may not see them".to_owned();
            let is_there = tracing.join("events/syscalls/sys_enter_read").is_dir();
            if is_there { Ok(()) } else { Err(CaptureError::NoTracing { reason }) }
        })?;
        let mut notes = lacks(&listener.missing);
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
            origin_unix_ns: Some(unix_ns()),
            machine: machine_in_words(),
            command,
            compact: !parameters.full,
            ..About::default()
        };
        // Everybody's names, those in folders that only their owners may look into among them.
        let is_private = matches!(parameters.subject, Subject::System(_));
        let output = Output::create(&parameters.out, parameters.rotation, about, is_private)?;
        let current = match &parameters.subject {
            Subject::Command(_) => std::env::current_dir().into_iter().collect(),
            Subject::System(_) => Vec::new(),
        };
        let mounts = proc::all_mounts();
        let (watch, lacks) = Watch::begin(&mounts);
        notes.extend(lacks);
        joiner.matching.is_on = watch.is_some();
        let mut collector = Self {
            listener,
            joiner,
            output,
            origin_ns,
            set_up_at: Duration::ZERO,
            ran_until: Duration::ZERO,
            completing: Duration::ZERO,
            run_time: Duration::ZERO,
            buffer_bytes: u64::from(parameters.buffer_kib) << 10,
            with_background: parameters.with_background,
            lost_seen: 0,
            looked_at: FxHashSet::default(),
            roots: current.into_iter().chain(parameters.names.iter().cloned()).collect(),
            walker: Walker::default(),
            watch,
            folders: Folders::default(),
            searched: Vec::new(),
            notes,
        };
        collector.folders.begin(&mut collector.joiner.names, &mounts);
        collector.searched = mounts.into_iter().filter(Mount::is_on_block_device).collect();
        for root in &collector.roots {
            let joiner = &mut collector.joiner;
            collector.walker.walk(root, WALK_BEFORE, Search::Everything, |met| meet(joiner, met));
        }
        Ok(collector)
    }

    fn run_command(&mut self, words: &[OsString]) -> Result<ExitStatus, CaptureError> {
        let started = command::prepare(words)?;
        self.listener.follow(&[started.starter])?;
        if started.is_own {
            self.joiner.pass_over(started.starter);
        }
        // Of what this process has open a command gets the first three; the others are closed by its exec.
        let mut inherited = proc::shown(std::process::id()).unwrap_or_default();
        inherited.retain(|shown| shown.descriptor < 3);
        for shown in &mut inherited {
            shown.close_on_exec = false;
        }
        self.joiner.adopt(&[started.starter], &inherited, true);
        self.listener.switch_on()?;
        started.go();
        let status = self.turns(&started.ended, None)?;
        match status {
            Some(status) => {
                started.join();
                status
            }
            // Interrupted: the command ends too, by this or with this process, and isn't waited for.
            None => {
                started.end();
                Ok(ExitStatus::default())
            }
        }
    }

    fn run_system(&mut self, time: Option<Duration>) -> Result<(), CaptureError> {
        let own = proc::threads(std::process::id());
        self.listener.pass_over(&own);
        for thread in own {
            self.joiner.pass_over(thread);
        }
        self.listener.switch_on()?;
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
    fn turns<T>(&mut self, ended: &Receiver<T>, time: Option<Duration>) -> Result<Option<T>, CaptureError> {
        let began_ns = monotonic_ns();
        self.set_up_at = processor_time();
        let end_ns =
            time.map(|time| began_ns.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)));
        let mut turn = QUICK_TURN;
        let mut result = None;
        loop {
            match ended.recv_timeout(turn) {
                Ok(ended) => {
                    result = Some(ended);
                    if !self.with_background {
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(turn),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now_ns = monotonic_ns();
            let is_alone = self.with_background && result.is_some() && !self.listener.follows_somebody();
            if is_ending() || is_alone || end_ns.is_some_and(|end| now_ns >= end) {
                break;
            }
            let bytes = self.turn(now_ns, false)?;
            turn = if bytes > self.buffer_bytes / MUCH { QUICK_TURN } else { TURN };
            let now = Time::from_nanos(now_ns - self.origin_ns);
            if self.output.is_due(now) {
                let before = processor_time();
                self.complete_file()?;
                self.output.next(now)?;
                self.completing += processor_time().saturating_sub(before);
            }
        }
        self.run_time = Duration::from_nanos(monotonic_ns() - began_ns);
        self.listener.switch_off();
        self.turn(monotonic_ns(), true)?;
        self.ran_until = processor_time();
        Ok(result)
    }

    fn turn(&mut self, now_ns: u64, is_last: bool) -> Result<u64, CaptureError> {
        let joiner = &mut self.joiner;
        let bytes = self.listener.drain(now_ns, is_last, |event| joiner.take(event))?;
        if self.listener.lost() > self.lost_seen {
            self.lost_seen = self.listener.lost();
            self.joiner.gap();
        }
        self.hear(Stream::horizon_ns(now_ns, is_last));
        self.look(now_ns);
        if is_last {
            self.joiner.end();
        }
        let patience_ns = if is_last { u64::MAX } else { now_ns.saturating_sub(PATIENCE_NS) };
        self.release(patience_ns)?;
        Ok(bytes)
    }

    fn release(&mut self, patience_ns: u64) -> Result<(), CaptureError> {
        let mut outcome = Ok(());
        let output = &mut self.output;
        self.joiner.release(patience_ns, |event, joiner| {
            if outcome.is_ok() {
                outcome = output.push(event, |file| joiner.names.path(file));
            }
        });
        outcome
    }

    /// Hears what became of names.
    fn hear(&mut self, horizon_ns: u64) {
        let Some(watch) = &mut self.watch else { return };
        let before = watch.unread.overflows;
        let (all, from_ns) = watch.read(monotonic_ns);
        let border = Border { from_ns, to_ns: monotonic_ns() };
        for told in &all {
            self.folders.find(&mut self.joiner.names, told);
        }
        if watch.unread.overflows > before {
            self.joiner.give_up_names();
        }
        self.joiner.tell(all, border, horizon_ns);
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
                        if let Some(folder) = Path::new(path).parent() {
                            self.folders.learn(&mut self.joiner.names, folder);
                        }
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

    /// Looks for names below the known folders, and for the folders in which files were told of; tells how many files
    /// have no path all the same.
    fn find_names(&mut self) -> usize {
        let names = &mut self.joiner.names;
        let unnamed = self.output.unnamed(|file| names.path(file));
        let mut missing = unnamed.iter().filter_map(|file| names.missing_folder(*file)).collect();
        for mount in &self.searched {
            search(mount, &mut missing, |inode, path| {
                names.put_folder_by_path(inode, &path.to_string_lossy());
            });
        }
        let unnamed = unnamed.into_iter().filter(|file| names.path(*file).is_none());
        let mut wanted = unnamed.map(|file| Inode { device: file.device, number: file.inode }).collect();
        for root in &self.roots {
            let joiner = &mut self.joiner;
            let walk = self.walker.walk(root, WALK_AFTER, Search::For(&mut wanted), |met| meet(joiner, met));
            if walk.is_cut_short {
                let (root, seconds) = (root.display(), WALK_AFTER.as_secs());
                self.notes.push(format!("names below {root} were looked for no longer than {seconds} s"));
            }
        }
        let names = &mut self.joiner.names;
        self.output.unnamed(|file| names.path(file)).len()
    }

    fn complete_file(&mut self) -> Result<(), CaptureError> {
        let unnamed = self.find_names();
        let mut notes = self.notes.clone();
        if unnamed > 0 {
            notes.push(format!("the paths of {unnamed} files aren't known"));
        }
        let names = &mut self.joiner.names;
        self.output.complete(self.listener.lost(), &notes, |file| names.path(file))?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), CaptureError> {
        self.notes.extend(remarks(&self.joiner.counts, self.joiner.requests_passed_over()));
        self.complete_file()
    }
}

/// What a walk met becomes known.
fn meet(joiner: &mut Joiner, met: Met<'_>) {
    match met {
        Met::Folder { inode, above, path } => {
            let entry = above.zip(path.file_name());
            match entry.map(|(folder, name)| Entry { folder, name: name.to_string_lossy().into() }) {
                Some(entry) => joiner.names.put_folder(inode, entry),
                None => joiner.names.put_folder_by_path(inode, &path.to_string_lossy()),
            }
        }
        Met::File { inode, folder, name, size } => {
            joiner.learn_entry(inode, Entry { folder, name: name.into() }, size);
        }
    }
}
