//! What replication is made of.

use super::placement::Placement;
use super::policy::PolicyParameters;
use super::protocol::{Protocol, Voting};
use petrio_block::CopyTraffic;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Disks times places at most: each file keeps a bit for each.
const SLOTS_MAX: u64 = 4_096;

/// Votes of a copy at most.
const WEIGHT_MOST: u32 = 100;

/// A log has room for the largest request, several times.
const LOG_LEAST: u64 = 1 << 20;

/// A region is a multiple of this, so that there are fewer regions than numbers of files.
const REGION_LEAST: u64 = 64 << 10;

/// Several copies of files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReplicationParameters {
    /// How the number of copies is decided.
    pub policy: PolicyParameters,
    /// Most copies of a file; left out, as many as there are disks (times `places`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
    /// Which disks they go to.
    pub placement: Placement,
    /// Copies on one disk, at places evenly apart: a disk then offers so many times less space.
    pub places: u32,
    /// How copies come to be.
    pub traffic: CopyTraffic,
    /// How copies are kept alike.
    pub protocol: Protocol,
    /// When a write to several copies is done, where the protocol is to write all, or a master.
    pub write_returns: WriteReturns,
    /// Whether the disk on which a copy lies can tell how far its platter has to turn, when a copy is chosen. Ivy
    /// counts the queue and the seek.
    pub knows_rotation: bool,
    /// A read longer than this is split over the copies in such pieces; left out, one copy serves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<Bytes>,
    /// Space for all copies but the first of each file; left out, whatever they need. When it is short, files that have
    /// not been read for the longest time lose theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Bytes>,
    /// How far back reads and writes count for policies that go by their rates (to 1/e).
    pub memory: Duration,
    /// What belongs to no file (metadata, journals, requests of programs to the device itself) is kept in copies by
    /// pieces of the device of this size, each treated as a file.
    pub region: Bytes,
    /// What messages between nodes cost.
    pub messages: Messages,
}

impl Default for ReplicationParameters {
    fn default() -> Self {
        Self {
            policy: PolicyParameters::default(),
            copies: None,
            placement: Placement::default(),
            places: 1,
            traffic: CopyTraffic::default(),
            protocol: Protocol::default(),
            write_returns: WriteReturns::default(),
            knows_rotation: false,
            parallel: None,
            budget: None,
            memory: Duration::new(petrio_kernel::Time::from_millis(3_600_000)),
            region: Bytes(1 << 20),
            messages: Messages::default(),
        }
    }
}

/// When a write to several copies is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum WriteReturns {
    /// With the first copy, as in Ivy (§6.2).
    #[default]
    First,
    /// With the last.
    All,
}

/// What messages between nodes cost (Ivy, §4.1, which leaves them out): a request comes to a spigot, which sends it to
/// the node with the file's master copy; that one asks the nodes that hold copies, and sends the request to one of
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Messages {
    /// From the spigot to the master.
    pub forward: Duration,
    /// A question to a node that holds a copy, and its answer; all are asked at once. Only where there is more than
    /// one.
    pub query: Duration,
    /// From the master to the node that serves; where it isn't the master itself.
    pub dispatch: Duration,
}

/// Why replication can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplicationError {
    /// No disks.
    #[error("copies have no disks to lie on; name at least one")]
    NoDisks,
    /// Too many for a set of them.
    #[error("{slots} places for copies are more than {limit}; take fewer disks, or fewer places")]
    TooMany {
        /// Disks times places.
        slots: u64,
        /// What is possible.
        limit: u64,
    },
    /// No places.
    #[error("{0} is 0; 1 or more was expected")]
    Zero(&'static str),
    /// More regions than have numbers.
    #[error("{size} have more than {limit} regions of {region}; give larger ones")]
    Regions {
        /// Of a place for copies.
        size: Bytes,
        /// A region's.
        region: Bytes,
        /// How many there may be.
        limit: u32,
    },
    /// Regions that blocks can't be divided into.
    #[error("a region of {0} is no multiple of 64 KiB; 1 MiB is usual")]
    Region(Bytes),
    /// Quorums that can miss each other.
    #[error(
        "of {votes} votes a read needs {reads} and a write {writes}: one could miss what the other wrote; together \
         they must be more than all, and writes more than half"
    )]
    Quorums {
        /// Votes that a read needs.
        reads: u32,
        /// Votes that a write needs.
        writes: u32,
        /// Votes that there are.
        votes: u32,
    },
    /// Votes that don't fit the disks.
    #[error(
        "weights says {weights} numbers of votes for {disks} disks; one for each disk was expected, from 1 to 100"
    )]
    Weights {
        /// How many numbers there are.
        weights: usize,
        /// How many disks.
        disks: usize,
    },
    /// A log without room for a record.
    #[error("a log of {0} is too small; 1 MiB or more was expected")]
    Log(Bytes),
    /// Two answers to the same question.
    #[error(
        "write_returns = \"all\" contradicts the protocol, which says when a write is done; leave it out"
    )]
    Returns,
    /// More copies than there is room for.
    #[error("{copies} copies need as many places, and there are {slots}; add disks, or take fewer copies")]
    Copies {
        /// Asked for.
        copies: u32,
        /// Disks times places.
        slots: u32,
    },
}

