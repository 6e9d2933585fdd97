//! Requests on their way: each in pieces of one file, each piece in the steps of the protocol, each step in parts at disks.

use super::copies::Replicas;
use super::protocol::Protocol;
use super::select::Candidate;
use super::under_way::{Aim, Flight, Parts, Piece, Step, Tag, Whole};
use petrio_colours::{BlockRequest, Cause, Direction, Failure, FileId, RequestId, Status};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// Requests that go back.
pub(super) type Answers = SmallVec<[BlockRequest; 1]>;

/// A piece of a request, and the copies that it could go to.
pub(super) type Choice = ((FileId, u64, u32), SmallVec<[Candidate; 8]>);

impl Replicas {
    /// Parts ever made for the disks, less those that are there or are kept back for them.
    pub(super) fn sent_and_back(&self) -> i64 {
        let there = |flight: &Flight| match flight {
            Flight::Whole(whole) => whole.left,
            // Being read, or being written.
            Flight::Copy(copying) => copying.writes_left.max(1),
        };
        self.next_part as i64 - self.flights.iter().map(|flight| i64::from(there(flight))).sum::<i64>()
    }

    /// What a request would meet at a disk that doesn't show its arm.
    pub(super) fn counted(&self, slot: u32) -> petrio_device::analytic_disk::Outlook {
        self.counted[self.disk_of(slot)].outlook()
    }

    /// Sends a request to where it goes, by the protocol; or back at once, if that can't be.
    pub(super) fn send(
        &mut self,
        request: &BlockRequest,
        choices: &mut [Choice],
        now: Time,
    ) -> (Option<BlockRequest>, Parts) {
        let mut parts = Parts::new();
        let mut whole = Whole::of(request);
        whole.pieces = choices.iter().map(|(piece, _)| Piece::new(*piece)).collect();
        let flight = self.flights.insert(Flight::Whole(Box::new(whole)));
        for (number, (_, candidates)) in choices.iter_mut().enumerate() {
            let tag = Tag { flight, piece: as_number(number), slot: 0 };
            let Some(piece) = self.piece(tag) else { continue };
            candidates.iter().for_each(|one| piece.slots.insert(one.slot));
            let file = piece.file;
            if request.direction == Direction::Write && self.parameters.protocol.is_ordered() {
                if let Some(waiting) = self.locks.get_mut(&file) {
                    waiting.push_back((flight, tag.piece));
                    self.tally.waited += 1;
                    if let Some(piece) = self.piece(tag) {
                        piece.waits = true;
                    }
                    continue;
                }
                self.locks.insert(file, Default::default());
                if let Some(piece) = self.piece(tag) {
                    piece.holds = true;
                }
            }
            self.begin(tag, candidates, &mut parts, now);
        }
        self.maybe_answered.clear();
        (self.answer(flight, request), parts)
    }

    fn whole(&mut self, flight: u32) -> Option<&mut Whole> {
        match self.flights.get_mut(flight) {
            Some(Flight::Whole(whole)) => Some(whole),
            _ => None,
        }
    }

    fn piece(&mut self, tag: Tag) -> Option<&mut Piece> {
        self.whole(tag.flight)?.pieces.get_mut(tag.piece as usize)
    }

    /// A piece's turn has come.
    fn begin(&mut self, tag: Tag, candidates: &mut [Candidate], parts: &mut Parts, now: Time) {
        let Some(direction) = self.whole(tag.flight).map(|whole| whole.request.direction) else { return };
        let Some(piece) = self.piece(tag).cloned() else { return };
        match self.steps(direction, &piece, candidates) {
            Ok(steps) => {
                let aims = steps.iter().flat_map(|step| &step.aims).filter(|aim| !aim.is_in_log);
                self.note_outlooks(direction, candidates, &aims.copied().collect::<SmallVec<[Aim; 4]>>());
                if let Some(piece) = self.piece(tag) {
                    piece.steps = steps;
                }
                self.next_step(tag, parts, now);
            }
            Err(()) => {
                self.tally.outvoted += 1;
                self.fail(tag, Failure::Device);
                self.maybe_answered.push(tag.flight);
                self.give_way(tag, parts, now);
            }
        }
    }

    /// The next step of a piece that has any parts.
    fn next_step(&mut self, tag: Tag, parts: &mut Parts, now: Time) {
        loop {
            let Some(piece) = self.piece(tag) else { return };
            let Some(Step { mut aims, needed, answers }) = piece.steps.pop_front() else { return };
            let before = aims.len();
            // A read that fails again is done by another copy; a write is for copies that are left.
            aims.retain(|aim| aim.direction == Direction::Read || !piece.failed.contains(aim.slot));
            let needed = needed.saturating_sub(as_number(before - aims.len()));
            (piece.needed, piece.done, piece.answers) = (needed, 0, answers);
            if aims.is_empty() {
                piece.is_answered |= answers;
                continue;
            }
            let piece = piece.clone();
            let vote = self.settle(&piece, &aims);
            if let Some(piece) = self.piece(tag) {
                piece.vote = vote;
            }
            for aim in aims {
                self.part(tag, aim, parts, now);
            }
            return;
        }
    }

