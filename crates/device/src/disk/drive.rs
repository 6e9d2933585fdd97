//! A compiled drive and its state: what a command does to the drive, step by step.
//!
//! The steps are those of the net's page (`page.rs`) and of the sequential replay (`replay.rs`): [`Drive::begin`] looks
//! into the cache, [`Drive::position`] moves the arm, [`Drive::wait`] turns the platter, [`Drive::transfer`] passes the
//! medium under the head. Each takes the time at which it happens and says how long it takes; nobody waits in here.

mod begin;
mod medium;
mod write_back;

use super::cache::{Cache, SegmentIndex};
use super::held_writes::HeldWrites;
use super::layout::Track;
use super::mechanics::{Mechanics, MechanicsError};
use super::parameters::{
    CacheParameters, DiskParameters, ImmediateReporting, OverheadParameters, QueueParameters,
};
use super::read_ahead::Stream;
use super::spin::Spin;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Commands in order that the arm serves while others wait. Of eight readers a drive got some 3.6 requests of 128 KiB a visit: 57 MB/s
/// (D. Le Moal, linux-block, 2025-06-16). That it is so for writes, too, is assumed: otherwise a stream of them, for which the arm never
/// has to go anywhere, would keep all reads from it until they are overdue.
const COMMANDS_OF_A_VISIT: u32 = 4;

/// What a visit of fewer commands comes to: of the same readers' requests of 1,280 KiB, 165 MB/s, it was no more than two.
const BLOCKS_OF_A_VISIT: u64 = 4_096;

/// A drive that is ready to serve: immutable, shared by all its copies.
#[derive(Clone, Debug)]
pub struct Drive {
    mechanics: Mechanics,
    overheads: OverheadParameters,
    read_block: Time,
    write_block: Time,
    /// Blocks of a sector as it lies on the platters.
    sector: u64,
    cache: CacheParameters,
    queue: QueueParameters,
    /// Whether how it turns is drawn for each run.
    turns_freely: bool,
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
    /// More room for held writes than there is buffer.
    #[error(
        "the cache holds up to {held} blocks of reported writes, but all its segments together have {buffer}"
    )]
    WriteBack {
        /// Blocks that are held at most.
        held: u64,
        /// Blocks in all segments.
        buffer: u64,
    },
}

/// All of a drive that changes.
#[derive(Clone, Debug, Persist)]
pub struct DriveState {
    track: Track,
    /// The arm finishes a movement or a sector until then.
    free: Time,
    cache: Cache,
    reading: Option<(SegmentIndex, Stream)>,
    /// What a reading that was given up still brings.
    coming: Option<Coming>,
    /// Commands that wait for the arm, as far as the drive knows them, with the one that it begins.
    waiting: u64,
    /// Whether the last read went on where an earlier one had ended.
    sequential: bool,
    /// Reads that the arm's present place has served in order, and one past the last block of these.
    visit: Visit,
    /// Writes in order that were begun without a read between them that needed the arm.
    writes: Visit,
    /// Since when the arm has finished what it read ahead, and nobody else has had it.
    finishing: Option<Time>,
    /// Written data on their way to the medium: segment and one past the last block.
    writing: Option<(SegmentIndex, u64)>,
    /// Blocks of writes that were received to be reported, and are not on the medium.
    unwritten: u64,
    /// Written data that are reported and wait for the arm, in a drive that holds many.
    held: HeldWrites,
    /// One past the last block that was written: its sector is in the buffer.
    last_written: u64,
    /// One past the last block of the held run that was written last, if the arm has done nothing else since.
    written_back: Option<u64>,
    last_was_write: bool,
    /// When the head arrived on the track of the command that is being served.
    arrived: Time,
    /// Blocks before the wanted ones that passed the head meanwhile.
    passed_before: u64,
    /// Time in which the arm has read ahead, as far as it has been looked at and not been taken.
    own_work: Time,
}

impl DriveState {
    /// The time for which the arm has read ahead since this was last asked.
    pub(super) fn take_own_work(&mut self) -> Time {
        std::mem::take(&mut self.own_work)
    }

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

/// Commands in order that the arm serves before it turns to others.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Visit {
    commands: u32,
    blocks: u64,
    /// One past the last block.
    end: u64,
}

impl Visit {
    /// One more, or the first where it doesn't go on from the last.
    fn add(&mut self, demand: Demand, goes_on: bool) {
        if !goes_on || self.commands == 0 {
            *self = Self::default();
        }
        self.commands += 1;
        self.blocks += demand.blocks;
        self.end = demand.end();
    }

    /// Whether it has lasted for so long that the arm turns to others: for some commands, and so many blocks.
    fn is_over(&self, share: u64) -> bool {
        let long = self.commands >= COMMANDS_OF_A_VISIT || self.blocks >= BLOCKS_OF_A_VISIT;
        share > 0 && self.blocks >= share && long
    }

    /// Whether a command goes on from it, though others of its stream, all commands that wait having so many blocks, may come
    /// before, and an array's stream has gaps where parity lies.
    fn goes_on_with(&self, demand: Demand, blocks: u64) -> bool {
        (self.end..=self.end + 4 * blocks).contains(&demand.block)
    }
}