impl ReplicationParameters {
    /// Most copies of a file on so many disks.
    ///
    /// # Errors
    /// See [`ReplicationError`].
    pub fn most_copies(&self, disks: usize) -> Result<u32, ReplicationError> {
        if disks == 0 {
            return Err(ReplicationError::NoDisks);
        }
        if self.places == 0 {
            return Err(ReplicationError::Zero("places"));
        }
        if !self.region.get().is_multiple_of(REGION_LEAST) || self.region.get() == 0 {
            return Err(ReplicationError::Region(self.region));
        }
        let slots = disks as u64 * u64::from(self.places);
        if slots > SLOTS_MAX {
            return Err(ReplicationError::TooMany { slots, limit: SLOTS_MAX });
        }
        let slots = as_number(slots);
        let most_votes = self.check_weights(disks)?;
        self.check_protocol(self.copies.unwrap_or(slots).max(most_votes))?;
        match self.copies {
            Some(0) => Err(ReplicationError::Zero("copies")),
            Some(copies) if copies > slots => Err(ReplicationError::Copies { copies, slots }),
            Some(copies) => Ok(copies),
            None => Ok(slots),
        }
    }

    /// The votes that there are at most where copies have more than one; nothing where each has one.
    fn check_weights(&self, disks: usize) -> Result<u32, ReplicationError> {
        let Protocol::Voting(Voting { weights, .. }) = &self.protocol else { return Ok(0) };
        if weights.is_empty() {
            return Ok(0);
        }
        if weights.len() != disks || !weights.iter().all(|weight| (1..=WEIGHT_MOST).contains(weight)) {
            return Err(ReplicationError::Weights { weights: weights.len(), disks });
        }
        Ok(weights.iter().sum::<u32>().saturating_mul(self.places))
    }

    /// Whether what the protocol says fits together, with so many votes at most.
    fn check_protocol(&self, most: u32) -> Result<(), ReplicationError> {
        let returns_all = self.write_returns == WriteReturns::All;
        match &self.protocol {
            Protocol::Voting(_) | Protocol::Transaction(_) if returns_all => Err(ReplicationError::Returns),
            Protocol::Voting(Voting { writes: Some(0), .. }) => Err(ReplicationError::Zero("writes")),
            Protocol::Voting(Voting { reads: Some(0), .. }) => Err(ReplicationError::Zero("reads")),
            Protocol::Voting(voting) => {
                // Of a file with fewer votes, quorums of them all meet all the more.
                let missed = (1..=most).find(|&votes| {
                    let (reads, writes) = (voting.to_read(votes), voting.to_write(votes));
                    reads + writes <= votes || 2 * writes <= votes
                });
                let Some(votes) = missed else { return Ok(()) };
                let (reads, writes) = (voting.to_read(votes), voting.to_write(votes));
                Err(ReplicationError::Quorums { reads, writes, votes })
            }
            Protocol::Transaction(transaction) if transaction.log.get() < LOG_LEAST => {
                Err(ReplicationError::Log(transaction.log))
            }
            _ => Ok(()),
        }
    }

    /// Blocks that are offered, of disks of which the smallest has `member_blocks`.
    pub fn blocks(&self, member_blocks: u64) -> u64 {
        // In whole blocks of 64 KiB, so that copies lie alike on all places. What a protocol logs lies behind them.
        let room = member_blocks.saturating_sub(self.protocol.log_blocks());
        room / u64::from(self.places.max(1)) / 128 * 128
    }
}
