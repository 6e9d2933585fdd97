//! Calls on descriptors: what they ask of the simulated storage, or what they wait for.

use crate::decide::GO_ON;
use crate::files::{descriptor, is_directory, is_file, path_of, size_of};
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use crate::thread::Opened;
use crate::waits::is_ready;
use petrio_colours::{AccessFlags, Fallocate as Mode, FileId, FileOp, Operation};
use petrio_intercept::{Answer, memory};
use rustix::event::PollFlags;
use rustix::fs::{OFlags, SeekFrom, fcntl_getfl, fstat, seek};
use rustix::process::{PidfdGetfdFlags, pidfd_getfd};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// What a descriptor is.
pub(crate) enum Is {
    /// A file of the simulated storage; what has to be done first, because nobody knew of it.
    Stored(Opened, Vec<FileOp>),
    /// A file of the host's, or a directory.
    Hosts(Arc<OwnedFd>),
    /// Something that may have to be waited for: a pipe, a socket, a terminal.
    Other(Arc<OwnedFd>),
    /// Nothing that is open.
    Nothing,
}

/// Accesses that are submitted in one call at most.
const SUBMITTED_MAX: u64 = 1 << 16;
/// What is submitted of several parts (`IOCB_CMD_PREADV`, `IOCB_CMD_PWRITEV`).
const PARTS_READ: u64 = 7;
const PARTS_WRITTEN: u64 = 8;
/// fallocate's modes (linux/falloc.h).
const KEEP_SIZE: u64 = 1;
const PUNCH_HOLE: u64 = 2;
const ZERO_RANGE: u64 = 16;

impl Supervisor {
    /// A copy of a thread's descriptor.
    pub(crate) fn copy(&mut self, id: u32, number: i32) -> Option<Arc<OwnedFd>> {
        match self.copied(id, number)? {
            Ok(fd) => Some(Arc::new(fd)),
            Err(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => {
                // More than this process may have: what is kept of others is asked for again when it is needed.
                self.processes.values_mut().for_each(|process| process.open.clear());
                self.copied(id, number)?.ok().map(Arc::new)
            }
            Err(_) => None,
        }
    }

    fn copied(&self, id: u32, number: i32) -> Option<Result<OwnedFd, rustix::io::Errno>> {
        let thread = self.threads.get(&id)?;
        let handle = self.processes.get(&thread.process)?.handle.as_ref()?;
        Some(pidfd_getfd(handle, number, PidfdGetfdFlags::empty()))
    }

    /// What a thread's descriptor is.
    pub(crate) fn is(&mut self, id: u32, number: i32) -> Is {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return Is::Nothing };
        if let Some(opened) = self.processes.get(&process).and_then(|process| process.open.get(&number)) {
            return Is::Stored(opened.clone(), Vec::new());
        }
        let Some(fd) = self.copy(id, number) else { return Is::Nothing };
        let Ok(stat) = fstat(&fd) else { return Is::Nothing };
        if !is_file(&stat) && !is_directory(&stat) {
            return Is::Other(fd);
        }
        let known = self.files.by_key(&stat).or_else(|| {
            let path = path_of(&fd).ok()?;
            self.files.number(&stat, &path)
        });
        let (file, first) = match known {
            Some(file) => (file, Vec::new()),
            None => match path_of(&fd) {
                Ok(path) if self.files.is_below_storage(&path) => self.files.made_up(&stat, &path),
                _ => return Is::Hosts(fd),
            },
        };
        let Ok(flags) = fcntl_getfl(&fd) else { return Is::Nothing };
        let opened = Opened { fd, file, flags };
        if is_file(&stat)
            && let Some(process) = self.processes.get_mut(&process)
        {
            process.open.insert(number, opened.clone());
        }
        Is::Stored(opened, first)
    }

