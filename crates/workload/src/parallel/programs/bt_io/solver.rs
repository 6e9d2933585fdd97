//! A step of BT's solver: what its ranks tell each other, and how its computing lies between that.
//!
//! The faces of all blocks go to the six neighbours and the right-hand side is computed; then in each dimension a sweep goes
//! forwards and back over the blocks, one in each stage, and hands on what the next block needs. Source: NPB 3.3,
//! BT/copy_faces (40 B a cell of a face that isn't the cube's), x_solve, y_solve, z_solve (send_solve_info: 5·5 + 5 doubles a
//! cell of a face as wide as the widest block, N/q + 1; send_backsub_info: 5 doubles).

use super::grid::Grid;
use crate::parallel::act::{Act, Acts};
use crate::program::ProgramError;
use petrio_colours::Exchange;
use petrio_persist::Persist;
use petrio_time::Time;

const FORWARD_BYTES: u64 = (5 * 5 + 5) * 8;
const BACKWARD_BYTES: u64 = 5 * 8;

/// A step of one rank.
#[derive(Persist)]
pub(in crate::parallel) struct SolverStep {
    grid: Grid,
    rank: u32,
    /// Stages of a sweep; 1 where nothing is told.
    stages: u64,
    /// The computing of a stage, and what is left of the step for the right-hand side.
    stage_time: Time,
    first_time: Time,
    /// What comes next: the faces, the right-hand side, and then by turns a stage's computing and its message.
    at: u64,
}

impl SolverStep {
    /// `time` is the computing of the step; the stages and the right-hand side have the same part of it.
    pub(super) const fn new(grid: Grid, rank: u32, time: Time, messages: bool) -> Self {
        let stages = if messages { grid.side as u64 } else { 1 };
        let computed = 2 * 3 * stages;
        let stage_time = time.as_picos() / (computed + 1);
        let first_time = Time::from_picos(time.as_picos() - stage_time * computed);
        Self { grid, rank, stages, stage_time: Time::from_picos(stage_time), first_time, at: 0 }
    }

    /// The faces of all blocks that another block touches.
    fn faces(&self) -> Exchange {
        let mut exchange = Exchange::default();
        for dimension in 0..3 {
            let (next, last) = self.grid.neighbours(self.rank, dimension);
            let (mut to_next, mut to_last) = (0, 0);
            for block in self.grid.blocks(self.rank) {
                let face = block.bytes() / block.size[dimension];
                to_next += if block.at[dimension] + 1 < self.grid.side { face } else { 0 };
                to_last += if block.at[dimension] > 0 { face } else { 0 };
            }
            exchange.sends.extend([(next, to_next), (last, to_last)]);
            exchange.receives.extend([last, next]);
        }
        exchange
    }

    /// What is handed on between two stages of the `sweep`-th of six sweeps.
    fn hand_on(&self, sweep: u64) -> Exchange {
        let (next, last) = self.grid.neighbours(self.rank, (sweep / 2) as usize);
        let width = self.grid.length / u64::from(self.grid.side) + 1;
        let forwards = sweep.is_multiple_of(2);
        let (to, from, bytes) =
            if forwards { (next, last, FORWARD_BYTES) } else { (last, next, BACKWARD_BYTES) };
        Exchange { sends: vec![(to, width * width * bytes)], receives: vec![from], ..Exchange::default() }
    }
}

impl Acts for SolverStep {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        loop {
            let at = self.at;
            self.at += 1;
            let computing = |time: Time| (time > Time::ZERO).then_some(Act::Compute(time));
            let act = match at.checked_sub(2) {
                None if at == 0 => (self.stages > 1).then(|| Act::Exchange(self.faces())),
                None => computing(self.first_time),
                Some(index) if index >= 2 * 6 * self.stages => return Ok(None),
                Some(index) if index % 2 == 0 => computing(self.stage_time),
                Some(index) => {
                    let (sweep, stage) = (index / 2 / self.stages, index / 2 % self.stages);
                    // After its last stage a sweep has nothing to hand on.
                    (stage + 1 < self.stages).then(|| Act::Exchange(self.hand_on(sweep)))
                }
            };
            if act.is_some() {
                return Ok(act);
            }
        }
    }
}

/// Bytes of faces that a rank sends in a step, counted block by block.
#[cfg(test)]
pub(super) fn face_bytes(grid: Grid, rank: u32) -> u64 {
    let mut bytes = 0;
    for block in grid.blocks(rank) {
        for dimension in 0..3 {
            let area = block.size.iter().product::<u64>() / block.size[dimension];
            let inner = u64::from(block.at[dimension] > 0) + u64::from(block.at[dimension] + 1 < grid.side);
            bytes += area * inner * super::CELL_BYTES;
        }
    }
    bytes
}
