//! Arm, platter and medium: how long a command's parts take there, given when they begin.

use super::{Demand, Drive, DriveState, Transferred};
use crate::disk::layout::{Run, Track};
use crate::disk::pipeline::Pipeline;
use petrio_kernel::Time;
use petrio_units::numbers::{as_number, whole_part};

impl Drive {
    /// The arm returns to the first track, from `now` on: how long that takes.
    pub fn retract(&self, state: &mut DriveState, now: Time) -> Time {
        let home = self.mechanics.layout().place(0).track;
        let start = state.free.max(now);
        let end = start + self.mechanics.seek(state.track, home, false);
        (state.track, state.free) = (home, end);
        end - now
    }

    /// The arm moves for a command from `now` on: how long until it is over the first track, waiting for a movement or
    /// a sector in progress included. `continues` says that the command is a write that continues the one before.
    pub fn position(
        &self,
        state: &mut DriveState,
        demand: Demand,
        from: u64,
        continues: bool,
        now: Time,
    ) -> Time {
        let continues = continues || !demand.write;
        let least = if continues { Time::ZERO } else { self.overheads.minimum_write_positioning.time() };
        self.move_arm(state, from, demand.write, now, least)
    }

    /// The arm moves to a block, in no less than `least`.
    pub(super) fn move_arm(
        &self,
        state: &mut DriveState,
        block: u64,
        write: bool,
        now: Time,
        least: Time,
    ) -> Time {
        let place = self.mechanics.layout().place(block);
        let start = state.free.max(now);
        state.written_back = None;
        // What it has read ahead until then is its own work; the rest is waited for.
        if let Some(since) = state.finishing.take() {
            state.own_work += state.free.min(now).saturating_sub(since);
        }
        let seek = self.mechanics.seek(state.track, place.track, write).max(least);
        state.track = place.track;
        state.arrived = start + seek;
        start + seek - now
    }

    /// The wait, from `now` on, until a block's sector starts under the head (or whichever wanted sector comes first,
    /// where the drive begins with that).
    pub fn wait(&self, write: bool, from: u64, blocks: u64, now: Time) -> Time {
        let run = self.mechanics.run(from, blocks);
        let wait = self.mechanics.rotational_wait(run.place, now);
        let on_arrival = if write { self.cache.write_on_arrival } else { self.cache.read_on_arrival };
        if on_arrival && let Some(entry) = self.entry(run, wait) { entry.wait } else { wait }
    }

    /// Where a head that has passed the start of a run `wait` before its next passing enters the run, if it does.
    fn entry(&self, run: Run, wait: Time) -> Option<Entry> {
        let since = self.mechanics.revolution().saturating_sub(wait);
        let zone = run.place.zone;
        let sector = self.mechanics.sector_time(zone, 1).as_picos().max(1);
        let skipped = since.as_picos().div_ceil(sector);
        if wait == Time::ZERO || skipped >= u64::from(run.sectors) {
            return None;
        }
        let boundary = self.mechanics.sector_time(zone, as_number(skipped));
        Some(Entry { skipped, wait: boundary.saturating_sub(since) })
    }

    /// Passes the blocks `from..demand.end()` under the head. The head is on their track and their sector starts at
    /// `now`. `bus_start` is when the bus was (for writes) or may be (for reads) first ready to move data.
    pub fn transfer(
        &self,
        state: &mut DriveState,
        demand: Demand,
        from: u64,
        now: Time,
        bus_start: Time,
    ) -> Transferred {
        if demand.write {
            self.transfer_write(state, demand, now, bus_start)
        } else {
            self.transfer_read(state, demand, from, now, bus_start)
        }
    }

