//! What a rank of BT-IO does.

use super::CELL_BYTES;
use super::fortran::{Buffered, Kept};
use super::grid::{Grid, Rows};
use super::parameters::{BtIoParameters, BtSubtype};
use super::solver::SolverStep;
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::collective::Collective;
use crate::parallel::files::ProgramFile;
use crate::parallel::io::{AnyShares, Hints, View, ViewShares};
use crate::parallel::member::{ERROR_BYTES, Member, Opening, World};
use crate::parallel::programs::{Planned, Start};
use crate::program::{PhaseName, ProgramError, Timing};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use std::ops::Range;
use std::sync::Arc;

/// BT-IO for so many ranks.
pub(in crate::parallel) struct BtPlan {
    parameters: BtIoParameters,
    grid: Grid,
    /// What each rank sees of the file, of `full`.
    views: Arc<[View]>,
}

impl BtPlan {
    pub(super) fn new(parameters: BtIoParameters, grid: Grid) -> Result<Self, ProgramError> {
        let seen = if parameters.subtype == BtSubtype::Full { grid.side * grid.side } else { 0 };
        let views = (0..seen).map(|rank| grid.view(rank)).collect::<Result<_, _>>()?;
        Ok(Self { parameters, grid, views })
    }

    const fn is_shared(&self) -> bool {
        !matches!(self.parameters.subtype, BtSubtype::Epio)
    }
}

impl Planned for BtPlan {
    fn files(&self) -> u64 {
        if self.is_shared() { 1 } else { u64::from(self.grid.side).pow(2) }
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        // The names are NPB's: btio.full.out, btio.epio.out.0003.
        match self.parameters.subtype {
            BtSubtype::Full => tell(ProgramFile::new(0, "btio.full.out")),
            BtSubtype::Simple => tell(ProgramFile::new(0, "btio.simple.out")),
            BtSubtype::Fortran => tell(ProgramFile::new(0, "btio.fortran.out")),
            BtSubtype::Epio => (0..self.grid.side * self.grid.side)
                .try_for_each(|rank| tell(ProgramFile::new(rank, format!("btio.epio.out.{rank:04}")))),
        }
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let member = start.member.clone();
        let rank = member.rank;
        let step_time = Time::from_seconds(self.parameters.step_seconds(member.ranks()));
        // Hints go with the file that is written; the one that is read back is opened without, on the same aggregators.
        let world = World {
            ranks: member.ranks(),
            aggregators: member.world.aggregators.clone(),
            hints: Hints::default(),
            mounted: member.world.mounted,
        };
        Ok(AnyActs::from(BtRank {
            file: start.file(if self.is_shared() { 0 } else { rank }),
            step_time: start.computing(step_time),
            reader: Member { world: Arc::new(world), ..member.clone() },
            written: 0,
            kept: Kept::default(),
            stage: BtIoState::Open,
            views: Arc::clone(&self.views),
            plan: self,
            member,
        }))
    }
}

/// Where a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum BtIoState {
    Open,
    /// So many steps are over.
    Step(u32),
    /// So many steps are over; a dump may be due.
    Dump(u32),
    Close,
    Reopen,
    /// So many dumps have been read.
    Read(u64),
    /// So many have been read and the errors of the last are to be summed.
    Errors(u64),
    CloseAgain,
    Check,
    Over,
}

#[derive(Persist)]
pub(in crate::parallel) struct BtRank {
    /// As the plan has them, by which a dump under way finds them again.
    #[persist(shared)]
    views: Arc<[View]>,
    #[persist(shared)]
    plan: Arc<BtPlan>,
    member: Member,
    /// The same, with the hints that reading back has.
    reader: Member,
    file: FileId,
    step_time: Time,
    /// Dumps written.
    written: u64,
    /// What lies in Fortran's buffer.
    kept: Kept,
    stage: BtIoState,
}

impl BtRank {
    fn call(&self, operation: Operation) -> Act {
        Act::Call(Call::of(operation, self.file))
    }

    fn open(&self, opening: Opening) -> Act {
        let made = if opening == Opening::New { Operation::Create } else { Operation::Open };
        match self.plan.parameters.subtype {
            BtSubtype::Full | BtSubtype::Simple => {
                Sequence::act([self.member.barrier(), self.member.open_together(self.file, opening)])
            }
            BtSubtype::Epio => Sequence::act([self.member.barrier(), self.call(made)]),
            // The length of a record comes from the root, which is the first to open the file.
            BtSubtype::Fortran => {
                let told = self.member.together(Collective::Broadcast { root: 0, bytes: ERROR_BYTES });
                if self.member.rank == 0 {
                    Sequence::act([self.call(made), told])
                } else {
                    Sequence::act([told, self.call(Operation::Open)])
                }
            }
        }
    }

    /// As what opening, dumps and closing in one direction are measured: as long as the rank that was longest at it, without
    /// what is computed between them (NPB 3.4, BT/bt.f90: timer 2, the most of all ranks).
    fn measured(direction: Direction) -> PhaseName {
        let name = match direction {
            Direction::Write => "write",
            Direction::Read => "read back",
        };
        PhaseName { timing: Timing::Inside, ..PhaseName::of_bytes(name, 0) }
    }

    /// An act as a part of what is measured, after which so many dumps more are done.
    fn within(&self, direction: Direction, act: Act, dumps: u64) -> Act {
        let phase = Self::measured(direction);
        let bytes = dumps * self.plan.grid.rank_bytes(self.member.rank);
        Sequence::act([
            Act::begin(phase.clone()),
            act,
            Act::did(phase.clone(), bytes, dumps),
            Act::end(phase),
        ])
    }

