//! All of an array that changes: requests on their way, in which order their parts go, and what they came to.

use super::bitmap::Bitmap;
use super::gather::Pieces;
use super::locks::{Asker, Locks};
use super::outcome::{Outcome, Parity};
use super::parameters::WriteOrder;
use super::plan::{Extra, Health, Lost, Members, Part, Plan};
use super::reads::{Busy, Chooser};
use super::rebuild::{Job, Piece};
use super::rows::Rows;
use super::tally::RaidTally;
use super::whole::{Errand, Made, PartState, Rules, Whole};
use petrio_colours::{BlockRequest, Cause, Direction, Failure, Ledger, RequestId, Status};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::{as_number, low_half};
use smallvec::SmallVec;

/// All of an array that changes.
#[derive(Clone, Debug, Persist)]
pub struct Array {
    pub(super) rules: Rules,
    pub(super) members: Members,
    pub(super) wholes: Slab<Whole>,
    pub(super) locks: Locks,
    /// Where Linux md makes it of rows of pages.
    pub(super) rows: Option<Box<Rows>>,
    /// Which parts may differ between the members, where that is written down.
    pub(super) bitmap: Option<Bitmap>,
    /// Parts sent.
    pub(super) number: u64,
    /// By member: what is known of it when a copy is chosen.
    pub(super) busy: Vec<Busy>,
    /// By those that it lies on: how many drives have failed there.
    pub(super) drives: Vec<u32>,
    /// By member: which of those that it lies on it is, and how far it is rebuilt.
    pub(super) seats: Vec<usize>,
    pub(super) jobs: Vec<Option<Job>>,
    /// Spares that are left.
    pub(super) spares: Vec<usize>,
    /// Requests that somebody asked for, and has no answer to; all that came so far, and when the last one did.
    pub(super) asked: u32,
    pub(super) arrived: u64,
    pub(super) arrived_at: Option<Time>,
    /// How often some member began to be filled.
    pub(super) fills: u32,
    pub(super) turn: usize,
    /// Writes with which members that are mostly written are behind.
    pub(super) behind: u32,
    pub(super) tally: RaidTally,
    /// A rebuild goes in a stride.
    pub(super) strides_under_way: bool,
    /// What the last event brought about, carried out by now.
    carried_out: Option<Box<Outcome>>,
}

impl Array {
    pub(super) fn new(rules: Rules, rows: Option<Rows>, bitmap: Option<Bitmap>) -> Self {
        let members = rules.planner.layout.members();
        let drives = vec![0; members + rules.spares];
        Self {
            seats: (0..members).collect(),
            jobs: vec![None; members],
            spares: (members..members + rules.spares).rev().collect(),
            asked: 0,
            arrived: 0,
            arrived_at: None,
            fills: 0,
            rules,
            members: Members::whole(members),
            wholes: Slab::new(),
            locks: Locks::default(),
            rows: rows.map(Box::new),
            bitmap,
            number: 0,
            busy: vec![Busy::default(); members],
            drives,
            turn: 0,
            behind: 0,
            tally: RaidTally::default(),
            strides_under_way: false,
            carried_out: None,
        }
    }

    /// Nothing is done yet about an event.
    pub(super) fn outcome(&mut self) -> Box<Outcome> {
        self.carried_out.take().unwrap_or_default()
    }

    /// What an event made it do is done.
    pub(super) fn carried_out(&mut self, outcome: Box<Outcome>) {
        self.carried_out = Some(outcome);
    }

    /// What it has come to.
    pub fn tally(&self) -> &RaidTally {
        &self.tally
    }

