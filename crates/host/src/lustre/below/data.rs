//! Reads and writes: locks on extents, room to write, and what is sent when.

use super::{Locks, Lustre, Use, asking, daemon};
use crate::below::{Change, Kernel, Piece, Prepared, Stop};
use crate::copy_cost::PAGE_BYTES;
use crate::lustre::carried::Call;
use crate::lustre::layout::{FILE_PAGES, Target};
use crate::lustre::procedure::Procedure;
use crate::state::{Event, Touch};
use petrio_colours::{Direction, FileCause, FileId, FileOp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ranges of objects.
type Extents = BTreeMap<u16, (u64, u64)>;

impl Lustre {
    /// The ranges of its objects that a range of a file's pages lies in.
    fn extents(&self, (first, end): (u64, u64)) -> Extents {
        let mut extents = Extents::new();
        for part in self.is.striping.parts(first, end.saturating_sub(first)) {
            let extent = extents.entry(part.object).or_insert((part.at, part.at));
            *extent = (extent.0.min(part.at), extent.1.max(part.at + part.pages));
        }
        extents
    }

    /// The locks for a range of pages, by object: those that are there. Where one isn't, it is asked for, as all are that the rest of the
    /// call needs (`cl_lock_request`, lustre/obdclass/cl_lock.c: of all stripes at once).
    pub(super) fn lock(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        writes: bool,
        (first, end): (u64, u64),
    ) -> Result<BTreeMap<u16, u32>, Stop> {
        let last = if op.flags.stdio { end } else { (op.offset + op.length).div_ceil(PAGE_BYTES).max(end) };
        let (wanted, all) = (self.extents((first, end)), self.extents((first, last)));
        self.take_locks(kernel, op, writes, (wanted, all))
    }

    /// The locks that cutting a file takes: of all that follows, in each object.
    pub(super) fn lock_to_end(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let components = self.known.get(&op.file).map_or(1, |known| known.components as usize);
        let is = Arc::clone(&self.is);
        let left = op.length.div_ceil(PAGE_BYTES);
        let from = |object| (object, (is.striping.pages_in(object, left), FILE_PAGES));
        let all: Extents = is.striping.objects(components).map(from).collect();
        self.take_locks(kernel, op, true, (all.clone(), all)).map(drop)
    }

    fn take_locks(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        writes: bool,
        (wanted, all): (Extents, Extents),
    ) -> Result<BTreeMap<u16, u32>, Stop> {
        let asking = asking(op);
        let own = self.held.get(&asking).cloned().unwrap_or_default();
        let found = |locks: &Locks, object: u16, extent| {
            let object = (op.file, object);
            locks.held(object, extent, &own).or_else(|| locks.covering(object, writes, extent))
        };
        let there: BTreeMap<u16, u32> = (wanted.iter())
            .filter_map(|(&object, &extent)| Some((object, found(&self.locks, object, extent)?)))
            .collect();
        if there.len() == wanted.len() {
            return Ok(there);
        }
        let missing = wanted.keys().filter(|object| !there.contains_key(*object));
        let asked = missing.filter_map(|&object| self.locks.asked((op.file, object), writes));
        let pending = |group: &u64| kernel.fs.transfers.is_pending(*group);
        if let Some(group) = asked.into_iter().find(pending) {
            return Err(Stop::Wait(Event::Group(group), FileCause::Network));
        }
        let (mut calls, group) = (Vec::new(), kernel.fs.transfers.group());
        for (object, extent) in all {
            if found(&self.locks, object, extent).is_some() {
                continue;
            }
            let lock = self.locks.ask((op.file, object), writes, extent, group);
            self.held.entry(asking).or_default().push(lock);
            let procedure = if writes { Procedure::LockToWrite } else { Procedure::LockToRead };
            let about = Call::of(procedure, (op.file, op.file), self.target(op.file, object));
            calls.push(Call { object, lock, numbers: extent, ..about });
        }
        Err(self.ask_in(kernel, op, &calls, group))
    }

    /// An operation needs the locks no longer that it asked for.
    pub(super) fn release_held(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) {
        let held = self.held.remove(&asking(op)).unwrap_or_default();
        held.into_iter().for_each(|lock| self.release(kernel, lock));
    }

    pub(super) fn release(&mut self, kernel: &mut Kernel<'_>, lock: u32) {
        if self.locks.released(lock) {
            self.give_back(kernel, lock);
        }
    }

    /// A lock goes back: what was written under it is sent, and once that has arrived its pages are dropped, and it goes.
    pub(super) fn give_back(&mut self, kernel: &mut Kernel<'_>, number: u32) {
        let Some(lock) = self.locks.get(number).cloned() else { return };
        let (is, key) = (Arc::clone(&self.is), kernel.fs.key(lock.file));
        let pages = kernel.fs.inodes.get(lock.file).size.div_ceil(PAGE_BYTES);
        if lock.unwritten > 0 {
            self.send_written(kernel, number);
            return;
        }
        for (first, count) in is.striping.runs(lock.object, lock.extent, pages) {
            kernel.memory.cache.remove(key, first, first + count);
        }
        self.locks.remove(number);
        let about = Call::of(Procedure::Cancel, (lock.file, lock.file), self.target(lock.file, lock.object));
        self.tell(kernel, &Call { object: lock.object, lock: number, ..about });
    }

    /// Sends what was written under a lock and wasn't sent.
    fn send_written(&mut self, kernel: &mut Kernel<'_>, number: u32) {
        let Some(lock) = self.locks.get(number).cloned() else { return };
        let is = Arc::clone(&self.is);
        let key = kernel.fs.key(lock.file);
        let extent = if lock.is_called { lock.extent } else { self.locks.sent(number) };
        let touch = Touch { direction: Direction::Write, ..daemon(kernel) };
        let group = kernel.fs.transfers.group();
        for (first, count) in is.striping.runs(lock.object, extent, FILE_PAGES) {
            // Behind the last dirty page there is nothing to look for.
            if kernel.memory.cache.dirty_run(key, first, 1).is_none() {
                break;
            }
            kernel.write_pages(self, key, (first, first + count), u64::MAX, touch, group);
        }
    }

    /// Objects of a component that is written to for the first time (`lov_io_iter_init`, `ll_layout_write_intent`).
    pub(super) fn instantiate(&mut self, kernel: &mut Kernel<'_>, op: &FileOp, end: u64) -> Result<(), Stop> {
        let wanted =
            u32::try_from(self.is.striping.component_of(end.saturating_sub(1)) + 1).unwrap_or(u32::MAX);
        let home = self.home(op.file);
        let Some(known) = self.known.get_mut(&op.file).filter(|known| known.components < wanted) else {
            return Ok(());
        };
        known.components = wanted;
        let call = Call::of(Procedure::Layout, (op.file, known.parent), home);
        Err(self.ask_together(kernel, op, &[call]))
    }

    /// Room for pages that will be dirty: within `max_dirty_mb` and the grant (`osc_enter_cache`).
    fn room(&mut self, kernel: &mut Kernel<'_>, op: &FileOp, fresh: &BTreeMap<u16, u64>) -> Result<(), Stop> {
        let most = self.is.dirty_pages;
        for (&code, &pages) in fresh.iter().filter(|(_, pages)| **pages > 0) {
            let written = *self.written_to(code);
            let has_room = written.dirty + pages <= most.max(pages) && written.grant >= pages;
            if has_room {
                continue;
            }
            let target = Target::of(code);
            let numbers: Vec<u32> = self.locks.unwritten().map(|(number, _)| number).collect();
            for number in numbers {
                let Some(lock) = self.locks.get(number) else { continue };
                if self.is.striping.target((lock.file, self.parent(lock.file)), lock.object) == target {
                    self.send_written(kernel, number);
                }
            }
            let sent = kernel.fs.transfers.sent();
            if let Some(write) = kernel.fs.transfers.await_any(sent) {
                self.waiting.entry(asking(op)).or_insert(kernel.now);
                return Err(Stop::Wait(Event::Written(write), FileCause::Throttle));
            }
        }
        if let Some(since) = self.waiting.remove(&asking(op)) {
            let micros = (kernel.now - since).as_picos() / 1_000_000;
            let call = Call::of(Procedure::Waited, (op.file, op.file), Target::Mdt(0));
            self.tell(kernel, &Call { numbers: (micros, 0), ..call });
        }
        Ok(())
    }

    /// Pages are about to be written.
    pub(super) fn prepare_pages(
        &mut self,
        kernel: &mut Kernel<'_>,
        piece: &Piece<'_>,
    ) -> Result<Prepared, Stop> {
        let (op, first, end) = (piece.op, piece.first, piece.first + piece.pages);
        self.instantiate(kernel, op, end)?;
        let locks = self.lock(kernel, op, true, (first, end))?;
        let (mut uses, mut fresh) = (Vec::new(), BTreeMap::new());
        for part in Arc::clone(&self.is).striping.parts(first, piece.pages) {
            let is_clean =
                |page: &u64| !kernel.memory.cache.look(piece.key, *page).is_some_and(|page| page.dirty);
            let clean = (part.first..part.first + part.pages).filter(is_clean).count() as u64;
            let target = self.target(op.file, part.object).code();
            *fresh.entry(target).or_default() += clean;
            let lock = locks.get(&part.object).copied().unwrap_or(0);
            let (from, to) = (part.at, part.at + part.pages);
            uses.push(Use { lock, target, from, to, fresh: clean, end: piece.end });
        }
        self.room(kernel, op, &fresh)?;
        uses.iter().for_each(|each| self.locks.used(each.lock));
        self.next_use += 1;
        let id = self.next_use;
        self.uses.insert(id, uses);
        if op.flags.stdio || piece.end >= op.offset + op.length {
            self.release_held(kernel, op);
        }
        kernel.touch_times(op.file);
        Ok(Prepared { change: Some(Change { id, reserved: 0 }), ..Prepared::default() })
    }

    /// They have been written: enough for an RPC goes (`osc_makes_rpc`).
    pub(super) fn wrote(&mut self, kernel: &mut Kernel<'_>, file: FileId, (uses, dirtied): (&[Use], u64)) {
        for each in uses {
            // What is sent says how many bytes of its last page are in the file.
            Self::hears_size(kernel, file, each.end);
            // What was sent between is dirty once more.
            let dirty = if uses.len() == 1 { dirtied } else { each.fresh };
            let unsent = self.locks.dirtied(each.lock, (each.from, each.to), dirty);
            let written = self.written_to(each.target);
            written.dirty += dirty;
            let is_out = written.grant < dirty;
            written.grant = written.grant.saturating_sub(dirty);
            if unsent >= self.is.rpc_pages || is_out {
                self.send_written(kernel, each.lock);
            }
            self.release(kernel, each.lock);
        }
    }

    /// A read is about to begin: its locks, and where it may go beyond what is known of the file's end, that.
    pub(super) fn prepare_read(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        if self.asked.contains_key(&asking(op)) {
            self.ask(kernel, op)?;
            self.release_held(kernel, op);
            return Ok(());
        }
        let (first, end) = (op.offset / PAGE_BYTES, (op.offset + op.length).div_ceil(PAGE_BYTES));
        self.lock(kernel, op, false, (first, end.max(first + 1)))?;
        if op.offset + op.length > kernel.fs.inodes.get(op.file).size {
            let calls = self.glimpses(op.file);
            if !calls.is_empty() {
                self.asked.insert(asking(op), [calls].into());
                return self.ask(kernel, op);
            }
        }
        self.release_held(kernel, op);
        Ok(())
    }

    /// Asks for the size of objects whose end isn't known (`cl_glimpse_size`).
    pub(super) fn glimpses(&self, file: FileId) -> Vec<Call> {
        let components = self.known.get(&file).map_or(0, |known| known.components as usize);
        let objects = self.is.striping.objects(components);
        let unknown = objects.filter(|&object| !self.locks.knows_end((file, object)));
        unknown
            .map(|object| {
                let about = Call::of(Procedure::Glimpse, (file, file), self.target(file, object));
                Call { object, numbers: (0, FILE_PAGES), ..about }
            })
            .collect()
    }

    /// What makes a file durable (`ll_fsync`: its metadata, and each of its objects).
    pub(super) fn syncs(&self, file: FileId) -> Vec<Call> {
        let Some(known) = self.known.get(&file) else { return Vec::new() };
        let metadata = Call::of(Procedure::MetadataSync, (file, known.parent), self.home(file));
        let objects = self.is.striping.objects(known.components as usize);
        let objects = objects.map(|object| {
            let about = Call::of(Procedure::Sync, (file, file), self.target(file, object));
            Call { object, ..about }
        });
        [metadata].into_iter().chain(objects.filter(|call| matches!(call.target, Target::Ost(_)))).collect()
    }
}