/// Blocks that the drive reads on in any case before it turns to another command.
#[derive(Clone, Copy, Debug, Persist)]
struct Coming {
    segment: SegmentIndex,
    /// The first of them: where the segment ended.
    from: u64,
    /// One past the last.
    end: u64,
    /// When the last of them has passed the head.
    at: Time,
}

/// A command's demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
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
    /// Blocks go into the cache and are reported from there, as soon as there is room; the drive writes them some time.
    Hold,
}

impl Class {
    /// Whether the arm takes part.
    pub fn needs_arm(self) -> bool {
        matches!(self, Self::Fetch { .. } | Self::Store { .. })
    }
}

/// A command that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
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
        if cache.most_held() > cache.buffer() {
            return Err(DriveError::WriteBack { held: cache.most_held(), buffer: cache.buffer() });
        }
        if parameters.queue.depth == 0 {
            return Err(DriveError::NoQueue);
        }
        Ok(Self {
            mechanics: Mechanics::new(&parameters.geometry, &parameters.mechanics)?,
            overheads: parameters.overheads.clone(),
            read_block: parameters.bus.read_block.time(),
            write_block: parameters.bus.write_block.time(),
            sector: parameters.geometry.physical_sector.get().max(1),
            cache,
            queue: parameters.queue.clone(),
            turns_freely: false,
        })
    }

    /// The same drive, turning like this; it shares with the others what is large.
    pub fn turning(&self, spin: Spin) -> Self {
        Self { mechanics: self.mechanics.turning(spin), turns_freely: false, ..self.clone() }
    }

    /// The same drive as one of several, each of which turns for itself: how is drawn for each run.
    #[must_use]
    pub fn turning_freely(&self) -> Self {
        Self { turns_freely: true, ..self.clone() }
    }

    /// Whether how it turns is drawn.
    pub const fn turns_freely(&self) -> bool {
        self.turns_freely
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

    /// Blocks of a sector as it lies on the platters.
    pub fn physical_sector(&self) -> u64 {
        self.sector
    }

    /// Whether it reports writes before they are on the medium, so that a flush means something. It honours forced unit
    /// access in any case.
    pub fn write_cache(&self) -> bool {
        self.cache.immediate_reporting != ImmediateReporting::Never
    }

    /// The state of a drive that has just been switched on: empty cache, head on the first track.
    pub fn initial_state(&self) -> DriveState {
        DriveState {
            track: self.mechanics.layout().place(0).track,
            free: Time::ZERO,
            cache: Cache::new(&self.cache),
            reading: None,
            coming: None,
            waiting: 1,
            sequential: false,
            visit: Visit::default(),
            writes: Visit::default(),
            finishing: None,
            writing: None,
            unwritten: 0,
            held: HeldWrites::default(),
            last_written: 0,
            written_back: None,
            last_was_write: false,
            arrived: Time::ZERO,
            passed_before: 0,
            own_work: Time::ZERO,
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
        self.goes_on_from(state, demand);
        if !self.cache.keep && state.reading.as_ref().is_none_or(|(_, stream)| stream.is_over()) {
            state.cache.segment_mut(segment).forget();
        }
    }

    /// Written blocks are on their way to the medium.
    pub fn storing(&self, state: &mut DriveState, demand: Demand, segment: SegmentIndex) {
        state.writing = Some((segment, demand.end()));
    }

    /// The data of a write that is to be reported are in the cache: whether there is room for them beside what is not on
    /// the medium, so that it is reported now.
    pub fn received(&self, state: &mut DriveState, demand: Demand) -> bool {
        state.unwritten += demand.blocks;
        self.has_room_unwritten(state.unwritten)
    }

    /// Whether so many blocks may be reported before they are on the medium. They share a segment, as each continues the
    /// one before; a drive that has more to write lets its host wait.
    pub(super) fn has_room_unwritten(&self, blocks: u64) -> bool {
        blocks <= self.cache.segment_size.get()
    }

    /// Written blocks are on the medium at `at`; `reported` says that they were, or wait to be, reported before. Gives
    /// whether there is room now for those that wait.
    pub fn stored(
        &self,
        state: &mut DriveState,
        demand: Demand,
        segment: SegmentIndex,
        reported: bool,
        at: Time,
    ) -> bool {
        state.free = at;
        state.last_written = demand.end();
        if reported {
            state.unwritten = state.unwritten.saturating_sub(demand.blocks);
        }
        if state.writing == Some((segment, demand.end())) {
            state.writing = None;
            if !(self.cache.keep && self.cache.read_hits_on_written) {
                state.cache.segment_mut(segment).clear();
            }
        }
        self.has_room_unwritten(state.unwritten)
    }

    /// Whether it has the bus, once it has begun a command, until that is complete.
    pub fn never_disconnects(&self) -> bool {
        self.cache.never_disconnect
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
}

#[cfg(test)]
mod tests;
