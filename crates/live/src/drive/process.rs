//! One process of a workload: pulls its program and carries each operation out on the real directory, the clock around
//! the system call alone.

use super::barrier::Barrier;
use super::clock::nanos;
use super::ending::Ending;
use super::error::DriveError;
use super::gaps::GapWatch;
use super::ground::Spot;
use super::names::Names;
use super::recording::Recording;
use super::result::Measured;
use super::stdio::Stream;
use petrio_colours::{AccessFlags, Fallocate, FileId, FileOp, Operation};
use petrio_time::Time;
use petrio_units::numbers::{as_index, as_number};
use petrio_workload::program::{FileProgram, Phase, Step};
use rustix::fs::{FallocateFlags, OFlags, XattrFlags};
use smallvec::SmallVec;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Alignment that O_DIRECT asks for at most: a page.
const PAGE_BYTES: usize = 4096;

/// An open file of this process.
struct Open {
    file: FileId,
    flags: AccessFlags,
    handle: File,
    stream: Option<Stream>,
    path: PathBuf,
}

/// The beginning of what counts, on the wall's clock and on the thread's own.
#[derive(Clone, Copy)]
struct Watch {
    since: Instant,
    processor: Duration,
}

impl Watch {
    fn start() -> Self {
        Self { since: Instant::now(), processor: processor_time() }
    }
}

/// Time that this thread has had a processor for.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), as_number(time.tv_nsec.unsigned_abs()))
}

/// A process at work.
pub(super) struct Process<'a> {
    names: &'a Names,
    /// For sync and for the root's own fsync; opened beforehand.
    root: File,
    opens: Vec<Open>,
    /// What is read into and written from; aligned from `align` on.
    buffer: Vec<u8>,
    align: usize,
    overhead: Duration,
    measured: Measured,
    recording: Option<Recording>,
    ending: &'a Ending,
}

/// The name of the attribute that files are given.
const XATTR: &str = "user.attr";

const fn mode(fallocate: Fallocate) -> FallocateFlags {
    match fallocate {
        Fallocate::Extend => FallocateFlags::empty(),
        Fallocate::KeepSize => FallocateFlags::KEEP_SIZE,
        Fallocate::PunchHole => FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE),
        Fallocate::ZeroRange => FallocateFlags::ZERO_RANGE,
    }
}

fn os(errno: rustix::io::Errno) -> io::Error {
    io::Error::from(errno)
}

impl<'a> Process<'a> {
    pub(super) fn new(
        names: &'a Names,
        overhead: Duration,
        recording: Option<Recording>,
        ending: &'a Ending,
    ) -> Result<Self, DriveError> {
        let root = names.open_root().map_err(DriveError::file("open", names.root()))?;
        let measured = Measured::default();
        let (opens, buffer) = (Vec::new(), Vec::new());
        Ok(Self { names, root, opens, buffer, align: 0, overhead, measured, recording, ending })
    }

    /// Runs a program to its end.
    pub(super) fn run(
        mut self,
        program: &mut dyn FileProgram,
        barrier: &Barrier,
    ) -> Result<Measured, DriveError> {
        self.ending.enter();
        let mut gaps = GapWatch::new();
        let outcome = self.steps(program, barrier, &mut gaps);
        self.measured.gaps = gaps.finish();
        outcome.map(|()| self.measured)
    }

