//! What an array makes of a request: requests to its members, and which of them wait for which.

use super::layout::Spot;
use petrio_colours::{Direction, Purpose, Purposes};
use petrio_persist::Persist;
use smallvec::SmallVec;

/// What of a member can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Health {
    /// All of it.
    #[default]
    Whole,
    /// Nothing: it has failed, and nothing has taken its place.
    Gone,
    /// A spare has taken its place, which holds what lies before this block, and takes all that is written.
    Rebuilding(u64),
}

/// The health of all members.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Members(pub Vec<Health>);

impl Members {
    /// All whole.
    pub fn whole(members: usize) -> Self {
        Self(vec![Health::Whole; members])
    }

    /// Whether what lies before `end` on a member can be read.
    pub(super) fn reads(&self, member: usize, end: u64) -> bool {
        match self.0[member] {
            Health::Whole => true,
            Health::Gone => false,
            Health::Rebuilding(done) => end <= done,
        }
    }

    /// Whether a member takes writes.
    pub fn writes(&self, member: usize) -> bool {
        self.0[member] != Health::Gone
    }

    /// Whether any takes writes.
    pub(super) fn writes_any(&self) -> bool {
        (0..self.0.len()).any(|member| self.writes(member))
    }

    /// Whether all are whole.
    pub fn are_whole(&self) -> bool {
        self.0.iter().all(|&health| health == Health::Whole)
    }
}

/// A request to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Part {
    /// Which member.
    pub member: usize,
    /// Read, write, flush or discard.
    pub direction: Direction,
    /// First block there.
    pub address: u64,
    /// How many.
    pub blocks: u64,
    /// Parts of one group belong together: its writes wait for its reads. Those of group 0 wait for nothing.
    pub group: u32,
    /// How much of it is there for redundancy alone.
    pub extra: Extra,
}

/// How much of a part nobody has asked for: old data and parity that are read, others' data, parity and further copies that
/// are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Extra {
    /// Nothing.
    #[default]
    None,
    /// Some of it: it was put together of such and others.
    Some,
    /// All.
    All,
}

impl Extra {
    /// All or nothing.
    pub(super) fn all(is_extra: bool) -> Self {
        if is_extra { Self::All } else { Self::None }
    }

    /// Of two parts that are one now.
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Some }
    }

    /// What such a part is for, of a whole that is for this.
    pub(super) fn purposes(self, whole: Purposes) -> Purposes {
        match self {
            Self::None => whole,
            Self::Some => whole.and(Purpose::Redundancy.into()),
            Self::All => Purpose::Redundancy.into(),
        }
    }
}

/// What an array makes of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Requests to members.
    pub parts: SmallVec<[Part; 4]>,
    /// Groups that are there, beside group 0: they are numbered from 1.
    pub groups: u32,
    /// Blocks that parity is made of, by group from 1: all that goes into it.
    pub parity_of: SmallVec<[u64; 2]>,
    /// Blocks that are read for nothing but redundancy: old data and parity, others' data.
    pub extra_read: u64,
    /// Blocks of parity, or of further copies, that are written.
    pub redundant_written: u64,
}

/// What is asked is lost, or can't be kept: too many members have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost;

impl Plan {
    /// A flush of every member that is there.
    pub(super) fn flushes(members: &Members) -> Self {
        let there = (0..members.0.len()).filter(|&member| members.writes(member));
        let flush = |member| Part {
            member,
            direction: Direction::Flush,
            address: 0,
            blocks: 0,
            group: 0,
            extra: Extra::None,
        };
        Self { parts: there.map(flush).collect(), ..Self::default() }
    }

    /// The same blocks discarded that are written: nothing of it is data, nor further copies of them.
    pub(super) fn of_discards(mut self) -> Self {
        for part in &mut self.parts {
            (part.direction, part.extra) = (Direction::Discard, Extra::None);
        }
        self.redundant_written = 0;
        self
    }

    /// Adds a part, to one that it goes on from if it can.
    pub(super) fn add(&mut self, part: Part) {
        let goes_on = |other: &&mut Part| {
            (other.member, other.direction, other.group) == (part.member, part.direction, part.group)
        };
        match self.parts.iter_mut().rev().find(goes_on) {
            Some(other) if other.address + other.blocks == part.address => {
                other.blocks += part.blocks;
                other.extra = other.extra.and(part.extra);
            }
            _ => self.parts.push(part),
        }
    }

    /// Adds a read that nobody has asked for, of which no block is read twice.
    pub(super) fn read_extra(&mut self, member: usize, (from, to): (u64, u64), group: u32) {
        let (mut from, mut to, mut extra) = (from, to, Extra::All);
        let mut index = 0;
        while index < self.parts.len() {
            let other = self.parts[index];
            let end = other.address + other.blocks;
            let same = other.member == member && other.direction == Direction::Read && other.group == group;
            if same && from <= end && other.address <= to {
                (from, to) = (from.min(other.address), to.max(end));
                extra = extra.and(other.extra);
                self.parts.remove(index);
            } else {
                index += 1;
            }
        }
        self.add(Part { member, direction: Direction::Read, address: from, blocks: to - from, group, extra });
    }

    /// Cuts all parts at multiples of so many blocks.
    pub(super) fn cut(&mut self, pieces: Option<u64>) {
        let Some(most) = pieces.filter(|most| self.parts.iter().any(|part| part.blocks > *most)) else {
            return;
        };
        let parts = std::mem::take(&mut self.parts);
        for part in parts {
            let mut at = part.address;
            while at < part.address + part.blocks {
                let end = ((at / most + 1) * most).min(part.address + part.blocks);
                self.parts.push(Part { address: at, blocks: end - at, ..part });
                at = end;
            }
            if part.blocks == 0 {
                self.parts.push(part);
            }
        }
    }

    pub(super) fn write(&mut self, spot: Spot, (from, to): (u64, u64), group: u32, extra: Extra) {
        self.add(Part {
            member: spot.member,
            direction: Direction::Write,
            address: spot.address + from,
            blocks: to - from,
            group,
            extra,
        });
    }

    pub(super) fn new_group(&mut self) -> u32 {
        self.groups += 1;
        self.parity_of.push(0);
        self.groups
    }

    pub(super) fn makes_parity_of(&mut self, group: u32, blocks: u64) {
        if let Some(sum) = self.parity_of.get_mut((group as usize).wrapping_sub(1)) {
            *sum += blocks;
        }
    }
}
