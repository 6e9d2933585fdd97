//! A call begins: what it concerns is looked up, and its events get their places in the order of time.
//!
//! Calls that free a descriptor take effect at their beginning: from then on another thread may be given its number.

use super::queue::Position;
use super::table::{Descriptor, Nature, OpenId};
use super::{InCall, Joiner};
use crate::recorder::kernel_event::Call;
use petrio_time::numbers::low_half;
use petrio_trace::event::EventKind;
use rustix::fs::OFlags;
use smallvec::SmallVec;

/// `fcntl` and `ioctl` commands (include/uapi/asm-generic/fcntl.h, ioctls.h).
pub(super) const DUPLICATE: u64 = 0;
pub(super) const DUPLICATE_CLOSE_ON_EXEC: u64 = 1_030;
const SET_DESCRIPTOR_FLAGS: u64 = 2;
const SET_FILE_FLAGS: u64 = 4;
const CLEAR_CLOSE_ON_EXEC: u64 = 0x5450;
const SET_CLOSE_ON_EXEC: u64 = 0x5451;

/// Flags of `close_range` (include/uapi/linux/close_range.h).
const UNSHARE: u64 = 2;
const ONLY_CLOSE_ON_EXEC: u64 = 4;

/// The path is empty: the descriptor itself is meant.
const EMPTY_PATH: u64 = 0x1000;

impl Joiner {
    pub(super) fn enter(&mut self, time_ns: u64, thread: u32, call: Call, arguments: [u64; 5]) {
        if self.passed_over.contains(&thread) {
            return;
        }
        self.meet(thread);
        self.counts.calls += 1;
        if let Some(state) = self.threads.get_mut(&thread) {
            state.fault = None;
            if let Some(unfinished) = state.call.take() {
                self.counts.unfinished += 1;
                self.abandon(thread, &unfinished);
            }
        }
        let Some(opens) = self.opens(time_ns, thread, call, arguments) else { return };
        let Some(places) = self.reserved(time_ns, thread, call, opens) else { return };
        let in_call = InCall {
            call,
            arguments,
            began_ns: time_ns,
            opens,
            places,
            read: None,
            added: SmallVec::new(),
            written: None,
            touched: None,
            looked_up: None,
            unlinked: None,
            allocated: None,
            path: None,
        };
        if let Some(state) = self.threads.get_mut(&thread) {
            state.call = Some(in_call);
        }
    }

    /// The opened files that a call is about; `None` of a call that is done with here.
    fn opens(
        &mut self,
        time_ns: u64,
        thread: u32,
        call: Call,
        arguments: [u64; 5],
    ) -> Option<[Option<OpenId>; 2]> {
        // Arguments are machine words; a descriptor is the lower half of one.
        let descriptor = low_half(arguments[0]);
        Some(match call {
            Call::Close => match self.begin_close(thread, descriptor) {
                Some(open) => [Some(open), None],
                None => return None,
            },
            Call::CloseRange => {
                self.close_range(time_ns, thread, arguments);
                return None;
            }
            Call::Asynchronous => {
                self.counts.asynchronous_calls += 1;
                return None;
            }
            Call::Control if !matches!(arguments[1], DUPLICATE | DUPLICATE_CLOSE_ON_EXEC) => {
                self.control(thread, arguments);
                return None;
            }
            Call::List => {
                if let Some(open) = self.descriptor(thread, descriptor) {
                    self.is_other(open.open);
                }
                return None;
            }
            Call::Map => {
                if let Some(open) = self.descriptor(thread, descriptor) {
                    self.map(thread, open.open);
                }
                return None;
            }
            Call::SendFile | Call::CopyRange => {
                [descriptor, low_half(arguments[1])].map(|one| self.open_of(thread, one))
            }
            Call::StatAt if arguments[1] & EMPTY_PATH == 0 => [None; 2],
            _ if call.has_descriptor() => [self.open_of(thread, descriptor), None],
            _ => [None; 2],
        })
    }

    /// Where its events will stand in the trace; `None` of a call on what is no file.
    fn reserved(
        &mut self,
        time_ns: u64,
        thread: u32,
        call: Call,
        opens: [Option<OpenId>; 2],
    ) -> Option<[Option<Position>; 2]> {
        let is_incomplete = self.table_of(thread).is_some_and(|table| table.is_incomplete);
        let mut places = [None; 2];
        match call {
            Call::Read
            | Call::ReadAt
            | Call::Write
            | Call::WriteAt
            | Call::SendFile
            | Call::CopyRange
            | Call::Sync
            | Call::TruncateOpen => {
                for (index, place) in places.iter_mut().enumerate() {
                    // Of a descriptor that was opened before the capture, the call itself may tell whether it is a
                    // file's.
                    if opens[index].is_some() || is_incomplete && index == 0 {
                        *place = Some(self.queue.reserve(time_ns));
                    }
                }
                // What is no file's isn't looked at any further.
                if places == [None; 2] && opens == [None; 2] {
                    return None;
                }
            }
            Call::Duplicate | Call::DuplicateTo | Call::Control | Call::Seek => {}
            _ => places[0] = Some(self.queue.reserve(time_ns)),
        }
        Some(places)
    }

