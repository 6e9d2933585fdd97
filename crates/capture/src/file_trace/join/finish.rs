//! A call returns: its record is completed from what was seen of it and in its context.

use super::call::DUPLICATE_CLOSE_ON_EXEC;
use super::queue::Position;
use super::table::{Descriptor, Nature, Open, OpenId};
use super::{InCall, Joiner, KIND, REGULAR, byte_of};
use crate::recorder::kernel_event::{Call, Inode};
use petrio_time::Time;
use petrio_time::numbers::low_half;
use petrio_trace::event::{Access, Event, EventKind};
use rustix::fs::OFlags;

/// `unlinkat` of a directory.
const REMOVE_DIRECTORY: u64 = 0x200;

impl Joiner {
    pub(super) fn exit(&mut self, time_ns: u64, thread: u32, call: Call, result: i64) {
        let Some(state) = self.threads.get_mut(&thread) else { return };
        state.fault = None;
        let Some(done) = state.call.take_if(|one| one.call == call) else { return };
        let end = Ended { time_ns, thread, result };
        let (descriptor, made) = (low_half(done.arguments[0]), low_half(result.cast_unsigned()));
        match call {
            Call::Open | Call::OpenSomehow | Call::Create => self.opened(&done, end),
            Call::Read | Call::ReadAt => self.read(&done, end, 0),
            Call::Write | Call::WriteAt => self.wrote(&done, end, 0),
            Call::SendFile | Call::CopyRange => {
                self.read(&done, end, 0);
                self.wrote(&done, end, 1);
            }
            // Whatever it returns: it may be the write of what was put off that failed.
            Call::Close => {
                if let ([Some(open), _], [Some(place), _]) = (done.opens, done.places) {
                    let event = self.begun(&done, end, EventKind::Close);
                    self.closed(open, place, event);
                }
            }
            Call::Duplicate if result >= 0 => {
                self.duplicate(time_ns, thread, descriptor, made, false);
            }
            Call::DuplicateTo if result >= 0 => {
                let flags = OFlags::from_bits_retain(low_half(done.arguments[2]));
                self.duplicate(time_ns, thread, descriptor, made, flags.contains(OFlags::CLOEXEC));
            }
            Call::Control if result >= 0 => {
                let close_on_exec = done.arguments[1] == DUPLICATE_CLOSE_ON_EXEC;
                self.duplicate(time_ns, thread, descriptor, made, close_on_exec);
            }
            Call::Seek => {
                if let (Some(opened), Ok(position)) = (self.open_mut(&done, 0), u64::try_from(result)) {
                    opened.position = Some(position);
                }
            }
            Call::Sync => self.on_open(&done, end, EventKind::Fsync, |_| {}),
            Call::StatOpen => self.on_open(&done, end, EventKind::Stat, |_| {}),
            Call::TruncateOpen => {
                let size = done.arguments[1];
                self.on_open(&done, end, EventKind::Truncate, |event| event.size = Some(size));
                self.set_size(&done, end, size);
            }
            Call::StatAt if done.opens[0].is_some() => self.on_open(&done, end, EventKind::Stat, |_| {}),
            Call::Stat | Call::StatAt => self.by_name(&done, end, EventKind::Stat, None, |_| {}),
            Call::Truncate => {
                let size = done.arguments[0];
                let file = done.touched;
                self.by_name(&done, end, EventKind::Truncate, file, |event| event.size = Some(size));
                self.set_size(&done, end, size);
            }
            Call::Rename => self.of_names(&done, end, EventKind::Rename),
            Call::Unlink if done.arguments[0] & REMOVE_DIRECTORY != 0 => self.abandon(thread, &done),
            Call::Unlink => {
                let (file, size) = done.unlinked.unzip();
                self.by_name(&done, end, EventKind::Unlink, None, |event| {
                    (event.file, event.size) = (file.unwrap_or_default(), size);
                });
            }
            Call::MakeDirectory => self.of_names(&done, end, EventKind::Mkdir),
            Call::Execute => {
                let (inode, path) = (done.read.map(|(inode, _)| inode), done.path.clone());
                self.by_name(&done, end, EventKind::Exec, inode, |event| {
                    event.path = path.or_else(|| event.path.take());
                });
            }
            _ => self.abandon(thread, &done),
        }
    }

