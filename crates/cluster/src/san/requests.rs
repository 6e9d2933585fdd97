//! What a node asks of the disks: blocks that lie side by side in one request, and who waits for each. Of other nodes' inodes
//! it asks those (`metanode`).

use super::cache::{Key, State};
use super::call::{Call, Step, Wait};
use super::node::Node;
use super::volume::{METADATA_BLOCK, Position, Volume};
use petrio_colours::{
    BlockRequest, Cause, Direction, Failure, FileId, FileOp, IoClass, Operation, RequestId, SECTOR_BYTES,
};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, low_half};
use smallvec::SmallVec;
use std::ops::RangeInclusive;

/// All blocks.
pub(super) const EVERYTHING: RangeInclusive<Key> = Key::Data(FileId(0), 0)..=Key::Map;

/// Who waits for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Waiter {
    Call(u32),
    /// A token that goes, by its number.
    Releasing(u64),
    /// What another node wants here.
    Inode(u32),
}

/// A request that is under way.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outstanding {
    pub(super) keys: Vec<Key>,
    direction: Direction,
    waiters: SmallVec<[Waiter; 2]>,
    /// It is for another node, which keeps the inode.
    pub(super) is_of_inode: bool,
}

impl Outstanding {
    fn of_disk(keys: Vec<Key>, direction: Direction) -> Self {
        Self { keys, direction, waiters: SmallVec::new(), is_of_inode: false }
    }

    pub(super) fn of_inode(keys: Vec<Key>, direction: Direction) -> Self {
        Self { is_of_inode: true, ..Self::of_disk(keys, direction) }
    }
}

/// What a request moves: blocks that lie side by side.
struct Run {
    keys: Vec<Key>,
    disk: u32,
    first: u64,
    bytes: u64,
}

impl Node {
    /// Where a block lies, and how much of it there is.
    fn place(&self, key: Key, volume: &Volume) -> Option<(Position, u64)> {
        match key {
            Key::Data(file, number) => {
                let first = number * self.rules.block;
                let left = volume.size(file)?.checked_sub(first).filter(|&left| left > 0)?;
                let bytes = left.min(self.rules.block).next_multiple_of(METADATA_BLOCK);
                Some((volume.at(file, first)?, bytes))
            }
            Key::Inode(file) => Some((volume.inode_at(file)?, METADATA_BLOCK)),
            Key::Names(directory, block) => Some((volume.names_at(directory, block), METADATA_BLOCK)),
            Key::Map => Some((volume.map_at(self.rules.node), METADATA_BLOCK)),
        }
    }

    /// Blocks as the requests that they make; those that lie nowhere any more are left out.
    fn runs(&self, keys: Vec<Key>, volume: &Volume) -> Vec<Run> {
        let largest = self.rules.largest * self.rules.block;
        let mut runs: Vec<Run> = Vec::new();
        for key in keys {
            let Some(((disk, first), bytes)) = self.place(key, volume) else { continue };
            match runs.last_mut() {
                Some(run)
                    if run.disk == disk && run.first + run.bytes == first && run.bytes + bytes <= largest =>
                {
                    run.keys.push(key);
                    run.bytes += bytes;
                }
                _ => runs.push(Run { keys: vec![key], disk, first, bytes }),
            }
        }
        runs
    }

    /// Reads blocks that aren't there; they are from now on, and come.
    pub(super) fn read(&mut self, mut keys: Vec<Key>, volume: &Volume, op: &FileOp, now: Time) {
        self.fetch_inodes(&mut keys, volume);
        for run in self.runs(keys, volume) {
            let tag = self.ask(Direction::Read, &run, (op.process, op.class, op.priority), now);
            run.keys.iter().for_each(|&key| self.cache.set(key, State::Coming(tag)));
        }
    }

    /// Writes blocks that have been changed.
    pub(super) fn write(&mut self, mut keys: Vec<Key>, volume: &Volume, now: Time) {
        for &key in &keys {
            if self.place(key, volume).is_none() {
                self.cache.remove(key);
            }
        }
        self.send_inodes(&mut keys, volume);
        for run in self.runs(keys, volume) {
            let tag = self.ask(Direction::Write, &run, (0, IoClass::default(), 4), now);
            run.keys.iter().for_each(|&key| self.cache.set(key, State::Writing(tag, false)));
            self.writing += 1;
        }
    }

