//! The steps of a script that is ready to run.

use super::names::Entry;
use super::statement::{PhaseWord, Position};
use petrio_colours::{AccessFlags, Fallocate, Operation};
use petrio_time::Time;

/// One step; files by their numbers in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    Operation(Code),
    /// A write at the file's end.
    Append {
        file: u32,
        length: u64,
        flags: AccessFlags,
    },
    Think(Time),
    /// As long on average.
    ThinkAbout(Time),
    Barrier,
    Phase(PhaseWord),
    /// The steps up to `end` (exclusive) so many times.
    Repeat {
        count: u64,
        end: u32,
    },
}

/// An operation; files by their numbers in the script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) operation: Operation,
    /// Where a read stands in the script.
    pub(super) position: Position,
    pub(super) file: u32,
    pub(super) parent: u32,
    pub(super) replaced: Option<u32>,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) fallocate: Fallocate,
    pub(super) flags: AccessFlags,
}

/// A script ready to run: its steps, and its files by their numbers, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compiled {
    pub(super) instructions: Vec<Instruction>,
    pub(super) entries: Vec<Entry>,
}