    /// Closing, with what is still in Fortran's buffer.
    fn close(&self) -> Act {
        let left = self.kept.flush(self.file);
        Sequence::act(left.into_iter().chain([self.call(Operation::Close)]))
    }

    /// Closing after reading: what is in the buffer is the file's.
    fn close_read(&self) -> Act {
        let _ = self.kept.flush(self.file);
        self.call(Operation::Close)
    }

    /// A dump, written or read.
    fn dump(&self, direction: Direction, number: u64) -> Act {
        let (grid, rank) = (self.plan.grid, self.member.rank);
        let base = number * grid.dump_bytes();
        let buffer = self.plan.parameters.fortran_buffer.get();
        match self.plan.parameters.subtype {
            BtSubtype::Full => {
                let shares = Arc::new(AnyShares::View(ViewShares {
                    views: Arc::clone(&self.views),
                    times: number,
                    covered: Some(0..grid.dump_bytes()),
                }));
                let member = if direction == Direction::Read { &self.reader } else { &self.member };
                member.access_together(direction, self.file, shares)
            }
            BtSubtype::Simple => {
                Act::within(RowCalls { direction, file: self.file, rows: Rows::new(grid, rank, base) })
            }
            BtSubtype::Fortran => {
                let rows = Rows::new(grid, rank, base);
                Act::within(Buffered::new(
                    direction,
                    self.file,
                    (buffer, CELL_BYTES),
                    rows,
                    self.kept.clone(),
                ))
            }
            BtSubtype::Epio => {
                let bytes = grid.rank_bytes(rank) + u64::from(grid.side) * MARKER_BYTES;
                let records = BlockRecords { grid, rank, block: 0, start: number * bytes };
                // A record is longer than the buffer, and cut at any byte of it.
                Act::within(Buffered::new(direction, self.file, (buffer, 1), records, self.kept.clone()))
            }
        }
    }

    fn step(&self) -> Act {
        let Self { plan, member, step_time, .. } = self;
        Act::within(SolverStep::new(plan.grid, member.rank, *step_time, plan.parameters.messages))
    }

    fn is_due(&self, steps: u32) -> bool {
        let parameters = &self.plan.parameters;
        steps.is_multiple_of(parameters.write_interval) || steps == parameters.steps()
    }
}

/// A dump's records of a rank with a file of its own, a block each: bytes of the file.
#[derive(Persist)]
pub(in crate::parallel) struct BlockRecords {
    grid: Grid,
    rank: u32,
    block: u32,
    /// Where the next one begins.
    start: u64,
}

impl Iterator for BlockRecords {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let block = (self.block < self.grid.side).then(|| self.grid.block(self.rank, self.block))?;
        let record = self.start..self.start + block.bytes() + MARKER_BYTES;
        (self.block, self.start) = (self.block + 1, record.end);
        Some(record)
    }
}

/// The lengths before and after a record of Fortran's sequential access (gfortran: 4 B each).
const MARKER_BYTES: u64 = 8;
/// Five doubles: the errors that are summed.
const ERRORS_BYTES: u64 = 40;

impl Acts for BtRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let steps = self.plan.parameters.steps();
        let (act, stage) = match self.stage {
            BtIoState::Open => {
                (self.within(Direction::Write, self.open(Opening::New), 0), BtIoState::Step(0))
            }
            BtIoState::Step(over) if over < steps => (self.step(), BtIoState::Dump(over + 1)),
            BtIoState::Step(_) => return self.skip(BtIoState::Close, now),
            BtIoState::Dump(over) if self.is_due(over) => {
                self.written += 1;
                let dump = self.dump(Direction::Write, self.written - 1);
                (self.within(Direction::Write, dump, 1), BtIoState::Step(over))
            }
            BtIoState::Dump(over) => return self.skip(BtIoState::Step(over), now),
            BtIoState::Close => {
                let after = if self.plan.parameters.read_back { BtIoState::Reopen } else { BtIoState::Over };
                (self.within(Direction::Write, self.close(), 0), after)
            }
            BtIoState::Reopen => {
                (self.within(Direction::Read, self.open(Opening::Old), 0), BtIoState::Read(0))
            }
            BtIoState::Read(over) if over < self.plan.parameters.dumps() => {
                let dump = self.dump(Direction::Read, over);
                (self.within(Direction::Read, dump, 1), BtIoState::Errors(over + 1))
            }
            BtIoState::Read(_) => (self.within(Direction::Read, self.close_read(), 0), BtIoState::CloseAgain),
            BtIoState::Errors(over) => (self.sum(), BtIoState::Read(over)),
            // The errors of the solution and of its right-hand side, each summed over all.
            BtIoState::CloseAgain => (self.sum(), BtIoState::Check),
            BtIoState::Check => (self.sum(), BtIoState::Over),
            BtIoState::Over => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}

impl BtRank {
    fn skip(&mut self, stage: BtIoState, now: Time) -> Result<Option<Act>, ProgramError> {
        self.stage = stage;
        self.next(now)
    }

    fn sum(&self) -> Act {
        self.member.together(Collective::AllReduce { bytes: ERRORS_BYTES })
    }
}

/// Rows of blocks by a call each.
#[derive(Persist)]
pub(in crate::parallel) struct RowCalls {
    direction: Direction,
    file: FileId,
    rows: Rows,
}

impl Acts for RowCalls {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        Ok(Some(Act::Call(Call::access(self.direction, self.file, row.start, row.end - row.start))))
    }
}
