//! Members that fail, and what takes their place: who sits where, how far each is rebuilt, and what was lost.

use super::layout::{Layout, Redundancy};
use super::parameters::RebuildParameters;
use super::plan::{Health, Members};
use super::stride::Strides;
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number, in_proportion};

/// How long a rebuild that is held back for others waits after they have asked, before it goes on as if alone: md_do_sync of
/// drivers/md/md.c sleeps so long.
pub(super) const LOOK: Time = Time::from_millis(500);

/// A piece of a member that is rebuilt.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Piece {
    pub(super) member: usize,
    /// Which job it is of.
    pub(super) job: u32,
    /// Its blocks.
    pub(super) blocks: (u64, u64),
    pub(super) begun: Time,
    /// Requests that others had sent by then.
    pub(super) seen: u64,
}

/// A call for the next piece of a member.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Call {
    pub(super) member: usize,
    /// Which job it is of: the call of an earlier one is void.
    pub(super) job: u32,
    /// How often the job had ended its calls by then: one of before is void.
    pub(super) round: u32,
    /// Requests that others had sent when the piece would have begun, where a stride took its place.
    pub(super) seen: Option<u64>,
    /// When it may begin if others ask for nothing, and if they do.
    due: Time,
    busy_due: Time,
}

impl Call {
    /// The first ones, so many: one after the other, as fast as the rates allow.
    pub(super) fn first(
        (member, job, round): (usize, u32, u32),
        rebuild: &RebuildParameters,
        (now, depth): (Time, u64),
    ) -> impl Iterator<Item = Self> + use<'_> {
        let piece = (0, rebuild.piece.get() / SECTOR_BYTES);
        let due = move |number: u64, is_busy| {
            let all = pace(rebuild, piece, is_busy).as_picos();
            now + Time::from_picos(in_proportion(all, number, depth))
        };
        (0..depth).map(move |number| Self {
            member,
            job,
            round,
            seen: None,
            due: due(number, false),
            busy_due: due(number, true),
        })
    }

    /// One after a piece: not before the rates allow it.
    pub(super) fn after(piece: &Piece, round: u32, rebuild: &RebuildParameters) -> Self {
        let due = |is_busy| piece.begun + pace(rebuild, piece.blocks, is_busy);
        Self { member: piece.member, job: piece.job, round, seen: None, due: due(false), busy_due: due(true) }
    }

    /// The one at the end of a stride.
    pub(super) fn at_end((member, job, round): (usize, u32, u32), now: Time) -> Self {
        Self { member, job, round, seen: None, due: now, busy_due: now }
    }

    /// How long it is until somebody looks at it again, unless it begins; if others ask, so long after the last of them.
    pub(super) fn waits(&self, now: Time, others: Option<Time>) -> Option<Time> {
        let due = if others.is_some() { self.busy_due } else { self.due };
        let left = due.saturating_sub(now);
        (left > Time::ZERO).then(|| {
            others.map_or(left, |since| left.min(LOOK.saturating_sub(since).max(Time::from_micros(1))))
        })
    }
}

/// A member that is being rebuilt.
#[derive(Clone, Debug, Persist)]
pub(super) struct Job {
    /// Which one of the array it is, from 1.
    pub(super) number: u32,
    /// The first block that nobody has begun to rebuild.
    next: u64,
    /// Pieces that are being rebuilt.
    under_way: Vec<(u64, u64)>,
    /// Pieces that are called for, and not begun.
    called: u32,
    /// How often all calls were ended.
    pub(super) round: u32,
    pub(super) strides: Strides,
}

impl Job {
    /// Nothing is rebuilt, and as many pieces are called for as are rebuilt at a time.
    pub(super) fn new(number: u32, rebuild: &RebuildParameters, strides: Strides) -> Self {
        Self { number, next: 0, under_way: Vec::new(), called: rebuild.depth, round: 0, strides }
    }

    /// Blocks that are rebuilt, in whichever order, and the first that nobody has begun.
    pub(super) fn done(&self) -> (u64, u64) {
        (self.next - self.under_way.iter().map(|(from, to)| to - from).sum::<u64>(), self.next)
    }