    /// What becomes of a call on a descriptor.
    pub(crate) fn of_descriptor(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        use Call::*;
        match call {
            Read | Readv | Pread | Preadv | Preadv2 => self.reads(id, call, a),
            Write | Writev | Pwrite | Pwritev | Pwritev2 => self.writes(id, call, a),
            Sendfile => self.copies(id, ((a[1], a[2]), (a[0], 0)), a[3]),
            CopyFileRange | Splice => self.copies(id, ((a[0], a[1]), (a[2], a[3])), a[4]),
            Close => self.closes(id, descriptor(a[0])),
            // Onto itself nothing becomes of it.
            Dup2 if a[0] != a[1] => self.closes(id, descriptor(a[1])),
            CloseRange => self.closes_all(id, a),
            SetFlags => self.sets_flags(id, descriptor(a[0])),
            Sync => Verdict::Ask(
                vec![FileOp { operation: Operation::Sync, ..FileOp::default() }],
                Answer::Value(0),
            ),
            IoSubmit => self.submits(id, a),
            Mmap => self.maps(id, a),
            Dup2 | Msync => GO_ON,
            _ => {
                let Is::Stored(Opened { file, fd, .. }, mut ops) = self.is(id, descriptor(a[0])) else {
                    return GO_ON;
                };
                let op = FileOp { file, ..FileOp::default() };
                let (op, answer) = match call {
                    Fsync => (FileOp { operation: Operation::Fsync, ..op }, Answer::Value(0)),
                    Fdatasync => (FileOp { operation: Operation::Fdatasync, ..op }, Answer::Value(0)),
                    SyncRange => {
                        let length = if a[2] == 0 { u64::MAX >> 1 } else { a[2] };
                        (
                            FileOp { operation: Operation::SyncRange, offset: a[1], length, ..op },
                            Answer::Value(0),
                        )
                    }
                    Ftruncate => {
                        self.files.was_written(file, self.clock(id));
                        (FileOp { operation: Operation::Truncate, length: a[1], ..op }, Answer::GoOn)
                    }
                    Fallocate => {
                        let fallocate = match a[1] {
                            mode if mode & PUNCH_HOLE != 0 => Mode::PunchHole,
                            mode if mode & ZERO_RANGE != 0 => Mode::ZeroRange,
                            mode if mode & KEEP_SIZE != 0 => Mode::KeepSize,
                            _ => Mode::Extend,
                        };
                        self.files.was_written(file, self.clock(id));
                        let op = FileOp {
                            operation: Operation::Allocate,
                            offset: a[2],
                            length: a[3],
                            fallocate,
                            ..op
                        };
                        (op, Answer::GoOn)
                    }
                    Getdents if seek(&fd, SeekFrom::Current(0)) == Ok(0) => {
                        (FileOp { operation: Operation::Readdir, ..op }, Answer::GoOn)
                    }
                    AttributesOf => {
                        self.files.was_changed(file, self.clock(id));
                        (FileOp { operation: Operation::SetAttributes, ..op }, Answer::GoOn)
                    }
                    SetxattrOf => {
                        self.files.was_changed(file, self.clock(id));
                        (FileOp { operation: Operation::SetXattr, length: a[3], ..op }, Answer::GoOn)
                    }
                    _ => return GO_ON,
                };
                ops.push(op);
                Verdict::Ask(ops, answer)
            }
        }
    }

    fn length(id: u32, call: Call, a: &[u64; 6]) -> u64 {
        match call {
            Call::Readv | Call::Preadv | Call::Preadv2 | Call::Writev | Call::Pwritev | Call::Pwritev2 => {
                memory::bytes_of_parts(id, a[1], a[2]).unwrap_or(0)
            }
            _ => a[2],
        }
    }

    fn offset(fd: &OwnedFd, call: Call, a: &[u64; 6]) -> u64 {
        let is_placed = matches!(
            call,
            Call::Pread | Call::Preadv | Call::Preadv2 | Call::Pwrite | Call::Pwritev | Call::Pwritev2
        );
        // preadv2 takes −1 for where the file stands.
        if is_placed && a[3] != u64::MAX { a[3] } else { seek(fd, SeekFrom::Current(0)).unwrap_or(0) }
    }

    fn reads(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        match self.is(id, descriptor(a[0])) {
            Is::Stored(Opened { file, fd, flags }, mut ops) => {
                let (length, offset) = (Self::length(id, call, a), Self::offset(&fd, call, a));
                self.files.was_read(file, self.clock(id));
                ops.extend(moved(Operation::Read, file, (offset, length), flags));
                Verdict::Ask(ops, Answer::GoOn)
            }
            Is::Hosts(_) => {
                let length = Self::length(id, call, a);
                self.tell(|told| told.host_reads = (told.host_reads.0 + 1, told.host_reads.1 + length));
                GO_ON
            }
            Is::Other(_) if self.options.real_time => GO_ON,
            Is::Other(fd) => self.or_wait(id, fd, PollFlags::IN),
            Is::Nothing => GO_ON,
        }
    }