    fn transfer_read(
        &self,
        state: &mut DriveState,
        demand: Demand,
        from: u64,
        now: Time,
        bus_start: Time,
    ) -> Transferred {
        let reconnect = if self.cache.never_disconnect {
            Time::ZERO
        } else {
            self.overheads.reselect.time() + self.overheads.data_preparation.time()
        };
        // The drive reconnects when its watermark is reached; blocks that were in the cache are sent before.
        let ahead = from - demand.block;
        let wanted = whole_part(self.cache.read_watermark.get() * demand.blocks as f64);
        let wanted = if self.cache.never_disconnect { 1 } else { wanted.clamp(1, demand.blocks) };
        let mut passage = self.passage(state.track, demand, from, now);
        let mut piece = passage.next();
        let ready = match piece {
            _ if ahead > 0 => bus_start,
            Some(first) if wanted <= first.early => bus_start.max(first.passed(wanted) + reconnect),
            _ => bus_start.max(self.passage(state.track, demand, from, now).until(wanted) + reconnect),
        };
        let mut bus = Pipeline::new(self.read_block, ready);
        bus.run(ahead, bus_start, bus_start);
        while let Some(passed) = piece {
            bus.run(passed.early, passed.first, passed.last);
            bus.run(passed.late, passed.last, passed.last);
            piece = passage.next();
        }
        state.track = passage.track;
        state.passed_before = 0;
        if self.cache.keep_sectors_before && ahead == 0 {
            state.passed_before = self.passed_before(demand.block, state.arrived.min(now));
        }
        Transferred { end: passage.end, delivered: bus.end().max(passage.end) }
    }

    /// How many blocks right before `block` pass a head that is on its track from `arrival` on, before `block` does.
    fn passed_before(&self, block: u64, arrival: Time) -> u64 {
        let layout = self.mechanics.layout();
        let place = layout.place(block);
        let (first, _) = layout.track_blocks(block);
        let (landing, _) = self.mechanics.next_sector(place, arrival);
        let on_track = block.saturating_sub(first);
        // A head that lands behind the block passes the track's beginning first.
        if landing > place.sector { on_track } else { on_track.min(u64::from(place.sector - landing)) }
    }

    /// The runs of a read, as they pass the head.
    fn passage(&self, track: Track, demand: Demand, from: u64, start: Time) -> Passage<'_> {
        Passage { drive: self, track, block: from, end_block: demand.end(), first: true, end: start }
    }

    fn transfer_write(
        &self,
        state: &mut DriveState,
        demand: Demand,
        now: Time,
        bus_start: Time,
    ) -> Transferred {
        let lead = self.cache.write_lead.get().clamp(1, demand.blocks);
        // Block i (from 0) has arrived at `bus_start + (i + 1) · b`, and the first blocks wait for the lead.
        self.write(state, demand, now, lead, &|index| {
            let blocks = (index + 1).max(lead);
            bus_start + Time::from_picos(self.write_block.as_picos().saturating_mul(blocks))
        })
    }

    /// Writes blocks that have arrived, or arrive, when `arrived` says; `lead` of them at once.
    pub(super) fn write(
        &self,
        state: &mut DriveState,
        demand: Demand,
        now: Time,
        lead: u64,
        arrived: &dyn Fn(u64) -> Time,
    ) -> Transferred {
        let (mut block, mut start) = (demand.block, now);
        let partial = |block: u64| !block.is_multiple_of(self.sector);
        // What the write leaves of the sectors at its ends is read when they pass, and they are written a turn later.
        let first_is_read = partial(demand.block) && state.last_written != demand.block;
        let mut read = first_is_read;
        loop {
            let run = self.mechanics.run(block, demand.end() - block);
            let zone = run.place.zone;
            let wait = self.mechanics.rotational_wait(run.place, start);
            let entry = if self.cache.write_on_arrival { self.entry(run, wait) } else { None };
            let entered = entry.map(|entry| start + entry.wait);
            let end = match entered {
                // All sectors pass within a revolution, whichever comes first, if all data are there.
                Some(entered) if arrived(demand.blocks - 1) <= entered => {
                    entered + self.mechanics.revolution()
                }
                _ => {
                    let begin = start + wait;
                    begin
                        + self.mechanics.sector_time(zone, run.sectors)
                        + self.missed(block - demand.block, run, begin, lead, arrived)
                }
            };
            block += run.blocks;
            state.track = run.place.track;
            // On one track both are read in one turn.
            read |= block >= demand.end() && partial(demand.end()) && demand.end() < self.blocks();
            let end = if std::mem::take(&mut read) { end + self.mechanics.revolution() } else { end };
            if block >= demand.end() {
                return Transferred { end, delivered: end };
            }
            let next = self.mechanics.layout().place(block).track;
            start = end + self.mechanics.seek(state.track, next, true);
            state.track = next;
        }
    }

    /// Whole revolutions that a run has to wait because some block's data are not there when its sector passes. Data
    /// arrive and sectors pass in even steps, so the worst block is the first, the last, or the last of the lead.
    fn missed(&self, done: u64, run: Run, begin: Time, lead: u64, arrived: &dyn Fn(u64) -> Time) -> Time {
        let last = run.blocks - 1;
        let late = [0, (lead - 1).saturating_sub(done).min(last), last].into_iter().map(|index| {
            let passes = begin + self.mechanics.sector_time(run.place.zone, as_number(index));
            arrived(done + index).saturating_sub(passes)
        });
        let revolution = self.mechanics.revolution().as_picos();
        let turns = late.max().unwrap_or_default().as_picos().div_ceil(revolution);
        Time::from_picos(turns.saturating_mul(revolution))
    }
}

