//! What an array does when members fail: who takes their place, and how he is filled.

use super::array::Array;
use super::gather::Pieces;
use super::outcome::{Outcome, Seat};
use super::plan::{Health, Part};
use super::rebuild::{Call, Job, LOOK, Piece, lost, margin};
use super::tally::Failed;
use super::whole::{Errand, PartState, Whole};
use petrio_colours::{BlockRequest, Direction, Purpose, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use smallvec::SmallVec;

impl Array {
    /// One of those that it lies on fails: the drive that is there, or the one whose life was drawn, if it is there still.
    pub(super) fn fail(&mut self, port: usize, drive: Option<u32>, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        if drive.is_none_or(|drive| drive == self.drives[port]) {
            self.member_failed((port, drive.is_none()), now, &mut outcome);
        }
        outcome
    }

    /// One of those that it lies on has failed; as it was said that it would, or because it is made of others that have.
    pub(super) fn member_failed(
        &mut self,
        (port, is_given): (usize, bool),
        now: Time,
        outcome: &mut Outcome,
    ) {
        self.disturb(now, None, outcome);
        let member = self.seats.iter().position(|&seat| seat == port);
        let member = member.filter(|&member| self.members.0[member] != Health::Gone);
        if member.is_none() && !self.spares.contains(&port) {
            // It has failed already.
            self.tally.in_vain += u64::from(is_given);
            return;
        }
        self.drives[port] += 1;
        self.spares.retain(|&spare| spare != port);
        if let Some((member, Health::Rebuilding(done))) =
            member.map(|member| (member, self.members.0[member]))
            && let Some(filled) = self.tally.latest(member)
        {
            filled.given_up = Some((now, done));
        }
        self.tally.failed.push(Failed {
            port,
            at: now,
            replaced: None,
            rebuilt: None,
            given_up: None,
            member,
        });
        let replaces = self.rules.replaces;
        let Some(member) = member else {
            outcome.replace = replaces.then_some(Seat::Spare(port));
            return;
        };
        self.members.0[member] = Health::Gone;
        self.jobs[member] = None;
        for whole in self.wholes.iter_mut() {
            let reads = |(part, stage): &(Part, PartState)| {
                part.direction == Direction::Read && matches!(stage, PartState::Sent(to, _) if *to == port)
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
            None => outcome.replace = replaces.then_some(Seat::Member(member)),
        }
        self.note(now);
    }

    /// Somebody puts a new drive in the place of one that failed.
    pub(super) fn replace(&mut self, seat: Seat, now: Time) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let port = match seat {
            Seat::Member(member) => self.seats[member],
            Seat::Spare(port) => port,
        };
        outcome.fresh = Some((port, self.drives[port]));
        match seat {
            Seat::Member(member) => self.fill(member, now, &mut outcome),
            Seat::Spare(port) => self.spares.push(port),
        }
        self.note(now);
        outcome
    }

    /// What has taken a member's place begins to be filled.
    fn fill(&mut self, member: usize, now: Time, outcome: &mut Outcome) {
        self.disturb(now, None, outcome);
        self.members.0[member] = Health::Rebuilding(0);
        self.fills += 1;
        self.jobs[member] = Some(Job::new(self.fills, &self.rules.rebuild, self.strides()));
        let port = self.seats[member];
        if let Some(failed) = self.tally.latest(member) {
            failed.replaced = Some((port, now));
        }
        let others = self.others(now);
        let depth = self.rules.rebuild.depth.max(1).into();
        let first = Call::first((member, self.fills, 0), &self.rules.rebuild, (now, depth));
        outcome.rebuild.extend(first.map(|call| (call, call.waits(now, others).unwrap_or(Time::ZERO))));
    }

    /// How long ago others have asked for something, if they wait for it or did so a moment ago.
    pub(super) fn others(&self, now: Time) -> Option<Time> {
        let since = self.arrived_at.map(|at| now.saturating_sub(at)).filter(|since| *since < LOOK);
        if self.asked > 0 { Some(Time::ZERO) } else { since }
    }

    /// The next piece of a member is rebuilt, if any is left, and if it is time for it.
    pub(super) fn go_on(&mut self, call: Call, now: Time, draw: f64) -> Box<Outcome> {
        let mut outcome = self.outcome();
        let member = call.member;
        let others = self.others(now);
        let of_now = |job: &&mut Job| (job.number, job.round) == (call.job, call.round);
        let Some(job) = self.jobs[member].as_mut().filter(of_now) else { return outcome };
        if job.strides.is_under_way() {
            self.stride_is_over(member, now, &mut outcome);
            return outcome;
        }
        if let Some(after) = call.waits(now, others) {
            outcome.rebuild.push((call, after));
            return outcome;
        }
        self.begin_piece(&call, now, draw, &mut outcome);
        outcome
    }

    /// The next piece of a member is rebuilt, if any is left.
    pub(super) fn begin_piece(&mut self, call: &Call, now: Time, draw: f64, outcome: &mut Outcome) {
        let (member, seen, blocks) = (call.member, call.seen.unwrap_or(self.arrived), self.used());
        let layout = &self.rules.planner.layout;
        let Some(job) = &mut self.jobs[member] else { return };
        let Some((from, to)) = job.begin(&self.rules.rebuild, blocks) else { return };
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
            gathered: Pieces::new(),
            parts: SmallVec::new(),
            parity: SmallVec::new(),
            left: 0,
            data_to_come: false,
            rebuilds: Some(Piece { member, job: call.job, blocks: (from, to), begun: now, seen }),
            again: false,
            stripes,
            others: 0,
            by_rows: false,
            is_behind: false,
            is_answered: false,
            is_noted: false,
            errand: Errand::Asked,
            status: Status::DoneFromCache,
        };
        self.enter(whole, draw, outcome);
    }

    /// A piece of a member is rebuilt, or could not be.
    pub(super) fn rebuilt(&mut self, piece: &Piece, (now, status): (Time, Status), outcome: &mut Outcome) {
        let member = piece.member;
        let (others, others_came) = (self.others(now), self.asked > 0 || self.arrived > piece.seen);
        let is_rebuilding = matches!(self.members.0[member], Health::Rebuilding(_));
        let Some(job) = self.jobs[member].as_mut().filter(|_| is_rebuilding) else { return };
        if status.failure().is_some() {
            // What it would be worked out of is lost: nobody can fill it any further. What is filled is good.
            self.jobs[member] = None;
            return;
        }
        let done = job.end(piece.blocks);
        if done >= self.used() {
            return self.filled(member, now);
        }
        self.members.0[member] = Health::Rebuilding(done);
        if self.goes_in_strides(member, (now, piece.begun), (others, others_came), outcome) {
            return;
        }
        let Some(job) = &mut self.jobs[member] else { return };
        let more = job.called(&self.rules.rebuild, others_came);
        let call = Call::after(piece, job.round, &self.rules.rebuild);
        let after = call.waits(now, others).unwrap_or(Time::ZERO);
        outcome.rebuild.extend((0..more).map(|_| (call, after)));
    }

    /// All of who has taken a member's place is filled.
    pub(super) fn filled(&mut self, member: usize, now: Time) {
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

    /// How much of who took a failed member's place is filled, or was when he failed himself: from 0 to 1; nothing where nobody
    /// took it, or all of him was.
    pub fn progress(&self, failed: &Failed) -> Option<f64> {
        let (port, _) = failed.replaced.filter(|_| failed.rebuilt.is_none())?;
        let blocks = self.rules.planner.layout.used(self.rules.member_blocks).max(1);
        let now = || {
            let member = self.seats.iter().position(|&seat| seat == port)?;
            match self.members.0[member] {
                Health::Rebuilding(done) => Some(done),
                Health::Whole | Health::Gone => None,
            }
        };
        let done = failed.given_up.map(|(_, done)| done).or_else(now)?;
        Some(done as f64 / blocks as f64)
    }
}