    fn ask(
        &mut self,
        direction: Direction,
        run: &Run,
        (process, class, priority): (u32, IoClass, u8),
        now: Time,
    ) -> u32 {
        let keys = run.keys.clone();
        let file = match keys.first() {
            Some(&Key::Data(file, _)) => file,
            _ => FileId::ROOT,
        };
        let purposes = keys.iter().map(|key| key.purpose().into()).collect();
        let tag = self.outstanding.insert(Outstanding::of_disk(keys, direction));
        self.out.requests.push(BlockRequest {
            id: RequestId(u64::from(tag)),
            tag: u64::from(tag),
            process,
            device: run.disk,
            direction,
            synchronous: direction == Direction::Read,
            purposes,
            class,
            priority,
            file,
            address: run.first / SECTOR_BYTES,
            blocks: as_number(run.bytes / SECTOR_BYTES),
            issued: now,
            ..BlockRequest::default()
        });
        tag
    }

    /// Somebody waits for a request, unless he does already; whether it is one more.
    pub(super) fn wait_for(&mut self, tag: u32, waiter: Waiter) -> u32 {
        match self.outstanding.get_mut(tag) {
            Some(request) if !request.waiters.contains(&waiter) => {
                request.waiters.push(waiter);
                1
            }
            _ => 0,
        }
    }

    /// Somebody waits for those of these blocks that are on their way; how many requests that are.
    pub(super) fn wait_for_reads(&mut self, keys: impl Iterator<Item = Key>, waiter: Waiter) -> u32 {
        let mut left = 0;
        for key in keys {
            if let Some(State::Coming(tag)) = self.cache.state(key) {
                left += self.wait_for(tag, waiter);
            }
        }
        left
    }

    /// Reads those of a few blocks that aren't there, which find room, and waits for those that come; how many requests that
    /// are.
    pub(super) fn bring(
        &mut self,
        keys: &[Key],
        waiter: Waiter,
        (volume, op): (&Volume, &FileOp),
        now: Time,
    ) -> u32 {
        let absent: Vec<Key> = keys.iter().copied().filter(|&key| self.cache.state(key).is_none()).collect();
        self.cache.make_room(absent.len());
        self.read(absent, volume, op, now);
        self.wait_for_reads(keys.iter().copied(), waiter)
    }

    /// Waits for those of a range of blocks that are being written, and who gives them away for those that are being read, too;
    /// how many requests that are.
    pub(super) fn wait_for_range(&mut self, range: RangeInclusive<Key>, waiter: Waiter) -> u32 {
        let gives = matches!(waiter, Waiter::Releasing(_));
        let tag = |state| match state {
            State::Writing(tag, _) => Some(tag),
            State::Coming(tag) if gives => Some(tag),
            _ => None,
        };
        let tags: Vec<u32> = self.cache.within(range).filter_map(|(_, state)| tag(state)).collect();
        tags.into_iter().map(|tag| self.wait_for(tag, waiter)).sum()
    }

    /// Writes what has been changed of a range of blocks; for how many requests to wait until all of it is on the disks and
    /// nothing of it is on its way.
    pub(super) fn flush(
        &mut self,
        range: RangeInclusive<Key>,
        waiter: Waiter,
        volume: &Volume,
        now: Time,
    ) -> u32 {
        let dirty = self.cache.dirty_in(range.clone());
        self.write(dirty, volume, now);
        self.wait_for_range(range, waiter)
    }

