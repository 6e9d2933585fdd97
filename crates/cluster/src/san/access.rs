//! What a read or a write does, some blocks after the others: which are there, room for the rest, their way from the disks,
//! the copy, and what of it is sent to the disks at once.

use super::cache::Key;
use super::call::{Call, Step, Wait};
use super::node::{Next, Node};
use super::ranges::Range;
use super::requests::{EVERYTHING, Waiter};
use super::volume::Volume;
use petrio_colours::{Failure, Operation};
use petrio_kernel::Time;

impl Node {
    pub(super) fn next_chunk(&mut self, call: &mut Call) -> Next {
        if call.at >= call.end {
            let flags = call.op.flags;
            let waits = flags.sync || flags.data_sync || flags.direct;
            let writes = call.op.operation == Operation::Write;
            return if writes && waits { Next::Step(Step::Flush) } else { Next::End };
        }
        let Range { from, to } = self.blocks(call.at, call.end);
        // Several calls have room beside each other.
        let most = (self.cache.most() as u64 / 4).max(1);
        call.chunk = (from, to.min(from + most));
        self.last.insert(call.op.file, call.chunk.1 - 1);
        Next::Step(Step::Look)
    }

    /// Which blocks of a chunk are there, which are to be read, and for how many others room is needed.
    pub(super) fn look(&mut self, slot: u32, call: &mut Call, volume: &Volume) -> Next {
        let (file, block) = (call.op.file, self.rules.block);
        if self.learn(slot, call, (call.chunk.0 * block, call.chunk.1 * block), volume) {
            return Next::Wait(Wait::Read);
        }
        let size = volume.size(file).unwrap_or(0);
        let writes = call.op.operation == Operation::Write;
        call.missing.clear();
        for number in call.chunk.0..call.chunk.1 {
            let key = Key::Data(file, number);
            if self.cache.state(key).is_some() {
                self.cache.pin(key);
                call.pinned.push(key);
                continue;
            }
            let (first, end) = (number * block, ((number + 1) * block).min(size));
            let lies_somewhere = first < size && volume.at(file, first).is_some();
            // What is written over whole needn't be known.
            let written_over = writes && call.at <= first && call.end >= end;
            if lies_somewhere && !written_over {
                call.missing.push(key);
            } else if writes {
                call.reserved += 1;
            }
        }
        self.cache.reserve(call.reserved);
        Next::Step(Step::Room)
    }

    /// Makes room for what isn't there, and reads what is needed of it, and what will be.
    pub(super) fn make_room(&mut self, slot: u32, call: &mut Call, volume: &Volume, now: Time) -> Next {
        if !self.cache.make_room(call.missing.len()) {
            let all = self.cache.dirty_in(EVERYTHING);
            self.write(all, volume, now);
            // Where nothing is on its way out, those who work together need more than there is.
            if self.writing > 0 {
                self.want_room.push(slot);
                return Next::Wait(Wait::Room);
            }
        }
        let mut to_read = Vec::new();
        for &key in &call.missing {
            if self.cache.state(key).is_none() {
                to_read.push(key);
            }
        }
        self.read(to_read, volume, &call.op, now);
        for &key in &call.missing {
            self.cache.pin(key);
            call.pinned.push(key);
        }
        if call.op.operation == Operation::Read && !call.op.flags.direct {
            self.read_ahead(call, volume, now);
        }
        Next::Step(Step::Come)
    }

    /// Waits for the blocks of a chunk that are on their way; then it is copied.
    pub(super) fn await_blocks(
        &mut self,
        slot: u32,
        call: &mut Call,
        volume: &Volume,
    ) -> Result<Next, Failure> {
        let file = call.op.file;
        let keys = (call.chunk.0..call.chunk.1).map(|number| Key::Data(file, number));
        call.left = self.wait_for_reads(keys, Waiter::Call(slot));
        if call.left > 0 {
            return Ok(Next::Wait(Wait::Read));
        }
        // What was on its way for somebody else may not have come.
        if call.missing.iter().any(|&key| self.cache.state(key).is_none()) {
            return Err(Failure::Device);
        }
        let size = volume.size(file).unwrap_or(0);
        let end = call.end.min(call.chunk.1 * self.rules.block);
        let fresh = (call.missing.len() + call.reserved) as u64 * self.rules.block;
        call.work = self.costs.of(&call.op, (end - call.at, fresh), size.max(call.end));
        call.step = Step::Copied;
        Ok(Next::Work)
    }

    /// A chunk has been copied.
    pub(super) fn copied(&mut self, call: &mut Call, volume: &mut Volume, now: Time) -> Next {
        let (file, block) = (call.op.file, self.rules.block);
        let end = call.end.min(call.chunk.1 * block);
        self.let_go(call);
        call.at = end;
        if call.op.operation == Operation::Read {
            if call.op.flags.direct {
                self.forget(file, call.chunk);
            }
            return Next::Step(Step::Chunk);
        }
        for number in call.chunk.0..call.chunk.1 {
            self.change(Key::Data(file, number));
        }
        if volume.grow(file, end) {
            self.change(Key::Inode(file));
        }
        // What fills requests is sent.
        let largest = self.rules.largest;
        let full = end / block / largest * largest;
        let first = call.chunk.0 / largest * largest;
        if full > first {
            let keys = Key::Data(file, first)..=Key::Data(file, full - 1);
            let dirty = self.cache.dirty_in(keys);
            self.write(dirty, volume, now);
        }
        if self.cache.dirty() > self.cache.most() / 2 {
            let all = self.cache.dirty_in(EVERYTHING);
            self.write(all, volume, now);
        }
        Next::Step(Step::Chunk)
    }
}
