//! What an array does when members fail: who takes their place, and how he is filled.

use super::array::{Array, Outcome, Stage, Whole};
use super::plan::{Health, Part};
use super::rebuild::{Job, lost, margin, pace};
use super::tally::Failed;
use petrio_colours::{BlockRequest, Direction, Purpose, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use smallvec::SmallVec;

impl Array {
    /// One of those that it lies on fails: the drive that is there, or the one whose life was drawn, if it is there still.
    pub(super) fn fail(&mut self, port: usize, drive: Option<u32>, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        if drive.is_none_or(|drive| drive == self.drives[port]) {
            self.member_failed(port, now, &mut outcome);
        }
        outcome
    }

    /// One of those that it lies on has failed.
    pub(super) fn member_failed(&mut self, port: usize, now: Time, outcome: &mut Outcome) {
        let member = self.seats.iter().position(|&seat| seat == port);
        let member = member.filter(|&member| self.members.0[member] != Health::Gone);
        if member.is_none() && !self.spares.contains(&port) {
            // It has failed already.
            return;
        }
        self.drives[port] += 1;
        self.spares.retain(|&spare| spare != port);
        self.tally.failed.push(Failed { port, at: now, replaced: None, rebuilt: None, member });
        let Some(member) = member else { return };
        self.members.0[member] = Health::Gone;
        self.jobs[member] = None;
        for whole in self.wholes.iter_mut() {
            let reads = |(part, stage): &(Part, Stage)| {
                part.direction == Direction::Read && matches!(stage, Stage::Sent(to, _) if *to == port)
            };
            whole.again |= whole.rebuilds.is_none() && whole.parts.iter().any(reads);
        }
        let lost = lost(&self.rules.planner.layout, &self.members, self.rules.member_blocks) * SECTOR_BYTES;
        if lost > self.tally.lost_bytes {
            self.tally.lost_bytes = lost;
            self.tally.lost_at.get_or_insert(now);
        }
        match self.spares.pop() {
            Some(spare) => {
                self.seats[member] = spare;
                self.fill(member, now, outcome);
            }
            None if self.rules.replaces => outcome.replace = Some(member),
            None => {}
        }
        self.note(now);
    }

    /// Somebody puts a new drive in the place of one that failed.
    pub(super) fn replace(&mut self, member: usize, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let port = self.seats[member];
        outcome.fresh = Some((port, self.drives[port]));
        self.fill(member, now, &mut outcome);
        self.note(now);
        outcome
    }

    /// What has taken a member's place begins to be filled.
    fn fill(&mut self, member: usize, now: Time, outcome: &mut Outcome) {
        self.members.0[member] = Health::Rebuilding(0);
        self.jobs[member] = Some(Job::new(&self.rules.rebuild));
        let port = self.seats[member];
        if let Some(failed) = self.tally.latest(member) {
            failed.replaced = Some((port, now));
        }
        outcome.rebuild.extend((0..self.rules.rebuild.depth).map(|_| (member, Time::ZERO)));
    }

    /// The next piece of a member is rebuilt, if any is left.
    pub(super) fn go_on(&mut self, member: usize, now: Time, draw: f64) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let layout = &self.rules.planner.layout;
        let blocks = layout.used(self.rules.member_blocks);
        let job = self.jobs[member].as_mut();
        let Some((from, to)) = job.and_then(|job| job.begin(&self.rules.rebuild, blocks)) else {
            return outcome;
        };
        let mut stripes: SmallVec<[u64; 4]> = SmallVec::new();
        if self.rules.locks {
            let units = (from / layout.unit()..=(to - 1) / layout.unit()).map(|row| row * layout.unit());
            stripes.extend(units.filter_map(|address| layout.at(member, address)).map(|(stripe, _)| stripe));
            stripes.sort_unstable();
            stripes.dedup();
        }
        let request = BlockRequest {
            direction: Direction::Write,
            purposes: Purpose::Rebuild.into(),
            issued: now,
            ..BlockRequest::default()
        };
        let whole = Whole {
            request,
            parts: SmallVec::new(),
            parity: SmallVec::new(),
            left: 0,
            data_to_come: false,
            rebuilds: Some((member, (from, to), now)),
            again: false,
            stripes,
            others: 0,
            status: Status::DoneFromCache,
        };
        self.enter(whole, draw, &mut outcome);
        outcome
    }

    /// A piece of a member is rebuilt, or could not be.
    pub(super) fn rebuilt(
        &mut self,
        member: usize,
        piece: (u64, u64),
        (begun, now, status): (Time, Time, Status),
        outcome: &mut Outcome,
    ) {
        let is_rebuilding = matches!(self.members.0[member], Health::Rebuilding(_));
        let Some(job) = self.jobs[member].as_mut().filter(|_| is_rebuilding) else { return };
        if status.failure().is_some() {
            // What it would be worked out of is lost: nobody can fill it any further. What is filled is good.
            self.jobs[member] = None;
            return;
        }
        let done = job.end(piece);
        let blocks = self.rules.planner.layout.used(self.rules.member_blocks);
        if done < blocks {
            self.members.0[member] = Health::Rebuilding(done);
            let is_busy = self.asked > 0 || std::mem::take(&mut self.was_asked);
            let due = begun + pace(&self.rules.rebuild, piece, is_busy);
            let more = job.called(&self.rules.rebuild, is_busy);
            outcome.rebuild.extend((0..more).map(|_| (member, due.saturating_sub(now))));
            return;
        }
        self.jobs[member] = None;
        self.members.0[member] = Health::Whole;
        if let Some(failed) = self.tally.latest(member) {
            failed.rebuilt = Some(now);
        }
        self.note(now);
    }

    /// How the members are is known to have changed.
    fn note(&mut self, now: Time) {
        let degraded = !self.members.are_whole();
        let exposed = degraded && margin(&self.rules.planner.layout, &self.members) == 0;
        self.tally.members_are(degraded, exposed, now);
    }

    /// How much of each member that is being rebuilt is: from 0 to 1.
    pub fn progress(&self, port: usize) -> Option<f64> {
        let member = self.seats.iter().position(|&seat| seat == port)?;
        let blocks = self.rules.planner.layout.used(self.rules.member_blocks).max(1);
        match self.members.0[member] {
            Health::Rebuilding(done) => Some(done as f64 / blocks as f64),
            Health::Whole | Health::Gone => None,
        }
    }
}
