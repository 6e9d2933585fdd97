//! Reading ahead in the background, as a function of time.
//!
//! A drive goes on reading behind a read until a limit, while its host thinks. Nothing happens in between that anybody
//! could see, so the reading is kept as where and when it began, and advanced to `now` when somebody looks: run by run
//! along the tracks, within a run sector by sector.
//!
//! What a command wants is read whatever the limits of reading ahead are: they hold for what nobody has asked for; and so
//! is the least that the drive reads on in any case, before it turns to another command. And as
//! the head passes what comes behind the end in any case, a reading that has ended goes on as if it had not for a command
//! that was known before: it only wasn't looked at in between. A command for what lies a little ahead of it lets it go on,
//! too, if that brings the blocks no later than the arm could.

use super::layout::{PhysicalSector, Run, Track};
use super::mechanics::Mechanics;
use super::parameters::ReadAhead;
use super::pipeline::Pipeline;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, in_proportion};

/// A reading that goes on by itself.
#[derive(Clone, Debug, Persist)]
pub(super) struct Stream {
    /// The next run's first block.
    block: u64,
    /// One past the last block it may read.
    limit: u64,
    /// One past the last block that a command wants, which no scope holds back.
    wanted: u64,
    /// One past the last read that it goes on from, whose reading ahead has a least length; and whether that is one of several that come
    /// in order.
    behind: (u64, bool),
    scope: ReadAhead,
    /// The track that the head is on, or on its way to.
    track: Track,
    /// The run being read: when its first sector starts, and what it is.
    start: Time,
    run: Run,
    /// When the head arrived on the track of `run`.
    arrival: Time,
    /// Whether the limit or the scope ended it.
    over: bool,
    /// When it ended, once it has.
    ended: Time,
    /// Up to when the arm's work has been told.
    told: Time,
}

impl Stream {
    /// Starts reading at `block` with the head on `track` at `at`.
    pub(super) fn start(
        mechanics: &Mechanics,
        track: Track,
        at: Time,
        block: u64,
        limit: u64,
        scope: ReadAhead,
    ) -> Self {
        let place = PhysicalSector { track, sector: 0, zone: 0, remapped: false };
        let run = Run { place, blocks: 0, sectors: 0 };
        let mut stream = Self {
            block,
            limit,
            wanted: block,
            behind: (block, false),
            scope,
            track,
            start: at,
            run,
            arrival: at,
            over: false,
            ended: at,
            told: at,
        };
        stream.next_run(mechanics, at);
        stream
    }

    /// Goes on to the run at `self.block`, from the present track, at `at`.
    fn next_run(&mut self, mechanics: &Mechanics, at: Time) {
        self.over = true;
        self.ended = at;
        if self.block >= self.limit.min(mechanics.layout().blocks()) {
            return;
        }
        let run = mechanics.run(self.block, self.limit - self.block);
        let to = run.place.track;
        let leaves = match self.scope {
            ReadAhead::None | ReadAhead::Track => to != self.track,
            ReadAhead::Cylinder => to.cylinder != self.track.cylinder,
            ReadAhead::Segment | ReadAhead::TrackAhead => false,
        };
        if leaves && self.block >= self.wanted {
            return;
        }
        self.arrival = at + mechanics.seek(self.track, to, false);
        self.start = self.arrival + mechanics.rotational_wait(run.place, self.arrival);
        self.track = to;
        self.run = run;
        self.over = false;
    }

    /// When the present run's last sector has passed.
    fn run_end(&self, mechanics: &Mechanics) -> Time {
        self.start + mechanics.sector_time(self.run.place.zone, self.run.sectors)
    }

    /// Brings the reading to `now` and gives one past the last block read.
    pub(super) fn advance(&mut self, mechanics: &Mechanics, now: Time) -> u64 {
        while !self.over {
            let end = self.run_end(mechanics);
            if end > now {
                return self.block + self.blocks_at(mechanics, now);
            }
            self.block += self.run.blocks;
            self.next_run(mechanics, end);
        }
        self.block
    }

