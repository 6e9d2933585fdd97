//! What a controller's cache decides: what is served from memory, what waits for room, and what is written to the members
//! when. No time passes here.

use super::lines::{Lines, Range};
use super::parameters::RaidCacheParameters;
use super::tally::CacheTally;
use crate::slab::Slab;
use petrio_colours::{BlockRequest, Direction, RequestId, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What an event makes a cache do.
#[derive(Debug, Default)]
pub(in crate::block::raid) struct Answer {
    /// Requests to the array.
    pub(in crate::block::raid) down: SmallVec<[BlockRequest; 4]>,
    /// What memory serves.
    pub(in crate::block::raid) serves: Option<BlockRequest>,
    /// What is complete.
    pub(in crate::block::raid) complete: Option<BlockRequest>,
    /// A write that waits for room.
    pub(in crate::block::raid) waits: Option<BlockRequest>,
    /// The first of those that wait goes on.
    pub(in crate::block::raid) calls: bool,
    /// It wants to look whether it is idle, after a time.
    pub(in crate::block::raid) looks: Option<Time>,
}

/// What the array is asked for it.
#[derive(Clone, Debug)]
enum Sent {
    /// What somebody asked; whether what comes back is kept.
    Asked(Box<BlockRequest>, bool),
    /// What is written from memory.
    Destaged(Range),
}

/// All of a cache that changes.
#[derive(Clone, Debug)]
pub struct Cache {
    battery: bool,
    /// Lines that aren't written from which it begins to write, and at which it stops.
    high: usize,
    low: usize,
    idle_after: Time,
    flush_every: Option<Time>,
    depth: u32,
    /// Sectors of a stripe, and of the array.
    stripe: u64,
    blocks: u64,
    lines: Lines,
    sent: Slab<Sent>,
    number: u64,
    /// Writes that wait for room, in the order in which they came.
    waiting: VecDeque<Range>,
    called: bool,
    /// Writes from memory under way.
    leaving: u32,
    drains: bool,
    is_idle: bool,
    asked_at: Time,
    /// When all that isn't written is; and how many lines of it are left.
    flush_at: Option<Time>,
    to_flush: usize,
    looks: bool,
    tally: CacheTally,
}

impl Cache {
    /// An empty one before an array of so many blocks, with so many in a stripe.
    pub(in crate::block::raid) fn new(parameters: &RaidCacheParameters, stripe: u64, blocks: u64) -> Self {
        let room = parameters.room();
        let share = |share: f64| (room as f64 * share) as usize;
        Self {
            battery: parameters.battery,
            high: share(parameters.high.get()),
            low: share(parameters.low.get()),
            idle_after: parameters.idle.time(),
            flush_every: parameters.flush_every.map(petrio_units::Duration::time),
            depth: parameters.depth,
            stripe,
            blocks,
            lines: Lines::new(parameters.sectors(), room),
            sent: Slab::new(),
            number: 0,
            waiting: VecDeque::new(),
            called: false,
            leaving: 0,
            drains: false,
            is_idle: false,
            asked_at: Time::ZERO,
            flush_at: None,
            to_flush: 0,
            looks: false,
            tally: CacheTally::default(),
        }
    }

    /// What it has come to.
    pub fn tally(&self) -> &CacheTally {
        &self.tally
    }

    /// Bytes that have been reported and aren't on the members yet.
    pub fn unwritten_bytes(&self) -> u64 {
        self.lines.unwritten_sectors() * SECTOR_BYTES
    }

    /// A request arrives.
    pub(in crate::block::raid) fn arrive(&mut self, request: BlockRequest, now: Time) -> Answer {
        let mut answer = Answer::default();
        (self.asked_at, self.is_idle) = (now, false);
        let range = (request.address, request.end());
        let is_sound = request.blocks > 0 && range.1 <= self.blocks;
        match request.direction {
            // What has been reported is safe already.
            Direction::Flush if self.battery => {
                self.tally.flushes += 1;
                answer.complete = Some(BlockRequest { status: Status::DoneFromCache, ..request });
            }
            Direction::Flush => self.pass(request, false, &mut answer),
            // The array says what is wrong with it.
            _ if !is_sound => self.pass(request, false, &mut answer),
            Direction::Read => {
                self.tally.reads.add(request.blocks.into());
                if self.lines.holds(range) {
                    self.tally.hits.add(request.blocks.into());
                    self.lines.touch(range);
                    answer.serves = Some(request);
                } else {
                    // What comes may be older than what is written meanwhile.
                    let keeps = !self.lines.is_unwritten(range) && !self.is_being_written(range);
                    self.pass(request, keeps, &mut answer);
                }
            }
            Direction::Write => {
                self.tally.writes.add(request.blocks.into());
                if self.battery && (!self.waiting.is_empty() || !self.goes_on(range)) {
                    self.tally.waited += 1;
                    self.waiting.push_back(range);
                    answer.waits = Some(request);
                } else {
                    self.write(request, &mut answer);
                }
            }
        }
        self.settle(now, &mut answer);
        answer
    }

    /// Whether a write need not wait: for room, or for one that goes to the members beside memory and overlaps it.
    fn goes_on(&self, range: Range) -> bool {
        // What goes beside memory goes after what memory has of it: until it is there, that is what is read.
        let finds_room = if self.lines.could_hold(range) {
            self.lines.has_room(range)
        } else {
            !self.lines.is_unwritten(range)
        };
        finds_room && !self.is_being_written(range)
    }

    /// Whether somebody's own write of some of a range is under way to the members.
    fn is_being_written(&self, (first, end): Range) -> bool {
        self.sent.iter().any(|sent| match sent {
            Sent::Asked(request, _) => {
                request.direction == Direction::Write && request.address < end && first < request.end()
            }
            Sent::Destaged(_) => false,
        })
    }

    /// The first of those that waited goes on.
    pub(in crate::block::raid) fn admit(&mut self, request: BlockRequest, now: Time) -> Answer {
        let mut answer = Answer::default();
        self.called = false;
        self.waiting.pop_front();
        self.write(request, &mut answer);
        self.settle(now, &mut answer);
        answer
    }

    /// A write that has waited for all that it must.
    fn write(&mut self, request: BlockRequest, answer: &mut Answer) {
        let range = (request.address, request.end());
        // What is read meanwhile may be older than this.
        self.nobody_keeps(range);
        if self.battery && self.lines.could_hold(range) {
            self.tally.overwritten_bytes += self.lines.write(range, request.purposes) * SECTOR_BYTES;
            self.tally.reported.add(request.blocks.into());
            answer.serves = Some(request);
        } else {
            self.lines.forget(range);
            let keeps = !self.battery && !self.is_being_written(range);
            self.pass(request, keeps, answer);
        }
    }

    /// Those under way that overlap a write don't stay in memory.
    fn nobody_keeps(&mut self, (first, end): Range) {
        for sent in self.sent.iter_mut() {
            if let Sent::Asked(request, keeps) = sent {
                *keeps &= request.end() <= first || end <= request.address;
            }
        }
    }

    /// A request goes on to the array.
    fn pass(&mut self, request: BlockRequest, keeps: bool, answer: &mut Answer) {
        let down = request.clone();
        self.send(Sent::Asked(Box::new(request), keeps), down, answer);
    }

    fn send(&mut self, sent: Sent, mut request: BlockRequest, answer: &mut Answer) {
        (request.id, request.tag) = (RequestId(self.number), self.sent.insert(sent).into());
        self.number += 1;
        answer.down.push(request);
    }

    /// The array is done with something; `None` where nobody asked it for that.
    pub(in crate::block::raid) fn back(&mut self, part: &BlockRequest, now: Time) -> Option<Answer> {
        let mut answer = Answer::default();
        let is_there = part.status.failure().is_none();
        match self.sent.remove(u32::try_from(part.tag).ok()?)? {
            Sent::Asked(request, keeps) => {
                if keeps && is_there {
                    self.lines.keep((request.address, request.end()));
                }
                answer.complete = Some(BlockRequest { status: part.status, ledger: part.ledger, ..*request });
            }
            Sent::Destaged(range) => {
                self.leaving -= 1;
                self.lines.sent(range, is_there);
                if !is_there {
                    self.tally.lost_bytes += (range.1 - range.0) * SECTOR_BYTES;
                }
            }
        }
        self.settle(now, &mut answer);
        Some(answer)
    }

    /// It looks whether anything has been asked lately.
    pub(in crate::block::raid) fn look(&mut self, now: Time) -> Answer {
        let mut answer = Answer::default();
        self.looks = false;
        self.is_idle = now >= self.asked_at + self.idle_after;
        if self.flush_at.take_if(|at| *at <= now).is_some() {
            self.to_flush = self.lines.unwritten();
        }
        self.settle(now, &mut answer);
        answer
    }

    /// After any event: who waits goes on if he can, and what is to be written is.
    fn settle(&mut self, now: Time, answer: &mut Answer) {
        if !self.called && self.waiting.front().is_some_and(|&range| self.goes_on(range)) {
            self.called = true;
            answer.calls = true;
        }
        let unwritten = self.lines.unwritten();
        self.drains = unwritten > self.low && (self.drains || unwritten > self.high);
        // Who has been called finds what is in memory as it was when he was.
        while !self.called && self.leaving < self.depth {
            let writes = self.drains || self.is_idle || self.to_flush > 0 || !self.waiting.is_empty();
            let Some((range, purposes)) = writes.then(|| self.lines.send(self.stripe)).flatten() else {
                break;
            };
            self.leaving += 1;
            self.to_flush = self.to_flush.saturating_sub(self.lines.of(range));
            let blocks = range.1 - range.0;
            self.tally.destaged.add(blocks);
            self.tally.whole_stripes += u64::from(blocks == self.stripe);
            let request = BlockRequest {
                direction: Direction::Write,
                purposes,
                address: range.0,
                blocks: blocks as u32,
                issued: now,
                ..BlockRequest::default()
            };
            self.send(Sent::Destaged(range), request, answer);
        }
        if unwritten == 0 {
            (self.flush_at, self.to_flush) = (None, 0);
        } else if self.flush_at.is_none() && self.to_flush == 0 {
            self.flush_at = self.flush_every.map(|every| now + every);
        }
        if !self.looks && !self.is_idle && unwritten > 0 {
            self.looks = true;
            let idle_at = self.asked_at + self.idle_after;
            let at = self.flush_at.map_or(idle_at, |at| at.min(idle_at));
            answer.looks = Some(at.saturating_sub(now));
        }
    }

    /// What is under way below, as the net sees it.
    pub(in crate::block::raid) fn sent_and_back(&self) -> i64 {
        self.number as i64 - self.sent.iter().count() as i64
    }

    /// Whether all of a range is in memory.
    #[cfg(test)]
    pub(in crate::block::raid) fn holds(&self, range: Range) -> bool {
        self.lines.holds(range)
    }

    /// Whether nothing is under way or waits.
    #[cfg(test)]
    pub(in crate::block::raid) fn is_at_rest(&self) -> bool {
        self.sent.iter().next().is_none() && self.waiting.is_empty()
    }
}
