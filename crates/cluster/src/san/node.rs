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
use super::message::{Payload, Recipient};
use super::metanode::Served;
use super::names::needed_metadata;
use super::parameters::Granularity;
use super::ranges::{Holdings, Mode, Range};
use super::releases::Releasing;
use super::requests::Outstanding;
use super::tokens::{LockReply, LockRequest, Object};
use super::volume::Volume;
use petrio_colours::{BlockRequest, Failure, FileId, FileOp, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use std::collections::{BTreeMap, BTreeSet};

/// What a node goes by.
#[derive(Clone, Copy, Debug, Persist)]
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
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Out {
    /// To the manager and to other nodes, in this order.
    pub(super) messages: Vec<(Recipient, Payload)>,
    pub(super) requests: Vec<BlockRequest>,
    /// Calls that begin to wait, and those that have what they waited for.
    pub(super) waits: Vec<(Wait, u32)>,
    pub(super) ready: Vec<(Wait, u32)>,
    /// Calls that need a processor for so long.
    pub(super) work: Vec<(u32, Time)>,
    pub(super) done: Vec<FileOp>,
    /// There is something to be written that wasn't there before.
    pub(super) ticks: Vec<()>,
}

/// What follows a step of a call.
pub(super) enum Next {
    Step(Step),
    Wait(Wait),
    Work,
    End,
}

/// A node.
#[derive(Clone, Debug, Persist)]
pub(super) struct Node {
    pub(super) rules: Rules,
    pub(super) costs: Costs,
    pub(super) calls: Slab<Option<Box<Call>>>,
    pub(super) cache: Cache,
    pub(super) held: BTreeMap<Object, Holdings>,
    /// The tokens that calls work with.
    pub(super) pinned: Vec<(u32, Need)>,
    pub(super) outstanding: Slab<Outstanding>,
    pub(super) releasing: Vec<Releasing>,
    /// The number of the last grant.
    pub(super) seen: u64,
    /// The block of each file that was last worked with.
    pub(super) last: FastMap<FileId, u64>,
    /// How often each file is open that was ever opened here.
    pub(super) opens: FastMap<FileId, u32>,
    pub(super) streams: FastMap<(u32, FileId), Stream>,
    pub(super) writing: u32,
    pub(super) want_room: Vec<u32>,
    /// Calls that wait for others on this node, or until a token has gone.
    pub(super) want_token: Vec<u32>,
    /// Tokens that the manager was asked for and hasn't granted.
    pub(super) lock_requests: u64,
    /// What other nodes want of inodes that this one keeps.
    pub(super) inode_requests: Slab<Served>,
    /// Of each file, how many changes of its inode the node has been told of.
    pub(super) known: FastMap<FileId, u64>,
    /// Files whose inodes others may have changed since the node looked.
    pub(super) stale: BTreeSet<FileId>,
    /// Files whose inodes this node has changed, and hasn't asked for to be on the disks.
    pub(super) untold: BTreeSet<FileId>,
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
            outstanding: Slab::new(),
            lock_requests: 0,
            releasing: Vec::new(),
            seen: 0,
            last: FastMap::default(),
            opens: FastMap::default(),
            streams: FastMap::default(),
            writing: 0,
            want_room: Vec::new(),
            want_token: Vec::new(),
            inode_requests: Slab::new(),
            known: FastMap::default(),
            stale: BTreeSet::new(),
            untold: BTreeSet::new(),
            lost: BTreeSet::new(),
            ticking: false,
            out: Out::default(),
        }
    }

    /// Tokens that the manager has recalled, and that it hasn't back.
    pub(super) fn recalled(&self) -> u64 {
        self.releasing.iter().map(|token| u64::from(token.is_recalled())).sum()
    }

    /// Requests for other nodes' inodes that aren't over.
    pub(super) fn inodes_outstanding(&self) -> u64 {
        self.outstanding.iter().map(|request| u64::from(request.is_of_inode)).sum()
    }

    /// Blocks that a range of bytes touches.
    pub(super) fn blocks(&self, offset: u64, end: u64) -> Range {
        let block = self.rules.block;
        Range { from: offset / block, to: end.div_ceil(block).max(offset / block + 1) }
    }

    /// A call begins.
    pub(super) fn begin(&mut self, op: FileOp, volume: &mut Volume, now: Time) {
        let blocks = match self.rules.granularity {
            Granularity::File => Range::WHOLE,
            Granularity::Range => self.blocks(op.offset, op.end()),
        };
        let needs = needs(&op, volume, blocks, self.rules.granularity);
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
            self.ticking = true;
            self.out.ticks.push(());
        }
    }

    /// Something comes from the manager or another node; whether it is for nodes.
    pub(super) fn hear(&mut self, payload: Payload, volume: &Volume, now: Time) -> bool {
        match payload {
            Payload::Manager(reply) => self.hear_manager(reply, volume, now),
            Payload::Inode(request) => self.hear_inode_request(request, volume, now),
            Payload::InodeReply(reply) => self.hear_inode_reply(reply, volume, now),
            Payload::Lock(_) | Payload::Release(_) => return false,
        }
        true
    }

    fn hear_manager(&mut self, reply: LockReply, volume: &Volume, now: Time) {
        match reply {
            LockReply::Recall { object, mode, range, number } => {
                self.wanted(object, (mode, range), number);
                self.give(volume, now);
            }
            LockReply::Grant {
                request: LockRequest { call: slot, object, mode, range: asked, .. },
                range,
                number,
            } => {
                self.seen = number;
                self.lock_requests = self.lock_requests.saturating_sub(1);
                let held = self.held.entry(object).or_default();
                let was_exact = held.covers(asked, Mode::Shared);
                held.add(range, mode, number, false);
                held.join(range, false);
                if let Object::Attributes(file) = object
                    && held.covers(asked, Mode::Shared)
                    && !was_exact
                    && !self.keeps_inode(file, volume)
                {
                    self.stale.insert(file);
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
    pub(super) fn let_go(&mut self, call: &mut Call) {
        call.pinned.drain(..).for_each(|key| self.cache.unpin(key));
        self.cache.give_back(std::mem::take(&mut call.reserved));
    }

    fn step(&mut self, slot: u32, call: &mut Call, volume: &mut Volume, now: Time) -> Result<Next, Failure> {
        match call.step {
            Step::Tokens => Ok(self.take_token(slot, call)),
            Step::Begin => self.prepare(slot, call, volume, now),
            Step::Chunk => Ok(self.next_chunk(call)),
            Step::Look => Ok(self.look(slot, call, volume)),
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
        let is_going = self.releasing.iter().any(|token| token.is_of(object, range));
        if is_going || self.is_used_here(&need) {
            self.want_token.push(slot);
            return Next::Wait(Wait::Token);
        }
        if self.held.get(&object).is_some_and(|held| held.covers(range, mode)) {
            self.pinned.push((slot, need));
            call.has += 1;
            return Next::Step(Step::Tokens);
        }
        let request = LockRequest { node: self.rules.node, call: slot, object, mode, range };
        self.out.messages.push((Recipient::Manager, Payload::Lock(request)));
        self.lock_requests += 1;
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
    fn prepare(
        &mut self,
        slot: u32,
        call: &mut Call,
        volume: &mut Volume,
        now: Time,
    ) -> Result<Next, Failure> {
        let file = call.op.file;
        volume.elect(file, self.rules.node);
        if matches!(call.op.operation, Operation::Read | Operation::Write) {
            match volume.is_directory(file) {
                None => return Err(Failure::NotFound),
                Some(true) => return Err(Failure::IsADirectory),
                Some(false) => {}
            }
            if let Some(next) = self.with_inode(slot, call, volume, now) {
                return Ok(next);
            }
        }
        let op = &mut call.op;
        match op.operation {
            operation if operation.is_local() => Err(Failure::NotImplemented),
            Operation::Read => {
                let size = volume.size(op.file).unwrap_or(0);
                (call.at, call.end) = (op.offset, op.end().min(size).max(op.offset));
                self.follow(call);
                Ok(Next::Step(Step::Chunk))
            }
            Operation::Write => {
                if op.flags.append {
                    op.offset = volume.size(op.file).unwrap_or(0);
                }
                let end = op.offset.checked_add(op.length).ok_or(Failure::TooLarge)?;
                (call.at, call.end) = (op.offset, end);
                if volume.allocate(op.file, (op.offset, end), Some(self.rules.node))? {
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
                self.opens.entry(op.file).and_modify(|opens| *opens = opens.saturating_sub(1));
                Ok(Next::End)
            }
            Operation::Compute | Operation::Touch => Ok(Next::End),
            Operation::Exchange => Err(Failure::NotConnected),
            _ => {
                call.metadata = needed_metadata(op, volume)?;
                Ok(Next::Step(Step::Metadata))
            }
        }
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
