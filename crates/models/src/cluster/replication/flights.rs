//! Requests on their way: sent to one copy, to several or to all, and put together again.

use super::copies::Replicas;
use super::parameters::WriteReturns;
use super::select::{Candidate, best, in_order};
use super::under_way::{Flight, Parts, Piece, Tag, Whole};
use petrio_colours::{BlockRequest, Direction, FileId, RequestId, SECTOR_BYTES};
use petrio_kernel::Time;
use smallvec::SmallVec;

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
    pub(super) fn counted(&self, slot: u32) -> crate::device::analytic_disk::Outlook {
        self.counted[self.disk_of(slot)].outlook()
    }

    /// Sends a request to where it goes: a read to the best of the candidates (or in pieces to several), anything else
    /// to all.
    pub(super) fn send(&mut self, request: &BlockRequest, choices: &mut [Choice], now: Time) -> Parts {
        let mut parts = Parts::new();
        let mut whole = Whole::of(request);
        let flight = self.flights.insert(Flight::Whole(Box::new(Whole::of(request))));
        for (number, (piece, candidates)) in choices.iter_mut().enumerate() {
            let mut piece = Piece::new(*piece);
            let to = self.choose(request.direction, &piece, candidates);
            self.note_outlooks(request.direction, candidates, &to);
            piece.needed = match (request.direction, self.parameters.write_returns) {
                (Direction::Write, WriteReturns::First) => 1,
                _ => to.len() as u32,
            };
            piece.left = to.len() as u32;
            whole.left += piece.left;
            for (slot, address, blocks) in to {
                let tag = Tag { flight, piece: number as u16, slot: slot as u16 };
                self.part(request, tag, (address, blocks), &mut parts, now);
            }
            whole.pieces.push(piece);
        }
        if let Some(there) = self.flights.get_mut(flight) {
            *there = Flight::Whole(Box::new(whole));
        }
        parts
    }

    /// The copies that a piece goes to, with what of it.
    fn choose(
        &self,
        direction: Direction,
        piece: &Piece,
        candidates: &mut [Candidate],
    ) -> SmallVec<[(u32, u64, u32); 4]> {
        let knows = self.parameters.knows_rotation;
        if direction != Direction::Read {
            return candidates.iter().map(|one| (one.slot, piece.address, piece.blocks)).collect();
        }
        let most = self.parameters.parallel.map_or(u64::MAX, |piece| (piece.get() / SECTOR_BYTES).max(1));
        if u64::from(piece.blocks) <= most || candidates.len() < 2 {
            let best = best(candidates, knows);
            return best.map(|best| (best.slot, piece.address, piece.blocks)).into_iter().collect();
        }
        in_order(candidates, knows);
        let end = piece.address + u64::from(piece.blocks);
        let (mut to, mut at) = (SmallVec::new(), piece.address);
        while at < end {
            let blocks = most.min(end - at);
            to.push((candidates[to.len() % candidates.len()].slot, at, blocks as u32));
            at += blocks;
        }
        to
    }

    fn note_outlooks(&mut self, direction: Direction, candidates: &[Candidate], to: &[(u32, u64, u32)]) {
        if direction == Direction::Flush {
            return;
        }
        for candidate in candidates.iter().filter(|one| to.iter().any(|(slot, ..)| *slot == one.slot)) {
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
    fn part(
        &mut self,
        request: &BlockRequest,
        tag: Tag,
        (address, blocks): (u64, u32),
        parts: &mut Parts,
        now: Time,
    ) {
        self.next_part += 1;
        let slot = u32::from(tag.slot);
        let disk = self.disk_of(slot);
        self.counted[disk].sent(now);
        let moves = request.direction != Direction::Flush;
        let address = if moves { address + self.shift_of(slot) } else { address };
        let (id, tag) = (RequestId(self.next_part), tag.number());
        parts.push((disk, BlockRequest { id, tag, address, blocks, ..request.clone() }));
    }

    /// A part has come back from a disk: the request that goes back with it, and what comes next. An error where
    /// replication never sent it.
    pub(super) fn end(
        &mut self,
        disk: usize,
        part: &BlockRequest,
        now: Time,
    ) -> Result<(Option<BlockRequest>, Parts), String> {
        self.counted[disk].came_back(now);
        let mut parts = Parts::new();
        let tag = Tag::of(part.tag);
        let back = match self.flights.get_mut(tag.flight) {
            Some(Flight::Copy(_)) => {
                self.copied(tag.flight, part, &mut parts, now);
                None
            }
            Some(Flight::Whole(whole)) if whole.left > 0 && usize::from(tag.piece) < whole.pieces.len() => {
                self.answered(tag, part, &mut parts, now)
            }
            _ => {
                let tag = part.tag;
                return Err(format!(
                    "disk {disk} completes a request with the tag {tag}, which replication never sent"
                ));
            }
        };
        self.release(disk, &mut parts, now);
        Ok((back, parts))
    }

    /// A part of a request has come back.
    fn answered(
        &mut self,
        tag: Tag,
        part: &BlockRequest,
        parts: &mut Parts,
        now: Time,
    ) -> Option<BlockRequest> {
        let slot = u32::from(tag.slot);
        let Some(Flight::Whole(whole)) = self.flights.get_mut(tag.flight) else { return None };
        whole.left -= 1;
        let piece = whole.pieces.get_mut(usize::from(tag.piece))?;
        piece.left -= 1;
        match part.status.failure() {
            None => {
                piece.done += 1;
                whole.status = whole.status.and(part.status);
            }
            Some(failure) => {
                piece.failed.insert(slot);
                let (request, file, failed) = (whole.request.clone(), piece.file, piece.failed.clone());
                let is_made_good = match part.direction {
                    Direction::Read => {
                        let there = (part.address - self.shift_of(slot), part.blocks);
                        self.read_elsewhere(&request, tag, (file, &failed), there, parts, now)
                    }
                    Direction::Write => self.lose(file, slot),
                    Direction::Flush => false,
                };
                let Some(Flight::Whole(whole)) = self.flights.get_mut(tag.flight) else { return None };
                if !is_made_good {
                    whole.failure = Some(failure);
                }
            }
        }
        self.answer(tag, part)
    }

    /// Reads from another copy what one couldn't read.
    fn read_elsewhere(
        &mut self,
        request: &BlockRequest,
        tag: Tag,
        (file, failed): (FileId, &super::slots::Slots),
        blocks: (u64, u32),
        parts: &mut Parts,
        now: Time,
    ) -> bool {
        let others = self.slots_of(file).without(failed);
        let Some(slot) = others.iter().min_by_key(|&slot| (self.counted(slot).queue, slot)) else {
            return false;
        };
        self.tally.reads_elsewhere += 1;
        self.part(request, Tag { slot: slot as u16, ..tag }, blocks, parts, now);
        if let Some(Flight::Whole(whole)) = self.flights.get_mut(tag.flight) {
            whole.left += 1;
            whole.pieces[usize::from(tag.piece)].left += 1;
        }
        true
    }

    /// The answer to a request, if it is due; forgets the request with its last part.
    fn answer(&mut self, tag: Tag, part: &BlockRequest) -> Option<BlockRequest> {
        let Some(Flight::Whole(whole)) = self.flights.get_mut(tag.flight) else { return None };
        let mut back = None;
        if !whole.has_returned && whole.is_answered() {
            whole.has_returned = true;
            let mut request = whole.request.clone();
            // The part was on its way all the time: its time is the whole's.
            request.ledger = part.ledger;
            request.status = whole.failure.map_or(whole.status, petrio_colours::Status::Failed);
            back = Some(request);
        }
        if whole.left == 0 {
            self.flights.remove(tag.flight);
        }
        back
    }

    /// Notes how long an answered request took.
    pub(super) fn note_answer(&mut self, request: &BlockRequest, now: Time) {
        if request.direction != Direction::Flush {
            self.tally.turned_around(request.direction == Direction::Write, now - request.issued);
        }
    }
}
