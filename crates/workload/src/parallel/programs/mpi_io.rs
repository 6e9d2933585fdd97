//! Accesses of one's own to a file that all ranks share: through views, alone or together, or in the order of the ranks.
//!
//! ```text
//!  view of rank r: from `displacement` + r · `rank_displacement` on, the datatype over and over again
//!  an access: the datatype once; the next one goes on behind it
//! ```
//!
//! Left out: etypes of more than a byte, views that change, and access to a part of a datatype.

use super::datatypes::{DatatypeParameters, built};
use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::io::{AnyShares, Pointer, Runs, Unordered, View, ViewShares, access_in_order};
use crate::parallel::member::{Member, Opening};
use crate::program::{PhaseName, ProgramError, Timing};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Accesses of all ranks to one file by MPI-IO, each through a view of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MpiIoParameters {
    /// What a rank sees of the file (the filetype of MPI_File_set_view): types, each made of the one before, such as
    /// `[{ bytes = "8 B" }, { vector = { count = 100, block = 1, stride = 4 } }]`.
    pub view: Vec<DatatypeParameters>,
    /// Where the first rank's view begins.
    #[serde(default)]
    pub displacement: Bytes,
    /// How much later each further rank's view begins.
    #[serde(default)]
    pub rank_displacement: Bytes,
    /// What is done. A file that is only read is there, as long as the ranks' accesses reach.
    #[serde(default)]
    pub operation: MpiIoOperation,
    /// Accesses of each rank, each of all that its view shows once.
    #[serde(default = "one")]
    pub accesses: u64,
    /// How long a rank computes before each access.
    #[serde(default)]
    pub compute_time: Duration,
    /// Alone, together, or in order.
    #[serde(default)]
    pub access: MpiIoAccess,
}

const fn one() -> u64 {
    1
}

/// What is done to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MpiIoOperation {
    /// A new file is written.
    #[default]
    Write,
    /// A file that is there is read.
    Read,
    /// A new file is written, and then, opened anew, read back.
    WriteThenRead,
}

/// How ranks access the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MpiIoAccess {
    /// Each for itself (MPI_File_write_at).
    #[default]
    Independent,
    /// All together (MPI_File_write_at_all).
    Collective,
    /// In the ranks' order, through a shared file pointer (MPI_File_write_ordered, MPI_File_read_ordered): each as many bytes
    /// as its view shows, one after the other.
    Ordered,
    /// Through a shared file pointer in the order in which they come (MPI_File_write_shared, MPI_File_read_shared): each as many
    /// bytes as its view shows, behind whatever was accessed last.
    Shared,
}

impl MpiIoParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        let how = match self.access {
            MpiIoAccess::Independent => "independent",
            MpiIoAccess::Collective => "collective",
            MpiIoAccess::Ordered => "ordered",
            MpiIoAccess::Shared => "shared",
        };
        format!("{how} MPI-IO through views")
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<MpiIoPlan, ProgramError> {
        if self.accesses == 0 {
            return refuse("accesses", "it is zero");
        }
        let mut views = Vec::new();
        let mut end = 0u64;
        for rank in 0..ranks {
            let datatype = built(&self.view, rank, ranks)?;
            let begins = self.rank_displacement.get().checked_mul(rank.into());
            let begins = begins.and_then(|at| at.checked_add(self.displacement.get()));
            let reaches = datatype.extent().checked_mul(self.accesses);
            let reaches = begins.zip(reaches).and_then(|(begins, reaches)| begins.checked_add(reaches));
            let Some((begins, reaches)) = begins.zip(reaches).filter(|(_, end)| *end <= i64::MAX as u64)
            else {
                return refuse("accesses", "the file becomes longer than 8 EiB");
            };
            end = end.max(reaches);
            views.push(View::new(begins, datatype));
        }
        let plan = MpiIoPlan { parameters: self.clone(), ranks, views: views.into(), end };
        // What goes by one pointer has no gaps.
        if !plan.has_pointer() {
            return Ok(plan);
        }
        let sizes = plan.views.iter().map(|view| u128::from(view.datatype().size())).sum::<u128>();
        match u64::try_from(sizes * u128::from(self.accesses)) {
            Ok(end) if end <= i64::MAX as u64 => Ok(MpiIoPlan { end, ..plan }),
            _ => refuse("accesses", "the file becomes longer than 8 EiB"),
        }
    }
}

