//! A node: its calls, its cache, the tokens that it holds. No net: it is told what happens, and says what is to be sent,
//! asked, waited for and worked at.
//!
//! A call takes its tokens, brings the blocks that it needs into the cache, copies, and leaves what it has changed there.
//! Who reads on where he left off has blocks brought in before he asks; who has written all of what a request can hold has
//! it sent; else blocks are written when a token goes, when there is no room, on fsync, or when they have waited for long.
//!
//! Sources: Schmuck and Haskin, FAST 2002, section 3 (GPFS); Preslan et al. 1999 (GFS). Leaves out memory mappings and the
//! C library's buffers, whose accesses are calls like any other.

use super::ahead::Stream;
use super::cache::{Cache, Key, State};
use super::call::{Call, Need, Step, Wait, needs};
use super::costs::Costs;
use super::giving::Giving;
use super::message::Said;
use super::names::needed_metadata;
use super::parameters::Granularity;
use super::ranges::{Holdings, Range};
use super::requests::Asked;
use super::tokens::{Ask, Object, Told};
use super::volume::Volume;
use crate::fast_map::FastMap;
use crate::slab::Slab;
use petrio_colours::{BlockRequest, Failure, FileId, FileOp, Operation};
use petrio_kernel::Time;
use std::collections::{BTreeMap, BTreeSet};

/// What a node goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Its number among the file system's nodes.
    pub(super) node: u32,
    /// Bytes of a block.
    pub(super) block: u64,
    /// Blocks of the largest request.
    pub(super) largest: u64,
    /// Blocks that are read ahead at most.
    pub(super) read_ahead: u64,
    pub(super) granularity: Granularity,
    /// Tokens stay when a call is over.
    pub(super) keeps_tokens: bool,
    /// Disks have caches of their own that lose what they hold.
    pub(super) flushes: bool,
}

/// What a node has ready after a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Out {
    /// To the manager, in this order.
    pub(super) said: Vec<Said>,
    pub(super) requests: Vec<BlockRequest>,
    /// Calls that begin to wait, and those that have what they waited for.
    pub(super) waits: Vec<(Wait, u32)>,
    pub(super) ready: Vec<(Wait, u32)>,
    /// Calls that need a processor for so long.
    pub(super) work: Vec<(u32, Time)>,
    pub(super) done: Vec<FileOp>,
    /// There is something to be written that wasn't there before.
    pub(super) ticks: bool,
}

/// What follows a step of a call.
pub(super) enum Next {
    Step(Step),
    Wait(Wait),
    Work,
    End,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) rules: Rules,
    costs: Costs,
    pub(super) calls: Slab<Option<Box<Call>>>,
    pub(super) cache: Cache,
    pub(super) held: BTreeMap<Object, Holdings>,
    /// The tokens that calls work with.
    pub(super) pinned: Vec<(u32, Need)>,
    pub(super) asked: Slab<Asked>,
    pub(super) giving: Vec<Giving>,
    /// The number of the last grant.
    pub(super) seen: u64,
    /// The block of each file that was last worked with.
    pub(super) last: FastMap<FileId, u64>,
    pub(super) streams: FastMap<(u32, FileId), Stream>,
    pub(super) writing: u32,
    pub(super) want_room: Vec<u32>,
    /// Calls that wait for others on this node, or until a token has gone.
    want_token: Vec<u32>,
    /// Files of which something could not be written.
    pub(super) lost: BTreeSet<FileId>,
    ticking: bool,
    pub(super) out: Out,
}

impl Node {
    pub(super) fn new(rules: Rules, costs: Costs, blocks: usize) -> Self {
        Self {
            rules,
            costs,
            calls: Slab::new(),
            cache: Cache::new(blocks),
            held: BTreeMap::new(),
            pinned: Vec::new(),
            asked: Slab::new(),
            giving: Vec::new(),
            seen: 0,
            last: FastMap::default(),
            streams: FastMap::default(),
            writing: 0,
            want_room: Vec::new(),
            want_token: Vec::new(),
            lost: BTreeSet::new(),
            ticking: false,
            out: Out::default(),
        }
    }

    /// Blocks that a range of bytes touches.
    fn blocks(&self, offset: u64, end: u64) -> Range {
        let block = self.rules.block;
        Range { from: offset / block, to: end.div_ceil(block).max(offset / block + 1) }
    }

    /// A call begins.
    pub(super) fn begin(&mut self, op: FileOp, volume: &mut Volume, now: Time) {
        let blocks = match self.rules.granularity {
            Granularity::File => Range::WHOLE,
            Granularity::Range => self.blocks(op.offset, op.end()),
        };
        let needs = needs(&op, volume, blocks);
        let call = Call::new(op, needs);
        let slot = self.calls.insert(Some(Box::new(call)));
        self.go_on(slot, volume, now);
    }