    /// Blocks of the present run read by `now`.
    fn blocks_at(&self, mechanics: &Mechanics, now: Time) -> u64 {
        let passed = now.saturating_sub(self.start).as_picos();
        let all = mechanics.sector_time(self.run.place.zone, self.run.sectors).as_picos();
        if passed == 0 || all == 0 {
            return 0;
        }
        let sectors = u64::from(self.run.sectors);
        let sectors = match passed.checked_mul(sectors) {
            Some(product) => product / all,
            None => in_proportion(passed, sectors, all),
        };
        // Times of sectors are rounded down: a sector has passed when its time has, not a picosecond later.
        let next = mechanics.sector_time(self.run.place.zone, as_number(sectors) + 1).as_picos();
        let sectors = if next <= passed { sectors + 1 } else { sectors };
        // Slipped sectors lie somewhere in the run: blocks are counted as if they were spread evenly.
        let all = u64::from(self.run.sectors.max(1));
        if self.run.blocks == all {
            return sectors;
        }
        in_proportion(sectors, self.run.blocks, all)
    }

    /// How long after `now` it has come to `block`, if that is within its limit; having ended, it serves who came before it
    /// had, for the block that it would read next.
    pub(super) fn reaches(&self, mechanics: &Mechanics, block: u64, came: Time, now: Time) -> Option<Time> {
        if block > self.limit {
            return None;
        }
        let mut ahead = self.clone();
        let position = ahead.advance(mechanics, now);
        if block > position {
            return ahead.comes_to(mechanics, block).map(|at| at.saturating_sub(now));
        }
        if ahead.over && block == position && came > ahead.ended {
            return None;
        }
        Some(if block == position { ahead.start.saturating_sub(now) } else { Time::ZERO })
    }

    /// When it comes to a block that it hasn't read yet, if nobody wants more of it than now: none that its limit or its
    /// scope keep it from.
    pub(super) fn comes_to(&self, mechanics: &Mechanics, block: u64) -> Option<Time> {
        if block < self.block || block >= self.limit {
            return None;
        }
        let mut ahead = self.clone();
        while !ahead.over {
            let run_end = ahead.block + ahead.run.blocks;
            if block < run_end {
                let sectors = (block - ahead.block) * u64::from(ahead.run.sectors) / ahead.run.blocks.max(1);
                return Some(ahead.start + mechanics.sector_time(ahead.run.place.zone, as_number(sectors)));
            }
            let end = ahead.run_end(mechanics);
            ahead.block = run_end;
            ahead.next_run(mechanics, end);
        }
        None
    }

    /// Where the head is, and when, once all before `end` has passed it; where it ends before, that.
    fn read_by(&self, mechanics: &Mechanics, end: u64) -> (Track, Time) {
        let mut ahead = self.clone();
        loop {
            if ahead.over {
                return (ahead.track, ahead.ended);
            }
            if end <= ahead.block + ahead.run.blocks {
                let sectors = (end.saturating_sub(ahead.block) * u64::from(ahead.run.sectors))
                    .div_ceil(ahead.run.blocks.max(1));
                return (
                    ahead.track,
                    ahead.start + mechanics.sector_time(ahead.run.place.zone, as_number(sectors)),
                );
            }
            let end_of_run = ahead.run_end(mechanics);
            ahead.block += ahead.run.blocks;
            ahead.next_run(mechanics, end_of_run);
        }
    }

    /// It goes on from a read that ends at `end`, and is one of several in order, or not.
    pub(super) fn goes_on_from(&mut self, end: u64, in_order: bool) {
        self.behind = (end, in_order);
    }

    /// One past the last block that it reads in any case, if that is so many behind a read, and so many behind one in order.
    pub(super) fn least(&self, (single, in_order): (u64, u64)) -> u64 {
        let (end, is_in_order) = self.behind;
        let blocks = if is_in_order { single.max(in_order) } else { single };
        (end + blocks).min(self.limit)
    }

