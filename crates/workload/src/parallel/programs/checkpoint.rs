//! Checkpoint and restart: an application that computes, and now and then writes all that it would need to go on.
//!
//! ```text
//!  (read the last checkpoint) ─▶ compute ─ all wait ─ write, fsync, close ─ all wait ─▶ compute ─ …
//!
//!  n-1-ordered   one file:         │ 0 │ 1 │ 2 │ …    through a shared file pointer (MPI_File_write_ordered)
//! ```
//!
//! The other layouts are those of `states.rs`.
//!
//! Source: Bent and others, "PLFS: A Checkpoint Filesystem for Parallel Applications", SC 2009 (N-N, N-1 segmented and strided).
//! A checkpoint overwrites the one that was the last but `sets` before it, so that a whole one is always there.
//! Left out: failures; what is read at the start is a whole checkpoint.

use super::states::{CheckpointLayout, States};
use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::io::{Pointer, access_in_order};
use crate::parallel::member::{Member, Opening};
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Checkpoint and restart: ranks compute, and write their state at intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointParameters {
    /// Bytes that each rank writes in a checkpoint; a multiple of `transfer`.
    pub state: Bytes,
    /// Bytes of one access. Left out, the whole state by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Bytes>,
    /// How long each rank computes before each checkpoint.
    #[serde(default)]
    pub interval: Duration,
    /// Checkpoints.
    #[serde(default = "one")]
    pub checkpoints: u32,
    /// Where the ranks' states lie.
    #[serde(default)]
    pub layout: CheckpointLayout,
    /// Whether the accesses of all ranks to one file are collective ones of MPI-IO.
    #[serde(default)]
    pub collective: bool,
    /// Sets of files that checkpoints go to in turn. With the first one of each a file is made.
    #[serde(default = "two")]
    pub sets: u32,
    /// Whether each checkpoint is made durable (fsync by each rank) before the program goes on.
    #[serde(default = "yes")]
    pub fsync: bool,
    /// Whether the program begins by reading a checkpoint that is there.
    #[serde(default)]
    pub restart: bool,
}

const fn one() -> u32 {
    1
}

const fn two() -> u32 {
    2
}

const fn yes() -> bool {
    true
}

impl CheckpointParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        let what = if self.checkpoints == 1 {
            "a checkpoint".to_owned()
        } else {
            format!("{} checkpoints", self.checkpoints)
        };
        format!("{what} of {} a rank", self.state)
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<CheckpointPlan, ProgramError> {
        for (parameter, number) in [("checkpoints", self.checkpoints), ("sets", self.sets)] {
            if number == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        let states = States {
            layout: self.layout,
            ranks,
            state: self.state.get(),
            transfer: self.transfer.unwrap_or(self.state).get(),
            collective: self.collective,
        };
        Ok(CheckpointPlan { parameters: self.clone(), states: states.check("state")? })
    }
}

/// A checkpointing program for so many ranks.
pub(in crate::parallel) struct CheckpointPlan {
    parameters: CheckpointParameters,
    states: States,
}

impl CheckpointPlan {
    /// Sets that are written.
    fn sets(&self) -> u32 {
        self.parameters.sets.min(self.parameters.checkpoints)
    }

    /// The number of the shared file pointer's file, after all others.
    fn pointer(&self) -> Option<u32> {
        let states = (self.sets() + u32::from(self.parameters.restart)) * self.states.files();
        (self.parameters.layout == CheckpointLayout::Ordered).then_some(states)
    }
}

