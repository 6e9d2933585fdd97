//! A rebuild in strides: where nobody asks an array for anything, a member is filled over long stretches in one event, at the pace of
//! pieces that were rebuilt one by one before.
//!
//! ```text
//! pieces (warm up, then a sample of them) ─▶ drain ─▶ stride ─▶ pieces …
//!                                              ▲  somebody asks │
//!                                              └────────────────┘ it ends where it is by then, and pieces go on from there
//! ```
//!
//! A rebuild that nothing disturbs is periodic: every piece of a region costs its members the same, whatever they are made of. So the
//! pace is measured (`sample` pieces, half a second after anybody asked, as other rates and depths hold until then), and used for a
//! stretch that is twice as long each time while it agrees with the one before. What the pace changes by over a stretch (a disk's
//! zones), and what starting and ending it costs, is owed to the next one: over all, time is the integral of a pace that goes straight
//! from one sample to the next. What a stride that somebody ends hasn't paid stays owed. What the members are asked meanwhile is counted of
//! the layout (`moved`), not sent.
//!
//! Several pieces at a time have a rhythm: those that were begun together merge at the members and end together, so that reading and
//! writing take turns; those begun apart read while others write, in a little more than half the time. Which rhythm it is depends on
//! how pieces came to lie to each other and to the layout's rows, and lasts. So after a stride they begin as far apart as they were
//! before it (`rhythm`), at a place that is to the rows as the one was (`stop`); those that somebody meets in a stride give way to him as
//! those that are under way do (`Call::seen`); rows of another kind (the second half of a far layout) are reached piece by piece;
//! and rows whose members are drawn (declustered parity) are so many in a sample that chance evens out (`ROWS`).
//!
//! Leaves out: strides where several members are filled at once, and where somebody else may ask the members; the rows of the members'
//! stages don't see what isn't sent, and their arms stay where the last piece was.

use super::layout::Layout;
use super::parameters::RebuildParameters;
use super::plan::{Lost, Members};
use super::planner::Planner;
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, whole_part};
use smallvec::SmallVec;

/// A stretch is at least so many samples long.
const SHORTEST: u64 = 4;
/// And at most this part of a member.
const PARTS: u64 = 64;
/// Rows that differ from each other by chance are alike on average of so many: within a hundredth, where half of them take half as long
/// again.
const ROWS: u64 = 1_024;
/// Paces that differ by less let the next stretch be twice as long; by more than three times as much, half as long.
const AGREE: f64 = 0.02;

/// How fast pieces go that nobody disturbs.
#[derive(Clone, Debug, Persist)]
struct Pace {
    /// Picoseconds a block, once it is known.
    each: Option<f64>,
    /// The block up to which it holds, and how far one holds from where it was measured.
    until: u64,
    reach: u64,
    /// Up to where rows are like the one in which the last piece was.
    alike: u64,
    /// What was measured so far: blocks, and how long they took.
    measured: (u64, Time),
    /// The same of single pieces: how many, and how long they were under way, each from its beginning.
    single: (u64, Time),
    /// Pieces that are under way on average (Little's law).
    under_way: f64,
}

/// Pieces that nobody disturbs.
#[derive(Clone, Copy, Debug, Persist)]
struct Undisturbed {
    /// Instants at which pieces end until its pace is steady.
    to_warm: u32,
    /// When the measured ones began, and how many blocks were rebuilt by then.
    from: Option<(Time, u64)>,
    /// The last instant at which a piece was complete, and the blocks then.
    last: (Time, u64),
}

/// A stretch that is rebuilt in one event.
#[derive(Clone, Copy, Debug, Persist)]
struct Stride {
    /// The first block of it, and the end.
    blocks: (u64, u64),
    /// A point of the line on which it goes: when, and how many blocks were rebuilt.
    point: (Time, u64),
    /// Picoseconds a block, and what of them is owed.
    each: f64,
    owed: f64,
    /// When it comes to its end.
    due: Time,
}