    /// Whether it may come to blocks of these that it hasn't read.
    pub(super) fn may_read(&self, start: u64, end: u64) -> bool {
        start < self.limit && self.block < end
    }

    /// For how long the arm has worked for it up to `now`, to which it was advanced, since this was last asked.
    pub(super) fn worked(&mut self, now: Time) -> Time {
        let until = if self.over { self.ended.min(now) } else { now };
        let worked = until.saturating_sub(self.told);
        self.told = self.told.max(until);
        worked
    }

    /// Whether it has come to its end (as of the last advance).
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// The block that it reads, or would read next.
    pub(super) fn position(&self, mechanics: &Mechanics, now: Time) -> u64 {
        if self.over { self.block } else { self.block + self.blocks_at(mechanics, now) }
    }

    /// A command wants all up to `wanted`, and lets it go on to a further limit. It has been advanced to now.
    pub(super) fn extend(&mut self, mechanics: &Mechanics, wanted: u64, limit: u64) {
        self.wanted = self.wanted.max(wanted);
        if limit <= self.limit {
            return;
        }
        self.limit = limit;
        if !self.over {
            // The present run may have been cut by the old limit.
            self.run = mechanics.run(self.block, limit - self.block);
        }
    }

    /// Goes on where it ended, as if it had not, for a command that came before that and wants the next blocks up to
    /// `wanted`. Says whether it does.
    pub(super) fn resume(&mut self, mechanics: &Mechanics, came: Time, wanted: u64, limit: u64) -> bool {
        if self.over && came <= self.ended {
            self.wanted = self.wanted.max(wanted);
            self.limit = self.limit.max(limit);
            self.next_run(mechanics, self.ended);
        }
        !self.over
    }

    /// Stops it at `now`: the track where the head ends up, and when it is free. What is read in any case is read first, a
    /// movement of the arm is finished, and a sector that is being read unless the drive can stop within one.
    pub(super) fn stop(
        &mut self,
        mechanics: &Mechanics,
        now: Time,
        (within_sector, least): (bool, (u64, u64)),
    ) -> (Track, Time) {
        self.advance(mechanics, now);
        let least = self.least(least);
        if !self.over && self.position(mechanics, now) < least {
            return self.read_by(mechanics, least);
        }
        if self.over || now >= self.run_end(mechanics) {
            return (self.track, now);
        }
        if now < self.arrival {
            return (self.track, self.arrival);
        }
        if now <= self.start || within_sector {
            return (self.track, now);
        }
        let zone = self.run.place.zone;
        let sector = mechanics.sector_time(zone, 1).as_picos().max(1);
        let passed = now.saturating_sub(self.start).as_picos().div_ceil(sector);
        (self.track, self.start + mechanics.sector_time(zone, as_number(passed)))
    }

    /// Follows it until it has read up to `end`, handing each run's availability from block `from` on to a bus. Gives
    /// the time at which the last of these blocks is read. The limit must reach `end`.
    pub(super) fn follow(&mut self, mechanics: &Mechanics, from: u64, end: u64, bus: &mut Pipeline) -> Time {
        let mut from = from;
        loop {
            let zone = self.run.place.zone;
            let run_end = self.block + self.run.blocks;
            let last_wanted = run_end.min(end);
            if from < last_wanted && !self.over {
                let available = |index: u64| {
                    let sectors = (index * u64::from(self.run.sectors)).div_ceil(self.run.blocks.max(1));
                    self.start + mechanics.sector_time(zone, as_number(sectors))
                };
                let last = available(last_wanted - self.block);
                bus.run(last_wanted - from, available(from - self.block + 1), last);
                from = last_wanted;
                if from >= end {
                    return last;
                }
            }
            if self.over || from >= end {
                return self.start;
            }
            let end_of_run = self.run_end(mechanics);
            self.block = run_end;
            self.next_run(mechanics, end_of_run);
        }
    }
}
