//! What a file system, RAID array or scheduler asks of a block device.

use crate::file_id::FileId;
use crate::purpose::Purposes;
use crate::request::{IoClass, Movement, Request, RequestId, Status};
use crate::{Cause, Ledger};
use petrio_persist::Persist;
use petrio_time::Time;
use serde::{Deserialize, Serialize};

/// Bytes in a device block ("sector"), the unit of addresses and lengths on this wire.
pub const SECTOR_BYTES: u64 = 512;

/// Which way data move, or what is done without any.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From the device.
    #[default]
    Read,
    /// To the device.
    Write,
    /// No data: everything written before becomes durable.
    Flush,
    /// No data: what a range holds is wanted no longer (ATA TRIM, NVMe Deallocate, SCSI UNMAP).
    Discard,
}

impl Direction {
    /// Whether data go to the device or from it.
    pub const fn moves_data(self) -> bool {
        match self {
            Self::Read | Self::Write => true,
            Self::Flush | Self::Discard => false,
        }
    }

    /// Whether it is of a range of blocks: a flush is of all.
    pub const fn has_range(self) -> bool {
        match self {
            Self::Read | Self::Write | Self::Discard => true,
            Self::Flush => false,
        }
    }
}

/// What a file system says of a request to what sorts, merges and holds it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, Persist,
)]
#[serde(rename_all = "kebab-case")]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// Data or a transaction are made durable by it: no more of its process is to be expected soon (Linux: REQ_NOIDLE,
    /// later the lack of REQ_IDLE).
    NoIdle,
    /// It is written back while processes are held back by dirty pages (Linux: wb_recent_wait).
    Pressed,
    /// Metadata read ahead of what is asked for, which bears other marks (REQ_META) and stays apart (blk_cgroup_mergeable).
    Ahead,
}

/// A block request and, coming back, its completion.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, Persist)]
pub struct BlockRequest {
    /// The request's number.
    pub id: RequestId,
    /// Which process (or trace stream) asked.
    pub process: u32,
    /// Which device of the System it is meant for, by its number in the scenario.
    pub device: u32,
    /// Read, write, flush or discard.
    pub direction: Direction,
    /// Everything written before becomes durable before this write begins (Linux: REQ_PREFLUSH).
    pub flush_before: bool,
    /// Force unit access: a write completes only when it is on the medium.
    pub force_unit_access: bool,
    /// Whether somebody waits for the completion.
    pub synchronous: bool,
    /// What the file system says beside.
    pub hint: Hint,
    /// What it is for: of a merged one, what all that it is made of are for.
    pub purposes: Purposes,
    /// The scheduling class of the process.
    pub class: IoClass,
    /// I/O priority within the class, 0 the most urgent.
    pub priority: u8,
    /// A handle of whoever made the request; stages pass it on untouched.
    pub tag: u64,
    /// Whose data it moves, for stages that treat files apart; [`FileId::ROOT`] for metadata, and where no file system
    /// asked.
    pub file: FileId,
    /// First device block (512 bytes).
    pub address: u64,
    /// Length in device blocks; zero only for a flush.
    pub blocks: u32,
    /// When it was issued.
    pub issued: Time,
    /// How it ended.
    pub status: Status,
    /// Where its time went.
    pub ledger: Ledger,
}

impl BlockRequest {
    /// Bytes moved: none by a discard, however long its range is.
    pub fn bytes(&self) -> u64 {
        if self.direction.moves_data() { u64::from(self.blocks) * SECTOR_BYTES } else { 0 }
    }

    /// One past the last block.
    pub fn end(&self) -> u64 {
        self.address + u64::from(self.blocks)
    }
}

impl Request for BlockRequest {
    type Cause = Cause;

    fn id(&self) -> RequestId {
        self.id
    }

    fn set_id(&mut self, id: RequestId) {
        self.id = id;
    }

    fn issued(&self) -> Time {
        self.issued
    }

    fn bytes(&self) -> u64 {
        Self::bytes(self)
    }

    fn movement(&self) -> Movement {
        match self.direction {
            Direction::Read => Movement::Read,
            Direction::Write => Movement::Write,
            Direction::Flush | Direction::Discard => Movement::Neither,
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn asked(&self) -> String {
        let sort = match self.direction {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Discard => "discard",
            Direction::Flush => return "a flush".to_owned(),
        };
        let unit = if self.blocks == 1 { "block" } else { "blocks" };
        format!("a {sort} of {} {unit} from block {}", self.blocks, self.address)
    }

    fn about(&self) -> Option<FileId> {
        None
    }

    fn process(&self) -> u32 {
        self.process
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// Processors move what is no longer than two lines of cache with a few instructions; for more compilers call a function.
/// Requests are moved at every firing.
const _: () = assert!(size_of::<BlockRequest>() <= 128, "a block request is moved often");
