//! Opened files: which file each is, and how it ends.

use super::Joiner;
use super::queue::Position;
use super::table::{Descriptor, Nature, Open, OpenId};
use crate::recorder::kernel_event::Inode;
use petrio_trace::event::{Event, EventKind, FileKey};

impl Joiner {
    /// It is known now which file this is; events that waited for that can go.
    pub(super) fn identify(&mut self, open: OpenId, inode: Inode) {
        let key = self.key(inode);
        let Some(opened) = self.opens.get_mut(open) else { return };
        if opened.file.is_known() {
            return;
        }
        (opened.file, opened.nature) = (key, Nature::File);
        let waiting = std::mem::take(&mut opened.waiting);
        let size = self.sizes.get(&key).copied();
        for place in waiting {
            self.queue.complete(place, |event| {
                event.file = key;
                if matches!(event.kind, EventKind::Open) {
                    event.size = event.size.or(size);
                }
            });
        }
    }

    /// It is known now that this is no file of the page cache: it leaves no trace.
    pub(super) fn is_other(&mut self, open: OpenId) {
        let Some(opened) = self.opens.get_mut(open) else { return };
        if opened.nature == Nature::Unknown {
            opened.nature = Nature::Other;
            self.counts.other_opens += 1;
            for place in std::mem::take(&mut opened.waiting) {
                self.queue.clear(place);
            }
        }
    }

    /// Which file it is won't be known: what waited goes as it is.
    pub(super) fn give_up(&mut self, open: OpenId) {
        let Some(opened) = self.opens.remove(open) else { return };
        self.counts.unknown_files += u64::from(!opened.waiting.is_empty());
        for place in opened.waiting {
            self.queue.complete(place, |_| {});
        }
    }

    /// A descriptor stands for it no longer. Through the last one it is closed.
    pub(super) fn let_go(&mut self, time_ns: u64, thread: u32, open: OpenId) {
        if self.is_last(open) {
            let place = self.queue.reserve(time_ns);
            let event = self.event(EventKind::Close, time_ns, thread);
            self.closed(open, place, event);
        }
    }

    /// Takes a descriptor away; whether it was the last of something that a trace has.
    pub(super) fn is_last(&mut self, open: OpenId) -> bool {
        let Some(opened) = self.opens.get_mut(open) else { return false };
        opened.references = opened.references.saturating_sub(1);
        if opened.references > 0 {
            return false;
        }
        if opened.nature == Nature::Other {
            self.opens.remove(open);
            return false;
        }
        true
    }

    /// It is closed, by this event.
    pub(super) fn closed(&mut self, open: OpenId, place: Position, mut event: Event) {
        let Some(opened) = self.opens.get_mut(open) else { return self.queue.clear(place) };
        if opened.nature == Nature::Other {
            self.opens.remove(open);
            return self.queue.clear(place);
        }
        opened.is_closing = false;
        let (file, totals) = (opened.file, opened.totals);
        let hit = (totals.reads > 0).then_some(opened.all_hit);
        let (is_mapped, access) = (opened.is_mapped, opened.access);
        (event.file, event.totals, event.hit, event.access) = (file, Some(totals), hit, access);
        if file.is_known() {
            self.queue.settle(place, event);
            self.opens.remove(open);
            return;
        }
        self.queue.unsettle(place, event);
        if let Some(opened) = self.opens.get_mut(open) {
            opened.waiting.push(place);
        }
        if !is_mapped {
            self.give_up(open);
        }
    }

    /// A descriptor stands for something new; what it stood for, if that wasn't seen to be closed, is let go.
    pub(super) fn put(&mut self, time_ns: u64, thread: u32, descriptor: u32, new: Descriptor) {
        if let Some(opened) = self.opens.get_mut(new.open) {
            opened.references += 1;
            opened.holder = (thread, descriptor);
        }
        let old = self.table_of(thread).and_then(|table| table.descriptors.insert(descriptor, new));
        if let Some(old) = old {
            self.let_go(time_ns, thread, old.open);
        }
    }

    /// Opened files that nobody knows yet, each with one who has it.
    pub(crate) fn unknown_opens(&self) -> Vec<(OpenId, (u32, u32))> {
        let unknown = |open: &Open| open.nature == Nature::Unknown && open.references > 0;
        self.opens.iter().filter(|(_, open)| unknown(open)).map(|(id, open)| (id, open.holder)).collect()
    }

    /// Whether the opened file is still the one that was looked at, at a time of the trace's clock.
    pub(crate) fn is_still(&self, open: OpenId, holder: (u32, u32), before_ns: u64) -> bool {
        self.opens.get(open).is_some_and(|opened| {
            opened.nature == Nature::Unknown && opened.holder == holder && opened.opened_ns < before_ns
        }) && self.descriptor(holder.0, holder.1).is_some_and(|descriptor| descriptor.open == open)
    }

    /// What /proc showed of an opened file: a regular file, or something else.
    pub(crate) fn shown(&mut self, open: OpenId, inode: Option<Inode>) {
        match inode {
            Some(inode) => self.identify(open, inode),
            None => self.is_other(open),
        }
    }

    /// How long a file is, as far as known.
    pub(super) fn grow(&mut self, file: FileKey, end: u64) {
        if file.is_known() {
            let size = self.sizes.entry(file).or_insert(end);
            *size = end.max(*size);
        }
    }
}
