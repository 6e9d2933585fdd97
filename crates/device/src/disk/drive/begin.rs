//! The beginning of a command: what is in the cache, what is being read already, and what the arm has to do.

use super::{Begun, Class, Coming, Demand, Drive, DriveState};
use crate::disk::cache::SegmentIndex;
use crate::disk::layout::Track;
use crate::disk::mechanics::ROUNDING;
use crate::disk::parameters::{AfterReadOrWrite, ImmediateReporting, ReadAhead};
use crate::disk::pipeline::Pipeline;
use crate::disk::read_ahead::Stream;
use petrio_kernel::Time;

impl Drive {
    /// A command that came into the drive at `came` begins at `now`, one of so many that wait: the cache is looked into,
    /// reading ahead is stopped if it must be.
    pub fn begin(
        &self,
        state: &mut DriveState,
        demand: Demand,
        (came, waiting): (Time, u64),
        now: Time,
    ) -> Begun {
        state.waiting = waiting.max(1);
        let after_write = std::mem::replace(&mut state.last_was_write, demand.write);
        let of = |overhead: AfterReadOrWrite| {
            if after_write { overhead.after_write.time() } else { overhead.after_read.time() }
        };
        self.look_at_stream(state, now);
        self.resume_stream(state, demand, came, now);
        if demand.write {
            let goes_on = demand.block == state.writes.end;
            state.writes.add(demand, goes_on);
            // Others have had their turn.
            state.visit.commands = 0;
            return self.begin_write(state, demand, now, of);
        }
        let begun = self.begin_read(state, demand, now, of);
        if begun.class.needs_arm() {
            state.writes.commands = 0;
        }
        begun
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
        state.sequential = state.cache.continues_read(demand.block);
        let being_read = self.streaming_to(state, demand.block, now, miss);
        self.visit(state, demand);
        let held_to = state.held.held_to(demand.block);
        if held_to >= demand.end() {
            if !self.cache.hits_beside_read_ahead {
                self.stop_stream(state, now);
            }
            return Begun { class: Class::Hit, overhead: hit + prepare, bus_start: hit + prepare };
        }
        let read_into = state.reading.as_ref().map(|(segment, _)| *segment);
        let found = state.cache.find(&self.cache, demand.block, demand.end());
        // A drive that keeps nothing has what is still on its way.
        let there = |found: &usize| self.cache.keep || state.writing.is_some() || read_into == Some(*found);
        let found = found.filter(there).or(being_read);
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
        if let Some(coming) =
            state.coming.filter(|coming| coming.segment == segment && coming.end >= demand.end())
            && !whole
        {
            // It comes before the arm is anybody else's.
            let mut bus = Pipeline::new(self.read_block, now + hit + prepare);
            bus.run(demand.blocks, coming.at, coming.at);
            let ready = coming.at.max(now + hit + prepare);
            let class = Class::Follow { ready: ready - now, delivered: bus.end() - now };
            return Begun { class, overhead: hit + prepare, bus_start: hit + prepare };
        }
        if streaming {
            let limit = self.read_ahead_limit(state, segment, demand);
            if let Some((_, stream)) = &mut state.reading {
                stream.extend(&self.mechanics, demand.end(), limit);
            }
            if !whole {
                self.goes_on_from(state, demand);
                let is_hit = held > demand.block || self.cache.hit_on_block_being_read;
                let overhead = if is_hit { hit } else { miss };
                return self.follow(state, segment, demand, now, overhead + prepare, miss);
            }
        } else if !(whole && self.cache.hits_beside_read_ahead) {
            self.stop_stream(state, now);
        }
        if whole {
            // One that goes on elsewhere isn't given up for that, nor what the arm writes.
            let idle = state.reading.as_ref().is_none_or(|(_, stream)| stream.is_over());
            let writes = state.writing.is_some() || state.held.is_being_written();
            if !streaming && idle && self.cache.read_ahead_after_hit && !writes {
                self.read_ahead(state, segment, demand, held, now + miss);
            }
            return Begun { class: Class::Hit, overhead: hit + prepare, bus_start: hit + prepare };
        }
        Begun { class: Class::Fetch { from: held, segment }, overhead: miss, bus_start: hit + prepare }
    }

    /// Counts a read to those that the arm serves where it is, or begins to count anew.
    fn visit(&self, state: &mut DriveState, demand: Demand) {
        let goes_on = self.goes_on(state, demand);
        state.visit.add(demand, goes_on);
    }