/// How a rebuild advances in strides.
#[derive(Clone, Debug, Persist)]
pub(super) struct Strides {
    /// Blocks of a sample; none: it makes no strides.
    sample: u64,
    piece: u64,
    /// Pieces at a time.
    depth: u64,
    longest: u64,
    /// An eighth of the member: what repeats itself after more is taken for what doesn't.
    most: u64,
    pace: Pace,
    open: Option<Undisturbed>,
    /// Pieces are called for no more, and once all are over it makes a stride; the point of its line.
    drains: Option<(Time, u64)>,
    /// When those that were under way then had begun; once they are over, by how much later than the first of them.
    rhythm: SmallVec<[Time; 8]>,
    stride: Option<Stride>,
    /// Where the last sample ended, and its pace; none where somebody has asked since.
    mark: Option<(Time, u64, f64)>,
    /// Picoseconds that the next stride takes beside its pace.
    owed: f64,
}

impl Strides {
    /// Those of a member.
    pub(super) fn new(rebuild: &RebuildParameters, ground: &Ground) -> Self {
        let (piece, used) = ((rebuild.piece.get() / SECTOR_BYTES).max(1), ground.used);
        // All that differs between rows is in a sample as often as elsewhere.
        let sample = piece.saturating_mul(u64::from(rebuild.sample));
        let round = ground.period.min(ROWS.saturating_mul(ground.unit)).max(1);
        let sample = sample.div_ceil(round).saturating_mul(round);
        let shortest = sample.saturating_mul(SHORTEST);
        let pace = Pace {
            each: None,
            until: 0,
            reach: shortest,
            alike: ground.alike,
            measured: (0, Time::ZERO),
            single: (0, Time::ZERO),
            under_way: 0.0,
        };
        Self {
            sample,
            piece,
            depth: rebuild.depth.max(1).into(),
            longest: (used / PARTS).max(shortest),
            most: (used / 8).max(shortest),
            pace,
            open: None,
            drains: None,
            rhythm: SmallVec::new(),
            stride: None,
            mark: None,
            owed: 0.0,
        }
    }

    /// A piece that was begun then is over, and so many blocks are rebuilt: while others asked for something (`disturbed`) or had a
    /// moment before (`is_busy`), or not.
    pub(super) fn completed(
        &mut self,
        (now, begun): (Time, Time),
        done: u64,
        (is_busy, disturbed): (bool, bool),
        ground: &Ground,
    ) {
        if self.sample == 0 {
            return;
        }
        // Between rows of one kind and of another, nothing goes straight from one pace to the other.
        if disturbed || self.pace.alike != ground.alike {
            self.mark = None;
        }
        if self.pace.alike != ground.alike {
            self.pace.measured = (0, Time::ZERO);
            self.pace.alike = ground.alike;
            let to_warm = as_number(self.depth) + 1;
            self.open = self.open.map(|open| Undisturbed { to_warm, from: None, ..open });
        }
        if let Some((since, _)) = self.drains {
            // What is over at that instant would have been followed by another.
            self.rhythm.push(if now > since { begun } else { now });
        }
        let Some(mut open) = self.open.filter(|_| !disturbed) else {
            self.close();
            // Until all that was under way is over, and the first of the others.
            let to_warm = as_number(self.depth) + 1;
            self.open = (!is_busy).then_some(Undisturbed { to_warm, from: None, last: (now, done) });
            return;
        };
        // What is complete at one instant counts once all of it is.
        if now > open.last.0 {
            open.to_warm = open.to_warm.saturating_sub(1);
            if open.to_warm == 0 {
                let from = *open.from.get_or_insert(open.last);
                if self.is_known(done) {
                    open.from = Some(open.last);
                } else {
                    let pace = &mut self.pace;
                    pace.single.0 += 1;
                    pace.single.1 += now.saturating_sub(begun);
                    if pace.measured.0 + (open.last.1 - from.1) >= self.sample {
                        self.measure(&open, from);
                        open.from = Some(open.last);
                    }
                }
            }
        }
        open.last = (now, done);
        self.open = Some(open);
    }

    /// Somebody disturbs: what was measured is kept.
    fn close(&mut self) {
        let Some(Undisturbed { from: Some(from), last, .. }) = self.open.take() else { return };
        let measured = &mut self.pace.measured;
        measured.0 += last.1.saturating_sub(from.1);
        measured.1 += last.0.saturating_sub(from.0);
    }