    /// The opened file that a descriptor stands for, unless it is none that a trace has.
    fn open_of(&self, thread: u32, descriptor: u32) -> Option<OpenId> {
        let open = self.descriptor(thread, descriptor)?.open;
        self.opens.get(open).filter(|opened| opened.nature != Nature::Other).map(|_| open)
    }

    /// A call whose end won't be seen. What it closed is closed.
    pub(super) fn abandon(&mut self, thread: u32, call: &InCall) {
        if let (Call::Close, [Some(open), _], [Some(place), _]) = (call.call, call.opens, call.places) {
            let event = self.event(EventKind::Close, call.began_ns, thread);
            return self.closed(open, place, event);
        }
        for place in call.places.into_iter().flatten() {
            self.queue.clear(place);
        }
    }

    /// A descriptor is free now; gives back what is closed when the call is over.
    fn begin_close(&mut self, thread: u32, descriptor: u32) -> Option<OpenId> {
        let closed = self.table_of(thread)?.descriptors.remove(&descriptor)?.open;
        if !self.is_last(closed) {
            return None;
        }
        self.opens.get_mut(closed)?.is_closing = true;
        Some(closed)
    }

    fn close(&mut self, time_ns: u64, thread: u32, descriptor: u32) {
        let closed = self.table_of(thread).and_then(|table| table.descriptors.remove(&descriptor));
        if let Some(closed) = closed {
            self.let_go(time_ns, thread, closed.open);
        }
    }

    fn close_range(&mut self, time_ns: u64, thread: u32, [first, last, flags, ..]: [u64; 5]) {
        if flags & UNSHARE != 0 {
            self.own_table(thread);
        }
        let Some(table) = self.table_of(thread) else { return };
        let (first, last) = (low_half(first), low_half(last));
        if first > last {
            return;
        }
        let mut closed = Vec::new();
        for (descriptor, what) in table.descriptors.range_mut(first..=last) {
            if flags & ONLY_CLOSE_ON_EXEC != 0 {
                what.close_on_exec = true;
            } else {
                closed.push((*descriptor, what.open));
            }
        }
        for (descriptor, _) in &closed {
            table.descriptors.remove(descriptor);
        }
        for (_, open) in closed {
            self.let_go(time_ns, thread, open);
        }
    }

    fn control(&mut self, thread: u32, [descriptor, command, argument, ..]: [u64; 5]) {
        let set_close_on_exec = match command {
            SET_DESCRIPTOR_FLAGS => argument & 1 != 0,
            SET_CLOSE_ON_EXEC => true,
            CLEAR_CLOSE_ON_EXEC => false,
            SET_FILE_FLAGS => {
                let open = self.descriptor(thread, low_half(descriptor));
                if let Some(opened) = open.and_then(|what| self.opens.get_mut(what.open)) {
                    opened.appends = OFlags::from_bits_retain(low_half(argument)).contains(OFlags::APPEND);
                }
                return;
            }
            _ => return,
        };
        let table = self.table_of(thread);
        if let Some(what) = table.and_then(|table| table.descriptors.get_mut(&low_half(descriptor))) {
            what.close_on_exec = set_close_on_exec;
        }
    }

    /// A descriptor stands for the same as another.
    pub(super) fn duplicate(&mut self, time_ns: u64, thread: u32, from: u32, to: u32, close_on_exec: bool) {
        match self.descriptor(thread, from) {
            Some(what) if from != to => {
                self.put(time_ns, thread, to, Descriptor { open: what.open, close_on_exec });
            }
            Some(_) => {}
            // The other is no file's; then the new one isn't either.
            None => self.close(time_ns, thread, to),
        }
    }
}

impl Call {
    /// Whether its first argument is a descriptor that it works on.
    const fn has_descriptor(self) -> bool {
        matches!(
            self,
            Self::Read
                | Self::ReadAt
                | Self::Write
                | Self::WriteAt
                | Self::Seek
                | Self::Sync
                | Self::TruncateOpen
                | Self::StatOpen
                | Self::StatAt
        )
    }
}