    fn open_mut(&mut self, done: &InCall, index: usize) -> Option<&mut Open> {
        self.opens.get_mut(done.opens[index]?)
    }

    fn begun(&self, done: &InCall, end: Ended, kind: EventKind) -> Event {
        let mut event = self.event(kind, done.began_ns, end.thread);
        event.service = Some(Time::from_nanos(end.time_ns.saturating_sub(done.began_ns)));
        event.error = end.error();
        event
    }

    /// A call that names its file by a path. One that failed is kept in a full trace only.
    fn by_name(
        &mut self,
        done: &InCall,
        end: Ended,
        kind: EventKind,
        inode: Option<Inode>,
        complete: impl FnOnce(&mut Event),
    ) {
        let Some(place) = done.places[0] else { return };
        if end.result < 0 && !self.full {
            return self.queue.clear(place);
        }
        let mut event = self.begun(done, end, kind);
        event.file = inode.map(|inode| self.key(inode)).unwrap_or_default();
        complete(&mut event);
        self.queue.settle(place, event);
    }

    /// A call that changes names only. What it does to which file is told elsewhere, if at all.
    fn of_names(&mut self, done: &InCall, end: Ended, kind: EventKind) {
        let inode = done.allocated.map(|(inode, _)| inode);
        if end.result < 0 {
            return self.by_name(done, end, kind, None, |_| {});
        }
        let mut event = self.begun(done, end, kind);
        event.file = inode.map(|inode| self.key(inode)).unwrap_or_default();
        self.wait_for_name(done, end.time_ns, end.thread, event);
    }

    /// A call that names its file by a descriptor and moves no bytes.
    fn on_open(&mut self, done: &InCall, end: Ended, kind: EventKind, complete: impl FnOnce(&mut Event)) {
        let Some(place) = done.places[0] else { return };
        let Some(open) = done.opens[0] else { return self.queue.clear(place) };
        if let Some(inode) = done.touched {
            self.identify(open, inode);
        }
        let mut event = self.begun(done, end, kind);
        complete(&mut event);
        self.settle(place, open, event);
    }

    /// The event goes as soon as its file is known.
    fn settle(&mut self, place: Position, open: OpenId, mut event: Event) {
        match self.opens.get_mut(open) {
            Some(opened) if opened.nature == Nature::Other => self.queue.clear(place),
            Some(opened) if !opened.file.is_known() => {
                opened.waiting.push(place);
                self.queue.unsettle(place, event);
            }
            Some(opened) => {
                event.file = opened.file;
                self.queue.settle(place, event);
            }
            None => self.queue.settle(place, event),
        }
    }

    fn set_size(&mut self, done: &InCall, end: Ended, size: u64) {
        let opened = done.opens[0].and_then(|open| self.opens.get(open)).map(|opened| opened.file);
        let file = opened.or_else(|| done.touched.map(|inode| self.key(inode)));
        if let Some(file) = file.filter(|file| end.result == 0 && file.is_known()) {
            self.sizes.insert(file, size);
        }
    }

