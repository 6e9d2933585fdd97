//! A program that has memory of its own and uses some of it before each operation: what has gone to swap space has to come back first.

use super::error::ProgramError;
use super::{FileProgram, Placement, Step};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_random::{Generator, uniform_below};
use petrio_time::Time;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use thiserror::Error;

/// Memory of each process of a workload, beside what files of it are in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct ProcessMemory {
    /// How much each process has, or all of them share: written once as it begins, given back as it ends.
    #[persist(keep)]
    pub size: Bytes,
    /// How much of it is used before each operation; left out, all of it is used once and no more.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    #[persist(keep)]
    pub uses: Bytes,
    /// In pieces of this size: of a page each is what pointers are followed through, more is what tables and buffers are.
    #[serde(default = "usual_piece")]
    #[persist(keep)]
    pub piece: Bytes,
    /// Which pieces.
    #[serde(default)]
    pub order: MemoryOrder,
    /// Whether the processes of the workload share it, as the buffers of a database; it then stays when they end.
    #[serde(default)]
    pub shared: bool,
}

/// Which pieces of its memory a process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryOrder {
    /// Each as likely as any other.
    #[default]
    Random,
    /// One behind the other, each use from where the one before ended, and from the beginning again.
    Sequential,
}

const PAGE: u64 = 4096;

fn nothing() -> Bytes {
    Bytes(0)
}

fn is_nothing(bytes: &Bytes) -> bool {
    bytes.get() == 0
}

fn usual_piece() -> Bytes {
    Bytes(64 << 10)
}

/// Memory that no process can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// None at all.
    #[error("a process without memory needs no description of it: size is 0")]
    None,
    /// A piece of nothing, or of more than there is.
    #[error("pieces of {piece} can't be used of a memory of {size}: from 4 KiB to all of it")]
    Piece {
        /// Its size.
        piece: Bytes,
        /// That of the memory.
        size: Bytes,
    },
}

impl ProcessMemory {
    /// Checks that a process can have it.
    ///
    /// # Errors
    /// Of no size, or pieces that it hasn't.
    pub fn validate(&self) -> Result<(), MemoryError> {
        let Self { size, piece, .. } = *self;
        match (size.get(), piece.get()) {
            (0, _) => Err(MemoryError::None),
            (_, wanted) if self.uses.get() > 0 && (wanted < PAGE || wanted > size.get()) => {
                Err(MemoryError::Piece { piece, size })
            }
            _ => Ok(()),
        }
    }

    /// What so many processes have together.
    pub fn of_processes(&self, processes: u64) -> u64 {
        self.size.get().saturating_mul(if self.shared { 1 } else { processes })
    }

    /// The programs of a workload, each with its memory, which lies where the first file system of their host does.
    pub fn of(self, placement: &Placement, programs: Vec<Box<dyn FileProgram>>) -> Vec<Box<dyn FileProgram>> {
        let with_memory = |(process, program): (usize, Box<dyn FileProgram>)| {
            let process = as_number(process);
            let own = if self.shared { 0 } else { process };
            let segment = FileId(placement.first_process.saturating_add(own).saturating_add(1));
            Box::new(WithMemory {
                program,
                memory: self,
                touch: FileOp {
                    operation: Operation::Touch,
                    file: segment,
                    file_system: 0,
                    ..placement.operation(process)
                },
                stream: placement.stream(process, "memory"),
                at: 0,
                has_begun: false,
                waiting: VecDeque::new(),
            }) as Box<dyn FileProgram>
        };
        programs.into_iter().enumerate().map(with_memory).collect()
    }
}

/// A program and its memory.
#[derive(Persist)]
struct WithMemory {
    program: Box<dyn FileProgram>,
    memory: ProcessMemory,
    /// What all uses of its memory have in common.
    touch: FileOp,
    stream: Generator,
    /// Where the next use begins in order.
    at: u64,
    has_begun: bool,
    /// What comes before the program is asked again.
    waiting: VecDeque<Step>,
}

impl WithMemory {
    fn uses(&self, offset: u64, length: u64) -> Step {
        Step::Operation(FileOp { offset, length, ..self.touch.clone() })
    }

    /// The next piece, of which no more than `left` is used: where that begins, and its length.
    fn piece(&mut self, left: u64) -> (u64, u64) {
        let ProcessMemory { size, piece, order, .. } = self.memory;
        let (size, piece) = (size.get(), piece.get());
        match order {
            MemoryOrder::Random => {
                let number = uniform_below(&mut self.stream, size.div_ceil(piece));
                let whole = piece.min(size - number * piece);
                // A part of a piece is any of its pages: were it always the first, the others would never be used again.
                let spare = whole.saturating_sub(left) / PAGE;
                let skipped = if spare > 0 { uniform_below(&mut self.stream, spare + 1) * PAGE } else { 0 };
                (number * piece + skipped, whole.min(left))
            }
            MemoryOrder::Sequential => {
                let whole = (piece - self.at % piece).min(size - self.at);
                let length = whole.min(left);
                let next = (self.at + length) % size;
                (std::mem::replace(&mut self.at, next), length)
            }
        }
    }

    /// What is used before an operation, which comes behind it.
    fn before(&mut self, step: Step) {
        if !std::mem::replace(&mut self.has_begun, true) {
            let all = self.uses(0, self.memory.size.get());
            self.waiting.push_back(all);
        }
        let mut left = self.memory.uses.get();
        while left > 0 {
            let (offset, length) = self.piece(left);
            let step = self.uses(offset, length);
            self.waiting.push_back(step);
            left -= length;
        }
        self.waiting.push_back(step);
    }
}

