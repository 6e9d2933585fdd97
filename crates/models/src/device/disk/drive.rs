//! A compiled drive and its state: what a command does to the drive, step by step.
//!
//! The steps are those of the net's page (`page.rs`) and of the sequential replay (`replay.rs`): [`Drive::begin`] looks
//! into the cache, [`Drive::position`] moves the arm, [`Drive::wait`] turns the platter, [`Drive::transfer`] passes the
//! medium under the head. Each takes the time at which it happens and says how long it takes; nobody waits in here.

use super::cache::{Cache, SegmentIndex};
use super::layout::Track;
use super::mechanics::{Mechanics, MechanicsError};
use super::parameters::{
    AfterReadOrWrite, CacheParameters, DiskParameters, ImmediateReporting, OverheadParameters,
    QueueParameters, ReadAhead,
};
use super::pipeline::Pipeline;
use super::read_ahead::Stream;
use petrio_kernel::Time;

/// A drive that is ready to serve: immutable, shared by all its copies.
#[derive(Clone, Debug)]
pub struct Drive {
    mechanics: Mechanics,
    overheads: OverheadParameters,
    read_block: Time,
    write_block: Time,
    cache: CacheParameters,
    queue: QueueParameters,
}

/// Why a description makes no drive.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DriveError {
    /// In geometry or mechanics.
    #[error(transparent)]
    Mechanics(#[from] MechanicsError),
    /// A queue without a place.
    #[error("the drive's queue has a depth of 0; it must be at least 1")]
    NoQueue,
    /// A segment without a block, or a cache out of all proportion.
    #[error(
        "the cache has {segments} segments of {blocks} blocks; give at most 4096 segments of at least 1 block"
    )]
    Cache {
        /// Segments.
        segments: u32,
        /// Blocks in each.
        blocks: u64,
    },
}

/// All of a drive that changes.
#[derive(Clone, Debug)]
pub struct DriveState {
    track: Track,
    /// The arm finishes a movement or a sector until then.
    free: Time,
    cache: Cache,
    reading: Option<(SegmentIndex, Stream)>,
    /// Written data on their way to the medium: segment and one past the last block.
    writing: Option<(SegmentIndex, u64)>,
    last_was_write: bool,
    /// When the head arrived on the track of the command that is being served.
    arrived: Time,
    /// Blocks before the wanted ones that passed the head meanwhile.
    passed_before: u64,
}

impl DriveState {
    /// The track that the head is on, or on its way to.
    pub fn track(&self) -> Track {
        self.track
    }

    /// Until when the arm finishes a movement or a sector.
    pub fn free(&self) -> Time {
        self.free
    }

    pub(super) fn set_track(&mut self, track: Track) {
        self.track = track;
    }
}

/// A command's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Whether it writes.
    pub write: bool,
    /// First block.
    pub block: u64,
    /// Number of blocks, at least one.
    pub blocks: u64,
    /// Whether a write must not be reported before it is on the medium.
    pub force_unit_access: bool,
}

impl Demand {
    /// One past the last block.
    pub fn end(&self) -> u64 {
        self.block + self.blocks
    }
}

/// What a command needs, as found out when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All blocks are in the cache.
    Hit,
    /// The blocks are being read already: they are there at `ready`, and have passed the bus at `delivered`, times that
    /// count from the beginning of the command.
    Follow {
        /// When the last block is read.
        ready: Time,
        /// When the last block has passed the bus.
        delivered: Time,
    },
    /// The arm must fetch blocks from `from` on; those before are in the cache.
    Fetch {
        /// First block to fetch.
        from: u64,
        /// The segment to fetch into.
        segment: SegmentIndex,
    },
    /// Blocks go to the medium.
    Store {
        /// Whether completion is reported when the data are in the cache.
        reported: bool,
        /// Whether it continues data that are still on their way to the medium.
        continues: bool,
        /// Whether the drive lets go of the bus once more before the data move.
        early_disconnect: bool,
        /// The segment that holds the data.
        segment: SegmentIndex,
    },
}

impl Class {
    /// Whether the arm takes part.
    pub fn needs_arm(self) -> bool {
        matches!(self, Self::Fetch { .. } | Self::Store { .. })
    }
}

/// A command that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// What it needs.
    pub class: Class,
    /// The controller's overhead before data move over the bus (for [`Class::Fetch`]: before the arm moves).
    pub overhead: Time,
    /// When the bus is ready to move data, from the beginning of the command. For [`Class::Fetch`] with nothing in the
    /// cache, the drive may have to reconnect on top of it.
    pub bus_start: Time,
}

/// What passing the medium under the head came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transferred {
    /// When the last block has passed the head.
    pub end: Time,
    /// For reads, when the last block has passed the bus, reconnection included; for writes, as `end`.
    pub delivered: Time,
}