    fn opened(&mut self, done: &InCall, end: Ended) {
        let Some(place) = done.places[0] else { return };
        let flags = match done.call {
            Call::Open => Some(OFlags::from_bits_retain(low_half(done.arguments[0]))),
            Call::Create => Some(OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC),
            _ => None,
        };
        let has = |flag| flags.is_some_and(|flags| flags.contains(flag));
        if let Some((inode, _)) = done.allocated.filter(|_| end.result < 0 || has(OFlags::TMPFILE)) {
            self.matching.forget_made(end.thread, inode);
        }
        // A directory, or a place in the tree that nobody reads; a nameless file is asked for as a directory's.
        let is_no_file = has(OFlags::PATH) || has(OFlags::DIRECTORY) && !has(OFlags::TMPFILE);
        if end.result < 0 && !self.full || is_no_file {
            if is_no_file && end.result >= 0 {
                self.open_other(end);
            }
            return self.queue.clear(place);
        }
        let allocated = done.allocated.filter(|(_, mode)| mode & KIND == REGULAR);
        let is_new = allocated.is_some() || has(OFlags::CREATE | OFlags::EXCL);
        let kind = if is_new { EventKind::Create } else { EventKind::Open };
        let mut event = self.begun(done, end, kind);
        let access = flags.map(|flags| match flags & OFlags::RWMODE {
            OFlags::WRONLY => Access::Write,
            OFlags::RDWR => Access::ReadWrite,
            _ => Access::Read,
        });
        event.access = access;
        event.size = (is_new || has(OFlags::TRUNC)).then_some(0);
        let Ok(descriptor) = u32::try_from(end.result) else { return self.queue.settle(place, event) };
        let mut open = Open::new((end.thread, descriptor), end.time_ns);
        open.access = access;
        (open.appends, open.synchronous) = (has(OFlags::APPEND), has(OFlags::SYNC) || has(OFlags::DSYNC));
        event.synchronous = open.synchronous;
        let open = self.opens.insert(open);
        let descriptor_of = Descriptor { open, close_on_exec: has(OFlags::CLOEXEC) };
        self.put(end.time_ns, end.thread, descriptor, descriptor_of);
        if let Some(inode) = allocated.map(|(inode, _)| inode).or(done.touched) {
            self.identify(open, inode);
            if event.size == Some(0) {
                let key = self.key(inode);
                self.sizes.insert(key, 0);
            }
        }
        self.settle(place, open, event);
    }

    /// A descriptor that stands for no file.
    fn open_other(&mut self, end: Ended) {
        let table = self.table_of(end.thread);
        let old = table.and_then(|table| table.descriptors.remove(&low_half(end.result.cast_unsigned())));
        if let Some(old) = old {
            self.let_go(end.time_ns, end.thread, old.open);
        }
        self.counts.other_opens += 1;
    }

    /// The opened file of a call on a descriptor that the capture doesn't know: told by what happened in its context.
    fn meet_open(&mut self, done: &InCall, end: Ended, index: usize, inode: Option<Inode>) -> Option<OpenId> {
        if let Some(open) = done.opens[index] {
            return Some(open);
        }
        let inode = inode?;
        let descriptor = low_half(done.arguments[index]);
        let mut open = Open::new((end.thread, descriptor), 0);
        open.position = None;
        let open = self.opens.insert(open);
        self.put(end.time_ns, end.thread, descriptor, Descriptor { open, close_on_exec: false });
        self.identify(open, inode);
        Some(open)
    }

    fn read(&mut self, done: &InCall, end: Ended, index: usize) {
        let Some(place) = done.places[index] else { return };
        let bytes = end.bytes();
        // Direct reads look for no pages, but for extents.
        let inode = done.read.map(|(inode, _)| inode).or(done.looked_up.filter(|_| bytes > 0));
        let Some(open) = self.meet_open(done, end, index, inode) else { return self.queue.clear(place) };
        match inode {
            Some(inode) => self.identify(open, inode),
            None if bytes > 0 => self.is_other(open),
            None => {}
        }
        let Some(opened) = self.opens.get_mut(open) else { return self.queue.clear(place) };
        if opened.nature == Nature::Other {
            return self.queue.clear(place);
        }
        let explicit = done.explicit_position(index);
        let offset = match explicit {
            Explicit::At(position) => Some(position),
            Explicit::Somewhere => None,
            Explicit::No => opened.position,
        };
        if matches!(explicit, Explicit::No) {
            opened.position = opened.position.map(|position| position.saturating_add(bytes));
        }
        let file = opened.file;
        let from = offset.or(done.read.map(|(_, page)| byte_of(page))).unwrap_or(0);
        let missed: Vec<(u64, u64)> = done
            .added
            .iter()
            .filter(|(added, ..)| Some(*added) == inode)
            .map(|(_, first, last)| (byte_of(*first), byte_of(last.saturating_add(1))))
            .collect();
        let to = from.saturating_add(bytes);
        let is_direct = bytes > 0 && done.read.is_none();
        let is_missed = is_direct || missed.iter().any(|(first, last)| *first < to && from < *last);
        if end.result >= 0 {
            opened.totals.reads += 1;
            opened.totals.bytes_read = opened.totals.bytes_read.saturating_add(bytes);
            opened.all_hit &= !is_missed;
            self.counts.reads += 1;
            self.counts.reads_missed += u64::from(is_missed);
        }
        if bytes > 0 {
            self.grow(file, to);
        }
        if !self.full && !is_missed {
            return self.queue.clear(place);
        }
        let mut event = self.begun(done, end, EventKind::Read);
        event.offset = offset;
        event.length = if end.result < 0 { done.asked() } else { bytes };
        event.hit = (end.result >= 0).then_some(!is_missed);
        let missed = if is_direct { vec![(from, to)] } else { missed };
        event.extents = self.places.find(file, from, bytes, &missed);
        self.settle(place, open, event);
    }

