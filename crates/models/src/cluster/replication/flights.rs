//! Requests on their way: sent to one copy, to several or to all, and put together again; and copies being made.

use super::copies::Replicas;
use super::parameters::WriteReturns;
use super::select::{Candidate, best, in_order};
use super::slots::Slots;
use super::traffic::Copying;
use super::under_way::{Flight, Parts, Whole};
use petrio_colours::{BlockRequest, Direction, FileId, IoClass, RequestId, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use smallvec::SmallVec;

impl Replicas {
    /// Parts ever sent to the disks, less those that are there.
    pub(super) fn sent_and_back(&self) -> i64 {
        let there = |flight: &Flight| match flight {
            Flight::Whole(whole) => whole.left,
            // Being read, or being written.
            Flight::Copy(copying) => copying.writes_left.max(1),
        };
        self.next_part as i64 - self.flights.iter().map(|flight| i64::from(there(flight))).sum::<i64>()
    }

    pub(super) fn begin_copy(&mut self, file: FileId, targets: Slots, parts: &mut Parts, now: Time) {
        let Some(state) = self.files.get_mut(&file) else { return };
        let (source, version) = (state.master, state.version);
        state.is_copied = true;
        let copying = Copying { file, version, source, targets, piece: (0, 0), writes_left: 0 };
        self.next_piece(copying, parts, now);
    }

    /// Goes on with a copy: reads its next piece, or ends it.
    fn next_piece(&mut self, copying: Copying, parts: &mut Parts, now: Time) {
        let from = copying.piece.0 + u64::from(copying.piece.1);
        let Some(state) = self.files.get_mut(&copying.file) else { return };
        if state.version != copying.version {
            // It was written meanwhile; the plan made then comes later, or is made now.
            state.is_copied = false;
            return;
        }
        let Some(piece) = state.seen.piece(from) else {
            state.is_copied = false;
            self.add_copies(copying.file, &copying.targets);
            return;
        };
        let (source, file) = (copying.source, copying.file);
        let tag = self.flights.insert(Flight::Copy(Copying { piece, writes_left: 0, ..copying }));
        self.copy_part(source, Direction::Read, (file, piece), tag, parts, now);
    }

    fn copy_part(
        &mut self,
        slot: u32,
        direction: Direction,
        (file, (address, blocks)): (FileId, (u64, u32)),
        tag: u32,
        parts: &mut Parts,
        now: Time,
    ) {
        self.next_part += 1;
        self.tally.copy_bytes += u64::from(blocks) * SECTOR_BYTES;
        let request = BlockRequest {
            id: RequestId(self.next_part),
            direction,
            class: IoClass::Idle,
            priority: 7,
            tag: u64::from(tag),
            file,
            address: address + self.shift_of(slot),
            blocks,
            issued: now,
            ..BlockRequest::default()
        };
        let disk = self.disk_of(slot);
        self.counted[disk].sent(now);
        parts.push((disk, request));
    }

    /// What a request would meet at a disk that doesn't show its arm.
    pub(super) fn counted(&self, slot: u32) -> crate::device::analytic_disk::Outlook {
        self.counted[self.disk_of(slot)].outlook()
    }

    /// Sends a request to where it goes: a read to the best of the candidates (or in pieces to several), anything else
    /// to all.
    pub(super) fn send(&mut self, request: &BlockRequest, candidates: &mut [Candidate], now: Time) -> Parts {
        let is_read = request.direction == Direction::Read;
        let mut to: SmallVec<[(u32, u64, u32); 4]> = SmallVec::new();
        let knows = self.parameters.knows_rotation;
        let piece = self.parameters.parallel.map_or(u64::MAX, |piece| (piece.get() / SECTOR_BYTES).max(1));
        if is_read && u64::from(request.blocks) > piece && candidates.len() > 1 {
            in_order(candidates, knows);
            let (mut at, mut turn) = (request.address, 0);
            while at < request.end() {
                let blocks = piece.min(request.end() - at);
                to.push((candidates[turn % candidates.len()].slot, at, blocks as u32));
                at += blocks;
                turn += 1;
            }
        } else if is_read {
            to.extend(best(candidates, knows).map(|best| (best.slot, request.address, request.blocks)));
        } else {
            to.extend(candidates.iter().map(|one| (one.slot, request.address, request.blocks)));
        }
        let moves = request.direction != Direction::Flush;
        for candidate in
            candidates.iter().filter(|one| moves && to.iter().any(|(slot, ..)| *slot == one.slot))
        {
            let queue = f64::from(candidate.outlook.queue);
            if is_read {
                self.tally.read_queue.record(queue);
            } else {
                self.tally.write_queue.record(queue);
            }
            self.tally.seek_cylinders.record(f64::from(candidate.outlook.seek_cylinders));
        }
        let returns_first =
            request.direction == Direction::Write && self.parameters.write_returns == WriteReturns::First;
        let left = to.len() as u32;
        let status = Status::Done;
        let whole = Whole { request: request.clone(), left, status, returns_first, has_returned: false };
        let tag = u64::from(self.flights.insert(Flight::Whole(Box::new(whole))));
        let mut parts = Parts::new();
        for (slot, address, blocks) in to {
            self.next_part += 1;
            let disk = self.disk_of(slot);
            self.counted[disk].sent(now);
            let address = if moves { address + self.shift_of(slot) } else { address };
            let id = RequestId(self.next_part);
            parts.push((disk, BlockRequest { id, tag, address, blocks, ..request.clone() }));
        }
        parts
    }

    /// A part has come back from a disk: the request that goes back with it, and what comes next of a copy. An error
    /// where replication never sent it.
    pub(super) fn end(
        &mut self,
        disk: usize,
        part: &BlockRequest,
        now: Time,
    ) -> Result<(Option<BlockRequest>, Parts), String> {
        self.counted[disk].came_back(now);
        let mut parts = Parts::new();
        let slot = u32::try_from(part.tag).ok();
        let unknown = || {
            format!("disk {disk} completes a request with the tag {}, which replication never sent", part.tag)
        };
        let slot = slot.ok_or_else(unknown)?;
        match self.flights.get_mut(slot).ok_or_else(unknown)? {
            Flight::Copy(copying) => {
                let is_read = part.direction == Direction::Read;
                let has_failed = part.status.failure().is_some();
                if has_failed {
                    copying.give_up();
                }
                copying.writes_left = match is_read {
                    true if has_failed => 0,
                    true => copying.targets.count(),
                    false => copying.writes_left - 1,
                };
                let copying = copying.clone();
                if is_read && !has_failed {
                    for target in copying.targets.iter() {
                        let what = (copying.file, copying.piece);
                        self.copy_part(target, Direction::Write, what, slot, &mut parts, now);
                    }
                } else if copying.writes_left == 0 {
                    self.flights.remove(slot);
                    self.next_piece(copying, &mut parts, now);
                }
                Ok((None, parts))
            }
            Flight::Whole(whole) => {
                whole.left -= 1;
                whole.status = whole.status.and(part.status);
                let is_last = whole.left == 0;
                let first = whole.returns_first && part.status.failure().is_none();
                let returns = !whole.has_returned && (first || is_last);
                let mut back = None;
                if returns {
                    whole.has_returned = true;
                    let mut request = whole.request.clone();
                    // The part was on its way all the time: its time is the whole's.
                    request.ledger = part.ledger;
                    request.status = whole.status;
                    back = Some(request);
                }
                if is_last {
                    self.flights.remove(slot);
                }
                if let Some(request) = &back
                    && request.direction != Direction::Flush
                {
                    let is_write = request.direction == Direction::Write;
                    self.tally.turned_around(is_write, now - request.issued);
                }
                Ok((back, parts))
            }
        }
    }
}
