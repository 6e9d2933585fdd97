//! What a controller's cache decides: what is served from memory, what waits for room, and what is written to the members
//! when. No time passes here.

use super::destage::{Shape, Sweep};
use super::lines::{Lines, Range, Runs};
use super::parameters::RaidCacheParameters;
use super::read_ahead::ReadAhead;
use super::tally::CacheTally;
use petrio_colours::{BlockRequest, Direction, Purposes, RequestId, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::{as_index, as_number, whole_part};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What an event makes a cache do.
#[derive(Debug, Default)]
pub(in crate::raid) struct Answer {
    /// Requests to the array.
    pub(in crate::raid) down: SmallVec<[Down; 1]>,
    /// What memory serves.
    pub(in crate::raid) serves: SmallVec<[BlockRequest; 1]>,
    /// What is complete.
    pub(in crate::raid) complete: Option<BlockRequest>,
    /// A write that waits for room.
    pub(in crate::raid) waits: Option<BlockRequest>,
    /// The first of those that wait goes on.
    pub(in crate::raid) calls: bool,
    /// It wants to look whether it is idle, after a time.
    pub(in crate::raid) looks: Option<Time>,
}

/// A request to the array.
#[derive(Clone, Debug, Persist)]
pub(in crate::raid) struct Down {
    pub(in crate::raid) request: BlockRequest,
    /// What of the array is written together, from memory; nothing of what somebody asked.
    pub(in crate::raid) gathered: Runs,
}

/// What the array is asked for it.
#[derive(Clone, Debug, Persist)]
enum Sent {
    /// What somebody asked; whether what comes back is kept.
    Asked(Box<BlockRequest>, bool),
    /// What is read ahead, whether it is kept, and who waits for it.
    Ahead(Range, bool, SmallVec<[u32; 2]>),
    /// What is written from memory.
    Destaged(Runs),
}

/// A read of what is on its way to memory.
#[derive(Clone, Debug, Persist)]
struct Reading {
    request: BlockRequest,
    /// What of it is still to come.
    left: u32,
    /// Some of it couldn't be read.
    fails: bool,
}

/// All of a cache that changes.
#[derive(Clone, Debug, Persist)]
pub struct Cache {
    battery: bool,
    /// Lines that aren't written from which it begins to write, and at which it stops.
    high: usize,
    low: usize,
    idle_after: Time,
    flush_every: Option<Time>,
    depth: u64,
    /// Sectors of a stripe, and of the array.
    stripe: u64,
    /// Whether members share a parity, so that whole stripes are written without reading any.
    has_parity: bool,
    blocks: u64,
    lines: Lines,
    sweep: Sweep,
    ahead: ReadAhead,
    /// Reads that wait for what is read ahead.
    reading: Slab<Reading>,
    sent: Slab<Sent>,
    number: u64,
    /// Writes that wait for room, in the order in which they came.
    waiting: VecDeque<Range>,
    called: bool,
    drains: bool,
    is_idle: bool,
    asked_at: Time,
    /// When all that isn't written is; and how many lines of it are left.
    flush_at: Option<Time>,
    to_flush: usize,
    /// How much it has room for, bytes.
    room: u64,
    looks: bool,
    tally: CacheTally,
}

impl Cache {
    /// An empty one before an array.
    pub(in crate::raid) fn new(parameters: &RaidCacheParameters, shape: Shape) -> Self {
        let room = parameters.room();
        let share = |share: f64| as_index(whole_part(room as f64 * share));
        Self {
            battery: parameters.battery,
            high: share(parameters.high.get()),
            low: share(parameters.low.get()),
            idle_after: parameters.idle.time(),
            flush_every: parameters.flush_every.map(petrio_units::Duration::time),
            depth: parameters.depth.into(),
            stripe: shape.stripe,
            has_parity: shape.parities > 0,
            blocks: shape.blocks,
            room: parameters.size.get(),
            lines: Lines::new(parameters.sectors(), room),
            sweep: Sweep::new(shape),
            ahead: ReadAhead::new(shape, parameters.ahead(), parameters.sectors() * room as u64),
            reading: Slab::new(),
            sent: Slab::new(),
            number: 0,
            waiting: VecDeque::new(),
            called: false,
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

    /// How much it has room for.
    pub fn room_bytes(&self) -> u64 {
        self.room
    }

    /// Bytes that have been reported and aren't on the members yet.
    pub fn unwritten_bytes(&self) -> u64 {
        self.lines.unwritten_sectors() * SECTOR_BYTES
    }

    /// A request arrives.
    pub(in crate::raid) fn arrive(&mut self, request: BlockRequest, now: Time) -> Answer {
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
            // The array says what is wrong with it: no controller passes discards on.
            Direction::Discard => self.pass(request, false, &mut answer),
            _ if !is_sound => self.pass(request, false, &mut answer),
            Direction::Read => {
                self.tally.reads.add(request.blocks.into());
                let (class, priority, process) = (request.class, request.priority, request.process);
                let purposes = request.purposes;
                self.read(request, &mut answer);
                if let Some(range) = self.ahead.asked(range)
                    && self.may_keep(range)
                {
                    self.tally.read_ahead.add(range.1 - range.0);
                    let request = BlockRequest {
                        address: range.0,
                        blocks: as_number(range.1 - range.0),
                        issued: now,
                        class,
                        priority,
                        process,
                        purposes,
                        ..BlockRequest::default()
                    };
                    self.send(Sent::Ahead(range, true, SmallVec::new()), request, &mut answer);
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

    /// A read: memory serves it, now or once it is there; or the array does.
    fn read(&mut self, request: BlockRequest, answer: &mut Answer) {
        let range = (request.address, request.end());
        if self.lines.holds(range) {
            self.tally.hits.add(request.blocks.into());
            self.lines.touch(range);
            answer.serves.push(request);
        } else if let Some(on_its_way) = self.on_its_way(range) {
            self.tally.awaited.add(request.blocks.into());
            let left = as_number(on_its_way.len());
            let slot = self.reading.insert(Reading { request, left, fails: false });
            for tag in on_its_way {
                if let Some(Sent::Ahead(_, _, waits)) = self.sent.get_mut(tag) {
                    waits.push(slot);
                }
            }
        } else {
            let keeps = self.may_keep(range);
            self.pass(request, keeps, answer);
        }
    }

    /// Whether what is read of a range now may be kept: else it may be older than what is written meanwhile.
    fn may_keep(&self, range: Range) -> bool {
        !self.lines.is_unwritten(range) && !self.is_being_written(range)
    }

    /// The numbers of what is read ahead that brings all of a range that isn't there, if it does.
    fn on_its_way(&self, (first, end): Range) -> Option<SmallVec<[u32; 2]>> {
        let mut found = SmallVec::new();
        let mut at = self.lines.holds_up_to((first, end));
        while at < end {
            let brings = |sent: &Sent| match sent {
                Sent::Ahead((from, to), true, _) if (*from..*to).contains(&at) => Some(*to),
                _ => None,
            };
            let (tag, to) = self.sent.numbered().find_map(|(tag, sent)| Some((tag, brings(sent)?)))?;
            found.push(tag);
            at = self.lines.holds_up_to((to.min(end), end));
        }
        Some(found)
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
            Sent::Ahead(..) | Sent::Destaged(_) => false,
        })
    }

    /// The first of those that waited goes on.
    pub(in crate::raid) fn admit(&mut self, request: BlockRequest, now: Time) -> Answer {
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
            answer.serves.push(request);
        } else {
            self.lines.forget(range);
            let keeps = !self.battery && !self.is_being_written(range);
            self.pass(request, keeps, answer);
        }
    }

    /// Those under way that overlap a write don't stay in memory.
    fn nobody_keeps(&mut self, (first, end): Range) {
        for sent in self.sent.iter_mut() {
            match sent {
                Sent::Asked(request, keeps) => *keeps &= request.end() <= first || end <= request.address,
                Sent::Ahead(range, keeps, _) => *keeps &= range.1 <= first || end <= range.0,
                Sent::Destaged(_) => {}
            }
        }
    }

    /// A request goes on to the array.
    fn pass(&mut self, request: BlockRequest, keeps: bool, answer: &mut Answer) {
        let down = request.clone();
        self.send(Sent::Asked(Box::new(request), keeps), down, answer);
    }

    fn send(&mut self, sent: Sent, mut request: BlockRequest, answer: &mut Answer) {
        let gathered = if let Sent::Destaged(runs) = &sent { runs.clone() } else { Runs::new() };
        (request.id, request.tag) = (RequestId(self.number), self.sent.insert(sent).into());
        self.number += 1;
        answer.down.push(Down { request, gathered });
    }

    /// The array is done with something; `None` where nobody asked it for that.
    pub(in crate::raid) fn back(&mut self, part: &BlockRequest, now: Time) -> Option<Answer> {
        let mut answer = Answer::default();
        let is_there = part.status.failure().is_none();
        match self.sent.remove(u32::try_from(part.tag).ok()?)? {
            Sent::Asked(request, keeps) => {
                if keeps && is_there {
                    self.lines.keep((request.address, request.end()));
                }
                answer.complete = Some(BlockRequest { status: part.status, ledger: part.ledger, ..*request });
            }
            Sent::Ahead(range, keeps, waits) => {
                if keeps && is_there {
                    self.lines.keep(range);
                }
                for slot in waits {
                    self.came(slot, is_there, &mut answer);
                }
            }
            Sent::Destaged(runs) => {
                self.sweep.over(&runs);
                for range in runs {
                    self.lines.sent(range, is_there);
                    if !is_there {
                        self.tally.lost_bytes += (range.1 - range.0) * SECTOR_BYTES;
                    }
                }
            }
        }
        self.settle(now, &mut answer);
        Some(answer)
    }

    /// Something came that a read waits for.
    fn came(&mut self, slot: u32, is_there: bool, answer: &mut Answer) {
        let Some(reading) = self.reading.get_mut(slot) else { return };
        reading.left -= 1;
        reading.fails |= !is_there;
        if reading.left > 0 {
            return;
        }
        let Some(Reading { request, fails, .. }) = self.reading.remove(slot) else { return };
        if fails {
            // The array says what is wrong.
            self.pass(request, false, answer);
        } else {
            answer.serves.push(request);
        }
    }

    /// It looks whether anything has been asked lately.
    pub(in crate::raid) fn look(&mut self, now: Time) -> Answer {
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
        // Members have as much to do as they can while somebody waits for room or nobody asks for anything; else others' reads
        // find little before them.
        let depth = if self.is_idle || !self.waiting.is_empty() { self.depth } else { 1 };
        // Who has been called finds what is in memory as it was when he was.
        while !self.called && self.sweep.has_fewer(depth) {
            let writes = self.drains || self.is_idle || self.to_flush > 0 || !self.waiting.is_empty();
            let Some(runs) = writes.then(|| self.sweep.next(&self.lines)).flatten() else { break };
            let (mut purposes, mut blocks) = (Purposes::NONE, 0);
            for &range in &runs {
                purposes = purposes.and(self.lines.leave(range));
                self.to_flush = self.to_flush.saturating_sub(self.lines.of(range));
                blocks += range.1 - range.0;
                self.tally.whole_stripes += self.whole_stripes(range);
            }
            self.tally.destaged.add(blocks);
            let request = BlockRequest {
                direction: Direction::Write,
                purposes,
                address: runs.first().map_or(0, |run| run.0),
                blocks: as_number(blocks),
                issued: now,
                ..BlockRequest::default()
            };
            self.send(Sent::Destaged(runs), request, answer);
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

    /// Whole stripes in a range.
    fn whole_stripes(&self, (first, end): Range) -> u64 {
        if self.has_parity { (end / self.stripe).saturating_sub(first.div_ceil(self.stripe)) } else { 0 }
    }

    /// What is under way below, as the net sees it.
    pub(in crate::raid) fn sent_and_back(&self) -> i64 {
        self.number as i64 - self.sent.iter().count() as i64
    }

    /// Whether all of a range is in memory.
    #[cfg(test)]
    pub(in crate::raid) fn holds(&self, range: Range) -> bool {
        self.lines.holds(range)
    }

    /// Whether nothing is under way or waits.
    #[cfg(test)]
    pub(in crate::raid) fn is_at_rest(&self) -> bool {
        self.sent.iter().next().is_none() && self.reading.iter().next().is_none() && self.waiting.is_empty()
    }
}