impl Planned for CheckpointPlan {
    fn files(&self) -> u64 {
        let sets = u64::from(self.sets()) + u64::from(self.parameters.restart);
        sets * u64::from(self.states.files()) + u64::from(self.pointer().is_some())
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let own = |set: &str, rank: u32| self.states.name(&format!("checkpoint.{set}"), rank);
        let mut number = 0;
        for set in 0..self.sets() {
            for rank in 0..self.states.files() {
                tell(ProgramFile::new(number, own(&set.to_string(), rank)))?;
                number += 1;
            }
        }
        if self.parameters.restart {
            let size = Some(self.states.length());
            for rank in 0..self.states.files() {
                tell(ProgramFile { size, ..ProgramFile::new(number, own("restart", rank)) })?;
                number += 1;
            }
        }
        match self.pointer() {
            Some(number) => tell(ProgramFile::new(number, ".checkpoint.shfp")),
            None => Ok(()),
        }
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let stage = if self.parameters.restart {
            CheckpointState::Open(Direction::Read)
        } else {
            CheckpointState::Compute
        };
        Ok(AnyActs::from(CheckpointRank {
            member: start.member.clone(),
            first: start.file(0),
            interval: start.computing(self.parameters.interval.time()),
            plan: self,
            written: 0,
            stage,
        }))
    }
}

#[derive(Clone, Copy, Debug, Persist)]
enum CheckpointState {
    Compute,
    Open(Direction),
    /// So many transfers are done.
    Access(Direction, u64),
    Close(Direction),
}

#[derive(Persist)]
pub(in crate::parallel) struct CheckpointRank {
    #[persist(shared)]
    plan: Arc<CheckpointPlan>,
    member: Member,
    first: FileId,
    interval: Time,
    /// Checkpoints that are written.
    written: u32,
    stage: CheckpointState,
}

impl CheckpointRank {
    fn file(&self, direction: Direction) -> FileId {
        let set = match direction {
            Direction::Read => self.plan.sets(),
            Direction::Write => self.written % self.plan.parameters.sets,
        };
        let own = if self.plan.states.is_shared() { 0 } else { self.member.rank };
        FileId(self.first.0 + set * self.plan.states.files() + own)
    }

    fn pointer(&self) -> Option<Pointer> {
        self.plan.pointer().map(|number| Pointer(FileId(self.first.0 + number)))
    }

    /// As what the writing of this checkpoint is measured, or the reading of the one that is there: from the first open to the
    /// last close.
    const fn measured(&self, direction: Direction) -> PhaseName {
        match direction {
            Direction::Read => PhaseName::of_bytes("restart", 0),
            Direction::Write => PhaseName::of_bytes("checkpoint", self.written),
        }
    }

    fn open(&self, direction: Direction) -> Act {
        let begin = Act::begin(self.measured(direction));
        let file = self.file(direction);
        let is_new = direction == Direction::Write && self.written < self.plan.parameters.sets;
        let opening = if is_new { Opening::New } else { Opening::Old };
        let open = self.plan.states.open(&self.member, file, opening);
        Sequence::act([self.member.barrier(), begin, open])
    }

    fn access(&self, direction: Direction, number: u64) -> Act {
        let (states, file) = (&self.plan.states, self.file(direction));
        if let Some(pointer) = self.pointer().filter(|_| direction == Direction::Write) {
            let place = (states.offset(self.member.rank, number), states.transfer);
            return access_in_order(&self.member, (pointer, number == 0), (direction, file), place);
        }
        states.access(&self.member, direction, file, number)
    }

    fn close(&self, direction: Direction) -> Act {
        let file = self.file(direction);
        let mut acts = Vec::with_capacity(8);
        if direction == Direction::Write {
            if self.plan.parameters.fsync {
                acts.push(Act::Call(Call::of(Operation::Fsync, file)));
            }
            acts.extend(self.pointer().into_iter().flat_map(|pointer| pointer.close(&self.member)));
        }
        acts.push(Act::Call(Call::of(Operation::Close, file)));
        let measured = self.measured(direction);
        acts.push(Act::did(measured.clone(), self.plan.parameters.state.get(), self.plan.states.transfers()));
        acts.push(Act::end(measured));
        acts.push(self.member.barrier());
        Sequence::act(acts)
    }
}