    fn note_outlooks(&mut self, direction: Direction, candidates: &[Candidate], to: &[Aim]) {
        if direction == Direction::Flush {
            return;
        }
        for candidate in candidates.iter().filter(|one| to.iter().any(|aim| aim.slot == one.slot)) {
            let queue = f64::from(candidate.outlook.queue);
            if direction == Direction::Read {
                self.tally.read_queue.record(queue);
            } else {
                self.tally.write_queue.record(queue);
            }
            self.tally.seek_cylinders.record(f64::from(candidate.outlook.seek_cylinders));
        }
    }

    /// Sends blocks of a request to a slot.
    fn part(&mut self, tag: Tag, aim: Aim, parts: &mut Parts, now: Time) {
        let Some(whole) = self.whole(tag.flight) else { return };
        whole.left += 1;
        let mut part = whole.request.clone();
        let piece = &mut whole.pieces[tag.piece as usize];
        piece.left += 1;
        piece.tried.insert(aim.slot);
        // What it has waited for earlier steps, and for writes before it.
        part.ledger.charge(Cause::Queue, (now - part.issued).saturating_sub(part.ledger.total()));
        self.next_part += 1;
        let disk = self.disk_of(aim.slot);
        self.counted[disk].sent(now);
        let moves = aim.direction != Direction::Flush && !aim.is_in_log;
        let address = if moves { aim.address + self.shift_of(aim.slot) } else { aim.address };
        let tag = Tag { slot: aim.slot, ..tag }.number();
        let (id, direction, blocks) = (RequestId(self.next_part), aim.direction, aim.blocks);
        parts.push((disk, BlockRequest { id, direction, tag, address, blocks, ..part }));
    }

    /// A part has come back from a disk: the requests that go back with it, and what comes next. An error where
    /// replication never sent it.
    pub(super) fn end(
        &mut self,
        disk: usize,
        part: &BlockRequest,
        now: Time,
    ) -> Result<(Answers, Parts), String> {
        self.counted[disk].came_back(now);
        let mut parts = Parts::new();
        let tag = Tag::of(part.tag);
        match self.flights.get_mut(tag.flight) {
            Some(Flight::Copy(_)) => self.copied(tag.flight, part, &mut parts, now),
            Some(Flight::Whole(whole)) if whole.left > 0 && (tag.piece as usize) < whole.pieces.len() => {
                self.done(tag, part, &mut parts, now);
                self.maybe_answered.push(tag.flight);
            }
            _ => {
                let tag = part.tag;
                return Err(format!(
                    "disk {disk} completes a request with the tag {tag}, which replication never sent"
                ));
            }
        }
        self.release(disk, &mut parts, now);
        let mut back = Answers::new();
        while let Some(flight) = self.maybe_answered.pop() {
            back.extend(self.answer(flight, part));
        }
        Ok((back, parts))
    }

    /// A part of a request has come back.
    fn done(&mut self, tag: Tag, part: &BlockRequest, parts: &mut Parts, now: Time) {
        let Some(whole) = self.whole(tag.flight) else { return };
        whole.left -= 1;
        let piece = &mut whole.pieces[tag.piece as usize];
        piece.left -= 1;
        match part.status.failure() {
            None => {
                piece.done += 1;
                let piece = piece.clone();
                whole.status = whole.status.and(part.status);
                if part.direction == Direction::Write && self.parameters.protocol == Protocol::Master {
                    self.catch_up(piece.file, tag.slot, piece.range());
                }
            }
            Some(Failure::Device) => self.make_good(tag, part, Failure::Device, parts, now),
            // What can't be done anywhere is nobody's failure.
            Some(failure) => self.fail(tag, failure),
        }
        let Some(piece) = self.piece(tag) else { return };
        if piece.done >= piece.needed {
            piece.is_answered |= std::mem::take(&mut piece.answers);
            if piece.left == 0 || !piece.steps.is_empty() {
                self.next_step(tag, parts, now);
            }
        }
        if let Some(piece) = self.piece(tag).filter(|piece| piece.is_over())
            && let (Some(vote), file) = (piece.vote, piece.file)
            && let Some(state) = self.files.get_mut(&file)
        {
            state.voted.end(vote);
        }
        self.give_way(tag, parts, now);
    }

