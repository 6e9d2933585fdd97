//! A device that is rearranged: what is on its way to it, what is counted, and what is being moved.

use super::layout::{PieceLayout, Uses};
use super::parameters::{RearrangementError, RearrangementParameters};
use crate::CopyTraffic;
use petrio_colours::{BlockRequest, Direction, IoClass, Purpose, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// What goes down.
pub(super) type Parts = SmallVec<[BlockRequest; 2]>;

/// Requests of moves have this tag; those of others have the number of what they belong to.
const MOVE: u64 = u64::MAX;

/// A request on its way.
#[derive(Clone, Debug, Persist)]
struct Whole {
    request: BlockRequest,
    /// Parts that aren't complete.
    left: u32,
    status: Status,
}

/// Two slots whose pieces change places, and how far they have come.
#[derive(Clone, Debug, Persist)]
struct Move {
    slots: (u32, u32),
    /// Reads and writes that have been done, of four.
    done: u8,
    /// One is under way.
    under_way: bool,
}

/// All of it that changes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Arrangement {
    #[persist(keep)]
    parameters: RearrangementParameters,
    pieces: u32,
    layout: PieceLayout,
    uses: Uses,
    /// When pieces are moved next.
    next: Time,
    /// Where pieces should go, in this order.
    wanted: VecDeque<(u32, u32)>,
    moving: Option<Move>,
    /// Requests that wait for what is being moved.
    held: u32,
    /// Requests that have waited and haven't gone on yet.
    released: u32,
    wholes: Slab<Whole>,
    parts_out: u32,
    /// Requests sent.
    number: u64,
}

/// What an event brings about.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What goes down.
    pub(super) down: Parts,
    /// A request that has to wait for what is being moved.
    pub(super) waits: Option<BlockRequest>,
    /// What is complete.
    pub(super) complete: Option<BlockRequest>,
    /// A move begins.
    pub(super) begins: bool,
    /// One ends.
    pub(super) ends: bool,
    /// So many of those that wait go on.
    pub(super) release: u32,
}

impl Arrangement {
    pub(super) fn new(parameters: &RearrangementParameters, blocks: u64) -> Result<Self, RearrangementError> {
        Ok(Self {
            pieces: parameters.pieces_of(blocks)?,
            next: parameters.every.time(),
            parameters: parameters.clone(),
            layout: PieceLayout::default(),
            uses: Uses::default(),
            wanted: VecDeque::new(),
            moving: None,
            held: 0,
            released: 0,
            wholes: Slab::new(),
            parts_out: 0,
            number: 0,
        })
    }

    /// Sent, and not yet back.
    pub(super) fn sent_and_back(&self) -> i64 {
        self.number as i64 - i64::from(self.parts_out)
    }

    /// A request arrives.
    pub(super) fn arrive(&mut self, request: BlockRequest, now: Time) -> Outcome {
        if now >= self.next {
            self.look(now);
        }
        for piece in self.pieces_of(&request) {
            self.uses.count(piece);
        }
        if !self.meets_move(&request) {
            return self.go(request, now);
        }
        self.held += 1;
        let mut outcome = Outcome { waits: Some(request), ..Outcome::default() };
        // What it waits for hurries.
        self.work(now, &mut outcome);
        outcome
    }

    /// A request that has waited goes on.
    pub(super) fn release(&mut self, request: BlockRequest, now: Time) -> Outcome {
        self.released -= 1;
        self.go(request, now)
    }

    fn go(&mut self, request: BlockRequest, now: Time) -> Outcome {
        let mut outcome = Outcome { down: self.send(request), ..Outcome::default() };
        self.work(now, &mut outcome);
        outcome
    }

    /// A part is complete; `None` where it was never sent.
    pub(super) fn end(&mut self, part: &BlockRequest, now: Time) -> Option<Outcome> {
        self.parts_out = self.parts_out.checked_sub(1)?;
        let mut outcome = Outcome::default();
        if part.tag == MOVE {
            self.moved(part.status, &mut outcome);
        } else {
            outcome.complete = self.part_ends(part)?;
        }
        self.work(now, &mut outcome);
        Some(outcome)
    }

    /// An interval is over: where pieces should go.
    fn look(&mut self, now: Time) {
        let every = self.parameters.every.time();
        // The end of the interval that `now` lies in: there may have been any number since the last request.
        let over = now.saturating_sub(self.next).as_picos() / every.as_picos().max(1);
        let passed = Time::from_picos(every.as_picos().saturating_mul(over));
        self.next = self.next.saturating_add(passed).saturating_add(every);
        // What was wanted before and isn't done is of yesterday.
        self.wanted = self.uses.wanted(&self.parameters, self.pieces, &self.layout).collect();
        if self.parameters.traffic == CopyTraffic::Magic {
            while let Some(slots) = self.next_exchange() {
                self.layout.exchange(slots);
            }
        }
    }

    /// The next two slots that change places.
    fn next_exchange(&mut self) -> Option<(u32, u32)> {
        loop {
            let (piece, to) = self.wanted.pop_front()?;
            let from = self.layout.slot_of(piece);
            if from != to {
                return Some((from, to));
            }
        }
    }