    /// A call has what it waited for, or has worked.
    pub(super) fn resume(&mut self, slot: u32, volume: &mut Volume, now: Time) {
        if let Some(Some(call)) = self.calls.get_mut(slot) {
            call.charge(now);
        }
        self.go_on(slot, volume, now);
    }

    /// Whatever is to be written has waited for long.
    pub(super) fn tick(&mut self, volume: &Volume, now: Time) {
        self.ticking = false;
        let all = self.cache.dirty_in(super::requests::EVERYTHING);
        self.write(all, volume, now);
        self.look_at_dirty();
    }

    pub(super) fn look_at_dirty(&mut self) {
        if self.cache.dirty() > 0 && !self.ticking {
            (self.ticking, self.out.ticks) = (true, true);
        }
    }

    /// The manager says something.
    pub(super) fn hear(&mut self, told: Told, volume: &Volume, now: Time) {
        match told {
            Told::Wanted { object, mode, range, number } => {
                self.wanted(object, (mode, range), number);
                self.give(volume, now);
            }
            Told::Granted { ask: Ask { call: slot, object, mode, range: asked, .. }, range, number } => {
                self.seen = number;
                let held = self.held.entry(object).or_default();
                held.add(range, mode, number, false);
                held.join(range, false);
                if let Object::Attributes(file) = object
                    && self.cache.state(Key::Inode(file)) == Some(State::Clean)
                {
                    // Others may have changed it since.
                    self.cache.remove(Key::Inode(file));
                }
                // It works with it before anybody else can ask for it, unless another call here does.
                let need = Need { object, mode, range: asked };
                let is_free = !self.is_used_here(&need);
                if let Some(Some(call)) = self.calls.get_mut(slot) {
                    if is_free {
                        call.has += 1;
                        self.pinned.push((slot, need));
                    }
                    self.out.ready.push((Wait::Token, slot));
                }
            }
        }
    }

    /// A call goes on until it has to wait, to work, or is over.
    fn go_on(&mut self, slot: u32, volume: &mut Volume, now: Time) {
        let Some(mut call) = self.calls.get_mut(slot).and_then(Option::take) else { return };
        loop {
            let next = match call.failure {
                Some(_) => Next::End,
                None => self.step(slot, &mut call, volume, now).unwrap_or_else(|failure| {
                    call.failure = Some(failure);
                    Next::End
                }),
            };
            match next {
                Next::Step(step) => call.step = step,
                Next::Wait(wait) => {
                    (call.wait, call.since) = (Some(wait), now);
                    call.waited |= matches!(wait, Wait::Read | Wait::Write | Wait::Room);
                    self.out.waits.push((wait, slot));
                    break;
                }
                Next::Work => {
                    call.since = now;
                    self.out.work.push((slot, call.work.0 + call.work.1));
                    break;
                }
                Next::End => {
                    self.calls.remove(slot);
                    self.end(slot, *call, volume, now);
                    return self.look_at_dirty();
                }
            }
        }
        if let Some(place) = self.calls.get_mut(slot) {
            *place = Some(call);
        }
        self.look_at_dirty();
    }

    fn end(&mut self, slot: u32, mut call: Call, volume: &Volume, now: Time) {
        self.let_go(&mut call);
        self.pinned.retain(|(own, _)| *own != slot);
        self.look_for_tokens();
        // Nobody asks for what is no more.
        let is_gone =
            call.failure.is_none() && matches!(call.op.operation, Operation::Unlink | Operation::Rmdir);
        for need in &call.needs[..call.has] {
            if !self.rules.keeps_tokens || (is_gone && need.object.file() == call.op.file) {
                self.return_token(need);
            }
        }
        self.out.done.push(call.over(now));
        self.give(volume, now);
    }

    /// A call has done with its blocks.
    fn let_go(&mut self, call: &mut Call) {
        call.pinned.drain(..).for_each(|key| self.cache.unpin(key));
        self.cache.give_back(std::mem::take(&mut call.reserved));
    }

    fn step(&mut self, slot: u32, call: &mut Call, volume: &mut Volume, now: Time) -> Result<Next, Failure> {
        match call.step {
            Step::Tokens => Ok(self.take_token(slot, call)),
            Step::Begin => self.prepare(call, volume),
            Step::Chunk => Ok(self.next_chunk(call)),
            Step::Look => {
                self.look(call, volume);
                Ok(Next::Step(Step::Room))
            }
            Step::Room => Ok(self.make_room(slot, call, volume, now)),
            Step::Come => self.await_blocks(slot, call, volume),
            Step::Copied => Ok(self.copied(call, volume, now)),
            Step::Metadata => self.with_metadata(slot, call, volume, now),
            Step::Flush => self.flush_for(slot, call, volume, now),
        }
    }

