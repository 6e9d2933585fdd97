//! One rank as a program of file operations: the acts of its program, gone through to the bottom.

use super::act::{Act, Detailed};
use super::all_acts::AnyActs;
use crate::program::{Board, FileProgram, ProgramError, Step, computing};
use petrio_colours::{Exchange, FileOp, Operation, Submission};
use petrio_persist::Persist;
use petrio_time::Time;
use std::sync::Arc;

/// One process of a parallel program.
#[derive(Persist)]
pub(super) struct Rank {
    template: FileOp,
    /// The number of the process that is rank 0.
    first_process: u32,
    /// What the ranks tell each other.
    #[persist(shared)]
    board: Arc<Board>,
    /// What it is in the middle of; the program itself lies at the bottom.
    within: Vec<AnyActs>,
}

impl Rank {
    pub(super) fn new(template: FileOp, first_process: u32, board: Arc<Board>, program: AnyActs) -> Self {
        Self { template, first_process, board, within: vec![program] }
    }

    /// A number that no other job says.
    fn own(&self, number: u32) -> u64 {
        u64::from(self.first_process) << 32 | u64::from(number)
    }

    /// An exchange by the numbers of processes.
    fn exchange(&self, mut exchange: Exchange) -> FileOp {
        let process = |rank: u32| self.first_process.saturating_add(rank);
        exchange.sends.iter_mut().for_each(|(rank, _)| *rank = process(*rank));
        exchange.receives.iter_mut().for_each(|rank| *rank = process(*rank));
        exchange.remote.iter_mut().for_each(|(rank, _)| *rank = process(*rank));
        FileOp { operation: Operation::Exchange, exchange: Some(Arc::new(exchange)), ..self.template.clone() }
    }
}

impl FileProgram for Rank {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        while let Some(innermost) = self.within.last_mut() {
            return Ok(match innermost.next(now)? {
                None => {
                    self.within.pop();
                    continue;
                }
                Some(Act::Within(acts)) => {
                    self.within.push(acts);
                    continue;
                }
                Some(Act::Measure(phase, word)) => {
                    self.board.measure(self.template.process, phase, word, now);
                    continue;
                }
                Some(Act::Compute(time)) => Step::Operation(computing(&self.template, time)),
                Some(Act::Think(time)) => Step::Think(time),
                Some(Act::Exchange(exchange)) => Step::Operation(self.exchange(exchange)),
                Some(Act::Post(exchange)) => {
                    let mut op = self.exchange(exchange);
                    op.flags.submission = Submission::Native;
                    Step::Submit { op, together: 1 }
                }
                Some(Act::AwaitRoom(full)) => {
                    Step::Reap { full, down_to: full.saturating_sub(1), most: u32::MAX }
                }
                Some(Act::AwaitAll) => Step::Reap { full: 1, down_to: 0, most: u32::MAX },
                Some(Act::Pause(time)) => Step::Pause(time),
                Some(Act::Signal(number)) => Step::Signal(self.own(number)),
                Some(Act::Await(number)) => Step::Await(self.own(number)),
                Some(Act::Detailed(Detailed { call, replaced, flags })) => Step::Operation(FileOp {
                    operation: call.operation,
                    file: call.file,
                    parent: call.parent,
                    replaced,
                    offset: call.offset,
                    length: call.length,
                    flags,
                    ..self.template.clone()
                }),
                Some(Act::Call(call)) => Step::Operation(FileOp {
                    operation: call.operation,
                    file: call.file,
                    parent: call.parent,
                    offset: call.offset,
                    length: call.length,
                    ..self.template.clone()
                }),
            });
        }
        Ok(Step::End)
    }
}