    /// A part could not be done: another copy does it, or a copy is lost, or the request has failed.
    fn make_good(&mut self, tag: Tag, part: &BlockRequest, failure: Failure, parts: &mut Parts, now: Time) {
        let slot = tag.slot;
        let is_in_log = part.address >= self.log_begins && self.parameters.protocol.log_blocks() > 0;
        let Some(piece) = self.piece(tag) else { return };
        piece.failed.insert(slot);
        let piece = piece.clone();
        let shift = if is_in_log { 0 } else { self.shift_of(slot) };
        let (first, end) = (part.address - shift, part.address - shift + u64::from(part.blocks));
        let again = |slot| Aim { is_in_log, ..Aim::new(slot, (first, part.blocks), part.direction) };
        let other = match part.direction {
            Direction::Read => {
                self.tally.reads_elsewhere += 1;
                let has_it = |slot: &u32| self.current_until(piece.file, *slot, first) >= end;
                let others = self.slots_of(piece.file).without(&piece.failed);
                others.iter().filter(has_it).min_by_key(|&slot| (self.counted(slot).queue, slot))
            }
            Direction::Write if self.lose(piece.file, slot) => {
                if let Some(aims) = self.stand_in(&piece, slot, (first, end)) {
                    if let Some(piece) = self.piece(tag) {
                        piece.needed = piece.needed + as_number(aims.len()) - 1;
                    }
                    aims.into_iter().for_each(|aim| self.part(tag, aim, parts, now));
                    return;
                }
                let is_short = piece.done + piece.left < piece.needed;
                // What the master alone was to do, the next one does.
                let master = self.master_of(piece.file);
                let alone = is_short && piece.needed == 1 && !piece.failed.contains(master);
                match alone.then_some(master) {
                    Some(other) => Some(other),
                    None if matches!(self.parameters.protocol, Protocol::Voting(_)) && is_short => None,
                    None => {
                        // The copies that are left are all that have to have it.
                        if let Some(piece) = self.piece(tag) {
                            piece.needed = piece.needed.min(piece.done + piece.left);
                        }
                        return;
                    }
                }
            }
            Direction::Write | Direction::Flush | Direction::Discard => None,
        };
        match other {
            Some(other) => self.part(tag, again(other), parts, now),
            None => self.fail(tag, failure),
        }
    }

    /// A piece can't be done: nothing more is tried.
    fn fail(&mut self, tag: Tag, failure: Failure) {
        let Some(whole) = self.whole(tag.flight) else { return };
        whole.failure = Some(failure);
        let piece = &mut whole.pieces[tag.piece as usize];
        piece.steps.clear();
        (piece.is_answered, piece.needed) = (true, 0);
    }

    /// A write that holds others up lets the next one go, once nothing of it is left.
    fn give_way(&mut self, tag: Tag, parts: &mut Parts, now: Time) {
        let Some(piece) = self.piece(tag).filter(|piece| piece.holds && piece.is_over()) else { return };
        piece.holds = false;
        let file = piece.file;
        let Some((flight, number)) =
            self.locks.get_mut(&file).and_then(std::collections::VecDeque::pop_front)
        else {
            self.locks.remove(&file);
            return;
        };
        let next = Tag { flight, piece: number, slot: 0 };
        let there = self.slots_of(file);
        let Some(piece) = self.piece(next) else { return };
        (piece.waits, piece.holds) = (false, true);
        // Of a file that was deleted meanwhile, the copies that it had.
        let slots = if there.count() > 0 { there } else { piece.slots.clone() };
        let mut candidates: SmallVec<[Candidate; 8]> =
            slots.iter().map(|slot| Candidate { slot, outlook: self.counted(slot) }).collect();
        self.begin(next, &mut candidates, parts, now);
    }

    /// The answer to a request, if it is due; forgets the request with its last part. `last` is what came back last.
    fn answer(&mut self, flight: u32, last: &BlockRequest) -> Option<BlockRequest> {
        let whole = self.whole(flight)?;
        let mut back = None;
        if !whole.has_returned && whole.is_answered() {
            whole.has_returned = true;
            let mut request = whole.request.clone();
            // The part was on its way all the time: its time is the whole's.
            request.ledger = last.ledger;
            request.status = whole.failure.map_or(whole.status, Status::Failed);
            back = Some(request);
        }
        if whole.left == 0 && whole.pieces.iter().all(Piece::is_over) {
            self.flights.remove(flight);
        }
        back
    }

    /// Notes how long an answered request took.
    pub(super) fn note_answer(&mut self, request: &BlockRequest, now: Time) {
        if request.direction.moves_data() {
            self.tally.turned_around(request.direction == Direction::Write, now - request.issued);
        }
    }
}