    fn steps(
        &mut self,
        program: &mut dyn FileProgram,
        barrier: &Barrier,
        gaps: &mut GapWatch,
    ) -> Result<(), DriveError> {
        let mut phase = Phase::default();
        let begun = Instant::now();
        let mut watch: Option<Watch> = None;
        loop {
            self.ending.go_on()?;
            match program.next(time_of(begun.elapsed()))? {
                Step::Operation(operation) if operation.operation == Operation::Compute => {
                    let time = Time::from_picos(operation.length);
                    if let Some(recording) = &mut self.recording {
                        recording.rests(time, gaps);
                    }
                    gaps.rest();
                    let used = self.compute(std_duration(time))?;
                    if let Some(watch) = &mut watch {
                        // Not spent in calls.
                        (watch.since, watch.processor) = (watch.since + used.0, watch.processor + used.1);
                    }
                }
                // What is submitted is waited for here, one operation after the other.
                Step::Operation(operation) | Step::Submit { op: operation, .. } => {
                    if phase.counts() && watch.is_none() {
                        watch = Some(Watch::start());
                    }
                    let (start, end, bytes) = self.carry_out(&operation)?;
                    gaps.call(start, end);
                    match &mut self.recording {
                        Some(recording) => recording.add(&operation, start, end, gaps),
                        // Whoever is told of every call counts by himself.
                        None => self.count(phase, &operation, (start, end), bytes),
                    }
                }
                Step::Reap { .. } => {}
                Step::Think(time) | Step::Pause(time) => {
                    if let Some(recording) = &mut self.recording {
                        recording.rests(time, gaps);
                    }
                    gaps.rest();
                    self.ending.rest(std_duration(time))?;
                }
                Step::Phase(next) => {
                    phase = next;
                    if !phase.counts() {
                        self.stop(watch.take());
                    }
                }
                // Only programs whose ranks exchange messages say and await, and those aren't driven here.
                Step::Signal(_) | Step::Await(_) => {}
                Step::Barrier => {
                    gaps.rest();
                    barrier.wait();
                }
                Step::End => {
                    self.stop(watch.take());
                    return Ok(());
                }
            }
        }
    }

    /// Keeps a processor busy for so long; how long that took, and how much of a processor's time.
    fn compute(&self, time: Duration) -> Result<(Duration, Duration), DriveError> {
        let (began, before) = (Instant::now(), processor_time());
        loop {
            self.ending.go_on()?;
            let used = processor_time().saturating_sub(before);
            if used >= time {
                return Ok((began.elapsed(), used));
            }
            std::hint::spin_loop();
        }
    }

    fn stop(&mut self, watch: Option<Watch>) {
        if let Some(Watch { since, processor }) = watch {
            self.measured.watched += since.elapsed();
            self.measured.on_processor += processor_time().saturating_sub(processor);
        }
    }

    fn count(&mut self, phase: Phase, operation: &FileOp, (start, end): (Instant, Instant), bytes: u64) {
        match phase {
            Phase::Preparation => return,
            Phase::Measured => self.measured.measured.add(start, end),
            Phase::Closing { counted } => {
                self.measured.closing.add(start, end);
                self.measured.closing_counts |= counted;
            }
        }
        if phase.counts() {
            let took = end.duration_since(start).saturating_sub(self.overhead);
            self.measured.add(operation.operation, took, bytes);
        }
    }

    /// When it began and ended, and how many bytes it moved.
    fn carry_out(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let file = operation.file;
        if operation.flags.mapped {
            return Err(DriveError::Mapped);
        }
        match operation.operation {
            Operation::Read => self.read(operation),
            Operation::Write => self.write(operation),
            Operation::Fsync | Operation::Fdatasync => self.make_durable(operation),
            Operation::Open | Operation::Create => self.open(operation),
            Operation::Close => self.close(file),
            Operation::Truncate => {
                let open = self.opened(file, operation.flags)?;
                let open = &mut self.opens[open];
                timed("truncate", &open.path, || open.handle.set_len(operation.length))
            }
            Operation::Unlink => {
                let path = self.names.path(file)?;
                let spot = self.spot("unlink", &path)?;
                spot.check().map_err(DriveError::file("unlink", &path))?;
                let times = timed("unlink", &path, || spot.unlink())?;
                self.names.forget(file);
                Ok(times)
            }
            Operation::Mkdir => {
                let path = self.names.path(file)?;
                let spot = self.spot("make the directory", &path)?;
                self.ending.unless_ended(|| timed("make the directory", &path, || spot.make_directory()))
            }
            Operation::Rmdir => {
                let path = self.names.path(file)?;
                let spot = self.spot("remove the directory", &path)?;
                spot.check().map_err(DriveError::file("remove the directory", &path))?;
                let times = timed("remove the directory", &path, || spot.remove_directory())?;
                self.names.forget(file);
                Ok(times)
            }
            Operation::Rename => {
                let (from, to) = self.names.rename(file, operation.parent, operation.replaced)?;
                let (spot, new) = (self.spot("rename", &from)?, self.spot("rename", &to)?);
                timed("rename", &from, || spot.rename(&new))
            }
            Operation::Readdir => {
                let path = self.names.path(file)?;
                let way = self.names.way(&path);
                timed("read the directory", &path, || way.list())
            }
            Operation::Stat => {
                let path = self.names.path(file)?;
                let spot = self.spot("stat", &path)?;
                timed("stat", &path, || spot.stat())
            }
            Operation::SetAttributes | Operation::SetXattr | Operation::Allocate => {
                self.change_inode(operation)
            }
            Operation::Link | Operation::Symlink | Operation::Tmpfile | Operation::SyncRange => {
                Err(DriveError::OnlySimulated { operation: operation.operation })
            }
            Operation::Sync => {
                let root = &self.root;
                timed("sync", self.names.root(), || rustix::fs::syncfs(root).map_err(os))
            }
            Operation::Exchange => Err(DriveError::Messages),
            // Carried out before, or not to be seen on a real machine, which has its own memory; measured by nobody.
            Operation::Compute | Operation::Touch => {
                let now = Instant::now();
                Ok((now, now, 0))
            }
        }
    }