    /// Whether a read is one of those that come in order where the arm is.
    fn goes_on(&self, state: &DriveState, demand: Demand) -> bool {
        let read_into = state.reading.as_ref().map(|(segment, _)| state.cache.segment(*segment));
        demand.block == state.visit.end
            || read_into.is_some_and(|segment| (segment.start..=segment.end).contains(&demand.block))
    }

    /// Whether the arm has served so many commands in order that it turns to others before it serves one that goes on from
    /// them: what is in the cache needs no arm. So many commands wait, of so many blocks in all, and those of one stream may
    /// wait one behind the other.
    pub(in crate::disk) fn has_had_its_visit(
        &self,
        state: &DriveState,
        demand: Demand,
        (waiting, blocks): (u64, u64),
    ) -> bool {
        let (_, (_, share)) = self.ending(waiting);
        if demand.write {
            return state.writes.is_over(share) && state.writes.goes_on_with(demand, blocks);
        }
        if !state.visit.is_over(share) {
            return false;
        }
        let in_cache = |segment: usize| state.cache.segment(segment).end >= demand.end();
        (state.visit.goes_on_with(demand, blocks) || self.goes_on(state, demand))
            && !state.cache.find(&self.cache, demand.block, demand.end()).is_some_and(in_cache)
    }

    /// The segment that is being read into, if `block` comes next in it: the head is on its way to it, or over it. To give up
    /// that reading for the same block would take a turn of the platters. So it would for a block a little further ahead:
    /// by the time that the controller has seen that it must send the arm there (`miss`), it has gone by. The reading goes on
    /// for it where it comes there no later than the arm, sent anew.
    fn streaming_to(&self, state: &DriveState, block: u64, now: Time, miss: Time) -> Option<SegmentIndex> {
        let (segment, stream) = state.reading.as_ref()?;
        if stream.position(&self.mechanics, now) == block {
            return Some(*segment);
        }
        let comes = stream.comes_to(&self.mechanics, block)?;
        (comes <= self.sent_anew(stream, block, (now, state.waiting), miss) + ROUNDING).then_some(*segment)
    }

    /// When a block would pass the head if a reading were given up for it now, and the arm sent there a while (`after`) later.
    fn sent_anew(&self, stream: &Stream, block: u64, (now, waiting): (Time, u64), after: Time) -> Time {
        let arm = stream.clone().stop(&self.mechanics, now, self.ending(waiting));
        self.reached(arm, block, now + after)
    }

    /// When a block passes the head if the arm, free at a time over a track, is sent there for it at `at`.
    fn reached(&self, (track, free): (Track, Time), block: u64, at: Time) -> Time {
        let place = self.mechanics.layout().place(block);
        let arrived = free.max(at) + self.mechanics.seek(track, place.track, false);
        arrived + self.mechanics.rotational_wait(place, arrived)
    }

    /// How a reading ends while so many commands wait: whether within a sector, and what it reads behind a read in any case.
    fn ending(&self, waiting: u64) -> (bool, (u64, u64)) {
        let share = self.cache.read_ahead_share.get() / waiting.max(1);
        let least = (self.cache.read_ahead_minimum.get(), share.min(self.cache.segment_size.get()));
        (self.cache.stop_within_sector, least)
    }