/// Accesses of so many ranks.
pub(in crate::parallel) struct MpiIoPlan {
    parameters: MpiIoParameters,
    ranks: u32,
    views: Arc<[View]>,
    /// One past the last byte that anybody may see.
    end: u64,
}

impl MpiIoPlan {
    /// Whether ranks go by one pointer.
    const fn has_pointer(&self) -> bool {
        matches!(self.parameters.access, MpiIoAccess::Ordered | MpiIoAccess::Shared)
    }

    /// Where a rank's part of an ordered access lies.
    fn place(&self, rank: u32, number: u64) -> (u64, u64) {
        let bytes = |rank: u32| self.views[rank as usize].datatype().size();
        let all: u64 = (0..self.ranks).map(bytes).sum();
        (number * all + (0..rank).map(bytes).sum::<u64>(), bytes(rank))
    }
}

impl Planned for MpiIoPlan {
    fn files(&self) -> u64 {
        1 + u64::from(self.has_pointer())
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let there = self.parameters.operation == MpiIoOperation::Read;
        tell(ProgramFile { size: there.then_some(self.end), ..ProgramFile::new(0, "data") })?;
        if self.has_pointer() {
            tell(ProgramFile::new(1, ".data.shfp"))?;
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let direction = match self.parameters.operation {
            MpiIoOperation::Read => Direction::Read,
            MpiIoOperation::Write | MpiIoOperation::WriteThenRead => Direction::Write,
        };
        Ok(AnyActs::from(MpiIoRank {
            member: start.member.clone(),
            file: start.file(0),
            pointer: self.has_pointer().then(|| Pointer(start.file(1))),
            compute: start.computing(self.parameters.compute_time.time()),
            views: Arc::clone(&self.views),
            plan: self,
            direction,
            stage: MpiIoState::Open,
        }))
    }
}

#[derive(Clone, Copy, Debug, Persist)]
enum MpiIoState {
    Open,
    /// So many accesses are done.
    Compute(u64),
    Access(u64),
    Closed,
}

#[derive(Persist)]
pub(in crate::parallel) struct MpiIoRank {
    /// As the plan has them, by which an access under way finds them again.
    #[persist(shared)]
    views: Arc<[View]>,
    #[persist(shared)]
    plan: Arc<MpiIoPlan>,
    member: Member,
    file: FileId,
    pointer: Option<Pointer>,
    compute: Time,
    direction: Direction,
    stage: MpiIoState,
}

impl MpiIoRank {
    /// An act within what is measured, after which so many accesses more are done: the rank with the most is told, without what
    /// it computes between them.
    fn within(&self, act: Act, accesses: u64) -> Act {
        let name = if self.direction == Direction::Read { "read" } else { "write" };
        let phase = PhaseName { timing: Timing::Inside, ..PhaseName::of_bytes(name, 0) };
        let bytes = accesses * self.plan.place(self.member.rank, 0).1;
        Sequence::act([
            Act::begin(phase.clone()),
            act,
            Act::did(phase.clone(), bytes, accesses),
            Act::end(phase),
        ])
    }

    fn access(&self, number: u64) -> Act {
        let rank = self.member.rank;
        if let Some(pointer) = self.pointer {
            let pointer = (pointer, number == 0);
            if self.plan.parameters.access == MpiIoAccess::Shared {
                let bytes = self.plan.place(rank, number).1;
                let access = (self.direction, self.file);
                return Act::within(Unordered::new(&self.member, pointer, access, bytes));
            }
            let access = (self.direction, self.file);
            return access_in_order(&self.member, pointer, access, self.plan.place(rank, number));
        }
        let views = Arc::clone(&self.views);
        let shares = Arc::new(AnyShares::View(ViewShares { views, times: number, covered: None }));
        if self.plan.parameters.access == MpiIoAccess::Collective {
            return self.member.access_together(self.direction, self.file, shares);
        }
        self.member.alone(self.direction, self.file, Runs::of(shares, rank))
    }
}

impl MpiIoRank {
    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let (act, stage) = match self.stage {
            MpiIoState::Open => {
                let opening = match (self.direction, self.plan.parameters.operation) {
                    (Direction::Write, _) => Opening::New,
                    (Direction::Read, _) => Opening::Old,
                };
                let open = self.member.open_together(self.file, opening);
                (self.within(open, 0), MpiIoState::Compute(0))
            }
            MpiIoState::Compute(over) if over == self.plan.parameters.accesses => {
                let close = Act::Call(Call::of(Operation::Close, self.file));
                let pointer = self.pointer.map(|pointer| pointer.close(&self.member)).into_iter().flatten();
                let close = self.within(Sequence::act(pointer.chain([close])), 0);
                // What is read back has been written by all.
                (Sequence::act([close, self.member.barrier()]), MpiIoState::Closed)
            }
            MpiIoState::Compute(over) => {
                self.stage = MpiIoState::Access(over);
                if self.compute > Time::ZERO {
                    return Ok(Some(Act::Compute(self.compute)));
                }
                return self.advance();
            }
            MpiIoState::Access(over) => (self.within(self.access(over), 1), MpiIoState::Compute(over + 1)),
            MpiIoState::Closed => {
                let again = self.plan.parameters.operation == MpiIoOperation::WriteThenRead;
                if !again || self.direction == Direction::Read {
                    return Ok(None);
                }
                (self.direction, self.stage) = (Direction::Read, MpiIoState::Open);
                return self.advance();
            }
        };
        self.stage = stage;
        Ok(Some(act))
    }
}