/// Blocks that pass the head one behind the other.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// When the first of them has passed.
    first: Time,
    /// When the last has passed.
    last: Time,
    /// Those that pass in even steps between.
    early: u64,
    /// Those that had passed before the first, and are only sent behind the last.
    late: u64,
}

impl Piece {
    /// When the n-th of the early blocks, from 1, has passed.
    fn passed(&self, n: u64) -> Time {
        let step = self.last.saturating_sub(self.first).as_picos() / self.early.max(2).saturating_sub(1);
        self.first + Time::from_picos(step.saturating_mul(n - 1))
    }
}

/// A read on its way over the tracks.
struct Passage<'a> {
    drive: &'a Drive,
    track: Track,
    block: u64,
    end_block: u64,
    first: bool,
    /// When the head has passed what came so far.
    end: Time,
}

impl Passage<'_> {
    fn next(&mut self) -> Option<Piece> {
        if self.block >= self.end_block {
            return None;
        }
        let mechanics = &self.drive.mechanics;
        let run = mechanics.run(self.block, self.end_block - self.block);
        let zone = run.place.zone;
        let mut start = self.end;
        let first = std::mem::take(&mut self.first);
        if !first {
            start += mechanics.seek(self.track, run.place.track, false);
        }
        let mut wait = mechanics.rotational_wait(run.place, start);
        let mut entry = None;
        if self.drive.cache.read_on_arrival
            && let Some(middle) = self.drive.entry(run, wait)
        {
            start += middle.wait;
            wait = wait.saturating_sub(middle.wait);
            entry = Some((middle.skipped.min(run.blocks), wait));
        } else {
            start += wait;
        }
        let sector = mechanics.sector_time(zone, 1);
        let piece = match entry {
            // Entered in the middle: the sectors before the entry come at the end of the revolution.
            Some((skipped, to_start)) => Piece {
                first: start + to_start + sector,
                last: start + mechanics.revolution(),
                early: skipped,
                late: run.blocks - skipped,
            },
            None => {
                let last = start + mechanics.sector_time(zone, run.sectors);
                Piece { first: start + sector, last, early: run.blocks, late: 0 }
            }
        };
        self.track = run.place.track;
        self.block += run.blocks;
        self.end = piece.last;
        Some(piece)
    }

    /// When `wanted` blocks, at least one, are read.
    fn until(&mut self, wanted: u64) -> Time {
        let mut left = wanted;
        while let Some(piece) = self.next() {
            let blocks = piece.early + piece.late;
            if left <= piece.early {
                return piece.passed(left);
            }
            if left <= blocks {
                return piece.last;
            }
            left -= blocks;
        }
        self.end
    }
}

/// Where a head enters a run that it has reached in the middle.
struct Entry {
    /// Sectors of the run that have passed already.
    skipped: u64,
    /// Wait for the next sector boundary.
    wait: Time,
}
