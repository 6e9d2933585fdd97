//! Buffer memory.

use petrio_persist::Persist;
use petrio_units::{Blocks, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The drive's buffer memory, divided into segments that each hold a run of consecutive blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheParameters {
    /// Number of segments. With none, nothing is kept after its command.
    pub segments: u32,
    /// Size of a segment.
    pub segment_size: Blocks,
    /// Whether data stay in the cache after their command.
    pub keep: bool,
    /// What is read beyond the end of a read.
    pub read_ahead: ReadAhead,
    /// Most blocks read ahead of a read; none means a full segment.
    pub read_ahead_limit: Blocks,
    /// Fewest blocks read ahead of a read before another command may stop it (SCSI's minimum pre-fetch, mode page 08h).
    pub read_ahead_minimum: Blocks,
    /// What is read on for a read that goes on where an earlier one ended, before the arm turns to other commands: divided by how
    /// many of them wait, and no more than a segment.
    pub read_ahead_share: Blocks,
    /// Whether reading ahead starts again when a read is served wholly from the cache while the arm is idle.
    pub read_ahead_after_hit: bool,
    /// Whether the drive may stop reading ahead in the middle of a sector.
    pub stop_within_sector: bool,
    /// Whether sectors before the wanted ones are kept when they pass under the head while it waits.
    pub keep_sectors_before: bool,
    /// Whether data leave the cache when they have been read by the host.
    pub discard_when_read: bool,
    /// Whether data that came with a write serve later reads.
    pub read_hits_on_written: bool,
    /// Whether a write gives up all segments that hold blocks within a segment's length of its own, not only those that
    /// it makes stale. Measured on Quantum Atlas III, Seagate Barracuda and Cheetah, IBM Ultrastar: a read near blocks
    /// that were read or written before the last write near by finds nothing.
    pub writes_clear_near: bool,
    /// Whether a read of the block that is just being read ahead counts as a hit, and costs a hit's overhead and not a
    /// miss's. The reading goes on for it in either case.
    pub hit_on_block_being_read: bool,
    /// Whether a read found in one segment is served without stopping the reading ahead into another.
    pub hits_beside_read_ahead: bool,
    /// Whether reads start with whichever wanted sector passes first (zero-latency reads).
    pub read_on_arrival: bool,
    /// Whether writes start with whichever wanted sector passes first (zero-latency writes).
    pub write_on_arrival: bool,
    /// Blocks of a write that must have arrived before the medium is written; a shorter write waits for all of its
    /// data.
    pub write_lead: Blocks,
    /// Which segments writes use.
    pub write_segments: WriteSegments,
    /// Which writes are reported complete when their data are in the cache.
    pub immediate_reporting: ImmediateReporting,
    /// How many reported writes the drive holds, and in which order it writes them; of account only where
    /// `immediate_reporting` is `cached`.
    pub write_back: WriteBackParameters,
    /// Share of a read that must be in the cache before the drive reconnects to the host to deliver it.
    pub read_watermark: Fraction,
    /// Whether the drive holds the bus through a command, and so spends no time on reconnecting. On a bus that it shares with
    /// others (`bus` of `[disk.NAME]`) these then wait for the whole of its commands, as two ATA drives on a channel do.
    pub never_disconnect: bool,
}

impl CacheParameters {
    /// Most blocks of reported writes that are held.
    pub(in crate::disk) fn most_held(&self) -> u64 {
        match self.write_back.size.get() {
            0 => self.buffer(),
            size => size,
        }
    }

    /// Most blocks of what is written back in one go, but for writes that overlap: no more than a segment, and than a quarter
    /// of the room. Room is free again when all of a run is written: were all data one run, the host would wait for the arm,
    /// and the arm would find nothing to go on with.
    pub(in crate::disk) fn longest_run(&self) -> u64 {
        self.segment_size.get().min(self.most_held() / 4).max(1)
    }

    /// Blocks in all segments.
    pub fn buffer(&self) -> u64 {
        u64::from(self.segments.max(1)) * self.segment_size.get()
    }
}

impl Default for CacheParameters {
    fn default() -> Self {
        Self {
            segments: 1,
            segment_size: Blocks(256),
            keep: true,
            read_ahead: ReadAhead::None,
            read_ahead_limit: Blocks(0),
            read_ahead_minimum: Blocks(0),
            read_ahead_share: Blocks(0),
            read_ahead_after_hit: false,
            stop_within_sector: false,
            keep_sectors_before: false,
            discard_when_read: false,
            read_hits_on_written: true,
            writes_clear_near: true,
            hit_on_block_being_read: false,
            hits_beside_read_ahead: false,
            read_on_arrival: false,
            write_on_arrival: false,
            write_lead: Blocks(1),
            write_segments: WriteSegments::Any,
            immediate_reporting: ImmediateReporting::Never,
            write_back: WriteBackParameters::default(),
            read_watermark: Fraction::ZERO,
            never_disconnect: false,
        }
    }
}

/// What is read beyond the end of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ReadAhead {
    /// Nothing.
    #[default]
    None,
    /// To the end of the track.
    Track,
    /// To the end of the cylinder.
    Cylinder,
    /// Until the segment is full.
    Segment,
    /// To the end of the track, and of the next one when the segment already reaches back to the track before: the
    /// drive stays a track ahead of a sequential stream.
    TrackAhead,
}

/// Which segments writes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum WriteSegments {
    /// Any segment.
    #[default]
    Any,
    /// One segment is set aside for writes, and reads never use it.
    One,
}

/// Which writes are reported complete when their data are in the cache ("immediate reporting", "fast writes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ImmediateReporting {
    /// None: a write is complete when it is on the medium.
    #[default]
    Never,
    /// All that find the drive without other dirty data, or that continue them.
    Sequential,
    /// All; dirty data go to the medium before any other command is served there.
    Always,
    /// All, as long as the cache has room for them: it holds many, writes them back in an order of its own while no
    /// other command needs the arm, and a write that finds no room waits until some has been written (see
    /// `write_back`).
    Cached,
}

/// Writes that a drive holds in its cache after it has reported them, until it finds the time to write them: what
/// drives do with their write cache on ("caching write data" in Seagate's SCSI product manuals). Data sheets give the
/// buffer's size, but neither how many writes a drive holds at most nor in which order it writes them. That it goes by
/// positioning time, as drives do with queued commands (D. Jacobson & J. Wilkes, "Disk scheduling algorithms based on
/// rotational position", HPL-CSP-91-7, 1991), is assumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WriteBackParameters {
    /// Most data that are held; none means the whole buffer, all segments together. A longer write comes in as room comes free.
    pub size: Blocks,
    /// Most runs of consecutive blocks that are held; 0 means as many as there is room for. A write that continues or
    /// overlaps a held one joins its run, for as long as a run that it only continues fits into a segment.
    pub runs: u32,
    /// Which of the held runs is written next.
    pub order: WriteBackOrder,
}

/// Which held run is written next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum WriteBackOrder {
    /// The one that the head reaches first: seek, settling and rotation together.
    #[default]
    ShortestPositioning,
    /// The one that came first.
    FirstCome,
}