impl CheckpointRank {
    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let (act, stage) = match self.stage {
            CheckpointState::Compute if self.written == self.plan.parameters.checkpoints => return Ok(None),
            CheckpointState::Compute => {
                self.stage = CheckpointState::Open(Direction::Write);
                if self.interval > Time::ZERO {
                    return Ok(Some(Act::Compute(self.interval)));
                }
                return self.advance();
            }
            CheckpointState::Open(direction) => (self.open(direction), CheckpointState::Access(direction, 0)),
            CheckpointState::Access(direction, over) if over < self.plan.states.transfers() => {
                (self.access(direction, over), CheckpointState::Access(direction, over + 1))
            }
            CheckpointState::Access(direction, _) => {
                self.stage = CheckpointState::Close(direction);
                return self.advance();
            }
            CheckpointState::Close(direction) => {
                let act = self.close(direction);
                self.written += u32::from(direction == Direction::Write);
                (act, CheckpointState::Compute)
            }
        };
        self.stage = stage;
        Ok(Some(act))
    }
}

impl Acts for CheckpointRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::testing::{carry_out, pieces, planned, tile};
    use petrio_colours::{FileId, Operation};
    use petrio_time::Time;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_checkpoint_is_each_ranks_state_once(
            ranks in 1u32..7,
            transfers in 1u64..5,
            checkpoints in 1u32..6,
            sets in 1u32..4,
            layout in proptest::sample::select(vec!["n-n", "n-1", "n-1-strided", "n-1-ordered"]),
            restart in any::<bool>(),
            wants_collective in any::<bool>(),
        ) {
            let collective = wants_collective && matches!(layout, "n-1" | "n-1-strided");
            let program = format!(
                r#"{{ "kind": "checkpoint", "state": "{} B", "transfer": "1000 B", "checkpoints": {checkpoints},
                    "sets": {sets}, "layout": "{layout}", "restart": {restart}, "collective": {collective},
                    "interval": "10 s" }}"#,
                transfers * 1000,
            );
            let done = carry_out(&planned(&program, &vec![0; ranks as usize]));
            let files_of_set = if layout == "n-n" { ranks } else { 1 };
            let length = transfers * 1000 * u64::from(ranks / files_of_set);
            let sets = sets.min(checkpoints);
            let pointer = FileId(3 + (sets + u32::from(restart)) * files_of_set);
            for (file, written) in pieces(&done, Operation::Write) {
                if file == pointer {
                    let takes = u64::from(checkpoints * ranks) * transfers;
                    prop_assert_eq!(written.len() as u64, takes);
                    continue;
                }
                // A set is written again by every so many checkpoints.
                let set = (file.0 - 3) / files_of_set;
                let times = (0..checkpoints).filter(|checkpoint| checkpoint % sets == set).count();
                let once: Vec<_> = written.chunks(times).map(|same| same[0]).collect();
                prop_assert!(written.chunks(times).all(|same| same.iter().all(|piece| *piece == same[0])));
                prop_assert!(tile(&once, length));
            }
            let measured: Vec<_> =
                done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount.bytes)).collect();
            let all = transfers * 1000 * u64::from(ranks);
            let mut expected = vec![("checkpoint", all); checkpoints as usize];
            if restart {
                expected.insert(0, ("restart", all));
            }
            prop_assert_eq!(measured, expected);
            let read: u64 = pieces(&done, Operation::Read)
                .into_iter()
                .filter(|(file, _)| *file != pointer)
                .map(|(_, read)| read.iter().map(|piece| piece.1).sum::<u64>())
                .sum();
            prop_assert_eq!(read, if restart { transfers * 1000 * u64::from(ranks) } else { 0 });
            let computed = Time::from_whole_seconds(10 * u64::from(checkpoints));
            prop_assert!(done.computed.iter().all(|time| *time == computed));
        }
    }

    #[test]
    fn a_strided_checkpoint_written_together_comes_in_long_calls_of_one_rank_a_host() {
        let program = |collective| {
            format!(
                r#"{{ "kind": "checkpoint", "state": "8 MiB", "transfer": "1 MiB", "layout": "n-1-strided", "collective": {collective} }}"#
            )
        };
        let longest = |collective| {
            let done = carry_out(&planned(&program(collective), &[0, 0, 0, 0]));
            pieces(&done, Operation::Write).values().flatten().map(|piece| piece.1).max().unwrap()
        };
        // What the ranks write at a time follows each other, so that nobody writes for others.
        assert_eq!((longest(false), longest(true)), (1 << 20, 1 << 20));
    }
}