    fn writes(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        match self.is(id, descriptor(a[0])) {
            Is::Stored(Opened { file, fd, mut flags }, mut ops) => {
                let (length, mut offset) = (Self::length(id, call, a), Self::offset(&fd, call, a));
                if call == Call::Pwritev2 {
                    flags |= of_one_access(a[5]);
                }
                let Ok(stat) = fstat(&fd) else { return GO_ON };
                if flags.contains(OFlags::APPEND) {
                    offset = size_of(&stat);
                }
                if !self.makes_room(id, &fd, Self::growth(&stat, offset, length))
                    || !self.fills_hole(&fd, (&stat, length))
                {
                    return Verdict::Now(Answer::Error(libc::ENOSPC));
                }
                if length > 0 {
                    self.files.was_written(file, self.clock(id));
                }
                ops.extend(moved(Operation::Write, file, (offset, length), flags));
                Verdict::Ask(ops, Answer::GoOn)
            }
            Is::Other(_) if self.options.real_time => GO_ON,
            Is::Other(fd) => {
                let length = Self::length(id, call, a);
                match crate::waits::is_blocking_pipe(&fd) {
                    true if !crate::waits::has_room(&fd, length) => crate::waits::room(fd, length),
                    true => GO_ON,
                    false => self.or_wait(id, fd, PollFlags::OUT),
                }
            }
            Is::Hosts(_) | Is::Nothing => GO_ON,
        }
    }

    /// From one descriptor to another without the program's memory: of each where in it is said, or zero for where it stands.
    fn copies(
        &mut self,
        id: u32,
        ((from, from_at), (to, to_at)): ((u64, u64), (u64, u64)),
        length: u64,
    ) -> Verdict {
        let mut ops = Vec::new();
        let mut length = length;
        match self.is(id, descriptor(from)) {
            Is::Stored(Opened { file, fd, .. }, first) => {
                ops.extend(first);
                let offset = stands(id, &fd, from_at);
                let there = fstat(&fd).map_or(0, |stat| size_of(&stat));
                length = length.min(there.saturating_sub(offset));
                ops.push(FileOp { operation: Operation::Read, file, offset, length, ..FileOp::default() });
            }
            Is::Hosts(fd) => length = length.min(fstat(&fd).map_or(0, |stat| size_of(&stat))),
            Is::Other(fd) if !self.options.real_time && !is_ready(&fd, PollFlags::IN) => {
                return self.or_wait(id, fd, PollFlags::IN);
            }
            Is::Other(_) | Is::Nothing => length = length.min(1 << 16),
        }
        if length > 0
            && let Is::Stored(Opened { file, fd, .. }, first) = self.is(id, descriptor(to))
        {
            ops.extend(first);
            let offset = stands(id, &fd, to_at);
            let Ok(stat) = fstat(&fd) else { return GO_ON };
            if !self.makes_room(id, &fd, Self::growth(&stat, offset, length)) {
                return Verdict::Now(Answer::Error(libc::ENOSPC));
            }
            self.files.was_written(file, self.clock(id));
            ops.push(FileOp { operation: Operation::Write, file, offset, length, ..FileOp::default() });
        }
        ops.retain(|op| op.length > 0 || !matches!(op.operation, Operation::Read | Operation::Write));
        Verdict::Ask(ops, Answer::GoOn)
    }