    /// Writes what a call wants on the disks, and waits until it is there.
    pub(super) fn flush_for(
        &mut self,
        slot: u32,
        call: &mut Call,
        volume: &Volume,
        now: Time,
    ) -> Result<super::node::Next, Failure> {
        use super::node::Next;
        let file = call.op.file;
        let data = |from, to| Key::Data(file, from)..=Key::Data(file, to);
        let block = self.rules.block;
        let ranges = match call.op.operation {
            Operation::Sync => vec![EVERYTHING],
            Operation::Write => {
                let last = call.op.end().saturating_sub(1) / block;
                vec![data(call.op.offset / block, last), Key::inode_of(file)]
            }
            _ => vec![data(0, u64::MAX), Key::inode_of(file), Key::names_of(file), Key::Map..=Key::Map],
        };
        // What is being written while it is changed again needs a second turn; what others change meanwhile doesn't count.
        if call.passes < 2 {
            call.passes += 1;
            let of = (call.op.operation != Operation::Sync).then_some(file);
            call.left = self.sync_inodes(of, Waiter::Call(slot), volume);
            for range in ranges {
                call.left += self.flush(range, Waiter::Call(slot), volume, now);
            }
            if call.left > 0 {
                return Ok(Next::Wait(Wait::Write));
            }
        }
        let is_lost = match call.op.operation {
            Operation::Sync => !std::mem::take(&mut self.lost).is_empty(),
            _ => self.lost.remove(&file),
        };
        if is_lost {
            return Err(Failure::Device);
        }
        if self.rules.flushes && !call.settled {
            call.settled = true;
            for disk in 0..volume.disks() {
                let run = Run { keys: Vec::new(), disk, first: 0, bytes: 0 };
                let tag =
                    self.ask(Direction::Flush, &run, (call.op.process, call.op.class, call.op.priority), now);
                call.left += self.wait_for(tag, Waiter::Call(slot));
            }
            call.step = Step::Flush;
            return Ok(Next::Wait(Wait::Write));
        }
        if call.op.operation == Operation::Write && call.op.flags.direct {
            self.forget(file, (call.op.offset / block, call.op.end().div_ceil(block)));
        }
        Ok(Next::End)
    }

    /// A request is complete.
    pub(super) fn completed(&mut self, request: &BlockRequest, volume: &Volume, now: Time) {
        let on_the_way = request.ledger.of(Cause::Bus);
        self.came(low_half(request.tag), (request.status.failure(), Some(on_the_way)), volume, now);
    }

    /// What was asked for has come, after so long on its way to a disk and back, if it was asked of one.
    pub(super) fn came(
        &mut self,
        tag: u32,
        (failure, on_the_way): (Option<Failure>, Option<Time>),
        volume: &Volume,
        now: Time,
    ) {
        let Some(Outstanding { keys, direction, waiters, .. }) = self.outstanding.remove(tag) else { return };
        for key in keys {
            match self.cache.state(key) {
                Some(State::Coming(own)) if own == tag && failure.is_some() => self.cache.remove(key),
                Some(State::Coming(own)) if own == tag => self.cache.set(key, State::Clean),
                Some(State::Writing(own, again)) if own == tag => {
                    self.cache.set(key, if again { State::Dirty } else { State::Clean });
                }
                _ => {}
            }
            if let (Key::Data(file, _) | Key::Inode(file), Direction::Write, Some(_)) =
                (key, direction, failure)
            {
                self.lost.insert(file);
            }
        }
        for waiter in waiters {
            match waiter {
                Waiter::Call(slot) => {
                    let Some(Some(call)) = self.calls.get_mut(slot) else { continue };
                    call.left = call.left.saturating_sub(1);
                    call.on_the_way = on_the_way;
                    // What could not be written is told by whoever asks whether it was.
                    if direction != Direction::Write {
                        call.failure = call.failure.or(failure);
                    }
                    if call.left == 0
                        && let Some(wait) = call.wait
                    {
                        self.out.ready.push((wait, slot));
                    }
                }
                Waiter::Releasing(number) => self.came_back(number),
                Waiter::Inode(number) => {
                    if self.inode_requests.get_mut(number).is_some_and(|served| served.came(failure)) {
                        self.serve(number, volume, now);
                    }
                }
            }
        }
        if direction == Direction::Write {
            self.writing = self.writing.saturating_sub(1);
            let wanting = std::mem::take(&mut self.want_room);
            self.out.ready.extend(wanting.into_iter().map(|slot| (Wait::Room, slot)));
        }
        self.give(volume, now);
        self.look_at_dirty();
    }
}