    /// Sets a file's times or its attribute, or gives it blocks.
    fn change_inode(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let file = operation.file;
        if operation.operation == Operation::SetAttributes {
            let path = self.names.path(file)?;
            let spot = self.spot("set the times of", &path)?;
            spot.check().map_err(DriveError::file("set the times of", &path))?;
            return timed("set the times of", &path, || spot.set_times());
        }
        let open = self.opened(file, operation.flags)?;
        let open = &mut self.opens[open];
        if operation.operation == Operation::Allocate {
            let (mode, offset, length) = (mode(operation.fallocate), operation.offset, operation.length);
            return timed("fallocate", &open.path, || {
                rustix::fs::fallocate(&open.handle, mode, offset, length).map_err(os)
            });
        }
        let value = vec![0_u8; as_index(operation.length)];
        timed("set an attribute of", &open.path, || match value.is_empty() {
            true => rustix::fs::fremovexattr(&open.handle, XATTR).map_err(os),
            false => rustix::fs::fsetxattr(&open.handle, XATTR, &value, XattrFlags::empty()).map_err(os),
        })
    }

    fn read(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let length = as_index(operation.length);
        self.provide(length);
        let open = self.opened(operation.file, operation.flags)?;
        let data = &mut self.buffer[self.align..self.align + length];
        let Open { handle, stream, path, .. } = &mut self.opens[open];
        let mut got = 0;
        let (start, end, _) = timed("read", path, || {
            got = match stream {
                Some(stream) => stream.read(handle, data, operation.offset)?,
                None => handle.read_at(data, operation.offset)?,
            };
            Ok(())
        })?;
        // A read at the end of the file brings what there is; one that brings nothing is a program's mistake.
        if got == 0 && length > 0 {
            let (path, wanted) = (path.clone(), operation.length);
            return Err(DriveError::Short { action: "read", path, offset: operation.offset, wanted, got: 0 });
        }
        Ok((start, end, got as u64))
    }

    fn write(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let length = as_index(operation.length);
        self.provide(length);
        let open = self.opened(operation.file, operation.flags)?;
        let data = &self.buffer[self.align..self.align + length];
        let Open { handle, stream, path, .. } = &mut self.opens[open];
        let (start, end, _) = timed("write", path, || match stream {
            Some(stream) => stream.write(handle, data, operation.offset),
            None => handle.write_all_at(data, operation.offset),
        })?;
        Ok((start, end, operation.length))
    }

    fn make_durable(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let data_only = operation.operation == Operation::Fdatasync;
        let sync = |handle: &File| {
            if data_only { rustix::fs::fdatasync(handle) } else { rustix::fs::fsync(handle) }.map_err(os)
        };
        if operation.file == FileId::ROOT {
            let root = &self.root;
            return timed("fsync", self.names.root(), || sync(root));
        }
        let open = match self.opens.iter().position(|open| open.file == operation.file) {
            Some(open) => open,
            None => self.opened(operation.file, operation.flags)?,
        };
        let Open { handle, stream, path, .. } = &mut self.opens[open];
        timed("fsync", path, || {
            if let Some(stream) = stream {
                stream.flush(handle)?;
            }
            sync(handle)
        })
    }