    fn take_token(&mut self, slot: u32, call: &mut Call) -> Next {
        let Some(&need) = call.needs.get(call.has) else { return Next::Step(Step::Begin) };
        let Need { object, mode, range } = need;
        // What goes is first gone: so who wants it isn't kept waiting by those who come later.
        let is_going = self.giving.iter().any(|giving| giving.is_of(object, range));
        if is_going || self.is_used_here(&need) {
            self.want_token.push(slot);
            return Next::Wait(Wait::Token);
        }
        if self.held.get(&object).is_some_and(|held| held.covers(range, mode)) {
            self.pinned.push((slot, need));
            call.has += 1;
            return Next::Step(Step::Tokens);
        }
        self.out.said.push(Said::Ask(Ask { node: self.rules.node, call: slot, object, mode, range }));
        Next::Wait(Wait::Token)
    }

    /// Those who wait for others on this node look again.
    pub(super) fn look_for_tokens(&mut self) {
        let wanting = std::mem::take(&mut self.want_token);
        self.out.ready.extend(wanting.into_iter().map(|slot| (Wait::Token, slot)));
    }

    /// Whether another call on this node works with some of it, so that the two can't at once.
    fn is_used_here(&self, need: &Need) -> bool {
        self.pinned.iter().any(|(_, used)| {
            used.object == need.object && used.range.overlaps(&need.range) && used.mode.conflicts(need.mode)
        })
    }

    /// What there is to do, now that nobody else changes anything about it.
    fn prepare(&mut self, call: &mut Call, volume: &mut Volume) -> Result<Next, Failure> {
        let op = &mut call.op;
        let plain = |file| match volume.is_directory(file) {
            None => Err(Failure::NotFound),
            Some(true) => Err(Failure::IsADirectory),
            Some(false) => Ok(()),
        };
        match op.operation {
            Operation::Read => {
                plain(op.file)?;
                let size = volume.size(op.file).unwrap_or(0);
                (call.at, call.end) = (op.offset, op.end().min(size).max(op.offset));
                self.follow(call);
                Ok(Next::Step(Step::Chunk))
            }
            Operation::Write => {
                plain(op.file)?;
                if op.flags.append {
                    op.offset = volume.size(op.file).unwrap_or(0);
                }
                let end = op.offset.checked_add(op.length).ok_or(Failure::TooLarge)?;
                (call.at, call.end) = (op.offset, end);
                if volume.allocate(op.file, op.offset, end)? {
                    self.change(Key::Map);
                    self.change(Key::Inode(op.file));
                }
                Ok(Next::Step(Step::Chunk))
            }
            Operation::Fsync | Operation::Fdatasync => {
                volume.size(op.file).ok_or(Failure::NotFound)?;
                Ok(Next::Step(Step::Flush))
            }
            Operation::Sync => Ok(Next::Step(Step::Flush)),
            Operation::Close => {
                self.streams.remove(&(op.process, op.file));
                Ok(Next::End)
            }
            Operation::Compute => Ok(Next::End),
            Operation::Exchange => Err(Failure::NotConnected),
            _ => {
                call.metadata = needed_metadata(op, volume)?;
                Ok(Next::Step(Step::Metadata))
            }
        }
    }

    fn next_chunk(&mut self, call: &mut Call) -> Next {
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
    fn look(&mut self, call: &mut Call, volume: &Volume) {
        let (file, block) = (call.op.file, self.rules.block);
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
    }

    /// Makes room for what isn't there, and reads what is needed of it, and what will be.
    fn make_room(&mut self, slot: u32, call: &mut Call, volume: &Volume, now: Time) -> Next {
        if !self.cache.make_room(call.missing.len()) {
            let all = self.cache.dirty_in(super::requests::EVERYTHING);
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
    fn await_blocks(&mut self, slot: u32, call: &mut Call, volume: &Volume) -> Result<Next, Failure> {
        let file = call.op.file;
        let keys = (call.chunk.0..call.chunk.1).map(|number| Key::Data(file, number));
        call.left = self.wait_for_reads(keys, slot);
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
    fn copied(&mut self, call: &mut Call, volume: &mut Volume, now: Time) -> Next {
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
            let all = self.cache.dirty_in(super::requests::EVERYTHING);
            self.write(all, volume, now);
        }
        Next::Step(Step::Chunk)
    }

    /// A block has been changed.
    pub(super) fn change(&mut self, key: Key) {
        let state = match self.cache.state(key) {
            Some(State::Writing(request, _)) => State::Writing(request, true),
            _ => State::Dirty,
        };
        self.cache.set(key, state);
    }

    /// Blocks that are clean go: they were read past the cache.
    pub(super) fn forget(&mut self, file: FileId, (from, to): (u64, u64)) {
        for number in from..to {
            self.cache.let_idle_go(Key::Data(file, number));
        }
    }
}
