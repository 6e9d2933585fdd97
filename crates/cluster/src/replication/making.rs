//! Copies being made: a piece of the file is read from one copy and written to the new ones, then the next.
//!
//! Beside the programs' requests these have a queue of their own (Ivy, §4.1): where a disk doesn't keep idle requests
//! back itself, they wait here until it has nothing else to do.

use super::copies::Replicas;
use super::slots::Slots;
use super::traffic::Copying;
use super::under_way::{Flight, Parts, Tag};
use petrio_block::CopyTraffic;
use petrio_colours::{BlockRequest, Direction, FileId, IoClass, Purpose, RequestId, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;

impl Replicas {
    pub(super) fn begin_copy(&mut self, file: FileId, targets: Slots, parts: &mut Parts, now: Time) {
        let Some(state) = self.files.get_mut(&file) else { return };
        let (source, version, which) = (state.master, state.version, state.which);
        state.is_copied = true;
        let copying = Copying { file, which, version, source, targets, piece: (0, 0), writes_left: 0 };
        self.next_piece(copying, parts, now);
    }

    /// Goes on with a copy: reads its next piece, or ends it.
    fn next_piece(&mut self, copying: Copying, parts: &mut Parts, now: Time) {
        let from = copying.piece.0 + u64::from(copying.piece.1);
        let abandoned = u64::from(copying.targets.count());
        let state = self.files.get_mut(&copying.file).filter(|state| state.which == copying.which);
        let Some(state) = state else {
            // It was removed meanwhile; what was made under its name since is no business of this copy's.
            self.tally.copies_abandoned += abandoned;
            return;
        };
        if state.version != copying.version {
            // It was written meanwhile; the plan made then comes later, or is made now.
            state.is_copied = false;
            self.tally.copies_abandoned += abandoned;
            return;
        }
        let Some((first, blocks)) = state.lies.piece(from) else {
            state.is_copied = false;
            self.add_copies(copying.file, &copying.targets);
            return;
        };
        let file = copying.file;
        // From a copy that has it as it was last written, the master first.
        let end = first + u64::from(blocks);
        let reach = |slot: u32| self.current_until(file, slot, first).min(end);
        let others = self.slots_of(file);
        let sources = || std::iter::once(copying.source).chain(others.iter());
        let Some(source) = sources().find(|&slot| others.contains(slot) && reach(slot) > first) else {
            return self.abandon(file, abandoned);
        };
        let piece = (first, as_number(reach(source) - first));
        let flight = self.flights.insert(Flight::Copy(Copying { piece, writes_left: 0, ..copying }));
        self.copy_part(source, Direction::Read, (file, piece), flight, parts, now);
    }

    fn abandon(&mut self, file: FileId, copies: u64) {
        if let Some(state) = self.files.get_mut(&file) {
            state.is_copied = false;
        }
        self.tally.copies_abandoned += copies;
    }

    fn copy_part(
        &mut self,
        slot: u32,
        direction: Direction,
        (file, (address, blocks)): (FileId, (u64, u32)),
        flight: u32,
        parts: &mut Parts,
        now: Time,
    ) {
        self.next_part += 1;
        let disk = self.disk_of(slot);
        let request = BlockRequest {
            id: RequestId(self.next_part),
            direction,
            purposes: Purpose::Copy.into(),
            tag: Tag { flight, piece: 0, slot }.number(),
            file,
            address: address + self.shift_of(slot),
            blocks,
            issued: now,
            ..BlockRequest::default()
        };
        match self.parameters.traffic {
            CopyTraffic::Simulated => {
                self.held[disk].push_back(BlockRequest { class: IoClass::Idle, priority: 7, ..request });
                self.release(disk, parts, now);
            }
            CopyTraffic::AtOnce | CopyTraffic::Magic => self.send_for_copy(disk, request, parts, now),
        }
    }

    fn send_for_copy(&mut self, disk: usize, request: BlockRequest, parts: &mut Parts, now: Time) {
        let bytes = u64::from(request.blocks) * SECTOR_BYTES;
        self.tally.moved(disk, request.direction == Direction::Read, bytes);
        self.counted[disk].sent(now);
        parts.push((disk, request));
    }

    /// Sends what was kept back for copies to a disk, if that is its turn.
    pub(super) fn release(&mut self, disk: usize, parts: &mut Parts, now: Time) {
        while !self.held[disk].is_empty() && (self.shows_arm[disk] || self.counted[disk].is_idle()) {
            let Some(part) = self.held[disk].pop_front() else { return };
            self.send_for_copy(disk, part, parts, now);
        }
    }

    /// A part of a copy has come back.
    pub(super) fn copied(&mut self, flight: u32, part: &BlockRequest, parts: &mut Parts, now: Time) {
        let Some(Flight::Copy(copying)) = self.flights.get_mut(flight) else { return };
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
                self.copy_part(target, Direction::Write, what, flight, parts, now);
            }
        } else if copying.writes_left == 0 {
            self.flights.remove(flight);
            self.next_piece(copying, parts, now);
        }
    }
}