impl Acts for MpiIoRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::testing::{carry_out, carry_out_by_turns, pieces, planned, planned_with, tile};
    use petrio_colours::{FileId, Operation};
    use petrio_time::Time;
    use proptest::prelude::*;

    fn program(view: &str, rest: &str) -> String {
        format!(r#"{{ "kind": "mpi-io", "view": {view}{rest} }}"#)
    }

    proptest! {
        #[test]
        fn an_array_spread_over_the_ranks_is_written_and_read_whole(
            across in 1u64..4,
            down in 1u64..4,
            columns in 3u64..20,
            rows in 3u64..20,
            accesses in 1u64..4,
            together in any::<bool>(),
            sieves in any::<bool>(),
        ) {
            prop_assume!((across - 1) * columns.div_ceil(across) < columns);
            prop_assume!((down - 1) * rows.div_ceil(down) < rows);
            let view = format!(
                r#"[{{ "bytes": "8 B" }}, {{ "distributed": {{ "sizes": [{columns}, {rows}], "ranks": [{across}, {down}] }} }}]"#
            );
            let access = if together { "collective" } else { "independent" };
            let rest = format!(r#", "accesses": {accesses}, "operation": "write-then-read", "access": "{access}""#);
            let hints = if sieves {
                r#"{ "cb_buffer_size": "200 B", "ind_wr_buffer_size": "100 B" }"#
            } else {
                r#"{ "romio_ds_write": "disable", "romio_ds_read": "disable" }"#
            };
            let hosts: Vec<u32> = (0..across * down).map(|rank| (rank % 2) as u32).collect();
            let done = carry_out(&planned_with(&program(&view, &rest), hints, &hosts));
            let length = columns * rows * 8 * accesses;
            let measured: Vec<_> =
                done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount.bytes)).collect();
            prop_assert_eq!(measured, [("write", length), ("read", length)]);
            for operation in [Operation::Write, Operation::Read] {
                let pieces = pieces(&done, operation);
                let pieces = &pieces[&FileId(3)];
                let covered = pieces.iter().fold(0, |end, &(offset, length)| {
                    if offset <= end { end.max(offset + length) } else { end }
                });
                prop_assert_eq!(covered, length);
                // Without a sieve, and together, nothing is accessed that isn't meant.
                prop_assert!(tile(pieces, length) || !together && sieves, "{:?} {:?}", operation, pieces);
            }
        }
    }

    #[test]
    fn ordered_accesses_follow_each_other_rank_by_rank() {
        let view = r#"[{ "bytes": "1 B" }, { "distributed": { "sizes": [10], "ranks": [4] } }]"#;
        let both = r#", "accesses": 2, "access": "ordered", "operation": "write-then-read""#;
        let twice = carry_out(&planned(&program(view, both), &[0; 4]));
        let done = carry_out(&planned(&program(view, r#", "accesses": 2, "access": "ordered""#), &[0; 4]));
        let writes = pieces(&done, Operation::Write);
        // What is read goes by the same turns.
        assert_eq!(pieces(&twice, Operation::Read)[&FileId(3)], writes[&FileId(3)]);
        assert_eq!(pieces(&twice, Operation::Write)[&FileId(4)].len(), 16);
        // Blocks of 3, 3, 3 and 1, twice.
        let expected = [(0, 3), (3, 3), (6, 3), (9, 1), (10, 3), (13, 3), (16, 3), (19, 1)];
        assert_eq!(writes[&FileId(3)], expected);
        // Each rank takes the pointer: reads it, if there is anything yet, and writes it.
        assert_eq!(writes[&FileId(4)].len(), 8);
        assert_eq!(pieces(&done, Operation::Read)[&FileId(4)].len(), 8 - 1);
    }

    proptest! {
        #[test]
        fn a_shared_pointer_goes_over_each_byte_once_whoever_comes_when(
            ranks in 1usize..6,
            elements in 6u64..40,
            accesses in 1u64..4,
            operation in proptest::sample::select(vec!["write", "read", "write-then-read"]),
            // How many operations a rank does before another one's turn.
            turn in 1usize..4,
        ) {
            prop_assume!((ranks as u64 - 1) * elements.div_ceil(ranks as u64) < elements);
            let view = format!(
                r#"[{{ "bytes": "3 B" }}, {{ "distributed": {{ "sizes": [{elements}], "ranks": [{ranks}] }} }}]"#
            );
            let rest = format!(r#", "accesses": {accesses}, "access": "shared", "operation": "{operation}""#);
            let done = carry_out_by_turns(&planned(&program(&view, &rest), &vec![0; ranks]), turn, |_| Time::ZERO);
            for (direction, word) in [(Operation::Write, "write"), (Operation::Read, "read")] {
                let pieces = pieces(&done, direction);
                let (data, pointer) = (pieces.get(&FileId(3)), pieces.get(&FileId(4)));
                prop_assert_eq!(data.is_some(), operation.contains(word));
                if let Some(data) = data {
                    prop_assert!(tile(data, 3 * elements * accesses), "{:?}", data);
                }
                // Each access reads the pointer, if there is anything yet, and writes it.
                let times = if operation == "write-then-read" { 2 } else { 1 };
                let empty = if direction == Operation::Read { times } else { 0 };
                prop_assert_eq!(pointer.map_or(0, Vec::len), ranks * accesses as usize * times - empty);
            }
        }
    }

    #[test]
    fn nested_types_show_what_they_say() {
        // Two of every three records of 4 B, in groups of ten records, a group in two.
        let view = r#"[{ "bytes": "4 B" }, { "indexed": { "blocks": [[0, 2], [3, 2]] } }, { "resized": { "extent": "40 B" } },
            { "vector": { "count": 3, "block": 1, "stride": 2 } }]"#;
        let hints = r#"{ "romio_ds_write": "disable" }"#;
        let done = carry_out(&planned_with(&program(view, ""), hints, &[0]));
        let written = &pieces(&done, Operation::Write)[&FileId(3)];
        assert_eq!(*written, [(0, 8), (12, 8), (80, 8), (92, 8), (160, 8), (172, 8)]);
    }

    #[test]
    fn views_that_cannot_be_are_refused() {
        for (view, rest, words) in [
            (r#"[{ "bytes": "0 B" }]"#, "", "view"),
            (r#"[{ "bytes": "4 B" }]"#, r#", "accesses": 0"#, "accesses"),
            (r#"[{ "bytes": "8 EiB" }]"#, "", "8 EiB"),
            (r#"[{ "bytes": "4 EiB" }]"#, r#", "accesses": 3"#, "8 EiB"),
            (r#"[{ "bytes": "4 EiB" }]"#, r#", "access": "shared""#, "8 EiB"),
            (r#"[]"#, "", "no type"),
            (r#"[{ "contiguous": { "count": 3 } }]"#, "", "begins with"),
            (r#"[{ "bytes": "4 B" }, { "bytes": "4 B" }]"#, "", "first, and once"),
            (
                r#"[{ "bytes": "1 B" }, { "distributed": { "sizes": [4], "ranks": [3] } }]"#,
                "",
                "product is 2",
            ),
            (r#"[{ "bytes": "1 B" }, { "distributed": { "sizes": [1], "ranks": [2] } }]"#, "", "without any"),
            (
                r#"[{ "bytes": "1 B" }, { "subarray": { "sizes": [4], "part": [3], "starts": [2] } }]"#,
                "",
                "within its array",
            ),
        ] {
            let json = format!(r#"{{ "ranks": 2, "program": {} }}"#, program(view, rest));
            let parameters: crate::parallel::ParallelParameters = serde_json::from_str(&json).unwrap();
            let problem = parameters.validate().unwrap_err().to_string();
            assert!(problem.contains(words), "{view}: {problem}");
        }
    }
}