impl Drive {
    /// Compiles a description.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(parameters: &DiskParameters) -> Result<Self, DriveError> {
        let cache = parameters.cache.clone();
        if cache.segment_size.get() == 0 || cache.segments > 4096 {
            return Err(DriveError::Cache { segments: cache.segments, blocks: cache.segment_size.get() });
        }
        if parameters.queue.depth == 0 {
            return Err(DriveError::NoQueue);
        }
        Ok(Self {
            mechanics: Mechanics::new(&parameters.geometry, &parameters.mechanics)?,
            overheads: parameters.overheads.clone(),
            read_block: parameters.bus.read_block.time(),
            write_block: parameters.bus.write_block.time(),
            cache,
            queue: parameters.queue.clone(),
        })
    }

    /// Arm, platters and layout.
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }

    /// The command queue.
    pub fn queue(&self) -> &QueueParameters {
        &self.queue
    }

    /// Blocks that the drive offers.
    pub fn blocks(&self) -> u64 {
        self.mechanics.layout().blocks()
    }

    /// The state of a drive that has just been switched on: empty cache, head on the first track.
    pub fn initial_state(&self) -> DriveState {
        DriveState {
            track: self.mechanics.layout().place(0).track,
            free: Time::ZERO,
            cache: Cache::new(&self.cache),
            reading: None,
            writing: None,
            last_was_write: false,
            arrived: Time::ZERO,
            passed_before: 0,
        }
    }

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
        let found = if self.cache.keep || state.writing.is_some() {
            state.cache.find(&self.cache, demand.block, demand.end()).or(being_read)
        } else {
            being_read
        };
        let Some(segment) = found else {
            self.stop_stream(state, now);
            let segment = state.cache.take_for_read(&self.cache, demand.block);
            let class = Class::Fetch { from: demand.block, segment };
            return Begun { class, overhead: miss, bus_start: miss + prepare };
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
        let continues = state.writing.is_some_and(|(_, end)| end == demand.block);
        let reported = !demand.force_unit_access
            && demand.blocks <= self.cache.segment_size.get()
            && match self.cache.immediate_reporting {
                ImmediateReporting::Never => false,
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

    /// The blocks of a read have passed the head at `at`: they are in the cache, and reading ahead goes on from there.
    pub fn fetched(
        &self,
        state: &mut DriveState,
        demand: Demand,
        from: u64,
        segment: SegmentIndex,
        at: Time,
    ) {
        let size = self.cache.segment_size.get();
        let held = state.cache.segment_mut(segment);
        if held.is_empty() || held.end != from {
            (held.start, held.end, held.written) = (from - state.passed_before.min(from), from, false);
        }
        held.grow(demand.end(), size);
        state.free = at;
        if self.cache.discard_when_read {
            held.start = demand.end();
        }
        self.read_ahead(state, segment, demand, demand.end(), at);
        if !self.cache.keep && state.reading.is_none() {
            state.cache.segment_mut(segment).clear();
        }
    }

    /// Written blocks are on their way to the medium.
    pub fn storing(&self, state: &mut DriveState, demand: Demand, segment: SegmentIndex) {
        state.writing = Some((segment, demand.end()));
    }

    /// Written blocks are on the medium at `at`.
    pub fn stored(&self, state: &mut DriveState, demand: Demand, segment: SegmentIndex, at: Time) {
        state.free = at;
        if state.writing == Some((segment, demand.end())) {
            state.writing = None;
            if !(self.cache.keep && self.cache.read_hits_on_written) {
                state.cache.segment_mut(segment).clear();
            }
        }
    }

    /// Time over the bus for a command whose data are all in the cache.
    pub fn bus_time(&self, demand: Demand) -> Time {
        let block = if demand.write { self.write_block } else { self.read_block };
        Time::from_picos(block.as_picos().saturating_mul(demand.blocks))
    }

    /// The controller's work between the end of a command's last part and its completion.
    pub fn completion(&self, demand: Demand) -> Time {
        if demand.write {
            self.overheads.write_completion.time()
        } else {
            self.overheads.read_completion.time()
        }
    }

    /// For a write that is reported when it is on the medium: letting go of the bus when the data have arrived, and
    /// reconnecting when they are written.
    pub fn disconnection(&self, early_disconnect: bool) -> (Time, Time) {
        match &self.overheads.early_disconnect {
            Some(early) if early_disconnect => (early.second_disconnect.time(), early.second_reselect.time()),
            _ => (self.overheads.write_disconnect.time(), self.overheads.reselect.time()),
        }
    }

    /// Starts reading ahead at `block` from `at` on, if the rules want it.
    fn read_ahead(
        &self,
        state: &mut DriveState,
        segment: SegmentIndex,
        demand: Demand,
        block: u64,
        at: Time,
    ) {
        let limit = self.read_ahead_limit(state, segment, demand);
        if limit > block {
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
        if stream.is_over() {
            (state.track, _) = stream.stop(&self.mechanics, now, true);
            state.reading = None;
        }
    }

    /// Stops reading ahead.
    fn stop_stream(&self, state: &mut DriveState, now: Time) {
        self.look_at_stream(state, now);
        if let Some((_, mut stream)) = state.reading.take() {
            (state.track, state.free) = stream.stop(&self.mechanics, now, self.cache.stop_within_sector);
        }
    }

    /// The controller's overhead before the arm moves for a command that finds nothing in the cache, if it began now.
    pub fn overhead_before_arm(&self, state: &DriveState, write: bool) -> Time {
        let overhead = match (write, self.cache.immediate_reporting) {
            (false, _) => self.overheads.read_miss,
            (true, ImmediateReporting::Never) => self.overheads.write_through,
            (true, _) => self.overheads.write_reported,
        };
        let span = if state.last_was_write { overhead.after_write } else { overhead.after_read };
        self.overheads.command.time() + span.time()
    }

    /// The arm returns to the first track, from `now` on: how long that takes.
    pub fn retract(&self, state: &mut DriveState, now: Time) -> Time {
        let home = self.mechanics.layout().place(0).track;
        let start = state.free.max(now);
        let end = start + self.mechanics.seek(state.track, home, false);
        (state.track, state.free) = (home, end);
        end - now
    }

    /// The arm moves for a command from `now` on: how long until it is over the first track, waiting for a movement or a
    /// sector in progress included.
    pub fn position(&self, state: &mut DriveState, demand: Demand, from: u64, now: Time) -> Time {
        let place = self.mechanics.layout().place(from);
        let start = state.free.max(now);
        let mut seek = self.mechanics.seek(state.track, place.track, demand.write);
        if demand.write && !state.writing.is_some_and(|(_, end)| end == demand.block) {
            seek = seek.max(self.overheads.minimum_write_positioning.time());
        }
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
    fn entry(&self, run: super::layout::Run, wait: Time) -> Option<Entry> {
        let since = self.mechanics.revolution().saturating_sub(wait);
        let zone = run.place.zone;
        let sector = self.mechanics.sector_time(zone, 1).as_picos().max(1);
        let skipped = since.as_picos().div_ceil(sector);
        if wait == Time::ZERO || skipped >= u64::from(run.sectors) {
            return None;
        }
        let boundary = self.mechanics.sector_time(zone, skipped as u32);
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
        let ready = if ahead > 0 {
            bus_start
        } else {
            let wanted = (self.cache.read_watermark.get() * demand.blocks as f64) as u64;
            let wanted = if self.cache.never_disconnect { 1 } else { wanted.clamp(1, demand.blocks) };
            let mut passage = self.passage(state.track, demand, from, now);
            bus_start.max(passage.until(wanted) + reconnect)
        };
        let mut bus = Pipeline::new(self.read_block, ready);
        bus.run(ahead, bus_start, bus_start);
        let mut passage = self.passage(state.track, demand, from, now);
        while let Some(piece) = passage.next() {
            bus.run(piece.early, piece.first, piece.last);
            bus.run(piece.late, piece.last, piece.last);
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
        let revolution = self.mechanics.revolution();
        // Block i (from 0) has arrived over the bus at `bus_start + (i + 1) · b`.
        let lead = self.cache.write_lead.get().clamp(1, demand.blocks);
        let arrived = |index: u64| {
            let index = index.max(lead - 1);
            bus_start + Time::from_picos(self.write_block.as_picos().saturating_mul(index + 1))
        };
        let (mut block, mut start) = (demand.block, now);
        loop {
            let run = self.mechanics.run(block, demand.end() - block);
            let zone = run.place.zone;
            let mut begin = start;
            if block != demand.block || !self.cache.write_on_arrival {
                begin += self.mechanics.rotational_wait(run.place, start);
            }
            let done = block - demand.block;
            let entry = (block == demand.block && self.cache.write_on_arrival)
                .then(|| self.mechanics.rotational_wait(run.place, now))
                .and_then(|wait| self.entry(run, wait));
            let mut end = begin + self.mechanics.sector_time(zone, run.sectors);
            if entry.is_some() && arrived(demand.blocks - 1) <= now {
                end = now + revolution;
            } else {
                // A block whose data are not there when its sector passes costs a revolution. Both times grow in even
                // steps, so the first to miss is the first or the last, or lies where the lines cross.
                let step = self.mechanics.sector_time(zone, 1);
                let mut index = 0;
                while index < run.blocks {
                    let passes = begin + self.mechanics.sector_time(zone, index as u32);
                    if arrived(done + index) <= passes {
                        index += 1;
                        if self.write_block <= step {
                            break;
                        }
                        continue;
                    }
                    begin += revolution;
                    end += revolution;
                }
            }
            block += run.blocks;
            state.track = run.place.track;
            if block >= demand.end() {
                return Transferred { end, delivered: end };
            }
            let next = self.mechanics.layout().place(block).track;
            start = end + self.mechanics.seek(state.track, next, true);
            state.track = next;
        }
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
                let step =
                    piece.last.saturating_sub(piece.first).as_picos() / piece.early.max(2).saturating_sub(1);
                return piece.first + Time::from_picos(step.saturating_mul(left - 1));
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
