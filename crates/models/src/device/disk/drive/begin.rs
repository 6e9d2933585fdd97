//! The beginning of a command: what is in the cache, what is being read already, and what the arm has to do.

use super::{Begun, Class, Demand, Drive, DriveState};
use crate::device::disk::cache::SegmentIndex;
use crate::device::disk::parameters::{AfterReadOrWrite, ImmediateReporting, ReadAhead};
use crate::device::disk::pipeline::Pipeline;
use crate::device::disk::read_ahead::Stream;
use petrio_kernel::Time;

impl Drive {
    /// A command begins at `now`: the cache is looked into, reading ahead is stopped if it must be.
    pub fn begin(&self, state: &mut DriveState, demand: Demand, now: Time) -> Begun {
        let after_write = std::mem::replace(&mut state.last_was_write, demand.write);
        let of = |overhead: AfterReadOrWrite| {
            if after_write { overhead.after_write.time() } else { overhead.after_read.time() }
        };
        self.look_at_stream(state, now);
        if demand.write {
            self.begin_write(state, demand, now, of)
        } else {
            self.begin_read(state, demand, now, of)
        }
    }

    fn begin_read(
        &self,
        state: &mut DriveState,
        demand: Demand,
        now: Time,
        of: impl Fn(AfterReadOrWrite) -> Time,
    ) -> Begun {
        let command = self.overheads.command.time();
        let prepare = self.overheads.data_preparation.time();
        let (hit, miss) = (command + of(self.overheads.read_hit), command + of(self.overheads.read_miss));
        let being_read = self.streaming_to(state, demand.block);
        let held_to = state.held.held_to(demand.block);
        if held_to >= demand.end() {
            if !self.cache.hits_beside_read_ahead {
                self.stop_stream(state, now);
            }
            return Begun { class: Class::Hit, overhead: hit + prepare, bus_start: hit + prepare };
        }
        let found = if self.cache.keep || state.writing.is_some() {
            state.cache.find(&self.cache, demand.block, demand.end()).or(being_read)
        } else {
            being_read
        };
        let Some(segment) = found else {
            self.stop_stream(state, now);
            let segment = state.cache.take_for_read(&self.cache, held_to);
            let class = Class::Fetch { from: held_to, segment };
            let found = if held_to > demand.block { hit } else { miss };
            return Begun { class, overhead: miss, bus_start: found + prepare };
        };
        state.cache.touch(segment);
        let streaming = state.reading.as_ref().is_some_and(|(into, _)| *into == segment);
        let held = state.cache.segment(segment).end;
        let whole = held >= demand.end();
        if streaming {
            let limit = self.read_ahead_limit(state, segment, demand);
            if let Some((_, stream)) = &mut state.reading {
                stream.extend(&self.mechanics, limit.max(demand.end()), now);
            }
            if !whole {
                return self.follow(state, segment, demand, now, hit + prepare, miss);
            }
        } else if !(whole && self.cache.hits_beside_read_ahead) {
            self.stop_stream(state, now);
        }
        if whole {
            if !streaming && self.cache.read_ahead_after_hit && state.writing.is_none() {
                self.read_ahead(state, segment, demand, held, now + miss);
            }
            return Begun { class: Class::Hit, overhead: hit + prepare, bus_start: hit + prepare };
        }
        Begun { class: Class::Fetch { from: held, segment }, overhead: miss, bus_start: hit + prepare }
    }

    /// The segment that is being read into, if the block that is just being read is `block` and that counts as a hit.
    fn streaming_to(&self, state: &DriveState, block: u64) -> Option<SegmentIndex> {
        let (segment, _) = state.reading.as_ref()?;
        (self.cache.hit_on_block_being_read && state.cache.segment(*segment).end == block).then_some(*segment)
    }

    /// The blocks come with the reading that goes on.
    fn follow(
        &self,
        state: &mut DriveState,
        segment: SegmentIndex,
        demand: Demand,
        now: Time,
        bus_start: Time,
        miss: Time,
    ) -> Begun {
        let held = state.cache.segment(segment).end;
        let mut bus = Pipeline::new(self.read_block, now + bus_start);
        bus.run(held.saturating_sub(demand.block), now, now);
        let from = held.max(demand.block);
        let Some((_, stream)) = &mut state.reading else {
            return Begun { class: Class::Hit, overhead: bus_start, bus_start };
        };
        let mut ahead = stream.clone();
        let ready = ahead.follow(&self.mechanics, from, demand.end(), &mut bus);
        if ahead.is_over() {
            // The reading ends before the wanted blocks (a track boundary it may not cross): the arm fetches the rest.
            self.stop_stream(state, now);
            let held = state.cache.segment(segment).end;
            return Begun { class: Class::Fetch { from: held, segment }, overhead: miss, bus_start };
        }
        let ready = ready.max(now + bus_start);
        let class = Class::Follow { ready: ready - now, delivered: bus.end().max(ready) - now };
        Begun { class, overhead: bus_start, bus_start }
    }

