//! A rank's transfers of one phase, and the clock that may end them.
//!
//! ```text
//!  transfer ─▶ look at the clock ─┬─▶ transfer …                                  (-D: until the deadline)
//!                                 └─▶ agree on the most that any rank has done ─▶ transfers up to that  (wear-out)
//! ```
//!
//! Source: IOR 4.0, src/ior.c, WriteOrRead. With collective access the first rank says whether the time is over, so that all
//! leave together.

use super::order::Order;
use super::pass::Pass;
use super::program::IorPlan;
use crate::parallel::act::{Act, Acts, Call, Sequence};
use crate::parallel::collective::Collective;
use crate::parallel::io::{AnyShares, Segments};
use crate::parallel::member::{ERROR_BYTES, Member};
use crate::program::{PhaseName, ProgramError, Topic};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use std::sync::Arc;

/// What a rank accesses in a phase.
#[derive(Persist)]
pub(super) struct Phase {
    pub(super) pass: Pass,
    pub(super) repetition: u32,
    /// The first file of the program, under which ranks tell each other how far they are.
    pub(super) first: FileId,
    /// The file of this rank, and whose data it accesses there.
    pub(super) file: FileId,
    pub(super) place: u32,
    /// How many ranks further that is.
    pub(super) shift: u32,
    /// Which transfers of each segment, and in which order.
    pub(super) order: Order,
    /// As what it is measured.
    pub(super) measured: PhaseName,
}

impl Phase {
    /// The most transfers that a rank has done when its time was over.
    fn most(&self) -> Topic {
        let what = match self.pass {
            Pass::Write => "most transfers written",
            Pass::Check => "most transfers compared",
            Pass::Read => "most transfers read",
        };
        (self.first, what.into(), self.repetition.into())
    }

    /// Whether all stop after so many.
    fn stop(&self, after: u64) -> Topic {
        let what = match self.pass {
            Pass::Write => "stop writing",
            Pass::Check => "stop comparing",
            Pass::Read => "stop reading",
        };
        (self.first, what.into(), after)
    }

    /// How many a rank has written.
    fn written(&self, rank: u32) -> Topic {
        (self.first, "transfers written".into(), rank.into())
    }
}

/// Where a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum TransferState {
    Transfer,
    Look,
    /// The first rank has said whether the time is over.
    Told,
    TimeOver,
    /// Transfers up to what the rank with the most has done.
    WearOut,
    /// All is done and told.
    Over,
}

/// The transfers of a rank in a phase.
#[derive(Persist)]
pub(in crate::parallel) struct Accesses {
    #[persist(shared)]
    plan: Arc<IorPlan>,
    member: Member,
    phase: Phase,
    /// When the first one began.
    began: Option<Time>,
    done: u64,
    /// How many there are if no clock ends them.
    wanted: u64,
    stage: TransferState,
}

impl Accesses {
    pub(super) fn new(plan: Arc<IorPlan>, member: Member, phase: Phase) -> Self {
        let options = plan.options();
        let mut wanted = options.segments.saturating_mul(phase.order.count());
        if options.iterations > 0 {
            wanted = wanted.min(options.iterations);
        }
        // Under a clock no more is read than was written.
        if phase.pass.is_read()
            && let Some(written) = member.board.get(&phase.written(member.rank))
        {
            wanted = wanted.min(written);
        }
        Self { plan, member, phase, began: None, done: 0, wanted, stage: TransferState::Transfer }
    }

    fn transfer(&self) -> Act {
        let options = self.plan.options();
        let &Phase { pass, file, place, shift, .. } = &self.phase;
        let direction = pass.direction();
        // Who has fewer than others and goes on with them begins again.
        let count = self.phase.order.count().max(1);
        let (segment, at) = (self.done / count % options.segments, self.done % count);
        let within = self.phase.order.at(at) * options.transfer;
        if options.collective && !options.file_per_process {
            let all = Segments {
                start: self.plan.begin_of(segment, 0) + within,
                stride: options.block,
                length: options.transfer,
                ranks: self.member.ranks(),
                shift,
            };
            return self.member.access_together(direction, file, Arc::new(AnyShares::Segments(all)));
        }
        // What is drawn of a file that all share is numbered through all blocks.
        let place = if options.random { 0 } else { place };
        let offset = self.plan.begin_of(segment, place) + within;
        let access = Act::Call(Call::access(direction, file, offset, options.transfer));
        if options.fsync_per_write && !pass.is_read() {
            return Sequence::act([access, Act::Call(Call::of(Operation::Fsync, file))]);
        }
        access
    }

    fn is_late(&self, now: Time) -> bool {
        let deadline = Time::from_whole_seconds(self.plan.options().deadline_seconds.into());
        self.began.is_some_and(|began| now - began > deadline)
    }

    /// The phase is over.
    fn end(&self) {
        if self.plan.options().deadline_seconds > 0 && !self.phase.pass.is_read() {
            self.member.board.put(self.phase.written(self.member.rank), self.done);
        }
    }
}

impl Acts for Accesses {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let (timed, together, wear_out) = {
            let options = self.plan.options();
            (options.deadline_seconds > 0, options.collective, options.wear_out)
        };
        loop {
            match self.stage {
                TransferState::Transfer => {
                    self.began.get_or_insert(now);
                    if self.done == self.wanted {
                        self.stage = TransferState::TimeOver;
                        continue;
                    }
                    let act = self.transfer();
                    self.done += 1;
                    self.stage = if timed { TransferState::Look } else { TransferState::Transfer };
                    return Ok(Some(act));
                }
                TransferState::Look if together => {
                    if self.member.rank == 0 {
                        let is_late = self.is_late(now);
                        self.member.board.put(self.phase.stop(self.done), is_late.into());
                    }
                    self.stage = TransferState::Told;
                    return Ok(Some(
                        self.member.together(Collective::Broadcast { root: 0, bytes: ERROR_BYTES }),
                    ));
                }
                TransferState::Look => {
                    self.stage =
                        if self.is_late(now) { TransferState::TimeOver } else { TransferState::Transfer };
                }
                TransferState::Told => {
                    let stop = self.member.board.get(&self.phase.stop(self.done)) == Some(1);
                    self.stage = if stop { TransferState::TimeOver } else { TransferState::Transfer };
                }
                TransferState::TimeOver if timed && wear_out => {
                    self.stage = TransferState::WearOut;
                    // The least, and the least and the sum of bytes, for what the first rank prints.
                    return Ok(Some(self.member.agree_on_most(self.phase.most(), self.done, 3)));
                }
                TransferState::WearOut
                    if self.phase.order.count() > 0
                        && Some(self.done) < self.member.board.get(&self.phase.most()) =>
                {
                    let act = self.transfer();
                    self.done += 1;
                    return Ok(Some(act));
                }
                TransferState::TimeOver | TransferState::WearOut => {
                    self.end();
                    self.stage = TransferState::Over;
                    let bytes = self.done.saturating_mul(self.plan.options().transfer);
                    return Ok(Some(Act::did(self.phase.measured.clone(), bytes, self.done)));
                }
                TransferState::Over => return Ok(None),
            }
        }
    }
}
