//! What an array was asked, what it asked of its members for it, and what befell them.

use super::plan::{Extra, Part, Plan};
use petrio_colours::{BlockRequest, Direction, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::in_proportion;

/// Requests and bytes, of one sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Moved {
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Moved {
    pub(crate) fn add(&mut self, blocks: u64) {
        self.requests += 1;
        self.bytes += blocks * SECTOR_BYTES;
    }

    /// These, and so many bytes more in requests of the same size.
    pub fn and_alike(self, bytes: u64) -> Self {
        let requests = in_proportion(self.requests, bytes, self.bytes.max(1));
        Self { requests: self.requests + requests, bytes: self.bytes + bytes }
    }
}

/// A member that failed.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Failed {
    /// Which of those that the array lies on.
    pub port: usize,
    /// When.
    pub at: Time,
    /// Who has taken its place, if anybody, and when he began to be filled.
    pub replaced: Option<(usize, Time)>,
    /// When he was.
    pub rebuilt: Option<Time>,
    /// When he failed himself before that, and how many blocks of him were filled.
    pub given_up: Option<(Time, u64)>,
    /// Which member it was; none of a spare.
    pub(super) member: Option<usize>,
}

/// What redundancy costs: requests as they came, and as they went to the members; and what it is there for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
pub struct RaidTally {
    /// Reads that came.
    pub reads: Moved,
    /// Writes that came.
    pub writes: Moved,
    /// Bytes of writes that failed.
    pub unwritten_bytes: u64,
    /// Reads of members for them.
    pub member_reads: Moved,
    /// Writes to members for them.
    pub member_writes: Moved,
    /// Bytes of these reads that nobody asked for: old data and parity, or others' data.
    pub extra_read_bytes: u64,
    /// Bytes of these writes that are parity, or further copies.
    pub redundant_bytes: u64,
    /// Answers to these reads and writes of members, and how long they took, all together.
    pub answers: u64,
    /// See `answers`.
    pub answer_time: Time,
    /// Requests that waited for others to be done with a stripe.
    pub waited: u64,
    /// Requests that were begun anew because a member failed meanwhile.
    pub again: u64,
    /// Requests that too few members were left for.
    pub lost: u64,
    /// Members that failed, in the order in which they did.
    pub failed: Vec<Failed>,
    /// Failures that were to come of what had failed already.
    pub in_vain: u64,
    /// Reads of members to rebuild others.
    pub rebuild_reads: Moved,
    /// Writes that rebuilt members.
    pub rebuild_writes: Moved,
    /// By those that it lies on: bytes of these that strides read and wrote, for which nothing was sent.
    pub(super) strided: Vec<(u64, u64)>,
    /// Bytes of data that were lost, and when the first were.
    pub lost_bytes: u64,
    /// When the first data were lost.
    pub lost_at: Option<Time>,
    /// How long some member was missing or not rebuilt, and how long one more failure would have lost data, until `since`.
    degraded: Time,
    exposed: Time,
    since: Time,
    now_degraded: bool,
    now_exposed: bool,
}

impl RaidTally {
    pub(super) fn asked(&mut self, request: &BlockRequest) {
        match request.direction {
            Direction::Read => self.reads.add(request.blocks.into()),
            Direction::Write => self.writes.add(request.blocks.into()),
            Direction::Flush | Direction::Discard => {}
        }
    }

    pub(super) fn answered(&mut self, after: Time) {
        self.answers += 1;
        self.answer_time += after;
    }

    /// What members are asked so, for a request or to rebuild one of them; flushes and discards aren't counted.
    fn moved(&mut self, direction: Direction, is_rebuild: bool) -> Option<&mut Moved> {
        Some(match (direction, is_rebuild) {
            (Direction::Read, true) => &mut self.rebuild_reads,
            (Direction::Read, false) => &mut self.member_reads,
            (Direction::Write, true) => &mut self.rebuild_writes,
            (Direction::Write, false) => &mut self.member_writes,
            (Direction::Flush | Direction::Discard, _) => return None,
        })
    }

    pub(super) fn planned(&mut self, plan: &Plan, is_rebuild: bool) {
        for part in &plan.parts {
            if let Some(moved) = self.moved(part.direction, is_rebuild) {
                moved.add(part.blocks);
            }
        }
        self.extra_read_bytes += plan.extra_read * SECTOR_BYTES;
        self.redundant_bytes += plan.redundant_written * SECTOR_BYTES;
    }

    /// Blocks were read of and written to those of these numbers, in a stride: in as many requests as pieces before took for as much.
    pub(super) fn strode(&mut self, moved: impl Iterator<Item = (usize, (u64, u64))>) {
        let (mut read, mut written) = (0, 0);
        for (port, (reads, writes)) in moved {
            let [reads, writes] = [reads, writes].map(|blocks| blocks * SECTOR_BYTES);
            if self.strided.len() <= port {
                self.strided.resize(port + 1, (0, 0));
            }
            self.strided[port].0 += reads;
            self.strided[port].1 += writes;
            (read, written) = (read + reads, written + writes);
        }
        for (moved, bytes) in [(&mut self.rebuild_reads, read), (&mut self.rebuild_writes, written)] {
            *moved = moved.and_alike(bytes);
        }
    }

    /// A part of a plan isn't sent after all.
    pub(super) fn dropped(&mut self, part: &Part, is_rebuild: bool) {
        let Some(moved) = self.moved(part.direction, is_rebuild) else { return };
        moved.requests -= 1;
        moved.bytes -= part.blocks * SECTOR_BYTES;
        if part.extra == Extra::All {
            let extra = match part.direction {
                Direction::Write => &mut self.redundant_bytes,
                _ => &mut self.extra_read_bytes,
            };
            *extra = extra.saturating_sub(part.blocks * SECTOR_BYTES);
        }
    }

    /// A request that came is over.
    pub(super) fn ended(&mut self, request: &BlockRequest) {
        if request.direction == Direction::Write && request.status.failure().is_some() {
            self.unwritten_bytes += u64::from(request.blocks) * SECTOR_BYTES;
        }
    }

    /// The members are so from now on.
    pub(super) fn members_are(&mut self, degraded: bool, exposed: bool, now: Time) {
        (self.degraded, self.exposed) = (self.degraded_until(now), self.exposed_until(now));
        (self.now_degraded, self.now_exposed, self.since) = (degraded, exposed, now);
    }

    /// How long some member was missing or not rebuilt.
    pub fn degraded_until(&self, now: Time) -> Time {
        self.degraded + if self.now_degraded { now.saturating_sub(self.since) } else { Time::ZERO }
    }

    /// How long one more failure would have lost data, while some member was missing.
    pub fn exposed_until(&self, now: Time) -> Time {
        self.exposed + if self.now_exposed { now.saturating_sub(self.since) } else { Time::ZERO }
    }

    /// The failure of a member that isn't rebuilt yet.
    pub(super) fn latest(&mut self, member: usize) -> Option<&mut Failed> {
        self.failed.iter_mut().rev().find(|failed| failed.member == Some(member))
    }
}