    /// A read that was known before the reading ahead came to its end, and wants more than it has read, lets it go on; for
    /// any other command an ended reading is of no use any more.
    fn resume_stream(&self, state: &mut DriveState, demand: Demand, came: Time, now: Time) {
        let Some((segment, stream)) = &state.reading else { return };
        if !stream.is_over() {
            return;
        }
        let segment = *segment;
        let read = state.cache.segment(segment).start..=stream.position(&self.mechanics, now);
        let continues = !demand.write && read.contains(&demand.block) && !read.contains(&demand.end());
        let limit = self.read_ahead_limit(state, segment, demand);
        let goes_on = continues
            && (state.reading.as_mut())
                .is_some_and(|(_, stream)| stream.resume(&self.mechanics, came, demand.end(), limit));
        if goes_on {
            self.look_at_stream(state, now);
        } else {
            state.reading = None;
        }
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
        if self.would_hold(demand) {
            // What is read ahead goes on until the arm is wanted, unless these blocks or their place in the buffer are in its way.
            let taken = state.cache.would_take_for_write(&self.cache, demand.block, demand.end());
            let in_the_way = |(segment, stream): &(SegmentIndex, Stream)| {
                *segment == taken || stream.may_read(demand.block, demand.end())
            };
            if state.reading.as_ref().is_some_and(in_the_way) {
                self.stop_stream(state, now);
            }
            let overhead = self.overheads.command.time() + of(self.overheads.write_reported);
            let bus_start = overhead + self.overheads.data_preparation.time();
            return Begun { class: Class::Hold, overhead, bus_start };
        }
        self.stop_stream(state, now);
        state.held.give_up(demand.block, demand.end(), || self.mechanics.spot(demand.end()));
        let continues = self.continues(state, demand);
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

    /// Whether a command is a write that continues the data on their way to the medium.
    pub fn continues(&self, state: &DriveState, demand: Demand) -> bool {
        demand.write && state.writing.is_some_and(|(_, end)| end == demand.block)
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
        // The arm goes to writes that are held, if there are any, once it has read what it reads in any case.
        let (_, (single, share)) = self.ending(state.held.runs());
        let least = if state.sequential { single.max(share) } else { single };
        let limit = if state.held.is_clean() { limit } else { limit.min(demand.end() + least) };
        if limit > block || state.held.is_clean() {
            let scope = self.cache.read_ahead;
            let stream = Stream::start(&self.mechanics, state.track, at, block, limit, scope);
            state.reading = Some((segment, stream));
        }
    }

    /// What is being read goes on from a read.
    pub(super) fn goes_on_from(&self, state: &mut DriveState, demand: Demand) {
        if let Some((_, stream)) = &mut state.reading {
            stream.goes_on_from(demand.end(), state.sequential);
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

    /// How long a read waits that needs no movement of the arm: its blocks are in the cache, or the reading that goes on
    /// (or would, had it known of the command) has them next.
    pub(in crate::disk) fn without_arm(
        &self,
        state: &DriveState,
        arm: (Track, Time),
        demand: Demand,
        came: Time,
        now: Time,
    ) -> Option<Time> {
        if state.held.held_to(demand.block) >= demand.end() {
            return Some(Time::ZERO);
        }
        if let Some((segment, stream)) = &state.reading {
            let held = state.cache.segment(*segment);
            // A reading that goes on is of use for what it has read, and for what it comes to no later than the arm.
            if demand.block >= held.start
                && let Some(wait) = stream.reaches(&self.mechanics, demand.block, came, now)
                && (demand.block <= held.end || now + wait <= self.reached(arm, demand.block, now) + ROUNDING)
            {
                return Some(wait);
            }
        }
        let found = self.cache.keep.then(|| state.cache.find(&self.cache, demand.block, demand.end()))??;
        (state.cache.segment(found).end >= demand.end()).then_some(Time::ZERO)
    }

    /// Brings the reading ahead up to `now`, and the cache with it.
    fn look_at_stream(&self, state: &mut DriveState, now: Time) {
        if let Some(coming) = state.coming.take_if(|coming| coming.at <= now) {
            let segment = state.cache.segment_mut(coming.segment);
            // Somebody else may have taken the segment.
            if segment.end == coming.from && !segment.written {
                segment.grow(coming.end, self.cache.segment_size.get());
            }
        }
        let Some((segment, stream)) = &mut state.reading else { return };
        let read = stream.advance(&self.mechanics, now);
        state.cache.segment_mut(*segment).grow(read, self.cache.segment_size.get());
        state.own_work += stream.worked(now);
        if stream.is_over() {
            (state.track, _) = stream.stop(&self.mechanics, now, (true, (0, 0)));
        }
    }

    /// Stops reading ahead.
    pub(super) fn stop_stream(&self, state: &mut DriveState, now: Time) {
        self.look_at_stream(state, now);
        if let Some((segment, mut stream)) = state.reading.take() {
            let from = stream.position(&self.mechanics, now);
            let ending = self.ending(state.waiting);
            (state.track, state.free) = stream.stop(&self.mechanics, now, ending);
            state.finishing = Some(now);
            let end = stream.least(ending.1);
            state.coming = (from < end).then_some(Coming { segment, from, end, at: state.free });
        }
    }

    /// Where the arm is, and from when on, if it were sent elsewhere now: what it reads is finished first.
    /// So many commands wait.
    pub(in crate::disk) fn arm(&self, state: &DriveState, waiting: u64, now: Time) -> (Track, Time) {
        match &state.reading {
            Some((_, stream)) => stream.clone().stop(&self.mechanics, now, self.ending(waiting)),
            None => (state.track, state.free.max(now)),
        }
    }
}