    fn wrote(&mut self, done: &InCall, end: Ended, index: usize) {
        let Some(place) = done.places[index] else { return };
        let bytes = end.bytes();
        // A copy looks up extents of both its files.
        let looked_up = done.looked_up.filter(|_| bytes > 0 && index == 0);
        // File systems other than ext4 tell new pages only.
        let added = done.added.first().filter(|_| bytes > 0 && index == 0).map(|(inode, ..)| *inode);
        let inode = done.written.map(|(inode, _)| inode).or(looked_up).or(added);
        let Some(open) = self.meet_open(done, end, index, inode) else { return self.queue.clear(place) };
        match inode {
            Some(inode) => self.identify(open, inode),
            None if bytes > 0 => self.is_other(open),
            None => {}
        }
        let Some(opened) = self.opens.get_mut(open) else { return self.queue.clear(place) };
        if opened.nature == Nature::Other {
            return self.queue.clear(place);
        }
        let explicit = done.explicit_position(index);
        let seen = done.written.map(|(_, position)| position);
        let offset = match explicit {
            Explicit::At(position) => Some(position),
            Explicit::Somewhere => seen,
            // At the end, wherever that is; the write itself says.
            Explicit::No => seen.or(if opened.appends { None } else { opened.position }),
        };
        if matches!(explicit, Explicit::No) {
            opened.position = offset.map(|position| position.saturating_add(bytes));
        }
        if end.result >= 0 {
            opened.totals.writes += 1;
            opened.totals.bytes_written = opened.totals.bytes_written.saturating_add(bytes);
            self.counts.writes += 1;
        }
        let (file, synchronous) = (opened.file, opened.synchronous);
        let mut event = self.begun(done, end, EventKind::Write);
        (event.offset, event.synchronous) = (offset, synchronous);
        event.length = if end.result < 0 { done.asked() } else { bytes };
        if let Some(from) = offset.filter(|_| bytes > 0) {
            self.grow(file, from.saturating_add(bytes));
            event.extents = self.places.find(file, from, bytes, &[]);
        }
        self.settle(place, open, event);
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    time_ns: u64,
    thread: u32,
    result: i64,
}

impl Ended {
    fn error(self) -> u16 {
        u16::try_from(self.result.min(0).unsigned_abs()).unwrap_or(u16::MAX)
    }

    fn bytes(self) -> u64 {
        u64::try_from(self.result).unwrap_or(0)
    }
}

/// Whether a call says where in the file.
#[derive(Clone, Copy, Debug)]
enum Explicit {
    /// It doesn't: at the file's position.
    No,
    /// There.
    At(u64),
    /// It does, but where isn't in the trace.
    Somewhere,
}

impl InCall {
    /// Bytes that were asked for.
    const fn asked(&self) -> u64 {
        match self.call {
            Call::SendFile | Call::CopyRange => self.arguments[2],
            _ => self.arguments[1],
        }
    }

    const fn explicit_position(&self, index: usize) -> Explicit {
        match self.call {
            // `preadv2` and `pwritev2` take −1 for the file's position.
            Call::ReadAt | Call::WriteAt if self.arguments[2] != u64::MAX => Explicit::At(self.arguments[2]),
            Call::SendFile if index == 0 && self.arguments[3] != 0 => Explicit::Somewhere,
            Call::CopyRange if self.arguments[3 + index] != 0 => Explicit::Somewhere,
            _ => Explicit::No,
        }
    }
}