    fn closes(&mut self, id: u32, number: i32) -> Verdict {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return GO_ON };
        let known = self.processes.get_mut(&process).and_then(|process| process.open.remove(&number));
        self.drops_timer(process, number);
        match known {
            Some(Opened { file, .. }) => Verdict::Ask(
                vec![FileOp { operation: Operation::Close, file, ..FileOp::default() }],
                Answer::GoOn,
            ),
            None => GO_ON,
        }
    }

    /// How a file is accessed becomes another, for all that have it open by the same way: they are looked at anew.
    fn sets_flags(&mut self, id: u32, number: i32) -> Verdict {
        let process = self.threads.get(&id).and_then(|thread| self.processes.get(&thread.process));
        if let Some(file) = process.and_then(|process| process.open.get(&number)).map(|opened| opened.file) {
            self.processes
                .values_mut()
                .for_each(|process| process.open.retain(|_, opened| opened.file != file));
        }
        GO_ON
    }

    fn closes_all(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return GO_ON };
        let (first, last) =
            (u32::try_from(a[0]).unwrap_or(u32::MAX), u32::try_from(a[1]).unwrap_or(u32::MAX));
        if let Some(process) = self.processes.get_mut(&process) {
            process.open.retain(|&number, _| {
                u32::try_from(number).is_ok_and(|number| number < first || number > last)
            });
        }
        if a[2] & u64::from(libc::CLOSE_RANGE_CLOEXEC) == 0 {
            self.drops_timers(|of, number| {
                of == process && u32::try_from(number).is_ok_and(|number| number >= first && number <= last)
            });
        }
        GO_ON
    }

    /// What is submitted to the kernel's own threads (io_submit(2)) is carried out one after the other before the call returns: how many
    /// are under way beside each other isn't simulated.
    fn submits(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        let mut ops = Vec::new();
        for index in 0..a[1].min(SUBMITTED_MAX) {
            let told = memory::words::<1>(id, a[2].saturating_add(8 * index)).ok();
            let Some([_, said, what, at, length, offset]) =
                told.and_then(|[at]| memory::words::<6>(id, at).ok())
            else {
                break;
            };
            // Of parts their number is given.
            let length = match what & 0xffff {
                PARTS_READ | PARTS_WRITTEN => memory::bytes_of_parts(id, at, length).unwrap_or(0),
                _ => length,
            };
            let operation = match what & 0xffff {
                0 | PARTS_READ => Operation::Read,
                1 | PARTS_WRITTEN => Operation::Write,
                2 => Operation::Fsync,
                3 => Operation::Fdatasync,
                _ => continue,
            };
            let Is::Stored(Opened { file, flags, .. }, first) = self.is(id, descriptor(what >> 32)) else {
                continue;
            };
            ops.extend(first);
            let moves = matches!(operation, Operation::Read | Operation::Write);
            if operation == Operation::Write {
                self.files.was_written(file, self.clock(id));
            }
            let flags = access(flags | of_one_access(said >> 32));
            let (offset, length) = if moves { (offset, length) } else { (0, 0) };
            if !moves || length > 0 {
                ops.push(FileOp { operation, file, offset, length, flags, ..FileOp::default() });
            }
        }
        Verdict::Ask(ops, Answer::GoOn)
    }

    /// What is mapped is read and written unseen: it is counted.
    fn maps(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        if let Is::Stored(..) = self.is(id, descriptor(a[4])) {
            self.tell(|told| told.mapped = (told.mapped.0 + 1, told.mapped.1 + a[1]));
        }
        GO_ON
    }
}

/// An access to a file through a descriptor of these flags; none of no bytes.
fn moved(operation: Operation, file: FileId, (offset, length): (u64, u64), flags: OFlags) -> Option<FileOp> {
    (length > 0).then(|| FileOp {
        operation,
        file,
        offset,
        length,
        flags: access(flags),
        ..FileOp::default()
    })
}

/// How one access is made beside what its descriptor says (`RWF_DSYNC` and the like, preadv2(2)).
fn of_one_access(flags: u64) -> OFlags {
    const DATA_SYNC: u64 = 2;
    const SYNC: u64 = 4;
    const APPEND: u64 = 16;
    let pairs = [(DATA_SYNC, libc::O_DSYNC), (SYNC, libc::O_SYNC), (APPEND, libc::O_APPEND)];
    let asked = pairs.iter().filter(|(flag, _)| flags & flag != 0);
    asked.fold(OFlags::empty(), |all, (_, flag)| all | OFlags::from_bits_retain(flag.unsigned_abs()))
}

/// Where a file is accessed: where a word in the program's memory says, or where it stands.
fn stands(id: u32, fd: &OwnedFd, at: u64) -> u64 {
    match memory::words::<1>(id, at) {
        Ok([offset]) if at != 0 => offset,
        _ => seek(fd, SeekFrom::Current(0)).unwrap_or(0),
    }
}

/// How a descriptor's accesses are made.
fn access(flags: OFlags) -> AccessFlags {
    // The library takes O_DSYNC for O_SYNC, which has one bit more.
    let has = |flag: i32| flags.bits() & flag.unsigned_abs() == flag.unsigned_abs();
    let sync = has(libc::O_SYNC);
    AccessFlags {
        direct: flags.contains(OFlags::DIRECT),
        sync,
        data_sync: !sync && has(libc::O_DSYNC),
        append: flags.contains(OFlags::APPEND),
        ..AccessFlags::default()
    }
}
