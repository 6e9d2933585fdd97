//! What an array does about a rebuild in strides: when one begins, and what ends it.

use super::array::Array;
use super::outcome::Outcome;
use super::plan::Health;
use super::rebuild::Call;
use super::stride::{Ground, Resumed, Strides, moved};
use petrio_kernel::Time;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::borrow::Cow;

impl Array {
    /// Those of a member that begins to be filled.
    pub(super) fn strides(&self) -> Strides {
        let mut rebuild = self.rules.rebuild.clone();
        if !self.rules.alone {
            rebuild.sample = 0;
        }
        Strides::new(&rebuild, &Ground::at(0, &self.rules.planner.layout, self.used()))
    }

    /// Blocks of a member that are used.
    pub(super) fn used(&self) -> u64 {
        self.rules.planner.layout.used(self.rules.member_blocks)
    }

    /// A piece of a member is over, others having asked so long ago, or while it was under way (`came`): whether the rebuild goes on in
    /// a stride, once all other pieces are over.
    pub(super) fn goes_in_strides(
        &mut self,
        member: usize,
        (now, begun): (Time, Time),
        (others, came): (Option<Time>, bool),
        outcome: &mut Outcome,
    ) -> bool {
        // Between requests that follow each other closely, what members have read ahead, and where their arms are, differs from one piece to
        // the next: only after the half second in which others count as busy do pieces go evenly.
        let is_busy = others.is_some() || came || self.asked > 0;
        let disturbed = is_busy || self.jobs.iter().flatten().count() > 1;
        let used = self.used();
        let Some(job) = &mut self.jobs[member] else { return false };
        let done = job.done();
        let ground = Ground::at(done.1, &self.rules.planner.layout, used);
        job.strides.completed((now, begun), done.0, (others.is_some(), disturbed), &ground);
        if disturbed {
            job.strides.stays();
            return false;
        }
        if !job.strides.drains(now, done, &ground) {
            return false;
        }
        job.end_calls();
        job.is_at_work() || self.begin_stride(member, now, outcome)
    }

    /// Nothing is under way: the next stride of a member begins, if its pace is known.
    fn begin_stride(&mut self, member: usize, now: Time, outcome: &mut Outcome) -> bool {
        let used = self.used();
        let Some(job) = &mut self.jobs[member] else { return false };
        let (_, next) = job.done();
        let whole = |(other, health): (usize, &Health)| other == member || *health == Health::Whole;
        // Of what is lost in part, some pieces can't be rebuilt.
        let are_whole = self.members.0.iter().enumerate().all(whole);
        if !are_whole && moved(&self.rules.planner, member, (next, used), &self.members).is_err() {
            return false;
        }
        let ground = Ground::at(next, &self.rules.planner.layout, used);
        let Some(left) = job.strides.begin(now, next, &ground) else { return false };
        outcome.rebuild.push((Call::at_end((member, job.number, job.round), now), left));
        self.strides_under_way = true;
        true
    }

    /// The stride of a member has come to its end.
    pub(super) fn stride_is_over(&mut self, member: usize, now: Time, outcome: &mut Outcome) {
        let Some((at, resumed)) = self.end_stride(member, now, false) else { return };
        if at < self.used() && !self.begin_stride(member, now, outcome) {
            let mut calls = self.goes_on_by_pieces(member, (at, resumed.depth), now);
            // In the rhythm in which they were before it.
            if let Some(job) = &self.jobs[member] {
                for (number, (_, wait)) in calls.iter_mut().enumerate() {
                    *wait = (*wait).max(job.strides.later(number));
                }
            }
            outcome.rebuild.extend(calls);
        }
    }

    /// Somebody asks, or a member fails: what goes in strides goes on by pieces from where it is. Some of them were under way before,
    /// where that is whom they are in the way of (`draw`).
    pub(super) fn disturb(&mut self, now: Time, draw: Option<f64>, outcome: &mut Outcome) {
        if !std::mem::take(&mut self.strides_under_way) {
            return;
        }
        for member in 0..self.jobs.len() {
            let Some((at, Resumed { depth, ahead })) = self.end_stride(member, now, true) else { continue };
            if at >= self.used() {
                continue;
            }
            let mut calls = self.goes_on_by_pieces(member, (at, depth), now);
            if let Some(draw) = draw {
                // All of them were under way when somebody came.
                let seen = self.arrived.saturating_sub(1);
                calls.iter_mut().for_each(|(call, _)| call.seen = Some(seen));
                let ahead = (ahead as usize).min(calls.len());
                for (call, _) in calls.drain(..ahead) {
                    self.begin_piece(&call, now, draw, outcome);
                }
            }
            outcome.rebuild.extend(calls);
        }
    }

    fn goes_on_by_pieces(
        &mut self,
        member: usize,
        (at, depth): (u64, u64),
        now: Time,
    ) -> SmallVec<[(Call, Time); 8]> {
        let others = self.others(now);
        let Some(job) = &mut self.jobs[member] else { return SmallVec::new() };
        job.goes_on_at(at, as_number(depth));
        let first = Call::first((member, job.number, job.round), &self.rules.rebuild, (now, depth));
        first.map(|call| (call, call.waits(now, others).unwrap_or(Time::ZERO))).collect()
    }

    /// A stride ends where it is, and what it moved is counted: up to which block, and how it goes on.
    fn end_stride(&mut self, member: usize, now: Time, resumes: bool) -> Option<(u64, Resumed)> {
        let ((from, at), resumed) = self.jobs[member].as_mut()?.strides.end(now, resumes)?;
        self.strides_under_way = false;
        let sums = moved(&self.rules.planner, member, (from, at), &self.members).unwrap_or_default();
        self.tally.strode(self.seats.iter().copied().zip(sums));
        if let Some(job) = &mut self.jobs[member] {
            job.goes_on_at(at, 0);
        }
        self.members.0[member] = Health::Rebuilding(at);
        if at >= self.used() {
            self.filled(member, now);
        }
        Some((at, resumed))
    }

    /// The array as it is at an instant, if that is within a stride.
    pub fn at(&self, now: Time) -> Cow<'_, Self> {
        if !self.strides_under_way {
            return Cow::Borrowed(self);
        }
        let mut array = self.clone();
        for member in 0..array.jobs.len() {
            array.end_stride(member, now, false);
        }
        Cow::Owned(array)
    }

    /// Bytes that were read of and written to one of those that it lies on in strides, until now.
    pub fn strided(&self, port: usize) -> (u64, u64) {
        self.tally.strided.get(port).copied().unwrap_or_default()
    }
}