impl FileProgram for WithMemory {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        if let Some(step) = self.waiting.pop_front() {
            return Ok(step);
        }
        match self.program.next(now)? {
            step @ (Step::Operation(_) | Step::Submit { .. }) => self.before(step),
            Step::End if self.has_begun && !self.memory.shared => {
                self.has_begun = false;
                return Ok(self.uses(0, 0));
            }
            other => return Ok(other),
        }
        Ok(self.waiting.pop_front().unwrap_or(Step::End))
    }

    fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        self.program.completed(bytes, took, now);
    }

    fn measured(&self) -> Option<Time> {
        self.program.measured()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// So many reads, and the end.
    #[derive(Persist)]
    struct Reads(u32);

    impl FileProgram for Reads {
        fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
            let Some(left) = self.0.checked_sub(1) else { return Ok(Step::End) };
            self.0 = left;
            Ok(Step::Operation(FileOp { operation: Operation::Read, length: 512, ..FileOp::default() }))
        }
    }

    fn steps(memory: ProcessMemory, processes: u32, reads: u32) -> Vec<Vec<FileOp>> {
        let programs = (0..processes).map(|_| Box::new(Reads(reads)) as Box<dyn FileProgram>).collect();
        let all = |mut program: Box<dyn FileProgram>| {
            std::iter::from_fn(|| match program.next(Time::ZERO).unwrap() {
                Step::Operation(op) => Some(op),
                _ => None,
            })
            .collect()
        };
        memory.of(&Placement::new("w"), programs).into_iter().map(all).collect()
    }

    proptest! {
        #[test]
        fn all_of_it_is_written_first_so_much_is_used_before_each_operation_and_it_goes_at_the_end(
            size in 1u64..1 << 20, uses in 0u64..1 << 20, pages in 1u64..64, sequential: bool, shared: bool, reads in 1u32..9,
        ) {
            let piece = Bytes((pages * PAGE).min(size.max(PAGE)));
            let order = if sequential { MemoryOrder::Sequential } else { MemoryOrder::Random };
            let memory = ProcessMemory { size: Bytes(size), uses: Bytes(uses), piece, order, shared };
            prop_assume!(memory.validate().is_ok());
            for (process, steps) in steps(memory, 3, reads).into_iter().enumerate() {
                let segment = FileId(if shared { 1 } else { process as u32 + 1 });
                let (mut used, mut done) = (0, 0);
                prop_assert_eq!((steps[0].operation, steps[0].length), (Operation::Touch, size));
                let end = steps.len() - usize::from(!shared);
                for op in &steps[1..end] {
                    match op.operation {
                        Operation::Touch => {
                            prop_assert!(op.file == segment && op.length > 0 && op.end() <= size);
                            used += op.length;
                        }
                        _ => {
                            prop_assert_eq!(std::mem::take(&mut used), uses);
                            done += 1;
                        }
                    }
                }
                prop_assert_eq!(done, reads);
                if !shared {
                    prop_assert_eq!((steps[end].operation, steps[end].length), (Operation::Touch, 0));
                }
            }
        }
    }

    #[test]
    fn in_order_each_piece_is_used_as_often_as_any_other() {
        let memory = ProcessMemory {
            size: Bytes(10 * PAGE),
            uses: Bytes(2 * PAGE),
            piece: Bytes(PAGE),
            order: MemoryOrder::Sequential,
            shared: false,
        };
        let steps = steps(memory, 1, 10).remove(0);
        let mut times = [0; 10];
        steps[1..steps.len() - 1].iter().filter(|op| op.operation == Operation::Touch).for_each(|op| {
            times[(op.offset / PAGE) as usize] += 1;
        });
        assert_eq!(times, [2; 10]);
    }

    /// Uses that are no whole pieces leave nothing of the memory out.
    #[test]
    fn parts_of_pieces_are_any_of_their_pages() {
        for order in [MemoryOrder::Sequential, MemoryOrder::Random] {
            let (size, uses, piece) = (Bytes(32 * PAGE), Bytes(3 * PAGE), Bytes(8 * PAGE));
            let memory = ProcessMemory { size, uses, piece, order, shared: false };
            let steps = steps(memory, 1, 320).remove(0);
            let mut times = [0; 32];
            for op in steps[1..steps.len() - 1].iter().filter(|op| op.operation == Operation::Touch) {
                (op.offset / PAGE..op.end().div_ceil(PAGE)).for_each(|page| times[page as usize] += 1);
            }
            assert!(times.iter().all(|&times| times > 3), "{order:?}: {times:?}");
            assert!(order == MemoryOrder::Random || times == [30; 32], "{times:?}");
        }
    }

    #[test]
    fn memory_that_no_process_can_have_is_refused() {
        let memory = |size, uses, piece| ProcessMemory {
            size: Bytes(size),
            uses: Bytes(uses),
            piece: Bytes(piece),
            order: MemoryOrder::Random,
            shared: false,
        };
        assert_eq!(memory(0, 0, PAGE).validate(), Err(MemoryError::None));
        for piece in [0, 100, 2 * PAGE] {
            assert!(matches!(memory(PAGE, 1, piece).validate(), Err(MemoryError::Piece { .. })));
        }
        assert_eq!(memory(1, 0, 64 << 10).validate(), Ok(()));
    }
}
