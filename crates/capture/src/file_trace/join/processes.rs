//! Processes: what a child inherits, what an exec closes, what an end leaves.
//!
//! Source: Linux 6.18 `kernel/fork.c` (`copy_files`: CLONE_FILES shares the table, otherwise it is copied), `fs/exec.c`
//! (`de_thread`, `unshare_files`, `do_close_on_exec`).

use super::table::{Descriptor, Open, Shown, Table};
use super::{Joiner, Thread};

/// Share the table of descriptors (include/uapi/linux/sched.h).
const CLONE_FILES: u64 = 0x400;

impl Joiner {
    pub(super) fn table_of(&mut self, thread: u32) -> Option<&mut Table> {
        self.tables.get_mut(self.threads.get(&thread)?.table)
    }

    pub(super) fn descriptor(&self, thread: u32, descriptor: u32) -> Option<Descriptor> {
        let table = self.tables.get(self.threads.get(&thread)?.table)?;
        table.descriptors.get(&descriptor).copied()
    }

    /// A thread that was met without having seen how it began.
    pub(super) fn meet(&mut self, thread: u32) {
        if !self.threads.contains_key(&thread) {
            let table = self.tables.insert(Table { threads: 1, is_incomplete: true, ..Table::default() });
            self.threads.insert(thread, Thread { table, call: None, fault: None });
            self.strangers.push(thread);
        }
    }

    /// Passes over a thread's calls, though not its children's: petrio's own that starts the command.
    pub(crate) fn pass_over(&mut self, thread: u32) {
        self.passed_over.push(thread);
    }

    /// A process with the descriptors that /proc shows. What was already seen of them stands.
    pub(crate) fn adopt(&mut self, threads: &[u32], shown: &[Shown], is_complete: bool) {
        let Some((first, others)) = threads.split_first() else { return };
        self.meet(*first);
        let Some(table) = self.threads.get(first).map(|thread| thread.table) else { return };
        for other in others {
            let new = Thread { table, call: None, fault: None };
            let is_new = match self.threads.get_mut(other) {
                Some(known) if known.table == table => false,
                // It was met before its process was; what it opened meanwhile is given up.
                Some(known) => {
                    known.table = table;
                    true
                }
                None => self.threads.insert(*other, new).is_none(),
            };
            if let Some(table) = self.tables.get_mut(table) {
                table.threads += u32::from(is_new);
            }
        }
        if let Some(table) = self.tables.get_mut(table) {
            table.is_incomplete = !is_complete;
        }
        for one in shown {
            if self.descriptor(*first, one.descriptor).is_some() {
                continue;
            }
            let Some(file) = &one.file else { continue };
            let mut open = Open::new((*first, one.descriptor), 0);
            open.access = Some(one.access);
            (open.appends, open.synchronous, open.position) = (one.appends, one.synchronous, one.position);
            let open = self.opens.insert(open);
            self.put(0, *first, one.descriptor, Descriptor { open, close_on_exec: one.close_on_exec });
            match &file.path {
                Some(path) => self.learn_name(file.inode, path, file.size),
                None => self.grow(self.key(file.inode), file.size),
            }
            self.identify(open, file.inode);
        }
    }

    pub(super) fn fork(&mut self, time_ns: u64, parent: u32, child: u32, flags: u64) {
        self.meet(parent);
        if self.threads.contains_key(&child) {
            // Its number was used before, by one whose end wasn't seen.
            self.ended(time_ns, child);
            self.meet(parent);
        }
        let Some(of_parent) = self.threads.get(&parent).map(|thread| thread.table) else { return };
        let table = if flags & CLONE_FILES != 0 {
            if let Some(table) = self.tables.get_mut(of_parent) {
                table.threads += 1;
            }
            of_parent
        } else {
            self.copy_table(of_parent)
        };
        self.threads.insert(child, Thread { table, call: None, fault: None });
    }

    /// A table of its own with the same descriptors.
    fn copy_table(&mut self, from: usize) -> usize {
        let Some(table) = self.tables.get(from) else { return self.tables.insert(Table::default()) };
        let copy = Table {
            threads: 1,
            descriptors: table.descriptors.clone(),
            is_incomplete: table.is_incomplete,
            mapped: table.mapped.clone(),
            mapped_unknown: smallvec::SmallVec::new(),
        };
        for descriptor in copy.descriptors.values() {
            if let Some(open) = self.opens.get_mut(descriptor.open) {
                open.references += 1;
            }
        }
        self.tables.insert(copy)
    }

    pub(super) fn executed(&mut self, time_ns: u64, thread: u32, former: u32, path: &str) {
        if former != thread
            && let Some(state) = self.threads.remove(&former)
        {
            // The other threads have ended by now, the first among them.
            self.ended(time_ns, thread);
            self.threads.insert(thread, state);
        }
        self.meet(thread);
        self.own_table(thread);
        if let Some(call) = self.call_of(thread) {
            call.path = Some(path.into());
        }
        let Some(table) = self.table_of(thread) else { return };
        // Its memory is new; what the exec itself has read of it is noted as mapped again by its faults.
        table.mapped.clear();
        let unmapped = std::mem::take(&mut table.mapped_unknown);
        let mut closed = Vec::new();
        table.descriptors.retain(|_, descriptor| {
            closed.extend(descriptor.close_on_exec.then_some(descriptor.open));
            !descriptor.close_on_exec
        });
        for open in closed {
            self.let_go(time_ns, thread, open);
        }
        for open in unmapped {
            self.end_mapping(open);
        }
    }

    /// A table that it shares with nobody.
    pub(super) fn own_table(&mut self, thread: u32) {
        let Some(shared) = self.threads.get(&thread).map(|state| state.table) else { return };
        if self.tables.get(shared).is_some_and(|table| table.threads > 1) {
            let own = self.copy_table(shared);
            if let Some(table) = self.tables.get_mut(shared) {
                table.threads -= 1;
            }
            if let Some(state) = self.threads.get_mut(&thread) {
                state.table = own;
            }
        }
    }

    pub(super) fn ended(&mut self, time_ns: u64, thread: u32) {
        let Some(state) = self.threads.remove(&thread) else { return };
        if let Some(call) = state.call {
            self.abandon(thread, &call);
        }
        let Some(table) = self.tables.get_mut(state.table) else { return };
        table.threads = table.threads.saturating_sub(1);
        if table.threads > 0 {
            return;
        }
        let Some(table) = self.tables.remove(state.table) else { return };
        for descriptor in table.descriptors.values() {
            self.let_go(time_ns, thread, descriptor.open);
        }
        for open in table.mapped_unknown {
            self.end_mapping(open);
        }
    }

    /// Events were lost: what is in progress may have ended unseen.
    pub(crate) fn gap(&mut self) {
        self.give_up_names();
        let in_progress = |(thread, state): (&u32, &mut Thread)| Some((*thread, state.call.take()?));
        let calls: Vec<_> = self.threads.iter_mut().filter_map(in_progress).collect();
        for (thread, call) in calls {
            self.abandon(thread, &call);
        }
    }

    /// The capture ends: what is still open stays so, and nothing more will be known of it.
    pub(crate) fn end(&mut self) {
        self.settle_names();
        self.gap();
        let opens: Vec<_> = self.opens.iter().map(|(open, _)| open).collect();
        for open in opens {
            self.give_up(open);
        }
    }
}