    fn open(&mut self, operation: &FileOp) -> Result<(Instant, Instant, u64), DriveError> {
        let path = self.names.path(operation.file)?;
        let is_new = operation.operation == Operation::Create;
        let flags = flags(!self.names.is_directory(operation.file), operation.flags);
        let way = self.names.way(&path);
        let mut opened = None;
        let times = if is_new {
            let spot = self.spot("create", &path)?;
            let mut create = || {
                opened = Some(spot.create(flags)?);
                Ok(())
            };
            self.ending.unless_ended(|| timed("create", &path, &mut create))?
        } else {
            timed("open", &path, || {
                opened = Some(way.open(flags)?);
                Ok(())
            })?
        };
        if let Some(handle) = opened {
            way.check(&handle).map_err(DriveError::file("use", &path))?;
            self.keep(operation.file, operation.flags, handle, path);
        }
        Ok(times)
    }

    fn close(&mut self, file: FileId) -> Result<(Instant, Instant, u64), DriveError> {
        let is_its = |open: &mut Open| open.file == file;
        let mut closing: SmallVec<[Open; 1]> = self.opens.extract_if(.., is_its).collect();
        let path = closing.first_mut().map(|open| std::mem::take(&mut open.path)).unwrap_or_default();
        timed("close", &path, || {
            for open in &mut closing {
                if let Some(stream) = &mut open.stream {
                    stream.flush(&open.handle)?;
                }
            }
            closing.clear();
            Ok(())
        })
    }

    /// The position of an open file for such accesses; opened now, outside all measuring, if the program hasn't opened
    /// it.
    fn opened(&mut self, file: FileId, flags: AccessFlags) -> Result<usize, DriveError> {
        let fits = |open: &Open| open.file == file && open.flags == flags;
        if let Some(open) = self.opens.iter().position(fits) {
            return Ok(open);
        }
        let path = self.names.path(file)?;
        let how = self::flags(!self.names.is_directory(file), flags);
        let way = self.names.way(&path);
        let handle = way.open(how).map_err(DriveError::file("open", &path))?;
        way.check(&handle).map_err(DriveError::file("use", &path))?;
        self.keep(file, flags, handle, path);
        Ok(self.opens.len() - 1)
    }

    fn keep(&mut self, file: FileId, flags: AccessFlags, handle: File, path: PathBuf) {
        let stream = flags.stdio.then(Stream::new);
        self.opens.push(Open { file, flags, handle, stream, path });
    }

    /// Where a name is; found outside all measuring.
    fn spot<'b>(&'b self, action: &'static str, path: &'b Path) -> Result<Spot<'b>, DriveError> {
        self.names.way(path).spot().map_err(DriveError::file(action, path))
    }

    /// Makes the buffer large enough, with every page there, before the clock runs.
    fn provide(&mut self, length: usize) {
        if self.buffer.len() < length + PAGE_BYTES {
            self.buffer = (0..253).cycle().take(length + PAGE_BYTES).collect();
            let offset = self.buffer.as_ptr().align_offset(PAGE_BYTES);
            // `align_offset` may decline to answer; accesses past the page cache then fail by name.
            self.align = if offset <= PAGE_BYTES { offset } else { 0 };
        }
    }
}

/// The flags of open(2). Directories can only be read.
fn flags(is_writable: bool, flags: AccessFlags) -> OFlags {
    // The C library's constants: rustix 1.1 gives O_SYNC for both of the latter.
    let wanted = [
        (flags.direct, libc::O_DIRECT),
        (flags.sync, libc::O_SYNC),
        (flags.data_sync, libc::O_DSYNC),
        (flags.append, libc::O_APPEND),
    ];
    let wanted = wanted.iter().filter(|(wanted, _)| *wanted);
    let wanted = wanted.fold(0, |flags, (_, flag)| flags | flag.cast_unsigned());
    let access = if is_writable { OFlags::RDWR } else { OFlags::RDONLY };
    OFlags::from_bits_retain(wanted) | access
}

/// Runs a system call between two looks at the clock.
fn timed(
    action: &'static str,
    path: &Path,
    call: impl FnOnce() -> io::Result<()>,
) -> Result<(Instant, Instant, u64), DriveError> {
    let start = Instant::now();
    let outcome = call();
    let end = Instant::now();
    match outcome {
        Ok(()) => Ok((start, end, 0)),
        Err(source) => Err(DriveError::file(action, path)(source)),
    }
}

fn time_of(duration: Duration) -> Time {
    Time::from_nanos(nanos(duration))
}

fn std_duration(time: Time) -> Duration {
    Duration::from_nanos(time.as_picos() / 1_000)
}