    /// A sample is complete.
    fn measure(&mut self, open: &Undisturbed, from: (Time, u64)) {
        let pace = &mut self.pace;
        let (blocks, time) = std::mem::take(&mut pace.measured);
        let blocks = blocks + (open.last.1 - from.1);
        let each = (time + (open.last.0 - from.0)).as_picos() as f64 / blocks.max(1) as f64;
        if let Some(before) = pace.each {
            let differs = (each / before - 1.0).abs();
            pace.reach = match differs {
                differs if differs < AGREE => (2 * pace.reach).min(self.longest),
                differs if differs > 3.0 * AGREE => (pace.reach / 2).max(self.sample * SHORTEST),
                _ => pace.reach,
            };
        }
        let (pieces, time) = std::mem::take(&mut pace.single);
        let took = time.as_picos() as f64 / pieces.max(1) as f64;
        pace.under_way = (took / (each * self.piece as f64).max(f64::MIN_POSITIVE)).min(self.depth as f64);
        pace.each = Some(each);
        pace.until = (open.last.1 + pace.reach).min(pace.alike);
        if let Some((then, blocks, before)) = self.mark {
            // Between the samples it went straight from one pace to the other, and the sample itself took what it took.
            let should = (from.1.saturating_sub(blocks)) as f64 * (before + each) / 2.0;
            self.owed += should - from.0.saturating_sub(then).as_picos() as f64;
        }
        self.mark = Some((open.last.0, open.last.1, each));
    }

    fn is_known(&self, at: u64) -> bool {
        self.pace.each.is_some() && at < self.pace.until
    }

    /// Whether it would go on in a stride from a block, now that nobody asks: pieces are called for no more then.
    pub(super) fn drains(&mut self, now: Time, (done, next): (u64, u64), ground: &Ground) -> bool {
        let is_steady = self.open.is_some_and(|open| open.to_warm == 0 && open.from.is_some());
        if self.drains.is_none() && is_steady && self.is_known(next) && self.stop(next, ground).is_some() {
            self.drains = Some((now, done));
            self.rhythm.clear();
            self.rhythm.push(now);
        }
        self.drains.is_some()
    }

    /// Where a stride that begins at a block ends, if there is one.
    ///
    /// Several pieces at a time keep a rhythm that depends on how they lie to the layout's rows (which of them merge, and which read while
    /// others write): where a stride ends, they lie as they did where it began.
    fn stop(&self, next: u64, ground: &Ground) -> Option<u64> {
        let together = self.depth * self.piece;
        // What is hardly longer than the pieces that it takes to begin anew isn't worth it.
        let least = next.saturating_add(together) + 1;
        let until = self.pace.until;
        if until >= ground.used {
            return (least <= ground.used).then_some(ground.used);
        }
        // Pieces themselves go over from rows that are alike to others.
        let most =
            if ground.alike < ground.used { ground.alike.saturating_sub(together) } else { ground.used };
        let common = lcm(together, ground.period).filter(|common| self.depth > 1 && *common <= self.most);
        let common = common.unwrap_or(1);
        let length = |end: u64| end.saturating_sub(next);
        let down = next + length(until.min(most)) / common * common;
        let up = next.saturating_add(length(until.max(least)).div_ceil(common).saturating_mul(common));
        [down, up].into_iter().find(|end| (least..=most).contains(end))
    }

    /// It makes no stride after all: somebody asks.
    pub(super) fn stays(&mut self) {
        self.drains = None;
    }

    /// All pieces are over: the stride begins at a block. How long it takes.
    pub(super) fn begin(&mut self, now: Time, next: u64, ground: &Ground) -> Option<Time> {
        let point = self.drains.take().unwrap_or((now, next));
        let mut each = self.pace.each.filter(|_| self.is_known(next))?;
        let end = self.stop(next, ground)?;
        self.pace.until = end;
        self.rhythm.sort_unstable();
        let first = self.rhythm.first().copied().unwrap_or_default();
        self.rhythm.iter_mut().for_each(|begun| *begun = begun.saturating_sub(first));
        let blocks = (end - point.1) as f64;
        // A stretch is never more than twice as fast as its pace.
        let owed = self.owed.max(-0.5 * blocks * each);
        self.owed -= owed;
        let owed = owed / blocks;
        each += owed;
        let due = point.0 + Time::from_picos(whole_part(blocks * each));
        self.stride = Some(Stride { blocks: (next, end), point, each, owed, due });
        self.close();
        // Where it ends, another pace holds.
        self.pace.measured = (0, Time::ZERO);
        Some(due.saturating_sub(now).max(Time::from_picos(1)))
    }

    /// Whether a stride is under way.
    pub(super) fn is_under_way(&self) -> bool {
        self.stride.is_some()
    }