    /// Whether pieces are under way.
    pub(super) fn is_at_work(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// No more pieces are called for.
    pub(super) fn end_calls(&mut self) {
        self.called = 0;
        self.round += 1;
    }

    /// All up to a block is rebuilt, and so many pieces are called for.
    pub(super) fn goes_on_at(&mut self, next: u64, called: u32) {
        self.next = next;
        self.called = called;
        self.round += 1;
    }

    /// A piece is over: how many more are called for, beside those under way. While others ask, that may be none, until those
    /// under way are over.
    pub(super) fn called(&mut self, rebuild: &RebuildParameters, is_busy: bool) -> u32 {
        let depth = rebuild.busy_depth.filter(|_| is_busy).unwrap_or(rebuild.depth);
        let more = depth.saturating_sub(as_number(self.under_way.len()) + self.called);
        self.called += more;
        more
    }

    /// The next piece, if any is left of `blocks`.
    pub(super) fn begin(&mut self, rebuild: &RebuildParameters, blocks: u64) -> Option<(u64, u64)> {
        self.called = self.called.saturating_sub(1);
        let piece = (rebuild.piece.get() / SECTOR_BYTES).max(1);
        let piece = (self.next, (self.next + piece).min(blocks));
        if piece.0 >= piece.1 {
            return None;
        }
        self.next = piece.1;
        self.under_way.push(piece);
        Some(piece)
    }

    /// A piece is rebuilt: all before the block that this gives.
    pub(super) fn end(&mut self, piece: (u64, u64)) -> u64 {
        self.under_way.retain(|other| *other != piece);
        self.under_way.iter().map(|(from, _)| *from).min().unwrap_or(self.next)
    }
}

/// How long a piece takes at least. While others ask, neither rate is exceeded.
fn pace(rebuild: &RebuildParameters, (from, to): (u64, u64), is_busy: bool) -> Time {
    let rates = [rebuild.rate, rebuild.busy_rate.filter(|_| is_busy)];
    // Several pieces share the rate.
    let bytes = (to - from).saturating_mul(SECTOR_BYTES).saturating_mul(rebuild.depth.into());
    rates.into_iter().flatten().map(|rate| rate.time_for(bytes)).max().unwrap_or(Time::ZERO)
}

/// Blocks of data that are lost when these members are as they are, of members with so many blocks; of an array of many
/// stripes as a sample of them tells.
pub(super) fn lost(layout: &Layout, members: &Members, member_blocks: u64) -> u64 {
    let done = |member: usize| match members.0[member] {
        Health::Whole => u64::MAX,
        Health::Gone => 0,
        Health::Rebuilding(done) => done,
    };
    let stripes = layout.blocks(member_blocks) / layout.stripe();
    let sampled = stripes.clamp(1, 16_384);
    let mut units = 0u64;
    for sample in 0..sampled {
        // Evenly over the array: what is rebuilt already lies at its beginning.
        let stripe = in_proportion(sample, stripes, sampled);
        let gone = |index: usize| {
            let spot = layout.spot(stripe, index);
            spot.address + layout.unit() > done(spot.member)
        };
        units += match layout.redundancy() {
            Redundancy::None => (0..layout.columns()).filter(|&column| gone(column)).count() as u64,
            Redundancy::Copies(copies) => (0..layout.columns())
                .filter(|column| (0..as_index(copies)).all(|copy| gone(column + copy * layout.columns())))
                .count() as u64,
            Redundancy::Parity(parities) => {
                let failed = (0..layout.width()).filter(|&index| gone(index)).count() as u64;
                let data = (0..layout.columns()).filter(|&column| gone(column)).count() as u64;
                if failed > parities { data } else { 0 }
            }
        };
    }
    in_proportion(units * layout.unit(), stripes, sampled)
}

/// Failures that the members could still take.
pub(super) fn margin(layout: &Layout, members: &Members) -> u64 {
    let failed = |member: &usize| members.0[*member] != Health::Whole;
    match layout.redundancy() {
        Redundancy::None => 0,
        Redundancy::Parity(parities) => {
            parities.saturating_sub((0..layout.members()).filter(failed).count() as u64)
        }
        Redundancy::Copies(copies) => {
            let groups = (0..layout.columns()).map(|column| {
                let copies = (0..as_index(copies)).map(|copy| column + copy * layout.columns());
                copies.filter(|&index| !failed(&layout.spot(0, index).member)).count() as u64
            });
            groups.min().unwrap_or(0).saturating_sub(1)
        }
    }
}
