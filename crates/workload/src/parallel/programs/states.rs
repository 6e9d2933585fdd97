//! What all ranks write of themselves, in files of their own or in one: where each access of each rank lies, and how it is made.
//!
//! ```text
//!  n-n           file of rank r:   │ r │              each rank has a file
//!  n-1           one file:         │ 0 │ 1 │ 2 │ …    each rank has a segment of it
//!  n-1-strided   one file:         │0│1│2│…│0│1│2│…   transfers of all ranks take turns
//! ```

use super::refuse;
use crate::parallel::act::{Act, Call, Direction};
use crate::parallel::io::{AnyShares, Segments};
use crate::parallel::member::{Member, Opening};
use crate::program::ProgramError;
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where the ranks' states lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
pub enum CheckpointLayout {
    /// In a file of each rank.
    #[default]
    #[serde(rename = "n-n")]
    Own,
    /// In one file, each rank's in one piece.
    #[serde(rename = "n-1")]
    Segmented,
    /// In one file, transfers of all ranks in turn.
    #[serde(rename = "n-1-strided")]
    Strided,
    /// In one file, written in the order of the ranks through a shared file pointer.
    #[serde(rename = "n-1-ordered")]
    Ordered,
}

/// The states of so many ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct States {
    pub(super) layout: CheckpointLayout,
    pub(super) ranks: u32,
    /// Bytes of each rank, and of one access.
    pub(super) state: u64,
    pub(super) transfer: u64,
    /// Whether accesses to one file are collective ones.
    pub(super) collective: bool,
}

impl States {
    /// Checks what of them is written under the names `state`, `transfer` and `collective`, the first of them by that name.
    ///
    /// # Errors
    /// States that nobody can write.
    pub(super) fn check(self, state: &'static str) -> Result<Self, ProgramError> {
        for (parameter, number) in [(state, self.state), ("transfer", self.transfer)] {
            if number == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        if !self.state.is_multiple_of(self.transfer) {
            let problem =
                format!("{} B is no part of {state}, which is {} B of each rank", self.transfer, self.state);
            return refuse("transfer", problem);
        }
        if u128::from(self.state) * u128::from(self.ranks) > i64::MAX as u128 {
            return refuse(state, "of all ranks together it is more than 8 EiB");
        }
        if self.collective && self.layout == CheckpointLayout::Own {
            return refuse("collective", "with `layout = \"n-n\"` each rank has a file of its own");
        }
        if self.collective && self.layout == CheckpointLayout::Ordered {
            return refuse("collective", "`layout = \"n-1-ordered\"` is a collective access of its own");
        }
        Ok(self)
    }

    pub(super) const fn is_shared(&self) -> bool {
        !matches!(self.layout, CheckpointLayout::Own)
    }

    /// Files that hold them.
    pub(super) const fn files(&self) -> u32 {
        if self.is_shared() { 1 } else { self.ranks }
    }

    /// What the one of a rank is called, of those that are called so.
    pub(super) fn name(&self, name: &str, rank: u32) -> String {
        if self.is_shared() { name.to_owned() } else { format!("{name}.{rank:06}") }
    }

    /// Bytes of each of these.
    pub(super) fn length(&self) -> u64 {
        if self.is_shared() { self.state * u64::from(self.ranks) } else { self.state }
    }

    /// Accesses of a rank.
    pub(super) const fn transfers(&self) -> u64 {
        self.state / self.transfer
    }

    /// Where an access of a rank lies, in its file.
    pub(super) fn offset(&self, rank: u32, number: u64) -> u64 {
        match self.layout {
            CheckpointLayout::Own => number * self.transfer,
            CheckpointLayout::Segmented => u64::from(rank) * self.state + number * self.transfer,
            // What is written in order comes transfer by transfer, too.
            CheckpointLayout::Strided | CheckpointLayout::Ordered => {
                (number * u64::from(self.ranks) + u64::from(rank)) * self.transfer
            }
        }
    }

    /// A rank's file opened by it, or by all ranks together.
    pub(super) fn open(&self, member: &Member, file: FileId, opening: Opening) -> Act {
        match (self.is_shared(), opening) {
            (true, _) => member.open_together(file, opening),
            (false, Opening::New) => Act::Call(Call::of(Operation::Create, file)),
            (false, Opening::Old) => Act::Call(Call::of(Operation::Open, file)),
        }
    }

    /// An access of a rank, at a place of its own.
    pub(super) fn access(&self, member: &Member, direction: Direction, file: FileId, number: u64) -> Act {
        if !self.collective {
            let offset = self.offset(member.rank, number);
            return Act::Call(Call::access(direction, file, offset, self.transfer));
        }
        let start = self.offset(0, number);
        let stride = if self.ranks > 1 { self.offset(1, number) - start } else { self.transfer };
        let all = Segments { start, stride, length: self.transfer, ranks: self.ranks, shift: 0 };
        member.access_together(direction, file, Arc::new(AnyShares::Segments(all)))
    }
}