    /// How much later than the first of the pieces that go on after a stride another one begins.
    pub(super) fn later(&self, piece: usize) -> Time {
        self.rhythm.get(piece).copied().unwrap_or_default()
    }

    /// A stride ends: from which block it came to which, and the pieces that it goes on by. What pieces under way would have been half
    /// done with counts as done where they go on (`resumes`).
    pub(super) fn end(&mut self, now: Time, resumes: bool) -> Option<((u64, u64), Resumed)> {
        let Stride { blocks: (from, end), point, each, owed, due } = self.stride.take()?;
        let depth = self.depth;
        if now >= due {
            return Some(((from, end), Resumed { depth, ahead: 0 }));
        }
        let passed = now.saturating_sub(point.0).as_picos() as f64;
        let at = point.1 + whole_part(passed / each.max(f64::MIN_POSITIVE));
        // Each of those under way is half done on average: half as many from their beginning. How far the line is within a piece takes
        // the place of chance.
        let chance = (at % self.piece) as f64 / self.piece as f64;
        // Those that go on lie to each other and to the layout's rows as all before did; else pages are whole.
        let together = depth * self.piece;
        let (half, whole) = if resumes { (together / 2, together) } else { (0, PAGE_BLOCKS.min(self.piece)) };
        let at = from + (at.saturating_add(half).saturating_sub(from) / whole * whole).min(end - from);
        // Of what was owed, only the part that it came through is paid.
        self.owed += owed * (end - at) as f64;
        let ahead = as_number(whole_part(self.pace.under_way / 2.0 + chance));
        Some(((from, at), Resumed { depth, ahead }))
    }
}

/// What a member is like from a block on, in blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    /// How many of the member are used.
    pub(super) used: u64,
    /// Those of a row, and after how many it repeats itself.
    pub(super) unit: u64,
    pub(super) period: u64,
    /// And up to which.
    pub(super) alike: u64,
}

impl Ground {
    /// That of an array's members.
    pub(super) fn at(block: u64, layout: &Layout, used: u64) -> Self {
        let unit = layout.unit();
        let row = block / unit;
        let (period, alike) = layout.period(row);
        Self { used, unit, period: period * unit, alike: row.saturating_add(alike).saturating_mul(unit) }
    }
}

/// The least of which both are parts.
fn lcm(one: u64, other: u64) -> Option<u64> {
    let (mut high, mut low) = (one, other);
    while low > 0 {
        (high, low) = (low, high % low);
    }
    one.checked_div(high)?.checked_mul(other)
}

/// How a rebuild goes on after a stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resumed {
    /// Pieces at a time.
    pub(super) depth: u64,
    /// How many of them were asked of the members before whoever ended the stride.
    pub(super) ahead: u32,
}

/// Blocks of a page.
const PAGE_BLOCKS: u64 = super::md::PAGE_BLOCKS;

/// What each member is asked to read and to write, in blocks, when these of a member are rebuilt.
pub(super) fn moved(
    planner: &Planner,
    member: usize,
    (from, to): (u64, u64),
    members: &Members,
) -> Result<Vec<(u64, u64)>, Lost> {
    let (layout, mut sums) = (&planner.layout, vec![(0, 0); members.0.len()]);
    let unit = layout.unit();
    let mut add = |(first, end): (u64, u64), times: u64| {
        let mut at = first;
        while at < end {
            let stop = (at / unit + 1).saturating_mul(unit).min(end);
            for part in planner.rebuild(member, (at, stop), members)?.parts {
                let (read, written) = &mut sums[part.member];
                let sum = if part.direction == Direction::Read { read } else { written };
                *sum += part.blocks * times;
            }
            at = stop;
        }
        Ok(())
    };
    let mut at = from;
    while at < to {
        let row = at.div_ceil(unit);
        let (period, alike) = layout.period(row);
        let rows = (to / unit).saturating_sub(row).min(alike);
        let rounds = rows / period;
        if rounds < 2 {
            // Up to where others are alike.
            let end = if alike < u64::MAX { to.min((row + alike) * unit).max(at + 1) } else { to };
            add((at, end), 1)?;
            at = end;
            continue;
        }
        add((at, row * unit), 1)?;
        add((row * unit, (row + period) * unit), rounds)?;
        at = (row + rounds * period) * unit;
    }
    Ok(sums)
}