    /// A request arrives; a write of several pieces comes with these. `draw` is a number from 0 to 1.
    pub(super) fn arrive(&mut self, request: BlockRequest, gathered: Pieces, draw: f64) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let is_flush = request.direction == Direction::Flush;
        let end = gathered.last().map_or(request.end(), |piece| piece.1);
        if request.direction == Direction::Discard && self.rules.discards.is_none() {
            outcome.complete.push(BlockRequest { status: Status::Failed(Failure::NotSupported), ..request });
            return outcome;
        }
        if !is_flush && (request.blocks == 0 || end > self.rules.blocks) {
            let failure = if request.blocks == 0 { Failure::Empty } else { Failure::BeyondEnd };
            outcome.complete.push(BlockRequest { status: Status::Failed(failure), ..request });
            return outcome;
        }
        self.tally.asked(&request);
        let layout = &self.rules.planner.layout;
        let are_whole = self.members.are_whole();
        // What is read in a stripe that isn't whole is worked out of the others' data; and what is rebuilt is copied.
        let locks = self.rules.locks
            && self.rows.is_none()
            && match request.direction {
                Direction::Write | Direction::Discard => {
                    layout.parities() > 0 || layout.copies() > 1 && !are_whole
                }
                Direction::Read => layout.parities() > 0 && !are_whole,
                Direction::Flush => false,
            };
        let stripes = if locks {
            (request.address / layout.stripe()..=(end - 1) / layout.stripe()).collect()
        } else {
            SmallVec::new()
        };
        let flushes = is_flush || request.flush_before;
        self.asked += 1;
        self.arrived += 1;
        let now = request.issued + request.ledger.total();
        self.arrived_at = Some(now);
        self.disturb(now, Some(draw), &mut outcome);
        let whole = Whole {
            data_to_come: flushes && !is_flush && !self.has_journal(),
            request,
            gathered,
            parts: SmallVec::new(),
            parity: SmallVec::new(),
            left: 0,
            rebuilds: None,
            again: false,
            stripes,
            others: 0,
            by_rows: false,
            is_behind: false,
            is_answered: false,
            is_noted: false,
            errand: Errand::Asked,
            status: Status::DoneFromCache,
        };
        self.enter(whole, draw, &mut outcome);
        outcome
    }

    /// Takes a request in, and begins it if its stripes are free.
    pub(super) fn enter(&mut self, whole: Whole, draw: f64, outcome: &mut Outcome) {
        let slot = self.wholes.insert(whole);
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let job = whole.rebuilds.map_or(0, |piece| piece.job);
        whole.others = self.locks.ask(&whole.stripes, Asker { slot, job });
        if whole.others == 0 {
            return self.begin(slot, draw, outcome);
        }
        self.tally.waited += u64::from(job == 0);
        outcome.waits = Some(slot);
    }

    /// A request has all its stripes.
    pub(super) fn go(&mut self, slot: u32, now: Time, draw: f64) -> Box<Outcome> {
        let mut outcome = self.outcome();
        if let Some(whole) = self.wholes.get_mut(slot) {
            let request = &mut whole.request;
            let waited = now.saturating_sub(request.issued + request.ledger.total());
            request.ledger.charge(Cause::Queue, waited);
            if whole.by_rows {
                return outcome;
            }
        }
        self.begin(slot, draw, &mut outcome);
        outcome
    }

    fn begin(&mut self, slot: u32, draw: f64, outcome: &mut Outcome) {
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let request = &whole.request;
        let direction = request.direction;
        if direction == Direction::Write && !whole.data_to_come && self.waits_for_bits(slot, outcome) {
            return;
        }
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let range = (whole.request.address, whole.request.end());
        if whole.rebuilds.is_none() && !whole.data_to_come && self.goes_by_rows(direction, range) {
            return self.put_down(slot, outcome);
        }
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let request = &whole.request;
        let range = (request.address, request.end());
        let (rules, members) = (&self.rules, &self.members);
        let plan = if let Some(Piece { member, blocks, .. }) = whole.rebuilds {
            match members.0[member] {
                Health::Rebuilding(_) => rules.planner.rebuild(member, blocks, members),
                // It has failed again meanwhile.
                Health::Whole | Health::Gone => Err(Lost),
            }
        } else if whole.data_to_come || request.direction == Direction::Flush {
            Ok(Plan::flushes(members))
        } else if request.direction == Direction::Read {
            let (busy, turn) = (self.busy.as_slice(), &mut self.turn);
            let (choice, striped, rotational) = (rules.reads, rules.striped_mirrors, rules.rotational);
            let lowest = rules.lowest;
            let mut chooser = Chooser { choice, striped, lowest, busy, rotational, turn, draw };
            let mostly = &rules.mostly;
            rules.planner.read(range, members, |spots| mostly.choose(spots, |spots| chooser.choose(spots)))
        } else if request.direction == Direction::Discard {
            rules.planner.write(range, members).map(Plan::of_discards)
        } else if whole.gathered.is_empty() {
            rules.planner.write(range, members)
        } else {
            rules.planner.gather(&whole.gathered, members)
        };
        match plan {
            Ok(mut plan) => {
                let is_rebuild = whole.rebuilds.is_some();
                let is_whole = self.rules.discards.is_some_and(|least| range.1 - range.0 >= least);
                let goes_whole = direction == Direction::Discard && is_whole;
                plan.cut(self.rules.pieces.filter(|_| !goes_whole));
                if direction == Direction::Write && !whole.data_to_come && whole.rebuilds.is_none() {
                    self.may_be_behind(slot);
                }
                self.tally.planned(&plan, is_rebuild);
                self.follow(slot, plan, outcome);
            }
            Err(Lost) => {
                self.tally.lost += u64::from(whole.rebuilds.is_none());
                whole.status = Status::Failed(Failure::Device);
                whole.data_to_come = false;
                self.end(slot, Time::ZERO, outcome);
            }
        }
    }

    /// Sends what a plan says, as far as it waits for nothing.
    pub(super) fn follow(&mut self, slot: u32, plan: Plan, outcome: &mut Outcome) {
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        whole.left = as_number(plan.parts.len());
        if whole.left == 0 {
            // Blocks that the array leaves unused.
            return self.end(slot, Time::ZERO, outcome);
        }
        whole.parts = plan.parts.into_iter().map(|part| (part, PartState::Waiting)).collect();
        let made = |blocks: u64| if blocks == 0 { (0, Made::Yes) } else { (blocks, Made::No) };
        whole.parity = plan.parity_of.into_iter().map(made).collect();
        let ledger = whole.request.ledger;
        self.send(slot, ledger, outcome);
    }

    /// Sends all parts whose time has come. They go on from a ledger: that of what they waited for.
    fn send(&mut self, slot: u32, ledger: Ledger, outcome: &mut Outcome) {
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let pending = |parts: &[(Part, PartState)], group: u32, member: Option<usize>| {
            parts.iter().any(|(part, stage)| {
                part.group == group
                    && part.direction == Direction::Read
                    && *stage != PartState::Done
                    && member.is_none_or(|member| part.member == member)
            })
        };
        // Parity is made once all that goes into it is there.
        for group in 1..=as_number(whole.parity.len()) {
            let (blocks, made) = whole.parity[group as usize - 1];
            if made == Made::No && !pending(&whole.parts, group, None) {
                let takes_time = self.rules.makes_parity;
                whole.parity[group as usize - 1].1 = if takes_time { Made::InWork } else { Made::Yes };
                if takes_time {
                    outcome.parity.push(Parity { slot, group, blocks });
                }
            }
        }
        for index in 0..whole.parts.len() {
            let (part, stage) = whole.parts[index];
            if stage != PartState::Waiting {
                continue;
            }
            let is_made =
                |group: u32| whole.parity.get(group as usize - 1).is_none_or(|(_, made)| *made == Made::Yes);
            let goes = part.direction == Direction::Read
                || part.group == 0
                || match self.rules.order {
                    // What is for redundancy alone, and belongs to a group, is parity.
                    WriteOrder::AfterOwnRead if part.extra != Extra::All => {
                        !pending(&whole.parts, part.group, Some(part.member))
                    }
                    _ => !pending(&whole.parts, part.group, None) && is_made(part.group),
                };
            if !goes {
                continue;
            }
            let port = self.seats[part.member];
            // All that has passed since it was issued is accounted for.
            whole.parts[index].1 = PartState::Sent(port, whole.request.issued + ledger.total());
            let id = RequestId(self.number);
            self.number += 1;
            self.busy[part.member].sent(&part);
            let is_flush = part.direction == Direction::Flush;
            let request = BlockRequest {
                id,
                direction: part.direction,
                address: part.address,
                blocks: as_number(part.blocks),
                tag: u64::from(slot) << u32::BITS | index as u64,
                flush_before: whole.errand == Errand::SetsBits,
                force_unit_access: whole.request.force_unit_access && !is_flush,
                purposes: part.extra.purposes(whole.request.purposes),
                ledger,
                ..whole.request.clone()
            };
            outcome.sends.push((port, request));
        }
    }

    /// Parity is made.
    pub(super) fn made(&mut self, parity: Parity, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let Some(whole) = self.wholes.get_mut(parity.slot) else { return outcome };
        if let Some((_, made)) = whole.parity.get_mut(parity.group as usize - 1) {
            *made = Made::Yes;
        }
        let request = &whole.request;
        let mut ledger = request.ledger;
        let spent = now.saturating_sub(request.issued + ledger.total());
        ledger.charge(Cause::Overhead, spent);
        self.send(parity.slot, ledger, &mut outcome);
        outcome
    }

    /// A part is complete; `None` where the array never sent it.
    pub(super) fn part(
        &mut self,
        port: usize,
        part: &BlockRequest,
        now: Time,
        draw: f64,
    ) -> Option<Box<Outcome>> {
        if Self::is_of_rows(part) {
            return self.row_answer(port, part, now);
        }
        let (slot, index) = ((part.tag >> u32::BITS) as u32, low_half(part.tag));
        let whole = self.wholes.get_mut(slot)?;
        let (planned, stage) = whole.parts.get_mut(index as usize)?;
        let PartState::Sent(to, sent) = *stage else { return None };
        if to != port {
            return None;
        }
        *stage = PartState::Done;
        let planned = *planned;
        self.busy[planned.member].answered(&planned);
        if planned.direction.moves_data() && whole.rebuilds.is_none() {
            self.tally.answered(now.saturating_sub(sent));
        }
        whole.left -= 1;
        let mut outcome = self.outcome();
        let mut survives = false;
        if part.status.failure() == Some(Failure::Device) && self.rules.planner.layout.has_redundancy() {
            // A member that itself is made of others has failed: others know what it knew.
            self.member_failed((port, false), now, &mut outcome);
            survives = self.survives(slot, planned.direction);
        }
        let whole = self.wholes.get_mut(slot)?;
        if survives {
            whole.again |= planned.direction == Direction::Read;
        } else {
            whole.status = whole.status.and(part.status);
        }
        if whole.left > 0 {
            // After a read that failed there is nothing to write: the rest isn't sent, and counts as done.
            if whole.status.failure().is_some() || whole.again {
                let waiting = whole.parts.iter_mut().filter(|(_, stage)| *stage == PartState::Waiting);
                for (part, stage) in waiting {
                    *stage = PartState::Done;
                    whole.left -= 1;
                    self.tally.dropped(part, whole.rebuilds.is_some());
                }
            } else if planned.group != 0 && planned.direction == Direction::Read {
                let ledger = part.ledger;
                // Others of its group go on from here, if they wait for parity too.
                whole.request.ledger = ledger;
                self.send(slot, ledger, &mut outcome);
                return Some(outcome);
            }
        }
        self.answer_before(slot, part, &mut outcome);
        let whole = self.wholes.get_mut(slot)?;
        if whole.left > 0 {
            return Some(outcome);
        }
        // The last part was on its way all the time: its time is the whole's.
        whole.request.ledger = part.ledger;
        if std::mem::take(&mut whole.again) {
            self.tally.again += 1;
            self.begin(slot, draw, &mut outcome);
            return Some(outcome);
        }
        // After a flush that failed, what it was for isn't written.
        if std::mem::take(&mut whole.data_to_come) && whole.status.failure().is_none() {
            whole.status = Status::DoneFromCache;
            self.begin(slot, draw, &mut outcome);
            return Some(outcome);
        }
        self.end(slot, now, &mut outcome);
        Some(outcome)
    }

    /// Whether a request can do without a member that has failed: what it reads is elsewhere, too, and what it writes is known. A
    /// rebuild can't.
    fn survives(&mut self, slot: u32, direction: Direction) -> bool {
        let Some(whole) = self.wholes.get_mut(slot) else { return false };
        if whole.rebuilds.is_some() {
            return false;
        }
        if direction == Direction::Flush {
            return self.members.writes_any();
        }
        let end = whole.gathered.last().map_or(whole.request.end(), |piece| piece.1);
        self.rules.planner.read((whole.request.address, end), &self.members, |_| 0).is_ok()
    }

    /// A request is complete.
    pub(super) fn end(&mut self, slot: u32, now: Time, outcome: &mut Outcome) {
        let Some(whole) = self.wholes.get_mut(slot) else { return };
        let Whole { status, rebuilds, errand, is_noted, is_behind, is_answered, .. } = *whole;
        self.behind -= u32::from(is_behind);
        let (mut request, stripes) = (std::mem::take(&mut whole.request), std::mem::take(&mut whole.stripes));
        self.wholes.discard(slot);
        if is_noted {
            self.bits_unused((request.address, request.end()), outcome);
        }
        if errand != Errand::Asked {
            return self.bits_written(errand, now, outcome);
        }
        match rebuilds {
            Some(piece) => self.rebuilt(&piece, (now, status), outcome),
            // It was answered before.
            None if is_answered => {}
            None => {
                request.status = status;
                self.tally.ended(&request);
                outcome.complete.push(request);
                self.asked -= 1;
            }
        }
        let (locks, wholes, granted) = (&mut self.locks, &mut self.wholes, &mut outcome.granted);
        locks.give_back(&stripes, |next| {
            if let Some(whole) = wholes.get_mut(next) {
                whole.others -= 1;
                if whole.others == 0 {
                    granted.push(next);
                }
            }
        });
    }

    /// Parts that were sent, less those on their way: those that came back.
    pub(super) fn sent_and_back(&self) -> i64 {
        let sent = |whole: &Whole| {
            whole.parts.iter().filter(|(_, stage)| matches!(stage, PartState::Sent(..))).count()
        };
        self.number as i64 - (self.wholes.iter().map(sent).sum::<usize>() + self.rows_asked()) as i64
    }

    /// Whether nothing is on its way.
    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        let rest = self.rows.as_ref().is_none_or(|rows| rows.are_at_rest());
        rest && self.wholes.iter().next().is_none() && self.locks.are_free()
    }
}
