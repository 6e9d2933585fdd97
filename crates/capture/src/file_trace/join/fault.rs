//! Pages outside of reads: those of mapped files and of programs that are started.
//!
//! Mapped memory is read without a call. A page fault that finds its page in the cache leaves no record, as it is as
//! quick as memory; one that misses becomes a read of that page, with the time at which the page was asked for and no
//! service time.

use super::table::{OpenId, Table};
use super::{Joiner, PAGE_BYTES, Pages, byte_of};
use crate::recorder::kernel_event::{Call, Inode};
use petrio_trace::event::EventKind;

impl Joiner {
    /// A call looked for pages to read them.
    pub(super) fn read_pages(&mut self, time_ns: u64, thread: u32, inode: Inode, first: u64) {
        let Some(state) = self.threads.get_mut(&thread) else { return };
        state.fault = None;
        let Some(call) = &mut state.call else { return };
        call.read.get_or_insert((inode, first));
        if call.call != Call::Execute {
            return;
        }
        // The kernel reads a program's beginning; what it maps of it comes later.
        let missed = call.added.iter().any(|pages| covers(*pages, inode, first));
        call.added.retain(|(other, _, _)| *other != inode);
        let table = state.table;
        if missed {
            self.record_miss(time_ns, thread, inode, first);
        }
        if let Some(table) = self.tables.get_mut(table) {
            note_mapped(table, inode);
        }
    }

    /// Pages came into the cache.
    pub(super) fn added(&mut self, time_ns: u64, thread: u32, pages: Pages) {
        let Some(state) = self.threads.get_mut(&thread) else { return };
        if let Some((inode, page)) = state.fault
            && covers(pages, inode, page)
        {
            state.fault = None;
            self.record_miss(time_ns, thread, inode, page);
        } else if let Some(call) = &mut state.call {
            call.added.push(pages);
        }
    }

    fn record_miss(&mut self, time_ns: u64, thread: u32, inode: Inode, page: u64) {
        let mut event = self.event(EventKind::Read, time_ns, thread);
        event.file = self.key(inode);
        event.offset = Some(byte_of(page));
        event.length = PAGE_BYTES;
        event.hit = Some(false);
        let missed = [(byte_of(page), byte_of(page.saturating_add(1)))];
        event.extents = self.places.find(event.file, byte_of(page), PAGE_BYTES, &missed);
        self.counts.faults_missed += 1;
        self.queue.push(time_ns, event);
    }

    /// Somebody's memory maps this inode. If just one opened file that is mapped isn't known, it is this.
    pub(super) fn mapped(&mut self, thread: u32, inode: Inode) {
        let Some(state) = self.threads.get(&thread) else { return };
        let Some(table) = self.tables.get_mut(state.table) else { return };
        if table.mapped_unknown.is_empty() || table.mapped.contains(&inode) {
            return;
        }
        note_mapped(table, inode);
        let [open] = table.mapped_unknown[..] else { return };
        table.mapped_unknown.clear();
        self.identify(open, inode);
        self.end_mapping(open);
    }

    /// A descriptor's file was mapped.
    pub(super) fn map(&mut self, thread: u32, open: OpenId) {
        let Some(state) = self.threads.get(&thread) else { return };
        let (Some(table), Some(opened)) = (self.tables.get_mut(state.table), self.opens.get_mut(open)) else {
            return;
        };
        if opened.file.is_known() {
            note_mapped(table, Inode { device: opened.file.device, number: opened.file.inode });
        } else if !table.mapped_unknown.contains(&open) && !opened.is_mapped {
            table.mapped_unknown.push(open);
            opened.is_mapped = true;
        }
    }

    /// Memory doesn't map it any more, or it is known.
    pub(super) fn end_mapping(&mut self, open: OpenId) {
        if let Some(opened) = self.opens.get_mut(open) {
            opened.is_mapped = false;
            if opened.references == 0 && !opened.is_closing {
                self.give_up(open);
            }
        }
    }
}

/// A program maps some tens of files; beyond that, telling them apart isn't worth the time.
const MAPPED_MAX: usize = 256;

fn note_mapped(table: &mut Table, inode: Inode) {
    if table.mapped.len() < MAPPED_MAX && !table.mapped.contains(&inode) {
        table.mapped.push(inode);
    }
}

pub(super) fn covers((inode, first, last): Pages, other: Inode, page: u64) -> bool {
    inode == other && (first..=last).contains(&page)
}
