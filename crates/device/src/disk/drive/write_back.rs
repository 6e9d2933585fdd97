//! Writing back what the cache holds: which run is next, and its way to the medium.

use super::{Demand, Drive, DriveState, Transferred};
use crate::disk::parameters::{ImmediateReporting, WriteBackOrder};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;

/// A shorter write isn't cut up, in however small a cache: 8 KiB. Assumed; the catalogue's caches have runs several times as long.
const LEAST_PIECE: u64 = 16;

impl Drive {
    /// Whether its cache holds writes after they were reported, as many as there is room for.
    pub fn holds_writes(&self) -> bool {
        self.cache.immediate_reporting == ImmediateReporting::Cached
    }

    /// Whether it would hold a write as a whole, some time.
    pub(in crate::disk) fn would_hold_whole(&self, demand: Demand) -> bool {
        self.would_hold(demand) && demand.blocks <= self.cache.most_held()
    }

    /// Whether it would hold a write, some time, or one part of it after the other.
    pub(in crate::disk) fn would_hold(&self, demand: Demand) -> bool {
        // One that is longer than all room comes in piece by piece, as long as the pieces have room.
        let comes_in = demand.blocks <= self.cache.most_held() || self.cache.most_held() >= LEAST_PIECE;
        demand.write && self.holds_writes() && !demand.force_unit_access && comes_in
    }

    /// What comes next over the bus of a write that is held, of which the cache has so many blocks: no more than one run, so
    /// that the arm begins with what is there while the rest is on its way, and room comes free for it.
    pub fn next_piece(&self, demand: Demand, taken: u64) -> Demand {
        let blocks = (demand.blocks - taken).min(self.cache.longest_run().max(LEAST_PIECE));
        Demand { block: demand.block + taken, blocks, ..demand }
    }

    /// Bytes that have been reported and aren't on the medium yet, and for how many there is room.
    pub fn held_bytes(&self, state: &DriveState) -> (u64, u64) {
        (state.held.blocks() * SECTOR_BYTES, self.cache.most_held() * SECTOR_BYTES)
    }

    /// Whether there is room for a write now.
    pub fn has_room(&self, state: &DriveState, demand: Demand) -> bool {
        state.held.has_room(&self.cache, demand.blocks)
    }

    /// Whether held writes wait for the arm.
    pub fn holds_any(&self, state: &DriveState) -> bool {
        state.held.waiting()
    }

    /// A write's data are in the cache.
    pub fn hold(&self, state: &mut DriveState, demand: Demand) {
        state.held.hold(&self.cache, demand.block, demand.end(), self.mechanics.spot(demand.block));
        // Held data serve reads by themselves; in a segment they stay for later ones, where the drive keeps them.
        let segment = state.cache.take_for_write(&self.cache, demand.block, demand.end());
        if !(self.cache.keep && self.cache.read_hits_on_written) {
            state.cache.segment_mut(segment).clear();
        }
    }

    /// The arm turns to what is held, at `now`: which run it writes, if any is left.
    pub fn write_back(&self, state: &mut DriveState, now: Time) -> Option<Demand> {
        state.waiting = state.held.runs();
        self.stop_stream(state, now);
        let (least_seek, goes_on) = (self.overheads.minimum_write_positioning.time(), state.written_back);
        let DriveState { held, track, free, .. } = state;
        let run = match self.cache.write_back.order {
            WriteBackOrder::FirstCome => held.begin(|_| Time::ZERO),
            WriteBackOrder::ShortestPositioning => {
                let (track, at) = (*track, now.max(*free));
                let mut least = Time::NEVER;
                held.begin(|run| {
                    let seek = self.mechanics.seek(track, run.spot.track, true);
                    let arrived = at + if goes_on == Some(run.start) { seek } else { seek.max(least_seek) };
                    if arrived > least {
                        // Another is under the head before the arm is there, so that how long it would wait doesn't
                        // matter.
                        return arrived;
                    }
                    let passes = arrived + self.mechanics.wait_for_angle(run.spot.angle, arrived);
                    least = least.min(passes);
                    passes
                })
            }
        }?;
        Some(Demand { write: true, block: run.start, blocks: run.end - run.start, force_unit_access: false })
    }

    /// As [`Drive::position`], for a run that was held.
    pub fn position_held(&self, state: &mut DriveState, demand: Demand, now: Time) -> Time {
        let continues = state.written_back == Some(demand.block);
        let least = if continues { Time::ZERO } else { self.overheads.minimum_write_positioning.time() };
        self.move_arm(state, demand.block, true, now, least)
    }

    /// As [`Drive::transfer`], for a run that was held: its data are there.
    pub fn transfer_held(&self, state: &mut DriveState, demand: Demand, now: Time) -> Transferred {
        self.write(state, demand, now, 1, &|_| Time::ZERO)
    }

    /// A run that was held is on the medium at `at`.
    pub fn written_back(&self, state: &mut DriveState, demand: Demand, at: Time) {
        state.free = at;
        state.last_written = demand.end();
        state.written_back = Some(demand.end());
        state.held.finish();
    }
}