    fn piece_blocks(&self) -> u64 {
        self.parameters.piece_blocks()
    }

    /// The pieces that a request touches.
    fn pieces_of(&self, request: &BlockRequest) -> std::ops::Range<u32> {
        if request.blocks == 0 {
            return 0..0;
        }
        let blocks = self.piece_blocks();
        as_number(request.address / blocks)..as_number((request.end() - 1) / blocks + 1)
    }

    fn touches(&self, request: &BlockRequest, slots: (u32, u32)) -> bool {
        self.pieces_of(request).any(|piece| {
            let slot = self.layout.slot_of(piece);
            slot == slots.0 || slot == slots.1
        })
    }

    fn meets_move(&self, request: &BlockRequest) -> bool {
        self.moving.as_ref().is_some_and(|moving| self.touches(request, moving.slots))
    }

    /// Sends a request where its pieces lie, in as few parts as they allow.
    fn send(&mut self, request: BlockRequest) -> Parts {
        let blocks = self.piece_blocks();
        let mut ranges: SmallVec<[(u64, u32); 2]> = SmallVec::new();
        let mut at = request.address;
        while at < request.end() {
            let piece = at / blocks;
            let end = ((piece + 1) * blocks).min(request.end());
            let first = u64::from(self.layout.slot_of(as_number(piece))) * blocks + at % blocks;
            let length = as_number(end - at);
            match ranges.last_mut() {
                Some((begin, so_far)) if *begin + u64::from(*so_far) == first => *so_far += length,
                _ => ranges.push((first, length)),
            }
            at = end;
        }
        if ranges.is_empty() {
            ranges.push((request.address, request.blocks));
        }
        let whole = Whole { left: as_number(ranges.len()), status: Status::DoneFromCache, request };
        let model = whole.request.clone();
        let tag = self.wholes.insert(whole).into();
        let mut part =
            |(address, blocks)| BlockRequest { id: self.next_id(), address, blocks, tag, ..model.clone() };
        ranges.into_iter().map(&mut part).collect()
    }

    fn next_id(&mut self) -> RequestId {
        self.number += 1;
        self.parts_out += 1;
        RequestId(self.number - 1)
    }

    /// A part of somebody's request is complete, and the request with it if it was the last.
    fn part_ends(&mut self, part: &BlockRequest) -> Option<Option<BlockRequest>> {
        let slot = u32::try_from(part.tag).ok()?;
        let whole = self.wholes.get_mut(slot)?;
        whole.left -= 1;
        whole.status = whole.status.and(part.status);
        if whole.left > 0 {
            return Some(None);
        }
        // The last part was on its way all the time: its time is the whole's.
        let Whole { request, status, .. } = self.wholes.remove(slot)?;
        Some(Some(BlockRequest { status, ledger: part.ledger, ..request }))
    }

    /// A read or write of a move is done. One that fails ends it: its pieces stay where they were.
    fn moved(&mut self, status: Status, outcome: &mut Outcome) {
        let Some(moving) = &mut self.moving else { return };
        moving.under_way = false;
        moving.done += 1;
        let failed = status.failure().is_some();
        if failed || moving.done == 4 {
            if !failed {
                let slots = moving.slots;
                self.layout.exchange(slots);
            }
            self.moving = None;
            outcome.ends = true;
            outcome.release = std::mem::take(&mut self.held);
            self.released += outcome.release;
        }
    }

    /// Moves on, where it may: when nothing else is asked of the device, or at once where that is the rule or where
    /// somebody waits for it.
    fn work(&mut self, now: Time, outcome: &mut Outcome) {
        let at_once = self.parameters.traffic == CopyTraffic::AtOnce;
        if self.moving.is_none() && self.released == 0 && (at_once || self.parts_out == 0) {
            let Some(slots) = self.next_exchange() else { return };
            // Who is on the way to either piece comes first.
            let busy = self.wholes.iter().any(|whole| self.touches(&whole.request, slots));
            if busy {
                let piece = self.layout.piece_in(slots.0);
                self.wanted.push_front((piece, slots.1));
                return;
            }
            self.moving = Some(Move { slots, done: 0, under_way: false });
            outcome.begins = true;
        }
        let (parts_out, held) = (self.parts_out, self.held);
        let Some(moving) = &mut self.moving else { return };
        if moving.under_way || !(at_once || held > 0 || parts_out == 0) {
            return;
        }
        moving.under_way = true;
        let (slot, direction) = match moving.done {
            0 => (moving.slots.0, Direction::Read),
            1 => (moving.slots.1, Direction::Read),
            2 => (moving.slots.1, Direction::Write),
            _ => (moving.slots.0, Direction::Write),
        };
        let blocks = self.piece_blocks();
        let class = if at_once || held > 0 { IoClass::BestEffort } else { IoClass::Idle };
        let id = self.next_id();
        outcome.down.push(BlockRequest {
            id,
            direction,
            class,
            purposes: Purpose::Copy.into(),
            tag: MOVE,
            address: u64::from(slot) * blocks,
            blocks: as_number(blocks),
            issued: now,
            ..BlockRequest::default()
        });
    }
}