    fn begin_write(
        &self,
        state: &mut DriveState,
        demand: Demand,
        now: Time,
        of: impl Fn(AfterReadOrWrite) -> Time,
    ) -> Begun {
        self.stop_stream(state, now);
        if self.would_hold(demand) {
            let overhead = self.overheads.command.time() + of(self.overheads.write_reported);
            let bus_start = overhead + self.overheads.data_preparation.time();
            return Begun { class: Class::Hold, overhead, bus_start };
        }
        state.held.give_up(demand.block, demand.end(), || self.mechanics.spot(demand.end()));
        let continues = state.writing.is_some_and(|(_, end)| end == demand.block);
        let reported = !demand.force_unit_access
            && demand.blocks <= self.cache.segment_size.get()
            && match self.cache.immediate_reporting {
                // What a cache that holds writes doesn't hold is written through.
                ImmediateReporting::Never | ImmediateReporting::Cached => false,
                ImmediateReporting::Sequential => continues || state.writing.is_none(),
                ImmediateReporting::Always => true,
            };
        let command = self.overheads.command.time();
        let prepare = self.overheads.data_preparation.time();
        let segment = state.cache.would_take_for_write(&self.cache, demand.block, demand.end());
        let held = *state.cache.segment(segment);
        // A write that follows a write elsewhere in the same segment.
        let again = held.written && state.cache.is_hottest(segment) && held.end != demand.block;
        let segment = match state.writing {
            Some((segment, _)) if continues => {
                state.cache.segment_mut(segment).grow(demand.end(), self.cache.segment_size.get());
                state.cache.touch(segment);
                segment
            }
            _ => state.cache.take_for_write(&self.cache, demand.block, demand.end()),
        };
        match &self.overheads.early_disconnect {
            Some(early) if again && !reported && !self.cache.never_disconnect => {
                let class = Class::Store { reported, continues, early_disconnect: true, segment };
                let command = command + early.command.time();
                let reconnected =
                    early.disconnect.time() + early.pause.time() + self.overheads.reselect.time();
                let overhead = command + early.seek_delay.time();
                Begun { class, overhead, bus_start: (command + reconnected + prepare).max(overhead) }
            }
            _ => {
                let class = Class::Store { reported, continues, early_disconnect: false, segment };
                let rule = self.cache.immediate_reporting != ImmediateReporting::Never;
                let kind = if reported || rule {
                    self.overheads.write_reported
                } else {
                    self.overheads.write_through
                };
                let overhead = command + of(kind);
                Begun { class, overhead, bus_start: overhead + prepare }
            }
        }
    }

    /// Starts reading ahead at `block` from `at` on, if the rules want it.
    pub(super) fn read_ahead(
        &self,
        state: &mut DriveState,
        segment: SegmentIndex,
        demand: Demand,
        block: u64,
        at: Time,
    ) {
        let limit = self.read_ahead_limit(state, segment, demand);
        // The arm goes to writes that are held, if there are any.
        if limit > block && state.held.is_clean() {
            let scope = self.cache.read_ahead;
            let stream = Stream::start(&self.mechanics, state.track, at, block, limit, scope);
            state.reading = Some((segment, stream));
        }
    }

    /// One past the last block that a read lets the drive read.
    fn read_ahead_limit(&self, state: &DriveState, segment: SegmentIndex, demand: Demand) -> u64 {
        let end = demand.end();
        let minimum = end + self.cache.read_ahead_minimum.get();
        let size = self.cache.segment_size.get();
        let limit = match self.cache.read_ahead {
            ReadAhead::None => end,
            ReadAhead::TrackAhead if end < self.blocks() => {
                let (first, behind) = self.mechanics.layout().track_blocks(end);
                let reaches_back = state.cache.segment(segment).start < first;
                behind + if reaches_back { behind - first } else { 0 }
            }
            _ if self.cache.read_ahead_limit.get() > 0 => end + self.cache.read_ahead_limit.get(),
            _ => end + size,
        };
        limit.max(minimum).min(self.blocks())
    }

    /// Brings the reading ahead up to `now`, and the cache with it.
    fn look_at_stream(&self, state: &mut DriveState, now: Time) {
        let Some((segment, stream)) = &mut state.reading else { return };
        let read = stream.advance(&self.mechanics, now);
        state.cache.segment_mut(*segment).grow(read, self.cache.segment_size.get());
        state.own_work += stream.worked(now);
        if stream.is_over() {
            (state.track, _) = stream.stop(&self.mechanics, now, true);
            state.reading = None;
        }
    }

    /// Stops reading ahead.
    pub(super) fn stop_stream(&self, state: &mut DriveState, now: Time) {
        self.look_at_stream(state, now);
        if let Some((_, mut stream)) = state.reading.take() {
            (state.track, state.free) = stream.stop(&self.mechanics, now, self.cache.stop_within_sector);
            state.own_work += state.free.saturating_sub(now);
        }
    }
}
